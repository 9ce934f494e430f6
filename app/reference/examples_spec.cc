// The examples of the specification, one a sample in assets/samples/spec. Those across replicas are not here: one run alone has none.
#include <limits>

#include "app/reference/examples.h"
#include "app/reference/short.h"

namespace hloscope {

using namespace examples;  // NOLINT

namespace {

// 0, 1, 2, ... of these dimensions.
Op Count(B* b, std::vector<int64_t> dims, ElementType type = S32) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return Reshape(Iota(b, type, n), dims).Named("x");
}
Op Matrix(B* b) { return I2(b, "x", {{1, 2, 3}, {4, 5, 6}}); }
Op Cuboid(B* b) {  // the 4x2x3 array of reshape and collapse
  return ConstantArray<float>(b, {4, 2, 3},
                              {10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27, 30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47})
      .Named("x");
}
Op Sum(B* b, Op x, std::vector<int64_t> dims) {
  Op zero = Zero(b, x.shape().element_type()).Named("zero");
  return Reduce(x, zero, CreateScalarAddComputation(x.shape().element_type(), b), dims);
}
Op Four(B* b) { return Broadcast(Matrix(b), {4}); }
// The first element of each slice that a gather took.
Op Corners(Op x, std::vector<int64_t> window_dims, std::vector<int64_t> dims) {
  std::vector<int64_t> starts(x.shape().rank()), limits(x.shape().dimensions().begin(), x.shape().dimensions().end());
  for (int64_t d : window_dims) limits[d] = 1;
  return Reshape(Slice(x, starts, limits), dims);
}
Op Dynamic(B* b, int32_t size, bool product) {
  Op x = I(b, "x", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), n = I(b, "size", size), start = I(b, "start", product ? 1 : 0);
  return Reduce(SetDimensionSize(x, n, 0), start, product ? CreateScalarMultiplyComputation(S32, b) : CreateScalarAddComputation(S32, b),
                {0});
}
Op Windows(B* b, Padding padding) {
  Op x = I(b, "x", {10000, 1000, 100, 10, 1}), high = MaxValue(b, S32);
  return ReduceWindow(x, high, CreateScalarMinComputation(S32, b), {3}, {2}, padding);
}

}  // namespace

std::vector<Example> SpecificationExamples() {
  return {
      // broadcasting.md
      {"broadcasting_scalar", "Rule 1: a scalar goes with every element.",
       [](B* b) {
         Op x = Matrix(b), s = I(b, "seven", 7);
         return Add(x, s);
       },
       "s32[2,3] [[8, 9, 10],\n [11, 12, 13]]"},
      {"broadcasting_row", "Rule 2: the vector's dimension 0 matches dimension 1 of the matrix.",
       [](B* b) {
         Op x = Matrix(b), v = I(b, "v", {7, 8, 9});
         return Add(x, v, {1});
       },
       "s32[2,3] [[8, 10, 12],\n [11, 13, 15]]"},
      {"broadcasting_rows", "Rule 2: a 3-vector into 3x3 at dimension 1 repeats as rows.",
       [](B* b) {
         Op z = Broadcast(I(b, "zero", 0), {3, 3}), v = I(b, "v", {7, 8, 9});
         return Add(z, v, {1});
       },
       "s32[3,3] [[7, 8, 9],\n [7, 8, 9],\n [7, 8, 9]]"},
      {"broadcasting_columns", "Rule 2: the same vector at dimension 0 repeats as columns.",
       [](B* b) {
         Op z = Broadcast(I(b, "zero", 0), {3, 3}), v = I(b, "v", {7, 8, 9});
         return Add(z, v, {0});
       },
       "s32[3,3] [[7, 7, 7],\n [8, 8, 8],\n [9, 9, 9]]"},
      {"broadcasting_cuboid", "Rule 2: a 3x4 matrix into a 2x3x4 cuboid at (1,2); its first and last rows.",
       [](B* b) {
         Op m = Count(b, {3, 4}), c = Broadcast(I(b, "hundred", 100), {2, 3, 4});
         return Slice(Add(m, c, {1, 2}), {0, 0, 0}, {2, 3, 4}, {1, 2, 1});
       },
       "s32[2,2,4] [[[100, 101, 102, 103],\n  [108, 109, 110, 111]],\n\n [[100, 101, 102, 103],\n  [108, 109, 110, 111]]]"},
      {"broadcasting_four_dimensions", "Rule 2: T = 2 into 2x3x2x3 at 0, then 3x3 at (1,3); the sums over all else.",
       [](B* b) {
         Op z = Broadcast(I(b, "zero", 0), {2, 3, 2, 3}), t = I(b, "t", {1, 2}), tv = I2(b, "tv", {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
         Op x = Add(z, t, {0}), y = Add(z, tv, {1, 3});
         Op first = Sum(b, x, {1, 2, 3}), second = Sum(b, y, {0, 2});
         return Tuple(b, {first, second});
       },
       "(s32[2], s32[3,3]) ([18, 36],\n [[4, 8, 12],\n [16, 20, 24],\n [28, 32, 36]])"},
      {"broadcasting_degenerate", "Rule 3: 2x1 with 2x3.",
       [](B* b) {
         Op l = I2(b, "l", {{10}, {20}}), r = Matrix(b);
         return Add(l, r);
       },
       "s32[2,3] [[11, 12, 13],\n [24, 25, 26]]"},
      {"broadcasting_degenerate_front", "Rule 3: 1x2x5 with 7x2x5, and 7x2x5 with 7x1x5; the sums over dimensions 1 and 2.",
       [](B* b) {
         Op x = Count(b, {1, 2, 5}), y = Count(b, {7, 2, 5}), z = Count(b, {7, 1, 5});
         Op first = Sum(b, Add(x, y), {1, 2}), second = Sum(b, Add(y, z), {1, 2});
         return Tuple(b, {first, second});
       },
       "(s32[7], s32[7]) ([90, 190, 290, 390, 490, 590, 690],\n [65, 215, 365, 515, 665, 815, 965])"},
      {"broadcasting_outer", "Rule 3: 2x1 with 1x3 is an outer operation.",
       [](B* b) {
         Op l = I2(b, "l", {{10}, {20}}), r = I2(b, "r", {{1, 2, 3}});
         return Add(l, r);
       },
       "s32[2,3] [[11, 12, 13],\n [21, 22, 23]]"},
      {"broadcasting_both", "Rule 4: first in dimension 0, then the sizes of 1.",
       [](B* b) {
         Op l = I(b, "l", {1, 2, 3, 4}), r = I2(b, "r", {{5, 6}});
         return Add(l, r, {0});
       },
       "s32[4,2] [[6, 7],\n [7, 8],\n [8, 9],\n [9, 10]]"},
      {"broadcasting_both_cuboid", "Rule 4: 1x2 into 4x3x1 at (1,2): first 4x1x2, then 4x3x2.",
       [](B* b) {
         Op l = I2(b, "l", {{10, 20}}), r = Count(b, {4, 3, 1});
         return Add(l, r, {1, 2});
       },
       "s32[4,3,2] [[[10, 20],\n  [11, 21],\n  [12, 22]],\n\n [[13, 23],\n  [14, 24],\n  [15, 25]],\n\n [[16, 26],\n  [17, 27],\n  [18, "
       "28]],\n\n [[19, 29],\n  [20, 30],\n  [21, 31]]]"},
      // operations.md: control
      {"while", "{0, zeros[10]}: counts to 1000 and adds a constant vector each time.",
       [](B* b) {
         const Shape state = Shape::Tuple({A(S32, {}), A(F32, {10})});
         Computation* condition = b->Sub("condition", {state}, [](B* c, Ops p) {
           Op i = GetTupleElement(p[0], 0);
           return Lt(i, I(c, "limit", 1000));
         });
         Computation* body = b->Sub("body", {state}, [](B* c, Ops p) {
           Op i = GetTupleElement(p[0], 0), x = GetTupleElement(p[0], 1);
           Op next = i + 1, sum = x + ConstantR1<float>(c, 10, 1);
           return Tuple(c, {next, sum});
         });
         Op zero = I(b, "zero", 0), zeros = ConstantR1<float>(b, 10, 0);
         return While(condition, body, Tuple(b, {zero, zeros}));
       },
       "(s32[], f32[10]) (1000,\n [1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000])"},
      {"composite_call", "A call with a name, attributes and a version of its own; it means its decomposition.",
       [](B* b) {
         Computation* f = b->Sub("c", {A(F32, {2})}, [](B*, Ops p) { return p[0] * 2; });
         return CompositeCall(b, {F(b, "x", {1, 2})}, "foo.bar", "n = 1 : i32, tensor = dense<1> : tensor<i32>", f, 1);
       },
       "f32[2] [2, 4]"},
      {"custom_call", "myfunc of f32[2] and f32[2,3] to f32[3,3].",
       [](B* b) {
         Op x = F(b, "x", {1, 2}), y = F2(b, "y", {{10, 20, 30}, {40, 50, 60}});
         return CustomCall(b, "myfunc", {x, y}, A(F32, {3, 3}));
       },
       "", "It needs a library that has void myfunc(void* out, void** in): hloscope run FILE --custom-call LIB.so."},
      {"map", "A scalar computation at every index: the square.",
       [](B* b) {
         Computation* f = b->Sub("square", {A(S32, {})}, [](B*, Ops p) { return p[0] * p[0]; });
         return Map(b, {Matrix(b)}, f, {0, 1});
       },
       "s32[2,3] [[1, 4, 9],\n [16, 25, 36]]"},
      {"conditional_index", "An index below 0 runs the last branch.",
       [](B* b) {
         Computation* one = b->Sub("one", {A(S32, {})}, [](B*, Ops p) { return p[0] + 1; });
         Computation* two = b->Sub("two", {A(S32, {})}, [](B*, Ops p) { return p[0] * 2; });
         Op index = I(b, "index", -1), x = I(b, "x", 10);
         return Conditional(index, {one, two}, {x, x});
       },
       "s32[] 20"},
      // Elementwise
      {"integer_edges", "Division and remainder by zero, the lowest number over -1, shifts by the width.",
       [](B* b) {
         const int32_t low = std::numeric_limits<int32_t>::min();
         Op x = I(b, "x", {5, low, 5, low}), y = I(b, "y", {0, -1, 32, 40});
         Op q = Div(x, y), r = Rem(x, y), l = ShiftLeft(x, y), a = ShiftRightArithmetic(x, y);
         return Tuple(b, {q, r, l, a});
       },
       "(s32[4], s32[4], s32[4], s32[4]) ([-1, -2147483648, 0, -53687091],\n [5, 0, 5, -8],\n [5, 0, 0, 0],\n [5, -1, 0, -1])"},
      {"sign", "-0, NaN and +0 stay.",
       [](B* b) {
         return Sign(F(b, "x", {-0.0f, std::numeric_limits<float>::quiet_NaN(), 0, 7}));
       },
       "f32[4] [-0, nan, 0, 1]"},
      {"rounding", "Away from zero, and to even.",
       [](B* b) {
         Op x = F(b, "x", {0.5f, 1.5f, 2.5f, -0.5f});
         Op a = Round(x), e = RoundNearestEven(x);
         return Tuple(b, {a, e});
       },
       "(f32[4], f32[4]) ([1, 2, 3, -1],\n [0, 2, 2, -0])"},
      {"total_order", "-NaN < -Inf < -1 < -0 < 0 < 1 < Inf < NaN: each is less than the next.",
       [](B* b) {
         const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
         Op x = F(b, "x", {-nan, -inf, -1, -0.0f, 0, 1, inf, nan});
         Op l = SliceInDim(x, 0, 7, 1, 0), r = SliceInDim(x, 1, 8, 1, 0);
         return LtTotalOrder(l, r);
       },
       "pred[7] [true, true, true, true, true, true, true]"},
      {"clamp", "0..6 of {-1, 5, 9}.",
       [](B* b) {
         Op lo = I(b, "min", 0), x = I(b, "x", {-1, 5, 9}), hi = I(b, "max", 6);
         return Clamp(lo, x, hi);
       },
       "s32[3] [0, 5, 6]"},
      {"select", "Element by element.",
       [](B* b) {
         Op p = P(b, "pred", {true, false, false, true}), t = I(b, "t", {1, 2, 3, 4}), f = I(b, "f", {100, 200, 300, 400});
         return Select(p, t, f);
       },
       "s32[4] [1, 200, 300, 4]"},
      {"select_scalar", "A scalar predicate takes one arm whole.",
       [](B* b) {
         Op p = ConstantR0<bool>(b, true), t = I(b, "t", {1, 2, 3, 4}), f = I(b, "f", {100, 200, 300, 400});
         return Select(p, t, f);
       },
       "s32[4] [1, 2, 3, 4]"},
      {"convert", "s32 {0, 1, 2} to f32.",
       [](B* b) {
         return ConvertElementType(I(b, "x", {0, 1, 2}), F32);
       },
       "f32[3] [0, 1, 2]"},
      {"bitcast_convert_narrow", "f32[10] to f16[10,2]: a new most minor dimension, here of ones.",
       [](B* b) { return SliceInDim(BitcastConvertType(ConstantR1<float>(b, 10, 1), F16), 0, 2, 1, 0); },
       "f16[2,2] [[0, 1.875],\n [0, 1.875]]"},
      {"bitcast_convert_wide", "f16[10,2] to f32[10], there and back.",
       [](B* b) { return BitcastConvertType(BitcastConvertType(Iota(b, F32, 10), F16), F32); }, "f32[10] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"},
      {"bitcast_convert_scalar", "f32[] to f16[2].", [](B* b) { return BitcastConvertType(F(b, "x", 2.0f), F16); }, "f16[2] [0, 2]"},
      {"reduce_precision", "Rounds to 3 bits of mantissa; 8 bits of exponent hold what f32 holds, 4 overflow.",
       [](B* b) {
         Op x = F(b, "x", {1.0625f, 1.1875f, 1000});
         Op wide = ReducePrecision(x, 8, 3), narrow = ReducePrecision(x, 4, 3);
         return Tuple(b, {wide, narrow});
       },
       "(f32[3], f32[3]) ([1, 1.25, 1024],\n [1, 1.25, inf])"},
      // Shape and data movement
      {"broadcast", "The scalar 2 with sizes {2, 3}.",
       [](B* b) {
         return Broadcast(F(b, "x", 2), {2, 3});
       },
       "f32[2,3] [[2, 2, 2],\n [2, 2, 2]]"},
      {"reshape_scalar", "f32[1,1] {{5}} to the scalar 5 and back.",
       [](B* b) {
         Op s = Reshape(F2(b, "x", {{5}}), {});
         Op m = Reshape(s, {1, 1});
         return Tuple(b, {s, m});
       },
       "(f32[], f32[1,1]) (5,\n [[5]])"},
      {"reshape_flat", "f32[4,2,3] to f32[24].", [](B* b) { return Reshape(Cuboid(b), {24}); },
       "f32[24] [10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27, 30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47]"},
      {"collapse_all", "{0, 1, 2} to 24.",
       [](B* b) {
         return Collapse(Cuboid(b), {0, 1, 2});
       },
       "f32[24] [10, 11, 12, 15, 16, 17, 20, 21, 22, 25, 26, 27, 30, 31, 32, 35, 36, 37, 40, 41, 42, 45, 46, 47]"},
      {"collapse_front", "{0, 1} to 8x3.",
       [](B* b) {
         return Collapse(Cuboid(b), {0, 1});
       },
       "f32[8,3] [[10, 11, 12],\n [15, 16, 17],\n [20, 21, 22],\n [25, 26, 27],\n [30, 31, 32],\n [35, 36, 37],\n [40, 41, 42],\n [45, 46, "
       "47]]"},
      {"collapse_back", "{1, 2} to 4x6.",
       [](B* b) {
         return Collapse(Cuboid(b), {1, 2});
       },
       "f32[4,6] [[10, 11, 12, 15, 16, 17],\n [20, 21, 22, 25, 26, 27],\n [30, 31, 32, 35, 36, 37],\n [40, 41, 42, 45, 46, 47]]"},
      {"slice", "[0, 1, 2, 3, 4] from 2 to 4.", [](B* b) { return Slice(Iota(b, S32, 5), {2}, {4}); }, "s32[2] [2, 3]"},
      {"slice_matrix", "4x3 from {2, 1} to {4, 3}.",
       [](B* b) {
         return Slice(Count(b, {4, 3}), {2, 1}, {4, 3});
       },
       "s32[2,2] [[7, 8],\n [10, 11]]"},
      {"dynamic_slice", "[0, 1, 2, 3, 4], start 2, size 2.",
       [](B* b) {
         Op x = Iota(b, S32, 5), s = I(b, "start", 2);
         return DynamicSlice(x, {s}, {2});
       },
       "s32[2] [2, 3]"},
      {"dynamic_slice_matrix", "4x3, start {2, 1}, size {2, 2}.",
       [](B* b) {
         Op x = Count(b, {4, 3}), r = I(b, "row", 2), c = I(b, "column", 1);
         return DynamicSlice(x, {r, c}, {2, 2});
       },
       "s32[2,2] [[7, 8],\n [10, 11]]"},
      {"dynamic_update_slice", "[5, 6] at 2.",
       [](B* b) {
         Op x = Iota(b, S32, 5), u = I(b, "update", {5, 6}), s = I(b, "start", 2);
         return DynamicUpdateSlice(x, u, {s});
       },
       "s32[5] [0, 1, 5, 6, 4]"},
      {"dynamic_update_slice_matrix", "3x2 at {1, 1} of 4x3.",
       [](B* b) {
         Op x = Count(b, {4, 3}), u = I2(b, "update", {{12, 13}, {14, 15}, {16, 17}}), s = I(b, "start", 1);
         return DynamicUpdateSlice(x, u, {s, s});
       },
       "s32[4,3] [[0, 1, 2],\n [3, 12, 13],\n [6, 14, 15],\n [9, 16, 17]]"},
      {"concatenate", "{2, 3}, {4, 5}, {6, 7}.",
       [](B* b) {
         Op x = I(b, "x", {2, 3}), y = I(b, "y", {4, 5}), z = I(b, "z", {6, 7});
         return ConcatInDim(b, {x, y, z}, 0);
       },
       "s32[6] [2, 3, 4, 5, 6, 7]"},
      {"concatenate_rows", "3x2 and 1x2 in dimension 0.",
       [](B* b) {
         Op x = I2(b, "x", {{1, 2}, {3, 4}, {5, 6}}), y = I2(b, "y", {{7, 8}});
         return ConcatInDim(b, {x, y}, 0);
       },
       "s32[4,2] [[1, 2],\n [3, 4],\n [5, 6],\n [7, 8]]"},
      {"iota_rows", "s32[4,8] along dimension 0.",
       [](B* b) {
         return Iota(b, A(S32, {4, 8}), 0);
       },
       "s32[4,8] [[0, 0, 0, 0, 0, 0, 0, 0],\n [1, 1, 1, 1, 1, 1, 1, 1],\n [2, 2, 2, 2, 2, 2, 2, 2],\n [3, 3, 3, 3, 3, 3, 3, 3]]"},
      {"iota_columns", "s32[4,8] along dimension 1.",
       [](B* b) {
         return Iota(b, A(S32, {4, 8}), 1);
       },
       "s32[4,8] [[0, 1, 2, 3, 4, 5, 6, 7],\n [0, 1, 2, 3, 4, 5, 6, 7],\n [0, 1, 2, 3, 4, 5, 6, 7],\n [0, 1, 2, 3, 4, 5, 6, 7]]"},
      {"gather", "[16,11] by five index pairs, slices [8,6]: [5,8,6]. Shown: the first element of each slice; the last start is moved.",
       [](B* b) {
         Op x = Count(b, {16, 11}), at = ConstantR2<int64_t>(b, {{0, 0}, {1, 2}, {8, 5}, {3, 3}, {15, 10}});
         Op g =
             Gather(x, at, {.offset_dims = {1, 2}, .collapsed_slice_dims = {}, .start_index_map = {0, 1}, .index_vector_dim = 1}, {8, 6});
         return Corners(g, {1, 2}, {5});
       },
       "s32[5] [0, 13, 93, 36, 93]"},
      {"gather_matrix_of_indices", "Indices [4,5,2]: [4,5,8,6]. Shown: the first element of each slice.",
       [](B* b) {
         Op x = Count(b, {16, 11}), row = Iota(b, A(S64, {4, 5, 1}), 0), column = Iota(b, A(S64, {4, 5, 1}), 1);
         Op at = ConcatInDim(b, {row, column}, 2);
         Op g =
             Gather(x, at, {.offset_dims = {2, 3}, .collapsed_slice_dims = {}, .start_index_map = {0, 1}, .index_vector_dim = 2}, {8, 6});
         return Corners(g, {2, 3}, {4, 5});
       },
       "s32[4,5] [[0, 1, 2, 3, 4],\n [11, 12, 13, 14, 15],\n [22, 23, 24, 25, 26],\n [33, 34, 35, 36, 37]]"},
      {"gather_rows", "Slices [1,11] with dimension 0 collapsed, indices [4,5]: whole rows, [4,5,11]. Shown: the first element of each.",
       [](B* b) {
         Op x = Count(b, {16, 11}), row = Iota(b, A(S64, {4, 5}), 0), column = Iota(b, A(S64, {4, 5}), 1);
         Op at = row * 4 + column;
         Op g = Gather(x, at, {.offset_dims = {2}, .collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 2}, {1, 11});
         return Corners(g, {2}, {4, 5});
       },
       "s32[4,5] [[0, 11, 22, 33, 44],\n [44, 55, 66, 77, 88],\n [88, 99, 110, 121, 132],\n [132, 143, 154, 165, 165]]"},
      {"dynamic_sum_5", "The sum of {1..10} with size 5.", [](B* b) { return Dynamic(b, 5, false); }, "s32[] 15"},
      {"dynamic_sum_6", "The sum of {1..10} with size 6.", [](B* b) { return Dynamic(b, 6, false); }, "s32[] 21"},
      {"dynamic_product_5", "The product of {1..10} with size 5.", [](B* b) { return Dynamic(b, 5, true); }, "s32[] 120"},
      // Reductions, windows, sorting
      {"reduce_matrix", "Dimension 0, then dimension 1.",
       [](B* b) {
         Op x = Matrix(b);
         Op c = Sum(b, x, {0}), r = Sum(b, x, {1});
         return Tuple(b, {c, r});
       },
       "(s32[3], s32[2]) ([5, 7, 9],\n [6, 15])"},
      {"reduce_cuboid", "[4,2,3]: dimension 0; 2; 0 and 1; all.",
       [](B* b) {
         Op x = Four(b);
         Op a = Sum(b, x, {0}), c = Sum(b, x, {2}), d = Sum(b, x, {0, 1}), e = Sum(b, x, {0, 1, 2});
         return Tuple(b, {a, c, d, e});
       },
       "(s32[2,3], s32[4,2], s32[3], s32[]) ([[4, 8, 12],\n [16, 20, 24]],\n [[6, 15],\n [6, 15],\n [6, 15],\n [6, 15]],\n [20, 28, 36],\n "
       "84)"},
      {"reduce_argmax", "Variadic: the largest value and its place; of equals the later one wins.",
       [](B* b) {
         Computation* f = b->Sub("f", {A(F32, {}), A(S32, {}), A(F32, {}), A(S32, {})}, [](B* c, Ops p) {
           Op newer = Ge(p[2], p[0]);
           Op max = Select(newer, p[2], p[0]), at = Select(newer, p[3], p[1]);
           return Tuple(c, {max, at});
         });
         Op x = F(b, "x", {3, 8, 1, 8, 2}), at = Iota(b, S32, 5), low = MinValue(b, F32), zero = I(b, "zero", 0);
         return Reduce(b, {x, at}, {low, zero}, f, {0});
       },
       "(f32[], s32[]) (8,\n 3)"},
      {"reduce_window_matrix", "4x6, window 2x3, stride 2x3: the smallest of each block.",
       [](B* b) {
         Op x = Count(b, {4, 6}), high = MaxValue(b, S32);
         return ReduceWindow(x, high, CreateScalarMinComputation(S32, b), {2, 3}, {2, 3}, Padding::kValid);
       },
       "s32[2,2] [[0, 3],\n [12, 15]]"},
      {"reduce_window_valid", "kValid: two windows.", [](B* b) { return Windows(b, Padding::kValid); }, "s32[2] [100, 1]"},
      {"reduce_window_same", "kSame: three, with padding at both ends.", [](B* b) { return Windows(b, Padding::kSame); },
       "s32[3] [1000, 10, 1]"},
      {"select_and_scatter", "Two windows pick the same 9: 2 and 6 make 8.",
       [](B* b) {
         Op x = F2(b, "x", {{7, 2, 5, 3, 8}, {3, 8, 9, 3, 4}}), s = F2(b, "source", {{2, 6}}), zero = F(b, "zero", 0);
         Computation *scatter = CreateScalarAddComputation(F32, b), *select = CreateScalarGeComputation(F32, b);
         return SelectAndScatter(x, select, {2, 3}, {2, 2}, Padding::kValid, s, zero, scatter);
       },
       "f32[2,5] [[0, 0, 0, 0, 0],\n [0, 0, 8, 0, 0]]"},
      {"sort", "Three arrays by the first.",
       [](B* b) {
         Op k = I(b, "keys", {3, 1}), x = I(b, "x", {42, 50}), y = F(b, "y", {-3, 1.1f});
         return Sort({k, x, y}, CreateScalarLtComputation({S32, S32, F32}, b));
       },
       "(s32[2], s32[2], f32[2]) ([1, 3],\n [50, 42],\n [1.1, -3])"},
      {"topk", "Among equals the lower index first.",
       [](B* b) {
         return TopK(I(b, "x", {5, 9, 5, 9}), 3);
       },
       "(s32[3], s32[3]) ([9, 9, 5],\n [1, 3, 0])"},
      // Linear algebra
      {"dot", "Vector by vector, matrix by vector, matrix by matrix.",
       [](B* b) {
         Op v = F(b, "v", {1, 2}), m = F2(b, "m", {{1, 2}, {3, 4}});
         Op vv = Dot(v, v), mv = Dot(m, v), mm = Dot(m, m);
         return Tuple(b, {vv, mv, mm});
       },
       "(f32[], f32[2], f32[2,2]) (5,\n [5, 11],\n [[7, 10],\n [15, 22]])"},
      {"dot_general", "Contracting 1 with 1.",
       [](B* b) {
         Op x = F2(b, "x", {{1, 2, 3}, {4, 5, 6}}), y = F2(b, "y", {{1, 1, 1}, {2, 2, 2}});
         return DotGeneral(x, y, {.lhs_contracting = {1}, .rhs_contracting = {1}});
       },
       "f32[2,2] [[6, 12],\n [15, 30]]"},
      {"dot_general_batch", "Two matrices by the identity: they stay.",
       [](B* b) {
         Op x = ConstantArray<float>(b, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}).Named("x"), y = Broadcast(F2(b, "one", {{1, 0}, {0, 1}}), {2});
         return DotGeneral(x, y, {.lhs_contracting = {2}, .rhs_contracting = {1}, .lhs_batch = {0}, .rhs_batch = {0}});
       },
       "f32[2,2,2] [[[1, 2],\n  [3, 4]],\n\n [[5, 6],\n  [7, 8]]]"},
  };
}

}  // namespace hloscope
