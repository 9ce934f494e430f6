// Operations whose sizes are operands: they become the static ones, with the sizes that constants decide.
#include <algorithm>

#include "absl/strings/str_cat.h"
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
  if (const std::optional<Shape> written = c.Written()) return written;
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
  const std::vector<int64_t> dims = c.Ints("broadcast_dimensions");
  if (static_cast<int>(dims.size()) != x->shape.rank()) {
    return c.Error(HLO_LABEL("stablehlo.broadcast-dimensions"),
                   absl::StrCat("broadcast_dimensions must name a result dimension for each of the operand's ", x->shape.rank(), ", it has ", dims.size()));
  }
  c.Set(0, c.e.Broadcast(x, *shape, dims));
}

void DynamicPad(OpContext& c) {
  const auto low = c.KnownInts(2, "the low padding"), high = c.KnownInts(3, "the high padding"), interior = c.KnownInts(4, "the interior padding");
  if (!low || !high || !interior) return;
  if (low->size() != high->size() || low->size() != interior->size()) {
    return c.Error(HLO_LABEL("stablehlo.pad-lists"), "the lists of low, high and interior padding must be of one length");
  }
  Attribute padding;
  padding.id = AttrId::kPadding;
  padding.name = Info(AttrId::kPadding).name;
  std::vector<PaddingDimension> dims;
  for (size_t d = 0; d < low->size(); ++d) dims.push_back({(*low)[d], (*high)[d], (*interior)[d]});
  padding.value = std::move(dims);
  c.Simple(Opcode::kPad, {c.in(0), c.in(1)}, {padding});
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

// The opposite of a size computed: `tensor.dim` and the shape dialect stay unknown; casts of a type change nothing.
void Cast(OpContext& c) { c.Set(0, c.in(0)); }

constexpr Row kRows[] = {
    {"stablehlo.dynamic_iota", DynamicIota, 1, 1},
    {"stablehlo.dynamic_reshape", DynamicReshape, 2, 2},
    {"stablehlo.dynamic_broadcast_in_dim", DynamicBroadcastInDim, 2, 4},
    {"stablehlo.dynamic_pad", DynamicPad, 5, 5},
    {"stablehlo.real_dynamic_slice", RealDynamicSlice, 4, 4},
    {"tensor.cast", Cast, 1, 1},
    {"builtin.unrealized_conversion_cast", Cast, 1, 1},
};

}  // namespace

absl::Span<const Row> DynamicRows() { return kRows; }

}  // namespace hloscope::stablehlo
