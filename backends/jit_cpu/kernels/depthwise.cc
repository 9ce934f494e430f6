// Depthwise convolutions whose features lie together in memory, in the input and in the result: sixteen features at a time, several neighbouring
// output positions together, so that what is read of the window serves all of them. Each element is the sum of its taps in the window's order, each
// multiplied and added with one rounding where the machine can; nothing depends on how positions are grouped.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/kernels/convert.h"
#include "backends/jit_cpu/kernels/convolution.h"
#include "backends/jit_cpu/kernels/rows.h"
#include "core/base/clones.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hloscope {
namespace {

using Problem = ConvolutionProblem;

// Output positions of a line that see the same taps of the window's last dimension, each `shift` elements of the input further than the one before.
struct Positions {
  int64_t first = 0, count = 0;
  int64_t input = 0, shift = 0, input_step = 0;  // elements: of the first tap, between positions, between taps
  int64_t kernel = 0, kernel_step = 0;           // likewise in the kernel
  int64_t taps = 0;
};

// Where a line of the window meets the input.
struct TapLine {
  const float* input;
  const float* kernel;
};

// `features` neighbouring features of the positions of one line.
struct LineWork {
  absl::Span<const TapLine> taps;
  absl::Span<const Positions> positions;
  float* result;
  int64_t result_step;
  int64_t features;
};

#if defined(__x86_64__)
#define HLOSCOPE_AVX512 __attribute__((target("avx512f")))

template <int kPositions, int kVectors>
HLOSCOPE_AVX512 HLOSCOPE_INLINE void Block(const LineWork& w, const Positions& p, int64_t at, int64_t feature, __mmask16 last) {
  __m512 sums[kPositions][kVectors];
  for (int x = 0; x < kPositions; ++x) {
    for (int v = 0; v < kVectors; ++v) sums[x][v] = _mm512_setzero_ps();
  }
  for (const TapLine& line : w.taps) {
    const float* input = line.input + p.input + at * p.shift + feature;
    const float* kernel = line.kernel + p.kernel + feature;
    for (int64_t t = 0; t < p.taps; ++t, input += p.input_step, kernel += p.kernel_step) {
      __m512 weights[kVectors];
      for (int v = 0; v < kVectors; ++v) weights[v] = _mm512_maskz_loadu_ps(v + 1 == kVectors ? last : 0xffff, kernel + 16 * v);
      for (int x = 0; x < kPositions; ++x) {
        for (int v = 0; v < kVectors; ++v) {
          const __m512 in = _mm512_maskz_loadu_ps(v + 1 == kVectors ? last : 0xffff, input + x * p.shift + 16 * v);
          sums[x][v] = _mm512_fmadd_ps(in, weights[v], sums[x][v]);
        }
      }
    }
  }
  for (int x = 0; x < kPositions; ++x) {
    float* result = w.result + (p.first + at + x) * w.result_step + feature;
    for (int v = 0; v < kVectors; ++v) _mm512_mask_storeu_ps(result + 16 * v, v + 1 == kVectors ? last : 0xffff, sums[x][v]);
  }
}

// All features of some positions: memory is read in the order in which it lies.
template <int kPositions>
HLOSCOPE_AVX512 HLOSCOPE_INLINE void AllFeatures(const LineWork& w, const Positions& p, int64_t at) {
  int64_t feature = 0;
  for (; feature + 32 <= w.features; feature += 32) Block<kPositions, 2>(w, p, at, feature, 0xffff);
  for (; feature < w.features; feature += 16) {
    const int64_t left = w.features - feature;
    Block<kPositions, 1>(w, p, at, feature, left >= 16 ? 0xffff : static_cast<__mmask16>((1 << left) - 1));
  }
}

HLOSCOPE_AVX512 void Line512(const LineWork& w) {
  for (const Positions& p : w.positions) {
    int64_t at = 0;
    for (; at + 4 <= p.count; at += 4) AllFeatures<4>(w, p, at);
    for (; at < p.count; ++at) AllFeatures<1>(w, p, at);
  }
}
#endif

HLOSCOPE_CLONES void AddProducts(float* sums, const float* a, const float* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sums[i] += a[i] * b[i];
}

void PlainLine(const LineWork& w) {
  for (const Positions& p : w.positions) {
    for (int64_t at = 0; at < p.count; ++at) {
      float* sums = w.result + (p.first + at) * w.result_step;
      std::fill(sums, sums + w.features, 0.0f);
      for (const TapLine& line : w.taps) {
        for (int64_t t = 0; t < p.taps; ++t) {
          AddProducts(sums, line.input + p.input + at * p.shift + t * p.input_step, line.kernel + p.kernel + t * p.kernel_step, w.features);
        }
      }
    }
  }
}

using LineFunction = void (*)(const LineWork&);
LineFunction BestLine() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return Line512;
#endif
  return PlainLine;
}

class DepthwiseKernel : public LibraryKernel {
 public:
  DepthwiseKernel(const Problem& problem, const Instruction& i, ThreadPool& pool)
      : p_(problem), pool_(pool), last_(static_cast<int>(p_.spatial.size()) - 1) {
    input_ = RowMajorStrides(i.operands[0]->shape.dimensions());
    result_ = RowMajorStrides(i.shape.dimensions());
    // The kernel as [window..., feature].
    const std::vector<int64_t> kernel = RowMajorStrides(i.operands[1]->shape.dimensions());
    for (int64_t d : p_.dims.kernel_spatial) {
      kernel_extents_.push_back(i.operands[1]->shape.dim(static_cast<int>(d)));
      kernel_from_.push_back(kernel[d]);
    }
    kernel_extents_.push_back(p_.outputs);
    kernel_from_.push_back(kernel[p_.dims.kernel_output_feature]);
    kernel_ = RowMajorStrides(kernel_extents_);
    const Problem::Spatial& s = p_.spatial[last_];
    const int64_t step = input_[p_.dims.input_spatial[last_]];
    for (int64_t x = 0; x < s.output; ++x) {
      const InsideRun run = MakeInsideRun(s.window.size, [&](int64_t k) { return p_.InputAt(last_, x, k); });
      Positions p{.first = x, .count = 1, .input = run.input * step, .input_step = run.input_step * step,
                  .kernel = run.first * kernel_[last_], .kernel_step = run.step * kernel_[last_], .taps = run.count};
      if (!positions_.empty()) {
        Positions& before = positions_.back();
        const int64_t shift = p.input - (before.input + (before.count - 1) * before.shift);
        if (before.taps == p.taps && before.kernel == p.kernel && before.kernel_step == p.kernel_step && before.input_step == p.input_step &&
            (before.count == 1 || before.shift == shift)) {
          before.shift = shift;
          ++before.count;
          continue;
        }
      }
      positions_.push_back(p);
    }
    lines_ = p_.rows / s.output;
  }

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    const absl::Status no_memory = absl::ResourceExhaustedError(absl::StrCat("no memory for ", p_.result.ToString(false)));
    Value input = Widened(operands[0], context.account, pool_), kernel = Widened(operands[1], context.account, pool_);
    Value result = Value::Allocate(p_.result, context.account);
    Value wide = p_.out == ElementType::kF32 ? result : Value::Allocate(p_.result.WithElementType(ElementType::kF32), context.account);
    if (kernel.has_value() && kernel_from_ != kernel_) {
      Value dense = Value::Allocate(Shape::Array(ElementType::kF32, kernel_extents_), context.account);
      if (dense.has_value()) GatherStrided(kernel.data(), dense.mutable_data(), kernel_extents_, kernel_from_, 4, pool_);
      kernel = dense;
    }
    if (!input.has_value() || !kernel.has_value() || !result.has_value() || !wide.has_value()) return no_memory;
    const int64_t work = std::max<int64_t>(1, p_.spatial[last_].output * p_.outputs * p_.taps);
    pool_.ParallelFor(lines_, std::max<int64_t>(1, 65536 / work), [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed)) return;
        Line(line, input.as<float>(), kernel.as<float>(), wide.mutable_as<float>());
      }
    });
    if (p_.out != ElementType::kF32) ConvertFloats(ElementType::kF32, wide.data(), p_.out, result.mutable_data(), result.element_count(), pool_);
    return result;
  }

  bool library_order() const override { return true; }
  bool wide_accumulation() const override { return p_.in == ElementType::kBF16 || p_.in == ElementType::kF16; }
  std::string description() const override {
    return absl::StrCat("depthwise convolution, features innermost, ", p_.outputs, " features", kernel_from_ != kernel_ ? ", kernel copied" : "");
  }

 private:
  void Line(int64_t line, const float* input, const float* kernel, float* result) const {
    absl::InlinedVector<TapLine, 16> taps;
    int64_t outputs[8] = {};
    for (int d = last_ - 1; d >= 0; --d) {
      outputs[d] = line % p_.spatial[d].output;
      line /= p_.spatial[d].output;
      result += outputs[d] * result_[p_.dims.output_spatial[d]];
    }
    Collect(0, outputs, input + line * input_[p_.dims.input_batch], kernel, taps);
    static const LineFunction best = BestLine();
    best({taps, positions_, result + line * result_[p_.dims.output_batch], result_[p_.dims.output_spatial[last_]], p_.outputs});
  }

  // The window's lines inside the input, in the window's order, from dimension d on.
  void Collect(int d, const int64_t* outputs, const float* input, const float* kernel, absl::InlinedVector<TapLine, 16>& taps) const {
    if (d == last_) {
      taps.push_back({input, kernel});
      return;
    }
    for (int64_t k = 0; k < p_.spatial[d].window.size; ++k) {
      const int64_t at = p_.InputAt(d, outputs[d], k);
      if (at >= 0) Collect(d + 1, outputs, input + at * input_[p_.dims.input_spatial[d]], kernel + k * kernel_[d], taps);
    }
  }

  const Problem p_;
  ThreadPool& pool_;
  const int last_;
  std::vector<int64_t> input_, result_, kernel_, kernel_extents_, kernel_from_;
  std::vector<Positions> positions_;
  int64_t lines_ = 1;
};

}  // namespace

bool MatchDepthwise(const Problem& p, const Instruction& i) {
  if (p.feature_groups != p.features || p.columns != 1 || p.channels != 1 || p.spatial.empty() || p.in == ElementType::kF64) return false;
  for (const Problem::Spatial& s : p.spatial) {
    if (s.output == 0 || s.input == 0) return false;
  }
  return p.dims.input_feature == i.operands[0]->shape.rank() - 1 && p.dims.output_feature == i.shape.rank() - 1;
}

std::unique_ptr<LibraryKernel> MakeDepthwise(const Problem& problem, const Instruction& i, ThreadPool& pool) {
  return std::make_unique<DepthwiseKernel>(problem, i, pool);
}

}  // namespace hloscope
