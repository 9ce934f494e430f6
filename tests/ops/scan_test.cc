// scan: each requirement of its rule.
#include "tests/ops/running.h"

namespace hloscope {
namespace {

TEST(Scan, Requirements) {
  const std::string step =
      "step {\n  a = f32[] parameter(0)\n  c = f32[] parameter(1)\n  s = f32[] add(a, c)\n  ROOT r = (f32[], f32[]) tuple(s, s)\n}\n";
  const std::string x = "  x = f32[4] parameter(0)\n  i = f32[] parameter(1)\n  ROOT r = ";
  ExpectAccepted(ModuleText(step, x + "(f32[4], f32[]) scan(x, i), dimensions={0}, to_apply=step"));
  ExpectError(ModuleText(step, x + "(f32[4], f32[]) scan(x, i, i), dimensions={0}, to_apply=step"), "scan.parameters");
  ExpectError(ModuleText(step, x + "(f32[4], f32[]) scan(x, i), dimensions={0,1}, to_apply=step"), "scan.dimension");
  ExpectError(ModuleText(step, x + "f32[4] scan(x, i), dimensions={0}, to_apply=step"), "verify.shape-mismatch");
  ExpectError(ModuleText(step, "  x = f32[4] parameter(0)\n  i = (f32[]) parameter(1)\n  ROOT r = f32[4] scan(x, i), dimensions={0}, to_apply=step"),
              "scan.operand-arrays");
  ExpectError(ModuleText(step, x + "(f32[4], f32[]) scan(x, i), dimensions={0}, num_carries=2, to_apply=step"), "scan.step-signature");
  ExpectError(ModuleText(step, "  x = s32[4] parameter(0)\n  i = f32[] parameter(1)\n  ROOT r = (f32[4], f32[]) scan(x, i), dimensions={0}, to_apply=step"),
              "scan.step-signature");
  ExpectError(ModuleText(step, "  x = f32[4] parameter(0)\n  i = f32[2] parameter(1)\n  ROOT r = (f32[4], f32[2]) scan(x, i), dimensions={0}, to_apply=step"),
              "scan.step-signature");
  CheckedModule checked = CheckText(ModuleText(step, x + "(f32[4], f32[]) scan(x, i), dimensions={0}, to_apply=step"));
  ASSERT_EQ(checked.sink.error_count(), 0) << checked.Problems();
  checked.module->entry->root->attributes.clear();
  DiagnosticSink sink;
  ShapeContext context(*checked.module->entry->root, sink);
  EXPECT_FALSE(Def(*checked.module->entry->root).infer(context).has_value());
  ASSERT_EQ(sink.error_count(), 1);
  EXPECT_EQ(sink.diagnostics()[0].label, "scan.computation");
}

}  // namespace
}  // namespace hloscope
