// An array as a sliding window sees it: with padding round it and holes between its elements, in places from the window's first one on.
// For convolution, reduce-window and select-and-scatter.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_WINDOW_VIEW_H_
#define HLOSCOPE_VISUALIZER_PICTURES_WINDOW_VIEW_H_

#include <optional>
#include <string>
#include <vector>

#include "visualizer/pictures/board.h"

namespace hloscope {

class WindowView {
 public:
  // `of_dimension[d]`: which entry of the window dimension d of the array has; -1: none, it is seen as it is.
  WindowView(const PictureArray& array, Window window, std::vector<int> of_dimension);

  // The element at a place; nothing on padding and in holes. Where a negative padding cuts off, places are below 0 or beyond the last.
  std::optional<std::vector<int64_t>> ElementAt(absl::Span<const int64_t> place) const;
  std::vector<int64_t> PlaceOf(absl::Span<const int64_t> element) const;
  // Where Spec's grid has it.
  std::vector<int64_t> GridPlaceOf(absl::Span<const int64_t> element) const;
  // Where it has the window at position `at`; along other dimensions that of the element.
  std::vector<int64_t> GridPlaceOfWindow(absl::Span<const int64_t> at, absl::Span<const int64_t> element) const;
  // The grid is to show this window, along other dimensions from one element to the other.
  void Focus(absl::Span<const int64_t> at, absl::Span<const int64_t> from, absl::Span<const int64_t> to, GridSpec* spec) const;
  // The grid is to show the first elements, where it is not to show something else: before them there may be more padding than has room.
  void FocusElements(GridSpec* spec) const;
  bool IsHole(absl::Span<const int64_t> place) const;
  // The window at position `at` (one a window entry) covers this place.
  bool Covers(absl::Span<const int64_t> at, absl::Span<const int64_t> place) const;
  // How many positions the window has in each of its dimensions.
  std::vector<int64_t> Positions() const;
  // The grid: elements are the array's cells, all else cells of the own array `own`; what is cut off is crossed out.
  GridSpec Spec(const Board& board, int own, std::function<CellMark(absl::Span<const int64_t> place)> mark) const;
  const Window& window() const { return window_; }
  // Puts the last two dimensions in which the window is more than one place down and across, in a grid with dimensions like the array's.
  void TurnToWindow(GridSpec* spec) const;
  // "size 3, stride 2, padding 1 before and 0 after, ..." of window dimension w; "" where nothing is special.
  std::string Describe(const Captions& tr, int w) const;

 private:
  bool IsCut(absl::Span<const int64_t> place) const;
  const PictureArray& array_;
  Window window_;
  std::vector<int> of_dimension_;
  std::vector<int64_t> dims_;  // the places that the window goes over
  std::vector<int64_t> cut_;   // so many are cut off before them
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_WINDOW_VIEW_H_
