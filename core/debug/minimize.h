// Making a failing program smaller while it still fails: the failure is a predicate, each candidate is verified before it is asked.
// Not for finding the failure.
#ifndef HLOSCOPE_CORE_DEBUG_MINIMIZE_H_
#define HLOSCOPE_CORE_DEBUG_MINIMIZE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/debug/program_run.h"
#include "core/debug/session.h"
#include "core/exec/backend.h"
#include "core/exec/machine.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

class DeviceInputs;

// Whether a program fails.
struct Failing {
  Failing(bool fails, Mark moment = {}) : fails(fails), moment(std::move(moment)) {}  // NOLINT: a plain yes or no is one
  bool fails;
  Mark moment;  // in which frame of its run, on whichever device; no levels: that is not known
  std::string why;  // of a program that does not fail: what there is instead; may be empty
};
// Whether a program still fails with these parameters, by device. An error is an end of the search (an outside script that cannot be started).
using FailurePredicate = std::function<absl::StatusOr<Failing>(const Module& module, const DeviceValues& parameters)>;

struct MinimizeOptions {
  double seconds = 120;
  int64_t steps = 5000;  // times that the predicate is asked
  std::function<void(const std::string&)> progress;  // may be null
  Session::State* around = nullptr;                  // who interrupts this session ends the search soon with CancelledError; RunSettings says so, too
  bool result_parts_stay = false;  // of a result that is a tuple only the last parts may go: the failure names parts by number
  bool other_parameters = false;   // the predicate does not look at the parameters' values: it has its own
};

struct Minimized {
  std::unique_ptr<Module> module;
  DeviceValues parameters;
  int64_t steps = 0, accepted = 0;
  double seconds = 0;
  int64_t instructions_before = 0, computations_before = 0;
  bool out_of_budget = false;
};

// FailedPrecondition where the program does not fail to begin with. `run` says how the program is run to learn its values, with which
// instructions are replaced.
absl::StatusOr<Minimized> MinimizeProgram(const Module& module, const DeviceValues& parameters, Backend& backend, const RunSettings& run,
                                          const FailurePredicate& fails, const MinimizeOptions& options);

// What people ask for.
struct MinimizeRequest {
  enum Kind : uint8_t { kExpect, kMismatch, kCatch, kScript, kError } kind = kExpect;
  // The expression; a list of catches, as "nan,inf"; the command, with {} for the program's file, {npz} for its values, and {inputs} for the
  // options that give them to it, those of single devices too.
  std::string text;
  std::string out;   // .hlo
  int device = -1;   // on which the expectation fails; -1: on any
};
// Minimizes, writes the program and its values, and returns lines that say what was done, and the command that shows the failure.
// `inputs`: of all devices, as many as the session has.
absl::StatusOr<std::string> MinimizeToFile(const Module& module, DeviceInputs& inputs, Backend& backend, const SessionOptions& session,
                                           const MinimizeRequest& request, const MinimizeOptions& options);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MINIMIZE_H_
