// How small the numbers of a program can get: a proof, from its operands' smallest elements, that nothing in it comes near the smallest normal
// number. For programs with folds, where looking at every operation costs far more than the operation.
#ifndef HLOSCOPE_CORE_ELEMENT_MAGNITUDES_H_
#define HLOSCOPE_CORE_ELEMENT_MAGNITUDES_H_

#include "absl/types/span.h"
#include "core/element/program.h"
#include "core/literal/value.h"

namespace hloscope {

// True: no operation of the pull program makes a denormal number, or loses one to zero. False: it cannot be said. `operands` are dense.
bool StaysNormal(const Program& program, absl::Span<const Value> operands);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_MAGNITUDES_H_
