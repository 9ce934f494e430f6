// Reducers: the computations that reduce, reduce-window, select-and-scatter and scan fold with.
#ifndef HLOSCOPE_CORE_OPS_REDUCER_H_
#define HLOSCOPE_CORE_OPS_REDUCER_H_

#include <optional>
#include <vector>

#include "core/ops/op.h"

namespace hloscope {

// Checks that `computation` maps 2N scalars to N (accumulators first), each pair of one type that `types[k]` fits: equal, or both
// floats of whatever width. Reports under `label` at attribute `id`. Returns the result types, or nothing.
std::optional<std::vector<ElementType>> CheckReducer(ShapeContext& c, AttrId id, absl::Span<const ElementType> types,
                                                     absl::string_view label);

// The operands of a fold: N arrays of equal dimensions, then N scalars to start from, whose types fit the arrays'. Each requirement is
// reported under its own label. Returns the arrays' element types where all hold; where only the count is wrong or something is no array,
// `can_go_on` is false and the rest of the rule has nothing to look at.
struct FoldOperandLabels {
  absl::string_view operand_count, operand_arrays, same_dimensions, init_scalar;
};
struct FoldOperands {
  bool can_go_on = false;
  bool ok = false;
  std::vector<ElementType> types;  // of the arrays, where can_go_on
};
FoldOperands CheckFoldOperands(ShapeContext& c, const FoldOperandLabels& labels);

// The one operation that a single-output reducer is, when it is op(p0, p1) or op(p1, p0) with op associative and commutative up to
// rounding (add, multiply, max, min, and, or, xor).
std::optional<ScalarOp> SimpleReducer(const Computation& reducer);
// The x with op(x, y) == y bit for bit, for the operations above, where the type has one.
std::optional<Scalar> IdentityOf(ScalarOp op, ElementType type);

// Folds `elements` (one node a part, over `vars`) into `inits` with the reducer, accumulators on the left; where `in_bounds` (a pred
// over the vars; kNoNode: always) does not hold, the element is passed over. The result has one node a part.
absl::StatusOr<std::vector<NodeId>> FoldWith(ExprGraph& graph, const Computation& reducer, absl::Span<const NodeId> inits,
                                             absl::Span<const NodeId> elements, std::vector<int32_t> vars, NodeId in_bounds = kNoNode);

// Makes `program` (a pull program of an instruction with N arrays and N initial values) the fold of the arrays' elements at `index` over
// `vars` with the instruction's to_apply, one output a part. `in_bounds` as in FoldWith.
absl::Status FoldOperandsInto(Program& program, const Instruction& instruction, absl::Span<const NodeId> index, std::vector<int32_t> vars,
                              NodeId in_bounds = kNoNode);

// Types of the reducer's results (its root's leaves).
std::vector<ElementType> ReducerTypes(const Computation& reducer);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_REDUCER_H_
