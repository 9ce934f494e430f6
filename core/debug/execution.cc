// Commands that run the program, and what is shown where it stops.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "core/debug/begin.h"
#include "core/debug/calls.h"
#include "core/debug/catch_commands.h"
#include "core/debug/devices.h"
#include "core/debug/frame_kinds.h"
#include "core/debug/known_values.h"
#include "core/debug/last_stop.h"
#include "core/debug/parallel_main.h"
#include "core/debug/session_state.h"
#include "core/debug/set_devices.h"
#include "core/debug/source_view.h"
#include "core/debug/stop_walk.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/debug/ways.h"
#include "core/ir/written_names.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/text/hlo_text.h"

namespace hloscope {

absl::Status Session::State::NeedRunning() const {
  if (started()) return absl::OkStatus();
  if (const std::vector<int> others = Several(*this) && Finished() ? NotEnded(*this) : std::vector<int>(); !others.empty()) {
    const std::string names = absl::StrJoin(others, ", ", [this](std::string* out, int d) { out->append(options.devices.Name(d)); });
    return absl::FailedPreconditionError(absl::StrCat(SelectedName(*this), " has finished; ", names, others.size() == 1 ? " has" : " have",
                                                      " not: continue goes on there, and replica N selects one"));
  }
  return absl::FailedPreconditionError(Finished() ? "the program has finished; run starts it again" : "the program is not running; run or start begins it");
}

const Frame* Session::State::frame() const {
  if (!visible()) return nullptr;
  return &machine->frames()[std::min<size_t>(selected, machine->frames().size() - 1)];
}

int Session::State::FrameThatShows(const Instruction& instruction) const {
  if (!visible()) return -1;
  for (int depth = std::min<int>(selected, static_cast<int>(machine->frames().size()) - 1); depth >= 0; --depth) {
    if (machine->frames()[depth].computation == instruction.parent) return depth;
  }
  return -1;
}

std::string Session::State::DescribeFrame(int depth) const {
  const Frame& f = machine->frames()[depth];
  const int size = static_cast<int>(f.computation->schedule.size());
  std::string text = f.position < size ? ShownName(*f.computation->schedule[f.position]) : "the end";
  absl::StrAppend(&text, " in ", f.computation->name);
  std::vector<const Instruction*> callers;
  for (const Frame& each : machine->frames()) callers.push_back(each.caller);
  const auto name_of = [&callers](const Instruction& caller) { return absl::StrCat("%", NameAmong(caller, callers)); };
  if (f.kind != FrameKind::kEntry) {
    absl::StrAppend(&text, " (", KindText(f.kind));
    if (depth > 0) {
      const Frame& caller = machine->frames()[depth - 1];
      if (caller.position < static_cast<int>(caller.computation->schedule.size())) absl::StrAppend(&text, " of ", name_of(*caller.computation->schedule[caller.position]));
    }
    if (IsLoop(f.kind)) absl::StrAppend(&text, ", iteration ", f.iteration);
    for (int outer = depth - 1; outer > 0; --outer) {  // where iterations repeat, those around them tell them apart
      const Frame& around = machine->frames()[outer];
      if (!IsLoop(around.kind)) continue;
      absl::StrAppend(&text, ", in iteration ", around.iteration, " of ", name_of(*around.caller));
    }
    if (f.kind == FrameKind::kElement) absl::StrAppend(&text, ", call ", f.iteration);
    if (f.kind == FrameKind::kBranch) absl::StrAppend(&text, ", branch ", f.branch);
    text += ")";
  }
  if (f.position < size) {
    const int line = LineOf(*module, *f.computation->schedule[f.position]);
    if (line > 0) absl::StrAppend(&text, ", ", Basename(module->source->name()), ":", line);
  }
  if (Finished()) text += "; the program has finished";
  return text;
}

void Session::State::ShowInstruction(const Instruction& instruction) const {
  PrintOptions print;
  print.metadata = false;
  print.max_literal_elements = 16;
  const int line = LineOf(*module, instruction);
  const std::string text = PrintInstruction(instruction, print);
  const absl::string_view written = WrittenName(instruction);
  Say(line > 0 ? absl::StrCat(line) : std::string("-"), "\t", instruction.parent->root == &instruction && !absl::StartsWith(text, "ROOT") ? "ROOT " : "",
      Cut(absl::StripAsciiWhitespace(text), 160), written.empty() ? "" : absl::StrCat("  // %", written), "\n");
}

void Session::State::ShowDisplays() {
  for (const DisplayItem& item : displays) {
    const absl::StatusOr<ExpressionResult> value = EvaluateExpression(item.expression, *this);
    Say(item.number, ": ", item.expression, " = ", value.ok() ? ToText(*value, print_elements) : absl::StrCat("(", value.status().message(), ")"), "\n");
  }
}

void Session::State::ShowNotices() {
  for (std::string& notice : machine->TakeNotices()) {
    Say("note: ", notice, "\n");
    notices.push_back(std::move(notice));
  }
  ShowCatchNotices(*this);
}

void Session::State::ShowStop(StopReason reason) {
  Extension<LastStop>().interrupted = reason == StopReason::kInterrupted;
  const bool silent = (reason == StopReason::kBreakpoint || reason == StopReason::kCaught) && Stops(*this).silent;
  if (!silent) SaySwitched(*this);
  if (Several(*this)) SayMissedSets(*this);
  const std::string device = SelectedName(*this), who = device.empty() ? "The program" : device;
  if (reason == StopReason::kInterrupted) machine->interrupt().store(false);  // else what is made again to stand here would end by it, in the past
  if (reason == StopReason::kInterrupted || reason == StopReason::kCaught) Settle(*this);
  if (!device.empty()) SettleRun(*this);
  ShowNotices();
  selected = std::max<int>(0, static_cast<int>(machine->frames().size()) - 1);
  list_first = list_last = 0;
  if (silent) return;
  if (reason == StopReason::kFinished || machine->finished()) {
    Say(who, " has finished after ", Count(machine->executed(), "instruction"), ".\n");
    const Value& result = machine->result();
    if (result.has_value()) {
      Say("$result = ", ShapeText(result.shape()));
      if (result.shape().IsArray() && result.element_count() <= 16) Say(" ", FormatValue(result, {.elements = print_elements}));
      Say("\n");
    }
    if (!stuck.ok()) {  // all have ended, and the run has a fault all the same
      error_stop = true;
      error_expected = false;
      Say("All ", options.devices.count(), " devices have finished, with an error: ", stuck.message(), "\n");
    }
    return;
  }
  if (reason == StopReason::kError) {
    error_stop = true;
    error_expected = false;
    Travel& travel = Extension<Travel>();
    if (stuck.ok() && travel.timeline != nullptr) travel.failed = Travel::Failed{machine->Where(), travel.timeline->last_edit()};
    Say(who, " stopped with an error at ", machine->frames().empty() ? "its beginning" : DescribeFrame(selected), "\n  ", stop_status().message(), "\n");
  } else if (reason == StopReason::kInterrupted) {
    Say("Interrupted ", device.empty() ? "" : absl::StrCat("in ", device, " "), "at ", DescribeFrame(selected), "\n");
  } else if (reason == StopReason::kBreakpoint || reason == StopReason::kCaught) {
    Say(device, device.empty() ? "" : " ", "at ", DescribeFrame(selected), "\n");
  } else if (reason == StopReason::kWaiting) {
    Say(device, " waits", StandingOf(*this, DevicesOf(*this).selected).what, "; a replica that is held (set stop one) goes on when it is told to\n");
  }
  const Instruction* next = machine->next_instruction();
  if (next != nullptr && reason == StopReason::kStep && !device.empty()) Say("[", device, "] ");
  if (next != nullptr) ShowInstruction(*next);
  if (next == nullptr && reason == StopReason::kStep && visible()) Say("at ", DescribeFrame(selected), "\n");
  ShowDisplays();
}

MachineOptions OptionsOfRun(const Session::State& s) {
  MachineOptions options;
  options.retain_bytes = s.options.retain_bytes / s.options.devices.count();
  options.memory_limit = s.options.memory_limit;
  options.max_iterations = s.options.max_iterations;
  options.seed = s.options.fill.seed;
  options.fill = s.options.fill;
  if (s.inputs == nullptr) return options;
  options.custom_calls = &s.inputs->custom_calls();
  options.infeed = s.inputs->infeed();
  AllowParallel(s, options);
  return options;
}

void AllowParallel(const Session::State& s, MachineOptions& options) {
  const UnfollowedMain& main = const_cast<Session::State&>(s).Extension<UnfollowedMain>();
  if (main.allow && !s.options.devices.of_main) main.allow(options, *s.backend);
}

void SayElided(Session::State& s) {
  if (!s.elided_said) s.Say(ElidedWarning(CountElidedConstants(*s.module)));
  s.elided_said = true;
}

void SpendCounts(Session::State& s) {
  (void)KnowCounts(s, Need::kGoOn);
  SpendRules(s);
}

absl::Status BeginRun(Session::State& s, MachineOptions options, Machine::ParameterProvider parameters) {
  ++s.Extension<RunsBegun>().count;
  s.interrupt.store(nullptr);
  EndHistory(s);
  s.machine = std::make_unique<Machine>(*s.module, *s.backend, std::move(options));
  s.error_stop = s.unjudged = false;
  s.stuck = absl::OkStatus();
  s.waiting_at.reset();
  StopsOfRun(s).around.clear();
  CountsBegin(s);
  s.ArmThis();
  ForgetKnownValues(s);
  const absl::Status status = s.machine->Start(std::move(parameters));
  if (!status.ok()) {
    s.machine.reset();
    return status;
  }
  AttachCatches(s);
  s.interrupt.store(&s.machine->interrupt());
  BeginHistory(s);
  s.selected = 0;
  return absl::OkStatus();
}

absl::Status Session::State::Begin() {
  BeginLogs(*this);
  if (Several(*this)) return BeginDevices(*this);
  if (inputs == nullptr) {
    absl::StatusOr<std::unique_ptr<ProgramInputs>> opened = ProgramInputs::Open(*module, options);
    if (!opened.ok()) return opened.status();
    inputs = *std::move(opened);
  }
  SayElided(*this);
  SpendCounts(*this);
  const absl::Status begun = BeginRun(*this, OptionsOfRun(*this), [this](int number) { return inputs->Parameter(number, &machine->account()); });
  if (!begun.ok()) return begun;
  Say("Starting ", module->name, " (", inputs->Summary(), ") on ", backend->name(), "\n");
  SayOfMain(*this);
  return absl::OkStatus();
}

StopReason Session::State::Go(const std::function<StopReason()>& first, const std::function<StopReason()>& again, bool enter) {
  if (!Stops(*this).running_commands) interrupted.store(false);  // of a Ctrl-C while nothing ran
  return Several(*this) ? GoTogether(*this, first, again, enter) : GoAlone(first, again, enter);
}

StopReason Session::State::GoAlone(const std::function<StopReason()>& first, const std::function<StopReason()>& again, bool enter) {
  machine->interrupt().store(interrupted.load());
  (void)KnowCounts(*this, Need::kGoOn);
  const LoggedMoments::Key from{machine->Where(), !unjudged};
  if (!unjudged) WriteLogsHere(*this);
  StopState& stops = Stops(*this);
  stops.silent = false;
  struct Judging {
    RunStops& run;
    ~Judging() { run.judging = nullptr; }
  } judging{StopsOfRun(*this)};
  struct Logging {
    State& s;
    const LoggedMoments::Key& from;
    ~Logging() { NoteLogged(s, from, !s.unjudged); }
  } logging{*this, from};
  StopMemory& memory = judging.run.memory;
  judging.run.judging = &memory;
  const auto next = [&](const std::function<StopReason()>& otherwise) {
    bool stepped = false;
    while (enter && AtElementCaller()) {  // one that makes no call is done by the step, and the next one may make some
      const StopReason entered = machine->Step(true);
      if (entered != StopReason::kStep) return entered;
      TakeUpEdit(*this);
      if (ArmedHere(*this)) return StopReason::kBreakpoint;
      stepped = true;
    }
    return stepped ? again() : otherwise();
  };
  uint64_t judged_frame = 0;  // where nothing wanted to stop: it is not asked twice
  int judged_position = -1;
  StopReason reason = std::exchange(unjudged, false) ? StopReason::kBreakpoint : next(first);
  if (reason == StopReason::kStep) TakeUpEdit(*this);
  while (reason == StopReason::kBreakpoint || reason == StopReason::kCaught || (reason == StopReason::kStep && ArmedHere(*this))) {
    if (yield && reason == StopReason::kBreakpoint) {
      unjudged = true;
      reason = StopReason::kInterrupted;
      break;
    }
    // A wish to leave off for another device (devices.h) does not end what is made again to judge the stop and to go to it.
    const bool leave_off = machine->interrupt().exchange(interrupted.load());
    std::vector<Stop> found;
    if (reason != StopReason::kCaught || AtCaught(*this)) TakeUpEdit(*this);
    if (reason == StopReason::kCaught && !JudgeCaught(*this, memory, true, &found)) {
      GoToCaught(*this);
      break;  // who stopped it knows why
    }
    const bool caught = !found.empty();
    if (caught || (reason == StopReason::kCaught && machine->caught_at().lost)) GoToCaught(*this);
    const Frame& top = machine->top();
    const bool there = reason != StopReason::kCaught || AtCaught(*this);  // else what stops here comes later
    if (there && (top.serial != judged_frame || top.position != judged_position)) {
      judged_frame = top.serial;
      judged_position = top.position;
      for (Stop& stop : StopsHere(*this, memory, true)) found.push_back(std::move(stop));
    }
    if (!found.empty()) {
      if (caught) Settle(*this);
      Announce(*this, found);
      Settle(*this);
      FlushLogs(*this);
      return caught ? StopReason::kCaught : StopReason::kBreakpoint;
    }
    if (machine->interrupt().exchange(false) || leave_off) {
      reason = StopReason::kInterrupted;
      break;
    }
    if (reason == StopReason::kStep) break;  // the step is done
    reason = next(again);
    if (reason == StopReason::kStep) TakeUpEdit(*this);
  }
  if (reason != StopReason::kStep) stops.pending.clear();  // of a stop before
  waiting_at.reset();
  if (reason == StopReason::kWaiting) waiting_at = machine->Where();
  if (reason == StopReason::kError) {
    error_stop = true;
    error_expected = false;
  }
  FlushLogs(*this);
  return reason;
}

absl::Status CommandRun(Session::State& s, absl::string_view args) {
  if (absl::Status restart = CheckRestart(s); !restart.ok()) return restart;
  const absl::Status begun = s.Begin();
  if (!begun.ok()) return begun;
  const auto run = [&s] { return s.machine->Run(); };
  // A breakpoint at the very first instruction counts: Run itself never stops where it begins.
  ForEachRun(s, [&s](int) { s.unjudged = ArmedHere(s); });
  RunOn(s, run, run);
  return absl::OkStatus();
}

absl::Status CommandStart(Session::State& s, absl::string_view args) {
  if (absl::Status restart = CheckRestart(s); !restart.ok()) return restart;
  const absl::Status begun = s.Begin();
  if (!begun.ok()) return begun;
  StopReason reason = StopReason::kStep;
  const int selected = DevicesOf(s).selected;
  ForEachRun(s, [&](int d) {
    const StopReason there = s.machine->RunTo(0, FirstStop(*s.module->entry));
    if (d == selected) reason = there;
  });
  s.ShowStop(reason == StopReason::kStep ? StopReason::kBreakpoint : reason);
  return absl::OkStatus();
}

absl::Status CommandContinue(Session::State& s, absl::string_view args) {
  const absl::StatusOr<int64_t> n = ParseCount(args, 1);
  if (!n.ok()) return n.status();
  if (Several(s) && s.Finished()) {  // others may not have
    if (const std::vector<int> others = NotEnded(s); !others.empty()) SwapTo(s, others.front());
  }
  const absl::Status running = s.NeedRunning();
  if (!running.ok()) return running;
  if (*n > 1) {
    const Frame& top = s.machine->top();
    const auto here = StopsOfRun(s).at.find({top.computation, top.position});
    if (here != StopsOfRun(s).at.end()) {
      Breakpoint& b = *here->second.front();
      StopsOfRun(s).passing[b.number] = *n - 1;
      s.Say(b.kind == Breakpoint::kWatch ? "Watch " : "Breakpoint ", b.number, " is passed ", Count(*n - 1, "more time"), ".\n");
    } else {
      return absl::FailedPreconditionError("continue N passes a breakpoint where the program stands, and here is none; see: ignore");
    }
  }
  const auto run = [&s] { return s.machine->Run(); };
  RunOn(s, run, run);
  return absl::OkStatus();
}

namespace {

// Step and next: N times, showing only where it ends (and the frame where that changed).
absl::Status StepMany(Session::State& s, absl::string_view args, bool into) {
  if (absl::string_view rest = args; TakeWord(rest) == "line") return StepLine(s, rest, into);
  const absl::StatusOr<int64_t> n = ParseCount(args, 1);
  if (!n.ok()) return n.status();
  const absl::Status running = s.NeedRunning();
  if (!running.ok()) return running;
  Machine& m = *s.machine;
  StopReason reason = StopReason::kStep;
  const size_t depth_before = m.frames().size();
  const Computation* before = m.top().computation;
  for (int64_t i = 0; i < *n && reason == StopReason::kStep; ++i) {
    const int depth = static_cast<int>(m.frames().size()) - 1, position = m.top().position;
    const uint64_t serial = m.top().serial;
    const auto on = [&] {  // after a stop that nobody wanted
      if (!into) return m.RunTo(depth, position + 1);
      return m.top().serial == serial && m.top().position == position ? m.Step(true) : StopReason::kStep;
    };
    // The parameters that the entry begins with are no steps: start passes them too, and reverse-step does.
    const int first = depth == 0 ? FirstStop(*s.module->entry) : 0;
    if (position < first) {
      const auto to = [&] { return m.RunTo(0, first); };
      reason = s.Go(to, to);
      continue;
    }
    reason = s.Go([&] { return m.Step(into); }, on, !into);
  }
  s.ShowNotices();
  const bool moved = reason == StopReason::kStep && !m.finished() && (m.frames().size() != depth_before || m.top().computation != before);
  s.selected = std::max<int>(0, static_cast<int>(s.machine->frames().size()) - 1);
  if (moved) s.Say(s.DescribeFrame(s.selected), "\n");
  s.ShowStop(reason);
  return absl::OkStatus();
}

}  // namespace

absl::Status CommandStep(Session::State& s, absl::string_view args) { return StepMany(s, args, true); }
absl::Status CommandNext(Session::State& s, absl::string_view args) { return StepMany(s, args, false); }

absl::Status CommandFinish(Session::State& s, absl::string_view args) {
  const absl::Status running = s.NeedRunning();
  if (!running.ok()) return running;
  Machine& m = *s.machine;
  const int depth = s.selected;
  const Computation& ended = *m.frames()[depth].computation;
  const Instruction* const caller = m.frames()[depth].caller;
  if (depth > 0) {
    const std::string frame = s.DescribeFrame(depth);
    s.Say("Run till the end of ", absl::StripPrefix(frame, "the end in "), "\n");
  }
  const auto finish = [&] { return m.Finish(depth); };
  const StopReason reason = s.Go(finish, finish);
  const int now = static_cast<int>(m.frames().size());
  s.ShowNotices();
  if (reason == StopReason::kStep && !m.finished()) s.Say("at ", s.DescribeFrame(now - 1), "\n");
  s.ShowStop(reason);
  const Instruction* maker = nullptr;
  Value value;
  if (reason == StopReason::kStep && now == depth && depth > 0 && m.top().position > 0) {  // the frame's caller has its value
    maker = m.top().computation->schedule[m.top().position - 1];
    absl::StatusOr<Value> made = m.ValueOf(depth - 1, maker->index);
    if (made.ok()) value = *std::move(made);
  } else if (reason == StopReason::kStep && now == depth + 1) {  // one call or iteration of several
    maker = ended.root;
    value = m.returned();
  } else if (reason == StopReason::kFinished && caller != nullptr) {  // the program ended with it
    maker = caller;
    value = depth == 1 ? m.ValueOf(0, caller->index).value_or(Value()) : m.returned();
  }
  if (!value.has_value()) return absl::OkStatus();
  s.Say("Value returned: ", ShownName(*maker), " = ", ShapeText(value.shape()));
  if (value.shape().IsArray() && value.element_count() <= 16) s.Say(" ", FormatValue(value));
  s.Say("\n");
  return absl::OkStatus();
}

absl::Status CommandUntil(Session::State& s, absl::string_view args) {
  const absl::Status running = s.NeedRunning();
  if (!running.ok()) return running;
  Machine& m = *s.machine;
  args = absl::StripAsciiWhitespace(args);
  int depth = s.selected, position = m.frames()[depth].position + 1;
  if (!args.empty()) {
    absl::StatusOr<std::vector<Location>> found = ResolveLocations(*s.module, args, s.current_computation());
    if (!found.ok() && absl::StrContains(args, " if "))
      return absl::InvalidArgumentError(absl::StrCat("until takes a place without a condition; tbreak ", args, " and then continue stops once where it holds"));
    if (!found.ok()) return found.status();
    const Location* here = nullptr;
    for (const Location& location : *found) {
      if (here == nullptr && location.computation == m.frames()[depth].computation && location.position >= position) here = &location;
    }
    if (here == nullptr) {  // elsewhere: a breakpoint for one stop
      std::string combined;  // where nothing stops
      for (const Location& location : *found) {
        combined = OnlyCombinedText(*s.module, CallsOf(s), *location.computation);
        if (combined.empty()) break;
      }
      if (!combined.empty()) return absl::FailedPreconditionError(absl::StrCat("nothing stops in ", found->front().computation->name, ": ", combined));
      auto place = std::make_unique<Breakpoint>();
      place->locations = *std::move(found);
      place->temporary = place->unnamed = true;
      place->device = DevicesOf(s).selected;  // others may come by on the way, as far as it waits for them
      Adopt(s, std::move(place));
      const auto run = [&] { return m.Run(); };
      const StopReason reason = s.Go(run, run);
      const auto is_it = [&](const std::unique_ptr<Breakpoint>& b) { return b->unnamed; };
      s.breakpoints.erase(std::remove_if(s.breakpoints.begin(), s.breakpoints.end(), is_it), s.breakpoints.end());
      s.ArmAll();
      s.ShowStop(reason);
      return absl::OkStatus();
    }
    position = here->position;
  }
  const size_t frames = m.frames().size();
  const auto to = [&] { return m.RunTo(depth, position); };
  const StopReason reason = s.Go(to, to);
  if (reason == StopReason::kStep && !m.finished() && m.frames().size() != frames) s.Say(s.DescribeFrame(static_cast<int>(m.frames().size()) - 1), "\n");
  s.ShowStop(reason);
  return absl::OkStatus();
}

}  // namespace hloscope
