#include "visualizer/export/marked_places.h"

#include <map>
#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"

namespace hloscope {
namespace {

constexpr size_t kMostPaths = 8;  // to one computation; calls in calls would be very many

// The ways to computations through what is marked.
class Paths {
 public:
  Paths(const Hierarchy& h, const std::vector<const Instruction*>& marked) : h_(h), marked_(marked.begin(), marked.end()) {}

  const std::vector<CallPath>& To(const Computation& computation) {
    const auto [it, fresh] = known_.try_emplace(&computation);
    std::vector<CallPath>& paths = it->second;  // of a map: it stays where it is
    if (!fresh) return paths;
    std::vector<CalledBy> calls;
    for (const CalledBy& call : h_.CallersOf(computation)) {
      if (marked_.contains(call.caller)) calls.push_back(call);
    }
    if (calls.empty() && h_.CallerOf(computation).caller != nullptr) calls.push_back(h_.CallerOf(computation));
    for (const CalledBy& call : calls) {
      for (CallPath path : To(*call.caller->parent)) {
        if (paths.size() >= kMostPaths) return paths;
        path.push_back(call);
        paths.push_back(std::move(path));
      }
    }
    if (calls.empty()) paths.emplace_back();
    return paths;
  }

 private:
  const Hierarchy& h_;
  absl::flat_hash_set<const Instruction*> marked_;
  std::map<const Computation*, std::vector<CallPath>> known_;
};

}  // namespace

CallPath PathOf(const SlicePart& part) {
  CallPath path;
  for (const SliceCall& call : part.calls) path.push_back({call.caller, call.which});
  return path;
}

std::vector<MarkedPlace> MarkedPlaces(const Hierarchy& hierarchy, const std::vector<const Instruction*>& marked, const SliceParts& slice) {
  std::vector<MarkedPlace> places;
  if (!slice.runs || slice.parts.empty()) {
    Paths paths(hierarchy, marked);
    for (const Instruction* i : marked) {
      for (const CallPath& path : paths.To(*i->parent)) places.push_back({i, path});
    }
    return places;
  }
  std::set<BoxKey> seen;
  for (const SlicePart& part : slice.parts) {
    CallPath path = PathOf(part);
    // Iterations of a loop are one place.
    if (seen.insert(KeyOf(FrameOf(hierarchy, path), hierarchy.NodeOf(*part.instruction))).second) places.push_back({part.instruction, std::move(path)});
  }
  return places;
}

}  // namespace hloscope
