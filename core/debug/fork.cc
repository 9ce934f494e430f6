// Forks: fork, switch, info forks. Two of them are compared in compare_forks.cc.
#include "core/debug/fork.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/catch_commands.h"
#include "core/debug/known_values.h"
#include "core/debug/renames.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/text/mlir/mlir.h"

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

// Of the selected device.
absl::StatusOr<ForkRun> PresentRun(Session::State& s) {
  Travel& travel = s.Extension<Travel>();
  ForkRun run;
  run.error_stop = s.error_stop;
  run.error_expected = s.error_expected;
  run.unjudged = s.unjudged;
  run.stuck = s.stuck;
  run.waiting_at = s.waiting_at;
  run.stuck_before = s.Extension<StuckBefore>().mark;
  run.bookmarks = travel.bookmarks;
  run.memory = PresentMemory(s);
  run.ledger = Ledger(s);
  run.logged = StopsOfRun(s).logged;
  if (s.visible() && travel.timeline != nullptr) {
    absl::StatusOr<Timeline::Branch> branch = travel.timeline->Save();
    if (!branch.ok()) return branch.status();
    run.machine = s.machine.get();
    run.branch = *std::move(branch);
  }
  return run;
}

// The present, to come back to.
absl::StatusOr<Fork> Present(Session::State& s) {
  Fork fork;
  fork.module = s.module.get();
  fork.made = s.Extension<Forks>().current_made;
  absl::Status status;
  ForEachRun(s, [&](int) {
    if (!status.ok()) return;
    absl::StatusOr<ForkRun> run = PresentRun(s);
    if (run.ok()) fork.runs.push_back(*std::move(run));
    else status = Several(s) ? absl::Status(run.status().code(), absl::StrCat(SelectedName(s), ": ", run.status().message())) : run.status();
  });
  if (!status.ok()) return status;
  if (!Several(s)) {
    fork.inputs = s.inputs.get();
    return fork;
  }
  Devices& all = DevicesOf(s);
  fork.device_modules = all.modules;
  fork.device_inputs = all.inputs.get();
  fork.room = all.room.get();
  if (all.room != nullptr) fork.exchanged = all.room->Save();
  fork.selected = all.prefix_of.value_or(all.selected);
  fork.held = all.held;
  return fork;
}

// The selected device's run is that one now. True: its machine is another one.
bool EnterRun(Session::State& s, const ForkRun& run) {
  Forks& forks = s.Extension<Forks>();
  Travel& travel = s.Extension<Travel>();
  s.interrupt.store(nullptr);
  const bool changed = s.machine.get() != run.machine;
  if (changed) {
    PutAwayRun(s);
    const auto at = std::find_if(forks.runs.begin(), forks.runs.end(), [&](const Forks::Run& each) { return each.machine.get() == run.machine; });
    if (run.machine != nullptr && at != forks.runs.end()) {
      s.machine = std::move(at->machine);
      travel.timeline = std::move(at->timeline);
      forks.runs.erase(at);
    }
  }
  if (Several(s)) ForgetKnownValues(s);  // what others gave may be other values in each fork
  if (s.machine != nullptr) {
    travel.timeline->Load(*run.branch, !Several(s));
    s.interrupt.store(&s.machine->interrupt());
  }
  travel.bookmarks = run.bookmarks;
  PresentMemory(s) = run.memory;
  Ledger(s) = run.ledger;
  StopsOfRun(s).logged = run.logged;
  SealLogs(s);
  s.error_stop = run.error_stop;
  s.error_expected = run.error_expected;
  s.unjudged = run.unjudged;
  s.stuck = run.stuck;
  s.waiting_at = run.waiting_at;
  s.Extension<StuckBefore>().mark = run.stuck_before;
  s.selected = s.machine == nullptr ? 0 : std::max<int>(0, static_cast<int>(s.machine->frames().size()) - 1);
  return changed;
}

// Where several devices exchange, and what they have.
void EnterRoom(Session::State& s, const Fork& fork) {
  Forks& forks = s.Extension<Forks>();
  Devices& all = DevicesOf(s);
  SwapIn(all.inputs, forks.device_inputs, fork.device_inputs);
  SwapIn(all.room, forks.rooms, fork.room);
  if (all.room != nullptr) all.room->Load(*fork.exchanged);
  if (all.runs.empty()) all.selected = fork.selected;
  else SwapTo(s, fork.selected);
  if (fork.room == nullptr) all.runs.clear();  // as before the first run
  all.held = fork.held;
  all.waits.assign(all.runs.size(), false);
}

void Enter(Session::State& s, const Fork& fork) {
  Forks& forks = s.Extension<Forks>();
  const Module* before = s.module.get();
  const bool several = Several(s);
  const std::vector<std::shared_ptr<Module>> modules_before = DevicesOf(s).modules;
  if (several) {
    Devices& all = DevicesOf(s);
    if (fork.runs.size() > all.runs.size()) all.runs.resize(fork.runs.size());
  }
  const ForkRun none;
  std::vector<int> changed;
  ForEachRun(s, [&](int d) {
    const size_t k = several ? static_cast<size_t>(d) : 0;
    const bool there = k < fork.runs.size() && (!several || fork.room != nullptr);
    if (EnterRun(s, there ? fork.runs[k] : none)) changed.push_back(d);
  });
  if (several) {
    EnterRoom(s, fork);
    SetProgram(s, fork.device_modules);
    ForEachRun(s, [&](int d) { s.inputs = DevicesOf(s).inputs != nullptr ? DevicesOf(s).inputs->of(d) : nullptr; });
  } else {
    SwapIn(s.module, forks.modules, fork.module);
    SwapIn(s.inputs, forks.inputs, fork.inputs);
  }
  const int selected = DevicesOf(s).selected;
  const bool another = several ? modules_before != fork.device_modules : before != s.module.get();
  if (another) FindAgain(s, several ? *modules_before[selected] : *before);
  ForEachRun(s, [&](int d) {
    const bool found_again = another && d == selected;
    if (!found_again && (another || std::find(changed.begin(), changed.end(), d) != changed.end())) CatchesOfNewProgram(s);
  });
  s.ArmAll();
}

std::string PlaceText(const Module& module, const ForkRun& run) {
  if (run.machine == nullptr) return "not running";
  const Mark& mark = Machine::MarkOf(*run.branch->present);
  const int position = mark.levels[0].position, size = static_cast<int>(module.entry->schedule.size());
  return position >= size ? std::string("at its end") : absl::StrCat("at ", ShownName(*module.entry->schedule[position]), mark.levels.size() > 1 ? " (inside)" : "");
}

// Where each of several devices stands.
std::string PlacesText(const Session::State& s, const std::vector<std::string>& places) {
  if (places.size() == 1) return places[0];
  if (std::all_of(places.begin(), places.end(), [&](const std::string& each) { return each == places[0]; })) {
    return absl::StrCat("all ", places.size(), " devices ", places[0] == "at its end" ? "at their end" : places[0]);
  }
  std::vector<std::string> texts;
  for (size_t k = 0; k < places.size(); ++k) texts.push_back(absl::StrCat(s.options.devices.Name(static_cast<int>(k)), " ", places[k]));
  return absl::StrJoin(texts, "; ");
}

bool IsStableHlo(const Module& module) { return module.source != nullptr && mlir::LooksLikeMlir(module.source->text()); }

// What a stop says of names that have changed; `home`: of the program before. Whether that was anything.
bool Follow(const Renames& renames, const Module& before, const Computation* home, Breakpoint& b) {
  bool changed = false;
  const auto rewrite = [&](std::string& text, bool place) {
    std::string now = renames.Rewritten(text, home, place);
    changed |= now != text;
    text = std::move(now);
  };
  if (!b.elsewhere && !TextLineOf(before, b.spec).has_value()) rewrite(b.spec, true);
  for (std::string* text : {&b.condition, &b.expression, &b.text}) rewrite(*text, false);
  for (Breakpoint::Command& command : b.commands) rewrite(command.text, false);
  return changed;
}

std::string TextOf(const Breakpoint& b) {
  const absl::string_view kind = b.kind == Breakpoint::kWatch   ? "watch "
                                 : b.kind == Breakpoint::kLog   ? "logpoint "
                                 : b.kind == Breakpoint::kCatch ? "catch "
                                                                : "breakpoint ";
  return absl::StrCat(kind, b.number, " (", b.kind == Breakpoint::kCatch ? CatchText(b) : b.spec.empty() ? b.expression : b.shown_spec(), ")");
}

std::vector<Location> Mapped(const Renames& renames, const std::vector<Location>& places, std::vector<Location>* lost) {
  std::vector<Location> now;
  for (const Location& place : places) {
    const Instruction* i = renames.Now(place.instruction());
    if (i != nullptr) now.push_back({i->parent, i->index});
    else lost->push_back(place);
  }
  return now;
}

std::vector<Location> InOrder(std::vector<Location> places) {
  const auto order = [](const Location& each) { return std::pair(each.computation->id, each.position); };
  std::sort(places.begin(), places.end(), [&](const Location& a, const Location& b) { return order(a) < order(b); });
  return places;
}

// Where a stop is in the session's program. What names a line of the text, or means something else in the text of another language, stays
// with the instructions that it named (`elsewhere` then, if it names others now). `lost`: what is gone of the places.
std::vector<Location> PlacesNow(const Session::State& s, const Module& before, const Renames& renames, Breakpoint& b, std::vector<Location>* lost) {
  std::vector<Location> same = Mapped(renames, b.locations, lost);
  if (b.kind == Breakpoint::kWatch || b.from_program || b.spec.empty()) return same;
  const Computation* home = b.locations.empty() ? nullptr : b.locations[0].computation;
  absl::StatusOr<std::vector<Location>> named = ResolveLocations(*s.module, b.spec, home == nullptr ? nullptr : renames.Now(*home));
  const bool line = TextLineOf(before, b.spec).has_value();
  if (!b.elsewhere && !line && IsStableHlo(before) == IsStableHlo(*s.module)) {
    lost->clear();
    return named.ok() ? *std::move(named) : std::vector<Location>();
  }
  std::vector<Location> meant = same;  // all of them: where a condition makes no sense there is no stop
  if (!b.elsewhere) {
    const absl::StatusOr<std::vector<Location>> were = ResolveLocations(before, b.spec, home);
    std::vector<Location> unneeded;
    if (were.ok()) meant = Mapped(renames, *were, &unneeded);
    for (size_t k = 0; named.ok() && !line && k < named->size(); ++k) {
      const Location& place = (*named)[k];
      if (renames.Before(place.instruction()) != nullptr) continue;
      same.push_back(place);  // that the program did not have
      meant.push_back(place);
    }
  }
  b.elsewhere = !named.ok() || InOrder(*std::move(named)) != InOrder(meant);
  return InOrder(std::move(same));
}

// "%l in body, h.hlo:14 and 2 other places"
std::string TextOf(const Module& module, const std::vector<Location>& places) {
  return absl::StrCat(Describe(module, places[0]), places.size() > 1 ? absl::StrCat(" and ", Count(static_cast<int64_t>(places.size()) - 1, "other place")) : "");
}

bool PlainName(absl::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.'; });
}

}  // namespace

absl::Status NoFork(Forks& forks, absl::string_view name) {
  std::vector<std::string> names = {forks.current};
  for (const auto& [other, fork] : forks.others) names.push_back(other);
  return absl::NotFoundError(absl::StrCat("there is no fork '", name, "'; there are ", absl::StrJoin(names, ", ")));
}

absl::Status SwitchTo(Session::State& s, const std::string& name) {
  Forks& forks = s.Extension<Forks>();
  if (name == forks.current) return absl::OkStatus();
  const auto at = forks.others.find(name);
  if (at == forks.others.end()) return NoFork(forks, name);
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

void PutAwayRun(Session::State& s) {
  Forks& forks = s.Extension<Forks>();
  Travel& travel = s.Extension<Travel>();
  const auto has_it = [&](const ForkRun& run) { return run.machine == s.machine.get(); };
  const bool wanted = s.machine != nullptr && std::any_of(forks.others.begin(), forks.others.end(), [&](const auto& each) {
                        return std::any_of(each.second.runs.begin(), each.second.runs.end(), has_it);
                      });
  s.interrupt.store(nullptr);
  StopsOfRun(s).around.clear();  // computations of this run's program
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

void PutAwayRoom(Session::State& s) {
  Forks& forks = s.Extension<Forks>();
  Devices& all = DevicesOf(s);
  const auto wanted = [&forks](auto Fork::*what, const void* present) {
    return present != nullptr && std::any_of(forks.others.begin(), forks.others.end(), [&](const auto& each) { return each.second.*what == present; });
  };
  if (wanted(&Fork::room, all.room.get())) forks.rooms.push_back(std::move(all.room));
  if (wanted(&Fork::device_inputs, all.inputs.get())) forks.device_inputs.push_back(std::move(all.inputs));
  all.room.reset();
  all.inputs.reset();
}

void FindAgain(Session::State& s, const Module& before) {
  s.armed_callers.clear();
  s.list_first = s.list_last = 0;
  const Renames renames(before, *s.module);
  const auto again = [&](const Computation* old) -> const Computation* { return old == nullptr ? nullptr : renames.Now(*old); };
  std::vector<std::string> lost, followed, elsewhere;
  std::vector<std::unique_ptr<Breakpoint>> kept;
  for (std::unique_ptr<Breakpoint>& b : s.breakpoints) {
    const Computation* was = b->kind == Breakpoint::kWatch ? b->home : b->locations.empty() ? nullptr : b->locations[0].computation;
    const bool follows = Follow(renames, before, was, *b), stood_elsewhere = b->elsewhere;
    std::vector<Location> gone;
    std::vector<Location> found = PlacesNow(s, before, renames, *b, &gone);
    bool ok = gone.empty() || b->kind != Breakpoint::kWatch;
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
      if (follows) followed.push_back(TextOf(*b));
      if (!gone.empty() && !b->from_program) lost.push_back(absl::StrCat(TextOf(*b), " at ", TextOf(before, gone)));
      if (b->elsewhere && !stood_elsewhere) elsewhere.push_back(absl::StrCat(TextOf(*b), " at ", TextOf(*s.module, b->locations)));
      kept.push_back(std::move(b));
    } else {
      lost.push_back(TextOf(*b));
    }
  }
  s.breakpoints = std::move(kept);
  for (auto item = s.displays.begin(); item != s.displays.end();) {
    if (std::string now = renames.Rewritten(item->expression, before.entry); now != item->expression) {
      item->expression = std::move(now);
      followed.push_back(absl::StrCat("display ", item->number, " (", item->expression, ")"));
    }
    if (s.CheckExpression(item->expression).ok()) {
      ++item;
      continue;
    }
    lost.push_back(absl::StrCat("display ", item->number, " (", item->expression, ")"));
    item = s.displays.erase(item);
  }
  if (!followed.empty()) s.Say("With its new name: ", absl::StrJoin(followed, ", "), "\n");
  if (!elsewhere.empty()) s.Say("Still where they were, though the text is another: ", absl::StrJoin(elsewhere, "; "), "\n");
  if (!lost.empty()) s.Say("Lost, because this program has no such place: ", absl::StrJoin(lost, ", "), "\n");
  CatchesOfNewProgram(s);
}

absl::Status CommandFork(Session::State& s, absl::string_view args) {
  Forks& forks = s.Extension<Forks>();
  absl::string_view rest = args;
  if (TakeWord(rest) == "compare") return CompareForks(s, rest);
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
    SaySwitched(s);
    if (!s.machine->finished()) s.Say(s.DescribeFrame(s.selected), "\n");
    s.ShowStop(s.machine->finished() ? StopReason::kFinished : StopReason::kStep);
  }
  return absl::OkStatus();
}

absl::Status InfoForks(Session::State& s, absl::string_view args) {
  Forks& forks = s.Extension<Forks>();
  std::map<std::string, std::string> lines;
  const auto line = [&s](absl::string_view mark, absl::string_view name, const std::vector<std::string>& places, const std::string& made) {
    return absl::StrCat(mark, name, ": ", PlacesText(s, places), made.empty() ? "" : absl::StrCat(" (", made, ")"));
  };
  for (const auto& [name, fork] : forks.others) {
    std::vector<std::string> places;
    for (size_t d = 0; d < fork.runs.size(); ++d) places.push_back(PlaceText(d < fork.device_modules.size() ? *fork.device_modules[d] : *fork.module, fork.runs[d]));
    lines[name] = line("  ", name, places, fork.made);
  }
  std::vector<std::string> places;
  ForEachRun(s, [&](int) {
    const std::string at = Several(s) ? "at " : "";
    places.push_back(s.visible() ? absl::StrCat(at, s.DescribeFrame(static_cast<int>(s.machine->frames().size()) - 1)) : std::string("not running"));
  });
  lines[forks.current] = line("* ", forks.current, places, forks.current_made);
  for (const auto& [name, line] : lines) s.Say(line, "\n");
  return absl::OkStatus();
}

}  // namespace hloscope
