// What why says: terms, births of NaNs, long chains and long loops. Against brute force: slice_perturbation_test.cc.
#include "core/debug/why.h"

#include <chrono>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/debug/influence.h"
#include "core/debug/slice_text.h"
#include "core/debug/timeline.h"
#include "core/exec/frame_history.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/debug/finished_run.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(WhyTest, TermsOfASumAreTheLargest) {
  Finished run(Entry(R"(
  x = f32[4] constant({1, -8, 2, 4})
  y = f32[4] constant({1, 1, 1, 1})
  ROOT d = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
)"));
  WhyOptions options;
  options.terms = 2;
  const std::string text = run.Why("d", 0, options);
  EXPECT_THAT(text, HasSubstr("term [1] -8 = %x[1] * %y[1] = (-8) * 1   (53.3 %)"));
  EXPECT_THAT(text, HasSubstr("term [3] 4"));
  EXPECT_THAT(text, HasSubstr("2 more terms, together 3"));
}

TEST(WhyTest, TheInitialValueIsATermWhereItIsNotNeutral) {
  Finished run(Entry(R"(
  x = f32[4] constant({1, -8, 2, 4})
  zero = f32[] constant(0)
  h = f32[] constant(15)
  a = f32[] reduce(x, h), dimensions={0}, to_apply=sum
  b = f32[] reduce(x, zero), dimensions={0}, to_apply=sum
  ROOT t = (f32[], f32[]) tuple(a, b)
)"));
  ElementReader reader(*run.machine, 1 << 20);
  WhyOptions options;
  options.terms = 8;
  for (const char* name : {"a", "b"}) {
    const absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place(name), options);
    ASSERT_TRUE(slice.ok());
    const std::vector<SliceTerm>& terms = slice->nodes[0].terms;
    EXPECT_EQ(std::count_if(terms.begin(), terms.end(), [](const SliceTerm& term) { return term.initial; }), name[0] == 'a' ? 1 : 0);
    if (name[0] != 'a') continue;
    EXPECT_TRUE(terms[0].initial);
    EXPECT_EQ(terms[0].value.re, 15);
    EXPECT_EQ(terms[0].share, 0.5);
  }
}

TEST(WhyTest, SortSaysWhereAnElementCameFrom) {
  Finished run(Entry(R"(
  x = f32[5] constant({5, 1, 4, 1, 3})
  e = f32[5] exponential(x)
  ROOT s = f32[5] sort(e), dimensions={0}, to_apply=less
)"));
  EXPECT_THAT(run.Why("s", 2), HasSubstr("%e[4]"));
  EXPECT_THAT(run.Why("s", 1), HasSubstr("%e[3]"));  // the later one of two equal elements
  EXPECT_THAT(run.Why("s", 1), HasSubstr("placed by the order of 5 elements of %e"));
}

TEST(WhyTest, ANaNGoesStraightToItsBirth) {
  Finished run(Entry(R"(
  x = f32[3] constant({1, 0, 2})
  y = f32[3] constant({1, 0, 0})
  q = f32[3] divide(x, y)
  n = f32[3] negate(q)
  r = f32[1,3] reshape(n)
  z = f32[] constant(0)
  s = f32[1] reduce(r, z), dimensions={1}, to_apply=sum
  ROOT o = f32[1] exponential(s)
)"));
  ElementReader reader(*run.machine, 1 << 20);
  absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("o"), {});
  ASSERT_TRUE(slice.ok());
  ASSERT_EQ(slice->births.size(), 1u);
  const SliceNode& birth = slice->nodes[slice->births[0].path.back()];
  EXPECT_EQ(birth.place.instruction->name, "q");
  EXPECT_THAT(birth.index, ElementsAre(1));
  EXPECT_EQ(slice->births[0].hops, 3);
  EXPECT_EQ(birth.numbers, "0 / 0");
}

TEST(WhyTest, ANaNMadeFromInfinitiesNamesTheirBirthToo) {
  Finished run(Entry(R"(
  x = f32[2] constant({1, 100})
  e = f32[2] exponential(x)
  d = f32[2] copy(e)
  m = f32[2] subtract(e, d)
  ROOT o = f32[2] negate(m)
)"));
  ElementReader reader(*run.machine, 1 << 20);
  absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("o", 1), {});
  ASSERT_TRUE(slice.ok());
  ASSERT_EQ(slice->births.size(), 2u);
  EXPECT_EQ(slice->nodes[slice->births[0].path.back()].place.instruction->name, "m");
  EXPECT_EQ(slice->nodes[slice->births[1].path.back()].place.instruction->name, "e");
  EXPECT_FALSE(slice->births[1].nan);
}

TEST(WhyTest, ANaNThatWasGivenIsSaidToBe) {
  Finished run(Entry(R"(
  x = f32[2] constant({1, nan})
  ROOT o = f32[2] negate(x)
)"));
  EXPECT_THAT(run.Why("o", 1), HasSubstr("the NaN comes with %x[1]"));
}

TEST(WhyTest, AThousandOperationsInUnderASecond) {
  std::string body = "  v0 = f32[4] parameter(0)\n  w = f32[4] parameter(1)\n";
  for (int k = 1; k <= 2000; ++k) {
    absl::StrAppend(&body, "  v", k, k % 3 == 0 ? absl::StrCat(" = f32[4] reverse(v", k - 1, "), dimensions={0}\n") : k % 3 == 1 ? absl::StrCat(" = f32[4] add(v", k - 1, ", w)\n") : absl::StrCat(" = f32[4] sine(v", k - 1, ")\n"));
  }
  absl::StrAppend(&body, "  ROOT out = f32[4] copy(v2000)\n");
  Finished run(Entry(body));
  const auto begin = std::chrono::steady_clock::now();
  WhyOptions options;
  options.depth = -1;
  ElementReader reader(*run.machine, 1 << 28);
  absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("out", 1), options);
  ASSERT_TRUE(slice.ok());
  EXPECT_GT(slice->nodes.size(), 1300u);
  absl::StatusOr<Influence> influence = BuildInfluence(reader, *run.machine, run.Place("v0", 1));
  ASSERT_TRUE(influence.ok());
  EXPECT_TRUE(influence->reaches_result);
  EXPECT_EQ(influence->nodes.back().set.count(), 1);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(seconds, 4.0);  // generous: machines are shared
  RecordProperty("seconds", absl::StrCat(seconds));
}

TEST(WhyTest, ThroughAThousandIterations) {
  Finished run(kCounting);
  ElementReader reader(*run.machine, 1 << 28);
  WhyOptions options;
  options.depth = -1;
  // Written in iteration 17 and carried to the end: one hop.
  absl::StatusOr<Slice> stored = BuildWhy(reader, run.Place("w", 17), WhyOptions{.depth = 1});
  ASSERT_TRUE(stored.ok()) << stored.status().message();
  ASSERT_EQ(stored->nodes[0].edges.size(), 1u);
  const SliceEdge& edge = stored->nodes[0].edges[0];
  EXPECT_EQ(stored->nodes[edge.to].place.instruction->name, "a");
  EXPECT_EQ(reader.history().place(stored->nodes[edge.to].place.frame).iteration, 17);
  EXPECT_EQ(edge.iterations_first, 999);
  EXPECT_EQ(edge.iterations_last, 17);
  const auto begin = std::chrono::steady_clock::now();
  absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("v", 1), options);
  ASSERT_TRUE(slice.ok()) << slice.status().message();
  EXPECT_GT(slice->nodes.size(), 2000u);
  EXPECT_TRUE(std::any_of(slice->nodes.begin(), slice->nodes.end(), [](const SliceNode& n) { return n.kind == SliceNode::kParameter && n.place.linear == 1; }));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 4.0);
}

TEST(WhyTest, LittleMemoryGivesTheSameSlice) {
  Finished run(kCounting);
  std::string texts[2];
  for (int k = 0; k < 2; ++k) {
    ElementReader reader(*run.machine, k == 0 ? int64_t{1} << 28 : 20000);  // a few carried values
    absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("v", 0), WhyOptions{.depth = 60});
    ASSERT_TRUE(slice.ok());
    texts[k] = SliceText(*run.module, reader.history(), *slice, {.lines = 0});
  }
  EXPECT_EQ(texts[0], texts[1]);
}

// Earlier iterations are made again from moments of the run where there are any, near or far, and from its beginning where there are none.
TEST(WhyTest, MomentsOfTheRunGiveTheSameSlice) {
  Finished run(kCounting);
  ASSERT_TRUE(run.machine->Start(run.parameters).ok());
  Timeline timeline(*run.machine, {.interval_seconds = 0});
  ASSERT_EQ(run.machine->Run(), StopReason::kFinished);
  ASSERT_GT(timeline.moments().size(), 100u);
  std::vector<std::string> texts;
  for (const size_t step : {size_t{0}, size_t{1}, size_t{37}}) {
    FrameHistory::Past past;
    for (size_t k = 0; step > 0 && k < timeline.moments().size(); k += step) past.push_back(timeline.moments()[k].snapshot);
    for (const int64_t budget : {int64_t{1} << 28, int64_t{20000}}) {
      ElementReader reader(*run.machine, budget, past);
      absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place("v", 0), WhyOptions{.depth = 60});
      ASSERT_TRUE(slice.ok()) << slice.status().message();
      texts.push_back(SliceText(*run.module, reader.history(), *slice, {.lines = 0}));
    }
  }
  for (const std::string& text : texts) EXPECT_EQ(text, texts[0]);
}

// ---- Scatter ----

constexpr char kScatters[] = R"(
  x = f32[4] constant({10, 20, 30, 40})
  i = s32[5,1] constant({{1}, {3}, {1}, {9}, {1}})
  u = f32[5] parameter(0)
  v = f32[5] negate(u)
  s = f32[4] scatter(x, i, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=KIND
  ROOT y = f32[4] add(s, x)
)";

Slice SliceOf(Finished& run, absl::string_view name, int64_t linear, WhyOptions options = {}) {
  ElementReader reader(*run.machine, int64_t{1} << 28);
  absl::StatusOr<Slice> slice = BuildWhy(reader, run.Place(name, linear), options);
  EXPECT_TRUE(slice.ok()) << slice.status().message();
  return slice.ok() ? *std::move(slice) : Slice();
}

TEST(WhyTest, UpdatesOfAScatterAreTermsWithTheirIndices) {
  Finished run(Entry(absl::StrReplaceAll(kScatters, {{"KIND", "sum"}})));
  const Slice slice = SliceOf(run, "s", 1);
  const SliceNode& node = slice.nodes[0];
  EXPECT_EQ(node.fold, "sum");
  EXPECT_EQ(node.formula, "%x[1] + %v[0] + %v[2] + %v[4]");
  ASSERT_EQ(node.terms.size(), 4u);  // the initial element and three updates, the largest first
  EXPECT_EQ(node.term_count, 4);
  EXPECT_TRUE(node.terms[0].initial);
  EXPECT_EQ(node.terms[0].value.re, 20);
  double sum = 0;
  for (size_t t = 0; t < node.terms.size(); ++t) {
    sum += node.terms[t].value.re;
    if (t > 1) EXPECT_GE(std::abs(node.terms[t - 1].value.re), std::abs(node.terms[t].value.re));
    if (t > 0) EXPECT_EQ(node.terms[t].at[0] % 2, 0) << "update 1 goes elsewhere";
  }
  EXPECT_NEAR(sum, node.value.re, 1e-5);
  EXPECT_THAT(run.Why("s", 1), HasSubstr("; index %i[4,0] = 1"));
  // Nothing lands there: it is the operand's element, moved.
  EXPECT_THAT(run.Why("s", 0), HasSubstr("%x[0] = 10"));
  // Only the largest update is wanted.
  EXPECT_THAT(run.Why("s", 1, WhyOptions{.terms = 1}), HasSubstr("2 more updates"));
}

TEST(WhyTest, UpdatesThatReplaceAreMovement) {
  Finished run(Entry(absl::StrReplaceAll(kScatters, {{"KIND", "second"}})));
  const Slice slice = SliceOf(run, "s", 1);
  ASSERT_EQ(slice.nodes[0].edges.size(), 1u);
  EXPECT_EQ(slice.nodes[slice.nodes[0].edges[0].to].place.linear, 4);  // the last one
}

// A combiner of more than one operation: what each update makes of the element, in order.
TEST(WhyTest, UpdatesThatAreCombinedOtherwiseAreToldInTheirOrder) {
  const std::string decay = "decay {\n  da = f32[] parameter(0)\n  db = f32[] parameter(1)\n  dh = f32[] constant(0.5)\n  dm = f32[] multiply(da, dh)\n  ROOT ds = f32[] add(dm, db)\n}\n";
  Finished run(absl::StrReplaceAll(Entry(absl::StrReplaceAll(kScatters, {{"KIND", "decay"}})), {{"ENTRY", absl::StrCat(decay, "ENTRY")}}));
  const Slice slice = SliceOf(run, "s", 1);
  const SliceNode& node = slice.nodes[0];
  EXPECT_EQ(node.fold, "updates");
  ASSERT_EQ(node.terms.size(), 4u);
  EXPECT_EQ(node.terms[0].value.re, 20);
  EXPECT_EQ(node.terms[1].at[0], 0);
  EXPECT_EQ(node.terms[2].at[0], 2);
  EXPECT_EQ(node.terms[3].at[0], 4);
  EXPECT_EQ(node.terms[3].value.re, node.value.re);
  EXPECT_THAT(run.Why("s", 1), HasSubstr("update [4] makes it"));
  EXPECT_THAT(run.Why("s", 1, WhyOptions{.terms = 1}), HasSubstr("2 more updates before these"));
}

TEST(WhyTest, WindowsOfAScatterAreLookedAtWhereTheElementIs) {
  Finished run(Entry(R"(
  x = f32[3,4] parameter(0)
  i = s32[2,1] constant({{2}, {2}})
  u = f32[2,4] parameter(1)
  ROOT s = f32[3,4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
)"));
  const Slice slice = SliceOf(run, "s", 2 * 4 + 3);
  ASSERT_EQ(slice.nodes[0].terms.size(), 3u);
  for (size_t t = 1; t < 3; ++t) EXPECT_EQ(slice.nodes[0].terms[t].at[1], 3);
  EXPECT_THAT(slice.nodes[0].formula, HasSubstr("%u[0,3] + %u[1,3]"));
}

// ---- Sizes of the run ----

TEST(WhyTest, FoldsOverABoundedDimensionEndAtItsSize) {
  Finished run(Entry(R"(
  x = f32[2,6] parameter(0)
  n = s32[] constant(4)
  y = f32[2,<=6] set-dimension-size(x, n), dimensions={1}
  y2 = f32[2,<=6] multiply(y, y)
  z = f32[] constant(0)
  r = f32[2] reduce(y2, z), dimensions={1}, to_apply=sum
  d = f32[2,2] dot(y, y), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  w = f32[2,<=6] reduce-window(y, z), window={size=1x3 pad=0_0x1_1}, to_apply=sum
  b = f32[2,2] broadcast(r), dimensions={0}
  ROOT o = f32[2,2] add(b, d)
)"));
  const Slice sum = SliceOf(run, "r", 1);
  EXPECT_EQ(sum.nodes[0].term_count, 4);
  for (const SliceNode& node : sum.nodes) {
    if (node.place.instruction->name == "y2") EXPECT_LT(node.index[1], 4);
  }
  double total = 0;
  for (const SliceTerm& term : sum.nodes[0].terms) total += term.value.re;
  EXPECT_NEAR(total, sum.nodes[0].value.re, 1e-4);
  EXPECT_EQ(SliceOf(run, "d", 1).nodes[0].term_count, 4);
  // A window at the border of the sizes, not at that of the bounds.
  const Slice window = SliceOf(run, "w", 6 + 3);
  EXPECT_EQ(window.nodes[0].padding_terms, 1);
  // Beyond the sizes there is no element.
  EXPECT_THAT(run.Why("w", 6 + 4), HasSubstr("beyond the sizes"));
}

}  // namespace
}  // namespace hloscope
