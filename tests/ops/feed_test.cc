// infeed and outfeed: shapes and each requirement (the queues are the Machine's).
#include "tests/ops/running.h"

namespace hloscope {
namespace {

TEST(Feed, Requirements) {
  const std::string t = "  t = token[] after-all()\n  x = f32[2] parameter(0)\n  ROOT r = ";
  ExpectAccepted(t + "(f32[2], token[]) infeed(t)");
  ExpectAccepted(t + "((f32[2], s32[]), token[]) infeed(t)");
  ExpectAccepted(t + "((), token[]) infeed(t)");
  ExpectAccepted(t + "token[] outfeed(x, t), outfeed_shape=f32[2]");
  ExpectError(t + "(f32[2], token[]) infeed(x)", "infeed.token");
  ExpectError(t + "f32[2] infeed(t)", "infeed.shape");
  ExpectError(t + "(((f32[2]), s32[]), token[]) infeed(t)", "infeed.nested");
  ExpectError(t + "token[] outfeed(x, x)", "outfeed.token");
  EXPECT_TRUE(Def(Opcode::kInfeed).has_side_effect);
  EXPECT_TRUE(Def(Opcode::kOutfeed).has_side_effect);
}

}  // namespace
}  // namespace hloscope
