// The orders in which two forks' programs hand on the same values, as the matching of the programs finds them (match.h).
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "core/debug/compare_forks.h"
#include "core/debug/match.h"
#include "core/ops/leaf_flow.h"

namespace hloscope {

ForkOrders::ForkOrders(const Module& a, const Module& b) {
  const ProgramMatch match = MatchPrograms(a, b);
  absl::flat_hash_set<const Computation*> seen;
  for (const auto& scope : match.scopes) {
    const Computation* computation = scope->a.computation;
    if (!seen.insert(computation).second) continue;
    for (const Instruction* i : computation->schedule) {
      const int other = scope->to_b[i->index];
      if (!i->shape.IsTuple() || other < 0 || scope->b.nodes[other].instruction->name != i->name) continue;
      const auto made = scope->reordered.find(i->index), handed = scope->handed.find(i->index);
      const std::vector<int>* order = made != scope->reordered.end() ? &made->second : handed != scope->handed.end() ? &handed->second : nullptr;
      if (i->parameter_number >= 0) order = &scope->given;
      if (order != nullptr && order->size() == i->shape.tuple_shapes().size()) orders_[{computation, std::string(i->name)}] = *order;
    }
  }
}

void ForkOrders::BringInOrder(const Computation& computation, absl::string_view name, Value& a, Value& b) const {
  const auto found = orders_.find({&computation, std::string(name)});
  if (found == orders_.end() || !a.has_value() || !b.has_value() || !a.shape().IsTuple() || !b.shape().IsTuple()) return;
  const std::vector<int>& order = found->second;
  const auto in_b = [&](int k) { return k >= 0 && k < static_cast<int>(b.elements().size()); };
  if (order.size() != a.elements().size() || std::any_of(order.begin(), order.end(), [&](int k) { return k >= 0 && !in_b(k); })) return;
  std::vector<Value> of_a, of_b;
  std::vector<Shape> shapes_a, shapes_b;
  int64_t left_out = 0;
  for (size_t k = 0; k < order.size(); ++k) {
    const bool both = order[k] >= 0;
    if (!both) left_out += LeafCountOf(a.elements()[k].shape());
    of_a.push_back(both ? a.elements()[k] : Value::Tuple(Shape::Tuple({}), {}));
    of_b.push_back(both ? b.elements()[static_cast<size_t>(order[k])] : of_a.back());
    shapes_a.push_back(of_a.back().shape());
    shapes_b.push_back(of_b.back().shape());
  }
  for (size_t k = 0; k < b.elements().size(); ++k) {
    if (std::find(order.begin(), order.end(), static_cast<int>(k)) == order.end()) left_out += LeafCountOf(b.elements()[k].shape());
  }
  a = Value::Tuple(Shape::Tuple(std::move(shapes_a)), std::move(of_a));
  b = Value::Tuple(Shape::Tuple(std::move(shapes_b)), std::move(of_b));
  if (left_out > 0) left_out_[found->first] = left_out;
}

bool ForkOrders::same() const {
  return std::all_of(orders_.begin(), orders_.end(), [](const auto& entry) {
    for (size_t k = 0; k < entry.second.size(); ++k) {
      if (entry.second[k] != static_cast<int>(k)) return false;
    }
    return true;
  });
}

int64_t ForkOrders::left_out() const {
  int64_t all = 0;
  for (const auto& [where, count] : left_out_) all += count;
  return all;
}

}  // namespace hloscope
