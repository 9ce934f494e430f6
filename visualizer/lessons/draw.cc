#include "visualizer/lessons/draw.h"

#include "absl/strings/str_cat.h"

namespace hloscope::lessons {

absl::StatusOr<PictureSubject> SubjectOf(const Picture& picture, const ProgramRun& run, const Captions& captions) {
  PictureSubject subject;
  subject.row = FindPictureRow(picture.kind);
  if (subject.row == nullptr) return absl::NotFoundError(absl::StrCat("there is no picture of kind '", picture.kind, "'"));
  if (!run.ok()) return run.status;
  const Instruction* of = run.Find(picture.of);
  if (of == nullptr) return absl::NotFoundError(absl::StrCat("the program has no %", picture.of, " to draw"));
  subject.data.instruction = of;
  for (const Instruction* operand : of->operands) subject.data.operands.push_back(run.ValueOf(*operand));
  subject.data.result = run.ValueOf(*of);
  subject.selection.options = picture.options;
  subject.selection.step = picture.step;
  subject.selection.captions = captions;
  if (!picture.cell.empty()) {
    const absl::StatusOr<FoundElement> cell = FindElement(run, picture.cell);
    if (!cell.ok()) return cell.status();
    int array = cell->instruction == of ? kResultArray : -1;
    for (size_t k = 0; k < of->operands.size(); ++k) {
      if (array < 0 && of->operands[k] == cell->instruction) array = static_cast<int>(k);
    }
    if (array < 0 || !cell->has_index) return absl::InvalidArgumentError(absl::StrCat("the cell ", picture.cell, " is no element of %", picture.of, " or its operands"));
    subject.selection.pinned = Cell{array, cell->index};
  }
  return subject;
}

absl::StatusOr<MadePicture> DrawPicture(const Picture& picture, const ProgramRun& run, const Captions& captions, float width) {
  absl::StatusOr<PictureSubject> subject = SubjectOf(picture, run, captions);
  if (!subject.ok()) return subject.status();
  subject->selection.width = width;
  return subject->row->draw(subject->data, subject->selection);
}

}  // namespace hloscope::lessons
