// The values of a loop's iterations, looked at on the engine's thread: for the panel Iterations. No ImGui.
#ifndef HLOSCOPE_VISUALIZER_PANELS_ITERATION_ROWS_H_
#define HLOSCOPE_VISUALIZER_PANELS_ITERATION_ROWS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/debug/places.h"
#include "core/debug/session_state.h"
#include "core/literal/statistics.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {

// An array: a value of the loop's, or an element of one that is a tuple.
struct LoopValue {
  const Instruction* instruction = nullptr;
  int leaf = 0;
  bool operator==(const LoopValue& other) const { return instruction == other.instruction && leaf == other.leaf; }
  const Shape& shape() const { return LeafShape(instruction->shape, leaf); }
  std::string name() const { return absl::StrCat(instruction->name, LeafPathText(instruction->shape, leaf)); }
};

// Where a leaf of a loop's result is made: through the tuples and barriers that only hand it on, as far as it is a value of its own.
LoopValue MadeBy(const Instruction& result, int leaf);

struct IterationRow {
  int64_t iteration = 0;
  Statistics stats;
};

// What is known of them at a time.
struct IterationRows {
  std::string key;
  std::vector<IterationRow> rows;
  bool whole = false, slow = false;
  std::string error;
  std::vector<const Instruction*> loops;  // around, the outermost first, and itself
  std::vector<int64_t> around;            // their iterations, the last one's 0
  std::string moment;                     // of the first row, as goto takes it
  int64_t next = 0;                       // the iteration to go on with
};

// Of iterations `first` to before `limit`, as many as a moment has time for; what only this looks at is not a stop, and does not count.
void LookAtRows(Session::State& s, const LoopValue& value, const InLoopPlace& place, int64_t first, int64_t limit, IterationRows* made);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_ITERATION_ROWS_H_
