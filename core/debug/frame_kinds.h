// Frames in words, for places of a run. Not for whole places (session_state.h, slice_text.h).
#ifndef HLOSCOPE_CORE_DEBUG_FRAME_KINDS_H_
#define HLOSCOPE_CORE_DEBUG_FRAME_KINDS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/debug/record_sources.h"
#include "core/exec/machine.h"

namespace hloscope {

// "call", "loop body", as in "in body (loop body of %w, iteration 2)".
absl::string_view KindText(FrameKind kind);

// "in f (call of %c) in body (loop body of %while.3, iteration 4)"; "" in the entry. The outermost first.
std::string WhereText(absl::Span<const RecordLevel> levels);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_FRAME_KINDS_H_
