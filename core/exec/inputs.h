// Made-up inputs: parameters filled from a seed so that a program runs to sensible numbers, and elided constants.
#ifndef HLOSCOPE_CORE_EXEC_INPUTS_H_
#define HLOSCOPE_CORE_EXEC_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

struct Fill {
  enum Kind : uint8_t { kRandom, kZeros, kOnes, kIota } kind = kRandom;
  uint64_t seed = 0;
};
// "random:7", "zeros", "ones", "iota".
absl::StatusOr<Fill> ParseFill(absl::string_view text);

// A value for entry parameter `number`, the same for the same (module, fill). Random: small finite values scaled by fan-in where the
// parameter reaches a dot or convolution; integers that reach a gather, scatter, dynamic-slice or one-hot stay in range; positive
// values where the parameter reaches only square roots, reciprocal square roots, logarithms (or variances of batch norm).
absl::StatusOr<Value> MakeInput(const Module& module, int number, const Fill& fill, MemoryAccount* account);

// Fills every elided constant reproducibly (as if it were a parameter). Returns how many there were. The Machine fills them one by one
// when they are first read, so nobody needs this before a run.
int FillElidedConstants(Module& module, const Fill& fill, MemoryAccount* account);
// One of them, if it is elided and not filled yet. Its literal is a cache, which is why the instruction may be const.
absl::Status FillElidedConstant(const Instruction& constant, const Fill& fill, MemoryAccount* account);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_INPUTS_H_
