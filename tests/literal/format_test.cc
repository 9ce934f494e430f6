// How values look.
#include "core/literal/format.h"

#include <cmath>

#include "core/literal/scalar.h"
#include "gtest/gtest.h"
#include "tests/literal/counting.h"

namespace hloscope {
namespace {

TEST(Format, ArraysOfSeveralRanks) {
  EXPECT_EQ(FormatValue(Value::Scalar<float>(ElementType::kF32, 2.5f)), "2.5");
  EXPECT_EQ(FormatValue(Counting(ElementType::kS32, {3})), "[0, 1, 2]");
  EXPECT_EQ(FormatValue(Counting(ElementType::kF32, {2, 2})), "[[0, 0.5],\n [1, 1.5]]");
  EXPECT_EQ(FormatValue(Counting(ElementType::kU8, {2, 1, 2})), "[[[0, 1]],\n\n [[2, 3]]]");
  EXPECT_EQ(FormatValue(Counting(ElementType::kPred, {2})), "[false, true]");
  EXPECT_EQ(FormatValue(Counting(ElementType::kF32, {0})), "[]");
  EXPECT_EQ(FormatValue(Counting(ElementType::kF32, {2, 0})), "[[],\n []]");
}

TEST(Format, TuplesTokensAndNothing) {
  const Value a = Counting(ElementType::kS32, {2}), b = Value::Scalar<float>(ElementType::kF32, 1);
  EXPECT_EQ(FormatValue(Value::Tuple(Shape::Tuple({a.shape(), b.shape()}), {a, b})), "([0, 1],\n 1)");
  EXPECT_EQ(FormatValue(Value::Token()), "token");
  EXPECT_EQ(FormatValue(Value()), "(no value)");
}

TEST(Format, LongArraysAreShortened) {
  EXPECT_EQ(FormatValue(Counting(ElementType::kS32, {10}), {.elements = 9, .edge = 2}), "[0, 1, ..., 8, 9]");
  EXPECT_EQ(FormatValue(Counting(ElementType::kS32, {10}), {.elements = 10, .edge = 2}), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
  EXPECT_EQ(FormatValue(Counting(ElementType::kS32, {10}), {.elements = 0}), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
  EXPECT_EQ(FormatValue(Counting(ElementType::kS32, {4, 4}), {.elements = 3, .edge = 1}), "[[0, ..., 3],\n ...,\n [12, ..., 15]]");
  EXPECT_EQ(FormatValue(Counting(ElementType::kS32, {2, 2}), {.elements = 1, .edge = 1}), "[[0, 1],\n [2, 3]]") << "nothing to leave out";
}

TEST(Format, Digits) {
  EXPECT_EQ(FormatValue(Value::Scalar<double>(ElementType::kF64, 1.0 / 3), {.digits = 3}), "0.333");
  EXPECT_EQ(FormatDouble(-std::nan("")), "nan");
  EXPECT_EQ(FormatDouble(1e300), "1e+300");
}

TEST(Format, WithAsManyDigitsAsFit) {
  EXPECT_EQ(TextThatFits(-0.0044800863, 10), "-0.00448");
  EXPECT_EQ(TextThatFits(-0.0044800863, 7), "-0.0045");
  EXPECT_EQ(TextThatFits(-0.0044800863, 6), "-0.004");
  EXPECT_EQ(TextThatFits(-0.0044800863, 5), "-4e-3");
  EXPECT_EQ(TextThatFits(-0.0044800863, 4), "");
  EXPECT_EQ(TextThatFits(1.25e-10, 8), "1.25e-10");
  EXPECT_EQ(TextThatFits(1.25e-10, 6), "1e-10");
  EXPECT_EQ(TextThatFits(-123456, 7), "-123456");
  EXPECT_EQ(TextThatFits(-123456, 6), "-1.2e5");
  EXPECT_EQ(TextThatFits(-123456, 4), "-1e5");
  EXPECT_EQ(TextThatFits(2e30, 4), "2e30");
  EXPECT_EQ(TextThatFits(-0.0, 2), "-0");
  EXPECT_EQ(TextThatFits(-0.0, 1), "");
  EXPECT_EQ(TextThatFits(NAN, 2), "");
}

TEST(Format, StatisticsText) {
  EXPECT_EQ(FormatStatistics(Summarize(Counting(ElementType::kF32, {4}))), "min 0, max 1.5, mean 0.75, nan 0, inf 0 (of 4)");
  EXPECT_EQ(FormatStatistics(Summarize(Value::Scalar<float>(ElementType::kF32, NAN))), "nan 1, inf 0 (of 1)");
}

}  // namespace
}  // namespace hloscope
