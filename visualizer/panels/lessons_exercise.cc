// The panel Lessons: exercises, what was answered, and what is said of it.
#include "visualizer/panels/lessons_panel.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "visualizer/lessons/plain.h"
#include "visualizer/panels/lessons_code.h"
#include "visualizer/panels/lessons_text.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

using lessons::Block;
using lessons::Exercise;
using lessons::Lesson;
using lessons::Words;

void LessonsPanel::Submit(PanelContext& context, const Lesson& lesson, const Exercise& exercise, Attempt& attempt) {
  if (exercise.kind == "program") {
    CheckAttempt(lesson, exercise, attempt);
  } else {
    context.run(absl::StrCat("window lessons answer ", exercise.id, " ", attempt.answer));
  }
}

void LessonsPanel::DrawExercise(PanelContext& context, const Lesson& lesson, const Words& words, const Block& block, float width) {
  const Exercise& exercise = lesson.exercises[static_cast<size_t>(block.index)];
  const ui::Palette& c = ui::Colors();
  ui::TagScope scope(absl::StrCat("exercise:", exercise.id));
  const bool solved = Solved(lesson, exercise);
  Attempt& attempt = attempts_[Key(lesson, exercise.id)];
  ImDrawList* list = ImGui::GetWindowDrawList();
  // The card is drawn behind its content, whose height is known afterwards.
  list->ChannelsSplit(2);
  list->ChannelsSetCurrent(1);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float pad = ui::Px(16), inner = width - 2 * pad;
  ImGui::SetCursorScreenPos({at.x + pad, at.y + ui::Px(12)});
  ImGui::BeginGroup();
  ui::Text(words.Get("exercise"), solved ? c.green : c.blue, ui::Type().strong);
  if (solved) {
    ImGui::SameLine();
    ui::Badge(words.Get("solved"), c.green);
  }
  for (const lessons::Spans& p : block.exercise.question) Follow(context, ReadingText(p, inner));
  SayAsItWas(lesson, words, exercise, inner);
  if (exercise.kind == "choice") {
    DrawChoices(context, lesson, exercise, block, attempt, inner);
  } else {
    DrawField(context, lesson, exercise, words, attempt, inner);
  }
  DrawHelp(context, lesson, exercise, words, block, attempt, inner);
  DrawVerdict(context, words, block, attempt, solved, inner);
  ImGui::EndGroup();
  const float bottom = ImGui::GetItemRectMax().y + ui::Px(12);
  list->ChannelsSetCurrent(0);
  list->AddRectFilled(at, {at.x + width, bottom}, ui::Fade(c.raised, 0.45f), ui::Px(6));
  list->AddRectFilled(at, {at.x + ui::Px(4), bottom}, solved ? c.green : c.blue, ui::Px(6), ImDrawFlags_RoundCornersLeft);
  list->ChannelsMerge();
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({width, bottom - at.y});
}

// What is asked, its hints and its reasons are those of the program as the lesson has it.
void LessonsPanel::SayAsItWas(const Lesson& lesson, const Words& words, const Exercise& exercise, float width) {
  const lessons::Program* program = lesson.FindProgram(exercise.program);
  if (exercise.kind == "program" || program == nullptr || !Edited(lesson, *program)) return;
  ui::TextWrapped(words.Get("asks-as-it-was"), ui::Colors().orange, ui::Type().small);
  ui::TagFact("as-it-was", "yes");
  if (ui::Button("reset", words.Get("reset-program"), ui::Icon::kUndo, ui::ButtonKind::kQuiet)) texts_.erase(Key(lesson, program->id));
}

void LessonsPanel::DrawField(PanelContext& context, const Lesson& lesson, const Exercise& exercise, const Words& words, Attempt& attempt, float width) {
  bool entered = false;
  if (exercise.kind == "program") {
    const lessons::Program* start = lesson.FindProgram(exercise.program);
    if (attempt.answer.empty() && start != nullptr) attempt.answer = std::string(absl::StripTrailingAsciiWhitespace(start->text));
    ui::Text(words.Get("your-program"), ui::Colors().dim, ui::Type().small);
    EditCode("answer", &attempt.answer, width, {});
  } else {
    // In a narrow window there is still room for the button beside it.
    const float button = ui::Measure(ui::Type().ui, words.Get("check")).x + ui::Px(40) + ImGui::GetStyle().ItemSpacing.x;
    ui::Field("answer", &attempt.answer, words.Get("your-answer"), std::clamp((width - button) / ui::TheLook().scale, 80.0f, 360.0f), &entered, /*mono=*/true);
    ImGui::SameLine();
  }
  if (ui::Button("check", words.Get("check"), ui::Icon::kCheck, ui::ButtonKind::kPrimary) || entered) Submit(context, lesson, exercise, attempt);
}

void LessonsPanel::DrawChoices(PanelContext& context, const Lesson& lesson, const Exercise& exercise, const Block& block, Attempt& attempt, float width) {
  const ui::Palette& c = ui::Colors();
  for (const auto& [letter, text] : block.exercise.choices) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float side = ui::Px(16), line = std::floor(ui::Type().ui->FontSize * 1.5f);
    const bool on = attempt.answer == letter;
    // The row is measured by its text, then it can be clicked as a whole.
    ImGui::SetCursorScreenPos({at.x + side + ui::Px(10), at.y});
    ReadingText(text, width - side - ui::Px(10));
    const ImVec2 end = {at.x + width, ImGui::GetItemRectMax().y};
    const bool over = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, end);
    const ImVec2 middle = {at.x + side / 2, at.y + line / 2};
    ImGui::GetWindowDrawList()->AddCircle(middle, side / 2 - 1, on ? c.blue : over ? c.text : c.dim, 0, ui::Px(1.5f));
    if (on) ImGui::GetWindowDrawList()->AddCircleFilled(middle, side / 2 - ui::Px(4), c.blue);
    ui::Tag(absl::StrCat("choice:", letter), at, end);
    if (over) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (over && ImGui::IsMouseClicked(0)) {
      attempt.answer = letter;
      Submit(context, lesson, exercise, attempt);
    }
  }
}

void LessonsPanel::DrawHelp(PanelContext& context, const Lesson& lesson, const Exercise& exercise, const Words& words, const Block& block, Attempt& attempt, float width) {
  const int hints = static_cast<int>(block.exercise.hints.size());
  for (int k = 0; k < std::min(hints, attempt.hints); ++k) {
    ReadingStyle style;
    style.color = ui::Colors().dim;
    lessons::Spans hint = block.exercise.hints[static_cast<size_t>(k)];
    hint.insert(hint.begin(), lessons::Span{lessons::Span::kStrong, absl::StrCat(words.Get("hint"), ": "), ""});
    Follow(context, ReadingText(hint, width, style));
  }
  if (Solved(lesson, exercise)) return;
  bool any = false;
  if (attempt.hints < hints) {
    any = true;
    if (ui::Button("hint", hints > 1 ? absl::StrCat(words.Get("hint"), " ", attempt.hints + 1, "/", hints) : words.Get("hint"), ui::Icon::kInfo, ui::ButtonKind::kQuiet)) {
      context.run(absl::StrCat("window lessons hint ", exercise.id));
    }
  }
  if (attempt.mistakes >= 2) {
    if (any) ImGui::SameLine();
    if (ui::Button("reveal", words.Get("show-answer"), ui::Icon::kBook, ui::ButtonKind::kQuiet)) context.run(absl::StrCat("window lessons reveal ", exercise.id));
  }
}

void LessonsPanel::DrawVerdict(PanelContext& context, const Words& words, const Block& block, const Attempt& attempt, bool solved, float width) {
  const ui::Palette& c = ui::Colors();
  const bool wrong = attempt.judged && !attempt.verdict.right;
  if (!wrong && !solved) {
    ui::TagFact("verdict", attempt.waiting ? "waiting" : "");
    return;
  }
  // Solved before: why it is so stays to be read.
  lessons::Spans text = wrong ? attempt.verdict.text : block.exercise.why;
  text.insert(text.begin(), lessons::Span{lessons::Span::kStrong, absl::StrCat(words.Get(wrong ? "verdict-wrong" : "verdict-right"), " "), ""});
  ui::TagFact("verdict", lessons::PlainText(text));
  const float icon = ui::Px(16), pad = ui::Px(10);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({at.x + pad + icon + ui::Px(8), at.y + ui::Px(6)});
  Follow(context, ReadingText(text, width - 2 * pad - icon - ui::Px(8)));
  const ImVec2 end = {at.x + width, ImGui::GetItemRectMax().y + ui::Px(6)};
  list->ChannelsSetCurrent(0);
  list->AddRectFilled(at, end, wrong ? c.pink_fill : ui::Fade(c.green_fill, 0.6f), ui::Px(4));
  list->ChannelsSetCurrent(1);
  ui::DrawIcon(list, wrong ? ui::Icon::kWarning : ui::Icon::kCheck, {at.x + pad, at.y + ui::Px(10)}, icon, wrong ? c.pink : c.green);
  ImGui::SetCursorScreenPos({at.x, end.y});
  ImGui::Dummy({width, 1});
}

void LessonsPanel::CheckAttempt(const Lesson& lesson, const Exercise& exercise, Attempt& attempt) {
  attempt.waiting = true;
  attempt.judged = attempt.again = false;
  attempt.checked = attempt.answer;
  desk_->Check(Key(lesson, exercise.id), lesson, exercise, language_, attempt.checked);
}

void LessonsPanel::CheckAgain(const lessons::Shelf& shelf) {
  for (const auto& lesson : shelf.lessons) {
    for (const Exercise& exercise : lesson->exercises) {
      const auto it = attempts_.find(Key(*lesson, exercise.id));
      if (it == attempts_.end() || !(it->second.judged || it->second.waiting)) continue;
      Attempt& attempt = it->second;
      attempt.again = attempt.judged || attempt.again;
      attempt.judged = false;
      attempt.waiting = true;
      desk_->Check(it->first, *lesson, exercise, language_, attempt.checked);
    }
  }
}

void LessonsPanel::TakeVerdicts(PanelContext& context) {
  for (auto& [key, attempt] : attempts_) {
    if (!attempt.waiting) continue;
    std::optional<lessons::Verdict> verdict = desk_->TakeVerdict(key);
    if (!verdict.has_value()) continue;
    attempt.waiting = false;
    attempt.judged = true;
    attempt.verdict = *std::move(verdict);
    if (!attempt.verdict.right && !attempt.again) ++attempt.mistakes;
    if (attempt.verdict.right && solved_.insert(key).second) context.run("window keep");
  }
}

}  // namespace hloscope
