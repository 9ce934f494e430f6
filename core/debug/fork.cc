// Forks: fork, switch, info forks, and the comparison of two of them.
#include "core/debug/fork.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/catch_commands.h"
#include "core/debug/compare_values.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"

namespace hloscope {
namespace {

// Puts what `wanted` points to into `slot`, and what was there into `store`.
template <typename P>
void SwapIn(P& slot, std::vector<P>& store, typename P::element_type* wanted) {
  if (slot.get() == wanted) return;
  const auto at = std::find_if(store.begin(), store.end(), [&](const P& each) { return each.get() == wanted; });
  if (slot == nullptr) {
    slot = std::move(*at);
    store.erase(at);
  } else if (wanted == nullptr) {
    store.push_back(std::move(slot));
  } else {
    std::swap(slot, *at);
  }
}

// The present, to come back to.
absl::StatusOr<Fork> Present(Session::State& s) {
  Forks& forks = s.Extension<Forks>();
  Travel& travel = s.Extension<Travel>();
  Fork fork;
  fork.module = s.module.get();
  fork.inputs = s.inputs.get();
  fork.error_stop = s.error_stop;
  fork.made = forks.current_made;
  fork.bookmarks = travel.bookmarks;
  fork.memory = PresentMemory(s);
  fork.ledger = Ledger(s);
  if (s.visible() && travel.timeline != nullptr) {
    absl::StatusOr<Timeline::Branch> branch = travel.timeline->Save();
    if (!branch.ok()) return branch.status();
    fork.machine = s.machine.get();
    fork.branch = *std::move(branch);
  }
  return fork;
}

void Enter(Session::State& s, const Fork& fork) {
  Forks& forks = s.Extension<Forks>();
  Travel& travel = s.Extension<Travel>();
  const Module* before = s.module.get();
  s.interrupt.store(nullptr);
  const bool changed = s.machine.get() != fork.machine;
  if (changed) {
    PutAwayRun(s);
    const auto at = std::find_if(forks.runs.begin(), forks.runs.end(), [&](const Forks::Run& run) { return run.machine.get() == fork.machine; });
    if (fork.machine != nullptr && at != forks.runs.end()) {
      s.machine = std::move(at->machine);
      travel.timeline = std::move(at->timeline);
      forks.runs.erase(at);
    }
  }
  SwapIn(s.module, forks.modules, fork.module);
  SwapIn(s.inputs, forks.inputs, fork.inputs);
  if (s.machine != nullptr) {
    travel.timeline->Load(*fork.branch);
    s.interrupt.store(&s.machine->interrupt());
  }
  travel.bookmarks = fork.bookmarks;
  PresentMemory(s) = fork.memory;
  Ledger(s) = fork.ledger;
  s.error_stop = fork.error_stop;
  s.selected = s.machine == nullptr ? 0 : std::max<int>(0, static_cast<int>(s.machine->frames().size()) - 1);
  if (before != s.module.get()) {
    FindAgain(s, *before);
  } else if (changed) {
    CatchesOfNewProgram(s);
  }
  s.ArmAll();
}

std::string PlaceText(const Fork& fork) {
  if (fork.machine == nullptr) return "not running";
  const Mark& mark = Machine::MarkOf(*fork.branch->present);
  const int position = mark.levels[0].position, size = static_cast<int>(fork.module->entry->schedule.size());
  return position >= size ? std::string("at its end") : absl::StrCat("at %", fork.module->entry->schedule[position]->name, mark.levels.size() > 1 ? " (inside)" : "");
}

bool PlainName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.'; });
}

absl::Status NoFork(const Session::State& s, Forks& forks, absl::string_view name) {
  std::vector<std::string> names = {forks.current};
  for (const auto& [other, fork] : forks.others) names.push_back(other);
  return absl::NotFoundError(absl::StrCat("there is no fork '", name, "'; there are ", absl::StrJoin(names, ", ")));
}

absl::Status SwitchTo(Session::State& s, const std::string& name) {
  Forks& forks = s.Extension<Forks>();
  if (name == forks.current) return absl::OkStatus();
  const auto at = forks.others.find(name);
  if (at == forks.others.end()) return NoFork(s, forks, name);
  absl::StatusOr<Fork> present = Present(s);
  if (!present.ok()) return present.status();
  Fork next = at->second;
  forks.others[forks.current] = *std::move(present);
  Enter(s, next);
  forks.others.erase(name);
  forks.current = name;
  forks.current_made = next.made;
  return absl::OkStatus();
}

// Where a fork stands: its frames up to where element computations begin, which are only looked at.
struct Standing {
  struct Level {
    FrameKind kind;
    int64_t iteration;
    int branch;
    std::string caller;  // the instruction around that runs it
  };
  std::vector<Level> levels;
  std::vector<std::string> at;  // by level: what is next, or is being run; empty at the end
  std::string text;
  Mark mark;
  const Module* module = nullptr;
};

Standing StandingOf(Session::State& s) {
  Standing standing;
  standing.module = s.module.get();
  if (!s.visible()) return standing;
  const std::vector<Frame>& frames = s.machine->frames();
  for (const Frame& frame : frames) {
    if (frame.kind == FrameKind::kElement) break;
    const bool ended = frame.position >= static_cast<int>(frame.computation->schedule.size());
    standing.levels.push_back({frame.kind, frame.iteration, frame.branch, frame.caller == nullptr ? "" : std::string(frame.caller->name)});
    standing.at.push_back(ended ? "" : std::string(frame.computation->schedule[frame.position]->name));
  }
  standing.text = s.machine->finished() ? "at its end" : absl::StrCat("at ", s.DescribeFrame(static_cast<int>(standing.levels.size()) - 1));
  standing.mark = s.machine->Where();
  return standing;
}

// How many frames are the same in both: in the same iterations of the same loops.
size_t SharedFrames(const Standing& a, const Standing& b) {
  size_t shared = 0;
  for (; shared < std::min(a.levels.size(), b.levels.size()); ++shared) {
    const Standing::Level &x = a.levels[shared], &y = b.levels[shared];
    if (x.kind != y.kind || x.iteration != y.iteration || x.branch != y.branch || x.caller != y.caller) break;
  }
  return shared;
}

struct Compared {
  int depth = 0;
  std::string name;
};

// The value of an instruction of that frame at the present; empty where it has none.
Value ValueIn(Session::State& s, int depth, absl::string_view name) {
  if (!s.visible() || depth >= static_cast<int>(s.machine->frames().size())) return Value();
  const Frame& frame = s.machine->frames()[depth];
  const Instruction* i = frame.computation->FindInstruction(name);
  if (i == nullptr || i->index >= frame.position) return Value();
  absl::StatusOr<Value> got = s.machine->ValueOf(depth, i->index);
  return got.ok() ? *std::move(got) : Value();
}

std::vector<Value> ValuesOf(Session::State& s, absl::Span<const Compared> names) {
  std::vector<Value> values;
  for (const Compared& each : names) values.push_back(ValueIn(s, each.depth, each.name));
  return values;
}

struct Row {
  std::string name;
  Shape shape;
  ArrayDifference difference;
};

// Of arrays, and the leaves of tuples; no rows: the same bits. False: they cannot be compared.
bool CompareLeaves(const std::string& name, const Value& a, const Value& b, std::vector<Row>& rows) {
  if (a.shape().IsTuple() && b.shape().IsTuple() && a.elements().size() == b.elements().size()) {
    bool all = true;
    for (size_t k = 0; k < a.elements().size(); ++k) all &= CompareLeaves(absl::StrCat(name, "[", k, "]"), a.elements()[k], b.elements()[k], rows);
    return all;
  }
  if (!a.shape().IsArray() || !b.shape().IsArray()) return a.shape().ToString(false) == b.shape().ToString(false);
  if (!Shape::SameDimensions(a.shape(), b.shape())) return false;
  ArrayDifference difference = CompareArrays(b, a, Budget());
  if (difference.other_bits > 0) rows.push_back({name, a.shape(), difference});
  return true;
}

constexpr size_t kMostRows = 10;

struct Comparison {
  std::vector<Row> rows;
  int64_t compared = 0, differing = 0;
  std::vector<std::string> unlike;

  void Add(const std::string& name, const Value& a, const Value& b) {
    if (!a.has_value() || !b.has_value()) return;
    const size_t before = rows.size();
    if (!CompareLeaves(name, a, b, rows)) unlike.push_back(name);
    ++compared;
    if (rows.size() > before) ++differing;
    if (rows.size() > kMostRows) rows.resize(kMostRows);
  }
};

void SayComparison(const Session::State& s, const Comparison& comparison) {
  const std::vector<Row>& rows = comparison.rows;
  const int64_t differing = comparison.differing;
  const bool alike = differing == 0 && comparison.unlike.empty();
  s.Say(Count(comparison.compared, "instruction"), " compared, ", alike ? std::string(comparison.compared == 1 ? "with the same value" : "all with the same values") : absl::StrCat(differing, differing == 1 ? " differs" : " differ"), ".\n");
  for (size_t k = 0; k < rows.size(); ++k) {
    const ArrayDifference& d = rows[k].difference;
    double relative = 0;
    if (d.worst >= 0) relative = Distance(d.worst_got, d.worst_expected) / std::abs(d.worst_expected.re);
    s.Say(k == 0 ? "first: %" : "  %", rows[k].name, ": ", ToText(d, rows[k].shape), "; largest absolute ", absl::StrCat(d.largest_absolute),
          d.worst >= 0 && IsFloat(d.worst_expected.type) && std::isfinite(relative) ? absl::StrCat(", relative ", relative) : "", "; worst ", absl::StrCat(d.worst_ulp), " ulp\n");
  }
  if (differing > static_cast<int64_t>(rows.size())) s.Say("  and more\n");
  if (!comparison.unlike.empty()) s.Say("Of other shapes: %", absl::StrJoin(comparison.unlike, ", %"), "\n");
}

// What one of them has not come to was not compared.
void SayNotCompared(const Session::State& s, const std::string& a, const Standing& at_a, const std::string& b, const Standing& at_b, size_t shared) {
  const bool same = at_a.levels.size() == at_b.levels.size() && shared == at_a.levels.size() && at_a.at == at_b.at;
  if (!same) s.Say("Compared is what both have executed: ", a, " stands ", at_a.text, ", ", b, " ", at_b.text, ". What only one of them has come to is not.\n");
}

absl::Status CompareTwo(Session::State& s, const std::string& a, const std::string& b, absl::string_view only, Comparison& comparison, std::function<void()>* notes) {
  if (absl::Status there = SwitchTo(s, b); !there.ok()) return there;
  const Standing at_b = StandingOf(s);
  if (absl::Status there = SwitchTo(s, a); !there.ok()) return there;
  const Standing at_a = StandingOf(s);
  const size_t shared = SharedFrames(at_a, at_b);
  std::vector<Compared> names;
  std::vector<int64_t> sizes;
  std::vector<std::string> shown;
  for (size_t depth = 0; depth < shared; ++depth) {
    const Frame& frame = s.machine->frames()[depth];
    for (const Instruction* i : frame.computation->schedule) {
      if (!only.empty() ? i->name != only : i->index >= frame.position) continue;
      names.push_back({static_cast<int>(depth), std::string(i->name)});
      sizes.push_back(i->shape.ByteSize());
      shown.push_back(depth == 0 ? names.back().name : absl::StrCat(names.back().name, " in ", frame.computation->name));
    }
  }
  constexpr int64_t kBatch = int64_t{256} << 20;  // bytes whose values wait for the other fork's
  for (size_t k = 0; k < names.size();) {
    size_t end = k;
    for (int64_t bytes = 0; end < names.size() && (end == k || bytes + sizes[end] <= kBatch); ++end) bytes += sizes[end];
    const absl::Span<const Compared> batch = absl::MakeSpan(names).subspan(k, end - k);
    if (absl::Status there = SwitchTo(s, a); !there.ok()) return there;
    const std::vector<Value> of_a = ValuesOf(s, batch);
    if (absl::Status there = SwitchTo(s, b); !there.ok()) return there;
    const std::vector<Value> of_b = ValuesOf(s, batch);
    for (size_t n = 0; n < batch.size(); ++n) comparison.Add(shown[k + n], of_a[n], of_b[n]);
    k = end;
  }
  if (!only.empty() && names.empty()) {
    // One of them stands in a frame that has it, and the other one has been there or not got there.
    for (const bool first : {true, false}) {
      const Standing &here = first ? at_a : at_b, &there = first ? at_b : at_a;
      const std::string &stands = first ? a : b, &other = first ? b : a;
      if (absl::Status status = SwitchTo(s, stands); !status.ok()) return status;
      for (size_t depth = here.levels.size(); depth-- > shared;) {
        const Value value = ValueIn(s, static_cast<int>(depth), only);
        if (!value.has_value()) continue;
        const std::string where = absl::StrCat(only, " in ", s.machine->frames()[depth].computation->name);
        if (here.module != there.module || there.levels.empty()) {
          return absl::FailedPreconditionError(absl::StrCat("%", only, ": ", stands, " stands ", here.text, ", and ", other, there.levels.empty() ? " is not running" : " runs another program and stands elsewhere"));
        }
        Mark mark = here.mark;
        mark.levels.resize(depth + 1);
        if (absl::Status status = SwitchTo(s, other); !status.ok()) return status;
        Value past;
        const absl::Status looked = LookAt(s, mark, [&] {
          past = ValueIn(s, static_cast<int>(depth), only);
          return absl::OkStatus();
        });
        if (!looked.ok()) return absl::FailedPreconditionError(absl::StrCat("%", only, ": ", stands, " stands ", here.text, "; ", other, " does not come there"));
        first ? comparison.Add(where, value, past) : comparison.Add(where, past, value);
        return absl::OkStatus();
      }
    }
    if (absl::Status status = SwitchTo(s, a); !status.ok()) return status;
    return absl::NotFoundError(absl::StrCat("no instruction '", only, "' that has been executed in a frame in which ", a, " or ", b, " stands"));
  }
  if (only.empty()) *notes = [&s, a, at_a, b, at_b, shared] { SayNotCompared(s, a, at_a, b, at_b, shared); };
  return absl::OkStatus();
}

absl::Status CompareTwo(Session::State& s, const std::string& a, const std::string& b, absl::string_view only) {
  const std::string home = s.Extension<Forks>().current;
  Comparison comparison;
  std::function<void()> notes;
  const absl::Status status = CompareTwo(s, a, b, only, comparison, &notes);
  const absl::Status back = SwitchTo(s, home);
  if (!status.ok()) return status;
  if (!back.ok()) return back;
  if (comparison.compared == 0) return absl::FailedPreconditionError(only.empty() ? std::string("nothing has been executed in both forks") : absl::StrCat("%", only, " has not been executed in both forks"));
  SayComparison(s, comparison);
  if (notes) notes();
  return absl::OkStatus();
}

}  // namespace

void PutAwayRun(Session::State& s) {
  Forks& forks = s.Extension<Forks>();
  Travel& travel = s.Extension<Travel>();
  const bool wanted = s.machine != nullptr && std::any_of(forks.others.begin(), forks.others.end(), [&](const auto& each) { return each.second.machine == s.machine.get(); });
  s.interrupt.store(nullptr);
  if (wanted) {
    DetachCatches(s);
    forks.runs.push_back({std::move(s.machine), std::move(travel.timeline)});
    return;
  }
  PresentMemory(s) = StopMemory();  // values of this run may be in it
  Ledger(s).Clear();
  travel.timeline.reset();
  s.machine.reset();
}

void FindAgain(Session::State& s, const Module& before) {
  s.element_callers.clear();
  s.element_callers_known = false;
  s.armed_callers.clear();
  s.list_first = s.list_last = 0;
  const auto again = [&](const Computation* old) -> const Computation* { return old == nullptr ? nullptr : s.module->FindComputation(old->name); };
  std::vector<std::string> lost;
  std::vector<std::unique_ptr<Breakpoint>> kept;
  for (std::unique_ptr<Breakpoint>& b : s.breakpoints) {
    std::vector<Location> found;
    const Computation* home = b->locations.empty() ? nullptr : again(b->locations[0].computation);
    bool ok = true;
    if (b->kind != Breakpoint::kWatch && !b->from_program && !b->spec.empty()) {
      absl::StatusOr<std::vector<Location>> resolved = ResolveLocations(*s.module, b->spec, home);
      if (resolved.ok()) found = *std::move(resolved);
    } else {
      for (const Location& location : b->locations) {
        const Computation* computation = again(location.computation);
        const Instruction* i = computation == nullptr ? nullptr : computation->FindInstruction(location.instruction().name);
        if (i != nullptr) found.push_back({computation, i->index});
        ok = ok && (i != nullptr || b->kind != Breakpoint::kWatch);
      }
    }
    if (b->kind == Breakpoint::kWatch) {
      ok = ok && (b->home == nullptr || again(b->home) != nullptr);
      b->home = again(b->home);
    }
    const size_t places = b->locations.size();
    b->locations = std::move(found);
    ok = ok && (!b->locations.empty() || places == 0);
    if (ok && b->kind == Breakpoint::kCatch) {
      ok = CheckCatchCondition(s, *b).ok();
    } else if (ok && b->kind != Breakpoint::kWatch) {
      b->after.clear();
      ok = CheckStopExpressions(s, *b, true).ok();
    }
    if (ok) {
      kept.push_back(std::move(b));
    } else {
      lost.push_back(absl::StrCat(b->kind == Breakpoint::kWatch ? "watch " : b->kind == Breakpoint::kLog ? "logpoint " : b->kind == Breakpoint::kCatch ? "catch " : "breakpoint ", b->number, " (",
                                  b->kind == Breakpoint::kCatch ? CatchText(*b) : b->spec.empty() ? b->expression : b->spec, ")"));
    }
  }
  s.breakpoints = std::move(kept);
  for (auto item = s.displays.begin(); item != s.displays.end();) {
    if (s.CheckExpression(item->expression).ok()) {
      ++item;
      continue;
    }
    lost.push_back(absl::StrCat("display ", item->number, " (", item->expression, ")"));
    item = s.displays.erase(item);
  }
  if (!lost.empty()) s.Say("Lost, because this program has no such place: ", absl::StrJoin(lost, ", "), "\n");
  CatchesOfNewProgram(s);
}

absl::Status CompareForks(Session::State& s, absl::string_view args) {
  std::vector<std::string> words = absl::StrSplit(args, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  Forks& forks = s.Extension<Forks>();
  if (words.size() == 1) words.push_back(forks.current);
  if (words.size() < 2 || words.size() > 3) return absl::InvalidArgumentError("two forks are compared, as: fork compare main other [%x]");
  for (size_t k = 0; k < 2; ++k) {
    if (words[k] != forks.current && !forks.others.contains(words[k])) return NoFork(s, forks, words[k]);
  }
  if (words[0] == words[1]) return absl::InvalidArgumentError("a fork is the same as itself; name another");
  return CompareTwo(s, words[0], words[1], words.size() == 3 ? absl::StripPrefix(words[2], "%") : absl::string_view());
}

absl::Status CommandFork(Session::State& s, absl::string_view args) {
  Forks& forks = s.Extension<Forks>();
  absl::string_view rest = args;
  if (TakeWord(rest) == "compare" && !absl::StripAsciiWhitespace(rest).empty()) return CompareForks(s, rest);
  std::string name(absl::StripAsciiWhitespace(args));
  for (int k = 1; name.empty(); ++k) {
    if (const std::string next = absl::StrCat("fork", k); next != forks.current && !forks.others.contains(next)) name = next;
  }
  if (!PlainName(name)) return absl::InvalidArgumentError("a fork's name is letters, digits, _, - and .");
  if (name == forks.current || forks.others.contains(name)) return absl::AlreadyExistsError(absl::StrCat("there is a fork '", name, "' already; switch ", name, " goes there"));
  absl::StatusOr<Fork> present = Present(s);
  if (!present.ok()) return present.status();
  s.Say("Fork ", name, " goes on from here; ", forks.current, " stays as it is (switch ", forks.current, ").\n");
  const std::string made = absl::StrCat("from ", forks.current);
  forks.others[forks.current] = *std::move(present);
  forks.current = name;
  forks.current_made = made;
  return absl::OkStatus();
}

absl::Status CommandSwitch(Session::State& s, absl::string_view args) {
  Forks& forks = s.Extension<Forks>();
  const std::string name(absl::StripAsciiWhitespace(args));
  if (name.empty()) return absl::InvalidArgumentError("switch takes a fork's name; info forks lists them");
  if (name == forks.current) return absl::FailedPreconditionError(absl::StrCat("this is ", name, " already"));
  if (absl::Status status = SwitchTo(s, name); !status.ok()) return status;
  s.Say("This is ", name, " now.\n");
  if (s.machine == nullptr) {
    s.Say("The program is not running here.\n");
  } else {
    if (!s.machine->finished()) s.Say(s.DescribeFrame(s.selected), "\n");
    s.ShowStop(s.machine->finished() ? StopReason::kFinished : StopReason::kStep);
  }
  return absl::OkStatus();
}

absl::Status InfoForks(Session::State& s, absl::string_view args) {
  Forks& forks = s.Extension<Forks>();
  std::map<std::string, std::string> lines;
  for (const auto& [name, fork] : forks.others) lines[name] = absl::StrCat("  ", name, ": ", PlaceText(fork), fork.made.empty() ? "" : absl::StrCat(" (", fork.made, ")"));
  lines[forks.current] = absl::StrCat("* ", forks.current, ": ", s.visible() ? s.DescribeFrame(static_cast<int>(s.machine->frames().size()) - 1) : std::string("not running"),
                                      forks.current_made.empty() ? "" : absl::StrCat(" (", forks.current_made, ")"));
  for (const auto& [name, line] : lines) s.Say(line, "\n");
  return absl::OkStatus();
}

}  // namespace hloscope
