// triangular-solve: op(a) x = b or x op(a) = b with a triangular, batch by batch.
#include <algorithm>
#include <complex>

#include "core/ops/rules.h"
#include "core/ops/typed.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("triangular-solve.operand-arrays"))) return std::nullopt;
  const Shape& a = c.operand(0);
  const Shape& b = c.operand(1);
  if (a.element_type() != b.element_type() || (!IsFloat(a.element_type()) && !IsComplex(a.element_type()))) {
    return c.Fail(HLO_LABEL("triangular-solve.element-types"),
                  absl::StrCat("both operands must be of one float or complex type, they are ", TypeText(a), " and ", TypeText(b)));
  }
  const int rank = a.rank();
  if (rank < 2 || a.dim(rank - 1) != a.dim(rank - 2)) {
    return c.FailOperand(0, HLO_LABEL("triangular-solve.square"),
                         absl::StrCat("the last two dimensions of a must be equal, it is ", TypeText(a)));
  }
  bool batches = b.rank() == rank;
  for (int d = 0; batches && d < rank - 2; ++d) batches = a.dim(d) == b.dim(d);
  if (!batches) {
    return c.FailOperand(1, HLO_LABEL("triangular-solve.batch"),
                         absl::StrCat("a and b must agree in rank and batch dimensions: ", TypeText(a), " and ", TypeText(b)));
  }
  const bool left = c.instruction().Bool(AttrId::kLeftSide);
  if (b.dim(left ? rank - 2 : rank - 1) != a.dim(rank - 1)) {
    return c.FailOperand(1, HLO_LABEL("triangular-solve.sizes"),
                         absl::StrCat("with left_side=", left ? "true" : "false", " b must have ", a.dim(rank - 1),
                                      left ? " rows" : " columns", ", it is ", TypeText(b)));
  }
  const absl::string_view t = c.instruction().Text(AttrId::kTransposeA);
  if (!t.empty() && t != "NO_TRANSPOSE" && t != "TRANSPOSE" && t != "ADJOINT") {
    return c.FailAttribute(AttrId::kTransposeA, HLO_LABEL("triangular-solve.transpose-a"),
                           absl::StrCat("transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT, not ", t));
  }
  return b.WithoutLayouts();
}

double Conjugate(double v) { return v; }
std::complex<double> Conjugate(std::complex<double> v) { return std::conj(v); }
double Load(ElementType t, const std::byte* d, int64_t i, double) { return LoadFloatAt(t, d, i); }
std::complex<double> Load(ElementType t, const std::byte* d, int64_t i, std::complex<double>) { return LoadComplexAt(t, d, i); }

// m x = rhs for a lower (or upper) triangular m of n x n and a rhs of n x width, row by row, in place.
template <typename T>
void Substitute(const std::vector<T>& m, std::vector<T>& x, int64_t n, int64_t width, bool lower, bool unit) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = lower ? step : n - 1 - step;
    for (int64_t s = 0; s < step; ++s) {
      const int64_t j = lower ? s : n - 1 - s;
      const T f = m[i * n + j];
      for (int64_t k = 0; k < width; ++k) x[i * width + k] -= f * x[j * width + k];
    }
    if (unit) continue;
    for (int64_t k = 0; k < width; ++k) x[i * width + k] /= m[i * n + i];
  }
}

template <typename T>
absl::StatusOr<Value> Run(const EvalContext& c) {
  const Instruction& i = c.instruction;
  const Shape& as = c.operands[0].shape();
  const Shape& bs = c.operands[1].shape();
  const ElementType type = as.element_type();
  const bool left = i.Bool(AttrId::kLeftSide), lower = i.Bool(AttrId::kLower), unit = i.Bool(AttrId::kUnitDiagonal);
  const absl::string_view t = i.Text(AttrId::kTransposeA);
  const bool transpose = t == "TRANSPOSE" || t == "ADJOINT", conjugate = t == "ADJOINT";
  const int64_t n = as.dim(as.rank() - 1);
  const int64_t rows = bs.dim(bs.rank() - 2), columns = bs.dim(bs.rank() - 1);
  const int64_t width = left ? columns : rows;
  Value out = Value::Allocate(i.shape, c.account);
  const int64_t batches = n == 0 || width == 0 ? 0 : as.ElementCount() / (n * n);
  // x op(a) = b is op(a)^T x^T = b^T, so the right side turns everything round once more.
  const bool turned = transpose != !left;
  const bool effective_lower = turned ? !lower : lower;
  std::vector<T> m(n * n), x(n * width);
  for (int64_t batch = 0; batch < batches; ++batch) {
    std::fill(m.begin(), m.end(), T());
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t s = lower ? 0 : r; s < (lower ? r + 1 : n); ++s) {
        T v = Load(type, c.operands[0].data(), (batch * n + r) * n + s, T());
        if (conjugate) v = Conjugate(v);
        m[turned ? s * n + r : r * n + s] = v;
      }
    }
    const int64_t base = batch * rows * columns;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t s = 0; s < columns; ++s)
        x[left ? r * width + s : s * width + r] = Load(type, c.operands[1].data(), base + r * columns + s, T());
    }
    Substitute(m, x, n, width, effective_lower, unit);
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t s = 0; s < columns; ++s)
        StoreComplexAt(type, out.mutable_data(), base + r * columns + s, x[left ? r * width + s : s * width + r]);
    }
  }
  return out;
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) {
  return IsComplex(c.operands[0].shape().element_type()) ? Run<std::complex<double>>(c) : Run<double>(c);
}

// An unknown depends on those that are solved before it, and on their rows of the triangle.
std::vector<Reach> ReachOfSolve(const ReachQuestion& q) {
  const Instruction& i = q.instruction;
  const absl::string_view t = i.Text(AttrId::kTransposeA);
  const bool left = i.Bool(AttrId::kLeftSide), turned = (t == "TRANSPOSE" || t == "ADJOINT") != !left, lower = i.Bool(AttrId::kLower) != turned;
  const int first = q.from.rank() - 2, second = q.from.rank() - 1;
  using R = IndexRelation;
  const R::Index unknown = R::To(left ? first : second);
  const auto solved_before = [&](R& relation, R::Index a, R::Index b, int64_t more) { lower ? relation.AtLeast(b, a, more) : relation.AtLeast(a, b, more); };
  Reach reach = q.AllButLast(2);
  if (q.operand == 1) {
    const int other = left ? second : first;
    reach.relation.Equal(R::From(other), R::To(other));
    solved_before(reach.relation, R::From(left ? first : second), unknown, 0);
    return {reach};
  }
  const R::Index row = R::From(turned ? second : first), column = R::From(turned ? first : second);
  solved_before(reach.relation, row, unknown, 0);
  solved_before(reach.relation, column, row, i.Bool(AttrId::kUnitDiagonal) ? 1 : 0);
  return {reach};
}

}  // namespace

void DefineTriangularSolve(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kTriangularSolve);
  d.op_class = OpClass::kOpaque;
  d.min_operands = d.max_operands = 2;
  d.attributes = {{AttrId::kLeftSide}, {AttrId::kLower}, {AttrId::kUnitDiagonal}, {AttrId::kTransposeA}};
  d.infer = Infer;
  d.evaluate = Evaluate;
  d.reach = ReachOfSolve;
  d.opaque_reason = "each unknown needs the ones solved before it";
  d.summary = "solves triangular systems of equations";
  d.doc =
      "`op(a) x = b` with `left_side=true`, else `x op(a) = b`; `op` is nothing, the transpose or the adjoint. Only the named triangle of "
      "a is "
      "read, and not its diagonal with `unit_diagonal=true`. Substitution runs in f64 and rounds once at the end.";
  d.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
