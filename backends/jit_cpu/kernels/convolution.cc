// convolution as matrix products: for each tile of output positions the windows are laid out as rows [position, (window, channel)] and
// multiplied with the kernel as [(window, channel), output channel]. Every padding, stride, dilation and reversal is only a different
// table of input offsets. A 1x1 window without padding or stride reads the input where it lies. Depthwise convolutions, whose products
// would have one column, go to depthwise.cc, planes.cc or generic lowering;
// windows over features that lie together to windowed.cc.
#include "backends/jit_cpu/kernels/convolution.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/kernels/convert.h"
#include "backends/jit_cpu/kernels/gemm.h"
#include "backends/jit_cpu/kernels/packed_operands.h"
#include "backends/jit_cpu/kernels/rows.h"

namespace hloscope {
namespace {

constexpr int64_t kSmallFlops = int64_t{1} << 16;
constexpr int64_t kTileBytes = int64_t{1} << 20;  // of laid out windows: stays in the second level cache

// Depthwise and its like: a matrix product would have too few columns.
bool Narrow(const ConvolutionProblem& p) { return p.groups > 1 && p.columns < 8; }

using Problem = ConvolutionProblem;
using Spatial = ConvolutionProblem::Spatial;

class ConvolutionKernel : public LibraryKernel {
 public:
  static std::unique_ptr<LibraryKernel> Make(const Instruction& i, ThreadPool& pool) {
    std::optional<Problem> problem = MatchConvolutionProblem(i);
    if (!problem) return nullptr;
    if (MatchDepthwise(*problem, i)) return MakeDepthwise(*problem, i, pool);
    if (Narrow(*problem)) return MatchPlanes(*problem, i) ? MakePlanes(*problem, i, pool) : nullptr;
    if (MatchWindowed(*problem, i)) return MakeWindowed(*problem, i, pool);
    if (MatchChannelsFirst(*problem, i)) {
      if (std::unique_ptr<LibraryKernel> kernel = MakeChannelsFirst(*problem, i, pool)) return kernel;
    }
    auto kernel = std::unique_ptr<ConvolutionKernel>(new ConvolutionKernel(*std::move(problem), pool));
    kernel->LayOut(i.operands[0]->shape, i.operands[1]->shape);
    if (kernel->gemm_ == nullptr) return nullptr;
    return kernel;
  }

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    const absl::Status no_memory = absl::ResourceExhaustedError(absl::StrCat("no memory for ", p_.result.ToString(false)));
    Value result = Value::Allocate(p_.result, context.account);
    if (!result.has_value()) return no_memory;
    Value input = Dense(context, operands[0], input_extents_, input_from_, copy_input_);
    const int64_t packed_bytes = gemm_->packed_bytes();
    absl::StatusOr<Value> kernel = packed_bytes == 0 && !copy_kernel_ && p_.compute == p_.in ? operands[1] : packed_.Get(operands[1], context.account, [&](MemoryAccount* account) {
      return PackKernel({.account = account}, operands[1]);
    });
    if (!kernel.ok()) return kernel.status();
    Value wide =
        p_.compute != p_.in && p_.out != shape_.out ? Value::Allocate(p_.result.WithElementType(shape_.out), context.account) : result;
    if (!input.has_value() || !wide.has_value()) return no_memory;
    const int64_t rows = gemm_->row_tiles(), columns = gemm_->column_tiles(), per_group = rows * columns;
    pool_.ParallelFor(p_.groups * per_group, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed)) return;
        Tile(t / per_group, t % per_group / columns, t % columns, input.data(), kernel->data(), wide.mutable_data());
      }
    });
    if (wide.buffer() != result.buffer())
      ConvertFloats(shape_.out, wide.data(), p_.out, result.mutable_data(), result.element_count(), pool_);
    return result;
  }

  bool library_order() const override { return true; }
  bool wide_accumulation() const override { return p_.in == ElementType::kBF16 || p_.in == ElementType::kF16; }
  std::string description() const override {
    return absl::StrCat("convolution by ", direct_ ? "" : "laid out windows and ", gemm_->description(),
                        p_.groups > 1 ? absl::StrCat(", groups ", p_.groups) : "", copy_input_ ? ", input copied" : "",
                        copy_kernel_ ? ", kernel copied" : "");
  }

 private:
  ConvolutionKernel(Problem p, ThreadPool& pool) : p_(std::move(p)), pool_(pool) {}

  // Chooses how the input and the kernel are read, the order of output positions, and makes the product.
  void LayOut(const Shape& input, const Shape& kernel) {
    const int rank = static_cast<int>(p_.spatial.size());
    // Input as [batch, spatial..., feature]; copied when features do not lie together.
    const std::vector<int64_t> input_strides = RowMajorStrides(input.dimensions());
    const auto add_input = [&](int64_t d) {
      input_extents_.push_back(input.dim(static_cast<int>(d)));
      input_from_.push_back(input_strides[d]);
    };
    add_input(p_.dims.input_batch);
    for (int64_t d : p_.dims.input_spatial) add_input(d);
    add_input(p_.dims.input_feature);
    copy_input_ = (input_from_.back() != 1 && p_.features > 1);
    const std::vector<int64_t> strides = copy_input_ ? RowMajorStrides(input_extents_) : input_from_;
    batch_stride_ = strides[0];
    spatial_strides_.assign(strides.begin() + 1, strides.end() - 1);
    // Kernel as [window..., input feature, output feature]: B[K, O], or its transpose where it lies that way.
    const std::vector<int64_t> kernel_strides = RowMajorStrides(kernel.dimensions());
    int64_t step = 1;
    for (int64_t d : p_.dims.kernel_spatial)
      kernel_extents_.push_back(kernel.dim(static_cast<int>(d))), kernel_from_.push_back(kernel_strides[d]);
    kernel_extents_.push_back(p_.channels), kernel_from_.push_back(kernel_strides[p_.dims.kernel_input_feature]);
    const int64_t output_stride = kernel_strides[p_.dims.kernel_output_feature];
    bool even = true;
    {
      int64_t covered = 1;
      bool any = false;
      for (size_t d = kernel_extents_.size(); d-- > 0;) {
        if (kernel_extents_[d] == 1) continue;
        if (!any) step = kernel_from_[d], any = true;
        even = even && kernel_from_[d] == step * covered;
        covered *= kernel_extents_[d];
      }
      if (!any) step = output_stride == 1 ? p_.outputs : 1;
    }
    kernel_extents_.push_back(p_.outputs), kernel_from_.push_back(output_stride);
    const int64_t k = p_.taps * p_.channels;
    copy_kernel_ = !even || (step != 1 && output_stride != 1);
    shape_.b_row = copy_kernel_ ? p_.outputs : step;
    shape_.b_column = copy_kernel_ ? 1 : output_stride;
    // Output positions in memory order.
    const std::vector<int64_t> result_strides = RowMajorStrides(p_.result.dimensions());
    for (int d = 0; d < p_.result.rank(); ++d) {
      if (d == p_.dims.output_feature) continue;
      int which = -1;
      for (int s = 0; s < rank; ++s) {
        if (p_.dims.output_spatial[s] == d) which = s;
      }
      positions_.push_back({p_.result.dim(d), result_strides[d], which});
    }
    result_feature_stride_ = result_strides[p_.dims.output_feature];
    in_place_ = result_feature_stride_ == 1 || p_.outputs == 1;
    Tables();
    direct_ = IsDirect();
    const int64_t bytes = StorageBytes(p_.compute);
    shape_.m = p_.rows, shape_.n = p_.columns, shape_.k = k, shape_.batch = p_.groups;
    shape_.a_row = direct_ ? spatial_or_batch_stride_ : k;
    shape_.a_column = 1;
    shape_.in = p_.compute;
    shape_.out = p_.compute == p_.in ? p_.out : ElementType::kF32;
    if (!direct_ || !in_place_) {
      int64_t tile = std::clamp<int64_t>(kTileBytes / (k * bytes) / 16 * 16, 32, 256);
      // Enough tiles for many threads, where that leaves tiles of at least 64 positions.
      while (tile > 64 && p_.groups * ((p_.rows + tile - 1) / tile) < 16) tile = std::max<int64_t>(64, tile / 2);
      shape_.row_tile = tile;
    }
    shape_.c_row = in_place_ ? p_.outputs : p_.columns;
    gemm_ = Gemm::Make(shape_);
  }

  // offsets_[d][output * size + tap]: offset into the input along spatial dimension d, -1 in padding or between dilated elements.
  void Tables() {
    for (size_t d = 0; d < p_.spatial.size(); ++d) {
      const Spatial& s = p_.spatial[d];
      std::vector<int64_t> table(s.output * s.window.size, -1);
      for (int64_t y = 0; y < s.output; ++y) {
        for (int64_t k = 0; k < s.window.size; ++k) {
          const int64_t at = p_.InputAt(static_cast<int>(d), y, k);
          if (at >= 0) table[y * s.window.size + k] = at * spatial_strides_[d];
        }
      }
      offsets_.push_back(std::move(table));
    }
    if (!p_.spatial.empty()) {
      const WindowDimension& w = p_.spatial.back().window;
      runs_ = w.window_dilation == 1 && w.base_dilation == 1 && !w.reversal && spatial_strides_.back() == p_.channels && p_.groups == 1;
    }
  }

  // One tap everywhere, no padding, and the output positions in the input's order with one even stride.
  bool IsDirect() {
    if (p_.taps != 1 || p_.batch_groups > 1) return false;
    for (size_t d = 0; d < p_.spatial.size(); ++d) {
      const Spatial& s = p_.spatial[d];
      if (s.output != s.input) return false;
      for (int64_t y = 0; y < s.output; ++y) {
        if (offsets_[d][y] != y * spatial_strides_[d]) return false;
      }
    }
    int64_t step = 0, covered = 1;
    for (size_t i = positions_.size(); i-- > 0;) {
      if (positions_[i].extent == 1) continue;
      const int64_t stride = positions_[i].spatial < 0 ? batch_stride_ : spatial_strides_[positions_[i].spatial];
      if (step == 0) step = stride;
      if (stride != step * covered) return false;
      covered *= positions_[i].extent;
    }
    spatial_or_batch_stride_ = step == 0 ? p_.features : step;
    return true;
  }

  Value Dense(const RunContext& context, const Value& operand, const std::vector<int64_t>& extents, const std::vector<int64_t>& strides,
              bool copy) const {
    Value source = operand;
    if (p_.compute != p_.in) {
      source = Value::Allocate(operand.shape().WithElementType(p_.compute), context.account);
      if (!source.has_value()) return source;
      ConvertFloats(p_.in, operand.data(), p_.compute, source.mutable_data(), operand.element_count(), pool_);
    }
    if (!copy) return source;
    Value dense = Value::Allocate(Shape::Array(p_.compute, extents), context.account);
    if (dense.has_value()) GatherStrided(source.data(), dense.mutable_data(), extents, strides, StorageBytes(p_.compute), pool_);
    return dense;
  }

  // The kernel as tiles want it: dense, in the library's own layout.
  absl::StatusOr<Value> PackKernel(const RunContext& context, const Value& operand) const {
    Value kernel = Dense(context, operand, kernel_extents_, kernel_from_, copy_kernel_);
    const int64_t packed_bytes = gemm_->packed_bytes(), pieces = packed_bytes > 0 ? gemm_->pack_pieces() : 0;
    if (kernel.has_value() && packed_bytes == 0) return kernel;
    Value packed = Value::Allocate(Shape::Array(ElementType::kU8, {p_.groups, packed_bytes}), context.account);
    if (!kernel.has_value() || !packed.has_value()) return absl::ResourceExhaustedError("no memory for a packed kernel");
    pool_.ParallelFor(p_.groups * pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t t = begin; t < end; ++t) {
        gemm_->Pack(t % pieces, kernel.data() + t / pieces * p_.columns * shape_.b_column * StorageBytes(p_.compute),
                    packed.mutable_data() + t / pieces * packed_bytes);
      }
    });
    return packed;
  }

  void Tile(int64_t group, int64_t row_tile, int64_t column_tile, const std::byte* input, const std::byte* kernel, std::byte* result) const {
    const int64_t in_bytes = StorageBytes(p_.compute), out_bytes = StorageBytes(shape_.out);
    const int64_t first = row_tile * gemm_->row_tile(), rows = std::min(gemm_->row_tile(), p_.rows - first), k = shape_.k;
    if (p_.feature_groups > 1) input += group * p_.channels * in_bytes;
    if (p_.batch_groups > 1) input += group * (p_.batch / p_.batch_groups) * batch_stride_ * in_bytes;
    kernel += group * (gemm_->packed_bytes() > 0 ? gemm_->packed_bytes() : p_.columns * shape_.b_column * in_bytes);
    const std::byte* a;
    if (direct_) {
      a = input + first * shape_.a_row * in_bytes;
    } else {
      std::byte* windows = ThreadScratch(1, rows * k * in_bytes);
      for (int64_t r = 0; r < rows; ++r) Windows(first + r, input, windows + r * k * in_bytes);
      a = windows;
    }
    if (in_place_) {
      gemm_->RunTile(row_tile, column_tile, a, kernel, result + group * p_.columns * out_bytes);
      return;
    }
    // The product of this tile, then its columns to where the features lie.
    std::byte* product = ThreadScratch(2, rows * p_.columns * out_bytes);
    gemm_->RunTile(row_tile, column_tile, a, kernel, product - first * p_.columns * out_bytes);
    const int64_t from = column_tile * gemm_->column_tile(), to = std::min(p_.columns, from + gemm_->column_tile());
    std::vector<int64_t> offsets(rows);
    for (int64_t r = 0; r < rows; ++r) offsets[r] = ResultOffset(first + r);
    const auto scatter = [&](auto tag) {
      using T = decltype(tag);
      const T* source = reinterpret_cast<const T*>(product);
      T* target = reinterpret_cast<T*>(result);
      for (int64_t c = from; c < to; ++c) {
        T* column = target + (group * p_.columns + c) * result_feature_stride_;
        for (int64_t r = 0; r < rows; ++r) column[offsets[r]] = source[r * p_.columns + c];
      }
    };
    if (out_bytes == 2) scatter(uint16_t{});
    if (out_bytes == 4) scatter(uint32_t{});
    if (out_bytes == 8) scatter(uint64_t{});
  }

  int64_t ResultOffset(int64_t row) const {
    int64_t offset = 0;
    for (size_t i = positions_.size(); i-- > 0;) {
      offset += row % positions_[i].extent * positions_[i].stride;
      row /= positions_[i].extent;
    }
    return offset;
  }

  // Lays out the window of one output position.
  void Windows(int64_t row, const std::byte* input, std::byte* target) const {
    const int64_t* taps[8];
    int64_t batch = 0;
    for (size_t i = positions_.size(); i-- > 0;) {
      const int64_t x = row % positions_[i].extent;
      row /= positions_[i].extent;
      if (positions_[i].spatial < 0) {
        batch = x;
      } else {
        taps[positions_[i].spatial] = offsets_[positions_[i].spatial].data() + x * p_.spatial[positions_[i].spatial].window.size;
      }
    }
    const int64_t bytes = StorageBytes(p_.compute);
    Lay(0, taps, input + batch * batch_stride_ * bytes, true, target, p_.taps, bytes);
  }

  // Dimensions d.. of the window; `taps` of them lie below one element of dimension d - 1. Returns past the end of what it wrote.
  std::byte* Lay(size_t d, const int64_t* const* table, const std::byte* input, bool inside, std::byte* target, int64_t taps,
                 int64_t bytes) const {
    const int64_t channel_bytes = p_.channels * bytes;
    if (!inside) {
      std::memset(target, 0, taps * channel_bytes);
      return target + taps * channel_bytes;
    }
    if (d == p_.spatial.size()) {
      std::memcpy(target, input, channel_bytes);
      return target + channel_bytes;
    }
    const int64_t size = p_.spatial[d].window.size;
    if (runs_ && d + 1 == p_.spatial.size()) {
      int64_t low = 0, high = size;
      while (low < size && table[d][low] < 0) ++low;
      while (high > low && table[d][high - 1] < 0) --high;
      std::memset(target, 0, low * channel_bytes);
      if (high > low) std::memcpy(target + low * channel_bytes, input + table[d][low] * bytes, (high - low) * channel_bytes);
      std::memset(target + high * channel_bytes, 0, (size - high) * channel_bytes);
      return target + size * channel_bytes;
    }
    for (int64_t k = 0; k < size; ++k) {
      const int64_t offset = table[d][k];
      target = Lay(d + 1, table, input + (offset < 0 ? 0 : offset * bytes), offset >= 0, target, taps / size, bytes);
    }
    return target;
  }

  struct Position {
    int64_t extent, stride;
    int spatial;  // which spatial dimension; -1: batch
  };

  const Problem p_;
  ThreadPool& pool_;
  std::vector<int64_t> input_extents_, input_from_, kernel_extents_, kernel_from_, spatial_strides_;
  int64_t batch_stride_ = 0, result_feature_stride_ = 0, spatial_or_batch_stride_ = 0;
  bool copy_input_ = false, copy_kernel_ = false, direct_ = false, in_place_ = false, runs_ = false;
  std::vector<Position> positions_;
  std::vector<std::vector<int64_t>> offsets_;
  GemmShape shape_;
  std::unique_ptr<Gemm> gemm_;
  PackedOperands packed_;
};

}  // namespace

int64_t ConvolutionProblem::InputAt(int d, int64_t y, int64_t k) const {
  const WindowDimension& w = spatial[d].window;
  const int64_t at = y * w.stride + (w.reversal ? w.size - 1 - k : k) * w.window_dilation - w.padding_low;
  if (at < 0 || at % w.base_dilation != 0 || at / w.base_dilation >= spatial[d].input) return -1;
  return at / w.base_dilation;
}

std::optional<ConvolutionProblem> MatchConvolutionProblem(const Instruction& i) {
  const ConvDimensionNumbers* dims = i.GetDimLabels();
  if (dims == nullptr || i.operands.size() != 2 || !i.shape.IsArray()) return std::nullopt;
  const Shape& input = i.operands[0]->shape;
  const Shape& kernel = i.operands[1]->shape;
  ConvolutionProblem p;
  p.in = input.element_type();
  p.out = i.shape.element_type();
  if (kernel.element_type() != p.in) return std::nullopt;
  if (Gemm::Supports(p.in, p.out)) {
    p.compute = p.in;
  } else if ((p.in == ElementType::kF16 || p.in == ElementType::kBF16) && (p.out == p.in || p.out == ElementType::kF32)) {
    p.compute = ElementType::kF32;
  } else {
    return std::nullopt;
  }
  p.result = i.shape;
  p.dims = *dims;
  p.batch = input.dim(static_cast<int>(dims->input_batch));
  p.features = input.dim(static_cast<int>(dims->input_feature));
  p.outputs = i.shape.dim(static_cast<int>(dims->output_feature));
  p.feature_groups = i.Int(AttrId::kFeatureGroupCount, 1);
  p.batch_groups = i.Int(AttrId::kBatchGroupCount, 1);
  if (p.feature_groups > 1 && p.batch_groups > 1) return std::nullopt;
  p.groups = p.feature_groups * p.batch_groups;
  p.channels = kernel.dim(static_cast<int>(dims->kernel_input_feature));
  p.columns = p.outputs / p.groups;
  p.rows = i.shape.dim(static_cast<int>(dims->output_batch));
  const Window* window = i.GetWindow();
  const size_t rank = dims->input_spatial.size();
  if (rank > 0 && (window == nullptr || window->size() != rank)) return std::nullopt;
  for (size_t d = 0; d < rank; ++d) {
    ConvolutionProblem::Spatial s;
    s.window = (*window)[d];
    s.input = input.dim(static_cast<int>(dims->input_spatial[d]));
    s.output = i.shape.dim(static_cast<int>(dims->output_spatial[d]));
    p.taps *= s.window.size;
    p.rows *= s.output;
    p.spatial.push_back(s);
  }
  const int64_t k = p.taps * p.channels;
  if (p.rows * p.columns * k == 0 || 2 * p.groups * p.rows * p.columns * k < kSmallFlops) return std::nullopt;
  return p;
}

bool MatchConvolution(const Instruction& i) {
  if (i.GetDimLabels() == nullptr || i.GetDimLabels()->input_spatial.size() > 8) return false;
  const std::optional<ConvolutionProblem> problem = MatchConvolutionProblem(i);
  return problem.has_value() && (!Narrow(*problem) || MatchDepthwise(*problem, i) || MatchPlanes(*problem, i));
}
std::unique_ptr<LibraryKernel> MakeConvolution(const Instruction& i, ThreadPool& pool) { return ConvolutionKernel::Make(i, pool); }

}  // namespace hloscope
