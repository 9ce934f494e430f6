// Text written evenly: what changes, and that words and comments never do.
#include "core/text/mlir/format.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "core/text/mlir/scanner.h"
#include "gtest/gtest.h"

namespace hloscope::mlir {
namespace {

std::string WordsIn(absl::string_view text) {
  std::string words;
  Scanner scanner(text, 0, static_cast<int32_t>(text.size()));
  for (Token token = scanner.Next(); token.kind != TokenKind::kEnd; token = scanner.Next()) {
    words += std::string(text.substr(static_cast<size_t>(token.begin), static_cast<size_t>(token.end - token.begin))) + "\n";
    if (token.end <= token.begin) break;
  }
  return words;
}

constexpr char kUneven[] = R"(// head
module @m{


func.func @main(%x:tensor<4x6xf32>,%i : tensor<3x1xi64>)->(tensor<4x6xf32>,tensor<4xf32>){
%c=stablehlo.constant dense<0.0>:tensor<f32> // zero
   // own line
%0=stablehlo.reduce(%x init:%c) applies stablehlo.add across dimensions=[1]:(tensor<4x6xf32>,tensor<f32>)->tensor<4xf32> %n = stablehlo.constant dense<5> : tensor<i32>
%1 = "stablehlo.reduce"(%x, %c) ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
%s = stablehlo.add %a,%b : tensor<f32>
      stablehlo.return %s : tensor<f32>
}) {
dimensions = array<i64: 1> } : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>

    %z = stablehlo.slice %x [0:2,0:4] : (tensor<4x6xf32>) -> tensor<2x4xf32>
    %2:2 = stablehlo.while(%k = %n, %v = %x) : tensor<i32>, tensor<4x6xf32>
 cond { %p = stablehlo.compare  LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1> } do {
        stablehlo.return %k, %v : tensor<i32>, tensor<4x6xf32>
      }
    return %2#1, %0 : tensor<4x6xf32>, tensor<4xf32>}
}
)";

constexpr char kEven[] = R"(// head
module @m {
  func.func @main(%x: tensor<4x6xf32>, %i: tensor<3x1xi64>) -> (tensor<4x6xf32>, tensor<4xf32>) {
    %c = stablehlo.constant dense<0.0> : tensor<f32>  // zero
    // own line
    %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %n = stablehlo.constant dense<5> : tensor<i32>
    %1 = "stablehlo.reduce"(%x, %c) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {
      dimensions = array<i64: 1>
    } : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>

    %z = stablehlo.slice %x [0:2, 0:4] : (tensor<4x6xf32>) -> tensor<2x4xf32>
    %2:2 = stablehlo.while(%k = %n, %v = %x) : tensor<i32>, tensor<4x6xf32>
      cond {
        %p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        stablehlo.return %k, %v : tensor<i32>, tensor<4x6xf32>
      }
    return %2#1, %0 : tensor<4x6xf32>, tensor<4xf32>
  }
}
)";

TEST(FormatText, WritesEvenly) {
  EXPECT_EQ(FormatText(kUneven), kEven);
  EXPECT_EQ(FormatText(kEven), kEven);
  EXPECT_EQ(FormatText(""), "");
}

TEST(FormatText, WhateverIsBrokenIsLeftWhole) {
  for (const char* text : {"{", "}", "}}}", "%a = \"open", "tensor<", "^", "({[<", "%0:", "// only a comment", "a\n\n\n// x\n\n\nb"}) {
    EXPECT_EQ(WordsIn(FormatText(text)), WordsIn(text)) << text;
  }
  // Cut anywhere.
  const std::string whole = kUneven;
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_EQ(WordsIn(FormatText(whole.substr(0, size))), WordsIn(whole.substr(0, size))) << size;
}

TEST(FormatText, KeepsEveryWordOfTheCorpus) {
  const char* from = std::getenv("HLOSCOPE_CORPUS");
  const std::filesystem::path folder = from != nullptr ? from : "../shared/corpus";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the corpus is not here";
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".mlir" || entry.file_size() > 4'000'000) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    const std::string even = FormatText(text.str());
    EXPECT_TRUE(WordsIn(even) == WordsIn(text.str())) << entry.path();
    EXPECT_TRUE(FormatText(even) == even) << entry.path();
    ++seen;
  }
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace hloscope::mlir
