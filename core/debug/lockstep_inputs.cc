#include "core/debug/lockstep_inputs.h"

#include "core/debug/lockstep_reads.h"
#include "core/literal/relayout.h"

namespace hloscope {

void LockstepInputs::ShareElidedConstants(const Fill& fill) {
  for (const auto& scope : match_.scopes) {
    for (const int node : scope->a.order) {
      const int other = scope->to_b[node];
      if (other < 0) continue;
      const Instruction &x = *scope->a.nodes[node].instruction, &y = *scope->b.nodes[other].instruction;
      if (x.literal == nullptr || y.literal == nullptr || !x.literal->elided || !y.literal->elided || y.literal->value.has_value()) continue;
      if (!FillElidedConstant(x, fill, nullptr).ok() || !Shape::SameTreeDimensions(x.shape, y.shape)) continue;
      y.literal->value = ConvertThrough(ToDense(x.literal->value), y.shape, y.shape);
    }
  }
}

int LockstepInputs::InA(int number) const {
  const int node = match_.scopes[0]->to_a[b_.entry->parameters[number]->index];
  return node < 0 ? -1 : static_cast<int>(match_.scopes[0]->a.nodes[node].instruction->parameter_number);
}

absl::StatusOr<Value> LockstepInputs::Parameter(int side, int number, MemoryAccount* account) {
  const int in_a = side == 0 ? number : InA(number);
  if (in_a < 0) return inputs_[1]->Parameter(number, account);
  const Shape& mine = (side == 0 ? a_ : b_).entry->parameters[number]->shape;
  const int partner = match_.scopes[0]->to_b[a_.entry->parameters[in_a]->index];
  const Shape& shape_a = a_.entry->parameters[in_a]->shape;
  const Shape& shape_b = partner < 0 ? shape_a : match_.scopes[0]->b.nodes[partner].instruction->shape;
  if (!Shape::SameTreeDimensions(shape_a, shape_b)) return inputs_[side]->Parameter(number, account);
  const auto cached = made_.find(in_a);
  Value value;
  if (cached != made_.end()) {
    value = cached->second.first;
    if (cached->second.second != side) made_.erase(cached);  // both have it
  } else {
    absl::StatusOr<Value> made = inputs_[0]->Parameter(in_a, nullptr);
    if (!made.ok()) return made.status();
    value = ToDense(*made);
    if (partner >= 0) made_[in_a] = {value, side};
  }
  return ConvertThrough(value, shape_b, mine);
}

}  // namespace hloscope
