// fft: discrete Fourier transforms of up to three axes, of any length. Everything runs in f64 and rounds once at the end.
//
// A length whose prime factors are small goes through self-sorting passes of radix 4, 2, 3, 5, ...; any other length becomes a
// convolution of power-of-two length (Bluestein).
#include <algorithm>
#include <cmath>
#include <memory>

#include "core/ops/rules.h"
#include "core/ops/typed.h"

namespace hloscope {
namespace {

struct C {
  double re = 0, im = 0;
};
C operator+(C a, C b) { return {a.re + b.re, a.im + b.im}; }
C operator-(C a, C b) { return {a.re - b.re, a.im - b.im}; }
C operator*(C a, C b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

// exp(-2 pi i k / n)
C Root(int64_t k, int64_t n) {
  const long double angle = -6.283185307179586476925286766559L * static_cast<long double>(k) / static_cast<long double>(n);
  return {static_cast<double>(std::cos(angle)), static_cast<double>(std::sin(angle))};
}

// Forward transforms of one length.
class Transform {
 public:
  explicit Transform(int64_t n) : n_(n) {
    int64_t rest = n;
    for (int64_t p : {4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31}) {
      while (rest > 1 && rest % p == 0) {
        factors_.push_back(p);
        rest /= p;
      }
    }
    if (rest > 1) {
      MakeBluestein();
      return;
    }
    MakeRoots();
    scratch_.resize(n);
  }

  // In place.
  void Run(C* data) {
    if (inner_ != nullptr) return Bluestein(data);
    C* from = data;
    C* to = scratch_.data();
    int64_t n = n_, stride = 1;
    for (int64_t p : factors_) {
      Pass(p, n, stride, from, to);
      std::swap(from, to);
      n /= p;
      stride *= p;
    }
    if (from != data) std::copy(from, from + n_, data);
  }

 private:
  // One self-sorting pass: p-point transforms of elements n/p apart, each output turned by its twiddle.
  void Pass(int64_t p, int64_t n, int64_t stride, const C* x, C* y) const {
    const int64_t m = n / p;
    for (int64_t k = 0; k < m; ++k) {
      const C* from = x + stride * k;
      C* to = y + stride * p * k;
      const int64_t step = stride * m;
      if (p == 2) {
        const C w = roots_[k * stride];
        for (int64_t q = 0; q < stride; ++q) {
          const C a = from[q], b = from[q + step];
          to[q] = a + b;
          to[q + stride] = (a - b) * w;
        }
      } else if (p == 4) {
        const C w1 = roots_[k * stride], w2 = roots_[2 * k * stride], w3 = roots_[3 * k * stride];
        for (int64_t q = 0; q < stride; ++q) {
          const C a = from[q], b = from[q + step], c = from[q + 2 * step], d = from[q + 3 * step];
          const C s = a + c, t = a - c, u = b + d, v = b - d;
          const C turned{v.im, -v.re};  // -i v
          to[q] = s + u;
          to[q + stride] = (t + turned) * w1;
          to[q + 2 * stride] = (s - u) * w2;
          to[q + 3 * stride] = (t - turned) * w3;
        }
      } else {
        const int64_t unit = n_ / p;
        for (int64_t j = 0; j < p; ++j) {
          const C w = roots_[(k * j * stride) % n_];
          for (int64_t q = 0; q < stride; ++q) {
            C sum = from[q];
            for (int64_t i = 1; i < p; ++i) sum = sum + from[q + i * step] * roots_[(i * j % p) * unit];
            to[q + j * stride] = sum * w;
          }
        }
      }
    }
  }

  // The first eighth of the circle by functions, the rest by its symmetries.
  void MakeRoots() {
    const int64_t n = n_;
    roots_.resize(std::max<int64_t>(n, 1));
    const int64_t eighth = n % 8 == 0 ? n / 8 : n / 2;
    for (int64_t k = 0; k <= eighth && k < n; ++k) roots_[k] = Root(k, n);
    if (n % 8 == 0) {
      for (int64_t k = eighth + 1; k <= n / 4; ++k) roots_[k] = {-roots_[n / 4 - k].im, -roots_[n / 4 - k].re};
      for (int64_t k = n / 4 + 1; k <= n / 2; ++k) roots_[k] = {roots_[k - n / 4].im, -roots_[k - n / 4].re};
    }
    for (int64_t k = n / 2 + 1; k < n; ++k) roots_[k] = {roots_[n - k].re, -roots_[n - k].im};
  }

  void MakeBluestein() {
    int64_t m = 1;
    while (m < 2 * n_ - 1) m *= 2;
    inner_ = std::make_unique<Transform>(m);
    m_ = m;
    chirp_.resize(n_);
    kernel_.assign(m, C());
    for (int64_t k = 0; k < n_; ++k) {
      chirp_[k] = Root(static_cast<int64_t>((static_cast<__int128>(k) * k) % (2 * n_)), 2 * n_);
      kernel_[k] = {chirp_[k].re, -chirp_[k].im};
      if (k > 0) kernel_[m - k] = kernel_[k];
    }
    inner_->Run(kernel_.data());
    scratch_.resize(m);
  }

  void Bluestein(C* data) {
    std::fill(scratch_.begin(), scratch_.end(), C());
    for (int64_t k = 0; k < n_; ++k) scratch_[k] = data[k] * chirp_[k];
    inner_->Run(scratch_.data());
    // The inverse transform is the forward one of the conjugate, conjugated, over m.
    for (int64_t k = 0; k < m_; ++k) {
      const C v = scratch_[k] * kernel_[k];
      scratch_[k] = {v.re, -v.im};
    }
    inner_->Run(scratch_.data());
    const double scale = 1.0 / static_cast<double>(m_);
    for (int64_t k = 0; k < n_; ++k) data[k] = C{scratch_[k].re * scale, -scratch_[k].im * scale} * chirp_[k];
  }

  int64_t n_, m_ = 0;
  std::vector<int64_t> factors_;
  std::vector<C> roots_, scratch_, chirp_, kernel_;
  std::unique_ptr<Transform> inner_;
};

void Line(Transform& t, std::vector<C>& line, bool inverse) {
  if (!inverse) return t.Run(line.data());
  const double scale = 1.0 / static_cast<double>(line.size());
  for (C& v : line) v.im = -v.im;
  t.Run(line.data());
  for (C& v : line) v = {v.re * scale, 0 - v.im * scale};  // from zero, so that a zero stays positive
}

// All lines of `data` (dimensions `dims`) along axis `d`, in place.
void Axis(std::vector<C>& data, absl::Span<const int64_t> dims, int d, bool inverse) {
  const int64_t n = dims[d];
  int64_t stride = 1;
  for (size_t k = d + 1; k < dims.size(); ++k) stride *= dims[k];
  if (n == 0 || data.empty()) return;
  Transform t(n);
  std::vector<C> line(n);
  for (int64_t base = 0; base < static_cast<int64_t>(data.size()); base += n * stride) {
    for (int64_t i = 0; i < stride; ++i) {
      for (int64_t e = 0; e < n; ++e) line[e] = data[base + e * stride + i];
      Line(t, line, inverse);
      for (int64_t e = 0; e < n; ++e) data[base + e * stride + i] = line[e];
    }
  }
}

enum class Kind : uint8_t { kNone, kFft, kIfft, kRfft, kIrfft };
Kind KindOf(const Instruction& i) {
  const absl::string_view t = i.Text(AttrId::kFftType);
  return t == "FFT" ? Kind::kFft : t == "IFFT" ? Kind::kIfft : t == "RFFT" ? Kind::kRfft : t == "IRFFT" ? Kind::kIrfft : Kind::kNone;
}

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("fft.operand-array"))) return std::nullopt;
  const Shape& s = c.operand(0);
  const Kind kind = KindOf(c.instruction());
  if (kind == Kind::kNone) {
    return c.FailAttribute(AttrId::kFftType, HLO_LABEL("fft.type"),
                           absl::StrCat("fft_type must be FFT, IFFT, RFFT or IRFFT, not ", c.instruction().Text(AttrId::kFftType)));
  }
  const ElementType t = s.element_type();
  const bool type_fits = kind == Kind::kRfft ? t == ElementType::kF32 || t == ElementType::kF64 : IsComplex(t);
  if (!type_fits) {
    return c.FailOperand(0, HLO_LABEL("fft.element-type"),
                         absl::StrCat(c.instruction().Text(AttrId::kFftType), " takes ", kind == Kind::kRfft ? "f32 or f64" : "c64 or c128",
                                      ", the operand is ", TypeText(s)));
  }
  const auto lengths = c.instruction().Ints(AttrId::kFftLength);
  const int axes = static_cast<int>(lengths.size());
  if (axes < 1 || axes > 3 || axes > s.rank()) {
    return c.FailAttribute(AttrId::kFftLength, HLO_LABEL("fft.axes"),
                           absl::StrCat("one to three axes of ", TypeText(s), " are needed, fft_length is ", ListText(lengths)));
  }
  std::vector<int64_t> dims(s.dimensions().begin(), s.dimensions().end());
  for (int k = 0; k < axes; ++k) {
    const int d = s.rank() - axes + k;
    const int64_t expected = kind == Kind::kIrfft && k == axes - 1 ? lengths[k] / 2 + 1 : lengths[k];
    const bool empty = kind == Kind::kIrfft && k == axes - 1 && lengths[k] == 0 && s.dim(d) == 0;
    if (lengths[k] < 0 || (s.dim(d) != expected && !empty)) {
      return c.FailAttribute(
          AttrId::kFftLength, HLO_LABEL("fft.length"),
          absl::StrCat("dimension ", d, " of ", TypeText(s), " must have size ", expected, " for fft_length ", ListText(lengths)));
    }
  }
  if (kind == Kind::kRfft) dims.back() = lengths.back() == 0 ? 0 : lengths.back() / 2 + 1;
  if (kind == Kind::kIrfft) dims.back() = lengths.back();
  const bool wide = t == ElementType::kF64 || t == ElementType::kC128;
  const ElementType result = kind == Kind::kIrfft ? (wide ? ElementType::kF64 : ElementType::kF32)
                             : wide               ? ElementType::kC128
                                                  : ElementType::kC64;
  return Shape::Array(result, dims);
}

std::vector<C> LoadAll(const Value& v) {
  std::vector<C> out(v.element_count());
  const ElementType t = v.shape().element_type();
  for (int64_t i = 0; i < v.element_count(); ++i) {
    const std::complex<double> x = LoadComplexAt(t, v.data(), i);
    out[i] = {x.real(), x.imag()};
  }
  return out;
}

// Lines of `from` values become lines of `to` values.
std::vector<C> Resized(const std::vector<C>& data, int64_t from, int64_t to) {
  const int64_t lines = from == 0 ? 0 : static_cast<int64_t>(data.size()) / from;
  std::vector<C> out(lines * to);
  for (int64_t l = 0; l < lines; ++l) {
    for (int64_t e = 0; e < std::min(from, to); ++e) out[l * to + e] = data[l * from + e];
  }
  return out;
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) {
  const Instruction& i = c.instruction;
  const Kind kind = KindOf(i);
  const Shape& s = c.operands[0].shape();
  const int axes = static_cast<int>(i.Ints(AttrId::kFftLength).size());
  const int last = s.rank() - 1;
  const int64_t length = i.Ints(AttrId::kFftLength).back();
  std::vector<int64_t> dims(s.dimensions().begin(), s.dimensions().end());
  std::vector<C> data = LoadAll(c.operands[0]);
  const bool inverse = kind == Kind::kIfft || kind == Kind::kIrfft;
  // The real axis is the innermost: it goes first on the way there and last on the way back.
  if (kind != Kind::kIrfft) Axis(data, dims, last, inverse);
  if (kind == Kind::kRfft && length > 0) {
    data = Resized(data, length, length / 2 + 1);
    dims[last] = length / 2 + 1;
  }
  for (int k = 1; k < axes; ++k) Axis(data, dims, last - k, inverse);
  if (kind == Kind::kIrfft) {
    const int64_t half = dims[last];
    data = Resized(data, half, length);
    dims[last] = length;
    const int64_t lines = length == 0 ? 0 : static_cast<int64_t>(data.size()) / length;
    for (int64_t l = 0; l < lines; ++l) {
      C* line = &data[l * length];
      line[0].im = 0;
      if (length % 2 == 0) line[length / 2].im = 0;
      for (int64_t e = length / 2 + 1; e < length; ++e) line[e] = {line[length - e].re, -line[length - e].im};
    }
    Axis(data, dims, last, inverse);
  }
  Value out = Value::Allocate(i.shape, c.account);
  const ElementType type = i.shape.element_type();
  for (int64_t e = 0; e < out.element_count(); ++e) StoreComplexAt(type, out.mutable_data(), e, {data[e].re, data[e].im});
  return out;
}

std::vector<Reach> ReachOfFft(const ReachQuestion& q) {
  return {q.AllButLast(std::min<int>(q.from.rank(), static_cast<int>(q.instruction.Ints(AttrId::kFftLength).size())))};
}

}  // namespace

void DefineFft(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kFft);
  d.op_class = OpClass::kOpaque;
  d.min_operands = d.max_operands = 1;
  d.attributes = {{AttrId::kFftType, true}, {AttrId::kFftLength, true}};
  d.infer = Infer;
  d.evaluate = Evaluate;
  d.reach = ReachOfFft;
  d.normwise_error = true;
  d.opaque_reason = "its speed comes from sums that many elements share";
  d.summary = "discrete Fourier transforms over the last one to three dimensions";
  d.doc =
      "`FFT` and `IFFT` are complex (the inverse divides by the length), `RFFT` takes reals and keeps the n/2+1 coefficients that are not "
      "mirrored, `IRFFT` "
      "takes those and gives n reals; the imaginary parts of its first (and for even n its last) coefficient count as zero. Any length, "
      "computed in f64, rounded once.";
  d.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
