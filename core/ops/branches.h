// The branches of a conditional, and which one runs.
#ifndef HLOSCOPE_CORE_OPS_BRANCHES_H_
#define HLOSCOPE_CORE_OPS_BRANCHES_H_

#include <vector>

#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

std::vector<Computation*> BranchesOf(const Instruction& conditional);
// The number of the branch that operand 0's value chooses; an index out of range means the last one.
int TakenBranch(const Instruction& conditional, const Value& selector);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_BRANCHES_H_
