// What a scene has: the boxes of what is expanded, and the arrows between them. Not where they stand (scene_places.cc).
#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "visualizer/graph/mix.h"
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
    if (!wish_.parts.empty()) return AddSlice();
    if (!wish_.only.empty()) {
      AddOnly();
    } else if (const Computation* outermost = wish_.root != nullptr ? wish_.root : h_.module().entry; outermost != nullptr) {
      const int root = AddBox(0, h_.NodeOf(*outermost), -1);
      scene_->boxes[root].expanded = true;
      Fill(root, 0, h_.NodeOf(*outermost), NewShown(*outermost));
    }
    AddArrows();
    AddHops();
    Label();
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
      const bool expanded =
          scene_->boxes[made].expandable && wish_.expanded.contains(scene_->boxes[made].key) && scene_->boxes[made].depth < kMostSceneDepth;
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

  // What ran, a box for each instruction in each of its frames.
  void AddSlice() {
    scene_->focused = scene_->sliced = true;
    SceneBox root;
    root.expanded = true;
    scene_->boxes.push_back(root);
    std::map<std::string, int> frames;
    const std::vector<ScenePart>& parts = wish_.parts;
    for (const ScenePart& part : parts) {
      if (part.where.empty() || !frames.try_emplace(part.where, static_cast<int>(scene_->boxes.size())).second) continue;
      SceneBox frame;
      frame.key = MixBits(1, scene_->boxes.size());
      frame.parent = 0;
      frame.depth = 1;
      frame.expanded = true;
      frame.title = frame.name = part.where;
      scene_->boxes.push_back(std::move(frame));
    }
    std::vector<int> box_of(parts.size(), -1);
    for (size_t k = 0; k < parts.size(); ++k) {
      const ScenePart& part = parts[k];
      box_of[k] = AddBox(MixBits(2, k), h_.NodeOf(*part.instruction), part.where.empty() ? 0 : frames[part.where]);
      SceneBox& box = scene_->boxes[box_of[k]];
      box.health = part.health;
      box.asked = part.asked;
      box.expandable = false;
      box.detail = NameInText(*part.instruction);
      box.below = part.value;
      MeasureBox(wish_, &box);
    }
    for (const SceneStep& step : wish_.steps) {
      if (step.from == step.to || !arrow_.try_emplace({box_of[step.from], box_of[step.to]}, 0).second) continue;
      scene_->arrows.emplace_back();
      SceneArrow& arrow = scene_->arrows.back();
      arrow.from = box_of[step.from];
      arrow.to = box_of[step.to];
      arrow.count = 1;
      arrow.value = parts[step.from].instruction;
      arrow.label = step.label;
    }
    FindHubs();
  }

  // Chosen instructions, in frames of the calls that they are done in: the chosen ones, else one that stands for its computation alone.
  void AddOnly() {
    scene_->focused = true;
    std::vector<const Instruction*> sorted = wish_.only;
    std::sort(sorted.begin(), sorted.end(), [this](const Instruction* a, const Instruction* b) { return h_.Number(*a) < h_.Number(*b); });
    SceneBox root;
    root.expanded = true;
    scene_->boxes.push_back(root);
    std::vector<const Computation*> order;
    for (const Instruction* i : sorted) {
      std::vector<const Instruction*>& in = chosen_[i->parent];
      if (in.empty()) order.push_back(i->parent);
      in.push_back(i);
    }
    const absl::flat_hash_set<const Instruction*> all(sorted.begin(), sorted.end());
    for (const bool everywhere : {true, false}) {
      FindCalls(order, all, everywhere);
      int64_t boxes = 0;
      for (const Computation* c : outer_) boxes += BoxesIn(*c);
      if (boxes <= std::max<int64_t>(wish_.only_boxes, static_cast<int64_t>(sorted.size())) || !wish_.places.empty()) break;
      scene_->one_call = everywhere;
    }
    for (auto& [caller, inside] : inner_) std::sort(inside.begin(), inside.end());
    for (const Computation* c : outer_) {
      const bool bare = c == h_.module().entry || order.size() == 1;
      const auto seen = wish_.seen_in.find(c);
      AddChosen(*c, bare ? 0 : AddFrame(*c, 0, seen != wish_.seen_in.end() ? seen->second : h_.CallerOf(*c).caller));
    }
    if (too_deep_) {
      const auto drawn = std::count_if(scene_->boxes.begin(), scene_->boxes.end(), [&](const SceneBox& box) { return box.instruction != nullptr && all.contains(box.instruction); });
      scene_->not_drawn = static_cast<int>(all.size()) - static_cast<int>(drawn);
    }
  }

  // Of computations that have chosen instructions, the chosen calls in which they are shown: all of them (`everywhere`), or the first; where the
  // wish names the call, that one.
  void FindCalls(const std::vector<const Computation*>& order, const absl::flat_hash_set<const Instruction*>& all, bool everywhere) {
    inner_.clear();
    outer_.clear();
    calls_.clear();
    within_.clear();
    for (const Computation* c : order) {
      const auto seen = wish_.seen_in.find(c);
      int& calls = calls_[c];
      for (const CalledBy& call : h_.CallersOf(*c)) {
        if (call.caller->parent == c || !all.contains(call.caller)) continue;
        if (wish_.places.empty() && ((seen != wish_.seen_in.end() && seen->second != call.caller) || (!everywhere && calls > 0))) continue;
        inner_[call.caller].emplace_back(call.which, c);
        ++calls;
      }
      if (calls == 0) outer_.push_back(c);
    }
  }
  // With what is shown in the calls in there.
  int64_t BoxesIn(const Computation& c) {
    constexpr int64_t kMany = 1 << 20;
    const auto [known, fresh] = within_.try_emplace(&c, 0);
    if (!fresh) return known->second;
    int64_t boxes = 0;
    for (const Instruction* i : chosen_[&c]) {
      ++boxes;
      const auto it = inner_.find(i);
      if (it == inner_.end()) continue;
      for (const auto& [which, called] : it->second) boxes = std::min(kMany, boxes + BoxesIn(*called));
    }
    return within_[&c] = boxes;
  }

  int AddFrame(const Computation& computation, int parent, const Instruction* caller) {
    const int made = AddBox(1, h_.NodeOf(computation), parent);
    SceneBox& box = scene_->boxes[made];
    box.expanded = true;
    box.expandable = false;
    const size_t callers = h_.CallersOf(computation).size();
    box.detail = caller == nullptr ? "" : absl::StrCat("called by ", ShownName(*caller), callers > 1 ? absl::StrCat(" and ", callers - 1, callers > 2 ? " others" : " other") : "");
    MeasureBox(wish_, &box);
    return made;
  }

  // In a frame; but for SceneWish::places, what is shown in one call only stands in the one of number 0.
  bool IsMeant(FrameKey frame, const Instruction& i) const { return wish_.places.empty() || wish_.places.contains(KeyOf(frame, h_.NodeOf(i))); }
  bool HasMeant(FrameKey frame, const Computation& c) {
    const std::vector<const Instruction*>& chosen = chosen_[&c];
    return std::any_of(chosen.begin(), chosen.end(), [&](const Instruction* i) { return IsMeant(frame, *i); });
  }

  void AddChosen(const Computation& computation, int parent, FrameKey in = 0) {
    const int shown = NewShown(computation);
    for (const Instruction* i : chosen_[&computation]) {
      if (!IsMeant(in, *i)) continue;
      const int made = AddBox(in, h_.NodeOf(*i), parent);
      shown_[shown].box[i->index] = made;
      const auto it = inner_.find(i);
      if (it == inner_.end()) continue;
      if (scene_->boxes[made].depth > kMostSceneDepth) {
        too_deep_ = true;
        continue;
      }
      Opened opened;
      for (const auto& [which, called] : it->second) {
        const FrameKey inside = wish_.places.empty() && in == 0 && calls_[called] < 2 ? 0 : Inside(KeyOf(in, h_.NodeOf(*i)), which);
        if (!HasMeant(inside, *called)) continue;
        scene_->boxes[made].expanded = true;
        int frame = made;
        if (const std::string role = RoleOf(*i, which); !role.empty()) {
          frame = AddFrame(*called, made, nullptr);
          scene_->boxes[frame].detail = scene_->boxes[frame].title;
          scene_->boxes[frame].title = role;
        }
        opened.shown.push_back({which, static_cast<int>(shown_.size())});
        AddChosen(*called, frame, inside);
      }
      if (opened.shown.empty()) continue;
      opened_[made] = std::move(opened);
    }
  }

  // -- Arrows --
  // The boxes in which an operand's value arrives: of an instruction that is expanded, the parameters inside.
  void Targets(int box, const Instruction& user, size_t operand, std::vector<int>* out) const {
    const auto it = opened_.find(box);
    if (it != opened_.end()) {
      for (const auto& [which, shown] : it->second.shown) {
        const Computation& c = *shown_[shown].computation;
        for (size_t k = 0; k < c.parameters.size(); ++k) {
          if (c.parameters[k] == nullptr || Hierarchy::GivenOperand(user, which, c, static_cast<int>(k)) != static_cast<int>(operand)) continue;
          const int inside = shown_[shown].box[c.parameters[k]->index];
          if (inside >= 0 && inside != box) out->push_back(inside);
        }
      }
    }
    if (out->empty()) out->push_back(box);
  }
  // The box in which a value is made: of a call or a loop that is expanded, the root inside. Of branches none by itself, and what a reducer
  // makes is no array yet.
  int Source(int box) const {
    for (int deep = 0; deep < kMostSceneDepth; ++deep) {
      const auto it = opened_.find(box);
      const Instruction* caller = scene_->boxes[box].instruction;
      if (it == opened_.end() || it->second.shown.empty() || caller == nullptr) return box;
      const ControlKind control = Def(*caller).control;
      const auto& [which, at] = it->second.shown.back();
      // Of a loop the body, its last.
      if ((control != ControlKind::kCall && control != ControlKind::kWhile) || (control == ControlKind::kWhile && which == 0)) return box;
      const Shown& shown = shown_[at];
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
    }
  }

  // Of a way: what no operand is behind.
  void AddHops() {
    for (const SceneHop& hop : wish_.hops) {
      for (const Shown& shown : shown_) {
        if (shown.computation == hop.from->parent && hop.to->parent == hop.from->parent) AddHop(hop, shown.box[hop.from->index], shown.box[hop.to->index]);
      }
      for (const auto& [box, opened] : opened_) {
        for (const auto& [which, at] : opened.shown) {
          const Shown& inside = shown_[at];
          if (inside.computation != hop.from->parent || inside.computation == hop.to->parent) continue;
          const int from = inside.box[hop.from->index];
          if (scene_->boxes[box].instruction == hop.to) AddHop(hop, from, box);
          for (const auto& [other, beside] : opened.shown) {
            if (shown_[beside].computation == hop.to->parent) AddHop(hop, from, shown_[beside].box[hop.to->index]);
          }
        }
      }
    }
  }
  void AddHop(const SceneHop& hop, int from, int to) {
    const auto reads = [&](const auto& list) { return std::find(list.begin(), list.end(), hop.from) != list.end(); };
    const bool operand = reads(hop.to->operands) || reads(hop.to->control_predecessors);
    // Where all is shown, what is read has its arrow; a way that comes by the same instruction twice may need one more.
    if (arrow_.contains({from, to}) || (operand && !scene_->focused)) return;
    const size_t before = scene_->arrows.size();
    AddArrow(from, to, *hop.from, false);
    if (scene_->arrows.size() > before) scene_->arrows.back().again = !operand && hop.to->parameter_number >= 0;
  }

  void Label() {
    for (SceneArrow& arrow : scene_->arrows) {
      if (arrow.again) {
        arrow.label = "next iteration";
      } else if (arrow.count == 1) {
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
      a.minor = (many_out || many_in) && !IsNeeded(wish_, *scene_, a);
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
  // Of chosen instructions: by computation, what is shown inside of which, and the others.
  absl::flat_hash_map<const Computation*, std::vector<const Instruction*>> chosen_;
  absl::flat_hash_map<const Instruction*, std::vector<std::pair<int, const Computation*>>> inner_;
  std::vector<const Computation*> outer_;
  absl::flat_hash_map<const Computation*, int> calls_;       // in so many it is shown
  absl::flat_hash_map<const Computation*, int64_t> within_;  // BoxesIn
  bool too_deep_ = false;  // some of the chosen instructions
  std::map<int, Opened> opened_;
  absl::flat_hash_map<std::pair<int, int>, int> arrow_;
  absl::flat_hash_map<int, const Instruction*> last_value_;
};

}  // namespace

void FillScene(const SceneWish& wish, Scene* scene) { SceneFiller(wish, scene).Fill(); }

}  // namespace hloscope
