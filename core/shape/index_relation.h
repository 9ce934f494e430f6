// Which indices of two arrays belong together, given by bounds on differences between them (and on the indices themselves): equal dimensions,
// whole ones, lines, triangles. Bounds of such differences are exact under projection, so that both directions come from one definition.
#ifndef HLOSCOPE_CORE_SHAPE_INDEX_RELATION_H_
#define HLOSCOPE_CORE_SHAPE_INDEX_RELATION_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/shape/index_box.h"

namespace hloscope {

class IndexRelation {
 public:
  IndexRelation() : IndexRelation({}, {}) {}
  // Every index of the one belongs to every index of the other.
  IndexRelation(absl::Span<const int64_t> from, absl::Span<const int64_t> to);

  // A dimension's index.
  struct Index {
    bool of_to = false;
    int dim = 0;
  };
  static Index From(int dim) { return {false, dim}; }
  static Index To(int dim) { return {true, dim}; }
  IndexRelation& AtLeast(Index a, Index b, int64_t more = 0);  // a >= b + more
  IndexRelation& Equal(Index a, Index b) { return AtLeast(a, b).AtLeast(b, a); }
  IndexRelation& Is(Index a, int64_t value);

  // What belongs to some index of the box, as boxes that do not overlap.
  std::vector<IndexBox> FromOf(const IndexBox& to) const { return Related(to, true); }
  std::vector<IndexBox> ToOf(const IndexBox& from) const { return Related(from, false); }

 private:
  using Bounds = std::vector<int64_t>;  // [a * n + b]: the most that a - b may be; a variable 0 that is zero stands before all
  int Variable(Index index) const { return 1 + index.dim + (index.of_to ? from_ : 0); }
  bool Close(Bounds& bounds) const;
  void Add(const Bounds& bounds, int first, int count, std::vector<IndexBox>* boxes) const;
  std::vector<IndexBox> Related(const IndexBox& box, bool to) const;

  int from_ = 0, n_ = 1;
  Bounds bounds_;
};

// The box of one index.
inline IndexBox PointBox(absl::Span<const int64_t> index) { return {{index.begin(), index.end()}, {index.begin(), index.end()}}; }

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_SHAPE_INDEX_RELATION_H_
