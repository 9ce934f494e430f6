#include "visualizer/export/marked_places.h"

#include <algorithm>
#include <set>
#include <utility>

namespace hloscope {
namespace {

// The call of the computation by that instruction; null: it does not call it.
const CalledBy* CallBy(const Hierarchy& h, const Computation& called, const Instruction& caller) {
  const std::vector<CalledBy>& calls = h.CallersOf(called);
  const auto it = std::find_if(calls.begin(), calls.end(), [&](const CalledBy& call) { return call.caller == &caller; });
  return it == calls.end() ? nullptr : &*it;
}

}  // namespace

CallPath PathOf(const SlicePart& part) {
  CallPath path;
  for (const SliceCall& call : part.calls) path.push_back({call.caller, call.which});
  return path;
}

std::vector<MarkedPlace> PlacesOf(const Hierarchy& hierarchy, const SliceParts& slice) {
  std::vector<MarkedPlace> places;
  std::set<BoxKey> seen;
  for (const SlicePart& part : slice.parts) {
    CallPath path = PathOf(part);
    if (seen.insert(KeyOf(FrameOf(hierarchy, path), hierarchy.NodeOf(*part.instruction))).second) places.push_back({part.instruction, std::move(path)});
  }
  return places;
}

std::vector<MarkedPlace> PlacesAlong(const Hierarchy& hierarchy, const std::vector<const Instruction*>& way) {
  std::vector<MarkedPlace> places;
  CallPath inside;                         // the calls that the way went into
  const Computation* outermost = nullptr;  // in which it began, or to which it came out
  for (const Instruction* i : way) {
    if (outermost == nullptr) outermost = i->parent;
    const Instruction* last = places.empty() ? i : places.back().instruction;
    if (last->parent != i->parent) {
      if (const CalledBy* in = CallBy(hierarchy, *i->parent, *last)) {
        inside.push_back(*in);
      } else if (!inside.empty()) {
        inside.pop_back();
      } else if (const CalledBy* out = CallBy(hierarchy, *last->parent, *i)) {
        // All before it stands in that call.
        for (MarkedPlace& place : places) place.path.insert(place.path.begin(), *out);
        outermost = i->parent;
      }
    }
    places.push_back({i, inside});
  }
  const CallPath around = outermost == nullptr ? CallPath() : PathTo(hierarchy, *outermost);
  for (MarkedPlace& place : places) place.path.insert(place.path.begin(), around.begin(), around.end());
  return places;
}

}  // namespace hloscope
