// The program panel's model: searching, completing, places in a text that is being edited, formatting; and what keys do to the text.
#include "visualizer/model/program_text.h"

#include <chrono>
#include <thread>

#include "absl/strings/str_join.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "visualizer/model/completion.h"
#include "visualizer/model/edit_reach.h"
#include "visualizer/model/line_cells.h"
#include "visualizer/model/line_values.h"
#include "visualizer/model/program_index.h"
#include "visualizer/model/program_search.h"
#include "visualizer/model/range_text.h"
#include "visualizer/model/syntax.h"
#include "visualizer/panels/program_editor.h"

namespace hloscope {
namespace {

constexpr char kText[] =
    "// What it is.\n"
    "HloModule m\n"
    "\n"
    "plus {\n"
    "  a = f32[] parameter(0)\n"
    "  b = f32[] parameter(1)\n"
    "  ROOT c = f32[] add(a, b)\n"
    "}\n"
    "\n"
    "ENTRY main {\n"
    "  x = f32[2,3] parameter(0)  // rows\n"
    "  zero = f32[] constant(0)\n"
    "  // all of it\n"
    "  ROOT sum = f32[] reduce(x, zero), dimensions={0,1}, to_apply=plus\n"
    "}\n";

TEST(Cells, WideLettersTakeTwo) {
  const absl::string_view line = "a\u6f22\u5b57\tb\u0301c\U0001f642d";
  EXPECT_EQ(CellsTo(line, 1), 1);
  EXPECT_EQ(CellsTo(line, 4), 3);
  EXPECT_EQ(CellsTo(line, 7), 5);
  EXPECT_EQ(CellsTo(line, 8), 8);    // the tab
  EXPECT_EQ(CellsTo(line, 11), 9);   // an accent on its letter
  EXPECT_EQ(CellsTo(line, 16), 12);  // an emoji
  for (const int byte : {0, 1, 4, 7, 8, 11, 12, 16, 17}) EXPECT_EQ(ByteAtCell(line, CellsTo(line, byte)), byte);
  EXPECT_EQ(ByteAtCell(line, 2), 1);  // in the middle of a letter: before it
}

Wiring TestWiring() {
  Wiring wiring;
  wiring.read_text = [](const std::string& name, std::string text) {
    ReadProgram program;
    program.source = std::make_shared<const SourceText>(name, std::move(text));
    DiagnosticSink sink;
    program.module = ReadHloText(program.source, sink);
    program.problems = sink.diagnostics();
    return program;
  };
  return wiring;
}

void WaitForReading(const Document& document) {
  for (int k = 0; k < 500 && !document.reading_is_current(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() : document(TestWiring(), [] {}) {
    document.Reset("m.hlo", kText);
    WaitForReading(document);
    index.Update(now, document);
  }
  int64_t Place(const std::string& text, size_t skip = 0) const { return static_cast<int64_t>(document.text().find(text) + skip); }
  Document document;
  Snapshot now;
  ProgramIndex index;
  ProgramEditor editor;
};

std::vector<std::string> Found(const std::string& text, SearchKind kind, const std::string& pattern, bool match_case = false) {
  std::vector<std::string> found;
  for (const SourceRange& r : Search(text, {kind, pattern, match_case}).places) found.push_back(text.substr(r.begin, r.end - r.begin));
  return found;
}

// A long line is remembered by marks: they say what the functions say that count from its beginning.
TEST(Cells, LongLinesAreAsShortOnes) {
  std::string text = "short = f32[] constant(1)\nlong = f32[9] constant({";
  for (int k = 0; k < 3000; ++k) text += k % 7 == 0 ? "\u6f22, " : k % 11 == 0 ? "\t12, " : "345, ";
  text += "})\nlast";
  Document document(TestWiring(), [] {});
  document.Reset("m.hlo", text);
  const absl::string_view line = document.line(1);
  const auto size = static_cast<int>(line.size());
  ASSERT_GT(size, 10000);
  LineCells cells;
  for (int byte = 0; byte <= size; byte += byte < 40 ? 1 : 37) EXPECT_EQ(cells.CellsTo(document, 1, byte), CellsTo(line, byte)) << byte;
  const int most = CellsTo(line, size);
  for (int cell = 0; cell <= most + 2; cell += 29) EXPECT_EQ(cells.ByteAtCell(document, 1, cell), ByteAtCell(line, cell)) << cell;
  // The runs in a part of it are those of the whole that meet the part.
  const std::vector<InkRun> all = Colour(line, size);
  for (const auto& [begin, end] : {std::pair(0, 50), std::pair(9000, 9100), std::pair(size - 20, size)}) {
    std::vector<int> wanted, got;
    for (const InkRun& run : all) {
      if (run.end > begin && run.begin < end) wanted.push_back(run.begin);
    }
    for (const InkRun& run : cells.Runs(document, 1, begin, end)) got.push_back(run.begin);
    EXPECT_EQ(got, wanted) << begin;
  }
  // An edit is seen at once.
  document.Replace(document.line_begin(1), document.line_begin(1) + 4, "x", 0, 0);
  EXPECT_EQ(cells.CellsTo(document, 1, 9000), CellsTo(document.line(1), 9000));
}

// An instruction may go on in the next line: its attributes are coloured there too, and names of instructions are not.
TEST(Syntax, AttributesAreColouredWhereverALineBegins) {
  const auto inks = [](absl::string_view line, SyntaxInk ink) {
    std::vector<std::string> found;
    for (const InkRun& run : Colour(line, 1000)) {
      if (run.ink == ink) found.emplace_back(line.substr(static_cast<size_t>(run.begin), static_cast<size_t>(run.end - run.begin)));
    }
    return found;
  };
  EXPECT_THAT(inks("      offset_dims={1,2}, slice_sizes={2,2}", SyntaxInk::kAttribute),
              ::testing::ElementsAre("offset_dims", "slice_sizes"));
  EXPECT_THAT(inks("  metadata={op_name=\"f\"}, channel_id=1", SyntaxInk::kAttribute), ::testing::ElementsAre("channel_id"));
  EXPECT_THAT(inks("  dimensions = s32[2] iota(), iota_dimension=0", SyntaxInk::kAttribute), ::testing::ElementsAre("iota_dimension"));
  EXPECT_THAT(inks("  x=f32[] add(a, b)", SyntaxInk::kAttribute), ::testing::IsEmpty());
  EXPECT_THAT(inks("  x=f32[] add(a, b)", SyntaxInk::kOpcode), ::testing::ElementsAre("add"));
}

TEST(ProgramSearchTest, FindsTextWhateverItsCase) {
  EXPECT_THAT(Found("ab AB aab", SearchKind::kText, "ab"), ::testing::ElementsAre("ab", "AB", "ab"));
  EXPECT_THAT(Found("ab AB aab", SearchKind::kText, "AB", true), ::testing::ElementsAre("AB"));
  EXPECT_THAT(Found("aaaa", SearchKind::kText, "aa"), ::testing::ElementsAre("aa", "aa"));
  EXPECT_THAT(Found("ab", SearchKind::kText, "abc"), ::testing::IsEmpty());
}

TEST(ProgramSearchTest, RegularExpressionsAreOfOneLine) {
  EXPECT_THAT(Found("x.1 = a\nx.22 = b", SearchKind::kRegex, "x\\.\\d+"), ::testing::ElementsAre("x.1", "x.22"));
  EXPECT_THAT(Found("ab\nab", SearchKind::kRegex, "^a"), ::testing::ElementsAre("a", "a"));
  EXPECT_THAT(Found("abc", SearchKind::kRegex, "x*"), ::testing::IsEmpty());
  EXPECT_NE(Search("abc", {SearchKind::kRegex, "(", false}).error, "");
}

TEST(ProgramSearchTest, OpcodesAreNotNames) {
  EXPECT_THAT(Found("add = f32[] add(a, b), x = add.1", SearchKind::kOpcode, "add"), ::testing::ElementsAre("add"));
  EXPECT_THAT(Found("%0 = stablehlo.add %a, %b", SearchKind::kOpcode, "add"), ::testing::ElementsAre("stablehlo.add"));
  EXPECT_THAT(Found("d = f32[]{} dot(a, b) s = f32[] subtract(a, b)", SearchKind::kOpcode, "dot"), ::testing::ElementsAre("dot"));
}

TEST(ProgramSearchTest, ShapesMatchByDimension) {
  const std::string text = "a = f32[2,3]{1,0} add(x, y) b = bf16[2,30] c = f32[12,3]";
  EXPECT_THAT(Found(text, SearchKind::kShape, "f32[*,3]"), ::testing::ElementsAre("f32[2,3]", "f32[12,3]"));
  EXPECT_THAT(Found(text, SearchKind::kShape, "[2,*]"), ::testing::ElementsAre("f32[2,3]", "bf16[2,30]"));
  EXPECT_THAT(Found("%0 = stablehlo.add %a : tensor<2x3xf32>", SearchKind::kShape, "f32[2,3]"), ::testing::ElementsAre("tensor<2x3xf32>"));
}

TEST(TextMapTest, PlacesOutsideTheChangeStay) {
  TextMap map;
  map.Reset("one two three", "one 2 three");
  EXPECT_EQ(map.Newer(int64_t{2}), 2);
  EXPECT_EQ(map.Newer(int64_t{5}), -1);
  EXPECT_EQ(map.Newer(int64_t{8}), 6);
  EXPECT_EQ(map.Older(6), 8);
  map.Reset("same", "same");
  EXPECT_EQ(map.Newer(int64_t{3}), 3);
}

TEST_F(ProgramTest, SymbolsAreDefinitionsUsesAndComputations) {
  const Symbol definition = index.SymbolAt(document, Place("zero ="));
  ASSERT_NE(definition.instruction, nullptr);
  EXPECT_EQ(definition.instruction->name, "zero");
  EXPECT_TRUE(definition.definition);
  const Symbol use = index.SymbolAt(document, Place("(x, zero", 4));
  EXPECT_EQ(use.instruction, definition.instruction);
  EXPECT_FALSE(use.definition);
  const Symbol called = index.SymbolAt(document, Place("=plus", 2));
  ASSERT_NE(called.computation, nullptr);
  EXPECT_EQ(called.computation->name, "plus");
  EXPECT_FALSE(index.SymbolAt(document, Place("What")));
  EXPECT_EQ(index.UsesOf(definition).size(), 2u);
}

TEST_F(ProgramTest, PlacesFollowAnEditBeforeItIsRead) {
  document.Replace(0, 0, "// more\n\n", 0, 9);
  index.Update(now, document);
  const std::vector<const Instruction*> on_line = index.Beginning(Place("  zero"), Place("constant(0)"));
  ASSERT_EQ(on_line.size(), 1u);
  EXPECT_EQ(on_line[0]->name, "zero");
  EXPECT_EQ(index.SymbolAt(document, Place("zero =")).instruction, on_line[0]);
}

TEST_F(ProgramTest, FoldsAreRegionsInBraces) {
  ASSERT_EQ(index.folds().size(), 2u);
  EXPECT_EQ(index.folds()[0].first, 3);
  EXPECT_EQ(index.folds()[0].last, 7);
  EXPECT_EQ(index.folds()[1].first, 9);
}

TEST_F(ProgramTest, CompletesByPlace) {
  const Module* module = index.module();
  ASSERT_NE(module, nullptr);
  const auto first = [&](absl::string_view before, bool asked = false) {
    const Completions c = Complete(before, module, module->entry, nullptr, asked);
    return c.items.empty() ? std::string() : c.items[0].text;
  };
  EXPECT_EQ(first("  y = f32[2,3] expon"), "exponential");
  EXPECT_EQ(first("  y = f32[2,"), "f32[2,3]");
  EXPECT_EQ(first("  y = f32[] negate(ze"), "zero");
  EXPECT_EQ(first("  y = f32[] reduce(x, zero), dim"), "dimensions=");
  EXPECT_EQ(first("  y = f32[] reduce(x, zero), to_apply=p"), "plus");
  EXPECT_EQ(first("  y = pred[] compare(x, x), direction=G"), "GE");
  EXPECT_EQ(first("  // y = f32[] neg"), "");
  EXPECT_EQ(first("  y = f32[] constant(1"), "");
  EXPECT_NE(first("  y = f32[] ", true), "");
}

// Operations that can give the result come first, of these what the program has most of, and then as in the alphabet.
TEST_F(ProgramTest, OrdersOperations) {
  const auto offered = [&](absl::string_view before) {
    std::vector<std::string> names;
    for (const CompletionItem& item : Complete(before, index.module(), index.module()->entry, nullptr, true).items) names.push_back(item.text);
    return names;
  };
  const auto place = [](const std::vector<std::string>& names, absl::string_view name) { return std::find(names.begin(), names.end(), name) - names.begin(); };
  const std::vector<std::string> pred = offered("  y = pred[2,3] co"), number = offered("  y = f32[2,3] co");
  ASSERT_EQ(pred.size(), number.size());
  EXPECT_LT(place(pred, "compare"), place(pred, "cosine"));
  EXPECT_LT(place(number, "cosine"), place(number, "compare"));
  EXPECT_EQ(number.front(), "constant");  // there is one
  EXPECT_EQ(offered("  y = f32[2,3] pa").front(), "parameter");
  EXPECT_EQ(offered("  y = s32[2,3] se"), (std::vector<std::string>{"select", "select-and-scatter", "send", "send-done", "set-dimension-size"}));
}

// What is defined further down is no operand; of the others those of the result's shape come first, the nearest of them before.
TEST_F(ProgramTest, CompletesOperandsThatCanBeMeant) {
  const Module* module = index.module();
  ASSERT_NE(module, nullptr);
  const Computation& main = *module->entry;
  const auto offered = [&](absl::string_view before, int above) {
    std::vector<std::string> names;
    for (const CompletionItem& item : Complete(before, module, &main, main.instructions[static_cast<size_t>(above)], true).items) names.push_back(item.text);
    return names;
  };
  EXPECT_THAT(offered("  y = f32[2,3] negate(", 1), ::testing::ElementsAre("x", "zero"));
  EXPECT_THAT(offered("  y = f32[] negate(", 1), ::testing::ElementsAre("zero", "x"));
  EXPECT_THAT(offered("  y = f32[] negate(", 0), ::testing::ElementsAre("x"));
  EXPECT_THAT(offered("  y = f32[] negate(", 2), ::testing::ElementsAre("sum", "zero", "x"));
}

TEST_F(ProgramTest, FormattingKeepsCommentsAndMeaning) {
  const std::string text = FormattedText(*document.reading()->module, document.text());
  EXPECT_THAT(text, ::testing::StartsWith("// What it is.\nHloModule"));
  EXPECT_THAT(text, ::testing::HasSubstr("parameter(0)  // rows\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("  // all of it\n  ROOT sum"));
  DiagnosticSink sink;
  const auto again = ReadHloText(std::make_shared<const SourceText>("again", text), sink);
  std::string why;
  EXPECT_TRUE(ModulesEqual(*again, *document.reading()->module, &why)) << why;
}

// All that is computed from what was edited, through calls, loops and branches; of a call only the parameters that are given it.
TEST(EditReach, GoesThroughComputations) {
  DiagnosticSink sink;
  const auto module = ReadHloText(std::make_shared<const SourceText>("reach", R"(HloModule reach
twice { p = f32[] parameter(0)  q = f32[] parameter(1)  pp = f32[] add(p, p)  qq = f32[] add(q, q)  ROOT t = (f32[], f32[]) tuple(pp, qq) }
go { c = (s32[], f32[]) parameter(0)  i = s32[] get-tuple-element(c), index=0  five = s32[] constant(5)  ROOT lt = pred[] compare(i, five), direction=LT }
step { s = (s32[], f32[]) parameter(0)  j = s32[] get-tuple-element(s), index=0  v = f32[] get-tuple-element(s), index=1  one = s32[] constant(1)
  j1 = s32[] add(j, one)  scale = f32[] constant(2)  v1 = f32[] multiply(v, scale)  ROOT n = (s32[], f32[]) tuple(j1, v1) }
ENTRY main {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  w = f32[] negate(x)
  u = (f32[], f32[]) call(w, y), to_apply=twice
  zero = s32[] constant(0)
  begin = (s32[], f32[]) tuple(zero, y)
  loop = (s32[], f32[]) while(begin), condition=go, body=step
  z = f32[] get-tuple-element(loop), index=1
  ROOT r = (f32[], f32[]) tuple(y, z)
})"),
                                  sink);
  ASSERT_NE(module, nullptr);
  ASSERT_EQ(sink.error_count(), 0);
  const auto reached = [&](absl::string_view computation, absl::string_view name) {
    std::vector<std::string> names;
    for (const Instruction* i : ReachedByEdit(*module, {module->FindComputation(computation)->FindInstruction(name)}))
      names.emplace_back(i->name);
    std::sort(names.begin(), names.end());
    return absl::StrJoin(names, " ");
  };
  EXPECT_EQ(reached("main", "w"), "p pp t u w");
  EXPECT_EQ(reached("step", "scale"), "c i j j1 loop lt n r s scale v v1 z");
  EXPECT_EQ(reached("main", "r"), "r");
  EXPECT_TRUE(ReachedByEdit(*module, {}).empty());
}

TEST_F(ProgramTest, KeysOfAnEditor) {
  document.Reset("e.hlo", "one {\n  two\n}\n");
  editor.Place(document, 5, false);
  editor.NewLine(document);
  EXPECT_EQ(document.text(), "one {\n  \n  two\n}\n");
  EXPECT_EQ(editor.caret(), 8);
  editor.Type(document, "(");
  EXPECT_EQ(document.text(), "one {\n  ()\n  two\n}\n");
  editor.Type(document, ")");
  EXPECT_EQ(document.text(), "one {\n  ()\n  two\n}\n");
  editor.Undo(document);
  editor.Undo(document);
  EXPECT_EQ(document.text(), "one {\n  two\n}\n");
  EXPECT_FALSE(document.changed());
  editor.Place(document, document.line_begin(1), false);
  editor.Move(document, CaretMove::kHome, false);
  EXPECT_EQ(editor.caret(), document.line_begin(1) + 2);
  editor.Move(document, CaretMove::kWordRight, true);
  EXPECT_EQ(editor.Selected(document), "two");
  editor.ToggleComment(document);
  EXPECT_EQ(document.line(1), "  // two");
  editor.ToggleComment(document);
  EXPECT_EQ(document.line(1), "  two");
  editor.Place(document, document.line_begin(1), false);
  editor.MoveLines(document, true);
  EXPECT_EQ(document.text(), "one {\n}\n  two\n");
  editor.MoveLines(document, false);
  editor.DuplicateLines(document);
  EXPECT_EQ(document.text(), "one {\n  two\n  two\n}\n");
}

// A bracket that the editor has closed is typed over, wherever it has moved to; one that is missing is typed.
TEST(EditorTest, BracketsThatCloseThemselves) {
  Document document(TestWiring(), [] {});
  ProgramEditor editor;
  const auto type = [&](absl::string_view letters) {
    for (size_t k = 0; k < letters.size(); ++k) editor.Type(document, letters.substr(k, 1));
  };
  document.Reset("b", "y = ");
  editor.Place(document, 4, false);
  type("f32[2,3]{1,0} pad(x, g(a[1])), padding={1_2}");
  EXPECT_EQ(document.text(), "y = f32[2,3]{1,0} pad(x, g(a[1])), padding={1_2}");
  editor.Undo(document);
  EXPECT_EQ(document.text(), "y = ");
  editor.InsertCall(document, "negate");
  type("x)");
  EXPECT_EQ(document.text(), "y = negate(x)");
  EXPECT_EQ(editor.caret(), 13);
  // The opening one too, right behind it, and once: behind anything else it is a bracket of its own.
  editor.InsertCall(document, "abs");
  type("(x)");
  EXPECT_EQ(document.text(), "y = negate(x)abs(x)");
  editor.InsertCall(document, "exponential");
  type("((x))");
  EXPECT_EQ(document.text(), "y = negate(x)abs(x)exponential((x))");
  editor.InsertCall(document, "f");
  editor.Move(document, CaretMove::kLeft, false);
  editor.Move(document, CaretMove::kRight, false);
  type("(x");
  EXPECT_EQ(document.text(), "y = negate(x)abs(x)exponential((x))f((x))");
  // The line lacks a bracket further on: it is not the one that the editor has put there.
  document.Reset("b", "y = f(g(a, , b)");
  editor.Place(document, 11, false);
  type("h(c)");
  EXPECT_EQ(document.text(), "y = f(g(a, h(c), b)");
  editor.Place(document, 18, false);
  type(")");
  EXPECT_EQ(document.text(), "y = f(g(a, h(c), b))");
  // None is missing where the rest of the line opens others.
  document.Reset("b", "y = f(a, b) ({");
  editor.Place(document, 10, false);
  type(")");
  EXPECT_EQ(document.text(), "y = f(a, b) ({");
  EXPECT_EQ(editor.caret(), 11);
}

TEST(EditorTest, LettersOfSeveralBytesAndLinesOfDos) {
  Document document(TestWiring(), [] {});
  document.Reset("u", "a\u00e9b\r\nc");
  ProgramEditor editor;
  editor.Place(document, 1, false);
  editor.Move(document, CaretMove::kRight, false);
  EXPECT_EQ(editor.caret(), 3);
  editor.Backspace(document, false);
  EXPECT_EQ(document.text(), "ab\r\nc");
  editor.Move(document, CaretMove::kEnd, false);
  editor.Move(document, CaretMove::kRight, false);
  EXPECT_EQ(editor.caret(), 4);
  editor.Backspace(document, false);
  EXPECT_EQ(document.text(), "abc");
}

// What is written into a text ends its lines as the text does.
TEST(EditorTest, LinesEndAsTheyDoInTheText) {
  Document document(TestWiring(), [] {});
  ProgramEditor editor;
  document.Reset("u", "one {\r\n}\r\ntwo\r\n");
  editor.Place(document, 5, false);
  editor.NewLine(document);
  EXPECT_EQ(document.text(), "one {\r\n  \r\n}\r\ntwo\r\n");
  editor.Insert(document, "a\nb\r\nc");
  EXPECT_EQ(document.text(), "one {\r\n  a\r\nb\r\nc\r\n}\r\ntwo\r\n");
  EXPECT_EQ(document.text().substr(editor.caret()), "\r\n}\r\ntwo\r\n");
  editor.DuplicateLines(document);
  EXPECT_EQ(document.text(), "one {\r\n  a\r\nb\r\nc\r\nc\r\n}\r\ntwo\r\n");
  editor.MoveLines(document, /*down=*/true);
  EXPECT_EQ(document.text(), "one {\r\n  a\r\nb\r\nc\r\n}\r\nc\r\ntwo\r\n");
  EXPECT_EQ(document.text().substr(editor.caret()), "\r\ntwo\r\n");
  editor.SelectAll(document);
  editor.ToggleComment(document);
  editor.Indent(document, /*less=*/false);
  editor.ReplaceAll(document, "x\ny\n");
  EXPECT_EQ(document.text(), "x\r\ny\r\n");
  document.Reset("u", "x\ny\n");
  editor.Place(document, 1, false);
  editor.Insert(document, "1\r\n2");
  EXPECT_EQ(document.text(), "x1\n2\ny\n");
}

TEST(SummaryTest, SaysRangesAndTrouble) {
  Value value = Value::Allocate(Shape::Array(ElementType::kF32, {4}));
  float* x = value.mutable_as<float>();
  x[0] = -1, x[1] = 0.5f, x[2] = 3, x[3] = 2;
  LineValue line = Summary(value);
  EXPECT_EQ(line.text, "-1 .. 3");
  EXPECT_FALSE(line.nan || line.inf);
  EXPECT_EQ(line.bins.size(), 16u);
  x[3] = std::numeric_limits<float>::quiet_NaN();
  line = Summary(value);
  EXPECT_TRUE(line.nan);
  EXPECT_EQ(line.text, "-1 .. 3");
  x[0] = x[1] = x[2] = x[3] = 7;
  EXPECT_EQ(Summary(value).text, "all 7");
  EXPECT_EQ(Summary(Value::Scalar(ElementType::kF32, -std::numeric_limits<float>::infinity())).text, "-inf");
  EXPECT_EQ(Summary(Value::Scalar(ElementType::kPred, uint8_t{1})).text, "true");
  EXPECT_EQ(Summary(Value::Allocate(Shape::Array(ElementType::kF32, {0, 3}))).text, "empty");
}

TEST(SummaryTest, OneNumberForAllIsExact) {
  Value value = Value::Allocate(Shape::Array(ElementType::kF32, {2}));
  value.mutable_as<float>()[0] = value.mutable_as<float>()[1] = 1.0001f;
  EXPECT_EQ(Summary(value).text, "all 1.0001");
  EXPECT_EQ(Summary(value).detail, "mean 1.0001");
  value.mutable_as<float>()[0] = 1;
  EXPECT_EQ(Summary(value).text, "1 .. 1.0001");
  Value wide = Value::Allocate(Shape::Array(ElementType::kF64, {2}));
  wide.mutable_as<double>()[0] = wide.mutable_as<double>()[1] = 0.9999999;
  EXPECT_EQ(Summary(wide).text, "all 0.9999999");
  Value whole = Value::Allocate(Shape::Array(ElementType::kS64, {2}));
  whole.mutable_as<int64_t>()[0] = whole.mutable_as<int64_t>()[1] = 123456789;
  EXPECT_EQ(Summary(whole).text, "all 123456789");
  whole.mutable_as<int64_t>()[0] = whole.mutable_as<int64_t>()[1] = (int64_t{1} << 53) + 1;  // its double is that of another number, too
  EXPECT_EQ(Summary(whole).text, "\u2248 9.007e+15");
}

TEST(SummaryTest, OneElementAmongManyIsSeen) {
  Value value = Value::Allocate(Shape::Array(ElementType::kF32, {1 << 20}));
  std::fill_n(value.mutable_as<float>(), value.element_count(), 0.0f);
  EXPECT_EQ(Summary(value).text, "all 0");
  value.mutable_as<float>()[777777] = 1;
  EXPECT_EQ(Summary(value).text, "0 .. 1");
  value.mutable_as<float>()[777777] = std::numeric_limits<float>::quiet_NaN();
  const LineValue line = Summary(value);
  EXPECT_TRUE(line.nan);
  EXPECT_EQ(line.text, "0");
}

TEST(SummaryTest, InfinitiesHaveASign) {
  constexpr float kInf = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();
  Value value = Value::Allocate(Shape::Array(ElementType::kF32, {3}));
  const auto text = [&](float a, float b, float c) {
    float* x = value.mutable_as<float>();
    x[0] = a, x[1] = b, x[2] = c;
    return Summary(value).text;
  };
  EXPECT_EQ(text(-kInf, -kInf, -kInf), "all -inf");
  EXPECT_EQ(text(kInf, kInf, kInf), "all inf");
  EXPECT_EQ(text(kInf, -kInf, kInf), "\u00b1inf");
  EXPECT_EQ(text(kNaN, -kInf, kNaN), "nan, -inf");
  EXPECT_EQ(text(kNaN, kNaN, kNaN), "all nan");
  text(1, -kInf, 2);
  EXPECT_THAT(Summary(value).detail, testing::HasSubstr("1 -inf"));
}

TEST(RangeTextTest, WhatIsNotKnownWholeSaysSoAndIntegersStandInFull) {
  Value value = Value::Allocate(Shape::Array(ElementType::kS32, {2}));
  value.mutable_as<int32_t>()[0] = 4, value.mutable_as<int32_t>()[1] = 32000;
  KnownValue known = KnowAll(value);
  EXPECT_EQ(RangeText(ElementType::kS32, known), "4 .. 32000");
  known.whole = false;
  EXPECT_EQ(RangeText(ElementType::kS32, known), "\u2248 4 .. 32000");
  value.mutable_as<int32_t>()[1] = 4;
  known = KnowAll(value);
  EXPECT_EQ(RangeText(ElementType::kS32, known), "all 4");
  known.whole = false;
  EXPECT_EQ(RangeText(ElementType::kS32, known), "\u2248 4");
  value.mutable_as<int32_t>()[0] = -2147483647 - 1, value.mutable_as<int32_t>()[1] = 2147483647;
  EXPECT_EQ(RangeText(ElementType::kS32, KnowAll(value)), "-2147483648 .. 2147483647");
}

// -- Completion of StableHLO --

std::vector<std::string> OfferedInStableHlo(absl::string_view before, absl::string_view scope) {
  std::vector<std::string> texts;
  for (const CompletionItem& item : CompleteStableHlo(before, scope, false).items) texts.push_back(item.text);
  return texts;
}

TEST(CompleteStableHlo, OffersItsOperationsAndTheFunctionsValues) {
  constexpr absl::string_view kScope = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %sum = stablehlo.add %x, %x : tensor<4xf32>\n";
  EXPECT_THAT(OfferedInStableHlo("    %y = multi", kScope), testing::ElementsAre("stablehlo.multiply"));
  EXPECT_THAT(OfferedInStableHlo("    %y = stablehlo.sin", kScope), testing::Contains("stablehlo.sine"));
  EXPECT_THAT(OfferedInStableHlo("    %y = stablehlo.add %", kScope), testing::ElementsAre("%x", "%sum"));
  EXPECT_THAT(OfferedInStableHlo("    %y = stablehlo.add %su", kScope), testing::ElementsAre("%sum"));
  // Neither HLO's opcodes nor shapes, and nothing where types stand.
  EXPECT_THAT(OfferedInStableHlo("    %y = f32", kScope), testing::IsEmpty());
  EXPECT_THAT(OfferedInStableHlo("    %y = stablehlo.add %x, %x : ten", kScope), testing::IsEmpty());
  EXPECT_THAT(OfferedInStableHlo("    %s", kScope), testing::IsEmpty());
}

}  // namespace
}  // namespace hloscope
