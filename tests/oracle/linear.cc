// Algorithms of the oracle whose order is free, in long double with collected bounds: batch normalisation, Cholesky factors, triangular
// systems, Fourier transforms (naive sums).
#include <cmath>

#include "absl/strings/str_cat.h"
#include "tests/oracle/arrays.h"
#include "tests/oracle/scalars.h"

namespace hloscope::oracle {
namespace {

using LongComplex = std::complex<long double>;

// ---- Batch normalisation ----

// The positions of one feature's elements.
std::vector<int64_t> FeatureElements(const Array& a, int64_t feature_index, int64_t feature) {
  std::vector<int64_t> positions;
  ForEach(a.shape.dimensions(), [&](const Index& i) {
    if (i[feature_index] == feature) positions.push_back(a.Position(i));
  });
  return positions;
}

Approximate Mean(ElementType type, const std::vector<Approximate>& xs) {
  Approximate sum = FromReal(type, 0);
  for (const Approximate& x : xs) sum = sum + x;
  // Other orders than this one: as if every partial sum were as great as the sum of magnitudes.
  double magnitude = 0;
  for (const Approximate& x : xs) magnitude += static_cast<double>(std::abs(x.v));
  sum.error += 2 * Unit(type) * magnitude * static_cast<double>(xs.size());
  return sum / FromReal(type, static_cast<long double>(xs.size()));
}

absl::StatusOr<Array> BatchNorm(const Instruction& instruction, Operands operands) {
  const Array& x = *operands[0];
  const int64_t f = instruction.Int(AttrId::kFeatureIndex), features = x.shape.dim(static_cast<int>(f));
  const ElementType type = x.type();
  const Approximate epsilon = FromReal(type, Round(type, instruction.Float(AttrId::kEpsilon)));
  Array out(instruction.shape);
  // In which order it is multiplied and divided is free: numbers that could leave the range on the way are not looked at.
  const double top = std::ldexp(1.0, std::ilogb(MaxFinite(type)) / 5);
  for (const Array* operand : operands) {
    for (const Number& n : operand->elements) {
      if (std::abs(n.re) < top) continue;
      SetUnknown(out);
      return out;
    }
  }
  auto at = [&](int k, int64_t feature) { return FromNumber(operands[k]->type(), operands[k]->elements[feature]); };
  for (int64_t feature = 0; feature < features; ++feature) {
    const std::vector<int64_t> positions = FeatureElements(x, f, feature);
    auto value = [&](const Array& a, int64_t p) { return FromNumber(type, a.elements[p]); };
    if (instruction.opcode == Opcode::kBatchNormInference) {
      const Approximate scale = at(1, feature), offset = at(2, feature), mean = at(3, feature), deviation = Sqrt(at(4, feature) + epsilon);
      for (int64_t p : positions) out.elements[p] = ToNumber(type, (value(x, p) - mean) / deviation * scale + offset);
      continue;
    }
    if (instruction.opcode == Opcode::kBatchNormTraining) {
      std::vector<Approximate> xs, squares;
      for (int64_t p : positions) xs.push_back(value(x, p));
      const Approximate mean = Mean(type, xs);
      double square = 0;
      for (const Approximate& v : xs) {
        squares.push_back((v - mean) * (v - mean));
        square += static_cast<double>(std::norm(v.v));
      }
      Approximate variance = Mean(type, squares);
      // The variance may be taken as the mean of squares less the square of the mean, too.
      if (!xs.empty()) variance.error += 8 * Unit(type) * square;
      const Approximate deviation = Sqrt(variance + epsilon);
      for (int64_t p : positions) out.parts[0].elements[p] = ToNumber(type, (value(x, p) - mean) / deviation * at(1, feature) + at(2, feature));
      out.parts[1].elements[feature] = ToNumber(type, mean);
      out.parts[2].elements[feature] = ToNumber(type, variance);
      continue;
    }
    const Array& dy = *operands[4];
    const Approximate scale = at(1, feature), mean = at(2, feature), variance = at(3, feature) + epsilon, deviation = Sqrt(variance);
    std::vector<Approximate> products, gradients;
    for (int64_t p : positions) {
      products.push_back(value(dy, p) * (value(x, p) - mean));
      gradients.push_back(value(dy, p));
    }
    const Approximate n = FromReal(type, static_cast<long double>(positions.size()));
    const Approximate c = Mean(type, products), d = Mean(type, gradients);
    for (int64_t p : positions) {
      const Approximate inner = value(dy, p) - d - c / variance * (value(x, p) - mean);
      out.parts[0].elements[p] = ToNumber(type, scale / deviation * inner);
    }
    out.parts[1].elements[feature] = positions.empty() ? Real(0) : ToNumber(type, c * n / deviation);
    out.parts[2].elements[feature] = positions.empty() ? Real(0) : ToNumber(type, d * n);
  }
  return out;
}

// ---- Matrices ----

Array Cholesky(const Instruction& instruction, const Array& a) {
  Array out(instruction.shape);
  const bool lower = instruction.Bool(AttrId::kLower);
  const int rank = a.shape.rank();
  const int64_t n = a.shape.dim(rank - 1);
  Index batch = Dims(a.shape);
  batch.resize(rank - 2);
  ForEach(batch, [&](const Index& b) {
    auto at = [&](int64_t i, int64_t j) {
      Index index = b;
      index.push_back(i);
      index.push_back(j);
      return a.Position(index);
    };
    // l as a lower factor; the upper one is its adjoint, and is read from the upper triangle.
    auto read = [&](int64_t i, int64_t j) {
      const Approximate x = FromNumber(a.type(), a.elements[lower ? at(i, j) : at(j, i)]);
      return lower ? x : Conj(x);
    };
    std::vector<std::vector<Approximate>> l(n, std::vector<Approximate>(n));
    bool definite = true;
    for (int64_t j = 0; j < n; ++j) {
      Approximate d = read(j, j);
      d.v = d.v.real();
      double magnitude = static_cast<double>(std::abs(d.v));
      for (int64_t k = 0; k < j; ++k) d = d - l[j][k] * Conj(l[j][k]);
      if (!(d.v.real() > d.error + 1e-30 * magnitude)) definite = false;
      if (!definite) break;
      d.v = d.v.real();
      l[j][j] = Sqrt(d);
      for (int64_t i = j + 1; i < n; ++i) {
        Approximate s = read(i, j);
        for (int64_t k = 0; k < j; ++k) s = s - l[i][k] * Conj(l[j][k]);
        l[i][j] = s / l[j][j];
      }
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const bool inside = lower ? j <= i : i <= j;
        Number x = !inside ? Number() : !definite ? Unknown() : lower ? ToNumber(a.type(), l[i][j]) : ToNumber(a.type(), Conj(l[j][i]));
        if (!inside && !definite) x = Unknown();
        out.elements[at(i, j)] = x;
      }
    }
  });
  return out;
}

Array TriangularSolve(const Instruction& instruction, const Array& a, const Array& b) {
  Array out(instruction.shape);
  const ElementType type = b.type();
  const bool left = instruction.Bool(AttrId::kLeftSide), lower = instruction.Bool(AttrId::kLower), unit = instruction.Bool(AttrId::kUnitDiagonal);
  const absl::string_view transpose = instruction.Text(AttrId::kTransposeA);
  const bool transposed = transpose == "TRANSPOSE" || transpose == "ADJOINT", adjoint = transpose == "ADJOINT";
  const int rank = a.shape.rank();
  const int64_t n = a.shape.dim(rank - 1), columns = b.shape.dim(left ? rank - 1 : rank - 2);
  Index batch = Dims(a.shape);
  batch.resize(rank - 2);
  ForEach(batch, [&](const Index& base) {
    auto position = [&](const Array& m, int64_t i, int64_t j) {
      Index index = base;
      index.push_back(i);
      index.push_back(j);
      return m.Position(index);
    };
    // The matrix m of m y = c with c a column of b (left), or a row (right: the transpose of x op(a) = b).
    auto matrix = [&](int64_t i, int64_t j) {
      if (i == j && unit) return FromReal(type, 1);
      const bool swap = transposed == left;
      Approximate x = FromNumber(type, a.elements[swap ? position(a, j, i) : position(a, i, j)]);
      return adjoint ? Conj(x) : x;
    };
    const bool forward = lower != (transposed == left);
    for (int64_t column = 0; column < columns; ++column) {
      std::vector<Approximate> y(n);
      for (int64_t step = 0; step < n; ++step) {
        const int64_t i = forward ? step : n - 1 - step;
        Approximate s = FromNumber(type, b.elements[left ? position(b, i, column) : position(b, column, i)]);
        for (int64_t k = 0; k < step; ++k) {
          const int64_t j = forward ? k : n - 1 - k;
          s = s - matrix(i, j) * y[j];
        }
        y[i] = unit ? s : s / matrix(i, i);
      }
      for (int64_t i = 0; i < n; ++i) out.elements[left ? position(out, i, column) : position(out, column, i)] = ToNumber(type, y[i]);
    }
  });
  return out;
}

// ---- Fourier transforms ----

struct Spectrum {
  Index dims;
  std::vector<LongComplex> v;
  std::vector<double> error;
  double unit;
};

// Replaces every line along `axis` by `length` sums; sign -1 forward, +1 inverse (divided by n). `n` is the transform's length.
// For the inverse of a real transform the upper half of the input is the conjugate of the lower.
void Transform(Spectrum& s, int axis, int64_t n, int64_t length, int sign, bool from_half) {
  Spectrum r;
  r.unit = s.unit;
  r.dims = s.dims;
  r.dims[axis] = length;
  int64_t inner = 1, outer = 1;
  for (size_t d = axis + 1; d < s.dims.size(); ++d) inner *= s.dims[d];
  for (int d = 0; d < axis; ++d) outer *= s.dims[d];
  const int64_t in_length = s.dims[axis];
  r.v.resize(outer * length * inner);
  r.error.resize(r.v.size());
  const long double pi = std::acos(-1.0L);
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      std::vector<LongComplex> line(n);
      double error = 0, magnitude = 0;
      for (int64_t k = 0; k < n; ++k) {
        const bool mirrored = from_half && k >= in_length;
        const int64_t at = (o * in_length + (mirrored ? n - k : k)) * inner + i;
        line[k] = mirrored ? std::conj(s.v[at]) : s.v[at];
        if (from_half && (k == 0 || (n % 2 == 0 && k == n / 2))) line[k] = line[k].real();
        error += s.error[at];
        magnitude += static_cast<double>(std::abs(line[k]));
      }
      const long double scale = sign > 0 ? 1.0L / static_cast<long double>(n) : 1.0L;
      for (int64_t m = 0; m < length; ++m) {
        LongComplex sum = 0;
        for (int64_t k = 0; k < n; ++k) {
          const long double angle = 2 * pi * static_cast<long double>(m * k % n) / static_cast<long double>(n);
          sum += line[k] * LongComplex(std::cos(angle), sign * std::sin(angle));
        }
        const int64_t at = (o * length + m) * inner + i;
        r.v[at] = sum * scale;
        r.error[at] = (error + 4 * (std::log2(static_cast<double>(n)) + 2) * s.unit * magnitude) * static_cast<double>(scale);
      }
    }
  }
  s = std::move(r);
}

absl::StatusOr<Array> Fft(const Instruction& instruction, const Array& operand) {
  const absl::string_view kind = instruction.Text(AttrId::kFftType);
  const auto lengths = instruction.Ints(AttrId::kFftLength);
  const int axes = static_cast<int>(lengths.size()), rank = operand.shape.rank();
  Array out(instruction.shape);
  if (out.size() == 0) return out;
  Spectrum s;
  s.dims = Dims(operand.shape);
  const ElementType real = IsComplex(operand.type()) ? RealTypeOf(operand.type()) : operand.type();
  s.unit = Unit(real);
  for (const Number& x : operand.elements) {
    if (x.unknown() || !std::isfinite(x.re) || !std::isfinite(x.im)) {
      SetUnknown(out);
      return out;
    }
    s.v.push_back(x.c());
    s.error.push_back(x.error);
  }
  const bool inverse = kind == "IFFT" || kind == "IRFFT";
  const int64_t last = lengths[axes - 1];
  if (kind == "RFFT") Transform(s, rank - 1, last, last / 2 + 1, -1, false);
  for (int k = axes - 1; k >= 0; --k) {
    if (k == axes - 1 && (kind == "RFFT" || kind == "IRFFT")) continue;
    Transform(s, rank - axes + k, lengths[k], lengths[k], inverse ? 1 : -1, false);
  }
  if (kind == "IRFFT") Transform(s, rank - 1, last, last, 1, true);
  for (int64_t e = 0; e < out.size(); ++e) out.elements[e] = ToNumber(out.type(), {s.v[e], s.error[e], s.unit});
  return out;
}

}  // namespace

absl::StatusOr<Array> LinearAlgebra(const Instruction& instruction, Operands operands) {
  switch (instruction.opcode) {
    case Opcode::kBatchNormTraining:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormGrad: return BatchNorm(instruction, operands);
    case Opcode::kCholesky: return Cholesky(instruction, *operands[0]);
    case Opcode::kTriangularSolve: return TriangularSolve(instruction, *operands[0], *operands[1]);
    case Opcode::kFft: return Fft(instruction, *operands[0]);
    default: return absl::NotFoundError("no linear algebra");
  }
}

}  // namespace hloscope::oracle
