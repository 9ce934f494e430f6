#include "core/ops/parallel_call.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/ops/custom_call_targets.h"
#include "core/ops/device_groups.h"

namespace hloscope {
namespace {

// How many functions a row of the grid has, one a partition, as the reader of StableHLO writes it.
absl::StatusOr<int64_t> PartitionsOf(const Instruction& call) {
  absl::string_view config = call.backend_config;
  int64_t partitions = 1;
  if (config.empty()) return partitions;
  if (!absl::ConsumePrefix(&config, "\"partitions=") || !absl::ConsumeSuffix(&config, "\"") || !absl::SimpleAtoi(config, &partitions) || partitions < 1)
    return absl::InvalidArgumentError(absl::StrCat("backend_config says how many functions each replica has, as \"partitions=2\", not ", call.backend_config));
  return partitions;
}

// What a function gives as results of the call: the elements of a tuple each for itself.
void AddResults(const Shape& shape, std::vector<Shape>& results) {
  if (!shape.IsTuple()) return results.push_back(shape);
  results.insert(results.end(), shape.tuple_shapes().begin(), shape.tuple_shapes().end());
}

absl::Status CheckResults(const Instruction& call, const ParallelCall& parallel) {
  std::vector<Shape> given, written;
  for (const Computation* function : parallel.functions) {
    if (function->root == nullptr || function->root->in_error) return absl::OkStatus();  // that is said there
    AddResults(function->root->shape, given);
  }
  AddResults(call.shape, written);
  if (given.size() != written.size())
    return absl::InvalidArgumentError(absl::StrCat("the functions give ", given.size(), " results, and ", written.size(), written.size() == 1 ? " is" : " are", " written"));
  for (size_t k = 0; k < given.size(); ++k) {
    if (!Shape::Compatible(given[k], written[k]))
      return absl::InvalidArgumentError(absl::StrCat("result ", k, " is written as ", written[k].ToString(false), ", and its function gives ", given[k].ToString(false)));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsParallelCall(const Instruction& instruction) {
  return instruction.Has(AttrId::kCustomCallTarget) && FindCustomCallTarget(instruction.Text(AttrId::kCustomCallTarget)) == CustomCallTarget::kParallel;
}

absl::StatusOr<ParallelCall> ParallelCallOf(const Instruction& call) {
  ParallelCall parallel;
  parallel.functions = call.CalledComputations();
  const absl::StatusOr<int64_t> partitions = PartitionsOf(call);
  if (!partitions.ok()) return partitions.status();
  const int64_t devices = static_cast<int64_t>(parallel.functions.size());
  parallel.partitions = *partitions;
  parallel.replicas = devices / *partitions;
  if (devices == 0) return absl::InvalidArgumentError("it names no function (called_computations={f, g})");
  if (parallel.replicas * parallel.partitions != devices)
    return absl::InvalidArgumentError(absl::StrCat("each replica has ", *partitions, " functions, one a partition, and there are ", devices));
  const int operands = static_cast<int>(call.operands.size());
  int next = 0;
  for (int d = 0; d < devices; ++d) {
    const Computation& function = *parallel.functions[d];
    const std::string name = absl::StrCat(function.name, " on ", DeviceText({d / parallel.partitions, d % parallel.partitions}, parallel.replicas, parallel.partitions));
    parallel.first_operand.push_back(next);
    for (size_t p = 0; p < function.parameters.size(); ++p, ++next) {
      if (next >= operands) continue;
      const Shape &given = call.operands[next]->shape, &wanted = function.parameters[p]->shape;
      if (!Shape::Compatible(given, wanted))
        return absl::InvalidArgumentError(absl::StrCat("parameter ", p, " of ", name, " is ", wanted.ToString(false), ", and operand ", next, " is ", given.ToString(false)));
    }
  }
  if (next != operands) return absl::InvalidArgumentError(absl::StrCat("the functions take ", next, next == 1 ? " operand" : " operands", " together, and there ", operands == 1 ? "is " : "are ", operands));
  if (absl::Status results = CheckResults(call, parallel); !results.ok()) return results;
  return parallel;
}

}  // namespace hloscope
