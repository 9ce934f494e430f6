#include "core/debug/frame_kinds.h"

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

std::vector<RunBy> RunsOf(absl::Span<const Frame> frames) {
  std::vector<RunBy> runs;
  for (const Frame& f : frames) {
    if (f.caller != nullptr) runs.push_back({f.computation, f.caller, f.kind, f.iteration, f.branch});
  }
  return runs;
}

std::string WhereText(absl::Span<const RunBy> runs) {
  std::vector<const Instruction*> callers;
  for (const RunBy& run : runs) callers.push_back(run.caller);
  std::string text;
  for (size_t k = runs.size(); k-- > 0;) {
    const RunBy& run = runs[k];
    absl::StrAppend(&text, text.empty() ? "in " : " in ", run.computation->name, " (", KindText(run.kind), " of %",
                    NameAmong(*run.caller, callers));
    if (run.kind == FrameKind::kBranch) absl::StrAppend(&text, ", branch ", run.branch);
    if (IsLoop(run.kind)) absl::StrAppend(&text, ", iteration ", run.iteration);
    text += ")";
  }
  return text;
}

}  // namespace hloscope
