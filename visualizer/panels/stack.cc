// The call stack: a row for each frame, the innermost first.
#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

class StackPanel : public Panel {
 public:
  void Draw(PanelContext& context) override {
    const Snapshot& now = context.now;
    if (now.frames.empty()) {
      ui::EmptyHint(ui::Icon::kStack, "The frames of the stopped program: calls, loop iterations, branches, reducers.", "Start the program with F5 or Step (F11).");
      return;
    }
    const int count = static_cast<int>(now.frames.size());
    for (int depth = count - 1; depth >= 0; --depth) DrawFrame(context, depth, count - 1 - depth);
  }
  float padding() const override { return 8; }

 private:
  // `number`: as the command `frame` counts, 0 the innermost.
  void DrawFrame(PanelContext& context, int depth, int number) {
    const FrameRow& frame = context.now.frames[depth];
    const bool selected = depth == context.now.selected_frame;
    ImGui::PushID(depth);
    const ui::RowState row = ui::Row(absl::StrCat("frame:", number), 38, selected);
    ImGui::PopID();
    const ui::Palette& c = ui::Colors();
    float x = row.min.x + ui::Px(8);
    if (number == 0) ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kHere, {x, row.min.y + ui::Px(5)}, ui::Px(12), c.amber);
    x += ui::Px(20);
    const float width = row.max.x - x - ui::Px(8);
    const std::string name = absl::StrCat(frame.computation->name, frame.at != nullptr ? absl::StrCat("  ", ShownName(*frame.at)) : "  at its end");
    bool cut = false;
    ui::DrawNameIn({x, row.min.y + ui::Px(3)}, width, c.text, ui::Type().mono, name, &cut);
    const float kind = ui::DrawTextIn({x, row.min.y + ui::Px(21)}, width, c.dim, ui::Type().small, Kind(context.now, frame));
    const std::string source = Source(context.now, frame);
    if (const float room = width - kind - ui::Px(16); !source.empty() && room > ui::Px(40)) {
      const float wide = std::min(room, ui::Measure(ui::Type().mono_small, source).x);
      ui::DrawTextIn({row.max.x - ui::Px(8) - wide, row.min.y + ui::Px(21)}, wide + 1, c.faint, ui::Type().mono_small, source);
    }
    if (context.selection.hovered != nullptr && frame.at == context.selection.hovered && !row.hovered) {
      ImGui::GetWindowDrawList()->AddRect(row.min, row.max, c.border, ui::Px(3));
    }
    ui::TagFact(absl::StrCat("frame:", number), frame.text);
    if (cut) ui::Tooltip(frame.text);
    if (row.hovered) context.selection.hover_next = frame.at;
    if (row.clicked) {
      context.run(absl::StrCat("frame ", number));
      if (frame.at != nullptr) context.select(frame.at, {});
    }
  }

  // "model.py:142 forward", of the instruction that the frame is at.
  static std::string Source(const Snapshot& now, const FrameRow& frame) {
    if (frame.at == nullptr || now.module == nullptr) return "";
    const std::vector<PythonFrame> python = now.module->PythonFrames(*frame.at);
    if (python.empty() || python.front().file.empty()) return "";
    const absl::string_view file = python.front().file;
    const size_t slash = file.rfind('/');
    return absl::StrCat(slash == absl::string_view::npos ? file : file.substr(slash + 1), ":", python.front().line, python.front().function.empty() ? "" : absl::StrCat(" ", python.front().function));
  }

  static std::string Kind(const Snapshot& now, const FrameRow& frame) {
    std::string trips;
    for (const TripRow& row : now.trips) {
      if (row.loop == frame.caller && row.whole) trips = absl::StrCat(" of ", row.trips);
    }
    const std::string of = frame.caller == nullptr ? "" : absl::StrCat(" of ", IsLoop(frame.kind) ? ShownLoop(*frame.caller) : ShownName(*frame.caller));
    switch (frame.kind) {
      case FrameKind::kEntry: return "entry";
      case FrameKind::kCall: return absl::StrCat("call", of);
      case FrameKind::kFusion: return absl::StrCat("fusion", of);
      case FrameKind::kWhileCondition: return absl::StrCat("loop condition", of, ", iteration ", frame.iteration);
      case FrameKind::kWhileBody: return absl::StrCat("loop body", of, ", iteration ", frame.iteration, trips);
      case FrameKind::kBranch: return absl::StrCat("branch ", frame.branch, of);
      case FrameKind::kElement: return absl::StrCat("element computation", of, ", call ", frame.iteration);
    }
    return "";
  }
};

}  // namespace

std::unique_ptr<Panel> MakeStackPanel() { return std::make_unique<StackPanel>(); }

}  // namespace hloscope
