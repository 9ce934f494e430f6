// Examples of the operations that move data and change shapes.
#include "app/reference/examples.h"
#include "app/reference/short.h"

namespace hloscope {

using namespace examples;  // NOLINT

namespace {

// 0, 1, 2, ... of these dimensions.
Op Count(B* b, std::vector<int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return Reshape(Iota(b, S32, n), dims).Named("x");
}

}  // namespace

std::vector<Example> MovementExamples() {
  return {
      {"broadcast", "A row under each other: dimension 0 of the operand is dimension 1 of the result.",
       [](B* b) {
         return BroadcastInDim(I(b, "row", {1, 2, 3}), {2, 3}, {1});
       },
       "s32[2,3] [[1, 2, 3],\n [1, 2, 3]]"},
      {"reshape", "Read in row-major order, filled in row-major order.",
       [](B* b) {
         return Reshape(I2(b, "x", {{1, 2, 3}, {4, 5, 6}}), {3, 2});
       },
       "s32[3,2] [[1, 2],\n [3, 4],\n [5, 6]]"},
      {"bitcast", "A transpose that moves nothing: the layout is turned instead.",
       [](B* b) {
         Layout columns;
         columns.minor_to_major = {0, 1};
         return Bitcast(I2(b, "x", {{1, 2, 3}, {4, 5, 6}}), Shape::Array(S32, {3, 2}, columns));
       },
       "s32[3,2] [[1, 4],\n [2, 5],\n [3, 6]]"},
      {"transpose", "Rows become columns.",
       [](B* b) {
         return Transpose(I2(b, "x", {{1, 2, 3}, {4, 5, 6}}), {1, 0});
       },
       "s32[3,2] [[1, 4],\n [2, 5],\n [3, 6]]"},
      {"reverse", "Each row from its end.",
       [](B* b) {
         return Rev(I2(b, "x", {{1, 2, 3}, {4, 5, 6}}), {1});
       },
       "s32[2,3] [[3, 2, 1],\n [6, 5, 4]]"},
      {"slice", "Every second element of the rows from 1 on.",
       [](B* b) {
         return Slice(Count(b, {3, 5}), {1, 0}, {3, 5}, {1, 2});
       },
       "s32[2,3] [[5, 7, 9],\n [10, 12, 14]]"},
      {"dynamic-slice", "The second start would leave the array by one row: it is moved back.",
       [](B* b) {
         Op x = Count(b, {4, 3}), one = I(b, "one", 1), three = I(b, "three", 3);
         Op a = DynamicSlice(x, {one, one}, {2, 2}), c = DynamicSlice(x, {three, one}, {2, 2});
         return Tuple(b, {a, c});
       },
       "(s32[2,2], s32[2,2]) ([[4, 5],\n [7, 8]],\n [[7, 8],\n [10, 11]])"},
      {"dynamic-update-slice", "A block written into the middle.",
       [](B* b) {
         Op x = Count(b, {4, 3}), u = I2(b, "update", {{12, 13}, {14, 15}, {16, 17}}), one = I(b, "one", 1);
         return DynamicUpdateSlice(x, u, {one, one});
       },
       "s32[4,3] [[0, 1, 2],\n [3, 12, 13],\n [6, 14, 15],\n [9, 16, 17]]"},
      {"concatenate", "One row below three others.",
       [](B* b) {
         Op x = I2(b, "x", {{1, 2}, {3, 4}, {5, 6}}), y = I2(b, "y", {{7, 8}});
         return ConcatInDim(b, {x, y}, 0);
       },
       "s32[4,2] [[1, 2],\n [3, 4],\n [5, 6],\n [7, 8]]"},
      {"pad", "Rows: one before, one cut off at the end. Columns: a hole between neighbours.",
       [](B* b) {
         Op x = I2(b, "x", {{1, 2, 3}, {4, 5, 6}}), z = I(b, "hole", 0);
         const PaddingDimension p[] = {{1, -1, 0}, {0, 1, 1}};
         return Pad(x, z, p);
       },
       "s32[2,6] [[0, 0, 0, 0, 0, 0],\n [1, 0, 2, 0, 3, 0]]"},
      {"iota", "Counts along dimension 1.",
       [](B* b) {
         return Iota(b, A(S32, {2, 4}), 1);
       },
       "s32[2,4] [[0, 1, 2, 3],\n [0, 1, 2, 3]]"},
      {"gather", "Rows picked by number; 9 is too large and gives the last row.",
       [](B* b) {
         Op x = Count(b, {4, 3}), rows = I(b, "rows", {2, 0, 9});
         return Gather(x, rows, {.offset_dims = {1}, .collapsed_slice_dims = {0}, .start_index_map = {0}, .index_vector_dim = 1}, {1, 3});
       },
       "s32[3,3] [[6, 7, 8],\n [0, 1, 2],\n [9, 10, 11]]"},
      {"scatter", "Numbers added at places: two meet at 1, and 9 lies outside and is skipped.",
       [](B* b) {
         Op x = I(b, "x", {0, 0, 0, 0}), at = I(b, "places", {1, 3, 1, 9}), u = I(b, "updates", {10, 20, 30, 40});
         return Scatter(
             x, at, u, CreateScalarAddComputation(S32, b),
             {.update_window_dims = {}, .inserted_window_dims = {0}, .scatter_dims_to_operand_dims = {0}, .index_vector_dim = 1});
       },
       "s32[4] [0, 40, 0, 20]"},
      {"get-dimension-size", "A number for the program, not for the shape.",
       [](B* b) {
         return GetDimensionSize(Count(b, {4, 3}), 1);
       },
       "s32[] 3"},
      {"set-dimension-size", "Only the first five of ten numbers count: their sum is 15.",
       [](B* b) {
         Op x = I(b, "x", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), n = I(b, "size", 5), zero = I(b, "zero", 0);
         return Reduce(SetDimensionSize(x, n, 0), zero, CreateScalarAddComputation(S32, b), {0});
       },
       "s32[] 15"},
      {"dynamic-reshape", "Six numbers as rows of three; how many rows, the program says.",
       [](B* b) {
         Op x = I(b, "x", {1, 2, 3, 4, 5, 6}), rows = I(b, "rows", 2), columns = I(b, "columns", 3);
         return DynamicReshape(x, {rows, columns}, {2, 3}, {false, false});
       },
       "s32[2,3] [[1, 2, 3],\n [4, 5, 6]]"},
  };
}

}  // namespace hloscope
