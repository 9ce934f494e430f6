#include "core/ops/hazards.h"

#include <algorithm>
#include <limits>

#include "core/ops/op.h"
#include "core/shape/layout.h"

namespace hloscope {
namespace {

std::vector<int64_t> Copy(absl::Span<const int64_t> list) { return std::vector<int64_t>(list.begin(), list.end()); }
bool Contains(absl::Span<const int64_t> list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }

IndexedAccess DynamicStarts(const Instruction& instruction, int first, absl::Span<const int64_t> window) {
  IndexedAccess a;
  a.indices = first;
  a.scalars = instruction.operands.size() > static_cast<size_t>(first) && instruction.operands[first]->shape.rank() == 0;
  a.clamps = true;
  a.window = Copy(window);
  for (size_t d = 0; d < window.size(); ++d) a.map.push_back(static_cast<int64_t>(d));
  return a;
}

IndexedAccess Gather(const Instruction& i) {
  IndexedAccess a;
  a.indices = 1;
  a.clamps = true;
  a.index_vector = i.Int(AttrId::kIndexVectorDim);
  a.map = Copy(i.Ints(AttrId::kStartIndexMap));
  a.window = Copy(i.Ints(AttrId::kSliceSizes));
  a.batch = Copy(i.Ints(AttrId::kOperandBatchingDims));
  a.indices_batch = Copy(i.Ints(AttrId::kStartIndicesBatchingDims));
  return a;
}

IndexedAccess Scatter(const Instruction& i) {
  IndexedAccess a;
  const int count = static_cast<int>(i.operands.size()) / 2;
  a.indices = count;
  a.index_vector = i.Int(AttrId::kIndexVectorDim);
  a.map = Copy(i.Ints(AttrId::kScatterDimsToOperandDims));
  a.batch = Copy(i.Ints(AttrId::kInputBatchingDims));
  a.indices_batch = Copy(i.Ints(AttrId::kScatterIndicesBatchingDims));
  const Shape& updates = i.operands[count + 1]->shape;
  size_t next = 0;
  for (int d = 0; d < i.operands[0]->shape.rank(); ++d) {
    const bool spans = !Contains(i.Ints(AttrId::kInsertedWindowDims), d) && !Contains(a.batch, d);
    a.window.push_back(spans ? updates.dim(static_cast<int>(i.Ints(AttrId::kUpdateWindowDims)[next++])) : 1);
  }
  return a;
}

int64_t ToSigned(const Scalar& s) {
  if (IsUnsigned(s.type) && s.u() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::numeric_limits<int64_t>::max();
  return s.i;
}

}  // namespace

std::optional<IndexedAccess> IndexedAccessOf(const Instruction& instruction) {
  std::optional<IndexedAccess> a;
  switch (instruction.opcode) {
    case Opcode::kDynamicSlice: a = DynamicStarts(instruction, 1, instruction.shape.dimensions()); break;
    case Opcode::kDynamicUpdateSlice: a = DynamicStarts(instruction, 2, instruction.operands[1]->shape.dimensions()); break;
    case Opcode::kGather: a = Gather(instruction); break;
    case Opcode::kScatter: a = Scatter(instruction); break;
    default: return std::nullopt;
  }
  a->sorted = instruction.Bool(AttrId::kIndicesAreSorted);
  a->unique = instruction.Bool(AttrId::kUniqueIndices);
  return a;
}

void ForEachIndexVector(const Instruction& instruction, const IndexedAccess& access, absl::Span<const Value> operands,
                        const std::function<bool(const IndexVector&)>& each) {
  const Shape& array = instruction.operands[access.array]->shape;
  const auto component = [&](size_t k, int operand, int64_t linear) {
    const Value& from = operands[operand];
    const ElementType type = from.shape().element_type();
    IndexComponent c;
    c.operand = operand;
    c.linear = linear;
    c.dimension = static_cast<int>(access.map[k]);
    c.value = ToSigned(LoadScalar(type, from.data() + linear * StorageBytes(type)));
    c.last = array.dim(c.dimension) - access.window[c.dimension];
    return c;
  };
  if (access.scalars || operands[access.indices].shape().rank() == 0 || access.index_vector < 0) {
    IndexVector v;
    v.place.assign(array.rank(), 0);
    for (size_t k = 0; k < access.map.size(); ++k) {
      v.components.push_back(component(k, access.indices + static_cast<int>(k), 0));
      v.place[access.map[k]] = v.components.back().value;
    }
    each(v);
    return;
  }
  const Shape& indices = operands[access.indices].shape();
  const int rank = indices.rank();
  const bool has_vector = access.index_vector < rank;
  const std::vector<int64_t> strides = RowMajorStrides(indices.dimensions());
  std::vector<int64_t> dims;
  int64_t count = 1;
  for (int d = 0; d < rank; ++d) {
    dims.push_back(d == access.index_vector ? 1 : indices.dim(d));
    count *= dims.back();
  }
  std::vector<int64_t> at(rank);
  for (int64_t n = 0; n < count; ++n) {
    DelinearizeIndex(dims, n, absl::MakeSpan(at));
    int64_t base = 0;
    for (int d = 0; d < rank; ++d) base += at[d] * strides[d];
    IndexVector v;
    v.place.assign(array.rank(), 0);
    for (size_t b = 0; b < access.batch.size(); ++b) v.place[access.batch[b]] = at[access.indices_batch[b]];
    for (size_t k = 0; k < access.map.size(); ++k) {
      v.components.push_back(component(k, access.indices, base + (has_vector ? static_cast<int64_t>(k) * strides[access.index_vector] : 0)));
      v.place[access.map[k]] = v.components.back().value;
    }
    if (!each(v)) return;
  }
}

int64_t LastStart(const Instruction& instruction, const IndexedAccess& access, int dimension) {
  return instruction.operands[access.array]->shape.dim(dimension) - access.window[dimension];
}

std::optional<IndexComponent> IndexComponentAt(const Instruction& instruction, int operand, int64_t linear, const Scalar& value) {
  const std::optional<IndexedAccess> access = IndexedAccessOf(instruction);
  if (!access.has_value() || operand < access->indices) return std::nullopt;
  size_t k = 0;
  const Shape& indices = instruction.operands[operand]->shape;
  if (access->scalars) {
    k = static_cast<size_t>(operand - access->indices);
  } else {
    if (operand != access->indices) return std::nullopt;
    if (access->index_vector >= 0 && access->index_vector < indices.rank()) {
      k = static_cast<size_t>(linear / RowMajorStrides(indices.dimensions())[access->index_vector] % indices.dim(static_cast<int>(access->index_vector)));
    }
  }
  if (k >= access->map.size()) return std::nullopt;
  IndexComponent c;
  c.operand = operand;
  c.linear = linear;
  c.dimension = static_cast<int>(access->map[k]);
  c.value = ToSigned(value);
  c.last = LastStart(instruction, *access, c.dimension);
  return c;
}

bool MayLeaveUnread(const Instruction& instruction, int k) {
  if (const std::optional<IndexedAccess> access = IndexedAccessOf(instruction)) {
    if (k == access->array) return true;
  }
  if (const Window* window = instruction.GetWindow()) {
    for (const WindowDimension& d : *window) {
      if (d.stride > 1 || d.window_dilation > 1 || d.padding_low < 0 || d.padding_high < 0) return true;
    }
  }
  for (const PaddingDimension& d : instruction.GetPadding()) {
    if (d.low < 0 || d.high < 0) return true;
  }
  if (Def(instruction).movement != Movement::kMove) return false;
  const Shape& operand = instruction.operands[k]->shape;
  return !instruction.shape.IsArray() || !operand.IsArray() || instruction.shape.ElementCount() < operand.ElementCount();
}

}  // namespace hloscope
