#include "visualizer/panels/value_canvas.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/literal/format.h"
#include "core/literal/place_in_range.h"
#include "imgui_internal.h"
#include "visualizer/model/range_text.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr float kRowHeight = 22, kHeader = 22, kIndexWidth = 52, kBar = 10, kMostCell = 88, kNumberHeight = 18;
constexpr double kWidest = 3;  // of a cell: times its height

// Readable on a cell of this colour.
ImU32 InkOn(uint32_t color) {
  const double light = 0.299 * (color & 0xff) + 0.587 * (color >> 8 & 0xff) + 0.114 * (color >> 16 & 0xff);
  return light > 140 ? IM_COL32(20, 22, 28, 255) : IM_COL32(240, 242, 248, 255);
}

double NumberOf(const PlaneCell& cell, CellShows shows) { return shows == CellShows::kLow ? cell.low : shows == CellShows::kHigh ? cell.high : cell.mean; }

uint32_t ColorOfCell(const PlaneCell& cell, const ColorScale& scale, CellShows shows) {
  if (cell.nan + cell.plus_inf + cell.minus_inf > 0) return scale.ColorOf(cell);
  return cell.finite > 0 ? scale.ColorOf(NumberOf(cell, shows)) : 0;
}

// The sign of a number that is not finite: a cross, or an arrow up or down.
void DrawSign(ImDrawList* list, const PlaneCell& cell, ImVec2 center, float size, ImU32 ink = IM_COL32(20, 22, 28, 255)) {
  const float h = size / 2, thick = std::max(1.0f, size / 6);
  if (cell.nan > 0) {
    list->AddLine({center.x - h, center.y - h}, {center.x + h, center.y + h}, ink, thick);
    list->AddLine({center.x - h, center.y + h}, {center.x + h, center.y - h}, ink, thick);
  } else if (cell.plus_inf > 0) {
    list->AddTriangleFilled({center.x, center.y - h}, {center.x + h, center.y + h}, {center.x - h, center.y + h}, IM_COL32(250, 240, 250, 255));
  } else {
    list->AddTriangleFilled({center.x, center.y + h}, {center.x - h, center.y - h}, {center.x + h, center.y - h}, IM_COL32(250, 240, 250, 255));
  }
}

// As many digits as fit into so many letters; empty: not even one.
std::string TextOfCell(const CanvasData& data, const PlaneCell& cell, CellShows shows, size_t letters) {
  if (data.truth) return letters >= 5 ? cell.mean != 0 ? "true" : "false" : "";
  if (cell.nan > 0) return "nan";
  if (cell.plus_inf > 0) return "inf";
  if (cell.minus_inf > 0) return "-inf";
  const double x = NumberOf(cell, shows);
  const Plane& plane = data.planes[0];
  // Whole numbers in full where there is room, and the one number that all are.
  if (IsInteger(data.type) || (plane.low == plane.high)) {
    std::string exact = ExactText(data.type, x);
    if (exact.size() <= letters) return exact;
  }
  return TextThatFits(x, letters);
}

// Numbers in some cells and none in others would say that those have none.
bool AllFit(const Plane& plane, CellShows shows, size_t letters) {
  return std::none_of(plane.cells.begin(), plane.cells.end(),
                      [&](const PlaneCell& cell) { return cell.finite > 0 && TextThatFits(NumberOf(cell, shows), letters).empty(); });
}

// Where a table begins so that a row or column is in sight of so many: as it is, else with it in the middle, and never with its end cut off.
double InSight(double first, double seen, double wanted) {
  if (wanted >= first && wanted + 1 <= first + seen) return first;
  return std::max(0.0, std::min(wanted, std::max(std::floor(wanted - seen / 2), wanted + 1 - seen)));
}

int64_t StepFor(double pixels) {
  int64_t step = 1;
  while (static_cast<double>(step) * pixels < 0.999 && step < (int64_t{1} << 40)) step *= 2;
  return step;
}

}  // namespace

std::string CanvasWish::Key() const {
  return absl::StrCat(window.row, ",", window.rows, ",", window.column, ",", window.columns, ",", window.row_step, ",", window.column_step, texts ? "t" : "", channels);
}

void ValueCanvas::Fit(CanvasView& view, CanvasMode mode, int64_t rows, int64_t columns, ImVec2 size) const {
  double w = size.x / std::max<double>(1, static_cast<double>(columns)), h = size.y / std::max<double>(1, static_cast<double>(rows));
  const double most = ui::Px(kMostCell);
  w = std::min(w, most);
  h = std::min(h, most);
  // Of an image squares. Else wide cells, which have room for numbers, while they are few; of many, squares, unless the plane is so long that
  // they would be too thin to see.
  if (mode == CanvasMode::kMap && h >= ui::Px(kNumberHeight) && w > h) {
    w = std::min(w, kWidest * h);
  } else if (mode == CanvasMode::kImage || (w / h < 8 && h / w < 8)) {
    w = h = std::min(w, h);
  }
  view.cell_width = w;
  view.cell_height = h;
  view.row = view.column = 0;
}

void ValueCanvas::Clamp(CanvasView& view, int64_t rows, int64_t columns, ImVec2 size) const {
  view.row = std::clamp(view.row, 0.0, std::max(0.0, static_cast<double>(rows) - size.y / view.cell_height));
  view.column = std::clamp(view.column, 0.0, std::max(0.0, static_cast<double>(columns) - size.x / view.cell_width));
}

float ValueCanvas::IndexWidth(int64_t rows) const { return std::max(ui::Px(kIndexWidth), ui::Measure(ui::Type().mono_small, absl::StrCat(rows)).x + ui::Px(16)); }

float ValueCanvas::ColumnWidth(int64_t rows, float width) const {
  const float least = ui::Px(56);
  return std::clamp(width - IndexWidth(rows) - ui::Px(kBar), least, std::max(least, static_cast<float>(column_width_)));
}

ValueCanvas::Room ValueCanvas::TableRoom(int64_t rows, ImVec2 size) const {
  return {(size.y - ui::Px(kHeader + kBar)) / static_cast<double>(ui::Px(kRowHeight)),
          (size.x - IndexWidth(rows) - ui::Px(kBar)) / static_cast<double>(ColumnWidth(rows, size.x))};
}

CanvasWish ValueCanvas::Wish(CanvasMode mode, CanvasView& view, int64_t rows, int64_t columns, ImVec2 size, const CanvasMarks& marks) {
  CanvasWish wish;
  size_ = size;
  if (rows <= 0 || columns <= 0 || size.x < 8 || size.y < 8) return wish;
  if (mode == CanvasMode::kTable) {
    const Room room = TableRoom(rows, size);
    if (view.held && marks.has_selected) Reveal(mode, view, rows, marks.selected_row, marks.selected_column);
    const int64_t seen_rows = static_cast<int64_t>(std::ceil(room.rows)) + 1, seen_columns = static_cast<int64_t>(std::ceil(room.columns)) + 1;
    view.table_row = std::clamp(view.table_row, 0.0, std::max(0.0, static_cast<double>(rows) - room.rows));
    view.table_column = std::clamp(view.table_column, 0.0, std::max(0.0, static_cast<double>(columns) - room.columns));
    wish.window.row = std::clamp<int64_t>(static_cast<int64_t>(view.table_row), 0, rows - 1);
    wish.window.column = std::clamp<int64_t>(static_cast<int64_t>(view.table_column), 0, columns - 1);
    wish.window.rows = std::min(seen_rows, rows - wish.window.row);
    wish.window.columns = std::min(seen_columns, columns - wish.window.column);
    wish.texts = true;
    return wish;
  }
  if (view.fitted || view.cell_width <= 0) Fit(view, mode, rows, columns, size);
  Clamp(view, rows, columns, size);
  PlaneWindow& w = wish.window;
  w.row_step = StepFor(view.cell_height);
  w.column_step = StepFor(view.cell_width);
  w.row = static_cast<int64_t>(view.row) / w.row_step * w.row_step;
  w.column = static_cast<int64_t>(view.column) / w.column_step * w.column_step;
  w.rows = std::min<int64_t>(rows - w.row, static_cast<int64_t>(std::ceil(size.y / view.cell_height)) + w.row_step + 1);
  w.columns = std::min<int64_t>(columns - w.column, static_cast<int64_t>(std::ceil(size.x / view.cell_width)) + w.column_step + 1);
  if (mode == CanvasMode::kImage && view.channel >= 0) wish.channels = 3;
  return wish;
}

void ValueCanvas::Reveal(CanvasMode mode, CanvasView& view, int64_t rows, int64_t row, int64_t column) const {
  if (mode == CanvasMode::kTable) {
    const Room room = TableRoom(rows, size_);
    view.table_row = InSight(view.table_row, room.rows, static_cast<double>(row));
    view.table_column = InSight(view.table_column, room.columns, static_cast<double>(column));
    view.held = true;
    return;
  }
  if (view.fitted || view.cell_width <= 0 || view.cell_height <= 0) return;
  const double seen_rows = size_.y / view.cell_height, seen_columns = size_.x / view.cell_width;
  if (row < view.row || row + 1 > view.row + seen_rows) view.row = static_cast<double>(row) - seen_rows / 2;
  if (column < view.column || column + 1 > view.column + seen_columns) view.column = static_cast<double>(column) - seen_columns / 2;
}

void ValueCanvas::Paint(const CanvasData& data, const ColorScale& scale, CellShows shows, bool image) {
  const Plane& plane = data.planes[0];
  std::vector<uint32_t> pixels(plane.cells.size());
  if (image && data.planes.size() == 3) {
    for (size_t k = 0; k < pixels.size(); ++k) {
      uint32_t pixel = 0xff000000u;
      bool nan = false;
      for (int c = 0; c < 3; ++c) {
        const PlaneCell& cell = data.planes[c].cells[k];
        nan |= cell.nan > 0;
        const double place = scale.high > scale.low ? std::clamp(PlaceInRange(cell.mean, scale.low, scale.high), 0.0, 1.0) : 0.5;
        pixel |= static_cast<uint32_t>(std::lround(place * 255)) << 8 * c;
      }
      pixels[k] = nan ? kNanColor : pixel;
    }
  } else {
    // A table of colours: one a pixel costs more than looking one up.
    uint32_t table[512];
    for (int k = 0; k < 512; ++k) table[k] = scale.ColorAt(k / 511.0);
    for (size_t k = 0; k < pixels.size(); ++k) {
      const PlaneCell& cell = plane.cells[k];
      if (cell.nan + cell.plus_inf + cell.minus_inf > 0) {
        pixels[k] = scale.ColorOf(cell);
      } else if (cell.finite > 0) {
        const double x = NumberOf(cell, shows);
        pixels[k] = scale.log && x == 0 ? scale.ZeroColor() : table[static_cast<int>(std::lround(scale.PlaceOf(x) * 511))];
      }
    }
  }
  raster_.Set(static_cast<int>(plane.window.cell_columns()), static_cast<int>(plane.window.cell_rows()), std::move(pixels));
}

void ValueCanvas::DrawCells(const CanvasView& view, const Area& area, const CanvasData& data, const ColorScale& scale, CellShows shows) {
  const Plane& plane = data.planes[0];
  const PlaneWindow& w = plane.window;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto x_of = [&](double column) { return static_cast<float>(area.min.x + (column - view.column) * view.cell_width); };
  const auto y_of = [&](double row) { return static_cast<float>(area.min.y + (row - view.row) * view.cell_height); };
  const float u = static_cast<float>(static_cast<double>(w.columns) / static_cast<double>(w.cell_columns() * w.column_step)), v = static_cast<float>(static_cast<double>(w.rows) / static_cast<double>(w.cell_rows() * w.row_step));
  raster_.Draw(list, {x_of(static_cast<double>(w.column)), y_of(static_cast<double>(w.row))}, {x_of(static_cast<double>(w.column + w.columns)), y_of(static_cast<double>(w.row + w.rows))}, {0, 0}, {u, v});
  if (w.row_step > 1 || w.column_step > 1 || data.planes.size() > 1) return;
  const float cw = static_cast<float>(view.cell_width), ch = static_cast<float>(view.cell_height);
  const bool lines = cw >= ui::Px(10) && ch >= ui::Px(10);
  ImFont* font = ui::Type().mono_small;
  const size_t letters = static_cast<size_t>(std::max(1.0f, (cw - ui::Px(7)) / ui::Measure(font, "0").x));
  const bool texts = cw >= ui::Px(24) && ch >= ui::Px(14) && (data.truth || AllFit(plane, shows, letters));
  ui::TagFact("numbers", texts ? "yes" : "no");
  const bool signs = plane.nan + plane.inf > 0 && cw >= 4 && ch >= 4;
  if (!lines && !signs) return;
  for (int64_t r = 0; r < w.rows; ++r) {
    const float y = y_of(static_cast<double>(w.row + r));
    if (y > area.max.y || y + ch < area.min.y) continue;
    if (lines && r > 0) list->AddLine({x_of(static_cast<double>(w.column)), y}, {x_of(static_cast<double>(w.column + w.columns)), y}, ui::Fade(ui::Colors().panel, 0.35f));
    for (int64_t c = 0; c < w.columns; ++c) {
      const float x = x_of(static_cast<double>(w.column + c));
      if (x > area.max.x || x + cw < area.min.x) continue;
      const PlaneCell& cell = plane.at(r, c);
      if (texts) {
        const std::string text = TextOfCell(data, cell, shows, letters);
        const ImVec2 size = ui::Measure(font, text);
        if (size.x <= cw - 4) ui::DrawText({x + (cw - size.x) / 2, y + (ch - size.y) / 2}, InkOn(ColorOfCell(cell, scale, shows)), font, text);
        else if (cell.nan + cell.plus_inf + cell.minus_inf > 0) DrawSign(list, cell, {x + cw / 2, y + ch / 2}, std::min(cw, ch) * 0.5f);
      } else if (signs && cell.nan + cell.plus_inf + cell.minus_inf > 0) {
        DrawSign(list, cell, {x + cw / 2, y + ch / 2}, std::min(cw, ch) * 0.5f);
      }
    }
  }
  for (int64_t c = 1; lines && c < w.columns; ++c) {
    const float x = x_of(static_cast<double>(w.column + c));
    list->AddLine({x, y_of(static_cast<double>(w.row))}, {x, y_of(static_cast<double>(w.row + w.rows))}, ui::Fade(ui::Colors().panel, 0.35f));
  }
}

// A vector's numbers as a band from the least to the greatest of each cell.
void ValueCanvas::DrawPlot(const CanvasView& view, const Area& area, const CanvasData& data, const ColorScale& scale) {
  const Plane& plane = data.planes[0];
  const PlaneWindow& w = plane.window;
  const ui::Palette& c = ui::Colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(area.min, area.max, c.sunken, ui::Px(4));
  // Bars begin at zero, so zero is always seen: else their lengths would say nothing.
  const double low = std::min({0.0, scale.low, plane.low}), most = std::max({0.0, scale.high, plane.high});
  // Of a logarithmic scale they are as long as its colours are far along.
  ColorScale whole = scale;
  whole.low = low;
  whole.high = most;
  const auto length = [&](double x) { return scale.log ? whole.SignedSizeOf(x) : x; };
  const double bottom_length = length(low), top_length = most > low ? length(most) : bottom_length + 1;
  ui::TagFact("bars", absl::StrCat(ShortText(low), " .. ", ShortText(most > low ? most : low + 1), scale.log ? " log" : ""));
  const float pad = ui::Px(6);
  const auto y_of = [&](double x) { return static_cast<float>(area.max.y - pad - PlaceInRange(length(x), bottom_length, top_length) * (area.height() - 2 * pad)); };
  const float zero = std::clamp(y_of(0), area.min.y, area.max.y);
  list->AddLine({area.min.x, zero}, {area.max.x, zero}, c.border);
  const double step = static_cast<double>(w.column_step) * view.cell_width;
  for (int64_t k = 0; k < w.cell_columns(); ++k) {
    const PlaneCell& cell = plane.at(0, k);
    const float left = static_cast<float>(area.min.x + (static_cast<double>(w.column + k * w.column_step) - view.column) * view.cell_width), right = std::max(left + 1, static_cast<float>(left + step) - (step > 4 ? 1.0f : 0.0f));
    if (right < area.min.x || left > area.max.x) continue;
    if (cell.nan + cell.plus_inf + cell.minus_inf > 0) {
      list->AddRectFilled({left, area.min.y}, {right, area.max.y}, c.pink_fill);
      if (right - left >= 6) DrawSign(list, cell, {(left + right) / 2, area.min.y + ui::Px(12)}, std::min(right - left, ui::Px(9)), c.pink);
    }
    if (cell.finite == 0) continue;
    // From zero to the number where a cell is one element.
    float top = y_of(cell.high), bottom = w.column_step == 1 ? zero : y_of(cell.low);
    if (top > bottom) std::swap(top, bottom);
    if (w.column_step > 1) list->AddRectFilled({left, std::min(top, zero)}, {right, std::max(bottom, zero)}, ui::Fade(c.blue, 0.22f));
    list->AddRectFilled({left, top}, {right, std::max(bottom, top + 1)}, ui::Fade(c.blue, 0.85f));
  }
}

CanvasEvents ValueCanvas::DrawMap(CanvasMode mode, CanvasView& view, int64_t rows, int64_t columns, const Area& area, const CanvasData* data, const ColorScale& scale, CellShows shows,
                                  const CanvasMarks& marks) {
  CanvasEvents events;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ui::Palette& c = ui::Colors();
  // A vector has its plot above its strip.
  const bool plot = rows == 1 && columns > 1 && mode == CanvasMode::kMap && area.height() > ui::Px(90);
  Area cells = area;
  events.plotted = plot;
  if (plot) cells.min.y = area.max.y - std::min(ui::Px(28), area.height() * 0.25f);
  ImGui::InvisibleButton("canvas", {area.width(), area.height()});
  ui::Tag("canvas");
  ImGui::SetItemUsingMouseWheel();
  const bool hovered = ImGui::IsItemHovered();
  const ImGuiIO& io = ImGui::GetIO();
  CanvasView shown = view;
  if (plot) {
    shown.cell_height = cells.height();
    shown.row = 0;
  }
  list->PushClipRect(area.min, area.max, true);
  if (data != nullptr && !data->planes.empty() && !data->planes[0].cells.empty()) {
    DrawCells(shown, cells, *data, scale, shows);
    if (plot) DrawPlot(shown, {area.min, {area.max.x, cells.min.y - ui::Px(6)}}, *data, scale);
  }
  const auto outline = [&](int64_t row, int64_t column, bool strong) {
    const float x = static_cast<float>(cells.min.x + (static_cast<double>(column) - shown.column) * shown.cell_width), y = static_cast<float>(cells.min.y + (static_cast<double>(row) - shown.row) * shown.cell_height);
    const float w = std::max(ui::Px(5), static_cast<float>(shown.cell_width)), h = std::max(ui::Px(5), static_cast<float>(shown.cell_height));
    const ImVec2 a = {std::floor(x + (static_cast<float>(shown.cell_width) - w) / 2), std::floor(y + (static_cast<float>(shown.cell_height) - h) / 2)}, b = {std::floor(a.x + w), std::floor(a.y + h)};
    // Cells at the edge have a whole frame too.
    const float frame = ui::Px(3);
    list->PopClipRect();
    list->PushClipRect({area.min.x - frame, area.min.y - frame}, {area.max.x + frame, area.max.y + frame}, true);
    list->AddRect({a.x - 1, a.y - 1}, {b.x + 1, b.y + 1}, IM_COL32(10, 12, 16, strong ? 255 : 140), 0, 0, strong ? ui::Px(3) : 1);
    list->AddRect(a, b, strong ? IM_COL32_WHITE : IM_COL32(255, 255, 255, 170), 0, 0, strong ? ui::Px(1.5f) : 1);
    list->PopClipRect();
    list->PushClipRect(area.min, area.max, true);
    if (plot) list->AddLine({(a.x + b.x) / 2, area.min.y}, {(a.x + b.x) / 2, cells.min.y}, ui::Fade(c.text, strong ? 0.8f : 0.35f));
  };
  if (hovered) {
    const double row = shown.row + (io.MousePos.y - cells.min.y) / shown.cell_height, column = shown.column + (io.MousePos.x - cells.min.x) / shown.cell_width;
    events.hovered = column >= 0 && column < static_cast<double>(columns) && (plot || (row >= 0 && row < static_cast<double>(rows)));
    events.row = plot ? 0 : static_cast<int64_t>(std::clamp(row, 0.0, static_cast<double>(rows - 1)));
    events.column = static_cast<int64_t>(std::clamp(column, 0.0, static_cast<double>(columns - 1)));
    if (events.hovered && !dragging_) outline(events.row, events.column, false);
    if (io.MouseWheel != 0) {
      const double most = ui::Px(kMostCell), before_w = view.cell_width, before_h = view.cell_height, zoom = std::pow(1.25, io.MouseWheel);
      CanvasView all = view;
      Fit(all, mode, rows, columns, size_);
      view.cell_width = std::clamp(before_w * zoom, std::min(all.cell_width, most), std::max(most, all.cell_width));
      view.cell_height = std::clamp(before_h * zoom, std::min(all.cell_height, most), std::max(most, all.cell_height));
      view.fitted = view.cell_width <= all.cell_width && view.cell_height <= all.cell_height;
      view.column += (io.MousePos.x - area.min.x) * (1 / before_w - 1 / view.cell_width);
      view.row += (io.MousePos.y - area.min.y) * (1 / before_h - 1 / view.cell_height);
    }
    if (ImGui::IsMouseDoubleClicked(0)) view.fitted = true;
  }
  if (ImGui::IsItemActive()) {
    dragged_ += std::fabs(io.MouseDelta.x) + std::fabs(io.MouseDelta.y);
    if (dragged_ > ui::Px(4) && !view.fitted) {
      dragging_ = true;
      view.column -= io.MouseDelta.x / view.cell_width;
      view.row -= io.MouseDelta.y / view.cell_height;
    }
  } else {
    if (ImGui::IsItemDeactivated() && dragged_ <= ui::Px(4) && events.hovered) events.clicked = true;
    dragging_ = false;
    dragged_ = 0;
  }
  if (marks.has_selected) outline(marks.selected_row, marks.selected_column, true);
  list->PopClipRect();
  return events;
}

void ValueCanvas::DrawScrollbar(const char* name, bool vertical, Area bar, double* at, double seen, double all) {
  if (seen >= all) return;
  const ui::Palette& c = ui::Colors();
  const float length = vertical ? bar.height() : bar.width();
  const float grip = std::max(ui::Px(18), static_cast<float>(length * seen / all));
  const double most = all - seen;
  ImGui::SetCursorScreenPos(bar.min);
  ImGui::InvisibleButton(name, {bar.width(), bar.height()});
  ui::Tag(name);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsItemActive()) *at = std::clamp(((vertical ? mouse.y - bar.min.y : mouse.x - bar.min.x) - grip / 2) / std::max(1.0f, length - grip), 0.0f, 1.0f) * most;
  const float from = static_cast<float>(*at / most) * (length - grip);
  const ImU32 color = ImGui::IsItemActive() || ImGui::IsItemHovered() ? c.dim : c.active;
  const float inset = ui::Px(2);
  if (vertical) {
    ImGui::GetWindowDrawList()->AddRectFilled({bar.min.x + inset, bar.min.y + from}, {bar.max.x - inset, bar.min.y + from + grip}, color, ui::Px(3));
  } else {
    ImGui::GetWindowDrawList()->AddRectFilled({bar.min.x + from, bar.min.y + inset}, {bar.min.x + from + grip, bar.max.y - inset}, color, ui::Px(3));
  }
}

CanvasEvents ValueCanvas::DrawTable(CanvasView& view, int64_t rows, int64_t columns, const Area& area, const CanvasData* data, const ColorScale& scale, const CanvasMarks& marks) {
  CanvasEvents events;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ui::Palette& c = ui::Colors();
  ImFont* font = ui::Type().mono;
  ImFont* small = ui::Type().mono_small;
  const float row_height = ui::Px(kRowHeight), header = ui::Px(kHeader), bar = ui::Px(kBar);
  const float index_width = IndexWidth(rows);
  const double before = column_width_;
  if (data != nullptr && data->texts.size() == data->planes[0].cells.size()) {
    if (!(widths_of_ == data->of)) column_width_ = 0;
    widths_of_ = data->of;
    size_t longest = 0;
    for (const std::string& text : data->texts) longest = std::max(longest, text.size());
    column_width_ = std::max<double>(column_width_, std::clamp(ui::Measure(font, std::string(longest, '0')).x + ui::Px(18), ui::Px(56), ui::Px(210)));
  }
  if (column_width_ != before) ui::WantFrame();  // what is held has to come into sight again
  const float width = ColumnWidth(rows, area.width());
  const Area body = {{area.min.x + index_width, area.min.y + header}, {area.max.x - bar, area.max.y - bar}};
  ImGui::SetCursorScreenPos(body.min);
  ImGui::InvisibleButton("canvas", {std::max(1.0f, body.width()), std::max(1.0f, body.height())});
  ui::Tag("canvas");
  ImGui::SetItemUsingMouseWheel();
  const ImGuiIO& io = ImGui::GetIO();
  const double seen_rows = body.height() / row_height, seen_columns = body.width() / width;
  if (ImGui::IsItemHovered()) {
    if (io.KeyShift) view.table_column -= io.MouseWheel * 2;
    else view.table_row -= io.MouseWheel * 3;
    view.table_column -= io.MouseWheelH * 2;
    if (io.MouseWheel != 0 || io.MouseWheelH != 0) view.held = false;
    const int64_t row = static_cast<int64_t>(std::floor(view.table_row + (io.MousePos.y - body.min.y) / row_height)), column = static_cast<int64_t>(std::floor(view.table_column + (io.MousePos.x - body.min.x) / width));
    if (row >= 0 && row < rows && column >= 0 && column < columns) {
      events.hovered = true;
      events.row = row;
      events.column = column;
      events.clicked = ImGui::IsItemClicked(0);
    }
  }
  view.table_row = std::clamp(view.table_row, 0.0, std::max(0.0, static_cast<double>(rows) - seen_rows));
  view.table_column = std::clamp(view.table_column, 0.0, std::max(0.0, static_cast<double>(columns) - seen_columns));
  list->AddRectFilled(area.min, {area.max.x, area.min.y + header}, c.sunken, ui::Px(3));
  const auto x_of = [&](int64_t column) { return static_cast<float>(body.min.x + (static_cast<double>(column) - view.table_column) * width); };
  const auto y_of = [&](int64_t row) { return static_cast<float>(body.min.y + (static_cast<double>(row) - view.table_row) * row_height); };
  const int64_t first_row = static_cast<int64_t>(view.table_row), last_row = std::min(rows, first_row + static_cast<int64_t>(seen_rows) + 2);
  const int64_t first_column = static_cast<int64_t>(view.table_column), last_column = std::min(columns, first_column + static_cast<int64_t>(seen_columns) + 2);
  list->PushClipRect({body.min.x, area.min.y}, {area.max.x, area.min.y + header}, true);
  for (int64_t column = first_column; column < last_column; ++column) {
    const std::string text = absl::StrCat(column);
    const bool lit = (marks.has_selected && column == marks.selected_column) || (events.hovered && column == events.column);
    ui::DrawText({x_of(column) + width - ui::Px(9) - ui::Measure(small, text).x, area.min.y + (header - small->FontSize) / 2}, lit ? c.text : c.faint, small, text);
  }
  list->PopClipRect();
  list->PushClipRect({area.min.x, body.min.y}, body.max, true);
  for (int64_t row = first_row; row < last_row; ++row) {
    const float y = y_of(row);
    const std::string number = absl::StrCat(row);
    const bool lit = (marks.has_selected && row == marks.selected_row) || (events.hovered && row == events.row);
    ui::DrawText({body.min.x - ui::Px(10) - ui::Measure(small, number).x, y + (row_height - small->FontSize) / 2}, lit ? c.text : c.faint, small, number);
  }
  list->PopClipRect();
  list->PushClipRect(body.min, body.max, true);
  for (int64_t row = first_row; data != nullptr && row < last_row; ++row) {
    const PlaneWindow& w = data->planes[0].window;
    if (row < w.row || row >= w.row + w.rows || data->texts.size() != data->planes[0].cells.size()) continue;
    const float y = y_of(row);
    for (int64_t column = std::max(first_column, w.column); column < std::min(last_column, w.column + w.columns); ++column) {
      const size_t k = static_cast<size_t>((row - w.row) * w.columns + column - w.column);
      const PlaneCell& cell = data->planes[0].cells[k];
      const float x = x_of(column);
      const bool trouble = cell.nan + cell.plus_inf + cell.minus_inf > 0;
      const ImVec2 a = {x + 1, y + 1}, b = {x + width - 1, y + row_height - 1};
      if (trouble) list->AddRectFilled(a, b, c.pink_fill, ui::Px(2));
      else list->AddRectFilled(a, b, ui::Fade(scale.ColorOf(cell), 0.22f), ui::Px(2));
      const std::string& text = data->texts[k];
      const float text_width = std::min(ui::Measure(font, text).x, width - ui::Px(14));
      if (trouble && width - text_width > ui::Px(34)) ui::DrawIcon(list, ui::Icon::kWarning, {x + ui::Px(6), y + ui::Px(5)}, ui::Px(12), c.pink);
      ui::DrawTextIn({x + width - ui::Px(8) - text_width, y + (row_height - font->FontSize) / 2}, width - ui::Px(12), trouble ? c.pink : c.text, font, text);
    }
  }
  const auto outline = [&](int64_t row, int64_t column, ImU32 color) { list->AddRect({x_of(column), y_of(row)}, {x_of(column) + width, y_of(row) + row_height}, color, ui::Px(2), 0, ui::Px(1)); };
  if (events.hovered) outline(events.row, events.column, c.dim);
  if (marks.has_selected) outline(marks.selected_row, marks.selected_column, c.blue);
  list->PopClipRect();
  const double at_row = view.table_row, at_column = view.table_column;
  DrawScrollbar("down", true, {{area.max.x - bar, body.min.y}, {area.max.x, body.max.y}}, &view.table_row, seen_rows, static_cast<double>(rows));
  DrawScrollbar("across", false, {{body.min.x, area.max.y - bar}, {body.max.x, area.max.y}}, &view.table_column, seen_columns, static_cast<double>(columns));
  if (view.table_row != at_row || view.table_column != at_column) view.held = false;
  ui::TagFact("columns", absl::StrCat(first_column, " .. ", std::min(columns, static_cast<int64_t>(view.table_column + seen_columns + 1e-6)) - 1));
  return events;
}

CanvasEvents ValueCanvas::Draw(CanvasMode mode, CanvasView& view, int64_t rows, int64_t columns, ImVec2 size, std::shared_ptr<const CanvasData> data, const ColorScale& scale, CellShows shows,
                               const CanvasMarks& marks) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Area area = {at, {at.x + size.x, at.y + size.y}};
  if (size.x < 8 || size.y < 8) return {};
  if (data != nullptr && (data->planes.empty() || data->planes[0].cells.empty())) data = nullptr;
  CanvasEvents events;
  if (mode == CanvasMode::kTable) {
    events = DrawTable(view, rows, columns, area, data.get(), scale, marks);
  } else {
    if (view.cell_width <= 0) Fit(view, mode, rows, columns, size);
    const std::string with = absl::StrCat(static_cast<int>(scale.ramp), scale.log, scale.dark, ",", scale.low, ",", scale.high, ",", scale.least, ",", static_cast<int>(shows), static_cast<int>(mode));
    if (data != nullptr && (painted_ != data || painted_with_ != with)) {
      Paint(*data, scale, shows, mode == CanvasMode::kImage);
      painted_ = data;
      painted_with_ = with;
    }
    events = DrawMap(mode, view, rows, columns, area, data.get(), scale, shows, marks);
  }
  ImGui::SetCursorScreenPos({area.min.x, area.max.y});
  return events;
}

}  // namespace hloscope
