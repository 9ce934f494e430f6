// The largest live set, against sums made by hand.
#include "core/exec/live.h"

#include "tests/exec/program.h"

namespace hloscope {
namespace {

TEST(LiveTest, ChainHoldsTwo) {
  Program_ p(R"(
ENTRY main {
  x = f32[100] parameter(0)
  a = f32[100] negate(x)
  b = f32[100] negate(a)
  c = f32[100] negate(b)
  ROOT d = f32[100] add(c, x)
})");
  LiveSet live = LargestLiveSet(*p.module);
  EXPECT_EQ(live.parameter_bytes, 400);
  EXPECT_EQ(live.largest_bytes, 800);
  EXPECT_EQ(live.where->name, "b");
}

TEST(LiveTest, TuplesBroadcastsAndSplatsAreFree) {
  Program_ p(R"(
ENTRY main {
  x = f32[100] parameter(0)
  zero = f32[] constant(0)
  z = f32[100] broadcast(zero), dimensions={}
  i = f32[100] iota(), iota_dimension=0
  a = f32[100] add(x, z)
  t = (f32[100], f32[100]) tuple(a, i)
  b = f32[100] get-tuple-element(t), index=0
  ROOT c = f32[100] add(b, i)
})");
  EXPECT_EQ(LargestLiveSet(*p.module).largest_bytes, 800);
}

TEST(LiveTest, LoopsCountTheirBodies) {
  Program_ p(R"(
body {
  p = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[100] get-tuple-element(p), index=1
  y = f32[100] negate(x)
  z = f32[100] negate(y)
  ROOT t = (s32[], f32[100]) tuple(i, z)
}
condition {
  p = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  ROOT lt = pred[] compare(i, i), direction=LT
}
ENTRY main {
  x = f32[100] parameter(0)
  n = s32[] parameter(1)
  keep = f32[100] negate(x)
  init = (s32[], f32[100]) tuple(n, x)
  loop = (s32[], f32[100]) while(init), condition=condition, body=body
  y = f32[100] get-tuple-element(loop), index=1
  ROOT r = f32[100] add(y, keep)
})");
  LiveSet live = LargestLiveSet(*p.module);
  EXPECT_EQ(live.largest_bytes, 400 + 404 + 400 - 4);  // keep, and the body's y and z: i is the caller's
}

}  // namespace
}  // namespace hloscope
