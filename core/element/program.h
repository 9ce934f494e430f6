// An element program: what an instruction means, one element at a time (see shared design: "an operation is written once").
#ifndef HLOSCOPE_CORE_ELEMENT_PROGRAM_H_
#define HLOSCOPE_CORE_ELEMENT_PROGRAM_H_

#include <memory>
#include <vector>

#include "core/element/expr.h"
#include "core/shape/shape.h"

namespace hloscope {

// Operands of a program are the instruction's operands in order; all are arrays (a tuple operand makes an operation kStructural,
// kControl or kOpaque). A program has one output for each leaf of the result (several for variadic reduce, sort never).
//
// Pull: outputs[o].value is the element of output o at index variables 0..rank-1; all outputs of one program have equal dimensions.
// Push: outputs start as outputs[o].value (pull form, over variables 0..rank-1: usually the operand's element). Then, for each
//   point of the domain `push.vars` in row-major order, if push.in_bounds holds: at index push.target of every output o,
//   out[o] = push.combined[o], where kAccumulator nodes of id push.accumulator_id, part o stand for the element before.
struct Program {
  struct Output {
    Shape shape;  // an array
    NodeId value = kNoNode;
  };
  struct Push {
    std::vector<int32_t> vars;  // domain variables (extents in the graph), row-major
    int32_t accumulator_id = -1;
    NodeId in_bounds = kNoNode;    // pred over vars; kNoNode: always
    std::vector<NodeId> target;    // one an output dimension, over vars
    std::vector<NodeId> combined;  // one an output
    // True when `combined` is op(acc, x) of one known associative and commutative op or a plain replacement with no duplicates promised.
    bool order_free = false;
  };

  std::shared_ptr<ExprGraph> graph = std::make_shared<ExprGraph>();
  std::vector<Shape> operands;
  std::vector<Output> outputs;
  bool is_push = false;
  Push push;

  // A program whose graph already has variables 0..rank-1 with the output's extents.
  static Program Pull(std::vector<Shape> operands, const Shape& output);
  int rank() const { return outputs.empty() ? 0 : outputs[0].shape.rank(); }
};

// Text of a whole program, canonical: equal for programs that differ only in numbering. The key under which kernels are shared.
std::string CanonicalText(const Program& program);

// For people: "out[i, j] = lhs[i, k] * rhs[k, j]", operands by the given names.
std::string ToFormula(const Program& program, absl::Span<const std::string> operand_names);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_PROGRAM_H_
