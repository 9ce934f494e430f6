#include "visualizer/graph/marked_places.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"
#include "absl/container/flat_hash_map.h"
#include "visualizer/graph/tint.h"
#include "visualizer/graph/walk.h"

namespace hloscope {
namespace {

// The call of the computation by that instruction; null: it does not call it.
const CalledBy* CallBy(const Hierarchy& h, const Computation& called, const Instruction& caller) {
  const std::vector<CalledBy>& calls = h.CallersOf(called);
  const auto it = std::find_if(calls.begin(), calls.end(), [&](const CalledBy& call) { return call.caller == &caller; });
  return it == calls.end() ? nullptr : &*it;
}

}  // namespace

BoxKey KeyOf(const Hierarchy& hierarchy, const MarkedPlace& place) { return KeyOf(FrameOf(hierarchy, place.path), hierarchy.NodeOf(*place.instruction)); }

CallPath PathOf(const SlicePart& part) {
  CallPath path;
  for (const SliceCall& call : part.calls) path.push_back({call.caller, call.which});
  return path;
}

std::vector<MarkedPlace> PlacesOf(const Hierarchy& hierarchy, const SliceParts& slice) {
  std::vector<MarkedPlace> places;
  std::set<BoxKey> seen;
  for (const SlicePart& part : slice.parts) {
    MarkedPlace place{part.instruction, PathOf(part)};
    if (seen.insert(KeyOf(hierarchy, place)).second) places.push_back(std::move(place));
  }
  return places;
}

std::vector<MarkedPlace> PlacesBetween(const Hierarchy& h, const SliceParts& slice, MarkedArrows* arrows) {
  constexpr int64_t kMostLooked = 20'000'000;  // instructions, by all searches together
  const auto hands_on = [](const Instruction* i) {
    return i->parameter_number >= 0 || Def(*i).control != ControlKind::kNone || Def(*i).op_class == OpClass::kStructural || !SourcesOfLeaves(*i).empty() || MovesElements(*i);
  };
  const auto same = [](const CallPath& a, const CallPath& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const CalledBy& x, const CalledBy& y) { return x.caller == y.caller && x.which == y.which; });
  };
  std::vector<MarkedPlace> places;
  std::set<BoxKey> seen;
  for (const MarkedPlace& place : PlacesOf(h, slice)) seen.insert(KeyOf(h, place));
  std::set<std::pair<const Instruction*, const Instruction*>> looked_at;
  int64_t looked = 0;
  for (const SliceStep& step : slice.steps) {
    const SlicePart &from = slice.parts[static_cast<size_t>(step.from)], &to = slice.parts[static_cast<size_t>(step.to)];
    if (step.label.empty()) arrows->insert({KeyOf(h, {from.instruction, PathOf(from)}), KeyOf(h, {to.instruction, PathOf(to)})});
    if (step.label.empty() || !looked_at.insert({from.instruction, to.instruction}).second) continue;
    if ((looked += h.module().instruction_count()) > kMostLooked) break;
    WayKind kind{};
    const std::vector<const Instruction*> way = ShortestPath(h, *from.instruction, *to.instruction, &kind);
    if (way.size() < 3 || kind != WayKind::kAlong || !std::all_of(way.begin() + 1, way.end() - 1, hands_on)) continue;
    const std::vector<MarkedPlace> along = PlacesAlong(h, way);
    // Of a computation that is called several times it may be another call.
    if (!same(along.front().path, PathOf(from)) || !same(along.back().path, PathOf(to))) continue;
    for (size_t k = 0; k + 1 < along.size(); ++k) {
      arrows->insert({KeyOf(h, along[k]), KeyOf(h, along[k + 1])});
      if (k > 0 && seen.insert(KeyOf(h, along[k])).second) places.push_back(along[k]);
    }
  }
  return places;
}

MarkedSlice MarkSlice(const Hierarchy& hierarchy, const SliceParts& slice) {
  MarkedSlice marked;
  marked.parts = PlacesOf(hierarchy, slice);
  if (slice.runs) marked.between = PlacesBetween(hierarchy, slice, &marked.arrows);
  return marked;
}

MarkedBoxes FindMarked(const Scene& scene, const MarkedSlice& slice) {
  MarkedBoxes found;
  absl::flat_hash_map<BoxKey, int> boxes;
  const auto add = [&](const std::vector<MarkedPlace>& places, absl::flat_hash_set<int>* into) {
    for (const MarkedPlace& place : places) {
      const int box = scene.Find(place.path, *place.instruction);
      if (box < 0 || scene.boxes[box].parent < 0) continue;
      boxes[KeyOf(*scene.hierarchy, place)] = box;
      if (!scene.boxes[box].expanded) into->insert(box);
    }
  };
  add(slice.parts, &found.parts);
  add(slice.between, &found.between);
  for (const int box : found.parts) found.between.erase(box);
  std::vector<std::pair<int, int>> arrows;
  for (const auto& [from, to] : slice.arrows) {
    const auto a = boxes.find(from), b = boxes.find(to);
    if (a != boxes.end() && b != boxes.end() && a->second != b->second) arrows.push_back({a->second, b->second});
  }
  found.arrows.insert(arrows.begin(), arrows.end());
  // Into what is open and out of it: from what made it to what reads it.
  for (const auto& [from, open] : arrows) {
    if (!scene.boxes[open].expanded) continue;
    for (const auto& [again, to] : arrows) {
      if (again == open && to != from) found.arrows.insert({from, to});
    }
  }
  if (slice.arrows.empty()) {
    // They are not told: all between what is marked.
    for (const SceneArrow& arrow : scene.arrows) {
      if (found.parts.contains(arrow.from) && found.parts.contains(arrow.to)) found.arrows.insert({arrow.from, arrow.to});
    }
  }
  return found;
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
