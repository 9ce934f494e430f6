// Exact arithmetic of integers in expressions: results that are numbers keep integers beside their doubles, in `value`, as long as 64 bits
// hold them; and which numbers take all of their digits to be told apart. For expression*.cc, and who shows their numbers in columns.
#ifndef HLOSCOPE_CORE_DEBUG_EXPRESSION_INTEGERS_H_
#define HLOSCOPE_CORE_DEBUG_EXPRESSION_INTEGERS_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "core/debug/expression.h"

namespace hloscope::expression {

__extension__ typedef __int128 Wide;
// False: there is no integer to write.
using WideOp = bool (*)(Wide a, Wide b, Wide* result);

// Numbers of this type may differ where the digits that are usual are the same.
inline bool NeedsAllDigits(ElementType type) { return RealTypeOf(type) == ElementType::kF64 || (IsInteger(type) && BitWidth(type) >= 32); }
// Known numbers, all of them integers that are known exactly; truths count as 0 and 1.
bool AreIntegers(const ExpressionResult& r);
// One integer; of more than 64 bits only as a double.
ExpressionResult Integer(Wide x);
// Of + - * / %; null: of another sign.
WideOp WideOpOf(absl::string_view sign);
// Element by element, a single number with every one; nothing where a result is no integer or too large.
std::optional<ExpressionResult> CombineIntegers(const ExpressionResult& a, const ExpressionResult& b, const std::vector<int64_t>& dimensions, WideOp f);
// What a function of that name gives; nothing where it has no integer to give.
std::optional<ExpressionResult> CallWithIntegers(absl::string_view name, const ExpressionResult& r);
// Puts right what was compared as doubles (`op`: == != < <= > >=).
void CompareIntegers(absl::string_view op, const ExpressionResult& a, const ExpressionResult& b, ExpressionResult* outcome);
std::string IntegerText(const ExpressionResult& r, int64_t i);

}  // namespace hloscope::expression

#endif  // HLOSCOPE_CORE_DEBUG_EXPRESSION_INTEGERS_H_
