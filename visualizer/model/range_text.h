// What an array is like in a few letters: "-14.2 .. 0", "all 3", "all -inf". One text for all lists, so that they agree. Not for one number.
#ifndef HLOSCOPE_VISUALIZER_MODEL_RANGE_TEXT_H_
#define HLOSCOPE_VISUALIZER_MODEL_RANGE_TEXT_H_

#include <string>

#include "core/debug/known_values.h"
#include "core/literal/statistics.h"
#include "core/shape/shape.h"

namespace hloscope {

// In short (ShortText); "-0 .. 0" where zeros of both signs are all; whole numbers in full where the range is short enough. What is not
// known of the whole array begins with "≈" and never says "all".
std::string RangeText(ElementType type, const KnownValue& known);
// One number as it is, where it stands for all: the shortest text that reads back. "≈ 9.223e+18" of a whole number that a double does not hold.
std::string ExactText(ElementType type, double x);
// "-1.5 .. 3", with as many digits as tell the two apart.
std::string EndsText(ElementType type, double min, double max);
// Exact where all are that number.
std::string MeanText(ElementType type, const Statistics& statistics);
// "2 NaN, 1 inf, 3 -inf"; empty: none.
std::string TroubleText(const KnownValue& known);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_RANGE_TEXT_H_
