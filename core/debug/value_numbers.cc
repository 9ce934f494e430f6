// A loop's elements are told apart step by step, as the states of an automaton are: first by what they begin with, then by what is made of them
// in one iteration, and so on. Of two automata with n and m states, n + m steps tell all apart that can be told apart.
#include "core/debug/value_numbers.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/base/hash.h"
#include "core/ops/op.h"
#include "core/ops/side_by_side.h"

namespace hloscope {
namespace {

constexpr int64_t kMostWork = 2000000;  // instructions looked at for one loop
constexpr int64_t kMostOfAll = 100000000;  // for all of a program
constexpr int kDeepest = 32;            // loops in loops

uint64_t HashText(absl::string_view text) { return HashBytes(text.data(), text.size()); }

uint64_t HashShape(const Shape& shape, bool loose) {
  if (shape.IsTuple()) {
    uint64_t h = 17;
    for (const Shape& element : shape.tuple_shapes()) h = MixHash(h, HashShape(element, loose));
    return h;
  }
  const ElementType type = shape.element_type();
  uint64_t h = MixHash(1, loose && IsFloat(type) ? 1000 : static_cast<uint64_t>(type));
  for (int d = 0; d < shape.rank(); ++d) h = MixHash(h, static_cast<uint64_t>(shape.dim(d)) * 2 + shape.is_dynamic(d));
  return h;
}

ValueNumber OfShape(const Shape& shape) { return {HashShape(shape, false), HashShape(shape, true)}; }
ValueNumber Mix(const ValueNumber& a, const ValueNumber& b) { return {MixHash(a.exact, b.exact), MixHash(a.loose, b.loose)}; }
ValueNumber Mix(const ValueNumber& a, uint64_t b) { return {MixHash(a.exact, b), MixHash(a.loose, b)}; }

// What is mixed in, so that two ways to make a number do not meet.
enum Tag : uint64_t { kElement = 101, kLoop, kBranch, kSide, kResult };

// Of a tuple whose elements may stand in any order.
ValueNumber InAnyOrder(const std::vector<ValueNumber>& elements) {
  ValueNumber sum;
  for (const ValueNumber& e : elements) {
    sum.exact += MixHash(e.exact, kResult);
    sum.loose += MixHash(e.loose, kResult);
  }
  return sum;
}

size_t ElementCount(const Shape& shape) { return shape.IsTuple() ? shape.tuple_shapes().size() : 1; }

}  // namespace

// A computation with the numbers of its nodes so far, or those that it is filled with.
struct ValueNumbers::View {
  const FlatComputation& flat;
  const GivenNumbers* given = nullptr;
  const std::vector<ValueNumber>* numbers = nullptr;
  absl::flat_hash_map<int, std::vector<ValueNumber>> elements;

  ValueNumber At(int node) const {
    return numbers != nullptr ? (*numbers)[node] : ValueNumber{flat.nodes[node].hash, flat.nodes[node].loose};
  }
  const std::vector<ValueNumber>* Given(int node) const {
    const FlatNode& n = flat.nodes[node];
    if (given == nullptr || n.scope != 0 || n.instruction->parameter_number < 0) return nullptr;
    const auto number = static_cast<size_t>(n.instruction->parameter_number);
    return number < given->size() && !(*given)[number].empty() ? &(*given)[number] : nullptr;
  }
};

const FlatComputation& ValueNumbers::Flat(const Computation& computation) {
  std::unique_ptr<FlatComputation>& flat = flats_[&computation];
  if (flat == nullptr) flat = std::make_unique<FlatComputation>(LayFlat(computation));
  return *flat;
}

std::pair<uint64_t, uint64_t> ValueNumbers::HashOf(const Computation& computation) {
  if (const auto found = hashes_.find(&computation); found != hashes_.end()) return found->second;
  std::pair<uint64_t, uint64_t> hash = {1, 1};
  const FlatComputation& flat = Flat(computation);
  if (flat.root >= 0) {
    const ValueNumber root = Evaluate(flat, nullptr, nullptr)[flat.root];
    hash = {root.exact, root.loose};
  }
  return hashes_[&computation] = hash;
}

void ValueNumbers::Fill(FlatComputation& flat, const GivenNumbers* given) {
  const std::vector<ValueNumber> numbers = Evaluate(flat, given, nullptr);
  for (size_t node = 0; node < numbers.size(); ++node) {
    flat.nodes[node].hash = numbers[node].exact;
    flat.nodes[node].loose = numbers[node].loose;
  }
}

std::vector<ValueNumber> ValueNumbers::Evaluate(const FlatComputation& flat, const GivenNumbers* given, std::vector<ValueNumber>* results) {
  std::vector<ValueNumber> numbers(flat.nodes.size());
  View view{flat, given, &numbers, {}};
  ++depth_;
  work_ += static_cast<int64_t>(flat.order.size());
  for (const int node : flat.order) numbers[node] = Number(view, node);
  if (results != nullptr && flat.root >= 0) *results = AllElements(view, flat.root);
  --depth_;
  return numbers;
}

ValueNumber ValueNumbers::Number(View& view, int node) {
  const FlatNode& n = view.flat.nodes[node];
  if (n.alias >= 0) return view.At(n.alias);
  const Instruction& i = *n.instruction;
  if (const std::vector<ValueNumber>* given = view.Given(node)) {
    if (!i.shape.IsTuple()) return given->front();
    ValueNumber all = {kElement, kElement};
    for (const ValueNumber& element : *given) all = Mix(all, element);
    return all;
  }
  if (TakesElement(i)) {
    const int from = n.operands[0];
    const auto k = static_cast<size_t>(i.Int(AttrId::kIndex));
    if (const std::vector<ValueNumber>* elements = Elements(view, from); elements != nullptr && k < elements->size()) return (*elements)[k];
  } else if (const std::vector<ValueNumber>* elements = Elements(view, node)) {
    if (!i.shape.IsTuple()) return elements->front();
    return Mix(Plain(view, node, false), InAnyOrder(*elements));
  }
  return Plain(view, node, true);
}

// By the operation, its attributes and what its operands are.
ValueNumber ValueNumbers::Plain(const View& view, int node, bool with_operands) {
  const FlatNode& n = view.flat.nodes[node];
  const Instruction& i = *n.instruction;
  const auto [known, fresh] = plain_.try_emplace(&i);
  if (fresh) {
    uint64_t attributes = 0;  // in any order
    for (const Attribute& attribute : i.attributes) {
      if (!IsComputation(attribute)) attributes += MixHash(HashText(NameOf(attribute)), HashText(AttributeText(attribute)));
    }
    const uint64_t common =
        MixHash(MixHash(static_cast<uint64_t>(i.opcode) + 1, static_cast<uint64_t>(i.parameter_number + 1)), attributes);
    std::pair<uint64_t, uint64_t> own = {common, common};
    if (i.literal != nullptr) own = {MixHash(common, HashLiteral(i, false)), MixHash(common, HashLiteral(i, true))};
    plain_[&i] = own;
  }
  ValueNumber number{plain_[&i].first, plain_[&i].second};
  if (!with_operands) return number;
  number = Mix(number, OfShape(i.shape));
  for (const Computation* called : i.CalledComputations()) {
    const auto [exact, loose] = HashOf(*called);
    number = Mix(number, ValueNumber{exact, loose});
  }
  absl::InlinedVector<ValueNumber, 4> operands;
  for (const int operand : n.operands) operands.push_back(view.At(operand));
  if (Commutes(i)) {  // a + b is b + a
    if (operands[1].exact < operands[0].exact) std::swap(operands[0].exact, operands[1].exact);
    if (operands[1].loose < operands[0].loose) std::swap(operands[0].loose, operands[1].loose);
  }
  for (const ValueNumber& operand : operands) number = Mix(number, operand);
  return number;
}

// Of what loops, conditionals and operations side by side give, and of what is given; null: of others.
const std::vector<ValueNumber>* ValueNumbers::Elements(View& view, int node) {
  if (const std::vector<ValueNumber>* given = view.Given(node)) return given;
  const Instruction& i = *view.flat.nodes[node].instruction;
  const ControlKind control = Def(i).control;
  const bool side = SideBySideOf(i).arrays > 0;
  if ((control != ControlKind::kWhile && control != ControlKind::kConditional && !side) || depth_ > kDeepest) return nullptr;
  if (const auto known = view.elements.find(node); known != view.elements.end()) return &known->second;
  std::vector<ValueNumber> results;
  if (control == ControlKind::kWhile)
    Loop(view, node, &results);
  else if (control == ControlKind::kConditional)
    results = Branches(view, node);
  else
    SideBySideNumbers(view, node, &results);
  if (results.size() != ElementCount(i.shape)) return nullptr;
  return &(view.elements[node] = std::move(results));
}

std::vector<ValueNumber> ValueNumbers::AllElements(View& view, int node) {
  const FlatNode& n = view.flat.nodes[node];
  const Instruction& i = *n.instruction;
  if (!i.shape.IsTuple()) return {view.At(node)};
  std::vector<ValueNumber> all;
  if (BuildsTuple(i)) {
    for (const int operand : n.operands) all.push_back(view.At(operand));
    return all;
  }
  if (const std::vector<ValueNumber>* elements = Elements(view, node)) return *elements;
  for (size_t k = 0; k < ElementCount(i.shape); ++k) all.push_back(Mix(Mix(view.At(node), kElement), k));
  return all;
}

std::vector<ValueNumber> ValueNumbers::ElementsOf(const FlatComputation& flat, int node) {
  View view{flat, nullptr, nullptr, {}};
  return AllElements(view, node);
}

HandedNumbers ValueNumbers::HandedBy(const FlatComputation& flat, int node) {
  View view{flat, nullptr, nullptr, {}};
  const Instruction& i = *flat.nodes[node].instruction;
  if (Def(i).control == ControlKind::kWhile) return Loop(view, node, nullptr);
  return SideBySideOf(i).arrays > 0 ? SideBySideNumbers(view, node, nullptr) : HandedNumbers();
}

// ---- Loops ----

const ValueNumbers::Carried& ValueNumbers::CarriedBy(const Instruction& loop) {
  std::unique_ptr<Carried>& carried = carried_[&loop];
  if (carried != nullptr) return *carried;
  carried = std::make_unique<Carried>();
  const size_t count = ElementCount(loop.shape);
  carried->fixed.assign(count, false);
  carried->steps.assign(count, 0);
  const Computation *body = loop.Called(AttrId::kBody), *condition = loop.Called(AttrId::kCondition);
  if (body == nullptr || condition == nullptr || !loop.shape.IsTuple()) return *carried;
  using Set = std::vector<bool>;
  const auto reads = [&](const FlatComputation& flat, std::vector<Set>& sets) {
    for (const int node : flat.order) {
      const FlatNode& n = flat.nodes[node];
      Set& set = sets[node];
      set.assign(count, n.alias < 0 && n.instruction->parameter_number >= 0);
      const bool element = n.alias < 0 && TakesElement(*n.instruction) && flat.nodes[n.operands[0]].instruction->parameter_number >= 0;
      if (element) set[static_cast<size_t>(n.instruction->Int(AttrId::kIndex))] = true;
      if (n.alias >= 0) set = sets[n.alias];
      for (size_t k = 0; n.alias < 0 && !element && k < n.operands.size(); ++k) {
        for (size_t e = 0; e < count; ++e) set[e] = set[e] || sets[n.operands[k]][e];
      }
    }
  };
  const FlatComputation &b = Flat(*body), &c = Flat(*condition);
  if (b.root < 0 || c.root < 0 || !BuildsTuple(*b.nodes[b.root].instruction)) return *carried;
  if (static_cast<int64_t>(b.nodes.size() + c.nodes.size()) * static_cast<int64_t>(count) > 50 * kMostWork) return *carried;
  std::vector<Set> of_body(b.nodes.size()), of_condition(c.nodes.size());
  reads(b, of_body);
  reads(c, of_condition);
  const auto& made = b.nodes[b.root].operands;
  for (size_t k = 0; k < count; ++k) {
    const FlatNode& x = b.nodes[made[k]];
    carried->fixed[k] = TakesElement(*x.instruction) && b.nodes[x.operands[0]].instruction->parameter_number >= 0 &&
                        x.instruction->Int(AttrId::kIndex) == static_cast<int64_t>(k);
  }
  // All that it comes from, but for what stays.
  const auto steps = [&](Set from) {
    std::vector<size_t> todo;
    for (size_t e = 0; e < count; ++e) {
      if (from[e] && !carried->fixed[e]) todo.push_back(e);
      else from[e] = false;
    }
    for (size_t at = 0; at < todo.size(); ++at) {
      for (size_t e = 0; e < count; ++e) {
        if (!of_body[made[todo[at]]][e] || from[e] || carried->fixed[e]) continue;
        from[e] = true;
        todo.push_back(e);
      }
    }
    return 2 * static_cast<int>(todo.size());
  };
  for (size_t k = 0; k < count; ++k) {
    Set own(count, false);
    own[k] = true;
    carried->steps[k] = carried->fixed[k] ? 0 : steps(own);
  }
  carried->steps_of_condition = steps(of_condition[c.root]);
  const int most = std::max(carried->steps_of_condition, *std::max_element(carried->steps.begin(), carried->steps.end()));
  carried->known = static_cast<int64_t>(most) * static_cast<int64_t>(b.order.size()) <= kMostWork;
  return *carried;
}

HandedNumbers ValueNumbers::Loop(View& view, int node, std::vector<ValueNumber>* results) {
  const FlatNode& n = view.flat.nodes[node];
  const Instruction& i = *n.instruction;
  const Carried& carried = CarriedBy(i);
  const bool known = carried.known && work_ < kMostOfAll;
  const size_t count = ElementCount(i.shape);
  const std::vector<ValueNumber> begin = AllElements(view, n.operands[0]);
  HandedNumbers handed;
  handed.fixed = carried.fixed;
  const Computation *body = i.Called(AttrId::kBody), *condition = i.Called(AttrId::kCondition);
  if (body == nullptr || condition == nullptr || begin.size() != count || count == 0) return handed;
  // Where there is too much of it, the places of the elements count.
  const int most = known ? std::max(carried.steps_of_condition, *std::max_element(carried.steps.begin(), carried.steps.end())) : 2;
  for (const bool with_begin : {true, false}) {
    if (!with_begin && results != nullptr) break;  // nobody asks
    std::vector<std::vector<ValueNumber>>& rounds = with_begin ? handed.rounds : handed.updates;
    rounds.emplace_back();
    for (size_t k = 0; k < count; ++k) {
      const ValueNumber shape = OfShape(i.shape.IsTuple() ? i.shape.tuple_shapes()[k] : i.shape);
      ValueNumber number = begin[k];
      if (!carried.fixed[k]) number = with_begin ? Mix(Mix(begin[k], kLoop), shape) : Mix(shape, kLoop);
      if (!known && !carried.fixed[k] && results != nullptr) number = Mix(number, k);
      rounds.back().push_back(number);
    }
    for (int round = 0; round < (with_begin ? most : std::min(most, 4)); ++round) {
      const GivenNumbers given = {rounds.back()};
      std::vector<ValueNumber> made;
      Evaluate(Flat(*body), &given, &made);
      if (made.size() != count) return handed;
      std::vector<ValueNumber> next = rounds.back();
      for (size_t k = 0; k < count; ++k) {
        if (!carried.fixed[k]) next[k] = Mix(next[k], made[k]);
      }
      rounds.push_back(std::move(next));
    }
  }
  const auto after = [&](size_t k, int steps) { return handed.rounds[known ? steps : most][k]; };
  for (size_t k = 0; k < count; ++k) handed.whole.push_back(after(k, carried.steps[k]));
  if (!known) {
    for (size_t k = 0; k < count; ++k) {
      if (!carried.fixed[k]) handed.whole[k] = Mix(handed.whole[k], k);
    }
  }
  if (results == nullptr) return handed;
  std::vector<ValueNumber> again;
  const GivenNumbers given = {handed.whole};
  Evaluate(Flat(*condition), &given, &again);
  if (again.size() != 1) return handed;
  for (size_t k = 0; k < count; ++k) results->push_back(carried.fixed[k] ? begin[k] : Mix(Mix(handed.whole[k], kResult), again[0]));
  return handed;
}

// ---- Branches ----

std::vector<ValueNumber> ValueNumbers::Branches(View& view, int node) {
  const FlatNode& n = view.flat.nodes[node];
  const Instruction& i = *n.instruction;
  const std::vector<Computation*> branches = i.CalledComputations();
  if (branches.size() + 1 != n.operands.size()) return {};
  std::vector<ValueNumber> results(ElementCount(i.shape), Mix(view.At(n.operands[0]), kBranch));
  for (size_t b = 0; b < branches.size(); ++b) {
    const GivenNumbers given = {AllElements(view, n.operands[b + 1])};
    std::vector<ValueNumber> made;
    Evaluate(Flat(*branches[b]), &given, &made);
    if (made.size() != results.size()) return {};
    for (size_t k = 0; k < made.size(); ++k) results[k] = Mix(results[k], made[k]);
  }
  return results;
}

// ---- Arrays side by side ----

GivenNumbers ValueNumbers::GivenSideBySide(const Instruction& instruction, const std::vector<ValueNumber>& handed) {
  const SideBySide side = SideBySideOf(instruction);
  GivenNumbers given;
  for (const Instruction* p : side.computation->parameters) {
    const SidePlace place = side.parameter(static_cast<int>(p->parameter_number), side.arrays);
    const bool known = place.array >= 0 && place.array < static_cast<int>(handed.size());
    given.push_back(known ? std::vector<ValueNumber>{Mix(Mix(handed[place.array], kSide), static_cast<uint64_t>(place.role))}
                          : std::vector<ValueNumber>());
  }
  return given;
}

HandedNumbers ValueNumbers::SideBySideNumbers(View& view, int node, std::vector<ValueNumber>* results) {
  const FlatNode& n = view.flat.nodes[node];
  const Instruction& i = *n.instruction;
  const SideBySide side = SideBySideOf(i);
  const auto count = static_cast<size_t>(side.arrays);
  const ValueNumber operation = Plain(view, node, false);
  ValueNumber of_all = Mix(operation, kSide);
  std::vector<ValueNumber> numbers(count, Mix(operation, kElement));
  for (size_t k = 0; k < n.operands.size(); ++k) {
    const SidePlace place = side.operand(static_cast<int>(k), side.arrays);
    const ValueNumber number = view.At(n.operands[k]);
    if (place.array < 0) {
      of_all = Mix(of_all, number);
      continue;
    }
    numbers[place.array] = Mix(numbers[place.array], number);
  }
  HandedNumbers handed;
  handed.fixed.assign(count, false);
  // Their order does not matter, but which there are: what is made of one may come from all of them.
  for (ValueNumber& number : numbers) number = Mix(number, of_all);
  handed.rounds.push_back(numbers);
  handed.updates.push_back(std::vector<ValueNumber>(count, operation));
  const int most = side.decides || !side.results ? 1 : static_cast<int>(std::min<size_t>(2 * count, 16));
  std::vector<ValueNumber> made;
  for (int round = 0; round < most; ++round) {
    for (std::vector<std::vector<ValueNumber>>* rounds : {&handed.rounds, &handed.updates}) {
      if (rounds == &handed.updates && results != nullptr) continue;
      const GivenNumbers given = GivenSideBySide(i, rounds->back());
      Evaluate(Flat(*side.computation), &given, &made);
      if (made.empty()) return handed;
      std::vector<ValueNumber> next = rounds->back();
      for (size_t k = 0; k < count; ++k) {
        if (made.size() == count && side.results && !side.decides) next[k] = Mix(next[k], made[k]);
      }
      rounds->push_back(std::move(next));
      if (rounds == &handed.rounds && results != nullptr && round + 1 == most && (side.decides || !side.results)) of_all = Mix(of_all, made[0]);
    }
  }
  handed.whole = handed.rounds.back();
  if (count > 8) {  // too many to tell all apart
    for (size_t k = 0; k < count; ++k) handed.whole[k] = Mix(handed.whole[k], k);
  }
  if (results == nullptr) return handed;
  if (!side.results) {
    results->push_back(Mix(Mix(of_all, OfShape(i.shape)), kResult));
    return handed;
  }
  for (size_t k = 0; k < count; ++k) {
    const Shape& shape = i.shape.IsTuple() ? i.shape.tuple_shapes()[k] : i.shape;
    results->push_back(Mix(Mix(Mix(handed.whole[k], of_all), OfShape(shape)), kResult));
  }
  return handed;
}

}  // namespace hloscope
