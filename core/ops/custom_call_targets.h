// The custom-call targets that need no library: those that only annotate, and a few that are operations under another name.
#ifndef HLOSCOPE_CORE_OPS_CUSTOM_CALL_TARGETS_H_
#define HLOSCOPE_CORE_OPS_CUSTOM_CALL_TARGETS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "core/ops/op.h"

namespace hloscope {

enum class CustomCallTarget : uint8_t {
  kUnknown,
  kPassThrough,  // the result is the operand (or the tuple of operands): it only says something about it
  kEvaluated,    // EvaluateCustomCall knows what it computes
  kCheck,        // an assertion (check_calls.h): no result, an error where it does not hold
  kParallel,     // programs of several devices: whoever runs the program knows how (MachineOptions::run_parallel)
  kRefused,      // known, and not executed: operations on quantized types
};
CustomCallTarget FindCustomCallTarget(absl::string_view target);
// One that stands for an operation on quantized types.
bool IsQuantizedOperation(const Instruction& instruction);
// All names of the table; a trailing * stands for any ending.
std::vector<absl::string_view> KnownCustomCallTargets();
// Runs a known target; NotFoundError that names the target otherwise.
absl::StatusOr<Value> EvaluateCustomCall(const EvalContext& context);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_CUSTOM_CALL_TARGETS_H_
