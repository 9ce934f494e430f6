#include "visualizer/model/edit_reach.h"

#include "core/ops/op.h"

namespace hloscope {
namespace {

class EditReach {
 public:
  EditReach(const Module& module, const std::vector<const Instruction*>& edited) : module_(module), reached_(edited.begin(), edited.end()) {}

  absl::flat_hash_set<const Instruction*> Find() {
    // The text goes mostly from operands to users: few passes.
    for (size_t before = 0; before != reached_.size();) {
      before = reached_.size();
      for (const Computation* computation : module_.computations) {
        for (const Instruction* instruction : computation->instructions) Look(*instruction);
      }
    }
    return std::move(reached_);
  }

 private:
  bool Has(const Instruction* instruction) const { return instruction != nullptr && reached_.contains(instruction); }

  void Look(const Instruction& instruction) {
    bool given = false;
    for (const Instruction* operand : instruction.operands) given |= Has(operand);
    bool reached = given || Has(&instruction);
    const ControlKind control = Def(instruction).control;
    const Computation* body = control == ControlKind::kWhile ? instruction.Called(AttrId::kBody) : nullptr;
    if (body != nullptr) given |= Has(body->root);  // what an iteration hands to the next
    for (const Computation* called : instruction.CalledComputations()) {
      reached |= Has(called->root);
      const bool each = (control == ControlKind::kCall || called->is_fusion) && called->parameters.size() == instruction.operands.size();
      for (size_t k = 0; k < called->parameters.size(); ++k) {
        const Instruction* parameter = called->parameters[k];
        if (parameter != nullptr && (each ? Has(instruction.operands[k]) : given)) reached_.insert(parameter);
      }
    }
    if (reached) reached_.insert(&instruction);
  }

  const Module& module_;
  absl::flat_hash_set<const Instruction*> reached_;
};

}  // namespace

absl::flat_hash_set<const Instruction*> ReachedByEdit(const Module& module, const std::vector<const Instruction*>& edited) {
  return edited.empty() ? absl::flat_hash_set<const Instruction*>() : EditReach(module, edited).Find();
}

}  // namespace hloscope
