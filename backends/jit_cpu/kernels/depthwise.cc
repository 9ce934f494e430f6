// Depthwise convolutions whose features lie together in memory, in the input and in the result: some features at a time, several neighbouring
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
#include "backends/jit_cpu/kernels/vectors.h"
#include "core/base/clones.h"

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

// Lines of the result that are computed together: what is read of the input serves all of them.
constexpr int kLines = 2;

// A line of the input, and the line of the window that meets it for each line of the result; null: none does.
struct TapLine {
  const float* input;
  const float* kernel[kLines] = {};
};

// All features of the positions of some lines; `taps` in the order of every line's window. Handed on by value, which no store to the result can
// change.
struct LineWork {
  absl::Span<const TapLine> taps;
  absl::Span<const Positions> positions;
  int lines = 0;
  float* results[kLines] = {};
  int64_t result_step = 0, features = 0;
};

}  // namespace
}  // namespace hloscope

#define HLOSCOPE_VECTORS_BODY "backends/jit_cpu/kernels/depthwise.inc"
#include "backends/jit_cpu/kernels/for_vectors.inc"

namespace hloscope {
namespace {

HLOSCOPE_CLONES void AddProducts(float* sums, const float* a, const float* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sums[i] += a[i] * b[i];
}

void PlainLines(const LineWork& w) {
  for (int l = 0; l < w.lines; ++l) {
    for (const Positions& p : w.positions) {
      for (int64_t at = 0; at < p.count; ++at) {
        float* sums = w.results[l] + (p.first + at) * w.result_step;
        std::fill(sums, sums + w.features, 0.0f);
        for (const TapLine& line : w.taps) {
          if (line.kernel[l] == nullptr) continue;
          for (int64_t t = 0; t < p.taps; ++t) {
            AddProducts(sums, line.input + p.input + at * p.shift + t * p.input_step, line.kernel[l] + p.kernel + t * p.kernel_step, w.features);
          }
        }
      }
    }
  }
}

using LinesFunction = void (*)(const LineWork&);
LinesFunction BestLines() {
#if defined(__x86_64__)
  if (VectorSet() != 0) return VectorSet() == 512 ? avx512::AnyLines : avx2::AnyLines;
#endif
  return PlainLines;
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
    // A piece is some neighbouring lines, an even number of pieces if there are several: for two threads alike.
    constexpr int64_t kWork = int64_t{1} << 18;
    const int64_t work = lines_ * p_.spatial[last_].output * p_.outputs * p_.taps;
    const int64_t pieces = work <= kWork ? 1 : 2 * ((work + 2 * kWork - 1) / (2 * kWork));
    pool_.ParallelFor(lines_, (lines_ + pieces - 1) / pieces, [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; line += kLines) {
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed)) return;
        Lines(line, std::min(end, line + kLines), input.as<float>(), kernel.as<float>(), wide.mutable_as<float>());
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
  void Lines(int64_t begin, int64_t end, const float* input, const float* kernel, float* result) const {
    LineWork w;
    absl::InlinedVector<TapLine, 16> all;
    for (int64_t line = begin; line < end; ++line) {
      int64_t outputs[8] = {}, rest = line, offset = 0;
      for (int d = last_ - 1; d >= 0; --d) {
        outputs[d] = rest % p_.spatial[d].output;
        rest /= p_.spatial[d].output;
        offset += outputs[d] * result_[p_.dims.output_spatial[d]];
      }
      w.results[w.lines] = result + offset + rest * result_[p_.dims.output_batch];
      absl::InlinedVector<std::pair<const float*, const float*>, 16> taps;
      Collect(0, outputs, input + rest * input_[p_.dims.input_batch], kernel, taps);
      Join(taps, w.lines++, all);
    }
    w.taps = all;
    w.positions = positions_;
    w.result_step = result_[p_.dims.output_spatial[last_]];
    w.features = p_.outputs;
    static const LinesFunction best = BestLines();
    best(w);
  }

  // Adds the taps of line `l` of the result where the input's lines are in order already; what is not found goes to the end.
  static void Join(absl::Span<const std::pair<const float*, const float*>> taps, int l, absl::InlinedVector<TapLine, 16>& all) {
    size_t at = 0;
    for (const auto& [input, kernel] : taps) {
      size_t found = at;
      while (found < all.size() && all[found].input != input) ++found;
      if (found == all.size()) all.push_back({input});
      all[found].kernel[l] = kernel;
      at = found + 1;
    }
  }

  // The window's lines inside the input, in the window's order, from dimension d on.
  void Collect(int d, const int64_t* outputs, const float* input, const float* kernel, absl::InlinedVector<std::pair<const float*, const float*>, 16>& taps) const {
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
