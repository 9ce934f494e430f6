// Types, elements, attributes and locations.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/mlir/reading.h"
#include "tests/mlir/tree_text.h"

namespace hloscope::mlir {
namespace {

using ::testing::ElementsAre;

// The attribute `x` of an operation; `after` stands behind it (resources).
Attr AttrOf(const std::string& text, const std::string& after = "", const std::string& before = "") {
  Reading reading(absl::StrCat(before, "\"a.b\"() {x = ", text, "} : () -> ()\n", after));
  EXPECT_EQ(reading.Problems(), "") << text;
  const Attr* attr = reading.file.modules.empty() || reading.Module().ops.empty() ? nullptr : reading.First().Find("x");
  return attr != nullptr ? *attr : Attr();
}

std::string Elements(const std::string& text, const std::string& after = "") { return TextOf(AttrOf(text, after).value); }

Type TypeOf(const std::string& text, const std::string& before = "") {
  const Attr attr = AttrOf(text, "", before);
  EXPECT_EQ(attr.kind, Attr::Kind::kType) << text;
  return attr.type;
}

TEST(MlirElements, ListsSplatsAndComplexNumbers) {
  EXPECT_EQ(Elements("dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>"), "s32[2,2] 1,-2,3,4");
  EXPECT_EQ(Elements("dense<7> : tensor<3xi64>"), "s64[3] 7,7,7");
  EXPECT_EQ(Elements("dense<2.5> : tensor<f32>"), "f32[] 2.5");
  EXPECT_EQ(Elements("dense<[true, false, true]> : tensor<3xi1>"), "pred[3] true,false,true");
  EXPECT_EQ(Elements("dense<[1, 0]> : tensor<2xi1>"), "pred[2] true,false");
  EXPECT_EQ(Elements("dense<true> : tensor<2xi1>"), "pred[2] true,true");
  EXPECT_EQ(Elements("dense<[(1.0, -2.0), (0x7F800000, 3.5)]> : tensor<2xcomplex<f32>>"), "c64[2] (1, -2),(inf, 3.5)");
  EXPECT_EQ(Elements("dense<(1.0, 2.0)> : tensor<2xcomplex<f64>>"), "c128[2] (1, 2),(1, 2)");
  EXPECT_EQ(Elements("dense<[]> : tensor<0xf32>"), "f32[0]");
  EXPECT_EQ(Elements("dense<> : tensor<0x3xf32>"), "f32[0,3]");
  EXPECT_EQ(Elements("dense<[[], []]> : tensor<2x0xi8>"), "s8[2,0]");
  EXPECT_EQ(Elements("dense<1> : tensor<0xi8>"), "s8[0]");
  EXPECT_EQ(Elements("dense<[ // one\n 1,\n 2 ]> : tensor<2xindex>"), "s64[2] 1,2");
  EXPECT_EQ(TextOf(AttrOf("dense<7> : tensor<3xi64>").splat), "s64[] 7");
  EXPECT_FALSE(AttrOf("dense<[7]> : tensor<1xi64>").splat.has_value());
}

TEST(MlirElements, EveryElementType) {
  EXPECT_EQ(Elements("dense<[-2, 1]> : tensor<2xi2>"), "s2[2] -2,1");
  EXPECT_EQ(Elements("dense<[-8, 7, 15]> : tensor<3xi4>"), "s4[3] -8,7,-1");
  EXPECT_EQ(Elements("dense<[0, 15]> : tensor<2xui4>"), "u4[2] 0,15");
  EXPECT_EQ(Elements("dense<[-128, 255]> : tensor<2xi8>"), "s8[2] -128,-1");
  EXPECT_EQ(Elements("dense<255> : tensor<ui8>"), "u8[] 255");
  EXPECT_EQ(Elements("dense<18446744073709551615> : tensor<ui64>"), "u64[] 18446744073709551615");
  EXPECT_EQ(Elements("dense<-9223372036854775808> : tensor<i64>"), "s64[] -9223372036854775808");
  EXPECT_EQ(Elements("dense<[3.0, 0x7C00]> : tensor<2xf16>"), "f16[2] 3,inf");
  EXPECT_EQ(Elements("dense<[3.0, 0xFF80]> : tensor<2xbf16>"), "bf16[2] 3,-inf");
  EXPECT_EQ(Elements("dense<[448.0, 0x01]> : tensor<2xf8E4M3FN>"), "f8e4m3fn[2] 448,0.001953125");
  EXPECT_EQ(Elements("dense<1.0> : tensor<f8E5M2>"), "f8e5m2[] 1");
  EXPECT_EQ(Elements("dense<1.0> : tensor<f8E4M3B11FNUZ>"), "f8e4m3b11fnuz[] 1");
  EXPECT_EQ(Elements("dense<2.0> : tensor<f8E8M0FNU>"), "f8e8m0fnu[] 2");
  EXPECT_EQ(Elements("dense<[6.0, 0x07]> : tensor<2xf4E2M1FN>"), "f4e2m1fn[2] 6,6");
  EXPECT_EQ(Elements("dense<[0x1F, 0.1]> : tensor<2xf6E2M3FN>"), "f6e2m3fn[2] 7.5,0.125");
  EXPECT_EQ(Elements("dense<[1.0e400, -1.0e-400]> : tensor<2xf64>"), "f64[2] inf,-0");
  EXPECT_EQ(Elements("dense<[nan, -inf]> : tensor<2xf32>"), "f32[2] nan,-inf");
  EXPECT_EQ(Elements("dense<1e3> : tensor<f32>"), "f32[] 1000");
}

// The payload of a NaN and the sign of zero come through.
TEST(MlirElements, BitsOfFloats) {
  const Attr attr = AttrOf("dense<[0xFFC00001, -0.0, 0x00000001]> : tensor<3xf32>");
  EXPECT_EQ(attr.value.as<uint32_t>()[1], 0x80000000u);
  EXPECT_EQ(attr.value.as<uint32_t>()[2], 1u);
  EXPECT_TRUE(std::isnan(attr.value.as<float>()[0]));
  EXPECT_EQ(attr.value.as<uint32_t>()[0], 0xFFC00001u);
  EXPECT_EQ(AttrOf("dense<0x7F800001> : tensor<f32>").value.as<uint32_t>()[0], 0x7F800001u);  // a signalling one
  EXPECT_EQ(AttrOf("dense<0x7FFF> : tensor<bf16>").value.as<uint16_t>()[0], 0x7FFFu);
  EXPECT_EQ(AttrOf("dense<0xFE01> : tensor<f16>").value.as<uint16_t>()[0], 0xFE01u);
  EXPECT_EQ(AttrOf("dense<0x7FF8000000000002> : tensor<f64>").value.as<uint64_t>()[0], 0x7FF8000000000002u);
  EXPECT_EQ(AttrOf("dense<(0x7FC00003, 1.0)> : tensor<complex<f32>>").value.as<uint32_t>()[0], 0x7FC00003u);
}

TEST(MlirElements, HexStrings) {
  EXPECT_EQ(Elements("dense<\"0x0100000002000000\"> : tensor<2xi32>"), "s32[2] 1,2");
  EXPECT_EQ(Elements("dense<\"0x01000000\"> : tensor<3xi32>"), "s32[3] 1,1,1");
  EXPECT_EQ(Elements("dense<\"0x0000803F00000040\"> : tensor<2xf32>"), "f32[2] 1,2");
  EXPECT_EQ(Elements("dense<\"0x0501\"> : tensor<10xi1>"), "pred[10] true,false,true,false,false,false,false,false,true,false");
  EXPECT_EQ(Elements("dense<\"0xFF\"> : tensor<20xi1>").substr(0, 18), "pred[20] true,true");
  EXPECT_EQ(Elements("dense<\"0x010001\"> : tensor<3xi1>"), "pred[3] true,false,true");
  EXPECT_EQ(Elements("dense<\"0x0F01\"> : tensor<2xi4>"), "s4[2] -1,1");
  EXPECT_EQ(Elements("dense<\"0x0000803F00000040\"> : tensor<1xcomplex<f32>>"), "c64[1] (1, 2)");
}

TEST(MlirElements, Resources) {
  const std::string blob =
      "{-#\n  dialect_resources: {\n    builtin: {\n      a: \"0x040000000000803F00000040\",\n      \"b c\": \"0x010000000001\"\n    }\n  "
      "},\n  external_resources: { mlir_reproducer: { pipeline: \"x\" } }\n#-}\n";
  EXPECT_EQ(Elements("dense_resource<a> : tensor<2xf32>", blob), "f32[2] 1,2");
  EXPECT_EQ(Elements("dense_resource<\"b c\"> : tensor<2xi1>", blob), "pred[2] false,true");
}

TEST(MlirTypes, Tensors) {
  const Type t = TypeOf("tensor<2x?x0x16xf32>");
  EXPECT_EQ(t.kind, Type::Kind::kTensor);
  EXPECT_THAT(t.shape.dimensions(), ElementsAre(2, Shape::kUnbounded, 0, 16));
  EXPECT_TRUE(t.shape.is_dynamic(1));
  EXPECT_FALSE(t.shape.is_dynamic(0));
  EXPECT_EQ(TypeOf("tensor<0x5xi1>").shape.ToString(), "pred[0,5]");
  EXPECT_EQ(TypeOf("tensor<ui2>").shape.ToString(), "u2[]");
  EXPECT_EQ(TypeOf("tensor<3xsi16>").shape.ToString(), "s16[3]");
  EXPECT_TRUE(TypeOf("tensor<4xindex>").is_index);
  EXPECT_EQ(TypeOf("tensor<?x?xf32, #stablehlo.bounds<3, ?>>").shape.dim(0), 3);
  EXPECT_EQ(TypeOf("tensor<?x?xf32, #stablehlo.bounds<3, ?>>").shape.dim(1), Shape::kUnbounded);
  EXPECT_EQ(TypeOf("tensor<2x?xf32, #stablehlo.type_extensions<bounds = [?, 7]>>").shape.ToString(), "f32[2,<=7]");
  EXPECT_EQ(TypeOf("tensor<2x?xf32, #b>", "#b = #stablehlo.bounds<?, 5>\n").shape.ToString(), "f32[2,<=5]");
  EXPECT_EQ(TypeOf("tensor<*xf16>").kind, Type::Kind::kUnranked);
  EXPECT_EQ(TypeOf("tensor<2x!x.string>").kind, Type::Kind::kOther);
}

TEST(MlirTypes, Others) {
  EXPECT_EQ(TypeOf("!stablehlo.token").kind, Type::Kind::kToken);
  EXPECT_EQ(TypeOf("index").is_index, true);
  const Type tuple = TypeOf("tuple<tensor<f32>, tuple<>, !stablehlo.token>");
  ASSERT_EQ(tuple.elements.size(), 3u);
  EXPECT_EQ(tuple.elements[1].kind, Type::Kind::kTuple);
  const Type function = TypeOf("(i32, (f32) -> f64) -> (tensor<2xi8>, i1)");
  ASSERT_EQ(function.elements.size(), 2u);
  EXPECT_EQ(function.elements[1].results[0].shape.element_type(), ElementType::kF64);
  EXPECT_EQ(function.results.size(), 2u);
  const Type quantized = TypeOf("tensor<4x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.25:3}>>");
  EXPECT_EQ(quantized.kind, Type::Kind::kQuantized);
  EXPECT_EQ(quantized.shape.ToString(), "s8[4]");
  EXPECT_EQ(TypeOf("!quant.uniform<ui4:f32, 34.0:16>").shape.ToString(), "u4[]");
  EXPECT_EQ(TypeOf("memref<2x?xf32, strided<[1, ?]>>").text, "memref<2x?xf32, strided<[1, ?]>>");
  EXPECT_EQ(TypeOf("!t", "!t = tensor<2xf32>\n").shape.ToString(), "f32[2]");
}

TEST(MlirAttributes, Kinds) {
  EXPECT_EQ(TextOf(AttrOf("-5 : i8")), "-5:i8");
  EXPECT_EQ(TextOf(AttrOf("0x1F")), "31:i64");
  EXPECT_EQ(TextOf(AttrOf("1.5e3 : f32")), "1500:f32");
  EXPECT_EQ(TextOf(AttrOf("0x7F800000 : f32")), "inf:f32");
  EXPECT_EQ(TextOf(AttrOf("0.1 : bf16")), "0.100098:bf16");
  EXPECT_EQ(AttrOf("18446744073709551615 : ui64").integer, -1);
  EXPECT_EQ(AttrOf("\"a\\22b\\\\c\\n\\09\"").text, "a\"b\\c\n\t");
  EXPECT_EQ(AttrOf("@a::@\"b c\"").text, "a::b c");
  EXPECT_EQ(TextOf(AttrOf("[1, \"a\", [true], unit, {k, \"l.m\" = f32}]")), "[1:i64, \"a\", [true], unit, {k=unit, l.m=f32}]");
  EXPECT_EQ(TextOf(AttrOf("array<i32: -1, 2>")), "array<i32:-1,2>");
  EXPECT_EQ(TextOf(AttrOf("array<f32: 1.5, 0x3F800000>")), "array<f32:1.5,1>");
  EXPECT_EQ(TextOf(AttrOf("array<i1: true, false>")), "array<i1:1,0>");
  EXPECT_EQ(TextOf(AttrOf("array<i64>")), "array<i64:>");
  EXPECT_EQ(TextOf(AttrOf("affine_map<(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)>")),
            "'affine_map<(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)>'");
  EXPECT_EQ(AttrOf("affine_set<(d0, d1) : (d0 - 10 >= 0, d1 == 0)>").raw, "affine_set<(d0, d1) : (d0 - 10 >= 0, d1 == 0)>");
  EXPECT_EQ(TextOf(AttrOf("#a", "", "#a = [#b, 2]\n#b = 1 : i8\n")), "[1:i8, 2:i64]");
  EXPECT_EQ(AttrOf("vector<2xf32>").type.kind, Type::Kind::kOther);
}

TEST(MlirAttributes, OfDialects) {
  const Attr dot = AttrOf(
      "#stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1],\n lhs_contracting_dimensions = [], "
      "rhs_contracting_dimensions = []>");
  EXPECT_EQ(dot.text, "stablehlo.dot");
  EXPECT_EQ(AsIntegers(*dot.Field("rhs_batching_dimensions")), std::vector<int64_t>{1});
  EXPECT_EQ(AsIntegers(*dot.Field("lhs_contracting_dimensions")), std::vector<int64_t>{});
  EXPECT_EQ(dot.Field("none"), nullptr);
  const Attr word = AttrOf("#stablehlo<precision HIGH>");
  EXPECT_EQ(word.text, "stablehlo.precision");
  EXPECT_THAT(word.words, ElementsAre("HIGH"));
  const Attr full = AttrOf("#stablehlo.precision<HIGH>");
  EXPECT_EQ(full.text, word.text);
  EXPECT_EQ(full.words, word.words);
  EXPECT_EQ(AttrOf("#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>").raw, "[b, 0, f]x[0, i, o]->[b, 0, f]");
  const Attr alias = AttrOf("[#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>]");
  EXPECT_EQ(alias.array[0].Field("operand_index")->integer, 1);
  EXPECT_EQ(AttrOf("#stablehlo.gather<offset_dims = [1], index_vector_dim = 2,>").Field("index_vector_dim")->integer, 2);
  const Attr accuracy = AttrOf("#stablehlo.result_accuracy<atol = 1.0e-5, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>");
  EXPECT_EQ(accuracy.Field("atol")->number, 1e-5);
  EXPECT_THAT(accuracy.Field("mode")->words, ElementsAre("TOLERANCE"));
  EXPECT_EQ(AttrOf("#sdy.sharding<@mesh, [{\"x\"}, {}]>").raw, "@mesh, [{\"x\"}, {}]");
  EXPECT_EQ(AttrOf("#x.y").text, "x.y");
  const Attr raw = AttrOf("#mhlo.conv<raw\n  input_batch_dimension = 0,\n  input_spatial_dimensions = [1, 2]\n>");
  EXPECT_THAT(raw.words, ElementsAre("raw"));
  EXPECT_EQ(AsIntegers(*raw.Field("input_spatial_dimensions")), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(TextOf(AttrOf("#a-b", "", "#a-b = 7 : i8\n")), "7:i8");
}

TEST(MlirAttributes, IntegersInEverySpelling) {
  const std::vector<int64_t> expected = {1, -2};
  EXPECT_EQ(AsIntegers(AttrOf("array<i64: 1, -2>")), expected);
  EXPECT_EQ(AsIntegers(AttrOf("dense<[1, -2]> : tensor<2xi64>")), expected);
  EXPECT_EQ(AsIntegers(AttrOf("dense<[[1], [-2]]> : tensor<2x1xi32>")), expected);
  EXPECT_EQ(AsIntegers(AttrOf("[1, -2]")), expected);
  EXPECT_EQ(AsIntegers(AttrOf("5 : i32")), std::vector<int64_t>{5});
  EXPECT_EQ(AsIntegers(AttrOf("dense<[true, false]> : tensor<2xi1>")), (std::vector<int64_t>{1, 0}));
  EXPECT_FALSE(AsIntegers(AttrOf("\"a\"")).has_value());
  EXPECT_FALSE(AsIntegers(AttrOf("[1, \"a\"]")).has_value());
  EXPECT_FALSE(AsIntegers(AttrOf("dense<1.0> : tensor<2xf32>")).has_value());
  EXPECT_FALSE(AsIntegers(AttrOf("array<f32: 1.0>")).has_value());
}

Location LocationOf(const std::string& text, const std::string& after = "") {
  Reading reading(absl::StrCat("\"a.b\"() : () -> () ", text, "\n", after));
  EXPECT_EQ(reading.Problems(), "") << text;
  return reading.First().location;
}

std::string Show(const Location& l) { return absl::StrCat(l.file, ":", l.line, ":", l.column, " ", l.name); }

TEST(MlirLocations, Kinds) {
  EXPECT_EQ(Show(LocationOf("")), ":0:0 ");
  EXPECT_EQ(Show(LocationOf("loc(unknown)")), ":0:0 ");
  EXPECT_EQ(Show(LocationOf("loc(\"a b.py\":12:3)")), "a b.py:12:3 ");
  EXPECT_EQ(Show(LocationOf("loc(\"a.py\":12:3 to 14:5)")), "a.py:12:3 ");
  EXPECT_EQ(Show(LocationOf("loc(\"a.py\":12:3 to :5)")), "a.py:12:3 ");
  EXPECT_EQ(Show(LocationOf("loc(\"jit(f)/add\")")), ":0:0 jit(f)/add");
  EXPECT_EQ(Show(LocationOf("loc(\"outer\"(\"inner\"(\"a.py\":1:2)))")), "a.py:1:2 outer");
  EXPECT_EQ(Show(LocationOf("loc(callsite(\"callee\"(\"a.py\":1:2) at \"b.py\":3:4))")), "a.py:1:2 callee");
  EXPECT_EQ(Show(LocationOf("loc(fused[\"x\", \"a.py\":1:2])")), "a.py:1:2 x");
  EXPECT_EQ(Show(LocationOf("loc(fused<{k = 1}>[\"a.py\":1:2])")), "a.py:1:2 ");
  EXPECT_EQ(Show(LocationOf("loc(#loc2)", "#loc1 = loc(\"a.py\":1:2)\n#loc2 = loc(\"n\"(#loc1))\n")), "a.py:1:2 n");
  EXPECT_EQ(Show(LocationOf("loc(#loc2)", "#loc2 = loc(\"n\"(#loc3))\n#loc3 = loc(\"a.py\":1:2)\n")), "a.py:1:2 n");
}

// The stack of calls, innermost first.
std::string Stack(const std::string& text, const std::string& after = "") {
  Reading reading(absl::StrCat("\"a.b\"() : () -> () ", text, "\n", after));
  EXPECT_EQ(reading.Problems(), "") << text;
  std::string out;
  for (int32_t f = reading.First().location.frame; f >= 0; f = reading.file.frames[f].caller) {
    const CallFrame& frame = reading.file.frames[f];
    absl::StrAppend(&out, out.empty() ? "" : frame.another ? " | " : " < ", frame.function, "@", frame.file, ":", frame.line, ":", frame.column, "-", frame.end_line, ":", frame.end_column);
  }
  return out;
}

TEST(MlirLocations, Stacks) {
  EXPECT_EQ(Stack("loc(unknown)"), "");
  EXPECT_EQ(Stack("loc(\"op\"(\"a\":1:2))"), "@a:1:2-1:2");
  EXPECT_EQ(Stack("loc(\"op\"(\"f\"(\"a\":1:2 to :5)))"), "f@a:1:2-1:5");
  EXPECT_EQ(Stack("loc(callsite(\"f\"(\"a\":1:2 to 3:4) at \"b\":5:6))"), "f@a:1:2-3:4 < @b:5:6-5:6");
  const std::string right = "f@a:1:1-1:1 < g@b:2:1-2:1 < h@c:3:1-3:1";
  EXPECT_EQ(Stack("loc(callsite(\"f\"(\"a\":1:1) at callsite(\"g\"(\"b\":2:1) at \"h\"(\"c\":3:1))))"), right);
  EXPECT_EQ(Stack("loc(\"op\"(callsite(callsite(\"f\"(\"a\":1:1) at \"g\"(\"b\":2:1)) at \"h\"(\"c\":3:1))))"), right);
  EXPECT_EQ(Stack("loc(callsite(unknown at \"g\"(\"b\":2:1)))"), "g@b:2:1-2:1");
  EXPECT_EQ(Show(LocationOf("loc(callsite(unknown at \"g\"(\"b\":2:1)))")), "b:2:1 ");
  EXPECT_EQ(Stack("loc(callsite(\"f\"(\"a\":1:1) at unknown))"), "f@a:1:1-1:1");
  EXPECT_EQ(Stack("loc(fused[\"x\", \"a\":1:1, unknown, \"b\":2:1, \"a\":1:1])"), "@a:1:1-1:1 | @b:2:1-2:1");
  EXPECT_EQ(Stack("loc(fused[callsite(\"a\":1:1 at #m), callsite(\"b\":2:1 at #m)])", "#m = loc(\"c\":3:1)\n"), "@a:1:1-1:1 < @c:3:1-3:1 | @b:2:1-2:1");
}

TEST(MlirLocations, FusedPlacesAreNoCallers) {
  EXPECT_EQ(Stack("loc(fused[\"a\":1:1, callsite(\"b\":2:1 at \"c\":3:1), fused[\"d\":4:1, \"a\":1:1]])"), "@a:1:1-1:1 | @b:2:1-2:1 < @c:3:1-3:1 | @d:4:1-4:1");
  EXPECT_EQ(Stack("loc(callsite(fused[\"a\":1:1, \"b\":2:1] at \"c\":3:1))"), "@a:1:1-1:1 | @b:2:1-2:1 < @c:3:1-3:1");
}

// Each alias is a caller of the one before it, and defined behind it or before it; the calls may also be written in one another.
TEST(MlirLocations, StacksOfAnyDepth) {
  constexpr int kDeep = 20000;
  const auto depth = [](const std::string& text, const std::string& after) {
    Reading reading(absl::StrCat("\"a.b\"() : () -> () ", text, "\n", after));
    EXPECT_EQ(reading.Problems(), "");
    int frames = 0;
    for (int32_t f = reading.First().location.frame; f >= 0; f = reading.file.frames[f].caller) ++frames;
    return frames;
  };
  std::string forth, back, inner;
  for (int k = 0; k < kDeep; ++k) {
    absl::StrAppend(&forth, "#p", k, " = loc(\"a\":", k + 1, ":1)\n#l", k, " = loc(callsite(#p", k, " at #l", k + 1, "))\n");
    if (k < 5000) absl::StrAppend(&inner, "callsite(\"a\":", k + 1, ":1 at ");
  }
  for (int k = kDeep - 1; k >= 0; --k) absl::StrAppend(&back, "#l", k, " = loc(callsite(#p", k, " at #l", k + 1, "))\n#p", k, " = loc(\"a\":", k + 1, ":1)\n");
  const std::string last = absl::StrCat("#l", kDeep, " = loc(\"b\":1:1)\n");
  EXPECT_EQ(depth("loc(#l0)", forth + last), kDeep + 1);
  EXPECT_EQ(depth("loc(#l0)", last + back), kDeep + 1);
  EXPECT_EQ(depth(absl::StrCat("loc(", inner, "\"b\":1:1", std::string(5000, ')'), ")"), ""), 5001);
}

TEST(MlirLocations, StacksShareFrames) {
  Reading reading(
      "#m = loc(callsite(\"g\"(\"b\":2:1) at \"h\"(\"c\":3:1)))\n\"a.b\"() : () -> () loc(callsite(\"a\":1:1 at #m))\n\"a.b\"() : () -> () loc(callsite(\"a\":4:1 at #m))\n");
  EXPECT_EQ(reading.Problems(), "");
  const std::vector<CallFrame>& frames = reading.file.frames;
  const int32_t first = reading.First(0).location.frame, second = reading.First(1).location.frame;
  EXPECT_NE(first, second);
  EXPECT_EQ(frames[first].caller, frames[second].caller);
}

// Each alias has the one before it twice.
TEST(MlirLocations, StacksThatDouble) {
  std::string text = "#l0 = loc(\"f\"(\"a\":1:1))\n";
  for (int k = 0; k < 60; ++k) absl::StrAppend(&text, "#l", k + 1, " = loc(callsite(#l", k, " at #l", k, "))\n");
  Reading reading(text + "\"a.b\"() : () -> () loc(#l60)\n");
  EXPECT_EQ(reading.Labels(), "mlir.location-size");  // a warning
  EXPECT_EQ(reading.sink.error_count(), 0);
  EXPECT_GE(reading.First().location.frame, 0);
}

TEST(MlirValues, NamesAndUses) {
  Reading reading(R"(func.func @f(%arg0: i32, %arg-1: i32) -> i32 {
  %0:2, %named = "a.b"(%arg0, %arg-1) : (i32, i32) -> (i32, f32, i64)
  %1 = "a.c"(%0, %0#0, %0#1, %named, %named#0) ({
    "a.d"(%0#1) : (f32) -> ()
  }) : (i32, i32, f32, i64, i64) -> i32
  return %1 : i32
}
)");
  ASSERT_EQ(reading.Problems(), "");
  const auto& ops = reading.First().regions[0]->ops;
  EXPECT_EQ(TextOf(*ops[0]), "%0#0, %0#1, %named = a.b(%arg0, %arg-1) -> i32, f32, i64");
  EXPECT_EQ(TextOf(*ops[1]), "%1 = a.c(%0#0, %0#0, %0#1, %named, %named) (){a.d(%0#1) -> } -> i32");
  EXPECT_EQ(ops[1]->operands[2], ops[0]->results[1].get());
  EXPECT_EQ(ops[1]->operands[2]->number, 1);
  EXPECT_EQ(ops[0]->operands[1]->region, reading.First().regions[0].get());
  EXPECT_EQ(ops[1]->regions[0]->ops[0]->parent->parent, ops[1].get());
  const SourceRange range = ops[0]->range;
  EXPECT_EQ(reading.source->text().substr(range.begin, 6), "%0:2, ");
  EXPECT_EQ(reading.source->text().substr(range.end - 4, 4), "i64)");
}

}  // namespace
}  // namespace hloscope::mlir
