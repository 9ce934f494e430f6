// Two programs side by side: every pair of computations that are called from a pair of instructions is matched, and what differs is listed.
// Finding the pairs is match.cc's.
#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/debug/compare_values.h"
#include "core/debug/match.h"
#include "core/debug/match_functions.h"
#include "core/debug/match_handed.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/ops/op.h"
#include "core/text/attribute_text.h"

namespace hloscope {
namespace {

bool SameLiteral(const ConstantLiteral* a, const ConstantLiteral* b) {
  if (a == nullptr || b == nullptr) return a == b;
  if (a->elided || b->elided) return a->elided == b->elided;
  if (!a->value.has_value() || !b->value.has_value()) return a->value.has_value() == b->value.has_value();
  const Shape &x = a->value.shape(), &y = b->value.shape();
  if (Shape::Compatible(x, y)) return Value::BitEqual(a->value, b->value);
  // In another precision the same numbers.
  return x.IsArray() && y.IsArray() && Shape::SameDimensions(x, y) && AreLikeTypes(x.element_type(), y.element_type()) && CompareConstants(b->value, a->value, ElementType::kF64).beyond == 0;
}

std::string LiteralText(const Instruction& i) {
  if (i.literal == nullptr) return "none";
  if (i.literal->elided) return "{...}";
  return Cut(PrintLiteral(i.literal->value, 64), 60);
}

// The first element in which two literals of one shape differ.
std::string LiteralChange(const Instruction& a, const Instruction& b) {
  if (a.literal != nullptr && b.literal != nullptr && !a.literal->elided && !b.literal->elided && a.literal->value.has_value() && b.literal->value.has_value() &&
      a.literal->value.shape().IsArray() && Shape::Compatible(a.literal->value.shape(), b.literal->value.shape()) && a.literal->value.IsDense() &&
      b.literal->value.IsDense() && a.literal->value.element_count() > 8) {
    const Value &x = a.literal->value, &y = b.literal->value;
    const int bytes = StorageBytes(x.shape().element_type());
    int64_t first = -1, differing = 0;
    for (int64_t i = 0; i < x.element_count(); ++i) {
      if (std::memcmp(x.data() + i * bytes, y.data() + i * bytes, bytes) != 0 && ++differing == 1) first = i;
    }
    std::string index;
    std::vector<int64_t> at(x.shape().rank());
    DelinearizeIndex(x.shape().dimensions(), first, absl::MakeSpan(at));
    for (int64_t k : at) absl::StrAppend(&index, index.empty() ? "" : ",", k);
    const ElementType type = x.shape().element_type();
    return absl::StrCat("constant, ", differing, " of ", x.element_count(), " elements, first [", index, "]: ", ToText(LoadScalar(type, x.data() + first * bytes)), " -> ",
                        ToText(LoadScalar(type, y.data() + first * bytes)));
  }
  return absl::StrCat("constant ", LiteralText(a), " -> ", LiteralText(b));
}

// Pairs whose order is not the other program's: all but a longest rising run.
std::vector<int> Moved(const ScopeMatch& m) {
  std::vector<int> rank(m.b.nodes.size());
  for (size_t k = 0; k < m.b.order.size(); ++k) rank[m.b.order[k]] = static_cast<int>(k);
  std::vector<int> nodes;
  for (const int node : m.a.order) {
    const Instruction& i = *m.a.nodes[node].instruction;
    if (m.to_b[node] < 0 || m.a.nodes[node].alias >= 0 || i.parameter_number >= 0 || i.literal != nullptr) continue;
    if (m.a.nodes[node].scope != 0 || m.b.nodes[m.to_b[node]].scope != 0) continue;
    nodes.push_back(node);
  }
  std::vector<int> tails, before(nodes.size(), -1);  // places in `nodes`
  for (size_t k = 0; k < nodes.size(); ++k) {
    const int value = rank[m.to_b[nodes[k]]];
    const auto at = std::lower_bound(tails.begin(), tails.end(), value, [&](int t, int v) { return rank[m.to_b[nodes[t]]] < v; });
    if (at != tails.begin()) before[k] = *(at - 1);
    if (at == tails.end()) tails.push_back(static_cast<int>(k));
    else *at = static_cast<int>(k);
  }
  std::vector<bool> kept(nodes.size(), false);
  for (int k = tails.empty() ? -1 : tails.back(); k >= 0; k = before[k]) kept[k] = true;
  std::vector<int> moved;
  for (size_t k = 0; k < nodes.size(); ++k) {
    if (!kept[k]) moved.push_back(nodes[k]);
  }
  return moved;
}

class Comparer {
 public:
  Comparer(const Module& a, const Module& b) : a_(a), b_(b), functions_(a, b, numbers_a_, numbers_b_), handed_(numbers_a_, numbers_b_) {}

  ProgramMatch Run() {
    Match(*a_.entry, *b_.entry);
    for (size_t k = 0; k < result_.scopes.size(); ++k) Called(static_cast<int>(k));
    // What only one program calls there, or the two call in different places.
    AddCalled(other_a_);
    AddCalled(other_b_);
    MatchUnmet();
    FindReordered(result_);
    for (const auto& scope : result_.scopes) Tally(*scope);
    for (const auto& scope : result_.scopes) List(*scope);
    for (const Computation* c : other_a_) ListAlone(*c, met_a_, StructuralChange::kRemoved);
    for (const Computation* c : other_b_) ListAlone(*c, met_b_, StructuralChange::kAdded);
    return std::move(result_);
  }

 private:
  // One pair of computations that is given its elements in several orders is several pairs.
  int Match(const Computation& a, const Computation& b, const HandedPair& given = {}) {
    const auto [entry, fresh] = pairs_.try_emplace({{&a, &b}, {given.order, given.parameters}}, static_cast<int>(result_.scopes.size()));
    if (!fresh) return entry->second;
    auto scope = std::make_unique<ScopeMatch>();
    absl::flat_hash_set<const Instruction*> stay_a, stay_b;
    functions_.FindRedirected(a, b, stay_a, stay_b);
    scope->a = LayFlat(a, [&](const Instruction& i) { return stay_a.contains(&i); });
    scope->b = LayFlat(b, [&](const Instruction& i) { return stay_b.contains(&i); });
    numbers_a_.Fill(scope->a, given.a.empty() ? nullptr : &given.a);
    numbers_b_.Fill(scope->b, given.b.empty() ? nullptr : &given.b);
    scope->given = given.order;
    PairUp(*scope, [this](const Instruction& x, const Instruction& y) { return functions_.CallsAnother(x, y); },
           given.parameters.empty() ? nullptr : &given.parameters, given.loop, [this](const ScopeMatch& m, int node) { return handed_.OrderAt(m, node); });
    for (const FlatScope& s : scope->a.scopes) met_a_.insert(s.computation);
    for (const FlatScope& s : scope->b.scopes) met_b_.insert(s.computation);
    result_.scopes.push_back(std::move(scope));
    return entry->second;
  }

  void Called(int number) {
    // What only a removed or an added instruction runs goes with it.
    const auto alone = [](const FlatComputation& flat, const std::vector<int>& partner, std::vector<const Computation*>& others) {
      for (const int node : flat.order) {
        const FlatNode& x = flat.nodes[node];
        if (partner[node] >= 0 || x.alias >= 0) continue;
        for (const Computation* c : x.instruction->CalledComputations()) others.push_back(c);
      }
    };
    alone(result_.scopes[number]->a, result_.scopes[number]->to_b, other_a_);
    alone(result_.scopes[number]->b, result_.scopes[number]->to_a, other_b_);
    for (const int node : result_.scopes[number]->a.order) {
      const ScopeMatch& scope = *result_.scopes[number];
      const FlatNode& x = scope.a.nodes[node];
      if (scope.to_b[node] < 0 || x.alias >= 0) continue;
      const std::vector<Computation*> p = x.instruction->CalledComputations();
      const std::vector<Computation*> q = scope.b.nodes[scope.to_b[node]].instruction->CalledComputations();
      const std::vector<int> order = handed_.OrderAt(scope, node);
      if (!order.empty()) result_.scopes[number]->handed[node] = order;
      // Of a conditional that has lost or gained branches, those that stay where they were.
      for (size_t k = std::min(p.size(), q.size()); k < std::max(p.size(), q.size()); ++k) {
        result_.scopes[number]->redirected.insert(node);
        if (k < p.size()) other_a_.push_back(p[k]);
        if (k < q.size()) other_b_.push_back(q[k]);
      }
      for (size_t k = 0; k < std::min(p.size(), q.size()); ++k) {
        if (functions_.IsAnother(*p[k], *q[k])) {
          result_.scopes[number]->redirected.insert(node);
          other_a_.push_back(p[k]);
          other_b_.push_back(q[k]);
          continue;
        }
        const int inner = Match(*p[k], *q[k], handed_.At(*result_.scopes[number], node, static_cast<int>(k), order));
        result_.scopes[number]->called[{node, static_cast<int>(k)}] = inner;
      }
    }
  }

  // With all that these call, the callers first.
  static void AddCalled(std::vector<const Computation*>& list) {
    absl::flat_hash_set<const Computation*> met;
    const std::vector<const Computation*> given = std::move(list);
    list.clear();
    const auto add = [&](const Computation* c) {
      if (met.insert(c).second) list.push_back(c);
    };
    for (const Computation* c : given) add(c);
    for (size_t k = 0; k < list.size(); ++k) {
      for (const Instruction* i : list[k]->schedule) {
        for (const Computation* next : i->CalledComputations()) add(next);
      }
    }
  }

  void MatchUnmet() {
    size_t done = result_.scopes.size();
    const auto match = [&](const Computation* p, const Computation* q) {
      if (p == nullptr || q == nullptr) return;
      Match(*p, *q);
      for (; done < result_.scopes.size(); ++done) Called(static_cast<int>(done));
    };
    for (const Computation* p : std::vector<const Computation*>(other_a_)) {
      if (!met_a_.contains(p)) match(p, functions_.InB(*p));
    }
    for (const Computation* q : std::vector<const Computation*>(other_b_)) {
      if (!met_b_.contains(q)) match(functions_.InA(*q), q);
    }
  }

  void Add(StructuralChange::Kind kind, const Instruction* a, const Instruction* b, std::vector<std::string> what = {}) {
    const auto [known, fresh] = seen_.try_emplace({kind, {a, b}}, result_.changes.size());
    if (!fresh) {
      std::vector<std::string>& told = result_.changes[known->second].what;
      for (std::string& text : what) {
        if (std::find(told.begin(), told.end(), text) == told.end()) told.push_back(std::move(text));
      }
      return;
    }
    const Computation* as_it_was = kind == StructuralChange::kChanged ? functions_.InB(*a->parent) : nullptr;
    if (as_it_was != nullptr && as_it_was == b->parent) as_it_was = nullptr;
    result_.changes.push_back({kind, a, b, std::move(what), as_it_was});
  }

  void ListAlone(const Computation& computation, const absl::flat_hash_set<const Computation*>& met, StructuralChange::Kind kind) {
    if (met.contains(&computation)) return;
    for (const Instruction* i : computation.schedule) {
      if (i->parameter_number >= 0) continue;
      Add(kind, kind == StructuralChange::kRemoved ? i : nullptr, kind == StructuralChange::kRemoved ? nullptr : i);
    }
  }

  // A function's instructions stand wherever it is called: what has a partner at one of these places is in both programs.
  void Tally(const ScopeMatch& m) {
    for (const int node : m.a.order) {
      const FlatNode& x = m.a.nodes[node];
      if (m.to_b[node] < 0) continue;
      const FlatNode& y = m.b.nodes[m.to_b[node]];
      b_instructions_.insert(y.instruction);
      if (!a_instructions_.insert(x.instruction).second) continue;
      ++result_.matched;
      result_.identical += x.hash == y.hash;
    }
  }

  void List(ScopeMatch& m) {
    for (const int node : m.a.order) {
      const FlatNode& x = m.a.nodes[node];
      const int other = m.to_b[node];
      if (other < 0) {
        // A parameter of what is called in place is no more than its argument; an element of a tuple no more than the element.
        const bool handle = x.alias >= 0 && (x.instruction->parameter_number >= 0 || TakesElement(*x.instruction));
        if (!handle && !a_instructions_.contains(x.instruction)) Add(StructuralChange::kRemoved, x.instruction, nullptr);
        continue;
      }
      const FlatNode& y = m.b.nodes[other];
      if (x.alias < 0 || y.alias < 0) {
        std::vector<std::string> what = Changes(m, node, other, x.alias < 0 && y.alias < 0 && AreSwapped(m, node, other));
        if (!what.empty()) Add(StructuralChange::kChanged, x.instruction, y.instruction, std::move(what));
      }
      const Shape &shape_a = x.instruction->shape, &shape_b = y.instruction->shape;
      if (!m.changed.contains(node) && shape_a != shape_b && Shape::Compatible(shape_a, shape_b))
        result_.layouts += other_layout_.insert(x.instruction).second;
      // A call of another function with the same text: both are there, under their names.
      const Computation *same_a = functions_.InB(*x.instruction->parent), *same_b = functions_.InA(*y.instruction->parent);
      const bool both_stay = same_a != nullptr && same_b != nullptr && same_a != y.instruction->parent;
      if (x.instruction->name != y.instruction->name && !both_stay) Add(StructuralChange::kRenamed, x.instruction, y.instruction);
    }
    for (const int node : m.b.order) {
      const FlatNode& y = m.b.nodes[node];
      if (m.to_a[node] >= 0) continue;
      const bool handle = y.alias >= 0 && (y.instruction->parameter_number >= 0 || TakesElement(*y.instruction));
      if (!handle && !b_instructions_.contains(y.instruction)) Add(StructuralChange::kAdded, nullptr, y.instruction);
    }
    for (const int node : Moved(m)) Add(StructuralChange::kMoved, m.a.nodes[node].instruction, m.b.nodes[m.to_b[node]].instruction);
  }

  // Tuples with more or fewer elements, or in another order: who makes them tells which; a loop tells its shape.
  static bool ToldByMakers(const ScopeMatch& m, int node, int other) {
    const Instruction& a = *m.a.nodes[node].instruction;
    const Shape &p = a.shape, &q = m.b.nodes[other].instruction->shape;
    if (!p.IsTuple() || !q.IsTuple()) return false;
    if (p.tuple_shapes().size() != q.tuple_shapes().size()) return m.reordered.contains(node) || a.parameter_number >= 0;
    const auto made = m.reordered.find(node), handed = m.handed.find(node);
    const std::vector<int>* order = made != m.reordered.end() ? &made->second : handed != m.handed.end() ? &handed->second : nullptr;
    if (order == nullptr && a.parameter_number >= 0) order = &m.given;
    if (order == nullptr || order->size() != p.tuple_shapes().size()) return false;
    for (size_t k = 0; k < order->size(); ++k) {
      if ((*order)[k] < 0 || !Shape::Compatible(p.tuple_shapes()[k], q.tuple_shapes()[static_cast<size_t>((*order)[k])])) return false;
    }
    return true;
  }

  // Two that take the same element out of tuples of which one has more.
  static bool TakeTheSame(const ScopeMatch& m, const FlatNode& x, const FlatNode& y) {
    if (!TakesElement(*x.instruction) || !TakesElement(*y.instruction)) return false;
    const auto order = m.taken.find(x.operands[0]);
    if (order == m.taken.end() || m.to_b[x.operands[0]] != y.operands[0]) return false;
    const auto k = static_cast<size_t>(x.instruction->Int(AttrId::kIndex));
    return k < order->second.size() && order->second[k] == y.instruction->Int(AttrId::kIndex);
  }

  static void Elements(const ScopeMatch& m, const FlatNode& x, const FlatNode& y, const std::vector<int>& order,
                       std::vector<std::string>& what) {
    for (size_t k = 0; k < order.size(); ++k) {
      if (order[k] < 0) what.push_back(absl::StrCat("element ", k, ", ", ShownName(*m.a.nodes[x.operands[k]].instruction), ", removed"));
    }
    for (size_t l = 0; l < y.operands.size(); ++l) {
      if (std::find(order.begin(), order.end(), static_cast<int>(l)) == order.end())
        what.push_back(absl::StrCat("element ", l, ", ", ShownName(*m.b.nodes[y.operands[l]].instruction), ", added"));
    }
  }

  // What the pair itself has changed; ScopeMatch::changed has with it what it is given otherwise by the call around it.
  std::vector<std::string> Changes(ScopeMatch& m, int node, int other, bool swapped) {
    const FlatNode &x = m.a.nodes[node], &y = m.b.nodes[other];
    const Instruction &a = *x.instruction, &b = *y.instruction;
    std::vector<std::string> what, given;
    if (a.opcode != b.opcode) what.push_back(absl::StrCat("operation ", Name(a.opcode), " -> ", Name(b.opcode)));
    if (!Shape::Compatible(a.shape, b.shape) && !ToldByMakers(m, node, other))
      what.push_back(absl::StrCat("shape ", Cut(a.shape.ToString(false), 80), " -> ", Cut(b.shape.ToString(false), 80)));
    if (!SameLiteral(a.literal.get(), b.literal.get())) what.push_back(LiteralChange(a, b));
    const bool takes = TakesElement(a) && TakesElement(b);
    const size_t before = what.size();
    if (!TakeTheSame(m, x, y)) Attributes(a, b, what);
    const bool same_operation = a.opcode == b.opcode && a.literal == nullptr && (takes || what.size() == before) &&
                                (a.shape.IsTuple() || Shape::SameTreeDimensions(a.shape, b.shape));
    const auto order = m.reordered.find(node);
    const bool other_size = order != m.reordered.end() && x.operands.size() != y.operands.size() && BuildsTuple(a);
    if (other_size)
      Elements(m, x, y, order->second, what);
    else if (x.operands.size() != y.operands.size())
      what.push_back(absl::StrCat(Count(static_cast<int64_t>(x.operands.size()), "operand"), " -> ", y.operands.size()));
    for (size_t k = 0; (other_size || x.operands.size() == y.operands.size()) && k < x.operands.size(); ++k) {
      if (other_size && order->second[k] < 0) continue;
      const size_t l = other_size ? static_cast<size_t>(order->second[k]) : OperandInB(m, node, k) ^ static_cast<size_t>(swapped);
      if (m.to_b[x.operands[k]] == y.operands[l]) continue;
      const int p = m.a.core[x.operands[k]], q = m.b.core[y.operands[l]];
      const int image = m.to_b[p];
      if (image >= 0 && m.b.core[image] == q) continue;
      const Use at = Outwards(m, {node, static_cast<int>(k), other, static_cast<int>(l)});
      const Instruction &caller_a = *m.a.nodes[at.a].instruction, &caller_b = *m.b.nodes[at.b].instruction;
      const bool own = at.a == node;
      const std::string names =
          own ? Names(*m.a.nodes[x.operands[k]].instruction, *m.b.nodes[y.operands[l]].instruction, *a.operands[k], *b.operands[l])
              : Names(*caller_a.operands[at.operand_a], *caller_b.operands[at.operand_b], *a.operands[k], *b.operands[l]);
      const std::pair<std::string, std::string> sides = absl::StrSplit(names, absl::MaxSplits(" -> ", 1));
      const std::string text = absl::StrCat("operand ", at.operand_a, ": ", names,
                                            sides.first == sides.second ? OfSameName(m, x.operands[k], y.operands[l]) : "");
      if (own) {
        what.push_back(text);
        continue;
      }
      given.push_back(absl::StrCat(ShownName(caller_a), " in ", caller_a.parent->name, ": ", text));
      Add(StructuralChange::kChanged, &caller_a, &caller_b, {text});
    }
    if (what.empty() && given.empty()) return what;
    if (same_operation && !m.names_kept) m.rewired.insert(node);
    const bool precision = what.size() == 1 && given.empty() && a.literal == nullptr && Shape::SameTreeDimensions(a.shape, b.shape);
    if (precision && a.opcode == b.opcode && !Shape::Compatible(a.shape, b.shape) && !ToldByMakers(m, node, other)) m.retyped.insert(node);
    std::vector<std::string>& all = m.changed[node] = what;
    all.insert(all.end(), given.begin(), given.end());
    return what;
  }

  // Two that make a value, which a text may name otherwise: the calls that hand them on.
  static std::string Names(const Instruction& a, const Instruction& b, const Instruction& written_a, const Instruction& written_b) {
    if (a.name != b.name) return absl::StrCat(ShownName(a), " -> ", ShownName(b));
    if (written_a.name != written_b.name) return absl::StrCat(ShownName(written_a), " -> ", ShownName(written_b));
    if (a.parent->name == b.parent->name || (a.parent->is_entry && b.parent->is_entry)) return absl::StrCat(ShownName(a), " -> ", ShownName(b));
    return absl::StrCat(ShownName(a), " in ", a.parent->name, " -> ", ShownName(b), " in ", b.parent->name);
  }

  // Of two values with one name, which of a that of b is.
  static std::string OfSameName(const ScopeMatch& m, int in_a, int in_b) {
    const Instruction &p = *m.a.nodes[in_a].instruction, &q = *m.b.nodes[in_b].instruction;
    const int was = m.to_a[in_b];
    if (was < 0) return absl::StrCat(" (", ShownName(q), " of b is another one, in b alone)");
    const Instruction& then = *m.a.nodes[was].instruction;
    return absl::StrCat(" (", ShownName(q), " of b is ", ShownName(then), then.parent == p.parent ? "" : absl::StrCat(" in ", then.parent->name),
                        " of a)");
  }

  // An operand of a pair.
  struct Use {
    int a, operand_a, b, operand_b;
  };

  // Of what both are given by their callers: the calls where it is no parameter any more.
  static Use Outwards(const ScopeMatch& m, Use use) {
    for (;;) {
      const FlatNode &x = m.a.nodes[use.a], &y = m.b.nodes[use.b];
      const Instruction *p = x.instruction->operands[use.operand_a], *q = y.instruction->operands[use.operand_b];
      const Use out{m.a.scopes[x.scope].caller, static_cast<int>(p->parameter_number), m.b.scopes[y.scope].caller,
                    static_cast<int>(q->parameter_number)};
      if (out.a < 0 || out.b < 0 || out.operand_a < 0 || out.operand_a != out.operand_b) return use;
      use = out;
    }
  }

  void Attributes(const Instruction& a, const Instruction& b, std::vector<std::string>& what) {
    const auto find = [](const Instruction& i, const Attribute& like) -> const Attribute* {
      for (const Attribute& candidate : i.attributes) {
        if (candidate.id == like.id && NameOf(candidate) == NameOf(like)) return &candidate;
      }
      return nullptr;
    };
    for (const Attribute& attribute : a.attributes) {
      if (IsComputation(attribute)) continue;
      const Attribute* other = find(b, attribute);
      if (other != nullptr && SameAttributeValue(attribute.value, other->value)) continue;
      what.push_back(absl::StrCat(NameOf(attribute), "=", Cut(AttributeText(attribute), 80), " -> ", other == nullptr ? "absent" : Cut(AttributeText(*other), 80)));
    }
    for (const Attribute& attribute : b.attributes) {
      if (!IsComputation(attribute) && find(a, attribute) == nullptr) what.push_back(absl::StrCat(NameOf(attribute), " absent -> ", Cut(AttributeText(attribute), 80)));
    }
    if (!SameRawText(a.backend_config, b.backend_config)) what.push_back(absl::StrCat("backend_config ", a.backend_config.empty() ? "absent" : Cut(a.backend_config, 60), " -> ", b.backend_config.empty() ? "absent" : Cut(b.backend_config, 60)));
    CalledAttributes(a, b, what);
  }

  static std::vector<Computation*> Computations(const Attribute& attribute) {
    if (const auto* one = std::get_if<Computation*>(&attribute.value)) return {*one};
    return std::get<std::vector<Computation*>>(attribute.value);
  }

  static std::string NamesOf(const std::vector<Computation*>& computations, bool list) {
    const std::string names = absl::StrJoin(
        computations, ",", [](std::string* out, const Computation* c) { absl::StrAppend(out, c == nullptr ? "none" : c->name); });
    return list ? absl::StrCat("{", Cut(names, 80), "}") : names;
  }

  // Of functions that are others under the same names: which of a they are.
  std::string SameNameOf(const std::vector<Computation*>& p, const std::vector<Computation*>& q) const {
    std::vector<std::string> texts;
    for (size_t k = 0; k < std::min(p.size(), q.size()); ++k) {
      if (p[k] == nullptr || q[k] == nullptr) continue;
      const Computation* was = functions_.InA(*q[k]);
      if (was != p[k])
        texts.push_back(absl::StrCat(q[k]->name, " of b is ", was == nullptr ? "another function" : absl::StrCat(was->name, " of a")));
    }
    return texts.empty() ? "" : absl::StrCat(" (", absl::StrJoin(texts, ", "), ")");
  }

  // References to other functions; what changed within the same function is told there.
  void CalledAttributes(const Instruction& a, const Instruction& b, std::vector<std::string>& what) {
    const std::vector<Computation*> all_a = a.CalledComputations(), all_b = b.CalledComputations();
    const auto differ = [this](const std::vector<Computation*>& p, const std::vector<Computation*>& q) {
      bool another = p.size() != q.size();
      for (size_t k = 0; !another && k < p.size(); ++k) another = p[k] != nullptr && q[k] != nullptr && functions_.IsAnother(*p[k], *q[k]);
      return another;
    };
    const size_t before = what.size();
    for (const Attribute& attribute : a.attributes) {
      if (!IsComputation(attribute)) continue;
      for (const Attribute& other : b.attributes) {
        if (!IsComputation(other) || other.id != attribute.id || NameOf(other) != NameOf(attribute)) continue;
        const std::vector<Computation*> p = Computations(attribute), q = Computations(other);
        const bool list = !std::holds_alternative<Computation*>(attribute.value);
        if (!differ(p, q)) continue;
        const bool renamed = NamesOf(p, list) == NamesOf(q, list);
        what.push_back(absl::StrCat(NameOf(attribute), " ", NamesOf(p, list), " -> ", NamesOf(q, list), renamed ? SameNameOf(p, q) : ""));
      }
    }
    if (what.size() == before && differ(all_a, all_b))
      what.push_back(absl::StrCat("what it calls: ", NamesOf(all_a, true), " -> ", NamesOf(all_b, true)));
  }

  const Module &a_, &b_;
  ProgramMatch result_;
  ValueNumbers numbers_a_, numbers_b_;
  FunctionMatch functions_;
  HandedMatch handed_;
  absl::flat_hash_set<const Computation*> met_a_, met_b_;
  std::vector<const Computation*> other_a_, other_b_;  // what redirected instructions call
  using Orders = std::pair<std::vector<int>, std::vector<int>>;
  std::map<std::pair<std::pair<const Computation*, const Computation*>, Orders>, int> pairs_;
  absl::flat_hash_map<std::pair<int, std::pair<const Instruction*, const Instruction*>>, size_t> seen_;  // places in result_.changes
  absl::flat_hash_set<const Instruction*> a_instructions_, b_instructions_, other_layout_;
};

}  // namespace

int64_t ProgramMatch::Count(StructuralChange::Kind kind) const {
  return std::count_if(changes.begin(), changes.end(), [&](const StructuralChange& c) { return c.kind == kind; });
}

ProgramMatch MatchPrograms(const Module& a, const Module& b) { return Comparer(a, b).Run(); }

namespace {

// In what the instruction calls, and what that calls in turn.
void ChangedInside(const ProgramMatch& match, int scope, int node, absl::flat_hash_set<int>& seen, std::vector<std::string>& what) {
  const auto tell = [&](const Instruction& i, absl::string_view text) {
    if (what.size() < 4) what.push_back(absl::StrCat(ShownName(i), " in ", i.parent->name, text));
  };
  const auto& called = match.scopes[scope]->called;
  for (auto at = called.lower_bound({node, 0}); at != called.end() && at->first.first == node; ++at) {
    if (!seen.insert(at->second).second) continue;
    const ScopeMatch& m = *match.scopes[at->second];
    for (const int inner : m.a.order) {
      const FlatNode& x = m.a.nodes[inner];
      const auto changed = m.changed.find(inner);
      if (changed != m.changed.end()) tell(*x.instruction, absl::StrCat(": ", absl::StrJoin(changed->second, "; ")));
      if (m.to_b[inner] < 0 && x.alias < 0) tell(*x.instruction, " is only in a");
      ChangedInside(match, at->second, inner, seen, what);
    }
    for (const int inner : m.b.order) {
      if (m.to_a[inner] < 0 && m.b.nodes[inner].alias < 0) tell(*m.b.nodes[inner].instruction, " is only in b");
    }
  }
}

}  // namespace

std::vector<std::string> ChangedAt(const ProgramMatch& match, int scope, int node) {
  const auto own = match.scopes[scope]->changed.find(node);
  if (own != match.scopes[scope]->changed.end()) return own->second;
  std::vector<std::string> what;
  absl::flat_hash_set<int> seen;
  ChangedInside(match, scope, node, seen, what);
  return what;
}

std::string Brief(const Instruction& instruction) {
  std::string operands;
  for (size_t k = 0; k < instruction.operands.size(); ++k) {
    if (k == 6) {
      absl::StrAppend(&operands, ", ...");
      break;
    }
    absl::StrAppend(&operands, k > 0 ? ", " : "", ShownName(*instruction.operands[k]));
  }
  if (instruction.literal != nullptr) operands = LiteralText(instruction);
  if (instruction.parameter_number >= 0) operands = absl::StrCat(instruction.parameter_number);
  return absl::StrCat(ShownName(instruction), " = ", ShapeText(instruction.shape), " ", Name(instruction.opcode), "(", operands, ")");
}

}  // namespace hloscope
