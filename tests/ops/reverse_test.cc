// Reverse: its rule and its elements.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(Reverse, SomeDimensions) {
  const std::string c = "c = s32[2,3] constant({{1,2,3},{4,5,6}})\n";
  ExpectValue(c + "ROOT r = s32[2,3] reverse(c), dimensions={1}", "s32[2,3] constant({{3,2,1},{6,5,4}})");
  ExpectValue(c + "ROOT r = s32[2,3] reverse(c), dimensions={0,1}", "s32[2,3] constant({{6,5,4},{3,2,1}})");
  ExpectValue(c + "ROOT r = s32[2,3] reverse(c), dimensions={}", "s32[2,3] constant({{1,2,3},{4,5,6}})");
}

TEST(Reverse, Requirements) {
  const std::string p = "p = f32[2,3] parameter(0)\n";
  ExpectError("t = token[] after-all()\nROOT r = f32[] reverse(t), dimensions={}", "reverse.array");
  ExpectError(p + "ROOT r = f32[2,3] reverse(p), dimensions={2}", "reverse.dimension-range");
  ExpectError(p + "ROOT r = f32[2,3] reverse(p), dimensions={1,1}", "reverse.dimension-repeated");
}

}  // namespace
}  // namespace hloscope
