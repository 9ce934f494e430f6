#include "core/debug/device_inputs.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/debug/text_util.h"

namespace hloscope {

absl::StatusOr<std::unique_ptr<DeviceInputs>> DeviceInputs::Open(const Module& module, const SessionOptions& options) {
  auto all = std::make_unique<DeviceInputs>();
  absl::StatusOr<std::unique_ptr<ProgramInputs>> shared = ProgramInputs::Open(module, options);
  if (!shared.ok()) return shared.status();
  all->inputs_.push_back(*std::move(shared));
  const SessionDevices& devices = options.devices;
  all->inputs_of_.assign(devices.count(), 0);
  for (const SessionDevices::Own& own : devices.own) {
    SessionOptions of = options;
    of.input_files = own.input_files;
    of.infeed_npz = own.infeed_npz;
    of.infeed_option = own.infeed_option;
    if (!own.arguments.empty()) of.arguments = own.arguments;
    absl::StatusOr<std::unique_ptr<ProgramInputs>> opened = ProgramInputs::Open(module, of);
    if (!opened.ok()) return opened.status();
    all->inputs_of_[own.device] = static_cast<int>(all->inputs_.size());
    all->inputs_.push_back(*std::move(opened));
  }
  all->Forget();
  return all;
}

absl::StatusOr<Value> DeviceInputs::Parameter(int device, int number, MemoryAccount* account) {
  const ProgramInputs& inputs = *of(device);
  std::vector<Value>& made = parameters_[inputs_of_[device]];
  if (made.empty()) made.resize(inputs.parameter_count());
  if (made[number].has_value()) return made[number];
  absl::StatusOr<Value> value = inputs.Parameter(number, account);
  if (value.ok()) made[number] = *value;
  return value;
}

void DeviceInputs::Forget() { parameters_.assign(inputs_.size(), {}); }

std::string DeviceInputs::Summary() const {
  // Given by who runs the program on them.
  const int parameters = inputs_[0]->parameter_count();
  const bool given =
      std::all_of(inputs_of_.begin(), inputs_of_.end(), [&](int of) { return of > 0 && inputs_[of]->from_snapshot() == parameters; });
  if (given && parameters > 0) return absl::StrCat(Count(parameters, "parameter"), ", of each device its own");
  std::string text = inputs_[0]->Summary();
  if (inputs_.size() > 1) absl::StrAppend(&text, "; ", Count(static_cast<int64_t>(inputs_.size()) - 1, "device"), inputs_.size() == 2 ? " has" : " have", " inputs of their own");
  return text;
}

}  // namespace hloscope
