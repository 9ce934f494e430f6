#include "core/debug/flatten.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/ops/op.h"
#include "core/text/attribute_text.h"
#include "core/text/hlo_text.h"

namespace hloscope {

bool IsComputation(const Attribute& attribute) {
  return std::holds_alternative<Computation*>(attribute.value) || std::holds_alternative<std::vector<Computation*>>(attribute.value);
}

std::string AttributeText(const Attribute& attribute) {
  std::string text;
  TextOf(Info(attribute.id).kind).print(attribute.value, PrintOptions(), &text);
  return text;
}

absl::string_view NameOf(const Attribute& attribute) { return attribute.name.empty() ? Info(attribute.id).name : attribute.name; }

bool TakesElement(const Instruction& i) {
  return Def(i).op_class == OpClass::kStructural && i.operands.size() == 1 && i.operands[0]->shape.IsTuple() && i.Has(AttrId::kIndex);
}

uint64_t HashLiteral(const Instruction& instruction, bool loose) {
  const ConstantLiteral& literal = *instruction.literal;
  if (literal.elided || !literal.value.has_value()) return 3;
  const Value& value = literal.value;
  if (!value.shape().IsArray()) return 5;
  const ElementType type = value.shape().element_type();
  if (!loose || !IsFloat(type) || value.element_count() > 64) {
    return loose && IsFloat(type) ? 7 : HashBytes(value.physical_data(), static_cast<size_t>(value.byte_size()));
  }
  return 7;  // rounded to another type, it is another number
}

const Computation* CalledInPlace(const Instruction& instruction) {
  const OpDef& def = Def(instruction);
  if (def.control != ControlKind::kCall || def.evaluate != nullptr) return nullptr;
  const std::vector<Computation*> called = instruction.CalledComputations();
  if (called.size() != 1 || called[0]->parameters.size() != instruction.operands.size() || called[0]->root == nullptr) return nullptr;
  return called[0];
}

bool BuildsTuple(const Instruction& i) {
  if (Def(i).op_class != OpClass::kStructural || !i.shape.IsTuple() || i.parameter_number >= 0) return false;
  if (i.operands.size() != i.shape.tuple_shapes().size()) return false;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    if (!Shape::Compatible(i.operands[k]->shape, i.shape.tuple_shapes()[k])) return false;
  }
  return !i.operands.empty();
}

namespace {

constexpr int kDeepest = 64;            // calls within calls that are laid flat
constexpr size_t kMostNodes = 4000000;  // of a flat computation

// A number of another width: what a change of precision strews over a program.
bool IsCast(const Instruction& i) {
  return i.operands.size() == 1 && i.shape.IsArray() && i.operands[0]->shape.IsArray() && IsFloat(i.shape.element_type()) &&
         IsFloat(i.operands[0]->shape.element_type()) && i.shape.element_type() != i.operands[0]->shape.element_type() &&
         Shape::SameDimensions(i.shape, i.operands[0]->shape);
}

using Stays = std::function<bool(const Instruction&)>;

int AddScope(FlatComputation& flat, const Computation& computation, absl::Span<const int> arguments, int depth,
             const Stays& stays) {
  const int scope = static_cast<int>(flat.scopes.size());
  flat.scopes.emplace_back();
  flat.scopes[scope].computation = &computation;
  const int base = flat.scopes[scope].base = static_cast<int>(flat.nodes.size());
  flat.nodes.resize(base + computation.schedule.size());
  for (const Instruction* instruction : computation.schedule) {
    const int at = base + instruction->index;
    flat.nodes[at].instruction = instruction;
    flat.nodes[at].scope = scope;
    for (const Instruction* operand : instruction->operands) flat.nodes[at].operands.push_back(flat.Resolve(base + operand->index));
    if (depth > 0 && instruction->parameter_number >= 0) {
      flat.nodes[at].alias = arguments[instruction->parameter_number];
    } else if (TakesElement(*instruction) && BuildsTuple(*flat.nodes[flat.nodes[at].operands[0]].instruction)) {
      const FlatNode& tuple = flat.nodes[flat.nodes[at].operands[0]];
      const int64_t element = instruction->Int(AttrId::kIndex);
      if (element >= 0 && element < static_cast<int64_t>(tuple.operands.size())) flat.nodes[at].alias = tuple.operands[element];
    } else if (const Computation* called = CalledInPlace(*instruction); called != nullptr && (stays == nullptr || !stays(*instruction)) &&
                                                                        depth < kDeepest &&
                                                                        flat.nodes.size() + called->schedule.size() < kMostNodes) {
      const std::vector<int> operands(flat.nodes[at].operands.begin(), flat.nodes[at].operands.end());
      const int inner = AddScope(flat, *called, operands, depth + 1, stays);
      flat.scopes[inner].caller = at;
      flat.scopes[scope].calls[instruction->index] = inner;
      flat.nodes[at].alias = flat.Resolve(flat.scopes[inner].base + called->root->index);
    }
    flat.order.push_back(at);
  }
  return scope;
}

}  // namespace

FlatComputation LayFlat(const Computation& computation, const std::function<bool(const Instruction&)>& stays) {
  FlatComputation flat;
  flat.computation = &computation;
  AddScope(flat, computation, {}, 0, stays);
  if (computation.root != nullptr) flat.root = flat.Resolve(flat.scopes[0].base + computation.root->index);
  flat.core.resize(flat.nodes.size());
  flat.users.resize(flat.nodes.size());
  for (const int node : flat.order) {
    const FlatNode& n = flat.nodes[node];
    flat.core[node] = n.alias >= 0 ? flat.core[n.alias] : IsCast(*n.instruction) && !n.operands.empty() ? flat.core[n.operands[0]] : node;
    if (n.alias >= 0) continue;
    for (const int operand : n.operands) {
      std::vector<int>& users = flat.users[flat.core[operand]];
      if (users.empty() || users.back() != node) users.push_back(node);
    }
  }
  return flat;
}

}  // namespace hloscope
