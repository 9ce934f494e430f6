// Scatter: rows, elements, several arrays, batching, what lies outside, and each requirement.
#include "tests/ops/testing.h"

namespace hloscope {
namespace {

const char kComputations[] =
    "add { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT c = s32[] add(a, b) }\n"
    "replace { a = s32[] parameter(0)\n ROOT b = s32[] parameter(1) }\n"
    "both { a = s32[] parameter(0)\n f = f32[] parameter(1)\n b = s32[] parameter(2)\n g = f32[] parameter(3)\n"
    " s = s32[] add(a, b)\n m = f32[] maximum(f, g)\n ROOT t = (s32[], f32[]) tuple(s, m) }\n";

std::string Main(const std::string& body) { return std::string(kComputations) + "ENTRY main {\n" + body + "\n}\n"; }

const char kRows[] = "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, ";
const char kElements[] = "update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, ";

TEST(Scatter, AddsElementsAndCombinesRepeats) {
  ExpectValue(Main("c = s32[4] constant({1,2,3,4})\ni = s32[3] constant({1,3,1})\nu = s32[3] constant({10,20,30})\nROOT r = s32[4] scatter(c, i, u), " +
                   std::string(kElements) + "to_apply=add"),
              "s32[4] constant({1,42,3,24})");
}

TEST(Scatter, SkipsWhatLiesOutside) {
  ExpectValue(Main("c = s32[4] constant({1,2,3,4})\ni = s32[3] constant({-1,4,0})\nu = s32[3] constant({10,20,30})\nROOT r = s32[4] scatter(c, i, u), " +
                   std::string(kElements) + "to_apply=replace"),
              "s32[4] constant({30,2,3,4})");
  ExpectValue(Main("c = s32[2] constant({1,2})\ni = u64[1] constant({18446744073709551615})\nu = s32[1] constant({10})\nROOT r = s32[2] scatter(c, i, u), " +
                   std::string(kElements) + "to_apply=replace"),
              "s32[2] constant({1,2})");
}

TEST(Scatter, AWindowThatStandsOverIsCutElementByElement) {
  ExpectValue(Main("c = s32[4] constant({1,2,3,4})\ni = s32[1] constant({3})\nu = s32[1,2] constant({{10,20}})\nROOT r = s32[4] scatter(c, i, u), "
                   "update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add"),
              "s32[4] constant({1,2,3,14})");
}

TEST(Scatter, RowsAndScalarIndex) {
  ExpectValue(Main("c = s32[3,2] constant({{0,0},{0,0},{0,0}})\ni = s32[2,1] constant({{2},{0}})\nu = s32[2,2] constant({{1,2},{3,4}})\n"
                   "ROOT r = s32[3,2] scatter(c, i, u), " + std::string(kRows) + "to_apply=add"),
              "s32[3,2] constant({{3,4},{0,0},{1,2}})");
  ExpectValue(Main("c = s32[3] constant({0,0,0})\ni = s32[] constant(1)\nu = s32[] constant(7)\nROOT r = s32[3] scatter(c, i, u), update_window_dims={}, "
                   "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=add"),
              "s32[3] constant({0,7,0})");
}

TEST(Scatter, SeveralArrays) {
  ExpectValue(Main("c = s32[2] constant({1,2})\nd = f32[2] constant({5,5})\ni = s32[2] constant({1,1})\nu = s32[2] constant({10,20})\n"
                   "v = f32[2] constant({7,6})\nr = (s32[2], f32[2]) scatter(c, d, i, u, v), " + std::string(kElements) + "to_apply=both\n"
                   "ROOT g = f32[2] get-tuple-element(r), index=1"),
              "f32[2] constant({5,7})");
}

TEST(Scatter, BatchingDimensions) {
  ExpectValue(Main("c = s32[2,3] constant({{0,0,0},{0,0,0}})\ni = s32[2,1] constant({{2},{0}})\nu = s32[2] constant({5,6})\n"
                   "ROOT r = s32[2,3] scatter(c, i, u), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, "
                   "input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=1, to_apply=add"),
              "s32[2,3] constant({{0,0,5},{6,0,0}})");
}

TEST(Scatter, KnowsWhenTheOrderDoesNotMatter) {
  auto order_free = [](const std::string& tail) {
    const CheckedModule checked =
        CheckText(Main("c = s32[4] parameter(0)\ni = s32[3] parameter(1)\nu = s32[3] parameter(2)\nROOT r = s32[4] scatter(c, i, u), " + std::string(kElements) + tail));
    EXPECT_EQ(checked.sink.error_count(), 0) << checked.Problems();
    const absl::StatusOr<Program> program = ElementProgram(*checked.module->entry->root);
    EXPECT_TRUE(program.ok()) << program.status();
    return program.ok() && program->push.order_free;
  };
  EXPECT_TRUE(order_free("to_apply=add"));
  EXPECT_FALSE(order_free("to_apply=replace"));
  EXPECT_TRUE(order_free("to_apply=replace, unique_indices=true"));
}

TEST(Scatter, Requirements) {
  const std::string p = "c = s32[4,3] parameter(0)\ni = s32[2,1] parameter(1)\nu = s32[2,3] parameter(2)\nf = f32[4,3] parameter(3)\nj = f32[2,1] parameter(4)\n"
                        "d = s32[4,4] parameter(5)\nw = s32[2,4] parameter(6)\nx = s32[5,3] parameter(7)\ny = s32[2] parameter(8)\nv = s32[1,3] parameter(9)\n"
                        "t = token[] after-all()\n";
  auto bad = [&](const std::string& operands, const std::string& attributes, const std::string& label) {
    ExpectError(Main(p + "ROOT r = s32[4,3] scatter(" + operands + "), " + attributes), label);
  };
  const std::string rows = std::string(kRows) + "to_apply=add";
  bad("t, i, u", rows, "scatter.array");
  bad("c, i, u, u", rows, "scatter.operand-count");
  bad("c, j, u", rows, "scatter.index-type");
  bad("c, d, i, u, u", rows, "scatter.same-operands");
  bad("c, c, i, u, w", rows, "scatter.same-updates");
  bad("f, i, u", rows, "scatter.update-type");
  bad("c, i, y", rows, "scatter.window-dims-range");
  bad("c, i, u", "update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add", "scatter.update-rank");
  bad("c, i, x", rows, "scatter.update-sizes");
  bad("c, i, w", rows, "scatter.window-size");
  bad("c, i, u", "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=3, to_apply=add", "scatter.index-vector-dim");
  bad("c, i, u", "update_window_dims={1,0}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add", "scatter.window-dims-order");
  bad("c, i, u", "update_window_dims={1}, inserted_window_dims={2}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add", "scatter.inserted-range");
  bad("c, i, u", "update_window_dims={1}, inserted_window_dims={1,0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add", "scatter.inserted-order");
  bad("c, i, u", "update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add", "scatter.window-dims-count");
  bad("c, i, u", "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={2}, index_vector_dim=1, to_apply=add", "scatter.map-range");
  bad("c, i, u", "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0,0}, index_vector_dim=1, to_apply=add", "scatter.map-repeated");
  bad("c, i, u", "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=1, to_apply=add", "scatter.map-size");
  bad("c, i, u", std::string(kRows) + "to_apply=both", "scatter.parameter-count");
  ExpectError(Main("c = f32[4,3] parameter(0)\ni = s32[2,1] parameter(1)\nu = f32[2,3] parameter(2)\nROOT r = f32[4,3] scatter(c, i, u), " + rows),
              "scatter.parameter-type");
  ExpectError("isless { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT c = pred[] compare(a, b), direction=LT }\nENTRY main {\n" + p +
              "ROOT r = s32[4,3] scatter(c, i, u), " + kRows + "to_apply=isless\n}\n", "scatter.computation-result");

  const std::string head = "update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=1, to_apply=add, ";
  bad("c, i, y", head + "input_batching_dims={2}, scatter_indices_batching_dims={0}", "scatter.input-batching-range");
  bad("c, i, y", head + "input_batching_dims={0,0}, scatter_indices_batching_dims={0,1}", "scatter.input-batching-order");
  bad("c, i, y", head + "input_batching_dims={0}, scatter_indices_batching_dims={2}", "scatter.indices-batching-range");
  bad("c, i, y", head + "input_batching_dims={0,1}, scatter_indices_batching_dims={0,0}", "scatter.indices-batching-repeated");
  bad("c, i, y", head + "input_batching_dims={0}, scatter_indices_batching_dims={}", "scatter.batching-count");
  bad("c, i, y", head + "input_batching_dims={1}, scatter_indices_batching_dims={0}", "scatter.batching-overlap");
  bad("c, i, y", head + "input_batching_dims={0}, scatter_indices_batching_dims={0}", "scatter.batching-sizes");
}

}  // namespace
}  // namespace hloscope
