// An ended frame is a stack of one frame whose position is at its end, in which the Machine makes values again as it does in its own.
// Nothing here recurses over the length of a computation or of a loop, only over how deep frames nest.
#include "core/exec/frame_history.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/exec/machine_impl.h"
#include "core/literal/relayout.h"
#include "core/ops/branches.h"

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
  std::map<int64_t, Value> near;  // where somebody walks
  int64_t near_bytes = 0;
  int64_t begun = 0;  // where the last walk set out
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

FrameHistory::FrameHistory(Machine& machine, int64_t budget, Past past) : machine_(machine), budget_(budget), past_(std::move(past)) {
  ReadPast();
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

namespace {


// What the iteration began with, if the frame still has it.
const Value& Beginning(const Frame& frame) {
  const Value& value = frame.values[frame.computation->parameters[0]->index];
  return !value.has_value() && frame.kind == FrameKind::kWhileCondition ? frame.carried : value;
}

uint64_t LoopKey(uint64_t path, const Instruction* loop) { return MixHash(path, reinterpret_cast<uintptr_t>(loop)); }

}  // namespace

void FrameHistory::ReadPast() {
  for (const std::shared_ptr<const MachineSnapshot>& moment : past_) {
    const absl::Span<const Frame> frames = FramesOf(*moment);
    size_t edited = 0;  // how far in
    for (size_t d = 0; d < frames.size(); ++d) {
      const Frame& frame = frames[d];
      if (d > 0 && IsLoop(frame.kind) && Beginning(frame).has_value() && !IsReplaced(frame, frame.computation->parameters[0]->index)) begun_[LoopKey(frames[d - 1].path, frame.caller)][frame.iteration] = &frame;
      if (frame.set_by_hand.empty()) continue;
      edited_[frame.path] = &frame;  // the last one knows of all that was set there
      edited = d;
    }
    for (size_t d = 1; d <= edited; ++d) edited_inside_[frames[d - 1].path][frames[d].caller->index] = &frames[d];
  }
}

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

std::vector<int> FrameHistory::EnterAllBranches(int frame, const Instruction& conditional) {
  std::vector<int> frames;
  for (const Computation* branch : BranchesOf(conditional)) {
    frames.push_back(Enter(frame, conditional, FrameKind::kBranch, *branch, 0, static_cast<int>(frames.size())));
  }
  return frames;
}

absl::StatusOr<int> FrameHistory::EnterBranch(int frame, const Instruction& conditional) {
  absl::StatusOr<Value> selector = ReadBy(frame, conditional, 0);
  if (!selector.ok()) return selector.status();
  const int branch = TakenBranch(conditional, *selector);
  return Enter(frame, conditional, FrameKind::kBranch, *BranchesOf(conditional)[branch], 0, branch);
}

uint64_t FrameHistory::PathOf(int frame) const {
  if (paths_[frame] != 0) return paths_[frame];
  const Place& p = places_[frame];
  const uint64_t outer = PathOf(p.parent);
  return paths_[frame] = machine_.impl_->PathOf(outer, p.caller, p.kind, p.iteration, p.branch);
}

uint64_t FrameHistory::ExchangeKey(int frame, const Instruction& instruction) const { return MixHash(PathOf(frame), static_cast<uint64_t>(instruction.index)); }

int FrameHistory::FrameAt(const Mark& mark) {
  int frame = 0;
  for (size_t k = 1; k < mark.levels.size(); ++k) {
    const Mark::Level& level = mark.levels[k];
    const Instruction& caller = *places_[frame].computation->schedule[mark.levels[k - 1].position];
    const bool inner = places_[frame].live && frame + 1 < live_;
    if (const Place& live = places_[inner ? frame + 1 : frame]; inner && live.caller == &caller && live.kind == level.kind && live.iteration == level.iteration && live.branch == level.branch) {
      ++frame;
      continue;
    }
    switch (level.kind) {
      case FrameKind::kWhileCondition: frame = EnterCondition(frame, caller, level.iteration); break;
      case FrameKind::kWhileBody: frame = EnterBody(frame, caller, level.iteration); break;
      case FrameKind::kBranch: frame = Enter(frame, caller, FrameKind::kBranch, *BranchesOf(caller)[level.branch], 0, level.branch); break;
      case FrameKind::kEntry:
      case FrameKind::kCall:
      case FrameKind::kFusion:
      case FrameKind::kElement: frame = EnterCall(frame, caller); break;  // nothing is exchanged in element computations
    }
  }
  return frame;
}

// ---- Frames ----

absl::StatusOr<std::vector<Value>> FrameHistory::ArgumentsOf(int frame) {
  const Place p = places_[frame];
  std::vector<Value> arguments;
  switch (p.kind) {
    case FrameKind::kCall:
    case FrameKind::kFusion:
      for (size_t k = 0; k < p.caller->operands.size(); ++k) {
        absl::StatusOr<Value> value = ReadBy(p.parent, *p.caller, k);
        if (!value.ok()) return value.status();
        arguments.push_back(*std::move(value));
      }
      return arguments;
    case FrameKind::kBranch: {
      absl::StatusOr<Value> value = ReadBy(p.parent, *p.caller, static_cast<size_t>(p.branch) + 1);
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
  if (edited_.empty()) return ended_[frame].get();
  status = SetAgain(frame, *ended_[frame]);
  if (!status.ok()) return status;
  return ended_[frame].get();
}

// What was set in the frame holds, and what is inside of it is as it was set there.
absl::Status FrameHistory::SetAgain(int frame, Ended& ended) {
  const uint64_t path = PathOf(frame);
  Frame& opened = ended.frames[0];
  if (const auto edited = edited_.find(path); edited != edited_.end()) {
    const Frame& then = *edited->second;
    const Code& code = machine_.impl_->CodeOf(opened);
    for (size_t p = 0; p < then.values.size(); ++p) {
      if (!then.values[p].has_value() || !IsReplaced(then, static_cast<int>(p))) continue;
      // The parts of a parameter came with it, from the caller: they are made again from what was set.
      if (const auto parts = code.parts.find(static_cast<int>(p)); parts != code.parts.end()) {
        for (const Code::Part& part : parts->second) {
          if (!IsReplaced(then, part.position)) opened.values[part.position] = Value();
        }
      }
      opened.values[p] = then.values[p];
    }
    opened.replaced = then.replaced;
    opened.history = then.history;
    opened.set_by_hand = then.set_by_hand;
  }
  const auto inside = edited_inside_.find(path);
  if (inside == edited_inside_.end()) return absl::OkStatus();
  for (const auto& [position, then] : inside->second) {
    const Instruction& caller = *then->caller;
    absl::StatusOr<Value> result = Value();
    if (IsLoop(then->kind)) {
      absl::StatusOr<int64_t> count = Iterations(frame, caller);
      if (!count.ok()) return count.status();
      result = Carried(frame, caller, *count);
    } else {
      const int called = Enter(frame, caller, then->kind, *then->computation, then->iteration, then->branch);
      result = ValueOf(called, *then->computation->root);
    }
    if (!result.ok()) return result.status();
    opened.values[position] = ToLayout(*result, caller.shape);
    if (!IsReplaced(opened, position)) opened.replaced.push_back(position);
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> FrameHistory::ValueOf(int frame, const Instruction& instruction) {
  const Place& p = places_[frame];
  if (p.live) return machine_.ValueOf(frame, instruction.index);
  if (instruction.parameter_number >= 0) {
    if (Value set = SetIn(frame, instruction); set.has_value()) return set;
    if (IsLoop(p.kind)) {
      absl::StatusOr<Value> carried = Carried(p.parent, *p.caller, p.iteration);
      if (!carried.ok()) return carried;
      return ToDense(*carried);
    }
  }
  absl::StatusOr<Ended*> ended = Open(frame);
  if (!ended.ok()) return ended.status();
  if (instruction.parameter_number >= 0) return ToDense((*ended)->arguments[instruction.parameter_number]);
  if (absl::Status status = LoopsFor(frame, instruction); !status.ok()) return status;
  if (absl::Status status = MakeNeeds(**ended, instruction); !status.ok()) return status;
  Stack stack{(*ended)->frames};
  absl::StatusOr<Value> value = machine_.impl_->Materialize(stack, 0, instruction.index);
  if (!value.ok()) return value;
  (*ended)->frames[0].values[instruction.index] = *value;
  Book(**ended, instruction.index, *value);
  return ToDense(*value);
}

// The reader's operand as it was when it was read.
absl::StatusOr<Value> FrameHistory::ReadBy(int frame, const Instruction& reader, size_t operand) {
  const Instruction& read = *reader.operands[operand];
  Value before = Before(frame, read, reader.index);
  if (before.has_value()) return before;
  return ValueOf(frame, read);
}

// Results of loops that the value needs, from their last moments: to run them from their beginning may take as long as the program.
absl::Status FrameHistory::LoopsFor(int frame, const Instruction& instruction) {
  if (begun_.empty()) return absl::OkStatus();
  Ended& ended = *ended_[frame];
  const uint64_t path = PathOf(frame);
  std::vector<const Instruction*> todo = {&instruction};
  absl::flat_hash_set<const Instruction*> seen;
  while (!todo.empty()) {
    const Instruction& i = *todo.back();
    todo.pop_back();
    if (!seen.insert(&i).second || ended.frames[0].values[i.index].has_value()) continue;
    if (Def(i).control != ControlKind::kWhile || !begun_.contains(LoopKey(path, &i))) {
      todo.insert(todo.end(), i.operands.begin(), i.operands.end());
      continue;
    }
    absl::StatusOr<int64_t> count = Iterations(frame, i);
    if (!count.ok()) return count.status();
    absl::StatusOr<Value> result = Carried(frame, i, *count);
    if (!result.ok()) return result.status();
    ended.frames[0].values[i.index] = *result;
    Book(ended, i.index, *result);
  }
  return absl::OkStatus();
}

// What the value is made from stays too, as far as there is room: who asks for one often goes on to those before it.
absl::Status FrameHistory::MakeNeeds(Ended& ended, const Instruction& instruction) {
  Frame& opened = ended.frames[0];
  if (opened.values[instruction.index].has_value()) return absl::OkStatus();
  Stack stack{ended.frames};
  absl::InlinedVector<int, 4> scratch;
  bool whole = false;
  std::vector<bool> needed(instruction.index + 1, false);
  needed[instruction.index] = true;
  for (int p = instruction.index; p >= 0; --p) {
    if (!needed[p] || opened.values[p].has_value()) continue;
    for (int need : machine_.impl_->NeedsOf(opened, p, scratch, &whole)) needed[need] = true;
  }
  for (int p = 0; p < instruction.index && ended_bytes_ < budget_; ++p) {
    if (!needed[p] || opened.values[p].has_value()) continue;
    absl::StatusOr<Value> value = machine_.impl_->Materialize(stack, 0, p);
    if (!value.ok()) return value.status();
    Book(ended, p, *value);
    opened.values[p] = *std::move(value);
  }
  return absl::OkStatus();
}

void FrameHistory::Book(Ended& ended, int position, const Value& value) {
  if (ended.counted[position]) return;
  ended.counted[position] = true;
  ended.bytes += value.byte_size();
  ended_bytes_ += value.byte_size();
}

// The frame with what was set in it; null: nothing.
const Frame* FrameHistory::EditedFrame(int frame) const {
  if (frame < live_) return &machine_.frames()[frame];
  if (edited_.empty()) return nullptr;
  const auto edited = edited_.find(PathOf(frame));
  return edited == edited_.end() ? nullptr : edited->second;
}

bool FrameHistory::SetByHand(int frame, const Instruction& instruction, int leaf, int64_t linear) const {
  const Frame* edited = EditedFrame(frame);
  return edited != nullptr && std::any_of(edited->set_by_hand.begin(), edited->set_by_hand.end(),
                                          [&](const auto& set) { return set.Has(instruction.index, leaf, linear); });
}

Value FrameHistory::Before(int frame, const Instruction& instruction, int reader) const {
  const Frame* edited = EditedFrame(frame);
  if (edited == nullptr || edited->history.empty()) return Value();
  for (const Replaced& replaced : edited->history) {
    if (replaced.position == instruction.index && reader < replaced.since) return DenseOf(replaced.old);
  }
  return Value();
}

Value FrameHistory::SetIn(int frame, const Instruction& instruction) const {
  const Frame* edited = EditedFrame(frame);
  if (edited == nullptr || !IsReplaced(*edited, instruction.index) || !edited->values[instruction.index].has_value()) return Value();
  return DenseOf(edited->values[instruction.index]);
}

Value FrameHistory::DenseOf(const Value& of_edited) const {
  if (of_edited.IsDense()) return of_edited;
  Value& dense = dense_of_[&of_edited];
  if (!dense.has_value()) dense = ToDense(of_edited);
  return dense;
}

bool FrameHistory::ComputedBefore(int frame, const Instruction& instruction, int leaf, int64_t linear) const {
  const Frame* edited = EditedFrame(frame);
  return edited == nullptr || std::count_if(edited->set_by_hand.begin(), edited->set_by_hand.end(),
                                            [&](const auto& set) { return set.Has(instruction.index, leaf, linear); }) <= 1;
}

Value FrameHistory::Held(int frame, const Instruction& instruction) const {
  const Place& p = places_[frame];
  const Frame* f = p.live ? &machine_.frames()[frame] : ended_[frame] != nullptr ? &ended_[frame]->frames[0] : nullptr;
  if (f == nullptr) return SetIn(frame, instruction);  // what was set there holds before anybody opens it
  if (!p.live && instruction.parameter_number >= 0) {
    const Value set = SetIn(frame, instruction);
    return set.has_value() ? set : ended_[frame]->arguments[instruction.parameter_number];
  }
  const Value& value = f->values[instruction.index];
  return value.has_value() && value.IsDense() ? value : Value();
}

// ---- Loops ----

FrameHistory::Loop& FrameHistory::LoopOf(int frame, const Instruction& loop) {
  std::unique_ptr<Loop>& slot = loops_[{frame, &loop}];
  if (slot == nullptr) slot = std::make_unique<Loop>();
  return *slot;
}

absl::Status FrameHistory::BeginPass(Loop& loop, int frame, const Instruction& instruction) {
  if (loop.reached >= 0) return absl::OkStatus();
  absl::StatusOr<Value> start = ReadBy(frame, instruction, 0);
  if (!start.ok()) return start.status();
  loop.reached = 0;
  loop.last = *start;
  Keep(loop, 0, *start);
  return absl::OkStatus();
}

absl::StatusOr<Value> FrameHistory::NextCarried(int frame, const Instruction& loop, int64_t k, Value carried) {
  if (!edited_.empty()) {
    const int body = EnterBody(frame, loop, k);
    if (edited_.contains(PathOf(body)) || edited_inside_.contains(PathOf(body))) {
      LoopOf(frame, loop).near[k] = std::move(carried);  // what the body is opened with
      absl::StatusOr<Value> next = ValueOf(body, *places_[body].computation->root);
      return next.ok() ? ToLayout(*next, loop.shape) : next;
    }
  }
  std::vector<Value> arguments;
  arguments.push_back(std::move(carried));
  return machine_.impl_->CallNested(FrameKind::kWhileBody, &loop, PathOf(frame), *loop.Called(AttrId::kBody), std::move(arguments), k, -1);
}

absl::StatusOr<bool> FrameHistory::Continues(int frame, const Instruction& loop, int64_t k, const Value& carried) {
  if (!edited_.empty()) {
    const int condition = EnterCondition(frame, loop, k);
    if (edited_.contains(PathOf(condition)) || edited_inside_.contains(PathOf(condition))) {
      LoopOf(frame, loop).near[k] = carried;
      absl::StatusOr<Value> more = ValueOf(condition, *places_[condition].computation->root);
      if (!more.ok()) return more.status();
      return *more->as<uint8_t>() != 0;
    }
  }
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
  if (loop->count < 0 && !machine_.impl_->log.values_set) {  // the run itself has counted
    const auto known = machine_.impl_->log.trip_counts.find(MixHash(PathOf(frame), static_cast<uint64_t>(instruction.index)));
    if (known != machine_.impl_->log.trip_counts.end()) loop->count = known->second;
  }
  // From the last iteration that is known to have begun.
  int64_t k = std::max<int64_t>(loop->reached, 0);
  if (const auto begun = begun_.find(LoopKey(PathOf(frame), &instruction)); begun != begun_.end()) k = std::max(k, begun->second.rbegin()->first);
  const int64_t most = machine_.options_.max_iterations;
  for (; loop->count < 0; ++k) {
    if (most > 0 && k > most) return absl::ResourceExhaustedError(absl::StrCat("the loop runs more than ", most, " iterations"));
    absl::StatusOr<Value> carried = Carried(frame, instruction, k);
    if (!carried.ok()) return carried.status();
    absl::StatusOr<bool> more = Continues(frame, instruction, k, *carried);
    if (!more.ok()) return more.status();
    if (!*more) loop->count = k;
  }
  return loop->count;
}

// From the nearest iteration that is known, at or before `k`: one that was kept, a moment of the past, or the pass from the beginning.
absl::StatusOr<Value> FrameHistory::Carried(int frame, const Instruction& instruction, int64_t k) {
  Loop& loop = LoopOf(frame, instruction);
  int64_t at = -1;
  const Value* from = nullptr;
  const auto nearest = [&](const std::map<int64_t, Value>& values) {
    auto it = values.upper_bound(k);
    if (it == values.begin()) return;
    --it;
    if (it->first <= at) return;
    at = it->first;
    from = &it->second;
  };
  nearest(loop.near);
  const int64_t near = at;
  nearest(loop.kept);
  if (const auto begun = begun_.find(LoopKey(PathOf(frame), &instruction)); begun != begun_.end()) {
    auto it = begun->second.upper_bound(k);
    if (it != begun->second.begin() && (--it)->first > at) {
      at = it->first;
      from = &Beginning(*it->second);
    }
  }
  if (at == k) return *from;
  if (at < 0) {
    if (absl::Status status = BeginPass(loop, frame, instruction); !status.ok()) return status;
  }
  if (loop.reached >= at && loop.reached <= k) {  // the pass goes on
    while (loop.reached < k) {
      Value given = std::move(loop.last);
      loop.last = Value();
      absl::StatusOr<Value> next = NextCarried(frame, instruction, loop.reached, std::move(given));
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
  Value carried = *from;
  if (at != near) loop.begun = at;
  while (at < k) {
    absl::StatusOr<Value> next = NextCarried(frame, instruction, at, carried);
    if (!next.ok()) return next;
    carried = *std::move(next);
    KeepNear(loop, ++at, carried);
  }
  return carried;
}

// Several walks may go through a loop at once, each at its own pace (a counter's and a sum's): their stretches stay as long as there is room.
void FrameHistory::KeepNear(Loop& loop, int64_t k, const Value& carried) {
  absl::flat_hash_set<const Buffer*> seen;
  int64_t unused = 0;
  if (const auto before = loop.near.find(k - 1); before != loop.near.end()) CountBuffers(before->second, &seen, &unused);
  CountBuffers(carried, &seen, &loop.near_bytes);
  loop.near[k] = carried;
  if (loop.near_bytes <= budget_ || loop.near.size() < 3) return;
  const auto thin_out = [&](const auto& goes) {
    seen.clear();
    loop.near_bytes = 0;
    for (auto it = loop.near.begin(); it != loop.near.end();) {
      if (goes(it->first)) {
        it = loop.near.erase(it);
        continue;
      }
      CountBuffers(it->second, &seen, &loop.near_bytes);
      ++it;
    }
  };
  thin_out([&](int64_t n) { return n < loop.begun || n > k; });
  bool second = true;
  if (loop.near_bytes > budget_ && loop.near.size() > 2) thin_out([&](int64_t) { return second = !second; });
}

}  // namespace hloscope
