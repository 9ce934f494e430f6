// The panel Lessons: programs that run as one types, and pictures of their values.
#include "visualizer/panels/lessons_panel.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "visualizer/lessons/plain.h"
#include "visualizer/panels/lessons_code.h"
#include "visualizer/panels/lessons_text.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

using lessons::Block;
using lessons::Exercise;
using lessons::Lesson;
using lessons::ProgramRun;
using lessons::Words;

void LessonsPanel::DrawCaption(PanelContext& context, const Block& block, float width) {
  if (block.texts.empty()) return;
  ReadingStyle style;
  style.color = ui::Colors().dim;
  style.font = ui::Type().small;
  Follow(context, ReadingText(block.texts.front(), width, style));
}

void LessonsPanel::DrawProgram(PanelContext& context, const Lesson& lesson, const Words& words, const Block& block, float width) {
  const lessons::Program& program = lesson.programs[static_cast<size_t>(block.index)];
  ui::TagScope scope(absl::StrCat("program:", program.id));
  const std::string key = Key(lesson, program.id);
  const Exercise* until = lessons::HiddenUntil(lesson, program);
  const bool hole = program.has_hole() && until != nullptr && !Solved(lesson, *until);
  std::string text = hole ? lessons::ShownText(program, false) : TextOf(lesson, program);
  text = std::string(absl::StripTrailingAsciiWhitespace(text));
  bool fresh = true;
  const std::shared_ptr<const ProgramRun> run = desk_->Run(key, TextOf(lesson, program), &fresh);
  CodeField field;
  field.read_only = hole;
  if (hole) {
    field.mark_begin = program.hole_begin;
    field.mark_end = program.hole_begin + 1;
  }
  if (run != nullptr && fresh && !hole) field.problems = &run->problems;
  if (EditCode("code", &text, width, field)) texts_[key] = absl::StrCat(text, "\n");
  if (run != nullptr && !run->ok() && !hole) {
    // Of the text before, while this one is computed: it keeps its room, so that nothing jumps as one types.
    ui::TextWrapped(run->FirstProblem(), fresh ? ui::Colors().red : ui::Fade(ui::Colors().faint, 0.5f), ui::Type().small);
    ui::TagFact(fresh ? "problem" : "problem-before", run->FirstProblem());
  } else if (run != nullptr && !Hidden(lesson, until, program.id)) {
    DrawValues(program, *run, width);
  } else if (until != nullptr && !hole) {
    if (ui::Button("show", words.Get("show-after-answer"), ui::Icon::kChevronRight, ui::ButtonKind::kQuiet)) context.run(absl::StrCat("window lessons show ", program.id));
  }
  DrawCaption(context, block, width);
  if (hole) return;
  if (ui::Button("open", words.Get("open-in-window"), ui::Icon::kOpen, ui::ButtonKind::kQuiet)) context.run(absl::StrCat("window lessons program ", program.id));
  if (Edited(lesson, program)) {
    ImGui::SameLine();
    if (ui::Button("reset", words.Get("reset-program"), ui::Icon::kUndo, ui::ButtonKind::kQuiet)) texts_.erase(key);
  }
  if (!fresh) {
    ImGui::SameLine();
    ui::Spinner(14);
  }
}

void LessonsPanel::DrawValues(const lessons::Program& program, const ProgramRun& run, float width) {
  ImFont* font = ui::Type().mono_small;
  std::string all;
  for (const std::string& value : lessons::ShownValues(program, run)) {
    absl::StrAppend(&all, all.empty() ? "" : "\n", value);
  }
  ui::TagFact("value", all);
  // In line with the program above.
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ui::Px(12));
  ImGui::PushFont(font);
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width - ui::Px(12));
  ImGui::PushStyleColor(ImGuiCol_Text, ui::Colors().text);
  ImGui::TextUnformatted(all.c_str());
  ImGui::PopStyleColor();
  ImGui::PopTextWrapPos();
  ImGui::PopFont();
}

void LessonsPanel::DrawPicture(PanelContext& context, const Lesson& lesson, const Words& words, const Block& block, float width) {
  const lessons::Picture& picture = lesson.pictures[static_cast<size_t>(block.index)];
  ui::TagScope scope(absl::StrCat("picture:", picture.id));
  const lessons::Program* program = lesson.FindProgram(picture.program);
  if (program == nullptr) return;
  if (Hidden(lesson, lessons::HiddenUntil(lesson, picture), picture.id)) {
    if (ui::Button("show", words.Get("show-after-answer"), ui::Icon::kChevronRight, ui::ButtonKind::kQuiet)) context.run(absl::StrCat("window lessons show ", picture.id));
    return;
  }
  bool fresh = true;
  const std::shared_ptr<const ProgramRun> run = desk_->Run(Key(lesson, program->id), TextOf(lesson, *program), &fresh);
  if (run == nullptr) return;
  ShownPicture& shown = pictures_[Key(lesson, picture.id)];
  // A text that does not run leaves the picture as it was.
  if (run != shown.run && run->ok()) {
    shown.run = run;
    shown.drawn = false;
  }
  if (shown.run != nullptr && (!shown.drawn || shown.selection.width != (width - ui::Px(16)) / ui::TheLook().scale || shown.selection.captions.language() != desk_->shelf()->CaptionsOf(language_).language())) {
    Redraw(picture, desk_->shelf()->CaptionsOf(language_), width - ui::Px(16), &shown);
  }
  if (!shown.problem.empty()) {
    ui::TextWrapped(shown.problem, ui::Colors().faint, ui::Type().small);
  } else if (shown.drawing != nullptr) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float pad = ui::Px(8);
    ImGui::SetCursorScreenPos({at.x + pad, at.y + pad});
    ImGui::BeginGroup();
    ShowPicture(&shown, words, width - 2 * pad);
    ImGui::EndGroup();
    const float bottom = ImGui::GetItemRectMax().y + pad;
    ImGui::GetWindowDrawList()->AddRect(at, {at.x + width, bottom}, ui::Colors().border, ui::Px(6));
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, bottom - at.y});
  }
  if (run != nullptr && !run->ok()) ui::Text(words.Get("edited"), ui::Colors().faint, ui::Type().small);
  DrawCaption(context, block, width);
}

void LessonsPanel::Redraw(const lessons::Picture& picture, const Captions& captions, float width, ShownPicture* shown) {
  shown->drawn = true;
  absl::StatusOr<lessons::PictureSubject> subject = lessons::SubjectOf(picture, *shown->run, captions);
  shown->problem = subject.ok() ? "" : std::string(subject.status().message());
  if (!subject.ok()) return;
  if (!shown->begun) shown->selection = subject->selection;
  shown->begun = true;
  shown->selection.live = true;
  shown->selection.captions = captions;
  shown->selection.width = width / ui::TheLook().scale;
  absl::StatusOr<MadePicture> made = subject->row->draw(subject->data, shown->selection);
  if (!made.ok() && shown->selection.pinned.has_value()) {  // a cell that is gone since the program was edited
    shown->selection.pinned.reset();
    shown->selection.hovered.reset();
    made = subject->row->draw(subject->data, shown->selection);
  }
  shown->problem = made.ok() ? "" : std::string(made.status().message());
  if (!made.ok()) return;
  shown->drawing = std::make_shared<Drawing>(std::move(made->drawing));
  shown->steps = made->steps;
  shown->step_text = made->step_text;
}

void LessonsPanel::ShowPicture(ShownPicture* shown, const Words& words, float width) {
  PictureSelection& selection = shown->selection;
  // One that needs more room than the column has is made smaller, as far as it can be read.
  const float whole = shown->drawing->width() * ui::TheLook().scale;
  const ui::DrawingEvents events = shown->view.Show("drawing", shown->drawing, whole > width ? std::max(0.6f, width / whole) : 1);
  std::optional<Cell> hovered;
  if (events.hovered != nullptr && events.hovered->is_cell) hovered = events.hovered->cell;
  if (hovered != selection.hovered) {
    selection.hovered = hovered;
    shown->drawn = false;
  }
  if (events.clicked != nullptr && events.clicked->is_cell) {
    selection.pinned = events.clicked->cell;
    shown->drawn = false;
  }
  for (absl::string_view part : absl::StrSplit(events.action, ';', absl::SkipEmpty())) {
    const size_t equals = part.find('=');
    if (equals == absl::string_view::npos) continue;
    const std::string key(part.substr(0, equals)), value(part.substr(equals + 1));
    if (value.empty()) {
      selection.options.erase(key);
    } else {
      selection.options[key] = value;
    }
    shown->drawn = false;
  }
  if (!shown->drawn) ui::WantFrame();
  if (shown->steps <= 0) return;
  // An order: to be walked through.
  const int before = selection.step;
  if (ui::IconButton("first", ui::Icon::kRestart, "The whole", false, selection.step >= 0)) selection.step = -1;
  ImGui::SameLine();
  if (ui::IconButton("back", ui::Icon::kBackNext, "A step back", false, selection.step > 0)) --selection.step;
  ImGui::SameLine();
  if (ui::IconButton("next", ui::Icon::kNext, "A step on", false, selection.step + 1 < shown->steps)) ++selection.step;
  // In the middle of the buttons' height.
  ImFont* font = ui::Type().small;
  const float high = ImGui::GetItemRectSize().y;
  ImGui::SameLine();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string text = selection.step < 0 ? words.Get("steps", {absl::StrCat(shown->steps)})
                                              : absl::StrCat(selection.step + 1, "/", shown->steps, "  ", shown->step_text);
  bool cut = false;
  const float drawn = ui::DrawTextIn({at.x, at.y + std::floor((high - font->FontSize) / 2)}, ImGui::GetContentRegionAvail().x,
                                     ui::Colors().dim, font, text, &cut);
  ImGui::Dummy({std::max(1.0f, drawn), high});
  if (cut) ui::Tooltip(text);
  if (selection.step != before) {
    shown->drawn = false;
    ui::WantFrame();
  }
}

}  // namespace hloscope
