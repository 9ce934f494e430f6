// Random walks with sets, in any frame on the stack: every moment that is gone back to shows what it showed when it was the present, however
// little is kept and wherever there are snapshots; also after edits that change nothing but a constant that nothing reads, and in both forks.
#include <cstdlib>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/reference/backend.h"
#include "core/debug/hand_sets.h"
#include "core/debug/session_state.h"
#include "core/debug/travel.h"
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
  spare2 = s32[] constant(0)
  ROOT less = pred[] compare(i, limit), direction=LT
}
outer {
  p = (s32[], f32[4], f32[]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[4] get-tuple-element(p), index=1
  g = f32[] get-tuple-element(p), index=2
  zero = s32[] constant(0)
  spare1 = f32[] constant(0)
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
  spare0 = f32[] constant(0)
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
  spare3 = f32[] constant(0)
  ROOT answer = f32[4] multiply(fin2, mm)
}
)";

class Walk {
 public:
  Walk(int seed, int64_t retain, const char* seconds, bool reference, bool edits = false) : random_(seed), edits_(edits) {
    seconds != nullptr ? setenv("HLOSCOPE_SNAPSHOT_SECONDS", seconds, 1) : unsetenv("HLOSCOPE_SNAPSHOT_SECONDS");
    SessionOptions options;
    options.fill.kind = Fill::kIota;
    options.retain_bytes = retain;
    session_ = OpenSession(kProgram, reference, options, [this](absl::string_view out) { absl::StrAppend(&said_, out); });
  }
  ~Walk() { unsetenv("HLOSCOPE_SNAPSHOT_SECONDS"); }

  int kept() const { return kept_; }  // sets, over edits

  // Sets and an edit that changes values: nothing, or how a moment differs from the same one of the edited program with the same sets.
  std::string RunEdited(bool reference, const SessionOptions& options) {
    Say("start");
    Note();
    for (int steps = 4 + Below(8); steps > 0; --steps) {
      StepOn();
    }
    Say(absl::StrCat("goto m", Below(static_cast<int>(seen_.size()))));
    const std::vector<HandSet> sets = AllSets(session_->state());
    constexpr const char* kEdits[][3] = {{"half", "constant(0.5)", "0.75"}, {"limit", "constant(3)", "2"}, {"limit", "constant(3)", "4"}};
    const char* const* edit = kEdits[Below(3)];
    const std::string said = Say(absl::StrCat("edit %", edit[0], " = ", edit[2]));
    Session& edited = *session_;
    std::unique_ptr<Session> fresh = OpenSession(absl::StrReplaceAll(kProgram, {{edit[1], absl::StrCat("constant(", edit[2], ")")}}), reference, options,
                                                 [this](absl::string_view out) { absl::StrAppend(&said_, out); });
    fresh->Execute("start");
    size_t there = 0;
    for (const HandSet& set : sets) {
      if (GoTo(fresh->state(), set.mark).ok() && SetAgain(fresh->state(), set).ok()) ++there;
    }
    if (AllSets(edited.state()).size() != there || AllSets(fresh->state()).size() != there) return absl::StrCat(said, there, " sets are wanted\n", log_);
    kept_ += static_cast<int>(there);
    const std::map<std::string, Mark> bookmarks = edited.state().Extension<Travel>().bookmarks;
    for (const auto& [name, mark] : bookmarks) {
      const bool came = GoTo(fresh->state(), mark).ok();
      if (GoTo(edited.state(), mark).ok() != came) return absl::StrCat(name, " is in one of them\n", log_);
      if (!came) continue;
      const std::string now = Look();
      session_.swap(fresh);
      const std::string wanted = Look();
      session_.swap(fresh);
      if (now != wanted) return absl::StrCat(name, " is\n", now, "and wanted is\n", wanted, "after\n", log_, said);
    }
    Say("goto end");
    const std::string end = Say("print $result");
    session_.swap(fresh);
    Say("goto end", false);
    const std::string wanted = Say("print $result", false);
    session_.swap(fresh);
    return end == wanted ? "" : absl::StrCat("the end is\n", end, "and wanted is\n", wanted, "after\n", log_, said);
  }

  // Nothing, or how a moment differs.
  std::string Run() {
    Say("start");
    Note();
    for (int steps = 6 + Below(10); steps > 0; --steps) {
      StepOn();
      if (Below(4) == 0) {
        Say(absl::StrCat("goto m", Below(static_cast<int>(seen_.size()))));
        Say(absl::StrCat("goto m", seen_.size() - 1));
      }
      if (edits_ && Below(4) == 0) Edit();
      if (edits_ && at_fork_.empty() && Below(6) == 0) {
        Say("fork other");
        at_fork_ = seen_;
      }
    }
    if (edits_) Edit();
    std::string differs = GoBack();
    if (!differs.empty() || at_fork_.empty()) return differs;
    Say("switch main");
    seen_ = at_fork_;
    return GoBack();
  }

 private:
  void StepOn() {
    Move();
    if (session_->state().machine->finished()) Say("goto end");
    Note();
    if (Below(2) == 0) Set();
  }

  std::string GoBack() {
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
  // Changes nothing that anything reads, and comes back.
  void Edit() {
    constexpr const char* kSpare[] = {"spare0", "spare1", "spare2", "spare3"};
    if (Below(2) == 0) Say(absl::StrCat("goto m", Below(static_cast<int>(seen_.size()))));
    const size_t sets = AllSets(session_->state()).size();
    const std::string said = Say(absl::StrCat("edit %", kSpare[Below(4)], " = ", Below(100)));
    EXPECT_TRUE(absl::StrContains(said, "again) to be run") || absl::StrContains(said, "are to be run")) << said << log_;
    EXPECT_EQ(AllSets(session_->state()).size(), sets) << said << log_;
    kept_ += static_cast<int>(sets);
    Say(absl::StrCat("goto m", seen_.size() - 1));
  }
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
      for (const Instruction* i : frames[frames.size() - 1 - k].computation->schedule) {
        if (i->name.substr(0, 5) != "spare") absl::StrAppend(&text, Say(absl::StrCat("print %", i->name), false));
      }
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
      if (i->shape.IsArray() && i->shape.element_type() == ElementType::kF32 && i->literal == nullptr && i->name.substr(0, 5) != "spare") floats.push_back(i);
    }
    if (floats.empty()) return;
    const Instruction& i = *floats[Below(static_cast<int>(floats.size()))];
    Say(absl::StrCat("frame ", frames.size() - 1 - depth));
    Say(absl::StrCat("set %", i.name, i.shape.rank() > 0 ? absl::StrCat("[", Below(4), "]") : "", " = ", 0.25 * (1 + Below(8))));
    Say("frame 0");
    seen_.back() = Look();
  }

  std::mt19937 random_;
  bool edits_;
  int kept_ = 0;
  std::string said_, log_;
  std::unique_ptr<Session> session_;
  std::vector<std::string> seen_;  // by bookmark
  std::vector<std::string> at_fork_;  // of those of the fork that is left
};

TEST(SetsTest, ThePastIsWhatItWas) {
  constexpr int64_t kRetain[] = {1, 64, 1000, int64_t{1} << 30};
  constexpr const char* kSeconds[] = {"0", "1e9", nullptr};
  for (int seed = 0; seed < 120; ++seed) {
    const std::string differs = Walk(seed, kRetain[seed % 4], kSeconds[seed % 3], seed % 5 < 3).Run();
    ASSERT_EQ(differs, "") << "seed " << seed;
  }
}

TEST(SetsTest, EditsThatChangeNothingAndForksKeepThem) {
  constexpr int64_t kRetain[] = {1, 1000, int64_t{1} << 30};
  int kept = 0;
  for (int seed = 0; seed < 120; ++seed) {
    Walk walk(seed, kRetain[seed % 3], seed % 2 == 0 ? "0" : nullptr, seed % 5 < 3, true);
    const std::string differs = walk.Run();
    ASSERT_EQ(differs, "") << "seed " << seed;
    kept += walk.kept();
  }
  EXPECT_GT(kept, 200);
}

TEST(SetsTest, AnEditWithSetsIsTheEditedProgramWithThem) {
  int kept = 0;
  for (int seed = 0; seed < 120; ++seed) {
    SessionOptions options;
    options.fill.kind = Fill::kIota;
    Walk walk(seed, options.retain_bytes, nullptr, seed % 2 == 0);
    const std::string differs = walk.RunEdited(seed % 2 == 0, options);
    ASSERT_EQ(differs, "") << "seed " << seed;
    kept += walk.kept();
  }
  EXPECT_GT(kept, 50);
}

}  // namespace
}  // namespace hloscope
