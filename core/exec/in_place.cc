#include "core/exec/in_place.h"

#include "core/ops/op.h"

namespace hloscope {

bool OnlyUpdated(const Computation& computation, const Region& region, size_t k) {
  const Instruction& root = *computation.schedule[region.root];
  if (Def(root).movement != Movement::kMove && Def(root).op_class != OpClass::kPush) return false;
  for (int member : region.members) {
    if (member == region.root) continue;
    for (const Instruction* operand : computation.schedule[member]->operands) {
      if (operand->index == region.inputs[k]) return false;
    }
  }
  return true;
}

}  // namespace hloscope
