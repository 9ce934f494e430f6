// Memoised evaluation like the interpreter's, but simpler: a node holds for the whole element or for one turn of the innermost fold.
#include "core/element/trace.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/element/scalar_eval.h"

namespace hloscope {
namespace {

constexpr uint8_t Bit(LoadRole role) { return static_cast<uint8_t>(1 << static_cast<int>(role)); }
int64_t AccumulatorKey(int32_t fold_id, int part) { return (static_cast<int64_t>(fold_id) << 16) | part; }

}  // namespace

ElementTracer::ElementTracer(const Program& program) : program_(program), graph_(*program_.graph) {
  const int n = graph_.size(), rank = program_.rank();
  slots_.resize(n);
  stamps_.assign(n, 0);
  intervals_.resize(n);
  interval_stamps_.assign(n, 0);
  vars_.assign(graph_.var_count(), 0);
  of_element_.resize(n);
  for (NodeId id = 0; id < n; ++id) {
    bool element = true;
    for (int32_t v : graph_.FreeVars(id)) element = element && v >= 0 && v < rank;
    of_element_[id] = element;
  }
  FindRoles();
}

void ElementTracer::FindRoles() {
  const int n = graph_.size();
  roles_.assign(n, 0);
  has_load_.assign(n, false);
  in_push_.assign(n, false);
  const auto children = [&](NodeId id, const auto& visit) {
    const Node& node = graph_.node(id);
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      visit(node.inputs[k], node.kind == NodeKind::kLoad ? LoadRole::kIndex : node.kind == NodeKind::kSelect && k == 0 ? LoadRole::kPredicate : LoadRole::kValue);
    }
    if (node.kind != NodeKind::kFold) return;
    for (NodeId x : graph_.fold(node).inits) visit(x, LoadRole::kValue);
    for (NodeId x : graph_.fold(node).bodies) visit(x, LoadRole::kValue);
  };
  std::vector<std::pair<NodeId, LoadRole>> todo;
  const auto spread = [&](bool push) {
    while (!todo.empty()) {
      const auto [id, role] = todo.back();
      todo.pop_back();
      if (id == kNoNode || ((roles_[id] & Bit(role)) != 0 && (!push || in_push_[id]))) continue;
      roles_[id] |= Bit(role);
      if (push) in_push_[id] = true;
      children(id, [&](NodeId child, LoadRole own) { todo.push_back({child, std::min(role, own)}); });
    }
  };
  for (const Program::Output& output : program_.outputs) todo.push_back({output.value, LoadRole::kValue});
  spread(false);
  if (program_.is_push) {
    todo.push_back({program_.push.in_bounds, LoadRole::kIndex});
    for (NodeId x : program_.push.target) todo.push_back({x, LoadRole::kIndex});
    for (NodeId x : program_.push.combined) todo.push_back({x, LoadRole::kValue});
    spread(true);
  }
  // Inputs are made before what uses them.
  for (NodeId id = 0; id < n; ++id) {
    bool any = graph_.node(id).kind == NodeKind::kLoad;
    children(id, [&](NodeId child, LoadRole) { any = any || has_load_[child]; });
    has_load_[id] = any;
  }
}

std::optional<LoadRole> ElementTracer::RoleOf(int operand) const {
  uint8_t bits = 0;
  for (NodeId id = 0; id < graph_.size(); ++id) {
    if (graph_.node(id).kind == NodeKind::kLoad && graph_.node(id).operand == operand) bits |= roles_[id];
  }
  for (LoadRole role : {LoadRole::kValue, LoadRole::kPredicate, LoadRole::kIndex}) {
    if (bits & Bit(role)) return role;
  }
  return std::nullopt;
}

bool ElementTracer::LoadsInPush(int operand) const {
  for (NodeId id = 0; id < graph_.size(); ++id) {
    if (graph_.node(id).kind == NodeKind::kLoad && graph_.node(id).operand == operand && in_push_[id]) return true;
  }
  return false;
}

bool ElementTracer::IsCheap(int output) const {
  if (program_.is_push) return false;
  std::vector<NodeId> todo = {program_.outputs[output].value};
  std::vector<bool> seen(graph_.size(), false);
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    const Node& node = graph_.node(id);
    if (node.kind == NodeKind::kFold) return false;
    todo.insert(todo.end(), node.inputs.begin(), node.inputs.end());
  }
  return true;
}

// ---- Evaluation ----

const ElementTracer::Traced& ElementTracer::Eval(NodeId id) {
  if (stamps_[id] == (of_element_[id] ? element_turn_ : turn_)) return slots_[id];
  const Node& node = graph_.node(id);
  Traced result;
  switch (node.kind) {
    case NodeKind::kIndex: result.value = Scalar::Int(ElementType::kS64, vars_[node.var]); break;
    case NodeKind::kConstant: result.value = node.constant; break;
    case NodeKind::kScalarOp: result = EvalOp(node); break;
    case NodeKind::kLoad: result = EvalLoad(node); break;
    case NodeKind::kSelect: result = EvalSelect(node); break;
    case NodeKind::kFold: EvalFold(id, node); break;
    case NodeKind::kFoldResult: {
      Eval(node.inputs[0]);
      const std::vector<Traced>& parts = fold_parts_[node.inputs[0]];
      if (node.part < static_cast<int>(parts.size())) result = parts[node.part];
      break;
    }
    case NodeKind::kAccumulator: result = accumulators_[AccumulatorKey(node.var, node.part)]; break;
  }
  result.value.type = node.type;
  slots_[id] = result;
  stamps_[id] = of_element_[id] ? element_turn_ : turn_;
  return slots_[id];
}

ElementTracer::Traced ElementTracer::EvalOp(const Node& node) {
  Scalar in[2];
  Traced parts[2];
  const size_t n = std::min<size_t>(node.inputs.size(), 2);
  for (size_t k = 0; k < n; ++k) {
    parts[k] = Eval(node.inputs[k]);
    in[k] = parts[k].value;
  }
  Traced result;
  result.value = EvalScalarOp(node.op, node.type, node.aux, absl::MakeConstSpan(in, n));
  if (node.op == ScalarOp::kConvert && n == 1) {
    result.origin = parts[0].origin;
    result.compared = parts[0].compared;
    result.chosen = parts[0].chosen;
    result.converted = true;
  } else if ((node.op == ScalarOp::kMaximum || node.op == ScalarOp::kMinimum) && n == 2) {
    const bool first = ToText(result.value) == ToText(in[0]);
    const Traced& winner = parts[first ? 0 : 1];
    result.origin = winner.origin;
    result.chosen = winner.chosen;
    result.converted = winner.converted;
    result.compared = true;
  }
  return result;
}

ElementTracer::Traced ElementTracer::EvalSelect(const Node& node) {
  const bool yes = Eval(node.inputs[0]).value.i != 0;
  Traced result = Eval(node.inputs[yes ? 1 : 2]);
  result.chosen = result.chosen || has_load_[node.inputs[0]];
  return result;
}

ElementTracer::Traced ElementTracer::EvalLoad(const Node& node) {
  Traced result;
  const Shape& shape = program_.operands[node.operand];
  int64_t linear = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t i = Eval(node.inputs[d]).value.i;
    if (i < 0 || i >= shape.dim(d)) {
      if (status_.ok()) status_ = absl::InternalError(absl::StrCat("index ", i, " in dimension ", d, " of operand ", node.operand, " is out of bounds"));
      return result;
    }
    linear = linear * shape.dim(d) + i;
  }
  absl::StatusOr<Scalar> value = (*load_)(node.operand, linear);
  if (!value.ok()) {
    if (status_.ok()) status_ = value.status();
    return result;
  }
  result.value = *value;
  if (recorded_ == nullptr) return result;
  const NodeId id = static_cast<NodeId>(&node - &graph_.node(0));
  const LoadRole role = roles_[id] & Bit(LoadRole::kValue) ? LoadRole::kValue : roles_[id] & Bit(LoadRole::kPredicate) ? LoadRole::kPredicate : LoadRole::kIndex;
  const auto [entry, fresh] = numbers_.try_emplace({node.operand, linear}, static_cast<int>(recorded_->size()));
  if (fresh) recorded_->push_back({node.operand, linear, *value, role});
  TracedLoad& load = (*recorded_)[entry->second];
  load.role = std::max(load.role, role);
  result.origin = entry->second;
  return result;
}

void ElementTracer::EvalFold(NodeId id, const Node& node) {
  const FoldInfo& info = graph_.fold(node);
  std::vector<Traced> running, next;
  for (NodeId init : info.inits) running.push_back(Eval(init));
  int64_t total = 1;
  for (int64_t e : info.extents) total *= e;
  std::vector<int64_t> at(info.extents.size(), 0);
  for (int64_t t = 0; t < total && status_.ok(); ++t) {
    if (--points_left_ < 0) status_ = absl::ResourceExhaustedError("the element is made from more terms than are looked at one by one");
    for (size_t p = 0; p < running.size(); ++p) accumulators_[AccumulatorKey(info.id, static_cast<int>(p))] = running[p];
    for (size_t d = 0; d < at.size(); ++d) vars_[info.vars[d]] = at[d];
    NewTurn();
    next.clear();
    for (NodeId body : info.bodies) next.push_back(Eval(body));
    running.swap(next);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < info.extents[d]) break;
      at[d] = 0;
    }
  }
  NewTurn();
  fold_parts_[id] = std::move(running);
}

bool ElementTracer::SetPoint(int64_t point) {
  const std::vector<int32_t>& vars = program_.push.vars;
  for (size_t d = vars.size(); d-- > 0;) {
    const int64_t extent = graph_.VarExtent(vars[d]);
    if (extent <= 0) return false;
    vars_[vars[d]] = point % extent;
    point /= extent;
  }
  NewTurn();
  return true;
}

int64_t ElementTracer::push_points() const {
  int64_t points = 1;
  for (int32_t v : program_.push.vars) points *= graph_.VarExtent(v);
  return points;
}

absl::StatusOr<int64_t> ElementTracer::PushPoint(int64_t point, const ElementLoader& load, std::vector<TracedLoad>* loads) {
  load_ = &load;
  recorded_ = loads;
  numbers_.clear();
  status_ = absl::OkStatus();
  points_left_ = INT64_MAX;
  element_turn_ = ++counter_;
  SetPoint(point);
  int64_t linear = 0;
  if (program_.push.in_bounds != kNoNode && Eval(program_.push.in_bounds).value.i == 0) linear = -1;
  const auto dims = program_.outputs[0].shape.dimensions();
  for (size_t d = 0; d < dims.size() && linear >= 0; ++d) linear = linear * dims[d] + Eval(program_.push.target[d]).value.i;
  if (linear >= 0 && loads != nullptr) {
    for (size_t p = 0; p < program_.push.combined.size(); ++p) {
      Traced& accumulator = accumulators_[AccumulatorKey(program_.push.accumulator_id, static_cast<int>(p))];
      accumulator = Traced();
      accumulator.value.type = program_.outputs[p].shape.element_type();
    }
    for (NodeId combined : program_.push.combined) Eval(combined);
  }
  recorded_ = nullptr;
  if (!status_.ok()) return status_;
  return linear;
}

absl::StatusOr<TracedElement> ElementTracer::At(int output, absl::Span<const int64_t> index, const ElementLoader& load, int64_t max_points) {
  TracedElement element;
  load_ = &load;
  numbers_.clear();
  recorded_ = &element.loads;
  status_ = absl::OkStatus();
  points_left_ = max_points;
  for (size_t d = 0; d < index.size(); ++d) vars_[d] = index[d];
  element_turn_ = ++counter_;
  NewTurn();
  std::vector<Traced> now;
  for (size_t o = 0; o < program_.outputs.size(); ++o) {
    // Updates of several outputs may read each other's elements.
    if (static_cast<int>(o) == output || program_.is_push) {
      now.push_back(Eval(program_.outputs[o].value));
    } else {
      now.emplace_back();
    }
  }
  if (program_.is_push && status_.ok()) {
    const Program::Push& push = program_.push;
    const int64_t points = push_points();
    if (points > max_points) return absl::ResourceExhaustedError("there are more updates than are looked at one by one");
    bool uses_old = false;
    for (NodeId combined : push.combined) {
      for (int32_t v : graph_.FreeVars(combined)) uses_old = uses_old || v < 0;
    }
    for (int64_t t = 0; t < points && status_.ok(); ++t) {
      recorded_ = nullptr;
      element_turn_ = ++counter_;
      if (!SetPoint(t)) break;
      const auto hits = [&] {
        if (push.in_bounds != kNoNode && Eval(push.in_bounds).value.i == 0) return false;
        for (size_t d = 0; d < index.size(); ++d) {
          if (Eval(push.target[d]).value.i != index[d]) return false;
        }
        return true;
      };
      if (!hits()) continue;
      if (!uses_old) {  // what was there before is gone
        element.loads.clear();
        numbers_.clear();
      }
      recorded_ = &element.loads;
      element_turn_ = ++counter_;
      NewTurn();
      hits();
      for (size_t p = 0; p < now.size(); ++p) accumulators_[AccumulatorKey(push.accumulator_id, static_cast<int>(p))] = now[p];
      std::vector<Traced> next;
      for (NodeId combined : push.combined) next.push_back(Eval(combined));
      now.swap(next);
    }
  }
  recorded_ = nullptr;
  if (!status_.ok()) return status_;
  const Traced& result = now[output];
  element.value = result.value;
  element.origin = result.origin;
  element.compared = result.compared;
  element.chosen = result.chosen;
  element.converted = result.converted;
  return element;
}

// ---- Terms and formulas ----

std::optional<ElementTracer::Terms> ElementTracer::TermsAt(int output, absl::Span<const int64_t> index) const {
  if (program_.is_push) return std::nullopt;
  std::vector<NodeId> todo = {program_.outputs[output].value}, folds;
  std::vector<bool> seen(graph_.size(), false);
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    const Node& node = graph_.node(id);
    if (node.kind == NodeKind::kFold) {
      folds.push_back(id);
      continue;
    }
    todo.insert(todo.end(), node.inputs.begin(), node.inputs.end());
  }
  if (folds.size() != 1) return std::nullopt;
  const FoldInfo& info = graph_.fold(graph_.node(folds[0]));
  if (info.bodies.size() != 1) return std::nullopt;
  const Node& body = graph_.node(info.bodies[0]);
  if (body.kind != NodeKind::kScalarOp || body.inputs.size() != 2 || !IsReassociable(body.op)) return std::nullopt;
  NodeId element = kNoNode;
  for (int side = 0; side < 2 && element == kNoNode; ++side) {
    const Node& accumulator = graph_.node(body.inputs[side]);
    if (accumulator.kind == NodeKind::kAccumulator && accumulator.var == info.id) element = body.inputs[1 - side];
  }
  if (element == kNoNode) return std::nullopt;
  for (int32_t v : graph_.FreeVars(element)) {
    if (v < 0) return std::nullopt;
    if (v >= program_.rank() && std::find(info.vars.begin(), info.vars.end(), v) == info.vars.end()) return std::nullopt;
  }
  Terms terms;
  terms.op = body.op;
  terms.extents = info.extents;
  const ElementType type = graph_.node(element).type;
  terms.program = Program::Pull(program_.operands, Shape::Array(type, info.extents));
  ExprGraph& graph = *terms.program.graph;
  ExprGraph::Substitution substitution;
  substitution.index_map.assign(graph_.var_count(), kNoNode);
  for (size_t d = 0; d < index.size(); ++d) substitution.index_map[d] = graph.IndexConstant(index[d]);
  for (size_t d = 0; d < info.vars.size(); ++d) substitution.index_map[info.vars[d]] = graph.Index(static_cast<int32_t>(d));
  terms.program.outputs[0].value = graph.Substitute(graph_, element, substitution);
  return terms;
}

namespace {

// The value of a node without variables, folds and unknown loads.
std::optional<Scalar> Closed(const ExprGraph& graph, NodeId id, const std::function<std::optional<Scalar>(const Node&)>& load) {
  const Node& node = graph.node(id);
  switch (node.kind) {
    case NodeKind::kConstant: return node.constant;
    case NodeKind::kLoad: return load(node);
    case NodeKind::kSelect: {
      const std::optional<Scalar> pred = Closed(graph, node.inputs[0], load);
      if (!pred) return std::nullopt;
      return Closed(graph, node.inputs[pred->i ? 1 : 2], load);
    }
    case NodeKind::kScalarOp: {
      std::vector<Scalar> in;
      for (NodeId input : node.inputs) {
        const std::optional<Scalar> x = Closed(graph, input, load);
        if (!x) return std::nullopt;
        in.push_back(*x);
      }
      return EvalScalarOp(node.op, node.type, node.aux, in);
    }
    case NodeKind::kIndex:
    case NodeKind::kFold:
    case NodeKind::kFoldResult:
    case NodeKind::kAccumulator: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::string ElementTracer::Formula(int output, absl::Span<const int64_t> index, absl::Span<const std::string> operand_names, bool numbers,
                                   const ElementLoader& load) const {
  if (program_.is_push) return "";
  Program shown;
  shown.operands = program_.operands;
  std::vector<std::string> names(operand_names.begin(), operand_names.end());
  names.resize(shown.operands.size());
  std::vector<Scalar> values(shown.operands.size());
  absl::flat_hash_map<std::pair<int, int64_t>, int> known;
  ExprGraph& graph = *shown.graph;
  ExprGraph::Substitution substitution;
  substitution.index_map.assign(graph_.var_count(), kNoNode);
  for (size_t d = 0; d < index.size(); ++d) substitution.index_map[d] = graph.IndexConstant(index[d]);
  std::function<std::optional<Scalar>(const Node&)> closed_load = [&](const Node& node) -> std::optional<Scalar> {
    if (node.operand < static_cast<int>(program_.operands.size())) return std::nullopt;
    return values[node.operand];
  };
  substitution.load = [&](int32_t operand, ElementType type, absl::Span<const NodeId> indices) {
    const Shape& shape = program_.operands[operand];
    int64_t linear = 0;
    std::string text = names[operand];
    for (size_t d = 0; d < indices.size(); ++d) {
      const std::optional<Scalar> i = Closed(graph, indices[d], closed_load);
      if (!i || i->i < 0 || i->i >= shape.dim(static_cast<int>(d))) return graph.Load(operand, type, indices);
      linear = linear * shape.dim(static_cast<int>(d)) + i->i;
      absl::StrAppend(&text, d == 0 ? "[" : ",", i->i);
    }
    if (!indices.empty()) text += "]";
    const auto [entry, fresh] = known.try_emplace({operand, linear}, static_cast<int>(names.size()));
    if (fresh) {
      absl::StatusOr<Scalar> value = load(operand, linear);
      shown.operands.push_back(Shape::Scalar(type));
      values.push_back(value.ok() ? *value : Scalar());
      if (numbers && value.ok()) {
        text = ToText(*value);
        if (text[0] == '-') text = absl::StrCat("(", text, ")");
      }
      names.push_back(text);
    }
    return graph.Load(entry->second, type, {});
  };
  const NodeId value = graph.Substitute(graph_, program_.outputs[output].value, substitution);
  shown.outputs.push_back({Shape::Scalar(program_.outputs[output].shape.element_type()), value});
  const std::string text = ToFormula(shown, names);
  return absl::StrReplaceAll(absl::string_view(text), {{"out[] = ", ""}, {"[]", ""}, {"\n", "; "}});
}

// ---- Intervals ----

ElementTracer::Interval ElementTracer::IntervalOf(NodeId id) {
  if (interval_stamps_[id] == interval_turn_) return intervals_[id];
  interval_stamps_[id] = interval_turn_;
  return intervals_[id] = IntervalOfNode(graph_.node(id));
}

ElementTracer::Interval ElementTracer::IntervalOfNode(const Node& node) {
  constexpr Interval kAll{INT64_MIN / 4, INT64_MAX / 4};
  switch (node.kind) {
    case NodeKind::kIndex: return ranges_[node.var];
    case NodeKind::kConstant:
      if (IsInteger(node.type) || IsPred(node.type)) return {node.constant.i, node.constant.i};
      return kAll;
    case NodeKind::kScalarOp: return IntervalOfOp(node);
    case NodeKind::kLoad: {
      const Interval otherwise = IsPred(node.type) ? Interval{0, 1} : kAll;
      if (!IsInteger(node.type) && !IsPred(node.type)) return otherwise;
      const Shape& shape = program_.operands[node.operand];
      int64_t linear = 0;
      for (int d = 0; d < shape.rank(); ++d) {
        const Interval i = IntervalOf(node.inputs[d]);
        if (!i.point() || i.low < 0 || i.low >= shape.dim(d)) return otherwise;
        linear = linear * shape.dim(d) + i.low;
      }
      const absl::StatusOr<Scalar> value = (*load_)(node.operand, linear);
      if (!value.ok() || value->i < kAll.low || value->i > kAll.high) return otherwise;
      return {value->i, value->i};
    }
    case NodeKind::kSelect: {
      const Interval pred = IntervalOf(node.inputs[0]);
      if (pred.point()) return IntervalOf(node.inputs[pred.low ? 1 : 2]);
      const Interval a = IntervalOf(node.inputs[1]), b = IntervalOf(node.inputs[2]);
      return {std::min(a.low, b.low), std::max(a.high, b.high)};
    }
    case NodeKind::kFold:
    case NodeKind::kFoldResult:
    case NodeKind::kAccumulator: return IsPred(node.type) ? Interval{0, 1} : kAll;
  }
  return kAll;
}

ElementTracer::Interval ElementTracer::IntervalOfOp(const Node& node) {
  constexpr Interval kAll{INT64_MIN / 4, INT64_MAX / 4};
  const Interval otherwise = IsPred(node.type) ? Interval{0, 1} : kAll;
  const ElementType input = graph_.node(node.inputs[0]).type;
  if (!IsInteger(input) && !IsPred(input)) return otherwise;
  const Interval a = IntervalOf(node.inputs[0]);
  const Interval b = node.inputs.size() > 1 ? IntervalOf(node.inputs[1]) : a;
  const auto clip = [&](__int128 low, __int128 high) {
    if (low < kAll.low || high > kAll.high) return kAll;
    return Interval{static_cast<int64_t>(low), static_cast<int64_t>(high)};
  };
  const auto truth = [](bool yes, bool no) { return yes ? Interval{1, 1} : no ? Interval{0, 0} : Interval{0, 1}; };
  const bool narrow = node.type != ElementType::kS64 && !IsPred(node.type);
  if (narrow && !(a.point() && b.point()) && node.op != ScalarOp::kMaximum && node.op != ScalarOp::kMinimum) return otherwise;
  if (IsUnsigned(input) && BitWidth(input) == 64 && (a.low < 0 || b.low < 0)) return otherwise;
  switch (node.op) {
    case ScalarOp::kAdd: return clip(static_cast<__int128>(a.low) + b.low, static_cast<__int128>(a.high) + b.high);
    case ScalarOp::kSubtract: return clip(static_cast<__int128>(a.low) - b.high, static_cast<__int128>(a.high) - b.low);
    case ScalarOp::kMultiply: {
      const __int128 x[] = {static_cast<__int128>(a.low) * b.low, static_cast<__int128>(a.low) * b.high, static_cast<__int128>(a.high) * b.low,
                            static_cast<__int128>(a.high) * b.high};
      return clip(*std::min_element(x, x + 4), *std::max_element(x, x + 4));
    }
    case ScalarOp::kFloorDiv: {
      if (!b.point() || b.low <= 0) return otherwise;
      const auto div = [&](int64_t x) { return x / b.low - (x % b.low < 0 ? 1 : 0); };
      return {div(a.low), div(a.high)};
    }
    case ScalarOp::kMod: {
      if (!b.point() || b.low <= 0) return otherwise;
      const auto div = [&](int64_t x) { return x / b.low - (x % b.low < 0 ? 1 : 0); };
      if (div(a.low) == div(a.high)) return {a.low - div(a.low) * b.low, a.high - div(a.low) * b.low};
      return {0, b.low - 1};
    }
    case ScalarOp::kMaximum: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case ScalarOp::kMinimum: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case ScalarOp::kLt: return truth(a.high < b.low, a.low >= b.high);
    case ScalarOp::kLe: return truth(a.high <= b.low, a.low > b.high);
    case ScalarOp::kGt: return truth(a.low > b.high, a.high <= b.low);
    case ScalarOp::kGe: return truth(a.low >= b.high, a.high < b.low);
    case ScalarOp::kEq: return truth(a.point() && b.point() && a.low == b.low, a.high < b.low || b.high < a.low);
    case ScalarOp::kNe: return truth(a.high < b.low || b.high < a.low, a.point() && b.point() && a.low == b.low);
    case ScalarOp::kAnd:
      if (IsPred(node.type)) return {a.low & b.low, a.high & b.high};
      break;
    case ScalarOp::kOr:
      if (IsPred(node.type)) return {a.low | b.low, a.high | b.high};
      break;
    case ScalarOp::kNot:
      if (IsPred(node.type)) return {1 - a.high, 1 - a.low};
      break;
    case ScalarOp::kConvert:
      if (node.type == ElementType::kS64 && !(IsUnsigned(input) && BitWidth(input) == 64 && a.low < 0)) return a;
      break;
    default: break;
  }
  return otherwise;
}

// The index is a variable of a fold, shifted by what is a number for all the output elements looked at, and no other index of the load
// has it.
bool ElementTracer::IsFreeDim(const Node& load, size_t d) const {
  const ExprGraph::Affine affine = graph_.ToAffine(load.inputs[d]);
  int32_t var = -1;
  for (const auto& [id, factor] : affine.terms) {
    const Node& term = graph_.node(id);
    if (term.kind != NodeKind::kIndex) return false;
    if (ranges_[term.var].point()) continue;  // a number here
    if (term.var < program_.rank() || var >= 0 || std::abs(factor) != 1) return false;
    var = term.var;
  }
  if (var < 0) return false;
  for (size_t other = 0; other < load.inputs.size(); ++other) {
    if (other == d) continue;
    for (int32_t v : graph_.FreeVars(load.inputs[other])) {
      if (v == var) return false;
    }
  }
  return true;
}

void ElementTracer::Collect(NodeId id, int operand, bool certain, std::vector<uint8_t>* seen, std::vector<Reach>* out) {
  if (id == kNoNode || !has_load_[id]) return;
  const uint8_t mark = certain ? 2 : 1;
  if ((*seen)[id] >= mark) return;
  (*seen)[id] = mark;
  const Node& node = graph_.node(id);
  if (node.kind == NodeKind::kSelect) {
    const Interval pred = IntervalOf(node.inputs[0]);
    Collect(node.inputs[0], operand, certain, seen, out);
    if (!pred.point() || pred.low != 0) Collect(node.inputs[1], operand, certain && pred.point(), seen, out);
    if (!pred.point() || pred.low == 0) Collect(node.inputs[2], operand, certain && pred.point(), seen, out);
    return;
  }
  for (NodeId input : node.inputs) Collect(input, operand, certain, seen, out);
  if (node.kind == NodeKind::kFold) {
    for (NodeId x : graph_.fold(node).inits) Collect(x, operand, certain, seen, out);
    bool empty = false;
    for (int64_t e : graph_.fold(node).extents) empty = empty || e == 0;
    if (empty) return;
    for (NodeId x : graph_.fold(node).bodies) Collect(x, operand, certain, seen, out);
  }
  if (node.kind != NodeKind::kLoad || node.operand != operand) return;
  Reach reach;
  reach.certain = certain;
  const Shape& shape = program_.operands[operand];
  for (int d = 0; d < shape.rank(); ++d) {
    const Interval i = IntervalOf(node.inputs[d]);
    Dim dim{std::max<int64_t>(i.low, 0), std::min(i.high, shape.dim(d) - 1), 0, IsFreeDim(node, d)};
    for (int32_t v : graph_.FreeVars(node.inputs[d])) {
      if (v >= 0 && v < std::min(program_.rank(), 64)) dim.vars |= uint64_t{1} << v;
    }
    // What a guard keeps inside is no certainty for each element.
    if (i.low < 0 || i.high >= shape.dim(d)) reach.certain = false;
    if (dim.low > dim.high) return;
    reach.dims.push_back(dim);
  }
  out->push_back(std::move(reach));
}

std::vector<ElementTracer::FixedVars> ElementTracer::FoldChoices(int output, int64_t most) const {
  std::vector<NodeId> todo = {program_.outputs[output].value};
  std::vector<bool> seen(graph_.size(), false);
  std::vector<std::pair<int64_t, int32_t>> vars;  // by extent
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    const Node& node = graph_.node(id);
    todo.insert(todo.end(), node.inputs.begin(), node.inputs.end());
    if (node.kind != NodeKind::kFold) continue;
    const FoldInfo& info = graph_.fold(node);
    for (size_t d = 0; d < info.vars.size(); ++d) vars.push_back({info.extents[d], info.vars[d]});
    todo.insert(todo.end(), info.bodies.begin(), info.bodies.end());
    todo.insert(todo.end(), info.inits.begin(), info.inits.end());
  }
  std::sort(vars.begin(), vars.end());
  std::vector<FixedVars> choices;
  for (const auto& [extent, var] : vars) {
    const int64_t before = std::max<int64_t>(1, static_cast<int64_t>(choices.size()));
    if (extent <= 0 || extent > most / before) break;
    std::vector<FixedVars> more;
    for (int64_t c = 0; c < before; ++c) {
      for (int64_t value = 0; value < extent; ++value) {
        more.push_back(choices.empty() ? FixedVars() : choices[c]);
        more.back().push_back({var, value});
      }
    }
    choices.swap(more);
  }
  return choices;
}

std::vector<ElementTracer::Reach> ElementTracer::ReachOf(int output, absl::Span<const int64_t> low, absl::Span<const int64_t> high, int operand,
                                                         const ElementLoader& load, const FixedVars& fixed) {
  load_ = &load;
  recorded_ = nullptr;
  ++interval_turn_;
  ranges_.resize(graph_.var_count());
  for (int v = 0; v < graph_.var_count(); ++v) ranges_[v] = {0, std::max<int64_t>(graph_.VarExtent(v) - 1, 0)};
  for (size_t d = 0; d < low.size(); ++d) ranges_[d] = {low[d], high[d]};
  for (const auto& [var, value] : fixed) ranges_[var] = {value, value};
  std::vector<Reach> found;
  std::vector<uint8_t> seen(graph_.size(), 0);
  Collect(program_.outputs[output].value, operand, true, &seen, &found);
  return found;
}

}  // namespace hloscope
