// reduce: the specification's vectors, several arrays at once, rounding and order, and each requirement.
#include "tests/ops/running.h"

namespace hloscope {
namespace {

const std::string kAdd = ScalarFunction("add", "f32", "add");

std::string Sum(const std::string& operand, const std::string& dims, const std::string& result) {
  return ModuleText(kAdd, "  x = " + operand + "\n  zero = f32[] constant(0)\n  ROOT r = " + result + " reduce(x, zero), dimensions={" +
                              dims + "}, to_apply=add");
}
const char kMatrix[] = "f32[2,3] constant({{1,2,3},{4,5,6}})";
const char kCube[] = "f32[4,2,3] constant({{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}},{{1,2,3},{4,5,6}}})";

TEST(Reduce, Vectors) {
  ExpectValue(Sum(kMatrix, "0", "f32[3]"), "f32[3] constant({5,7,9})");
  ExpectValue(Sum(kMatrix, "1", "f32[2]"), "f32[2] constant({6,15})");
  ExpectValue(Sum(kCube, "0", "f32[2,3]"), "f32[2,3] constant({{4,8,12},{16,20,24}})");
  ExpectValue(Sum(kCube, "2", "f32[4,2]"), "f32[4,2] constant({{6,15},{6,15},{6,15},{6,15}})");
  ExpectValue(Sum(kCube, "0,1", "f32[3]"), "f32[3] constant({20,28,36})");
  ExpectValue(Sum(kCube, "0,1,2", "f32[]"), "f32[] constant(84)");
  ExpectValue(Sum(kCube, "2,0,1", "f32[]"), "f32[] constant(84)");
  ExpectValue(Sum(kMatrix, "", "f32[2,3]"), "f32[2,3] constant({{1,2,3},{4,5,6}})");
}

TEST(Reduce, EmptyDomainGivesTheInitialValue) {
  ExpectValue(
      ModuleText(kAdd,
                 "  x = f32[2,0] constant({{},{}})\n  i = f32[] constant(7)\n  ROOT r = f32[2] reduce(x, i), dimensions={1}, to_apply=add"),
      "f32[2] constant({7,7})");
}

TEST(Reduce, LaterIndexWinsAmongEqualMaxima) {
  const std::string f =
      "argmax {\n  v = f32[] parameter(0)\n  i = s32[] parameter(1)\n  w = f32[] parameter(2)\n  j = s32[] parameter(3)\n"
      "  new = pred[] compare(w, v), direction=GE\n  rv = f32[] select(new, w, v)\n  ri = s32[] select(new, j, i)\n  ROOT r = (f32[], "
      "s32[]) tuple(rv, ri)\n}\n";
  ExpectValue(ModuleText(f,
                         "  x = f32[2,4] constant({{1,9,9,2},{5,4,3,5}})\n  k = s32[2,4] iota(), iota_dimension=1\n  low = f32[] "
                         "constant(-inf)\n  none = s32[] constant(-1)\n"
                         "  both = (f32[2], s32[2]) reduce(x, k, low, none), dimensions={1}, to_apply=argmax\n  ROOT g = s32[2] "
                         "get-tuple-element(both), index=1"),
              "s32[2] constant({2,3})");
}

TEST(Reduce, NarrowFloatsRoundAtEachStep) {
  // 256 + 1 is 256 in bf16, so eight ones vanish one by one.
  ExpectValue(ModuleText(ScalarFunction("add", "bf16", "add"),
                         "  x = bf16[8] constant({1,1,1,1,1,1,1,1})\n  i = bf16[] constant(256)\n  ROOT r = bf16[] reduce(x, i), "
                         "dimensions={0}, to_apply=add"),
              "bf16[] constant(256)");
  // A reducer of f32 over bf16 keeps them.
  ExpectValue(ModuleText(kAdd,
                         "  x = bf16[8] constant({1,1,1,1,1,1,1,1})\n  i = f32[] constant(256)\n  ROOT r = f32[] reduce(x, i), "
                         "dimensions={0}, to_apply=add"),
              "f32[] constant(264)");
}

TEST(Reduce, AccumulatorIsTheLeftArgument) {
  ExpectValue(
      ModuleText(ScalarFunction("sub", "s32", "subtract"),
                 "  x = s32[3] constant({1,2,3})\n  i = s32[] constant(100)\n  ROOT r = s32[] reduce(x, i), dimensions={0}, to_apply=sub"),
      "s32[] constant(94)");
}

TEST(Reduce, LongSumsGoByLanes) {
  const Value x = RandomF32({3, 100}, 1);
  auto r = RunText(
      ModuleText(kAdd,
                 "  x = f32[3,100] parameter(0)\n  i = f32[] constant(0.5)\n  ROOT r = f32[3] reduce(x, i), dimensions={1}, to_apply=add"),
      {x});
  ASSERT_TRUE(r.ok()) << r.status();
  for (int row = 0; row < 3; ++row) {
    float lanes[16];
    for (int k = 0; k < 100; ++k) lanes[k % 16] = k < 16 ? x.as<float>()[row * 100 + k] : lanes[k % 16] + x.as<float>()[row * 100 + k];
    for (int width = 8; width > 0; width /= 2) {
      for (int l = 0; l < width; ++l) lanes[l] += lanes[l + width];
    }
    EXPECT_EQ(r->as<float>()[row], 0.5f + lanes[0]);
  }
}

TEST(Reduce, Requirements) {
  const std::string x =
      "  x = f32[2,3] parameter(0)\n  y = f32[3,2] parameter(1)\n  i = f32[] parameter(2)\n  n = s32[] parameter(3)\n  t = (f32[2,3]) "
      "parameter(4)\n";
  const auto expect = [&](const std::string& instruction, const std::string& label) {
    ExpectError(ModuleText(kAdd, x + "  ROOT r = " + instruction), label);
  };
  expect("f32[2] reduce(x, x, i), dimensions={1}, to_apply=add", "reduce.operand-count");
  expect("f32[2] reduce(t, i), dimensions={1}, to_apply=add", "reduce.operand-arrays");
  const std::string two =
      "two {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n  d = f32[] parameter(3)\n  ROOT r = (f32[], "
      "f32[]) tuple(a, b)\n}\n";
  ExpectError(ModuleText(two, x + "  ROOT r = (f32[2], f32[2]) reduce(x, y, i, i), dimensions={1}, to_apply=two"),
              "reduce.same-dimensions");
  expect("f32[2] reduce(x, n), dimensions={1}, to_apply=add", "reduce.init-scalar");
  expect("f32[2] reduce(x, i), dimensions={2}, to_apply=add", "reduce.dimensions");
  expect("f32[] reduce(x, i), dimensions={1,1}, to_apply=add", "reduce.dimensions");
  ExpectError(ModuleText(ScalarFunction("addi", "s32", "add"), x + "  ROOT r = f32[2] reduce(x, i), dimensions={1}, to_apply=addi"),
              "reduce.reducer-signature");
  ExpectError(ModuleText(two, x + "  ROOT r = f32[2] reduce(x, i), dimensions={1}, to_apply=two"), "reduce.reducer-signature");
}

}  // namespace
}  // namespace hloscope
