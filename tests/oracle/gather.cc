// gather and scatter of the oracle, by the formal rules: the index vector is read, spread over the operand's dimensions, and the window
// walked. Batching dimensions take part as one more index that equals the batch index.
#include <algorithm>

#include "tests/oracle/arrays.h"

namespace hloscope::oracle {
namespace {

// The start of one window in the operand: `batch` indexes the index array without its index vector's dimension. False: not known.
struct Rule {
  absl::Span<const int64_t> index_map;         // start_index_map, scatter_dims_to_operand_dims
  absl::Span<const int64_t> operand_batching;  // operand_batching_dims, input_batching_dims
  absl::Span<const int64_t> index_batching;    // start_indices_batching_dims, scatter_indices_batching_dims
  int64_t vector_dim;
};

// An index beyond the range of int64 (an unsigned one) is taken as INT64_MAX.
bool ReadStart(const Rule& rule, const Array& indices, int rank, const Index& batch, Index& start) {
  start.assign(rank, 0);
  for (size_t k = 0; k < rule.index_map.size(); ++k) {
    Index at = batch;
    if (rule.vector_dim < indices.shape.rank()) at.insert(at.begin() + rule.vector_dim, static_cast<int64_t>(k));
    const Number& x = indices.at(at);
    if (x.unknown()) return false;
    start[rule.index_map[k]] = !IsSigned(indices.type()) && x.i < 0 ? INT64_MAX : x.i;
  }
  for (size_t k = 0; k < rule.operand_batching.size(); ++k) {
    // The batch index leaves out the index vector's dimension.
    int64_t d = rule.index_batching[k];
    if (d > rule.vector_dim) --d;
    start[rule.operand_batching[k]] = batch[d];
  }
  return true;
}

// Splits an index of the result (updates) into its window part and its batch part.
void Split(const Index& index, absl::Span<const int64_t> window_dims, Index& window, Index& batch) {
  window.clear();
  batch.clear();
  for (size_t d = 0; d < index.size(); ++d) (Contains(window_dims, static_cast<int64_t>(d)) ? window : batch).push_back(index[d]);
}

// Window indices go to the operand's dimensions that are neither collapsed (inserted) nor batching, in order.
Index Offsets(const Index& window, int rank, absl::Span<const int64_t> collapsed, absl::Span<const int64_t> batching) {
  Index offsets(rank, 0);
  size_t next = 0;
  for (int d = 0; d < rank; ++d) {
    if (!Contains(collapsed, d) && !Contains(batching, d)) offsets[d] = window[next++];
  }
  return offsets;
}

Array Gather(const Instruction& instruction, const Array& operand, const Array& indices) {
  Array out(instruction.shape);
  const Rule rule = {instruction.Ints(AttrId::kStartIndexMap), instruction.Ints(AttrId::kOperandBatchingDims),
                     instruction.Ints(AttrId::kStartIndicesBatchingDims), instruction.Int(AttrId::kIndexVectorDim)};
  const auto sizes = instruction.Ints(AttrId::kSliceSizes);
  const int rank = operand.shape.rank();
  Index window, batch, start;
  ForEach(out.shape.dimensions(), [&](const Index& o) {
    Split(o, instruction.Ints(AttrId::kOffsetDims), window, batch);
    if (!ReadStart(rule, indices, rank, batch, start)) {
      out.at(o) = Unknown();
      return;
    }
    Index from = Offsets(window, rank, instruction.Ints(AttrId::kCollapsedSliceDims), rule.operand_batching);
    for (int d = 0; d < rank; ++d) from[d] += std::max<int64_t>(0, std::min(start[d], operand.shape.dim(d) - sizes[d]));
    out.at(o) = operand.at(from);
  });
  return out;
}

absl::StatusOr<Array> Scatter(const Instruction& instruction, Operands operands, Caller& caller) {
  const size_t n = (operands.size() - 1) / 2;
  const Array& indices = *operands[n];
  std::vector<Array> out;
  for (size_t k = 0; k < n; ++k) out.push_back(*operands[k]);
  const Rule rule = {instruction.Ints(AttrId::kScatterDimsToOperandDims), instruction.Ints(AttrId::kInputBatchingDims),
                     instruction.Ints(AttrId::kScatterIndicesBatchingDims), instruction.Int(AttrId::kIndexVectorDim)};
  const int rank = out[0].shape.rank();
  const Computation& combine = *instruction.Called(AttrId::kToApply);
  absl::Status status;
  bool lost = false;
  Index window, batch, start;
  ForEach(operands[n + 1]->shape.dimensions(), [&](const Index& u) {
    if (!status.ok() || lost) return;
    Split(u, instruction.Ints(AttrId::kUpdateWindowDims), window, batch);
    if (!ReadStart(rule, indices, rank, batch, start)) {
      lost = true;
      return;
    }
    Index to = Offsets(window, rank, instruction.Ints(AttrId::kInsertedWindowDims), rule.operand_batching);
    for (int d = 0; d < rank; ++d) {
      if (start[d] < -to[d] || start[d] >= out[0].shape.dim(d) - to[d]) return;  // out of bounds: skipped
      to[d] += start[d];
    }
    std::vector<Array> arguments;
    for (size_t k = 0; k < n; ++k) arguments.push_back(ScalarArray(out[k].type(), out[k].at(to)));
    for (size_t k = 0; k < n; ++k) arguments.push_back(ScalarArray(operands[n + 1 + k]->type(), operands[n + 1 + k]->at(u)));
    absl::StatusOr<Array> combined = caller.Call(combine, std::move(arguments));
    if (!combined.ok()) {
      status = combined.status();
      return;
    }
    for (size_t k = 0; k < n; ++k) out[k].at(to) = combined->shape.IsTuple() ? combined->parts[k].elements[0] : combined->elements[0];
  });
  if (!status.ok()) return status;
  for (Array& a : out) {
    if (lost) SetUnknown(a);
  }
  if (!instruction.shape.IsTuple()) {
    out[0].shape = instruction.shape;
    return out[0];
  }
  return MakeTuple(instruction.shape, std::move(out));
}

}  // namespace

absl::StatusOr<Array> GatherOrScatter(const Instruction& instruction, Operands operands, Caller& caller) {
  if (instruction.opcode == Opcode::kGather) return Gather(instruction, *operands[0], *operands[1]);
  return Scatter(instruction, operands, caller);
}

}  // namespace hloscope::oracle
