// What a whole run is known to have made: health also of what loops, branches and calls are handed, and runs that are ended by a limit.
#include "core/debug/run_values.h"

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/debug/opened.h"

namespace hloscope {
namespace {

using ::testing::HasSubstr;

class RunValuesTest : public ::testing::Test {
 protected:
  RunValues Watched(const std::string& text, const RunLimits& limits = {}) {
    session_ = OpenSession(text, /*reference=*/true, SessionOptions(), [](absl::string_view) {});
    absl::StatusOr<RunValues> values = WatchValues(session_->state(), limits);
    EXPECT_TRUE(values.ok()) << values.status();
    return values.ok() ? *std::move(values) : RunValues();
  }

  // 0: not known.
  double HealthOf(const RunValues& values, absl::string_view computation, absl::string_view name) {
    const Computation& home = *session_->state().module->FindComputation(computation);
    const CallFigures health = values.Health(*session_->state().module).by_call;
    return health.In(health.tree.CallsOf(*session_->state().module, home), *home.FindInstruction(name)).value_or(0);
  }

  std::unique_ptr<Session> session_;
};

// The logarithm of the last iteration is the first NaN: the condition sees it, the body never does.
TEST_F(RunValuesTest, TheBodyOfALoopIsHandedWhatItMadeBefore) {
  const std::string text = R"(HloModule t
body {
  p = (s32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[] get-tuple-element(p), index=1
  old = f32[] get-tuple-element(p), index=2
  one = s32[] constant(1)
  step = f32[] constant(LIMIT)
  lower = f32[] subtract(v, step)
  bad = f32[] log(lower)
  next = s32[] add(i, one)
  ROOT all = (s32[], f32[], f32[]) tuple(next, lower, bad)
}
condition {
  q = (s32[], f32[], f32[]) parameter(0)
  at = s32[] get-tuple-element(q), index=0
  seen = f32[] get-tuple-element(q), index=2
  end = s32[] constant(3)
  ROOT on = pred[] compare(at, end), direction=LT
}
ENTRY main {
  zero = s32[] constant(0)
  start = f32[] constant(2.5)
  none = f32[] constant(1)
  begin = (s32[], f32[], f32[]) tuple(zero, start, none)
  loop = (s32[], f32[], f32[]) while(begin), condition=condition, body=body
  ROOT r = f32[] get-tuple-element(loop), index=2
}
)";
  const RunValues last = Watched(absl::StrReplaceAll(text, {{"LIMIT", "1"}}));  // 1.5, 0.5, -0.5
  EXPECT_EQ(HealthOf(last, "body", "bad"), kNotANumber);
  EXPECT_EQ(HealthOf(last, "body", "old"), kFine);
  EXPECT_EQ(HealthOf(last, "body", "p"), kFine);
  EXPECT_EQ(HealthOf(last, "condition", "seen"), kNotANumber);
  EXPECT_EQ(HealthOf(last, "main", "r"), kNotANumber);
  const RunValues earlier = Watched(absl::StrReplaceAll(text, {{"LIMIT", "1.3"}}));  // 1.2, -0.1, -1.4
  EXPECT_EQ(HealthOf(earlier, "body", "old"), kNotANumber);
  EXPECT_EQ(HealthOf(earlier, "body", "p"), kNotANumber);
  EXPECT_EQ(HealthOf(earlier, "body", "v"), kFine);
  EXPECT_EQ(HealthOf(earlier, "body", "i"), kFine);
}

TEST_F(RunValuesTest, CallsAndBranchesAreHandedTheirOperands) {
  const RunValues values = Watched(R"(HloModule t
twice {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  ROOT c = f32[2] add(a, b)
}
left {
  l = (f32[2]) parameter(0)
  ROOT lv = f32[2] get-tuple-element(l), index=0
}
right {
  r = f32[2] parameter(0)
  ROOT rv = f32[2] negate(r)
}
ENTRY main {
  bad = f32[2] constant({1, nan})
  inf = f32[2] constant({1, inf})
  fine = f32[2] constant({1, 2})
  sum = f32[2] call(fine, inf), to_apply=twice
  which = s32[] constant(0)
  pair = (f32[2]) tuple(bad)
  either = f32[2] conditional(which, pair, fine), branch_computations={left, right}
  ROOT all = (f32[2], f32[2]) tuple(sum, either)
}
)");
  EXPECT_EQ(HealthOf(values, "twice", "a"), kFine);
  EXPECT_EQ(HealthOf(values, "twice", "b"), kInfinite);
  EXPECT_EQ(HealthOf(values, "left", "l"), kNotANumber);
  EXPECT_EQ(HealthOf(values, "left", "lv"), kNotANumber);
  EXPECT_EQ(HealthOf(values, "right", "r"), 0) << "that branch was not taken";
  EXPECT_EQ(HealthOf(values, "right", "rv"), 0);
}

TEST_F(RunValuesTest, ALimitEndsTheRunAndKeepsWhatWasSeen) {
  const std::string text = R"(HloModule t
ENTRY main {
  x = f32[100000] parameter(0)
  a = f32[100000] sine(x)
  b = f32[100000] cosine(a)
  c = f32[100000] add(a, b)
  ROOT all = (f32[100000], f32[100000], f32[100000]) tuple(a, b, c)
}
)";
  const RunValues whole = Watched(text);
  EXPECT_FALSE(whole.ended);
  EXPECT_EQ(whole.error, "");
  const RunValues cut = Watched(text, {0, 1000000});  // x, a and b
  EXPECT_TRUE(cut.ended);
  EXPECT_THAT(cut.error, HasSubstr("took more than 976.6 KiB"));
  const Computation& entry = *session_->state().module->entry;
  EXPECT_NE(cut.Find(*entry.FindInstruction("a"), 0), nullptr);
  EXPECT_EQ(cut.Find(*entry.FindInstruction("c"), 0), nullptr);
  const RunValues late = Watched(text, {1e-9, 0});
  EXPECT_TRUE(late.ended);
  EXPECT_THAT(late.error, HasSubstr("the run was ended after"));
}

}  // namespace
}  // namespace hloscope
