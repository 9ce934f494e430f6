// The value panel: its tools, and which dimension lies where.
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "imgui_internal.h"
#include "visualizer/panels/chips.h"
#include "visualizer/panels/value_panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr float kLowRest = 150;  // height below the tools from which the axes have a row

}  // namespace

void ValuePanel::SetRole(CanvasView& view, int dimension, int role) {
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

void ValuePanel::DrawTools(PanelContext& context, CanvasView& view, const ValueFacts& f) {
  const int rank = f.shape.rank();
  if (rank == 0) return;
  int mode = static_cast<int>(mode_);
  std::vector<std::string> modes = {"Map", "Table", "Image"};
  if (ui::Segments("mode", modes, &mode)) context.run(absl::StrCat("window value ", absl::AsciiStrToLower(modes[mode])));
  ui::TagFact("mode", modes[static_cast<int>(mode_)]);
  ImGui::SameLine(0, ui::Px(8));
  if (ui::IconButton("colours", ui::Icon::kChart, "Colours: range, scale, what a cell shows")) ImGui::OpenPopup("colours popup");
  DrawColours(context);
  ImGui::SameLine(0, ui::Px(2));
  if (ui::IconButton("fit", ui::Icon::kFit, "Show all of it (double click)", false, !view.fitted && mode_ != CanvasMode::kTable))
    context.run("window value fit");
  if (IsComplex(f.shape.element_type())) {
    ImGui::SameLine(0, ui::Px(8));
    if (ImGui::GetCursorScreenPos().x + ui::Px(150) > ImGui::GetWindowPos().x + ImGui::GetWindowSize().x) ImGui::NewLine();
    DrawParts(context);
  }
  ui::Gap(6);
  // In a low panel the picture goes before the axes, where there is none to slide.
  if (rank > 2 || ImGui::GetContentRegionAvail().y >= ui::Px(kLowRest)) {
    Flow flow(4);
    for (int d = 0; d < rank; ++d) DrawAxis(context, view, f.shape, d, flow);
    ui::Gap(6);
  }
  TellSliding(context, view);
  std::string state = absl::StrCat("rows ", view.axes.rows, " columns ", view.axes.columns, " at ", IndexText(view.axes.at));
  ui::TagFact("axes", state);
}

void ValuePanel::DrawParts(PanelContext& context) {
  static constexpr const char* kWords[] = {"abs", "re", "im", "angle"};
  int chosen = static_cast<int>(part_);
  if (ui::Segments("part", {"|z|", "re", "im", "angle"}, &chosen)) context.run(absl::StrCat("window value part ", kWords[chosen]));
  ui::TagFact("part", SignOf(part_));
}

// Sliding is seen at once; the command for it is told when it has come to rest.
void ValuePanel::TellSliding(PanelContext& context, const CanvasView& view) {
  constexpr double kRest = 0.4;  // seconds
  if (slid_dimension_ < 0) return;
  if (ImGui::IsMouseDown(0) || ImGui::GetTime() - slid_since_ < kRest) return ui::WantFrame();
  const int d = std::exchange(slid_dimension_, -1);
  if (d < static_cast<int>(view.axes.at.size())) context.run(absl::StrCat("window value at ", d, " ", view.axes.at[d]));
}

void ValuePanel::DrawAxis(PanelContext& context, CanvasView& view, const Shape& shape, int d, Flow& flow) {
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
    if (ImGui::InvisibleButton(name, {arrow, height}))
      context.run(absl::StrCat("window value at ", d, " ", std::clamp<int64_t>(axes.at[d] + by, 0, size - 1)));
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
  const int64_t before = axes.at[d];
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
  if (axes.at[d] != before) {
    slid_dimension_ = d;
    slid_since_ = ImGui::GetTime();
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
      if (ImGui::Selectable(kRoles[role])) context.run(absl::StrCat("window value ", kValueRoles[role], " ", d));
      ui::Tag(kRoles[role]);
    }
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

void ValuePanel::DrawColours(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(12), ui::Px(10)});
  if (ImGui::BeginPopup("colours popup")) {
    ui::TagScope scope("colours");
    ui::Text("Scale", ui::Colors().dim, ui::Type().small);
    const auto choose = [&](const char* name, const std::vector<std::string>& labels, int chosen,
                            absl::Span<const absl::string_view> words) {
      if (ui::Segments(name, labels, &chosen)) context.run(absl::StrCat("window value ", name, " ", words[chosen]));
    };
    choose("ramp", {"By sign", "One way", "Two ways", "Gray"}, ramp_, kValueRamps);
    ui::Gap(8);
    ui::Text("Range", ui::Colors().dim, ui::Type().small);
    choose("range", {"Whole value", "What is seen"}, range_, kValueRanges);
    ui::Gap(8);
    ui::Text("A cell of several elements shows their", ui::Colors().dim, ui::Type().small);
    choose("shows", {"Mean", "Least", "Greatest"}, shows_, kValueShows);
    ui::Gap(8);
    bool log = log_;
    if (ui::Toggle("log", "Logarithmic", &log, "Sizes, from the smallest that is not zero"))
      context.run(log ? "window value log" : "window value log off");
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace hloscope
