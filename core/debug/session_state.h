// What the files of commands share: the session's state. Nobody else includes this. Handlers of commands.def are declared in
// command_table.cc alone, so that a new row compiles one file.
#ifndef HLOSCOPE_CORE_DEBUG_SESSION_STATE_H_
#define HLOSCOPE_CORE_DEBUG_SESSION_STATE_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/debug/breakpoint.h"
#include "core/debug/expression.h"
#include "core/debug/locations.h"
#include "core/debug/program_inputs.h"
#include "core/debug/session.h"

namespace hloscope {

struct DisplayItem {
  int number = 0;
  std::string expression;
};

// What belongs to the run of the program on one device. Where it runs on several, selecting one swaps all of this (devices.h).
struct RunState {
  // Of an error stop: why.
  const absl::Status& stop_status() const { return !stuck.ok() || machine == nullptr ? stuck : machine->status(); }
  // What watches the machine goes before it.
  void Clear() {
    extensions_of_run.clear();
    machine.reset();
  }

  std::shared_ptr<Module> module;  // what it runs: the program, or the program begun at the device's own function (Module::WithEntry)
  std::shared_ptr<ProgramInputs> inputs;
  std::unique_ptr<Machine> machine;  // null until the first run
  int selected = 0;  // depth of the selected frame in machine->frames(); 0 is the entry
  bool error_stop = false;
  bool error_expected = false;  // of an error stop: a script said that it is meant
  absl::Status stuck;  // of an error stop that is not the machine's: it waits for devices that will not come
  bool unjudged = false;             // it stands where something is armed, and nobody has judged that yet
  std::optional<Mark> waiting_at;    // where it had to wait for other devices when it ran last
  absl::flat_hash_set<const Instruction*> armed_callers;
  uint64_t armed_generation = 0;  // of the breakpoints that the machine is armed for
  std::map<std::type_index, std::shared_ptr<void>> extensions_of_run;
};

// An extension of the session (State::Extension) that is of a run says so: static constexpr bool kOfRun = true.
template <typename T>
concept ExtensionOfRun = requires { requires T::kOfRun; };

struct Session::State : ExpressionHost, RunState {
  ~State() override { Clear(); }  // before the program

  Session* session = nullptr;
  std::unique_ptr<Backend> backend;
  SessionOptions options;
  std::function<void(absl::string_view)> out;

  std::atomic<std::atomic<bool>*> interrupt{nullptr};
  std::atomic<Session*> inner{nullptr};  // one that a command runs, which is interrupted instead
  std::atomic<bool> interrupted{false};  // by the user, since a command began to run the program
  // While other devices are run for one that waits (devices.h): which; and it can go on, so the one that runs leaves off.
  int run_for = -1;
  bool yield = false;
  bool elided_said = false;
  std::vector<std::string> notices;

  std::vector<std::unique_ptr<Breakpoint>> breakpoints;
  int next_breakpoint = 1;
  uint64_t breakpoints_generation = 1;  // another one whenever breakpoints have changed
  std::vector<DisplayItem> displays;
  int next_display = 1;
  std::vector<ExpectRecord> expects;

  int64_t print_elements = 200;
  int64_t print_edge = 3;
  int64_t list_size = 10;
  int list_first = 0, list_last = 0;  // the lines last listed
  std::string repeat;                 // what an empty line executes
  bool quit = false;
  int source_depth = 0;
  std::string script;  // the file of commands that is being executed, the innermost; empty: none
  int script_line = 0;

  // What a feature's file keeps in the session: made when first asked for. Features do not see each other's.
  template <typename T>
  T& Extension() {
    std::shared_ptr<void>& slot = (ExtensionOfRun<T> ? extensions_of_run : extensions)[std::type_index(typeid(T))];
    if (slot == nullptr) slot = std::make_shared<T>();
    return *static_cast<T*>(slot.get());
  }
  std::map<std::type_index, std::shared_ptr<void>> extensions;

  // -- Writing --
  template <typename... Parts>
  void Say(const Parts&... parts) const {
    out(absl::StrCat(parts...));
  }

  // -- Where the program is (execution.cc) --
  bool started() const { return machine != nullptr && machine->running(); }
  absl::Status NeedRunning() const;
  // There are frames to look at: while the program runs, and the entry's after it has finished.
  bool visible() const { return machine != nullptr && (machine->running() || machine->finished()) && !machine->frames().empty(); }
  absl::Status NeedFrames() const { return visible() ? absl::OkStatus() : NeedRunning(); }
  const Frame* frame() const;  // the selected one; null when there are none
  const Computation* current_computation() const { return frame() != nullptr ? frame()->computation : nullptr; }
  // "%dot.5 in body (loop body of %while.3, iteration 4), model.hlo:12".
  std::string DescribeFrame(int depth) const;
  // The frame of the instruction's computation, from the selected one outwards; -1: none.
  int FrameThatShows(const Instruction& instruction) const;
  // The line of the text with its number.
  void ShowInstruction(const Instruction& instruction) const;
  void ShowNotices();  // before the stop's line is begun
  void ShowStop(StopReason reason);
  void ShowDisplays();
  // Starts afresh; the machine stands before the first instruction.
  absl::Status Begin();
  // Runs `first`, and while it only reaches breakpoints that do not want to stop, `again`. A step that ends where a breakpoint stops is
  // kBreakpoint. `enter`: at an instruction whose element computation has a breakpoint inside, goes into it first.
  StopReason Go(const std::function<StopReason()>& first, const std::function<StopReason()>& again, bool enter = true);
  // The selected device alone. kWaiting: it has to wait for others.
  StopReason GoAlone(const std::function<StopReason()>& first, const std::function<StopReason()>& again, bool enter);

  // -- Breakpoints (breakpoints.cc; when they stop: stops.h) --
  // The breakpoints have changed: what runs is armed by them, other devices' runs when they are selected.
  void ArmAll();
  // Only what follows from this run has changed.
  void ArmThis();
  // Runs compute reducers, maps and comparators without frames. So where a breakpoint lies inside one, the instructions that call it are
  // armed too, and are stepped into when they are reached. Says whether the program stands at one.
  bool AtElementCaller() const;
  Breakpoint& AddBreakpoint(absl::string_view spec, std::vector<Location> locations);

  // -- Values (ExpressionHost, value_names.cc) --
  bool IsName(absl::string_view name) const override;
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override;  // dense
  absl::StatusOr<Value> StoredValueOf(absl::string_view name) const;     // as it lies in memory
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override;
  absl::StatusOr<bool> StoppedAt(absl::string_view location) const override;
  bool Finished() const override { return machine != nullptr && machine->finished(); }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override;
  // The frame (at or outside the selected one) and instruction that a name means there.
  absl::StatusOr<std::pair<int, const Instruction*>> FindValue(absl::string_view name) const;
  // What is wrong with an expression before any value is known: unknown names, and mistakes up to the first value.
  // `moments`: it may name moments, as in print.
  absl::Status CheckExpression(absl::string_view text, bool moments = false) const;
  // An instruction by name for looking only: in the selected frame's computation, else anywhere. Empty name: where we stand.
  absl::StatusOr<const Instruction*> FindInstruction(absl::string_view name) const;
};

// The error with the moments that `command args` can be asked for, where a value is of no frame of the present; others as they are.
absl::Status WithMoment(const absl::Status& status, absl::string_view command, absl::string_view args);

// A count that a command takes ("", "3"); InvalidArgument with the command's usage.
absl::StatusOr<int64_t> ParseCount(absl::string_view args, int64_t otherwise);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SESSION_STATE_H_
