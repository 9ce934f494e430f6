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

TEST(Bitcast, Requirements) {
  ExpectError("t = token[] after-all()\nROOT r = f32[3] bitcast(t)", "bitcast.array");
  ExpectError("p = f32[3] parameter(0)\nROOT r = token[] bitcast(p)", "bitcast.result");
  ExpectError("p = f32[3] parameter(0)\nROOT r = f32[4] bitcast(p)", "bitcast.size");
}

}  // namespace
}  // namespace hloscope
