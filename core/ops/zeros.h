// A value of zeros for what an operation hands out without having computed it: contexts, requests, replicas that receive nothing.
#ifndef HLOSCOPE_CORE_OPS_ZEROS_H_
#define HLOSCOPE_CORE_OPS_ZEROS_H_

#include "core/literal/value.h"

namespace hloscope {

// Arrays of zero bytes, tokens, and tuples of them; arrays are dense. An array without memory is no value.
Value Zeros(const Shape& shape, MemoryAccount* account);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_ZEROS_H_
