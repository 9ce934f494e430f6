// Gather: many slices of one size, each at a place that an array of indices names.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

bool Contains(absl::Span<const int64_t> list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }

// The attributes, under short names.
struct Numbers {
  absl::Span<const int64_t> offset, collapsed, start_map, sizes, operand_batching, indices_batching;
  int64_t index_vector;
  explicit Numbers(const Instruction& i)
      : offset(i.Ints(AttrId::kOffsetDims)),
        collapsed(i.Ints(AttrId::kCollapsedSliceDims)),
        start_map(i.Ints(AttrId::kStartIndexMap)),
        sizes(i.Ints(AttrId::kSliceSizes)),
        operand_batching(i.Ints(AttrId::kOperandBatchingDims)),
        indices_batching(i.Ints(AttrId::kStartIndicesBatchingDims)),
        index_vector(i.Int(AttrId::kIndexVectorDim)) {}
};

bool CheckLists(ShapeContext& c, const Numbers& n, int operand_rank, int indices_rank) {
  return CheckIncreasing(c, AttrId::kOffsetDims, HLO_LABEL("gather.offset-dims-order")) &&
         CheckInRange(c, AttrId::kCollapsedSliceDims, operand_rank, HLO_LABEL("gather.collapsed-range")) &&
         CheckIncreasing(c, AttrId::kCollapsedSliceDims, HLO_LABEL("gather.collapsed-order")) &&
         CheckInRange(c, AttrId::kStartIndexMap, operand_rank, HLO_LABEL("gather.start-index-map-range")) &&
         CheckDistinct(c, AttrId::kStartIndexMap, HLO_LABEL("gather.start-index-map-repeated")) &&
         CheckInRange(c, AttrId::kOperandBatchingDims, operand_rank, HLO_LABEL("gather.operand-batching-range")) &&
         CheckIncreasing(c, AttrId::kOperandBatchingDims, HLO_LABEL("gather.operand-batching-order")) &&
         CheckInRange(c, AttrId::kStartIndicesBatchingDims, indices_rank, HLO_LABEL("gather.indices-batching-range")) &&
         CheckDistinct(c, AttrId::kStartIndicesBatchingDims, HLO_LABEL("gather.indices-batching-repeated")) &&
         CheckCount(c, AttrId::kSliceSizes, operand_rank, HLO_LABEL("gather.slice-size-count"));
}

bool CheckBatching(ShapeContext& c, const Numbers& n, const Shape& operand, const Shape& indices) {
  if (n.operand_batching.size() != n.indices_batching.size()) {
    c.FailAttribute(AttrId::kStartIndicesBatchingDims, HLO_LABEL("gather.batching-count"),
                    absl::StrCat("there are ", n.operand_batching.size(), " operand_batching_dims but ", n.indices_batching.size(), " start_indices_batching_dims"));
    return false;
  }
  for (size_t i = 0; i < n.operand_batching.size(); ++i) {
    const int64_t d = n.operand_batching[i], e = n.indices_batching[i];
    if (Contains(n.collapsed, d) || Contains(n.start_map, d) || e == n.index_vector) {
      c.FailAttribute(AttrId::kOperandBatchingDims, HLO_LABEL("gather.batching-overlap"),
                      absl::StrCat("batching dimension ", d, " must be neither collapsed nor in start_index_map, and ", e, " not the index_vector_dim"));
      return false;
    }
    if (operand.dim(static_cast<int>(d)) != indices.dim(static_cast<int>(e))) {
      c.FailAttribute(AttrId::kOperandBatchingDims, HLO_LABEL("gather.batching-sizes"),
                      absl::StrCat("operand dimension ", d, " of size ", operand.dim(static_cast<int>(d)), " is batched with start_indices dimension ", e,
                                   " of size ", indices.dim(static_cast<int>(e))));
      return false;
    }
  }
  return true;
}

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperands(c, HLO_LABEL("gather.array"))) return std::nullopt;
  const Shape& operand = c.operand(0);
  const Shape& indices = c.operand(1);
  const Numbers n(c.instruction());
  if (!IsInteger(indices.element_type())) {
    return c.FailOperand(1, HLO_LABEL("gather.index-type"), absl::StrCat("the start indices must be integers, not ", Name(indices.element_type())));
  }
  if (n.index_vector < 0 || n.index_vector > indices.rank()) {
    return c.FailAttribute(AttrId::kIndexVectorDim, HLO_LABEL("gather.index-vector-dim"),
                           absl::StrCat("index_vector_dim is ", n.index_vector, " but must be a dimension of the start indices, or their rank ", indices.rank()));
  }
  if (!CheckLists(c, n, operand.rank(), indices.rank()) || !CheckBatching(c, n, operand, indices)) return std::nullopt;
  const int64_t components = n.index_vector == indices.rank() ? 1 : indices.dim(static_cast<int>(n.index_vector));
  if (static_cast<int64_t>(n.start_map.size()) != components) {
    return c.FailAttribute(AttrId::kStartIndexMap, HLO_LABEL("gather.start-index-map-size"),
                           absl::StrCat("start_index_map has ", n.start_map.size(), " entries but an index vector has ", components));
  }
  std::vector<int64_t> window;
  std::vector<bool> window_dynamic;  // a slice of a whole dynamic dimension
  for (int d = 0; d < operand.rank(); ++d) {
    if (n.sizes[d] < 0 || n.sizes[d] > operand.dim(d)) {
      return c.FailAttribute(AttrId::kSliceSizes, HLO_LABEL("gather.slice-sizes"),
                             absl::StrCat("a slice of size ", n.sizes[d], " does not fit into dimension ", d, " of size ", operand.dim(d)));
    }
    if (!Contains(n.collapsed, d) && !Contains(n.operand_batching, d)) {
      window.push_back(n.sizes[d]);
      window_dynamic.push_back(operand.is_dynamic(d) && n.sizes[d] == operand.dim(d));
    } else if (n.sizes[d] > 1) {
      return c.FailAttribute(AttrId::kSliceSizes, HLO_LABEL("gather.collapsed-size"),
                             absl::StrCat("dimension ", d, " is left out of the result, so its slice size must be 1, not ", n.sizes[d]));
    }
  }
  if (window.size() != n.offset.size()) {
    return c.FailAttribute(AttrId::kOffsetDims, HLO_LABEL("gather.offset-dims-count"),
                           absl::StrCat("a slice keeps ", window.size(), " dimensions but offset_dims has ", n.offset.size()));
  }
  const int64_t batch_rank = indices.rank() - (n.index_vector < indices.rank() ? 1 : 0);
  const int64_t rank = batch_rank + static_cast<int64_t>(n.offset.size());
  if (!CheckInRange(c, AttrId::kOffsetDims, rank, HLO_LABEL("gather.offset-dims-range"))) return std::nullopt;
  std::vector<int64_t> sizes;
  std::vector<bool> dynamic;
  int next_window = 0, next_batch = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (Contains(n.offset, d)) {
      sizes.push_back(window[next_window]);
      dynamic.push_back(window_dynamic[next_window++]);
    } else {
      if (next_batch == n.index_vector) ++next_batch;
      sizes.push_back(indices.dim(next_batch));
      dynamic.push_back(indices.is_dynamic(next_batch++));
    }
  }
  if (!operand.has_dynamic_dimension() && !indices.has_dynamic_dimension()) dynamic.clear();
  return Shape::Array(operand.element_type(), sizes, std::nullopt, std::move(dynamic));
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  ExprGraph& graph = *program.graph;
  const Shape operand = program.operands[0], indices = program.operands[1];
  const Numbers n(instruction);
  // The output's dimensions are those of the slice (offset_dims) and those of the array of index vectors.
  std::vector<NodeId> offsets, batch;
  for (int d = 0; d < program.rank(); ++d) (Contains(n.offset, d) ? offsets : batch).push_back(graph.Index(d));
  std::vector<NodeId> at = batch;  // where in start_indices; the component is set below
  const bool has_vector = n.index_vector < indices.rank();
  if (has_vector) at.insert(at.begin() + n.index_vector, kNoNode);

  std::vector<NodeId> place(operand.rank(), graph.IndexConstant(0));
  for (size_t k = 0; k < n.start_map.size(); ++k) {
    const int d = static_cast<int>(n.start_map[k]);
    const int64_t room = operand.dim(d) - n.sizes[d];
    if (room == 0) continue;
    if (has_vector) at[n.index_vector] = graph.IndexConstant(static_cast<int64_t>(k));
    place[d] = graph.Clamp(ToIndex(graph, LoadOperand(program, 1, at)), 0, room);
  }
  for (size_t i = 0; i < n.operand_batching.size(); ++i) {
    const int64_t e = n.indices_batching[i];
    place[n.operand_batching[i]] = batch[has_vector && e > n.index_vector ? e - 1 : e];
  }
  size_t next = 0;
  for (int d = 0; d < operand.rank(); ++d) {
    if (Contains(n.collapsed, d) || Contains(n.operand_batching, d)) continue;
    place[d] = graph.Add(place[d], offsets[next++]);
  }
  program.outputs[0].value = LoadOperand(program, 0, place);
  return program;
}

}  // namespace

void DefineGather(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kGather);
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 2;
  def.attributes = {{AttrId::kOffsetDims, true},    {AttrId::kCollapsedSliceDims}, {AttrId::kStartIndexMap, true},      {AttrId::kIndexVectorDim, true},
                    {AttrId::kSliceSizes, true},    {AttrId::kOperandBatchingDims}, {AttrId::kStartIndicesBatchingDims}, {AttrId::kIndicesAreSorted},
                    {AttrId::kUniqueIndices}};
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "slices of the operand, at places that an array of indices names";
  def.doc =
      "Along `index_vector_dim` the second operand holds index vectors; component k is a start in operand dimension `start_index_map[k]`. From there a "
      "slice of `slice_sizes` is taken; a start from which it would not fit is moved so that it just does. The slice's dimensions, without "
      "`collapsed_slice_dims`, become `offset_dims` of the result; the other dimensions of the result walk over the index vectors. "
      "`operand_batching_dims` go along with `start_indices_batching_dims`: such a dimension has the same index on both sides.";
  def.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
