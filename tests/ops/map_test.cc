// Map: a scalar computation at every index, inlined.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

const char kComputations[] =
    "axpy { x = f32[] parameter(0)\n y = f32[] parameter(1)\n two = f32[] constant(2)\n m = f32[] multiply(x, two)\n ROOT s = f32[] add(m, y) }\n"
    "isless { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = pred[] compare(x, y), direction=LT }\n"
    "nested { x = f32[] parameter(0)\n y = f32[] parameter(1)\n c = f32[] call(x, y), to_apply=axpy\n t = (f32[], f32[]) tuple(c, y)\n"
    " g = f32[] get-tuple-element(t), index=0\n b = f32[1] reshape(g)\n v = f32[3] constant({10,20,30})\n w = f32[1] slice(v), slice={[1:2]}\n"
    " a = f32[1] add(b, w)\n ROOT r = f32[] reshape(a) }\n"
    "array { x = f32[2] parameter(0)\n y = f32[2] parameter(1)\n ROOT s = f32[2] add(x, y) }\n"
    "pair { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT s = (f32[], f32[]) tuple(x, y) }\n"
    "loopy { x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT w = f32[] while(x), condition=yes, body=id }\n"
    "yes { x = f32[] parameter(0)\n ROOT p = pred[] constant(false) }\n"
    "id { ROOT x = f32[] parameter(0) }\n";

std::string Map(const std::string& result, const std::string& attributes) {
  return std::string(kComputations) + "ENTRY main {\na = f32[2] constant({1,2})\nb = f32[2] constant({10,1})\nROOT r = " + result + " map(a, b), " + attributes + "\n}\n";
}

TEST(Map, AppliesTheComputation) {
  ExpectValue(Map("f32[2]", "dimensions={0}, to_apply=axpy"), "f32[2] constant({12,5})");
  ExpectValue(Map("pred[2]", "dimensions={0}, to_apply=isless"), "pred[2] constant({true,false})");
}

TEST(Map, InlinesCallsTuplesAndSmallArrays) { ExpectValue(Map("f32[2]", "dimensions={0}, to_apply=nested"), "f32[2] constant({32,25})"); }

TEST(Map, SaysWhatCannotBeInlined) {
  const absl::StatusOr<Value> value = EvaluateText(Map("f32[2]", "dimensions={0}, to_apply=loopy"));
  EXPECT_EQ(value.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_NE(std::string(value.status().message()).find("while %w"), std::string::npos) << value.status();
}

TEST(Map, Requirements) {
  ExpectError("id { ROOT x = f32[] parameter(0) }\nENTRY main {\nt = token[] after-all()\nROOT r = f32[2] map(t), dimensions={}, to_apply=id\n}\n", "map.array");
  ExpectError(std::string(kComputations) + "ENTRY main {\na = f32[2] parameter(0)\nb = f32[3] parameter(1)\nROOT r = f32[2] map(a, b), dimensions={0}, to_apply=axpy\n}\n",
              "map.same-dimensions");
  ExpectError(Map("f32[2]", "dimensions={}, to_apply=axpy"), "map.dimensions");
  ExpectError(Map("f32[2]", "dimensions={0}, to_apply=id"), "map.parameter-count");
  ExpectError(Map("f32[2]", "dimensions={0}, to_apply=array"), "map.parameter-type");
  ExpectError(Map("f32[2]", "dimensions={0}, to_apply=pair"), "map.scalar-result");
}

}  // namespace
}  // namespace hloscope
