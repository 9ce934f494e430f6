// Arrays of the oracle, see arrays.h.
#include "tests/oracle/arrays.h"

namespace hloscope::oracle {

Array::Array(const Shape& s) : shape(s) {
  if (s.IsTuple()) {
    for (const Shape& part : s.tuple_shapes()) parts.emplace_back(part);
  } else if (s.IsArray()) {
    elements.resize(s.ElementCount(), FromBits(s.element_type(), 0));
  }
}

int64_t Array::Position(const Index& index) const {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) position = position * shape.dim(static_cast<int>(d)) + index[d];
  return position;
}

Array FromValue(const Value& value) {
  Array array;
  array.shape = value.shape();
  for (const Value& part : value.elements()) array.parts.push_back(FromValue(part));
  if (!value.shape().IsArray()) return array;
  const ElementType type = value.shape().element_type();
  array.elements.reserve(value.element_count());
  for (int64_t i = 0; i < value.element_count(); ++i) array.elements.push_back(Load(type, value.data() + i * StorageBytes(type)));
  return array;
}

Value ToValue(const Array& array) {
  if (array.shape.IsTuple()) {
    std::vector<Value> parts;
    for (const Array& part : array.parts) parts.push_back(ToValue(part));
    return Value::Tuple(array.shape, std::move(parts));
  }
  if (!array.shape.IsArray()) return Value::Token();
  Value value = Value::Allocate(array.shape);
  for (int64_t i = 0; i < array.size(); ++i) Store(array.type(), array.elements[i], value.mutable_data() + i * StorageBytes(array.type()));
  return value;
}

Array MakeTuple(const Shape& shape, std::vector<Array> parts) {
  Array tuple;
  tuple.shape = shape;
  tuple.parts = std::move(parts);
  return tuple;
}

Array ScalarArray(ElementType type, const Number& x) {
  Array array(Shape::Scalar(type));
  array.elements[0] = x;
  return array;
}

void SetUnknown(Array& array) {
  for (Number& x : array.elements) x.error = kUnknown;
  for (Array& part : array.parts) SetUnknown(part);
}

bool HasUnknown(const Array& array) {
  for (const Number& x : array.elements) {
    if (x.unknown()) return true;
  }
  for (const Array& part : array.parts) {
    if (HasUnknown(part)) return true;
  }
  return false;
}

}  // namespace hloscope::oracle
