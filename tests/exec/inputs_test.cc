// Made-up inputs: the same for the same seed, and fit for what the program does with them.
#include "core/exec/inputs.h"

#include <algorithm>
#include <cmath>

#include "core/literal/scalar.h"
#include "gmock/gmock.h"
#include "tests/exec/program.h"

namespace hloscope {
namespace {

struct Range {
  double low = INFINITY, high = -INFINITY, mean = 0;
};
Range RangeOf(const Value& v) {
  Range r;
  const ElementType type = v.shape().element_type();
  for (int64_t k = 0; k < v.element_count(); ++k) {
    Scalar s = LoadScalar(type, v.data() + k * StorageBytes(type));
    double x = IsFloat(type) ? s.re : static_cast<double>(s.i);
    r.low = std::min(r.low, x);
    r.high = std::max(r.high, x);
    r.mean += x / static_cast<double>(v.element_count());
  }
  return r;
}
Value Make(const Program_& p, int number, uint64_t seed = 0) {
  absl::StatusOr<Value> v = MakeInput(*p.module, number, Fill{Fill::kRandom, seed}, nullptr);
  EXPECT_TRUE(v.ok()) << v.status();
  return v.ok() ? *v : Value();
}

TEST(FillTest, Parse) {
  EXPECT_EQ(ParseFill("random:7")->seed, 7u);
  EXPECT_EQ(ParseFill("random:7")->kind, Fill::kRandom);
  EXPECT_EQ(ParseFill("zeros")->kind, Fill::kZeros);
  EXPECT_EQ(ParseFill("ones")->kind, Fill::kOnes);
  EXPECT_EQ(ParseFill("iota")->kind, Fill::kIota);
  EXPECT_FALSE(ParseFill("random:x").ok());
  EXPECT_FALSE(ParseFill("twos").ok());
}

TEST(InputsTest, SameSeedSameValue) {
  Program_ p("ENTRY main {\n  x = f32[1000] parameter(0)\n  y = bf16[1000] parameter(1)\n  ROOT t = (f32[1000], bf16[1000]) tuple(x, y)\n}\n");
  EXPECT_TRUE(Value::BitEqual(Make(p, 0), Make(p, 0)));
  EXPECT_FALSE(Value::BitEqual(Make(p, 0), Make(p, 0, 1)));
  EXPECT_TRUE(Value::BitEqual(Make(p, 1), Make(p, 1)));
  Range r = RangeOf(Make(p, 0));
  EXPECT_GE(r.low, -1);
  EXPECT_LE(r.high, 1);
  EXPECT_NEAR(r.mean, 0, 0.1);
  EXPECT_FALSE(MakeInput(*p.module, 2, Fill{}, nullptr).ok());
}

// Who uses what is kept of the program that was asked about last.
TEST(InputsTest, ProgramsAskedInTurnsGetTheirOwn) {
  const std::string roots = "ENTRY main {\n  x = f32[100] parameter(0)\n  y = f32[100] parameter(1)\n  a = f32[100] sqrt(x)\n  ROOT t = (f32[100], f32[100]) tuple(a, y)\n}\n";
  const std::string plain = "ENTRY main {\n  x = f32[100] parameter(0)\n  y = f32[100] parameter(1)\n  a = f32[100] log(y)\n  ROOT t = (f32[100], f32[100]) tuple(x, a)\n}\n";
  Program_ p(roots), q(plain);
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_GE(RangeOf(Make(p, 0)).low, 0.5);
    EXPECT_LT(RangeOf(Make(q, 0)).low, 0);
    EXPECT_LT(RangeOf(Make(p, 1)).low, 0);
    EXPECT_GE(RangeOf(Make(q, 1)).low, 0.5);
  }
  // One that is gone, and another that may lie in its place.
  for (int turn = 0; turn < 20; ++turn) {
    Program_ now(turn % 2 == 0 ? roots : plain);
    EXPECT_EQ(RangeOf(Make(now, 0)).low >= 0.5, turn % 2 == 0);
  }
}

TEST(InputsTest, OtherFills) {
  Program_ p("ENTRY main {\n  x = f32[3] parameter(0)\n  y = (s8[3], pred[2]) parameter(1)\n  ROOT z = f32[3] negate(x)\n}\n");
  EXPECT_EQ(Floats(*MakeInput(*p.module, 0, Fill{Fill::kIota}, nullptr)), (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(Floats(*MakeInput(*p.module, 0, Fill{Fill::kOnes}, nullptr)), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(Floats(*MakeInput(*p.module, 0, Fill{Fill::kZeros}, nullptr)), (std::vector<float>{0, 0, 0}));
  Value tuple = *MakeInput(*p.module, 1, Fill{Fill::kOnes}, nullptr);
  ASSERT_EQ(tuple.elements().size(), 2u);
  EXPECT_EQ(tuple.elements()[0].as<int8_t>()[2], 1);
  EXPECT_EQ(tuple.elements()[1].as<uint8_t>()[1], 1);
}

TEST(InputsTest, LargeOnesAreTheSameWhoeverMakesThem) {
  Program_ p("ENTRY main {\n  x = f32[6000000] parameter(0)\n  ROOT z = f32[6000000] negate(x)\n}\n");
  Value a = Make(p, 0), b = Make(p, 0);
  EXPECT_TRUE(Value::BitEqual(a, b));
  EXPECT_NE(a.as<float>()[5999999], a.as<float>()[5999998]);
}

TEST(InputsTest, WeightsAreScaledByFanIn) {
  Program_ p(R"(
layer {
  a = f32[4,256] parameter(0)
  w = f32[256,64] parameter(1)
  ROOT d = f32[4,64] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
ENTRY main {
  x = f32[4,256] parameter(0)
  w = bf16[64,256] parameter(1)
  y = f32[4,256] negate(x)
  c = f32[64,256] convert(w)
  t = f32[256,64] transpose(c), dimensions={1,0}
  pair = (f32[4,256], f32[256,64]) tuple(y, t)
  first = f32[4,256] get-tuple-element(pair), index=0
  second = f32[256,64] get-tuple-element(pair), index=1
  ROOT d = f32[4,64] call(first, second), to_apply=layer
})");
  Range w = RangeOf(Make(p, 1));
  EXPECT_LE(w.high, std::sqrt(3.0 / 256) + 0.001);
  EXPECT_GT(w.high, 0.08);
  EXPECT_GT(RangeOf(Make(p, 0)).high, 0.8);
}

TEST(InputsTest, IndicesStayInRange) {
  Program_ p(R"(
body {
  p = (s32[], s32[500], f32[700,4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  ids = s32[500] get-tuple-element(p), index=1
  table = f32[700,4] get-tuple-element(p), index=2
  r = s32[500,1] reshape(ids)
  g = f32[500,4] gather(table, r), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}
  ROOT t = (s32[], s32[500], f32[700,4]) tuple(i, ids, table)
}
condition {
  p = (s32[], s32[500], f32[700,4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  ROOT lt = pred[] compare(i, i), direction=LT
}
ENTRY main {
  ids = s32[500] parameter(0)
  table = f32[700,4] parameter(1)
  labels = s64[300] parameter(2)
  narrow = u8[300] parameter(3)
  at = s32[] parameter(4)
  zero = s32[] constant(0)
  init = (s32[], s32[500], f32[700,4]) tuple(zero, ids, table)
  loop = (s32[], s32[500], f32[700,4]) while(init), condition=condition, body=body
  wide = s64[300,40] broadcast(labels), dimensions={0}
  classes = s64[300,40] iota(), iota_dimension=1
  hot = pred[300,40] compare(wide, classes), direction=EQ
  slice = f32[650,4] dynamic-slice(table, at, zero), dynamic_slice_sizes={650,4}
  ROOT t = (pred[300,40], f32[650,4]) tuple(hot, slice)
})");
  Range ids = RangeOf(Make(p, 0)), labels = RangeOf(Make(p, 2)), other = RangeOf(Make(p, 3)), at = RangeOf(Make(p, 4));
  EXPECT_GE(ids.low, 0);
  EXPECT_LT(ids.high, 700);
  EXPECT_GT(ids.high, 500);
  EXPECT_LT(labels.high, 40);
  EXPECT_GT(labels.high, 30);
  EXPECT_LT(other.high, 10);
  EXPECT_LE(at.high, 50);
}

TEST(InputsTest, EveryRowOfALargeTableCanBeHit) {
  Program_ p(R"(
ENTRY main {
  ids = s32[4000] parameter(0)
  table = f32[100000,1] parameter(1)
  r = s32[4000,1] reshape(ids)
  ROOT g = f32[4000,1] gather(table, r), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,1}
})");
  Range r = RangeOf(Make(p, 0));
  EXPECT_LT(r.high, 100000);
  EXPECT_GT(r.high, 99000);
  EXPECT_GE(r.low, 0);
}

TEST(InputsTest, PositiveUnderRootsAndAwayFromZeroBelow) {
  Program_ p(R"(
ENTRY main {
  variance = f32[200] parameter(0)
  divisor = f32[200] parameter(1)
  plain = f32[200] parameter(2)
  counts = s32[200] parameter(3)
  flags = pred[200] parameter(4)
  half = f16[200] parameter(5)
  e = f32[] constant(0.001)
  eps = f32[200] broadcast(e), dimensions={}
  shifted = f32[200] add(variance, eps)
  r = f32[200] rsqrt(shifted)
  q = f32[200] divide(plain, divisor)
  rem = s32[200] remainder(counts, counts)
  l = f16[200] log(half)
  ROOT t = (f32[200], f32[200], s32[200], f16[200]) tuple(r, q, rem, l)
})");
  EXPECT_GT(RangeOf(Make(p, 0)).low, 0);
  EXPECT_GT(RangeOf(Make(p, 1)).low, 0.1);
  EXPECT_LT(RangeOf(Make(p, 2)).low, 0);
  EXPECT_GE(RangeOf(Make(p, 3)).low, 1);
  Range flags = RangeOf(Make(p, 4));
  EXPECT_EQ(flags.low, 0);
  EXPECT_EQ(flags.high, 1);
  EXPECT_GT(RangeOf(Make(p, 5)).low, 0);
}

TEST(InputsTest, ElidedConstants) {
  Program_ p(R"(
ENTRY main {
  c = f32[10] constant({...})
  d = f32[10] constant({...})
  r = f32[10] rsqrt(c)
  ROOT s = f32[10] add(r, d)
})");
  EXPECT_FALSE(p.at("c").literal->value.has_value());
  EXPECT_EQ(FillElidedConstants(*p.module, Fill{}, nullptr), 2);
  EXPECT_GT(RangeOf(p.at("c").literal->value).low, 0);
  EXPECT_FALSE(Value::BitEqual(p.at("c").literal->value, p.at("d").literal->value));
}

}  // namespace
}  // namespace hloscope
