// Handed-on leaves are found by handing on: `evaluate` of such an instruction only passes handles, so it is asked with marked ones.
#include "core/ops/leaf_flow.h"

#include <functional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/ops/op.h"

namespace hloscope {

int LeafCountOf(const Shape& shape) {
  if (!shape.IsTuple()) return 1;
  int count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += LeafCountOf(element);
  return count;
}

int FirstLeafOf(const Shape& tuple, int element) {
  int first = 0;
  for (int e = 0; e < element; ++e) first += LeafCountOf(tuple.tuple_shapes()[e]);
  return first;
}

const Shape& LeafShape(const Shape& shape, int leaf) {
  if (!shape.IsTuple()) return shape;
  for (const Shape& element : shape.tuple_shapes()) {
    const int count = LeafCountOf(element);
    if (leaf < count) return LeafShape(element, leaf);
    leaf -= count;
  }
  return shape;
}

const Value& LeafOf(const Value& value, int leaf) {
  if (!value.shape().IsTuple()) return value;
  for (const Value& element : value.elements()) {
    const int count = LeafCountOf(element.shape());
    if (leaf < count) return LeafOf(element, leaf);
    leaf -= count;
  }
  return value;
}

std::string LeafPathText(const Shape& shape, int leaf) {
  if (!shape.IsTuple()) return "";
  for (size_t e = 0; e < shape.tuple_shapes().size(); ++e) {
    const int count = LeafCountOf(shape.tuple_shapes()[e]);
    if (leaf < count) return absl::StrCat("[", e, "]", LeafPathText(shape.tuple_shapes()[e], leaf));
    leaf -= count;
  }
  return "";
}

namespace {

// A value of the same tuple structure whose leaves are buffers of their own.
Value Marked(const Shape& shape, const LeafSource& from, int* leaf, absl::flat_hash_map<const Buffer*, LeafSource>* marks) {
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    std::vector<Shape> shapes;
    for (const Shape& element : shape.tuple_shapes()) {
      elements.push_back(Marked(element, from, leaf, marks));
      shapes.push_back(elements.back().shape());
    }
    return Value::Tuple(Shape::Tuple(std::move(shapes)), std::move(elements));
  }
  Value mark = Value::Scalar<uint8_t>(ElementType::kPred, 0);
  (*marks)[mark.buffer()] = {from.operand, (*leaf)++};
  return mark;
}

void Flatten(const Value& value, std::vector<Value>* leaves) {
  if (!value.shape().IsTuple()) {
    leaves->push_back(value);
    return;
  }
  for (const Value& element : value.elements()) Flatten(element, leaves);
}

}  // namespace

std::vector<LeafSource> SourcesOfLeaves(const Instruction& instruction) {
  const OpDef& def = Def(instruction);
  const bool hands_on = def.op_class == OpClass::kStructural && def.movement == Movement::kMove;
  const bool starts = def.control == ControlKind::kCall && def.op_class == OpClass::kOpaque;
  if ((!hands_on && !starts) || def.evaluate == nullptr) return {};
  absl::flat_hash_map<const Buffer*, LeafSource> marks;
  std::vector<Value> operands;
  for (size_t k = 0; k < instruction.operands.size(); ++k) {
    int leaf = 0;
    operands.push_back(Marked(instruction.operands[k]->shape, {static_cast<int>(k), 0}, &leaf, &marks));
  }
  EvalContext context{instruction, operands};
  Value called;
  if (starts) {
    int leaf = 0;
    called = Marked(instruction.CalledComputations()[0]->root->shape, {LeafSource::kCalled, 0}, &leaf, &marks);
    context.call = [&called](const Computation&, absl::Span<const Value>) -> absl::StatusOr<Value> { return called; };
  }
  const absl::StatusOr<Value> result = def.evaluate(context);
  if (!result.ok()) return {};
  std::vector<Value> leaves;
  Flatten(*result, &leaves);
  std::vector<LeafSource> sources(LeafCountOf(instruction.shape));
  for (size_t l = 0; l < sources.size() && l < leaves.size(); ++l) {
    const auto mark = marks.find(leaves[l].buffer());
    if (mark != marks.end()) sources[l] = mark->second;
  }
  return sources;
}

}  // namespace hloscope
