#include "core/element/scalar_hazards.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

using Wide = __int128;

Wide ToWide(const Scalar& s) { return IsUnsigned(s.type) || IsPred(s.type) ? static_cast<Wide>(s.u()) : static_cast<Wide>(s.i); }

bool IsInt(ElementType type) { return IsInteger(type) && !IsPred(type); }

std::string Sentence(absl::string_view op, absl::Span<const Scalar> in, const Scalar& out) {
  if (in.size() == 1) return absl::StrCat(op, "(", ToText(in[0]), ") = ", ToText(out));
  return absl::StrCat(ToText(in[0]), " ", op, " ", ToText(in[1]), " = ", ToText(out));
}

bool PartOverflows(ElementType to, double in, double out) {
  if (!std::isfinite(in)) return false;
  if (!std::isfinite(out)) return true;
  if (std::fabs(in) <= std::fabs(out)) return false;
  return std::fabs(in) - std::fabs(out) > UlpAt(to, std::fabs(out)) * 0.501;  // held at the type's largest value
}

// Whether some value of `from` lies beyond what `to` reaches to. Not of what programs convert all the time: a dot's operands to its wider sums.
bool ReachesBeyond(ElementType from, ElementType to) {
  if (IsPred(from)) return false;
  if (IsFloat(from) || IsComplex(from)) {
    if (IsInteger(to)) return true;
    const ElementType a = RealTypeOf(from), b = RealTypeOf(to);
    const FloatFields fa = FieldsOf(a), fb = FieldsOf(b);
    const int top_a = (1 << fa.exponent_bits) - fa.bias, top_b = (1 << fb.exponent_bits) - fb.bias;
    if (BitWidth(b) < 16) return a != b;
    return top_a > top_b || (top_a == top_b && fa.mantissa_bits > fb.mantissa_bits);
  }
  if (!IsInteger(to)) return BitWidth(RealTypeOf(to)) < 16 || RealTypeOf(to) == ElementType::kF16;
  if (IsUnsigned(from) == IsUnsigned(to)) return BitWidth(to) < BitWidth(from);
  return IsUnsigned(to) || BitWidth(to) <= BitWidth(from);
}

bool ConversionOverflows(ElementType to, const Scalar& in, const Scalar& out) {
  if (IsPred(to)) return false;
  if (IsFloat(in.type) || IsComplex(in.type)) {
    if (!IsInteger(to)) {
      const ElementType real = RealTypeOf(to);
      return PartOverflows(real, in.re, out.re) || (IsComplex(to) && PartOverflows(real, in.im, out.im));
    }
    if (!std::isfinite(in.re)) return true;
    const double whole = std::trunc(in.re);
    return std::fabs(whole) >= 0x1p100 || static_cast<Wide>(whole) != ToWide(out);
  }
  if (IsInteger(to)) return ToWide(in) != ToWide(out);
  return PartOverflows(RealTypeOf(to), static_cast<double>(ToWide(in)), out.re);
}

double SmallestNormal(ElementType type) { return UlpAt(type, 0) / (2 * UnitRoundoff(type)); }

// Of complex numbers: whether the part that was made is zero, and the exact one is not, and below the smallest normal number. (Where numbers of
// the same size cancel, what is left of them is lost to rounding, not to zero.)
bool PartLost(ElementType real, long double exact, double part) {
  return part == 0 && exact != 0 && std::fabs(exact) < static_cast<long double>(SmallestNormal(real));
}

bool LosesPartToZero(ScalarOp op, absl::Span<const Scalar> in, const Scalar& out) {
  const ElementType real = RealTypeOf(out.type);
  if (std::any_of(in.begin(), in.end(), [](const Scalar& s) { return (IsFloat(s.type) || IsComplex(s.type)) && !s.IsFinite(); })) return false;
  const auto is_zero = [](const Scalar& s) { return s.re == 0 && s.im == 0; };
  const long double a = in[0].re, b = IsComplex(in[0].type) ? in[0].im : 0;
  const long double c = in.size() > 1 ? in[1].re : 0, d = in.size() > 1 && IsComplex(in[1].type) ? in[1].im : 0;
  switch (op) {
    case ScalarOp::kMultiply: return PartLost(real, a * c - b * d, out.re) || PartLost(real, a * d + b * c, out.im);
    case ScalarOp::kDivide: {
      const long double size = c * c + d * d;
      return size != 0 && (PartLost(real, (a * c + b * d) / size, out.re) || PartLost(real, (b * c - a * d) / size, out.im));
    }
    case ScalarOp::kConvert:
    case ScalarOp::kReducePrecision: return (IsFloat(in[0].type) || IsComplex(in[0].type)) && ((out.re == 0 && a != 0) || (out.im == 0 && b != 0));
    case ScalarOp::kExp: return is_zero(out);
    case ScalarOp::kPower: return is_zero(out) && !is_zero(in[0]);
    default: return false;
  }
}

bool LosesToZero(ScalarOp op, absl::Span<const Scalar> in, const Scalar& out) {
  if (IsComplex(out.type)) return LosesPartToZero(op, in, out);
  if (out.re != 0) return false;
  for (const Scalar& s : in) {
    if ((IsFloat(s.type) ? s.re == 0 || !std::isfinite(s.re) : s.i == 0)) return false;
  }
  switch (op) {
    case ScalarOp::kMultiply:
    case ScalarOp::kDivide:
    case ScalarOp::kConvert:
    case ScalarOp::kReducePrecision:
    case ScalarOp::kExp:  // functions that are zero nowhere, or only where an operand is: a zero is all that is left of a small number
    case ScalarOp::kLogistic:
    case ScalarOp::kPower:
    case ScalarOp::kAtan2:
      return true;
    default: return false;
  }
}

// `exponent` is not negative. False: it fits 64 bits and `exact` is it.
bool PowerLeaves64Bits(Wide base, Wide exponent, Wide* exact) {
  *exact = 1;
  if (base >= -1 && base <= 1) {
    *exact = exponent == 0 || (base == -1 && exponent % 2 == 0) ? 1 : base;
    return false;
  }
  for (Wide k = 0; k < exponent; ++k) {
    if (__builtin_mul_overflow(*exact, base, exact) || *exact > (Wide{1} << 64) || *exact < -(Wide{1} << 64)) return true;  // after 64 rounds at most
  }
  return false;
}

// -128 / -1 and the like.
bool QuotientLeavesType(ElementType to, const Scalar& a, const Scalar& b) {
  if (IsUnsigned(to) || b.i != -1 || a.i >= 0) return false;
  return Scalar::Int(to, static_cast<int64_t>(-static_cast<uint64_t>(a.i))).i == a.i;
}

int CancelledBits(double a, double b, double out) {
  if (!std::isfinite(a) || !std::isfinite(b) || out == 0 || !std::isfinite(out)) return 0;
  const double larger = std::max(std::fabs(a), std::fabs(b));
  return larger == 0 ? 0 : std::ilogb(larger) - std::ilogb(out);
}

}  // namespace

bool IsDenormal(const Scalar& s) {
  const auto below = [](ElementType type, double v) { return v != 0 && std::fabs(v) < SmallestNormal(type); };
  if (IsComplex(s.type)) return below(RealTypeOf(s.type), s.re) || below(RealTypeOf(s.type), s.im);
  return IsFloat(s.type) && below(s.type, s.re);
}

int DefaultCancellationBits(ElementType type) {
  if (!IsFloat(type) && !IsComplex(type)) return 1;
  const int digits = static_cast<int>(std::lround(-std::log2(UnitRoundoff(RealTypeOf(type)))));
  return std::max(2, digits * 3 / 4);
}

bool MayHave(ScalarHazard hazard, ScalarOp op, ElementType to, ElementType from) {
  const bool floats = IsFloat(to) || IsComplex(to);
  switch (hazard) {
    case ScalarHazard::kConversionOverflow:
      if (op == ScalarOp::kReducePrecision) return true;
      return op == ScalarOp::kConvert && !IsPred(to) && to != from && ReachesBeyond(from, to);
    case ScalarHazard::kDenormal:
      return floats && (op != ScalarOp::kBitcast || !(IsFloat(from) || IsComplex(from)));  // of floats it hands on
    case ScalarHazard::kCancellation: return floats && (op == ScalarOp::kAdd || op == ScalarOp::kSubtract);
    case ScalarHazard::kIntegerOverflow:
    case ScalarHazard::kUnsignedWrap:
      if (!IsInt(to) || IsUnsigned(to) != (hazard == ScalarHazard::kUnsignedWrap)) return false;
      switch (op) {
        case ScalarOp::kAdd:
        case ScalarOp::kSubtract:
        case ScalarOp::kMultiply:
        case ScalarOp::kPower:
        case ScalarOp::kNegate: return true;
        case ScalarOp::kAbs:
        case ScalarOp::kDivide:
        case ScalarOp::kRemainder:
          return !IsUnsigned(to);
        case ScalarOp::kConvert: return IsInt(from) && to != from && ReachesBeyond(from, to);
        default: return false;
      }
    case ScalarHazard::kIntegerDivision: return IsInt(to) && (op == ScalarOp::kDivide || op == ScalarOp::kRemainder);
  }
  return false;
}

bool Has(ScalarHazard hazard, ScalarOp op, ElementType to, int64_t aux, absl::Span<const Scalar> in, const Scalar& out, int bits, std::string* why) {
  if (in.empty() || !MayHave(hazard, op, to, in[0].type)) return false;
  const auto because = [&](std::string text) {
    if (why != nullptr) *why = std::move(text);
    return true;
  };
  switch (hazard) {
    case ScalarHazard::kConversionOverflow:
      // What is rounded to fewer digits, or flushed to zero, is no overflow: only what becomes infinite.
      if (op == ScalarOp::kReducePrecision ? !std::isfinite(in[0].re) || std::isfinite(out.re) : !ConversionOverflows(to, in[0], out)) return false;
      return because(absl::StrCat(Name(in[0].type), " ", ToText(in[0]), " has no place in ", op == ScalarOp::kReducePrecision ? "the reduced precision" : Name(to),
                                  " and becomes ", ToText(out)));
    case ScalarHazard::kDenormal: {
      // A denormal of denormals is inherited; a zero is the operation's own doing, whatever it comes from.
      if (LosesToZero(op, in, out)) return because(absl::StrCat(Sentence(Name(op), in, out), " is lost to zero"));
      if (!IsDenormal(out) || std::any_of(in.begin(), in.end(), IsDenormal)) return false;
      return because(absl::StrCat(Sentence(Name(op), in, out), " is denormal"));
    }
    case ScalarHazard::kCancellation: {
      const int limit = bits > 0 ? bits : DefaultCancellationBits(to);
      int lost = CancelledBits(in[0].re, in[1].re, out.re);
      if (IsComplex(to)) lost = std::max(lost, CancelledBits(in[0].im, in[1].im, out.im));
      if (lost < limit) return false;
      return because(absl::StrCat(Sentence(Name(op), in, out), " loses ", lost, " bits"));
    }
    case ScalarHazard::kIntegerOverflow:
    case ScalarHazard::kUnsignedWrap: {
      const Wide a = ToWide(in[0]), b = in.size() > 1 ? ToWide(in[1]) : 0;
      Wide exact = 0;
      bool beyond = false;  // of 128 bits too: of two numbers of u64
      switch (op) {
        case ScalarOp::kAdd: exact = a + b; break;
        case ScalarOp::kSubtract: exact = a - b; break;
        case ScalarOp::kMultiply: beyond = __builtin_mul_overflow(a, b, &exact); break;
        case ScalarOp::kNegate: exact = -a; break;
        case ScalarOp::kAbs: exact = a < 0 ? -a : a; break;
        case ScalarOp::kPower:
          if (b < 0) return false;  // a fraction, not a large number
          if (PowerLeaves64Bits(a, b, &exact)) return because(absl::StrCat(Sentence(Name(op), in, out), " does not fit ", Name(to)));
          break;
        case ScalarOp::kDivide:
          if (!QuotientLeavesType(to, in[0], in[1])) return false;
          exact = -a;
          break;
        case ScalarOp::kRemainder:
          if (!QuotientLeavesType(to, in[0], in[1])) return false;
          return because(absl::StrCat(Sentence(Name(op), in, out), ", but its quotient does not fit ", Name(to), " (many processors stop there)"));
        default: exact = a; break;
      }
      if (!beyond && exact == ToWide(out)) return false;
      return because(absl::StrCat(Sentence(Name(op), in, out), " does not fit ", Name(to)));
    }
    case ScalarHazard::kIntegerDivision:
      if (in[1].i != 0) return false;
      return because(absl::StrCat(Sentence(Name(op), in, out), " divides by zero"));
  }
  return false;
}

}  // namespace hloscope
