// A set of elements of an array, as runs of row-major places: what a forward slice carries from instruction to instruction.
#ifndef HLOSCOPE_CORE_DEBUG_ELEMENT_SET_H_
#define HLOSCOPE_CORE_DEBUG_ELEMENT_SET_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/shape/index_box.h"
#include "core/shape/shape.h"

namespace hloscope {

class ElementSet {
 public:
  struct Run {
    int64_t begin = 0, end = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };
  using Box = IndexBox;

  ElementSet() = default;
  explicit ElementSet(const Shape& array);
  static ElementSet All(const Shape& array);

  void Add(int64_t begin, int64_t end) {
    if (begin < end) pending_.push_back({begin, end});
  }
  void AddBox(absl::Span<const int64_t> low, absl::Span<const int64_t> high);
  void AddAll(const ElementSet& other);
  void Remove(int64_t element);

  bool empty() const { return runs().empty(); }
  int64_t count() const;
  int64_t total() const { return total_; }
  bool Contains(int64_t element) const;
  // Conservative: may say yes for a large box that it does not touch.
  bool Touches(const Box& box) const;
  const std::vector<Run>& runs() const;
  // Certainly all of a box: of one run of row-major places, or of one of the set's boxes.
  bool Covers(const Box& box) const;
  const Box& Bounds() const;
  // The set as boxes where these are few; else none.
  const std::vector<Box>& Boxes() const;
  // The same elements of an array of other dimensions.
  ElementSet WithShape(const Shape& array) const;
  // The elements with the same indices of an array of other sizes, as far as it has them.
  ElementSet WithSizes(const Shape& array) const;
  friend bool operator==(const ElementSet& a, const ElementSet& b) { return a.runs() == b.runs() && a.sizes == b.sizes; }

  bool exact = true;   // false: there may be less
  uint64_t sizes = 0;  // a bit a dimension: its size in this run may be another

 private:
  void Normalize() const;
  std::vector<int64_t> dims_;
  int64_t total_ = 0;
  mutable std::vector<Run> runs_, pending_;
  mutable std::vector<Box> boxes_;
  mutable Box bounds_;
  mutable bool boxed_ = false, bounded_ = false;
};

// "all 6", "3 of 6, [0,0] to [0,2]", "2 of 6, within [0,0] to [1,2]: [0,0], [1,2]".
std::string Describe(const ElementSet& set, const Shape& array);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_ELEMENT_SET_H_
