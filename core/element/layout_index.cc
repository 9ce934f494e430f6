#include "core/element/layout_index.h"

#include <optional>

#include "core/literal/relayout.h"
#include "core/shape/layout_util.h"

namespace hloscope {
namespace {

NodeId Join(ExprGraph& graph, absl::Span<const int64_t> dimensions, absl::Span<const NodeId> indices) {
  NodeId linear = graph.IndexConstant(0);
  int64_t stride = 1;
  for (size_t d = dimensions.size(); d-- > 0;) {
    if (dimensions[d] == 1) continue;  // its index is 0
    linear = graph.Add(linear, graph.Mul(indices[d], graph.IndexConstant(stride)));
    stride *= dimensions[d];
  }
  return linear;
}

// Not for places beyond the last of `dimensions`.
void Part(ExprGraph& graph, absl::Span<const int64_t> dimensions, NodeId linear, absl::Span<NodeId> indices) {
  size_t first = 0;  // the outermost dimension larger than 1 needs no mod
  while (first < dimensions.size() && dimensions[first] == 1) ++first;
  int64_t stride = 1;
  for (size_t d = dimensions.size(); d-- > 0;) {
    indices[d] = graph.IndexConstant(0);
    if (dimensions[d] <= 1) continue;
    NodeId index = stride == 1 ? linear : graph.FloorDiv(linear, stride);
    if (d != first) index = graph.Mod(index, dimensions[d]);
    indices[d] = index;
    stride *= dimensions[d];
  }
}

NodeId Both(ExprGraph& graph, NodeId a, NodeId b) { return a == kNoNode ? b : graph.And(a, b); }

bool HasOwnBits(const LayoutMap& map, ElementType type) { return map.ElementBits() == 8 * int64_t{StorageBytes(type)}; }

// All that decides where elements lie.
bool SamePlaces(const LayoutMap& a, const LayoutMap& b) {
  if (a.major_to_minor() != b.major_to_minor() || a.linear_dimensions() != b.linear_dimensions() || a.stages().size() != b.stages().size()) return false;
  for (size_t s = 0; s < a.stages().size(); ++s) {
    const LayoutMap::Stage &x = a.stages()[s], &y = b.stages()[s];
    if (x.before != y.before || x.groups.size() != y.groups.size()) return false;
    for (size_t g = 0; g < x.groups.size(); ++g) {
      if (x.groups[g].count != y.groups[g].count || x.groups[g].tile != y.groups[g].tile) return false;
    }
  }
  return true;
}

// The layout in which index expressions can reach the memory of an array: its own, or dense.
Shape Reachable(const Shape& shape) {
  if (shape.IsStoredDense()) return shape;
  return HasOwnBits(LayoutMap(shape), shape.element_type()) ? shape : DenseShape(shape);
}

Shape MemoryOf(const Shape& shape) {
  if (shape.IsStoredDense()) return shape;
  return Shape::Array(shape.element_type(), LayoutMap(shape).physical_dimensions());
}

class Rewriter {
 public:
  Rewriter(const Program& from, absl::Span<const Shape> output_layouts) : from_(from) {
    for (const Shape& operand : from.operands) {
      result_.operands.push_back(Reachable(operand));
      result_.program.operands.push_back(MemoryOf(result_.operands.back()));
      const Shape& stored = result_.operands.back();
      maps_.push_back(stored.IsStoredDense() ? std::nullopt : std::optional<LayoutMap>(stored));
    }
    ChooseOutputs(output_layouts);
  }

  PhysicalProgram Run() {
    const Shape& out = result_.outputs[0];
    const LayoutMap map(out.IsStoredDense() ? DenseOrder(out) : out);
    ExprGraph& graph = *result_.program.graph;
    std::vector<NodeId> physical;
    for (int64_t extent : map.physical_dimensions()) physical.push_back(graph.Index(graph.NewVar(extent)));
    if (from_.is_push) {
      while (graph.NewFoldId() < from_.push.accumulator_id) {
      }
    }
    NodeId in_bounds = kNoNode;
    std::vector<NodeId> logical = LogicalIndices(graph, map, physical, &in_bounds);
    const std::vector<NodeId> values = CopyAll(Values(), std::move(logical));
    for (size_t o = 0; o < values.size(); ++o) {
      NodeId value = values[o];
      if (in_bounds != kNoNode) value = graph.Select(in_bounds, value, graph.Constant(Padding(result_.outputs[o])));
      result_.program.outputs.push_back({MemoryOf(result_.outputs[o]), value});
    }
    if (from_.is_push) Push(map);
    return std::move(result_);
  }

 private:
  static Shape DenseOrder(const Shape& shape) { return shape.WithLayout(std::nullopt); }
  static Scalar Padding(const Shape& shape) { return PaddingScalar(shape.element_type(), shape.layout()->padding_value); }

  void ChooseOutputs(absl::Span<const Shape> layouts) {
    bool reachable = !layouts.empty();
    for (const Shape& layout : layouts) {
      if (layout.IsStoredDense() != layouts[0].IsStoredDense()) reachable = false;
      if (!reachable || layout.IsStoredDense()) continue;
      const LayoutMap map(layout);
      reachable = HasOwnBits(map, layout.element_type()) && SamePlaces(map, LayoutMap(layouts[0]));
      if (from_.is_push && (map.HasPadding() || !map.stages().empty())) reachable = false;
    }
    for (const Shape& layout : layouts) result_.outputs.push_back(reachable ? layout : DenseShape(layout));
  }

  std::vector<NodeId> Values() const {
    std::vector<NodeId> values;
    for (const Program::Output& output : from_.outputs) values.push_back(output.value);
    return values;
  }

  // Copies nodes with variables 0.. replaced by `variables`.
  std::vector<NodeId> CopyAll(absl::Span<const NodeId> roots, std::vector<NodeId> variables) {
    ExprGraph& graph = *result_.program.graph;
    ExprGraph::Substitution substitution;
    variables.resize(from_.graph->var_count(), kNoNode);
    substitution.index_map = std::move(variables);
    substitution.load = [&](int32_t operand, ElementType type, absl::Span<const NodeId> indices) {
      if (!maps_[operand].has_value()) return graph.Load(operand, type, indices);
      return graph.Load(operand, type, PhysicalIndices(graph, *maps_[operand], indices));
    };
    return graph.SubstituteAll(*from_.graph, roots, substitution);
  }

  // Updates go to one permuted array: only the order of the target's indices changes.
  void Push(const LayoutMap& map) {
    ExprGraph& graph = *result_.program.graph;
    Program& program = result_.program;
    program.is_push = true;
    program.push = from_.push;
    std::vector<NodeId> variables(from_.graph->var_count(), kNoNode);
    for (int32_t& var : program.push.vars) {
      const int32_t fresh = graph.NewVar(from_.graph->VarExtent(var));
      variables[var] = graph.Index(fresh);
      var = fresh;
    }
    std::vector<NodeId> roots = from_.push.target;
    roots.insert(roots.end(), from_.push.combined.begin(), from_.push.combined.end());
    if (from_.push.in_bounds != kNoNode) roots.push_back(from_.push.in_bounds);
    const std::vector<NodeId> copies = CopyAll(roots, std::move(variables));
    const size_t rank = from_.push.target.size();
    program.push.target = PhysicalIndices(graph, map, absl::MakeConstSpan(copies).first(rank));
    program.push.combined.assign(copies.begin() + rank, copies.begin() + rank + from_.push.combined.size());
    if (from_.push.in_bounds != kNoNode) program.push.in_bounds = copies.back();
  }

  const Program& from_;
  PhysicalProgram result_;
  std::vector<std::optional<LayoutMap>> maps_;  // by operand; nothing: dense
};

}  // namespace

std::vector<NodeId> PhysicalIndices(ExprGraph& graph, const LayoutMap& map, absl::Span<const NodeId> logical) {
  std::vector<NodeId> position;
  for (int64_t d : map.major_to_minor()) position.push_back(logical[d]);
  for (const LayoutMap::Stage& stage : map.stages()) {
    position.insert(position.begin(), stage.added, graph.IndexConstant(0));
    std::vector<NodeId> next(position.begin(), position.begin() + stage.kept);
    const size_t groups = stage.groups.size();
    next.resize(stage.kept + 2 * groups);
    for (size_t g = 0; g < groups; ++g) {
      const LayoutMap::Stage::Group& group = stage.groups[g];
      const NodeId joined = Join(graph, absl::MakeConstSpan(stage.before).subspan(group.first, group.count),
                                 absl::MakeConstSpan(position).subspan(group.first, group.count));
      next[stage.kept + g] = group.tiles <= 1 ? graph.IndexConstant(0) : graph.FloorDiv(joined, group.tile);
      next[stage.kept + groups + g] = group.tile == 1 ? graph.IndexConstant(0) : group.tiles <= 1 ? joined : graph.Mod(joined, group.tile);
    }
    position = std::move(next);
  }
  return position;
}

std::vector<NodeId> LogicalIndices(ExprGraph& graph, const LayoutMap& map, absl::Span<const NodeId> physical, NodeId* in_bounds) {
  *in_bounds = kNoNode;
  std::vector<NodeId> position(physical.begin(), physical.end());
  for (size_t s = map.stages().size(); s-- > 0;) {
    const LayoutMap::Stage& stage = map.stages()[s];
    const size_t groups = stage.groups.size();
    std::vector<NodeId> before(position.begin(), position.begin() + stage.kept);
    before.resize(stage.before.size());
    for (size_t g = 0; g < groups; ++g) {
      const LayoutMap::Stage::Group& group = stage.groups[g];
      NodeId joined = position[stage.kept + groups + g];
      if (group.tiles > 1) joined = graph.Add(graph.Mul(position[stage.kept + g], graph.IndexConstant(group.tile)), joined);
      if (group.tiles * group.tile != group.size) *in_bounds = Both(graph, *in_bounds, graph.InRange(joined, 0, group.size));
      Part(graph, absl::MakeConstSpan(stage.before).subspan(group.first, group.count), joined, absl::MakeSpan(before).subspan(group.first, group.count));
    }
    position.assign(before.begin() + stage.added, before.end());
  }
  std::vector<NodeId> logical(map.rank());
  for (size_t k = 0; k < position.size(); ++k) {
    const int64_t d = map.major_to_minor()[k];
    logical[d] = position[k];
    if (map.linear_dimensions()[k] != map.dimensions()[d]) {
      *in_bounds = Both(graph, *in_bounds, graph.InRange(position[k], 0, map.dimensions()[d]));
    }
  }
  return logical;
}

PhysicalProgram ThroughLayouts(const Program& program, absl::Span<const Shape> output_layouts) { return Rewriter(program, output_layouts).Run(); }

}  // namespace hloscope
