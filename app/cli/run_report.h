// What `hloscope run` leaves for CI: a JUnit file and a page. Not for the figures on the terminal (run.cc).
#ifndef HLOSCOPE_APP_CLI_RUN_REPORT_H_
#define HLOSCOPE_APP_CLI_RUN_REPORT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "app/cli/junit.h"
#include "core/debug/check.h"
#include "core/debug/compare_results.h"
#include "core/debug/profile.h"
#include "core/debug/program_inputs.h"
#include "core/exec/machine.h"
#include "core/ir/module.h"

namespace hloscope {
struct RecordComparison;  // core/debug/record.h
}

namespace hloscope::cli {

struct RunFacts {
  const Module* module = nullptr;
  Machine* machine = nullptr;
  const ProgramInputs* inputs = nullptr;
  std::string file, backend;
  std::string error;                     // how it stopped, in one sentence; empty: it finished
  const Instruction* stopped = nullptr;  // where
  bool caught = false;                   // a catch stopped it
  Value result;
  std::vector<double> run_ms;
  const CheckReport* check = nullptr;    // null: not asked for
  bool compared = false;                 // with a snapshot's result
  const std::vector<ResultDifference>* differences = nullptr;
  const RecordComparison* recorded = nullptr;  // of --compare; null: not asked for
  const ProfileData* profile = nullptr;
};

// Of a run on several devices.
struct DevicesFacts {
  const Module* module = nullptr;
  std::string file;
  std::vector<std::pair<std::string, std::string>> facts;  // that the page begins with
  std::string error;                     // how it stopped, with the device; empty: all finished
  const Instruction* stopped = nullptr;  // where
  bool caught = false;                   // a catch stopped it
  std::vector<std::pair<std::string, Value>> results;      // by device, whose name is first
  std::vector<double> run_ms;
  std::vector<JunitCase> cases;          // of what was checked
};
// With what is known before it runs.
DevicesFacts BeginDevicesFacts(const Module& module, const std::string& file, int64_t replicas, int64_t partitions, absl::string_view backend);
// Where a file is named (not empty).
absl::Status WriteDevicesFiles(const DevicesFacts& facts, const std::string& junit, const std::string& report);
absl::Status WriteDevicesJunit(const DevicesFacts& facts, const std::string& path);
absl::Status WriteDevicesReport(const DevicesFacts& facts, const std::string& path);

// What a check and a comparison with a record found.
JunitCase CheckCase(const CheckReport& report);
JunitCase RecordCase(const RecordComparison& recorded);

// One case for the run, and one for each thing that was checked.
absl::Status WriteRunJunit(const RunFacts& facts, const std::string& path);
absl::Status WriteRunReport(const RunFacts& facts, const std::string& path);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_RUN_REPORT_H_
