// A value whose elements count from 0: halves in floating point types, i - i of an imaginary unit in complex ones.
#ifndef HLOSCOPE_TESTS_LITERAL_COUNTING_H_
#define HLOSCOPE_TESTS_LITERAL_COUNTING_H_

#include <vector>

#include "core/literal/scalar.h"
#include "core/literal/value.h"

namespace hloscope {

inline Value Counting(ElementType type, std::vector<int64_t> dims) {
  Value value = Value::Allocate(Shape::Array(type, dims));
  for (int64_t i = 0; i < value.element_count(); ++i) {
    const Scalar s = IsComplex(type)   ? Scalar::Complex(type, {static_cast<double>(i), static_cast<double>(-i)})
                     : IsFloat(type) ? Scalar::Float(type, static_cast<double>(i) / 2)
                                     : Scalar::Int(type, i);
    StoreScalar(s, value.mutable_data() + i * StorageBytes(type));
  }
  return value;
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_LITERAL_COUNTING_H_
