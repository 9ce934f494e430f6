// Node by node into a graph of its own. Numbers of integers, truth values and indices stay as they are.
#include "core/debug/widen.h"

#include "absl/container/flat_hash_map.h"

namespace hloscope {
namespace {

ElementType Wide(ElementType type) { return IsFloat(type) ? ElementType::kF64 : IsComplex(type) ? ElementType::kC128 : type; }
bool Narrows(ElementType type) { return Wide(type) != type; }

class Widener {
 public:
  explicit Widener(const Program& from) : from_(*from.graph), program_(from) {
    wide_.operands = from.operands;
    wide_.is_push = from.is_push;
  }

  Program Run() {
    for (int v = 0; v < from_.var_count(); ++v) wide_.graph->NewVar(from_.VarExtent(v));
    nodes_.assign(from_.size(), kNoNode);
    for (const Program::Output& output : program_.outputs) {
      wide_.outputs.push_back({output.shape.WithLayout(std::nullopt).WithElementType(Wide(output.shape.element_type())), Get(output.value)});
    }
    if (!program_.is_push) return std::move(wide_);
    const Program::Push& push = program_.push;
    wide_.push.vars = push.vars;
    wide_.push.order_free = push.order_free;
    wide_.push.accumulator_id = FoldId(push.accumulator_id);
    wide_.push.in_bounds = Get(push.in_bounds);
    for (const NodeId node : push.target) wide_.push.target.push_back(Get(node));
    for (const NodeId node : push.combined) wide_.push.combined.push_back(Get(node));
    return std::move(wide_);
  }

 private:
  int32_t FoldId(int32_t id) {
    const auto [entry, fresh] = folds_.try_emplace(id, 0);
    if (fresh) entry->second = wide_.graph->NewFoldId();
    return entry->second;
  }

  // Nodes come after what they are made of, so going up in numbers needs no recursion.
  NodeId Get(NodeId id) {
    if (id == kNoNode) return kNoNode;
    if (nodes_[id] != kNoNode) return nodes_[id];
    std::vector<NodeId> todo = {id};
    while (!todo.empty()) {
      const NodeId at = todo.back();
      if (nodes_[at] != kNoNode) {
        todo.pop_back();
        continue;
      }
      const size_t before = todo.size();
      const auto need = [&](NodeId n) {
        if (n != kNoNode && nodes_[n] == kNoNode) todo.push_back(n);
      };
      const Node& node = from_.node(at);
      for (const NodeId input : node.inputs) need(input);
      if (node.kind == NodeKind::kFold) {
        for (const NodeId n : from_.fold(node).inits) need(n);
        for (const NodeId n : from_.fold(node).bodies) need(n);
      }
      if (todo.size() > before) continue;
      nodes_[at] = Make(node);
      todo.pop_back();
    }
    return nodes_[id];
  }

  NodeId Make(const Node& node) {
    ExprGraph& g = *wide_.graph;
    std::vector<NodeId> in;
    for (const NodeId input : node.inputs) in.push_back(nodes_[input]);
    switch (node.kind) {
      case NodeKind::kIndex: return g.Index(node.var);
      case NodeKind::kConstant:
        if (IsFloat(node.type)) return g.Constant(Scalar::Float(ElementType::kF64, node.constant.re));
        if (IsComplex(node.type)) return g.Constant(Scalar::Complex(ElementType::kC128, node.constant.c()));
        return g.Constant(node.constant);
      case NodeKind::kLoad: return g.Convert(Wide(node.type), g.Load(node.operand, node.type, in));
      case NodeKind::kSelect: return g.Select(in[0], in[1], in[2]);
      case NodeKind::kFold: {
        FoldInfo info = from_.fold(node);
        info.id = FoldId(info.id);
        for (NodeId& n : info.inits) n = nodes_[n];
        for (NodeId& n : info.bodies) n = nodes_[n];
        return g.Fold(std::move(info));
      }
      case NodeKind::kFoldResult: return g.FoldResult(in[0], node.part);
      case NodeKind::kAccumulator: return g.Accumulator(FoldId(node.var), node.part, Wide(node.type));
      case NodeKind::kScalarOp: return MakeOp(node, in);
    }
    return kNoNode;
  }

  NodeId MakeOp(const Node& node, const std::vector<NodeId>& in) {
    ExprGraph& g = *wide_.graph;
    const ElementType first = node.inputs.empty() ? node.type : from_.node(node.inputs[0]).type;
    if (node.op == ScalarOp::kConvert) return g.Convert(Wide(node.type), in[0]);
    if (node.op == ScalarOp::kBitcast) return g.Convert(Wide(node.type), g.Bitcast(node.type, Narrows(first) ? g.Convert(first, in[0]) : in[0]));
    if (node.op == ScalarOp::kReducePrecision) {
      return g.Convert(Wide(node.type), g.ReducePrecision(Narrows(first) ? g.Convert(first, in[0]) : in[0], static_cast<int>(node.aux >> 8), static_cast<int>(node.aux & 0xff)));
    }
    return g.Op(node.op, in);
  }

  const ExprGraph& from_;
  const Program& program_;
  Program wide_;
  std::vector<NodeId> nodes_;
  absl::flat_hash_map<int32_t, int32_t> folds_;
};

}  // namespace

Program WidenProgram(const Program& program) { return Widener(program).Run(); }

}  // namespace hloscope
