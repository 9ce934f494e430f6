// The reader of MLIR text survives any bytes: mutations of texts that use every form, byte by byte and piece by piece.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "tests/mlir/reading.h"

namespace hloscope::mlir {
namespace {

constexpr absl::string_view kSeed = R"(#map = affine_map<(d0) -> (d0)>
!t = tensor<2x3xf32>
#loc1 = loc("file.py":12:3)
module @m attributes {mhlo.num_partitions = 1 : i32, x.y = #stablehlo.dot<lhs_contracting_dimensions = [1]>} {
  func.func public @main(%arg0: !t {jax.x = "a\"b\\"} loc("x"), %arg1: tensor<3x?xf32, #stablehlo.bounds<?, 4>>) -> (tensor<2xf32> {r = unit}) attributes {q} {
    %c = stablehlo.constant dense<[[1.0, -2.5e-3, 0x7FC00000], [3.0, 4.0, 5.0]]> : tensor<2x3xf32> loc(#loc2)
    %z = stablehlo.constant dense<[(1.0, 2.0), (0.0, -0.0)]> : tensor<2xcomplex<f32>>
    %h = stablehlo.constant dense<"0x0102030405060708"> : tensor<2xi32>
    %r = stablehlo.constant dense_resource<blob> : tensor<2xf32>
    %b = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %0 = stablehlo.add %arg0, %c : !t loc(callsite("f"(#loc1) at fused<{a = 1}>["b", "c":1:2]))
    %1:2 = "stablehlo.sort"(%0, %c) <{dimension = 1 : i64, is_stable}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>, %s: tensor<f32> loc(unknown), %t: tensor<f32>):
      %2 = stablehlo.compare LT, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {k = array<i64: 1, 2>} : (!t, !t) -> (!t, !t)
    %i = stablehlo.constant dense<0> : tensor<i32>
    %f = stablehlo.constant dense<0.0> : tensor<f32>
    %3:2 = stablehlo.while(%it = %i, %acc = %1#1) : tensor<i32>, tensor<2x3xf32> attributes {w = [1, "a", @s::@t]}
    cond {
      %4 = stablehlo.compare LT, %it, %i, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      stablehlo.return %it, %acc : tensor<i32>, tensor<2x3xf32>
    }
    %5 = stablehlo.reduce(%3#1 init: %f) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %6 = stablehlo.reduce(%3#1 init: %f) across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
     reducer(%x: tensor<f32>, %y: tensor<f32>)  {
      %7 = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }
    %8 = stablehlo.dot_general %0, %c, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, HIGH], algorithm = <lhs_precision_type = tf32> : (!t, !t) -> tensor<2xf32>
    %9 = stablehlo.slice %8 [0:2:1] : (tensor<2xf32>) -> tensor<2xf32>
    %10 = stablehlo.custom_call @"a b"(%9) {backend_config = {u = -1 : i8, v = 1.5 : bf16}} : (tensor<2xf32>) -> tensor<2xf32>
    %11 = call @g(%10) : (tensor<2xf32>) -> tensor<2xf32>
    %12 = stablehlo.reduce_precision %11, format = e5m10 : tensor<2xf32>
    %13 = stablehlo.convert %12 : (tensor<2xf32>) -> tensor<2x!quant.uniform<i8<-128:127>:f32, 1.0:3>>
    %14:2 = chlo.scan(%0) inits(%5) dimension=1 attributes {is_reverse = true} {
    ^bb0(%u: tensor<2xf32>, %v: tensor<2xf32>):
      stablehlo.return %u, %v : tensor<2xf32>, tensor<2xf32>
    } : (!t, tensor<2xf32>) -> (!t, tensor<2xf32>)
    %15 = stablehlo.convolution(%0, %c) dim_numbers = [b, f]x[i, o]->[b, f], window = {stride = [1], pad = [[0, 1]], reverse = [true]} {feature_group_count = 1 : i64} : (!t, !t) -> !t
    check.expect_almost_eq_const %f, dense<0.5> : tensor<f32> {tolerance = 0.1 : f64}
    return %12 : tensor<2xf32>
  }
  func.func private @g(tensor<2xf32>) -> tensor<2xf32>
}
#loc2 = loc("name"(#loc1))
{-#
  dialect_resources: { builtin: { blob: "0x040000000000803F00000040" } }
#-}
// -----
func.func @other() { func.return }
)";

// Exactly the seed is fine, so that the mutations start from where everything is reached.
TEST(MlirFuzz, TheSeedHasNoProblems) {
  Reading reading{std::string(kSeed)};
  EXPECT_EQ(reading.Problems(), "");
  EXPECT_EQ(reading.file.modules.size(), 2u);
}

int Consistent(const Region& region, int depth) {
  EXPECT_LT(depth, 300);
  int count = 0;
  for (const auto& op : region.ops) {
    EXPECT_EQ(op->parent, &region);
    EXPECT_EQ(op->operands.size(), op->operand_ranges.size());
    for (const SsaValue* operand : op->operands) EXPECT_NE(operand, nullptr);
    for (size_t i = 0; i < op->results.size(); ++i) EXPECT_EQ(op->results[i]->op, op.get());
    for (const auto& inner : op->regions) count += Consistent(*inner, depth + 1);
    ++count;
  }
  return count;
}

void Survive(const std::string& text) {
  Reading reading(text);
  for (const auto& module : reading.file.modules) {
    for (const auto& region : module->regions) Consistent(*region, 0);
  }
  for (const Diagnostic& d : reading.sink.diagnostics()) {
    ASSERT_LE(d.range.end, static_cast<int32_t>(text.size()));
    ASSERT_LE(d.range.begin, d.range.end) << d.label;
  }
  reading.Problems();
}

TEST(MlirFuzz, EveryPrefix) {
  for (size_t size = 0; size <= kSeed.size(); size += 7) Survive(std::string(kSeed.substr(0, size)));
}

// HLOSCOPE_FUZZ_ROUNDS=1000000 makes a long run of it.
int Rounds(int usual) {
  const char* rounds = std::getenv("HLOSCOPE_FUZZ_ROUNDS");
  return rounds != nullptr ? std::atoi(rounds) : usual;
}

// A text with a few bytes, pieces or stretches changed, removed, doubled or brought from `other`.
std::string Mutate(std::string text, const std::string& other, std::mt19937& random) {
  constexpr absl::string_view kPieces[] = {"{",   "}",    "(",  ")",    "<",      ">",     "[",         "]",  ",",           ":",
                                           "=",   "->",   "\"", "%",    "%0",     "#0",    "#loc1",     "!t", "@",           "//",
                                           "?",   "\xff", "<{", "}>",   "dense<", "0x",    "tensor<",   "-",  "99999999999", "\n",
                                           "{-#", "#-}",  "x",  "loc(", "\\",     "^bb0:", "// -----\n"};
  auto below = [&](size_t n) { return n == 0 ? 0 : static_cast<size_t>(random() % n); };
  auto piece = [&] { return std::string(kPieces[below(std::size(kPieces))]); };
  for (size_t i = 0, changes = 1 + below(4); i < changes; ++i) {
    if (text.empty()) text = "x";
    const size_t at = below(text.size());
    const size_t length = std::min(text.size() - at, below(40));
    switch (below(6)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, piece()); break;
      case 3: text.insert(at, text.substr(below(text.size()), length)); break;
      case 4: text.replace(at, length, other.substr(below(other.size()), below(60))); break;
      default: text.replace(at, length, piece()); break;
    }
  }
  return text;
}

TEST(MlirFuzz, Mutations) {
  std::mt19937 random(20240607);
  for (int round = 0, rounds = Rounds(4000); round < rounds; ++round) {
    const std::string text = Mutate(std::string(kSeed), std::string(kSeed), random);
    Survive(text);
    if (HasFailure()) {
      ADD_FAILURE() << text;
      return;
    }
  }
}

TEST(MlirFuzz, MutationsOfTheCorpus) {
  const char* set = std::getenv("HLOSCOPE_CORPUS");
  std::vector<std::string> texts;
  std::error_code error;
  for (const char* folder : {"stablehlo_interpret", "stablehlo_testdata"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(set != nullptr ? set : "../shared/corpus") / folder, error)) {
      if (entry.file_size() > 8000) continue;
      std::stringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      texts.push_back(text.str());
    }
  }
  if (texts.empty()) GTEST_SKIP() << "no corpus";
  std::sort(texts.begin(), texts.end());
  std::mt19937 random(99);
  for (int round = 0, rounds = Rounds(1500); round < rounds; ++round) {
    const std::string text = Mutate(texts[random() % texts.size()], texts[random() % texts.size()], random);
    Survive(text);
    if (HasFailure()) {
      ADD_FAILURE() << text;
      return;
    }
  }
}

TEST(MlirFuzz, RandomBytes) {
  std::mt19937 random(7);
  constexpr absl::string_view kAlphabet = "%#!@^\"{}()[]<>,:=-+*?/x01.aeftn \n_";
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i)
      text.push_back(round % 4 == 0 ? static_cast<char>(random() % 256) : kAlphabet[random() % kAlphabet.size()]);
    Survive(text);
  }
}

// Texts of one thing many times over: time must not grow faster than the text.
TEST(MlirFuzz, LongTextsTakeLinearTime) {
  constexpr absl::string_view kUnits[] = {"{",
                                          "(",
                                          "[",
                                          "<",
                                          "\"",
                                          "%a = ",
                                          "dense<",
                                          "dense<1",
                                          "tensor<",
                                          "#a = ",
                                          "loc(",
                                          "\"x.y\"() ({",
                                          "\"x.y\"(%a)\n",
                                          "^b:\n",
                                          "{-# ",
                                          "!x.y<",
                                          "#x.y<",
                                          "#x.y<a = ",
                                          "func.func @f() {\n",
                                          "%a, ",
                                          "module {\n",
                                          "a.b ",
                                          "stablehlo.add %a, %b : \n",
                                          "// -----\n",
                                          "#a\n",
                                          "\\",
                                          "%0 = stablehlo.constant dense<1> : tensor<2xf32>\n",
                                          "!q = !q\n",
                                          "stablehlo.reduce(",
                                          "}\n",
                                          "#l = loc(#l)\n"};
  for (absl::string_view unit : kUnits) {
    std::string text;
    while (text.size() < 300'000) text.append(unit.data(), unit.size());
    const auto start = std::chrono::steady_clock::now();
    Survive(text);
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_LT(took, std::chrono::seconds(5)) << unit;
  }
}

}  // namespace
}  // namespace hloscope::mlir
