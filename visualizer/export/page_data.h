// What a page of the graph knows, as compact JSON: instructions in columns, the hierarchy, the layout of every level, colours, and the values
// of a run. Read by page/data.js. Not for machines other than that.
#ifndef HLOSCOPE_VISUALIZER_EXPORT_PAGE_DATA_H_
#define HLOSCOPE_VISUALIZER_EXPORT_PAGE_DATA_H_

#include <memory>
#include <string>
#include <vector>

#include "core/debug/run_values.h"
#include "core/debug/slice_parts.h"
#include "core/debug/source_view.h"
#include "visualizer/export/levels.h"
#include "visualizer/graph/marked_places.h"

namespace hloscope {

struct GraphPageInput {
  std::shared_ptr<const Hierarchy> hierarchy;
  std::string file;                             // as it was named
  std::string version;
  const RunValues* values = nullptr;            // null: there was no run
  const InstructionFigures* times = nullptr;    // of a profile; null: not known
  const InstructionFigures* errors = nullptr;
  SourceView* sources = nullptr;                // for lines of the model's source; may be null
  std::vector<std::string> notes;
  std::string color = "class";
  std::string start;                            // a computation or an instruction that is shown first; empty: the entry
  // A way or a slice that is opened, marked and listed, in this order; `asked` is shown first. Empty: none.
  std::vector<MarkedPlace> marked;
  int asked = -1;                               // index into marked
  MarkedArrows arrows;                          // of a slice: those that are marked; of a way all between marked boxes
  std::vector<SceneHop> hops;                   // of a way: its steps
  std::string marked_text;                      // "why %y[3], 12 instructions"
  const SliceParts* slice = nullptr;            // of `marked`, where its parts are told apart by run; null: they are not
  bool slice_from_causes = false;               // it leads to what was asked for, not away from it: listed the other way round
  double layout_seconds = 20;                   // of processor time; levels that are left then are laid out the fast way
};
std::string PageJson(const GraphPageInput& input);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_EXPORT_PAGE_DATA_H_
