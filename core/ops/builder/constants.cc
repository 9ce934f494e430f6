#include "core/ops/builder/constants.h"

#include <cmath>
#include <limits>

#include "core/literal/scalar.h"

namespace hloscope::hlo {
namespace {

Value ScalarValue(const Scalar& s) {
  Value value = Value::Allocate(Shape::Scalar(s.type));
  StoreScalar(s, value.mutable_data());
  return value;
}

Scalar NumberOf(ElementType type, double value) {
  if (IsFloat(type)) return Scalar::Float(type, value);
  if (IsComplex(type)) return Scalar::Complex(type, {value, 0});
  return ConvertScalar(Scalar::Float(ElementType::kF64, value), type);
}

Scalar Extreme(ElementType type, bool low) {
  if (IsFloat(type) || IsComplex(type)) {
    const double infinity = low ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    const Scalar s = Scalar::Float(RealTypeOf(type), infinity);
    if (std::isinf(s.re)) return s;
    // Types without an infinity: the largest number there is.
    double best = 0;
    for (uint64_t bits = 0; bits < (uint64_t{1} << BitWidth(type)); ++bits) {
      const double v = DecodeFloat(type, bits);
      if (std::isfinite(v) && (low ? v < best : v > best)) best = v;
    }
    return Scalar::Float(type, best);
  }
  const int bits = BitWidth(type);
  if (IsPred(type)) return Scalar::Int(type, low ? 0 : 1);
  if (IsSigned(type)) {
    const auto most = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
    return Scalar::Int(type, low ? -most - 1 : most);
  }
  return Scalar::Int(type, low ? 0 : -1);
}

template <typename F>
Computation* Reducer(absl::string_view name, ElementType type, Builder* builder, Place place, F f) {
  const std::vector<Shape> parameters = {Shape::Scalar(type), Shape::Scalar(type)};
  return builder->Sub(
      name, parameters, [&](Builder*, Ops p) { return f(p[0], p[1]); }, place);
}

template <typename F>
Computation* Comparator(absl::string_view name, absl::Span<const ElementType> types, Builder* builder, Place place, F f) {
  std::vector<Shape> parameters;
  for (ElementType type : types) parameters.insert(parameters.end(), 2, Shape::Scalar(type));
  if (types.empty()) {
    builder->Error(HLO_LABEL("builder.comparator-types"), "a comparator needs the type of at least one operand", place);
    return nullptr;
  }
  return builder->Sub(
      name, parameters, [&](Builder*, Ops p) { return f(p[0], p[1]); }, place);
}

}  // namespace

Op ConstantR0WithType(Builder* builder, ElementType type, double value, Place place) {
  if (!IsArrayType(type)) return builder->Error(HLO_LABEL("builder.constant-type"), "a constant needs an array's element type", place);
  return builder->AddConstant(ScalarValue(NumberOf(type, value)), place);
}

Op ScalarLike(Op prototype, double value, Place place) {
  if (!prototype.valid()) return prototype;
  return ConstantR0WithType(prototype.builder(), prototype.shape().element_type(), value, place);
}

Op FullLike(Op prototype, double value, Place place) {
  return Broadcast(ScalarLike(prototype, value, place), prototype.shape().dimensions(), place);
}
Op ZerosLike(Op prototype, Place place) { return FullLike(prototype, 0, place); }
Op Zero(Builder* builder, ElementType type, Place place) { return ConstantR0WithType(builder, type, 0, place); }
Op One(Builder* builder, ElementType type, Place place) { return ConstantR0WithType(builder, type, 1, place); }
Op MinValue(Builder* builder, ElementType type, Place place) { return builder->AddConstant(ScalarValue(Extreme(type, true)), place); }
Op MaxValue(Builder* builder, ElementType type, Place place) { return builder->AddConstant(ScalarValue(Extreme(type, false)), place); }

Computation* CreateScalarAddComputation(ElementType type, Builder* builder, Place place) {
  return Reducer("add_of", type, builder, place, [&](Op x, Op y) { return Add(x, y, {}, place); });
}
Computation* CreateScalarMultiplyComputation(ElementType type, Builder* builder, Place place) {
  return Reducer("multiply_of", type, builder, place, [&](Op x, Op y) { return Mul(x, y, {}, place); });
}
Computation* CreateScalarMaxComputation(ElementType type, Builder* builder, Place place) {
  return Reducer("maximum_of", type, builder, place, [&](Op x, Op y) { return Max(x, y, {}, place); });
}
Computation* CreateScalarMinComputation(ElementType type, Builder* builder, Place place) {
  return Reducer("minimum_of", type, builder, place, [&](Op x, Op y) { return Min(x, y, {}, place); });
}
Computation* CreateScalarAndComputation(ElementType type, Builder* builder, Place place) {
  return Reducer("and_of", type, builder, place, [&](Op x, Op y) { return And(x, y, {}, place); });
}
Computation* CreateScalarOrComputation(ElementType type, Builder* builder, Place place) {
  return Reducer("or_of", type, builder, place, [&](Op x, Op y) { return Or(x, y, {}, place); });
}
Computation* CreateScalarGeComputation(ElementType type, Builder* builder, Place place) {
  return Reducer("ge_of", type, builder, place, [&](Op x, Op y) { return Ge(x, y, {}, place); });
}
Computation* CreateScalarLtComputation(absl::Span<const ElementType> types, Builder* builder, Place place) {
  return Comparator("less_of", types, builder, place, [&](Op x, Op y) { return Lt(x, y, {}, place); });
}
Computation* CreateScalarGtComputation(absl::Span<const ElementType> types, Builder* builder, Place place) {
  return Comparator("greater_of", types, builder, place, [&](Op x, Op y) { return Gt(x, y, {}, place); });
}

}  // namespace hloscope::hlo
