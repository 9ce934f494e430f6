#include "core/ops/reach.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/literal/relayout.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {

Reach ReachQuestion::Whole(Reach::Kind kind) const {
  Reach reach;
  reach.kind = kind;
  reach.relation = IndexRelation(from.dimensions(), to.dimensions());
  return reach;
}

Reach ReachQuestion::AllButLast(int whole, Reach::Kind kind) const {
  Reach reach = Whole(kind);
  for (int d = 0; d < std::min(from.rank() - whole, to.rank()); ++d) reach.relation.Equal(IndexRelation::From(d), IndexRelation::To(d));
  return reach;
}

Reach ReachQuestion::Line(int dimension, Reach::Kind kind) const {
  Reach reach = Whole(kind);
  for (int d = 0; d < std::min(from.rank(), to.rank()); ++d) {
    if (d != dimension) reach.relation.Equal(IndexRelation::From(d), IndexRelation::To(d));
  }
  return reach;
}

std::vector<Reach> ReachOf(const Instruction& instruction, int leaf, int operand, int operand_leaf) {
  const ReachQuestion question{instruction, leaf, operand, operand_leaf, LeafShape(instruction.operands[operand]->shape, operand_leaf), LeafShape(instruction.shape, leaf)};
  if (!question.from.IsArray() || !question.to.IsArray()) return {};
  if (Def(instruction).reach != nullptr) return Def(instruction).reach(question);
  Reach reach = question.Whole();
  reach.exact = false;
  return {reach};
}

std::vector<int64_t> PlacesIn(const Shape& array, absl::Span<const IndexBox> boxes, int64_t most) {
  std::vector<int64_t> places;
  for (const IndexBox& box : boxes) {
    std::vector<int64_t> index = box.low;
    for (bool more = true; more && static_cast<int64_t>(places.size()) < most;) {
      places.push_back(LinearIndex(array.dimensions(), index));
      more = false;
      for (size_t d = index.size(); d-- > 0;) {
        if (++index[d] <= box.high[d]) {
          more = true;
          break;
        }
        index[d] = box.low[d];
      }
    }
  }
  return places;
}

std::vector<int64_t> CopiedFrom(const Instruction& instruction, absl::Span<const Value> operands, const Value& result, int operand, int leaf, absl::Span<const int64_t> from,
                                absl::Span<const int64_t> to) {
  // Arrays that are moved alike: a sort's, one a leaf.
  std::vector<std::pair<const Value*, const Value*>> arrays;
  const bool together = LeafCountOf(instruction.shape) == static_cast<int>(operands.size());
  for (size_t k = 0; k < operands.size(); ++k) {
    if (together || static_cast<int>(k) == operand) arrays.push_back({&operands[k], &LeafOf(result, together ? static_cast<int>(k) : leaf)});
  }
  std::vector<int64_t> source(to.size(), -1);
  for (const auto& [before, after] : arrays) {
    const auto inside = [](const Value& v, absl::Span<const int64_t> places) {
      return v.shape().IsArray() && v.IsDense() && std::all_of(places.begin(), places.end(), [&](int64_t p) { return p < v.element_count(); });
    };
    if (!inside(*before, from) || !inside(*after, to)) return source;
  }
  const auto compare = [&](bool a_after, int64_t a, bool b_after, int64_t b) {
    for (const auto& [before, after] : arrays) {
      const int bytes = StorageBytes(before->shape().element_type());
      const int order = std::memcmp((a_after ? after : before)->data() + a * bytes, (b_after ? after : before)->data() + b * bytes, bytes);
      if (order != 0) return order;
    }
    return 0;
  };
  const auto ordered = [&](absl::Span<const int64_t> places, bool after) {
    std::vector<size_t> order(places.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return compare(after, places[a], after, places[b]) < 0; });
    return order;
  };
  const std::vector<size_t> from_order = ordered(from, false), to_order = ordered(to, true);
  for (size_t f = 0, t = 0; f < from_order.size() && t < to_order.size();) {
    const int order = compare(false, from[from_order[f]], true, to[to_order[t]]);
    if (order == 0) source[to_order[t]] = from[from_order[f]];
    f += order <= 0;
    t += order >= 0;
  }
  return source;
}

}  // namespace hloscope
