// One element program for a whole region: every member's program substituted into its consumer's loads.
// Used by whoever needs to know what a fused kernel computes (lowering, the sampled check, pictures). Not for choosing regions (the
// backends' plans do) and not for running them.
#ifndef HLOSCOPE_CORE_EXEC_FUSE_H_
#define HLOSCOPE_CORE_EXEC_FUSE_H_

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
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

// What instructions compute, each found out once for all who ask.
class ElementPrograms {
 public:
  const absl::StatusOr<Program>& Of(const Instruction& instruction);

 private:
  absl::flat_hash_map<const Instruction*, std::unique_ptr<absl::StatusOr<Program>>> programs_;
};

// Elements of the members of a region, by the values at its inputs, in a graph that is given. Whatever is asked for twice is one node.
class MemberFuser {
 public:
  // All must outlive it.
  MemberFuser(const Computation& computation, const Region& region, ExprGraph& graph, ElementPrograms& programs);
  ~MemberFuser();
  // What the outputs of `program`, which is about the operands of `member`, are at `index`.
  absl::StatusOr<std::vector<NodeId>> Outputs(const Instruction& member, const Program& program, absl::Span<const NodeId> index);
  // The element of a member with one output, or of an input, at `index`.
  absl::StatusOr<NodeId> Element(const Instruction& of, absl::Span<const NodeId> index);

 private:
  friend absl::StatusOr<Program> FuseRegion(const Computation& computation, const Region& region, const Program& program, ElementPrograms& programs);
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// The region's program with `program`, about the same operands, in the place of the root's.
absl::StatusOr<Program> FuseRegion(const Computation& computation, const Region& region, const Program& program, ElementPrograms& programs);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_FUSE_H_
