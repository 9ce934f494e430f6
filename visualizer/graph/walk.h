// Walks over a program's values: what lies near an instruction, and the shortest way between two. Into and out of called computations too.
#ifndef HLOSCOPE_VISUALIZER_GRAPH_WALK_H_
#define HLOSCOPE_VISUALIZER_GRAPH_WALK_H_

#include <vector>

#include "visualizer/graph/scene.h"

namespace hloscope {

struct Neighbours {
  std::vector<const Instruction*> found;  // the nearest first
  SeenIn seen_in;
};
// Instructions at most `hops` arrows away, in either direction; at most `most`. Of a computation that is called from several places, one call: `in`
// says in which what `of` stands in is looked at, and what calls that; where it does not, all calls of it.
Neighbours Neighbourhood(const Hierarchy& hierarchy, const Instruction& of, int hops, size_t most, const SeenIn& in = {});

// How a way goes from one instruction to another.
enum class WayKind : uint8_t {
  kAlong,    // as values flow
  kAgainst,  // as values flow from its end to its beginning
  kOtherParts,  // along the arrows, but what leaves a tuple is another part of it than what goes into it: no value comes through
  kMixed,    // partly along, partly against
};
// "the shortest way from", "the shortest way, against the flow of values, from".
absl::string_view ShortestWayFrom(WayKind kind);

// The instructions from `from` to `to`, both included: along the flow of values (of a loop also into its next iteration), else against it, else along the
// arrows of whole tuples, else in any direction. Empty: there is none.
std::vector<const Instruction*> ShortestPath(const Hierarchy& hierarchy, const Instruction& from, const Instruction& to, WayKind* kind);

// The steps of a way, each in the direction of the values. A call that it goes through is none of its own where an arrow leads from what stands outside
// to what stands inside.
std::vector<SceneHop> HopsOf(const Hierarchy& hierarchy, const std::vector<const Instruction*>& way);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_WALK_H_
