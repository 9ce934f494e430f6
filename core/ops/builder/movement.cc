// The functions of operations.h that move data and change shapes.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ops/builder/constants.h"
#include "core/ops/builder/internal.h"
#include "core/ops/shape_rules.h"

namespace hloscope::hlo {
namespace {

bool IsArray(const Op& op) { return op.valid() && op.shape().IsArray(); }

}  // namespace

Op Broadcast(Op operand, Dims broadcast_sizes, Place place) {
  if (!IsArray(operand)) return Missing(Opcode::kBroadcast, {&operand, 1}, place);
  std::vector<int64_t> sizes = List(broadcast_sizes), dimensions;
  for (int64_t size : broadcast_sizes) {
    if (size < 0)
      return operand.builder()->Error(HLO_LABEL("builder.broadcast-size"), absl::StrCat("a dimension cannot have the size ", size), place);
  }
  std::vector<bool> dynamic(sizes.size());
  for (int d = 0; d < operand.shape().rank(); ++d) {
    dimensions.push_back(static_cast<int64_t>(sizes.size()));
    sizes.push_back(operand.shape().dim(d));
    dynamic.push_back(operand.shape().is_dynamic(d));
  }
  return Make(Opcode::kBroadcast, {operand}, {Ints(AttrId::kDimensions, dimensions)},
              Shape::Array(operand.shape().element_type(), sizes, std::nullopt, std::move(dynamic)), place);
}

Op BroadcastInDim(Op operand, Dims out_dim_size, Dims broadcast_dimensions, Place place) {
  if (!IsArray(operand)) return Missing(Opcode::kBroadcast, {&operand, 1}, place);
  const Shape& shape = operand.shape();
  std::vector<int64_t> kept_sizes, kept_dimensions;
  std::vector<bool> kept_dynamic, dynamic(out_dim_size.size());
  bool known = static_cast<int>(broadcast_dimensions.size()) == shape.rank();  // else the rule says what is wrong
  for (int d = 0; known && d < shape.rank(); ++d) {
    const int64_t to = broadcast_dimensions[d];
    known = to >= 0 && to < static_cast<int64_t>(out_dim_size.size());
    if (!known || (shape.dim(d) == 1 && out_dim_size[to] != 1)) continue;
    dynamic[to] = shape.is_dynamic(d);
    kept_sizes.push_back(shape.dim(d));
    kept_dynamic.push_back(shape.is_dynamic(d));
    kept_dimensions.push_back(to);
  }
  for (int64_t size : out_dim_size) {
    if (size < 0)
      return operand.builder()->Error(HLO_LABEL("builder.broadcast-size"), absl::StrCat("a dimension cannot have the size ", size), place);
  }
  const Shape result = Shape::Array(shape.element_type(), out_dim_size, std::nullopt, dynamic);
  if (!known || kept_sizes.size() == broadcast_dimensions.size()) {
    return Make(Opcode::kBroadcast, {operand}, {Ints(AttrId::kDimensions, broadcast_dimensions)}, result, place);
  }
  // A dimension of size 1 is dropped and comes back repeated.
  const Op dropped =
      Make(Opcode::kReshape, {operand}, {}, Shape::Array(shape.element_type(), kept_sizes, std::nullopt, kept_dynamic), place);
  return Make(Opcode::kBroadcast, {dropped}, {Ints(AttrId::kDimensions, kept_dimensions)}, result, place);
}

Op Reshape(Op operand, Dims dimensions, Place place) {
  if (!IsArray(operand)) return Missing(Opcode::kReshape, {&operand, 1}, place);
  for (int64_t size : dimensions) {
    if (size < 0)
      return operand.builder()->Error(HLO_LABEL("builder.reshape-size"), absl::StrCat("a dimension cannot have the size ", size), place);
  }
  return Make(Opcode::kReshape, {operand}, {}, Shape::Array(operand.shape().element_type(), dimensions), place);
}

Op Collapse(Op operand, Dims dimensions, Place place) {
  if (!IsArray(operand)) return Missing(Opcode::kReshape, {&operand, 1}, place);
  for (size_t k = 0; k < dimensions.size(); ++k) {
    if (dimensions[k] < 0 || dimensions[k] >= operand.shape().rank()) {
      return operand.builder()->Error(HLO_LABEL("collapse.range"),
                                      absl::StrCat("there is no dimension ", dimensions[k], " in ", operand.shape().ToString(false)),
                                      place);
    }
    if (k == 0 || dimensions[k] == dimensions[k - 1] + 1) continue;
    return operand.builder()->Error(HLO_LABEL("collapse.consecutive"),
                                    absl::StrCat("only dimensions that follow each other in order collapse, not ", ListText(dimensions)),
                                    place);
  }
  if (dimensions.size() <= 1) return operand;
  std::vector<int64_t> sizes;
  for (int d = 0; d < operand.shape().rank(); ++d) {
    if (d > dimensions.front() && d <= dimensions.back())
      sizes.back() *= operand.shape().dim(d);
    else
      sizes.push_back(operand.shape().dim(d));
  }
  return Reshape(operand, sizes, place);
}

Op Transpose(Op operand, Dims permutation, Place place) {
  return Make(Opcode::kTranspose, {operand}, {Ints(AttrId::kDimensions, permutation)}, std::nullopt, place);
}

Op Rev(Op operand, Dims dimensions, Place place) {
  return Make(Opcode::kReverse, {operand}, {Ints(AttrId::kDimensions, dimensions)}, std::nullopt, place);
}

Op Bitcast(Op operand, const Shape& shape, Place place) { return Make(Opcode::kBitcast, {operand}, {}, shape, place); }

Op Slice(Op operand, Dims start_indices, Dims limit_indices, Dims strides, Place place) {
  std::vector<SliceDimension> slices;
  if (start_indices.size() != limit_indices.size() || (!strides.empty() && strides.size() != start_indices.size())) {
    if (Builder* b = operand.builder())
      return b->Error(HLO_LABEL("builder.slice-lists"), "starts, limits and strides must have one length", place);
    return operand;
  }
  for (size_t d = 0; d < start_indices.size(); ++d)
    slices.push_back({start_indices[d], limit_indices[d], strides.empty() ? 1 : strides[d]});
  return Make(Opcode::kSlice, {operand}, {{AttrId::kSlice, {}, std::move(slices), {}}}, std::nullopt, place);
}

Op SliceInDim(Op operand, int64_t start_index, int64_t limit_index, int64_t stride, int64_t dimension, Place place) {
  if (!IsArray(operand)) return Missing(Opcode::kSlice, {&operand, 1}, place);
  if (dimension < 0 || dimension >= operand.shape().rank()) {
    return operand.builder()->Error(HLO_LABEL("builder.dimension"),
                                    absl::StrCat("there is no dimension ", dimension, " in ", operand.shape().ToString(false)), place);
  }
  std::vector<int64_t> starts(operand.shape().rank()), limits = List(operand.shape().dimensions()), strides(operand.shape().rank(), 1);
  starts[dimension] = start_index;
  limits[dimension] = limit_index;
  strides[dimension] = stride;
  return Slice(operand, starts, limits, strides, place);
}

namespace {

std::vector<Op> WithStarts(std::vector<Op> operands, Ops starts, Place place) {
  // One vector of all starts is taken apart.
  if (starts.size() == 1 && IsArray(starts[0]) && starts[0].shape().rank() == 1 && IsArray(operands[0])) {
    const int64_t count = starts[0].shape().dim(0);
    for (int64_t d = 0; d < count; ++d) operands.push_back(Reshape(SliceInDim(starts[0], d, d + 1, 1, 0, place), {}, place));
    return operands;
  }
  operands.insert(operands.end(), starts.begin(), starts.end());
  return operands;
}

}  // namespace

Op DynamicSlice(Op operand, Ops start_indices, Dims size_indices, Place place) {
  return Make(Opcode::kDynamicSlice, WithStarts({operand}, start_indices, place), {Ints(AttrId::kDynamicSliceSizes, size_indices)},
              std::nullopt, place);
}

Op DynamicUpdateSlice(Op operand, Op update, Ops start_indices, Place place) {
  return Make(Opcode::kDynamicUpdateSlice, WithStarts({operand, update}, start_indices, place), {}, std::nullopt, place);
}

Op ConcatInDim(Builder* builder, Ops operands, int64_t dimension, Place place) {
  return builder->Add(Opcode::kConcatenate, operands, {Ints(AttrId::kDimensions, {dimension})}, std::nullopt, place);
}

Op Concatenate(Ops operands, int64_t dimension, Place place) {
  return Make(Opcode::kConcatenate, operands, {Ints(AttrId::kDimensions, {dimension})}, std::nullopt, place);
}

Op Pad(Op operand, Op padding_value, absl::Span<const PaddingDimension> padding_config, Place place) {
  return Make(Opcode::kPad, {operand, padding_value},
              {{AttrId::kPadding, {}, std::vector<PaddingDimension>(padding_config.begin(), padding_config.end()), {}}}, std::nullopt,
              place);
}

Op PadInDim(Op operand, Op padding_value, int64_t dimension, int64_t low, int64_t high, Place place) {
  std::vector<PaddingDimension> config(operand.shape().rank());
  if (operand.valid() && (dimension < 0 || dimension >= operand.shape().rank())) {
    return operand.builder()->Error(HLO_LABEL("builder.dimension"),
                                    absl::StrCat("there is no dimension ", dimension, " in ", operand.shape().ToString(false)), place);
  }
  if (operand.valid()) config[dimension] = {low, high, 0};
  return Pad(operand, padding_value, config, place);
}

Op Iota(Builder* builder, const Shape& shape, int64_t iota_dimension, Place place) {
  return builder->Add(Opcode::kIota, {}, {Int(AttrId::kIotaDimension, iota_dimension)}, shape, place);
}

Op Iota(Builder* builder, ElementType type, int64_t size, Place place) { return Iota(builder, Shape::Array(type, {size}), 0, place); }

Op Gather(Op operand, Op start_indices, const GatherDimensionNumbers& n, Dims slice_sizes, bool indices_are_sorted, Place place) {
  std::vector<Attribute> attributes = {Ints(AttrId::kOffsetDims, n.offset_dims), Ints(AttrId::kCollapsedSliceDims, n.collapsed_slice_dims),
                                       Ints(AttrId::kStartIndexMap, n.start_index_map)};
  if (!n.operand_batching_dims.empty()) attributes.push_back(Ints(AttrId::kOperandBatchingDims, n.operand_batching_dims));
  if (!n.start_indices_batching_dims.empty()) attributes.push_back(Ints(AttrId::kStartIndicesBatchingDims, n.start_indices_batching_dims));
  attributes.push_back(Int(AttrId::kIndexVectorDim, n.index_vector_dim));
  attributes.push_back(Ints(AttrId::kSliceSizes, slice_sizes));
  if (indices_are_sorted) attributes.push_back(Flag(AttrId::kIndicesAreSorted, true));
  return Make(Opcode::kGather, {operand, start_indices}, std::move(attributes), std::nullopt, place);
}

Op Scatter(Ops operands, Op scatter_indices, Ops updates, Computation* update_computation, const ScatterDimensionNumbers& n,
           bool indices_are_sorted, bool unique_indices, Place place) {
  std::vector<Op> all(operands.begin(), operands.end());
  all.push_back(scatter_indices);
  all.insert(all.end(), updates.begin(), updates.end());
  std::vector<Attribute> attributes = {Ints(AttrId::kUpdateWindowDims, n.update_window_dims),
                                       Ints(AttrId::kInsertedWindowDims, n.inserted_window_dims),
                                       Ints(AttrId::kScatterDimsToOperandDims, n.scatter_dims_to_operand_dims)};
  if (!n.input_batching_dims.empty()) attributes.push_back(Ints(AttrId::kInputBatchingDims, n.input_batching_dims));
  if (!n.scatter_indices_batching_dims.empty())
    attributes.push_back(Ints(AttrId::kScatterIndicesBatchingDims, n.scatter_indices_batching_dims));
  attributes.push_back(Int(AttrId::kIndexVectorDim, n.index_vector_dim));
  if (indices_are_sorted) attributes.push_back(Flag(AttrId::kIndicesAreSorted, true));
  if (unique_indices) attributes.push_back(Flag(AttrId::kUniqueIndices, true));
  attributes.push_back(Callee(AttrId::kToApply, update_computation));
  return Make(Opcode::kScatter, all, std::move(attributes), std::nullopt, place);
}

Op Scatter(Op operand, Op scatter_indices, Op updates, Computation* update_computation, const ScatterDimensionNumbers& dimension_numbers,
           bool indices_are_sorted, bool unique_indices, Place place) {
  return Scatter({&operand, 1}, scatter_indices, {&updates, 1}, update_computation, dimension_numbers, indices_are_sorted, unique_indices,
                 place);
}

Op GetDimensionSize(Op operand, int64_t dimension, Place place) {
  return Make(Opcode::kGetDimensionSize, {operand}, {Ints(AttrId::kDimensions, {dimension})}, std::nullopt, place);
}

Op SetDimensionSize(Op operand, Op size, int64_t dimension, Place place) {
  return Make(Opcode::kSetDimensionSize, {operand, size}, {Ints(AttrId::kDimensions, {dimension})}, std::nullopt, place);
}

Op DynamicReshape(Op operand, Ops dim_sizes, Dims new_size_bounds, const std::vector<bool>& dims_are_dynamic, Place place) {
  std::vector<Op> all = {operand};
  all.insert(all.end(), dim_sizes.begin(), dim_sizes.end());
  if (!IsArray(operand)) return Missing(Opcode::kDynamicReshape, all, place);
  if (dims_are_dynamic.size() != new_size_bounds.size()) {
    return operand.builder()->Error(HLO_LABEL("builder.dynamic-flags"),
                                    "each dimension's bound needs a flag that says whether it is dynamic", place);
  }
  return Make(Opcode::kDynamicReshape, all, {},
              Shape::Array(operand.shape().element_type(), new_size_bounds, std::nullopt, dims_are_dynamic), place);
}

}  // namespace hloscope::hlo
