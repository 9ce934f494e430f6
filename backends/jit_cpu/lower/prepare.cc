// Rewriting a program for loops; see prepare.h.
#include "backends/jit_cpu/lower/prepare.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace hloscope {
namespace {

NodeId Linear(ExprGraph& g, absl::Span<const int64_t> dimensions, absl::Span<const NodeId> indices) {
  const std::vector<int64_t> strides = RowMajorStrides(dimensions);
  NodeId sum = g.IndexConstant(0);
  for (size_t d = 0; d < indices.size(); ++d) sum = g.Add(sum, g.Mul(indices[d], g.IndexConstant(strides[d])));
  return sum;
}

// Where variables are used: coefficients in load indices that are affine, and variables used in any other way.
struct Uses {
  std::vector<bool> other;                         // by output variable
  std::vector<std::vector<int64_t>> coefficients;  // by load, by output variable
  absl::flat_hash_set<NodeId> visited;

  void Visit(const ExprGraph& g, NodeId id) {
    const Node& n = g.node(id);
    if (n.kind == NodeKind::kIndex) {
      if (n.var < static_cast<int>(other.size())) other[n.var] = true;
      return;
    }
    if (!visited.insert(id).second) return;
    if (n.kind == NodeKind::kLoad) {
      VisitAffine(g, n.inputs[0]);
      return;
    }
    for (NodeId i : n.inputs) Visit(g, i);
    if (n.kind == NodeKind::kFold) {
      const FoldInfo& f = g.fold(n);
      for (NodeId i : f.inits) Visit(g, i);
      for (NodeId i : f.bodies) Visit(g, i);
    }
  }
  void VisitAffine(const ExprGraph& g, NodeId index) {
    std::vector<int64_t> c(other.size(), 0);
    for (const auto& [atom, factor] : g.ToAffine(index).terms) {
      const Node& a = g.node(atom);
      if (a.kind == NodeKind::kIndex && a.var < static_cast<int>(other.size())) c[a.var] = factor;
      else if (a.kind != NodeKind::kIndex) Visit(g, atom);
    }
    coefficients.push_back(std::move(c));
  }
};

// All roots of a program, to be rewritten in one go so that what they share stays shared.
struct Roots {
  std::vector<NodeId> values, combined, target;
  NodeId in_bounds = kNoNode;

  Roots Copy(const ExprGraph& from, ExprGraph& to, const ExprGraph::Substitution& substitution) const {
    std::vector<NodeId> all = values;
    all.insert(all.end(), combined.begin(), combined.end());
    all.insert(all.end(), target.begin(), target.end());
    all.push_back(in_bounds);
    const std::vector<NodeId> copied = to.SubstituteAll(from, all, substitution);
    Roots r;
    const auto first = copied.begin(), second = first + values.size(), third = second + combined.size();
    r.values.assign(first, second);
    r.combined.assign(second, third);
    r.target.assign(third, third + target.size());
    r.in_bounds = copied.back();
    return r;
  }
};

// Groups of neighbouring dimensions that one loop can walk; `small_inner`: also join what does not join well, so that lanes are filled.
std::vector<std::vector<int>> Groups(const Uses& uses, const std::vector<int64_t>& extents, bool fill_lanes) {
  std::vector<std::vector<int>> groups;
  const int rank = static_cast<int>(extents.size());
  for (int d = 0; d < rank; ++d) {
    if (extents[d] == 1) continue;
    bool join = !groups.empty() && !uses.other[d] && !uses.other[groups.back().back()];
    for (const auto& c : uses.coefficients) {
      if (!join) break;
      join = c[groups.back().back()] == c[d] * extents[d];
    }
    if (join) groups.back().push_back(d);
    else groups.push_back({d});
  }
  const auto size = [&](const std::vector<int>& g) {
    int64_t n = 1;
    for (int d : g) n *= extents[d];
    return n;
  };
  while (fill_lanes && groups.size() > 1 && size(groups.back()) < 12) {
    std::vector<int> last = groups.back();
    groups.pop_back();
    groups.back().insert(groups.back().end(), last.begin(), last.end());
  }
  return groups;
}

// Cost of running the folds with lanes over the outputs' innermost loop, against lanes over the folds' innermost variable.
bool PreferFoldLanes(const ExprGraph& g, const NodeFacts& facts, const std::vector<int64_t>& extents) {
  const int v = static_cast<int>(extents.size()) - 1;
  const double filled = v < 0 ? 16.0 : extents[v] >= 16 ? 1.0 : 16.0 / static_cast<double>(extents[v]);
  double output_lanes = 0, fold_lanes = 0;
  for (NodeId id = 0; id < g.size(); ++id) {
    if (!facts.reachable[id] || g.node(id).kind != NodeKind::kFold) continue;
    if (v >= 0 && !facts.depends[id].test(v)) continue;
    const FoldInfo& f = g.fold(g.node(id));
    double points = 1;
    for (int64_t e : f.extents) points *= static_cast<double>(e);
    const bool interleaved = f.order == FoldOrder::kInterleaved16;
    double by_output = interleaved ? 2 : 1, by_fold = interleaved ? 1 : 20;
    for (NodeId l = 0; l < g.size(); ++l) {
      if (!facts.reachable[l] || g.node(l).kind != NodeKind::kLoad) continue;
      bool inside = false;
      for (int var : f.vars) inside |= facts.depends[l].test(var);
      if (!inside) continue;
      by_output += v >= 0 && Movement(g, facts, g.node(l), v) == 2 ? 10 : 1;
      by_fold += !interleaved || Movement(g, facts, g.node(l), f.vars.back()) == 2 ? 10 : 1;
    }
    const double e = interleaved ? static_cast<double>(f.extents.back()) : 1;
    const double waste = interleaved ? (16.0 * ((f.extents.back() + 15) / 16)) / e : 1;
    output_lanes += points * by_output * filled;
    fold_lanes += points * by_fold * waste + 30 * points / e;
  }
  return fold_lanes < output_lanes;
}

bool IsOwnElement(const ExprGraph& g, const Node& load, const std::vector<int64_t>& extents) {
  const ExprGraph::Affine a = g.ToAffine(load.inputs[0]);
  const std::vector<int64_t> strides = RowMajorStrides(extents);
  if (a.constant != 0) return false;
  size_t expected = 0;
  for (int64_t e : extents) expected += e > 1;
  if (a.terms.size() != expected) return false;
  for (const auto& [atom, c] : a.terms) {
    const Node& n = g.node(atom);
    if (n.kind != NodeKind::kIndex || n.var >= static_cast<int>(extents.size()) || strides[n.var] != c) return false;
  }
  return true;
}

// Of the line of the innermost dimension in which the element being written lies, whatever element a fold walks there.
bool IsOwnRow(const ExprGraph& g, const Node& load, const std::vector<int64_t>& extents) {
  const ExprGraph::Affine a = g.ToAffine(load.inputs[0]);
  const std::vector<int64_t> strides = RowMajorStrides(extents);
  const int last = static_cast<int>(extents.size()) - 1;
  if (a.constant != 0 || last < 1 || extents[last] <= 1) return false;
  size_t expected = 1;
  for (int d = 0; d < last; ++d) expected += extents[d] > 1;
  if (a.terms.size() != expected) return false;
  int walked = 0;
  for (const auto& [atom, c] : a.terms) {
    const Node& n = g.node(atom);
    if (n.kind != NodeKind::kIndex || n.var == last) return false;
    if (n.var < last && strides[n.var] != c) return false;
    if (n.var > last && (c != 1 || g.VarExtent(n.var) != extents[last] || ++walked > 1)) return false;
  }
  return walked == 1;
}

// All folds are done before the first element of a row is written: none is asked for by element, or only where a select wants it.
bool FoldsComeBeforeTheirRow(const ExprGraph& g, const NodeFacts& facts, int last) {
  for (NodeId id = 0; id < g.size(); ++id) {
    if (!facts.reachable[id]) continue;
    const Node& n = g.node(id);
    if (n.kind == NodeKind::kFold && (last < 0 || facts.depends[id].test(last))) return false;
    if (n.kind == NodeKind::kSelect && (facts.has_fold[n.inputs[1]] || facts.has_fold[n.inputs[2]])) return false;
  }
  return true;
}

}  // namespace

int Movement(const ExprGraph& g, const NodeFacts& facts, const Node& load, int var) {
  int result = 0;
  for (const auto& [atom, c] : g.ToAffine(load.inputs[0]).terms) {
    if (!facts.depends[atom].test(var)) continue;
    if (g.node(atom).kind != NodeKind::kIndex || c != 1) return 2;
    result = 1;
  }
  return result;
}

NodeFacts ComputeFacts(const ExprGraph& g, absl::Span<const NodeId> roots, const std::vector<Shape>& operands) {
  NodeFacts facts;
  const int n = g.size();
  facts.reachable.assign(n, false);
  std::vector<NodeId> stack(roots.begin(), roots.end());
  int max_fold = 0;
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (id == kNoNode || facts.reachable[id]) continue;
    facts.reachable[id] = true;
    ++facts.reachable_count;
    const Node& node = g.node(id);
    if (node.kind == NodeKind::kAccumulator) max_fold = std::max(max_fold, node.var);
    if (node.kind == NodeKind::kLoad) {
      for (const auto& [atom, c] : g.ToAffine(node.inputs[0]).terms) stack.push_back(atom);
    }
    stack.insert(stack.end(), node.inputs.begin(), node.inputs.end());
    if (node.kind == NodeKind::kFold) {
      const FoldInfo& f = g.fold(node);
      max_fold = std::max(max_fold, f.id);
      stack.insert(stack.end(), f.inits.begin(), f.inits.end());
      stack.insert(stack.end(), f.bodies.begin(), f.bodies.end());
    }
  }
  facts.var_count = g.var_count();
  facts.bits = facts.var_count + max_fold + 1;
  facts.depends.resize(n);
  facts.guarded.assign(n, false);
  facts.has_fold.assign(n, false);
  for (NodeId id = 0; id < n; ++id) {
    if (!facts.reachable[id]) continue;
    const Node& node = g.node(id);
    llvm::BitVector& d = facts.depends[id];
    d.resize(facts.bits);
    const auto take = [&](NodeId i) {
      d |= facts.depends[i];
      if (facts.guarded[i]) facts.guarded[id] = true;
      if (facts.has_fold[i]) facts.has_fold[id] = true;
    };
    for (NodeId i : node.inputs) take(i);
    switch (node.kind) {
      case NodeKind::kIndex: d.set(node.var); break;
      case NodeKind::kAccumulator: d.set(facts.FoldBit(node.var)); break;
      case NodeKind::kLoad: {
        const auto [low, high] = g.Range(node.inputs[0]);
        if (low < 0 || high >= operands[node.operand].ElementCount()) facts.guarded[id] = true;
        break;
      }
      case NodeKind::kFold: {
        const FoldInfo& f = g.fold(node);
        for (NodeId i : f.inits) take(i);
        for (NodeId i : f.bodies) take(i);
        for (int32_t v : f.vars) d.reset(v);
        d.reset(facts.FoldBit(f.id));
        facts.has_fold[id] = true;
        break;
      }
      case NodeKind::kConstant: case NodeKind::kScalarOp: case NodeKind::kSelect: case NodeKind::kFoldResult: break;
    }
  }
  return facts;
}

LoopProgram PrepareLoops(const Program& program) {
  // Loads by linear index, output variables as they are.
  LoopProgram flat;
  flat.graph = std::make_shared<ExprGraph>();
  ExprGraph& g = *flat.graph;
  const ExprGraph& original = *program.graph;
  const absl::Span<const int64_t> dims = program.outputs[0].shape.dimensions();
  std::vector<int64_t> extents(dims.begin(), dims.end());
  while (program.is_push && g.NewFoldId() < program.push.accumulator_id) {}  // keep the updates' accumulators apart from folds
  ExprGraph::Substitution linearise;
  linearise.index_map.assign(original.var_count(), kNoNode);
  for (size_t d = 0; d < extents.size(); ++d) linearise.index_map[d] = g.Index(g.NewVar(extents[d]));
  if (program.is_push) {
    for (int32_t v : program.push.vars) linearise.index_map[v] = g.Index(flat.push.vars.emplace_back(g.NewVar(original.VarExtent(v))));
  }
  linearise.load = [&](int32_t operand, ElementType type, absl::Span<const NodeId> indices) {
    return g.Load(operand, type, {Linear(g, program.operands[operand].dimensions(), indices)});
  };
  flat.operands = program.operands;
  Roots roots;
  for (const Program::Output& o : program.outputs) {
    flat.output_shapes.push_back(o.shape);
    roots.values.push_back(o.value);
  }
  if (program.is_push) {
    roots.combined = program.push.combined;
    roots.target = program.push.target;
    roots.in_bounds = program.push.in_bounds;
    flat.push.accumulator_id = program.push.accumulator_id;
    flat.push.order_free = program.push.order_free;
  }
  roots = roots.Copy(original, g, linearise);
  if (program.is_push) roots.target = {Linear(g, dims, roots.target)};
  flat.values = roots.values;

  // An operand may share the output's buffer when all its loads are of the element being written.
  flat.may_alias.assign(program.operands.size(), false);
  flat.starts_as.assign(program.outputs.size(), -1);
  {
    const NodeFacts facts = ComputeFacts(g, flat.values, flat.operands);
    std::vector<bool> own(program.operands.size(), true), own_row(program.operands.size(), true);
    for (NodeId id = 0; id < g.size(); ++id) {
      const Node& n = g.node(id);
      if (!facts.reachable[id] || n.kind != NodeKind::kLoad || IsOwnElement(g, n, extents)) continue;
      own[n.operand] = false;
      if (!IsOwnRow(g, n, extents)) own_row[n.operand] = false;
    }
    const bool by_row = !program.is_push && program.outputs.size() == 1 && FoldsComeBeforeTheirRow(g, facts, static_cast<int>(extents.size()) - 1);
    if (program.is_push) {
      std::vector<NodeId> all = roots.combined;
      all.push_back(roots.in_bounds);
      all.push_back(roots.target[0]);
      const NodeFacts update = ComputeFacts(g, all, flat.operands);
      for (NodeId id = 0; id < g.size(); ++id) {
        if (update.reachable[id] && g.node(id).kind == NodeKind::kLoad) own[g.node(id).operand] = false;
      }
    }
    for (size_t k = 0; k < own.size(); ++k) {
      const bool same_size = program.operands[k].ElementCount() == program.outputs[0].shape.ElementCount() &&
                             StorageBytes(program.operands[k].element_type()) == StorageBytes(program.outputs[0].shape.element_type());
      flat.may_alias[k] = own[k] && same_size;
      flat.may_alias_by_row.push_back(by_row && own_row[k] && same_size);
    }
    for (size_t o = 0; o < flat.values.size(); ++o) {
      const Node& n = g.node(flat.values[o]);
      if (program.is_push && n.kind == NodeKind::kLoad && IsOwnElement(g, n, extents) && own[n.operand]) flat.starts_as[o] = n.operand;
    }
  }

  // Collapse.
  Uses uses;
  uses.other.assign(extents.size(), false);
  for (NodeId v : flat.values) uses.Visit(g, v);
  const NodeFacts facts = ComputeFacts(g, flat.values, flat.operands);
  bool any_fold = false;
  for (NodeId id = 0; id < g.size(); ++id) any_fold |= facts.reachable[id] && g.node(id).kind == NodeKind::kFold;
  // Judged on the innermost dimension that is more than one.
  std::vector<int64_t> judged = extents;
  while (!judged.empty() && judged.back() == 1) judged.pop_back();
  flat.scalar_rows = any_fold && PreferFoldLanes(g, facts, judged);
  const std::vector<std::vector<int>> groups = Groups(uses, extents, !flat.scalar_rows);

  LoopProgram out = flat;
  out.graph = std::make_shared<ExprGraph>();
  ExprGraph& h = *out.graph;
  while (program.is_push && h.NewFoldId() < program.push.accumulator_id) {}
  ExprGraph::Substitution collapse;
  collapse.index_map.assign(g.var_count(), kNoNode);
  for (size_t d = 0; d < extents.size(); ++d) collapse.index_map[d] = h.IndexConstant(0);
  out.extents.clear();
  std::vector<NodeId> loop_nodes;
  for (const std::vector<int>& group : groups) {
    int64_t n = 1;
    for (int d : group) n *= extents[d];
    out.extents.push_back(n);
    loop_nodes.push_back(h.Index(h.NewVar(n)));
  }
  for (size_t k = 0; k < groups.size(); ++k) {
    int64_t stride = out.extents[k];
    for (size_t i = 0; i < groups[k].size(); ++i) {
      const int d = groups[k][i];
      stride /= std::max<int64_t>(extents[d], 1);
      NodeId x = h.FloorDiv(loop_nodes[k], std::max<int64_t>(stride, 1));
      if (i > 0) x = h.Mod(x, std::max<int64_t>(extents[d], 1));
      collapse.index_map[d] = x;
    }
  }
  for (size_t i = 0; i < flat.push.vars.size(); ++i) {
    out.push.vars[i] = h.NewVar(g.VarExtent(flat.push.vars[i]));
    collapse.index_map[flat.push.vars[i]] = h.Index(out.push.vars[i]);
  }
  roots = roots.Copy(g, h, collapse);
  out.values = roots.values;
  out.push.in_bounds = roots.in_bounds;
  out.push.combined = roots.combined;
  out.push_targets = roots.target;
  return out;
}

}  // namespace hloscope
