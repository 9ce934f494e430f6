// Random operations that call computations on elements: reductions, windows, sorting; and those computations.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random/maker.h"

namespace hloscope {
namespace {

using Names = std::vector<std::string>;

std::string Plain(ElementType type, Dice& dice) {
  if (IsPred(type)) return dice.Of(Names{"and", "or", "xor"});
  if (IsComplex(type)) return dice.Of(Names{"add", "multiply", "subtract"});
  if (IsFunnyType(type)) return dice.Of(Names{"maximum", "minimum"});
  if (IsInteger(type)) return dice.Of(Names{"add", "multiply", "maximum", "minimum", "and", "or", "xor", "subtract"});
  return dice.Of(Names{"add", "add", "maximum", "minimum", "multiply", "subtract"});
}

}  // namespace

std::string Maker::Reducer(const std::vector<ElementType>& types) {
  Maker inner(program_, dice_, NewName("r"), 2);
  const int n = static_cast<int>(types.size());
  std::vector<int> parameters;
  for (int k = 0; k < 2 * n; ++k) parameters.push_back(inner.Parameter(Shape::Scalar(types[k % n])));
  std::vector<int> results;
  std::vector<Shape> shapes;
  // Either one choice for all (argmax and the like), or each by itself.
  const bool choose = n > 1 && !IsComplex(types[0]) && dice_.One(2);
  int chosen = -1;
  if (choose) {
    chosen = inner.Add("compare", Shape::Scalar(ElementType::kPred), {parameters[0], parameters[n]},
                       absl::StrCat(", direction=", dice_.Of(Names{"GE", "GT", "LT", "LE"})));
  }
  for (int k = 0; k < n; ++k) {
    const Shape s = Shape::Scalar(types[k]);
    shapes.push_back(s);
    if (choose) {
      results.push_back(inner.Add("select", s, {chosen, parameters[k], parameters[n + k]}));
    } else if (dice_.One(12)) {
      results.push_back(parameters[n + k]);
    } else {
      int r = inner.Add(Plain(types[k], dice_), s, dice_.One(4) ? std::vector<int>{parameters[n + k], parameters[k]} : std::vector<int>{parameters[k], parameters[n + k]});
      if (dice_.One(8) && IsFloat(types[k]) && !IsFunnyType(types[k])) r = inner.Add("negate", s, {r});
      results.push_back(r);
    }
  }
  const int root = n == 1 ? results[0] : inner.Add("tuple", Shape::Tuple(shapes), results);
  Comp comp = inner.Finish(root);
  program_.computations.push_back(comp);
  return comp.name;
}

std::string Maker::Comparator(const std::vector<ElementType>& types) {
  Maker inner(program_, dice_, NewName("l"), 2);
  std::vector<int> parameters;
  for (ElementType t : types) {
    parameters.push_back(inner.Parameter(Shape::Scalar(t)));
    parameters.push_back(inner.Parameter(Shape::Scalar(t)));
  }
  const std::string order = IsFloat(types[0]) ? ", type=TOTALORDER" : "";
  const std::string direction = dice_.One(2) ? ", direction=LT" : ", direction=GT";
  int root = inner.Add("compare", Shape::Scalar(ElementType::kPred), {parameters[0], parameters[1]}, direction + order);
  if (types.size() > 1 && !IsComplex(types[1]) && dice_.One(3)) {
    // Ties by the second operand.
    const Shape pred = Shape::Scalar(ElementType::kPred);
    const int greater = inner.Add("compare", pred, {parameters[1], parameters[0]}, direction + order);
    const int either = inner.Add("or", pred, {root, greater});
    const int second = inner.Add("compare", pred, {parameters[2], parameters[3]}, absl::StrCat(", direction=LT", IsFloat(types[1]) ? ", type=TOTALORDER" : ""));
    root = inner.Add("select", pred, {either, root, second});
  }
  Comp comp = inner.Finish(root);
  program_.computations.push_back(comp);
  return comp.name;
}

std::string Maker::ScalarFunction(const std::vector<ElementType>& parameters, ElementType result) {
  Maker inner(program_, dice_, "", 2);
  inner.feeds_ = false;  // how often it is called is nobody's business
  for (ElementType t : parameters) inner.Parameter(Shape::Scalar(t));
  for (int64_t k = dice_.Between(1, 4); k > 0; --k) {
    if (dice_.One(20)) inner.Control();
    else if (dice_.One(4)) inner.Comparing();
    else inner.Elementwise();
  }
  const int root = inner.Make(result, {});
  Comp comp = inner.Finish(root);
  comp.name = NewName("f");
  const std::string name = comp.name;
  program_.computations.push_back(std::move(comp));
  return name;
}

bool Maker::Folding() {
  const int x = SomeArray();
  const Shape s = shape(x);
  if (dice_.One(4)) {  // map
    std::vector<int> operands = {x};
    std::vector<ElementType> types = {s.element_type()};
    for (int64_t k = dice_.Below(3); k > 0; --k) {
      types.push_back(RandomType());
      operands.push_back(Make(types.back(), SizesOf(s)));
    }
    std::vector<int64_t> dimensions;
    for (int d = 0; d < s.rank(); ++d) dimensions.push_back(d);
    const ElementType result = dice_.One(2) ? s.element_type() : RandomType();
    if (IsComplex(types[0]) || IsComplex(result)) return false;
    for (ElementType t : types) {
      if (IsComplex(t)) return false;
    }
    const std::string function = ScalarFunction(types, result);
    Add("map", s.WithElementType(result), operands, absl::StrCat(", dimensions=", Braces(dimensions), ", to_apply=", function));
    return true;
  }
  std::vector<int64_t> dimensions;
  Sizes out;
  for (int d = 0; d < s.rank(); ++d) {
    if (dice_.One(2)) dimensions.push_back(d);
    else out.push_back(s.dim(d));
  }
  std::vector<ElementType> types = {s.element_type()};
  std::vector<int> operands = {x};
  if (dice_.One(4)) {
    types.push_back(dice_.One(2) ? ElementType::kS32 : RandomType());
    operands.push_back(Make(types[1], SizesOf(s)));
  }
  for (size_t k = 0, n = types.size(); k < n; ++k) operands.push_back(Make(types[k], {}));
  std::vector<Shape> results;
  for (ElementType t : types) results.push_back(Shape::Array(t, out));
  const std::string reducer = Reducer(types);
  Add("reduce", results.size() == 1 ? results[0] : Shape::Tuple(results), operands,
      absl::StrCat(", dimensions=", Braces(dimensions), ", to_apply=", reducer));
  return true;
}

bool Maker::Windowed() {
  const int x = SomeArray([](const Shape& s) { return s.rank() >= 1 && s.rank() <= 4; });
  if (x < 0) return false;
  const Shape s = shape(x);
  const bool select = dice_.One(3) && !IsComplex(s.element_type());
  Names size, stride, pad, base, dilation;
  Sizes out;
  int64_t work = 1;
  const int running = !select && dice_.One(4) ? static_cast<int>(dice_.Below(s.rank())) : -1;  // along it, a fold of all that came before
  for (int d = 0; d < s.rank(); ++d) {
    const int64_t n = s.dim(d);
    int64_t w = dice_.One(3) ? 1 : dice_.Between(1, 4), st = dice_.Between(1, 3);
    int64_t low = dice_.One(2) ? 0 : dice_.Between(select ? 0 : -1, 2), high = dice_.One(2) ? 0 : dice_.Between(select ? 0 : -1, 2);
    int64_t b = select || dice_.One(2) ? 1 : dice_.Between(1, 3), wd = select || dice_.One(2) ? 1 : dice_.Between(1, 3);
    if (running >= 0) {
      w = d == running ? std::max<int64_t>(16, n) + dice_.Below(3) : 1;
      low = w - 1;
      high = 0;
      st = b = wd = 1;
    }
    const int64_t padded = (n == 0 ? 0 : (n - 1) * b + 1) + low + high, reach = (w - 1) * wd + 1;
    if (padded < 0) return false;
    out.push_back(padded < reach ? 0 : (padded - reach) / st + 1);
    work *= w * std::max<int64_t>(1, out.back());
    size.push_back(absl::StrCat(w));
    stride.push_back(absl::StrCat(st));
    pad.push_back(absl::StrCat(low, "_", high));
    base.push_back(absl::StrCat(b));
    dilation.push_back(absl::StrCat(wd));
  }
  if (work > 6000) return false;
  std::string window = absl::StrCat(", window={size=", absl::StrJoin(size, "x"), " stride=", absl::StrJoin(stride, "x"), " pad=", absl::StrJoin(pad, "x"));
  if (!select) absl::StrAppend(&window, " lhs_dilate=", absl::StrJoin(base, "x"), " rhs_dilate=", absl::StrJoin(dilation, "x"));
  window += "}";
  const ElementType type = s.element_type();
  if (select) {
    Maker inner(program_, dice_, NewName("g"), 2);
    const int a = inner.Parameter(Shape::Scalar(type)), b = inner.Parameter(Shape::Scalar(type));
    const int r = inner.Add("compare", Shape::Scalar(ElementType::kPred), {a, b}, absl::StrCat(", direction=", dice_.Of(Names{"GE", "LE", "GT", "LT"})));
    Comp comp = inner.Finish(r);
    const std::string selector = comp.name;
    program_.computations.push_back(std::move(comp));
    const int source = Make(type, out), init = Make(type, {});
    Add("select-and-scatter", s, {x, source, init}, absl::StrCat(window, ", select=", selector, ", scatter=", Reducer({type})));
    return true;
  }
  std::vector<ElementType> types = {type};
  std::vector<int> operands = {x};
  if (dice_.One(5)) {
    types.push_back(RandomType());
    operands.push_back(Make(types[1], SizesOf(s)));
  }
  for (size_t k = 0, n = types.size(); k < n; ++k) operands.push_back(Make(types[k], {}));
  std::vector<Shape> results;
  for (ElementType t : types) results.push_back(Shape::Array(t, out));
  const std::string reducer = Reducer(types);
  Add("reduce-window", results.size() == 1 ? results[0] : Shape::Tuple(results), operands, absl::StrCat(window, ", to_apply=", reducer));
  return true;
}

// Inputs and states that go through a computation of slices (or of their scalars), one slice after the other.
bool Maker::Scanning() {
  const int x = SomeArray([](const Shape& s) { return s.rank() >= 1; });
  if (x < 0) return false;
  const Shape s = shape(x);
  const int64_t dimension = dice_.Below(s.rank()), length = s.dim(static_cast<int>(dimension));
  const bool scalars = dice_.One(2);
  Sizes slice = SizesOf(s);
  slice.erase(slice.begin() + dimension);
  const Sizes inner_sizes = scalars ? Sizes() : slice;
  std::vector<int> operands = {x};
  std::vector<Shape> parameters = {Shape::Array(s.element_type(), inner_sizes)}, outputs, inner_results;
  for (int64_t k = dice_.Below(2); k > 0; --k) {
    operands.push_back(Make(RandomType(), SizesOf(s)));
    parameters.push_back(Shape::Array(shape(operands.back()).element_type(), inner_sizes));
  }
  std::vector<ElementType> states;
  for (int64_t k = dice_.Between(1, 2); k > 0; --k) states.push_back(RandomType());
  for (ElementType t : states) {
    operands.push_back(Make(t, slice));
    parameters.push_back(Shape::Array(t, inner_sizes));
  }
  for (int64_t k = dice_.Between(0, 2); k > 0; --k) {
    const ElementType t = RandomType();
    inner_results.push_back(Shape::Array(t, inner_sizes));
    Sizes out = slice;
    out.insert(out.begin() + dimension, length);
    outputs.push_back(Shape::Array(t, out));
  }
  for (ElementType t : states) {
    inner_results.push_back(Shape::Array(t, inner_sizes));
    outputs.push_back(Shape::Array(t, slice));
  }
  Maker inner(program_, dice_, "", 2);
  for (const Shape& p : parameters) inner.Parameter(p);
  for (int64_t k = dice_.Between(1, 4); k > 0; --k) inner.Elementwise();
  Comp comp = inner.Finish(inner.Coerced(Shape::Tuple(inner_results)));
  comp.name = NewName("s");
  const std::string name = comp.name;
  program_.computations.push_back(std::move(comp));
  Add("scan", Shape::Tuple(outputs), operands,
      absl::StrCat(", dimensions=", Braces({dimension}), dice_.One(2) ? ", is_reverse=true" : "", ", num_carries=", states.size(), ", to_apply=", name));
  return true;
}

bool Maker::Ordering() {
  if (dice_.One(4)) return Scanning();
  const int x = SomeArray([](const Shape& s) { return s.rank() >= 1 && !IsComplex(s.element_type()); });
  if (x < 0) return false;
  const Shape s = shape(x);
  const int64_t last = s.dim(s.rank() - 1);
  if (dice_.One(3) && !IsPred(s.element_type())) {
    Sizes out = SizesOf(s);
    out.back() = dice_.Between(0, last);
    Add("topk", Shape::Tuple({Shape::Array(s.element_type(), out), Shape::Array(ElementType::kS32, out)}), {x},
        absl::StrCat(", k=", out.back(), ", largest=", dice_.One(2) ? "true" : "false"));
    return true;
  }
  const int64_t dimension = dice_.Below(s.rank());
  std::vector<int> operands = {x};
  std::vector<ElementType> types = {s.element_type()};
  std::vector<Shape> shapes = {s};
  for (int64_t k = dice_.Below(3); k > 0; --k) {
    types.push_back(RandomType());
    operands.push_back(Make(types.back(), SizesOf(s)));
    shapes.push_back(s.WithElementType(types.back()));
  }
  const std::string less = Comparator(types);
  Add("sort", shapes.size() == 1 ? s : Shape::Tuple(shapes), operands,
      absl::StrCat(", dimensions=", Braces({dimension}), shapes.size() == 1 && dice_.One(2) ? "" : ", is_stable=true", ", to_apply=", less));
  return true;
}

}  // namespace hloscope
