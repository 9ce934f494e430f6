// The session as the host of expressions that may name moments, "%x @ iteration 3 > 5": for commands. What is evaluated while the program
// runs, as conditions are, is of the present alone, and has the session itself as its host.
#ifndef HLOSCOPE_CORE_DEBUG_MOMENT_HOST_H_
#define HLOSCOPE_CORE_DEBUG_MOMENT_HOST_H_

#include "core/debug/session_state.h"

namespace hloscope {

class MomentHost : public ExpressionHost {
 public:
  explicit MomentHost(Session::State& s) : s_(s) {}
  bool IsName(absl::string_view name) const override { return s_.IsName(name); }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override { return s_.ValueOf(name); }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override { return s_.ShapeOf(name); }
  absl::StatusOr<bool> StoppedAt(absl::string_view location) const override { return s_.StoppedAt(location); }
  bool Finished() const override { return s_.Finished(); }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override { return s_.Fact(name, argument); }
  // InvalidArgument where several moments are meant; FailedPrecondition where the program does not come to it.
  absl::Status AtMoment(absl::string_view moment, absl::string_view expression, const std::function<absl::Status()>& look) const override;

 private:
  Session::State& s_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MOMENT_HOST_H_
