// A slice as text for the console, as JSON and as a Graphviz graph. Not for finding it (why.h).
#ifndef HLOSCOPE_CORE_DEBUG_SLICE_TEXT_H_
#define HLOSCOPE_CORE_DEBUG_SLICE_TEXT_H_

#include <functional>
#include <string>

#include "core/debug/slice.h"
#include "core/debug/slice_parts.h"

namespace hloscope {

struct SliceTextOptions {
  int64_t lines = 60;  // 0: no limit
};
std::string SliceText(const Module& module, const SliceFrames& frames, const Slice& slice, const SliceTextOptions& options);
std::string SliceJson(const Module& module, const SliceFrames& frames, const Slice& slice);
std::string SliceDot(const Module& module, const SliceFrames& frames, const Slice& slice);

// "%x[1][2,3]".
std::string PlaceText(const ElementPlace& place);
// What runs a frame and the frames around it, the innermost first.
std::vector<const Instruction*> CallersOf(const FrameHistory& history, int frame);
// The calls that lead to a frame, the outermost first.
std::vector<SliceCall> CallsTo(const FrameHistory& history, int frame);
// "body, iteration 4 of %loop, call of %outer", the innermost first; "" in the entry. `run`: other words for a frame, "" for the usual ones.
std::string FrameText(const FrameHistory& history, int frame,
                      const std::function<std::string(int frame, const std::string& caller)>& run = nullptr);
// "\"text\"" with what JSON wants escaped.
std::string JsonQuoted(absl::string_view text);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SLICE_TEXT_H_
