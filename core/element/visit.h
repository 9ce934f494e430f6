// The walk over what nodes of an element program are made from. Not for evaluating, nor where a node counts once for each way to it.
#ifndef HLOSCOPE_CORE_ELEMENT_VISIT_H_
#define HLOSCOPE_CORE_ELEMENT_VISIT_H_

#include <vector>

#include "absl/types/span.h"
#include "core/element/program.h"

namespace hloscope {

enum class Visit {
  kInto,  // on to what the node is made from: its inputs, and of a fold its starting values and bodies
  kPast,  // not below this node
  kEnd,   // no further
};

// Calls `visit(NodeId, const Node&)` once for each node that `roots` (kNoNode among them is left out) are made from, users before what they
// use. False: `visit` ended the walk.
template <typename F>
bool VisitNodes(const ExprGraph& graph, absl::Span<const NodeId> roots, F visit) {
  std::vector<bool> seen(graph.size(), false);
  std::vector<NodeId> todo(roots.begin(), roots.end());
  while (!todo.empty()) {
    const NodeId id = todo.back();
    todo.pop_back();
    if (id == kNoNode || seen[id]) continue;
    seen[id] = true;
    const Node& node = graph.node(id);
    switch (visit(id, node)) {
      case Visit::kInto: break;
      case Visit::kPast: continue;
      case Visit::kEnd: return false;
    }
    todo.insert(todo.end(), node.inputs.begin(), node.inputs.end());
    if (node.kind != NodeKind::kFold) continue;  // its inputs are its starting values
    const FoldInfo& fold = graph.fold(node);
    todo.insert(todo.end(), fold.bodies.begin(), fold.bodies.end());
  }
  return true;
}

// What a program computes: the elements of its outputs, and where updates go and what they make.
inline std::vector<NodeId> RootsOf(const Program& program) {
  std::vector<NodeId> roots;
  for (const Program::Output& output : program.outputs) roots.push_back(output.value);
  if (!program.is_push) return roots;
  roots.push_back(program.push.in_bounds);
  roots.insert(roots.end(), program.push.target.begin(), program.push.target.end());
  roots.insert(roots.end(), program.push.combined.begin(), program.push.combined.end());
  return roots;
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_VISIT_H_
