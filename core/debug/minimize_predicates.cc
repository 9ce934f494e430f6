// What a failure can be, the console's `minimize`, and what it writes.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/catches.h"
#include "core/debug/check.h"
#include "core/debug/extract.h"
#include "core/debug/minimize.h"
#include "core/debug/program_inputs.h"
#include "core/debug/session_state.h"
#include "core/debug/subscript.h"
#include "core/debug/text_util.h"
#include "core/literal/npy.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// Names of the entry computation, after a run.
class RunHost : public ExpressionHost {
 public:
  RunHost(const Module& module, Machine& machine) : module_(module), machine_(machine) {}
  bool IsName(absl::string_view name) const override { return name == "$result" || module_.entry->FindInstruction(name) != nullptr; }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override {
    if (name == "$result") return machine_.finished() ? absl::StatusOr<Value>(machine_.result()) : absl::FailedPreconditionError("the program has not finished");
    const Instruction* found = module_.entry->FindInstruction(name);
    if (found == nullptr) return NotThere(name);
    return machine_.ValueOf(0, found->index);
  }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override {
    if (name == "$result") return module_.entry->root->shape;
    const Instruction* found = module_.entry->FindInstruction(name);
    if (found == nullptr) return NotThere(name);
    return found->shape;
  }
  absl::StatusOr<bool> StoppedAt(absl::string_view) const override { return absl::FailedPreconditionError("stopped at says nothing here: the program runs to its end"); }
  bool Finished() const override { return machine_.finished(); }

 private:
  absl::Status NotThere(absl::string_view name) const {
    for (const Computation* computation : module_.computations) {
      if (computation->FindInstruction(name) == nullptr) continue;
      return absl::NotFoundError(absl::StrCat("%", name, " is an instruction of ", computation->name,
                                              "; here the entry's values are known, at the program's end"));
    }
    return absl::NotFoundError(absl::StrCat("there is no instruction '", name, "'"));
  }

  const Module& module_;
  Machine& machine_;
};

// Whether subscripts mean the same of both: parts of tuples stay what they are, as many as are left; elements stay elements.
bool SameKind(const Shape& before, const Shape& now) {
  if (before.IsTuple() != now.IsTuple()) return false;
  if (!before.IsTuple()) return before.IsArray() == now.IsArray() && (!before.IsArray() || before.rank() == now.rank());
  if (now.tuple_shapes().size() > before.tuple_shapes().size()) return false;
  for (size_t k = 0; k < now.tuple_shapes().size(); ++k) {
    if (!SameKind(before.tuple_shapes()[k], now.tuple_shapes()[k])) return false;
  }
  return true;
}

// What computed the part `path` of an instruction's value: found through tuples, calls, loops and data that is only moved.
const Instruction* ComputedBy(const Instruction* i, std::vector<int64_t> path) {
  std::vector<const Instruction*> callers;
  std::set<std::pair<const Instruction*, std::vector<int64_t>>> loops;  // bodies gone through for a part
  for (int steps = 0; steps < 100000; ++steps) {
    const OpDef& def = Def(*i);
    if (i->parameter_number >= 0) {
      if (callers.empty()) return i;
      const Instruction* caller = callers.back();
      callers.pop_back();
      if (Def(*caller).control == ControlKind::kWhile) {
        i = loops.contains({caller, path}) ? caller->operands[0] : caller;  // the iteration before
      } else {
        i = caller->operands[i->parameter_number];
      }
    } else if (def.control == ControlKind::kWhile) {
      if (!loops.insert({i, path}).second) {
        i = i->operands[0];
        continue;
      }
      callers.push_back(i);
      i = i->Called(AttrId::kBody)->root;
    } else if (def.control == ControlKind::kCall && i->CalledComputations().size() == 1 && i->CalledComputations()[0]->parameters.size() == i->operands.size()) {
      callers.push_back(i);
      i = i->CalledComputations()[0]->root;
    } else if (i->Has(AttrId::kIndex) && i->operands.size() == 1 && i->operands[0]->shape.IsTuple()) {
      path.insert(path.begin(), i->Int(AttrId::kIndex));
      i = i->operands[0];
    } else if (def.op_class == OpClass::kStructural && i->shape.IsTuple() && !path.empty() && path[0] < static_cast<int64_t>(i->operands.size()) && i->operands.size() == i->shape.tuple_shapes().size()) {
      const int64_t part = path[0];
      path.erase(path.begin());
      i = i->operands[part];
    } else if (def.movement == Movement::kMove && i->operands.size() == 1 && path.empty()) {
      i = i->operands[0];
    } else {
      return i;
    }
  }
  return i;
}

// Of each value that the expression names, in their order, what kind of operation has computed it; parameters and constants are one kind.
std::vector<std::string> Makers(const Module& module, const ExpressionHost& host, absl::string_view text) {
  std::vector<std::string> makers;
  const auto part_of_name = [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.'; };
  while (!text.empty()) {
    absl::string_view rest = text;
    absl::StatusOr<Reference> reference = absl::ascii_isalpha(text[0]) || text[0] == '_' || text[0] == '%' || text[0] == '$' ? ParseReference(rest, host) : absl::NotFoundError("");
    if (!reference.ok() || !host.IsName(reference->name)) {
      const bool name = part_of_name(text[0]);
      text.remove_prefix(1);
      while (name && !text.empty() && part_of_name(text[0])) text.remove_prefix(1);
      continue;
    }
    text = rest;
    const Instruction* i = reference->name == "$result" ? module.entry->root : module.entry->FindInstruction(reference->name);
    std::vector<int64_t> path;
    Shape shape = i->shape;
    for (absl::string_view subscript_text : reference->subscripts) {
      const absl::StatusOr<Subscript> subscript = ParseSubscript(subscript_text);
      if (!shape.IsTuple() || !subscript.ok()) break;
      const int64_t k = subscript->size() == 1 ? (*subscript)[0].index : -1, size = static_cast<int64_t>(shape.tuple_shapes().size());
      const int64_t part = k < 0 ? k + size : k;
      if (part < 0 || part >= size) break;
      path.push_back(part);
      shape = Shape(shape.tuple_shapes()[part]);
    }
    const Instruction* maker = ComputedBy(i, std::move(path));
    makers.push_back(maker->parameter_number >= 0 || maker->literal != nullptr ? "" : std::string(Name(maker->opcode)));
  }
  return makers;
}

// What the expression names must still be computed by an operation of the kind that computed it in the whole program, so that a constant that
// fails the expectation too is no smaller program.
FailurePredicate ExpectFails(Backend& backend, const MachineOptions& run, const std::string& text) {
  return [&backend, &run, text, first = true, result = Shape(), makers = std::vector<std::string>(),
          of_result = absl::StrContains(text, "$result")](const Module& module,
                                                          const std::vector<Value>& parameters) mutable -> absl::StatusOr<Failing> {
    Machine machine(module, backend, run);
    const bool whole = first;
    first = false;
    if (whole) result = module.entry->root->shape;
    if (of_result && !SameKind(result, module.entry->root->shape)) return false;
    if (const absl::Status started = machine.Start(parameters); !started.ok())
      return whole ? absl::StatusOr<Failing>(started) : Failing(false);
    if (machine.Run() != StopReason::kFinished) {
      if (!whole) return false;
      return absl::InvalidArgumentError(absl::StrCat("the program stops with an error before anything can be expected of it: ", machine.status().message()));
    }
    const absl::StatusOr<Claim> claim = EvaluateClaim(text, RunHost(module, machine));
    if (whole && !claim.ok()) return absl::InvalidArgumentError(absl::StrCat("expect ", text, ": ", claim.status().message()));
    if (!claim.ok() || claim->holds) return false;
    std::vector<std::string> now = Makers(module, RunHost(module, machine), text);
    if (whole) makers = now;
    return now == makers;
  };
}

FailurePredicate Mismatches(Backend& backend, const MachineOptions& run) {
  return [&backend, &run](const Module& module, const std::vector<Value>& parameters) -> absl::StatusOr<Failing> {
    Machine machine(module, backend, run);
    CheckOptions check;
    check.samples = 256;
    RegionChecker checker(backend, check);
    machine.set_region_observer([&](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) -> absl::Status {
      const absl::Status status = checker.Observe(frame, region, kernel, inputs, result);
      return checker.report().mismatch_count > 0 ? absl::AbortedError("found") : status;
    });
    if (!machine.Start(parameters).ok()) return false;
    machine.Run();
    return checker.report().mismatch_count > 0 ? Failing(true, machine.Where()) : Failing(false);
  };
}

// The catch must stop at the same operation as in the whole program, so that a constant of NaN is no smaller program that makes one.
FailurePredicate CatchStops(Backend& backend, const MachineOptions& run, std::vector<CatchRequest> requests) {
  return [&backend, &run, requests, wanted = std::optional<Opcode>()](
             const Module& module, const std::vector<Value>& parameters) mutable -> absl::StatusOr<Failing> {
    Machine machine(module, backend, run);
    Catches catches(module, backend);
    catches.requests() = requests;
    catches.Attach(machine);
    if (!machine.Start(parameters).ok()) return false;
    const bool caught = machine.Run() == StopReason::kCaught && catches.caught().has_value();
    const Opcode at = caught ? catches.caught()->instruction->opcode : Opcode();
    catches.Detach(machine);
    if (!caught) return false;
    if (!wanted.has_value()) wanted = at;
    return at == *wanted ? Failing(true, machine.Where()) : Failing(false);
  };
}

// How a program runs when nothing stops it.
struct PlainRun {
  bool ended = false;
  int64_t iterations = 0;  // the most of one loop
  double seconds = 0;
};

PlainRun RunPlainly(const Module& module, const std::vector<Value>& parameters, Backend& backend, const MachineOptions& run, double most_seconds) {
  PlainRun plain;
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&start] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  Machine machine(module, backend, run);
  machine.set_light_region_observer([&](const Frame&, const Region&, const Kernel*, absl::Span<const Value>, const Value&) -> absl::Status {
    for (const Frame& frame : machine.frames()) plain.iterations = std::max(plain.iterations, frame.iteration + 1);
    return most_seconds > 0 && seconds() > most_seconds ? absl::DeadlineExceededError("it takes too long") : absl::OkStatus();
  });
  if (machine.Start(parameters).ok()) plain.ended = machine.Run() == StopReason::kFinished;
  machine.set_region_observer(nullptr);
  plain.seconds = seconds();
  return plain;
}

// A program that ends by itself must not become one that does not; what fails in it may well come before that shows.
FailurePredicate EndingToo(FailurePredicate fails, Backend& backend, const MachineOptions& run, double most_seconds) {
  return [fails = std::move(fails), &backend, &run, most_seconds](const Module& module,
                                                                  const std::vector<Value>& parameters) -> absl::StatusOr<Failing> {
    if (!RunPlainly(module, parameters, backend, run, most_seconds).ended) return false;
    return fails(module, parameters);
  };
}

absl::StatusOr<std::vector<CatchRequest>> ParseCatches(absl::string_view text) {
  std::vector<CatchRequest> requests;
  for (absl::string_view name : absl::StrSplit(text, absl::ByAnyChar(", "), absl::SkipEmpty())) {
    CatchRequest request;
    const size_t colon = name.find(':');
    const std::optional<CatchKind> kind = CatchKindOf(name.substr(0, colon));
    if (!kind.has_value() || (colon != absl::string_view::npos && !absl::SimpleAtoi(name.substr(colon + 1), &request.bits))) {
      return absl::InvalidArgumentError(absl::StrCat("catch takes a list of ", CatchKindNames(), ", not '", name, "'"));
    }
    request.kind = *kind;
    request.number = static_cast<int>(requests.size()) + 1;
    requests.push_back(request);
  }
  if (requests.empty()) return absl::InvalidArgumentError(absl::StrCat("catch takes a list of ", CatchKindNames()));
  return requests;
}

// Runs a shell command; its exit status (128 + the signal where one ended it).
absl::StatusOr<int> RunScript(const std::string& command) {
  std::fflush(nullptr);
  const int status = std::system(command.c_str());
  if (status == -1) return absl::UnavailableError(absl::StrCat("cannot start a shell for: ", command));
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (code == 127) return absl::NotFoundError(absl::StrCat("the shell did not find the command: ", command));
  return code;
}

// A command that names the archive gets one, though nothing be in it.
absl::Status NeedArchive(const std::string& command, const std::string& program, std::string* archive) {
  if (!archive->empty() || !absl::StrContains(command, "{npz}")) return absl::OkStatus();
  *archive = absl::StrCat(absl::StripSuffix(absl::StripSuffix(program, ".hlo"), ".txt"), ".npz");
  absl::StatusOr<std::unique_ptr<NpzWriter>> writer = NpzWriter::Create(*archive);
  return writer.ok() ? (*writer)->Close() : writer.status();
}

// The candidate fails when the script ends as it did with the program as it was.
class Script {
 public:
  explicit Script(std::string command) : command_(std::move(command)) {
    std::string folder = absl::StrCat("/tmp/hloscope-minimize-", std::string(6, 'X'));  // mkdtemp's pattern
    if (mkdtemp(folder.data()) != nullptr) folder_ = folder;
  }
  ~Script() {
    if (folder_.empty()) return;
    for (const char* name : {"/candidate.hlo", "/candidate.npz"}) std::remove(absl::StrCat(folder_, name).c_str());
    rmdir(folder_.c_str());
  }
  absl::StatusOr<bool> Fails(const Module& module, const std::vector<Value>& parameters) {
    if (folder_.empty()) return absl::UnavailableError("cannot make a folder in /tmp");
    if (!absl::StrContains(command_, "{}")) return absl::InvalidArgumentError("the script's command needs {}, in whose place the program's file comes");
    const std::string path = absl::StrCat(folder_, "/candidate.hlo");
    std::string archive;
    absl::Status written = WriteProgram(module, parameters, path, &archive);
    if (written.ok()) written = NeedArchive(command_, path, &archive);
    if (!written.ok()) return written;
    const absl::StatusOr<int> status = RunScript(absl::StrReplaceAll(command_, {{"{npz}", archive}, {"{}", path}}));
    if (!status.ok()) return status.status();
    if (wanted_ < 0) wanted_ = *status;
    return *status == wanted_;
  }
  int wanted() const { return wanted_; }

 private:
  std::string command_, folder_;
  int wanted_ = -1;
};

std::string CommandFor(const MinimizeRequest& request, const std::string& archive, absl::string_view backend, const SessionOptions& session) {
  const std::string arguments = absl::StrCat(ShellWord(request.out), RunArguments(archive, backend, session));
  switch (request.kind) {
    case MinimizeRequest::kExpect: return absl::StrCat("hloscope debug ", arguments, " --batch --ex run --ex ", ShellWord(absl::StrCat("expect ", request.text)));
    case MinimizeRequest::kMismatch: return absl::StrCat("hloscope run ", arguments, " --check 256");
    case MinimizeRequest::kCatch: return absl::StrCat("hloscope run ", arguments, " --catch ", absl::StrReplaceAll(request.text, {{" ", ","}}));
    case MinimizeRequest::kScript: return absl::StrReplaceAll(request.text, {{"{npz}", ShellWord(archive)}, {"{}", ShellWord(request.out)}});
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> MinimizeToFile(const Module& module, const ProgramInputs& inputs, Backend& backend, const SessionOptions& session,
                                           const MinimizeRequest& request, const MinimizeOptions& options) {
  if (!absl::EndsWith(request.out, ".hlo") && !absl::EndsWith(request.out, ".txt")) {
    return absl::InvalidArgumentError(absl::StrCat("the smaller program is written as HLO text, also of StableHLO, which is read but not written: name it OUT.hlo, not '", request.out, "'"));
  }
  MachineOptions run;
  run.memory_limit = session.memory_limit;
  // Without its counter a loop may never end: more turns than this are no reproduction.
  run.max_iterations = session.max_iterations > 0 ? session.max_iterations : 1000000;
  run.seed = session.fill.seed;
  run.fill = session.fill;
  run.custom_calls = &inputs.custom_calls();
  run.infeed = inputs.infeed();
  std::vector<Value> parameters;
  for (int k = 0; k < inputs.parameter_count(); ++k) {
    absl::StatusOr<Value> value = inputs.Parameter(k, nullptr);
    if (!value.ok()) return value.status();
    parameters.push_back(*std::move(value));
  }
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      if (i->literal == nullptr || i->literal->value.has_value()) continue;
      if (absl::Status filled = FillElidedConstant(*i, session.fill, nullptr); !filled.ok()) return filled;
    }
  }
  Script script(request.text);
  FailurePredicate fails;
  switch (request.kind) {
    case MinimizeRequest::kExpect:
      if (request.text.empty()) return absl::InvalidArgumentError("which expectation fails? as: expect max(abs($result)) < 10");
      fails = ExpectFails(backend, run, request.text);
      break;
    case MinimizeRequest::kMismatch: fails = Mismatches(backend, run); break;
    case MinimizeRequest::kCatch: {
      absl::StatusOr<std::vector<CatchRequest>> requests = ParseCatches(request.text);
      if (!requests.ok()) return requests.status();
      fails = CatchStops(backend, run, *std::move(requests));
      break;
    }
    case MinimizeRequest::kScript:
      fails = [&script](const Module& m, const std::vector<Value>& values) { return script.Fails(m, values); };
      break;
  }
  // Candidates may take some more than the program takes, but not for ever.
  const PlainRun plain = RunPlainly(module, parameters, backend, run, 0);
  if (plain.ended) {
    run.max_iterations = std::min(run.max_iterations, 2 * plain.iterations + 16);
    fails = EndingToo(std::move(fails), backend, run, 10 * plain.seconds + 1);
  }
  MinimizeOptions with_parts = options;
  with_parts.result_parts_stay = request.kind == MinimizeRequest::kExpect && absl::StrContains(request.text, "$result");
  with_parts.other_parameters = request.kind == MinimizeRequest::kScript && !absl::StrContains(request.text, "{npz}");
  const absl::StatusOr<Minimized> small = MinimizeProgram(module, std::move(parameters), backend, run, fails, with_parts);
  if (!small.ok()) return small.status();
  std::string archive;
  absl::Status written = WriteProgram(*small->module, small->parameters, request.out, &archive);
  if (written.ok() && request.kind == MinimizeRequest::kScript) written = NeedArchive(request.text, request.out, &archive);
  if (!written.ok()) return written;
  std::string text = absl::StrCat(small->module->instruction_count(), " of ", Count(small->instructions_before, "instruction"), " and ", small->module->computations.size(), " of ",
                                  Count(small->computations_before, "computation"), " are left, after ", Count(small->steps, "step"), small->out_of_budget ? " (the budget is spent)" : "",
                                  "\nwrote ", request.out, archive.empty() ? "" : absl::StrCat(", and ", Count(static_cast<int64_t>(small->parameters.size()), "value"), " to ", archive), "\n");
  if (request.kind == MinimizeRequest::kScript) absl::StrAppend(&text, "the script ends with status ", script.wanted(), ", as at the beginning\n");
  absl::StrAppend(&text, "run it:   ", CommandFor(request, archive, backend.name(), session), "\n");
  return text;
}

absl::Status CommandMinimize(Session::State& s, absl::string_view args) {
  MinimizeRequest request;
  request.out = std::string(TakeWord(args));
  const absl::string_view kind = TakeWord(args);
  request.text = std::string(absl::StripAsciiWhitespace(args));
  if (kind == "expect") request.kind = MinimizeRequest::kExpect;
  else if (kind == "mismatch") request.kind = MinimizeRequest::kMismatch;
  else if (kind == "catch") request.kind = MinimizeRequest::kCatch;
  else if (kind == "script") request.kind = MinimizeRequest::kScript;
  else return absl::InvalidArgumentError("minimize takes OUT.hlo and a failure: expect EXPR, mismatch, catch KIND (as nan), or script CMD with {} for the program");
  if (s.inputs == nullptr) {
    absl::StatusOr<std::unique_ptr<ProgramInputs>> opened = ProgramInputs::Open(*s.module, s.options);
    if (!opened.ok()) return opened.status();
    s.inputs = *std::move(opened);
  }
  const absl::StatusOr<std::string> done = MinimizeToFile(*s.module, *s.inputs, *s.backend, s.options, request, MinimizeOptions());
  if (!done.ok()) return done.status();
  s.Say(*done);
  return absl::OkStatus();
}

}  // namespace hloscope
