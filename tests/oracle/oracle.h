// The oracle: every operation said again as plain loops, written from the specification, without core/element and core/ops. It runs whole
// modules, slowly, and knows for each element of the result how far a right answer may lie from its own.
// Not for several replicas.
#ifndef HLOSCOPE_TESTS_ORACLE_ORACLE_H_
#define HLOSCOPE_TESTS_ORACLE_ORACLE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "tests/oracle/arrays.h"

namespace hloscope::oracle {

struct Options {
  int64_t max_steps = 50'000'000;  // instructions executed; more is ResourceExhaustedError
  // The world outside. Without a function the operation is Unimplemented.
  std::function<Value(const Shape&)> infeed;     // the next item
  std::vector<Array>* outfeed = nullptr;         // items are added
  std::function<absl::StatusOr<Array>(const Instruction&, Operands)> custom_call;  // NotFound: none that it knows
};

// The entry's result on `arguments`. Unimplemented: an operation (send, a custom call, ...) that has no meaning here.
// Aborted: control flow depends on a value whose bound leaves it undecided.
absl::StatusOr<Array> Evaluate(const Module& module, const std::vector<Value>& arguments, const Options& options = {});
// The same as values: the elements of a tuple result, or the only one.
absl::StatusOr<std::vector<Value>> OracleRun(const Module& module, const std::vector<Value>& arguments);

// Compares what somebody computed with the oracle's answer. Empty: it agrees; else where and how it does not.
struct Comparison {
  int64_t compared = 0, unknown = 0;  // elements
  int64_t exact = 0;                  // of the compared ones, those that had to agree to the bit
  std::string difference;             // the first
  bool ok() const { return difference.empty(); }
};
Comparison CompareWith(const Array& expected, const Value& got);

}  // namespace hloscope::oracle

#endif  // HLOSCOPE_TESTS_ORACLE_ORACLE_H_
