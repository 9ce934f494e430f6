// Frames in words, for places of a run. Not for whole places (session_state.h, slice_text.h).
#ifndef HLOSCOPE_CORE_DEBUG_FRAME_KINDS_H_
#define HLOSCOPE_CORE_DEBUG_FRAME_KINDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/exec/machine.h"

namespace hloscope {

// "call", "loop body", as in "in body (loop body of %w, iteration 2)".
absl::string_view KindText(FrameKind kind);

// What is run, how and by whom: of a frame, or of a call that another program knows.
struct RunBy {
  const Computation* computation = nullptr;
  const Instruction* caller = nullptr;
  FrameKind kind = FrameKind::kCall;
  int64_t iteration = 0;
  int branch = 0;
};
// Of all frames but the entry's, the outermost first.
std::vector<RunBy> RunsOf(absl::Span<const Frame> frames);
// "in f (call of %c) in body (loop body of %while.3, iteration 4)"; "" in the entry. The outermost first.
std::string WhereText(absl::Span<const RunBy> runs);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_FRAME_KINDS_H_
