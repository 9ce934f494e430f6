// A program's result against the one that a snapshot brings, which another compiler on another machine made. Not the check against the
// reference (check.h), whose bounds follow from the operations.
#ifndef HLOSCOPE_CORE_DEBUG_COMPARE_RESULTS_H_
#define HLOSCOPE_CORE_DEBUG_COMPARE_RESULTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/literal/scalar.h"
#include "core/literal/value.h"

namespace hloscope {

struct ResultDifference {
  std::string output;          // "output {1}", or "output" of an array
  std::vector<int64_t> index;  // of the first element that differs
  Scalar got, expected;
  double bound = 0;            // what was allowed there
  int64_t differing = 0, elements = 0;
  std::string shapes;          // not empty: the shapes differ, and nothing was compared
};

// One entry for each leaf that differs. Integers and truth values must be equal; a number x may be off by tolerance(type) times
// the larger of |x| and a hundredth of the largest magnitude of its array (of narrow types more: ReorderingBudget); NaNs and infinities stand in the same
// places.
std::vector<ResultDifference> CompareResults(const Value& got, const Value& expected);
// "output {1}: 3 of 12 elements differ, first [0,1] is 2.5, expected 2 within 0.0002".
std::string ToText(const ResultDifference& difference);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_COMPARE_RESULTS_H_
