// The parameters of runs that may write over some of them: what each run is given. Not for what the header says (core/exec/donation.h).
#ifndef HLOSCOPE_APP_CLI_DONATED_INPUTS_H_
#define HLOSCOPE_APP_CLI_DONATED_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "app/cli/option_parser.h"
#include "core/debug/program_inputs.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope::cli {

class DonatedInputs {
 public:
  void AddTo(OptionParser& app);
  // What the option and, without it, the header say. `keep`: somebody looks at the parameters after the run, so nothing is donated.
  absl::Status Choose(const Module& module, bool keep);
  bool asked() const { return !option_.empty(); }
  const std::vector<int>& numbers() const { return numbers_; }
  // Makes all parameters. `again`: they are given to more than one run.
  absl::Status Make(const ProgramInputs& inputs, MemoryAccount& account, bool again);
  // Those of one run: what is donated is a copy of its own unless this is the `last`.
  absl::StatusOr<std::vector<Value>> Take(MemoryAccount& account, bool last);
  const std::vector<Value>& values() const { return values_; }

 private:
  bool Donated(int number) const;
  std::string option_;
  std::vector<int> numbers_;
  std::vector<Value> values_;
};

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_DONATED_INPUTS_H_
