// An edit inside of loops, calls and branches of a run goes on from moments of it: all values there, and all that follow, have the bits that a run
// of the edited program from its beginning gives.
#include <cstdlib>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/debug/travel.h"
#include "gtest/gtest.h"
#include "tests/debug/opened.h"

namespace hloscope {
namespace {

// $...: constants. Branches and the inner loop are come to in some iterations only.
constexpr char kEditInside[] = R"(HloModule inside
leaf { x = f32[3] parameter(0) k = f32[] constant($LEAF) kb = f32[3] broadcast(k), dimensions={} ROOT r = f32[3] multiply(x, kb) }
early { x = f32[3] parameter(0) k = f32[] constant($EARLY) kb = f32[3] broadcast(k), dimensions={} ROOT r = f32[3] add(x, kb) }
late { x = f32[3] parameter(0) y = f32[3] call(x), to_apply=leaf k = f32[] constant($LATE) kb = f32[3] broadcast(k), dimensions={} z = f32[3] add(y, kb) ROOT r = f32[3] sine(z) }
inner_early { x = f32[3] parameter(0) k = f32[] constant($IEARLY) kb = f32[3] broadcast(k), dimensions={} ROOT r = f32[3] add(x, kb) }
inner_late { x = f32[3] parameter(0) k = f32[] constant($ILATE) kb = f32[3] broadcast(k), dimensions={} m = f32[3] multiply(x, kb) ROOT r = f32[3] cosine(m) }
inner_condition { p = (s32[], s32[], f32[3]) parameter(0) j = s32[] get-tuple-element(p), index=0 n = s32[] get-tuple-element(p), index=1 ROOT q = pred[] compare(j, n), direction=LT }
inner_body {
  p = (s32[], s32[], f32[3]) parameter(0)
  j = s32[] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  v = f32[3] get-tuple-element(p), index=2
  from = s32[] constant($INNER)
  g = pred[] compare(j, from), direction=GE
  w = f32[3] conditional(g, v, v), true_computation=inner_late, false_computation=inner_early
  one = s32[] constant(1)
  next = s32[] add(j, one)
  ROOT t = (s32[], s32[], f32[3]) tuple(next, n, w)
}
condition { p = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(p), index=0 n = s32[] constant(12) ROOT q = pred[] compare(i, n), direction=LT }
body {
  p = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[3] get-tuple-element(p), index=1
  from = s32[] constant($OUTER)
  g = pred[] compare(i, from), direction=GE
  w = f32[3] conditional(g, v, v), true_computation=late, false_computation=early
  four = s32[] constant(4)
  n = s32[] remainder(i, four)
  zero = s32[] constant(0)
  init = (s32[], s32[], f32[3]) tuple(zero, n, w)
  inner = (s32[], s32[], f32[3]) while(init), condition=inner_condition, body=inner_body
  u = f32[3] get-tuple-element(inner), index=2
  k = f32[] constant(0.25)
  kb = f32[3] broadcast(k), dimensions={}
  s = f32[3] subtract(u, kb)
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT t = (s32[], f32[3]) tuple(next, s)
}
ENTRY main {
  x = f32[3] constant({1, -2, 0.5})
  pre = f32[3] $PRE
  zero = s32[] constant(0)
  init = (s32[], f32[3]) tuple(zero, pre)
  loop = (s32[], f32[3]) while(init), condition=condition, body=body
  v = f32[3] get-tuple-element(loop), index=1
  m = f32[3] multiply(x, x)
  ROOT out = f32[3] subtract(v, m)
}
)";

struct InsideChoice {
  std::vector<std::pair<std::string, std::string>> constants;
  std::string Program() const { return absl::StrReplaceAll(kEditInside, constants); }
  std::string& operator[](absl::string_view name) {
    for (auto& [key, value] : constants) {
      if (key == name) return value;
    }
    return constants.emplace_back(std::string(name), "").second;
  }
};

class InsideConsole {
 public:
  InsideConsole(const std::string& text, bool reference) {
    SessionOptions options;
    options.retain_bytes = 1 << 20;
    session_ = OpenSession(text, reference, options, [this](absl::string_view out) { absl::StrAppend(&said_, out); });
  }
  void Do(const std::string& line) {
    absl::StrAppend(&said_, "(", line, ")\n");
    EXPECT_TRUE(session_->Execute(line).ok) << said_;
  }
  bool Seek(const Mark& mark) { return session_->state().Extension<Travel>().timeline->Seek(mark) == StopReason::kStep; }
  Machine& machine() { return *session_->state().machine; }
  const std::string& said() const { return said_; }

 private:
  std::string said_;
  std::unique_ptr<Session> session_;
};

void ExpectSameInside(InsideConsole& edited, InsideConsole& fresh) {
  const Mark mark = edited.machine().Where();
  ASSERT_TRUE(fresh.Seek(mark)) << edited.said();
  ASSERT_EQ(edited.machine().frames().size(), fresh.machine().frames().size());
  for (size_t depth = 0; depth < mark.levels.size(); ++depth) {
    for (int p = 0; p < mark.levels[depth].position; ++p) {
      const absl::StatusOr<Value> a = edited.machine().ValueOf(static_cast<int>(depth), p), b = fresh.machine().ValueOf(static_cast<int>(depth), p);
      ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status() << edited.said();
      EXPECT_TRUE(Value::BitEqual(*a, *b)) << depth << " " << p << "\n" << edited.said();
    }
  }
}

TEST(EditInside, GoesOnLikeTheEditedProgramFromItsBeginning) {
  setenv("HLOSCOPE_SNAPSHOT_SECONDS", "0", 1);
  std::mt19937 random(11);
  const auto below = [&random](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::vector<std::pair<std::string, std::string>> edits = {{"%leaf:k", "$LEAF"},         {"%early:k", "$EARLY"},      {"%late:k", "$LATE"},
                                                                  {"%inner_early:k", "$IEARLY"}, {"%inner_late:k", "$ILATE"}, {"%body:from", "$OUTER"}};
  int shared = 0;
  for (int round = 0; round < 60; ++round) {
    InsideChoice now;
    for (const char* name : {"$LEAF", "$EARLY", "$LATE", "$IEARLY", "$ILATE"}) now[name] = absl::StrCat(0.25 + below(16) / 8.0);
    now["$INNER"] = absl::StrCat(below(4));
    now["$OUTER"] = absl::StrCat(below(13));
    now["$PRE"] = below(3) == 0 ? "call(x), to_apply=leaf" : "negate(x)";
    const bool reference = round % 2 == 0;
    InsideConsole edited(now.Program(), reference);
    const bool stops = below(3) > 0;
    if (stops) edited.Do(absl::StrCat("break %body:next if iteration == ", below(12)));
    edited.Do("run");
    for (int left = 1 + below(3); left > 0; --left) {
      const auto& [place, name] = edits[below(static_cast<int>(edits.size()))];
      now[name] = name == "$OUTER" ? absl::StrCat(below(13)) : absl::StrCat(0.5 + below(64) / 16.0);
      edited.Do(absl::StrCat("edit ", place, " = ", now[name]));
      InsideConsole fresh(now.Program(), reference);
      fresh.Do("start");
      ExpectSameInside(edited, fresh);
      for (int k = 0; k < 4; ++k) {
        edited.Do(absl::StrCat("goto iteration ", below(12), " in loop"));
        for (int steps = below(5); steps > 0; --steps) edited.Do(below(3) == 0 ? "reverse-step" : "step");
        ExpectSameInside(edited, fresh);
      }
    }
    shared += absl::StrContains(edited.said(), "from here on") ? 1 : 0;
    if (stops) edited.Do("delete");
    edited.Do("goto end");
    InsideConsole whole(now.Program(), reference);
    whole.Do("run");
    ASSERT_TRUE(edited.machine().finished() && whole.machine().finished());
    EXPECT_TRUE(Value::BitEqual(edited.machine().result(), whole.machine().result())) << now.Program() << edited.said();
  }
  EXPECT_GT(shared, 20);
}

}  // namespace
}  // namespace hloscope
