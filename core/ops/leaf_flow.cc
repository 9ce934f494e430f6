// Handed-on leaves are found by handing on: `evaluate` of such an instruction only passes handles, so it is asked with marked ones.
#include "core/ops/leaf_flow.h"

#include <functional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/ops/collectives.h"
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

namespace {

OpaqueReach Whole(const Shape& operand) {
  OpaqueReach reach;
  reach.same.assign(operand.IsArray() ? operand.rank() : 0, OpaqueReach::kWhole);
  return reach;
}

// Every dimension shares its index but the last `whole` ones.
OpaqueReach AllButLast(const Shape& operand, int whole) {
  OpaqueReach reach = Whole(operand);
  for (int d = 0; d < operand.rank() - whole; ++d) reach.same[d] = d;
  return reach;
}

OpaqueReach Same(const Shape& operand) { return AllButLast(operand, 0); }

// One reduction or normalisation for each feature.
OpaqueReach OfFeature(const Instruction& i, const Shape& operand, const Shape& output) {
  const int feature = static_cast<int>(i.Int(AttrId::kFeatureIndex));
  const int of_output = output.rank() == 1 && i.operands[0]->shape.rank() != 1 ? 0 : feature;
  OpaqueReach reach = Whole(operand);
  const int of_operand = operand.rank() == 1 && i.operands[0]->shape.rank() != 1 ? 0 : feature;
  if (of_operand < operand.rank()) reach.same[of_operand] = of_output;
  return reach;
}

OpaqueReach OfTriangularSolve(const Instruction& i, const Shape& operand, int k) {
  if (k == 0) return AllButLast(operand, 2);
  OpaqueReach reach = Same(operand);
  const bool left = i.Bool(AttrId::kLeftSide);
  const int whole = operand.rank() - (left ? 2 : 1);
  if (whole >= 0) reach.same[whole] = OpaqueReach::kWhole;
  return reach;
}

}  // namespace

std::optional<OpaqueReach> ReachOfOpaque(const Instruction& i, int leaf, int k, int operand_leaf) {
  const OpDef& def = Def(i);
  const Shape& operand = LeafShape(i.operands[k]->shape, operand_leaf);
  const Shape& output = LeafShape(i.shape, leaf);
  if (!operand.IsArray() || def.movement == Movement::kCreate) {
    // A generator's state and a distribution's limits are read all the same.
    if (!operand.IsArray()) return std::nullopt;
    return Whole(operand);
  }
  switch (i.opcode) {
    case Opcode::kSort: {
      const auto dims = i.Ints(AttrId::kDimensions);
      const int64_t along = dims.empty() ? operand.rank() - 1 : dims[0];
      OpaqueReach reach = Same(operand);
      if (along >= 0 && along < operand.rank()) reach.same[along] = OpaqueReach::kWhole;
      reach.moves = k == leaf;
      reach.decides = k != leaf;
      return reach;
    }
    case Opcode::kTopk: {
      OpaqueReach reach = AllButLast(operand, 1);
      reach.moves = leaf == 0;
      return reach;
    }
    case Opcode::kFft: return AllButLast(operand, std::min<int>(operand.rank(), static_cast<int>(i.Ints(AttrId::kFftLength).size())));
    case Opcode::kCholesky: return AllButLast(operand, std::min(2, operand.rank()));
    case Opcode::kTriangularSolve: return OfTriangularSolve(i, operand, k);
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormGrad: return OfFeature(i, operand, output);
    case Opcode::kSetDimensionSize: {
      if (k > 0) {
        OpaqueReach reach = Whole(operand);
        reach.decides = true;
        return reach;
      }
      OpaqueReach reach = Same(operand);
      reach.moves = true;
      return reach;
    }
    case Opcode::kDynamicReshape: {
      OpaqueReach reach = Whole(operand);
      reach.linear = reach.moves = k == 0;
      reach.decides = k > 0;
      return reach;
    }
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllGather:
    case Opcode::kReduceScatter:
    case Opcode::kCollectiveBroadcast:
      if (ParticipantCount(i) == 1 && Shape::SameDimensions(operand, output)) {
        if (LeafCountOf(i.shape) > 1 && k != leaf) return std::nullopt;
        OpaqueReach reach = Same(operand);
        reach.moves = true;
        return reach;
      }
      return Whole(operand);
    default: return Whole(operand);
  }
}

}  // namespace hloscope
