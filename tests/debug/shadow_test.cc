// The f64 shadow: known errors of single operations, and of a whole program against its twin.
#include "core/debug/shadow.h"

#include <cmath>

#include "backends/reference/backend.h"
#include "core/debug/twin.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

std::unique_ptr<Module> Read(const std::string& text) {
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("test.hlo", text), sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  EXPECT_EQ(sink.error_count(), 0);
  return module;
}

TEST(ErrorBins, Edges) {
  EXPECT_EQ(ErrorBin(0), 0);
  EXPECT_EQ(ErrorBin(0.5), 1);
  EXPECT_EQ(ErrorBin(0.6), 2);
  EXPECT_EQ(ErrorBin(1), 2);
  EXPECT_EQ(ErrorBin(1e300), kErrorBins - 2);
  EXPECT_EQ(ErrorBin(INFINITY), kErrorBins - 1);
  EXPECT_EQ(ErrorBin(NAN), kErrorBins - 1);
}

class ShadowTest : public ::testing::Test {
 protected:
  ShadowReport Run(const std::string& text, bool accumulated = false) {
    module_ = Read(text);
    absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = ProgramInputs::Open(*module_, SessionOptions());
    EXPECT_TRUE(inputs.ok());
    inputs_ = *std::move(inputs);
    backend_ = MakeReferenceBackend(BackendOptions());
    WatchedRun run{*module_, *backend_, *inputs_, {}};
    ShadowOptions options;
    options.samples = -1;
    absl::StatusOr<ShadowReport> report = RunShadow(run, options);
    EXPECT_TRUE(report.ok()) << report.status();
    if (accumulated) {
      absl::StatusOr<std::unique_ptr<Module>> twin = MakeTwin(*module_, Fill());
      EXPECT_TRUE(twin.ok()) << twin.status();
      twin_ = *std::move(twin);
      const absl::Status added = AddAccumulatedErrors(*module_, *twin_, *backend_, *inputs_, {}, *report);
      EXPECT_TRUE(added.ok()) << added;
    }
    return *std::move(report);
  }
  const ShadowRow& Row(const ShadowReport& report, absl::string_view name) {
    for (const ShadowRow& row : report.rows) {
      if (row.instruction->name == name) return row;
    }
    ADD_FAILURE() << name;
    return report.rows[0];
  }
  std::unique_ptr<Module> module_, twin_;
  std::unique_ptr<ProgramInputs> inputs_;
  std::unique_ptr<Backend> backend_;
};

TEST_F(ShadowTest, OwnErrorsAreThoseOfRounding) {
  const ShadowReport report = Run(R"(HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  one = f32[] constant(1)
  tiny = f32[] constant(5e-08)
  big = f32[] constant(16777216)
  lost = f32[] add(one, tiny)
  back = f32[] subtract(lost, one)
  v = f32[4] constant({16777216, 1, 1, 1})
  sum = f32[] reduce(v, tiny), dimensions={0}, to_apply=add
  exact = f32[] multiply(big, big)
  half = bf16[] convert(tiny)
  c = bf16[4] convert(v)
  ROOT out = (f32[], f32[], bf16[], bf16[4], f32[]) tuple(back, sum, half, c, exact)
}
)", true);
  // 1 + 5e-8 is 0.419 of the last place of 1.
  EXPECT_NEAR(Row(report, "lost").own.worst_ulp, 5e-8 / std::ldexp(1, -23), 1e-3);
  EXPECT_EQ(Row(report, "back").own.worst_ulp, 0) << "a subtraction of equal numbers is exact";
  EXPECT_GT(Row(report, "back").accumulated.worst_ulp, 1e6) << "but all of what it should have been is lost";
  EXPECT_NEAR(Row(report, "sum").own.worst_ulp, 1.5, 1e-6) << "three ones lost beside 2^24, whose neighbours are 2 apart";
  EXPECT_EQ(Row(report, "exact").own.worst_ulp, 0);
  EXPECT_GT(Row(report, "half").own.worst_ulp, 0);
  EXPECT_LE(Row(report, "half").own.worst_ulp, 0.5);
}

TEST_F(ShadowTest, LoopsBitsAndScatterWithinTheTwin) {
  const ShadowReport report = Run(R"(HloModule m
replace {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
body {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[8] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  w = f32[8] sine(v)
  ROOT c = (s32[], f32[8]) tuple(next, w)
}
condition {
  p = (s32[], f32[8]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[8] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[8]) tuple(zero, x)
  loop = (s32[], f32[8]) while(init), condition=condition, body=body
  y = f32[8] get-tuple-element(loop), index=1
  bits = s32[8] bitcast-convert(y)
  mask = s32[] constant(-256)
  masks = s32[8] broadcast(mask), dimensions={}
  cut = s32[8] and(bits, masks)
  z = f32[8] bitcast-convert(cut)
  at = s32[2,1] constant({{1}, {1}})
  u = f32[2] slice(z), slice={[0:2]}
  ROOT out = f32[8] scatter(z, at, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=replace
}
)", true);
  EXPECT_TRUE(report.accumulated) << report.accumulated_why;
  EXPECT_EQ(Row(report, "w").times, 5);
  EXPECT_LE(Row(report, "w").own.worst_ulp, 0.51);
  EXPECT_GT(Row(report, "w").accumulated.worst_ulp, 0);
  EXPECT_LE(Row(report, "w").accumulated.worst_ulp, 5);
  EXPECT_LE(Row(report, "out").own.worst_ulp, 1.01) << "two updates of one element, rounded twice";
}

// What goes to the host keeps its types, also inside tuples: it is narrowed on the way out and widened on the way in.
TEST_F(ShadowTest, TuplesThatKeepTheirTypes) {
  const ShadowReport report = Run(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  e = f32[4] exponential(x)
  n = s32[] constant(3)
  inner = (s32[], f32[4]) tuple(n, x)
  pair = (f32[4], (s32[], f32[4])) tuple(e, inner)
  t = token[] after-all()
  out = token[] outfeed(pair, t), outfeed_shape=(f32[4], (s32[], f32[4]))
  ROOT r = f32[4] log(e)
})",
                                  /*accumulated=*/true);
  EXPECT_EQ(Row(report, "e").accumulated.elements, 4);
  EXPECT_EQ(Row(report, "r").accumulated.elements, 4);
  EXPECT_GT(Row(report, "r").accumulated.worst_ulp, 0);

  const std::unique_ptr<Module> in = Read(R"(HloModule m
ENTRY main {
  t = token[] after-all()
  in = ((f32[4], bf16[2]), token[]) infeed(t)
  both = (f32[4], bf16[2]) get-tuple-element(in), index=0
  ROOT x = f32[4] get-tuple-element(both), index=0
})");
  const absl::StatusOr<std::unique_ptr<Module>> twin = MakeTwin(*in, Fill());
  ASSERT_TRUE(twin.ok()) << twin.status();
  EXPECT_EQ((*twin)->entry->root->shape.ToString(false), "f64[4]");
  const Instruction* narrow = (*twin)->entry->FindInstruction("in.narrow");
  ASSERT_NE(narrow, nullptr);
  EXPECT_EQ(narrow->shape.ToString(false), "((f32[4], bf16[2]), token[])");
}

// What is looked at is a matter of the program, not of time: the same elements each time.
TEST_F(ShadowTest, LooksAreCountedInSteps) {
  module_ = Read(R"(HloModule m
body {
  p = (s32[], f32[5000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[5000] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  w = f32[5000] sine(v)
  ROOT c = (s32[], f32[5000]) tuple(next, w)
}
condition {
  p = (s32[], f32[5000]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(400)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY main {
  x = f32[5000] parameter(0)
  zero = s32[] constant(0)
  init = (s32[], f32[5000]) tuple(zero, x)
  ROOT loop = (s32[], f32[5000]) while(init), condition=condition, body=body
}
)");
  inputs_ = *ProgramInputs::Open(*module_, SessionOptions());
  backend_ = MakeReferenceBackend(BackendOptions());
  std::vector<ShadowReport> reports;
  for (const int threads : {1, 4}) {
    ShadowOptions options;
    options.samples = 200;
    options.threads = threads;
    absl::StatusOr<ShadowReport> report = RunShadow(WatchedRun{*module_, *backend_, *inputs_, {}}, options);
    ASSERT_TRUE(report.ok()) << report.status();
    reports.push_back(*std::move(report));
  }
  EXPECT_GT(reports[0].looks, 5) << "executions 1, 2, 5, 17, 65 and 257 in any case";
  EXPECT_LT(reports[0].looks, reports[0].executions);
  EXPECT_THAT(ShadowSummary(reports[0]), testing::HasSubstr("executions"));
  EXPECT_EQ(reports[0].looks, reports[1].looks);
  EXPECT_EQ(reports[0].elements, reports[1].elements);
  EXPECT_EQ(Row(reports[0], "w").own.sum_ulp, Row(reports[1], "w").own.sum_ulp);
}

TEST_F(ShadowTest, WhatWasPreparedServesLaterRuns) {
  module_ = Read(R"(HloModule m
condition {
  state = (s32[], f32[5000]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  end = s32[] constant(30)
  ROOT c = pred[] compare(i, end), direction=LT
}
body {
  state = (s32[], f32[5000]) parameter(0)
  i = s32[] get-tuple-element(state), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[5000] get-tuple-element(state), index=1
  w = f32[5000] cosine(v)
  ROOT out = (s32[], f32[5000]) tuple(next, w)
}
ENTRY main {
  x = f32[5000] parameter(0)
  y = f32[5000] tanh(x)
  zero = s32[] constant(0)
  init = (s32[], f32[5000]) tuple(zero, y)
  loop = (s32[], f32[5000]) while(init), condition=condition, body=body
  last = f32[5000] get-tuple-element(loop), index=1
  ROOT r = f32[5000] exponential(last)
}
)");
  inputs_ = *ProgramInputs::Open(*module_, SessionOptions());
  backend_ = MakeReferenceBackend(BackendOptions());
  ShadowPrograms kept(*backend_);
  std::vector<ShadowReport> reports;
  std::vector<size_t> regions;
  for (ShadowPrograms* programs : {static_cast<ShadowPrograms*>(nullptr), &kept, &kept}) {
    absl::StatusOr<ShadowReport> report = RunShadow(WatchedRun{*module_, *backend_, *inputs_, {}}, ShadowOptions(), programs);
    ASSERT_TRUE(report.ok()) << report.status();
    reports.push_back(*std::move(report));
    regions.push_back(kept.regions());
  }
  EXPECT_EQ(regions[0], 0u);
  EXPECT_GE(regions[1], 3u);
  EXPECT_EQ(regions[2], regions[1]);
  for (const ShadowReport& report : reports) {
    ASSERT_EQ(report.rows.size(), reports[0].rows.size());
    EXPECT_EQ(report.looks, reports[0].looks);
    for (size_t k = 0; k < report.rows.size(); ++k) {
      EXPECT_EQ(report.rows[k].own.elements, reports[0].rows[k].own.elements);
      EXPECT_EQ(report.rows[k].own.sum_ulp, reports[0].rows[k].own.sum_ulp);
      EXPECT_EQ(report.rows[k].own.worst_index, reports[0].rows[k].own.worst_index);
    }
  }
}

TEST_F(ShadowTest, FewerElementsAreSaid) {
  module_ = Read(R"(HloModule m
ENTRY main {
  x = f32[40,30000] parameter(0)
  y = f32[30000] parameter(1)
  ROOT z = f32[40] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
)");
  inputs_ = *ProgramInputs::Open(*module_, SessionOptions());
  backend_ = MakeReferenceBackend(BackendOptions());
  absl::StatusOr<ShadowReport> report = RunShadow(WatchedRun{*module_, *backend_, *inputs_, {}}, ShadowOptions());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->fewer, 1);
  EXPECT_EQ(Row(*report, "z").own.elements, 4);
  EXPECT_THAT(ShadowSummary(*report), testing::HasSubstr("fewer elements than asked for of 1 instruction"));
  EXPECT_THAT(ShadowSummary(*report), testing::HasSubstr("first %z: 4"));
}

}  // namespace
}  // namespace hloscope
