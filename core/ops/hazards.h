// Facts about instructions for whoever watches a run for mistakes: run-time indices and what was promised of them, and which operations
// may leave elements of an operand unread. Not for the shape rules, which look at what is known before a run.
#ifndef HLOSCOPE_CORE_OPS_HAZARDS_H_
#define HLOSCOPE_CORE_OPS_HAZARDS_H_

#include <functional>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "core/ir/module.h"
#include "core/literal/scalar.h"
#include "core/literal/value.h"

namespace hloscope {

// How an instruction finds places in an array by values of the program (gather, scatter, dynamic-slice, dynamic-update-slice).
struct IndexedAccess {
  int array = 0;         // operand: where the places are
  int indices = 0;       // operand: of the index vectors, or the first of several scalars
  bool scalars = false;  // one scalar operand a dimension
  bool clamps = false;   // a start outside is moved inside; else its update is skipped
  bool sorted = false;   // promised by indices_are_sorted
  bool unique = false;   // promised by unique_indices
  int64_t index_vector = 0;                  // dimension of `indices` that holds a vector's components; its rank: vectors of one
  std::vector<int64_t> map;                  // component -> dimension of the array
  std::vector<int64_t> window;               // by dimension of the array: how much is read or written from the start on
  std::vector<int64_t> batch, indices_batch;  // dimensions of the array and of the indices that go together
};
std::optional<IndexedAccess> IndexedAccessOf(const Instruction& instruction);

// One component of an index vector.
struct IndexComponent {
  int operand = 0;
  int64_t linear = 0;  // row-major, in that operand
  int dimension = 0;   // of the array
  int64_t value = 0;   // as it is there
  int64_t last = 0;    // the largest start at which the window fits
  bool outside() const { return value < 0 || value > last; }
};
struct IndexVector {
  std::vector<IndexComponent> components;
  std::vector<int64_t> place;  // by dimension of the array, not clamped
};
// All index vectors in row-major order, from the instruction's dense operands (only indices are read); false from `each` ends it.
void ForEachIndexVector(const Instruction& instruction, const IndexedAccess& access, absl::Span<const Value> operands,
                        const std::function<bool(const IndexVector&)>& each);

// The largest start in a dimension of the array at which the window fits.
int64_t LastStart(const Instruction& instruction, const IndexedAccess& access, int dimension);
// The component that element `linear` of operand `operand` is, with this value; none where the element is no start index.
std::optional<IndexComponent> IndexComponentAt(const Instruction& instruction, int operand, int64_t linear, const Scalar& value);

// Whether some element of operand `k` may be left unread, so that what went wrong in it is seen by nobody.
bool MayLeaveUnread(const Instruction& instruction, int k);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_HAZARDS_H_
