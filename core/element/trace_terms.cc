// What an element is made of, for people: the terms of its fold, and its formula with the indices and numbers filled in.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/element/scalar_eval.h"
#include "core/element/trace.h"
#include "core/element/visit.h"

namespace hloscope {

std::optional<ElementTracer::Terms> ElementTracer::TermsAt(int output, absl::Span<const int64_t> index) const {
  if (program_.is_push) return UpdateTermsAt(output, index);
  const std::vector<NodeId> folds = OutermostFolds(output);
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
  terms.init = Program::Pull(program_.operands, Shape::Array(graph_.node(info.inits[0]).type, {}));
  ExprGraph::Substitution at;
  for (int v = 0; v < graph_.var_count(); ++v) at.index_map.push_back(v < static_cast<int>(index.size()) ? terms.init.graph->IndexConstant(index[v]) : kNoNode);
  terms.init.outputs[0].value = terms.init.graph->Substitute(graph_, info.inits[0], at);
  ExprGraph& graph = *terms.program.graph;
  ExprGraph::Substitution substitution;
  substitution.index_map.assign(graph_.var_count(), kNoNode);
  for (size_t d = 0; d < index.size(); ++d) substitution.index_map[d] = graph.IndexConstant(index[d]);
  for (size_t d = 0; d < info.vars.size(); ++d) substitution.index_map[info.vars[d]] = graph.Index(static_cast<int32_t>(d));
  terms.program.outputs[0].value = graph.Substitute(graph_, element, substitution);
  return terms;
}

std::optional<ElementTracer::Terms> ElementTracer::UpdateTermsAt(int output, absl::Span<const int64_t> index) const {
  const Program::Push& push = program_.push;
  const Node& body = graph_.node(push.combined[output]);
  if (body.kind != NodeKind::kScalarOp || body.inputs.size() != 2 || !IsReassociable(body.op)) return std::nullopt;
  NodeId element = kNoNode;
  for (int side = 0; side < 2 && element == kNoNode; ++side) {
    const Node& accumulator = graph_.node(body.inputs[side]);
    if (accumulator.kind == NodeKind::kAccumulator && accumulator.var == push.accumulator_id && accumulator.part == output) element = body.inputs[1 - side];
  }
  if (element == kNoNode) return std::nullopt;
  const absl::Span<const int32_t> free = graph_.FreeVars(element);
  if (std::any_of(free.begin(), free.end(), [](int32_t v) { return v < 0; })) return std::nullopt;
  Terms terms;
  terms.op = body.op;
  terms.fixed.assign(push.vars.size(), -1);
  for (size_t d = 0; d < push.target.size(); ++d) {  // a window's dimension goes where it stands
    const Node& target = graph_.node(push.target[d]);
    const auto var = std::find(push.vars.begin(), push.vars.end(), target.kind == NodeKind::kIndex ? target.var : -1);
    if (var == push.vars.end() || index[d] >= graph_.VarExtent(*var)) continue;
    terms.fixed[var - push.vars.begin()] = index[d];
  }
  for (size_t d = 0; d < push.vars.size(); ++d) terms.extents.push_back(terms.fixed[d] >= 0 ? std::min<int64_t>(1, graph_.VarExtent(push.vars[d])) : graph_.VarExtent(push.vars[d]));
  const auto over_updates = [&](ElementType type) { return Program::Pull(program_.operands, Shape::Array(type, terms.extents)); };
  const auto points = [&](ExprGraph& graph) {
    ExprGraph::Substitution substitution;
    substitution.index_map.assign(graph_.var_count(), kNoNode);
    for (size_t d = 0; d < push.vars.size(); ++d) {
      substitution.index_map[push.vars[d]] = terms.fixed[d] >= 0 ? graph.IndexConstant(terms.fixed[d]) : graph.Index(static_cast<int32_t>(d));
    }
    return substitution;
  };
  terms.program = over_updates(graph_.node(element).type);
  terms.program.outputs[0].value = terms.program.graph->Substitute(graph_, element, points(*terms.program.graph));
  terms.lands = over_updates(ElementType::kPred);
  ExprGraph& graph = *terms.lands->graph;
  std::vector<NodeId> roots = push.target;
  if (push.in_bounds != kNoNode) roots.push_back(push.in_bounds);
  const std::vector<NodeId> places = graph.SubstituteAll(graph_, roots, points(graph));
  NodeId lands = graph.Constant(Scalar::Int(ElementType::kPred, 1));
  for (size_t d = 0; d < push.target.size(); ++d) lands = graph.And(lands, graph.Binary(ScalarOp::kEq, places[d], graph.IndexConstant(index[d])));
  if (push.in_bounds != kNoNode) lands = graph.Select(places.back(), lands, graph.Constant(Scalar::Int(ElementType::kPred, 0)));
  terms.lands->outputs[0].value = lands;
  terms.init = Program::Pull(program_.operands, Shape::Array(program_.outputs[output].shape.element_type(), {}));
  ExprGraph::Substitution at;
  at.index_map.assign(graph_.var_count(), kNoNode);
  for (size_t d = 0; d < index.size(); ++d) at.index_map[d] = terms.init.graph->IndexConstant(index[d]);
  terms.init.outputs[0].value = terms.init.graph->Substitute(graph_, program_.outputs[output].value, at);
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

// By node: whether a number of the result may come from it; else it says only where from, or whether.
std::vector<bool> GivesNumbers(const ExprGraph& graph, NodeId root) {
  std::vector<bool> gives(graph.size(), false);
  std::vector<NodeId> todo = {root};
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    if (gives[id]) continue;
    gives[id] = true;
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kLoad) continue;
    todo.insert(todo.end(), node.inputs.begin() + (node.kind == NodeKind::kSelect ? 1 : 0), node.inputs.end());
    if (node.kind != NodeKind::kFold) continue;
    const FoldInfo& info = graph.fold(node);
    todo.insert(todo.end(), info.inits.begin(), info.inits.end());
    todo.insert(todo.end(), info.bodies.begin(), info.bodies.end());
  }
  return gives;
}

// Makes nodes again, in the same graph, over those that now stand in the place of others.
class Replacer {
 public:
  Replacer(ExprGraph& graph, absl::flat_hash_map<NodeId, NodeId> instead) : graph_(graph), made_(std::move(instead)) {}
  NodeId Of(NodeId id) {
    if (const auto it = made_.find(id); it != made_.end()) return it->second;
    const NodeId made = Make(graph_.node(id));
    return made_[id] = made;
  }

 private:
  NodeId Make(const Node node) {  // by value: the graph is growing
    std::vector<NodeId> in;
    if (node.kind != NodeKind::kFold) {
      for (NodeId input : node.inputs) in.push_back(Of(input));
    }
    switch (node.kind) {
      case NodeKind::kIndex: return graph_.Index(node.var);
      case NodeKind::kConstant: return graph_.Constant(node.constant);
      case NodeKind::kAccumulator: return graph_.Accumulator(node.var, node.part, node.type);
      case NodeKind::kLoad: return graph_.Load(node.operand, node.type, in);
      case NodeKind::kSelect: return graph_.Select(in[0], in[1], in[2]);
      case NodeKind::kFoldResult: return graph_.FoldResult(in[0], node.part);
      case NodeKind::kFold: {
        FoldInfo info = graph_.fold(node);
        for (NodeId& init : info.inits) init = Of(init);
        for (NodeId& body : info.bodies) body = Of(body);
        return graph_.Fold(std::move(info));
      }
      case NodeKind::kScalarOp: break;
    }
    if (node.op == ScalarOp::kConvert) return graph_.Convert(node.type, in[0]);
    if (node.op == ScalarOp::kBitcast) return graph_.Bitcast(node.type, in[0]);
    if (node.op == ScalarOp::kReducePrecision) return graph_.ReducePrecision(in[0], static_cast<int>(node.aux >> 8), static_cast<int>(node.aux & 255));
    return graph_.Op(node.op, in);
  }

  ExprGraph& graph_;
  absl::flat_hash_map<NodeId, NodeId> made_;
};

// By node: whether it is made of data.
std::vector<bool> OfData(const ExprGraph& graph) {
  std::vector<bool> data(graph.size(), false);
  const auto any = [&](const std::vector<NodeId>& nodes) { return std::any_of(nodes.begin(), nodes.end(), [&](NodeId n) { return n != kNoNode && data[n]; }); };
  for (NodeId id = 0; id < graph.size(); ++id) {  // inputs come before what uses them
    const Node& node = graph.node(id);
    data[id] = node.kind == NodeKind::kLoad || std::any_of(node.inputs.begin(), node.inputs.end(), [&](NodeId n) { return n != kNoNode && data[n]; });
    if (node.kind == NodeKind::kFold) data[id] = data[id] || any(graph.fold(node).inits) || any(graph.fold(node).bodies);
  }
  return data;
}

// What says alone from where numbers come, or whether: folds over data (a ragged dot's group), and data that indices are compared with (its size).
// Not what is another one for each turn of a fold.
std::vector<NodeId> SaysPlaces(const Program& program, NodeId root) {
  const ExprGraph& graph = *program.graph;
  const std::vector<bool> gives = GivesNumbers(graph, root), data = OfData(graph);
  const auto of_element = [&](NodeId id) { return absl::c_all_of(graph.FreeVars(id), [&](int32_t v) { return v >= 0 && v < program.rank(); }); };
  const auto is_index = [&](NodeId id) { return !data[id] && !graph.FreeVars(id).empty() && absl::c_all_of(graph.FreeVars(id), [](int32_t v) { return v >= 0; }); };
  std::vector<NodeId> nodes;
  VisitNodes(graph, {root}, [&](NodeId id, const Node& node) {
    if (gives[id]) return Visit::kInto;
    if (node.kind == NodeKind::kFoldResult && of_element(id)) nodes.push_back(id);
    if (node.kind != NodeKind::kScalarOp || !IsComparison(node.op)) return Visit::kInto;
    for (int side = 0; side < 2; ++side) {
      const NodeId compared = node.inputs[side];
      if (data[compared] && of_element(compared) && is_index(node.inputs[1 - side])) nodes.push_back(compared);
    }
    return Visit::kInto;
  });
  return nodes;
}

// The program of one element with what they say in their place. nullopt: nothing says places.
std::optional<Program> WithPlaces(const Program& program, int output, absl::Span<const int64_t> index, const ElementLoader& load) {
  std::vector<NodeId> roots = SaysPlaces(program, program.outputs[output].value);
  if (roots.empty()) return std::nullopt;
  Program element = Program::Pull(program.operands, Shape::Scalar(program.outputs[output].shape.element_type()));
  ExprGraph& graph = *element.graph;
  ExprGraph::Substitution at;
  at.index_map.assign(program.graph->var_count(), kNoNode);
  for (size_t d = 0; d < index.size(); ++d) at.index_map[d] = graph.IndexConstant(index[d]);
  roots.push_back(program.outputs[output].value);
  std::vector<NodeId> nodes = graph.SubstituteAll(*program.graph, roots, at);
  element.outputs[0].value = nodes.back();
  nodes.pop_back();
  Program said = element;
  said.outputs.clear();
  for (NodeId id : nodes) said.outputs.push_back({Shape::Scalar(graph.node(id).type), id});
  absl::flat_hash_map<NodeId, NodeId> instead;
  ElementTracer tracer(said);
  for (size_t n = 0; n < nodes.size(); ++n) instead[nodes[n]] = graph.Constant(tracer.Start(static_cast<int>(n), {}, load));
  element.outputs[0].value = Replacer(graph, std::move(instead)).Of(element.outputs[0].value);
  return element;
}

}  // namespace

std::string ElementTracer::Formula(int output, absl::Span<const int64_t> index, absl::Span<const std::string> operand_names, bool numbers,
                                   const ElementLoader& load) const {
  if (program_.is_push) return "";
  if (const std::optional<Program> placed = WithPlaces(program_, output, index, load)) return ElementTracer(*placed).Formula(0, {}, operand_names, numbers, load);
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
      if (numbers && value.ok()) text = ToText(*value);
      names.push_back(text);
    }
    return graph.Load(entry->second, type, {});
  };
  const NodeId value = graph.Substitute(graph_, program_.outputs[output].value, substitution);
  shown.outputs.push_back({Shape::Scalar(program_.outputs[output].shape.element_type()), value});
  const std::string text = ToFormula(shown, names);
  return absl::StrReplaceAll(absl::string_view(text), {{"out[] = ", ""}, {"[]", ""}, {"\n", "; "}});
}

}  // namespace hloscope
