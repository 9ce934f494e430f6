// What stands in the way of a command: a question over the window, whose answers are commands too; and the line that tells what others have done
// with the program's file.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "visualizer/shell/shell.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {

void Shell::Ask(Question question) {
  // For who types, and for scripts.
  std::string answers;
  for (const Question::Answer& answer : question.answers) {
    if (!answer.command.empty()) absl::StrAppend(&answers, answers.empty() ? "" : "; ", answer.label, ": ", answer.command);
  }
  engine_.AddConsole(ConsoleLine::kNote, absl::StrCat(question.text, " ", answers));
  question_ = std::move(question);
  question_opened_ = true;
}

void Shell::DrawQuestion() {
  constexpr char kId[] = "question";
  if (question_opened_) {
    question_opened_ = false;
    ImGui::OpenPopup(kId);
  }
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const float width = std::min(ui::Px(520), screen.x - ui::Px(32));
  ImGui::SetNextWindowSize({width, 0}, ImGuiCond_Always);
  ImGui::SetNextWindowPos({std::floor(screen.x / 2), std::floor(screen.y * 0.4f)}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(16), ui::Px(16)});
  const bool open = ImGui::BeginPopupModal(kId, nullptr, ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleVar();
  if (!open) return;
  if (question_.answers.empty()) {  // it was answered otherwise
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return;
  }
  ui::TagScope scope("question");
  ui::Text(question_.title, ui::Colors().text, ui::Type().title);
  ui::Gap(4);
  ui::TextWrapped(question_.text, ui::Colors().dim);
  ui::TagFact("text", question_.text);
  ui::Gap(12);
  const Question::Answer* given = nullptr;
  float room = 0;
  for (const Question::Answer& answer : question_.answers) room += ui::Measure(ui::Type().ui, answer.label).x + ui::Px(20 + 8);
  ImGui::SetCursorPosX(std::max(ui::Px(16), width - room - ui::Px(16 - 8)));
  // What is meant as a rule stands last, at the right, as in the other dialogs.
  for (size_t k = question_.answers.size(); k-- > 0;) {
    const Question::Answer& answer = question_.answers[k];
    if (ui::Button(answer.id, answer.label, ui::Icon::kNone, k == 0 ? ui::ButtonKind::kPrimary : ui::ButtonKind::kPlain, answer.command)) given = &answer;
    if (k > 0) ImGui::SameLine(0, ui::Px(8));
  }
  if (ui::Pressed("Enter")) given = &question_.answers.front();
  if (ui::Pressed("Escape")) given = &question_.answers.back();
  if (given != nullptr) {
    const std::string command = given->command;
    question_ = {};
    ImGui::CloseCurrentPopup();
    if (command.empty()) leaving_ = nullptr;
    else Run(command);
  }
  ImGui::EndPopup();
}

// Over the foot of the window, until the next command or a click; what it covers is a few lines of a panel.
void Shell::DrawRefusal() {
  const bool console_seen = answers_ ? (now_->phase == Phase::kEmpty || welcome_) && !LessonsAlone()
                                     : !guide_ && !welcome_ && now_->phase != Phase::kEmpty && layout_.IsOpen("console");
  if (refusal_.empty() || console_seen) return;
  const ui::Palette& c = ui::Colors();
  const ImVec2 screen = ImGui::GetMainViewport()->Size;
  const float pad = ui::Px(12), icon = ui::Px(14), close = ui::Px(28), gap = ui::Px(8);
  const float link = ui::Measure(ui::Type().ui, "Console").x + ui::Px(16);
  const float most = std::min(ui::Px(720), screen.x - ui::Px(32)) - 2 * pad - icon - 2 * gap - link - close;
  const absl::string_view first = absl::string_view(refusal_).substr(0, refusal_.find('\n'));
  ImFont* font = ui::Type().ui;
  const ImVec2 whole = font->CalcTextSizeA(font->FontSize, FLT_MAX, most, first.data(), first.data() + first.size());
  const float line = ImGui::GetTextLineHeight(), words = std::ceil(std::min(whole.x, most)) + 1,
              high = std::min(std::ceil(whole.y), 3 * line);
  const ImVec2 size = {words + 2 * pad + icon + 2 * gap + link + close, std::max(ui::Px(44), high + 2 * pad)};
  ImGui::SetNextWindowPos({std::floor((screen.x - size.x) / 2), screen.y - ui::Px(8 + 52 + 16) - size.y});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui::Px(6));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::ColorConvertU32ToFloat4(c.raised));
  ImGui::PushStyleColor(ImGuiCol_Border, ImGui::ColorConvertU32ToFloat4(c.border));
  ImGui::Begin("refusal", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav);
  ui::TagScope scope("refusal");
  ui::TagFact("text", refusal_);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetWindowPos();
  list->AddRectFilled(at, {at.x + ui::Px(3), at.y + size.y}, c.red, ui::Px(6), ImDrawFlags_RoundCornersLeft);
  ui::DrawIcon(list, ui::Icon::kError, {at.x + pad, at.y + std::floor((size.y - icon) / 2)}, icon, c.red);
  const ImVec2 text = {at.x + pad + icon + gap, at.y + std::floor((size.y - high) / 2)};
  list->PushClipRect(text, {text.x + words, text.y + high}, true);
  list->AddText(font, font->FontSize, text, c.text, first.data(), first.data() + first.size(), most);
  list->PopClipRect();
  ImGui::SetCursorScreenPos(text);
  ImGui::Dummy({words, high});
  ui::Tooltip(refusal_);
  ImGui::SetCursorScreenPos({text.x + words + gap, at.y + std::floor((size.y - line) / 2)});
  if (ui::Link("console", "Console")) Run("window panel console");
  ui::Tooltip("Opens the console, which says all of it");
  ImGui::SetCursorScreenPos({at.x + size.x - close - ui::Px(4), at.y + std::floor((size.y - ui::Px(28)) / 2)});
  if (ui::IconButton("close", ui::Icon::kClose, "Close")) refusal_.clear();
  ImGui::End();
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(3);
}

float Shell::DrawNotice(ImVec2 min, float width) {
  const DiskFile& file = document_.file();
  if (file.path().empty() || file.state() == DiskFile::State::kSame || now_->phase == Phase::kEmpty) return 0;
  ui::TagScope scope("notice");
  const ui::Palette& c = ui::Colors();
  const bool gone = file.state() == DiskFile::State::kGone;
  const size_t slash = file.path().rfind('/');
  const std::string name = file.path().substr(slash == std::string::npos ? 0 : slash + 1);
  std::string text = absl::StrCat(name, gone ? " is not on the disk any more; saving writes it again" : " was changed on the disk by another program");
  if (!gone && document_.unsaved()) absl::StrAppend(&text, ", and here too");
  ui::TagFact("text", text);
  const float height = ui::Px(36), gap = ui::Px(8);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(min, {min.x + width, min.y + height}, c.raised, ui::Px(4));
  list->AddRectFilled(min, {min.x + ui::Px(3), min.y + height}, c.orange, ui::Px(4), ImDrawFlags_RoundCornersLeft);
  ui::DrawIcon(list, ui::Icon::kWarning, {min.x + ui::Px(12), min.y + ui::Px(11)}, ui::Px(14), c.orange);
  struct Way {
    const char *id, *label, *command, *tip;
  };
  std::vector<Way> ways;
  if (gone) {
    ways = {{"save", "Save", "window save", "writes the file again"}};
  } else {
    ways = {{"reload", "Reload", "window reload", "takes what the file holds now; the text that is here is a step of undo away"}, {"mine", "Keep this text", "window mine", "the text stays as it is; saving writes it over the file"}};
  }
  float right = min.x + width - ui::Px(8);
  for (size_t k = ways.size(); k-- > 0;) {
    right -= ui::Measure(ui::Type().ui, ways[k].label).x + ui::Px(20);
    ImGui::SetCursorScreenPos({right, min.y + ui::Px(4)});
    if (ui::Button(ways[k].id, ways[k].label, ui::Icon::kNone, ui::ButtonKind::kPlain, ways[k].tip)) Run(ways[k].command);
    right -= ui::Px(8);
  }
  const ImVec2 at = {min.x + ui::Px(34), min.y + std::floor((height - ui::Type().ui->FontSize) / 2)};
  bool cut = false;
  const float drawn = ui::DrawTextIn(at, right - at.x, c.text, ui::Type().ui, text, &cut);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({std::max(1.0f, drawn), ui::Px(16)});
  ui::Tooltip(cut ? absl::StrCat(text, "\n", file.path()) : file.path());
  return height + gap;
}

}  // namespace hloscope
