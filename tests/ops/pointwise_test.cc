// The pointwise family: types, dimensions, the edges of the specification, and the few operations that are more than a row of the table.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

// `type[n] opcode(operands...)` of literals of that type.
void ExpectUnary(const std::string& op, const std::string& type, const std::string& x, const std::string& expected) {
  ExpectValue("x = " + type + " constant(" + x + ")\nROOT r = " + type + " " + op + "(x)", type + " constant(" + expected + ")");
}
void ExpectBinary(const std::string& op, const std::string& type, const std::string& x, const std::string& y, const std::string& expected) {
  ExpectValue("x = " + type + " constant(" + x + ")\ny = " + type + " constant(" + y + ")\nROOT r = " + type + " " + op + "(x, y)",
              type + " constant(" + expected + ")");
}

TEST(Pointwise, IntegerEdges) {
  ExpectBinary("divide", "s32[4]", "{7,-7,5,-2147483648}", "{2,2,0,-1}", "{3,-3,-1,-2147483648}");
  ExpectBinary("remainder", "s32[4]", "{7,-7,5,-2147483648}", "{2,2,0,-1}", "{1,-1,5,0}");
  ExpectBinary("divide", "u8[2]", "{200,5}", "{3,0}", "{66,255}");
  ExpectBinary("add", "s8[2]", "{127,-128}", "{1,-1}", "{-128,127}");
  ExpectBinary("multiply", "u8[2]", "{200,16}", "{2,16}", "{144,0}");
  ExpectBinary("shift-left", "s32[4]", "{1,1,1,-1}", "{4,32,40,31}", "{16,0,0,-2147483648}");
  ExpectBinary("shift-right-arithmetic", "s32[3]", "{-8,-8,8}", "{1,40,40}", "{-4,-1,0}");
  ExpectBinary("shift-right-logical", "s32[3]", "{-8,-8,8}", "{28,32,1}", "{15,0,4}");
  ExpectUnary("abs", "s32[3]", "{-5,5,-2147483648}", "{5,5,-2147483648}");
  ExpectUnary("popcnt", "u8[3]", "{0,255,5}", "{0,8,2}");
  ExpectUnary("count-leading-zeros", "s32[3]", "{0,1,-1}", "{32,31,0}");
  ExpectUnary("not", "u8[2]", "{0,15}", "{255,240}");
  ExpectUnary("sign", "s32[3]", "{-9,0,9}", "{-1,0,1}");
  ExpectBinary("mulhi", "u32[1]", "{4294967295}", "{2}", "{1}");
}

TEST(Pointwise, PredIsLogical) {
  ExpectBinary("and", "pred[4]", "{true,true,false,false}", "{true,false,true,false}", "{true,false,false,false}");
  ExpectBinary("or", "pred[4]", "{true,true,false,false}", "{true,false,true,false}", "{true,true,true,false}");
  ExpectBinary("xor", "pred[4]", "{true,true,false,false}", "{true,false,true,false}", "{false,true,true,false}");
  ExpectBinary("add", "pred[4]", "{true,true,false,false}", "{true,false,true,false}", "{true,true,true,false}");
  ExpectBinary("multiply", "pred[4]", "{true,true,false,false}", "{true,false,true,false}", "{true,false,false,false}");
  ExpectBinary("maximum", "pred[4]", "{true,true,false,false}", "{true,false,true,false}", "{true,true,true,false}");
  ExpectBinary("minimum", "pred[4]", "{true,true,false,false}", "{true,false,true,false}", "{true,false,false,false}");
  ExpectUnary("not", "pred[2]", "{true,false}", "{false,true}");
}

TEST(Pointwise, FloatEdges) {
  ExpectBinary("maximum", "f32[3]", "{nan,1,2}", "{1,nan,3}", "{nan,nan,3}");
  ExpectBinary("minimum", "f32[3]", "{nan,1,2}", "{1,nan,3}", "{nan,nan,2}");
  ExpectBinary("remainder", "f32[3]", "{5.5,-5.5,5}", "{2,2,-3}", "{1.5,-1.5,2}");
  ExpectUnary("sign", "f32[4]", "{-0,0,-2.5,nan}", "{-0,0,-1,nan}");
  ExpectUnary("round-nearest-afz", "f32[4]", "{0.5,-0.5,1.5,2.5}", "{1,-1,2,3}");
  ExpectUnary("round-nearest-even", "f32[4]", "{0.5,-0.5,1.5,2.5}", "{0,-0,2,2}");
  ExpectUnary("ceil", "f32[2]", "{1.25,-1.25}", "{2,-1}");
  ExpectUnary("floor", "f32[2]", "{1.25,-1.25}", "{1,-2}");
  ExpectUnary("sqrt", "f32[2]", "{4,2.25}", "{2,1.5}");
  ExpectUnary("cbrt", "f32[2]", "{8,-27}", "{2,-3}");
  ExpectUnary("exponential", "f32[2]", "{0,-inf}", "{1,0}");
  ExpectUnary("log", "f32[2]", "{1,0}", "{0,-inf}");
  ExpectUnary("logistic", "f32[2]", "{0,inf}", "{0.5,1}");
  ExpectValue("x = f32[4] constant({1,inf,-inf,nan})\nROOT r = pred[4] is-finite(x)", "pred[4] constant({true,false,false,false})");
}

TEST(Pointwise, ComplexNumbers) {
  ExpectValue("x = f32[2] constant({3,1})\ny = f32[2] constant({-4,0})\nc = c64[2] complex(x, y)\nROOT r = f32[2] abs(c)", "f32[2] constant({5,1})");
  ExpectValue("x = c64[1] constant({(3,-4)})\nROOT r = f32[1] imag(x)", "f32[1] constant({-4})");
  ExpectValue("x = c64[1] constant({(3,-4)})\nROOT r = f32[1] real(x)", "f32[1] constant({3})");
  ExpectValue("x = f32[1] constant({3})\nROOT r = f32[1] imag(x)", "f32[1] constant({0})");
  ExpectValue("x = c64[2] constant({(3,-4),(1,0)})\ny = c64[2] constant({(3,-4),(1,1)})\nROOT r = pred[2] compare(x, y), direction=EQ",
              "pred[2] constant({true,false})");
  ExpectValue("x = f64[1] constant({1})\nROOT r = c128[1] complex(x, x)", "c128[1] constant({(1,1)})");
}

TEST(Pointwise, CompareDirectionsAndNaN) {
  const std::string xy = "x = f32[4] constant({1,2,nan,-0})\ny = f32[4] constant({2,2,nan,0})\n";
  auto compare = [&](const std::string& how, const std::string& expected) {
    ExpectValue(xy + "ROOT r = pred[4] compare(x, y), direction=" + how, "pred[4] constant(" + expected + ")");
  };
  compare("EQ", "{false,true,false,true}");
  compare("NE", "{true,false,true,false}");
  compare("LT", "{true,false,false,false}");
  compare("LE", "{true,true,false,true}");
  compare("GT", "{false,false,false,false}");
  compare("GE", "{false,true,false,true}");
  compare("EQ, type=TOTALORDER", "{false,true,true,false}");
  compare("LT, type=TOTALORDER", "{true,false,false,true}");
  compare("LE, type=FLOAT", "{true,true,false,true}");
}

TEST(Pointwise, TotalOrderIsAChain) {
  const std::string chain = "x = f32[8] constant({-nan,-inf,-1,-0,0,1,inf,nan})\na = f32[7] slice(x), slice={[0:7]}\nb = f32[7] slice(x), slice={[1:8]}\n";
  ExpectValue(chain + "ROOT r = pred[7] compare(a, b), direction=LT, type=TOTALORDER", "pred[7] constant({true,true,true,true,true,true,true})");
  ExpectValue(chain + "ROOT r = pred[7] compare(b, a), direction=LE, type=TOTALORDER", "pred[7] constant({false,false,false,false,false,false,false})");
}

TEST(Pointwise, CompareIntegersBySign) {
  ExpectValue("x = u8[1] constant({200})\ny = u8[1] constant({3})\nROOT r = pred[1] compare(x, y), direction=GT, type=UNSIGNED", "pred[1] constant({true})");
  ExpectValue("x = s8[1] constant({-56})\ny = s8[1] constant({3})\nROOT r = pred[1] compare(x, y), direction=GT, type=SIGNED", "pred[1] constant({false})");
}

TEST(Pointwise, Clamp) {
  ExpectValue("a = s32[] constant(0)\nb = s32[] constant(6)\nx = s32[3] constant({-1,5,9})\nROOT r = s32[3] clamp(a, x, b)", "s32[3] constant({0,5,6})");
  ExpectValue("a = s32[3] constant({0,6,0})\nb = s32[3] constant({6,9,-1})\nx = s32[3] constant({-1,5,9})\nROOT r = s32[3] clamp(a, x, b)",
              "s32[3] constant({0,6,-1})");
}

TEST(Pointwise, Select) {
  const std::string arms = "a = s32[4] constant({1,2,3,4})\nb = s32[4] constant({100,200,300,400})\n";
  ExpectValue(arms + "p = pred[4] constant({true,false,false,true})\nROOT r = s32[4] select(p, a, b)", "s32[4] constant({1,200,300,4})");
  ExpectValue(arms + "p = pred[] constant(true)\nROOT r = s32[4] select(p, a, b)", "s32[4] constant({1,2,3,4})");
}

TEST(Pointwise, SelectBetweenTuples) {
  const CheckedModule checked = CheckText("p = pred[] parameter(0)\na = (s32[]) parameter(1)\nb = (s32[]) parameter(2)\nROOT r = (s32[]) select(p, a, b)");
  ASSERT_EQ(checked.sink.error_count(), 0) << checked.Problems();
  const Instruction& select = *checked.module->entry->root;
  auto tuple = [&](int32_t v) { return Value::Tuple(select.shape, {Value::Scalar<int32_t>(ElementType::kS32, v)}); };
  for (uint8_t p : {0, 1}) {
    const std::vector<Value> operands = {Value::Scalar<uint8_t>(ElementType::kPred, p), tuple(10), tuple(20)};
    const absl::StatusOr<Value> value = Def(select).evaluate(EvalContext{select, operands});
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(value->elements()[0].as<int32_t>()[0], p ? 10 : 20);
  }
}

TEST(Pointwise, Convert) {
  ExpectValue("x = s32[3] constant({0,1,2})\nROOT r = f32[3] convert(x)", "f32[3] constant({0,1,2})");
  ExpectValue("x = f32[6] constant({1.9,-1.9,nan,inf,-inf,300})\nROOT r = s8[6] convert(x)", "s8[6] constant({1,-1,0,127,-128,127})");
  ExpectValue("x = s32[2] constant({300,-1})\nROOT r = u8[2] convert(x)", "u8[2] constant({44,255})");
  ExpectValue("x = f32[4] constant({0,-0,0.5,nan})\nROOT r = pred[4] convert(x)", "pred[4] constant({false,false,true,true})");
  ExpectValue("x = pred[2] constant({true,false})\nROOT r = f32[2] convert(x)", "f32[2] constant({1,0})");
  ExpectValue("x = f32[1] constant({2})\nROOT r = c64[1] convert(x)", "c64[1] constant({(2,0)})");
  // 1 + 2^-8 + 2^-30: rounding through f32 first would make a tie of it.
  ExpectValue("x = f64[1] constant({1.00390625093132257461547851562})\nROOT r = bf16[1] convert(x)", "bf16[1] constant({1.0078125})");
}

TEST(Pointwise, BitcastConvertOfEqualWidth) {
  ExpectValue("x = f32[2] constant({1,-0})\nROOT r = u32[2] bitcast-convert(x)", "u32[2] constant({1065353216,2147483648})");
  ExpectValue("x = u32[] constant(1065353216)\nROOT r = f32[] bitcast-convert(x)", "f32[] constant(1)");
}

TEST(Pointwise, BitcastConvertChangesTheWidth) {
  ExpectAccepted("p = f32[10] parameter(0)\nROOT r = f16[10,2] bitcast-convert(p)");
  ExpectAccepted("p = f16[10,2] parameter(0)\nROOT r = f32[10] bitcast-convert(p)");
  ExpectAccepted("p = f32[] parameter(0)\nROOT r = f16[2] bitcast-convert(p)");
  // The low bits come first.
  ExpectValue("x = u32[2] constant({66051,4278190080})\nROOT r = u8[2,4] bitcast-convert(x)", "u8[2,4] constant({{3,2,1,0},{0,0,0,255}})");
  ExpectValue("x = u8[2,4] constant({{3,2,1,0},{0,0,0,255}})\nROOT r = u32[2] bitcast-convert(x)", "u32[2] constant({66051,4278190080})");
  ExpectValue("x = f32[3] constant({1,-2.5,1e-20})\ny = f16[3,2] bitcast-convert(x)\nROOT r = f32[3] bitcast-convert(y)", "f32[3] constant({1,-2.5,1e-20})");
  ExpectValue("x = u64[1] constant({18446744073709551614})\nROOT r = s16[1,4] bitcast-convert(x)", "s16[1,4] constant({{-2,-1,-1,-1}})");
}

TEST(Pointwise, ReducePrecision) {
  ExpectValue("x = f32[4] constant({1.00390625,1e30,nan,-inf})\nROOT r = f32[4] reduce-precision(x), exponent_bits=5, mantissa_bits=7",
              "f32[4] constant({1,inf,nan,-inf})");
  ExpectValue("x = f32[2] constant({3.14159274,1e30})\nROOT r = f32[2] reduce-precision(x), exponent_bits=11, mantissa_bits=52",
              "f32[2] constant({3.14159274,1e30})");
}

TEST(Pointwise, StochasticConvert) {
  // 2.25 rounds up exactly when the random number is in the lower quarter of its range.
  ExpectValue("x = f32[4] constant({2.25,2.25,-2.25,2})\nu = u32[4] constant({1073741823,1073741824,0,0})\nROOT r = s32[4] stochastic-convert(x, u)",
              "s32[4] constant({3,2,-3,2})");
  ExpectValue("x = f32[3] constant({nan,inf,-inf})\nu = u32[3] constant({0,0,0})\nROOT r = s8[3] stochastic-convert(x, u)", "s8[3] constant({0,127,-128})");
}

TEST(Pointwise, Copy) { ExpectValue("x = f32[2]{0} constant({1,2})\nROOT r = f32[2]{0} copy(x)", "f32[2] constant({1,2})"); }

TEST(Pointwise, Requirements) {
  const std::string p = "f = f32[2] parameter(0)\ng = f32[3] parameter(1)\ns = s32[2] parameter(2)\nc = c64[2] parameter(3)\nb = pred[2] parameter(4)\n"
                        "b3 = pred[3] parameter(5)\nh = f16[2] parameter(6)\nt = token[] after-all()\n";
  auto bad = [&](const std::string& root, const std::string& label) { ExpectError(p + "ROOT r = " + root, label); };
  bad("f32[2] negate(t)", "pointwise.array");
  bad("f32[2] add(f, s)", "pointwise.same-type");
  bad("f32[2] add(f, g)", "pointwise.same-dimensions");
  bad("f32[2] and(f, f)", "pointwise.element-type");
  bad("c64[2] maximum(c, c)", "pointwise.element-type");
  bad("pred[2] subtract(b, b)", "pointwise.element-type");
  bad("s32[2] floor(s)", "pointwise.element-type");
  bad("c64[2] complex(h, h)", "complex.element-type");
  bad("pred[2] compare(f, f), direction=XX", "compare.direction");
  bad("pred[2] compare(c, c), direction=LT", "compare.complex-order");
  bad("pred[2] compare(f, f), direction=LT, type=SIGNED", "compare.type");
  bad("s32[2] compare(f, f), direction=LT", "verify.shape-mismatch");
  bad("f32[2] clamp(g, f, f)", "clamp.bounds");
  bad("c64[2] clamp(c, c, c)", "clamp.element-type");
  bad("f32[2] select(s, f, f)", "select.predicate");
  bad("f32[2] select(b, f, s)", "select.same-arms");
  bad("f32[2] select(b3, f, f)", "select.predicate-dimensions");
  bad("token[] convert(f)", "convert.result");
  bad("f32[2] convert(c)", "convert.complex-to-real");
  bad("s32[3] convert(f)", "verify.shape-mismatch");
  bad("token[] bitcast-convert(f)", "bitcast-convert.result");
  bad("f32[2,2] bitcast-convert(c)", "bitcast-convert.complex");
  bad("f64[2] bitcast-convert(g)", "bitcast-convert.last-dimension");
  ExpectError("f = f8e5m2[4] parameter(0)\nROOT r = f6e2m3fn[4] bitcast-convert(f)", "bitcast-convert.width");
  ExpectError("f = f32[2] parameter(0)\nu = u32[2] parameter(1)\nROOT r = f6e2m3fn[2] stochastic-convert(f, u)", "stochastic-convert.width");
  bad("s32[2] reduce-precision(s), exponent_bits=5, mantissa_bits=5", "reduce-precision.element-type");
  bad("f32[2] reduce-precision(f), exponent_bits=0, mantissa_bits=5", "reduce-precision.exponent-bits");
  bad("f32[2] reduce-precision(f), exponent_bits=5, mantissa_bits=-1", "reduce-precision.mantissa-bits");
  bad("s32[2] stochastic-convert(s, s)", "stochastic-convert.operand");
  bad("s32[2] stochastic-convert(f, s)", "stochastic-convert.random");
  ExpectError("f = f32[2] parameter(0)\nu = u32[2] parameter(1)\nROOT r = u32[2] stochastic-convert(f, u)", "stochastic-convert.result");
}

}  // namespace
}  // namespace hloscope
