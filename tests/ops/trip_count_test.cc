// Trip counts read off loops, against counting by hand; and loops whose end cannot be read off.
#include "core/ops/trip_count.h"

#include "absl/strings/str_cat.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

struct Counting {
  std::string begin = "0", end = "10", step = "1", direction = "LT", next = "add(i, one)", compare = "compare(i, end)";
};

std::optional<int64_t> Trips(const Counting& c) {
  const std::string text = absl::StrCat(
      "HloModule m\nbody { p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f32[4] get-tuple-element(p), index=1\n  one = s32[] constant(", c.step,
      ")  next = s32[] ", c.next, "  ROOT r = (s32[], f32[4]) tuple(next, x) }\n",
      "condition { p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0  end = s32[] constant(", c.end, ")  ROOT more = pred[] ", c.compare, ", direction=", c.direction, " }\n",
      "ENTRY e { i = s32[] constant(", c.begin, ")  x = f32[4] parameter(0)  init = (s32[], f32[4]) tuple(i, x)\n  ROOT l = (s32[], f32[4]) while(init), condition=condition, body=body }");
  DiagnosticSink sink;
  const std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("loop.hlo", text), sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << d.message;
  return StaticTripCount(*module->entry->root);
}

TEST(TripCountTest, CountersUpAndDown) {
  EXPECT_EQ(Trips({}), 10);
  EXPECT_EQ(Trips({.begin = "3", .end = "10", .step = "2"}), 4);  // 3 5 7 9
  EXPECT_EQ(Trips({.begin = "0", .end = "10", .step = "5", .direction = "LE"}), 3);
  EXPECT_EQ(Trips({.begin = "9", .end = "0", .step = "-3", .direction = "GT"}), 3);
  EXPECT_EQ(Trips({.begin = "9", .end = "0", .step = "3", .direction = "GE", .next = "subtract(i, one)"}), 4);
  EXPECT_EQ(Trips({.begin = "4", .end = "10", .step = "2", .direction = "NE"}), 3);
}

TEST(TripCountTest, TheLimitMayStandFirst) {
  EXPECT_EQ(Trips({.direction = "GT", .next = "add(one, i)", .compare = "compare(end, i)"}), 10);
}

TEST(TripCountTest, LoopsThatAreNotEntered) {
  EXPECT_EQ(Trips({.begin = "10"}), 0);
  EXPECT_EQ(Trips({.begin = "12"}), 0);
}

TEST(TripCountTest, NothingIsSaidOfOtherLoops) {
  EXPECT_EQ(Trips({.step = "-1"}), std::nullopt);                      // away from its end
  EXPECT_EQ(Trips({.step = "0"}), std::nullopt);
  EXPECT_EQ(Trips({.step = "3", .direction = "NE"}), std::nullopt);    // steps over its end
  EXPECT_EQ(Trips({.direction = "EQ"}), std::nullopt);
  EXPECT_EQ(Trips({.next = "multiply(i, one)"}), std::nullopt);
  EXPECT_EQ(Trips({.compare = "compare(i, i)"}), std::nullopt);
}

}  // namespace
}  // namespace hloscope
