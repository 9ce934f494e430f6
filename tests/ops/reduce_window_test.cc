// reduce-window: the specification's vectors, plain loops over random windows, and each requirement.
#include "core/ops/rules.h"
#include "tests/ops/running.h"

namespace hloscope {
namespace {

TEST(ReduceWindow, Vectors) {
  const std::string min = ScalarFunction("min", "f32", "minimum");
  const std::string x = "  x = f32[5] constant({10000,1000,100,10,1})\n  i = f32[] constant(inf)\n  ROOT r = ";
  ExpectValue(ModuleText(min, x + "f32[2] reduce-window(x, i), window={size=3 stride=2}, to_apply=min"), "f32[2] constant({100,1})");
  ExpectValue(ModuleText(min, x + "f32[3] reduce-window(x, i), window={size=3 stride=2 pad=1_1}, to_apply=min"),
              "f32[3] constant({1000,10,1})");
  const Value a = RandomF32({4, 6}, 3);
  auto r = RunText(ModuleText(ScalarFunction("max", "f32", "maximum"),
                              "  x = f32[4,6] parameter(0)\n  i = f32[] constant(-inf)\n  ROOT r = f32[2,2] reduce-window(x, i), "
                              "window={size=2x3 stride=2x3}, to_apply=max"),
                   {a});
  ASSERT_TRUE(r.ok()) << r.status();
  std::vector<double> wanted(4, -1e9);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 6; ++j) wanted[i / 2 * 2 + j / 3] = std::max(wanted[i / 2 * 2 + j / 3], double{a.as<float>()[i * 6 + j]});
  }
  ExpectNear(*r, wanted, 0);
}

TEST(ReduceWindow, TheRimCountsAsNothing) {
  // The initial value 1 is the left argument of each window once, and only once.
  ExpectValue(ModuleText(ScalarFunction("add", "s32", "add"),
                         "  x = s32[3] constant({10,20,30})\n  i = s32[] constant(1)\n  ROOT r = s32[5] reduce-window(x, i), "
                         "window={size=3 pad=2_2}, to_apply=add"),
              "s32[5] constant({11,31,61,51,31})");
  ExpectValue(ModuleText(ScalarFunction("sub", "s32", "subtract"),
                         "  x = s32[3] constant({10,20,30})\n  i = s32[] constant(1)\n  ROOT r = s32[5] reduce-window(x, i), "
                         "window={size=3 pad=2_2}, to_apply=sub"),
              "s32[5] constant({-9,-29,-59,-49,-29})");
}

struct Case {
  int64_t size, stride, low, high, base, window;
};

// One dimension by plain loops; -2 and -1 mark nothing.
std::vector<double> Plain(const std::vector<double>& x, const Case& c, bool subtract) {
  const int64_t n = static_cast<int64_t>(x.size());
  const int64_t padded = (n - 1) * c.base + 1 + c.low + c.high, reach = (c.size - 1) * c.window + 1;
  std::vector<double> out;
  for (int64_t start = 0; start + reach <= padded; start += c.stride) {
    double acc = 3;
    for (int64_t k = 0; k < c.size; ++k) {
      const int64_t at = start + k * c.window - c.low;
      if (at < 0 || at % c.base != 0 || at / c.base >= n) continue;
      acc = subtract ? acc - x[at / c.base] : acc + x[at / c.base];
    }
    out.push_back(acc);
  }
  return out;
}

TEST(ReduceWindow, DilationAndPaddingLikePlainLoops) {
  const Case cases[] = {{3, 1, 0, 0, 1, 1}, {3, 2, 1, 2, 1, 1},   {2, 1, 0, 3, 2, 1},  {3, 1, 2, 2, 1, 2},
                        {2, 3, 4, 1, 3, 2}, {20, 1, 19, 0, 1, 1}, {4, 1, -2, 1, 1, 1}, {3, 2, 1, -3, 2, 2}};
  for (const Case& c : cases) {
    for (bool subtract : {false, true}) {
      std::vector<double> x;
      std::vector<int32_t> xi;
      for (int k = 0; k < 11; ++k) xi.push_back(k * k - 7), x.push_back(k * k - 7);
      const std::vector<double> wanted = Plain(x, c, subtract);
      auto r = RunText(ModuleText(ScalarFunction("f", "s32", subtract ? "subtract" : "add"),
                                  absl::StrCat("  x = s32[11] parameter(0)\n  i = s32[] constant(3)\n  ROOT r = s32[", wanted.size(),
                                               "] reduce-window(x, i), window={size=", c.size, " stride=", c.stride, " pad=", c.low, "_",
                                               c.high, " lhs_dilate=", c.base, " rhs_dilate=", c.window, "}, to_apply=f")),
                       {FromVector<int32_t>(ElementType::kS32, {11}, xi)});
      ASSERT_TRUE(r.ok()) << r.status();
      ExpectNear(*r, wanted, 0);
    }
  }
}

TEST(ReduceWindow, SeveralArrays) {
  const std::string f =
      "f {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n  c = s32[] parameter(2)\n  d = s32[] parameter(3)\n  s = s32[] add(a, "
      "c)\n  m = s32[] maximum(b, d)\n"
      "  ROOT r = (s32[], s32[]) tuple(s, m)\n}\n";
  const std::string entry =
      "  x = s32[4] constant({1,2,3,4})\n  y = s32[4] constant({5,1,7,2})\n  i = s32[] constant(0)\n  b = (s32[3], s32[3]) "
      "reduce-window(x, y, i, i), window={size=2}, to_apply=f\n";
  ExpectValue(ModuleText(f, entry + "  ROOT g = s32[3] get-tuple-element(b), index=0"), "s32[3] constant({3,5,7})");
  ExpectValue(ModuleText(f, entry + "  ROOT g = s32[3] get-tuple-element(b), index=1"), "s32[3] constant({5,7,7})");
}

TEST(ReduceWindow, Requirements) {
  const std::string add = ScalarFunction("add", "f32", "add");
  const std::string x =
      "  x = f32[4] parameter(0)\n  y = f32[5] parameter(1)\n  i = f32[] parameter(2)\n  n = s32[] parameter(3)\n  t = (f32[4]) "
      "parameter(4)\n  ROOT r = ";
  const auto expect = [&](const std::string& instruction, const std::string& label) {
    ExpectError(ModuleText(add, x + instruction), label);
  };
  expect("f32[3] reduce-window(x, x, i), window={size=2}, to_apply=add", "reduce-window.operand-count");
  expect("f32[3] reduce-window(t, i), window={size=2}, to_apply=add", "reduce-window.operand-arrays");
  expect("f32[3] reduce-window(x, n), window={size=2}, to_apply=add", "reduce-window.init-scalar");
  expect("f32[3] reduce-window(x, i), window={size=2x2}, to_apply=add", "reduce-window.window-rank");
  expect("f32[3] reduce-window(x, i), window={size=2 stride=0}, to_apply=add", "reduce-window.window-numbers");
  expect("f32[3] reduce-window(x, i), window={size=0}, to_apply=add", "reduce-window.window-numbers");
  const std::string two =
      "two {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n  d = f32[] parameter(3)\n  ROOT r = (f32[], "
      "f32[]) tuple(a, b)\n}\n";
  ExpectError(ModuleText(two, x + "(f32[3], f32[3]) reduce-window(x, y, i, i), window={size=2}, to_apply=two"),
              "reduce-window.same-dimensions");
  ExpectError(ModuleText(two, x + "f32[3] reduce-window(x, i), window={size=2}, to_apply=two"), "reduce-window.reducer-signature");
}

}  // namespace
}  // namespace hloscope
