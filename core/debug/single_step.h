// A backend that fuses nothing: every instruction is a region of its own, so that an observer sees every value. Kernels are those of the
// backend behind it, which gives single instructions the same bits.
#ifndef HLOSCOPE_CORE_DEBUG_SINGLE_STEP_H_
#define HLOSCOPE_CORE_DEBUG_SINGLE_STEP_H_

#include "core/exec/backend.h"

namespace hloscope {

class SingleStepBackend : public Backend {
 public:
  explicit SingleStepBackend(Backend& behind) : behind_(behind) {}
  absl::string_view name() const override { return behind_.name(); }
  absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const Computation& computation) override { return SingleStepPlan(computation); }
  absl::StatusOr<std::shared_ptr<const Kernel>> GetKernel(const Computation& computation, const Region& region) override { return behind_.GetKernel(computation, region); }
  void Prepare(const Computation& computation, absl::Span<const Region* const> regions) override { behind_.Prepare(computation, regions); }
  absl::StatusOr<std::vector<Artifact>> Artifacts(const Computation& computation, const Region& region) override { return behind_.Artifacts(computation, region); }
  BackendStats stats() const override { return behind_.stats(); }

 private:
  Backend& behind_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SINGLE_STEP_H_
