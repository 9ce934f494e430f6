// Evaluates element programs, one element at a time: the meaning that everything else is compared with.
#ifndef HLOSCOPE_CORE_ELEMENT_INTERPRET_H_
#define HLOSCOPE_CORE_ELEMENT_INTERPRET_H_

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/element/program.h"
#include "core/literal/scalar.h"
#include "core/literal/value.h"

namespace hloscope {

// An element and a bound on how far a correct implementation may lie from it: running error analysis, accumulated beside the value.
// 0: bit for bit. infinity: no statement (a comparison or a conversion that the bounds of its inputs leave undecided).
// Sources of bounds: transcendental functions (FunctionUlp of their type), folds marked `library_order` in the options, and bounds
// given with the operands' loads. Everything else only propagates.
struct BoundedScalar {
  Scalar value;
  double bound = 0;
};

// How many ULP the implementations of `op` may differ by, in `type`: 0 for exactly rounded ones.
double FunctionUlp(ScalarOp op, ElementType type);

struct InterpretOptions {
  // The result came from a library whose order of summation is its own: folds of + add K * u * sum |terms| to the bound (K terms).
  bool library_order = false;
  // library accumulates bf16 / f16 in f32 and rounds once; the bound takes that into account: the interpreter then folds in f32.
  bool library_wide_accumulation = false;
  bool bounds = true;  // false: skip the bookkeeping (the reference backend)
};

// Prepared for many elements of one program. Not thread-safe; make one a thread.
class Interpreter {
 public:
  Interpreter(const Program& program, InterpretOptions options = {});
  ~Interpreter();
  // Elements of all outputs at `index` (pull), from operand values (shapes Compatible with program.operands; best dense, others are copied each time).
  // Push programs: applies every update that hits `index` (a pass over the domain).
  absl::StatusOr<std::vector<BoundedScalar>> At(absl::Span<const Value* const> operands, absl::Span<const int64_t> index);
  // Push programs, several indices in one pass over the domain: result[k][o].
  absl::StatusOr<std::vector<std::vector<BoundedScalar>>> AtMany(absl::Span<const Value* const> operands,
                                                                 absl::Span<const std::vector<int64_t>> indices);
  // Pull programs: elements begin ... end - 1 in row-major order, one after the other, without a copy of each.
  absl::Status ForRange(absl::Span<const Value* const> operands, int64_t begin, int64_t end,
                        const std::function<void(int64_t linear, absl::Span<const BoundedScalar>)>& take);
  // Whole outputs.
  absl::StatusOr<std::vector<Value>> All(absl::Span<const Value* const> operands, MemoryAccount* account = nullptr);
  // Called for every load of At with the operand, its row-major linear index and the value ("where does this element come from?").
  void set_on_load(std::function<void(int operand, int64_t linear, const Scalar&)> f);
  // Set from another thread or a signal: evaluation ends soon with CancelledError.
  void set_cancel(const std::atomic<bool>* cancel);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_INTERPRET_H_
