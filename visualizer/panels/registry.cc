// The table of panels, and what all panels share.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include "core/debug/calls.h"
#include "core/ops/leaf_flow.h"
#include "visualizer/model/value_view.h"
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

namespace {

bool SeveralOfTheName(const Snapshot& now, const Instruction& instruction) {
  return now.module != nullptr && std::any_of(now.module->computations.begin(), now.module->computations.end(), [&](const Computation* computation) {
           return computation != instruction.parent && computation->FindInstruction(instruction.name) != nullptr;
         });
}

}  // namespace

std::string CommandName(const Snapshot& now, const Instruction& instruction) {
  const FrameRow* frame = now.frame();
  const Computation* home = frame != nullptr ? frame->computation : now.module != nullptr ? now.module->entry : nullptr;
  if (instruction.parent == home || !SeveralOfTheName(now, instruction)) {
    const char* const quote = absl::StrContains(instruction.name, ' ') ? "\"" : "";
    return absl::StrCat("%", quote, instruction.name, quote);
  }
  return absl::StrCat(instruction.parent->name, ":", instruction.name);
}

std::string CommandName(const Snapshot& now, const Selection& selection) {
  const Instruction& of = *selection.instruction;
  return absl::StrCat(CommandName(now, of), selection.leaf >= 0 ? LeafPathText(of.shape, selection.leaf) : "",
                      selection.element.empty() ? "" : IndexText(selection.element));
}

std::string StopPlace(const Snapshot& now, const Instruction& instruction) {
  return absl::StrCat(SeveralOfTheName(now, instruction) ? absl::StrCat(instruction.parent->name, ":") : "", instruction.name);
}

}  // namespace hloscope
