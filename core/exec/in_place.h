// Which inputs a fused region may write over: what runs in place is gone for those who look at it afterwards. For the Machine.
#ifndef HLOSCOPE_CORE_EXEC_IN_PLACE_H_
#define HLOSCOPE_CORE_EXEC_IN_PLACE_H_

#include "core/exec/backend.h"

namespace hloscope {

// Whether only the root reads input `k`, and only moves data over it or updates it: such an input is handed on even while somebody looks, so
// that updates happen in place. What an instruction computes from, the observer gets to see.
bool OnlyUpdated(const Computation& computation, const Region& region, size_t k);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_IN_PLACE_H_
