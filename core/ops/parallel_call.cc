#include "core/ops/parallel_call.h"

#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/ir/written_names.h"
#include "core/ops/custom_call_targets.h"
#include "core/ops/device_groups.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// As the reader of StableHLO writes it.
struct Config {
  int64_t partitions = 1;  // how many functions a row of the grid has, one a partition
  int64_t infeed = 0;      // how many of the last functions make what the infeed has
};

std::optional<Config> ReadConfig(absl::string_view text) {
  Config config;
  if (text.empty()) return config;
  if (!absl::ConsumePrefix(&text, "\"") || !absl::ConsumeSuffix(&text, "\"")) return std::nullopt;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    if (absl::ConsumePrefix(&part, "partitions=")) {
      if (!absl::SimpleAtoi(part, &config.partitions) || config.partitions < 1) return std::nullopt;
    } else if (!absl::ConsumePrefix(&part, "infeed=") || !absl::SimpleAtoi(part, &config.infeed) || config.infeed < 0) {
      return std::nullopt;
    }
  }
  return config;
}

// The functions of the infeed follow those of the devices.
absl::Status SplitFunctions(const Instruction& call, ParallelCall& parallel) {
  const std::optional<Config> config = ReadConfig(call.backend_config);
  if (!config.has_value())
    return absl::InvalidArgumentError(absl::StrCat("backend_config says how many functions each replica has, and how many of the last make the infeed, as \"partitions=2\" or \"partitions=2,infeed=1\", not ",
                                                   call.backend_config));
  const std::vector<Computation*> all = call.CalledComputations();
  const int64_t devices = static_cast<int64_t>(all.size()) - config->infeed;
  if (devices <= 0) return absl::InvalidArgumentError("it names no function (called_computations={f, g})");
  parallel.functions.assign(all.begin(), all.begin() + devices);
  parallel.infeed.assign(all.begin() + devices, all.end());
  for (const Computation* function : parallel.infeed) {
    if (!function->parameters.empty()) return absl::InvalidArgumentError(absl::StrCat(function->name, ", whose result the infeed has, takes parameters"));
  }
  parallel.partitions = config->partitions;
  parallel.replicas = devices / config->partitions;
  if (parallel.replicas * parallel.partitions != devices)
    return absl::InvalidArgumentError(absl::StrCat("each replica has ", config->partitions, " functions, one a partition, and there are ", devices));
  return absl::OkStatus();
}

absl::StatusOr<Value> ConstantOf(const Instruction& i) {
  if (i.literal != nullptr && i.literal->value.has_value()) return i.literal->value;
  const bool tuple = i.shape.IsTuple() && Def(i).op_class == OpClass::kStructural && i.operands.size() == i.shape.tuple_shapes().size();
  if (!tuple) return absl::UnimplementedError(absl::StrCat(ShownName(i), " in ", i.parent->name, ", which the infeed has, is no constant"));
  std::vector<Value> elements;
  for (const Instruction* operand : i.operands) {
    absl::StatusOr<Value> element = ConstantOf(*operand);
    if (!element.ok()) return element;
    elements.push_back(*std::move(element));
  }
  return Value::Tuple(i.shape, std::move(elements));
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
  if (absl::Status split = SplitFunctions(call, parallel); !split.ok()) return split;
  const int devices = static_cast<int>(parallel.functions.size());
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

absl::StatusOr<std::vector<Value>> ConstantsOf(absl::Span<Computation* const> functions) {
  std::vector<Value> values;
  for (const Computation* function : functions) {
    absl::StatusOr<Value> value = ConstantOf(*function->root);
    if (!value.ok()) return value.status();
    values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace hloscope
