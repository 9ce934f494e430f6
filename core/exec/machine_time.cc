// Moments of a run: marks, snapshots, going back within a frame, and running forward to a mark again.
//
// A snapshot is handles of the values that the rest of the run needs; what else a frame holds can be made again. Within a frame, going back is
// a change of the position: values before it stay, and how often each will still be read follows from the plan. Into a loop's iteration, a
// snapshot of an iteration before it is restored and the loop runs forward. Values that the present holds and the past knows too are kept.
// Who decides when to take snapshots, and which to keep, is the Timeline (core/debug/timeline.h).
#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/exec/machine_impl.h"
#include "core/exec/not_on_the_way.h"

namespace hloscope {

absl::Span<const Frame> FramesOf(const MachineSnapshot& snapshot) { return snapshot.frames; }

// ---- Marks ----

bool operator<(const Mark& a, const Mark& b) {
  const auto turn = [](const Mark::Level& level) { return 2 * level.iteration + (level.kind == FrameKind::kWhileBody ? 1 : 0); };
  for (size_t k = 0; k < a.levels.size() && k < b.levels.size(); ++k) {
    if (turn(a.levels[k]) != turn(b.levels[k])) return turn(a.levels[k]) < turn(b.levels[k]);
    if (a.levels[k].position != b.levels[k].position) return a.levels[k].position < b.levels[k].position;
  }
  return a.levels.size() < b.levels.size();
}

Mark Machine::Where() const {
  Mark mark;
  mark.levels.reserve(frames_.size());
  for (const Frame& frame : frames_) mark.levels.push_back({frame.kind, frame.iteration, frame.branch, frame.position});
  return mark;
}

const Mark& Machine::exchanged() const { return impl_->log.exchanged; }

bool Machine::settled() const {
  return std::all_of(frames_.begin(), frames_.end(), [](const Frame& frame) {
    return frame.pinned || !IsLoop(frame.kind);
  });
}

// ---- Snapshots ----

bool Machine::Impl::CanSnapshot() const {
  if (m.frames_.empty() || (!started && !finished)) return false;
  return std::none_of(m.frames_.begin(), m.frames_.end(), [](const Frame& frame) { return frame.kind == FrameKind::kElement; });
}

bool Machine::Impl::CheckpointDue() { return std::chrono::steady_clock::now() >= next_checkpoint; }

Outcome Machine::Impl::MaybeCheckpoint(Stack& stack) {
  constexpr int kRegionsBetweenLooks = 16;
  checkpoint_countdown = checkpoint_seconds > 0 ? kRegionsBetweenLooks : 0;
  if (!CheckpointDue() || !CanSnapshot() || !m.settled()) return Outcome::kDone;
  // Who runs on from there is not told what belongs before it.
  if (const Outcome looked = LookBefore(stack, stack.frames.back().position); looked != Outcome::kDone) return looked;
  checkpoint();
  next_checkpoint = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(checkpoint_seconds));
  return Outcome::kDone;
}

void Machine::set_checkpoint_hook(std::function<void()> hook, double seconds) {
  impl_->checkpoint = std::move(hook);
  impl_->checkpoint_seconds = seconds;
  impl_->checkpoint_countdown = 0;
  impl_->next_checkpoint = std::chrono::steady_clock::now();
}

std::shared_ptr<const MachineSnapshot> Machine::TakeSnapshot(bool everything) const {
  if (!impl_->CanSnapshot()) return nullptr;
  auto snapshot = std::make_shared<MachineSnapshot>();
  snapshot->mark = Where();
  snapshot->executed = executed_;
  snapshot->finished = impl_->finished;
  snapshot->result = impl_->result;
  snapshot->dense_result = impl_->dense_result;
  snapshot->channels = impl_->channels;
  snapshot->outfeed = impl_->outfeed;
  snapshot->outfeed_executed = impl_->outfeed_executed;
  snapshot->outfeed_log = impl_->outfeed_log;
  snapshot->histories = impl_->histories;
  snapshot->frames_begun = impl_->frames_begun;
  snapshot->status = status_;
  snapshot->frames = frames_;
  if (everything) return snapshot;
  for (Frame& frame : snapshot->frames) {
    const Code& code = impl_->CodeOf(frame);
    frame.retained_bytes = 0;
    for (size_t p = 0; p < frame.values.size(); ++p) {  // what can be made again goes
      const int position = static_cast<int>(p);
      if (!frame.values[p].has_value() || frame.pending[p] > 0 || code.steps[p].sticky || IsReplaced(frame, position)) continue;
      if (code.is_parameter(position) && frame.pinned) continue;
      frame.values[p] = Value();
    }
  }
  return snapshot;
}

const Mark& Machine::MarkOf(const MachineSnapshot& snapshot) { return snapshot.mark; }

void Machine::ForEachValue(const MachineSnapshot& snapshot, const std::function<void(const Value& value, bool lent)>& each) {
  bool lent = false;
  std::function<void(const Value&)> walk = [&](const Value& value) {
    if (!value.has_value()) return;
    if (value.buffer() != nullptr) each(value, lent);
    for (const Value& element : value.elements()) walk(element);
  };
  for (const Frame& frame : snapshot.frames) {
    for (size_t p = 0; p < frame.values.size(); ++p) {
      const Instruction& instruction = *frame.computation->schedule[p];
      lent = instruction.literal != nullptr || (frame.kind == FrameKind::kEntry && instruction.parameter_number >= 0);
      walk(frame.values[p]);
    }
    lent = false;
    walk(frame.carried);
    for (const Replaced& replaced : frame.history) walk(replaced.old);
    for (const Frame::Begun& begun : frame.begun) {
      for (const Value& seen : begun.seen) walk(seen);
    }
  }
  for (const auto& [key, value] : snapshot.channels) walk(value);
}

void Machine::Restore(const MachineSnapshot& snapshot, bool recall) {
  std::vector<Frame> before;
  before.swap(frames_);
  impl_->retained.clear();
  impl_->retained_bytes = 0;
  frames_.reserve(snapshot.frames.size() + 1);  // FinishBegun adds one
  frames_ = snapshot.frames;
  executed_ = snapshot.executed;
  status_ = snapshot.status;
  impl_->started = true;
  impl_->finished = snapshot.finished;
  impl_->result = snapshot.result;
  impl_->dense_result = snapshot.dense_result;
  impl_->returned = Value();
  impl_->channels = snapshot.channels;
  impl_->outfeed = snapshot.outfeed;
  impl_->outfeed_executed = snapshot.outfeed_executed;
  impl_->outfeed_log = snapshot.outfeed_log;
  impl_->histories = snapshot.histories;
  impl_->frames_begun = snapshot.frames_begun;
  impl_->walked_serial = 0;
  for (Frame& frame : frames_) {
    frame.retained_bytes = 0;
    if (!frame.retains) continue;
    const Code& code = impl_->CodeOf(frame);
    for (int p = 0; p < frame.position; ++p) {  // of a snapshot of everything
      const StepKind kind = code.steps[p].kind;
      if (!frame.values[p].has_value() || frame.pending[p] > 0 || code.steps[p].sticky || IsReplaced(frame, p)) continue;
      if (kind == StepKind::kKernel || kind == StepKind::kControl || kind == StepKind::kCustomCall) impl_->Retain(frame, p, frame.values[p].byte_size());
    }
  }
  if (recall) impl_->Recall(before);
}

std::optional<int64_t> Machine::TripCount(int depth, int position) const {
  if (depth < 0 || depth >= static_cast<int>(frames_.size())) return std::nullopt;
  const auto found = impl_->log.trip_counts.find(MixHash(frames_[depth].path, static_cast<uint64_t>(position)));
  return found == impl_->log.trip_counts.end() ? std::nullopt : std::optional<int64_t>(found->second);
}

void Machine::Recall(const MachineSnapshot& snapshot) { impl_->Recall(snapshot.frames); }

void Machine::Impl::Recall(const std::vector<Frame>& from) {
  for (size_t depth = 0; depth < from.size() && depth < m.frames_.size(); ++depth) {
    Frame& frame = m.frames_[depth];
    const Frame& other = from[depth];
    // Of the same moment of the same run: then a value before both positions is the same.
    if (frame.path != other.path || frame.computation != other.computation || frame.changed || other.changed) return;
    const int until = std::min(frame.position, other.position);
    for (int p = 0; p < until; ++p) {
      if (!frame.values[p].has_value() && other.values[p].has_value()) HoldAgain(frame, p, other.values[p]);
    }
  }
}

bool Machine::HoldsWhatIsRead(int depth) const {
  const Frame& frame = frames_[depth];
  const Code& code = impl_->CodeOf(frame);
  for (int p = 0; p < frame.position; ++p) {
    if (frame.pending[p] == 0 || frame.values[p].has_value() || IsBegun(frame, p)) continue;
    const StepKind kind = code.steps[p].kind;
    if (kind == StepKind::kConstant || (kind == StepKind::kParameter && frame.kind == FrameKind::kEntry)) continue;
    if (kind == StepKind::kTupleElement && frame.values[frame.computation->schedule[p]->operands[0]->index].has_value()) continue;
    // A tuple that was taken apart is not read by itself.
    const auto parts = code.parts.find(p);
    if (parts != code.parts.end() && std::all_of(parts->second.begin(), parts->second.end(), [&](const Code::Part& part) {
          return part.position < frame.position || frame.values[part.position].has_value();
        })) {
      continue;
    }
    return false;
  }
  return true;
}

void Machine::Impl::HoldAgain(Frame& frame, int position, const Value& value) {
  const StepInfo& step = CodeOf(frame).steps[position];
  if (frame.pending[position] > 0 || step.sticky || (frame.pinned && step.kind == StepKind::kParameter)) {
    frame.values[position] = value;
  } else if (frame.retains && value.byte_size() <= m.options_.retain_bytes &&
             (step.kind == StepKind::kKernel || step.kind == StepKind::kControl || step.kind == StepKind::kCustomCall)) {
    frame.values[position] = value;
    Retain(frame, position, value.byte_size());
  }
}

// ---- Back within a frame ----

absl::Status Machine::Rewind(int depth, int position) {
  if (depth < 0 || depth >= static_cast<int>(frames_.size())) return absl::InvalidArgumentError(absl::StrCat("there is no frame ", depth));
  if (position < 0 || position > frames_[depth].position) return absl::InvalidArgumentError("that is not in the past");
  for (size_t d = depth; d < frames_.size(); ++d) {
    if (frames_[d].changed) return absl::FailedPreconditionError("a value was set in this frame");
  }
  Stack stack{frames_, true};
  while (static_cast<int>(frames_.size()) > depth + 1) {
    if (frames_.back().counted) --impl_->frames_begun[frames_.back().computation->id];
    impl_->PopFrame(stack);
  }
  Frame& frame = frames_[depth];
  const Code& code = impl_->CodeOf(frame);
  const auto entered = std::find_if(frame.entered.begin(), frame.entered.end(), [&](const Frame::Entered& e) { return e.position >= position; });
  if (entered != frame.entered.end()) {
    executed_ = entered->executed - (entered->position - position);
    frame.entered.erase(entered, frame.entered.end());
  } else if (frame.counted) {
    executed_ -= frame.position - position;
  }
  frame.position = frame.looked = position;
  std::erase_if(frame.begun, [&](const Frame::Begun& begun) { return begun.position >= position; });
  frame.pending = code.plan->use_count;
  for (const Region& region : code.plan->regions) {
    if (region.root >= position) continue;
    for (int input : region.inputs) --frame.pending[input];
  }
  // Elements that a tuple gave away at once belong to the tuple's moment.
  for (int p = position; p < static_cast<int>(frame.values.size()); ++p) {
    if (!frame.values[p].has_value() || code.is_parameter(p)) continue;
    const StepInfo& step = code.steps[p];
    if (step.kind == StepKind::kTupleElement && frame.computation->schedule[p]->operands[0]->index < position) continue;
    frame.values[p] = Value();
  }
  std::deque<Impl::Retained> kept;
  for (const Impl::Retained& entry : impl_->retained) {
    if (entry.serial == frame.serial && (entry.position >= position || frame.pending[entry.position] > 0)) {
      impl_->retained_bytes -= entry.bytes;
      frame.retained_bytes -= entry.bytes;
    } else if (entry.depth < static_cast<int>(frames_.size()) && frames_[entry.depth].serial == entry.serial) {
      kept.push_back(entry);
    }
  }
  impl_->retained.swap(kept);
  impl_->started = true;
  impl_->finished = false;
  impl_->result = impl_->dense_result = impl_->returned = Value();
  status_ = absl::OkStatus();
  impl_->walked_serial = 0;
  impl_->RewindLogs();
  return absl::OkStatus();
}

void Machine::Impl::RewindLogs() {
  size_t count = outfeed.size();
  while (count > 0 && outfeed_executed[count - 1] >= m.executed_) --count;
  if (count == outfeed.size()) return;
  outfeed.resize(count);
  outfeed_executed.resize(count);
  for (auto entry = outfeed_log.begin(); entry != outfeed_log.end();) {
    const auto at = entry++;
    if (at->second >= count) outfeed_log.erase(at);
  }
}

void Machine::Impl::ForgetFuture(bool keeps_known) {
  if (!keeps_known) known.clear();
  histories.push_back({next_history++, m.executed_});
}

const Machine::Impl::Logged* Machine::Impl::FindLogged(uint64_t key) const {
  int64_t until = std::numeric_limits<int64_t>::max();
  for (auto history = histories.rbegin(); history != histories.rend(); ++history) {
    const auto logged = log.logged.find(MixHash(key, history->number));
    if (logged != log.logged.end() && logged->second.executed < until) return &logged->second;
    until = std::min(until, history->from);
  }
  return nullptr;
}

const Value* Machine::Impl::Replayed(uint64_t key) const {
  const Logged* logged = FindLogged(key);
  return logged != nullptr && logged->failure.ok() ? &logged->value : nullptr;
}

void Machine::Impl::Log(uint64_t key, Value value, absl::Status failure) {
  log.logged.insert_or_assign(MixHash(key, histories.back().number), Logged{m.executed_, std::move(value), std::move(failure)});
}

// ---- What was logged, on several ways ----

std::shared_ptr<const MachineLog> Machine::CopyLog() const { return std::make_shared<const MachineLog>(impl_->log); }

void Machine::SetLog(const MachineLog& log) {
  impl_->log = log;
  impl_->waits_for = 0;
}

void Machine::ForgetLogged(int64_t executed, absl::Span<const uint64_t> keys, Mark exchanged) {
  Impl& impl = *impl_;
  for (const uint64_t key : keys) {
    // Whatever was set before it was begun: the present may be before that.
    for (uint64_t history = 0; history < impl.next_history; ++history) impl.log.logged.erase(MixHash(key, history));
  }
  for (auto entry = impl.log.logged.begin(); entry != impl.log.logged.end();) {
    const auto at = entry++;
    if (at->second.executed >= executed) impl.log.logged.erase(at);
  }
  impl.log.exchanged = std::move(exchanged);
  impl.log.values_set = true;
  impl.log.trip_counts.clear();
  impl.known.clear();
  impl.waits_for = 0;
}

// ---- Forward to a mark ----

StopReason Machine::RunUnseen() {
  struct Unseen {
    Impl& impl;
    explicit Unseen(Impl& i) : impl(i) { impl.replaying = impl.unseen = true; }
    ~Unseen() { impl.replaying = impl.unseen = false; }
  } unseen(*impl_);
  return impl_->Advance(Until());
}

StopReason Machine::SeekForward(const Mark& mark, bool exchange) {
  status_ = absl::OkStatus();
  const auto lost = [&](absl::string_view why) {
    status_ = NotOnTheWay(why);
    return StopReason::kError;
  };
  struct Quiet {
    Impl& impl;
    Quiet(Impl& i, bool exchange) : impl(i) {
      impl.replaying = true;
      impl.unseen = exchange;
    }
    ~Quiet() {
      impl.replaying = impl.unseen = false;
      impl.goal = nullptr;
      impl.pin_depth = -1;
    }
  } quiet(*impl_, exchange);
  // Who wants to know of the past goes through it.
  const auto pass = [this] {
    for (Frame& frame : frames_) frame.looked = std::max(frame.looked, frame.position);
  };
  Mark now = Where();
  while (!(now == mark)) {
    if (!(now < mark)) return lost("it is over");
    const StopReason reason = impl_->SeekStep(mark, now);
    if (exchange && (reason == StopReason::kInterrupted || reason == StopReason::kWaiting)) pass();
    if (reason == StopReason::kError || reason == StopReason::kInterrupted || reason == StopReason::kWaiting) return reason;
    Mark next = Where();
    if (next == now) return lost("the program does not get there");
    now = std::move(next);
  }
  impl_->beyond_serial = 0;
  pass();
  return StopReason::kStep;
}

// One leg of the way: to the position where the mark's frame is entered, into it, or on to its iteration.
StopReason Machine::Impl::SeekStep(const Mark& mark, const Mark& now) {
  size_t level = 0;
  while (level < now.levels.size() && level < mark.levels.size() && now.levels[level] == mark.levels[level]) ++level;
  if (level >= mark.levels.size()) return StopReason::kStep;
  if (level == now.levels.size()) {  // the frame is entered here
    if (finished) return StopReason::kStep;
    const size_t depth = m.frames_.size();
    const StopReason reason = StepOnce(true);
    if (reason != StopReason::kStep || m.frames_.size() > depth) return reason;
    m.status_ = NotOnTheWay("nothing is entered there");
    return StopReason::kError;
  }
  const Mark::Level& wanted = mark.levels[level];
  const Mark::Level& here = now.levels[level];
  const int depth = static_cast<int>(level);
  if (wanted.kind == here.kind && wanted.iteration == here.iteration) {
    const Frame& frame = m.frames_[depth];
    // An inner frame at its end has not returned yet; the entry has.
    end_wanted = depth > 0 && wanted.position == static_cast<int>(frame.values.size()) ? frame.serial : 0;
    const StopReason reason = Advance(Until{.depth_gone = depth, .serial = frame.serial, .position = wanted.position});
    end_wanted = 0;
    return reason;
  }
  const Until until{.depth_gone = depth, .goal_depth = depth, .goal_kind = wanted.kind, .goal_iteration = wanted.iteration};
  goal = &until;
  if (here.kind == FrameKind::kElement && wanted.kind == FrameKind::kElement && level + 1 == now.levels.size()) {
    Stack stack{m.frames_, true};
    if (absl::Status status = SkipElements(stack, wanted.iteration); !status.ok()) {
      goal = nullptr;
      m.status_ = std::move(status);
      return StopReason::kError;
    }
    if (m.frames_.back().iteration == wanted.iteration) {
      goal = nullptr;
      return StopReason::kStep;
    }
  }
  const StopReason reason = Advance(until);
  goal = nullptr;
  return reason;
}

}  // namespace hloscope
