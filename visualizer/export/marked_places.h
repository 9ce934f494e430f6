// Where what a page marks stands: an instruction of a shared computation in the calls that a way or a slice goes through. Not for what is marked.
#ifndef HLOSCOPE_VISUALIZER_EXPORT_MARKED_PLACES_H_
#define HLOSCOPE_VISUALIZER_EXPORT_MARKED_PLACES_H_

#include <vector>

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
// Each place once. Of parts told apart by run those in which they ran, in the order of the parts; else `marked` in the calls that are marked too,
// and in the first one where none is.
std::vector<MarkedPlace> MarkedPlaces(const Hierarchy& hierarchy, const std::vector<const Instruction*>& marked, const SliceParts& slice);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_EXPORT_MARKED_PLACES_H_
