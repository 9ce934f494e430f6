// Names in StableHLO text: which places bear one, and which cannot be taken.
#include "visualizer/model/rename_stablehlo.h"

#include "gtest/gtest.h"

namespace hloscope {
namespace {

constexpr absl::string_view kText = R"(module @m {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0:2 = "a.b"(%x, %x) {note = "%x in a string"} : (tensor<4xf32>) -> (f32, f32)  // %x in a comment
    %x1 = call @f(%0#1) : (f32)->f32
    return %x1 : f32
  }
  func.func private @f(%x: f32) -> f32 { return %x : f32 }
}
)";

std::vector<int> LinesOf(const std::vector<SourceRange>& uses) {
  std::vector<int> lines;
  for (const SourceRange use : uses) lines.push_back(1 + static_cast<int>(std::count(kText.begin(), kText.begin() + use.begin, '\n')));
  return lines;
}

TEST(RenameStableHlo, AValueIsRenamedInItsFunction) {
  const int64_t at = static_cast<int64_t>(kText.find("%x:"));
  const SourceRange word = StableHloNameAt(kText, at);
  ASSERT_TRUE(word.valid());
  EXPECT_EQ(kText.substr(word.begin, word.end - word.begin), "%x");
  EXPECT_EQ(LinesOf(StableHloUses(kText, word)), (std::vector<int>{2, 3, 3}));
  const SourceRange pack = StableHloNameAt(kText, static_cast<int64_t>(kText.find("0#1")));
  EXPECT_EQ(LinesOf(StableHloUses(kText, pack)), (std::vector<int>{3, 4}));
}

// Blocks beside each other, of whiles and reducers, with the same names.
constexpr absl::string_view kBlocks = R"(func.func @main(%n: tensor<i32>, %x: tensor<4xf32>) -> tensor<f32> {
  %a:2 = stablehlo.while(%i = %n, %s = %x) : tensor<i32>, tensor<4xf32> attributes {note = "%i"}
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %c = stablehlo.add %i, %i : tensor<i32>
      %d, %e = "some.pair"(%c, %s) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
      stablehlo.return %d, %e : tensor<i32>, tensor<4xf32>
    }
  %b:2 = stablehlo.while(%i = %a#0, %s = %a#1) : tensor<i32>, tensor<4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      stablehlo.return %i, %s : tensor<i32>, tensor<4xf32>
    }
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce"(%b#1, %z) ({
    ^bb0(%i: tensor<f32>, %t: tensor<f32>):
      %c = stablehlo.add %i, %t : tensor<f32>
      stablehlo.return %c : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
)";

std::vector<int> LinesOfNameAt(absl::string_view before, absl::string_view name, int which = 0) {
  size_t at = kBlocks.find(before);
  for (; which > 0; --which) at = kBlocks.find(before, at + 1);
  const SourceRange word = StableHloNameAt(kBlocks, static_cast<int64_t>(kBlocks.find(name, at)));
  std::vector<int> lines;
  for (const SourceRange use : StableHloUses(kBlocks, word)) lines.push_back(1 + static_cast<int>(std::count(kBlocks.begin(), kBlocks.begin() + use.begin, '\n')));
  return lines;
}

TEST(RenameStableHlo, AValueOfABlockIsItsOwn) {
  // %c of a condition, of a body, and of a reducer; from where it is made and from where it is used.
  EXPECT_EQ(LinesOfNameAt("cond {", "%c"), (std::vector<int>{4, 5}));
  EXPECT_EQ(LinesOfNameAt("do {", "%c"), (std::vector<int>{7, 8}));
  EXPECT_EQ(LinesOfNameAt("some.pair", "%c"), (std::vector<int>{7, 8}));
  EXPECT_EQ(LinesOfNameAt("cond {", "%c", 1), (std::vector<int>{13, 14}));
  EXPECT_EQ(LinesOfNameAt("^bb0", "%c"), (std::vector<int>{21, 22}));
  // What a while gives its two regions is of both, and not of the next while or of a block's argument.
  EXPECT_EQ(LinesOfNameAt("stablehlo.while(", "%i"), (std::vector<int>{2, 4, 7, 7}));
  EXPECT_EQ(LinesOfNameAt("stablehlo.while(", "%i", 1), (std::vector<int>{11, 13, 16}));
  EXPECT_EQ(LinesOfNameAt("^bb0", "%i"), (std::vector<int>{20, 21}));
  // What is outside is seen in all of them.
  EXPECT_EQ(LinesOfNameAt("@main", "%n"), (std::vector<int>{1, 2, 4, 13}));
  EXPECT_EQ(LinesOfNameAt("do {", "%d"), (std::vector<int>{8, 9}));
  EXPECT_EQ(LinesOfNameAt("do {", "%e"), (std::vector<int>{8, 9}));
}

TEST(RenameStableHlo, ANameOfABlockBesideItIsFree) {
  const SourceRange of_reducer = StableHloNameAt(kBlocks, static_cast<int64_t>(kBlocks.find("%t")));
  EXPECT_TRUE(CheckStableHloName(kBlocks, of_reducer, "d").ok());
  for (absl::string_view seen : {"i", "c", "n", "r"}) EXPECT_FALSE(CheckStableHloName(kBlocks, of_reducer, seen).ok()) << seen;
  // One outside must not be what a block means.
  EXPECT_FALSE(CheckStableHloName(kBlocks, StableHloNameAt(kBlocks, static_cast<int64_t>(kBlocks.find("%z"))), "d").ok());
}

TEST(RenameStableHlo, AFunctionIsRenamedEverywhere) {
  const SourceRange word = StableHloNameAt(kText, static_cast<int64_t>(kText.find("@f(")) + 1);
  EXPECT_EQ(LinesOf(StableHloUses(kText, word)), (std::vector<int>{4, 7}));
}

TEST(RenameStableHlo, NoNameStandsInStringsAndComments) {
  EXPECT_FALSE(StableHloNameAt(kText, static_cast<int64_t>(kText.find("%x in a string"))).valid());
  EXPECT_FALSE(StableHloNameAt(kText, static_cast<int64_t>(kText.find("%x in a comment"))).valid());
}

TEST(RenameStableHlo, WhatIsTakenOrNoNameIsRefused) {
  const SourceRange word = StableHloNameAt(kText, static_cast<int64_t>(kText.find("%x:")));
  EXPECT_TRUE(CheckStableHloName(kText, word, "y").ok());
  EXPECT_TRUE(CheckStableHloName(kText, word, "%12").ok());
  EXPECT_EQ(CheckStableHloName(kText, word, "x1").message(), "there is a %x1 already in this function");
  EXPECT_EQ(CheckStableHloName(kText, word, "x").message(), "it is called %x already");
  for (absl::string_view bad : {"", "a b", "1a", "a/b"}) EXPECT_FALSE(CheckStableHloName(kText, word, bad).ok()) << bad;
}

// Which of the places is where it is made: the one of its own block, the second of several results, a function behind its call.
TEST(StableHloNames, WhereTheyAreMade) {
  const auto made = [](absl::string_view text, absl::string_view before, absl::string_view name) {
    const int64_t at = static_cast<int64_t>(text.find(name, text.find(before)));
    const SourceRange place = StableHloDefinition(text, StableHloNameAt(text, at));
    return place.valid() ? 1 + static_cast<int>(std::count(text.begin(), text.begin() + place.begin, '\n')) : 0;
  };
  EXPECT_EQ(made(kBlocks, "return %c", "%c"), 4);
  EXPECT_EQ(made(kBlocks, "return %d", "%e"), 8);
  EXPECT_EQ(made(kBlocks, "some.pair", "%s"), 2);
  EXPECT_EQ(made(kBlocks, "add %i, %t", "%t"), 20);
  EXPECT_EQ(made(kBlocks, "reduce", "%b#1"), 11);
  EXPECT_EQ(made(kText, "call", "@f"), 7);
  EXPECT_EQ(made(kText, "return %x1", "%x1"), 4);
  const SourceRange second = StableHloNameFrom(kText, static_cast<int64_t>(kText.find("func.func private")), "%x");
  EXPECT_EQ(std::count(kText.begin(), kText.begin() + second.begin, '\n'), 6);
  EXPECT_FALSE(StableHloNameFrom(kText, 0, "%none").valid());
}

}  // namespace
}  // namespace hloscope
