// One element of an array, whatever its type.
#ifndef HLOSCOPE_CORE_LITERAL_ELEMENT_AT_H_
#define HLOSCOPE_CORE_LITERAL_ELEMENT_AT_H_

#include "core/literal/scalar.h"
#include "core/literal/value.h"

namespace hloscope {

// `linear`: its place in the storage order of a dense array.
inline Scalar ElementAt(const Value& array, int64_t linear) {
  const ElementType type = array.shape().element_type();
  return LoadScalar(type, array.data() + linear * StorageBytes(type));
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_ELEMENT_AT_H_
