// What may go wrong in one scalar operation without anything being said: facts about operations and their values, for whoever watches a
// run. Not for values that are merely not finite.
#ifndef HLOSCOPE_CORE_ELEMENT_SCALAR_HAZARDS_H_
#define HLOSCOPE_CORE_ELEMENT_SCALAR_HAZARDS_H_

#include <string>

#include "absl/types/span.h"
#include "core/element/expr.h"
#include "core/literal/scalar.h"

namespace hloscope {

enum class ScalarHazard : uint8_t {
  kConversionOverflow,  // a conversion to a type, or to a reduced precision, that does not reach as far as the value
  kDenormal,            // a result below the smallest normal number of operands that are not, or lost to zero there
  kCancellation,        // an addition or subtraction in which leading bits of the operands cancel
  kIntegerOverflow,     // a signed integer result, or the quotient of a remainder, that does not fit its type
  kUnsignedWrap,        // an unsigned integer result that does not fit its type: meant by hashes and random generators, else a mistake
  kIntegerDivision,     // an integer division by zero
};

// Whether `op` can have the hazard at all, by its types.
bool MayHave(ScalarHazard hazard, ScalarOp op, ElementType to, ElementType from);
// Whether it has it here. `bits`: what kCancellation counts as many. `why` (may be null) gets a short text: "300 has no place in s8".
bool Has(ScalarHazard hazard, ScalarOp op, ElementType to, int64_t aux, absl::Span<const Scalar> in, const Scalar& out, int bits, std::string* why);

// Below the smallest normal number and not zero.
bool IsDenormal(const Scalar& s);
// What kCancellation counts when nobody says: three quarters of the type's digits.
int DefaultCancellationBits(ElementType type);
// What an addition can lose at most, in the type with the most digits.
inline constexpr int kMostCancellationBits = 53;

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_SCALAR_HAZARDS_H_
