// Running without stops: control flow, who holds what for how long, errors, limits.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "core/exec/custom_call.h"
#include "gmock/gmock.h"
#include "tests/exec/program.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kChain[] = R"(
ENTRY main {
  x = f32[2] parameter(0)
  a = f32[2] add(x, x)
  b = f32[2] multiply(a, x)
  c = f32[2] add(b, a)
  ROOT d = f32[2] negate(c)
})";

// Counts to `limit` and writes each number into an array.
constexpr char kLoop[] = R"(
body {
  p = (s32[], s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] get-tuple-element(p), index=1
  array = f32[8] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  f = f32[] convert(next)
  f1 = f32[1] broadcast(f), dimensions={}
  updated = f32[8] dynamic-update-slice(array, f1, i)
  ROOT t = (s32[], s32[], f32[8]) tuple(next, limit, updated)
}
condition {
  p = (s32[], s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] get-tuple-element(p), index=1
  ROOT lt = pred[] compare(i, limit), direction=LT
}
ENTRY main {
  limit = s32[] parameter(0)
  zero = s32[] constant(0)
  zf = f32[] constant(0)
  array = f32[8] broadcast(zf), dimensions={}
  init = (s32[], s32[], f32[8]) tuple(zero, limit, array)
  loop = (s32[], s32[], f32[8]) while(init), condition=condition, body=body
  i = s32[] get-tuple-element(loop), index=0
  result = f32[8] get-tuple-element(loop), index=2
  fi = f32[] convert(i)
  fb = f32[8] broadcast(fi), dimensions={}
  ROOT sum = f32[8] add(result, fb)
})";

class RunTest : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Fused, RunTest, ::testing::Bool());

TEST_P(RunTest, StraightLine) {
  Program_ p(kChain, GetParam());
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  EXPECT_TRUE(p.machine->running());
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(-4, -12));
  EXPECT_EQ(p.machine->executed(), 5);
  EXPECT_EQ(p.machine->next_instruction(), nullptr);
  // The entry's values can still be asked for.
  EXPECT_THAT(Floats(p.Of(0, "b")), ElementsAre(2, 8));
  // And it can be started again.
  ASSERT_TRUE(p.machine->Start({F32({0, 1})}).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(0, -4));
}

TEST_P(RunTest, RefusesWrongParameters) {
  Program_ p(kChain, GetParam());
  EXPECT_THAT(std::string(p.machine->Start(std::vector<Value>()).message()), HasSubstr("takes 1 parameters, 0 were given"));
  EXPECT_THAT(std::string(p.machine->Start({F32({1})}).message()), HasSubstr("parameter 0 has shape f32[1], wanted is f32[2]"));
  EXPECT_EQ(p.machine->Run(), StopReason::kError);
}

TEST_P(RunTest, LoopUpdatesInPlace) {
  Program_ p(kLoop, GetParam());
  ASSERT_TRUE(p.machine->Start({S32(6)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished) << p.machine->status();
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(7, 8, 9, 10, 11, 12, 6, 6));
  EXPECT_EQ(p.backend.counters.updates_in_place, 6);
  EXPECT_EQ(p.backend.counters.updates_copied, 0);
}

TEST_P(RunTest, LoopThatDoesNotRun) {
  Program_ p(kLoop, GetParam());
  ASSERT_TRUE(p.machine->Start({S32(0)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_P(RunTest, MostIterationsIsAnError) {
  MachineOptions options;
  options.max_iterations = 3;
  Program_ p(kLoop, GetParam(), options);
  ASSERT_TRUE(p.machine->Start({S32(4)}).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kError);
  EXPECT_THAT(std::string(p.machine->status().message()), HasSubstr("%loop: the loop has run 3 iterations"));
  EXPECT_EQ(p.machine->next_instruction(), nullptr);  // the condition's frame is at its end
  EXPECT_EQ(p.machine->top().caller->name, "loop");
  EXPECT_THAT(Floats(p.Of(0, "array")), ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
  ASSERT_TRUE(p.machine->Start({S32(3)}).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
}

constexpr char kCalls[] = R"(
inner {
  y = f32[2] parameter(0)
  ROOT twice = f32[2] add(y, y)
}
outer {
  y = f32[2] parameter(0)
  z = f32[2] parameter(1)
  c = f32[2] call(y), to_apply=inner
  ROOT s = f32[2] subtract(c, z)
}
fused {
  y = f32[2] parameter(0)
  n = f32[2] negate(y)
  ROOT m = f32[2] multiply(n, n)
}
ENTRY main {
  x = f32[2] parameter(0)
  which = s32[] parameter(1)
  c = f32[2] call(x, x), to_apply=outer
  d = f32[2] conditional(which, c, x, x), branch_computations={inner, fused, inner}
  ROOT f = f32[2] fusion(d), kind=kLoop, calls=fused
})";

TEST_P(RunTest, CallsAndBranches) {
  Program_ p(kCalls, GetParam());
  auto run = [&](int which) {
    EXPECT_TRUE(p.machine->Start({F32({1, 3}), S32(which)}).ok());
    EXPECT_EQ(p.machine->Run(), StopReason::kFinished) << p.machine->status();
    return Floats(p.machine->result());
  };
  EXPECT_THAT(run(0), ElementsAre(4, 36));
  EXPECT_THAT(run(1), ElementsAre(1, 81));
  EXPECT_THAT(run(2), ElementsAre(4, 36));
  EXPECT_THAT(run(7), ElementsAre(4, 36));   // out of range: the last branch
  EXPECT_THAT(run(-1), ElementsAre(4, 36));
}

TEST_P(RunTest, PredicateBranches) {
  Program_ p(R"(
yes { y = f32[1] parameter(0) ROOT r = f32[1] add(y, y) }
no { y = f32[1] parameter(0) ROOT r = f32[1] negate(y) }
ENTRY main {
  x = f32[1] parameter(0)
  c = pred[] parameter(1)
  ROOT d = f32[1] conditional(c, x, x), true_computation=yes, false_computation=no
})", GetParam());
  for (bool condition : {true, false}) {
    ASSERT_TRUE(p.machine->Start({F32({5}), Value::Scalar<uint8_t>(ElementType::kPred, condition)}).ok());
    ASSERT_EQ(p.machine->Run(), StopReason::kFinished);
    EXPECT_THAT(Floats(p.machine->result()), ElementsAre(condition ? 10 : -5));
  }
}

// Each of 20 values of 4 MB is dead after the next one is made.
std::string LongChain(int length) {
  std::string text = "ENTRY main {\n  v0 = f32[1048576] parameter(0)\n";
  for (int k = 1; k <= length; ++k) absl::StrAppend(&text, k == length ? "  ROOT v" : "  v", k, " = f32[1048576] negate(v", k - 1, ")\n");
  return text + "}\n";
}
constexpr int64_t kArray = 4 << 20;

TEST(MemoryTest, ValuesDieAfterTheirLastUse) {
  Program_ p(LongChain(20));
  Value x = Value::Allocate(Shape::Array(ElementType::kF32, {1048576}));
  memset(x.mutable_data(), 0, x.byte_size());
  ASSERT_TRUE(p.machine->Start({x}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_EQ(p.machine->account().peak(), 2 * kArray);
}

TEST(MemoryTest, RetainedWithinTheBudgetAndMadeAgainBeyondIt) {
  MachineOptions options;
  options.retain_bytes = 5 * kArray;
  Program_ p(LongChain(20), false, options);
  Value x = Value::Allocate(Shape::Array(ElementType::kF32, {1048576}));
  for (int k = 0; k < 1048576; ++k) x.mutable_as<float>()[k] = static_cast<float>(k);
  ASSERT_TRUE(p.machine->Start({x}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_LE(p.machine->account().peak(), 8 * kArray);
  EXPECT_GE(p.machine->account().live(), 5 * kArray);
  int run = p.backend.counters.kernels_run;
  EXPECT_EQ(p.Of(0, "v18").as<float>()[7], 7);
  EXPECT_EQ(p.backend.counters.kernels_run, run);  // held
  EXPECT_EQ(p.Of(0, "v3").as<float>()[7], -7);
  EXPECT_EQ(p.backend.counters.kernels_run, run + 3);  // made again from the parameter
  EXPECT_LE(p.machine->account().live(), 8 * kArray);
}

TEST(MemoryTest, LimitIsAnErrorThatSaysWhoHoldsWhat) {
  MachineOptions options;
  options.memory_limit = 2 * kArray + kArray / 2;
  Program_ p(R"(
ENTRY main {
  s = f32[] parameter(0)
  a = f32[1048576] broadcast(s), dimensions={}
  b = f32[1048576] negate(a)
  c = f32[1048576] add(a, b)
  d = f32[1048576] add(c, b)
  ROOT e = f32[1048576] add(d, a)
})", false, options);
  ASSERT_TRUE(p.machine->Start({Value::Scalar<float>(ElementType::kF32, 1)}).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kError);
  EXPECT_EQ(p.machine->next_instruction()->name, "c");
  EXPECT_THAT(std::string(p.machine->status().message()), HasSubstr("out of memory"));
  EXPECT_THAT(std::string(p.machine->status().message()), HasSubstr("%a f32[1048576] (4194304 bytes)"));
  EXPECT_TRUE(p.Of(0, "b").has_value());
}

TEST(MemoryTest, RetainedValuesGiveWayToTheLimit) {
  MachineOptions options;
  options.memory_limit = 3 * kArray;
  options.retain_bytes = 100 * kArray;
  Program_ p(LongChain(20), false, options);
  Value x = Value::Allocate(Shape::Array(ElementType::kF32, {1048576}));
  ASSERT_TRUE(p.machine->Start({x}).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished) << p.machine->status();
  EXPECT_LE(p.machine->account().peak(), 3 * kArray);
}

void Double(void* out, void** in) {
  for (int k = 0; k < 2; ++k) static_cast<float*>(out)[k] = 2 * static_cast<float*>(in[0])[k];
}
void Two(void* out, void** in) {
  void** outs = static_cast<void**>(out);
  for (int k = 0; k < 2; ++k) static_cast<float*>(outs[0])[k] = static_cast<float*>(in[0])[k], static_cast<float*>(outs[1])[k] = -static_cast<float*>(in[1])[k];
}
// Not null, which the sanitizers would report before the processor does.
void Crash(void*, void** in) { *reinterpret_cast<volatile int*>(uintptr_t{64}) = in == nullptr; }

std::string Custom(absl::string_view target) {
  return absl::StrCat(R"(
ENTRY main {
  x = f32[2] parameter(0)
  a = f32[2] add(x, x)
  k = f32[2] custom-call(a), custom_call_target=")", target, R"("
  ROOT r = f32[2] add(k, a)
})");
}

TEST(CustomCallTest, UserFunctions) {
  CustomCallLibrary library;
  library.Register("user.double", Double);
  library.Register("user.two", Two);
  MachineOptions options;
  options.custom_calls = &library;
  Program_ p(Custom("user.double"), false, options);
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished) << p.machine->status();
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(6, 12));

  Program_ q(R"(
ENTRY main {
  x = f32[2] parameter(0)
  k = (f32[2], f32[2]) custom-call(x, x), custom_call_target="user.two"
  a = f32[2] get-tuple-element(k), index=0
  b = f32[2] get-tuple-element(k), index=1
  c = f32[2] add(b, b)
  ROOT r = f32[2] add(a, c)
})", false, options);
  ASSERT_TRUE(q.machine->Start({F32({1, 2})}).ok());
  ASSERT_EQ(q.machine->Run(), StopReason::kFinished) << q.machine->status();
  EXPECT_THAT(Floats(q.machine->result()), ElementsAre(-1, -2));
}

int g_calls = 0;
void CountCalls(void* out, void**) {
  ++g_calls;
  for (int k = 0; k < 2; ++k) static_cast<float*>(out)[k] = static_cast<float>(g_calls);
}

// A call is made once on each way that the run has taken; on a way that is come back to it gives what it gave there.
TEST(CustomCallTest, EachHistoryKeepsWhatItsCallsGave) {
  g_calls = 0;
  CustomCallLibrary library;
  library.Register("user.count", CountCalls);
  MachineOptions options;
  options.custom_calls = &library;
  Program_ p(Custom("user.count"), false, options);
  Machine& m = *p.machine;
  ASSERT_TRUE(m.Start({F32({1, 2})}).ok());
  m.set_checkpoint_hook([] {}, 1e9);
  m.Arm(*p.module->entry, 2);
  ASSERT_EQ(m.Run(), StopReason::kBreakpoint);
  const std::shared_ptr<const MachineSnapshot> before = m.TakeSnapshot();
  ASSERT_EQ(m.Step(false), StopReason::kStep);
  EXPECT_THAT(Floats(p.Of(0, "k")), ElementsAre(1, 1));
  m.Restore(*before);
  ASSERT_TRUE(m.SetValue(0, 1, F32({5, 5})).ok());
  const std::shared_ptr<const MachineSnapshot> other = m.TakeSnapshot();
  ASSERT_EQ(m.Step(false), StopReason::kStep);
  EXPECT_THAT(Floats(p.Of(0, "k")), ElementsAre(2, 2)) << "of another operand it is asked again";
  m.Restore(*before);
  ASSERT_EQ(m.Step(false), StopReason::kStep);
  EXPECT_THAT(Floats(p.Of(0, "k")), ElementsAre(1, 1));
  m.Restore(*other);
  ASSERT_EQ(m.Step(false), StopReason::kStep);
  EXPECT_THAT(Floats(p.Of(0, "k")), ElementsAre(2, 2));
  EXPECT_EQ(g_calls, 2);
}

TEST(CustomCallTest, UnknownTargetStopsThere) {
  Program_ p(Custom("nobody.knows"));
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kError);
  EXPECT_THAT(std::string(p.machine->status().message()), HasSubstr("nobody.knows"));
  EXPECT_THAT(std::string(p.machine->status().message()), HasSubstr("--custom-call"));
  EXPECT_EQ(p.machine->next_instruction()->name, "k");
  EXPECT_THAT(Floats(p.Of(0, "a")), ElementsAre(2, 4));
  EXPECT_EQ(p.machine->Step(false), StopReason::kError);  // still there
}

TEST(CustomCallTest, PassThroughSaysSoOnce) {
  Program_ p(Custom("Sharding"));
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished) << p.machine->status();
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(4, 8));
  EXPECT_THAT(p.machine->TakeNotices(), ElementsAre(HasSubstr("Sharding")));
  EXPECT_TRUE(p.machine->TakeNotices().empty());
}

TEST(CustomCallTest, FaultInsideIsAStop) {
  CustomCallLibrary library;
  library.Register("user.crash", Crash);
  MachineOptions options;
  options.custom_calls = &library;
  Program_ p(Custom("user.crash"), false, options);
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(p.machine->Run(), StopReason::kError);
    EXPECT_THAT(std::string(p.machine->status().message()), HasSubstr("SIGSEGV"));
    EXPECT_THAT(Floats(p.Of(0, "a")), ElementsAre(2, 4));
  }
}

void Abort(void*, void**) { abort(); }
void Illegal(void*, void**) { raise(SIGILL); }
void Bus(void*, void**) { raise(SIGBUS); }

TEST(CustomCallTest, SignalsInsideAreStops) {
  CustomCallLibrary library;
  library.Register("user.SIGABRT", Abort);
  library.Register("user.SIGILL", Illegal);
  library.Register("user.SIGBUS", Bus);
  MachineOptions options;
  options.custom_calls = &library;
  for (const char* signal : {"SIGABRT", "SIGILL", "SIGBUS"}) {
    Program_ p(Custom(absl::StrCat("user.", signal)), false, options);
    ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(p.machine->Run(), StopReason::kError);
      EXPECT_THAT(std::string(p.machine->status().message()), HasSubstr(signal));
      EXPECT_THAT(Floats(p.Of(0, "a")), ElementsAre(2, 4));
    }
  }
}

TEST(CustomCallTest, LibraryFromAFile) {
  const std::string directory = ::testing::TempDir();
  const std::string source = directory + "/hloscope_custom.c", object = directory + "/hloscope_custom.so";
  FILE* file = fopen(source.c_str(), "w");
  ASSERT_NE(file, nullptr);
  fputs("void triple(void* out, void** in) { for (int k = 0; k < 2; ++k) ((float*)out)[k] = 3 * ((float*)in[0])[k]; }\n", file);
  fclose(file);
  if (system(absl::StrCat("cc -shared -fPIC -o ", object, " ", source, " -lm 2>/dev/null").c_str()) != 0) GTEST_SKIP() << "no C compiler";
  CustomCallLibrary library;
  ASSERT_TRUE(library.Load(object).ok());
  EXPECT_EQ(library.Find("free"), nullptr);  // the C library's is not the user's
  MachineOptions options;
  options.custom_calls = &library;
  Program_ p(Custom("triple"), false, options);
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished) << p.machine->status();
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(8, 16));
}

TEST(CustomCallTest, MissingLibrary) {
  CustomCallLibrary library;
  EXPECT_THAT(std::string(library.Load("/nowhere/none.so").message()), HasSubstr("/nowhere/none.so"));
  EXPECT_EQ(library.Find("user.none"), nullptr);
}

TEST(FeedTest, ItemsInOrderAndTheSameAgain) {
  MachineOptions options;
  options.infeed = {F32({1, 2}), F32({10, 20})};
  Program_ p(R"(
ENTRY main {
  t = token[] after-all()
  i = (f32[2], token[]) infeed(t)
  a = f32[2] get-tuple-element(i), index=0
  u = token[] get-tuple-element(i), index=1
  j = (f32[2], token[]) infeed(u)
  b = f32[2] get-tuple-element(j), index=0
  v = token[] get-tuple-element(j), index=1
  s = f32[2] add(a, b)
  o = token[] outfeed(s, v)
  ROOT n = f32[2] negate(s)
})", false, options);
  ASSERT_TRUE(p.machine->Start(std::vector<Value>()).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished) << p.machine->status();
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(-11, -22));
  EXPECT_THAT(Floats(p.Of(0, "b")), ElementsAre(10, 20));
  EXPECT_THAT(Floats(p.Of(0, "a")), ElementsAre(1, 2));
}

TEST(FeedTest, EmptyInfeedIsAnError) {
  Program_ p(R"(
ENTRY main {
  t = token[] after-all()
  i = (f32[2], token[]) infeed(t)
  ROOT a = f32[2] get-tuple-element(i), index=0
})");
  ASSERT_TRUE(p.machine->Start(std::vector<Value>()).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kError);
  EXPECT_THAT(std::string(p.machine->status().message()), HasSubstr("--infeed"));
}

TEST(StartTest, ParametersAreMadeWhenNeeded) {
  Program_ p(R"(
ENTRY main {
  x = f32[2] parameter(0)
  unused = f32[2] parameter(1)
  y = f32[2] parameter(2)
  a = f32[2] negate(x)
  b = f32[2] add(a, y)
  ROOT c = f32[2] add(b, x)
})");
  std::vector<int> asked;
  ASSERT_TRUE(p.machine->Start([&](int number) -> absl::StatusOr<Value> {
    asked.push_back(number);
    return F32({float(number + 1), 0});
  }).ok());
  p.Break("b");
  EXPECT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  EXPECT_THAT(asked, ElementsAre(0));
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_THAT(asked, ElementsAre(0, 2));
  EXPECT_THAT(Floats(p.machine->result()), ElementsAre(3, 0));
}

TEST(StartTest, ElidedConstantsAreFilledWhenNeededAndSaid) {
  Program_ p(R"(
ENTRY main {
  x = f32[2] parameter(0)
  c = f32[2] constant({...})
  a = f32[2] negate(x)
  ROOT b = f32[2] add(a, c)
})");
  ASSERT_TRUE(p.machine->Start({F32({1, 2})}).ok());
  p.Break("c");
  EXPECT_EQ(p.machine->Run(), StopReason::kBreakpoint);
  EXPECT_TRUE(p.machine->TakeNotices().empty());
  EXPECT_EQ(p.machine->Run(), StopReason::kFinished) << p.machine->status();
  EXPECT_THAT(p.machine->TakeNotices(), ElementsAre(HasSubstr("not a reproduction")));
}

TEST(RngTest, StreamsAreAFunctionOfThePlace) {
  const char* text = R"(
ENTRY main {
  lo = f32[] constant(0)
  hi = f32[] constant(1)
  a = f32[2] rng(lo, hi), distribution=rng_uniform
  b = f32[2] rng(lo, hi), distribution=rng_uniform
  ROOT c = f32[2] subtract(a, b)
})";
  MachineOptions options;
  options.seed = 3;
  Program_ p(text, false, options), q(text, false, options);
  for (Program_* r : {&p, &q}) {
    ASSERT_TRUE(r->machine->Start(std::vector<Value>()).ok());
    ASSERT_EQ(r->machine->Run(), StopReason::kFinished) << r->machine->status();
  }
  EXPECT_EQ(Floats(p.machine->result()), Floats(q.machine->result()));
  EXPECT_NE(Floats(p.machine->result())[0], 0);           // two streams
  EXPECT_EQ(Floats(p.Of(0, "a")), Floats(q.Of(0, "a")));  // made again, the same
}

TEST(PrepareTest, EverythingThatIsCalled) {
  Program_ p(kCalls);
  p.machine->PrepareAll();
  EXPECT_EQ(p.backend.counters.prepared, 4);  // twice, s, n, m
}

TEST(ObserverTest, SeesEveryRegionAndInputsStayValid) {
  Program_ p(kLoop);
  int updates = 0;
  p.machine->set_region_observer([&](const Frame& frame, const Region& region, const Kernel*, absl::Span<const Value> inputs, const Value& result) {
    for (const Value& input : inputs) EXPECT_TRUE(input.has_value());
    if (frame.computation->schedule[region.root]->name == "updated") {
      ++updates;
      EXPECT_NE(inputs[0].buffer(), result.buffer());
      if (updates == 4) return absl::InternalError("mismatch");
    }
    return absl::OkStatus();
  });
  ASSERT_TRUE(p.machine->Start({S32(6)}).ok());
  EXPECT_EQ(p.machine->Run(), StopReason::kError);
  EXPECT_EQ(updates, 4);
  EXPECT_THAT(std::string(p.machine->status().message()), HasSubstr("%updated: mismatch"));
}

TEST(ProfileTest, CountsRuns) {
  MachineOptions options;
  options.time_instructions = true;
  Program_ p(kLoop, false, options);
  ASSERT_TRUE(p.machine->Start({S32(6)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished);
  EXPECT_EQ(p.machine->profile().at(&p.at("updated", "body")).count, 6);
  EXPECT_EQ(p.machine->profile().at(&p.at("lt", "condition")).count, 7);
}

TEST(SpeedTest, ARegionCostsLittle) {
  Program_ p(kLoop);
  ASSERT_TRUE(p.machine->Start({S32(8)}).ok());
  ASSERT_EQ(p.machine->Run(), StopReason::kFinished);
  auto begin = std::chrono::steady_clock::now();
  int64_t executed = 0;
  for (int k = 0; k < 2000; ++k) {
    ASSERT_TRUE(p.machine->Start({S32(8)}).ok());
    ASSERT_EQ(p.machine->Run(), StopReason::kFinished);
    executed += p.machine->executed();
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  RecordProperty("instructions_per_second", static_cast<int>(executed / seconds));
  printf("%.0f instructions a second, with the fake kernels' time\n", executed / seconds);
  EXPECT_GT(executed / seconds, 100000);
}

}  // namespace
}  // namespace hloscope
