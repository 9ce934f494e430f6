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
  bool loop = false;  // what its own computations take counts more than what is taken behind it
};

bool MakesTuple(const Instruction& i) {
  return i.shape.IsTuple() && i.parameter_number < 0 && Def(i).op_class == OpClass::kStructural && !TakesElement(i);
}

bool IsTuple(const At& at) { return MakesTuple(*at.scope->a.nodes[at.node].instruction); }

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
        if (port.loop && &at == &port.taken.back()) continue;
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

// What a loop's body only hands on: by element, the node that takes it out of the parameter and is read by the root alone, which has it at
// the same place; -1: another element.
std::vector<int> HandedOn(const FlatComputation& body, size_t size) {
  std::vector<int> handed(size, -1);
  if (body.root < 0 || body.nodes[body.root].operands.size() != size) return handed;
  const int parameter = body.computation->parameters[0]->index;
  const auto& made = body.nodes[body.root].operands;
  for (size_t k = 0; k < size; ++k) {
    const FlatNode& x = body.nodes[made[k]];
    if (x.alias >= 0 || !TakesElement(*x.instruction) || x.operands[0] != parameter) continue;
    if (x.instruction->Int(AttrId::kIndex) != static_cast<int64_t>(k) || body.users[made[k]].size() != 1) continue;
    if (std::count(made.begin(), made.end(), made[k]) == 1) handed[k] = made[k];
  }
  return handed;
}

// Such elements look alike in the body: what the loop begins with, and who reads it behind the loop, says which is which.
void PairHandedOn(const ScopeMatch& m, int loop, ScopeMatch& body) {
  const FlatNode &x = m.a.nodes[loop], &y = m.b.nodes[m.to_b[loop]];
  const FlatNode &init = m.a.nodes[x.operands[0]], &init_b = m.b.nodes[y.operands[0]];
  if (!MakesTuple(*init.instruction) || !MakesTuple(*init_b.instruction)) return;
  const std::vector<int> handed = HandedOn(body.a, init.operands.size()), handed_b = HandedOn(body.b, init_b.operands.size());
  std::vector<int64_t> read(handed.size(), -1);  // by element of a: that of b which its reader's partner reads
  for (const int reader : m.a.users[loop]) {
    const int other = m.to_b[reader];
    if (other < 0 || !TakesElement(*m.a.nodes[reader].instruction) || !TakesElement(*m.b.nodes[other].instruction)) continue;
    if (m.b.nodes[other].operands[0] == m.to_b[loop])
      read[m.a.nodes[reader].instruction->Int(AttrId::kIndex)] = m.b.nodes[other].instruction->Int(AttrId::kIndex);
  }
  struct Candidate {
    int likeness, a, b;
  };
  std::vector<Candidate> candidates;
  for (size_t k = 0; k < handed.size(); ++k) {
    for (size_t l = 0; handed[k] >= 0 && l < handed_b.size(); ++l) {
      if (handed_b[l] < 0) continue;
      const bool begins = m.to_b[init.operands[k]] == init_b.operands[l], ends = read[k] == static_cast<int64_t>(l);
      if (begins || ends) candidates.push_back({4 * begins + 2 * ends + (body.to_b[handed[k]] == handed_b[l]), handed[k], handed_b[l]});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& p, const Candidate& q) { return p.likeness > q.likeness; });
  std::vector<bool> done(body.a.nodes.size(), false), done_b(body.b.nodes.size(), false);
  for (const Candidate& c : candidates) {
    if (done[c.a] || done_b[c.b]) continue;
    done[c.a] = done_b[c.b] = true;
    if (const int other = body.to_b[c.a]; other >= 0) body.to_a[other] = -1;
    if (const int other = body.to_a[c.b]; other >= 0) body.to_b[other] = -1;
    body.to_b[c.a] = c.b;
    body.to_a[c.b] = c.a;
  }
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
    if (control == ControlKind::kWhile && inner->a.computation == x.instruction->Called(AttrId::kBody)) PairHandedOn(m, node, *inner);
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
