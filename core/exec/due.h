// Where in time the members of a fused region belong. A region runs at its root, but what its members make is told at the members' own
// positions, as far as that does not go back over what has run before. It follows from the plan alone, so every way through the program
// meets the same things in the same order. For observers that stop the program, and for the Machine that stops for them.
#ifndef HLOSCOPE_CORE_EXEC_DUE_H_
#define HLOSCOPE_CORE_EXEC_DUE_H_

#include "core/exec/backend.h"

namespace hloscope {

// Whether only the root reads input `k`, and only moves data over it or updates it: such an input is handed on even while somebody looks, so
// that updates happen in place. What an instruction computes from, the observer gets to see.
bool OnlyUpdated(const Computation& computation, const Region& region, size_t k);

// The first position whose step looks at members of the region: what a member before it makes is told with it. The end of the region before
// or, where an input may be updated in place and is gone then, the root. A member m is told about when the program has come to
// max(m, due) + 1; standing behind `due`, members before the present position have been told about.
int DueOf(const Plan& plan, int region);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_DUE_H_
