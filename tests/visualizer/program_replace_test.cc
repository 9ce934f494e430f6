// Find-and-replace: what the text becomes, and how it is said in a command.
#include "visualizer/model/program_replace.h"

#include "gtest/gtest.h"
#include "visualizer/model/program_signs.h"

namespace hloscope {
namespace {

std::string Replaced(std::string text, absl::string_view words) {
  const absl::StatusOr<ReplaceOrder> order = ParseReplaceOrder(words);
  EXPECT_TRUE(order.ok()) << order.status();
  if (!order.ok()) return "";
  const SearchResult found = Search(text, order->query);
  EXPECT_EQ(found.error, "");
  if (found.places.empty()) return text;
  const Replacement made = ReplacePlaces(text, order->query, found.places, order->with);
  return text.replace(made.begin, made.end - made.begin, made.text);
}

TEST(ProgramReplaceTest, TextInAnyLettersUnlessTheCaseIsToMatch) {
  EXPECT_EQ(Replaced("a Total of total", "total sum"), "a sum of sum");
  EXPECT_EQ(Replaced("a Total of total", "/case total sum"), "a Total of sum");
  EXPECT_EQ(Replaced("f32[4] f32[4]{0}", "f32[4] \"f32[8, 8]\""), "f32[8, 8] f32[8, 8]{0}");
  EXPECT_EQ(Replaced("a, b, c", "\", \" \"\""), "abc");
  EXPECT_EQ(Replaced("price $1", "$1 $2"), "price $2");  // no expression: nothing is filled in
}

TEST(ProgramReplaceTest, ARegularExpressionFillsInWhatItsParenthesesHold) {
  EXPECT_EQ(Replaced("add.1 add.23\nadd.4", "re:add\\.([0-9]+) sum$1_$0"), "sum1_add.1 sum23_add.23\nsum4_add.4");
  EXPECT_EQ(Replaced("xay", "re:(a)|(b) [$1$2$$]"), "x[a$]y");
  // The beginning of a line is that of a line, not of what is left of it.
  EXPECT_EQ(Replaced("  a a\n  a", "\"re:^ +a\" b$0"), "b  a a\nb  a");
}

TEST(ProgramReplaceTest, OpcodesAndShapesAreWords) {
  EXPECT_EQ(Replaced("%add = f32[2]{0} add(%add, %add)", "op:add multiply"), "%add = f32[2]{0} multiply(%add, %add)");
  EXPECT_EQ(Replaced("x = f32[2,3] add(f32[2] y)", "shape:f32[2,*] f32[3,3]"), "x = f32[3,3] add(f32[2] y)");
}

TEST(ProgramReplaceTest, ACommandIsReadAsItIsWritten) {
  for (const SearchKind kind : {SearchKind::kText, SearchKind::kRegex, SearchKind::kOpcode, SearchKind::kShape}) {
    for (const char* pattern : {"total", "two words", "a \"quoted\" \\ one", "op:dot", "/one", "text:x"}) {
      for (const char* with : {"", "x", "two words", "\"", "$1 \\"}) {
        const ReplaceOrder order = {{kind, pattern, true}, with, true};
        const absl::StatusOr<ReplaceOrder> read = ParseReplaceOrder(ToString(order));
        ASSERT_TRUE(read.ok()) << ToString(order) << ": " << read.status();
        EXPECT_EQ(read->query, order.query) << ToString(order);
        EXPECT_EQ(read->with, order.with) << ToString(order);
        EXPECT_TRUE(read->one);
      }
    }
  }
}

TEST(ProgramReplaceTest, WhatIsMissingIsSaid) {
  for (const char* words : {"", "total", "/case", "re: x", "a b c", "\"\" x"}) EXPECT_FALSE(ParseReplaceOrder(words).ok()) << words;
}

TEST(ProgramSignsTest, ProgramsWithMistakesHaveASignAndProseHasNone) {
  for (const char* text : {"", " \n", "HloModule m", "ENTRY main {", "x = f32[4] parameter(0)", "func.func @main", "a tensor<4xf32> b", "%0 = stablehlo.add %a, %b", "ROOT"}) {
    EXPECT_TRUE(HasSignOfProgram(text)) << text;
  }
  for (const char* text : {"Dear Sir or Madam,", "{\"a\": [1, 2]}", "int main() { return a[0]; }", "import jax\nx = jax.numpy.ones([4])\n", "an entry, a root, a module", "f32"}) {
    EXPECT_FALSE(HasSignOfProgram(text)) << text;
  }
}

}  // namespace
}  // namespace hloscope
