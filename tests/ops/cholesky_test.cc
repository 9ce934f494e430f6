// cholesky: factors multiply back to the matrix, one triangle is read, NaN where there is no factor, and each requirement.
#include <complex>

#include "tests/ops/running.h"

namespace hloscope {
namespace {

TEST(Cholesky, SmallMatrices) {
  ExpectValue("  a = f32[2,2] constant({{4,99},{2,5}})\n  ROOT r = f32[2,2] cholesky(a), lower=true", "f32[2,2] constant({{2,0},{1,2}})");
  ExpectValue("  a = f32[2,2] constant({{4,2},{99,5}})\n  ROOT r = f32[2,2] cholesky(a)", "f32[2,2] constant({{2,1},{0,2}})");
  ExpectValue("  a = c64[2,2] constant({{(4,0),(9,9)},{(0,2),(5,0)}})\n  ROOT r = c64[2,2] cholesky(a), lower=true",
              "c64[2,2] constant({{(2,0),(0,0)},{(0,1),(2,0)}})");
  ExpectValue("  a = c64[2,2] constant({{(4,0),(0,-2)},{(9,9),(5,0)}})\n  ROOT r = c64[2,2] cholesky(a), lower=false",
              "c64[2,2] constant({{(2,0),(0,-1)},{(0,0),(2,0)}})");
}

TEST(Cholesky, BatchesMultiplyBack) {
  const int batches = 3, n = 9;
  const Value g = RandomF32({batches, n, n}, 4);
  Value a = Value::Allocate(g.shape());
  for (int b = 0; b < batches; ++b) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = i == j ? 1 : 0;
        for (int k = 0; k < n; ++k) sum += double{g.as<float>()[(b * n + i) * n + k]} * g.as<float>()[(b * n + j) * n + k];
        a.mutable_as<float>()[(b * n + i) * n + j] = static_cast<float>(sum);
      }
    }
  }
  for (bool lower : {true, false}) {
    auto r =
        RunText(absl::StrCat("  a = f32[3,9,9] parameter(0)\n  ROOT r = f32[3,9,9] cholesky(a), lower=", lower ? "true" : "false"), {a});
    ASSERT_TRUE(r.ok()) << r.status();
    std::vector<double> wanted(a.as<float>(), a.as<float>() + a.element_count());
    Value product = Value::Allocate(a.shape());
    for (int b = 0; b < batches; ++b) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int k = 0; k < n; ++k) {
            const float* l = r->as<float>() + b * n * n;
            sum += lower ? double{l[i * n + k]} * l[j * n + k] : double{l[k * n + i]} * l[k * n + j];
          }
          product.mutable_as<float>()[(b * n + i) * n + j] = static_cast<float>(sum);
        }
      }
    }
    ExpectNear(product, wanted, 1e-5);
  }
}

TEST(Cholesky, NotPositiveDefiniteGivesNaNInThatBatchOnly) {
  auto r = RunText("  a = f32[2,2,2] constant({{{1,2},{2,1}},{{1,0},{0,1}}})\n  ROOT r = f32[2,2,2] cholesky(a), lower=true");
  ASSERT_TRUE(r.ok()) << r.status();
  for (int k = 0; k < 4; ++k) EXPECT_TRUE(std::isnan(r->as<float>()[k]));
  EXPECT_EQ(r->as<float>()[4], 1);
  EXPECT_EQ(r->as<float>()[5], 0);
}

TEST(Cholesky, Requirements) {
  ExpectError("  a = (f32[2,2]) parameter(0)\n  ROOT r = f32[2,2] cholesky(a)", "cholesky.operand-array");
  ExpectError("  a = s32[2,2] parameter(0)\n  ROOT r = s32[2,2] cholesky(a)", "cholesky.element-type");
  ExpectError("  a = f32[2,3] parameter(0)\n  ROOT r = f32[2,3] cholesky(a)", "cholesky.square");
  ExpectError("  a = f32[2] parameter(0)\n  ROOT r = f32[2] cholesky(a)", "cholesky.square");
}

}  // namespace
}  // namespace hloscope
