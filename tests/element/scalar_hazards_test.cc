// Which single operations go wrong, at the edges of their types.
#include "core/element/scalar_hazards.h"

#include <cmath>
#include <limits>

#include "core/element/element_trace.h"
#include "core/element/scalar_eval.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using T = ElementType;

bool Hits(ScalarHazard hazard, ScalarOp op, T to, std::vector<Scalar> in, int bits = 0, std::string* why = nullptr) {
  return Has(hazard, op, to, 0, in, EvalScalarOp(op, to, 0, in), bits, why);
}

TEST(ScalarHazards, Conversions) {
  const auto overflows = [](const Scalar& s, T to) { return Hits(ScalarHazard::kConversionOverflow, ScalarOp::kConvert, to, {s}); };
  EXPECT_FALSE(overflows(Scalar::Float(T::kF32, 65504), T::kF16));
  EXPECT_FALSE(overflows(Scalar::Float(T::kF32, 65519), T::kF16)) << "rounds to the largest f16";
  EXPECT_TRUE(overflows(Scalar::Float(T::kF32, 65520), T::kF16));
  EXPECT_TRUE(overflows(Scalar::Float(T::kF32, 3.4e38), T::kBF16)) << "rounds beyond the largest bf16";
  EXPECT_TRUE(overflows(Scalar::Float(T::kF64, -1e39), T::kF32));
  EXPECT_TRUE(overflows(Scalar::Float(T::kF32, 1000), T::kF8E4M3FN));
  EXPECT_FALSE(overflows(Scalar::Float(T::kF32, 448), T::kF8E4M3FN));
  EXPECT_FALSE(overflows(Scalar::Float(T::kF32, std::numeric_limits<double>::infinity()), T::kF16)) << "an infinity stays one";
  EXPECT_FALSE(overflows(Scalar::Float(T::kF32, 127.9), T::kS8));
  EXPECT_TRUE(overflows(Scalar::Float(T::kF32, 128), T::kS8));
  EXPECT_TRUE(overflows(Scalar::Float(T::kF32, -1), T::kU32));
  EXPECT_TRUE(overflows(Scalar::Float(T::kF32, std::numeric_limits<double>::quiet_NaN()), T::kS32));
  EXPECT_TRUE(overflows(Scalar::Int(T::kS32, 300), T::kS8));
  EXPECT_TRUE(overflows(Scalar::Int(T::kS32, -1), T::kU64));
  EXPECT_FALSE(overflows(Scalar::Int(T::kU8, 255), T::kS32));
  EXPECT_FALSE(MayHave(ScalarHazard::kConversionOverflow, ScalarOp::kConvert, T::kF32, T::kBF16)) << "widening";
  EXPECT_FALSE(MayHave(ScalarHazard::kConversionOverflow, ScalarOp::kConvert, T::kPred, T::kF32));
}

TEST(ScalarHazards, Integers) {
  const auto overflows = [](ScalarOp op, std::vector<Scalar> in) { return Hits(ScalarHazard::kIntegerOverflow, op, in[0].type, in); };
  const Scalar most = Scalar::Int(T::kS32, 2147483647), least = Scalar::Int(T::kS32, -2147483648ll), one = Scalar::Int(T::kS32, 1);
  EXPECT_TRUE(overflows(ScalarOp::kAdd, {most, one}));
  EXPECT_FALSE(overflows(ScalarOp::kAdd, {least, one}));
  EXPECT_TRUE(overflows(ScalarOp::kSubtract, {least, one}));
  EXPECT_TRUE(overflows(ScalarOp::kMultiply, {most, most}));
  EXPECT_TRUE(overflows(ScalarOp::kNegate, {least}));
  EXPECT_TRUE(overflows(ScalarOp::kAbs, {least}));
  EXPECT_FALSE(overflows(ScalarOp::kAbs, {most}));
  const auto wraps = [](ScalarOp op, std::vector<Scalar> in) { return Hits(ScalarHazard::kUnsignedWrap, op, in[0].type, in); };
  EXPECT_TRUE(wraps(ScalarOp::kAdd, {Scalar::Int(T::kU8, 250), Scalar::Int(T::kU8, 10)}));
  EXPECT_TRUE(wraps(ScalarOp::kMultiply, {Scalar::Int(T::kU64, -1), Scalar::Int(T::kU64, 2)}));
  EXPECT_TRUE(wraps(ScalarOp::kMultiply, {Scalar::Int(T::kU64, -1), Scalar::Int(T::kU64, -1)})) << "beyond 127 bits";
  EXPECT_FALSE(wraps(ScalarOp::kAdd, {Scalar::Int(T::kU64, -2), Scalar::Int(T::kU64, 1)}));
  EXPECT_FALSE(overflows(ScalarOp::kAdd, {Scalar::Int(T::kU8, 250), Scalar::Int(T::kU8, 10)})) << "unsigned numbers wrap, they do not overflow";
  EXPECT_FALSE(wraps(ScalarOp::kAdd, {most, one}));
  EXPECT_TRUE(Hits(ScalarHazard::kUnsignedWrap, ScalarOp::kConvert, T::kU8, {Scalar::Int(T::kS32, 300)}));
  EXPECT_TRUE(Hits(ScalarHazard::kIntegerOverflow, ScalarOp::kConvert, T::kS8, {Scalar::Int(T::kS32, 300)}));
  EXPECT_TRUE(Hits(ScalarHazard::kIntegerDivision, ScalarOp::kDivide, T::kS32, {one, Scalar::Int(T::kS32, 0)}));
  EXPECT_TRUE(Hits(ScalarHazard::kIntegerDivision, ScalarOp::kRemainder, T::kU8, {Scalar::Int(T::kU8, 3), Scalar::Int(T::kU8, 0)}));
}

TEST(ScalarHazards, QuotientsThatDoNotFitAreNoDivisionsByZero) {
  const Scalar most = Scalar::Int(T::kS32, 2147483647), least = Scalar::Int(T::kS32, -2147483648ll), minus = Scalar::Int(T::kS32, -1);
  EXPECT_FALSE(Hits(ScalarHazard::kIntegerDivision, ScalarOp::kDivide, T::kS32, {least, minus}));
  EXPECT_FALSE(Hits(ScalarHazard::kIntegerDivision, ScalarOp::kRemainder, T::kS32, {least, minus}));
  std::string why;
  EXPECT_TRUE(Hits(ScalarHazard::kIntegerOverflow, ScalarOp::kDivide, T::kS32, {least, minus}, 0, &why));
  EXPECT_EQ(why, "-2147483648 / -1 = -2147483648 does not fit s32");
  EXPECT_TRUE(Hits(ScalarHazard::kIntegerOverflow, ScalarOp::kRemainder, T::kS32, {least, minus}, 0, &why));
  EXPECT_EQ(why, "-2147483648 rem -1 = 0, but its quotient does not fit s32 (many processors stop there)");
  EXPECT_FALSE(Hits(ScalarHazard::kIntegerOverflow, ScalarOp::kDivide, T::kS32, {most, minus}));
  EXPECT_FALSE(Hits(ScalarHazard::kIntegerOverflow, ScalarOp::kDivide, T::kS32, {least, Scalar::Int(T::kS32, 0)})) << "that is a division by zero";
  EXPECT_TRUE(Hits(ScalarHazard::kIntegerOverflow, ScalarOp::kDivide, T::kS8, {Scalar::Int(T::kS8, -128), Scalar::Int(T::kS8, -1)}));
  const int64_t least64 = std::numeric_limits<int64_t>::min();
  EXPECT_TRUE(Hits(ScalarHazard::kIntegerOverflow, ScalarOp::kDivide, T::kS64, {Scalar::Int(T::kS64, least64), Scalar::Int(T::kS64, -1)}));
  EXPECT_FALSE(MayHave(ScalarHazard::kIntegerOverflow, ScalarOp::kDivide, T::kU32, T::kU32));
}

TEST(ScalarHazards, IntegerPowers) {
  const auto overflows = [](T type, int64_t a, int64_t b) { return Hits(IsUnsigned(type) ? ScalarHazard::kUnsignedWrap : ScalarHazard::kIntegerOverflow, ScalarOp::kPower, type, {Scalar::Int(type, a), Scalar::Int(type, b)}); };
  EXPECT_FALSE(overflows(T::kS32, 10, 9));
  EXPECT_TRUE(overflows(T::kS32, 10, 10));
  EXPECT_TRUE(overflows(T::kS32, 10, 1000000000)) << "whatever wraps around to";
  EXPECT_FALSE(overflows(T::kS32, -2, 31));
  EXPECT_TRUE(overflows(T::kS32, 2, 31));
  EXPECT_FALSE(overflows(T::kU32, 2, 31));
  EXPECT_TRUE(overflows(T::kU32, 2, 32)) << "becomes 0";
  EXPECT_TRUE(overflows(T::kU64, 2, 64));
  EXPECT_FALSE(overflows(T::kS64, -2, 63));
  EXPECT_TRUE(overflows(T::kU64, -1, 2));
  EXPECT_FALSE(overflows(T::kS32, 7, -3)) << "0, a fraction";
  for (int64_t b : {-1, 0, 1}) {
    EXPECT_FALSE(overflows(T::kS32, b, 2147483647));
    EXPECT_FALSE(overflows(T::kS32, b, 0));
    EXPECT_FALSE(overflows(T::kS32, b, 6));
  }
}

TEST(ScalarHazards, ReducedPrecision) {
  const auto reduces = [](ScalarHazard hazard, double v, int exponent, int mantissa) {
    const int64_t aux = exponent << 8 | mantissa;
    const std::vector<Scalar> in = {Scalar::Float(T::kF32, v)};
    return Has(hazard, ScalarOp::kReducePrecision, T::kF32, aux, in, EvalScalarOp(ScalarOp::kReducePrecision, T::kF32, aux, in), 0, nullptr);
  };
  EXPECT_TRUE(reduces(ScalarHazard::kConversionOverflow, 1e5, 5, 10));
  EXPECT_FALSE(reduces(ScalarHazard::kConversionOverflow, 1e-38, 5, 10)) << "becomes 0";
  EXPECT_FALSE(reduces(ScalarHazard::kConversionOverflow, 1.001, 8, 7)) << "is only rounded";
  EXPECT_TRUE(reduces(ScalarHazard::kDenormal, 1e-38, 5, 10)) << "flushed, small as it was";
  EXPECT_TRUE(reduces(ScalarHazard::kDenormal, 1e-20, 5, 10));
  EXPECT_FALSE(reduces(ScalarHazard::kDenormal, 0, 5, 10));
  EXPECT_FALSE(reduces(ScalarHazard::kDenormal, 1e-3, 5, 10));
}

TEST(ScalarHazards, SmallFloatsAndCancellation) {
  const auto f32 = [](double v) { return Scalar::Float(T::kF32, v); };
  EXPECT_TRUE(Hits(ScalarHazard::kDenormal, ScalarOp::kMultiply, T::kF32, {f32(1e-30), f32(1e-10)})) << "made";
  EXPECT_TRUE(Hits(ScalarHazard::kDenormal, ScalarOp::kMultiply, T::kF32, {f32(1e-30), f32(1e-30)})) << "lost";
  EXPECT_FALSE(Hits(ScalarHazard::kDenormal, ScalarOp::kMultiply, T::kF32, {f32(1e-40), f32(1)})) << "inherited";
  EXPECT_FALSE(Hits(ScalarHazard::kDenormal, ScalarOp::kMultiply, T::kF32, {f32(0), f32(1)}));
  EXPECT_TRUE(Hits(ScalarHazard::kDenormal, ScalarOp::kExp, T::kF32, {f32(-200)})) << "lost";
  EXPECT_TRUE(Hits(ScalarHazard::kDenormal, ScalarOp::kExp, T::kF32, {f32(-90)})) << "made";
  EXPECT_FALSE(Hits(ScalarHazard::kDenormal, ScalarOp::kExp, T::kF32, {f32(-std::numeric_limits<double>::infinity())})) << "exactly zero";
  EXPECT_TRUE(Hits(ScalarHazard::kDenormal, ScalarOp::kLogistic, T::kF32, {f32(-200)}));
  EXPECT_TRUE(Hits(ScalarHazard::kDenormal, ScalarOp::kPower, T::kF32, {f32(0.5), f32(500)}));
  EXPECT_FALSE(Hits(ScalarHazard::kDenormal, ScalarOp::kPower, T::kF32, {f32(0), f32(3)}));
  EXPECT_FALSE(Hits(ScalarHazard::kDenormal, ScalarOp::kLog, T::kF32, {f32(1)}));
  std::string why;
  EXPECT_TRUE(Hits(ScalarHazard::kCancellation, ScalarOp::kSubtract, T::kF32, {f32(1.0000001), f32(1)}, 23, &why));
  EXPECT_EQ(why, "1.0000001 - 1 = 1.1920929e-07 loses 23 bits");
  EXPECT_FALSE(Hits(ScalarHazard::kCancellation, ScalarOp::kSubtract, T::kF32, {f32(1.0000001), f32(1)}, 24));
  EXPECT_FALSE(Hits(ScalarHazard::kCancellation, ScalarOp::kSubtract, T::kF32, {f32(3), f32(3)}, 1)) << "equal numbers cancel exactly";
  EXPECT_FALSE(Hits(ScalarHazard::kCancellation, ScalarOp::kAdd, T::kF32, {f32(3), f32(5)}, 1));
  // As help has them.
  EXPECT_EQ(DefaultCancellationBits(T::kF64), 39);
  EXPECT_EQ(DefaultCancellationBits(T::kF32), 18);
  EXPECT_EQ(DefaultCancellationBits(T::kF16), 8);
  EXPECT_EQ(DefaultCancellationBits(T::kBF16), 6);
  const auto f64 = [](double v) { return Scalar::Float(T::kF64, v); };
  EXPECT_TRUE(Hits(ScalarHazard::kCancellation, ScalarOp::kSubtract, T::kF64, {f64(1), f64(std::nextafter(1.0, 0.0))}, kMostCancellationBits)) << "the most there is";
}

// Loads and operations of one element of a fold, as the catches see them.
TEST(ElementTrace, TellsLoadsAndOperations) {
  Program p = Program::Pull({Shape::Array(T::kS32, {2, 3})}, Shape::Array(T::kS32, {2}));
  ExprGraph& g = *p.graph;
  const int32_t k = g.NewVar(3);
  const NodeId x = g.Load(0, T::kS32, {g.Index(0), g.Index(k)});
  p.outputs[0].value = g.FoldOp(ScalarOp::kAdd, g.Constant(Scalar::Int(T::kS32, 0)), x, {k});
  const int32_t data[] = {1, 2, 3, 4, 5, 2147483647};
  const Value operand = Value::FromBytes(p.operands[0], absl::MakeConstSpan(reinterpret_cast<const std::byte*>(data), sizeof(data)));
  ElementTrace trace(p, absl::MakeConstSpan(&operand, 1));
  std::vector<int64_t> loads;
  bool overflow = false;
  trace.set_on_load([&](int, int64_t linear, const Scalar&) { loads.push_back(linear); });
  trace.set_on_op([&](const Node& node, absl::Span<const Scalar> in, const Scalar& out, bool in_fold) {
    overflow |= in_fold && Has(ScalarHazard::kIntegerOverflow, node.op, node.type, node.aux, in, out, 0, nullptr);
  });
  EXPECT_EQ(trace.At(0, {0}).i, 6);
  EXPECT_EQ(loads, (std::vector<int64_t>{0, 1, 2}));
  EXPECT_FALSE(overflow);
  trace.At(0, {1});
  EXPECT_TRUE(overflow);
}

}  // namespace
}  // namespace hloscope
