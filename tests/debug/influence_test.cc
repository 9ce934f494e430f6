// Influence over many iterations and large results, and the sets of elements that it is made of.
#include "core/debug/influence.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/exec/frame_history.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/debug/finished_run.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;

TEST(InfluenceTest, OverAThousandIterations) {
  Finished run(kCounting);
  ElementReader reader(*run.machine, 1 << 28);
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<Influence> influence = BuildInfluence(reader, *run.machine, run.Place("x", 0));
  ASSERT_TRUE(influence.ok()) << influence.status().message();
  EXPECT_TRUE(influence->reaches_result);
  EXPECT_EQ(influence->nodes.back().set.count(), 1000);
  absl::StatusOr<Influence> other = BuildInfluence(reader, *run.machine, run.Place("x", 1));
  ASSERT_TRUE(other.ok());
  EXPECT_FALSE(other->reaches_result);  // the second element is never stored
  absl::StatusOr<Influence> overwritten = BuildInfluence(reader, *run.machine, run.Place("z", 5));
  ASSERT_TRUE(overwritten.ok());
  EXPECT_FALSE(overwritten->reaches_result);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 8.0);
}

// Iterations that are taken together may be said to reach more, never less, and say so.
TEST(InfluenceTest, IterationsTakenTogetherLeaveNothingOut) {
  Finished run(kCounting);
  for (const Instruction* start : run.module->entry->schedule) {
    if (!start->shape.IsArray() || start->parent->root == start) continue;
    const absl::string_view name = start->name;
    for (int64_t element = 0; element < std::min<int64_t>(start->shape.ElementCount(), 3); ++element) {
      ElementReader exact_reader(*run.machine, 1 << 28), reader(*run.machine, 1 << 28);
      absl::StatusOr<Influence> exact = BuildInfluence(exact_reader, *run.machine, run.Place(name, element));
      absl::StatusOr<Influence> together = BuildInfluence(reader, *run.machine, run.Place(name, element), 1);
      ASSERT_TRUE(exact.ok() && together.ok());
      std::map<std::pair<const Instruction*, int>, const InfluenceNode*> found;
      for (const InfluenceNode& node : together->nodes) found[{node.instruction, node.leaf}] = &node;
      for (const InfluenceNode& node : exact->nodes) {
        const auto at = found.find({node.instruction, node.leaf});
        ASSERT_NE(at, found.end()) << node.instruction->name;
        for (const ElementSet::Run& part : node.set.runs()) {
          for (int64_t e = part.begin; e < part.end; ++e) EXPECT_TRUE(at->second->set.Contains(e)) << node.instruction->name << " " << e;
        }
        if (at->second->set.exact) EXPECT_EQ(at->second->set.count(), node.set.count()) << node.instruction->name;
      }
      EXPECT_EQ(together->reaches_result || !exact->reaches_result, true);
    }
  }
}

TEST(InfluenceTest, LargeResultsTakeNoWalkOverTheirElements) {
  Finished run(Entry(R"(
  x = f32[128,128] parameter(0)
  t = f32[128,128] transpose(x), dimensions={1,0}
  d = f32[128,128] dot(t, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = f32[8,128,128] broadcast(t), dimensions={1,2}
  r = f32[4,2,128,128] reshape(b)
  s = f32[128,128] slice(x), slice={[0:128], [0:128]}
  ROOT o = (f32[128,128], f32[4,2,128,128]) tuple(s, r)
)"));
  ElementReader reader(*run.machine, 1 << 28);
  absl::StatusOr<Influence> influence = BuildInfluence(reader, *run.machine, run.Place("x", 128 * 3 + 7));
  ASSERT_TRUE(influence.ok());
  std::map<std::string, int64_t> counts;
  for (const InfluenceNode& node : influence->nodes) {
    EXPECT_TRUE(node.set.exact) << node.instruction->name;
    counts[std::string(node.instruction->name)] = node.set.count();
  }
  EXPECT_EQ(counts["t"], 1);
  EXPECT_EQ(counts["d"], 128 + 128 - 1);
  EXPECT_EQ(counts["b"], 8);
  EXPECT_EQ(counts["r"], 8);
}

TEST(ElementSetTest, RunsBoxesAndRemovals) {
  const Shape shape = Shape::Array(ElementType::kF32, {4, 5});
  ElementSet set(shape);
  set.AddBox({1, 1}, {2, 3});
  EXPECT_EQ(set.count(), 6);
  ASSERT_EQ(set.Boxes().size(), 1u);
  EXPECT_THAT(set.Boxes()[0].low, ElementsAre(1, 1));
  EXPECT_THAT(set.Boxes()[0].high, ElementsAre(2, 3));
  EXPECT_EQ(Describe(set, shape), "6 of 20, [1,1] to [2,3]");
  set.Remove(6);
  EXPECT_EQ(set.count(), 5);
  EXPECT_FALSE(set.Contains(6));
  EXPECT_TRUE(set.Contains(7));
  EXPECT_EQ(Describe(ElementSet::All(shape), shape), "all 20");
  set.Add(0, 20);
  EXPECT_EQ(set.Boxes().size(), 1u);
}

TEST(ElementSetTest, BoxesAndBoundsCoverWhatIsInRandomSets) {
  std::mt19937_64 random(7);
  const std::vector<std::vector<int64_t>> dims = {{12}, {6, 4}, {3, 4, 5}, {2, 3, 2, 4}};
  for (int round = 0; round < 400; ++round) {
    const Shape shape = Shape::Array(ElementType::kF32, dims[round % dims.size()]);
    ElementSet set(shape);
    std::set<int64_t> in;
    for (int k = 0; k < 6; ++k) {
      std::vector<int64_t> low, high;
      for (int64_t extent : shape.dimensions()) {
        low.push_back(static_cast<int64_t>(random() % extent));
        high.push_back(low.back() + static_cast<int64_t>(random() % (extent - low.back())));
        if (random() % 3 == 0) high.back() = low.back();
      }
      set.AddBox(low, high);
      for (int64_t e = 0; e < shape.ElementCount(); ++e) {
        const std::vector<int64_t> at = IndexOfPlace(shape, e);
        bool inside = true;
        for (size_t d = 0; d < at.size(); ++d) inside = inside && low[d] <= at[d] && at[d] <= high[d];
        if (inside) in.insert(e);
      }
      ASSERT_EQ(set.count(), static_cast<int64_t>(in.size()));
      std::set<int64_t> boxed;
      ElementSet::Box bounds;
      for (int64_t e = 0; e < shape.ElementCount(); ++e) {
        const std::vector<int64_t> at = IndexOfPlace(shape, e);
        for (const ElementSet::Box& box : set.Boxes()) {
          bool inside = true;
          for (size_t d = 0; d < at.size(); ++d) inside = inside && box.low[d] <= at[d] && at[d] <= box.high[d];
          if (inside) boxed.insert(e);
        }
        if (!in.contains(e)) continue;
        if (bounds.low.empty()) bounds = {at, at};
        for (size_t d = 0; d < at.size(); ++d) {
          bounds.low[d] = std::min(bounds.low[d], at[d]);
          bounds.high[d] = std::max(bounds.high[d], at[d]);
        }
      }
      EXPECT_EQ(boxed, in);
      EXPECT_EQ(set.Bounds().low, bounds.low);
      EXPECT_EQ(set.Bounds().high, bounds.high);
      // What it says that it has all of, it has; and every element.
      for (int64_t e = 0; e < shape.ElementCount(); ++e) {
        const std::vector<int64_t> at = IndexOfPlace(shape, e);
        EXPECT_EQ(set.Covers({at, at}), in.contains(e));
        const bool after = std::equal(at.begin(), at.end(), low.begin(), [](int64_t x, int64_t y) { return x >= y; });
        if (!after || !set.Covers({low, at})) continue;
        for (int64_t other = 0; other < shape.ElementCount(); ++other) {
          const std::vector<int64_t> there = IndexOfPlace(shape, other);
          bool inside = true;
          for (size_t d = 0; d < at.size(); ++d) inside = inside && low[d] <= there[d] && there[d] <= at[d];
          EXPECT_TRUE(!inside || in.contains(other));
        }
      }
    }
  }
}

// However many rows it has: a channel of an image is one, not a box for each row.
TEST(ElementSetTest, ABoxIsOneBox) {
  std::mt19937_64 random(11);
  const std::vector<std::vector<int64_t>> dims = {{300}, {200, 70}, {80, 80, 64}, {4, 40, 40, 6}, {1, 70, 70, 3}, {2, 3, 90, 2, 5}};
  for (int round = 0; round < 60; ++round) {
    const Shape shape = Shape::Array(ElementType::kF32, dims[round % dims.size()]);
    std::vector<int64_t> low, high;
    for (int64_t extent : shape.dimensions()) {
      low.push_back(static_cast<int64_t>(random() % extent));
      high.push_back(low.back() + static_cast<int64_t>(random() % (extent - low.back())));
      if (random() % 2 == 0) low.back() = 0, high.back() = extent - 1;
    }
    ElementSet set(shape);
    set.AddBox(low, high);
    ASSERT_EQ(set.Boxes().size(), 1u) << shape.ToString();
    EXPECT_EQ(set.Boxes()[0].low, low);
    EXPECT_EQ(set.Boxes()[0].high, high);
  }
}

}  // namespace
}  // namespace hloscope
