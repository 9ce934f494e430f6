// Builder::Import: the computations of another module, copied into the one that is being built.
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/ops/builder/builder.h"

namespace hloscope::hlo {
namespace {

struct Copier {
  Module& to;
  absl::flat_hash_map<const Computation*, Computation*> computations;

  // Texts of the other module die with it.
  AttrValue Copy(const AttrValue& value) {
    if (auto* text = std::get_if<absl::string_view>(&value)) return to.Intern(*text);
    if (auto* one = std::get_if<Computation*>(&value)) return computations[*one];
    if (auto* many = std::get_if<std::vector<Computation*>>(&value)) {
      std::vector<Computation*> copies;
      for (Computation* c : *many) copies.push_back(computations[c]);
      return copies;
    }
    return value;
  }

  void Copy(const Instruction& from, Instruction& copy) {
    copy.opcode = from.opcode;
    copy.shape = from.shape;
    copy.parameter_number = from.parameter_number;
    for (const Attribute& a : from.attributes) copy.attributes.push_back({a.id, to.Intern(a.name), Copy(a.value), {}});
    copy.metadata = from.metadata;
    for (absl::string_view* text : {&copy.metadata.op_name, &copy.metadata.op_type, &copy.metadata.source_file, &copy.metadata.raw})
      *text = to.Intern(*text);
    copy.metadata.stack_frame_id = 0;  // the tables stay behind
    copy.sharding = to.Intern(from.sharding);
    copy.backend_config = to.Intern(from.backend_config);
    copy.frontend_attributes = to.Intern(from.frontend_attributes);
    copy.statistics = to.Intern(from.statistics);
    if (from.literal != nullptr) {
      copy.literal = std::make_unique<ConstantLiteral>();
      copy.literal->value = from.literal->value;
      copy.literal->elided = from.literal->elided;
    }
  }
};

}  // namespace

Computation* Builder::Import(const Module& module, Place place) {
  if (!ok()) return nullptr;
  if (module.entry == nullptr || module.entry->root == nullptr || &module == this->module()) {
    Error(HLO_LABEL("builder.import"), "only a finished module, and another one, can be copied into this one", place);
    return nullptr;
  }
  Module& to = *this->module();
  Copier copier{to, {}};
  for (const Computation* from : module.computations) {
    if (from->instructions.empty()) continue;
    // An entry is called "main" as a rule; here it goes by its module's name.
    copier.computations[from] =
        to.AddComputation(UniqueName(from->is_entry && from->name == "main" ? absl::string_view(module.name) : from->name));
  }
  for (const Computation* from : module.computations) {
    Computation* copy = copier.computations[from];
    if (copy == nullptr) continue;
    absl::flat_hash_map<const Instruction*, Instruction*> copies;
    for (const Instruction* i : from->schedule) {
      Instruction* made = copies[i] = to.AddInstruction(copy);
      copier.Copy(*i, *made);
      made->name = UniqueName(i->name);
      for (const Instruction* operand : i->operands) made->operands.push_back(copies[operand]);
      for (const Instruction* before : i->control_predecessors) made->control_predecessors.push_back(copies[before]);
    }
    copy->root = copies[from->root];
    copy->execution_thread = to.Intern(from->execution_thread);
    for (const Instruction* parameter : from->parameters) copy->parameters.push_back(copies[parameter]);
    Completed(copy);
  }
  return copier.computations[module.entry];
}

}  // namespace hloscope::hlo
