// The terms of an element that is a fold, and the updates of one that is scattered into: which of them matter, and what they read.
#include <algorithm>
#include <cmath>
#include <complex>

#include "absl/strings/str_cat.h"
#include "core/debug/element_reads.h"
#include "core/ir/written_names.h"
#include "core/ops/reducer.h"

namespace hloscope {
namespace {

constexpr size_t kFormulaUpdates = 8;  // that are written out
constexpr int64_t kMostUpdates = int64_t{1} << 26;  // that are looked at for one element

// A fold that starts from it is the fold of its terms alone, but for the sign of a zero.
bool IsNeutral(ScalarOp op, const Scalar& s) {
  if (op == ScalarOp::kAdd || op == ScalarOp::kMultiply) {
    const double neutral = op == ScalarOp::kAdd ? 0 : 1;
    if (IsComplex(s.type)) return s.c() == std::complex<double>(neutral);
    return IsFloat(s.type) ? s.re == neutral : s.i == static_cast<int64_t>(neutral);
  }
  const std::optional<Scalar> identity = IdentityOf(op, s.type);
  return identity.has_value() && (IsFloat(s.type) ? s.re == identity->re : s.u() == identity->u());
}

// Whether each term of a fold reads an element, as a program of a pred: where choices by place alone (a window at a border) leave the loads
// out. None: all terms read.
std::optional<Program> ReadsSomething(const Program& terms) {
  const ExprGraph& graph = *terms.graph;
  std::vector<bool> loads(graph.size(), false);
  for (NodeId id = 0; id < graph.size(); ++id) {  // inputs come before what uses them
    loads[id] = graph.node(id).kind == NodeKind::kLoad;
    for (NodeId input : graph.node(id).inputs) loads[id] = loads[id] || loads[input];
  }
  Program result = Program::Pull(terms.operands, Shape::Array(ElementType::kPred, terms.outputs[0].shape.dimensions()));
  ExprGraph& to = *result.graph;
  ExprGraph::Substitution same;
  for (int v = 0; v < graph.var_count(); ++v) same.index_map.push_back(v < to.var_count() ? to.Index(v) : kNoNode);
  if (!loads[terms.outputs[0].value]) {  // a window that lies in padding alone
    result.outputs[0].value = to.Constant(Scalar::Int(ElementType::kPred, 0));
    return result;
  }
  NodeId all = kNoNode;
  std::vector<NodeId> todo = {terms.outputs[0].value};
  while (!todo.empty()) {
    const Node& node = graph.node(todo.back());
    todo.pop_back();
    if (node.kind == NodeKind::kScalarOp) todo.insert(todo.end(), node.inputs.begin(), node.inputs.end());
    if (node.kind != NodeKind::kSelect || loads[node.inputs[0]] || loads[node.inputs[1]] == loads[node.inputs[2]]) continue;
    NodeId inside = to.Substitute(graph, node.inputs[0], same);
    if (!loads[node.inputs[1]]) inside = to.Unary(ScalarOp::kNot, inside);
    all = all == kNoNode ? inside : to.And(all, inside);
    todo.push_back(node.inputs[loads[node.inputs[1]] ? 1 : 2]);
  }
  if (all == kNoNode) return std::nullopt;
  result.outputs[0].value = all;
  return result;
}

}  // namespace

// ---- The terms of a fold or a sum of updates ----

namespace {

double RealOf(const Scalar& s) {
  if (IsFloat(s.type)) return s.re;
  if (IsComplex(s.type)) return std::abs(s.c());
  return IsUnsigned(s.type) ? static_cast<double>(s.u()) : static_cast<double>(s.i);
}

// What counts: for sums and products the magnitude; a winner for maximum and minimum; what settles it for and, or.
double WeightOf(ScalarOp op, const Scalar& s) {
  if (s.IsNaN()) return HUGE_VAL;
  const double x = RealOf(s);
  switch (op) {
    case ScalarOp::kMaximum: return x;
    case ScalarOp::kMinimum: return -x;
    case ScalarOp::kAnd: return -std::fabs(x);
    case ScalarOp::kMultiply: return x == 0 ? HUGE_VAL : std::fabs(std::log(std::fabs(x)));
    default: return std::fabs(x);
  }
}

// The first of the largest weights.
class Best {
 public:
  explicit Best(int most) : most_(most) {}
  void Offer(double weight, int64_t t) {
    const Entry entry(weight, t);
    if (static_cast<int>(entries_.size()) < most_) {
      entries_.push_back(entry);
      std::push_heap(entries_.begin(), entries_.end(), After);
    } else if (!entries_.empty() && After(entry, entries_.front())) {
      std::pop_heap(entries_.begin(), entries_.end(), After);
      entries_.back() = entry;
      std::push_heap(entries_.begin(), entries_.end(), After);
    }
  }
  std::vector<int64_t> Take() {
    std::sort(entries_.begin(), entries_.end(), After);
    std::vector<int64_t> order;
    for (const Entry& entry : entries_) order.push_back(entry.second);
    return order;
  }

 private:
  using Entry = std::pair<double, int64_t>;
  static bool After(const Entry& a, const Entry& b) { return a.first > b.first || (a.first == b.first && a.second < b.second); }
  const int most_;
  std::vector<Entry> entries_;  // a heap, the smallest on top
};

// What decides where an update goes: its indices, and of the choice in a window, of which operand 0 is made, only the element that was chosen.
std::vector<TracedLoad> PlacingLoads(std::vector<TracedLoad> loads, int64_t linear) {
  constexpr size_t kMost = 4;
  for (TracedLoad& load : loads) load.role = LoadRole::kIndex;
  loads.erase(std::remove_if(loads.begin(), loads.end(), [&](const TracedLoad& load) { return load.operand == 0 && load.linear != linear; }), loads.end());
  if (loads.size() > kMost) loads.resize(kMost);
  return loads;
}

// `so_far`, combined with another by the operation, as formulas of elements are written.
std::string Combined(ScalarOp op, const std::string& so_far, const std::string& next) {
  if (op == ScalarOp::kMaximum || op == ScalarOp::kMinimum) return absl::StrCat(Name(op), "(", so_far, ", ", next, ")");
  const bool simple = next.find(' ') == std::string::npos && next[0] != '-';
  return absl::StrCat(so_far, " ", Name(op), " ", simple ? next : absl::StrCat("(", next, ")"));
}

}  // namespace

absl::StatusOr<std::vector<Value>> ElementReader::OperandsOf(const ElementPlace& place, const Prepared& prepared) {
  std::vector<Value> values;
  const Instruction& i = *place.instruction;
  for (size_t k = 0; k < i.operands.size(); ++k) {
    absl::StatusOr<Value> value = SeenBy(i, place.frame, *i.operands[k]);
    if (!value.ok()) return value.status();
    values.push_back(prepared.sized == nullptr ? *std::move(value) : CutTo(*value, prepared.sized->operand_shapes[k], nullptr));
  }
  return values;
}

absl::StatusOr<std::optional<ElementReader::TermList>> ElementReader::Terms(const ElementPlace& place, int most) {
  const Instruction& i = *place.instruction;
  std::optional<TermList> none;
  if (const Prepared* written = ProgramOf(i); written == nullptr || written->cheap[place.leaf]) return none;
  const absl::StatusOr<const Prepared*> found = ProgramIn(place.frame, i);
  if (!found.ok()) return found.status();
  const Prepared& prepared = **found;
  const std::vector<int64_t> index = IndexOfPlace(LeafShape(i.shape, place.leaf), place.linear);
  const int64_t linear = LinearIndex(prepared.program.outputs[place.leaf].shape.dimensions(), index);  // in the sizes of this run
  const std::optional<ElementTracer::Terms> terms = prepared.tracer->TermsAt(place.leaf, index);
  if (!terms) return prepared.program.is_push ? UpdatesInOrder(place, prepared, most) : none;
  if (terms->lands.has_value() && terms->lands->outputs[0].shape.ElementCount() > kMostUpdates) return none;
  absl::StatusOr<std::vector<Value>> values = OperandsOf(place, prepared);
  if (!values.ok()) return values.status();
  std::vector<const Value*> operands;
  for (const Value& value : *values) operands.push_back(&value);
  InterpretOptions options;
  options.bounds = false;
  const auto all_of = [&](const Program& program) -> absl::StatusOr<Value> {
    absl::StatusOr<std::vector<Value>> all = Interpreter(program, options).All(operands);
    if (!all.ok()) return all.status();
    return (*all)[0];
  };
  absl::StatusOr<Value> numbers = all_of(terms->program);
  if (!numbers.ok()) return numbers.status();
  const ElementType type = numbers->shape().element_type();
  const int64_t domain = numbers->element_count();
  const auto number = [&](int64_t t) { return LoadScalar(type, numbers->data() + t * StorageBytes(type)); };
  Value inside, lands;  // by term, as truth values: it reads something; it goes to this element. Without a value: all do
  if (std::optional<Program> reads = ReadsSomething(terms->program)) {
    absl::StatusOr<Value> made = all_of(*reads);
    if (!made.ok()) return made.status();
    inside = *std::move(made);
  }
  if (terms->lands.has_value()) {
    absl::StatusOr<Value> made = all_of(*terms->lands);
    if (!made.ok()) return made.status();
    lands = *std::move(made);
  }
  absl::StatusOr<Value> start = all_of(terms->init);
  if (!start.ok()) return start.status();
  const Scalar init = LoadScalar(start->shape().element_type(), start->data());
  TermList list;
  list.op = terms->op;
  const bool winner = terms->op == ScalarOp::kMaximum || terms->op == ScalarOp::kMinimum;
  Best best(winner ? std::min(most, 1) : most);
  std::vector<int64_t> first;  // of updates, in their order
  double magnitude = 0, sum = 0;
  for (int64_t t = 0; t < domain; ++t) {
    if (lands.has_value() && lands.as<uint8_t>()[t] == 0) continue;
    ++list.count;
    if (inside.has_value() && inside.as<uint8_t>()[t] == 0) {
      ++list.padding;
      continue;
    }
    const Scalar s = number(t);
    magnitude += std::fabs(RealOf(s));
    sum += RealOf(s);
    best.Offer(WeightOf(terms->op, s), t);
    if (lands.has_value() && first.size() <= kFormulaUpdates) first.push_back(t);
  }
  if (lands.has_value() && list.count == 0) return none;  // it is what was there
  const std::vector<int64_t> order = best.Take();
  const int64_t left = list.count - list.padding - static_cast<int64_t>(order.size());
  const bool starts = lands.has_value() || !IsNeutral(terms->op, init);
  if (starts) {
    ++list.count;
    magnitude += std::fabs(RealOf(init));
    sum += RealOf(init);
  }
  list.other = sum;
  std::vector<std::string> names;
  for (const Instruction* operand : i.operands) names.push_back(ShownName(*operand));
  const ElementLoader load = LoaderOf(place.frame, i, prepared);
  std::optional<ElementTracer> placing;
  if (terms->lands.has_value()) placing.emplace(*terms->lands);
  const auto tell = [&](ElementTracer& tracer, SliceTerm term) -> absl::Status {
    if (terms->op == ScalarOp::kAdd && magnitude > 0 && std::isfinite(magnitude)) term.share = std::fabs(RealOf(term.value)) / magnitude;
    list.other -= RealOf(term.value);
    absl::StatusOr<TracedElement> element = tracer.At(0, term.at, load);
    if (!element.ok()) return element.status();
    std::vector<TracedLoad> loads = std::move(element->loads);
    term.formula = tracer.Formula(0, term.at, names, false, load);
    term.numbers = tracer.Formula(0, term.at, names, true, load);
    if (placing.has_value() && !term.initial) {
      absl::StatusOr<TracedElement> placed = placing->At(0, term.at, load);
      if (!placed.ok()) return placed.status();
      for (const TracedLoad& each : PlacingLoads(std::move(placed->loads), linear)) loads.push_back(each);
    }
    for (TracedLoad& each : loads) each.linear = prepared.Written(i, each.operand, each.linear);
    for (size_t d = 0; d < terms->fixed.size() && !term.initial; ++d) {
      if (terms->fixed[d] >= 0) term.at[d] = terms->fixed[d];
    }
    list.terms.push_back(std::move(term));
    list.loads.push_back(std::move(loads));
    return absl::OkStatus();
  };
  const auto at = [&](int64_t t) {
    std::vector<int64_t> point(terms->extents.size());
    DelinearizeIndex(terms->extents, t, absl::MakeSpan(point));
    return point;
  };
  ElementTracer initial(terms->init), tracer(terms->program);
  if (starts) {
    SliceTerm term;
    term.initial = true;
    term.value = init;
    if (absl::Status status = tell(initial, std::move(term)); !status.ok()) return status;
  }
  for (int64_t t : order) {
    SliceTerm term;
    term.at = at(t);
    term.value = number(t);
    if (absl::Status status = tell(tracer, std::move(term)); !status.ok()) return status;
  }
  if (left == 0) list.other = 0;
  if (lands.has_value() && first.size() <= kFormulaUpdates) {  // in the order in which they came
    list.formula = initial.Formula(0, {}, names, false, load);
    list.numbers = initial.Formula(0, {}, names, true, load);
    for (int64_t t : first) {
      list.formula = Combined(terms->op, list.formula, tracer.Formula(0, at(t), names, false, load));
      list.numbers = Combined(terms->op, list.numbers, tracer.Formula(0, at(t), names, true, load));
    }
  }
  return std::optional<TermList>(std::move(list));
}

// Of updates that a computation of several operations combines: what each makes of the element. The last ones say most.
absl::StatusOr<std::optional<ElementReader::TermList>> ElementReader::UpdatesInOrder(const ElementPlace& place, const Prepared& prepared, int most) {
  std::optional<TermList> none;
  ElementTracer& tracer = *prepared.tracer;
  const Instruction& i = *place.instruction;
  if (!tracer.UsesOld(place.leaf)) return none;  // the last update is all there is
  const std::vector<int64_t> index = IndexOfPlace(LeafShape(i.shape, place.leaf), place.linear);
  const ElementLoader load = LoaderOf(place.frame, i, prepared);
  std::vector<std::pair<int64_t, Scalar>> updates;
  absl::StatusOr<TracedElement> element = tracer.At(place.leaf, index, load, ReadLimits().points, [&](int64_t point, const Scalar& now) { updates.emplace_back(point, now); });
  if (!element.ok()) return absl::IsResourceExhausted(element.status()) ? absl::StatusOr<std::optional<TermList>>(none) : element.status();
  if (updates.empty()) return none;
  TermList list;
  list.count = static_cast<int64_t>(updates.size()) + 1;
  const std::vector<bool> needed = tracer.OutputsNeededFor(place.leaf);
  const auto add = [&](SliceTerm term, std::vector<TracedLoad> loads) {
    for (TracedLoad& each : loads) each.linear = prepared.Written(i, each.operand, each.linear);
    list.terms.push_back(std::move(term));
    list.loads.push_back(std::move(loads));
  };
  SliceTerm initial;
  initial.initial = true;
  initial.value = tracer.Start(place.leaf, index, load);
  std::vector<TracedLoad> loads;
  for (size_t k = 0; k < i.operands.size(); ++k) {  // what was there before: the operand's element, or one value for all
    const Shape& shape = prepared.program.operands[k];
    if (tracer.LoadsInPush(static_cast<int>(k)) || !tracer.RoleOf(static_cast<int>(k)).has_value()) continue;
    if (shape.dimensions() != prepared.program.outputs[place.leaf].shape.dimensions() && shape.rank() > 0) continue;
    if (static_cast<int>(k) != place.leaf && prepared.program.outputs.size() > 1) continue;
    loads.push_back({static_cast<int>(k), shape.rank() == 0 ? 0 : LinearIndex(shape.dimensions(), index), initial.value, LoadRole::kValue});
  }
  add(std::move(initial), std::move(loads));
  std::vector<int64_t> extents;
  for (int32_t v : prepared.program.push.vars) extents.push_back(prepared.program.graph->VarExtent(v));
  const size_t shown = std::min<size_t>(updates.size(), static_cast<size_t>(std::max(most, 1)));
  for (size_t k = updates.size() - shown; k < updates.size(); ++k) {
    SliceTerm term;
    term.at.resize(extents.size());
    DelinearizeIndex(extents, updates[k].first, absl::MakeSpan(term.at));
    term.value = updates[k].second;
    // What the last one made is the element itself, whose last digit may be another one than where it is computed again.
    if (const absl::StatusOr<Scalar> made = Element(place); k + 1 == updates.size() && made.ok() && !history().SetByHand(place.frame, i, place.leaf, place.linear)) term.value = *made;
    loads.clear();
    if (const absl::StatusOr<int64_t> target = tracer.PushPoint(updates[k].first, load, &loads, &needed); !target.ok()) return target.status();
    const int64_t here = LinearIndex(prepared.program.outputs[place.leaf].shape.dimensions(), index);
    loads.erase(std::remove_if(loads.begin(), loads.end(), [&](const TracedLoad& load) { return load.places && load.operand == 0 && load.linear != here; }), loads.end());
    add(std::move(term), std::move(loads));
  }
  return std::optional<TermList>(std::move(list));
}

}  // namespace hloscope
