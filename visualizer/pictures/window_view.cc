#include "visualizer/pictures/window_view.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ops/rules.h"

namespace hloscope {

WindowView::WindowView(const PictureArray& array, Window window, std::vector<int> of_dimension)
    : array_(array), window_(std::move(window)), of_dimension_(std::move(of_dimension)) {
  for (int d = 0; d < array_.shape.rank(); ++d) {
    int64_t size = array_.shape.dim(d);
    if (const int w = of_dimension_[d]; w >= 0) {
      size = std::max<int64_t>(0, DilatedExtent(size, window_[w].base_dilation) + window_[w].padding_low + window_[w].padding_high);
    }
    dims_.push_back(size);
    cut_.push_back(of_dimension_[d] < 0 ? 0 : std::max<int64_t>(0, -window_[of_dimension_[d]].padding_low));
  }
}

bool WindowView::IsCut(absl::Span<const int64_t> place) const {
  for (size_t d = 0; d < place.size(); ++d) {
    if (place[d] < 0 || place[d] >= dims_[d]) return true;
  }
  return false;
}

std::vector<int64_t> WindowView::GridPlaceOf(absl::Span<const int64_t> element) const {
  std::vector<int64_t> place = PlaceOf(element);
  for (size_t d = 0; d < place.size(); ++d) place[d] += cut_[d];
  return place;
}

std::vector<int64_t> WindowView::GridPlaceOfWindow(absl::Span<const int64_t> at, absl::Span<const int64_t> element) const {
  std::vector<int64_t> place(element.begin(), element.end());
  for (size_t d = 0; d < place.size(); ++d) {
    if (const int w = of_dimension_[d]; w >= 0) place[d] = std::clamp<int64_t>(at[w] * window_[w].stride, 0, std::max<int64_t>(dims_[d] - 1, 0)) + cut_[d];
  }
  return place;
}

void WindowView::Focus(absl::Span<const int64_t> at, absl::Span<const int64_t> from, absl::Span<const int64_t> to, GridSpec* spec) const {
  spec->focus = GridPlaceOfWindow(at, from);
  spec->focus_last = std::vector<int64_t>(to.begin(), to.end());
  for (size_t d = 0; d < to.size(); ++d) {
    if (const int w = of_dimension_[d]; w >= 0) (*spec->focus_last)[d] = (*spec->focus)[d] + std::max<int64_t>(window_[w].size - 1, 0) * window_[w].window_dilation;
  }
}

void WindowView::FocusElements(GridSpec* spec) const {
  if (!spec->focus) spec->focus = GridPlaceOf(std::vector<int64_t>(dims_.size(), 0));
}

std::optional<std::vector<int64_t>> WindowView::ElementAt(absl::Span<const int64_t> place) const {
  std::vector<int64_t> index(place.begin(), place.end());
  for (size_t d = 0; d < index.size(); ++d) {
    const int w = of_dimension_[d];
    if (w < 0) continue;
    const int64_t at = index[d] - window_[w].padding_low;
    if (at < 0 || at % window_[w].base_dilation != 0) return std::nullopt;
    index[d] = at / window_[w].base_dilation;
    if (index[d] >= array_.shape.dim(static_cast<int>(d))) return std::nullopt;
  }
  return index;
}

std::vector<int64_t> WindowView::PlaceOf(absl::Span<const int64_t> element) const {
  std::vector<int64_t> place(element.begin(), element.end());
  for (size_t d = 0; d < place.size(); ++d) {
    if (const int w = of_dimension_[d]; w >= 0) place[d] = place[d] * window_[w].base_dilation + window_[w].padding_low;
  }
  return place;
}

bool WindowView::IsHole(absl::Span<const int64_t> place) const {
  bool hole = false;
  for (size_t d = 0; d < place.size(); ++d) {
    const int w = of_dimension_[d];
    if (w < 0) continue;
    const int64_t at = place[d] - window_[w].padding_low;
    if (at < 0 || at >= DilatedExtent(array_.shape.dim(static_cast<int>(d)), window_[w].base_dilation)) return false;
    hole = hole || at % window_[w].base_dilation != 0;
  }
  return hole;
}

bool WindowView::Covers(absl::Span<const int64_t> at, absl::Span<const int64_t> place) const {
  for (size_t d = 0; d < place.size(); ++d) {
    const int w = of_dimension_[d];
    if (w < 0) continue;
    const int64_t from = place[d] - at[w] * window_[w].stride;
    if (from < 0 || from % window_[w].window_dilation != 0 || from / window_[w].window_dilation >= window_[w].size) return false;
  }
  return true;
}

std::vector<int64_t> WindowView::Positions() const {
  std::vector<int64_t> positions(window_.size(), 1);
  for (size_t d = 0; d < of_dimension_.size(); ++d) {
    if (const int w = of_dimension_[d]; w >= 0) positions[w] = WindowPlaces(array_.shape.dim(static_cast<int>(d)), window_[w]);
  }
  return positions;
}

GridSpec WindowView::Spec(const Board& board, int own, std::function<CellMark(absl::Span<const int64_t> place)> mark) const {
  GridSpec spec = board.SpecOf(array_);
  if (spec.focus) spec.focus = GridPlaceOf(*spec.focus);
  spec.dims = dims_;
  for (int d = 0; d < array_.shape.rank(); ++d) {
    if (const int w = of_dimension_[d]; w >= 0) {
      spec.dims[d] = DilatedExtent(array_.shape.dim(d), window_[w].base_dilation) + std::max<int64_t>(0, window_[w].padding_low) + std::max<int64_t>(0, window_[w].padding_high);
    }
  }
  if (!std::equal(spec.dims.begin(), spec.dims.end(), array_.shape.dimensions().begin())) {
    spec.note = board.captions()("as the window sees it; $0 is $1", array_.name, array_.shape.ToString(false));
  }
  spec.named.assign(array_.shape.dimensions().begin(), array_.shape.dimensions().end());
  spec.label = [this](int dim, int64_t i) {
    const int w = of_dimension_[dim];
    if (w < 0) return absl::StrCat(i);
    const int64_t at = i - cut_[dim] - window_[w].padding_low, dilation = window_[w].base_dilation;
    const bool element = at >= 0 && at % dilation == 0 && at / dilation < array_.shape.dim(dim);
    return element ? absl::StrCat(at / dilation) : std::string(kBetween);
  };
  spec.cell = [this, &board, own, mark = std::move(mark)](absl::Span<const int64_t> at) {
    GridCell cell;
    std::vector<int64_t> place(at.begin(), at.end());
    for (size_t d = 0; d < place.size(); ++d) place[d] -= cut_[d];
    if (const auto element = ElementAt(place)) {
      cell = CellOf(array_, *element, [&board](const Cell& c) { return board.MarkOf(c); }, board.captions());
    } else {
      cell.cell = {own, {at.begin(), at.end()}};
      cell.state = IsHole(place) ? CellState::kHole : CellState::kPadding;
      cell.hint = cell.state == CellState::kHole ? board.captions()("hole between elements at place $0", IndexText(place)) : board.captions()("padding at place $0", IndexText(place));
      if (board.cell() != nullptr && cell.cell == *board.cell()) cell.mark = CellMark::kSelected;
    }
    if (IsCut(place)) {
      cell.state = CellState::kSkipped;
      absl::StrAppend(&cell.hint, "\n", board.captions()("cut off"));
    }
    if (mark) cell.mark = std::max(cell.mark, mark(place));
    return cell;
  };
  return spec;
}

void WindowView::TurnToWindow(GridSpec* spec) const {
  std::vector<int> sides;
  for (int d = static_cast<int>(of_dimension_.size()); d-- > 0 && sides.size() < 2;) {
    if (const int w = of_dimension_[d]; w >= 0 && window_[w].size > 1) sides.push_back(d);
  }
  for (int d = static_cast<int>(of_dimension_.size()); d-- > 0 && sides.size() < 2;) {
    if (std::find(sides.begin(), sides.end(), d) == sides.end()) sides.push_back(d);
  }
  if (sides.size() < 2) return;
  spec->rows = std::min(sides[0], sides[1]);
  spec->columns = std::max(sides[0], sides[1]);
}

std::string WindowView::Describe(const Captions& tr, int w) const {
  const WindowDimension& d = window_[w];
  std::vector<std::string> parts;
  if (d.size != 1) parts.push_back(tr("size $0", d.size));
  if (d.stride != 1) parts.push_back(tr("in steps of $0 places", d.stride));
  if (d.padding_low != 0 || d.padding_high != 0) parts.push_back(tr("padding $0 before and $1 after", d.padding_low, d.padding_high));
  if (d.base_dilation != 1) parts.push_back(tr.Counted(d.base_dilation - 1, "$0 hole between the array's elements", "$0 holes between the array's elements"));
  if (d.window_dilation != 1) parts.push_back(tr.Counted(d.window_dilation - 1, "$0 place left out between the window's", "$0 places left out between the window's"));
  if (d.reversal) parts.push_back(tr("the window reversed"));
  return absl::StrJoin(parts, ", ");
}

}  // namespace hloscope
