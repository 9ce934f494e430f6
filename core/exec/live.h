// The largest set of live values of a module in program order: what a run cannot do without, to hold its measured peak against.
// An estimate from shapes alone; it runs nothing and knows no fusion.
#ifndef HLOSCOPE_CORE_EXEC_LIVE_H_
#define HLOSCOPE_CORE_EXEC_LIVE_H_

#include <cstdint>

#include "core/ir/module.h"

namespace hloscope {

struct LiveSet {
  int64_t parameter_bytes = 0;           // of the entry computation
  int64_t largest_bytes = 0;             // largest sum of values alive at once, parameters of the entry not counted
  const Instruction* where = nullptr;    // in the entry computation, while it executes
};

// A value lives from its instruction to its last reader. Tuples and their elements are handles; splat constants, broadcasts and iota
// count nothing; a called computation's values count while it runs.
LiveSet LargestLiveSet(const Module& module);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_LIVE_H_
