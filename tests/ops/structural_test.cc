// The structural operations: constant, tuple, get-tuple-element, opt-barrier, after-all, add-dependency, domain.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(Structural, TuplesNest) {
  ExpectValue("a = s32[] constant(1)\nb = f32[2] constant({2,3})\nt = (f32[2], s32[]) tuple(b, a)\nu = ((f32[2], s32[]), s32[]) tuple(t, a)\n"
              "g = (f32[2], s32[]) get-tuple-element(u), index=0\nROOT r = f32[2] get-tuple-element(g), index=0",
              "f32[2] constant({2,3})");
}

TEST(Structural, EmptyTuple) { ExpectAccepted("ROOT t = () tuple()"); }

TEST(Structural, ValuesPassThrough) {
  ExpectValue("a = s32[] constant(1)\nt = (s32[]) tuple(a)\nb = (s32[]) opt-barrier(t)\ng = s32[] get-tuple-element(b), index=0\nk = token[] after-all()\n"
              "m = token[] after-all(k, k)\nd = s32[] add-dependency(g, m)\nROOT r = s32[] domain(d), domain={kind=\"sharding\", entry={maximal device=0}, exit={}}",
              "s32[] constant(1)");
}

TEST(Structural, Requirements) {
  ExpectError("p = f32[2] parameter(0)\nROOT g = f32[2] get-tuple-element(p), index=0", "get-tuple-element.tuple");
  ExpectError("p = (f32[2]) parameter(0)\nROOT g = f32[2] get-tuple-element(p), index=1", "get-tuple-element.index");
  ExpectError("p = (f32[2]) parameter(0)\nROOT g = f32[2] get-tuple-element(p), index=-1", "get-tuple-element.index");
  ExpectError("p = f32[2] parameter(0)\nROOT t = (f32[3]) tuple(p)", "verify.shape-mismatch");
  ExpectError("p = f32[2] parameter(0)\nROOT t = token[] after-all(p)", "after-all.token");
  ExpectError("p = f32[2] parameter(0)\nROOT t = f32[2] add-dependency(p, p)", "add-dependency.token");
}

TEST(Structural, ConstantsLiteralHasTheWrittenShape) {
  Module module;
  Computation* entry = module.AddComputation("main");
  entry->is_entry = true;
  Instruction* constant = module.AddInstruction(entry);
  constant->opcode = Opcode::kConstant;
  constant->name = "c";
  constant->shape = Shape::Array(ElementType::kF32, {3});
  constant->literal = std::make_unique<ConstantLiteral>();
  constant->literal->value = Value::Scalar<float>(ElementType::kF32, 1.0f);
  entry->root = constant;
  DiagnosticSink sink;
  module.Finalize(sink);
  ASSERT_EQ(sink.error_count(), 0);
  Verify(module, sink);
  ASSERT_EQ(sink.error_count(), 1);
  EXPECT_EQ(sink.diagnostics()[0].label, "constant.literal-shape");
}

TEST(Structural, AConstantThatWasLeftOutHasNoValueYet) {
  const absl::StatusOr<Value> value = EvaluateText("ROOT c = f32[100] constant({...})");
  EXPECT_EQ(value.status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace hloscope
