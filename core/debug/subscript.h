// Python-like subscripts of values: `[0:3, :]`, `[-1]`, `[..., 0]`, and `[2]` of a tuple. Not for arithmetic (expression.h).
#ifndef HLOSCOPE_CORE_DEBUG_SUBSCRIPT_H_
#define HLOSCOPE_CORE_DEBUG_SUBSCRIPT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/literal/value.h"

namespace hloscope {

struct SubscriptItem {
  enum Kind : uint8_t { kIndex, kSlice, kEllipsis } kind = kIndex;
  int64_t index = 0;  // kIndex; negative counts from the end
  std::optional<int64_t> start, stop;
  int64_t step = 1;
};
using Subscript = std::vector<SubscriptItem>;  // one pair of brackets

// Reads one `[...]` at the beginning of `text` and takes it off.
absl::StatusOr<Subscript> ParseSubscript(absl::string_view& text);
// A new value; a tuple takes one index. OutOfRange names the dimension and its size.
absl::StatusOr<Value> ApplySubscript(const Value& value, const Subscript& subscript);
// The same of a shape: what the value's would be.
absl::StatusOr<Shape> ApplySubscript(const Shape& shape, const Subscript& subscript);
// The row-major linear index when every item is an index and all dimensions are named.
absl::StatusOr<int64_t> ElementIndex(const Shape& shape, const Subscript& subscript);
// "[1,2]"
std::string IndexText(const Shape& shape, int64_t linear);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SUBSCRIPT_H_
