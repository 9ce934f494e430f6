// Values set by hand on several devices, in any order of time, and in several forks: whatever was exchanged by then, each way through is that of
// machines that run the program straight on, with the same sets made where each is come to first.
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/debug/fork.h"
#include "core/debug/hand_sets.h"
#include "core/debug/travel.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "tests/exchange/debugged.h"

namespace hloscope {
namespace {

// Programs of arrays f32[4] with exchanges of all kinds, in the entry and in a loop.
class ProgramMaker {
 public:
  ProgramMaker(std::mt19937& random, int replicas) : random_(random), replicas_(replicas) {}

  std::string Program() {
    const std::string body = Statements("x", "body", 3 + Below(4));
    const std::string body_last = last_;
    const std::string before = Statements("mine", "entry", 2 + Below(4));
    const std::string before_last = last_;
    const std::string after = Statements("looped", "entry", 1 + Below(4));
    return absl::StrCat("HloModule ways\n\nsum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }\n", beside_,
                        "condition { t = (u32[], f32[4]) parameter(0)  i = u32[] get-tuple-element(t), index=0  n = u32[] constant(", 1 + Below(3),
                        ")  ROOT r = pred[] compare(i, n), direction=LT }\n"
                        "body {\n  t = (u32[], f32[4]) parameter(0)\n  i = u32[] get-tuple-element(t), index=0\n  x = f32[4] get-tuple-element(t), index=1\n"
                        "  one = u32[] constant(1)\n  j = u32[] add(i, one)\n",
                        body, "  ROOT r = (u32[], f32[4]) tuple(j, ", body_last,
                        ")\n}\n\nENTRY main {\n  given = f32[4] parameter(0)\n  id = u32[] replica-id()\n  me = f32[] convert(id)\n"
                        "  mes = f32[4] broadcast(me), dimensions={}\n  mine = f32[4] add(given, mes)\n",
                        before, "  zero = u32[] constant(0)\n  init = (u32[], f32[4]) tuple(zero, ", before_last,
                        ")\n  loop = (u32[], f32[4]) while(init), condition=condition, body=body\n  looped = f32[4] get-tuple-element(loop), index=1\n", after,
                        "  ROOT answer = f32[4] negate(", last_, ")\n}\n");
  }

 private:
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  std::string Groups() {
    if (replicas_ < 4 || Below(2) == 0) return "replica_groups={}";
    return Below(2) == 0 ? "replica_groups={{0,1},{2,3}}" : "replica_groups={{0,3},{1,2}}";
  }
  std::string Pairs() {
    std::vector<int> to(replicas_);
    for (int d = 0; d < replicas_; ++d) to[d] = d;
    std::shuffle(to.begin(), to.end(), random_);
    std::string text;
    for (int d = 0; d < replicas_; ++d) absl::StrAppend(&text, d == 0 ? "{{" : ",{", d, ",", to[d], "}");
    return absl::StrCat(text, "}");
  }

  // From values that are there; the last one is `last_`.
  std::string Statements(const std::string& first, const std::string& where, int count) {
    std::vector<std::string> names = {first};
    std::vector<std::pair<std::string, std::string>> begun;  // an operation that waits for it, and its operand
    std::string text;
    const auto any = [&] { return Below(2) == 0 ? names.back() : names[Below(static_cast<int>(names.size()))]; };
    const auto add = [&](const std::string& operation) {
      const std::string name = absl::StrCat("v", next_++);
      absl::StrAppend(&text, "  ", name, " = f32[4] ", operation, "\n");
      names.push_back(name);
    };
    const auto wait = [&] {
      const auto [operation, start] = begun.back();
      begun.pop_back();
      add(absl::StrCat(operation, "(", start, ")"));
    };
    for (int k = 0; k < count; ++k) {
      switch (Below(10)) {
        case 0: add(absl::StrCat(Below(2) == 0 ? "tanh(" : "negate(", any(), ")")); break;
        case 1:
        case 2: add(absl::StrCat(Below(2) == 0 ? "add(" : "subtract(", any(), ", ", any(), ")")); break;
        case 3:
        case 4: add(absl::StrCat("all-reduce(", any(), "), ", Groups(), ", to_apply=sum")); break;
        case 5: add(absl::StrCat("collective-permute(", any(), "), source_target_pairs=", Pairs())); break;
        case 6: {
          const std::string all = absl::StrCat("g", next_++);
          const int at = Below(4 * replicas_ - 3);
          absl::StrAppend(&text, "  ", all, " = f32[", 4 * replicas_, "] all-gather(", any(), "), replica_groups={}, dimensions={0}\n");
          add(absl::StrCat("slice(", all, "), slice={[", at, ":", at + 4, "]}"));
          break;
        }
        case 7: {
          const std::string start = absl::StrCat("s", next_++);
          absl::StrAppend(&text, "  ", start, " = f32[4] all-reduce-start(", any(), "), replica_groups={}, to_apply=sum, channel_id=", next_++, "\n");
          begun.emplace_back("all-reduce-done", start);
          break;
        }
        case 8: {
          const std::string start = absl::StrCat("s", next_++), called = absl::StrCat("beside", next_++);
          absl::StrAppend(&beside_, called, " {\n  x = f32[4] parameter(0)\n  ROOT r = f32[4] all-reduce(x), replica_groups={}, to_apply=sum, channel_id=", next_++, "\n}\n");
          absl::StrAppend(&text, "  ", start, " = ((f32[4]), f32[4]) async-start(", any(), "), calls=", called, "\n");
          begun.emplace_back("async-done", start);
          break;
        }
        case 9: {
          const int n = next_++, channel = next_++;
          const std::string pairs = absl::StrCat(", channel_id=", channel, ", frontend_attributes={_xla_send_recv_source_target_pairs=\"", Pairs(), "\"}\n");
          absl::StrAppend(&text, "  t", n, " = token[] after-all()\n  q", n, " = (f32[4], u32[], token[]) recv(t", n, ")", pairs, "  p", n, " = (f32[4], u32[], token[]) send(", any(), ", t", n, ")", pairs,
                          "  d", n, " = (f32[4], token[]) recv-done(q", n, ")", pairs, "  e", n, " = token[] send-done(p", n, ")", pairs);
          add(absl::StrCat("get-tuple-element(d", n, "), index=0"));
          break;
        }
      }
      if (!begun.empty() && Below(2) == 0) wait();
    }
    while (!begun.empty()) wait();
    last_ = names.back();
    return text;
  }

  std::mt19937& random_;
  const int replicas_;
  int next_ = 1;
  std::string beside_, last_;
};

using Known = std::vector<std::map<Mark, std::string>>;  // by device: all values of the innermost frame

// Machines of their own, each straight on, with those sets made where they are come to.
Known StraightOn(Session::State& s, int replicas, const std::vector<std::vector<HandSet>>& sets, std::mt19937& random, std::vector<std::string>* results) {
  InProcessExchange room(replicas, 1, std::vector<const Computation*>(replicas, s.module->entry), *s.backend, nullptr);
  room.set_wake([](int) {});
  std::vector<std::unique_ptr<Machine>> machines;
  for (int d = 0; d < replicas; ++d) {
    MachineOptions options;
    options.retain_bytes = 1 << 20;
    options.exchange = &room.port(d);
    machines.push_back(std::make_unique<Machine>(*s.module, *s.backend, std::move(options)));
    Machine& m = *machines.back();
    m.set_checkpoint_hook([] {}, 1e9);
    EXPECT_TRUE(m.Start([&s, d, &m](int number) { return DevicesOf(s).inputs->Parameter(d, number, &m.account()); }).ok());
  }
  Known known(replicas);
  std::vector<int> left(replicas);
  for (int d = 0; d < replicas; ++d) left[d] = d;
  for (int turns = 0; !left.empty() && turns < 100000; ++turns) {
    const size_t at = random() % left.size();
    const int d = left[at];
    Machine& m = *machines[d];
    const Mark here = m.Where();
    if (!known[d].contains(here)) {
      for (const HandSet& set : sets[d]) {
        if (!(set.mark == here)) continue;
        const Instruction& i = *m.frames()[set.depth].computation->FindInstruction(set.instruction);
        const absl::StatusOr<Value> whole = m.ValueOf(set.depth, i.index);
        EXPECT_TRUE(whole.ok()) << whole.status();
        if (!whole.ok()) continue;
        Value after = Value::Allocate(whole->shape());
        std::memcpy(after.mutable_data(), whole->data(), after.byte_size());
        for (const int64_t place : set.places) after.mutable_as<float>()[place] = reinterpret_cast<const float*>(set.leaf.data())[place];
        EXPECT_TRUE(m.SetValue(set.depth, i.index, after, -1, set.places).ok());
      }
      known[d][here] = BitsOf(m);
    }
    const StopReason reason = m.Step(true);
    EXPECT_TRUE(reason == StopReason::kStep || reason == StopReason::kWaiting || reason == StopReason::kFinished) << m.status();
    if (m.running() && reason != StopReason::kError) continue;
    left.erase(left.begin() + static_cast<ptrdiff_t>(at));
  }
  for (int d = 0; d < replicas; ++d) {
    std::string bits;
    if (machines[d]->finished()) Append(machines[d]->result(), bits);
    results->push_back(bits);
  }
  return known;
}

// A walk through a session: sets, back and forth, in forks.
class Walk {
 public:
  Walk(uint32_t seed, bool reference, bool forks) : random_(seed), forks_(forks), replicas_(2 + static_cast<int>(seed % 3)), text_(ProgramMaker(random_, replicas_).Program()), d_(Open(text_, replicas_, reference)) {
    constexpr const char* kSeconds[] = {"0", "0.0001", "0.001", "1e9"};  // snapshots: wherever they can be, some, none
    setenv("HLOSCOPE_SNAPSHOT_SECONDS", kSeconds[seed % 4], 1);
  }
  ~Walk() { unsetenv("HLOSCOPE_SNAPSHOT_SECONDS"); }

  void Go() {
    Say("start");
    for (int k = 0; k < 24 && !testing::Test::HasFailure(); ++k) {
      Move();
      if (Below(3) == 0) Set();
      if (forks_ && Below(8) == 0) Fork();
      if (forks_ && Below(4) == 0) Switch();
    }
    // Each fork to its end; and back to them again.
    std::map<std::string, std::vector<std::string>> ends;
    for (int round = 0; round < 2; ++round) {
      for (const auto& [fork, sets] : made_) {
        if (testing::Test::HasFailure()) return;
        if (s().Extension<Forks>().current != fork) Say(absl::StrCat("switch ", fork));
        Finish();
        if (round == 0) ends[fork] = Results();
        EXPECT_EQ(Results(), ends[fork]) << Story();
        Check(fork);
      }
    }
  }
  int set_count() const { return set_count_; }
  int gone_back() const { return gone_back_; }

 private:
  Session::State& s() { return d_->s(); }
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
  bool Say(const std::string& line) {
    d_->said.clear();
    const bool ok = d_->session->Execute(line).ok;
    absl::StrAppend(&log_, line, "\n", d_->said);
    return ok;
  }
  std::string Story() const { return absl::StrCat(text_, log_); }
  std::string Fork() {
    if (made_.size() > 2) return "";
    const std::string from = s().Extension<Forks>().current, name = absl::StrCat("f", made_.size());
    if (Say(absl::StrCat("fork ", name))) made_[name] = made_[from];
    return name;
  }
  void Switch() {
    auto to = made_.begin();
    std::advance(to, Below(static_cast<int>(made_.size())));
    if (to->first != s().Extension<Forks>().current) EXPECT_TRUE(Say(absl::StrCat("switch ", to->first))) << Story();
  }

  void Move() {
    Say(absl::StrCat("replica ", Below(replicas_)));
    switch (Below(9)) {
      case 0:
      case 1: Say(absl::StrCat("step ", 1 + Below(9))); break;
      case 2: Say(absl::StrCat("next ", 1 + Below(4))); break;
      case 3: {
        const std::vector<Instruction*>& all = s().module->computations[Below(static_cast<int>(s().module->computations.size()))]->schedule;
        Say(absl::StrCat("tbreak ", all[0]->parent->name, ":", all[Below(static_cast<int>(all.size()))]->name));
        Say("continue");
        Say("delete");
        break;
      }
      case 4: Say(absl::StrCat("reverse-step ", 1 + Below(20))); break;
      case 5: Say(absl::StrCat("reverse-next ", 1 + Below(4))); break;
      case 6: Say("goto start"); break;
      case 7: Say("continue"); break;
      case 8: Say("finish"); break;
    }
  }

  // An element that was not set before in that frame, so that no set gives way to another.
  void Set() {
    if (!s().started() || s().machine->top().kind == FrameKind::kElement) return;
    const std::vector<Frame>& frames = s().machine->frames();
    const int depth = Below(static_cast<int>(frames.size()));
    const Frame& frame = frames[depth];
    std::vector<const Instruction*> floats;
    for (const Instruction* i : frame.computation->schedule) {
      if (i->index < frame.position && i->shape.IsArray() && i->shape.element_type() == ElementType::kF32 && i->shape.rank() == 1 && !RunsBeside(*i)) floats.push_back(i);
    }
    if (floats.empty()) return;
    const Instruction& i = *floats[Below(static_cast<int>(floats.size()))];
    const int element = Below(4), device = DevicesOf(s()).selected;
    Mark frame_mark = s().machine->Where();
    frame_mark.levels.resize(depth + 1);
    frame_mark.levels.back().position = 0;
    std::set<Key>& made = made_[s().Extension<Forks>().current];
    const Key key(device, frame_mark, std::string(i.name), element);
    if (made.contains(key)) return;
    Say(absl::StrCat("frame ", static_cast<int>(frames.size()) - 1 - depth));
    const bool ok = Say(absl::StrCat("set %", i.name, "[", element, "] = ", 0.25 * (1 + Below(40))));
    if (!ok) return;  // a collective that was begun, and others have not come to
    gone_back_ += absl::StrContains(d_->said, "goes back");
    made.insert(key);
    ++set_count_;
  }

  void Finish() {
    Say("delete");
    for (int k = 0; k < 3 * replicas_ && !NotEnded(s()).empty(); ++k) Say("continue");
    EXPECT_TRUE(NotEnded(s()).empty()) << Story();
  }
  std::vector<std::string> Results() {
    std::vector<std::string> all;
    ForEachRun(s(), [&](int) {
      std::string bits;
      Append(s().machine->result(), bits);
      all.push_back(bits);
    });
    return all;
  }

  // The fork has finished on all devices.
  void Check(const std::string& fork) {
    std::vector<std::vector<HandSet>> sets;
    size_t count = 0;
    ForEachRun(s(), [&](int) {
      sets.push_back(AllSets(s()));
      count += sets.back().size();
      EXPECT_TRUE(s().Extension<Travel>().timeline->awaited().empty()) << Story();
    });
    ASSERT_EQ(count, made_[fork].size()) << fork << "\n" << Story();
    std::vector<std::string> results;
    const Known known = StraightOn(s(), replicas_, sets, random_, &results);
    ASSERT_EQ(Results(), results) << fork << "\n" << Story();
    for (int k = 0; k < 12; ++k) {
      const int device = Below(replicas_);
      auto moment = known[device].begin();
      std::advance(moment, Below(static_cast<int>(known[device].size())));
      Say(absl::StrCat("replica ", device));
      ASSERT_TRUE(GoTo(s(), moment->first).ok()) << Story();
      ASSERT_EQ(BitsHere(s()), moment->second) << fork << " on " << device << "\n" << Story();
      if (Below(2) == 0) Say(Below(2) == 0 ? "reverse-step 3" : "step 3");
    }
  }

  using Key = std::tuple<int, Mark, std::string, int>;
  std::mt19937 random_;
  const bool forks_;
  const int replicas_;
  const std::string text_;
  std::unique_ptr<Debugged> d_;
  std::string log_;
  std::map<std::string, std::set<Key>> made_ = {{"main", {}}};
  int set_count_ = 0, gone_back_ = 0;
};

void WalkAll(bool forks) {
  int sets = 0, gone_back = 0;
  for (uint32_t seed = 1; seed <= 150; ++seed) {
    Walk walk(seed, seed % 3 > 0, forks);
    walk.Go();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    sets += walk.set_count();
    gone_back += walk.gone_back();
  }
  EXPECT_GT(sets, 300);
  EXPECT_GT(gone_back, 60);
}

TEST(Ways, ASetMadeAfterTheExchangeIsOneThatWasMadeBefore) { WalkAll(/*forks=*/false); }
TEST(Ways, ForksGoOnEachForItself) { WalkAll(/*forks=*/true); }

}  // namespace
}  // namespace hloscope
