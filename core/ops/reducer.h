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

// The one operation that a single-output reducer is, when it is op(p0, p1) or op(p1, p0) with op associative and commutative up to
// rounding (add, multiply, max, min, and, or, xor).
std::optional<ScalarOp> SimpleReducer(const Computation& reducer);
// The x with op(x, y) == y bit for bit, for the operations above, where the type has one.
std::optional<Scalar> IdentityOf(ScalarOp op, ElementType type);

// Folds `elements` (one node a part, over `vars`) into `inits` with the reducer, accumulators on the left; where `in_bounds` (a pred
// over the vars; kNoNode: always) does not hold, the element is passed over. The result has one node a part.
absl::StatusOr<std::vector<NodeId>> FoldWith(ExprGraph& graph, const Computation& reducer, absl::Span<const NodeId> inits,
                                             absl::Span<const NodeId> elements, std::vector<int32_t> vars, NodeId in_bounds = kNoNode);

// Types of the reducer's results (its root's leaves).
std::vector<ElementType> ReducerTypes(const Computation& reducer);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_REDUCER_H_
