// Random elementwise operations, comparisons and conversions.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "tests/random/maker.h"

namespace hloscope {
namespace {

using Names = std::vector<std::string>;

const Names& FloatFunctions() {
  static const auto& v = *new Names{"cbrt", "cosine", "erf", "exponential", "exponential-minus-one", "log", "log-plus-one", "logistic", "rsqrt", "sine",
                                    "sqrt", "tan", "tanh", "acos", "acosh", "asin", "asinh", "atanh", "cosh", "sinh"};
  return v;
}
const Names& ComplexFunctions() {
  static const auto& v = *new Names{"cosine", "exponential", "exponential-minus-one", "log", "log-plus-one", "logistic", "rsqrt", "sine", "sqrt", "tan", "tanh"};
  return v;
}

std::string UnaryOf(ElementType type, Dice& dice) {
  if (IsPred(type)) return "not";
  if (IsSigned(type)) return dice.Of(Names{"negate", "not", "popcnt", "count-leading-zeros", "abs", "sign"});
  if (IsUnsigned(type)) return dice.Of(Names{"negate", "not", "popcnt", "count-leading-zeros"});
  if (IsComplex(type)) return dice.One(4) ? dice.Of(ComplexFunctions()) : "negate";
  if (dice.One(4)) return dice.Of(FloatFunctions());
  return dice.Of(Names{"abs", "negate", "sign", "floor", "ceil", "round-nearest-even", "round-nearest-afz", "sqrt"});
}

std::string BinaryOf(ElementType type, Dice& dice) {
  if (IsPred(type)) return dice.Of(Names{"and", "or", "xor", "maximum", "minimum"});
  if (IsComplex(type)) return dice.Of(Names{"add", "subtract", "multiply", "add", "divide"});
  if (IsInteger(type)) {
    return dice.Of(Names{"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or", "xor", "shift-left",
                         "shift-right-arithmetic", "shift-right-logical", "power"});
  }
  if (dice.One(12)) return dice.Of(Names{"power", "atan2"});
  return dice.Of(Names{"add", "subtract", "multiply", "divide", "maximum", "minimum", "add", "multiply", "remainder"});
}

}  // namespace

bool Maker::Elementwise() {
  const int x = SomeArray();
  const Shape s = shape(x);
  const ElementType type = s.element_type();
  if (IsFunnyType(type)) return false;
  if (IsComplex(type) && dice_.One(3)) {
    Add(dice_.Of(Names{"real", "imag", "abs"}), s.WithElementType(RealTypeOf(type)), {x});
    return true;
  }
  if ((type == ElementType::kF32 || type == ElementType::kF64) && dice_.One(20)) {
    Add("complex", s.WithElementType(type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128), {x, Make(type, SizesOf(s))});
    return true;
  }
  if (dice_.One(3)) {
    std::string op = UnaryOf(type, dice_);
    // The inverse functions exist for reals of 16 bits and more.
    if (op[0] == 'a' && op != "abs" && BitWidth(type) < 16) op = "negate";
    if ((op == "cosh" || op == "sinh") && BitWidth(type) < 16) op = "tanh";
    Add(op, s, {x});
    return true;
  }
  std::string op = BinaryOf(type, dice_);
  if (op == "atan2" && BitWidth(type) < 16) op = "add";
  const int y = Make(type, SizesOf(s));
  Add(op, s, dice_.One(2) ? std::vector<int>{x, y} : std::vector<int>{y, x});
  return true;
}

bool Maker::Comparing() {
  const int x = SomeArray();
  const Shape s = shape(x);
  const ElementType type = s.element_type();
  switch (dice_.Below(4)) {
    case 0: {
      Names directions = {"EQ", "NE"};
      if (!IsComplex(type)) directions.insert(directions.end(), {"GE", "GT", "LE", "LT"});
      std::string attributes = absl::StrCat(", direction=", dice_.Of(directions));
      if (IsFloat(type) && dice_.One(4)) attributes += ", type=TOTALORDER";
      Add("compare", s.WithElementType(ElementType::kPred), {x, Make(type, SizesOf(s))}, attributes);
      return true;
    }
    case 1:
    case 2: {
      const int p = Make(ElementType::kPred, dice_.One(4) ? Sizes() : SizesOf(s));
      Add("select", s, {p, x, Make(type, SizesOf(s))});
      return true;
    }
    default: {
      if (IsFloat(type) && dice_.One(3)) {
        Add("is-finite", s.WithElementType(ElementType::kPred), {x});
        return true;
      }
      if (IsComplex(type) || IsPred(type)) return false;
      const Sizes limits = dice_.One(2) ? Sizes() : SizesOf(s);
      const int low = Make(type, limits);
      Add("clamp", s, {low, x, Make(type, limits)});
      return true;
    }
  }
}

bool Maker::Converting() {
  const int x = SomeArray();
  const Shape s = shape(x);
  const ElementType type = s.element_type();
  if (dice_.One(3)) {  // bits under another type
    const ElementType to = RandomType();
    if (IsPred(type) != IsPred(to) || IsComplex(type) != IsComplex(to)) return false;
    const int a = BitWidth(type), b = BitWidth(to);
    if (a != b && (a == 6 || b == 6)) return false;  // six bits are no part of another width
    if (std::max(a, b) % std::min(a, b) != 0) return false;
    Sizes sizes = SizesOf(s);
    if (a > b) {
      sizes.push_back(a / b);
    } else if (a < b) {
      if (sizes.empty() || sizes.back() != b / a) return false;
      sizes.pop_back();
    }
    if (sizes.size() > 5) return false;
    Add("bitcast-convert", Shape::Array(to, sizes), {x});
    return true;
  }
  if (IsFloat(type) && !IsFunnyType(type) && BitWidth(type) != 6 && dice_.One(4)) {
    static const auto& results = *new std::vector<ElementType>(TypesWhere([](ElementType t) {
      return (IsSigned(t) || IsFloat(t)) && !IsFunnyType(t) && (BitWidth(t) & (BitWidth(t) - 1)) == 0;
    }));
    static const auto& bits = *new std::vector<ElementType>(TypesWhere([](ElementType t) { return IsUnsigned(t); }));
    for (ElementType t : bits) {
      if (BitWidth(t) != BitWidth(type)) continue;
      Add("stochastic-convert", s.WithElementType(dice_.Of(results)), {x, Make(t, SizesOf(s))});
      return true;
    }
  }
  if (IsFloat(type) && !IsFunnyType(type) && dice_.One(3)) {
    Add("reduce-precision", s, {x}, absl::StrCat(", exponent_bits=", dice_.Between(1, 11), ", mantissa_bits=", dice_.Between(0, 24)));
    return true;
  }
  ElementType to = RandomType();
  if (IsComplex(type) && !IsComplex(to)) to = type == ElementType::kC64 ? ElementType::kC128 : ElementType::kC64;
  Add("convert", s.WithElementType(to), {x});
  return true;
}

}  // namespace hloscope
