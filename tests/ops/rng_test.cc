// rng: ranges, moments, the same numbers for the same seed; each requirement.
#include "tests/ops/running.h"

namespace hloscope {
namespace {

const char kUniform[] = "  a = f32[] constant(-2)\n  b = f32[] constant(3)\n  ROOT r = f32[20000] rng(a, b), distribution=rng_uniform";
const char kNormal[] = "  a = f32[] constant(5)\n  b = f32[] constant(2)\n  ROOT r = f32[20000] rng(a, b), distribution=rng_normal";

TEST(Rng, UniformFillsItsRange) {
  auto r = RunText(kUniform, {}, 7);
  ASSERT_TRUE(r.ok()) << r.status();
  double sum = 0, low = 9, high = -9;
  for (int k = 0; k < 20000; ++k) {
    const double v = r->as<float>()[k];
    sum += v, low = std::min(low, v), high = std::max(high, v);
  }
  EXPECT_GE(low, -2);
  EXPECT_LT(high, 3);
  EXPECT_LT(low, -1.99);
  EXPECT_GT(high, 2.99);
  EXPECT_NEAR(sum / 20000, 0.5, 0.05);
}

TEST(Rng, NormalHasItsMoments) {
  auto r = RunText(kNormal, {}, 7);
  ASSERT_TRUE(r.ok()) << r.status();
  double sum = 0, squares = 0;
  for (int k = 0; k < 20000; ++k) sum += r->as<float>()[k], squares += std::pow(r->as<float>()[k] - 5, 2);
  EXPECT_NEAR(sum / 20000, 5, 0.06);
  EXPECT_NEAR(squares / 20000, 4, 0.15);
}

TEST(Rng, TheSeedDecides) {
  auto a = RunText(kUniform, {}, 7), b = RunText(kUniform, {}, 7), c = RunText(kUniform, {}, 8);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_TRUE(Value::BitEqual(*a, *b));
  EXPECT_FALSE(Value::BitEqual(*a, *c));
}

TEST(Rng, NarrowAndIntegerTypesStayBelowTheirBound) {
  auto r = RunText("  a = bf16[] constant(0)\n  b = bf16[] constant(1)\n  ROOT r = bf16[5000] rng(a, b), distribution=rng_uniform", {}, 1);
  ASSERT_TRUE(r.ok()) << r.status();
  for (int k = 0; k < 5000; ++k) ASSERT_LT(r->as<uint16_t>()[k], 0x3f80);
  r = RunText("  a = s32[] constant(-3)\n  b = s32[] constant(4)\n  ROOT r = s32[1000] rng(a, b), distribution=rng_uniform", {}, 1);
  ASSERT_TRUE(r.ok()) << r.status();
  std::vector<int> seen(7);
  for (int k = 0; k < 1000; ++k) {
    ASSERT_GE(r->as<int32_t>()[k], -3);
    ASSERT_LT(r->as<int32_t>()[k], 4);
    ++seen[r->as<int32_t>()[k] + 3];
  }
  for (int n : seen) EXPECT_GT(n, 80);
}

TEST(Rng, GetAndUpdateState) {
  auto r = RunText("  ROOT r = u64[2] rng-get-and-update-state(), delta=4", {}, 3);
  ASSERT_TRUE(r.ok()) << r.status();
  EXPECT_NE(r->as<uint64_t>()[0], r->as<uint64_t>()[1]);
  ExpectError("  ROOT r = f32[2] rng-get-and-update-state(), delta=4", "rng-get-and-update-state.shape");
}

TEST(Rng, Requirements) {
  const std::string x =
      "  a = f32[] parameter(0)\n  v = f32[2] parameter(1)\n  n = s32[] parameter(2)\n  c = c64[] parameter(3)\n  t = (f32[]) "
      "parameter(4)\n  ROOT r = ";
  ExpectError(x + "f32[2] rng(a, t), distribution=rng_uniform", "rng.operand-arrays");
  ExpectError(x + "f32[2] rng(a, a), distribution=rng_zipf", "rng.distribution");
  ExpectError(x + "f32[2] rng(a, v), distribution=rng_uniform", "rng.operand-scalars");
  ExpectError(x + "s32[2] rng(n, n), distribution=rng_normal", "rng.element-type");
  ExpectError(x + "c64[2] rng(c, c), distribution=rng_uniform", "rng.element-type");
  ExpectError(x + "f64[2] rng(a, a), distribution=rng_uniform", "rng.shape");
}

}  // namespace
}  // namespace hloscope
