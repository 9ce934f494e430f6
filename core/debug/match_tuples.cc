// Tuples whose elements stand in another order in the other program: who takes them out says which is which, and where those who make the
// tuple agree with that, nothing is another value.
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
  bool loop = false;  // what its own computations take counts more than what is taken behind it
};

bool IsTuple(const At& at) {
  const Instruction& i = *at.scope->a.nodes[at.node].instruction;
  return i.shape.IsTuple() && i.parameter_number < 0 && Def(i).op_class == OpClass::kStructural && !TakesElement(i);
}

// By element of a, that of b; -1: nobody takes it. Empty: those who take elements do not agree.
std::vector<int> OrderByReaders(const Port& port, size_t size) {
  std::vector<int> order(size, -1);
  std::vector<bool> used(size, false);
  for (const At& at : port.taken) {
    const ScopeMatch& m = *at.scope;
    for (const int node : m.a.order) {
      const FlatNode& x = m.a.nodes[node];
      if (!TakesElement(*x.instruction) || x.operands[0] != at.node || m.to_b[node] < 0) continue;
      const FlatNode& y = m.b.nodes[m.to_b[node]];
      if (!TakesElement(*y.instruction) || y.operands[0] != m.to_b[at.node]) return {};
      const auto k = static_cast<size_t>(x.instruction->Int(AttrId::kIndex));
      const int l = static_cast<int>(y.instruction->Int(AttrId::kIndex));
      if (k >= size || static_cast<size_t>(l) >= size || (order[k] != l && (order[k] >= 0 || used[l]))) {
        if (port.loop && &at == &port.taken.back()) continue;
        return {};
      }
      order[k] = l;
      used[l] = true;
    }
  }
  return order;
}

// What nobody takes stays where it is, or takes the places that are left.
void Complete(std::vector<int>& order) {
  std::vector<bool> used(order.size(), false);
  for (const int l : order) {
    if (l >= 0) used[l] = true;
  }
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

// Elements that are other values in that order.
int Others(const At& at, const std::vector<int>& order) {
  const ScopeMatch& m = *at.scope;
  const FlatNode &x = m.a.nodes[at.node], &y = m.b.nodes[m.to_b[at.node]];
  int others = 0;
  for (size_t k = 0; k < order.size(); ++k) others += m.to_b[x.operands[k]] != y.operands[order[k]];
  return others;
}

void Solve(Port port) {
  const auto no_pair = [](const At& at) { return at.node < 0 || at.scope->to_b[at.node] < 0; };
  port.taken.erase(std::remove_if(port.taken.begin(), port.taken.end(), no_pair), port.taken.end());
  port.made.erase(std::remove_if(port.made.begin(), port.made.end(), [&](const At& at) { return no_pair(at) || !IsTuple(at); }),
                  port.made.end());
  if (port.made.empty() || port.taken.empty()) return;
  const size_t size = port.made[0].scope->a.nodes[port.made[0].node].operands.size();
  for (const At& at : port.made) {
    const ScopeMatch& m = *at.scope;
    if (m.a.nodes[at.node].operands.size() != size || m.b.nodes[m.to_b[at.node]].operands.size() != size) return;
  }
  std::vector<int> order = OrderByReaders(port, size), same(size);
  if (order.empty()) return;
  Complete(order);
  for (size_t k = 0; k < size; ++k) same[k] = static_cast<int>(k);
  // One who takes the wrong element is wrong; where the tuples are made in that order, too, it is another order.
  int others = 0, others_as_is = 0;
  for (const At& at : port.made) {
    others += Others(at, order);
    others_as_is += Others(at, same);
  }
  if (others >= others_as_is) return;
  for (const At& at : port.made) at.scope->reordered[at.node] = order;
}

// Loops: what goes in comes out again. Conditionals: each branch's argument, and the results.
void SolveControl(const ProgramMatch& match, ScopeMatch& m, int node) {
  const FlatNode& x = m.a.nodes[node];
  const ControlKind control = Def(*x.instruction).control;
  Port results;
  for (auto at = m.called.lower_bound({node, 0}); at != m.called.end() && at->first.first == node; ++at) {
    ScopeMatch* inner = match.scopes[at->second].get();
    if (inner->a.computation->parameters.empty()) continue;
    const At parameter{inner, inner->a.computation->parameters[0]->index}, root{inner, inner->a.root};
    const size_t operand = control == ControlKind::kConditional ? static_cast<size_t>(at->first.second) + 1 : 0;
    if (operand >= x.operands.size()) continue;
    results.made.push_back(root);
    if (control == ControlKind::kConditional) {
      Solve({{{&m, x.operands[operand]}}, {parameter}, false});
    } else {
      results.taken.push_back(parameter);
    }
  }
  results.loop = control == ControlKind::kWhile;
  if (results.loop) results.made.push_back({&m, x.operands[0]});
  results.taken.push_back({&m, node});
  Solve(std::move(results));
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
      // Nobody reads it but for its elements.
      const bool elements_only = m.a.users[node].empty() && m.b.users[m.to_b[node]].empty() && node != m.a.root;
      if (elements_only && IsTuple({&m, node})) Solve({{{&m, node}}, {{&m, node}}, false});
    }
  }
}

}  // namespace hloscope
