// See programs.h.
#include "core/ops/programs.h"

namespace hloscope {

std::vector<Shape> OperandShapes(const Instruction& instruction) {
  std::vector<Shape> shapes;
  shapes.reserve(instruction.operands.size());
  for (const Instruction* operand : instruction.operands) shapes.push_back(operand->shape);
  return shapes;
}

Program PullProgram(const Instruction& instruction) { return Program::Pull(OperandShapes(instruction), instruction.shape); }

std::vector<NodeId> OutputIndices(const Program& program) {
  std::vector<NodeId> indices(program.rank());
  for (int d = 0; d < program.rank(); ++d) indices[d] = program.graph->Index(d);
  return indices;
}

NodeId LoadOperand(Program& program, int operand, absl::Span<const NodeId> indices) {
  return program.graph->Load(operand, program.operands[operand].element_type(), indices);
}

NodeId Linearize(ExprGraph& graph, absl::Span<const int64_t> dimensions, absl::Span<const NodeId> indices) {
  NodeId linear = graph.IndexConstant(0);
  int64_t stride = 1;
  for (int d = static_cast<int>(dimensions.size()) - 1; d >= 0; --d) {
    if (dimensions[d] == 1) continue;  // its index is 0
    linear = graph.Add(linear, graph.Mul(indices[d], graph.IndexConstant(stride)));
    stride *= dimensions[d];
  }
  return linear;
}

std::vector<NodeId> Delinearize(ExprGraph& graph, absl::Span<const int64_t> dimensions, NodeId linear) {
  std::vector<NodeId> indices(dimensions.size(), graph.IndexConstant(0));
  int first = 0;  // the outermost dimension larger than 1 needs no mod
  while (first < static_cast<int>(dimensions.size()) && dimensions[first] == 1) ++first;
  int64_t stride = 1;
  for (int d = static_cast<int>(dimensions.size()) - 1; d >= first; --d) {
    if (dimensions[d] == 1) continue;
    NodeId index = stride == 1 ? linear : graph.FloorDiv(linear, stride);
    if (d != first) index = graph.Mod(index, dimensions[d]);
    indices[d] = index;
    stride *= dimensions[d];
  }
  return indices;
}

std::vector<NodeId> ReshapeIndices(ExprGraph& graph, absl::Span<const int64_t> from, absl::Span<const int64_t> to, absl::Span<const NodeId> indices) {
  std::vector<NodeId> result(to.size(), graph.IndexConstant(0));
  for (int64_t size : to) {
    if (size == 0) return result;  // there is no element to find
  }
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    const size_t i0 = i, j0 = j;
    int64_t have = from[i++], want = to[j++];
    while (have != want) {
      if (have < want) {
        have *= from[i++];
      } else {
        want *= to[j++];
      }
    }
    if (have == 1) continue;  // both sides are degenerate: index 0
    const NodeId linear = Linearize(graph, from.subspan(i0, i - i0), indices.subspan(i0, i - i0));
    const std::vector<NodeId> group = Delinearize(graph, to.subspan(j0, j - j0), linear);
    std::copy(group.begin(), group.end(), result.begin() + j0);
  }
  return result;
}

NodeId ToIndex(ExprGraph& graph, NodeId integer) {
  if (graph.node(integer).type == ElementType::kU64) {
    integer = graph.Binary(ScalarOp::kMinimum, integer, graph.Constant(Scalar::Int(ElementType::kU64, INT64_MAX)));
  }
  return graph.Convert(ElementType::kS64, integer);
}

NodeId Conjunction(ExprGraph& graph, absl::Span<const NodeId> conditions) {
  NodeId all = kNoNode;
  for (NodeId condition : conditions) all = all == kNoNode ? condition : graph.And(all, condition);
  return all;
}

}  // namespace hloscope
