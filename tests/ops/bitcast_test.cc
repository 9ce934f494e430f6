// Bitcast: a reshape in memory order.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(Bitcast, WithoutLayoutsIsAReshape) {
  ExpectValue("c = s32[2,3] constant({{1,2,3},{4,5,6}})\nROOT r = s32[3,2] bitcast(c)", "s32[3,2] constant({{1,2},{3,4},{5,6}})");
}

TEST(Bitcast, LayoutsMakeItATranspose) {
  ExpectValue("c = s32[2,3]{1,0} constant({{1,2,3},{4,5,6}})\nROOT r = s32[3,2]{0,1} bitcast(c)", "s32[3,2] constant({{1,4},{2,5},{3,6}})");
  // Memory holds 1 4 2 5 3 6; read in rows of three.
  ExpectValue("c = s32[2,3]{0,1} constant({{1,2,3},{4,5,6}})\nROOT r = s32[2,3]{1,0} bitcast(c)", "s32[2,3] constant({{1,4,2},{5,3,6}})");
}

TEST(Bitcast, ReinterpretsEqualWidths) {
  ExpectValue("c = f32[2] constant({1,-0})\nROOT r = s32[2] bitcast(c)", "s32[2] constant({1065353216,-2147483648})");
}

TEST(Bitcast, SeesPaddingAndTiles) {
  ExpectValue("k = s32[2,3] constant({{1,2,3},{4,5,6}})\nc = s32[2,3]{1,0:PAD(2,4)=highest} copy(k)\nROOT r = s32[8] bitcast(c)",
              "s32[8] constant({1,2,3,2147483647,4,5,6,2147483647})");
  ExpectValue("k = s32[3,3] constant({{1,2,3},{4,5,6},{7,8,9}})\nc = s32[3,3]{1,0:T(2,2)} copy(k)\nROOT r = s32[16] bitcast(c)",
              "s32[16] constant({1,2,4,5,3,0,6,0,7,8,0,0,9,0,0,0})");
  ExpectValue("k = s32[16] iota(), iota_dimension=0\nROOT r = s32[3,3]{1,0:T(2,2)} bitcast(k)", "s32[3,3] constant({{0,1,4},{2,3,6},{8,9,12}})");
  ExpectError("p = f32[3,3]{1,0:T(2,2)} parameter(0)\nROOT r = f32[15] bitcast(p)", "bitcast.size");
}

TEST(Bitcast, Requirements) {
  ExpectError("t = token[] after-all()\nROOT r = f32[3] bitcast(t)", "bitcast.array");
  ExpectError("p = f32[3] parameter(0)\nROOT r = token[] bitcast(p)", "bitcast.result");
  ExpectError("p = f32[3] parameter(0)\nROOT r = f32[4] bitcast(p)", "bitcast.size");
}

TEST(Bitcast, WidthsThatDoNotDivide) { ExpectError("x = f8e5m2[6] parameter(0)\nROOT r = f6e2m3fn[8] bitcast(x)", "bitcast.width"); }

}  // namespace
}  // namespace hloscope
