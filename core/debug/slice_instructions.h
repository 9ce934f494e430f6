// The instructions of a slice, for graphs of it. Not for its elements and numbers (why.h, influence.h).
#ifndef HLOSCOPE_CORE_DEBUG_SLICE_INSTRUCTIONS_H_
#define HLOSCOPE_CORE_DEBUG_SLICE_INSTRUCTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/session_state.h"

namespace hloscope {

struct SliceInstructions {
  const Instruction* asked = nullptr;
  std::vector<const Instruction*> of;
  // From one of them to a later one that was made from it; what only hands elements on may lie between.
  std::vector<std::pair<const Instruction*, const Instruction*>> steps;
};
// What the commands `why` and `influence` take: "/depth 5 %y[3,4] @ iteration 2". The program has run.
absl::StatusOr<SliceInstructions> InstructionsOfWhy(Session::State& s, absl::string_view expression);
absl::StatusOr<SliceInstructions> InstructionsOfInfluence(Session::State& s, absl::string_view expression);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SLICE_INSTRUCTIONS_H_
