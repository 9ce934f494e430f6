// Forward and back are mirrors: the moments that step goes through, from the first to the last, are those that reverse-step goes back
// through, in loops, calls, branches and in every call of reducers, comparators, combiners and maps; and each is bit for bit what it was.
#include <random>

#include "absl/strings/escaping.h"
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

// %long folds in sixteen lanes; %best has two results; %deep calls, and loops in its reducer; %windows changes between two computations of
// different lengths; %none has no call at all.
constexpr char kMirrored[] = R"(HloModule mirror
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
best {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  more = pred[] compare(a, b), direction=GT
  v = f32[] select(more, a, b)
  k = s32[] select(more, i, j)
  ROOT pair = (f32[], s32[]) tuple(v, k)
}
again { s = (s32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(2) ROOT lt = pred[] compare(i, n), direction=LT }
turn {
  s = (s32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  h = f32[] sine(v)
  ROOT t = (s32[], f32[]) tuple(j, h)
}
twice { x = f32[] parameter(0) ROOT d = f32[] add(x, x) }
deep {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] add(a, b)
  zero = s32[] constant(0)
  init = (s32[], f32[]) tuple(zero, c)
  w = (s32[], f32[]) while(init), condition=again, body=turn
  v = f32[] get-tuple-element(w), index=1
  ROOT r = f32[] call(v), to_apply=twice
}
less { a = f32[] parameter(0) b = f32[] parameter(1) na = f32[] negate(a) nb = f32[] negate(b) ROOT lt = pred[] compare(na, nb), direction=LT }
ratio { a = f32[] parameter(0) b = f32[] parameter(1) d = f32[] divide(a, b) one = f32[] constant(1) ROOT lt = pred[] compare(d, one), direction=LT }
waves {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  sa = f32[] sine(a)
  v = f32[2] broadcast(b), dimensions={}
  t = f32[2] tanh(v)
  z = f32[] constant(0)
  sb = f32[] reduce(t, z), dimensions={0}, to_apply=sum
  p = pred[] compare(sa, sb), direction=LT
  ROOT lt = pred[] conditional(p, d, c), true_computation=early, false_computation=late
}
early { x = s32[] parameter(0) ROOT yes = pred[] constant(true) }
late { x = s32[] parameter(0) two = s32[] constant(2) r = s32[] remainder(x, two) ROOT e = pred[] compare(r, two), direction=GT }
ge { a = f32[] parameter(0) b = f32[] parameter(1) ROOT lt = pred[] compare(a, b), direction=GE }
scale { a = f32[] parameter(0) h = f32[] constant(0.5) ROOT m = f32[] multiply(a, h) }
yes { v = f32[3] parameter(0) z = f32[] constant(1) r = f32[] reduce(v, z), dimensions={0}, to_apply=sum b = f32[3] broadcast(r), dimensions={} ROOT y = f32[3] multiply(v, b) }
no { v = f32[3] parameter(0) ROOT y = f32[3] map(v), dimensions={0}, to_apply=scale }
cond { t = (s32[], f32[3]) parameter(0) i = s32[] get-tuple-element(t), index=0 n = s32[] constant(3) ROOT lt = pred[] compare(i, n), direction=LT }
body {
  t = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  v = f32[3] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  odd = pred[] compare(i, one), direction=EQ
  y = f32[3] conditional(odd, v, v), true_computation=yes, false_computation=no
  z = f32[] constant(0)
  total = f32[] reduce(y, z), dimensions={0}, to_apply=sum
  totals = f32[3] broadcast(total), dimensions={}
  n = f32[3] subtract(y, totals)
  ROOT r = (s32[], f32[3]) tuple(j, n)
}
ENTRY main {
  x = f32[2,3] parameter(0)
  l = f32[40] parameter(1)
  z = f32[] constant(0)
  none = f32[] reduce(z, z), dimensions={}, to_apply=sum
  rows = f32[2] reduce(x, z), dimensions={1}, to_apply=sum
  long = f32[] reduce(l, z), dimensions={0}, to_apply=sum
  il = s32[40] iota(), iota_dimension=0
  ids = s32[2,3] iota(), iota_dimension=1
  zi = s32[] constant(0)
  arg = (f32[2], s32[2]) reduce(x, ids, z, zi), dimensions={1}, to_apply=best
  dd = f32[2] reduce(x, z), dimensions={1}, to_apply=deep
  m = f32[2,3] map(x), dimensions={0,1}, to_apply=scale
  so = f32[2,3] sort(m), dimensions={1}, to_apply=less
  quotients = f32[2,3] sort(m), dimensions={1}, to_apply=ratio
  both = (f32[40], s32[40]) sort(l, il), dimensions={0}, to_apply=waves
  win = f32[2,2] reduce-window(so, z), window={size=1x2}, to_apply=sum
  at = s32[3,1] constant({{2},{9},{0}})
  u = f32[3,2] constant({{1,2},{3,4},{5,6}})
  xt = f32[3,2] transpose(so), dimensions={1,0}
  sc = f32[3,2] scatter(xt, at, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
  src = f32[2,1] constant({{10},{20}})
  windows = f32[2,3] select-and-scatter(x, src, z), window={size=1x3}, select=ge, scatter=sum
  e = f32[2,0] constant({{},{}})
  empty = f32[2] reduce(e, z), dimensions={1}, to_apply=sum
  first = f32[1,3] slice(so), slice={[0:1],[0:3]}
  row = f32[3] reshape(first)
  init = (s32[], f32[3]) tuple(zi, row)
  loop = (s32[], f32[3]) while(init), condition=cond, body=body
  last = f32[3] get-tuple-element(loop), index=1
  ROOT out = f32[] reduce(last, z), dimensions={0}, to_apply=sum
}
)";

class Program {
 public:
  explicit Program(bool reference, int64_t retain) {
    SessionOptions options;
    options.fill.kind = Fill::kIota;
    options.retain_bytes = retain;
    session_ = OpenSession(kMirrored, reference, options, [](absl::string_view) {});
  }
  void Do(absl::string_view line) { EXPECT_TRUE(session_->Execute(line).ok) << line; }
  Machine& machine() { return *session_->state().machine; }

  // Where it stands, and every bit of the values of all frames.
  std::string Look() {
    std::string text;
    for (const Mark::Level& level : machine().Where().levels)
      absl::StrAppend(&text, static_cast<int>(level.kind), ".", level.iteration, ".", level.branch, ".", level.position, " ");
    const std::vector<Frame>& frames = machine().frames();
    for (size_t depth = 0; depth < frames.size(); ++depth) {
      absl::StrAppend(&text, "\n", frames[depth].computation->name, ":");
      const int end = std::min(frames[depth].position, static_cast<int>(frames[depth].computation->schedule.size()));
      for (int p = 0; p < end; ++p) {
        const absl::StatusOr<Value> value = machine().ValueOf(static_cast<int>(depth), p);
        absl::StrAppend(&text, " ", value.ok() ? Bits(*value) : value.status().ToString());
      }
    }
    return text;
  }

 private:
  static std::string Bits(const Value& value) {
    std::string bits;
    for (const Value& element : value.elements()) absl::StrAppend(&bits, "(", Bits(element), ")");
    if (value.shape().IsArray())
      bits = absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(value.data()), static_cast<size_t>(value.byte_size())));
    return bits;
  }
  std::unique_ptr<Session> session_;
};

std::vector<std::string> AllMoments(Program& program) {
  program.Do("start");
  std::vector<std::string> moments = {program.Look()};
  while (!program.machine().finished() && moments.size() < 10000) {
    program.Do("step");
    moments.push_back(program.Look());
  }
  return moments;
}

TEST(MirrorTest, ReverseStepGoesBackThroughEachMomentOfStep) {
  for (const bool reference : {true, false}) {
    for (const int64_t retain : {int64_t{1}, int64_t{1} << 30}) {
      Program program(reference, retain);
      const std::vector<std::string> moments = AllMoments(program);
      ASSERT_GT(moments.size(), 400u);
      for (size_t k = moments.size() - 1; k-- > 0;) {
        program.Do("reverse-step");
        ASSERT_EQ(program.Look(), moments[k]) << "moment " << k << " of " << moments.size() << (reference ? ", reference" : ", jit");
      }
    }
  }
}

TEST(MirrorTest, RandomWalks) {
  for (int seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    Program program(seed % 2 == 0, seed % 3 == 0 ? 1 : int64_t{1} << 20);
    const std::vector<std::string> moments = AllMoments(program);
    const int last = static_cast<int>(moments.size()) - 1;
    int at = last;
    for (int k = 0; k < 150; ++k) {
      const int n = 1 + static_cast<int>(random() % (random() % 3 == 0 ? 200 : 6));
      const bool back = at == last || (at > 0 && random() % 2 == 0);
      const int to = back ? std::max(0, at - n) : std::min(last, at + n);
      program.Do(absl::StrCat(back ? "reverse-step " : "step ", n));
      ASSERT_EQ(program.Look(), moments[to]) << "seed " << seed << ", " << n << (back ? " back" : " on") << " from " << at << " of "
                                             << last;
      at = to;
      // Over what is called, and back over it, from wherever that leads.
      if (at == last || random() % 3 != 0) continue;
      program.Do("next");
      program.Do("reverse-next");
      const std::string now = program.Look();
      const auto found = std::find(moments.begin(), moments.end(), now);
      ASSERT_NE(found, moments.end()) << "seed " << seed << ", next and reverse-next from " << at << ":\n" << now;
      at = static_cast<int>(found - moments.begin());
    }
  }
}

}  // namespace
}  // namespace hloscope
