// hloscope debug: the debugger's console, on a terminal, from scripts, or from standard input.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "app/cli/arguments.h"
#include "app/cli/device_run.h"
#include "app/cli/junit.h"
#include "app/cli/line_reader.h"
#include "app/cli/load.h"
#include "app/cli/processes.h"
#include "app/cli/progress.h"
#include "app/cli/verb.h"
#include "backends/exchange/in_process.h"
#include "backends/exchange/kernel_service.h"
#include "backends/exchange/kernels_across.h"
#include "core/debug/device_inputs.h"
#include "core/debug/devices.h"
#include "core/debug/parallel_main.h"
#include "core/debug/report.h"
#include "core/debug/run_progress.h"
#include "core/debug/session.h"
#include "core/debug/session_state.h"
#include "core/debug/source_view.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"

namespace hloscope::cli {
namespace {

Session* interrupted_session = nullptr;  // what Ctrl-C stops

void OnInterrupt(int) {
  if (interrupted_session != nullptr) interrupted_session->Interrupt();
}

// Ctrl-C belongs to the session while this lives.
class InterruptGuard {
 public:
  explicit InterruptGuard(Session& session) {
    interrupted_session = &session;
    struct sigaction action {};
    action.sa_handler = OnInterrupt;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, &before_);
  }
  ~InterruptGuard() {
    sigaction(SIGINT, &before_, nullptr);
    interrupted_session = nullptr;
  }

 private:
  struct sigaction before_ {};
};

void Converse(Session& session, const std::string& file) {
  std::printf("hloscope %s on %s; help lists the commands, start or run begins the program\n", HLOSCOPE_VERSION, file.c_str());
  LineReader reader([&session](const std::string& line) { return session.Complete(line); });
  while (const std::optional<std::string> line = reader.Read("(hloscope) ")) {
    if (session.Execute(*line).quit) return;
  }
  std::fputs("\n", stdout);
}

// Commands that come through a pipe: as a script, but one that fails does not end it.
void ExecuteInput(Session& session) {
  std::string line;
  while (std::getline(std::cin, line)) {
    if (!line.empty() && session.Execute(line).quit) return;
  }
}

// A case for each expectation, and one for the program or a script where they went wrong.
std::vector<JunitCase> Cases(Session& session, bool script_failed, const std::string& last_words) {
  std::vector<JunitCase> cases;
  for (const ExpectRecord& expect : session.expects()) {
    cases.push_back({expect.text, expect.passed ? JunitCase::kPassed : JunitCase::kFailed, expect.passed ? "" : expect.detail.empty() ? "the expression is false" : expect.detail, expect.passed ? "" : expect.where, expect.script, expect.line});
  }
  for (const DeviceError& error : ErrorsOfRuns(session.state())) {
    const std::string device = Several(session.state()) ? absl::StrCat(", ", session.state().options.devices.Name(error.device)) : "";
    if (!error.expected) cases.push_back({absl::StrCat("run", device), JunitCase::kError, error.why, ""});
  }
  if (script_failed) cases.push_back({"script", JunitCase::kError, "a command failed; the rest of the script was not executed", last_words});
  return cases;
}

// The end of what the console wrote.
std::string LastLines(absl::string_view text, int lines) {
  size_t at = text.size();
  for (int k = 0; k <= lines && at != absl::string_view::npos && at > 0; ++k) at = text.rfind('\n', at - 1);
  return std::string(at == absl::string_view::npos ? text : text.substr(at));
}

// "process 1: replica 2 to replica 3; 12 kernels run, 1.5 KiB of values kept"; of the first also that it has the console. `live_bytes`: of the
// session's values.
std::vector<std::string> ProcessLines(KernelsAcross& across, const SessionDevices& devices, int64_t live_bytes) {
  const std::vector<ProcessFigures> figures = across.Figures(live_bytes);
  const int count = static_cast<int>(figures.size());
  std::vector<std::string> lines;
  for (int p = 0; p < count; ++p) {
    std::vector<int> here;
    for (int d = 0; d < devices.count(); ++d) {
      if (ProcessOf(d, devices.count(), count) == p) here.push_back(d);
    }
    std::string line = absl::StrCat("process ", p, ": ", devices.Name(here.front()), here.size() > 1 ? absl::StrCat(" to ", devices.Name(here.back())) : "");
    if (p == 0) absl::StrAppend(&line, "; it has the console");
    if (!figures[p].status.ok()) absl::StrAppend(&line, "; ", figures[p].status.message());
    else absl::StrAppend(&line, "; ", Count(figures[p].kernels, "kernel"), " run, ", FormatByteCount(figures[p].value_bytes), " of values kept");
    lines.push_back(std::move(line));
  }
  return lines;
}

// What a process does that has not the console.
absl::Status Serve(const ProgramOptions& program, Processes& processes) {
  absl::StatusOr<SessionOptions> options = program.ToSession(/*several=*/true);
  if (!options.ok()) return options.status();
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(program);
  if (!backend.ok()) return backend.status();
  processes.TookPart();
  ServeKernels(processes.link(), **backend, options->fill);
  return absl::OkStatus();
}

}  // namespace

int Run_debug(const std::vector<std::string>& args) {
  OptionParser app("Opens the debugger's console on a program.", "hloscope debug");
  std::string file, junit, retain, source_path, report;
  std::vector<std::string> scripts, commands;
  bool batch = false;
  ProgramOptions program;
  app.add_option("FILE", file, "the program")->required();
  app.add_option("-x", scripts, "a file of commands to execute first; several in order")->type_name("SCRIPT")->repeated_one_each();
  app.add_option("--ex", commands, "a command to execute after the scripts; several in order")->type_name("COMMAND")->repeated_one_each();
  app.add_flag("--batch", batch, "ends after the scripts; status 1 if an expect failed or the program stopped with an error");
  app.add_option("--retain", retain, "bytes of values kept for looking back (default 2GiB)")->type_name("BYTES");
  app.add_option("--source-path", source_path, "where the model's source files are looked for")->type_name("DIR[:DIR]");
  app.add_option("--junit", junit, "writes the outcome of each expect")->type_name("OUT.xml");
  app.add_option("--report", report, "writes a page about the stop, the values and the expectations")->type_name("OUT.html");
  std::string exchange;
  app.add_option("--exchange", exchange, "mpi: the devices are in the processes that mpirun starts (by default one replica in each); the first one has the console")->type_name("HOW");
  program.AddTo(app);
  if (const auto status = app.Parse(args)) return *status;

  std::unique_ptr<Processes> processes;
  const auto refuse = [&](absl::string_view why) {
    if (processes == nullptr || processes->first()) WriteJunitError(junit, file, "start", std::string(why));
    return UsageError(std::string(why));
  };
  if (!exchange.empty()) {
    absl::StatusOr<std::unique_ptr<Processes>> joined = Processes::Join(exchange);
    if (!joined.ok()) return refuse(joined.status().message());
    processes = *std::move(joined);
    if (!processes->first()) {
      const absl::Status served = Serve(program, *processes);
      return served.ok() ? kOk : refuse(served.message());
    }
  }
  Loaded loaded;
  int status = kOk;
  std::unique_ptr<Module> module = LoadOrReport(file, loaded, status);
  if (module == nullptr) {
    WriteJunitError(junit, file, "load", ProblemsText(loaded));
    return status;
  }
  absl::StatusOr<SessionOptions> options = program.ToSession(/*several=*/true);
  if (!options.ok()) return refuse(options.status().message());
  if (processes != nullptr) {
    if (const ParallelMain main = FindParallelMain(*module); main.call != nullptr && !main.followed())
      return refuse(absl::StrCat("the devices of ", ShownName(*main.call), " are not followed: ", main.why, "; each call runs as one step, in one process: leave --exchange out"));
    DeviceCounts devices = CountSessionDevices(program, *module);
    if (absl::Status shared = processes->Share(program, &devices); !shared.ok()) return refuse(shared.message());
  }
  options->arguments = std::move(loaded.arguments);
  if (absl::Status given = GiveDevices(program, *module, &*options, processes != nullptr ? processes->link().count() : 1); !given.ok()) return refuse(given.message());
  if (!retain.empty()) {
    const absl::StatusOr<int64_t> bytes = ParseByteCount(retain);
    if (!bytes.ok()) return refuse(absl::StrCat("--retain: ", bytes.status().message()));
    options->retain_bytes = *bytes;
  }
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(program);
  if (!backend.ok()) return refuse(backend.status().message());
  std::unique_ptr<KernelsAcross> across;
  Session* opened = nullptr;  // as soon as it is there
  if (processes != nullptr) {
    across = std::make_unique<KernelsAcross>(processes->link());
    backend = across->Over(*std::move(backend));
    processes->TookPart();
    options->devices.processes = [&across, &opened, devices = options->devices] {
      return ProcessLines(*across, devices, opened != nullptr ? DevicesOf(opened->state()).account.live() : 0);
    };
  }

  Transcript* transcript = nullptr;  // the session's, as soon as it is there
  Session session(std::move(module), *std::move(backend), *std::move(options), [&transcript](absl::string_view text) {
    if (transcript != nullptr) transcript->Add(text);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  });
  opened = &session;
  transcript = &session.state().Extension<Transcript>();
  EquipSession(session);
  LetRunParallel(program, session);
  Progress progress;
  if (progress.seen()) session.state().Extension<ProgressLine>().set = [&progress](const std::string& what) { progress.Set(what); };
  // A file that is not there is said before anything is typed.
  if (const auto inputs = DeviceInputs::Open(ModulesOf(session.state()), session.state().options); !inputs.ok()) return refuse(inputs.status().message());
  InterruptGuard guard(session);
  if (!source_path.empty()) session.state().Extension<SourceView>().SetPath(source_path);
  bool script_failed = false, quit = false;
  for (const std::string& script : scripts) {
    if (quit || script_failed) break;
    const CommandResult result = session.ExecuteFile(script);
    quit = result.quit;
    script_failed = !result.ok;
  }
  for (const std::string& command : commands) {
    if (quit || script_failed) break;
    const CommandResult result = session.Execute(command);
    quit = result.quit;
    script_failed = !result.ok;
  }
  if (!batch && !quit) {
    if (isatty(STDIN_FILENO)) {
      Converse(session, file);
    } else {
      ExecuteInput(session);
    }
  }
  const int passed = session.passed_expects(), failed = session.failed_expects();
  if (passed + failed > 0 && batch) std::printf("%d passed, %d failed\n", passed, failed);
  if (!junit.empty() && !WriteJunit(junit, file, Cases(session, script_failed, LastLines(transcript->text, 5)))) return UsageError(absl::StrCat("cannot write ", junit));
  if (!report.empty()) {
    const absl::Status written = WriteReport(MakeReport(session.state()), report);
    if (!written.ok()) return UsageError(std::string(written.message()));
  }
  if (!batch) return kOk;
  if (failed > 0 || session.stopped_with_error()) return kFailed;
  return script_failed ? kUsage : kOk;
}

}  // namespace hloscope::cli
