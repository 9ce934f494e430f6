// dot: the specification's vectors, result types, plain loops over random dimension numbers, and each requirement.
#include "tests/ops/running.h"

namespace hloscope {
namespace {

TEST(Dot, Vectors) {
  ExpectValue(
      "  a = f32[2,3] constant({{1,2,3},{4,5,6}})\n  b = f32[2,3] constant({{1,1,1},{2,2,2}})\n  ROOT r = f32[2,2] dot(a, b), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={1}",
      "f32[2,2] constant({{6,12},{15,30}})");
  ExpectValue(
      "  a = f32[3] constant({1,2,3})\n  b = f32[3] constant({4,5,6})\n  ROOT r = f32[] dot(a, b), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}",
      "f32[] constant(32)");
  ExpectValue(
      "  a = f32[2,3] constant({{1,2,3},{4,5,6}})\n  b = f32[3] constant({1,10,100})\n  ROOT r = f32[2] dot(a, b), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
      "f32[2] constant({321,654})");
  ExpectValue(
      "  a = f32[2,2,2] constant({{{1,2},{3,4}},{{5,6},{7,8}}})\n  b = f32[2,2,2] constant({{{1,0},{0,1}},{{1,0},{0,1}}})\n"
      "  ROOT r = f32[2,2,2] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}",
      "f32[2,2,2] constant({{{1,2},{3,4}},{{5,6},{7,8}}})");
}

TEST(Dot, ResultTypes) {
  ExpectValue(
      "  a = s8[2] constant({100,100})\n  b = s8[2] constant({100,100})\n  ROOT r = s32[] dot(a, b), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}",
      "s32[] constant(20000)");
  ExpectValue(
      "  a = s8[2] constant({100,100})\n  b = s8[2] constant({100,100})\n  ROOT r = s8[] dot(a, b), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}",
      "s8[] constant(32)");
  // bf16 sums in f32: 256 + 1 + 1 is 258, which bf16 has.
  ExpectValue(
      "  a = bf16[3] constant({256,1,1})\n  b = bf16[3] constant({1,1,1})\n  ROOT r = bf16[] dot(a, b), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}",
      "bf16[] constant(258)");
  ExpectValue(
      "  a = c64[2] constant({(0,1),(2,0)})\n  b = c64[2] constant({(0,1),(3,0)})\n  ROOT r = c64[] dot(a, b), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}",
      "c64[] constant((5,0))");
  ExpectValue(
      "  a = pred[2] constant({1,0})\n  b = pred[2] constant({1,1})\n  ROOT r = pred[] dot(a, b), lhs_contracting_dims={0}, "
      "rhs_contracting_dims={0}",
      "pred[] constant(true)");
}

TEST(Dot, BatchAndTwoContractingDimensions) {
  const Value a = RandomF32({3, 4, 5, 2}, 1), b = RandomF32({5, 6, 2, 3}, 2);  // contracting 3,1(5) and 2; batch 3
  std::vector<double> wanted;
  for (int p = 0; p < 3; ++p) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 6; ++j) {
        double sum = 0;
        for (int k = 0; k < 5; ++k) {
          for (int l = 0; l < 2; ++l)
            sum += double{a.as<float>()[((p * 4 + i) * 5 + k) * 2 + l]} * b.as<float>()[((k * 6 + j) * 2 + l) * 3 + p];
        }
        wanted.push_back(sum);
      }
    }
  }
  auto r = RunText(
      "  a = f32[3,4,5,2] parameter(0)\n  b = f32[5,6,2,3] parameter(1)\n"
      "  ROOT r = f32[3,4,6] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={3}, lhs_contracting_dims={3,2}, rhs_contracting_dims={2,0}",
      {a, b});
  ASSERT_TRUE(r.ok()) << r.status();
  ExpectNear(*r, wanted, 1e-5);
}

TEST(Dot, NoContractingDimensionAndEmptyOne) {
  ExpectValue("  a = f32[2] constant({2,3})\n  b = f32[2] constant({5,7})\n  ROOT r = f32[2,2] dot(a, b)",
              "f32[2,2] constant({{10,14},{15,21}})");
  ExpectValue(
      "  a = f32[2,0] constant({{},{}})\n  b = f32[0] constant({})\n  ROOT r = f32[2] dot(a, b), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}",
      "f32[2] constant({0,0})");
}

// Quantized weights meet activations: the result is floating point, and so is the sum.
TEST(Dot, IntegersAndFloatingPoint) {
  ExpectValue("  a = s4[2,2] constant({{1,-8},{7,2}})\n  b = bf16[2] constant({0.5,2})\n  ROOT r = bf16[2] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
              "bf16[2] constant({-15.5,7.5})");
  ExpectValue("  a = f32[2] constant({0.25,3})\n  b = u8[2] constant({200,1})\n  ROOT r = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}", "f32[] constant(53)");
}

TEST(Dot, Requirements) {
  const std::string x =
      "  a = f32[2,3] parameter(0)\n  b = f32[3,4] parameter(1)\n  n = s32[3] parameter(2)\n  t = (f32[3]) parameter(3)\n  q = pred[3] parameter(4)\n  ROOT r = ";
  ExpectError(x + "f32[2] dot(a, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "dot.operand-arrays");
  ExpectError(x + "f32[2] dot(a, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "dot.element-types");
  ExpectError(x + "f32[2,4] dot(a, b), lhs_contracting_dims={1}", "dot.contracting-count");
  ExpectError(x + "f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_batch_dims={0}", "dot.batch-count");
  ExpectError(x + "f32[2,4] dot(a, b), lhs_contracting_dims={2}, rhs_contracting_dims={0}", "dot.dimensions");
  ExpectError(x + "f32[2,4] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_batch_dims={1}, rhs_batch_dims={0}",
              "dot.dimensions");
  ExpectError(x + "f32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={1}", "dot.contracting-sizes");
  ExpectError(x + "f32[2,3,4] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}", "dot.batch-sizes");
  ExpectError(x + "s32[2,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}", "dot.result-type");
}

}  // namespace
}  // namespace hloscope
