#include "core/debug/frame_kinds.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "core/debug/calls.h"

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

std::string WhereText(absl::Span<const RecordLevel> levels) {
  std::vector<const Instruction*> callers;
  for (const RecordLevel& level : levels) callers.push_back(level.caller);
  std::string text;
  for (size_t k = levels.size(); k-- > 0;) {
    const RecordLevel& level = levels[k];
    absl::StrAppend(&text, text.empty() ? "in " : " in ", level.computation->name, " (", KindText(level.kind), " of %",
                    NameAmong(*level.caller, callers));
    if (level.kind == FrameKind::kBranch) absl::StrAppend(&text, ", branch ", level.branch);
    if (IsLoop(level.kind)) absl::StrAppend(&text, ", iteration ", level.iteration);
    text += ")";
  }
  return text;
}

}  // namespace hloscope
