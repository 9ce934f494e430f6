// Dynamic sizes: rules, and what is executed of them.
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

TEST(DynamicSize, WhatIsNotExecutedSaysSo) {
  const absl::StatusOr<Value> value = EvaluateText("c = f32[2] constant({1,2})\nn = s32[] constant(1)\nROOT d = f32[<=2] set-dimension-size(c, n), dimensions={0}");
  EXPECT_EQ(value.status().code(), absl::StatusCode::kUnimplemented);
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
}

}  // namespace
}  // namespace hloscope
