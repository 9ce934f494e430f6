// Numbers in the cells of pictures: short, or with all the digits that matter where there is room. Hints and sentences say them exactly
// (ToText, core/literal/scalar.h).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_NUMBER_TEXT_H_
#define HLOSCOPE_VISUALIZER_PICTURES_NUMBER_TEXT_H_

#include <cstddef>
#include <string>

#include "core/literal/scalar.h"

namespace hloscope {

struct NumberStyle {
  bool whole = false;  // integers with all their digits
  int digits = 3;      // significant ones of other numbers
  size_t letters = 0;  // what is longer has an exponent where that makes it shorter; 0: of any length
};
// "1.25", "-3e8", "nan", "T", "1-2i".
std::string NumberText(const Scalar& s, const NumberStyle& style);
inline std::string ShortText(const Scalar& s) { return NumberText(s, {}); }
// In so many letters, with fewer digits than the style has where it must be.
std::string NumberTextIn(const Scalar& s, NumberStyle style, size_t letters);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_NUMBER_TEXT_H_
