// Which values are constants that were only moved: through copies, tuples, calls, branches and loops. What a NaN that a program has written
// down itself comes from. Not for values computed from constants: what computes is where a catch stops (catch_find.h).
#ifndef HLOSCOPE_CORE_DEBUG_CONSTANT_FLOW_H_
#define HLOSCOPE_CORE_DEBUG_CONSTANT_FLOW_H_

#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/exec/machine.h"
#include "core/ir/module.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {

class ConstantFlow {
 public:
  // `matters`: of a constant's literal; constants without such an element count as none. Literals are looked at at the first question.
  ConstantFlow(const Module& module, std::function<bool(const Value&)> matters) : module_(module), matters_(std::move(matters)) {}

  // A constant that matters and that may reach the leaf by movement alone, in some run; null: none does.
  const Instruction* MayBring(const Instruction& instruction, int leaf);
  // The result is moved from one place, or from constants alone: whatever is in it was there before. False for what computes, and for what
  // brings elements of several values together.
  bool HandsOn(const Instruction& instruction);

  struct Source {
    const Instruction* constant = nullptr;  // null: the leaf was computed, or came with a parameter of the program
    bool certain = true;                    // false: it depends on which branch was taken, or on whether a loop ran at all
  };
  // `frames`: the stack, the last one is the frame of the instruction.
  Source Of(absl::Span<const Frame> frames, const Instruction& instruction, int leaf);
  // The constant, whether it matters or not, that the leaf was moved from; null: none, or that depends.
  const Instruction* Behind(absl::Span<const Frame> frames, const Instruction& instruction, int leaf);

 private:
  // Where a leaf is moved from, as far as its computation says.
  struct Origin {
    enum Kind : uint8_t { kMade, kConstant, kParameter, kMaybe } kind = kMade;
    const Instruction* at = nullptr;
    int leaf = 0;
  };
  Origin OriginOf(const Instruction& instruction, int leaf);
  // Through conditionals of the frame, by the branch that was taken, as far as the frame still holds what chose it.
  Origin Taken(const Frame& frame, Origin origin);
  Origin Find(const Instruction& instruction, int leaf);
  Origin OriginIn(absl::Span<const Frame> frames, const Instruction& instruction, int leaf);
  const std::vector<LeafSource>& LeavesOf(const Instruction& instruction);
  bool Matters(const Instruction& constant);
  void Flood();

  const Module& module_;
  const std::function<bool(const Value&)> matters_;
  absl::flat_hash_map<const Instruction*, bool> literals_;
  absl::flat_hash_map<std::pair<const Instruction*, int>, Origin> origins_;
  absl::flat_hash_map<const Instruction*, std::vector<LeafSource>> leaves_;
  absl::flat_hash_map<std::pair<const Instruction*, int>, const Instruction*> brought_;
  bool flooded_ = false;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_CONSTANT_FLOW_H_
