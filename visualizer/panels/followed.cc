#include "visualizer/panels/followed.h"

#include "absl/strings/str_cat.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

Followed::News Followed::Look(const PanelContext& context, const Instruction* own) {
  News news;
  if (context.now.program_generation != program_) {
    program_ = context.now.program_generation;
    target_ = nullptr;
    pinned_ = false;
    seen_ = ~uint64_t{0};
    news.program = true;
  }
  const Selection& selection = context.selection;
  if (selection.generation == seen_ && (target_ != nullptr || selection.instruction == nullptr)) return news;
  seen_ = selection.generation;
  if (selection.instruction == nullptr) return news;
  news.selection = true;
  if (!pinned_ && selection.instruction != own) target_ = selection.instruction;
  return news;
}

void Followed::DrawPin(const PanelContext& context, absl::string_view what) {
  const std::string tip = pinned_ ? absl::StrCat("Pinned: stays at this ", what, ". Click to follow the selection again") : absl::StrCat("Keep showing this ", what);
  if (ui::IconButton("pin", ui::Icon::kPin, tip, pinned_)) {
    pinned_ = !pinned_;
    if (!pinned_ && context.selection.instruction != nullptr) target_ = context.selection.instruction;
  }
  ui::TagFact("pinned", pinned_ ? "yes" : "no");
}

}  // namespace hloscope
