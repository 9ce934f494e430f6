#include "core/debug/lockstep_loops.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/debug/text_util.h"

namespace hloscope {

std::optional<std::pair<int64_t, int64_t>> LoopCounts::Over(int side, uint64_t key, int64_t iterations) {
  const auto other = waiting_[1 - side].find(key);
  if (other == waiting_[1 - side].end()) {
    waiting_[side].emplace(key, iterations);
    return std::nullopt;
  }
  const int64_t others = other->second;
  waiting_[1 - side].erase(other);
  return side == 0 ? std::make_pair(iterations, others) : std::make_pair(others, iterations);
}

std::string IterationsText(int64_t iterations_a, int64_t iterations_b) { return absl::StrCat("it runs ", Count(iterations_b, "iteration"), ", expected ", iterations_a); }

void TellUnequal(UnequalLoops loops, LockstepReport& report) {
  ++report.unequal;
  const bool told = std::any_of(report.loops.begin(), report.loops.end(), [&](const UnequalLoops& each) { return each.a == loops.a && each.b == loops.b; });
  if (!told) report.loops.push_back(std::move(loops));
}

}  // namespace hloscope
