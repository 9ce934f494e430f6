// What a forward slice is made of: sets of a value's leaves, and iterations of loops.
#include <algorithm>

#include "core/debug/influence.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {

using Leaves = std::vector<ElementSet>;

std::vector<ElementSet> NoInfluence(const Shape& shape) {
  Leaves leaves;
  for (int l = 0; l < LeafCountOf(shape); ++l) {
    const Shape& leaf = LeafShape(shape, l);
    leaves.push_back(leaf.IsArray() ? ElementSet(leaf) : ElementSet());
  }
  return leaves;
}

std::vector<ElementSet> AllInfluence(const Shape& shape) {
  Leaves leaves;
  for (int l = 0; l < LeafCountOf(shape); ++l) {
    const Shape& leaf = LeafShape(shape, l);
    leaves.push_back(leaf.IsArray() ? ElementSet::All(leaf) : ElementSet());
    leaves.back().exact = false;
    for (int d = 0; leaf.IsArray() && d < leaf.rank() && d < 64; ++d) {
      if (leaf.is_dynamic(d)) leaves.back().sizes |= uint64_t{1} << d;
    }
  }
  return leaves;
}

bool AnyInfluence(const std::vector<ElementSet>& leaves) {
  return std::any_of(leaves.begin(), leaves.end(), [](const ElementSet& set) { return !set.empty() || set.sizes != 0; });
}

void UniteInfluence(const std::vector<ElementSet>& more, std::vector<ElementSet>* leaves) {
  for (size_t l = 0; l < leaves->size() && l < more.size(); ++l) {
    (*leaves)[l].exact = (*leaves)[l].exact && more[l].exact;
    const uint64_t sizes = (*leaves)[l].sizes | more[l].sizes;
    if (!more[l].empty() && !(more[l] == (*leaves)[l])) (*leaves)[l].AddAll(more[l]);
    (*leaves)[l].sizes = sizes;
  }
}

void InfluenceLoop::Add(Span more) {
  if (!spans.empty() && spans.back().first <= more.first && more.first <= spans.back().last + 1) {  // as they mostly come
    spans.back().last = std::max(spans.back().last, more.last);
    return;
  }
  auto at = std::lower_bound(spans.begin(), spans.end(), more.first, [](const Span& span, int64_t first) { return span.last + 1 < first; });
  if (at == spans.end() || more.last + 1 < at->first) {
    spans.insert(at, more);
    return;
  }
  at->first = std::min(at->first, more.first);
  at->last = std::max(at->last, more.last);
  auto end = at + 1;
  for (; end != spans.end() && end->first <= at->last + 1; ++end) at->last = std::max(at->last, end->last);
  spans.erase(at + 1, end);
}

bool InfluenceLoop::Contains(int64_t iteration) const {
  return std::any_of(spans.begin(), spans.end(), [&](const Span& span) { return span.first <= iteration && iteration <= span.last; });
}

}  // namespace hloscope
