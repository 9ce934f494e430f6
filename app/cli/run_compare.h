// What `run` does beside running: a record, a comparison with one, the f64 shadow. Each is a run of its own.
#ifndef HLOSCOPE_APP_CLI_RUN_COMPARE_H_
#define HLOSCOPE_APP_CLI_RUN_COMPARE_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "app/cli/arguments.h"
#include "core/debug/compare_values.h"
#include "core/debug/program_inputs.h"
#include "core/exec/exchange.h"

namespace hloscope {
struct RecordComparison;  // core/debug/record.h
struct WatchedRun;
struct ShadowReport;      // core/debug/shadow.h
}

namespace hloscope::cli {

struct RunCompare {
  std::string record, compare, shadow;
  std::vector<std::string> budgets;
  bool accumulated = false;

  void AddTo(OptionParser& app);
  // Of what was typed.
  absl::Status Check();
  bool any() const { return !record.empty() || !compare.empty() || !shadow.empty(); }

  struct Outcome {
    std::string text;
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    bool failed = false;  // the run is not the recorded one
    std::shared_ptr<const RecordComparison> compared;  // with the record; null: not asked for
  };
  // `exchange`: of one of several devices, which come to their end together: a comparison does not end at the first value that differs then.
  // `stops`: the program is known to stop with an error, which has been told: then what comes before it is.
  absl::Status Run(const Module& module, Backend& backend, const ProgramInputs& inputs, const SessionOptions& session, Outcome& outcome, ExchangePort* exchange = nullptr,
                   bool stops = false);
  // The parts of a shadow, where devices measure theirs together: each operation's own error; then what is said of it.
  absl::StatusOr<ShadowReport> MeasureOwn(WatchedRun run) const;
  static void Tell(const ShadowReport& report, Outcome& outcome);
  // And where there is nothing to tell but why: `what` is shadow, record or compare.
  static void TellError(const char* what, const absl::Status& why, Outcome& outcome);

 private:
  BudgetTable table_;
  int64_t samples_ = 0;
};

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_RUN_COMPARE_H_
