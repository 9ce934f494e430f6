#include "core/debug/match_handed.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/base/hash.h"
#include "core/ops/op.h"
#include "core/ops/side_by_side.h"

namespace hloscope {

// The elements of both sides, by what is known of them beside their numbers.
struct HandedMatch::Places {
  std::vector<Shape> shapes_a, shapes_b;
  std::vector<int> begin_a, begin_b;            // the nodes that they begin with; empty: not known
  std::vector<absl::string_view> names_a, names_b;
  std::set<std::pair<size_t, size_t>> readers;  // what pairs take out behind it
  const ScopeMatch* m = nullptr;
};

namespace {

std::vector<Shape> ShapesOf(const Shape& shape) {
  if (!shape.IsTuple()) return {shape};
  return {shape.tuple_shapes().begin(), shape.tuple_shapes().end()};
}

// The names under which a loop's body takes its elements.
std::vector<absl::string_view> NamesIn(const Computation* body, size_t count) {
  std::vector<absl::string_view> names(count);
  if (body == nullptr) return names;
  for (const Instruction* i : body->schedule) {
    if (!TakesElement(*i) || i->operands[0]->parameter_number < 0) continue;
    const auto k = static_cast<size_t>(i->Int(AttrId::kIndex));
    if (k < count) names[k] = i->name;
  }
  return names;
}

std::vector<int> BeginOf(const FlatComputation& flat, int node, size_t count) {
  const FlatNode& n = flat.nodes[node];
  if (!BuildsTuple(*n.instruction) || n.operands.size() != count) return {};
  return {n.operands.begin(), n.operands.end()};
}

std::set<std::pair<size_t, size_t>> ReadersOf(const ScopeMatch& m, int node) {
  std::set<std::pair<size_t, size_t>> readers;
  for (const int reader : m.a.users[node]) {
    const int other = m.to_b[reader];
    if (other < 0 || m.a.nodes[reader].alias >= 0) continue;
    const Instruction &x = *m.a.nodes[reader].instruction, &y = *m.b.nodes[other].instruction;
    if (!TakesElement(x) || !TakesElement(y) || m.b.nodes[other].operands[0] != m.to_b[node]) continue;
    readers.emplace(static_cast<size_t>(x.Int(AttrId::kIndex)), static_cast<size_t>(y.Int(AttrId::kIndex)));
  }
  return readers;
}

class Pairs {
 public:
  Pairs(size_t a, size_t b) : order(a, -1), used(b, false) {}
  bool FreeA(size_t k) const { return order[k] < 0; }
  bool FreeB(size_t l) const { return !used[l]; }
  void Add(size_t k, size_t l) {
    order[k] = static_cast<int>(l);
    used[l] = true;
  }

  // Where the keys are equal. `several`: also where there are several, in their order.
  template <typename Key>
  void ByKey(const Key& key_a, const Key& key_b, bool several) {
    std::map<std::decay_t<decltype(key_a(0))>, std::pair<std::vector<size_t>, std::vector<size_t>>> groups;
    for (size_t k = 0; k < order.size(); ++k) {
      if (FreeA(k)) groups[key_a(k)].first.push_back(k);
    }
    for (size_t l = 0; l < used.size(); ++l) {
      if (FreeB(l)) groups[key_b(l)].second.push_back(l);
    }
    for (const auto& [key, group] : groups) {
      const auto& [x, y] = group;
      if (!several && (x.size() != 1 || y.size() != 1)) continue;
      for (size_t n = 0; n < std::min(x.size(), y.size()); ++n) Add(x[n], y[n]);
    }
  }

  std::vector<int> order;
  std::vector<bool> used;
};

void ByNumbers(Pairs& pairs, const std::vector<ValueNumber>& x, const std::vector<ValueNumber>& y, bool several) {
  for (const bool loose : {false, true}) {
    if (loose && several) break;
    const auto key = [loose](const std::vector<ValueNumber>& numbers) {
      return std::function<uint64_t(size_t)>([&numbers, loose](size_t k) { return loose ? numbers[k].loose : numbers[k].exact; });
    };
    pairs.ByKey(key(x), key(y), several);
  }
}

}  // namespace

ValueNumber HandedMatch::OwnNumber(uint64_t side, size_t k) const {
  const uint64_t number = MixHash(MixHash(side, serial_), k);
  return {number, number};
}

const HandedNumbers& HandedMatch::HandedIn(ValueNumbers& numbers, const FlatComputation& flat, int node) {
  std::unique_ptr<HandedNumbers>& known = handed_[{&flat, node}];
  if (known == nullptr) known = std::make_unique<HandedNumbers>(numbers.HandedBy(flat, node));
  return *known;
}

std::vector<int> HandedMatch::Match(const Places& places, const HandedNumbers& x, const HandedNumbers& y) const {
  Pairs pairs(places.shapes_a.size(), places.shapes_b.size());
  if (x.whole.size() == places.shapes_a.size() && y.whole.size() == places.shapes_b.size()) ByNumbers(pairs, x.whole, y.whole, true);
  // What is made of them in many steps says more than in few, and what is made of them more than what they begin with.
  for (size_t round = std::min(std::max(x.rounds.size(), x.updates.size()), std::max(y.rounds.size(), y.updates.size())); round-- > 0;) {
    for (const auto which : {&HandedNumbers::rounds, &HandedNumbers::updates}) {
      if (round == 0 && which == &HandedNumbers::updates) continue;
      const auto &p = x.*which, &q = y.*which;
      if (round < p.size() && round < q.size()) ByNumbers(pairs, p[round], q[round], false);
    }
  }
  const auto fits = [&](size_t k, size_t l) { return Shape::SameTreeDimensions(places.shapes_a[k], places.shapes_b[l]); };
  const auto by = [&](const auto& says) {
    for (size_t k = 0; k < pairs.order.size(); ++k) {
      for (size_t l = 0; pairs.FreeA(k) && l < pairs.used.size(); ++l) {
        if (pairs.FreeB(l) && fits(k, l) && says(k, l)) pairs.Add(k, l);
      }
    }
  };
  if (!places.begin_a.empty() && !places.begin_b.empty())
    by([&](size_t k, size_t l) { return places.m->to_b[places.begin_a[k]] == places.begin_b[l]; });
  by([&](size_t k, size_t l) { return places.readers.contains({k, l}); });
  by([&](size_t k, size_t l) { return !places.names_a[k].empty() && places.names_a[k] == places.names_b[l]; });
  // What is left over on both sides, if it is one of its type.
  const auto key = [](const std::vector<Shape>& shapes) {
    return std::function<std::string(size_t)>([&shapes](size_t k) { return shapes[k].ToString(false); });
  };
  pairs.ByKey(key(places.shapes_a), key(places.shapes_b), false);
  if (pairs.order.size() == pairs.used.size()) by([](size_t k, size_t l) { return k == l; });
  return pairs.order;
}

std::vector<int> HandedMatch::OrderAt(const ScopeMatch& m, int node) {
  const int other = m.to_b[node];
  const FlatNode &x = m.a.nodes[node], &y = m.b.nodes[other];
  const Instruction &a = *x.instruction, &b = *y.instruction;
  if (a.opcode != b.opcode || x.alias >= 0 || y.alias >= 0) return {};
  Places places;
  places.m = &m;
  places.readers = ReadersOf(m, node);
  if (Def(a).control == ControlKind::kConditional && a.shape.IsTuple() && b.shape.IsTuple()) {  // what comes out of it
    HandedNumbers p, q;
    p.whole = of_a_.ElementsOf(m.a, node);
    q.whole = of_b_.ElementsOf(m.b, other);
    places.shapes_a = ShapesOf(a.shape);
    places.shapes_b = ShapesOf(b.shape);
    places.names_a.resize(places.shapes_a.size());
    places.names_b.resize(places.shapes_b.size());
    return Match(places, p, q);
  }
  if (Def(a).control == ControlKind::kWhile) {
    places.shapes_a = ShapesOf(a.shape);
    places.shapes_b = ShapesOf(b.shape);
    places.begin_a = BeginOf(m.a, x.operands[0], places.shapes_a.size());
    places.begin_b = BeginOf(m.b, y.operands[0], places.shapes_b.size());
    places.names_a = NamesIn(a.Called(AttrId::kBody), places.shapes_a.size());
    places.names_b = NamesIn(b.Called(AttrId::kBody), places.shapes_b.size());
  } else {
    const SideBySide side_a = SideBySideOf(a), side_b = SideBySideOf(b);
    if (side_a.arrays == 0 || side_b.arrays == 0) return {};
    for (int k = 0; k < side_a.arrays; ++k) places.shapes_a.push_back(a.operands[k]->shape), places.begin_a.push_back(x.operands[k]);
    for (int k = 0; k < side_b.arrays; ++k) places.shapes_b.push_back(b.operands[k]->shape), places.begin_b.push_back(y.operands[k]);
    places.names_a.resize(places.shapes_a.size());
    places.names_b.resize(places.shapes_b.size());
  }
  const HandedNumbers &p = HandedIn(of_a_, m.a, node), &q = HandedIn(of_b_, m.b, other);
  return Match(places, p, q);
}

// `same`: what keeps its number, where both have the same one.
HandedPair HandedMatch::Tuple(const std::vector<int>& order, const std::vector<ValueNumber>& x, const std::vector<ValueNumber>& y,
                              const std::vector<bool>& same) {
  ++serial_;
  HandedPair pair;
  pair.order = order;
  pair.a.emplace_back(x);
  pair.b.emplace_back(y);
  // One pair has one number; what has no partner keeps its own, with which a constant in the other program may have it.
  for (size_t k = 0; k < x.size(); ++k) {
    const int l = order[k];
    if (l < 0 || (same[k] && x[k] == y[static_cast<size_t>(l)])) continue;
    const uint64_t number = MixHash(MixHash(0x6a09e667, serial_), k);
    pair.a[0][k] = pair.b[0][static_cast<size_t>(l)] = {number, number};
  }
  return pair;
}

HandedPair HandedMatch::At(const ScopeMatch& m, int node, int called, const std::vector<int>& order) {
  const int other = m.to_b[node];
  const FlatNode &x = m.a.nodes[node], &y = m.b.nodes[other];
  const Instruction &a = *x.instruction, &b = *y.instruction;
  const ControlKind control = Def(a).control;
  if (a.opcode != b.opcode) return {};
  ++serial_;
  if (control == ControlKind::kWhile && !order.empty()) {
    const HandedNumbers &p = HandedIn(of_a_, m.a, node), &q = HandedIn(of_b_, m.b, other);
    std::vector<ValueNumber> begin_a = of_a_.ElementsOf(m.a, x.operands[0]), begin_b = of_b_.ElementsOf(m.b, y.operands[0]);
    if (p.fixed.size() != begin_a.size() || q.fixed.size() != begin_b.size()) return {};
    std::vector<bool> same(begin_a.size(), false);
    for (size_t k = 0; k < same.size(); ++k) same[k] = p.fixed[k] && (order[k] < 0 || q.fixed[static_cast<size_t>(order[k])]);
    const auto alone = [&](std::vector<ValueNumber>& numbers, const std::vector<bool>& fixed, uint64_t side) {
      for (size_t k = 0; k < numbers.size(); ++k) {
        if (!fixed[k]) numbers[k] = OwnNumber(side, k);
      }
    };
    alone(begin_a, p.fixed, 0x510e527f);
    alone(begin_b, q.fixed, 0x9b05688c);
    HandedPair pair = Tuple(order, begin_a, begin_b, same);
    pair.loop = a.CalledComputations()[called] == a.Called(AttrId::kBody);
    return pair;
  }
  if (control == ControlKind::kConditional) {
    const auto operand = static_cast<size_t>(called) + 1;
    if (operand >= x.operands.size() || operand >= y.operands.size()) return {};
    const int from_a = x.operands[operand], from_b = y.operands[operand];
    HandedNumbers p, q;
    p.whole = of_a_.ElementsOf(m.a, from_a);
    q.whole = of_b_.ElementsOf(m.b, from_b);
    p.rounds = {p.whole};
    q.rounds = {q.whole};
    Places places;
    places.m = &m;
    places.shapes_a = ShapesOf(m.a.nodes[from_a].instruction->shape);
    places.shapes_b = ShapesOf(m.b.nodes[from_b].instruction->shape);
    places.begin_a = BeginOf(m.a, from_a, places.shapes_a.size());
    places.begin_b = BeginOf(m.b, from_b, places.shapes_b.size());
    places.names_a = NamesIn(a.CalledComputations()[called], places.shapes_a.size());
    places.names_b = NamesIn(b.CalledComputations()[called], places.shapes_b.size());
    if (p.whole.size() != places.shapes_a.size() || q.whole.size() != places.shapes_b.size()) return {};
    const std::vector<int> branch = Match(places, p, q);
    return Tuple(branch, p.whole, q.whole, std::vector<bool>(p.whole.size(), true));
  }
  const SideBySide side_a = SideBySideOf(a), side_b = SideBySideOf(b);
  if (side_a.arrays == 0 || side_b.arrays == 0 || order.empty()) return {};
  std::vector<ValueNumber> own_a, own_b(static_cast<size_t>(side_b.arrays));
  for (size_t l = 0; l < own_b.size(); ++l) own_b[l] = OwnNumber(0x9b05688c, l);
  HandedPair pair;
  for (size_t k = 0; k < order.size(); ++k) {
    own_a.push_back(OwnNumber(0x510e527f, k));
    if (order[k] >= 0) own_b[static_cast<size_t>(order[k])] = own_a[k];
  }
  pair.a = ValueNumbers::GivenSideBySide(a, own_a);
  pair.b = ValueNumbers::GivenSideBySide(b, own_b);
  for (const std::vector<ValueNumber>& number : pair.a) {
    const auto l = std::find_if(pair.b.begin(), pair.b.end(), [&](const auto& n) { return !n.empty() && !number.empty() && n[0] == number[0]; });
    pair.parameters.push_back(l == pair.b.end() ? -1 : static_cast<int>(l - pair.b.begin()));
  }
  return pair;
}

}  // namespace hloscope
