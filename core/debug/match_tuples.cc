// Tuples whose elements stand in another order in the other program, or of which it has more or fewer: who takes them out says which is
// which, and where those who make the tuple agree with that, nothing is another value.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/debug/match.h"
#include "core/ir/opcode.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

struct At {
  ScopeMatch* scope;
  int node;  // of a
};

// What is handed from those who make a tuple to those who take elements out of it.
struct Port {
  std::vector<At> made, taken;
};

bool IsTuple(const At& at) { return BuildsTuple(*at.scope->a.nodes[at.node].instruction); }

// Of a port's tuples in the two programs.
struct Sizes {
  size_t a, b;
};

// By element of a, that of b; -1: nobody takes it. Empty: those who take elements do not agree.
std::vector<int> OrderByReaders(const Port& port, const Sizes& sizes) {
  std::vector<int> order(sizes.a, -1);
  std::vector<bool> used(sizes.b, false);
  for (const At& at : port.taken) {
    const ScopeMatch& m = *at.scope;
    for (const int node : m.a.order) {
      const FlatNode& x = m.a.nodes[node];
      if (!TakesElement(*x.instruction) || x.operands[0] != at.node || m.to_b[node] < 0) continue;
      const FlatNode& y = m.b.nodes[m.to_b[node]];
      if (!TakesElement(*y.instruction) || y.operands[0] != m.to_b[at.node]) return {};
      const auto k = static_cast<size_t>(x.instruction->Int(AttrId::kIndex));
      const int l = static_cast<int>(y.instruction->Int(AttrId::kIndex));
      if (k >= sizes.a || static_cast<size_t>(l) >= sizes.b || (order[k] != l && (order[k] >= 0 || used[l]))) {
        return {};
      }
      order[k] = l;
      used[l] = true;
    }
  }
  return order;
}

std::vector<bool> Used(const std::vector<int>& order, size_t size) {
  std::vector<bool> used(size, false);
  for (const int l : order) {
    if (l >= 0) used[l] = true;
  }
  return used;
}

// What nobody takes stays where it is, or takes the places that are left.
void Complete(std::vector<int>& order) {
  std::vector<bool> used = Used(order, order.size());
  for (size_t k = 0; k < order.size(); ++k) {
    if (order[k] >= 0 || used[k]) continue;
    order[k] = static_cast<int>(k);
    used[k] = true;
  }
  for (int& l : order) {
    if (l >= 0) continue;
    l = static_cast<int>(std::find(used.begin(), used.end(), false) - used.begin());
    used[l] = true;
  }
}

// Where one program has more elements: of those that are not known yet, the ones that are made of a pair. The others are in one program alone.
void CompleteByMakers(const Port& port, const Sizes& sizes, std::vector<int>& order) {
  std::vector<bool> used = Used(order, sizes.b);
  for (const At& at : port.made) {
    const ScopeMatch& m = *at.scope;
    const FlatNode &x = m.a.nodes[at.node], &y = m.b.nodes[m.to_b[at.node]];
    for (size_t k = 0; k < sizes.a; ++k) {
      for (size_t l = 0; order[k] < 0 && l < sizes.b; ++l) {
        if (used[l] || m.to_b[x.operands[k]] != y.operands[l]) continue;
        order[k] = static_cast<int>(l);
        used[l] = true;
      }
    }
  }
}

// Elements that are other values in that order.
int Others(const At& at, const std::vector<int>& order) {
  const ScopeMatch& m = *at.scope;
  const FlatNode &x = m.a.nodes[at.node], &y = m.b.nodes[m.to_b[at.node]];
  int others = 0;
  for (size_t k = 0; k < order.size(); ++k) others += order[k] < 0 || m.to_b[x.operands[k]] != y.operands[order[k]];
  return others;
}

int Others(const Port& port, const std::vector<int>& order) {
  int others = 0;
  for (const At& at : port.made) others += Others(at, order);
  return others;
}

// Where one program has more elements. Who makes the tuples can know better than who takes elements out of them: what nobody reads may be
// paired with any of them.
std::vector<int> OrderOfMore(const Port& port, const Sizes& sizes) {
  std::vector<int> order = OrderByReaders(port, sizes), by_makers(sizes.a, -1);
  if (order.empty()) order.assign(sizes.a, -1);
  CompleteByMakers(port, sizes, order);
  CompleteByMakers(port, sizes, by_makers);
  return Others(port, by_makers) < Others(port, order) ? by_makers : order;
}

void Solve(Port port) {
  const auto no_pair = [](const At& at) { return at.node < 0 || at.scope->to_b[at.node] < 0; };
  port.taken.erase(std::remove_if(port.taken.begin(), port.taken.end(), no_pair), port.taken.end());
  port.made.erase(std::remove_if(port.made.begin(), port.made.end(), [&](const At& at) { return no_pair(at) || !IsTuple(at); }),
                  port.made.end());
  if (port.made.empty()) return;
  const auto sizes_of = [](const At& at) {
    const ScopeMatch& m = *at.scope;
    return Sizes{m.a.nodes[at.node].operands.size(), m.b.nodes[m.to_b[at.node]].operands.size()};
  };
  const Sizes sizes = sizes_of(port.made[0]);
  if (port.taken.empty() && sizes.a == sizes.b) return;
  for (const At& at : port.made) {
    const Sizes other = sizes_of(at);
    if (other.a != sizes.a || other.b != sizes.b) return;
  }
  if (sizes.a != sizes.b) {
    const std::vector<int> order = OrderOfMore(port, sizes);
    for (const At& at : port.made) at.scope->reordered[at.node] = order;
    for (const At& at : port.taken) at.scope->taken[at.node] = order;
    return;
  }
  std::vector<int> order = OrderByReaders(port, sizes), same(sizes.a);
  if (order.empty()) return;
  Complete(order);
  for (size_t k = 0; k < sizes.a; ++k) same[k] = static_cast<int>(k);
  // One who takes the wrong element is wrong; where the tuples are made in that order, too, it is another order.
  if (Others(port, order) >= Others(port, same)) return;
  for (const At& at : port.made) at.scope->reordered[at.node] = order;
}

bool IsIdentity(const std::vector<int>& order, const Sizes& sizes) {
  for (size_t k = 0; k < order.size(); ++k) {
    if (order[k] != static_cast<int>(k)) return false;
  }
  return sizes.a == sizes.b;
}

// Where it is known what is which (match_handed.h).
void Settle(Port port, const std::vector<int>& order, const Sizes& sizes) {
  if (IsIdentity(order, sizes)) return;
  for (const At& at : port.made) {
    if (at.node < 0 || at.scope->to_b[at.node] < 0 || !IsTuple(at)) continue;
    const size_t there = at.scope->b.nodes[at.scope->to_b[at.node]].operands.size();
    if (at.scope->a.nodes[at.node].operands.size() == sizes.a && there == sizes.b) at.scope->reordered[at.node] = order;
  }
  for (const At& at : port.taken) {
    if (sizes.a != sizes.b && at.node >= 0 && at.scope->to_b[at.node] >= 0) at.scope->taken[at.node] = order;
  }
}

Sizes SizesOf(const ScopeMatch& m, int node) {
  const Shape &a = m.a.nodes[node].instruction->shape, &b = m.b.nodes[m.to_b[node]].instruction->shape;
  return {a.IsTuple() ? a.tuple_shapes().size() : 1, b.IsTuple() ? b.tuple_shapes().size() : 1};
}

// Loops: what goes in comes out again. Conditionals: each branch's argument, and the results.
void SolveControl(const ProgramMatch& match, ScopeMatch& m, int node) {
  const FlatNode& x = m.a.nodes[node];
  const bool loop = Def(*x.instruction).control == ControlKind::kWhile;
  Port results;
  for (auto at = m.called.lower_bound({node, 0}); at != m.called.end() && at->first.first == node; ++at) {
    ScopeMatch* inner = match.scopes[at->second].get();
    if (inner->a.computation->parameters.empty()) continue;
    const At parameter{inner, inner->a.computation->parameters[0]->index}, root{inner, inner->a.root};
    const size_t operand = loop ? 0 : static_cast<size_t>(at->first.second) + 1;
    if (operand >= x.operands.size()) continue;
    results.made.push_back(root);
    if (loop) {
      results.taken.push_back(parameter);
    } else if (!inner->given.empty() && inner->to_b[parameter.node] >= 0) {
      Settle({{{&m, x.operands[operand]}}, {parameter}}, inner->given, SizesOf(*inner, parameter.node));
    } else {
      Solve({{{&m, x.operands[operand]}}, {parameter}});
    }
  }
  if (loop) results.made.push_back({&m, x.operands[0]});
  results.taken.push_back({&m, node});
  const auto handed = m.handed.find(node);
  if (handed != m.handed.end()) Settle(std::move(results), handed->second, SizesOf(m, node));
}

// Results side by side, and those of what makes them.
void SolveSideBySide(const ProgramMatch& match, ScopeMatch& m, int node) {
  const auto handed = m.handed.find(node);
  if (handed == m.handed.end() || !m.a.nodes[node].instruction->shape.IsTuple()) return;
  const Sizes sizes = SizesOf(m, node);
  if (handed->second.size() == sizes.a && !IsIdentity(handed->second, sizes)) m.reordered[node] = handed->second;
  const auto called = m.called.find({node, 0});
  if (called == m.called.end()) return;
  ScopeMatch* inner = match.scopes[called->second].get();
  Settle({{{inner, inner->a.root}}, {}}, handed->second, sizes);
}

}  // namespace

void FindReordered(ProgramMatch& match) {
  for (const auto& scope : match.scopes) {
    ScopeMatch& m = *scope;
    for (const int node : m.a.order) {
      const FlatNode& x = m.a.nodes[node];
      if (x.alias >= 0 || m.to_b[node] < 0 || x.operands.empty()) continue;
      const ControlKind control = Def(*x.instruction).control;
      if (control == ControlKind::kWhile || control == ControlKind::kConditional) SolveControl(match, m, node);
      else if (control == ControlKind::kNone) SolveSideBySide(match, m, node);
      // Nobody reads it but for its elements.
      const bool elements_only = m.a.users[node].empty() && m.b.users[m.to_b[node]].empty() && node != m.a.root;
      if (elements_only && IsTuple({&m, node})) Solve({{{&m, node}}, {{&m, node}}});
    }
  }
}

}  // namespace hloscope
