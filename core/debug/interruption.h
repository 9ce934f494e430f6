// What is said where the user has interrupted something (Ctrl-C), everywhere alike: "interrupted", then what has come of it. Where the program
// itself was stopped by it, that is a stop (ShowStop of execution.cc).
#ifndef HLOSCOPE_CORE_DEBUG_INTERRUPTION_H_
#define HLOSCOPE_CORE_DEBUG_INTERRUPTION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace hloscope {

// "interrupted; nothing was written".
inline std::string InterruptedText(absl::string_view what = "") { return absl::StrCat("interrupted", what.empty() ? "" : "; ", what); }
// "interrupted; not executed: the rest of the file".
inline std::string InterruptedBefore(absl::string_view what) { return InterruptedText(absl::StrCat("not executed: ", what)); }
inline absl::Status Interruption(absl::string_view what = "") { return absl::CancelledError(InterruptedText(what)); }

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_INTERRUPTION_H_
