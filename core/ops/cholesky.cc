// cholesky: a = l l^H of Hermitian positive definite matrices, batch by batch.
#include <cmath>
#include <complex>
#include <limits>

#include "core/ops/rules.h"
#include "core/ops/typed.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("cholesky.operand-array"))) return std::nullopt;
  const Shape& s = c.operand(0);
  if (!IsFloat(s.element_type()) && !IsComplex(s.element_type())) {
    return c.FailOperand(0, HLO_LABEL("cholesky.element-type"), absl::StrCat("a float or complex array is needed, not ", TypeText(s)));
  }
  if (s.rank() < 2 || s.dim(s.rank() - 1) != s.dim(s.rank() - 2)) {
    return c.FailOperand(0, HLO_LABEL("cholesky.square"),
                         absl::StrCat("the last two dimensions must be equal, the operand is ", TypeText(s)));
  }
  return s.WithoutLayouts();
}

double Conjugate(double v) { return v; }
std::complex<double> Conjugate(std::complex<double> v) { return std::conj(v); }
double RealPart(double v) { return v; }
double RealPart(std::complex<double> v) { return v.real(); }
double Load(ElementType t, const std::byte* d, int64_t i, double) { return LoadFloatAt(t, d, i); }
std::complex<double> Load(ElementType t, const std::byte* d, int64_t i, std::complex<double>) { return LoadComplexAt(t, d, i); }

// Row by row; each sum runs from the first column up, in f64. False when a pivot is not positive.
template <typename T>
bool Factor(std::vector<T>& m, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      T sum = m[i * n + j];
      for (int64_t k = 0; k < j; ++k) sum -= m[i * n + k] * Conjugate(m[j * n + k]);
      if (i != j) {
        m[i * n + j] = sum / RealPart(m[j * n + j]);
        continue;
      }
      const double pivot = RealPart(sum);
      if (!(pivot > 0) || std::isinf(pivot)) return false;
      m[i * n + i] = std::sqrt(pivot);
    }
  }
  return true;
}

template <typename T>
absl::StatusOr<Value> Run(const EvalContext& c) {
  const Shape& s = c.operands[0].shape();
  const ElementType type = s.element_type();
  const int64_t n = s.dim(s.rank() - 1);
  const int64_t batches = n == 0 ? 0 : s.ElementCount() / (n * n);
  const bool lower = c.instruction.Bool(AttrId::kLower);
  Value out = Value::Allocate(c.instruction.shape, c.account);
  std::vector<T> m(n * n);
  for (int64_t b = 0; b < batches; ++b) {
    const int64_t base = b * n * n;
    // An upper factor u of a = u^H u is the conjugate transpose of the lower one: read that triangle transposed.
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        m[i * n + j] = lower ? Load(type, c.operands[0].data(), base + i * n + j, T())
                             : Conjugate(Load(type, c.operands[0].data(), base + j * n + i, T()));
      }
    }
    const bool ok = Factor(m, n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        T v = T();
        if (!ok) {
          v = T(std::numeric_limits<double>::quiet_NaN());
        } else if (lower ? j <= i : i <= j) {
          v = lower || i == j ? m[i * n + j] : Conjugate(m[j * n + i]);
        }
        StoreComplexAt(type, out.mutable_data(), base + i * n + j, v);
      }
    }
  }
  return out;
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) {
  return IsComplex(c.operands[0].shape().element_type()) ? Run<std::complex<double>>(c) : Run<double>(c);
}

// In terms of the lower factor; an upper one is its transpose. The pivots decide whether there is a factor at all.
std::vector<Reach> ReachOfCholesky(const ReachQuestion& q) {
  const int first = q.from.rank() - 2, second = q.from.rank() - 1;
  const bool lower = q.instruction.Bool(AttrId::kLower);
  using R = IndexRelation;
  const R::Index i = R::From(lower ? first : second), j = R::From(lower ? second : first), row = R::To(lower ? first : second), column = R::To(lower ? second : first);
  Reach own = q.AllButLast(2), before = q.AllButLast(2), pivots = q.AllButLast(2, Reach::Kind::kDecides);
  own.relation.AtLeast(row, column).Equal(i, row).AtLeast(i, j).AtLeast(column, j);
  before.relation.AtLeast(row, column).AtLeast(column, i).AtLeast(i, j);
  pivots.relation.AtLeast(i, j);
  return {own, before, pivots};
}

}  // namespace

void DefineCholesky(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kCholesky);
  d.op_class = OpClass::kOpaque;
  d.min_operands = d.max_operands = 1;
  d.attributes = {{AttrId::kLower}};
  d.infer = Infer;
  d.evaluate = Evaluate;
  d.reach = ReachOfCholesky;
  d.opaque_reason = "each element of the factor needs the ones before it";
  d.summary = "triangular factors of Hermitian positive definite matrices";
  d.doc =
      "`a = l l^H` with `lower=true`, else `a = u^H u`. Only the named triangle of the operand is read; the other one of the result is "
      "zero. A "
      "matrix that is not positive definite gives NaN everywhere. Sums run in f64 and round once at the end.";
  d.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
