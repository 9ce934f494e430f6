// Exchanges with other devices: what the Machine brings, and what it does while it waits. Where nobody else runs, collectives are evaluated
// like any operation and none of this is used.
#include "absl/strings/str_cat.h"
#include "core/exec/exchange.h"
#include "core/exec/machine_impl.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

std::vector<LoopPlace> LoopsAround(absl::Span<const Frame> frames) {
  std::vector<LoopPlace> loops;
  for (const Frame& frame : frames) {
    if (!IsLoop(frame.kind)) continue;
    loops.push_back({frame.caller, frame.iteration, frame.kind == FrameKind::kWhileCondition});
  }
  return loops;
}

}  // namespace

// While it waits nothing has changed: the operands are held, and the position is that of the instruction.
Outcome Machine::Impl::RunExchange(Stack& stack, int index) {
  const int depth = static_cast<int>(stack.frames.size()) - 1;
  Frame& frame = stack.frames[depth];
  Code& code = CodeOf(frame);
  const Region& region = code.plan->regions[index];
  const Instruction& root = *code.computation->schedule[region.root];
  const auto fail = [&](absl::Status status) {
    MoveTo(stack, stack.frames[depth], region.root);
    Fail(stack, std::move(status));
    return Outcome::kFailed;
  };
  if (const Outcome looked = LookBefore(stack, region.root); looked != Outcome::kDone) return looked;
  const uint64_t key = MixHash(frame.path, static_cast<uint64_t>(root.index));
  const auto here = [&] {
    Mark mark;
    for (const Frame& each : stack.frames) mark.levels.push_back({each.kind, each.iteration, each.branch, each.position});
    mark.levels.back().position = region.root;
    return mark;
  };
  const auto log = [&](const Value& value, absl::Status failure) {
    if (checkpoint == nullptr) return;
    Log(key, value, std::move(failure));
    exchanged = here();
  };
  // Who observes may stop behind it.
  const bool observed = stack.main && m.region_observer_ && !replaying;
  const auto look = [&](const Value& result) -> absl::Status {
    stop_after = -1;
    if (!observed) return absl::OkStatus();
    absl::StatusOr<std::vector<Value>> operands = GatherOperands(stack, depth, root, false);
    if (!operands.ok()) return operands.status();
    std::vector<Value> seen;
    for (int input : region.inputs) {
      for (size_t k = 0; k < root.operands.size(); ++k) {
        if (root.operands[k]->index != input) continue;
        seen.push_back(ToDense((*operands)[k]));
        break;
      }
    }
    return m.region_observer_(frame, region, nullptr, seen, ToDense(result));
  };
  Value result;
  if (const Logged* logged = FindLogged(key)) {
    if (!logged->failure.ok()) return fail(logged->failure);
    result = logged->value;
  } else if (!stack.main) {
    return fail(absl::UnimplementedError(absl::StrCat(Name(root.opcode), " %", root.name, " is in a computation that is called element by element, where devices cannot wait for each other")));
  } else if (replaying) {  // not to be made on the way to look at something
    MoveTo(stack, frame, region.root);
    return Outcome::kWaiting;
  } else {
    absl::StatusOr<std::vector<Value>> operands = GatherOperands(stack, depth, root, false);
    if (!operands.ok()) return fail(operands.status());
    for (Value& operand : *operands) {
      operand = ToDense(operand, &m.account_);
      if (!operand.has_value()) return fail(MemoryError(root.shape.DenseByteSize(), root));
    }
    absl::StatusOr<std::optional<Value>> made = m.options_.exchange->Exchange({root, *operands, LoopsAround(stack.frames), key, here()});
    if (!made.ok()) {
      log(Value(), made.status());
      return fail(made.status());
    }
    if (!made->has_value()) {
      MoveTo(stack, frame, region.root);
      return Outcome::kWaiting;
    }
    result = ToLayout(**made, root.shape, &m.account_);
    if (!result.has_value()) return fail(MemoryError(root.shape.ByteSize(), root));
    log(result, absl::OkStatus());
  }
  if (frame.counted && m.options_.time_instructions && !replaying) ++m.profile_[&root].count;
  if (absl::Status looked = look(result); !looked.ok()) return fail(std::move(looked));
  Consume(frame, region);
  Store(frame, region.root, std::move(result));
  if (!observed || stop_after != region.root) return Outcome::kDone;
  return Caught(stack, region.root + 1, region.root + 1, false);
}

absl::StatusOr<Value> Machine::Impl::ExchangedBefore(const Frame& frame, const Instruction& instruction) const {
  if (const Value* logged = Replayed(MixHash(frame.path, static_cast<uint64_t>(instruction.index)))) return *logged;
  if (instruction.index >= frame.position) return absl::FailedPreconditionError(absl::StrCat("%", instruction.name, " exchanges with other devices, and has not done so yet; continue or until gets there"));
  return absl::FailedPreconditionError(absl::StrCat("what %", instruction.name, " got from other devices is gone, and they cannot be asked again"));
}

}  // namespace hloscope
