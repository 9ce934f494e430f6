// custom-call: the table of targets, what passes through, TopK, unknown targets, and each requirement.
#include "core/ops/custom_call_targets.h"
#include "tests/ops/running.h"

namespace hloscope {
namespace {

TEST(CustomCall, Table) {
  EXPECT_EQ(FindCustomCallTarget("Sharding"), CustomCallTarget::kPassThrough);
  EXPECT_EQ(FindCustomCallTarget("xla.sdy.FuncResultSharding"), CustomCallTarget::kPassThrough);
  EXPECT_EQ(FindCustomCallTarget("MoveToHost"), CustomCallTarget::kPassThrough);
  EXPECT_EQ(FindCustomCallTarget("TopK"), CustomCallTarget::kEvaluated);
  EXPECT_EQ(FindCustomCallTarget("Shard"), CustomCallTarget::kUnknown);
  EXPECT_EQ(FindCustomCallTarget("myfunc"), CustomCallTarget::kUnknown);
  EXPECT_FALSE(KnownCustomCallTargets().empty());
}

TEST(CustomCall, PassesThrough) {
  const std::string x = "  x = f32[2] constant({1,2})\n  ";
  ExpectValue(x + "ROOT r = f32[2] custom-call(x), custom_call_target=\"Sharding\"", "f32[2] constant({1,2})");
  ExpectValue(x + "t = (f32[2], f32[2]) custom-call(x, x), custom_call_target=\"xla.sdy.FuncResultSharding\"\n  ROOT r = f32[2] "
                  "get-tuple-element(t), index=1",
              "f32[2] constant({1,2})");
  ExpectRunError(x + "ROOT r = f32[1] custom-call(x), custom_call_target=\"SPMDFullToShardShape\"", "more than one device");
  ExpectRunError(x + "ROOT r = f32[2] custom-call(x, x), custom_call_target=\"Sharding\"", "passes its operand through");
  ExpectRunError(x + "ROOT r = (f32[2], f32[1]) custom-call(x, x), custom_call_target=\"Sharding\"", "passes its operand through");
}

TEST(CustomCall, TopK) {
  const std::string x =
      "  x = bf16[2,4] constant({{1,4,2,4},{-1,-5,0,-2}})\n  t = (bf16[2,2], s32[2,2]) custom-call(x), custom_call_target=\"TopK\"\n";
  ExpectValue(x + "  ROOT r = bf16[2,2] get-tuple-element(t), index=0", "bf16[2,2] constant({{4,4},{0,-1}})");
  ExpectValue(x + "  ROOT r = s32[2,2] get-tuple-element(t), index=1", "s32[2,2] constant({{1,3},{2,0}})");
  ExpectError("  x = f32[3] constant({1,2,3})\n  ROOT t = (f32[4], s32[4]) custom-call(x), custom_call_target=\"TopK\"", "custom-call.topk");
  ExpectError("  x = c64[3] parameter(0)\n  ROOT t = (c64[2], s32[2]) custom-call(x), custom_call_target=\"TopK\"", "custom-call.topk");
  ExpectError("  x = f32[3] constant({1,2,3})\n  ROOT t = (f32[2], s32[2]) custom-call(x, x), custom_call_target=\"TopK\"", "custom-call.topk");
}

TEST(CustomCall, UnknownTargetsAreNamed) {
  ExpectRunError("  x = f32[2] constant({1,2})\n  ROOT r = f32[3] custom-call(x), custom_call_target=\"myfunc\"",
                 "\"myfunc\" is not known");
}

TEST(CustomCall, Requirements) {
  ExpectError("  x = f32[2] parameter(0)\n  ROOT r = f32[3] custom-call(x), custom_call_target=\"\"", "custom-call.target");
  CheckedModule checked = CheckText("  x = f32[2] parameter(0)\n  ROOT r = f32[3] custom-call(x), custom_call_target=\"f\"");
  ASSERT_EQ(checked.sink.error_count(), 0) << checked.Problems();
  checked.module->entry->root->shape_omitted = true;
  DiagnosticSink sink;
  ShapeContext context(*checked.module->entry->root, sink);
  EXPECT_FALSE(Def(*checked.module->entry->root).infer(context).has_value());
  ASSERT_EQ(sink.error_count(), 1);
  EXPECT_EQ(sink.diagnostics()[0].label, "custom-call.shape");
}

}  // namespace
}  // namespace hloscope
