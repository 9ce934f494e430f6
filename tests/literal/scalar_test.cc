// Codecs and conversions of single elements, against rules written down a second time as plain as possible.
#include "core/literal/scalar.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace hloscope {
namespace {

constexpr ElementType kNarrowFloats[] = {
    ElementType::kF4E2M1FN,      ElementType::kF6E2M3FN,   ElementType::kF6E3M2FN, ElementType::kF8E3M4,     ElementType::kF8E4M3, ElementType::kF8E4M3FN,
    ElementType::kF8E4M3B11FNUZ, ElementType::kF8E4M3FNUZ, ElementType::kF8E5M2, ElementType::kF8E5M2FNUZ,
    ElementType::kF8E8M0FNU,     ElementType::kBF16,       ElementType::kF16};

bool SameBits(double a, double b) { return std::isnan(a) ? std::isnan(b) : std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

std::map<double, uint64_t> FiniteValues(ElementType type) {
  std::map<double, uint64_t> values;
  for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) {
    const double v = DecodeFloat(type, bits);
    if (std::isfinite(v) && !(v == 0 && std::signbit(v))) values[v] = bits;
  }
  return values;
}

TEST(Scalar, EveryNarrowFloatDecodesAndEncodesBack) {
  for (ElementType type : kNarrowFloats) {
    for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) {
      const double v = DecodeFloat(type, bits);
      if (std::isnan(v)) {
        EXPECT_TRUE(std::isnan(DecodeFloat(type, EncodeFloat(type, v)))) << Name(type) << " " << bits;
      } else {
        ASSERT_EQ(EncodeFloat(type, v), bits) << Name(type) << " " << v;
        ASSERT_TRUE(SameBits(Scalar::Float(type, v).re, v)) << Name(type) << " " << v;
      }
    }
  }
}

TEST(Scalar, KnownValuesOfTheFormats) {
  EXPECT_EQ(DecodeFloat(ElementType::kF8E4M3FN, 0x7e), 448);
  EXPECT_TRUE(std::isnan(DecodeFloat(ElementType::kF8E4M3FN, 0x7f)));
  EXPECT_EQ(DecodeFloat(ElementType::kF8E4M3FN, 0x01), std::ldexp(1, -9));
  EXPECT_EQ(DecodeFloat(ElementType::kF8E4M3, 0x77), 240);
  EXPECT_TRUE(std::isinf(DecodeFloat(ElementType::kF8E4M3, 0x78)));
  EXPECT_EQ(DecodeFloat(ElementType::kF8E5M2, 0x7b), 57344);
  EXPECT_TRUE(std::isinf(DecodeFloat(ElementType::kF8E5M2, 0xfc)));
  EXPECT_EQ(DecodeFloat(ElementType::kF8E5M2FNUZ, 0x7f), 57344);
  EXPECT_TRUE(std::isnan(DecodeFloat(ElementType::kF8E5M2FNUZ, 0x80)));
  EXPECT_EQ(DecodeFloat(ElementType::kF8E4M3FNUZ, 0x7f), 240);
  EXPECT_EQ(DecodeFloat(ElementType::kF8E4M3B11FNUZ, 0x7f), 30);
  EXPECT_EQ(DecodeFloat(ElementType::kF8E3M4, 0x6f), 15.5);
  EXPECT_EQ(DecodeFloat(ElementType::kF4E2M1FN, 0x7), 6);
  EXPECT_EQ(DecodeFloat(ElementType::kF4E2M1FN, 0x1), 0.5);
  EXPECT_EQ(DecodeFloat(ElementType::kF6E2M3FN, 0x1f), 7.5);
  EXPECT_EQ(DecodeFloat(ElementType::kF6E2M3FN, 0x21), -0.125);
  EXPECT_EQ(DecodeFloat(ElementType::kF6E3M2FN, 0x1f), 28);
  EXPECT_EQ(Scalar::Float(ElementType::kF6E3M2FN, 3.1415).re, 3);
  EXPECT_EQ(Scalar::Float(ElementType::kF6E2M3FN, INFINITY).re, 7.5);
  EXPECT_EQ(DecodeFloat(ElementType::kF8E8M0FNU, 127), 1);
  EXPECT_EQ(DecodeFloat(ElementType::kF8E8M0FNU, 0), std::ldexp(1, -127));
  EXPECT_TRUE(std::isnan(DecodeFloat(ElementType::kF8E8M0FNU, 255)));
  EXPECT_EQ(DecodeFloat(ElementType::kF16, 0x7bff), 65504);
  EXPECT_EQ(DecodeFloat(ElementType::kBF16, 0x7f7f), 0x1.fep127);
  // Beyond the largest.
  EXPECT_TRUE(std::isnan(Scalar::Float(ElementType::kF8E4M3FN, 500).re));
  EXPECT_EQ(Scalar::Float(ElementType::kF8E4M3FN, 464).re, 448);  // halfway, and 448 is even
  EXPECT_TRUE(std::isinf(Scalar::Float(ElementType::kF8E5M2, 1e6).re));
  EXPECT_EQ(Scalar::Float(ElementType::kF4E2M1FN, -100).re, -6);
  EXPECT_TRUE(std::isnan(Scalar::Float(ElementType::kF8E5M2FNUZ, INFINITY).re));
  EXPECT_TRUE(std::isinf(Scalar::Float(ElementType::kF16, 65520).re));
  EXPECT_EQ(Scalar::Float(ElementType::kF16, 65519.99).re, 65504);
  EXPECT_FALSE(std::signbit(Scalar::Float(ElementType::kF8E4M3FNUZ, -0.0).re));
  EXPECT_TRUE(std::signbit(Scalar::Float(ElementType::kF8E4M3FN, -1e-30).re));
}

// Nearest, ties to the even code, found by looking through all values.
TEST(Scalar, RoundingIsToNearestEven) {
  std::mt19937_64 random(5);
  for (ElementType type : kNarrowFloats) {
    const auto values = FiniteValues(type);
    std::vector<double> trials;
    for (auto it = values.begin(); std::next(it) != values.end(); ++it) {
      if (BitWidth(type) == 16 && random() % 64 != 0) continue;
      const double a = it->first, b = std::next(it)->first, middle = (a + b) / 2;
      for (double v : {a, middle, std::nextafter(middle, a), std::nextafter(middle, b), a + (b - a) * 0.25}) trials.push_back(v);
    }
    for (double v : trials) {
      if (type == ElementType::kF8E8M0FNU && v < values.begin()->first) continue;
      auto above = values.lower_bound(v);
      if (above == values.end()) continue;
      double expected = above->first;
      if (above->first != v && above != values.begin()) {
        const auto below = std::prev(above);
        const double down = v - below->first, up = above->first - v;
        if (down < up) expected = below->first;
        if (down == up) {
          // The even code: of the magnitudes, which zero counts among.
          const uint64_t magnitude = below->second & ((uint64_t{1} << (type == ElementType::kF8E8M0FNU ? 8 : BitWidth(type) - 1)) - 1);
          if ((magnitude & 1) == 0) expected = below->first;
        }
      }
      const double got = Scalar::Float(type, v).re;
      ASSERT_EQ(got, expected) << Name(type) << " of " << v;
    }
  }
}

TEST(Scalar, IntegersWrapAndSignExtend) {
  EXPECT_EQ(Scalar::Int(ElementType::kS8, 200).i, -56);
  EXPECT_EQ(Scalar::Int(ElementType::kU8, -1).i, 255);
  EXPECT_EQ(Scalar::Int(ElementType::kS4, 9).i, -7);
  EXPECT_EQ(Scalar::Int(ElementType::kU4, 17).i, 1);
  EXPECT_EQ(Scalar::Int(ElementType::kS1, 1).i, -1);
  EXPECT_EQ(Scalar::Int(ElementType::kU32, -1).i, 0xffffffffll);
  EXPECT_EQ(Scalar::Int(ElementType::kPred, 256).i, 1);
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<ElementType>(t);
    if (!IsInteger(type) && !IsPred(type)) continue;
    for (int64_t v : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{100}, INT64_MIN, INT64_MAX}) {
      const Scalar s = Scalar::Int(type, v);
      std::byte storage[16] = {};
      StoreScalar(s, storage);
      EXPECT_EQ(LoadScalar(type, storage).i, s.i) << Name(type) << " " << v;
    }
  }
}

TEST(Scalar, IntegerToFloatRoundsOnce) {
  // 2^24 + 1 is a tie in f32; with one more far below it is above the tie. Through double the lowest bit would be lost first.
  const int64_t above_tie = (int64_t{1} << 60) + (int64_t{1} << 36) + 1;
  EXPECT_EQ(ConvertScalar(Scalar::Int(ElementType::kS64, above_tie), ElementType::kF32).re, std::ldexp(1, 60) + std::ldexp(1, 37));
  EXPECT_EQ(ConvertScalar(Scalar::Int(ElementType::kS64, -above_tie), ElementType::kF32).re, -std::ldexp(1, 60) - std::ldexp(1, 37));
  EXPECT_EQ(ConvertScalar(Scalar::Int(ElementType::kS64, above_tie - 1), ElementType::kF32).re, std::ldexp(1, 60));
  const int64_t bf16_tie = (int64_t{1} << 60) + (int64_t{1} << 52);
  EXPECT_EQ(ConvertScalar(Scalar::Int(ElementType::kS64, bf16_tie + 1), ElementType::kBF16).re, std::ldexp(1, 60) + std::ldexp(1, 53));
  EXPECT_EQ(ConvertScalar(Scalar::Int(ElementType::kS64, bf16_tie), ElementType::kBF16).re, std::ldexp(1, 60));
  EXPECT_EQ(ConvertScalar(Scalar::Int(ElementType::kU64, -1), ElementType::kF32).re, std::ldexp(1, 64));
  EXPECT_EQ(ConvertScalar(Scalar::Int(ElementType::kU64, -1), ElementType::kF64).re, std::ldexp(1, 64));
  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const int64_t v = static_cast<int64_t>(random() >> (random() % 64));
    ASSERT_EQ(ConvertScalar(Scalar::Int(ElementType::kS64, v), ElementType::kF32).re, static_cast<float>(v)) << v;
    ASSERT_EQ(ConvertScalar(Scalar::Int(ElementType::kU64, v), ElementType::kF32).re, static_cast<float>(static_cast<uint64_t>(v))) << v;
  }
}

TEST(Scalar, FloatToIntegerSaturates) {
  const auto convert = [](double v, ElementType to) { return ConvertScalar(Scalar::Float(ElementType::kF64, v), to).i; };
  EXPECT_EQ(convert(3.9, ElementType::kS32), 3);
  EXPECT_EQ(convert(-3.9, ElementType::kS32), -3);
  EXPECT_EQ(convert(1e20, ElementType::kS32), INT32_MAX);
  EXPECT_EQ(convert(-1e20, ElementType::kS32), INT32_MIN);
  EXPECT_EQ(convert(NAN, ElementType::kS32), 0);
  EXPECT_EQ(convert(1e30, ElementType::kS64), INT64_MAX);
  EXPECT_EQ(convert(-INFINITY, ElementType::kS64), INT64_MIN);
  EXPECT_EQ(convert(-5, ElementType::kU8), 0);
  EXPECT_EQ(convert(300, ElementType::kU8), 255);
  EXPECT_EQ(convert(1e30, ElementType::kU64), -1);
  EXPECT_EQ(convert(100, ElementType::kS4), 7);
  EXPECT_EQ(convert(-100, ElementType::kS2), -2);
  EXPECT_EQ(convert(0.5, ElementType::kPred), 1);
  EXPECT_EQ(convert(-0.0, ElementType::kPred), 0);
  EXPECT_EQ(convert(NAN, ElementType::kPred), 1);
  EXPECT_EQ(ConvertScalar(Scalar::Complex(ElementType::kC64, {2.5, 9}), ElementType::kF32).re, 2.5);
  EXPECT_EQ(ConvertScalar(Scalar::Int(ElementType::kS32, -3), ElementType::kC64).c(), std::complex<double>(-3, 0));
  EXPECT_EQ(ConvertScalar(Scalar::Int(ElementType::kS32, -1), ElementType::kU8).i, 255);
  EXPECT_EQ(ConvertScalar(Scalar::Int(ElementType::kU32, -1), ElementType::kS64).i, 0xffffffffll);
}

TEST(Scalar, NanKeepsSignAndPayloadThroughItsStorage) {
  for (uint32_t bits : {0x7fc00000u, 0xffc00000u, 0x7fc12345u, 0xffffffffu}) {
    float f = std::bit_cast<float>(bits);
    const Scalar s = LoadScalar(ElementType::kF32, reinterpret_cast<const std::byte*>(&f));
    std::byte out[4];
    StoreScalar(s, out);
    EXPECT_EQ(std::memcmp(out, &bits, 4), 0) << std::hex << bits;
  }
  EXPECT_EQ(EncodeFloat(ElementType::kBF16, DecodeFloat(ElementType::kBF16, 0xffc1)), 0xffc1u);
  EXPECT_EQ(EncodeFloat(ElementType::kF16, DecodeFloat(ElementType::kF16, 0xfe01)), 0xfe01u);
}

TEST(Scalar, TextIsShortAndReadsBack) {
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kF32, 0.1)), "0.1");
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kF64, 0.1)), "0.1");
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kF32, -0.0)), "-0");
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kF32, INFINITY)), "inf");
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kBF16, -INFINITY)), "-inf");
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kF16, -NAN)), "nan");
  EXPECT_EQ(ToText(Scalar::Int(ElementType::kPred, 1)), "true");
  EXPECT_EQ(ToText(Scalar::Int(ElementType::kU64, -1)), "18446744073709551615");
  EXPECT_EQ(ToText(Scalar::Complex(ElementType::kC64, {1, -2})), "(1, -2)");
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kBF16, 3.140625)), "3.140625");
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kF16, 65504)), "65504");
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kF8E4M3FN, 448)), "448");
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kF8E5M2, 57344)), "57344");
  EXPECT_EQ(ToText(Scalar::Float(ElementType::kF8E4M3FN, 0.001953125)), "0.001953125");
  for (ElementType type : kNarrowFloats) {
    for (const auto& [v, bits] : FiniteValues(type)) {
      ASSERT_EQ(Scalar::Float(type, std::strtod(ToText(Scalar::Float(type, v)).c_str(), nullptr)).re, v) << Name(type);
    }
  }
}

TEST(Scalar, UlpIsTheDistanceToTheNextValue) {
  for (ElementType type : kNarrowFloats) {
    if (type == ElementType::kF8E8M0FNU) continue;
    const auto values = FiniteValues(type);
    for (auto it = values.lower_bound(0); std::next(it) != values.end(); ++it) {
      ASSERT_EQ(UlpAt(type, it->first), std::next(it)->first - it->first) << Name(type) << " " << it->first;
    }
  }
  EXPECT_EQ(UlpAt(ElementType::kF32, 1), 0x1p-23);
  EXPECT_EQ(UlpAt(ElementType::kF32, 0), 0x1p-149);
  EXPECT_EQ(UnitRoundoff(ElementType::kF32), 0x1p-24);
  EXPECT_EQ(UnitRoundoff(ElementType::kBF16), 0x1p-8);
}

}  // namespace
}  // namespace hloscope
