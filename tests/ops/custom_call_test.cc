// custom-call: the table of targets, what passes through, TopK, unknown targets, and each requirement.
#include "core/ops/custom_call_targets.h"
#include "core/ops/parallel_call.h"
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
  ExpectRunError(x + "ROOT r = f32[1] custom-call(x), custom_call_target=\"SPMDFullToShardShape\"", "before XLA's SPMD partitioner");
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

// The functions f of one parameter and g of two.
std::string Parallel(absl::string_view shape, absl::string_view operands, absl::string_view functions, absl::string_view config) {
  return absl::StrCat("HloModule m\nf { ROOT x = s32[2] parameter(0) }\n",
                      "g { a = f32[] parameter(0)  b = s32[2] parameter(1)  ROOT t = (f32[], s32[2]) tuple(a, b) }\n",
                      "ENTRY main {\n  x = s32[2] constant({1,2})\n  a = f32[] constant(1)\n  ROOT r = ", shape, " custom-call(", operands,
                      "), custom_call_target=\"interpreter.run_parallel\", called_computations={", functions, "}", config, "\n}\n");
}

TEST(CustomCall, FunctionsOfAGridTakeTheirOperandsInTurn) {
  const CheckedModule checked =
      CheckText(Parallel("(s32[2], f32[], s32[2], f32[], s32[2], s32[2])", "x, a, x, a, x, x", "f, g, g, f", ", backend_config=\"partitions=2\""));
  ASSERT_EQ(checked.sink.error_count(), 0) << checked.Problems();
  const absl::StatusOr<ParallelCall> call = ParallelCallOf(*checked.module->entry->root);
  ASSERT_TRUE(call.ok()) << call.status();
  EXPECT_EQ(call->replicas, 2);
  EXPECT_EQ(call->partitions, 2);
  EXPECT_EQ(call->first_operand, (std::vector<int>{0, 1, 3, 5}));
  std::string names;
  for (const Computation* function : call->functions) absl::StrAppend(&names, function->name);
  EXPECT_EQ(names, "fggf");
}

TEST(CustomCall, FunctionsOfAGridThatDoNotFit) {
  const auto expect = [](const std::string& text, const std::string& message) {
    const CheckedModule checked = CheckText(text);
    ASSERT_EQ(checked.sink.error_count(), 1) << checked.Problems();
    EXPECT_EQ(checked.sink.diagnostics()[0].label, "custom-call.run-parallel");
    EXPECT_EQ(checked.sink.diagnostics()[0].message, absl::StrCat("interpreter.run_parallel: ", message));
  };
  expect(Parallel("s32[2]", "x", "", ""), "it names no function (called_computations={f, g})");
  expect(Parallel("s32[2]", "x", "f", ", backend_config=\"rows\""), "backend_config says how many functions each replica has, and how many of the last make the infeed, as \"partitions=2\" or \"partitions=2,infeed=1\", not \"rows\"");
  expect(Parallel("(s32[2], s32[2], s32[2])", "x, x, x", "f, f, f", ", backend_config=\"partitions=2\""),
         "each replica has 2 functions, one a partition, and there are 3");
  expect(Parallel("s32[2]", "x", "f", ", backend_config=\"partitions=1,infeed=1\""), "it names no function (called_computations={f, g})");
  expect(Parallel("s32[2]", "x", "f, f", ", backend_config=\"partitions=1,infeed=1\""), "f, whose result the infeed has, takes parameters");
  expect(Parallel("(s32[2], s32[2])", "x", "f, f", ""), "the functions take 2 operands together, and there is 1");
  expect(Parallel("(s32[2], s32[2])", "x, x, x", "f, f", ""), "the functions take 2 operands together, and there are 3");
  expect(Parallel("(s32[2], f32[], s32[2])", "x, x, a", "f, g", ""), "parameter 0 of g on replica 1 is f32[], and operand 1 is s32[2]");
  expect(Parallel("(s32[2], f32[])", "x, a, x", "f, g", ""), "the functions give 3 results, and 2 are written");
  expect(Parallel("(s32[2], f32[], s32[3])", "x, a, x", "f, g", ""), "result 2 is written as s32[3], and its function gives s32[2]");
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
