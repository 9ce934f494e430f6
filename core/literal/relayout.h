// Values from one layout to another. Not for where elements lie (shape/layout_map.h).
#ifndef HLOSCOPE_CORE_LITERAL_RELAYOUT_H_
#define HLOSCOPE_CORE_LITERAL_RELAYOUT_H_

#include "core/literal/scalar.h"
#include "core/literal/value.h"

namespace hloscope {

// What the padding of an array holds: the lowest and highest value of a type are its infinities where it has them. Unknown is zero.
Scalar PaddingScalar(ElementType type, PaddingValue value);

// The same elements, dense. The value itself where it is; tuples element by element. No value: out of memory.
Value ToDense(const Value& value, MemoryAccount* account = nullptr);
// The same elements in the layout of `shape`, which has the value's type and dimensions (dynamic flags do not count), padding filled.
// The value itself, relabelled, where the layouts come to the same. Tuples element by element. No value: out of memory.
Value ToLayout(const Value& value, const Shape& shape, MemoryAccount* account = nullptr);
// True when ToLayout would move nothing.
bool IsInLayoutOf(const Value& value, const Shape& shape);

// Element at a physical position of an array in any layout (padding included).
Scalar PhysicalElement(const Value& value, int64_t position);

// An array of another element type with the same dimensions, dense, as the operation convert makes it. Without a value: no memory.
Value ConvertValue(const Value& value, ElementType to, MemoryAccount* account = nullptr);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_RELAYOUT_H_
