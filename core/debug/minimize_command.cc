// Making a program smaller for people: what they ask for, and what is written and said. Not for the search (minimize.cc).
#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/debug/catch_list.h"
#include "core/debug/devices.h"
#include "core/debug/extract.h"
#include "core/debug/file_words.h"
#include "core/debug/minimize.h"
#include "core/debug/minimize_births.h"
#include "core/debug/minimize_predicates.h"
#include "core/debug/minimize_script.h"
#include "core/debug/program_files.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/debug/time_limit.h"
#include "core/ir/frontend_attributes.h"

namespace hloscope {
namespace {

constexpr int64_t kMostIterations = 1000000;  // without its counter a loop may never end: more turns than this are no reproduction

// "replica 1 partition 0 expect ...", on whichever device it is asked.
std::string ExpectCommand(const MinimizeRequest& request, const SessionDevices& devices) {
  const std::string expect = absl::StrCat("expect ", request.text);
  if (!devices.several()) return expect;
  if (request.device < 0) return absl::StrCat("replica all ", expect);
  const std::string partition = devices.partitions > 1 ? absl::StrCat(" partition ", request.device % devices.partitions) : "";
  return absl::StrCat("replica ", request.device / devices.partitions, partition, " ", expect);
}

// " --infeed items.npz --infeed 1:others.npz"
std::string InfeedOptions(const SessionOptions& session) {
  std::string text;
  if (!session.infeed_npz.empty()) absl::StrAppend(&text, " --infeed ", ShellWord(session.infeed_npz));
  std::set<std::string> given;  // of a replica, for each of its partitions
  for (const SessionDevices::Own& own : session.devices.own) {
    absl::string_view option = own.infeed_option;
    if (absl::ConsumePrefix(&option, "--infeed ") && given.insert(std::string(option)).second)
      absl::StrAppend(&text, " --infeed ", ShellWord(option));
  }
  return text;
}

std::string CommandFor(const MinimizeRequest& request, const Module& small, const ProgramFiles& files, absl::string_view backend, const SessionOptions& session) {
  const std::string inputs = files.InputOptions();
  const std::string arguments = absl::StrCat(ShellWord(files.program), inputs.empty() ? "" : " ", inputs, DeviceOptions(small, session.devices), InfeedOptions(session),
                                             RunArguments("", backend, session));
  switch (request.kind) {
    case MinimizeRequest::kExpect: return absl::StrCat("hloscope debug ", arguments, " --batch --ex run --ex ", ShellWord(ExpectCommand(request, session.devices)));
    case MinimizeRequest::kMismatch: return absl::StrCat("hloscope run ", arguments, " --check 256");
    case MinimizeRequest::kCatch: return absl::StrCat("hloscope run ", arguments, " --catch ", absl::StrReplaceAll(request.text, {{" ", ","}}));
    case MinimizeRequest::kError: return absl::StrCat("hloscope run ", arguments);
    case MinimizeRequest::kScript: break;  // its own
  }
  return "";
}

absl::StatusOr<DeviceValues> ParametersOf(DeviceInputs& inputs, int devices) {
  DeviceValues parameters(devices);
  for (int d = 0; d < devices; ++d) {
    for (int k = 0; k < inputs.of(d)->parameter_count(); ++k) {
      absl::StatusOr<Value> value = inputs.Parameter(d, k, nullptr);
      if (!value.ok()) return value.status();
      parameters[d].push_back(*std::move(value));
    }
  }
  return parameters;
}

absl::StatusOr<FailurePredicate> FailureOf(const MinimizeRequest& request, Backend& backend, const RunSettings& run, Script& script) {
  switch (request.kind) {
    case MinimizeRequest::kExpect:
      if (request.text.empty()) return absl::InvalidArgumentError("which expectation fails? as: expect max(abs($result)) < 10");
      return ExpectFails(backend, run, request.text, request.device);
    case MinimizeRequest::kMismatch: return Mismatches(backend, run);
    case MinimizeRequest::kCatch: {
      absl::StatusOr<std::vector<CatchRequest>> requests = ParseCatches(request.text);
      if (!requests.ok()) return requests.status();
      return CatchStops(backend, run, *std::move(requests));
    }
    case MinimizeRequest::kError: return StopsWithError(backend, run);
    case MinimizeRequest::kScript: break;
  }
  return FailurePredicate([&script](const Module& m, const DeviceValues& values) { return script.Fails(m, values); });
}

RunSettings SettingsOf(DeviceInputs& inputs, const SessionOptions& session) {
  RunSettings run;
  run.machine.memory_limit = session.memory_limit;
  run.machine.max_iterations = session.max_iterations > 0 ? session.max_iterations : kMostIterations;
  run.machine.seed = session.fill.seed;
  run.machine.fill = session.fill;
  run.machine.custom_calls = &inputs.of(0)->custom_calls();
  run.machine.infeed = inputs.of(0)->infeed();
  run.session = session;
  return run;
}

absl::Status FillConstants(const Module& module, const Fill& fill) {
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      if (i->literal == nullptr || i->literal->value.has_value()) continue;
      if (absl::Status filled = FillElidedConstant(*i, fill, nullptr); !filled.ok()) return filled;
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> MinimizeToFile(const Module& module, DeviceInputs& inputs, Backend& backend, const SessionOptions& session,
                                           const MinimizeRequest& request, const MinimizeOptions& options) {
  if (!absl::EndsWith(request.out, ".hlo") && !absl::EndsWith(request.out, ".txt")) {
    return absl::InvalidArgumentError(absl::StrCat("the smaller program is written as HLO text, also of StableHLO, which is read but not written: name it OUT.hlo, not '", request.out, "'"));
  }
  RunSettings run = SettingsOf(inputs, session);
  run.around = options.around;
  const auto begin = std::chrono::steady_clock::now();
  run.until = After(begin, options.seconds);
  absl::StatusOr<DeviceValues> parameters = ParametersOf(inputs, run.devices());
  if (!parameters.ok()) return parameters.status();
  if (absl::Status filled = FillConstants(module, session.fill); !filled.ok()) return filled;
  Script script(request.text, session.devices);
  absl::StatusOr<FailurePredicate> fails = FailureOf(request, backend, run, script);
  if (!fails.ok()) return fails.status();
  const bool expects = request.kind == MinimizeRequest::kExpect;
  if (expects || request.kind == MinimizeRequest::kScript) fails = KeepingBirths(*std::move(fails), backend, run, expects ? request.text : "", expects);
  // Candidates may take some more than the program takes, but not for ever.
  const PlainRun plain = RunPlainly(module, *parameters, backend, run, options.seconds / 4);
  if (plain.ended || request.kind == MinimizeRequest::kError) run.machine.max_iterations = std::min(run.machine.max_iterations, 2 * plain.iterations + 16);
  if (plain.ended) fails = EndingToo(*std::move(fails), backend, run, 10 * plain.seconds + 1);
  MinimizeOptions with_parts = options;
  with_parts.seconds -= std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  with_parts.result_parts_stay = request.kind == MinimizeRequest::kExpect && absl::StrContains(request.text, "$result");
  with_parts.other_parameters = request.kind == MinimizeRequest::kScript && !script.takes_values();
  const absl::StatusOr<Minimized> small = MinimizeProgram(module, *std::move(parameters), backend, run, *fails, with_parts);
  if (!small.ok()) return small.status();
  if (request.kind != MinimizeRequest::kScript) {  // the command that shows the failure runs to it
    for (const Computation* c : small->module->computations) {
      for (Instruction* i : c->instructions) i->frontend_attributes = small->module->Intern(WithoutFrontendAttribute(i->frontend_attributes, "breakpoint"));
    }
  }
  ProgramFiles files;
  if (absl::Status written = WriteProgramFiles(*small->module, small->parameters, session.devices, request.out, &files); !written.ok()) return written;
  std::string command = CommandFor(request, *small->module, files, backend.name(), session);
  if (request.kind == MinimizeRequest::kScript) {
    absl::StatusOr<std::string> scripted = script.CommandWith(&files);
    if (!scripted.ok()) return scripted.status();
    command = *std::move(scripted);
  }
  std::string text = absl::StrCat(small->module->instruction_count(), " of ", Count(small->instructions_before, "instruction"), " and ", small->module->computations.size(), " of ",
                                  Count(small->computations_before, "computation"), " are left, after ", Count(small->steps, "step"), small->out_of_budget ? " (the budget is spent)" : "",
                                  "\nwrote ", request.out, files.archive.empty() ? "" : ", and ", files.archive.empty() ? "" : files.Text(static_cast<int64_t>(small->parameters[0].size())), "\n");
  if (request.kind == MinimizeRequest::kScript) absl::StrAppend(&text, "the script ends with status ", script.wanted(), ", as at the beginning\n");
  absl::StrAppend(&text, "run it:   ", command, "\n");
  return text;
}

absl::Status CommandMinimize(Session::State& s, absl::string_view args) {
  MinimizeRequest request;
  absl::StatusOr<std::string> out = TakeFile(args);
  if (!out.ok()) return out.status();
  request.out = *std::move(out);
  const absl::string_view kind = TakeWord(args);
  request.text = std::string(absl::StripAsciiWhitespace(args));
  if (kind == "expect") request.kind = MinimizeRequest::kExpect;
  else if (kind == "mismatch") request.kind = MinimizeRequest::kMismatch;
  else if (kind == "catch") request.kind = MinimizeRequest::kCatch;
  else if (kind == "error") request.kind = MinimizeRequest::kError;
  else if (kind == "script") request.kind = MinimizeRequest::kScript;
  else return absl::InvalidArgumentError("minimize takes OUT.hlo and a failure: expect EXPR, mismatch, catch KIND (as nan), error, or script CMD with {} for the program");
  if (s.options.devices.of_main) {
    return absl::FailedPreconditionError("minimize makes one program smaller, and this main runs a function on each device; minimize FILE --replicas N takes a program that all devices run");
  }
  absl::StatusOr<std::unique_ptr<DeviceInputs>> inputs = DeviceInputs::Open(std::vector<const Module*>(s.options.devices.count(), s.module.get()), s.options);
  if (!inputs.ok()) return inputs.status();
  const absl::StatusOr<std::string> done = MinimizeToFile(*s.module, **inputs, *s.backend, s.options, request, {.around = &s});
  if (!done.ok()) return done.status();
  s.Say(*done);
  return absl::OkStatus();
}

}  // namespace hloscope
