// The graph panel: what it draws in which order, its commands, what it keeps and says of itself. What is expanded: graph_wish.cc; where one
// looks and what is lit up: graph_look.cc; the canvas and the mouse: graph_canvas.cc; what stands round it: graph_bars.cc.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "visualizer/panels/graph_panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr float kMissingHeight = 40, kFocusHeight = 28;
constexpr int kMostHops = 99;

}  // namespace

void GraphPanel::Draw(PanelContext& context) {
  const Snapshot& now = context.now;
  Follow(context);
  if (now.module == nullptr || now.session == nullptr) {
    ui::EmptyHint(ui::Icon::kGraph, now.phase == Phase::kBroken ? "The program's graph, as soon as the program can be read." : "The program as a graph: scopes and computations that expand, with the stop on it.",
                  now.phase == Phase::kBroken ? "Its problems are listed in the Problems panel." : "Open a program with Ctrl+O.");
    return;
  }
  DrawToolbar(context);
  ImVec2 min = ImGui::GetCursorScreenPos();
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImVec2 max = {min.x + room.x, min.y + room.y};
  if (room.x < 20 || room.y < 20) return;
  // The legend has a strip of its own: it lies over nothing.
  const float strip = room.y < ui::Px(200) ? 0 : colours_.Missing() != nullptr ? ui::Px(kMissingHeight) : LegendHeight(room.x, 2);
  max.y -= strip;
  if (!focus_text_.empty() && room.y >= ui::Px(120)) {
    DrawFocus(context, min, {max.x, min.y + ui::Px(kFocusHeight)});
    min.y += ui::Px(kFocusHeight) + 1;
  }
  const ImVec2 before = {camera_.max().x - camera_.min().x, camera_.max().y - camera_.min().y};
  camera_.Place(min, max);
  if (scene_ != nullptr && (max.x - min.x != before.x || max.y - min.y != before.y)) LookAgain();
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

void GraphPanel::Save(nlohmann::json& to) const {
  to["colour"] = GraphColourNames()[static_cast<int>(colour_)];
  to["hops"] = hops_;
  to["follow"] = follow_;
}

void GraphPanel::Load(const nlohmann::json& from) {
  if (!from.is_object()) return;
  if (from.contains("colour") && from["colour"].is_string()) colour_ = ParseGraphColour(from["colour"].get<std::string>()).value_or(colour_);
  if (from.contains("hops") && from["hops"].is_number_integer()) hops_ = std::clamp(from["hops"].get<int>(), 1, kMostHops);
  if (from.contains("follow") && from["follow"].is_boolean()) follow_ = from["follow"].get<bool>();
}

bool GraphPanel::Command(PanelContext& context, absl::string_view args, std::string* error) {
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
  if (word == "go") return Go(context, rest, error);
  if (word == "hops") {
    int hops = 0;
    if (!absl::SimpleAtoi(rest, &hops) || hops < 0 || hops > kMostHops) return Fail(error, absl::StrCat("hops takes a number of hops, at most ", kMostHops, "; 0 shows the whole again"));
    if (hops == 0) return Focus(context, {}, ""), true;
    if (context.selection.instruction == nullptr) return Fail(error, "select an instruction first");
    hops_ = hops;
    Around(context, *context.selection.instruction, hops);
    return true;
  }
  return Path(context, rest, error);
}

bool GraphPanel::Fail(std::string* error, std::string why) {
  *error = std::move(why);
  return false;
}

void GraphPanel::State(PanelContext& context) {
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
  std::string between, arrows;
  for (size_t k = 0; k < scene_->boxes.size(); ++k) {
    if (lights_.between.contains(static_cast<int>(k))) absl::StrAppend(&between, between.empty() ? "" : " ", scene_->boxes[k].name);
  }
  for (const SceneArrow& arrow : scene_->arrows) {
    if (lights_.slice_arrows.contains({arrow.from, arrow.to})) absl::StrAppend(&arrows, arrows.empty() ? "" : " ", scene_->boxes[arrow.from].name, ":", scene_->boxes[arrow.to].name);
  }
  ui::TagFact("slice_between", between);
  ui::TagFact("slice_arrows", arrows);
  ui::TagFact("breakpoints", absl::StrCat(lights_.breakpoints.size()));
  ui::TagFact("focus", FocusText());
  ui::TagFact("opened_ms", absl::StrFormat("%.0f", opened_ms_));
  ui::TagFact("layout_ms", absl::StrFormat("%.0f", scene_->milliseconds));
  std::string path;
  for (const Instruction* i : path_) absl::StrAppend(&path, path.empty() ? "" : " ", i->name);
  ui::TagFact("path", path);
  ui::TagFact("nan", colours_.Marked(*scene_, "NaN"));
}
std::unique_ptr<Panel> MakeGraphPanel() { return std::make_unique<GraphPanel>(); }

}  // namespace hloscope
