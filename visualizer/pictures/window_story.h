// Index vectors and their windows on a board: the indices, the array with a frame for each window, the moved elements in the colour of their
// vector, what was clamped, left out or met, and one vector after the other as steps. For gather, scatter and dynamic slices.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_WINDOW_STORY_H_
#define HLOSCOPE_VISUALIZER_PICTURES_WINDOW_STORY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/ops/shape_rules.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/index_windows.h"

namespace hloscope {

class WindowStory {
 public:
  WindowStory(Board& board, IndexWindows windows);

  const IndexWindows& windows() const { return w_; }
  // The vector that is shown: of the step, else of the selected cell; -1: none in particular.
  int64_t subject() const { return subject_; }
  int step() const { return board_.step(); }

  // "1 of 5 index vectors was clamped: ...". Written before the grids.
  void SayCounts();
  // Pieces of a row, in their colours. Indices may be several scalars.
  std::vector<Board::Piece> Indices() const;
  GridSpec Windowed(const PictureArray& array) const;
  GridSpec Moved(const PictureArray& array) const;
  // Frames on the grid of a windowed array, and round the elements of each vector on that of a moved one.
  void Frames(const PictureArray& array) const;
  void MovedFrames(const PictureArray& array) const;
  // What happens in the subject, in a sentence; as the step's text where a step is shown.
  void SaySubject();

  // Of scatters: vectors that hit an element of the windowed array, by its row-major place, in the order in which they are applied.
  const absl::flat_hash_map<int64_t, std::vector<int64_t>>& hits() const { return hits_; }

 private:
  void Count();
  std::string VectorName(int64_t vector) const;
  std::string Clamping(const StartVector& v) const;
  const StartVector& Cached(int64_t vector) const;

  Board& board_;
  const Captions& tr_;
  IndexWindows w_;
  int64_t subject_ = -1;
  mutable std::map<int64_t, StartVector> cache_;
  int64_t looked_at_ = 0, clamped_ = 0, outside_ = 0, left_out_ = 0, unknown_ = 0, met_ = 0;
  std::vector<int64_t> examples_;  // of clamped ones, or of those that are left out
  absl::flat_hash_map<int64_t, std::vector<int64_t>> hits_;
};

// The letters of the axes of some dimensions, in such words.
std::string LettersText(const Captions& tr, const std::vector<GridAxis>& axes, absl::Span<const int64_t> dims);

// What gather and scatter say alike of their attributes. index_vector_dim, and `starts`: which number of a vector is the start along which dimension.
void ExplainIndexVectors(Board& board, const IndexWindows& w, absl::string_view starts_name, absl::Span<const int64_t> starts);
// Pairs of batching dimensions of the windowed array and of the indices; nothing where there are none.
void ExplainBatching(Board& board, const IndexWindows& w, absl::string_view name, absl::Span<const int64_t> dims, absl::string_view indices_name,
                     absl::Span<const int64_t> of_indices);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_WINDOW_STORY_H_
