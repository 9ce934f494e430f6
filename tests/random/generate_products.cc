// Random dots, convolutions, transforms, factorisations, normalisations and random bits.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random/maker.h"

namespace hloscope {
namespace {

using Names = std::vector<std::string>;

}  // namespace

bool Maker::Products() {
  if (dice_.One(2)) {  // dot
    const int x = SomeArray([](const Shape& s) { return s.rank() <= 4 && !IsPred(s.element_type()) && !IsFunnyType(s.element_type()); });
    if (x < 0) return false;
    const Shape s = shape(x);
    const ElementType type = s.element_type();
    std::vector<int64_t> lhs_batch, lhs_contracting, lhs_free;
    for (int d = 0; d < s.rank(); ++d) {
      const int64_t kind = dice_.Below(5);
      (kind == 0 ? lhs_batch : kind <= 2 ? lhs_contracting : lhs_free).push_back(d);
    }
    std::shuffle(lhs_batch.begin(), lhs_batch.end(), dice_.engine);
    std::shuffle(lhs_contracting.begin(), lhs_contracting.end(), dice_.engine);
    // The right side: the same dimensions and some of its own, in any order.
    std::vector<std::pair<int, int64_t>> order;  // kind (0 batch, 1 contracting, 2 free), which or its size
    for (size_t k = 0; k < lhs_batch.size(); ++k) order.push_back({0, static_cast<int64_t>(k)});
    for (size_t k = 0; k < lhs_contracting.size(); ++k) order.push_back({1, static_cast<int64_t>(k)});
    for (int64_t k = dice_.Below(3); k > 0; --k) order.push_back({2, dice_.Of(program_.large ? Sizes{1, 7, 16, 33, 64} : Sizes{1, 2, 3, 5, 8})});
    std::shuffle(order.begin(), order.end(), dice_.engine);
    std::vector<int64_t> rhs_batch(lhs_batch.size()), rhs_contracting(lhs_contracting.size());
    Sizes rhs, out;
    int64_t work = std::max<int64_t>(1, s.ElementCount());
    for (int64_t d : lhs_batch) out.push_back(s.dim(static_cast<int>(d)));
    for (int64_t d : lhs_free) out.push_back(s.dim(static_cast<int>(d)));
    for (const auto& [kind, k] : order) {
      if (kind == 0) rhs_batch[k] = static_cast<int64_t>(rhs.size());
      if (kind == 1) rhs_contracting[k] = static_cast<int64_t>(rhs.size());
      rhs.push_back(kind == 0 ? s.dim(static_cast<int>(lhs_batch[k])) : kind == 1 ? s.dim(static_cast<int>(lhs_contracting[k])) : k);
      if (kind == 2) out.push_back(k), work *= k;
    }
    if (work > (program_.large ? 200000 : 20000) || out.size() > 6) return false;
    ElementType result = type;
    if (dice_.One(4)) {
      if (IsInteger(type)) result = dice_.Of(std::vector<ElementType>{ElementType::kS32, ElementType::kS64});
      if (IsFloat(type) && BitWidth(type) <= 16) result = ElementType::kF32;
      if (IsUnsigned(type) || BitWidth(result) < BitWidth(type)) result = type;
    }
    std::string attributes = absl::StrCat(", lhs_contracting_dims=", Braces(lhs_contracting), ", rhs_contracting_dims=", Braces(rhs_contracting));
    if (!lhs_batch.empty()) absl::StrAppend(&attributes, ", lhs_batch_dims=", Braces(lhs_batch), ", rhs_batch_dims=", Braces(rhs_batch));
    const int y = Make(type, rhs);
    Add("dot", Shape::Array(result, out), {x, y}, attributes);
    return true;
  }
  // convolution
  const int64_t spatial = dice_.Between(0, 2);
  const int64_t kind = dice_.Below(4);
  int64_t feature_groups = 1, batch_groups = 1;
  if (kind == 0) feature_groups = dice_.Between(1, 3);
  if (kind == 1) batch_groups = dice_.Between(1, 3);
  const int64_t kernel_features = dice_.Between(1, program_.large ? 17 : 3), features = kernel_features * feature_groups;
  const int64_t features_out = dice_.Between(1, 3) * feature_groups * batch_groups;
  const int64_t batch = dice_.Between(1, 2) * batch_groups;
  ElementType type = RandomType();
  if (IsPred(type) || IsFunnyType(type)) type = ElementType::kF32;
  Names size, stride, pad, base, dilation, reversal;
  Sizes in_spatial, kernel_spatial, out_spatial;
  for (int64_t d = 0; d < spatial; ++d) {
    const int64_t n = dice_.Between(1, program_.large ? 24 : 8), w = dice_.Between(1, 3), st = dice_.Between(1, 2), low = dice_.Between(-1, 2), high = dice_.Between(-1, 2);
    const int64_t b = dice_.One(3) ? 2 : 1, wd = dice_.One(3) ? 2 : 1;
    const int64_t padded = (n - 1) * b + 1 + low + high, reach = (w - 1) * wd + 1;
    if (padded < 0) return false;
    in_spatial.push_back(n);
    kernel_spatial.push_back(w);
    out_spatial.push_back(padded < reach ? 0 : (padded - reach) / st + 1);
    size.push_back(absl::StrCat(w));
    stride.push_back(absl::StrCat(st));
    pad.push_back(absl::StrCat(low, "_", high));
    base.push_back(absl::StrCat(b));
    dilation.push_back(absl::StrCat(wd));
    reversal.push_back(dice_.One(5) ? "1" : "0");
  }
  // Labels in any order; the sizes follow them.
  const auto arranged = [&](char a, int64_t a_size, char b, int64_t b_size, const Sizes& s, std::string& label) {
    std::vector<std::pair<char, int64_t>> order = {{a, a_size}, {b, b_size}};
    for (size_t d = 0; d < s.size(); ++d) order.push_back({static_cast<char>('0' + d), s[d]});
    std::shuffle(order.begin(), order.end(), dice_.engine);
    Sizes sizes;
    for (const auto& [c, n] : order) {
      label += c;
      sizes.push_back(n);
    }
    return sizes;
  };
  std::string in_label, kernel_label, out_label;
  const Sizes in = arranged('b', batch, 'f', features, in_spatial, in_label);
  const Sizes kernel = arranged('i', kernel_features, 'o', features_out, kernel_spatial, kernel_label);
  const Sizes out = arranged('b', batch / batch_groups, 'f', features_out, out_spatial, out_label);
  std::string attributes;
  if (spatial > 0) {
    attributes = absl::StrCat(", window={size=", absl::StrJoin(size, "x"), " stride=", absl::StrJoin(stride, "x"), " pad=", absl::StrJoin(pad, "x"),
                              " lhs_dilate=", absl::StrJoin(base, "x"), " rhs_dilate=", absl::StrJoin(dilation, "x"), " rhs_reversal=",
                              absl::StrJoin(reversal, "x"), "}");
  }
  absl::StrAppend(&attributes, ", dim_labels=", in_label, "_", kernel_label, "->", out_label);
  if (feature_groups > 1) absl::StrAppend(&attributes, ", feature_group_count=", feature_groups);
  if (batch_groups > 1) absl::StrAppend(&attributes, ", batch_group_count=", batch_groups);
  const int x = Make(type, in), k = Make(type, kernel);
  Add("convolution", Shape::Array(type, out), {x, k}, attributes);
  return true;
}

// A ragged dot in each of its three modes: rows, terms or batches in groups.
bool Maker::Ragged() {
  const int64_t m = dice_.Between(1, 8), k = dice_.Between(1, 6), n = dice_.Between(1, 4), g = dice_.Between(1, 4), b = dice_.Between(1, 3);
  ElementType type = RandomType();
  if (IsPred(type) || IsFunnyType(type)) type = ElementType::kF32;
  const bool batched = dice_.One(2);
  const int64_t shift = batched ? 1 : 0;
  const ElementType index = dice_.One(2) ? ElementType::kS32 : ElementType::kS64;
  // Sizes of groups that are small and not negative.
  const auto sizes = [&](int64_t groups) {
    const int raw = Make(index, {groups});
    const int low = Constant(index, "0");
    const int high = Constant(index, "3");
    return Add("clamp", Shape::Array(index, {groups}), {low, raw, high});
  };
  const auto with_batch = [&](Sizes s) {
    if (batched) s.insert(s.begin(), b);
    return s;
  };
  const std::string batch = batched ? ", lhs_batch_dims={0}, rhs_batch_dims={0}" : "";
  switch (dice_.Below(3)) {
    case 0: {
      Sizes rhs = with_batch({k, n});
      rhs.insert(rhs.begin(), g);
      const int x = Make(type, with_batch({m, k})), y = Make(type, rhs), s = sizes(g);
      Add("ragged-dot", Shape::Array(type, with_batch({m, n})), {x, y, s},
          absl::StrCat(batched ? ", lhs_batch_dims={0}, rhs_batch_dims={1}" : "", ", lhs_contracting_dims=", Braces({1 + shift}), ", rhs_contracting_dims=",
                       Braces({1 + shift}), ", lhs_ragged_dims=", Braces({shift}), ", rhs_group_dims={0}"));
      return true;
    }
    case 1: {
      Sizes out = with_batch({m, n});
      out.insert(out.begin(), g);
      const int x = Make(type, with_batch({m, k})), y = Make(type, with_batch({k, n})), s = sizes(g);
      Add("ragged-dot", Shape::Array(type, out), {x, y, s},
          absl::StrCat(batch, ", lhs_contracting_dims=", Braces({1 + shift}), ", rhs_contracting_dims=", Braces({shift}), ", lhs_ragged_dims=", Braces({1 + shift})));
      return true;
    }
    default: {
      const int x = Make(type, {b, m, k}), y = Make(type, {b, k, n}), s = sizes(g);
      Add("ragged-dot", Shape::Array(type, {b, m, n}), {x, y, s},
          ", lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, lhs_ragged_dims={0}");
      return true;
    }
  }
}

bool Maker::Linear() {
  if (dice_.One(6)) return Ragged();
  switch (dice_.Below(5)) {
    case 0: {  // fft
      const bool wide = dice_.One(3);
      const ElementType real = wide ? ElementType::kF64 : ElementType::kF32, complex = wide ? ElementType::kC128 : ElementType::kC64;
      Sizes sizes;
      for (int64_t k = dice_.Between(1, 3); k > 0; --k) sizes.push_back(dice_.Between(1, 9));
      const int64_t axes = dice_.Between(1, static_cast<int64_t>(sizes.size()));
      Sizes half = sizes;
      half.back() = sizes.back() / 2 + 1;
      const std::string kind = dice_.Of(Names{"FFT", "IFFT", "RFFT", "IRFFT"});
      const Sizes in = kind == "IRFFT" ? half : sizes, out = kind == "RFFT" ? half : sizes;
      const int x = Make(kind == "RFFT" ? real : complex, in);
      Add("fft", Shape::Array(kind == "IRFFT" ? real : complex, out), {x},
          absl::StrCat(", fft_type=", kind, ", fft_length=", Braces(Sizes(sizes.end() - axes, sizes.end()))));
      return true;
    }
    case 1: {  // triangular-solve, with a diagonal that is not small
      const ElementType type = dice_.Of(std::vector<ElementType>{ElementType::kF32, ElementType::kF64, ElementType::kC64, ElementType::kF32});
      const int64_t n = dice_.Between(1, 4), m = dice_.Between(1, 3);
      const bool left = dice_.One(2);
      Sizes batch;
      if (dice_.One(3)) batch.push_back(2);
      Sizes a = batch, b = batch;
      a.insert(a.end(), {n, n});
      b.insert(b.end(), {left ? n : m, left ? m : n});
      const int matrix = Make(type, a), side = Make(type, b);
      Add("triangular-solve", Shape::Array(type, b), {matrix, side},
          absl::StrCat(", left_side=", left ? "true" : "false", ", lower=", dice_.One(2) ? "true" : "false", ", unit_diagonal=",
                       dice_.One(2) ? "true" : "false", ", transpose_a=", dice_.Of(Names{"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"})));
      return true;
    }
    case 2: {  // cholesky
      const ElementType type = dice_.Of(std::vector<ElementType>{ElementType::kF32, ElementType::kF64, ElementType::kC64});
      const int64_t n = dice_.Between(1, 4);
      const int x = Make(type, {n, n});
      Add("cholesky", Shape::Array(type, {n, n}), {x}, absl::StrCat(", lower=", dice_.One(2) ? "true" : "false"));
      return true;
    }
    case 3: {  // batch normalisation
      const ElementType type = dice_.Of(std::vector<ElementType>{ElementType::kF32, ElementType::kF64, ElementType::kBF16, ElementType::kF16});
      Sizes sizes;
      for (int64_t k = dice_.Between(1, 4); k > 0; --k) sizes.push_back(dice_.Between(1, 4));
      const int64_t feature = dice_.Below(static_cast<int64_t>(sizes.size()));
      const Sizes one = {sizes[feature]};
      const Shape big = Shape::Array(type, sizes), small = Shape::Array(type, one);
      const std::string attributes = absl::StrCat(", epsilon=0.125, feature_index=", feature);
      const int x = Make(type, sizes), scale = Make(type, one), third = Make(type, one);
      const int64_t which = dice_.Below(3);
      if (which == 0) {
        Add("batch-norm-training", Shape::Tuple({big, small, small}), {x, scale, third}, attributes);
        return true;
      }
      const int raw = Make(type, one), variance = Add("abs", small, {raw});
      if (which == 1) {
        const int mean = Make(type, one);
        Add("batch-norm-inference", big, {x, scale, third, mean, variance}, attributes);
      } else {
        const int gradient = Make(type, sizes);
        Add("batch-norm-grad", Shape::Tuple({big, small, small}), {x, scale, third, variance, gradient}, attributes);
      }
      return true;
    }
    default: {
      const std::string algorithm = dice_.Of(Names{"rng_three_fry", "rng_philox", "rng_default"});
      const int64_t words = algorithm == "rng_three_fry" ? 2 : dice_.Between(2, 3);
      const ElementType type = dice_.Of(TypesWhere([](ElementType t) { return IsInteger(t) && BitWidth(t) >= 8; }));
      const int state = Make(ElementType::kU64, {words});
      Add("rng-bit-generator", Shape::Tuple({Shape::Array(ElementType::kU64, {words}), Shape::Array(type, RandomSizes(3))}), {state},
          absl::StrCat(", algorithm=", algorithm));
      return true;
    }
  }
}

}  // namespace hloscope
