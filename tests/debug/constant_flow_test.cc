#include "core/debug/constant_flow.h"

#include <memory>
#include <string>

#include "core/debug/catch_find.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

std::unique_ptr<Module> Read(const std::string& text) {
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("test.hlo", text), sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  EXPECT_EQ(sink.error_count(), 0) << text;
  return module;
}

TEST(ConstantFlow, FollowsMovementToWhatComputes) {
  const std::unique_ptr<Module> module = Read(R"(HloModule m
id { v = f32[2] parameter(0)
  ROOT q = f32[2] copy(v) }
ENTRY e {
  x = f32[2] parameter(0)
  zero = f32[] constant(0)
  n = f32[2] constant({nan, 1})
  t = (f32[2], f32[2]) tuple(x, n)
  g = f32[2] get-tuple-element(t), index=1
  h = f32[2] get-tuple-element(t), index=0
  c = f32[2] call(g), to_apply=id
  p = f32[4] pad(c, zero), padding=1_1
  k = f32[4] concatenate(h, c), dimensions={0}
  m = f32[4] negate(p)
  ROOT o = f32[4] add(k, m)
})");
  ConstantFlow flow(*module, [](const Value& v) { return HasAny(CatchKind::kNan, v); });
  const auto at = [&](const char* name) -> const Instruction& { return *module->entry->FindInstruction(name); };
  for (const char* name : {"n", "g", "c", "p"}) EXPECT_EQ(flow.MayBring(at(name), 0), &at("n")) << name;
  for (const char* name : {"x", "zero", "h", "k", "m", "o"}) EXPECT_EQ(flow.MayBring(at(name), 0), nullptr) << name;
  EXPECT_TRUE(flow.HandsOn(at("p")));
  EXPECT_FALSE(flow.HandsOn(at("k")));
  EXPECT_FALSE(flow.HandsOn(at("m")));
}

TEST(ConstantFlow, ALoopsCarriedValueIsTheConstantsInTheFirstIterationOnly) {
  const std::unique_ptr<Module> module = Read(R"(HloModule m
cond { t = (s32[], f32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(9)
  ROOT lt = pred[] compare(i, n), direction=LT }
body { t = (s32[], f32[], f32[], f32[]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  a = f32[] get-tuple-element(t), index=1
  b = f32[] get-tuple-element(t), index=2
  c = f32[] get-tuple-element(t), index=3
  d = f32[] add(c, c)
  ROOT r = (s32[], f32[], f32[], f32[]) tuple(i, b, a, d) }
ENTRY e {
  x = f32[] parameter(0)
  z = s32[] constant(0)
  n = f32[] constant(nan)
  t = (s32[], f32[], f32[], f32[]) tuple(z, x, n, n)
  ROOT w = (s32[], f32[], f32[], f32[]) while(t), condition=cond, body=body
})");
  ConstantFlow flow(*module, [](const Value& v) { return HasAny(CatchKind::kNan, v); });
  const Instruction& loop = *module->entry->root;
  const Computation& body = *loop.Called(AttrId::kBody);
  std::vector<Frame> frames(2);
  frames[0].computation = module->entry;
  frames[1].kind = FrameKind::kWhileBody;
  frames[1].computation = &body;
  frames[1].caller = &loop;
  for (int64_t k = 0; k < 7; ++k) {
    frames[1].iteration = k;
    const auto from = [&](const char* name) { return flow.Of(frames, *body.FindInstruction(name), 0).constant != nullptr; };
    EXPECT_EQ(from("a"), k % 2 == 1) << k;  // they change places
    EXPECT_EQ(from("b"), k % 2 == 0) << k;
    EXPECT_EQ(from("c"), k == 0) << k;
    EXPECT_FALSE(from("d")) << k;
  }
}

}  // namespace
}  // namespace hloscope
