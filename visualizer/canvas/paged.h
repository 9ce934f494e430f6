// A drawing as a PNG or PDF file, by Cairo. Text has the same widths as everywhere.
#ifndef HLOSCOPE_VISUALIZER_CANVAS_PAGED_H_
#define HLOSCOPE_VISUALIZER_CANVAS_PAGED_H_

#include <string>

#include "absl/status/statusor.h"
#include "visualizer/canvas/drawing.h"

namespace hloscope {

struct PageOptions {
  PaletteScheme scheme = PaletteScheme::kLight;
  float scale = 1;         // pixels of the file for one of the drawing; of a PDF its size
  bool background = true;  // the panel's colour behind; else nothing
};
// The file's bytes. InvalidArgument: too large at this scale for the format.
absl::StatusOr<std::string> PngBytes(const Drawing& drawing, const PageOptions& options = {});
absl::StatusOr<std::string> PdfBytes(const Drawing& drawing, const PageOptions& options = {});

// A drawing in the form that the file's ending names: .svg, .png, .pdf. InvalidArgument: another ending. Unavailable: cannot be written.
absl::Status WriteDrawing(const std::string& path, const Drawing& drawing, const PageOptions& options = {});

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_CANVAS_PAGED_H_
