// Pad: its rule and its elements.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

std::string Pad(const std::string& type, const std::string& config) {
  return "c = s32[3] constant({1,2,3})\nz = s32[] constant(9)\nROOT r = s32[" + type + "] pad(c, z), padding=" + config;
}

TEST(Pad, LowHighAndInterior) {
  ExpectValue(Pad("6", "1_2"), "s32[6] constant({9,1,2,3,9,9})");
  ExpectValue(Pad("7", "0_0_2"), "s32[7] constant({1,9,9,2,9,9,3})");
  ExpectValue(Pad("8", "1_2_1"), "s32[8] constant({9,1,9,2,9,3,9,9})");
}

TEST(Pad, NegativeCutsOff) {
  ExpectValue(Pad("2", "-1_0"), "s32[2] constant({2,3})");
  ExpectValue(Pad("3", "1_-1"), "s32[3] constant({9,1,2})");
  // Interior padding comes first: 1 9 2 9 3, then one less on each side.
  ExpectValue(Pad("3", "-1_-1_1"), "s32[3] constant({9,2,9})");
  ExpectValue(Pad("0", "-2_-1"), "s32[0] constant({})");
}

TEST(Pad, TwoDimensionsAndEmptyOperand) {
  ExpectValue("c = f32[1,2] constant({{1,2}})\nz = f32[] constant(0)\nROOT r = f32[2,4] pad(c, z), padding=0_1x1_0_1",
              "f32[2,4] constant({{0,1,0,2},{0,0,0,0}})");
  ExpectValue("c = s32[0] constant({})\nz = s32[] constant(4)\nROOT r = s32[2] pad(c, z), padding=1_1_3", "s32[2] constant({4,4})");
}

TEST(Pad, Requirements) {
  const std::string p = "p = s32[3] parameter(0)\nz = s32[] parameter(1)\nf = f32[] parameter(2)\nt = token[] after-all()\n";
  ExpectError(p + "ROOT r = s32[3] pad(p, t), padding=0_0", "pad.array");
  ExpectError(p + "ROOT r = s32[3] pad(p, p), padding=0_0", "pad.scalar");
  ExpectError(p + "ROOT r = s32[3] pad(p, f), padding=0_0", "pad.same-type");
  ExpectError(p + "ROOT r = s32[3] pad(p, z), padding=0_0x0_0", "pad.dimension-count");
  ExpectError(p + "ROOT r = s32[3] pad(p, z), padding=0_0_-1", "pad.interior");
  ExpectError(p + "ROOT r = s32[3] pad(p, z), padding=-2_-2", "pad.size");
  ExpectError(p + "ROOT r = s32[3] pad(p, z), padding=9223372036854775807_9223372036854775807", "pad.size");
}

}  // namespace
}  // namespace hloscope
