// What is to be caught, as commands and options name it: one list for all of them.
#ifndef HLOSCOPE_CORE_DEBUG_CATCH_LIST_H_
#define HLOSCOPE_CORE_DEBUG_CATCH_LIST_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/debug/catch_find.h"

namespace hloscope {

// "nan, cancellation 20 overflow", with commas or blanks between; how many bits stands behind cancellation, or after a colon:
// "cancellation:20". What stands twice is there once; they are numbered from 1. InvalidArgument says what can stand there.
absl::StatusOr<std::vector<CatchRequest>> ParseCatches(absl::string_view text);

// "cancellation 20", as it is typed.
std::string CatchText(CatchKind kind, int bits);
// "cancellation of 20 bits or more".
std::string CatchDescription(CatchKind kind, int bits);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_CATCH_LIST_H_
