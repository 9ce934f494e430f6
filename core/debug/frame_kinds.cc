#include "core/debug/frame_kinds.h"

namespace hloscope {

absl::string_view KindText(FrameKind kind) {
  switch (kind) {
    case FrameKind::kEntry: return "entry";
    case FrameKind::kCall: return "call";
    case FrameKind::kFusion: return "fusion";
    case FrameKind::kWhileCondition: return "loop condition";
    case FrameKind::kWhileBody: return "loop body";
    case FrameKind::kBranch: return "branch";
    case FrameKind::kElement: return "element computation";
  }
  return "";
}

}  // namespace hloscope
