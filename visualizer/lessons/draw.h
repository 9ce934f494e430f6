// The pictures of a lesson, drawn from the values of a run by the pictures' own functions (visualizer/pictures).
#ifndef HLOSCOPE_VISUALIZER_LESSONS_DRAW_H_
#define HLOSCOPE_VISUALIZER_LESSONS_DRAW_H_

#include "absl/status/statusor.h"
#include "visualizer/lessons/lesson.h"
#include "visualizer/lessons/run.h"
#include "visualizer/pictures/picture.h"

namespace hloscope::lessons {

// What a lesson's picture shows: the instruction with its values, and the selection that the lesson begins with.
struct PictureSubject {
  const PictureRow* row = nullptr;
  PictureData data;
  PictureSelection selection;
};
absl::StatusOr<PictureSubject> SubjectOf(const Picture& picture, const ProgramRun& run, const Captions& captions);
absl::StatusOr<MadePicture> DrawPicture(const Picture& picture, const ProgramRun& run, const Captions& captions, float width);

}  // namespace hloscope::lessons

#endif  // HLOSCOPE_VISUALIZER_LESSONS_DRAW_H_
