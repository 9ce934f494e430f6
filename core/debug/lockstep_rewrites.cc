#include "core/debug/lockstep_rewrites.h"

#include <algorithm>
#include <utility>

#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr size_t kMostLooked = 512;  // nodes that read it, before it is just another value

// Finds who reads a pair in the end. False: the value goes out of the computation, into a loop or a call, or into too many.
class Readers {
 public:
  explicit Readers(const ScopeMatch& m) : m_(m) {}

  bool Find(int in_a, absl::flat_hash_set<int>& inside, absl::flat_hash_set<int>& ends) {
    inside = {in_a};
    std::vector<int> todo = {in_a};
    while (!todo.empty()) {
      const int pair = todo.back();
      todo.pop_back();
      found_.clear();
      if (!Of(0, pair) || !Of(1, m_.to_b[pair])) return false;
      for (const int reader : found_) {
        const Instruction& x = *m_.a.nodes[reader].instruction;
        if (Def(x).control != ControlKind::kNone || Def(x).op_class == OpClass::kStructural) return false;
        if (m_.changed.contains(reader)) ends.insert(reader);
        else if (inside.insert(reader).second) todo.push_back(reader);
      }
      if (inside.size() + ends.size() > kMostLooked) return false;
    }
    return !ends.empty();
  }

 private:
  // The pairs that read a node of one program, through instructions of its own.
  bool Of(int side, int node) {
    const FlatComputation& flat = side == 0 ? m_.a : m_.b;
    const std::vector<int>& partner = side == 0 ? m_.to_b : m_.to_a;
    std::vector<int> todo = {node};
    absl::flat_hash_set<int> seen = {node};
    for (size_t k = 0; k < todo.size(); ++k) {
      if (todo[k] == flat.root || todo.size() > kMostLooked) return false;
      for (const int user : UsersOf(side, todo[k])) {
        if (partner[user] >= 0) found_.insert(side == 0 ? user : partner[user]);
        else if (seen.insert(user).second) todo.push_back(user);
      }
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
  std::vector<std::vector<int>> users_[2];
  absl::flat_hash_set<int> found_;
};

}  // namespace

bool Rewrites::Hold(const ScopeMatch& m, uint64_t frame, int in_a, const Divergence& d) {
  if (d.changed.empty() && d.only_a.empty() && d.only_b.empty()) return false;  // it is the same operation
  Held held;
  held.frame = frame;
  if (!Readers(m).Find(in_a, held.inside, held.ends)) return false;
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

std::vector<Divergence> Rewrites::TakeUndecided() {
  std::vector<Divergence> taken;
  for (Held& held : held_) {
    if (held.ends.empty()) continue;
    std::move(held.divergences.begin(), held.divergences.end(), std::back_inserter(taken));
  }
  held_.erase(std::remove_if(held_.begin(), held_.end(), [](const Held& held) { return !held.ends.empty(); }), held_.end());
  return taken;
}

std::vector<Divergence> Rewrites::TakeDecided() {
  std::vector<Divergence> taken;
  for (Held& held : held_) {
    if (held.ends.empty()) std::move(held.divergences.begin(), held.divergences.end(), std::back_inserter(taken));
  }
  held_.erase(std::remove_if(held_.begin(), held_.end(), [](const Held& held) { return held.ends.empty(); }), held_.end());
  return taken;
}

}  // namespace hloscope
