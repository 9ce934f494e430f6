// Values of the past: the retained set, and making dropped or interior values again.
//
// Making one again walks back over what it needs until it meets held values, then forward over the marked positions with the same
// kernels as before: the region's where the position is a region's root, the instruction's own where it is interior. Nothing here
// recurses over the length of a computation; only the depth of frames nests.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/exec/exchange.h"
#include "core/exec/machine_impl.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"

namespace hloscope {

// ---- The retained set ----

void Machine::Impl::Retain(Frame& frame, int position, int64_t bytes) {
  const int depth = static_cast<int>(&frame - m.frames_.data());
  retained.push_back({frame.serial, depth, position, bytes});
  retained_bytes += bytes;
  frame.retained_bytes += bytes;
  EvictTo(m.options_.retain_bytes);
  constexpr size_t kManyEntries = 1 << 16;
  if (retained.size() > kManyEntries && retained.size() > 4 * m.frames_.size() * m.frames_.back().values.size()) {
    // Mostly entries of loop frames that ended.
    std::deque<Retained> live;
    for (const Retained& entry : retained) {
      if (entry.depth < static_cast<int>(m.frames_.size()) && m.frames_[entry.depth].serial == entry.serial) live.push_back(entry);
    }
    retained.swap(live);
  }
}

void Machine::Impl::EvictTo(int64_t budget) {
  while (retained_bytes > budget && !retained.empty()) {
    const Retained entry = retained.front();
    retained.pop_front();
    if (entry.depth >= static_cast<int>(m.frames_.size())) continue;
    Frame& frame = m.frames_[entry.depth];
    if (frame.serial != entry.serial) continue;
    retained_bytes -= entry.bytes;
    frame.retained_bytes -= entry.bytes;
    if (frame.pending[entry.position] == 0 && !IsReplaced(frame, entry.position)) frame.values[entry.position] = Value();
  }
}

// ---- Making values again ----

// What `position` is made from: its region's inputs when it is a region's root, else its own operands.
absl::Span<const int> Machine::Impl::NeedsOf(const Frame& frame, int position, absl::InlinedVector<int, 4>& scratch, bool* whole_region) {
  const Plan& plan = *frame.plan;
  const int index = plan.region_at[position];
  *whole_region = index >= 0;
  if (index >= 0 && !frame.replaced.empty() && plan.regions[index].members.size() > 1) {
    for (int member : plan.regions[index].members) {
      if (IsReplaced(frame, member)) *whole_region = false;
    }
  }
  if (*whole_region) return plan.regions[index].inputs;
  scratch.clear();
  for (const Instruction* operand : frame.computation->schedule[position]->operands) {
    if (std::find(scratch.begin(), scratch.end(), operand->index) == scratch.end()) scratch.push_back(operand->index);
  }
  return scratch;
}

const Value& Machine::Impl::SeenBy(const Frame& frame, int position, int reader) const {
  for (const Replaced& replaced : frame.history) {
    if (replaced.position == position && reader < replaced.since) return replaced.old;
  }
  return frame.values[position];
}

absl::StatusOr<Value> Machine::Impl::Materialize(Stack& stack, int depth, int target) {
  if (const Value& held = stack.frames[depth].values[target]; held.has_value()) return held;
  Frame& frame = stack.frames[depth];
  Code& code = CodeOf(frame);
  absl::InlinedVector<int, 4> scratch;
  bool whole = false;
  std::vector<int> uses(target + 1, 0);  // how many of the values made here read it; the target counts one more
  uses[target] = 1;
  for (int p = target; p >= 0; --p) {
    if (uses[p] == 0 || frame.values[p].has_value()) continue;
    for (int need : NeedsOf(frame, p, scratch, &whole)) ++uses[need];
  }
  absl::flat_hash_map<int, Value> made;
  for (int p = 0; p <= target; ++p) {
    if (uses[p] == 0 || frame.values[p].has_value()) continue;
    // Where it is made already it can be looked at, and is not held: it is waited for where it is read.
    const bool is_begun = IsBegun(frame, p);
    for (const Frame::Begun& begun : frame.begun) {
      if (begun.position == p && Replayed(begun.key) == nullptr && !m.options_.exchange->Look(begun.key).has_value()) {
        return absl::FailedPreconditionError(absl::StrCat(ShownName(*code.computation->schedule[p]), " has begun, and its value has not come yet; info exchange tells who is missing"));
      }
    }
    absl::Span<const int> needs = NeedsOf(frame, p, scratch, &whole);
    std::vector<Value> inputs;
    inputs.reserve(needs.size());
    for (int need : needs) {
      if (frame.values[need].has_value()) {
        inputs.push_back(SeenBy(frame, need, p));
        continue;
      }
      auto it = made.find(need);
      if (it == made.end()) return absl::InternalError("a value needed for another was not made");
      inputs.push_back(it->second);
      if (--uses[need] == 0) made.erase(it);
    }
    const int index = whole ? code.plan->region_at[p] : -1;
    Region single;
    if (!whole) single = SingleRegion(*code.computation, p);
    absl::StatusOr<Value> value = Execute(stack, depth, whole ? code.plan->regions[index] : single, index, std::move(inputs), nullptr);
    if (!value.ok()) return value;

    const StepInfo& step = code.steps[p];
    const bool before = p < frame.position;
    const bool kept = step.kind == StepKind::kParameter
                          ? frame.pinned
                          : before && !is_begun && frame.pinned && (frame.pending[p] > 0 || code.last_root[p] >= frame.position);
    const bool retain = !kept && before && !is_begun && frame.retains && frame.pending[p] == 0 &&
                        value->byte_size() <= m.options_.retain_bytes &&
                        (step.kind == StepKind::kKernel || step.kind == StepKind::kControl || step.kind == StepKind::kCustomCall);
    // What a later value here still reads goes to `made` too: retaining may evict it at once.
    if (kept) frame.values[p] = *value;
    if (!kept) made[p] = *value;
    if (retain) {
      frame.values[p] = *value;
      Retain(frame, p, value->byte_size());
    }
    if (p == target) return value;
  }
  return absl::InternalError("unreachable");
}

absl::StatusOr<Value> Machine::Impl::RunControlNested(uint64_t path, const Instruction& instruction, std::vector<Value> operands) {
  std::vector<Frame> frames;
  Stack nested{frames};
  if (absl::Status status = PushControl(nested, path, instruction, std::move(operands)); !status.ok()) return status;
  if (RunLoop(nested, Until()) != StopReason::kFinished) return nested_status;
  return std::move(nested.result);
}

absl::StatusOr<Value> Machine::Impl::CallNested(FrameKind kind, const Instruction* caller, uint64_t caller_path, const Computation& computation,
                                       std::vector<Value> arguments, int64_t iteration, int branch) {
  std::vector<Frame> frames;
  Stack nested{frames};
  // A loop's body returns to its loop; run alone it is a call, under the path of the body.
  absl::Status status = PushFrame(nested, FrameKind::kCall, caller, caller_path, computation, std::move(arguments), iteration, branch);
  if (!status.ok()) return status;
  frames.back().path = PathOf(caller_path, caller, kind, iteration, branch);
  if (RunLoop(nested, Until()) != StopReason::kFinished) return nested_status;
  return std::move(nested.result);
}

absl::StatusOr<Value> Machine::Impl::EntryParameter(int number) {
  if (!parameters[number].has_value() && provider) {
    absl::StatusOr<Value> value = provider(number);
    if (!value.ok()) return value;
    const Shape& wanted = m.entry()->parameters[number]->shape;
    if (!value->has_value() || !FitsDeclared(value->shape(), wanted)) {
      return absl::InvalidArgumentError(absl::StrCat("parameter ", number, " has shape ", value->shape().ToString(false), ", wanted is ", wanted.ToString(false)));
    }
    parameters[number] = ToLayout(*value, wanted, &m.account_);  // kept once, as the program reads it
    if (!parameters[number].has_value()) return MemoryError(wanted.ByteSize(), *m.entry()->parameters[number]);
  }
  if (!parameters[number].has_value()) {
    const bool gone = std::find(donated.begin(), donated.end(), number) != donated.end();
    return absl::FailedPreconditionError(absl::StrCat("parameter ", number, gone ? " was donated: the program may have written over it" : " was not given"));
  }
  return parameters[number];
}

// A parameter of a frame that gave it away, from the caller's values: those before the call can be made again in turn.
absl::StatusOr<Value> Machine::Impl::ParameterOf(Stack& stack, int depth, int number) {
  const Frame& frame = stack.frames[depth];
  if (frame.kind == FrameKind::kEntry) return EntryParameter(number);
  if (depth == 0 || frame.kind == FrameKind::kElement) return absl::FailedPreconditionError("the value is gone and cannot be made again here");
  const Instruction& caller = *frame.caller;
  auto operand = [&](int k) -> absl::StatusOr<Value> {
    const int position = caller.operands[k]->index;
    const Frame& outer = stack.frames[depth - 1];
    if (outer.values[position].has_value()) return SeenBy(outer, position, outer.position);
    return Materialize(stack, depth - 1, position);
  };
  if (frame.kind == FrameKind::kCall && frame.carried.has_value()) return frame.carried.elements()[number];
  if (frame.kind == FrameKind::kCall || frame.kind == FrameKind::kFusion) return operand(number);
  if (frame.kind == FrameKind::kBranch) return operand(frame.branch + 1);
  if (frame.carried.has_value()) return frame.carried;
  const int64_t iterations = frame.iteration;
  const uint64_t path = frame.caller_path;
  absl::StatusOr<Value> carried = operand(0);
  for (int64_t k = 0; k < iterations && carried.ok(); ++k) {
    std::vector<Value> arguments;
    arguments.push_back(*std::move(carried));
    carried = CallNested(FrameKind::kWhileBody, &caller, path, *caller.Called(AttrId::kBody), std::move(arguments), k, -1);
  }
  return carried;
}

absl::StatusOr<Value> Machine::StoredValueOf(int depth, int position) {
  if (depth < 0 || depth >= static_cast<int>(frames_.size())) return absl::InvalidArgumentError(absl::StrCat("there is no frame ", depth));
  const Frame& frame = frames_[depth];
  if (position < 0 || position >= static_cast<int>(frame.values.size())) return absl::InvalidArgumentError("no such instruction");
  if (position >= frame.position && frame.computation->schedule[position]->parameter_number < 0) {
    return absl::FailedPreconditionError(absl::StrCat(ShownName(*frame.computation->schedule[position]), " has not been executed yet"));
  }
  if (frame.values[position].has_value()) return frame.values[position];
  Stack stack{frames_, true};
  return impl_->Materialize(stack, depth, position);
}

absl::StatusOr<Value> Machine::ValueOf(int depth, int position) {
  absl::StatusOr<Value> value = StoredValueOf(depth, position);
  if (!value.ok() || value->IsDense()) return value;
  Value dense = ToDense(*value, &account_);
  if (!dense.has_value()) return impl_->MemoryError(value->shape().DenseByteSize(), *frames_[depth].computation->schedule[position]);
  return dense;
}

absl::StatusOr<Value> Machine::ValueAhead(int depth, int position) {
  if (depth < 0 || depth >= static_cast<int>(frames_.size())) return absl::InvalidArgumentError(absl::StrCat("there is no frame ", depth));
  const Frame& frame = frames_[depth];
  if (position < 0 || position >= static_cast<int>(frame.values.size())) return absl::InvalidArgumentError("no such instruction");
  if (position < frame.position) return ValueOf(depth, position);
  Stack stack{frames_, true};
  absl::StatusOr<Value> value = frame.values[position].has_value() ? absl::StatusOr<Value>(frame.values[position]) : impl_->Materialize(stack, depth, position);
  if (!value.ok()) return value;
  Value dense = ToDense(*value, &account_);
  if (!dense.has_value()) return impl_->MemoryError(value->shape().DenseByteSize(), *frame.computation->schedule[position]);
  return dense;
}

absl::Status Machine::SetValue(int depth, int position, Value value, int leaf, std::vector<int64_t> places, bool known) {
  if (depth < 0 || depth >= static_cast<int>(frames_.size())) return absl::InvalidArgumentError(absl::StrCat("there is no frame ", depth));
  Frame& frame = frames_[depth];
  if (position < 0 || position >= static_cast<int>(frame.values.size())) return absl::InvalidArgumentError("no such instruction");
  const Instruction& instruction = *frame.computation->schedule[position];
  if (position >= frame.position && instruction.parameter_number < 0) {
    return absl::FailedPreconditionError(absl::StrCat(ShownName(instruction), " has not been executed yet"));
  }
  if (!value.has_value() || !FitsDeclared(value.shape(), instruction.shape)) {
    return absl::InvalidArgumentError(absl::StrCat(ShownName(instruction), " has shape ", instruction.shape.ToString(false), ", the value has ",
                                                   value.has_value() ? value.shape().ToString(false) : std::string("none")));
  }
  value = ToLayout(value, instruction.shape, &account_);
  if (!value.has_value()) return impl_->MemoryError(instruction.shape.ByteSize(), instruction);
  impl_->log.values_set = true;
  // Instructions before `since` were executed, or are being executed and have read their operands already.
  const bool inner = depth + 1 < static_cast<int>(frames_.size()) && frames_[depth + 1].kind != FrameKind::kElement;
  const int since = frame.position + (inner ? 1 : 0);
  Stack stack{frames_, true};
  std::vector<bool> depends(frame.values.size(), false);  // executed and made from the value
  bool is_read = false;
  depends[position] = true;
  for (int p = position + 1; p < since; ++p) {
    for (const Instruction* operand : frame.computation->schedule[p]->operands) {
      depends[p] = depends[p] || depends[operand->index];
      is_read = is_read || operand->index == position;
    }
  }
  const auto hold = [&frame](int p) {
    if (!IsReplaced(frame, p)) frame.replaced.push_back(p);
  };
  // Interior members of regions still to run would be made by the region, from the new value.
  std::vector<std::pair<int, Value>> members;
  for (const Region& region : frame.plan->regions) {
    if (region.root < since) continue;
    for (int member : region.members) {
      if (member <= position || member >= since || !depends[member]) continue;
      absl::StatusOr<Value> before = impl_->Materialize(stack, depth, member);
      if (!before.ok()) return before.status();
      members.emplace_back(member, *std::move(before));
    }
  }
  if (is_read) {
    absl::StatusOr<Value> before = impl_->Materialize(stack, depth, position);
    if (!before.ok()) return before.status();
    if (frame.history.empty() || frame.history.back().position != position || frame.history.back().since != since) {
      frame.history.push_back({position, since, *std::move(before)});
    }
  }
  for (auto& [member, before] : members) {
    hold(member);
    frame.values[member] = std::move(before);
  }
  hold(position);
  frame.changed = true;
  Code& code = impl_->CodeOf(frame);
  if (auto parts = code.parts.find(position); parts != code.parts.end()) {
    for (const Code::Part& part : parts->second) {
      if (part.position >= frame.position) frame.values[part.position] = Value();
    }
  }
  frame.values[position] = std::move(value);
  frame.set_by_hand.push_back({position, leaf, places.empty() ? nullptr : std::make_shared<const std::vector<int64_t>>(std::move(places))});
  impl_->ForgetFuture(known);
  return absl::OkStatus();
}

// ---- The memory limit ----

absl::Status Machine::Impl::CheckMemory(const Frame& frame, const Instruction& root, absl::Span<const Value> inputs) {
  const int64_t wanted = root.shape.ByteSize();
  if (m.account_.live() + wanted <= m.options_.memory_limit) return absl::OkStatus();
  for (const Value& input : inputs) {
    if (input.unique() && input.byte_size() >= wanted) return absl::OkStatus();  // may be written in place
  }
  return MakeRoom(wanted, root);
}

absl::Status Machine::Impl::MakeRoom(int64_t wanted, const Instruction& root) {
  const int64_t limit = m.options_.memory_limit;
  if (limit == 0 || m.account_.live() + wanted <= limit) return absl::OkStatus();
  EvictTo(std::max<int64_t>(0, retained_bytes - (m.account_.live() + wanted - limit)));
  return m.account_.live() + wanted <= limit ? absl::OkStatus() : MemoryError(wanted, root);
}

absl::Status Machine::Impl::MemoryError(int64_t wanted, const Instruction& root) {
  struct Owner {
    int64_t bytes;
    const Instruction* instruction;
  };
  std::vector<Owner> owners;
  absl::flat_hash_set<const Buffer*> seen;
  std::function<int64_t(const Value&)> count = [&](const Value& value) -> int64_t {
    int64_t bytes = 0;
    for (const Value& element : value.elements()) bytes += count(element);
    if (value.buffer() != nullptr && seen.insert(value.buffer()).second) bytes += value.buffer()->size();
    return bytes;
  };
  for (const Frame& frame : m.frames_) {
    for (size_t p = 0; p < frame.values.size(); ++p) {
      if (int64_t bytes = frame.values[p].has_value() ? count(frame.values[p]) : 0) owners.push_back({bytes, frame.computation->schedule[p]});
    }
  }
  constexpr size_t kShown = 5;
  std::partial_sort(owners.begin(), owners.begin() + std::min(kShown, owners.size()), owners.end(),
                    [](const Owner& a, const Owner& b) { return a.bytes > b.bytes; });
  std::string text = absl::StrCat("out of memory: ", m.account_.live(), " bytes are live");
  if (wanted > 0) absl::StrAppend(&text, " and ", wanted, " more are needed for ", root.shape.ToString(false));
  if (m.options_.memory_limit > 0) absl::StrAppend(&text, ", the limit is ", m.options_.memory_limit);
  if (!owners.empty()) absl::StrAppend(&text, "; the largest:");
  for (size_t k = 0; k < std::min(kShown, owners.size()); ++k) {
    absl::StrAppend(&text, k == 0 ? " " : ", ", ShownName(*owners[k].instruction), " ", owners[k].instruction->shape.ToString(false), " (", owners[k].bytes, " bytes)");
  }
  return absl::ResourceExhaustedError(text);
}

}  // namespace hloscope
