// The table of panels, and what all panels share.
#include "absl/strings/str_cat.h"
#include "core/debug/calls.h"
#include "visualizer/panels/panel.h"

namespace hloscope {

#define X(id, title, place, open, keys, help, Maker) std::unique_ptr<Panel> Make##Maker##Panel();
#include "visualizer/panels/panels.def"
#undef X

const std::vector<PanelRow>& PanelRows() {
  static const auto& rows = *new std::vector<PanelRow>{
#define X(id, title, place, open, keys, help, Maker) {id, title, place, open, keys, help, Make##Maker##Panel},
#include "visualizer/panels/panels.def"
#undef X
  };
  return rows;
}

const PanelRow* FindPanelRow(absl::string_view id) {
  for (const PanelRow& row : PanelRows()) {
    if (id == row.id) return &row;
  }
  return nullptr;
}

std::string ShownLoop(const Instruction& loop) { return absl::StrCat("%", LoopName(*loop.parent->module, loop)); }

bool IsOfBeforeEdit(PanelContext& context, const Instruction& running) {
  if (!context.document.changed()) return false;
  context.index.Update(context.now, context.document);
  if (context.index.module() == nullptr) return false;
  const Instruction* shown = context.index.Shown(&running);
  return shown == nullptr || !context.index.Ran(shown) || context.index.Stale(shown);
}

std::string CommandName(const Snapshot& now, const Instruction& instruction) {
  const FrameRow* frame = now.frame();
  const Computation* home = frame != nullptr ? frame->computation : now.module != nullptr ? now.module->entry : nullptr;
  if (instruction.parent == home || now.module == nullptr) return absl::StrCat("%", instruction.name);
  for (const Computation* computation : now.module->computations) {
    if (computation != instruction.parent && computation->FindInstruction(instruction.name) != nullptr) return absl::StrCat(instruction.parent->name, ":", instruction.name);
  }
  return absl::StrCat("%", instruction.name);
}

}  // namespace hloscope
