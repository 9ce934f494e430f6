// Regions of one instruction and the plan made of them: what single stepping and the reference backend use.
#include "core/exec/backend.h"

#include <algorithm>

namespace hloscope {

Region SingleRegion(const Computation& computation, int position) {
  Region region;
  region.root = position;
  region.members.push_back(position);
  for (const Instruction* operand : computation.schedule[position]->operands) {
    // Lists are short except for wide tuples and concatenates, which rarely repeat an operand: search from the end.
    if (std::find(region.inputs.rbegin(), region.inputs.rend(), operand->index) == region.inputs.rend()) {
      region.inputs.push_back(operand->index);
    }
  }
  return region;
}

std::unique_ptr<Plan> SingleStepPlan(const Computation& computation) {
  auto plan = std::make_unique<Plan>();
  const int n = static_cast<int>(computation.schedule.size());
  plan->computation = &computation;
  plan->regions.reserve(n);
  plan->region_at.resize(n);
  plan->use_count.assign(n, 0);
  for (int position = 0; position < n; ++position) {
    plan->region_at[position] = position;
    plan->regions.push_back(SingleRegion(computation, position));
    for (int input : plan->regions.back().inputs) ++plan->use_count[input];
  }
  if (computation.root != nullptr) ++plan->use_count[computation.root->index];
  return plan;
}

}  // namespace hloscope
