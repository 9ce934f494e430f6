#include "visualizer/model/meant_computation.h"

#include <utility>

namespace hloscope::build {
namespace {

// The place of the only name that differs; -1: there are more, or none.
int OnlyDifference(const std::vector<std::string>& before, const std::vector<std::string>& now) {
  if (before.size() != now.size()) return -1;
  int place = -1;
  for (size_t k = 0; k < now.size(); ++k) {
    if (before[k] == now[k]) continue;
    if (place >= 0) return -1;
    place = static_cast<int>(k);
  }
  return place;
}

}  // namespace

const Computation* MeantComputation::Find(const Reading& reading) {
  if (reading.module == nullptr) return nullptr;
  if (version_ != reading.version) {
    version_ = reading.version;
    std::vector<std::string> names;
    for (const Computation* c : reading.module->computations) names.emplace_back(c->name);
    const int renamed = OnlyDifference(names_, names);
    if (renamed >= 0 && !name_.empty() && names_[renamed] == name_) name_ = names[renamed];
    names_ = std::move(names);
  }
  return name_.empty() ? nullptr : reading.module->FindComputation(name_);
}

}  // namespace hloscope::build
