// Exact arithmetic of integers in expressions: results that are numbers keep integers beside their doubles, in `value` as long as 64 bits hold
// them, else in `integers`; more than 128 bits are refused. And which numbers take all of their digits to be told apart. For expression*.cc, and who shows their numbers in columns.
#ifndef HLOSCOPE_CORE_DEBUG_EXPRESSION_INTEGERS_H_
#define HLOSCOPE_CORE_DEBUG_EXPRESSION_INTEGERS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "core/debug/expression.h"

namespace hloscope::expression {

enum class Made : uint8_t {
  kInteger,
  kNone,      // there is no integer: a quotient with a remainder, a division by zero
  kTooLarge,  // 128 bits do not hold it
};
using WideOp = Made (*)(Wide a, Wide b, Wide* result);

// Numbers of this type may differ where the digits that are usual are the same.
inline bool NeedsAllDigits(ElementType type) { return RealTypeOf(type) == ElementType::kF64 || (IsInteger(type) && BitWidth(type) >= 32); }
// Known numbers, all of them integers that are known exactly; truths count as 0 and 1.
bool AreIntegers(const ExpressionResult& r);
ExpressionResult Integer(Wide x);
// Of + - * / %; null: of another sign.
WideOp WideOpOf(absl::string_view sign);
// Element by element, a single number with every one; nothing where a result is no integer. OutOfRange: one is too large.
absl::StatusOr<std::optional<ExpressionResult>> CombineIntegers(const ExpressionResult& a, const ExpressionResult& b, const std::vector<int64_t>& dimensions, WideOp f);
// What a function of that name gives; nothing where it has no integer to give. OutOfRange: it is too large.
absl::StatusOr<std::optional<ExpressionResult>> CallWithIntegers(absl::string_view name, const ExpressionResult& r);
// Puts right what was compared as doubles (`op`: == != < <= > >=).
void CompareIntegers(absl::string_view op, const ExpressionResult& a, const ExpressionResult& b, ExpressionResult* outcome);
// The digits of an integer; false: it has none, or 128 bits do not hold it.
bool ReadInteger(absl::string_view digits, Wide* x);
std::string IntegerText(const ExpressionResult& r, int64_t i);

}  // namespace hloscope::expression

#endif  // HLOSCOPE_CORE_DEBUG_EXPRESSION_INTEGERS_H_
