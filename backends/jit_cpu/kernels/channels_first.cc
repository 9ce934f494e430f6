// convolution where the spatial dimensions are innermost in memory. Forward (and the input's gradient): for each image and group
// result[O, positions] = kernel[O, K] * windows[K, positions], K = (channel, tap), where a row of windows is a shifted plane. The
// kernel's gradient: result[(tap, channel), O] = the sum over images of windows * gradient planes, images dealt out to a fixed number of
// partial sums that are added in order. Windows are laid out a tile at a time, rows of memory to rows of memory; a 1x1 window
// without padding or stride is read where it lies.
#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/kernels/convolution.h"
#include "backends/jit_cpu/kernels/gemm.h"
#include "backends/jit_cpu/kernels/rows.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

using Problem = ConvolutionProblem;

constexpr int64_t kTileBytes = int64_t{1} << 20;  // of laid out windows
constexpr int64_t kPartials = 16;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// Whether these dimensions of `shape` lie together, row-major, the last innermost.
bool Innermost(const Shape& shape, const std::vector<int64_t>& spatial) {
  for (size_t d = 0; d < spatial.size(); ++d) {
    if (spatial[d] != shape.rank() - static_cast<int64_t>(spatial.size() - d)) return false;
  }
  return !spatial.empty();
}

// One row of a plane: `width` elements, of which `run` says which come from `source`; the others are zero.
template <typename T>
void CopyRun(const T* source, const InsideRun& run, T* target, int64_t width) {
  if (run.count == 0) {
    std::memset(target, 0, width * sizeof(T));
    return;
  }
  if (run.step == 1) {
    std::memset(target, 0, run.first * sizeof(T));
    if (run.input_step == 1) {
      std::memcpy(target + run.first, source + run.input, run.count * sizeof(T));
    } else {
      for (int64_t j = 0; j < run.count; ++j) target[run.first + j] = source[run.input + j * run.input_step];
    }
    const int64_t end = run.first + run.count;
    std::memset(target + end, 0, (width - end) * sizeof(T));
    return;
  }
  std::memset(target, 0, width * sizeof(T));
  for (int64_t j = 0; j < run.count; ++j) target[run.first + j * run.step] = source[run.input + j * run.input_step];
}

void CopyRun(int64_t bytes, const std::byte* source, const InsideRun& run, std::byte* target, int64_t width) {
  if (bytes == 2) return CopyRun(reinterpret_cast<const uint16_t*>(source), run, reinterpret_cast<uint16_t*>(target), width);
  if (bytes == 4) return CopyRun(reinterpret_cast<const uint32_t*>(source), run, reinterpret_cast<uint32_t*>(target), width);
  CopyRun(reinterpret_cast<const uint64_t*>(source), run, reinterpret_cast<uint64_t*>(target), width);
}

// What both kernels know: strides and which elements lie inside. "Lines" are the positions of all spatial dimensions but the last.
class Base : public LibraryKernel {
 public:
  Base(const Problem& problem, const Instruction& i, ThreadPool& pool)
      : p_(problem), pool_(pool), last_(static_cast<int>(problem.spatial.size()) - 1) {
    input_strides_ = RowMajorStrides(i.operands[0]->shape.dimensions());
    kernel_strides_ = RowMajorStrides(i.operands[1]->shape.dimensions());
    result_strides_ = RowMajorStrides(i.shape.dimensions());
    for (int d = 0; d < last_; ++d) {
      output_lines_ *= p_.spatial[d].output;
      window_lines_ *= p_.spatial[d].window.size;
    }
    width_ = p_.spatial[last_].output;
    window_width_ = p_.spatial[last_].window.size;
  }
  bool library_order() const override { return true; }
  bool wide_accumulation() const override { return p_.in == ElementType::kBF16; }

 protected:
  // The input line (offset in elements) of an output line and a window line, or -1.
  int64_t InputLine(int64_t output_line, int64_t window_line) const {
    int64_t offset = 0;
    for (int d = last_ - 1; d >= 0; --d) {
      const int64_t at = p_.InputAt(d, output_line % p_.spatial[d].output, window_line % p_.spatial[d].window.size);
      if (at < 0) return -1;
      offset += at * input_strides_[p_.dims.input_spatial[d]];
      output_line /= p_.spatial[d].output;
      window_line /= p_.spatial[d].window.size;
    }
    return offset;
  }

  const Problem p_;
  ThreadPool& pool_;
  const int last_;
  std::vector<int64_t> input_strides_, kernel_strides_, result_strides_;
  int64_t output_lines_ = 1, window_lines_ = 1, width_ = 1, window_width_ = 1;
};

class ForwardKernel : public Base {
 public:
  ForwardKernel(const Problem& problem, const Instruction& i, ThreadPool& pool) : Base(problem, i, pool) {
    const int64_t k = p_.channels * p_.taps, bytes = StorageBytes(p_.in);
    for (int64_t tap = 0; tap < window_width_; ++tap) {
      runs_.push_back(MakeInsideRun(width_, [&](int64_t x) { return p_.InputAt(last_, x, tap); }));
    }
    direct_ = p_.taps == 1;
    for (int d = 0; d <= last_; ++d) {
      const InsideRun run = MakeInsideRun(p_.spatial[d].output, [&](int64_t y) { return p_.InputAt(d, y, 0); });
      direct_ = direct_ && p_.spatial[d].input == p_.spatial[d].output && run.count == p_.spatial[d].output;
    }
    tile_lines_ = std::clamp<int64_t>(kTileBytes / (k * width_ * bytes), 1, output_lines_);
    tile_lines_ = CeilDiv(output_lines_, CeilDiv(output_lines_, tile_lines_));
    tiles_ = CeilDiv(output_lines_, tile_lines_);
    // The kernel as [O, (channel, tap)].
    for (int64_t d : {p_.dims.kernel_output_feature, p_.dims.kernel_input_feature}) Add(i.operands[1]->shape, d);
    for (int64_t d : p_.dims.kernel_spatial) Add(i.operands[1]->shape, d);
    copy_kernel_ = kernel_from_ != RowMajorStrides(kernel_extents_);
    for (int last = 0; last < 2; ++last) {
      GemmShape shape;
      shape.m = p_.columns, shape.k = k;
      shape.n = (last ? output_lines_ - (tiles_ - 1) * tile_lines_ : tile_lines_) * width_;
      shape.a_row = k, shape.a_column = 1;
      shape.b_row = direct_ ? input_strides_[p_.dims.input_feature] : shape.n;
      shape.b_column = 1;
      shape.c_row = result_strides_[p_.dims.output_feature];
      shape.in = p_.in, shape.out = p_.out;
      shape.whole = true;
      gemm_[last] = Gemm::Make(shape);
    }
  }
  bool ok() const { return gemm_[0] != nullptr && gemm_[1] != nullptr; }

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    Value result = Value::Allocate(p_.result, context.account), kernel = operands[1];
    if (copy_kernel_) {
      kernel = Value::Allocate(Shape::Array(p_.in, kernel_extents_), context.account);
      if (kernel.has_value())
        GatherStrided(operands[1].data(), kernel.mutable_data(), kernel_extents_, kernel_from_, StorageBytes(p_.in), pool_);
    }
    if (!result.has_value() || !kernel.has_value())
      return absl::ResourceExhaustedError(absl::StrCat("no memory for ", p_.result.ToString(false)));
    const int64_t images = p_.batch / p_.batch_groups;
    pool_.ParallelFor(images * p_.groups * tiles_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed)) return;
        Tile(t / (p_.groups * tiles_), t / tiles_ % p_.groups, t % tiles_, operands[0].data(), kernel.data(), result.mutable_data());
      }
    });
    return result;
  }
  std::string description() const override {
    return absl::StrCat("convolution, channels first, ", direct_ ? "" : "laid out windows and ", gemm_[0]->description(),
                        copy_kernel_ ? ", kernel copied" : "");
  }

 private:
  void Add(const Shape& kernel, int64_t d) {
    kernel_extents_.push_back(kernel.dim(static_cast<int>(d)));
    kernel_from_.push_back(kernel_strides_[d]);
  }

  void Tile(int64_t image, int64_t group, int64_t tile, const std::byte* input, const std::byte* kernel, std::byte* result) const {
    const int64_t bytes = StorageBytes(p_.in), first = tile * tile_lines_, lines = std::min(tile_lines_, output_lines_ - first);
    const int64_t batch = p_.batch_groups > 1 ? group * (p_.batch / p_.batch_groups) + image : image;
    input += batch * input_strides_[p_.dims.input_batch] * bytes;
    if (p_.feature_groups > 1) input += group * p_.channels * input_strides_[p_.dims.input_feature] * bytes;
    kernel += group * p_.columns * p_.channels * p_.taps * bytes;
    result +=
        (image * result_strides_[p_.dims.output_batch] + group * p_.columns * result_strides_[p_.dims.output_feature] + first * width_) *
        StorageBytes(p_.out);
    const std::byte* b = input + first * width_ * bytes;
    if (!direct_) {
      std::byte* windows = ThreadScratch(1, p_.channels * p_.taps * lines * width_ * bytes);
      std::byte* target = windows;
      for (int64_t c = 0; c < p_.channels; ++c) {
        const std::byte* plane = input + c * input_strides_[p_.dims.input_feature] * bytes;
        for (int64_t w = 0; w < window_lines_; ++w) {
          for (const InsideRun& run : runs_) {
            for (int64_t line = first; line < first + lines; ++line, target += width_ * bytes) {
              const int64_t offset = InputLine(line, w);
              if (offset < 0) {
                std::memset(target, 0, width_ * bytes);
              } else {
                CopyRun(bytes, plane + offset * bytes, run, target, width_);
              }
            }
          }
        }
      }
      b = windows;
    }
    gemm_[tile == tiles_ - 1]->RunTile(0, 0, kernel, b, result);
  }

  std::vector<InsideRun> runs_;  // by tap of the last dimension
  bool direct_ = false, copy_kernel_ = false;
  int64_t tile_lines_ = 1, tiles_ = 1;
  std::vector<int64_t> kernel_extents_, kernel_from_;
  std::unique_ptr<Gemm> gemm_[2];
};

// The kernel's gradient: "channels" are images, the window is as large as the gradient's planes, and the "batch" is input channels.
class GradientKernel : public Base {
 public:
  GradientKernel(const Problem& problem, const Instruction& i, ThreadPool& pool) : Base(problem, i, pool) {
    const int64_t bytes = StorageBytes(p_.in);
    for (int64_t x = 0; x < width_; ++x)
      runs_.push_back(MakeInsideRun(window_width_, [&](int64_t tap) { return p_.InputAt(last_, x, tap); }));
    for (int d = 0; d < p_.result.rank(); ++d) {
      if (d == p_.dims.output_feature) continue;
      int which = -1;
      for (int s = 0; s <= last_; ++s) {
        if (p_.dims.output_spatial[s] == d) which = s;
      }
      positions_.push_back({p_.result.dim(d), which});
    }
    direct_ = p_.rows == p_.result.dim(static_cast<int>(p_.dims.output_batch));
    for (int d = 0; d <= last_; ++d) {
      const InsideRun run = MakeInsideRun(p_.spatial[d].window.size, [&](int64_t k) { return p_.InputAt(d, 0, k); });
      direct_ =
          direct_ && run.count == p_.spatial[d].input && run.count == p_.spatial[d].window.size && (run.count == 1 || run.input_step == 1);
    }
    row_tile_ = p_.rows <= 256 ? p_.rows : CeilDiv(CeilDiv(p_.rows, CeilDiv(p_.rows, 256)), 16) * 16;
    row_tiles_ = CeilDiv(p_.rows, row_tile_);
    lines_ = direct_ ? window_lines_ : std::clamp<int64_t>(kTileBytes / (row_tile_ * window_width_ * bytes), 1, window_lines_);
    lines_ = CeilDiv(window_lines_, CeilDiv(window_lines_, lines_));
    chunks_ = CeilDiv(window_lines_, lines_);
    partials_ = std::clamp<int64_t>(kPartials / row_tiles_, 1, p_.channels);
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 2; ++c) {
        GemmShape shape;
        shape.m = r ? p_.rows - (row_tiles_ - 1) * row_tile_ : row_tile_;
        shape.n = p_.outputs;
        shape.k = (c ? window_lines_ - (chunks_ - 1) * lines_ : lines_) * window_width_;
        shape.a_row = direct_ ? input_strides_[p_.dims.input_batch] : shape.k;
        shape.a_column = 1;
        shape.b_row = 1;
        shape.b_column = kernel_strides_[p_.dims.kernel_output_feature];
        shape.c_row = p_.outputs;
        shape.in = p_.in, shape.out = Wide();
        shape.whole = shape.accumulate = true;
        gemm_[r][c] = Gemm::Make(shape);
        ok_ = ok_ && gemm_[r][c] != nullptr;
      }
    }
  }
  bool ok() const { return ok_; }

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    Value result = Value::Allocate(p_.result, context.account);
    Value sums = Value::Allocate(Shape::Array(Wide(), {partials_, p_.rows, p_.outputs}), context.account);
    if (!result.has_value() || !sums.has_value())
      return absl::ResourceExhaustedError(absl::StrCat("no memory for ", p_.result.ToString(false)));
    pool_.ParallelFor(partials_ * row_tiles_, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        const int64_t partial = t / row_tiles_, from = partial * p_.channels / partials_, to = (partial + 1) * p_.channels / partials_;
        if (!Part(context, partial, t % row_tiles_, from, to, operands[0].data(), operands[1].data(), sums.mutable_data())) return;
      }
    });
    if (Wide() == ElementType::kF64) {
      Join(sums.as<double>(), [&](int64_t e, double v) { result.mutable_as<double>()[e] = v; });
    } else if (p_.out == ElementType::kF32) {
      Join(sums.as<float>(), [&](int64_t e, float v) { result.mutable_as<float>()[e] = v; });
    } else {
      Join(sums.as<float>(),
           [&](int64_t e, float v) { StoreScalar(Scalar::Float(p_.out, v), result.mutable_data() + e * StorageBytes(p_.out)); });
    }
    return result;
  }
  std::string description() const override {
    return absl::StrCat("convolution, kernel's gradient, channels first, ", direct_ ? "" : "laid out windows and ",
                        gemm_[0][0]->description(), ", ", partials_, " partial sums");
  }

 private:
  ElementType Wide() const { return p_.in == ElementType::kF64 ? ElementType::kF64 : ElementType::kF32; }

  template <typename T, typename Store>
  void Join(const T* sums, Store store) const {
    const int64_t count = p_.rows * p_.outputs;
    pool_.ParallelFor(count, 16384, [&](int64_t begin, int64_t end) {
      for (int64_t e = begin; e < end; ++e) {
        T total = sums[e];
        for (int64_t s = 1; s < partials_; ++s) total += sums[s * count + e];
        store(e, total);
      }
    });
  }

  bool Part(const RunContext& context, int64_t partial, int64_t tile, int64_t from, int64_t to, const std::byte* input,
            const std::byte* kernel, std::byte* sums) const {
    const int64_t bytes = StorageBytes(p_.in), first = tile * row_tile_, rows = std::min(row_tile_, p_.rows - first);
    std::byte* c = sums + (partial * p_.rows + first) * p_.outputs * StorageBytes(Wide());
    std::memset(c, 0, rows * p_.outputs * StorageBytes(Wide()));
    for (int64_t image = from; image < to; ++image) {
      const std::byte* planes = input + image * input_strides_[p_.dims.input_feature] * bytes;
      const std::byte* gradient = kernel + image * kernel_strides_[p_.dims.kernel_input_feature] * bytes;
      for (int64_t chunk = 0; chunk < chunks_; ++chunk) {
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed)) return false;
        const int64_t line = chunk * lines_, lines = std::min(lines_, window_lines_ - line);
        const std::byte* a = direct_ ? planes + (first * input_strides_[p_.dims.input_batch] + line * window_width_) * bytes
                                     : Lay(planes, first, rows, line, lines);
        gemm_[tile == row_tiles_ - 1][chunk == chunks_ - 1]->RunTile(0, 0, a, gradient + line * window_width_ * bytes, c);
      }
    }
    return true;
  }

  // Rows [first, first + rows) of windows lines [line, line + lines).
  const std::byte* Lay(const std::byte* planes, int64_t first, int64_t rows, int64_t line, int64_t lines) const {
    const int64_t bytes = StorageBytes(p_.in);
    std::byte* windows = ThreadScratch(1, rows * lines * window_width_ * bytes);
    std::byte* target = windows;
    for (int64_t r = first; r < first + rows; ++r) {
      int64_t rest = r, batch = 0, output[8] = {}, output_line = 0;
      for (size_t i = positions_.size(); i-- > 0;) {
        const int64_t x = rest % positions_[i].extent;
        rest /= positions_[i].extent;
        if (positions_[i].spatial < 0) {
          batch = x;
        } else {
          output[positions_[i].spatial] = x;
        }
      }
      for (int d = 0; d < last_; ++d) output_line = output_line * p_.spatial[d].output + output[d];
      const std::byte* plane = planes + batch * input_strides_[p_.dims.input_batch] * bytes;
      for (int64_t w = line; w < line + lines; ++w, target += window_width_ * bytes) {
        const int64_t offset = InputLine(output_line, w);
        if (offset < 0) {
          std::memset(target, 0, window_width_ * bytes);
        } else {
          CopyRun(bytes, plane + offset * bytes, runs_[output[last_]], target, window_width_);
        }
      }
    }
    return windows;
  }

  struct Position {
    int64_t extent;
    int spatial;  // which; -1: batch
  };
  std::vector<Position> positions_;  // of rows, in the result's memory order
  std::vector<InsideRun> runs_;      // by output position of the last dimension
  bool direct_ = false, ok_ = true;
  int64_t row_tile_ = 1, row_tiles_ = 1, lines_ = 1, chunks_ = 1, partials_ = 1;
  std::unique_ptr<Gemm> gemm_[2][2];  // [last row tile][last chunk]
};

bool IsGradient(const Problem& p) { return p.taps > p.rows / std::max<int64_t>(1, p.batch / p.batch_groups); }

}  // namespace

bool MatchChannelsFirst(const Problem& p, const Instruction& i) {
  if (p.compute != p.in || !Innermost(i.operands[0]->shape, p.dims.input_spatial)) return false;
  if (p.spatial.back().input == 1 && p.features > 1) return false;  // planes of nothing: the other kernel is as good
  if (IsGradient(p)) {
    return p.groups == 1 && Innermost(i.operands[1]->shape, p.dims.kernel_spatial) && p.dims.output_feature == i.shape.rank() - 1;
  }
  return Innermost(i.shape, p.dims.output_spatial);
}

std::unique_ptr<LibraryKernel> MakeChannelsFirst(const Problem& problem, const Instruction& i, ThreadPool& pool) {
  if (IsGradient(problem)) {
    auto kernel = std::make_unique<GradientKernel>(problem, i, pool);
    if (kernel->ok()) return kernel;
    return nullptr;
  }
  auto kernel = std::make_unique<ForwardKernel>(problem, i, pool);
  if (kernel->ok()) return kernel;
  return nullptr;
}

}  // namespace hloscope
