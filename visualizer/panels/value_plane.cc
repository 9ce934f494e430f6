// The value panel: the plane that is looked at, its colours, and the question for it.
#include "visualizer/panels/value_panel.h"

#include <cmath>

#include "core/literal/format.h"
#include "core/ops/leaf_flow.h"
#include "visualizer/model/range_text.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

ColorScale ValuePanel::ScaleFor(const ValueFacts& f) const {
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
  if (f.shape.element_type() == ElementType::kPred && !other) {
    low = 0;  // false and true have their colours, also where there is one of them
    high = 1;
  }
  ColorScale scale = FitScale(low, high);
  if (ramp_ == 1) scale.ramp = ColorRamp::kSequential;
  if (ramp_ == 2) scale.ramp = ColorRamp::kDiverging;
  if (ramp_ == 3 || (mode_ == CanvasMode::kImage && ramp_ == 0)) scale.ramp = ColorRamp::kGray;
  scale.log = log_ && f.shape.element_type() != ElementType::kPred;  // two truth values have no sizes
  scale.least = other ? 0 : f.least_size;
  scale.dark = ui::TheLook().scheme == ui::Scheme::kDark;
  return scale;
}

CanvasMarks ValuePanel::Marks(const CanvasView& view) const {
  CanvasMarks marks;
  marks.has_selected = !selected_.empty();
  for (int d = 0; d < static_cast<int>(selected_.size()); ++d) {
    const bool channel = mode_ == CanvasMode::kImage && d == view.channel;
    if (d == view.axes.rows) marks.selected_row = selected_[d];
    else if (d == view.axes.columns) marks.selected_column = selected_[d];
    else if (!channel && selected_[d] != view.axes.at[d]) marks.has_selected = false;
  }
  return marks;
}

void ValuePanel::DrawCanvas(PanelContext& context, CanvasView& view, const ValueFacts& f, float height) {
  const ui::Palette& c = ui::Colors();
  const int64_t rows = PlaneRows(f.shape, view.axes), columns = PlaneColumns(f.shape, view.axes);
  const ImVec2 room = {ImGui::GetContentRegionAvail().x, std::max(ui::Px(60), height)};
  if (!side_.comparing()) what_ = PlaneOf::kValue;
  Ask(context, view, f, rows, columns, room);
  const ColorScale scale = ScaleFor(f);
  const CanvasEvents events = canvas_.Draw(mode_, view, rows, columns, room, data_, scale, static_cast<CellShows>(shows_), Marks(view));
  hovered_.clear();
  if (events.hovered) hovered_ = PlaneIndex(view.axes, events.row, events.column);
  if (events.clicked) context.select_in(name_.instruction, name_.leaf, PlaneIndex(view.axes, events.row, events.column));
  // The legend, and what the plane is.
  ui::Gap(6);
  const bool any_finite = f.statistics.finite > 0 || what_ != PlaneOf::kValue;  // else nothing has a colour of the scale
  if (any_finite && mode_ != CanvasMode::kTable && !(mode_ == CanvasMode::kImage && view.channel >= 0)) DrawLegend(scale);
  std::string text;
  if (IsComplex(f.shape.element_type())) absl::StrAppend(&text, SignOf(part_), " \u00b7 ");
  if (what_ != PlaneOf::kValue) absl::StrAppend(&text, what_ == PlaneOf::kUlp ? "ULP from " : "difference from ", side_.compared_with(), " \u00b7 ");
  if (view.axes.rows >= 0) absl::StrAppend(&text, "rows dim ", view.axes.rows, " \u00b7 ");
  const bool gathered = events.plotted && data_ != nullptr && !data_->planes.empty() && data_->planes[0].window.column_step > 1;
  if (view.axes.columns >= 0 && !gathered) absl::StrAppend(&text, "columns dim ", view.axes.columns, " \u00b7 ");
  absl::StrAppend(&text, rows, " \u00d7 ", columns);
  if (data_ != nullptr && !data_->planes.empty() && mode_ != CanvasMode::kTable) {
    const PlaneWindow& w = data_->planes[0].window;
    const char* const shown = shows_ == 1 ? "least" : shows_ == 2 ? "greatest" : "mean";
    if (gathered) absl::StrAppend(&text, " \u00b7 ", w.column_step, " a pixel: least to greatest, ", shown);
    else if (w.row_step > 1 || w.column_step > 1) absl::StrAppend(&text, " \u00b7 a pixel is the ", shown, " of ", w.row_step, " \u00d7 ", w.column_step);
    else if (w.rows < rows || w.columns < columns) absl::StrAppend(&text, " \u00b7 window ", w.rows, " \u00d7 ", w.columns, " from ", w.row, ", ", w.column);
    if (data_->planes[0].sampled) absl::StrAppend(&text, ", sampled");
    ui::TagFact("window", absl::StrCat(w.row, "+", w.rows, " ", w.column, "+", w.columns, " step ", w.row_step, " ", w.column_step));
    ui::TagFact("cells", absl::StrCat(data_->planes[0].cells.size()));
  }
  ui::TextCut(text, c.faint, ui::Type().small);
}

void ValuePanel::DrawLegend(const ColorScale& scale) {
  const ui::Palette& c = ui::Colors();
  ImFont* font = ui::Type().mono_small;
  const bool truth = facts_shown_ != nullptr && facts_shown_->shape.element_type() == ElementType::kPred && what_ == PlaneOf::kValue;
  const ElementType type = facts_shown_ != nullptr && what_ == PlaneOf::kValue ? facts_shown_->shape.element_type() : ElementType::kF64;
  const std::string low = truth ? "false" : ShortText(scale.NumberAt(0), type), high = truth ? "true" : ShortText(scale.NumberAt(1), type);
  const bool zero = scale.log && (what_ != PlaneOf::kValue || (facts_shown_ != nullptr && facts_shown_->statistics.zeros > 0));
  // A logarithm has no sign: where both signs have the same colours, they are those of the sizes.
  const bool sizes = scale.log && scale.low < 0 && scale.ramp != ColorRamp::kDiverging;
  const char* const log = sizes ? "  log of |x|" : scale.log ? "  log" : "";
  ImVec2 at = ImGui::GetCursorScreenPos();
  const auto swatch = [&](uint32_t color, absl::string_view number) {
    const float size = ui::Px(9), y = at.y + ui::Px(4);
    ImGui::GetWindowDrawList()->AddRectFilled({at.x, y}, {at.x + size, y + size}, color, ui::Px(2));
    ImGui::GetWindowDrawList()->AddRect({at.x, y}, {at.x + size, y + size}, c.border, ui::Px(2));
    ui::DrawText({at.x + size + ui::Px(5), at.y + ui::Px(1)}, c.dim, font, number);
    at.x += size + ui::Px(5) + ui::Measure(font, number).x + ui::Px(14);
  };
  if (!(scale.high > scale.low)) {
    // All cells have one colour.
    const std::string number = what_ == PlaneOf::kValue ? ExactText(type, scale.low) : ShortText(scale.low);
    swatch(scale.ColorOf(scale.low), number);
    ImGui::Dummy({1, ui::Px(17)});
    ui::TagFact("legend", number);
    return;
  }
  if (zero) swatch(scale.ZeroColor(), "0");  // what a logarithm has no place for
  const float left = ui::Measure(font, low).x + ui::Px(8), right = ui::Measure(font, absl::StrCat(high, log)).x + ui::Px(8);
  const float width = std::clamp(ImGui::GetContentRegionAvail().x - (at.x - ImGui::GetCursorScreenPos().x) - left - right - ui::Px(10),
                                 ui::Px(24), ui::Px(180)),
              height = ui::Px(8), top = at.y + ui::Px(4);
  ui::DrawText({at.x, at.y + ui::Px(1)}, c.dim, font, low);
  constexpr int kSteps = 32;
  for (int k = 0; k < kSteps; ++k) {
    const float x = at.x + left + width * static_cast<float>(k) / kSteps;
    ImGui::GetWindowDrawList()->AddRectFilled({x, top}, {x + width / kSteps + 1, top + height}, scale.ColorAt((k + 0.5) / kSteps));
  }
  ui::DrawText({at.x + left + width + ui::Px(8), at.y + ui::Px(1)}, c.dim, font, absl::StrCat(high, log));
  ImGui::Dummy({1, ui::Px(17)});
  ui::TagFact("legend", absl::StrCat(zero ? "0, " : "", low, " .. ", high, log));
}

void ValuePanel::Ask(PanelContext& context, CanvasView& view, const ValueFacts& f, int64_t rows, int64_t columns, ImVec2 room) {
  const CanvasWish wish = canvas_.Wish(mode_, view, rows, columns, room, Marks(view));
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
        else data.type = whole->shape().element_type();
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
            for (const PlaneCell& cell : data.planes[0].cells) data.texts.push_back(cell.nan > 0 ? "nan" : cell.plus_inf > 0 ? "inf" : cell.minus_inf > 0 ? "-inf" : ShortText(cell.mean));
          }
        }
        return data;
      });
  if (data != nullptr) data_ = data;
  // What is left of another value is not drawn.
  if (data_ != nullptr && (!(data_->of == name_) || data_->planes.empty() || data_->planes[0].axes.rows != view.axes.rows || data_->planes[0].axes.columns != view.axes.columns)) data_ = nullptr;
}

void ValuePanel::Reveal(CanvasView& view) {
  for (size_t d = 0; d < selected_.size(); ++d) {
    if (static_cast<int>(d) != view.axes.rows && static_cast<int>(d) != view.axes.columns) view.axes.at[d] = selected_[d];
  }
  canvas_.Reveal(mode_, view, PlaneRows(facts_shown_->shape, view.axes), view.axes.rows >= 0 ? selected_[view.axes.rows] : 0, view.axes.columns >= 0 ? selected_[view.axes.columns] : 0);
}

}  // namespace hloscope
