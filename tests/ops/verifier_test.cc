// The verifier: what it asks of every operation alike, what it fills in, that one mistake is one message, and how fast it is.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(Verifier, OperandCount) {
  ExpectError("p = f32[2] parameter(0)\nROOT r = f32[2] add(p)", "verify.operand-count");
  ExpectError("p = f32[2] parameter(0)\nROOT r = f32[2] negate(p, p)", "verify.operand-count");
  ExpectError("ROOT r = f32[2] concatenate(), dimensions={0}", "verify.operand-count");
}

TEST(Verifier, Attributes) {
  ExpectError("p = f32[2] parameter(0)\nROOT r = pred[2] compare(p, p)", "verify.missing-attribute");
}

TEST(Verifier, AttributesThatDoNotBelongAreWarnings) {
  const CheckedModule unexpected = CheckText("p = f32[2] parameter(0)\nROOT r = f32[2] negate(p), dimensions={0}");
  EXPECT_EQ(unexpected.sink.error_count(), 0) << unexpected.Problems();
  ASSERT_EQ(unexpected.sink.diagnostics().size(), 1u) << unexpected.Problems();
  EXPECT_EQ(unexpected.sink.diagnostics()[0].label, "verify.unexpected-attribute");
  const CheckedModule unknown = CheckText("p = f32[2] parameter(0)\nROOT r = f32[2] negate(p), frobnicate=7");
  EXPECT_EQ(unknown.sink.error_count(), 0) << unknown.Problems();
  ASSERT_EQ(unknown.sink.diagnostics().size(), 1u) << unknown.Problems();
  EXPECT_EQ(unknown.sink.diagnostics()[0].label, "verify.unknown-attribute");
}

TEST(Verifier, TheMessageShowsBothShapesAndPointsAtTheWrittenOne) {
  const CheckedModule checked = CheckText("p = f32[2]{0} parameter(0)\nROOT r = f32[3]{0} negate(p)");
  ASSERT_EQ(checked.sink.error_count(), 1);
  const Diagnostic& d = checked.sink.diagnostics()[0];
  EXPECT_EQ(d.label, "verify.shape-mismatch");
  EXPECT_NE(d.message.find("f32[3]"), std::string::npos) << d.message;
  EXPECT_NE(d.message.find("f32[2]"), std::string::npos) << d.message;
  ASSERT_TRUE(d.range.valid());
  EXPECT_EQ(checked.source->text().substr(d.range.begin, d.range.end - d.range.begin), "f32[3]{0}");
}

TEST(Verifier, LayoutsPlayNoPartInTheShapes) {
  ExpectAccepted("p = f32[2,3]{0,1} parameter(0)\nROOT r = f32[2,3]{1,0} negate(p)");
}

TEST(Verifier, OneMistakeIsOneMessage) {
  // b is wrong; what reads it is not blamed, and d's own mistake is found all the same.
  const CheckedModule checked = CheckText(
      "p = f32[2] parameter(0)\nb = f32[3] negate(p)\nc = f32[2] add(b, p)\nd = f32[5] add(p, p)\nROOT r = f32[2] add(c, p)");
  ASSERT_EQ(checked.sink.error_count(), 2) << checked.Problems();
}

TEST(Verifier, UnboundedDimensionsAreRefused) {
  ExpectError("p = f32[?] parameter(0)\nROOT r = f32[2] constant({1,2})", "verify.unbounded-dimension");
}

TEST(Verifier, ArraysBeyondAllMemoryAreRefused) {
  const std::string huge = "f32[1099511627776,1099511627776]";
  ExpectError("p = " + huge + " parameter(0)\nROOT r = f32[] constant(0)", "verify.array-too-large");
  ExpectError("p = (f32[2], " + huge + ") parameter(0)\nROOT r = f32[2] get-tuple-element(p), index=0", "verify.array-too-large");
}

// A module built by hand: no text gives these shapes.
struct Built {
  Module module;
  Computation* entry = nullptr;
  Built() { entry = module.AddComputation("main"), entry->is_entry = true; }
  Instruction* Add(Opcode opcode, absl::string_view name, std::vector<Instruction*> operands) {
    Instruction* i = module.AddInstruction(entry);
    i->opcode = opcode;
    i->name = module.Intern(name);
    i->operands.assign(operands.begin(), operands.end());
    i->shape_omitted = opcode != Opcode::kParameter;
    entry->root = i;
    return i;
  }
};

// The reader refuses these two itself; a module that was built or came from elsewhere may have them.
TEST(Verifier, LayoutOrdersTheDimensions) {
  for (std::vector<int64_t> order : std::vector<std::vector<int64_t>>{{1, 1}, {0}, {0, 2}, {-1, 0}}) {
    Built b;
    Instruction* p = b.Add(Opcode::kParameter, "p", {});
    p->parameter_number = 0;
    Layout layout;
    layout.minor_to_major = order;
    p->shape = Shape::Array(ElementType::kF32, {2, 3}, layout);
    DiagnosticSink sink;
    b.module.Finalize(sink);
    Verify(b.module, sink);
    ASSERT_EQ(sink.error_count(), 1);
    EXPECT_EQ(sink.diagnostics()[0].label, "verify.layout");
  }
}

TEST(Verifier, AttributesAreGivenOnce) {
  Built b;
  Instruction* i = b.Add(Opcode::kIota, "i", {});
  i->shape = Shape::Array(ElementType::kS32, {2});
  i->shape_omitted = false;
  for (int64_t dimension : {0, 0}) i->attributes.push_back({AttrId::kIotaDimension, "iota_dimension", dimension, {}});
  DiagnosticSink sink;
  b.module.Finalize(sink);
  Verify(b.module, sink);
  ASSERT_EQ(sink.error_count(), 1);
  EXPECT_EQ(sink.diagnostics()[0].label, "verify.repeated-attribute");
}

TEST(Verifier, FillsInOmittedShapes) {
  Built b;
  Instruction* p = b.Add(Opcode::kParameter, "p", {});
  p->parameter_number = 0;
  p->shape = Shape::Array(ElementType::kF32, {2, 3}, Layout::RowMajor(2));
  Instruction* n = b.Add(Opcode::kNegate, "n", {p});
  Instruction* t = b.Add(Opcode::kTuple, "t", {n, p});
  DiagnosticSink sink;
  b.module.Finalize(sink);
  Verify(b.module, sink);
  EXPECT_EQ(sink.error_count(), 0);
  EXPECT_EQ(n->shape.ToString(), "f32[2,3]");
  EXPECT_EQ(t->shape.ToString(false), "(f32[2,3], f32[2,3])");
}

TEST(Verifier, SaysWhereAShapeMustBeWritten) {
  Built b;
  Instruction* p = b.Add(Opcode::kParameter, "p", {});
  p->parameter_number = 0;
  p->shape = Shape::Array(ElementType::kF32, {2});
  b.Add(Opcode::kNegate, "after", {b.Add(Opcode::kConvert, "c", {p})});
  DiagnosticSink sink;
  b.module.Finalize(sink);
  Verify(b.module, sink);
  ASSERT_EQ(sink.error_count(), 1);
  EXPECT_EQ(sink.diagnostics()[0].label, "verify.shape-needed");
}

TEST(Verifier, EveryOperationOfTheTableIsDefinedOrSaysNotYet) {
  int defined = 0;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const OpDef& def = Def(static_cast<Opcode>(i));
    if (def.infer != nullptr) {
      ++defined;
      EXPECT_FALSE(def.summary.empty()) << Name(def.opcode);
      EXPECT_FALSE(def.spec.empty()) << Name(def.opcode);
      if (def.op_class == OpClass::kPull || def.op_class == OpClass::kPush) EXPECT_TRUE(def.program != nullptr) << Name(def.opcode);
      if (def.op_class == OpClass::kControl) EXPECT_NE(def.control, ControlKind::kNone) << Name(def.opcode);
      continue;
    }
    Built b;
    b.Add(def.opcode, "x", {});
    DiagnosticSink sink;
    b.module.Finalize(sink);
    Verify(b.module, sink);
    ASSERT_EQ(sink.error_count(), 1) << Name(def.opcode);
    EXPECT_EQ(sink.diagnostics()[0].label, "verify.not-supported-yet");
  }
  EXPECT_GT(defined, 90);
}

TEST(Verifier, DeeplyNestedCallsNeedNoStack) {
  std::string text = "c0 { ROOT x = f32[] parameter(0) }\n";
  const int depth = 20000;
  for (int i = 1; i < depth; ++i) {
    text += "c" + std::to_string(i) + " { x = f32[] parameter(0)\n ROOT y = f32[] call(x), to_apply=c" + std::to_string(i - 1) + " }\n";
  }
  text += "ENTRY main { x = f32[] parameter(0)\n ROOT y = f32[] call(x), to_apply=c" + std::to_string(depth - 1) + " }\n";
  ExpectAccepted(text);
}

std::string Corpus() {
  const char* set = std::getenv("HLOSCOPE_CORPUS");
  return set != nullptr ? set : "../shared/corpus";
}

// Real programs have no errors, and the largest is checked in well under 60 ms.
TEST(Verifier, AcceptsTheCorpus) {
  namespace fs = std::filesystem;
  const fs::path models = fs::path(Corpus()) / "models";
  if (!fs::exists(models)) GTEST_SKIP() << "no corpus at " << Corpus();
  int files = 0;
  for (const auto& entry : fs::directory_iterator(models)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    CheckedModule checked;
    checked.source = std::make_shared<const SourceText>(entry.path().filename().string(), text.str());
    checked.module = ReadHloText(checked.source, checked.sink);
    ASSERT_EQ(checked.sink.error_count(), 0) << checked.Problems().substr(0, 2000);
    const auto start = std::chrono::steady_clock::now();
    Verify(*checked.module, checked.sink);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    EXPECT_TRUE(checked.sink.diagnostics().empty()) << checked.Problems().substr(0, 3000);
    ++files;
    RecordProperty(entry.path().stem().string(), std::to_string(ms) + " ms");
    EXPECT_LT(ms, 1000) << entry.path();  // far above what it takes; a mistake that is not linear shows
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace hloscope
