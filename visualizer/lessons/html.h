// Lessons as HTML pages that need nothing else: pictures inline, both colour schemes, answers behind a fold.
#ifndef HLOSCOPE_VISUALIZER_LESSONS_HTML_H_
#define HLOSCOPE_VISUALIZER_LESSONS_HTML_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "visualizer/lessons/lesson.h"
#include "visualizer/lessons/run.h"

namespace hloscope::lessons {

// One page of a lesson in a language.
std::string LessonHtml(const Shelf& shelf, const Lesson& lesson, const std::string& language, const BackendMaker& backend);
// Writes index.html (a choice of languages), LANG/index.html and LANG/NAME.html into the folder, which is made. Returns what was written.
absl::StatusOr<std::vector<std::string>> ExportLessons(const Shelf& shelf, const std::string& folder, const BackendMaker& backend);

}  // namespace hloscope::lessons

#endif  // HLOSCOPE_VISUALIZER_LESSONS_HTML_H_
