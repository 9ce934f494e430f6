// Iota: its rule and its elements.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(Iota, BothDimensions) {
  ExpectValue("ROOT r = s32[4,8] iota(), iota_dimension=0",
              "s32[4,8] constant({{0,0,0,0,0,0,0,0},{1,1,1,1,1,1,1,1},{2,2,2,2,2,2,2,2},{3,3,3,3,3,3,3,3}})");
  ExpectValue("ROOT r = s32[2,8] iota(), iota_dimension=1", "s32[2,8] constant({{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7}})");
}

TEST(Iota, FloatsEqualTheConvertedIntegers) {
  for (const char* type : {"f32", "bf16", "f16"}) {
    const std::string n = std::string(type) + "[300]";
    ExpectValue("i = s32[300] iota(), iota_dimension=0\nROOT r = " + n + " convert(i)", n + " iota(), iota_dimension=0");
  }
  ExpectValue("ROOT r = c64[2] iota(), iota_dimension=0", "c64[2] constant({(0,0),(1,0)})");
}

TEST(Iota, Requirements) {
  ExpectError("ROOT r = s32[] iota(), iota_dimension=0", "iota.result");
  ExpectError("ROOT r = pred[2] iota(), iota_dimension=0", "iota.result");
  ExpectError("ROOT r = s32[2] iota(), iota_dimension=1", "iota.dimension");
}

}  // namespace
}  // namespace hloscope
