// A run written down, and a run compared with one that was: every value by the place where it is made ("dot.5", "while.3[17]/add.2" in
// iteration 17 of a loop), one array each in an .npz archive. Runs the whole program on a machine of its own, one instruction at a time.
#ifndef HLOSCOPE_CORE_DEBUG_RECORD_H_
#define HLOSCOPE_CORE_DEBUG_RECORD_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "core/debug/compare_values.h"
#include "core/debug/program_inputs.h"
#include "core/debug/record_sources.h"
#include "core/exec/backend.h"
#include "core/exec/machine.h"

namespace hloscope {

// A whole run that is only looked at.
struct WatchedRun {
  const Module& module;
  Backend& backend;
  const ProgramInputs& inputs;
  MachineOptions options;
  std::atomic<std::atomic<bool>*>* interrupt = nullptr;  // gets the machine's while it runs
  bool single_step = true;                               // every instruction is seen; else regions as they run
  // Watched too although no region makes their values: what runs other computations, handles. Null: none.
  const absl::flat_hash_set<const Instruction*>* halts = nullptr;
  bool constants = false;  // told of the constants of a computation too, once, where the run first comes to it
  bool results = false;    // told of the arrays of the program's result too, at the end
  std::shared_ptr<void> others;  // of several devices: what the other ones run on
  // Told of every array that an instruction makes (not of handles), parameters of the entry first. `place` names it.
  // An error ends the run.
  using Visitor = std::function<absl::Status(const Machine& machine, const Instruction& instruction, const std::string& place, const Value& array)>;
};
// OK when the program came to its end or the visitor ended it with Cancelled; else how it stopped.
absl::Status Watch(WatchedRun run, const WatchedRun::Visitor& visit);

struct RecordReport {
  int64_t arrays = 0, bytes = 0;
};
// `chosen` empty: all instructions.
absl::StatusOr<RecordReport> RecordRun(WatchedRun run, const std::string& path, const absl::flat_hash_set<const Instruction*>& chosen);

struct RecordDivergence {
  const Instruction* instruction = nullptr;
  std::string place;
  Shape shape;
  ArrayDifference difference;  // expected: the record's
  std::string unlike;          // not empty: the record's array cannot be compared, why
  RecordOrigin origin = RecordOrigin::kUnknown;
};
struct RecordComparison {
  int64_t compared = 0, elements = 0;
  int64_t unrecorded = 0;      // values that the record does not have
  std::string first_unrecorded;  // the place of the first of them
  int64_t unmet = 0;           // arrays of the record that the run did not come by
  int64_t other_bits = 0;      // compared ones with other bits, within the budget or not
  int64_t diverging = 0, own = 0, unknown = 0;  // unknown: of their own or inherited
  int64_t inherited() const { return diverging - own - unknown; }
  double worst_ulp = 0;        // within the budget
  absl::Status ended;          // with which error the run stopped; what it came by before that has been compared
  std::vector<RecordDivergence> divergences;  // the first ones, and further ones that are not inherited
};
// Where no budget speaks: the same bits.
absl::StatusOr<RecordComparison> CompareWithRecord(WatchedRun run, const std::string& path, const BudgetTable& budgets, bool keep_going);

// What the command compare found with a record last. State::Extension<LastRecordComparison>(): for reports.
struct LastRecordComparison {
  std::string path;  // empty: none yet
  RecordComparison found;
};

std::string ToText(const RecordDivergence& divergence);
std::string ToText(const RecordComparison& comparison);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_RECORD_H_
