#include "core/exec/error_place.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/exec/machine.h"
#include "core/ir/written_names.h"

namespace hloscope {

std::vector<LoopPlace> LoopsAround(absl::Span<const Frame> frames) {
  std::vector<LoopPlace> loops;
  for (const Frame& frame : frames) {
    if (IsLoop(frame.kind)) loops.push_back({frame.caller, frame.iteration, frame.kind == FrameKind::kWhileCondition});
  }
  return loops;
}

std::string LoopsText(absl::Span<const LoopPlace> loops) {
  std::string text;
  for (size_t k = loops.size(); k-- > 0;) {
    const LoopPlace& loop = loops[k];
    absl::StrAppend(&text, text.empty() ? "" : " in ", loop.condition ? "condition of " : "", "iteration ", loop.iteration, " of ",
                    ShownName(*loop.loop));
  }
  return text;
}

std::string ErrorPlace::Text() const {
  if (instruction == nullptr) return "";
  const std::string around = LoopsText(loops);
  return absl::StrCat(ShownName(*instruction), " in ", instruction->parent->name, around.empty() ? "" : ", ", around);
}

ErrorPlace PlaceOfError(absl::Span<const Frame> frames) {
  if (frames.empty()) return {};
  const Frame& top = frames.back();
  if (top.position < static_cast<int>(top.computation->schedule.size())) return {top.computation->schedule[top.position], LoopsAround(frames)};
  frames.remove_suffix(1);  // at its end, and cannot return
  return {top.caller, LoopsAround(frames)};
}

ErrorPlace PlaceOfError(const Machine& machine) { return PlaceOfError(machine.frames()); }

std::string ErrorText(const Machine& machine) {
  const ErrorPlace place = PlaceOfError(machine);
  absl::string_view why = machine.status().message();
  if (place.instruction == nullptr) return absl::StrCat(": ", why);
  absl::ConsumePrefix(&why, absl::StrCat(ShownName(*place.instruction), ": "));
  return absl::StrCat(" at ", place.Text(), ": ", why);
}

}  // namespace hloscope
