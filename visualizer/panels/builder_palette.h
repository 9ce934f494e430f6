// The operations in groups, for the builder's palette: from the operation table, with their one-line summaries. Nothing is drawn here.
#ifndef HLOSCOPE_VISUALIZER_PANELS_BUILDER_PALETTE_H_
#define HLOSCOPE_VISUALIZER_PANELS_BUILDER_PALETTE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hloscope {

struct PaletteOperation {
  std::string name, summary;
  int group = 0;  // into PaletteGroups
};
const std::vector<PaletteOperation>& PaletteOperations();  // by group, in the table's order
const std::vector<std::string>& PaletteGroups();
// Those that fit the letters, the best first; all of them, by group, where there are none.
std::vector<const PaletteOperation*> FindOperations(absl::string_view letters);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_BUILDER_PALETTE_H_
