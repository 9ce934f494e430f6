// Matching goes from the surest evidence to the weakest: parameters by number; equal structure (everything an instruction depends on) with
// equal names, then without; equal names; then from pair to pair along operands and users; then op_name. Each step only pairs what
// no step before has paired.
#include "core/debug/match.h"

#include <algorithm>
#include <cstring>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/literal/format.h"
#include "core/ops/op.h"
#include "core/text/attribute_text.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

constexpr int kDeepest = 64;            // calls within calls that are laid flat
constexpr size_t kMostNodes = 4000000;  // of a flat computation

uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = a ^ (b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2));
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

uint64_t HashText(absl::string_view text) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return Mix(h, text.size());
}

uint64_t HashBytes(const std::byte* data, size_t size) {
  uint64_t h = size;
  size_t k = 0;
  for (; k + 8 <= size; k += 8) {
    uint64_t word;
    std::memcpy(&word, data + k, 8);
    h = (h ^ word) * 0x9e3779b97f4a7c15ull;
    h ^= h >> 29;
  }
  for (; k < size; ++k) h = (h ^ static_cast<uint64_t>(data[k])) * 0x100000001b3ull;
  return Mix(h, size);
}

uint64_t HashShape(const Shape& shape, bool loose) {
  if (shape.IsTuple()) {
    uint64_t h = 17;
    for (const Shape& element : shape.tuple_shapes()) h = Mix(h, HashShape(element, loose));
    return h;
  }
  const ElementType type = shape.element_type();
  uint64_t h = Mix(1, loose && IsFloat(type) ? 1000 : static_cast<uint64_t>(type));
  for (int d = 0; d < shape.rank(); ++d) h = Mix(h, static_cast<uint64_t>(shape.dim(d)) * 2 + shape.is_dynamic(d));
  return h;
}

bool IsComputation(const Attribute& attribute) {
  return std::holds_alternative<Computation*>(attribute.value) || std::holds_alternative<std::vector<Computation*>>(attribute.value);
}

std::string AttributeText(const Attribute& attribute) {
  std::string text;
  TextOf(Info(attribute.id).kind).print(attribute.value, PrintOptions(), &text);
  return text;
}

absl::string_view NameOf(const Attribute& attribute) { return attribute.name.empty() ? Info(attribute.id).name : attribute.name; }

uint64_t HashLiteral(const Instruction& instruction, bool loose) {
  const ConstantLiteral& literal = *instruction.literal;
  if (literal.elided || !literal.value.has_value()) return 3;
  const Value& value = literal.value;
  if (!value.shape().IsArray()) return 5;
  const ElementType type = value.shape().element_type();
  if (!loose || !IsFloat(type) || value.element_count() > 64) {
    return loose && IsFloat(type) ? 7 : HashBytes(value.physical_data(), static_cast<size_t>(value.byte_size()));
  }
  return 7;  // rounded to another type, it is another number
}

// Runs in place and hands its result on: laid flat.
const Computation* CalledInPlace(const Instruction& instruction) {
  const OpDef& def = Def(instruction);
  if (def.control != ControlKind::kCall || def.evaluate != nullptr) return nullptr;
  const std::vector<Computation*> called = instruction.CalledComputations();
  if (called.size() != 1 || called[0]->parameters.size() != instruction.operands.size() || called[0]->root == nullptr) return nullptr;
  return called[0];
}

bool TakesElement(const Instruction& i) {
  return Def(i).op_class == OpClass::kStructural && i.operands.size() == 1 && i.operands[0]->shape.IsTuple() && i.Has(AttrId::kIndex);
}
bool MakesTuple(const Instruction& i) {
  if (Def(i).op_class != OpClass::kStructural || !i.shape.IsTuple() || i.parameter_number >= 0) return false;
  if (i.operands.size() != i.shape.tuple_shapes().size()) return false;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    if (!Shape::Compatible(i.operands[k]->shape, i.shape.tuple_shapes()[k])) return false;
  }
  return !i.operands.empty();
}

// A number of another width: what a change of precision strews over a program.
bool IsCast(const Instruction& i) {
  return i.operands.size() == 1 && i.shape.IsArray() && i.operands[0]->shape.IsArray() && IsFloat(i.shape.element_type()) &&
         IsFloat(i.operands[0]->shape.element_type()) && i.shape.element_type() != i.operands[0]->shape.element_type() &&
         Shape::SameDimensions(i.shape, i.operands[0]->shape);
}

bool SameDimensions(const Shape& a, const Shape& b) {
  if (a.IsArray() && b.IsArray()) return Shape::SameDimensions(a, b);
  if (!a.IsTuple() || !b.IsTuple()) return a.element_type() == b.element_type();
  if (a.tuple_shapes().size() != b.tuple_shapes().size()) return false;
  for (size_t k = 0; k < a.tuple_shapes().size(); ++k) {
    if (!SameDimensions(a.tuple_shapes()[k], b.tuple_shapes()[k])) return false;
  }
  return true;
}

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

}  // namespace

// ---- Laying flat ----

std::pair<uint64_t, uint64_t> Flattener::HashOf(const Computation& computation) {
  const auto found = hashes_.find(&computation);
  if (found != hashes_.end()) return found->second;
  const FlatComputation flat = Flatten(computation);
  std::pair<uint64_t, uint64_t> hash = {1, 1};
  if (flat.root >= 0) hash = {flat.nodes[flat.root].hash, flat.nodes[flat.root].loose};
  hashes_[&computation] = hash;
  return hash;
}

FlatComputation Flattener::Flatten(const Computation& computation) {
  FlatComputation flat;
  flat.computation = &computation;
  AddScope(flat, computation, {}, 0);
  if (computation.root != nullptr) flat.root = flat.Resolve(flat.scopes[0].base + computation.root->index);
  flat.core.resize(flat.nodes.size());
  flat.users.resize(flat.nodes.size());
  for (const int node : flat.order) {
    const FlatNode& n = flat.nodes[node];
    flat.core[node] = n.alias >= 0 ? flat.core[n.alias] : IsCast(*n.instruction) && !n.operands.empty() ? flat.core[n.operands[0]] : node;
    if (n.alias >= 0) continue;
    for (const int operand : n.operands) {
      std::vector<int>& users = flat.users[flat.core[operand]];
      if (users.empty() || users.back() != node) users.push_back(node);
    }
  }
  return flat;
}

int Flattener::AddScope(FlatComputation& flat, const Computation& computation, absl::Span<const int> arguments, int depth) {
  const int scope = static_cast<int>(flat.scopes.size());
  flat.scopes.emplace_back();
  flat.scopes[scope].computation = &computation;
  const int base = flat.scopes[scope].base = static_cast<int>(flat.nodes.size());
  flat.nodes.resize(base + computation.schedule.size());
  for (const Instruction* instruction : computation.schedule) {
    const int at = base + instruction->index;
    flat.nodes[at].instruction = instruction;
    flat.nodes[at].scope = scope;
    for (const Instruction* operand : instruction->operands) flat.nodes[at].operands.push_back(flat.Resolve(base + operand->index));
    if (depth > 0 && instruction->parameter_number >= 0) {
      flat.nodes[at].alias = arguments[instruction->parameter_number];
    } else if (TakesElement(*instruction) && MakesTuple(*flat.nodes[flat.nodes[at].operands[0]].instruction)) {
      const FlatNode& tuple = flat.nodes[flat.nodes[at].operands[0]];
      const int64_t element = instruction->Int(AttrId::kIndex);
      if (element >= 0 && element < static_cast<int64_t>(tuple.operands.size())) flat.nodes[at].alias = tuple.operands[element];
    } else if (const Computation* called = CalledInPlace(*instruction);
               called != nullptr && depth < kDeepest && flat.nodes.size() + called->schedule.size() < kMostNodes) {
      const std::vector<int> operands(flat.nodes[at].operands.begin(), flat.nodes[at].operands.end());
      const int inner = AddScope(flat, *called, operands, depth + 1);
      flat.scopes[scope].calls[instruction->index] = inner;
      flat.nodes[at].alias = flat.Resolve(flat.scopes[inner].base + called->root->index);
    }
    Fill(flat, at);
    flat.order.push_back(at);
  }
  return scope;
}

void Flattener::Fill(FlatComputation& flat, int node) {
  FlatNode& n = flat.nodes[node];
  if (n.alias >= 0) {
    n.hash = flat.nodes[n.alias].hash;
    n.loose = flat.nodes[n.alias].loose;
    return;
  }
  const Instruction& i = *n.instruction;
  uint64_t common = Mix(static_cast<uint64_t>(i.opcode) + 1, static_cast<uint64_t>(i.parameter_number + 1));
  uint64_t hash = 0, loose = 0;
  uint64_t attributes = 0;  // in any order
  for (const Attribute& attribute : i.attributes) {
    const uint64_t name = HashText(NameOf(attribute));
    if (!IsComputation(attribute)) {
      attributes += Mix(name, HashText(AttributeText(attribute)));
      continue;
    }
    std::vector<Computation*> called;
    if (const auto* one = std::get_if<Computation*>(&attribute.value)) called = {*one};
    else called = std::get<std::vector<Computation*>>(attribute.value);
    for (const Computation* c : called) {
      const auto [h, l] = HashOf(*c);
      hash = Mix(hash, Mix(name, h));
      loose = Mix(loose, Mix(name, l));
    }
  }
  common = Mix(common, attributes);
  hash = Mix(Mix(hash, common), HashShape(i.shape, false));
  loose = Mix(Mix(loose, common), HashShape(i.shape, true));
  if (i.literal != nullptr) {
    hash = Mix(hash, HashLiteral(i, false));
    loose = Mix(loose, HashLiteral(i, true));
  }
  for (const int operand : n.operands) {
    hash = Mix(hash, flat.nodes[operand].hash);
    loose = Mix(loose, flat.nodes[operand].loose);
  }
  n.hash = hash;
  n.loose = loose;
}

// ---- Matching ----

namespace {

class Matcher {
 public:
  explicit Matcher(ScopeMatch& m) : m_(m), a_(m.a), b_(m.b), to_b_(m.to_b), to_a_(m.to_a) {
    to_b_.assign(a_.nodes.size(), -1);
    to_a_.assign(b_.nodes.size(), -1);
  }

  void Run() {
    Parameters();
    for (const bool loose : {false, true}) {
      ByHash(loose, kSameName);
      if (!loose) ByHash(loose, kSameOpName);
      if (!loose) ByHash(loose, kUnique);
    }
    ByName(/*guarded=*/true);
    for (int round = 0; round < 8; ++round) {
      const int before = pairs_;
      Forward();
      Backward(/*same_opcode=*/true);
      if (pairs_ == before) break;
    }
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
  }

 private:
  enum HashRule : uint8_t { kSameName, kSameOpName, kUnique, kInOrder };

  const Instruction& A(int node) const { return *a_.nodes[node].instruction; }
  const Instruction& B(int node) const { return *b_.nodes[node].instruction; }
  bool FreeA(int node) const { return to_b_[node] < 0 && a_.nodes[node].alias < 0; }
  bool FreeB(int node) const { return to_a_[node] < 0 && b_.nodes[node].alias < 0; }

  void Pair(int x, int y) {
    to_b_[x] = y;
    to_a_[y] = x;
    ++pairs_;
  }

  void Parameters() {
    const Computation &a = *a_.computation, &b = *b_.computation;
    absl::flat_hash_map<absl::string_view, const Instruction*> names;
    for (const Instruction* p : b.parameters) names[p->name] = p;
    if (a.parameters.size() == b.parameters.size()) {
      for (size_t k = 0; k < a.parameters.size(); ++k) Pair(a.parameters[k]->index, b.parameters[k]->index);
      return;
    }
    for (const Instruction* p : a.parameters) {
      const auto found = names.find(p->name);
      if (found != names.end() && SameDimensions(p->shape, found->second->shape)) Pair(p->index, found->second->index);
    }
    for (const Instruction* p : a.parameters) {
      if (!FreeA(p->index) || p->parameter_number >= static_cast<int64_t>(b.parameters.size())) continue;
      const Instruction* q = b.parameters[p->parameter_number];
      if (FreeB(q->index) && SameDimensions(p->shape, q->shape)) Pair(p->index, q->index);
    }
  }

  void ByHash(bool loose, HashRule rule) {
    absl::flat_hash_map<uint64_t, std::vector<int>> groups_a, groups_b;
    for (const int node : b_.order) {
      if (FreeB(node)) groups_b[loose ? b_.nodes[node].loose : b_.nodes[node].hash].push_back(node);
    }
    std::vector<uint64_t> keys;
    for (const int node : a_.order) {
      if (!FreeA(node)) continue;
      const uint64_t key = loose ? a_.nodes[node].loose : a_.nodes[node].hash;
      if (!groups_b.contains(key)) continue;
      std::vector<int>& group = groups_a[key];
      if (group.empty()) keys.push_back(key);
      group.push_back(node);
    }
    for (const uint64_t key : keys) {
      const std::vector<int>&x = groups_a[key], &y = groups_b[key];
      if (rule == kUnique && (x.size() != 1 || y.size() != 1)) continue;
      if (rule == kUnique || rule == kInOrder) {
        for (size_t k = 0; k < std::min(x.size(), y.size()); ++k) Pair(x[k], y[k]);
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
        Pair(node, found->second.back());
        found->second.pop_back();
      }
    }
  }

  // How many operand places agree, and how many are known at all.
  std::pair<int, int> Operands(int x, int y) const {
    const auto &p = a_.nodes[x].operands, &q = b_.nodes[y].operands;
    int agree = 0, known = 0;
    for (size_t k = 0; k < std::min(p.size(), q.size()); ++k) {
      const int image = to_b_[a_.core[p[k]]];
      if (image < 0 && to_a_[b_.core[q[k]]] < 0) continue;
      ++known;
      agree += image >= 0 && b_.core[image] == b_.core[q[k]];
    }
    return {agree, known};
  }

  void ByName(bool guarded) {
    absl::flat_hash_map<absl::string_view, std::vector<int>> named;
    for (const int node : b_.order) {
      if (FreeB(node)) named[B(node).name].push_back(node);
    }
    for (const int node : a_.order) {
      if (!FreeA(node)) continue;
      const auto found = named.find(A(node).name);
      if (found == named.end()) continue;
      for (const int other : found->second) {
        if (!FreeB(other) || !SameDimensions(A(node).shape, B(other).shape)) continue;
        if (A(node).parameter_number >= 0 || B(other).parameter_number >= 0) continue;
        const bool same_opcode = A(node).opcode == B(other).opcode;
        if (guarded) {
          if (!same_opcode) continue;
          const auto [agree, known] = Operands(node, other);
          const bool same_op_name = !A(node).metadata.op_name.empty() && A(node).metadata.op_name == B(other).metadata.op_name;
          if (known > 0 && agree == 0 && !same_op_name) continue;
        }
        Pair(node, other);
        break;
      }
    }
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
      if (FreeB(found->second[0]) && SameDimensions(A(node).shape, B(found->second[0]).shape)) Pair(node, found->second[0]);
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
          if (!FreeB(other) || A(node).opcode != B(other).opcode || !SameDimensions(A(node).shape, B(other).shape)) continue;
          if (a_.nodes[node].operands.size() != b_.nodes[other].operands.size()) continue;
          const auto [agree, known] = Operands(node, other);
          const bool same_op_name = !A(node).metadata.op_name.empty() && A(node).metadata.op_name == B(other).metadata.op_name;
          const bool same_name = A(node).name == B(other).name;
          if (agree == 0 || (agree < known && !same_op_name && !same_name)) continue;
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

  // From readers to what they read.
  void Backward(bool same_opcode) {
    if (a_.root >= 0 && b_.root >= 0) Reach(a_.root, b_.root, same_opcode);
    for (auto node = a_.order.rbegin(); node != a_.order.rend(); ++node) {
      const int other = to_b_[*node];
      if (other < 0 || a_.nodes[*node].alias >= 0) continue;
      const auto &p = a_.nodes[*node].operands, &q = b_.nodes[other].operands;
      if (p.size() != q.size()) continue;
      for (size_t k = 0; k < p.size(); ++k) Reach(p[k], q[k], same_opcode);
    }
  }

  void Reach(int x, int y, bool same_opcode) {
    if (!FreeA(x)) x = a_.core[x];
    if (!FreeB(y)) y = b_.core[y];
    if (!FreeA(x) || !FreeB(y)) return;
    if (A(x).parameter_number >= 0 || B(y).parameter_number >= 0) return;
    if (same_opcode ? A(x).opcode != B(y).opcode : (A(x).literal != nullptr) != (B(y).literal != nullptr)) return;
    if (!SameDimensions(A(x).shape, B(y).shape)) return;
    const auto [agree, known] = Operands(x, y);
    if (!same_opcode && (agree < known || (known == 0 && a_.nodes[x].operands.size() + b_.nodes[y].operands.size() > 0))) return;
    if (same_opcode && known > 0 && agree == 0 && A(x).name != B(y).name) return;
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
            if (to_a_[other] < 0 && A(node).opcode == B(other).opcode && SameDimensions(A(node).shape, B(other).shape)) {
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
  const FlatComputation &a_, &b_;
  std::vector<int>&to_b_, &to_a_;
  int pairs_ = 0;
};

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
    Matcher(*scope).Run();
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
      if (x.alias < 0 || y.alias < 0) what = Changes(m, x, y);
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

  std::vector<std::string> Changes(const ScopeMatch& m, const FlatNode& x, const FlatNode& y) const {
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
      const int p = m.a.core[x.operands[k]], q = m.b.core[y.operands[k]];
      const int image = m.to_b[p];
      if (image >= 0 && m.b.core[image] == q) continue;
      what.push_back(absl::StrCat("operand ", k, ": %", m.a.nodes[x.operands[k]].instruction->name, " -> %", m.b.nodes[y.operands[k]].instruction->name));
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
