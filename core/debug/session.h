// The session: one program being debugged. Owns module, inputs, machine, breakpoints; executes console commands (commands.def).
// The command line, scripts and (later) the desktop program all go through Execute; nothing else changes a session.
#ifndef HLOSCOPE_CORE_DEBUG_SESSION_H_
#define HLOSCOPE_CORE_DEBUG_SESSION_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/exec/backend.h"
#include "core/exec/inputs.h"
#include "core/exec/machine.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

class ExchangeRoom;  // core/exec/exchange.h

// A parameter's file, and the option that named it, as it was given: "--input 1:0".
struct InputFile {
  int number = 0;
  std::string path, option;
};

// The devices that a program runs on, numbered replica by replica.
struct SessionDevices {
  int64_t replicas = 1, partitions = 1;
  // They are those of the program's main, which runs a function on each (parallel_main.h); else each runs the program's entry.
  bool of_main = false;
  // Of devices whose inputs are not those of the session: all of their files.
  struct Own {
    int device = 0;
    std::vector<InputFile> input_files;
    std::string infeed_npz, infeed_option;
    std::vector<Value> arguments;  // by parameter number; files go before them. Empty: the session's
  };
  std::vector<Own> own;
  // Where they exchange; `entries`: what each runs, by device. Needed where there are several.
  std::function<std::unique_ptr<ExchangeRoom>(std::vector<const Computation*> entries, Backend& backend, MemoryAccount* account)> make_room;
  // What each process has, where several have the devices: a line for each. Null: this one has all.
  std::function<std::vector<std::string>()> processes;

  int count() const { return static_cast<int>(replicas * partitions); }
  bool several() const { return count() > 1; }
  // "replica 1", "replica 1, partition 0".
  std::string Name(int device) const;
};

struct SessionOptions {
  Fill fill;
  std::vector<InputFile> input_files;  // .npy
  std::string inputs_npz;
  std::vector<Value> arguments;  // values that came with the program (a snapshot), by parameter number; files go before them
  int64_t retain_bytes = int64_t{2} << 30;
  int64_t memory_limit = 0;
  int64_t max_iterations = 0;
  std::vector<std::string> custom_call_libraries;
  std::string infeed_npz;
  std::string infeed_option = "--infeed";  // that named it; of one device with what was given
  SessionDevices devices;
  bool color = false;
};

struct CommandResult {
  bool ok = true;        // false: bad usage or a failed command (error text already written)
  bool quit = false;
};

// One `expect`, for reports.
struct ExpectRecord {
  std::string text;    // the expression
  bool passed = false;
  std::string detail;  // of a failed one
  std::string where;   // the program stood when it was asked
  std::string script;  // the file of commands that asked; empty: none did
  int line = 0;        // there
  // Where the program stood and what asked, as it is shown.
  std::string Place() const { return script.empty() ? where : where + "; asked at " + script + ":" + std::to_string(line); }
};

// A row of commands.def.
struct CommandRow {
  const char* name;
  const char* abbreviation;  // "" when unique prefixes are enough
  const char* synopsis;
  const char* help;
  const char* group;
  // With several devices: null, it works on the selected one; else why it does not.
  const char* several;
};
const std::vector<CommandRow>& Commands();

class Session {
 public:
  // `module` is verified. `out` receives everything the console shows.
  Session(std::shared_ptr<Module> module, std::unique_ptr<Backend> backend, SessionOptions options, std::function<void(absl::string_view)> out);
  ~Session();

  // An empty line repeats the last command if it is one that people repeat (step, next, continue, list, ...).
  CommandResult Execute(absl::string_view line);
  // Executes a file of commands, up to the first that fails or quits. A result that is not ok names the line in what was written.
  CommandResult ExecuteFile(const std::string& path);
  // Completions of the word at the end of `line` (commands, instruction and computation names, options).
  std::vector<std::string> Complete(absl::string_view line) const;
  // Asynchronous-signal-safe: stops a running program at the next region.
  void Interrupt();

  int failed_expects() const;
  int passed_expects() const;
  const std::vector<ExpectRecord>& expects() const;
  bool stopped_with_error() const;
  bool running() const;  // started and not finished: quitting would end it

  struct State;  // shared by the files of commands; see session_state.h
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SESSION_H_
