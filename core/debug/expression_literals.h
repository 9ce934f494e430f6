// Numbers that are written in an expression beside a value. Not for integers, which are exact (expression_integers.h).
#ifndef HLOSCOPE_CORE_DEBUG_EXPRESSION_LITERALS_H_
#define HLOSCOPE_CORE_DEBUG_EXPRESSION_LITERALS_H_

#include "absl/strings/string_view.h"
#include "core/debug/expression.h"

namespace hloscope::expression {

// `side`, written as `text`, is asked to be equal to `other`: where it is a number alone and the other one a value of floats of at most 32 bits, it is
// taken as the f32 that it stands for, so that a value is equal to what is printed of it.
void TakeAsPrinted(absl::string_view text, const ExpressionResult& other, ExpressionResult* side);

}  // namespace hloscope::expression

#endif  // HLOSCOPE_CORE_DEBUG_EXPRESSION_LITERALS_H_
