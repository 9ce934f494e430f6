// Every problem that the reader of MLIR text reports, what it says, and that reading goes on after it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/mlir/reading.h"

namespace hloscope::mlir {
namespace {

using ::testing::HasSubstr;

std::string InFunction(const std::string& body) {
  return "func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>, %i: tensor<i32>) {\n" + body + "\n  func.return\n}\n";
}

struct Case {
  const char* labels;
  std::string text;
};

void Check(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    Reading reading(c.text);
    EXPECT_EQ(reading.Labels(), c.labels) << c.text << "\n" << reading.Problems();
    for (const Diagnostic& d : reading.sink.diagnostics()) {
      EXPECT_TRUE(d.range.valid()) << d.label;
      EXPECT_LE(d.range.end, static_cast<int32_t>(c.text.size())) << d.label;
      EXPECT_FALSE(d.message.empty());
      EXPECT_NE(d.message.back(), '.') << d.message;
    }
  }
}

TEST(MlirDiagnostics, Tokens) {
  Check({{"mlir.character", InFunction("%0 = stablehlo.add %a, %b ; tensor<2xf32>")},
         {"mlir.string", InFunction("%0 = stablehlo.custom_call @f(%a) {x = \"no end} : (tensor<2xf32>) -> tensor<2xf32>")},
         {"mlir.character", "func.func @f() attributes {a = $} {\n func.return\n}"},
         {"mlir.syntax", "func.func @f() {\n  func.return\n"},
         {"mlir.syntax", "}\nfunc.func @f() {\n  func.return\n}"},
         {"mlir.syntax", "func.func f() {\n  func.return\n}"},
         {"mlir.vhlo",
          "vhlo.func_v1 @f(%a: !vhlo.tensor_v1<!vhlo.f32_v1>) -> (!vhlo.tensor_v1<!vhlo.f32_v1>) {\n  \"vhlo.return_v1\"(%a) : "
          "(!vhlo.tensor_v1<!vhlo.f32_v1>) -> ()\n}\n"},
         {"mlir.vhlo",
          "\"vhlo.constant_v1\"() : () -> !vhlo.tensor_v1<!vhlo.f32_v1>\n\"vhlo.constant_v1\"() : () -> !vhlo.tensor_v1<!vhlo.f32_v1>\n"},
         {"mlir.bytecode", std::string("ML\xefR") + "\x01\x02"}});
}

TEST(MlirDiagnostics, Names) {
  Check({{"mlir.undefined-value",
          InFunction("%0 = stablehlo.add %a, %nowhere : tensor<2xf32>\n%1 = stablehlo.add %a, %nowhere : tensor<2xf32>")},
         {"mlir.undefined-value", InFunction("%0:2 = \"x.y\"() : () -> (i32, i32)\n%1 = \"x.z\"(%0#2) : (i32) -> i32")},
         {"mlir.undefined-value",
          "%c = stablehlo.constant dense<1> : tensor<i32>\nfunc.func @f() -> tensor<i32> {\n  func.return %c : tensor<i32>\n}"},
         {"mlir.redefined-value", InFunction("%a = stablehlo.constant dense<1> : tensor<i32>")},
         {"mlir.undefined-alias", InFunction("%0 = stablehlo.add %a, %b {x = #none} : tensor<2xf32>")},
         {"mlir.undefined-alias", InFunction("%0 = stablehlo.add %a, %b : !none")},
         {"mlir.undefined-alias", InFunction("%0 = stablehlo.add %a, %b : tensor<2xf32> loc(#nowhere)")},
         {"mlir.undefined-alias", "#a = [#b]\n#b = [#a]\nfunc.func @f() attributes {x = 1} {\n func.return\n}"},
         {"mlir.redefined-alias", "#a = 1\n#a = 2\n"},
         {"mlir.operation-name", InFunction("%0 = add %a, %b : tensor<2xf32>")},
         {"mlir.operation-name", InFunction("%0 = \"\"(%a) : (tensor<2xf32>) -> i1")},
         {"mlir.resource", InFunction("%0 = stablehlo.constant dense_resource<gone> : tensor<2xf32>")},
         {"mlir.resource", InFunction("%0 = stablehlo.constant dense_resource<bad> : tensor<2xf32>") +
                               "{-# dialect_resources: { builtin: { bad: \"0x04\" } } #-}\n"}});
}

TEST(MlirDiagnostics, Types) {
  Check(
      {{"mlir.type", InFunction("%0 = stablehlo.add %a, %b : tensr<2xf32>")},
       {"mlir.element-type", InFunction("%0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi3>")},
       {"mlir.element-type", InFunction("%0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xf128>")},
       {"mlir.element-type", InFunction("%0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xcomplex<f16>>")},
       {"mlir.element-type", InFunction("%0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xtensor<2xf32>>")},
       {"mlir.dimension", InFunction("%0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<99999999999999999999xf32>")},
       {"mlir.bounds", InFunction("%0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<?xf32, #stablehlo.bounds<3, 4>>")},
       {"mlir.bounds", InFunction("%0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<?xf32, #stablehlo.bounds<99999999999999999999>>")},
       {"mlir.syntax", InFunction("%0 = stablehlo.reshape %a : (tensor<2xf32>) -> tensor<2 f32>")},
       {"mlir.syntax", InFunction("%0 = stablehlo.reshape %a : (tensor<2xf32>) tensor<2xf32>")},
       {"mlir.syntax", InFunction("%0 = stablehlo.reshape %a : (tensor<2xf32>) -> !x.y<z")},
       {"mlir.operand-type", InFunction("%0 = stablehlo.add %a, %b : tensor<3xf32>")},
       {"mlir.operand-count", InFunction("%0 = stablehlo.reshape %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>")},
       {"mlir.operand-count", InFunction("%0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>) -> tensor<2xf32>")},
       {"mlir.result-count", InFunction("%0, %1 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>")},
       {"mlir.result-count", InFunction("%0:0 = \"stablehlo.add\"(%a, %b) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>")},
       {"mlir.type-count", InFunction("%0 = stablehlo.clamp %a, %b, %b : tensor<2xf32>, tensor<2xf32>")},
       {"mlir.type-count", InFunction("%0 = stablehlo.select %a, %b, %b : tensor<2xf32>")},
       {"mlir.type-count", InFunction("%0 = stablehlo.tuple %a, %b : tuple<tensor<2xf32>>")},
       {"mlir.type-count", InFunction("func.return %a, %b : tensor<2xf32>")}});
}

TEST(MlirDiagnostics, Attributes) {
  Check({{"mlir.attribute", InFunction("%0 = stablehlo.add %a, %b {x = yes} : tensor<2xf32>")},
         {"mlir.attribute", InFunction("%0 = stablehlo.add %a, %b {x = 1 : tensor<f32>} : tensor<2xf32>")},
         {"mlir.attribute", InFunction("%0 = stablehlo.reduce_precision %a, format = e5 : tensor<2xf32>")},
         {"mlir.attribute", InFunction("%0 = stablehlo.transpose %a, dims = 1.5 : (tensor<2xf32>) -> tensor<2xf32>")},
         {"mlir.duplicate-attribute", InFunction("%0 = stablehlo.add %a, %b {x = 1, x = 2} : tensor<2xf32>")},
         {"mlir.keyword", InFunction("%0 = stablehlo.transpose %a, permutation = [0] : (tensor<2xf32>) -> tensor<2xf32>")},
         {"mlir.keyword", "func.func hidden @f() {\n  func.return\n}"},
         {"mlir.keyword", InFunction("%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f]x[i, o]->[b, f], window = {strides = [1]} : "
                                     "(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>")},
         {"mlir.location", InFunction("%0 = stablehlo.add %a, %b : tensor<2xf32> loc(somewhere)")},
         {"mlir.location", InFunction("%0 = stablehlo.add %a, %b : tensor<2xf32> loc(\"f\":x:1)")},
         {"mlir.syntax", InFunction("%0 = stablehlo.add %a, %b {x = affine_map<(d0} : tensor<2xf32>")}});
}

TEST(MlirDiagnostics, Constants) {
  auto constant = [](const std::string& text) { return InFunction("%0 = stablehlo.constant " + text); };
  Check({{"mlir.constant-shape", constant("dense<[1, 2, 3]> : tensor<2xi32>")},
         {"mlir.constant-shape", constant("dense<[[1, 2]]> : tensor<2xi32>")},
         {"mlir.constant-shape", constant("dense<[1, 2]> : tensor<1x2xi32>")},
         {"mlir.constant-shape", constant("dense<> : tensor<2xi32>")},
         {"mlir.constant-shape", constant("dense<1> : tensor<?xi32>")},
         {"mlir.constant-shape", constant("dense<1> : i32")},
         {"mlir.constant-shape", constant("dense<1 2> : tensor<2xi32>")},
         {"mlir.constant-shape", constant("dense<[1, 2> : tensor<2xi32>")},
         {"mlir.constant-literal", constant("dense<[1, two]> : tensor<2xi32>")},
         {"mlir.constant-literal", constant("dense<[1, 2.5]> : tensor<2xi32>")},
         {"mlir.constant-literal", constant("dense<[1, 2]> : tensor<2xf32>")},
         {"mlir.constant-literal", constant("dense<[1.0, 2.0]> : tensor<2xcomplex<f32>>")},
         {"mlir.constant-literal", constant("dense<(1.0 2.0)> : tensor<complex<f32>>")},
         {"mlir.constant-literal", constant("dense<true> : tensor<i32>")},
         {"mlir.constant-literal", constant("dense<\"0xZZ\"> : tensor<i8>")},
         {"mlir.constant-literal", constant("dense<[1; 2]> : tensor<2xi8>")},
         {"mlir.constant-range", constant("dense<256> : tensor<i8>")},
         {"mlir.constant-range", constant("dense<-129> : tensor<i8>")},
         {"mlir.constant-range", constant("dense<-1> : tensor<ui8>")},
         {"mlir.constant-range", constant("dense<128> : tensor<si4>")},
         {"mlir.constant-range", constant("dense<0x1FFFF> : tensor<f16>")},
         {"mlir.constant-range", constant("dense<99999999999999999999> : tensor<i64>")},
         {"mlir.constant-size", constant("dense<0> : tensor<1000000x1000000xi32>")},
         {"mlir.hex-size", constant("dense<\"0x0102\"> : tensor<2xi32>")},
         {"mlir.syntax", constant("dense<[1, 2] : tensor<2xi32")}});
}

TEST(MlirDiagnostics, Regions) {
  Check({{"mlir.several-blocks", "func.func @f() {\n  \"cf.br\"()[^bb1] : () -> ()\n  func.return\n}"},
         {"mlir.several-blocks", "func.func @f() {\n  func.return\n^bb1:\n  func.return\n}"},
         {"mlir.operand-count",
          InFunction(
              "%0 = stablehlo.reduce(%a init: %a) across dimensions = [0] : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>\n"
              "reducer(%x: tensor<f32>, %y: tensor<f32>) (%z: tensor<f32>, %w: tensor<f32>) {\n stablehlo.return %x : tensor<f32>\n}")}});
}

TEST(MlirDiagnostics, NestingIsBounded) {
  std::string types, arrays, regions, locations;
  for (int i = 0; i < 5000; ++i) types += "tuple<", arrays += "[", regions += "\"x.y\"() ({\n", locations += "callsite(";
  EXPECT_EQ(Reading("\"a.b\"() : () -> " + types).Labels(), "mlir.nesting");
  EXPECT_EQ(Reading("\"a.b\"() {x = " + arrays + "} : () -> ()").Labels(), "mlir.nesting");
  EXPECT_THAT(Reading("\"a.b\"() : () -> () loc(" + locations).Labels(), HasSubstr("mlir.nesting"));
  EXPECT_THAT(Reading(regions).Labels(), HasSubstr("mlir.nesting"));
}

TEST(MlirDiagnostics, AliasesInsideAliasesAreBounded) {
  std::string text = "#a0 = [1, 2, 3, 4, 5, 6, 7, 8]\n!t0 = tuple<i32, i32, i32, i32, i32, i32, i32, i32>\n";
  for (int i = 1; i < 12; ++i) {
    std::string attrs, types;
    for (int k = 0; k < 8; ++k) {
      absl::StrAppend(&attrs, k > 0 ? ", " : "", "#a", i - 1);
      absl::StrAppend(&types, k > 0 ? ", " : "", "!t", i - 1);
    }
    absl::StrAppend(&text, "#a", i, " = [", attrs, "]\n!t", i, " = tuple<", types, ">\n");
  }
  EXPECT_THAT(Reading(text).Labels(), HasSubstr("mlir.alias-size"));
}

TEST(MlirDiagnostics, ReadingGoesOnAfterEachProblem) {
  Reading reading(R"(module @m {
  func.func @one(%a: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.add %a, %a : tensr<2xf32>
    %1 = stablehlo.multiply %0, %a : tensor<2xf32>
    %2 = stablehlo.constant dense<[1, 2]> : tensor<2xf32>
    %3 = "stablehlo.sort"(%1) ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %p = stablehlo.compare LT, %x, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
    %4 = stablehlo.slice %3 [0-2] : (tensor<2xf32>) -> tensor<2xf32>
    func.return %4 : tensor<2xf32>
  }
  func.func @two() {
    func.return
  }
}
)");
  EXPECT_EQ(reading.Labels(), "mlir.type,mlir.constant-literal,mlir.undefined-value,mlir.syntax") << reading.Problems();
  const Region& module = reading.Module();
  ASSERT_EQ(module.ops.size(), 2u);
  const Region& one = *module.ops[0]->regions[0];
  ASSERT_EQ(one.ops.size(), 6u);
  EXPECT_TRUE(one.ops[0]->in_error);
  EXPECT_FALSE(one.ops[1]->in_error);
  EXPECT_EQ(one.ops[1]->operands.size(), 2u);
  EXPECT_TRUE(one.ops[2]->in_error);
  EXPECT_FALSE(one.ops[3]->in_error);
  EXPECT_TRUE(one.ops[3]->regions[0]->ops[0]->in_error);
  EXPECT_FALSE(one.ops[5]->in_error);
  EXPECT_FALSE(module.ops[0]->in_error);
}

TEST(MlirDiagnostics, MessagesShowThePlaceAndTheWayOut) {
  Reading reading(InFunction("%0 = stablehlo.pad %a, %i, lo = [0] : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>"));
  EXPECT_THAT(reading.Problems(), HasSubstr("<test>:2:28: error: stablehlo.pad has no 'lo =' [mlir.keyword]"));
  EXPECT_THAT(reading.Problems(), HasSubstr("did you mean 'low'? It has: low, high, interior"));
}

}  // namespace
}  // namespace hloscope::mlir
