// The elementwise functions of operations.h, and the operators.
#include "core/ops/builder/broadcasting.h"
#include "core/ops/builder/constants.h"
#include "core/ops/builder/internal.h"

namespace hloscope::hlo {
namespace {

Op Binary(Opcode opcode, Op lhs, Op rhs, Dims broadcast_dimensions, Place place, std::vector<Attribute> attributes = {}) {
  const auto [l, r] = BroadcastTogether(lhs, rhs, broadcast_dimensions, place);
  return Make(opcode, {l, r}, std::move(attributes), std::nullopt, place);
}

}  // namespace

#define HLO_BINARY(name, opcode) \
  Op name(Op lhs, Op rhs, Dims broadcast_dimensions, Place place) { return Binary(Opcode::opcode, lhs, rhs, broadcast_dimensions, place); }
HLO_BINARY(Add, kAdd)
HLO_BINARY(Sub, kSubtract)
HLO_BINARY(Mul, kMultiply)
HLO_BINARY(Div, kDivide)
HLO_BINARY(Pow, kPower)
HLO_BINARY(Rem, kRemainder)
HLO_BINARY(Max, kMaximum)
HLO_BINARY(Min, kMinimum)
HLO_BINARY(And, kAnd)
HLO_BINARY(Or, kOr)
HLO_BINARY(Xor, kXor)
HLO_BINARY(ShiftLeft, kShiftLeft)
HLO_BINARY(ShiftRightArithmetic, kShiftRightArithmetic)
HLO_BINARY(ShiftRightLogical, kShiftRightLogical)
HLO_BINARY(Atan2, kAtan2)
HLO_BINARY(Complex, kComplex)
HLO_BINARY(Mulhi, kMulhi)
#undef HLO_BINARY

#define HLO_UNARY(name, opcode) \
  Op name(Op operand, Place place) { return Make(Opcode::opcode, {operand}, {}, std::nullopt, place); }
HLO_UNARY(Abs, kAbs)
HLO_UNARY(Acos, kAcos)
HLO_UNARY(Acosh, kAcosh)
HLO_UNARY(Asin, kAsin)
HLO_UNARY(Asinh, kAsinh)
HLO_UNARY(Atanh, kAtanh)
HLO_UNARY(Cbrt, kCbrt)
HLO_UNARY(Ceil, kCeil)
HLO_UNARY(Clz, kCountLeadingZeros)
HLO_UNARY(Cos, kCosine)
HLO_UNARY(Cosh, kCosh)
HLO_UNARY(Erf, kErf)
HLO_UNARY(Exp, kExponential)
HLO_UNARY(Expm1, kExponentialMinusOne)
HLO_UNARY(Floor, kFloor)
HLO_UNARY(Imag, kImag)
HLO_UNARY(IsFinite, kIsFinite)
HLO_UNARY(Log, kLog)
HLO_UNARY(Log1p, kLogPlusOne)
HLO_UNARY(Logistic, kLogistic)
HLO_UNARY(Neg, kNegate)
HLO_UNARY(Not, kNot)
HLO_UNARY(PopulationCount, kPopcnt)
HLO_UNARY(Real, kReal)
HLO_UNARY(Round, kRoundNearestAfz)
HLO_UNARY(RoundNearestEven, kRoundNearestEven)
HLO_UNARY(Rsqrt, kRsqrt)
HLO_UNARY(Sign, kSign)
HLO_UNARY(Sin, kSine)
HLO_UNARY(Sinh, kSinh)
HLO_UNARY(Sqrt, kSqrt)
HLO_UNARY(Tan, kTan)
HLO_UNARY(Tanh, kTanh)
HLO_UNARY(Copy, kCopy)
#undef HLO_UNARY

Op Compare(Op lhs, Op rhs, Direction direction, Dims broadcast_dimensions, bool total_order, Place place) {
  static constexpr absl::string_view kWords[] = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  std::vector<Attribute> attributes = {Text(AttrId::kDirection, kWords[static_cast<int>(direction)])};
  // Integers have but one order.
  if (total_order && lhs.valid() && IsFloat(lhs.shape().element_type())) attributes.push_back(Text(AttrId::kType, "TOTALORDER"));
  return Binary(Opcode::kCompare, lhs, rhs, broadcast_dimensions, place, std::move(attributes));
}

#define HLO_COMPARE(name)                                                             \
  Op name(Op lhs, Op rhs, Dims broadcast_dimensions, Place place) {                   \
    return Compare(lhs, rhs, Direction::k##name, broadcast_dimensions, false, place); \
  }                                                                                   \
  Op name##TotalOrder(Op lhs, Op rhs, Dims broadcast_dimensions, Place place) {       \
    return Compare(lhs, rhs, Direction::k##name, broadcast_dimensions, true, place);  \
  }
HLO_COMPARE(Eq)
HLO_COMPARE(Ne)
HLO_COMPARE(Ge)
HLO_COMPARE(Gt)
HLO_COMPARE(Le)
HLO_COMPARE(Lt)
#undef HLO_COMPARE

Op Clamp(Op min, Op operand, Op max, Place place) { return Make(Opcode::kClamp, {min, operand, max}, {}, std::nullopt, place); }

Op Select(Op pred, Op on_true, Op on_false, Place place) {
  // A scalar arm beside an array is repeated, as in every other elementwise operation; a scalar predicate stays one.
  if (on_true.valid() && on_false.valid() && on_true.shape().IsArray() && on_false.shape().IsArray()) {
    if (on_true.shape().rank() == 0 && on_false.shape().rank() > 0)
      on_true = Broadcast(on_true, on_false.shape().dimensions(), place);
    else if (on_false.shape().rank() == 0 && on_true.shape().rank() > 0)
      on_false = Broadcast(on_false, on_true.shape().dimensions(), place);
    else if (pred.valid() && pred.shape().rank() > 0 && on_true.shape().rank() == 0) {
      on_true = Broadcast(on_true, pred.shape().dimensions(), place);
      on_false = Broadcast(on_false, pred.shape().dimensions(), place);
    }
  }
  return Make(Opcode::kSelect, {pred, on_true, on_false}, {}, std::nullopt, place);
}

Op ConvertElementType(Op operand, ElementType new_element_type, Place place) {
  if (!operand.valid() || !operand.shape().IsArray()) return Missing(Opcode::kConvert, {&operand, 1}, place);
  return Make(Opcode::kConvert, {operand}, {}, operand.shape().WithoutLayouts().WithElementType(new_element_type), place);
}

Op BitcastConvertType(Op operand, ElementType to, Place place) {
  if (!operand.valid() || !operand.shape().IsArray()) return Missing(Opcode::kBitcastConvert, {&operand, 1}, place);
  // The rule takes the type from here and works out the dimensions.
  return operand.builder()->AddTyped(Opcode::kBitcastConvert, {&operand, 1}, {}, to, place);
}

Op ReducePrecision(Op operand, int64_t exponent_bits, int64_t mantissa_bits, Place place) {
  return Make(Opcode::kReducePrecision, {operand}, {Int(AttrId::kExponentBits, exponent_bits), Int(AttrId::kMantissaBits, mantissa_bits)},
              std::nullopt, place);
}

Op StochasticConvert(Op operand, Op random, ElementType to, Place place) {
  const Op operands[] = {operand, random};
  if (!operand.valid() || !operand.shape().IsArray()) return Missing(Opcode::kStochasticConvert, operands, place);
  return Make(Opcode::kStochasticConvert, operands, {}, operand.shape().WithoutLayouts().WithElementType(to), place);
}

// -- Operators --

namespace {

bool SignedElements(const Op& op) { return op.valid() && IsSigned(op.shape().element_type()); }

}  // namespace

Op operator+(At lhs, At rhs) { return Add(lhs.op, rhs.op, {}, rhs.place); }
Op operator-(At lhs, At rhs) { return Sub(lhs.op, rhs.op, {}, rhs.place); }
Op operator*(At lhs, At rhs) { return Mul(lhs.op, rhs.op, {}, rhs.place); }
Op operator/(At lhs, At rhs) { return Div(lhs.op, rhs.op, {}, rhs.place); }
Op operator%(At lhs, At rhs) { return Rem(lhs.op, rhs.op, {}, rhs.place); }
Op operator&(At lhs, At rhs) { return And(lhs.op, rhs.op, {}, rhs.place); }
Op operator|(At lhs, At rhs) { return Or(lhs.op, rhs.op, {}, rhs.place); }
Op operator^(At lhs, At rhs) { return Xor(lhs.op, rhs.op, {}, rhs.place); }
Op operator<<(At lhs, At rhs) { return ShiftLeft(lhs.op, rhs.op, {}, rhs.place); }
Op operator>>(At lhs, At rhs) {
  return SignedElements(lhs.op) ? ShiftRightArithmetic(lhs.op, rhs.op, {}, rhs.place) : ShiftRightLogical(lhs.op, rhs.op, {}, rhs.place);
}
Op operator-(At operand) { return Neg(operand.op, operand.place); }
Op operator~(At operand) { return Not(operand.op, operand.place); }
Op operator+(At lhs, double rhs) { return Add(lhs.op, ScalarLike(lhs.op, rhs, lhs.place), {}, lhs.place); }
Op operator-(At lhs, double rhs) { return Sub(lhs.op, ScalarLike(lhs.op, rhs, lhs.place), {}, lhs.place); }
Op operator*(At lhs, double rhs) { return Mul(lhs.op, ScalarLike(lhs.op, rhs, lhs.place), {}, lhs.place); }
Op operator/(At lhs, double rhs) { return Div(lhs.op, ScalarLike(lhs.op, rhs, lhs.place), {}, lhs.place); }
Op operator+(double lhs, At rhs) { return Add(ScalarLike(rhs.op, lhs, rhs.place), rhs.op, {}, rhs.place); }
Op operator-(double lhs, At rhs) { return Sub(ScalarLike(rhs.op, lhs, rhs.place), rhs.op, {}, rhs.place); }
Op operator*(double lhs, At rhs) { return Mul(ScalarLike(rhs.op, lhs, rhs.place), rhs.op, {}, rhs.place); }
Op operator/(double lhs, At rhs) { return Div(ScalarLike(rhs.op, lhs, rhs.place), rhs.op, {}, rhs.place); }

}  // namespace hloscope::hlo
