// What collectives give, as formulas with their real operands, reducers and groups. Not for how it is made (collective_exchange.h).
#ifndef HLOSCOPE_CORE_OPS_COLLECTIVE_FORMULA_H_
#define HLOSCOPE_CORE_OPS_COLLECTIVE_FORMULA_H_

#include <string>

#include "core/ir/module.h"

namespace hloscope {

// "out[i, j] = sum over d in all 4 replicas: %x[i, j] on d"; a start operation's is that of the result it begins, a tuple's one line a part.
// Members of a group are numbered from 0, in its order.
std::string AllReduceFormula(const Instruction& i);
std::string AllGatherFormula(const Instruction& i);
std::string ReduceScatterFormula(const Instruction& i);
std::string AllToAllFormula(const Instruction& i);
std::string RaggedAllToAllFormula(const Instruction& i);
std::string CollectiveBroadcastFormula(const Instruction& i);
std::string CollectivePermuteFormula(const Instruction& i);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_COLLECTIVE_FORMULA_H_
