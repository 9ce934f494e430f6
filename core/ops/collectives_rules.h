// The shape rules of collectives, for any number of devices: what is required of their operands and groups, and the result's shape. Not for what
// they compute (collectives.cc on one device, collective_exchange.h among several).
#ifndef HLOSCOPE_CORE_OPS_COLLECTIVES_RULES_H_
#define HLOSCOPE_CORE_OPS_COLLECTIVES_RULES_H_

#include "core/ops/op.h"

namespace hloscope {

// Gives each of them its OpDef::infer.
void DefineCollectivesRules(OpRegistry& r);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_COLLECTIVES_RULES_H_
