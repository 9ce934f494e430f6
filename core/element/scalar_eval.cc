// The arithmetic of single elements: integers, floats, complex numbers, and the edges that the specification names.
#include "core/element/scalar_eval.h"

#include <bit>
#include <cmath>
#include <complex>
#include <limits>

#include "core/element/functions.h"
#include "core/element/interpret.h"

namespace hloscope {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

uint64_t Mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
// Width in the sense of bit operations: a pred is one bit of information.
int LogicalBits(ElementType t) { return IsPred(t) ? 1 : BitWidth(t); }

template <typename T>
bool Compare(ScalarOp op, T a, T b) {
  switch (op) {
    case ScalarOp::kEq:
    case ScalarOp::kEqTotal: return a == b;
    case ScalarOp::kNe:
    case ScalarOp::kNeTotal: return a != b;
    case ScalarOp::kLt:
    case ScalarOp::kLtTotal: return a < b;
    case ScalarOp::kLe:
    case ScalarOp::kLeTotal: return a <= b;
    case ScalarOp::kGt:
    case ScalarOp::kGtTotal: return a > b;
    default: return a >= b;
  }
}

bool EvalComparison(ScalarOp op, const Scalar& a, const Scalar& b) {
  if (IsComplex(a.type)) {
    const bool equal = a.re == b.re && a.im == b.im;
    return op == ScalarOp::kNe || op == ScalarOp::kNeTotal ? !equal : equal;
  }
  if (IsFloat(a.type)) {
    if (op >= ScalarOp::kEqTotal) return Compare(op, CompareTotal(a.re, b.re), 0);
    return Compare(op, a.re, b.re);
  }
  if (IsUnsigned(a.type)) return Compare(op, a.u(), b.u());
  return Compare(op, a.i, b.i);
}

int64_t FloorDivide(int64_t a, int64_t b) {
  if (b == 0) return -1;
  if (b == -1) return static_cast<int64_t>(-static_cast<uint64_t>(a));
  const int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

int64_t IntegerPower(int64_t base, int64_t exponent, bool is_unsigned) {
  if (!is_unsigned && exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent & 1 ? -1 : 1;
    return 0;
  }
  uint64_t result = 1, b = static_cast<uint64_t>(base), e = static_cast<uint64_t>(exponent);
  for (; e != 0; e >>= 1, b *= b) {
    if (e & 1) result *= b;
  }
  return static_cast<int64_t>(result);
}

int64_t IntegerDivide(const Scalar& a, const Scalar& b) {
  if (b.i == 0) return -1;
  if (IsUnsigned(a.type)) return static_cast<int64_t>(a.u() / b.u());
  return b.i == -1 ? static_cast<int64_t>(-a.u()) : a.i / b.i;
}

int64_t IntegerRemainder(const Scalar& a, const Scalar& b) {
  if (b.i == 0) return a.i;
  if (IsUnsigned(a.type)) return static_cast<int64_t>(a.u() % b.u());
  return b.i == -1 ? 0 : a.i % b.i;
}

int64_t MultiplyHigh(const Scalar& a, const Scalar& b) {
  const int bits = BitWidth(a.type);
  if (IsUnsigned(a.type)) return static_cast<int64_t>((static_cast<unsigned __int128>(a.u()) * b.u()) >> bits);
  return static_cast<int64_t>((static_cast<__int128>(a.i) * b.i) >> bits);
}

int64_t EvalIntegerBinary(ScalarOp op, const Scalar& a, const Scalar& b) {
  const int bits = LogicalBits(a.type);
  const bool is_unsigned = !IsSigned(a.type);
  const uint64_t amount = b.u() & Mask(bits);
  switch (op) {
    case ScalarOp::kAdd: return static_cast<int64_t>(a.u() + b.u());
    case ScalarOp::kSubtract: return static_cast<int64_t>(a.u() - b.u());
    case ScalarOp::kMultiply: return static_cast<int64_t>(a.u() * b.u());
    case ScalarOp::kDivide: return IntegerDivide(a, b);
    case ScalarOp::kRemainder: return IntegerRemainder(a, b);
    case ScalarOp::kPower: return IntegerPower(a.i, b.i, is_unsigned);
    case ScalarOp::kMaximum: return is_unsigned ? static_cast<int64_t>(std::max(a.u(), b.u())) : std::max(a.i, b.i);
    case ScalarOp::kMinimum: return is_unsigned ? static_cast<int64_t>(std::min(a.u(), b.u())) : std::min(a.i, b.i);
    case ScalarOp::kAnd: return a.i & b.i;
    case ScalarOp::kOr: return a.i | b.i;
    case ScalarOp::kXor: return a.i ^ b.i;
    case ScalarOp::kShiftLeft: return amount >= static_cast<uint64_t>(bits) ? 0 : static_cast<int64_t>(a.u() << amount);
    case ScalarOp::kShiftRightLogical:
      return amount >= static_cast<uint64_t>(bits) ? 0 : static_cast<int64_t>((a.u() & Mask(bits)) >> amount);
    case ScalarOp::kShiftRightArithmetic: {
      const int64_t extended = static_cast<int64_t>(a.u() << (64 - bits)) >> (64 - bits);
      return extended >> (amount >= static_cast<uint64_t>(bits) ? bits - 1 : amount);
    }
    case ScalarOp::kMulhi: return MultiplyHigh(a, b);
    case ScalarOp::kFloorDiv: return FloorDivide(a.i, b.i);
    case ScalarOp::kMod: return b.i == 0 ? a.i : a.i - FloorDivide(a.i, b.i) * b.i;
    default: return 0;
  }
}

int64_t EvalIntegerUnary(ScalarOp op, const Scalar& a) {
  const int bits = LogicalBits(a.type);
  switch (op) {
    case ScalarOp::kAbs: return IsSigned(a.type) && a.i < 0 ? static_cast<int64_t>(-a.u()) : a.i;
    case ScalarOp::kNegate: return static_cast<int64_t>(-a.u());
    case ScalarOp::kNot: return IsPred(a.type) ? a.i == 0 : ~a.i;
    case ScalarOp::kSign: return a.i == 0 ? 0 : IsSigned(a.type) && a.i < 0 ? -1 : 1;
    case ScalarOp::kPopulationCount: return std::popcount(a.u() & Mask(bits));
    case ScalarOp::kCountLeadingZeros: return std::countl_zero(a.u() & Mask(bits)) - (64 - bits);
    case ScalarOp::kImag: return 0;
    default: return a.i;  // the rounding functions and real are the identity on integers
  }
}

template <typename T>
T Maximum(T a, T b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <typename T>
T Minimum(T a, T b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double FloatExact(ScalarOp op, double a, double b, bool* handled) {
  *handled = true;
  switch (op) {
    case ScalarOp::kAdd: return a + b;
    case ScalarOp::kSubtract: return a - b;
    case ScalarOp::kMultiply: return a * b;
    case ScalarOp::kDivide: return a / b;
    case ScalarOp::kRemainder: return std::fmod(a, b);
    case ScalarOp::kMaximum: return Maximum(a, b);
    case ScalarOp::kMinimum: return Minimum(a, b);
    case ScalarOp::kAbs: return std::fabs(a);
    case ScalarOp::kNegate: return -a;
    case ScalarOp::kSign: return std::isnan(a) || a == 0 ? a : a < 0 ? -1.0 : 1.0;
    case ScalarOp::kCeil: return std::ceil(a);
    case ScalarOp::kFloor: return std::floor(a);
    case ScalarOp::kRoundNearestAfz: return std::round(a);
    case ScalarOp::kRoundNearestEven: return std::nearbyint(a);
    case ScalarOp::kSqrt: return std::sqrt(a);
    case ScalarOp::kReal: return a;
    case ScalarOp::kImag: return 0;
    default: *handled = false; return kNaN;
  }
}

double EvalFloat(ScalarOp op, ElementType type, double a, double b) {
  bool handled;
  const double exact = FloatExact(op, a, b, &handled);
  if (handled) return exact;
  if (op == ScalarOp::kRsqrt) return type == ElementType::kF64 ? 1 / std::sqrt(a) : 1 / std::sqrt(static_cast<float>(a));
  if (Arity(op) == 2) {
    const BinaryFunction f = RealBinaryFunction(op);
    return f == nullptr ? kNaN : f(a, b);
  }
  const UnaryFunction f = RealUnaryFunction(op);
  return f == nullptr ? kNaN : f(a);
}

template <typename Part>
std::complex<double> ComplexArithmetic(ScalarOp op, const Scalar& x, const Scalar& y) {
  const Part a = static_cast<Part>(x.re), b = static_cast<Part>(x.im), c = static_cast<Part>(y.re), d = static_cast<Part>(y.im);
  switch (op) {
    case ScalarOp::kAdd: return {a + c, b + d};
    case ScalarOp::kSubtract: return {a - c, b - d};
    case ScalarOp::kMultiply: {
      const Part ac = a * c, bd = b * d, ad = a * d, bc = b * c;
      return {ac - bd, ad + bc};
    }
    default: return {-a, -b};
  }
}

std::complex<double> EvalComplex(ScalarOp op, ElementType type, const Scalar& a, const Scalar& b) {
  const bool narrow = type == ElementType::kC64;
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kSubtract:
    case ScalarOp::kMultiply:
    case ScalarOp::kNegate: return narrow ? ComplexArithmetic<float>(op, a, b) : ComplexArithmetic<double>(op, a, b);
    default: return ComplexFunction(op, narrow, a.c(), b.c());
  }
}

// Works on the bits: mantissa first (a carry may raise the exponent), then overflow to infinity and underflow to zero. In a type without
// infinity what is too large then becomes what the type makes of an infinity.
double ReducePrecision(ElementType type, double v, int64_t aux) {
  if (std::isnan(v) || std::isinf(v)) return v;
  const int exponent_bits = static_cast<int>(aux >> 8), mantissa_bits = static_cast<int>(aux & 0xff);
  const FloatFields f = FieldsOf(type);
  const uint64_t beyond = uint64_t{1} << (f.exponent_bits + f.mantissa_bits);  // the sign, where there is one
  uint64_t bits = EncodeFloat(type, std::fabs(v));
  if (mantissa_bits < f.mantissa_bits) {
    const int drop = f.mantissa_bits - mantissa_bits;
    bits += (uint64_t{1} << (drop - 1)) - 1 + ((bits >> drop) & 1);
    bits &= ~((uint64_t{1} << drop) - 1);
  }
  const int64_t exponent = static_cast<int64_t>(bits >> f.mantissa_bits);
  if (exponent_bits < f.exponent_bits) {
    const int64_t reduced_bias = (int64_t{1} << (exponent_bits - 1)) - 1;
    if (exponent > f.bias + reduced_bias) return std::copysign(std::numeric_limits<double>::infinity(), v);
    if (exponent <= f.bias - reduced_bias) return std::copysign(0.0, v);
  }
  if (bits < beyond && DecodeFloat(type, bits) < std::numeric_limits<double>::infinity()) return std::copysign(DecodeFloat(type, bits), v);
  return std::copysign(std::numeric_limits<double>::infinity(), v);  // the carry left the finite numbers
}

uint64_t BitsOf(const Scalar& s) {
  if (IsFloat(s.type)) return EncodeFloat(s.type, s.re);
  if (s.type == ElementType::kC64) return EncodeFloat(ElementType::kF32, s.re) | EncodeFloat(ElementType::kF32, s.im) << 32;
  return s.u() & Mask(BitWidth(s.type));
}

Scalar FromBits(ElementType type, uint64_t bits) {
  Scalar r;
  r.type = type;
  if (IsFloat(type)) {
    r.re = DecodeFloat(type, bits & Mask(BitWidth(type)));
  } else if (type == ElementType::kC64) {
    r.re = DecodeFloat(ElementType::kF32, bits & 0xffffffff);
    r.im = DecodeFloat(ElementType::kF32, bits >> 32);
  } else {
    r = Scalar::Int(type, static_cast<int64_t>(bits));
  }
  return r;
}

}  // namespace

int CompareTotal(double a, double b) {
  const auto key = [](double v) {
    const int64_t bits = std::bit_cast<int64_t>(v);
    return bits < 0 ? static_cast<int64_t>(uint64_t{1} << 63) - bits - 1 : bits;
  };
  // All NaNs of one sign are one value.
  const auto canonical = [](double v) { return std::isnan(v) ? std::copysign(kNaN, v) : v; };
  const int64_t x = key(canonical(a)), y = key(canonical(b));
  return x < y ? -1 : x > y ? 1 : 0;
}

ElementType ResultType(ScalarOp op, ElementType input) {
  if (IsComparison(op) || op == ScalarOp::kIsFinite) return ElementType::kPred;
  if (op == ScalarOp::kComplex) return input == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
  if (op == ScalarOp::kReal || op == ScalarOp::kImag || op == ScalarOp::kAbs) return RealTypeOf(input);
  return input;
}

Scalar EvalScalarOp(ScalarOp op, ElementType type, int64_t aux, absl::Span<const Scalar> in) {
  const Scalar& a = in[0];
  const Scalar& b = in.size() > 1 ? in[1] : in[0];
  if (IsComparison(op)) return Scalar::Int(ElementType::kPred, EvalComparison(op, a, b));
  switch (op) {
    case ScalarOp::kConvert: return ConvertScalar(a, type);
    case ScalarOp::kBitcast: return a.type == ElementType::kC128 ? a : FromBits(type, BitsOf(a));
    case ScalarOp::kReducePrecision: return Scalar::Float(type, ReducePrecision(type, a.re, aux));
    case ScalarOp::kIsFinite: return Scalar::Int(ElementType::kPred, a.IsFinite());
    case ScalarOp::kComplex: return Scalar::Complex(type, {a.re, b.re});
    default: break;
  }
  if (IsComplex(a.type)) {
    if (op == ScalarOp::kReal) return Scalar::Float(type, a.re);
    if (op == ScalarOp::kImag) return Scalar::Float(type, a.im);
    if (op == ScalarOp::kAbs) return Scalar::Float(type, ComplexAbs(type == ElementType::kF32, a.c()));
    return Scalar::Complex(type, EvalComplex(op, type, a, b));
  }
  if (IsFloat(a.type)) return Scalar::Float(type, EvalFloat(op, type, a.re, b.re));
  return Scalar::Int(type, in.size() > 1 ? EvalIntegerBinary(op, a, b) : EvalIntegerUnary(op, a));
}

double FunctionUlp(ScalarOp op, ElementType type) {
  if (!IsFloat(type) || type == ElementType::kF64) return 0;
  switch (op) {
    // Vector code of the native backend, within 2 ULP of f32; the interpreter is nearer. Narrower types are rounded from f32, so that the
    // two may fall on both sides of a middle.
    case ScalarOp::kExp:
    case ScalarOp::kExpm1:
    case ScalarOp::kLog:
    case ScalarOp::kLog1p:
    case ScalarOp::kLogistic:
    case ScalarOp::kTanh:
    case ScalarOp::kErf:
    case ScalarOp::kSin:
    case ScalarOp::kCos: return type == ElementType::kF32 ? 3 : 1;
    // Everything else is one and the same function in both (functions.h) or correctly rounded.
    default: return 0;
  }
}

}  // namespace hloscope
