// Elementwise operations: a row each, most of them one HLO opcode.
#include "absl/strings/str_cat.h"
#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {
namespace {

template <Opcode opcode>
void Plain(OpContext& c) {
  c.Simple(opcode, c.ins());
}

void Compare(OpContext& c) {
  const mlir::Attr* direction = c.Need("comparison_direction");
  if (direction == nullptr) return;
  Attributes attributes = {c.Text(AttrId::kDirection, WordOf(*direction))};
  const std::string type = c.Word("compare_type");
  if (type == "TOTALORDER") attributes.push_back(c.Text(AttrId::kType, "TOTALORDER"));
  c.Simple(Opcode::kCompare, c.ins(), std::move(attributes));
}

void Convert(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr) return;
  const Shape shape = c.WrittenOrLike(x->shape);
  c.Set(0, c.e.Add(Opcode::kConvert, {x}, {}, &shape, c.name()));
}

void BitcastConvert(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr) return;
  Shape shape = c.WrittenOrLike(x->shape);
  if (!c.Written()) {
    const int from = BitWidth(x->shape.element_type()), to = BitWidth(shape.element_type());
    std::vector<int64_t> dims(x->shape.dimensions().begin(), x->shape.dimensions().end());
    if (from > to && to > 0) dims.push_back(from / to);
    if (from < to && !dims.empty()) dims.pop_back();
    shape = Shape::Array(shape.element_type(), dims);
  }
  c.Set(0, c.e.Add(Opcode::kBitcastConvert, {x}, {}, &shape, c.name()));
}

void ReducePrecision(OpContext& c) {
  c.Simple(Opcode::kReducePrecision, c.ins(),
           {IntAttribute(AttrId::kExponentBits, c.Int("exponent_bits", 0)), IntAttribute(AttrId::kMantissaBits, c.Int("mantissa_bits", 0))});
}

void StochasticConvert(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr) return;
  const Shape shape = c.WrittenOrLike(x->shape);
  c.Set(0, c.e.Add(Opcode::kStochasticConvert, c.ins(), {}, &shape, c.name()));
}

// Bounds given as scalars are allowed on both sides.
void Clamp(OpContext& c) { c.Simple(Opcode::kClamp, c.ins()); }

void Select(OpContext& c) {
  Instruction* p = c.in(0);
  Instruction* a = c.in(1);
  if (p == nullptr || a == nullptr) return;
  c.Simple(Opcode::kSelect, c.ins());
}

// Of a real operand these are the operand itself, and zeros.
void Real(OpContext& c) { c.Simple(Opcode::kReal, c.ins()); }
void Imag(OpContext& c) { c.Simple(Opcode::kImag, c.ins()); }

constexpr Row kRows[] = {
    {"stablehlo.abs", Plain<Opcode::kAbs>, 1, 1},
    {"stablehlo.add", Plain<Opcode::kAdd>, 2, 2},
    {"stablehlo.and", Plain<Opcode::kAnd>, 2, 2},
    {"stablehlo.atan2", Plain<Opcode::kAtan2>, 2, 2},
    {"stablehlo.bitcast_convert", BitcastConvert, 1, 1},
    {"stablehlo.cbrt", Plain<Opcode::kCbrt>, 1, 1},
    {"stablehlo.ceil", Plain<Opcode::kCeil>, 1, 1},
    {"stablehlo.clamp", Clamp, 3, 3},
    {"stablehlo.compare", Compare, 2, 2},
    {"stablehlo.complex", Plain<Opcode::kComplex>, 2, 2},
    {"stablehlo.convert", Convert, 1, 1},
    {"stablehlo.cosine", Plain<Opcode::kCosine>, 1, 1},
    {"stablehlo.count_leading_zeros", Plain<Opcode::kCountLeadingZeros>, 1, 1},
    {"stablehlo.divide", Plain<Opcode::kDivide>, 2, 2},
    {"stablehlo.exponential", Plain<Opcode::kExponential>, 1, 1},
    {"stablehlo.exponential_minus_one", Plain<Opcode::kExponentialMinusOne>, 1, 1},
    {"stablehlo.floor", Plain<Opcode::kFloor>, 1, 1},
    {"stablehlo.imag", Imag, 1, 1},
    {"stablehlo.is_finite", Plain<Opcode::kIsFinite>, 1, 1},
    {"stablehlo.log", Plain<Opcode::kLog>, 1, 1},
    {"stablehlo.log_plus_one", Plain<Opcode::kLogPlusOne>, 1, 1},
    {"stablehlo.logistic", Plain<Opcode::kLogistic>, 1, 1},
    {"stablehlo.maximum", Plain<Opcode::kMaximum>, 2, 2},
    {"stablehlo.minimum", Plain<Opcode::kMinimum>, 2, 2},
    {"stablehlo.multiply", Plain<Opcode::kMultiply>, 2, 2},
    {"stablehlo.negate", Plain<Opcode::kNegate>, 1, 1},
    {"stablehlo.not", Plain<Opcode::kNot>, 1, 1},
    {"stablehlo.or", Plain<Opcode::kOr>, 2, 2},
    {"stablehlo.popcnt", Plain<Opcode::kPopcnt>, 1, 1},
    {"stablehlo.power", Plain<Opcode::kPower>, 2, 2},
    {"stablehlo.real", Real, 1, 1},
    {"stablehlo.reduce_precision", ReducePrecision, 1, 1},
    {"stablehlo.remainder", Plain<Opcode::kRemainder>, 2, 2},
    {"stablehlo.round_nearest_afz", Plain<Opcode::kRoundNearestAfz>, 1, 1},
    {"stablehlo.round_nearest_even", Plain<Opcode::kRoundNearestEven>, 1, 1},
    {"stablehlo.rsqrt", Plain<Opcode::kRsqrt>, 1, 1},
    {"stablehlo.select", Select, 3, 3},
    {"stablehlo.shift_left", Plain<Opcode::kShiftLeft>, 2, 2},
    {"stablehlo.shift_right_arithmetic", Plain<Opcode::kShiftRightArithmetic>, 2, 2},
    {"stablehlo.shift_right_logical", Plain<Opcode::kShiftRightLogical>, 2, 2},
    {"stablehlo.sign", Plain<Opcode::kSign>, 1, 1},
    {"stablehlo.sine", Plain<Opcode::kSine>, 1, 1},
    {"stablehlo.sqrt", Plain<Opcode::kSqrt>, 1, 1},
    {"stablehlo.stochastic_convert", StochasticConvert, 2, 2},
    {"stablehlo.subtract", Plain<Opcode::kSubtract>, 2, 2},
    {"stablehlo.tan", Plain<Opcode::kTan>, 1, 1},
    {"stablehlo.tanh", Plain<Opcode::kTanh>, 1, 1},
    {"stablehlo.xor", Plain<Opcode::kXor>, 2, 2},
};

}  // namespace

absl::Span<const Row> ElementwiseRows() { return kRows; }

}  // namespace hloscope::stablehlo
