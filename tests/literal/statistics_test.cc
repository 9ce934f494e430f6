// Numbers about arrays: every type against plain loops over Scalars.
#include "core/literal/statistics.h"

#include <cmath>
#include <random>

#include "absl/strings/str_cat.h"
#include "core/literal/format.h"
#include "core/literal/scalar.h"
#include "core/literal/statistics_scan.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

TEST(StatisticsScan, PartsMakeTheWhole) {
  Value v = Value::Allocate(Shape::Array(ElementType::kF32, {10001}));
  for (int64_t i = 0; i < 10001; ++i) v.mutable_as<float>()[i] = static_cast<float>(i % 97) - 40;
  v.mutable_as<float>()[4999] = -INFINITY;
  v.mutable_as<float>()[9999] = NAN;
  v.mutable_as<float>()[10000] = INFINITY;
  StatisticsScan scan;
  scan.Advance(v, 3000);
  EXPECT_GE(scan.looked(), 3000);
  EXPECT_LT(scan.looked(), 6000);
  EXPECT_EQ(scan.statistics().nan, 0);
  EXPECT_EQ(scan.statistics().count, scan.looked());
  while (scan.looked() < 10001) scan.Advance(v, 3000);
  const Statistics whole = Summarize(v), parts = scan.statistics();
  EXPECT_EQ(parts.nan, 1);
  EXPECT_EQ(parts.inf, 2);
  EXPECT_EQ(scan.negative_inf(), 1);
  EXPECT_EQ(parts.finite, 9998);
  EXPECT_EQ(parts.min, -40);
  EXPECT_EQ(parts.max, 56);
  EXPECT_EQ(parts.mean, whole.mean);
}

TEST(Statistics, EveryTypeAgainstAPlainLoop) {
  std::mt19937 random(1);
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<ElementType>(t);
    if (!IsArrayType(type) || IsComplex(type)) continue;
    for (int64_t n : {0, 1, 7, 8, 9, 5000}) {
      Value v = Value::Allocate(Shape::Array(type, {n}));
      for (int64_t i = 0; i < v.byte_size(); ++i) v.mutable_data()[i] = static_cast<std::byte>(IsPred(type) ? random() & 1 : random());
      if (type == ElementType::kF64 && n > 0) v.mutable_as<double>()[0] = 5e-324;
      int64_t finite = 0, nan = 0, zeros = 0, denormals = 0, first = -1;
      double min = INFINITY, max = -INFINITY;
      long double mean = 0;
      for (int64_t i = 0; i < n; ++i) {
        const Scalar s = LoadScalar(type, v.data() + i * StorageBytes(type));
        const double x = IsFloat(type) ? s.re : IsUnsigned(type) ? static_cast<double>(s.u()) : static_cast<double>(s.i);
        nan += std::isnan(x);
        if (!std::isfinite(x) && first < 0) first = i;
        if (!std::isfinite(x)) continue;
        ++finite;
        zeros += x == 0;
        if (IsFloat(type) && x != 0 && UlpAt(type, x) == UlpAt(type, 0) && std::fabs(x) < UlpAt(type, 0) / (2 * UnitRoundoff(type)))
          ++denormals;
        min = std::min(min, x);
        max = std::max(max, x);
        mean += x / static_cast<long double>(n);
      }
      const Statistics s = Summarize(v);
      EXPECT_EQ(s.count, n) << Name(type);
      EXPECT_EQ(s.finite, finite) << Name(type);
      EXPECT_EQ(s.nan, nan) << Name(type);
      EXPECT_EQ(s.inf, n - finite - nan) << Name(type);
      EXPECT_EQ(s.zeros, zeros) << Name(type);
      EXPECT_EQ(s.denormals, denormals) << Name(type);
      EXPECT_EQ(s.min, finite > 0 ? min : 0) << Name(type);
      EXPECT_EQ(s.max, finite > 0 ? max : 0) << Name(type);
      if (finite == n && n > 0) {
        EXPECT_NEAR(s.mean, static_cast<double>(mean), 1e-9 * std::max(std::fabs(min), std::fabs(max))) << Name(type);
      }
      EXPECT_EQ(FindNonFinite(v).first, first) << Name(type) << " " << n;
    }
  }
}

// What is decoded without a branch is what its bits say.
TEST(Statistics, EveryNumberOfSixteenBits) {
  for (const ElementType type : {ElementType::kF16, ElementType::kBF16}) {
    for (int bits = 0; bits < 1 << 16; ++bits) {
      Value v = Value::Allocate(Shape::Array(type, {1}));
      v.mutable_as<uint16_t>()[0] = static_cast<uint16_t>(bits);
      const double x = DecodeFloat(type, static_cast<uint64_t>(bits));
      const Statistics s = Summarize(v);
      ASSERT_EQ(s.nan, std::isnan(x)) << bits;
      ASSERT_EQ(s.inf, std::isinf(x)) << bits;
      ASSERT_EQ(s.min, std::isfinite(x) ? x : 0) << bits;
      ASSERT_EQ(s.zeros, x == 0) << bits;
    }
  }
}

TEST(Statistics, MinusZeroIsBelowZero) {
  const auto of = [](std::vector<float> numbers) {
    Value v = Value::Allocate(Shape::Array(ElementType::kF32, {static_cast<int64_t>(numbers.size())}));
    std::copy(numbers.begin(), numbers.end(), v.mutable_as<float>());
    const Statistics s = Summarize(v);
    return absl::StrCat(s.minus_zeros, " of ", s.zeros, ": ", FormatDouble(s.min), " .. ", FormatDouble(s.max), ", ", FormatDouble(s.mean));
  };
  EXPECT_EQ(of({-0.0f, -0.0f, -0.0f}), "3 of 3: -0 .. -0, -0");
  EXPECT_EQ(of({0, -0.0f, 0, 0, 0, 0, 0, 0, 0, 0}), "1 of 10: -0 .. 0, 0");
  EXPECT_EQ(of({-0.0f, 0}), "1 of 2: -0 .. 0, 0");
  EXPECT_EQ(of({0, 0}), "0 of 2: 0 .. 0, 0");
  EXPECT_EQ(of({0, -0.0f, 4}), "1 of 2: -0 .. 4, 1.33333");
  EXPECT_EQ(of({-4, -0.0f}), "1 of 1: -4 .. -0, -2");
  EXPECT_EQ(of({-0.0f, NAN}), "1 of 1: -0 .. -0, -0");
  EXPECT_EQ(of({-0.0f, 0, INFINITY}), "1 of 2: -0 .. 0, 0");
}

TEST(Statistics, MeanOfHugeNumbersDoesNotOverflow) {
  Value v = Value::Allocate(Shape::Array(ElementType::kF64, {4}));
  for (int i = 0; i < 4; ++i) v.mutable_as<double>()[i] = 1.5e308;
  EXPECT_EQ(Summarize(v).mean, 1.5e308);
}

TEST(Statistics, MeanOfWholeNumbersThatNoDoubleHas) {
  Value v = Value::Allocate(Shape::Array(ElementType::kS64, {4}));
  const int64_t numbers[] = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min(), 0, 1};
  std::copy(std::begin(numbers), std::end(numbers), v.mutable_as<int64_t>());
  EXPECT_EQ(Summarize(v).mean, 0);
  Value u = Value::Allocate(Shape::Array(ElementType::kU64, {2}));
  u.mutable_as<uint64_t>()[0] = u.mutable_as<uint64_t>()[1] = uint64_t{1} << 63;
  EXPECT_EQ(Summarize(u).mean, 0x1p63);
}

TEST(Statistics, NonFiniteFindsBothKinds) {
  Value v = Value::Allocate(Shape::Array(ElementType::kF32, {1000}));
  for (int i = 0; i < 1000; ++i) v.mutable_as<float>()[i] = static_cast<float>(i);
  EXPECT_EQ(FindNonFinite(v).first, -1);
  v.mutable_as<float>()[700] = -INFINITY;
  v.mutable_as<float>()[999] = NAN;
  const NonFinite found = FindNonFinite(v);
  EXPECT_EQ(found.first, 700);
  EXPECT_TRUE(found.nan && found.inf);
}

}  // namespace
}  // namespace hloscope
