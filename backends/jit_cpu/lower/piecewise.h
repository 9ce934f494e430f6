// Odd functions of f32 that level off at one (tanh, erf) as polynomials over intervals of the argument's magnitude. Vectors look the
// coefficients up in registers, which takes half as long as an exponential and a division.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_LOWER_PIECEWISE_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_LOWER_PIECEWISE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace hloscope {

// How magnitudes are cut into intervals: by the bits of magnitude + offset from `shift` on, of which the lowest count. So there are equally
// many intervals for each power of two of that sum. All that is less than `first` shares one interval, which begins at zero.
struct PiecewiseIntervals {
  int count;  // a power of two: as many as a look at a table in registers has to choose from
  int shift, degree;
  float offset, first;
};

struct PiecewiseTable {
  std::string name;
  PiecewiseIntervals intervals;
  float limit;  // from here on the value is one
  bool adds_argument;  // around zero the polynomial is of f(x) - x: where the slope is no float, it would cost half a unit
  std::vector<std::vector<float>> columns;  // by interval: the coefficients of the distance from the centre, lowest first; then the centre

  // The bits of the largest float below `first`: what is less falls into its interval when it is taken for this one.
  uint32_t BelowFirst() const;
};

// `wide_registers`: of 32 intervals, which two registers of 512 bits hold; otherwise of 4, which are chosen from in half a register of 256.
const PiecewiseTable& TanhTable(bool wide_registers);
const PiecewiseTable& ErfTable(bool wide_registers);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_LOWER_PIECEWISE_H_
