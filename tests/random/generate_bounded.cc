// Random programs with sizes that only the run knows: set-dimension-size and what may follow it. Bounded arrays stay among themselves; the
// other operations never see one, only what was read off it.
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random/maker.h"

namespace hloscope {
namespace {

using Names = std::vector<std::string>;
std::vector<bool> BoundsOf(const Shape& s) {
  std::vector<bool> b;
  for (int d = 0; d < s.rank(); ++d) b.push_back(s.is_dynamic(d));
  return b;
}
Shape Bound(ElementType type, const Sizes& sizes, const std::vector<bool>& bounds) { return Shape::Array(type, sizes, std::nullopt, bounds); }

}  // namespace

int Maker::BoundedStep(int x) {
  const Shape s = shape(x).WithoutLayouts();
  const ElementType type = s.element_type();
  const Sizes sizes = SizesOf(s);
  const std::vector<bool> bounds = BoundsOf(s);
  const int rank = s.rank();
  const auto keep = [&](const std::string& op, const std::vector<int>& operands, const std::string& attributes = "") { return Add(op, s, operands, attributes); };
  switch (dice_.Below(17)) {
    case 0: return keep(IsPred(type) ? "not" : IsUnsigned(type) ? "popcnt" : "negate", {x});
    case 1: return keep(IsFloat(type) && BitWidth(type) >= 16 ? dice_.Of(Names{"sine", "exponential", "sqrt", "tanh"}) : "copy", {x});
    case 2: {  // beside something static, which gives its first elements
      const int y = Make(type, sizes);
      return keep(IsPred(type) ? "and" : dice_.Of(Names{"add", "subtract", "multiply"}), dice_.One(2) ? std::vector<int>{x, y} : std::vector<int>{y, x});
    }
    case 3: return keep(IsPred(type) ? "xor" : "add", {x, x});
    case 4: {
      const ElementType to = RandomType();
      if (IsComplex(type) || IsFunnyType(to)) return -1;
      return Add("convert", s.WithElementType(to), {x});
    }
    case 5: {
      const int y = Make(type, sizes);
      const int p = Add("compare", s.WithElementType(ElementType::kPred), {x, y}, ", direction=NE");
      return keep("select", {p, x, y});
    }
    case 6: {
      std::vector<int64_t> permutation(rank);
      std::iota(permutation.begin(), permutation.end(), 0);
      std::shuffle(permutation.begin(), permutation.end(), dice_.engine);
      Sizes out;
      std::vector<bool> moved;
      for (int64_t p : permutation) out.push_back(sizes[p]), moved.push_back(bounds[p]);
      return Add("transpose", Bound(type, out, moved), {x}, absl::StrCat(", dimensions=", Braces(permutation)));
    }
    case 7: {
      std::vector<int64_t> dimensions;
      for (int d = 0; d < rank; ++d) {
        if (dice_.One(2)) dimensions.push_back(d);
      }
      return keep("reverse", {x}, absl::StrCat(", dimensions=", Braces(dimensions)));
    }
    case 8: {  // a new dimension before all others
      Sizes out = {dice_.Between(1, 3)};
      std::vector<bool> moved = {false};
      std::vector<int64_t> dimensions;
      for (int d = 0; d < rank; ++d) out.push_back(sizes[d]), moved.push_back(bounds[d]), dimensions.push_back(d + 1);
      if (rank > 3) return -1;
      return Add("broadcast", Bound(type, out, moved), {x}, absl::StrCat(", dimensions=", Braces(dimensions)));
    }
    case 9: {
      const int d = static_cast<int>(dice_.Below(rank));
      const bool of_two = dice_.One(2);
      const int y = of_two ? Make(type, sizes) : x;
      if (of_two && bounds[d]) return -1;  // sizes beside the joined one must agree: those of a static array would be cut
      Sizes out = sizes;
      out[d] *= 2;
      return Add("concatenate", Bound(type, out, bounds), {x, y}, absl::StrCat(", dimensions=", Braces({d})));
    }
    case 10: {  // static dimensions cut, bounded ones whole
      Sizes out = sizes;
      std::vector<std::string> parts;
      for (int d = 0; d < rank; ++d) {
        const int64_t start = bounds[d] ? 0 : dice_.Between(0, sizes[d]), limit = bounds[d] ? sizes[d] : dice_.Between(start, sizes[d]);
        out[d] = limit - start;
        parts.push_back(absl::StrCat("[", start, ":", limit, "]"));
      }
      return Add("slice", Bound(type, out, bounds), {x}, absl::StrCat(", slice={", absl::StrJoin(parts, ","), "}"));
    }
    case 11: {  // some dimensions folded
      if (IsComplex(type) || IsFunnyType(type)) return -1;
      std::vector<int64_t> folded;
      Sizes out;
      std::vector<bool> left;
      for (int d = 0; d < rank; ++d) {
        if (dice_.One(2)) {
          folded.push_back(d);
        } else {
          out.push_back(sizes[d]), left.push_back(bounds[d]);
        }
      }
      const int init = Make(type, {});
      const std::string reducer = Reducer({type});
      const int y = Add("reduce", Bound(type, out, left), {x, init}, absl::StrCat(", dimensions=", Braces(folded), ", to_apply=", reducer));
      return shape(y).has_dynamic_dimension() ? y : -1;
    }
    case 12: {
      Add("get-dimension-size", Shape::Scalar(ElementType::kS32), {x}, absl::StrCat(", dimensions=", Braces({dice_.Below(rank)})));
      return -1;
    }
    case 13: {  // one more dimension of size 1
      if (rank > 3 || std::count(bounds.begin(), bounds.end(), true) != 1 || std::count(sizes.begin(), sizes.end(), 0) != 0) return -1;
      for (int d = 0; d < rank; ++d) {
        if (bounds[d] && sizes[d] == 1) return -1;  // leaves open which of two ones takes the size
      }
      Sizes out = sizes;
      std::vector<bool> moved = bounds;
      const int64_t at = dice_.Between(0, rank);
      out.insert(out.begin() + at, 1);
      moved.insert(moved.begin() + at, false);
      return Add("reshape", Bound(type, out, moved), {x});
    }
    case 14: {  // a product over the first dimension of a matrix
      if (rank != 2 || !(type == ElementType::kF32 || type == ElementType::kF64 || type == ElementType::kS32)) return -1;
      const int64_t n = dice_.Between(1, 4);
      const int y = Make(type, {sizes[0], n});
      const int z = Add("dot", Bound(type, {sizes[1], n}, {bounds[1], false}), {x, y}, ", lhs_contracting_dims={0}, rhs_contracting_dims={0}");
      return shape(z).has_dynamic_dimension() ? z : -1;
    }
    case 15: {  // to sizes that are values: all in one dimension, or one more of them
      const bool flat = dice_.One(2);
      const Shape s32 = Shape::Scalar(ElementType::kS32);
      std::vector<int> operands = {x};
      int all = -1;
      for (int d = 0; d < rank; ++d) {
        const int n = bounds[d] ? Add("get-dimension-size", s32, {x}, absl::StrCat(", dimensions=", Braces({d}))) : Constant(ElementType::kS32, absl::StrCat(sizes[d]));
        if (flat) all = all < 0 ? n : Add("multiply", s32, {all, n});
        else operands.push_back(n);
      }
      if (flat) return Add("dynamic-reshape", Bound(type, {s.ElementCount()}, {true}), {x, all});
      Sizes out = sizes;
      std::vector<bool> moved = bounds;
      out.push_back(1), moved.push_back(false);
      operands.push_back(Constant(ElementType::kS32, "1"));
      return Add("dynamic-reshape", Bound(type, out, moved), operands);
    }
    default: {  // through a computation
      if (depth_ > 0) return -1;
      Maker inner(program_, dice_, "", 2);
      int y = inner.Parameter(s);
      for (int64_t k = dice_.Between(1, 3); k > 0; --k) y = inner.Add(dice_.One(2) ? "copy" : IsPred(type) ? "not" : IsFunnyType(type) ? "copy" : "abs", s, {y});
      if (IsComplex(type) || IsUnsigned(type)) return -1;
      Comp comp = inner.Finish(y);
      comp.name = NewName("bounded");
      const std::string name = comp.name;
      program_.computations.push_back(std::move(comp));
      return dice_.One(2) ? keep("call", {x}, absl::StrCat(", to_apply=", name)) : keep("fusion", {x}, absl::StrCat(", kind=kLoop, calls=", name));
    }
  }
}

bool Maker::Bounded() {
  const int x = SomeArray([](const Shape& s) { return s.rank() > 0 && s.ElementCount() > 0 && !IsFunnyType(s.element_type()); });
  if (x < 0) return false;
  const Shape s = shape(x).WithoutLayouts();
  const Sizes sizes = SizesOf(s);
  const int64_t d = dice_.Below(s.rank());
  int n;
  if (dice_.One(2)) {
    n = Constant(ElementType::kS32, absl::StrCat(dice_.Between(dice_.One(4) ? 0 : 1, sizes[d])));
  } else {
    const int low = Constant(ElementType::kS32, "0"), raw = Make(ElementType::kS32, {}), high = Constant(ElementType::kS32, absl::StrCat(sizes[d]));
    n = Add("clamp", Shape::Scalar(ElementType::kS32), {low, raw, high});
  }
  std::vector<bool> bounds(sizes.size(), false);
  bounds[d] = true;
  std::vector<int> live = {Add("set-dimension-size", Bound(s.element_type(), sizes, bounds), {x, n}, absl::StrCat(", dimensions=", Braces({d})))};
  if (s.rank() > 1 && dice_.One(4)) {  // a second one
    const int64_t e = (d + 1) % s.rank();
    bounds[e] = true;
    const int m = Constant(ElementType::kS32, absl::StrCat(dice_.Between(0, sizes[e])));
    live.push_back(Add("set-dimension-size", Bound(s.element_type(), sizes, bounds), {live[0], m}, absl::StrCat(", dimensions=", Braces({e}))));
  }
  for (int64_t k = dice_.Between(1, 6); k > 0; --k) {
    const int y = BoundedStep(dice_.One(3) ? dice_.Of(live) : live.back());
    if (y >= 0 && shape(y).ElementCount() <= 9000) live.push_back(y);
  }
  return true;
}

}  // namespace hloscope
