#include "backends/exchange/reduction.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/exec/fault_guard.h"
#include "core/exec/machine.h"
#include "core/literal/relayout.h"
#include "core/ops/collective_exchange.h"
#include "core/ops/element_calls.h"

namespace hloscope {
namespace {

// Arrays that one kernel reduces: more are reduced in turns, in the same order.
constexpr size_t kArraysAtOnce = 8;

}  // namespace

absl::StatusOr<Value> Reductions::Reduce(const Computation& reducer, std::vector<Value> arrays) {
  if (arrays.empty()) return absl::InternalError("there is nothing to reduce");
  // A reducer may work in another type than the arrays have: they are converted to it, and what has come of all of them is converted back.
  const ElementType given = arrays[0].shape().element_type(), type = reducer.root->shape.element_type();
  const auto no_memory = [&] { return absl::ResourceExhaustedError(absl::StrCat("no memory for ", arrays[0].shape().WithElementType(type).ToString(false))); };
  for (Value& array : arrays) {
    Value converted = ConvertValue(array, type, account_);
    if (!converted.has_value()) return no_memory();
    array = std::move(converted);
  }
  Value total = arrays[0];
  for (size_t next = 1; next < arrays.size();) {
    std::vector<Value> turn = {std::move(total)};
    while (next < arrays.size() && turn.size() < kArraysAtOnce) turn.push_back(std::move(arrays[next++]));
    const Shape shape = turn[0].shape();
    absl::StatusOr<std::shared_ptr<const Compiled>> compiled = Get(reducer, shape, static_cast<int>(turn.size()));
    if (!compiled.ok()) return compiled.status();
    absl::StatusOr<Value> reduced = Run(**compiled, std::move(turn));
    if (!reduced.ok()) return reduced;
    if (!reduced->has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for ", shape.ToString(false)));
    total = *std::move(reduced);
  }
  Value result = ConvertValue(total, given, account_);
  if (!result.has_value()) return no_memory();
  return result;
}

absl::StatusOr<std::shared_ptr<const Reductions::Compiled>> Reductions::Get(const Computation& reducer, const Shape& shape, int count) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const Compiled>& known = compiled_[{&reducer, shape.ToString(false), count}];
  if (known != nullptr) return known;
  auto made = std::make_shared<Compiled>();
  made->module = ReductionModule(reducer, shape.WithoutLayouts(), count);
  const Computation& computation = *made->module->entry;
  if (CallsAreExpressions(*computation.root)) {
    absl::StatusOr<std::unique_ptr<Plan>> plan = backend_.MakePlan(computation);
    if (!plan.ok()) return plan.status();
    made->plan = *std::move(plan);
    for (const Region& region : made->plan->regions) {
      made->kernels.emplace_back();
      if (computation.schedule[region.root]->parameter_number >= 0) continue;
      absl::StatusOr<std::shared_ptr<const Kernel>> kernel = backend_.GetKernel(computation, region);
      if (!kernel.ok()) return kernel.status();
      made->kernels.back() = *std::move(kernel);
    }
  }
  known = std::move(made);
  return known;
}

absl::StatusOr<Value> Reductions::Run(const Compiled& compiled, std::vector<Value> arrays) {
  const Computation& computation = *compiled.module->entry;
  std::vector<Value> values(computation.schedule.size());
  for (const Instruction* parameter : computation.parameters) values[parameter->index] = std::move(arrays[parameter->parameter_number]);
  if (compiled.plan != nullptr) {
    for (size_t r = 0; r < compiled.plan->regions.size(); ++r) {
      if (compiled.kernels[r] == nullptr) continue;
      const Region& region = compiled.plan->regions[r];
      std::vector<Value> inputs;
      for (int input : region.inputs) inputs.push_back(values[input]);
      RunContext context;
      context.account = account_;
      absl::StatusOr<Value> result = absl::UnknownError("");
      const absl::Status fault = RunGuarded([&] { result = compiled.kernels[r]->Run(context, std::move(inputs)); });
      if (!fault.ok()) return fault;
      if (!result.ok()) return result;
      values[region.root] = *std::move(result);
    }
    return ToDense(values[computation.root->index], account_);
  }
  // The reducer has loops or calls of its own: a Machine runs it for each element.
  for (const Instruction* i : computation.schedule) {
    if (i->parameter_number >= 0) continue;
    const Computation& reducer = *i->Called(AttrId::kToApply);
    MachineOptions options;
    options.entry = &reducer;
    Machine machine(*reducer.module, backend_, std::move(options));
    const std::vector<Value> operands = {values[i->operands[0]->index], values[i->operands[1]->index]};
    EvalContext context{*i, operands, account_};
    context.call = [&machine](const Computation&, absl::Span<const Value> arguments) -> absl::StatusOr<Value> {
      if (absl::Status s = machine.Start(std::vector<Value>(arguments.begin(), arguments.end())); !s.ok()) return s;
      if (machine.Run() != StopReason::kFinished) return machine.status();
      return machine.result();
    };
    absl::StatusOr<Value> result = ElementCalls::Evaluate(context);
    if (!result.ok()) return result;
    values[i->index] = *std::move(result);
  }
  return values[computation.root->index];
}

}  // namespace hloscope
