#include "core/debug/device_inputs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/debug/text_util.h"

namespace hloscope {

absl::StatusOr<std::unique_ptr<DeviceInputs>> DeviceInputs::Open(const std::vector<const Module*>& modules, const SessionOptions& session) {
  auto all = std::make_unique<DeviceInputs>();
  SessionOptions options = session;
  // What is given is main's where it takes parameters, and it gives each device its own.
  if (session.devices.of_main && !modules.front()->program().entry->parameters.empty()) {
    options.input_files.clear();
    options.inputs_npz.clear();
    options.arguments.clear();
  }
  const SessionDevices& devices = options.devices;
  std::map<const Module*, int> shared;  // by what runs: the place in inputs_
  const auto share = [&](const Module* module) -> absl::StatusOr<int> {
    const auto [at, fresh] = shared.try_emplace(module, static_cast<int>(all->inputs_.size()));
    if (!fresh) return at->second;
    absl::StatusOr<std::unique_ptr<ProgramInputs>> opened = ProgramInputs::Open(*module, options);
    if (!opened.ok()) return opened.status();
    all->inputs_.push_back(*std::move(opened));
    return at->second;
  };
  if (absl::StatusOr<int> first = share(modules.front()); !first.ok()) return first.status();
  for (int d = 0; d < devices.count(); ++d) {
    const auto own = std::find_if(devices.own.begin(), devices.own.end(), [d](const SessionDevices::Own& each) { return each.device == d; });
    all->own_.push_back(own != devices.own.end());
    if (!all->own_[d]) {
      const absl::StatusOr<int> of = share(modules[d]);
      if (!of.ok()) return of.status();
      all->inputs_of_.push_back(*of);
      continue;
    }
    SessionOptions of = options;
    of.input_files = own->input_files;
    of.infeed_npz = own->infeed_npz;
    of.infeed_option = own->infeed_option;
    if (!own->arguments.empty()) of.arguments = own->arguments;
    absl::StatusOr<std::unique_ptr<ProgramInputs>> opened = ProgramInputs::Open(*modules[d], of);
    if (!opened.ok()) return opened.status();
    all->inputs_of_.push_back(static_cast<int>(all->inputs_.size()));
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
  bool given = true;
  int least = inputs_[0]->parameter_count(), most = 0;
  for (size_t d = 0; d < inputs_of_.size(); ++d) {
    const int parameters = of(static_cast<int>(d))->parameter_count();
    given = given && (parameters == 0 || (own_[d] && of(static_cast<int>(d))->from_snapshot() == parameters));
    least = std::min(least, parameters);
    most = std::max(most, parameters);
  }
  if (given && most > 0) return absl::StrCat(least < most ? absl::StrCat(least, " to ") : "", Count(most, "parameter"), ", of each device its own");
  const int64_t own = std::count(own_.begin(), own_.end(), true);
  // Where no device has those of all, what these are made of says nothing.
  bool alike = own == static_cast<int64_t>(own_.size()) && own > 0;
  for (size_t d = 0; alike && d < inputs_of_.size(); ++d) alike = of(static_cast<int>(d))->Summary() == of(0)->Summary();
  std::string text = (alike ? of(0) : inputs_[0])->Summary();
  if (own > 0) absl::StrAppend(&text, "; ", Count(own, "device"), own == 1 ? " has inputs of its own" : " have inputs of their own");
  return text;
}

}  // namespace hloscope
