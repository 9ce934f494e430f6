// Two values that should be the same, element by element, within a budget: the one rule behind results against snapshots, runs against
// records, and programs against programs. Not for the check against the reference (check.h), whose bounds follow from the operations.
#ifndef HLOSCOPE_CORE_DEBUG_COMPARE_VALUES_H_
#define HLOSCOPE_CORE_DEBUG_COMPARE_VALUES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/ir/module.h"
#include "core/literal/scalar.h"
#include "core/literal/value.h"

namespace hloscope {

// How far a number may lie from the expected one: the largest of the three. All zero: the same bits (any NaN is NaN).
struct Budget {
  double ulp = 0;  // units in the last place of the expected number, in the narrower of the two types; whole numbers have none: exact
  double absolute = 0;
  double relative = 0;    // of the expected number's magnitude, added to `absolute`
  double of_largest = 0;  // of the array's largest magnitude
  bool exact() const { return ulp == 0 && absolute == 0 && relative == 0 && of_largest == 0; }
  double BoundAt(double expected, double largest, ElementType narrower) const;
};
// "4ulp", "1e-5,1e-6" (absolute, relative), "1e-5" (both), "abs=1e-5", "rel=1e-3", "exact".
absl::StatusOr<Budget> ParseBudget(absl::string_view text);
std::string ToText(const Budget& budget);

// What sums in another order may be off by in `type`: a relative error, with a hundredth of it of the array's largest magnitude,
// or of 16 bits and fewer two roundings of that.
// Integers and truth values: nothing.
Budget ReorderingBudget(ElementType type);

// Budgets by instruction: the last rule that fits counts.
class BudgetTable {
 public:
  // "%x=1e-5,1e-6", "/dot/=4ulp" (a regular expression found in the name), "op:dot=4ulp", or a budget alone: for every instruction.
  absl::Status Add(absl::string_view rule);
  bool empty() const { return rules_.empty(); }
  // An error where a rule names an instruction that none of the programs has.
  absl::Status Check(const std::vector<const Module*>& modules) const;
  // Null when no rule speaks of it.
  const Budget* Find(const Instruction& instruction) const;
  const Budget* ForAll() const;  // the last rule for every instruction

 private:
  struct Rule {
    enum Kind : uint8_t { kAll, kName, kOperation, kPattern } kind = kAll;
    std::string text;
    std::shared_ptr<void> pattern;  // a std::regex
    Budget budget;
  };
  std::vector<Rule> rules_;
};

// The same bits; -0 is not 0. Of one type.
bool SameBits(const Scalar& a, const Scalar& b);
double Distance(const Scalar& a, const Scalar& b);
// |got - expected| in units of expected's last place in `type` (by default expected's own); whole numbers: the difference itself.
double UlpDistance(const Scalar& got, const Scalar& expected);
double UlpDistance(const Scalar& got, const Scalar& expected, ElementType type);
// Of numbers that differ, what is said of a distance: "4 ulp"; of none it is zeros of two signs that have other bits.
std::string UlpText(double ulp);
// Of two float (or complex) types the one that rounds more, as a real type.
ElementType NarrowerType(ElementType a, ElementType b);

// Floats and complex numbers are like each other, whole numbers of all widths are, and truth values: of others one is not the other in
// another precision, but something else.
bool AreLikeTypes(ElementType a, ElementType b);

struct ArrayDifference {
  int64_t elements = 0;
  int64_t other_bits = 0;           // elements that differ at all
  int64_t zero_signs = 0;           // of those, the ones that differ by the sign of a zero alone
  int64_t beyond = 0;               // elements that differ by more than the budget
  int64_t first = -1;               // the first of those, row-major
  Scalar got, expected;             // there
  double ulp = 0, bound = 0;        // there
  int64_t worst = -1;               // the one that is off by the most ULP
  double worst_ulp = 0;
  Scalar worst_got, worst_expected;
  int64_t largest = -1;             // the one that is off by the largest absolute difference of finite numbers
  double largest_absolute = 0;
  Scalar largest_got, largest_expected;
};
// Of arrays with the same dimensions, whatever their types and layouts.
ArrayDifference CompareArrays(const Value& got, const Value& expected, const Budget& budget);
// Of constants: nothing has been computed, so where one program computes in a narrower type, its numbers are the other one's, rounded once.
// `narrower`: such a type, which the constants themselves need not be of.
ArrayDifference CompareConstants(const Value& got, const Value& expected, ElementType narrower);

std::vector<int64_t> IndexOf(const Shape& shape, int64_t linear);
// "3 of 12 elements differ, first [0,1] is 2.5, expected 2 (4194304 ulp, 1 ulp allowed)".
std::string ToText(const ArrayDifference& difference, const Shape& shape);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_COMPARE_VALUES_H_
