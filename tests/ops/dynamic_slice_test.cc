// DynamicSlice: its rule and its elements.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

std::string OneDimension(const std::string& start) {
  return "c = f32[5] constant({0,1,2,3,4})\ns = " + start + "\nROOT r = f32[2] dynamic-slice(c, s), dynamic_slice_sizes={2}";
}
const char kMatrix[] = "c = f32[4,3] constant({{0,1,2},{3,4,5},{6,7,8},{9,10,11}})\n";

TEST(DynamicSlice, Vectors) {
  ExpectValue(OneDimension("s32[] constant(2)"), "f32[2] constant({2,3})");
  ExpectValue(std::string(kMatrix) + "i = s32[] constant(2)\nj = s32[] constant(1)\nROOT r = f32[2,2] dynamic-slice(c, i, j), dynamic_slice_sizes={2,2}",
              "f32[2,2] constant({{7,8},{10,11}})");
}

TEST(DynamicSlice, StartsAreClamped) {
  ExpectValue(OneDimension("s32[] constant(100)"), "f32[2] constant({3,4})");
  ExpectValue(OneDimension("s64[] constant(-3)"), "f32[2] constant({0,1})");
  ExpectValue(OneDimension("u8[] constant(255)"), "f32[2] constant({3,4})");
  ExpectValue(OneDimension("s8[] constant(-1)"), "f32[2] constant({0,1})");
  ExpectValue(OneDimension("u64[] constant(18446744073709551615)"), "f32[2] constant({3,4})");
}

TEST(DynamicSlice, VectorOfStarts) {
  ExpectValue(std::string(kMatrix) + "i = s32[2] constant({2,1})\nROOT r = f32[2,2] dynamic-slice(c, i), dynamic_slice_sizes={2,2}",
              "f32[2,2] constant({{7,8},{10,11}})");
}

TEST(DynamicSlice, Requirements) {
  const std::string p = "p = f32[5] parameter(0)\ni = s32[] parameter(1)\nf = f32[] parameter(2)\nj = s64[] parameter(3)\nt = token[] after-all()\nq = f32[5,5] parameter(4)\n";
  ExpectError(p + "ROOT r = f32[2] dynamic-slice(t, i), dynamic_slice_sizes={2}", "dynamic-slice.array");
  ExpectError(p + "ROOT r = f32[2] dynamic-slice(p, i, i), dynamic_slice_sizes={2}", "dynamic-slice.start-count");
  ExpectError(p + "ROOT r = f32[2] dynamic-slice(p, f), dynamic_slice_sizes={2}", "dynamic-slice.start-type");
  ExpectError(p + "ROOT r = f32[2,2] dynamic-slice(q, i, j), dynamic_slice_sizes={2,2}", "dynamic-slice.start-type");
  ExpectError(p + "ROOT r = f32[2] dynamic-slice(p, i), dynamic_slice_sizes={2,2}", "dynamic-slice.size-count");
  ExpectError(p + "ROOT r = f32[6] dynamic-slice(p, i), dynamic_slice_sizes={6}", "dynamic-slice.sizes");
}

}  // namespace
}  // namespace hloscope
