// The past is what it was: random walks in both directions over programs with loops, calls, branches, random numbers and an infeed, with
// snapshots at every chance. At each moment every value of every frame on the stack has the bits that a plain run of single steps found.
#include "core/debug/timeline.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "backends/reference/backend.h"
#include "core/exec/inputs.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

constexpr char kEverything[] = R"(HloModule everything
square { x = f32[4] parameter(0) ROOT xx = f32[4] multiply(x, x) }
plus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
up { x = f32[4] parameter(0) e = f32[4] exponential(x) ROOT y = f32[4] add(e, x) }
down { x = f32[4] parameter(0) n = f32[4] negate(x) t = f32[4] tanh(n) ROOT y = f32[4] call(t), to_apply=square }
inner_body {
  p = (s32[], f32[4], f32[8,4]) parameter(0)
  j = s32[] get-tuple-element(p), index=0
  v = f32[4] get-tuple-element(p), index=1
  all = f32[8,4] get-tuple-element(p), index=2
  one = s32[] constant(1)
  zero = s32[] constant(0)
  row = f32[1,4] reshape(v)
  all2 = f32[8,4] dynamic-update-slice(all, row, j, zero)
  s = f32[4] sine(v)
  half = f32[] constant(0.5)
  halves = f32[4] broadcast(half), dimensions={}
  w = f32[4] multiply(s, halves)
  w2 = f32[4] add(w, v)
  next = s32[] add(j, one)
  ROOT r = (s32[], f32[4], f32[8,4]) tuple(next, w2, all2)
}
inner_condition {
  p = (s32[], f32[4], f32[8,4]) parameter(0)
  j = s32[] get-tuple-element(p), index=0
  n = s32[] constant(3)
  ROOT less = pred[] compare(j, n), direction=LT
}
body {
  p = (s32[], f32[4], f32[8,4], token[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[4] get-tuple-element(p), index=1
  all = f32[8,4] get-tuple-element(p), index=2
  t = token[] get-tuple-element(p), index=3
  fed = (f32[4], token[]) infeed(t)
  item = f32[4] get-tuple-element(fed), index=0
  t2 = token[] get-tuple-element(fed), index=1
  low = f32[] constant(0)
  high = f32[] constant(1)
  noise = f32[4] rng(low, high), distribution=rng_uniform
  v2 = f32[4] add(v, item)
  v3 = f32[4] add(v2, noise)
  zero = s32[] constant(0)
  start = (s32[], f32[4], f32[8,4]) tuple(zero, v3, all)
  turned = (s32[], f32[4], f32[8,4]) while(start), condition=inner_condition, body=inner_body
  v4 = f32[4] get-tuple-element(turned), index=1
  all2 = f32[8,4] get-tuple-element(turned), index=2
  sum = f32[] reduce(v4, low), dimensions={0}, to_apply=plus
  positive = pred[] compare(sum, low), direction=GT
  v5 = f32[4] conditional(positive, v4, v4), true_computation=down, false_computation=up
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT r = (s32[], f32[4], f32[8,4], token[]) tuple(next, v5, all2, t2)
}
condition {
  p = (s32[], f32[4], f32[8,4], token[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(4)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[4] parameter(0)
  zero = s32[] constant(0)
  f = f32[] constant(0)
  rows = f32[8,4] broadcast(f), dimensions={}
  t = token[] after-all()
  y = f32[4] call(x), to_apply=square
  init = (s32[], f32[4], f32[8,4], token[]) tuple(zero, y, rows, t)
  loop = (s32[], f32[4], f32[8,4], token[]) while(init), condition=condition, body=body
  v = f32[4] get-tuple-element(loop), index=1
  all = f32[8,4] get-tuple-element(loop), index=2
  z = f32[4] cosine(v)
  done = f32[4] subtract(z, y)
  ROOT r = (f32[4], f32[8,4]) tuple(done, all)
}
)";

struct Run {
  std::unique_ptr<Module> module;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Machine> machine;
  std::vector<Value> parameters;
};

// The first parameter values are made up; `retain` 0 makes every value that is not needed any more be made again.
Run Open(const std::string& text, bool jit, int64_t retain) {
  Run run;
  DiagnosticSink sink;
  auto source = std::make_shared<SourceText>("<test>", text);
  run.module = ReadHloText(source, sink);
  if (sink.error_count() == 0) Verify(*run.module, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << Render(d, *source);
  run.backend = jit ? *MakeJitCpuBackend(BackendOptions()) : MakeReferenceBackend();
  MachineOptions options;
  options.retain_bytes = retain;
  for (int k = 0; k < 8; ++k) {
    Value item = Value::Allocate(Shape::Array(ElementType::kF32, {4}), nullptr);
    for (int e = 0; e < 4; ++e) reinterpret_cast<float*>(item.mutable_data())[e] = 0.25f * static_cast<float>(k - e);
    options.infeed.push_back(item);
  }
  run.machine = std::make_unique<Machine>(*run.module, *run.backend, std::move(options));
  for (const Instruction* parameter : run.module->entry->parameters) {
    absl::StatusOr<Value> value = MakeInput(*run.module, parameter->parameter_number, Fill(), nullptr);
    EXPECT_TRUE(value.ok()) << value.status();
    run.parameters.push_back(*std::move(value));
  }
  EXPECT_TRUE(run.machine->Start(run.parameters).ok());
  return run;
}

std::string BytesOf(const Value& value) {
  std::string bytes;
  if (value.shape().IsTuple()) {
    for (const Value& element : value.elements()) bytes += BytesOf(element);
  } else if (value.shape().IsArray()) {
    bytes.assign(reinterpret_cast<const char*>(value.data()), value.byte_size());
  }
  return bytes;
}

std::string KeyOf(const Mark& mark, size_t levels) {
  std::string key;
  for (size_t k = 0; k < levels; ++k) {
    const Mark::Level& level = mark.levels[k];
    absl::StrAppend(&key, static_cast<int>(level.kind), ",", level.iteration, ",", level.branch, ",", k + 1 < levels ? level.position : -1, ";");
  }
  return key;
}

class History {
 public:
  // Every value before the position of every frame; the first time it is seen it is noted, then it must be the same.
  void Look(Machine& m, bool note, int64_t* looked) {
    const Mark mark = m.Where();
    const std::string whole = KeyOf(mark, mark.levels.size()) + absl::StrCat("@", mark.levels.back().position);
    if (m.top().kind != FrameKind::kElement) {
      if (note) {
        executed_[whole] = m.executed();
      } else {
        ASSERT_TRUE(executed_.contains(whole)) << "no such moment: " << whole;
        EXPECT_EQ(executed_[whole], m.executed()) << whole;
      }
    }
    for (size_t depth = 0; depth < m.frames().size(); ++depth) {
      if (m.frames()[depth].kind == FrameKind::kElement) continue;
      const std::string frame = KeyOf(mark, depth + 1);
      for (int p = 0; p < m.frames()[depth].position; ++p) {
        const Instruction& instruction = *m.frames()[depth].computation->schedule[p];
        const absl::StatusOr<Value> value = m.ValueOf(static_cast<int>(depth), p);
        ASSERT_TRUE(value.ok()) << instruction.name << ": " << value.status();
        ++*looked;
        auto [known, fresh] = values_.try_emplace(frame + absl::StrCat(p), BytesOf(*value));
        if (note) continue;
        ASSERT_FALSE(fresh) << "no such value: " << instruction.name;
        ASSERT_EQ(known->second, BytesOf(*value)) << "%" << instruction.name << " is not what it was";
      }
    }
  }
  std::vector<Mark> marks;

 private:
  std::map<std::string, std::string> values_;
  std::map<std::string, int64_t> executed_;
};

// A plain run of single steps, nothing else: what was.
void Record(const std::string& text, bool jit, History* history) {
  Run run = Open(text, jit, 1 << 20);
  int64_t looked = 0;
  StopReason reason = StopReason::kStep;
  while (reason == StopReason::kStep) {
    history->Look(*run.machine, true, &looked);
    if (run.machine->top().kind != FrameKind::kElement) history->marks.push_back(run.machine->Where());
    reason = run.machine->Step(true);
  }
  ASSERT_EQ(reason, StopReason::kFinished) << run.machine->status();
  history->Look(*run.machine, true, &looked);
}

void Walk(const std::string& text, bool jit, int64_t retain, double interval, int steps, uint64_t seed, History& history) {
  Run run = Open(text, jit, retain);
  Machine& m = *run.machine;
  TimelineOptions options;
  options.interval_seconds = interval;
  options.max_snapshots = 12;
  Timeline timeline(m, options);
  std::mt19937_64 random(seed);
  int64_t looked = 0;
  std::string trace;
  for (int k = 0; k < steps; ++k) {
    StopReason reason = StopReason::kStep;
    const uint64_t what = random() % 8;
    absl::StrAppend(&trace, " ", what);
    SCOPED_TRACE(trace);
    switch (what) {
      case 0: reason = m.Step(true); break;
      case 1: reason = m.Step(false); break;
      case 2: reason = m.Finish(static_cast<int>(random() % m.frames().size())); break;
      case 3:
      case 4: {
        const Mark now = m.Where();
        absl::StatusOr<Mark> mark = timeline.Previous(what == 3);
        if (!mark.ok()) {
          ASSERT_TRUE(absl::IsOutOfRange(mark.status())) << mark.status();
          reason = timeline.Seek(now);
          break;
        }
        EXPECT_TRUE(*mark < now);
        reason = timeline.Seek(*mark);
        EXPECT_TRUE(m.Where() == *mark);
        break;
      }
      case 5:
      case 6: {
        const Mark& mark = history.marks[random() % history.marks.size()];
        if (m.top().kind == FrameKind::kElement) {
          reason = m.Finish(static_cast<int>(m.frames().size()) - 1);
          break;
        }
        reason = timeline.Seek(mark);
        EXPECT_EQ(reason, StopReason::kStep) << m.status();
        EXPECT_TRUE(m.Where() == mark);
        break;
      }
      case 7: {
        if (m.top().kind == FrameKind::kElement) break;
        const Mark& mark = history.marks[random() % history.marks.size()];
        const Mark now = m.Where();
        // A look there, and back to exactly where it was.
        const std::shared_ptr<const MachineSnapshot> back = m.TakeSnapshot();
        if (back == nullptr) break;
        EXPECT_EQ(timeline.Seek(mark), StopReason::kStep) << m.status();
        EXPECT_TRUE(m.Where() == mark);
        history.Look(m, false, &looked);
        m.Restore(*back);
        EXPECT_TRUE(m.Where() == now);
        break;
      }
    }
    ASSERT_NE(reason, StopReason::kError) << m.status();
    history.Look(m, false, &looked);
    if (testing::Test::HasFatalFailure() || testing::Test::HasFailure()) return;
    if (reason == StopReason::kFinished && random() % 2 == 0) timeline.Seek(history.marks[random() % history.marks.size()]);
  }
  EXPECT_GT(looked, steps);
}

class TimelineTest : public testing::TestWithParam<std::tuple<bool, int64_t, double>> {};

TEST_P(TimelineTest, RandomWalksFindThePastAsItWas) {
  const auto [jit, retain, interval] = GetParam();
  History history;
  Record(kEverything, jit, &history);
  if (HasFatalFailure()) return;
  for (uint64_t seed = 1; seed <= 3 && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Walk(kEverything, jit, retain, interval, 150, seed, history);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, TimelineTest,
                         testing::Combine(testing::Bool(), testing::Values(int64_t{0}, int64_t{400}, int64_t{1} << 30), testing::Values(0.0, 1e-4, 1e9)));

TEST(TimelineSamplesTest, SamplesToo) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator("assets/samples")) {
    if (entry.path().extension() != ".hlo") continue;
    const std::string name = entry.path().stem();
    if (name != "runge_kutta" && name != "lstm" && name != "power_iteration" && name != "softmax") continue;  // short enough for single steps
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    History history;
    SCOPED_TRACE(name);
    Record(text.str(), true, &history);
    Walk(text.str(), true, 1 << 16, 1e-4, 40, 7, history);
    ++programs;
  }
  EXPECT_GE(programs, 3);
}

}  // namespace
}  // namespace hloscope
