#include "core/debug/compare_results.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

Value Floats(const std::vector<float>& values) {
  return Value::FromBytes(Shape::Array(ElementType::kF32, {static_cast<int64_t>(values.size())}),
                          absl::Span<const std::byte>(reinterpret_cast<const std::byte*>(values.data()), values.size() * 4));
}
Value Pair(const Value& a, const Value& b) { return Value::Tuple(Shape::Tuple({a.shape(), b.shape()}), {a, b}); }

std::string Texts(const Value& got, const Value& expected) {
  std::string text;
  for (const ResultDifference& d : CompareResults(got, expected)) text += ToText(d) + "\n";
  return text;
}

TEST(CompareResults, WithinTheTolerance) {
  EXPECT_EQ(Texts(Floats({1, 2, NAN, INFINITY, 1e-7f}), Floats({1.00005f, 2, NAN, INFINITY, 0})), "");
  EXPECT_EQ(Texts(Floats({}), Floats({})), "");
}

TEST(CompareResults, NamesTheFirstElement) {
  EXPECT_EQ(Texts(Floats({1, 2, 4}), Floats({1, 3, 5})), "output: 2 of 3 elements differ, first [1] is 2, expected 3 within 0.0003\n");
  EXPECT_THAT(Texts(Floats({NAN}), Floats({1})), testing::HasSubstr("first [0] is nan, expected 1"));
  EXPECT_THAT(Texts(Floats({INFINITY}), Floats({-INFINITY})), testing::HasSubstr("is inf, expected -inf"));
  EXPECT_EQ(Texts(Pair(Floats({1}), Floats({2})), Pair(Floats({1}), Floats({3}))),
            "output {1}: 1 of 1 element differs, first [0] is 2, expected 3 within 0.0003\n");
}

TEST(CompareResults, IntegersMustBeEqual) {
  EXPECT_EQ(Texts(Value::Scalar<int32_t>(ElementType::kS32, 7), Value::Scalar<int32_t>(ElementType::kS32, 8)),
            "output: 1 of 1 element differs, first [] is 7, expected 8\n");
}

TEST(CompareResults, Shapes) {
  EXPECT_EQ(Texts(Floats({1, 2}), Floats({1})), "output has the shape f32[2], expected f32[1]\n");
  EXPECT_EQ(Texts(Floats({1}), Pair(Floats({1}), Floats({1}))), "output has the shape f32[1], expected (f32[1], f32[1])\n");
}

}  // namespace
}  // namespace hloscope
