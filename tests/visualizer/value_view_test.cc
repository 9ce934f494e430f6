// Planes, colours, histograms, bits and the facts that the value panel and the inspector show, without a window.
#include "visualizer/model/value_view.h"

#include <cmath>
#include <complex>
#include <limits>
#include <memory>

#include "backends/reference/backend.h"
#include "core/debug/color_scale.h"
#include "core/debug/kernel_texts.h"
#include "core/debug/picture.h"
#include "core/debug/session_state.h"
#include "core/literal/format.h"
#include "core/literal/scalar.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "visualizer/model/instruction_facts.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Value Iota(std::vector<int64_t> dimensions) {
  Value value = Value::Allocate(Shape::Array(ElementType::kF32, dimensions));
  for (int64_t k = 0; k < value.element_count(); ++k) value.mutable_as<float>()[k] = static_cast<float>(k);
  return value;
}

NumberBits BitsOfNumber(ElementType type, double x) {
  std::byte storage[16] = {};
  StoreScalar(IsFloat(type) ? Scalar::Float(type, x) : IsComplex(type) ? Scalar::Complex(type, {x, -x}) : Scalar::Int(type, static_cast<int64_t>(x)), storage);
  return BitsOf(type, storage);
}

std::string Joined(const NumberBits& bits) {
  std::string text;
  for (const BitGroup& group : bits.groups) text += (text.empty() ? "" : " ") + group.bits;
  return text;
}

TEST(Plane, TakesTheChosenDimensions) {
  const Value value = Iota({2, 3, 4});
  PlaneAxes axes;
  axes.rows = 2;
  axes.columns = 0;
  axes.at = {0, 1, 0};
  const Plane plane = MakePlane(value, axes, WholePlane(value.shape(), axes, 100, 100));
  ASSERT_EQ(plane.cells.size(), 8u);
  EXPECT_EQ(plane.at(3, 1).mean, 1 * 12 + 1 * 4 + 3);
  EXPECT_EQ(plane.at(0, 0).mean, 4);
  EXPECT_EQ(plane.low, 4);
  EXPECT_EQ(plane.high, 19);
}

TEST(Plane, CellsKeepExtremesAndCountWhatIsNotFinite) {
  Value value = Iota({5, 7});
  value.mutable_as<float>()[8] = std::numeric_limits<float>::quiet_NaN();
  value.mutable_as<float>()[0] = -std::numeric_limits<float>::infinity();
  value.mutable_as<float>()[34] = std::numeric_limits<float>::infinity();
  const PlaneAxes axes = StandardAxes(value.shape());
  PlaneWindow window = WholePlane(value.shape(), axes, 3, 2);
  EXPECT_EQ(window.row_step, 2);
  EXPECT_EQ(window.column_step, 4);
  const Plane plane = MakePlane(value, axes, window);
  ASSERT_EQ(plane.cells.size(), 6u);
  EXPECT_EQ(plane.at(0, 0).nan, 1);
  EXPECT_EQ(plane.at(0, 0).minus_inf, 1);
  EXPECT_EQ(plane.at(0, 0).finite, 6);
  EXPECT_EQ(plane.at(0, 0).low, 1);
  EXPECT_EQ(plane.at(0, 0).high, 10);
  EXPECT_EQ(plane.at(2, 1).plus_inf, 1);   // the corner cell is smaller: one row, three columns
  EXPECT_EQ(plane.at(2, 1).finite, 2);
  EXPECT_EQ(plane.at(2, 1).mean, 32.5);
  EXPECT_EQ(plane.nan, 1);
  EXPECT_EQ(plane.inf, 2);
  EXPECT_FALSE(plane.sampled);
}

// -0 is another number than 0, and is drawn as it is.
TEST(Plane, KeepsTheSignOfZero) {
  Value value = Iota({2, 2});
  value.mutable_as<float>()[3] = -0.0f;
  const PlaneAxes axes = StandardAxes(value.shape());
  const Plane plane = MakePlane(value, axes, WholePlane(value.shape(), axes, 10, 10));
  EXPECT_FALSE(std::signbit(plane.at(0, 0).mean));
  EXPECT_TRUE(std::signbit(plane.at(1, 1).mean));
}

TEST(Plane, AWindowInTheMiddle) {
  const Value value = Iota({10, 10});
  PlaneWindow window;
  window.row = 4, window.rows = 2, window.column = 7, window.columns = 3;
  const Plane plane = MakePlane(value, StandardAxes(value.shape()), window);
  ASSERT_EQ(plane.cells.size(), 6u);
  EXPECT_EQ(plane.at(0, 0).mean, 47);
  EXPECT_EQ(plane.at(1, 2).mean, 59);
}

// A part that is NaN makes the number NaN, in figures, map and picture alike; ULP of two complex numbers are those of their distance.
TEST(Plane, ComplexNumbers) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  Value a = Value::Allocate(Shape::Array(ElementType::kC64, {4}));
  std::complex<float>* at = a.mutable_as<std::complex<float>>();
  at[0] = {1, 2}, at[1] = {inf, nan}, at[2] = {nan, 1}, at[3] = {inf, 3};
  const PlaneAxes axes = StandardAxes(a.shape());
  const PlaneWindow window = WholePlane(a.shape(), axes, 10, 10);
  const Plane plane = MakePlane(a, axes, window);
  const Statistics statistics = Summarize(a);
  EXPECT_EQ(plane.nan, statistics.nan);
  EXPECT_EQ(plane.inf, statistics.inf);
  EXPECT_EQ(plane.at(0, 1).nan, 1);
  EXPECT_TRUE(std::isnan(PartOfComplex(a, ComplexPart::kMagnitude).as<float>()[1]));
  Value b = Value::Allocate(a.shape());
  std::copy(at, at + 4, b.mutable_as<std::complex<float>>());
  b.mutable_as<std::complex<float>>()[0] = {1, std::nextafter(2.0f, 3.0f)};
  const Plane ulp = MakePlane(a, axes, window, PlaneOf::kUlp, &b);
  EXPECT_EQ(ulp.at(0, 0).mean, 1);
  EXPECT_EQ(ulp.at(0, 1).mean, 0);
  EXPECT_EQ(ulp.nan + ulp.inf, 0);
}

TEST(Plane, FiniteNumbersThatAreFarApartDifferByFiniteNumbers) {
  Value a = Value::Allocate(Shape::Array(ElementType::kF64, {1})), b = Value::Allocate(a.shape());
  a.mutable_as<double>()[0] = 1e308;
  b.mutable_as<double>()[0] = -1e308;
  const PlaneAxes axes = StandardAxes(a.shape());
  const PlaneWindow window = WholePlane(a.shape(), axes, 10, 10);
  EXPECT_EQ(MakePlane(a, axes, window, PlaneOf::kDifference, &b).at(0, 0).mean, std::numeric_limits<double>::max());
  const double ulp = MakePlane(a, axes, window, PlaneOf::kUlp, &b).at(0, 0).mean;
  EXPECT_NEAR(ulp, 1e16, 1e14);
  const absl::StatusOr<ComparisonFacts> facts = CompareWith(a, b, "%b");
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->worst_ulp, ulp);
}

TEST(Plane, ZeroSignsAreTold) {
  Value a = Iota({3}), b = Iota({3});
  b.mutable_as<float>()[0] = -0.0f;
  b.mutable_as<float>()[2] = 7;
  const absl::StatusOr<ComparisonFacts> facts = CompareWith(a, b, "%b");
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->different, 2);
  EXPECT_EQ(facts->zero_signs, 1);
}

TEST(Plane, DifferencesAndUlps) {
  Value a = Iota({2, 2}), b = Iota({2, 2});
  a.mutable_as<float>()[3] = std::nextafter(3.0f, 4.0f);
  b.mutable_as<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  const PlaneAxes axes = StandardAxes(a.shape());
  const PlaneWindow window = WholePlane(a.shape(), axes, 10, 10);
  const Plane ulp = MakePlane(a, axes, window, PlaneOf::kUlp, &b);
  EXPECT_EQ(ulp.at(1, 1).mean, 1);
  EXPECT_EQ(ulp.at(0, 1).mean, 0);
  EXPECT_EQ(ulp.at(0, 0).plus_inf, 1);  // a number beside a NaN
  const Plane difference = MakePlane(a, axes, window, PlaneOf::kDifference, &b);
  EXPECT_GT(difference.at(1, 1).mean, 0);
  EXPECT_LT(difference.at(1, 1).mean, 1e-6);
}

TEST(Plane, ReadsEveryTypeAsTheScalarCodecDoes) {
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<ElementType>(t);
    if (!IsArrayType(type)) continue;
    Value value = Value::Allocate(Shape::Array(type, {37}));
    for (int64_t k = 0; k < 37; ++k) {
      const double x = IsFloat(type) ? std::ldexp(k - 18, -3) : static_cast<double>(k);
      StoreScalar(IsComplex(type) ? Scalar::Complex(type, {x, 1}) : IsFloat(type) ? Scalar::Float(type, x) : Scalar::Int(type, IsSigned(type) ? k - 18 : k), value.mutable_data() + k * StorageBytes(type));
    }
    double numbers[12];
    ReadNumbers(value, 1, 3, 12, numbers);
    for (int k = 0; k < 12; ++k) {
      const Scalar s = LoadScalar(type, value.data() + (1 + 3 * k) * StorageBytes(type));
      const double expected = IsComplex(type) ? std::abs(s.c()) : IsFloat(type) ? s.re : IsUnsigned(type) ? static_cast<double>(s.u()) : static_cast<double>(s.i);
      EXPECT_TRUE(numbers[k] == expected || (std::isnan(numbers[k]) && std::isnan(expected))) << Name(type) << " at " << k << ": " << numbers[k] << " and " << expected;
    }
  }
}

TEST(Plane, AxesAreBroughtIntoBounds) {
  const Shape shape = Shape::Array(ElementType::kF32, {2, 3, 4});
  PlaneAxes axes;
  axes.rows = 7, axes.columns = 1;
  axes.at = {9, 9};
  axes = FitAxes(shape, axes);
  EXPECT_EQ(axes.rows, -1);
  EXPECT_EQ(axes.columns, 1);
  EXPECT_THAT(axes.at, ElementsAre(1, 0, 0));
}

TEST(ColorScale, PlacesAndBack) {
  ColorScale scale = FitScale(2, 10);
  EXPECT_EQ(scale.ramp, ColorRamp::kSequential);
  EXPECT_DOUBLE_EQ(scale.PlaceOf(6), 0.5);
  EXPECT_DOUBLE_EQ(scale.PlaceOf(1), 0);
  EXPECT_DOUBLE_EQ(scale.NumberAt(0.25), 4);
  scale = FitScale(-1, 4);
  EXPECT_EQ(scale.ramp, ColorRamp::kDiverging);
  EXPECT_DOUBLE_EQ(scale.PlaceOf(0), 0.5);
  EXPECT_DOUBLE_EQ(scale.PlaceOf(-4), 0);
  EXPECT_DOUBLE_EQ(scale.PlaceOf(2), 0.75);
  EXPECT_DOUBLE_EQ(scale.NumberAt(0.75), 2);
  scale = FitScale(0, 1000);
  scale.log = true;
  scale.least = 1;
  EXPECT_NEAR(scale.PlaceOf(31.6227766), 0.5, 1e-6);
  EXPECT_NEAR(scale.NumberAt(0.5), 31.6227766, 1e-4);
  EXPECT_DOUBLE_EQ(scale.PlaceOf(0), 0);
  scale = FitScale(-100, 10);
  scale.log = true;
  scale.least = 0.1;
  for (const double x : {-100.0, -1.0, -0.1, 0.1, 5.0, 10.0}) EXPECT_NEAR(scale.NumberAt(scale.PlaceOf(x)), x, 1e-9);
  EXPECT_DOUBLE_EQ(scale.PlaceOf(0), 0.5);
  PlaneCell cell;
  cell.finite = 5;
  cell.nan = 1;
  EXPECT_EQ(scale.ColorOf(cell), kNanColor);
}

TEST(ColorScale, RangesThatOverflow) {
  ColorScale scale = FitScale(-1e308, 1e308);
  scale.ramp = ColorRamp::kGray;
  EXPECT_DOUBLE_EQ(scale.PlaceOf(-1e308), 0);
  EXPECT_DOUBLE_EQ(scale.PlaceOf(1e-308), 0.5);
  EXPECT_DOUBLE_EQ(scale.PlaceOf(1e308), 1);
  EXPECT_DOUBLE_EQ(scale.NumberAt(0), -1e308);
  EXPECT_DOUBLE_EQ(scale.NumberAt(0.5), 0);
  EXPECT_DOUBLE_EQ(scale.NumberAt(1), 1e308);
}

TEST(ColorScale, LogarithmsOfMoreThanOneNumberCanHave) {
  ColorScale scale = FitScale(1e-310, 1e300);
  scale.log = true;
  scale.least = 1e-310;
  EXPECT_NEAR(scale.PlaceOf(1e-310), 0, 1e-6);
  EXPECT_NEAR(scale.PlaceOf(1e-5), 0.5, 1e-3);
  EXPECT_DOUBLE_EQ(scale.PlaceOf(1e300), 1);
  EXPECT_DOUBLE_EQ(scale.NumberAt(1), 1e300);
  EXPECT_NEAR(std::log10(scale.NumberAt(0.5)), -5, 1e-3);
  scale = FitScale(-1e300, 1e300);
  scale.log = true;
  scale.least = 1e-310;
  EXPECT_DOUBLE_EQ(scale.PlaceOf(1e300), 1);
  EXPECT_LT(scale.PlaceOf(1e100), scale.PlaceOf(1e300) - 0.05);
  EXPECT_LT(scale.PlaceOf(-1e-310), 0.45);
  EXPECT_DOUBLE_EQ(scale.NumberAt(1), 1e300);
}

// A logarithm has no place for it: in each ramp it is told from the least size.
TEST(ColorScale, ZeroIsNoSize) {
  const auto distance = [](uint32_t a, uint32_t b) {
    int sum = 0;
    for (int c = 0; c < 24; c += 8) sum += std::abs(static_cast<int>(a >> c & 0xff) - static_cast<int>(b >> c & 0xff));
    return sum;
  };
  for (const bool dark : {false, true}) {
    for (const ColorRamp ramp : {ColorRamp::kSequential, ColorRamp::kDiverging, ColorRamp::kGray}) {
      ColorScale scale = FitScale(ramp == ColorRamp::kDiverging ? -1000 : 0, 1000);
      scale.ramp = ramp;
      scale.dark = dark;
      scale.log = true;
      scale.least = 1;
      EXPECT_EQ(scale.ColorOf(0.0), scale.ColorOf(-0.0));
      int least = 1000;
      for (double x = 1; x <= 1000; x *= 1.02)
        least = std::min({least, distance(scale.ColorOf(0.0), scale.ColorOf(x)), distance(scale.ColorOf(0.0), scale.ColorOf(-x))});
      EXPECT_GE(least, 40) << static_cast<int>(ramp) << dark;
      scale.least = 1000;  // zero and one size
      EXPECT_GE(distance(scale.ColorOf(0.0), scale.ColorOf(1000.0)), 200) << static_cast<int>(ramp) << dark;
    }
  }
}

TEST(Histogram, WholeNumbersHaveABinEach) {
  Value value = Value::Allocate(Shape::Array(ElementType::kS32, {6}));
  const int32_t numbers[] = {3, 5, 5, 5, 7, 3};
  std::copy(numbers, numbers + 6, value.mutable_as<int32_t>());
  const Histogram h = MakeHistogram(value, 3, 7, 64);
  EXPECT_TRUE(h.whole);
  EXPECT_THAT(h.bins, ElementsAre(2, 0, 3, 0, 1));
}

TEST(Histogram, LeavesOutWhatIsNotFinite) {
  Value value = Iota({10});
  value.mutable_as<float>()[4] = std::numeric_limits<float>::quiet_NaN();
  const Histogram h = MakeHistogram(value, 0, 9, 3);
  EXPECT_EQ(h.looked, 9);
  EXPECT_THAT(h.bins, ElementsAre(3, 2, 4));
  EXPECT_EQ(h.BinLow(1), 3);
}

TEST(Histogram, OfOneNumberHasOneBin) {
  const Value value = Value::Scalar<float>(ElementType::kF32, 2.5f);
  const Histogram h = MakeHistogram(value, 2.5, 2.5, 64);
  EXPECT_THAT(h.bins, ElementsAre(1));
}

TEST(Histogram, RangeThatOverflowsAndRangeOfDenormals) {
  Value value = Value::Allocate(Shape::Array(ElementType::kF64, {3}));
  double* const x = value.mutable_as<double>();
  x[0] = 1e308, x[1] = -1e308, x[2] = 5e307;
  const Histogram h = MakeHistogram(value, -1e308, 1e308, 4);
  EXPECT_THAT(h.bins, ElementsAre(1, 0, 0, 2));
  EXPECT_EQ(h.BinLow(0), -1e308);
  EXPECT_EQ(h.BinLow(2), 0);
  EXPECT_EQ(h.BinLow(4), 1e308);
  EXPECT_EQ(PlaceInRange(5e307, -1e308, 1e308), 0.75);
  x[0] = 0, x[1] = 5e-324, x[2] = 5e-324;
  EXPECT_THAT(MakeHistogram(value, 0, 5e-324, 4).bins, ElementsAre(1, 0, 0, 2));
}

TEST(Bits, OfFloats) {
  const NumberBits bits = BitsOfNumber(ElementType::kF32, 0.3125);
  EXPECT_EQ(Joined(bits), "0 01111101 01000000000000000000000");
  EXPECT_EQ(bits.hex, "0x3ea00000");
  EXPECT_EQ(bits.groups[1].meaning, "2^-2");
  EXPECT_EQ(bits.groups[2].meaning, "1.25");
  EXPECT_EQ(bits.kind, "normal");
  EXPECT_EQ(Joined(BitsOfNumber(ElementType::kBF16, -2)), "1 10000000 0000000");
  EXPECT_EQ(BitsOfNumber(ElementType::kF16, std::ldexp(1.0, -24)).kind, "denormal");
  EXPECT_EQ(BitsOfNumber(ElementType::kF16, std::ldexp(1.0, -24)).groups[1].meaning, "2^-14");
  EXPECT_EQ(BitsOfNumber(ElementType::kF32, -0.0).kind, "zero");
  EXPECT_EQ(BitsOfNumber(ElementType::kF64, std::numeric_limits<double>::infinity()).kind, "infinity");
  EXPECT_EQ(BitsOfNumber(ElementType::kF8E4M3FN, std::numeric_limits<double>::quiet_NaN()).kind, "NaN");
}

// Whatever the type, sign, power and mantissa give the number back.
TEST(Bits, OfEveryFloatTypeSayTheNumber) {
  for (int t = 0; t < kElementTypeCount; ++t) {
    const auto type = static_cast<ElementType>(t);
    if (!IsFloat(type)) continue;
    for (const double wanted : {1.0, 0.5, 2.0, 4.0}) {
      const NumberBits bits = BitsOfNumber(type, wanted);
      double power = 0, fraction = 1;
      size_t width = 0;
      for (const BitGroup& group : bits.groups) {
        width += group.bits.size();
        if (group.kind == BitGroup::kExponent) power = std::stod(group.meaning.substr(2));
        if (group.kind == BitGroup::kMantissa) fraction = std::stod(group.meaning);
      }
      EXPECT_EQ(width, static_cast<size_t>(BitWidth(type))) << Name(type);
      EXPECT_EQ(std::exp2(power) * fraction, wanted) << Name(type) << " " << Joined(bits);
    }
  }
}

TEST(Bits, OfIntegersAndComplexNumbers) {
  EXPECT_EQ(Joined(BitsOfNumber(ElementType::kS8, -3)), "1 1111101");
  EXPECT_EQ(BitsOfNumber(ElementType::kS8, -3).groups[0].meaning, "-2^7");
  EXPECT_EQ(Joined(BitsOfNumber(ElementType::kU4, 9)), "1001");
  EXPECT_EQ(BitsOfNumber(ElementType::kC64, 1).groups.size(), 6u);
  EXPECT_EQ(BitsOfNumber(ElementType::kC64, 1).hex, "0x3f800000 0xbf800000");
}

TEST(Numbers, AreShort) {
  EXPECT_EQ(ShortText(0.3125), "0.3125");
  EXPECT_EQ(ShortText(-0.0), "-0");
  EXPECT_EQ(ShortText(123456), "123456");
  EXPECT_EQ(ShortText(1.234e-7), "1.234e-07");
  EXPECT_EQ(ShortText(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(IndexText({3, 0}), "[3,0]");
  EXPECT_EQ(IndexText({}), "");
}

TEST(Picture, IsAPng) {
  const absl::StatusOr<Picture> picture = DrawValue(Iota({3, 5}), {.least = 10});
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->width, 10);
  EXPECT_EQ(picture->height, 6);
  const std::string png = EncodePng(*picture);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(png.substr(png.size() - 8, 4), "IEND");
}

TEST(Picture, IsDrawnWithTheScaleThatIsAskedFor) {
  PictureOptions options;
  options.least = 1;
  options.range.emplace(-10, 10);
  options.dark = true;
  options.log = true;
  options.floor = 0.5;
  ColorScale scale = FitScale(-10, 10);
  scale.dark = scale.log = true;
  scale.least = 0.5;
  absl::StatusOr<Picture> picture = DrawValue(Iota({2, 3}), options);
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->pixels[5], scale.ColorOf(5.0));
  EXPECT_NE(picture->pixels[5], FitScale(0, 5).ColorOf(5.0));
  options.transpose = true;
  picture = DrawValue(Iota({2, 3}), options);
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->width, 2);
  EXPECT_EQ(picture->pixels[1], scale.ColorOf(3.0));
  options.shows = PictureOptions::kGreatest;
  options.most = 1;
  picture = DrawValue(Iota({2, 3}), options);
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->pixels[0], scale.ColorOf(5.0));
  options.part = ComplexPart::kReal;
  EXPECT_FALSE(DrawValue(Iota({2, 3}), options).ok());
}

TEST(Complex, PartsStandForNumbers) {
  Value z = Value::Allocate(Shape::Array(ElementType::kC64, {2}));
  z.mutable_as<std::complex<float>>()[0] = {3, -4};
  z.mutable_as<std::complex<float>>()[1] = {0, 2};
  const auto numbers = [&](ComplexPart part) {
    const Value real = PartOfComplex(z, part);
    return std::vector<float>(real.as<float>(), real.as<float>() + 2);
  };
  EXPECT_THAT(numbers(ComplexPart::kMagnitude), ElementsAre(5, 2));
  EXPECT_THAT(numbers(ComplexPart::kReal), ElementsAre(3, 0));
  EXPECT_THAT(numbers(ComplexPart::kImaginary), ElementsAre(-4, 2));
  EXPECT_FLOAT_EQ(numbers(ComplexPart::kAngle)[1], std::acos(-1.0f) / 2);
  EXPECT_EQ(ParseComplexPart("im"), ComplexPart::kImaginary);
  EXPECT_EQ(ParseComplexPart("phase"), std::nullopt);
}

// An infinity beside a NaN is said too, whichever part is looked at.
TEST(Complex, BothPartsAreCounted) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  Instruction instruction;
  instruction.shape = Shape::Array(ElementType::kC64, {5});
  Value z = Value::Allocate(instruction.shape);
  std::complex<float>* at = z.mutable_as<std::complex<float>>();
  at[0] = {1, 2}, at[1] = {inf, nan}, at[2] = {nan, 1}, at[3] = {0, -inf}, at[4] = {3, 4};
  for (const ComplexPart part : {ComplexPart::kMagnitude, ComplexPart::kReal, ComplexPart::kImaginary, ComplexPart::kAngle}) {
    const ValueFacts facts = FactsOfValue({&instruction}, z, part);
    EXPECT_EQ(facts.nan, 2) << SignOf(part);
    EXPECT_EQ(facts.inf, 2) << SignOf(part);
    EXPECT_EQ(facts.first_nan, 1) << SignOf(part);
    EXPECT_EQ(facts.first_inf, 1) << SignOf(part);
  }
}

TEST(Picture, OfChannels) {
  EXPECT_EQ(ChannelDimension(Shape::Array(ElementType::kF32, {8, 8, 3})), 2);
  EXPECT_EQ(ChannelDimension(Shape::Array(ElementType::kF32, {3, 8, 8})), 0);
  EXPECT_EQ(ChannelDimension(Shape::Array(ElementType::kF32, {8, 8})), -1);
  PictureOptions options;
  options.rgb = true;
  options.least = 1;
  const absl::StatusOr<Picture> picture = DrawValue(Iota({1, 1, 3}), options);
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->pixels[0], 0xffff8000u);  // 0, the middle, the greatest
  EXPECT_FALSE(DrawValue(Iota({4, 4}), options).ok());
}

// -- With a session --

constexpr char kProgram[] = R"(HloModule m
plus {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}
ENTRY main {
  x = f32[2,3]{0,1} parameter(0)
  two = f32[] constant(2)
  twos = f32[2,3] broadcast(two), dimensions={}
  y = f32[2,3]{1,0} multiply(x, twos), metadata={op_name="net/double" source_file="net.py" source_line=7}
  sum = f32[2] reduce(y, two), dimensions={1}, to_apply=plus
  pair = (f32[2], f32[2,3]) tuple(sum, y)
  ROOT back = f32[2,3] get-tuple-element(pair), index=1
}
)";

class WithSession : public ::testing::Test {
 protected:
  void SetUp() override {
    DiagnosticSink sink;
    auto module = ReadHloText(std::make_shared<SourceText>("m.hlo", kProgram), sink);
    Verify(*module, sink);
    ASSERT_EQ(sink.error_count(), 0);
    SessionOptions options;
    options.fill.kind = Fill::kIota;
    session_ = std::make_unique<Session>(std::move(module), MakeReferenceBackend({}), options, [this](absl::string_view text) { said_ += std::string(text); });
  }
  Session::State& s() { return session_->state(); }
  const Instruction* Named(absl::string_view name) { return s().module->entry->FindInstruction(name); }
  std::string said_;
  std::unique_ptr<Session> session_;
};

TEST_F(WithSession, SaysWhatIsThere) {
  EXPECT_EQ(StandingOf(s(), *Named("y")).why, "the program is not running");
  EXPECT_TRUE(StandingOf(s(), *Named("two")).there);  // a constant
  session_->Execute("start");
  session_->Execute("until y");
  const Standing y = StandingOf(s(), *Named("y"));
  EXPECT_FALSE(y.there);
  EXPECT_EQ(y.why, "not executed yet");
  EXPECT_THAT(y.operands_there, ElementsAre(true, true));
  EXPECT_EQ(StandingOf(s(), *s().module->FindComputation("plus")->root).why, "plus does not run now");
  EXPECT_FALSE(ValueOfLeaf(s(), {Named("y"), 0}).ok());
  EXPECT_TRUE(ValueOfLeaf(s(), {Named("x"), 0}).ok());
  // Ahead, without moving the program.
  const absl::StatusOr<Value> ahead = ValueOfLeaf(s(), {Named("y"), 0, true});
  ASSERT_TRUE(ahead.ok()) << ahead.status();
  double last = 0;
  ReadNumbers(*ahead, 5, 1, 1, &last);
  EXPECT_EQ(last, 10);
  EXPECT_FALSE(StandingOf(s(), *Named("y")).there);
}

TEST_F(WithSession, FactsOfAnElementKnowTheLayout) {
  session_->Execute("start");
  session_->Execute("until back");
  const ValueName x = {Named("x"), 0};
  const absl::StatusOr<Value> value = ValueOfLeaf(s(), x);
  ASSERT_TRUE(value.ok()) << value.status();
  const ElementFacts facts = FactsOfElement(x, *value, {1, 2});
  EXPECT_EQ(facts.text, "5");
  EXPECT_EQ(facts.linear, 5);
  EXPECT_EQ(facts.physical, 5);
  const ElementFacts middle = FactsOfElement(x, *value, {1, 0});
  EXPECT_EQ(middle.linear, 3);
  EXPECT_EQ(middle.physical, 1);  // columns first
  EXPECT_EQ(middle.byte, 4);
  const ValueFacts whole = FactsOfValue(x, *value);
  EXPECT_EQ(whole.statistics.max, 5);
  EXPECT_EQ(whole.least_size, 1);
  EXPECT_EQ(whole.first_nan, -1);
  EXPECT_EQ(PlaneText(*value, StandardAxes(value->shape()), 100), "0\t1\t2\n3\t4\t5\n");
}

TEST_F(WithSession, LeavesOfTuples) {
  session_->Execute("start");
  session_->Execute("until back");
  const absl::StatusOr<Value> sum = ValueOfLeaf(s(), {Named("pair"), 0}), y = ValueOfLeaf(s(), {Named("pair"), 1});
  ASSERT_TRUE(sum.ok() && y.ok());
  EXPECT_EQ(sum->shape().rank(), 1);
  EXPECT_EQ(y->shape().rank(), 2);
  EXPECT_FALSE(ValueOfLeaf(s(), {Named("pair"), 2}).ok());
}

TEST_F(WithSession, Compares) {
  session_->Execute("start");
  session_->Execute("until back");
  const absl::StatusOr<Value> y = ValueOfLeaf(s(), {Named("y"), 0}), x = ValueOfExpression(s(), "%x");
  ASSERT_TRUE(y.ok() && x.ok());
  const absl::StatusOr<ComparisonFacts> facts = CompareWith(*y, *x, "%x");
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(facts->different, 5);  // 0 is 0
  EXPECT_EQ(facts->largest, 5);
  EXPECT_FALSE(facts->worst.empty());
  const absl::StatusOr<Value> sum = ValueOfExpression(s(), "%sum");
  ASSERT_TRUE(sum.ok());
  EXPECT_THAT(std::string(CompareWith(*y, *sum, "%sum").status().message()), HasSubstr("must have the dimensions"));
}

TEST_F(WithSession, WhyAsRows) {
  session_->Execute("start");
  session_->Execute("until back");
  const absl::StatusOr<WhyRows> why = AskWhy(s(), {Named("sum"), 0}, {1});
  ASSERT_TRUE(why.ok()) << why.status();
  ASSERT_GT(why->rows.size(), 2u);
  EXPECT_EQ(why->rows[0].place, "%sum[1]");
  EXPECT_EQ(why->rows[0].value, "26");  // 2 + 2 * (3 + 4 + 5)
  EXPECT_EQ(why->rows[0].depth, 0);
  EXPECT_THAT(why->slice, ::testing::Contains(Named("y")));
  EXPECT_FALSE(AskWhy(s(), {Named("sum"), 0}, {1, 2}).ok());
}

TEST_F(WithSession, FactsOfAnInstruction) {
  const InstructionFacts y = FactsOfInstruction(s(), *Named("y"));
  EXPECT_EQ(y.opcode, "multiply");
  EXPECT_EQ(y.kind, "pointwise");
  std::string formula;
  std::vector<std::string> names;
  for (const CodePiece& piece : y.formula) {
    formula += piece.text;
    if (piece.kind == CodePiece::kName) names.push_back(piece.text);
  }
  EXPECT_THAT(names, ElementsAre("x", "twos"));
  EXPECT_THAT(formula, HasSubstr("x[i, j] * twos[i, j]"));
  EXPECT_THAT(y.users, ElementsAre(Named("sum"), Named("pair")));
  EXPECT_EQ(y.scope, "net/double");
  ASSERT_EQ(y.source.size(), 1u);
  EXPECT_EQ(y.source[0].file, "net.py");
  EXPECT_EQ(y.source[0].line, 7);
  EXPECT_FALSE(y.requirements.empty());
  EXPECT_TRUE(y.time.empty());
  const InstructionFacts sum = FactsOfInstruction(s(), *Named("sum"));
  EXPECT_EQ(sum.kind, "reduction");
  EXPECT_EQ(sum.attributes[0], (std::pair<std::string, std::string>("dimensions", "{1}")));
  ASSERT_EQ(sum.calls.size(), 1u);
  EXPECT_EQ(sum.calls[0]->name, "plus");
  EXPECT_EQ(KindOf(*Named("twos")), "movement");
  EXPECT_THAT(FactsOfInstruction(s(), *Named("back")).result_of, ElementsAre(Named("back")->parent));
}

TEST_F(WithSession, FactsTakeUpMeasurements) {
  session_->Execute("profile run");
  session_->Execute("shadow");
  const InstructionFacts y = FactsOfInstruction(s(), *Named("y"));
  EXPECT_FALSE(y.time.empty());
  EXPECT_FALSE(y.error.empty());
}

TEST_F(WithSession, TextsOfKernels) {
  const absl::StatusOr<KernelTexts> texts = TextsOfKernel(s(), *Named("y"));
  ASSERT_TRUE(texts.ok());
  EXPECT_EQ(texts->region, "%y alone");
  ASSERT_FALSE(texts->artifacts.empty());
  EXPECT_THAT(texts->artifacts[0].text, HasSubstr("*"));
}

}  // namespace
}  // namespace hloscope
