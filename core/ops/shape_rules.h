// Requirements that several shape rules share. Each helper reports under the label that the caller gives (a literal at the call, so that
// every label names its operation) and returns whether all is well. Not for what only one operation requires: that stands in its file.
#ifndef HLOSCOPE_CORE_OPS_SHAPE_RULES_H_
#define HLOSCOPE_CORE_OPS_SHAPE_RULES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/ops/op.h"

namespace hloscope {

// "[2,3]" and "{0,2}".
std::string DimensionsText(absl::Span<const int64_t> dimensions);
std::string ListText(absl::Span<const int64_t> values);

// Operand i is an array / a scalar of an integer type / all operands are arrays.
bool CheckArrayOperand(ShapeContext& c, int i, absl::string_view label);
bool CheckArrayOperands(ShapeContext& c, absl::string_view label);

// Operand `i` has the dimensions of operand `reference` (dynamic flags and types do not count).
bool CheckSameDimensions(ShapeContext& c, int i, int reference, absl::string_view label);
// Operand `i` has the element type of operand `reference`.
bool CheckSameType(ShapeContext& c, int i, int reference, absl::string_view label);

// Every entry of the list attribute lies in [0, rank).
bool CheckInRange(ShapeContext& c, AttrId attribute, int64_t rank, absl::string_view label);
// No entry of the list attribute appears twice.
bool CheckDistinct(ShapeContext& c, AttrId attribute, absl::string_view label);
// The entries increase strictly.
bool CheckIncreasing(ShapeContext& c, AttrId attribute, absl::string_view label);
// The list has `count` entries.
bool CheckCount(ShapeContext& c, AttrId attribute, int64_t count, absl::string_view label);

// A called computation takes exactly these parameters; types and dimensions compare, layouts do not. `attribute` is where to point.
bool CheckParameters(ShapeContext& c, AttrId attribute, const Computation& computation, absl::Span<const Shape> expected,
                     absl::string_view count_label, absl::string_view type_label);
// ... and returns this shape.
bool CheckResult(ShapeContext& c, AttrId attribute, const Computation& computation, const Shape& expected, absl::string_view label);

// Equal in type and dimensions; dynamic flags and layouts do not count. Tuples too.
bool SameUpToDynamic(const Shape& a, const Shape& b);
// `shape` with every dimension dynamic that is dynamic in one of the operands (arrays of equal rank).
Shape MergeDynamic(const Shape& shape, const ShapeContext& c);

// A dimension size from a wide intermediate; nullopt when it is negative or beyond int64.
std::optional<int64_t> ToDimension(__int128 size);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_SHAPE_RULES_H_
