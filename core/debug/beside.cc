#include "core/debug/beside.h"

#include <chrono>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/debug/begin.h"
#include "core/debug/devices.h"
#include "core/exec/error_place.h"

namespace hloscope {

class Beside::Port : public ExchangePort {
 public:
  explicit Port(Beside& all) : all_(all) {}
  Device device() const override { return all_.room_->port(all_.watched_).device(); }
  int process() const override { return all_.room_->port(all_.watched_).process(); }
  double elsewhere() const override { return all_.seconds_; }
  double making() const override { return all_.room_->port(all_.watched_).making(); }
  absl::StatusOr<std::optional<Value>> Exchange(const ExchangeCall& call) override {
    while (true) {
      all_.waits_[all_.watched_] = true;
      absl::StatusOr<std::optional<Value>> made = all_.room_->port(all_.watched_).Exchange(call);
      if (!made.ok() || made->has_value() || call.phase == ExchangePhase::kBegin) return made;
      if (absl::Status others = all_.RunOthers(); !others.ok()) return others;
    }
  }

 private:
  Beside& all_;
};

Beside::Beside(Session::State& s, std::vector<const Module*> modules, Given given)
    : s_(s), modules_(std::move(modules)), given_(std::move(given)), watched_(DevicesOf(s).selected) {}
Beside::~Beside() { machines_.clear(); }
double Beside::seconds() const { return seconds_ - port_->making(); }
ExchangePort* Beside::port() { return port_.get(); }

absl::StatusOr<std::shared_ptr<Beside>> Beside::Open(Session::State& s) { return Open(s, ModulesOf(s), nullptr); }

absl::StatusOr<std::shared_ptr<Beside>> Beside::Open(Session::State& s, std::vector<const Module*> modules, Given given) {
  if (!Several(s)) return std::shared_ptr<Beside>();
  if (absl::Status opened = OpenDevices(s); !opened.ok()) return opened;
  std::shared_ptr<Beside> made(new Beside(s, std::move(modules), std::move(given)));
  made->room_ = s.options.devices.make_room(EntriesOf(made->modules_), *s.backend, &DevicesOf(s).account);
  made->room_->set_wake([all = made.get()](int device) { all->waits_[device] = false; });
  made->port_ = std::make_unique<Port>(*made);
  if (absl::Status begun = made->Restart(); !begun.ok()) return begun;
  return made;
}

absl::Status Beside::Restart() {
  Devices& all = DevicesOf(s_);
  const int count = s_.options.devices.count();
  machines_.clear();
  machines_.resize(count);
  room_->Reset();
  waits_.assign(count, false);
  ended_.assign(count, false);
  seconds_ = 0;
  s_.interrupted.store(false);
  for (int d = 0; d < count; ++d) {
    if (d == watched_) continue;
    MachineOptions options = OptionsOfRun(s_);
    options.retain_bytes = 0;
    options.account = &all.account;
    options.custom_calls = &all.inputs->of(d)->custom_calls();
    options.infeed = all.inputs->of(d)->infeed();
    options.exchange = &room_->port(d);
    machines_[d] = std::make_unique<Machine>(*modules_[d], *s_.backend, std::move(options));
    const absl::Status started = machines_[d]->Start([this, &all, d](int number) -> absl::StatusOr<Value> {
      absl::StatusOr<Value> value = all.inputs->Parameter(d, number, &all.account);
      return value.ok() && given_ != nullptr ? given_(d, number, *value) : value;
    });
    if (!started.ok()) return absl::Status(started.code(), absl::StrCat(room_->Name(d), ": ", started.message()));
  }
  return absl::OkStatus();
}

// Until the watched device can go on.
absl::Status Beside::RunOthers() {
  const auto begin = std::chrono::steady_clock::now();
  struct Keeper {
    Session::State& s;
    std::atomic<bool>* watched;
    double& seconds;
    std::chrono::steady_clock::time_point begin;
    ~Keeper() {
      s.interrupt.store(watched);
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
  } keeper{s_, s_.interrupt.load(), seconds_, begin};
  const auto can_run = [&](int d) { return d != watched_ && !waits_[d] && !ended_[d]; };
  while (waits_[watched_]) {
    const int next = NextNeeded(*room_, watched_, waits_, can_run);
    if (next < 0) {
      std::string why = room_->Explain(ended_).why;
      for (size_t d = 0; d < machines_.size(); ++d) {
        if (machines_[d] != nullptr && !machines_[d]->status().ok())
          absl::StrAppend(&why, "\n  ", room_->Name(static_cast<int>(d)), " has stopped with an error", ErrorText(*machines_[d]));
      }
      return absl::DeadlineExceededError(why);
    }
    waits_[next] = true;  // taken back where something comes for it meanwhile
    Machine& machine = *machines_[next];
    s_.interrupt.store(&machine.interrupt());
    if (s_.interrupted.load()) machine.interrupt().store(true);  // it came between
    const StopReason reason = machine.Run();
    if (reason == StopReason::kInterrupted || s_.interrupted.load()) {
      if (keeper.watched != nullptr) keeper.watched->store(true);
      return absl::CancelledError("interrupted");
    }
    if (reason == StopReason::kWaiting) continue;
    waits_[next] = false;
    ended_[next] = reason == StopReason::kFinished || reason == StopReason::kError;
  }
  return absl::OkStatus();
}

}  // namespace hloscope
