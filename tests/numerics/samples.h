// Arguments that functions are hard at: every exponent, zeros and ones and multiples of pi with their neighbours, denormals, the ends.
#ifndef HLOSCOPE_TESTS_NUMERICS_SAMPLES_H_
#define HLOSCOPE_TESTS_NUMERICS_SAMPLES_H_

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>

#include "core/literal/scalar.h"

namespace hloscope {

class ArgumentSamples {
 public:
  ArgumentSamples(ElementType type, uint64_t seed) : type_(RealTypeOf(type)), random_(seed) {
    for (double v : {0.0, 1.0, 2.0, 0.5, 3.0, 10.0, 88.72283935546875, 709.782712893384, 103.9, 745.2, 1.5707963267948966, 3.141592653589793,
                     6.283185307179586, 1e10, 1e22, 0.34657359027997264, 0.7071067811865476, 1.4142135623730951, 20.0, 71000.0, 0.25, 0.92,
                     4.0, 1e30, 6e-8, 1e-5, 16.0, 37.0, 1024.0, 5.9, 27.0}) {
      for (double w : {v, -v}) {
        const double x = Round(w);
        edges_.push_back(x);
        edges_.push_back(Next(x, 1e308));
        edges_.push_back(Next(x, -1e308));
      }
    }
    const double tiny = UlpAt(type_, 0), normal = tiny / (2 * UnitRoundoff(type_));
    const double max = Round((2 - 2 * UnitRoundoff(type_)) * std::ldexp(1.0, type_ == ElementType::kF64 ? 1023 : type_ == ElementType::kF16 ? 15 : 127));
    for (double w : {tiny, 3 * tiny, normal, normal - tiny, normal + tiny, max, max / 2}) edges_.insert(edges_.end(), {w, -w});
    exponent_span_ = type_ == ElementType::kF64 ? 1074 : type_ == ElementType::kF16 ? 24 : 149;
  }
  const std::vector<double>& edges() const { return edges_; }
  double Round(double v) const { return Scalar::Float(type_, v).re; }
  double Next(double v, double toward) const {
    if (type_ == ElementType::kF64) return std::nextafter(v, toward);
    if (type_ == ElementType::kF32) return std::nextafterf(static_cast<float>(v), static_cast<float>(std::copysign(1e38, toward)));
    const double u = UlpAt(type_, v);
    return Round(toward > v ? v + u : v - u);
  }
  uint64_t Bits() { return random_(); }
  double Unit() { return static_cast<double>(random_() >> 11) * 0x1p-53 * 2 - 1; }  // (-1, 1)
  // Any finite value; mostly of moderate size.
  double Any() {
    for (;;) {
      double v;
      switch (random_() % 8) {
        case 0: v = edges_[random_() % edges_.size()]; break;
        case 1: v = std::ldexp(Unit(), static_cast<int>(random_() % (2 * exponent_span_ + 1)) - exponent_span_); break;
        case 2: v = std::ldexp(Unit(), static_cast<int>(random_() % 80) - 40); break;
        case 3: v = static_cast<double>(static_cast<int64_t>(random_() % 2001) - 1000) * 1.5707963267948966 / (1 + random_() % 2); break;
        case 4: v = 1 + std::ldexp(Unit(), -static_cast<int>(random_() % 50)); break;
        case 5: v = Unit() * 750; break;
        default: v = Unit() * 8; break;
      }
      if (random_() % 2 && v == 1) v = -v;
      v = Round(v);
      if (std::isfinite(v)) return v;
    }
  }
  // Sizes that formulas of complex functions can be written down for without care: no part's exponential leaves MPFR's range.
  std::complex<double> AnyComplex() {
    double parts[2];
    for (double& p : parts) {
      p = Any();
      if (random_() % 8 == 0) p = 0 * p;
    }
    if (random_() % 8 == 0) {  // on and beside the unit circle
      const double t = Unit() * 3.2;
      parts[0] = Round(std::cos(t));
      parts[1] = Round(std::sin(t));
    }
    return {parts[0], parts[1]};
  }

 private:
  ElementType type_;
  std::mt19937_64 random_;
  std::vector<double> edges_;
  int exponent_span_ = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_NUMERICS_SAMPLES_H_
