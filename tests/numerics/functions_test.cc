// ArgumentSamples of every function against MPFR, in both backends: the limits of core/element/functions.h hold.
#include "core/element/functions.h"

#include <cmath>
#include <string>

#include "gtest/gtest.h"
#include "tests/numerics/exact_math.h"
#include "tests/numerics/native.h"
#include "tests/numerics/samples.h"

namespace hloscope {
namespace {

using T = ElementType;

const ScalarOp kReal[] = {ScalarOp::kExp,  ScalarOp::kExpm1, ScalarOp::kLog,   ScalarOp::kLog1p, ScalarOp::kLogistic, ScalarOp::kSqrt,
                          ScalarOp::kRsqrt, ScalarOp::kCbrt, ScalarOp::kSin,   ScalarOp::kCos,   ScalarOp::kTan,      ScalarOp::kTanh,
                          ScalarOp::kErf,  ScalarOp::kAsin,  ScalarOp::kAcos,  ScalarOp::kSinh,  ScalarOp::kCosh,     ScalarOp::kAsinh,
                          ScalarOp::kAcosh, ScalarOp::kAtanh, ScalarOp::kPower, ScalarOp::kAtan2};

std::string Text(ScalarOp op, T type) { return std::string(Name(op).data(), Name(op).size()) + " of " + std::string(Name(type).data(), Name(type).size()); }

// Edges first, then samples; both orders of pairs of edges for binary functions.
void Fill(ArgumentSamples& samples, T type, bool binary, Value& a, Value& b) {
  const auto& edges = samples.edges();
  for (int64_t i = 0; i < a.element_count(); ++i) {
    const bool edge = !binary && i < static_cast<int64_t>(edges.size());
    Set(a, i, Scalar::Float(type, edge ? edges[i] : samples.Any()));
    Set(b, i, Scalar::Float(type, samples.Any()));
  }
}

TEST(Functions, RealsAreWithinTwoUlp) {
  for (T type : {T::kF64, T::kF32}) {
    for (ScalarOp op : kReal) {
      const bool binary = Arity(op) == 2;
      const int64_t n = 600;
      ArgumentSamples samples(type, 11 + static_cast<int>(op));
      Value a = Value::Allocate(Shape::Array(type, {n})), b = Value::Allocate(Shape::Array(type, {n}));
      Fill(samples, type, binary, a, b);
      const ArrayOp ops[] = {Plain(op, type)};
      const Native code(ops, type, n, binary ? 2 : 1);
      std::vector<Value> in = {a};
      if (binary) in.push_back(b);
      const Value native = code.Run(in)[0], interpreted = code.Interpret(in)[0];
      for (int64_t i = 0; i < n; ++i) {
        const double x = At(a, i).re, y = At(b, i).re;
        EXPECT_LE(RealErrorUlp(op, type, x, y, At(native, i).re), 2) << Text(op, type) << " natively of " << x << ", " << y << ": " << At(native, i).re;
        EXPECT_LE(RealErrorUlp(op, type, x, y, At(interpreted, i).re), 2) << Text(op, type) << " of " << x << ", " << y << ": " << At(interpreted, i).re;
        // What is no vector code is one function in both.
        if (FunctionUlp(op, type) == 0 && !std::isnan(At(native, i).re)) {
          EXPECT_EQ(At(native, i).re, At(interpreted, i).re) << Text(op, type) << " " << x;
        }
      }
    }
  }
}

// Every argument of the 16-bit types for a few functions a run would notice; ulp_table does all.
TEST(Functions, NarrowTypesAreCorrectlyRoundedInNearlyAllCases) {
  for (T type : {T::kF16, T::kBF16}) {
    for (ScalarOp op : {ScalarOp::kExp, ScalarOp::kTanh, ScalarOp::kSin, ScalarOp::kLogistic}) {
      const int64_t n = 65536;
      Value a = Value::Allocate(Shape::Array(type, {n}));
      for (int64_t i = 0; i < n; ++i) a.mutable_as<uint16_t>()[i] = static_cast<uint16_t>(i);
      const ArrayOp ops[] = {Plain(op, type)};
      const Native code(ops, type, n, 1);
      const Value native = code.Run({a})[0];
      int wrong = 0;
      for (int64_t i = 0; i < n; i += 7) {
        const double x = At(a, i).re;
        if (!std::isfinite(x)) continue;
        const double want = ExactRounded(op, type, x, 0), got = At(native, i).re;
        if (got == want) continue;
        ++wrong;
        EXPECT_LE(std::fabs(got - want), UlpAt(type, want)) << Text(op, type) << " of " << x;
      }
      EXPECT_LE(wrong, 5) << Text(op, type);
    }
  }
  // The narrowest types have no room for a second rounding to show.
  for (T type : {T::kF8E4M3FN, T::kF8E5M2, T::kF8E3M4, T::kF4E2M1FN, T::kF8E4M3FNUZ}) {
    for (ScalarOp op : kReal) {
      if (Arity(op) == 2) continue;
      for (int code = 0; code < (1 << BitWidth(type)); ++code) {
        const double x = DecodeFloat(type, code);
        if (!std::isfinite(x)) continue;
        const Scalar in[] = {Scalar::Float(type, x)};
        const Scalar got = EvalScalarOp(op, type, 0, in);
        const double want = ExactRounded(op, type, x, 0);
        if (std::isnan(got.re) && std::isnan(want)) continue;
        EXPECT_EQ(EncodeFloat(type, got.re), EncodeFloat(type, want)) << Text(op, type) << " of " << x;
      }
    }
  }
}

TEST(Functions, OfRealSpecialValues) {
  const double inf = INFINITY;
  struct Case {
    ScalarOp op;
    double x, y, want;
  };
  const Case cases[] = {
      {ScalarOp::kExp, inf, 0, inf},           {ScalarOp::kExp, -inf, 0, 0},            {ScalarOp::kExpm1, -inf, 0, -1},
      {ScalarOp::kExpm1, -0.0, 0, -0.0},       {ScalarOp::kLog, 0, 0, -inf},            {ScalarOp::kLog, -0.0, 0, -inf},
      {ScalarOp::kLog, -1, 0, NAN},            {ScalarOp::kLog, inf, 0, inf},           {ScalarOp::kLog1p, -1, 0, -inf},
      {ScalarOp::kLog1p, -2, 0, NAN},          {ScalarOp::kLog1p, -0.0, 0, -0.0},       {ScalarOp::kLogistic, inf, 0, 1},
      {ScalarOp::kLogistic, -inf, 0, 0},       {ScalarOp::kSqrt, -0.0, 0, -0.0},        {ScalarOp::kSqrt, -1, 0, NAN},
      {ScalarOp::kRsqrt, 0, 0, inf},           {ScalarOp::kRsqrt, -0.0, 0, -inf},       {ScalarOp::kRsqrt, inf, 0, 0},
      {ScalarOp::kCbrt, -0.0, 0, -0.0},        {ScalarOp::kCbrt, -inf, 0, -inf},        {ScalarOp::kCbrt, -27, 0, -3},
      {ScalarOp::kSin, inf, 0, NAN},           {ScalarOp::kSin, -0.0, 0, -0.0},         {ScalarOp::kCos, -inf, 0, NAN},
      {ScalarOp::kTan, -0.0, 0, -0.0},         {ScalarOp::kTanh, inf, 0, 1},            {ScalarOp::kTanh, -inf, 0, -1},
      {ScalarOp::kTanh, -0.0, 0, -0.0},        {ScalarOp::kErf, -inf, 0, -1},           {ScalarOp::kErf, -0.0, 0, -0.0},
      {ScalarOp::kAsin, 2, 0, NAN},            {ScalarOp::kAcos, -2, 0, NAN},           {ScalarOp::kAcos, 1, 0, 0},
      {ScalarOp::kAcosh, 0.5, 0, NAN},         {ScalarOp::kAcosh, 1, 0, 0},             {ScalarOp::kAsinh, -inf, 0, -inf},
      {ScalarOp::kAtanh, 1, 0, inf},           {ScalarOp::kAtanh, -1, 0, -inf},         {ScalarOp::kAtanh, 2, 0, NAN},
      {ScalarOp::kCosh, -inf, 0, inf},         {ScalarOp::kSinh, -0.0, 0, -0.0},        {ScalarOp::kPower, 0, 0, 1},
      {ScalarOp::kPower, NAN, 0, 1},           {ScalarOp::kPower, 1, NAN, 1},           {ScalarOp::kPower, -1, inf, 1},
      {ScalarOp::kPower, -8, 1.0 / 3, NAN},    {ScalarOp::kPower, -0.0, -1, -inf},      {ScalarOp::kPower, -2, 3, -8},
      {ScalarOp::kPower, 0.5, -inf, inf},      {ScalarOp::kAtan2, -0.0, 0, -0.0},       {ScalarOp::kAtan2, 0, inf, 0},
      {ScalarOp::kRemainder, 5, inf, 5},       {ScalarOp::kRemainder, -0.0, 3, -0.0},   {ScalarOp::kRemainder, inf, 3, NAN},
      {ScalarOp::kRemainder, 3, 0, NAN},       {ScalarOp::kRemainder, -7.5, 2, -1.5},   {ScalarOp::kRemainder, 7.5, -2, 1.5},
  };
  for (T type : {T::kF32, T::kF64, T::kF16, T::kBF16}) {
    for (const Case& c : cases) {
      const int64_t n = 32;  // a vector, and its rest
      Value a = Value::Allocate(Shape::Array(type, {n + 1})), b = Value::Allocate(Shape::Array(type, {n + 1}));
      for (int64_t i = 0; i <= n; ++i) Set(a, i, Scalar::Float(type, c.x)), Set(b, i, Scalar::Float(type, c.y));
      const ArrayOp ops[] = {Plain(c.op, type)};
      const bool binary = Arity(c.op) == 2;
      const Native code(ops, type, n + 1, binary ? 2 : 1);
      const std::vector<Value> in = binary ? std::vector<Value>{a, b} : std::vector<Value>{a};
      for (const Value& v : {code.Run(in)[0], code.Interpret(in)[0]}) {
        for (int64_t i : {int64_t{0}, n}) {
          const double got = At(v, i).re;
          const bool same = std::isnan(c.want) ? std::isnan(got) : got == c.want && std::signbit(got) == std::signbit(c.want);
          EXPECT_TRUE(same) << Text(c.op, type) << " of " << c.x << ", " << c.y << " is " << got;
        }
      }
    }
  }
}

TEST(Functions, TheQuadrantsOfAtan2) {
  const double pi = 3.14159265358979323846;
  const auto atan2 = [](double y, double x) {
    const Scalar in[] = {Scalar::Float(T::kF64, y), Scalar::Float(T::kF64, x)};
    return EvalScalarOp(ScalarOp::kAtan2, T::kF64, 0, in).re;
  };
  EXPECT_EQ(atan2(1, 1), pi / 4);
  EXPECT_EQ(atan2(1, -1), 3 * pi / 4);
  EXPECT_EQ(atan2(-1, -1), -3 * pi / 4);
  EXPECT_EQ(atan2(-1, 1), -pi / 4);
  EXPECT_EQ(atan2(0, -1), pi);
  EXPECT_EQ(atan2(-0.0, -1), -pi);
  EXPECT_EQ(atan2(0, -0.0), pi);
  EXPECT_EQ(atan2(-0.0, -0.0), -pi);
  EXPECT_EQ(atan2(1, 0), pi / 2);
  EXPECT_EQ(atan2(-1, -0.0), -pi / 2);
  EXPECT_EQ(atan2(INFINITY, INFINITY), pi / 4);
  EXPECT_EQ(atan2(INFINITY, -INFINITY), 3 * pi / 4);
  EXPECT_EQ(atan2(1, -INFINITY), pi);
  EXPECT_TRUE(std::isnan(atan2(NAN, 1)));
}

}  // namespace
}  // namespace hloscope
