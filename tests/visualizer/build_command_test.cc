// The builder's commands, as they are typed and as its forms write them.
#include "visualizer/model/build_command.h"

#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope::build {
namespace {

using testing::HasSubstr;

Reading Read(std::string text) {
  Reading reading;
  reading.source = std::make_shared<const SourceText>("test.hlo", std::move(text));
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(reading.source, sink);
  Verify(*module, sink);
  reading.ok = sink.error_count() == 0;
  reading.module = std::move(module);
  return reading;
}

// Each command in turn; the text after them all.
std::string After(std::string text, const std::vector<std::string>& commands, bool ok = true) {
  for (const std::string& command : commands) {
    const Reading reading = Read(text);
    const absl::StatusOr<TextEdit> edit = RunBuildCommand(reading, nullptr, command);
    EXPECT_TRUE(edit.ok()) << command << ": " << edit.status();
    if (!edit.ok()) return text;
    text.replace(edit->begin, edit->end - edit->begin, edit->text);
  }
  EXPECT_EQ(Read(text).ok, ok) << text;
  return text;
}

std::string Refused(const std::string& text, const std::string& command) {
  const absl::StatusOr<TextEdit> edit = RunBuildCommand(Read(text), nullptr, command);
  EXPECT_FALSE(edit.ok()) << command;
  return std::string(edit.status().message());
}

TEST(BuildCommand, AProgramFromCommandsAlone) {
  const std::string text = After(NewProgramText(), {"parameter f32[2,3] x", "constant f32[3,2] {{1, 2}, {3, 4}, {5, 6}} w",
                                                    "add dot %x %w lhs_contracting_dims={1} rhs_contracting_dims={0}", "constant f32[] 0 zero", "computation add f32 sum",
                                                    "add reduce %dot %zero dimensions={0, 1} to_apply=sum name=total root=yes"});
  EXPECT_THAT(text, HasSubstr("ROOT total = f32[] reduce(dot, zero), dimensions={0, 1}, to_apply=sum\n"));
  const std::string changed = After(text, {"attribute %total dimensions={1}", "rename %dot product", "rename sum plus", "operand %product 0 %x", "literal %w ones", "root %product"});
  EXPECT_THAT(changed, HasSubstr("total = f32[2] reduce(product, zero), dimensions={1}, to_apply=plus"));
  EXPECT_THAT(changed, HasSubstr("constant({{1, 1}, {1, 1}, {1, 1}})"));
  EXPECT_THAT(changed, HasSubstr("ROOT product"));
}

TEST(BuildCommand, TheWordsOfADraftMakeTheSameInstruction) {
  const std::string text =
      "ENTRY main {\n  x = f32[1,8,8,1] parameter(0)\n  k = f32[3,3,1,2] parameter(1)\n"
      "  ROOT c = f32[1,8,8,2] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f, metadata={op_name=\"net conv\"}\n}\n";
  const Reading reading = Read(text);
  ASSERT_TRUE(reading.ok);
  Draft draft = DraftOf(reading, *reading.module->entry->root);
  draft.name = "d";
  const std::string twice = After(text, {"add " + WordsOf(draft)});
  EXPECT_THAT(twice, HasSubstr("d = f32[1,8,8,2] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\n"));
  // Changed: what is not the operation's own stays, and the shape follows.
  draft.name = "";
  draft.shape = "";
  draft.Set("window", "{size=3x3}");
  EXPECT_THAT(After(text, {"change %c " + WordsOf(draft)}), HasSubstr("ROOT c = f32[1,6,6,2] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f, metadata={op_name=\"net conv\"}"));
}

TEST(BuildCommand, WhatIsRefusedSaysWhy) {
  const std::string text = "ENTRY main {\n  x = f32[4] parameter(0)\n  ROOT n = f32[4] negate(x)\n}\n";
  EXPECT_THAT(Refused(text, "delete %x"), HasSubstr("still used by n"));
  EXPECT_THAT(Refused(text, "delete %y"), HasSubstr("no instruction %y"));
  EXPECT_THAT(Refused(text, "add frobnicate %x"), HasSubstr("frobnicate"));
  EXPECT_THAT(Refused(text, "add negate %y"), HasSubstr("no value y"));
  EXPECT_THAT(Refused(text, "add"), HasSubstr("operation"));
  EXPECT_THAT(Refused(text, "add negate %x root=maybe"), HasSubstr("root=yes"));
  EXPECT_THAT(Refused(text, "paint %x"), HasSubstr("does not know 'paint'"));
  EXPECT_THAT(Refused(text, "operand %n one %x"), HasSubstr("operand"));
  EXPECT_THAT(Refused(text, "operand %n 1 %y"), HasSubstr("no value y"));
  EXPECT_THAT(Refused(text, "attribute %n"), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(Refused(text, "attribute %n dimensions="), HasSubstr("no attribute dimensions"));
  EXPECT_THAT(Refused(text, "shape %n f32[4"), HasSubstr(""));
  EXPECT_THAT(Refused(text, "literal %n 5"), HasSubstr("not a constant"));
  EXPECT_THAT(Refused(text, "constant f32[2] /nowhere/x.npy"), HasSubstr("/nowhere/x.npy"));
  EXPECT_THAT(Refused(text, "rename %n x"), HasSubstr("already"));
  EXPECT_THAT(Refused(text, ""), HasSubstr("takes an action"));
  EXPECT_THAT(Refused("module @m {\n  func.func @main() { return }\n}\n", "parameter f32[4]"), HasSubstr("StableHLO"));
}

TEST(BuildCommand, NamesAreLookedForAtHomeFirst) {
  const Reading reading = Read("f { a = f32[] parameter(0)  ROOT r = f32[] negate(a) }\nENTRY main {\n  a = f32[] parameter(0)\n  ROOT c = f32[] call(a), to_apply=f\n}\n");
  ASSERT_TRUE(reading.ok);
  const Computation* f = reading.module->FindComputation("f");
  EXPECT_EQ(FindIn(reading, nullptr, "%a")->parent, reading.module->entry);
  EXPECT_EQ(FindIn(reading, f, "a")->parent, f);
  EXPECT_EQ(FindIn(reading, nullptr, "f:a")->parent, f);
  EXPECT_EQ(FindIn(reading, nullptr, "r")->parent, f);
  EXPECT_EQ(FindIn(reading, nullptr, "q"), nullptr);
}

}  // namespace
}  // namespace hloscope::build
