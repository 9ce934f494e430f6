// The instructions of a slice, for graphs of it. Not for its elements and numbers (why.h, influence.h).
#ifndef HLOSCOPE_CORE_DEBUG_SLICE_INSTRUCTIONS_H_
#define HLOSCOPE_CORE_DEBUG_SLICE_INSTRUCTIONS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/debug/last_slice.h"
#include "core/debug/session_state.h"
#include "core/debug/slice.h"
#include "core/debug/slice_command.h"
#include "core/debug/slice_parts.h"

namespace hloscope {

// What the commands `why` and `influence` take: "/depth 5 %y[3,4] @ iteration 2". The program has run.
absl::StatusOr<SliceParts> PartsOfWhy(Session::State& s, absl::string_view expression);
absl::StatusOr<SliceParts> PartsOfInfluence(Session::State& s, absl::string_view expression);
// What a why has found, added to what is there already of other moments.
void AddPartsOfWhy(const SliceFrames& frames, const Slice& slice, const SliceRequest& request, int depth, SliceParts* parts);
// Of the last why or influence, the same until the next one.
std::shared_ptr<const SliceParts> PartsOf(LastSlice& last);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SLICE_INSTRUCTIONS_H_
