#include "core/literal/relayout.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "core/shape/layout_map.h"
#include "core/shape/layout_util.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

Value CountingFromOne(ElementType type, std::vector<int64_t> dimensions) {
  Value v = Value::Allocate(Shape::Array(type, dimensions));
  for (int64_t i = 0; i < v.element_count(); ++i) {
    const Scalar s = IsFloat(type) ? Scalar::Float(type, i + 1) : IsComplex(type) ? Scalar::Complex(type, {i + 1.0, -1.0 * i}) : Scalar::Int(type, i + 1);
    StoreScalar(s, v.mutable_data() + i * StorageBytes(type));
  }
  return v;
}

std::vector<float> Memory(const Value& v) {
  std::vector<float> all(v.byte_size() / 4);
  std::memcpy(all.data(), v.physical_data(), v.byte_size());
  return all;
}

TEST(Relayout, TheTableOfTheSpecification) {
  const Value v = CountingFromOne(ElementType::kF32, {2, 3});
  const auto memory = [&](Layout layout) { return Memory(ToLayout(v, v.shape().WithLayout(std::move(layout)))); };
  EXPECT_EQ(memory({.minor_to_major = {0, 1}}), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(memory({.minor_to_major = {1, 0}}), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(memory({.minor_to_major = {0, 1}, .padded_dimensions = {3, 5}, .padding_value = PaddingValue::kZero}),
            (std::vector<float>{1, 4, 0, 2, 5, 0, 3, 6, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(memory({.minor_to_major = {1, 0}, .padded_dimensions = {3, 5}, .padding_value = PaddingValue::kZero}),
            (std::vector<float>{1, 2, 3, 0, 0, 4, 5, 6, 0, 0, 0, 0, 0, 0, 0}));
  const float low = -INFINITY, high = INFINITY;
  EXPECT_EQ(memory({.minor_to_major = {0, 1}, .padded_dimensions = {3, 3}, .padding_value = PaddingValue::kLowest}),
            (std::vector<float>{1, 4, low, 2, 5, low, 3, 6, low}));
  EXPECT_EQ(memory({.minor_to_major = {1, 0}, .padded_dimensions = {2, 4}, .padding_value = PaddingValue::kHighest}),
            (std::vector<float>{1, 2, 3, high, 4, 5, 6, high}));
  EXPECT_EQ(memory({.minor_to_major = {1, 0}, .tiles = {{{2, 2}}}, .padding_value = PaddingValue::kOne}),
            (std::vector<float>{1, 2, 4, 5, 3, 1, 6, 1}));
}

TEST(Relayout, PacksBelowAByte) {
  const Value v = CountingFromOne(ElementType::kU4, {5});
  const Value packed = ToLayout(v, v.shape().WithLayout(Layout{.minor_to_major = {0}, .element_size_in_bits = 4}));
  ASSERT_EQ(packed.byte_size(), 3);
  EXPECT_EQ(std::to_integer<int>(packed.physical_data()[0]), 0x21);  // the first element in the low bits
  EXPECT_EQ(std::to_integer<int>(packed.physical_data()[1]), 0x43);
  EXPECT_EQ(std::to_integer<int>(packed.physical_data()[2]), 0x05);
  EXPECT_FALSE(packed.IsDense());
  EXPECT_TRUE(Value::BitEqual(packed, v));
  Value negative = Value::Allocate(Shape::Array(ElementType::kS4, {3}));
  for (int i = 0; i < 3; ++i) negative.mutable_as<int8_t>()[i] = static_cast<int8_t>(i - 8);
  const Value small = ToLayout(negative, negative.shape().WithLayout(Layout{.minor_to_major = {0}, .element_size_in_bits = 4}));
  EXPECT_EQ(ToDense(small).as<int8_t>()[0], -8);
  EXPECT_EQ(PhysicalElement(small, 1).i, -7);
}

TEST(Relayout, PaddingOfEveryType) {
  for (int t = 0; t < kElementTypeCount; ++t) {
    const ElementType type = static_cast<ElementType>(t);
    if (!IsArrayType(type)) continue;
    SCOPED_TRACE(std::string(Name(type)));
    const Scalar low = PaddingScalar(type, PaddingValue::kLowest), high = PaddingScalar(type, PaddingValue::kHighest);
    if (IsFloat(type)) {
      EXPECT_FALSE(low.IsNaN());
      EXPECT_LT(low.re, high.re);
    } else if (IsUnsigned(type)) {
      EXPECT_LT(low.u(), high.u());
      EXPECT_EQ(Scalar::Int(type, high.i + 1).i, 0);  // one more wraps
    } else if (IsSigned(type)) {
      EXPECT_LT(low.i, high.i);
    }
    EXPECT_EQ(PaddingScalar(type, PaddingValue::kUnknown).i, 0);
  }
  EXPECT_EQ(PaddingScalar(ElementType::kS8, PaddingValue::kLowest).i, -128);
  EXPECT_EQ(PaddingScalar(ElementType::kS64, PaddingValue::kHighest).i, INT64_MAX);
  EXPECT_EQ(PaddingScalar(ElementType::kF8E4M3FN, PaddingValue::kHighest).re, 448);
  EXPECT_EQ(PaddingScalar(ElementType::kF4E2M1FN, PaddingValue::kLowest).re, -6);
  EXPECT_EQ(PaddingScalar(ElementType::kPred, PaddingValue::kHighest).i, 1);
}

TEST(Relayout, RandomLayoutsThereAndBack) {
  std::mt19937 random(11);
  const auto pick = [&](int n) { return static_cast<int64_t>(random() % n); };
  const ElementType types[] = {ElementType::kF32, ElementType::kS4,  ElementType::kPred, ElementType::kC128,
                               ElementType::kU2,  ElementType::kF64, ElementType::kBF16, ElementType::kF4E2M1FN};
  for (int round = 0; round < 400; ++round) {
    std::vector<int64_t> dims(pick(5));
    for (int64_t& d : dims) d = pick(12) == 0 ? 0 : 1 + pick(round % 50 == 0 ? 40 : 7);
    const ElementType type = types[pick(8)];
    const auto layout = [&] {
      Layout l;
      l.minor_to_major.resize(dims.size());
      std::iota(l.minor_to_major.begin(), l.minor_to_major.end(), 0);
      std::shuffle(l.minor_to_major.begin(), l.minor_to_major.end(), random);
      if (pick(2) == 0) {
        for (int64_t d : dims) l.padded_dimensions.push_back(d + pick(3));
      }
      for (int64_t t = pick(3); t-- > 0;) {
        Tile& tile = l.tiles.emplace_back();
        tile.dimensions.resize(1 + pick(3));
        for (int64_t& d : tile.dimensions) d = pick(5) == 0 ? Tile::kCombine : 1 + pick(4);
        if (tile.dimensions.back() == Tile::kCombine) tile.dimensions.back() = 2;
      }
      l.padding_value = static_cast<PaddingValue>(pick(5));
      if (pick(2) == 0) l.element_size_in_bits = std::max<int64_t>(BitWidth(type), IsPred(type) ? 1 : 4);
      return l;
    };
    const Value v = CountingFromOne(type, dims);
    const Shape a = v.shape().WithLayout(layout()), b = v.shape().WithLayout(layout());
    SCOPED_TRACE(a.ToString() + " " + b.ToString());
    const Value x = ToLayout(v, a), y = ToLayout(x, b);
    ASSERT_EQ(x.byte_size(), a.ByteSize());
    EXPECT_EQ(x.IsDense(), a.IsStoredDense());
    EXPECT_TRUE(IsInLayoutOf(y, b));
    const Value back = ToDense(y);
    ASSERT_TRUE(back.IsDense());
    EXPECT_EQ(std::memcmp(back.data(), v.data(), v.byte_size()), 0);
    EXPECT_TRUE(Value::BitEqual(x, y));
    // Element by element, by the map.
    const LayoutMap map(b);
    const Scalar padding = PaddingScalar(type, b.layout()->padding_value);
    for (int64_t p = 0; p < map.PhysicalSize() && !b.IsStoredDense(); p += 1 + pick(3)) {
      const std::optional<LayoutMap::Index> index = map.LogicalOfPhysical(p);
      const Scalar expected = index.has_value() ? LoadScalar(type, v.data() + LinearIndex(dims, *index) * StorageBytes(type)) : padding;
      const Scalar found = PhysicalElement(y, p);
      EXPECT_EQ(found.i, expected.i);
      EXPECT_EQ(found.re, expected.re);
    }
  }
}

TEST(Relayout, TuplesAndHandles) {
  const Value v = CountingFromOne(ElementType::kF32, {2, 3});
  const Shape columns = MakeShapeWithLayout(ElementType::kF32, {2, 3}, {0, 1});
  const Value tuple = Value::Tuple(Shape::Tuple({v.shape(), Shape::Token()}), {v, Value::Token()});
  const Value laid = ToLayout(tuple, Shape::Tuple({columns, Shape::Token()}));
  EXPECT_FALSE(laid.IsDense());
  EXPECT_EQ(laid.shape().ToString(), "(f32[2,3]{0,1}, token[])");
  EXPECT_TRUE(Value::BitEqual(tuple, laid));
  EXPECT_EQ(ToDense(tuple).elements()[0].buffer(), v.buffer());                        // nothing moved
  EXPECT_EQ(ToLayout(v, MakeShapeWithRowMajorLayout(ElementType::kF32, {2, 3})).buffer(), v.buffer());
  EXPECT_EQ(Value::Allocate(columns).shape().ToString(), "f32[2,3]");  // to be filled in row-major order
  EXPECT_EQ(v.WithShape(MakeShapeWithLayout(ElementType::kF32, {3, 2}, {0, 1})).shape().ToString(), "f32[3,2]");
  const Value same = laid.elements()[0].PhysicalAs(Shape::Array(ElementType::kF32, {3, 2}));
  EXPECT_EQ(same.as<float>()[1], 4);
}

}  // namespace
}  // namespace hloscope
