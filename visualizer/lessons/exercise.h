// Exercises: what the right answer is, computed from the program, and whether an answer is right, with something helpful to say where it is not.
// The kinds are in exercises.def. Not for showing them.
#ifndef HLOSCOPE_VISUALIZER_LESSONS_EXERCISE_H_
#define HLOSCOPE_VISUALIZER_LESSONS_EXERCISE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "visualizer/lessons/lesson.h"
#include "visualizer/lessons/run.h"

namespace hloscope::lessons {

struct ExerciseKind {
  const char* kind;
  const char* attributes;  // "of!,reads": those with ! must be there
  const char* help;
};
const std::vector<ExerciseKind>& ExerciseKinds();
const ExerciseKind* FindExerciseKind(absl::string_view kind);

struct Verdict {
  bool right = false;
  Spans text;  // why it is right, or what is wrong with it
};

// What one would type. Of kind program: a whole text.
absl::StatusOr<std::string> ExpectedAnswer(const Lesson& lesson, const Exercise& exercise, const BackendMaker& backend);

Verdict CheckAnswer(const Lesson& lesson, const Exercise& exercise, const ExerciseText& text, const Words& words, absl::string_view answer, const BackendMaker& backend);

// The text of an exercise in a lesson's language; null where that language does not have it.
const ExerciseText* FindExerciseText(const LessonText& text, const Lesson& lesson, const Exercise& exercise);

}  // namespace hloscope::lessons

#endif  // HLOSCOPE_VISUALIZER_LESSONS_EXERCISE_H_
