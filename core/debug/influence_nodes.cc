#include "core/debug/influence_nodes.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/ops/op.h"

namespace hloscope {

void InfluenceNodes::Forget(int frame, const Instruction& instruction, const Leaves& leaves) {
  for (size_t l = 0; l < leaves.size(); ++l) {
    if (!leaves[l].empty()) numbers_.erase({Path(frame), &instruction, static_cast<int>(l)});
  }
}

int InfluenceNodes::NodeAt(int path, const Instruction& instruction, int leaf) const {
  const auto it = numbers_.find({path, &instruction, leaf});
  return it == numbers_.end() ? -1 : it->second;
}

int InfluenceNodes::Path(int frame) {
  if (frame >= static_cast<int>(path_of_.size())) path_of_.resize(frame + 64, -1);
  if (path_of_[frame] < 0) {
    const int path = FindPath(frame);
    path_of_[frame] = path;
  }
  return path_of_[frame];
}

int InfluenceNodes::FindPath(int frame) {
  const FrameHistory::Place p = reader_.history().place(frame);
  if (p.parent < 0) return 0;
  const int outer = Path(p.parent);
  const auto [it, fresh] = paths_.try_emplace(std::make_tuple(outer, p.caller, static_cast<int>(p.kind), p.branch), static_cast<int>(paths_.size()) + 1);
  return it->second;
}

bool InfluenceNodes::SourcesAreKnown(int frame, const Instruction& i, absl::Span<const Leaves* const> operands, const Leaves& result) {
  uint64_t which = 1469598103934665603ull;
  const auto mix = [&](const Leaves& leaves) {
    for (const ElementSet& leaf : leaves) which = (which ^ (leaf.empty() ? 1 : 2)) * 1099511628211ull;
  };
  for (const Leaves* operand : operands) {
    which = (which ^ 3) * 1099511628211ull;
    if (operand != nullptr) mix(*operand);
  }
  mix(result);
  return !sourced_.insert(std::make_tuple(Path(frame), &i, which)).second;
}

std::vector<std::vector<int>> InfluenceNodes::GivenTo(int frame, const Instruction& parameter) {
  const FrameHistory::Place p = reader_.history().place(frame);
  std::vector<std::vector<int>> from(LeafCountOf(parameter.shape));
  if (p.parent < 0) return from;
  const auto add = [&](int path, const Instruction& i) {
    for (size_t l = 0; l < from.size(); ++l) {
      if (const int node = NodeAt(path, i, static_cast<int>(l)); node >= 0) from[l].push_back(node);
    }
  };
  const size_t operand = p.kind == FrameKind::kBranch ? static_cast<size_t>(p.branch) + 1
                         : IsLoop(p.kind)             ? 0
                                                      : static_cast<size_t>(parameter.parameter_number);
  if (operand < p.caller->operands.size()) add(Path(p.parent), *p.caller->operands[operand]);
  if (IsLoop(p.kind) && p.iteration > 0) {
    const int before = reader_.history().EnterBody(p.parent, *p.caller, p.iteration - 1);
    add(Path(before), *reader_.history().place(before).computation->root);
  }
  return from;
}

std::vector<int> InfluenceNodes::Returning(int frame, const Instruction& i) {
  switch (Def(i).control) {
    case ControlKind::kCall: return {reader_.history().EnterCall(frame, i)};
    case ControlKind::kConditional: return reader_.history().EnterAllBranches(frame, i);
    case ControlKind::kWhile: return {reader_.history().EnterBody(frame, i, 0)};
    default: return {};
  }
}

std::vector<std::vector<int>> InfluenceNodes::SourcesOf(int frame, const Instruction& i) {
  const int path = Path(frame);
  std::vector<std::vector<int>> from(LeafCountOf(i.shape));
  const auto add = [&](std::vector<int>& to, const Instruction* operand, int leaf) {
    if (const int node = NodeAt(path, *operand, leaf); node >= 0) to.push_back(node);
  };
  const std::vector<LeafSource>& sources = reader_.LeavesOf(i);
  const std::vector<int> returning = Returning(frame, i);
  for (size_t l = 0; l < from.size(); ++l) {
    const bool called = l < sources.size() && sources[l].operand == LeafSource::kCalled;
    for (const int inner : returning) {
      const int leaf = called ? sources[l].leaf : static_cast<int>(l);
      const int node = NodeAt(Path(inner), *reader_.history().place(inner).computation->root, leaf);
      if (node >= 0 && (sources.empty() || called)) from[l].push_back(node);
    }
    if (!sources.empty() && !called) {
      if (sources[l].operand >= 0) add(from[l], i.operands[sources[l].operand], sources[l].leaf);
      continue;
    }
    for (const Instruction* operand : i.operands) {
      const int leaves = LeafCountOf(operand->shape);
      // Leaf by leaf where a tuple goes through as a whole, as a loop's.
      if (leaves > 1 && leaves == static_cast<int>(from.size()) && !called) {
        add(from[l], operand, static_cast<int>(l));
        continue;
      }
      for (int leaf = 0; leaf < leaves; ++leaf) add(from[l], operand, leaf);
    }
  }
  return from;
}

void InfluenceNodes::Note(int frame, const Instruction& i, const Leaves& leaves, const std::vector<std::vector<int>>& from, bool exact) {
  for (size_t l = 0; l < leaves.size(); ++l) {
    if (leaves[l].empty()) continue;
    const auto [it, fresh] = numbers_.try_emplace({Path(frame), &i, static_cast<int>(l)}, static_cast<int>(nodes_.size()));
    if (fresh) {
      InfluenceNode node;
      node.frame = frame;
      node.instruction = &i;
      node.leaf = static_cast<int>(l);
      node.set = ElementSet(LeafShape(i.shape, static_cast<int>(l)));
      node.moves = Def(i).op_class == OpClass::kStructural;
      nodes_.push_back(std::move(node));
    }
    InfluenceNode& node = nodes_[it->second];
    ++node.times;
    if (!(node.set == leaves[l])) node.set.AddAll(leaves[l]);
    node.set.exact = node.set.exact && leaves[l].exact && exact;
    size_t level = 0;
    for (int f = frame; f >= 0; f = reader_.history().place(f).parent) {
      const FrameHistory::Place& at = reader_.history().place(f);
      if (!IsLoop(at.kind)) continue;
      if (level == node.loops.size()) node.loops.push_back({at.caller, at.kind == FrameKind::kWhileCondition, Path(f), {}});
      node.loops[level++].Add(at.iteration);
    }
    if (from.empty()) continue;
    for (int source : from[l]) {
      if (source != it->second && std::find(node.from.begin(), node.from.end(), source) == node.from.end()) node.from.push_back(source);
    }
  }
}

void InfluenceNodes::RaiseLast(int frame, const Instruction& loop, int64_t k, int64_t last) {
  const int body = Path(reader_.history().EnterBody(frame, loop, k)), condition = Path(reader_.history().EnterCondition(frame, loop, k));
  for (InfluenceNode& node : nodes_) {
    for (InfluenceLoop& around : node.loops) {
      if ((around.path != body && around.path != condition) || !around.Contains(k)) continue;
      around.Add(InfluenceLoop::Span{k, around.condition ? last + 1 : last});  // the condition that ends it too
    }
  }
}

}  // namespace hloscope
