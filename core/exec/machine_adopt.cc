// Going on in an edited program: what another run has computed already is handed over instead of being executed. Which values those are is
// decided by the owner of both runs (core/debug/edit.cc), not here.
#include "absl/strings/str_cat.h"
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

}  // namespace hloscope
