// f32 convolutions with features innermost: sums of a few neighbouring output positions and two vectors of output features stay in registers while the window
// passes, read where the input lies. Nothing is laid out but tiles that reach into padding. The kernel is packed into columns of so many features in the
// order in which it is read. Each element is the sum of its products in the window's order, input features fastest, each added with one rounding:
// nothing depends on how positions and features are cut.
#include <algorithm>
#include <cstring>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/kernels/convolution.h"
#include "backends/jit_cpu/kernels/gemm.h"
#include "backends/jit_cpu/kernels/packed_operands.h"
#include "backends/jit_cpu/kernels/small_gemm.h"
#include "backends/jit_cpu/kernels/unroll.h"
#include "backends/jit_cpu/kernels/vectors.h"

namespace hloscope {
namespace {

using Problem = ConvolutionProblem;

constexpr int64_t kNearBytes = int64_t{384} << 10;   // of packed columns that pass together: they stay in the second level cache
constexpr int64_t kTasks = 16;                       // at least, where there are so many lines

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// What the sums of some positions and the features of a packed column are made of: `lines` runs of the input, for every position `step` elements further.
struct Sums {
  const float* const* lines;
  int64_t line_count, run, step;
  const float* kernel;  // packed: [line][run][feature]
  float* result;
  int64_t result_step, positions, features;  // of which so many are stored
};

struct TileSize {
  int64_t positions;
  void (*sum_up)(const Sums&);
};

// What a set of vectors has registers for: two of output features for every position, and three to read into.
struct TileSizes {
  int64_t width;  // output features of a packed column: two registers
  absl::Span<const TileSize> sizes;
  int64_t most_positions() const { return sizes.back().positions; }
};

}  // namespace
}  // namespace hloscope

#define HLOSCOPE_VECTORS_BODY "backends/jit_cpu/kernels/windowed.inc"
#include "backends/jit_cpu/kernels/for_vectors.inc"

namespace hloscope {
namespace {

const TileSizes& Tiles() {
#if defined(__x86_64__)
  if (VectorSet() == 512) {
    using avx512::SumUp;
    static constexpr TileSize kSizes[] = {{1, SumUp<1>}, {2, SumUp<2>}, {4, SumUp<4>}, {6, SumUp<6>}, {7, SumUp<7>}, {8, SumUp<8>}, {10, SumUp<10>}, {12, SumUp<12>}, {14, SumUp<14>}};
    static constexpr TileSizes kTiles{avx512::kWidth, kSizes};
    return kTiles;
  }
  using avx2::SumUp;
  static constexpr TileSize kSizes[] = {{1, SumUp<1>}, {2, SumUp<2>}, {3, SumUp<3>}, {4, SumUp<4>}, {5, SumUp<5>}, {6, SumUp<6>}};
  static constexpr TileSizes kTiles{avx2::kWidth, kSizes};
#else
  static constexpr TileSize kSizes[] = {{1, nullptr}};  // MatchWindowed says no
  static constexpr TileSizes kTiles{1, kSizes};
#endif
  return kTiles;
}

class WindowedKernel : public LibraryKernel {
 public:
  WindowedKernel(const Problem& problem, const Instruction& i, ThreadPool& pool)
      : p_(problem), pool_(pool), last_(static_cast<int>(problem.spatial.size()) - 1), input_strides_(RowMajorStrides(i.operands[0]->shape.dimensions())),
        kernel_strides_(RowMajorStrides(i.operands[1]->shape.dimensions())), result_strides_(RowMajorStrides(problem.result.dimensions())) {
    const Problem::Spatial& line = p_.spatial[last_];
    const int64_t tiles = CeilDiv(line.output, Tiles().most_positions()), positions = CeilDiv(line.output, tiles);
    for (const TileSize& size : Tiles().sizes) {
      size_ = &size;
      if (size.positions >= positions) break;
    }
    step_ = input_strides_[p_.dims.input_spatial[last_]];
    gathered_ = step_ != p_.channels;  // neighbours do not lie together: every tile is laid out
    // Taps of a line that lie together are one run.
    joined_ = line.window.window_dilation == 1;
    outer_taps_ = p_.taps / line.window.size;
    line_count_ = joined_ ? outer_taps_ : p_.taps;
    run_ = joined_ ? line.window.size * p_.channels : p_.channels;
    span_ = (size_->positions - 1) * line.window.stride + (line.window.size - 1) * line.window.window_dilation + 1;
    columns_ = CeilDiv(p_.outputs, width_);
    column_elements_ = p_.taps * p_.channels * width_;
    near_columns_ = std::clamp<int64_t>(kNearBytes / (column_elements_ * 4), 1, columns_);
    lines_ = p_.rows / line.output;
    const int64_t groups = CeilDiv(columns_, near_columns_);
    task_lines_ = std::max<int64_t>(1, lines_ / std::max<int64_t>(1, kTasks / groups));
  }

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    Value result = Value::Allocate(p_.result, context.account);
    if (!result.has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for ", p_.result.ToString(false)));
    absl::StatusOr<Value> packed = packed_.Get(operands[1], context.account, [&](MemoryAccount* account) { return Pack(operands[1].as<float>(), account); });
    if (!packed.ok()) return packed.status();
    const int64_t groups = CeilDiv(columns_, near_columns_), tasks = CeilDiv(lines_, task_lines_);
    pool_.ParallelFor(groups * tasks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t first = t / tasks * near_columns_, to = std::min(lines_, (t % tasks + 1) * task_lines_);
        for (int64_t line = t % tasks * task_lines_; line < to; ++line) {
          if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed)) return;
          Line(line, first, std::min(columns_, first + near_columns_), operands[0].as<float>(), packed->as<float>(), result.mutable_as<float>());
        }
      }
    });
    return result;
  }
  bool library_order() const override { return true; }
  std::string description() const override {
    return absl::StrCat("convolution, windows read where they lie, ", size_->positions, " positions x ", width_, " features, packed");
  }

 private:
  absl::StatusOr<Value> Pack(const float* kernel, MemoryAccount* account) const {
    Value packed = Value::Allocate(Shape::Array(ElementType::kF32, {columns_, column_elements_}), account);
    if (!packed.has_value()) return absl::ResourceExhaustedError("no memory for a packed kernel");
    const int64_t feature_step = kernel_strides_[p_.dims.kernel_output_feature], channel_step = kernel_strides_[p_.dims.kernel_input_feature];
    pool_.ParallelFor(columns_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t column = begin; column < end; ++column) {
        const int64_t features = std::min(width_, p_.outputs - column * width_);
        float* to = packed.mutable_as<float>() + column * column_elements_;
        for (int64_t tap = 0; tap < p_.taps; ++tap) {
          const float* from = kernel + column * width_ * feature_step;
          for (int64_t d = last_, rest = tap; d >= 0; rest /= p_.spatial[d].window.size, --d) from += rest % p_.spatial[d].window.size * kernel_strides_[p_.dims.kernel_spatial[d]];
          for (int64_t c = 0; c < p_.channels; ++c, to += width_, from += channel_step) {
            if (feature_step == 1) {
              std::memcpy(to, from, features * sizeof(float));
            } else {
              for (int64_t f = 0; f < features; ++f) to[f] = from[f * feature_step];
            }
            std::fill(to + features, to + width_, 0.0f);
          }
        }
      }
    });
    return packed;
  }

  // Output positions along the last spatial dimension, for some packed columns.
  void Line(int64_t line, int64_t first, int64_t to, const float* input, const float* packed, float* result) const {
    const Problem::Spatial& s = p_.spatial[last_];
    int64_t outputs[8] = {}, rest = line;
    for (int d = last_ - 1; d >= 0; rest /= p_.spatial[d].output, --d) outputs[d] = rest % p_.spatial[d].output;
    input += rest * input_strides_[p_.dims.input_batch];
    result += rest * result_strides_[p_.dims.output_batch];
    for (int d = 0; d < last_; ++d) result += outputs[d] * result_strides_[p_.dims.output_spatial[d]];
    // Where the lines of the window begin in the input; null: in padding.
    absl::InlinedVector<const float*, 16> begins(outer_taps_);
    for (int64_t tap = 0; tap < outer_taps_; ++tap) {
      const float* at = input;
      int64_t left = tap;
      for (int d = last_ - 1; d >= 0; left /= p_.spatial[d].window.size, --d) {
        const int64_t inside = p_.InputAt(d, outputs[d], left % p_.spatial[d].window.size);
        at = inside < 0 || at == nullptr ? nullptr : at + inside * input_strides_[p_.dims.input_spatial[d]];
      }
      begins[tap] = at;
    }
    const int64_t result_step = result_strides_[p_.dims.output_spatial[last_]];
    absl::InlinedVector<const float*, 64> lines(line_count_);
    for (int64_t x = 0; x < s.output; x += size_->positions) {
      Lines(begins, x * s.window.stride - s.window.padding_low, absl::MakeSpan(lines));
      for (int64_t column = first; column < to; ++column) {
        size_->sum_up({lines.data(), line_count_, run_, s.window.stride * p_.channels, packed + column * column_elements_, result + x * result_step + column * width_, result_step,
                       s.output - x, p_.outputs - column * width_});
      }
    }
  }

  // The runs of a tile whose first tap is element `x` of each line: in the input, or laid out where they reach into padding.
  void Lines(absl::Span<const float* const> begins, int64_t x, absl::Span<const float*> lines) const {
    const int64_t elements = span_ * p_.channels, size = p_.spatial[last_].input, taps = line_count_ / outer_taps_, dilation = p_.spatial[last_].window.window_dilation;
    const bool inside = !gathered_ && x >= 0 && x + span_ <= size;
    float* scratch = reinterpret_cast<float*>(ThreadScratch(1, (outer_taps_ + 1) * elements * sizeof(float)));
    float* zeros = nullptr;
    for (int64_t tap = 0; tap < outer_taps_; ++tap) {
      const float* line;
      if (begins[tap] == nullptr) {
        if (zeros == nullptr) zeros = scratch + outer_taps_ * elements, std::fill(zeros, zeros + elements, 0.0f);
        line = zeros;
      } else if (inside) {
        line = begins[tap] + x * step_;
      } else {
        LayOut(begins[tap], x, size, scratch + tap * elements);
        line = scratch + tap * elements;
      }
      for (int64_t t = 0; t < taps; ++t) lines[tap * taps + t] = line + t * dilation * p_.channels;
    }
  }

  void LayOut(const float* line, int64_t x, int64_t size, float* to) const {
    const int64_t low = std::clamp<int64_t>(-x, 0, span_), high = std::clamp<int64_t>(size - x, low, span_);
    std::fill(to, to + low * p_.channels, 0.0f);
    if (gathered_) {
      for (int64_t i = low; i < high; ++i) std::memcpy(to + i * p_.channels, line + (x + i) * step_, p_.channels * sizeof(float));
    } else if (high > low) {
      std::memcpy(to + low * p_.channels, line + (x + low) * step_, (high - low) * p_.channels * sizeof(float));
    }
    std::fill(to + high * p_.channels, to + span_ * p_.channels, 0.0f);
  }

  const Problem p_;
  ThreadPool& pool_;
  const int last_;
  const int64_t width_ = Tiles().width;
  const std::vector<int64_t> input_strides_, kernel_strides_, result_strides_;
  const TileSize* size_ = nullptr;
  bool gathered_ = false, joined_ = false;
  int64_t step_ = 0, outer_taps_ = 0, line_count_ = 0, run_ = 0, span_ = 0, columns_ = 0, column_elements_ = 0, near_columns_ = 0, lines_ = 0, task_lines_ = 0;
  PackedOperands packed_;
};

}  // namespace

bool MatchWindowed(const Problem& p, const Instruction& i) {
  constexpr int64_t kMostSpan = 1 << 16;  // elements of a tile that is laid out
  if (!HasSmallGemm() || p.in != ElementType::kF32 || p.out != ElementType::kF32 || p.groups != 1 || p.spatial.empty() || p.taps == 1 || p.outputs < 16) return false;
  if (p.dims.input_feature != i.operands[0]->shape.rank() - 1 || p.dims.output_feature != i.shape.rank() - 1) return false;
  for (const Problem::Spatial& s : p.spatial) {
    if (s.window.base_dilation != 1 || s.window.reversal) return false;
  }
  const WindowDimension& w = p.spatial.back().window;
  const int64_t span = (Tiles().most_positions() - 1) * w.stride + (w.size - 1) * w.window_dilation + 1;
  // A window that is wider than what it passes over (a kernel's gradient) is a long sum for few elements: products share it better.
  return p.spatial.size() <= 3 && p.spatial.back().output >= 4 && w.size <= p.spatial.back().output && span * p.channels <= kMostSpan && p.taps <= 1024;
}

std::unique_ptr<LibraryKernel> MakeWindowed(const Problem& problem, const Instruction& i, ThreadPool& pool) { return std::make_unique<WindowedKernel>(problem, i, pool); }

}  // namespace hloscope
