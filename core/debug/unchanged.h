// Which instructions of an edited program compute what instructions of the old one computed: all that they are made from is the same, down to
// parameters and constants. Not for showing what differs (match.h), which also pairs instructions that are merely alike.
#ifndef HLOSCOPE_CORE_DEBUG_UNCHANGED_H_
#define HLOSCOPE_CORE_DEBUG_UNCHANGED_H_

#include <vector>

#include "core/ir/module.h"

namespace hloscope {

// By schedule position in the new entry computation: the position in the old one of an instruction with the same value in every run with the
// same inputs, or -1. `preferred(position)`: of several, the one wanted. What talks to the outside (infeed, outfeed, side effects) is never
// the same; names and metadata do not count.
std::vector<int> UnchangedInstructions(const Module& before, const Module& after, const std::vector<bool>& preferred);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_UNCHANGED_H_
