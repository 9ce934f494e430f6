// Difference bound matrices: shortest paths tighten all bounds, and the tightened bounds of some variables alone are their projection.
#include "core/shape/index_relation.h"

#include <algorithm>

namespace hloscope {
namespace {

constexpr int64_t kOpen = INT64_MAX / 4;

}  // namespace

IndexRelation::IndexRelation(absl::Span<const int64_t> from, absl::Span<const int64_t> to) : from_(static_cast<int>(from.size())), n_(static_cast<int>(1 + from.size() + to.size())) {
  bounds_.assign(static_cast<size_t>(n_) * n_, kOpen);
  for (int v = 0; v < n_; ++v) bounds_[v * n_ + v] = 0;
  for (int v = 1; v < n_; ++v) {
    bounds_[v * n_] = (v <= from_ ? from[v - 1] : to[v - 1 - from_]) - 1;
    bounds_[v] = 0;
  }
}

IndexRelation& IndexRelation::AtLeast(Index a, Index b, int64_t more) {
  int64_t& most = bounds_[Variable(b) * n_ + Variable(a)];
  most = std::min(most, -more);
  return *this;
}

IndexRelation& IndexRelation::Is(Index a, int64_t value) {
  const int v = Variable(a);
  bounds_[v * n_] = std::min(bounds_[v * n_], value);
  bounds_[v] = std::min(bounds_[v], -value);
  return *this;
}

// False: nothing is left.
bool IndexRelation::Close(Bounds& bounds) const {
  for (int k = 0; k < n_; ++k) {
    for (int a = 0; a < n_; ++a) {
      for (int b = 0; b < n_; ++b) bounds[a * n_ + b] = std::min(bounds[a * n_ + b], std::min(kOpen, bounds[a * n_ + k] + bounds[k * n_ + b]));
    }
  }
  for (int v = 0; v < n_; ++v) {
    if (bounds[v * n_ + v] < 0) return false;
  }
  return true;
}

// Two variables that bound each other are no box: the shorter of them is taken index by index.
void IndexRelation::Add(const Bounds& bounds, int first, int count, std::vector<IndexBox>* boxes) const {
  const auto low = [&](int v) { return -bounds[v]; };
  const auto high = [&](int v) { return bounds[v * n_]; };
  for (int a = first; a < first + count; ++a) {
    for (int b = first; b < first + count; ++b) {
      if (a == b || bounds[a * n_ + b] >= high(a) - low(b)) continue;
      const int v = high(a) - low(a) <= high(b) - low(b) ? a : b;
      for (int64_t index = low(v); index <= high(v); ++index) {
        Bounds fixed = bounds;
        fixed[v * n_] = index;
        fixed[v] = -index;
        if (Close(fixed)) Add(fixed, first, count, boxes);
      }
      return;
    }
  }
  IndexBox box;
  for (int v = first; v < first + count; ++v) {
    box.low.push_back(low(v));
    box.high.push_back(high(v));
  }
  boxes->push_back(std::move(box));
}

std::vector<IndexBox> IndexRelation::Related(const IndexBox& box, bool to) const {
  Bounds bounds = bounds_;
  const int given = to ? 1 + from_ : 1;
  for (size_t d = 0; d < box.low.size(); ++d) {
    const int v = given + static_cast<int>(d);
    bounds[v * n_] = std::min(bounds[v * n_], box.high[d]);
    bounds[v] = std::min(bounds[v], -box.low[d]);
  }
  std::vector<IndexBox> boxes;
  if (Close(bounds)) Add(bounds, to ? 1 : 1 + from_, to ? from_ : n_ - 1 - from_, &boxes);
  return boxes;
}

}  // namespace hloscope
