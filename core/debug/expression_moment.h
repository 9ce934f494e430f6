// Where an expression names a moment, "%x @ iteration 3 > 5": what of it is of that moment. Not for what a moment is (moments.h).
#ifndef HLOSCOPE_CORE_DEBUG_EXPRESSION_MOMENT_H_
#define HLOSCOPE_CORE_DEBUG_EXPRESSION_MOMENT_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace hloscope::expression {

struct OfMoment {
  absl::string_view expression, moment;  // on both sides of the @
  size_t length = 0;                     // of all of it
  bool is_all = false;                   // behind it is the end, or a closing parenthesis; else an operator
  bool compares = false;                 // there is a comparison, and, or, or not in the expression
};
// What is before the first @ of `text`, up to the end of the parentheses in which it begins. Nothing: there is no @ in it.
std::optional<OfMoment> FirstMoment(absl::string_view text);

}  // namespace hloscope::expression

#endif  // HLOSCOPE_CORE_DEBUG_EXPRESSION_MOMENT_H_
