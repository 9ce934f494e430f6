#include "core/base/seconds_text.h"

#include "absl/strings/str_format.h"

namespace hloscope {

std::string SecondsText(double seconds) {
  // What would be rounded up to 1000 of a unit is one of the next.
  if (seconds >= 0.9995) return absl::StrFormat("%.3g s", seconds);
  if (seconds >= 0.9995e-3) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return absl::StrFormat("%.3g \u00b5s", seconds * 1e6);
}

}  // namespace hloscope
