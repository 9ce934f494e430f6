// Writing a run down; see the header. An array is written as soon as it is made, so memory holds what the program itself holds.
#include "core/debug/record.h"

#include <cmath>
#include <cstdio>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/debug/interruption.h"
#include "core/debug/locations.h"
#include "core/debug/record_sources.h"
#include "core/debug/single_step.h"
#include "core/debug/text_util.h"
#include "core/exec/error_place.h"
#include "core/ir/opcode.h"
#include "core/literal/format.h"
#include "core/literal/npy.h"
#include "core/ops/exchange_def.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr absl::string_view kResultPlace = "$result";  // of the program's result, whatever makes it: no instruction has that name
constexpr size_t kKept = 100, kMostKept = 1000;  // divergences; beyond the first those that are own

absl::Status Visit(const Machine& machine, const Instruction& instruction, const std::string& place, const Value& value, const WatchedRun::Visitor& visit) {
  if (value.shape().IsTuple()) {
    for (size_t k = 0; k < value.elements().size(); ++k) {
      const absl::Status status = Visit(machine, instruction, absl::StrCat(place, "{", k, "}"), value.elements()[k], visit);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  return value.shape().IsArray() ? visit(machine, instruction, place, value) : absl::OkStatus();
}

// The constants of a computation and of what its instructions call for single elements, each computation once.
absl::Status VisitConstants(const Machine& machine, const Computation& computation, const std::string& place, absl::flat_hash_set<const Computation*>& told, const WatchedRun::Visitor& visit) {
  if (!told.insert(&computation).second) return absl::OkStatus();
  for (const Instruction* i : computation.schedule) {
    if (i->literal != nullptr && !i->literal->elided && i->literal->value.has_value()) {
      if (absl::Status status = Visit(machine, *i, absl::StrCat(place, i->name), i->literal->value, visit); !status.ok()) return status;
    }
    if (Def(*i).control != ControlKind::kNone) continue;
    for (const Computation* called : i->CalledComputations()) {
      if (absl::Status status = VisitConstants(machine, *called, absl::StrCat(place, i->name, "(0)/"), told, visit); !status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Watch(WatchedRun run, const WatchedRun::Visitor& visitor) {
  absl::Status visited;  // what the visitor said first that was no OK: not the program's error
  const WatchedRun::Visitor visit = [&](const Machine& machine, const Instruction& instruction, const std::string& place, const Value& array) {
    visited.Update(visitor(machine, instruction, place, array));
    return visited;
  };
  SingleStepBackend single(run.backend);
  Machine machine(run.module, run.single_step ? static_cast<Backend&>(single) : run.backend, std::move(run.options));
  std::string place;
  uint64_t serial = 0;
  absl::Status parameters;  // what the visitor said of one, or of a constant
  absl::flat_hash_set<const Computation*> told;
  const auto observe = [&](const Frame& shown, const Region& region, const Kernel*, absl::Span<const Value>, const Value& result) -> absl::Status {
    if (!parameters.ok()) return parameters;
    const Frame& frame = machine.frames().back();
    if (frame.serial != serial) {
      serial = frame.serial;
      place = PlaceOf(LevelsOf(machine.frames()));
      if (run.constants) {
        if (absl::Status status = VisitConstants(machine, *frame.computation, place, told, visit); !status.ok()) return status;
      }
    }
    const Instruction* instruction = shown.computation->schedule[region.root];
    if (shown.computation != frame.computation) instruction = frame.computation->FindInstruction(instruction->name);
    if (instruction == nullptr || instruction->literal != nullptr || Def(*instruction).op_class == OpClass::kStructural) return absl::OkStatus();
    return Visit(machine, *instruction, absl::StrCat(place, instruction->name), result, visit);
  };
  machine.set_region_observer(observe);
  const absl::Status started = machine.Start([&](int number) -> absl::StatusOr<Value> {
    absl::StatusOr<Value> value = run.inputs.Parameter(number, &machine.account());
    if (!value.ok() || !parameters.ok()) return value;
    const Instruction& parameter = *run.module.entry->parameters[number];
    parameters = Visit(machine, parameter, std::string(parameter.name), *value, visit);
    return value;
  });
  if (!started.ok()) return started;
  if (run.halts != nullptr) {
    for (const Instruction* i : *run.halts) machine.Arm(*i->parent, i->index + 1);
  }
  if (run.interrupt != nullptr) run.interrupt->store(&machine.interrupt());
  StopReason reason = machine.Run();
  while (reason == StopReason::kBreakpoint && parameters.ok()) {
    const Frame& top = machine.top();
    const int depth = static_cast<int>(machine.frames().size()) - 1;
    const Instruction& instruction = *top.computation->schedule[top.position - 1];
    const absl::StatusOr<Value> value = machine.ValueOf(depth, instruction.index);
    parameters = value.ok() ? Visit(machine, instruction, absl::StrCat(PlaceOf(LevelsOf(machine.frames())), instruction.name), *value, visit) : value.status();
    if (parameters.ok()) reason = machine.Run();
  }
  if (run.interrupt != nullptr) run.interrupt->store(nullptr);
  if (!visited.ok()) return visited;
  if (reason == StopReason::kFinished && parameters.ok() && run.results) return Visit(machine, *machine.frames()[0].computation->root, std::string(kResultPlace), machine.result(), visit);
  if (reason == StopReason::kFinished || !parameters.ok()) return parameters;
  if (reason == StopReason::kInterrupted) return absl::AbortedError(InterruptedText());
  if (absl::IsCancelled(machine.status()) || absl::IsUnavailable(machine.status())) return machine.status();
  const Instruction* at = machine.next_instruction();
  std::string where = at == nullptr ? "" : absl::StrCat(" at ", Describe(run.module, {at->parent, at->index}));
  if (const std::string loops = LoopsText(LoopsAround(machine.frames())); at != nullptr && !loops.empty())
    absl::StrAppend(&where, ", ", loops);
  return absl::Status(machine.status().code(), absl::StrCat("the program stopped with an error", where, ": ", machine.status().message()));
}

namespace {

// Whether a region makes its value, or it is given to the entry, or a constant.
bool SeenByObserver(const Module& module, const Instruction& i) {
  if (i.parameter_number >= 0 && i.parent == module.entry) return true;
  if (i.literal != nullptr) return true;
  return Def(i).op_class != OpClass::kStructural && Def(i).control == ControlKind::kNone;
}

}  // namespace

absl::StatusOr<RecordReport> RecordRun(WatchedRun run, const std::string& path, const absl::flat_hash_set<const Instruction*>& chosen) {
  absl::StatusOr<std::unique_ptr<NpzWriter>> writer = NpzWriter::Create(path);
  if (!writer.ok()) return writer.status();
  RecordReport report;
  absl::flat_hash_set<std::string> parameters;  // made again where one was dropped
  absl::flat_hash_set<const Instruction*> unseen;
  for (const Instruction* i : chosen) {
    if (!SeenByObserver(run.module, *i)) unseen.insert(i);
  }
  run.halts = &unseen;
  run.constants = true;
  run.results = chosen.empty();
  const absl::Status ran = Watch(std::move(run), [&](const Machine&, const Instruction& instruction, const std::string& place, const Value& array) -> absl::Status {
    if (!chosen.empty() && !chosen.contains(&instruction)) return absl::OkStatus();
    if (instruction.parameter_number >= 0 && !absl::StartsWith(place, kResultPlace) && !parameters.insert(place).second) return absl::OkStatus();
    ++report.arrays;
    report.bytes += array.byte_size();
    return (*writer)->Add(place, array);
  });
  // What was written up to an error can be read.
  const absl::Status closed = (*writer)->Close();
  if (!ran.ok() && report.arrays > 0 && closed.ok()) {
    const absl::string_view behind = absl::StrContains(ran.message(), '\n') ? "\n" : "; ";
    return absl::Status(ran.code(), absl::StrCat(ran.message(), behind, path, " has the ", Count(report.arrays, "array"), " from before that (", FormatByteCount(report.bytes), ")"));
  }
  if (!ran.ok()) {
    std::remove(path.c_str());
    return ran;
  }
  if (!closed.ok()) return closed;
  if (report.arrays == 0) {
    std::remove(path.c_str());
    return absl::NotFoundError("nothing was recorded: the run does not come by what was named, or it makes no array");
  }
  return report;
}

namespace {

class RecordComparer {
 public:
  // `among_devices`: the run is that of one of several, whose records are others.
  RecordComparer(const Module& module, NpzReader& record, const BudgetTable& budgets, bool keep_going, bool among_devices)
      : module_(module), record_(record), budgets_(budgets), keep_going_(keep_going), among_devices_(among_devices) {
    for (const std::string& name : record.names()) names_.insert(name);
  }

  absl::Status Visit(const Machine& machine, const Instruction& instruction, const std::string& place, const Value& array) {
    const bool first = met_.insert(place).second;
    if (!names_.contains(place)) {
      // Of what no region makes only what was recorded there is looked at; records that were made without constants are none the worse.
      if (absl::StartsWith(place, kResultPlace) || instruction.literal != nullptr || !SeenByObserver(module_, instruction)) return absl::OkStatus();
      if (report_.unrecorded++ == 0) report_.first_unrecorded = place;
      return absl::OkStatus();
    }
    if (!first) return absl::OkStatus();
    ++of_record_;
    RecordDivergence d;
    d.instruction = &instruction;
    d.place = place;
    d.shape = array.shape();
    // In its own type where that can be told from the file; else in the program's.
    absl::StatusOr<Value> recorded = record_.Read(place);
    const ElementType type = array.shape().element_type();
    if (recorded.ok() && recorded->shape().element_type() != type && recorded->shape().dimensions() == array.shape().dimensions()) {
      const Shape dense = Shape::Array(type, array.shape().dimensions());
      if (absl::StatusOr<Value> wanted = record_.Read(place, &dense); wanted.ok() && !IsFloat(recorded->shape().element_type())) recorded = std::move(wanted);
    }
    if (!recorded.ok()) return recorded.status();
    ++report_.compared;
    if (recorded->shape().dimensions() != array.shape().dimensions()) {
      d.unlike = absl::StrCat("the record has ", recorded->shape().ToString(false), ", the run ", array.shape().ToString(false));
      return Diverged(machine, std::move(d));
    }
    const Budget* given = budgets_.Find(instruction);
    if (given == nullptr && instruction.literal != nullptr) {
      d.difference = CompareConstants(array, *recorded, ElementType::kF64);
    } else {
      const ElementType other = recorded->shape().element_type();
      d.difference = CompareArrays(array, *recorded, given != nullptr ? *given : other != type ? ReorderingBudget(NarrowerType(type, other)) : Budget());
    }
    report_.elements += d.difference.elements;
    report_.other_bits += d.difference.other_bits > 0;
    if (d.difference.beyond > 0) return Diverged(machine, std::move(d));
    if (instruction.literal != nullptr) same_constants_.insert(&instruction);
    if (std::isfinite(d.difference.worst_ulp)) report_.worst_ulp = std::max(report_.worst_ulp, d.difference.worst_ulp);
    return absl::OkStatus();
  }

  RecordComparison Report(bool finished, const Instruction& root) {
    if (finished) report_.unmet = static_cast<int64_t>(names_.size() - of_record_);
    // Another number of results is a divergence: nothing of them may have been compared.
    const auto results = [](const std::set<std::string>& places) {
      return std::count_if(places.begin(), places.end(), [](const std::string& place) { return absl::StartsWith(place, kResultPlace); });
    };
    if (const int64_t recorded = results(names_), got = results(met_); finished && recorded > 0 && recorded != got) {
      RecordDivergence d;
      d.instruction = &root;
      d.place = std::string(kResultPlace);
      d.shape = root.shape;
      d.origin = report_.diverging == 0 ? RecordOrigin::kOwn : RecordOrigin::kInherited;
      d.unlike = absl::StrCat("the record has a result of ", Count(recorded, "array"), ", the run of ", got);
      ++report_.diverging;
      report_.own += d.origin == RecordOrigin::kOwn;
      report_.divergences.push_back(std::move(d));
    }
    return std::move(report_);
  }

 private:
  absl::Status Diverged(const Machine& machine, RecordDivergence d) {
    const Shape& shape = d.instruction->shape;
    int leaf = 0;
    while (leaf + 1 < LeafCountOf(shape) && !absl::EndsWith(d.place, LeafPlace(shape, leaf))) ++leaf;
    ++report_.diverging;
    const bool result = absl::StartsWith(d.place, kResultPlace);
    const bool made_other = result && diverged_.contains(absl::StrCat(d.instruction->name, LeafPlace(shape, leaf)));
    d.origin = made_other ? RecordOrigin::kInherited : sources_.OriginOf(*d.instruction, LevelsOf(machine.frames()), leaf);
    // What others have brought to it is not known here.
    const bool exchanged = ExchangeOf(*d.instruction).role == ExchangeRole::kReceiveDone || CollectiveOf(*d.instruction).collective != nullptr;
    if (among_devices_ && exchanged && d.origin == RecordOrigin::kOwn) d.origin = RecordOrigin::kUnknown;
    report_.own += d.origin == RecordOrigin::kOwn;
    report_.unknown += d.origin == RecordOrigin::kUnknown;
    diverged_.insert(d.place);
    if (d.instruction->literal != nullptr) constants_.insert(d.instruction);
    if (report_.divergences.size() < kKept || (d.origin != RecordOrigin::kInherited && report_.divergences.size() < kMostKept))
      report_.divergences.push_back(std::move(d));
    return keep_going_ ? absl::OkStatus() : absl::CancelledError("diverged");
  }

  RecordedAs Known(const Instruction& instruction, const std::string& place) const {
    if (diverged_.contains(place) || constants_.contains(&instruction)) return RecordedAs::kOther;
    if (names_.contains(place) && met_.contains(place)) return RecordedAs::kSame;
    // A constant is recorded where it comes first; of one that the text leaves out there is no other value.
    if (instruction.literal != nullptr)
      return instruction.literal->elided || same_constants_.contains(&instruction) ? RecordedAs::kSame : RecordedAs::kNothing;
    return SeenByObserver(module_, instruction) ? RecordedAs::kNothing : RecordedAs::kHandedOn;
  }

  const Module& module_;
  NpzReader& record_;
  const BudgetTable& budgets_;
  const bool keep_going_, among_devices_;
  RecordComparison report_;
  std::set<std::string> names_, met_;
  size_t of_record_ = 0;  // how many of both there are
  absl::flat_hash_set<std::string> diverged_;
  absl::flat_hash_set<const Instruction*> constants_;  // that diverged: recorded once, in whichever iteration or call they came first
  absl::flat_hash_set<const Instruction*> same_constants_;  // likewise, that did not
  const RecordSources sources_{names_, met_, [this](const Instruction& instruction, const std::string& place) { return Known(instruction, place); }};
};

}  // namespace

absl::StatusOr<RecordComparison> CompareWithRecord(WatchedRun run, const std::string& path, const BudgetTable& budgets, bool keep_going) {
  absl::StatusOr<std::unique_ptr<NpzReader>> record = NpzReader::Open(path);
  if (!record.ok()) return record.status();
  if (const absl::Status known = budgets.Check({&run.module}); !known.ok()) return known;
  RecordComparer comparer(run.module, **record, budgets, keep_going, run.options.exchange != nullptr);
  // What the record has of values that no region makes is looked at too.
  absl::flat_hash_set<absl::string_view> names;
  for (const std::string& place : (*record)->names()) {
    const absl::string_view name = absl::string_view(place).substr(place.rfind('/') == std::string::npos ? 0 : place.rfind('/') + 1);
    names.insert(name.substr(0, name.find('{')));
  }
  absl::flat_hash_set<const Instruction*> unseen;
  for (const Computation* computation : run.module.computations) {
    for (const Instruction* i : computation->schedule) {
      if (!SeenByObserver(run.module, *i) && names.contains(i->name)) unseen.insert(i);
    }
  }
  run.halts = &unseen;
  run.constants = run.results = true;
  const Instruction& root = *(run.options.entry != nullptr ? run.options.entry : run.module.entry)->root;
  const absl::Status ran = Watch(std::move(run), [&](const Machine& machine, const Instruction& instruction, const std::string& place, const Value& array) {
    return comparer.Visit(machine, instruction, place, array);
  });
  if (absl::IsAborted(ran)) return ran;  // interrupted
  RecordComparison report = comparer.Report(ran.ok(), root);
  if (!ran.ok() && !absl::IsCancelled(ran)) {
    if (report.compared == 0) return ran;
    report.ended = ran;
  }
  if (report.compared == 0) return absl::NotFoundError(absl::StrCat("nothing was compared: ", path, " has nothing of this program's run", (*record)->names().empty() ? "; it is empty" : absl::StrCat("; its first array is ", (*record)->names()[0])));
  return report;
}

std::string ToText(const RecordDivergence& d) {
  std::string text = absl::StrCat(d.place, " (", Name(d.instruction->opcode), " ", ShapeText(d.shape), ")\n  ", d.unlike.empty() ? ToText(d.difference, d.shape) : d.unlike, "\n");
  return text;
}

std::string ToText(const RecordComparison& r) {
  std::string text = absl::StrCat(Count(r.compared, "array"), " compared (", Count(r.elements, "element"), ")");
  if (r.unrecorded > 0) absl::StrAppend(&text, ", ", r.unrecorded, " not in the record, the first ", r.first_unrecorded);
  if (r.unmet > 0) absl::StrAppend(&text, ", ", r.unmet, " of the record not met");
  if (r.other_bits > r.diverging) absl::StrAppend(&text, ", ", r.other_bits - r.diverging, " with other bits within the budget (at most ", FormatDouble(r.worst_ulp, 4), " ulp)");
  const absl::string_view until = r.ended.ok() ? "" : " before the run stopped with an error";
  if (r.divergences.empty()) return absl::StrCat(text, "; no divergence", until, "\n");
  if (!until.empty()) absl::StrAppend(&text, ",", until);
  absl::StrAppend(&text, "\nfirst divergence: ", ToText(r.divergences[0]));
  if (r.divergences[0].origin == RecordOrigin::kUnknown)
    text += "  of its own or inherited: not known, the record does not have all that it is made from\n";
  if (r.diverging == 1) return text;
  absl::StrAppend(&text, Count(r.diverging, "array"), " differ: ", r.own, " of their own, ", r.inherited(), " inherited",
                  r.unknown > 0 ? absl::StrCat(", ", r.unknown, " not known: the record does not have all that ",
                                               r.unknown == 1 ? "it is" : "they are", " made from")
                                : "",
                  "\n");
  size_t shown = 0;
  for (size_t k = 1; k < r.divergences.size(); ++k) {
    const RecordOrigin origin = r.divergences[k].origin;
    if (origin != RecordOrigin::kInherited && ++shown <= 20)
      absl::StrAppend(
          &text, origin == RecordOrigin::kOwn ? "another of its own: " : "another, of its own or inherited: ", ToText(r.divergences[k]));
  }
  const int64_t others = r.own + r.unknown - (r.divergences[0].origin != RecordOrigin::kInherited);
  if (others > 20)
    absl::StrAppend(&text, "and ", others - 20, " more", r.unknown == 0 ? " of their own" : " that are not known to inherit", "\n");
  return text;
}

}  // namespace hloscope
