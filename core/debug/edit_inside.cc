#include "core/debug/edit_inside.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/debug/edit_sets.h"
#include "core/debug/hand_sets.h"
#include "core/debug/interruption.h"
#include "core/debug/travel.h"
#include "core/exec/frame_history.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "core/ops/random_numbers.h"

namespace hloscope {
namespace {

bool Talks(const Instruction& i) { return Def(i).host != HostService::kNone || HasSideEffect(i); }

// What an instruction runs that does it, or itself.
const Instruction& InnermostThatTalks(const Instruction& i) {
  for (const Computation* called : i.CalledComputations()) {
    for (const Instruction* inner : called->schedule) {
      if (Talks(*inner)) return InnermostThatTalks(*inner);
    }
  }
  return i;
}

// Where computations of two programs part that run in each other's place, line by line from their beginnings.
class Parting {
 public:
  // Why what a run of the program before has done cannot be taken over, whatever it is; empty: it can.
  std::string Compare(const Module& before, const Module& after) {
    std::string why_not;
    const bool random = std::any_of(before.computations.begin(), before.computations.end(), [](const Computation* c) {
      return std::any_of(c->schedule.begin(), c->schedule.end(), [](const Instruction* i) { return DrawsRandomNumbers(*i); });
    });
    Pair(before.entry, after.entry);
    for (size_t k = 0; k < pairs_.size(); ++k) {
      const auto [old, now] = pairs_[k];
      if (random && old->id != now->id && why_not.empty()) why_not = "random numbers depend on where in the program they are drawn, and the edit moves that";
      int same = 0;
      const int size = static_cast<int>(std::min(old->schedule.size(), now->schedule.size()));
      while (same < size && SameLine(*old->schedule[same], *now->schedule[same])) ++same;
      if (old->root->index != now->root->index) same = std::min({same, old->root->index, now->root->index});
      const auto [at, added] = first_.try_emplace(old, same);
      at->second = std::min(at->second, same);
      if (same < static_cast<int>(old->schedule.size()) || same < static_cast<int>(now->schedule.size())) parted_.insert(old);
      for (const Instruction* i : old->schedule) {
        if (!Talks(*i) || !why_not.empty()) continue;
        const Instruction& inner = InnermostThatTalks(*i);
        why_not = absl::StrCat(ShownName(inner), " in ", inner.parent->name, " talks to the outside, which is done anew");
      }
    }
    return why_not;
  }
  const std::vector<std::pair<const Computation*, const Computation*>>& pairs() const { return pairs_; }
  bool Paired(const Computation* old, const Computation* now) const { return paired_.contains({old, now}); }
  int First(const Computation* old) const { return first_.at(old); }
  bool Parts(const Computation* old) const { return parted_.contains(old); }
  // Nothing that is not the same had been begun by then.
  bool IsBefore(const MachineSnapshot& moment) const {
    const std::vector<const Computation*> frames = ComputationsOf(moment);
    const Mark& mark = Machine::MarkOf(moment);
    for (const Computation* old : parted_) {
      const int first = First(old);
      int64_t open = 0;
      for (size_t k = 0; k < frames.size(); ++k) {
        if (frames[k] != old) continue;
        ++open;
        const int position = mark.levels[k].position;
        if (position > first || (position == first && k + 1 < frames.size())) return false;
      }
      if (FramesBegun(moment, *old) != open) return false;
    }
    return true;
  }

 private:
  void Pair(const Computation* old, const Computation* now) {
    if (paired_.insert({old, now}).second) pairs_.emplace_back(old, now);
  }
  // What runs in frames is compared by itself; a reducer belongs to its line.
  bool SameLine(const Instruction& a, const Instruction& b) {
    if (!SameByItself(a, b)) return false;
    const std::vector<Computation*> x = a.CalledComputations(), y = b.CalledComputations();
    if (x.size() != y.size()) return false;
    for (size_t k = 0; k < x.size(); ++k) {
      if (Def(a).control != ControlKind::kNone) Pair(x[k], y[k]);
      else if (!SameWhole(*x[k], *y[k])) return false;
    }
    return true;
  }
  bool SameWhole(const Computation& a, const Computation& b) {
    const auto [known, added] = same_whole_.try_emplace({&a, &b}, false);
    if (!added) return known->second;
    bool same = a.schedule.size() == b.schedule.size() && a.root->index == b.root->index;
    for (size_t k = 0; same && k < a.schedule.size(); ++k) {
      const std::vector<Computation*> x = a.schedule[k]->CalledComputations(), y = b.schedule[k]->CalledComputations();
      same = SameByItself(*a.schedule[k], *b.schedule[k]) && x.size() == y.size();
      for (size_t c = 0; same && c < x.size(); ++c) same = SameWhole(*x[c], *y[c]);
    }
    return same_whole_[{&a, &b}] = same;
  }
  static bool SameByItself(const Instruction& a, const Instruction& b) {
    if (a.opcode != b.opcode || a.parameter_number != b.parameter_number || a.operands.size() != b.operands.size()) return false;
    for (size_t k = 0; k < a.operands.size(); ++k) {
      if (a.operands[k]->index != b.operands[k]->index) return false;
    }
    if (a.shape.ToString(true) != b.shape.ToString(true) || a.backend_config != b.backend_config || AttributesText(a) != AttributesText(b)) return false;
    if ((a.literal == nullptr) != (b.literal == nullptr)) return false;
    if (a.literal == nullptr) return true;
    const Value &x = a.literal->value, &y = b.literal->value;
    if (x.has_value() && y.has_value()) return Value::BitEqual(x, y);
    return !x.has_value() && !y.has_value() && a.name == b.name && a.parent->name == b.parent->name;  // filled by their names
  }

  std::vector<std::pair<const Computation*, const Computation*>> pairs_;
  absl::flat_hash_set<std::pair<const Computation*, const Computation*>> paired_;
  absl::flat_hash_map<const Computation*, int> first_;
  absl::flat_hash_set<const Computation*> parted_;  // all others are the same to their ends
  absl::flat_hash_map<std::pair<const Computation*, const Computation*>, bool> same_whole_;
};

// In the edited program: of the frames of a moment of the one before. Empty: it has no such frames.
std::vector<const Computation*> FramesIn(const Module& next, const Parting& parting, const MachineSnapshot& moment) {
  const std::vector<const Computation*> olds = ComputationsOf(moment);
  const Mark& mark = Machine::MarkOf(moment);
  std::vector<const Computation*> frames = {next.entry};
  for (size_t k = 0; k < olds.size(); ++k) {
    if (frames[k] == nullptr || !parting.Paired(olds[k], frames[k])) return {};
    if (k + 1 < olds.size()) frames.push_back(RunBy(*frames[k]->schedule[mark.levels[k].position], mark.levels[k + 1]));
  }
  return frames;
}

std::shared_ptr<const MachineSnapshot> MomentOfNext(const Module& next, const Parting& parting, const MachineSnapshot& moment, Machine& machine) {
  const std::vector<const Computation*> frames = FramesIn(next, parting, moment);
  if (frames.size() < 2) return nullptr;
  std::vector<int64_t> begun(next.computations.size(), 0);
  for (const auto& [old, now] : parting.pairs()) begun[now->id] += FramesBegun(moment, *old);
  return FrameHistory::MomentOf(machine, moment, frames, std::move(begun));
}

// A moment inside of the entry's instruction `first`, to which the edit does not matter yet, is in the history or present.
bool AnyInside(Session::State& s, const Parting& parting, int first) {
  const auto inside = [&](const MachineSnapshot& moment) {
    const Mark& mark = Machine::MarkOf(moment);
    return mark.levels.size() > 1 && mark.levels[0].position == first && parting.IsBefore(moment);
  };
  const std::vector<Timeline::Moment>& moments = s.Extension<Travel>().timeline->moments();
  const std::shared_ptr<const MachineSnapshot> present = s.machine->TakeSnapshot();
  return (present != nullptr && inside(*present)) || std::any_of(moments.begin(), moments.end(), [&](const Timeline::Moment& moment) { return inside(*moment.snapshot); });
}

}  // namespace

absl::StatusOr<SharedPart> FindSharedPart(Session::State& s, const Module& next, Machine& machine, int first) {
  SharedPart shared;
  const Timeline& timeline = *s.Extension<Travel>().timeline;
  Parting parting;
  std::string why_not = parting.Compare(*s.module, next);
  if (parting.First(s.module->entry) < first) return shared;
  if (const std::vector<HandSet> sets = AllSets(s); why_not.empty() && !sets.empty()) why_not = absl::StrCat(SetText(*s.module, sets[0]), sets.size() > 1 ? " and more were" : " was", " set by hand in the run before");
  if (!why_not.empty()) {
    if (AnyInside(s, parting, first)) shared.why_not = std::move(why_not);
    return shared;
  }
  const auto take = [&](const MachineSnapshot& moment, double seconds) {
    if (Machine::MarkOf(moment).levels[0].position != first) return;
    if (std::shared_ptr<const MachineSnapshot> now = MomentOfNext(next, parting, moment, machine)) shared.moments.push_back({std::move(now), seconds});
  };
  bool all_before = true;
  for (const Timeline::Moment& moment : timeline.moments()) {
    all_before = parting.IsBefore(*moment.snapshot);
    if (!all_before) break;
    take(*moment.snapshot, moment.seconds);
  }
  const std::shared_ptr<const MachineSnapshot> present = s.machine->TakeSnapshot();
  if (present != nullptr && s.machine->settled() && !s.machine->finished() && !s.error_stop && parting.IsBefore(*present)) {
    // In its place: the program may have been further, and gone back.
    const auto later = [&](const SharedMoment& each) { return s.machine->Where() < Machine::MarkOf(*each.snapshot); };
    const auto at = std::find_if(shared.moments.begin(), shared.moments.end(), later);
    const std::vector<SharedMoment> after(std::make_move_iterator(at), std::make_move_iterator(shared.moments.end()));
    shared.moments.erase(at, shared.moments.end());
    const size_t before = shared.moments.size();
    take(*present, before == 0 ? 0 : shared.moments.back().seconds);
    shared.stand = s.machine->Where();
    if (shared.moments.size() > before && before > 0 && Machine::MarkOf(*shared.moments[before - 1].snapshot) == shared.stand) shared.moments.pop_back();
    shared.moments.insert(shared.moments.end(), after.begin(), after.end());
  }
  if (shared.moments.empty()) return shared;
  shared.matters = std::max(Machine::MarkOf(*shared.moments.back().snapshot), shared.stand);
  if (!shared.stand.levels.empty() && all_before) return shared;
  // On from the last of them, to the first line that is another.
  const std::shared_ptr<const MachineSnapshot> beginning = machine.TakeSnapshot();
  machine.Restore(*shared.moments.back().snapshot);
  for (const auto& [old, now] : parting.pairs()) {
    if (old != s.module->entry && parting.Parts(old)) machine.Arm(*now, parting.First(old));
  }
  machine.Arm(*next.entry, first + 1);
  // It may be the last of them itself, which the machine would run on from.
  const Computation* there = ComputationAt(*s.module, machine.Where());
  const bool here = there != nullptr && parting.Parts(there) && machine.top().position == parting.First(there);
  const StopReason reason = here ? StopReason::kStep : machine.Run();
  machine.DisarmAll();
  shared.matters = machine.Where();
  if (shared.stand.levels.empty()) shared.stand = shared.matters;
  const absl::Status failed = reason == StopReason::kError ? machine.status() : absl::OkStatus();
  machine.Restore(*beginning);
  if (reason == StopReason::kInterrupted) return Interruption("the program before the edit stays");
  if (!failed.ok()) return SharedPart();  // told where the run comes there by itself
  return shared;
}

}  // namespace hloscope
