// Concatenate: its rule and its elements.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(Concatenate, Vectors) {
  ExpectValue("a = s32[2] constant({2,3})\nb = s32[2] constant({4,5})\nc = s32[2] constant({6,7})\nROOT r = s32[6] concatenate(a, b, c), dimensions={0}",
              "s32[6] constant({2,3,4,5,6,7})");
  ExpectValue("a = s32[3,2] constant({{1,2},{3,4},{5,6}})\nb = s32[1,2] constant({{7,8}})\nROOT r = s32[4,2] concatenate(a, b), dimensions={0}",
              "s32[4,2] constant({{1,2},{3,4},{5,6},{7,8}})");
}

TEST(Concatenate, InnerDimensionEmptyAndSingleOperands) {
  ExpectValue("a = s32[2,1] constant({{1},{2}})\nb = s32[2,0] constant({{},{}})\nc = s32[2,2] constant({{3,4},{5,6}})\n"
              "ROOT r = s32[2,3] concatenate(a, b, c), dimensions={1}",
              "s32[2,3] constant({{1,3,4},{2,5,6}})");
  ExpectValue("a = s32[2] constant({1,2})\nROOT r = s32[2] concatenate(a), dimensions={0}", "s32[2] constant({1,2})");
}

TEST(Concatenate, Requirements) {
  const std::string p = "a = f32[2,3] parameter(0)\nb = f32[2,4] parameter(1)\nc = s32[2,3] parameter(2)\nt = token[] after-all()\n"
                        "h = f32[9223372036854775807,0] parameter(3)\ne = f32[2,0] parameter(4)\n";
  ExpectError(p + "ROOT r = f32[2,3] concatenate(a, t), dimensions={0}", "concatenate.array");
  ExpectError(p + "ROOT r = f32[2,3] concatenate(a, a), dimensions={0,1}", "concatenate.one-dimension");
  ExpectError(p + "ROOT r = f32[2,3] concatenate(a, a), dimensions={2}", "concatenate.dimension-range");
  ExpectError(p + "ROOT r = f32[4,3] concatenate(a, c), dimensions={0}", "concatenate.same-type");
  ExpectError(p + "ROOT r = f32[4,3] concatenate(a, b), dimensions={0}", "concatenate.sizes");
  ExpectError(p + "ROOT r = f32[4,0] concatenate(e, h), dimensions={0}", "concatenate.too-large");
}

}  // namespace
}  // namespace hloscope
