// Reshape, with the vectors of Reshape and Collapse.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

const char kCuboid[] = "c = s32[4,2,3] constant({{{10,11,12},{15,16,17}},{{20,21,22},{25,26,27}},{{30,31,32},{35,36,37}},{{40,41,42},{45,46,47}}})\n";

TEST(Reshape, CollapseVectors) {
  ExpectValue(std::string(kCuboid) + "ROOT r = s32[24] reshape(c)",
              "s32[24] constant({10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47})");
  ExpectValue(std::string(kCuboid) + "ROOT r = s32[8,3] reshape(c)",
              "s32[8,3] constant({{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},{40,41,42},{45,46,47}})");
  ExpectValue(std::string(kCuboid) + "ROOT r = s32[4,6] reshape(c)",
              "s32[4,6] constant({{10,11,12,15,16,17},{20,21,22,25,26,27},{30,31,32,35,36,37},{40,41,42,45,46,47}})");
}

TEST(Reshape, AcrossGroupsThatDoNotNest) {
  ExpectValue(std::string(kCuboid) + "ROOT r = s32[3,8] reshape(c)",
              "s32[3,8] constant({{10,11,12,15,16,17,20,21},{22,25,26,27,30,31,32,35},{36,37,40,41,42,45,46,47}})");
  ExpectValue(std::string(kCuboid) + "a = s32[1,6,1,4] reshape(c)\nROOT r = s32[24] reshape(a)",
              "s32[24] constant({10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47})");
}

TEST(Reshape, ScalarsAndEmptyArrays) {
  ExpectValue("c = f32[1,1] constant({{5}})\nROOT r = f32[] reshape(c)", "f32[] constant(5)");
  ExpectValue("c = f32[] constant(5)\nROOT r = f32[1,1] reshape(c)", "f32[1,1] constant({{5}})");
  ExpectValue("c = f32[] constant(5)\nb = f32[0,2] broadcast(c), dimensions={}\nROOT r = f32[3,0] reshape(b)", "f32[3,0] constant({{},{},{}})");
}

TEST(Reshape, Requirements) {
  const std::string p = "p = f32[6] parameter(0)\n";
  ExpectError("t = token[] after-all()\nROOT r = f32[3] reshape(t)", "reshape.array");
  ExpectError(p + "ROOT r = token[] reshape(p)", "reshape.result");
  ExpectError(p + "ROOT r = f32[2,4] reshape(p)", "reshape.element-count");
  ExpectError(p + "ROOT r = s32[2,3] reshape(p)", "verify.shape-mismatch");
}

}  // namespace
}  // namespace hloscope
