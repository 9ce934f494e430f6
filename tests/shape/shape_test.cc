#include "core/shape/shape.h"

#include <numeric>

#include "gtest/gtest.h"

namespace hloscope {
namespace {

TEST(ElementType, NamesReadBack) {
  for (int i = 0; i < kElementTypeCount; ++i) {
    ElementType t = static_cast<ElementType>(i);
    if (t == ElementType::kTuple) continue;
    EXPECT_EQ(ElementTypeFromName(Name(t)), t);
  }
  EXPECT_FALSE(ElementTypeFromName("f33").has_value());
  EXPECT_FALSE(ElementTypeFromName("tuple").has_value());
  EXPECT_EQ(StorageBytes(ElementType::kC64), 8);
  EXPECT_TRUE(IsFloat(ElementType::kF8E4M3FN));
  EXPECT_FALSE(IsInteger(ElementType::kPred));
}

TEST(Shape, Prints) {
  EXPECT_EQ(Shape::Array(ElementType::kF32, {2, 3}).ToString(), "f32[2,3]");
  EXPECT_EQ(Shape::Array(ElementType::kF32, {2, 3}, Layout::RowMajor(2)).ToString(), "f32[2,3]{1,0}");
  EXPECT_EQ(Shape::Array(ElementType::kF32, {2, 3}, Layout::RowMajor(2)).ToString(false), "f32[2,3]");
  EXPECT_EQ(Shape::Array(ElementType::kS32, {5, Shape::kUnbounded}, std::nullopt, {true, true}).ToString(), "s32[<=5,?]");
  EXPECT_EQ(Shape::Tuple({Shape::Scalar(ElementType::kPred), Shape::Token()}).ToString(), "(pred[], token[])");
  EXPECT_EQ(Shape().ToString(), "()");
  Layout tiled{.minor_to_major = {1, 0}, .tiles = {{{8, 128}}, {{Tile::kCombine, 2}}}, .element_size_in_bits = 4, .memory_space = 1};
  EXPECT_EQ(tiled.ToString(), "{1,0:T(8,128)(*,2)E(4)S(1)}");
  Layout padded{.minor_to_major = {0, 1}, .padded_dimensions = {3, 5}, .padding_value = PaddingValue::kZero};
  EXPECT_EQ(padded.ToString(), "{0,1:PAD(3,5)=zero}");
}

TEST(Shape, SizesSaturate) {
  EXPECT_EQ(Shape::Array(ElementType::kF32, {int64_t{1} << 40, int64_t{1} << 40}).ElementCount(), INT64_MAX);
  EXPECT_EQ(Shape::Array(ElementType::kF64, {int64_t{1} << 61}).ByteSize(), INT64_MAX);
  EXPECT_EQ(Shape::Array(ElementType::kF32, {int64_t{1} << 40, 0, int64_t{1} << 40}).ElementCount(), 0);
  EXPECT_EQ(Shape::Tuple({Shape::Array(ElementType::kF32, {4}), Shape::Scalar(ElementType::kC128)}).ByteSize(), 32);
}

TEST(Shape, Equality) {
  Shape plain = Shape::Array(ElementType::kF32, {2, 3});
  Shape laid = Shape::Array(ElementType::kF32, {2, 3}, Layout::RowMajor(2));
  EXPECT_NE(plain, laid);
  EXPECT_TRUE(Shape::Compatible(plain, laid));
  EXPECT_EQ(laid.WithoutLayouts(), plain);
  EXPECT_FALSE(Shape::Compatible(plain, plain.WithElementType(ElementType::kS32)));
  EXPECT_TRUE(Shape::SameDimensions(plain, plain.WithElementType(ElementType::kS32)));
  EXPECT_FALSE(Shape::Compatible(Shape::Array(ElementType::kF32, {3}, std::nullopt, {true}), Shape::Array(ElementType::kF32, {3})));
  EXPECT_TRUE(Shape::Compatible(Shape::Tuple({laid}), Shape::Tuple({plain})));
  EXPECT_FALSE(Shape::Compatible(Shape::Tuple({laid}), plain));
}

TEST(Shape, TreesOfTheSameDimensionsDifferInTypesAlone) {
  const Shape f = Shape::Array(ElementType::kF32, {2, 3}), s = f.WithElementType(ElementType::kS8), other = Shape::Array(ElementType::kF32, {3, 2});
  const Shape token = Shape::Token();
  EXPECT_TRUE(Shape::SameTreeDimensions(Shape::Tuple({f, Shape::Tuple({s, token})}), Shape::Tuple({s, Shape::Tuple({f, token})})));
  EXPECT_FALSE(Shape::SameTreeDimensions(Shape::Tuple({f, s}), Shape::Tuple({f, other})));
  EXPECT_FALSE(Shape::SameTreeDimensions(Shape::Tuple({f, s}), Shape::Tuple({f})));
  EXPECT_FALSE(Shape::SameTreeDimensions(Shape::Tuple({f}), f));
  EXPECT_FALSE(Shape::SameTreeDimensions(token, f));
  EXPECT_TRUE(Shape::SameTreeDimensions(token, token));
}

TEST(Shape, LinearIndicesAreInverse) {
  std::vector<int64_t> dims = {3, 1, 4, 2};
  std::vector<int64_t> index(4);
  for (int64_t i = 0; i < 24; ++i) {
    DelinearizeIndex(dims, i, absl::MakeSpan(index));
    EXPECT_EQ(LinearIndex(dims, index), i);
    std::vector<int64_t> strides = RowMajorStrides(dims);
    EXPECT_EQ(std::inner_product(index.begin(), index.end(), strides.begin(), int64_t{0}), i);
  }
}

}  // namespace
}  // namespace hloscope
