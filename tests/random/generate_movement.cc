// Random data movement, and reading and writing by index.
#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/random/maker.h"

namespace hloscope {
namespace {

constexpr int64_t kMost = 9000;  // elements of an array
int64_t Product(const Sizes& sizes) {
  int64_t p = 1;
  for (int64_t d : sizes) p *= d;
  return p;
}

// Another way to cut `count` elements into dimensions.
Sizes Refactored(int64_t count, Dice& dice) {
  Sizes sizes;
  for (int64_t f = 2; f <= count && sizes.size() < 4;) {
    if (count % f == 0 && !dice.One(3)) {
      sizes.push_back(f);
      count /= f;
    } else {
      ++f;
    }
  }
  if (count != 1 || dice.One(3)) sizes.push_back(count);
  if (dice.One(3)) sizes.push_back(1);
  std::shuffle(sizes.begin(), sizes.end(), dice.engine);
  return sizes;
}

}  // namespace

bool Maker::Movement() {
  const int x = SomeArray();
  const Shape s = shape(x);
  const ElementType type = s.element_type();
  const Sizes sizes = SizesOf(s);
  const int rank = s.rank();
  switch (dice_.Below(9)) {
    case 0: {  // broadcast
      if (rank > 3) return false;
      Sizes out;
      std::vector<int64_t> dimensions;
      for (int d = 0; d <= rank; ++d) {
        while (dice_.One(d == 0 && rank == 0 ? 2 : 3) && out.size() < 4) out.push_back(dice_.Of(Sizes{1, 2, 3, 5, 8}));
        if (d == rank) break;
        dimensions.push_back(static_cast<int64_t>(out.size()));
        out.push_back(sizes[d]);
      }
      if (out.size() > 5 || Product(out) > kMost) return false;
      Add("broadcast", Shape::Array(type, out), {x}, absl::StrCat(", dimensions=", Braces(dimensions)));
      return true;
    }
    case 1: {
      const Sizes out = s.ElementCount() == 0 ? Sizes{sizes.empty() ? 1 : 0, 2} : Refactored(s.ElementCount(), dice_);
      if (Product(out) != s.ElementCount()) return false;
      Add("reshape", Shape::Array(type, out), {x});
      return true;
    }
    case 2: {
      std::vector<int64_t> permutation(rank);
      std::iota(permutation.begin(), permutation.end(), 0);
      std::shuffle(permutation.begin(), permutation.end(), dice_.engine);
      Sizes out;
      for (int64_t p : permutation) out.push_back(sizes[p]);
      Add("transpose", Shape::Array(type, out), {x}, absl::StrCat(", dimensions=", Braces(permutation)));
      return true;
    }
    case 3: {
      std::vector<int64_t> dimensions;
      for (int d = 0; d < rank; ++d) {
        if (dice_.One(2)) dimensions.push_back(d);
      }
      Add("reverse", s, {x}, absl::StrCat(", dimensions=", Braces(dimensions)));
      return true;
    }
    case 4: {  // slice
      if (rank == 0) return false;
      std::vector<std::string> parts;
      Sizes out;
      for (int64_t d : sizes) {
        const int64_t start = dice_.Between(0, d), limit = dice_.One(8) ? start : dice_.Between(start, d), stride = dice_.Between(1, 3);
        out.push_back((limit - start + stride - 1) / stride);
        parts.push_back(absl::StrCat("[", start, ":", limit, ":", stride, "]"));
      }
      Add("slice", Shape::Array(type, out), {x}, absl::StrCat(", slice={", absl::StrJoin(parts, ","), "}"));
      return true;
    }
    case 5: {  // dynamic-slice, dynamic-update-slice
      if (rank == 0) return false;
      Sizes window;
      for (int64_t d : sizes) window.push_back(dice_.One(6) ? 0 : std::min(d, dice_.Between(1, std::max<int64_t>(1, d))));
      const ElementType index = dice_.Of(std::vector<ElementType>{ElementType::kS32, ElementType::kS64, ElementType::kU32, ElementType::kS8, ElementType::kU64});
      const bool update = dice_.One(2);
      std::vector<int> operands = {x};
      if (update) operands.push_back(Make(type, window));
      for (int d = 0; d < rank; ++d) operands.push_back(dice_.One(3) ? Constant(index, absl::StrCat(std::min<int64_t>(100, dice_.Between(0, sizes[d] + 1)))) : Make(index, {}));
      if (update) {
        Add("dynamic-update-slice", s, operands);
      } else {
        Add("dynamic-slice", Shape::Array(type, window), operands, absl::StrCat(", dynamic_slice_sizes=", Braces(window)));
      }
      return true;
    }
    case 6: {  // concatenate
      if (rank == 0) return false;
      const int64_t dimension = dice_.Below(rank);
      Sizes out = sizes;
      std::vector<int> operands = {x};
      for (int64_t k = dice_.Between(0, 2); k > 0; --k) {
        Sizes part = sizes;
        part[dimension] = dice_.One(3) ? sizes[dimension] : dice_.Between(0, 4);
        out[dimension] += part[dimension];
        operands.push_back(Make(type, part));
      }
      if (Product(out) > kMost) return false;
      Add("concatenate", Shape::Array(type, out), operands, absl::StrCat(", dimensions=", Braces({dimension})));
      return true;
    }
    case 7: {  // pad
      if (rank == 0) return false;
      std::vector<std::string> parts;
      Sizes out;
      for (int64_t d : sizes) {
        int64_t low = dice_.Between(-1, 3), high = dice_.Between(-1, 2), interior = dice_.One(2) ? 0 : dice_.Between(1, 2);
        int64_t size = low + high + (d > 0 ? d + (d - 1) * interior : 0);
        if (size < 0) high -= size, size = 0;
        out.push_back(size);
        parts.push_back(absl::StrCat(low, "_", high, "_", interior));
      }
      if (Product(out) > kMost) return false;
      Add("pad", Shape::Array(type, out), {x, Make(type, {})}, absl::StrCat(", padding=", absl::StrJoin(parts, "x")));
      return true;
    }
    default: Add("copy", s, {x}); return true;
  }
}

// gather or scatter: the operand's dimensions are dealt out to batching, collapsed (inserted) and window ones.
bool Maker::Indexed() {
  const int x = SomeArray();
  const Shape s = shape(x);
  const ElementType type = s.element_type();
  const int rank = s.rank();
  if (rank == 0 || rank > 4) return false;
  std::vector<int64_t> batching, collapsed, window_sizes, slice_sizes, free;
  for (int d = 0; d < rank; ++d) {
    const int64_t size = s.dim(d), kind = dice_.Below(5);
    if (kind == 0 && size > 0) {
      batching.push_back(d);
      slice_sizes.push_back(1);
    } else if (kind <= 2 && size > 0) {
      collapsed.push_back(d);
      slice_sizes.push_back(1);
      free.push_back(d);
    } else {
      slice_sizes.push_back(dice_.Between(0, size));
      if (slice_sizes.back() == 0 && size > 0) slice_sizes.back() = dice_.One(4) ? 0 : size;
      window_sizes.push_back(slice_sizes.back());
      free.push_back(d);
    }
  }
  std::vector<int64_t> map = free;
  std::shuffle(map.begin(), map.end(), dice_.engine);
  map.resize(dice_.Between(map.empty() ? 0 : 1, static_cast<int64_t>(map.size())));
  // Batch dimensions of the indices: those of the batching ones among some more.
  Sizes batch;
  for (int64_t k = dice_.Between(0, 2); k > 0; --k) batch.push_back(dice_.Of(Sizes{1, 2, 3, 5}));
  std::vector<int64_t> indices_batching;
  {
    Sizes mixed;
    std::vector<std::pair<int64_t, int>> order;  // size, which batching or -1
    for (int64_t b : batch) order.push_back({b, -1});
    for (size_t k = 0; k < batching.size(); ++k) order.push_back({s.dim(static_cast<int>(batching[k])), static_cast<int>(k)});
    std::shuffle(order.begin(), order.end(), dice_.engine);
    indices_batching.resize(batching.size());
    for (size_t k = 0; k < order.size(); ++k) {
      mixed.push_back(order[k].first);
      if (order[k].second >= 0) indices_batching[order[k].second] = static_cast<int64_t>(k);
    }
    batch = mixed;
  }
  int64_t vector_dim = dice_.Between(0, static_cast<int64_t>(batch.size()));
  Sizes index_sizes = batch;
  if (map.size() == 1 && dice_.One(3)) {
    vector_dim = static_cast<int64_t>(batch.size());  // left out
  } else {
    index_sizes.insert(index_sizes.begin() + vector_dim, static_cast<int64_t>(map.size()));
    for (int64_t& d : indices_batching) {
      if (d >= vector_dim) ++d;
    }
  }
  // The result's (updates') dimensions: which of them are window ones.
  std::vector<int64_t> window_dims;
  Sizes out;
  for (size_t w = 0, b = 0; w + b < window_sizes.size() + batch.size();) {
    const bool window = b == batch.size() || (w < window_sizes.size() && dice_.One(2));
    if (window) window_dims.push_back(static_cast<int64_t>(out.size()));
    out.push_back(window ? window_sizes[w++] : batch[b++]);
  }
  if (out.size() > 6 || Product(out) > kMost) return false;
  const ElementType index = dice_.Of(std::vector<ElementType>{ElementType::kS32, ElementType::kS64, ElementType::kU32, ElementType::kS16, ElementType::kU8});
  const int indices = Make(index, index_sizes);
  const std::string batching_text =
      batching.empty() ? "" : absl::StrCat(", operand_batching_dims=", Braces(batching), ", start_indices_batching_dims=", Braces(indices_batching));
  if (dice_.One(2)) {
    Add("gather", Shape::Array(type, out), {x, indices},
        absl::StrCat(", offset_dims=", Braces(window_dims), ", collapsed_slice_dims=", Braces(collapsed), ", start_index_map=", Braces(map),
                     ", index_vector_dim=", vector_dim, ", slice_sizes=", Braces(slice_sizes), batching_text));
    return true;
  }
  std::vector<int> operands = {x};
  std::vector<ElementType> types = {type};
  if (dice_.One(5)) {
    types.push_back(RandomType());
    operands.push_back(Make(types[1], SizesOf(s)));
  }
  const size_t n = operands.size();
  operands.push_back(indices);
  for (size_t k = 0; k < n; ++k) operands.push_back(Make(types[k], out));
  const std::string combine = Reducer(types);
  Shape result = s;
  if (n == 2) result = Shape::Tuple({s, s.WithElementType(types[1])});
  Add("scatter", result, operands,
      absl::StrCat(", update_window_dims=", Braces(window_dims), ", inserted_window_dims=", Braces(collapsed), ", scatter_dims_to_operand_dims=",
                   Braces(map), ", index_vector_dim=", vector_dim,
                   batching.empty() ? "" : absl::StrCat(", input_batching_dims=", Braces(batching), ", scatter_indices_batching_dims=", Braces(indices_batching)),
                   ", to_apply=", combine));
  return true;
}

}  // namespace hloscope
