// Constants, and operations that move elements about: broadcast, reshape, slice, pad, gather and their kin.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/literal/scalar.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {
namespace {

void Constant(OpContext& c) {
  const mlir::Attr* value = c.Need("value");
  if (value == nullptr || c.op.results.empty()) return;
  Value literal = value->value;
  if (!literal.has_value() && (value->kind == mlir::Attr::Kind::kInteger || value->kind == mlir::Attr::Kind::kFloat || value->kind == mlir::Attr::Kind::kBool)) {
    const ElementType type = c.WrittenElement();
    literal = Value::Allocate(Shape::Scalar(type));
    StoreScalar(IsFloat(type)     ? Scalar::Float(type, value->kind == mlir::Attr::Kind::kFloat ? value->number : static_cast<double>(value->integer))
                : IsComplex(type) ? Scalar::Complex(type, {value->number, 0})
                                  : Scalar::Int(type, value->integer),
                literal.mutable_data());
  }
  if (!literal.has_value()) {
    if (!c.op.in_error) c.Error(HLO_LABEL("stablehlo.constant-value"), "the constant's value must be dense<...> elements");
    return;
  }
  const std::optional<Shape> written = c.Written();
  if (written && written->IsArray() && !Shape::SameDimensions(*written, literal.shape()) && !written->has_dynamic_dimension()) {
    return c.Error(HLO_LABEL("stablehlo.constant-shape"), absl::StrCat("the value has the shape ", literal.shape().ToString(false), ", the result ", written->ToString(false)));
  }
  c.Set(0, c.e.Constant(std::move(literal), c.name()));
}

void Iota(OpContext& c) {
  const std::optional<Shape> shape = c.Written();
  if (!shape) return c.Error(HLO_LABEL("stablehlo.unknown-sizes"), absl::StrCat(c.op.name, " needs a result type of known sizes"));
  c.Set(0, c.e.Add(Opcode::kIota, {}, {IntAttribute(AttrId::kIotaDimension, c.Int("iota_dimension", 0))}, &*shape, c.name()));
}

void BroadcastInDim(OpContext& c) {
  Instruction* x = c.in(0);
  const std::optional<Shape> shape = c.Written();
  if (x == nullptr) return;
  if (!shape) return c.Error(HLO_LABEL("stablehlo.unknown-sizes"), absl::StrCat(c.op.name, " needs a result type of known sizes"));
  const std::optional<std::vector<int64_t>> dims = c.NeedInts("broadcast_dimensions");
  if (!dims) return;
  if (static_cast<int>(dims->size()) != x->shape.rank()) {
    return c.Error(HLO_LABEL("stablehlo.broadcast-dimensions"),
                   absl::StrCat("broadcast_dimensions must name a result dimension for each of the operand's ", x->shape.rank(), ", it has ", dims->size()));
  }
  c.Set(0, c.e.Broadcast(x, *shape, *dims));
}

// The older form: new dimensions go in front.
void BroadcastInFront(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr) return;
  const std::optional<std::vector<int64_t>> given = c.NeedInts("broadcast_sizes");
  if (!given) return;
  std::vector<int64_t> sizes = *given, dims;
  for (int i = 0; i < x->shape.rank(); ++i) dims.push_back(static_cast<int64_t>(sizes.size()) + i);
  sizes.insert(sizes.end(), x->shape.dimensions().begin(), x->shape.dimensions().end());
  c.Set(0, c.e.Broadcast(x, Shape::Array(x->shape.element_type(), sizes), dims));
}

void Reshape(OpContext& c) {
  const std::optional<Shape> shape = c.Written();
  if (!shape) return c.Error(HLO_LABEL("stablehlo.unknown-sizes"), absl::StrCat(c.op.name, " needs a result type of known sizes"));
  c.Set(0, c.e.Add(Opcode::kReshape, c.ins(), {}, &*shape, c.name()));
}

// One instruction of the same operands with the integers of an attribute that must be there.
void WithInts(OpContext& c, Opcode opcode, AttrId id, absl::string_view name) {
  if (const std::optional<std::vector<int64_t>> ints = c.NeedInts(name)) c.Simple(opcode, c.ins(), {IntsAttribute(id, *ints)});
}
void Transpose(OpContext& c) { WithInts(c, Opcode::kTranspose, AttrId::kDimensions, "permutation"); }
void Reverse(OpContext& c) { WithInts(c, Opcode::kReverse, AttrId::kDimensions, "dimensions"); }
void Concatenate(OpContext& c) {
  if (c.Need("dimension") != nullptr) c.Simple(Opcode::kConcatenate, c.ins(), {IntsAttribute(AttrId::kDimensions, {c.Int("dimension", 0)})});
}

void Slice(OpContext& c) {
  if (c.Need("start_indices") == nullptr || c.Need("limit_indices") == nullptr) return;
  const std::vector<int64_t> start = c.Ints("start_indices"), limit = c.Ints("limit_indices");
  std::vector<int64_t> strides = c.Ints("strides");
  if (c.attr("strides") == nullptr) strides.assign(start.size(), 1);
  if (start.size() != limit.size() || start.size() != strides.size()) {
    return c.Error(HLO_LABEL("stablehlo.slice-lists"), absl::StrCat("start_indices, limit_indices and strides must be of one length, they have ", start.size(), ", ", limit.size(),
                                                                    " and ", strides.size(), " entries"));
  }
  Attribute slices;
  slices.id = AttrId::kSlice;
  slices.name = Info(AttrId::kSlice).name;
  std::vector<SliceDimension> dims;
  for (size_t d = 0; d < start.size(); ++d) dims.push_back({start[d], limit[d], strides[d]});
  slices.value = std::move(dims);
  c.Simple(Opcode::kSlice, c.ins(), {slices});
}

void DynamicSlice(OpContext& c) { WithInts(c, Opcode::kDynamicSlice, AttrId::kDynamicSliceSizes, "slice_sizes"); }
void DynamicUpdateSlice(OpContext& c) { c.Simple(Opcode::kDynamicUpdateSlice, c.ins()); }

void Pad(OpContext& c) {
  if (c.Need("edge_padding_low") == nullptr || c.Need("edge_padding_high") == nullptr) return;
  const std::vector<int64_t> low = c.Ints("edge_padding_low"), high = c.Ints("edge_padding_high");
  std::vector<int64_t> interior = c.Ints("interior_padding");
  if (c.attr("interior_padding") == nullptr) interior.assign(low.size(), 0);
  if (low.size() != high.size() || low.size() != interior.size()) {
    return c.Error(HLO_LABEL("stablehlo.pad-lists"), "the lists of low, high and interior padding must be of one length");
  }
  std::vector<PaddingDimension> dims;
  for (size_t d = 0; d < low.size(); ++d) dims.push_back({low[d], high[d], interior[d]});
  c.Simple(Opcode::kPad, c.ins(), {PaddingAttribute(std::move(dims))});
}

void AddGather(OpContext& c, std::vector<int64_t> sizes) {
  const mlir::Attr* n = c.Need("dimension_numbers");
  if (n == nullptr) return;
  Attributes attributes = {IntsAttribute(AttrId::kOffsetDims, IntsField(*n, "offset_dims")),
                           IntsAttribute(AttrId::kCollapsedSliceDims, IntsField(*n, "collapsed_slice_dims")),
                           IntsAttribute(AttrId::kStartIndexMap, IntsField(*n, "start_index_map"))};
  const std::vector<int64_t> batching = IntsField(*n, "operand_batching_dims"), of_indices = IntsField(*n, "start_indices_batching_dims");
  if (!batching.empty() || !of_indices.empty()) {
    attributes.push_back(IntsAttribute(AttrId::kOperandBatchingDims, batching));
    attributes.push_back(IntsAttribute(AttrId::kStartIndicesBatchingDims, of_indices));
  }
  attributes.push_back(IntAttribute(AttrId::kIndexVectorDim, IntField(*n, "index_vector_dim", 0)));
  attributes.push_back(IntsAttribute(AttrId::kSliceSizes, std::move(sizes)));
  if (c.Bool("indices_are_sorted", false)) attributes.push_back(IntAttribute(AttrId::kIndicesAreSorted, 1));
  c.Simple(Opcode::kGather, c.ins(0, 2), std::move(attributes));
}

void Gather(OpContext& c) {
  if (const auto sizes = c.NeedInts("slice_sizes")) AddGather(c, *sizes);
}
void DynamicGather(OpContext& c) {
  const auto sizes = c.KnownInts(2, "the slice sizes");
  if (sizes) AddGather(c, *sizes);
}

// `torch_index_select`: slices of the operand along one dimension, with leading dimensions in step.
void TorchIndexSelect(OpContext& c) {
  Instruction* x = c.in(0);
  Instruction* index = c.in(1);
  if (x == nullptr || index == nullptr) return;
  const int64_t dim = c.Int("dim", 0), batch = c.Int("batch_dims", 0);
  const int rank = x->shape.rank(), index_rank = index->shape.rank();
  if (dim < 0 || dim >= rank || batch < 0 || batch > dim || batch > index_rank) return c.Error(HLO_LABEL("stablehlo.index-select"), "dim and batch_dims must be dimensions of the operand");
  std::vector<int64_t> offset, sizes, leading;
  for (int d = 0; d < rank; ++d) {
    sizes.push_back(d == dim || d < batch ? 1 : x->shape.dim(d));
    if (d < batch) leading.push_back(d);
    if (d >= batch && d < dim) offset.push_back(d);
    if (d > dim) offset.push_back(d + index_rank - batch - 1);
  }
  c.Simple(Opcode::kGather, {x, index},
           {IntsAttribute(AttrId::kOffsetDims, offset), IntsAttribute(AttrId::kCollapsedSliceDims, {dim}), IntsAttribute(AttrId::kStartIndexMap, {dim}),
            IntsAttribute(AttrId::kOperandBatchingDims, leading), IntsAttribute(AttrId::kStartIndicesBatchingDims, leading), IntAttribute(AttrId::kIndexVectorDim, index_rank),
            IntsAttribute(AttrId::kSliceSizes, sizes)});
}

void GetDimensionSize(OpContext& c) {
  Instruction* x = c.in(0);
  const int64_t d = c.Int("dimension", 0);
  if (x == nullptr) return;
  c.Simple(Opcode::kGetDimensionSize, {x}, {IntsAttribute(AttrId::kDimensions, {d})});
}
void SetDimensionSize(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr || c.in(1) == nullptr) return;
  const int64_t d = c.Int("dimension", 0);
  // A size that is known makes a dimension that is not dynamic at all where the type says so.
  const std::optional<Shape> shape = c.Written();
  const bool keep = shape && shape->IsArray() && shape->has_dynamic_dimension();
  c.Set(0, c.e.Add(Opcode::kSetDimensionSize, c.ins(), {IntsAttribute(AttrId::kDimensions, {d})}, keep ? &*shape : nullptr, c.name()));
}

void Tuple(OpContext& c) { c.Set(0, c.e.Tuple(c.ins(), c.name())); }
void GetTupleElement(OpContext& c) { c.Set(0, c.e.Element(c.in(0), c.Int("index", 0), c.name())); }

void Barrier(OpContext& c) {
  if (c.operand_count() == 1) return c.Simple(Opcode::kOptBarrier, c.ins());
  if (c.operand_count() == 0) return;
  c.SetAll(c.e.Add(Opcode::kOptBarrier, {c.e.Tuple(c.ins())}));
}

constexpr Row kRows[] = {
    {"stablehlo.constant", Constant, 0, 0},
    {"arith.constant", Constant, 0, 0},
    {"chlo.constant", Constant, 0, 0},
    {"stablehlo.iota", Iota, 0, 0},
    {"stablehlo.broadcast_in_dim", BroadcastInDim, 1, 1},
    {"stablehlo.broadcast", BroadcastInFront, 1, 1},
    {"stablehlo.reshape", Reshape, 1, 1},
    {"stablehlo.transpose", Transpose, 1, 1},
    {"stablehlo.reverse", Reverse, 1, 1},
    {"stablehlo.concatenate", Concatenate, 1, -1},
    {"stablehlo.slice", Slice, 1, 1},
    {"stablehlo.dynamic_slice", DynamicSlice, 1, -1},
    {"stablehlo.dynamic_update_slice", DynamicUpdateSlice, 2, -1},
    {"stablehlo.pad", Pad, 2, 2},
    {"stablehlo.gather", Gather, 2, 2},
    {"stablehlo.dynamic_gather", DynamicGather, 3, 3},
    {"stablehlo.torch_index_select", TorchIndexSelect, 2, 2},
    {"stablehlo.get_dimension_size", GetDimensionSize, 1, 1},
    {"stablehlo.set_dimension_size", SetDimensionSize, 2, 2},
    {"stablehlo.tuple", Tuple, 0, -1},
    {"stablehlo.get_tuple_element", GetTupleElement, 1, 1},
    {"stablehlo.optimization_barrier", Barrier, 0, -1},
};

}  // namespace

absl::Span<const Row> ShapeRows() { return kRows; }

}  // namespace hloscope::stablehlo
