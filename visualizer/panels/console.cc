// The console: the lines, as text that can be selected and whose %names can be clicked, and a field for commands with history and completion.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/completion.h"
#include "core/debug/session_state.h"
#include "imgui.h"
#include "imgui_internal.h"
#include "imgui_stdlib.h"
#include "visualizer/canvas/typeface.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/value_note.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/first_field.h"
#include "visualizer/widgets/keys.h"
#include "visualizer/widgets/letters.h"

namespace hloscope {
namespace {

constexpr absl::string_view kPrompt = "(hlo) ";
constexpr size_t kMostHistory = 300;

class ConsolePanel : public Panel {
 public:
  float padding() const override { return 8; }

  void Draw(PanelContext& context) override {
    const float field_height = ui::Px(30);
    ImGui::BeginChild("lines", {0, -field_height - ui::Px(4)}, false);
    DrawLines(context);
    ImGui::EndChild();
    DrawField(context);
  }

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override {
    if (absl::ConsumePrefix(&args, "type ")) {
      line_ = absl::StrCat(args, " ");
      refocus_ = to_end_ = true;
      return true;
    }
    return false;
  }

  void Save(nlohmann::json& to) const override { to["history"] = history_; }
  void Load(const nlohmann::json& from) override {
    if (!from.contains("history") || !from["history"].is_array()) return;
    for (const nlohmann::json& line : from["history"]) {
      if (line.is_string() && history_.size() < kMostHistory) history_.push_back(line.get<std::string>());
    }
  }

 private:
  // A line is as many rows as it needs in the panel's width.
  struct Row {
    size_t line = 0, begin = 0, end = 0;  // bytes of what is shown
  };
  struct Place {
    size_t line = 0, at = 0;
    friend auto operator<=>(const Place&, const Place&) = default;
  };

  static std::string Shown(const ConsoleLine& line) { return line.kind == ConsoleLine::kCommand ? absl::StrCat(kPrompt, line.text) : line.text; }
  static size_t LetterEnd(absl::string_view text, size_t at) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
    return at;
  }

  // Of the letter that begins there.
  static size_t CellsAt(absl::string_view text, size_t at) {
    if (at >= text.size() || static_cast<unsigned char>(text[at]) < 0x80) return 1;
    text.remove_prefix(at);
    return static_cast<size_t>(CellsOf(TakeCharacter(text)));
  }

  void Wrap(const std::vector<ConsoleLine>& lines, size_t columns) {
    if (columns != columns_ || lines.size() < wrapped_) {
      columns_ = columns;
      rows_.clear();
      wrapped_ = 0;
      anchor_ = head_ = Place();
    }
    for (; wrapped_ < lines.size(); ++wrapped_) {
      const std::string text = Shown(lines[wrapped_]);
      size_t begin = 0;
      do {
        size_t end = begin;
        for (size_t n = CellsAt(text, end); n <= columns && end < text.size(); n += CellsAt(text, end)) end = LetterEnd(text, end);
        // Between words, where that does not cost half the row.
        if (end < text.size() && text[end] != ' ') {
          const size_t space = text.rfind(' ', end - 1);
          if (space != std::string::npos && space > begin + (end - begin) / 2) end = space + 1;
        }
        rows_.push_back({wrapped_, begin, end});
        begin = end;
      } while (begin < text.size());
    }
  }

  void DrawLines(PanelContext& context) {
    const std::vector<ConsoleLine>& lines = context.console;
    const std::vector<Engine::Waiting> waiting = context.engine.waiting();
    if (lines.empty() && waiting.empty()) {
      ui::EmptyHint(ui::Icon::kConsole, "Commands and their answers; what the mouse does is written here as the command it is.", "Type help and press Enter.");
      return;
    }
    ImFont* font = ui::Type().mono;
    const float height = ui::Px(19), letter = std::max(1.0f, ui::Measure(font, "0").x);
    Wrap(lines, static_cast<size_t>(std::max(20.0f, (ImGui::GetContentRegionAvail().x - ui::Px(10)) / letter)));
    const ImVec2 origin = ImGui::GetCursorScreenPos();
    Mouse(context, origin, height, letter);
    const Place from = std::min(anchor_, head_), to = std::max(anchor_, head_);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(rows_.size()), height);
    while (clipper.Step()) {
      for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
        const Row& row = rows_[static_cast<size_t>(k)];
        const std::string text = Shown(lines[row.line]);
        const ImVec2 at = {origin.x, origin.y + height * static_cast<float>(k)};
        if (from < to && Place{row.line, row.begin} < to && from < Place{row.line, row.end}) {
          const size_t a = from.line == row.line ? std::clamp(from.at, row.begin, row.end) : row.begin, b = to.line == row.line ? std::clamp(to.at, row.begin, row.end) : row.end;
          const float x = at.x + ui::Measure(font, absl::string_view(text).substr(row.begin, a - row.begin)).x;
          const float width = ui::Measure(font, absl::string_view(text).substr(a, b - a)).x;
          ImGui::GetWindowDrawList()->AddRectFilled({x, at.y}, {x + std::max(width, ui::Px(3)), at.y + height}, ui::Colors().blue_fill);
        }
        DrawRow(lines[row.line], text, row, {at.x, at.y + (height - font->FontSize) / 2});
      }
    }
    for (size_t k = 0; k < waiting.size(); ++k) DrawWaiting(context, waiting[k].command, k, height);
    ImGui::PopStyleVar();
    if (const std::pair seen(lines.size(), waiting.size()); seen != seen_) {  // a line may have more rows than the command that waited
      seen_ = seen;
      scrolls_ = 3;
    }
    if (scrolls_ > 0) {  // more than once: the room that there is to scroll is known a frame later
      --scrolls_;
      ImGui::SetScrollHereY(1);
    }
    ui::TagFact("last", lines.empty() ? "" : lines.back().text);
    if (ui::TheTags().on) ui::TagFact("end", End(lines));
    ui::TagFact("waiting", absl::StrCat(waiting.size()));
    if (ui::TheTags().on) ui::TagFact("marked", Marked(lines));
  }

  // A command that waits for the one that runs: echoed at once, and to be taken back.
  static void DrawWaiting(PanelContext& context, const std::string& command, size_t k, float height) {
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().mono;
    ImFont* small = ui::Type().small;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x - ui::Px(4), side = ui::Px(16);
    const std::string note = "waits";
    const float tail = ui::Measure(small, note).x + side + ui::Px(18), y = at.y + (height - font->FontSize) / 2;
    const float drawn = ui::DrawTextIn({at.x, y}, std::max(0.0f, room - tail), c.faint, font, absl::StrCat(kPrompt, command));
    const float x = at.x + drawn + ui::Px(10);
    ui::DrawText({x, at.y + (height - small->FontSize) / 2}, c.faint, small, note);
    const ImVec2 cross = {x + ui::Measure(small, note).x + ui::Px(6), at.y + std::floor((height - side) / 2)};
    ImGui::SetCursorScreenPos(cross);
    ImGui::PushID(static_cast<int>(k));
    if (ImGui::InvisibleButton("take back", {side, side})) context.run(absl::StrCat("window cancel ", k + 1));
    ImGui::PopID();
    const bool hovered = ImGui::IsItemHovered();
    if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kClose, {cross.x + ui::Px(2), cross.y + ui::Px(2)}, ui::Px(12), hovered ? c.text : c.dim);
    ui::Tag(absl::StrCat("waiting:", k + 1));
    ui::Tooltip("Take this command back before its turn comes");
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({1, height});
  }

  static void DrawRow(const ConsoleLine& line, const std::string& text, const Row& row, ImVec2 at) {
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().mono;
    size_t begin = row.begin;
    ImU32 color = c.dim;
    switch (line.kind) {
      case ConsoleLine::kCommand:
        if (begin == 0) {
          ui::DrawText(at, c.faint, font, kPrompt);
          at.x += ui::Measure(font, kPrompt).x;
          begin = std::min(kPrompt.size(), row.end);
        }
        color = c.text;
        break;
      case ConsoleLine::kError: color = c.red; break;
      case ConsoleLine::kNote: color = c.blue; break;
      case ConsoleLine::kOutput:
        // What stopped stands out, the rest of its line is as others are.
        for (const auto& [word, ink] : {std::pair("Breakpoint ", c.amber), std::pair("Temporary breakpoint ", c.amber), std::pair("Watch ", c.amber), std::pair("Catch ", c.pink)}) {
          const size_t comma = text.find(", ");
          if (begin > 0 || !absl::StartsWith(text, word) || comma == std::string::npos || comma > row.end) continue;
          const absl::string_view number = absl::string_view(text).substr(strlen(word), comma - strlen(word));
          if (!std::all_of(number.begin(), number.end(), absl::ascii_isdigit)) continue;
          ui::DrawText(at, ink, font, absl::string_view(text).substr(0, comma));
          at.x += ui::Measure(font, absl::string_view(text).substr(0, comma)).x;
          begin = comma;
        }
        break;
    }
    DrawCodePart(at, color, font, text, begin, row.end);
  }

  Place PlaceAt(const std::vector<ConsoleLine>& lines, ImVec2 origin, float height, float letter) const {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto k = static_cast<int64_t>(std::floor((mouse.y - origin.y) / height));
    if (k < 0 || rows_.empty()) return {0, 0};
    if (k >= static_cast<int64_t>(rows_.size())) return {rows_.back().line, rows_.back().end};
    const Row& row = rows_[static_cast<size_t>(k)];
    const std::string text = Shown(lines[row.line]);
    size_t at = row.begin;
    for (auto n = static_cast<int64_t>((mouse.x - origin.x) / letter); n > 0 && at < row.end;) {
      n -= static_cast<int64_t>(CellsAt(text, at));
      at = LetterEnd(text, at);
    }
    return {row.line, at};
  }

  // Dragging selects text, a click on a %name the instruction.
  void Mouse(PanelContext& context, ImVec2 origin, float height, float letter) {
    const std::vector<ConsoleLine>& lines = context.console;
    const ImGuiIO& io = ImGui::GetIO();
    const bool on_popup = popup_open_ && io.MousePos.x >= popup_min_.x && io.MousePos.x < popup_max_.x && io.MousePos.y >= popup_min_.y && io.MousePos.y < popup_max_.y;
    const bool hovered = ImGui::IsWindowHovered() && !on_popup;
    const bool on_scrollbar = io.MousePos.x > ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
    const Place place = PlaceAt(lines, origin, height, letter);
    if (hovered && !on_scrollbar) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
      if (place.line < lines.size()) {
        const std::string text = Shown(lines[place.line]);
        if (const Instruction* named = Named(context.now, NameAround(text, place.at))) {
          context.selection.hover_next = named;
          ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
        }
      }
      if (ImGui::IsMouseClicked(0)) {
        anchor_ = head_ = place;
        marking_ = true;
      }
      if (ImGui::IsMouseClicked(1)) ImGui::OpenPopup("console menu");
    }
    if (marking_ && ImGui::IsMouseDown(0)) head_ = place;
    if (marking_ && !ImGui::IsMouseDown(0)) {
      marking_ = false;
      if (anchor_ == head_ && place.line < lines.size()) {
        const std::string text = Shown(lines[place.line]);
        if (const Instruction* named = Named(context.now, NameAround(text, place.at))) context.select(named, {});
      }
    }
    const bool any = anchor_ != head_;
    if (any && context.focused && !io.WantTextInput && ui::Pressed("Ctrl+C")) ImGui::SetClipboardText(Marked(lines).c_str());
    if (!ImGui::BeginPopup("console menu")) return;
    if (ImGui::MenuItem("Copy", "Ctrl+C", false, any)) ImGui::SetClipboardText(Marked(lines).c_str());
    ui::Tag("copy");
    if (ImGui::MenuItem("Copy all")) {
      std::string all;
      for (const ConsoleLine& line : lines) absl::StrAppend(&all, Shown(line), "\n");
      ImGui::SetClipboardText(all.c_str());
    }
    ui::Tag("copy-all");
    if (ImGui::MenuItem("Select all")) {
      anchor_ = Place();
      head_ = {lines.size() - 1, Shown(lines.back()).size()};
    }
    ui::Tag("select-all");
    ImGui::EndPopup();
  }

  // What the last lines say.
  static std::string End(const std::vector<ConsoleLine>& lines) {
    constexpr size_t kLines = 8;
    std::string text;
    for (size_t k = lines.size() - std::min(lines.size(), kLines); k < lines.size(); ++k) absl::StrAppend(&text, lines[k].text, "\n");
    return text;
  }

  std::string Marked(const std::vector<ConsoleLine>& lines) const {
    const Place from = std::min(anchor_, head_), to = std::max(anchor_, head_);
    std::string text;
    for (size_t k = from.line; k <= to.line && k < lines.size() && from < to; ++k) {
      const std::string shown = Shown(lines[k]);
      const size_t a = k == from.line ? std::min(from.at, shown.size()) : 0, b = k == to.line ? std::min(to.at, shown.size()) : shown.size();
      absl::StrAppend(&text, k > from.line ? "\n" : "", absl::string_view(shown).substr(a, b - a));
    }
    return text;
  }

  // In the selected frame first, then in the entry, then anywhere.
  static const Instruction* Named(const Snapshot& now, absl::string_view name) {
    if (!absl::ConsumePrefix(&name, "%") || now.module == nullptr) return nullptr;
    for (int k = std::min<int>(now.selected_frame, static_cast<int>(now.frames.size()) - 1); k >= 0; --k) {
      if (const Instruction* found = now.frames[k].computation->FindInstruction(name)) return found;
    }
    if (now.module->entry != nullptr) {
      if (const Instruction* found = now.module->entry->FindInstruction(name)) return found;
    }
    for (const Computation* computation : now.module->computations) {
      if (const Instruction* found = computation->FindInstruction(name)) return found;
    }
    return nullptr;
  }

  // -- The field --
  // As far as all that are offered agree; empty: no further than what is typed.
  std::string Common() const {
    std::string common = offered_->front();
    for (const std::string& other : *offered_) {
      size_t n = 0;
      while (n < common.size() && n < other.size() && common[n] == other[n]) ++n;
      common.resize(n);
    }
    return common;
  }

  // What is not the whole word yet goes on: a folder, a function, a kind of place.
  static std::string WithSpace(absl::string_view word) {
    return absl::StrCat(word, word.find_last_of("/(:") + 1 == word.size() ? "" : " ");
  }

  // The line with its last word completed: by the chosen one, or as far as it is certain.
  std::string Completed(absl::string_view line) const {
    const size_t begin = CompletionBegin(line);
    if (chosen_ >= 0 && chosen_ < static_cast<int>(offered_->size()))
      return absl::StrCat(line.substr(0, begin), WithSpace((*offered_)[static_cast<size_t>(chosen_)]));
    std::string word = Common();
    if (!absl::StartsWith(word, line.substr(begin))) return std::string(line);
    if (offered_->size() == 1) word = WithSpace(word);
    return absl::StrCat(line.substr(0, begin), word);
  }

  bool Offering() const { return offered_ != nullptr && !offered_->empty() && popup_open_; }

  static int OnEdit(ImGuiInputTextCallbackData* data) { return static_cast<ConsolePanel*>(data->UserData)->Edit(data); }
  int Edit(ImGuiInputTextCallbackData* data) {
    const auto replace = [data](const std::string& text) {
      data->DeleteChars(0, data->BufTextLen);
      data->InsertChars(0, text.c_str());
    };
    switch (data->EventFlag) {
      case ImGuiInputTextFlags_CallbackAlways:
        if (std::exchange(to_end_, false)) data->CursorPos = data->SelectionStart = data->SelectionEnd = data->BufTextLen;
        break;
      case ImGuiInputTextFlags_CallbackEdit:
        from_history_ = false;
        chosen_ = -1;
        break;
      case ImGuiInputTextFlags_CallbackHistory: {
        const bool up = data->EventKey == ImGuiKey_UpArrow;
        if (Offering()) {
          // The list lies above the field: its first is at the top.
          const int count = static_cast<int>(offered_->size());
          chosen_ = up ? (chosen_ <= 0 ? count - 1 : chosen_ - 1) : (chosen_ + 1) % count;
          break;
        }
        if (history_.empty() || (!up && at_history_ < 0)) break;
        const int count = static_cast<int>(history_.size());
        at_history_ = up ? (at_history_ < 0 ? count - 1 : std::max(0, at_history_ - 1)) : at_history_ + 1;
        if (at_history_ >= count) at_history_ = -1;
        replace(at_history_ < 0 ? "" : history_[static_cast<size_t>(at_history_)]);
        from_history_ = true;
        break;
      }
      case ImGuiInputTextFlags_CallbackCompletion:
        if (offered_ == nullptr || offered_->empty()) break;
        // A second Tab that gets no further goes through the list.
        if (std::string done = Completed({data->Buf, static_cast<size_t>(data->BufTextLen)}); done != absl::string_view(data->Buf, static_cast<size_t>(data->BufTextLen))) {
          replace(done);
          chosen_ = -1;
        } else {
          chosen_ = 0;
        }
        from_history_ = false;
        break;
      default: break;
    }
    return 0;
  }

  void DrawField(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().mono;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float prompt = ui::Measure(font, kPrompt).x;
    ui::DrawText({at.x, at.y + ui::Px(4)}, c.blue, font, kPrompt);
    ImGui::SetCursorScreenPos({at.x + prompt, at.y});
    TakeClick();
    ImGui::PushFont(font);
    ImGui::SetNextItemWidth(-1);
    if (refocus_) ui::FocusNext();
    ui::TakeKeyboardIfFirst();
    refocus_ = false;
    ImGui::PushStyleColor(ImGuiCol_FrameBg, ImGui::ColorConvertU32ToFloat4(c.sunken));
    const bool entered = ImGui::InputText("##command", &line_,
                                          ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory | ImGuiInputTextFlags_CallbackCompletion |
                                              ImGuiInputTextFlags_CallbackAlways | ImGuiInputTextFlags_CallbackEdit,
                                          OnEdit, this);
    ImGui::PopStyleColor();
    ImGui::PopFont();
    ui::NoteLetters(font, line_);
    ui::Tag("field");
    ui::TagFact("line", line_);
    const bool active = ImGui::IsItemActive(), was_open = popup_open_;
    const ImVec2 field = ImGui::GetItemRectMin();
    popup_open_ = false;
    if (active && !line_.empty() && !from_history_) {
      if (ui::Pressed("Escape")) from_history_ = true;  // away until the next letter
      const std::shared_ptr<const std::vector<std::string>> before = offered_;
      const bool of_window = Complete(context);
      if (offered_ != before && chosen_ >= 0 && (offered_ == nullptr || chosen_ >= static_cast<int>(offered_->size()))) chosen_ = -1;
      // While the answer to the last letter is on its way, the list of the letter before stays.
      if (offered_ != nullptr && (of_window || completions_.fresh() || was_open)) DrawCompletions(field);
    } else if (!entered) {
      if (!active) chosen_ = -1;
      if (!active || line_.empty()) offered_ = nullptr;
    }
    if (entered) Enter(context);
  }

  // What `window` does is not the session's: it is completed at once, and true.
  bool Complete(PanelContext& context) {
    if (!absl::StartsWith(line_, "window ")) {
      completed_.clear();
      offered_ = completions_.Get(context.engine, line_, [line = line_](Session::State& s) -> absl::StatusOr<std::vector<std::string>> { return s.session->Complete(line); });
      return false;
    }
    if (std::exchange(completed_, line_) != line_ || offered_ == nullptr) offered_ = std::make_shared<const std::vector<std::string>>(context.complete_window(line_));
    return true;
  }

  void Enter(PanelContext& context) {
    refocus_ = true;
    if (chosen_ >= 0 && offered_ != nullptr && !offered_->empty()) {
      line_ = Completed(line_);
      chosen_ = -1;
      to_end_ = true;
      return;
    }
    std::string command(absl::StripAsciiWhitespace(line_));
    if (!command.empty() && (history_.empty() || history_.back() != command)) history_.push_back(command);
    if (history_.size() > kMostHistory) history_.erase(history_.begin());
    at_history_ = -1;
    from_history_ = false;
    offered_ = nullptr;
    line_.clear();
    context.run(command);
  }

  // A click into the list of completions, which lies over the lines.
  void TakeClick() {
    if (!popup_open_ || !ImGui::IsMouseClicked(0) || offered_ == nullptr) return;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (mouse.x < popup_min_.x || mouse.x >= popup_max_.x || mouse.y < popup_min_.y || mouse.y >= popup_max_.y) return;
    const int k = first_shown_ + static_cast<int>((mouse.y - popup_min_.y - ui::Px(4)) / ui::Px(20));
    if (k < 0 || k >= static_cast<int>(offered_->size())) return;
    chosen_ = k;
    clicked_line_ = Completed(line_);
    line_ = clicked_line_;
    chosen_ = -1;
    refocus_ = to_end_ = true;
    ImGui::ClearActiveID();
  }

  void DrawCompletions(ImVec2 field) {
    const int count = static_cast<int>(offered_->size()), most = 10;
    if (count == 0 || (count == 1 && absl::EndsWith(line_, offered_->front()))) return;
    const int shown = std::min(count, most);
    first_shown_ = std::clamp(chosen_ - most / 2, 0, count - shown);
    const float height = ui::Px(20);
    float width = ui::Px(160);
    for (int k = 0; k < shown; ++k) width = std::max(width, ui::Measure(ui::Type().mono, (*offered_)[static_cast<size_t>(first_shown_ + k)]).x + ui::Px(24));
    const bool more = count > shown;
    const float total = height * static_cast<float>(shown + (more ? 1 : 0)) + ui::Px(8);
    const size_t begin = CompletionBegin(line_);
    const float left = field.x + ui::Measure(ui::Type().mono, absl::string_view(line_).substr(0, begin)).x;
    popup_min_ = {left, field.y - total - ui::Px(4)};
    popup_max_ = {left + width, field.y - ui::Px(4)};
    popup_open_ = true;
    ImDrawList* list = ImGui::GetForegroundDrawList();
    const ui::Palette& c = ui::Colors();
    list->AddRectFilled({popup_min_.x, popup_min_.y + ui::Px(2)}, {popup_max_.x, popup_max_.y + ui::Px(3)}, c.shadow, ui::Px(6));
    list->AddRectFilled(popup_min_, popup_max_, c.raised, ui::Px(6));
    list->AddRect(popup_min_, popup_max_, c.border, ui::Px(6));
    ImFont* font = ui::Type().mono;
    const size_t typed = line_.size() - begin;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (int k = 0; k < shown; ++k) {
      const std::string& text = (*offered_)[static_cast<size_t>(first_shown_ + k)];
      const ImVec2 at = {popup_min_.x + ui::Px(8), popup_min_.y + ui::Px(4) + height * static_cast<float>(k)};
      const ImVec2 row_min = {popup_min_.x + ui::Px(3), at.y}, row_max = {popup_max_.x - ui::Px(3), at.y + height};
      const bool hovered = mouse.x >= row_min.x && mouse.x < row_max.x && mouse.y >= row_min.y && mouse.y < row_max.y;
      if (first_shown_ + k == chosen_ || hovered) list->AddRectFilled(row_min, row_max, first_shown_ + k == chosen_ ? c.blue_fill : c.hover, ui::Px(3));
      const float y = at.y + std::floor((height - font->FontSize) / 2);
      // What is typed already, and what would be added.
      const size_t same = absl::StartsWith(text, absl::string_view(line_).substr(begin)) ? std::min(typed, text.size()) : 0;
      ui::AddText(list, font, {at.x, y}, c.dim, absl::string_view(text).substr(0, same));
      ui::AddText(list, font, {at.x + ui::Measure(font, absl::string_view(text).substr(0, same)).x, y}, c.text, absl::string_view(text).substr(same));
      ui::Tag(absl::StrCat("offer:", text), row_min, row_max);
    }
    ui::TagFact("offered", absl::StrCat(count));
    ui::TagFact("chosen", chosen_ >= 0 ? (*offered_)[static_cast<size_t>(chosen_)] : "");
    if (more) {
      const std::string text = chosen_ >= 0 ? absl::StrCat(chosen_ + 1, " of ", count) : absl::StrCat(count - shown, " more");
      ui::AddText(list, ui::Type().small, {popup_min_.x + ui::Px(8), popup_max_.y - height}, c.faint, text);
    }
  }

  std::vector<Row> rows_;
  size_t columns_ = 0, wrapped_ = 0;
  std::pair<size_t, size_t> seen_;  // lines, and commands that wait, when it was scrolled to the end
  int scrolls_ = 0;                 // frames that still scroll there
  Place anchor_, head_;
  bool marking_ = false;

  std::string line_, clicked_line_;
  std::string completed_;  // the line behind window that `offered_` is of
  std::vector<std::string> history_;
  int at_history_ = -1, chosen_ = -1, first_shown_ = 0;
  bool refocus_ = false, to_end_ = false, from_history_ = false, popup_open_ = false;
  ImVec2 popup_min_, popup_max_;
  Live<std::vector<std::string>> completions_;
  std::shared_ptr<const std::vector<std::string>> offered_;
};

}  // namespace

std::unique_ptr<Panel> MakeConsolePanel() { return std::make_unique<ConsolePanel>(); }

}  // namespace hloscope
