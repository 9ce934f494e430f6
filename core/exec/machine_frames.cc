// Frames: how they begin and end, control flow, and how long a frame holds its values.
//
// A value is moved, not copied, to its last reader, and a tuple that is only taken apart gives its elements away at once. So a loop that
// updates an array carries the only handle to it round, and the update happens in place.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/exec/machine_impl.h"
#include "core/literal/relayout.h"
#include "core/ops/branches.h"

namespace hloscope {

namespace {

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

Shape OperandsShape(absl::Span<const Value> operands) {
  std::vector<Shape> shapes;
  for (const Value& operand : operands) shapes.push_back(operand.shape());
  return Shape::Tuple(std::move(shapes));
}

}  // namespace

// ---- Frames ----

uint64_t Machine::Impl::PathOf(uint64_t caller_path, const Instruction* caller, FrameKind kind, int64_t iteration, int branch) const {
  if (caller == nullptr) return MixHash(m.options_.seed, 1);
  uint64_t where = (static_cast<uint64_t>(caller->parent->id) << 32) | static_cast<uint32_t>(caller->index);
  return MixHash(MixHash(caller_path, where), (static_cast<uint64_t>(iteration) << 24) ^ (static_cast<uint64_t>(branch + 1) << 4) ^ static_cast<uint64_t>(kind));
}

uint64_t Machine::Impl::StreamSeed(const Frame& frame, const Instruction& instruction) const { return MixHash(frame.path, static_cast<uint64_t>(instruction.index) + 1); }

absl::Status Machine::Impl::PushFrame(Stack& stack, FrameKind kind, const Instruction* caller, uint64_t caller_path, const Computation& computation,
                             std::vector<Value> arguments, int64_t iteration, int branch, bool changed) {
  absl::StatusOr<Code*> got = Get(computation);
  if (!got.ok()) return got.status();
  Code& code = **got;
  if (arguments.size() != computation.parameters.size()) return absl::InternalError("a call's operands do not match the computation's parameters");
  Frame frame;
  frame.kind = kind;
  frame.computation = &computation;
  frame.plan = code.plan.get();
  frame.iteration = iteration;
  frame.branch = branch;
  frame.caller = caller;
  frame.caller_path = caller_path;
  frame.path = PathOf(caller_path, caller, kind, iteration, branch);
  frame.serial = next_serial++;
  frame.changed = changed;
  frame.counted = kind != FrameKind::kElement && (stack.frames.empty() || stack.frames.back().counted);
  if (stack.main) {
    if (frame.counted) ++frames_begun[computation.id];
    if (armed_changed) UpdateArmedWithin();
    // A loop around a stop hands its values on: should the stop be reached, the loop's frame is come back to in a way that keeps them.
    const bool loop = IsLoop(kind);
    frame.pinned = kind == FrameKind::kEntry || kind == FrameKind::kElement || (loop ? !armed[computation.id].empty() : armed_within[computation.id]) || changed || static_cast<int>(stack.frames.size()) <= pin_depth ||
                   (goal != nullptr && static_cast<int>(stack.frames.size()) == goal->goal_depth && kind == goal->goal_kind && iteration == goal->goal_iteration);
    if (checkpoint != nullptr && IsLoop(kind)) {
      frame.pinned = frame.pinned || code.long_running || CheckpointDue();
      frame.begun_ns = NowNs();
    }
    frame.retains = frame.pinned && m.options_.retain_bytes > 0;
  }
  if (code.spare_values.empty()) {
    frame.values.resize(computation.schedule.size());
    frame.pending = code.plan->use_count;
  } else {
    frame.values = std::move(code.spare_values.back());
    code.spare_values.pop_back();
    frame.pending = std::move(code.spare_pending.back());
    code.spare_pending.pop_back();
    std::copy(code.plan->use_count.begin(), code.plan->use_count.end(), frame.pending.begin());
  }
  for (size_t k = 0; k < arguments.size(); ++k) {
    if (!arguments[k].has_value()) continue;
    if (absl::Status stored = Store(frame, computation.parameters[k]->index, std::move(arguments[k])); !stored.ok()) return stored;
  }
  stack.frames.push_back(std::move(frame));
  return absl::OkStatus();
}

void Machine::Impl::PopFrame(Stack& stack) {
  Frame& frame = stack.frames.back();
  Code& code = CodeOf(frame);
  retained_bytes -= frame.retained_bytes;
  for (Value& value : frame.values) {
    if (value.has_value()) value = Value();
  }
  code.spare_values.push_back(std::move(frame.values));
  code.spare_pending.push_back(std::move(frame.pending));
  stack.frames.pop_back();
}

absl::Status Machine::Impl::PushControl(Stack& stack, uint64_t path, const Instruction& instruction, std::vector<Value> operands) {
  switch (Def(instruction).control) {
    case ControlKind::kCall: {
      std::vector<Computation*> called = instruction.CalledComputations();
      if (called.empty()) return absl::InternalError("nothing is called");
      FrameKind kind = called[0]->is_fusion ? FrameKind::kFusion : FrameKind::kCall;
      // A call that has an evaluate beside gives a value around the call's result.
      Value kept = Def(instruction).evaluate != nullptr ? Value::Tuple(OperandsShape(operands), operands) : Value();
      absl::Status status = PushFrame(stack, kind, &instruction, path, *called[0], std::move(operands), 0, -1);
      if (status.ok()) stack.frames.back().carried = std::move(kept);
      return status;
    }
    case ControlKind::kWhile: {
      Value carried = operands[0];
      absl::Status status = PushFrame(stack, FrameKind::kWhileCondition, &instruction, path, *instruction.Called(AttrId::kCondition), std::move(operands), 0, -1);
      if (status.ok()) stack.frames.back().carried = std::move(carried);
      return status;
    }
    case ControlKind::kConditional: {
      const int branch = TakenBranch(instruction, operands[0]);
      std::vector<Value> arguments;
      arguments.push_back(std::move(operands[branch + 1]));
      operands.clear();
      return PushFrame(stack, FrameKind::kBranch, &instruction, path, *BranchesOf(instruction)[branch], std::move(arguments), 0, branch);
    }
    case ControlKind::kNone:
      break;
  }
  return absl::InternalError("not a control instruction");
}

absl::StatusOr<Value> Machine::Impl::AroundResult(const Instruction& caller, const Value& operands, Value result) {
  EvalContext context{caller, operands.elements(), &m.account_};
  context.call = [&result](const Computation&, absl::Span<const Value>) -> absl::StatusOr<Value> { return result; };
  return Def(caller).evaluate(context);
}

absl::Status Machine::Impl::Return(Stack& stack) {
  const int depth = static_cast<int>(stack.frames.size()) - 1;
  Frame& frame = stack.frames[depth];
  const int root = frame.computation->root->index;
  if (!frame.values[root].has_value() && IsBegun(frame, root)) {
    LeaveBegun(stack);
    return absl::OkStatus();
  }
  Value result;
  if (!frame.values[root].has_value()) {
    absl::StatusOr<Value> made = Materialize(stack, depth, root);
    if (!made.ok()) return made.status();
    result = *std::move(made);
  } else if (frame.kind == FrameKind::kEntry) {
    result = frame.values[root];
  } else {
    result = std::move(frame.values[root]);
    frame.values[root] = Value();
  }
  const FrameKind kind = frame.kind;
  const Instruction* caller = frame.caller;
  const uint64_t caller_path = frame.caller_path;
  const int64_t iteration = frame.iteration;
  const bool changed = frame.changed;
  if (stack.main && frame.serial == finishing) returned = ToDense(result);
  switch (kind) {
    case FrameKind::kEntry:  // the frame stays, to be looked at
      stack.result = std::move(result);
      stack.done = true;
      return absl::OkStatus();
    case FrameKind::kCall:
    case FrameKind::kFusion:
    case FrameKind::kBranch:
      if (frame.carried.has_value()) {
        absl::StatusOr<Value> around = AroundResult(*caller, frame.carried, std::move(result));
        if (!around.ok()) return around.status();
        result = *std::move(around);
      }
      PopFrame(stack);
      return Complete(stack, std::move(result), changed);
    case FrameKind::kWhileCondition: {
      const bool again = *ToDense(result).as<uint8_t>() != 0;
      if (again && m.options_.max_iterations > 0 && iteration >= m.options_.max_iterations) {  // the frame stays, to be looked at
        frame.values[root] = std::move(result);
        return absl::ResourceExhaustedError(absl::StrCat("the loop has run ", iteration, iteration == 1 ? " iteration" : " iterations",
                                                         " and its condition %", caller->Called(AttrId::kCondition)->name,
                                                         " still holds; with made-up inputs it may never end: raise max-iterations "
                                                         "(--max-iterations, or set max-iterations N) or give inputs"));
      }
      Value carried = std::move(frame.carried);
      PopFrame(stack);
      if (!again) {
        constexpr size_t kManyLoops = 1 << 20;
        if (stack.main && checkpoint != nullptr && log.trip_counts.size() < kManyLoops) {
          log.trip_counts[MixHash(caller_path, static_cast<uint64_t>(caller->index))] = iteration;
        }
        return Complete(stack, std::move(carried), changed);
      }
      std::vector<Value> arguments;
      arguments.push_back(std::move(carried));
      return PushFrame(stack, FrameKind::kWhileBody, caller, caller_path, *caller->Called(AttrId::kBody), std::move(arguments), iteration, -1, changed);
    }
    case FrameKind::kWhileBody: {
      constexpr int64_t kLongNs = 20'000'000;
      if (frame.begun_ns > 0 && NowNs() - frame.begun_ns > kLongNs) CodeOf(frame).long_running = true;
      PopFrame(stack);
      std::vector<Value> arguments = {result};
      absl::Status status = PushFrame(stack, FrameKind::kWhileCondition, caller, caller_path, *caller->Called(AttrId::kCondition), std::move(arguments), iteration + 1, -1,
                                      changed);
      if (status.ok()) stack.frames.back().carried = std::move(result);
      return status;
    }
    case FrameKind::kElement: {
      absl::StatusOr<bool> more = NextElement(stack, std::move(result));
      return more.status();
    }
  }
  return absl::InternalError("unreachable");
}

absl::Status Machine::Impl::Complete(Stack& stack, Value result, bool changed) {
  if (stack.frames.empty()) {
    stack.result = std::move(result);
    stack.done = true;
    return absl::OkStatus();
  }
  Frame& frame = stack.frames.back();
  Code& code = CodeOf(frame);
  const int position = frame.position;
  const int region = code.plan->region_at[position];
  if (changed) {
    frame.changed = true;
    frame.replaced.push_back(position);
  }
  if (stack.main && frame.counted && m.options_.time_instructions && !replaying) ++m.profile_[code.computation->schedule[position]].count;
  if (region >= 0) Consume(frame, code.plan->regions[region]);
  if (absl::Status stored = Store(frame, position, std::move(result)); !stored.ok()) return stored;
  MoveTo(stack, frame, position + 1);
  return absl::OkStatus();
}

// ---- Values of a running frame ----

bool Machine::Impl::KeepsParameter(const Frame& frame, const Code& code, int position) const {
  if (!frame.pinned || !code.is_parameter(position)) return false;
  if (donated.empty() || frame.kind != FrameKind::kEntry) return true;
  const int number = static_cast<int>(code.computation->schedule[position]->parameter_number);
  return std::find(donated.begin(), donated.end(), number) == donated.end();
}

void Machine::Impl::Consume(Frame& frame, const Region& region) {
  for (int input : region.inputs) {
    if (--frame.pending[input] == 0) Release(frame, input);
  }
  if (frame.pinned && region.members.size() > 1) {  // interior values that stepping made
    Code& code = CodeOf(frame);
    for (int member : region.members) {
      if (code.last_root[member] == region.root && frame.pending[member] == 0) Release(frame, member);
    }
  }
}

absl::Status Machine::Impl::Store(Frame& frame, int position, Value value) {
  Code& code = CodeOf(frame);
  // What a call, a loop or a tuple hands over comes in the layout that it had there.
  const Instruction& instruction = *code.computation->schedule[position];
  if (!IsInLayoutOf(value, instruction.shape)) {
    if (absl::Status room = MakeRoom(instruction.shape.ByteSize(), instruction); !room.ok()) return room;
    Value laid = ToLayout(value, instruction.shape, &m.account_);
    if (!laid.has_value()) return MemoryError(instruction.shape.ByteSize(), instruction);
    value = std::move(laid);
  }
  const bool held_parameter = KeepsParameter(frame, code, position) || IsReplaced(frame, position);
  if (frame.pending[position] == 0) {
    if (held_parameter) {
      frame.values[position] = std::move(value);
    } else if (frame.retains || code.steps[position].sticky) {
      frame.values[position] = std::move(value);
      Release(frame, position);
    }
    return absl::OkStatus();
  }
  if (!code.parts.empty() && !frame.retains && !held_parameter && !(m.region_observer_ && m.observer_keeps_inputs_) && value.shape().IsTuple()) {
    auto parts = code.parts.find(position);
    if (parts != code.parts.end()) {
      std::vector<Value> elements = std::move(value).TakeElements();
      for (const Code::Part& part : parts->second) {
        if (part.position < frame.position) continue;
        frame.values[part.position] = part.last ? std::move(elements[part.element]) : elements[part.element];
      }
      frame.values[position] = Value();
      return absl::OkStatus();
    }
  }
  frame.values[position] = std::move(value);
  return absl::OkStatus();
}

void Machine::Impl::Release(Frame& frame, int position) {
  Value& slot = frame.values[position];
  if (!slot.has_value()) return;
  Code& code = CodeOf(frame);
  const StepInfo& step = code.steps[position];
  if (step.sticky || KeepsParameter(frame, code, position)) return;
  if (IsReplaced(frame, position)) return;
  if (frame.retains && (step.kind == StepKind::kKernel || step.kind == StepKind::kControl || step.kind == StepKind::kCustomCall)) {
    Retain(frame, position, slot.byte_size());
    return;
  }
  slot = Value();
}

}  // namespace hloscope
