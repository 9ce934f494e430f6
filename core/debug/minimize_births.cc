#include "core/debug/minimize_births.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"
#include "core/literal/statistics.h"

namespace hloscope {
namespace {

constexpr int kNaN = 1, kPlus = 2, kMinus = 4;

int KindOf(double x) { return std::isnan(x) ? kNaN : !std::isinf(x) ? 0 : x > 0 ? kPlus : kMinus; }

// Which of them the value has, in any of its arrays.
int KindsIn(const Value& value) {
  if (!value.has_value()) return 0;
  int kinds = 0;
  if (value.shape().IsTuple()) {
    for (const Value& element : value.elements()) kinds |= KindsIn(element);
    return kinds;
  }
  const NonFinite found = FindNonFinite(value);
  if (!found.nan && !found.inf) return 0;
  const Value dense = ToDense(value);
  const ElementType type = dense.shape().element_type();
  for (int64_t k = found.first; k < dense.element_count(); ++k) {
    const auto x = LoadScalar(type, dense.data() + k * StorageBytes(type)).c();
    kinds |= KindOf(x.real()) | KindOf(x.imag());
  }
  return kinds;
}

// What the program is given.
int KindsGiven(const Module& module, const DeviceValues& parameters) {
  int kinds = 0;
  for (const std::vector<Value>& of_device : parameters) {
    for (const Value& value : of_device) kinds |= KindsIn(value);
  }
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      if (i->literal != nullptr) kinds |= KindsIn(i->literal->value);
    }
  }
  return kinds;
}

// What its result is, and what the text names.
int KindsShown(const Module& module, const DeviceValues& parameters, Backend& backend, const RunSettings& run, const std::string& text) {
  ProgramRun all(module, backend, run);
  if (!all.Begin(parameters).ok() || all.Run().reason != StopReason::kFinished) return 0;
  int kinds = 0;
  for (int d = 0; d < all.devices(); ++d) {
    kinds |= KindsIn(all.machine(d).result());
    for (const Instruction* i : module.entry->instructions) {
      if (!absl::StrContains(text, i->name)) continue;
      if (const absl::StatusOr<Value> value = all.machine(d).ValueOf(0, i->index); value.ok()) kinds |= KindsIn(*value);
    }
  }
  return kinds;
}

}  // namespace

FailurePredicate KeepingBirths(FailurePredicate fails, Backend& backend, const RunSettings& run, const std::string& text, bool shown) {
  // `born`: what the first program shows and is not given.
  return [fails = std::move(fails), &backend, &run, text, shown, first = true, born = 0](const Module& module, const DeviceValues& parameters) mutable -> absl::StatusOr<Failing> {
    if (born != 0 && (KindsGiven(module, parameters) & born) != 0) return Failing(false);
    absl::StatusOr<Failing> failing = fails(module, parameters);
    if (!failing.ok() || !failing->fails || (!first && (born == 0 || !shown))) return failing;
    const int kinds = KindsShown(module, parameters, backend, run, text);
    if (!first) return (kinds & born) != 0 ? failing : Failing(false);
    first = false;
    born = kinds == 0 ? 0 : kinds & ~KindsGiven(module, parameters);
    return failing;
  };
}

}  // namespace hloscope
