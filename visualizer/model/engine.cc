#include "visualizer/model/engine.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/threads.h"
#include "core/debug/command_table.h"
#include "core/debug/last_stop.h"
#include "core/debug/report.h"
#include "core/debug/session_state.h"
#include "core/debug/stops.h"
#include "core/debug/window_command.h"
#include "visualizer/model/observe.h"
#include "visualizer/model/program_signs.h"

namespace hloscope {
namespace {

using Clock = std::chrono::steady_clock;

// A text has no such letters.
bool HoldsBytes(const ReadProgram& program) {
  if (program.source == nullptr) return false;
  const absl::string_view head = program.source->text().substr(0, 4096);
  return std::any_of(head.begin(), head.end(), [](char c) {
    const unsigned char u = static_cast<unsigned char>(c);
    return u < 0x20 && u != '\n' && u != '\r' && u != '\t' && u != '\f' && u != '\v';
  });
}

bool NothingIn(const Module& module) { return module.entry == nullptr || module.entry->instructions.empty(); }

absl::string_view GroupOf(const CommandRow* row) { return row != nullptr ? row->group : ""; }

// It runs the program or goes to another moment: nothing that somebody who pauses still wants.
bool MovesProgram(absl::string_view line) {
  const CommandRow* row = CommandOfLine(line);
  return RunsProgram(line) || (GroupOf(row) == "going back" && absl::string_view(row->name) != "bookmark");
}

// It only changes where the program stops and what it does there. (A file that `stop load` reads may run the program too; then it stands where
// that has led it.)
bool ChangesStops(absl::string_view line) { return GroupOf(CommandOfLine(line)) == "breakpoints"; }

// Interrupted, `continue` goes on as if nothing had been.
constexpr char kGoOn[] = "continue";
bool GoesOn(absl::string_view line) {
  const CommandRow* row = CommandOfLine(line);
  return row != nullptr && (absl::string_view(row->name) == kGoOn || absl::string_view(row->name) == "run") && !absl::StrContains(line, ' ');
}

// The work that lets a run go on that was interrupted only to take something up. Nobody has asked for it, so it has no number.
template <typename W>
bool GoesOnThen(const W& work) {
  return !work.command.empty() && work.number == 0;
}

double Seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

// Where a session stands; the same as long as no command moves it.
struct Place {
  const Machine* machine = nullptr;
  int64_t executed = 0;
  bool finished = false;
  Mark mark;
  bool operator!=(const Place& o) const { return machine != o.machine || executed != o.executed || finished != o.finished || !(mark == o.mark); }
};
Place PlaceOf(const Session::State& s) {
  Place place{s.machine.get()};
  if (s.machine == nullptr) return place;
  place.executed = s.machine->executed();
  place.finished = s.machine->finished();
  if (s.visible()) place.mark = s.machine->Where();
  return place;
}

}  // namespace

bool ReadProgram::ok() const {
  return open.ok() && module != nullptr && !NothingIn(*module) &&
         std::none_of(problems.begin(), problems.end(), [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

Engine::Engine(Wiring wiring, std::function<void()> wake) : wiring_(std::move(wiring)), wake_(std::move(wake)), snapshot_(std::make_shared<Snapshot>()) {
  thread_ = std::thread([this] { Loop(); });
}

Engine::~Engine() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    quitting_ = true;
    queue_.clear();
    if (session_ != nullptr) session_->Interrupt();
  }
  ++reading_;
  wanted_.notify_all();
  // A run that began just now may have missed the interrupt.
  while (true) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (wanted_.wait_for(lock, std::chrono::milliseconds(50), [this] { return !busy_; })) break;
    if (session_ != nullptr) session_->Interrupt();
  }
  thread_.join();
  for (std::thread& reader : readers_) reader.join();
  snapshot_.reset();
  session_.reset();
}

void Engine::Post(Work work) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (quitting_) return;
    if (!work.tag.empty()) {
      queue_.erase(std::remove_if(queue_.begin(), queue_.end(), [&](const Work& w) { return w.tag == work.tag; }), queue_.end());
    }
    queue_.push_back(std::move(work));
  }
  wanted_.notify_all();
}

void Engine::Execute(std::string command) {
  Work work;
  work.command = std::string(absl::StripAsciiWhitespace(command));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    work.number = next_command_++;
    const bool alone = std::all_of(queue_.begin(), queue_.end(), [](const Work& w) { return w.command.empty() || GoesOnThen(w) || ChangesStops(w.command); });
    if (busy_ && !asking_ && !quitting_ && session_ != nullptr && alone && GoesOn(what_) && ChangesStops(work.command)) {
      // It takes effect now: the run is interrupted for it, and goes on.
      const auto on = std::find_if(queue_.begin(), queue_.end(), [](const Work& w) { return GoesOnThen(w); });
      const bool first = on == queue_.end();
      queue_.insert(on, std::move(work));
      if (first) {
        Work then;
        then.command = kGoOn;
        queue_.push_back(std::move(then));
      }
      session_->Interrupt();
      return;
    }
  }
  Post(std::move(work));
}

std::vector<Engine::Waiting> Engine::waiting() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Waiting> waiting;
  if (!busy_) return waiting;  // it is about to be taken up
  for (const Work& work : queue_) {
    if (!work.command.empty() && !GoesOnThen(work)) waiting.push_back({work.number, work.command});
  }
  return waiting;
}

bool Engine::Withdraw(uint64_t number) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = std::find_if(queue_.begin(), queue_.end(), [&](const Work& work) { return work.number == number && !work.command.empty(); });
  if (found == queue_.end()) return false;
  console_.push_back({ConsoleLine::kNote, absl::StrCat("taken back: ", found->command)});
  queue_.erase(found);
  return true;
}

void Engine::Ask(std::string tag, std::function<void(Session::State&)> question, bool publish) {
  Work work;
  work.tag = std::move(tag);
  work.question = std::move(question);
  work.publish = publish;
  Post(std::move(work));
}

void Engine::StartReading(std::string path, bool from_file, std::function<ReadProgram()> read) {
  const uint64_t number = ++reading_;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    reading_now_ = true;
    what_ = absl::StrCat("reading ", path);
    since_ = Clock::now();
  }
  std::thread reader;
  const bool started = TryStartThread(reader, [this, number, path, from_file, read = std::move(read)] {
    auto program = std::make_shared<ReadProgram>(read());
    if (reading_ != number) return;  // given up
    Work work;
    work.internal = [this, number, path, from_file, program] {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        reading_now_ = false;
      }
      if (reading_ == number) Install(std::move(*program), path, from_file);
    };
    Post(std::move(work));
    // What still runs is of the program that goes: it is interrupted until the new one can come in.
    for (bool waiting = true; waiting;) {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        waiting = reading_now_ && !quitting_ && reading_ == number;
        if (waiting && busy_ && !asking_ && session_ != nullptr) session_->Interrupt();
      }
      if (waiting) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
  });
  if (!started) {
    std::lock_guard<std::mutex> lock(mutex_);
    reading_now_ = false;
    console_.push_back({ConsoleLine::kError, "no thread can be started for reading"});
    return;
  }
  readers_.push_back(std::move(reader));
}

void Engine::Open(std::string path) {
  StartReading(path, true, [this, path] { return wiring_.read_file(path); });
}

void Engine::OpenText(std::string name, std::string text) {
  StartReading(name, false, [this, name, text = std::move(text)]() mutable { return wiring_.read_text(name, std::move(text)); });
}

void Engine::Rename(std::string path) {
  Work work;
  work.internal = [this, path = std::move(path)] {
    path_ = path;
    Publish(false);
  };
  Post(std::move(work));
}

void Engine::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (reading_now_) {
    ++reading_;
    reading_now_ = false;
    console_.push_back({ConsoleLine::kNote, absl::StrCat("given up: ", what_)});
    return;
  }
  size_t dropped = 0;
  for (auto it = queue_.begin(); it != queue_.end();) {
    if (it->command.empty() || !MovesProgram(it->command)) {
      ++it;  // what was set or asked for is answered at the pause
    } else {
      dropped += !GoesOnThen(*it);
      it = queue_.erase(it);
    }
  }
  if (dropped > 0) console_.push_back({ConsoleLine::kNote, absl::StrCat(dropped, dropped == 1 ? " waiting command" : " waiting commands", " dropped")});
  if (busy_ && session_ != nullptr) session_->Interrupt();
}

std::shared_ptr<const Snapshot> Engine::snapshot() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return snapshot_;
}

std::vector<ConsoleLine> Engine::TakeConsole() {
  std::lock_guard<std::mutex> lock(mutex_);
  // A run that had only just begun may have missed the interrupt.
  const bool interrupting = busy_ && !asking_ && session_ != nullptr && GoesOn(what_) && std::any_of(queue_.begin(), queue_.end(), [](const Work& w) { return GoesOnThen(w); });
  if (interrupting && Seconds(since_) > 0.1) session_->Interrupt();
  return std::exchange(console_, {});
}

void Engine::AddConsole(ConsoleLine::Kind kind, absl::string_view text) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) console_.push_back({kind, std::string(line)});
}

std::vector<std::string> Engine::TakeWindowCommands() {
  std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(window_commands_, {});
}

Engine::Activity Engine::activity() const {
  std::lock_guard<std::mutex> lock(mutex_);
  Activity activity;
  if (!busy_ && !reading_now_) return activity;
  activity.seconds = Seconds(since_);
  if (asking_ && !reading_now_ && activity.seconds < 0.2) return activity;
  activity.what = said_.empty() ? what_ : said_;
  if (progress_ != nullptr && !asking_ && !reading_now_) {
    ProgressOfRun::Point point = progress_->Read();
    activity.mark = std::move(point.mark);
    activity.executed = point.executed;
  }
  return activity;
}

bool Engine::idle() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return !busy_ && !reading_now_ && std::none_of(queue_.begin(), queue_.end(), [this](const Work& w) { return CanBegin(w); });
}

// While the lines of `commands` are typed, the run that was interrupted for them waits for their `end`.
bool Engine::CanBegin(const Work& work) const { return !collecting_ || !GoesOnThen(work); }

void Engine::Loop() {
  while (true) {
    Work work;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      busy_ = asking_ = false;
      wanted_.notify_all();
      auto next = queue_.end();
      wanted_.wait(lock, [this, &next] {
        // Commands first: an answer to what is asked now would be old after them.
        next = std::find_if(queue_.begin(), queue_.end(), [this](const Work& w) { return !w.question && CanBegin(w); });
        if (next == queue_.end()) next = std::find_if(queue_.begin(), queue_.end(), [](const Work& w) { return w.question != nullptr; });
        return quitting_ || next != queue_.end();
      });
      if (quitting_) return;
      work = std::move(*next);
      queue_.erase(next);
      busy_ = true;
      asking_ = work.question != nullptr;
      if (progress_ != nullptr && !work.command.empty()) progress_->Clear();
      if (!reading_now_) {
        what_ = !work.command.empty() ? work.command : "looking";
        since_ = Clock::now();
      }
    }
    if (work.internal) {
      work.internal();
    } else if (work.question) {
      if (session_ != nullptr) work.question(session_->state());
      if (work.publish) Publish(true);
    } else if (!GoesOnThen(work) || (session_ != nullptr && session_->state().Extension<LastStop>().interrupted)) {
      RunCommand(work.command);
    }
    wake_();
  }
}

void Engine::RunCommand(const std::string& command) {
  const absl::string_view line = absl::StripAsciiWhitespace(command);
  AddConsole(ConsoleLine::kCommand, line);
  wake_();
  if (session_ == nullptr) {
    absl::string_view rest = line;
    if (absl::ConsumePrefix(&rest, "window ")) {
      std::lock_guard<std::mutex> lock(mutex_);
      window_commands_.push_back(std::string(absl::StripAsciiWhitespace(rest)));
    } else if (line == "quit" || line == "q") {
      std::lock_guard<std::mutex> lock(mutex_);
      window_commands_.push_back("quit");
    } else if (const CommandRow* row = CommandOfLine(line); row != nullptr && absl::string_view(row->name) == "help") {
      const absl::StatusOr<std::string> text = HelpText(line.substr(std::min(line.find(' '), line.size())));
      AddConsole(text.ok() ? ConsoleLine::kOutput : ConsoleLine::kError, text.ok() ? *text : std::string(text.status().message()));
    } else if (!line.empty()) {
      AddConsole(ConsoleLine::kError, path_.empty() ? "no program is open; window open FILE opens one" : absl::StrCat(path_, " cannot be run; the panel Problems says why"));
    }
    return;
  }
  const Clock::time_point start = Clock::now();
  const Place before = PlaceOf(session_->state());
  if (MovesProgram(line)) session_->state().Extension<LastStop>().interrupted = false;
  const CommandResult result = session_->Execute(line);
  if (PlaceOf(session_->state()) != before) command_ms_ = Seconds(start) * 1e3;
  FlushPartial();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    collecting_ = !Stops(session_->state()).collecting.empty();
  }
  if (!result.ok) {
    // The command's own text says what is wrong: shown as an error.
    std::lock_guard<std::mutex> lock(mutex_);
    for (size_t k = console_.size(); k > 0 && console_[k - 1].kind == ConsoleLine::kOutput; --k) console_[k - 1].kind = ConsoleLine::kError;
  }
  if (result.quit) {
    std::lock_guard<std::mutex> lock(mutex_);
    window_commands_.push_back("quit");
  }
  Publish(true);
}

void Engine::Install(ReadProgram program, std::string path, bool from_file) {
  if (!program.open.ok()) {
    AddConsole(ConsoleLine::kError, program.open.message());
    return;
  }
  std::shared_ptr<Session> session;
  const std::string format = program.format;
  const std::shared_ptr<const SourceText> source = program.source;
  std::vector<Diagnostic> problems = program.problems;
  std::shared_ptr<const Module> broken;
  const bool fresh = problems.empty() && program.module != nullptr && NothingIn(*program.module);  // a new program
  const bool bytes = HoldsBytes(program), as_text = absl::EndsWith(program.format, "text");
  const bool no_text = bytes || (program.module == nullptr && !as_text);
  const bool unreadable = !program.ok() && (no_text || (from_file && program.source != nullptr && !HasSignOfProgram(program.source->text())));
  if (unreadable && from_file && (session_ != nullptr || source_ != nullptr)) {
    AddConsole(ConsoleLine::kError, absl::StrCat(path, " is no program: neither HLO text, StableHLO nor a protobuf of one; ", path_ == path ? "what was read of it before" : path_, " stays open"));
    return;
  }
  if (unreadable && bytes && as_text && !problems.empty()) {
    // What a reader of text finds in bytes helps nobody.
    problems.resize(1);
    problems[0].range = {};
    problems[0].message = "the file holds bytes that are neither text nor a program";
    problems[0].hint = "open HLO text, StableHLO text or a protobuf of HLO";
  }
  if (program.ok()) {
    absl::StatusOr<std::shared_ptr<Session>> made = wiring_.make_session(std::move(program), [this](absl::string_view text) { Output(text); });
    if (!made.ok()) {
      AddConsole(ConsoleLine::kError, made.status().message());
      return;
    }
    session = *std::move(made);
    session->state().Extension<WindowLink>().execute = [this](absl::string_view args) {
      std::lock_guard<std::mutex> lock(mutex_);
      window_commands_.push_back(std::string(args));
      return absl::OkStatus();
    };
  } else {
    broken = std::move(program.module);
    if (fresh) {
      AddConsole(ConsoleLine::kNote, absl::StrCat(path, " is empty: add parameters, constants and operations in the builder, or type them"));
    } else {
      AddConsole(ConsoleLine::kError, absl::StrCat(path, " cannot be run: ", problems.size(), problems.size() == 1 ? " problem" : " problems"));
    }
  }
  path_ = std::move(path);
  format_ = format;
  source_ = source;
  broken_ = std::move(broken);
  problems_ = std::move(problems);
  unreadable_ = unreadable;
  fresh_ = fresh && session == nullptr;
  command_ms_ = 0;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    session_.swap(session);
    collecting_ = false;
    progress_ = session_ != nullptr ? session_->state().Extension<RunProgress>().run : nullptr;
    said_.clear();
  }
  if (session_ != nullptr) {
    session_->state().Extension<ProgressLine>().set = [this](const std::string& text) {
      std::lock_guard<std::mutex> lock(mutex_);
      said_ = text;
    };
  }
  if (session_ != nullptr && on_opened_) {
    on_opened_(path_, session_->state());
    FlushPartial();
  }
  // What is needed where a program runs on several devices opens with it.
  if (session_ != nullptr && session_->state().options.devices.several()) {
    std::lock_guard<std::mutex> lock(mutex_);
    window_commands_.push_back("panel replicas");
  }
  last_program_ = nullptr;
  ++program_generation_;
  if (from_file) file_generation_ = program_generation_;
  Publish(true);
}

void Engine::Output(absl::string_view text) {
  absl::StrAppend(&partial_, text);
  const size_t end = partial_.rfind('\n');
  if (end == std::string::npos) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (absl::string_view line : absl::StrSplit(absl::string_view(partial_).substr(0, end), '\n')) console_.push_back({ConsoleLine::kOutput, std::string(line)});
  }
  partial_.erase(0, end + 1);
  wake_();
}

void Engine::FlushPartial() {
  if (!partial_.empty()) Output("\n");
}

void Engine::Publish(bool moved) {
  auto snapshot = std::make_shared<Snapshot>();
  bool goes_on = session_ != nullptr && session_->state().Extension<LastStop>().interrupted;
  if (goes_on) {
    std::lock_guard<std::mutex> lock(mutex_);
    goes_on = !collecting_ && std::any_of(queue_.begin(), queue_.end(), [](const auto& w) { return GoesOnThen(w); });
  }
  if (goes_on) {
    // It does not stay here: nothing but the stops is new.
    snapshot->session = session_;
    Observe(session_->state(), *snapshot);
    std::vector<StopRow> stops = std::move(snapshot->stops);
    std::lock_guard<std::mutex> lock(mutex_);
    *snapshot = *snapshot_;
    snapshot->stops = std::move(stops);
    snapshot->collecting = false;
    snapshot->generation = ++generation_;
    snapshot_ = std::move(snapshot);
    return;  // the loop wakes the window
  }
  snapshot->path = path_;
  snapshot->format = format_;
  snapshot->problems = problems_;
  snapshot->source = source_;
  snapshot->broken = broken_;
  snapshot->session = session_;
  snapshot->command_ms = command_ms_;
  snapshot->unreadable = unreadable_;
  snapshot->fresh = fresh_;
  if (session_ != nullptr) {
    Observe(session_->state(), *snapshot);
    if (snapshot->module->source != nullptr) snapshot->source = snapshot->module->source;
    // Another device's function of the same program is no other program.
    if (const Module* program = &snapshot->module->program(); program != last_program_) {
      if (last_program_ != nullptr) ++program_generation_;
      last_program_ = program;
    }
  } else if (source_ != nullptr || !problems_.empty()) {
    snapshot->phase = Phase::kBroken;
    snapshot->module = broken_.get();
  }
  if (moved) ++moment_generation_;
  snapshot->generation = ++generation_;
  snapshot->program_generation = program_generation_;
  snapshot->moment_generation = moment_generation_;
  snapshot->from_file = program_generation_ == file_generation_;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    snapshot_ = std::move(snapshot);
  }
  wake_();
}

}  // namespace hloscope
