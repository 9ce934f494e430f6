#include "core/ir/call_tree.h"

#include <algorithm>

namespace hloscope {

int CallTree::Add(int parent, const Instruction& caller, int which) {
  const auto [it, fresh] = number_.try_emplace({parent, &caller, which}, size());
  if (!fresh) return it->second;
  const std::vector<Computation*> called = caller.CalledComputations();
  const Computation* computation = which >= 0 && which < static_cast<int>(called.size()) ? called[which] : nullptr;
  calls_.push_back({parent, &caller, which, computation});
  of_[computation].push_back(it->second);
  return it->second;
}

int CallTree::Inside(int parent, const Instruction& caller, int which) const {
  const auto it = number_.find({parent, &caller, which});
  return it == number_.end() ? -1 : it->second;
}

std::vector<int> CallTree::CallsOf(const Module& module, const Computation& computation) const {
  if (&computation == module.entry) return {kEntry};
  const auto it = of_.find(&computation);
  return it == of_.end() ? std::vector<int>() : it->second;
}

std::optional<double> CallFigures::In(absl::Span<const int> calls, const Instruction& instruction) const {
  std::optional<double> most;
  for (const int call : calls) {
    if (const auto it = of.find({call, &instruction}); it != of.end()) most = std::max(most.value_or(it->second), it->second);
  }
  return most;
}

}  // namespace hloscope
