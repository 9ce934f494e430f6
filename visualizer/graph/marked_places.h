// Where what a page marks stands: an instruction of a shared computation in the calls that a way or a slice goes through. Not for what is marked.
#ifndef HLOSCOPE_VISUALIZER_GRAPH_MARKED_PLACES_H_
#define HLOSCOPE_VISUALIZER_GRAPH_MARKED_PLACES_H_

#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/debug/slice_parts.h"
#include "visualizer/graph/scene.h"

namespace hloscope {

// An instruction in one of the calls that lead to it.
struct MarkedPlace {
  const Instruction* instruction = nullptr;
  CallPath path;
};

// Of a part of a slice.
CallPath PathOf(const SlicePart& part);
// Of all parts, each place once (iterations of a loop are one), in their order.
std::vector<MarkedPlace> PlacesOf(const Hierarchy& hierarchy, const SliceParts& slice);
// The box of a place.
BoxKey KeyOf(const Hierarchy& hierarchy, const MarkedPlace& place);
// The arrows of a slice, from box to box.
using MarkedArrows = std::set<std::pair<BoxKey, BoxKey>>;
// What only hands the elements of a slice on between its parts (tuples, loops, what takes elements out or puts them elsewhere), in the calls of those:
// without it the slice would fall apart where it is drawn with all else. `arrows`: those that lead from part to part, also through these.
std::vector<MarkedPlace> PlacesBetween(const Hierarchy& hierarchy, const SliceParts& slice, MarkedArrows* arrows);
// A slice as all drawings of it mark it.
struct MarkedSlice {
  std::vector<MarkedPlace> parts, between;
  MarkedArrows arrows;
};
MarkedSlice MarkSlice(const Hierarchy& hierarchy, const SliceParts& slice);
// The same in a scene: what stays closed is marked for what is in it, and where something is open the arrow goes on to what it leads to.
struct MarkedBoxes {
  absl::flat_hash_set<int> parts, between;
  absl::flat_hash_set<std::pair<int, int>> arrows;
};
MarkedBoxes FindMarked(const Scene& scene, const MarkedSlice& slice);
// Of a way (ShortestPath): what it goes into it leaves by the same call. Around that the first calls.
std::vector<MarkedPlace> PlacesAlong(const Hierarchy& hierarchy, const std::vector<const Instruction*>& way);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_MARKED_PLACES_H_
