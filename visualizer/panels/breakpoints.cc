// Breakpoints, logpoints, watches and catches: what stops the program, each with its sign, and a field to add one.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "visualizer/panels/field_command.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/value_note.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/row_keys.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

class BreakpointsPanel : public Panel {
 public:
  float padding() const override { return 8; }

  void Draw(PanelContext& context) override {
    const Snapshot& now = context.now;
    if (sent_.Done(context, add_)) add_.clear();
    const float foot = ui::Px(sent_.error().empty() ? 36 : 54);
    ImGui::BeginChild("rows", {0, -foot}, false);
    if (now.stops.empty()) {
      ui::EmptyHint(ui::Icon::kBreakpoint, "Places where the program stops: breakpoints, watches, logpoints, catches.", "F9 on a selected instruction, a click in the gutter, or the field below.");
    }
    for (const StopRow& stop : now.stops) DrawRow(context, stop);
    ImGui::EndChild();
    DrawFoot(context);
    ui::TagFact("count", absl::StrCat(now.stops.size()));
  }

 private:
  static constexpr float kRow = 26;

  static bool StoppedHere(const Snapshot& now, const StopRow& stop) {
    if (now.phase != Phase::kStopped) return false;
    return std::any_of(now.events.begin(), now.events.end(), [&](const EventRow& e) { return e.number == stop.number && e.mark == now.mark; });
  }

  // Filled: stops. Half: under a condition. Ring: asleep. Others have their own shape.
  static void DrawSign(const StopRow& stop, ImVec2 center) {
    const ui::Palette& c = ui::Colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float r = ui::Px(5);
    const ImU32 red = stop.enabled ? c.red : ui::Fade(c.red, 0.7f);
    switch (stop.kind) {
      case StopRow::kBreak:
        list->AddCircle(center, r, red, 24, ui::Px(1.5f));
        if (!stop.enabled) break;
        if (stop.condition.empty()) {
          list->AddCircleFilled(center, r, red, 24);
        } else {
          list->PathArcTo(center, r, 1.5707963f, 4.712389f, 16);
          list->PathFillConvex(red);
        }
        if (stop.temporary) list->AddCircleFilled(center, ui::Px(1.8f), c.panel, 12);
        break;
      case StopRow::kLog: {  // a diamond
        const ImVec2 p[] = {{center.x - r - 1, center.y}, {center.x, center.y - r - 1}, {center.x + r + 1, center.y}, {center.x, center.y + r + 1}};
        stop.enabled ? list->AddQuadFilled(p[0], p[1], p[2], p[3], red) : list->AddQuad(p[0], p[1], p[2], p[3], red, ui::Px(1.5f));
        break;
      }
      case StopRow::kWatch: ui::DrawIcon(list, ui::Icon::kWatch, {center.x - ui::Px(7), center.y - ui::Px(7)}, ui::Px(14), red); break;
      case StopRow::kCatch: {
        const ImU32 pink = stop.enabled ? c.pink : ui::Fade(c.pink, 0.6f);
        const ImVec2 a = {center.x, center.y - r - 1}, b = {center.x + r + 1, center.y + r - 1}, d = {center.x - r - 1, center.y + r - 1};
        stop.enabled ? list->AddTriangleFilled(a, b, d, pink) : list->AddTriangle(a, b, d, pink, ui::Px(1.5f));
        break;
      }
    }
  }

  static std::string Where(const StopRow& stop) {
    if (stop.kind == StopRow::kCatch) return absl::StrCat("catch ", stop.what);
    if (stop.kind == StopRow::kWatch) return absl::StrCat("watch ", stop.what);
    // A name as it was typed; where one instruction is meant, as it is called.
    if (stop.at.size() == 1) return ShownName(*stop.at.front());
    return stop.what;
  }

  static std::string Details(const StopRow& stop, bool here) {
    std::string text;
    const auto add = [&](const std::string& part) { absl::StrAppend(&text, text.empty() ? "" : " \u00b7 ", part); };
    if (stop.kind != StopRow::kCatch && stop.at.size() > 1 && stop.kind != StopRow::kWatch) add(absl::StrCat(stop.at.size(), " places"));
    if (!stop.enabled) add("disabled");
    if (stop.temporary) add("once");
    if (stop.hits < 0) add("hits not counted yet");
    if (stop.hits > 0) add(absl::StrCat(stop.kind == StopRow::kCatch ? "caught " : stop.kind == StopRow::kLog ? "wrote " : "hit ", stop.hits));
    if (stop.ignore > 0) add(absl::StrCat("passes ", stop.ignore, " more"));
    if (here) add("stopped here");
    return text;
  }

  void DrawRow(PanelContext& context, const StopRow& stop) {
    const ui::Palette& c = ui::Colors();
    const Snapshot& now = context.now;
    const std::string tag = absl::StrCat("row:", stop.number);
    ImGui::PushID(stop.number);
    const bool here = StoppedHere(now, stop);
    const Instruction* at = stop.at.empty() ? nullptr : stop.at.front();
    const bool selected = at != nullptr && stop.at.size() == 1 && context.selection.instruction == at;
    const ImVec2 before = ImGui::GetCursorScreenPos();
    const ui::RowState row = ui::Row(tag, kRow, selected && !here && editing_ != stop.number, here ? c.amber_fill : 0);
    ImGui::SetItemAllowOverlap();
    const ImVec2 after = ImGui::GetCursorScreenPos();
    ui::TagScope scope(tag);
    if (row.hovered && at != nullptr) context.selection.hover_next = at;
    // The sign: a click wakes it or puts it to sleep.
    const float side = ui::Px(kRow);
    ImGui::SetCursorScreenPos(before);
    if (ImGui::InvisibleButton("sign", {side, side})) context.run(absl::StrCat(stop.enabled ? "disable " : "enable ", stop.number));
    const bool on_sign = ImGui::IsItemHovered();
    ui::Tooltip(stop.enabled ? "click: disable" : "click: enable");
    ui::Tag("sign", before, {before.x + side, before.y + side});
    if (on_sign) ImGui::GetWindowDrawList()->AddCircle({before.x + side / 2, before.y + side / 2}, ui::Px(9), c.border);
    DrawSign(stop, {before.x + side / 2, before.y + side / 2});
    // Buttons at the end, when the mouse is in the row.
    float right = row.max.x - ui::Px(4);
    const bool inside = ImGui::IsMouseHoveringRect(row.min, row.max) && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    const auto button = [&](const char* name, ui::Icon icon, const char* tip) {
      right -= ui::Px(24);
      ImGui::SetCursorScreenPos({right, row.min.y + ui::Px(1)});
      return ui::IconButton(name, icon, tip);
    };
    bool edit = false;
    if (inside && editing_ != stop.number) {
      if (button("delete", ui::Icon::kClose, "delete")) context.run(absl::StrCat("delete ", stop.number));
      if (button("edit", ui::Icon::kEdit, stop.kind == StopRow::kLog ? "edit the text and the condition" : "edit the condition and the count")) edit = true;
    }
    // The texts, with what there is room for.
    float x = row.min.x + side + ui::Px(4);
    const float y = row.min.y + std::floor((ui::Px(kRow) - ui::Type().mono->FontSize) / 2);
    const std::string details = Details(stop, here), where = Where(stop);
    const float details_width = details.empty() ? 0 : ui::Measure(ui::Type().ui, details).x + ui::Px(12);
    const bool has_condition = !stop.condition.empty() || stop.kind == StopRow::kLog;
    const float room = right - x;
    const float where_room = std::min(ui::Measure(ui::Type().mono, where).x, std::max(room * 0.4f, room - details_width - (has_condition ? ui::Px(90) : 0)));
    bool cut = false;
    x += ui::DrawTextIn({x, y}, where_room, stop.enabled ? c.text : c.dim, ui::Type().mono, where, &cut) + ui::Px(10);
    if (has_condition && right - x > ui::Px(30)) {
      const std::string text = stop.kind == StopRow::kLog ? absl::StrCat("\u201c", stop.text, "\u201d", stop.condition.empty() ? "" : absl::StrCat(" if ", stop.condition)) : absl::StrCat("if ", stop.condition);
      bool condition_cut = false;
      const float most = std::max(ui::Px(40), right - x - details_width);
      const float width = DrawCode({x, y}, std::min(most, right - x), c.dim, ui::Type().mono, text, &condition_cut);
      cut |= condition_cut;
      ui::Tag("condition", {x, row.min.y}, {x + width, row.max.y});
      x += width + ui::Px(10);
    }
    if (right - x > ui::Px(20)) ui::DrawTextIn({x, y}, right - x, here ? c.amber : c.dim, ui::Type().ui, details, &cut);
    if (cut && row.hovered && !on_sign) {
      ImGui::SetCursorScreenPos(before);
      ImGui::SetTooltip("%s", absl::StrCat(where, stop.condition.empty() ? "" : absl::StrCat("\nif ", stop.condition), stop.text.empty() ? "" : absl::StrCat("\n", stop.text), details.empty() ? "" : absl::StrCat("\n", details)).c_str());
    }
    ui::TagFact("text", absl::StrCat(where, stop.condition.empty() ? "" : absl::StrCat(" if ", stop.condition), details.empty() ? "" : absl::StrCat(" \u00b7 ", details)));
    if (edit || (row.double_clicked && editing_ != stop.number && !on_sign)) {
      Edit(stop);
    } else if (ui::RowRemoved(tag)) {
      context.run(absl::StrCat("delete ", stop.number));
    } else if (row.clicked && !on_sign && editing_ != stop.number && at != nullptr) {
      context.select(at, {});
    }
    if (row.right_clicked) ImGui::OpenPopup("stop menu");
    DrawMenu(context, stop);
    ImGui::SetCursorScreenPos(after);
    if (editing_ == stop.number) DrawEditor(context, stop);
    ImGui::PopID();
  }

  void Edit(const StopRow& stop) {
    editing_ = stop.number;
    condition_ = stop.condition;
    text_ = stop.text;
    count_ = stop.ignore > 0 ? absl::StrCat(stop.ignore) : "";
    focus_ = true;
  }

  // Under its row, a field for each thing that can be changed. Enter takes all of them over, Escape none.
  void DrawEditor(PanelContext& context, const StopRow& stop) {
    const ui::Palette& c = ui::Colors();
    const ImVec2 begin = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, label = ui::Px(kRow + 4), field = label + ui::Px(52), step = ui::Px(30);
    const bool log = stop.kind == StopRow::kLog;
    bool entered = false;
    float y = begin.y;
    if (std::exchange(focus_, false)) ui::FocusNext();
    const auto line = [&](const char* name, const char* says, std::string* text, const char* hint) {
      ui::DrawText({begin.x + label, y + ui::Px(6)}, c.dim, ui::Type().ui, says);
      ImGui::SetCursorScreenPos({begin.x + field, y});
      bool enter = false;
      ui::Field(name, text, hint, (width - field - ui::Px(4)) / ui::TheLook().scale, &enter, true);
      entered |= enter;
      y += step;
    };
    if (log) line("text", "writes", &text_, "text with {expressions}");
    line("field", "if", &condition_, "always: no condition");
    if (!log) line("count", "passes", &count_, "no times: stops at once");
    const ImVec2 end = {begin.x + width, y + ui::Px(4)};
    ImGui::SetCursorScreenPos(begin);
    ImGui::Dummy({width, end.y - begin.y});
    const bool elsewhere = ImGui::IsMouseClicked(0) && !ImGui::IsMouseHoveringRect({begin.x, begin.y - ui::Px(kRow)}, end, false);
    if (entered) Apply(context, stop);
    if (entered || elsewhere || ui::Pressed("Escape")) editing_ = 0;
  }

  void Apply(PanelContext& context, const StopRow& stop) const {
    const std::string condition(absl::StripAsciiWhitespace(condition_)), text(absl::StripAsciiWhitespace(text_)), count(absl::StripAsciiWhitespace(count_));
    if (stop.kind == StopRow::kLog && text != stop.text) context.run(absl::StrCat("redefine ", stop.number, " ", text));
    if (condition != stop.condition) context.run(absl::StrCat("condition ", stop.number, condition.empty() ? "" : " ", condition));
    if (count != (stop.ignore > 0 ? absl::StrCat(stop.ignore) : "")) context.run(absl::StrCat("ignore ", stop.number, " ", count.empty() ? "0" : count));
  }

  void DrawMenu(PanelContext& context, const StopRow& stop) {
    if (!ImGui::BeginPopup("stop menu")) return;
    const auto item = [&](const char* name, const std::string& label, const std::string& command) {
      if (ImGui::MenuItem(label.c_str())) context.run(command);
      ui::Tag(name);
    };
    item("toggle", stop.enabled ? "Disable" : "Enable", absl::StrCat(stop.enabled ? "disable " : "enable ", stop.number));
    if (ImGui::MenuItem("Edit...")) Edit(stop);
    ui::Tag("condition");
    if (!stop.condition.empty()) item("no-condition", "No condition", absl::StrCat("condition ", stop.number));
    for (const int n : {1, 10, 100}) item(absl::StrCat("ignore:", n).c_str(), absl::StrCat("Pass ", Count(n, "time")), absl::StrCat("ignore ", stop.number, " ", n));
    if (stop.ignore > 0) item("ignore:0", "Pass no more", absl::StrCat("ignore ", stop.number, " 0"));
    item("once", "Stop once, then sleep", absl::StrCat("enable once ", stop.number));
    ImGui::Separator();
    item("delete", "Delete", absl::StrCat("delete ", stop.number));
    item("delete-all", "Delete all", "delete");
    ImGui::EndPopup();
  }

  // A field: a location alone is a breakpoint; what begins with another word of these is that command.
  static std::string CommandOf(absl::string_view text) {
    static constexpr absl::string_view kWords[] = {"break ", "b ", "tbreak ", "tb ", "watch ", "logpoint ", "log ", "catch "};
    if (std::any_of(std::begin(kWords), std::end(kWords), [&](absl::string_view w) { return absl::StartsWith(text, w); })) return std::string(text);
    return absl::StrCat("break ", absl::StripPrefix(text, "%"));
  }

  void DrawFoot(PanelContext& context) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({at.x, at.y + ui::Px(4)});
    const float width = ImGui::GetContentRegionAvail().x;
    const bool nan = std::any_of(context.now.stops.begin(), context.now.stops.end(), [](const StopRow& s) { return s.kind == StopRow::kCatch && s.what == "nan"; });
    const bool chip = !nan && width > ui::Px(260);
    const float chip_width = chip ? ui::Measure(ui::Type().ui, "first NaN").x + ui::Px(2 * 10 + 6 + 14) + ui::Px(6) : 0;
    bool entered = false;
    sent_.GiveKeyboard();
    ui::Field("add", &add_, width > ui::Px(420) ? "a name, op:dot, /regex/, watch %x, catch inf" : width > ui::Px(250) ? "name, op:dot, watch %x" : "location", (width - chip_width) / ui::TheLook().scale, &entered, true);
    if (ImGui::IsItemHovered() && add_.empty()) ui::Tooltip("%dot.5 \u00b7 op:dot,add \u00b7 shape:f32[*,128] \u00b7 model.py:142 \u00b7 /regex/ \u00b7 %x if any(isnan(%x)) \u00b7 watch %loss \u00b7 logpoint %x loss {%x} \u00b7 catch nan");
    if (entered && !absl::StripAsciiWhitespace(add_).empty()) {
      sent_.Send(context, CommandOf(absl::StripAsciiWhitespace(add_)), add_);
    }
    if (chip) {
      ImGui::SetCursorScreenPos({at.x + width - chip_width + ui::Px(6), at.y + ui::Px(2)});
      if (ui::Button("catch-nan", "first NaN", ui::Icon::kPlus, ui::ButtonKind::kPlain, "catch nan: stops where the first NaN is made")) context.run("catch nan");
    }
    if (!sent_.error().empty()) ImGui::SetCursorScreenPos({at.x + ui::Px(2), at.y + ui::Px(36)});
    sent_.DrawError();
  }

  std::string add_, condition_, text_, count_;
  FieldCommand sent_;  // of the field `add`
  int editing_ = 0;
  bool focus_ = false;
};

}  // namespace

std::unique_ptr<Panel> MakeBreakpointsPanel() { return std::make_unique<BreakpointsPanel>(); }

}  // namespace hloscope
