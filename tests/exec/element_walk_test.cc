// Stepping inside reducers: which calls are seen, in which order, and what is computed afterwards.
#include "backends/reference/backend.h"
#include "gmock/gmock.h"
#include "tests/exec/program.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;

constexpr char kReduce[] = R"(
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[N] parameter(0)
  init = f32[] constant(100)
  r = f32[] reduce(x, init), dimensions={0}, to_apply=sum
  ROOT n = f32[] negate(r)
})";

std::string Reduce(int n) {
  std::string text = kReduce;
  return text.replace(text.find('N', text.find("f32[N")), 1, std::to_string(n));
}

TEST(ElementWalkTest, StepsThroughTheCallsOfAReduce) {
  Program_ p(Reduce(3));
  ASSERT_TRUE(p.machine->Start({F32({1, 2, 4})}).ok());
  p.Break("r");
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_EQ(p.machine->Step(true), StopReason::kStep);
  std::vector<float> accumulators, elements;
  while (p.machine->frames().size() == 2) {
    EXPECT_EQ(p.machine->top().kind, FrameKind::kElement);
    if (p.machine->next_instruction()->name == "s") {
      accumulators.push_back(p.Of(1, "a").as<float>()[0]);
      elements.push_back(p.Of(1, "b").as<float>()[0]);
      EXPECT_EQ(p.machine->top().iteration, static_cast<int64_t>(elements.size()) - 1);
    }
    ASSERT_EQ(p.machine->Step(true), StopReason::kStep);
  }
  EXPECT_THAT(accumulators, ElementsAre(100, 101, 103));
  EXPECT_THAT(elements, ElementsAre(1, 2, 4));
  EXPECT_EQ(p.machine->next_instruction()->name, "n");  // as behind a call: the result is there
  EXPECT_EQ(p.Of(0, "r").as<float>()[0], 107);
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
}

TEST(ElementWalkTest, InterleavedOrder) {
  Program_ p(Reduce(20));
  std::vector<float> x;
  for (int k = 0; k < 20; ++k) x.push_back(static_cast<float>(k));
  ASSERT_TRUE(p.machine->Start({F32(x)}).ok());
  p.Break("r");
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_EQ(p.machine->Step(true), StopReason::kStep);
  std::vector<std::pair<float, float>> calls;
  float last = 0;
  while (p.machine->frames().size() == 2) {
    if (p.machine->next_instruction()->name == "s") {
      calls.emplace_back(p.Of(1, "a").as<float>()[0], p.Of(1, "b").as<float>()[0]);
      last = calls.back().first + calls.back().second;
    }
    ASSERT_EQ(p.machine->Step(true), StopReason::kStep);
  }
  ASSERT_EQ(calls.size(), 4u + 15u + 1u);
  EXPECT_EQ(calls[0], (std::pair<float, float>(0, 16)));
  EXPECT_EQ(calls[3], (std::pair<float, float>(3, 19)));
  EXPECT_EQ(calls[4], (std::pair<float, float>(16, 8)));  // lane 0 with lane 8
  EXPECT_EQ(calls.back(), (std::pair<float, float>(100, 190)));
  EXPECT_EQ(last, 290);
}

TEST(ElementWalkTest, NothingIsCalledWhereThereIsNothing) {
  Program_ p(R"(
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  init = f32[] parameter(0)
  x = f32[0,20] broadcast(init), dimensions={}
  r = f32[] reduce(x, init), dimensions={0,1}, to_apply=sum
  ROOT n = f32[] negate(r)
})");
  ASSERT_TRUE(p.machine->Start({Value::Scalar<float>(ElementType::kF32, 7)}).ok());
  p.Break("r");
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  for (int k = 0; k < 3 && !p.machine->finished(); ++k) p.machine->Step(true);
  ASSERT_TRUE(p.machine->finished());
  EXPECT_EQ(p.machine->result().as<float>()[0], -7);
}

TEST(ElementWalkTest, AWalkIsNotCounted) {
  Program_ p(Reduce(3));
  ASSERT_TRUE(p.machine->Start({F32({1, 2, 4})}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished);
  const int64_t executed = p.machine->executed();
  ASSERT_TRUE(p.machine->Start({F32({1, 2, 4})}).ok());
  p.Break("r");
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  const int64_t before = p.machine->executed();
  for (int k = 0; k < 7; ++k) EXPECT_EQ(p.machine->Step(true), StopReason::kStep);
  ASSERT_EQ(p.machine->frames().size(), 2u);
  EXPECT_EQ(p.machine->executed(), before);
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_EQ(p.machine->executed(), executed);
}

TEST(ElementWalkTest, FinishEndsTheCallAndTheLastOneComputesTheInstruction) {
  Program_ p(Reduce(3));
  ASSERT_TRUE(p.machine->Start({F32({1, 2, 4})}).ok());
  p.Break("r");
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_EQ(p.machine->Step(true), StopReason::kStep);
  ASSERT_EQ(p.machine->frames().size(), 2u);
  for (float sum : {101, 103}) {
    EXPECT_EQ(p.machine->Finish(1), StopReason::kStep);
    ASSERT_EQ(p.machine->frames().size(), 2u);
    EXPECT_EQ(p.machine->top().position, 0);
    EXPECT_EQ(p.machine->returned().as<float>()[0], sum);
  }
  EXPECT_EQ(p.machine->Finish(1), StopReason::kStep);
  EXPECT_EQ(p.machine->frames().size(), 1u);
  EXPECT_EQ(p.machine->next_instruction()->name, "n");
  EXPECT_EQ(p.Of(0, "r").as<float>()[0], 107);
}

TEST(ElementWalkTest, RunLeavesTheWalk) {
  Program_ p(Reduce(3));
  ASSERT_TRUE(p.machine->Start({F32({1, 2, 4})}).ok());
  p.Break("r");
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_EQ(p.machine->Step(true), StopReason::kStep);
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_EQ(p.machine->result().as<float>()[0], -107);
}

TEST(ElementWalkTest, ABreakpointInTheReducerStopsEachCallOfAWalk) {
  Program_ p(Reduce(3));
  ASSERT_TRUE(p.machine->Start({F32({1, 2, 4})}).ok());
  p.Break("r");
  p.Break("s", "sum");
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_EQ(p.machine->Step(true), StopReason::kStep);
  for (int k = 0; k < 3; ++k) {
    ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
    EXPECT_EQ(p.machine->top().iteration, k);
  }
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
}

// The arguments of every call that a walk into %r shows.
std::vector<float> Walk(const std::string& computation, const std::string& instruction) {
  Program_ p(computation + R"(
ENTRY main {
  x = f32[3] parameter(0)
  i = s32[3,1] parameter(1)
  c = f32[] constant(10)
  ROOT r = )" + instruction + "\n}\n");
  int32_t indices[3] = {1, 1, 7};
  Value i = Value::FromBytes(Shape::Array(ElementType::kS32, {3, 1}), absl::MakeConstSpan(reinterpret_cast<const std::byte*>(indices), 12));
  std::vector<float> seen;
  EXPECT_TRUE(p.machine->Start({F32({5, 6, 7}), i}).ok());
  while (p.machine->next_instruction()->name != "r") EXPECT_EQ(p.machine->Step(false), StopReason::kStep);
  EXPECT_EQ(p.machine->Step(true), StopReason::kStep);
  while (p.machine->frames().size() == 2) {
    if (p.machine->next_instruction()->name == "s") {
      for (const Instruction* parameter : p.machine->top().computation->parameters) seen.push_back(p.Of(1, parameter->name).as<float>()[0]);
    }
    if (p.machine->Step(true) != StopReason::kStep) break;
  }
  return seen;
}

constexpr char kSum[] = "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = f32[] add(a, b)\n}\n";

TEST(ElementWalkTest, Map) {
  EXPECT_THAT(Walk("twice {\n  a = f32[] parameter(0)\n  ROOT s = f32[] add(a, a)\n}\n", "f32[3] map(x), dimensions={0}, to_apply=twice"), ElementsAre(5, 6, 7));
}
TEST(ElementWalkTest, Sort) {
  EXPECT_THAT(Walk("less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT s = pred[] compare(a, b), direction=LT\n}\n",
                   "f32[3] sort(x), dimensions={0}, to_apply=less"),
              ElementsAre(6, 5, 7, 6));
}
TEST(ElementWalkTest, Scatter) {
  EXPECT_THAT(Walk(kSum, "f32[3] scatter(x, i, x), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum"),
              ElementsAre(6, 5, 11, 6));  // both at 1; the third is outside
}
TEST(ElementWalkTest, ReduceWindow) {
  EXPECT_THAT(Walk(kSum, "f32[2] reduce-window(x, c), window={size=2 pad=1_0 stride=2}, to_apply=sum"), ElementsAre(10, 5, 10, 6, 16, 7));
}

// Each window: comparisons of what it keeps with its next element, then one scatter.
TEST(ElementWalkTest, SelectAndScatterAsksSelectThenScatter) {
  const std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Program_ p(R"(
ge {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = pred[] compare(a, b), direction=GE
}
sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[5] parameter(0)
  u = f32[2] constant({10, 20})
  z = f32[] constant(1)
  ROOT r = f32[5] select-and-scatter(x, u, z), window={size=3 stride=2}, select=ge, scatter=sum
})");
  p.machine = std::make_unique<Machine>(*p.module, *backend, MachineOptions());
  ASSERT_TRUE(p.machine->Start({F32({1, 2, 9, 3, 4})}).ok());
  p.Break("r");
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_EQ(p.machine->Step(true), StopReason::kStep);
  std::vector<std::string> calls;
  while (p.machine->frames().size() == 2) {
    const std::string name(p.machine->next_instruction()->name);
    if (name == "c" || name == "s") {
      calls.push_back(name + std::to_string(static_cast<int>(p.Of(1, "a").as<float>()[0])) + "," +
                      std::to_string(static_cast<int>(p.Of(1, "b").as<float>()[0])));
    }
    const StopReason reason = p.machine->Step(true);
    if (reason == StopReason::kFinished) break;  // the walk was that of the last instruction
    ASSERT_EQ(reason, StopReason::kStep);
  }
  EXPECT_THAT(calls, ElementsAre("c1,2", "c2,9", "s1,10", "c9,3", "c9,4", "s11,20"));
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(1, 1, 31, 1, 1));
}

TEST(ElementWalkTest, ScanCarriesItsState) {
  const std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Program_ p(R"(
step {
  x = f32[2] parameter(0)
  c = f32[2] parameter(1)
  s = f32[2] add(x, c)
  ROOT t = (f32[2], f32[2]) tuple(s, s)
}
ENTRY main {
  i = f32[6] parameter(0)
  x = f32[3,2] reshape(i)
  z = f32[2] constant({100, 200})
  r = (f32[3,2], f32[2]) scan(x, z), dimensions={0}, to_apply=step, is_reverse=true
  ROOT e = f32[2] get-tuple-element(r), index=1
})");
  p.machine = std::make_unique<Machine>(*p.module, *backend, MachineOptions());
  ASSERT_TRUE(p.machine->Start({F32({1, 2, 3, 4, 5, 6})}).ok());
  p.Break("r");
  ASSERT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  ASSERT_EQ(p.machine->Step(true), StopReason::kStep);
  std::vector<float> states;
  while (p.machine->frames().size() == 2) {
    if (p.machine->next_instruction()->name == "s") states.push_back(p.Of(1, "c").as<float>()[1]);
    ASSERT_EQ(p.machine->Step(true), StopReason::kStep);
  }
  EXPECT_THAT(states, ElementsAre(200, 206, 210));
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(109, 212));
}

}  // namespace
}  // namespace hloscope
