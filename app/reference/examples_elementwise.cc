// Examples of the elementwise operations.
#include <cmath>
#include <limits>

#include "app/reference/examples.h"
#include "app/reference/short.h"

namespace hloscope {

using namespace examples;  // NOLINT

std::vector<Example> ElementwiseExamples() {
  return {
      {"add", "A row is added to each row of a matrix: broadcast_dimensions={1} becomes a broadcast of its own.",
       [](B* b) {
         Op m = I2(b, "matrix", {{1, 2, 3}, {4, 5, 6}}), r = I(b, "row", {7, 8, 9});
         return Add(m, r, {1});
       },
       "s32[2,3] [[8, 10, 12],\n [11, 13, 15]]"},
      {"subtract", "Integers wrap: the last element leaves the range of s32.",
       [](B* b) {
         Op x = I(b, "x", {10, 3, -2147483647}), y = I(b, "y", {4, 5, 2});
         return Sub(x, y);
       },
       "s32[3] [6, -2, 2147483647]"},
      {"multiply", "A column times a row: both are stretched, which makes an outer product.",
       [](B* b) {
         Op c = I2(b, "column", {{1}, {10}}), r = I2(b, "row", {{1, 2, 3}});
         return Mul(c, r);
       },
       "s32[2,3] [[1, 2, 3],\n [10, 20, 30]]"},
      {"divide", "Integers round towards zero; a division by zero gives -1, and the lowest number over -1 stays.",
       [](B* b) {
         Op x = I(b, "x", {7, -7, 5, std::numeric_limits<int32_t>::min()}), y = I(b, "y", {2, 2, 0, -1});
         return Div(x, y);
       },
       "s32[4] [3, -3, -1, -2147483648]"},
      {"power", "x to the power of y.",
       [](B* b) {
         Op x = F(b, "x", {2, 9, 0, -2}), y = F(b, "y", {10, 0.5f, 0, 3});
         return Pow(x, y);
       },
       "f32[4] [1024, 3, 1, -8]"},
      {"remainder", "The sign is the dividend's; a remainder by zero is the dividend.",
       [](B* b) {
         Op x = I(b, "x", {7, -7, 7, 5}), y = I(b, "y", {3, 3, -3, 0});
         return Rem(x, y);
       },
       "s32[4] [1, -1, 1, 5]"},
      {"maximum", "A NaN on either side is the result.",
       [](B* b) {
         Op x = F(b, "x", {1, 5, std::numeric_limits<float>::quiet_NaN()}), y = F(b, "y", {3, 2, 0});
         return Max(x, y);
       },
       "f32[3] [3, 5, nan]"},
      {"minimum", "A NaN on either side is the result.",
       [](B* b) {
         Op x = F(b, "x", {1, 5, 0}), y = F(b, "y", {3, 2, std::numeric_limits<float>::quiet_NaN()});
         return Min(x, y);
       },
       "f32[3] [1, 2, nan]"},
      {"and", "Bit by bit on integers.",
       [](B* b) {
         Op x = I(b, "x", {12, 7, -1}), y = I(b, "y", {10, 8, 255});
         return And(x, y);
       },
       "s32[3] [8, 0, 255]"},
      {"or", "Logical on pred.",
       [](B* b) {
         Op x = P(b, "x", {false, false, true}), y = P(b, "y", {false, true, true});
         return Or(x, y);
       },
       "pred[3] [false, true, true]"},
      {"xor", "Bit by bit on integers.",
       [](B* b) {
         Op x = I(b, "x", {12, 5, -1}), y = I(b, "y", {10, 5, 1});
         return Xor(x, y);
       },
       "s32[3] [6, 0, -2]"},
      {"shift-left", "A shift by the width of the type or more gives 0.",
       [](B* b) {
         Op x = I(b, "x", {1, 3, 5}), y = I(b, "amount", {4, 1, 32});
         return ShiftLeft(x, y);
       },
       "s32[3] [16, 6, 0]"},
      {"shift-right-arithmetic", "The sign fills what becomes free.",
       [](B* b) {
         Op x = I(b, "x", {-16, 16, -5}), y = I(b, "amount", {2, 2, 40});
         return ShiftRightArithmetic(x, y);
       },
       "s32[3] [-4, 4, -1]"},
      {"shift-right-logical", "Zeros fill what becomes free, whatever the sign.",
       [](B* b) {
         Op x = I(b, "x", {-16, 16, -5}), y = I(b, "amount", {28, 2, 32});
         return ShiftRightLogical(x, y);
       },
       "s32[3] [15, 4, 0]"},
      {"atan2", "The angle of the point (x, y), all four quadrants and the two signs of zero.",
       [](B* b) {
         Op y = F(b, "y", {1, 1, -1, 0}), x = F(b, "x", {1, -1, -1, -1});
         return Atan2(y, x);
       },
       "f32[4] [0.7854, 2.3562, -2.3562, 3.1416]"},
      {"complex", "A complex number of two floats, squared.",
       [](B* b) {
         Op x = F(b, "x", {1, 0}), y = F(b, "y", {2, -3});
         Op z = Complex(x, y);
         return z * z;
       },
       "c64[2] [(-3, 4), (-9, -0)]"},
      {"compare", "By IEEE 754: NaN is unequal to everything, -0 equals 0.",
       [](B* b) {
         Op x = F(b, "x", {1, -0.0f, std::numeric_limits<float>::quiet_NaN()}),
            y = F(b, "y", {2, 0, std::numeric_limits<float>::quiet_NaN()});
         Op e = Eq(x, y), l = Lt(x, y), t = EqTotalOrder(x, y);
         return Tuple(b, {e, l, t});
       },
       "(pred[3], pred[3], pred[3]) ([false, true, false],\n [true, false, false],\n [false, false, true])"},
      {"mulhi", "The upper half of the product of two 32-bit numbers.",
       [](B* b) {
         Op x = ConstantR1<uint32_t>(b, {0x80000000u, 0xffffffffu, 3}), y = ConstantR1<uint32_t>(b, {4, 0xffffffffu, 5});
         return Mulhi(x, y);
       },
       "u32[3] [2, 4294967294, 0]"},
      {"abs", "Of a complex number it is the distance from zero, a real number.",
       [](B* b) {
         Op x = F(b, "x", {-2, 0, 1.5f});
         Op z = ConstantR1<std::complex<float>>(b, {{3, 4}, {-5, 12}});
         Op a = Abs(x), c = Abs(z);
         return Tuple(b, {a, c});
       },
       "(f32[3], f32[2]) ([2, 0, 1.5],\n [5, 13])"},
      {"cbrt", "Cube roots, of negative numbers too.",
       [](B* b) {
         return Cbrt(F(b, "x", {27, -8, 0.125f}));
       },
       "f32[3] [3, -2, 0.5]"},
      {"ceil", "The nearest whole number that is not below.",
       [](B* b) {
         return Ceil(F(b, "x", {1.2f, -1.2f, 3}));
       },
       "f32[3] [2, -1, 3]"},
      {"count-leading-zeros", "Zero bits before the first one.",
       [](B* b) {
         return Clz(I(b, "x", {1, 255, 0, -1}));
       },
       "s32[4] [31, 24, 32, 0]"},
      {"cosine", "Of 0, 1 and pi.",
       [](B* b) {
         return Cos(F(b, "x", {0, 1, 3.14159265f}));
       },
       "f32[3] [1, 0.5403, -1]"},
      {"erf", "The error function: an S from -1 to 1.",
       [](B* b) {
         return Erf(F(b, "x", {-10, -0.5f, 0, 1}));
       },
       "f32[4] [-1, -0.5205, 0, 0.8427]"},
      {"exponential", "e to the power of x.",
       [](B* b) {
         return Exp(F(b, "x", {0, 1, -1, 100}));
       },
       "f32[4] [1, 2.7183, 0.36788, inf]"},
      {"exponential-minus-one", "Keeps its digits near zero, where exp(x) - 1 loses them.",
       [](B* b) {
         return Expm1(F(b, "x", {1e-6f, 1, -20}));
       },
       "f32[3] [1e-06, 1.7183, -1]"},
      {"floor", "The nearest whole number that is not above.",
       [](B* b) {
         return Floor(F(b, "x", {1.8f, -1.2f, 3}));
       },
       "f32[3] [1, -2, 3]"},
      {"imag", "The imaginary part.",
       [](B* b) {
         return Imag(ConstantR1<std::complex<float>>(b, {{1, 2}, {3, -4}}));
       },
       "f32[2] [2, -4]"},
      {"is-finite", "Neither an infinity nor a NaN.",
       [](B* b) {
         return IsFinite(F(b, "x", {1, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}));
       },
       "pred[3] [true, false, false]"},
      {"log", "Natural logarithms; of a negative number there is none.",
       [](B* b) {
         return Log(F(b, "x", {1, 10, 0, -1}));
       },
       "f32[4] [0, 2.3026, -inf, nan]"},
      {"log-plus-one", "Keeps its digits near zero, where log(1 + x) loses them.",
       [](B* b) {
         return Log1p(F(b, "x", {1e-6f, 1, -1}));
       },
       "f32[3] [1e-06, 0.69315, -inf]"},
      {"logistic", "1 / (1 + exp(-x)): an S from 0 to 1.",
       [](B* b) {
         return Logistic(F(b, "x", {-100, -1, 0, 1}));
       },
       "f32[4] [3.7835e-44, 0.26894, 0.5, 0.73106]"},
      {"negate", "Changes the sign, of zero too.",
       [](B* b) {
         return Neg(F(b, "x", {1, -2, 0}));
       },
       "f32[3] [-1, 2, -0]"},
      {"not", "Every bit turned over.",
       [](B* b) {
         return Not(I(b, "x", {0, 5, -1}));
       },
       "s32[3] [-1, -6, 0]"},
      {"popcnt", "How many bits are one.",
       [](B* b) {
         return PopulationCount(I(b, "x", {0, 255, -1}));
       },
       "s32[3] [0, 8, 32]"},
      {"real", "The real part.",
       [](B* b) {
         return Real(ConstantR1<std::complex<float>>(b, {{1, 2}, {3, -4}}));
       },
       "f32[2] [1, 3]"},
      {"round-nearest-afz", "Halves go away from zero.",
       [](B* b) {
         return Round(F(b, "x", {0.5f, 1.5f, 2.5f, -2.5f}));
       },
       "f32[4] [1, 2, 3, -3]"},
      {"round-nearest-even", "Halves go to the even neighbour.",
       [](B* b) {
         return RoundNearestEven(F(b, "x", {0.5f, 1.5f, 2.5f, -2.5f}));
       },
       "f32[4] [0, 2, 2, -2]"},
      {"rsqrt", "One over the square root.",
       [](B* b) {
         return Rsqrt(F(b, "x", {4, 0.25f, 0}));
       },
       "f32[3] [0.5, 2, inf]"},
      {"sign", "-1, 0 or 1; both zeros and NaN stay.",
       [](B* b) {
         return Sign(F(b, "x", {-5, -0.0f, 3, std::numeric_limits<float>::quiet_NaN()}));
       },
       "f32[4] [-1, -0, 1, nan]"},
      {"sine", "Of 0, 1 and pi / 2.",
       [](B* b) {
         return Sin(F(b, "x", {0, 1, 1.57079633f}));
       },
       "f32[3] [0, 0.84147, 1]"},
      {"sqrt", "Square roots; of a negative number there is none.",
       [](B* b) {
         return Sqrt(F(b, "x", {9, 2, -1}));
       },
       "f32[3] [3, 1.4142, nan]"},
      {"tan", "Of 0, 1 and pi / 4.",
       [](B* b) {
         return Tan(F(b, "x", {0, 1, 0.785398163f}));
       },
       "f32[3] [0, 1.5574, 1]"},
      {"tanh", "An S from -1 to 1.",
       [](B* b) {
         return Tanh(F(b, "x", {-20, 0, 0.5f}));
       },
       "f32[3] [-1, 0, 0.46212]"},
      {"acos", "Angles from 0 to pi.",
       [](B* b) {
         return Acos(F(b, "x", {1, 0, -1, 2}));
       },
       "f32[4] [0, 1.5708, 3.1416, nan]"},
      {"acosh", "The inverse of cosh, from 1 on.",
       [](B* b) {
         return Acosh(F(b, "x", {1, 10, 0.5f}));
       },
       "f32[3] [0, 2.9932, nan]"},
      {"asin", "Angles from -pi/2 to pi/2.",
       [](B* b) {
         return Asin(F(b, "x", {1, 0.5f, -1}));
       },
       "f32[3] [1.5708, 0.5236, -1.5708]"},
      {"asinh", "The inverse of sinh.",
       [](B* b) {
         return Asinh(F(b, "x", {0, 1, -10}));
       },
       "f32[3] [0, 0.88137, -2.9982]"},
      {"atanh", "The inverse of tanh, between -1 and 1.",
       [](B* b) {
         return Atanh(F(b, "x", {0, 0.5f, 1}));
       },
       "f32[3] [0, 0.54931, inf]"},
      {"cosh", "The catenary.",
       [](B* b) {
         return Cosh(F(b, "x", {0, 1, -1}));
       },
       "f32[3] [1, 1.5431, 1.5431]"},
      {"sinh", "The odd part of exp.",
       [](B* b) {
         return Sinh(F(b, "x", {0, 1, -1}));
       },
       "f32[3] [0, 1.1752, -1.1752]"},
      {"clamp", "Between two scalars.",
       [](B* b) {
         Op lo = I(b, "low", 0), x = I(b, "x", {-1, 5, 9}), hi = I(b, "high", 6);
         return Clamp(lo, x, hi);
       },
       "s32[3] [0, 5, 6]"},
      {"select", "Element by element from one arm or the other; only the chosen one is read.",
       [](B* b) {
         Op p = P(b, "pred", {true, false, false, true}), t = I(b, "on_true", {1, 2, 3, 4}), f = I(b, "on_false", {100, 200, 300, 400});
         return Select(p, t, f);
       },
       "s32[4] [1, 200, 300, 4]"},
      {"convert", "To integers: towards zero, saturating, NaN to 0.",
       [](B* b) {
         return ConvertElementType(F(b, "x", {1.9f, -1.9f, 1e10f, std::numeric_limits<float>::quiet_NaN()}), S32);
       },
       "s32[4] [1, -1, 2147483647, 0]"},
      {"bitcast-convert", "The bits of a float, and the halves of a 32-bit word as a new last dimension.",
       [](B* b) {
         Op x = F(b, "x", {1, -0.0f});
         Op w = BitcastConvertType(x, U32), h = BitcastConvertType(x, U16);
         return Tuple(b, {w, h});
       },
       "(u32[2], u16[2,2]) ([1065353216, 2147483648],\n [[0, 16256],\n [0, 32768]])"},
      {"reduce-precision", "To the bits of bf16: 8 of exponent, 7 of mantissa.",
       [](B* b) {
         return ReducePrecision(F(b, "x", {1, 1.001f, 3.14159274f}), 8, 7);
       },
       "f32[3] [1, 1, 3.1406]"},
      {"stochastic-convert", "Rounds up or down as the random bits say: the same number twice, with small and with large bits.",
       [](B* b) {
         Op x = F(b, "x", {1.001f, 1.001f});
         Op r = ConstantR1<uint32_t>(b, {0, 0xffffffffu}).Named("bits");
         return StochasticConvert(x, r, BF16);
       },
       "bf16[2] [1.0078, 1]"},
      {"copy", "The same value in a buffer of its own.",
       [](B* b) {
         return Copy(I(b, "x", {1, 2, 3}));
       },
       "s32[3] [1, 2, 3]"},
  };
}

}  // namespace hloscope
