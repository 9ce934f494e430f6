// Stops: breakpoints in and between regions, single steps, values of the past, replaced values, interrupts.
#include <chrono>

#include "gmock/gmock.h"
#include "tests/exec/program.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kFused[] = R"(
ENTRY main {
  x = f32[2] parameter(0)
  a = f32[2] add(x, x)
  b = f32[2] multiply(a, x)
  c = f32[2] negate(b)
  d = f32[2] add(c, x)
  ROOT e = f32[2] multiply(d, d)
})";
constexpr char kCountedLoop[] = R"(
body {
  p = (s32[], f32[8], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  array = f32[8] get-tuple-element(p), index=1
  limit = s32[] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  f = f32[] convert(next)
  f1 = f32[1] broadcast(f), dimensions={}
  updated = f32[8] dynamic-update-slice(array, f1, i)
  after = f32[8] negate(updated)
  ROOT t = (s32[], f32[8], s32[]) tuple(next, after, limit)
}
condition {
  p = (s32[], f32[8], s32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] get-tuple-element(p), index=2
  ROOT lt = pred[] compare(i, limit), direction=LT
}
ENTRY main {
  limit = s32[] parameter(0)
  zero = s32[] constant(0)
  zf = f32[] constant(0)
  array = f32[8] broadcast(zf), dimensions={}
  init = (s32[], f32[8], s32[]) tuple(zero, array, limit)
  loop = (s32[], f32[8], s32[]) while(init), condition=condition, body=body
  result = f32[8] get-tuple-element(loop), index=1
  ROOT doubled = f32[8] add(result, result)
})";

std::vector<float> Expected(int limit) {
  std::vector<float> x(8, 0);
  for (int k = 0; k < limit; ++k) {
    x[k] = static_cast<float>(k + 1);
    for (float& v : x) v = -v;
  }
  return x;
}

class StopTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Fused, StopTest, ::testing::Bool());

TEST_P(StopTest, BreakpointInsideARegion) {
  Program_ p(kFused, GetParam());
  p.Break("c");
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  EXPECT_EQ(p.machine->next_instruction()->name, "c");
  EXPECT_THAT(Floats(p.Of(0, "b")), ElementsAre(2, 8));
  EXPECT_THAT(Floats(p.Of(0, "a")), ElementsAre(2, 4));
  absl::StatusOr<Value> later = p.machine->ValueOf(0, p.at("c").index);
  EXPECT_EQ(later.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(p.machine->ValueOf(3, 0).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(p.machine->ValueOf(0, 99).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(1, 36));
  EXPECT_EQ(p.machine->executed(), 6);
}

TEST_P(StopTest, StepsGiveTheSameResultAndEveryValue) {
  for (int64_t retain : {0, 1 << 20}) {
    MachineOptions options;
    options.retain_bytes = retain;
    Program_ p(kFused, GetParam(), options);
    ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
    for (const char* name : {"x", "a", "b", "c", "d"}) {
      EXPECT_EQ(p.machine->next_instruction()->name, name);
      EXPECT_EQ(p.machine->Step(false), StopReason::kStep);
      EXPECT_TRUE(p.Of(0, name).has_value());
    }
    EXPECT_THAT(Floats(p.Of(0, "c")), ElementsAre(-2, -8));
    EXPECT_EQ(p.machine->Step(false), StopReason::kFinished);
    EXPECT_THAT(Floats(p.machine->result()), ElementsAre(1, 36));
    EXPECT_EQ(p.machine->executed(), 6);
    EXPECT_EQ(p.machine->Step(false), StopReason::kFinished);
  }
}

TEST_P(StopTest, SteppingNeverMakesAValueTwice) {
  Program_ p(kFused, GetParam());
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  while (p.machine->Step(true) == StopReason::kStep) {
  }
  EXPECT_EQ(p.backend.counters.kernels_run, 5);
}

TEST_P(StopTest, RunGoesOnFromAStepInsideARegion) {
  Program_ p(kFused, GetParam());
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  for (int k = 0; k < 3; ++k) EXPECT_EQ(p.machine->Step(false), StopReason::kStep);
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(1, 36));
}

TEST_P(StopTest, WhereARunStartsIsNoStop) {
  Program_ p(kFused, GetParam());
  p.Break("x");
  p.Break("b");
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  EXPECT_EQ(p.machine->next_instruction()->name, "b");
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  p.machine->Disarm(*p.module->entry, p.at("b").index);
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
}

TEST_P(StopTest, BreakpointInALoopStopsEachIteration) {
  Program_ p(kCountedLoop, GetParam());
  p.Break("after", "body");
  ASSERT_TRUE(p.machine->Start({S32(4)}).ok());
  for (int k = 0; k < 4; ++k) {
    ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint) << p.machine->status();
    ASSERT_EQ(p.machine->frames().size(), 2u);
    EXPECT_EQ(p.machine->top().kind, FrameKind::kWhileBody);
    EXPECT_EQ(p.machine->top().iteration, k);
    EXPECT_EQ(p.Of(1, "i").as<int32_t>()[0], k);
    EXPECT_EQ(Floats(p.Of(1, "array")), Expected(k));  // although it was given to be updated
    EXPECT_EQ(Floats(p.Of(1, "updated"))[k], k + 1);
    EXPECT_THAT(Floats(p.Of(0, "array")), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));  // the caller's
  }
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  std::vector<float> expected = Expected(4);
  for (float& v : expected) v *= 2;
  EXPECT_EQ(Floats(p.machine->result()), expected);
}

TEST_P(StopTest, AFrameThatGaveItsParametersAwayGetsThemBack) {
  Program_ p(kCountedLoop, GetParam());
  // No breakpoint: the loop runs in place. Stop it in the middle of an iteration all the same.
  int seen = 0;
  ASSERT_TRUE(p.machine->Start({S32(8)}).ok());
  p.machine->set_region_observer([&](const Frame& frame, const Region& region, const Kernel*, absl::Span<const Value>, const Value&) {
    if (frame.computation->schedule[region.root]->name == "after" && frame.iteration == 5 && ++seen == 1) p.machine->interrupt() = true;
    return absl::OkStatus();
  });
  EXPECT_EQ(p.machine->Run(), StopReason::kInterrupted);
  EXPECT_FALSE(p.machine->interrupt());
  ASSERT_EQ(p.machine->frames().size(), 2u);
  EXPECT_EQ(p.machine->top().iteration, 5);
  EXPECT_EQ(Floats(p.Of(1, "array")), Expected(5));
  EXPECT_EQ(Floats(p.Of(1, "after")), Expected(6));
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
}

TEST_P(StopTest, InterruptedWithoutObserver) {
  Program_ p(kCountedLoop, GetParam());
  ASSERT_TRUE(p.machine->Start({S32(8)}).ok());
  p.machine->interrupt() = true;
  EXPECT_EQ(p.machine->Run(), StopReason::kInterrupted);
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
}

// Every instruction of a program that runs in place, stopped at in every possible way, shows the same values as when nobody looked.
TEST_P(StopTest, EveryStopShowsTheSameValues) {
  Program_ reference(kCountedLoop, false);
  std::vector<std::pair<std::string, std::vector<float>>> log;
  reference.machine->set_region_observer([&](const Frame& frame, const Region& region, const Kernel*, absl::Span<const Value>, const Value& result) {
    const Instruction& i = *frame.computation->schedule[region.root];
    if (i.shape.IsArray() && i.shape.element_type() == ElementType::kF32) log.emplace_back(absl::StrCat(frame.computation->name, i.name, frame.iteration), Floats(result));
    return absl::OkStatus();
  });
  ASSERT_TRUE(reference.machine->Start({S32(3)}).ok());
  ASSERT_EQ(reference.machine->Run(), StopReason::kFinished);
  for (int64_t retain : {0, 40, 1 << 20}) {
    MachineOptions options;
    options.retain_bytes = retain;
    Program_ p(kCountedLoop, GetParam(), options);
    ASSERT_TRUE(p.machine->Start({S32(3)}).ok());
    int steps = 0;
    StopReason reason = StopReason::kStep;
    for (; reason == StopReason::kStep; reason = p.machine->Step(true), ++steps) {
      for (size_t depth = 0; depth < p.machine->frames().size(); ++depth) {
        const Frame& frame = p.machine->frames()[depth];
        for (int at = 0; at < frame.position; ++at) {
          const Instruction& i = *frame.computation->schedule[at];
          std::string key = absl::StrCat(frame.computation->name, i.name, frame.iteration);
          for (const auto& [name, value] : log) {
            if (name != key) continue;
            EXPECT_EQ(Floats(p.Of(static_cast<int>(depth), i.name)), value) << key << " step " << steps;
          }
        }
      }
      ASSERT_LT(steps, 1000);
    }
    EXPECT_EQ(reason, StopReason::kFinished) << p.machine->status();
    EXPECT_EQ(Floats(p.machine->result()), Floats(reference.machine->result()));
  }
}

TEST_P(StopTest, StepIntoAndOver) {
  Program_ p(kCountedLoop, GetParam());
  p.Break("loop");
  ASSERT_TRUE(p.machine->Start({S32(2)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  EXPECT_EQ(p.machine->Step(true), StopReason::kStep);
  EXPECT_EQ(p.machine->top().kind, FrameKind::kWhileCondition);
  EXPECT_EQ(p.machine->top().position, 0);
  EXPECT_EQ(p.Of(0, "array").element_count(), 8);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(p.machine->Step(true), StopReason::kStep);
  EXPECT_EQ(p.machine->top().kind, FrameKind::kWhileBody);
  EXPECT_EQ(p.machine->next_instruction()->name, "p");
  EXPECT_EQ(p.machine->Finish(1), StopReason::kStep);  // the iteration
  EXPECT_EQ(p.machine->frames().size(), 2u);
  EXPECT_EQ(p.machine->top().kind, FrameKind::kWhileBody);
  EXPECT_EQ(p.machine->top().iteration, 1);
  EXPECT_EQ(p.machine->top().position, 0);
  ASSERT_TRUE(p.machine->returned().has_value());
  EXPECT_EQ(Floats(p.machine->returned().elements()[1]), Expected(1));
  EXPECT_EQ(p.machine->Finish(1), StopReason::kStep);  // the last one: out of the loop
  EXPECT_EQ(p.machine->frames().size(), 1u);
  EXPECT_EQ(p.machine->next_instruction()->name, "result");
  EXPECT_EQ(Floats(p.Of(0, "loop").elements()[1]), Expected(2));

  ASSERT_TRUE(p.machine->Start({S32(2)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  EXPECT_EQ(p.machine->Step(false), StopReason::kStep);
  EXPECT_EQ(p.machine->next_instruction()->name, "result");
}

TEST_P(StopTest, StepOverStopsAtABreakpointInside) {
  Program_ p(kCountedLoop, GetParam());
  p.Break("loop");
  p.Break("next", "body");
  ASSERT_TRUE(p.machine->Start({S32(2)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  EXPECT_EQ(p.machine->Step(false), StopReason::kBreakpoint);
  EXPECT_EQ(p.machine->next_instruction()->name, "next");
  p.machine->DisarmAll();
  EXPECT_EQ(p.machine->Finish(0), StopReason::kFinished);
}

TEST_P(StopTest, FinishInAConditionGoesToTheBody) {
  Program_ p(kCountedLoop, GetParam());
  p.Break("lt", "condition");
  ASSERT_TRUE(p.machine->Start({S32(1)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  p.machine->DisarmAll();
  EXPECT_EQ(p.machine->Finish(1), StopReason::kStep);
  EXPECT_EQ(p.machine->top().kind, FrameKind::kWhileBody);
  EXPECT_EQ(p.machine->returned().as<uint8_t>()[0], 1);
  p.Break("lt", "condition");
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  p.machine->DisarmAll();
  EXPECT_EQ(p.machine->Finish(1), StopReason::kStep);
  EXPECT_EQ(p.machine->next_instruction()->name, "result");
}

// The state that the loop has when it is stopped for its length can be looked at, and stepping there only says it again.
TEST_P(StopTest, ALoopThatIsTooLongKeepsItsFrame) {
  MachineOptions options;
  options.max_iterations = 3;
  Program_ p(kCountedLoop, GetParam(), options);
  ASSERT_TRUE(p.machine->Start({S32(8)}).ok());
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(k == 1 ? p.machine->Step(true) : p.machine->Run(), StopReason::kError);
    EXPECT_THAT(std::string(p.machine->status().message()), HasSubstr("%loop: the loop has run 3 iterations"));
    ASSERT_EQ(p.machine->frames().size(), 2u);
    EXPECT_EQ(p.machine->top().kind, FrameKind::kWhileCondition);
    EXPECT_EQ(p.machine->top().iteration, 3);
    EXPECT_EQ(p.machine->next_instruction(), nullptr);
    EXPECT_EQ(p.Of(1, "i").as<int32_t>()[0], 3);
    EXPECT_EQ(p.Of(1, "lt").as<uint8_t>()[0], 1);
    EXPECT_EQ(Floats(p.Of(1, "p").elements()[1]), Expected(3));
    EXPECT_THAT(Floats(p.Of(0, "array")), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  }
}

// The computation of an asynchronous start is called as any other.
TEST_P(StopTest, AsyncStartIsACall) {
  const char* text = R"(
comp {
  x = f32[2] parameter(0)
  m = f32[2] negate(x)
  ROOT n = f32[2] add(m, m)
}
ENTRY main {
  x = f32[2] parameter(0)
  a = f32[2] add(x, x)
  st = ((f32[2]), f32[2], s32[]) async-start(a), calls=comp
  up = ((f32[2]), f32[2], s32[]) async-update(st)
  d = f32[2] async-done(up)
  ROOT r = f32[2] add(d, a)
})";
  for (int64_t retain : {0, 1 << 20}) {
    MachineOptions options;
    options.retain_bytes = retain;
    Program_ p(text, GetParam(), options);
    ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
    ASSERT_EQ(p.machine->Run(), StopReason::kFinished) << p.machine->status();
    EXPECT_THAT(Floats(p.machine->result()), ElementsAre(-2, -4));
    EXPECT_THAT(Floats(p.Of(0, "st").elements()[0].elements()[0]), ElementsAre(2, 4));
    EXPECT_THAT(Floats(p.Of(0, "st").elements()[1]), ElementsAre(-4, -8));
    const int64_t executed = p.machine->executed();

    p.Break("n", "comp");
    ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
    ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
    ASSERT_EQ(p.machine->frames().size(), 2u);
    EXPECT_EQ(p.machine->top().kind, FrameKind::kCall);
    EXPECT_THAT(Floats(p.Of(1, "m")), ElementsAre(-2, -4));
    EXPECT_THAT(Floats(p.Of(1, "x")), ElementsAre(2, 4));
    EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
    EXPECT_THAT(Floats(p.machine->result()), ElementsAre(-2, -4));

    p.machine->DisarmAll();
    p.Break("st");
    ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
    ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
    EXPECT_EQ(p.machine->Step(true), StopReason::kStep);
    EXPECT_EQ(p.machine->next_instruction(), p.at("x", "comp").parent->schedule[0]);
    while (p.machine->Step(true) == StopReason::kStep) {
    }
    EXPECT_THAT(Floats(p.machine->result()), ElementsAre(-2, -4));
    EXPECT_EQ(p.machine->executed(), executed);
  }
}

TEST_P(StopTest, RunTo) {
  Program_ p(kCountedLoop, GetParam());
  p.Break("i", "body");
  ASSERT_TRUE(p.machine->Start({S32(2)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  EXPECT_EQ(p.machine->RunTo(1, p.at("updated", "body").index), StopReason::kStep);
  EXPECT_EQ(p.machine->next_instruction()->name, "updated");
  EXPECT_EQ(p.machine->RunTo(0, p.at("doubled").index), StopReason::kBreakpoint);
  p.machine->DisarmAll();
  EXPECT_EQ(p.machine->RunTo(0, p.at("doubled").index), StopReason::kStep);
  EXPECT_EQ(p.machine->next_instruction()->name, "doubled");
}

TEST_P(StopTest, ReplacedValuesAreSeenByLaterInstructionsOnly) {
  Program_ p(kFused, GetParam());
  p.Break("d");
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  EXPECT_FALSE(p.machine->SetValue(0, p.at("d").index, F32({0, 0})).ok());
  EXPECT_THAT(std::string(p.machine->SetValue(0, p.at("b").index, F32({0})).message()), HasSubstr("has shape f32[2]"));
  ASSERT_TRUE(p.machine->SetValue(0, p.at("b").index, F32({100, 100})).ok());
  EXPECT_THAT(Floats(p.Of(0, "b")), ElementsAre(100, 100));
  EXPECT_THAT(Floats(p.Of(0, "c")), ElementsAre(-2, -8));  // was executed before
  ASSERT_TRUE(p.machine->SetValue(0, p.at("c").index, F32({4, 5})).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(25, 49));
}

// Every value computed before a set stays what it was, also when it was dropped and is made again; later ones see the new value.
TEST_P(StopTest, SetDoesNotChangeThePast) {
  for (int64_t retain : {0, 1 << 20}) {
    MachineOptions options;
    options.retain_bytes = retain;
    for (const char* stop : {"c", "d", "e"}) {
      Program_ p(kFused, GetParam(), options);
      p.Break(stop);
      ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
      ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
      ASSERT_TRUE(p.machine->SetValue(0, p.at("x").index, F32({100, 100})).ok());
      ASSERT_TRUE(p.machine->SetValue(0, p.at("x").index, F32({10, 20})).ok());
      const int position = p.at(stop).index;
      const auto past = [&] {
        EXPECT_THAT(Floats(p.Of(0, "x")), ElementsAre(10, 20));
        EXPECT_THAT(Floats(p.Of(0, "a")), ElementsAre(2, 4)) << stop;
        EXPECT_THAT(Floats(p.Of(0, "b")), ElementsAre(2, 8)) << stop;
        if (position > p.at("c").index) EXPECT_THAT(Floats(p.Of(0, "c")), ElementsAre(-2, -8)) << stop;
      };
      past();
      EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
      past();
      if (position <= p.at("d").index) {
        EXPECT_THAT(Floats(p.machine->result()), ElementsAre(64, 144)) << stop;  // (c + the new x)^2
        EXPECT_THAT(Floats(p.Of(0, "d")), ElementsAre(8, 12)) << stop;
      } else {
        EXPECT_THAT(Floats(p.machine->result()), ElementsAre(1, 36)) << stop;
      }
    }
  }
}

TEST_P(StopTest, SetTwiceKeepsBothPasts) {
  Program_ p(kFused, GetParam());
  p.Break("b");
  p.Break("d");
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_TRUE(p.machine->SetValue(0, p.at("x").index, F32({10, 10})).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_TRUE(p.machine->SetValue(0, p.at("x").index, F32({0, 0})).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_THAT(Floats(p.Of(0, "a")), ElementsAre(2, 4));
  EXPECT_THAT(Floats(p.Of(0, "b")), ElementsAre(20, 40));
  EXPECT_THAT(Floats(p.Of(0, "c")), ElementsAre(-20, -40));
  EXPECT_THAT(Floats(p.Of(0, "d")), ElementsAre(-20, -40));
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(400, 1600));
}

// What was set inside a loop's body is not lost when the loop's value is asked for later, nor what was set before the loop's operand.
TEST_P(StopTest, SetInALoopStaysInItsResult) {
  for (int64_t retain : {0, 1 << 20}) {
    MachineOptions options;
    options.retain_bytes = retain;
    Program_ p(kCountedLoop, GetParam(), options);
    p.Break("one", "body");
    ASSERT_TRUE(p.machine->Start({S32(4)}).ok());
    ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
    ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
    ASSERT_TRUE(p.machine->SetValue(1, p.at("array", "body").index, F32({7, 7, 7, 7, 7, 7, 7, 7})).ok());
    ASSERT_TRUE(p.machine->SetValue(0, p.at("array").index, F32({5, 5, 5, 5, 5, 5, 5, 5})).ok());
    EXPECT_THAT(Floats(p.Of(0, "init").elements()[1]), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
    p.machine->DisarmAll();
    p.Break("doubled");
    ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
    const std::vector<float> expected = {-7, -2, 3, -4, -7, -7, -7, -7};
    EXPECT_EQ(Floats(p.Of(0, "result")), expected);
    EXPECT_EQ(Floats(p.Of(0, "loop").elements()[1]), expected);
    EXPECT_THAT(Floats(p.Of(0, "init").elements()[1]), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
    EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
    EXPECT_EQ(Floats(p.Of(0, "result")), expected);
  }
}

TEST_P(StopTest, ReplacedParameter) {
  Program_ p(kFused, GetParam());
  p.Break("a");
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_TRUE(p.machine->SetValue(0, 0, F32({0, 1})).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(0, 1));
}

TEST_P(StopTest, AnUnreachedBreakpointChangesNothing) {
  Program_ p(kCountedLoop, GetParam());
  ASSERT_TRUE(p.machine->Start({S32(6)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished);
  int run = p.backend.counters.kernels_run;
  p.Break("doubled");
  ASSERT_TRUE(p.machine->Start({S32(6)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_EQ(p.backend.counters.kernels_run, 2 * run);
  EXPECT_EQ(p.backend.counters.updates_copied, 0);
}

TEST(StepSpeedTest, ManyStepsASecond) {
  std::string text = "ENTRY main {\n  v0 = f32[4] parameter(0)\n";
  constexpr int kLength = 20000;
  for (int k = 1; k <= kLength; ++k) absl::StrAppend(&text, k == kLength ? "  ROOT v" : "  v", k, " = f32[4] negate(v", k - 1, ")\n");
  MachineOptions options;
  options.retain_bytes = 1 << 20;
  Program_ p(text + "}\n", false, options);
  ASSERT_TRUE(p.machine->Start({F32({1, 2, 3, 4})}).ok());
  auto begin = std::chrono::steady_clock::now();
  while (p.machine->Step(true) == StopReason::kStep) {
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  printf("%.0f steps a second, kernels made and run by the fake backend\n", kLength / seconds);
  EXPECT_GT(kLength / seconds, 20000);
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace hloscope
