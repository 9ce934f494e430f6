#include "core/ops/zeros.h"

#include <algorithm>

namespace hloscope {

Value Zeros(const Shape& shape, MemoryAccount* account) {
  if (shape.IsToken()) return Value::Token();
  if (shape.IsTuple()) {
    std::vector<Value> elements;
    for (const Shape& s : shape.tuple_shapes()) elements.push_back(Zeros(s, account));
    return Value::Tuple(shape, std::move(elements));
  }
  Value v = Value::Allocate(shape, account);
  if (v.has_value() && v.byte_size() > 0) std::fill_n(v.mutable_data(), v.byte_size(), std::byte{0});
  return v;
}

}  // namespace hloscope
