#include "core/ir/frontend_attributes.h"
#include "core/ir/module.h"
#include "core/ir/written_names.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

Instruction* Add(Computation* c, Opcode opcode, absl::string_view name, std::vector<Instruction*> operands = {}) {
  Instruction* i = c->module->AddInstruction(c);
  i->opcode = opcode;
  i->name = name;
  i->operands.assign(operands.begin(), operands.end());
  if (opcode == Opcode::kParameter) i->parameter_number = 0;
  return i;
}

std::vector<std::string> Labels(const DiagnosticSink& sink) {
  std::vector<std::string> labels;
  for (const Diagnostic& d : sink.diagnostics()) labels.push_back(d.label);
  return labels;
}

using Strings = std::vector<std::string>;

TEST(Opcode, NamesReadBack) {
  for (int i = 0; i < kOpcodeCount; ++i) EXPECT_EQ(OpcodeFromName(Name(static_cast<Opcode>(i))), static_cast<Opcode>(i));
  EXPECT_FALSE(OpcodeFromName("frobnicate").has_value());
}

TEST(Module, FinalizePutsOperandsBeforeUsers) {
  Module m;
  Computation* c = m.AddComputation("main");
  Instruction* late = Add(c, Opcode::kNegate, "late");
  Instruction* p = Add(c, Opcode::kParameter, "p");
  late->operands.push_back(p);
  c->root = late;
  DiagnosticSink sink;
  m.Finalize(sink);
  EXPECT_EQ(sink.error_count(), 0);
  EXPECT_EQ(c->schedule[0], p);
  EXPECT_EQ(late->index, 1);
  EXPECT_EQ(c->FindInstruction("late"), late);
  EXPECT_EQ(c->FindInstruction("none"), nullptr);
  EXPECT_EQ(m.entry, c);
  EXPECT_EQ(m.FindComputation("main"), c);
}

// As the text writes them, also where a computation is large.
TEST(Module, NamesOfTheText) {
  for (const int size : {10, 5000}) {
    Module m;
    Computation* c = m.AddComputation("main");
    Instruction* last = Add(c, Opcode::kParameter, "p");
    for (int k = 0; k < size; ++k) last = Add(c, Opcode::kNegate, m.Intern(absl::StrCat("n", k)), {last});
    c->root = last;
    DiagnosticSink sink;
    m.Finalize(sink);
    EXPECT_EQ(WrittenName(*last), "");
    c->by_name.emplace(m.Intern("longer"), last);
    c->by_name.emplace(m.Intern("odd"), last);
    c->by_name.emplace(m.Intern("given"), c->parameters[0]);
    EXPECT_EQ(WrittenName(*last), "odd") << size;
    EXPECT_EQ(WrittenName(*c->parameters[0]), "given") << size;
    EXPECT_EQ(WrittenName(*c->schedule[3]), "") << size;
    EXPECT_EQ(WrittenNames(*c), (std::vector<absl::string_view>{"given", "longer", "odd"}));
  }
}

TEST(Module, FinalizeReportsCycles) {
  Module m;
  Computation* c = m.AddComputation("main");
  Instruction* a = Add(c, Opcode::kNegate, "a");
  Instruction* b = Add(c, Opcode::kNegate, "b", {a});
  a->operands.push_back(b);
  DiagnosticSink sink;
  m.Finalize(sink);
  EXPECT_EQ(Labels(sink), Strings{"ir.operand-cycle"});
  EXPECT_EQ(c->schedule.size(), 2u);
}

TEST(Module, FinalizeReportsControlCycles) {
  Module m;
  Computation* c = m.AddComputation("main");
  Instruction* a = Add(c, Opcode::kParameter, "a");
  a->control_predecessors.push_back(a);
  DiagnosticSink sink;
  m.Finalize(sink);
  EXPECT_EQ(Labels(sink), Strings{"ir.operand-cycle"});
}

TEST(Module, FinalizeSortsLongChainsWithoutRecursion) {
  Module m;
  Computation* c = m.AddComputation("main");
  Instruction* next = Add(c, Opcode::kNegate, "first");
  std::deque<std::string> names;
  for (int i = 0; i < 200000; ++i) {
    names.push_back("n" + std::to_string(i));
    Instruction* i2 = Add(c, i == 199999 ? Opcode::kParameter : Opcode::kNegate, names.back().c_str());
    next->operands.push_back(i2);
    next = i2;
  }
  DiagnosticSink sink;
  m.Finalize(sink);
  EXPECT_EQ(sink.error_count(), 0);
  EXPECT_EQ(c->schedule.front()->name, "n199999");
  EXPECT_EQ(c->schedule.back()->name, "first");
}

TEST(Module, FinalizeReportsDuplicates) {
  Module m;
  Computation* c = m.AddComputation("main");
  Add(c, Opcode::kParameter, "a");
  Add(c, Opcode::kParameter, "a");
  Add(m.AddComputation("main"), Opcode::kParameter, "b");
  DiagnosticSink sink;
  m.Finalize(sink);
  EXPECT_EQ(Labels(sink), (Strings{"ir.duplicate-instruction", "ir.duplicate-parameter", "ir.duplicate-computation"}));
}

TEST(Module, FinalizeReportsParameterGapsAndSecondEntries) {
  Module m;
  Computation* c = m.AddComputation("main");
  Add(c, Opcode::kParameter, "a")->parameter_number = 3;
  c->is_entry = true;
  Computation* other = m.AddComputation("other");
  Add(other, Opcode::kParameter, "b");
  other->is_entry = true;
  DiagnosticSink sink;
  m.Finalize(sink);
  EXPECT_EQ(Labels(sink), (Strings{"ir.parameter-number", "ir.second-entry"}));
  EXPECT_TRUE(c->parameters.empty());
}

TEST(Module, TheSameProgramBegunElsewhere) {
  auto m = std::make_shared<Module>();
  m->name = "m";
  Computation* f = m->AddComputation("f");
  const Instruction* x = Add(f, Opcode::kParameter, "x");
  Computation* main = m->AddComputation("main");
  Add(main, Opcode::kConstant, "c");
  main->is_entry = true;
  m->entry_result = Shape::Array(ElementType::kF32, {2});
  DiagnosticSink sink;
  m->Finalize(sink);
  ASSERT_EQ(sink.error_count(), 0);
  const Module* whole = m.get();
  const std::shared_ptr<Module> begun = Module::WithEntry(std::move(m), f);
  EXPECT_EQ(begun->entry, f);
  EXPECT_EQ(&begun->program(), whole);
  EXPECT_EQ(&whole->program(), whole);
  EXPECT_EQ(whole->entry, main);
  EXPECT_NE(begun->serial, whole->serial);
  EXPECT_EQ(begun->name, "m");
  // The program's own, which lives as long as this does.
  EXPECT_EQ(begun->FindComputation("main"), main);
  EXPECT_EQ(begun->FindComputation("f")->FindInstruction("x"), x);
  EXPECT_EQ(f->module, whole);
  EXPECT_FALSE(begun->entry_result.has_value());
}

TEST(Module, FinalizeReportsRecursion) {
  Module m;
  Computation* a = m.AddComputation("a");
  Computation* b = m.AddComputation("b");
  Add(a, Opcode::kCall, "x")->attributes.push_back({AttrId::kToApply, "to_apply", b, {}});
  Add(b, Opcode::kCall, "y")->attributes.push_back({AttrId::kToApply, "to_apply", a, {}});
  DiagnosticSink sink;
  m.Finalize(sink);
  EXPECT_EQ(Labels(sink), Strings{"ir.call-cycle"});
}

TEST(Module, FinalizeReportsRecursionOnceForALoopOfOneComputation) {
  Module m;
  Computation* a = m.AddComputation("a");
  Instruction* loop = Add(a, Opcode::kWhile, "x");
  loop->attributes.push_back({AttrId::kCondition, "condition", a, {}});
  loop->attributes.push_back({AttrId::kBody, "body", a, {}});
  DiagnosticSink sink;
  m.Finalize(sink);
  EXPECT_EQ(Labels(sink), Strings{"ir.call-cycle"});
}

TEST(Module, FinalizeReportsEmptyComputations) {
  Module m;
  m.AddComputation("main");
  DiagnosticSink sink;
  m.Finalize(sink);
  EXPECT_EQ(Labels(sink), Strings{"ir.empty-computation"});
}

TEST(Module, PythonFramesWalkTheTables) {
  Module m;
  m.frames.file_names = {"a.py", "b.py"};
  m.frames.function_names = {"f", "g"};
  m.frames.file_locations = {{1, 1, 10, 10, 2, 3}, {2, 2, 20, 20, 4, 5}};
  m.frames.stack_frames = {{1, 1}, {2, 2}};  // frame 2's parent is frame 1; frame 1 has none
  Instruction i;
  i.metadata.stack_frame_id = 2;
  std::vector<PythonFrame> frames = m.PythonFrames(i);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].file, "b.py");
  EXPECT_EQ(frames[0].line, 20);
  EXPECT_EQ(frames[1].function, "f");
  i.metadata.stack_frame_id = 9;  // no such frame
  EXPECT_TRUE(m.PythonFrames(i).empty());
  i.metadata.source_file = "c.py";
  i.metadata.source_line = 3;
  EXPECT_EQ(m.PythonFrames(i)[0].line, 3);
  m.frames.stack_frames = {{1, 3}, {2, 2}};  // a circle
  i.metadata.stack_frame_id = 1;
  EXPECT_LE(m.PythonFrames(i).size(), 3u);
}

TEST(Attributes, NamesReadBack) {
  for (int i = 0; i < static_cast<int>(AttrId::kUnknown); ++i) EXPECT_EQ(AttrIdFromName(Info(static_cast<AttrId>(i)).name), static_cast<AttrId>(i));
  EXPECT_EQ(AttrIdFromName("no_such_attribute"), AttrId::kUnknown);
}

TEST(Attributes, AbsentOnesGiveDefaults) {
  Instruction i;
  EXPECT_EQ(i.Int(AttrId::kIndex, 5), 5);
  EXPECT_TRUE(i.Ints(AttrId::kDimensions).empty());
  EXPECT_EQ(i.GetWindow(), nullptr);
  EXPECT_EQ(i.Called(AttrId::kBody), nullptr);
  i.attributes.push_back({AttrId::kIndex, "index", int64_t{2}, {}});
  EXPECT_EQ(i.Int(AttrId::kIndex, 5), 2);
}

TEST(FrontendAttributes, ValuesWithQuotesAndWithout) {
  const absl::string_view raw = R"({a="x, b=\"no\"", b={{0,1},{1,2}} ,c="{{2,3}}",d=true,"e"="f",g={h="}"}})";
  EXPECT_EQ(FrontendAttribute(raw, "a"), R"(x, b=\"no\")");
  EXPECT_EQ(FrontendAttribute(raw, "b"), "{{0,1},{1,2}}");
  EXPECT_EQ(FrontendAttribute(raw, "c"), "{{2,3}}");
  EXPECT_EQ(FrontendAttribute(raw, "d"), "true");
  EXPECT_EQ(FrontendAttribute(raw, "e"), "f");
  EXPECT_EQ(FrontendAttribute(raw, "g"), R"({h="}"})");
  for (absl::string_view absent : {"h", "x", "", "bb"}) EXPECT_EQ(FrontendAttribute(raw, absent), std::nullopt) << absent;
  EXPECT_EQ(FrontendAttribute("", "a"), std::nullopt);
  EXPECT_EQ(FrontendAttribute("{}", "a"), std::nullopt);
}

}  // namespace
}  // namespace hloscope
