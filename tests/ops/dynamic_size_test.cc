// Dynamic sizes: rules, and the operations that set and read sizes. Programs that run with them: tests/exec/dynamic_test.cc.
#include "core/ops/dynamic_shapes.h"

#include "tests/ops/running.h"
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(DynamicSize, StaticSizesAreKnown) {
  ExpectValue("c = f32[2,3] constant({{1,2,3},{4,5,6}})\nROOT r = s32[] get-dimension-size(c), dimensions={1}", "s32[] constant(3)");
}

TEST(DynamicSize, RulesOfDynamicShapes) {
  ExpectAccepted("c = f32[10] parameter(0)\nn = s32[] parameter(1)\nd = f32[<=10] set-dimension-size(c, n), dimensions={0}\n"
                 "ROOT r = s32[] get-dimension-size(d), dimensions={0}");
  ExpectAccepted("c = f32[6] parameter(0)\nn = s32[] parameter(1)\nROOT r = f32[<=2,3] dynamic-reshape(c, n, n)");
}

Value Set(const std::string& operand, int size, int dimension) {
  const absl::StatusOr<Value> v = EvaluateText("c = " + operand + "\nn = s32[] constant(" + std::to_string(size) +
                                               ")\nROOT d = set-dimension-size(c, n), dimensions={" + std::to_string(dimension) + "}");
  EXPECT_TRUE(v.ok()) << v.status();
  return v.ok() ? *v : Value();
}

TEST(DynamicSize, SetCuts) {
  EXPECT_EQ(PrintLiteral(Set("s32[4] constant({1,2,3,4})", 2, 0)), "{1, 2}");
  EXPECT_EQ(PrintLiteral(Set("s32[4] constant({1,2,3,4})", 0, 0)), "{}");
  EXPECT_EQ(PrintLiteral(Set("s32[2,3] constant({{1,2,3},{4,5,6}})", 2, 1)), "{ {1, 2}, {4, 5} }");
  EXPECT_EQ(PrintLiteral(Set("s32[2,3] constant({{1,2,3},{4,5,6}})", 1, 0)), "{ {1, 2, 3} }");
  EXPECT_EQ(PrintLiteral(Set("s32[2,2,2] constant({{{1,2},{3,4}},{{5,6},{7,8}}})", 1, 1)), "{ { {1, 2} }, { {5, 6} } }");
  // The full size is the array itself.
  const Value all = Set("s32[4] constant({1,2,3,4})", 4, 0);
  EXPECT_TRUE(Shape::Compatible(all.shape(), Shape::Array(ElementType::kS32, {4}))) << all.shape().ToString();
}

TEST(DynamicSize, SetRefuses) {
  const auto text = [](int n) { return "c = f32[4] constant({1,2,3,4})\nn = s32[] constant(" + std::to_string(n) + ")\nROOT d = f32[<=4] set-dimension-size(c, n), dimensions={0}"; };
  ExpectRunError(text(-1), "dimension 0 of f32[4] is set to -1; a size cannot be negative [dynamic-size.negative]");
  ExpectRunError(text(5), "dimension 0 of f32[4] is set to 5, beyond its bound 4 [dynamic-size.bound]");
}

TEST(DynamicSize, DynamicReshape) {
  const auto text = [](const std::string& shape, int a, int b) {
    return "c = s32[6] constant({1,2,3,4,5,6})\na = s32[] constant(" + std::to_string(a) + ")\nb = s32[] constant(" + std::to_string(b) + ")\nROOT d = " + shape +
           " dynamic-reshape(c, a, b)";
  };
  absl::StatusOr<Value> v = EvaluateText(text("s32[<=4,<=6]", 2, 3));
  ASSERT_TRUE(v.ok()) << v.status();
  EXPECT_EQ(PrintLiteral(*v), "{ {1, 2, 3}, {4, 5, 6} }");
  ExpectRunError(text("s32[<=4,<=6]", 2, 2), "the 6 elements of s32[6] do not fill s32[2,2] [dynamic-reshape.element-count]");
  ExpectRunError(text("s32[<=4,<=6]", 6, 1), "is set to 6, beyond its bound 4 [dynamic-size.bound]");
  ExpectRunError(text("s32[<=4,3]", 3, 2), "dimension 1 of s32[<=4,3] is set to 2 though it is not dynamic [dynamic-reshape.static-size]");
}

// The shape that a rule infers for the last line, whose shape is omitted or written as given.
std::string Inferred(const std::string& lines) {
  const std::string head = "x = f32[<=10] parameter(0)\nm = f32[<=4,6] parameter(1)\ns = f32[10] parameter(2)\nz = f32[] parameter(3)\ni = s32[] parameter(4)\n"
                           "id = s32[<=5,1] parameter(5)\nq = f32[4,<=6] parameter(6)\n";
  const CheckedModule checked = CheckText("HloModule t\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n\n"
                                          "gt {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = pred[] compare(a, b), direction=GT\n}\n\nENTRY e {\n" +
                                          head + "ROOT r = " + lines + "\n}\n");
  EXPECT_EQ(checked.sink.error_count(), 0) << lines << "\n" << checked.Problems();
  return checked.module->entry->root->shape.ToString(false);
}

TEST(DynamicSize, FlagsGoThroughTheRules) {
  EXPECT_EQ(Inferred("negate(x)"), "f32[<=10]");
  EXPECT_EQ(Inferred("add(x, s)"), "f32[<=10]");
  EXPECT_EQ(Inferred("add(s, x)"), "f32[<=10]");
  EXPECT_EQ(Inferred("compare(s, x), direction=LT"), "pred[<=10]");
  EXPECT_EQ(Inferred("clamp(z, x, z)"), "f32[<=10]");
  EXPECT_EQ(Inferred("clamp(x, s, z)"), "f32[<=10]");
  EXPECT_EQ(Inferred("map(s, x), dimensions={0}, to_apply=add"), "f32[<=10]");
  EXPECT_EQ(Inferred("transpose(m), dimensions={1,0}"), "f32[6,<=4]");
  EXPECT_EQ(Inferred("reverse(m), dimensions={0}"), "f32[<=4,6]");
  EXPECT_EQ(Inferred("reduce(m, z), dimensions={0}, to_apply=add"), "f32[6]");
  EXPECT_EQ(Inferred("reduce(m, z), dimensions={1}, to_apply=add"), "f32[<=4]");
  EXPECT_EQ(Inferred("sort(m), dimensions={1}, to_apply=gt"), "f32[<=4,6]");
  EXPECT_EQ(Inferred("concatenate(x, s), dimensions={0}"), "f32[<=20]");
  EXPECT_EQ(Inferred("concatenate(m, m), dimensions={1}"), "f32[<=4,12]");
  EXPECT_EQ(Inferred("slice(m), slice={[0:4], [1:3]}"), "f32[<=4,2]");
  EXPECT_EQ(Inferred("slice(m), slice={[0:2], [0:6]}"), "f32[2,6]");
  EXPECT_EQ(Inferred("pad(m, z), padding=1_1x0_0"), "f32[<=6,6]");
  EXPECT_EQ(Inferred("dynamic-slice(m, i, i), dynamic_slice_sizes={4,2}"), "f32[<=4,2]");
  EXPECT_EQ(Inferred("dynamic-slice(m, i, i), dynamic_slice_sizes={1,2}"), "f32[1,2]");
  EXPECT_EQ(Inferred("dot(m, q), lhs_contracting_dims={0}, rhs_contracting_dims={0}"), "f32[6,<=6]");
  EXPECT_EQ(Inferred("gather(m, id), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}"), "f32[<=5,6]");
  EXPECT_EQ(Inferred("gather(m, id), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, slice_sizes={4,1}"), "f32[<=5,<=4]");
  EXPECT_EQ(Inferred("f32[3,<=10] broadcast(x), dimensions={1}"), "f32[3,<=10]");
  EXPECT_EQ(Inferred("f32[<=24] reshape(m)"), "f32[<=24]");
  EXPECT_EQ(Inferred("f32[<=2,2,6] reshape(m)"), "f32[<=2,2,6]");
}

TEST(DynamicSize, BoundsThroughReshapes) {
  const auto flags = [](const std::string& from, const std::string& to) {
    std::string why;
    const auto dynamic = ReshapeDynamic(*ParseShape(from), *ParseShape(to), &why);
    if (!dynamic.has_value()) return "? " + why;
    std::string text;
    for (bool d : *dynamic) text += d ? 'd' : '.';
    return text;
  };
  EXPECT_EQ(flags("f32[<=10]", "f32[10]"), "d");
  EXPECT_EQ(flags("f32[<=4,6]", "f32[24]"), "d");
  EXPECT_EQ(flags("f32[<=4,6]", "f32[4,2,3]"), "d..");
  EXPECT_EQ(flags("f32[<=24]", "f32[<=4,6]"), "d.");
  EXPECT_EQ(flags("f32[<=24]", "f32[4,<=6]"), ".d");
  EXPECT_EQ(flags("f32[<=10]", "f32[1,10,1]"), ".d.");
  EXPECT_EQ(flags("f32[1,<=10]", "f32[10]"), "d");
  EXPECT_EQ(flags("f32[3,<=1]", "f32[3,<=1]"), ".d");
  EXPECT_EQ(flags("f32[2,3]", "f32[6]"), ".");
  EXPECT_EQ(flags("f32[<=24]", "f32[4,6]").substr(0, 1), "?");
  EXPECT_EQ(flags("f32[<=24]", "f32[<=4,<=6]").substr(0, 1), "?");
  EXPECT_EQ(flags("f32[24]", "f32[<=4,6]").substr(0, 1), "?");
}

TEST(DynamicSize, Requirements) {
  const std::string p = "p = f32[10] parameter(0)\nn = s32[] parameter(1)\nf = f32[] parameter(2)\nh = f32[3000000000] parameter(3)\nt = token[] after-all()\n";
  ExpectError(p + "ROOT r = s32[] get-dimension-size(t), dimensions={0}", "dimension-size.array");
  ExpectError(p + "ROOT r = s32[] get-dimension-size(p), dimensions={0,0}", "dimension-size.one-dimension");
  ExpectError(p + "ROOT r = s32[] get-dimension-size(p), dimensions={1}", "dimension-size.dimension-range");
  ExpectError(p + "ROOT r = s32[] get-dimension-size(h), dimensions={0}", "get-dimension-size.too-large");
  ExpectError(p + "ROOT r = f32[<=10] set-dimension-size(p, f), dimensions={0}", "set-dimension-size.size");
  ExpectError(p + "ROOT r = f32[<=10] dynamic-reshape(t, n)", "dynamic-reshape.array");
  ExpectError(p + "ROOT r = s32[<=10] dynamic-reshape(p, n)", "dynamic-reshape.result");
  ExpectError(p + "ROOT r = f32[<=10] dynamic-reshape(p, n, n)", "dynamic-reshape.size-count");
  ExpectError(p + "ROOT r = f32[<=10] dynamic-reshape(p, f)", "dynamic-reshape.size");
  ExpectError(p + "d = f32[<=10] set-dimension-size(p, n), dimensions={0}\nROOT r = f32[2,5] reshape(d)", "reshape.dynamic");
  ExpectError(p + "ROOT r = f32[<=5] broadcast(f), dimensions={}", "broadcast.dynamic");
  ExpectError("ROOT r = s32[<=5] iota(), iota_dimension=0", "iota.dynamic");
}

}  // namespace
}  // namespace hloscope
