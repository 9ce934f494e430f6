// Assertions of StableHLO's tests as custom calls: check.expect_eq, check.expect_almost_eq, check.expect_close on (actual, expected).
// Here alone stands what each of them compares; `hloscope test`, `run` and the debugger all come here. Not for comparing whole programs.
#ifndef HLOSCOPE_CORE_OPS_CHECK_CALLS_H_
#define HLOSCOPE_CORE_OPS_CHECK_CALLS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/literal/value.h"

namespace hloscope {

// Ok, FailedPrecondition that says where the values differ, or InvalidArgument for operands that cannot be compared.
//   check.expect_eq         equal as numbers; NaN equals NaN
//   check.expect_almost_eq  floats: |a - b| <= tolerance max(1, |b|), tolerance 0.0001 when `config` has none; both parts of complex ones
//   check.expect_close      floats: between min_ulp_difference (0) and max_ulp_difference (3) representable numbers apart
//                         apart. `normwise`: a transform made the value, whose rounding is relative to all of the array; then an ULP is
//                         at least the one of the array's largest element
// Other types must be equal in all three. `config`: "tolerance=0.1", "max_ulp_difference=3,min_ulp_difference=1".
absl::Status RunCheck(absl::string_view target, absl::string_view config, absl::Span<const Value> operands, bool normwise = false);

// How many representable numbers of the type lie between two of them, one included; 0 for two NaNs, UINT64_MAX where only one is finite.
uint64_t UlpDistance(ElementType type, uint64_t a_bits, uint64_t b_bits);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_CHECK_CALLS_H_
