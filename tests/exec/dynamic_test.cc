// Programs with sizes known only at run time: values carry their actual shapes, operations respect them, what is undefined is an error at
// its instruction.
#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/exec/dynamic.h"
#include "core/exec/machine.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

constexpr absl::string_view kComputations = R"(HloModule dynamic

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] add(a, b)
}

mul {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = f32[] multiply(a, b)
}

lt {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT
}

twice {
  x = f32[<=10] parameter(0)
  ROOT r = f32[<=10] add(x, x)
}

same {
  ROOT x = f32[<=10] parameter(0)
}

body {
  p = (f32[<=10], s32[]) parameter(0)
  x = f32[<=10] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  one = s32[] constant(1)
  m = s32[] subtract(n, one)
  y = f32[<=10] set-dimension-size(x, m), dimensions={0}
  ROOT t = (f32[<=10], s32[]) tuple(y, m)
}

condition {
  p = (f32[<=10], s32[]) parameter(0)
  n = s32[] get-tuple-element(p), index=1
  two = s32[] constant(2)
  ROOT more = pred[] compare(n, two), direction=GT
}

ENTRY main {
  c = f32[10] constant({1,2,3,4,5,6,7,8,9,10})
  ci = f32[6,4] iota(), iota_dimension=0
  zero = f32[] constant(0)
  unit = f32[] constant(1)
  n = s32[] parameter(0)
  k = s32[] parameter(1)
  x = f32[<=10] set-dimension-size(c, n), dimensions={0}
  y = f32[<=10] set-dimension-size(c, k), dimensions={0}
  six = s32[] constant(6)
  rows = s32[] minimum(n, six)
  w = f32[<=6,4] set-dimension-size(ci, rows), dimensions={0}
)";

struct Ran {
  std::string text;   // the result's shape and elements, or the error
  bool ok = false;
};

Ran RunWith(const std::string& lines, int n, int k, bool observe = false) {
  DiagnosticSink sink;
  auto source = std::make_shared<SourceText>("<test>", absl::StrCat(kComputations, lines, "\n}\n"));
  const std::unique_ptr<Module> module = ReadHloText(source, sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.severity == Severity::kError) ADD_FAILURE() << Render(d, *source);
  }
  if (sink.error_count() > 0) return {};
  const std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Machine machine(*module, *backend, MachineOptions());
  int observed = 0;
  if (observe) {
    machine.set_region_observer([&](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
      // What is shown is consistent: the sizes of the run.
      const Instruction& root = *frame.computation->schedule[region.root];
      if (kernel != nullptr && result.shape().IsArray() && !HasDynamicSizes(*root.parent->module)) {
        ++observed;
        EXPECT_EQ(result.shape().dimensions(), root.shape.dimensions());
      }
      return absl::OkStatus();
    });
  }
  const absl::Status started = machine.Start({Value::Scalar<int32_t>(ElementType::kS32, n), Value::Scalar<int32_t>(ElementType::kS32, k)});
  EXPECT_TRUE(started.ok()) << started;
  if (machine.Run() != StopReason::kFinished) return {std::string(machine.status().message()), false};
  if (observe) {
    EXPECT_GT(observed, 0);
  }
  return {absl::StrCat(machine.result().shape().ToString(false), " ", PrintLiteral(machine.result())), true};
}

std::string Of(const std::string& lines, int n, int k = 3) {
  const Ran ran = RunWith(lines, n, k);
  EXPECT_TRUE(ran.ok) << lines << "\n" << ran.text;
  return ran.text;
}
std::string ErrorOf(const std::string& lines, int n, int k = 3) {
  const Ran ran = RunWith(lines, n, k);
  EXPECT_FALSE(ran.ok) << lines << "\n" << ran.text;
  return ran.text;
}

TEST(Dynamic, TheVectorsOfTheSpecification) {
  EXPECT_EQ(Of("ROOT r = f32[] reduce(x, zero), dimensions={0}, to_apply=add", 5), "f32[] 15");
  EXPECT_EQ(Of("ROOT r = f32[] reduce(x, zero), dimensions={0}, to_apply=add", 6), "f32[] 21");
  EXPECT_EQ(Of("ROOT r = f32[] reduce(x, unit), dimensions={0}, to_apply=mul", 5), "f32[] 120");
  EXPECT_EQ(Of("ROOT r = f32[] reduce(x, zero), dimensions={0}, to_apply=add", 0), "f32[] 0");
  EXPECT_EQ(Of("ROOT r = f32[] reduce(x, zero), dimensions={0}, to_apply=add", 10), "f32[] 55");
}

TEST(Dynamic, ABitcastReadsTheMemoryOfTheRun) {
  const std::string rows = "a = s32[4,3] iota(), iota_dimension=0\nb = s32[4,3] iota(), iota_dimension=1\nt = s32[] constant(3)\nu = s32[4,3] broadcast(t), dimensions={}\n"
                           "v = s32[4,3] multiply(a, u)\ns = s32[4,3] add(v, b)\n";  // 0 .. 11
  const std::string four = absl::StrCat(rows, "x4 = s32[<=4,3] set-dimension-size(s, k), dimensions={0}\n");
  for (const int n : {4, 2}) {
    const std::string two = n == 2 ? "s32[3,2] { {0, 3}, {1, 4}, {2, 5} }" : "s32[3,4] { {0, 3, 6, 9}, {1, 4, 7, 10}, {2, 5, 8, 11} }";
    EXPECT_EQ(Of(absl::StrCat(four, "ROOT r = s32[3,<=4]{0,1} bitcast(x4)"), 1, n), two) << n;
    // Read in rows of the run's length.
    EXPECT_EQ(Of(absl::StrCat(four, "ROOT r = s32[3,<=4] bitcast(x4)"), 1, n), n == 2 ? "s32[3,2] { {0, 1}, {2, 3}, {4, 5} }" : "s32[3,4] { {0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11} }");
    EXPECT_EQ(Of(absl::StrCat(four, "d = s32[<=4,3]{0,1} copy(x4)\nROOT r = s32[3,<=4] bitcast(d)"), 1, n), two) << n;
    EXPECT_EQ(Of(absl::StrCat(four, "ROOT r = s32[<=12] bitcast(x4)"), 1, n), n == 2 ? "s32[6] {0, 1, 2, 3, 4, 5}" : "s32[12] {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}");
  }
  // Two sizes of the run stay apart as they lie in memory, where the order of the dimension numbers would not say which is which.
  EXPECT_EQ(Of(absl::StrCat(four, "m = s32[] constant(2)\nyy = s32[<=4,<=3] set-dimension-size(x4, m), dimensions={1}\nROOT r = s32[<=3,<=4]{0,1} bitcast(yy)"), 1, 3),
            "s32[2,3] { {0, 3, 6}, {1, 4, 7} }");
  // Of other widths: two halves for each.
  EXPECT_EQ(Of("b = u16[<=10,2] bitcast(x)\nROOT r = s32[<=10,2] convert(b)", 2), "s32[2,2] { {0, 16256}, {0, 16384} }");
  EXPECT_EQ(Of("b = u16[<=10,2] bitcast(x)\nROOT r = f32[<=10] bitcast(b)", 3), "f32[3] {1, 2, 3}");
  EXPECT_EQ(Of("ROOT r = f32[<=10] bitcast(c)", 3), "f32[10] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}");
  EXPECT_EQ(Of("ROOT r = f32[<=2,<=5] bitcast(x)", 10), "f32[2,5] { {1, 2, 3, 4, 5}, {6, 7, 8, 9, 10} }");
  EXPECT_THAT(ErrorOf("ROOT r = f32[<=2,<=5] bitcast(x)", 4), testing::HasSubstr("leaves open which dimension takes the run-time size"));
}

TEST(Dynamic, SizesAreReadBack) {
  EXPECT_EQ(Of("ROOT r = s32[] get-dimension-size(x), dimensions={0}", 5), "s32[] 5");
  EXPECT_EQ(Of("ROOT r = s32[] get-dimension-size(w), dimensions={1}", 5), "s32[] 4");
  EXPECT_EQ(Of("s = f32[<=10] set-dimension-size(x, k), dimensions={0}\nROOT r = s32[] get-dimension-size(s), dimensions={0}", 5, 2), "s32[] 2");
  EXPECT_EQ(Of("ROOT r = f32[<=10] copy(x)", 2), "f32[2] {1, 2}");
}

TEST(Dynamic, Elementwise) {
  EXPECT_EQ(Of("ROOT r = f32[<=10] add(x, x)", 2), "f32[2] {2, 4}");
  EXPECT_EQ(Of("ROOT r = f32[<=10] add(x, c)", 2), "f32[2] {2, 4}");
  EXPECT_EQ(Of("b = f32[10] broadcast(unit), dimensions={}\nROOT r = f32[<=10] subtract(b, x)", 3), "f32[3] {0, -1, -2}");
  EXPECT_EQ(Of("ROOT r = f32[<=10] add(x, y)", 3, 3), "f32[3] {2, 4, 6}");
  EXPECT_EQ(Of("ROOT r = s32[<=10] convert(x)", 2), "s32[2] {1, 2}");
  EXPECT_EQ(Of("p = pred[<=10] compare(x, c), direction=EQ\nROOT r = f32[<=10] select(p, x, c)", 2), "f32[2] {1, 2}");
  EXPECT_EQ(Of("ROOT r = f32[<=10] clamp(unit, x, unit)", 2), "f32[2] {1, 1}");
  EXPECT_EQ(Of("ROOT r = f32[<=10] map(x, c), dimensions={0}, to_apply=mul", 3), "f32[3] {1, 4, 9}");
  EXPECT_THAT(ErrorOf("ROOT r = f32[<=10] add(x, y)", 3, 4), testing::HasSubstr("%r: operands 0 and 1 have the run-time sizes 3 and 4"));
}

TEST(Dynamic, ShapesAndMovement) {
  EXPECT_EQ(Of("ROOT r = f32[4,<=6] transpose(w), dimensions={1,0}", 2), "f32[4,2] { {0, 1}, {0, 1}, {0, 1}, {0, 1} }");
  EXPECT_EQ(Of("ROOT r = f32[<=24] reshape(w)", 2), "f32[8] {0, 0, 0, 0, 1, 1, 1, 1}");
  EXPECT_EQ(Of("ROOT r = f32[<=5,2] reshape(x)", 4), "f32[2,2] { {1, 2}, {3, 4} }");
  EXPECT_THAT(ErrorOf("ROOT r = f32[<=5,2] reshape(x)", 3), testing::HasSubstr("3 elements do not fill rows of 2"));
  EXPECT_EQ(Of("ROOT r = f32[2,<=10] broadcast(x), dimensions={1}", 2), "f32[2,2] { {1, 2}, {1, 2} }");
  EXPECT_EQ(Of("ROOT r = f32[<=10] reverse(x), dimensions={0}", 3), "f32[3] {3, 2, 1}");
  EXPECT_EQ(Of("ROOT r = f32[<=10] slice(x), slice={[0:10]}", 3), "f32[3] {1, 2, 3}");
  EXPECT_EQ(Of("ROOT r = f32[2] slice(x), slice={[1:3]}", 3), "f32[2] {2, 3}");
  EXPECT_THAT(ErrorOf("ROOT r = f32[2] slice(x), slice={[1:3]}", 2), testing::HasSubstr("the limit must not pass the end: [1:3:1] of dimension 0 of size 2"));
  EXPECT_EQ(Of("ROOT r = f32[<=20] concatenate(x, y), dimensions={0}", 2, 3), "f32[5] {1, 2, 1, 2, 3}");
  EXPECT_EQ(Of("ROOT r = f32[<=12] pad(x, zero), padding=1_1", 2), "f32[4] {0, 1, 2, 0}");
  EXPECT_EQ(Of("s = s32[] constant(1)\nROOT r = f32[2] dynamic-slice(x, s), dynamic_slice_sizes={2}", 5), "f32[2] {2, 3}");
  EXPECT_EQ(Of("s = s32[] constant(9)\nu = f32[2] constant({7,8})\nROOT r = f32[<=10] dynamic-update-slice(x, u, s)", 4), "f32[4] {1, 2, 7, 8}");
  EXPECT_EQ(Of("s = s32[] constant(2)\nROOT r = f32[<=6,<=2] dynamic-reshape(x, k, s)", 6, 3), "f32[3,2] { {1, 2}, {3, 4}, {5, 6} }");
  EXPECT_EQ(Of("i = s32[2] constant({1,0})\nROOT r = f32[2] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1}", 3),
            "f32[2] {2, 1}");
}

TEST(Dynamic, FoldsWindowsAndProducts) {
  EXPECT_EQ(Of("ROOT r = f32[4] reduce(w, zero), dimensions={0}, to_apply=add", 3), "f32[4] {3, 3, 3, 3}");
  EXPECT_EQ(Of("ROOT r = f32[<=6] reduce(w, zero), dimensions={1}, to_apply=add", 3), "f32[3] {0, 4, 8}");
  EXPECT_EQ(Of("ROOT r = f32[<=9] reduce-window(x, zero), window={size=2}, to_apply=add", 3), "f32[2] {3, 5}");
  EXPECT_EQ(Of("ROOT r = f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}", 3), "f32[] 14");
  EXPECT_EQ(Of("ROOT r = f32[] dot(x, c), lhs_contracting_dims={0}, rhs_contracting_dims={0}", 3), "f32[] 14");
  EXPECT_EQ(Of("ROOT r = f32[<=6,<=6] dot(w, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}", 2), "f32[2,2] { {0, 0}, {0, 4} }");
  EXPECT_THAT(ErrorOf("ROOT r = f32[] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}", 3, 4), testing::HasSubstr("run-time sizes 3 and 4"));
  EXPECT_EQ(Of("v = f32[<=10] negate(x)\nROOT r = f32[<=10] sort(v), dimensions={0}, to_apply=lt", 3), "f32[3] {-3, -2, -1}");
}

TEST(Dynamic, TuplesAndControl) {
  EXPECT_EQ(Of("t = (f32[<=10], s32[]) tuple(x, n)\nROOT r = f32[<=10] get-tuple-element(t), index=0", 2), "f32[2] {1, 2}");
  EXPECT_EQ(Of("ROOT r = (f32[<=10], s32[]) tuple(x, n)", 2), "(f32[2], s32[]) ({1, 2}, 2)");
  EXPECT_EQ(Of("ROOT r = f32[<=10] call(x), to_apply=twice", 2), "f32[2] {2, 4}");
  EXPECT_EQ(Of("t = pred[] constant(true)\nROOT r = f32[<=10] conditional(t, x, y), true_computation=twice, false_computation=same", 2), "f32[2] {2, 4}");
  EXPECT_EQ(Of("t = pred[] constant(false)\nROOT r = f32[<=10] conditional(t, x, y), true_computation=twice, false_computation=same", 2, 1), "f32[1] {1}");
  EXPECT_EQ(Of("t = (f32[<=10], s32[]) tuple(x, n)\nu = (f32[<=10], s32[]) while(t), condition=condition, body=body\n"
               "ROOT r = f32[<=10] get-tuple-element(u), index=0",
               5),
            "f32[2] {1, 2}");
  EXPECT_EQ(Of("b = (f32[<=10]) tuple(x)\no = (f32[<=10]) opt-barrier(b)\ne = f32[<=10] get-tuple-element(o), index=0\nROOT r = f32[<=10] add(e, c)", 2), "f32[2] {2, 4}");
}

TEST(Dynamic, WhatASizeMayNotBe) {
  EXPECT_THAT(ErrorOf("ROOT r = f32[<=10] copy(x)", -1), testing::HasSubstr("%x: dimension 0 of f32[10] is set to -1; a size cannot be negative [dynamic-size.negative]"));
  EXPECT_THAT(ErrorOf("ROOT r = f32[<=10] copy(x)", 11), testing::HasSubstr("beyond its bound 10 [dynamic-size.bound]"));
  EXPECT_THAT(ErrorOf("ROOT r = f32[<=10] set-dimension-size(x, k), dimensions={0}", 3, 5),
              testing::HasSubstr("%r: dimension 0 of f32[<=10] is set to 5, but only 3 elements are there in this run [dynamic-size.growth]"));
}

// A shape that is written without its bound does not make a wrong number.
TEST(Dynamic, WrittenStatic) {
  EXPECT_EQ(Of("s = f32[10] set-dimension-size(c, n), dimensions={0}\nv = f32[10] add(s, s)\nROOT r = f32[] reduce(v, zero), dimensions={0}, to_apply=add", 10), "f32[] 110");
  EXPECT_THAT(ErrorOf("s = f32[10] set-dimension-size(c, n), dimensions={0}\nROOT v = f32[10] add(s, s)", 4), testing::HasSubstr("the result is f32[4], which does not fit f32[10]"));
}

TEST(Dynamic, ObserversSeeTheSizesOfTheRun) {
  EXPECT_TRUE(RunWith("v = f32[<=10] add(x, c)\nROOT r = f32[] reduce(v, zero), dimensions={0}, to_apply=add", 3, 3, true).ok);
}

TEST(Dynamic, ParametersAndSteps) {
  DiagnosticSink sink;
  auto source = std::make_shared<SourceText>("<test>", "HloModule m\n\nENTRY e {\n  x = f32[<=4] parameter(0)\n  y = f32[<=4] add(x, x)\n  ROOT z = s32[] get-dimension-size(y), dimensions={0}\n}\n");
  const std::unique_ptr<Module> module = ReadHloText(source, sink);
  Verify(*module, sink);
  ASSERT_EQ(sink.error_count(), 0);
  const std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Machine machine(*module, *backend, MachineOptions());
  const auto floats = [](int64_t count) {
    Value v = Value::Allocate(Shape::Array(ElementType::kF32, {count}));
    for (int64_t i = 0; i < count; ++i) v.mutable_as<float>()[i] = 1;
    return v;
  };
  EXPECT_FALSE(machine.Start({floats(5)}).ok());
  ASSERT_TRUE(machine.Start({floats(3)}).ok());
  for (int step = 0; step < 2; ++step) machine.Step(true);
  const absl::StatusOr<Value> y = machine.ValueOf(0, 1);
  ASSERT_TRUE(y.ok()) << y.status();
  EXPECT_EQ(y->shape().ToString(false), "f32[3]");
  EXPECT_TRUE(machine.SetValue(0, 1, floats(2)).ok());
  EXPECT_EQ(machine.Run(), StopReason::kFinished);
  EXPECT_EQ(PrintLiteral(machine.result()), "2");
}

TEST(Dynamic, FitsDeclared) {
  const auto fits = [](const std::string& actual, const std::string& declared) { return FitsDeclared(*ParseShape(actual), *ParseShape(declared)); };
  EXPECT_TRUE(fits("f32[3]", "f32[<=4]"));
  EXPECT_TRUE(fits("f32[4]", "f32[<=4]"));
  EXPECT_FALSE(fits("f32[5]", "f32[<=4]"));
  EXPECT_FALSE(fits("f32[3]", "f32[4]"));
  EXPECT_FALSE(fits("s32[3]", "f32[<=4]"));
  EXPECT_TRUE(fits("(f32[3], s32[])", "(f32[<=4], s32[])"));
}

}  // namespace
}  // namespace hloscope
