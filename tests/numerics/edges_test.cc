// The edges of spec/operations.md, "Elementwise": all pairs of elements of the types of up to 8 bits and edge-rich samples of the wider ones,
// against plain integer arithmetic, in both backends.
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "tests/numerics/formats.h"
#include "tests/numerics/native.h"

namespace hloscope {
namespace {

using namespace formats;  // NOLINT
using Wide = __int128;

uint64_t MaskOf(T type) { return BitWidth(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << BitWidth(type)) - 1; }
uint64_t StoredBits(const Value& v, int64_t i) {
  const int bytes = StorageBytes(v.shape().element_type());
  uint64_t bits = 0;
  std::memcpy(&bits, v.data() + i * bytes, bytes);
  return bits;
}
std::string Text(ScalarOp op, T type) { return std::string(Name(op).data(), Name(op).size()) + " of " + std::string(Name(type).data(), Name(type).size()); }

// Elements to try: all of a small type, else edges and random ones.
std::vector<Scalar> Elements(T type, std::mt19937_64& random) {
  std::vector<Scalar> r;
  const int bits = BitWidth(type);
  if (bits <= 8) {
    for (int code = 0; code < (IsPred(type) ? 2 : 1 << bits); ++code) {
      r.push_back(IsFloat(type) ? Scalar::Float(type, DecodeFloat(type, code)) : Scalar::Int(type, code));
    }
    return r;
  }
  if (IsFloat(type)) {
    const int width = bits - 1;
    const uint64_t infinity = ((uint64_t{1} << FormatOf(type).exponent_bits) - 1) << FormatOf(type).mantissa_bits;
    for (uint64_t m : {uint64_t{0}, uint64_t{1}, infinity - 1, infinity, infinity | infinity >> 1, uint64_t{1} << FormatOf(type).mantissa_bits}) {
      for (uint64_t sign : {uint64_t{0}, uint64_t{1} << width}) r.push_back(Scalar::Float(type, DecodeFloat(type, m | sign)));
    }
    for (double v : {1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 0.49999, 3.0, 1e5}) r.push_back(Scalar::Float(type, v));
    while (r.size() < 90) r.push_back(Scalar::Float(type, DecodeFloat(type, random() & MaskOf(type))));
    return r;
  }
  const uint64_t top = uint64_t{1} << (bits - 1);
  for (int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{2}, int64_t{-2}, int64_t{3}, int64_t{bits}, int64_t{bits - 1}, int64_t{bits + 1}})
    r.push_back(Scalar::Int(type, v));
  for (uint64_t v : {top, top - 1, top + 1}) r.push_back(Scalar::Int(type, static_cast<int64_t>(v)));
  while (r.size() < 70) r.push_back(Scalar::Int(type, static_cast<int64_t>(random() >> random() % 64)));
  return r;
}

struct Pairs {
  Value a, b;
  int64_t n = 0;
};
Pairs AllPairs(T type, const std::vector<Scalar>& elements) {
  Pairs p;
  p.n = static_cast<int64_t>(elements.size() * elements.size());
  p.a = Value::Allocate(Shape::Array(type, {p.n}));
  p.b = Value::Allocate(Shape::Array(type, {p.n}));
  int64_t i = 0;
  for (const Scalar& x : elements) {
    for (const Scalar& y : elements) {
      Set(p.a, i, x);
      Set(p.b, i++, y);
    }
  }
  return p;
}

// The exact value of an integer operation, which then wraps.
Wide IntegerResult(ScalarOp op, T type, Wide a, Wide b) {
  const int bits = BitWidth(type);
  const auto code = [&](Wide v) { return static_cast<uint64_t>(v) & MaskOf(type); };
  const uint64_t amount = code(b);
  switch (op) {
    case ScalarOp::kAdd: return a + b;
    case ScalarOp::kSubtract: return a - b;
    case ScalarOp::kMultiply: return static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
    case ScalarOp::kDivide: return b == 0 ? -1 : a / b;
    case ScalarOp::kRemainder: return b == 0 ? a : a % b;
    case ScalarOp::kPower: {
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 == 0 ? 1 : -1) : 0;
      uint64_t r = 1;
      // Powers repeat modulo 2^bits with a period of 2^(bits-2) for odd bases, and even ones vanish; square and multiply all the same.
      for (int k = 63; k >= 0; --k) r = r * r * (static_cast<uint64_t>(b) >> k & 1 ? static_cast<uint64_t>(a) : 1);
      return static_cast<Wide>(r);
    }
    case ScalarOp::kMaximum: return a > b ? a : b;
    case ScalarOp::kMinimum: return a < b ? a : b;
    case ScalarOp::kAnd: return code(a) & code(b);
    case ScalarOp::kOr: return code(a) | code(b);
    case ScalarOp::kXor: return code(a) ^ code(b);
    case ScalarOp::kShiftLeft: return amount >= static_cast<uint64_t>(bits) ? 0 : static_cast<Wide>(code(a)) << amount;
    case ScalarOp::kShiftRightLogical: return amount >= static_cast<uint64_t>(bits) ? 0 : code(a) >> amount;
    case ScalarOp::kShiftRightArithmetic: {
      // The top bit is the sign whatever the type.
      const Wide s = code(a) >> (bits - 1) ? static_cast<Wide>(code(a)) - (static_cast<Wide>(1) << bits) : static_cast<Wide>(code(a));
      return s >> std::min<uint64_t>(amount, 100);
    }
    case ScalarOp::kMulhi: return IsSigned(type) ? (a * b) >> bits : static_cast<Wide>((static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) >> bits);
    case ScalarOp::kAbs: return a < 0 ? -a : a;
    case ScalarOp::kNegate: return -a;
    case ScalarOp::kNot: return ~a;
    case ScalarOp::kSign: return a > 0 ? 1 : a < 0 ? -1 : 0;
    case ScalarOp::kPopulationCount: return std::popcount(code(a));
    case ScalarOp::kCountLeadingZeros: return std::countl_zero(code(a)) - (64 - bits);
    case ScalarOp::kEq: return a == b;
    case ScalarOp::kNe: return a != b;
    case ScalarOp::kLt: return a < b;
    case ScalarOp::kLe: return a <= b;
    case ScalarOp::kGt: return a > b;
    case ScalarOp::kGe: return a >= b;
    default: std::abort();
  }
}

TEST(Edges, Integers) {
  std::mt19937_64 random(1);
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<T>(t);
    if (!IsInteger(type)) continue;
    const std::vector<Scalar> elements = Elements(type, random);
    const Pairs p = AllPairs(type, elements);
    std::vector<ArrayOp> ops;
    for (ScalarOp op : {ScalarOp::kAdd, ScalarOp::kSubtract, ScalarOp::kMultiply, ScalarOp::kDivide, ScalarOp::kRemainder, ScalarOp::kPower, ScalarOp::kMaximum,
                        ScalarOp::kMinimum, ScalarOp::kAnd, ScalarOp::kOr, ScalarOp::kXor, ScalarOp::kShiftLeft, ScalarOp::kShiftRightArithmetic,
                        ScalarOp::kShiftRightLogical, ScalarOp::kMulhi, ScalarOp::kAbs, ScalarOp::kNegate, ScalarOp::kNot, ScalarOp::kSign,
                        ScalarOp::kPopulationCount, ScalarOp::kCountLeadingZeros, ScalarOp::kEq, ScalarOp::kNe, ScalarOp::kLt, ScalarOp::kLe, ScalarOp::kGt,
                        ScalarOp::kGe}) {
      ops.push_back(Plain(op, type));
    }
    const Native code(ops, type, p.n, 2);
    const std::vector<Value> native = code.Run({p.a, p.b}), interpreted = code.Interpret({p.a, p.b});
    for (size_t k = 0; k < ops.size(); ++k) {
      int shown = 0;
      for (int64_t i = 0; i < p.n && shown < 3; ++i) {
        const auto wide = [&](const Scalar& s) { return IsUnsigned(type) ? static_cast<Wide>(s.u()) : static_cast<Wide>(s.i); };
        const Scalar x = At(p.a, i), y = At(p.b, i);
        const Scalar want = Scalar::Int(ops[k].result, static_cast<int64_t>(IntegerResult(ops[k].op, type, wide(x), wide(y))));
        for (const Value* v : {&native[k], &interpreted[k]}) {
          if (At(*v, i).i == want.i) continue;
          ++shown;
          ADD_FAILURE() << Text(ops[k].op, type) << (v == &native[k] ? " natively: " : ": ") << ToText(x) << ", " << ToText(y) << " is " << ToText(At(*v, i))
                        << ", not " << ToText(want);
        }
      }
    }
  }
}

TEST(Edges, Preds) {
  std::mt19937_64 random(1);
  const Pairs p = AllPairs(T::kPred, Elements(T::kPred, random));
  std::vector<ArrayOp> ops;
  for (ScalarOp op : {ScalarOp::kAdd, ScalarOp::kMultiply, ScalarOp::kAnd, ScalarOp::kOr, ScalarOp::kXor, ScalarOp::kMaximum, ScalarOp::kMinimum, ScalarOp::kNot,
                      ScalarOp::kLt, ScalarOp::kGe, ScalarOp::kEq})
    ops.push_back(Plain(op, T::kPred));
  const Native code(ops, T::kPred, p.n, 2);
  for (const std::vector<Value>& out : {code.Run({p.a, p.b}), code.Interpret({p.a, p.b})}) {
    for (int64_t i = 0; i < p.n; ++i) {
      const bool a = At(p.a, i).i, b = At(p.b, i).i;
      const bool want[] = {a || b, a && b, a && b, a || b, a != b, a || b, a && b, !a, a < b, a >= b, a == b};
      for (size_t k = 0; k < ops.size(); ++k) EXPECT_EQ(At(out[k], i).i, want[k]) << Text(ops[k].op, T::kPred) << a << b;
    }
  }
}

// Place in the order -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
int CompareOrder(double a, double b) {
  const auto rank = [](double v) { return std::isnan(v) ? (std::signbit(v) ? -1 : 1) : 0; };
  if (rank(a) != rank(b)) return rank(a) < rank(b) ? -1 : 1;
  if (rank(a) != 0) return 0;
  if (a != b) return a < b ? -1 : 1;
  return static_cast<int>(std::signbit(b)) - static_cast<int>(std::signbit(a));
}

double FloatResult(ScalarOp op, double a, double b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  switch (op) {
    case ScalarOp::kAdd: return a + b;
    case ScalarOp::kSubtract: return a - b;
    case ScalarOp::kMultiply: return a * b;
    case ScalarOp::kDivide: return a / b;
    case ScalarOp::kRemainder: return std::fmod(a, b);
    case ScalarOp::kMaximum: return nan ? NAN : CompareOrder(a, b) >= 0 ? a : b;
    case ScalarOp::kMinimum: return nan ? NAN : CompareOrder(a, b) <= 0 ? a : b;
    case ScalarOp::kAbs: return std::signbit(a) ? -a : a;
    case ScalarOp::kNegate: return -a;
    case ScalarOp::kSign: return std::isnan(a) || a == 0 ? a : a > 0 ? 1 : -1;
    case ScalarOp::kFloor: return std::floor(a);
    case ScalarOp::kCeil: return std::ceil(a);
    case ScalarOp::kRoundNearestAfz: return std::copysign(std::fabs(a) < 0x1p53 ? std::floor(std::fabs(a)) + (std::fabs(a) - std::floor(std::fabs(a)) >= 0.5) : std::fabs(a), a);
    case ScalarOp::kRoundNearestEven: {
      const double f = std::floor(a), d = a - f;
      if (std::isinf(a) || std::isnan(a)) return a;
      return std::copysign(d > 0.5 || (d == 0.5 && std::fmod(f, 2) != 0) ? f + 1 : f, a);
    }
    case ScalarOp::kIsFinite: return !std::isnan(a) && !std::isinf(a);
    case ScalarOp::kEq: return a == b;
    case ScalarOp::kNe: return a != b;
    case ScalarOp::kLt: return a < b;
    case ScalarOp::kLe: return a <= b;
    case ScalarOp::kGt: return a > b;
    case ScalarOp::kGe: return a >= b;
    case ScalarOp::kEqTotal: return CompareOrder(a, b) == 0;
    case ScalarOp::kNeTotal: return CompareOrder(a, b) != 0;
    case ScalarOp::kLtTotal: return CompareOrder(a, b) < 0;
    case ScalarOp::kLeTotal: return CompareOrder(a, b) <= 0;
    case ScalarOp::kGtTotal: return CompareOrder(a, b) > 0;
    case ScalarOp::kGeTotal: return CompareOrder(a, b) >= 0;
    default: std::abort();
  }
}

TEST(Edges, Floats) {
  std::mt19937_64 random(2);
  for (const Format& f : kFormats) {
    const std::vector<Scalar> elements = Elements(f.type, random);
    const Pairs p = AllPairs(f.type, elements);
    std::vector<ArrayOp> ops;
    for (ScalarOp op : {ScalarOp::kAdd, ScalarOp::kSubtract, ScalarOp::kMultiply, ScalarOp::kDivide, ScalarOp::kRemainder, ScalarOp::kMaximum, ScalarOp::kMinimum,
                        ScalarOp::kAbs, ScalarOp::kNegate, ScalarOp::kSign, ScalarOp::kFloor, ScalarOp::kCeil, ScalarOp::kRoundNearestAfz,
                        ScalarOp::kRoundNearestEven, ScalarOp::kIsFinite, ScalarOp::kEq, ScalarOp::kNe, ScalarOp::kLt, ScalarOp::kLe, ScalarOp::kGt,
                        ScalarOp::kGe, ScalarOp::kEqTotal, ScalarOp::kNeTotal, ScalarOp::kLtTotal, ScalarOp::kLeTotal, ScalarOp::kGtTotal,
                        ScalarOp::kGeTotal})
      ops.push_back(Plain(op, f.type));
    const Native code(ops, f.type, p.n, 2);
    const std::vector<Value> native = code.Run({p.a, p.b}), interpreted = code.Interpret({p.a, p.b});
    for (size_t k = 0; k < ops.size(); ++k) {
      int shown = 0;
      for (int64_t i = 0; i < p.n && shown < 3; ++i) {
        const Scalar x = At(p.a, i), y = At(p.b, i);
        const double exact = FloatResult(ops[k].op, x.re, y.re);
        uint64_t want = static_cast<uint64_t>(exact == 1);
        // f32 results are rounded from f64, which twice its digits and more make one rounding.
        if (IsFloat(ops[k].result)) want = Encode(f, Decode(FormatOf(T::kF64), std::bit_cast<uint64_t>(exact)));
        for (const Value* v : {&native[k], &interpreted[k]}) {
          const uint64_t got = StoredBits(*v, i);
          if (got == want || (want == kAnyNan && Decode(f, got).kind == Number::kNan)) continue;
          ++shown;
          ADD_FAILURE() << Text(ops[k].op, f.type) << (v == &native[k] ? " natively: " : ": ") << ToText(x) << ", " << ToText(y) << " is "
                        << ToText(At(*v, i)) << " (" << std::hex << got << "), not " << want;
        }
      }
    }
  }
}

// On the value: round the mantissa at its place (a tie at no mantissa bits goes to the even exponent code), then bound the exponent.
uint64_t Reduced(const Format& f, uint64_t code, int exponent_bits, int mantissa_bits) {
  Number n = Decode(f, code);
  if (n.kind != Number::kFinite || n.m == 0) return n.kind == Number::kNan ? (f.top == Top::kNegativeZeroIsNan ? code : kAnyNan) : code;
  const auto exponent = [&] { return 63 - std::countl_zero(n.m) + n.e; };
  if (mantissa_bits < f.mantissa_bits) {
    const int unit = std::max(exponent(), 1 - f.bias) - mantissa_bits, drop = unit - n.e;
    if (drop > 0) {
      uint64_t k = drop > 63 ? 0 : n.m >> drop;
      const uint64_t rest = drop > 63 ? n.m : n.m & ((uint64_t{1} << drop) - 1), half = uint64_t{1} << (std::min(drop, 64) - 1);
      const bool odd = mantissa_bits == 0 && k == 1 ? ((unit + f.bias) & 1) != 0 : (k & 1) != 0;
      if (drop <= 64 && (rest > half || (rest == half && odd))) ++k;
      n.m = k;
      n.e = unit;
    }
  }
  if (n.m != 0 && exponent_bits < f.exponent_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    if (exponent() > bias) n.kind = Number::kInfinite;
    if (exponent() < 1 - bias) n.m = 0;
  }
  return Encode(f, n);
}

TEST(Edges, ReducePrecisionOfEveryType) {
  std::mt19937_64 random(3);
  for (const Format& f : kFormats) {
    const int64_t n = BitWidth(f.type) <= 16 ? int64_t{1} << BitWidth(f.type) : 6000;
    Value in = Value::Allocate(Shape::Array(f.type, {n}));
    for (int64_t i = 0; i < n; ++i) {
      uint64_t bits = n == 6000 ? random() & MaskOf(f.type) : static_cast<uint64_t>(i);
      // Middles, which random mantissas are not, in half of them.
      if (n == 6000 && i % 2) bits &= ~uint64_t{0} << (random() % (f.mantissa_bits + 1));
      std::memcpy(in.mutable_data() + i * StorageBytes(f.type), &bits, StorageBytes(f.type));
    }
    std::vector<ArrayOp> ops;
    for (int e : {1, 2, 3, 4, 5, 8, 11}) {
      for (int m : {0, 1, 2, 3, 7, 10, 23, 52}) {
        if ((e * 8 + m) % 3 == 0 || m <= f.mantissa_bits) ops.push_back({ScalarOp::kReducePrecision, f.type, e << 8 | m});
      }
    }
    for (size_t begin = 0; begin < ops.size(); begin += 16) {
      const auto some = absl::MakeConstSpan(ops).subspan(begin, 16);
      const Native code(some, f.type, n, 1);
      const std::vector<Value> native = code.Run({in}), interpreted = code.Interpret({in});
      for (size_t k = 0; k < some.size(); ++k) {
        const int e = static_cast<int>(some[k].aux >> 8), m = static_cast<int>(some[k].aux & 255);
        int shown = 0;
        for (int64_t i = 0; i < n && shown < 3; ++i) {
          const uint64_t want = Reduced(f, StoredBits(in, i), e, m);
          for (const Value* v : {&native[k], &interpreted[k]}) {
            const uint64_t got = StoredBits(*v, i);
            if (got == want || (want == kAnyNan && Decode(f, got).kind == Number::kNan)) continue;
            ++shown;
            ADD_FAILURE() << Name(f.type) << " " << std::hex << StoredBits(in, i) << std::dec << " to e" << e << "m" << m
                          << (v == &native[k] ? " natively" : "") << ": " << std::hex << got << ", not " << want;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace hloscope
