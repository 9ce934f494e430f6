// Depthwise convolutions and their gradients where the last spatial dimension is innermost in memory: each output plane is the sum of
// shifted input planes times single kernel elements; where the window is larger than the output (a kernel's gradient), each output
// element is a dot product of two planes. Both run along rows, over exactly the elements that lie inside.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/kernels/convert.h"
#include "backends/jit_cpu/kernels/convolution.h"
#include "backends/jit_cpu/kernels/gemm.h"
#include "core/base/clones.h"

namespace hloscope {
namespace {

using Problem = ConvolutionProblem;

HLOSCOPE_CLONES void AddScaled(float* out, const float* in, float w, int64_t n) {
  for (int64_t j = 0; j < n; ++j) out[j] += w * in[j];
}
HLOSCOPE_CLONES void AddScaledStrided(float* out, int64_t out_step, const float* in,
                                                                                   int64_t in_step, float w, int64_t n) {
  for (int64_t j = 0; j < n; ++j) out[j * out_step] += w * in[j * in_step];
}
// Sixteen sums, element j to sum j mod 16.
HLOSCOPE_CLONES void Dot(const float* a, const float* b, int64_t n, float* sums) {
  int64_t j = 0;
  for (; j + 16 <= n; j += 16) {
    for (int l = 0; l < 16; ++l) sums[l] += a[j + l] * b[j + l];
  }
  for (int l = 0; j < n; ++j, ++l) sums[l] += a[j] * b[j];
}
void DotStrided(const float* a, int64_t a_step, const float* b, int64_t b_step, int64_t n, float* sums) {
  for (int64_t j = 0; j < n; ++j) sums[j & 15] += a[j * a_step] * b[j * b_step];
}

class PlanesKernel : public LibraryKernel {
 public:
  PlanesKernel(const Problem& problem, const Instruction& i, ThreadPool& pool) : p_(problem), pool_(pool) {
    const auto strides = [](const Shape& shape) { return RowMajorStrides(shape.dimensions()); };
    const std::vector<int64_t> input = strides(i.operands[0]->shape), kernel = strides(i.operands[1]->shape), result = strides(i.shape);
    input_batch_ = input[p_.dims.input_batch], input_feature_ = input[p_.dims.input_feature];
    kernel_in_ = kernel[p_.dims.kernel_input_feature], kernel_out_ = kernel[p_.dims.kernel_output_feature];
    result_batch_ = result[p_.dims.output_batch], result_feature_ = result[p_.dims.output_feature];
    for (size_t d = 0; d < 2; ++d) {
      input_[d] = input[p_.dims.input_spatial[d]];
      kernel_[d] = kernel[p_.dims.kernel_spatial[d]];
      result_[d] = result[p_.dims.output_spatial[d]];
      const Problem::Spatial& s = p_.spatial[d];
      const int dimension = static_cast<int>(d);
      for (int64_t k = 0; k < s.window.size; ++k)
        by_tap_[d].push_back(MakeInsideRun(s.output, [&](int64_t y) { return p_.InputAt(dimension, y, k); }));
      for (int64_t y = 0; y < s.output; ++y)
        by_output_[d].push_back(MakeInsideRun(s.window.size, [&](int64_t k) { return p_.InputAt(dimension, y, k); }));
    }
    dots_ = p_.taps > p_.spatial[0].output * p_.spatial[1].output;
  }

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const override {
    const absl::Status no_memory = absl::ResourceExhaustedError(absl::StrCat("no memory for ", p_.result.ToString(false)));
    Value input = Widened(operands[0], context.account, pool_), kernel = Widened(operands[1], context.account, pool_);
    Value result = Value::Allocate(p_.result, context.account);
    Value wide = p_.out == ElementType::kF32 ? result : Value::Allocate(p_.result.WithElementType(ElementType::kF32), context.account);
    if (!input.has_value() || !kernel.has_value() || !result.has_value() || !wide.has_value()) return no_memory;
    const int64_t planes = p_.rows / (p_.spatial[0].output * p_.spatial[1].output) * p_.outputs;
    pool_.ParallelFor(
        planes, std::max<int64_t>(1, 16384 / std::max<int64_t>(1, p_.taps * p_.spatial[0].output * p_.spatial[1].output * p_.channels)),
        [&](int64_t begin, int64_t end) {
          for (int64_t t = begin; t < end; ++t) {
            if (context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed)) return;
            Plane(t / p_.outputs, t % p_.outputs, input.as<float>(), kernel.as<float>(), wide.mutable_as<float>());
          }
        });
    if (p_.out != ElementType::kF32)
      ConvertFloats(ElementType::kF32, wide.data(), p_.out, result.mutable_data(), result.element_count(), pool_);
    return result;
  }

  bool library_order() const override { return true; }
  bool wide_accumulation() const override { return p_.in != ElementType::kF32; }
  std::string description() const override {
    return absl::StrCat("convolution plane by plane, groups ", p_.groups, dots_ ? ", by dot products" : "",
                        p_.in != ElementType::kF32 ? ", through f32" : "");
  }

 private:
  void Plane(int64_t batch, int64_t output, const float* input, const float* kernel, float* result) const {
    const int64_t group = output / p_.columns;
    input += p_.batch_groups > 1 ? (group * (p_.batch / p_.batch_groups) + batch) * input_batch_
                                 : batch * input_batch_ + group * p_.channels * input_feature_;
    kernel += output * kernel_out_;
    result += batch * result_batch_ + output * result_feature_;
    if (dots_) return DotPlane(input, kernel, result);
    const int64_t rows = p_.spatial[0].output, columns = p_.spatial[1].output;
    float* plane = reinterpret_cast<float*>(ThreadScratch(1, rows * columns * sizeof(float)));
    std::fill(plane, plane + rows * columns, 0.0f);
    for (int64_t c = 0; c < p_.channels; ++c) {
      for (size_t ky = 0; ky < by_tap_[0].size(); ++ky) {
        for (size_t kx = 0; kx < by_tap_[1].size(); ++kx) {
          const float w = kernel[c * kernel_in_ + ky * kernel_[0] + kx * kernel_[1]];
          const InsideRun &y = by_tap_[0][ky], &x = by_tap_[1][kx];
          for (int64_t j = 0; j < y.count; ++j) {
            float* out = plane + (y.first + j * y.step) * columns + x.first;
            const float* in = input + c * input_feature_ + (y.input + j * y.input_step) * input_[0] + x.input * input_[1];
            if (x.step == 1 && x.input_step == 1 && input_[1] == 1) {
              AddScaled(out, in, w, x.count);
            } else {
              AddScaledStrided(out, x.step, in, x.input_step * input_[1], w, x.count);
            }
          }
        }
      }
    }
    for (int64_t y = 0; y < rows; ++y) {
      for (int64_t x = 0; x < columns; ++x) result[y * result_[0] + x * result_[1]] = plane[y * columns + x];
    }
  }

  void DotPlane(const float* input, const float* kernel, float* result) const {
    for (size_t oy = 0; oy < by_output_[0].size(); ++oy) {
      for (size_t ox = 0; ox < by_output_[1].size(); ++ox) {
        const InsideRun &y = by_output_[0][oy], &x = by_output_[1][ox];
        float sums[16] = {};
        double total = 0;
        for (int64_t c = 0; c < p_.channels; ++c) {
          for (int64_t j = 0; j < y.count; ++j) {
            const float* a = input + c * input_feature_ + (y.input + j * y.input_step) * input_[0] + x.input * input_[1];
            const float* b = kernel + c * kernel_in_ + (y.first + j * y.step) * kernel_[0] + x.first * kernel_[1];
            if (x.step == 1 && x.input_step == 1 && input_[1] == 1 && kernel_[1] == 1) {
              Dot(a, b, x.count, sums);
            } else {
              DotStrided(a, x.input_step * input_[1], b, x.step * kernel_[1], x.count, sums);
            }
          }
        }
        for (float s : sums) total += s;
        result[oy * result_[0] + ox * result_[1]] = static_cast<float>(total);
      }
    }
  }

  const Problem p_;
  ThreadPool& pool_;
  int64_t input_batch_, input_feature_, kernel_in_, kernel_out_, result_batch_, result_feature_;
  int64_t input_[2], kernel_[2], result_[2];
  std::vector<InsideRun> by_tap_[2], by_output_[2];
  bool dots_ = false;
};

}  // namespace

bool MatchPlanes(const Problem& p, const Instruction& i) {
  if (p.spatial.size() != 2 || p.in == ElementType::kF64 || (p.compute != ElementType::kF32 && p.in != ElementType::kBF16)) return false;
  for (const Problem::Spatial& s : p.spatial) {
    if (s.output == 0 || s.input == 0) return false;
  }
  return p.dims.input_spatial[1] == i.operands[0]->shape.rank() - 1;
}

std::unique_ptr<LibraryKernel> MakePlanes(const Problem& problem, const Instruction& i, ThreadPool& pool) {
  return std::make_unique<PlanesKernel>(problem, i, pool);
}

}  // namespace hloscope
