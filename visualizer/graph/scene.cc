#include "visualizer/graph/scene.h"

#include <algorithm>
#include <chrono>
#include <deque>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "visualizer/graph/mix.h"
#include "visualizer/graph/scene_making.h"

namespace hloscope {
FrameKey Inside(BoxKey caller, int which) { return MixBits(caller, 1000003u + static_cast<uint64_t>(which)); }

std::string BytesText(int64_t bytes) {
  const double b = static_cast<double>(bytes);
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  // Three digits, and never an exponent: 1000 KiB are about 1 MiB.
  if (b < 1000 * 1024.0) return absl::StrFormat("%.3g KiB", b / 1024);
  if (b < 1000 * 1048576.0) return absl::StrFormat("%.3g MiB", b / 1048576);
  return absl::StrFormat("%.3g GiB", b / 1073741824);
}

BoxKey KeyOf(FrameKey frame, int node) { return MixBits(frame, static_cast<uint64_t>(node)); }

CallPath PathTo(const Hierarchy& hierarchy, const Computation& computation) {
  CallPath path;
  const Computation* at = &computation;
  while (hierarchy.CallerOf(*at).caller != nullptr && path.size() < 1000) {
    path.push_back(hierarchy.CallerOf(*at));
    at = path.back().caller->parent;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

FrameKey FrameOf(const Hierarchy& hierarchy, const CallPath& path) {
  FrameKey frame = 0;
  for (const CalledBy& call : path) frame = Inside(KeyOf(frame, hierarchy.NodeOf(*call.caller)), call.which);
  return frame;
}

std::vector<BoxKey> KeysTo(const Hierarchy& hierarchy, const CallPath& path, const Instruction& instruction) {
  std::vector<BoxKey> keys;
  FrameKey frame = 0;
  const auto within = [&](const Instruction& i) {
    std::vector<BoxKey> up;
    for (int node = hierarchy.NodeOf(i); node >= 0; node = hierarchy.node(node).parent) up.push_back(KeyOf(frame, node));
    keys.insert(keys.end(), up.rbegin(), up.rend());
  };
  for (const CalledBy& call : path) {
    within(*call.caller);
    frame = Inside(keys.back(), call.which);
  }
  within(instruction);
  return keys;
}

// The one in most of these calls, from the innermost on.
int Scene::FindInCalls(const CallPath& path, const Instruction& instruction) const {
  int best = -1;
  size_t most = 0;
  for (size_t k = 0; k < boxes.size(); ++k) {
    if (boxes[k].instruction != &instruction) continue;
    size_t alike = 0;
    for (int up = boxes[k].parent; up >= 0 && alike < path.size(); up = boxes[up].parent) {
      if (boxes[up].instruction == nullptr) continue;
      if (boxes[up].instruction != path[path.size() - 1 - alike].caller) break;
      ++alike;
    }
    if (best >= 0 && alike <= most) continue;
    best = static_cast<int>(k);
    most = alike;
  }
  return best;
}

int Scene::Find(const CallPath& path, const Instruction& instruction) const {
  if (hierarchy == nullptr) return -1;
  if (focused) {
    const auto it = by_key.find(KeyOf(0, hierarchy->NodeOf(instruction)));
    if (it != by_key.end() || sliced) return it == by_key.end() ? -1 : it->second;
    return FindInCalls(path, instruction);
  }
  const std::vector<BoxKey> keys = KeysTo(*hierarchy, path, instruction);
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    const auto it = by_key.find(*key);
    if (it != by_key.end()) return it->second;
  }
  return -1;
}

absl::flat_hash_set<BoxKey> FirstExpansion(const Hierarchy& h, int most, const Computation* outermost) {
  absl::flat_hash_set<BoxKey> expanded;
  if (outermost == nullptr) outermost = h.module().entry;
  if (outermost == nullptr) return expanded;
  const int root = h.NodeOf(*outermost);
  expanded.insert(KeyOf(0, root));
  int shown = static_cast<int>(h.node(root).children.size());
  std::vector<int> open = {root};
  while (!open.empty()) {
    const int within = open.back();
    open.pop_back();
    for (const int child : h.node(within).children) {
      // What most of a level lies in, so that one sees more than a single box; of many alike none.
      const GraphNode& node = h.node(child);
      if (node.kind != GraphNode::kScope || node.count * 5 < h.node(within).count * 2 || shown + static_cast<int>(node.children.size()) > most) continue;
      shown += static_cast<int>(node.children.size()) - 1;
      expanded.insert(KeyOf(0, child));
      open.push_back(child);
    }
  }
  return expanded;
}

namespace {

// Rows of parameters or constants would be most of the picture, and say least.
bool IsRow(const GraphNode& node) { return node.kind == GraphNode::kChunk && (node.title == "parameters" || node.title == "constants"); }

}  // namespace

void ExpandLevels(const Hierarchy& h, const Computation& outermost, int most, absl::flat_hash_set<BoxKey>* expanded) {
  std::vector<int> shown = {h.NodeOf(outermost)};  // with what is in them
  for (;;) {
    // What stands in the picture, and what of it may be expanded.
    std::vector<int> closed;
    int boxes = 0, more = 0;
    for (size_t k = 0; k < shown.size(); ++k) {
      for (const int child : h.node(shown[k]).children) {
        const GraphNode& node = h.node(child);
        if (node.instruction == nullptr && expanded->contains(KeyOf(0, child))) {
          shown.push_back(child);
          continue;
        }
        ++boxes;
        if (node.instruction != nullptr || IsRow(node)) continue;
        closed.push_back(child);
        more += static_cast<int>(node.children.size()) - 1;
      }
    }
    if (closed.empty() || boxes + more > most) return;
    for (const int node : closed) expanded->insert(KeyOf(0, node));
    shown.resize(1);
  }
}

DeepExpansion ExpansionToDepth(const Hierarchy& h, const Computation& outermost, int depth, int most) {
  struct Open {
    FrameKey frame = 0;
    int node = 0, depth = 0;
    int boxes = 1;  // depth of the boxes of its children
  };
  DeepExpansion found;
  const int root = h.NodeOf(outermost);
  found.expanded.insert(KeyOf(0, root));
  found.boxes = static_cast<int>(h.node(root).children.size());
  std::deque<Open> open = {{0, root, 0}};  // whose children are shown; nearer to the root first
  while (!open.empty()) {
    const Open at = open.front();
    open.pop_front();
    if (at.depth >= depth) continue;
    for (const int child : h.node(at.node).children) {
      const GraphNode& node = h.node(child);
      const BoxKey key = KeyOf(at.frame, child);
      std::vector<Open> inside;
      int more = 0;
      if (node.instruction == nullptr) {
        inside.push_back({at.frame, child, at.depth + 1, at.boxes + 1});
        more = static_cast<int>(node.children.size());
      } else {
        const std::vector<const Computation*> called = Hierarchy::Called(*node.instruction);
        for (size_t k = 0; k < called.size(); ++k) {
          inside.push_back({Inside(key, static_cast<int>(k)), h.NodeOf(*called[k]), at.depth + 1, at.boxes + (called.size() > 1 ? 2 : 1)});
          more += static_cast<int>(h.node(inside.back().node).children.size()) + (called.size() > 1 ? 1 : 0);
        }
      }
      if (inside.empty() || IsRow(node)) continue;
      if (at.boxes >= kMostSceneDepth) {
        ++found.too_deep;
        continue;
      }
      if (found.boxes + more > most) {
        ++found.left_closed;
        continue;
      }
      found.boxes += more;
      found.expanded.insert(key);
      for (const Open& one : inside) {
        if (inside.size() > 1) found.expanded.insert(KeyOf(one.frame, one.node));
        open.push_back(one);
      }
    }
  }
  return found;
}

std::vector<BoxKey> Expansion(const Hierarchy& h, const SceneBox& box) {
  std::vector<BoxKey> keys = {box.key};
  if (box.instruction == nullptr) return keys;
  const std::vector<const Computation*> called = Hierarchy::Called(*box.instruction);
  if (called.size() < 2) return keys;
  for (size_t k = 0; k < called.size(); ++k) {
    const int root = h.NodeOf(*called[k]);
    if (h.node(root).children.size() <= 60) keys.push_back(KeyOf(Inside(box.key, static_cast<int>(k)), root));
  }
  return keys;
}

std::shared_ptr<const Scene> SceneMaker::Make(const SceneWish& wish, const std::atomic<bool>* stop) {
  const auto begin = std::chrono::steady_clock::now();
  const auto stopped = [stop] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
  const auto scene = std::make_shared<Scene>();
  scene->hierarchy = wish.hierarchy;
  scene->request = wish.request;
  scene->expanded = wish.expanded;
  if (stopped()) return nullptr;
  FillScene(wish, scene.get());
  if (stopped() || !PlaceScene(wish, stop, &known_, scene.get())) return nullptr;
  for (const SceneArrow& arrow : scene->arrows) {
    scene->boxes[arrow.from].more_out += arrow.minor;
    scene->boxes[arrow.to].more_in += arrow.minor;
  }
  PlaceLabels(wish, scene.get());
  scene->milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return scene;
}

}  // namespace hloscope
