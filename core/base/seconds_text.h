// How long something took, as everything that shows it says it.
#ifndef HLOSCOPE_CORE_BASE_SECONDS_TEXT_H_
#define HLOSCOPE_CORE_BASE_SECONDS_TEXT_H_

#include <string>

namespace hloscope {

// "1.25 s", "3.1 ms", "2.25 µs": three digits.
std::string SecondsText(double seconds);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_SECONDS_TEXT_H_
