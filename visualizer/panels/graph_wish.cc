// The graph panel: what is expanded or shown alone, and the scenes that are made of it beside the window.
#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "visualizer/graph/walk.h"
#include "visualizer/model/run_progress_text.h"
#include "visualizer/panels/graph_panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr size_t kMostAround = 120;  // instructions of a neighbourhood
constexpr int kMostShown = 400;      // boxes; more cannot be read, wherever one looks

}  // namespace

void GraphPanel::Follow(PanelContext& context) {
  const Snapshot& now = context.now;
  if ((now.program_generation == program_ && now.module == drawn_) || now.session == nullptr || now.module == nullptr) return;
  drawn_ = now.module;
  // Of an edited program, and where another device runs another function, what was expanded before is expanded again, and one looks where one looked.
  restore_.clear();
  if (scene_ != nullptr && now.path == path_of_program_) {
    for (size_t k = 0; k < scene_->boxes.size(); ++k) {
      if (scene_->boxes[k].expanded && scene_->boxes[k].parent >= 0) restore_.insert(ChainOf(static_cast<int>(k)));
    }
    keep_camera_ = !scene_->focused;
  }
  path_of_program_ = now.path;
  program_ = now.program_generation;
  scene_ = nullptr;
  expanded_.clear();
  unasked_.clear();
  only_.clear();
  about_ = nullptr;
  focus_text_.clear();
  path_.clear();
  path_from_ = went_from_ = went_to_ = nullptr;
  matches_.clear();
  searched_ = 0;
  match_ = -1;
  center_on_.clear();
  center_within_ = nullptr;
  anew_ = 0;
  seen_selection_ = ~uint64_t{0};
  begun_ = ImGui::GetTime();
  Order(context, true);
}

std::string GraphPanel::ChainOf(int index) const {
  std::string chain;
  for (int k = index; k >= 0; k = scene_->boxes[k].parent) absl::StrAppend(&chain, scene_->boxes[k].name, "\n");
  return chain;
}

bool GraphPanel::Restore(PanelContext& context) {
  if (restore_.empty() || scene_->focused) return false;
  bool found = false;
  for (size_t k = 0; k < scene_->boxes.size(); ++k) {
    const SceneBox& box = scene_->boxes[k];
    if (box.expandable && !box.expanded && restore_.contains(ChainOf(static_cast<int>(k)))) found = expanded_.insert(box.key).second || found;
  }
  if (found) Order(context);
  if (!found) restore_.clear();
  return found;
}

void GraphPanel::Order(PanelContext& context, bool first) {
  SceneOrder order;
  order.module = context.now.module;
  order.keep = context.now.session;
  order.program = program_;
  order.first = first;
  order.wish.request = request_ = ++numbers_;
  order.wish.expanded = expanded_;
  order.wish.only = only_;
  order.wish.seen_in = seen_in_;
  order.wish.about = only_.empty() ? nullptr : about_;
  if (!path_.empty()) order.wish.hops = HopsOf(*scene_->hierarchy, path_);
  order.wish.spell_counts = true;
  const float scale = ui::TheLook().scale;
  order.wish.title_letter = ui::Measure(ui::Type().ui, "broadcast convert dot").x / 21 / scale + 0.3f;
  order.wish.small_letter = ui::Measure(ui::Type().mono_small, "m").x / scale;
  thread_.Want(std::move(order));
  ui::WantFrame();
}

void GraphPanel::OrderAnew(PanelContext& context) {
  Order(context);
  anew_ = request_;
}

void GraphPanel::TakeScene(PanelContext& context) {
  const std::shared_ptr<const Scene> newest = thread_.newest();
  if (thread_.busy() || newest == nullptr || newest->request < request_) ui::WantFrame();
  if (newest == nullptr || newest == scene_ || &newest->hierarchy->module() != context.now.module || newest->request <= taken_) return;
  const std::shared_ptr<const Scene> before = std::exchange(scene_, newest);
  taken_ = newest->request;
  lit_scene_ = nullptr;
  if (before == nullptr) {
    expanded_ = newest->expanded;
    opened_ms_ = (ImGui::GetTime() - begun_) * 1000;
    if (!std::exchange(keep_camera_, false)) FirstLook();
    Restore(context);
    std::vector<std::string> waiting = std::move(waiting_);
    waiting_.clear();
    std::string error;
    for (const std::string& command : waiting) {
      if (!Command(context, command, &error) && !error.empty()) context.engine.AddConsole(ConsoleLine::kError, error);
    }
    return;
  }
  if (Restore(context)) return;
  if (anew_ != 0 && newest->request >= anew_) {
    anew_ = 0;
    FirstLook();
  } else if (anchor_ != 0) {
    // What was clicked stays where it is.
    seen_ = Seen::kPart;
    const auto was = before->by_key.find(anchor_), is = newest->by_key.find(anchor_);
    if (was != before->by_key.end() && is != newest->by_key.end()) {
      const SceneBox &a = before->boxes[was->second], &b = newest->boxes[is->second];
      camera_.Follow({b.x - a.x, b.y - a.y});
      ShowInside(b);
    }
  }
  anchor_ = 0;
  if (ShownBoxes() < kMostShown / 2) refused_.clear();
  if (center_within_ != nullptr && newest->request >= request_) {
    const Instruction* middle = std::exchange(center_within_, nullptr);
    if (const int index = newest->focused ? BoxOf(context.now, middle) : -1; index >= 0) LookAt(index, false);
  }
  if (!center_on_.empty() && newest->request >= request_) {
    for (auto key = center_on_.rbegin(); key != center_on_.rend(); ++key) {
      const auto it = scene_->by_key.find(*key);
      if (it == scene_->by_key.end()) continue;
      LookAt(it->second, false);
      break;
    }
    center_on_.clear();
  }
}

void GraphPanel::Reveal(PanelContext& context, const Instruction& instruction, bool fold_others) {
  if (scene_ == nullptr) return;
  if (scene_->focused) {
    const int index = BoxOf(context.now, &instruction);
    if (index >= 0) LookAt(index, true);
    return;
  }
  const CallPath path = PathOf(context.now, instruction);
  const std::vector<BoxKey> keys = KeysTo(*scene_->hierarchy, path, instruction);
  bool changed = false;
  if (fold_others) {
    for (auto it = unasked_.begin(); it != unasked_.end();) {
      if (std::find(keys.begin(), keys.end(), *it) != keys.end()) {
        ++it;
        continue;
      }
      changed = expanded_.erase(*it) > 0 || changed;
      it = unasked_.erase(it);
    }
  }
  for (size_t k = 0; k + 1 < keys.size(); ++k) {
    if (!expanded_.insert(keys[k]).second) continue;
    unasked_.push_back(keys[k]);
    changed = true;
  }
  if (changed) {
    center_on_ = keys;
    Order(context);
  } else if (const int index = scene_->Find(path, instruction); index >= 0) {
    LookAt(index, true);
  }
}

void GraphPanel::Focus(PanelContext& context, std::vector<const Instruction*> only, std::string text, SeenIn seen_in, const Instruction* about) {
  if (only.empty() && only_.empty()) return;
  about_ = about;
  only_ = std::move(only);
  seen_in_ = std::move(seen_in);
  focus_text_ = std::move(text);
  if (only_.empty()) path_.clear();
  if (only_.empty() && context.selection.instruction != nullptr) center_on_ = KeysTo(*scene_->hierarchy, PathOf(context.now, *context.selection.instruction), *context.selection.instruction);
  OrderAnew(context);
}

void GraphPanel::Around(PanelContext& context, const Instruction& of, int hops) {
  path_.clear();
  SeenIn in;  // the moment's calls
  const std::vector<FrameRow>& frames = context.now.frames;
  const auto stands = std::find_if(frames.rbegin(), frames.rend(), [&](const FrameRow& frame) { return frame.computation == of.parent; });
  for (auto frame = stands; frame != frames.rend(); ++frame) {
    if (frame->caller != nullptr) in[frame->computation] = frame->caller;
  }
  Neighbours near = Neighbourhood(*scene_->hierarchy, of, hops, kMostAround, in);
  const bool cut = near.found.size() >= kMostAround;
  Focus(context, std::move(near.found), absl::StrCat(hops, hops == 1 ? " hop" : " hops", " around ", ShownName(of), cut ? absl::StrCat(", the nearest ", kMostAround) : ""), std::move(near.seen_in), &of);
  center_within_ = &of;
}

bool GraphPanel::Path(PanelContext& context, absl::string_view args, std::string* error) {
  const size_t space = args.find(' ');
  if (space == absl::string_view::npos) return Fail(error, "path takes two instructions");
  const Instruction* ends[2];
  const absl::string_view names[2] = {args.substr(0, space), absl::StripAsciiWhitespace(args.substr(space))};
  for (int k = 0; k < 2; ++k) {
    ends[k] = FindInstruction(context.now, names[k]);
    if (ends[k] == nullptr) return Fail(error, absl::StrCat("there is no instruction '", names[k], "'"));
  }
  WayKind kind{};
  path_ = ShortestPath(*scene_->hierarchy, *ends[0], *ends[1], &kind);
  if (path_.empty()) return Fail(error, absl::StrCat("nothing leads from ", names[0], " to ", names[1]));
  const size_t hops = HopsOf(*scene_->hierarchy, path_).size();
  Focus(context, path_, absl::StrCat(ShortestWayFrom(kind), " ", ShownName(*ends[0]), " to ", ShownName(*ends[1]), ": ", hops, hops == 1 ? " hop" : " hops"));
  return true;
}

bool GraphPanel::Go(PanelContext& context, absl::string_view where, std::string* error) {
  const bool up = where == "operand", down = where == "user", right = where == "right";
  if (!up && !down && !right && where != "left") return Fail(error, "go takes operand, user, left or right");
  const Instruction* from = context.selection.instruction;
  if (from == nullptr) {
    // The first step is to the stop, or to the first instruction that is shown.
    const auto box = std::find_if(scene_->boxes.begin(), scene_->boxes.end(), [](const SceneBox& b) { return b.instruction != nullptr; });
    const Instruction* first = context.now.here() != nullptr ? context.now.here() : box != scene_->boxes.end() ? box->instruction : nullptr;
    if (first == nullptr) return Fail(error, "the graph shows no instruction; expand a scope first");
    context.select(first, {});
    return true;
  }
  const Instruction* to = nullptr;
  if (up || down) {
    const absl::Span<const int> users = scene_->hierarchy->Users(scene_->hierarchy->Number(*from));
    const auto leads = [&](const Instruction* there) {
      if (up) return std::find(from->operands.begin(), from->operands.end(), there) != from->operands.end();
      return std::any_of(users.begin(), users.end(), [&](int user) { return &scene_->hierarchy->At(user) == there; });
    };
    if (went_to_ == from && leads(went_from_)) to = went_from_;
    else if (up && !from->operands.empty()) to = from->operands.front();
    else if (down && !users.empty()) to = &scene_->hierarchy->At(users.front());
    if (to == nullptr) return Fail(error, absl::StrCat(ShownName(*from), up ? " has no operands" : " has no users"));
    went_from_ = from;
    went_to_ = to;
  } else {
    to = Beside(context, *from, right);
    if (to == nullptr) return Fail(error, absl::StrCat("nothing stands at the ", where, " of ", ShownName(*from)));
  }
  context.select(to, {});
  return true;
}

// The nearest one in that direction, of those at the same height; where there are none, of all.
const Instruction* GraphPanel::Beside(const PanelContext& context, const Instruction& of, bool right) const {
  const int index = BoxOf(context.now, &of);
  if (index < 0) return nullptr;
  const SceneBox& at = scene_->boxes[index];
  const Point from = {at.x + at.width / 2, at.y + at.height / 2};
  const Instruction* nearest = nullptr;
  float least = 0;
  for (const SceneBox& box : scene_->boxes) {
    if (box.instruction == nullptr || box.instruction == &of) continue;
    const float across = (box.x + box.width / 2 - from.x) * (right ? 1.0f : -1.0f), apart = std::abs(box.y + (box.expanded ? 0 : box.height / 2) - from.y);
    if (across <= 1 || apart > 2 * across) continue;
    constexpr float kElsewhere = 1e6f;
    const bool level = box.y < at.y + at.height && box.y + (box.expanded ? kSceneTitle : box.height) > at.y;
    const float distance = across + (level ? 0 : kElsewhere + 3 * apart);
    if (nearest != nullptr && distance >= least) continue;
    nearest = box.instruction;
    least = distance;
  }
  return nearest;
}

bool GraphPanel::Fold(PanelContext& context, absl::string_view name, bool expand, std::string* error) {
  if (name.empty()) return Fail(error, "name what to expand or collapse");
  const int index = BoxNamed(context.now, name);
  if (index >= 0) {
    if (!scene_->boxes[index].expandable) return Fail(error, absl::StrCat("there is nothing inside ", name));
    SetExpanded(context, index, expand);
    return true;
  }
  if (!expand) return Fail(error, absl::StrCat("the graph shows nothing called '", name, "'"));
  // Somewhere inside what is folded.
  const Hierarchy& h = *scene_->hierarchy;
  if (const Instruction* instruction = FindInstruction(context.now, name)) {
    std::vector<BoxKey> keys = KeysTo(h, PathOf(context.now, *instruction), *instruction);
    expanded_.insert(keys.begin(), keys.end());
    center_on_ = std::move(keys);
    Order(context);
    return true;
  }
  for (int node = 0; node < h.size(); ++node) {
    const GraphNode& at = h.node(node);
    if (at.kind == GraphNode::kInstruction || at.children.empty() || (at.title != name && at.path != name && !absl::EndsWith(at.path, absl::StrCat("/", name)))) continue;
    const CallPath path = PathTo(h, *at.computation);
    const FrameKey frame = FrameOf(h, path);
    if (!path.empty()) {
      const std::vector<BoxKey> keys = KeysTo(h, CallPath(path.begin(), path.end() - 1), *path.back().caller);
      expanded_.insert(keys.begin(), keys.end());
    }
    for (int up = node; up >= 0; up = h.node(up).parent) expanded_.insert(KeyOf(frame, up));
    center_on_ = {KeyOf(frame, node)};
    Order(context);
    return true;
  }
  return Fail(error, absl::StrCat("the graph has nothing called '", name, "'"));
}

int GraphPanel::ShownBoxes() const {
  return static_cast<int>(std::count_if(scene_->boxes.begin(), scene_->boxes.end(), [](const SceneBox& box) { return box.node >= 0 && !box.expanded; }));
}

bool GraphPanel::Drill(PanelContext& context, absl::string_view name, std::string* error) {
  const int index = BoxNamed(context.now, name);
  if (index < 0 || !scene_->boxes[index].expandable) return Fail(error, absl::StrCat("the graph shows nothing called '", name, "' that has an inside"));
  Drill(context, index);
  return true;
}

void GraphPanel::Drill(PanelContext& context, int index) {
  expanded_.clear();
  unasked_.clear();
  center_on_.clear();
  for (int k = index; k >= 0; k = scene_->boxes[k].parent) expanded_.insert(scene_->boxes[k].key);
  for (const BoxKey key : Expansion(*scene_->hierarchy, scene_->boxes[index])) expanded_.insert(key);
  for (int k = index; k >= 0; k = scene_->boxes[k].parent) center_on_.insert(center_on_.begin(), scene_->boxes[k].key);
  refused_.clear();
  OrderAnew(context);
}

void GraphPanel::SetExpanded(PanelContext& context, int index, bool expand) {
  const SceneBox& box = scene_->boxes[index];
  refused_.clear();
  if (expand) {
    const int shown = ShownBoxes();
    const Hierarchy& h = *scene_->hierarchy;
    size_t inside = box.instruction == nullptr ? h.node(box.node).children.size() : 0;
    if (box.instruction != nullptr) {
      for (const Computation* called : Hierarchy::Called(*box.instruction)) inside += h.node(h.NodeOf(*called)).children.size();
    }
    const int more = static_cast<int>(inside);
    if (shown + more > kMostShown) {
      refused_key_ = box.key;
      refused_ = absl::StrCat("Not expanded: ", box.name, " has ", GroupedCount(more), " boxes, and ", shown, " are shown already. More than ", kMostShown, " together cannot be read.");
      context.engine.AddConsole(ConsoleLine::kError, absl::StrCat(refused_, " Collapse something, or: window graph inside ", box.instruction != nullptr ? "%" : "", box.name));
      return;
    }
    for (const BoxKey key : Expansion(*scene_->hierarchy, box)) expanded_.insert(key);
  } else {
    expanded_.erase(box.key);
  }
  unasked_.erase(std::remove(unasked_.begin(), unasked_.end(), box.key), unasked_.end());
  anchor_ = box.key;
  Order(context);
}

void GraphPanel::Toggle(PanelContext& context, int index) {
  const SceneBox& box = scene_->boxes[index];
  if (!box.expandable) return;
  if (BoxNamed(context.now, box.name) == index) {
    context.run(absl::StrCat("window graph ", box.expanded ? "collapse " : "expand ", box.instruction != nullptr ? "%" : "", box.name));
  } else {
    SetExpanded(context, index, !box.expanded);
  }
}

void GraphPanel::CancelLayout(PanelContext& context) {
  thread_.Cancel();
  request_ = scene_->request;
  anew_ = 0;
  expanded_ = scene_->expanded;
  if (!scene_->focused) only_.clear(), focus_text_.clear(), path_.clear();
  unasked_.clear();
  restore_.clear();
  center_on_.clear();
  anchor_ = 0;
  context.engine.AddConsole(ConsoleLine::kNote, "laying the graph out was given up: it shows what it showed before");
}
}  // namespace hloscope
