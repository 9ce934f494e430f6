// Arrays of the oracle: every element a Number in row-major order, whatever the layout; tuples of them. And the loops over indices that all
// operations are written with. Not for what operations mean (movement.cc, folds.cc, products.cc, random.cc).
#ifndef HLOSCOPE_TESTS_ORACLE_ARRAYS_H_
#define HLOSCOPE_TESTS_ORACLE_ARRAYS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "core/shape/shape.h"
#include "tests/oracle/number.h"

namespace hloscope::oracle {

using Index = std::vector<int64_t>;

struct Array {
  Shape shape;
  std::vector<Number> elements;  // row-major; of an array shape
  std::vector<Array> parts;      // of a tuple

  Array() = default;
  explicit Array(const Shape& s);  // zeros; parts too
  ElementType type() const { return shape.element_type(); }
  int64_t size() const { return static_cast<int64_t>(elements.size()); }
  Number& at(const Index& index) { return elements[Position(index)]; }
  const Number& at(const Index& index) const { return elements[Position(index)]; }
  int64_t Position(const Index& index) const;
};

Array FromValue(const Value& value);
// Without the bounds.
Value ToValue(const Array& array);
Array MakeTuple(const Shape& shape, std::vector<Array> parts);
Array ScalarArray(ElementType type, const Number& x);
void SetUnknown(Array& array);  // every element
bool HasUnknown(const Array& array);

// Calls f(index) for every index below `dims`, the last dimension fastest.
template <typename F>
void ForEach(absl::Span<const int64_t> dims, F f) {
  Index index(dims.size(), 0);
  for (int64_t d : dims) {
    if (d <= 0) return;
  }
  while (true) {
    f(static_cast<const Index&>(index));
    int k = static_cast<int>(dims.size()) - 1;
    while (k >= 0 && ++index[k] == dims[k]) index[k--] = 0;
    if (k < 0) return;
  }
}
inline Index Dims(const Shape& shape) { return Index(shape.dimensions().begin(), shape.dimensions().end()); }
inline bool Contains(absl::Span<const int64_t> list, int64_t x) {
  for (int64_t y : list) {
    if (x == y) return true;
  }
  return false;
}

// Runs computations for the operations that call them.
class Caller {
 public:
  virtual ~Caller() = default;
  virtual absl::StatusOr<Array> Call(const Computation& computation, std::vector<Array> arguments) = 0;
};

using Operands = absl::Span<const Array* const>;
// Each returns NotFoundError for an operation that is none of its own.
absl::StatusOr<Array> MoveData(const Instruction& instruction, Operands operands, Caller& caller);       // movement.cc, gather.cc
absl::StatusOr<Array> GatherOrScatter(const Instruction& instruction, Operands operands, Caller& caller);
absl::StatusOr<Array> FoldData(const Instruction& instruction, Operands operands, Caller& caller);       // folds.cc
absl::StatusOr<Array> MultiplyData(const Instruction& instruction, Operands operands);                   // products.cc
absl::StatusOr<Array> LinearAlgebra(const Instruction& instruction, Operands operands);                  // linear.cc
absl::StatusOr<Array> RandomBits(const Instruction& instruction, Operands operands);                     // random.cc

// The k largest (smallest) of each line, and where they were.
Array TopK(const Instruction& instruction, const Array& operand, int64_t k, bool largest);  // folds.cc

// The sum (product) of terms in any order, with the bound that follows: none where every order is exact.
Number SumInAnyOrder(ElementType type, const std::vector<Number>& terms);
Number ProductInAnyOrder(ElementType type, const std::vector<Number>& terms);

}  // namespace hloscope::oracle

#endif  // HLOSCOPE_TESTS_ORACLE_ARRAYS_H_
