#include "core/debug/timeline.h"

#include <algorithm>

#include "core/debug/interruption.h"
#include "core/exec/frame_history.h"
#include "core/ops/op.h"

namespace hloscope {

absl::Status OutsideElements(const Machine& machine) {
  const std::vector<Frame>& frames = machine.frames();
  const bool inside = std::any_of(frames.begin(), frames.end(), [](const Frame& frame) { return frame.kind == FrameKind::kElement; });
  return inside ? absl::FailedPreconditionError("the program stands inside an element computation; finish it first") : absl::OkStatus();
}

Timeline::Timeline(Machine& machine, TimelineOptions options) : machine_(machine), options_(options) {
  Add(true);
  machine_.set_checkpoint_hook(
      [this] {
        seconds_ += options_.interval_seconds;
        Add(false);
        if (on_moment_) on_moment_(machine_.Where());
      },
      options_.interval_seconds);
}

Timeline::~Timeline() { machine_.set_checkpoint_hook(nullptr, 0); }

// ---- Snapshots ----

size_t Timeline::Before(const Mark& mark) const {
  const auto after = std::upper_bound(moments_.begin(), moments_.end(), mark, [](const Mark& m, const Moment& moment) { return m < moment.mark; });
  return after == moments_.begin() ? 0 : static_cast<size_t>(after - moments_.begin()) - 1;
}

void Timeline::Add(bool kept) {
  std::shared_ptr<const MachineSnapshot> snapshot = machine_.TakeSnapshot();
  if (snapshot == nullptr) return;
  Moment moment{Machine::MarkOf(*snapshot), seconds_, snapshot, kept, machine_.top().computation, {}};
  const auto at = std::lower_bound(moments_.begin(), moments_.end(), moment.mark, [](const Moment& m, const Mark& mark) { return m.mark < mark; });
  if (at != moments_.end() && at->mark == moment.mark) {
    if (!kept) return;
    Count(*at->snapshot, -1);
    moment.sets = std::move(at->sets);
    *at = std::move(moment);
  } else {
    moments_.insert(at, std::move(moment));
  }
  Count(*snapshot, 1);
  Thin();
}

void Timeline::Count(const MachineSnapshot& snapshot, int sign) {
  Machine::ForEachValue(snapshot, [&](const Value& value, bool lent) {
    const Buffer* buffer = value.buffer();
    if (lent) lent_.insert(buffer);
    if (lent_.contains(buffer)) return;
    Held& held = held_[buffer];
    if (held.count == 0) {
      held.bytes = buffer->size();
      held_bytes_ += held.bytes;
    }
    held.count += sign;
    if (held.count > 0) return;
    held_bytes_ -= held.bytes;
    held_.erase(buffer);
  });
}

// The moment whose neighbours are closest together goes: what it saves is the least. The latest stays, a step back from the present is common.
void Timeline::Thin() {
  while (moments_.size() > options_.max_snapshots || held_bytes_ > options_.budget_bytes) {
    size_t found = 0;
    double least = 0;
    for (size_t k = 1; k < moments_.size(); ++k) {
      if (moments_[k].kept) continue;
      const bool last = k + 1 == moments_.size();
      const double gap = last ? 1e300 : moments_[k + 1].seconds - moments_[k - 1].seconds;
      if (found != 0 && gap >= least) continue;
      found = k;
      least = gap;
    }
    if (found == 0) return;
    Count(*moments_[found].snapshot, -1);
    moments_.erase(moments_.begin() + static_cast<ptrdiff_t>(found));
  }
}

// ---- Going there ----

StopReason Timeline::SeekFrom(const Moment& moment, const Mark& mark, bool recall) {
  machine_.Restore(*moment.snapshot, recall);
  seconds_ = moment.seconds;
  return Forward(mark);
}

StopReason Timeline::Forward(const Mark& mark) {
  for (size_t k = 0; k < awaited_.size();) {
    const Mark there = awaited_[k].mark, now = machine_.Where();
    if (mark < there) break;
    if (there < now) {
      ++k;
      continue;
    }
    const StopReason reason = Over(there);
    if (reason == StopReason::kError && absl::IsNotFound(machine_.status())) {  // it goes another way
      missed_.push_back(std::move(awaited_[k]));
      awaited_.erase(awaited_.begin() + static_cast<ptrdiff_t>(k));
      const Moment& best = moments_[Before(mark)];
      machine_.Restore(*best.snapshot);
      seconds_ = best.seconds;
      k = 0;
      continue;
    }
    if (reason != StopReason::kStep) return reason;
    TakeUpAwaited();
  }
  return Over(mark);
}

StopReason Timeline::Over(const Mark& mark) {
  bool exchange = false;
  while (true) {
    StopReason reason = machine_.SeekForward(mark, exchange);
    if (reason != StopReason::kWaiting || !on_exchange_) return reason;
    reason = on_exchange_(exchange);
    if (reason != StopReason::kStep) return reason;
    exchange = true;
  }
}

StopReason Timeline::Seek(const Mark& mark) {
  const Mark now = machine_.Where();
  const size_t before = Before(mark);
  const Moment& best = moments_[before];
  // Where something was set, what comes there by steps has not taken it up.
  if (before > 0 && best.kept && best.mark == now) return SeekFrom(best, mark);
  if (now == mark && machine_.settled()) {
    TakeUpAwaited();
    return StopReason::kStep;
  }
  if (now < mark && !(now < best.mark)) return Forward(mark);
  if (now < mark || !machine_.settled()) return SeekFrom(best, mark);
  // Over a moment at which something was set: it may have been in a frame further out.
  for (size_t k = before + 1; k < moments_.size() && !(now < moments_[k].mark); ++k) {
    if (moments_[k].kept) return SeekFrom(best, mark);
  }
  // Back: in the innermost frame that both moments are in, to where the way to `mark` leaves it.
  size_t level = 0;
  while (level < now.levels.size() && level < mark.levels.size() && now.levels[level] == mark.levels[level]) ++level;
  const bool same_frame = level < mark.levels.size() && level < now.levels.size() && now.levels[level].kind == mark.levels[level].kind &&
                          now.levels[level].iteration == mark.levels[level].iteration;
  if (!same_frame) {
    if (level == 0) return SeekFrom(best, mark);
    --level;
  }
  Mark left = mark;
  left.levels.resize(level + 1);
  if (left < best.mark || !machine_.Rewind(static_cast<int>(level), left.levels[level].position).ok()) return SeekFrom(best, mark);
  machine_.Recall(*best.snapshot);
  // What is gone would be made again from wherever it takes; from the snapshot it is never far.
  if (!machine_.HoldsWhatIsRead(static_cast<int>(level))) return SeekFrom(best, mark);
  seconds_ = best.seconds;
  return Forward(mark);
}

void Timeline::Settle() {
  if (machine_.settled() || machine_.finished()) return;
  const Mark mark = machine_.Where();
  SeekFrom(moments_[Before(mark)], mark);
}

absl::Status Timeline::Around(const std::function<absl::Status()>& look) {
  const std::shared_ptr<const MachineSnapshot> here = machine_.TakeSnapshot(true);
  const Mark mark = machine_.Where();
  // Without a snapshot it is inside an element computation, whose walk is made again.
  if (here == nullptr && mark.levels.empty()) return absl::FailedPreconditionError("the program has not been started");
  const double seconds = seconds_;
  absl::Status status = look();
  if (here != nullptr) {
    machine_.Restore(*here);
  } else if (Seek(mark) != StopReason::kStep && status.ok()) {
    status = machine_.status();
  }
  seconds_ = seconds;
  return status;
}

// ---- Back by one ----

namespace {

int SizeOf(const Frame& frame) { return static_cast<int>(frame.computation->schedule.size()); }

}  // namespace

absl::StatusOr<Mark> Timeline::Previous(bool into, bool elements) {
  Mark mark = machine_.Where();
  if (mark.levels.empty()) return absl::FailedPreconditionError("the program has not been started");
  Mark::Level& top = mark.levels.back();
  const Frame& frame = machine_.top();
  if (top.position > 0) {
    --top.position;
    if (!into) return mark;
    return LastWithin(std::move(mark), elements);
  }
  const auto last_of = [](const Computation& computation) { return std::max(0, static_cast<int>(computation.schedule.size()) - 1); };
  switch (top.kind) {
    case FrameKind::kEntry:
      return absl::OutOfRangeError("this is the beginning of the program");
    case FrameKind::kWhileBody:
      top = {FrameKind::kWhileCondition, top.iteration, -1, last_of(*frame.caller->Called(AttrId::kCondition))};
      return into ? LastWithin(std::move(mark), elements) : mark;
    case FrameKind::kWhileCondition:
      if (top.iteration == 0) break;
      top = {FrameKind::kWhileBody, top.iteration - 1, -1, last_of(*frame.caller->Called(AttrId::kBody))};
      return into ? LastWithin(std::move(mark), elements) : mark;
    case FrameKind::kElement:
      if (top.iteration == 0) break;
      top = {FrameKind::kElement, top.iteration - 1, -1, 0};
      return EndOfCall(std::move(mark), into, elements);
    case FrameKind::kCall:
    case FrameKind::kFusion:
    case FrameKind::kBranch:
      break;
  }
  mark.levels.pop_back();
  return mark;
}

absl::Status Timeline::SeekTo(const Mark& mark) {
  const StopReason reason = Seek(mark);
  if (reason == StopReason::kStep) return absl::OkStatus();
  if (reason == StopReason::kInterrupted) return Interruption();
  return machine_.status().ok() ? absl::FailedPreconditionError("the program does not get there by itself") : machine_.status();
}

// The last moment of the element computation's call that `mark` is in.
absl::StatusOr<Mark> Timeline::EndOfCall(Mark mark, bool into, bool elements) {
  if (absl::Status there = SeekTo(mark); !there.ok()) return there;
  mark.levels.back().position = std::max(0, SizeOf(machine_.top()) - 1);  // a walk may go through computations of several sizes
  return into ? LastWithin(std::move(mark), elements) : mark;
}

// Of a walk through element computations that the instruction at `mark` makes, where `step` would make one; else `mark`. What would take
// too long to get to is passed over as a whole.
absl::StatusOr<Mark> Timeline::LastElement(const Mark& mark, bool* inside) {
  constexpr int64_t kMostCalls = 100'000;
  *inside = false;
  Mark within = mark;
  within.levels.push_back({FrameKind::kElement, 0, -1, 0});
  if (absl::Status entered = SeekTo(within); absl::IsCancelled(entered)) {
    return entered;
  } else if (!entered.ok()) {
    return mark;
  }
  const Machine::WalkLength walk = machine_.LengthOfWalk();
  if (walk.to_last > kMostCalls) return mark;
  within.levels.back().iteration = std::max<int64_t>(0, walk.calls - 1);
  *inside = true;
  return EndOfCall(std::move(within), false, true);
}

// The last moment before the instruction at `mark` is done: inside what it calls.
absl::StatusOr<Mark> Timeline::LastWithin(Mark mark, bool elements) {
  while (true) {
    if (absl::Status there = SeekTo(mark); !there.ok()) return there;
    const Instruction* instruction = machine_.next_instruction();
    if (instruction == nullptr) return mark;
    if (Def(*instruction).control == ControlKind::kNone) {
      if (!elements || instruction->attributes.empty() || instruction->CalledComputations().empty()) return mark;
      bool inside = false;
      absl::StatusOr<Mark> last = LastElement(mark, &inside);
      if (!last.ok() || !inside) return last;
      mark = *std::move(last);
      continue;
    }
    const int depth = static_cast<int>(machine_.frames().size()) - 1;
    std::optional<int64_t> trips = machine_.TripCount(depth, mark.levels.back().position);
    Mark inside = mark;
    if (Def(*instruction).control == ControlKind::kWhile) {
      if (!trips.has_value()) {  // nobody has counted: what runs beside the program's way is not
        Mark behind = mark;
        ++behind.levels.back().position;
        if (absl::Status there = SeekTo(behind); absl::IsCancelled(there)) return there;
        if (absl::Status there = SeekTo(mark); !there.ok()) return there;
        trips = machine_.TripCount(depth, mark.levels.back().position);
      }
      if (!trips.has_value()) return mark;
      const Computation& condition = *instruction->Called(AttrId::kCondition);
      inside.levels.push_back({FrameKind::kWhileCondition, *trips, -1, std::max(0, static_cast<int>(condition.schedule.size()) - 1)});
    } else {
      const StopReason entered = machine_.Step(true);
      if (entered != StopReason::kStep || static_cast<int>(machine_.frames().size()) != depth + 2) return mark;
      const Frame& frame = machine_.top();
      inside.levels.push_back({frame.kind, frame.iteration, frame.branch, std::max(0, SizeOf(frame) - 1)});
    }
    mark = std::move(inside);
  }
}

// ---- What was set ----

namespace {

// Nothing of `earlier`, set at the same moment, is left.
bool Covers(const HandSet& made, const HandSet& earlier) {
  if (made.depth != earlier.depth || made.instruction != earlier.instruction || made.path != earlier.path) return false;
  if (made.places.empty() || earlier.places.empty()) return made.places.empty();
  const absl::flat_hash_set<int64_t> places(made.places.begin(), made.places.end());
  return std::all_of(earlier.places.begin(), earlier.places.end(), [&](int64_t place) { return places.contains(place); });
}

}  // namespace

void Timeline::NoteEdit(HandSet made) {
  const Mark now = machine_.Where();
  while (!moments_.empty() && now < moments_.back().mark) {
    Count(*moments_.back().snapshot, -1);
    moments_.pop_back();
  }
  Add(true);
  Moment& moment = moments_[Before(now)];
  std::erase_if(moment.sets, [&](const HandSet& earlier) { return Covers(made, earlier); });
  moment.sets.push_back(std::move(made));
  moment.edit = ++edits_;
}

int64_t Timeline::last_edit() const {
  int64_t last = 0;
  for (const Moment& moment : moments_) last = std::max(last, moment.edit);
  return last;
}

bool Timeline::TakeUpEdit() {
  const Mark now = machine_.Where();
  const Moment& moment = moments_[Before(now)];
  if (!moment.kept || !(moment.mark == now)) return false;
  machine_.Restore(*moment.snapshot);
  return true;
}

// ---- What is to be set again ----

void Timeline::Await(std::vector<HandSet> sets, std::function<bool(const HandSet& set)> set) {
  set_ = std::move(set);
  for (HandSet& each : sets) awaited_.push_back(std::move(each));
  std::stable_sort(awaited_.begin(), awaited_.end(), [](const HandSet& a, const HandSet& b) { return a.mark < b.mark; });
}

void Timeline::TakeUpAwaited() {
  const Mark now = machine_.Where();
  while (true) {
    const auto here = std::find_if(awaited_.begin(), awaited_.end(), [&](const HandSet& each) { return each.mark == now; });
    if (here == awaited_.end()) return;
    HandSet set = std::move(*here);
    awaited_.erase(here);
    if (!set_(set)) missed_.push_back(std::move(set));
  }
}

std::vector<HandSet> Timeline::TakeMissed() {
  const Mark now = machine_.Where();
  const auto passed = std::stable_partition(awaited_.begin(), awaited_.end(), [&](const HandSet& each) { return !(each.mark < now); });
  std::vector<HandSet> missed(std::make_move_iterator(passed), std::make_move_iterator(awaited_.end()));
  awaited_.erase(passed, awaited_.end());
  missed.insert(missed.begin(), std::make_move_iterator(missed_.begin()), std::make_move_iterator(missed_.end()));
  missed_.clear();
  return missed;
}

// ---- Going on anew ----

std::vector<HandSet> Timeline::DropFrom(const Mark& mark) {
  std::vector<HandSet> sets;
  while (moments_.size() > 1 && !(moments_.back().mark < mark)) {
    sets.insert(sets.begin(), moments_.back().sets.begin(), moments_.back().sets.end());
    Count(*moments_.back().snapshot, -1);
    moments_.pop_back();
  }
  return sets;
}

StopReason Timeline::SeekAnew(const Mark& mark) { return SeekFrom(moments_[Before(mark)], mark, false); }

void Timeline::Take(std::shared_ptr<const MachineSnapshot> snapshot, double seconds) {
  Moment moment{Machine::MarkOf(*snapshot), seconds, snapshot, false, ComputationsOf(*snapshot).back(), {}};
  const auto at = std::lower_bound(moments_.begin(), moments_.end(), moment.mark, [](const Moment& m, const Mark& mark) { return m.mark < mark; });
  if (at != moments_.end() && at->mark == moment.mark) return;
  moments_.insert(at, std::move(moment));
  Count(*snapshot, 1);
  Thin();
}

// ---- Branches ----

absl::StatusOr<Timeline::Branch> Timeline::Save(bool everything) const {
  Branch branch{moments_, machine_.TakeSnapshot(everything), machine_.CopyLog(), awaited_};
  if (absl::Status outside = OutsideElements(machine_); !outside.ok()) return outside;
  return branch;
}

void Timeline::Load(const Branch& branch, bool recall) {
  for (const Moment& moment : moments_) Count(*moment.snapshot, -1);
  moments_ = branch.moments;
  for (const Moment& moment : moments_) Count(*moment.snapshot, 1);
  awaited_ = branch.awaited;
  missed_.clear();
  machine_.SetLog(*branch.log);
  if (branch.present != nullptr) machine_.Restore(*branch.present, recall);
}

}  // namespace hloscope
