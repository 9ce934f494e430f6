#include "core/debug/loop_choice.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_join.h"
#include "core/debug/calls.h"
#include "core/debug/interruption.h"
#include "core/debug/occurrences.h"
#include "core/debug/stops.h"
#include "core/debug/time_limit.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

bool IsLoop(const Instruction& instruction) { return Def(instruction).control == ControlKind::kWhile; }

// In how many loops a computation runs, the fewest and the most; none: nothing that makes frames runs it.
class Depths {
 public:
  struct Range {
    int least = 0, most = -1;
    bool runs() const { return most >= 0; }
    bool has(int depth) const { return runs() && least <= depth && depth <= most; }
  };
  Depths(const Module& module, const CallGraph& calls) : module_(module), calls_(calls) {}

  Range Of(const Computation& computation) {
    if (&computation == module_.entry) return {0, 0};
    const auto known = known_.find(&computation);
    if (known != known_.end()) return known->second;
    Range range;
    for (const Instruction* caller : calls_.callers[computation.id]) {
      if (Def(*caller).control == ControlKind::kNone) continue;
      Range around = Of(*caller->parent);
      if (!around.runs()) continue;
      around.least += IsLoop(*caller) ? 1 : 0;
      around.most += IsLoop(*caller) ? 1 : 0;
      range = range.runs() ? Range{std::min(range.least, around.least), std::max(range.most, around.most)} : around;
    }
    return known_[&computation] = range;
  }

 private:
  const Module& module_;
  const CallGraph& calls_;
  absl::flat_hash_map<const Computation*, Range> known_;
};

struct Loop {
  const Instruction* instruction;
  Depths::Range depth;  // with itself
};

std::vector<Loop> LoopsThatRun(Session::State& s) {
  Depths depths(*s.module, CallsOf(s));
  std::vector<Loop> loops;
  for (const Computation* computation : s.module->computations) {
    const Depths::Range around = depths.Of(*computation);
    if (!around.runs()) continue;
    for (const Instruction* instruction : computation->schedule) {
      if (IsLoop(*instruction)) loops.push_back({instruction, {around.least + 1, around.most + 1}});
    }
  }
  return loops;
}

// The loops around the selected frame, the innermost first.
std::vector<const Instruction*> LoopsAround(const Session::State& s) {
  std::vector<const Instruction*> around;
  const std::vector<Frame>& frames = s.machine->frames();
  for (int k = std::min<int>(s.selected, static_cast<int>(frames.size()) - 1); k > 0; --k) {
    if (IsLoop(frames[k].kind)) around.push_back(frames[k].caller);
  }
  return around;
}

std::string NumbersText(const Asked& asked) {
  return absl::StrJoin(asked.iterations, ",", [](std::string* out, const IterationRange& range) {
    absl::StrAppend(out, range.first);
    if (!range.one()) absl::StrAppend(out, "-", range.last < 0 ? "" : absl::StrCat(range.last));
  });
}

// The iterations of a loop that may be meant, as they are typed: one for each way to it through other loops, in the first of their
// iterations in which it comes so far. Of ways that were not looked at until `until`, the first iteration of all.
absl::StatusOr<std::vector<std::string>> ChoicesOf(Session::State& s, const Loop& loop, const Asked& asked, size_t most,
                                                   std::chrono::steady_clock::time_point until) {
  const Module& module = *s.module;
  const Computation& body = *loop.instruction->Called(AttrId::kBody);
  std::vector<Way> ways = WaysTo(module, CallsOf(s), body);
  std::vector<const Instruction*> innermost;
  NumberWays(ways, innermost);
  Asked named = asked;
  named.loop = &body;
  named.caller = loop.instruction;
  std::vector<std::string> choices;
  absl::StatusOr<Occurrences> occurrences = Occurrences::Of(s, body, named, true);
  if (!occurrences.ok()) return choices;
  std::vector<size_t> told;  // groups
  const auto tell = [&](const Way& way, absl::Span<const int64_t> iterations, absl::string_view doubt) {
    if (std::find(told.begin(), told.end(), way.group) != told.end()) return;
    told.push_back(way.group);
    choices.push_back(absl::StrCat("iteration ", absl::StrJoin(iterations, ","), " of ", LoopsName(module, ways, way, "%"), " (in ",
                                   loop.instruction->parent->name, doubt, ")"));
  };
  bool late = until <= std::chrono::steady_clock::now();
  if (!late) {
    std::atomic<bool>& interrupt = s.machine->interrupt();
    interrupt.store(false);
    s.interrupted.store(false);
    const absl::Status looked = LookAround(s, [&] {
      TimeLimit limit(interrupt, until);
      const absl::Status visited = occurrences->Visit(s, [&](const Occurrence& one) -> absl::StatusOr<bool> {
        tell(*one.way, one.iterations, "");
        return choices.size() < most && told.size() < innermost.size();
      });
      late = limit.End() && absl::IsCancelled(visited);
      return visited;
    });
    if (s.interrupted.load()) return Interruption();
    if (absl::IsCancelled(looked) && !late) return looked;
  }
  if (!late) return choices;
  const size_t given = asked.iterations.size();
  const auto meant = [&](const Way& way) { return way.steps.back().caller == loop.instruction && CountLoops(way) >= given; };
  const bool exact = std::any_of(ways.begin(), ways.end(), [&](const Way& way) { return meant(way) && CountLoops(way) == given; });
  for (const Way& way : ways) {
    std::vector<int64_t> iterations(CountLoops(way), 0);
    if (!meant(way) || (exact && iterations.size() > given)) continue;
    std::transform(asked.iterations.rbegin(), asked.iterations.rend(), iterations.rbegin(), [](const IterationRange& range) { return range.first; });
    tell(way, iterations, ", if it comes so far");
  }
  return choices;
}

// The one that comes to them; where there are several, each as it is typed: the numbers that were said, those of loops around it before
// them, and its name.
absl::StatusOr<const Instruction*> OnlyOne(Session::State& s, const std::vector<Loop>& loops, const Asked& asked) {
  constexpr size_t kMost = 6;
  constexpr auto kSoon = std::chrono::milliseconds(500);
  const auto until = std::chrono::steady_clock::now() + kSoon;
  const int given = static_cast<int>(asked.iterations.size());
  std::vector<std::string> choices;
  bool deep_enough = false;
  const Instruction* only = nullptr;
  for (const Loop& loop : loops) {
    if (loop.depth.most < given || choices.size() > kMost) continue;
    deep_enough = true;
    const absl::StatusOr<std::vector<std::string>> found = ChoicesOf(s, loop, asked, kMost + 1 - choices.size(), until);
    if (!found.ok()) return found.status();
    choices.insert(choices.end(), found->begin(), found->end());
    if (!found->empty() && loop.depth.has(given)) only = loop.instruction;
  }
  if (choices.size() == 1 && only != nullptr) return only;
  if (choices.size() > kMost) {
    choices.resize(kMost);
    choices.push_back("...");
  }
  if (choices.empty() && deep_enough) return absl::NotFoundError(absl::StrCat("no loop of this program comes to iteration ", NumbersText(asked)));
  if (choices.empty()) {
    int most = 0;
    for (const Loop& loop : loops) most = std::max(most, loop.depth.most);
    return absl::InvalidArgumentError(
        absl::StrCat("iterations are given outer before inner, and loops of this program are ",
                     most == 1 ? std::string("in no other loop: one number is said") : absl::StrCat("at most ", most, " in each other"),
                     ", not ", given));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(given == 1 ? "which loop is meant: " : "which loops are meant: ", absl::StrJoin(choices, ", "), "?"));
}

}  // namespace

size_t CountLoopsThatRun(Session::State& s) { return LoopsThatRun(s).size(); }

absl::StatusOr<const Instruction*> LoopMeant(Session::State& s, const Asked& asked) {
  const int given = static_cast<int>(asked.iterations.size());
  const std::vector<const Instruction*> around = LoopsAround(s);
  if (!around.empty() && given <= static_cast<int>(around.size())) return around[0];
  std::vector<Loop> loops = LoopsThatRun(s);
  if (loops.empty()) return absl::FailedPreconditionError("this program has no loop");
  if (given == 0)
    return absl::InvalidArgumentError(
        absl::StrCat("what is called is said with the call, as: call ", std::max(1, asked.call), " in NAME (a computation)"));
  std::stable_sort(loops.begin(), loops.end(), [](const Loop& x, const Loop& y) { return x.depth.least < y.depth.least; });
  // In what the frame runs, the nearest frame first; then anywhere.
  const std::vector<Frame>& frames = s.machine->frames();
  std::vector<const Computation*> within;
  for (int k = std::min<int>(s.selected, static_cast<int>(frames.size()) - 1); k >= 0; --k) within.push_back(frames[k].computation);
  within.push_back(nullptr);
  for (const Computation* outer : within) {
    std::vector<const Instruction*> found;
    for (const Loop& loop : loops) {
      if (!loop.depth.has(given)) continue;
      const std::vector<const Computation*> surroundings =
          outer == nullptr ? std::vector<const Computation*>() : Surroundings(CallsOf(s), *loop.instruction->parent);
      if (outer == nullptr || std::find(surroundings.begin(), surroundings.end(), outer) != surroundings.end())
        found.push_back(loop.instruction);
    }
    if (found.size() == 1) return found[0];
    if (!found.empty()) break;
  }
  return OnlyOne(s, loops, asked);
}

}  // namespace hloscope
