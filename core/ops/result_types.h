// Which element types an operation can give, for offering operations: not for checking (OpDef::infer).
#ifndef HLOSCOPE_CORE_OPS_RESULT_TYPES_H_
#define HLOSCOPE_CORE_OPS_RESULT_TYPES_H_

#include "core/ir/opcode.h"
#include "core/shape/element_type.h"

namespace hloscope {

// False: no operands make it give a result of that type. Operations that say nothing of types may give any.
bool MayGive(Opcode opcode, ElementType result);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_RESULT_TYPES_H_
