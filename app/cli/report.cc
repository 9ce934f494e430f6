// hloscope report: one page about a stop or about a comparison, made for attaching to an issue. What stands in it is core/debug/report.h's.
#include "app/cli/report.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "app/cli/arguments.h"
#include "app/cli/device_run.h"
#include "app/cli/difference_text.h"
#include "app/cli/load.h"
#include "app/cli/progress.h"
#include "app/cli/verb.h"
#include "core/debug/catch_commands.h"
#include "core/debug/catches.h"
#include "core/debug/devices.h"
#include "core/debug/frame_kinds.h"
#include "core/debug/lockstep.h"
#include "core/debug/match.h"
#include "core/debug/program_inputs.h"
#include "core/debug/record.h"
#include "core/debug/source_view.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/ops/collectives.h"

namespace hloscope::cli {
namespace {

constexpr size_t kMostRows = 60;      // of a table of divergences
constexpr size_t kMostValues = 24;

struct ReportRequest {
  std::string file, out, at, catches, check, compare, against, source_path;
  std::vector<std::string> scripts, commands, then, budgets;
  int hops = 2;
  ProgramOptions program;
};

// A program with its session, and all that the console wrote.
struct Debugged {
  std::unique_ptr<Session> session;
  Transcript* transcript = nullptr;
  Session::State& state() { return session->state(); }
};

absl::StatusOr<Debugged> Open(const ReportRequest& r, std::unique_ptr<Module> module, std::vector<Value> arguments, absl::StatusOr<SessionOptions> options) {
  if (!options.ok()) return options.status();
  options->arguments = std::move(arguments);
  if (r.against.empty()) {
    if (const absl::Status given = GiveDevices(r.program, *module, &*options); !given.ok()) return given;
  }
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(r.program);
  if (!backend.ok()) return backend.status();
  auto transcript = std::make_shared<Transcript*>(nullptr);
  Debugged d;
  d.session = std::make_unique<Session>(std::move(module), *std::move(backend), *std::move(options), [transcript](absl::string_view text) {
    if (*transcript != nullptr) (*transcript)->Add(text);
  });
  LetRunParallel(r.program, *d.session);
  d.transcript = &d.state().Extension<Transcript>();
  *transcript = d.transcript;
  if (!Several(d.state())) {
    if (const auto inputs = ProgramInputs::Open(*d.state().module, d.state().options); !inputs.ok()) return inputs.status();
  }
  if (!r.source_path.empty()) d.state().Extension<SourceView>().SetPath(r.source_path);
  return d;
}

// Says why a command failed: the last of what it wrote, behind the command itself.
absl::Status Execute(Debugged& d, const std::string& command) {
  const size_t before = d.transcript->text.size();
  if (d.session->Execute(command).ok) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StripAsciiWhitespace(d.transcript->text.substr(std::min(d.transcript->text.size(), before + command.size() + 12))));
}

// Where in the loops around it a place ("while.3[17]/sort.2{1}") is: the iteration of the innermost; -1: in none.
int64_t IterationOf(const std::string& place) {
  const size_t open = place.rfind('[');
  int64_t iteration = -1;
  if (open == std::string::npos || !absl::SimpleAtoi(place.substr(open + 1, place.find(']', open) - open - 1), &iteration)) return -1;
  return iteration;
}

// -- A stop --
// Of a run that differs from a recorded one; null: none.
const RecordDivergence* FirstDivergence(Debugged& d) {
  const RecordComparison& found = d.state().Extension<LastRecordComparison>().found;
  return found.divergences.empty() ? nullptr : found.divergences.data();
}

// Whether it stands in front of the instruction, in the call and the iteration that differs.
bool StandsAt(Debugged& d, const RecordDivergence& divergence) {
  if (!d.session->running() || ReportedInstruction(d.state()) != divergence.instruction) return false;
  const std::string place = absl::StrCat(PlaceOf(LevelsOf(d.state().machine->frames())), divergence.instruction->name);
  return divergence.place == place || absl::StartsWith(divergence.place, absl::StrCat(place, "{"));
}

void StopWhereTheyPart(Debugged& d) {
  const RecordDivergence* first = FirstDivergence(d);
  if (first == nullptr) return;
  const int64_t iteration = IterationOf(first->place);
  // Where that is no stop (a constant), the page shows the end.
  Execute(d, absl::StrCat("tbreak ", first->instruction->parent->name, ":", first->instruction->name, iteration < 0 ? "" : absl::StrCat(" if iteration == ", iteration))).IgnoreError();
}

// From the first of several calls to that where they part. What is passed is not told.
void GoOnToWhereTheyPart(Debugged& d) {
  constexpr int kMostStops = 2000;
  const RecordDivergence* first = FirstDivergence(d);
  const size_t told = d.transcript->text.size();
  for (int k = 0; k < kMostStops && first != nullptr && d.session->running() && !StandsAt(d, *first); ++k) {
    d.transcript->text.resize(told);
    StopWhereTheyPart(d);
    if (!Execute(d, "continue").ok()) return;
  }
}

// `refused`: what a command at the stop did not do, and why; the page is made all the same.
absl::Status Go(Debugged& d, const ReportRequest& r, std::vector<std::string>* refused) {
  const bool own = !r.scripts.empty() || !r.commands.empty();
  std::vector<int> of_program;  // the program's own breakpoints sleep, unless commands or a script say what is to happen
  for (const auto& b : d.state().breakpoints) {
    if (b->from_program && !own) of_program.push_back(b->number);
  }
  if (!of_program.empty()) Execute(d, absl::StrCat("disable ", absl::StrJoin(of_program, " "))).IgnoreError();
  for (const std::string& script : r.scripts) {
    const size_t before = d.transcript->text.size();
    const CommandResult result = d.session->ExecuteFile(script);
    if (!result.ok) return absl::InvalidArgumentError(absl::StrCat(script, ": ", absl::StripAsciiWhitespace(d.transcript->text.substr(std::min(before, d.transcript->text.size())))));
  }
  std::vector<std::string> commands = r.commands;
  for (const absl::string_view kind : absl::StrSplit(r.catches, ',', absl::SkipWhitespace())) commands.push_back(absl::StrCat("catch ", absl::StripAsciiWhitespace(kind)));
  if (!r.at.empty()) commands.push_back(absl::StrCat("break ", r.at));
  if (!r.compare.empty()) commands.push_back(absl::StrCat("compare ", r.compare, r.budgets.empty() ? "" : " ", absl::StrJoin(r.budgets, " "), " all"));
  if (!r.check.empty()) commands.push_back(absl::StrCat("compare reference ", r.check));
  if (r.check.empty() && (!own || !r.catches.empty() || !r.at.empty())) commands.push_back(own && d.session->running() ? "continue" : "run");
  for (const std::string& command : commands) {
    const bool to_divergence = command == "run" && r.at.empty() && r.catches.empty();
    if (to_divergence) StopWhereTheyPart(d);
    const absl::Status done = Execute(d, command);
    if (to_divergence && done.ok()) GoOnToWhereTheyPart(d);
    if (!done.ok() && !d.session->running() && &command < commands.data() + r.commands.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(done.message(), "\n--ex \"", command, "\" comes before the program runs; --then executes a command at the stop"));
    }
    if (!done.ok()) return done;
  }
  for (const std::string& command : r.then) {
    if (const absl::Status done = Execute(d, command); !done.ok()) refused->push_back(absl::StrCat("--then \"", command, "\": ", done.message()));
  }
  return absl::OkStatus();
}

// What was caught, if it is an element of the instruction's result.
std::optional<ReportedElement> CaughtElement(Session::State& s, const Instruction& at) {
  const Caught* caught = CaughtHere(s);
  if (caught == nullptr || caught->instruction != &at || !caught->finding.has_value) return std::nullopt;
  return ReportedElement{caught->finding.output, caught->finding.index};
}

// What differs from the record, and where: as of a comparison of programs.
void TellDivergences(Debugged& d, const RecordDivergence& first, Report* report) {
  Session::State& s = d.state();
  const LastRecordComparison& last = s.Extension<LastRecordComparison>();
  report->passed = false;
  report->verdict = "differs from the recorded run";
  report->stop = absl::StrCat(StandsAt(d, first) ? absl::StrCat("The first divergence from ", last.path)
                                                 : absl::StrCat("The run differs from ", last.path, ", first at ", first.place),
                              ". ", report->stop);
  report->caught = ToText(first);
  report->texts.emplace_back("Compared with the recorded run", ToText(last.found));
  if (const Module& m = *s.module; ReportedInstruction(s) != first.instruction && m.source != nullptr && first.instruction->range.valid()) {
    report->listings.push_back(ListingAround(*m.source, m.source->Locate(first.instruction->range.begin).line, 6));
  }
  ReportTable table;
  table.title = "Divergences";
  const auto shown = std::min(last.found.divergences.size(), kMostRows);
  table.note =
      last.found.diverging == 1
          ? absl::StrCat("1 array differs", last.found.own == 1 ? ", of its own" : "")
          : absl::StrCat(Count(last.found.diverging, "array"), " differ, ", last.found.own, " of their own",
                         last.found.unknown > 0 ? absl::StrCat(", ", last.found.unknown, " not known") : "", "; the others inherit",
                         static_cast<size_t>(last.found.diverging) > shown ? absl::StrCat("; the first ", shown) : "");
  table.head = {"array", "shape", "kind", "differing", "first", "recorded", "got", "ulp"};
  for (size_t k = 0; k < shown; ++k) {
    const RecordDivergence& v = last.found.divergences[k];
    if (!v.unlike.empty()) {
      table.rows.push_back({v.place, ShapeText(v.shape), std::string(Name(v.origin)), v.unlike, "", "", "", ""});
      continue;
    }
    table.rows.push_back({v.place, ShapeText(v.shape), std::string(Name(v.origin)),
                          absl::StrCat(v.difference.beyond, " of ", v.difference.elements),
                          absl::StrCat("[", absl::StrJoin(IndexOf(v.shape, v.difference.first), ","), "]"), ToText(v.difference.expected),
                          ToText(v.difference.got), FormatDouble(v.difference.ulp, 4)});
  }
  report->tables.push_back(std::move(table));
}

// The element where they part.
ReportedElement DivergingElement(const RecordDivergence& d) {
  ReportedElement element;
  const size_t brace = d.place.rfind('{');
  if (brace != std::string::npos && d.place.back() == '}' && !absl::SimpleAtoi(d.place.substr(brace + 1, d.place.size() - brace - 2), &element.output)) element.output = -1;
  if (d.unlike.empty()) element.index = IndexOf(d.shape, d.difference.first);
  return element;
}

int ReportStop(const ReportRequest& r) {
  Loaded loaded;
  int status = kOk;
  std::unique_ptr<Module> module = LoadOrReport(r.file, loaded, status);
  if (module == nullptr) return status;
  Progress progress;
  progress.Set("running");
  absl::StatusOr<Debugged> d = Open(r, std::move(module), std::move(loaded.arguments), r.program.ToSession(/*several=*/true));
  std::vector<std::string> refused;
  const absl::Status went = d.ok() ? Go(*d, r, &refused) : d.status();
  progress.Set("");
  if (!went.ok()) return UsageError(std::string(went.message()));
  Report report = MakeReport(d->state());
  if (report.checks.empty() && report.passed) report.verdict = !report.caught.empty() ? "caught" : d->state().Finished() ? "finished" : "stopped";
  if (!report.caught.empty()) report.passed = false;
  const bool missed = !r.at.empty() && d->state().Finished();
  if (missed) {
    const std::string word = absl::StrCat("The program did not come to \"", r.at, "\".");
    report.stop = absl::StrCat(word, " ", report.stop);
    report.verdict = "not stopped there";
    report.passed = false;
    std::fprintf(stderr, "hloscope report: --at: %s The page shows its end.\n", word.c_str());
  }
  const Instruction* at = ReportedInstruction(d->state());
  std::optional<ReportedElement> element = at == nullptr ? std::nullopt : CaughtElement(d->state(), *at);
  if (const RecordDivergence* first = FirstDivergence(*d)) {
    TellDivergences(*d, *first, &report);
    if (at == nullptr) at = first->instruction;
    if (at == first->instruction && first->unlike.empty()) element = DivergingElement(*first);
  }
  if (at != nullptr) AddDrawings(d->state(), *at, element, r.hops, "", &report);
  const absl::Status written = WriteReport(report, r.out);
  if (!written.ok()) return UsageError(std::string(written.message()));
  if (!refused.empty()) return UsageError(absl::StrJoin(refused, "\n"));
  return missed || d->session->failed_expects() > 0 || d->session->stopped_with_error() ? kFailed : kOk;
}

// -- A comparison --
class ComparisonReport {
 public:
  explicit ComparisonReport(const ReportRequest& r) : r_(r) {}

  int Run() {
    LockstepOptions lockstep;
    for (const std::string& budget : r_.budgets) {
      if (const absl::Status added = lockstep.budgets.Add(budget); !added.ok()) return UsageError(absl::StrCat("--budget: ", added.message()));
    }
    absl::StatusOr<SessionOptions> options = r_.program.ToSession();
    if (!options.ok()) return UsageError(std::string(options.status().message()));
    int status = kOk;
    std::unique_ptr<Module> a = LoadOrReport(r_.file, loaded_[0], status);
    std::unique_ptr<Module> b = a == nullptr ? nullptr : LoadOrReport(r_.against, loaded_[1], status);
    if (a == nullptr || b == nullptr) return status;
    for (const Module* module : {a.get(), b.get()}) {
      if (const Instruction* exchange = FirstExchange(*module)) {
        UsageError(absl::StrCat("--against runs both programs on one device so far, and ", ShownName(*exchange), " of ",
                                module == a.get() ? r_.file : r_.against, " exchanges data among ", ParticipantCount(*exchange),
                                " devices; a report of each, without --against, runs it on all"));
        return kFailed;
      }
    }
    if (const absl::Status known = lockstep.budgets.Check({a.get(), b.get()}); !known.ok()) return UsageError(absl::StrCat("--budget: ", known.message()));
    SessionOptions of_a = *options, of_b;
    of_a.arguments = loaded_[0].arguments;
    of_b.fill = options->fill;
    of_b.arguments = loaded_[1].arguments;
    const absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs_a = ProgramInputs::Open(*a, of_a), inputs_b = ProgramInputs::Open(*b, of_b);
    for (const auto* inputs : {&inputs_a, &inputs_b}) {
      if (!inputs->ok()) return UsageError(std::string(inputs->status().message()));
    }
    const absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(r_.program);
    if (!backend.ok()) return UsageError(std::string(backend.status().message()));
    progress_.Set("comparing");
    const ProgramMatch match = MatchPrograms(*a, *b);
    lockstep.keep_going = true;
    lockstep.keep = kMostRows;
    lockstep.machine = MachineOptionsOf(*options, **inputs_a);
    const absl::StatusOr<LockstepReport> values = RunLockstep(*a, *b, match, **inputs_a, **inputs_b, **backend, **backend, std::move(lockstep));
    progress_.Set("");
    if (!values.ok()) {
      UsageError(std::string(values.status().message()));
      return kFailed;
    }
    Tell(*a, *b, match, *values, **inputs_a);
    if (!values->divergences.empty()) {
      progress_.Set("going there");
      const Divergence first = values->divergences[0];
      const std::string place[2] = {absl::StrCat(first.a->parent->name, ":", first.a->name), absl::StrCat(first.b->parent->name, ":", first.b->name)};
      AddSide("a: ", r_.file, std::move(a), *options, 0, place[0], first);
      AddSide("b: ", r_.against, std::move(b), *options, 1, place[1], first);
      progress_.Set("");
    }
    const absl::Status written = WriteReport(report_, r_.out);
    if (!written.ok()) return UsageError(std::string(written.message()));
    return report_.passed ? kOk : kFailed;
  }

 private:
  void Tell(const Module& a, const Module& b, const ProgramMatch& match, const LockstepReport& values, const ProgramInputs& inputs) {
    const DifferenceText text{a, b, r_.file, r_.against, false};
    const bool agree = values.diverging == 0 && values.error_a.empty() && values.error_b.empty();
    report_.title = a.name == b.name ? absl::StrCat(r_.file, " against ", r_.against) : absl::StrCat(a.name, " against ", b.name);
    report_.stop_title = "The comparison";
    report_.passed = agree && (values.results_compared || match.SameStructure());
    report_.verdict = values.diverging > 0 ? "they differ"
                      : !agree             ? "a program stopped with an error"
                      : report_.passed     ? "they agree"
                                           : "the results could not be compared";
    report_.facts = {{"a", absl::StrCat(a.name, " (", r_.file, "), ", Count(a.instruction_count(), "instruction"))},
                     {"b", absl::StrCat(b.name, " (", r_.against, "), ", Count(b.instruction_count(), "instruction"))},
                     {"inputs", inputs.Summary()},
                     {"compared", absl::StrCat(Count(values.pairs, "pair"), " of values, ", Count(values.elements, "element"))},
                     {"budget", r_.budgets.empty() ? "the same bits; where the types differ, no further apart than sums in two orders may be" : absl::StrJoin(r_.budgets, ", ")}};
    if (const int elided = CountElidedConstants(a); elided > 0) report_.facts.emplace_back("note", absl::StrCat(Count(elided, "constant"), " elided in the text and made up: this is no reproduction"));
    report_.stop = values.divergences.empty() ? (!agree ? "A program stopped." : values.results_why.empty() ? "No value differs." : absl::StrCat("The results could not be compared: ", values.results_why, ". No other value differs.")) : "The first divergence:";
    report_.error = absl::StrCat(values.error_a.empty() ? "" : absl::StrCat("a stopped with an error ", values.error_a, "\n"), values.error_b.empty() ? "" : absl::StrCat("b stopped with an error ", values.error_b, "\n"));
    if (!values.divergences.empty()) report_.caught = text.Text(values.divergences[0]);
    report_.texts.emplace_back("Structure", text.Structure(match));
    report_.texts.emplace_back("Values", text.Values(values));
    if (values.divergences.empty()) return;
    ReportTable table;
    table.title = "Divergences";
    table.note = values.diverging == 1 ? "1 pair differs, of its own" : absl::StrCat(Count(values.diverging, "pair"), " differ, ", values.own, " of their own; the others inherit", values.diverging > static_cast<int64_t>(kMostRows) ? absl::StrCat("; the first ", kMostRows, " and, of each further instruction that adds to it, the first") : "");
    table.head = {"instruction", "shape", "where", "kind", "differing", "first", "expected (a)", "got (b)", "ulp"};
    for (const Divergence& d : values.divergences) {
      table.rows.push_back({absl::StrCat(d.result ? "result, " : "", ShownName(*d.a), d.output >= 0 ? absl::StrCat("{", d.output, "}") : ""), ShapeText(d.shape), d.where, d.own ? "own" : "inherited",
                            absl::StrCat(d.difference.beyond, " of ", d.difference.elements), d.sizes.empty() ? absl::StrCat("[", absl::StrJoin(IndexOf(d.shape, d.difference.first), ","), "]") : d.sizes,
                            d.sizes.empty() ? ToText(d.difference.expected) : "", d.sizes.empty() ? ToText(d.difference.got) : "",
                            d.sizes.empty() ? FormatDouble(d.difference.ulp, 4) : ""});
    }
    report_.tables.push_back(std::move(table));
  }

  // Stops in front of an instruction, in the call and the iteration that `where` says; false: it does not come there. Where the call is not
  // found (another program may call it otherwise), the first one has to do.
  static bool GoTo(Debugged& d, const std::string& place, const std::string& where) {
    constexpr int kMostStops = 2000;
    std::string stop = absl::StrCat("break ", place);
    // The innermost comes first.
    if (const size_t word = where.find("iteration "); word != std::string::npos) {
      int64_t iteration = 0;
      const std::string digits = where.substr(word + 10);
      if (absl::SimpleAtoi(digits.substr(0, digits.find_first_not_of("0123456789")), &iteration))
        absl::StrAppend(&stop, " if iteration == ", iteration);
    }
    if (!Execute(d, stop).ok()) return false;
    const auto there = [&] { return d.session->running() && WhereText(LevelsOf(d.state().machine->frames())) == where; };
    bool going = Execute(d, "run").ok();
    for (int k = 0; k < kMostStops && going && d.session->running(); ++k) {
      if (there()) return true;
      going = Execute(d, "continue").ok();
    }
    return Execute(d, "run").ok() && d.session->running();
  }

  // Its values at the place where they part, and how the graph is there.
  void AddSide(const std::string& who, const std::string& file, std::unique_ptr<Module> module, SessionOptions options, int side, const std::string& place, const Divergence& first) {
    const Computation* computation = module->FindComputation(place.substr(0, place.find(':')));
    const Instruction* at = computation == nullptr ? nullptr : computation->FindInstruction(place.substr(place.find(':') + 1));
    if (at == nullptr) return;
    const int position = at->index;
    if (module->source != nullptr && at->range.valid()) {
      report_.listings.push_back(ListingAround(*module->source, module->source->Locate(at->range.begin).line, 6));
      report_.listings.back().title = absl::StrCat(who, report_.listings.back().title);
    }
    absl::StatusOr<Debugged> d = Open(r_, std::move(module), std::move(loaded_[side].arguments), std::move(options));
    if (!d.ok()) return;
    if (!GoTo(*d, place, side == 0 ? first.where : first.where_b)) return;
    Session::State& s = d->state();
    AddDrawings(s, *at, ReportedElement{first.output, first.sizes.empty() ? IndexOf(first.shape, first.difference.first) : std::vector<int64_t>(first.shape.rank())}, r_.hops, who, &report_);
    const int depth = static_cast<int>(s.machine->frames().size()) - 1;
    if (s.machine->frames()[depth].computation != at->parent) return;
    for (size_t k = 0; k < at->operands.size(); ++k) {
      const absl::StatusOr<Value> value = s.machine->ValueOf(depth, at->operands[k]->index);
      if (value.ok()) AddLeaves(absl::StrCat(who, ShownName(*at->operands[k])), absl::StrCat("operand ", k, " of ", ShownName(*at)), *value, kMostValues, &report_.values);
    }
    const absl::StatusOr<Value> made = s.machine->ValueAhead(depth, position);
    if (made.ok()) AddLeaves(absl::StrCat(who, ShownName(*at)), "where they part", *made, kMostValues, &report_.values);
  }

  const ReportRequest& r_;
  Loaded loaded_[2];
  Report report_;
  Progress progress_;
};

}  // namespace

int Run_report(const std::vector<std::string>& args) {
  OptionParser app("Writes one page about a stop, or about a comparison, made for attaching to an issue. Without other options: the run to its end.", "hloscope report");
  ReportRequest r;
  app.add_option("FILE", r.file, "the program")->required();
  app.add_option("-o,--output", r.out, "the page")->type_name("OUT.html")->required();
  app.add_option("--at", r.at, "stops here, at a place as break takes it: %x, op:dot, model.py:12, '%x if iteration == 3'")->type_name("PLACE");
  app.add_option("--catch", r.catches, "stops at the first instruction that makes a nan or an infinity (or one of the other kinds of: help catch)")->type_name("nan,inf,...");
  app.add_option("-x", r.scripts, "stops where a script of console commands does; several in order")->type_name("SCRIPT")->repeated_one_each();
  app.add_option("--ex", r.commands,
                 "a console command after the scripts, before the program runs to where it is to stop; several in order")
      ->type_name("COMMAND")
      ->repeated_one_each();
  app.add_option("--then", r.then, "a console command at the stop, for the page's console; several in order. One that is refused stands there with its reason, those behind it are executed, the page is written, and the status is 2")
      ->type_name("COMMAND")
      ->repeated_one_each();
  app.add_option("--check", r.check, "stops at the first result that the reference disagrees with, of N sampled elements of each (all: every one)")->type_name("N|all");
  app.add_option("--compare", r.compare, "compares the run with a recorded one (run --record)")->type_name("RUN.npz");
  app.add_option("--against", r.against, "compares with another program on the same inputs, up to the end")->type_name("OTHER");
  app.add_option("--budget", r.budgets, "of --against and --compare: how far values may differ, as diff takes it")->type_name("[WHICH=]BUDGET")->repeated();
  app.add_option("--hops", r.hops, "how much of the graph round the stop is drawn")->range(0, 9)->capture_default_str();
  app.add_option("--source-path", r.source_path, "where the model's source files are looked for")->type_name("DIR[:DIR]");
  r.program.AddTo(app);
  if (const auto status = app.Parse(args)) return *status;
  if (!absl::EndsWith(r.out, ".html")) return UsageError(absl::StrCat("report writes a page: name it OUT.html, not ", r.out));
  if (!r.check.empty() && r.check != "all") {
    int64_t samples = 0;
    if (!absl::SimpleAtoi(r.check, &samples) || samples < 1) return UsageError(absl::StrCat("--check takes a number of samples or all, not ", r.check));
  }
  if (!r.against.empty()) {
    if (!r.at.empty() || !r.catches.empty() || !r.check.empty() || !r.compare.empty() || !r.scripts.empty() || !r.commands.empty() ||
        !r.then.empty()) {
      return UsageError(
          "--against goes to where the programs part by itself: leave --at, --catch, --check, --compare, -x, --ex and --then away");
    }
    return ComparisonReport(r).Run();
  }
  if (!r.budgets.empty() && r.compare.empty()) return UsageError("--budget goes with --against or --compare");
  return ReportStop(r);
}

}  // namespace hloscope::cli
