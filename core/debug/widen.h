// An element program in f64.
#ifndef HLOSCOPE_CORE_DEBUG_WIDEN_H_
#define HLOSCOPE_CORE_DEBUG_WIDEN_H_

#include "core/element/program.h"

namespace hloscope {

// The same program in f64: loads are converted, every operation on floats is done in f64, bits are only taken of the original type.
Program WidenProgram(const Program& program);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_WIDEN_H_
