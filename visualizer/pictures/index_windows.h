// What gather, scatter and dynamic slices have in common: vectors of indices, each of which says where in an array a window lies, and an
// array of moved elements (gather's result, scatter's updates) whose other dimensions walk the vectors. The attributes under one set of
// names. Not for drawing (window_frames.h).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_INDEX_WINDOWS_H_
#define HLOSCOPE_VISUALIZER_PICTURES_INDEX_WINDOWS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "visualizer/pictures/grid.h"
#include "visualizer/pictures/scene.h"

namespace hloscope {

// What a dimension is for.
enum class WindowDim : uint8_t {
  kBatch,      // walks the index vectors: of the moved array and of the indices
  kOffset,     // walks inside a window: of the moved array and of the windowed one
  kCollapsed,  // of the windowed array: the window has one place there, and the moved array has no such dimension
  kTogether,   // batching: the same index on both sides
  kVector,     // of the indices: the numbers of one vector
};

struct StartVector {
  std::vector<Cell> cells;                    // its numbers, one a component
  std::vector<std::optional<int64_t>> asked;  // what they are; none: not there yet. Of a u64 that no s64 holds the largest s64
  std::vector<std::string> said;              // exactly; "?": not there yet
  std::vector<int> dims;                      // the dimension that a component is for
  std::vector<int64_t> start;                 // of the window, by dimension, as it is taken (clamped, where that is the rule)
  bool known = true;                          // all of its numbers are there
  bool clamped = false;                       // it starts elsewhere than asked for
  bool outside = false;                       // where nothing is clamped: some of the window lies outside
};

class IndexWindows {
 public:
  static IndexWindows OfGather(const PictureScene& scene);
  static IndexWindows OfScatter(const PictureScene& scene);
  static IndexWindows OfDynamicSlice(const PictureScene& scene);
  static IndexWindows OfDynamicUpdateSlice(const PictureScene& scene);

  const PictureArray* windowed = nullptr;      // what the windows lie in
  const PictureArray* moved = nullptr;         // what the elements of the windows are in, or come from
  std::vector<const PictureArray*> indices;    // one, or a scalar for each dimension
  bool clamps = true;                          // starts are moved so that windows fit; else what lies outside is left out
  int index_vector_dim = 0;                    // of the indices; their rank: every number is a vector
  std::vector<int64_t> sizes;                  // of a window, by dimension of `windowed`
  std::vector<int64_t> batch;                  // extents of the vectors
  std::vector<WindowDim> windowed_dims, moved_dims, indices_dims;  // what dimensions are for
  std::vector<int> offset_of;                  // by dimension of `moved`: the windowed dimension that it walks; -1
  std::vector<int> batch_of;                   // by dimension of `moved`: the batch dimension that it is; -1

  int64_t count() const;  // of vectors
  std::vector<int64_t> BatchIndex(int64_t vector) const;
  StartVector At(int64_t vector) const;
  // The vector of an element of `moved`.
  int64_t VectorOfMoved(absl::Span<const int64_t> index) const;
  // Its place inside the window, by dimension of `windowed`.
  std::vector<int64_t> OffsetOfMoved(absl::Span<const int64_t> index) const;
  // Where an element of `moved` lies in `windowed`; none where that is outside, or not known yet.
  std::optional<std::vector<int64_t>> PlaceOf(const StartVector& v, absl::Span<const int64_t> moved_index) const;
  // Elements of `moved` that belong to a vector, as a box (inclusive).
  void MovedBox(int64_t vector, std::vector<int64_t>* low, std::vector<int64_t>* high) const;
  // The vector that a number of the indices belongs to; -1: the cell is none of the indices, or belongs to all.
  int64_t VectorOfCell(const Cell& cell) const;

  // The same letter for the same thing on all sides: i j k for batch dimensions, the windowed array's customary ones for offsets.
  std::vector<GridAxis> WindowedAxes() const, MovedAxes() const, IndicesAxes() const;
  std::string BatchLetter(int batch_dim) const;
  // "(2, 5)"
  std::string AskedText(const StartVector& v) const;
  // "y 2 to 4, x 5"
  std::string WindowText(const Captions& tr, const StartVector& v) const;

 private:
  std::vector<int> starts_;        // by component: the windowed dimension
  std::vector<int> together_;      // by windowed dimension: the batch dimension that it goes along with; -1
};

Paint PaintOf(WindowDim dim);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_INDEX_WINDOWS_H_
