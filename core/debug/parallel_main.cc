#include "core/debug/parallel_main.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/program_inputs.h"
#include "core/debug/text_util.h"
#include "core/exec/machine.h"
#include "core/ops/parallel_call.h"

namespace hloscope {
namespace {

// What main gives each function, by device and parameter. `inputs`: main's.
absl::StatusOr<std::vector<std::vector<Value>>> ArgumentsOf(const Module& program, const ParallelMain& main, Backend& backend,
                                                            const SessionOptions& options, const ProgramInputs& inputs) {
  MachineOptions of_machine;
  of_machine.memory_limit = options.memory_limit;
  of_machine.max_iterations = options.max_iterations;
  of_machine.seed = options.fill.seed;
  of_machine.fill = options.fill;
  of_machine.custom_calls = &inputs.custom_calls();
  Machine machine(program, backend, std::move(of_machine));
  const absl::Status started = machine.Start([&](int number) { return inputs.Parameter(number, &machine.account()); });
  if (!started.ok()) return started;
  machine.RunTo(0, main.call->index);
  if (!machine.status().ok()) {
    return absl::Status(machine.status().code(), absl::StrCat(program.entry->name, ", before it runs ", main.FunctionsText(),
                                                              " on its devices: ", machine.status().message()));
  }
  std::vector<std::vector<Value>> arguments;
  auto operand = main.call->operands.begin();  // in turn
  for (const Computation* function : main.functions) {
    std::vector<Value>& of_device = arguments.emplace_back();
    for (size_t p = 0; p < function->parameters.size(); ++p, ++operand) {
      absl::StatusOr<Value> value = machine.ValueOf(0, (*operand)->index);
      if (!value.ok()) return value.status();
      of_device.push_back(*std::move(value));
    }
  }
  return arguments;
}

absl::StatusOr<std::unique_ptr<ProgramInputs>> InputsOfMain(const Module& program, SessionOptions options) {
  options.infeed_npz.clear();  // that is for the devices
  if (program.entry->parameters.empty()) {
    options.input_files.clear();
    options.inputs_npz.clear();
  }
  return ProgramInputs::Open(program, options);
}

// Where main takes parameters, files are for them, and no device has one of its own.
absl::Status GiveMainItsInputs(const Module& program, SessionDevices& devices, const SessionOptions& options) {
  if (program.entry->parameters.empty()) return absl::OkStatus();
  for (SessionDevices::Own& own : devices.own) {
    for (const InputFile& file : own.input_files) {
      const bool of_all = std::any_of(options.input_files.begin(), options.input_files.end(), [&](const InputFile& f) { return f.option == file.option; });
      if (of_all) continue;
      return absl::InvalidArgumentError(absl::StrCat(file.option, "=", file.path, ": ", program.entry->name,
                                                     " takes the parameters and gives each device its own; name one of ", program.entry->name, "'s, without a replica"));
    }
    own.input_files.clear();
  }
  return absl::OkStatus();
}

}  // namespace

std::string ParallelMain::FunctionsText() const {
  std::vector<absl::string_view> names;
  for (const Computation* function : functions) {
    if (std::find(names.begin(), names.end(), function->name) == names.end()) names.push_back(function->name);
  }
  if (names.size() < 2) return absl::StrJoin(names, "");
  const absl::string_view last = names.back();
  names.pop_back();
  return absl::StrCat(absl::StrJoin(names, ", "), " and ", last);
}

ParallelMain FindParallelMain(const Module& program) {
  ParallelMain main;
  for (const Computation* computation : program.computations) {
    for (const Instruction* i : computation->instructions) {
      if (!IsParallelCall(*i)) continue;
      if (main.call != nullptr) {
        main.functions.clear();
        main.why = "it runs functions on several devices more than once";
        return main;
      }
      main.call = i;
      absl::StatusOr<ParallelCall> parallel = ParallelCallOf(*i);
      if (!parallel.ok()) {
        main.why = std::string(parallel.status().message());
      } else if (parallel->functions.size() == 1) {
        main.why = "it runs a function on one device alone";
      } else if (computation != program.entry) {
        main.why = absl::StrCat(computation->name, " runs them, which is not its entry");
      } else {
        main.replicas = parallel->replicas;
        main.partitions = parallel->partitions;
        main.functions = std::move(parallel->functions);
        main.infeed = std::move(parallel->infeed);
      }
    }
  }
  return main;
}

std::string MainInputsText(const Module& program, const SessionOptions& options) {
  if (program.entry->parameters.empty()) return "";
  const absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = InputsOfMain(program, options);
  return inputs.ok() ? (*inputs)->Summary() : std::string(inputs.status().message());
}

std::vector<std::shared_ptr<Module>> ModulesOfDevices(std::shared_ptr<Module> program, const SessionDevices& devices) {
  if (!devices.of_main) return std::vector<std::shared_ptr<Module>>(devices.count(), std::move(program));
  std::map<const Computation*, std::shared_ptr<Module>> made;
  std::vector<std::shared_ptr<Module>> modules;
  for (Computation* function : FindParallelMain(*program).functions) {
    std::shared_ptr<Module>& module = made[function];
    if (module == nullptr) module = Module::WithEntry(program, function);
    modules.push_back(module);
  }
  return modules;
}

absl::Status GiveParallelArguments(const Module& program, Backend& backend, SessionOptions& options) {
  SessionDevices& devices = options.devices;
  if (!devices.of_main) return absl::OkStatus();
  const ParallelMain main = FindParallelMain(program);
  if (!main.followed())
    return absl::InvalidArgumentError(absl::StrCat("The program no longer runs functions on several devices", main.why.empty() ? "" : ": ", main.why));
  if (main.replicas != devices.replicas || main.partitions != devices.partitions) {
    return absl::FailedPreconditionError(absl::StrCat(program.entry->name, " runs ", main.FunctionsText(), " on ", Count(main.replicas, "replica"), " and ",
                                                      Count(main.partitions, "partition"), ", and the session has ", Count(devices.replicas, "replica"), " and ",
                                                      Count(devices.partitions, "partition")));
  }
  if (absl::Status of_main = GiveMainItsInputs(program, devices, options); !of_main.ok()) return of_main;
  absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = InputsOfMain(program, options);
  if (!inputs.ok()) return inputs.status();
  absl::StatusOr<std::vector<std::vector<Value>>> arguments = ArgumentsOf(program, main, backend, options, **inputs);
  if (!arguments.ok()) return arguments.status();
  for (int d = 0; d < devices.count(); ++d) {
    if ((*arguments)[d].empty()) continue;
    auto own = std::find_if(devices.own.begin(), devices.own.end(), [d](const SessionDevices::Own& each) { return each.device == d; });
    if (own == devices.own.end()) {
      own = devices.own.insert(own, {d, {}, options.infeed_npz, options.infeed_option, {}});
      if (program.entry->parameters.empty()) own->input_files = options.input_files;
    }
    own->arguments = std::move((*arguments)[d]);
  }
  return absl::OkStatus();
}

}  // namespace hloscope
