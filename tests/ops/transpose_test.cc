// Transpose: its rule and its elements.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(Transpose, MatrixAndCuboid) {
  ExpectValue("c = s32[2,3] constant({{1,2,3},{4,5,6}})\nROOT r = s32[3,2] transpose(c), dimensions={1,0}", "s32[3,2] constant({{1,4},{2,5},{3,6}})");
  // Result dimension i is operand dimension dimensions[i].
  ExpectValue("c = s32[1,2,3] constant({{{1,2,3},{4,5,6}}})\nROOT r = s32[2,3,1] transpose(c), dimensions={1,2,0}",
              "s32[2,3,1] constant({{{1},{2},{3}},{{4},{5},{6}}})");
}

TEST(Transpose, ScalarNeedsNoPermutation) { ExpectValue("c = s32[] constant(3)\nROOT r = s32[] transpose(c), dimensions={}", "s32[] constant(3)"); }

TEST(Transpose, Requirements) {
  const std::string p = "p = f32[2,3] parameter(0)\n";
  ExpectError("t = token[] after-all()\nROOT r = f32[] transpose(t), dimensions={}", "transpose.array");
  ExpectError(p + "ROOT r = f32[2,3] transpose(p), dimensions={0}", "transpose.dimension-count");
  ExpectError(p + "ROOT r = f32[2,3] transpose(p), dimensions={0,2}", "transpose.dimension-range");
  ExpectError(p + "ROOT r = f32[2,3] transpose(p), dimensions={0,-1}", "transpose.dimension-range");
  ExpectError(p + "ROOT r = f32[2,3] transpose(p), dimensions={0,0}", "transpose.dimension-repeated");
  ExpectError(p + "ROOT r = f32[2,3] transpose(p), dimensions={1,0}", "verify.shape-mismatch");
}

}  // namespace
}  // namespace hloscope
