// DynamicUpdateSlice: its rule and its elements.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

std::string OneDimension(int start) {
  return "c = f32[5] constant({0,1,2,3,4})\nu = f32[2] constant({5,6})\ns = s32[] constant(" + std::to_string(start) +
         ")\nROOT r = f32[5] dynamic-update-slice(c, u, s)";
}

TEST(DynamicUpdateSlice, Vectors) {
  ExpectValue(OneDimension(2), "f32[5] constant({0,1,5,6,4})");
  ExpectValue("c = f32[4,3] constant({{0,1,2},{3,4,5},{6,7,8},{9,10,11}})\nu = f32[3,2] constant({{12,13},{14,15},{16,17}})\n"
              "i = s32[] constant(1)\nROOT r = f32[4,3] dynamic-update-slice(c, u, i, i)",
              "f32[4,3] constant({{0,1,2},{3,12,13},{6,14,15},{9,16,17}})");
}

TEST(DynamicUpdateSlice, StartsAreClamped) {
  ExpectValue(OneDimension(9), "f32[5] constant({0,1,2,5,6})");
  ExpectValue(OneDimension(-9), "f32[5] constant({5,6,2,3,4})");
}

TEST(DynamicUpdateSlice, WholeAndEmptyUpdates) {
  ExpectValue("c = s32[2] constant({1,2})\nu = s32[2] constant({3,4})\ni = s32[] constant(1)\nROOT r = s32[2] dynamic-update-slice(c, u, i)",
              "s32[2] constant({3,4})");
  ExpectValue("c = s32[2] constant({1,2})\nu = s32[0] constant({})\ni = s32[] constant(1)\nROOT r = s32[2] dynamic-update-slice(c, u, i)",
              "s32[2] constant({1,2})");
}

TEST(DynamicUpdateSlice, Requirements) {
  const std::string p = "p = f32[5] parameter(0)\ni = s32[] parameter(1)\nf = f32[] parameter(2)\nu = f32[2] parameter(3)\nb = f32[6] parameter(4)\n"
                        "m = f32[2,2] parameter(5)\nn = s32[2] parameter(6)\nt = token[] after-all()\n";
  ExpectError(p + "ROOT r = f32[5] dynamic-update-slice(p, t, i)", "dynamic-update-slice.array");
  ExpectError(p + "ROOT r = f32[5] dynamic-update-slice(p, n, i)", "dynamic-update-slice.same-type");
  ExpectError(p + "ROOT r = f32[5] dynamic-update-slice(p, m, i)", "dynamic-update-slice.rank");
  ExpectError(p + "ROOT r = f32[5] dynamic-update-slice(p, b, i)", "dynamic-update-slice.sizes");
  ExpectError(p + "ROOT r = f32[5] dynamic-update-slice(p, u, i, i)", "dynamic-update-slice.start-count");
  ExpectError(p + "ROOT r = f32[5] dynamic-update-slice(p, u, f)", "dynamic-update-slice.start-type");
}

}  // namespace
}  // namespace hloscope
