// Expressions that are looked at all the time: the session's displays, with their values at this moment.
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/field_command.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/value_note.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

class WatchPanel : public Panel {
 public:
  float padding() const override { return 8; }

  void Draw(PanelContext& context) override {
    const Snapshot& now = context.now;
    Follow(context);
    if (sent_.Done(context, add_)) add_.clear();
    ImGui::BeginChild("rows", {0, -ui::Px(sent_.error().empty() ? 36 : 54)}, false);
    if (now.displays.empty()) {
      ui::EmptyHint(ui::Icon::kWatch, "Expressions and their values at each stop: %x, max(abs(%x)), %x[0, 1:3].", "Type one below and press Enter.");
    }
    longest_ = 0;
    for (const DisplayRow& row : now.displays) longest_ = std::max(longest_, row.expression.size());
    for (const DisplayRow& row : now.displays) DrawRow(context, row);
    ImGui::EndChild();
    DrawFoot(context);
    ui::TagFact("count", absl::StrCat(now.displays.size()));
  }

 private:
  struct Seen {
    std::string expression, text;
    bool changed = false;
  };
  using Notes = std::map<int, ValueNote>;
  struct Answer {
    uint64_t moment = 0;
    Notes notes;
  };

  // Asks for the values, and compares those of a new moment with the ones before.
  void Follow(PanelContext& context) {
    const Snapshot& now = context.now;
    std::string key = absl::StrCat(now.moment_generation);
    std::vector<std::pair<int, std::string>> wanted;
    for (const DisplayRow& row : now.displays) {
      absl::StrAppend(&key, "|", row.number, row.expression);
      wanted.emplace_back(row.number, row.expression);
    }
    absl::StrAppend(&key, "|", now.selected_frame);
    answer_ = values_.Get(context.engine, key, [wanted, moment = now.moment_generation](Session::State& s) -> absl::StatusOr<Answer> {
      Answer answer{moment, {}};
      for (const auto& [number, expression] : wanted) answer.notes[number] = NoteOf(s, expression);
      return answer;
    });
    if (answer_ == nullptr || answer_ == compared_) return;
    const bool moved = compared_ == nullptr || answer_->moment != compared_->moment;
    compared_ = answer_;
    std::map<int, Seen> seen;
    for (const auto& [number, expression] : wanted) {
      const auto note = answer_->notes.find(number);
      if (note == answer_->notes.end()) continue;
      const std::string text = absl::StrCat(note->second.text, note->second.range, note->second.error);
      const auto before = seen_.find(number);
      const bool known = before != seen_.end() && before->second.expression == expression;
      seen[number] = {expression, text, known && (moved ? before->second.text != text : before->second.changed)};
    }
    seen_ = std::move(seen);
  }

  void DrawRow(PanelContext& context, const DisplayRow& display) {
    const ui::Palette& c = ui::Colors();
    const std::string tag = absl::StrCat("row:", display.number);
    ImGui::PushID(display.number);
    const float height = 26;
    const ui::RowState row = ui::Row(tag, height);
    ImGui::SetItemAllowOverlap();
    const ImVec2 after = ImGui::GetCursorScreenPos();
    ui::TagScope scope(tag);
    const auto found = answer_ != nullptr ? answer_->notes.find(display.number) : Notes::const_iterator();
    const ValueNote* note = answer_ != nullptr && found != answer_->notes.end() ? &found->second : nullptr;
    const auto seen = seen_.find(display.number);
    const bool changed = seen != seen_.end() && seen->second.changed;
    ImFont* font = ui::Type().mono;
    const float y = row.min.y + std::floor((ui::Px(height) - font->FontSize) / 2);
    const float width = row.max.x - row.min.x;
    const float column = std::clamp(ui::Measure(font, "0").x * static_cast<float>(longest_) + ui::Px(34), std::min(ui::Px(120), width * 0.42f), width * 0.58f);
    if (changed) ImGui::GetWindowDrawList()->AddRectFilled({row.min.x, row.min.y + ui::Px(4)}, {row.min.x + ui::Px(3), row.max.y - ui::Px(4)}, c.amber, ui::Px(1.5f));
    bool cut = false;
    if (editing_ == display.number) {
      DrawEditor(context, display, row);
    } else {
      const bool by_hand = note != nullptr && !note->by_hand.empty();
      DrawCode({row.min.x + ui::Px(10), y}, column - ui::Px(by_hand ? 30 : 18), c.text, font, display.expression, &cut);
      float x = row.min.x + column, right = row.max.x - ui::Px(4);
      if (by_hand) ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kEdit, {x - ui::Px(17), y + ui::Px(1)}, ui::Px(12), c.dim);
      if (ImGui::IsMouseHoveringRect(row.min, row.max) && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) {
        right -= ui::Px(24);
        ImGui::SetCursorScreenPos({right, row.min.y + ui::Px(1)});
        if (ui::IconButton("delete", ui::Icon::kClose, "remove")) context.run(absl::StrCat("undisplay ", display.number));
        right -= ui::Px(24);
        ImGui::SetCursorScreenPos({right, row.min.y + ui::Px(1)});
        if (ui::IconButton("edit", ui::Icon::kEdit, "edit")) Edit(display);
      }
      if (note == nullptr) {
        ui::DrawTextIn({x, y}, right - x, c.faint, ui::Type().ui, context.now.frames.empty() ? "not running" : "\u2026");
      } else if (!note->error.empty()) {
        ui::DrawTextIn({x, y}, right - x, c.dim, ui::Type().ui, note->error, &cut);
        ui::TagFact("value", note->error);
      } else {
        const ImU32 ink = note->trouble() ? c.pink : changed ? c.amber : c.text;
        // The numbers, and the range of many where there is room for both.
        const float range = note->range.empty() ? 0 : ui::Measure(font, note->range).x + ui::Px(12);
        const bool both = right - x > range + ui::Px(110);
        if (!note->range.empty()) x += ui::DrawTextIn({x, y}, right - x, ink, font, note->range, &cut) + ui::Px(12);
        if (note->range.empty() || both) ui::DrawTextIn({x, y}, right - x, note->range.empty() ? ink : c.dim, font, note->text, &cut);
        ui::TagFact("value", note->range.empty() ? note->text : absl::StrCat(note->range, "  ", note->text));
        ui::TagFact("by-hand", by_hand ? note->by_hand : "no");
        ui::TagFact("changed", changed ? "yes" : "no");
      }
      if (row.hovered && (cut || by_hand || (note != nullptr && note->trouble()))) {
        ImGui::SetTooltip("%s", absl::StrCat(display.expression, note == nullptr ? "" : absl::StrCat(note->shape.empty() ? "" : "\n", note->shape, note->range.empty() ? "" : "\n", note->range, "\n", note->text, note->error, note->trouble() ? absl::StrCat("\n", TroubleText(*note)) : "", by_hand ? "\n" : "", note->by_hand)).c_str());
      }
      if (row.double_clicked) Edit(display);
    }
    ImGui::PopID();
    ImGui::SetCursorScreenPos(after);
  }

  void Edit(const DisplayRow& display) {
    editing_ = display.number;
    text_ = display.expression;
    focus_ = true;
  }

  void DrawEditor(PanelContext& context, const DisplayRow& display, const ui::RowState& row) {
    ImGui::SetCursorScreenPos({row.min.x + ui::Px(4), row.min.y + ui::Px(1)});
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {ui::Px(6), ui::Px(3)});
    if (focus_) ui::FocusNext();
    const bool was_new = std::exchange(focus_, false);
    bool entered = false;
    ui::Field("field", &text_, "an expression", (row.max.x - row.min.x - ui::Px(8)) / ui::TheLook().scale, &entered, true);
    const bool left = ImGui::IsItemDeactivated();
    ImGui::PopStyleVar();
    if (entered) {
      const std::string text(absl::StripAsciiWhitespace(text_));
      if (text != display.expression) {
        context.run(text.empty() ? absl::StrCat("undisplay ", display.number) : absl::StrCat("redefine display ", display.number, " ", text));
      }
      editing_ = 0;
    } else if ((left && !was_new) || ui::Pressed("Escape")) {
      editing_ = 0;
    }
  }

  void DrawFoot(PanelContext& context) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({at.x, at.y + ui::Px(4)});
    const float width = ImGui::GetContentRegionAvail().x;
    const Instruction* selected = context.selection.instruction;
    const std::string name = selected != nullptr ? CommandName(context.now, *selected) : "";
    const float button = selected != nullptr && width > ui::Px(260) ? std::min(ui::Px(140), ui::Measure(ui::Type().ui, name).x + ui::Px(46)) : 0;
    bool entered = false;
    sent_.GiveKeyboard();
    ui::Field("add", &add_, width - button > ui::Px(260) ? "an expression, as max(abs(%x))" : "expression", (width - button) / ui::TheLook().scale, &entered, true);
    if (entered && !absl::StripAsciiWhitespace(add_).empty()) {
      sent_.Send(context, absl::StrCat("display ", absl::StripAsciiWhitespace(add_)), add_);
    }
    if (button > 0) {
      ImGui::SetCursorScreenPos({at.x + width - button + ui::Px(6), at.y + ui::Px(2)});
      const bool fits = ui::Measure(ui::Type().ui, name).x + ui::Px(46) <= button + 1;
      if (ui::Button("add-selected", fits ? name : "selected", ui::Icon::kPlus, ui::ButtonKind::kPlain, absl::StrCat("display ", name))) context.run(absl::StrCat("display ", name));
    }
    if (!sent_.error().empty()) ImGui::SetCursorScreenPos({at.x + ui::Px(2), at.y + ui::Px(36)});
    sent_.DrawError();
  }

  Live<Answer> values_;
  std::shared_ptr<const Answer> answer_, compared_;
  std::map<int, Seen> seen_;
  std::string add_, text_;
  size_t longest_ = 0;  // letters of an expression
  FieldCommand sent_;  // of the field `add`
  int editing_ = 0;
  bool focus_ = false;
};

}  // namespace

std::unique_ptr<Panel> MakeWatchPanel() { return std::make_unique<WatchPanel>(); }

}  // namespace hloscope
