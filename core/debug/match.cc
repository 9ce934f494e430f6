// Matching goes from the surest evidence to the weakest: parameters by number; where next to nothing is written otherwise, what stands under
// its name; equal structure (everything an instruction depends on) with
// equal names, then without; equal names; then from pair to pair along operands and users; then op_name. Each step only pairs what
// no step before has paired.
#include "core/debug/match.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/hash.h"
#include "core/ir/opcode.h"
#include "core/ops/op.h"
#include "core/ops/side_by_side.h"
#include "core/text/attribute_text.h"

namespace hloscope {
namespace {

class Matcher {
 public:
  Matcher(ScopeMatch& m, const std::function<bool(const Instruction&, const Instruction&)>& calls_another, const std::vector<int>* parameters,
          bool loop, const std::function<std::vector<int>(const ScopeMatch&, int)>& order_of)
      : m_(m), calls_another_(calls_another), order_of_(order_of), parameters_(parameters), loop_(loop), a_(m.a), b_(m.b), live_a_(LiveNodes(a_)), live_b_(LiveNodes(b_)), to_b_(m.to_b), to_a_(m.to_a) {
    to_b_.assign(a_.nodes.size(), -1);
    to_a_.assign(b_.nodes.size(), -1);
  }

  void Run() {
    Parameters();
    Results();
    BySameText();
    for (const bool loose : {false, true}) {
      ByHash(loose, kSameName);
      if (!loose) ByHash(loose, kSameOpName);
      if (!loose) ByHash(loose, kUnique);
    }
    CountNames();
    ByName(/*guarded=*/true);
    for (int round = 0; round < 8; ++round) {
      const int before = pairs_;
      Forward();
      Backward(/*same_opcode=*/true);
      if (pairs_ == before) break;
    }
    last_choice_ = true;
    orders_.clear();  // more is known now
    ByHash(false, kInOrder);
    ByHash(true, kUnique);
    ByName(/*guarded=*/false);
    ByOpName();
    for (int round = 0; round < 8; ++round) {
      const int before = pairs_;
      Forward();
      Backward(round % 2 == 0);
      if (pairs_ == before && round > 0) break;
    }
    Handles();
    CountNames();
  }

 private:
  enum HashRule : uint8_t { kSameName, kSameOpName, kUnique, kInOrder };

  const Instruction& A(int node) const { return *a_.nodes[node].instruction; }
  const Instruction& B(int node) const { return *b_.nodes[node].instruction; }
  bool FreeA(int node) const { return to_b_[node] < 0 && a_.nodes[node].alias < 0; }
  bool FreeB(int node) const { return to_a_[node] < 0 && b_.nodes[node].alias < 0; }

  // By node: whether the root comes from it.
  static std::vector<bool> LiveNodes(const FlatComputation& flat) {
    std::vector<bool> live(flat.nodes.size(), false);
    if (flat.root >= 0) live[flat.root] = true;
    for (auto node = flat.order.rbegin(); node != flat.order.rend(); ++node) {
      if (!live[*node]) continue;
      for (const int operand : flat.nodes[*node].operands) live[operand] = live[flat.Resolve(operand)] = live[flat.core[operand]] = true;
    }
    return live;
  }

  void Pair(int x, int y) {
    to_b_[x] = y;
    to_a_[y] = x;
    ++pairs_;
  }

  // A constant that the other program hands in has the same number, and is no pair: who reads them is.
  void PairAlike(int x, int y) {
    if (A(x).opcode == B(y).opcode) Pair(x, y);
  }

  // Whether the two may not be a pair yet, for what they call.
  bool Waits(int x, int y) const {
    return !last_choice_ && calls_another_ != nullptr && !A(x).attributes.empty() && !B(y).attributes.empty() && calls_another_(A(x), B(y));
  }

  void Parameters() {
    const Computation &a = *a_.computation, &b = *b_.computation;
    if (parameters_ != nullptr) {
      for (size_t k = 0; k < parameters_->size(); ++k) {
        if ((*parameters_)[k] >= 0) Pair(a.parameters[k]->index, b.parameters[(*parameters_)[k]]->index);
      }
      return;
    }
    absl::flat_hash_map<absl::string_view, const Instruction*> names;
    for (const Instruction* p : b.parameters) names[p->name] = p;
    if (a.parameters.size() == b.parameters.size()) {
      for (size_t k = 0; k < a.parameters.size(); ++k) Pair(a.parameters[k]->index, b.parameters[k]->index);
      return;
    }
    for (const Instruction* p : a.parameters) {
      const auto found = names.find(p->name);
      if (found != names.end() && Shape::SameTreeDimensions(p->shape, found->second->shape)) Pair(p->index, found->second->index);
    }
    for (const Instruction* p : a.parameters) {
      if (!FreeA(p->index) || p->parameter_number >= static_cast<int64_t>(b.parameters.size())) continue;
      const Instruction* q = b.parameters[p->parameter_number];
      if (FreeB(q->index) && Shape::SameTreeDimensions(p->shape, q->shape)) Pair(p->index, q->index);
    }
  }

  // What makes the tuple of the results on one side makes it on the other.
  void Results() {
    if (a_.root < 0 || b_.root < 0 || !FreeA(a_.root) || !FreeB(b_.root)) return;
    if (BuildsTuple(A(a_.root)) && BuildsTuple(B(b_.root))) Pair(a_.root, b_.root);
  }

  void CountNames() {
    int64_t all = 0, same = 0;
    for (const int node : a_.order) {
      if (to_b_[node] < 0 || a_.nodes[node].alias >= 0 || A(node).parameter_number >= 0) continue;
      ++all;
      same += A(node).name == B(to_b_[node]).name;
    }
    m_.names_kept = 2 * same >= all;
  }

  // By node: its name, and those of the calls around it.
  static std::vector<uint64_t> Paths(const FlatComputation& flat) {
    std::vector<uint64_t> paths(flat.nodes.size());
    for (size_t node = 0; node < paths.size(); ++node) {  // calls stand before what they call
      const int caller = flat.scopes[flat.nodes[node].scope].caller;
      const absl::string_view name = flat.nodes[node].instruction->name;
      paths[node] = MixHash(caller < 0 ? 1 : paths[caller], HashBytes(name.data(), name.size()));
    }
    return paths;
  }

  // Of tuples in any order.
  static bool SameOperandNames(const Instruction& x, const Instruction& y) {
    if (x.shape.IsTuple() && Def(x).op_class == OpClass::kStructural)
      return std::is_permutation(x.operands.begin(), x.operands.end(), y.operands.begin(), y.operands.end(),
                                 [](const Instruction* p, const Instruction* q) { return p->name == q->name; });
    return std::equal(x.operands.begin(), x.operands.end(), y.operands.begin(), y.operands.end(),
                      [](const Instruction* p, const Instruction* q) { return p->name == q->name; });
  }

  // Of a loop's body whose result stands in another order: whether it is the same in all that both have.
  bool SameResults() const {
    if (!loop_ || !BuildsTuple(A(a_.root)) || !BuildsTuple(B(b_.root))) return false;
    const auto &p = a_.nodes[a_.root].operands, &q = b_.nodes[b_.root].operands;
    for (size_t k = 0; k < m_.given.size() && k < p.size(); ++k) {
      const int l = m_.given[k];
      if (l >= 0 && a_.nodes[p[k]].hash != b_.nodes[q[static_cast<size_t>(l)]].hash) return false;
    }
    return true;
  }

  // A chain of like operations of which one reads something else has the structure of its neighbours; its name says which it is. Not of two
  // that are the same in all but names.
  void BySameText() {
    if (a_.root < 0 || b_.root < 0 || a_.nodes[a_.root].hash == b_.nodes[b_.root].hash || SameResults()) return;
    const auto counts = [](const FlatNode& node) { return node.alias < 0 && node.instruction->parameter_number < 0; };
    const std::vector<uint64_t> paths_a = Paths(a_), paths_b = Paths(b_);
    absl::flat_hash_map<uint64_t, int> in_b;
    for (const int node : b_.order) {
      if (counts(b_.nodes[node])) in_b[paths_b[node]] = node;
    }
    int64_t all = 0, same = 0;
    std::vector<std::pair<int, int>> pairs;
    for (const int node : a_.order) {
      if (!counts(a_.nodes[node])) continue;
      ++all;
      const auto found = in_b.find(paths_a[node]);
      if (found == in_b.end()) continue;
      const Instruction &x = A(node), &y = B(found->second);
      if (x.opcode != y.opcode || !LikeShapes(x, y) || Waits(node, found->second)) continue;
      // The element of its name may stand elsewhere in the tuple.
      if (!SameAttributes(x, y) && !(TakesElement(x) && TakesElement(y))) continue;
      same += SameOperandNames(x, y);
      pairs.emplace_back(node, found->second);
    }
    const int64_t others = std::max<int64_t>(all, static_cast<int64_t>(in_b.size())) - same;
    if (others > 1 && others * 8 > all) return;
    for (const auto& [x, y] : pairs) {
      if (FreeA(x) && FreeB(y)) Pair(x, y);
    }
  }

  void ByHash(bool loose, HashRule rule) {
    absl::flat_hash_map<uint64_t, std::vector<int>> groups_a, groups_b;
    // What the result does not come from may be left over from what is made anew beside it.
    const auto key_of = [&](const FlatComputation& flat, int node) {
      const uint64_t hash = loose ? flat.nodes[node].loose : flat.nodes[node].hash;
      const bool live = &flat == &a_ ? live_a_[node] : live_b_[node];
      return rule == kSameName || rule == kInOrder || live ? hash : MixHash(hash, 1);
    };
    for (const int node : b_.order) {
      if (FreeB(node)) groups_b[key_of(b_, node)].push_back(node);
    }
    std::vector<uint64_t> keys;
    for (const int node : a_.order) {
      if (!FreeA(node)) continue;
      const uint64_t key = key_of(a_, node);
      if (!groups_b.contains(key)) continue;
      std::vector<int>& group = groups_a[key];
      if (group.empty()) keys.push_back(key);
      group.push_back(node);
    }
    for (const uint64_t key : keys) {
      const std::vector<int>&x = groups_a[key], &y = groups_b[key];
      if (rule == kUnique && (x.size() != 1 || y.size() != 1)) continue;
      if (rule == kUnique || rule == kInOrder) {
        for (size_t k = 0; k < std::min(x.size(), y.size()); ++k) PairAlike(x[k], y[k]);
        continue;
      }
      absl::flat_hash_map<absl::string_view, std::vector<int>> named;
      const auto label = [&](const Instruction& i) { return rule == kSameName ? i.name : i.metadata.op_name; };
      for (auto node = y.rbegin(); node != y.rend(); ++node) {
        if (!label(B(*node)).empty()) named[label(B(*node))].push_back(*node);
      }
      for (const int node : x) {
        const auto found = named.find(label(A(node)));
        if (found == named.end() || found->second.empty()) continue;
        PairAlike(node, found->second.back());
        found->second.pop_back();
      }
    }
  }

  static bool StandInAnyOrder(const Instruction& i) { return i.operands.size() > 1 && (BuildsTuple(i) || SideBySideOf(i).arrays > 1); }

  std::pair<int, int> OperandsInAnyOrder(int x, int y) const {
    const auto &p = a_.nodes[x].operands, &q = b_.nodes[y].operands;
    int agree = 0, known = 0;
    for (const int operand : p) {
      const int image = to_b_[a_.core[operand]];
      if (image < 0) continue;
      ++known;
      agree += std::any_of(q.begin(), q.end(), [&](int other) { return b_.core[image] == b_.core[other]; });
    }
    return {agree, known};
  }

  // How many operand places agree, and how many are known at all.
  std::pair<int, int> Operands(int x, int y) const {
    const auto &p = a_.nodes[x].operands, &q = b_.nodes[y].operands;
    if (A(x).opcode == B(y).opcode && StandInAnyOrder(A(x))) return OperandsInAnyOrder(x, y);
    const size_t swapped = AreSwapped(m_, x, y);
    int agree = 0, known = 0;
    for (size_t k = 0; k < std::min(p.size(), q.size()); ++k) {
      const int image = to_b_[a_.core[p[k]]], other = b_.core[q[k ^ swapped]];
      if (image < 0 && to_a_[other] < 0) continue;
      ++known;
      agree += image >= 0 && b_.core[image] == other;
    }
    return {agree, known};
  }

  // First those whose calls around them have the same names too: computations say t and u each for themselves.
  void ByName(bool guarded) {
    const std::vector<uint64_t> paths_a = Paths(a_), paths_b = Paths(b_);
    for (const bool same_path : {true, false}) {
      absl::flat_hash_map<absl::string_view, std::vector<int>> named;
      for (const int node : b_.order) {
        if (FreeB(node)) named[B(node).name].push_back(node);
      }
      for (const int node : a_.order) {
        if (!FreeA(node)) continue;
        const auto found = named.find(A(node).name);
        if (found == named.end()) continue;
        const auto fits = [&](int other) {
          return FreeB(other) && (!same_path || paths_a[node] == paths_b[other]) && MayHaveName(node, other, guarded);
        };
        const auto other = std::find_if(found->second.begin(), found->second.end(), fits);
        if (other != found->second.end()) Pair(node, *other);
      }
    }
  }

  bool MayHaveName(int node, int other, bool guarded) const {
    if (!LikeShapes(A(node), B(other)) || A(node).parameter_number >= 0 || B(other).parameter_number >= 0) return false;
    if (!m_.names_kept && Operands(node, other).first == 0) return false;  // where all is named anew, one name says nothing
    if (!guarded && !BuildsTuple(A(node))) return true;                    // tuples have but their elements
    if (A(node).opcode != B(other).opcode || Waits(node, other)) return false;
    const auto [agree, known] = Operands(node, other);
    const bool same_op_name = !A(node).metadata.op_name.empty() && A(node).metadata.op_name == B(other).metadata.op_name;
    return known == 0 || agree > 0 || same_op_name;
  }

  void ByOpName() {
    absl::flat_hash_map<std::string, std::vector<int>> named[2];
    const auto key = [](const Instruction& i) { return absl::StrCat(i.metadata.op_name, "\n", Name(i.opcode)); };
    for (const int node : a_.order) {
      if (FreeA(node) && !A(node).metadata.op_name.empty()) named[0][key(A(node))].push_back(node);
    }
    for (const int node : b_.order) {
      if (FreeB(node) && !B(node).metadata.op_name.empty()) named[1][key(B(node))].push_back(node);
    }
    for (const int node : a_.order) {
      if (!FreeA(node) || A(node).metadata.op_name.empty()) continue;
      const std::string text = key(A(node));
      const auto found = named[1].find(text);
      if (found == named[1].end() || found->second.size() != 1 || named[0][text].size() != 1) continue;
      if (FreeB(found->second[0]) && LikeShapes(A(node), B(found->second[0]))) Pair(node, found->second[0]);
    }
  }

  bool SameAttributes(const Instruction& x, const Instruction& y) const {
    if (x.attributes.size() != y.attributes.size()) return false;
    for (const Attribute& attribute : x.attributes) {
      if (IsComputation(attribute)) continue;
      const Attribute* other = nullptr;
      for (const Attribute& candidate : y.attributes) {
        if (candidate.id == attribute.id && NameOf(candidate) == NameOf(attribute)) other = &candidate;
      }
      if (other == nullptr || !SameAttributeValue(attribute.value, other->value)) return false;
    }
    return true;
  }

  // Of two operations of one kind on the same operands: whether these are not one that changed. What the result does not come from
  // has not become what it comes from; elements of a tuple that has more elsewhere are paired by who reads them, before the last choice.
  bool AreOtherReaders(int x, int y) const {
    const bool same = SameAttributes(A(x), B(y));
    if (live_a_[x] != live_b_[y] && !(same && last_choice_)) return true;
    if (!TakesElement(A(x)) || !TakesElement(B(y))) return false;
    const bool as_many = A(x).operands[0]->shape.tuple_shapes().size() == B(y).operands[0]->shape.tuple_shapes().size();
    return !(same && as_many) && !(last_choice_ && live_a_[x]);
  }

  // From operands to those who read them.
  void Forward() {
    constexpr size_t kMany = 256;  // readers of one value
    for (const int node : a_.order) {
      if (!FreeA(node) || a_.nodes[node].operands.empty()) continue;
      int best = -1, best_score = 0;
      for (const int operand : a_.nodes[node].operands) {
        const int image = to_b_[a_.core[operand]];
        if (image < 0) continue;
        const std::vector<int>& users = b_.users[b_.core[image]];
        for (size_t k = 0; k < std::min(users.size(), kMany); ++k) {
          const int other = users[k];
          if (!FreeB(other) || A(node).opcode != B(other).opcode || !LikeShapes(A(node), B(other))) continue;
          if (a_.nodes[node].operands.size() != b_.nodes[other].operands.size()) continue;
          const auto [agree, known] = Operands(node, other);
          const bool same_op_name = !A(node).metadata.op_name.empty() && A(node).metadata.op_name == B(other).metadata.op_name;
          const bool same_name = A(node).name == B(other).name;
          if (!same_name && !same_op_name && AreOtherReaders(node, other)) continue;
          if (agree == 0 || (agree < known && !same_op_name && !same_name) || Waits(node, other)) continue;
          const int score = 4 * agree + 6 * same_name + 3 * same_op_name + 2 * SameAttributes(A(node), B(other)) + 1;
          if (score > best_score) {
            best = other;
            best_score = score;
          }
        }
      }
      if (best >= 0) Pair(node, best);
    }
  }

  // Of a pair of tuples that a pair of loops begins with: what the loops make of the elements says which is which, wherever they stand, and
  // also of constants of one value. Null: they are no such tuples, or it is not known.
  const std::vector<int>* OrderInLoop(int x, int y) {
    if (order_of_ == nullptr || !BuildsTuple(A(x)) || !BuildsTuple(B(y))) return nullptr;
    for (const int loop : a_.users[x]) {
      const int other = to_b_[loop];
      if (other < 0 || a_.nodes[loop].alias >= 0 || Def(A(loop)).control != ControlKind::kWhile) continue;
      if (Def(B(other)).control != ControlKind::kWhile || b_.core[b_.nodes[other].operands[0]] != y) continue;
      const auto [entry, fresh] = orders_.try_emplace(loop);
      if (fresh) entry->second = order_of_(m_, loop);
      if (entry->second.size() == a_.nodes[x].operands.size()) return &entry->second;
    }
    return nullptr;
  }

  // From readers to what they read.
  void Backward(bool same_opcode) {
    if (a_.root >= 0 && b_.root >= 0) Reach(a_.root, b_.root, same_opcode);
    for (auto node = a_.order.rbegin(); node != a_.order.rend(); ++node) {
      const int other = to_b_[*node];
      if (other < 0 || a_.nodes[*node].alias >= 0) continue;
      const auto &p = a_.nodes[*node].operands, &q = b_.nodes[other].operands;
      if (const std::vector<int>* order = OrderInLoop(*node, other); order != nullptr) {
        for (size_t k = 0; k < p.size(); ++k) {
          if ((*order)[k] >= 0) Reach(p[k], q[static_cast<size_t>((*order)[k])], same_opcode);
        }
        continue;
      }
      if (p.size() != q.size()) {
        if (A(*node).shape.IsTuple() && Def(A(*node)).op_class == OpClass::kStructural) ReachElements(p, q, same_opcode);
        continue;
      }
      if (loop_ && *node == a_.root && other == b_.root && m_.given.size() == p.size()) {
        for (size_t k = 0; k < p.size(); ++k) {
          if (m_.given[k] >= 0) Reach(p[k], q[static_cast<size_t>(m_.given[k])], same_opcode);
        }
        continue;
      }
      const size_t swapped = AreSwapped(m_, *node, other);
      for (size_t k = 0; k < p.size(); ++k) Reach(p[k], q[k ^ swapped], same_opcode);
    }
  }

  // Of a tuple that has more elements in one program: where only one on each side without a partner is such an operation, it is the same. Not of
  // constants, which have nothing else in common.
  template <typename Operands>
  void ReachElements(const Operands& p, const Operands& q, bool same_opcode) {
    const auto may_be = [&](int x, int y) {
      return FreeA(x) && FreeB(y) && A(x).opcode == B(y).opcode && LikeShapes(A(x), B(y)) && live_a_[x] == live_b_[y];
    };
    for (const int x : p) {
      if (a_.nodes[x].operands.empty()) continue;
      const auto y = std::find_if(q.begin(), q.end(), [&](int node) { return may_be(x, node); });
      if (y == q.end() || std::count_if(q.begin(), q.end(), [&](int node) { return may_be(x, node); }) != 1) continue;
      if (std::count_if(p.begin(), p.end(), [&](int node) { return may_be(node, *y); }) == 1) Reach(x, *y, same_opcode);
    }
  }

  // Whether all that reads the one for the result has its partner in what reads the other.
  bool AreReadAlike(int x, int y) const {
    if (x == a_.root || y == b_.root) return x == a_.root && y == b_.root;
    const std::vector<int>&p = a_.users[x], &q = b_.users[y];
    const auto live_b = std::count_if(q.begin(), q.end(), [&](int user) { return live_b_[user]; });
    const auto live_a = std::count_if(p.begin(), p.end(), [&](int user) { return live_a_[user]; });
    return live_a > 0 && live_a == live_b && std::all_of(p.begin(), p.end(), [&](int user) {
      return !live_a_[user] || (to_b_[user] >= 0 && std::find(q.begin(), q.end(), to_b_[user]) != q.end());
    });
  }

  void Reach(int x, int y, bool same_opcode) {
    if (!FreeA(x)) x = a_.core[x];
    if (!FreeB(y)) y = b_.core[y];
    if (!FreeA(x) || !FreeB(y)) return;
    if (A(x).parameter_number >= 0 || B(y).parameter_number >= 0) return;
    if (same_opcode ? A(x).opcode != B(y).opcode : (A(x).literal != nullptr) != (B(y).literal != nullptr)) return;
    if (!LikeShapes(A(x), B(y))) return;
    const auto [agree, known] = Operands(x, y);
    if (!same_opcode && (agree < known || (known == 0 && a_.nodes[x].operands.size() + b_.nodes[y].operands.size() > 0))) return;
    if (same_opcode && known > 0 && agree == 0 && A(x).name != B(y).name && !(last_choice_ && AreReadAlike(x, y))) return;
    if (Waits(x, y)) return;
    Pair(x, y);
  }

  // Calls and fusions whose results are a pair, and elements of tuples.
  void Handles() {
    absl::flat_hash_map<absl::string_view, std::vector<int>> named;
    for (const int node : b_.order) {
      if (b_.nodes[node].alias >= 0 && to_a_[node] < 0) named[B(node).name].push_back(node);
    }
    absl::flat_hash_map<int, std::vector<int>> of;
    for (const auto& [name, nodes] : named) {
      for (const int node : nodes) of[b_.nodes[node].alias].push_back(node);
    }
    for (auto& [node, handles] : of) std::sort(handles.begin(), handles.end());
    for (const int pass : {0, 1}) {
      for (const int node : a_.order) {
        if (a_.nodes[node].alias < 0 || to_b_[node] >= 0) continue;
        if (pass == 0) {
          const auto found = named.find(A(node).name);
          if (found == named.end()) continue;
          for (const int other : found->second) {
            if (to_a_[other] < 0 && A(node).opcode == B(other).opcode && Shape::SameTreeDimensions(A(node).shape, B(other).shape)) {
              Pair(node, other);
              break;
            }
          }
          continue;
        }
        const int image = to_b_[a_.nodes[node].alias];
        if (image < 0) continue;
        for (const int other : of[image]) {
          if (to_a_[other] < 0 && A(node).opcode == B(other).opcode) {
            Pair(node, other);
            break;
          }
        }
      }
    }
  }

  ScopeMatch& m_;
  const std::function<bool(const Instruction&, const Instruction&)>& calls_another_;
  const std::function<std::vector<int>(const ScopeMatch&, int)>& order_of_;
  absl::flat_hash_map<int, std::vector<int>> orders_;  // of loops, by node of a
  const std::vector<int>* parameters_;
  const bool loop_;
  bool last_choice_ = false;
  const FlatComputation &a_, &b_;
  const std::vector<bool> live_a_, live_b_;
  std::vector<int>&to_b_, &to_a_;
  int pairs_ = 0;
};

}  // namespace

bool LikeShapes(const Instruction& a, const Instruction& b) {
  if (Shape::SameTreeDimensions(a.shape, b.shape)) return true;
  if (a.opcode != b.opcode || !a.shape.IsTuple() || !b.shape.IsTuple()) return false;
  const ControlKind control = Def(a).control;
  return Def(a).op_class == OpClass::kStructural || control == ControlKind::kWhile || control == ControlKind::kConditional ||
         SideBySideOf(a).arrays > 1;
}

bool AreSwapped(const ScopeMatch& m, int x, int y) {
  const FlatNode &a = m.a.nodes[x], &b = m.b.nodes[y];
  if (a.operands.size() != 2 || b.operands.size() != 2 || !Commutes(*a.instruction) || !Commutes(*b.instruction)) return false;
  const auto likeness = [&](int p, int q) {
    const int image = m.to_b[m.a.core[p]];
    if (image >= 0) return m.b.core[image] == m.b.core[q] ? 3 : 0;
    if (m.to_a[m.b.core[q]] >= 0) return 0;
    return m.a.nodes[p].hash == m.b.nodes[q].hash ? 2 : m.a.nodes[p].instruction->opcode == m.b.nodes[q].instruction->opcode ? 1 : 0;
  };
  return likeness(a.operands[0], b.operands[1]) + likeness(a.operands[1], b.operands[0]) >
         likeness(a.operands[0], b.operands[0]) + likeness(a.operands[1], b.operands[1]);
}

size_t OperandInB(const ScopeMatch& m, int node, size_t k) {
  const auto handed = m.handed.find(node);
  if (handed == m.handed.end()) return k;
  const Instruction &a = *m.a.nodes[node].instruction, &b = *m.b.nodes[m.to_b[node]].instruction;
  const SideBySide side = SideBySideOf(a), other = SideBySideOf(b);
  if (side.arrays == 0 || side.arrays != other.arrays || a.operands.size() != b.operands.size()) return k;
  const SidePlace place = side.operand(static_cast<int>(k), side.arrays);
  if (place.array < 0 || handed->second[place.array] < 0) return k;
  for (size_t l = 0; l < b.operands.size(); ++l) {
    const SidePlace there = other.operand(static_cast<int>(l), other.arrays);
    if (there.array == handed->second[place.array] && there.role == place.role) return l;
  }
  return k;
}

void PairUp(ScopeMatch& m, const std::function<bool(const Instruction&, const Instruction&)>& calls_another,
            const std::vector<int>* parameters, bool loop, const std::function<std::vector<int>(const ScopeMatch&, int)>& order_of) {
  Matcher(m, calls_another, parameters, loop, order_of).Run();
}

}  // namespace hloscope
