// The builder's edits as text: each is read again by the reader and the verifier, as the document does.
#include "visualizer/model/build_edit.h"

#include <cstdio>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "visualizer/model/meant_computation.h"

namespace hloscope::build {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::shared_ptr<const Reading> ReadText(std::string text) {
  auto reading = std::make_shared<Reading>();
  reading->source = std::make_shared<const SourceText>("test.hlo", std::move(text));
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(reading->source, sink);
  Verify(*module, sink);
  reading->problems = sink.diagnostics();
  reading->ok = sink.error_count() == 0;
  reading->module = std::move(module);
  return reading;
}

// A program, edited step by step.
class Program {
 public:
  explicit Program(std::string text) : text_(std::move(text)), reading_(ReadText(text_)) {}
  const Reading& reading() const { return *reading_; }
  const std::string& text() const { return text_; }
  const Computation& entry() const { return *reading_->module->entry; }
  const Instruction& at(absl::string_view name) const {
    for (const Computation* c : reading_->module->computations) {
      if (const Instruction* found = c->FindInstruction(name)) return *found;
    }
    ADD_FAILURE() << "no instruction " << name << " in\n" << text_;
    return *entry().root;
  }
  std::string Apply(const absl::StatusOr<TextEdit>& edit) {
    EXPECT_TRUE(edit.ok()) << edit.status();
    if (!edit.ok()) return "";
    text_.replace(edit->begin, edit->end - edit->begin, edit->text);
    EXPECT_LE(edit->cursor, static_cast<int64_t>(text_.size()));
    reading_ = ReadText(text_);
    return edit->name;
  }
  void ExpectOk() const {
    EXPECT_TRUE(reading_->ok) << (reading_->problems.empty() ? "" : reading_->problems.front().message) << "\n" << text_;
  }

 private:
  std::string text_;
  std::shared_ptr<const Reading> reading_;
};

Draft Operation(std::string opcode, std::vector<std::string> operands, std::vector<std::pair<std::string, std::string>> attributes = {}) {
  Draft draft;
  draft.opcode = std::move(opcode);
  draft.operands = std::move(operands);
  draft.attributes = std::move(attributes);
  return draft;
}

constexpr char kChain[] = R"(HloModule chain, entry_computation_layout={(f32[2,3]{1,0})->f32[3,2]{1,0}}

// Adds two numbers.
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }

ENTRY %main (x: f32[2,3]) -> f32[3,2] {
  %x = f32[2,3]{1,0} parameter(0)
  %n = f32[2,3]{1,0} negate(f32[2,3]{1,0} %x), metadata={op_name="minus"}  // the negative
  %e = f32[2,3]{1,0} exponential(f32[2,3]{1,0} %n), control-predecessors={%n}
  ROOT %t = f32[3,2]{1,0} transpose(f32[2,3]{1,0} %e), dimensions={1,0}
}
)";

TEST(BuildEdit, DotAndAddFromNothing) {
  Program p(NewProgramText());
  p.Apply(AddParameter(p.reading(), nullptr, "f32[2,3]", "x"));
  p.ExpectOk();
  p.Apply(AddParameter(p.reading(), nullptr, "f32[3,2]", "w"));
  p.Apply(AddConstant(p.reading(), nullptr, "f32[2,2]", "{{1,2},{3,4}}", "bias"));
  p.ExpectOk();
  Draft dot = Operation("dot", {"x", "w"});
  Suggest(p.reading(), p.entry(), &dot);
  EXPECT_EQ(*dot.Find("lhs_contracting_dims"), "{1}");
  EXPECT_EQ(*dot.Find("rhs_contracting_dims"), "{0}");
  EXPECT_EQ(p.Apply(InsertInstruction(p.reading(), nullptr, dot)), "dot");
  EXPECT_EQ(p.Apply(InsertInstruction(p.reading(), nullptr, Operation("add", {"dot", "bias"}))), "add");
  p.ExpectOk();
  EXPECT_EQ(p.entry().root->name, "add");
  EXPECT_EQ(p.at("dot").shape.ToString(false), "f32[2,2]");
  EXPECT_EQ(p.text(),
            "HloModule untitled\n\nENTRY main {\n  x = f32[2,3] parameter(0)\n  w = f32[3,2] parameter(1)\n  bias = f32[2,2] constant({{1,2},{3,4}})\n"
            "  dot = f32[2,2] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  ROOT add = f32[2,2] add(dot, bias)\n}\n");
}

TEST(BuildEdit, EmptyTextGetsAnEntry) {
  Program p("");
  p.Apply(AddParameter(p.reading(), nullptr, "s32[4]"));
  p.ExpectOk();
  EXPECT_EQ(p.entry().root->name, "p0");
}

TEST(BuildEdit, VerdictSaysShapeOrWhatIsWrong) {
  Program p(kChain);
  p.ExpectOk();
  const Verdict good = Check(p.reading(), p.entry(), Operation("add", {"n", "e"}));
  EXPECT_TRUE(good.ok);
  EXPECT_EQ(good.shape.ToString(false), "f32[2,3]");
  const Verdict bad = Check(p.reading(), p.entry(), Operation("add", {"n", "t"}));
  EXPECT_FALSE(bad.ok);
  ASSERT_FALSE(bad.findings.empty());
  EXPECT_THAT(bad.findings.front().message, HasSubstr("[3,2]"));
  EXPECT_EQ(bad.findings.front().operand, 1);
  const Verdict attribute = Check(p.reading(), p.entry(), Operation("transpose", {"n"}, {{"dimensions", "{1,1}"}}));
  ASSERT_FALSE(attribute.findings.empty());
  EXPECT_EQ(attribute.findings.front().attribute, "dimensions");
  const Verdict unknown = Check(p.reading(), p.entry(), Operation("add", {"n", "nothing"}));
  ASSERT_EQ(unknown.findings.size(), 1);
  EXPECT_EQ(unknown.findings.front().operand, 1);
  EXPECT_TRUE(Check(p.reading(), p.entry(), Operation("iota", {}, {{"iota_dimension", "0"}})).shape_needed);
  EXPECT_THAT(Check(p.reading(), p.entry(), Operation("frobnicate", {})).findings.front().message, HasSubstr("frobnicate"));
  // What comes later cannot be read, nor the instruction itself.
  EXPECT_THAT(Check(p.reading(), p.entry(), Operation("negate", {"e"}), &p.at("n")).findings.front().message, HasSubstr("after"));
  EXPECT_THAT(Check(p.reading(), p.entry(), Operation("negate", {"n"}), &p.at("n")).findings.front().message, HasSubstr("itself"));
}

TEST(BuildEdit, CalledComputationsAreChecked) {
  Program p(kChain);
  Draft reduce = Operation("reduce", {"x", "zero"}, {{"dimensions", "{1}"}, {"to_apply", "add"}});
  EXPECT_FALSE(Check(p.reading(), p.entry(), reduce).ok);
  p.Apply(AddConstant(p.reading(), nullptr, "f32[]", "0", "zero"));
  EXPECT_EQ(Check(p.reading(), p.entry(), reduce).shape.ToString(false), "f32[2]");
  // The entry calls itself: no.
  reduce.Set("to_apply", "main");
  EXPECT_FALSE(Check(p.reading(), p.entry(), reduce).ok);
  reduce.attributes.clear();
  Suggest(p.reading(), p.entry(), &reduce);
  EXPECT_EQ(*reduce.Find("to_apply"), "add");
  EXPECT_TRUE(Check(p.reading(), p.entry(), reduce).ok);
}

TEST(BuildEdit, GathersByWhatAnIndexVectorNames) {
  Program p(R"(HloModule m

ENTRY main {
  x = f32[6,5,4] parameter(0)
  pairs = s32[7,2] parameter(1)
  rows = s32[3] parameter(2)
  ROOT n = f32[6,5,4] negate(x)
}
)");
  Draft two = Operation("gather", {"x", "pairs"});
  Suggest(p.reading(), p.entry(), &two);
  EXPECT_EQ(*two.Find("start_index_map"), "{0,1}");
  EXPECT_EQ(*two.Find("slice_sizes"), "{1,1,4}");
  EXPECT_EQ(*two.Find("offset_dims"), "{1}");
  EXPECT_TRUE(Check(p.reading(), p.entry(), two).ok);
  Draft one = Operation("gather", {"x", "rows"});
  Suggest(p.reading(), p.entry(), &one);
  EXPECT_EQ(*one.Find("slice_sizes"), "{1,5,4}");
  EXPECT_EQ(*one.Find("index_vector_dim"), "1");
  EXPECT_TRUE(Check(p.reading(), p.entry(), one).ok);
}

// Nothing follows from a computation that is wrong itself.
TEST(BuildEdit, ProblemsOfWhatIsCalledAreFound) {
  Program p(R"(HloModule m

cond {
  x = s32[] parameter(0)
  ten = s32[] constant(10)
  ROOT less = pred[] compare(x, ten), direction=LT
}

body {
  x = f32[] parameter(0)
  one = s32[] constant(1)
  ROOT next = add(x, one)
}

ENTRY main {
  ROOT n = s32[] parameter(0)
}
)");
  const Draft loop = Operation("while", {"n"}, {{"condition", "cond"}, {"body", "body"}});
  const Verdict verdict = Check(p.reading(), p.entry(), loop);
  EXPECT_FALSE(verdict.ok);
  ASSERT_FALSE(verdict.findings.empty());
  EXPECT_THAT(verdict.findings.back().message, HasSubstr("in body, which it calls: operand 1 has element type s32 but operand 0 has f32"));
  EXPECT_EQ(verdict.findings.back().attribute, "body");
}

TEST(MeantComputation, StaysTheSameUnderAnotherName) {
  uint64_t version = 0;
  const auto read = [&version](const std::vector<std::string>& names) {
    std::string text = "HloModule m\n";
    for (const std::string& name : names) absl::StrAppend(&text, name, " {\n  ROOT x = f32[] parameter(0)\n}\n");
    auto reading = std::make_shared<Reading>(*ReadText(absl::StrCat(text, "ENTRY main {\n  ROOT y = f32[] parameter(0)\n}\n")));
    reading->version = ++version;
    return reading;
  };
  MeantComputation meant;
  EXPECT_EQ(meant.Find(*read({"a", "b"})), nullptr);
  meant.Choose("b");
  const auto name = [&meant](const std::shared_ptr<const Reading>& reading) -> std::string {
    const Computation* found = meant.Find(*reading);
    return found != nullptr ? std::string(found->name) : "none";
  };
  EXPECT_EQ(name(read({"a", "b"})), "b");
  EXPECT_EQ(name(read({"a", "c"})), "c");
  EXPECT_EQ(name(read({"d", "c"})), "c");
  EXPECT_EQ(name(read({"d", "e", "c"})), "c");
  EXPECT_EQ(name(read({"d", "e"})), "none");
  // Several other names: another program.
  EXPECT_EQ(name(read({"d", "c"})), "c");
  EXPECT_EQ(name(read({"f", "g"})), "none");
}

TEST(BuildEdit, RenameChangesAllUses) {
  Program p(kChain);
  p.Apply(Rename(p.reading(), p.at("n"), "minus"));
  p.ExpectOk();
  EXPECT_THAT(p.text(), HasSubstr("exponential(f32[2,3]{1,0} %minus), control-predecessors={%minus}"));
  p.Apply(Rename(p.reading(), p.at("x"), "input"));
  p.ExpectOk();
  EXPECT_THAT(p.text(), HasSubstr("(input: f32[2,3]"));
  EXPECT_FALSE(Rename(p.reading(), p.at("e"), "input").ok());
  EXPECT_FALSE(Rename(p.reading(), p.at("e"), "two words").ok());
  EXPECT_FALSE(Rename(p.reading(), p.at("e"), "").ok());
}

TEST(BuildEdit, AttributeThatChangesTheShapeIsFollowed) {
  Program p(R"(HloModule m, entry_computation_layout={(f32[2,3])->f32[3,2]}

ENTRY main (x: f32[2,3]) -> f32[3,2] {
  x = f32[2,3] parameter(0)
  t = f32[3,2] transpose(x), dimensions={1,0}
  n = f32[3,2] negate(t)
  ROOT e = f32[3,2] exponential(f32[3,2] n)
}
)");
  p.ExpectOk();
  p.Apply(SetAttribute(p.reading(), p.at("t"), "dimensions", "{0,1}"));
  p.ExpectOk();
  EXPECT_EQ(p.at("e").shape.ToString(false), "f32[2,3]");
  EXPECT_THAT(p.text(), HasSubstr("-> f32[2,3] {"));
  EXPECT_THAT(p.text(), HasSubstr("{(f32[2,3])->f32[2,3]}"));
  // A wrong one is written as it is; the reader then says what is wrong with it.
  p.Apply(SetAttribute(p.reading(), p.at("t"), "dimensions", "{0,0}"));
  EXPECT_FALSE(p.reading().ok);
  p.Apply(SetAttribute(p.reading(), p.at("t"), "dimensions", "{1,0}"));
  p.ExpectOk();
  EXPECT_EQ(p.at("e").shape.ToString(false), "f32[3,2]");
}

TEST(BuildEdit, ParameterOfAnotherShapeIsFollowed) {
  Program p(kChain);
  Draft draft = DraftOf(p.reading(), p.at("x"));
  draft.shape = "f32[5,7]{1,0}";
  p.Apply(ChangeInstruction(p.reading(), p.at("x"), draft));
  p.ExpectOk();
  EXPECT_EQ(p.at("t").shape.ToString(true), "f32[7,5]{1,0}");
  EXPECT_THAT(p.text(), HasSubstr("(x: f32[5,7]{1,0}) -> f32[7,5]{1,0} {"));
  EXPECT_THAT(p.text(), HasSubstr("// the negative"));
}

TEST(BuildEdit, OperandsAndOperation) {
  Program p(kChain);
  p.Apply(ChangeOperand(p.reading(), p.at("e"), 0, "%x"));
  p.ExpectOk();
  EXPECT_EQ(p.at("e").operands[0]->name, "x");
  EXPECT_FALSE(ChangeOperand(p.reading(), p.at("e"), 3, "x").ok());
  EXPECT_FALSE(ChangeOperand(p.reading(), p.at("e"), 0, "nothing").ok());
  EXPECT_FALSE(ChangeOperand(p.reading(), p.at("x"), 0, "n").ok());
  Draft draft = DraftOf(p.reading(), p.at("e"));
  draft.opcode = "add";
  draft.operands = {"x", "n"};
  p.Apply(ChangeInstruction(p.reading(), p.at("e"), draft));
  p.ExpectOk();
  EXPECT_THAT(p.text(), HasSubstr("%e = f32[2,3]{1,0} add(%x, %n), control-predecessors={%n}"));
}

TEST(BuildEdit, DeleteSaysWhatStillUsesIt) {
  Program p(kChain);
  const absl::StatusOr<TextEdit> refused = DeleteInstruction(p.reading(), p.at("n"));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.status().message(), HasSubstr("still used by e"));
  p.Apply(DeleteInstruction(p.reading(), p.at("t")));
  p.ExpectOk();
  EXPECT_EQ(p.entry().root->name, "e");
  EXPECT_THAT(p.text(), HasSubstr("-> f32[2,3]{1,0} {"));
  p.Apply(DeleteInstruction(p.reading(), p.at("n"), &p.at("x")));
  p.ExpectOk();
  EXPECT_EQ(p.at("e").operands[0]->name, "x");
  EXPECT_THAT(p.text(), Not(HasSubstr("negat")));
}

TEST(BuildEdit, DeletedParametersAreCountedAnew) {
  Program p("ENTRY main (a: f32[], b: f32[], c: f32[]) -> f32[] {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n  ROOT s = f32[] add(a, c)\n}\n");
  p.ExpectOk();
  p.Apply(DeleteInstruction(p.reading(), p.at("b")));
  p.ExpectOk();
  EXPECT_EQ(p.at("c").parameter_number, 1);
  EXPECT_THAT(p.text(), HasSubstr("(a: f32[], c: f32[]) -> f32[]"));
}

TEST(BuildEdit, RootMovesWithItsMark) {
  Program p(kChain);
  p.Apply(MakeRoot(p.reading(), p.at("e")));
  p.ExpectOk();
  EXPECT_EQ(p.entry().root->name, "e");
  EXPECT_THAT(p.text(), HasSubstr("  ROOT %e = "));
  EXPECT_THAT(p.text(), HasSubstr("\n  %t = "));
  EXPECT_THAT(p.text(), HasSubstr("->f32[2,3]{1,0}}"));
  EXPECT_FALSE(MakeRoot(p.reading(), p.at("e")).ok());
}

TEST(BuildEdit, RootThatIsNotMarkedStaysWhenALaterLineComes) {
  Program p("ENTRY main {\n  a = f32[] parameter(0)\n  r = f32[] negate(a)\n}\n");
  p.ExpectOk();
  p.Apply(InsertInstruction(p.reading(), nullptr, Operation("exponential", {"a"}), Rooting::kNo));
  p.ExpectOk();
  EXPECT_EQ(p.entry().root->name, "r");
}

TEST(BuildEdit, InsertsIntoOneLineAndBehindAnInstruction) {
  Program p(kChain);
  const Computation* add = p.reading().module->FindComputation("add");
  p.Apply(InsertInstruction(p.reading(), add, Operation("multiply", {"s", "a"})));
  p.ExpectOk();
  EXPECT_EQ(p.reading().module->FindComputation("add")->root->name, "multiply");
  EXPECT_THAT(p.text(), HasSubstr("  s = f32[] add(a, b)  ROOT multiply = f32[] multiply(s, a) }"));
  p.Apply(InsertInstruction(p.reading(), nullptr, Operation("abs", {"n"}), Rooting::kNo, &p.at("n")));
  p.ExpectOk();
  EXPECT_THAT(p.text(), HasSubstr("// the negative\n  %abs = f32[2,3] abs(%n)\n  %e"));
  Draft named = Operation("abs", {"n"});
  named.name = "e";
  EXPECT_FALSE(InsertInstruction(p.reading(), nullptr, named).ok());
}

TEST(BuildEdit, Computations) {
  Program p(kChain);
  EXPECT_EQ(p.Apply(AddComputation(p.reading(), "maximum", "bf16")), "maximum_bf16");
  EXPECT_EQ(p.Apply(AddComputation(p.reading(), "LT", "s32", "smaller")), "smaller");
  EXPECT_EQ(p.Apply(AddComputation(p.reading(), "", "f32", "body")), "body");
  p.ExpectOk();
  EXPECT_EQ(p.reading().module->FindComputation("smaller")->root->shape.ToString(false), "pred[]");
  EXPECT_FALSE(AddComputation(p.reading(), "add", "f32", "smaller").ok());
  EXPECT_FALSE(AddComputation(p.reading(), "frobnicate", "f32").ok());
  EXPECT_FALSE(AddComputation(p.reading(), "add", "f33").ok());
  p.Apply(AddConstant(p.reading(), nullptr, "f32[]", "0", "zero"));
  p.Apply(InsertInstruction(p.reading(), nullptr, Operation("reduce", {"x", "zero"}, {{"dimensions", "{0,1}"}, {"to_apply", "add"}}), Rooting::kYes));
  p.ExpectOk();
  p.Apply(RenameComputation(p.reading(), *p.reading().module->FindComputation("add"), "plus"));
  p.ExpectOk();
  EXPECT_THAT(p.text(), HasSubstr("to_apply=plus"));
}

TEST(BuildEdit, Constants) {
  Program p(kChain);
  EXPECT_FALSE(AddConstant(p.reading(), nullptr, "f32[2]", "{1,2,3}").ok());
  EXPECT_FALSE(AddConstant(p.reading(), nullptr, "f32[2", "{1,2}").ok());
  EXPECT_EQ(p.Apply(AddConstant(p.reading(), nullptr, "f32[2]", "{1,2}", "c")), "c");
  p.Apply(SetConstant(p.reading(), p.at("c"), "{5, 6, 7}", "f32[3]"));
  p.ExpectOk();
  EXPECT_THAT(p.text(), HasSubstr("%c = f32[3] constant({5, 6, 7})"));
  EXPECT_THAT(ElementTexts(p.at("c").literal->value), ElementsAre("5", "6", "7"));
  EXPECT_FALSE(SetConstant(p.reading(), p.at("c"), "{5}").ok());
  EXPECT_FALSE(SetConstant(p.reading(), p.at("n"), "{5}").ok());
}

TEST(BuildEdit, Literals) {
  EXPECT_EQ(LiteralText({2, 2}, {"1", "2", "3", "4"}), "{{1, 2}, {3, 4}}");
  EXPECT_EQ(LiteralText({}, {"7"}), "7");
  EXPECT_EQ(*MadeUpLiteral(*ParseShape("s32[3]"), "iota"), "{0, 1, 2}");
  EXPECT_EQ(*MadeUpLiteral(*ParseShape("f32[2]"), "random:3"), *MadeUpLiteral(*ParseShape("f32[2]"), "random:3"));
  EXPECT_NE(*MadeUpLiteral(*ParseShape("f32[2]"), "random:3"), *MadeUpLiteral(*ParseShape("f32[2]"), "random:4"));
  EXPECT_FALSE(MadeUpLiteral(*ParseShape("f32[2]"), "sevens").ok());
  EXPECT_FALSE(MadeUpLiteral(*ParseShape("f32[9000,9000]"), "ones").ok());
  for (const char* type : {"f32", "bf16", "f64", "s8", "u4", "s2", "pred", "c64", "f8e4m3fn"}) {
    for (const char* how : {"zeros", "ones", "iota", "random:1"}) {
      Program p(NewProgramText());
      const std::string shape = absl::StrCat(type, "[2,3]");
      p.Apply(AddConstant(p.reading(), nullptr, shape, *MadeUpLiteral(*ParseShape(shape), how)));
      p.ExpectOk();
    }
  }
}

TEST(BuildEdit, OneUndoStepBringsTheTextBack) {
  Wiring wiring;
  wiring.read_text = [](const std::string& name, std::string text) {
    ReadProgram program;
    program.source = std::make_shared<const SourceText>(name, std::move(text));
    DiagnosticSink sink;
    program.module = ReadHloText(program.source, sink);
    program.problems = sink.diagnostics();
    return program;
  };
  Document document(wiring, [] {});
  document.Reset("chain.hlo", kChain);
  const auto reading = ReadText(kChain);
  const absl::StatusOr<TextEdit> edit = Rename(*reading, *reading->module->entry->FindInstruction("n"), "minus");
  ASSERT_TRUE(edit.ok());
  document.Replace(edit->begin, edit->end, edit->text, edit->cursor, edit->cursor);
  EXPECT_NE(document.text(), kChain);
  document.Undo();
  EXPECT_EQ(document.text(), kChain);
  EXPECT_FALSE(document.can_undo());
}

TEST(BuildEdit, StableHloIsNotWritten) {
  EXPECT_TRUE(IsHloText(kChain));
  EXPECT_TRUE(IsHloText(""));
  EXPECT_FALSE(IsHloText("module @m {\n  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {\n    return %arg0 : tensor<4xf32>\n  }\n}\n"));
}

}  // namespace
}  // namespace hloscope::build
