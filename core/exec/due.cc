#include "core/exec/due.h"

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

int DueOf(const Plan& plan, int region) {
  const Region& r = plan.regions[region];
  for (size_t k = 0; k < r.inputs.size(); ++k) {
    if (OnlyUpdated(*plan.computation, r, k)) return r.root;
  }
  return region == 0 ? 0 : plan.regions[region - 1].root + 1;
}

}  // namespace hloscope
