#include "core/debug/parallel_main.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/exec/machine.h"
#include "core/ops/custom_call_targets.h"

namespace hloscope {

ParallelMain FindParallelMain(const Module& module) {
  ParallelMain main;
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      if (!i->Has(AttrId::kCustomCallTarget) || FindCustomCallTarget(i->Text(AttrId::kCustomCallTarget)) != CustomCallTarget::kParallel)
        continue;
      if (main.call != nullptr) {
        main.program = nullptr;
        main.why = "main runs programs on several devices more than once";
        return main;
      }
      const std::vector<Computation*> programs = i->CalledComputations();
      main.call = i;
      absl::string_view config = i->backend_config;
      if (absl::ConsumePrefix(&config, "\"partitions=") && absl::ConsumeSuffix(&config, "\"") &&
          (!absl::SimpleAtoi(config, &main.partitions) || main.partitions < 1))
        main.partitions = 1;
      main.replicas = static_cast<int64_t>(programs.size()) / main.partitions;
      if (programs.empty() || main.replicas * main.partitions != static_cast<int64_t>(programs.size())) {
        main.why = "its programs are not as many on each replica";
      } else if (std::any_of(programs.begin(), programs.end(), [&](const Computation* c) { return c != programs[0]; })) {
        main.why = "its devices run different programs";
      } else {
        main.program = programs[0];
      }
    }
  }
  return main;
}

bool IsEntered(const Module& module, const ParallelMain& main) { return main.program != nullptr && module.entry == main.program; }

void EnterParallel(Module& module, const ParallelMain& main) {
  module.entry->is_entry = false;
  module.entry = main.program;
  module.entry->is_entry = true;
}

absl::StatusOr<std::vector<std::vector<Value>>> ArgumentsOfParallel(const Module& module, const ParallelMain& main, Backend& backend) {
  const Computation& outer = *main.call->parent;
  if (!outer.parameters.empty()) return absl::UnimplementedError("main, which runs the program on its devices, takes parameters");
  MachineOptions options;
  options.entry = &outer;
  Machine machine(module, backend, std::move(options));
  if (absl::Status started = machine.Start(std::vector<Value>()); !started.ok()) return started;
  machine.RunTo(0, main.call->index);
  if (!machine.status().ok())
    return absl::Status(machine.status().code(),
                        absl::StrCat("main, before it runs the program on its devices: ", machine.status().message()));
  std::vector<std::vector<Value>> arguments(main.replicas * main.partitions);
  size_t next = 0;
  for (std::vector<Value>& of_device : arguments) {
    for (size_t p = 0; p < main.program->parameters.size(); ++p) {
      if (next >= main.call->operands.size()) return absl::InvalidArgumentError("the programs take more operands than there are");
      absl::StatusOr<Value> value = machine.ValueOf(0, main.call->operands[next++]->index);
      if (!value.ok()) return value.status();
      of_device.push_back(*std::move(value));
    }
  }
  return arguments;
}

absl::Status GiveParallelArguments(const Module& module, Backend& backend, SessionDevices& devices) {
  const ParallelMain main = FindParallelMain(module);
  if (!IsEntered(module, main)) return absl::OkStatus();
  absl::StatusOr<std::vector<std::vector<Value>>> arguments = ArgumentsOfParallel(module, main, backend);
  if (!arguments.ok()) return arguments.status();
  if (static_cast<int>(arguments->size()) != devices.count()) {
    return absl::FailedPreconditionError(
        absl::StrCat("main runs the program on ", arguments->size(), " devices, and the session has ", devices.count()));
  }
  for (int d = 0; d < devices.count(); ++d) {
    const auto found =
        std::find_if(devices.own.begin(), devices.own.end(), [d](const SessionDevices::Own& own) { return own.device == d; });
    SessionDevices::Own& own = found != devices.own.end() ? *found : devices.own.emplace_back();
    own.device = d;
    own.arguments = std::move((*arguments)[d]);
  }
  return absl::OkStatus();
}

}  // namespace hloscope
