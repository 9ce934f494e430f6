// What one region computes: kernels, and instructions that the Machine does itself (custom calls, transfers, feeds).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/exec/custom_call.h"
#include "core/exec/exchange.h"
#include "core/exec/fault_guard.h"
#include "core/exec/machine_impl.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/ops/collectives.h"
#include "core/ops/custom_call_targets.h"
#include "core/ops/element_calls.h"
#include "core/ops/transfers.h"

namespace hloscope {

// `index` -1: `region` is a single instruction, whatever the plan says.
absl::StatusOr<Value> Machine::Impl::Execute(Stack& stack, int depth, const Region& region, int index, std::vector<Value> inputs,
                                             const Kernel** used) {
  absl::StatusOr<Value> result = Compute(stack, depth, region, index, std::move(inputs), used);
  if (!result.ok()) return result;
  const Instruction& root = *CodeOf(stack.frames[depth]).computation->schedule[region.root];
  if (IsInLayoutOf(*result, root.shape)) return result;
  if (root.literal != nullptr) {
    Value& laid = laid_constants[&root];
    if (!laid.has_value()) laid = ToLayout(*result, root.shape, &m.account_);
    if (!laid.has_value()) return MemoryError(root.shape.ByteSize(), root);
    return laid;
  }
  Value laid = ToLayout(*result, root.shape, &m.account_);
  if (!laid.has_value()) return MemoryError(root.shape.ByteSize(), root);
  return laid;
}

absl::StatusOr<Value> Machine::Impl::Compute(Stack& stack, int depth, const Region& region, int index, std::vector<Value> inputs,
                                             const Kernel** used) {
  Frame& frame = stack.frames[depth];
  Code& code = CodeOf(frame);
  const Instruction& root = *code.computation->schedule[region.root];
  const StepInfo& step = code.steps[region.root];
  ran = nullptr;
  if (dynamic && (step.kind == StepKind::kKernel || step.kind == StepKind::kEvaluate || step.kind == StepKind::kCustomCall)) {
    std::vector<Value> operands;
    for (const Instruction* operand : root.operands) {
      auto at = std::find(region.inputs.begin(), region.inputs.end(), operand->index);
      operands.push_back(inputs[at - region.inputs.begin()]);
    }
    if (step.kind == StepKind::kEvaluate && Def(root).op_class != OpClass::kOpaque && Def(root).evaluate != nullptr) {  // hands values on
      absl::StatusOr<Value> result = Evaluate(frame, root, operands);
      return result.ok() ? WithActualShape(*result) : result;
    }
    if (SizesDiffer(root, operands)) {
      inputs.clear();
      return ExecuteDynamic(frame, code, root, std::move(operands));
    }
  }
  if (step.kind == StepKind::kKernel) {
    absl::StatusOr<const Kernel*> kernel = index >= 0 ? RegionKernel(code, index) : SingleKernel(code, region.root);
    if (!kernel.ok()) return kernel.status();
    if (used != nullptr) *used = *kernel;
    return RunKernel(**kernel, frame, root, std::move(inputs));
  }
  switch (step.kind) {
    case StepKind::kConstant:
      if (absl::Status status = FillConstants(*code.computation, region); !status.ok()) return status;
      return root.literal->value;
    case StepKind::kTupleElement: {
      absl::Span<const Value> elements = inputs[0].elements();
      int64_t element = root.Int(AttrId::kIndex);
      if (element < 0 || element >= static_cast<int64_t>(elements.size())) return absl::InternalError("tuple index out of range");
      return elements[element];
    }
    case StepKind::kInfeed: return Infeed(frame, root);
    case StepKind::kExchange: return ExchangedBefore(frame, root);
    case StepKind::kDevice: {
      const Device device = m.options_.exchange->device();
      return Value::Scalar<uint32_t>(
          ElementType::kU32, static_cast<uint32_t>(ExchangeOf(root).role == ExchangeRole::kReplicaId ? device.replica : device.partition));
    }
    case StepKind::kOutfeed: {
      // A frame that runs again (a value of the past) hands out nothing new.
      auto [entry, fresh] = outfeed_log.try_emplace(MixHash(frame.path, static_cast<uint64_t>(root.index)), outfeed.size());
      auto at = std::find(region.inputs.begin(), region.inputs.end(), root.operands[0]->index);
      if (fresh) {
        outfeed.push_back(ToDense(inputs[at - region.inputs.begin()], &m.account_));
        outfeed_executed.push_back(m.executed_);
      }
      return Value::Token();
    }
    case StepKind::kNotExecuted: {
      const OpDef& def = Def(root);
      return absl::UnimplementedError(def.not_executed.empty() ? absl::StrCat(Name(root.opcode), " is not executed")
                                                               : std::string(def.not_executed));
    }
    case StepKind::kEvaluate:
    case StepKind::kSend:
    case StepKind::kReceive:
    case StepKind::kCustomCall: {
      if (inputs.size() != root.operands.size()) {  // repeated operands
        std::vector<Value> operands;
        for (const Instruction* operand : root.operands) {
          auto at = std::find(region.inputs.begin(), region.inputs.end(), operand->index);
          operands.push_back(inputs[at - region.inputs.begin()]);
        }
        inputs = std::move(operands);
      }
      if (step.kind == StepKind::kSend) return Send(frame, root, step, inputs);
      if (step.kind == StepKind::kReceive) return Receive(frame, root, step, inputs);
      return step.kind == StepKind::kEvaluate ? Evaluate(frame, root, inputs) : CustomCall(frame, root, inputs);
    }
    case StepKind::kControl: {
      std::vector<Value> operands;
      for (const Instruction* operand : root.operands) {
        auto at = std::find(region.inputs.begin(), region.inputs.end(), operand->index);
        operands.push_back(inputs[at - region.inputs.begin()]);
      }
      inputs.clear();
      return RunControlNested(frame.path, root, std::move(operands));
    }
    case StepKind::kParameter: return ParameterOf(stack, depth, static_cast<int>(root.parameter_number));
    case StepKind::kKernel: break;
  }
  return absl::InternalError("unreachable");
}

absl::StatusOr<Value> Machine::Impl::RunKernel(const Kernel& kernel, const Frame& frame, const Instruction& root,
                                               std::vector<Value> inputs) {
  if (m.options_.memory_limit > 0) {
    if (absl::Status status = CheckMemory(frame, root, inputs); !status.ok()) return status;
  }
  RunContext context;
  context.account = &m.account_;
  context.stream_seed = StreamSeed(frame, root);
  context.cancel = &m.interrupt_;
  if (m.options_.exchange != nullptr) context.process = m.options_.exchange->process();
  absl::StatusOr<Value> result = absl::UnknownError("");
  absl::Status fault = RunGuarded([&] { result = kernel.Run(context, std::move(inputs)); });
  if (!fault.ok()) return fault;
  if (result.ok() && !result->has_value()) return MemoryError(root.shape.ByteSize(), root);
  if (!result.ok()) return result;
  if (absl::Status room = MakeRoom(0, root); !room.ok()) return room;
  return result;
}

absl::StatusOr<Value> Machine::Impl::Evaluate(const Frame& frame, const Instruction& instruction, absl::Span<const Value> operands) {
  // Handles are passed on as they are; who looks at elements gets dense arrays.
  std::vector<Value> dense;
  if (Def(instruction).op_class != OpClass::kStructural) {
    for (const Value& operand : operands) dense.push_back(ToDense(operand, &m.account_));
    operands = dense;
  }
  EvalContext context{instruction, operands, &m.account_};
  context.stream_seed = StreamSeed(frame, instruction);
  const uint64_t path = frame.path;
  context.call = [this, &instruction, path](const Computation& computation, absl::Span<const Value> arguments) -> absl::StatusOr<Value> {
    absl::StatusOr<Value> result =
        CallNested(FrameKind::kCall, &instruction, path, computation, std::vector<Value>(arguments.begin(), arguments.end()), 0, -1);
    return result.ok() ? ToDense(*result, &m.account_) : result;
  };
  return Def(instruction).evaluate != nullptr ? Def(instruction).evaluate(context) : ElementCalls::Evaluate(context);
}

absl::StatusOr<Value> Machine::Impl::CustomCall(const Frame& frame, const Instruction& instruction, absl::Span<const Value> operands) {
  absl::string_view target = instruction.Text(AttrId::kCustomCallTarget);
  if (m.options_.custom_calls != nullptr) {
    if (CustomCallFunction function = m.options_.custom_calls->Find(target)) {
      const uint64_t key = MixHash(frame.path, static_cast<uint64_t>(instruction.index));
      if (const Value* logged = Replayed(key)) return *logged;
      absl::StatusOr<Value> result = CustomCallLibrary::Call(function, instruction, operands, &m.account_);
      if (result.ok() && checkpoint != nullptr) Log(key, *result);
      return result;
    }
  }
  if (m.options_.run_parallel && FindCustomCallTarget(target) == CustomCallTarget::kParallel) {
    const uint64_t key = MixHash(frame.path, static_cast<uint64_t>(instruction.index));
    if (const Value* logged = Replayed(key)) return *logged;
    std::vector<Value> dense;
    for (const Value& operand : operands) dense.push_back(ToDense(operand, &m.account_));
    absl::StatusOr<Value> result = m.options_.run_parallel(instruction, dense);
    if (result.ok() && checkpoint != nullptr) Log(key, *result);
    return result;
  }
  if (Def(instruction).evaluate == nullptr) {
    return absl::UnimplementedError(absl::StrCat("custom call target \"", target, "\" is unknown; load a library that defines `void ",
                                                 target, "(void* out, void** in)` with --custom-call LIB.so"));
  }
  absl::StatusOr<Value> result = Evaluate(frame, instruction, operands);
  if (absl::IsFailedPrecondition(result.status()) && m.options_.on_failed_check &&
      FindCustomCallTarget(target) == CustomCallTarget::kCheck && m.options_.on_failed_check(instruction, result.status())) {
    return Value::Tuple(instruction.shape, {});
  }
  if (absl::IsNotFound(result.status())) {
    return absl::NotFoundError(absl::StrCat(result.status().message(), "; load a library that defines `void ", target,
                                            "(void* out, void** in)` with --custom-call LIB.so"));
  }
  if (result.ok() && operands.size() == 1 && result->buffer() != nullptr && result->buffer() == operands[0].buffer()) {
    Say(absl::StrCat("custom call ", target, " passes its operand through"));
  }
  return result;
}

// On one device a send is for its own computation, unless its pairs name another.
static absl::Status PairsNameOneDevice(const Instruction& transfer) {
  const auto pairs = TransferPairs(transfer);
  if (!pairs.ok() || !pairs->has_value()) return pairs.status();
  for (const auto& [from, to] : **pairs) {
    for (const int64_t n : {from, to}) {
      if (n != 0) return absl::InvalidArgumentError(absl::StrCat("source_target_pairs names device ", n, ", but this run has 1 device", kSayOtherwise));
    }
  }
  return absl::OkStatus();
}

static uint64_t ChannelKey(const Frame& frame, const Instruction& transfer, const StepInfo& step) {
  return MixHash(MixHash(frame.path, static_cast<uint64_t>(ChannelOf(transfer))), static_cast<uint64_t>(step.on_channel));
}

absl::StatusOr<Value> Machine::Impl::Send(const Frame& frame, const Instruction& instruction, const StepInfo& step, absl::Span<const Value> operands) {
  const int64_t channel = ChannelOf(instruction);
  const bool host = instruction.Bool(AttrId::kIsHostTransfer);
  if (host || !step.taken) {
    return absl::UnimplementedError(absl::StrCat(
        Name(instruction.opcode), " ", ShownName(instruction), " sends on channel ", channel, " to ",
        host ? "the host, where nobody receives" : "another device, as nothing in its computation receives there; this run has one replica",
        host ? "" : kSayReplicas));
  }
  if (absl::Status pairs = PairsNameOneDevice(instruction); !pairs.ok()) return pairs;
  if (step.stuck != nullptr) {
    return absl::FailedPreconditionError(absl::StrCat(ShownName(*step.stuck), " would wait for ever: it completes what ", ShownName(instruction), " sends on channel ", channel,
                                                      " before the computation begins to receive that"));
  }
  channels[ChannelKey(frame, instruction, step)] = operands[0];
  return Evaluate(frame, instruction, operands);
}

absl::StatusOr<Value> Machine::Impl::Receive(const Frame& frame, const Instruction& instruction, const StepInfo& step, absl::Span<const Value> operands) {
  const int64_t channel = ChannelOf(instruction);
  const uint64_t key = MixHash(frame.path, static_cast<uint64_t>(instruction.index));
  if (const Value* logged = Replayed(key)) return Evaluate(frame, instruction, {*logged});
  auto sent = channels.find(ChannelKey(frame, instruction, step));
  if (!instruction.Bool(AttrId::kIsHostTransfer)) {
    if (absl::Status pairs = PairsNameOneDevice(instruction); !pairs.ok()) return pairs;
  }
  if (sent == channels.end() || instruction.Bool(AttrId::kIsHostTransfer)) {
    return absl::FailedPreconditionError(absl::StrCat(Name(instruction.opcode), " ", ShownName(instruction), " would wait for ever on channel ",
                                                      channel, ": nothing was sent there before; this run has one replica", kSayReplicas));
  }
  const Shape& wanted = operands[0].shape().tuple_shapes()[0];
  if (!Shape::Compatible(sent->second.shape(), wanted)) {
    return absl::FailedPreconditionError(absl::StrCat(Name(instruction.opcode), " ", ShownName(instruction), " takes ", wanted.ToString(false),
                                                      " from channel ", channel, ", but ", sent->second.shape().ToString(false),
                                                      " was sent"));
  }
  std::vector<Value> elements(operands[0].elements().begin(), operands[0].elements().end());
  elements[0] = ToLayout(sent->second, wanted, &m.account_);
  if (!elements[0].has_value()) return MemoryError(wanted.ByteSize(), instruction);
  channels.erase(sent);
  const Value filled = Value::Tuple(operands[0].shape(), std::move(elements));
  if (checkpoint != nullptr) Log(key, filled);
  return Evaluate(frame, instruction, {filled});
}

absl::StatusOr<Value> Machine::Impl::Infeed(const Frame& frame, const Instruction& instruction) {
  // A frame that runs again (a value of the past) gets the items that it got before.
  auto [entry, fresh] = infeed_log.try_emplace(MixHash(frame.path, static_cast<uint64_t>(instruction.index)), infeed_next);
  size_t at = entry->second;
  std::function<absl::StatusOr<Value>(const Shape&)> take = [&](const Shape& shape) -> absl::StatusOr<Value> {
    if (shape.IsToken()) return Value::Token();
    const std::vector<Value>& items = m.options_.infeed;
    if (at < items.size() && FitsDeclared(items[at].shape(), shape)) return items[at++];
    if (shape.IsTuple()) {
      std::vector<Value> elements;
      for (const Shape& element : shape.tuple_shapes()) {
        absl::StatusOr<Value> value = take(element);
        if (!value.ok()) return value;
        elements.push_back(*std::move(value));
      }
      return Value::Tuple(shape, std::move(elements));
    }
    if (at >= items.size()) {
      return absl::OutOfRangeError(absl::StrCat("the infeed is empty: item ", at, " (", shape.ToString(false), ") is wanted, ",
                                                items.size(), " were given; give more with --infeed FILE.npz"));
    }
    return absl::InvalidArgumentError(
        absl::StrCat("infeed item ", at, " has shape ", items[at].shape().ToString(false), ", wanted is ", shape.ToString(false)));
  };
  absl::StatusOr<Value> result = take(instruction.shape);
  if (!result.ok()) {
    if (fresh) infeed_log.erase(MixHash(frame.path, static_cast<uint64_t>(instruction.index)));
    return result;
  }
  if (fresh) infeed_next = at;
  return result;
}

}  // namespace hloscope
