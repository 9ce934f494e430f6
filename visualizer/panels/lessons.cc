// The panel Lessons: the list, a lesson as a page, and its commands.
#include "visualizer/panels/lessons_panel.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "visualizer/lessons/plain.h"
#include "visualizer/panels/lessons_text.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

using lessons::Block;
using lessons::Exercise;
using lessons::Lesson;
using lessons::LessonText;
using lessons::Shelf;
using lessons::Words;

void LessonsPanel::Draw(PanelContext& context) {
  Begin(context);
  const std::shared_ptr<const Shelf> shelf = desk_->shelf();
  if (desk_->busy()) ui::WantFrame();
  if (shelf == nullptr) {
    ImGui::SetCursorPos({ui::Px(16), ui::Px(16)});
    ui::Spinner(16);
    return;
  }
  if (shelf->lessons.empty()) {
    ui::EmptyHint(ui::Icon::kBook, "Lessons about shapes, layouts and operations.", shelf->problems.empty() ? "There are none in assets/lessons." : shelf->problems.front());
    return;
  }
  CheckNames(context);
  const Words& words = shelf->WordsOf(language_);
  TakeVerdicts(context);
  const float whole = ImGui::GetContentRegionAvail().x, list = ui::Px(276);
  const bool side_by_side = whole > ui::Px(900);
  const Lesson* lesson = shelf->Find(lesson_);
  if (side_by_side || lesson == nullptr) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(12), ui::Px(12)});
    ImGui::BeginChild("contents", {side_by_side ? list : 0, 0}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    DrawContents(context, *shelf, words);
    ImGui::EndChild();
  }
  if (side_by_side) {
    const ImVec2 corner = {ImGui::GetItemRectMax().x, ImGui::GetItemRectMin().y};
    ImGui::GetWindowDrawList()->AddLine(corner, {corner.x, ImGui::GetItemRectMax().y}, ui::Colors().border);
    ImGui::SameLine(0, 0);
  }
  if (lesson == nullptr && side_by_side) lesson = shelf->lessons.front().get();
  if (lesson != nullptr) {
    const std::string id = absl::StrCat("reading ", lesson->name);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(side_by_side ? 36 : 16), ui::Px(16)});
    ImGui::BeginChild(id.c_str(), {0, 0}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
    ImGui::PopStyleVar();
    if (scroll_to_top_) ImGui::SetScrollY(0);
    scroll_to_top_ = false;
    DrawLesson(context, *shelf, *lesson, words, side_by_side);
    ImGui::EndChild();
  }
  ui::TagFact("lesson", lesson != nullptr ? lesson->name : "");
  ui::TagFact("language", language_);
  ui::TagFact("solved", absl::StrJoin(solved_, " "));
}

bool LessonsPanel::Command(PanelContext& context, absl::string_view args, std::string* error) {
  Begin(context);
  args = absl::StripAsciiWhitespace(args);
  const std::string word(args.substr(0, args.find(' ')));
  absl::string_view rest = absl::StripAsciiWhitespace(args.substr(word.size()));
  if (word == "open") return Open(std::string(rest), error);
  if (word == "list") {
    lesson_.clear();
    return true;
  }
  if (word == "language") return SetLanguage(std::string(rest), error);
  if (word == "forget") {
    solved_.clear();
    attempts_.clear();
    texts_.clear();
    shown_.clear();
    return true;
  }
  const std::shared_ptr<const Shelf> shelf = desk_->shelf();
  const Lesson* lesson = shelf != nullptr ? Present(*shelf) : nullptr;
  if (lesson != nullptr && word == "answer") return Answer(*lesson, rest, error);
  if (lesson != nullptr && word == "program") return OpenProgram(context, *lesson, std::string(rest), error);
  if (lesson != nullptr && (word == "hint" || word == "show")) return Reveal(*lesson, word == "hint", std::string(rest), error);
  if (lesson != nullptr && word == "reveal") return FillIn(context, *lesson, std::string(rest), error);
  *error = shelf == nullptr ? "the lessons are not here yet; try again in a moment" : "no lesson is open; window lessons open LESSON opens one";
  return false;
}

void LessonsPanel::Save(nlohmann::json& to) const {
  to["language"] = language_;
  to["lesson"] = lesson_;
  to["solved"] = solved_;
}

void LessonsPanel::Load(const nlohmann::json& from) {
  if (from.contains("language") && from["language"].is_string()) language_ = from["language"].get<std::string>();
  if (from.contains("lesson") && from["lesson"].is_string()) lesson_ = from["lesson"].get<std::string>();
  if (!from.contains("solved") || !from["solved"].is_array()) return;
  for (const nlohmann::json& one : from["solved"]) {
    if (one.is_string()) solved_.insert(one.get<std::string>());
  }
}

void LessonsPanel::Begin(PanelContext& context) {
  if (desk_ == nullptr) desk_ = std::make_unique<lessons::Desk>(lessons::TheHome().folder, lessons::TheHome().backend, [] {});
}

// What was asked for before the lessons were read.
void LessonsPanel::CheckNames(PanelContext& context) {
  if (!std::exchange(names_unchecked_, false)) return;
  const std::string lesson = std::exchange(lesson_, ""), language = std::exchange(language_, "en");
  std::string error;
  if (!lesson.empty() && !Open(lesson, &error)) context.engine.AddConsole(ConsoleLine::kError, error);
  if (!SetLanguage(language, &error)) context.engine.AddConsole(ConsoleLine::kError, error);
}

bool LessonsPanel::Open(const std::string& name, std::string* error) {
  const std::shared_ptr<const Shelf> shelf = desk_->shelf();
  if (shelf != nullptr && shelf->Find(name) == nullptr) {
    std::vector<std::string> names;
    for (const auto& lesson : shelf->lessons) names.push_back(lesson->name);
    *error = absl::StrCat("there is no lesson '", name, "'; there are ", absl::StrJoin(names, ", "));
    return false;
  }
  names_unchecked_ |= shelf == nullptr;
  lesson_ = name;
  scroll_to_top_ = true;
  return true;
}

bool LessonsPanel::SetLanguage(const std::string& language, std::string* error) {
  const std::shared_ptr<const Shelf> shelf = desk_->shelf();
  if (shelf != nullptr && shelf->words.find(language) == shelf->words.end()) {
    *error = absl::StrCat("there is no language '", language, "'; there are ", absl::StrJoin(shelf->languages, ", "));
    return false;
  }
  if (language == language_) return true;
  names_unchecked_ |= shelf == nullptr;
  language_ = language;
  if (shelf != nullptr) CheckAgain(*shelf);
  return true;
}

bool LessonsPanel::Answer(const Lesson& lesson, absl::string_view args, std::string* error) {
  const std::string id(args.substr(0, args.find(' ')));
  const Exercise* exercise = lesson.FindExercise(id);
  if (exercise == nullptr) {
    *error = absl::StrCat("the lesson '", lesson.name, "' has no exercise '", id, "'");
    return false;
  }
  Attempt& attempt = attempts_[Key(lesson, id)];
  // A whole program is what stands in its field.
  if (exercise->kind != "program") attempt.answer = std::string(absl::StripAsciiWhitespace(args.substr(id.size())));
  CheckAttempt(lesson, *exercise, attempt);
  return true;
}

bool LessonsPanel::OpenProgram(PanelContext& context, const Lesson& lesson, const std::string& id, std::string* error) {
  const lessons::Program* program = lesson.FindProgram(id);
  if (program == nullptr) {
    *error = absl::StrCat("the lesson '", lesson.name, "' has no program '", id, "'");
    return false;
  }
  context.open_text(absl::StrCat(lesson.name, "_", id, ".hlo"), TextOf(lesson, *program));
  return true;
}

bool LessonsPanel::Reveal(const Lesson& lesson, bool hint, const std::string& id, std::string* error) {
  if (hint) {
    if (lesson.FindExercise(id) == nullptr) {
      *error = absl::StrCat("the lesson '", lesson.name, "' has no exercise '", id, "'");
      return false;
    }
    ++attempts_[Key(lesson, id)].hints;
    return true;
  }
  if (lesson.FindProgram(id) == nullptr && lesson.FindPicture(id) == nullptr) {
    *error = absl::StrCat("the lesson '", lesson.name, "' has no program and no picture '", id, "'");
    return false;
  }
  shown_.insert(Key(lesson, id));
  return true;
}

bool LessonsPanel::FillIn(PanelContext& context, const Lesson& lesson, const std::string& id, std::string* error) {
  const Exercise* exercise = lesson.FindExercise(id);
  const absl::StatusOr<std::string> expected =
      exercise != nullptr ? lessons::ExpectedAnswer(lesson, *exercise, lessons::TheHome().backend) : absl::NotFoundError(absl::StrCat("the lesson '", lesson.name, "' has no exercise '", id, "'"));
  if (!expected.ok()) {
    *error = std::string(expected.status().message());
    return false;
  }
  attempts_[Key(lesson, id)].answer = std::string(absl::StripTrailingAsciiWhitespace(*expected));
  return true;
}

void LessonsPanel::DrawContents(PanelContext& context, const Shelf& shelf, const Words& words) {
  const ui::Palette& c = ui::Colors();
  std::vector<std::string> names;
  int chosen = 0;
  for (const std::string& language : shelf.languages) {
    if (language == language_) chosen = static_cast<int>(names.size());
    names.push_back(shelf.WordsOf(language).Get("language"));
  }
  ui::Text(words.Get("lessons"), c.text, ui::Type().title);
  ui::Gap(8);
  if (ui::Segments("language", names, &chosen)) context.run(absl::StrCat("window lessons language ", shelf.languages[static_cast<size_t>(chosen)]));
  std::string part;
  for (const auto& lesson : shelf.lessons) {
    if (lesson->part != part) {
      part = lesson->part;
      ui::Gap(8);
      ui::Heading(words.Get(part));
    }
    int done = 0;
    for (const Exercise& e : lesson->exercises) done += Solved(*lesson, e) ? 1 : 0;
    const int all = static_cast<int>(lesson->exercises.size());
    const ui::RowState row = ui::Row(absl::StrCat("lesson:", lesson->name), 30, lesson.get() == Present(shelf) && ImGui::GetContentRegionAvail().x < ui::Px(300));
    const float x = row.min.x + ui::Px(8), right = row.max.x - ui::Px(8), middle = (row.min.y + row.max.y) / 2;
    const std::string count = absl::StrCat(done, "/", all);
    const float count_width = ui::Measure(ui::Type().small, count).x;
    if (done == all) {
      ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kCheck, {right - ui::Px(14), middle - ui::Px(7)}, ui::Px(14), c.green);
    } else {
      ui::DrawText({right - count_width, middle - ui::Type().small->FontSize / 2}, done > 0 ? c.dim : c.faint, ui::Type().small, count);
    }
    const LessonText& text = lesson->In(language_);
    bool cut = false;
    ui::DrawTextIn({x, middle - ui::Type().ui->FontSize / 2}, right - count_width - ui::Px(10) - x, c.text, ui::Type().ui, text.title, &cut);
    std::string about = lessons::PlainText(text.summary);
    about.erase(std::remove(about.begin(), about.end(), '`'), about.end());
    ui::Tooltip(cut ? absl::StrCat(text.title, "\n", about) : about);
    if (row.clicked) context.run(absl::StrCat("window lessons open ", lesson->name));
  }
  ui::Gap(12);
  for (const std::string& problem : shelf.problems) ui::TextWrapped(problem, c.red, ui::Type().small);
}

void LessonsPanel::DrawLesson(PanelContext& context, const Shelf& shelf, const Lesson& lesson, const Words& words, bool side_by_side) {
  const LessonText& text = lesson.In(language_);
  // Lines that the eye finds back from; the rest stays free.
  const float room = ImGui::GetContentRegionAvail().x - ui::Px(8), width = std::min(room, ui::Px(840));
  const ImVec2 left = ImGui::GetCursorScreenPos();
  const float x = left.x + std::floor(std::max(0.0f, side_by_side ? 0.0f : (room - width) / 2));
  ImGui::SetCursorScreenPos({x, left.y});
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui::Px(8), ui::Px(6)});
  if (!side_by_side && ui::Button("all", words.Get("all-lessons"), ui::Icon::kBack, ui::ButtonKind::kQuiet)) context.run("window lessons list");
  ReadingTitle(text.title, 30, width);
  ui::TagFact("title", text.title);
  ReadingStyle summary;
  summary.color = ui::Colors().dim;
  Follow(context, ReadingText(text.summary, width, summary));
  if (text.language != language_) ui::Text(words.Get("language-missing"), ui::Colors().amber);
  ui::Gap(8);
  for (const Block& block : text.blocks) {
    ImGui::PushID(&block);
    DrawBlock(context, lesson, words, block, width);
    ImGui::PopID();
    ui::Gap(8);
  }
  DrawFoot(context, shelf, lesson, words, width);
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  ui::Gap(48);
}

void LessonsPanel::Follow(PanelContext& context, const std::string& link) {
  absl::string_view target = link;
  if (absl::ConsumePrefix(&target, "lesson:")) context.run(absl::StrCat("window lessons open ", target));
}

void LessonsPanel::DrawBlock(PanelContext& context, const Lesson& lesson, const Words& words, const Block& block, float width) {
  switch (block.kind) {
    case Block::kHeading:
      ui::Gap(14);
      ReadingTitle(lessons::PlainText(block.texts.front()), 20, width);
      break;
    case Block::kParagraph: Follow(context, ReadingText(block.texts.front(), width)); break;
    case Block::kBullets:
    case Block::kNumbers: Follow(context, ReadingList(block.texts, block.kind == Block::kNumbers, width)); break;
    case Block::kTable: Follow(context, ReadingTable(block.rows, width)); break;
    case Block::kVerbatim: ReadingVerbatim(block.verbatim, width); break;
    case Block::kProgram: DrawProgram(context, lesson, words, block, width); break;
    case Block::kPicture: DrawPicture(context, lesson, words, block, width); break;
    case Block::kExercise: DrawExercise(context, lesson, words, block, width); break;
  }
}

void LessonsPanel::DrawFoot(PanelContext& context, const Shelf& shelf, const Lesson& lesson, const Words& words, float width) {
  ui::Gap(16);
  float used = 0;
  for (size_t k = 0; k < shelf.lessons.size(); ++k) {
    if (shelf.lessons[k].get() != &lesson) continue;
    if (k > 0) {
      const Lesson& before = *shelf.lessons[k - 1];
      if (ui::Button("previous", words.Get("previous-lesson", {before.In(language_).title}), ui::Icon::kNone)) context.run(absl::StrCat("window lessons open ", before.name));
      used = ImGui::GetItemRectSize().x + ImGui::GetStyle().ItemSpacing.x;
    }
    if (k + 1 < shelf.lessons.size()) {
      const Lesson& next = *shelf.lessons[k + 1];
      const std::string label = words.Get("next-lesson", {next.In(language_).title});
      // Below the other one where there is no room beside it.
      if (used > 0 && used + ui::Measure(ui::Type().ui, label).x + ui::Px(20) <= width) ImGui::SameLine();
      if (ui::Button("next", label, ui::Icon::kNone, ui::ButtonKind::kPrimary)) context.run(absl::StrCat("window lessons open ", next.name));
    }
  }
  ImGui::Dummy({width, 1});
}

std::unique_ptr<Panel> MakeLessonsPanel() { return std::make_unique<LessonsPanel>(); }

}  // namespace hloscope
