// What it is when a run that is brought to a moment does not come there, as where a loop has ended before or another branch is taken: a status of
// its own, told from other errors by what it is and not by its words.
#ifndef HLOSCOPE_CORE_EXEC_NOT_ON_THE_WAY_H_
#define HLOSCOPE_CORE_EXEC_NOT_ON_THE_WAY_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hloscope {

// NotFound: "that moment is not on the way: WHY".
absl::Status NotOnTheWay(absl::string_view why);
bool IsNotOnTheWay(const absl::Status& status);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_NOT_ON_THE_WAY_H_
