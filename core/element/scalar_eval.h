// One scalar operation on single elements, exactly as spec/operations.md ("Elementwise") says. Not for whole programs (interpret.h).
#ifndef HLOSCOPE_CORE_ELEMENT_SCALAR_EVAL_H_
#define HLOSCOPE_CORE_ELEMENT_SCALAR_EVAL_H_

#include "absl/types/span.h"
#include "core/element/expr.h"
#include "core/literal/scalar.h"

namespace hloscope {

// `type` is the result's type, `aux` reduce-precision's bits. Float results of up to 32 bits are computed in double and rounded once;
// functions are those of functions.h. Maximum and minimum are IEEE 754's: NaN wins, -0 < +0. Complex + - * / are the textbook formulas with
// every step rounded to the part's type, in the order re = ac - bd, im = ad + bc.
Scalar EvalScalarOp(ScalarOp op, ElementType type, int64_t aux, absl::Span<const Scalar> in);

// The type of `op` on inputs whose first has type `input`; kConvert and kBitcast choose theirs.
ElementType ResultType(ScalarOp op, ElementType input);

// -1, 0, 1 in the order -NaN < -Inf < -finite < -0 < +0 < +finite < +Inf < +NaN.
int CompareTotal(double a, double b);

constexpr bool IsComparison(ScalarOp op) { return op >= ScalarOp::kEq && op <= ScalarOp::kGeTotal; }
// Associative and commutative up to rounding: + * max min and or xor.
constexpr bool IsReassociable(ScalarOp op) {
  return op == ScalarOp::kAdd || op == ScalarOp::kMultiply || op == ScalarOp::kMaximum || op == ScalarOp::kMinimum ||
         op == ScalarOp::kAnd || op == ScalarOp::kOr || op == ScalarOp::kXor;
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_SCALAR_EVAL_H_
