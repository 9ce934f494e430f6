// The timeline's axis: moments and places are each other's reverse, loops are as long as their iterations, and commands name the place.
#include "visualizer/panels/timeline_axis.h"

#include "core/debug/locations.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"
#include "visualizer/model/run_progress_text.h"

namespace hloscope {
namespace {

constexpr char kProgram[] = R"(HloModule m
inner { p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f32[4] get-tuple-element(p), index=1
  one = s32[] constant(1)  next = s32[] add(i, one)  y = f32[4] sine(x)  ROOT r = (s32[], f32[4]) tuple(next, y) }
less { p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0  end = s32[] constant(3)  ROOT more = pred[] compare(i, end), direction=LT }
outer { p = (s32[], f32[4]) parameter(0)  i = s32[] get-tuple-element(p), index=0  x = f32[4] get-tuple-element(p), index=1
  zero = s32[] constant(0)  state = (s32[], f32[4]) tuple(zero, x)  deep = (s32[], f32[4]) while(state), condition=less, body=inner
  one = s32[] constant(1)  next = s32[] add(i, one)  z = f32[4] get-tuple-element(deep), index=1  ROOT r = (s32[], f32[4]) tuple(next, z) }
ENTRY e { x = f32[4] parameter(0)  a = f32[4] add(x, x)  zero = s32[] constant(0)  state = (s32[], f32[4]) tuple(zero, a)
  loop = (s32[], f32[4]) while(state), condition=less, body=outer
  b = f32[4] get-tuple-element(loop), index=1  c = f32[4] cosine(b)  ROOT d = f32[4] sine(c) }
)";

class TimelineAxisTest : public testing::Test {
 protected:
  void SetUp() override {
    DiagnosticSink sink;
    module_ = ReadHloText(std::make_shared<SourceText>("m.hlo", kProgram), sink);
    if (sink.error_count() == 0) Verify(*module_, sink);
    ASSERT_EQ(sink.error_count(), 0);
    axis_.Build(*module_, {{In("e", "loop"), 3, true}, {In("outer", "deep"), 3, true}});
    now_.module = module_.get();
    now_.phase = Phase::kStopped;
  }
  const Instruction* In(const char* computation, const char* name) { return module_->FindComputation(computation)->FindInstruction(name); }

  std::unique_ptr<Module> module_;
  TimelineAxis axis_;
  Snapshot now_;
};

TEST_F(TimelineAxisTest, TheScheduleIsInOrder) {
  double before = -1;
  for (const Instruction* i : module_->entry->schedule) {
    EXPECT_GT(axis_.At(*i), before);
    before = axis_.At(*i);
  }
  EXPECT_LT(before, 1);
  Mark end;
  end.levels.push_back({FrameKind::kEntry, 0, -1, static_cast<int>(module_->entry->schedule.size())});
  EXPECT_DOUBLE_EQ(axis_.At(end), 1);
}

TEST_F(TimelineAxisTest, OnlyOutermostLoopsHaveTicks) {
  ASSERT_EQ(axis_.loops().size(), 1u);
  EXPECT_EQ(axis_.loops()[0].loop->name, "loop");
  EXPECT_EQ(axis_.loops()[0].trips, 3);
  EXPECT_GT(axis_.loops()[0].span.width(), 0.5);
  EXPECT_LT(axis_.loops()[0].span.width(), 1);
}

TEST_F(TimelineAxisTest, WhatIsUnderAPointIsThere) {
  for (double x = 0.001; x < 1; x += 0.003) {
    const TimelineAxis::Place place = axis_.Under(x, 1e-6);
    const TimelineAxis::Place same = axis_.PlaceOf(place.mark);
    ASSERT_EQ(place.at, same.at) << x;
    EXPECT_EQ(place.iterations, same.iterations);
    // Over the parameters it is the first instruction behind them, which a program can stand at.
    const bool first = place.at->index == FirstStop(*place.at->parent);
    EXPECT_LE(axis_.At(place.mark), x + (first ? 0.01 : 1e-9));
    EXPECT_NEAR(axis_.At(place.mark), place.span.begin, 1e-9);
  }
}

TEST_F(TimelineAxisTest, CommandsNameIterationsOuterFirst) {
  Mark mark;
  mark.levels.push_back({FrameKind::kEntry, 0, -1, In("e", "loop")->index});
  mark.levels.push_back({FrameKind::kWhileBody, 2, -1, In("outer", "deep")->index});
  mark.levels.push_back({FrameKind::kWhileBody, 1, -1, In("inner", "y")->index});
  EXPECT_EQ(CommandsTo(now_, axis_.PlaceOf(mark)), (std::vector<std::string>{"goto iteration 2,1 in %deep", "goto before %y"}));
}

TEST_F(TimelineAxisTest, NarrowPlacesAreIterations) {
  const TimelineAxis::Span loop = axis_.loops()[0].span;
  const TimelineAxis::Place place = axis_.Under(loop.begin + loop.width() * 0.5, loop.width());
  ASSERT_EQ(place.iterations, std::vector<int64_t>{1});
  EXPECT_EQ(CommandsTo(now_, place), std::vector<std::string>{"goto iteration 1 in %loop"});
}

TEST_F(TimelineAxisTest, TheEndIsAPlace) {
  EXPECT_EQ(CommandsTo(now_, axis_.Under(1, 1e-3)), std::vector<std::string>{"goto end"});
  now_.phase = Phase::kReady;
  EXPECT_EQ(CommandsTo(now_, axis_.Under(1, 1e-3)), (std::vector<std::string>{"start", "goto end"}));
}

// A run's instructions: those of the entry, of three outer iterations with four conditions, and of the inner loop in each.
TEST_F(TimelineAxisTest, CountsTheInstructionsOfAWholeRun) {
  const Instruction* loop = module_->entry->FindInstruction("loop");
  const Instruction* deep = module_->FindComputation("outer")->FindInstruction("deep");
  const auto size = [&](const char* name) { return static_cast<int64_t>(module_->FindComputation(name)->schedule.size()); };
  const int64_t inner = 3 * size("inner") + 4 * size("less");
  const RunTotal total = TotalOf(*module_, {{loop, 3, true}, {deep, 3, true}});
  EXPECT_TRUE(total.exact);
  EXPECT_EQ(total.instructions, static_cast<int64_t>(module_->entry->schedule.size()) + 3 * (size("outer") + inner) + 4 * size("less"));
  EXPECT_FALSE(TotalOf(*module_, {{loop, 3, true}}).exact);

  Snapshot now;
  now.module = module_.get();
  now.trips = {{loop, 3, true}, {deep, 3, true}};
  Engine::Activity activity;
  activity.executed = total.instructions / 2;
  activity.mark.levels = {{FrameKind::kEntry, 0, -1, loop->index}, {FrameKind::kWhileBody, 2, -1, 0}};
  const RunningText text = TextOfRun(now, activity, total);
  EXPECT_NEAR(text.share, 0.5, 0.02);
  EXPECT_EQ(text.loop_text, "iteration 2 of 3");
  EXPECT_NE(text.whole.find("of %loop"), std::string::npos);
}

}  // namespace
}  // namespace hloscope
