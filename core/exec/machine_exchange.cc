// Exchanges with other devices: what the Machine brings, and what it does while it waits. Where nobody else runs, collectives are evaluated
// like any operation and none of this is used.
//
// A collective that runs beside the program (all-reduce-start, and what async-start wraps or ends its computation with) is begun where it stands; where others have not
// come yet the program goes on without its value (Frame::begun), and waits where that is read; async-update hands it on without waiting. Who
// reads it is a matter of the program, not of the plan: all backends begin and wait at the same places.
#include <algorithm>
#include <chrono>

#include "absl/strings/str_cat.h"
#include "core/exec/exchange.h"
#include "core/exec/machine_impl.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/ops/exchange_def.h"

namespace hloscope {
namespace {

// What an observer sees of the operands, by input of the instruction's region.
std::vector<Value> SeenOf(const Instruction& root, const Region& region, absl::Span<const Value> operands) {
  std::vector<Value> seen;
  for (int input : region.inputs) {
    const auto operand = std::find_if(root.operands.begin(), root.operands.end(), [&](const Instruction* o) { return o->index == input; });
    seen.push_back(ToDense(operands[operand - root.operands.begin()]));
  }
  return seen;
}

int64_t BytesOf(absl::Span<const Value> values) {
  int64_t bytes = 0;
  for (const Value& value : values) bytes += value.byte_size();
  return bytes;
}

// The asynchronous start in whose computation the top frame is, or in what that calls; null: it is in none.
const Instruction* AsyncStartAround(absl::Span<const Frame> frames) {
  for (size_t depth = frames.size(); depth-- > 0;) {
    if (frames[depth].caller != nullptr && AsyncStartOf(*frames[depth].caller) != nullptr) return frames[depth].caller;
  }
  return nullptr;
}

// Since it was made, without that of other devices, but for what they made for this one.
class OwnTime {
 public:
  explicit OwnTime(const ExchangePort& port) : port_(port), elsewhere_(port.elsewhere()), making_(port.making()), begin_(std::chrono::steady_clock::now()) {}
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count() - (port_.elsewhere() - elsewhere_) + (port_.making() - making_);
  }

 private:
  const ExchangePort& port_;
  const double elsewhere_, making_;
  const std::chrono::steady_clock::time_point begin_;
};

}  // namespace

void Machine::Impl::LogExchange(uint64_t key, const Value& value, absl::Status failure, Mark at, const Frame::Begun* begun) {
  if (checkpoint == nullptr) return;
  if (begun == nullptr) Log(key, value, std::move(failure));
  else log.logged.insert_or_assign(MixHash(key, begun->history), Logged{begun->executed, value, std::move(failure)});
  NoteExchanged(at);
}

// The last one of the run: what is begun may be begun again where somebody goes back.
void Machine::Impl::NoteExchanged(const Mark& at) {
  if (log.exchanged.levels.empty() || log.exchanged < at) log.exchanged = at;
}

// Who observes may stop behind it.
absl::Status Machine::Impl::ObserveExchange(const Frame& frame, const Region& region, absl::Span<const Value> seen, const Value& result) {
  stop_after = -1;
  if (!m.region_observer_ || replaying) return absl::OkStatus();
  return m.region_observer_(frame, region, nullptr, seen, ToDense(result));
}

// While it waits nothing has changed: the operands are held, and the position is that of the instruction.
Outcome Machine::Impl::RunExchange(Stack& stack, int index) {
  const int depth = static_cast<int>(stack.frames.size()) - 1;
  Frame& frame = stack.frames[depth];
  Code& code = CodeOf(frame);
  const Region& region = code.plan->regions[index];
  const Instruction& root = *code.computation->schedule[region.root];
  const auto fail = [&](absl::Status status) {
    Fail(stack, std::move(status));
    return Outcome::kFailed;
  };
  if (const Outcome looked = LookBefore(stack, region.root); looked != Outcome::kDone) return looked;
  MoveTo(stack, frame, region.root);  // whoever is told of it asks where the device stands
  const uint64_t key = MixHash(frame.path, static_cast<uint64_t>(root.index));
  const bool observed = stack.main && m.region_observer_ && !replaying;
  const bool beside = BeginsBeside(stack, root);
  const auto go_on_without = [&](std::vector<Value> seen) {
    frame.begun.push_back({region.root, key, histories.back().number, m.executed_, &root, std::move(seen), nullptr});
    Consume(frame, region);
    return Outcome::kDone;
  };
  Value result;
  std::vector<Value> seen;
  if (const Logged* logged = FindLogged(key)) {
    if (!logged->failure.ok()) return fail(logged->failure);
    result = logged->value;
    if (observed) {
      absl::StatusOr<std::vector<Value>> operands = GatherOperands(stack, depth, root, false);
      if (!operands.ok()) return fail(operands.status());
      seen = SeenOf(root, region, *operands);
    }
  } else if (!stack.main) {
    if (frame.kind == FrameKind::kElement)
      return fail(absl::UnimplementedError(
          absl::StrCat(Name(root.opcode), " ", ShownName(root),
                       " is in a computation that is called element by element, where devices cannot wait for each other")));
    absl::StatusOr<Value> made = ExchangedBefore(frame, root);
    if (!made.ok()) return fail(made.status());
    result = *std::move(made);
  } else if (!MayExchange()) {  // not to be made on the way to look at something
    if (beside && !log.exchanged.levels.empty() && !(log.exchanged < m.Where())) return go_on_without({});  // it has been begun
    return Outcome::kWaiting;
  } else {
    absl::StatusOr<std::vector<Value>> operands = GatherOperands(stack, depth, root, false);
    if (!operands.ok()) return fail(operands.status());
    for (Value& operand : *operands) {
      operand = ToDense(operand, &m.account_);
      if (!operand.has_value()) return fail(MemoryError(root.shape.DenseByteSize(), root));
    }
    // No more than what it makes at least: it may hand on what it was brought.
    if (waits_for != key) {
      if (absl::Status room = MakeRoom(std::max<int64_t>(0, root.shape.DenseByteSize() - BytesOf(*operands)), root); !room.ok()) return fail(room);
    }
    if (observed) seen = SeenOf(root, region, *operands);
    const Mark here = m.Where();
    const OwnTime time(*m.options_.exchange);
    absl::StatusOr<std::optional<Value>> made =
        m.options_.exchange->Exchange({root, *operands, LoopsAround(stack.frames), key, here, beside ? ExchangePhase::kBegin : ExchangePhase::kWhole,
                                       nullptr, beside ? nullptr : AsyncStartAround(stack.frames)});
    const bool is_made = made.ok() && made->has_value();
    BookExchange(frame, root, time.seconds(), (is_made || beside ? BytesOf(*operands) : 0) + (is_made ? (*made)->byte_size() : 0));
    waits_for = is_made ? 0 : key;
    if (!made.ok()) {
      LogExchange(key, Value(), made.status(), here);
      return fail(made.status());
    }
    if (!made->has_value() && beside) {
      if (checkpoint != nullptr) NoteExchanged(here);  // what led there has been given away
      return go_on_without(std::move(seen));
    }
    if (!made->has_value()) return Outcome::kWaiting;
    const OwnTime after(*m.options_.exchange);
    result = ToLayout(**made, root.shape, &m.account_);
    if (!result.has_value()) return fail(MemoryError(root.shape.ByteSize(), root));
    if (absl::Status room = MakeRoom(0, root); !room.ok()) return fail(room);
    BookExchange(frame, root, after.seconds(), 0);
    LogExchange(key, result, absl::OkStatus(), here);
  }
  if (stack.main && frame.counted && m.options_.time_instructions && !replaying) ++m.profile_[&root].count;
  stop_after = -1;
  if (observed) {
    if (absl::Status looked = ObserveExchange(frame, region, seen, result); !looked.ok()) return fail(std::move(looked));
  }
  Consume(frame, region);
  if (absl::Status stored = Store(frame, region.root, std::move(result)); !stored.ok()) return fail(std::move(stored));
  if (!observed || stop_after != region.root) return Outcome::kDone;
  return Caught(stack, region.root + 1, region.root + 1, false);
}

// For a profile: what the device itself has done for an exchange, and the making of it, whoever came last and made it for all; its waiting is not
// counted. Bytes are those that it brings and gets.
void Machine::Impl::BookExchange(const Frame& frame, const Instruction& collective, double seconds, int64_t bytes) {
  if (!frame.counted || !m.options_.time_instructions) return;
  ProfileEntry& entry = m.profile_[&collective];
  entry.seconds += seconds;
  entry.bytes += bytes;
}

// ---- Beside the program ----

// Where something in its frame waits for it, or the frame is an asynchronous start's and ends with it. Else its value is waited for where
// it stands: nobody would wait for it later.
bool Machine::Impl::BeginsBeside(const Stack& stack, const Instruction& instruction) const {
  const Frame& frame = stack.frames.back();
  if (!stack.main || frame.kind == FrameKind::kElement) return false;
  if (codes[frame.computation->id]->steps[instruction.index].beside) return true;
  if (frame.kind != FrameKind::kCall || frame.changed || CollectiveOf(*frame.caller).collective != &instruction) return false;
  return codes[frame.caller->parent->id]->steps[frame.caller->index].beside;
}

void Machine::Impl::LeaveBegun(Stack& stack) {
  Frame inner = std::move(stack.frames.back());
  stack.frames.pop_back();
  retained_bytes -= inner.retained_bytes;
  Frame::Begun begun = std::move(inner.begun.back());  // the root, which came last
  inner.begun.clear();
  Frame& frame = stack.frames.back();
  const int position = begun.position = frame.position;
  begun.inner = std::make_shared<const Frame>(std::move(inner));
  frame.begun.push_back(std::move(begun));
  if (const int region = CodeOf(frame).plan->region_at[position]; region >= 0) Consume(frame, CodeOf(frame).plan->regions[region]);
  MoveTo(stack, frame, position + 1);
}

Outcome Machine::Impl::AwaitBegun(Stack& stack, absl::Span<const int> inputs, int position) {
  const bool hands_on = CodeOf(stack.frames.back()).steps[position].hands_on;
  for (size_t k = 0; k < stack.frames.back().begun.size();) {
    Frame& frame = stack.frames.back();
    if (std::find(inputs.begin(), inputs.end(), frame.begun[k].position) == inputs.end()) {
      ++k;
      continue;
    }
    if (hands_on && !frame.values[frame.begun[k].position].has_value()) {
      const Frame::Begun& begun = frame.begun[k];
      frame.begun.push_back({position, begun.key, begun.history, begun.executed, nullptr, {}, nullptr});
      return Outcome::kDone;
    }
    if (frame.begun[k].collective == nullptr && !frame.values[frame.begun[k].position].has_value()) {
      if (const Outcome finished = FinishHandedOn(stack, frame.begun[k].position, position); finished != Outcome::kDone) return finished;
      k = 0;
      continue;
    }
    if (!frame.values[frame.begun[k].position].has_value()) {  // else one was set
      if (const Outcome finished = FinishBegun(stack, k, position); finished != Outcome::kDone) return finished;
    } else {
      stack.frames.back().begun.erase(stack.frames.back().begun.begin() + k);
    }
  }
  return Outcome::kDone;
}

// It stands before `position`, and is executed when what it hands on has come.
Outcome Machine::Impl::FinishHandedOn(Stack& stack, int handed, int position) {
  const Region region = SingleRegion(*stack.frames.back().computation, handed);
  if (const Outcome awaited = AwaitBegun(stack, region.inputs, position); awaited != Outcome::kDone) return awaited;
  std::erase_if(stack.frames.back().begun, [&](const Frame::Begun& begun) { return begun.position == handed; });
  const Outcome executed = StepInterior(stack, handed);
  return executed == Outcome::kCaught ? Caught(stack, handed + 1, position, false) : executed;
}

Outcome Machine::Impl::FinishBegun(Stack& stack, size_t which, int position) {
  const size_t depth = stack.frames.size() - 1;
  MoveTo(stack, stack.frames[depth], position);
  const Frame::Begun begun = stack.frames[depth].begun[which];
  const auto fail = [&](absl::Status status) {
    Fail(stack, std::move(status));
    return Outcome::kFailed;
  };
  const Instruction& collective = *begun.collective;
  Value result;
  if (const Logged* logged = FindLogged(begun.key)) {
    if (!logged->failure.ok()) return fail(logged->failure);
    result = logged->value;
  } else {
    absl::StatusOr<std::optional<Value>> made = std::optional<Value>();
    const Mark here = m.Where();
    if (MayExchange()) {
      const Instruction* reader = stack.frames[depth].computation->schedule[position];
      const OwnTime time(*m.options_.exchange);
      made = m.options_.exchange->Exchange({collective, {}, LoopsAround(stack.frames), begun.key, here, ExchangePhase::kFinish, reader});
      const bool is_made = made.ok() && made->has_value();
      BookExchange(stack.frames[depth], collective, time.seconds(), is_made ? (*made)->byte_size() : 0);
    }
    if (!made.ok()) {
      LogExchange(begun.key, Value(), made.status(), here, &begun);
      return fail(made.status());
    }
    if (!made->has_value()) return Outcome::kWaiting;
    result = ToLayout(**made, collective.shape, &m.account_);
    if (!result.has_value()) return fail(MemoryError(collective.shape.ByteSize(), collective));
    if (absl::Status room = MakeRoom(0, collective); !room.ok()) return fail(room);
    LogExchange(begun.key, result, absl::OkStatus(), here, &begun);
  }
  // The observer is told where the collective stands, within the frame that was left. There is room for it: callers hold on to frames.
  if (begun.inner != nullptr) stack.frames.push_back(*begun.inner);
  const Frame& around = stack.frames.back();
  if (around.counted && m.options_.time_instructions && !replaying) ++m.profile_[&collective].count;
  const Plan& plan = *CodeOf(around).plan;
  stop_after = -1;
  const absl::Status looked = m.region_observer_ && !replaying && !begun.seen.empty()
                                  ? ObserveExchange(around, plan.regions[plan.region_at[collective.index]], begun.seen, result)
                                  : absl::OkStatus();
  const bool caught = stop_after == collective.index;
  if (begun.inner != nullptr) stack.frames.pop_back();
  if (!looked.ok()) return fail(looked);
  Frame& frame = stack.frames[depth];
  if (begun.inner != nullptr) {
    const Instruction& start = *frame.computation->schedule[begun.position];
    absl::StatusOr<Value> whole = AroundResult(start, begun.inner->carried, std::move(result));
    if (!whole.ok()) return fail(whole.status());
    result = *std::move(whole);
    if (frame.counted && m.options_.time_instructions && !replaying) ++m.profile_[&start].count;
  }
  frame.begun.erase(frame.begun.begin() + which);
  if (absl::Status stored = Store(frame, begun.position, std::move(result)); !stored.ok()) return fail(std::move(stored));
  return caught ? Caught(stack, begun.position + 1, position, false) : Outcome::kDone;
}

absl::StatusOr<Value> Machine::Impl::ExchangedBefore(const Frame& frame, const Instruction& instruction) {
  const uint64_t key = MixHash(frame.path, static_cast<uint64_t>(instruction.index));
  if (const Value* logged = Replayed(key)) return *logged;
  if (std::optional<Value> made = m.options_.exchange->Look(key)) {  // begun, and not waited for yet
    Value laid = ToLayout(*made, instruction.shape, &m.account_);
    return laid.has_value() ? absl::StatusOr<Value>(std::move(laid)) : MemoryError(instruction.shape.ByteSize(), instruction);
  }
  if (instruction.index >= frame.position) return absl::FailedPreconditionError(absl::StrCat(ShownName(instruction), " exchanges with other devices, and has not done so yet; continue or until gets there"));
  return absl::FailedPreconditionError(absl::StrCat("what ", ShownName(instruction), " got from other devices is gone, and they cannot be asked again"));
}

}  // namespace hloscope
