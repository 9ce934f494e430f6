// The expression language of element programs: hash-consed nodes over index variables, typed scalars, loads and folds.
// Not for evaluating (interpret.h), lowering (backends/jit_cpu/lower) or wording (print.h).
//
// The kinds of nodes are closed: switch over them without a default.
#ifndef HLOSCOPE_CORE_ELEMENT_EXPR_H_
#define HLOSCOPE_CORE_ELEMENT_EXPR_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/literal/scalar.h"
#include "core/shape/element_type.h"

namespace hloscope {

using NodeId = int32_t;
inline constexpr NodeId kNoNode = -1;

enum class ScalarOp : uint8_t {
#define X(enumerator, ...) enumerator,
#include "core/element/scalar_ops.def"
#undef X
};
absl::string_view Name(ScalarOp op);
int Arity(ScalarOp op);
// Every backend gives the same bits: not a function with code of its own somewhere (tanh), nor arithmetic of complex numbers.
bool IsSameEverywhere(ScalarOp op, ElementType result, ElementType input);

enum class NodeKind : uint8_t {
  kIndex,        // index variable `var` (s64). Output dimension d of the program is variable d; folds and push domains bring their own.
  kConstant,     // a scalar of the node's type
  kScalarOp,     // op(inputs...)
  kLoad,         // operand `operand` of the instruction (leaf number, see Program) at s64 indices `inputs`, one a dimension
  kSelect,       // inputs = {pred, on_true, on_false}; lazy: the arm not taken is neither loaded nor traced
  kFold,         // see FoldInfo; the node itself has no value, kFoldResult takes its parts
  kFoldResult,   // inputs = {fold}, part `part`
  kAccumulator,  // the running value of part `part` of the fold with id `var`; only inside that fold's bodies
};

// The order in which a fold combines is a function of its domain alone; interpreter, single step and fused kernel all obey it.
enum class FoldOrder : uint8_t {
  // acc = init; for k in domain, row-major: acc = body(acc, k).
  kSequential,
  // Only for one part whose body is `op(acc, x(k))` (or `op(x(k), acc)`) with op associative and commutative up to rounding, and an
  // innermost extent E >= 16: lane l = k_innermost mod 16 starts from its first x, then acc[l] = op(acc[l], x) in row-major order of
  // the whole domain; then lanes are joined pairwise, l with l+8, then +4, +2, +1; the result is op(init, joined). Empty domain: init.
  kInterleaved16,
};

struct FoldInfo {
  int32_t id = 0;  // names its accumulators
  FoldOrder order = FoldOrder::kSequential;
  std::vector<int64_t> extents;        // one an index variable, the last is the innermost; an empty list is one iteration
  std::vector<int32_t> vars;           // index variables, as many
  std::vector<NodeId> inits;           // one a part
  std::vector<NodeId> bodies;          // one a part; over vars and kAccumulator nodes of this id
  ScalarOp combiner = ScalarOp::kAdd;  // kInterleaved16: the op; kSequential: unspecified
};

struct Node {
  NodeKind kind{};
  ElementType type = ElementType::kS64;
  ScalarOp op{};        // kScalarOp
  int32_t var = 0;      // kIndex: variable; kAccumulator: fold id
  int32_t operand = 0;  // kLoad
  int32_t part = 0;     // kFoldResult, kAccumulator
  int32_t fold = -1;    // kFold: index into the graph's folds
  int64_t aux = 0;      // kReducePrecision's bits
  Scalar constant;      // kConstant
  std::vector<NodeId> inputs;
};

// Owns nodes; equal nodes are one node. Constructors fold constants and simplify index arithmetic (affine sums, floordiv and mod of
// row-major linearisations: (x floordiv a) * a + x mod a == x, mod and floordiv by 1, of variables with a known range).
class ExprGraph {
 public:
  const Node& node(NodeId id) const { return nodes_[id]; }
  int size() const { return static_cast<int>(nodes_.size()); }
  const FoldInfo& fold(const Node& n) const { return folds_[n.fold]; }

  // Index variables know their range [0, extent) so that mod and floordiv simplify. Variables 0..rank-1 are the output's.
  int32_t NewVar(int64_t extent);
  int64_t VarExtent(int32_t var) const { return var_extents_[var]; }
  int var_count() const { return static_cast<int>(var_extents_.size()); }

  NodeId Index(int32_t var);
  NodeId Constant(const Scalar& s);
  NodeId IndexConstant(int64_t v) { return Constant(Scalar::Int(ElementType::kS64, v)); }
  // Type of the result: comparisons pred; real parts the real type; kComplex the complex type; kConvert, kBitcast: as given; else the
  // first input's.
  NodeId Op(ScalarOp op, absl::Span<const NodeId> inputs);
  NodeId Unary(ScalarOp op, NodeId a) { return Op(op, {a}); }
  NodeId Binary(ScalarOp op, NodeId a, NodeId b) { return Op(op, {a, b}); }
  NodeId Convert(ElementType to, NodeId a);  // itself when the types are equal
  NodeId Bitcast(ElementType to, NodeId a);
  NodeId ReducePrecision(NodeId a, int exponent_bits, int mantissa_bits);
  NodeId Load(int32_t operand, ElementType type, absl::Span<const NodeId> indices);
  NodeId Select(NodeId pred, NodeId on_true, NodeId on_false);
  // Index arithmetic (s64).
  NodeId Add(NodeId a, NodeId b) { return Binary(ScalarOp::kAdd, a, b); }
  NodeId Sub(NodeId a, NodeId b) { return Binary(ScalarOp::kSubtract, a, b); }
  NodeId Mul(NodeId a, NodeId b) { return Binary(ScalarOp::kMultiply, a, b); }
  NodeId FloorDiv(NodeId a, int64_t divisor);
  NodeId Mod(NodeId a, int64_t divisor);
  NodeId Clamp(NodeId a, int64_t low, int64_t high);
  NodeId InRange(NodeId a, int64_t low, int64_t high);  // low <= a < high
  NodeId And(NodeId a, NodeId b) { return Binary(ScalarOp::kAnd, a, b); }

  // Folds: reserve an id, make accumulators and bodies, then Fold. Returns the kFold node; take parts with FoldResult.
  int32_t NewFoldId() { return next_fold_id_++; }
  NodeId Accumulator(int32_t fold_id, int part, ElementType type);
  NodeId Fold(FoldInfo info);
  NodeId FoldResult(NodeId fold, int part);
  // One-part fold `op(acc, element)` over `vars`, whose order follows the rule: kInterleaved16 when `op` is one of + * max min and or
  // xor and the innermost extent is at least 16 (and `reassociate`), else kSequential.
  NodeId FoldOp(ScalarOp op, NodeId init, NodeId element, std::vector<int32_t> vars, bool reassociate = true);

  // Copies `root` (of `from`, possibly this graph) into this graph with index variables, loads and accumulators replaced; folds get
  // fresh variables and ids. `index_map[v]` is the node for variable v (kNoNode: keep, only when from == this); `load` makes the
  // node for a load from operand k at already substituted indices (null: loads stay).
  struct Substitution {
    std::vector<NodeId> index_map;
    std::function<NodeId(int32_t operand, ElementType type, absl::Span<const NodeId> indices)> load;
  };
  NodeId Substitute(const ExprGraph& from, NodeId root, const Substitution& substitution);
  // Several roots at once: what they share stays shared.
  std::vector<NodeId> SubstituteAll(const ExprGraph& from, absl::Span<const NodeId> roots, const Substitution& substitution);

  // An s64 node as a + sum c_i * node_i (node_i not sums, multiples or constants).
  struct Affine {
    int64_t constant = 0;
    std::vector<std::pair<NodeId, int64_t>> terms;  // sorted by node
  };
  Affine ToAffine(NodeId id) const;
  NodeId FromAffine(const Affine& affine);
  // Bounds of an s64 node, inclusive, from variable extents; {INT64_MIN, INT64_MAX} when unknown.
  std::pair<int64_t, int64_t> Range(NodeId id) const { return ranges_[id]; }
  // What a node depends on, sorted: index variables v as v, accumulators of fold id f as ~f. Variables that a fold below it binds are
  // not among them. A node without free variables is the same for every element.
  absl::Span<const int32_t> FreeVars(NodeId id) const { return free_[id]; }

 private:
  using IdSet = absl::InlinedVector<int32_t, 6>;
  NodeId Intern(Node node);
  NodeId OpOfType(ScalarOp op, ElementType type, int64_t aux, absl::Span<const NodeId> inputs);
  NodeId SimplifyIndexOp(ScalarOp op, NodeId a, NodeId b);
  NodeId SimplifyIntegerIdentity(ScalarOp op, ElementType type, NodeId a, NodeId b);
  NodeId SimplifyComparison(ScalarOp op, NodeId a, NodeId b);
  NodeId PlainOp(ScalarOp op, ElementType type, int64_t aux, absl::Span<const NodeId> inputs);
  bool IsConstant(NodeId id, int64_t value) const;
  bool HasAccumulator(NodeId id) const { return !free_[id].empty() && free_[id][0] < 0; }
  bool AddToAffine(NodeId id, int64_t factor, Affine& affine) const;
  std::pair<int64_t, int64_t> ComputeRange(const Node& node) const;
  std::pair<int64_t, int64_t> AffineRange(const Affine& affine) const;
  IdSet ComputeFree(const Node& node) const;
  bool CombineDigits(Affine& affine);
  // value = (x floordiv step) mod count; count 0: no mod.
  struct Digit {
    NodeId x;
    int64_t step, count;
  };
  Digit ToDigit(NodeId id) const;
  NodeId JoinDigits(const Digit& low, NodeId high, int64_t step);
  NodeId FloorDivOfDigit(const Affine& sum, int64_t divisor);
  friend class Substituter;
  std::vector<Node> nodes_;
  std::vector<FoldInfo> folds_;
  std::vector<int64_t> var_extents_;
  std::vector<std::pair<int64_t, int64_t>> ranges_;  // by node
  std::vector<IdSet> free_;                          // by node
  int32_t next_fold_id_ = 0;
  absl::flat_hash_map<uint64_t, absl::InlinedVector<NodeId, 2>> interned_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_EXPR_H_
