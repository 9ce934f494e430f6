// Asynchronous pairs: they run at the start; each requirement.
#include "tests/ops/running.h"

namespace hloscope {
namespace {

const char kDouble[] = "twice {\n  a = f32[2] parameter(0)\n  ROOT r = f32[2] add(a, a)\n}\n";

TEST(Async, StartUpdateDone) {
  auto r = RunText(ModuleText(kDouble,
                              "  x = f32[2] constant({1,2})\n  s = ((f32[2]), f32[2], u32[]) async-start(x), calls=twice\n  u = ((f32[2]), "
                              "f32[2], u32[]) async-update(s)\n"
                              "  ROOT d = f32[2] async-done(u)"));
  ASSERT_TRUE(r.ok()) << r.status();
  ExpectNear(*r, {2, 4}, 0);
  ExpectValue("  x = f32[2] constant({1,2})\n  s = (f32[2], f32[2], u32[]) copy-start(x)\n  ROOT d = f32[2] copy-done(s)",
              "f32[2] constant({1,2})");
}

TEST(Async, WithoutACallerItSaysSo) {
  const CheckedModule checked =
      CheckText(ModuleText(kDouble, "  x = f32[2] parameter(0)\n  ROOT s = ((f32[2]), f32[2]) async-start(x), calls=twice"));
  ASSERT_EQ(checked.sink.error_count(), 0) << checked.Problems();
  const Instruction& i = *checked.module->entry->root;
  const std::vector<Value> operands = {RandomF32({2}, 1)};
  EXPECT_EQ(Def(i).evaluate(EvalContext{i, operands}).status().code(), absl::StatusCode::kUnimplemented);
}

TEST(Async, Requirements) {
  const std::string x = "  x = f32[2] parameter(0)\n  y = f32[3] parameter(1)\n  ROOT r = ";
  ExpectError(ModuleText(kDouble, x + "((f32[2], f32[2]), f32[2]) async-start(x, x), calls=twice"), "async-start.parameters");
  ExpectError(ModuleText(kDouble, x + "((f32[3]), f32[2]) async-start(y), calls=twice"), "async-start.parameters");
  ExpectError(x + "f32[2] async-update(x)", "async-update.operand");
  ExpectError(x + "f32[2] async-done(x)", "async-done.operand");
  ExpectError(x + "f32[2] copy-done(x)", "copy-done.operand");
  CheckedModule checked =
      CheckText(ModuleText(kDouble, "  x = f32[2] parameter(0)\n  ROOT s = ((f32[2]), f32[2]) async-start(x), calls=twice"));
  checked.module->entry->root->attributes.clear();
  DiagnosticSink sink;
  ShapeContext context(*checked.module->entry->root, sink);
  EXPECT_FALSE(Def(*checked.module->entry->root).infer(context).has_value());
  ASSERT_EQ(sink.error_count(), 1);
  EXPECT_EQ(sink.diagnostics()[0].label, "async-start.computation");
}

TEST(Async, HalvesFit) {
  const std::string start = "  x = f32[2] parameter(0)\n  s = ((f32[2]), f32[2], u32[]) async-start(x), calls=twice\n", done = "f32[2] async-done(s)\n";
  ExpectError(ModuleText(kDouble, start + "  d = " + done + "  ROOT e = " + done), "verify.completed-twice");
  ExpectError(ModuleText(kDouble, start + "  u = ((f32[2]), f32[2], u32[]) async-update(s)\n  e = " + done + "  ROOT t = (((f32[2]), f32[2], u32[]), f32[2]) tuple(u, e)"), "verify.completed-twice");
  ExpectError(ModuleText(kDouble, start + "  ROOT y = f32[2] negate(x)"), "verify.never-completed");
  ExpectError(ModuleText(kDouble, start + "  u = ((f32[2]), f32[2], u32[]) async-update(s)\n  ROOT y = f32[2] negate(x)"), "verify.never-completed");
  // What a tuple takes may be completed where the tuple goes.
  ExpectAccepted(ModuleText(kDouble, start + "  ROOT t = (((f32[2]), f32[2], u32[])) tuple(s)"));
  const std::string send = "  x = f32[2] parameter(0)\n  t = token[] after-all()\n  s = (f32[2], u32[], token[]) send(x, t), channel_id=1\n";
  ExpectAccepted(send + "  ROOT d = token[] send-done(s), channel_id=1");
  ExpectError(send + "  d = token[] send-done(s), channel_id=1\n  ROOT e = token[] send-done(s), channel_id=1", "verify.completed-twice");
}

}  // namespace
}  // namespace hloscope
