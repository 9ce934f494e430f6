// What stops where, in both directions, and how often, must not depend on which snapshots there are: the same scripts with a snapshot
// wherever there can be one, by time, and with none but the beginning.
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/debug/session_state.h"
#include "core/debug/timeline.h"
#include "core/debug/travel.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/debug/opened.h"
#ifdef HLOSCOPE_JIT
#include "backends/jit_cpu/jit_cpu.h"
#endif

namespace hloscope {
namespace {

using ::testing::HasSubstr;

// %e, %l: fused, and run by the root after the loop, in front of which they stand. %a..%d: of two regions that overlap.
constexpr char kPictured[] = R"(HloModule snapshots
body {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  v = f32[8] get-tuple-element(t), index=1
  c1 = s32[] constant(1)
  n = s32[] add(i, c1)
  k = s32[] constant(5)
  d = s32[] subtract(k, i)
  df = f32[] convert(d)
  db = f32[8] broadcast(df), dimensions={}
  q = f32[8] sqrt(db)
  p = f32[8] log(db)
  pq = f32[8] add(p, q)
  z = s32[] constant(0)
  one = f32[1] constant({1})
  u = f32[8] dynamic-update-slice(v, one, z)
  w = f32[8] multiply(u, u)
  ROOT r = (s32[], f32[8]) tuple(n, w)
}
cond {
  t = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  c = s32[] constant(8)
  ROOT lt = pred[] compare(i, c), direction=LT
}
ENTRY main {
  x = f32[8] parameter(0)
  y = f32[8] add(x, x)
  e = f32[8] negate(y)
  l = f32[8] log(e)
  a = f32[8] sqrt(e)
  b = f32[8] sqrt(e)
  a2 = f32[8] sine(a)
  b2 = f32[8] cosine(b)
  c0 = s32[] constant(0)
  t = (s32[], f32[8]) tuple(c0, x)
  m = f32[8] add(b2, x)
  s1 = f32[8] reverse(m), dimensions={0}
  w = (s32[], f32[8]) while(t), condition=cond, body=body
  u = f32[8] get-tuple-element(w), index=1
  h = f32[8] add(a2, s1)
  h2 = f32[8] multiply(h, l)
  ROOT o = f32[8] add(u, h2)
}
)";

std::string Play(const std::vector<std::string>& script, const char* seconds, bool reference, size_t* snapshots) {
  if (seconds == nullptr) {
    unsetenv("HLOSCOPE_SNAPSHOT_SECONDS");
  } else {
    setenv("HLOSCOPE_SNAPSHOT_SECONDS", seconds, 1);
  }
  std::string text;
  SessionOptions options;
  options.fill.kind = Fill::kIota;
  const std::unique_ptr<Session> session = OpenSession(kPictured, reference, options, [&](absl::string_view out) { absl::StrAppend(&text, out); });
  for (const std::string& line : script) {
    absl::StrAppend(&text, "> ", line, "\n");
    session->Execute(line);
  }
  *snapshots = session->state().Extension<Travel>().timeline->moments().size();
  unsetenv("HLOSCOPE_SNAPSHOT_SECONDS");
  return text;
}

std::vector<std::string> Script(const std::vector<std::string>& stops, int forth, int back) {
  std::vector<std::string> script = stops;
  script.push_back("run");
  for (int k = 0; k < forth; ++k) script.push_back("continue");
  script.push_back("info break");
  for (int k = 0; k < back; ++k) {
    script.push_back("reverse-continue");
    if (k % 3 == 2) script.push_back("info break");
  }
  for (int k = 0; k < 4; ++k) script.push_back("continue");
  for (const char* line : {"reverse-step", "reverse-step", "continue", "info break", "goto end", "info break", "reverse-continue", "reverse-continue", "info break"}) script.push_back(line);
  return script;
}

class SnapshotsTest : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(SnapshotsTest, StopsDoNotDependOnThem) {
  for (const bool reference : {false, true}) {
    for (const auto& [forth, back] : {std::pair(30, 30), std::pair(4, 6), std::pair(9, 3)}) {
      const std::vector<std::string> script = Script(GetParam(), forth, back);
      size_t none = 0, all = 0, some = 0;
      const std::string without = Play(script, "1e9", reference, &none);
      const auto same = [&](const std::string& text) {
        size_t k = 0;
        while (k < text.size() && k < without.size() && text[k] == without[k]) ++k;
        if (k == text.size() && k == without.size()) return;
        const size_t from = k < 800 ? 0 : k - 800;
        ADD_FAILURE() << (reference ? "reference " : "jit ") << forth << " " << back << ":\n" << text.substr(from, 1200) << "\n---- without snapshots:\n" << without.substr(from, 1200);
      };
      same(Play(script, "0", reference, &all));
      same(Play(script, nullptr, reference, &some));
      EXPECT_LE(none, 2u);
      EXPECT_GT(all, 20u) << "the other way is no other way";
      EXPECT_THAT(without, HasSubstr("after 189 instructions"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Stops, SnapshotsTest,
                         testing::Values(std::vector<std::string>{"catch nan"}, std::vector<std::string>{"catch nan if hits == 3", "catch inf"},
                                         std::vector<std::string>{"catch nan", "ignore 1 3"}, std::vector<std::string>{"catch nan", "enable count 3 1", "break l", "break b2"},
                                         std::vector<std::string>{"catch nan", "break a", "break m", "break p if hits % 3 == 1"},
                                         std::vector<std::string>{"watch %n", "catch nan if iteration > 6"},
                                         std::vector<std::string>{"watch %w[1] in body", "break q", "ignore 2 4", "logpoint %u at {hits}"}));

}  // namespace
}  // namespace hloscope
