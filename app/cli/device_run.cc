#include "app/cli/device_run.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/exchange/run_parallel.h"
#include "core/base/hash.h"
#include "core/debug/parallel_main.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/text/hlo_text.h"

namespace hloscope::cli {

absl::StatusOr<SessionDevices> MakeDevices(const ProgramOptions& options, const DeviceCounts& counts, int processes) {
  SessionDevices devices;
  devices.replicas = counts.replicas;
  devices.partitions = counts.partitions;
  if (absl::Status s = options.CheckDevices(counts); !s.ok()) return s;
  for (int d = 0; d < devices.count(); ++d) {
    absl::StatusOr<ProgramOptions::OfDevice> of = options.ToSession(Device{d / counts.partitions, d % counts.partitions});
    if (!of.ok()) return of.status();
    if (of->own) devices.own.push_back({d, std::move(of->session.input_files), std::move(of->session.infeed_npz), std::move(of->session.infeed_option)});
  }
  devices.make_room = [counts, processes](std::vector<const Computation*> entries, Backend& backend, MemoryAccount* account) -> std::unique_ptr<ExchangeRoom> {
    auto room = std::make_unique<InProcessExchange>(counts.replicas, counts.partitions, std::move(entries), backend, account);
    room->Spread(processes);
    return room;
  };
  return devices;
}

DeviceCounts CountSessionDevices(const ProgramOptions& options, const Module& module) {
  const ParallelMain main = FindParallelMain(module);
  return main.followed() ? DeviceCounts{main.replicas, main.partitions} : CountDevices(options, module);
}

absl::Status GiveDevices(const ProgramOptions& options, const Module& module, SessionOptions* session, int processes) {
  const ParallelMain main = FindParallelMain(module);
  const DeviceCounts counts = CountSessionDevices(options, module);
  if (main.followed() && ((options.replicas > 0 && options.replicas != main.replicas) || (options.partitions > 0 && options.partitions != main.partitions))) {
    return absl::InvalidArgumentError(absl::StrCat(module.entry->name, " runs ", main.FunctionsText(), " on ", Count(main.replicas, "replica"), " and ",
                                                   Count(main.partitions, "partition"), " itself: leave --replicas and --partitions away"));
  }
  if (!counts.several()) {
    absl::StatusOr<SessionOptions> one = options.ToOneDevice();
    if (!one.ok()) return one.status();
    session->input_files = std::move(one->input_files);
    session->infeed_npz = std::move(one->infeed_npz);
    session->infeed_option = std::move(one->infeed_option);
  } else {
    absl::StatusOr<SessionDevices> devices = MakeDevices(options, counts, processes);
    if (!devices.ok()) return devices.status();
    session->devices = *std::move(devices);
  }
  if (!main.followed()) return absl::OkStatus();
  session->devices.of_main = true;
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(options);  // for main alone
  return backend.ok() ? GiveParallelArguments(module, **backend, *session) : backend.status();
}

void LetRunParallel(const ProgramOptions& options, Session& session) {
  session.state().Extension<UnfollowedMain>().allow = [threads = options.threads](MachineOptions& machine, Backend& backend) {
    AllowRunParallel(machine, backend, threads);
  };
}

absl::StatusOr<std::unique_ptr<DeviceRun>> DeviceRun::Create(Module& module, Backend& backend, const ProgramOptions& options,
                                                             SessionOptions session, const DeviceCounts& devices, MachineOptions machine,
                                                             ProcessLink* link, absl::string_view purpose) {
  auto run = std::make_unique<DeviceRun>();
  run->module_ = &module;
  run->memory_limit_ = session.memory_limit;
  absl::StatusOr<SessionDevices> all_devices = MakeDevices(options, devices);
  if (!all_devices.ok()) return all_devices.status();
  session.devices = *std::move(all_devices);
  absl::StatusOr<std::unique_ptr<DeviceInputs>> inputs =
      DeviceInputs::Open(std::vector<const Module*>(session.devices.count(), &module), session);
  if (!inputs.ok()) return inputs.status();
  run->inputs_ = *std::move(inputs);
  ReplicasOptions all;
  all.replicas = devices.replicas;
  all.partitions = devices.partitions;
  all.threads = options.threads;
  for (int d = 0; d < session.devices.count(); ++d) {
    all.infeed.push_back(machine.infeed.empty() || run->inputs_->own(d) ? run->inputs_->of(d)->infeed() : machine.infeed);
  }
  all.machine = std::move(machine);
  all.link = link;
  if (link != nullptr) {
    run->elsewhere_ = link->count() > 1;
    const std::string what = absl::StrCat(PrintHloText(module), "\n", devices.replicas, " ", devices.partitions, " ", options.fill, " ",
                                          options.max_iterations, " ", purpose);
    all.id = HashBytes(what.data(), what.size());
  }
  absl::StatusOr<std::unique_ptr<Replicas>> replicas = Replicas::Create(module, backend, std::move(all));
  if (!replicas.ok()) return replicas.status();
  run->replicas_ = *std::move(replicas);
  return run;
}

absl::Status DeviceRun::CheckRoom() const {
  int64_t bytes = 0;
  bool shared = false;
  for (int d = 0; d < replicas_->device_count(); ++d) {
    if (!replicas_->IsHere(d) || (!inputs_->own(d) && std::exchange(shared, true))) continue;
    bytes += inputs_->of(d)->made_up_bytes();
  }
  return RoomForParameters(bytes, memory_limit_, ", counted once where devices share them");
}

absl::Status DeviceRun::Start() {
  if (absl::Status room = CheckRoom(); !room.ok()) return room;
  for (int d = 0; d < replicas_->device_count(); ++d) {
    if (!replicas_->IsHere(d)) continue;
    std::vector<Value> parameters;
    for (int i = 0; i < inputs_->of(d)->parameter_count(); ++i) {
      absl::StatusOr<Value> value = inputs_->Parameter(d, i, &replicas_->account());
      if (!value.ok()) return value.status();
      parameters.push_back(*std::move(value));
    }
    if (absl::Status s = replicas_->machine(d).Start(std::move(parameters)); !s.ok()) return s;
  }
  return absl::OkStatus();
}

std::string DeviceRun::Summary() const { return inputs_->Summary(); }

}  // namespace hloscope::cli
