// The value of the selected instruction: any rank, two dimensions of it at a time; its statistics, one element's bits, and why it is what it is.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/known_values.h"
#include "core/debug/picture.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/ops/leaf_flow.h"
#include "imgui_internal.h"
#include "visualizer/model/live.h"
#include "visualizer/model/value_view.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/value_canvas.h"
#include "visualizer/panels/value_side.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

constexpr float kSideWidth = 256;
constexpr size_t kHistory = 6;

// Things side by side that go on in a new line where there is no room.
class Flow {
 public:
  explicit Flow(float gap = 6) : gap_(ui::Px(gap)), right_(ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x) {}
  void Next(float width) {
    if (!first_) {
      ImGui::SameLine(0, gap_);
      if (ImGui::GetCursorScreenPos().x + width > right_) ImGui::NewLine();
    }
    first_ = false;
  }

 private:
  float gap_, right_;
  bool first_ = true;
};

// A rounded label that can be pressed.
bool Chip(absl::string_view name, absl::string_view label, bool on, absl::string_view tip, ImFont* font = nullptr, float most = 160) {
  const ui::Palette& c = ui::Colors();
  if (font == nullptr) font = ui::Type().mono_small;
  const float height = ui::Px(22), width = std::min(ui::Px(most), ui::Measure(font, label).x + ui::Px(14));
  const ImVec2 at = ImGui::GetCursorScreenPos(), end = {at.x + width, at.y + height};
  const bool clicked = ImGui::InvisibleButton(std::string(name).c_str(), {width, height});
  const bool hovered = ImGui::IsItemHovered();
  ImGui::GetWindowDrawList()->AddRectFilled(at, end, on ? c.blue_fill : hovered ? c.hover : c.raised, ui::Px(4));
  ui::DrawTextIn({at.x + ui::Px(7), at.y + (height - font->FontSize) / 2}, width - ui::Px(13), on ? c.text : hovered ? c.text : c.dim, font, label);
  ui::Tag(name);
  ui::Tooltip(tip);
  return clicked;
}
float ChipWidth(absl::string_view label, float most = 160) { return std::min(ui::Px(most), ui::Measure(ui::Type().mono_small, label).x + ui::Px(14)); }

std::string LeafLabel(const Shape& shape, int leaf) { return absl::StrCat(LeafPathText(shape, leaf), " ", ShapeText(LeafShape(shape, leaf))); }

class ValuePanel : public Panel {
 public:
  void Draw(PanelContext& context) override {
    Follow(context);
    if (target_ == nullptr) {
      ui::EmptyHint(ui::Icon::kTable, "The value of the selected instruction: table, heat map, image, bits and statistics.", "Select an instruction in the program or the graph.");
      return;
    }
    const std::string moment = absl::StrCat(context.now.program_generation, ",", context.now.moment_generation, ",", context.now.selected_frame, ",");
    const Instruction* target = target_;
    const std::shared_ptr<const Standing> standing =
        standing_.Get(context.engine, absl::StrCat(moment, reinterpret_cast<uintptr_t>(target)), [target](Session::State& s) -> absl::StatusOr<Standing> { return StandingOf(s, *target); });
    DrawHistory(context);
    if (standing == nullptr || standing->of != target) {
      // The engine is at something else: what is known of the value meanwhile is its shape.
      const std::string what = context.engine.activity().what;
      if (!what.empty()) Waiting(absl::StrCat(Cut(ShapeText(target->shape), 200), what == "looking" ? ": computing ..." : absl::StrCat(": waits for ", what)));
      return;
    }
    name_ = {target, 0};
    if (moment_of_ != target->parent) moment_.clear();
    if (ahead_key_ != absl::StrCat(moment, reinterpret_cast<uintptr_t>(target))) ahead_key_.clear();
    if (!moment_.empty()) {
      name_.moment = moment_;
      ui::TagFact("state", "then");
      DrawMoment(context, *standing);
    } else if (!standing->there && !ahead_key_.empty()) {
      name_.ahead = true;
      ui::TagFact("state", "looked ahead");
      ui::Badge("looked ahead: the program is not there yet", ui::Colors().amber);
      ui::Gap(6);
    } else if (!standing->there) {
      ui::TagFact("state", standing->why);
      if (!DrawStanding(context, *standing, moment)) return;
    } else {
      ui::TagFact("state", "computed");
    }
    name_.leaf = LeafOfView(*name_.instruction);
    ui::TagFact("of", name_.instruction->name);
    key_ = absl::StrCat(moment, reinterpret_cast<uintptr_t>(name_.instruction), ",", name_.leaf, name_.ahead ? "a," : ",", name_.moment, ",");
    DrawValue(context);
  }

  std::string Title(const PanelContext& context) const override { return target_ == nullptr ? "" : absl::StrCat("Value ", target_->name); }
  float padding() const override { return 10; }

  void Save(nlohmann::json& to) const override {
    to["mode"] = static_cast<int>(mode_);
    to["log"] = log_;
    to["part"] = static_cast<int>(part_);
  }
  void Load(const nlohmann::json& from) override {
    mode_ = static_cast<CanvasMode>(std::clamp(from.value("mode", 0), 0, 2));
    log_ = from.value("log", false);
    part_ = static_cast<ComplexPart>(std::clamp(from.value("part", 0), 0, 3));
  }

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override {
    const absl::string_view word = TakeWord(args);
    int number = 0;
    CanvasView* view = name_.instruction != nullptr ? &ViewOf(name_) : nullptr;
    if (word == "map" || word == "table" || word == "image") {
      mode_ = word == "map" ? CanvasMode::kMap : word == "table" ? CanvasMode::kTable : CanvasMode::kImage;
    } else if (word == "pin" || word == "unpin") {
      pinned_ = word == "pin";
    } else if (word == "log") {
      log_ = args != "off";
    } else if (word == "fit") {
      if (view != nullptr) view->fitted = true;
    } else if (word == "compare") {
      side_.Compare(std::string(args));
    } else if (word == "value" || word == "difference" || word == "ulp") {
      what_ = word == "value" ? PlaneOf::kValue : word == "ulp" ? PlaneOf::kUlp : PlaneOf::kDifference;
    } else if (word == "part") {
      const std::optional<ComplexPart> part = ParseComplexPart(args);
      if (!part.has_value()) {
        *error = "window value part takes abs, re, im or angle: what stands for a complex number";
        return false;
      }
      part_ = *part;
    } else if (word == "moment") {
      if (args.empty() || target_ == nullptr) {
        *error = target_ == nullptr ? "there is no value to look at" : "window value moment takes a moment, as: iteration 3 (of the value's loop), call 2, or now";
        return false;
      }
      moment_ = args == "now" ? "" : std::string(args);
      moment_of_ = target_->parent;
    } else if (word == "why") {
      side_.WantWhy();
    } else if (word == "copy") {
      side_.WantCopy();
    } else if ((word == "rows" || word == "columns") && view != nullptr && absl::SimpleAtoi(args, &number)) {
      SetRole(*view, number, word == "rows" ? 0 : 1);
    } else if (word == "at" && view != nullptr) {
      const std::vector<std::string> parts = absl::StrSplit(args, ' ', absl::SkipEmpty());
      int64_t at = 0;
      if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &number) || !absl::SimpleAtoi(parts[1], &at) || number < 0 || number >= static_cast<int>(view->axes.at.size())) {
        *error = "window value at takes a dimension and an index";
        return false;
      }
      view->axes.at[number] = at;
    } else {
      *error = "window value takes map, table, image, rows D, columns D, at D I, log, log off, fit, pin, unpin, part PART, moment MOMENT, compare EXPR, value, difference, ulp, why or copy";
      return false;
    }
    return true;
  }

 private:
  // -- What is shown --
  void Follow(PanelContext& context) {
    const Snapshot& now = context.now;
    if (now.program_generation != program_) {
      program_ = now.program_generation;
      target_ = nullptr;
      name_ = {};
      history_.clear();
      views_.clear();
      operand_.clear();
      side_.Clear();
      pinned_ = false;
      seen_selection_ = ~uint64_t{0};
      data_ = nullptr;
      facts_shown_ = nullptr;
    }
    if (context.selection.generation != seen_selection_ || (target_ == nullptr && context.selection.instruction != nullptr)) {
      seen_selection_ = context.selection.generation;
      if (!pinned_ && context.selection.instruction != nullptr) Show(context.selection.instruction);
      if (context.selection.instruction != nullptr && !context.selection.element.empty()) reveal_ = true;
    }
    if (target_ == nullptr) target_ = Result(now);
  }
  // What the program has come to, where nothing else was chosen.
  static const Instruction* Result(const Snapshot& now) {
    return now.phase == Phase::kFinished && now.module != nullptr && now.module->entry != nullptr ? now.module->entry->root : nullptr;
  }
  void Show(const Instruction* instruction) {
    target_ = instruction;
    const auto found = std::find(history_.begin(), history_.end(), instruction);
    if (found != history_.end()) return;
    history_.push_front(instruction);
    if (history_.size() > kHistory) history_.pop_back();
  }
  int LeafOfView(const Instruction& instruction) {
    const int count = LeafCountOf(instruction.shape);
    auto [it, added] = leaves_.try_emplace(&instruction, 0);
    if (added) {
      // The first leaf with many elements.
      for (int leaf = 0; leaf < std::min(count, 64); ++leaf) {
        if (LeafShape(instruction.shape, leaf).ElementCount() > LeafShape(instruction.shape, it->second).ElementCount()) it->second = leaf;
      }
    }
    return std::clamp(it->second, 0, std::max(0, count - 1));
  }
  CanvasView& ViewOf(const ValueName& name) {
    auto [it, added] = views_.try_emplace({name.instruction, name.leaf});
    if (added) {
      const Shape& shape = LeafShape(name.instruction->shape, name.leaf);
      if (shape.IsArray()) {
        it->second.axes = StandardAxes(shape);
        it->second.channel = ChannelDimension(shape);
        if (it->second.channel == shape.rank() - 1 && shape.rank() >= 3 && shape.dim(shape.rank() - 2) > 4) {
          // Height, width, channels.
          it->second.axes.rows = shape.rank() - 3;
          it->second.axes.columns = shape.rank() - 2;
        }
      }
    }
    return it->second;
  }

  void DrawHistory(PanelContext& context) {
    const float pin = ui::Px(26);
    const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushClipRect(at, {right - pin, at.y + ui::Px(26)}, true);
    bool first = true;
    const Instruction* go = nullptr;
    for (const Instruction* instruction : history_) {
      const float width = ChipWidth(instruction->name, 130);
      if (!first) ImGui::SameLine(0, ui::Px(4));
      if (!first && ImGui::GetCursorScreenPos().x + width > right - pin) break;
      first = false;
      ImGui::PushID(instruction);
      if (Chip(absl::StrCat("shown:", instruction->name), instruction->name, instruction == target_, absl::StrCat("%", instruction->name, "  ", ShapeText(instruction->shape)), nullptr, 130)) go = instruction;
      if (ImGui::IsItemHovered()) context.selection.hover_next = instruction;
      ImGui::PopID();
    }
    ImGui::PopClipRect();
    if (go != nullptr) {
      target_ = go;
      if (!pinned_) context.select(go, {});
    }
    ImGui::SetCursorScreenPos({right - ui::Px(24), at.y - ui::Px(1)});
    if (ui::IconButton("pin", ui::Icon::kPin, pinned_ ? "Pinned: stays at this value. Click to follow the selection again" : "Keep showing this value", pinned_)) {
      pinned_ = !pinned_;
      if (!pinned_ && context.selection.instruction != nullptr) Show(context.selection.instruction);
    }
    ui::TagFact("pinned", pinned_ ? "yes" : "no");
    ImGui::SetCursorScreenPos({at.x, at.y + ui::Px(30)});
  }

  // Of a frame that has ended: which moment is looked at, and the way to others and back.
  void DrawMoment(PanelContext& context, const Standing& standing) {
    ui::Badge(moment_, ui::Colors().blue);
    const ImVec2 at = ImGui::GetItemRectMin();
    float x = ImGui::GetItemRectMax().x + ui::Px(6);
    absl::string_view rest = moment_;
    int64_t iteration = -1;
    const bool steps = TakeWord(rest) == "iteration" && absl::SimpleAtoi(TakeWord(rest), &iteration) && absl::StartsWith(rest, "in ");
    const auto step = [&](const char* name, ui::Icon icon, const char* tip, int64_t to, bool enabled) {
      ImGui::SetCursorScreenPos({x, at.y - ui::Px(3)});
      if (ui::IconButton(name, icon, tip, false, enabled)) context.run(absl::StrCat("window value moment iteration ", to, " ", rest));
      x += ui::Px(24);
    };
    if (steps) {
      step("earlier", ui::Icon::kBack, "The iteration before", iteration - 1, iteration > 0);
      step("later", ui::Icon::kContinue, "The iteration after", iteration + 1, standing.iterations < 0 || iteration + 1 < standing.iterations);
      x += ui::Px(6);
    }
    ImGui::SetCursorScreenPos({x, at.y + ui::Px(2)});
    if (ui::Link("now", standing.there ? "Back to now" : "Close", ui::Type().small)) context.run("window value moment now");
    ImGui::SetCursorScreenPos({ImGui::GetWindowPos().x + ui::Px(padding()), at.y + ui::Px(26)});
  }

  // The value is of a frame that has ended (or has not begun): how to look at it there.
  void DrawEnded(PanelContext& context, const Standing& standing) {
    const float width = std::min(ImGui::GetContentRegionAvail().x, ui::Px(420));
    if (standing.loop != nullptr) {
      const int64_t last = std::max<int64_t>(0, standing.iterations - 1);
      const std::string loop = CommandName(context.now, *standing.loop);
      if (ui::Link("then", absl::StrCat("Look at it in iteration ", last, " of ", loop, standing.iterations > 0 ? absl::StrCat(", the last of ", standing.iterations) : ""))) {
        context.run(absl::StrCat("window value moment iteration ", last, " in ", loop));
      }
    } else if (ui::Link("then", absl::StrCat("Look at it in the call of ", standing.of->parent->name))) {
      context.run("window value moment call 1");
    }
    ui::Tooltip("The program goes there, and comes back to where it stands");
    ui::Gap(6);
    bool entered = false;
    ui::Field("moment", &typed_moment_, "another moment: iteration 3, call 2", width / ui::TheLook().scale, &entered, true);
    if (entered && !typed_moment_.empty()) context.run(absl::StrCat("window value moment ", typed_moment_));
  }

  // Its operands' values stand in for one that is not there. False: nothing to show.
  bool DrawStanding(PanelContext& context, const Standing& standing, const std::string& moment) {
    const ui::Palette& c = ui::Colors();
    const Instruction* target = standing.of;
    const bool failed = standing.why == "failed here";
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::DrawIcon(ImGui::GetWindowDrawList(), failed ? ui::Icon::kError : ui::Icon::kClock, {at.x, at.y + ui::Px(2)}, ui::Px(14), failed ? c.red : c.amber);
    ImGui::SetCursorScreenPos({at.x + ui::Px(20), at.y});
    ui::TextCut(absl::StrCat("%", target->name, ": ", standing.why, failed || target->operands.empty() || standing.ended ? "" : ". Its operands:"), c.dim);
    if (failed) {
      ui::Gap(2);
      ui::TextWrapped(context.now.error, c.text);
      ui::TagFact("failure", context.now.error);
    }
    ui::Gap(4);
    if (standing.ended) {
      DrawEnded(context, standing);
      return false;
    }
    if (standing.why == "not executed yet") {
      if (ui::Link("ahead", "Look ahead", ui::Type().small)) ahead_key_ = absl::StrCat(moment, reinterpret_cast<uintptr_t>(target));
      ui::Tooltip("Computes its value for looking only: the program stays where it is");
    }
    ui::Gap(4);
    bool any = false;
    auto [chosen, added] = operand_.try_emplace(target, -1);
    for (size_t k = 0; k < target->operands.size(); ++k) {
      if (!standing.operands_there[k]) continue;
      any = true;
      // The largest one, until another is chosen.
      if (added && (chosen->second < 0 || target->operands[k]->shape.ByteSize() > target->operands[chosen->second]->shape.ByteSize())) chosen->second = static_cast<int>(k);
    }
    if (!any) operand_.erase(chosen);
    Flow flow;
    const size_t most = std::min<size_t>(target->operands.size(), 12);
    for (size_t k = 0; k < most; ++k) {
      const Instruction* operand = target->operands[k];
      flow.Next(ChipWidth(operand->name));
      ImGui::PushID(static_cast<int>(k));
      const bool there = standing.operands_there[k];
      if (Chip(absl::StrCat("operand:", k), operand->name, any && chosen->second == static_cast<int>(k), absl::StrCat("%", operand->name, "  ", ShapeText(operand->shape), there ? "" : ": no value yet"))) {
        if (there) chosen->second = static_cast<int>(k);
        else context.select(operand, {});
      }
      if (ImGui::IsItemHovered()) context.selection.hover_next = operand;
      ImGui::PopID();
    }
    if (most > 0) ui::Gap(6);
    if (!any || chosen->second < 0 || !standing.operands_there[chosen->second]) {
      ui::EmptyHint(ui::Icon::kClock, absl::StrCat("%", target->name, " has no value here: ", standing.why, "."), standing.why == "the program is not running" ? "F5 runs the program, F10 starts it at its first instruction." : failed ? "What is amended in the text is taken up by the next run." : "Run on until it is computed: break there, then Next (F10).");
      return false;
    }
    name_ = {target->operands[chosen->second], 0};
    return true;
  }

  static void Waiting(const std::string& text) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::Spinner(16);
    ui::DrawTextIn({at.x + ui::Px(24), at.y}, std::max(0.0f, ImGui::GetContentRegionAvail().x - ui::Px(24)), ui::Colors().dim, ui::Type().ui, text);
    ui::TagFact("waiting", text);
  }

  // -- One value --
  void DrawValue(PanelContext& context) {
    const ValueName name = name_;
    const Shape& whole = name.instruction->shape;
    if (whole.IsTuple()) DrawLeaves(whole);
    if (LeafCountOf(whole) == 0) {
      ui::EmptyHint(ui::Icon::kTable, absl::StrCat("%", name.instruction->name, " is the empty tuple (): there is nothing in it."), "");
      return;
    }
    if (!LeafShape(whole, name_.leaf).IsArray()) {
      ui::EmptyHint(ui::Icon::kTable, absl::StrCat("%", name.instruction->name, " is ", ShapeText(whole), " and holds no numbers here."), "Choose another part, or another instruction.");
      return;
    }
    const std::shared_ptr<const ValueFacts> facts = facts_.Get(context.engine, absl::StrCat(key_, SignOf(part_)), [name, part = part_](Session::State& s) -> absl::StatusOr<ValueFacts> {
      const absl::StatusOr<Value> value = ValueOfLeaf(s, name);
      if (!value.ok()) return value.status();
      ValueFacts facts = FactsOfValue(name, *value, part);
      // The lists need not look again. A figure of a part of complex numbers says nothing to them.
      const bool now = name.moment.empty() && !name.ahead && name.instruction->shape.IsArray() && !IsComplex(name.instruction->shape.element_type());
      if (const int depth = now && s.visible() ? FrameThatShows(s, *name.instruction) : -1; depth >= 0) Remember(s, depth, *name.instruction, *value, facts.statistics);
      return facts;
    });
    if (facts != nullptr) facts_shown_ = facts;
    if (facts == nullptr && facts_.fresh()) {
      ui::EmptyHint(ui::Icon::kTable, absl::StrCat("%", name.instruction->name, " cannot be shown."), facts_.status().message());
      return;
    }
    if (facts_shown_ == nullptr || !(facts_shown_->of == name)) {
      Waiting(absl::StrCat("computing ", ShapeText(LeafShape(whole, name.leaf)), " ..."));
      return;
    }
    const ValueFacts& f = *facts_shown_;
    if (f.shape.ElementCount() == 0) {
      ui::EmptyHint(ui::Icon::kTable, absl::StrCat("%", name.instruction->name, " is ", ShapeText(f.shape), ": it has no elements."), "");
      return;
    }
    CanvasView& view = ViewOf(name);
    view.axes = FitAxes(f.shape, view.axes);
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool wide = room.x >= ui::Px(520);
    selected_.clear();
    if (context.selection.instruction == name.instruction && static_cast<int>(context.selection.element.size()) == f.shape.rank() && WithinShape(f.shape, context.selection.element)) selected_ = context.selection.element;
    if (reveal_ && !selected_.empty()) Reveal(view);
    reveal_ = false;
    if (f.shape.rank() == 0) {
      // One number needs no picture.
      hovered_.clear();
      ImGui::BeginChild("number", {std::min(room.x, ui::Px(420)), 0}, false);
      side_.Draw({context, name_, key_, f, view.axes, selected_, hovered_, &what_, mode_ == CanvasMode::kImage ? view.channel : -1, ScaleFor(f), static_cast<CellShows>(shows_)});
      ImGui::EndChild();
    } else if (wide) {
      const float side = std::min(ui::Px(kSideWidth), room.x * 0.42f), left = room.x - side - ui::Px(14);
      ImGui::BeginChild("left", {left, 0}, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
      DrawTools(context, view, f);
      DrawCanvas(context, view, f, ImGui::GetContentRegionAvail().y - ui::Px(46));
      ImGui::EndChild();
      ImGui::SameLine(0, ui::Px(14));
      ImGui::BeginChild("side", {0, 0}, false);
      side_.Draw({context, name_, key_, f, view.axes, selected_, hovered_, &what_, mode_ == CanvasMode::kImage ? view.channel : -1, ScaleFor(f), static_cast<CellShows>(shows_)});
      ImGui::EndChild();
    } else {
      ImGui::BeginChild("all", {0, 0}, false);
      DrawTools(context, view, f);
      DrawCanvas(context, view, f, std::min(std::max(ui::Px(150), ImGui::GetContentRegionAvail().x * 0.8f), std::max(ui::Px(150), room.y * 0.6f)));
      ui::Gap(6);
      side_.Draw({context, name_, key_, f, view.axes, selected_, hovered_, &what_, mode_ == CanvasMode::kImage ? view.channel : -1, ScaleFor(f), static_cast<CellShows>(shows_)});
      ImGui::EndChild();
    }
    if (context.focused && !ImGui::GetIO().WantTextInput && ui::Pressed("W")) side_.WantWhy();
    if (context.focused && !ImGui::GetIO().WantTextInput) MoveByKeys(context, view, f.shape);
  }

  // The arrows go from element to element.
  void MoveByKeys(PanelContext& context, const CanvasView& view, const Shape& shape) {
    const int down = ui::Pressed("Down", true) - ui::Pressed("Up", true), right = ui::Pressed("Right", true) - ui::Pressed("Left", true);
    if ((down == 0 && right == 0) || shape.rank() == 0) return;
    std::vector<int64_t> index = selected_.empty() ? PlaneIndex(view.axes, 0, 0) : selected_;
    const auto move = [&](int d, int by) {
      if (d >= 0 && !selected_.empty()) index[d] = std::clamp<int64_t>(index[d] + by, 0, shape.dim(d) - 1);
    };
    move(view.axes.rows, down);
    move(view.axes.columns, right);
    context.select(name_.instruction, index);
    reveal_ = true;
  }

  static bool WithinShape(const Shape& shape, const std::vector<int64_t>& index) {
    for (int d = 0; d < shape.rank(); ++d) {
      if (index[d] < 0 || index[d] >= shape.dim(d)) return false;
    }
    return true;
  }

  void DrawLeaves(const Shape& whole) {
    const int count = LeafCountOf(whole);
    if (count == 0) return;
    std::vector<std::string> labels;
    for (int leaf = 0; leaf < std::min(count, 400); ++leaf) labels.push_back(LeafLabel(whole, leaf));
    int chosen = name_.leaf;
    if (ui::Combo("leaf", labels, &chosen, 200)) {
      leaves_[name_.instruction] = chosen;
      name_.leaf = chosen;
    }
    ImGui::SameLine(0, ui::Px(8));
    ui::TextCut(absl::StrCat("of a tuple of ", count), ui::Colors().faint);
    ui::Gap(2);
  }

  // 0: rows, 1: columns, 2: slides, 3: channels of the image.
  void SetRole(CanvasView& view, int dimension, int role) {
    PlaneAxes& axes = view.axes;
    if (dimension < 0 || dimension >= static_cast<int>(axes.at.size())) return;
    view.fitted = true;
    if (role == 3) {
      view.channel = dimension;
      mode_ = CanvasMode::kImage;
      if (axes.rows == dimension || axes.columns == dimension) {
        // Somebody else must lie there.
        for (int d = static_cast<int>(axes.at.size()) - 1; d >= 0; --d) {
          if (d == dimension || d == axes.rows || d == axes.columns) continue;
          (axes.rows == dimension ? axes.rows : axes.columns) = d;
          break;
        }
        if (axes.rows == dimension) axes.rows = -1;
        if (axes.columns == dimension) axes.columns = -1;
        if (axes.rows > axes.columns) std::swap(axes.rows, axes.columns);
      }
      return;
    }
    int& here = role == 0 ? axes.rows : axes.columns;
    int& there = role == 0 ? axes.columns : axes.rows;
    if (role == 2) {
      if (axes.rows == dimension) axes.rows = -1;
      if (axes.columns == dimension) axes.columns = -1;
      return;
    }
    if (view.channel == dimension && mode_ == CanvasMode::kImage) view.channel = -1;
    if (there == dimension) there = here;  // they change places
    here = dimension;
  }

  void DrawTools(PanelContext& context, CanvasView& view, const ValueFacts& f) {
    const int rank = f.shape.rank();
    if (rank == 0) return;
    int mode = static_cast<int>(mode_);
    std::vector<std::string> modes = {"Map", "Table", "Image"};
    if (ui::Segments("mode", modes, &mode)) {
      mode_ = static_cast<CanvasMode>(mode);
      view.fitted = true;
    }
    ui::TagFact("mode", modes[mode]);
    ImGui::SameLine(0, ui::Px(8));
    if (ui::IconButton("colours", ui::Icon::kChart, "Colours: range, scale, what a cell shows")) ImGui::OpenPopup("colours popup");
    DrawColours(f);
    ImGui::SameLine(0, ui::Px(2));
    if (ui::IconButton("fit", ui::Icon::kFit, "Show all of it (double click)", false, !view.fitted && mode_ != CanvasMode::kTable)) view.fitted = true;
    if (IsComplex(f.shape.element_type())) {
      ImGui::SameLine(0, ui::Px(8));
      if (ImGui::GetCursorScreenPos().x + ui::Px(150) > ImGui::GetWindowPos().x + ImGui::GetWindowSize().x) ImGui::NewLine();
      DrawParts(context);
    }
    ui::Gap(6);
    Flow flow(4);
    for (int d = 0; d < rank; ++d) DrawAxis(view, f.shape, d, flow);
    ui::Gap(6);
    std::string state = absl::StrCat("rows ", view.axes.rows, " columns ", view.axes.columns, " at ", IndexText(view.axes.at));
    ui::TagFact("axes", state);
  }

  // What stands for a complex number in the picture and the figures.
  void DrawParts(PanelContext& context) {
    static constexpr const char* kWords[] = {"abs", "re", "im", "angle"};
    int chosen = static_cast<int>(part_);
    if (ui::Segments("part", {"|z|", "re", "im", "angle"}, &chosen)) context.run(absl::StrCat("window value part ", kWords[chosen]));
    ui::TagFact("part", SignOf(part_));
  }

  void DrawAxis(CanvasView& view, const Shape& shape, int d, Flow& flow) {
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().mono_small;
    PlaneAxes& axes = view.axes;
    const bool channel = mode_ == CanvasMode::kImage && view.channel == d;
    const bool fixed = d == axes.rows || d == axes.columns || channel;
    const int64_t size = shape.dim(d);
    const std::string label = d == axes.rows ? absl::StrCat("rows ", d) : d == axes.columns ? absl::StrCat("columns ", d) : channel ? absl::StrCat("channels ", d) : absl::StrCat(d, " : ");
    const std::string tail = fixed ? absl::StrCat("  ", size) : absl::StrCat(axes.at[d]);
    const std::string of = fixed ? "" : absl::StrCat(" of ", size);
    const float arrow = fixed || size <= 1 ? 0 : ui::Px(16), height = ui::Px(22);
    // The widest index decides, so that the chips stay where they are while one slides.
    const float middle = ui::Measure(font, label).x + (fixed ? ui::Measure(font, tail).x : ui::Measure(font, absl::StrCat(size)).x + ui::Measure(font, of).x) + ui::Px(14);
    flow.Next(middle + 2 * arrow);
    ImGui::PushID(d);
    ui::TagScope scope(absl::StrCat("axis:", d));
    const ImVec2 at = ImGui::GetCursorScreenPos(), end = {at.x + middle + 2 * arrow, at.y + height};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, end, fixed ? c.blue_fill : c.raised, ui::Px(4));
    ImGui::BeginGroup();
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    const auto step = [&](const char* name, int by, absl::string_view sign) {
      const ImVec2 corner = ImGui::GetCursorScreenPos();
      if (ImGui::InvisibleButton(name, {arrow, height})) axes.at[d] = std::clamp<int64_t>(axes.at[d] + by, 0, size - 1);
      const bool can = by < 0 ? axes.at[d] > 0 : axes.at[d] + 1 < size;
      ui::DrawText({corner.x + (arrow - ui::Measure(font, sign).x) / 2, corner.y + (height - font->FontSize) / 2}, ImGui::IsItemHovered() && can ? c.text : can ? c.dim : ui::Fade(c.faint, 0.5f), font, sign);
      ui::Tag(name);
    };
    if (arrow > 0) {
      step("less", -1, "<");
      ImGui::SameLine();
    }
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::InvisibleButton("role", {middle, height});
    ui::Tag("role");
    const bool hovered = ImGui::IsItemHovered();
    if (hovered && !fixed) ImGui::SetItemUsingMouseWheel();
    if (hovered && !fixed && ImGui::GetIO().MouseWheel != 0) axes.at[d] = std::clamp<int64_t>(axes.at[d] + (ImGui::GetIO().MouseWheel > 0 ? 1 : -1), 0, size - 1);
    if (ImGui::IsItemActivated()) {
      slid_ = 0;
      slid_from_ = axes.at[d];
    }
    if (ImGui::IsItemActive() && !fixed) {
      slid_ += ImGui::GetIO().MouseDelta.x;
      const double each = std::max(1.5, 240.0 / static_cast<double>(std::max<int64_t>(1, size)));
      if (std::fabs(slid_) > ui::Px(3)) axes.at[d] = std::clamp<int64_t>(slid_from_ + static_cast<int64_t>(std::llround(slid_ / ui::Px(static_cast<float>(each)))), 0, size - 1);
    }
    if (ImGui::IsItemDeactivated() && std::fabs(slid_) <= ui::Px(3)) ImGui::OpenPopup("roles");
    float x = corner.x + ui::Px(7);
    const float y = corner.y + (height - font->FontSize) / 2;
    ui::DrawText({x, y}, fixed ? c.text : c.dim, font, label);
    x += ui::Measure(font, label).x;
    ui::DrawText({x, y}, fixed ? c.dim : c.text, font, tail);
    x += ui::Measure(font, tail).x;
    ui::DrawText({x, y}, c.faint, font, of);
    ui::Tooltip(fixed ? "Dimension's place: click to change it" : "Drag or turn the wheel to slide; click to lay it down or across");
    if (arrow > 0) {
      ImGui::SameLine();
      step("more", 1, ">");
    }
    ImGui::PopStyleVar();
    ImGui::EndGroup();
    if (ImGui::BeginPopup("roles")) {
      static constexpr const char* kRoles[] = {"Rows", "Columns", "Slide", "Channels (image)"};
      for (int role = 0; role < 4; ++role) {
        if (ImGui::Selectable(kRoles[role])) SetRole(view, d, role);
        ui::Tag(kRoles[role]);
      }
      ImGui::EndPopup();
    }
    ImGui::PopID();
  }

  void DrawColours(const ValueFacts& f) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(12), ui::Px(10)});
    if (ImGui::BeginPopup("colours popup")) {
      ui::TagScope scope("colours");
      ui::Text("Scale", ui::Colors().dim, ui::Type().small);
      ui::Segments("ramp", {"By sign", "One way", "Two ways", "Gray"}, &ramp_);
      ui::Gap(8);
      ui::Text("Range", ui::Colors().dim, ui::Type().small);
      ui::Segments("range", {"Whole value", "What is seen"}, &range_);
      ui::Gap(8);
      ui::Text("A cell of several elements shows their", ui::Colors().dim, ui::Type().small);
      ui::Segments("shows", {"Mean", "Least", "Greatest"}, &shows_);
      ui::Gap(8);
      ui::Toggle("log", "Logarithmic", &log_, "Sizes, from the smallest that is not zero");
      ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
  }

  ColorScale ScaleFor(const ValueFacts& f) const {
    double low = f.statistics.min, high = f.statistics.max;
    const bool other = what_ != PlaneOf::kValue;
    if ((range_ == 1 || other) && data_ != nullptr) {
      low = high = 0;
      bool first = true;
      for (const Plane& plane : data_->planes) {
        if (plane.finite == 0) continue;
        low = first ? plane.low : std::min(low, plane.low);
        high = first ? plane.high : std::max(high, plane.high);
        first = false;
      }
    }
    if (mode_ == CanvasMode::kImage && !other) ImageRange(f.shape.element_type(), &low, &high);
    ColorScale scale = FitScale(low, high);
    if (ramp_ == 1) scale.ramp = ColorRamp::kSequential;
    if (ramp_ == 2) scale.ramp = ColorRamp::kDiverging;
    if (ramp_ == 3 || (mode_ == CanvasMode::kImage && ramp_ == 0)) scale.ramp = ColorRamp::kGray;
    scale.log = log_;
    scale.least = other ? 0 : f.least_size;
    scale.dark = ui::TheLook().scheme == ui::Scheme::kDark;
    return scale;
  }

  void DrawCanvas(PanelContext& context, CanvasView& view, const ValueFacts& f, float height) {
    const ui::Palette& c = ui::Colors();
    const int64_t rows = PlaneRows(f.shape, view.axes), columns = PlaneColumns(f.shape, view.axes);
    const ImVec2 room = {ImGui::GetContentRegionAvail().x, std::max(ui::Px(60), height)};
    if (!side_.comparing()) what_ = PlaneOf::kValue;
    Ask(context, view, f, rows, columns, room);
    const ColorScale scale = ScaleFor(f);
    CanvasMarks marks;
    if (!selected_.empty()) {
      marks.has_selected = true;
      for (int d = 0; d < f.shape.rank(); ++d) {
        const bool channel = mode_ == CanvasMode::kImage && d == view.channel;
        if (d == view.axes.rows) marks.selected_row = selected_[d];
        else if (d == view.axes.columns) marks.selected_column = selected_[d];
        else if (!channel && selected_[d] != view.axes.at[d]) marks.has_selected = false;
      }
    }
    const CanvasEvents events = canvas_.Draw(mode_, view, rows, columns, room, data_, scale, static_cast<CellShows>(shows_), marks);
    hovered_.clear();
    if (events.hovered) hovered_ = PlaneIndex(view.axes, events.row, events.column);
    if (events.clicked) context.select(name_.instruction, PlaneIndex(view.axes, events.row, events.column));
    // The legend, and what the plane is.
    ui::Gap(6);
    if (mode_ != CanvasMode::kTable && !(mode_ == CanvasMode::kImage && view.channel >= 0)) DrawLegend(scale);
    std::string text;
    if (IsComplex(f.shape.element_type())) absl::StrAppend(&text, SignOf(part_), " \u00b7 ");
    if (what_ != PlaneOf::kValue) absl::StrAppend(&text, what_ == PlaneOf::kUlp ? "ULP from " : "difference from ", side_.compared_with(), " \u00b7 ");
    if (view.axes.rows >= 0) absl::StrAppend(&text, "rows dim ", view.axes.rows, " \u00b7 ");
    if (view.axes.columns >= 0) absl::StrAppend(&text, "columns dim ", view.axes.columns, " \u00b7 ");
    absl::StrAppend(&text, rows, " \u00d7 ", columns);
    if (data_ != nullptr && !data_->planes.empty() && mode_ != CanvasMode::kTable) {
      const PlaneWindow& w = data_->planes[0].window;
      if (w.row_step > 1 || w.column_step > 1) absl::StrAppend(&text, " \u00b7 a pixel is ", w.row_step, " \u00d7 ", w.column_step);
      else if (w.rows < rows || w.columns < columns) absl::StrAppend(&text, " \u00b7 window ", w.rows, " \u00d7 ", w.columns);
      if (data_->planes[0].sampled) absl::StrAppend(&text, ", sampled");
      ui::TagFact("window", absl::StrCat(w.row, "+", w.rows, " ", w.column, "+", w.columns, " step ", w.row_step, " ", w.column_step));
      ui::TagFact("cells", absl::StrCat(data_->planes[0].cells.size()));
    }
    ui::TextCut(text, c.faint, ui::Type().small);
  }

  void DrawLegend(const ColorScale& scale) {
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().mono_small;
    const bool truth = facts_shown_ != nullptr && facts_shown_->shape.element_type() == ElementType::kPred && what_ == PlaneOf::kValue;
    const std::string low = truth ? "false" : ShortNumber(scale.NumberAt(0)), high = truth ? "true" : ShortNumber(scale.NumberAt(1));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = ui::Measure(font, low).x + ui::Px(8), right = ui::Measure(font, high).x + ui::Px(8);
    const float width = std::clamp(ImGui::GetContentRegionAvail().x - left - right - ui::Px(10), ui::Px(24), ui::Px(180)), height = ui::Px(8), top = at.y + ui::Px(4);
    ui::DrawText({at.x, at.y + ui::Px(1)}, c.dim, font, low);
    constexpr int kSteps = 32;
    for (int k = 0; k < kSteps; ++k) {
      const float x = at.x + left + width * static_cast<float>(k) / kSteps;
      ImGui::GetWindowDrawList()->AddRectFilled({x, top}, {x + width / kSteps + 1, top + height}, scale.ColorAt((k + 0.5) / kSteps));
    }
    ui::DrawText({at.x + left + width + ui::Px(8), at.y + ui::Px(1)}, c.dim, font, absl::StrCat(high, scale.log ? "  log" : ""));
    ImGui::Dummy({1, ui::Px(17)});
    ui::TagFact("legend", absl::StrCat(low, " .. ", high));
  }

  void Ask(PanelContext& context, CanvasView& view, const ValueFacts& f, int64_t rows, int64_t columns, ImVec2 room) {
    const CanvasWish wish = canvas_.Wish(mode_, view, rows, columns, room);
    if (wish.empty()) return;
    const std::string compare = what_ == PlaneOf::kValue ? "" : side_.compared_with();
    const std::string key = absl::StrCat(key_, view.axes.rows, ",", view.axes.columns, ",", IndexText(view.axes.at), wish.Key(), ",", wish.channels == 3 ? view.channel : -1, ",", static_cast<int>(what_), compare, SignOf(part_));
    const std::shared_ptr<const CanvasData> data =
        planes_.Get(context.engine, key, [name = name_, axes = view.axes, wish, channel = view.channel, what = what_, compare, part = part_](Session::State& s) -> absl::StatusOr<CanvasData> {
          const absl::StatusOr<Value> whole = ValueOfLeaf(s, name);
          if (!whole.ok()) return whole.status();
          const auto drawn = [part](const Value& v) { return part != ComplexPart::kMagnitude && IsComplex(v.shape().element_type()) ? PartOfComplex(v, part) : v; };
          absl::StatusOr<Value> value = drawn(*whole);
          CanvasData data;
          data.of = name;
          data.what = what;
          absl::StatusOr<Value> other = Value();
          if (!compare.empty()) other = ValueOfExpression(s, compare);
          if (!other.ok()) return other.status();
          const bool beside = other->has_value();
          data.truth = !beside && whole->shape().element_type() == ElementType::kPred;
          if (beside) other = drawn(*other);
          if (beside && !Shape::SameDimensions(other->shape(), value->shape())) return absl::InvalidArgumentError("other dimensions");
          PlaneAxes at = FitAxes(value->shape(), axes);
          for (int k = 0; k < wish.channels; ++k) {
            if (wish.channels == 3) at.at[channel] = std::min<int64_t>(k, value->shape().dim(channel) - 1);
            data.planes.push_back(MakePlane(*value, at, wish.window, beside ? what : PlaneOf::kValue, beside ? &*other : nullptr));
          }
          if (wish.texts) {
            if (!beside) {
              data.texts = WindowTexts(*whole, at, wish.window);
            } else {
              for (const PlaneCell& cell : data.planes[0].cells) data.texts.push_back(cell.nan > 0 ? "nan" : cell.plus_inf > 0 ? "inf" : cell.minus_inf > 0 ? "-inf" : absl::StrFormat("%.6g", cell.mean));
            }
          }
          return data;
        });
    if (data != nullptr) data_ = data;
    // What is left of another value is not drawn.
    if (data_ != nullptr && (!(data_->of == name_) || data_->planes.empty() || data_->planes[0].axes.rows != view.axes.rows || data_->planes[0].axes.columns != view.axes.columns)) data_ = nullptr;
  }

  void Reveal(CanvasView& view) {
    for (size_t d = 0; d < selected_.size(); ++d) {
      if (static_cast<int>(d) != view.axes.rows && static_cast<int>(d) != view.axes.columns) view.axes.at[d] = selected_[d];
    }
    canvas_.Reveal(mode_, view, view.axes.rows >= 0 ? selected_[view.axes.rows] : 0, view.axes.columns >= 0 ? selected_[view.axes.columns] : 0);
  }

  // -- State --
  uint64_t program_ = 0, seen_selection_ = ~uint64_t{0};
  const Instruction* target_ = nullptr;  // selected or pinned
  ValueName name_;                       // what is shown: the target, or an operand of it
  std::string key_;                      // of questions about it
  std::string ahead_key_;                // the moment and instruction that is looked at ahead
  bool pinned_ = false, reveal_ = false;
  std::deque<const Instruction*> history_;
  std::map<std::pair<const Instruction*, int>, CanvasView> views_;
  std::map<const Instruction*, int> leaves_, operand_;
  CanvasMode mode_ = CanvasMode::kMap;
  bool log_ = false;
  ComplexPart part_ = ComplexPart::kMagnitude;
  std::string moment_, typed_moment_;          // looked at instead of now; empty: now
  const Computation* moment_of_ = nullptr;     // of values in this computation
  int ramp_ = 0, range_ = 0, shows_ = 0;
  PlaneOf what_ = PlaneOf::kValue;
  ValueCanvas canvas_;
  std::vector<int64_t> selected_, hovered_;
  float slid_ = 0;
  int64_t slid_from_ = 0;
  ValueSide side_;
  std::shared_ptr<const CanvasData> data_;
  std::shared_ptr<const ValueFacts> facts_shown_;
  Live<Standing> standing_;
  Live<ValueFacts> facts_;
  Live<CanvasData> planes_;
};

}  // namespace

std::unique_ptr<Panel> MakeValuePanel() { return std::make_unique<ValuePanel>(); }

}  // namespace hloscope
