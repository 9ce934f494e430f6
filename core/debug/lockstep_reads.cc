#include "core/debug/lockstep_reads.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/debug/compare_values.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {

bool SameBytes(const Value& a, const Value& b) {
  if (a.shape().IsTuple()) {  // also of tuples one is enough: batch normalizations and sorts give what is large as part of one
    if (!(a.shape() == b.shape()) || a.elements().size() != b.elements().size()) return false;
    for (size_t k = 0; k < a.elements().size(); ++k) {
      if (!SameBytes(a.elements()[k], b.elements()[k])) return false;
    }
    return true;
  }
  if (!a.shape().IsArray() || !(a.shape() == b.shape())) return false;
  const size_t bytes = static_cast<size_t>(a.byte_size());
  return a.physical_data() == b.physical_data() || bytes == 0 || std::memcmp(a.physical_data(), b.physical_data(), bytes) == 0;
}

bool SeenWhereRead(const Instruction& i) {
  if (i.literal != nullptr) return false;
  return i.parameter_number >= 0 || Def(i).op_class == OpClass::kStructural || Def(i).control != ControlKind::kNone;
}

Value ConvertThrough(const Value& value, const Shape& other, const Shape& wanted) {
  if (value.shape().IsTuple()) {
    std::vector<Value> elements;
    for (size_t k = 0; k < value.elements().size(); ++k)
      elements.push_back(ConvertThrough(value.elements()[k], other.tuple_shapes()[k], wanted.tuple_shapes()[k]));
    return Value::Tuple(wanted, std::move(elements));
  }
  if (!value.shape().IsArray()) return value;
  const ElementType type = value.shape().element_type(), to = other.element_type();
  if (type == to) return value;
  Value through = value;
  if (IsFloat(type) && IsFloat(to) && NarrowerType(type, to) == to) through = ConvertValue(value, to);
  if (IsComplex(type) && IsComplex(to) && NarrowerType(type, to) == RealTypeOf(to)) through = ConvertValue(value, to);
  return ConvertValue(through, wanted.element_type());
}

void Leaves(const Value& value, std::vector<Value>& leaves) {
  if (value.shape().IsTuple()) {
    for (const Value& element : value.elements()) Leaves(element, leaves);
  } else if (value.shape().IsArray()) {
    leaves.push_back(value);
  }
}

uint64_t InnerKey(uint64_t outer, int in_a, int64_t iteration, int branch, FrameKind kind) {
  return MixHash(MixHash(outer, static_cast<uint64_t>(in_a)),
                 (static_cast<uint64_t>(iteration) << 24) ^ (static_cast<uint64_t>(branch + 1) << 4) ^ static_cast<uint64_t>(kind));
}

bool HandsOnOthers(const ScopeMatch& m, int in_a, bool entry) {
  const FlatNode &a = m.a.nodes[in_a], &b = m.b.nodes[m.to_b[in_a]];
  const Instruction& i = *a.instruction;
  if (Def(i).op_class != OpClass::kStructural || !i.shape.IsTuple()) return false;
  if (entry && i.parent == m.a.computation && i.parent->root == &i) return false;  // the results are compared at the end
  const auto order = m.reordered.find(in_a);
  if (order == m.reordered.end() && a.operands.size() != b.operands.size()) return false;
  for (size_t k = 0; k < a.operands.size(); ++k) {
    const int l = order == m.reordered.end() ? static_cast<int>(k) : order->second[k];
    if (l < 0) continue;  // a alone has it
    if (m.to_b[m.a.Resolve(a.operands[k])] != m.b.Resolve(b.operands[l])) return true;
  }
  return false;
}

Value InOrderOfA(const ScopeMatch& m, int in_a, const Value& of_b, int64_t* without_partner) {
  const auto order = m.reordered.find(in_a);
  if (order == m.reordered.end() || !of_b.shape().IsTuple()) return of_b;
  std::vector<Value> elements;
  std::vector<Shape> shapes;
  const Shape &shape_a = m.a.nodes[in_a].instruction->shape, &shape_b = of_b.shape();
  for (size_t k = 0; k < order->second.size(); ++k) {
    if (order->second[k] < 0) *without_partner += LeafCountOf(shape_a.tuple_shapes()[k]);
  }
  for (size_t l = 0; l < shape_b.tuple_shapes().size(); ++l) {
    if (std::find(order->second.begin(), order->second.end(), static_cast<int>(l)) == order->second.end()) *without_partner += LeafCountOf(shape_b.tuple_shapes()[l]);
  }
  for (const int l : order->second) {
    elements.push_back(l < 0 ? Value::Tuple(Shape::Tuple({}), {}) : of_b.elements()[l]);  // what b has not is compared with nothing
    shapes.push_back(elements.back().shape());
  }
  return Value::Tuple(Shape::Tuple(std::move(shapes)), std::move(elements));
}

Value Held(const Frame& frame, const Instruction& i) {
  if (i.index >= frame.position && i.parameter_number < 0) return {};
  if (frame.values[i.index].has_value()) return frame.values[i.index];
  if (!TakesElement(i)) return {};
  const Value tuple = Held(frame, *i.operands[0]);
  const auto element = static_cast<size_t>(i.Int(AttrId::kIndex));
  return tuple.has_value() && element < tuple.elements().size() ? tuple.elements()[element] : Value();
}

bool Inherits(const ScopeMatch& m, int side, bool entry, uint64_t frame_key, int node, const absl::flat_hash_set<uint64_t>& diverged,
              bool any, std::vector<const Instruction*>& only) {
  const FlatComputation& flat = side == 0 ? m.a : m.b;
  const std::vector<int>& partner = side == 0 ? m.to_b : m.to_a;
  std::vector<int> todo(flat.nodes[node].operands.begin(), flat.nodes[node].operands.end());
  absl::flat_hash_set<int> seen;
  bool inherited = false;
  while (!todo.empty()) {
    const int n = todo.back();
    todo.pop_back();
    if (!seen.insert(n).second) continue;
    if (partner[n] >= 0) {
      const int in_a = side == 0 ? n : partner[n];
      inherited |= diverged.contains(PairKey(frame_key, in_a));
      // A tuple of values is not compared itself.
      const Instruction& i = *flat.nodes[n].instruction;
      const bool from_elsewhere = (i.parameter_number >= 0 && !entry) || Def(i).control != ControlKind::kNone;
      if (i.shape.IsTuple() && from_elsewhere) inherited |= any;
      if (i.shape.IsTuple() && Def(i).op_class == OpClass::kStructural)
        todo.insert(todo.end(), flat.nodes[n].operands.begin(), flat.nodes[n].operands.end());
      continue;
    }
    if (only.size() < 16) only.push_back(flat.nodes[n].instruction);
    todo.insert(todo.end(), flat.nodes[n].operands.begin(), flat.nodes[n].operands.end());
    if (seen.size() > 4096) break;
  }
  return inherited;
}

bool BranchDiverged(const ProgramMatch& match, const ScopeMatch& m, uint64_t frame_key, int in_a,
                    const absl::flat_hash_set<uint64_t>& diverged) {
  if (Def(*m.a.nodes[in_a].instruction).control != ControlKind::kConditional) return false;
  for (auto at = m.called.lower_bound({in_a, 0}); at != m.called.end() && at->first.first == in_a; ++at) {
    const uint64_t inner = InnerKey(frame_key, in_a, 0, at->first.second, FrameKind::kBranch);
    if (diverged.contains(PairKey(inner, match.scopes[at->second]->a.root))) return true;
  }
  return false;
}

std::vector<std::string> GivenOtherwise(const FlatComputation& flat, int node, const ScopeMatch* from, int giver_node) {
  while (TakesElement(*flat.nodes[node].instruction)) node = flat.nodes[node].operands[0];
  if (flat.nodes[node].instruction->parameter_number < 0 || from == nullptr) return {};
  const auto changed = from->changed.find(giver_node);
  if (changed == from->changed.end()) return {};
  std::vector<std::string> what;
  const Instruction& giver = *from->a.nodes[giver_node].instruction;
  for (const std::string& text : changed->second) what.push_back(absl::StrCat(ShownName(giver), " in ", giver.parent->name, ": ", text));
  return what;
}

}  // namespace hloscope
