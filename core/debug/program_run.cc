#include "core/debug/program_run.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/debug/catch_commands.h"
#include "core/debug/devices.h"
#include "core/debug/interrupt_here.h"
#include "core/debug/session_state.h"
#include "core/debug/stops.h"
#include "core/debug/time_limit.h"

namespace hloscope {
namespace {

// Somebody else's backend, as a session's own.
class LentBackend : public Backend {
 public:
  explicit LentBackend(Backend& behind) : behind_(behind) {}
  absl::string_view name() const override { return behind_.name(); }
  absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const Computation& computation) override { return behind_.MakePlan(computation); }
  absl::StatusOr<std::shared_ptr<const Kernel>> GetKernel(const Computation& computation, const Region& region) override {
    return behind_.GetKernel(computation, region);
  }
  void Prepare(const Computation& computation, absl::Span<const Region* const> regions) override { behind_.Prepare(computation, regions); }
  absl::StatusOr<std::vector<Artifact>> Artifacts(const Computation& computation, const Region& region) override {
    return behind_.Artifacts(computation, region);
  }
  BackendStats stats() const override { return behind_.stats(); }

 private:
  Backend& behind_;
};

SessionOptions OptionsWith(const RunSettings& settings, const DeviceValues& parameters) {
  SessionOptions options = settings.session;
  options.retain_bytes = settings.machine.retain_bytes;
  options.max_iterations = settings.machine.max_iterations;
  options.input_files.clear();
  options.inputs_npz.clear();
  options.arguments.clear();
  std::vector<SessionDevices::Own> own;
  for (int d = 0; d < options.devices.count(); ++d) {
    SessionDevices::Own& of = own.emplace_back();
    of.device = d;
    of.arguments = parameters[d];
    of.infeed_npz = options.infeed_npz;
    of.infeed_option = options.infeed_option;
    for (const SessionDevices::Own& given : settings.session.devices.own) {
      if (given.device != d) continue;
      of.infeed_npz = given.infeed_npz;
      of.infeed_option = given.infeed_option;
    }
  }
  options.devices.own = std::move(own);
  return options;
}

}  // namespace

// The module is the caller's, and stays when the session goes.
struct ProgramRun::Several {
  Several(const Module& module, Backend& backend, SessionOptions options)
      : session(std::shared_ptr<Module>(std::shared_ptr<Module>(), const_cast<Module*>(&module)), std::make_unique<LentBackend>(backend), std::move(options),
                [](absl::string_view) {}) {}
  ~Several() { state().Clear(); }
  Session::State& state() { return session.state(); }
  Session session;
};

ProgramRun::ProgramRun(const Module& module, Backend& backend, const RunSettings& settings)
    : module_(module), backend_(backend), settings_(settings) {}

ProgramRun::~ProgramRun() {
  if (catches_ != nullptr && machine_ != nullptr) catches_->Detach(*machine_);
}

Machine& ProgramRun::machine(int device) {
  if (several_ == nullptr) return *machine_;
  Devices& all = DevicesOf(several_->state());
  return device == all.selected ? *several_->state().machine : *all.runs[device].machine;
}

absl::Status ProgramRun::Begin(const DeviceValues& parameters, std::vector<CatchRequest> catches) {
  if (settings_.several()) return BeginSeveral(parameters, catches);
  machine_ = std::make_unique<Machine>(module_, backend_, settings_.machine);
  if (!catches.empty()) {
    catches_ = std::make_unique<Catches>(module_, backend_);
    catches_->requests() = std::move(catches);
    catches_->Attach(*machine_);
  }
  return machine_->Start(parameters[0]);
}

absl::Status ProgramRun::BeginSeveral(const DeviceValues& parameters, const std::vector<CatchRequest>& catches) {
  several_ = std::make_unique<Several>(module_, backend_, OptionsWith(settings_, parameters));
  Session::State& s = several_->state();
  if (!s.breakpoints.empty()) several_->session.Execute("delete");  // that the program has brought
  for (const CatchRequest& request : catches)
    several_->session.Execute(absl::StrCat("catch ", Name(request.kind), request.bits > 0 ? absl::StrCat(" ", request.bits) : ""));
  return s.Begin();
}

ProgramRun::End ProgramRun::Run() {
  if (settings_.several()) return RunSeveral();
  End end;
  const InterruptHere here(settings_.around, machine_->interrupt());
  std::optional<TimeLimit> limit;
  if (settings_.until.has_value()) limit.emplace(machine_->interrupt(), *settings_.until);
  end.reason = machine_->Run();
  if (end.reason == StopReason::kCaught && catches_ != nullptr && catches_->caught().has_value()) end.at = catches_->caught()->instruction;
  if (end.reason == StopReason::kError) {
    end.status = machine_->status();
    end.at = machine_->next_instruction();
  }
  return end;
}

ProgramRun::End ProgramRun::RunSeveral() {
  Session::State& s = several_->state();
  const auto run = [&s] { return s.machine->Run(); };
  Stops(s).running_commands = true;  // an interrupt that comes before it is this run's
  const InterruptHere here(settings_.around, several_->session);
  std::optional<TimeLimit> limit;
  if (settings_.until.has_value()) limit.emplace([this] { several_->session.Interrupt(); }, *settings_.until);
  RunOn(s, run, run);
  End end;
  end.device = DevicesOf(s).selected;
  end.device_name = SelectedName(s);
  if (const Caught* caught = CaughtHere(s); caught != nullptr) {
    end.reason = StopReason::kCaught;
    end.at = caught->instruction;
  } else if (!s.stop_status().ok()) {
    end.reason = StopReason::kError;
    end.status = s.stop_status();
    end.at = s.machine->next_instruction();
  } else if (!NotEnded(s).empty()) {
    end.reason = StopReason::kInterrupted;
  }
  return end;
}

}  // namespace hloscope
