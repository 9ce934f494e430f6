// What all exercises share: running their programs, and putting together what is said. The kinds are in exercise_kinds.cc.
#include "visualizer/lessons/exercise.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "visualizer/lessons/exercise_kinds.h"

namespace hloscope::lessons {
namespace {

struct Row {
  ExerciseKind kind;
  Answer (*expect)(const Task&);
  Judged (*judge)(const Task&, absl::string_view);
};
const std::vector<Row>& Rows() {
  static const auto& rows = *new std::vector<Row>{
#define X(kind, Name, attributes, help) {{kind, attributes, help}, Expect##Name, Judge##Name},
#include "visualizer/lessons/exercises.def"
#undef X
  };
  return rows;
}
const Row* FindRow(absl::string_view kind) {
  for (const Row& row : Rows()) {
    if (kind == row.kind.kind) return &row;
  }
  return nullptr;
}

Task MakeTask(const Lesson& lesson, const Exercise& exercise, const Words& words, const BackendMaker& backend) {
  Task task{lesson, exercise, words, backend, lesson.FindProgram(exercise.program), nullptr};
  if (task.program != nullptr) task.run = RunProgram(task.program->id, task.program->text, backend);
  return task;
}

}  // namespace

const std::vector<ExerciseKind>& ExerciseKinds() {
  static const auto& kinds = *[] {
    auto* made = new std::vector<ExerciseKind>;
    for (const Row& row : Rows()) made->push_back(row.kind);
    return made;
  }();
  return kinds;
}

const ExerciseKind* FindExerciseKind(absl::string_view kind) {
  const Row* row = FindRow(kind);
  return row == nullptr ? nullptr : &row->kind;
}

absl::StatusOr<std::string> ExpectedAnswer(const Lesson& lesson, const Exercise& exercise, const BackendMaker& backend) {
  const Row* row = FindRow(exercise.kind);
  if (row == nullptr) return absl::InvalidArgumentError(absl::StrCat("there are no exercises of kind '", exercise.kind, "'"));
  const Words words;
  const Task task = MakeTask(lesson, exercise, words, backend);
  if (task.run != nullptr && !task.run->ok() && exercise.kind != "program") return absl::FailedPreconditionError(absl::StrCat("program ", task.program->id, ": ", task.run->FirstProblem()));
  return row->expect(task);
}

Verdict CheckAnswer(const Lesson& lesson, const Exercise& exercise, const ExerciseText& text, const Words& words, absl::string_view answer, const BackendMaker& backend) {
  Verdict verdict;
  const Row* row = FindRow(exercise.kind);
  if (row == nullptr) return verdict;
  answer = absl::StripAsciiWhitespace(answer);
  if (answer.empty()) {
    verdict.text = ReadMarkup(words.Get("answer-empty"));
    return verdict;
  }
  // Letters that stand before nothing.
  if (!text.choices.empty() &&
      std::none_of(text.choices.begin(), text.choices.end(), [&](const auto& choice) { return choice.first == ChoiceLetter(answer); })) {
    verdict.text = ReadMarkup(words.Get("choice-unreadable", {std::string(answer)}));
    return verdict;
  }
  const Task task = MakeTask(lesson, exercise, words, backend);
  const Judged judged = row->judge(task, answer);
  verdict.right = judged.right;
  if (judged.right) {
    verdict.text = text.why;
    return verdict;
  }
  // A mistake that the lesson knows has its own explanation.
  for (const auto& [wrong, why] : text.wrong) {
    if (row->judge(task, wrong).same_as == judged.same_as && !judged.same_as.empty()) {
      verdict.text = why;
      return verdict;
    }
  }
  verdict.text = ReadMarkup(judged.why);
  return verdict;
}

const ExerciseText* FindExerciseText(const LessonText& text, const Lesson& lesson, const Exercise& exercise) {
  for (const Block& block : text.blocks) {
    if (block.kind == Block::kExercise && block.index >= 0 && &lesson.exercises[static_cast<size_t>(block.index)] == &exercise) return &block.exercise;
  }
  return nullptr;
}

}  // namespace hloscope::lessons
