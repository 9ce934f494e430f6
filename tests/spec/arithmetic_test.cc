// The specification's vectors of elementwise operations, linear algebra and random numbers: on both backends, in all layouts.
#include "tests/spec/spec.h"

namespace hloscope {
namespace {

TEST(Elementwise, ClampSelectConvert) {
  ExpectSpec("x = s32[3] constant({-1,5,9})\nl = s32[] constant(0)\nh = s32[] constant(6)\nROOT r = s32[3] clamp(l, x, h)", "s32[3] constant({0,5,6})");
  const std::string arms = "a = s32[4] constant({1,2,3,4})\nb = s32[4] constant({100,200,300,400})\n";
  ExpectSpec(arms + "p = pred[4] constant({true,false,false,true})\nROOT r = s32[4] select(p, a, b)", "s32[4] constant({1,200,300,4})");
  ExpectSpec(arms + "p = pred[] constant(true)\nROOT r = s32[4] select(p, a, b)", "s32[4] constant({1,2,3,4})");
  ExpectSpec(arms + "p = pred[] constant(false)\nt = (s32[4], s32[4]) tuple(a, b)\nu = (s32[4], s32[4]) tuple(b, a)\nROOT r = (s32[4], s32[4]) select(p, t, u)",
             arms + "ROOT t = (s32[4], s32[4]) tuple(b, a)");
  ExpectSpec("a = s32[3] constant({0,1,2})\nROOT r = f32[3] convert(a)", "f32[3] constant({0,1,2})");
}

TEST(Elementwise, EdgesOfIntegers) {
  const std::string x = "x = s32[6] constant({7,-7,7,-2147483648,-2147483648,5})\ny = s32[6] constant({0,0,-2,-1,0,3})\n";
  ExpectSpec(x + "ROOT r = s32[6] divide(x, y)", "s32[6] constant({-1,-1,-3,-2147483648,-1,1})");
  ExpectSpec(x + "ROOT r = s32[6] remainder(x, y)", "s32[6] constant({7,-7,1,0,-2147483648,2})");
  ExpectSpec("x = u8[2] constant({7,200})\ny = u8[2] constant({0,7})\nROOT r = u8[2] divide(x, y)", "u8[2] constant({255,28})");
  const std::string s = "x = s8[5] constant({-128,127,1,-1,64})\ny = s8[5] constant({8,100,7,-1,1})\n";
  ExpectSpec(s + "ROOT r = s8[5] shift-left(x, y)", "s8[5] constant({0,0,-128,0,-128})");
  ExpectSpec(s + "ROOT r = s8[5] shift-right-arithmetic(x, y)", "s8[5] constant({-1,0,0,-1,32})");
  ExpectSpec(s + "ROOT r = s8[5] shift-right-logical(x, y)", "s8[5] constant({0,0,0,0,32})");
  ExpectSpec("x = s32[3] constant({1073741824,-2147483648,-1})\ny = s32[3] constant({8,-2147483648,-1})\nROOT r = s32[3] mulhi(x, y)",
             "s32[3] constant({2,1073741824,0})");
  ExpectSpec("x = u64[2] constant({18446744073709551615,4294967296})\ny = u64[2] constant({18446744073709551615,4294967296})\nROOT r = u64[2] mulhi(x, y)",
             "u64[2] constant({18446744073709551614,1})");
  ExpectSpec("x = s32[4] constant({2,-1,3,0})\ny = s32[4] constant({-1,-3,3,0})\nROOT r = s32[4] power(x, y)", "s32[4] constant({0,-1,27,1})");
  ExpectSpec("x = u16[3] constant({0,1,65535})\nROOT r = u16[3] count-leading-zeros(x)", "u16[3] constant({16,15,0})");
  ExpectSpec("x = s8[3] constant({0,-1,7})\nROOT r = s8[3] popcnt(x)", "s8[3] constant({0,8,3})");
  ExpectSpec("x = pred[2] constant({true,false})\ny = pred[2] constant({true,true})\nROOT r = pred[2] xor(x, y)", "pred[2] constant({false,true})");
}

TEST(Elementwise, EdgesOfFloats) {
  const std::string x = "x = f32[5] constant({nan,-0,inf,-inf,2.5})\n";
  ExpectSpec(x + "ROOT r = s32[5] convert(x)", "s32[5] constant({0,0,2147483647,-2147483648,2})");
  ExpectSpec(x + "ROOT r = u8[5] convert(x)", "u8[5] constant({0,0,255,0,2})");
  ExpectSpec(x + "ROOT r = pred[5] convert(x)", "pred[5] constant({true,false,true,true,true})");
  ExpectSpec(x + "ROOT r = f32[5] sign(x)", "f32[5] constant({nan,-0,1,-1,1})");
  ExpectSpec(x + "ROOT r = pred[5] is-finite(x)", "pred[5] constant({false,true,false,false,true})");
  ExpectSpec(x + "y = f32[5] constant({1,0,nan,1,-2.5})\nROOT r = f32[5] maximum(x, y)", "f32[5] constant({nan,0,nan,1,2.5})");
  ExpectSpec(x + "y = f32[5] constant({1,0,nan,1,-2.5})\nROOT r = f32[5] minimum(x, y)", "f32[5] constant({nan,-0,nan,-inf,-2.5})");
  ExpectSpec("x = f32[6] constant({2.5,-2.5,0.5,1.5,-0.5,-0.4})\nROOT r = f32[6] round-nearest-afz(x)", "f32[6] constant({3,-3,1,2,-1,-0})");
  ExpectSpec("x = f32[6] constant({2.5,-2.5,0.5,1.5,-0.5,-0.4})\nROOT r = f32[6] round-nearest-even(x)", "f32[6] constant({2,-2,0,2,-0,-0})");
  ExpectSpec("x = f32[4] constant({5.5,-5.5,5.5,-0})\ny = f32[4] constant({2,2,-2,3})\nROOT r = f32[4] remainder(x, y)", "f32[4] constant({1.5,-1.5,1.5,-0})");
  ExpectSpec("x = c64[2] constant({(3,4),(0,-2)})\nROOT r = f32[2] abs(x)", "f32[2] constant({5,2})");
  ExpectSpec("x = f32[2] constant({3,4})\nROOT r = f32[2] imag(x)", "f32[2] constant({0,0})");
  ExpectSpec("x = f32[2] constant({1,2})\ny = f32[2] constant({3,-4})\nROOT r = c64[2] complex(x, y)", "c64[2] constant({(1,3),(2,-4)})");
  ExpectSpec("x = f64[2] constant({1,2})\ny = f64[2] constant({3,-4})\nROOT r = c128[2] complex(x, y)", "c128[2] constant({(1,3),(2,-4)})");
}

TEST(Elementwise, OrdersOfFloats) {
  const std::string x = "x = f32[4] constant({-0,nan,1,-nan})\ny = f32[4] constant({0,nan,2,1})\n";
  ExpectSpec(x + "ROOT r = pred[4] compare(x, y), direction=EQ", "pred[4] constant({true,false,false,false})");
  ExpectSpec(x + "ROOT r = pred[4] compare(x, y), direction=NE", "pred[4] constant({false,true,true,true})");
  ExpectSpec(x + "ROOT r = pred[4] compare(x, y), direction=LT, type=TOTALORDER", "pred[4] constant({true,false,true,true})");
  ExpectSpec(x + "ROOT r = pred[4] compare(x, y), direction=EQ, type=TOTALORDER", "pred[4] constant({false,true,false,false})");
  ExpectSpec(x + "ROOT r = pred[4] compare(x, y), direction=GE, type=TOTALORDER", "pred[4] constant({false,true,false,false})");
}

TEST(Elementwise, ReducePrecision) {
  const std::string x = "x = f32[6] constant({1.00048828125,65519,65520,nan,1e-10,-3.14159})\n";
  ExpectSpec(x + "ROOT r = f32[6] reduce-precision(x), exponent_bits=5, mantissa_bits=10", "f32[6] constant({1,65504,inf,nan,0,-3.140625})");
  ExpectSpec(x + "ROOT r = f32[6] reduce-precision(x), exponent_bits=8, mantissa_bits=23", "f32[6] constant({1.00048828125,65519,65520,nan,1e-10,-3.14159})");
  ExpectSpec(x + "ROOT r = f32[6] reduce-precision(x), exponent_bits=30, mantissa_bits=60", "f32[6] constant({1.00048828125,65519,65520,nan,1e-10,-3.14159})");
}

// With all bits set the smaller neighbour is taken, with none the larger, and a half way number follows the half of the range.
TEST(Elementwise, StochasticConvert) {
  const std::string x = "x = f32[6] constant({1.25,-1.25,2.75,inf,nan,-7})\n";
  ExpectSpec(x + "u = u32[6] constant({0,0,4294967295,0,0,0})\nROOT r = s8[6] stochastic-convert(x, u)", "s8[6] constant({2,-2,2,127,0,-7})");
  ExpectSpec(x + "u = u32[6] constant({1073741823,1073741824,3221225471,5,5,5})\nROOT r = s32[6] stochastic-convert(x, u)",
             "s32[6] constant({2,-1,3,2147483647,0,-7})");
  // bf16 next to 1: steps of 1/128.
  const std::string y = "y = f32[6] constant({1.001953125,-1.001953125,1.001953125,inf,nan,1})\n";
  ExpectSpec(y + "u = u32[6] constant({0,1073741823,1073741824,0,0,0})\nROOT r = bf16[6] stochastic-convert(y, u)",
             "bf16[6] constant({1.0078125,-1.0078125,1,inf,nan,1})");
  ExpectSpec("y = f32[4] constant({1e6,448,1.0625,-0})\nu = u32[4] constant({0,0,4294967295,0})\nROOT r = f8e4m3fn[4] stochastic-convert(y, u)",
             "f8e4m3fn[4] constant({nan,448,1,-0})");
  ExpectSpec("y = f16[3] constant({0.75,-0.25,100})\nu = u16[3] constant({32767,32768,0})\nROOT r = f4e2m1fn[3] stochastic-convert(y, u)",
             "f4e2m1fn[3] constant({1,-0,6})");
  ExpectSpec("y = f16[2] constant({0.75,-0.25})\nu = u16[2] constant({0,0})\nROOT r = f32[2] stochastic-convert(y, u)", "f32[2] constant({0.75,-0.25})");
}

TEST(Dot, TheVectorsOfTheSpecification) {
  ExpectSpec("a = f32[3] constant({1,2,3})\nb = f32[3] constant({4,5,6})\nROOT r = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
             "f32[] constant(32)");
  const std::string m = "m = f32[2,3] constant({{1,2,3},{4,5,6}})\n";
  ExpectSpec(m + "v = f32[3] constant({1,0,-1})\nROOT r = f32[2] dot(m, v), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "f32[2] constant({-2,-2})");
  ExpectSpec(m + "n = f32[2,3] constant({{1,1,1},{2,2,2}})\nROOT r = f32[2,2] dot(m, n), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
             "f32[2,2] constant({{6,12},{15,30}})");
  ExpectSpec(m + "n = f32[3,2] constant({{1,0},{0,1},{1,1}})\nROOT r = f32[2,2] dot(m, n), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
             "f32[2,2] constant({{4,5},{10,11}})");
  ExpectSpec(
      "a = f32[2,2,2] constant({{{1,2},{3,4}},{{5,6},{7,8}}})\nb = f32[2,2,2] constant({{{1,0},{0,1}},{{1,0},{0,1}}})\n"
      "ROOT r = f32[2,2,2] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
      "f32[2,2,2] constant({{{1,2},{3,4}},{{5,6},{7,8}}})");
  // Small operands, a wide result.
  ExpectSpec("a = s8[2] constant({100,100})\nb = s8[2] constant({100,-50})\nROOT r = s32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}",
             "s32[] constant(5000)");
}

TEST(RaggedDot, ItsThreeModes) {
  const std::string l = "l = f32[4,2] constant({{1,2},{3,4},{5,6},{7,8}})\n", sizes = "g = s32[2] constant({1,2})\n";
  // Rows 0 | 1, 2 | (3 in no group).
  ExpectSpec(l + sizes + "r = f32[2,2,1] constant({{{1},{10}},{{100},{1000}}})\nROOT o = f32[4,1] ragged-dot(l, r, g), lhs_contracting_dims={1}, "
                         "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
             "f32[4,1] constant({{21},{4300},{6500},{0}})");
  // Sums over the rows of each group.
  ExpectSpec(l + sizes + "r = f32[4,1] constant({{1},{10},{100},{1000}})\nROOT o = f32[2,2,1] ragged-dot(l, r, g), lhs_contracting_dims={0}, "
                         "rhs_contracting_dims={0}, lhs_ragged_dims={0}",
             "f32[2,2,1] constant({{{1},{2}},{{530},{640}}})");
  // A ragged batch: as a dot.
  ExpectSpec("l = f32[3,1,2] constant({{{1,2}},{{3,4}},{{5,6}}})\nr = f32[3,2,1] constant({{{1},{1}},{{1},{1}},{{2},{2}}})\ng = s32[2] constant({1,2})\n"
             "ROOT o = f32[3,1,1] ragged-dot(l, r, g), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}, "
             "lhs_ragged_dims={0}",
             "f32[3,1,1] constant({{{3}},{{7}},{{22}}})");
  // Group sizes for each batch.
  ExpectSpec("l = s32[2,2,1] constant({{{1},{2}},{{3},{4}}})\nr = s32[2,2,1,1] constant({{{{10}},{{20}}},{{{100}},{{200}}}})\n"
             "g = s32[2,2] constant({{2,0},{0,1}})\nROOT o = s32[2,2,1] ragged-dot(l, r, g), lhs_batch_dims={0}, rhs_batch_dims={1}, "
             "lhs_contracting_dims={2}, rhs_contracting_dims={2}, lhs_ragged_dims={1}, rhs_group_dims={0}",
             "s32[2,2,1] constant({{{10},{20}},{{600},{0}}})");
  // No groups, no rows.
  ExpectSpec(l + "g = s32[0] constant({})\nr = f32[0,2,1] constant({})\nROOT o = f32[4,1] ragged-dot(l, r, g), lhs_contracting_dims={1}, "
                 "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
             "f32[4,1] constant({{0},{0},{0},{0}})");
}

TEST(Convolution, SamePaddingGroupsAndDilation) {
  const std::string x = "x = f32[1,1,4,4] constant({{{{1,2,3,4},{5,6,7,8},{9,10,11,12},{13,14,15,16}}}})\nk = f32[1,1,2,2] constant({{{{1,0},{0,1}}}})\n";
  ExpectSpec(x + "ROOT r = f32[1,1,3,3] convolution(x, k), window={size=2x2}, dim_labels=bf01_oi01->bf01",
             "f32[1,1,3,3] constant({{{{7,9,11},{15,17,19},{23,25,27}}}})");
  ExpectSpec(x + "ROOT r = f32[1,1,4,4] convolution(x, k), window={size=2x2 pad=0_1x0_1}, dim_labels=bf01_oi01->bf01",
             "f32[1,1,4,4] constant({{{{7,9,11,4},{15,17,19,8},{23,25,27,12},{13,14,15,16}}}})");
  ExpectSpec(x + "ROOT r = f32[1,1,2,2] convolution(x, k), window={size=2x2 rhs_dilate=2x2}, dim_labels=bf01_oi01->bf01",
             "f32[1,1,2,2] constant({{{{12,14},{20,22}}}})");
  // Depthwise: as many groups as features.
  ExpectSpec("x = s32[1,3,2] constant({{{1,10},{2,20},{3,30}}})\nk = s32[2,1,2] constant({{{1,2}},{{1,-1}}})\n"
             "ROOT r = s32[1,2,2] convolution(x, k), window={size=2}, dim_labels=b0f_0io->b0f, feature_group_count=2",
             "s32[1,2,2] constant({{{3,0},{5,10}}})");
  // Batch groups: batch 2, one in each group.
  ExpectSpec("x = s32[2,2,1] constant({{{1},{2}},{{10},{20}}})\nk = s32[1,1,2] constant({{{1,3}}})\n"
             "ROOT r = s32[1,2,2] convolution(x, k), window={size=1}, dim_labels=b0f_0io->b0f, batch_group_count=2",
             "s32[1,2,2] constant({{{1,30},{2,60}}})");
}

TEST(BatchNorm, TrainingInferenceGrad) {
  const std::string x = "x = f32[4,2] constant({{1,10},{3,10},{5,30},{7,30}})\ns = f32[2] constant({2,1})\n";
  const SpecOptions near{.close = {1e-5, 1e-5}};
  ExpectSpec(x + "o = f32[2] constant({0.5,-1})\nROOT r = (f32[4,2], f32[2], f32[2]) batch-norm-training(x, s, o), epsilon=0, feature_index=1",
             "a = f32[4,2] constant({{-2.183282,-2},{-0.394427,-2},{1.394427,0},{3.183282,0}})\nm = f32[2] constant({4,20})\nv = f32[2] constant({5,100})\n"
             "ROOT t = (f32[4,2], f32[2], f32[2]) tuple(a, m, v)",
             near);
  ExpectSpec(x + "o = f32[2] constant({0.5,-1})\nm = f32[2] constant({4,20})\nv = f32[2] constant({3,99})\n"
                 "ROOT r = f32[4,2] batch-norm-inference(x, s, o, m, v), epsilon=1, feature_index=1",
             "f32[4,2] constant({{-2.5,-2},{-0.5,-2},{1.5,0},{3.5,0}})", near);
  ExpectSpec(x + "m = f32[2] constant({4,20})\nv = f32[2] constant({3,99})\ng = f32[4,2] constant({{1,0},{0,0},{0,1},{0,1}})\n"
                 "ROOT r = (f32[4,2], f32[2], f32[2]) batch-norm-grad(x, s, m, v, g), epsilon=1, feature_index=1",
             "a = f32[4,2] constant({{0.1875,0},{-0.4375,0},{-0.0625,0},{0.3125,0}})\nb = f32[2] constant({-1.5,2})\nc = f32[2] constant({1,2})\n"
             "ROOT t = (f32[4,2], f32[2], f32[2]) tuple(a, b, c)",
             near);
}

TEST(Cholesky, AndTriangularSolve) {
  const std::string a = "a = f32[2,2] constant({{4,99},{2,10}})\n";
  ExpectSpec(a + "ROOT r = f32[2,2] cholesky(a), lower=true", "f32[2,2] constant({{2,0},{1,3}})");
  ExpectSpec("a = f32[2,2] constant({{4,2},{99,10}})\nROOT r = f32[2,2] cholesky(a), lower=false", "f32[2,2] constant({{2,1},{0,3}})");
  ExpectSpec("a = c64[2,2] constant({{(4,0),(0,0)},{(0,2),(10,0)}})\nROOT r = c64[2,2] cholesky(a), lower=true",
             "c64[2,2] constant({{(2,0),(0,0)},{(0,1),(3,0)}})");
  const std::string t = "t = f32[2,2] constant({{2,99},{1,4}})\nb = f32[2,1] constant({{4},{10}})\n";
  ExpectSpec(t + "ROOT r = f32[2,1] triangular-solve(t, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE",
             "f32[2,1] constant({{2},{2}})");
  ExpectSpec(t + "ROOT r = f32[2,1] triangular-solve(t, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=TRANSPOSE",
             "f32[2,1] constant({{0.75},{2.5}})");
  ExpectSpec(t + "ROOT r = f32[2,1] triangular-solve(t, b), left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE",
             "f32[2,1] constant({{4},{6}})");
  ExpectSpec("t = f32[2,2] constant({{2,99},{1,4}})\nb = f32[1,2] constant({{4,8}})\n"
             "ROOT r = f32[1,2] triangular-solve(t, b), left_side=false, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE",
             "f32[1,2] constant({{1,2}})");
  ExpectSpec("t = c64[1,1] constant({{(0,2)}})\nb = c64[1,1] constant({{(4,0)}})\n"
             "ROOT r = c64[1,1] triangular-solve(t, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=ADJOINT",
             "c64[1,1] constant({{(0,2)}})", {.close = {1e-7, 0}});
}

TEST(Fft, FourKinds) {
  ExpectSpec("x = c64[4] constant({(1,0),(0,0),(0,0),(0,0)})\nROOT r = c64[4] fft(x), fft_type=FFT, fft_length={4}",
             "c64[4] constant({(1,0),(1,0),(1,0),(1,0)})");
  ExpectSpec("x = c64[4] constant({(4,0),(0,0),(0,0),(0,0)})\nROOT r = c64[4] fft(x), fft_type=IFFT, fft_length={4}",
             "c64[4] constant({(1,0),(1,0),(1,0),(1,0)})");
  ExpectSpec("x = f32[4] constant({1,2,3,4})\nROOT r = c64[3] fft(x), fft_type=RFFT, fft_length={4}", "c64[3] constant({(10,0),(-2,2),(-2,0)})");
  ExpectSpec("x = c64[3] constant({(10,0),(-2,2),(-2,0)})\nROOT r = f32[4] fft(x), fft_type=IRFFT, fft_length={4}", "f32[4] constant({1,2,3,4})");
  ExpectSpec("x = f32[2,2] constant({{1,2},{3,4}})\nROOT r = c64[2,2] fft(x), fft_type=RFFT, fft_length={2,2}",
             "c64[2,2] constant({{(10,0),(-2,0)},{(-4,0),(0,0)}})");
}

// A running sum, from either end, of scalars and of slices.
TEST(Scan, OutputsAndLastStates) {
  const std::string f = "step {\n x = f32[] parameter(0)\n c = f32[] parameter(1)\n s = f32[] add(x, c)\n ROOT t = (f32[], f32[]) tuple(s, s)\n}\n";
  const std::string v = "v = f32[4] constant({1,2,3,4})\nz = f32[] constant(10)\n";
  const std::string want = "ROOT t = (f32[4], f32[]) tuple(a, b)";
  ExpectSpec(f + Entry(v + "ROOT r = (f32[4], f32[]) scan(v, z), dimensions={0}, to_apply=step"),
             "a = f32[4] constant({11,13,16,20})\nb = f32[] constant(20)\n" + want);
  ExpectSpec(f + Entry(v + "ROOT r = (f32[4], f32[]) scan(v, z), dimensions={0}, num_carries=1, is_reverse=true, is_associative=true, to_apply=step"),
             "a = f32[4] constant({20,19,17,14})\nb = f32[] constant(20)\n" + want);
  // A computation of scalars over a matrix: for each element of a slice.
  ExpectSpec(f + Entry("v = f32[2,3] constant({{1,2,3},{4,5,6}})\nz = f32[2] constant({0,100})\n"
                       "ROOT r = (f32[2,3], f32[2]) scan(v, z), dimensions={1}, num_carries=1, to_apply=step"),
             "a = f32[2,3] constant({{1,3,6},{104,109,115}})\nb = f32[2] constant({6,115})\nROOT t = (f32[2,3], f32[2]) tuple(a, b)");
  // A computation of slices.
  const std::string g = "rows {\n x = f32[3] parameter(0)\n c = f32[3] parameter(1)\n s = f32[3] add(x, c)\n ROOT t = (f32[3], f32[3]) tuple(c, s)\n}\n";
  ExpectSpec(g + Entry("v = f32[2,3] constant({{1,2,3},{4,5,6}})\nz = f32[3] constant({0,0,100})\n"
                       "ROOT r = (f32[2,3], f32[3]) scan(v, z), dimensions={0}, to_apply=rows"),
             "a = f32[2,3] constant({{0,0,100},{1,2,103}})\nb = f32[3] constant({5,7,109})\nROOT t = (f32[2,3], f32[3]) tuple(a, b)");
  // Nothing to step over.
  ExpectSpec(f + Entry("v = f32[0] constant({})\nz = f32[] constant(10)\nROOT r = (f32[0], f32[]) scan(v, z), dimensions={0}, to_apply=step"),
             "a = f32[0] constant({})\nb = f32[] constant(10)\nROOT t = (f32[0], f32[]) tuple(a, b)");
}

TEST(Random, EveryTypeIsSeededAndInItsRange) {
  for (const char* type : {"f64", "f32", "f16", "bf16", "f8e4m3fn", "f8e5m2", "s8", "s32", "s64", "u8", "u32", "u64", "s4", "u4"}) {
    const std::string t = type;
    ExpectSpecValue("a = " + t + "[] constant(1)\nb = " + t + "[] constant(3)\nROOT r = " + t + "[40] rng(a, b), distribution=rng_uniform", Value());
    ReadModule read = ReadAndVerify("a = " + t + "[] constant(1)\nb = " + t + "[] constant(3)\nx = " + t +
                                    "[40] rng(a, b), distribution=rng_uniform\nl = " + t + "[40] broadcast(a), dimensions={}\nh = " + t +
                                    "[40] broadcast(b), dimensions={}\nge = pred[40] compare(x, l), direction=GE\n"
                                    "lt = pred[40] compare(x, h), direction=LT\nROOT r = pred[40] and(ge, lt)");
    ASSERT_EQ(read.problems, "");
    auto inside = RunOn(JitForTests(), *read.module, {});
    ASSERT_TRUE(inside.ok()) << inside.status();
    for (int k = 0; k < 40; ++k) EXPECT_EQ(inside->as<uint8_t>()[k], 1) << t << " " << k;
  }
  for (const char* type : {"f64", "f32", "f16", "bf16", "f8e5m2"}) {
    const std::string t = type;
    ExpectSpecValue("a = " + t + "[] constant(1)\nb = " + t + "[] constant(3)\nROOT r = " + t + "[7] rng(a, b), distribution=rng_normal", Value());
  }
  ExpectSpecValue("ROOT r = pred[20] rng(a, b), distribution=rng_uniform\na = pred[] constant(false)\nb = pred[] constant(true)", Value());
  ExpectSpecValue("ROOT r = u64[2] rng-get-and-update-state(), delta=7", Value());
}

// The published vectors of Random123: Threefry2x32 with zeros and with the digits of pi, Philox4x32 with zeros and ones.
TEST(Random, BitGenerators) {
  ExpectSpec("s = u64[2] constant({0,0})\nr = (u64[2], u32[2]) rng-bit-generator(s), algorithm=rng_three_fry\nROOT b = u32[2] get-tuple-element(r), index=1",
             "u32[2] constant({1797259609,2579123966})");
  ExpectSpec("s = u64[3] constant({0,0,0})\nr = (u64[3], u32[4]) rng-bit-generator(s), algorithm=rng_philox\nROOT b = u32[4] get-tuple-element(r), index=1",
             "u32[4] constant({1713891541,3781805453,3159862348,2600524760})");
  for (const char* type : {"u8", "u16", "u32", "u64", "s32", "f32"}) {
    ReadModule read = ReadAndVerify(std::string("s = u64[2] constant({1,2})\nROOT r = (u64[2], ") + type + "[5,3]) rng-bit-generator(s), algorithm=rng_default");
    if (!read.problems.empty()) continue;
    ExpectSpecValue(std::string("s = u64[2] constant({1,2})\nROOT r = (u64[2], ") + type + "[5,3]) rng-bit-generator(s), algorithm=rng_default", Value());
  }
}

}  // namespace
}  // namespace hloscope
