#include "visualizer/panels/followed.h"

#include "absl/strings/str_cat.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

const Instruction* Followed::Next(const PanelContext& context, const Instruction* own) const {
  if (context.now.program_generation != program_) return nullptr;
  const Selection& selection = context.selection;
  const bool seen = selection.generation == seen_ && target_ != nullptr;
  return seen || pinned_ || selection.instruction == nullptr || selection.instruction == own ? target_ : selection.instruction;
}

bool Followed::UpToDate(const PanelContext& context, const Instruction* own) const {
  if (context.now.program_generation != program_) return context.selection.instruction == nullptr;
  return Next(context, own) == target_;
}

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
  target_ = Next(context, own);
  seen_ = selection.generation;
  news.selection = selection.instruction != nullptr;
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
