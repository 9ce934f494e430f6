#include "core/debug/minimize_sizes.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>

#include "core/literal/relayout.h"

namespace hloscope {
namespace {

constexpr int kAxes = SizeCut::kAxes;

std::vector<int64_t> Range(int64_t first, int64_t last) {
  std::vector<int64_t> indices(last - first);
  std::iota(indices.begin(), indices.end(), first);
  return indices;
}

SizeCut SameOnAll(int64_t size, SizeCut::Part kept) {
  const int64_t count = kept.end - kept.begin;
  SizeCut cut{size, kept.without ? size - count : count, {}, false};
  cut.kept.fill(kept);
  return cut;
}

template <typename Each>
void ForEachSize(const Module& module, Each each) {
  for (const Computation* c : module.computations) {
    for (const Instruction* i : c->instructions) {
      if (!i->shape.IsArray()) continue;
      for (size_t k = 0; k < i->shape.dimensions().size(); ++k) each(*i, static_cast<int>(k), i->shape.dimensions()[k]);
    }
  }
}

int AxisOf(int dimension, int rank, bool from_last) { return std::min(from_last ? rank - 1 - dimension : dimension, kAxes - 1); }

// Which dimensions of what is given have the size, and whether it matters from where they are numbered.
struct Axes {
  std::array<bool, kAxes> there = {};
  bool several_ranks = false;
};
Axes AxesOf(const Module& module, int64_t size, bool from_last) {
  Axes axes;
  int rank = -1;
  ForEachSize(module, [&](const Instruction& i, int k, int64_t d) {
    const bool given = i.literal != nullptr || (i.parameter_number >= 0 && i.parent == module.entry);
    if (d != size || !given) return;
    const int of = static_cast<int>(i.shape.dimensions().size());
    axes.there[AxisOf(k, of, from_last)] = true;
    axes.several_ranks |= rank >= 0 && rank != of;
    rank = of;
  });
  return axes;
}

// The first or the last half, of each dimension by itself.
void AddHalves(int64_t size, const Axes& axes, bool from_last, std::vector<SizeCut>* cuts) {
  const int64_t half = (size + 1) / 2;
  for (int choice = 0; choice < 1 << kAxes; ++choice) {
    SizeCut cut{size, half, {}, from_last};
    bool needed = true;
    for (int axis = 0; axis < kAxes; ++axis) {
      const bool last = (choice >> axis & 1) != 0;
      needed = needed && (axes.there[axis] || !last);
      cut.kept[axis] = last ? SizeCut::Part{size - half, size} : SizeCut::Part{0, half};
    }
    if (needed) cuts->push_back(std::move(cut));
  }
}

// The elements of `value` at the indices of each dimension.
Value Taken(const Value& value, const Shape& shape, absl::Span<const std::vector<int64_t>> indices) {
  Value taken = Value::Allocate(shape);
  const int bytes = StorageBytes(shape.element_type());
  const absl::Span<const int64_t> dims = value.shape().dimensions();
  std::vector<size_t> at(dims.size(), 0);
  for (int64_t k = 0; k < shape.ElementCount(); ++k) {
    int64_t linear = 0;
    for (size_t d = 0; d < dims.size(); ++d) linear = linear * dims[d] + indices[d][at[d]];
    std::memcpy(taken.mutable_data() + k * bytes, value.data() + linear * bytes, bytes);
    for (size_t d = dims.size(); d-- > 0;) {
      if (++at[d] < indices[d].size()) break;
      at[d] = 0;
    }
  }
  return taken;
}

}  // namespace

std::vector<int64_t> SizeCut::Part::IndicesOf(int64_t size) const {
  if (!without) return Range(begin, end);
  std::vector<int64_t> indices = Range(0, begin);
  for (int64_t k = end; k < size; ++k) indices.push_back(k);
  return indices;
}

void SizeCut::ApplyTo(Rewrite* rewrite, bool multiples) const {
  const int64_t was = from, is = to;
  rewrite->size = [was, is, multiples](int64_t d) { return d == was ? is : multiples && d > was && d % was == 0 ? d / was * is : d; };
  rewrite->cut = [cut = *this](const Value& value, const Shape& shape) {
    const Value dense = ToDense(value);
    const int rank = static_cast<int>(shape.dimensions().size());
    std::vector<std::vector<int64_t>> indices(rank);
    for (int k = 0; k < rank; ++k) {
      const int64_t now = dense.shape().dimensions()[k], then = shape.dimensions()[k];
      if (now == then) {
        indices[k] = Range(0, now);
        continue;
      }
      const int64_t times = now / cut.from;  // of a multiple: so many side by side
      for (const int64_t index : cut.kept[AxisOf(k, rank, cut.from_last)].IndicesOf(cut.from)) {
        for (int64_t of = 0; of < times; ++of) indices[k].push_back(index * times + of);
      }
    }
    return Taken(dense, shape, indices);
  };
}

std::vector<int64_t> SizesIn(const Module& module) {
  std::set<int64_t, std::greater<>> sizes;
  ForEachSize(module, [&](const Instruction&, int, int64_t d) {
    if (d > 1) sizes.insert(d);
  });
  return std::vector<int64_t>(sizes.begin(), sizes.end());
}

bool HasMultiple(const Module& module, int64_t size) {
  bool has = false;
  ForEachSize(module, [&](const Instruction&, int, int64_t d) { has |= d > size && d % size == 0; });
  return has;
}

std::vector<SizeCut> SizeCuts(const Module& module, int64_t size) {
  constexpr int64_t kFew = 16;
  std::vector<SizeCut> cuts = {SameOnAll(size, {0, 1})};
  const Axes axes = AxesOf(module, size, false);
  const bool given = std::any_of(axes.there.begin(), axes.there.end(), [](bool there) { return there; });
  if (given) cuts.push_back(SameOnAll(size, {size - 1, size}));
  if (size / 8 > 1) cuts.push_back(SameOnAll(size, {0, size / 8}));
  AddHalves(size, axes, false, &cuts);
  if (axes.several_ranks) AddHalves(size, AxesOf(module, size, true), true, &cuts);
  for (int64_t parts = 4; given && parts <= kFew && parts < size; parts *= 2) {
    for (int64_t part = 0; part < parts; ++part) cuts.push_back(SameOnAll(size, {size * part / parts, size * (part + 1) / parts, true}));
  }
  for (int64_t k = size - 1; k >= 0; --k) {
    const bool end = k == 0 || k == size - 1;
    if (given ? end || size <= kFew : k == size - 1) cuts.push_back(SameOnAll(size, {k, k + 1, true}));
  }
  return cuts;
}

}  // namespace hloscope
