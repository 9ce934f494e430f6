// The graph panel: what of the program is expanded, where one looks, what is lit up; searching, neighbourhoods and ways; following the stop.
// Scenes are made beside the window (visualizer/graph/scene_thread.h) and drawn by graph_view.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "visualizer/graph/scene_thread.h"
#include "visualizer/graph/walk.h"
#include "visualizer/panels/graph_colors.h"
#include "visualizer/panels/graph_view.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

constexpr size_t kMostAround = 120;  // instructions of a neighbourhood
constexpr int kSearchedInFrame = 6000;
constexpr int kMostShown = 400;          // boxes; more cannot be read, wherever one looks
constexpr float kReadable = 0.5f;        // zoom: smaller letters cannot be read
constexpr float kLegendHeight = 26, kMissingHeight = 40;

bool ContainsLetters(absl::string_view text, absl::string_view lower) {
  const auto at = std::search(text.begin(), text.end(), lower.begin(), lower.end(), [](char a, char b) { return absl::ascii_tolower(static_cast<unsigned char>(a)) == b; });
  return at != text.end() || lower.empty();
}

std::string TagOf(const SceneBox& box) {
  std::string name = absl::StrCat(box.instruction != nullptr ? "node:" : "scope:", box.name);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

class GraphPanel : public Panel {
 public:
  void Draw(PanelContext& context) override {
    const Snapshot& now = context.now;
    Follow(context);
    if (now.module == nullptr || now.session == nullptr) {
      ui::EmptyHint(ui::Icon::kGraph, now.phase == Phase::kBroken ? "The program's graph, as soon as the program can be read." : "The program as a graph: scopes and computations that expand, with the stop on it.",
                    now.phase == Phase::kBroken ? "Its problems are listed in the Problems panel." : "Open a program with Ctrl+O.");
      return;
    }
    DrawToolbar(context);
    const ImVec2 min = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    ImVec2 max = {min.x + room.x, min.y + room.y};
    if (room.x < 20 || room.y < 20) return;
    // The legend has a strip of its own: it lies over nothing.
    const float strip = room.y < ui::Px(200) ? 0 : ui::Px(colours_.Missing() != nullptr ? kMissingHeight : kLegendHeight);
    max.y -= strip;
    camera_.Place(min, max);
    TakeScene(context);
    ImGui::PushClipRect(min, max, true);
    if (scene_ != nullptr) {
      camera_.Frame();
      DrawCanvas(context, min, max);
    }
    if (thread_.busy()) DrawBusy(context, min);
    if (!refused_.empty()) DrawRefused(context, min, max);
    ImGui::PopClipRect();
    if (strip > 0 && scene_ != nullptr) DrawLegend(context, {min.x, max.y}, {max.x, max.y + strip});
    State(context);
  }
  float padding() const override { return 0; }

  void Save(nlohmann::json& to) const override {
    to["colour"] = GraphColourNames()[static_cast<int>(colour_)];
    to["hops"] = hops_;
    to["follow"] = follow_;
  }
  void Load(const nlohmann::json& from) override {
    if (!from.is_object()) return;
    if (from.contains("colour") && from["colour"].is_string()) colour_ = ParseGraphColour(from["colour"].get<std::string>()).value_or(colour_);
    if (from.contains("hops") && from["hops"].is_number_integer()) hops_ = std::clamp(from["hops"].get<int>(), 1, 9);
    if (from.contains("follow") && from["follow"].is_boolean()) follow_ = from["follow"].get<bool>();
  }

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override {
    args = absl::StripAsciiWhitespace(args);
    const absl::string_view word = args.substr(0, args.find(' '));
    const absl::string_view rest = absl::StripAsciiWhitespace(args.substr(word.size()));
    if (word == "follow") {
      if (rest != "on" && rest != "off") return Fail(error, "follow takes on or off");
      follow_ = rest == "on";
      if (follow_ && context.now.here() != nullptr) Reveal(context, *context.now.here(), true);
      return true;
    }
    if (word == "colour" || word == "color") {
      const std::optional<GraphColour> by = ParseGraphColour(rest);
      if (!by.has_value()) return Fail(error, "colour takes class, type, time, memory, health or error");
      colour_ = *by;
      return true;
    }
    if (word != "find" && word != "expand" && word != "collapse" && word != "fit" && word != "hops" && word != "path" && word != "whole" && word != "inside") {
      return Fail(error, "graph takes find TEXT, expand NAME, collapse NAME, inside NAME, fit [all], colour BY, hops N, path %a %b, whole, follow on or off");
    }
    if (scene_ == nullptr) {
      // Before the first layout: when it is there.
      waiting_.push_back(std::string(args));
      Follow(context);
      return context.now.module != nullptr || Fail(error, "there is no program");
    }
    if (word == "find") return Find(context, rest) || Fail(error, absl::StrCat("nothing in the graph is called '", rest, "'"));
    if (word == "fit") return FitAll(true, rest == "all"), true;
    if (word == "inside") return Drill(context, rest, error);
    if (word == "whole") return Focus(context, {}, ""), true;
    if (word == "expand" || word == "collapse") return Fold(context, rest, word == "expand", error);
    if (word == "hops") {
      int hops = 0;
      if (!absl::SimpleAtoi(rest, &hops) || hops < 0 || hops > 99) return Fail(error, "hops takes a number of hops; 0 shows the whole again");
      if (hops == 0) return Focus(context, {}, ""), true;
      if (context.selection.instruction == nullptr) return Fail(error, "select an instruction first");
      hops_ = std::min(hops, 9);
      Around(context, *context.selection.instruction, hops);
      return true;
    }
    return Path(context, rest, error);
  }

 private:
  static bool Fail(std::string* error, std::string why) {
    *error = std::move(why);
    return false;
  }

  // -- What is wanted, and what has been made --
  // A new program begins anew.
  void Follow(PanelContext& context) {
    const Snapshot& now = context.now;
    if (now.program_generation == program_ || now.session == nullptr || now.module == nullptr) return;
    // Of an edited program what was expanded before is expanded again, and one looks where one looked.
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
    focus_text_.clear();
    path_.clear();
    path_from_ = nullptr;
    matches_.clear();
    searched_ = 0;
    match_ = -1;
    center_on_.clear();
    seen_selection_ = ~uint64_t{0};
    begun_ = ImGui::GetTime();
    Order(context, true);
  }

  // The names of the boxes around and of the box itself.
  std::string ChainOf(int index) const {
    std::string chain;
    for (int k = index; k >= 0; k = scene_->boxes[k].parent) absl::StrAppend(&chain, scene_->boxes[k].name, "\n");
    return chain;
  }

  // True: more of what was expanded before the edit has been found, and is ordered.
  bool Restore(PanelContext& context) {
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

  void Order(PanelContext& context, bool first = false) {
    SceneOrder order;
    order.module = context.now.module;
    order.keep = context.now.session;
    order.program = program_;
    order.first = first;
    order.wish.request = request_ = ++numbers_;
    order.wish.expanded = expanded_;
    order.wish.only = only_;
    const float scale = ui::TheLook().scale;
    order.wish.title_letter = ui::Measure(ui::Type().ui, "broadcast convert dot").x / 21 / scale + 0.3f;
    order.wish.small_letter = ui::Measure(ui::Type().mono_small, "m").x / scale;
    thread_.Want(std::move(order));
    ui::WantFrame();
  }

  void TakeScene(PanelContext& context) {
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
    if (newest->focused != before->focused) {
      FirstLook();
    } else if (anchor_ != 0) {
      // What was clicked stays where it is.
      const auto was = before->by_key.find(anchor_), is = newest->by_key.find(anchor_);
      if (was != before->by_key.end() && is != newest->by_key.end()) {
        const SceneBox &a = before->boxes[was->second], &b = newest->boxes[is->second];
        const ImVec2 from = camera_.ToScreen(a.x, a.y), to = camera_.ToScreen(b.x, b.y);
        camera_.Pan({from.x - to.x, from.y - to.y});
        if (b.expanded) ShowInside(b);
      }
    }
    anchor_ = 0;
    if (ShownBoxes() < kMostShown / 2) refused_.clear();
    if (!center_on_.empty()) {
      for (auto key = center_on_.rbegin(); key != center_on_.rend(); ++key) {
        const auto it = scene_->by_key.find(*key);
        if (it == scene_->by_key.end()) continue;
        LookAt(it->second, false);
        break;
      }
      center_on_.clear();
    }
  }

  // All of it where that can be read; else the beginning.
  void FirstLook() {
    camera_.Fit(0, 0, scene_->width, scene_->height, 1, false);
    if (camera_.zoom() >= 0.5f) return;
    const float zoom = 0.8f, unit = zoom * ui::TheLook().scale;
    const float high = (camera_.max().y - camera_.min().y) / unit;
    double sum = 0;
    int count = 0;
    for (const SceneBox& box : scene_->boxes) {
      if (box.node < 0 || box.expanded || box.y > high * 0.7f) continue;
      sum += box.x + box.width / 2;
      ++count;
    }
    camera_.Look({count > 0 ? static_cast<float>(sum / count) : scene_->width / 2, std::min(high, scene_->height) / 2 - 20}, zoom, false);
  }

  // As much of it as can be read, round the selection or the stop; `whole`: all of it.
  void FitAll(bool glide, bool whole) {
    if (scene_ == nullptr) return;
    const float across = (camera_.max().x - camera_.min().x - ui::Px(32)) / std::max(1.0f, scene_->width), down = (camera_.max().y - camera_.min().y - ui::Px(32)) / std::max(1.0f, scene_->height);
    if (whole || std::min(across, down) / ui::TheLook().scale >= kReadable) return camera_.Fit(0, 0, scene_->width, scene_->height, 1.25f, glide);
    const int index = lights_.selected >= 0 ? lights_.selected : lights_.stop;
    if (index < 0 || index >= static_cast<int>(scene_->boxes.size())) return FirstLook();
    const SceneBox& box = scene_->boxes[index];
    camera_.Look(WithinScene({box.x + std::min(box.width, 240.0f) / 2, box.y + std::min(box.height, 60.0f) / 2}, kReadable), kReadable, glide);
  }

  // The place to look at, not far beyond what there is.
  Point WithinScene(Point at, float zoom) const {
    const float unit = zoom * ui::TheLook().scale, half_x = (camera_.max().x - camera_.min().x) / unit / 2, half_y = (camera_.max().y - camera_.min().y) / unit / 2;
    const auto within = [](float x, float half, float size) { return size + 80 <= 2 * half ? size / 2 : std::clamp(x, half - 40, size - half + 40); };
    return {within(at.x, half_x, scene_->width), within(at.y, half_y, scene_->height)};
  }

  // Brings a box into view; where it is already, nothing moves.
  void LookAt(int index, bool glide) {
    const SceneBox& box = scene_->boxes[index];
    const ImVec2 a = camera_.ToScreen(box.x, box.y), b = camera_.ToScreen(box.x + std::min(box.width, 240.0f), box.y + std::min(box.height, 60.0f));
    const float zoom = std::max(camera_.zoom(), 0.6f), margin = ui::Px(8);
    const bool inside = a.x > camera_.min().x + margin && a.y > camera_.min().y + margin && b.x < camera_.max().x - margin && b.y < camera_.max().y - margin;
    if (inside && camera_.zoom() >= 0.45f) return;
    camera_.Look(WithinScene({box.x + std::min(box.width, 240.0f) / 2, box.y + std::min(box.height, 60.0f) / 2}, zoom), zoom, glide);
  }

  // Moves so that as much as possible of a box that was expanded is seen, its title first.
  void ShowInside(const SceneBox& box) {
    const float unit = camera_.unit(), margin = ui::Px(14);
    const ImVec2 a = camera_.ToScreen(box.x, box.y), b = camera_.ToScreen(box.x + box.width, box.y + box.height);
    const auto shift = [margin](float from, float to, float low, float high) {
      if (to - from > high - low - 2 * margin) return from - (low + margin);
      return from < low + margin ? from - (low + margin) : to > high - margin ? to - (high - margin) : 0.0f;
    };
    const float x = shift(a.x, b.x, camera_.min().x, camera_.max().x), y = shift(a.y, b.y, camera_.min().y, camera_.max().y);
    if (x == 0 && y == 0) return;
    const Point middle = camera_.ToScene({(camera_.min().x + camera_.max().x) / 2, (camera_.min().y + camera_.max().y) / 2});
    camera_.Look({middle.x + x / unit, middle.y + y / unit}, camera_.zoom(), true);
  }

  // -- Where things are --
  // The calls that lead to an instruction: of the stopped program where its computation is on the stack.
  CallPath PathOf(const Snapshot& now, const Instruction& instruction) const {
    for (size_t depth = now.frames.size(); depth-- > 0;) {
      if (now.frames[depth].computation != instruction.parent) continue;
      CallPath path;
      for (size_t d = 1; d <= depth; ++d) {
        const FrameRow& frame = now.frames[d];
        if (frame.caller == nullptr) return PathTo(*scene_->hierarchy, *instruction.parent);
        const std::vector<const Computation*> called = Hierarchy::Called(*frame.caller);
        const auto at = std::find(called.begin(), called.end(), frame.computation);
        if (at == called.end()) return PathTo(*scene_->hierarchy, *instruction.parent);
        path.push_back({frame.caller, static_cast<int>(at - called.begin())});
      }
      return path;
    }
    return PathTo(*scene_->hierarchy, *instruction.parent);
  }

  int BoxOf(const Snapshot& now, const Instruction* instruction) const {
    if (instruction == nullptr || scene_ == nullptr) return -1;
    return scene_->Find(PathOf(now, *instruction), *instruction);
  }

  // Expands what the instruction lies in and brings it into view. What was expanded so before and is left is folded again.
  void Reveal(PanelContext& context, const Instruction& instruction, bool fold_others) {
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

  // -- Commands --
  void Focus(PanelContext& context, std::vector<const Instruction*> only, std::string text) {
    if (only.empty() && only_.empty()) return;
    only_ = std::move(only);
    focus_text_ = std::move(text);
    if (only_.empty()) path_.clear();
    if (only_.empty() && context.selection.instruction != nullptr) center_on_ = KeysTo(*scene_->hierarchy, PathOf(context.now, *context.selection.instruction), *context.selection.instruction);
    Order(context);
  }

  void Around(PanelContext& context, const Instruction& of, int hops) {
    path_.clear();
    const std::vector<const Instruction*> found = Neighbourhood(*scene_->hierarchy, of, hops, kMostAround);
    Focus(context, found, absl::StrCat(hops, hops == 1 ? " hop" : " hops", " around %", of.name, found.size() >= kMostAround ? absl::StrCat(", the nearest ", kMostAround) : ""));
  }

  bool Path(PanelContext& context, absl::string_view args, std::string* error) {
    const size_t space = args.find(' ');
    if (space == absl::string_view::npos) return Fail(error, "path takes two instructions");
    const Instruction* ends[2];
    const absl::string_view names[2] = {args.substr(0, space), absl::StripAsciiWhitespace(args.substr(space))};
    for (int k = 0; k < 2; ++k) {
      ends[k] = FindInstruction(context.now, names[k]);
      if (ends[k] == nullptr) return Fail(error, absl::StrCat("there is no instruction '", names[k], "'"));
    }
    bool directed = true;
    path_ = ShortestPath(*scene_->hierarchy, *ends[0], *ends[1], &directed);
    if (path_.empty()) return Fail(error, absl::StrCat("nothing leads from ", names[0], " to ", names[1]));
    Focus(context, path_, absl::StrCat(directed ? "the shortest way from %" : "the shortest way, in any direction, from %", ends[0]->name, " to %", ends[1]->name, ": ", path_.size() - 1, path_.size() == 2 ? " hop" : " hops"));
    return true;
  }

  static const Instruction* FindInstruction(const Snapshot& now, absl::string_view name) {
    absl::ConsumePrefix(&name, "%");
    if (now.module == nullptr) return nullptr;
    if (const size_t colon = name.find(':'); colon != absl::string_view::npos) {
      const Computation* computation = now.module->FindComputation(name.substr(0, colon));
      return computation != nullptr ? computation->FindInstruction(name.substr(colon + 1)) : nullptr;
    }
    if (const FrameRow* frame = now.frame()) {
      if (const Instruction* found = frame->computation->FindInstruction(name)) return found;
    }
    if (now.module->entry != nullptr) {
      if (const Instruction* found = now.module->entry->FindInstruction(name)) return found;
    }
    for (const Computation* computation : now.module->computations) {
      if (const Instruction* found = computation->FindInstruction(name)) return found;
    }
    return nullptr;
  }

  // A box of the scene by what one calls it; those that are seen first. -1: none.
  int BoxNamed(const Snapshot& now, absl::string_view name) const {
    absl::string_view plain = name;
    absl::ConsumePrefix(&plain, "%");
    for (size_t k = 0; k < scene_->boxes.size(); ++k) {
      const SceneBox& box = scene_->boxes[k];
      if (box.node >= 0 && (box.name == plain || box.title == name) && box.parent >= 0) return static_cast<int>(k);
    }
    return -1;
  }

  bool Fold(PanelContext& context, absl::string_view name, bool expand, std::string* error) {
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

  int ShownBoxes() const {
    return static_cast<int>(std::count_if(scene_->boxes.begin(), scene_->boxes.end(), [](const SceneBox& box) { return box.node >= 0 && !box.expanded; }));
  }

  // The box and what lies around it are expanded, everything else is folded.
  bool Drill(PanelContext& context, absl::string_view name, std::string* error) {
    const int index = BoxNamed(context.now, name);
    if (index < 0 || !scene_->boxes[index].expandable) return Fail(error, absl::StrCat("the graph shows nothing called '", name, "' that has an inside"));
    Drill(context, index);
    return true;
  }
  void Drill(PanelContext& context, int index) {
    expanded_.clear();
    unasked_.clear();
    center_on_.clear();
    for (int k = index; k >= 0; k = scene_->boxes[k].parent) expanded_.insert(scene_->boxes[k].key);
    for (const BoxKey key : Expansion(*scene_->hierarchy, scene_->boxes[index])) expanded_.insert(key);
    for (int k = index; k >= 0; k = scene_->boxes[k].parent) center_on_.insert(center_on_.begin(), scene_->boxes[k].key);
    refused_.clear();
    Order(context);
  }

  void SetExpanded(PanelContext& context, int index, bool expand) {
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
        refused_ = absl::StrCat(shown, " boxes are shown already, and ", box.name, " has ", more, " more: that could not be read.");
        context.engine.AddConsole(ConsoleLine::kError, absl::StrCat(refused_, " Collapse something, or window graph inside ", box.instruction != nullptr ? "%" : "", box.name, " shows it alone"));
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

  // By mouse: through the console's command where it names this very box.
  void Toggle(PanelContext& context, int index) {
    const SceneBox& box = scene_->boxes[index];
    if (!box.expandable) return;
    if (BoxNamed(context.now, box.name) == index) {
      context.run(absl::StrCat("window graph ", box.expanded ? "collapse " : "expand ", box.instruction != nullptr ? "%" : "", box.name));
    } else {
      SetExpanded(context, index, !box.expanded);
    }
  }

  // -- Searching --
  bool Matches(const Instruction& i) const {
    absl::string_view wanted = lower_;
    if (absl::ConsumePrefix(&wanted, "op:")) return Name(i.opcode) == wanted;
    absl::ConsumePrefix(&wanted, "%");
    if (wanted.find('[') != absl::string_view::npos) return absl::StrContains(i.shape.ToString(false), wanted);
    return ContainsLetters(i.name, wanted) || Name(i.opcode) == wanted || ContainsLetters(i.metadata.op_name, wanted);
  }

  void Search(int most) {
    if (scene_ == nullptr || lower_.empty()) return;
    const Hierarchy& h = *scene_->hierarchy;
    const int end = std::min(h.instruction_count(), most > h.instruction_count() - searched_ ? h.instruction_count() : searched_ + most);
    for (; searched_ < end; ++searched_) {
      if (Matches(h.At(searched_))) matches_.push_back(&h.At(searched_));
    }
    if (searched_ < h.instruction_count()) ui::WantFrame();
    lit_scene_ = nullptr;
  }

  void SetSearch(absl::string_view text) {
    search_ = std::string(text);
    lower_ = absl::AsciiStrToLower(absl::StripAsciiWhitespace(text));
    matches_.clear();
    searched_ = 0;
    match_ = -1;
    lit_scene_ = nullptr;
  }

  bool Find(PanelContext& context, absl::string_view text) {
    SetSearch(text);
    Search(INT32_MAX);
    if (matches_.empty()) return false;
    // An exact name goes before all others.
    absl::string_view exact = text;
    absl::ConsumePrefix(&exact, "%");
    const auto at = std::find_if(matches_.begin(), matches_.end(), [&](const Instruction* i) { return i->name == exact; });
    match_ = at == matches_.end() ? -1 : static_cast<int>(at - matches_.begin()) - 1;
    NextMatch(context, 1);
    return true;
  }

  void NextMatch(PanelContext& context, int step) {
    Search(INT32_MAX);
    if (matches_.empty()) return;
    const int n = static_cast<int>(matches_.size());
    match_ = ((match_ + step) % n + n) % n;
    if (only_.size() > 0 && std::find(only_.begin(), only_.end(), matches_[match_]) == only_.end()) Focus(context, {}, "");
    context.select(matches_[match_], {});
  }

  // -- Toolbar --
  void DrawToolbar(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, pad = ui::Px(8), field = ui::Px(24);
    const bool narrow = width < ui::Px(430);
    const float rows = narrow ? 2 : 1, height = rows * ui::Px(26) + (rows - 1) * ui::Px(4) + ui::Px(10);
    ImGui::SetCursorScreenPos({at.x + pad, at.y + ui::Px(6)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui::Px(6), ui::Px(4)});
    const float icons = 3 * (field + ui::Px(6)), combos = ui::Px(112) + ui::Px(84) + 2 * ui::Px(6);
    const float search = std::max(ui::Px(60), width - 2 * pad - icons - (narrow ? 0 : combos));
    bool entered = false;
    if (refocus_) ui::FocusNext();
    refocus_ = false;
    std::string text = search_;
    if (ui::SearchField("search", &text, search < ui::Px(170) ? "Find" : "Find in the graph", search / ui::TheLook().scale, &entered)) SetSearch(text);
    DrawMatches();
    if (entered && !lower_.empty()) {
      NextMatch(context, ImGui::GetIO().KeyShift ? -1 : 1);
      refocus_ = true;
    }
    Search(kSearchedInFrame);
    ImGui::SameLine();
    if (!narrow) DrawCombos(context);
    if (ui::IconButton("around", ui::Icon::kLink, absl::StrCat("What lies within ", hops_, hops_ == 1 ? " hop" : " hops", " of the selection"), !only_.empty(), context.selection.instruction != nullptr || !only_.empty())) {
      context.run(only_.empty() ? absl::StrCat("window graph hops ", hops_) : "window graph whole");
    }
    ImGui::SameLine();
    if (ui::IconButton("follow", ui::Icon::kHere, follow_ ? "Follows the stop" : "Does not follow the stop", follow_)) context.run(follow_ ? "window graph follow off" : "window graph follow on");
    ImGui::SameLine();
    if (ui::IconButton("fit", ui::Icon::kFit, "Shows all of it, as far as it can be read (F); all of it however small: Shift+F")) context.run("window graph fit");
    if (narrow) {
      ImGui::SetCursorScreenPos({at.x + pad, at.y + ui::Px(6) + ui::Px(30)});
      DrawCombos(context);
      ImGui::NewLine();
    }
    ImGui::PopStyleVar();
    ImGui::GetWindowDrawList()->AddLine({at.x, at.y + height}, {at.x + width, at.y + height}, c.border);
    ImGui::SetCursorScreenPos({at.x, at.y + height + 1});
  }

  void DrawCombos(PanelContext& context) {
    int by = static_cast<int>(colour_);
    static const auto& labels = *new std::vector<std::string>{"Class", "Type", "Time", "Memory", "Health", "Error"};
    if (ui::Combo("colour", labels, &by, 112)) context.run(absl::StrCat("window graph colour ", GraphColourNames()[by]));
    ImGui::SameLine();
    static const auto& hops = *new std::vector<std::string>{"1 hop", "2 hops", "3 hops", "4 hops", "6 hops", "9 hops"};
    static constexpr int kHops[] = {1, 2, 3, 4, 6, 9};
    int chosen = 0;
    while (chosen < 5 && kHops[chosen] < hops_) ++chosen;
    if (ui::Combo("hops", hops, &chosen, 84)) {
      hops_ = kHops[chosen];
      if (!only_.empty() && path_.empty() && context.selection.instruction != nullptr) context.run(absl::StrCat("window graph hops ", hops_));
    }
    ImGui::SameLine();
  }

  // "3 of 120" at the right end of the search field.
  void DrawMatches() const {
    if (lower_.empty() || scene_ == nullptr) return;
    const bool done = searched_ >= scene_->hierarchy->instruction_count();
    const std::string text = matches_.empty() ? (done ? "none" : "") : match_ >= 0 ? absl::StrCat(match_ + 1, " of ", matches_.size()) : absl::StrCat(matches_.size());
    const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
    const float width = ui::Measure(ui::Type().small, text).x;
    if (width + ui::Px(60) > max.x - min.x) return;
    ui::DrawText({max.x - width - ui::Px(8), min.y + (max.y - min.y - ui::Type().small->FontSize) / 2}, matches_.empty() ? ui::Colors().red : ui::Colors().dim, ui::Type().small, text);
    ui::TagFact("matches", text);
  }

  // -- The canvas --
  void Light(PanelContext& context) {
    const Snapshot& now = context.now;
    const Selection& selection = context.selection;
    size_t slice = selection.slice.size();
    for (const Instruction* i : selection.slice) slice = slice * 31 + reinterpret_cast<uintptr_t>(i);
    const bool same = lit_scene_ == scene_ && lit_generation_ == now.generation && lit_selection_ == selection.generation && lit_slice_ == slice;
    lights_.hovered = hovered_ >= 0 ? hovered_ : selection.hovered != nullptr ? BoxOf(now, selection.hovered) : -1;
    if (same) return;
    const int hovered = lights_.hovered;
    lights_ = GraphLights();
    lights_.hovered = hovered;
    lit_scene_ = scene_;
    lit_generation_ = now.generation;
    lit_selection_ = selection.generation;
    lit_slice_ = slice;
    lights_.stop = BoxOf(now, now.here());
    lights_.selected = BoxOf(now, selection.instruction);
    for (const Instruction* i : selection.slice) {
      if (const int box = BoxOf(now, i); box >= 0 && !scene_->boxes[box].expanded) lights_.slice.insert(box);
    }
    for (size_t k = 0; k < matches_.size() && k < 4000; ++k) {
      if (const int box = BoxOf(now, matches_[k]); box >= 0 && !scene_->boxes[box].expanded) lights_.found.insert(box);
    }
    for (const StopRow& stop : now.stops) {
      for (const Instruction* i : stop.at) {
        if (const int box = BoxOf(now, i); box >= 0) lights_.breakpoints[box] = lights_.breakpoints[box] || stop.enabled;
      }
    }
    int last = -1;
    for (const Instruction* i : path_) {
      const int box = BoxOf(now, i);
      if (box < 0) continue;
      lights_.path.insert(box);
      if (last >= 0) {
        lights_.path_arrows.insert(static_cast<int64_t>(last) << 32 | box);
        lights_.path_arrows.insert(static_cast<int64_t>(box) << 32 | last);
      }
      last = box;
    }
  }

  void FollowSelection(PanelContext& context) {
    const Selection& selection = context.selection;
    if (selection.generation == seen_selection_) return;
    const bool first = seen_selection_ == ~uint64_t{0};
    seen_selection_ = selection.generation;
    const Instruction* chosen = selection.instruction;
    const Instruction* here = context.now.here();
    if (first) chosen = here != nullptr ? here : nullptr;
    if (chosen == nullptr || chosen == clicked_) {
      clicked_ = nullptr;
      return;
    }
    clicked_ = nullptr;
    if (chosen == here && !follow_) return;
    Reveal(context, *chosen, true);
  }

  void DrawCanvas(PanelContext& context, ImVec2 min, ImVec2 max) {
    FollowSelection(context);
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImGui::SetCursorScreenPos(min);
    ImGui::InvisibleButton("canvas", {max.x - min.x, max.y - min.y}, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
    ImGui::SetItemAllowOverlap();
    ui::Tag("canvas");
    const bool over = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
    // The minimap lies over it.
    const bool mapped = MinimapRect(min, max, &map_min_, &map_max_);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const bool over_map = mapped && mouse.x >= map_min_.x && mouse.y >= map_min_.y && mouse.x < map_max_.x && mouse.y < map_max_.y;
    Mouse(context, over && !over_map, active);
    Keys(context, over);
    Light(context);
    const std::vector<CardTint>& tints = colours_.Tints(context.engine, context.now, scene_, colour_);
    visible_ = DrawScene(list, camera_, *scene_, tints, lights_);
    if (ui::TheTags().on) NameBoxes();
    if (scene_->boxes.size() <= 1) ui::EmptyHint(ui::Icon::kGraph, "There is nothing to show.", "The program has no instructions.");
    if (mapped) DrawMap(tints, over_map);
    if (!focus_text_.empty()) DrawFocus(context, min, max, mapped);
    DrawMenu(context);
  }

  void Mouse(PanelContext& context, bool over, bool active) {
    const ImGuiIO& io = ImGui::GetIO();
    bool on_chevron = false;
    hovered_ = over && !dragging_ ? BoxAt(camera_, *scene_, io.MousePos, &on_chevron) : -1;
    if (over && io.MouseWheel != 0) camera_.Zoom(std::pow(1.15f, io.MouseWheel), io.MousePos);
    if (over && io.MouseWheelH != 0) camera_.Pan({io.MouseWheelH * ui::Px(40), 0});
    if (over && (ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(2))) {
      pressed_ = hovered_;
      pressed_on_chevron_ = on_chevron;
      dragging_ = false;
      pressed_here_ = true;
    }
    if (pressed_here_ && active && (ImGui::IsMouseDragging(0, ui::Px(4)) || ImGui::IsMouseDragging(2, 1))) {
      dragging_ = true;
      camera_.Pan(io.MouseDelta);
      ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
    }
    if (pressed_here_ && !ImGui::IsMouseDown(0) && !ImGui::IsMouseDown(2)) {
      pressed_here_ = false;
      if (!dragging_ && pressed_ >= 0 && pressed_ < static_cast<int>(scene_->boxes.size())) Clicked(context, pressed_);
      dragging_ = false;
      pressed_ = -1;
    }
    if (over && hovered_ >= 0) {
      const SceneBox& box = scene_->boxes[hovered_];
      if (box.instruction != nullptr) context.selection.hover_next = box.instruction;
      if (!dragging_) HoverText(box);
    }
    if (over && ImGui::IsMouseClicked(1)) {
      menu_key_ = hovered_ >= 0 ? scene_->boxes[hovered_].key : 0;
      if (hovered_ >= 0 && scene_->boxes[hovered_].instruction != nullptr) Choose(context, *scene_->boxes[hovered_].instruction);
      ImGui::OpenPopup("menu");
    }
  }

  void Choose(PanelContext& context, const Instruction& instruction) {
    clicked_ = &instruction;
    context.select(&instruction, {});
  }

  void Clicked(PanelContext& context, int index) {
    const SceneBox& box = scene_->boxes[index];
    const double time = ImGui::GetTime();
    const bool twice = clicked_key_ == box.key && time - clicked_time_ < 0.2 + ImGui::GetIO().MouseDoubleClickTime;
    clicked_key_ = twice ? 0 : box.key;
    clicked_time_ = time;
    if (pressed_on_chevron_ && !twice) return Toggle(context, index);
    if (box.instruction != nullptr && !twice) Choose(context, *box.instruction);
    if (twice && !pressed_on_chevron_) Toggle(context, index);
  }

  // The whole of what a card may have cut.
  void HoverText(const SceneBox& box) {
    if (box.key != hover_key_) {
      hover_key_ = box.key;
      hover_since_ = ImGui::GetTime();
    }
    const double waited = ImGui::GetTime() - hover_since_;
    if (waited < 0.45) {
      ui::WantFrame();
      return;
    }
    const ui::Palette& c = ui::Colors();
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(10), ui::Px(8)});
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ui::Px(460));
    if (box.instruction != nullptr) {
      const Instruction& i = *box.instruction;
      ui::Text(absl::StrCat("%", i.name), c.text, ui::Type().mono);
      ui::Text(i.shape.ToString(false), c.teal, ui::Type().mono_small);
      std::string operands;
      for (size_t k = 0; k < i.operands.size() && k < 6; ++k) absl::StrAppend(&operands, k > 0 ? ", " : "", "%", i.operands[k] != nullptr ? i.operands[k]->name : "?");
      if (i.operands.size() > 6) absl::StrAppend(&operands, ", \u2026");
      ui::Text(absl::StrCat(Name(i.opcode), "(", operands, ")"), c.dim, ui::Type().mono_small);
      if (const int more = box.more_out + box.more_in; more > 0) ui::Text(absl::StrCat(more, " of its arrows are drawn only while one points at it"), c.faint, ui::Type().small);
      if (!i.metadata.op_name.empty()) ui::Text(i.metadata.op_name, c.faint, ui::Type().small);
    } else {
      ui::Text(box.title, c.text, ui::Type().ui);
      ui::Text(absl::StrCat(scene_->hierarchy->node(box.node).count, " instructions", box.below.empty() ? "" : ": ", box.below), c.dim, ui::Type().small);
    }
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
  }

  void Keys(PanelContext& context, bool over) {
    if (!(over || context.focused) || ImGui::GetIO().WantTextInput) return;
    if (ui::Pressed("F") && over) context.run("window graph fit");
    if (ui::Pressed("Shift+F") && over) context.run("window graph fit all");
    if (ui::Pressed("Escape") && !only_.empty()) context.run("window graph whole");
    const Instruction* chosen = context.selection.instruction;
    if (chosen == nullptr || !context.focused) return;
    const Instruction* next = nullptr;
    if (ui::Pressed("Up", true) && !chosen->operands.empty()) next = chosen->operands[0];
    const absl::Span<const int> users = scene_->hierarchy->Users(scene_->hierarchy->Number(*chosen));
    if (ui::Pressed("Down", true) && !users.empty()) next = &scene_->hierarchy->At(users[0]);
    if (next != nullptr) context.select(next, {});
    const int index = BoxOf(context.now, chosen);
    if (ui::Pressed("Enter") && index >= 0) Toggle(context, index);
  }

  void NameBoxes() const {
    for (const SceneBox& box : scene_->boxes) {
      if (box.node < 0 || (box.parent < 0 && box.expanded)) continue;
      ImVec2 a, b;
      BoxRect(camera_, box, &a, &b);
      a = {std::max(a.x, camera_.min().x), std::max(a.y, camera_.min().y)};
      b = {std::min(b.x, camera_.max().x), std::min(b.y, camera_.max().y)};
      if (a.x + 2 < b.x && a.y + 2 < b.y) ui::Tag(TagOf(box), a, b);
    }
  }

  // -- What lies over the canvas --
  bool MinimapRect(ImVec2 min, ImVec2 max, ImVec2* a, ImVec2* b) const {
    const float width = max.x - min.x, height = max.y - min.y;
    if (width < ui::Px(220) || height < ui::Px(150) || scene_->boxes.size() < 4) return false;
    // Nothing to find one's way in where all is seen.
    const ImVec2 low = camera_.ToScreen(0, 0), high = camera_.ToScreen(scene_->width, scene_->height);
    if (low.x >= min.x && low.y >= min.y && high.x <= max.x && high.y <= max.y) return false;
    const float aspect = std::clamp(scene_->width / std::max(1.0f, scene_->height), 0.45f, 2.4f);
    const float area = std::min(ui::Px(110) * ui::Px(140), width * height * 0.055f);
    const float w = std::sqrt(area * aspect), h = w / aspect;
    *b = {max.x - ui::Px(10), min.y + ui::Px(10) + h};
    *a = {b->x - w, min.y + ui::Px(10)};
    return true;
  }

  void DrawMap(const std::vector<CardTint>& tints, bool over) {
    ImGui::SetCursorScreenPos(map_min_);
    ImGui::InvisibleButton("minimap", {map_max_.x - map_min_.x, map_max_.y - map_min_.y});
    ui::Tag("minimap");
    if (ImGui::IsItemActive()) camera_.Look(MinimapPoint(*scene_, map_min_, map_max_, ImGui::GetIO().MousePos), camera_.zoom(), false);
    DrawMinimap(ImGui::GetWindowDrawList(), camera_, *scene_, tints, lights_, map_min_, map_max_);
  }

  void DrawLegend(PanelContext& context, ImVec2 min, ImVec2 max) {
    const ui::Palette& c = ui::Colors();
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImFont* font = ui::Type().small;
    list->AddLine({min.x, min.y}, {max.x, min.y}, c.border);
    if (const InstructionFigures* missing = colours_.Missing()) {
      const float width = std::min(max.x - min.x - ui::Px(16), ui::Measure(font, missing->missing).x + ui::Px(24) + ui::Measure(ui::Type().ui, missing->command).x + ui::Px(24));
      const ImVec2 a = {min.x + ui::Px(2), min.y + ui::Px(2)}, b = {a.x + width, max.y - ui::Px(2)};
      const float button = ui::Measure(ui::Type().ui, missing->command).x + ui::Px(20);
      ui::DrawTextIn({a.x + ui::Px(8), a.y + ui::Px(11)}, width - button - ui::Px(20), c.dim, font, missing->missing);
      ImGui::SetCursorScreenPos({b.x - button - ui::Px(4), a.y + ui::Px(4)});
      if (ui::Button("measure", missing->command, ui::Icon::kNone, ui::ButtonKind::kLink, "Runs the program for it")) context.run(missing->command);
      return;
    }
    const std::vector<std::pair<ImU32, std::string>> rows = colours_.Legend();
    float x = min.x + ui::Px(10);
    const float y = min.y + std::floor((max.y - min.y - ui::Px(16)) / 2);
    const float room = max.x - min.x - ui::Px(16);
    for (const auto& [color, text] : rows) {
      const float width = ui::Measure(font, text).x;
      if (x + ui::Px(12) + width > min.x + room) break;
      list->AddRectFilled({x, y + ui::Px(3)}, {x + ui::Px(4), y + ui::Px(13)}, color, ui::Px(1));
      ui::DrawText({x + ui::Px(8), y + ui::Px(1)}, c.dim, font, text);
      x += width + ui::Px(text.empty() ? 8 : 24);
    }
  }

  void DrawFocus(PanelContext& context, ImVec2 min, ImVec2 max, bool mapped) {
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().small;
    const float room = (mapped ? map_min_.x : max.x) - min.x - ui::Px(16), close = ui::Px(24);
    const float width = std::min(room, ui::Measure(font, focus_text_).x + close + ui::Px(16));
    const ImVec2 a = {min.x + ui::Px(8), min.y + ui::Px(8)}, b = {a.x + width, a.y + ui::Px(26)};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(a, b, ui::Mix(c.panel, c.raised, 0.8f), ui::Px(13));
    list->AddRectFilled(a, b, c.blue_fill, ui::Px(13));
    ui::DrawTextIn({a.x + ui::Px(10), a.y + ui::Px(6)}, width - close - ui::Px(12), c.blue, font, focus_text_);
    ImGui::SetCursorScreenPos({b.x - close, a.y + ui::Px(1)});
    if (ui::IconButton("whole", ui::Icon::kClose, "Back to the whole program (Escape)")) context.run("window graph whole");
  }

  // Why something was not expanded, and the way to see it.
  void DrawRefused(PanelContext& context, ImVec2 min, ImVec2 max) {
    if (scene_ == nullptr) return;
    const auto it = scene_->by_key.find(refused_key_);
    if (it == scene_->by_key.end()) return refused_.clear();
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().ui;
    const char* label = "Show it alone";
    const float button = ui::Measure(font, label).x + ui::Px(20), close = ui::Px(24), room = max.x - min.x - ui::Px(16);
    const float width = std::min(room, ui::Measure(font, refused_).x + button + close + ui::Px(36));
    const ImVec2 a = {min.x + ui::Px(8), max.y - ui::Px(44)}, b = {a.x + width, max.y - ui::Px(8)};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(a, b, c.panel, ui::Px(5));
    list->AddRectFilled(a, b, c.amber_fill, ui::Px(5));
    list->AddRect(a, b, ui::Fade(c.amber, 0.6f), ui::Px(5));
    ui::DrawTextIn({a.x + ui::Px(10), a.y + ui::Px(10)}, width - button - close - ui::Px(28), c.text, font, refused_);
    ImGui::SetCursorScreenPos({b.x - close - button - ui::Px(8), a.y + ui::Px(4)});
    const SceneBox& box = scene_->boxes[it->second];
    if (ui::Button("inside", label, ui::Icon::kNone, ui::ButtonKind::kLink, "Folds everything that does not lie around it")) {
      if (BoxNamed(context.now, box.name) == it->second) context.run(absl::StrCat("window graph inside ", box.instruction != nullptr ? "%" : "", box.name));
      else Drill(context, it->second);
    }
    ImGui::SetCursorScreenPos({b.x - close - ui::Px(2), a.y + ui::Px(6)});
    if (ui::IconButton("refused-close", ui::Icon::kClose, "Forget it")) refused_.clear();
    ui::TagFact("refused", refused_);
  }

  void DrawBusy(PanelContext& context, ImVec2 min) {
    const double now = ImGui::GetTime();
    if (busy_since_ < 0) busy_since_ = now;
    if (now - busy_since_ < 0.15) return;
    ImGui::SetCursorScreenPos({min.x + ui::Px(12), min.y + ui::Px(12)});
    ui::Spinner(14);
    ui::DrawText({min.x + ui::Px(34), min.y + ui::Px(12)}, ui::Colors().dim, ui::Type().small, "laying out\u2026");
    if (now - busy_since_ < 0.5 || scene_ == nullptr) return;
    ImGui::SetCursorScreenPos({min.x + ui::Px(44) + ui::Measure(ui::Type().small, "laying out\u2026").x, min.y + ui::Px(5)});
    if (ui::Button("cancel", "Cancel", ui::Icon::kNone, ui::ButtonKind::kPlain, "Goes on with what is shown")) CancelLayout(context);
  }

  void CancelLayout(PanelContext& context) {
    thread_.Cancel();
    request_ = scene_->request;
    expanded_ = scene_->expanded;
    if (!scene_->focused) only_.clear(), focus_text_.clear(), path_.clear();
    unasked_.clear();
    restore_.clear();
    center_on_.clear();
    anchor_ = 0;
    context.engine.AddConsole(ConsoleLine::kNote, "laying the graph out was given up: it shows what it showed before");
  }

  bool Item(const char* label, const char* tag, bool enabled = true) {
    const bool chosen = ImGui::Selectable(label, false, enabled ? 0 : ImGuiSelectableFlags_Disabled, {ui::Px(210), ui::Px(20)});
    if (enabled) ui::Tag(tag);
    return chosen;
  }

  void DrawMenu(PanelContext& context) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(8), ui::Px(8)});
    const bool open = ImGui::BeginPopup("menu");
    ImGui::PopStyleVar();
    if (!open) return;
    ui::TagScope scope("menu");
    const auto it = scene_->by_key.find(menu_key_);
    const SceneBox* box = it == scene_->by_key.end() ? nullptr : &scene_->boxes[it->second];
    if (box != nullptr && box->instruction != nullptr) {
      const Instruction& i = *box->instruction;
      const std::string name = CommandName(context.now, i);
      const StopRow* there = nullptr;
      for (const StopRow& stop : context.now.stops) {
        if (stop.kind == StopRow::kBreak && stop.at.size() == 1 && stop.at[0] == &i) there = &stop;
      }
      if (Item(there != nullptr ? "Remove the breakpoint" : "Breakpoint", "breakpoint")) context.run(there != nullptr ? absl::StrCat("delete ", there->number) : absl::StrCat("break ", absl::StripPrefix(name, "%")));
      if (Item("Why", "why")) context.run(absl::StrCat("why ", name));
      if (Item("Explain", "explain")) context.run(absl::StrCat("explain ", name));
      ui::Separator();
      if (Item(absl::StrCat("What lies within ", hops_, hops_ == 1 ? " hop" : " hops").c_str(), "around")) context.run(absl::StrCat("window graph hops ", hops_));
      if (Item("Path from here", "path-from")) path_from_ = &i;
      if (path_from_ != nullptr && path_from_ != &i && Item(absl::StrCat("Path from %", path_from_->name, " to here").c_str(), "path-to")) {
        context.run(absl::StrCat("window graph path ", CommandName(context.now, *path_from_), " ", name));
      }
      ui::Separator();
      if (Item("Copy the name", "copy")) ImGui::SetClipboardText(absl::StrCat("%", i.name).c_str());
    }
    if (box != nullptr && box->expandable && Item(box->expanded ? "Collapse" : "Expand", "toggle")) Toggle(context, it->second);
    // What a click inside is likely about.
    if (box != nullptr && box->parent >= 0 && scene_->boxes[box->parent].parent >= 0 && Item(absl::StrCat("Collapse ", scene_->boxes[box->parent].title).c_str(), "collapse-around")) Toggle(context, box->parent);
    if (!only_.empty() && Item("The whole program", "whole")) context.run("window graph whole");
    if (box == nullptr) {
      if (Item("Show all of it", "fit")) context.run("window graph fit");
      if (Item("Collapse everything", "collapse-all")) {
        expanded_ = {KeyOf(0, scene_->hierarchy->NodeOf(*scene_->hierarchy->module().entry))};
        unasked_.clear();
        Order(context);
      }
    }
    ImGui::EndPopup();
  }

  void State(PanelContext& context) {
    if (!thread_.busy()) busy_since_ = -1;
    const bool ready = scene_ != nullptr && !thread_.busy() && scene_->request == request_;
    ui::TagFact("state", ready ? "ready" : "laying out");
    if (scene_ == nullptr || !ui::TheTags().on) return;
    int shown = 0, expanded = 0;
    for (const SceneBox& box : scene_->boxes) {
      shown += box.node >= 0 && !box.expanded;
      expanded += box.expanded && box.parent >= 0;
    }
    const auto name = [&](int index) { return index < 0 ? std::string() : scene_->boxes[index].name; };
    ui::TagFact("boxes", absl::StrCat(shown));
    ui::TagFact("expanded", absl::StrCat(expanded));
    ui::TagFact("arrows", absl::StrCat(scene_->arrows.size()));
    ui::TagFact("drawn", absl::StrCat(visible_));
    ui::TagFact("colour", GraphColourNames()[static_cast<int>(colour_)]);
    ui::TagFact("follow", follow_ ? "on" : "off");
    ui::TagFact("zoom", absl::StrFormat("%.2f", camera_.zoom()));
    ui::TagFact("selected", name(lights_.selected));
    ui::TagFact("stop", name(lights_.stop));
    ui::TagFact("slice", absl::StrCat(lights_.slice.size()));
    ui::TagFact("breakpoints", absl::StrCat(lights_.breakpoints.size()));
    ui::TagFact("focus", focus_text_);
    ui::TagFact("opened_ms", absl::StrFormat("%.0f", opened_ms_));
    ui::TagFact("layout_ms", absl::StrFormat("%.0f", scene_->milliseconds));
    std::string path;
    for (const Instruction* i : path_) absl::StrAppend(&path, path.empty() ? "" : " ", i->name);
    ui::TagFact("path", path);
    ui::TagFact("nan", colours_.Marked(*scene_, "NaN"));
  }

  // What is looked at.
  GraphCamera camera_;
  GraphColours colours_;
  GraphColour colour_ = GraphColour::kClass;
  int hops_ = 2;
  bool follow_ = true;
  // What is wanted and made.
  uint64_t program_ = 0, numbers_ = 0, request_ = 0, taken_ = 0;
  std::shared_ptr<const Scene> scene_;
  absl::flat_hash_set<BoxKey> expanded_;
  std::vector<BoxKey> unasked_;  // of those, what was expanded to show something and not by hand
  std::vector<const Instruction*> only_, path_;
  std::string focus_text_, path_of_program_;
  absl::flat_hash_set<std::string> restore_;
  bool keep_camera_ = false;
  BoxKey anchor_ = 0;
  std::vector<BoxKey> center_on_;
  std::vector<std::string> waiting_;  // commands, until there is a scene
  std::string refused_;  // why something was not expanded; empty: nothing was refused
  BoxKey refused_key_ = 0;
  double begun_ = 0, opened_ms_ = 0, busy_since_ = -1;
  // What is lit up, and what that was found for.
  GraphLights lights_;
  std::shared_ptr<const Scene> lit_scene_;
  uint64_t lit_generation_ = 0, lit_selection_ = 0, seen_selection_ = ~uint64_t{0};
  size_t lit_slice_ = 0;
  int visible_ = 0;
  // The mouse.
  int hovered_ = -1, pressed_ = -1;
  bool pressed_on_chevron_ = false, pressed_here_ = false, dragging_ = false;
  const Instruction* clicked_ = nullptr;
  const Instruction* path_from_ = nullptr;
  BoxKey menu_key_ = 0, hover_key_ = 0, clicked_key_ = 0;
  double hover_since_ = 0, clicked_time_ = 0;
  ImVec2 map_min_, map_max_;
  // Searching.
  std::string search_, lower_;
  std::vector<const Instruction*> matches_;
  int searched_ = 0, match_ = -1;
  bool refocus_ = false;
  SceneThread thread_;  // the last: its thread ends first
};

}  // namespace

std::unique_ptr<Panel> MakeGraphPanel() { return std::make_unique<GraphPanel>(); }

}  // namespace hloscope
