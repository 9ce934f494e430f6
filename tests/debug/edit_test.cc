// An edit under way and a run of the edited program from its beginning end with the same bits, and what is unchanged is not run again.
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "backends/reference/backend.h"
#include "core/debug/session.h"
#include "core/debug/session_state.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"
#include "tests/debug/opened.h"

namespace hloscope {
namespace {

// $A, $B: constants; $D: an attribute.
constexpr char kChain[] = R"(HloModule chain
ENTRY main {
  x = f32[3,3] parameter(0)
  a = f32[] constant($A)
  b = f32[] constant($B)
  as = f32[3,3] broadcast(a), dimensions={}
  bs = f32[3,3] broadcast(b), dimensions={}
  y = f32[3,3] multiply(x, as)
  r = f32[3,3] reverse(x), dimensions={$D}
  noise = f32[3,3] rng(a, b), distribution=rng_normal
  s = f32[3,3] sine(y)
  t = f32[3,3] add(s, bs)
  u = f32[3,3] add(r, noise)
  ROOT out = f32[3,3] add(t, u)
}
)";
constexpr char kLoop[] = R"(HloModule loop
body {
  p = (s32[], f32[3,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[3,3] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  b = f32[] constant($B)
  bs = f32[3,3] broadcast(b), dimensions={}
  w = f32[3,3] multiply(v, bs)
  ROOT carry = (s32[], f32[3,3]) tuple(next, w)
}
condition {
  p = (s32[], f32[3,3]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant(4)
  ROOT less = pred[] compare(i, limit), direction=LT
}
ENTRY main {
  x = f32[3,3] parameter(0)
  a = f32[] constant($A)
  as = f32[3,3] broadcast(a), dimensions={}
  y = f32[3,3] add(x, as)
  r = f32[3,3] reverse(x), dimensions={$D}
  zero = s32[] constant(0)
  init = (s32[], f32[3,3]) tuple(zero, r)
  loop = (s32[], f32[3,3]) while(init), condition=condition, body=body
  v = f32[3,3] get-tuple-element(loop), index=1
  ROOT out = f32[3,3] subtract(v, y)
}
)";

class Console {
 public:
  explicit Console(const std::string& text) {
    session_ = OpenSession(text, true, SessionOptions(), [this](absl::string_view out) { absl::StrAppend(&said_, out); });
  }
  void Do(const std::string& line) { EXPECT_TRUE(session_->Execute(line).ok) << line << "\n" << said_; }
  Machine& machine() { return *session_->state().machine; }
  const std::string& said() const { return said_; }

 private:
  std::string said_;
  std::unique_ptr<Session> session_;
};

struct Choice {
  std::string a, b, d;
  std::string Program(absl::string_view form) const { return absl::StrReplaceAll(form, {{"$A", a}, {"$B", b}, {"$D", d}}); }
};

TEST(Edit, EndsLikeTheEditedProgramFromItsBeginning) {
  std::mt19937 random(5);
  const std::vector<std::string> stops = {"", "%out", "%r", "%y"};
  for (int round = 0; round < 60; ++round) {
    const bool loop = round % 2 == 1;
    const char* form = loop ? kLoop : kChain;
    Choice now{"0.5", "1.5", "0"};
    Console edited(now.Program(form));
    const std::string stop = stops[random() % stops.size()];
    if (!stop.empty()) edited.Do("break " + stop);
    edited.Do("run");
    if (!stop.empty()) edited.Do("delete");
    for (int edits = 1 + static_cast<int>(random() % 2); edits > 0; --edits) {
      const int kind = static_cast<int>(random() % 3);
      const std::string value = absl::StrCat(static_cast<double>(random() % 64) / 16 + 2);
      if (kind == 0) edited.Do("edit %a = " + (now.a = value));
      if (kind == 1) edited.Do("edit %b = " + (now.b = value));
      if (kind == 2) edited.Do("edit %r dimensions={" + (now.d = random() % 2 == 0 ? "1" : "0,1") + "}");
    }
    if (!edited.machine().finished()) edited.Do("continue");
    Console whole(now.Program(form));
    whole.Do("run");
    ASSERT_TRUE(edited.machine().finished() && whole.machine().finished());
    EXPECT_TRUE(Value::BitEqual(edited.machine().result(), whole.machine().result())) << now.Program(form) << edited.said();
  }
}

TEST(Edit, WhatIsUnchangedIsNotRunAgain) {
  Choice choice{"0.5", "1.5", "0"};
  Console console(choice.Program(kLoop));
  console.Do("run");
  console.Do("edit %a = 2.5");
  console.Do("continue");
  // All but a, as, y and out (and the parameter).
  EXPECT_EQ(console.machine().adopted(), 5) << console.said();
  EXPECT_TRUE(absl::StrContains(console.said(), "keep their values, 4 of main are (again) to be run")) << console.said();
}

TEST(Edit, WhatWasSetStays) {
  Choice choice{"0.5", "1.5", "0"};
  Console console(choice.Program(kLoop));
  console.Do("break %out");
  console.Do("run");
  console.Do("set %v[0:3, :] = 0");
  console.Do("edit %a = 1");
  console.Do("continue");
  console.Do("continue");
  console.Do("expect $result == -%y");
}

}  // namespace
}  // namespace hloscope
