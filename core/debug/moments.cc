// Values of other moments than the present: print %x @ iteration 17. Going there for good is travel.cc's.
#include "core/debug/moments.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/ahead_together.h"
#include "core/debug/devices.h"
#include "core/debug/hand_sets.h"
#include "core/debug/instruction_names.h"
#include "core/debug/loop_choice.h"
#include "core/debug/moment_host.h"
#include "core/debug/occurrences.h"
#include "core/debug/places.h"
#include "core/debug/stop_walk.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/debug/ways.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// The instructions that an expression may name, in its order: words that are not called like functions.
std::vector<std::string> NamesIn(absl::string_view expression) {
  const auto is_word = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-' || c == '#'; };
  std::vector<std::string> names;
  size_t at = 0;
  const bool options = absl::StartsWith(expression, "/");  // of print or why, with their own words
  while (at < expression.size()) {
    const bool percent = expression[at] == '%';
    if (!percent && !absl::ascii_isalpha(expression[at]) && expression[at] != '_') {
      ++at;
      continue;
    }
    size_t end = at + 1;
    const auto goes_on = [&](char c, char before) { return is_word(c) || (c == ':' && before != ':') || (c == '%' && before == ':'); };  // f:x, f:%x
    while (end < expression.size() && goes_on(expression[end], expression[end - 1])) ++end;
    std::string name(expression.substr(at + (percent ? 1 : 0), end - at - (percent ? 1 : 0)));
    if (percent || (!options && (end >= expression.size() || expression[end] != '('))) {
      absl::string_view behind = expression.substr(end);
      while (absl::StartsWith(behind, "[")) behind.remove_prefix(std::min(behind.find(']'), behind.size() - 1) + 1);
      if (const absl::string_view computation = TakeIn(behind); !computation.empty()) {
        name = absl::StrCat(computation, ":", name);
        end = expression.size() - behind.size();
      }
      names.push_back(std::move(name));
    }
    at = end;
  }
  return names;
}

// Where an expression is meant: in frames of `chosen`. Of the same names elsewhere, `others` is not looked at.
struct Homes {
  std::vector<const Computation*> chosen;  // null: around the loop that was named
  std::vector<const Computation*> others;
  std::string name;  // that they have in common
  const Computation* elsewhere = nullptr;  // that has the name, neither in what was named nor around it
  bool missing = false;                    // a computation was named, and what is meant stands neither in it nor in what it runs
};

// What a loop carries unchanged into its condition and its body is one value under one name: iteration by iteration the same in both.
bool SameCarried(const CallGraph& calls, const Instruction& a, const Instruction& b) {
  const auto& x = calls.callers[a.parent->id];
  const auto& y = calls.callers[b.parent->id];
  if (x.size() != 1 || y.size() != 1 || x[0] != y[0] || Def(*x[0]).control != ControlKind::kWhile) return false;
  if (a.parameter_number >= 0 && b.parameter_number >= 0) return true;
  const auto element = [](const Instruction& i) { return i.Has(AttrId::kIndex) && i.operands.size() == 1 && i.operands[0]->parameter_number >= 0 && i.operands[0]->shape.IsTuple(); };
  return element(a) && element(b) && a.Int(AttrId::kIndex) == b.Int(AttrId::kIndex);
}

// The computations in whose frames an expression is meant: where its first name is, and all others are seen. Of several the one on the stack,
// else all in loops, as captured values of StableHLO are in each region. None: it names nothing.
Homes HomesOf(Session::State& s, absl::string_view expression, const Asked& asked) {
  const CallGraph& calls = CallsOf(s);
  const std::vector<std::string> names = NamesIn(expression);
  const auto is_name = [&](absl::string_view name) {
    return std::any_of(s.module->computations.begin(), s.module->computations.end(), [&](const Computation* c) { return FindNamed(*c, name) != nullptr; });
  };
  struct Candidate {
    const Instruction* instruction;
    int rank;
    bool on_stack;
  };
  std::vector<Candidate> candidates;
  const Candidate* best = nullptr;
  Homes homes;
  for (const std::string& name : names) {
    if (!is_name(name)) continue;
    std::vector<Candidate> with_name;
    for (const Computation* computation : s.module->computations) {
      const Instruction* instruction = FindNamed(*computation, name);
      if (instruction == nullptr) continue;
      int depth = -1;
      for (size_t k = 0; k < s.machine->frames().size(); ++k) {
        if (s.machine->frames()[k].computation == computation) depth = static_cast<int>(k);
      }
      const std::vector<const Computation*> around = Surroundings(calls, *computation);
      const bool sees_all = std::all_of(names.begin(), names.end(), [&](const std::string& other) { return !is_name(other) || ResolveFrom(calls, *computation, other) != nullptr; });
      const bool is_inside = asked.loop == nullptr || std::any_of(around.begin(), around.end(), [&](const Computation* c) {
                               return c == asked.loop || (asked.caller != nullptr && c == asked.caller->Called(AttrId::kCondition));
                             });
      const bool elements = std::none_of(around.begin(), around.end(), [&](const Computation* c) { return c == s.module->entry; }) || RunsByElements(*s.module, calls, *computation);
      // Of those on the stack what the selected frame sees comes first.
      const int near = depth < 0 ? 0 : depth + 1 + (depth <= s.selected ? 1 << 16 : 0);
      const int rank = (is_inside ? 1 << 20 : 0) + (sees_all ? 1 << 19 : 0) + (elements && depth < 0 ? 0 : 1 << 18) + (calls.in_loop[computation->id] ? 1 << 17 : 0) + near;
      with_name.push_back({instruction, rank, depth >= 0});
    }
    // Body before condition, so that of the two the body is told.
    std::stable_sort(with_name.begin(), with_name.end(), [&](const Candidate& a, const Candidate& b) {
      const auto is_body = [&](const Candidate& c) {
        const auto& callers = calls.callers[c.instruction->parent->id];
        return callers.size() == 1 && callers[0]->Called(AttrId::kBody) == c.instruction->parent;
      };
      return is_body(a) && !is_body(b);
    });
    const auto highest = std::max_element(with_name.begin(), with_name.end(), [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
    if (best != nullptr && highest->rank <= best->rank) continue;
    const size_t at = static_cast<size_t>(highest - with_name.begin());
    candidates = std::move(with_name);
    best = &candidates[at];
    homes.name = std::string(ParseInstructionName(name).name);
  }
  if (best == nullptr) return homes;
  if (best->rank < (1 << 20)) {  // its names are of what is around the loop
    homes.missing = asked.caller == nullptr;
    homes.chosen.push_back(asked.loop);
    const std::vector<const Computation*> around = Surroundings(calls, asked.caller != nullptr ? *asked.caller->parent : *asked.loop);
    const auto is_around = [&](const Candidate& c) { return std::find(around.begin(), around.end(), c.instruction->parent) != around.end(); };
    if (std::none_of(candidates.begin(), candidates.end(), is_around)) homes.elsewhere = best->instruction->parent;
    return homes;
  }
  const int rank = best->rank;
  const bool only = best->on_stack;
  homes.chosen.push_back(best->instruction->parent);
  std::vector<const Instruction*> told = {best->instruction};
  for (const Candidate& c : candidates) {
    if (c.instruction == told[0] || (c.rank >> 17) != (rank >> 17)) continue;
    if (std::any_of(told.begin(), told.end(), [&](const Instruction* other) { return SameCarried(calls, *other, *c.instruction); })) continue;
    told.push_back(c.instruction);
    (only ? homes.others : homes.chosen).push_back(c.instruction->parent);
  }
  return homes;
}

// "17", "3,17", "3,10-20": of the innermost loop, and before it of the loops around it.
absl::StatusOr<std::vector<IterationRange>> ParseIterations(absl::string_view text, bool ranges) {
  std::vector<IterationRange> iterations;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    const std::vector<absl::string_view> ends = absl::StrSplit(part, absl::MaxSplits('-', 1));
    IterationRange range;
    bool good = absl::SimpleAtoi(absl::StripAsciiWhitespace(ends[0]), &range.first) && range.first >= 0;
    range.last = range.first;
    if (good && ends.size() > 1) good = ranges && absl::SimpleAtoi(absl::StripAsciiWhitespace(ends[1]), &range.last) && range.last >= range.first;
    if (!good) return absl::InvalidArgumentError(ranges ? absl::StrCat("'", part, "' is no range of iterations") : absl::StrCat("'", part, "' is no iteration; the first is 0"));
    iterations.push_back(range);
  }
  return iterations;
}

// A loop by its own name, or that of its body or condition.
absl::Status ParseLoop(Session::State& s, absl::string_view name, Asked* asked) {
  asked->caller = nullptr;
  asked->loop = s.module->FindComputation(name);
  if (asked->loop != nullptr) return absl::OkStatus();
  absl::StatusOr<const Instruction*> found = s.FindInstruction(name);
  if (!found.ok()) return found.status();
  if (Def(**found).control != ControlKind::kWhile) {  // the loop of that name is elsewhere
    const absl::StatusOr<std::vector<const Instruction*>> loops = FindLoops(*s.module, name);
    if (!loops.ok()) return absl::InvalidArgumentError(absl::StrCat("%", name, " is no loop"));
    if (loops->size() > 1)
      return absl::InvalidArgumentError(
          absl::StrCat("several loops are called ", name, "; ", LoopName(*s.module, *loops->front()), " is one"));
    found = loops->front();
  }
  asked->caller = *found;
  asked->loop = (*found)->Called(AttrId::kBody);
  return absl::OkStatus();
}

bool IsMomentWord(absl::string_view word) { return word == "iteration" || word == "iter" || word == "call" || word == "run" || word == "in" || word == "outside"; }

}  // namespace

absl::StatusOr<Asked> ParseAsked(Session::State& s, absl::string_view text, bool ranges) {
  Asked asked;
  for (absl::string_view rest = text; !absl::StripAsciiWhitespace(rest).empty();) {
    absl::string_view word = TakeWord(rest);
    if (word == "iteration" || word == "iter" || (ranges && absl::ascii_isdigit(word[0]))) {
      if (!absl::ascii_isdigit(word[0])) word = TakeWord(rest);
      absl::StatusOr<std::vector<IterationRange>> iterations = ParseIterations(word, ranges);
      if (!iterations.ok()) return iterations.status();
      asked.iterations = *std::move(iterations);
    } else if (word == "call") {
      word = TakeWord(rest);
      if (!absl::SimpleAtoi(word, &asked.call) || asked.call < 1) return absl::InvalidArgumentError(absl::StrCat("'", word, "' is no call; the first is call 1"));
    } else if (word == "run") {
      word = TakeWord(rest);
      if (!absl::SimpleAtoi(word, &asked.run) || asked.run < 1) return absl::InvalidArgumentError(absl::StrCat("'", word, "' is no run of a computation; the first is run 1"));
    } else if (word == "in" || word == "of") {
      word = TakeWord(rest);
      absl::string_view behind = rest;
      const bool part = (word == "condition" || word == "body") && TakeWord(behind) == "of";
      const bool condition = part && word == "condition";
      if (part) {
        rest = behind;
        word = TakeWord(rest);
      }
      Asked named;
      if (absl::Status loop = ParseLoop(s, absl::StripPrefix(word, "%"), &named); !loop.ok()) return loop;
      if (part && named.caller == nullptr) {
        return absl::InvalidArgumentError(
            absl::StrCat(condition ? "condition" : "body", " of takes a loop's own name, and ", word, " is a computation"));
      }
      named.part_only = part;
      if (part) named.loop = named.caller->Called(condition ? AttrId::kCondition : AttrId::kBody);
      if (asked.loop != nullptr) {
        asked.around.push_back({named.loop, named.caller, named.part_only});
        continue;
      }
      asked.loop = named.loop;
      asked.caller = named.caller;
      asked.part_only = named.part_only;
    } else if (word == "outside") {
      if (TakeWord(rest) != "of" || TakeWord(rest) != "loops") return absl::InvalidArgumentError("outside is followed by of loops");
      asked.outside = true;
    } else {
      return absl::InvalidArgumentError(absl::StrCat("'", word, "' is not expected here; a moment is iteration 3,17 (outer before inner)",
                                                     ", with call 2, run 5, in NAME (in INNER in OUTER) or outside of loops where needed"));
    }
  }
  return asked;
}

namespace {

// When the values of `home` are computed, as far as the text says.
absl::StatusOr<Occurrences> OccurrencesIn(Session::State& s, const Asked& asked, const Computation* home) {
  const bool named = home != nullptr;
  if (home == nullptr) home = asked.loop;
  if (home != nullptr) return Occurrences::Of(s, *home, asked, !named);
  const absl::StatusOr<const Instruction*> loop = LoopMeant(s, asked);
  if (!loop.ok()) return loop.status();
  Asked meant = asked;
  meant.caller = *loop;
  meant.loop = (*loop)->Called(AttrId::kBody);
  return Occurrences::Of(s, *meant.loop, meant, !named);
}

}  // namespace

absl::StatusOr<Meant> FindMeant(Session::State& s, const Asked& asked, absl::string_view expression) {
  Meant meant;
  Homes homes;
  if (!expression.empty()) homes = HomesOf(s, expression, asked);
  if (homes.missing) return NoSuchNamed(*s.module, {asked.loop->name, homes.name});
  if (homes.elsewhere != nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("%", homes.name, " is of ", homes.elsewhere->name, ", which runs neither inside ", asked.caller != nullptr ? LoopName(*s.module, *asked.caller) : std::string(asked.loop->name),
                                                   " nor around it; ", homes.elsewhere->name, ":", homes.name, " @ run 1 is the first one"));
  }
  if (homes.chosen.empty()) homes.chosen.push_back(nullptr);
  absl::Status first;
  for (const Computation* home : homes.chosen) {
    absl::StatusOr<Occurrences> occurrences = OccurrencesIn(s, asked, home);
    if (!occurrences.ok()) {
      if (first.ok()) first = occurrences.status();
      continue;
    }
    meant.occurrences.push_back(*std::move(occurrences));
    meant.labels.push_back(homes.chosen.size() > 1 ? absl::StrCat("in ", home->name) : "");
  }
  if (meant.occurrences.empty()) return first;
  if (!homes.others.empty()) {
    std::vector<absl::string_view> names;
    for (const Computation* other : homes.others) names.push_back(other->name);
    meant.note = absl::StrCat("this is %", homes.name, " of ", homes.chosen[0]->name, "; there is one in ", absl::StrJoin(names, ", "), " too: in ", names[0], " chooses it\n");
  }
  return meant;
}

bool SplitMoment(absl::string_view text, absl::string_view* expression, absl::string_view* moment) {
  const size_t at = text.rfind(" @ ");
  if (at == absl::string_view::npos) return false;
  *expression = absl::StripAsciiWhitespace(text.substr(0, at));
  *moment = absl::StripAsciiWhitespace(text.substr(at + 3));
  return true;
}

namespace {

// "replica 2", where another device than the selected one has it; else empty.
std::string OwnerOfBookmark(Session::State& s, const std::string& name) {
  if (!Several(s)) return "";
  std::vector<std::string> owners;
  ForEachRun(s, [&](int device) {
    if (s.Extension<Travel>().bookmarks.contains(name)) owners.push_back(s.options.devices.Name(device));
  });
  return absl::StrJoin(owners, " and ");
}

}  // namespace

absl::StatusOr<Mark> ParseMoment(Session::State& s, absl::string_view text, absl::string_view expression) {
  Travel& travel = s.Extension<Travel>();
  if (travel.timeline == nullptr || !s.visible()) return absl::FailedPreconditionError("the program is not running; run or start begins it");
  absl::string_view rest = text;
  const absl::string_view word = TakeWord(rest);
  if (IsMomentWord(word)) {
    const absl::StatusOr<Asked> asked = ParseAsked(s, text, false);
    if (!asked.ok()) return asked.status();
    absl::StatusOr<Meant> meant = FindMeant(s, *asked, expression);
    if (!meant.ok()) return meant.status();
    Occurrences& occurrences = meant->occurrences[0];
    if (occurrences.single()) return occurrences.OnlyMark();
    // Of what may be meant, one may come about, or none.
    std::vector<Mark> found;
    Occurrence one;
    const absl::Status looked = LookAround(s, [&] {
      return occurrences.Visit(s, [&](const Occurrence& occurrence) -> absl::StatusOr<bool> {
        one = occurrence;
        found.push_back(s.machine->Where());
        found.back().levels.back().position = BeginningOf(*s.module, *s.machine->top().computation);  // it may have gone on to what was set
        return found.size() < 2;
      });
    });
    if (!looked.ok()) return looked;
    if (found.empty()) return absl::InvalidArgumentError(occurrences.NoneText(text));
    if (found.size() > 1) return absl::InvalidArgumentError(absl::StrCat(text, " is not one moment. ", occurrences.HowToChoose(one)));
    return found[0];
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
  const bool before = word == "before" && !rest.empty();
  if (before || absl::StartsWith(text, "%") || absl::StrContains(text, ':')) {
    const absl::StatusOr<const Instruction*> instruction = s.FindInstruction(before ? absl::StripAsciiWhitespace(rest) : text);
    if (!instruction.ok()) return instruction.status();
    return WhenExecuted(s, **instruction);
  }
  if (const std::string owner = OwnerOfBookmark(s, std::string(text)); !owner.empty()) {
    return absl::NotFoundError(absl::StrCat("the bookmark ", text, " is a moment of ", owner, ", and ", SelectedName(s),
                                            " is selected; the replica command selects another one"));
  }
  int64_t budget = 1 << 16;
  NearestName nearest(text, &budget);
  for (const auto& [name, mark] : travel.bookmarks) {
    if (name.size() > 1 && text.size() > 1) nearest.Offer(name);  // of single letters each is near each
  }
  std::string hint = nearest.Hint();
  if (int64_t number = 0; hint.empty() && absl::SimpleAtoi(text, &number)) hint = absl::StrCat("did you mean iteration ", text, "?");
  return absl::NotFoundError(absl::StrCat("'", text, "' is no moment: ", kMoments, hint.empty() ? "" : absl::StrCat("; ", hint)));
}

absl::Status MomentError(const Session::State& s, const Mark& mark, const absl::Status& status, absl::string_view moment) {
  if (!absl::IsNotFound(status)) return status;
  const std::string loop = IsMomentWord(moment.substr(0, moment.find(' '))) ? LoopText(*s.module, mark) : "";
  return absl::NotFoundError(absl::StrCat("the program does not come to ", moment, loop.empty() ? " any more" : absl::StrCat(": ", loop, " ends before, or is not entered")));
}

absl::Status MomentHost::AtMoment(absl::string_view moment, absl::string_view expression, const std::function<absl::Status()>& look) const {
  const AheadTogether together(s_);
  const absl::StatusOr<Mark> mark = ParseMoment(s_, moment, expression);
  if (!mark.ok()) return mark.status();
  bool reached = false;
  absl::Status status = LookAt(s_, *mark, [&] {
    reached = true;
    return look();
  });
  if (!reached) status = MomentError(s_, *mark, status, moment);
  return reached || !absl::IsNotFound(status) ? status : absl::FailedPreconditionError(status.message());
}

absl::Status LookAround(Session::State& s, const std::function<absl::Status()>& look) {
  Travel& travel = s.Extension<Travel>();
  const int selected = s.selected;
  const bool ahead = std::exchange(travel.ahead, true);
  BeginLookTogether(s);
  absl::Status status = travel.timeline->Around(look);
  travel.ahead = ahead;
  s.selected = selected;
  EndLookTogether(s);
  return status;
}

absl::Status LookAt(Session::State& s, const Mark& mark, const std::function<absl::Status()>& look) {
  Timeline& timeline = *s.Extension<Travel>().timeline;
  return LookAround(s, [&]() -> absl::Status {
    if (absl::Status there = SeekStatus(s, timeline.Seek(AfterEdits(timeline, mark))); !there.ok()) return there;
    s.selected = static_cast<int>(s.machine->frames().size()) - 1;
    return look();
  });
}

absl::Status LookAtMoments(Session::State& s, absl::string_view moment, absl::string_view expression, const std::function<absl::Status(const std::string& label)>& look) {
  Travel& travel = s.Extension<Travel>();
  travel.looked = LookedAt();
  absl::string_view rest = moment;
  if (travel.timeline == nullptr || !s.visible() || !IsMomentWord(TakeWord(rest))) {
    const absl::StatusOr<Mark> mark = ParseMoment(s, moment, expression);
    if (!mark.ok()) return mark.status();
    bool reached = false;
    const absl::Status status = LookAt(s, *mark, [&] {
      reached = true;
      return look("");
    });
    return reached ? status : MomentError(s, *mark, status, moment);
  }
  const absl::StatusOr<Asked> asked = ParseAsked(s, moment, false);
  if (!asked.ok()) return asked.status();
  absl::StatusOr<Meant> meant = FindMeant(s, *asked, expression);
  if (!meant.ok()) return meant.status();
  constexpr int64_t kMost = 20;
  int64_t all = 0;
  LookedAt looked;
  for (size_t k = 0; k < meant->occurrences.size(); ++k) {
    Occurrences& occurrences = meant->occurrences[k];
    int64_t shown = 0;
    Occurrence one;  // an example
    const absl::Status status = LookAround(s, [&] {
      return occurrences.Visit(s, [&](const Occurrence& occurrence) -> absl::StatusOr<bool> {
        if (++shown > kMost) return false;
        if (shown <= 2) one = occurrence;
        std::vector<std::string> label;
        if (!occurrences.single()) label.push_back(occurrences.Label(occurrence));
        if (!meant->labels[k].empty() && (label.empty() || !absl::EndsWith(label[0], meant->labels[k]))) label.push_back(meant->labels[k]);
        if (absl::Status looked = look(absl::StrJoin(label, " ")); !looked.ok()) return looked;
        return true;
      });
    });
    if (!status.ok()) return status;
    all += shown;
    looked.moments += std::min(shown, kMost);
    looked.more = looked.more || shown > kMost;
    const bool open = shown > 0 && !occurrences.single() && !occurrences.counted();
    if (open && looked.choose.empty()) looked.choose = occurrences.HowToChoose(one);
    if (open) s.Say(shown > kMost ? "and more. " : "", occurrences.HowToChoose(one), "\n");
    s.Say(occurrences.LeftOut());
  }
  if (all == 0) return absl::NotFoundError(meant->occurrences[0].NoneText(moment));
  s.Say(meant->note);
  travel.looked = std::move(looked);
  return absl::OkStatus();
}

absl::Status LookBack(Session::State& s, absl::string_view moment, absl::string_view expression, const std::function<absl::Status(absl::string_view text)>& look) {
  const std::string text(expression);
  return LookAtMoments(s, moment, expression, [&](const std::string& label) -> absl::Status {
    Timeline& timeline = *s.Extension<Travel>().timeline;
    absl::string_view rest = moment;
    if (const Frame& top = s.machine->top(); IsMomentWord(TakeWord(rest))) {
      Mark end = s.machine->Where();
      end.levels.back().position = static_cast<int>(top.computation->schedule.size());
      if (absl::Status there = SeekStatus(s, timeline.Seek(end)); !there.ok()) return there;
      s.selected = static_cast<int>(s.machine->frames().size()) - 1;
    }
    if (!label.empty()) s.Say(label, ":\n");
    return look(text);
  });
}

}  // namespace hloscope
