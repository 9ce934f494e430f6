#include "visualizer/panels/graph_colors.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/theme.h"

namespace hloscope {
namespace {

ImU32 ToScreen(const TintColor& color) {
  const uint32_t rgb = Rgb(color, ui::TheLook().scheme == ui::Scheme::kLight ? PaletteScheme::kLight : PaletteScheme::kDark);
  return IM_COL32((rgb >> 16) & 0xff, (rgb >> 8) & 0xff, rgb & 0xff, 0xff);
}

}  // namespace

const std::vector<CardTint>& GraphColours::Tints(Engine& engine, const Snapshot& now, const std::shared_ptr<const Scene>& scene, GraphColour by) {
  figures_ = nullptr;
  Live<InstructionFigures>& live = live_[static_cast<int>(by)];
  if (now.session != nullptr) {
    // Times and errors change with commands, health with the moment too.
    const std::string key = absl::StrCat(now.program_generation, " ", by == GraphColour::kHealth ? now.moment_generation : now.generation, " ", round_);
    const auto ask = [&](InstructionFigures (*make)(Session::State&)) {
      figures_ = live.Get(engine, key, [make](Session::State& s) -> absl::StatusOr<InstructionFigures> { return make(s); });
    };
    if (by == GraphColour::kTime) ask(TimeFigures);
    if (by == GraphColour::kHealth) ask(HealthFigures);
    if (by == GraphColour::kError) ask(ErrorFigures);
    if (figures_ != nullptr && figures_ != asked_on_ && figures_->more && live.fresh()) {
      asked_on_ = figures_;
      ++round_;
      ui::WantFrame();
    }
  }
  if (scene != painted_scene_ || by != painted_by_ || figures_ != painted_figures_ || painted_text_ != ui::Colors().text || tints_.size() != scene->boxes.size()) {
    painted_scene_ = scene;
    painted_by_ = by;
    painted_figures_ = figures_;
    painted_text_ = ui::Colors().text;
    TintFigures figures;
    if (figures_ != nullptr) figures = {&figures_->of, figures_->total, &figures_->calls, &figures_->by_call, figures_->worst_of};
    const SceneTints painted = PaintScene(*scene, by, figures);
    tints_.clear();
    legend_.clear();
    for (const GraphTint& tint : painted.boxes) tints_.push_back({ToScreen(tint.bar), tint.note});
    for (const TintLegendRow& row : painted.legend) legend_.push_back({ToScreen(row.color), row.text});
  }
  return tints_;
}

std::string GraphColours::Marked(const Scene& scene, absl::string_view note) const {
  std::string names;
  for (size_t k = 0; k < tints_.size() && k < scene.boxes.size(); ++k) {
    if (absl::StartsWith(tints_[k].note, note)) absl::StrAppend(&names, names.empty() ? "" : " ", scene.boxes[k].name);
  }
  return names;
}

}  // namespace hloscope
