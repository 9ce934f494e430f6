// Going on in an edited program: what another run has computed already is handed over instead of being executed. Which values those are is
// decided by the owner of both runs (core/debug/edit.cc), not here.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/exec/frame_history.h"
#include "core/exec/machine_impl.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"

namespace hloscope {

absl::Status Machine::Adopt(std::vector<Known> known) {
  if (frames_.size() != 1 || frames_[0].position != 0) return absl::FailedPreconditionError("values can be adopted at the beginning of a run only");
  const std::vector<Instruction*>& schedule = frames_[0].computation->schedule;
  if (known.size() != schedule.size()) return absl::InvalidArgumentError("not as many values as instructions");
  for (size_t p = 0; p < known.size(); ++p) {
    const Value& value = known[p].value;
    if (!known[p].known || !value.has_value() || FitsDeclared(value.shape(), schedule[p]->shape)) continue;
    return absl::InvalidArgumentError(absl::StrCat(ShownName(*schedule[p]), " has shape ", schedule[p]->shape.ToString(false), ", the value has ", value.shape().ToString(false)));
  }
  impl_->known = std::move(known);
  impl_->adopted = 0;
  return absl::OkStatus();
}

int64_t Machine::adopted() const { return impl_->adopted; }
const std::vector<Machine::Known>& Machine::waiting() const { return impl_->known; }

// Everything that the root is made from is known too, so the region's members need not be looked at. A loop or call in which something is
// armed runs, so that it stops there.
absl::StatusOr<bool> Machine::Impl::TakeKnown(Frame& frame, const Region& region) {
  if (!known[region.root].known) return false;
  const Code& code = CodeOf(frame);
  if (code.steps[region.root].kind == StepKind::kControl) {
    if (armed_changed) UpdateArmedWithin();
    for (const Computation* called : code.computation->schedule[region.root]->CalledComputations()) {
      if (armed_within[called->id]) return false;
    }
  }
  Value value = std::move(known[region.root].value);
  known[region.root] = Known();
  adopted += static_cast<int64_t>(region.members.size());
  Consume(frame, region);
  if (value.has_value()) {
    if (absl::Status stored = Store(frame, region.root, std::move(value)); !stored.ok()) return stored;
  }
  return true;
}

// ---- Moments of the other run ----

// What the instructions from its position on read is held, or made again from what is without running anything that runs others.
bool Machine::Impl::CanGoOn(const Frame& frame, bool innermost) {
  const Code& code = CodeOf(frame);
  std::vector<int> pending = frame.pending;
  if (!innermost && code.plan->region_at[frame.position] >= 0) {  // being executed, it has its inputs already
    for (int input : code.plan->regions[code.plan->region_at[frame.position]].inputs) --pending[input];
  }
  std::vector<bool> there(frame.values.size(), false);
  for (int p = 0; p < static_cast<int>(frame.values.size()); ++p) {
    const StepKind kind = code.steps[p].kind;
    const auto& operands = code.computation->schedule[p]->operands;
    there[p] = frame.values[p].has_value() || kind == StepKind::kConstant || (kind == StepKind::kParameter && frame.kind == FrameKind::kEntry);
    if (!there[p] && (kind == StepKind::kKernel || kind == StepKind::kEvaluate || kind == StepKind::kTupleElement)) {
      there[p] = std::all_of(operands.begin(), operands.end(), [&](const Instruction* operand) { return there[operand->index]; });
    }
    if (there[p] || pending[p] == 0 || (p >= frame.position && kind != StepKind::kParameter)) continue;
    const auto parts = code.parts.find(p);  // a tuple that was taken apart is not read by itself
    if (parts == code.parts.end()) return false;
    for (const Code::Part& part : parts->second) {
      if (part.position >= frame.position && !frame.values[part.position].has_value()) return false;
    }
  }
  return true;
}

bool Machine::Impl::FrameOf(const Frame& other, const Computation& computation, const Frame* around, bool innermost, Frame* made) {
  const bool own = other.walk != nullptr || other.changed || !other.replaced.empty() || !other.history.empty() || !other.begun.empty() || !other.counted;
  if (own || other.kind == FrameKind::kElement || other.position > static_cast<int>(computation.schedule.size())) return false;
  const absl::StatusOr<Code*> got = Get(computation);
  if (!got.ok()) return false;
  Code& code = **got;
  Frame& frame = *made;
  frame = other;
  frame.computation = &computation;
  frame.plan = code.plan.get();
  frame.serial = next_serial++;
  frame.retained_bytes = 0;
  frame.caller = around == nullptr ? nullptr : around->computation->schedule[around->position];
  frame.caller_path = around == nullptr ? m.frames_[0].caller_path : around->path;
  frame.path = around == nullptr ? m.frames_[0].path : PathOf(around->path, frame.caller, frame.kind, frame.iteration, frame.branch);
  frame.pending = code.plan->use_count;
  for (const Region& region : code.plan->regions) {
    if (region.root >= frame.position) continue;
    for (int input : region.inputs) --frame.pending[input];
  }
  frame.values.assign(computation.schedule.size(), Value());
  for (int p = 0; p < frame.position; ++p) {
    if (frame.pending[p] == 0 && !code.steps[p].sticky && !KeepsParameter(frame, code, p)) continue;
    frame.values[p] = other.values[p];
    if (around == nullptr && !frame.values[p].has_value() && !known.empty()) frame.values[p] = known[p].value;
  }
  // Parameters that the text has further down, and elements that a tuple gave away at once.
  for (int p = other.position; p < static_cast<int>(other.values.size()); ++p) {
    if (!other.values[p].has_value()) continue;
    const Instruction& instruction = *other.computation->schedule[p];
    if (instruction.parameter_number >= 0) {
      frame.values[computation.parameters[instruction.parameter_number]->index] = other.values[p];
      continue;
    }
    for (int q = frame.position; q < static_cast<int>(frame.values.size()); ++q) {
      const Instruction& now = *computation.schedule[q];
      const bool same = code.steps[q].kind == StepKind::kTupleElement && now.operands[0]->index == instruction.operands[0]->index;
      if (same && now.Int(AttrId::kIndex) == instruction.Int(AttrId::kIndex)) frame.values[q] = other.values[p];
    }
  }
  return CanGoOn(frame, innermost);
}

std::shared_ptr<const MachineSnapshot> FrameHistory::MomentOf(Machine& machine, const MachineSnapshot& other, absl::Span<const Computation* const> computations,
                                                              std::vector<int64_t> frames_begun) {
  if (other.finished || !other.channels.empty() || !other.outfeed.empty() || other.frames.size() != computations.size() || machine.frames_.size() != 1) return nullptr;
  auto moment = std::make_shared<MachineSnapshot>();
  moment->mark = other.mark;
  moment->executed = other.executed;
  moment->histories = machine.impl_->histories;
  moment->frames_begun = std::move(frames_begun);
  moment->frames.resize(computations.size());
  for (size_t k = 0; k < computations.size(); ++k) {
    const Frame* around = k == 0 ? nullptr : &moment->frames[k - 1];
    if (!machine.impl_->FrameOf(other.frames[k], *computations[k], around, k + 1 == computations.size(), &moment->frames[k])) return nullptr;
  }
  return moment;
}

int64_t FramesBegun(const MachineSnapshot& snapshot, const Computation& computation) { return snapshot.frames_begun[computation.id]; }

std::vector<const Computation*> ComputationsOf(const MachineSnapshot& snapshot) {
  std::vector<const Computation*> computations;
  for (const Frame& frame : snapshot.frames) computations.push_back(frame.computation);
  return computations;
}

}  // namespace hloscope
