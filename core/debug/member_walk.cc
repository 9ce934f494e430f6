// Values live here from where they are made to their last use in the region.
#include "core/debug/member_walk.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/ops/op.h"

namespace hloscope {

absl::Status WalkMembers(Backend& backend, const Computation& computation, const Region& region, absl::Span<const Value> inputs, const MemberVisitor& visit,
                         const Value* result) {
  absl::flat_hash_map<int, Value> values;
  absl::flat_hash_map<int, int> last_use;  // position -> the last member that reads it
  for (size_t k = 0; k < region.inputs.size(); ++k) {
    // Kernels take what the program keeps, which is in the layouts of its shapes.
    values[region.inputs[k]] = !inputs[k].has_value() ? Value() : ToLayout(inputs[k], computation.schedule[region.inputs[k]]->shape);
  }
  for (int member : region.members) {
    for (const Instruction* operand : computation.schedule[member]->operands) last_use[operand->index] = member;
  }
  for (int member : region.members) {
    const Instruction& instruction = *computation.schedule[member];
    if (values.contains(member)) continue;
    const Region single = SingleRegion(computation, member);
    std::vector<Value> operands;
    for (int position : single.inputs) {
      const auto found = values.find(position);
      if (found == values.end()) {
        return absl::InternalError(absl::StrCat(ShownName(instruction), " reads ", ShownName(*computation.schedule[position]), ", which its region does not have"));
      }
      operands.push_back(found->second);
    }
    Value value;
    std::shared_ptr<const Kernel> kernel;
    if (member == region.root && result != nullptr) {
      value = *result;
    } else if (instruction.literal != nullptr) {
      value = ToLayout(instruction.literal->value, instruction.shape);
    } else if (Def(instruction).op_class == OpClass::kStructural) {
      std::vector<Value> all;
      for (const Instruction* operand : instruction.operands) all.push_back(ToDense(values[operand->index]));
      EvalContext context{instruction, all};
      absl::StatusOr<Value> made = Def(instruction).evaluate(context);
      if (!made.ok()) return made.status();
      value = *std::move(made);
    } else {
      absl::StatusOr<std::shared_ptr<const Kernel>> got = backend.GetKernel(computation, single);
      if (!got.ok()) return got.status();
      kernel = *std::move(got);
      absl::StatusOr<Value> made = kernel->Run(RunContext(), operands);
      if (!made.ok()) return made.status();
      value = ToLayout(*made, instruction.shape);
    }
    std::vector<Value> dense;
    for (const Value& operand : operands) dense.push_back(operand.has_value() ? ToDense(operand) : Value());
    if (!visit(member, single, kernel.get(), dense, ToDense(value))) return absl::OkStatus();
    for (int position : single.inputs) {
      if (last_use[position] == member) values.erase(position);
    }
    if (last_use.contains(member)) values[member] = std::move(value);
  }
  return absl::OkStatus();
}

void PrepareMembers(Backend& backend, const Module& module) {
  std::vector<const Computation*> work = {module.entry};
  absl::flat_hash_set<const Computation*> seen = {module.entry};
  for (size_t k = 0; k < work.size(); ++k) {
    const Computation& computation = *work[k];
    for (const Instruction* instruction : computation.schedule) {
      if (Def(*instruction).op_class != OpClass::kControl) continue;
      for (const Computation* called : instruction->CalledComputations()) {
        if (seen.insert(called).second) work.push_back(called);
      }
    }
    const absl::StatusOr<std::unique_ptr<Plan>> plan = backend.MakePlan(computation);
    if (!plan.ok()) continue;  // said when the computation runs
    std::vector<Region> singles;
    for (const Region& region : (*plan)->regions) {
      if (region.members.size() == 1) continue;
      for (int member : region.members) {
        if (computation.schedule[member]->literal == nullptr) singles.push_back(SingleRegion(computation, member));
      }
    }
    std::vector<const Region*> regions;
    for (const Region& single : singles) regions.push_back(&single);
    if (!regions.empty()) backend.Prepare(computation, regions);
  }
}

}  // namespace hloscope
