// Which elements a failing program may do with: for each size that its dimensions have, smaller ones, and the indices that stay then. Whether
// it still fails is for minimize.cc to ask.
#ifndef HLOSCOPE_CORE_DEBUG_MINIMIZE_SIZES_H_
#define HLOSCOPE_CORE_DEBUG_MINIMIZE_SIZES_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/debug/dimension_classes.h"
#include "core/debug/minimize_follow.h"
#include "core/ir/rewrite.h"

namespace hloscope {

// Dimensions of size `from`, all of them or those of a class, get the size `to`. Arrays that are given (parameters and constants) keep these of their indices, which may be other
// ones in another array, and of a square other rows than columns.
struct SizeCut {
  struct Part {
    int64_t begin = 0, end = 0;
    bool without = false;  // all but those from `begin` to before `end`
    std::vector<int64_t> IndicesOf(int64_t size) const;
  };
  int64_t from = 0, to = 0;
  Part kept;
  std::shared_ptr<const DimensionClasses> classes;  // null: of all
  int of_class = 0;
  std::shared_ptr<const ClassSizes> follow;  // not null: with the sizes of other classes that follow
  bool follow_ends = false;                  // of given arrays of those the last elements stay, else the first
  absl::flat_hash_map<std::pair<const Instruction*, int>, Part> others;  // of a dimension of an array: instead of `kept`
  void ApplyTo(Rewrite* rewrite, bool multiples) const;
};

// The sizes above 1 in the module, the largest first.
std::vector<int64_t> SizesIn(const Module& module);
// Whether a size is a multiple of `size`, and larger.
bool HasMultiple(const Module& module, int64_t size);
// As delta debugging does: one element, halves, all but a part of 4, 8 or 16, all but one. Of the dimensions of that size in the class, where
// classes are given, else of all. `follow`: those with which other sizes have to change, and can.
std::vector<SizeCut> SizeCuts(const Module& module, int64_t size, std::shared_ptr<const DimensionClasses> classes = nullptr, int of_class = 0,
                              bool follow = false);

// Of an array, or of all arrays of a tuple.
int64_t Elements(const Shape& shape);
bool AllSame(const std::vector<Value>& values);
// The part of a tuple, and of that; empty: itself.
Value LeafOf(Value value, const std::vector<int64_t>& leaf);
// An array or a tuple of one number.
Value Filled(const Shape& shape, double number);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MINIMIZE_SIZES_H_
