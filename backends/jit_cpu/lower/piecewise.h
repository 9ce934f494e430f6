// Odd functions of f32 that level off at one (tanh, erf) as polynomials over 32 intervals of the argument's magnitude. Vectors look the
// coefficients up in registers, which takes half as long as an exponential and a division.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_LOWER_PIECEWISE_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_LOWER_PIECEWISE_H_

#include <array>
#include <cstdint>

namespace hloscope {

// The interval of a magnitude follows from its bits: the lowest three of the exponent and two of the mantissa, so four intervals for each
// power of two from kFirst on. What lies below kFirst shares one interval, around zero.
struct PiecewiseTable {
  static constexpr int kIntervals = 32, kShift = 21, kDegree = 5;
  static constexpr int kCentre = kDegree + 1, kColumns = kDegree + 2;
  static constexpr float kFirst = 0x1p-4f;
  static constexpr uint32_t kBelowFirst = 0x3d7fffff;  // the bits of the largest float below kFirst

  using Column = std::array<float, kIntervals>;
  const char* name;
  float limit;  // from here on the value is one
  bool adds_argument;  // around zero the polynomial is of f(x) - x: where the slope is no float, it would cost half a unit
  std::array<Column, kColumns> columns;  // the coefficients of the distance from the centre, lowest first; then the centre

  // The columns' elements by interval, each in eight places of which the last is not used.
  std::array<float, kIntervals * 8> rows() const;
};

const PiecewiseTable& TanhTable();
const PiecewiseTable& ErfTable();

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_LOWER_PIECEWISE_H_
