#include "core/debug/ways.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// The frames that `caller` makes for `callee`: for a conditional one by branch.
std::vector<Way::Step> StepsInto(const Instruction& caller, const Computation& callee) {
  std::vector<Way::Step> steps;
  Mark::Level level;
  const std::vector<Computation*> called = caller.CalledComputations();
  switch (Def(caller).control) {
    case ControlKind::kWhile:
      level.kind = caller.Called(AttrId::kBody) == &callee ? FrameKind::kWhileBody : FrameKind::kWhileCondition;
      steps.push_back({&caller, &callee, -1, level});
      break;
    case ControlKind::kConditional:
      level.kind = FrameKind::kBranch;
      for (size_t k = 0; k < called.size(); ++k) {
        level.branch = static_cast<int>(k);
        if (called[k] == &callee) steps.push_back({&caller, &callee, level.branch, level});
      }
      break;
    case ControlKind::kCall:
      level.kind = callee.is_fusion ? FrameKind::kFusion : FrameKind::kCall;
      steps.push_back({&caller, &callee, -1, level});
      break;
    case ControlKind::kNone:  // elements: no frames of their own
      break;
  }
  return steps;
}

// The first ways from the entry to a computation, in program order.
class Ways {
 public:
  Ways(const Module& module, const CallGraph& calls, const Computation& home) : home_(home) {
    std::vector<const Computation*> todo = {&home};  // it and what leads to it
    absl::flat_hash_set<const Computation*> known = {&home};
    while (!todo.empty()) {
      const Computation& callee = *todo.back();
      todo.pop_back();
      absl::flat_hash_set<const Instruction*> seen;
      for (const Instruction* caller : calls.callers[callee.id]) {
        if (!seen.insert(caller).second) continue;
        std::vector<Way::Step> steps = StepsInto(*caller, callee);
        if (steps.empty()) continue;
        std::vector<Way::Step>& out = steps_[caller->parent];
        out.insert(out.end(), steps.begin(), steps.end());
        if (known.insert(caller->parent).second) todo.push_back(caller->parent);
      }
    }
    for (auto& [parent, steps] : steps_) std::stable_sort(steps.begin(), steps.end(), Before);
    From(*module.entry);
  }
  std::vector<Way> Take() { return std::move(found_); }

 private:
  static bool Before(const Way::Step& a, const Way::Step& b) {
    const auto place = [](const Way::Step& step) {
      return std::tuple(step.caller->index, step.branch, step.level.kind == FrameKind::kWhileBody);
    };
    return place(a) < place(b);
  }

  void From(const Computation& computation) {
    if (&computation == &home_) {
      found_.push_back(Way());
      found_.back().steps = path_;
      return;
    }
    const auto steps = steps_.find(&computation);
    if (steps == steps_.end()) return;
    for (const Way::Step& step : steps->second) {
      if (found_.size() >= kMostWays) return;
      path_.push_back(step);
      From(*step.callee);
      path_.pop_back();
    }
  }

  const Computation& home_;
  absl::flat_hash_map<const Computation*, std::vector<Way::Step>> steps_;  // by what they lead from
  std::vector<Way::Step> path_;
  std::vector<Way> found_;
};

// How many ways there are; memo by computation.
double CountWaysTo(const Module& module, const CallGraph& calls, const Computation& computation,
                   absl::flat_hash_map<const Computation*, double>& memo) {
  if (&computation == module.entry) return 1;
  const auto known = memo.find(&computation);
  if (known != memo.end()) return known->second;
  double ways = 0;
  absl::flat_hash_set<const Instruction*> seen;
  for (const Instruction* caller : calls.callers[computation.id]) {
    if (seen.insert(caller).second)
      ways += static_cast<double>(StepsInto(*caller, computation).size()) * CountWaysTo(module, calls, *caller->parent, memo);
  }
  return memo[&computation] = ways;
}

bool SameLoops(const Way& a, const Way& b) {
  const auto loops = [](const Way& way) {
    std::vector<std::pair<const Instruction*, const Computation*>> found;
    for (const Way::Step& step : way.steps) {
      if (IsLoopStep(step)) found.emplace_back(step.caller, step.callee);
    }
    return found;
  };
  return loops(a) == loops(b);
}

bool IsOf(const Way& way, absl::Span<const PastFrame> frames) {
  if (way.steps.size() != frames.size()) return false;
  for (size_t k = 0; k < frames.size(); ++k) {
    const Way::Step& step = way.steps[k];
    if (step.caller != frames[k].caller || step.callee != frames[k].computation) return false;
    if (step.level.kind == FrameKind::kBranch && step.branch != frames[k].branch) return false;
  }
  return true;
}

}  // namespace

bool IsLoopStep(const Way::Step& step) { return IsLoop(step.level.kind); }

std::vector<Way> WaysTo(const Module& module, const CallGraph& calls, const Computation& home) { return Ways(module, calls, home).Take(); }

bool RunsByElements(const Module& module, const CallGraph& calls, const Computation& home) {
  return !calls.element_callers[home.id].empty() && WaysTo(module, calls, home).empty();
}

std::string OnlyCombinedText(const Module& module, const CallGraph& calls, const Computation& home) {
  const std::vector<const Instruction*> combined = CombinedBy(calls, home);
  if (combined.empty() || !WaysTo(module, calls, home).empty() || RunsByElements(module, calls, home)) return "";
  return absl::StrCat(ShownName(*combined[0]), " in ", combined[0]->parent->name, combined.size() > 1 ? " and others combine" : " combines",
                      " with it what devices bring, for all of them at once and without steps");
}

double CountWays(const Module& module, const CallGraph& calls, const Computation& home) {
  absl::flat_hash_map<const Computation*, double> memo;
  return CountWaysTo(module, calls, home, memo);
}

int NumberWays(std::vector<Way>& ways, std::vector<const Instruction*>& loops) {
  std::vector<const Way*> groups;
  std::vector<int> size;
  for (Way& way : ways) {
    size_t group = 0;
    while (group < groups.size() && !SameLoops(*groups[group], way)) ++group;
    if (group == groups.size()) {
      groups.push_back(&way);
      size.push_back(0);
      const auto loop = std::find_if(way.steps.rbegin(), way.steps.rend(), IsLoopStep);
      loops.push_back(loop == way.steps.rend() ? nullptr : loop->caller);
    }
    way.group = group;
    way.call = ++size[group];
  }
  if (ways.empty()) return 0;
  const int largest = *std::max_element(size.begin(), size.end());
  for (size_t k = 0; largest == 1 && k < ways.size(); ++k) ways[k].call = static_cast<int>(k) + 1;
  return largest;
}

size_t CountLoops(const Way& way) { return static_cast<size_t>(std::count_if(way.steps.begin(), way.steps.end(), IsLoopStep)); }

std::string LoopsName(const Module& module, absl::Span<const Way> ways, const Way& way, absl::string_view sigil, bool part) {
  std::vector<const Way::Step*> loops;  // the innermost first
  for (auto step = way.steps.rbegin(); step != way.steps.rend(); ++step) {
    if (IsLoopStep(*step)) loops.push_back(&*step);
  }
  const auto goes_through = [](const Way& other, const Way::Step& loop) -> const Way::Step* {
    const auto step = std::find_if(other.steps.begin(), other.steps.end(), [&](const Way::Step& s) { return s.caller == loop.caller; });
    return step == other.steps.end() ? nullptr : &*step;
  };
  // Those that the innermost may be confused with: where it is one of fewer or more loops, the count of the iterations tells.
  std::vector<const Way*> rivals;
  for (const Way& other : ways) {
    const auto inner = std::find_if(other.steps.rbegin(), other.steps.rend(), IsLoopStep);
    if (other.group == way.group || inner == other.steps.rend()) continue;
    if (inner->caller == loops[0]->caller || CountLoops(other) == loops.size()) rivals.push_back(&other);
  }
  std::string name;
  for (const Way::Step* loop : loops) {
    bool tells = name.empty(), parts = part && name.empty() && loop->level.kind == FrameKind::kWhileCondition;
    for (const Way* other : rivals) {
      const Way::Step* step = goes_through(*other, *loop);
      tells |= step == nullptr || step->callee != loop->callee;
      parts |= step != nullptr && step->callee != loop->callee;
    }
    if (!tells) continue;
    const absl::string_view which = !parts ? "" : loop->level.kind == FrameKind::kWhileCondition ? "condition of " : "body of ";
    absl::StrAppend(&name, name.empty() ? "" : " in ", which, sigil, LoopName(module, *loop->caller));
    const auto is_told = [&](const Way* other) {
      const Way::Step* step = goes_through(*other, *loop);
      return step == nullptr || (parts && step->callee != loop->callee);
    };
    rivals.erase(std::remove_if(rivals.begin(), rivals.end(), is_told), rivals.end());
  }
  return name;
}

std::vector<PastFrame> PastFramesOf(absl::Span<const Frame> frames) {
  std::vector<PastFrame> past;
  for (size_t k = 1; k < frames.size(); ++k)
    past.push_back({frames[k].caller, frames[k].computation, frames[k].kind, frames[k].iteration, frames[k].branch});
  return past;
}

std::string MomentName(const Module& module, const CallGraph& calls, absl::Span<const PastFrame> frames) {
  if (frames.empty()) return "";
  std::vector<int64_t> iterations;
  for (const PastFrame& frame : frames) {
    if (IsLoop(frame.kind)) iterations.push_back(frame.iteration);
  }
  std::string text = iterations.empty() ? "" : absl::StrCat("iteration ", absl::StrJoin(iterations, ","));
  const auto add = [&](const auto&... parts) { absl::StrAppend(&text, text.empty() ? "" : " ", parts...); };
  std::vector<Way> ways = WaysTo(module, calls, *frames.back().computation);
  std::vector<const Instruction*> loops;
  NumberWays(ways, loops);
  const auto way = std::find_if(ways.begin(), ways.end(), [&](const Way& w) { return IsOf(w, frames); });
  if (way == ways.end()) {  // there are more than have numbers
    add("called by ", ShownName(*frames.back().caller));
    return text;
  }
  const Instruction* loop = loops[way->group];
  const bool several = std::any_of(ways.begin(), ways.end(), [&](const Way& w) { return &w != &*way && w.group == way->group; });
  if (several || (loop == nullptr && loops.size() > 1)) add("call ", way->call);
  if (!IsLoopStep(way->steps.back()) && (several || loops.size() > 1 || loop != nullptr)) add("in ", way->steps.back().callee->name);
  if (loops.size() > 1) add(loop == nullptr ? "outside of loops" : absl::StrCat("in ", LoopsName(module, ways, *way, "")));
  return text;
}

}  // namespace hloscope
