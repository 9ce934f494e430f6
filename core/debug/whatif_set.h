// Values that `set` takes from files and from arrays: which elements are meant, and what they become. Not for the command itself (values.cc).
#ifndef HLOSCOPE_CORE_DEBUG_WHATIF_SET_H_
#define HLOSCOPE_CORE_DEBUG_WHATIF_SET_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/debug/subscript.h"
#include "core/exec/backend.h"
#include "core/literal/value.h"

namespace hloscope {

// The elements that a subscript chooses: their shape and their row-major places in an array of `shape`.
struct Chosen {
  Shape shape;
  std::vector<int64_t> places;
};
absl::StatusOr<Chosen> Choose(const Shape& shape, const Subscript& subscript);

// "x.npy", "dir/x.npz:name": text that means a file's array.
bool NamesArrayFile(absl::string_view text);
// Its array in this shape and type, dense.
absl::StatusOr<Value> ReadArrayFile(absl::string_view text, const Shape& wanted);
// `given` with the elements in another type; an integer type must hold each of them. The dimensions must be those of `wanted`.
absl::StatusOr<Value> InTypeOf(const Value& given, const Shape& wanted);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_WHATIF_SET_H_
