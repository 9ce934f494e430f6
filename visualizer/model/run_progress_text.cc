#include "visualizer/model/run_progress_text.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// Counts what a computation executes, each computation once.
class Counter {
 public:
  explicit Counter(const std::vector<TripRow>& trips) {
    for (const TripRow& row : trips) trips_[row.loop] = row;
  }

  RunTotal Of(const Computation& computation) {
    const auto [it, fresh] = known_.try_emplace(&computation, RunTotal{static_cast<int64_t>(computation.schedule.size()), true});
    if (!fresh) return it->second;
    RunTotal total = it->second;
    for (const Instruction* i : computation.schedule) {
      switch (Def(*i).control) {
        case ControlKind::kNone: break;
        case ControlKind::kWhile: AddLoop(*i, &total); break;
        case ControlKind::kCall:
          for (const Computation* called : i->CalledComputations()) {
            if (!called->is_fusion) Add(Of(*called), 1, &total);
          }
          break;
        case ControlKind::kConditional: AddBranches(*i, &total); break;
      }
    }
    return known_[&computation] = total;
  }

 private:
  static void Add(RunTotal more, int64_t times, RunTotal* total) {
    // Counts that no run ever reaches are no counts.
    int64_t product = 0, sum = 0;
    if (__builtin_mul_overflow(more.instructions, times, &product) || __builtin_add_overflow(total->instructions, product, &sum)) {
      total->exact = false;
      return;
    }
    total->instructions = sum;
    total->exact &= more.exact;
  }

  void AddLoop(const Instruction& loop, RunTotal* total) {
    const auto found = trips_.find(&loop);
    const int64_t trips = found != trips_.end() ? found->second.trips : 0;
    if (found == trips_.end() || !found->second.whole) total->exact = false;
    if (const Computation* body = loop.Called(AttrId::kBody)) Add(Of(*body), trips, total);
    if (const Computation* condition = loop.Called(AttrId::kCondition)) Add(Of(*condition), trips + 1, total);
  }

  void AddBranches(const Instruction& conditional, RunTotal* total) {
    bool first = true, same = true;
    RunTotal least;
    for (const Computation* called : conditional.CalledComputations()) {
      const RunTotal branch = Of(*called);
      same &= branch.exact && (first || branch.instructions == least.instructions);
      if (first || branch.instructions < least.instructions) least = branch;
      first = false;
    }
    Add({least.instructions, same}, 1, total);
  }

  absl::flat_hash_map<const Instruction*, TripRow> trips_;
  absl::flat_hash_map<const Computation*, RunTotal> known_;
};

}  // namespace

std::string GroupedCount(int64_t n) {
  const std::string digits = absl::StrCat(n);
  std::string out;
  for (size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0 && digits[k - 1] != '-') out += "\u00a0";
    out += digits[k];
  }
  return digits.size() > 4 ? out : digits;
}

RunTotal TotalOf(const Module& module, const std::vector<TripRow>& trips) {
  if (module.entry == nullptr) return {};
  return Counter(trips).Of(*module.entry);
}

const Computation* ComputationInside(const Instruction& caller, const Mark::Level& level) {
  const std::vector<Computation*> called = caller.CalledComputations();
  switch (level.kind) {
    case FrameKind::kWhileBody: return caller.Called(AttrId::kBody);
    case FrameKind::kWhileCondition: return caller.Called(AttrId::kCondition);
    case FrameKind::kBranch: return level.branch >= 0 && level.branch < static_cast<int>(called.size()) ? called[level.branch] : nullptr;
    default: return called.empty() ? nullptr : called.front();
  }
}

RunningText TextOfRun(const Snapshot& now, const Engine::Activity& activity, const RunTotal& total) {
  RunningText text;
  if (activity.mark.levels.empty() || now.module == nullptr) return text;
  if (total.exact && total.instructions > 0) {
    text.share = std::clamp(static_cast<double>(activity.executed) / static_cast<double>(total.instructions), 0.0, 1.0);
    text.share_text = absl::StrFormat("%.*f %%", text.share < 0.0995 ? 1 : 0, text.share * 100);
    text.whole = absl::StrCat(GroupedCount(activity.executed), " of ", GroupedCount(total.instructions), " instructions");
  } else {
    text.share_text = text.whole = absl::StrCat(GroupedCount(activity.executed), activity.executed == 1 ? " instruction" : " instructions");
  }
  const Computation* computation = now.module->entry;
  for (size_t k = 0; k + 1 < activity.mark.levels.size() && computation != nullptr; ++k) {
    const int position = activity.mark.levels[k].position;
    if (position < 0 || position >= static_cast<int>(computation->schedule.size())) break;
    const Instruction& caller = *computation->schedule[position];
    const Mark::Level& level = activity.mark.levels[k + 1];
    if (IsLoop(level.kind)) {
      const auto row = std::find_if(now.trips.begin(), now.trips.end(), [&](const TripRow& r) { return r.loop == &caller && r.whole; });
      text.loop_text = absl::StrCat("iteration ", GroupedCount(level.iteration), row != now.trips.end() ? absl::StrCat(" of ", GroupedCount(row->trips)) : "");
      absl::StrAppend(&text.whole, ", ", text.loop_text, " of ", ShownName(caller));
      break;
    }
    computation = ComputationInside(caller, level);
  }
  return text;
}

}  // namespace hloscope
