// Elements put together from the bits of other elements: what bitcast and bitcast-convert mean between widths.
// Not for conversions of numbers.
#ifndef HLOSCOPE_CORE_OPS_BITS_H_
#define HLOSCOPE_CORE_OPS_BITS_H_

#include <functional>

#include "core/element/expr.h"

namespace hloscope {

// Whether elements of one type are whole numbers of elements of the other (not so for 6 and 8 bits).
bool WidthsFit(ElementType a, ElementType b);

// The smallest unsigned type of so many bits; at most 64.
ElementType UnsignedOf(int bits);

// Element number `linear` of type `to`, when the bits of the elements of type `from`, one after the other, the lowest bits first, are read
// as elements of `to`. `load` makes element number n of the operand. A complex number is its real part, then its imaginary one.
NodeId ReadBitsAs(ExprGraph& graph, ElementType to, NodeId linear, ElementType from, const std::function<NodeId(NodeId n)>& load);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_BITS_H_
