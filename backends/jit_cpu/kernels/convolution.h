// A convolution's numbers, as its kernels need them. Not for choosing between them (convolution.cc).
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_CONVOLUTION_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_CONVOLUTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "backends/jit_cpu/kernels/patterns.h"

namespace hloscope {

struct ConvolutionProblem {
  struct Spatial {
    WindowDimension window;
    int64_t input = 0, output = 0;
  };
  Shape result;
  ConvDimensionNumbers dims;
  std::vector<Spatial> spatial;
  int64_t batch = 0, features = 0, outputs = 0;  // of the input; of the whole result
  int64_t feature_groups = 1, batch_groups = 1, groups = 1;
  int64_t channels = 0, columns = 0, taps = 1, rows = 1;  // of one group: kernel input features, output features, window, positions
  ElementType in, out, compute;

  // Where input element lies for output position y and tap k along spatial dimension d, in elements of the input; -1: in padding or
  // between dilated elements.
  int64_t InputAt(int d, int64_t y, int64_t k) const;
};

// Pairs (first + j * step, input + j * input_step), j < count, that lie inside along one dimension: output positions for one tap, or taps
// for one output position. They step evenly because both sides are affine.
struct InsideRun {
  int64_t first = 0, step = 1, input = 0, input_step = 1, count = 0;
};
template <typename At>  // int64_t At(int64_t x): the input index, or -1
InsideRun MakeInsideRun(int64_t size, At at) {
  InsideRun run;
  for (int64_t x = 0; x < size; ++x) {
    const int64_t input = at(x);
    if (input < 0) continue;
    if (run.count == 0) run.first = x, run.input = input;
    if (run.count == 1) run.step = x - run.first, run.input_step = input - run.input;
    ++run.count;
  }
  return run;
}

// nullopt: of types or sizes that are left to generic lowering.
std::optional<ConvolutionProblem> MatchConvolutionProblem(const Instruction& i);

// planes.cc: groups so narrow that a matrix product is no use, with spatial dimensions innermost.
bool MatchPlanes(const ConvolutionProblem& problem, const Instruction& i);
std::unique_ptr<LibraryKernel> MakePlanes(const ConvolutionProblem& problem, const Instruction& i, ThreadPool& pool);

// depthwise.cc: one feature a group, features innermost in the input and in the result.
bool MatchDepthwise(const ConvolutionProblem& problem, const Instruction& i);
std::unique_ptr<LibraryKernel> MakeDepthwise(const ConvolutionProblem& problem, const Instruction& i, ThreadPool& pool);

// windowed.cc: features innermost in the input and in the result, more than one tap.
bool MatchWindowed(const ConvolutionProblem& problem, const Instruction& i);
std::unique_ptr<LibraryKernel> MakeWindowed(const ConvolutionProblem& problem, const Instruction& i, ThreadPool& pool);

// channels_first.cc: spatial dimensions innermost in the input and in the result, or in the input and the kernel (a kernel's gradient).
bool MatchChannelsFirst(const ConvolutionProblem& problem, const Instruction& i);
std::unique_ptr<LibraryKernel> MakeChannelsFirst(const ConvolutionProblem& problem, const Instruction& i, ThreadPool& pool);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_CONVOLUTION_H_
