// Memoised evaluation like the interpreter's, but simpler: a node holds for the whole element or for one turn of the innermost fold.
// Terms and formulas stand in trace_terms.cc, intervals in trace_reach.cc.
#include "core/element/trace.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/base/message.h"
#include "core/element/scalar_eval.h"
#include "core/element/visit.h"

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

std::vector<NodeId> ElementTracer::OutermostFolds(int output) const {
  std::vector<NodeId> folds;
  VisitNodes(graph_, {program_.outputs[output].value}, [&](NodeId id, const Node& node) {
    if (node.kind != NodeKind::kFold) return Visit::kInto;
    folds.push_back(id);
    return Visit::kPast;
  });
  return folds;
}

bool ElementTracer::IsExact(int output) const {
  if (program_.is_push) return false;
  std::vector<NodeId> todo = {program_.outputs[output].value};
  std::vector<bool> seen(graph_.size(), false);
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    if (id == kNoNode || seen[id]) continue;
    seen[id] = true;
    const Node& node = graph_.node(id);
    if (node.kind == NodeKind::kScalarOp && !IsSameEverywhere(node.op, node.type, graph_.node(node.inputs[0]).type)) return false;
    todo.insert(todo.end(), node.inputs.begin(), node.inputs.end());
    if (node.kind != NodeKind::kFold) continue;
    todo.insert(todo.end(), graph_.fold(node).inits.begin(), graph_.fold(node).inits.end());
    todo.insert(todo.end(), graph_.fold(node).bodies.begin(), graph_.fold(node).bodies.end());
  }
  return true;
}

bool ElementTracer::IsCheap(int output) const { return !program_.is_push && OutermostFolds(output).empty(); }

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
    case NodeKind::kFold: break;  // it has no value; its parts have
    case NodeKind::kFoldResult: {
      EvalFold(id, node);
      const std::vector<Traced>& parts = fold_parts_[id];
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
  if (on_op_) on_op_(node, absl::MakeConstSpan(in, n), result.value, fold_depth_ > 0);
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

std::vector<bool> PartsNeededFor(const ExprGraph& graph, const FoldInfo& info, int part) {
  std::vector<bool> needed(info.bodies.size(), false);
  std::vector<int> parts = {part};
  needed[part] = true;
  while (!parts.empty()) {
    const NodeId body = info.bodies[parts.back()];
    parts.pop_back();
    VisitNodes(graph, {body}, [&](NodeId, const Node& node) {
      if (node.kind == NodeKind::kAccumulator && node.var == info.id && !needed[node.part]) {
        needed[node.part] = true;
        parts.push_back(node.part);
      }
      return Visit::kInto;
    });
  }
  return needed;
}

std::vector<bool> ElementTracer::OutputsNeededFor(int output) const {
  std::vector<bool> needed(program_.outputs.size(), false);
  needed[output] = true;
  if (!program_.is_push) return needed;
  FoldInfo updates;
  updates.id = program_.push.accumulator_id;
  updates.bodies = program_.push.combined;
  return PartsNeededFor(graph_, updates, output);
}

bool ElementTracer::UsesOld(int output) const {
  const absl::Span<const int32_t> free = graph_.FreeVars(program_.push.combined[output]);
  return std::any_of(free.begin(), free.end(), [](int32_t v) { return v < 0; });
}

void ElementTracer::EvalFold(NodeId id, const Node& result) {
  const FoldInfo& info = graph_.fold(graph_.node(result.inputs[0]));
  const std::vector<bool> needed = PartsNeededFor(graph_, info, result.part);
  std::vector<Traced> running, next;
  for (size_t p = 0; p < info.inits.size(); ++p) running.push_back(needed[p] ? Eval(info.inits[p]) : Traced());
  int64_t total = 1;
  for (int64_t e : info.extents) total *= e;
  std::vector<int64_t> at(info.extents.size(), 0);
  for (int64_t t = 0; t < total && status_.ok(); ++t) {
    if (--points_left_ < 0) status_ = absl::ResourceExhaustedError(HLO_MESSAGE("the element is made from more terms than are looked at one by one"));
    for (size_t p = 0; p < running.size(); ++p) accumulators_[AccumulatorKey(info.id, static_cast<int>(p))] = running[p];
    for (size_t d = 0; d < at.size(); ++d) vars_[info.vars[d]] = at[d];
    NewTurn();
    next.clear();
    ++fold_depth_;
    for (size_t p = 0; p < info.bodies.size(); ++p) next.push_back(needed[p] ? Eval(info.bodies[p]) : Traced());
    --fold_depth_;
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

absl::StatusOr<int64_t> ElementTracer::PushPoint(int64_t point, const ElementLoader& load, std::vector<TracedLoad>* loads, const std::vector<bool>* needed) {
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
  for (size_t l = 0; loads != nullptr && l < loads->size(); ++l) (*loads)[l].places = true;
  if (linear >= 0 && loads != nullptr) {
    for (size_t p = 0; p < program_.push.combined.size(); ++p) {
      Traced& accumulator = accumulators_[AccumulatorKey(program_.push.accumulator_id, static_cast<int>(p))];
      accumulator = Traced();
      accumulator.value.type = program_.outputs[p].shape.element_type();
    }
    for (size_t p = 0; p < program_.push.combined.size(); ++p) {
      if (needed == nullptr || (*needed)[p]) Eval(program_.push.combined[p]);
    }
  }
  recorded_ = nullptr;
  if (!status_.ok()) return status_;
  return linear;
}

Scalar ElementTracer::Start(int output, absl::Span<const int64_t> index, const ElementLoader& load) {
  load_ = &load;
  recorded_ = nullptr;
  status_ = absl::OkStatus();
  points_left_ = INT64_MAX;
  for (size_t d = 0; d < index.size(); ++d) vars_[d] = index[d];
  element_turn_ = ++counter_;
  NewTurn();
  return Eval(program_.outputs[output].value).value;
}

void ElementTracer::Updates(const ElementLoader& load, const std::function<bool(int64_t target)>& each) {
  const Program::Push& push = program_.push;
  absl::flat_hash_map<int64_t, std::vector<Traced>> running;
  const Shape& shape = program_.outputs[0].shape;
  std::vector<int64_t> index(shape.rank());
  const int64_t points = push_points();
  for (int64_t t = 0; t < points; ++t) {
    load_ = &load;
    recorded_ = nullptr;
    status_ = absl::OkStatus();
    points_left_ = INT64_MAX;
    element_turn_ = ++counter_;
    if (!SetPoint(t)) return;
    if (push.in_bounds != kNoNode && Eval(push.in_bounds).value.i == 0) continue;
    int64_t target = 0;
    for (int d = 0; d < shape.rank(); ++d) target = target * shape.dim(d) + (index[d] = Eval(push.target[d]).value.i);
    auto [at, fresh] = running.try_emplace(target);
    if (fresh) {
      OnOp quiet;
      std::swap(quiet, on_op_);
      for (size_t o = 0; o < program_.outputs.size(); ++o) {
        Traced before;
        before.value = Start(static_cast<int>(o), index, load);
        at->second.push_back(before);
      }
      std::swap(quiet, on_op_);
      element_turn_ = ++counter_;
      SetPoint(t);
    }
    for (size_t p = 0; p < at->second.size(); ++p) accumulators_[AccumulatorKey(push.accumulator_id, static_cast<int>(p))] = at->second[p];
    std::vector<Traced> next;
    for (NodeId combined : push.combined) next.push_back(Eval(combined));
    at->second = std::move(next);
    if (!each(target)) return;
  }
}

absl::StatusOr<TracedElement> ElementTracer::At(int output, absl::Span<const int64_t> index, const ElementLoader& load, int64_t max_points,
                                                const OnUpdate& updated) {
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
  const std::vector<bool> needed = OutputsNeededFor(output);
  for (size_t o = 0; o < program_.outputs.size(); ++o) {
    if (needed[o]) {
      now.push_back(Eval(program_.outputs[o].value));
    } else {
      now.emplace_back();
    }
  }
  if (program_.is_push && status_.ok()) {
    const Program::Push& push = program_.push;
    const int64_t points = push_points();
    if (points > max_points) return absl::ResourceExhaustedError(HLO_MESSAGE("there are more updates than are looked at one by one"));
    const bool uses_old = UsesOld(output);
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
      for (size_t p = 0; p < now.size(); ++p) next.push_back(needed[p] ? Eval(push.combined[p]) : Traced());
      now.swap(next);
      if (updated) updated(t, now[output].value);
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

}  // namespace hloscope
