// What the values of a whole run are like: for each instruction the range, the trouble, a histogram and the first numbers of what it made
// last, and how often it ran. For pages and pictures of a program. Not for the values themselves (record.h), nor for times (profile.h).
#ifndef HLOSCOPE_CORE_DEBUG_RUN_VALUES_H_
#define HLOSCOPE_CORE_DEBUG_RUN_VALUES_H_

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "core/debug/instruction_figures.h"
#include "core/debug/session_state.h"
#include "core/ir/call_tree.h"
#include "core/literal/statistics.h"

namespace hloscope {

struct ValueSummary {
  static constexpr int kBins = 24;
  static constexpr int kFirst = 8;
  Statistics last;                     // of the newest
  std::array<int64_t, kBins> bins{};   // from last.min to last.max; of a sample where there are very many elements
  std::vector<std::string> first;      // elements in row-major order
  int64_t nan_times = 0, inf_times = 0;  // how many of all the times had one
};

struct InstructionRun {
  int64_t times = 0;
  std::vector<ValueSummary> leaves;  // as LeafCountOf; those never seen have last.count 0 and no `first`
};

// How well a leaf was in one call.
struct LeafHealth {
  bool seen = false, nan = false, inf = false;  // the newest
  int64_t nan_times = 0, inf_times = 0;         // how many of all the times had one
};

struct RunValues {
  absl::flat_hash_map<const Instruction*, InstructionRun> of;
  CallTree calls;
  absl::flat_hash_map<std::pair<int, const Instruction*>, std::vector<LeafHealth>> health;  // by call
  std::string error;    // why the run did not come to its end
  bool ended = false;   // that is a limit of ours, not the program's
  std::string inputs, backend;
  double seconds = 0;

  // Also of instructions that only hand leaves on, by the ones that made them. Null: not known.
  const ValueSummary* Find(const Instruction& instruction, int leaf) const;
  // Of every instruction of the program whose values are known, by call: those that only hand leaves on, constants, and what is handed to
  // calls and loops, too.
  InstructionFigures Health(const Module& module) const;
};

ValueSummary SummarizeValue(const Value& array);

// How much a run may take; 0: no limit.
struct RunLimits {
  double seconds = 0;  // of processor time of the thread that runs it: the same on a busy machine
  int64_t bytes = 0;   // of values at once
};
// Runs the program beside the session's own run, one instruction at a time. A run that stops with an error, or goes beyond a limit, gives the
// values up to there; `error` says so.
absl::StatusOr<RunValues> WatchValues(Session::State& s, const RunLimits& limits);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_RUN_VALUES_H_
