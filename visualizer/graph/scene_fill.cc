// What a scene has: the boxes of what is expanded, and the arrows between them. Not where they stand (scene_places.cc).
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/ops/op.h"
#include "visualizer/graph/scene_making.h"

namespace hloscope {
namespace {

constexpr int kMostOut = 7, kMostIn = 12;     // arrows of a box that are all drawn

std::string RoleOf(const Instruction& caller, int which) {
  if (Def(caller).control == ControlKind::kWhile) return which == 0 ? "condition" : "body";
  if (Def(caller).control == ControlKind::kConditional) return absl::StrCat("branch ", which);
  return "";
}

class SceneFiller {
 public:
  SceneFiller(const SceneWish& wish, Scene* scene) : wish_(wish), h_(*wish.hierarchy), scene_(scene) {}

  void Fill() {
    if (!wish_.only.empty()) {
      AddOnly();
    } else if (const Computation* outermost = wish_.root != nullptr ? wish_.root : h_.module().entry; outermost != nullptr) {
      const int root = AddBox(0, h_.NodeOf(*outermost), -1);
      scene_->boxes[root].expanded = true;
      Fill(root, 0, h_.NodeOf(*outermost), NewShown(*outermost));
    }
    AddArrows();
    FindHubs();
  }

 private:
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
    // A box to which only minor arrows lead could stand anywhere: the one from what is nearest above it stays.
    std::vector<SceneArrow*> nearest(scene_->boxes.size(), nullptr);
    std::vector<char> held(scene_->boxes.size(), 0);
    for (SceneArrow& a : scene_->arrows) {
      held[a.to] = held[a.to] || !a.minor;
      const SceneArrow* other = nearest[a.to];
      const auto order = [&](int box) { return std::pair(scene_->boxes[box].parent == scene_->boxes[a.to].parent, h_.node(scene_->boxes[box].node).first); };
      if (other == nullptr || order(a.from) > order(other->from)) nearest[a.to] = &a;
    }
    for (size_t k = 0; k < nearest.size(); ++k) {
      if (nearest[k] != nullptr && !held[k]) nearest[k]->minor = false;
    }
  }

  const SceneWish& wish_;
  const Hierarchy& h_;
  Scene* scene_;
  std::deque<Shown> shown_;
  std::map<int, Opened> opened_;
  absl::flat_hash_map<std::pair<int, int>, int> arrow_;
  absl::flat_hash_map<int, const Instruction*> last_value_;
};

}  // namespace

void FillScene(const SceneWish& wish, Scene* scene) { SceneFiller(wish, scene).Fill(); }

}  // namespace hloscope
