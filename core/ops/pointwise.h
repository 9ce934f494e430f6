// Internal to the pointwise family: the part of it that stands in pointwise_convert.cc.
#ifndef HLOSCOPE_CORE_OPS_POINTWISE_H_
#define HLOSCOPE_CORE_OPS_POINTWISE_H_

#include "core/ops/op.h"

namespace hloscope {

// bitcast-convert and stochastic-convert.
void DefinePointwiseConversions(OpRegistry& registry);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_POINTWISE_H_
