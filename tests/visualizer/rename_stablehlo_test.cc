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

}  // namespace
}  // namespace hloscope
