#include "core/shape/layout_map.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "core/shape/layout_util.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using Index = LayoutMap::Index;

Shape Laid(std::vector<int64_t> dimensions, Layout layout, ElementType type = ElementType::kF32) {
  return Shape::Array(type, dimensions, std::move(layout));
}

// The letters a b c / d e f of the specification in linear memory, padding as 0.
std::string Letters(const Layout& layout) {
  const LayoutMap map(Laid({2, 3}, layout));
  std::string text;
  for (int64_t p = 0; p < map.LinearSize(); ++p) {
    const std::optional<Index> index = map.LogicalOfLinear(p);
    text += index.has_value() ? static_cast<char>('a' + 3 * (*index)[0] + (*index)[1]) : '0';
  }
  return text;
}

TEST(LayoutMap, TheTableOfTheSpecification) {
  EXPECT_EQ(Letters({.minor_to_major = {0, 1}}), "adbecf");
  EXPECT_EQ(Letters({.minor_to_major = {1, 0}}), "abcdef");
  EXPECT_EQ(Letters({.minor_to_major = {0, 1}, .padded_dimensions = {3, 5}, .padding_value = PaddingValue::kZero}), "ad0be0cf0000000");
  EXPECT_EQ(Letters({.minor_to_major = {1, 0}, .padded_dimensions = {3, 5}, .padding_value = PaddingValue::kZero}), "abc00def0000000");
}

TEST(LayoutMap, PaddedLiesLikeTheLargerArray) {
  for (std::vector<int64_t> order : {std::vector<int64_t>{0, 1}, {1, 0}}) {
    const LayoutMap padded(Laid({2, 3}, {.minor_to_major = order, .padded_dimensions = {3, 5}}));
    const LayoutMap larger(Laid({3, 5}, {.minor_to_major = order}));
    for (int64_t i = 0; i < 2; ++i) {
      for (int64_t j = 0; j < 3; ++j) EXPECT_EQ(padded.LinearOf({i, j}), larger.LinearOf({i, j}));
    }
    EXPECT_EQ(padded.LinearSize(), larger.LinearSize());
  }
}

TEST(LayoutMap, DefaultIsMajorToMinor) {
  EXPECT_EQ(Layout::RowMajor(3).minor_to_major, (std::vector<int64_t>{2, 1, 0}));
  EXPECT_TRUE(LayoutMap(Shape::Array(ElementType::kF32, {4, 5})).IsDense());
  EXPECT_EQ(LayoutMap(Shape::Array(ElementType::kF32, {4, 5})).LinearOf({2, 3}), 13);
}

TEST(LayoutMap, OneTile) {
  // 3x5 in tiles of 2x2: two by three tiles, the last column and row partly empty.
  const LayoutMap map(Laid({3, 5}, {.minor_to_major = {1, 0}, .tiles = {{{2, 2}}}}));
  EXPECT_EQ(map.physical_dimensions(), (std::vector<int64_t>{2, 3, 2, 2}));
  EXPECT_EQ(map.PhysicalSize(), 24);
  EXPECT_EQ(map.LinearSize(), 15);
  EXPECT_EQ(map.ByteSize(), 96);
  EXPECT_EQ(map.PhysicalOf({0, 0}), 0);
  EXPECT_EQ(map.PhysicalOf({1, 1}), 3);
  EXPECT_EQ(map.PhysicalOf({0, 2}), 4);
  EXPECT_EQ(map.PhysicalOf({2, 3}), 17);  // tile (1, 1) is the fifth, its second element
  EXPECT_EQ(map.LogicalOfPhysical(17), (Index{2, 3}));
  EXPECT_EQ(map.LogicalOfPhysical(9), std::nullopt);   // column 5
  EXPECT_EQ(map.LogicalOfPhysical(14), std::nullopt);  // row 3
  EXPECT_EQ(map.LogicalOfPhysical(24), std::nullopt);
  EXPECT_EQ(map.LogicalOfPhysical(-1), std::nullopt);
  EXPECT_TRUE(map.HasPadding());
}

TEST(LayoutMap, TilesOfTiles) {
  // Pairs of rows lie interleaved inside a tile, as bf16 does on machines with 32-bit lanes.
  const LayoutMap map(Laid({4, 8}, {.minor_to_major = {1, 0}, .tiles = {{{2, 4}}, {{2, 1}}}}, ElementType::kBF16));
  EXPECT_EQ(map.physical_dimensions(), (std::vector<int64_t>{2, 2, 1, 4, 2, 1}));
  EXPECT_EQ(map.PhysicalOf({0, 0}), 0);
  EXPECT_EQ(map.PhysicalOf({1, 0}), 1);
  EXPECT_EQ(map.PhysicalOf({0, 1}), 2);
  EXPECT_EQ(map.PhysicalOf({1, 3}), 7);
  EXPECT_EQ(map.PhysicalOf({0, 4}), 8);
  EXPECT_EQ(map.PhysicalOf({2, 0}), 16);
  EXPECT_FALSE(map.HasPadding());
  EXPECT_FALSE(map.IsDense());
}

TEST(LayoutMap, JoinedDimensions) {
  // * joins dimension 1 to 2 before these are tiled: 2 x (3*5 in tiles of 4).
  const LayoutMap map(Laid({2, 3, 5}, {.minor_to_major = {2, 1, 0}, .tiles = {{{Tile::kCombine, 4}}}}));
  EXPECT_EQ(map.physical_dimensions(), (std::vector<int64_t>{2, 4, 4}));
  EXPECT_EQ(map.PhysicalOf({1, 2, 3}), 16 + 13);
  EXPECT_EQ(map.LogicalOfPhysical(29), (Index{1, 2, 3}));
  EXPECT_EQ(map.LogicalOfPhysical(15), std::nullopt);
}

TEST(LayoutMap, TileReachesBeyondTheRank) {
  const LayoutMap map(Laid({10}, {.minor_to_major = {0}, .tiles = {{{2, 4}}}}));
  EXPECT_EQ(map.physical_dimensions(), (std::vector<int64_t>{1, 3, 2, 4}));
  EXPECT_EQ(map.PhysicalOf({5}), 9);
  EXPECT_EQ(map.LogicalOfPhysical(9), (Index{5}));
  EXPECT_EQ(map.LogicalOfPhysical(5), std::nullopt);  // the tile's second row
  const LayoutMap scalar(Laid({}, {.tiles = {{{128}}}}));
  EXPECT_EQ(scalar.PhysicalSize(), 128);
  EXPECT_EQ(scalar.PhysicalOf({}), 0);
  EXPECT_EQ(scalar.LogicalOfPhysical(0), Index());
  EXPECT_EQ(scalar.LogicalOfPhysical(1), std::nullopt);
}

TEST(LayoutMap, Bits) {
  const LayoutMap map(Laid({3, 3}, {.minor_to_major = {0, 1}, .element_size_in_bits = 4}, ElementType::kS4));
  EXPECT_EQ(map.BitOf({1, 2}), 28);
  EXPECT_EQ(map.ByteSize(), 5);
  EXPECT_EQ(map.LogicalOfBit(31), (Index{1, 2}));
  EXPECT_EQ(map.LogicalOfBit(36), std::nullopt);
  EXPECT_EQ(map.LogicalOfBit(-1), std::nullopt);
  EXPECT_TRUE(LayoutMap(Laid({3}, {.minor_to_major = {0}, .element_size_in_bits = 8}, ElementType::kU4)).IsDense());
}

TEST(LayoutMap, WhatCountsAsDense) {
  const auto dense = [](std::vector<int64_t> d, Layout l) { return Laid(std::move(d), std::move(l)).IsStoredDense(); };
  EXPECT_TRUE(dense({1, 5}, {.minor_to_major = {0, 1}}));
  EXPECT_FALSE(dense({2, 5}, {.minor_to_major = {0, 1}}));
  EXPECT_TRUE(dense({2, 5}, {.minor_to_major = {1, 0}, .padded_dimensions = {2, 5}}));
  EXPECT_FALSE(dense({2, 5}, {.minor_to_major = {1, 0}, .padded_dimensions = {3, 5}}));
  EXPECT_TRUE(dense({16, 128}, {.minor_to_major = {1, 0}, .tiles = {{{8, 128}}}}));
  EXPECT_FALSE(dense({16, 256}, {.minor_to_major = {1, 0}, .tiles = {{{8, 128}}}}));
  EXPECT_TRUE(dense({8, 256}, {.minor_to_major = {1, 0}, .tiles = {{{1, 128}}}}));
  EXPECT_TRUE(dense({2, 5}, {.minor_to_major = {1, 0}, .element_size_in_bits = 32, .memory_space = 3}));
  EXPECT_TRUE(dense({0, 5}, {.minor_to_major = {0, 1}}));
  EXPECT_FALSE(dense({0, 5}, {.minor_to_major = {0, 1}, .padded_dimensions = {1, 5}}));
  EXPECT_EQ(Laid({2, 5}, {.minor_to_major = {0, 1}, .padded_dimensions = {3, 8}}).ByteSize(), 96);
  EXPECT_EQ(Laid({2, 5}, {.minor_to_major = {0, 1}, .padded_dimensions = {3, 8}}).DenseByteSize(), 40);
  EXPECT_TRUE(Shape::Array(ElementType::kF32, {2, 5}, Layout{.minor_to_major = {0, 1}}, {true, false}).IsStoredDense());
  EXPECT_FALSE(Shape::Tuple({Laid({2, 5}, {.minor_to_major = {0, 1}})}).IsStoredDense());
}

TEST(LayoutMap, Problems) {
  using Part = LayoutProblem::Part;
  const auto part = [](Layout l, ElementType t = ElementType::kF32) -> std::optional<Part> {
    const std::optional<LayoutProblem> p = FindLayoutProblem(t, {2, 3}, l);
    return p.has_value() ? std::optional<Part>(p->part) : std::nullopt;
  };
  EXPECT_EQ(part({.minor_to_major = {0, 1}}), std::nullopt);
  EXPECT_EQ(part({.minor_to_major = {0}}), Part::kOrder);
  EXPECT_EQ(part({.minor_to_major = {0, 2}}), Part::kOrder);
  EXPECT_EQ(part({.minor_to_major = {0, 0}}), Part::kOrder);
  EXPECT_EQ(part({.minor_to_major = {0, -1}}), Part::kOrder);
  EXPECT_EQ(part({.minor_to_major = {0, 1}, .padded_dimensions = {2}}), Part::kPadding);
  EXPECT_EQ(part({.minor_to_major = {0, 1}, .padded_dimensions = {2, 2}}), Part::kPadding);
  EXPECT_EQ(part({.minor_to_major = {0, 1}, .tiles = {{{0}}}}), Part::kTile);
  EXPECT_EQ(part({.minor_to_major = {0, 1}, .tiles = {{{2, Tile::kCombine}}}}), Part::kTile);
  EXPECT_EQ(part({.minor_to_major = {0, 1}, .element_size_in_bits = 16}), Part::kElementSize);
  EXPECT_EQ(part({.minor_to_major = {0, 1}, .element_size_in_bits = 36}), Part::kElementSize);
  EXPECT_EQ(part({.minor_to_major = {0, 1}, .element_size_in_bits = -4}, ElementType::kS4), Part::kElementSize);
  EXPECT_EQ(part({.minor_to_major = {0, 1}, .element_size_in_bits = 1}, ElementType::kPred), std::nullopt);
  EXPECT_TRUE(Laid({2, 3}, {.minor_to_major = {0}}).IsStoredDense());  // one that does not fit counts as none
}

// Every logical index has a position of its own on every level, and back; positions without one are padding, and as many as there should be.
void CheckInverse(const Shape& shape) {
  SCOPED_TRACE(shape.ToString());
  const LayoutMap map(shape);
  std::set<int64_t> linear, physical;
  Index index(shape.rank(), 0);
  if (shape.ElementCount() > 0) {
    do {
      const int64_t l = map.LinearOf(index), p = map.PhysicalOf(index);
      ASSERT_TRUE(linear.insert(l).second);
      ASSERT_TRUE(physical.insert(p).second);
      ASSERT_LT(l, map.LinearSize());
      ASSERT_LT(p, map.PhysicalSize());
      ASSERT_EQ(map.LogicalOfLinear(l), index);
      ASSERT_EQ(map.LogicalOfPhysical(p), index);
      ASSERT_EQ(map.LogicalOfBit(map.BitOf(index) + map.ElementBits() - 1), index);
      ASSERT_EQ(map.PhysicalOfLinear(l), p);
      ASSERT_EQ(map.LinearOfPhysical(p), l);
    } while (NextIndex(shape.dimensions(), absl::MakeSpan(index)));
  }
  int64_t found = 0, inner = 0;
  for (int64_t p = 0; p < map.PhysicalSize(); ++p) {
    found += map.LogicalOfPhysical(p).has_value();
    inner += map.LinearOfPhysical(p).has_value();
  }
  EXPECT_EQ(found, shape.ElementCount());
  EXPECT_EQ(inner, map.LinearSize());
  EXPECT_EQ(map.HasPadding(), map.PhysicalSize() != shape.ElementCount());
  bool dense = !map.HasPadding();
  int64_t last = -1;
  for (int64_t n = 0; n < shape.ElementCount(); ++n) {
    DelinearizeIndex(shape.dimensions(), n, absl::MakeSpan(index));
    dense = dense && map.PhysicalOf(index) == n;
    last = n;
  }
  if (map.IsDenseInElements()) { EXPECT_TRUE(dense) << last; }
}

TEST(LayoutMap, EveryOrderUpToRankFour) {
  for (std::vector<int64_t> dims : {std::vector<int64_t>{}, {3}, {2, 3}, {3, 1, 2}, {2, 3, 4}, {2, 0, 3}, {2, 3, 1, 4}}) {
    std::vector<int64_t> order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    do {
      CheckInverse(Laid(dims, {.minor_to_major = order}));
      std::vector<int64_t> padded = dims;
      for (size_t d = 0; d < padded.size(); ++d) padded[d] += d % 2 + 1;
      CheckInverse(Laid(dims, {.minor_to_major = order, .padded_dimensions = padded}));
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(LayoutMap, RandomLayoutsAreInvertible) {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int64_t>(random() % n); };
  const ElementType types[] = {ElementType::kF32, ElementType::kS4, ElementType::kPred, ElementType::kC128, ElementType::kU2};
  for (int round = 0; round < 600; ++round) {
    std::vector<int64_t> dims(pick(5));
    for (int64_t& d : dims) d = pick(12) == 0 ? 0 : 1 + pick(6);
    Layout layout;
    layout.minor_to_major.resize(dims.size());
    std::iota(layout.minor_to_major.begin(), layout.minor_to_major.end(), 0);
    std::shuffle(layout.minor_to_major.begin(), layout.minor_to_major.end(), random);
    if (pick(2) == 0) {
      for (int64_t d : dims) layout.padded_dimensions.push_back(d + pick(3));
    }
    for (int64_t t = pick(4); t-- > 0;) {
      Tile& tile = layout.tiles.emplace_back();
      tile.dimensions.resize(1 + pick(3));
      for (int64_t& d : tile.dimensions) d = pick(5) == 0 ? Tile::kCombine : 1 + pick(4);
      if (tile.dimensions.back() == Tile::kCombine) tile.dimensions.back() = 2;
    }
    const ElementType type = types[pick(5)];
    if (pick(2) == 0) layout.element_size_in_bits = std::max<int64_t>(BitWidth(type), 4);
    CheckInverse(Laid(dims, layout, type));
  }
}

TEST(LayoutUtil, Dimensions) {
  EXPECT_EQ(CanonicalDimension(-1, 3), 2);
  EXPECT_EQ(CanonicalDimension(-3, 3), 0);
  EXPECT_EQ(CanonicalDimension(2, 3), 2);
  EXPECT_EQ(CanonicalDimension(-4, 3), std::nullopt);
  EXPECT_EQ(CanonicalDimension(3, 3), std::nullopt);
  EXPECT_EQ(CanonicalDimension(0, 0), std::nullopt);
  const Shape s = MakeShape(ElementType::kF32, {4, 1, 7});
  EXPECT_EQ(DimensionSize(s, -1), 7);
  EXPECT_EQ(DimensionSize(s, -3), 4);
  EXPECT_EQ(DimensionSize(s, 3), std::nullopt);
  EXPECT_EQ(TrueRank(s), 2);
  EXPECT_EQ(TrueRank(MakeShape(ElementType::kF32, {1, 1})), 0);
  EXPECT_EQ(TrueRank(MakeShape(ElementType::kF32, {0, 1, 2})), 1);
}

TEST(LayoutUtil, MakesAndChangesShapes) {
  EXPECT_EQ(MakeShapeWithLayout(ElementType::kF32, {2, 3}, {-2, -1}).ToString(), "f32[2,3]{0,1}");
  EXPECT_EQ(MakeShapeWithRowMajorLayout(ElementType::kF32, {2, 3}).ToString(), "f32[2,3]{1,0}");
  const Shape s = MakePaddedShape(MakeShapeWithLayout(ElementType::kF32, {2, 1, 3}, {0, 2, 1}), {4, 1, 5}, PaddingValue::kOne);
  EXPECT_EQ(s.ToString(), "f32[2,1,3]{0,2,1:PAD(4,1,5)=one}");
  EXPECT_EQ(MinorDimension(s), 0);
  EXPECT_EQ(MinorDimension(s, 1), 2);
  EXPECT_EQ(MajorDimension(s), 1);
  const Shape permuted = PermuteDimensions(s, {2, 0, 1});
  EXPECT_EQ(permuted.ToString(), "f32[3,2,1]{1,0,2:PAD(5,4,1)=one}");
  const LayoutMap before(s), after(permuted);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t k = 0; k < 3; ++k) EXPECT_EQ(before.PhysicalOf({i, 0, k}), after.PhysicalOf({k, i, 0}));
  }
  EXPECT_EQ(PermuteDimensions(MakeShape(ElementType::kF32, {2, 3}), {1, 0}).ToString(), "f32[3,2]{0,1}");
  EXPECT_EQ(PermuteDimensions(MakeShape(ElementType::kF32, {2, 3}), {0, 1}).ToString(), "f32[2,3]");
  EXPECT_EQ(DropDegenerateDimensions(s).ToString(), "f32[2,3]{0,1:PAD(4,5)=one}");
  EXPECT_EQ(DropDegenerateDimensions(MakePaddedShape(MakeShape(ElementType::kF32, {1, 3}), {2, 3}, PaddingValue::kZero)).rank(), 2);
  EXPECT_EQ(AppendMinorDimension(MakeShapeWithLayout(ElementType::kF32, {2, 3}, {0, 1}), 4).ToString(), "f32[2,3,4]{2,0,1}");
  EXPECT_EQ(WithRowMajorLayouts(Shape::Tuple({s, Shape::Token()})).ToString(), "(f32[2,1,3]{2,1,0}, token[])");
  EXPECT_EQ(DenseShape(Shape::Tuple({s, MakeShapeWithRowMajorLayout(ElementType::kF32, {2})})).ToString(), "(f32[2,1,3], f32[2]{0})");
  EXPECT_EQ(WithLayoutOf(MakeShape(ElementType::kS32, {5, 6}), MakeShapeWithLayout(ElementType::kF32, {2, 3}, {0, 1})).ToString(), "s32[5,6]{0,1}");
}

TEST(LayoutUtil, SameStorage) {
  const Shape plain = MakeShape(ElementType::kF32, {2, 3});
  const Shape columns = MakeShapeWithLayout(ElementType::kF32, {2, 3}, {0, 1});
  Layout elsewhere = *columns.layout();
  elsewhere.memory_space = 1;
  EXPECT_TRUE(SameStorage(plain, MakeShapeWithRowMajorLayout(ElementType::kF32, {2, 3})));
  EXPECT_FALSE(SameStorage(plain, columns));
  EXPECT_TRUE(SameStorage(columns, columns.WithLayout(elsewhere)));
  EXPECT_FALSE(SameStorage(columns, columns.WithElementType(ElementType::kS32)));
  EXPECT_FALSE(SameStorage(Shape::Tuple({plain}), Shape::Tuple({columns})));
  EXPECT_FALSE(SameStorage(MakePaddedShape(plain, {2, 4}, PaddingValue::kOne), MakePaddedShape(plain, {2, 4}, PaddingValue::kZero)));
}

}  // namespace
}  // namespace hloscope
