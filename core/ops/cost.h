// How much arithmetic an instruction does: counted from its element program (each scalar operation times the points it is evaluated at),
// and by a formula for operations that have none. Not for time (core/debug/profile.h), and not for what a fused kernel saves.
#ifndef HLOSCOPE_CORE_OPS_COST_H_
#define HLOSCOPE_CORE_OPS_COST_H_

#include "core/element/program.h"
#include "core/ir/module.h"

namespace hloscope {

struct Cost {
  // Operations on floating-point numbers: an addition, a comparison or a function is one; a complex product six. A position of a window
  // that lies in padding counts like any other.
  double flops = 0;
  double transcendentals = 0;  // those of them that are functions (exp, log, sin, power, ...)
};

Cost CostOf(const Program& program);
// Of one execution. What it calls as control flow (loops, calls, branches) is counted where it runs, so here it is 0; so is what hands
// values on.
Cost CostOf(const Instruction& instruction);

// About how many nodes are evaluated for one element of a program: those inside of folds for each of their points; a push's for each of its
// updates, whatever the element.
double StepsOfElement(const Program& program);
// And for all elements: each node once for each combination of the index variables that it depends on.
double StepsOfAll(const Program& program);
// Of some nodes; index variables before `first_var` stand still.
double StepsOf(const ExprGraph& graph, absl::Span<const NodeId> roots, int first_var);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_COST_H_
