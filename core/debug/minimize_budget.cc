#include "core/debug/minimize_budget.h"

#include "absl/strings/str_cat.h"
#include "core/debug/session_state.h"

namespace hloscope {

bool MinimizeBudget::Cancelled() const { return options_.around != nullptr && options_.around->interrupted.load(); }

absl::Status MinimizeBudget::WhyNothing(absl::string_view what) const {
  if (Cancelled()) return Interrupted();
  if (!TimeIsUp()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the time for the search was up before ", what, "; --seconds gives more"));
}

}  // namespace hloscope
