// Random walks with sets, in any frame on the stack: every moment that is gone back to shows what it showed when it was the present, however
// little is kept and wherever there are snapshots.
#include <cstdlib>
#include <random>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/debug/session_state.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"
#include "tests/debug/opened.h"
#ifdef HLOSCOPE_JIT
#include "backends/jit_cpu/jit_cpu.h"
#endif

namespace hloscope {
namespace {

constexpr char kProgram[] = R"(HloModule sets
f {
  q = f32[4] parameter(0)
  fq = f32[4] add(q, q)
  ROOT fr = f32[4] multiply(fq, q)
}
body {
  p = (s32[], f32[4], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[4] get-tuple-element(p), index=1
  g = f32[] get-tuple-element(p), index=2
  one = s32[] constant(1)
  next = s32[] add(i, one)
  gs = f32[4] broadcast(g), dimensions={}
  sc = f32[4] multiply(v, gs)
  r = f32[4] call(sc), to_apply=f
  ROOT carry = (s32[], f32[4], f32[]) tuple(next, r, g)
}
condition {
  p = (s32[], f32[4], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant(3)
  ROOT less = pred[] compare(i, limit), direction=LT
}
outer {
  p = (s32[], f32[4], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[4] get-tuple-element(p), index=1
  g = f32[] get-tuple-element(p), index=2
  zero = s32[] constant(0)
  half = f32[] constant(0.5)
  g2 = f32[] multiply(g, half)
  gn = f32[] negate(g2)
  init = (s32[], f32[4], f32[]) tuple(zero, v, g2)
  inner = (s32[], f32[4], f32[]) while(init), condition=condition, body=body
  iv = f32[4] get-tuple-element(inner), index=1
  gs = f32[4] broadcast(gn), dimensions={}
  iv2 = f32[4] add(iv, gs)
  iv3 = f32[4] tanh(iv2)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT carry = (s32[], f32[4], f32[]) tuple(next, iv3, g)
}
ENTRY main {
  start = f32[4] parameter(0)
  gain = f32[] parameter(1)
  twice = f32[4] add(start, start)
  gain2 = f32[] add(gain, gain)
  c = f32[4] call(twice), to_apply=f
  m = f32[4] negate(c)
  mm = f32[4] sine(m)
  zero = s32[] constant(0)
  init = (s32[], f32[4], f32[]) tuple(zero, mm, gain2)
  loop = (s32[], f32[4], f32[]) while(init), condition=condition, body=outer
  last = f32[4] get-tuple-element(loop), index=1
  fin = f32[4] add(last, twice)
  fin2 = f32[4] call(fin), to_apply=f
  ROOT answer = f32[4] multiply(fin2, mm)
}
)";

class Walk {
 public:
  Walk(int seed, int64_t retain, const char* seconds, bool reference) : random_(seed) {
    seconds != nullptr ? setenv("HLOSCOPE_SNAPSHOT_SECONDS", seconds, 1) : unsetenv("HLOSCOPE_SNAPSHOT_SECONDS");
    SessionOptions options;
    options.fill.kind = Fill::kIota;
    options.retain_bytes = retain;
    session_ = OpenSession(kProgram, reference, options, [this](absl::string_view out) { absl::StrAppend(&said_, out); });
  }
  ~Walk() { unsetenv("HLOSCOPE_SNAPSHOT_SECONDS"); }

  // Nothing, or how a moment differs.
  std::string Run() {
    Say("start");
    Note();
    for (int steps = 6 + Below(10); steps > 0; --steps) {
      Move();
      if (session_->state().machine->finished()) Say("goto end");
      Note();
      if (Below(2) == 0) Set();
      if (Below(4) == 0) {
        Say(absl::StrCat("goto m", Below(static_cast<int>(seen_.size()))));
        Say(absl::StrCat("goto m", seen_.size() - 1));
      }
    }
    for (int k = 0; k < 14; ++k) {
      const int n = Below(static_cast<int>(seen_.size()));
      Say(absl::StrCat("goto m", n));
      if (Below(2) == 0) {
        constexpr const char* kWays[] = {"step", "reverse-step", "next", "reverse-next"};
        Say(absl::StrCat(kWays[Below(4)], " ", 1 + Below(4)));
        Say(absl::StrCat("goto m", n));
      }
      const std::string now = Look();
      if (now != seen_[n]) return absl::StrCat("m", n, " was\n", seen_[n], "and is\n", now, "after\n", log_);
    }
    return "";
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  std::string Say(const std::string& line, bool logged = true) {
    said_.clear();
    if (logged) absl::StrAppend(&log_, line, "\n");
    session_->Execute(line);
    return said_;
  }
  void Move() {
    constexpr const char* kStops[] = {"sc", "fq", "iv2", "less", "gn", "fin", "mm"};
    const int kind = Below(20);
    if (kind < 7) Say(absl::StrCat("step ", 1 + Below(11)));
    else if (kind < 10) Say(absl::StrCat("next ", 1 + Below(4)));
    else if (kind < 17) Say("finish");
    else Say("until");
    if (kind < 14) return;
    Say(absl::StrCat("tbreak ", kStops[Below(7)]));
    Say("continue");
  }
  // Everything that can be seen, in every frame.
  std::string Look() {
    const std::vector<Frame>& frames = session_->state().machine->frames();
    std::string text = Say("backtrace", false);
    for (size_t k = 0; k < frames.size(); ++k) {
      Say(absl::StrCat("frame ", k), false);
      for (const Instruction* i : frames[frames.size() - 1 - k].computation->schedule) absl::StrAppend(&text, Say(absl::StrCat("print %", i->name), false));
    }
    if (!frames.empty()) Say("frame 0", false);
    return text;
  }
  void Note() {
    Say(absl::StrCat("bookmark m", seen_.size()));
    seen_.push_back(Look());
  }
  void Set() {
    const std::vector<Frame>& frames = session_->state().machine->frames();
    if (frames.empty()) return;
    const size_t depth = Below(2) == 0 ? 0 : static_cast<size_t>(Below(static_cast<int>(frames.size())));  // 0: the entry
    std::vector<const Instruction*> floats;
    for (const Instruction* i : frames[depth].computation->schedule) {
      if (i->shape.IsArray() && i->shape.element_type() == ElementType::kF32 && i->literal == nullptr) floats.push_back(i);
    }
    if (floats.empty()) return;
    const Instruction& i = *floats[Below(static_cast<int>(floats.size()))];
    Say(absl::StrCat("frame ", frames.size() - 1 - depth));
    Say(absl::StrCat("set %", i.name, i.shape.rank() > 0 ? absl::StrCat("[", Below(4), "]") : "", " = ", 0.25 * (1 + Below(8))));
    Say("frame 0");
    seen_.back() = Look();
  }

  std::mt19937 random_;
  std::string said_, log_;
  std::unique_ptr<Session> session_;
  std::vector<std::string> seen_;  // by bookmark
};

TEST(SetsTest, ThePastIsWhatItWas) {
  constexpr int64_t kRetain[] = {1, 64, 1000, int64_t{1} << 30};
  constexpr const char* kSeconds[] = {"0", "1e9", nullptr};
  for (int seed = 0; seed < 120; ++seed) {
    const std::string differs = Walk(seed, kRetain[seed % 4], kSeconds[seed % 3], seed % 5 < 3).Run();
    ASSERT_EQ(differs, "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace hloscope
