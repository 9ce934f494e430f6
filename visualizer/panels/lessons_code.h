// A small program that can be edited, in the colours of program text, with its problems underlined. Grows with its lines. For the panel
// Lessons; the panel Program has an editor of its own.
#ifndef HLOSCOPE_VISUALIZER_PANELS_LESSONS_CODE_H_
#define HLOSCOPE_VISUALIZER_PANELS_LESSONS_CODE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/diagnostic.h"

namespace hloscope {

struct CodeField {
  const std::vector<Diagnostic>* problems = nullptr;  // places in `text`
  int mark_begin = -1, mark_end = -1;                 // bytes: what is asked for
  bool read_only = false;
};
// True when the text changed. Fills `width`; longer lines scroll.
bool EditCode(absl::string_view name, std::string* text, float width, const CodeField& field);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_LESSONS_CODE_H_
