// Running: frames, regions, control flow. The loop at the heart of the Machine.
//
// A region costs its kernel plus a few dozen nanoseconds: look the kernel up by index, move or copy the handles of its inputs, count
// down their readers, store the result. Everything that depends on the instruction alone was worked out when its Code was made.
#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/exec/error_place.h"
#include "core/exec/in_place.h"
#include "core/exec/machine_impl.h"
#include "core/exec/not_on_the_way.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"

namespace hloscope {

namespace {

// Bytes of input `k` that the region reads at most: where all its readers only move data, as many as they make.
int64_t ReadBytes(const Computation& computation, const Region& region, size_t k, int64_t whole) {
  int64_t bytes = 0;
  for (int member : region.members) {
    const Instruction& reader = *computation.schedule[member];
    const bool reads = std::any_of(reader.operands.begin(), reader.operands.end(), [&](const Instruction* operand) { return operand->index == region.inputs[k]; });
    if (!reads) continue;
    if (Def(reader).movement != Movement::kMove || !reader.shape.IsArray()) return whole;
    bytes += reader.shape.ByteSize();
  }
  return std::min(bytes, whole);
}

// Bytes that an update in place of input `k` writes at most: as many as the root's other operands have.
int64_t UpdateBytes(const Computation& computation, const Region& region, size_t k, int64_t whole) {
  int64_t bytes = 0;
  for (const Instruction* operand : computation.schedule[region.root]->operands) {
    if (operand->index != region.inputs[k] && operand->shape.IsArray()) bytes += operand->shape.ByteSize();
  }
  return std::min(bytes, whole);
}

}  // namespace

// ---- The loop ----

int Machine::Impl::NextStop(const Frame& frame, const Until& until, bool* is_armed) const {
  const std::vector<int>& positions = armed[frame.computation->id];
  int stop = INT_MAX;
  *is_armed = true;
  if (!positions.empty() && !replaying) {
    auto next = std::lower_bound(positions.begin(), positions.end(), frame.position);
    if (next != positions.end() && *next == exempt_position && frame.serial == exempt_serial) ++next;
    if (next != positions.end()) stop = *next;
  }
  if (end_wanted == frame.serial) stop = std::min(stop, static_cast<int>(frame.values.size()));
  if (until.serial == frame.serial && until.position < stop) {
    stop = until.position;
    *is_armed = false;
  }
  return stop;
}

bool Machine::Impl::StopsAtEnd(const Stack& stack) const {
  const Frame& frame = stack.frames.back();
  const std::vector<int>& positions = armed[frame.computation->id];
  if (stack.main && end_wanted == frame.serial) return true;
  return stack.main && !replaying && !positions.empty() && positions.back() == static_cast<int>(frame.values.size());
}

void Machine::Impl::MoveTo(Stack& stack, Frame& frame, int position) {
  if (stack.main && frame.counted) m.executed_ += position - frame.position;
  frame.position = position;
}

namespace {

// The error of a run inside of an instruction (a loop in a reducer), told of what failed in there.
absl::Status ToldInside(absl::Span<const Frame> frames, const absl::Status& status) {
  if (absl::IsCancelled(status) || IsNotOnTheWay(status)) return status;
  const ErrorPlace place = PlaceOfError(frames);
  if (place.instruction == nullptr || place.instruction == frames[0].caller) return status;
  absl::string_view why = status.message();
  absl::ConsumePrefix(&why, absl::StrCat(ShownName(*place.instruction), ": "));
  return absl::Status(status.code(), absl::StrCat(place.Text(), ": ", why));
}

}  // namespace

StopReason Machine::Impl::Fail(Stack& stack, absl::Status status) {
  if (!stack.main) {
    nested_status = ToldInside(stack.frames, status);
    return StopReason::kError;
  }
  if (absl::IsCancelled(status) && m.interrupt_.exchange(false)) return StopReason::kInterrupted;
  const Instruction* at = m.next_instruction();
  if (at == nullptr && !m.frames_.empty()) at = m.top().caller;  // a frame at its end that cannot return
  m.status_ = at == nullptr || IsNotOnTheWay(status) ? std::move(status) : absl::Status(status.code(), absl::StrCat(ShownName(*at), ": ", status.message()));
  return StopReason::kError;
}

StopReason Machine::Impl::RunLoop(Stack& stack, const Until& until) {
  while (true) {
    Frame& frame = stack.frames.back();
    Code& code = CodeOf(frame);
    const int size = static_cast<int>(frame.values.size());
    const int level = static_cast<int>(stack.frames.size()) - 1;
    if (stack.main && level == until.goal_depth && frame.kind == until.goal_kind && frame.iteration == until.goal_iteration) return StopReason::kStep;
    const auto is_armed_inside = [&] {  // a walk may go through several computations in turn, as the selects and scatters of windows
      if (armed_changed) UpdateArmedWithin();
      const std::vector<Computation*> called = frame.caller->CalledComputations();
      return std::any_of(called.begin(), called.end(), [&](const Computation* c) { return armed_within[c->id]; });
    };
    if (frame.kind == FrameKind::kElement && (replaying || !is_armed_inside()) && until.serial != frame.serial && until.ended != frame.serial &&
        level > until.goal_depth) {
      PopFrame(stack);  // nobody can stop in here: compute the instruction as ever
      exempt_serial = stack.frames.back().serial;
      exempt_position = stack.frames.back().position;
      continue;
    }
    bool is_armed = true;
    const int stop = stack.main ? NextStop(frame, until, &is_armed) : INT_MAX;
    const int count = static_cast<int>(code.plan->regions.size());
    Outcome outcome = Outcome::kDone;
    for (int r = code.next_region[frame.position]; r < count; ++r) {
      const int root = code.plan->regions[r].root;
      if (root >= stop) break;
      if (m.interrupt_.load(std::memory_order_relaxed)) return Fail(stack, absl::CancelledError("interrupted"));
      if (checkpoint != nullptr && stack.main && --checkpoint_countdown < 0) outcome = MaybeCheckpoint(stack);
      if (outcome == Outcome::kDone) outcome = RunRegion(stack, r);
      if (outcome != Outcome::kDone) break;
      MoveTo(stack, frame, root + 1);
    }
    if (outcome == Outcome::kFailed && stack.main && !m.status_.ok()) {  // what belongs before the failure comes first
      absl::Status failure = std::exchange(m.status_, absl::OkStatus());
      outcome = LookBefore(stack, stack.frames.back().position);
      if (outcome == Outcome::kDone) {
        m.status_ = std::move(failure);
        outcome = Outcome::kFailed;
      }
    }
    if (outcome == Outcome::kCaught) return StopReason::kCaught;
    if (outcome == Outcome::kWaiting) return StopReason::kWaiting;
    if (outcome == Outcome::kFailed) return stack.main && m.status_.ok() ? StopReason::kInterrupted : StopReason::kError;
    if (outcome == Outcome::kPushed) continue;
    if (stop < size || (stop == size && is_armed)) {
      const Outcome looked = LookBefore(stack, stop);
      if (looked == Outcome::kFailed) return m.status_.ok() ? StopReason::kInterrupted : StopReason::kError;
      if (looked == Outcome::kCaught) return StopReason::kCaught;
      if (looked == Outcome::kWaiting) return StopReason::kWaiting;
      MoveTo(stack, frame, stop);
      return is_armed ? StopReason::kBreakpoint : StopReason::kStep;
    }
    // The frame ends; its callers may end with it.
    do {
      MoveTo(stack, stack.frames.back(), static_cast<int>(stack.frames.back().values.size()));
      if (absl::Status status = Return(stack); !status.ok()) return Fail(stack, std::move(status));
      if (stack.done) return StopReason::kFinished;
    } while (stack.frames.back().position == static_cast<int>(stack.frames.back().values.size()) && !StopsAtEnd(stack));
    const int depth = static_cast<int>(stack.frames.size()) - 1;
    if (depth < until.depth_gone) return StopReason::kStep;
    const Frame& next = stack.frames.back();
    if (until.ended != 0 && depth == until.depth_gone && next.serial != until.ended && next.kind != FrameKind::kWhileCondition) return StopReason::kStep;
  }
}

// ---- Regions ----

absl::Status Machine::Impl::FillConstants(const Computation& computation, const Region& region) {
  for (int member : region.members) {
    const Instruction& instruction = *computation.schedule[member];
    if (instruction.literal == nullptr || instruction.literal->value.has_value()) continue;
    if (!instruction.literal->elided) return absl::InternalError("a constant has no value");
    // Booked on no account: the literal belongs to the module, not to this run.
    if (absl::Status status = FillElidedConstant(instruction, m.options_.fill, nullptr); !status.ok()) return status;
    Say("elided constants are filled with made-up numbers: this run is not a reproduction of the original program's");
  }
  return absl::OkStatus();
}

absl::StatusOr<const Kernel*> Machine::Impl::RegionKernel(Code& code, int region) {
  std::shared_ptr<const Kernel>& kernel = code.kernels[region];
  if (kernel == nullptr) {
    const Region& r = code.plan->regions[region];
    if (absl::Status status = FillConstants(*code.computation, r); !status.ok()) return status;
    absl::StatusOr<std::shared_ptr<const Kernel>> made = m.backend_.GetKernel(*code.computation, r);
    if (!made.ok()) return made.status();
    kernel = *std::move(made);
  }
  return kernel.get();
}

absl::StatusOr<const Kernel*> Machine::Impl::SingleKernel(Code& code, int position) {
  if (code.singles.empty()) code.singles.resize(code.steps.size());
  std::shared_ptr<const Kernel>& kernel = code.singles[position];
  if (kernel == nullptr) {
    const int region = code.plan->region_at[position];
    if (region >= 0 && code.plan->regions[region].members.size() == 1) {
      absl::StatusOr<const Kernel*> made = RegionKernel(code, region);
      if (!made.ok()) return made;
      kernel = code.kernels[region];
      return kernel.get();
    }
    Region single = SingleRegion(*code.computation, position);
    if (absl::Status status = FillConstants(*code.computation, single); !status.ok()) return status;
    absl::StatusOr<std::shared_ptr<const Kernel>> made = m.backend_.GetKernel(*code.computation, single);
    if (!made.ok()) return made.status();
    kernel = *std::move(made);
  }
  return kernel.get();
}

bool Machine::Impl::CanDonate(const Stack& stack, const Frame& frame, const Code& code, int position) const {
  if (frame.retains || (stack.main && m.region_observer_ && m.observer_keeps_inputs_)) return false;
  if (KeepsParameter(frame, code, position)) return false;
  if (code.steps[position].sticky) return false;
  return !IsReplaced(frame, position);
}

absl::StatusOr<std::vector<Value>> Machine::Impl::GatherInputs(Stack& stack, int depth, const Region& region) {
  Frame& frame = stack.frames[depth];
  Code& code = CodeOf(frame);
  std::vector<Value> inputs;
  inputs.reserve(region.inputs.size());
  for (int position : region.inputs) {
    Value& slot = frame.values[position];
    if (!slot.has_value()) {
      absl::StatusOr<Value> made = Materialize(stack, depth, position);
      if (!made.ok()) return made.status();
      inputs.push_back(*std::move(made));
    } else if (frame.pending[position] == 1 && CanDonate(stack, frame, code, position)) {
      inputs.push_back(std::move(slot));
      slot = Value();
    } else {
      inputs.push_back(slot);
    }
  }
  return inputs;
}

absl::StatusOr<std::vector<Value>> Machine::Impl::GatherOperands(Stack& stack, int depth, const Instruction& instruction, bool donate) {
  Frame& frame = stack.frames[depth];
  Code& code = CodeOf(frame);
  std::vector<Value> operands;
  operands.reserve(instruction.operands.size());
  for (size_t k = 0; k < instruction.operands.size(); ++k) {
    const int position = instruction.operands[k]->index;
    Value& slot = frame.values[position];
    if (!slot.has_value()) {
      absl::StatusOr<Value> made = Materialize(stack, depth, position);
      if (!made.ok()) return made.status();
      operands.push_back(*std::move(made));
      continue;
    }
    if (donate && frame.pending[position] == 1 && CanDonate(stack, frame, code, position) &&
        std::find(instruction.operands.begin() + k + 1, instruction.operands.end(), instruction.operands[k]) == instruction.operands.end()) {
      operands.push_back(std::move(slot));
      slot = Value();
    } else {
      operands.push_back(slot);
    }
  }
  return operands;
}

Outcome Machine::Impl::RunRegion(Stack& stack, int index) {
  const int depth = static_cast<int>(stack.frames.size()) - 1;
  Frame& frame = stack.frames[depth];
  Code& code = CodeOf(frame);
  const Region& region = code.plan->regions[index];
  const Instruction& root = *code.computation->schedule[region.root];
  const StepInfo& step = code.steps[region.root];
  auto fail = [&](absl::Status status) {
    MoveTo(stack, stack.frames[depth], region.root);
    if (Fail(stack, std::move(status)) == StopReason::kInterrupted) m.status_ = absl::OkStatus();
    return Outcome::kFailed;
  };
  if (step.kind == StepKind::kParameter) return Outcome::kDone;
  if (!frame.begun.empty() && std::any_of(region.inputs.begin(), region.inputs.end(), [&](int input) { return IsBegun(frame, input); })) {
    if (const Outcome looked = LookBefore(stack, region.root); looked != Outcome::kDone) return looked;
    if (const Outcome awaited = AwaitBegun(stack, region.inputs, region.root); awaited != Outcome::kDone) return awaited;
    if (IsBegun(frame, region.root)) return Outcome::kDone;  // handed on
  }
  if (!known.empty() && stack.main && depth == 0) {
    const absl::StatusOr<bool> taken = TakeKnown(frame, region);
    if (!taken.ok()) return fail(taken.status());
    if (*taken) return Outcome::kDone;
  }
  if (step.kind == StepKind::kTupleElement && frame.values[region.root].has_value()) {  // came when the tuple was taken apart
    Value value = std::move(frame.values[region.root]);
    frame.values[region.root] = Value();
    Consume(frame, region);
    if (absl::Status stored = Store(frame, region.root, std::move(value)); !stored.ok()) return fail(std::move(stored));
    return Outcome::kDone;
  }
  if (step.kind == StepKind::kControl) {
    if (const Outcome looked = IsQuietCall(root) ? Outcome::kDone : LookBefore(stack, region.root); looked != Outcome::kDone) return looked;
    MoveTo(stack, frame, region.root);
    absl::StatusOr<std::vector<Value>> operands = GatherOperands(stack, depth, root, true);
    if (!operands.ok()) return fail(operands.status());
    if (stack.main) NoteEntered(frame, region.root);
    if (absl::Status status = PushControl(stack, frame.path, root, *std::move(operands)); !status.ok()) return fail(std::move(status));
    return Outcome::kPushed;
  }
  if (step.kind == StepKind::kExchange) return RunExchange(stack, index);
  if (!frame.replaced.empty() && region.members.size() > 1) {
    for (int member : region.members) {
      if (member != region.root && IsReplaced(frame, member)) return RunMembers(stack, index);
    }
  }

  const bool observed = stack.main && m.region_observer_ && !replaying;
  const bool timed = stack.main && frame.counted && m.options_.time_instructions && !replaying;
  absl::StatusOr<std::vector<Value>> inputs = GatherInputs(stack, depth, region);
  if (!inputs.ok()) return fail(inputs.status());
  std::chrono::steady_clock::time_point begin;  // made-up parameters and recomputed values are not the kernel's time
  struct Read {
    const Buffer* buffer;
    int64_t whole, bytes;
  };
  std::vector<Read> reads;
  if (timed) {
    for (size_t k = 0; k < inputs->size(); ++k) {
      const Value& input = (*inputs)[k];
      reads.push_back({input.buffer(), input.byte_size(), ReadBytes(*code.computation, region, k, input.byte_size())});
    }
    begin = std::chrono::steady_clock::now();
  }
  std::vector<Value> seen;
  if (observed) {
    seen.reserve(inputs->size());
    for (size_t k = 0; k < inputs->size(); ++k) {
      const Value& input = (*inputs)[k];
      if (m.observer_keeps_inputs_) {
        seen.push_back(ToDense(input));
      } else {
        seen.push_back(input.unique() && (!m.observer_keeps_operands_ || OnlyUpdated(*code.computation, region, k)) ? Value() : input);
      }
    }
  }
  const Kernel* kernel = nullptr;
  absl::StatusOr<Value> result = Execute(stack, depth, region, index, *std::move(inputs), &kernel);
  if (!result.ok()) return fail(result.status());
  if (timed) {
    ProfileEntry& entry = m.profile_[&root];
    ++entry.count;
    entry.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    int64_t written = result->byte_size();
    for (size_t k = 0; k < reads.size(); ++k) {
      const bool in_place = reads[k].buffer != nullptr && reads[k].buffer == result->buffer() && reads[k].whole == result->byte_size() && OnlyUpdated(*code.computation, region, k);
      if (in_place) written = UpdateBytes(*code.computation, region, k, written);
      entry.bytes += in_place ? 0 : reads[k].bytes;
    }
    entry.bytes += written;
  }
  if (observed) {
    stop_after = -1;
    absl::Status status;
    if (!m.observer_keeps_inputs_) {
      status = m.region_observer_(frame, region, kernel, seen, *result);
    } else {
      status = ran != nullptr ? ObserveDynamic(frame, region.root, ToDense(*result)) : m.region_observer_(frame, region, kernel, seen, ToDense(*result));
    }
    if (!status.ok()) return fail(std::move(status));
    if (shared_result.has_value()) *result = TakeShared(*std::move(result));
    ran_on.clear();
    if (stop_after >= 0) return CatchIn(stack, region, seen, *std::move(result));
    seen.clear();
  }
  Consume(frame, region);
  if (absl::Status stored = Store(frame, region.root, *std::move(result)); !stored.ok()) return fail(std::move(stored));
  return Outcome::kDone;
}

// With a stop inside, the region counts as not run, and its members are made one by one when asked for. That needs its inputs back; where one
// was updated in place it has run.
Outcome Machine::Impl::CatchIn(Stack& stack, const Region& region, absl::Span<const Value> seen, Value result) {
  Frame& frame = stack.frames.back();
  const int asked = std::max(stop_after, frame.looked);
  const bool whole = std::all_of(seen.begin(), seen.end(), [](const Value& value) { return value.has_value(); });
  const auto complete = [&] {
    Consume(frame, region);
    return Store(frame, region.root, std::move(result));
  };
  const auto fail = [&](absl::Status status) {
    MoveTo(stack, frame, region.root);
    Fail(stack, std::move(status));
    return Outcome::kFailed;
  };
  if (whole) {
    for (size_t k = 0; k < seen.size(); ++k) {
      Value& slot = frame.values[region.inputs[k]];
      if (slot.has_value()) continue;
      const Instruction& input = *frame.computation->schedule[region.inputs[k]];
      slot = ToLayout(seen[k], input.shape, &m.account_);
      if (!slot.has_value()) return fail(MemoryError(input.shape.ByteSize(), input));
    }
  } else if (absl::Status done = complete(); !done.ok()) {
    return fail(std::move(done));
  }
  const Outcome looked = LookBefore(stack, asked);
  if (looked == Outcome::kFailed || (whole && looked == Outcome::kWaiting)) return looked;
  const int behind = (looked == Outcome::kCaught ? m.caught_at_.mark.levels.back().position : asked + 1);
  frame.looked = behind;
  const bool to_root = behind == region.root + 1;
  if (whole && to_root) {
    if (absl::Status done = complete(); !done.ok()) return fail(std::move(done));
  }
  return Caught(stack, behind, !whole || to_root ? region.root + 1 : frame.position, !whole && !to_root);
}

Outcome Machine::Impl::Caught(Stack& stack, int behind, int reached, bool lost) {
  Frame& frame = stack.frames.back();
  MoveTo(stack, frame, std::max(reached, behind));
  beyond_serial = frame.position > behind ? frame.serial : 0;
  beyond_position = frame.position;
  m.caught_at_ = {m.Where(), lost};
  m.caught_at_.mark.levels.back().position = behind;
  return Outcome::kCaught;
}

// A region with a replaced value inside: one instruction at a time, so that the replacement is seen.
Outcome Machine::Impl::RunMembers(Stack& stack, int index) {
  Frame& frame = stack.frames.back();
  const Region& region = CodeOf(frame).plan->regions[index];
  for (int member : region.members) {
    if (member != region.root && frame.values[member].has_value()) continue;
    const Outcome outcome = StepInterior(stack, member);
    if (outcome == Outcome::kDone) continue;
    if (outcome != Outcome::kCaught) return outcome;
    const Outcome looked = LookBefore(stack, member);
    if (looked == Outcome::kFailed) return looked;
    const int behind = looked == Outcome::kCaught ? m.caught_at_.mark.levels.back().position : member + 1;
    frame.looked = behind;
    return Caught(stack, behind, member == region.root ? region.root + 1 : frame.position, member == region.root && behind <= member);
  }
  return Outcome::kDone;
}

bool Machine::Impl::IsAhead(const Stack& stack, int position, int until) const {
  const Frame& frame = stack.frames.back();
  const Code& code = *codes[frame.computation->id];
  const int first = code.plan->first_region[position];
  if (first < 0) return false;
  const int root = code.plan->regions[first].root;
  if (root < until || root == position || IsReplaced(frame, position)) return false;
  if (stack.frames.size() == 1 && !known.empty() && known[root].known) return false;
  return m.look_ahead_(*code.computation->schedule[position]);
}

// A call in which nothing stops, fails or is told: what belongs before it may as well be told behind it. Not where snapshots are taken, from
// which others may go on inside.
bool Machine::Impl::IsQuietCall(const Instruction& instruction) {
  constexpr size_t kFew = 32;  // instructions; larger ones take longer than what they would wait for
  if (checkpoint != nullptr || !m.look_ahead_ || m.options_.memory_limit > 0 || dynamic || Def(instruction).control != ControlKind::kCall) return false;
  const std::vector<Computation*> called = instruction.CalledComputations();
  if (called.size() != 1 || called[0]->schedule.size() > kFew) return false;
  if (armed_changed) UpdateArmedWithin();
  const absl::StatusOr<Code*> code = Get(*called[0]);
  if (!code.ok() || armed_within[called[0]->id]) return false;
  return std::all_of(called[0]->schedule.begin(), called[0]->schedule.end(), [&](const Instruction* i) {
    const StepKind kind = (*code)->steps[i->index].kind;
    const bool plain = kind == StepKind::kKernel || kind == StepKind::kConstant || kind == StepKind::kParameter || kind == StepKind::kTupleElement;
    return plain && !m.look_ahead_(*i);
  });
}

// What belongs before `until` and waits for a region that runs there or later. The position is still the same; after kCaught it is where
// Machine::caught_at() says, or beyond.
Outcome Machine::Impl::LookBefore(Stack& stack, int until) {
  Frame& frame = stack.frames.back();
  const int from = frame.looked;
  if (until <= from) return Outcome::kDone;
  if (stack.main && m.region_observer_ && m.look_ahead_ && !replaying && frame.counted) {
    for (int position = from; position < until; ++position) {
      if (!IsAhead(stack, position, until)) continue;
      const Outcome outcome = StepInterior(stack, position);
      if (outcome == Outcome::kDone) continue;
      if (outcome != Outcome::kCaught) return outcome;
      frame.looked = position + 1;
      return Caught(stack, position + 1, frame.position, false);
    }
  }
  frame.looked = until;
  return Outcome::kDone;
}

// Executes one instruction alone, whatever region it belongs to; the value is kept. Position and counters are the caller's business, also
// where the observer wants a stop (kCaught).
Outcome Machine::Impl::StepInterior(Stack& stack, int position) {
  const int depth = static_cast<int>(stack.frames.size()) - 1;
  Frame& frame = stack.frames[depth];
  Code& code = CodeOf(frame);
  auto fail = [&](absl::Status status) {
    MoveTo(stack, stack.frames[depth], position);
    if (Fail(stack, std::move(status)) == StopReason::kInterrupted) m.status_ = absl::OkStatus();
    return Outcome::kFailed;
  };
  Region single = SingleRegion(*code.computation, position);
  if (!frame.begun.empty()) {
    if (const Outcome awaited = AwaitBegun(stack, single.inputs, position); awaited != Outcome::kDone) return awaited;
  }
  std::vector<Value> inputs;
  inputs.reserve(single.inputs.size());
  for (int input : single.inputs) {
    if (frame.values[input].has_value()) {
      inputs.push_back(frame.values[input]);
      continue;
    }
    absl::StatusOr<Value> made = Materialize(stack, depth, input);
    if (!made.ok()) return fail(made.status());
    inputs.push_back(*std::move(made));
  }
  const bool observed = stack.main && m.region_observer_ && !replaying;
  std::vector<Value> seen;
  if (observed) {
    seen.reserve(inputs.size());
    for (const Value& input : inputs) seen.push_back(m.observer_keeps_inputs_ ? ToDense(input) : m.observer_keeps_operands_ || !input.unique() ? input : Value());
  }
  const Kernel* kernel = nullptr;
  absl::StatusOr<Value> result = Execute(stack, depth, single, -1, std::move(inputs), &kernel);
  if (!result.ok()) return fail(result.status());
  bool caught = false;
  if (observed && ran == nullptr) {
    stop_after = -1;
    absl::Status status = m.region_observer_(frame, single, kernel, seen, m.observer_keeps_inputs_ ? ToDense(*result) : *result);
    if (!status.ok()) return fail(std::move(status));
    *result = TakeShared(*std::move(result));
    caught = stop_after >= 0;
  }
  const int index = code.plan->region_at[position];
  if (index < 0) {
    frame.values[position] = *std::move(result);
  } else {
    Consume(frame, code.plan->regions[index]);
    if (absl::Status stored = Store(frame, position, *std::move(result)); !stored.ok()) return fail(std::move(stored));
  }
  return caught ? Outcome::kCaught : Outcome::kDone;
}

}  // namespace hloscope
