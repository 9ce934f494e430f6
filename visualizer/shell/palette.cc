// The palette: all actions, panels and console commands by a few letters (Ctrl+Shift+P), and all instructions (Ctrl+P).
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "core/shape/shape.h"
#include "imgui_internal.h"
#include "visualizer/shell/actions.h"
#include "visualizer/shell/shell.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

// How much it counts that `text` has `wanted` as it is, as words or as how a word begins: more than any letters here and there.
int WordScore(absl::string_view text, absl::string_view wanted) {
  int best = 0;
  for (size_t k = 0; k + wanted.size() <= text.size(); ++k) {
    if ((k > 0 && absl::ascii_isalnum(text[k - 1])) || !absl::StartsWithIgnoreCase(text.substr(k), wanted)) continue;
    const size_t end = k + wanted.size();
    best = std::max(best, end == text.size() || !absl::ascii_isalnum(text[end]) ? 2000 : 1000);
  }
  return best;
}

// How well `text` has the letters of `wanted` in order; negative: not. Beginnings of words and runs count more.
int Score(absl::string_view text, absl::string_view wanted) {
  if (wanted.empty()) return 0;
  int score = 0, run = 0;
  size_t at = 0;
  for (size_t k = 0; k < text.size() && at < wanted.size(); ++k) {
    if (absl::ascii_tolower(text[k]) != absl::ascii_tolower(wanted[at])) {
      run = 0;
      continue;
    }
    const bool begins = k == 0 || !absl::ascii_isalnum(text[k - 1]);
    score += 1 + (begins ? 6 : 0) + 2 * run++;
    ++at;
  }
  return at == wanted.size() ? WordScore(text, wanted) + score * 4 - static_cast<int>(std::min<size_t>(text.size(), 200)) / 8 : -1;
}

struct Offer {
  std::string label, detail, keys, command;
  const Action* action = nullptr;
  bool complete = true;  // else the command wants more words: it goes to the console's field
  const Instruction* instruction = nullptr;
  int score = 0;
};

void OfferCommands(const Snapshot& now, absl::string_view wanted, std::vector<Offer>* offers) {
  const auto offer = [&](Offer o, int bonus) {
    const int score = std::max(Score(o.label, wanted), Score(o.command, wanted));
    if (score < 0 || o.command.empty()) return;
    o.score = score + bonus;
    offers->push_back(std::move(o));
  };
  for (const Action& action : Actions()) offer({action.label, action.menu, action.keys, CommandOf(action, now), &action}, 4);
  for (const PanelRow& row : PanelRows()) offer({absl::StrCat("Panel: ", row.title), row.help, row.keys, absl::StrCat("window panel ", row.id)}, 2);
  for (const CommandRow& row : Commands()) {
    if (absl::string_view(row.name) == "window") continue;
    const absl::string_view synopsis = row.synopsis;
    offer({absl::StrCat(row.name, synopsis.empty() ? "" : " ", synopsis), row.help, "", row.name, nullptr, synopsis.empty() || synopsis.front() == '['}, 0);
  }
}

void OfferInstructions(const Snapshot& now, absl::string_view wanted, std::vector<Offer>* offers) {
  if (now.module == nullptr) return;
  for (const Computation* computation : now.module->computations) {
    for (const Instruction* i : computation->instructions) {
      const std::string called = NameInText(*i);
      const int score = std::max({Score(i->name, wanted), Score(called, wanted), wanted.size() > 2 && absl::StartsWith(Name(i->opcode), wanted) ? 1 : -1});
      if (score < 0) continue;
      Offer o;
      o.label = called;
      o.instruction = i;
      o.score = score;
      offers->push_back(std::move(o));
    }
  }
}

}  // namespace

void Shell::AskInPalette(const std::string& label, const std::string& command, const std::string& what) {
  palette_ = 3;
  palette_opened_ = true;
  palette_text_.clear();
  palette_at_ = 0;
  palette_label_ = std::string(absl::StripSuffix(label, "..."));
  palette_command_ = command;
  palette_asks_ = what;
}

namespace {

// What the panels say of what is under the mouse, which would stand over what is asked here.
void HideTooltips() {
  for (ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if ((window->Flags & ImGuiWindowFlags_Tooltip) != 0 && window->Active) window->Hidden = true;
  }
}

}  // namespace

void Shell::DrawPalette() {
  if (palette_ == 0) return;
  HideTooltips();
  ui::TagScope scope("palette");
  const ui::Palette& c = ui::Colors();
  const ImVec2 size = ImGui::GetMainViewport()->Size;
  const float width = std::min(ui::Px(640), size.x - ui::Px(32));
  ImGui::SetNextWindowPos({std::floor((size.x - width) / 2), ui::Px(56)});
  // As high as what is offered, which the frame before knows.
  if (palette_opened_) palette_rows_ = 13;
  ImGui::SetNextWindowSize({width, std::min(ui::Px(72) + ui::Px(26) * static_cast<float>(std::clamp(palette_rows_, 1, 13)), size.y - ui::Px(80))});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(12), ui::Px(12)});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::ColorConvertU32ToFloat4(c.panel));
  if (palette_opened_) ImGui::SetNextWindowFocus();
  ImGui::Begin("palette", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
  if (palette_opened_) ImGui::SetKeyboardFocusHere();
  bool entered = false;
  if (ui::SearchField("field", &palette_text_, palette_ == 1 ? "A command, an action, a panel" : palette_ == 3 ? palette_asks_ : "An instruction: letters of its name, or an opcode", 0, &entered)) palette_at_ = 0;
  const bool lost = !palette_opened_ && !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
  palette_opened_ = false;
  std::vector<Offer> offers;
  if (palette_ == 1) OfferCommands(*now_, palette_text_, &offers);
  if (palette_ == 2) OfferInstructions(*now_, palette_text_, &offers);
  const size_t most = std::min<size_t>(offers.size(), 200);
  if (!palette_text_.empty()) {
    std::stable_sort(offers.begin(), offers.end(), [](const Offer& a, const Offer& b) { return a.score > b.score; });
  }
  offers.resize(most);
  const int last = static_cast<int>(offers.size()) - 1;
  if (palette_rows_ != last + 1) ui::WantFrame();
  palette_rows_ = last + 1;
  ui::TagFact("first", offers.empty() ? "" : offers[0].label);
  const int before = palette_at_;
  if (ui::Pressed("Down", true)) ++palette_at_;
  if (ui::Pressed("Up", true)) --palette_at_;
  if (ui::Pressed("PageDown", true)) palette_at_ += 10;
  if (ui::Pressed("PageUp", true)) palette_at_ -= 10;
  palette_at_ = std::clamp(palette_at_, 0, std::max(0, last));
  int chosen = entered ? palette_at_ : -1;
  ui::Gap(8);
  ImGui::BeginChild("offers", {0, ui::WholeRows(26)}, false);
  if (palette_ == 3) {
    ui::TextCut(absl::StrCat(palette_label_, ": ", palette_command_, " ", palette_text_.empty() ? palette_asks_ : palette_text_), c.dim);
  } else if (offers.empty()) ui::Text(palette_ == 1 ? "Nothing has these letters; Enter runs what stands there as a command." : "No instruction has these letters.", c.dim);
  for (int k = 0; k <= last; ++k) {
    const Offer& o = offers[k];
    ImGui::PushID(k);
    const ui::RowState row = ui::Row(absl::StrCat("offer:", k), 26, k == palette_at_);
    ImGui::PopID();
    if (row.clicked) chosen = k;
    if (k == palette_at_ && before != palette_at_) ImGui::SetScrollHereY();
    const float y = row.min.y + std::floor((row.max.y - row.min.y - ui::Type().ui->FontSize) / 2);
    float right = row.max.x - ui::Px(8);
    if (!o.keys.empty()) {
      right -= ui::Measure(ui::Type().small, o.keys).x;
      ui::DrawText({right, y + ui::Px(1)}, c.faint, ui::Type().small, o.keys);
      right -= ui::Px(12);
    }
    const std::string detail = o.instruction != nullptr ? absl::StrCat(Name(o.instruction->opcode), "  ", o.instruction->shape.ToString(false), "  in ", o.instruction->parent->name) : o.detail;
    const float x = row.min.x + ui::Px(8);
    const float drawn = ui::DrawTextIn({x, y}, (right - x) * 0.6f, c.text, o.instruction != nullptr ? ui::Type().mono : ui::Type().ui, o.label);
    ui::DrawTextIn({x + drawn + ui::Px(12), y + ui::Px(1)}, right - x - drawn - ui::Px(12), c.faint, ui::Type().small, detail);
  }
  ImGui::EndChild();
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
  const bool escape = ui::Pressed("Escape");
  if (chosen >= 0 && chosen <= last) {
    const Offer o = offers[chosen];
    palette_ = 0;
    if (o.instruction != nullptr) {
      Run(absl::StrCat("window select ", CommandName(*now_, *o.instruction)));
    } else if (o.action != nullptr) {
      Act(*o.action);  // which may ask on
    } else if (o.complete) {
      Run(o.command);
    } else {
      Run(absl::StrCat("window type ", o.command));
    }
  } else if (entered && palette_ == 3 && !palette_text_.empty()) {
    palette_ = 0;
    const std::string command = absl::StrCat(palette_command_, " ", palette_text_);
    if (const PanelRow* panel = PanelOfAnswer(command)) layout_.Open(panel->id);
    Run(command);
  } else if (entered && palette_ == 1 && !palette_text_.empty()) {
    palette_ = 0;
    Run(palette_text_);
  } else if (escape || lost) {
    palette_ = 0;
  }
  if (palette_ == 0) palette_text_.clear();
}

}  // namespace hloscope
