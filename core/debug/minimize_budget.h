// What a search for a smaller program may cost, and whether that is spent. Not for the search (minimize.cc).
#ifndef HLOSCOPE_CORE_DEBUG_MINIMIZE_BUDGET_H_
#define HLOSCOPE_CORE_DEBUG_MINIMIZE_BUDGET_H_

#include <chrono>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/debug/minimize.h"

namespace hloscope {

class MinimizeBudget {
 public:
  // The time begins now.
  explicit MinimizeBudget(const MinimizeOptions& options) : options_(options), start_(Clock::now()) {}

  void Step() { ++steps_; }  // the predicate is asked
  int64_t steps() const { return steps_; }
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool Cancelled() const;
  bool Spent() const { return Cancelled() || steps_ >= options_.steps || TimeIsUp(); }
  // Why nothing has come of the search so far, if that is the reason: it was interrupted, or the time was up before `what`.
  absl::Status WhyNothing(absl::string_view what) const;
  static absl::Status Interrupted() { return absl::CancelledError("interrupted; nothing was written"); }

 private:
  using Clock = std::chrono::steady_clock;
  bool TimeIsUp() const { return Seconds() >= options_.seconds; }

  const MinimizeOptions& options_;
  const Clock::time_point start_;
  int64_t steps_ = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MINIMIZE_BUDGET_H_
