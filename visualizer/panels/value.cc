// The value panel: what is shown, and its commands.
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/ops/leaf_flow.h"
#include "imgui_internal.h"
#include "visualizer/panels/chips.h"
#include "visualizer/panels/value_panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

constexpr float kSideWidth = 256, kLeastSideWidth = 196;  // with room for its buttons
constexpr size_t kHistory = 6;

std::string LeafLabel(const Shape& shape, int leaf) { return absl::StrCat(LeafPathText(shape, leaf), " ", ShapeText(LeafShape(shape, leaf))); }

bool WithinShape(const Shape& shape, const std::vector<int64_t>& index) {
  for (int d = 0; d < shape.rank(); ++d) {
    if (index[d] < 0 || index[d] >= shape.dim(d)) return false;
  }
  return true;
}

}  // namespace

void ValuePanel::Draw(PanelContext& context) {
  Follow(context);
  if (target() == nullptr) {
    ui::EmptyHint(ui::Icon::kTable, "The value of the selected instruction: table, heat map, image, bits and statistics.", "Select an instruction in the program or the graph.");
    return;
  }
  const std::string moment = absl::StrCat(context.now.program_generation, ",", context.now.moment_generation, ",", context.now.selected_frame, ",");
  const Instruction* shown = target();
  const std::shared_ptr<const Standing> standing =
      standing_.Get(context.engine, absl::StrCat(moment, reinterpret_cast<uintptr_t>(shown)), [shown](Session::State& s) -> absl::StatusOr<Standing> { return StandingOf(s, *shown); });
  const ImVec2 whole = ImGui::GetContentRegionAvail();
  if (whole.y >= ui::Px(whole.x < ui::Px(400) ? 260 : 200)) DrawHistory(context);  // a low panel is for the value
  if (standing == nullptr || standing->of != shown) {
    // The engine is at something else: what is known of the value meanwhile is its shape.
    const std::string what = context.engine.activity().what;
    if (!what.empty()) Waiting(absl::StrCat(Cut(ShapeText(shown->shape), 200), what == "looking" ? ": computing ..." : absl::StrCat(": waits for ", what)));
    return;
  }
  name_ = {shown, 0};
  if (moment_of_ != shown->parent) moment_.clear();
  iteration_ = moment_.empty() ? standing->iteration : "";  // another moment is told by itself
  if (ahead_key_ != absl::StrCat(moment, reinterpret_cast<uintptr_t>(shown))) ahead_key_.clear();
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
  if (name_.instruction != nullptr && IsOfBeforeEdit(context, *name_.instruction)) {
    ui::TextCut(absl::StrCat("of the program as it ran: ", ShownName(*name_.instruction), ", or what it is computed from, was changed since"),
                ui::Colors().orange, ui::Type().small);
    ui::TagFact("before-edit", name_.instruction->name);
    ui::Gap(4);
  }
  if (name_.instruction->literal != nullptr) iteration_.clear();  // the same in each
  name_.leaf = LeafOfView(*name_.instruction);
  ui::TagFact("of", name_.instruction->name);
  key_ = absl::StrCat(moment, reinterpret_cast<uintptr_t>(name_.instruction), ",", name_.leaf, name_.ahead ? "a," : ",", name_.moment, ",");
  DrawValue(context);
}

void ValuePanel::Save(nlohmann::json& to) const {
  to["mode"] = static_cast<int>(mode_);
  to["log"] = log_;
  to["part"] = static_cast<int>(part_);
}

void ValuePanel::Load(const nlohmann::json& from) {
  mode_ = static_cast<CanvasMode>(std::clamp(from.value("mode", 0), 0, 2));
  log_ = from.value("log", false);
  part_ = static_cast<ComplexPart>(std::clamp(from.value("part", 0), 0, 3));
}

// Of commands that need a value: why they cannot do what they say. Empty: they can.
std::string ValuePanel::WhyNot(absl::string_view word) const {
  static constexpr absl::string_view kOfAValue[] = {"fit", "compare", "difference", "ulp",     "why",   "copy", "array",
                                                    "at",  "moment",  "rows",       "columns", "slide", "channels"};
  if (std::find(std::begin(kOfAValue), std::end(kOfAValue), word) == std::end(kOfAValue)) return "";
  if (target() == nullptr) return "there is no value to look at; select an instruction first";
  if (word == "moment" || word == "compare") return "";
  if (name_.instruction == nullptr) return absl::StrCat(ShownName(*target()), " has no value yet");
  if ((word == "difference" || word == "ulp") && !side_.comparing()) {
    return absl::StrCat("nothing is compared; window value compare %OTHER does that, then window value ", word, " shows it");
  }
  const bool element = !selected_.empty() || (facts_shown_ != nullptr && HasElementToAskOf(*facts_shown_));
  if (word == "why" && !element) return "why is asked of one element: click one, or window select %x[0,1]";
  return "";
}

bool ValuePanel::Command(PanelContext& context, absl::string_view args, std::string* error) {
  const absl::string_view word = TakeWord(args);
  int number = 0;
  if (*error = WhyNot(word); !error->empty()) return false;
  CanvasView* view = name_.instruction != nullptr ? &ViewOf(name_) : nullptr;
  if (word == "map" || word == "table" || word == "image") {
    mode_ = word == "map" ? CanvasMode::kMap : word == "table" ? CanvasMode::kTable : CanvasMode::kImage;
    reveal_ = true;  // what is selected is seen there too
    if (view != nullptr) view->fitted = true;
  } else if (word == "pin" || word == "unpin") {
    followed_.Pin(word == "pin");
  } else if (word == "log") {
    log_ = args != "off";
  } else if (word == "ramp" || word == "range" || word == "shows") {
    const absl::Span<const absl::string_view> words = word == "ramp"    ? absl::MakeConstSpan(kValueRamps)
                                                      : word == "range" ? absl::MakeConstSpan(kValueRanges)
                                                                        : absl::MakeConstSpan(kValueShows);
    const auto chosen = std::find(words.begin(), words.end(), args);
    if (chosen == words.end()) {
      *error = absl::StrCat("window value ", word, " takes one of ", absl::StrJoin(words, ", "));
      return false;
    }
    (word == "ramp" ? ramp_ : word == "range" ? range_ : shows_) = static_cast<int>(chosen - words.begin());
  } else if (word == "fit") {
    view->fitted = true;
  } else if (word == "array") {
    *error = ChooseLeaf(context, args);
    return error->empty();
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
    if (args.empty()) {
      *error = "window value moment takes a moment, as: iteration 3 (of the value's loop), call 2, or now";
      return false;
    }
    moment_ = args == "now" ? "" : std::string(args);
    moment_of_ = target()->parent;
  } else if (word == "why") {
    side_.WantWhy();
  } else if (word == "copy") {
    side_.WantCopy();
  } else if (const auto role = std::find(std::begin(kValueRoles), std::end(kValueRoles), word);
             role != std::end(kValueRoles) && absl::SimpleAtoi(args, &number) && number >= 0 &&
             number < static_cast<int>(view->axes.at.size())) {
    SetRole(*view, number, static_cast<int>(role - std::begin(kValueRoles)));
  } else if (word == "at") {
    const std::vector<std::string> parts = absl::StrSplit(args, ' ', absl::SkipEmpty());
    int64_t at = 0;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &number) || !absl::SimpleAtoi(parts[1], &at) || number < 0 || number >= static_cast<int>(view->axes.at.size())) {
      *error = "window value at takes a dimension and an index";
      return false;
    }
    view->axes.at[number] = at;
  } else {
    *error = absl::StrCat("window value ", word, " takes the number of a dimension",
                          view->axes.at.empty() ? ", and this value has none" : absl::StrCat(", from 0 to ", view->axes.at.size() - 1));
    return false;
  }
  return true;
}

void ValuePanel::Follow(PanelContext& context) {
  const Followed::News news = followed_.Look(context);
  if (news.program) {
    name_ = {};
    history_.clear();
    views_.clear();
    leaves_.clear();
    operand_.clear();
    side_.Clear();
    data_ = nullptr;
    facts_shown_ = nullptr;
  }
  if (news.selection && !context.selection.element.empty()) reveal_ = true;
  if (news.selection && context.selection.leaf >= 0) leaves_[context.selection.instruction] = context.selection.leaf;
  if (target() != nullptr && target() == context.selection.instruction) KeepChip(target());
  if (target() == nullptr) followed_.Show(Result(context.now));
}

void ValuePanel::KeepChip(const Instruction* instruction) {
  if (std::find(history_.begin(), history_.end(), instruction) != history_.end()) return;
  history_.push_front(instruction);
  if (history_.size() > kHistory) history_.pop_back();
}

int ValuePanel::LeafOfView(const Instruction& instruction) {
  const int count = LeafCountOf(instruction.shape);
  auto [it, added] = leaves_.try_emplace(&instruction, 0);
  if (added && &instruction != instruction.parent->root) {
    // The largest: a loop's counter says little. Of what the program comes to the first.
    for (int leaf = 0; leaf < std::min(count, 64); ++leaf) {
      if (LeafShape(instruction.shape, leaf).ElementCount() > LeafShape(instruction.shape, it->second).ElementCount()) it->second = leaf;
    }
  }
  return std::clamp(it->second, 0, std::max(0, count - 1));
}

CanvasView& ValuePanel::ViewOf(const ValueName& name) {
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

void ValuePanel::DrawHistory(PanelContext& context) {
  const float pin = ui::Px(26);
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushClipRect(at, {right - pin, at.y + ui::Px(26)}, true);
  bool first = true;
  const Instruction* go = nullptr;
  for (const Instruction* instruction : history_) {
    const std::string called = NameInText(*instruction);
    const float width = ChipWidth(called, 130);
    if (!first) ImGui::SameLine(0, ui::Px(4));
    if (!first && ImGui::GetCursorScreenPos().x + width > right - pin) break;
    first = false;
    ImGui::PushID(instruction);
    if (Chip(absl::StrCat("shown:", instruction->name), called, instruction == target(), absl::StrCat("%", called, "  ", ShapeText(instruction->shape)), nullptr, 130)) go = instruction;
    if (ImGui::IsItemHovered()) context.selection.hover_next = instruction;
    ImGui::PopID();
  }
  ImGui::PopClipRect();
  if (go != nullptr) {
    followed_.Show(go);
    if (!followed_.pinned()) context.select(go, {});
  }
  ImGui::SetCursorScreenPos({right - ui::Px(24), at.y - ui::Px(1)});
  followed_.DrawPin(context, "value");
  ImGui::SetCursorScreenPos({at.x, at.y + ui::Px(30)});
}

void ValuePanel::DrawValue(PanelContext& context) {
  const ValueName name = name_;
  const Shape& whole = name.instruction->shape;
  if (whole.IsTuple()) DrawLeaves(context, whole);
  if (LeafCountOf(whole) == 0) {
    ui::EmptyHint(ui::Icon::kTable, absl::StrCat(ShownName(*name.instruction), " is the empty tuple (): there is nothing in it."), "");
    return;
  }
  if (!LeafShape(whole, name_.leaf).IsArray()) {
    ui::EmptyHint(ui::Icon::kTable, absl::StrCat(ShownName(*name.instruction), " is ", ShapeText(whole), " and holds no numbers here."), "Choose another part, or another instruction.");
    return;
  }
  const std::shared_ptr<const ValueFacts> facts = facts_.Get(context.engine, absl::StrCat(key_, SignOf(part_)), [name, part = part_](Session::State& s) -> absl::StatusOr<ValueFacts> {
    const absl::StatusOr<Value> value = ValueOfLeaf(s, name);
    if (!value.ok()) return value.status();
    ValueFacts facts = FactsOfValue(name, *value, part);
    facts.by_hand = ValueSetMark(s, name);
    // The lists need not look again. A figure of a part of complex numbers says nothing to them.
    const bool now = name.moment.empty() && !name.ahead && name.instruction->shape.IsArray() && !IsComplex(name.instruction->shape.element_type());
    if (const int depth = now && s.visible() ? s.FrameThatShows(*name.instruction) : -1; depth >= 0) Remember(s, depth, *name.instruction, *value, facts.statistics);
    return facts;
  });
  if (facts != nullptr) facts_shown_ = facts;
  if (facts == nullptr && facts_.fresh()) {
    ui::EmptyHint(ui::Icon::kTable, absl::StrCat(ShownName(*name.instruction), " cannot be shown."), facts_.status().message());
    return;
  }
  if (facts_shown_ == nullptr || !(facts_shown_->of == name)) {
    Waiting(absl::StrCat("computing ", ShapeText(LeafShape(whole, name.leaf)), " ..."));
    return;
  }
  const ValueFacts& f = *facts_shown_;
  DrawSetMark(f);
  if (f.shape.ElementCount() == 0) {
    ui::EmptyHint(ui::Icon::kTable, absl::StrCat(ShownName(*name.instruction), " is ", ShapeText(f.shape), ": it has no elements."), "");
    return;
  }
  CanvasView& view = ViewOf(name);
  view.axes = FitAxes(f.shape, view.axes);
  // A vector stands in the table, where its numbers may be wide, and lies in a picture.
  if (f.shape.rank() == 1 && (view.laid_in == CanvasMode::kTable) != (mode_ == CanvasMode::kTable)) std::swap(view.axes.rows, view.axes.columns);
  view.laid_in = mode_;
  const ImVec2 room = ImGui::GetContentRegionAvail();
  // Where there is more width than height, what is said of the value stands beside it too.
  const bool wide = room.x >= ui::Px(520) || (room.y < ui::Px(169) && room.x >= ui::Px(320)) || (room.x >= ui::Px(400) && room.x > room.y * 1.2f);
  selected_.clear();
  const Selection& chosen = context.selection;
  if (chosen.instruction == name.instruction && (chosen.leaf < 0 || chosen.leaf == name.leaf) && static_cast<int>(chosen.element.size()) == f.shape.rank() &&
      WithinShape(f.shape, chosen.element)) {
    selected_ = chosen.element;
  }
  if (reveal_ && !selected_.empty()) Reveal(view);
  reveal_ = false;
  if (f.shape.rank() == 0) {
    // One number needs no picture.
    hovered_.clear();
    ImGui::BeginChild("number", {0, 0}, false);
    side_.Draw({context, name_, key_, iteration_, f, view.axes, selected_, hovered_, &what_, mode_ == CanvasMode::kImage ? view.channel : -1, ScaleFor(f), static_cast<CellShows>(shows_)});
    ImGui::EndChild();
  } else if (wide) {
    const float side = std::min(ui::Px(kSideWidth), std::max(room.x * 0.42f, std::min(ui::Px(kLeastSideWidth), room.x * 0.55f))), left = room.x - side - ui::Px(14);
    ImGui::BeginChild("left", {left, 0}, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    DrawTools(context, view, f);
    DrawCanvas(context, view, f, ImGui::GetContentRegionAvail().y - ui::Px(46));
    ImGui::EndChild();
    ImGui::SameLine(0, ui::Px(14));
    ImGui::BeginChild("side", {0, 0}, false);
    side_.Draw({context, name_, key_, iteration_, f, view.axes, selected_, hovered_, &what_, mode_ == CanvasMode::kImage ? view.channel : -1, ScaleFor(f), static_cast<CellShows>(shows_)});
    ImGui::EndChild();
  } else {
    ImGui::BeginChild("all", {0, 0}, false);
    DrawTools(context, view, f);
    // What it looks like, and what its colours mean, is seen as a whole; what is said of it is below.
    const float rest = std::max(ui::Px(72), ImGui::GetContentRegionAvail().y - ui::Px(46));
    DrawCanvas(context, view, f, std::min({std::max(ui::Px(150), ImGui::GetContentRegionAvail().x * 0.8f), std::max(ui::Px(150), room.y * 0.6f), rest}));
    ui::Gap(6);
    const bool in_sight = ImGui::GetCursorScreenPos().y + ui::Px(40) < ImGui::GetWindowPos().y + ImGui::GetWindowHeight();
    side_.Draw({context, name_, key_, iteration_, f, view.axes, selected_, hovered_, &what_, mode_ == CanvasMode::kImage ? view.channel : -1, ScaleFor(f), static_cast<CellShows>(shows_)});
    ImGui::EndChild();
    // Else what is hovered would be said where nobody sees it.
    if (const ElementFacts* e = side_.element(); !in_sight && e != nullptr && !hovered_.empty() && e->index == hovered_) {
      ImGui::SetTooltip("%s", absl::StrCat(IndexText(e->index), " = ", e->text, "\nlinear ", e->linear, e->physical != e->linear ? absl::StrCat(", physical ", e->physical) : "").c_str());
    }
  }
  if (context.focused && !ImGui::GetIO().WantTextInput) MoveByKeys(context, view, f.shape);
}

// Below the head; a low panel is for the value.
void ValuePanel::DrawSetMark(const ValueFacts& f) {
  ui::TagFact("by-hand", f.by_hand.empty() ? "no" : f.by_hand);
  if (f.by_hand.empty() || ImGui::GetContentRegionAvail().y < ui::Px(170)) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kEdit, {at.x, at.y + ui::Px(1)}, ui::Px(12), ui::Colors().dim);
  ImGui::SetCursorScreenPos({at.x + ui::Px(18), at.y});
  ui::TextCut(f.by_hand, ui::Colors().dim, ui::Type().small);
  ui::Gap(4);
}

void ValuePanel::MoveByKeys(PanelContext& context, const CanvasView& view, const Shape& shape) {
  const int down = ui::Pressed("Down", true) - ui::Pressed("Up", true), right = ui::Pressed("Right", true) - ui::Pressed("Left", true);
  if ((down == 0 && right == 0) || shape.rank() == 0) return;
  std::vector<int64_t> index = selected_.empty() ? PlaneIndex(view.axes, 0, 0) : selected_;
  const auto move = [&](int d, int by) {
    if (d >= 0 && !selected_.empty()) index[d] = std::clamp<int64_t>(index[d] + by, 0, shape.dim(d) - 1);
  };
  move(view.axes.rows, down);
  move(view.axes.columns, right);
  context.select_in(name_.instruction, name_.leaf, index);
  reveal_ = true;
}

std::string ValuePanel::ChooseLeaf(PanelContext& context, absl::string_view path) {
  const Shape& whole = name_.instruction->shape;
  const int count = LeafCountOf(whole);
  if (!whole.IsTuple()) return absl::StrCat(ShownName(*name_.instruction), " is ", ShapeText(whole), ", one array");
  int chosen = 0;
  while (chosen < count && LeafPathText(whole, chosen) != path) ++chosen;
  if (chosen == count) {
    return absl::StrCat("there is no array '", path, "' in ", ShapeText(whole), count == 0 ? "" : absl::StrCat("; its arrays are ", LeafPathText(whole, 0), " to ", LeafPathText(whole, count - 1)));
  }
  leaves_[name_.instruction] = chosen;
  name_.leaf = chosen;
  // The element of the same index is selected in it, where there is one.
  if (const Selection& selection = context.selection; selection.instruction == name_.instruction && selection.leaf >= 0) {
    const Shape& shape = LeafShape(whole, chosen);
    const bool within = static_cast<int>(selection.element.size()) == shape.rank() && WithinShape(shape, selection.element);
    context.select_in(name_.instruction, chosen, within ? selection.element : std::vector<int64_t>());
  }
  return "";
}

void ValuePanel::DrawLeaves(PanelContext& context, const Shape& whole) {
  const int count = LeafCountOf(whole);
  if (count == 0) return;
  std::vector<std::string> labels;
  for (int leaf = 0; leaf < std::min(count, 400); ++leaf) labels.push_back(LeafLabel(whole, leaf));
  int chosen = name_.leaf;
  if (ui::Combo("leaf", labels, &chosen, 200)) context.run(absl::StrCat("window value array ", LeafPathText(whole, chosen)));
  const float line = ImGui::GetItemRectMin().y + std::floor((ImGui::GetItemRectSize().y - ui::Type().ui->FontSize) / 2);
  ImGui::SameLine(0, ui::Px(8));
  const float top = ImGui::GetCursorScreenPos().y;
  ImGui::SetCursorScreenPos({ImGui::GetCursorScreenPos().x, std::max(top, line)});
  const auto elements = static_cast<int64_t>(whole.tuple_shapes().size());
  ui::TextCut(count == elements ? absl::StrCat("of a tuple of ", count) : absl::StrCat("of ", count, " arrays in a tuple of ", Count(elements, "element")), ui::Colors().faint);
  ui::Gap(2);
}

std::unique_ptr<Panel> MakeValuePanel() { return std::make_unique<ValuePanel>(); }

}  // namespace hloscope
