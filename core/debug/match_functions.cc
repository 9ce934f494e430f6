// Same text is told by hashes: with that of all that is called (where names play no part), or its own alone, with the names of what it
// calls: a function stays the one it was when something changes far below it.
#include "core/debug/match_functions.h"

#include <algorithm>

#include "core/base/hash.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

uint64_t HashText(absl::string_view text) { return HashBytes(text.data(), text.size()); }

using Places = absl::flat_hash_map<uint64_t, std::vector<const Computation*>>;

}  // namespace

// All but the names of its instructions. `deep`: with the texts of what it calls in the place of their names.
uint64_t FunctionMatch::Text(const Computation& computation, bool deep) {
  if (deep) {
    if (const auto known = deep_.find(&computation); known != deep_.end()) return known->second;
  }
  uint64_t hash = MixHash(1, computation.root == nullptr ? 0 : static_cast<uint64_t>(computation.root->index) + 1);
  for (const Instruction* i : computation.schedule) {
    hash = MixHash(MixHash(hash, static_cast<uint64_t>(i->opcode)), static_cast<uint64_t>(i->parameter_number + 1));
    hash = MixHash(hash, HashText(i->shape.ToString(false)));
    for (const Instruction* operand : i->operands) hash = MixHash(hash, static_cast<uint64_t>(operand->index));
    if (i->literal != nullptr) hash = MixHash(hash, HashLiteral(*i, false));
    uint64_t attributes = 0;  // in any order
    for (const Attribute& attribute : i->attributes) {
      const uint64_t name = HashText(NameOf(attribute));
      if (!IsComputation(attribute) || !deep)
        attributes += MixHash(name, HashText(AttributeText(attribute)));
      else
        hash = MixHash(hash, name);
    }
    hash = MixHash(hash, attributes);
    if (!deep) continue;
    for (const Computation* called : i->CalledComputations()) hash = MixHash(hash, Text(*called, true));
  }
  if (deep) deep_[&computation] = hash;
  return hash;
}

FunctionMatch::FunctionMatch(const Module& a, const Module& b, ValueNumbers& numbers_a, ValueNumbers& numbers_b)
    : numbers_a_(numbers_a), numbers_b_(numbers_b) {
  for (const Computation* c : a.computations) named_a_[c->name] = c;
  for (const Computation* c : b.computations) named_b_[c->name] = c;
  PairBySameText(a, b);
  for (const Computation* c : a.computations) (to_b_.contains(c) ? of_a_ : left_of_a_).insert(Text(*c, true));
  for (const Computation* c : b.computations) (to_a_.contains(c) ? of_b_ : left_of_b_).insert(Text(*c, true));
}

void FunctionMatch::PairBySameText(const Module& a, const Module& b) {
  const auto pair = [&](const Computation* p, const Computation* q) {
    to_b_[p] = q;
    to_a_[q] = p;
  };
  for (const bool deep : {true, false}) {
    for (const Computation* p : a.computations) {
      const auto q = named_b_.find(p->name);
      if (q == named_b_.end() || to_b_.contains(p) || to_a_.contains(q->second)) continue;
      if (Text(*p, deep) == Text(*q->second, deep)) pair(p, q->second);
    }
    if (!deep) break;
    Places left_a, left_b;
    for (const Computation* p : a.computations) {
      if (!to_b_.contains(p)) left_a[Text(*p, true)].push_back(p);
    }
    for (const Computation* q : b.computations) {
      if (!to_a_.contains(q)) left_b[Text(*q, true)].push_back(q);
    }
    for (const auto& [hash, list] : left_a) {
      const auto other = left_b.find(hash);
      if (list.size() == 1 && other != left_b.end() && other->second.size() == 1) pair(list[0], other->second[0]);
    }
  }
}

ScopeMatch FunctionMatch::NoneLaidFlat(const Computation& p, const Computation& q) {
  const auto all_stay = [](const Instruction&) { return true; };
  ScopeMatch m;
  m.a = LayFlat(p, all_stay);
  m.b = LayFlat(q, all_stay);
  numbers_a_.Fill(m.a);
  numbers_b_.Fill(m.b);
  return m;
}

// Whether one may be the other with something changed: half of both is found again, and where it ends.
bool FunctionMatch::Alike(const Computation& p, const Computation& q) {
  const auto [known, fresh] = alike_.try_emplace({&p, &q}, false);
  if (!fresh) return known->second;
  ScopeMatch m = NoneLaidFlat(p, q);
  PairUp(m);
  if (m.a.root < 0 || m.b.root < 0 || m.to_b[m.a.core[m.a.root]] != m.b.core[m.b.root]) return false;
  int64_t paired = 0, all = 0;
  const auto counts = [](const FlatNode& node) { return node.alias < 0 && node.instruction->parameter_number < 0; };
  for (const int node : m.a.order) {
    if (!counts(m.a.nodes[node])) continue;
    ++all;
    if (m.to_b[node] >= 0 && m.b.nodes[m.to_b[node]].instruction->opcode == m.a.nodes[node].instruction->opcode) paired += 2;
  }
  for (const int node : m.b.order) all += counts(m.b.nodes[node]);
  return alike_[{&p, &q}] = 2 * paired >= all;
}

bool FunctionMatch::IsAnother(const Computation& p, const Computation& q) {
  if (InB(p) == &q) return false;
  const uint64_t text_p = Text(p, true), text_q = Text(q, true);
  if (text_p == text_q) return false;
  const auto [known, fresh] = another_.try_emplace({&p, &q}, false);
  if (!fresh) return known->second;
  // A function under its name has changed, even if that makes it what another one is that has stayed.
  const bool same_name = p.name == q.name;
  const bool stays = InB(p) != nullptr || left_of_b_.contains(text_p) || (!same_name && of_b_.contains(text_p));
  const bool was = InA(q) != nullptr || left_of_a_.contains(text_q) || (!same_name && of_a_.contains(text_q));
  // Names alone say less: compilers number anew.
  const auto stays_changed = [&] {
    const auto named = named_b_.find(p.name);
    return named != named_b_.end() && named->second != &q && Alike(p, *named->second);
  };
  const auto was_changed = [&] {
    const auto named = named_a_.find(q.name);
    return named != named_a_.end() && named->second != &p && Alike(*named->second, q);
  };
  const bool another = (stays && was) || ((stays || was || stays_changed() || was_changed()) && !Alike(p, q));
  another_[{&p, &q}] = another;
  return another;
}

bool FunctionMatch::CallsAnother(const Instruction& x, const Instruction& y) {
  const std::vector<Computation*> p = x.CalledComputations(), q = y.CalledComputations();
  for (size_t k = 0; k < std::min(p.size(), q.size()); ++k) {
    if (IsAnother(*p[k], *q[k])) return true;
  }
  return false;
}

// The calls in place of two computations, as they stand side by side when none is laid flat.
const std::vector<FunctionMatch::CallPair>& FunctionMatch::Calls(const Computation& p, const Computation& q) {
  const auto [known, fresh] = calls_.try_emplace({&p, &q});
  if (!fresh) return known->second;
  std::vector<CallPair> calls;
  ScopeMatch m = NoneLaidFlat(p, q);
  PairUp(m, [this](const Instruction& x, const Instruction& y) { return CallsAnother(x, y); });
  for (const int node : m.a.order) {
    const Instruction& x = *m.a.nodes[node].instruction;
    if (m.to_b[node] < 0 || CalledInPlace(x) == nullptr) continue;
    const Instruction& y = *m.b.nodes[m.to_b[node]].instruction;
    if (CalledInPlace(y) == nullptr || x.opcode != y.opcode || x.operands.size() != y.operands.size()) continue;
    bool another = CallsAnother(x, y);
    // Fusions are cut anew by every compilation: one that reads something else is another one.
    for (size_t k = 0; another && CalledInPlace(x)->is_fusion && k < x.operands.size(); ++k) {
      another = m.to_b[m.a.nodes[node].operands[k]] == m.b.nodes[m.to_b[node]].operands[k];
    }
    calls.push_back({&x, &y, another});
  }
  return calls_[{&p, &q}] = std::move(calls);
}

void FunctionMatch::CollectCalls(const Computation& p, const Computation& q,
                                 absl::flat_hash_set<std::pair<const Computation*, const Computation*>>& seen,
                                 std::vector<CallPair>& calls) {
  if (Text(p, true) == Text(q, true) || !seen.insert({&p, &q}).second) return;
  const std::vector<CallPair> here = Calls(p, q);
  for (const CallPair& call : here) {
    calls.push_back(call);
    if (!call.another) CollectCalls(*CalledInPlace(*call.a), *CalledInPlace(*call.b), seen, calls);
  }
}

void FunctionMatch::FindRedirected(const Computation& p, const Computation& q, absl::flat_hash_set<const Instruction*>& in_a,
                                   absl::flat_hash_set<const Instruction*>& in_b) {
  absl::flat_hash_set<std::pair<const Computation*, const Computation*>> seen;
  std::vector<CallPair> calls;
  CollectCalls(p, q, seen, calls);
  for (const CallPair& call : calls) {
    if (!call.another) continue;
    in_a.insert(call.a);
    in_b.insert(call.b);
  }
  // What is not laid flat in one program is not in the other.
  for (bool grown = !in_a.empty(); grown;) {
    grown = false;
    for (const CallPair& call : calls) {
      if (in_a.contains(call.a) == in_b.contains(call.b)) continue;
      in_a.insert(call.a);
      in_b.insert(call.b);
      grown = true;
    }
  }
}

}  // namespace hloscope
