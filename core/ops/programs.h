// Small pieces that element programs are built from: operand loads, the output's indices, row-major index arithmetic.
#ifndef HLOSCOPE_CORE_OPS_PROGRAMS_H_
#define HLOSCOPE_CORE_OPS_PROGRAMS_H_

#include <vector>

#include "absl/types/span.h"
#include "core/element/program.h"
#include "core/ops/op.h"

namespace hloscope {

std::vector<Shape> OperandShapes(const Instruction& instruction);
// A pull program of all operands and the instruction's (array) shape; its output value is still to be set.
Program PullProgram(const Instruction& instruction);
// The output's index variables, one a dimension.
std::vector<NodeId> OutputIndices(const Program& program);
// operand[indices...]
NodeId LoadOperand(Program& program, int operand, absl::Span<const NodeId> indices);

// Row-major linear index of `indices`, and the indices of a linear index.
NodeId Linearize(ExprGraph& graph, absl::Span<const int64_t> dimensions, absl::Span<const NodeId> indices);
std::vector<NodeId> Delinearize(ExprGraph& graph, absl::Span<const int64_t> dimensions, NodeId linear);
// Indices into an array of dimensions `to` for indices into one of dimensions `from`, equally many elements, same row-major place.
// Works group by group of dimensions that cover each other, so that the expressions stay small.
std::vector<NodeId> ReshapeIndices(ExprGraph& graph, absl::Span<const int64_t> from, absl::Span<const int64_t> to, absl::Span<const NodeId> indices);

// An integer of any type as an s64 index: unsigned values beyond s64 become the largest s64.
NodeId ToIndex(ExprGraph& graph, NodeId integer);

// The conjunction of all conditions; kNoNode when there is none.
NodeId Conjunction(ExprGraph& graph, absl::Span<const NodeId> conditions);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_PROGRAMS_H_
