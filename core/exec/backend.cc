// Regions of one instruction and the plan made of them: what single stepping and the reference backend use.
#include "core/exec/backend.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace hloscope {

Region SingleRegion(const Computation& computation, int position) {
  Region region;
  region.root = position;
  region.members.push_back(position);
  const auto& operands = computation.schedule[position]->operands;
  constexpr size_t kShort = 16;
  if (operands.size() <= kShort) {
    for (const Instruction* operand : operands) {
      if (std::find(region.inputs.begin(), region.inputs.end(), operand->index) == region.inputs.end()) region.inputs.push_back(operand->index);
    }
  } else {  // wide tuples: a search in the list would be quadratic
    absl::flat_hash_set<int> seen;
    for (const Instruction* operand : operands) {
      if (seen.insert(operand->index).second) region.inputs.push_back(operand->index);
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
