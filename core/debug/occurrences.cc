#include "core/debug/occurrences.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "core/debug/calls.h"
#include "core/debug/hand_sets.h"
#include "core/debug/loop_choice.h"
#include "core/debug/stop_walk.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// How many of the way's frames are on the stack.
size_t OnStack(const Session::State& s, const Way& way) {
  const std::vector<Frame>& frames = s.machine->frames();
  size_t k = 0;
  while (k < way.steps.size() && k + 1 < frames.size()) {
    const Frame& frame = frames[k + 1];
    const Way::Step& step = way.steps[k];
    const bool loop = IsLoopStep(step) && IsLoop(frame.kind);
    if (frame.caller != step.caller || frame.branch != step.branch || (frame.computation != step.callee && !loop)) break;
    ++k;
    if (frame.computation != step.callee) break;  // the loop's other part: in the same iteration
  }
  return k;
}

// How many of the way's loops and calls the program stands in: not in a loop's body where it stands in the condition that ends the loop.
// `ends`: by depth of such a condition's frame, what was found out about it.
size_t StandsIn(Session::State& s, const Way& way, absl::flat_hash_map<size_t, bool>& ends) {
  const size_t stack = OnStack(s, way);
  if (stack == 0 || way.steps[stack - 1].level.kind != FrameKind::kWhileBody ||
      s.machine->frames()[stack].kind != FrameKind::kWhileCondition)
    return stack;
  const auto [known, unknown] = ends.try_emplace(stack, false);
  if (unknown) {
    Mark body = s.machine->Where();
    body.levels.resize(stack + 1);
    body.levels.back() = {FrameKind::kWhileBody, s.machine->frames()[stack].iteration, -1, 0};
    (void)LookAround(s, [&] {
      const absl::StatusOr<bool> there = SeekOnTheWay(s, body);
      known->second = there.ok() && !*there;
      return absl::OkStatus();
    });
  }
  return known->second ? stack - 1 : stack;
}

// What the numbers mean along the way; InvalidArgument: there are not so many loops.
absl::Status SetRanges(Session::State& s, const Asked& asked, Way& way, absl::flat_hash_map<size_t, bool>& ends) {
  way.ranges.assign(way.steps.size(), IterationRange());
  size_t last = way.steps.size();
  if (const std::vector<Asked::Around> named = asked.Named(); !named.empty()) {
    while (last > 0 && std::none_of(named.begin(), named.end(), [&](const Asked::Around& one) {
             return Asked::Means(one, *way.steps[last - 1].caller, *way.steps[last - 1].callee);
           }))
      --last;
  }
  size_t given = asked.iterations.size(), outermost = way.steps.size();
  for (size_t k = last; k > 0 && given > 0; --k) {
    if (!IsLoopStep(way.steps[k - 1])) continue;
    way.ranges[k - 1] = asked.iterations[--given];
    outermost = k - 1;
  }
  if (given > 0) {
    const std::string home(way.steps.empty() ? s.module->entry->name : way.steps.back().callee->name);
    const bool range = std::any_of(asked.iterations.begin(), asked.iterations.end(), [](const IterationRange& each) { return each.first != each.last; });
    return absl::InvalidArgumentError(
        asked.iterations.size() == 1
            ? absl::StrCat(home, " runs in no loop: it has no iterations", way.steps.empty() ? "" : "; its calls are call 1, call 2, ...")
            : absl::StrCat(home, " runs in fewer than ", asked.iterations.size(),
                           " loops, so not so many iterations can be given (outer before inner",
                           range ? "; each number or range is of one loop, as 3,0-4" : "", ")"));
  }
  // Loops around those that are meant: as the program stands.
  if (asked.iterations.empty() && asked.call == 0 && (asked.loop == nullptr || asked.run > 0)) return absl::OkStatus();
  const size_t stack = StandsIn(s, way, ends);
  for (size_t k = 0; k < std::min(stack, outermost); ++k) {
    if (!IsLoopStep(way.steps[k])) continue;
    const int64_t now = s.machine->frames()[k + 1].iteration;
    way.ranges[k] = {now, now};
    way.open_from = k + 1;
  }
  return absl::OkStatus();
}

// The first iteration after `k` that one of the ways means in its loop at `depth`: between those of two ways there may be others. -1: none.
int64_t NextMeant(const std::vector<const Way*>& ways, size_t depth, int64_t k) {
  int64_t next = -1;
  for (const Way* way : ways) {
    const IterationRange& range = way->ranges[depth];
    const int64_t found = std::max(k + 1, range.first);
    if (range.last >= 0 && found > range.last) continue;
    next = next < 0 ? found : std::min(next, found);
  }
  return next;
}

// Whether the frame of `frame` is on the stack of the moment.
bool InFrame(const Mark& moment, const Mark& frame) {
  if (moment.levels.size() < frame.levels.size()) return false;
  Mark there = moment;
  there.levels.resize(frame.levels.size());
  there.levels.back().position = frame.levels.back().position;
  return there == frame;
}

}  // namespace

std::vector<Asked::Around> Asked::Named() const {
  std::vector<Around> named = around;
  if (loop != nullptr) named.insert(named.begin(), {loop, caller, part_only});
  return named;
}

Mark AfterEdits(const Timeline& timeline, Mark mark) {
  for (const Timeline::Moment& moment : timeline.moments()) {
    if (!moment.kept || moment.mark.levels.size() < mark.levels.size() || !(mark < moment.mark)) continue;
    Mark frame = moment.mark;  // of the moment, as deep as `mark` is
    frame.levels.resize(mark.levels.size());
    Mark same = frame;
    same.levels.back().position = mark.levels.back().position;
    if (!(same == mark)) continue;
    // In something that the frame runs: behind that.
    if (moment.mark.levels.size() > mark.levels.size()) ++frame.levels.back().position;
    if (mark < frame) mark = frame;
  }
  return mark;
}

absl::StatusOr<Occurrences> Occurrences::Of(Session::State& s, const Computation& home, const Asked& asked, bool stay) {
  Occurrences result;
  result.module_ = s.module.get();
  result.home_ = &home;
  result.ways_ = WaysTo(*s.module, CallsOf(s), home);
  std::vector<Way>& ways = result.ways_;
  if (ways.size() >= kMostWays) result.all_ways_ = CountWays(*s.module, CallsOf(s), home);
  if (ways.empty()) {
    const std::vector<const Instruction*>& callers = CallsOf(s).element_callers[home.id];
    if (const std::string combined = OnlyCombinedText(*s.module, CallsOf(s), home); !combined.empty())
      return absl::FailedPreconditionError(absl::StrCat(home.name, " has no moments of its own: ", combined));
    if (callers.empty()) return absl::FailedPreconditionError(absl::StrCat(home.name, " is never entered: nothing that runs calls it"));
    const Instruction& caller = *callers.front();
    const std::vector<Computation*> called = caller.CalledComputations();
    const bool itself = std::find(called.begin(), called.end(), &home) != called.end();
    return absl::FailedPreconditionError(absl::StrCat(home.name, " works on single elements: ", ShownName(caller), " calls ", itself ? "it" : "what runs it", " for one after another, so its values are of no moment of the program; goto the moment and step into %",
                                                      caller.name));
  }
  // Calls are counted in a group, before some are chosen.
  const int largest = NumberWays(ways, result.group_loops_), most = largest > 1 ? largest : static_cast<int>(ways.size());
  result.every_way_ = ways;
  result.by_name_ = stay;
  result.run_ = asked.run;
  result.several_loops_ = CountLoopsThatRun(s) > 1;
  if (absl::Status left = result.KeepNamed(asked); !left.ok()) return left;
  const auto drop = [&](auto goes) { ways.erase(std::remove_if(ways.begin(), ways.end(), goes), ways.end()); };
  absl::Status first;
  absl::flat_hash_map<size_t, bool> ends;
  drop([&](Way& way) {
    const absl::Status status = SetRanges(s, asked, way, ends);
    if (!status.ok() && first.ok()) first = status;
    return !status.ok();
  });
  if (ways.empty()) return first;
  // Where the loop was named, and all iterations of one way, it is that one, and none through further loops.
  const auto is_exact = [&](const Way& way) { return CountLoops(way) == asked.iterations.size(); };
  const bool all_one =
      std::all_of(asked.iterations.begin(), asked.iterations.end(), [](const IterationRange& range) { return range.one(); });
  if (asked.loop != nullptr && !asked.iterations.empty() && all_one && std::any_of(ways.begin(), ways.end(), is_exact))
    drop([&](const Way& way) { return !is_exact(way); });
  if (asked.call > most && result.all_ways_ > static_cast<double>(kMostWays)) {
    return absl::InvalidArgumentError(absl::StrCat("the first ", most, " calls of ", home.name, " can be named, from call 1 on; of the others say run N of ", home.name));
  }
  if (asked.call > most)
    return absl::InvalidArgumentError(absl::StrCat(home.name, most == 1 ? " is run by one call only" : absl::StrCat(" is run by ", most, " calls; the first is call 1"),
                                                   stay && !ways[0].steps.empty() && IsLoopStep(ways[0].steps.back()) ? "; of what it calls, say in NAME (a computation)"
                                                   : asked.iterations.empty() ? absl::StrCat("; in order of time they are run 1, run 2, ... of ", home.name) : ""));
  if (asked.call > 0) {
    const int there = ways[0].call;
    drop([&](const Way& way) { return way.call != asked.call; });
    if (ways.empty())
      return absl::InvalidArgumentError(
          absl::StrCat(home.name, " is not run by call ", asked.call, result.chosen_, ", but by call ", there));
    result.call_ = absl::StrCat(" call ", asked.call);
  }
  const std::vector<size_t> groups = result.Groups();
  result.groups_ = groups.size() > 1;
  result.calls_ = groups.size() < ways.size();
  const auto here = [&](const Way& way) { return OnStack(s, way) == way.steps.size(); };
  if (stay && asked.call == 0 && asked.run == 0 && std::any_of(ways.begin(), ways.end(), here)) {
    drop([&](const Way& way) { return !here(way); });
    result.calls_ = result.groups_ = false;
  }
  return result;
}

// Drops the ways that do not go through all that was named.
absl::Status Occurrences::KeepNamed(const Asked& asked) {
  std::vector<Way>& ways = ways_;
  const auto drop = [&](auto goes) { ways.erase(std::remove_if(ways.begin(), ways.end(), goes), ways.end()); };
  for (const Asked::Around& named : asked.Named()) {
    if (named.caller == nullptr && named.loop == home_) continue;  // the entry, too
    const size_t all = ways.size();
    const std::string part = !named.part_only ? "" : named.loop == named.caller->Called(AttrId::kCondition) ? "condition of " : "body of ";
    const std::string name = named.caller != nullptr ? absl::StrCat(part, NameOf(*named.caller)) : std::string(named.loop->name);
    drop([&](const Way& way) {
      return std::none_of(way.steps.begin(), way.steps.end(),
                          [&](const Way::Step& step) { return Asked::Means(named, *step.caller, *step.callee); });
    });
    if (ways.empty() && all_ways_ > static_cast<double>(kMostWays)) {
      return absl::InvalidArgumentError(absl::StrCat("none of the first ", kMostWays, " of ", all_ways_, " call paths to ", home_->name,
                                                     " runs inside ", name, chosen_, "; break ", home_->name, " stops in all of them"));
    }
    if (ways.empty()) return absl::InvalidArgumentError(absl::StrCat(home_->name, " does not run inside ", name, chosen_));
    if (ways.size() < all) absl::StrAppend(&chosen_, " in ", name);
  }
  if (!asked.outside) return absl::OkStatus();
  drop([](const Way& way) { return CountLoops(way) > 0; });
  if (ways.empty()) return absl::InvalidArgumentError(absl::StrCat(home_->name, " runs in loops only"));
  absl::StrAppend(&chosen_, " outside of loops");
  return absl::OkStatus();
}

std::vector<size_t> Occurrences::Groups() const {
  std::vector<size_t> groups;
  for (const Way& way : ways_) {
    if (std::find(groups.begin(), groups.end(), way.group) == groups.end()) groups.push_back(way.group);
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

bool Occurrences::single() const {
  if (ways_.size() != 1 || run_ > 0) return false;
  const Way& way = ways_[0];
  for (size_t k = 0; k < way.steps.size(); ++k) {
    if (IsLoopStep(way.steps[k]) && !way.ranges[k].one()) return false;
  }
  return true;
}

bool Occurrences::plain() const {
  if (calls_ || groups_ || several_loops_) return false;
  const auto open = [](const Way& way) {
    int loops = 0;
    for (size_t k = way.open_from; k < way.steps.size(); ++k) loops += IsLoopStep(way.steps[k]) ? 1 : 0;
    return loops;
  };
  return open(ways_[0]) <= 1;
}

Mark Occurrences::OnlyMark() const {
  const Way& way = ways_[0];
  Mark mark;
  mark.levels.push_back({FrameKind::kEntry, 0, -1, way.steps.empty() ? BeginningOf(*module_, *home_) : 0});
  for (size_t k = 0; k < way.steps.size(); ++k) {
    mark.levels.back().position = way.steps[k].caller->index;
    mark.levels.push_back(way.steps[k].level);
    if (IsLoopStep(way.steps[k])) mark.levels.back().iteration = way.ranges[k].first;
  }
  return mark;
}

std::string Occurrences::GroupName(size_t group, absl::string_view sigil) const {
  if (group_loops_[group] == nullptr) return "no loop";
  const auto way = std::find_if(every_way_.begin(), every_way_.end(), [&](const Way& w) { return w.group == group; });
  const bool itself = !way->steps.empty() && way->steps.back().callee == home_ && IsLoopStep(way->steps.back());
  return LoopsName(*module_, every_way_, *way, sigil, itself);
}

std::string Occurrences::RowLabel(const Occurrence& occurrence) const {
  if (!plain()) return Label(occurrence);
  const size_t from = std::min(occurrence.shown_from, occurrence.iterations.size());
  return absl::StrJoin(absl::MakeConstSpan(occurrence.iterations).subspan(from), ",");
}

size_t Occurrences::RowLabelWidth() const {
  constexpr size_t kDigits = 3;  // more than one of each number
  if (plain()) return 9;
  size_t longest = 0;
  for (const Way& way : ways_) longest = std::max(longest, Label({std::vector<int64_t>(CountLoops(way)), 0, &way}).size() + kDigits * (CountLoops(way) > 0));
  return longest;
}

std::string Occurrences::LegendOf(size_t group) const {
  constexpr size_t kMost = 8;
  std::vector<std::string> calls;
  for (const Way& way : ways_) {
    if (way.group != group || calls.size() > kMost) continue;
    // The innermost call in which it differs from the others says most.
    std::vector<std::string> path;
    for (size_t k = 0; k < way.steps.size(); ++k) {
      const Way::Step& step = way.steps[k];
      const bool differs = std::any_of(ways_.begin(), ways_.end(), [&](const Way& other) {
        return other.group == group && k < other.steps.size() && (other.steps[k].caller != step.caller || other.steps[k].branch != step.branch);
      });
      if (differs && !IsLoopStep(step)) path.push_back(absl::StrCat(ShownName(*step.caller), step.branch >= 0 ? absl::StrCat(" branch ", step.branch) : ""));
    }
    calls.push_back(calls.size() == kMost ? "..." : absl::StrCat(way.call, path.empty() ? "" : " by ", absl::StrJoin(path, " in ")));
  }
  return absl::StrCat("call ", absl::StrJoin(calls, ", "));
}

std::string Occurrences::Legend() const {
  if (!calls_) return "";
  std::vector<std::string> texts;
  bool same = true;
  for (const size_t group : Groups()) {
    const std::string text = LegendOf(group);
    same &= texts.empty() || absl::EndsWith(texts[0], text);
    texts.push_back(absl::StrCat(GroupName(group, "%"), ": ", text));
  }
  if (same) return texts[0].substr(texts[0].find(": ") + 2);
  return absl::StrCat("in ", absl::StrJoin(texts, "; in "));
}

std::string Occurrences::Label(const Occurrence& one) const {
  const size_t group = one.way->group;
  std::string text = one.iterations.empty() ? "" : absl::StrCat("iteration ", absl::StrJoin(one.iterations, ","));
  const bool one_of_calls =
      std::any_of(every_way_.begin(), every_way_.end(), [&](const Way& way) { return way.group == group && way.call != one.way->call; });
  const bool own_loop = !one.way->steps.empty() && IsLoopStep(one.way->steps.back());  // it is the loop's body or condition
  const bool called = !own_loop && home_ != module_->entry;
  if (one_of_calls || (called && (text.empty() || !call_.empty()))) absl::StrAppend(&text, " call ", one.way->call);
  if (called) absl::StrAppend(&text, " in ", home_->name);
  const bool loop = group_loops_[group] != nullptr;
  const bool condition = own_loop && one.way->steps.back().level.kind == FrameKind::kWhileCondition;
  if (groups_ || !chosen_.empty() || (own_loop && (by_name_ || condition || several_loops_)))
    absl::StrAppend(&text, loop ? absl::StrCat(" in ", GroupName(group, "")) : " outside of loops");
  return std::string(absl::StripLeadingAsciiWhitespace(text));
}

std::string Occurrences::HowToChoose(const Occurrence& one) const {
  std::vector<std::string> loops;
  bool open = false;
  for (size_t k = 0; k < one.way->steps.size(); ++k) {
    if (!IsLoopStep(one.way->steps[k])) continue;
    loops.push_back(absl::StrCat("%", NameOf(*one.way->steps[k].caller)));
    open |= !one.way->ranges[k].one();
  }
  std::vector<std::string> texts;
  if (groups_) {
    std::vector<std::string> names;
    bool outside = false;
    for (const size_t group : Groups()) {  // several groups may have one, with further loops between
      outside |= group_loops_[group] == nullptr;
      if (group_loops_[group] == nullptr) continue;
      std::string name = GroupName(group, "%");
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    }
    if (!names.empty()) names[0].insert(0, "in ");
    if (outside) names.push_back("outside of loops");
    texts.push_back(absl::StrCat(home_->name, " runs ", absl::StrJoin(names, " and ")));
  }
  if (open && loops.size() > 1)
    texts.push_back(absl::StrCat(home_->name, " runs in loops in each other (", absl::StrJoin(loops, ", "),
                                 "), whose iterations are given outer before inner"));
  if (calls_)
    texts.push_back(absl::StrCat(home_->name, " is run by ", ways_.size() < kMostWays ? "" : "more than ", ways_.size(),
                                 groups_ ? " calls in all (" : " calls (", Legend(), ")"));
  if (texts.empty()) texts.push_back(absl::StrCat(home_->name, " runs in each iteration of ", absl::StrJoin(loops, ", ")));
  return absl::StrCat(absl::StrJoin(texts, "; "), ": ", Label(one), " chooses one");
}

std::string Occurrences::LeftOut() const {
  if (all_ways_ <= static_cast<double>(kMostWays)) return "";
  return absl::StrCat("(", kMostWays, " of ", all_ways_, " call paths to ", home_->name, " are looked at, ", all_ways_ - static_cast<double>(kMostWays), " more are not)\n");
}

std::string Occurrences::NoneText(absl::string_view moment) const {
  if (run_ > 0) {
    const std::string text = absl::StrCat("the program does not come to ", moment, ": ", home_->name, " runs ", Count(runs_, "time"), " there", runs_ > 0 ? ", from run 1 on" : "");
    const std::string left_out = LeftOut();
    return left_out.empty() ? text : absl::StrCat(text, "; ", absl::StripSuffix(left_out, "\n"));
  }
  std::vector<const Instruction*> loops;
  const Way& way = ways_[0];
  std::vector<std::string> around;  // of the loops around it, where the iterations of all are said
  bool open = false;
  for (size_t k = 0; k < way.steps.size(); ++k) {
    if (!IsLoopStep(way.steps[k])) continue;
    loops.push_back(way.steps[k].caller);
    open |= !way.ranges[k].one();
    around.push_back(way.ranges[k].one() ? absl::StrCat("iteration ", way.ranges[k].first, " of %", NameOf(*loops.back())) : "");
  }
  if (ways_.size() == 1 && open && loops.size() > 1) {
    around.pop_back();
    const bool said = std::none_of(around.begin(), around.end(), [](const std::string& text) { return text.empty(); });
    const std::string where = said ? absl::StrJoin(around.rbegin(), around.rend(), " in ") : "any iteration of the loop around it";
    const std::string most =
        most_ >= 0 ? absl::StrCat(": %", NameOf(*loops.back()), " comes to iteration ", most_, " at most", said ? " there" : "")
        : said     ? ": it is not entered there"
                   : ": it is not entered";
    return absl::StrCat("the program does not come to ", moment, " of %", NameOf(*loops.back()), " in ", where, most,
                        "; iterations of both are given outer before inner");
  }
  const std::string before = absl::StrCat("the program does not come to ", moment);
  const bool branch = std::any_of(way.steps.begin(), way.steps.end(), [](const Way::Step& step) { return step.level.kind == FrameKind::kBranch; });
  const absl::string_view otherwise = branch ? ", or another branch is taken there" : ", or is not entered";
  if (loops.empty()) return branch ? absl::StrCat(before, ": another branch is taken there") : before;
  if (single()) return absl::StrCat(before, ": ", LoopText(*module_, OnlyMark()), " ends before", otherwise);
  std::vector<std::string> names;  // of each way's innermost loop
  for (const Way& each : ways_) {
    const auto loop = std::find_if(each.steps.rbegin(), each.steps.rend(), IsLoopStep);
    std::string name = loop == each.steps.rend() ? "" : absl::StrCat("%", LoopName(*module_, *loop->caller));
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  constexpr size_t kMostNamed = 4;
  if (names.size() > kMostNamed) {
    names.resize(kMostNamed);
    names.push_back("others");
  }
  if (names.size() > 1) return absl::StrCat(before, ": the loops ", absl::StrJoin(names, ", "), " end before", branch ? otherwise : ", or are not entered");
  return absl::StrCat(before, ": the loop ", names[0], " ends before", otherwise);
}

absl::StatusOr<bool> Occurrences::Walk(Session::State& s, const std::vector<const Way*>& ways, size_t depth, Mark mark, std::vector<int64_t> iterations,
                                       const std::function<absl::StatusOr<bool>(const Occurrence&)>& each) {
  const Timeline& timeline = *s.Extension<Travel>().timeline;
  const bool entered = from_ != nullptr && InFrame(*from_, mark);  // it stands in this frame
  if (ways[0]->steps.size() == depth) {
    if (from_ != nullptr && mark < *from_) return true;
    const absl::StatusOr<bool> there = SeekOnTheWay(s, AfterEdits(timeline, mark));
    if (!there.ok() || !*there) return there.ok() ? absl::StatusOr<bool>(true) : there;
    Occurrence occurrence{std::move(iterations), 0, ways[0]};
    for (size_t k = 0; k < ways[0]->open_from; ++k) occurrence.shown_from += IsLoopStep(ways[0]->steps[k]) ? 1 : 0;
    s.selected = static_cast<int>(s.machine->frames().size()) - 1;
    if (run_ > 0 && ++runs_ < run_) return true;
    const absl::StatusOr<bool> more = each(occurrence);
    return run_ > 0 && more.ok() ? absl::StatusOr<bool>(false) : more;
  }
  // What each instruction here runs, in program order: the ways are in that order already. Of a loop both parts together.
  for (size_t begin = 0; begin < ways.size();) {
    const Way::Step& step = ways[begin]->steps[depth];
    const auto along = [&](const Way::Step& other) {
      return other.caller == step.caller && other.branch == step.branch && (other.callee == step.callee || (IsLoopStep(step) && IsLoopStep(other)));
    };
    size_t end = begin;
    while (end < ways.size() && along(ways[end]->steps[depth])) ++end;
    const std::vector<const Way*> inside(ways.begin() + static_cast<ptrdiff_t>(begin), ways.begin() + static_cast<ptrdiff_t>(end));
    begin = end;
    mark.levels.back().position = step.caller->index;
    if (entered && step.caller->index < from_->levels[depth].position) continue;
    if (IsLoopStep(step)) {
      const absl::StatusOr<bool> more = WalkLoop(s, inside, depth, mark, iterations, each);
      if (!more.ok() || !*more) return more;
      continue;
    }
    Mark there = mark;
    there.levels.push_back(step.level);
    const absl::StatusOr<bool> more = Walk(s, inside, depth + 1, there, iterations, each);
    if (!more.ok() || !*more) return more;
  }
  return true;
}

// Iteration by iteration, in each the condition before the body.
absl::StatusOr<bool> Occurrences::WalkLoop(Session::State& s, const std::vector<const Way*>& ways, size_t depth, const Mark& mark, const std::vector<int64_t>& iterations,
                                           const std::function<absl::StatusOr<bool>(const Occurrence&)>& each) {
  const Instruction& loop = *ways[0]->steps[depth].caller;
  const auto innermost = [&](const Way& way) { return std::none_of(way.steps.begin() + static_cast<ptrdiff_t>(depth) + 1, way.steps.end(), IsLoopStep); };
  std::vector<const Way*> parts[2];  // the condition's, the body's
  int64_t first = 0, earliest = ways[0]->ranges[depth].first;
  if (from_ != nullptr && from_->levels.size() > depth + 1 && InFrame(*from_, mark) && from_->levels[depth].position == loop.index)
    first = from_->levels[depth + 1].iteration;
  bool far = false;  // how far it comes is told, should it not come so far
  for (const Way* way : ways) {
    parts[way->steps[depth].level.kind == FrameKind::kWhileBody].push_back(way);
    earliest = std::min(earliest, way->ranges[depth].first);
    far |= innermost(*way);
  }
  first = std::max(first, earliest);
  if (far && first > 0) {
    const absl::StatusOr<bool> at = SeekOnTheWay(s, mark);
    if (absl::IsCancelled(at.status())) return at;
    const std::optional<int64_t> trips = at.ok() && *at ? s.machine->TripCount(static_cast<int>(s.machine->frames().size()) - 1, loop.index) : std::nullopt;
    if (trips.has_value()) most_ = std::max(most_, *trips - 1);
  }
  for (int64_t k = first; k >= 0;) {
    for (std::vector<const Way*>& part : parts) {
      std::vector<const Way*> wanted;
      for (const Way* way : part) {
        if (k >= way->ranges[depth].first && (way->ranges[depth].last < 0 || k <= way->ranges[depth].last)) wanted.push_back(way);
      }
      if (wanted.empty()) continue;
      Mark there = mark;
      there.levels.push_back(wanted[0]->steps[depth].level);
      there.levels.back().iteration = k;
      const absl::StatusOr<bool> runs = SeekOnTheWay(s, there);
      if (!runs.ok()) return runs;
      if (!*runs) {  // the loop has ended
        part.clear();
        continue;
      }
      if (std::any_of(wanted.begin(), wanted.end(), [&](const Way* way) { return innermost(*way); })) most_ = std::max(most_, k);
      std::vector<int64_t> around = iterations;
      around.push_back(k);
      const absl::StatusOr<bool> more = Walk(s, wanted, depth + 1, there, std::move(around), each);
      if (!more.ok() || !*more) return more;
    }
    std::vector<const Way*> left = parts[0];
    left.insert(left.end(), parts[1].begin(), parts[1].end());
    k = NextMeant(left, depth, k);
  }
  return true;
}

absl::Status Occurrences::Visit(Session::State& s, const std::function<absl::StatusOr<bool>(const Occurrence&)>& each, const Mark* from) {
  from_ = from;
  runs_ = 0;
  std::vector<const Way*> ways;
  for (const Way& way : ways_) ways.push_back(&way);
  Mark mark;
  mark.levels.push_back({FrameKind::kEntry, 0, -1, 0});
  return Walk(s, ways, 0, mark, {}, each).status();
}

}  // namespace hloscope
