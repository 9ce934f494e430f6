#include "core/debug/lockstep_rewrites.h"

#include <algorithm>
#include <utility>

#include "core/debug/lockstep_reads.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr size_t kMostLooked = 512;  // nodes that read it, before it is just another value

int64_t LeafCount(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() ? 1 : 0;
  int64_t count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += LeafCount(element);
  return count;
}

// Who reads a pair in the end.
struct Reached {
  absl::flat_hash_set<int> inside;   // pairs that are the same operation, be it in another precision
  absl::flat_hash_set<int> ends;     // pairs that are not
  absl::flat_hash_set<int> results;  // leaves of the programs' results
};

// Finds them. False: the value goes out of the computation as it is, into a loop or a call, or into too many.
class Readers {
 public:
  Readers(const ScopeMatch& m, bool entry) : m_(m), entry_(entry) {}

  bool Find(int in_a, Reached& reached) {
    reached.inside = {in_a};
    std::vector<int> todo = {in_a};
    while (!todo.empty()) {
      const int pair = todo.back();
      todo.pop_back();
      found_.clear();
      if (!Of(0, pair, reached.results) || !Of(1, m_.to_b[pair], reached.results)) return false;
      for (const int reader : found_) {
        const Instruction& x = *m_.a.nodes[reader].instruction;
        if (Def(x).control != ControlKind::kNone) return false;
        if (Def(x).op_class == OpClass::kStructural && !IsMadeOtherwise(pair, reader)) return false;
        if (m_.changed.contains(reader) && !m_.retyped.contains(reader)) reached.ends.insert(reader);
        else if (reached.inside.insert(reader).second) todo.push_back(reader);
      }
      if (reached.inside.size() + reached.ends.size() > kMostLooked) return false;
    }
    return !reached.ends.empty() || !reached.results.empty();
  }

 private:
  const FlatComputation& Flat(int side) const { return side == 0 ? m_.a : m_.b; }
  int Partner(int side, int node) const { return side == 0 ? m_.to_b[node] : m_.to_a[node]; }
  // A tuple that one program's own instruction gives an element is compared itself. What both hand on as it is differs in it as well.
  bool IsMadeOtherwise(int pair, int tuple) const {
    if (!m_.changed.contains(tuple) || !HandsOnOthers(m_, tuple, entry_)) return false;
    const auto &a = m_.a.nodes[tuple].operands, &b = m_.b.nodes[m_.to_b[tuple]].operands;
    for (size_t k = 0; k < a.size() && k < b.size(); ++k) {
      if (m_.a.Resolve(a[k]) == pair && m_.b.Resolve(b[OperandInB(m_, tuple, k)]) == m_.to_b[pair]) return false;
    }
    return true;
  }
  bool BuildsResults(int side, int node) const { return entry_ && node == Flat(side).root && BuildsTuple(*Flat(side).nodes[node].instruction); }

  // The pairs that read a node of one program, through instructions of its own, and the results that it becomes.
  bool Of(int side, int node, absl::flat_hash_set<int>& results) {
    std::vector<int> todo = {node};
    absl::flat_hash_set<int> seen = {node};
    for (size_t k = 0; k < todo.size(); ++k) {
      if (todo.size() > kMostLooked) return false;
      if (todo[k] == Flat(side).root && !GivenAsResult(side, todo[k], results)) return false;
      for (const int user : UsersOf(side, todo[k])) {
        if (BuildsResults(side, user)) {
          if (!GivenAsPart(side, todo[k], user, results)) return false;
        } else if (Partner(side, user) >= 0) {
          found_.insert(side == 0 ? user : m_.to_a[user]);
        } else if (seen.insert(user).second) {
          todo.push_back(user);
        }
      }
    }
    return true;
  }

  // False: the result of both programs is this pair.
  bool GivenAsResult(int side, int node, absl::flat_hash_set<int>& results) const {
    if (!entry_ || Partner(side, node) == Flat(1 - side).root) return false;
    const int64_t leaves = LeafCount(Flat(side).nodes[node].instruction->shape);
    for (int leaf = 0; leaf < leaves; ++leaf) results.insert(leaf);
    return true;
  }
  bool GivenAsPart(int side, int node, int tuple, absl::flat_hash_set<int>& results) const {
    const FlatNode &root = Flat(side).nodes[tuple], &other = Flat(1 - side).nodes[Flat(1 - side).root];
    int leaf = 0;
    for (size_t k = 0; k < root.operands.size(); ++k) {
      const int first = leaf;
      leaf += static_cast<int>(LeafCount(root.instruction->shape.tuple_shapes()[k]));
      if (Flat(side).Resolve(root.operands[k]) != node) continue;
      if (k < other.operands.size() && Partner(side, node) >= 0 && Partner(side, node) == Flat(1 - side).Resolve(other.operands[k])) return false;
      for (int part = first; part < leaf; ++part) results.insert(part);
    }
    return true;
  }

  const std::vector<int>& UsersOf(int side, int node) {
    std::vector<std::vector<int>>& users = users_[side];
    if (users.empty()) {
      const FlatComputation& flat = side == 0 ? m_.a : m_.b;
      users.resize(flat.nodes.size());
      for (size_t n = 0; n < flat.nodes.size(); ++n) {
        if (flat.nodes[n].alias >= 0) continue;
        for (const int operand : flat.nodes[n].operands) users[flat.Resolve(operand)].push_back(static_cast<int>(n));
      }
    }
    return users[node];
  }

  const ScopeMatch& m_;
  const bool entry_;
  std::vector<std::vector<int>> users_[2];
  absl::flat_hash_set<int> found_;
};

}  // namespace

bool Rewrites::Hold(const ScopeMatch& m, bool entry, uint64_t frame, int in_a, const Divergence& d) {
  if (d.changed.empty() && d.only_a.empty() && d.only_b.empty()) return false;  // it is the same operation
  Held held;
  held.frame = frame;
  Reached reached;
  if (!Readers(m, entry).Find(in_a, reached)) return false;
  // What the narrower type rounds agrees with much. A constant of two precisions has another way to the same only where other operations read it.
  const Instruction &a = *d.a, &b = *d.b;
  const bool precision = a.literal != nullptr && b.literal != nullptr && !Shape::Compatible(a.shape, b.shape);
  const auto other_operation = [&](int end) { return m.a.nodes[end].instruction->opcode != m.b.nodes[m.to_b[end]].instruction->opcode; };
  if (precision && std::none_of(reached.ends.begin(), reached.ends.end(), other_operation)) return false;
  held.inside = std::move(reached.inside);
  held.ends = std::move(reached.ends);
  held.results = std::move(reached.results);
  held.divergences.push_back(d);
  held_.push_back(std::move(held));
  return true;
}

bool Rewrites::HoldInherited(uint64_t frame, int in_a, const Divergence& d) {
  for (Held& held : held_) {
    if (held.frame != frame || !held.inside.contains(in_a)) continue;
    held.divergences.push_back(d);
    return true;
  }
  return false;
}

void Rewrites::Agrees(uint64_t frame, int in_a) {
  for (Held& held : held_) {
    if (held.frame == frame) held.ends.erase(in_a);
  }
}

bool Rewrites::WaitsForResults() const {
  return std::any_of(held_.begin(), held_.end(), [](const Held& held) { return !held.results.empty(); });
}

void Rewrites::Results(const absl::flat_hash_set<int>& differing) {
  for (Held& held : held_) absl::erase_if(held.results, [&](int leaf) { return !differing.contains(leaf); });
}

std::vector<Divergence> Rewrites::TakeUndecided() {
  std::vector<Divergence> taken;
  for (Held& held : held_) {
    if (held.decided()) continue;
    std::move(held.divergences.begin(), held.divergences.end(), std::back_inserter(taken));
  }
  held_.erase(std::remove_if(held_.begin(), held_.end(), [](const Held& held) { return !held.decided(); }), held_.end());
  return taken;
}

std::vector<Divergence> Rewrites::TakeDecided() {
  std::vector<Divergence> taken;
  for (Held& held : held_) {
    if (held.decided()) std::move(held.divergences.begin(), held.divergences.end(), std::back_inserter(taken));
  }
  held_.erase(std::remove_if(held_.begin(), held_.end(), [](const Held& held) { return held.decided(); }), held_.end());
  return taken;
}

namespace {

// Whether the tuple has an element that an instruction of one program alone makes.
bool HasOwnElement(const FlatComputation& flat, const std::vector<int>& partner) {
  const auto& operands = flat.nodes[flat.root].operands;
  return std::any_of(operands.begin(), operands.end(), [&](int operand) {
    const int maker = flat.Resolve(operand);
    return partner[maker] < 0 && Def(*flat.nodes[maker].instruction).op_class != OpClass::kStructural;
  });
}

bool IsWrittenOtherwise(const ProgramMatch& match, const ScopeMatch& m, int loop) {
  for (auto at = m.called.lower_bound({loop, 0}); at != m.called.end() && at->first.first == loop; ++at) {
    const ScopeMatch& called = *match.scopes[at->second];
    if (called.a.computation != m.a.nodes[loop].instruction->Called(AttrId::kBody)) continue;
    return HasOwnElement(called.a, called.to_b) || HasOwnElement(called.b, called.to_a);
  }
  return false;
}

}  // namespace

bool InLoopWrittenOtherwise(const ProgramMatch& match, int scope, int in_a) {
  const ScopeMatch& m = *match.scopes[scope];
  std::vector<int> todo = {in_a};
  absl::flat_hash_set<int> seen = {in_a};
  for (size_t k = 0; k < todo.size() && todo.size() <= kMostLooked; ++k) {
    const FlatNode& node = m.a.nodes[todo[k]];
    if (Def(*node.instruction).control == ControlKind::kWhile && IsWrittenOtherwise(match, m, todo[k])) return true;
    for (const int user : m.a.users[m.a.core[todo[k]]]) {
      if (seen.insert(user).second) todo.push_back(user);
    }
  }
  // Around it.
  for (size_t outer = 0; outer < match.scopes.size(); ++outer) {
    for (const auto& [call, inner] : match.scopes[outer]->called) {
      if (inner != scope || static_cast<int>(outer) == scope) continue;
      if (Def(*match.scopes[outer]->a.nodes[call.first].instruction).control == ControlKind::kWhile && IsWrittenOtherwise(match, *match.scopes[outer], call.first)) return true;
    }
  }
  return false;
}

}  // namespace hloscope
