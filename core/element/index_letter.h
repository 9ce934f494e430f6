// How formulas name the indices of arrays.
#ifndef HLOSCOPE_CORE_ELEMENT_INDEX_LETTER_H_
#define HLOSCOPE_CORE_ELEMENT_INDEX_LETTER_H_

#include <string>

namespace hloscope {

// "i", "j", .. in the order in which they come: of the result's dimensions, and behind them (from k on) of what is summed over. "o", "t" and "u"
// stand for other things.
std::string IndexLetter(int n);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_INDEX_LETTER_H_
