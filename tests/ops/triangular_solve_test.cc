// triangular-solve: every combination of side, triangle, transpose and diagonal multiplies back, real and complex; each requirement.
#include <complex>

#include "tests/ops/running.h"

namespace hloscope {
namespace {

using Complex = std::complex<float>;

template <typename T>
T Make(std::mt19937& random);
template <>
float Make(std::mt19937& random) {
  return static_cast<float>(random() % 2001) / 1000 - 1;
}
template <>
Complex Make(std::mt19937& random) {
  return {Make<float>(random), Make<float>(random)};
}
float Conjugate(float v) { return v; }
Complex Conjugate(Complex v) { return std::conj(v); }

template <typename T>
void CheckAll(ElementType type) {
  const int n = 5, m = 3, batches = 2;
  std::mt19937 random(7);
  std::vector<T> a(batches * n * n), b(batches * n * m);
  for (T& v : a) v = Make<T>(random);
  for (T& v : b) v = Make<T>(random);
  for (int p = 0; p < batches; ++p) {
    for (int k = 0; k < n; ++k) a[(p * n + k) * n + k] += T(3);
  }
  for (bool left : {true, false}) {
    for (bool lower : {true, false}) {
      for (bool unit : {true, false}) {
        for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"}) {
          const std::vector<int64_t> b_dims = left ? std::vector<int64_t>{batches, n, m} : std::vector<int64_t>{batches, m, n};
          const std::string bs = absl::StrCat(Name(type), "[", absl::StrJoin(b_dims, ","), "]");
          auto r =
              RunText(absl::StrCat("  a = ", Name(type), "[2,5,5] parameter(0)\n  b = ", bs, " parameter(1)\n  ROOT r = ", bs,
                                   " triangular-solve(a, b), left_side=", left ? "true" : "false", ", lower=", lower ? "true" : "false",
                                   ", unit_diagonal=", unit ? "true" : "false", ", transpose_a=", transpose),
                      {FromVector<T>(type, {batches, n, n}, a), FromVector<T>(type, b_dims, b)});
          ASSERT_TRUE(r.ok()) << r.status();
          const T* x = r->template as<T>();
          const auto op = [&](int p, int i, int j) {
            const bool turn = transpose[0] != 'N';
            const int r0 = turn ? j : i, c0 = turn ? i : j;
            if (r0 == c0 && unit) return T(1);
            if (lower ? c0 > r0 : c0 < r0) return T(0);
            const T v = a[(p * n + r0) * n + c0];
            return transpose[0] == 'A' ? Conjugate(v) : v;
          };
          for (int p = 0; p < batches; ++p) {
            for (int i = 0; i < (left ? n : m); ++i) {
              for (int j = 0; j < (left ? m : n); ++j) {
                T sum = 0;
                for (int k = 0; k < n; ++k) sum += left ? op(p, i, k) * x[(p * n + k) * m + j] : x[(p * m + i) * n + k] * op(p, k, j);
                ASSERT_LT(std::abs(sum - b[left ? (p * n + i) * m + j : (p * m + i) * n + j]), 2e-5) << transpose << left << lower << unit;
              }
            }
          }
        }
      }
    }
  }
}

TEST(TriangularSolve, RealMultipliesBack) { CheckAll<float>(ElementType::kF32); }
TEST(TriangularSolve, ComplexMultipliesBack) { CheckAll<Complex>(ElementType::kC64); }

TEST(TriangularSolve, Requirements) {
  const std::string x =
      "  a = f32[3,3] parameter(0)\n  b = f32[3,2] parameter(1)\n  c = f32[4,3] parameter(2)\n  d = f64[3,2] parameter(3)\n  e = "
      "f32[1,3,2] parameter(4)\n  t = (f32[3]) parameter(5)\n  ROOT r = f32[3,2] ";
  ExpectAccepted(x + "triangular-solve(a, b), left_side=true, lower=true, transpose_a=NO_TRANSPOSE");
  ExpectError(x + "triangular-solve(t, b), left_side=true", "triangular-solve.operand-arrays");
  ExpectError(x + "triangular-solve(a, d), left_side=true", "triangular-solve.element-types");
  ExpectError(x + "triangular-solve(b, b), left_side=true", "triangular-solve.square");
  ExpectError(x + "triangular-solve(a, e), left_side=true", "triangular-solve.batch");
  ExpectError(x + "triangular-solve(a, c), left_side=true", "triangular-solve.sizes");
  ExpectError(x + "triangular-solve(a, b), left_side=false", "triangular-solve.sizes");
  ExpectError(x + "triangular-solve(a, b), left_side=true, transpose_a=SIDEWAYS", "triangular-solve.transpose-a");
}

}  // namespace
}  // namespace hloscope
