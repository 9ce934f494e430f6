// See dynamic_index.h.
#include "core/ops/dynamic_index.h"

#include "absl/strings/str_cat.h"

namespace hloscope {

bool CheckStartIndices(ShapeContext& c, int first, int rank, absl::string_view count_label, absl::string_view type_label) {
  const int count = c.operand_count() - first;
  const bool vector = count == 1 && c.operand(first).IsArray() && c.operand(first).rank() == 1;
  if (vector ? c.operand(first).dim(0) != rank : count != rank) {
    c.Fail(count_label, absl::StrCat(rank, " dimensions need ", rank, " start indices, not ", vector ? c.operand(first).dim(0) : count));
    return false;
  }
  for (int i = first; i < c.operand_count(); ++i) {
    const Shape& start = c.operand(i);
    if (!start.IsArray() || !IsInteger(start.element_type()) || (!vector && start.rank() != 0)) {
      c.FailOperand(i, type_label, absl::StrCat("a start index must be a scalar of an integer type, not ", start.ToString(false)));
      return false;
    }
    if (start.element_type() != c.operand(first).element_type()) {
      c.FailOperand(i, type_label, absl::StrCat("the start indices must be of one type, not ", Name(c.operand(first).element_type()), " and ",
                                                Name(start.element_type())));
      return false;
    }
  }
  return true;
}

std::vector<NodeId> ClampedStarts(Program& program, int first, const Shape& operand, absl::Span<const int64_t> window) {
  ExprGraph& graph = *program.graph;
  std::vector<NodeId> starts;
  for (int d = 0; d < operand.rank(); ++d) {
    const int64_t room = operand.dim(d) - window[d];
    if (room == 0) {
      starts.push_back(graph.IndexConstant(0));
      continue;
    }
    NodeId start;
    if (program.operands[first].rank() == 1) {
      start = LoadOperand(program, first, {graph.IndexConstant(d)});
    } else {
      start = LoadOperand(program, first + d, {});
    }
    starts.push_back(graph.Clamp(ToIndex(graph, start), 0, room));
  }
  return starts;
}

}  // namespace hloscope
