// The table of custom-call targets.
#include "core/ops/custom_call_targets.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "core/ops/check_calls.h"
#include "core/ops/rules.h"
#include "core/ops/topk.h"

namespace hloscope {
namespace {

struct Row {
  absl::string_view name;
  CustomCallTarget kind;
};
constexpr Row kRows[] = {
    {"Sharding", CustomCallTarget::kPassThrough},
    {"xla.sdy.*", CustomCallTarget::kPassThrough},
    {"SPMDFullToShardShape", CustomCallTarget::kPassThrough},
    {"SPMDShardToFullShape", CustomCallTarget::kPassThrough},
    {"annotate_device_placement", CustomCallTarget::kPassThrough},
    {"MoveToDevice", CustomCallTarget::kPassThrough},
    {"MoveToHost", CustomCallTarget::kPassThrough},
    {"PinToDevice", CustomCallTarget::kPassThrough},
    {"PinToDeviceSram", CustomCallTarget::kPassThrough},
    {"LayoutConstraint", CustomCallTarget::kPassThrough},
    {"TopK", CustomCallTarget::kEvaluated},
    {"check.*", CustomCallTarget::kCheck},
    {"quantized:*", CustomCallTarget::kRefused},
    {"interpreter.run_parallel", CustomCallTarget::kParallel},
};

absl::StatusOr<Value> PassThrough(const EvalContext& c) {
  const Instruction& i = c.instruction;
  const auto mismatch = [&](const Shape& from) {
    return absl::FailedPreconditionError(absl::StrCat("custom call ", i.Text(AttrId::kCustomCallTarget),
                                                      " passes its operand through, but gives ", TypeText(i.shape), " for ", TypeText(from),
                                                      absl::StartsWith(i.Text(AttrId::kCustomCallTarget), "SPMD")
                                                          ? "; this is a program before XLA's SPMD partitioner, which says what part each device has: dump the program after it"
                                                          : ""));
  };
  if (c.operands.size() == 1) {
    const Value& v = c.operands[0];
    if (!Shape::Compatible(v.shape(), i.shape)) return mismatch(v.shape());
    return v.shape().IsArray() ? v.WithShape(i.shape) : v;
  }
  if (!i.shape.IsTuple() || i.shape.tuple_shapes().size() != c.operands.size()) return mismatch(Shape());
  for (size_t k = 0; k < c.operands.size(); ++k) {
    if (!Shape::Compatible(c.operands[k].shape(), i.shape.tuple_shapes()[k])) return mismatch(c.operands[k].shape());
  }
  return Value::Tuple(i.shape, std::vector<Value>(c.operands.begin(), c.operands.end()));
}

}  // namespace

CustomCallTarget FindCustomCallTarget(absl::string_view target) {
  for (const Row& row : kRows) {
    absl::string_view prefix = row.name;
    if (absl::ConsumeSuffix(&prefix, "*") ? absl::StartsWith(target, prefix) : target == row.name) return row.kind;
  }
  return CustomCallTarget::kUnknown;
}

std::vector<absl::string_view> KnownCustomCallTargets() {
  std::vector<absl::string_view> names;
  for (const Row& row : kRows) names.push_back(row.name);
  return names;
}

bool IsQuantizedOperation(const Instruction& instruction) {
  return instruction.Has(AttrId::kCustomCallTarget) && absl::StartsWith(instruction.Text(AttrId::kCustomCallTarget), "quantized:");
}

absl::StatusOr<Value> EvaluateCustomCall(const EvalContext& c) {
  const absl::string_view target = c.instruction.Text(AttrId::kCustomCallTarget);
  switch (FindCustomCallTarget(target)) {
    case CustomCallTarget::kPassThrough: return PassThrough(c);
    case CustomCallTarget::kEvaluated:
      if (c.operands.size() != 1) return absl::InvalidArgumentError("custom call TopK takes one array");
      return TopK(c, /*largest=*/true);
    case CustomCallTarget::kCheck: {
      const auto& of = c.instruction.operands;
      const bool normwise = std::any_of(of.begin(), of.end(), [](const Instruction* i) { return Def(*i).normwise_error; });
      if (absl::Status status = RunCheck(target, c.instruction.backend_config, c.operands, normwise); !status.ok()) return status;
      if (!c.instruction.shape.IsTuple() || !c.instruction.shape.tuple_shapes().empty()) {
        return absl::InvalidArgumentError(absl::StrCat("custom call ", target, " has no result: its shape is ()"));
      }
      return Value::Tuple(c.instruction.shape, {});
    }
    case CustomCallTarget::kRefused:
      return absl::UnimplementedError(absl::StrCat(target.substr(target.find(':') + 1), ": operations on quantized types are not executed, they are only read"));
    case CustomCallTarget::kParallel:
      return absl::UnimplementedError(
          "runs functions on several devices, which is not executed here; hloscope run, test and debug do");
    case CustomCallTarget::kUnknown: break;
  }
  return absl::NotFoundError(absl::StrCat("the custom-call target \"", target, "\" is not known here"));
}

}  // namespace hloscope
