// The graph panel: searching, and what stands round the canvas and over it: toolbar, legend, notes.
#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "visualizer/panels/graph_panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr int kSearchedInFrame = 6000;
constexpr float kLegendLine = 18;

bool ContainsLetters(absl::string_view text, absl::string_view lower) {
  const auto at = std::search(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) { return absl::ascii_tolower(static_cast<unsigned char>(a)) == b; });
  return at != text.end() || lower.empty();
}

// The legend's rows, each with its line and where it begins, from the left.
struct LegendPlaces {
  struct Row {
    ImU32 color = 0;
    std::string text;
    float x = 0;
    int line = 0;
  };
  std::vector<Row> rows;
  int lines = 1;
  bool narrow = false;  // what explains a row is in the tooltip alone
  bool cut = false;     // so are some rows
};

LegendPlaces PlaceLegend(const std::vector<std::pair<ImU32, std::string>>& legend, float width, int most) {
  ImFont* font = ui::Type().small;
  const float left = ui::Px(10), right = width - ui::Px(8), after = ui::Px(12);
  const auto width_of = [&](absl::string_view text) { return text.empty() ? ui::Px(8) : ui::Px(8) + ui::Measure(font, text).x + after; };
  LegendPlaces places;
  float all = left;
  for (const auto& [color, text] : legend) all += width_of(text);
  places.narrow = all - after > right;
  float x = left;
  for (const auto& [color, text] : legend) {
    const std::string shown = places.narrow ? text.substr(0, text.find_first_of(",;")) : text;
    if (x > left && x + width_of(shown) - after > right) {
      if (places.lines == most) {
        places.cut = true;
        places.rows.push_back({color, "\u2026", x, places.lines - 1});
        break;
      }
      ++places.lines;
      x = left;
    }
    places.rows.push_back({color, shown, x, places.lines - 1});
    x += width_of(shown);
  }
  return places;
}

}  // namespace

bool GraphPanel::Matches(const Instruction& i) const {
  absl::string_view wanted = lower_;
  // Operations by how they begin, as the program's own search finds them: while one is typed it is found already.
  if (absl::ConsumePrefix(&wanted, "op:")) return absl::StartsWith(Name(i.opcode), wanted);
  absl::ConsumePrefix(&wanted, "%");
  if (wanted.find('[') != absl::string_view::npos) return absl::StrContains(i.shape.ToString(false), wanted);
  return ContainsLetters(i.name, wanted) || absl::StartsWith(Name(i.opcode), wanted) || ContainsLetters(i.metadata.op_name, wanted);
}

void GraphPanel::Search(int most) {
  if (scene_ == nullptr || lower_.empty()) return;
  const Hierarchy& h = *scene_->hierarchy;
  const int end = std::min(h.instruction_count(), most > h.instruction_count() - searched_ ? h.instruction_count() : searched_ + most);
  for (; searched_ < end; ++searched_) {
    if (Matches(h.At(searched_))) matches_.push_back(&h.At(searched_));
  }
  if (searched_ < h.instruction_count()) ui::WantFrame();
  lit_scene_ = nullptr;
}

void GraphPanel::SetSearch(absl::string_view text) {
  search_ = std::string(text);
  lower_ = absl::AsciiStrToLower(absl::StripAsciiWhitespace(text));
  matches_.clear();
  searched_ = 0;
  match_ = -1;
  lit_scene_ = nullptr;
}

bool GraphPanel::Find(PanelContext& context, absl::string_view text) {
  SetSearch(text);
  Search(INT32_MAX);
  if (matches_.empty()) return false;
  // An exact name goes before all others.
  absl::string_view exact = text;
  absl::ConsumePrefix(&exact, "%");
  const auto at = std::find_if(matches_.begin(), matches_.end(), [&](const Instruction* i) { return i->name == exact; });
  match_ = at == matches_.end() ? -1 : static_cast<int>(at - matches_.begin()) - 1;
  NextMatch(context, 1);
  return true;
}

void GraphPanel::NextMatch(PanelContext& context, int step) {
  Search(INT32_MAX);
  if (matches_.empty()) return;
  const int n = static_cast<int>(matches_.size());
  match_ = ((match_ + step) % n + n) % n;
  if (only_.size() > 0 && std::find(only_.begin(), only_.end(), matches_[match_]) == only_.end()) Focus(context, {}, "");
  context.select(matches_[match_], {});
}

void GraphPanel::DrawToolbar(PanelContext& context) {
  const ui::Palette& c = ui::Colors();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, pad = ui::Px(8), field = ui::Px(24);
  const bool narrow = width < ui::Px(430);
  const float rows = narrow ? 2 : 1, height = rows * ui::Px(26) + (rows - 1) * ui::Px(4) + ui::Px(10);
  ImGui::SetCursorScreenPos({at.x + pad, at.y + ui::Px(6)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui::Px(6), ui::Px(4)});
  const float icons = 3 * (field + ui::Px(6)), combos = ui::Px(112) + ui::Px(84) + 2 * ui::Px(6);
  const float search = std::max(ui::Px(60), width - 2 * pad - icons - (narrow ? 0 : combos));
  bool entered = false;
  if (refocus_) ui::FocusNext();
  refocus_ = false;
  std::string text = search_;
  // The count stands behind the field, where a word cannot run under it.
  const std::string count = MatchesText();
  const float counted = count.empty() ? 0 : std::min(std::max(ui::Measure(ui::Type().small, count).x, ui::Px(44)) + ui::Px(8), search * 0.5f);
  if (ui::SearchField("search", &text, search - counted < ui::Px(170) ? "Find" : "Find in the graph", (search - counted) / ui::TheLook().scale, &entered)) SetSearch(text);
  if (counted > 0) {
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    ui::DrawTextIn({high.x + ui::Px(6), low.y + std::floor((high.y - low.y - ui::Type().small->FontSize) / 2)}, counted, matches_.empty() ? c.red : c.dim, ui::Type().small, count);
    ui::TagFact("matches", count);
  }
  if (entered && !lower_.empty()) {
    NextMatch(context, ImGui::GetIO().KeyShift ? -1 : 1);
    refocus_ = true;
  }
  Search(kSearchedInFrame);
  ImGui::SameLine(0, counted + ui::Px(6));
  if (!narrow) DrawCombos(context);
  if (ui::IconButton("around", ui::Icon::kLink, absl::StrCat("What lies within ", hops_, hops_ == 1 ? " hop" : " hops", " of the selection"), !only_.empty(), context.selection.instruction != nullptr || !only_.empty())) {
    context.run(only_.empty() ? absl::StrCat("window graph hops ", hops_) : "window graph whole");
  }
  ImGui::SameLine();
  if (ui::IconButton("follow", ui::Icon::kHere, follow_ ? "Follows the stop" : "Does not follow the stop", follow_)) context.run(follow_ ? "window graph follow off" : "window graph follow on");
  ImGui::SameLine();
  if (ui::IconButton("fit", ui::Icon::kFit, "Shows all of it, as far as it can be read (F); all of it however small: Shift+F")) context.run("window graph fit");
  if (narrow) {
    ImGui::SetCursorScreenPos({at.x + pad, at.y + ui::Px(6) + ui::Px(30)});
    DrawCombos(context);
    ImGui::NewLine();
  }
  ImGui::PopStyleVar();
  ImGui::GetWindowDrawList()->AddLine({at.x, at.y + height}, {at.x + width, at.y + height}, c.border);
  ImGui::SetCursorScreenPos({at.x, at.y + height + 1});
}

void GraphPanel::DrawCombos(PanelContext& context) {
  int by = static_cast<int>(colour_);
  static const auto& labels = *new std::vector<std::string>{"Class", "Type", "Time", "Memory", "Health", "Error"};
  if (ui::Combo("colour", labels, &by, 112)) context.run(absl::StrCat("window graph colour ", GraphColourNames()[by]));
  ImGui::SameLine();
  // With the number that was asked for, where it is another one.
  std::vector<int> numbers = {1, 2, 3, 4, 6, 9};
  if (std::find(numbers.begin(), numbers.end(), hops_) == numbers.end()) numbers.insert(std::upper_bound(numbers.begin(), numbers.end(), hops_), hops_);
  std::vector<std::string> hops;
  int chosen = 0;
  for (size_t k = 0; k < numbers.size(); ++k) {
    hops.push_back(absl::StrCat(numbers[k], numbers[k] == 1 ? " hop" : " hops"));
    if (numbers[k] == hops_) chosen = static_cast<int>(k);
  }
  if (ui::Combo("hops", hops, &chosen, 84)) {
    hops_ = numbers[static_cast<size_t>(chosen)];
    if (!only_.empty() && path_.empty() && context.selection.instruction != nullptr) context.run(absl::StrCat("window graph hops ", hops_));
  }
  ImGui::SameLine();
}

std::string GraphPanel::MatchesText() const {
  if (lower_.empty() || scene_ == nullptr) return "";
  const bool done = searched_ >= scene_->hierarchy->instruction_count();
  return matches_.empty() ? (done ? "none" : "") : match_ >= 0 ? absl::StrCat(match_ + 1, " of ", matches_.size()) : absl::StrCat(matches_.size());
}

void GraphPanel::DrawLegend(PanelContext& context, ImVec2 min, ImVec2 max) {
  const ui::Palette& c = ui::Colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = ui::Type().small;
  list->AddLine({min.x, min.y}, {max.x, min.y}, c.border);
  if (const InstructionFigures* missing = colours_.Missing()) {
    const float width = std::min(max.x - min.x - ui::Px(16), ui::Measure(font, missing->missing).x + ui::Px(24) + ui::Measure(ui::Type().ui, missing->command).x + ui::Px(24));
    const ImVec2 a = {min.x + ui::Px(2), min.y + ui::Px(2)}, b = {a.x + width, max.y - ui::Px(2)};
    const float button = ui::Measure(ui::Type().ui, missing->command).x + ui::Px(20);
    ui::DrawTextIn({a.x + ui::Px(8), a.y + ui::Px(11)}, width - button - ui::Px(20), c.dim, font, missing->missing);
    ImGui::SetCursorScreenPos({b.x - button - ui::Px(4), a.y + ui::Px(4)});
    if (ui::Button("measure", missing->command, ui::Icon::kNone, ui::ButtonKind::kLink, "Runs the program for it")) context.run(missing->command);
    return;
  }
  const LegendPlaces places = PlaceLegend(colours_.Legend(), max.x - min.x, static_cast<int>((max.y - min.y) / ui::Px(kLegendLine)));
  for (const LegendPlaces::Row& row : places.rows) {
    const float x = min.x + row.x, y = min.y + ui::Px(5) + ui::Px(kLegendLine) * static_cast<float>(row.line);
    if (row.text == "\u2026") {
      ui::DrawText({x, y + ui::Px(1)}, c.faint, font, row.text);
      break;
    }
    list->AddRectFilled({x, y + ui::Px(3)}, {x + ui::Px(4), y + ui::Px(13)}, row.color, ui::Px(1));
    ui::DrawText({x + ui::Px(8), y + ui::Px(1)}, c.dim, font, row.text);
  }
  ui::TagFact("legend", absl::StrCat(places.narrow ? "narrow" : "whole", places.lines > 1 ? ", two lines" : "", places.cut ? ", cut" : ""));
  if (!places.narrow) return;
  std::string whole;
  for (const auto& [color, text] : colours_.Legend()) {
    if (!text.empty()) absl::StrAppend(&whole, whole.empty() ? "" : "\n", text);
  }
  ImGui::SetCursorScreenPos(min);
  ImGui::Dummy({max.x - min.x, max.y - min.y});
  ui::Tag("legend");
  ui::Tooltip(whole);
}

float GraphPanel::LegendHeight(float width, int most) const {
  return ui::Px(8) + ui::Px(kLegendLine) * static_cast<float>(PlaceLegend(colours_.Legend(), width, most).lines);
}

std::string GraphPanel::FocusText() const {
  return absl::StrCat(focus_text_, scene_ != nullptr && scene_->one_call ? "; what several of the calls share is shown in one of them" : "");
}

void GraphPanel::DrawFocus(PanelContext& context, ImVec2 min, ImVec2 max) {
  const ui::Palette& c = ui::Colors();
  ImFont* font = ui::Type().small;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(min, max, ui::Mix(c.panel, c.blue_fill, 0.5f));
  list->AddLine({min.x, max.y}, max, c.border);
  const float close = ui::Px(24), x = min.x + ui::Px(10), most = max.x - x - close - ui::Px(12);
  const std::string text = FocusText();
  bool cut = false;
  const float width = ui::DrawTextIn({x, min.y + std::floor((max.y - min.y - font->FontSize) / 2)}, most, c.blue, font, text, &cut);
  if (cut && ImGui::IsMouseHoveringRect({x, min.y}, {x + width, max.y}) && ImGui::IsWindowHovered()) ImGui::SetTooltip("%s", text.c_str());
  ImGui::SetCursorScreenPos({x + width + ui::Px(4), min.y + std::floor((max.y - min.y - close) / 2)});
  if (ui::IconButton("whole", ui::Icon::kClose, "Back to the whole program (Escape)")) context.run("window graph whole");
}

void GraphPanel::DrawRefused(PanelContext& context, ImVec2 min, ImVec2 max) {
  if (scene_ == nullptr) return;
  const auto it = scene_->by_key.find(refused_key_);
  if (it == scene_->by_key.end()) return refused_.clear();
  const ui::Palette& c = ui::Colors();
  ImFont* font = ui::Type().ui;
  const char* label = "Show it alone";
  const float button = ui::Measure(font, label).x + ui::Px(20), close = ui::Px(24), room = max.x - min.x - ui::Px(16);
  const float width = std::min(room, ui::Measure(font, refused_).x + button + close + ui::Px(36));
  const ImVec2 a = {min.x + ui::Px(8), max.y - ui::Px(44)}, b = {a.x + width, max.y - ui::Px(8)};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(a, b, c.panel, ui::Px(5));
  list->AddRectFilled(a, b, c.amber_fill, ui::Px(5));
  list->AddRect(a, b, ui::Fade(c.amber, 0.6f), ui::Px(5));
  ui::DrawTextIn({a.x + ui::Px(10), a.y + ui::Px(10)}, width - button - close - ui::Px(28), c.text, font, refused_);
  ImGui::SetCursorScreenPos({b.x - close - button - ui::Px(8), a.y + ui::Px(4)});
  const SceneBox& box = scene_->boxes[it->second];
  if (ui::Button("inside", label, ui::Icon::kNone, ui::ButtonKind::kLink, "Folds everything that does not lie around it")) {
    if (BoxNamed(context.now, box.name) == it->second) context.run(absl::StrCat("window graph inside ", box.instruction != nullptr ? "%" : "", box.name));
    else Drill(context, it->second);
  }
  ImGui::SetCursorScreenPos({b.x - close - ui::Px(2), a.y + ui::Px(6)});
  if (ui::IconButton("refused-close", ui::Icon::kClose, "Forget it")) refused_.clear();
  ui::TagFact("refused", refused_);
}

void GraphPanel::DrawBusy(PanelContext& context, ImVec2 min) {
  const double now = ImGui::GetTime();
  if (busy_since_ < 0) busy_since_ = now;
  if (now - busy_since_ < 0.15) return;
  ImGui::SetCursorScreenPos({min.x + ui::Px(12), min.y + ui::Px(12)});
  ui::Spinner(14);
  ui::DrawText({min.x + ui::Px(34), min.y + ui::Px(12)}, ui::Colors().dim, ui::Type().small, "laying out\u2026");
  if (now - busy_since_ < 0.5 || scene_ == nullptr) return;
  ImGui::SetCursorScreenPos({min.x + ui::Px(44) + ui::Measure(ui::Type().small, "laying out\u2026").x, min.y + ui::Px(5)});
  if (ui::Button("cancel", "Cancel", ui::Icon::kNone, ui::ButtonKind::kPlain, "Goes on with what is shown")) CancelLayout(context);
}
}  // namespace hloscope
