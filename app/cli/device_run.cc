#include "app/cli/device_run.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/debug/text_util.h"

namespace hloscope::cli {

absl::StatusOr<std::unique_ptr<DeviceRun>> DeviceRun::Create(Module& module, Backend& backend, const ProgramOptions& options, const SessionOptions& session, const DeviceCounts& devices,
                                                             MachineOptions machine) {
  auto run = std::make_unique<DeviceRun>();
  absl::StatusOr<std::unique_ptr<ProgramInputs>> shared = ProgramInputs::Open(module, session);
  if (!shared.ok()) return shared.status();
  run->inputs_.push_back(*std::move(shared));
  ReplicasOptions all;
  all.replicas = devices.replicas;
  all.partitions = devices.partitions;
  all.threads = options.threads;
  if (absl::Status s = options.CheckDevices(devices); !s.ok()) return s;
  for (int64_t r = 0; r < devices.replicas; ++r) {
    for (int64_t p = 0; p < devices.partitions; ++p) {
      absl::StatusOr<ProgramOptions::OfDevice> of = options.ToSession(Device{r, p});
      if (!of.ok()) return of.status();
      int inputs = 0;
      if (of->own) {
        of->session.arguments = session.arguments;
        absl::StatusOr<std::unique_ptr<ProgramInputs>> own = ProgramInputs::Open(module, of->session);
        if (!own.ok()) return absl::Status(own.status().code(), absl::StrCat(DeviceText({r, p}, devices.replicas, devices.partitions), ": ", own.status().message()));
        inputs = static_cast<int>(run->inputs_.size());
        run->inputs_.push_back(*std::move(own));
      }
      run->inputs_of_.push_back(inputs);
      all.infeed.push_back(machine.infeed.empty() || inputs > 0 ? run->inputs_[inputs]->infeed() : machine.infeed);
    }
  }
  all.machine = std::move(machine);
  absl::StatusOr<std::unique_ptr<Replicas>> replicas = Replicas::Create(module, backend, std::move(all));
  if (!replicas.ok()) return replicas.status();
  run->replicas_ = *std::move(replicas);
  return run;
}

absl::Status DeviceRun::Start() {
  if (parameters_.empty()) {
    for (const auto& inputs : inputs_) {
      std::vector<Value>& parameters = parameters_.emplace_back();
      for (int i = 0; i < inputs->parameter_count(); ++i) {
        absl::StatusOr<Value> value = inputs->Parameter(i, &replicas_->account());
        if (!value.ok()) return value.status();
        parameters.push_back(*std::move(value));
      }
    }
  }
  for (int d = 0; d < replicas_->device_count(); ++d) {
    if (absl::Status s = replicas_->machine(d).Start(parameters_[inputs_of_[d]]); !s.ok()) return s;
  }
  return absl::OkStatus();
}

std::string DeviceRun::Summary() const {
  std::string text = inputs_[0]->Summary();
  if (inputs_.size() > 1) absl::StrAppend(&text, "; ", Count(static_cast<int64_t>(inputs_.size()) - 1, "device"), inputs_.size() == 2 ? " has" : " have", " inputs of their own");
  return text;
}

}  // namespace hloscope::cli
