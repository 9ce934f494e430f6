#include "visualizer/graph/scene.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr float kPad = 14, kTitle = 30;       // within a box that is expanded
constexpr size_t kMostLevels = 400;           // layouts that are remembered
constexpr size_t kMostArrows = 2500;
constexpr int kMostOut = 7, kMostIn = 12;     // arrows of a box that are all drawn

uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15ull + b + 0x632be59bd9b4e019ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  return x ^ (x >> 32);
}

FrameKey Inside(BoxKey caller, int which) { return Mix(caller, 1000003u + static_cast<uint64_t>(which)); }

std::string RoleOf(const Instruction& caller, int which) {
  if (Def(caller).control == ControlKind::kWhile) return which == 0 ? "condition" : "body";
  if (Def(caller).control == ControlKind::kConditional) return absl::StrCat("branch ", which);
  return "";
}

}  // namespace

std::string BytesText(int64_t bytes) {
  const double b = static_cast<double>(bytes);
  if (bytes < 1024) return absl::StrCat(bytes, " B");
  // Three digits, and never an exponent: 1000 KiB are about 1 MiB.
  if (b < 1000 * 1024.0) return absl::StrFormat("%.3g KiB", b / 1024);
  if (b < 1000 * 1048576.0) return absl::StrFormat("%.3g MiB", b / 1048576);
  return absl::StrFormat("%.3g GiB", b / 1073741824);
}

BoxKey KeyOf(FrameKey frame, int node) { return Mix(frame, static_cast<uint64_t>(node)); }

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

int Scene::Find(const CallPath& path, const Instruction& instruction) const {
  if (hierarchy == nullptr) return -1;
  if (focused) {
    const auto it = by_key.find(KeyOf(0, hierarchy->NodeOf(instruction)));
    return it == by_key.end() ? -1 : it->second;
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

DeepExpansion ExpansionToDepth(const Hierarchy& h, const Computation& outermost, int depth, int most) {
  struct Open {
    FrameKey frame = 0;
    int node = 0, depth = 0;
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
        inside.push_back({at.frame, child, at.depth + 1});
        more = static_cast<int>(node.children.size());
      } else {
        const std::vector<const Computation*> called = Hierarchy::Called(*node.instruction);
        for (size_t k = 0; k < called.size(); ++k) {
          inside.push_back({Inside(key, static_cast<int>(k)), h.NodeOf(*called[k]), at.depth + 1});
          more += static_cast<int>(h.node(inside.back().node).children.size()) + (called.size() > 1 ? 1 : 0);
        }
      }
      if (inside.empty()) continue;
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

const LevelLayout& SceneMaker::LayOutLevel(const LevelGraph& graph) {
  const uint64_t key = HashOf(graph);
  const auto it = levels_.find(key);
  if (it != levels_.end() && it->second.boxes.size() == graph.boxes.size() && it->second.curves.size() == graph.arrows.size()) return it->second;
  if (levels_.size() > kMostLevels) levels_.clear();
  return levels_[key] = LayOut(graph);
}

// One making of a scene.
class SceneWork {
 public:
  SceneWork(SceneMaker& maker, const SceneWish& wish, const std::atomic<bool>* stop) : maker_(maker), wish_(wish), stop_(stop), h_(*wish.hierarchy), scene_(std::make_shared<Scene>()) {}

  std::shared_ptr<const Scene> Run() {
    const auto begin = std::chrono::steady_clock::now();
    scene_->hierarchy = wish_.hierarchy;
    scene_->request = wish_.request;
    scene_->expanded = wish_.expanded;
    if (!wish_.only.empty()) {
      AddOnly();
    } else if (const Computation* outermost = wish_.root != nullptr ? wish_.root : h_.module().entry; outermost != nullptr) {
      const int root = AddBox(0, h_.NodeOf(*outermost), -1);
      scene_->boxes[root].expanded = true;
      Fill(root, 0, h_.NodeOf(*outermost), NewShown(*outermost));
    }
    if (stopped()) return nullptr;
    AddArrows();
    FindHubs();
    if (stopped()) return nullptr;
    LayOutAll();
    if (stopped()) return nullptr;
    for (const SceneArrow& arrow : scene_->arrows) {
      scene_->boxes[arrow.from].more_out += arrow.minor;
      scene_->boxes[arrow.to].more_in += arrow.minor;
    }
    scene_->milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    return scene_;
  }

 private:
  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }
  // Which box shows each instruction of a computation, in one frame.
  struct Shown {
    const Computation* computation = nullptr;
    std::vector<int> box;  // by schedule position
  };
  // The computations shown inside an instruction.
  struct Opened {
    std::vector<std::pair<int, int>> shown;  // which, index into shown_
  };

  int NewShown(const Computation& computation) {
    shown_.push_back({&computation, std::vector<int>(computation.schedule.size(), -1)});
    return static_cast<int>(shown_.size()) - 1;
  }

  int AddBox(FrameKey frame, int node, int parent) {
    SceneBox box = MakeSceneBox(h_, node, wish_);
    box.key = KeyOf(frame, node);
    box.parent = parent;
    box.depth = parent < 0 ? 0 : scene_->boxes[parent].depth + 1;
    box.expandable = box.expandable && (box.instruction == nullptr || wish_.only.empty());
    MeasureBox(wish_, &box);
    scene_->boxes.push_back(std::move(box));
    const int id = static_cast<int>(scene_->boxes.size()) - 1;
    scene_->by_key[scene_->boxes[id].key] = id;
    return id;
  }

  // The children of a node in the box that stands for it (or for the instruction that calls it).
  void Fill(int box, FrameKey frame, int node, int shown) {
    for (const int child : h_.node(node).children) {
      const int made = AddBox(frame, child, box);
      const GraphNode& from = h_.node(child);
      const bool expanded = scene_->boxes[made].expandable && wish_.expanded.contains(scene_->boxes[made].key) && scene_->boxes[made].depth < 200;
      if (from.instruction != nullptr) {
        shown_[shown].box[from.instruction->index] = made;
        if (expanded) Open(made, *from.instruction);
      } else if (expanded) {
        scene_->boxes[made].expanded = true;
        Fill(made, frame, child, shown);
      } else {
        h_.ForEachInstruction(child, [&](const Instruction& i) { shown_[shown].box[i.index] = made; });
      }
    }
  }

  void Open(int box, const Instruction& caller) {
    const std::vector<const Computation*> called = Hierarchy::Called(caller);
    scene_->boxes[box].expanded = true;
    const BoxKey key = scene_->boxes[box].key;
    Opened opened;
    for (size_t k = 0; k < called.size(); ++k) {
      const FrameKey frame = Inside(key, static_cast<int>(k));
      const int root = h_.NodeOf(*called[k]);
      const int shown = NewShown(*called[k]);
      opened.shown.push_back({static_cast<int>(k), shown});
      if (called.size() == 1) {
        Fill(box, frame, root, shown);
        continue;
      }
      const int made = AddBox(frame, root, box);
      SceneBox& inner = scene_->boxes[made];
      const std::string role = RoleOf(caller, static_cast<int>(k));
      if (!role.empty()) {
        inner.detail = inner.title;
        inner.title = role;
        inner.name = absl::StrCat(role, ":", inner.detail);
        MeasureBox(wish_, &inner);
      }
      if (wish_.expanded.contains(inner.key)) {
        inner.expanded = true;
        Fill(made, frame, root, shown);
      } else {
        std::fill(shown_[shown].box.begin(), shown_[shown].box.end(), made);
      }
    }
    opened_[box] = std::move(opened);
  }

  void AddOnly() {
    scene_->focused = true;
    std::vector<const Instruction*> sorted = wish_.only;
    std::sort(sorted.begin(), sorted.end(), [this](const Instruction* a, const Instruction* b) { return h_.Number(*a) < h_.Number(*b); });
    SceneBox root;
    root.expanded = true;
    scene_->boxes.push_back(root);
    absl::flat_hash_map<const Computation*, int> shown;
    for (const Instruction* i : sorted) {
      const auto [it, fresh] = shown.try_emplace(i->parent, 0);
      if (fresh) it->second = NewShown(*i->parent);
      shown_[it->second].box[i->index] = AddBox(0, h_.NodeOf(*i), 0);
    }
    // Values go into and out of computations here too.
    for (const Instruction* i : sorted) {
      Opened opened;
      int which = 0;
      for (const Computation* called : Hierarchy::Called(*i)) {
        if (const auto it = shown.find(called); it != shown.end()) opened.shown.push_back({which, it->second});
        ++which;
      }
      if (!opened.shown.empty()) opened_[shown_[shown[i->parent]].box[i->index]] = std::move(opened);
    }
  }

  // -- Arrows --
  // The boxes in which an operand's value arrives: of an instruction that is expanded, the parameters inside.
  void Targets(int box, const Instruction& user, size_t operand, std::vector<int>* out) const {
    const auto it = opened_.find(box);
    if (it != opened_.end()) {
      const bool loop = Def(user).control == ControlKind::kWhile;
      for (const auto& [which, shown] : it->second.shown) {
        const Computation& c = *shown_[shown].computation;
        // Of a conditional each branch has an operand, after the one that chooses.
        const bool branches = Def(user).control == ControlKind::kConditional;
        if (branches && operand != static_cast<size_t>(which) + 1) continue;
        const size_t number = loop || branches ? 0 : operand;
        if (number >= c.parameters.size() || c.parameters[number] == nullptr || (!loop && !branches && c.parameters.size() != user.operands.size())) continue;
        const int inside = shown_[shown].box[c.parameters[number]->index];
        if (inside >= 0 && inside != box) out->push_back(inside);
      }
      if (scene_->focused) out->push_back(box);
    }
    if (out->empty()) out->push_back(box);
  }
  // The box in which a value is made: of an instruction that is expanded, the root inside.
  int Source(int box) const {
    for (int deep = 0; deep < 200; ++deep) {
      const auto it = opened_.find(box);
      if (it == opened_.end() || it->second.shown.empty() || scene_->focused) return box;
      // Of a loop the body, its last; of branches none by itself.
      const bool loop = scene_->boxes[box].instruction != nullptr && Def(*scene_->boxes[box].instruction).control == ControlKind::kWhile;
      if (it->second.shown.size() > 1 && !loop) return box;
      const Shown& shown = shown_[it->second.shown.back().second];
      if (shown.computation->root == nullptr) return box;
      const int inside = shown.box[shown.computation->root->index];
      if (inside < 0 || inside == box) return box;
      box = inside;
    }
    return box;
  }

  void AddArrow(int from, int to, const Instruction& value, bool order_only) {
    if (from == to || from < 0 || to < 0) return;
    const auto [it, fresh] = arrow_.try_emplace({from, to}, static_cast<int>(scene_->arrows.size()));
    if (fresh) {
      scene_->arrows.push_back({});
      SceneArrow& made = scene_->arrows.back();
      made.from = from;
      made.to = to;
      made.value = &value;
      made.order_only = order_only;
    }
    SceneArrow& arrow = scene_->arrows[it->second];
    if (!order_only) arrow.order_only = false;
    if (last_value_[it->second] == &value && !fresh) return;  // the same value once more
    last_value_[it->second] = &value;
    if (!order_only) {
      arrow.bytes += value.shape.ByteSize();
      ++arrow.count;
    }
  }

  void AddArrows() {
    for (size_t s = 0; s < shown_.size(); ++s) {
      for (const Instruction* user : shown_[s].computation->schedule) {
        const int to = shown_[s].box[user->index];
        if (to < 0) continue;
        for (size_t k = 0; k < user->operands.size(); ++k) {
          const Instruction* operand = user->operands[k];
          if (operand == nullptr || operand->parent != user->parent || operand->index < 0) continue;
          const int from = shown_[s].box[operand->index];
          if (from < 0 || (from == to && opened_.count(to) == 0)) continue;
          std::vector<int> targets;
          Targets(to, *user, k, &targets);
          for (const int target : targets) AddArrow(Source(from), target, *operand, false);
        }
        for (const Instruction* before : user->control_predecessors) {
          if (before != nullptr && before->parent == user->parent && before->index >= 0) AddArrow(shown_[s].box[before->index], to, *before, true);
        }
      }
      if (!scene_->focused) continue;
      // From the root inside to the caller.
      const Computation& c = *shown_[s].computation;
      if (c.root == nullptr || shown_[s].box[c.root->index] < 0) continue;
      for (const auto& [box, opened] : opened_) {
        for (const auto& [which, shown] : opened.shown) {
          if (shown == static_cast<int>(s)) AddArrow(shown_[s].box[c.root->index], box, *c.root, false);
        }
      }
    }
    for (SceneArrow& arrow : scene_->arrows) {
      if (arrow.count == 1) {
        arrow.label = arrow.value->shape.ToString(false);
        if (arrow.label.size() > 28) arrow.label = absl::StrCat(arrow.label.substr(0, 12), "\u2026, ", BytesText(arrow.bytes));
      } else if (arrow.count > 1) {
        arrow.label = absl::StrCat(arrow.count, " values, ", BytesText(arrow.bytes));
      }
    }
  }

  // What leads to very many boxes would cover the picture: of its arrows only those stay that their targets need, and the first. The same
  // of what very many lead to.
  void FindHubs() {
    std::vector<int> out(scene_->boxes.size(), 0), in = out;
    std::vector<char> began(scene_->boxes.size(), 0);
    for (const SceneArrow& a : scene_->arrows) {
      ++out[a.from];
      ++in[a.to];
    }
    for (SceneArrow& a : scene_->arrows) {
      const bool many_out = out[a.from] > kMostOut && in[a.to] > 1 && began[a.from];
      const bool many_in = in[a.to] > kMostIn && out[a.from] > 1;
      began[a.from] = 1;
      a.minor = many_out || many_in;
    }
  }

  // -- Places --
  struct Level {
    int box = 0;
    std::vector<int> children;
    LevelGraph graph;
    std::map<std::pair<int, int>, int> arrow;  // between children (by place), index into graph.arrows
    LevelLayout own;
    std::vector<int> kept;  // of the arrows as they were: the number now, or -1
  };
  // Where an arrow runs: in which level, between which of its children.
  struct Route {
    int level = -1, from = 0, to = 0, arrow = -1;
  };

  void LayOutAll() {
    std::vector<SceneBox>& boxes = scene_->boxes;
    if (boxes.empty()) return;
    std::vector<int> level_of(boxes.size(), -1), place(boxes.size(), 0);
    for (size_t k = 0; k < boxes.size(); ++k) {
      if (boxes[k].expanded) {
        level_of[k] = static_cast<int>(levels_.size());
        levels_.push_back({});
        levels_.back().box = static_cast<int>(k);
      }
      if (boxes[k].parent >= 0) {
        Level& level = levels_[level_of[boxes[k].parent]];
        place[k] = static_cast<int>(level.children.size());
        level.children.push_back(static_cast<int>(k));
      }
    }
    std::vector<Route> routes(scene_->arrows.size());
    for (size_t e = 0; e < scene_->arrows.size(); ++e) {
      int a = scene_->arrows[e].from, b = scene_->arrows[e].to;
      while (boxes[a].depth > boxes[b].depth) a = boxes[a].parent;
      while (boxes[b].depth > boxes[a].depth) b = boxes[b].parent;
      while (a != b && boxes[a].parent != boxes[b].parent) {
        a = boxes[a].parent;
        b = boxes[b].parent;
      }
      if (scene_->arrows[e].minor || a == b) continue;  // drawn straight when it is: one of very many, or from a box to what is inside it
      Level& level = levels_[level_of[boxes[a].parent]];
      const auto [it, fresh] = level.arrow.try_emplace({place[a], place[b]}, static_cast<int>(level.graph.arrows.size()));
      if (fresh) {
        level.graph.arrows.push_back({place[a], place[b], 0});
      }
      ++level.graph.arrows[it->second].weight;
      routes[e] = {level_of[boxes[a].parent], a, b, it->second};
    }
    for (Level& level : levels_) level.kept = ThinOut(level.children.size(), &level.graph.arrows);
    // The innermost first: their sizes are the outer ones' boxes.
    for (int k = static_cast<int>(levels_.size()) - 1; k >= 0; --k) {
      if (stopped()) return;
      Level& level = levels_[k];
      for (const int child : level.children) level.graph.boxes.push_back({boxes[child].width, boxes[child].height});
      level.own = maker_.LayOutLevel(level.graph);
      SceneBox& box = boxes[level.box];
      const bool bare = box.parent < 0;
      const float title = static_cast<float>(box.title.size()) * wish_.title_letter + static_cast<float>(box.detail.size()) * wish_.small_letter + 48;
      box.width = std::max(level.own.width + (bare ? 0 : 2 * kPad), bare ? 0.0f : std::min(title, 320.0f));
      box.height = level.own.height + (bare ? 0 : kTitle + kPad);
    }
    scene_->width = boxes[0].width;
    scene_->height = boxes[0].height;
    std::vector<Point> origin(levels_.size());
    for (size_t k = 0; k < levels_.size(); ++k) {
      const Level& level = levels_[k];
      const SceneBox& box = boxes[level.box];
      const bool bare = box.parent < 0;
      origin[k] = {box.x + (box.width - level.own.width) / 2, box.y + (bare ? 0 : kTitle)};
      for (size_t c = 0; c < level.children.size(); ++c) {
        boxes[level.children[c]].x = origin[k].x + level.own.boxes[c].x;
        boxes[level.children[c]].y = origin[k].y + level.own.boxes[c].y;
      }
    }
    for (size_t e = 0; e < scene_->arrows.size(); ++e) Bend(scene_->arrows[e], routes[e], origin);
    if (scene_->arrows.size() > kMostArrows) {
      // Too many to be told apart: the thickest.
      std::stable_sort(scene_->arrows.begin(), scene_->arrows.end(), [](const SceneArrow& a, const SceneArrow& b) { return a.bytes > b.bytes; });
      scene_->arrows.resize(kMostArrows);
    }
  }

  // A piece that leaves and arrives straight down, or (where it is known) in the direction of what it goes on from and into.
  static void Append(std::vector<Point>& curve, Point from, Point to, const Point* onward = nullptr) {
    const float d = std::clamp(std::abs(to.y - from.y) * 0.5f, 10.0f, 80.0f);
    const auto along = [d](Point a, Point b) {
      const float x = b.x - a.x, y = b.y - a.y, length = std::max(0.01f, std::sqrt(x * x + y * y));
      return Point{x / length * d, y / length * d};
    };
    const Point out = curve.size() > 1 ? along(curve[curve.size() - 2], curve.back()) : Point{0, d}, in = onward != nullptr ? along(to, *onward) : Point{0, d};
    if (curve.empty()) curve.push_back(from);
    curve.push_back({from.x + out.x, from.y + out.y});
    curve.push_back({to.x - in.x, to.y - in.y});
    curve.push_back(to);
  }

  // From the side of a box that is nearer to a place.
  static void Sideways(std::vector<Point>& curve, const SceneBox& box, Point to) {
    const bool right = to.x > box.x + box.width / 2;
    const Point from = {right ? box.x + box.width : box.x, box.y + box.height / 2};
    const float d = std::clamp(std::abs(to.x - from.x) * 0.6f, 14.0f, 70.0f), down = to.y > from.y ? -1.0f : 1.0f;
    curve = {from, {from.x + (right ? d : -d), from.y}, {to.x, to.y + down * std::clamp(std::abs(to.y - from.y) * 0.5f, 8.0f, 60.0f)}, to};
  }

  bool IsAround(int outer, int inner) const {
    while (inner >= 0 && inner != outer) inner = scene_->boxes[inner].parent;
    return inner == outer;
  }

  void Bend(SceneArrow& arrow, const Route& route, const std::vector<Point>& origin) const {
    const int laid = route.level < 0 ? -1 : levels_[route.level].kept[route.arrow];
    if (route.level >= 0 && laid < 0) arrow.minor = true;
    const SceneBox& from = scene_->boxes[arrow.from];
    const SceneBox& to = scene_->boxes[arrow.to];
    const Point out = {from.x + from.width / 2, from.y + from.height}, in = {to.x + to.width / 2, to.y};
    if (route.level < 0 && (IsAround(arrow.from, arrow.to) || IsAround(arrow.to, arrow.from))) {
      const bool inward = from.depth < to.depth;
      Append(arrow.curve, inward ? Point{in.x, from.y + kTitle * 0.8f} : out, inward ? in : Point{out.x, to.y + to.height});
    } else if (laid >= 0) {
      std::vector<Point> middle = levels_[route.level].own.curves[laid];
      for (Point& p : middle) {
        p.x += origin[route.level].x;
        p.y += origin[route.level].y;
      }
      // Where the way out lies above, or the way in below, the side is taken.
      const bool out_above = middle.size() > 1 && middle.front().y < from.y, in_below = middle.size() > 1 && middle.back().y > to.y + to.height;
      if (route.from != arrow.from && out_above) {
        Sideways(arrow.curve, from, middle.front());
      } else if (route.from != arrow.from && middle.size() > 1) {
        Append(arrow.curve, out, middle.front(), &middle[1]);
      }
      if (arrow.curve.empty()) {
        arrow.curve = middle;
      } else {
        arrow.curve.insert(arrow.curve.end(), middle.begin() + 1, middle.end());
      }
      if (route.to != arrow.to && in_below) {
        std::vector<Point> back;
        Sideways(back, to, middle.back());
        arrow.curve.insert(arrow.curve.end(), back.rbegin() + 1, back.rend());
      } else if (route.to != arrow.to && !middle.empty()) {
        Append(arrow.curve, middle.back(), in);
      }
    }
    if (arrow.curve.empty()) Append(arrow.curve, out, in);
    arrow.left = arrow.right = arrow.curve[0].x;
    arrow.top = arrow.bottom = arrow.curve[0].y;
    for (const Point& p : arrow.curve) {
      arrow.left = std::min(arrow.left, p.x);
      arrow.right = std::max(arrow.right, p.x);
      arrow.top = std::min(arrow.top, p.y);
      arrow.bottom = std::max(arrow.bottom, p.y);
    }
  }

  SceneMaker& maker_;
  const SceneWish& wish_;
  const std::atomic<bool>* stop_;
  const Hierarchy& h_;
  std::shared_ptr<Scene> scene_;
  std::deque<Shown> shown_;
  std::map<int, Opened> opened_;
  absl::flat_hash_map<std::pair<int, int>, int> arrow_;
  absl::flat_hash_map<int, const Instruction*> last_value_;
  std::deque<Level> levels_;
};

std::shared_ptr<const Scene> SceneMaker::Make(const SceneWish& wish, const std::atomic<bool>* stop) { return SceneWork(*this, wish, stop).Run(); }

}  // namespace hloscope
