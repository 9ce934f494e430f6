// Examples of reductions, windows, sorting, linear algebra and random numbers.
#include "app/reference/examples.h"
#include "app/reference/short.h"

namespace hloscope {

using namespace examples;  // NOLINT

namespace {

// (value, place) pairs: the larger value wins, and of equals the later place.
Computation* ArgMax(B* b) {
  return b->Sub("argmax", {Shape::Scalar(F32), Shape::Scalar(S32), Shape::Scalar(F32), Shape::Scalar(S32)}, [](B* f, Ops p) {
    Op newer = Ge(p[2], p[0]);
    Op value = Select(newer, p[2], p[0]), place = Select(newer, p[3], p[1]);
    return Tuple(f, {value, place});
  });
}

}  // namespace

std::vector<Example> NumericExamples() {
  return {
      {"reduce", "Two arrays at once: the largest number of each row and where it stands.",
       [](B* b) {
         Op x = F2(b, "x", {{3, 9, 2}, {7, 1, 7}}), at = Iota(b, A(S32, {2, 3}), 1), low = MinValue(b, F32), zero = I(b, "zero", 0);
         return Reduce(b, {x, at}, {low, zero}, ArgMax(b), {1});
       },
       "(f32[2], s32[2]) ([9, 7],\n [1, 2])"},
      {"reduce-window", "The smallest of three, every second place, padded so that each place has a window.",
       [](B* b) {
         Op x = F(b, "x", {10000, 1000, 100, 10, 1}), high = MaxValue(b, F32);
         return ReduceWindow(x, high, CreateScalarMinComputation(F32, b), {3}, {2}, Padding::kSame);
       },
       "f32[3] [1000, 10, 1]"},
      {"select-and-scatter", "The gradient of a maximum pool: each window's source goes to its largest element; 2 and 6 meet at 9.",
       [](B* b) {
         Op x = F(b, "x", {1, 9, 3, 2}), s = F(b, "source", {2, 6, 8}), zero = F(b, "zero", 0);
         Computation *scatter = CreateScalarAddComputation(F32, b), *select = CreateScalarGeComputation(F32, b);
         return SelectAndScatter(x, select, {2}, {1}, Padding::kValid, s, zero, scatter);
       },
       "f32[4] [0, 8, 8, 0]"},
      {"sort", "Three arrays ordered alike, by the first.",
       [](B* b) {
         Op k = I(b, "keys", {3, 1}), x = I(b, "x", {42, 50}), y = F(b, "y", {-3, 1.1f});
         return Sort({k, x, y}, CreateScalarLtComputation({S32, S32, F32}, b), 0, true);
       },
       "(s32[2], s32[2], f32[2]) ([1, 3],\n [50, 42],\n [1.1, -3])"},
      {"topk", "The two largest of each row and their places; of equals the first.",
       [](B* b) {
         return TopK(F2(b, "x", {{3, 9, 2, 9}, {7, 1, 8, 0}}), 2);
       },
       "(f32[2,2], s32[2,2]) ([[9, 9],\n [8, 7]],\n [[1, 3],\n [2, 0]])"},
      {"map", "A computation of scalars at every index: x * x + y.",
       [](B* b) {
         Op x = I(b, "x", {1, 2, 3}), y = I(b, "y", {10, 20, 30});
         Computation* f = b->Sub("square_plus", {Shape::Scalar(S32), Shape::Scalar(S32)}, [](B*, Ops p) { return p[0] * p[0] + p[1]; });
         return Map(b, {x, y}, f, {0});
       },
       "s32[3] [11, 24, 39]"},
      {"scan", "Running sums.",
       [](B* b) {
         Op x = I(b, "x", {1, 2, 3, 4}), zero = I(b, "zero", 0);
         Computation* f = b->Sub("step", {Shape::Scalar(S32), Shape::Scalar(S32)}, [](B* s, Ops p) {
           Op sum = p[0] + p[1];
           return Tuple(s, {sum, sum});
         });
         return Scan({x}, {zero}, f, 0, Shape::Tuple({A(S32, {4}), A(S32, {})}));
       },
       "(s32[4], s32[]) ([1, 3, 6, 10],\n 10)"},
      {"dot", "A matrix times a matrix; then the rows of both, contracted over dimension 1 of each.",
       [](B* b) {
         Op x = F2(b, "x", {{1, 2, 3}, {4, 5, 6}}), y = F2(b, "y", {{1, 1, 1}, {2, 2, 2}});
         return DotGeneral(x, y, {{1}, {1}});
       },
       "f32[2,2] [[6, 12],\n [15, 30]]"},
      {"ragged-dot", "Rows 0 and 1 meet the first matrix, row 2 the second.",
       [](B* b) {
         Op x = F2(b, "x", {{1, 2}, {3, 4}, {5, 6}}), y = ConstantArray<float>(b, {2, 2, 1}, {1, 1, 10, 100}).Named("y"),
            n = I(b, "sizes", {2, 1});
         return RaggedDot(x, y, n, {.dot = {{1}, {1}}, .lhs_ragged = {0}, .rhs_group = {0}});
       },
       "f32[3,1] [[3],\n [7],\n [650]]"},
      {"convolution", "A ramp and the kernel (1, 0, -1), padded to keep its size: slopes, with edges.",
       [](B* b) {
         Op x = ConstantArray<float>(b, {1, 1, 5}, {1, 2, 4, 7, 11}).Named("x"),
            k = ConstantArray<float>(b, {1, 1, 3}, {1, 0, -1}).Named("kernel");
         return Conv(x, k, {1}, Padding::kSame);
       },
       "f32[1,1,5] [[[-2, -3, -5, -7, 7]]]"},
      {"batch-norm-training", "Each column gets mean 0 and variance 1, then scale and offset; mean and variance come out as well.",
       [](B* b) {
         Op x = F2(b, "x", {{1, 10}, {3, 30}}), s = F(b, "scale", {1, 2}), o = F(b, "offset", {0, 5});
         return BatchNormTraining(x, s, o, 0, 1);
       },
       "(f32[2,2], f32[2], f32[2]) ([[-1, 3],\n [1, 7]],\n [2, 20],\n [1, 100])"},
      {"batch-norm-inference", "The same with mean and variance given.",
       [](B* b) {
         Op x = F2(b, "x", {{1, 10}, {3, 30}}), s = F(b, "scale", {1, 2}), o = F(b, "offset", {0, 5}), m = F(b, "mean", {2, 20}),
            v = F(b, "variance", {1, 100});
         return BatchNormInference(x, s, o, m, v, 0, 1);
       },
       "f32[2,2] [[-1, 3],\n [1, 7]]"},
      {"batch-norm-grad", "What flows back: to the operand nothing, as two points always land on -1 and 1.",
       [](B* b) {
         Op x = F2(b, "x", {{1}, {3}}), s = F(b, "scale", {2}), m = F(b, "mean", {2}), v = F(b, "variance", {1}),
            g = F2(b, "grad", {{0}, {1}});
         return BatchNormGrad(x, s, m, v, g, 0, 1);
       },
       "(f32[2,1], f32[1], f32[1]) ([[0],\n [0]],\n [1],\n [1])"},
      {"cholesky", "The lower triangle whose product with its transpose gives the matrix back.",
       [](B* b) {
         return Cholesky(F2(b, "a", {{4, 2}, {2, 10}}));
       },
       "f32[2,2] [[2, 0],\n [1, 3]]"},
      {"triangular-solve", "Solves [[2, 0], [1, 3]] x = [4, 11].",
       [](B* b) {
         Op a = F2(b, "a", {{2, 0}, {1, 3}}), y = F2(b, "b", {{4}, {11}});
         return TriangularSolve(a, y, true, true, false, TransposeOfA::kNoTranspose);
       },
       "f32[2,1] [[2],\n [3]]"},
      {"fft", "A wave of one period has one line in its spectrum.",
       [](B* b) {
         return Fft(ConstantR1<std::complex<float>>(b, {1, {0, 1}, -1, {0, -1}}).Named("x"), FftType::kFft, {4});
       },
       "c64[4] [(0, 0), (4, 0), (0, 0), (0, 0)]"},
      {"rng", "Four numbers, uniform in [5, 6): all of them are 5 after floor.",
       [](B* b) {
         Op lo = F(b, "a", 5), hi = F(b, "b", 6);
         return Floor(RngUniform(lo, hi, A(F32, {4})));
       },
       "f32[4] [5, 5, 5, 5]"},
      {"rng-bit-generator", "The same state gives the same bits; the new state makes the next ones.",
       [](B* b) {
         Op s = ConstantR1<uint64_t>(b, {1, 2}).Named("state");
         Op first = RngBitGenerator(RandomAlgorithm::kThreeFry, s, A(U32, {2})),
            again = RngBitGenerator(RandomAlgorithm::kThreeFry, s, A(U32, {2}));
         Op x = GetTupleElement(first, 1), y = GetTupleElement(again, 1), next = GetTupleElement(first, 0);
         Op same = Eq(x, y);
         return Tuple(b, {next, same});
       },
       "(u64[2], pred[2]) ([1, 3],\n [true, true])"},
      {"rng-get-and-update-state", "A state for a generator, another one at each place of a run; here only its size.",
       [](B* b) { return GetDimensionSize(RngGetAndUpdateState(b, A(U64, {1}), 1), 0); }, "s32[] 1"},
  };
}

}  // namespace hloscope
