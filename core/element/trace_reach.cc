// What the elements of a box may read, as intervals of indices.
#include <algorithm>
#include <cstdlib>

#include "core/element/trace.h"
#include "core/element/visit.h"

namespace hloscope {

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
  if (node.kind == NodeKind::kFoldResult) {
    const FoldInfo& info = graph_.fold(graph_.node(node.inputs[0]));
    const std::vector<bool> needed = PartsNeededFor(graph_, info, node.part);
    const bool empty = std::find(info.extents.begin(), info.extents.end(), 0) != info.extents.end();
    for (size_t p = 0; p < needed.size(); ++p) {
      if (!needed[p]) continue;
      Collect(info.inits[p], operand, certain, seen, out);
      if (!empty) Collect(info.bodies[p], operand, certain, seen, out);
    }
    return;
  }
  for (NodeId input : node.inputs) Collect(input, operand, certain, seen, out);
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
  std::vector<std::pair<int64_t, int32_t>> vars;  // by extent
  VisitNodes(graph_, {program_.outputs[output].value}, [&](NodeId, const Node& node) {
    if (node.kind != NodeKind::kFold) return Visit::kInto;
    const FoldInfo& info = graph_.fold(node);
    for (size_t d = 0; d < info.vars.size(); ++d) vars.push_back({info.extents[d], info.vars[d]});
    return Visit::kInto;
  });
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

std::optional<IndexBox> ElementTracer::TargetsOf(int64_t point, const ElementLoader& load, const std::function<bool(int, int64_t)>& changes) {
  const ElementLoader known = [&](int operand, int64_t linear) -> absl::StatusOr<Scalar> {
    if (changes(operand, linear)) return absl::UnavailableError("any number");
    return load(operand, linear);
  };
  load_ = &known;
  recorded_ = nullptr;
  ++interval_turn_;
  ranges_.resize(graph_.var_count());
  for (int v = 0; v < graph_.var_count(); ++v) ranges_[v] = {0, std::max<int64_t>(graph_.VarExtent(v) - 1, 0)};
  const std::vector<int32_t>& vars = program_.push.vars;
  for (size_t d = vars.size(); d-- > 0;) {
    const int64_t extent = std::max<int64_t>(graph_.VarExtent(vars[d]), 1);
    ranges_[vars[d]] = {point % extent, point % extent};
    point /= extent;
  }
  const Shape& shape = program_.outputs[0].shape;
  IndexBox box;
  for (int d = 0; d < shape.rank(); ++d) {
    const Interval i = IntervalOf(program_.push.target[d]);
    box.low.push_back(std::max<int64_t>(i.low, 0));
    box.high.push_back(std::min(i.high, shape.dim(d) - 1));
    if (box.low[d] > box.high[d]) return std::nullopt;
  }
  return box;
}

}  // namespace hloscope
