// Scatter: updates combined into an array at places that an array of indices names: the dual of gather, and a push program.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/element/scalar_eval.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

bool Contains(absl::Span<const int64_t> list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }

struct Numbers {
  absl::Span<const int64_t> window, inserted, scatter_map, input_batching, indices_batching;
  int64_t index_vector;
  explicit Numbers(const Instruction& i)
      : window(i.Ints(AttrId::kUpdateWindowDims)),
        inserted(i.Ints(AttrId::kInsertedWindowDims)),
        scatter_map(i.Ints(AttrId::kScatterDimsToOperandDims)),
        input_batching(i.Ints(AttrId::kInputBatchingDims)),
        indices_batching(i.Ints(AttrId::kScatterIndicesBatchingDims)),
        index_vector(i.Int(AttrId::kIndexVectorDim)) {}
};

bool CheckLists(ShapeContext& c, int operand_rank, int indices_rank, int update_rank) {
  return CheckInRange(c, AttrId::kUpdateWindowDims, update_rank, HLO_LABEL("scatter.window-dims-range")) &&
         CheckIncreasing(c, AttrId::kUpdateWindowDims, HLO_LABEL("scatter.window-dims-order")) &&
         CheckInRange(c, AttrId::kInsertedWindowDims, operand_rank, HLO_LABEL("scatter.inserted-range")) &&
         CheckIncreasing(c, AttrId::kInsertedWindowDims, HLO_LABEL("scatter.inserted-order")) &&
         CheckInRange(c, AttrId::kScatterDimsToOperandDims, operand_rank, HLO_LABEL("scatter.map-range")) &&
         CheckDistinct(c, AttrId::kScatterDimsToOperandDims, HLO_LABEL("scatter.map-repeated")) &&
         CheckInRange(c, AttrId::kInputBatchingDims, operand_rank, HLO_LABEL("scatter.input-batching-range")) &&
         CheckIncreasing(c, AttrId::kInputBatchingDims, HLO_LABEL("scatter.input-batching-order")) &&
         CheckInRange(c, AttrId::kScatterIndicesBatchingDims, indices_rank, HLO_LABEL("scatter.indices-batching-range")) &&
         CheckDistinct(c, AttrId::kScatterIndicesBatchingDims, HLO_LABEL("scatter.indices-batching-repeated"));
}

bool CheckBatching(ShapeContext& c, const Numbers& n, const Shape& operand, const Shape& indices) {
  if (n.input_batching.size() != n.indices_batching.size()) {
    c.FailAttribute(AttrId::kScatterIndicesBatchingDims, HLO_LABEL("scatter.batching-count"),
                    absl::StrCat("there are ", n.input_batching.size(), " input_batching_dims but ", n.indices_batching.size(), " scatter_indices_batching_dims"));
    return false;
  }
  for (size_t i = 0; i < n.input_batching.size(); ++i) {
    const int64_t d = n.input_batching[i], e = n.indices_batching[i];
    if (Contains(n.inserted, d) || Contains(n.scatter_map, d) || e == n.index_vector) {
      c.FailAttribute(AttrId::kInputBatchingDims, HLO_LABEL("scatter.batching-overlap"),
                      absl::StrCat("batching dimension ", d, " must be neither inserted nor in scatter_dims_to_operand_dims, and ", e, " not the index_vector_dim"));
      return false;
    }
    if (operand.dim(static_cast<int>(d)) != indices.dim(static_cast<int>(e))) {
      c.FailAttribute(AttrId::kInputBatchingDims, HLO_LABEL("scatter.batching-sizes"),
                      absl::StrCat("operand dimension ", d, " of size ", operand.dim(static_cast<int>(d)), " is batched with scatter_indices dimension ", e,
                                   " of size ", indices.dim(static_cast<int>(e))));
      return false;
    }
  }
  return true;
}

// The updates' window dimensions fit into the operand and the others are the array of index vectors.
bool CheckUpdates(ShapeContext& c, const Numbers& n, const Shape& operand, const Shape& indices, const Shape& update, int update_operand) {
  const int64_t batch_rank = indices.rank() - (n.index_vector < indices.rank() ? 1 : 0);
  if (update.rank() != batch_rank + static_cast<int64_t>(n.window.size())) {
    c.FailOperand(update_operand, HLO_LABEL("scatter.update-rank"),
                  absl::StrCat("updates have ", update.rank(), " dimensions but need ", batch_rank, " for the indices and ", n.window.size(), " for the window"));
    return false;
  }
  int window_dimension = 0;
  std::vector<int64_t> bounds;
  for (int d = 0; d < operand.rank(); ++d) {
    if (!Contains(n.inserted, d) && !Contains(n.input_batching, d)) bounds.push_back(operand.dim(d));
  }
  if (bounds.size() != n.window.size()) {
    c.FailAttribute(AttrId::kUpdateWindowDims, HLO_LABEL("scatter.window-dims-count"),
                    absl::StrCat("a window of the operand has ", bounds.size(), " dimensions but update_window_dims has ", n.window.size()));
    return false;
  }
  int next_batch = 0;
  for (int d = 0; d < update.rank(); ++d) {
    if (Contains(n.window, d)) {
      const int64_t bound = bounds[window_dimension++];
      if (update.dim(d) <= bound) continue;
      c.FailOperand(update_operand, HLO_LABEL("scatter.window-size"),
                    absl::StrCat("the window's dimension ", d, " of size ", update.dim(d), " exceeds the operand's ", bound));
      return false;
    }
    if (next_batch == n.index_vector) ++next_batch;
    const int64_t want = indices.dim(next_batch++);
    if (update.dim(d) == want) continue;
    c.FailOperand(update_operand, HLO_LABEL("scatter.update-sizes"),
                  absl::StrCat("dimension ", d, " of the updates has size ", update.dim(d), " where the scatter indices have ", want));
    return false;
  }
  return true;
}

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperands(c, HLO_LABEL("scatter.array"))) return std::nullopt;
  if (c.operand_count() % 2 == 0) {
    return c.Fail(HLO_LABEL("scatter.operand-count"), absl::StrCat("scatter takes N arrays, the indices and N updates, not ", c.operand_count(), " operands"));
  }
  const int count = c.operand_count() / 2;
  const Shape& operand = c.operand(0);
  const Shape& indices = c.operand(count);
  const Shape& update = c.operand(count + 1);
  const Numbers n(c.instruction());
  if (!IsInteger(indices.element_type())) {
    return c.FailOperand(count, HLO_LABEL("scatter.index-type"), absl::StrCat("the scatter indices must be integers, not ", Name(indices.element_type())));
  }
  if (n.index_vector < 0 || n.index_vector > indices.rank()) {
    return c.FailAttribute(AttrId::kIndexVectorDim, HLO_LABEL("scatter.index-vector-dim"),
                           absl::StrCat("index_vector_dim is ", n.index_vector, " but must be a dimension of the indices, or their rank ", indices.rank()));
  }
  std::vector<Shape> arguments;
  for (int i = 0; i < count; ++i) {
    if (!CheckSameDimensions(c, i, 0, HLO_LABEL("scatter.same-operands")) || !CheckSameDimensions(c, count + 1 + i, count + 1, HLO_LABEL("scatter.same-updates")) ||
        !CheckSameType(c, count + 1 + i, i, HLO_LABEL("scatter.update-type"))) {
      return std::nullopt;
    }
    arguments.push_back(Shape::Scalar(c.operand(i).element_type()));
  }
  if (!CheckLists(c, operand.rank(), indices.rank(), update.rank()) || !CheckBatching(c, n, operand, indices)) return std::nullopt;
  const int64_t components = n.index_vector == indices.rank() ? 1 : indices.dim(static_cast<int>(n.index_vector));
  if (static_cast<int64_t>(n.scatter_map.size()) != components) {
    return c.FailAttribute(AttrId::kScatterDimsToOperandDims, HLO_LABEL("scatter.map-size"),
                           absl::StrCat("scatter_dims_to_operand_dims has ", n.scatter_map.size(), " entries but an index vector has ", components));
  }
  if (!CheckUpdates(c, n, operand, indices, update, count + 1)) return std::nullopt;

  const Computation* combine = c.instruction().Called(AttrId::kToApply);
  if (combine == nullptr || combine->root == nullptr) return std::nullopt;
  const Shape result = count == 1 ? arguments[0] : Shape::Tuple(arguments);
  for (int i = 0; i < count; ++i) arguments.push_back(arguments[i]);
  if (!CheckParameters(c, AttrId::kToApply, *combine, arguments, HLO_LABEL("scatter.parameter-count"), HLO_LABEL("scatter.parameter-type")) ||
      !CheckResult(c, AttrId::kToApply, *combine, result, HLO_LABEL("scatter.computation-result"))) {
    return std::nullopt;
  }
  if (count == 1) return operand;
  std::vector<Shape> results;
  for (int i = 0; i < count; ++i) results.push_back(c.operand(i));
  return Shape::Tuple(std::move(results));
}

// Whether any order of the updates gives the same bits: indices that are promised to differ, or an exactly associative operation.
bool OrderFree(const ExprGraph& graph, const Instruction& instruction, NodeId combined, NodeId accumulator) {
  if (instruction.Bool(AttrId::kUniqueIndices)) return true;
  const Node& node = graph.node(combined);
  if (node.kind != NodeKind::kScalarOp || node.inputs.size() != 2 || IsFloat(node.type) || IsComplex(node.type)) return false;
  if (!IsReassociable(node.op)) return false;
  const bool left = node.inputs[0] == accumulator && node.inputs[1] != accumulator && graph.node(node.inputs[1]).kind == NodeKind::kLoad;
  const bool right = node.inputs[1] == accumulator && node.inputs[0] != accumulator && graph.node(node.inputs[0]).kind == NodeKind::kLoad;
  return left || right;
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  const int count = static_cast<int>(instruction.operands.size()) / 2;
  const Shape operand = instruction.operands[0]->shape, indices = instruction.operands[count]->shape, update = instruction.operands[count + 1]->shape;
  const Numbers n(instruction);
  Program program = Program::Pull(OperandShapes(instruction), operand);
  ExprGraph& graph = *program.graph;
  program.is_push = true;
  const std::vector<NodeId> here = OutputIndices(program);
  program.outputs[0].value = LoadOperand(program, 0, here);
  for (int i = 1; i < count; ++i) program.outputs.push_back({program.operands[i], LoadOperand(program, i, here)});

  // A point of the domain is an index of the updates.
  Program::Push& push = program.push;
  std::vector<NodeId> point, batch, window;
  for (int d = 0; d < update.rank(); ++d) {
    push.vars.push_back(graph.NewVar(update.dim(d)));
    point.push_back(graph.Index(push.vars.back()));
    (Contains(n.window, d) ? window : batch).push_back(point.back());
  }
  std::vector<NodeId> at = batch;
  const bool has_vector = n.index_vector < indices.rank();
  if (has_vector) at.insert(at.begin() + n.index_vector, kNoNode);
  push.target.assign(operand.rank(), graph.IndexConstant(0));
  for (size_t k = 0; k < n.scatter_map.size(); ++k) {
    if (has_vector) at[n.index_vector] = graph.IndexConstant(static_cast<int64_t>(k));
    push.target[n.scatter_map[k]] = ToIndex(graph, LoadOperand(program, count, at));
  }
  for (size_t i = 0; i < n.input_batching.size(); ++i) {
    const int64_t e = n.indices_batching[i];
    push.target[n.input_batching[i]] = batch[has_vector && e > n.index_vector ? e - 1 : e];
  }
  size_t next = 0;
  for (int d = 0; d < operand.rank(); ++d) {
    if (!Contains(n.inserted, d) && !Contains(n.input_batching, d)) push.target[d] = graph.Add(push.target[d], window[next++]);
  }
  std::vector<NodeId> inside;
  for (int64_t d : n.scatter_map) inside.push_back(graph.InRange(push.target[d], 0, operand.dim(static_cast<int>(d))));
  // A dimension that no index names and no window spans has just index 0, which an empty one does not have.
  for (int64_t d : n.inserted) {
    if (!Contains(n.scatter_map, d) && operand.dim(static_cast<int>(d)) == 0) inside.push_back(graph.Constant(Scalar::Int(ElementType::kPred, 0)));
  }
  push.in_bounds = Conjunction(graph, inside);

  push.accumulator_id = graph.NewFoldId();
  std::vector<NodeId> arguments;
  for (int i = 0; i < count; ++i) arguments.push_back(graph.Accumulator(push.accumulator_id, i, program.operands[i].element_type()));
  for (int i = 0; i < count; ++i) arguments.push_back(LoadOperand(program, count + 1 + i, point));
  absl::StatusOr<std::vector<NodeId>> combined = InlineScalarComputation(graph, *instruction.Called(AttrId::kToApply), arguments);
  if (!combined.ok()) return combined.status();
  push.combined = *std::move(combined);
  push.order_free = true;
  for (int i = 0; i < count; ++i) push.order_free = push.order_free && OrderFree(graph, instruction, push.combined[i], arguments[i]);
  return program;
}

}  // namespace

void DefineScatter(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kScatter);
  def.op_class = OpClass::kPush;
  def.min_operands = 3;
  def.max_operands = -1;
  def.attributes = {{AttrId::kToApply, true},          {AttrId::kUpdateWindowDims}, {AttrId::kInsertedWindowDims},         {AttrId::kScatterDimsToOperandDims, true},
                    {AttrId::kIndexVectorDim, true},   {AttrId::kInputBatchingDims}, {AttrId::kScatterIndicesBatchingDims}, {AttrId::kIndicesAreSorted},
                    {AttrId::kUniqueIndices}};
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "the operand, with updates combined in at places that an array of indices names";
  def.doc =
      "Each index vector (along `index_vector_dim` of the indices) is a place in the operand, component k in dimension "
      "`scatter_dims_to_operand_dims[k]`; the updates' `update_window_dims` walk a window from there, which has no extent in `inserted_window_dims`. The "
      "computation gets the element that is there and the update, and makes the new one. An update whose place lies outside is skipped. "
      "Several arrays can be updated at once: N arrays, the indices, N updates. Where several updates meet, they are combined in row-major order of the "
      "updates here; a program should not depend on it.";
  def.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
