// Values of other moments than the present: print %x @ iteration 17, info iterations %loss. Going there for good is travel.cc's.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/literal/format.h"
#include "core/literal/statistics.h"
#include "core/ops/op.h"
#include "core/text/nearest_name.h"

namespace hloscope {
namespace {

bool IsLoopLevel(const Mark::Level& level) { return level.kind == FrameKind::kWhileBody || level.kind == FrameKind::kWhileCondition; }

// The ways into a computation from one that is on the stack: instructions that call, the outermost first. `depth`: of that one's frame.
struct WayIn {
  int depth = 0;
  std::vector<const Instruction*> callers;
};

absl::StatusOr<WayIn> FindWayIn(const Session::State& s, const Computation& wanted) {
  const std::vector<Frame>& frames = s.machine->frames();
  struct Step {
    const Computation* computation;
    int from;  // index into steps
    const Instruction* caller;
  };
  std::vector<Step> steps = {{&wanted, -1, nullptr}};
  absl::flat_hash_set<const Computation*> seen = {&wanted};
  for (size_t k = 0; k < steps.size(); ++k) {
    for (int depth = static_cast<int>(frames.size()) - 1; depth >= 0; --depth) {
      if (frames[depth].computation != steps[k].computation) continue;
      WayIn way{depth, {}};
      for (int at = static_cast<int>(k); steps[at].caller != nullptr; at = steps[at].from) way.callers.push_back(steps[at].caller);
      return way;
    }
    for (const Computation* computation : s.module->computations) {
      for (const Instruction* instruction : computation->instructions) {
        if (Def(*instruction).control == ControlKind::kNone) continue;
        const std::vector<Computation*> called = instruction->CalledComputations();
        if (std::find(called.begin(), called.end(), steps[k].computation) == called.end() || !seen.insert(computation).second) continue;
        steps.push_back({computation, static_cast<int>(k), instruction});
      }
    }
  }
  return absl::NotFoundError(absl::StrCat(wanted.name, " is never entered"));
}

// The level of the frame that `caller` makes for `computation`.
Mark::Level LevelIn(const Instruction& caller, const Computation& computation, int64_t iteration) {
  Mark::Level level;
  level.iteration = iteration;
  switch (Def(caller).control) {
    case ControlKind::kWhile:
      level.kind = caller.Called(AttrId::kBody) == &computation ? FrameKind::kWhileBody : FrameKind::kWhileCondition;
      break;
    case ControlKind::kConditional: {
      const std::vector<Computation*> called = caller.CalledComputations();
      level.kind = FrameKind::kBranch;
      level.branch = static_cast<int>(std::find(called.begin(), called.end(), &computation) - called.begin());
      level.iteration = 0;
      break;
    }
    case ControlKind::kCall:
    case ControlKind::kNone:
      level.kind = computation.is_fusion ? FrameKind::kFusion : FrameKind::kCall;
      level.iteration = 0;
      break;
  }
  return level;
}

bool GoesThroughLoop(const Session::State& s, const Computation& computation) {
  const absl::StatusOr<WayIn> way = FindWayIn(s, computation);
  if (!way.ok()) return false;
  for (int depth = 0; depth <= way->depth; ++depth) {
    const FrameKind kind = s.machine->frames()[depth].kind;
    if (kind == FrameKind::kWhileBody || kind == FrameKind::kWhileCondition) return true;
  }
  return std::any_of(way->callers.begin(), way->callers.end(), [](const Instruction* i) { return Def(*i).control == ControlKind::kWhile; });
}

// The computation that the first name in an expression belongs to: of those in a loop, one on the stack if it can be.
const Computation* ComputationOf(const Session::State& s, absl::string_view expression) {
  const auto is_word = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-'; };
  size_t at = 0;
  while (at < expression.size()) {
    const bool percent = expression[at] == '%';
    if (!percent && !absl::ascii_isalpha(expression[at]) && expression[at] != '_') {
      ++at;
      continue;
    }
    size_t end = at + 1;
    while (end < expression.size() && is_word(expression[end])) ++end;
    const absl::string_view name = expression.substr(at + (percent ? 1 : 0), end - at - (percent ? 1 : 0));
    at = end;
    if (!percent && end < expression.size() && expression[end] == '(') continue;  // a function
    for (int depth = static_cast<int>(s.machine->frames().size()) - 1; depth >= 0; --depth) {
      const Computation* computation = s.machine->frames()[depth].computation;
      if (computation->FindInstruction(name) != nullptr && GoesThroughLoop(s, *computation)) return computation;
    }
    const Computation* found = nullptr;
    for (const Computation* computation : s.module->computations) {
      if (computation->FindInstruction(name) == nullptr) continue;
      if (GoesThroughLoop(s, *computation)) return computation;
      if (found == nullptr) found = computation;
    }
    if (found != nullptr) return found;
  }
  return nullptr;
}

// "17" or "3,17": of the innermost loop, and before it of the loops around it.
absl::StatusOr<std::vector<int64_t>> ParseIterations(absl::string_view text) {
  std::vector<int64_t> iterations;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    int64_t n = 0;
    if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(part), &n) || n < 0) return absl::InvalidArgumentError(absl::StrCat("'", part, "' is no iteration; the first is 0"));
    iterations.push_back(n);
  }
  return iterations;
}

// The mark of the beginning of an iteration of the innermost loop around `computation` (null: around the selected frame).
absl::StatusOr<Mark> IterationMark(Session::State& s, const Computation* computation, const std::vector<int64_t>& iterations) {
  const std::vector<Frame>& frames = s.machine->frames();
  WayIn way;
  if (computation == nullptr) {
    way.depth = std::min<int>(s.selected, static_cast<int>(frames.size()) - 1);
  } else {
    absl::StatusOr<WayIn> found = FindWayIn(s, *computation);
    if (!found.ok()) return found.status();
    way = *std::move(found);
  }
  Mark mark = s.machine->Where();
  mark.levels.resize(way.depth + 1);
  std::vector<const Instruction*> caller_of(mark.levels.size(), nullptr);
  for (size_t k = 0; k < mark.levels.size(); ++k) caller_of[k] = frames[k].caller;
  for (size_t k = 0; k < way.callers.size(); ++k) {
    const Computation& next = k + 1 < way.callers.size() ? *way.callers[k + 1]->parent : *computation;
    mark.levels.back().position = way.callers[k]->index;
    mark.levels.push_back(LevelIn(*way.callers[k], next, 0));
    caller_of.push_back(way.callers[k]);
  }
  // Iterations are given from the inside out.
  size_t given = iterations.size();
  int innermost = -1;
  for (int k = static_cast<int>(mark.levels.size()) - 1; k >= 0 && given > 0; --k) {
    if (!IsLoopLevel(mark.levels[k])) continue;
    if (innermost < 0) innermost = k;
    mark.levels[k].iteration = iterations[--given];
    if (mark.levels[k].kind == FrameKind::kWhileCondition) continue;
  }
  if (innermost < 0) return absl::FailedPreconditionError("there is no loop around this; say iteration N in NAME (a loop or its body), or select a frame in it");
  if (given > 0) return absl::InvalidArgumentError(absl::StrCat("there are fewer than ", iterations.size(), " loops around this"));
  // At the beginning of the computation, or of the loop's body where nothing else was named.
  if (computation == nullptr) mark.levels.resize(innermost + 1);
  mark.levels.back().position = 0;
  const Instruction* caller = caller_of[mark.levels.size() - 1];
  if (caller != nullptr && IsLoopLevel(mark.levels.back())) {
    if (computation == nullptr) mark.levels.back().kind = FrameKind::kWhileBody;
    const bool body = mark.levels.back().kind == FrameKind::kWhileBody;
    mark.levels.back().position = FirstStop(*caller->Called(body ? AttrId::kBody : AttrId::kCondition));
  }
  return mark;
}

// The body of a loop, by its own name or that of the while.
absl::StatusOr<const Computation*> BodyNamed(const Session::State& s, absl::string_view name) {
  if (const Computation* computation = s.module->FindComputation(name)) return computation;
  const absl::StatusOr<const Instruction*> found = s.FindInstruction(name);
  if (!found.ok()) return found.status();
  if (Def(**found).control != ControlKind::kWhile) return absl::InvalidArgumentError(absl::StrCat("%", name, " is no loop"));
  return (*found)->Called(AttrId::kBody);
}

bool InLoop(const Session::State& s) {
  const std::vector<Frame>& frames = s.machine->frames();
  for (int k = std::min<int>(s.selected, static_cast<int>(frames.size()) - 1); k >= 0; --k) {
    if (frames[k].kind == FrameKind::kWhileBody || frames[k].kind == FrameKind::kWhileCondition) return true;
  }
  return false;
}

const Computation* OnlyLoopOf(const Computation& computation) {
  const Computation* body = nullptr;
  for (const Instruction* instruction : computation.schedule) {
    if (Def(*instruction).control != ControlKind::kWhile) continue;
    if (body != nullptr) return nullptr;
    body = instruction->Called(AttrId::kBody);
  }
  return body;
}

}  // namespace

bool SplitMoment(absl::string_view text, absl::string_view* expression, absl::string_view* moment) {
  const size_t at = text.rfind(" @ ");
  if (at == absl::string_view::npos) return false;
  *expression = absl::StripAsciiWhitespace(text.substr(0, at));
  *moment = absl::StripAsciiWhitespace(text.substr(at + 3));
  return true;
}

absl::StatusOr<Mark> ParseMoment(Session::State& s, absl::string_view text, absl::string_view expression) {
  Travel& travel = s.Extension<Travel>();
  if (travel.timeline == nullptr || !s.visible()) return absl::FailedPreconditionError("the program is not running; run or start begins it");
  absl::string_view rest = text;
  const absl::string_view word = TakeWord(rest);
  if (word == "iteration" || word == "iter") {
    const absl::string_view numbers = TakeWord(rest);
    const absl::StatusOr<std::vector<int64_t>> iterations = ParseIterations(numbers);
    if (!iterations.ok()) return iterations.status();
    rest = absl::StripAsciiWhitespace(rest);
    if (absl::ConsumePrefix(&rest, "in ")) {
      const absl::StatusOr<const Computation*> body = BodyNamed(s, absl::StripPrefix(absl::StripAsciiWhitespace(rest), "%"));
      if (!body.ok()) return body.status();
      return IterationMark(s, *body, *iterations);
    }
    if (!rest.empty()) return absl::InvalidArgumentError(absl::StrCat("'", rest, "' is not expected here; iterations are given as 3,17, outer before inner"));
    const Computation* computation = expression.empty() ? nullptr : ComputationOf(s, expression);
    if (expression.empty() && !InLoop(s)) computation = OnlyLoopOf(*s.current_computation());
    return IterationMark(s, computation, *iterations);
  }
  if (word == "mark") text = absl::StripAsciiWhitespace(rest);
  if (text == "start") {
    Mark mark;
    mark.levels.push_back({FrameKind::kEntry, 0, -1, FirstStop(*s.module->entry)});
    return mark;
  }
  if (text == "end") {
    Mark mark;
    mark.levels.push_back({FrameKind::kEntry, 0, -1, static_cast<int>(s.module->entry->schedule.size())});
    return mark;
  }
  const auto found = travel.bookmarks.find(std::string(text));
  if (found != travel.bookmarks.end()) return found->second;
  int64_t budget = 1 << 16;
  NearestName nearest(text, &budget);
  for (const auto& [name, mark] : travel.bookmarks) nearest.Offer(name);
  const std::string hint = nearest.Hint();
  return absl::NotFoundError(absl::StrCat("'", text, "' is no moment: a bookmark, start, end or iteration N", hint.empty() ? "" : absl::StrCat("; ", hint)));
}

absl::Status MomentError(const absl::Status& status, absl::string_view moment) {
  if (!absl::IsNotFound(status)) return status;
  return absl::NotFoundError(absl::StrCat("the program does not come to ", moment, absl::StartsWith(moment, "iter") ? ": the loop ends before, or is not entered" : " any more"));
}

namespace {

// What was set in a frame holds for who looks at it as a whole.
Mark AfterEdits(const Timeline& timeline, Mark mark) {
  for (const Timeline::Moment& moment : timeline.moments()) {
    if (!moment.kept || moment.mark.levels.size() != mark.levels.size() || !(mark < moment.mark)) continue;
    Mark same = moment.mark;
    same.levels.back().position = mark.levels.back().position;
    if (same == mark) mark = moment.mark;
  }
  return mark;
}

}  // namespace

absl::Status LookAt(Session::State& s, const Mark& mark, const std::function<absl::Status()>& look) {
  Travel& travel = s.Extension<Travel>();
  const int selected = s.selected;
  const Mark at = AfterEdits(*travel.timeline, mark);
  absl::Status status = travel.timeline->At(at, [&]() -> absl::Status {
    s.selected = static_cast<int>(s.machine->frames().size()) - 1;
    travel.ahead = true;
    absl::Status looked = look();
    travel.ahead = false;
    return looked;
  });
  s.selected = selected;
  return status;
}

absl::Status InfoIterations(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  if (args.empty()) return absl::InvalidArgumentError("info iterations takes a value of a loop's body, as: info iterations %loss, or info iterations %loss 10-20");
  int64_t first = 0, last = -1;
  const size_t space = args.rfind(' ');
  if (space != absl::string_view::npos) {
    const std::vector<absl::string_view> range = absl::StrSplit(args.substr(space + 1), absl::MaxSplits('-', 1));
    int64_t a = 0, b = 0;
    if (absl::SimpleAtoi(range[0], &a)) {
      b = a;
      if (range.size() > 1 && !absl::SimpleAtoi(range[1], &b)) return absl::InvalidArgumentError(absl::StrCat("'", args.substr(space + 1), "' is no range of iterations"));
      first = a;
      last = b;
      args = absl::StripAsciiWhitespace(args.substr(0, space));
    }
  }
  if (absl::Status known = s.CheckExpression(args); !known.ok()) return known;
  absl::StatusOr<Mark> mark = ParseMoment(s, absl::StrCat("iteration ", first), args);
  if (!mark.ok()) return mark.status();
  Travel& travel = s.Extension<Travel>();
  int loop = static_cast<int>(mark->levels.size()) - 1;
  while (loop > 0 && !IsLoopLevel(mark->levels[loop])) --loop;
  const std::string text(args);
  constexpr int64_t kMostRows = 100000;
  s.Say("iteration          min          max         mean    nan    inf\n");
  const auto row = [&](int64_t k) -> absl::Status {
    s.selected = static_cast<int>(s.machine->frames().size()) - 1;
    const absl::StatusOr<ExpressionResult> result = EvaluateExpression(text, s);
    if (!result.ok()) return result.status();
    const auto say = [&](int64_t finite, double low, double high, double mean, int64_t nan, int64_t inf) {
      const auto number = [&](double v) { return finite > 0 ? absl::StrFormat("%12.6g", v) : std::string("           -"); };
      s.Say(absl::StrFormat("%9d ", k), number(low), " ", number(high), " ", number(mean), absl::StrFormat(" %6d %6d\n", nan, inf));
    };
    if (result->kind == ExpressionResult::kValue && result->value.shape().IsArray()) {
      const Statistics stats = Summarize(result->value);
      say(stats.finite, stats.min, stats.max, stats.mean, stats.nan, stats.inf);
      return absl::OkStatus();
    }
    if (result->kind != ExpressionResult::kNumbers) return absl::InvalidArgumentError("this has no numbers; name an array or an element of a tuple");
    double low = std::numeric_limits<double>::infinity(), high = -low, sum = 0;
    int64_t nan = 0, inf = 0, count = 0;
    for (double v : result->re) {
      if (std::isnan(v)) {
        ++nan;
      } else if (std::isinf(v)) {
        ++inf;
      } else {
        low = std::min(low, v);
        high = std::max(high, v);
        sum += v;
        ++count;
      }
    }
    say(count, low, high, count > 0 ? sum / static_cast<double>(count) : 0, nan, inf);
    return absl::OkStatus();
  };
  bool reached = false;
  absl::Status status = LookAt(s, *mark, [&]() -> absl::Status {
    reached = true;
    for (int64_t k = first; last < 0 ? k < first + kMostRows : k <= last; ++k) {
      mark->levels[loop].iteration = k;
      if (k > first) {
        const StopReason reason = travel.timeline->Seek(AfterEdits(*travel.timeline, *mark));
        if (reason == StopReason::kInterrupted) return absl::CancelledError("interrupted");
        if (reason != StopReason::kStep) return absl::OkStatus();  // the loop has ended
      }
      if (absl::Status made = row(k); !made.ok()) return made;
    }
    return absl::OkStatus();
  });
  return reached ? status : MomentError(status, absl::StrCat("iteration ", first));
}

}  // namespace hloscope
