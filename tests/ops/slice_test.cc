// Slice: its rule and its elements.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(Slice, Vectors) {
  ExpectValue("c = f32[5] constant({0,1,2,3,4})\nROOT r = f32[2] slice(c), slice={[2:4]}", "f32[2] constant({2,3})");
  ExpectValue("c = f32[4,3] constant({{0,1,2},{3,4,5},{6,7,8},{9,10,11}})\nROOT r = f32[2,2] slice(c), slice={[2:4], [1:3]}",
              "f32[2,2] constant({{7,8},{10,11}})");
}

TEST(Slice, StridesRoundUpAndEmptySlices) {
  ExpectValue("c = s32[6] constant({0,1,2,3,4,5})\nROOT r = s32[2] slice(c), slice={[1:6:3]}", "s32[2] constant({1,4})");
  ExpectValue("c = s32[6] constant({0,1,2,3,4,5})\nROOT r = s32[3] slice(c), slice={[0:5:2]}", "s32[3] constant({0,2,4})");
  ExpectValue("c = s32[6] constant({0,1,2,3,4,5})\nROOT r = s32[0] slice(c), slice={[6:6]}", "s32[0] constant({})");
}

TEST(Slice, Requirements) {
  const std::string p = "p = f32[5] parameter(0)\n";
  ExpectError("t = token[] after-all()\nROOT r = f32[] slice(t), slice={}", "slice.array");
  ExpectError(p + "ROOT r = f32[2] slice(p), slice={[0:2], [0:1]}", "slice.dimension-count");
  ExpectError(p + "ROOT r = f32[2] slice(p), slice={[4:2]}", "slice.start");
  ExpectError(p + "ROOT r = f32[2] slice(p), slice={[-1:2]}", "slice.start");
  ExpectError(p + "ROOT r = f32[2] slice(p), slice={[4:6]}", "slice.limit");
  ExpectError(p + "ROOT r = f32[2] slice(p), slice={[0:4:0]}", "slice.stride");
  ExpectError(p + "ROOT r = f32[3] slice(p), slice={[0:2]}", "verify.shape-mismatch");
}

}  // namespace
}  // namespace hloscope
