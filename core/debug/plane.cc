#include "core/debug/plane.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "core/debug/compare_values.h"
#include "core/literal/element_at.h"
#include "core/literal/scalar.h"
#include "core/literal/statistics.h"

namespace hloscope {
namespace {

constexpr int64_t kMostLooked = int64_t{1} << 26;  // elements; of larger windows some are passed over

template <typename T, typename Decode>
void Read(const std::byte* data, int64_t first, int64_t stride, int64_t count, double* out, Decode decode) {
  const std::byte* at = data + first * static_cast<int64_t>(sizeof(T));
  for (int64_t k = 0; k < count; ++k, at += stride * static_cast<int64_t>(sizeof(T))) {
    T x;
    std::memcpy(&x, at, sizeof(T));
    out[k] = decode(x);
  }
}

template <typename T>
void ReadPlain(const std::byte* data, int64_t first, int64_t stride, int64_t count, double* out) {
  Read<T>(data, first, stride, count, out, [](T x) { return static_cast<double>(x); });
}

bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Of finite numbers it is finite: what is too large is the largest there is.
double DifferenceOf(double got, double expected) {
  const double difference = got - expected;
  return std::isinf(difference) && std::isfinite(got) && std::isfinite(expected) ? std::copysign(std::numeric_limits<double>::max(), difference) : difference;
}

double Ulp(double got, double expected, ElementType type) {
  if (!IsFloat(type)) return std::fabs(DifferenceOf(got, expected));
  if (!std::isfinite(got) || !std::isfinite(expected)) return std::numeric_limits<double>::infinity();
  return std::fabs(got / 2 - expected / 2) / (UlpAt(type, expected) / 2);
}

// Of complex numbers the size of their difference, and their distance in ULP.
void ComplexDifferences(const Value& array, const Value& other, int64_t first, int64_t stride, int64_t count, bool ulp, double* out) {
  for (int64_t k = 0; k < count; ++k) {
    const Scalar a = ElementAt(array, first + k * stride), b = ElementAt(other, first + k * stride);
    const bool same = Same(a.re, b.re) && Same(a.im, b.im);
    out[k] = same ? 0 : ulp ? UlpDistance(a, b) : MagnitudeOf(a.c() - b.c());
  }
}

// Of 64-bit integers, whose difference doubles may not see.
void WholeDifferences(const Value& array, const Value& other, int64_t first, int64_t stride, int64_t count, bool distance, double* out) {
  const bool is_unsigned = IsUnsigned(array.shape().element_type());
  for (int64_t k = 0; k < count; ++k) {
    const int64_t a = reinterpret_cast<const int64_t*>(array.data())[first + k * stride],
                  b = reinterpret_cast<const int64_t*>(other.data())[first + k * stride];
    const __int128 difference =
        is_unsigned ? static_cast<__int128>(static_cast<uint64_t>(a)) - static_cast<uint64_t>(b) : static_cast<__int128>(a) - b;
    out[k] = static_cast<double>(distance && difference < 0 ? -difference : difference);
  }
}

// -0 is below 0.
double Lower(double a, double b) { return a < b || (a == b && std::signbit(a)) ? a : b; }
double Higher(double a, double b) { return a > b || (a == b && !std::signbit(a)) ? a : b; }

// The elements of a cell, one after the other.
struct Gathering {
  PlaneCell cell;
  double sum = -0.0;  // to which -0 adds up as itself
  void Add(double x) {
    if (std::isfinite(x)) {
      cell.low = cell.finite == 0 ? x : Lower(cell.low, x);
      cell.high = cell.finite == 0 ? x : Higher(cell.high, x);
      sum += x;
      ++cell.finite;
    } else if (std::isnan(x)) {
      ++cell.nan;
    } else {
      ++(x > 0 ? cell.plus_inf : cell.minus_inf);
    }
  }
};

int64_t PowerOfTwoStep(int64_t size, int64_t most) {
  int64_t step = 1;
  while ((size + step - 1) / step > std::max<int64_t>(1, most)) step *= 2;
  return step;
}

}  // namespace

const char* SignOf(ComplexPart part) {
  switch (part) {
    case ComplexPart::kMagnitude: return "|z|";
    case ComplexPart::kReal: return "re";
    case ComplexPart::kImaginary: return "im";
    case ComplexPart::kAngle: return "angle";
  }
  return "";
}

std::optional<ComplexPart> ParseComplexPart(absl::string_view word) {
  if (word == "abs" || word == "|z|") return ComplexPart::kMagnitude;
  if (word == "re") return ComplexPart::kReal;
  if (word == "im") return ComplexPart::kImaginary;
  if (word == "angle") return ComplexPart::kAngle;
  return std::nullopt;
}

namespace {

template <typename T>
void TakePart(const Value& from, ComplexPart part, Value& to) {
  const std::complex<T>* in = from.as<std::complex<T>>();
  T* out = to.mutable_as<T>();
  for (int64_t k = 0; k < from.element_count(); ++k) {
    switch (part) {
      case ComplexPart::kMagnitude: out[k] = static_cast<T>(MagnitudeOf(std::complex<double>(in[k]))); break;
      case ComplexPart::kReal: out[k] = in[k].real(); break;
      case ComplexPart::kImaginary: out[k] = in[k].imag(); break;
      case ComplexPart::kAngle: out[k] = std::atan2(in[k].imag(), in[k].real()); break;
    }
  }
}

}  // namespace

Value PartOfComplex(const Value& array, ComplexPart part) {
  const Shape& shape = array.shape();
  Value out = Value::Allocate(Shape::Array(RealTypeOf(shape.element_type()), shape.dimensions()));
  if (shape.element_type() == ElementType::kC64) {
    TakePart<float>(array, part, out);
  } else {
    TakePart<double>(array, part, out);
  }
  return out;
}

PlaneAxes StandardAxes(const Shape& array) {
  PlaneAxes axes;
  const int rank = array.rank();
  axes.columns = rank - 1;
  axes.rows = rank >= 2 ? rank - 2 : -1;
  axes.at.assign(rank, 0);
  return axes;
}

PlaneAxes FitAxes(const Shape& array, PlaneAxes axes) {
  const int rank = array.rank();
  if (axes.rows >= rank) axes.rows = -1;
  if (axes.columns >= rank) axes.columns = -1;
  if (axes.rows == axes.columns) axes.rows = -1;
  axes.at.resize(rank, 0);
  for (int d = 0; d < rank; ++d) axes.at[d] = d == axes.rows || d == axes.columns ? 0 : std::clamp<int64_t>(axes.at[d], 0, std::max<int64_t>(0, array.dim(d) - 1));
  return axes;
}

int64_t PlaneRows(const Shape& array, const PlaneAxes& axes) { return axes.rows >= 0 ? array.dim(axes.rows) : 1; }
int64_t PlaneColumns(const Shape& array, const PlaneAxes& axes) { return axes.columns >= 0 ? array.dim(axes.columns) : 1; }

std::vector<int64_t> PlaneIndex(const PlaneAxes& axes, int64_t row, int64_t column) {
  std::vector<int64_t> index = axes.at;
  if (axes.rows >= 0) index[axes.rows] = row;
  if (axes.columns >= 0) index[axes.columns] = column;
  return index;
}

PlaneWindow WholePlane(const Shape& array, const PlaneAxes& axes, int64_t most_rows, int64_t most_columns) {
  PlaneWindow window;
  window.rows = PlaneRows(array, axes);
  window.columns = PlaneColumns(array, axes);
  window.row_step = PowerOfTwoStep(window.rows, most_rows);
  window.column_step = PowerOfTwoStep(window.columns, most_columns);
  return window;
}

void ReadNumbers(const Value& array, int64_t first, int64_t stride, int64_t count, double* out) {
  const std::byte* data = array.data();
  switch (const ElementType type = array.shape().element_type(); type) {
    case ElementType::kPred: return Read<uint8_t>(data, first, stride, count, out, [](uint8_t x) { return x != 0 ? 1.0 : 0.0; });
    case ElementType::kS8: return ReadPlain<int8_t>(data, first, stride, count, out);
    case ElementType::kS16: return ReadPlain<int16_t>(data, first, stride, count, out);
    case ElementType::kS32: return ReadPlain<int32_t>(data, first, stride, count, out);
    case ElementType::kS64: return ReadPlain<int64_t>(data, first, stride, count, out);
    case ElementType::kU8: return ReadPlain<uint8_t>(data, first, stride, count, out);
    case ElementType::kU16: return ReadPlain<uint16_t>(data, first, stride, count, out);
    case ElementType::kU32: return ReadPlain<uint32_t>(data, first, stride, count, out);
    case ElementType::kU64: return ReadPlain<uint64_t>(data, first, stride, count, out);
    case ElementType::kF32: return ReadPlain<float>(data, first, stride, count, out);
    case ElementType::kF64: return ReadPlain<double>(data, first, stride, count, out);
    case ElementType::kBF16:
      return Read<uint16_t>(data, first, stride, count, out, [](uint16_t x) { return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(x) << 16)); });
    case ElementType::kF16: {
      static const auto& table = *[] {
        auto* made = new std::array<float, 65536>;
        for (int k = 0; k < 65536; ++k) (*made)[k] = static_cast<float>(DecodeFloat(ElementType::kF16, static_cast<uint64_t>(k)));
        return made;
      }();
      return Read<uint16_t>(data, first, stride, count, out, [](uint16_t x) { return static_cast<double>(table[x]); });
    }
    case ElementType::kC64:
      return Read<std::array<float, 2>>(data, first, stride, count, out, [](std::array<float, 2> x) { return MagnitudeOf({x[0], x[1]}); });
    case ElementType::kC128: return Read<std::array<double, 2>>(data, first, stride, count, out, [](std::array<double, 2> x) { return MagnitudeOf({x[0], x[1]}); });
    default: {
      // One byte each: narrow floats and integers.
      std::array<double, 256> table;
      for (int k = 0; k < 256; ++k) {
        const std::byte byte = static_cast<std::byte>(k);
        const Scalar s = LoadScalar(type, &byte);
        table[k] = IsFloat(type) ? s.re : IsUnsigned(type) ? static_cast<double>(s.u()) : static_cast<double>(s.i);
      }
      return Read<uint8_t>(data, first, stride, count, out, [&](uint8_t x) { return table[x]; });
    }
  }
}

Plane MakePlane(const Value& array, const PlaneAxes& axes, const PlaneWindow& window, PlaneOf of, const Value* other) {
  Plane plane;
  plane.axes = axes;
  plane.window = window;
  const Shape& shape = array.shape();
  const int64_t cell_rows = window.cell_rows(), cell_columns = window.cell_columns();
  if (shape.ElementCount() == 0 || cell_rows <= 0 || cell_columns <= 0) return plane;
  plane.cells.resize(static_cast<size_t>(cell_rows * cell_columns));
  const std::vector<int64_t> strides = RowMajorStrides(shape.dimensions());
  int64_t base = 0;
  for (int d = 0; d < shape.rank(); ++d) {
    if (d != axes.rows && d != axes.columns) base += axes.at[d] * strides[d];
  }
  const int64_t down = axes.rows >= 0 ? strides[axes.rows] : 0, across = axes.columns >= 0 ? strides[axes.columns] : 0;
  // Of windows that are too large, whole rows of elements are passed over, and where that is not enough, columns.
  int64_t skip_rows = 1, skip_columns = 1;
  while (skip_rows < window.row_step && window.rows * window.columns / skip_rows > kMostLooked) skip_rows *= 2;
  while (skip_columns < window.column_step && window.rows * window.columns / skip_rows / skip_columns > kMostLooked) skip_columns *= 2;
  plane.sampled = skip_rows > 1 || skip_columns > 1;
  const int64_t looked = (window.columns + skip_columns - 1) / skip_columns;
  ElementType compared = shape.element_type();
  if (other != nullptr && IsFloat(compared) && IsFloat(other->shape().element_type())) compared = NarrowerType(compared, other->shape().element_type());
  const bool whole = other != nullptr && !IsFloat(compared) && !IsComplex(compared) && !IsPred(compared) && BitWidth(compared) == 64 &&
                     other->shape().element_type() == compared;
  const bool both_complex = other != nullptr && IsComplex(shape.element_type()) && IsComplex(other->shape().element_type());
  std::vector<double> row(static_cast<size_t>(looked)), other_row(other != nullptr ? row.size() : 0);
  std::vector<Gathering> gathering(static_cast<size_t>(cell_columns));
  for (int64_t cell_row = 0; cell_row < cell_rows; ++cell_row) {
    std::fill(gathering.begin(), gathering.end(), Gathering());
    const int64_t end = std::min((cell_row + 1) * window.row_step, window.rows);
    for (int64_t r = cell_row * window.row_step; r < end; r += skip_rows) {
      const int64_t first = base + (window.row + r) * down + window.column * across;
      ReadNumbers(array, first, across * skip_columns, looked, row.data());
      if (other != nullptr && of != PlaneOf::kValue) {
        if (both_complex)
          ComplexDifferences(array, *other, first, across * skip_columns, looked, of == PlaneOf::kUlp, row.data());
        else if (whole)
          WholeDifferences(array, *other, first, across * skip_columns, looked, of != PlaneOf::kDifference, row.data());
        else
          ReadNumbers(*other, first, across * skip_columns, looked, other_row.data());
        for (int64_t k = 0; k < looked && !whole && !both_complex; ++k)
          row[k] = Same(row[k], other_row[k]) ? 0 : of == PlaneOf::kDifference ? DifferenceOf(row[k], other_row[k]) : Ulp(row[k], other_row[k], compared);
      }
      for (int64_t k = 0; k < looked; ++k) gathering[k * skip_columns / window.column_step].Add(row[k]);
    }
    for (int64_t c = 0; c < cell_columns; ++c) {
      Gathering& g = gathering[c];
      if (g.cell.finite > 0) {
        g.cell.mean = std::clamp(g.sum / g.cell.finite, g.cell.low, g.cell.high);
        plane.low = plane.finite == 0 ? g.cell.low : Lower(plane.low, g.cell.low);
        plane.high = plane.finite == 0 ? g.cell.high : Higher(plane.high, g.cell.high);
      }
      plane.finite += g.cell.finite;
      plane.nan += g.cell.nan;
      plane.inf += g.cell.plus_inf + g.cell.minus_inf;
      plane.cells[static_cast<size_t>(cell_row * cell_columns + c)] = g.cell;
    }
  }
  return plane;
}

}  // namespace hloscope
