// Operations whose sizes are operands: they become the static ones, with the sizes that constants decide.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {
namespace {

Attribute SliceAttribute(std::vector<SliceDimension> dims) {
  Attribute a;
  a.id = AttrId::kSlice;
  a.name = Info(AttrId::kSlice).name;
  a.value = std::move(dims);
  return a;
}

bool Negative(const std::vector<int64_t>& sizes) {
  return std::any_of(sizes.begin(), sizes.end(), [](int64_t n) { return n < 0; });
}

// The result's shape: the type where it is static, else the sizes in an operand.
std::optional<Shape> ShapeFrom(OpContext& c, int operand) {
  if (const std::optional<Shape> written = c.Written()) {
    const auto known = c.TryKnownInts(operand);
    if (!known.has_value() || absl::MakeConstSpan(*known) == absl::Span<const int64_t>(written->dimensions())) return written;
    c.Error(HLO_LABEL("stablehlo.shape-differs"), absl::StrCat("the result is written as ", written->ToString(false), ", and its shape is computed as [", absl::StrJoin(*known, ","), "]"),
            "write the type with ? where the size is computed, or the size that it is");
    return std::nullopt;
  }
  const auto sizes = c.KnownInts(operand, "the result's shape");
  if (!sizes) return std::nullopt;
  if (Negative(*sizes)) {
    c.Error(HLO_LABEL("stablehlo.negative-size"), "a size of the result is negative");
    return std::nullopt;
  }
  return Shape::Array(c.WrittenElement(), *sizes);
}

void DynamicIota(OpContext& c) {
  if (const auto shape = ShapeFrom(c, 0)) {
    c.Set(0, c.e.Add(Opcode::kIota, {}, {IntAttribute(AttrId::kIotaDimension, c.Int("iota_dimension", 0))}, &*shape, c.name()));
  }
}

void DynamicReshape(OpContext& c) {
  const auto shape = ShapeFrom(c, 1);
  if (shape) c.Set(0, c.e.Add(Opcode::kReshape, {c.in(0)}, {}, &*shape, c.name()));
}

void DynamicBroadcastInDim(OpContext& c) {
  const auto shape = ShapeFrom(c, 1);
  Instruction* x = c.in(0);
  if (!shape || x == nullptr) return;
  const std::optional<std::vector<int64_t>> dims = c.NeedInts("broadcast_dimensions");
  if (!dims) return;
  if (static_cast<int>(dims->size()) != x->shape.rank()) {
    return c.Error(HLO_LABEL("stablehlo.broadcast-dimensions"),
                   absl::StrCat("broadcast_dimensions must name a result dimension for each of the operand's ", x->shape.rank(), ", it has ", dims->size()));
  }
  c.Set(0, c.e.Broadcast(x, *shape, *dims));
}

void DynamicPad(OpContext& c) {
  const auto low = c.KnownInts(2, "the low padding"), high = c.KnownInts(3, "the high padding"), interior = c.KnownInts(4, "the interior padding");
  if (!low || !high || !interior) return;
  if (low->size() != high->size() || low->size() != interior->size()) {
    return c.Error(HLO_LABEL("stablehlo.pad-lists"), "the lists of low, high and interior padding must be of one length");
  }
  std::vector<PaddingDimension> dims;
  for (size_t d = 0; d < low->size(); ++d) dims.push_back({(*low)[d], (*high)[d], (*interior)[d]});
  c.Simple(Opcode::kPad, {c.in(0), c.in(1)}, {PaddingAttribute(std::move(dims))});
}

void RealDynamicSlice(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr) return;
  const auto start = c.TryKnownInts(1), limit = c.TryKnownInts(2), strides = c.TryKnownInts(3);
  const std::optional<Shape> written = c.Written();
  if (start && limit && strides && start->size() == limit->size() && start->size() == strides->size()) {
    std::vector<SliceDimension> dims;
    for (size_t d = 0; d < start->size(); ++d) dims.push_back({(*start)[d], (*limit)[d], (*strides)[d]});
    return c.Simple(Opcode::kSlice, {x}, {SliceAttribute(std::move(dims))});
  }
  // A window of known size that moves.
  if (written && strides && std::all_of(strides->begin(), strides->end(), [](int64_t s) { return s == 1; }) && c.in(1) != nullptr) {
    Operands operands = {x};
    for (int d = 0; d < x->shape.rank(); ++d) {
      Instruction* one = c.e.Add(Opcode::kSlice, {c.in(1)}, {SliceAttribute({{d, d + 1, 1}})});
      operands.push_back(c.e.Reshape(one, {}));
    }
    return c.Simple(Opcode::kDynamicSlice, operands,
                    {IntsAttribute(AttrId::kDynamicSliceSizes, std::vector<int64_t>(written->dimensions().begin(), written->dimensions().end()))});
  }
  for (int k = 1; k < 4; ++k) {
    if (!c.KnownInts(k, k == 1 ? "the start" : k == 2 ? "the limit" : "the strides")) return;
  }
  c.Error(HLO_LABEL("stablehlo.slice-lists"), "start, limit and strides must be of one length");
}

// Casts of a type, and notes for a partitioner, change nothing.
void Cast(OpContext& c) {
  if (c.result_count() > 0) c.Set(0, c.in(0));
}

// -- Sizes as other dialects compute them: `index` is s64 --

void ShapeOf(OpContext& c) {
  if (c.in(0) == nullptr) return;
  const Shape& x = c.in(0)->shape;
  Value sizes = Value::Allocate(Shape::Array(ElementType::kS64, {x.rank()}));
  std::copy(x.dimensions().begin(), x.dimensions().end(), sizes.mutable_as<int64_t>());
  c.Set(0, c.e.Constant(std::move(sizes), c.name()));
}

void DimensionOf(OpContext& c) {
  const auto which = c.KnownInts(1, "the dimension's number");
  if (!which || c.in(0) == nullptr) return;
  if (which->size() != 1 || (*which)[0] < 0 || (*which)[0] >= c.in(0)->shape.rank()) return c.Error(HLO_LABEL("stablehlo.dimension-number"), "there is no such dimension");
  c.Set(0, c.e.ScalarInt(ElementType::kS64, c.in(0)->shape.dim(static_cast<int>((*which)[0]))));
}

void FromElements(OpContext& c) {
  Operands parts;
  for (Instruction* x : c.ins()) parts.push_back(c.e.Reshape(x, {1}));
  if (parts.empty() || std::find(parts.begin(), parts.end(), nullptr) != parts.end()) return;
  Instruction* all = parts.size() == 1 ? parts[0] : c.e.Add(Opcode::kConcatenate, parts, {IntsAttribute(AttrId::kDimensions, {0})});
  const std::optional<Shape> shape = c.Written();
  c.Set(0, shape ? c.e.Reshape(all, std::vector<int64_t>(shape->dimensions().begin(), shape->dimensions().end())) : all);
}

void Extract(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr) return;
  Operands operands = c.ins();
  const std::vector<int64_t> ones(x->shape.rank(), 1);
  c.Set(0, c.e.Reshape(x->shape.rank() == 0 ? x : c.e.Add(Opcode::kDynamicSlice, operands, {IntsAttribute(AttrId::kDynamicSliceSizes, ones)}), {}));
}

void IndexCast(OpContext& c) { c.Set(0, c.e.Convert(c.in(0), c.WrittenElement())); }

template <Opcode opcode>
void Arithmetic(OpContext& c) {
  c.Set(0, c.e.Add(opcode, c.ins(), {}, nullptr, c.name()));
}

constexpr Row kRows[] = {
    {"stablehlo.dynamic_iota", DynamicIota, 1, 1},
    {"stablehlo.dynamic_reshape", DynamicReshape, 2, 2},
    {"stablehlo.dynamic_broadcast_in_dim", DynamicBroadcastInDim, 2, 4},
    {"stablehlo.dynamic_pad", DynamicPad, 5, 5},
    {"stablehlo.real_dynamic_slice", RealDynamicSlice, 4, 4},
    {"tensor.cast", Cast, 1, 1},
    {"builtin.unrealized_conversion_cast", Cast, 1, 1},
    {"sdy.sharding_constraint", Cast, 1, 1},
    {"sdy.reshard", Cast, 1, 1},
    {"sdy.propagation_barrier", Cast, 1, 1},
    {"sdy.sharding_group", Cast, 1, 1},
    {"shape.shape_of", ShapeOf, 1, 1},
    {"tensor.dim", DimensionOf, 2, 2},
    {"tensor.from_elements", FromElements, 1, -1},
    {"tensor.extract", Extract, 1, -1},
    {"arith.index_cast", IndexCast, 1, 1},
    {"arith.addi", Arithmetic<Opcode::kAdd>, 2, 2},
    {"arith.subi", Arithmetic<Opcode::kSubtract>, 2, 2},
    {"arith.muli", Arithmetic<Opcode::kMultiply>, 2, 2},
    {"arith.maxsi", Arithmetic<Opcode::kMaximum>, 2, 2},
    {"arith.minsi", Arithmetic<Opcode::kMinimum>, 2, 2},
};

}  // namespace

absl::Span<const Row> DynamicRows() { return kRows; }

}  // namespace hloscope::stablehlo
