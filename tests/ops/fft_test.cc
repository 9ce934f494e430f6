// fft: against sums taken from the definition, for lengths of every kind and up to three axes; round trips; each requirement.
#include <complex>

#include "tests/ops/running.h"

namespace hloscope {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> RandomComplex(int64_t n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Complex> x(n);
  for (Complex& v : x) v = {static_cast<double>(random() % 2001) / 1000 - 1, static_cast<double>(random() % 2001) / 1000 - 1};
  return x;
}

// The definition, along axis d.
std::vector<Complex> Plain(const std::vector<Complex>& x, const std::vector<int64_t>& dims, int d, bool inverse) {
  int64_t stride = 1;
  for (size_t k = d + 1; k < dims.size(); ++k) stride *= dims[k];
  const int64_t n = dims[d];
  std::vector<Complex> out(x.size());
  for (int64_t e = 0; e < static_cast<int64_t>(x.size()); ++e) {
    const int64_t k = e / stride % n, base = e - k * stride;
    Complex sum = 0;
    for (int64_t j = 0; j < n; ++j)
      sum += x[base + j * stride] *
             std::polar(1.0, (inverse ? 2 : -2) * 3.141592653589793 * static_cast<double>(j * k % n) / static_cast<double>(n));
    out[e] = inverse ? sum / static_cast<double>(n) : sum;
  }
  return out;
}

void ExpectComplex(const Value& v, const std::vector<Complex>& wanted, double tolerance) {
  ASSERT_EQ(v.element_count(), static_cast<int64_t>(wanted.size()));
  for (size_t i = 0; i < wanted.size(); ++i) ASSERT_LT(std::abs(v.as<Complex>()[i] - wanted[i]), tolerance) << i;
}

TEST(Fft, LengthsOfEveryKind) {
  for (int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 30, 31, 37, 49, 60, 64, 74, 97, 101, 128, 210}) {
    const std::vector<Complex> x = RandomComplex(2 * n, static_cast<uint32_t>(n));
    for (bool inverse : {false, true}) {
      auto r = RunText(absl::StrCat("  x = c128[2,", n, "] parameter(0)\n  ROOT r = c128[2,", n,
                                    "] fft(x), fft_type=", inverse ? "IFFT" : "FFT", ", fft_length={", n, "}"),
                       {FromVector<Complex>(ElementType::kC128, {2, n}, x)});
      ASSERT_TRUE(r.ok()) << r.status();
      SCOPED_TRACE(n);
      ExpectComplex(*r, Plain(x, {2, n}, 1, inverse), 1e-12 * static_cast<double>(n + 10));
    }
  }
}

TEST(Fft, ThreeAxes) {
  const std::vector<int64_t> dims = {2, 3, 4, 5};
  const std::vector<Complex> x = RandomComplex(120, 9);
  auto r = RunText("  x = c128[2,3,4,5] parameter(0)\n  ROOT r = c128[2,3,4,5] fft(x), fft_type=FFT, fft_length={3,4,5}",
                   {FromVector<Complex>(ElementType::kC128, dims, x)});
  ASSERT_TRUE(r.ok()) << r.status();
  ExpectComplex(*r, Plain(Plain(Plain(x, dims, 3, false), dims, 2, false), dims, 1, false), 1e-11);
}

TEST(Fft, RealTransformsThereAndBack) {
  for (int64_t n : {1, 2, 7, 8, 9}) {
    const std::vector<int64_t> dims = {3, 4, n};
    std::vector<Complex> x = RandomComplex(12 * n, 4);
    std::vector<double> reals;
    for (Complex& v : x) v.imag(0), reals.push_back(v.real());
    const int64_t half = n / 2 + 1;
    const std::string real = absl::StrCat("f64[3,4,", n, "]"), complex = absl::StrCat("c128[3,4,", half, "]"),
                      length = absl::StrCat("fft_length={4,", n, "}");
    auto r = RunText(absl::StrCat("  x = ", real, " parameter(0)\n  ROOT r = ", complex, " fft(x), fft_type=RFFT, ", length),
                     {FromVector<double>(ElementType::kF64, dims, reals)});
    ASSERT_TRUE(r.ok()) << r.status();
    const std::vector<Complex> full = Plain(Plain(x, dims, 2, false), dims, 1, false);
    std::vector<Complex> wanted;
    for (size_t e = 0; e < full.size(); ++e) {
      if (static_cast<int64_t>(e) % n < half) wanted.push_back(full[e]);
    }
    ExpectComplex(*r, wanted, 1e-11);
    auto back = RunText(absl::StrCat("  x = ", complex, " parameter(0)\n  ROOT r = ", real, " fft(x), fft_type=IRFFT, ", length), {*r});
    ASSERT_TRUE(back.ok()) << back.status();
    ExpectNear(*back, reals, 1e-12);
  }
}

TEST(Fft, SinglePrecision) {
  ExpectValue("  x = f32[4] constant({1,2,3,4})\n  ROOT r = c64[3] fft(x), fft_type=RFFT, fft_length={4}",
              "c64[3] constant({(10,0),(-2,2),(-2,0)})");
}

TEST(Fft, Requirements) {
  const std::string x = "  x = c64[4,5] parameter(0)\n  f = f32[4,5] parameter(1)\n  t = (f32[3]) parameter(2)\n  ROOT r = ";
  ExpectError(x + "c64[4,5] fft(t), fft_type=FFT, fft_length={5}", "fft.operand-array");
  ExpectError(x + "c64[4,5] fft(x), fft_type=DCT, fft_length={5}", "fft.type");
  ExpectError(x + "c64[4,5] fft(f), fft_type=FFT, fft_length={5}", "fft.element-type");
  ExpectError(x + "c64[4,3] fft(x), fft_type=RFFT, fft_length={5}", "fft.element-type");
  ExpectError(x + "c64[4,5] fft(x), fft_type=FFT, fft_length={1,4,5}", "fft.axes");
  ExpectError(x + "c64[4,5] fft(x), fft_type=FFT, fft_length={4}", "fft.length");
  ExpectError(x + "f32[4,5] fft(x), fft_type=IRFFT, fft_length={5}", "fft.length");
}

}  // namespace
}  // namespace hloscope
