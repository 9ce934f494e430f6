// Budgets, matching, and two programs in lockstep: one thing is changed in a program, and it must be found whatever the names and the order.
#include "core/debug/lockstep.h"
#include "core/literal/relayout.h"

#include <cmath>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "backends/reference/backend.h"
#include "core/debug/compare_values.h"
#include "core/debug/match.h"
#include "core/debug/spill.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Value F32(std::vector<float> x) {
  return Value::FromBytes(Shape::Array(ElementType::kF32, {static_cast<int64_t>(x.size())}), absl::MakeConstSpan(reinterpret_cast<const std::byte*>(x.data()), x.size() * 4));
}

TEST(Budget, Reading) {
  EXPECT_EQ(ParseBudget("4ulp")->ulp, 4);
  EXPECT_EQ(ParseBudget("1e-5,1e-6")->absolute, 1e-5);
  EXPECT_EQ(ParseBudget("1e-5,1e-6")->relative, 1e-6);
  EXPECT_EQ(ParseBudget("1e-5")->relative, 1e-5);
  EXPECT_EQ(ParseBudget("rel=0.5,2ulp")->relative, 0.5);
  EXPECT_TRUE(ParseBudget("exact")->exact());
  for (const char* bad : {"", "ulp", "-1ulp", "1,2,3", "nan", "inf", "x", "abs="}) EXPECT_FALSE(ParseBudget(bad).ok()) << bad;
}

TEST(CompareArrays, BitsNanAndZero) {
  const float nan = NAN, inf = INFINITY;
  EXPECT_EQ(CompareArrays(F32({1, nan, inf}), F32({1, -nan, inf}), Budget()).beyond, 0) << "any NaN is NaN";
  EXPECT_EQ(CompareArrays(F32({0}), F32({-0.0f}), Budget()).beyond, 1) << "other bits";
  EXPECT_EQ(CompareArrays(F32({0}), F32({-0.0f}), *ParseBudget("1ulp")).beyond, 0);
  EXPECT_EQ(CompareArrays(F32({inf}), F32({-inf}), *ParseBudget("1e30")).beyond, 1);
  EXPECT_EQ(CompareArrays(F32({nan}), F32({1}), *ParseBudget("1e30")).beyond, 1);
  const ArrayDifference d = CompareArrays(F32({1, 2, 3, 4}), F32({1, std::nextafterf(2, 3), 3, 5}), *ParseBudget("1ulp"));
  EXPECT_EQ(d.other_bits, 2);
  EXPECT_EQ(d.beyond, 1);
  EXPECT_EQ(d.first, 3);
  EXPECT_EQ(d.worst, 3);
  EXPECT_EQ(d.ulp, (1 << 21));
}

TEST(CompareArrays, AnotherTypeInTheNarrowerOnesUlp) {
  const Value x = F32({1.0f, 3.14159f}), y = ConvertValue(x, ElementType::kBF16);
  const ArrayDifference d = CompareArrays(y, x, *ParseBudget("1ulp"));
  EXPECT_EQ(d.beyond, 0);
  EXPECT_EQ(d.other_bits, 1);
  EXPECT_LE(d.worst_ulp, 0.5) << "rounded to nearest";
  EXPECT_EQ(CompareArrays(y, x, Budget()).beyond, 1);
}

TEST(Spill, FileKeepsWhatMemoryMayNot) {
  Spill spill(10);
  for (int k = 0; k < 4; ++k) ASSERT_TRUE(spill.Put(k, F32({static_cast<float>(k), 7})).ok());
  EXPECT_LE(spill.bytes(), 10);
  EXPECT_EQ(spill.spilled(), 24);
  for (const int k : {2, 0, 3, 1}) {
    const absl::StatusOr<Value> value = spill.Take(k);
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(value->as<float>()[0], k);
  }
  EXPECT_FALSE(spill.Take(1).ok());
  EXPECT_EQ(spill.bytes(), 0);
}

std::unique_ptr<Module> Read(const std::string& text) {
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("test.hlo", text), sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  EXPECT_EQ(sink.error_count(), 0) << text;
  return module;
}

LockstepReport Compare(const Module& a, const Module& b, LockstepOptions options = {}) {
  const auto backend_a = MakeReferenceBackend(BackendOptions()), backend_b = MakeReferenceBackend(BackendOptions());
  const auto inputs_a = ProgramInputs::Open(a, SessionOptions()), inputs_b = ProgramInputs::Open(b, SessionOptions());
  EXPECT_TRUE(inputs_a.ok() && inputs_b.ok());
  absl::StatusOr<LockstepReport> report = RunLockstep(a, b, MatchPrograms(a, b), **inputs_a, **inputs_b, *backend_a, *backend_b, std::move(options));
  EXPECT_TRUE(report.ok()) << report.status();
  return *std::move(report);
}

constexpr char kProgram[] = R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
body {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[8] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  half = f32[] constant(0.5)
  halves = f32[8] broadcast(half), dimensions={}
  scaled = f32[8] multiply(v, halves)
  shifted = f32[8] cosine(scaled)
  ROOT carry = (s32[], f32[8]) tuple(next, shifted)
}
condition {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant(20)
  ROOT less = pred[] compare(i, limit), direction=LT
}
ENTRY main {
  x = f32[4,8] parameter(0)
  y = f32[8,8] parameter(1)
  d = f32[4,8] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[4,8] tanh(d)
  s = f32[4,8] slice(t), slice={[0:4], [0:8]}
  n = f32[4,8] negate(s)
  zero = f32[] constant(0)
  r = f32[8] reduce(n, zero), dimensions={0}, to_apply=add
  izero = s32[] constant(0)
  init = (s32[], f32[8]) tuple(izero, r)
  loop = (s32[], f32[8]) while(init), condition=condition, body=body
  last = f32[8] get-tuple-element(loop), index=1
  e = f32[8] exponential(last)
  w = f32[8] constant({1, 2, 3, 4, 5, 6, 7, 8})
  m = f32[8] multiply(e, w)
  ROOT out = f32[8] maximum(m, last)
}
)";

struct Planted {
  const char *from, *to, *found;
};
// The instruction whose own value changes.
constexpr Planted kPlanted[] = {
    {"tanh(d)", "sine(d)", "t"},
    {"negate(s)", "abs(s)", "n"},
    {"constant(0.5)", "constant(0.50000006)", "half"},
    {"{1, 2, 3, 4, 5, 6, 7, 8}", "{1, 2, 3, 4, 5, 6.0000005, 7, 8}", "w"},
    {"rhs_contracting_dims={0}", "rhs_contracting_dims={1}", "d"},
    {"cosine(scaled)", "cosine(v)", "shifted"},
    {"constant(20)", "constant(19)", "limit"},
    {"maximum(m, last)", "maximum(e, last)", "out"},
    {"sum = f32[] add(a, b)", "sum = f32[] maximum(a, b)", "r"},
    {"direction=LT", "direction=LE", "less"},
    {"f32[] constant(0)", "f32[] constant(-0)", "zero"},
};

std::string Renamed(const std::string& text) {
  return absl::StrReplaceAll(text, {{"tanh(d)", "tanh(dd)"}, {" d = ", " dd = "}, {" t = ", " tt = "}, {"slice(t)", "slice(tt)"}, {"sine(d)", "sine(dd)"}, {" e = ", " ee = "},
                                    {"multiply(e, w)", "multiply(ee, w)"}, {"maximum(e, last)", "maximum(ee, last)"}, {"scaled", "sc"}});
}

TEST(Lockstep, NamesWhatWasPlanted) {
  const std::unique_ptr<Module> a = Read(kProgram);
  for (const Planted& planted : kPlanted) {
    for (const bool renamed : {false, true}) {
      std::string text = absl::StrReplaceAll(kProgram, {{planted.from, planted.to}});
      ASSERT_NE(text, kProgram);
      if (renamed) text = Renamed(text);
      const std::unique_ptr<Module> b = Read(text);
      const LockstepReport report = Compare(*a, *b);
      ASSERT_FALSE(report.divergences.empty()) << planted.to;
      EXPECT_EQ(report.divergences[0].a->name, planted.found) << planted.to << (renamed ? ", renamed" : "");
      EXPECT_TRUE(report.divergences[0].own);
      EXPECT_THAT(report.divergences[0].changed, testing::Not(IsEmpty())) << planted.to;
    }
  }
}

TEST(Lockstep, TheSameUnderOtherNamesAndInAnotherOrder) {
  const std::unique_ptr<Module> a = Read(kProgram), b = Read(Renamed(kProgram));
  const LockstepReport report = Compare(*a, *b);
  EXPECT_EQ(report.diverging, 0);
  EXPECT_TRUE(report.results_compared);
  const ProgramMatch match = MatchPrograms(*a, *b);
  EXPECT_TRUE(match.SameStructure());
  EXPECT_EQ(match.Count(StructuralChange::kRenamed), 4);
  const std::unique_ptr<Module> c = Read(absl::StrReplaceAll(
      kProgram, {{"  e = f32[8] exponential(last)\n", ""}, {"  m = f32[8] multiply(e, w)\n", "  q = f32[8] negate(last)\n  e = f32[8] exponential(last)\n  m = f32[8] multiply(e, w)\n"}}));
  const ProgramMatch dead = MatchPrograms(*a, *c);
  EXPECT_EQ(dead.Count(StructuralChange::kAdded), 1);
  EXPECT_EQ(dead.Count(StructuralChange::kChanged), 0);
  EXPECT_EQ(Compare(*a, *c).diverging, 0);
}

TEST(Lockstep, WhatWasDroppedIsNamedOnTheWay) {
  const std::unique_ptr<Module> a = Read(kProgram), b = Read(absl::StrReplaceAll(kProgram, {{"  n = f32[4,8] negate(s)\n", ""}, {"reduce(n,", "reduce(s,"}}));
  const ProgramMatch match = MatchPrograms(*a, *b);
  ASSERT_EQ(match.Count(StructuralChange::kRemoved), 1);
  EXPECT_EQ(match.changes[0].a->name, "n");
  const LockstepReport report = Compare(*a, *b);
  ASSERT_EQ(report.diverging, 1);
  EXPECT_EQ(report.divergences[0].a->name, "r");
  ASSERT_THAT(report.divergences[0].only_a, testing::SizeIs(1));
  EXPECT_EQ(report.divergences[0].only_a[0]->name, "n");
}

TEST(Lockstep, OwnAndInherited) {
  // In twenty rounds the loop would come to the same fixed point again.
  const std::unique_ptr<Module> a = Read(absl::StrReplaceAll(kProgram, {{"constant(20)", "constant(2)"}}));
  const std::unique_ptr<Module> b = Read(absl::StrReplaceAll(kProgram, {{"constant(20)", "constant(2)"}, {"tanh(d)", "sine(d)"}, {"exponential(last)", "sine(last)"}}));
  LockstepOptions options;
  options.keep_going = true;
  const LockstepReport report = Compare(*a, *b, std::move(options));
  ASSERT_GT(report.diverging, 10);
  EXPECT_EQ(report.own, 1) << "the second change reads what differs already";
  EXPECT_EQ(report.divergences[0].a->name, "t");
}

TEST(Lockstep, LoopIterationIsNamed) {
  const std::unique_ptr<Module> a = Read(kProgram), b = Read(absl::StrReplaceAll(kProgram, {{"constant(20)", "constant(5)"}}));
  LockstepOptions options;
  ASSERT_TRUE(options.budgets.Add("%limit=1e9").ok());
  const LockstepReport report = Compare(*a, *b, std::move(options));
  ASSERT_EQ(report.diverging, 1);
  EXPECT_EQ(report.divergences[0].a->name, "less");
  EXPECT_THAT(report.divergences[0].where, HasSubstr("iteration 5"));
}

TEST(Lockstep, WaitingValuesMayLieInAFile) {
  const std::unique_ptr<Module> a = Read(kProgram);
  LockstepOptions options;
  options.waiting_bytes = 1;
  const LockstepReport report = Compare(*a, *a, std::move(options));
  EXPECT_EQ(report.diverging, 0);
  EXPECT_GT(report.spilled_bytes, 0);
  EXPECT_EQ(report.pairs, Compare(*a, *a).pairs);
}

// Twelve arrays that all live to the end: what both programs have is held once, also where one of them runs in another order.
TEST(Lockstep, WhatAgreesIsHeldOnce) {
  constexpr int64_t kArrays = 12, kBytes = 16384 * 4;
  const auto text = [&](bool backwards, const char* first) {
    std::string t = "HloModule m\nENTRY main {\n  x = f32[16384] parameter(0)\n";
    for (int64_t k = 0; k < kArrays; ++k) {
      const int64_t n = backwards ? kArrays - 1 - k : k;
      absl::StrAppend(&t, "  c", n, " = f32[] constant(", n == 0 ? first : absl::StrCat(n), ")\n  b", n, " = f32[16384] broadcast(c", n, "), dimensions={}\n  y", n, " = f32[16384] multiply(x, b", n, ")\n");
    }
    absl::StrAppend(&t, "  ROOT r = (", absl::StrJoin(std::vector<std::string>(kArrays, "f32[16384]"), ", "), ") tuple(");
    for (int64_t k = 0; k < kArrays; ++k) absl::StrAppend(&t, k > 0 ? ", y" : "y", k);
    return t + ")\n}\n";
  };
  const auto a = Read(text(false, "0")), same = Read(text(false, "0")), backwards = Read(text(true, "0")), other = Read(text(false, "17"));
  LockstepOptions close;  // the machines wait for each other after every array
  close.waiting_bytes = 2 * kBytes;
  LockstepReport report = Compare(*a, *same, close);
  EXPECT_EQ(report.diverging, 0);
  EXPECT_EQ(report.elements, kArrays + 16384 * (1 + 3 * kArrays)) << "constants; x, broadcasts, products, results";
  EXPECT_LE(report.peak_bytes, (kArrays + 6) * kBytes);
  EXPECT_GE(report.peak_bytes, kArrays * kBytes);
  report = Compare(*a, *backwards, close);
  EXPECT_EQ(report.diverging, 0);
  EXPECT_TRUE(report.results_compared);
  LockstepOptions all = close;
  all.keep_going = true;
  report = Compare(*a, *other, std::move(all));
  EXPECT_EQ(report.own, 1);
  EXPECT_LE(report.peak_bytes, (kArrays + 8) * kBytes) << "those that differ are held twice, the others are not";
}

// Also where they come as parts of tuples.
TEST(Lockstep, TuplesThatAgreeAreHeldOnce) {
  constexpr int64_t kArrays = 12, kBytes = 64 * 256 * 4;
  std::string t = "HloModule m\nless {\n  p = f32[] parameter(0)\n  q = f32[] parameter(1)\n  v = s32[] parameter(2)\n  w = s32[] parameter(3)\n  ROOT lt = pred[] compare(p, q), direction=LT\n}\n"
                  "ENTRY main {\n  x = f32[64,256] parameter(0)\n  i = s32[64,256] iota(), iota_dimension=1\n";
  for (int64_t k = 0; k < kArrays; ++k) {
    absl::StrAppend(&t, "  s", k, " = (f32[64,256], s32[64,256]) sort(", k == 0 ? "x" : absl::StrCat("g", k - 1), ", i), dimensions={", k % 2, "}, to_apply=less\n  g", k,
                    " = f32[64,256] get-tuple-element(s", k, "), index=0\n");
  }
  absl::StrAppend(&t, "  ROOT r = (", absl::StrJoin(std::vector<std::string>(kArrays, "f32[64,256]"), ", "), ") tuple(");
  for (int64_t k = 0; k < kArrays; ++k) absl::StrAppend(&t, k > 0 ? ", g" : "g", k);
  const auto a = Read(t + ")\n}\n"), same = Read(t + ")\n}\n");
  LockstepOptions close;
  close.waiting_bytes = 2 * kBytes;
  const LockstepReport report = Compare(*a, *same, close);
  EXPECT_EQ(report.diverging, 0);
  EXPECT_TRUE(report.results_compared);
  EXPECT_LE(report.peak_bytes, (kArrays + 10) * kBytes);
  EXPECT_GE(report.peak_bytes, kArrays * kBytes);
}

TEST(Lockstep, AnErrorOnOneSideIsSaid) {
  const std::unique_ptr<Module> a = Read(kProgram), b = Read(absl::StrReplaceAll(kProgram, {{"constant(20)", "constant(2000)"}}));
  LockstepOptions options;
  options.machine.max_iterations = 100;
  options.keep_going = true;
  const LockstepReport report = Compare(*a, *b, std::move(options));
  EXPECT_TRUE(report.error_a.empty());
  EXPECT_THAT(report.error_b, HasSubstr("100"));
  EXPECT_FALSE(report.results_compared);
}

TEST(Match, OperandsThatCommuteMayChangePlaces) {
  constexpr char kOne[] = R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] parameter(1)
  s = f32[4] add(x, y)
  m = f32[4] multiply(s, x)
  d = f32[4] subtract(m, s)
  e = pred[4] compare(d, s), direction=EQ
  w = f32[4] select(e, d, m)
  zero = f32[] constant(0)
  ROOT r = f32[] reduce(w, zero), dimensions={0}, to_apply=add
}
)";
  const auto a = Read(kOne);
  const std::string turned = absl::StrReplaceAll(kOne, {{"add(x, y)", "add(y, x)"}, {"multiply(s, x)", "multiply(x, s)"}, {"compare(d, s)", "compare(s, d)"}, {"add(a, b)", "add(b, a)"}});
  const auto b = Read(absl::StrReplaceAll(turned, {{"  s =", "  other ="}, {"(s,", "(other,"}, {", s)", ", other)"}}));
  const ProgramMatch match = MatchPrograms(*a, *b);
  EXPECT_TRUE(match.SameStructure()) << match.changes.size();
  EXPECT_EQ(match.identical, match.matched);
  const LockstepReport values = Compare(*a, *b);
  EXPECT_EQ(values.diverging, 0);
  EXPECT_TRUE(values.results_compared);
  // A difference does not commute, and neither does the order of numbers.
  for (const auto& [from, to, name] : {std::tuple("subtract(m, s)", "subtract(s, m)", "d"), std::tuple("direction=EQ", "direction=LT", "e")}) {
    const auto changed = Read(absl::StrReplaceAll(kOne, {{from, to}}));
    const ProgramMatch other = MatchPrograms(*a, *changed);
    ASSERT_EQ(other.Count(StructuralChange::kChanged), 1) << from;
    for (const StructuralChange& change : other.changes) EXPECT_EQ(change.a->name, name);
  }
  const auto less = Read(absl::StrReplaceAll(kOne, {{"direction=EQ", "direction=LT"}})), swapped = Read(absl::StrReplaceAll(kOne, {{"compare(d, s), direction=EQ", "compare(s, d), direction=LT"}}));
  EXPECT_FALSE(MatchPrograms(*less, *swapped).SameStructure());
  // One operand is another: that one is named, the one that changed places is not.
  const auto third = Read(absl::StrReplaceAll(kOne, {{"multiply(s, x)", "multiply(y, s)"}}));
  const ProgramMatch one = MatchPrograms(*a, *third);
  ASSERT_EQ(one.Count(StructuralChange::kChanged), 1);
  EXPECT_THAT(one.changes[0].what, ElementsAre("operand 1: %x -> %y"));
}

TEST(Match, CastsOfAnotherPrecisionAreLookedThrough) {
  const std::unique_ptr<Module> a = Read(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] add(x, x)
  ROOT z = f32[4] multiply(y, x)
}
)");
  const std::unique_ptr<Module> b = Read(R"(HloModule m
ENTRY main {
  p0 = f32[4] parameter(0)
  c1 = bf16[4] convert(p0)
  q1 = bf16[4] add(c1, c1)
  c2 = f32[4] convert(q1)
  ROOT q2 = f32[4] multiply(c2, p0)
}
)");
  const ProgramMatch match = MatchPrograms(*a, *b);
  EXPECT_EQ(match.matched, 3);
  EXPECT_EQ(match.Count(StructuralChange::kAdded), 2);
  EXPECT_EQ(match.Count(StructuralChange::kRemoved), 0);
  EXPECT_EQ(Compare(*a, *b).diverging, 0) << "within what bf16 may be off by";
}

}  // namespace
}  // namespace hloscope
