// Which part of a program's graph a file shows: the whole by level, a computation, what lies around an instruction, the way between two, or
// chosen instructions (a slice). Not for how it is drawn.
#ifndef HLOSCOPE_VISUALIZER_EXPORT_GRAPH_CHOICE_H_
#define HLOSCOPE_VISUALIZER_EXPORT_GRAPH_CHOICE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/slice_parts.h"
#include "visualizer/graph/scene.h"

namespace hloscope {

struct GraphChoice {
  std::string computation;             // empty: the entry
  int depth = -1;                      // levels that are expanded; -1: as many as show the program well
  int boxes = 150;                     // at most, about
  std::string around;                  // an instruction
  int hops = 2;
  std::vector<std::string> path;       // from, to
  SliceParts slice;
  std::string slice_text;              // "why %y[3]"
};

struct ChosenGraph {
  SceneWish wish;
  std::string subject;                 // "main, 148 instructions"
  std::string note;                    // what was left out, for the terminal; empty: nothing
  const Instruction* here = nullptr;
  std::vector<const Instruction*> marked;
};

// NotFound and InvalidArgument say what there is instead.
absl::StatusOr<ChosenGraph> ChooseGraph(std::shared_ptr<const Hierarchy> hierarchy, const GraphChoice& choice);

// Of a computation that is drawn by level: how many instructions the scene has, those in folded scopes counted, and in the calls that are open.
std::string SubjectOf(const Scene& scene, const Computation& root);

// What stands in the box of a part: its value, and what of its causes the slice has not got ("3 of 8 terms, goes on").
std::string PartText(const SlicePart& part);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_EXPORT_GRAPH_CHOICE_H_
