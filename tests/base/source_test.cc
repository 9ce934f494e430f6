#include "core/base/source.h"

#include "core/base/diagnostic.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

TEST(SourceText, LocatesLinesAndColumns) {
  SourceText s("f", "ab\ncd\r\n\nx");
  EXPECT_EQ(s.line_count(), 4);
  EXPECT_EQ(s.Locate(0).line, 1);
  EXPECT_EQ(s.Locate(4).line, 2);
  EXPECT_EQ(s.Locate(4).column, 2);
  EXPECT_EQ(s.Locate(8).line, 4);
  EXPECT_EQ(s.Locate(100).line, 4);
  EXPECT_EQ(s.Locate(-1).line, 0);
  EXPECT_EQ(s.Line(2), "cd");
  EXPECT_EQ(s.Line(3), "");
  EXPECT_EQ(s.Line(0), "");
  EXPECT_EQ(s.Line(5), "");
}

TEST(Diagnostic, RendersPlaceCaretAndHint) {
  SourceText s("m.hlo", "a = add(x)\nb = sub(y)\n");
  Diagnostic d{Severity::kError, "add.operand-count", "add takes 2 operands and has 1", {11, 12}, "give it two"};
  EXPECT_EQ(Render(d, s),
            "m.hlo:2:1: error: add takes 2 operands and has 1 [add.operand-count]\n"
            "  b = sub(y)\n"
            "  ^\n"
            "  help: give it two\n");
}

TEST(Diagnostic, WindowsLongLinesRoundTheCaret) {
  SourceText s("m", std::string(5000, 'a') + "BBB" + std::string(5000, 'c'));
  std::string text = Render({Severity::kWarning, "", "here", {5000, 5003}, ""}, s);
  size_t line = text.find('\n') + 1;
  size_t carets = text.find('\n', line) + 1;
  EXPECT_LT(text.size(), 400u);
  size_t column = text.find('^') - carets;
  EXPECT_EQ(text.substr(line + column, 3), "BBB");
  EXPECT_EQ(text.substr(carets + column, 3), "^~~");
}

TEST(Diagnostic, TabsDoNotShiftTheCaret) {
  SourceText s("m", "\t\tx y\n");
  std::string text = Render({Severity::kError, "", "here", {4, 5}, ""}, s);
  EXPECT_EQ(text, "m:1:5: error: here\n    x y\n      ^\n");
}

TEST(DiagnosticSink, CountsErrorsAndSortsByPlace) {
  DiagnosticSink sink;
  sink.Warning({9, 10}, "b", "second");
  sink.Error({3, 4}, "a", "first");
  sink.Note({20, 21}, "c", "third");
  EXPECT_EQ(sink.error_count(), 1);
  sink.SortByPlace();
  EXPECT_EQ(sink.diagnostics()[0].label, "a");
  EXPECT_EQ(sink.diagnostics()[2].label, "c");
}

}  // namespace
}  // namespace hloscope
