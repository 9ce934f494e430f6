// One element program for a whole region: every member's program substituted into its consumer's loads.
// Used by whoever needs to know what a fused kernel computes (lowering, the sampled check, pictures). Not for choosing regions (the
// backends' plans do) and not for running them.
#ifndef HLOSCOPE_CORE_EXEC_FUSE_H_
#define HLOSCOPE_CORE_EXEC_FUSE_H_

#include "absl/status/statusor.h"
#include "core/element/program.h"
#include "core/exec/backend.h"
#include "core/ir/module.h"

namespace hloscope {

// The program of `region` over the values at `region.inputs`, in that order (operand k of the program is the value of
// computation.schedule[region.inputs[k]]). The root may be pull (with several outputs) or push; the other members must be pull with one
// output, or constants of one repeated element. UnimplementedError that names the member where that does not hold.
// A member whose position is also in `inputs` is loaded, not inlined.
absl::StatusOr<Program> FuseRegion(const Computation& computation, const Region& region);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_FUSE_H_
