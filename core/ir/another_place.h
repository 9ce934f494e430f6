// A compiler that makes one operation of several notes the places of all of them. An HLO dump's tables have stacks of calls only, so the further places
// follow the first one's stack, and the function of the innermost frame of each says that nothing calls anything there: "also", "also f". Not for stacks
// of calls (Module::PythonFrames).
#ifndef HLOSCOPE_CORE_IR_ANOTHER_PLACE_H_
#define HLOSCOPE_CORE_IR_ANOTHER_PLACE_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace hloscope {

inline constexpr absl::string_view kAnotherPlace = "also";

// What is written for a frame of this function ("": none is known) that begins another place.
inline std::string FunctionOfAnotherPlace(absl::string_view function) {
  return function.empty() ? std::string(kAnotherPlace) : absl::StrCat(kAnotherPlace, " ", function);
}
// The function itself, of any frame.
inline absl::string_view FunctionItself(absl::string_view written) {
  if (written == kAnotherPlace) return "";
  return absl::StripPrefix(written, "also ");
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_IR_ANOTHER_PLACE_H_
