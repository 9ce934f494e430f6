// Complex functions: samples against MPFR, branch cuts, special values, results that only a careless formula would overflow on.
#include <cmath>
#include <string>

#include "gtest/gtest.h"
#include "tests/numerics/exact_math.h"
#include "tests/numerics/native.h"
#include "tests/numerics/samples.h"

namespace hloscope {
namespace {

using T = ElementType;
using C = std::complex<double>;

const ScalarOp kFunctions[] = {ScalarOp::kAbs,  ScalarOp::kSign,  ScalarOp::kDivide, ScalarOp::kExp,   ScalarOp::kExpm1, ScalarOp::kLog,
                               ScalarOp::kLog1p, ScalarOp::kLogistic, ScalarOp::kSqrt, ScalarOp::kRsqrt, ScalarOp::kCbrt, ScalarOp::kSin,
                               ScalarOp::kCos,  ScalarOp::kTan,   ScalarOp::kTanh,   ScalarOp::kAsin,  ScalarOp::kAcos,  ScalarOp::kSinh,
                               ScalarOp::kCosh, ScalarOp::kAsinh, ScalarOp::kAcosh,  ScalarOp::kAtanh, ScalarOp::kPower, ScalarOp::kAtan2};

Scalar Eval(ScalarOp op, T type, C a, C b = 0) {
  const Scalar in[] = {Scalar::Complex(type, a), Scalar::Complex(type, b)};
  return EvalScalarOp(op, ResultType(op, type), 0, absl::MakeConstSpan(in, Arity(op)));
}

TEST(ComplexFunctions, AreWithinFourUlpOfTheMagnitude) {
  for (T type : {T::kC64, T::kC128}) {
    for (ScalarOp op : kFunctions) {
      ArgumentSamples samples(type, 5 + static_cast<int>(op));
      for (int i = 0; i < 150; ++i) {
        C a = samples.AnyComplex(), b = samples.AnyComplex();
        // Exponentials of larger parts leave every range.
        a = {std::fabs(a.real()) > 1e4 ? 1.5 : a.real(), std::fabs(a.imag()) > 1e4 ? -2.5 : a.imag()};
        if (a == 0.0) a = {0.25, -3};
        if (b == 0.0) b = {-2, 1};
        // Off the cuts: on them the formula's own signs of zero decide.
        if (op == ScalarOp::kAtan2 && (a.real() == 0 || a.imag() == 0 || b.real() == 0 || b.imag() == 0)) continue;
        if (op == ScalarOp::kPower) {
          const C w = b * std::log(a);
          if (!(std::abs(w) < 1e8) || std::fabs(w.real()) > 1e4) b = {samples.Unit() * 5, samples.Unit() * 5};
        }
        const Scalar in[] = {Scalar::Complex(type, a), Scalar::Complex(type, b)};
        const Scalar got = EvalScalarOp(op, ResultType(op, type), 0, absl::MakeConstSpan(in, Arity(op)));
        EXPECT_LE(ComplexErrorUlp(op, type, in[0].c(), in[1].c(), got.c()), 4)
            << Name(op) << " " << Name(type) << " of " << in[0].c() << ", " << in[1].c() << " is " << got.c();
      }
    }
  }
}

// Native code calls the same functions: not a bit differs, but for what a NaN carries.
TEST(ComplexFunctions, AreTheSameNatively) {
  for (T type : {T::kC64, T::kC128}) {
    for (ScalarOp op : kFunctions) {
      const int64_t n = 100;
      ArgumentSamples samples(type, 500 + static_cast<int>(op));
      Value a = Value::Allocate(Shape::Array(type, {n})), b = Value::Allocate(Shape::Array(type, {n}));
      const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1.0};
      for (int64_t i = 0; i < n; ++i) {
        Set(a, i, Scalar::Complex(type, i < 36 ? C(special[i / 6], special[i % 6]) : samples.AnyComplex()));
        Set(b, i, Scalar::Complex(type, samples.AnyComplex()));
      }
      const ArrayOp ops[] = {Plain(op, type)};
      const Native code(ops, type, n, Arity(op));
      std::vector<Value> in = {a};
      if (Arity(op) == 2) in.push_back(b);
      const Value native = code.Run(in)[0], interpreted = code.Interpret(in)[0];
      for (int64_t i = 0; i < n; ++i) {
        const Scalar x = At(native, i), y = At(interpreted, i);
        const auto same = [](double p, double q) { return std::isnan(p) ? std::isnan(q) : p == q && std::signbit(p) == std::signbit(q); };
        EXPECT_TRUE(same(x.re, y.re) && same(x.im, y.im)) << Name(op) << " of " << At(a, i).c() << ": " << x.c() << " and " << y.c();
      }
    }
  }
}

TEST(ComplexFunctions, DoNotOverflowOnTheWay) {
  for (T type : {T::kC64, T::kC128}) {
    const double big = type == T::kC64 ? 0x1p126 : 0x1p1022, tiny = type == T::kC64 ? 0x1p-140 : 0x1p-1060;
    EXPECT_EQ(Eval(ScalarOp::kAbs, type, {3 * big / 4, big}).re, 1.25 * big);
    EXPECT_EQ(Eval(ScalarOp::kAbs, type, {3 * tiny, 4 * tiny}).re, 5 * tiny);
    EXPECT_EQ(Eval(ScalarOp::kDivide, type, {big, big}, {big, big}).c(), C(1, 0));
    EXPECT_EQ(Eval(ScalarOp::kDivide, type, {tiny, 0}, {tiny, tiny}).c(), C(0.5, -0.5));
    EXPECT_NEAR(Eval(ScalarOp::kSign, type, {big, big}).re, std::sqrt(0.5), 1e-6);
    const Scalar root = Eval(ScalarOp::kSqrt, type, {big, big});
    EXPECT_TRUE(std::isfinite(root.re) && root.re > 0);
    EXPECT_TRUE(std::isfinite(Eval(ScalarOp::kLog, type, {big, big}).re));
    EXPECT_EQ(Eval(ScalarOp::kTanh, type, {1000, 1}).re, 1);
    EXPECT_EQ(Eval(ScalarOp::kTan, type, {1, 1000}).im, 1);
    EXPECT_EQ(Eval(ScalarOp::kLogistic, type, {-1e5, 3}).re, 0);
    EXPECT_EQ(Eval(ScalarOp::kLogistic, type, {1e5, 3}).re, 1);
  }
}

TEST(ComplexFunctions, SignedZeroChoosesTheSideOfACut) {
  const T type = T::kC128;
  const double pi = 3.14159265358979323846;
  EXPECT_EQ(Eval(ScalarOp::kLog, type, {-1, 0.0}).im, pi);
  EXPECT_EQ(Eval(ScalarOp::kLog, type, {-1, -0.0}).im, -pi);
  EXPECT_EQ(Eval(ScalarOp::kLog1p, type, {-2, -0.0}).im, -pi);
  EXPECT_EQ(Eval(ScalarOp::kSqrt, type, {-4, 0.0}).im, 2);
  EXPECT_EQ(Eval(ScalarOp::kSqrt, type, {-4, -0.0}).im, -2);
  EXPECT_EQ(Eval(ScalarOp::kRsqrt, type, {-4, 0.0}).im, -0.5);
  EXPECT_GT(Eval(ScalarOp::kAsin, type, {2, 0.0}).im, 0);
  EXPECT_LT(Eval(ScalarOp::kAsin, type, {2, -0.0}).im, 0);
  EXPECT_LT(Eval(ScalarOp::kAcos, type, {2, 0.0}).im, 0);
  EXPECT_GT(Eval(ScalarOp::kAcosh, type, {-2, 0.0}).im, 0);
  EXPECT_LT(Eval(ScalarOp::kAcosh, type, {-2, -0.0}).im, 0);
  EXPECT_GT(Eval(ScalarOp::kAtanh, type, {2, 0.0}).im, 0);
  EXPECT_LT(Eval(ScalarOp::kAtanh, type, {2, -0.0}).im, 0);
  EXPECT_GT(Eval(ScalarOp::kAsinh, type, {0.0, 2}).re, 0);
  EXPECT_LT(Eval(ScalarOp::kAsinh, type, {-0.0, 2}).re, 0);
  const Scalar cbrt = Eval(ScalarOp::kCbrt, type, {-8, 0.0});
  EXPECT_NEAR(cbrt.re, 1, 1e-15);
  EXPECT_NEAR(cbrt.im, std::sqrt(3), 1e-15);
}

TEST(ComplexFunctions, SpecialValues) {
  const T type = T::kC64;
  const double inf = INFINITY;
  EXPECT_EQ(Eval(ScalarOp::kExp, type, {-inf, inf}).re, 0);
  EXPECT_EQ(Eval(ScalarOp::kExp, type, {inf, 0}).c(), C(inf, 0));
  EXPECT_EQ(Eval(ScalarOp::kExpm1, type, {-inf, NAN}).re, -1);
  EXPECT_EQ(Eval(ScalarOp::kLog, type, {0, 0}).re, -inf);
  EXPECT_EQ(Eval(ScalarOp::kLog, type, {-inf, NAN}).re, inf);
  EXPECT_EQ(Eval(ScalarOp::kAbs, type, {-inf, NAN}).re, inf);
  EXPECT_EQ(Eval(ScalarOp::kSqrt, type, {NAN, inf}).c().imag(), inf);
  EXPECT_EQ(Eval(ScalarOp::kRsqrt, type, {inf, 0}).re, 0);
  EXPECT_EQ(Eval(ScalarOp::kRsqrt, type, {0, 0}).re, inf);
  EXPECT_EQ(Eval(ScalarOp::kSign, type, {0, 0}).c(), C(0, 0));
  EXPECT_TRUE(std::isnan(Eval(ScalarOp::kSign, type, {1, NAN}).re) && std::isnan(Eval(ScalarOp::kSign, type, {1, NAN}).im));
  EXPECT_EQ(Eval(ScalarOp::kPower, type, {0, 0}, {0, 0}).c(), C(1, 0));
  EXPECT_EQ(Eval(ScalarOp::kPower, type, {0, 0}, {2, 1}).c(), C(0, 0));
  EXPECT_EQ(Eval(ScalarOp::kPower, type, {0, 0}, {-1, 0}).re, inf);
  EXPECT_EQ(Eval(ScalarOp::kPower, type, {2, 0}, {10, 0}).c(), C(1024, 0));
  EXPECT_EQ(Eval(ScalarOp::kLogistic, type, {inf, 0}).re, 1);
  EXPECT_EQ(Eval(ScalarOp::kLogistic, type, {-inf, 0}).re, 0);
  EXPECT_EQ(Eval(ScalarOp::kTanh, type, {inf, NAN}).re, 1);
}

}  // namespace
}  // namespace hloscope
