// select-and-scatter: overlapping windows, padding, ties, plain loops, and each requirement.
#include "tests/ops/running.h"

namespace hloscope {
namespace {

const std::string kFunctions = ScalarFunction("ge", "f32", "compare", "pred", ", direction=GE") + ScalarFunction("add", "f32", "add");

TEST(SelectAndScatter, OverlappingWindowsCombine) {
  // Both windows of {1, 9, 2} pick the 9: 2 and 6 meet there.
  ExpectValue(ModuleText(kFunctions,
                         "  x = f32[3] constant({1,9,2})\n  s = f32[2] constant({2,6})\n  i = f32[] constant(0)\n"
                         "  ROOT r = f32[3] select-and-scatter(x, s, i), window={size=2}, select=ge, scatter=add"),
              "f32[3] constant({0,8,0})");
}

TEST(SelectAndScatter, TheFirstOfEqualElementsIsKept) {
  ExpectValue(ModuleText(kFunctions,
                         "  x = f32[4] constant({5,5,5,5})\n  s = f32[2] constant({1,2})\n  i = f32[] constant(100)\n"
                         "  ROOT r = f32[4] select-and-scatter(x, s, i), window={size=2 stride=2}, select=ge, scatter=add"),
              "f32[4] constant({101,100,102,100})");
}

TEST(SelectAndScatter, LikePlainLoops) {
  const int h = 7, w = 6, sh = 2, sw = 1, kh = 3, kw = 2, ph = 1, pw = 1;
  const int oh = (h + 2 * ph - kh) / sh + 1, ow = (w + pw - kw) / sw + 1;
  const Value x = RandomF32({h, w}, 5), s = RandomF32({oh, ow}, 6);
  std::vector<double> wanted(h * w, 0.25);
  for (int a = 0; a < oh; ++a) {
    for (int b = 0; b < ow; ++b) {
      int best = -1;
      for (int i = 0; i < kh; ++i) {
        for (int j = 0; j < kw; ++j) {
          const int y = a * sh + i - ph, z = b * sw + j - pw;
          if (y < 0 || y >= h || z < 0 || z >= w) continue;
          if (best < 0 || !(x.as<float>()[best] >= x.as<float>()[y * w + z])) best = y * w + z;
        }
      }
      wanted[best] = static_cast<float>(wanted[best]) + s.as<float>()[a * ow + b];
    }
  }
  auto r =
      RunText(ModuleText(kFunctions,
                         absl::StrCat("  x = f32[", h, ",", w, "] parameter(0)\n  s = f32[", oh, ",", ow,
                                      "] parameter(1)\n  i = f32[] constant(0.25)\n  ROOT r = f32[", h, ",", w,
                                      "] select-and-scatter(x, s, i), window={size=3x2 stride=2x1 pad=1_1x1_0}, select=ge, scatter=add")),
              {x, s});
  ASSERT_TRUE(r.ok()) << r.status();
  ExpectNear(*r, wanted, 1e-6);
}

TEST(SelectAndScatter, Requirements) {
  const std::string x =
      "  x = f32[4] parameter(0)\n  s = f32[3] parameter(1)\n  i = f32[] parameter(2)\n  n = s32[3] parameter(3)\n  v = f32[2] "
      "parameter(4)\n  t = (f32[4]) parameter(5)\n  ROOT r = f32[4] ";
  const auto expect = [&](const std::string& instruction, const std::string& label) {
    ExpectError(ModuleText(kFunctions, x + instruction), label);
  };
  ExpectAccepted(ModuleText(kFunctions, x + "select-and-scatter(x, s, i), window={size=2}, select=ge, scatter=add"));
  expect("select-and-scatter(t, s, i), window={size=2}, select=ge, scatter=add", "select-and-scatter.operand-arrays");
  expect("select-and-scatter(x, n, i), window={size=2}, select=ge, scatter=add", "select-and-scatter.source-type");
  expect("select-and-scatter(x, s, s), window={size=2}, select=ge, scatter=add", "select-and-scatter.init-scalar");
  expect("select-and-scatter(x, s, i), window={size=2x2}, select=ge, scatter=add", "select-and-scatter.window-rank");
  expect("select-and-scatter(x, s, i), window={size=2 rhs_dilate=2}, select=ge, scatter=add", "select-and-scatter.window-numbers");
  expect("select-and-scatter(x, v, i), window={size=2}, select=ge, scatter=add", "select-and-scatter.source-dimensions");
  expect("select-and-scatter(x, s, i), window={size=2}, select=add, scatter=add", "select-and-scatter.select-signature");
  expect("select-and-scatter(x, s, i), window={size=2}, select=ge, scatter=ge", "select-and-scatter.scatter-signature");
}

}  // namespace
}  // namespace hloscope
