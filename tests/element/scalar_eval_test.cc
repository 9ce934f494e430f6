// Scalar operations: the edges that the specification names.
#include "core/element/scalar_eval.h"

#include <cmath>

#include "core/element/interpret.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

Scalar Eval(ScalarOp op, const Scalar& a, const Scalar& b) {
  const Scalar in[] = {a, b};
  return EvalScalarOp(op, ResultType(op, a.type), 0, in);
}
Scalar Eval(ScalarOp op, const Scalar& a) {
  const Scalar in[] = {a};
  return EvalScalarOp(op, ResultType(op, a.type), 0, in);
}
Scalar S32(int64_t v) { return Scalar::Int(ElementType::kS32, v); }
Scalar U8(int64_t v) { return Scalar::Int(ElementType::kU8, v); }
Scalar S64(int64_t v) { return Scalar::Int(ElementType::kS64, v); }
Scalar F(double v) { return Scalar::Float(ElementType::kF32, v); }
Scalar P(bool v) { return Scalar::Int(ElementType::kPred, v); }
Scalar C(double re, double im) { return Scalar::Complex(ElementType::kC64, {re, im}); }

TEST(ScalarEval, IntegerDivision) {
  EXPECT_EQ(Eval(ScalarOp::kDivide, S32(7), S32(-2)).i, -3);
  EXPECT_EQ(Eval(ScalarOp::kDivide, S32(7), S32(0)).i, -1);
  EXPECT_EQ(Eval(ScalarOp::kDivide, U8(7), U8(0)).i, 255);
  EXPECT_EQ(Eval(ScalarOp::kDivide, S32(INT32_MIN), S32(-1)).i, INT32_MIN);
  EXPECT_EQ(Eval(ScalarOp::kDivide, S64(INT64_MIN), S64(-1)).i, INT64_MIN);
  EXPECT_EQ(Eval(ScalarOp::kRemainder, S32(-7), S32(2)).i, -1);
  EXPECT_EQ(Eval(ScalarOp::kRemainder, S32(7), S32(0)).i, 7);
  EXPECT_EQ(Eval(ScalarOp::kRemainder, S64(INT64_MIN), S64(-1)).i, 0);
  EXPECT_EQ(Eval(ScalarOp::kDivide, U8(200), U8(3)).i, 66);
}

TEST(ScalarEval, ShiftsAndBits) {
  EXPECT_EQ(Eval(ScalarOp::kShiftLeft, S32(1), S32(31)).i, INT32_MIN);
  EXPECT_EQ(Eval(ScalarOp::kShiftLeft, S32(1), S32(32)).i, 0);
  EXPECT_EQ(Eval(ScalarOp::kShiftLeft, S32(1), S32(-1)).i, 0);
  EXPECT_EQ(Eval(ScalarOp::kShiftRightLogical, S32(-1), S32(28)).i, 15);
  EXPECT_EQ(Eval(ScalarOp::kShiftRightLogical, S32(-1), S32(32)).i, 0);
  EXPECT_EQ(Eval(ScalarOp::kShiftRightArithmetic, S32(-8), S32(1)).i, -4);
  EXPECT_EQ(Eval(ScalarOp::kShiftRightArithmetic, S32(-8), S32(99)).i, -1);
  EXPECT_EQ(Eval(ScalarOp::kShiftRightArithmetic, S32(8), S32(99)).i, 0);
  EXPECT_EQ(Eval(ScalarOp::kCountLeadingZeros, S32(1)).i, 31);
  EXPECT_EQ(Eval(ScalarOp::kCountLeadingZeros, U8(0)).i, 8);
  EXPECT_EQ(Eval(ScalarOp::kPopulationCount, S32(-1)).i, 32);
  EXPECT_EQ(Eval(ScalarOp::kNot, U8(1)).i, 254);
  EXPECT_EQ(Eval(ScalarOp::kNot, P(true)).i, 0);
  EXPECT_EQ(Eval(ScalarOp::kAdd, P(true), P(true)).i, 1);
  EXPECT_EQ(Eval(ScalarOp::kMulhi, Scalar::Int(ElementType::kU32, 0xffffffff), Scalar::Int(ElementType::kU32, 0xffffffff)).i, 0xfffffffe);
  EXPECT_EQ(Eval(ScalarOp::kMulhi, S64(INT64_MIN), S64(2)).i, -1);
  EXPECT_EQ(Eval(ScalarOp::kPower, S32(3), S32(4)).i, 81);
  EXPECT_EQ(Eval(ScalarOp::kPower, S32(-1), S32(-3)).i, -1);
  EXPECT_EQ(Eval(ScalarOp::kPower, S32(2), S32(-1)).i, 0);
  EXPECT_EQ(Eval(ScalarOp::kFloorDiv, S64(-7), S64(2)).i, -4);
  EXPECT_EQ(Eval(ScalarOp::kMod, S64(-7), S64(4)).i, 1);
}

TEST(ScalarEval, FloatEdges) {
  EXPECT_TRUE(std::isnan(Eval(ScalarOp::kMaximum, F(1), F(NAN)).re));
  EXPECT_TRUE(std::isnan(Eval(ScalarOp::kMinimum, F(NAN), F(1)).re));
  EXPECT_FALSE(std::signbit(Eval(ScalarOp::kMaximum, F(-0.0), F(0)).re));
  EXPECT_FALSE(std::signbit(Eval(ScalarOp::kMaximum, F(0), F(-0.0)).re));
  EXPECT_TRUE(std::signbit(Eval(ScalarOp::kMinimum, F(0), F(-0.0)).re));
  EXPECT_TRUE(std::signbit(Eval(ScalarOp::kSign, F(-0.0)).re));
  EXPECT_TRUE(std::isnan(Eval(ScalarOp::kSign, F(NAN)).re));
  EXPECT_EQ(Eval(ScalarOp::kSign, F(-3)).re, -1);
  EXPECT_EQ(Eval(ScalarOp::kRoundNearestAfz, F(2.5)).re, 3);
  EXPECT_EQ(Eval(ScalarOp::kRoundNearestEven, F(2.5)).re, 2);
  EXPECT_EQ(Eval(ScalarOp::kRoundNearestAfz, F(-2.5)).re, -3);
  EXPECT_EQ(Eval(ScalarOp::kRemainder, F(-5.5), F(2)).re, -1.5);
  EXPECT_EQ(Eval(ScalarOp::kImag, F(3)).re, 0);
  EXPECT_EQ(Eval(ScalarOp::kIsFinite, F(INFINITY)).i, 0);
  EXPECT_EQ(Eval(ScalarOp::kLogistic, F(-200)).re, 0);
  EXPECT_EQ(Eval(ScalarOp::kLogistic, F(0)).re, 0.5);
  EXPECT_EQ(Eval(ScalarOp::kExpm1, F(1e-10)).re, F(1e-10).re);
  // One rounding: 1 + 2^-8 + 2^-30 in bf16 is above the tie.
  const auto bf = [](double v) { return Scalar::Float(ElementType::kBF16, v); };
  EXPECT_EQ(Eval(ScalarOp::kAdd, bf(1 + std::ldexp(1, -7)), bf(std::ldexp(1, -8))).re, 1 + std::ldexp(1, -6));
  EXPECT_EQ(Eval(ScalarOp::kAdd, bf(1), bf(std::ldexp(1, -8))).re, 1);
}

TEST(ScalarEval, TotalOrder) {
  const double order[] = {-NAN, -INFINITY, -2, -0.0, 0.0, 2, INFINITY, NAN};
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      EXPECT_EQ(Eval(ScalarOp::kLtTotal, F(order[i]), F(order[j])).i, i < j) << i << " " << j;
      EXPECT_EQ(Eval(ScalarOp::kEqTotal, F(order[i]), F(order[j])).i, i == j) << i << " " << j;
    }
  }
  EXPECT_EQ(Eval(ScalarOp::kEq, F(0), F(-0.0)).i, 1);
  EXPECT_EQ(Eval(ScalarOp::kNe, F(NAN), F(NAN)).i, 1);
  EXPECT_EQ(Eval(ScalarOp::kGt, U8(200), U8(100)).i, 1);
  EXPECT_EQ(Eval(ScalarOp::kLt, Scalar::Int(ElementType::kU64, -1), Scalar::Int(ElementType::kU64, 1)).i, 0);
}

TEST(ScalarEval, Complex) {
  EXPECT_EQ(Eval(ScalarOp::kMultiply, C(1, 2), C(3, -1)).c(), std::complex<double>(5, 5));
  EXPECT_EQ(Eval(ScalarOp::kAbs, C(3, 4)).re, 5);
  EXPECT_EQ(Eval(ScalarOp::kAbs, C(3, 4)).type, ElementType::kF32);
  EXPECT_EQ(Eval(ScalarOp::kReal, C(3, 4)).re, 3);
  EXPECT_EQ(Eval(ScalarOp::kImag, C(3, 4)).re, 4);
  EXPECT_EQ(Eval(ScalarOp::kComplex, F(1), F(2)).c(), std::complex<double>(1, 2));
  EXPECT_EQ(Eval(ScalarOp::kEq, C(1, 2), C(1, 2)).i, 1);
  EXPECT_EQ(Eval(ScalarOp::kNe, C(1, 2), C(1, 3)).i, 1);
  EXPECT_EQ(Eval(ScalarOp::kDivide, C(5, 5), C(3, -1)).c(), std::complex<double>(1, 2));
  EXPECT_EQ(Eval(ScalarOp::kSign, C(0, 0)).c(), std::complex<double>(0, 0));
}

TEST(ScalarEval, ReducePrecision) {
  const auto reduce = [](double v, int e, int m) {
    const Scalar in[] = {F(v)};
    return EvalScalarOp(ScalarOp::kReducePrecision, ElementType::kF32, e << 8 | m, in).re;
  };
  EXPECT_EQ(reduce(1.0 + std::ldexp(1, -11), 5, 10), 1);  // a tie goes to even
  EXPECT_EQ(reduce(1.0 + std::ldexp(3, -11), 5, 10), 1.0 + std::ldexp(4, -11));
  EXPECT_EQ(reduce(65504, 5, 10), 65504);
  EXPECT_TRUE(std::isinf(reduce(65520, 5, 10)));
  EXPECT_EQ(reduce(std::ldexp(1, -14), 5, 10), std::ldexp(1, -14));
  EXPECT_EQ(reduce(std::ldexp(1, -15), 5, 10), 0);
  EXPECT_TRUE(std::signbit(reduce(-std::ldexp(1, -20), 5, 10)));
  EXPECT_TRUE(std::isnan(reduce(NAN, 2, 0)));
  EXPECT_EQ(reduce(3.14159, 8, 23), F(3.14159).re);
  EXPECT_EQ(reduce(3.14159, 11, 52), F(3.14159).re);
}

TEST(ScalarEval, Bitcast) {
  const Scalar one[] = {F(1)};
  EXPECT_EQ(EvalScalarOp(ScalarOp::kBitcast, ElementType::kS32, 0, one).i, 0x3f800000);
  const Scalar bits[] = {Scalar::Int(ElementType::kU16, 0x3f80)};
  EXPECT_EQ(EvalScalarOp(ScalarOp::kBitcast, ElementType::kBF16, 0, bits).re, 1);
  const Scalar negative[] = {Scalar::Int(ElementType::kS8, -1)};
  EXPECT_EQ(EvalScalarOp(ScalarOp::kBitcast, ElementType::kU8, 0, negative).i, 255);
}

TEST(ScalarEval, FunctionsOfF64AreRoundedFromMore) {
  const Scalar x = Scalar::Float(ElementType::kF64, 0.7);
  EXPECT_EQ(Eval(ScalarOp::kExp, x).re, static_cast<double>(std::exp(static_cast<long double>(0.7))));
  EXPECT_EQ(FunctionUlp(ScalarOp::kAdd, ElementType::kF32), 0);
  EXPECT_EQ(FunctionUlp(ScalarOp::kSqrt, ElementType::kF32), 0);
  EXPECT_GT(FunctionUlp(ScalarOp::kExp, ElementType::kF32), 0);
  EXPECT_EQ(FunctionUlp(ScalarOp::kPower, ElementType::kS32), 0);
}

}  // namespace
}  // namespace hloscope
