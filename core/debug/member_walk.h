// Executes the members of a region one by one with single-instruction kernels, as a stop inside the region would.
#ifndef HLOSCOPE_CORE_DEBUG_MEMBER_WALK_H_
#define HLOSCOPE_CORE_DEBUG_MEMBER_WALK_H_

#include <functional>

#include "absl/status/status.h"
#include "core/exec/backend.h"

namespace hloscope {

// Called for each member in order with the kernel that ran (null for constants and handles), its operands (without repeats, as
// SingleRegion has them) and its value. False ends the walk.
using MemberVisitor = std::function<bool(int position, const Region& single, const Kernel* kernel, absl::Span<const Value> operands, const Value& value)>;
// `result`: the root's value, where it is known: then the root is not executed (its kernel is null), and inputs that only it reads may be
// missing; they are handed to `visit` empty.
absl::Status WalkMembers(Backend& backend, const Computation& computation, const Region& region, absl::Span<const Value> inputs, const MemberVisitor& visit,
                         const Value* result = nullptr);

// Compiles, in parallel, what WalkMembers runs in the fused regions of everything that the program's entry runs.
void PrepareMembers(Backend& backend, const Module& module);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MEMBER_WALK_H_
