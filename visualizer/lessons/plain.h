// A lesson as plain text, for terminals: programs with their values, exercises with the command that checks an answer.
#ifndef HLOSCOPE_VISUALIZER_LESSONS_PLAIN_H_
#define HLOSCOPE_VISUALIZER_LESSONS_PLAIN_H_

#include <string>

#include "visualizer/lessons/lesson.h"
#include "visualizer/lessons/run.h"

namespace hloscope::lessons {

std::string ContentsText(const Shelf& shelf, const std::string& language);
std::string LessonPlainText(const Shelf& shelf, const Lesson& lesson, const std::string& language, const BackendMaker& backend, size_t width = 100);
// Broken at spaces; every line after the first begins with `indent`.
std::string Wrapped(absl::string_view text, size_t width, absl::string_view indent = "");

// The values that a program shows, a text each.
std::vector<std::string> ShownValues(const Program& program, const ProgramRun& run);
// As it is shown: with ? in its hole.
std::string ShownText(const Program& program, bool solved);
// Hidden until this exercise is solved: its own `until`, or the exercise whose answer fills its hole; null: nothing hides it.
const Exercise* HiddenUntil(const Lesson& lesson, const Program& program);
const Exercise* HiddenUntil(const Lesson& lesson, const Picture& picture);

}  // namespace hloscope::lessons

#endif  // HLOSCOPE_VISUALIZER_LESSONS_PLAIN_H_
