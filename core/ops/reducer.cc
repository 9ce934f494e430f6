// Reducers: signature, recognition of the simple ones, and the fold they make.
#include "core/ops/reducer.h"

#include <cmath>
#include <limits>

#include "core/element/scalar_eval.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

bool Fits(ElementType from, ElementType to) { return from == to || (IsFloat(from) && IsFloat(to)); }

NodeId ConvertTo(ExprGraph& g, ElementType type, NodeId n) { return g.node(n).type == type ? n : g.Convert(type, n); }

}  // namespace

std::vector<ElementType> ReducerTypes(const Computation& reducer) {
  std::vector<ElementType> types;
  if (reducer.root == nullptr) return types;
  const Shape& s = reducer.root->shape;
  if (s.IsTuple()) {
    for (const Shape& e : s.tuple_shapes()) types.push_back(e.element_type());
  } else {
    types.push_back(s.element_type());
  }
  return types;
}

std::optional<std::vector<ElementType>> CheckReducer(ShapeContext& c, AttrId id, absl::Span<const ElementType> types,
                                                     absl::string_view label) {
  const Computation* f = c.instruction().Called(id);
  if (f == nullptr || f->root == nullptr) return c.FailAttribute(id, label, "a computation is needed that combines two elements");
  const size_t n = types.size();
  if (f->parameters.size() != 2 * n) {
    return c.FailAttribute(id, label, absl::StrCat("the computation must take ", 2 * n, " scalars, it takes ", f->parameters.size()));
  }
  const Shape& root = f->root->shape;
  const bool count_fits = root.IsTuple() ? root.tuple_shapes().size() == n : n == 1;
  if (!count_fits)
    return c.FailAttribute(id, label, absl::StrCat("the computation must return ", n, " scalars, it returns ", TypeText(root)));
  std::vector<ElementType> result;
  for (size_t k = 0; k < n; ++k) {
    const Shape& out = root.IsTuple() ? root.tuple_shapes()[k] : root;
    const Shape& left = f->parameters[k]->shape;
    const Shape& right = f->parameters[k + n]->shape;
    if (!out.IsScalar() || !left.IsScalar() || !right.IsScalar()) {
      return c.FailAttribute(id, label, "the computation's parameters and results must be scalars");
    }
    if (!Fits(left.element_type(), out.element_type()) || !Fits(right.element_type(), out.element_type()) ||
        !Fits(types[k], out.element_type())) {
      return c.FailAttribute(id, label,
                             absl::StrCat("for operand ", k, " of ", Name(types[k]), " the computation takes ", TypeText(left), " and ",
                                          TypeText(right), " and returns ", TypeText(out)));
    }
    result.push_back(out.element_type());
  }
  return result;
}

std::optional<ScalarOp> SimpleReducer(const Computation& reducer) {
  if (reducer.parameters.size() != 2 || reducer.root == nullptr || !reducer.root->shape.IsScalar()) return std::nullopt;
  const ElementType type = reducer.root->shape.element_type();
  if (reducer.parameters[0]->shape.element_type() != type || reducer.parameters[1]->shape.element_type() != type) return std::nullopt;
  ExprGraph scratch;
  const int32_t id = scratch.NewFoldId();
  const NodeId a = scratch.Accumulator(id, 0, type);
  const NodeId b = scratch.Accumulator(id, 1, type);
  auto inlined = InlineScalarComputation(scratch, reducer, {a, b});
  if (!inlined.ok() || inlined->size() != 1) return std::nullopt;
  const Node& n = scratch.node((*inlined)[0]);
  if (n.kind != NodeKind::kScalarOp || n.inputs.size() != 2) return std::nullopt;
  if (!((n.inputs[0] == a && n.inputs[1] == b) || (n.inputs[0] == b && n.inputs[1] == a))) return std::nullopt;
  return IsReassociable(n.op) ? std::optional<ScalarOp>(n.op) : std::nullopt;
}

std::optional<Scalar> IdentityOf(ScalarOp op, ElementType type) {
  const bool has_infinity =
      type == ElementType::kF64 || type == ElementType::kF32 || type == ElementType::kF16 || type == ElementType::kBF16;
  const bool has_negative_zero = has_infinity;
  const int bits = IsPred(type) ? 1 : BitWidth(type);
  const double inf = std::numeric_limits<double>::infinity();
  switch (op) {
    case ScalarOp::kAdd:
      if (IsPred(type) || IsInteger(type)) return Scalar::Int(type, 0);
      if (IsFloat(type) && has_negative_zero) return Scalar::Float(type, -0.0);
      return std::nullopt;
    case ScalarOp::kMultiply:
      if (IsPred(type) || IsInteger(type)) return Scalar::Int(type, 1);
      if (IsFloat(type) && has_infinity) return Scalar::Float(type, 1);
      return std::nullopt;
    case ScalarOp::kMaximum:
      if (IsPred(type) || IsUnsigned(type)) return Scalar::Int(type, 0);
      if (IsSigned(type)) return Scalar::Int(type, static_cast<int64_t>(~uint64_t{0} << (bits - 1)));
      if (IsFloat(type) && has_infinity) return Scalar::Float(type, -inf);
      return std::nullopt;
    case ScalarOp::kMinimum:
      if (IsPred(type)) return Scalar::Int(type, 1);
      if (IsUnsigned(type)) return Scalar::Int(type, -1);
      if (IsSigned(type)) return Scalar::Int(type, static_cast<int64_t>(~(~uint64_t{0} << (bits - 1))));
      if (IsFloat(type) && has_infinity) return Scalar::Float(type, inf);
      return std::nullopt;
    case ScalarOp::kAnd:
      if (IsPred(type)) return Scalar::Int(type, 1);
      if (IsInteger(type)) return Scalar::Int(type, -1);
      return std::nullopt;
    case ScalarOp::kOr:
    case ScalarOp::kXor:
      if (IsPred(type) || IsInteger(type)) return Scalar::Int(type, 0);
      return std::nullopt;
    default: return std::nullopt;
  }
}

absl::StatusOr<std::vector<NodeId>> FoldWith(ExprGraph& g, const Computation& reducer, absl::Span<const NodeId> inits,
                                             absl::Span<const NodeId> elements, std::vector<int32_t> vars, NodeId in_bounds) {
  const std::vector<ElementType> types = ReducerTypes(reducer);
  const size_t n = types.size();
  if (inits.size() != n || elements.size() != n) return absl::InternalError(absl::StrCat("reducer ", reducer.name, " has ", n, " results"));
  if (n == 1) {
    if (const std::optional<ScalarOp> op = SimpleReducer(reducer)) {
      const NodeId init = ConvertTo(g, types[0], inits[0]);
      NodeId x = ConvertTo(g, types[0], elements[0]);
      if (in_bounds == kNoNode) return std::vector<NodeId>{g.FoldOp(*op, init, x, std::move(vars))};
      if (const std::optional<Scalar> identity = IdentityOf(*op, types[0])) {
        x = g.Select(in_bounds, x, g.Constant(*identity));
        return std::vector<NodeId>{g.FoldOp(*op, init, x, std::move(vars))};
      }
    }
  }
  FoldInfo fold;
  fold.id = g.NewFoldId();
  std::vector<NodeId> arguments;
  std::vector<NodeId> accumulators;
  for (size_t k = 0; k < n; ++k) {
    fold.inits.push_back(ConvertTo(g, types[k], inits[k]));
    accumulators.push_back(g.Accumulator(fold.id, static_cast<int>(k), types[k]));
    arguments.push_back(ConvertTo(g, reducer.parameters[k]->shape.element_type(), accumulators.back()));
  }
  for (size_t k = 0; k < n; ++k) arguments.push_back(ConvertTo(g, reducer.parameters[n + k]->shape.element_type(), elements[k]));
  auto combined = InlineScalarComputation(g, reducer, arguments);
  if (!combined.ok()) return combined.status();
  for (size_t k = 0; k < n; ++k) {
    const NodeId body = ConvertTo(g, types[k], (*combined)[k]);
    fold.bodies.push_back(in_bounds == kNoNode ? body : g.Select(in_bounds, body, accumulators[k]));
  }
  for (int32_t v : vars) fold.extents.push_back(g.VarExtent(v));
  fold.vars = std::move(vars);
  const NodeId f = g.Fold(std::move(fold));
  std::vector<NodeId> results;
  for (size_t k = 0; k < n; ++k) results.push_back(g.FoldResult(f, static_cast<int>(k)));
  return results;
}

FoldOperands CheckFoldOperands(ShapeContext& c, const FoldOperandLabels& labels) {
  FoldOperands fold;
  const int n = c.operand_count() / 2;
  if (c.operand_count() % 2 != 0 || n == 0) {
    c.Fail(labels.operand_count, absl::StrCat("operands come as N arrays and N initial values, there are ", c.operand_count()));
    return fold;
  }
  if (!RequireArrays(c, labels.operand_arrays)) return fold;
  fold.can_go_on = fold.ok = true;
  for (int k = 0; k < n; ++k) {
    if (c.operand(k).dimensions() != c.operand(0).dimensions()) {
      c.FailOperand(k, labels.same_dimensions,
                    absl::StrCat("all arrays must have equal dimensions: operand 0 is ", TypeText(c.operand(0)), ", operand ", k, " is ",
                                 TypeText(c.operand(k))));
      fold.ok = false;
    }
    const Shape& init = c.operand(n + k);
    if (!init.IsScalar() ||
        (init.element_type() != c.operand(k).element_type() && !(IsFloat(init.element_type()) && IsFloat(c.operand(k).element_type())))) {
      c.FailOperand(n + k, labels.init_scalar,
                    absl::StrCat("the initial value of operand ", k, " must be a scalar ", Name(c.operand(k).element_type()), ", it is ",
                                 TypeText(init)));
      fold.ok = false;
    }
    fold.types.push_back(c.operand(k).element_type());
  }
  return fold;
}

absl::Status FoldOperandsInto(Program& program, const Instruction& instruction, absl::Span<const NodeId> index, std::vector<int32_t> vars,
                              NodeId in_bounds) {
  ExprGraph& g = *program.graph;
  const int n = static_cast<int>(instruction.operands.size()) / 2;
  std::vector<NodeId> inits, elements;
  for (int k = 0; k < n; ++k) {
    inits.push_back(g.Load(n + k, program.operands[n + k].element_type(), {}));
    elements.push_back(g.Load(k, program.operands[k].element_type(), index));
  }
  auto folded = FoldWith(g, *instruction.Called(AttrId::kToApply), inits, elements, std::move(vars), in_bounds);
  if (!folded.ok()) return folded.status();
  const bool tuple = instruction.shape.IsTuple();
  program.outputs.clear();
  for (int k = 0; k < n; ++k) program.outputs.push_back({tuple ? instruction.shape.tuple_shapes()[k] : instruction.shape, (*folded)[k]});
  return absl::OkStatus();
}

}  // namespace hloscope
