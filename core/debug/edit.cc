// edit: the session gets another program, and a run of it goes on from where the change first matters. What the edited program computes as
// the old one did, from the same inputs, is handed over to the new machine. Making the edited program is edit_text.cc's.
#include <algorithm>
#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/begin.h"
#include "core/debug/catch_commands.h"
#include "core/debug/devices.h"
#include "core/debug/edit_inside.h"
#include "core/debug/edit_sets.h"
#include "core/debug/edit_text.h"
#include "core/debug/file_words.h"
#include "core/debug/fork.h"
#include "core/debug/hand_sets.h"
#include "core/debug/known_values.h"
#include "core/debug/renames.h"
#include "core/debug/stablehlo_origin.h"
#include "core/debug/stop_walk.h"
#include "core/debug/text_util.h"
#include "core/debug/unchanged.h"
#include "core/debug/whatif_set.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/text/hlo_text.h"
#include "core/text/mlir/mlir.h"

namespace hloscope {
namespace {

// The parameters are the same in number and shape.
bool SameParameters(const Module& a, const Module& b) {
  const std::vector<Instruction*>&x = a.entry->parameters, &y = b.entry->parameters;
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Instruction* p, const Instruction* q) { return p->shape.ToString(true) == q->shape.ToString(true); });
}

// What the run so far has to give to a run of the edited program.
struct Inheritance {
  std::vector<Machine::Known> known;     // by position in the new entry
  std::vector<Value> parameters;         // held ones, by number
  std::vector<int> old_position;         // by position in the new entry; -1: changed, or not executed yet
  std::vector<bool> executes;            // by position in the new entry: not handed over all the same, as something is set in it
  int64_t kept = 0, executed = 0;        // instructions, parameters left out
  int first = 0;                         // the new position where the change first matters
  bool here = false;                     // what leads to where the program stands has not changed: `first` is what is being executed there
};

absl::StatusOr<Inheritance> Inherit(Session::State& s, const Module& next, const std::vector<PlacedSet>& sets) {
  Inheritance result;
  const Frame& frame = s.machine->frames()[0];
  const std::vector<Instruction*>& schedule = next.entry->schedule;
  const int old_size = static_cast<int>(frame.computation->schedule.size());
  result.known.resize(schedule.size());
  result.parameters.resize(next.entry->parameters.size());
  // Also what the run before has to hand over, and has not come to.
  const std::vector<Machine::Known>& waiting = s.machine->waiting();
  const auto waits = [&](int p) { return p >= frame.position && p < static_cast<int>(waiting.size()) && waiting[p].known; };
  std::vector<bool> executed(old_size, false);
  for (int p = 0; p < old_size; ++p) {
    const bool parameter = frame.computation->schedule[p]->parameter_number >= 0;
    executed[p] = p < frame.position || parameter || waits(p);
    if (executed[p] && !parameter) ++result.executed;
  }
  result.old_position = UnchangedInstructions(*s.module, next, executed);
  KeepWithSets(*s.module, next, sets, &result.old_position, &result.executes);
  const auto present = std::find(result.old_position.begin(), result.old_position.end(), frame.position);
  const int present_now = present != result.old_position.end() ? static_cast<int>(present - result.old_position.begin()) : -1;
  for (size_t p = 0; p < schedule.size(); ++p) {
    int& old = result.old_position[p];
    if (old >= 0 && !executed[old]) old = -1;
    if (old < 0) continue;
    if (schedule[p]->parameter_number >= 0) {
      if (!result.executes[p]) result.parameters[schedule[p]->parameter_number] = frame.values[old];
      continue;
    }
    if (!result.executes[p]) result.known[p] = {true, waits(old) ? waiting[old].value : frame.values[old]};
    ++result.kept;
  }
  while (result.first < static_cast<int>(schedule.size()) && result.old_position[result.first] >= 0) ++result.first;
  result.here = result.first == present_now && !s.error_stop;
  return result;
}

// A machine over `next`, begun, with what is inherited. Nothing of the session has changed if it fails.
absl::StatusOr<std::unique_ptr<Machine>> NewRun(Session::State& s, const Module& next, const ProgramInputs& inputs, Inheritance& inheritance) {
  for (size_t p = 0; p < inheritance.known.size(); ++p) {
    Value& value = inheritance.known[p].value;
    if (value.has_value()) value = ToLayout(value, next.entry->schedule[p]->shape, nullptr);
  }
  auto machine = std::make_unique<Machine>(next, *s.backend, OptionsOfRun(s));
  Machine* m = machine.get();
  const absl::Status started = machine->Start([held = std::move(inheritance.parameters), from = &inputs, m](int number) -> absl::StatusOr<Value> {
    return held[number].has_value() ? absl::StatusOr<Value>(held[number]) : from->Parameter(number, &m->account());
  });
  if (!started.ok()) return started;
  if (absl::Status status = machine->Adopt(std::move(inheritance.known)); !status.ok()) return status;
  return machine;
}

// In the run of the edited program, which has begun; and says so. `before`: the program before.
void SetAllAgain(Session::State& s, const Module& before, std::vector<PlacedSet> sets) {
  std::vector<std::string> again, gone, redefined;
  std::stable_sort(sets.begin(), sets.end(), [](const PlacedSet& a, const PlacedSet& b) { return b.now.has_value() && (!a.now.has_value() || a.now->mark < b.now->mark); });
  for (const PlacedSet& set : sets) {
    const bool there = set.now.has_value() && s.Extension<Travel>().timeline->Seek(set.now->mark) == StopReason::kStep && SetAgain(s, *set.now, true).ok();
    std::string text = there ? SetText(*s.module, *set.now) : SetText(before, set.was);
    if (const Instruction* next = there ? s.machine->next_instruction() : nullptr) absl::StrAppend(&text, " (before ", ShownName(*next), ")");
    (there ? again : set.redefined ? redefined : gone).push_back(std::move(text));
  }
  if (!again.empty()) s.Say("Set by hand as before: ", absl::StrJoin(again, "; "), "\n");
  if (!redefined.empty()) s.Say("No longer set by hand, as the edit changes what makes it: ", absl::StrJoin(redefined, "; "), "\n");
  if (!gone.empty()) s.Say("What was set by hand is gone, the edited program has no such value or moment: ", absl::StrJoin(gone, "; "), "\n");
}

absl::Status TakeProgram(Session::State& s, std::unique_ptr<Module> next) {
  Forks& forks = s.Extension<Forks>();
  const bool same_parameters = SameParameters(*s.module, *next);
  std::unique_ptr<ProgramInputs> inputs;
  if (!same_parameters || s.inputs == nullptr) {
    absl::StatusOr<std::unique_ptr<ProgramInputs>> opened = ProgramInputs::Open(*next, s.options);
    if (!opened.ok()) return opened.status();
    inputs = *std::move(opened);
  }
  std::optional<Inheritance> inheritance;
  std::unique_ptr<Machine> machine;
  std::vector<PlacedSet> sets;
  SharedPart shared;  // inside of what has changed first
  if (s.visible()) {
    const Renames renames(*s.module, *next);
    for (const HandSet& set : AllSets(s)) sets.push_back(PlaceSet(*s.module, *next, renames, set));
    absl::StatusOr<Inheritance> made = Inheritance();
    if (same_parameters) made = Inherit(s, *next, sets);
    if (!made.ok()) return made.status();
    inheritance = *std::move(made);
    inheritance->known.resize(next->entry->schedule.size());
    inheritance->parameters.resize(next->entry->parameters.size());
    inheritance->old_position.resize(next->entry->schedule.size(), -1);
    absl::StatusOr<std::unique_ptr<Machine>> begun = NewRun(s, *next, inputs != nullptr ? *inputs : *s.inputs, *inheritance);
    if (!begun.ok()) return begun.status();
    machine = *std::move(begun);
    if (same_parameters && !inheritance->here) {
      absl::StatusOr<SharedPart> found = FindSharedPart(s, *next, *machine, inheritance->first);
      if (!found.ok()) return found.status();
      shared = *std::move(found);
    }
  }
  const bool was_finished = s.machine != nullptr && s.machine->finished();
  const std::map<std::string, Mark> bookmarks = s.Extension<Travel>().bookmarks;
  // What stops remember of the part that stays goes on in the new run.
  (void)KnowCounts(s, Need::kGoOn);
  StopMemory kept;
  std::optional<Mark> present;  // in the new run, where all that leads there is as it was
  if (s.visible() && same_parameters) {
    Mark first = s.machine->Where();
    if (inheritance->here) {
      present = first;
      present->levels[0].position = inheritance->first;
    } else if (!shared.moments.empty()) {
      present = first = shared.stand;
    } else {
      first.levels.assign(1, {FrameKind::kEntry, 0, -1, std::min(inheritance->first, s.machine->frames()[0].position)});
    }
    if (first == s.machine->Where()) {
      kept = PresentMemory(s);
    } else {
      const Computation* there = ComputationAt(*s.module, first);
      (void)MemoryAt(s, first, there != nullptr ? *there : *s.module->entry, &kept);
    }
  }
  std::map<int, LoggedMoments> logged = std::move(StopsOfRun(s).logged);
  SpendRules(s);
  PutAwayRun(s);
  const Module& before = *s.module;
  forks.modules.push_back(std::move(s.module));
  s.module = std::move(next);
  const auto is_stablehlo = [](const Module& module) { return module.source != nullptr && mlir::LooksLikeMlir(module.source->text()); };
  if (is_stablehlo(before) && !is_stablehlo(*s.module) && s.module->source != nullptr) {
    s.Say("From here on the program is its HLO, named ", s.module->source->name(), " (no file is written): places are lines of that, and list text shows them.\n");
  }
  if (inputs != nullptr) {
    if (s.inputs != nullptr) forks.inputs.push_back(std::move(s.inputs));
    s.inputs = std::move(inputs);
  }
  s.machine = std::move(machine);
  ForgetKnownValues(s);
  s.error_stop = false;
  s.elided_said = true;
  s.selected = 0;
  FindAgain(s, before);
  if (s.machine == nullptr) {
    s.ArmAll();
    s.Say("The program is edited; run begins it.\n");
    return absl::OkStatus();
  }
  s.interrupt.store(&s.machine->interrupt());
  s.Extension<Travel>().bookmarks.clear();
  BeginHistory(s);
  for (SharedMoment& moment : shared.moments) s.Extension<Travel>().timeline->Take(std::move(moment.snapshot), moment.seconds);
  s.ArmAll();
  SayLostBookmarks(s, KeepBookmarks(s, before, Renames(before, *s.module), bookmarks));
  if (!same_parameters) {
    s.Say("The parameters are others: the program begins anew.\n");
  }
  const int size = static_cast<int>(s.module->entry->schedule.size());
  const int64_t parameters = static_cast<int64_t>(s.module->entry->parameters.size());
  s.Say(Count(inheritance->kept, "instruction"), inheritance->kept == 1 ? " keeps its value, " : " keep their values, ", size - parameters - inheritance->kept, " of ", s.module->entry->name,
        inheritance->executed > 0 ? " are (again) to be run" : " are to be run",
        shared.moments.empty() ? "" : absl::StrCat(", ", ShownName(*s.module->entry->schedule[inheritance->first]), shared.stand.levels[0].position > inheritance->first ? " up to here as before" : " from here on"), ".\n");
  if (!shared.why_not.empty()) s.Say(ShownName(*s.module->entry->schedule[inheritance->first]), " is run from its beginning, also before the edit first matters: ", shared.why_not, ".\n");
  SetAllAgain(s, before, std::move(sets));
  StopReason reason = StopReason::kStep;
  if (inheritance->first >= size && was_finished) {
    // Over what was set; where the program stands now may not be on its way.
    (void)s.Extension<Travel>().timeline->Seek(s.Extension<Travel>().timeline->moments().back().mark);
    s.machine->DisarmAll();
    reason = s.machine->Run();
    s.ArmAll();
  } else {
    Mark mark;
    mark.levels.push_back({FrameKind::kEntry, 0, -1, same_parameters ? inheritance->first : 0});
    if (present.has_value()) mark = *present;
    reason = s.Extension<Travel>().timeline->Seek(mark);
  }
  for (const auto& b : s.breakpoints) {
    const auto counts = kept.counts.find(b->number);
    if (counts == kept.counts.end()) continue;
    PresentMemory(s).counts[b->number] = {.reached = counts->second.reached, .hits = counts->second.hits};
    Redefined(s, *b);
  }
  // What leads here is as it was, and has been written; so is what comes later, up to where the edit first matters.
  if (shared.moments.empty()) logged.clear();
  for (auto& [number, moments] : logged) moments.DropAfter(shared.matters);
  StopsOfRun(s).logged = std::move(logged);
  SealLogs(s);
  NoteLogged(s, {Mark(), false}, true);
  s.ShowStop(reason);
  return absl::OkStatus();
}

// Which one a name without a computation means must be clear: the one in a frame that is looked at, or the only one.
absl::Status NeedOne(const Session::State& s, absl::string_view name, const Instruction& found, const Module* origin) {
  const Computation* home = found.parent;
  bool seen = home == s.module->entry && !s.visible();
  for (int depth = s.visible() ? s.selected : -1; depth >= 0 && !seen; --depth) seen = s.machine->frames()[depth].computation == home;
  if (seen || absl::StrContains(name, ':')) return absl::OkStatus();
  const std::vector<const Instruction*> copies = CopiesOf(*s.module, found, origin);
  std::vector<std::string> all;
  for (const Computation* computation : s.module->computations) {
    const Instruction* other = computation->FindInstruction(absl::StripPrefix(name, "%"));
    if (other != nullptr && std::find(copies.begin(), copies.end(), other) == copies.end()) all.push_back(absl::StrCat(computation->name, ":", other->name));
  }
  if (all.size() < 2) return absl::OkStatus();
  constexpr size_t kMost = 8;
  if (all.size() > kMost) all.resize(kMost);
  return absl::InvalidArgumentError(absl::StrCat("there is more than one ", name, "; say which: edit ", absl::StrJoin(all, " or ")));
}

}  // namespace

absl::Status CommandEdit(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  constexpr char kUsage[] = "edit takes %c = VALUE (or FILE.npy) for a constant, %x ATTRIBUTE=VALUE, or a file with the edited program";
  if (args.empty()) return absl::InvalidArgumentError(kUsage);
  std::error_code unknown;
  const bool quoted = absl::StartsWith(args, "\""), file = quoted || (!absl::StartsWith(args, "%") && (args.find_first_of(" \t=") == absl::string_view::npos || std::filesystem::exists(std::string(args), unknown)));
  const size_t end = std::min(args.find_first_of(" \t="), args.size());
  const absl::string_view name = args.substr(0, end);
  absl::string_view rest = absl::StripAsciiWhitespace(args.substr(end));
  absl::StatusOr<std::unique_ptr<Module>> next;
  const std::shared_ptr<StableHloOrigin> kept = OriginOf(s);
  const Module* origin = StableHloBefore(s);
  if (file) {
    const absl::StatusOr<std::string> path = WholeFile(args);
    if (!path.ok()) return path.status();
    next = ReadEdited(*s.module, *path);
  } else {
    const absl::StatusOr<const Instruction*> found = s.FindInstruction(name);
    if (!found.ok()) return found.status();
    const Instruction& instruction = **found;
    if (absl::Status one = NeedOne(s, name, instruction, origin); !one.ok()) return one;
    if (absl::ConsumePrefix(&rest, "=")) {
      rest = absl::StripAsciiWhitespace(rest);
      if (rest.empty()) return absl::InvalidArgumentError(kUsage);
      if (NamesArrayFile(rest) && instruction.literal != nullptr) {
        const absl::StatusOr<Value> value = ReadArrayFile(rest, instruction.shape);
        if (!value.ok()) return value.status();
        constexpr int64_t kMostSizes = 1024;  // a larger one is no list of sizes
        if (value->element_count() <= kMostSizes) {
          if (absl::Status alone = NeedValueAlone(origin, instruction, PrintLiteral(*value)); !alone.ok()) return alone;
        }
        next = WithConstant(*s.module, instruction, *value, origin);
      } else {
        if (absl::Status alone = NeedValueAlone(origin, instruction, rest); !alone.ok()) return alone;
        next = WithConstantText(*s.module, instruction, rest, origin);
      }
    } else {
      const size_t equals = rest.find('=');
      if (equals == absl::string_view::npos || equals == 0) return absl::InvalidArgumentError(kUsage);
      next = WithAttribute(*s.module, instruction, rest);
    }
  }
  if (!next.ok()) return next.status();
  if (Several(s)) return EditTogether(s, *std::move(next));
  if (s.visible()) {
    if (absl::Status outside = OutsideElements(*s.machine); !outside.ok()) return outside;
  }
  if (absl::Status taken = TakeProgram(s, *std::move(next)); !taken.ok()) return taken;
  if (!file && kept != nullptr) KeepOrigin(s, kept);
  return absl::OkStatus();
}

}  // namespace hloscope
