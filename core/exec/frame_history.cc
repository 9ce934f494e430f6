// An ended frame is a stack of one frame whose position is at its end, in which the Machine makes values again as it does in its own.
// Nothing here recurses over the length of a computation or of a loop, only over how deep frames nest.
#include "core/exec/frame_history.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/exec/machine_impl.h"
#include "core/literal/relayout.h"

namespace hloscope {

struct FrameHistory::Ended {
  std::vector<Frame> frames;
  std::vector<Value> arguments;
  std::vector<bool> counted;  // by position: its bytes are in ended_bytes_
  int64_t bytes = 0;
};

// Carried values at the beginning of iterations: at multiples of `stride`, and between two of them where somebody walks.
struct FrameHistory::Loop {
  std::map<int64_t, Value> kept;
  std::map<int64_t, Value> near;  // of one stride
  int64_t stride = 1;
  int64_t bytes = 0;
  int64_t reached = -1;  // the last one that the pass has come to
  Value last;
  int64_t count = -1;  // iterations; -1: not known yet
};

namespace {

void CountBuffers(const Value& value, absl::flat_hash_set<const Buffer*>* seen, int64_t* bytes) {
  for (const Value& element : value.elements()) CountBuffers(element, seen, bytes);
  if (value.buffer() != nullptr && seen->insert(value.buffer()).second) *bytes += value.buffer()->size();
}

uint64_t KeyOf(int frame, const Instruction* caller, FrameKind kind, int64_t iteration, int branch) {
  return MixHash(MixHash(static_cast<uint64_t>(frame), reinterpret_cast<uintptr_t>(caller)), (static_cast<uint64_t>(iteration) << 16) ^ (static_cast<uint64_t>(branch + 1) << 4) ^ static_cast<uint64_t>(kind));
}

}  // namespace

FrameHistory::FrameHistory(Machine& machine, int64_t budget) : machine_(machine), budget_(budget) {
  for (const Frame& frame : machine.frames()) {
    Place place;
    place.parent = live_ - 1;
    place.caller = frame.caller;
    place.kind = frame.kind;
    place.iteration = frame.iteration;
    place.branch = frame.branch;
    place.computation = frame.computation;
    place.live = true;
    places_.push_back(place);
    paths_.push_back(frame.path);
    ended_.push_back(nullptr);
    ++live_;
  }
}

FrameHistory::~FrameHistory() = default;

const FrameHistory::Place& FrameHistory::place(int frame) const { return places_[frame]; }

int FrameHistory::Enter(int frame, const Instruction& caller, FrameKind kind, const Computation& computation, int64_t iteration, int branch) {
  std::vector<int>& known = by_place_[KeyOf(frame, &caller, kind, iteration, branch)];
  for (int f : known) {
    const Place& p = places_[f];
    if (p.parent == frame && p.caller == &caller && p.kind == kind && p.iteration == iteration && p.branch == branch) return f;
  }
  const int number = static_cast<int>(places_.size());
  known.push_back(number);
  places_.push_back({frame, &caller, kind, iteration, branch, &computation, false});
  ended_.push_back(nullptr);
  paths_.push_back(0);
  return number;
}

int FrameHistory::EnterCall(int frame, const Instruction& caller) {
  const Computation& called = *caller.CalledComputations()[0];
  return Enter(frame, caller, called.is_fusion ? FrameKind::kFusion : FrameKind::kCall, called);
}

int FrameHistory::EnterBody(int frame, const Instruction& loop, int64_t iteration) {
  return Enter(frame, loop, FrameKind::kWhileBody, *loop.Called(AttrId::kBody), iteration);
}

int FrameHistory::EnterCondition(int frame, const Instruction& loop, int64_t iteration) {
  return Enter(frame, loop, FrameKind::kWhileCondition, *loop.Called(AttrId::kCondition), iteration);
}

absl::StatusOr<int> FrameHistory::EnterBranch(int frame, const Instruction& conditional) {
  std::vector<Computation*> branches = conditional.CalledComputations();
  if (const Attribute* list = conditional.Find(AttrId::kBranchComputations)) {
    branches = std::get<std::vector<Computation*>>(list->value);
  } else {
    branches = {conditional.Called(AttrId::kTrueComputation), conditional.Called(AttrId::kFalseComputation)};
  }
  absl::StatusOr<Value> selector = ValueOf(frame, *conditional.operands[0]);
  if (!selector.ok()) return selector.status();
  const int last = static_cast<int>(branches.size()) - 1;
  int64_t branch = selector->shape().element_type() == ElementType::kPred ? (*selector->as<uint8_t>() != 0 ? 0 : 1) : *selector->as<int32_t>();
  if (branch < 0 || branch > last) branch = last;
  return Enter(frame, conditional, FrameKind::kBranch, *branches[branch], 0, static_cast<int>(branch));
}

uint64_t FrameHistory::PathOf(int frame) {
  if (paths_[frame] != 0) return paths_[frame];
  const Place& p = places_[frame];
  const uint64_t outer = PathOf(p.parent);
  return paths_[frame] = machine_.impl_->PathOf(outer, p.caller, p.kind, p.iteration, p.branch);
}

// ---- Frames ----

absl::StatusOr<std::vector<Value>> FrameHistory::ArgumentsOf(int frame) {
  const Place p = places_[frame];
  std::vector<Value> arguments;
  switch (p.kind) {
    case FrameKind::kCall:
    case FrameKind::kFusion:
      for (const Instruction* operand : p.caller->operands) {
        absl::StatusOr<Value> value = ValueOf(p.parent, *operand);
        if (!value.ok()) return value.status();
        arguments.push_back(*std::move(value));
      }
      return arguments;
    case FrameKind::kBranch: {
      absl::StatusOr<Value> value = ValueOf(p.parent, *p.caller->operands[p.branch + 1]);
      if (!value.ok()) return value.status();
      arguments.push_back(*std::move(value));
      return arguments;
    }
    case FrameKind::kWhileCondition:
    case FrameKind::kWhileBody: {
      absl::StatusOr<Value> value = Carried(p.parent, *p.caller, p.iteration);
      if (!value.ok()) return value.status();
      arguments.push_back(*std::move(value));
      return arguments;
    }
    case FrameKind::kEntry:
    case FrameKind::kElement: break;
  }
  return absl::FailedPreconditionError("the values of this frame are gone");
}

absl::StatusOr<FrameHistory::Ended*> FrameHistory::Open(int frame) {
  if (ended_[frame] != nullptr) return ended_[frame].get();
  if (ended_bytes_ > budget_) {  // all but the frames around this one are opened again when they are needed
    absl::flat_hash_set<int> around;
    for (int f = frame; f >= 0; f = places_[f].parent) around.insert(f);
    for (size_t f = 0; f < ended_.size(); ++f) {
      if (ended_[f] == nullptr || around.contains(static_cast<int>(f))) continue;
      ended_bytes_ -= ended_[f]->bytes;
      ended_[f] = nullptr;
    }
  }
  absl::StatusOr<std::vector<Value>> arguments = ArgumentsOf(frame);
  if (!arguments.ok()) return arguments.status();
  const Place p = places_[frame];
  auto made = std::make_unique<Ended>();
  made->arguments = *arguments;
  Machine::Impl& impl = *machine_.impl_;
  Stack stack{made->frames};
  absl::Status status = impl.PushFrame(stack, FrameKind::kCall, p.caller, PathOf(p.parent), *p.computation, *std::move(arguments), p.iteration, p.branch);
  if (!status.ok()) return status;
  Frame& opened = made->frames[0];
  opened.path = PathOf(frame);
  opened.pinned = true;
  opened.position = static_cast<int>(p.computation->schedule.size());
  made->counted.resize(opened.values.size(), false);
  ended_[frame] = std::move(made);
  return ended_[frame].get();
}

absl::StatusOr<Value> FrameHistory::ValueOf(int frame, const Instruction& instruction) {
  const Place& p = places_[frame];
  if (p.live) return machine_.ValueOf(frame, instruction.index);
  if (p.kind == FrameKind::kWhileBody || p.kind == FrameKind::kWhileCondition) {
    if (instruction.parameter_number >= 0) {
      absl::StatusOr<Value> carried = Carried(p.parent, *p.caller, p.iteration);
      if (!carried.ok()) return carried;
      return ToDense(*carried);
    }
  }
  absl::StatusOr<Ended*> ended = Open(frame);
  if (!ended.ok()) return ended.status();
  if (instruction.parameter_number >= 0) return ToDense((*ended)->arguments[instruction.parameter_number]);
  Stack stack{(*ended)->frames};
  absl::StatusOr<Value> value = machine_.impl_->Materialize(stack, 0, instruction.index);
  if (!value.ok()) return value;
  Frame& held = (*ended)->frames[0];
  if (!(*ended)->counted[instruction.index]) {
    (*ended)->counted[instruction.index] = true;
    held.values[instruction.index] = *value;
    (*ended)->bytes += value->byte_size();
    ended_bytes_ += value->byte_size();
  }
  return ToDense(*value);
}

bool FrameHistory::SetByHand(int frame, const Instruction& instruction) const {
  if (frame >= live_) return false;
  const std::vector<int>& set = machine_.frames()[frame].set_by_hand;
  return std::find(set.begin(), set.end(), instruction.index) != set.end();
}

Value FrameHistory::Held(int frame, const Instruction& instruction) const {
  const Place& p = places_[frame];
  const Frame* f = p.live ? &machine_.frames()[frame] : ended_[frame] != nullptr ? &ended_[frame]->frames[0] : nullptr;
  if (f == nullptr) return Value();
  if (!p.live && instruction.parameter_number >= 0) return ended_[frame]->arguments[instruction.parameter_number];
  const Value& value = f->values[instruction.index];
  return value.has_value() && value.IsDense() ? value : Value();
}

// ---- Loops ----

FrameHistory::Loop& FrameHistory::LoopOf(int frame, const Instruction& loop) {
  std::unique_ptr<Loop>& slot = loops_[{frame, &loop}];
  if (slot == nullptr) slot = std::make_unique<Loop>();
  return *slot;
}

absl::StatusOr<Value> FrameHistory::Start(int frame, const Instruction& loop) { return ValueOf(frame, *loop.operands[0]); }

absl::StatusOr<Value> FrameHistory::NextCarried(int frame, const Instruction& loop, int64_t k, Value carried) {
  std::vector<Value> arguments;
  arguments.push_back(std::move(carried));
  return machine_.impl_->CallNested(FrameKind::kWhileBody, &loop, PathOf(frame), *loop.Called(AttrId::kBody), std::move(arguments), k, -1);
}

absl::StatusOr<bool> FrameHistory::Continues(int frame, const Instruction& loop, int64_t k, const Value& carried) {
  absl::StatusOr<Value> result =
      machine_.impl_->CallNested(FrameKind::kWhileCondition, &loop, PathOf(frame), *loop.Called(AttrId::kCondition), {carried}, k, -1);
  if (!result.ok()) return result.status();
  return *ToDense(*result).as<uint8_t>() != 0;
}

void FrameHistory::Keep(Loop& loop, int64_t k, const Value& carried) {
  if (k % loop.stride != 0 || loop.kept.contains(k)) return;
  absl::flat_hash_set<const Buffer*> seen;
  int64_t unused = 0, bytes = 0;
  if (!loop.kept.empty()) CountBuffers(loop.kept.rbegin()->second, &seen, &unused);
  CountBuffers(carried, &seen, &bytes);
  loop.kept[k] = carried;
  loop.bytes += bytes;
  while (loop.bytes > budget_ && loop.kept.size() > 2) {  // every second one goes
    loop.stride *= 2;
    seen.clear();
    loop.bytes = 0;
    for (auto it = loop.kept.begin(); it != loop.kept.end();) {
      if (it->first % loop.stride != 0) {
        it = loop.kept.erase(it);
        continue;
      }
      CountBuffers(it->second, &seen, &loop.bytes);
      ++it;
    }
  }
}

absl::StatusOr<int64_t> FrameHistory::Iterations(int frame, const Instruction& instruction) {
  Loop* loop = &LoopOf(frame, instruction);
  while (loop->count < 0) {
    if (loop->reached < 0) {
      absl::StatusOr<Value> first = Carried(frame, instruction, 0);
      if (!first.ok()) return first.status();
    }
    absl::StatusOr<bool> more = Continues(frame, instruction, loop->reached, loop->last);
    if (!more.ok()) return more.status();
    if (!*more) {
      loop->count = loop->reached;
      break;
    }
    absl::StatusOr<Value> next = Carried(frame, instruction, loop->reached + 1);
    if (!next.ok()) return next.status();
  }
  return loop->count;
}

absl::StatusOr<Value> FrameHistory::Carried(int frame, const Instruction& instruction, int64_t k) {
  Loop& loop = LoopOf(frame, instruction);
  if (loop.reached < 0) {
    absl::StatusOr<Value> start = Start(frame, instruction);
    if (!start.ok()) return start;
    loop.reached = 0;
    loop.last = *start;
    Keep(loop, 0, *start);
  }
  if (const auto it = loop.kept.find(k); it != loop.kept.end()) return it->second;
  if (const auto it = loop.near.find(k); it != loop.near.end()) return it->second;
  if (k == loop.reached) return loop.last;
  if (k > loop.reached) {  // the pass goes on
    while (loop.reached < k) {
      Value from = std::move(loop.last);
      loop.last = Value();
      absl::StatusOr<Value> next = NextCarried(frame, instruction, loop.reached, std::move(from));
      if (!next.ok()) {
        loop = Loop();  // the value was given away, so that updates happen in place
        return next;
      }
      loop.last = *std::move(next);
      ++loop.reached;
      Keep(loop, loop.reached, loop.last);
    }
    return loop.last;
  }
  auto it = loop.kept.upper_bound(k);
  --it;
  int64_t at = it->first;
  Value carried = it->second;
  loop.near.clear();
  while (at < k) {
    absl::StatusOr<Value> next = NextCarried(frame, instruction, at, carried);
    if (!next.ok()) return next;
    carried = *std::move(next);
    loop.near[++at] = carried;
  }
  return carried;
}

}  // namespace hloscope
