// What a kind of exercise is given and gives back: for exercise.cc and exercise_kinds.cc alone.
#ifndef HLOSCOPE_VISUALIZER_LESSONS_EXERCISE_KINDS_H_
#define HLOSCOPE_VISUALIZER_LESSONS_EXERCISE_KINDS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "visualizer/lessons/lesson.h"
#include "visualizer/lessons/run.h"

namespace hloscope::lessons {

struct Task {
  const Lesson& lesson;
  const Exercise& exercise;
  const Words& words;
  const BackendMaker& backend;
  const Program* program;                 // null: a choice without one
  std::shared_ptr<const ProgramRun> run;  // of it
};

using Answer = absl::StatusOr<std::string>;

struct Judged {
  bool right = false;
  std::string why;      // markup: what is wrong with it
  std::string same_as;  // the answer in one spelling, so that two spellings of one mistake are one; "" cannot be read
};

#define X(kind, Name, attributes, help)    \
  Answer Expect##Name(const Task& task);   \
  Judged Judge##Name(const Task& task, absl::string_view answer);
#include "visualizer/lessons/exercises.def"
#undef X

std::string ChoiceLetter(absl::string_view answer);  // "b" of "B", "b)", "(b)" and "b."

}  // namespace hloscope::lessons

#endif  // HLOSCOPE_VISUALIZER_LESSONS_EXERCISE_KINDS_H_
