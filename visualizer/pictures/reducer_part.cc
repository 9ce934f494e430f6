#include "visualizer/pictures/reducer_part.h"

#include <algorithm>

#include "core/element/scalar_eval.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

const Instruction& ThroughCopies(const Instruction& instruction) {
  const Instruction* i = &instruction;
  while (i->opcode == Opcode::kCopy && i->operands.size() == 1) i = i->operands[0];
  return *i;
}

// The instruction that is one operation on two parameters; null: there is more to it.
const Instruction* OperationOf(const Computation& reducer, size_t part) {
  const Instruction& root = *reducer.root;
  if (root.shape.IsTuple() && (part >= root.operands.size() || root.operands[part] == nullptr)) return nullptr;
  const Instruction& made = ThroughCopies(root.shape.IsTuple() ? *root.operands[part] : root);
  const auto parameter = [](const Instruction* operand) { return ThroughCopies(*operand).parameter_number >= 0; };
  return made.operands.size() == 2 && parameter(made.operands[0]) && parameter(made.operands[1]) ? &made : nullptr;
}

}  // namespace

std::vector<ReducerPart> PartsOfReducer(const Computation& reducer) {
  const size_t n = reducer.parameters.size() / 2;
  if (n == 0 || reducer.root == nullptr) return {};
  ExprGraph graph;
  const int32_t fold = graph.NewFoldId();
  std::vector<NodeId> arguments;
  for (size_t k = 0; k < reducer.parameters.size(); ++k) {
    if (!reducer.parameters[k]->shape.IsScalar()) return {};
    arguments.push_back(graph.Accumulator(fold, static_cast<int>(k), reducer.parameters[k]->shape.element_type()));
  }
  const absl::StatusOr<std::vector<NodeId>> roots = InlineScalarComputation(graph, reducer, arguments);
  if (!roots.ok()) return {};
  std::vector<ReducerPart> parts(roots->size());
  for (size_t k = 0; k < std::min(n, parts.size()); ++k) {
    const NodeId root = (*roots)[k], left = arguments[k], right = arguments[n + k];
    const Node& node = graph.node(root);
    if (root == left || root == right) {
      parts[k].kind = root == left ? ReducerPart::kLeft : ReducerPart::kRight;
      continue;
    }
    const bool in_order = node.inputs.size() == 2 && node.inputs[0] == left && node.inputs[1] == right;
    const bool turned = node.inputs.size() == 2 && node.inputs[0] == right && node.inputs[1] == left && IsReassociable(node.op);
    const Instruction* made = OperationOf(reducer, k);
    if (node.kind == NodeKind::kScalarOp && (in_order || turned) && made != nullptr)
      parts[k] = {ReducerPart::kOperation, node.op, made->opcode};
  }
  return parts;
}

}  // namespace hloscope
