// Elementwise operations: a row each, most of them one HLO opcode.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/text/stablehlo/convert.h"
#include "core/text/stablehlo/expression.h"

namespace hloscope::stablehlo {
namespace {

template <Opcode opcode>
void Plain(OpContext& c) {
  c.Simple(opcode, c.ins());
}

// StableHLO orders complex numbers by their real parts, then by their imaginary ones; HLO does not order them.
Ex OrderedComplex(const char* direction, const Ex& a, const Ex& b) {
  const std::string strict = direction[0] == 'L' ? "LT" : "GT";
  return hloscope::stablehlo::Compare(strict.c_str(), Real(a), Real(b)) || ((Real(a) == Real(b)) && hloscope::stablehlo::Compare(direction, Imag(a), Imag(b)));
}

bool IsComplexOperand(OpContext& c) { return c.in(0) != nullptr && c.in(1) != nullptr && c.in(0)->shape.IsArray() && IsComplex(c.in(0)->shape.element_type()); }

template <Opcode opcode>
void MinMax(OpContext& c) {
  if (!IsComplexOperand(c)) return c.Simple(opcode, c.ins());
  const Ex a = {&c.e, c.in(0)}, b = {&c.e, c.in(1)};
  c.Set(0, Select(OrderedComplex(opcode == Opcode::kMinimum ? "LT" : "GT", a, b), a, b).i);
}

// compare C3: the kind of comparison fits the elements. An index says NOTYPE, as may any.
void CheckCompareType(OpContext& c) {
  c.Among("compare_type", {"NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"});
  const std::string word = c.Word("compare_type", "NOTYPE");
  if (word == "NOTYPE" || c.in(0) == nullptr || !c.in(0)->shape.IsArray()) return;
  const ElementType type = c.in(0)->shape.element_type();
  const bool fits = word == "SIGNED" ? IsSigned(type) : word == "UNSIGNED" ? IsPred(type) || (IsInteger(type) && !IsSigned(type)) : word == "FLOAT" ? IsFloat(type) || IsComplex(type) : IsFloat(type);
  if (fits) return;
  c.Error(HLO_LABEL("stablehlo.compare-type"), absl::StrCat("elements of ", Name(type), " are not compared as ", word),
          "SIGNED and UNSIGNED are for integers, UNSIGNED for i1, FLOAT and TOTALORDER for floating point");
}

// abs and sign: of signed integers, floating point and complex numbers.
template <Opcode opcode>
void OfSigned(OpContext& c) {
  if (c.in(0) != nullptr && c.in(0)->shape.IsArray()) {
    const ElementType type = c.in(0)->shape.element_type();
    if (IsPred(type) || (IsInteger(type) && !IsSigned(type))) {
      return c.Error(HLO_LABEL("stablehlo.signed-operand"), absl::StrCat(c.op.name, " takes signed integers, floating point or complex numbers, not ", Name(type)));
    }
  }
  c.Simple(opcode, c.ins());
}

void Compare(OpContext& c) {
  const mlir::Attr* direction = c.Need("comparison_direction");
  if (direction == nullptr) return;
  if (const std::string word = WordOf(*direction); IsComplexOperand(c) && word != "EQ" && word != "NE") {
    return c.Set(0, OrderedComplex(word.c_str(), {&c.e, c.in(0)}, {&c.e, c.in(1)}).i);
  }
  CheckCompareType(c);
  Attributes attributes = {c.Text(AttrId::kDirection, WordOf(*direction))};
  const std::string type = c.Word("compare_type");
  if (type == "TOTALORDER") attributes.push_back(c.Text(AttrId::kType, "TOTALORDER"));
  c.Simple(Opcode::kCompare, c.ins(), std::move(attributes));
}

void Convert(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr) return;
  const Shape shape = c.WrittenOrLike(x->shape);
  // Of a complex number the real part is converted.
  if (x->shape.IsArray() && IsComplex(x->shape.element_type()) && !IsComplex(shape.element_type())) x = c.e.Add(Opcode::kReal, {x});
  c.Set(0, c.e.Add(Opcode::kConvert, {x}, {}, &shape, c.name()));
}

ElementType UnsignedOfWidth(int64_t bits) {
  for (ElementType type : {ElementType::kU1, ElementType::kU2, ElementType::kU4, ElementType::kU8, ElementType::kU16, ElementType::kU32}) {
    if (BitWidth(type) == bits) return type;
  }
  return ElementType::kU64;
}

Shape WithLast(const Shape& shape, int64_t size, ElementType type) {
  std::vector<int64_t> dims(shape.dimensions().begin(), shape.dimensions().end());
  dims.push_back(size);
  return Shape::Array(type, dims);
}

// Where each bit of the last dimension stands: 0, 1, 2, ... in the type.
Ex Places(Emitter& e, const Shape& shape) { return {&e, e.Add(Opcode::kIota, {}, {IntAttribute(AttrId::kIotaDimension, shape.rank() - 1)}, &shape)}; }

// i1 is one bit here and a byte in HLO: bits are taken apart and put together by shifts, the lowest first.
Instruction* BitsToPredicates(OpContext& c, Instruction* x) {
  const int width = BitWidth(x->shape.element_type());
  const Shape bits = x->shape.WithoutLayouts().WithElementType(UnsignedOfWidth(width));
  const Shape apart = WithLast(x->shape, width, bits.element_type());
  Instruction* whole = c.e.Add(Opcode::kBitcastConvert, {x}, {}, &bits);
  std::vector<int64_t> dims;
  for (int d = 0; d < bits.rank(); ++d) dims.push_back(d);
  const Ex each = {&c.e, c.e.Broadcast(whole, apart, dims)};
  const Ex bit = each.Bin(Opcode::kShiftRightLogical, Places(c.e, apart)) && each.Like(1);
  return hloscope::stablehlo::Compare("NE", bit, bit.Like(0)).i;
}

Instruction* PredicatesToBits(OpContext& c, Instruction* x, const Shape& result) {
  const ElementType bits = UnsignedOfWidth(BitWidth(result.element_type()));
  const Shape apart = x->shape.WithoutLayouts().WithElementType(bits);
  const Ex shifted = Ex{&c.e, c.e.Convert(x, bits)}.Bin(Opcode::kShiftLeft, Places(c.e, apart));
  Computation* either = c.c.Helper(absl::StrCat("or ", Name(bits)), "or", [&](Emitter& e, Computation*) {
    Instruction* a = e.Parameter(Shape::Scalar(bits), "a");
    return e.Add(Opcode::kOr, {a, e.Parameter(Shape::Scalar(bits), "b")});
  });
  Instruction* whole = c.e.Add(Opcode::kReduce, {shifted.i, c.e.ScalarInt(bits, 0)}, {IntsAttribute(AttrId::kDimensions, {apart.rank() - 1}), ComputationAttribute(AttrId::kToApply, either)});
  return c.e.Add(Opcode::kBitcastConvert, {whole}, {}, &result, c.name());
}

// One of c128 is two of c64: the halves of the real part, then those of the imaginary one.
Instruction* SplitComplex(OpContext& c, Instruction* x) {
  const Ex z = {&c.e, x};
  std::vector<int64_t> one(x->shape.dimensions().begin(), x->shape.dimensions().end());
  one.push_back(1);
  Instruction* parts = c.e.Add(Opcode::kConcatenate, {c.e.Reshape(Real(z).i, one), c.e.Reshape(Imag(z).i, one)}, {IntsAttribute(AttrId::kDimensions, {x->shape.rank()})});
  const Shape halves = WithLast(WithLast(x->shape, 2, ElementType::kF64), 2, ElementType::kF32);
  Instruction* apart = c.e.Add(Opcode::kBitcastConvert, {parts}, {}, &halves);
  const auto half = [&](int64_t k) {
    Attribute slice;
    slice.id = AttrId::kSlice;
    slice.name = Info(AttrId::kSlice).name;
    std::vector<SliceDimension> dims;
    for (int d = 0; d < halves.rank(); ++d) dims.push_back(d + 1 == halves.rank() ? SliceDimension{k, k + 1, 1} : SliceDimension{0, halves.dim(d), 1});
    slice.value = std::move(dims);
    std::vector<int64_t> rest(halves.dimensions().begin(), halves.dimensions().end() - 1);
    return c.e.Reshape(c.e.Add(Opcode::kSlice, {apart}, {slice}), rest);
  };
  Instruction* low = half(0);
  return c.e.Add(Opcode::kComplex, {low, half(1)}, {}, nullptr, c.name());
}

Instruction* JoinComplex(OpContext& c, Instruction* x) {
  const Ex z = {&c.e, x};
  std::vector<int64_t> one(x->shape.dimensions().begin(), x->shape.dimensions().end());
  one.push_back(1);
  Instruction* parts = c.e.Add(Opcode::kConcatenate, {c.e.Reshape(Real(z).i, one), c.e.Reshape(Imag(z).i, one)}, {IntsAttribute(AttrId::kDimensions, {x->shape.rank()})});
  const Shape wide = x->shape.WithoutLayouts().WithElementType(ElementType::kF64);
  Instruction* joined = c.e.Add(Opcode::kBitcastConvert, {parts}, {}, &wide);
  const auto part = [&](int64_t k) {
    Attribute slice;
    slice.id = AttrId::kSlice;
    slice.name = Info(AttrId::kSlice).name;
    std::vector<SliceDimension> dims;
    for (int d = 0; d < wide.rank(); ++d) dims.push_back(d + 1 == wide.rank() ? SliceDimension{k, k + 1, 1} : SliceDimension{0, wide.dim(d), 1});
    slice.value = std::move(dims);
    std::vector<int64_t> rest(wide.dimensions().begin(), wide.dimensions().end() - 1);
    return c.e.Reshape(c.e.Add(Opcode::kSlice, {joined}, {slice}), rest);
  };
  Instruction* real = part(0);
  return c.e.Add(Opcode::kComplex, {real, part(1)}, {}, nullptr, c.name());
}

void BitcastConvert(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr) return;
  const ElementType from_type = x->shape.element_type(), to_type = c.WrittenElement();
  const std::optional<Shape> written = c.Written();
  if (IsPred(to_type) && !IsPred(from_type) && !IsComplex(from_type)) return c.Set(0, BitsToPredicates(c, x));
  if (IsPred(from_type) && !IsPred(to_type) && !IsComplex(to_type) && written && x->shape.rank() == written->rank() + 1 &&
      x->shape.dim(x->shape.rank() - 1) == BitWidth(to_type)) {
    return c.Set(0, PredicatesToBits(c, x, *written));
  }
  if (from_type == ElementType::kC128 && to_type == ElementType::kC64) return c.Set(0, SplitComplex(c, x));
  if (from_type == ElementType::kC64 && to_type == ElementType::kC128 && x->shape.rank() > 0 && x->shape.dim(x->shape.rank() - 1) == 2) return c.Set(0, JoinComplex(c, x));
  Shape shape = c.WrittenOrLike(x->shape);
  if (!c.Written()) {
    const int from = BitWidth(x->shape.element_type()), to = BitWidth(shape.element_type());
    std::vector<int64_t> dims(x->shape.dimensions().begin(), x->shape.dimensions().end());
    if (from > to && to > 0) dims.push_back(from / to);
    if (from < to && !dims.empty()) dims.pop_back();
    shape = Shape::Array(shape.element_type(), dims);
  }
  c.Set(0, c.e.Add(Opcode::kBitcastConvert, {x}, {}, &shape, c.name()));
}

void ReducePrecision(OpContext& c) {
  c.Simple(Opcode::kReducePrecision, c.ins(),
           {IntAttribute(AttrId::kExponentBits, c.Int("exponent_bits", 0)), IntAttribute(AttrId::kMantissaBits, c.Int("mantissa_bits", 0))});
}

void StochasticConvert(OpContext& c) {
  Instruction* x = c.in(0);
  if (x == nullptr) return;
  const Shape shape = c.WrittenOrLike(x->shape);
  c.Set(0, c.e.Add(Opcode::kStochasticConvert, c.ins(), {}, &shape, c.name()));
}

// Bounds given as scalars are allowed on both sides.
void Clamp(OpContext& c) { c.Simple(Opcode::kClamp, c.ins()); }

void Select(OpContext& c) {
  Instruction* p = c.in(0);
  Instruction* a = c.in(1);
  if (p == nullptr || a == nullptr) return;
  c.Simple(Opcode::kSelect, c.ins());
}

// Of a real operand these are the operand itself, and zeros.
void Real(OpContext& c) { c.Simple(Opcode::kReal, c.ins()); }
void Imag(OpContext& c) { c.Simple(Opcode::kImag, c.ins()); }

constexpr Row kRows[] = {
    {"stablehlo.abs", OfSigned<Opcode::kAbs>, 1, 1},
    {"stablehlo.add", Plain<Opcode::kAdd>, 2, 2},
    {"stablehlo.and", Plain<Opcode::kAnd>, 2, 2},
    {"stablehlo.atan2", Plain<Opcode::kAtan2>, 2, 2},
    {"stablehlo.bitcast_convert", BitcastConvert, 1, 1},
    {"stablehlo.cbrt", Plain<Opcode::kCbrt>, 1, 1},
    {"stablehlo.ceil", Plain<Opcode::kCeil>, 1, 1},
    {"stablehlo.clamp", Clamp, 3, 3},
    {"stablehlo.compare", Compare, 2, 2},
    {"stablehlo.complex", Plain<Opcode::kComplex>, 2, 2},
    {"stablehlo.convert", Convert, 1, 1},
    {"stablehlo.cosine", Plain<Opcode::kCosine>, 1, 1},
    {"stablehlo.count_leading_zeros", Plain<Opcode::kCountLeadingZeros>, 1, 1},
    {"stablehlo.divide", Plain<Opcode::kDivide>, 2, 2},
    {"stablehlo.exponential", Plain<Opcode::kExponential>, 1, 1},
    {"stablehlo.exponential_minus_one", Plain<Opcode::kExponentialMinusOne>, 1, 1},
    {"stablehlo.floor", Plain<Opcode::kFloor>, 1, 1},
    {"stablehlo.imag", Imag, 1, 1},
    {"stablehlo.is_finite", Plain<Opcode::kIsFinite>, 1, 1},
    {"stablehlo.log", Plain<Opcode::kLog>, 1, 1},
    {"stablehlo.log_plus_one", Plain<Opcode::kLogPlusOne>, 1, 1},
    {"stablehlo.logistic", Plain<Opcode::kLogistic>, 1, 1},
    {"stablehlo.maximum", MinMax<Opcode::kMaximum>, 2, 2},
    {"stablehlo.minimum", MinMax<Opcode::kMinimum>, 2, 2},
    {"stablehlo.multiply", Plain<Opcode::kMultiply>, 2, 2},
    {"stablehlo.negate", Plain<Opcode::kNegate>, 1, 1},
    {"stablehlo.not", Plain<Opcode::kNot>, 1, 1},
    {"stablehlo.or", Plain<Opcode::kOr>, 2, 2},
    {"stablehlo.popcnt", Plain<Opcode::kPopcnt>, 1, 1},
    {"stablehlo.power", Plain<Opcode::kPower>, 2, 2},
    {"stablehlo.real", Real, 1, 1},
    {"stablehlo.reduce_precision", ReducePrecision, 1, 1},
    {"stablehlo.remainder", Plain<Opcode::kRemainder>, 2, 2},
    {"stablehlo.round_nearest_afz", Plain<Opcode::kRoundNearestAfz>, 1, 1},
    {"stablehlo.round_nearest_even", Plain<Opcode::kRoundNearestEven>, 1, 1},
    {"stablehlo.rsqrt", Plain<Opcode::kRsqrt>, 1, 1},
    {"stablehlo.select", Select, 3, 3},
    {"stablehlo.shift_left", Plain<Opcode::kShiftLeft>, 2, 2},
    {"stablehlo.shift_right_arithmetic", Plain<Opcode::kShiftRightArithmetic>, 2, 2},
    {"stablehlo.shift_right_logical", Plain<Opcode::kShiftRightLogical>, 2, 2},
    {"stablehlo.sign", OfSigned<Opcode::kSign>, 1, 1},
    {"stablehlo.sine", Plain<Opcode::kSine>, 1, 1},
    {"stablehlo.sqrt", Plain<Opcode::kSqrt>, 1, 1},
    {"stablehlo.stochastic_convert", StochasticConvert, 2, 2},
    {"stablehlo.subtract", Plain<Opcode::kSubtract>, 2, 2},
    {"stablehlo.tan", Plain<Opcode::kTan>, 1, 1},
    {"stablehlo.tanh", Plain<Opcode::kTanh>, 1, 1},
    {"stablehlo.xor", Plain<Opcode::kXor>, 2, 2},
};

}  // namespace

absl::Span<const Row> ElementwiseRows() { return kRows; }

}  // namespace hloscope::stablehlo
