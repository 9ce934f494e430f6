// One operation at a time: instructions of random programs and of the samples, each as a program of its own whose parameters are what the
// instruction reads. For tests that ask something of every operation. Not for whole programs (generate.h).
#ifndef HLOSCOPE_TESTS_RANDOM_INSTANCES_H_
#define HLOSCOPE_TESTS_RANDOM_INSTANCES_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/exec/backend.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "tests/random/harness.h"

namespace hloscope {

struct Instance {
  Opcode operation{};  // of the module's result
  std::string origin;  // "seed 12" or a file, and the instruction
  std::unique_ptr<Module> module;
  std::vector<Value> parameters;  // as the program that it was cut out of had them
};

struct InstanceOptions {
  uint64_t seeds = 1500;          // of random programs, from 1
  int per_operation = 8;          // at most so many of each
  int per_pointwise = 3;          // of operations of which each element is made of those at its own place
  int64_t operand_elements = 28;  // of all operands together
  int64_t result_elements = 36;
};

// Calls `each` with one after the other. Files of `samples` come where random programs have too few of an operation.
void EachInstance(const InstanceOptions& options, const std::string& samples, const std::function<void(const Instance&)>& each);

// Other values of the same shapes.
std::vector<Value> RedrawnParameters(const Instance& instance, Inputs inputs, uint64_t seed);
// FailedPrecondition and the like where these values have no result.
absl::StatusOr<Value> ResultOf(const Instance& instance, Backend& backend, const std::vector<Value>& parameters);

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_RANDOM_INSTANCES_H_
