// What a comparison of two programs found, as text and as JSON: for diff and bisect. Not for finding it (core/debug/match.h, lockstep.h).
#ifndef HLOSCOPE_APP_CLI_DIFFERENCE_TEXT_H_
#define HLOSCOPE_APP_CLI_DIFFERENCE_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

#include "core/debug/lockstep.h"
#include "core/debug/match.h"
#include "core/debug/session.h"

namespace hloscope::cli {

struct DifferenceText {
  const Module& a;
  const Module& b;
  std::string name_a, name_b;
  bool verbose = false;

  std::string Structure(const ProgramMatch& match) const;
  std::string AsItWas(const StructuralChange& change) const;
  std::string Values(const LockstepReport& report) const;
  std::string Loops(const LockstepReport& report) const;
  // "%add.3 (add) in body, a.hlo:12".
  std::string Place(const Module& module, const Instruction& instruction) const;
  std::string Text(const Divergence& divergence) const;
  nlohmann::ordered_json Json(const ProgramMatch& match, const LockstepReport* values, bool equal) const;
  nlohmann::ordered_json Json(const Divergence& divergence) const;
};

MachineOptions MachineOptionsOf(const SessionOptions& session, const ProgramInputs& inputs);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_DIFFERENCE_TEXT_H_
