// Two programs side by side: every pair of computations that are called from a pair of instructions is matched, and what differs is listed.
// Finding the pairs is match.cc's.
#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/debug/match.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/literal/format.h"
#include "core/ops/op.h"
#include "core/text/attribute_text.h"

namespace hloscope {
namespace {

bool SameLiteral(const ConstantLiteral* a, const ConstantLiteral* b) {
  if (a == nullptr || b == nullptr) return a == b;
  if (a->elided || b->elided) return a->elided == b->elided;
  if (!a->value.has_value() || !b->value.has_value()) return a->value.has_value() == b->value.has_value();
  return Shape::Compatible(a->value.shape(), b->value.shape()) && Value::BitEqual(a->value, b->value);
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
  Comparer(const Module& a, const Module& b) : a_(a), b_(b) {}

  ProgramMatch Run() {
    Match(*a_.entry, *b_.entry);
    for (size_t k = 0; k < result_.scopes.size(); ++k) Called(static_cast<int>(k));
    for (const auto& scope : result_.scopes) List(*scope);
    return std::move(result_);
  }

 private:
  int Match(const Computation& a, const Computation& b) {
    const auto [entry, fresh] = pairs_.try_emplace({&a, &b}, static_cast<int>(result_.scopes.size()));
    if (!fresh) return entry->second;
    auto scope = std::make_unique<ScopeMatch>();
    scope->a = flat_a_.Flatten(a);
    scope->b = flat_b_.Flatten(b);
    PairUp(*scope);
    result_.scopes.push_back(std::move(scope));
    return entry->second;
  }

  void Called(int number) {
    for (const int node : result_.scopes[number]->a.order) {
      const ScopeMatch& scope = *result_.scopes[number];
      const FlatNode& x = scope.a.nodes[node];
      if (scope.to_b[node] < 0 || x.alias >= 0) continue;
      const std::vector<Computation*> p = x.instruction->CalledComputations();
      const std::vector<Computation*> q = scope.b.nodes[scope.to_b[node]].instruction->CalledComputations();
      if (p.size() != q.size()) continue;
      for (size_t k = 0; k < p.size(); ++k) {
        const int inner = Match(*p[k], *q[k]);
        result_.scopes[number]->called[{node, static_cast<int>(k)}] = inner;
      }
    }
  }

  void Add(StructuralChange::Kind kind, const Instruction* a, const Instruction* b, std::vector<std::string> what = {}) {
    if (seen_.insert({kind, {a, b}}).second) result_.changes.push_back({kind, a, b, std::move(what)});
  }

  void List(const ScopeMatch& m) {
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
      const bool fresh = a_instructions_.insert(x.instruction).second;
      b_instructions_.insert(y.instruction);
      if (fresh) {
        ++result_.matched;
        result_.identical += x.hash == y.hash;
      }
      std::vector<std::string> what;
      if (x.alias < 0 || y.alias < 0) what = Changes(m, x, y, x.alias < 0 && y.alias < 0 && AreSwapped(m, node, other));
      if (!what.empty()) Add(StructuralChange::kChanged, x.instruction, y.instruction, std::move(what));
      else if (x.instruction->shape != y.instruction->shape) result_.layouts += fresh;
      if (x.instruction->name != y.instruction->name) Add(StructuralChange::kRenamed, x.instruction, y.instruction);
    }
    for (const int node : m.b.order) {
      const FlatNode& y = m.b.nodes[node];
      if (m.to_a[node] >= 0) continue;
      const bool handle = y.alias >= 0 && (y.instruction->parameter_number >= 0 || TakesElement(*y.instruction));
      if (!handle && !b_instructions_.contains(y.instruction)) Add(StructuralChange::kAdded, nullptr, y.instruction);
    }
    for (const int node : Moved(m)) Add(StructuralChange::kMoved, m.a.nodes[node].instruction, m.b.nodes[m.to_b[node]].instruction);
  }

  std::vector<std::string> Changes(const ScopeMatch& m, const FlatNode& x, const FlatNode& y, bool swapped) const {
    const Instruction &a = *x.instruction, &b = *y.instruction;
    std::vector<std::string> what;
    if (a.opcode != b.opcode) what.push_back(absl::StrCat("operation ", Name(a.opcode), " -> ", Name(b.opcode)));
    if (!Shape::Compatible(a.shape, b.shape)) what.push_back(absl::StrCat("shape ", Cut(a.shape.ToString(false), 80), " -> ", Cut(b.shape.ToString(false), 80)));
    if (!SameLiteral(a.literal.get(), b.literal.get()) && !(!Shape::Compatible(a.shape, b.shape) && a.literal != nullptr && b.literal != nullptr)) {
      what.push_back(LiteralChange(a, b));
    }
    Attributes(a, b, what);
    if (x.operands.size() != y.operands.size()) {
      what.push_back(absl::StrCat(Count(static_cast<int64_t>(x.operands.size()), "operand"), " -> ", y.operands.size()));
      return what;
    }
    for (size_t k = 0; k < x.operands.size(); ++k) {
      const int other = y.operands[k ^ static_cast<size_t>(swapped)];
      const int p = m.a.core[x.operands[k]], q = m.b.core[other];
      const int image = m.to_b[p];
      if (image >= 0 && m.b.core[image] == q) continue;
      what.push_back(absl::StrCat("operand ", k, ": %", m.a.nodes[x.operands[k]].instruction->name, " -> %", m.b.nodes[other].instruction->name));
    }
    return what;
  }

  static void Attributes(const Instruction& a, const Instruction& b, std::vector<std::string>& what) {
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
    if (a.CalledComputations().size() != b.CalledComputations().size()) what.push_back("what it calls");
  }

  const Module &a_, &b_;
  ProgramMatch result_;
  Flattener flat_a_, flat_b_;
  std::map<std::pair<const Computation*, const Computation*>, int> pairs_;
  absl::flat_hash_set<std::pair<int, std::pair<const Instruction*, const Instruction*>>> seen_;
  absl::flat_hash_set<const Instruction*> a_instructions_, b_instructions_;
};

}  // namespace

int64_t ProgramMatch::Count(StructuralChange::Kind kind) const {
  return std::count_if(changes.begin(), changes.end(), [&](const StructuralChange& c) { return c.kind == kind; });
}

ProgramMatch MatchPrograms(const Module& a, const Module& b) { return Comparer(a, b).Run(); }

std::string Brief(const Instruction& instruction) {
  std::string operands;
  for (size_t k = 0; k < instruction.operands.size(); ++k) {
    if (k == 6) {
      absl::StrAppend(&operands, ", ...");
      break;
    }
    absl::StrAppend(&operands, k > 0 ? ", " : "", "%", instruction.operands[k]->name);
  }
  if (instruction.literal != nullptr) operands = LiteralText(instruction);
  if (instruction.parameter_number >= 0) operands = absl::StrCat(instruction.parameter_number);
  return absl::StrCat("%", instruction.name, " = ", ShapeText(instruction.shape), " ", Name(instruction.opcode), "(", operands, ")");
}

}  // namespace hloscope
