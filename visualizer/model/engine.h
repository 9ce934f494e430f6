// The engine's thread owns the session: the window posts commands and questions, and draws from the snapshots that come back.
// Commands run in order; of questions with the same tag only the newest. Opening files has a thread of its own, so that it can be given up.
#ifndef HLOSCOPE_VISUALIZER_MODEL_ENGINE_H_
#define HLOSCOPE_VISUALIZER_MODEL_ENGINE_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/debug/run_progress.h"
#include "visualizer/model/snapshot.h"

namespace hloscope {

// A program that was read (from a file, or from text): made by the app, which knows formats and backends.
struct ReadProgram {
  absl::Status open = absl::OkStatus();  // not OK: the file cannot be opened
  std::string format;
  std::shared_ptr<const SourceText> source;
  std::unique_ptr<Module> module;  // verified; null where nothing could be read
  std::vector<Value> arguments;    // of a snapshot file
  std::vector<Diagnostic> problems;
  bool ok() const;                 // can be run
};

// What the app gives the window.
struct Wiring {
  std::function<ReadProgram(const std::string& path)> read_file;
  std::function<ReadProgram(const std::string& name, std::string text)> read_text;  // any thread
  // A session on a program that is ok().
  std::function<absl::StatusOr<std::shared_ptr<Session>>(ReadProgram program, std::function<void(absl::string_view)> out)> make_session;
};

struct ConsoleLine {
  enum Kind : uint8_t { kCommand, kOutput, kError, kNote };
  Kind kind = kOutput;
  std::string text;  // without a newline
};

class Engine {
 public:
  // `wake` is called from any thread when there is something new to draw.
  Engine(Wiring wiring, std::function<void()> wake);
  ~Engine();  // interrupts what runs and waits for it
  // Called on the engine's thread for each program that was opened, before it is shown. To be set before anything is opened.
  void set_on_opened(std::function<void(const std::string& path, Session::State&)> f) { on_opened_ = std::move(f); }

  // -- Posting; from the window's thread, never blocks --
  // Reads a file and makes it the session's program. The present session goes when the new one is there.
  void Open(std::string path);
  // The same of a text (a new program, a recovered one); `name` stands for a path that does not exist yet.
  void OpenText(std::string name, std::string text);
  // The program was saved as this file: it is called so from now on, and stands where it stands.
  void Rename(std::string path);
  // A console command; it is echoed to the console and its output goes there.
  void Execute(std::string command);
  // A question or silent work on the session; `tag` not empty: it takes the place of a waiting one with the same tag. `publish`: a new
  // snapshot afterwards.
  void Ask(std::string tag, std::function<void(Session::State&)> work, bool publish = false);
  // Interrupts the running program and drops the commands that wait, or gives up opening a file.
  void Cancel();

  // -- Looking; from the window's thread --
  std::shared_ptr<const Snapshot> snapshot() const;
  // New lines since the last call.
  std::vector<ConsoleLine> TakeConsole();
  void AddConsole(ConsoleLine::Kind kind, absl::string_view text);
  // Commands that wait for the one that runs, in their order.
  struct Waiting {
    uint64_t number = 0;
    std::string command;
  };
  std::vector<Waiting> waiting() const;
  // Takes one of them back. False: it runs already, or is done.
  bool Withdraw(uint64_t number);
  // `window ...` commands that were executed, for the shell.
  std::vector<std::string> TakeWindowCommands();
  // What runs now: empty text when idle. Questions do not count before 0.2 s.
  struct Activity {
    std::string what;
    double seconds = 0;
    // Of a program that runs, as it was noted last; an empty mark: nothing is known.
    Mark mark;
    int64_t executed = 0;
  };
  Activity activity() const;
  bool idle() const;  // nothing runs or waits
  // Completions of a console line, from the last known session. Asked through Live (live.h).
  const Wiring& wiring() const { return wiring_; }

 private:
  struct Work {
    std::string tag, command;
    uint64_t number = 0;  // of a command
    std::function<void(Session::State&)> question;
    std::function<void()> internal;
    bool publish = false;
  };
  void Loop();
  bool CanBegin(const Work& work) const;
  void RunCommand(const std::string& command);
  void Install(ReadProgram program, std::string path, bool from_file);
  void Output(absl::string_view text);
  void FlushPartial();
  void Publish(bool moved);
  void Post(Work work);
  void Start(std::string what);
  void StartReading(std::string path, bool from_file, std::function<ReadProgram()> read);

  Wiring wiring_;
  std::function<void()> wake_;
  std::function<void(const std::string&, Session::State&)> on_opened_;
  mutable std::mutex mutex_;
  std::condition_variable wanted_;
  std::deque<Work> queue_;
  bool quitting_ = false, busy_ = false, asking_ = false;
  bool collecting_ = false;  // the lines that come are a breakpoint's commands
  std::string what_;
  std::string said_;  // how far it is, where it says so itself
  std::chrono::steady_clock::time_point since_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::vector<ConsoleLine> console_;
  std::vector<std::string> window_commands_;
  std::atomic<uint64_t> reading_{0};  // the newest opening; an older one is given up
  bool reading_now_ = false;
  uint64_t next_command_ = 1;
  std::shared_ptr<ProgressOfRun> progress_;
  std::vector<std::thread> readers_;

  // The engine's thread only (the session's pointer is also read by Cancel, under the mutex).
  std::shared_ptr<Session> session_;
  std::string partial_;  // output without its newline yet
  std::string path_, format_;
  std::shared_ptr<const SourceText> source_;
  std::shared_ptr<const Module> broken_;
  std::vector<Diagnostic> problems_;
  const Module* last_program_ = nullptr;
  uint64_t file_generation_ = 0;  // the program_generation_ of the last program that was read from a file
  uint64_t program_generation_ = 0, moment_generation_ = 0, generation_ = 0;
  double command_ms_ = 0;  // of the last command that moved the program
  bool unreadable_ = false, fresh_ = false;
  std::thread thread_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_ENGINE_H_
