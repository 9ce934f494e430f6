// Constants of C++ numbers, and the scalar computations that reductions and sorts are given most often.
#ifndef HLOSCOPE_CORE_OPS_BUILDER_CONSTANTS_H_
#define HLOSCOPE_CORE_OPS_BUILDER_CONSTANTS_H_

#include <complex>
#include <initializer_list>
#include <type_traits>
#include <vector>

#include "core/ops/builder/operations.h"

namespace hloscope::hlo {

// The element type of a C++ type.
template <typename T>
constexpr ElementType TypeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return PRED;
  else if constexpr (std::is_same_v<T, float>)
    return F32;
  else if constexpr (std::is_same_v<T, double>)
    return F64;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return C64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return C128;
  else {
    static_assert(std::is_integral_v<T>, "no element type for this C++ type");
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1)
      return is_signed ? S8 : U8;
    else if constexpr (sizeof(T) == 2)
      return is_signed ? S16 : U16;
    else if constexpr (sizeof(T) == 4)
      return is_signed ? S32 : U32;
    else
      return is_signed ? S64 : U64;
  }
}

template <typename T>
Value ValueOf(Dims dimensions, absl::Span<const T> elements) {
  return Value::FromBytes(Shape::Array(TypeOf<T>(), dimensions),
                          absl::MakeConstSpan(reinterpret_cast<const std::byte*>(elements.data()), elements.size() * sizeof(T)));
}

template <typename T>
Op ConstantR0(Builder* builder, T value, Place place = Place::current()) {
  return ConstantLiteral(builder, ValueOf<T>({}, absl::MakeConstSpan(&value, 1)), place);
}

template <typename T>
Op ConstantR1(Builder* builder, std::initializer_list<T> values, Place place = Place::current()) {
  return ConstantLiteral(builder, ValueOf<T>({static_cast<int64_t>(values.size())}, absl::MakeConstSpan(values.begin(), values.size())),
                         place);
}
template <typename T>
Op ConstantR1(Builder* builder, absl::Span<const T> values, Place place = Place::current()) {
  return ConstantLiteral(builder, ValueOf<T>({static_cast<int64_t>(values.size())}, values), place);
}
template <typename T>
Op ConstantR1(Builder* builder, int64_t length, T value, Place place = Place::current()) {
  const std::vector<int64_t> sizes = {length};
  return Broadcast(ConstantR0<T>(builder, value, place), sizes, place);
}

// An array of any rank: the elements in row-major order. An error where there are not as many as the dimensions say.
template <typename T>
Op ConstantArray(Builder* builder, Dims dimensions, absl::Span<const T> elements, Place place = Place::current()) {
  int64_t count = 1;
  for (int64_t d : dimensions) count *= d;
  if (count != static_cast<int64_t>(elements.size())) {
    return builder->Error(
        HLO_LABEL("builder.constant-size"),
        "the constant has " + std::to_string(elements.size()) + " elements where its dimensions need " + std::to_string(count), place);
  }
  return ConstantLiteral(builder, ValueOf<T>(dimensions, elements), place);
}
template <typename T>
Op ConstantArray(Builder* builder, std::initializer_list<int64_t> dimensions, std::initializer_list<T> elements,
                 Place place = Place::current()) {
  return ConstantArray<T>(builder, absl::MakeConstSpan(dimensions.begin(), dimensions.size()),
                          absl::MakeConstSpan(elements.begin(), elements.size()), place);
}

template <typename T>
Op ConstantR2(Builder* builder, std::initializer_list<std::initializer_list<T>> rows, Place place = Place::current()) {
  const int64_t height = static_cast<int64_t>(rows.size()), width = height == 0 ? 0 : static_cast<int64_t>(rows.begin()->size());
  Value value = Value::Allocate(Shape::Array(TypeOf<T>(), {height, width}));
  T* to = value.mutable_as<T>();
  for (const auto& row : rows) {
    if (static_cast<int64_t>(row.size()) != width) {
      return builder->Error(HLO_LABEL("builder.constant-rows"), "the rows of a constant must be of one length", place);
    }
    for (const T& element : row) *to++ = element;
  }
  return ConstantLiteral(builder, value, place);
}

// The number, rounded to the type.
Op ConstantR0WithType(Builder* builder, ElementType type, double value, Place place = Place::current());
// Of the operand's element type: a scalar, and arrays of the operand's dimensions.
Op ScalarLike(Op prototype, double value, Place place = Place::current());
Op FullLike(Op prototype, double value, Place place = Place::current());
Op ZerosLike(Op prototype, Place place = Place::current());
Op Zero(Builder* builder, ElementType type, Place place = Place::current());
Op One(Builder* builder, ElementType type, Place place = Place::current());
// The identities of max and min: -inf and +inf for floats that have them, else the lowest and highest number.
Op MinValue(Builder* builder, ElementType type, Place place = Place::current());
Op MaxValue(Builder* builder, ElementType type, Place place = Place::current());

// (x, y) -> x op y on scalars of the type, made in the builder's module.
Computation* CreateScalarAddComputation(ElementType type, Builder* builder, Place place = Place::current());
Computation* CreateScalarMultiplyComputation(ElementType type, Builder* builder, Place place = Place::current());
Computation* CreateScalarMaxComputation(ElementType type, Builder* builder, Place place = Place::current());
Computation* CreateScalarMinComputation(ElementType type, Builder* builder, Place place = Place::current());
Computation* CreateScalarAndComputation(ElementType type, Builder* builder, Place place = Place::current());
Computation* CreateScalarOrComputation(ElementType type, Builder* builder, Place place = Place::current());
Computation* CreateScalarGeComputation(ElementType type, Builder* builder, Place place = Place::current());
// Comparators for Sort of operands of these types: by the first, ascending or descending.
Computation* CreateScalarLtComputation(absl::Span<const ElementType> types, Builder* builder, Place place = Place::current());
Computation* CreateScalarGtComputation(absl::Span<const ElementType> types, Builder* builder, Place place = Place::current());

}  // namespace hloscope::hlo

#endif  // HLOSCOPE_CORE_OPS_BUILDER_CONSTANTS_H_
