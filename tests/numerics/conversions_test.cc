// Conversions between all pairs of types against integer arithmetic: every bit pattern of the types of up to 16 bits, and of the wider ones
// patterns at random, at the middles between neighbours of every narrower type, and at the ends. Both backends.
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include "core/literal/npy.h"
#include "gtest/gtest.h"
#include "tests/numerics/formats.h"
#include "tests/numerics/native.h"

namespace hloscope {
namespace {

using namespace formats;  // NOLINT

Number FromInteger(T type, uint64_t bits) {
  const bool negative = IsSigned(type) && static_cast<int64_t>(bits) < 0;
  return {Number::kFinite, negative, negative ? 0 - bits : bits, 0};
}

uint64_t MaskOf(T type) { return BitWidth(type) == 64 ? ~uint64_t{0} : (uint64_t{1} << BitWidth(type)) - 1; }

// Toward zero, to the nearest end when beyond, NaN to 0.
uint64_t ToInteger(T type, const Number& n) {
  if (n.kind == Number::kNan) return 0;
  const uint64_t max = IsUnsigned(type) ? MaskOf(type) : MaskOf(type) >> 1;
  const uint64_t limit = n.negative ? (IsUnsigned(type) ? 0 : max + 1) : max;  // of the magnitude
  uint64_t magnitude = limit;
  if (n.kind == Number::kFinite) {
    if (n.m == 0 || n.e <= -64) {
      magnitude = 0;
    } else if (n.e <= 0) {
      magnitude = std::min(n.m >> -n.e, limit);
    } else if (64 - std::countl_zero(n.m) + n.e <= 64) {
      magnitude = std::min(n.m << n.e, limit);
    }
  }
  return (n.negative ? 0 - magnitude : magnitude) & MaskOf(type);
}

// `bits`: a float's code, or an integer as 64 bits. The answer as stored: a code, an integer's low bits.
uint64_t Expected(T from, uint64_t bits, T to) {
  const bool real = IsFloat(from);
  const Number n = real ? Decode(FormatOf(from), bits) : FromInteger(from, bits);
  if (IsPred(to)) return n.kind != Number::kFinite || n.m != 0;
  if (IsInteger(to)) return real ? ToInteger(to, n) : bits & MaskOf(to);
  return Encode(FormatOf(to), n);
}

std::vector<T> RealTypes() {
  std::vector<T> r;
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<T>(t);
    if (IsFloat(type) || IsInteger(type) || IsPred(type)) r.push_back(type);
  }
  return r;
}

uint64_t StoredBits(const Value& v, int64_t i) {
  const int bytes = StorageBytes(v.shape().element_type());
  uint64_t bits = 0;
  std::memcpy(&bits, v.data() + i * bytes, bytes);
  return bits;
}

// A source pattern as the argument of Expected.
uint64_t Widen(T type, uint64_t stored) {
  if (!IsSigned(type)) return stored & MaskOf(type);
  return static_cast<uint64_t>(static_cast<int64_t>(stored << (64 - BitWidth(type))) >> (64 - BitWidth(type)));
}

void PutBits(Value& v, int64_t i, uint64_t bits) {
  const T type = v.shape().element_type();
  if (IsInteger(type)) bits = Widen(type, bits);  // a sub-byte integer is stored extended
  if (IsPred(type)) bits &= 1;
  std::memcpy(v.mutable_data() + i * StorageBytes(type), &bits, StorageBytes(type));
}

Value Patterns(T type, uint64_t seed) {
  if (BitWidth(type) <= 16) {
    const int64_t n = IsPred(type) ? 2 : int64_t{1} << BitWidth(type);
    Value v = Value::Allocate(Shape::Array(type, {n}));
    for (int64_t i = 0; i < n; ++i) PutBits(v, i, static_cast<uint64_t>(i));
    return v;
  }
  const int64_t n = 30000;
  std::mt19937_64 random(seed);
  Value v = Value::Allocate(Shape::Array(type, {n}));
  const int width = BitWidth(type);
  for (int64_t i = 0; i < n; ++i) {
    uint64_t bits = random();
    if (i % 3 == 0 && IsInteger(type)) {
      bits >>= random() % 64;
    } else if (i % 3 == 1) {
      // Beside the middle of two neighbours in another format, which may be an integer too.
      const Format& f = kFormats[random() % std::size(kFormats)];
      Number middle = Decode(f, random() & ((uint64_t{1} << (f.exponent_bits + f.mantissa_bits)) - 1));
      if (middle.kind != Number::kFinite) middle = {Number::kFinite, false, 12345, 3};
      middle.m = 2 * middle.m + (f.mantissa_bits < 52 || IsInteger(type));
      middle.e -= 1;
      if (IsInteger(type)) {
        const int length = 64 - std::countl_zero(middle.m | 1);
        bits = middle.m << (random() % (65 - std::min(length, 64)));
        bits += random() % 3 - 1;
        if (random() % 2) bits = 0 - bits;
      } else {
        bits = Encode(FormatOf(type), middle) + random() % 3 - 1;
        if (random() % 2) bits |= uint64_t{1} << (width - 1);
      }
    } else if (i % 6 == 2 && IsFloat(type)) {
      // Of the integers' size.
      bits = Encode(FormatOf(type), {Number::kFinite, random() % 2 == 1, random() | 1, -static_cast<int>(random() % 66)});
    } else if (i % 24 == 5) {
      const uint64_t ends[] = {0, 1, ~uint64_t{0}, uint64_t{1} << (width - 1), (uint64_t{1} << (width - 1)) - 1, (uint64_t{1} << (width - 1)) + 1};
      bits = ends[random() % 6];
    }
    PutBits(v, i, bits & MaskOf(type));
  }
  return v;
}

TEST(Conversions, BetweenAllPairsAreCorrectlyRounded) {
  const std::vector<T> types = RealTypes();
  for (T from : types) {
    const Value in = Patterns(from, 3);
    const int64_t n = in.element_count();
    std::vector<ArrayOp> ops;
    for (T to : types) {
      if (to != from) ops.push_back({ScalarOp::kConvert, to});
    }
    const Native code(ops, from, n, 1);
    const std::vector<Value> native = code.Run({in}), interpreted = code.Interpret({in});
    for (size_t k = 0; k < ops.size(); ++k) {
      const T to = ops[k].result;
      int shown = 0;
      for (int64_t i = 0; i < n && shown < 3; ++i) {
        const uint64_t source = Widen(from, StoredBits(in, i));
        const uint64_t want = Expected(from, source, to);
        for (const Value* v : {&native[k], &interpreted[k]}) {
          uint64_t got = StoredBits(*v, i);
          if (IsInteger(to)) got &= MaskOf(to);
          const bool nan = IsFloat(to) && Decode(FormatOf(to), got).kind == Number::kNan;
          if (IsFloat(to) && want == kAnyNan ? nan : got == want) continue;
          ++shown;
          ADD_FAILURE() << Name(from) << " " << std::hex << source << " to " << Name(to) << (v == &native[k] ? " natively" : "") << ": " << got
                        << ", not " << want;
        }
      }
    }
  }
}

// Stored sub-byte integers are extended in both backends, so that equal values are equal bytes.
TEST(Conversions, NarrowIntegersAreStoredExtended) {
  for (T to : {T::kS1, T::kS2, T::kS4, T::kU1, T::kU2, T::kU4}) {
    const Value in = Patterns(T::kS8, 0);
    const ArrayOp ops[] = {{ScalarOp::kConvert, to}};
    const Native code(ops, T::kS8, in.element_count(), 1);
    EXPECT_TRUE(Value::BitEqual(code.Run({in})[0], code.Interpret({in})[0])) << Name(to);
  }
}

TEST(Conversions, OfComplexNumbers) {
  std::mt19937_64 random(8);
  for (T from : {T::kC64, T::kC128}) {
    const int64_t n = 1000;
    Value in = Value::Allocate(Shape::Array(from, {n}));
    for (int64_t i = 0; i < n; ++i) {
      const double re = std::ldexp(1.0 + static_cast<double>(random() % 1000) / 997, static_cast<int>(random() % 300) - 150);
      Set(in, i, Scalar::Complex(from, {random() % 5 ? re : 0, random() % 3 ? -re / 3 : 0}));
    }
    const T other = from == T::kC64 ? T::kC128 : T::kC64;
    const ArrayOp ops[] = {{ScalarOp::kConvert, other}, {ScalarOp::kConvert, T::kPred}};
    const Native code(ops, from, n, 1);
    for (const std::vector<Value>& out : {code.Run({in}), code.Interpret({in})}) {
      for (int64_t i = 0; i < n; ++i) {
        const Scalar x = At(in, i), y = At(out[0], i);
        const auto rounded = [&](double v) { return other == T::kC64 ? static_cast<double>(static_cast<float>(v)) : v; };
        EXPECT_EQ(y.re, rounded(x.re));
        EXPECT_EQ(y.im, rounded(x.im));
        EXPECT_EQ(At(out[1], i).i, x.re != 0 || x.im != 0);
      }
    }
  }
  for (T from : RealTypes()) {
    const Value in = Patterns(from, 4);
    const ArrayOp ops[] = {{ScalarOp::kConvert, T::kC64}, {ScalarOp::kConvert, T::kF32}, {ScalarOp::kConvert, T::kC128}, {ScalarOp::kConvert, T::kF64}};
    const Native code(ops, from, in.element_count(), 1);
    for (const std::vector<Value>& out : {code.Run({in}), code.Interpret({in})}) {
      for (int64_t i = 0; i < in.element_count(); i += 17) {
        for (int k : {0, 2}) {
          const double re = At(out[k], i).re, want = At(out[k + 1], i).re;
          EXPECT_TRUE(re == want || (std::isnan(re) && std::isnan(want))) << Name(from) << " " << i;
          EXPECT_EQ(At(out[k], i).im, 0);
        }
      }
    }
  }
}

// Every code's value, and the code of every value.
TEST(Codecs, AreExact) {
  for (const Format& f : kFormats) {
    if (BitWidth(f.type) > 16) continue;
    for (uint64_t code = 0; code <= MaskOf(f.type); ++code) {
      const Number n = Decode(f, code);
      const double v = DecodeFloat(f.type, code);
      ASSERT_EQ(std::isnan(v), n.kind == Number::kNan) << Name(f.type) << " " << code;
      ASSERT_EQ(std::isinf(v), n.kind == Number::kInfinite) << Name(f.type) << " " << code;
      if (n.kind == Number::kNan) continue;
      ASSERT_EQ(EncodeFloat(f.type, v), code) << Name(f.type);
      ASSERT_EQ(std::signbit(v), n.negative);
      if (n.kind == Number::kFinite) {
        ASSERT_EQ(std::fabs(v), std::ldexp(static_cast<double>(n.m), n.e)) << Name(f.type) << " " << code;
      }
    }
  }
  // The largest and the least, as the formats' authors list them.
  EXPECT_EQ(DecodeFloat(T::kF8E3M4, 0x6f), 15.5);
  EXPECT_EQ(DecodeFloat(T::kF8E4M3, 0x77), 240);
  EXPECT_EQ(DecodeFloat(T::kF8E4M3FN, 0x7e), 448);
  EXPECT_EQ(DecodeFloat(T::kF8E4M3B11FNUZ, 0x7f), 30);
  EXPECT_EQ(DecodeFloat(T::kF8E4M3FNUZ, 0x7f), 240);
  EXPECT_EQ(DecodeFloat(T::kF8E5M2, 0x7b), 57344);
  EXPECT_EQ(DecodeFloat(T::kF8E5M2FNUZ, 0x7f), 57344);
  EXPECT_EQ(DecodeFloat(T::kF8E8M0FNU, 0xfe), 0x1p127);
  EXPECT_EQ(DecodeFloat(T::kF4E2M1FN, 0x7), 6);
  EXPECT_EQ(DecodeFloat(T::kF8E3M4, 1), 0x1p-6);
  EXPECT_EQ(DecodeFloat(T::kF8E4M3FN, 1), 0x1p-9);
  EXPECT_EQ(DecodeFloat(T::kF8E4M3B11FNUZ, 1), 0x1p-13);
  EXPECT_EQ(DecodeFloat(T::kF8E4M3FNUZ, 1), 0x1p-10);
  EXPECT_EQ(DecodeFloat(T::kF8E5M2, 1), 0x1p-16);
  EXPECT_EQ(DecodeFloat(T::kF8E5M2FNUZ, 1), 0x1p-17);
  EXPECT_EQ(DecodeFloat(T::kF4E2M1FN, 1), 0.5);
}

TEST(Codecs, EveryTypeGoesThroughNpyAndBack) {
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<T>(t);
    if (!IsArrayType(type)) continue;
    Value v;
    if (IsComplex(type)) {
      v = Value::Allocate(Shape::Array(type, {40}));
      for (int64_t i = 0; i < 40; ++i) Set(v, i, Scalar::Complex(type, {i * 0.37 - 5, i % 7 == 0 ? -0.0 : 1.0 / (1 + i)}));
    } else {
      v = Patterns(type, 6);
    }
    const std::string path = testing::TempDir() + "/conversions.npy";
    ASSERT_TRUE(WriteNpy(path, v).ok());
    const Shape shape = v.shape();
    auto back = ReadNpy(path, &shape);
    ASSERT_TRUE(back.ok()) << Name(type) << ": " << back.status();
    EXPECT_TRUE(Value::BitEqual(v, *back)) << Name(type);
  }
}

}  // namespace
}  // namespace hloscope
