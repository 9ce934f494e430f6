// Broadcast: its rule, its elements, and the vectors of broadcasting.md built from explicit broadcasts.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(Broadcast, ScalarToArray) {
  ExpectValue("c = f32[] constant(2)\nROOT r = f32[2,3] broadcast(c), dimensions={}", "f32[2,3] constant({{2,2,2},{2,2,2}})");
}

TEST(Broadcast, RowsColumnsAndTransposed) {
  const std::string v = "v = f32[3] constant({7,8,9})\n";
  ExpectValue(v + "ROOT r = f32[3,3] broadcast(v), dimensions={1}", "f32[3,3] constant({{7,8,9},{7,8,9},{7,8,9}})");
  ExpectValue(v + "ROOT r = f32[3,3] broadcast(v), dimensions={0}", "f32[3,3] constant({{7,7,7},{8,8,8},{9,9,9}})");
  ExpectValue("m = s32[2,3] constant({{1,2,3},{4,5,6}})\nROOT r = s32[3,2] broadcast(m), dimensions={1,0}", "s32[3,2] constant({{1,4},{2,5},{3,6}})");
}

TEST(Broadcast, ScalarWithArray) {
  ExpectValue("m = s32[2,3] constant({{1,2,3},{4,5,6}})\nc = s32[] constant(7)\nb = s32[2,3] broadcast(c), dimensions={}\nROOT r = s32[2,3] add(m, b)",
              "s32[2,3] constant({{8,9,10},{11,12,13}})");
}

TEST(Broadcast, LowerIntoHigherRank) {
  ExpectValue("m = s32[2,3] constant({{1,2,3},{4,5,6}})\nv = s32[3] constant({7,8,9})\nb = s32[2,3] broadcast(v), dimensions={1}\nROOT r = s32[2,3] add(m, b)",
              "s32[2,3] constant({{8,10,12},{11,13,15}})");
  ExpectAccepted("p = f32[3,4] parameter(0)\nROOT r = f32[2,3,4] broadcast(p), dimensions={1,2}");
}

TEST(Broadcast, DegenerateDimensionsRepeat) {
  ExpectValue("a = s32[2,1] constant({{10},{20}})\nb = s32[1,3] constant({{1,2,3}})\nx = s32[2,3] broadcast(a), dimensions={0,1}\n"
              "y = s32[2,3] broadcast(b), dimensions={0,1}\nROOT r = s32[2,3] add(x, y)",
              "s32[2,3] constant({{11,12,13},{21,22,23}})");
}

TEST(Broadcast, InDimThenDegenerate) {
  ExpectValue("a = s32[4] constant({1,2,3,4})\nb = s32[1,2] constant({{5,6}})\nx = s32[4,2] broadcast(a), dimensions={0}\n"
              "y = s32[4,2] broadcast(b), dimensions={0,1}\nROOT r = s32[4,2] add(x, y)",
              "s32[4,2] constant({{6,7},{7,8},{8,9},{9,10}})");
}

TEST(Broadcast, IntoAnEmptyArray) { ExpectValue("c = s32[] constant(1)\nROOT r = s32[0,3] broadcast(c), dimensions={}", "s32[0,3] constant({})"); }

TEST(Broadcast, Requirements) {
  const std::string p = "p = f32[3] parameter(0)\n";
  ExpectError("t = token[] after-all()\nROOT r = f32[3] broadcast(t), dimensions={}", "broadcast.array");
  ExpectError(p + "ROOT r = token[] broadcast(p), dimensions={0}", "broadcast.result");
  ExpectError(p + "ROOT r = f32[2,3] broadcast(p), dimensions={}", "broadcast.dimension-count");
  ExpectError(p + "ROOT r = f32[2,3] broadcast(p), dimensions={2}", "broadcast.dimension-range");
  ExpectError("p = f32[3,3] parameter(0)\nROOT r = f32[3,3] broadcast(p), dimensions={1,1}", "broadcast.dimension-repeated");
  ExpectError(p + "ROOT r = f32[2,4] broadcast(p), dimensions={1}", "broadcast.sizes");
  ExpectError(p + "ROOT r = s32[2,3] broadcast(p), dimensions={1}", "verify.shape-mismatch");
}

}  // namespace
}  // namespace hloscope
