// The kernel that computes an instruction, and the backend's texts of it: its element program, LLVM IR, assembly. Not for time (profile.h).
#ifndef HLOSCOPE_CORE_DEBUG_KERNEL_TEXTS_H_
#define HLOSCOPE_CORE_DEBUG_KERNEL_TEXTS_H_

#include <string>
#include <vector>

#include "core/debug/session_state.h"
#include "core/exec/backend.h"

namespace hloscope {

// The region whose root the instruction is, or one that it is a member of; null: nothing that runs needs it.
const Region* RegionOf(Session::State& s, const Instruction& instruction);

struct KernelTexts {
  const Instruction* of = nullptr;
  std::string region;  // "%y with 2 others fused into it", "%y alone"
  std::vector<Artifact> artifacts;
};
// NotFound: it has no region. Compiles the kernel where it has not been.
absl::StatusOr<KernelTexts> TextsOfKernel(Session::State& s, const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_KERNEL_TEXTS_H_
