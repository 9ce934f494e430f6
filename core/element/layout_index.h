// Layouts as index expressions: logical indices to physical ones and back, and a whole program over the memory of its operands and
// outputs instead of their elements. Not for moving values (literal/relayout.h).
#ifndef HLOSCOPE_CORE_ELEMENT_LAYOUT_INDEX_H_
#define HLOSCOPE_CORE_ELEMENT_LAYOUT_INDEX_H_

#include <vector>

#include "absl/types/span.h"
#include "core/element/program.h"
#include "core/shape/layout_map.h"

namespace hloscope {

// Indices into the array's memory seen as a row-major array of map.physical_dimensions().
std::vector<NodeId> PhysicalIndices(ExprGraph& graph, const LayoutMap& map, absl::Span<const NodeId> logical);
// The way back. `in_bounds`: kNoNode when every position holds an element, else whether this one does; the indices are only to be used
// where it holds.
std::vector<NodeId> LogicalIndices(ExprGraph& graph, const LayoutMap& map, absl::Span<const NodeId> physical, NodeId* in_bounds);

// A program that reads and writes memory.
struct PhysicalProgram {
  // Operands and outputs are the row-major arrays that the memory of the values is: take a value over with Value::PhysicalAs.
  Program program;
  // In which layout (of the logical shape) each operand must come and each output is made. Dense where index expressions do not reach:
  // elements of an odd number of bits; outputs of one program with layouts unlike each other; updates (push) of tiles or padding.
  std::vector<Shape> operands;
  std::vector<Shape> outputs;
};
// `output_layouts`: the shapes, with layouts, that the outputs should have; operands' are those of program.operands. The order of folds
// does not change, and so no bit of any result.
PhysicalProgram ThroughLayouts(const Program& program, absl::Span<const Shape> output_layouts);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_LAYOUT_INDEX_H_
