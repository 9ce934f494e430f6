#include "app/cli/functions_check.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace hloscope::cli {

void FunctionsCheck::Begin(const std::string& device, Machine& machine) {
  std::unique_ptr<RegionChecker>& checker = checkers_[device];
  if (checker == nullptr) checker = std::make_unique<RegionChecker>(backend_, options_);
  machine.set_region_observer([checker = checker.get()](const Frame& frame, const Region& region, const Kernel* kernel,
                                                        absl::Span<const Value> inputs, const Value& result) {
    return checker->Observe(frame, region, kernel, inputs, result);
  });
}

void FunctionsCheck::AddTo(CheckReport* all) const {
  for (const auto& [device, checker] : checkers_) {
    const CheckReport& report = checker->report();
    ++all->devices;
    all->regions += report.regions;
    all->instructions += report.instructions;
    all->checked_elements += report.checked_elements;
    all->unchecked_nonfinite += report.unchecked_nonfinite;
    for (const auto& [name, count] : report.nonfinite_by_instruction) all->nonfinite_by_instruction[absl::StrCat(name, " on ", device)] += count;
    all->undecided += report.undecided;
    all->unchecked_opaque += report.unchecked_opaque;
    all->unchecked_exchanged += report.unchecked_exchanged;
    if (all->unchecked_failed == 0 && report.unchecked_failed > 0) all->first_failure = absl::StrCat(device, ": ", report.first_failure);
    all->unchecked_failed += report.unchecked_failed;
    if (all->split_differences == 0 && report.split_differences > 0) all->first_split_difference = absl::StrCat(report.first_split_difference, " on ", device);
    all->split_differences += report.split_differences;
    all->mismatch_count += report.mismatch_count;
    for (Mismatch mismatch : report.mismatches) {
      if (all->mismatches.size() >= options_.keep_mismatches) break;
      mismatch.device = device;
      all->mismatches.push_back(std::move(mismatch));
    }
  }
}

}  // namespace hloscope::cli
