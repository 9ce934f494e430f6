// What a text means that names moments: which values of which calls and iterations.
#ifndef HLOSCOPE_CORE_DEBUG_MOMENTS_H_
#define HLOSCOPE_CORE_DEBUG_MOMENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/debug/occurrences.h"
#include "core/debug/session_state.h"

namespace hloscope {

// "iteration 3,17 call 2 in NAME"; `ranges`: "10-20" too, and the word iteration may be missing.
absl::StatusOr<Asked> ParseAsked(Session::State& s, absl::string_view text, bool ranges);

// The expression's values (none: those of the loop's body around the selected frame), by the computation that has them: one at least.
struct Meant {
  std::vector<Occurrences> occurrences;
  std::vector<std::string> labels;  // "in body"; empty where there is one only
  std::string note;                 // of the ones that are not looked at
};
absl::StatusOr<Meant> FindMeant(Session::State& s, const Asked& asked, absl::string_view expression);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MOMENTS_H_
