// Arithmetic counted from element programs, against counts made by hand.
#include "core/ops/cost.h"

#include <cmath>

#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

// The cost of the entry's root in a module with these computations.
Cost RootCost(const std::string& text) {
  DiagnosticSink sink;
  const std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("cost.hlo", "HloModule m\n" + text), sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << d.message;
  return CostOf(*module->entry->root);
}

constexpr char kAdd[] = "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }\n";

TEST(CostTest, PointwiseCountsOnceAnElement) {
  const Cost add = RootCost("ENTRY e { x = f32[3,5] parameter(0)  ROOT y = f32[3,5] add(x, x) }");
  EXPECT_EQ(add.flops, 15);
  EXPECT_EQ(add.transcendentals, 0);
  const Cost tanh = RootCost("ENTRY e { x = f32[3,5] parameter(0)  ROOT y = f32[3,5] tanh(x) }");
  EXPECT_EQ(tanh.flops, 15);
  EXPECT_EQ(tanh.transcendentals, 15);
}

TEST(CostTest, IntegersAndCopiesAreNoFlops) {
  EXPECT_EQ(RootCost("ENTRY e { x = s32[8] parameter(0)  ROOT y = s32[8] multiply(x, x) }").flops, 0);
  EXPECT_EQ(RootCost("ENTRY e { x = f32[2,4] parameter(0)  ROOT y = f32[4,2] transpose(x), dimensions={1,0} }").flops, 0);
  EXPECT_EQ(RootCost("ENTRY e { x = f32[8] parameter(0)  ROOT y = bf16[8] convert(x) }").flops, 0);
}

TEST(CostTest, ComplexProductsCountSix) {
  EXPECT_EQ(RootCost("ENTRY e { x = c64[4] parameter(0)  ROOT y = c64[4] multiply(x, x) }").flops, 24);
}

TEST(CostTest, ProductsAndSumsOfADot) {
  const Cost c = RootCost("ENTRY e { x = f32[7,20] parameter(0)  y = f32[20,3] parameter(1)  ROOT z = f32[7,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0} }");
  EXPECT_EQ(c.flops, 2 * 7 * 3 * 20);
}

TEST(CostTest, ReductionsCountEachElementOnce) {
  const Cost c = RootCost(std::string(kAdd) + "ENTRY e { x = f32[6,50] parameter(0)  z = f32[] constant(0)  ROOT r = f32[6] reduce(x, z), dimensions={1}, to_apply=add }");
  EXPECT_EQ(c.flops, 6 * 50);
}

TEST(CostTest, WindowsCountAllTheirPositions) {
  const Cost c = RootCost(
      "ENTRY e { x = f32[1,8,8,3] parameter(0)  k = f32[3,3,3,4] parameter(1)  "
      "ROOT y = f32[1,6,6,4] convolution(x, k), window={size=3x3}, dim_labels=b01f_01io->b01f }");
  EXPECT_EQ(c.flops, 2.0 * 6 * 6 * 4 * 3 * 3 * 3);
}

TEST(CostTest, ScattersCountTheirUpdates) {
  const Cost c = RootCost(std::string(kAdd) +
                          "ENTRY e { x = f32[100] parameter(0)  i = s32[5,1] parameter(1)  u = f32[5] parameter(2)  "
                          "ROOT s = f32[100] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                          "index_vector_dim=1, to_apply=add }");
  EXPECT_EQ(c.flops, 5);
}

TEST(CostTest, OperationsWithoutAProgramHaveFormulas) {
  const Cost fft = RootCost("ENTRY e { x = c64[4,16] parameter(0)  ROOT y = c64[4,16] fft(x), fft_type=FFT, fft_length={16} }");
  EXPECT_EQ(fft.flops, 5 * 64 * 4);
  const Cost cholesky = RootCost("ENTRY e { x = f32[6,6] parameter(0)  ROOT y = f32[6,6] cholesky(x), lower=true }");
  EXPECT_EQ(cholesky.flops, 72);
}

TEST(CostTest, ControlFlowIsCountedWhereItRuns) {
  EXPECT_EQ(RootCost("f { x = f32[9] parameter(0)  ROOT y = f32[9] add(x, x) }\nENTRY e { x = f32[9] parameter(0)  ROOT y = f32[9] call(x), to_apply=f }").flops, 0);
}

}  // namespace
}  // namespace hloscope
