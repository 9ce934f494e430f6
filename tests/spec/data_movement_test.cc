// The specification's vectors of shape and data movement, broadcasting, reductions and windows: on both backends, in all layouts.
#include "tests/spec/spec.h"

namespace hloscope {
namespace {

constexpr char kCube[] =
    "v = f32[4,2,3] constant({{{10,11,12},{15,16,17}},{{20,21,22},{25,26,27}},{{30,31,32},{35,36,37}},{{40,41,42},{45,46,47}}})\n";
constexpr char kTable[] = "b = f32[4,3] constant({{0,1,2},{3,4,5},{6,7,8},{9,10,11}})\n";

// "NAME { a op b }" over two scalars.
std::string Reducer(const std::string& name, const std::string& type, const std::string& op) {
  return name + " {\n a = " + type + "[] parameter(0)\n b = " + type + "[] parameter(1)\n ROOT r = " + type + "[] " + op + "(a, b)\n}\n";
}

TEST(Broadcast, InDimensions) {
  ExpectSpec("s = f32[] constant(2)\nROOT r = f32[2,3] broadcast(s), dimensions={}", "f32[2,3] constant({{2,2,2},{2,2,2}})");
  const std::string v = "v = s32[3] constant({7,8,9})\n";
  ExpectSpec(v + "ROOT r = s32[3,3] broadcast(v), dimensions={1}", "s32[3,3] constant({{7,8,9},{7,8,9},{7,8,9}})");
  ExpectSpec(v + "ROOT r = s32[3,3] broadcast(v), dimensions={0}", "s32[3,3] constant({{7,7,7},{8,8,8},{9,9,9}})");
  ExpectSpec("v = s32[2] constant({1,2})\nROOT r = s32[2,2] broadcast(v), dimensions={1}", "s32[2,2] constant({{1,2},{1,2}})");
  // Broadcast(operand, sizes) puts them in front.
  ExpectSpec(v + "ROOT r = s32[2,3] broadcast(v), dimensions={1}", "s32[2,3] constant({{7,8,9},{7,8,9}})");
}

TEST(Broadcast, TheArithmeticOfBroadcasting) {
  const std::string m = "m = s32[2,3] constant({{1,2,3},{4,5,6}})\n";
  ExpectSpec(m + "c = s32[] constant(7)\nb = s32[2,3] broadcast(c), dimensions={}\nROOT r = s32[2,3] add(m, b)", "s32[2,3] constant({{8,9,10},{11,12,13}})");
  ExpectSpec(m + "c = s32[3] constant({7,8,9})\nb = s32[2,3] broadcast(c), dimensions={1}\nROOT r = s32[2,3] add(m, b)",
             "s32[2,3] constant({{8,10,12},{11,13,15}})");
  ExpectSpecError(m + "c = s32[3] constant({7,8,9})\nROOT r = s32[2,3] add(m, c)", "pointwise.same-dimensions");
  // A vector and a 1x2 matrix: first into rank 2, then both stretched.
  ExpectSpec(
      "v = s32[4] constant({1,2,3,4})\nw = s32[1,2] constant({{5,6}})\na = s32[4,2] broadcast(v), dimensions={0}\n"
      "q = s32[2] reshape(w)\nb = s32[4,2] broadcast(q), dimensions={1}\nROOT r = s32[4,2] add(a, b)",
      "s32[4,2] constant({{6,7},{7,8},{8,9},{9,10}})");
  ExpectSpec("w = s32[1,2] constant({{5,6}})\nROOT r = s32[4,2] broadcast(w), dimensions={0,1}", "s32[4,2] constant({{5,6},{5,6},{5,6},{5,6}})");
  // (2,1) with (1,3): an outer operation.
  ExpectSpec(
      "a = s32[2,1] constant({{1},{2}})\nb = s32[1,3] constant({{10,20,30}})\nx = s32[2,3] broadcast(a), dimensions={0,1}\n"
      "y = s32[2,3] broadcast(b), dimensions={0,1}\nROOT r = s32[2,3] add(x, y)",
      "s32[2,3] constant({{11,21,31},{12,22,32}})");
  // A 3x4 matrix into a 2x3x4 cuboid.
  ExpectSpec("i = s32[12] iota(), iota_dimension=0\nm = s32[3,4] reshape(i)\nROOT r = s32[2,3,4] broadcast(m), dimensions={1,2}",
             "s32[2,3,4] constant({{{0,1,2,3},{4,5,6,7},{8,9,10,11}},{{0,1,2,3},{4,5,6,7},{8,9,10,11}}})");
  ExpectSpecError("a = s32[7,2,5] iota(), iota_dimension=0\nb = s32[7,2,6] iota(), iota_dimension=0\nROOT r = s32[7,2,6] add(a, b)",
                  "pointwise.same-dimensions");
}

TEST(Reshape, AndCollapse) {
  const std::string v = kCube;
  const std::string all = "{10,11,12,15,16,17,20,21,22,25,26,27,30,31,32,35,36,37,40,41,42,45,46,47}";
  ExpectSpec(v + "ROOT r = f32[24] reshape(v)", "f32[24] constant(" + all + ")");
  ExpectSpec(v + "ROOT r = f32[8,3] reshape(v)",
             "f32[8,3] constant({{10,11,12},{15,16,17},{20,21,22},{25,26,27},{30,31,32},{35,36,37},{40,41,42},{45,46,47}})");
  ExpectSpec(v + "ROOT r = f32[4,6] reshape(v)",
             "f32[4,6] constant({{10,11,12,15,16,17},{20,21,22,25,26,27},{30,31,32,35,36,37},{40,41,42,45,46,47}})");
  ExpectSpec(v + "ROOT r = f32[2,6,2] reshape(v)",
             "f32[2,6,2] constant({{{10,11},{12,15},{16,17},{20,21},{22,25},{26,27}},{{30,31},{32,35},{36,37},{40,41},{42,45},{46,47}}})");
  ExpectSpec("v = f32[1,1] constant({{5}})\nROOT r = f32[] reshape(v)", "f32[] constant(5)");
  ExpectSpec("v = f32[] constant(5)\nROOT r = f32[1,1] reshape(v)", "f32[1,1] constant({{5}})");
  ExpectSpecError(v + "ROOT r = f32[23] reshape(v)", "reshape.element-count");
}

TEST(Transpose, DimensionsChangePlaces) {
  const std::string v = kCube;
  ExpectSpec("m = s32[2,3] constant({{1,2,3},{4,5,6}})\nROOT r = s32[3,2] transpose(m), dimensions={1,0}", "s32[3,2] constant({{1,4},{2,5},{3,6}})");
  ExpectSpec(v + "ROOT r = f32[3,4,2] transpose(v), dimensions={2,0,1}",
             "f32[3,4,2] constant({{{10,15},{20,25},{30,35},{40,45}},{{11,16},{21,26},{31,36},{41,46}},{{12,17},{22,27},{32,37},{42,47}}})");
}

TEST(Reverse, IndicesRunBackwards) {
  ExpectSpec(std::string(kTable) + "ROOT r = f32[4,3] reverse(b), dimensions={0,1}", "f32[4,3] constant({{11,10,9},{8,7,6},{5,4,3},{2,1,0}})");
  ExpectSpec(std::string(kTable) + "ROOT r = f32[4,3] reverse(b), dimensions={1}", "f32[4,3] constant({{2,1,0},{5,4,3},{8,7,6},{11,10,9}})");
}

TEST(Slices, StaticAndDynamic) {
  const std::string a = "a = f32[5] constant({0,1,2,3,4})\n", b = kTable;
  ExpectSpec(a + "ROOT r = f32[2] slice(a), slice={[2:4]}", "f32[2] constant({2,3})");
  ExpectSpec(b + "ROOT r = f32[2,2] slice(b), slice={[2:4], [1:3]}", "f32[2,2] constant({{7,8},{10,11}})");
  ExpectSpec(b + "ROOT r = f32[2,2] slice(b), slice={[0:4:2], [0:3:2]}", "f32[2,2] constant({{0,2},{6,8}})");
  ExpectSpec(a + "s = s32[] constant(2)\nROOT r = f32[2] dynamic-slice(a, s), dynamic_slice_sizes={2}", "f32[2] constant({2,3})");
  ExpectSpec(b + "s = s32[] constant(2)\nt = s32[] constant(1)\nROOT r = f32[2,2] dynamic-slice(b, s, t), dynamic_slice_sizes={2,2}",
             "f32[2,2] constant({{7,8},{10,11}})");
  // Starts that would leave the array are moved.
  ExpectSpec(b + "s = s32[] constant(9)\nt = s32[] constant(-4)\nROOT r = f32[2,2] dynamic-slice(b, s, t), dynamic_slice_sizes={2,2}",
             "f32[2,2] constant({{6,7},{9,10}})");
  ExpectSpec(a + "u = f32[2] constant({5,6})\ns = s32[] constant(2)\nROOT r = f32[5] dynamic-update-slice(a, u, s)", "f32[5] constant({0,1,5,6,4})");
  ExpectSpec(b + "u = f32[3,2] constant({{12,13},{14,15},{16,17}})\ns = s32[] constant(1)\nROOT r = f32[4,3] dynamic-update-slice(b, u, s, s)",
             "f32[4,3] constant({{0,1,2},{3,12,13},{6,14,15},{9,16,17}})");
  ExpectSpec(b + "u = f32[3,2] constant({{12,13},{14,15},{16,17}})\ns = u8[] constant(200)\nROOT r = f32[4,3] dynamic-update-slice(b, u, s, s)",
             "f32[4,3] constant({{0,1,2},{3,12,13},{6,14,15},{9,16,17}})");
}

TEST(Concatenate, AndPad) {
  ExpectSpec("a = s32[2] constant({2,3})\nb = s32[2] constant({4,5})\nc = s32[2] constant({6,7})\nROOT r = s32[6] concatenate(a, b, c), dimensions={0}",
             "s32[6] constant({2,3,4,5,6,7})");
  ExpectSpec("a = s32[3,2] constant({{1,2},{3,4},{5,6}})\nb = s32[1,2] constant({{7,8}})\nROOT r = s32[4,2] concatenate(a, b), dimensions={0}",
             "s32[4,2] constant({{1,2},{3,4},{5,6},{7,8}})");
  const std::string m = "m = s32[2,3] constant({{1,2,3},{4,5,6}})\nz = s32[] constant(9)\n";
  ExpectSpec(m + "ROOT r = s32[4,7] pad(m, z), padding=1_1x1_1_1",
             "s32[4,7] constant({{9,9,9,9,9,9,9},{9,1,9,2,9,3,9},{9,4,9,5,9,6,9},{9,9,9,9,9,9,9}})");
  ExpectSpec(m + "ROOT r = s32[1,4] pad(m, z), padding=-1_0x-1_2", "s32[1,4] constant({{5,6,9,9}})");
  // The interior comes first, the edges after: a negative edge can cut a gap.
  ExpectSpec("m = s32[3] constant({1,2,3})\nz = s32[] constant(0)\nROOT r = s32[4] pad(m, z), padding=-2_-1_2", "s32[4] constant({0,2,0,0})");
}

TEST(Iota, RowsAndColumns) {
  ExpectSpec("ROOT r = s32[4,8] iota(), iota_dimension=0",
             "s32[4,8] constant({{0,0,0,0,0,0,0,0},{1,1,1,1,1,1,1,1},{2,2,2,2,2,2,2,2},{3,3,3,3,3,3,3,3}})");
  ExpectSpec("ROOT r = s32[4,8] iota(), iota_dimension=1",
             "s32[4,8] constant({{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7},{0,1,2,3,4,5,6,7}})");
  for (const char* type : {"f64", "f32", "f16", "bf16", "f8e4m3fn", "f8e5m2", "f4e2m1fn", "u8", "s4", "c64"}) {
    const std::string t = type;
    ReadModule read = ReadAndVerify("i = s64[20] iota(), iota_dimension=0\nROOT r = " + t + "[20] convert(i)");
    ASSERT_EQ(read.problems, "");
    auto want = RunOn(ReferenceForTests(), *read.module, {});
    ASSERT_TRUE(want.ok()) << want.status();
    ExpectSpecValue("ROOT r = " + t + "[20] iota(), iota_dimension=0", *want);
  }
}

// The operand holds its own linear index, so the result says what was read.
TEST(Gather, TheVectorsOfTheSpecification) {
  const std::string operand = "n = s32[176] iota(), iota_dimension=0\no = s32[16,11] reshape(n)\n";
  const std::string starts = "i = s64[5,2] constant({{0,0},{3,2},{8,5},{15,10},{-4,1}})\n";
  const std::string text = operand + starts +
                           "ROOT r = s32[5,8,6] gather(o, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0,1}, "
                           "index_vector_dim=1, slice_sizes={8,6}";
  Value want = Value::Allocate(Shape::Array(ElementType::kS32, {5, 8, 6}));
  const int first[5][2] = {{0, 0}, {3, 2}, {8, 5}, {8, 5}, {0, 1}};
  for (int b = 0; b < 5; ++b) {
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 6; ++j) want.mutable_as<int32_t>()[(b * 8 + i) * 6 + j] = (first[b][0] + i) * 11 + first[b][1] + j;
    }
  }
  ExpectSpecValue(text, want);

  Value wider = Value::Allocate(Shape::Array(ElementType::kS32, {4, 5, 8, 6}));
  for (int k = 0; k < 4 * 5 * 8 * 6; ++k) wider.mutable_as<int32_t>()[k] = want.as<int32_t>()[k % (5 * 8 * 6)];
  ExpectSpecValue(operand + starts +
                      "w = s64[4,5,2] broadcast(i), dimensions={1,2}\nt = s64[4,2,5] transpose(w), dimensions={0,2,1}\n"
                      "ROOT r = s32[4,5,8,6] gather(o, t), offset_dims={2,3}, collapsed_slice_dims={}, start_index_map={0,1}, "
                      "index_vector_dim=1, slice_sizes={8,6}",
                  wider);

  // Whole rows: the slice's first dimension is collapsed, an index vector has one component.
  Value rows = Value::Allocate(Shape::Array(ElementType::kS32, {4, 5, 11}));
  for (int k = 0; k < 20; ++k) {
    for (int j = 0; j < 11; ++j) rows.mutable_as<int32_t>()[k * 11 + j] = std::min(k * 3 % 17, 15) * 11 + j;
  }
  const std::string at = "k = s64[20] iota(), iota_dimension=0\nthree = s64[] constant(3)\nm = s64[20] broadcast(three), dimensions={}\n"
                         "km = s64[20] multiply(k, m)\nd = s64[] constant(17)\nds = s64[20] broadcast(d), dimensions={}\nq = s64[20] remainder(km, ds)\n";
  ExpectSpecValue(operand + at +
                      "i = s64[4,5,1] reshape(q)\nROOT r = s32[4,5,11] gather(o, i), offset_dims={2}, collapsed_slice_dims={0}, "
                      "start_index_map={0}, index_vector_dim=2, slice_sizes={1,11}",
                  rows);
  ExpectSpecValue(operand + at +
                      "i = s64[4,5] reshape(q)\nROOT r = s32[4,5,11] gather(o, i), offset_dims={2}, collapsed_slice_dims={0}, "
                      "start_index_map={0}, index_vector_dim=2, slice_sizes={1,11}",
                  rows);
}

TEST(Gather, BatchingDimensions) {
  ExpectSpec(
      "o = s32[2,3] constant({{10,11,12},{20,21,22}})\ni = s32[2,2] constant({{2,0},{1,9}})\n"
      "ROOT r = s32[2,2] gather(o, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
      "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}",
      "s32[2,2] constant({{12,10},{21,22}})");
}

TEST(Scatter, UpdatesAndWhatLiesOutside) {
  const std::string f = Reducer("add", "s32", "add") + "set {\n a = s32[] parameter(0)\n ROOT b = s32[] parameter(1)\n}\n";
  const std::string head = "o = s32[3,3] constant({{1,2,3},{4,5,6},{7,8,9}})\ni = s32[3] constant({0,2,7})\n"
                           "u = s32[3,3] constant({{10,20,30},{70,80,90},{1000,1000,1000}})\n";
  const std::string attributes = ", update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1";
  ExpectSpec(f + Entry(head + "ROOT r = s32[3,3] scatter(o, i, u), to_apply=add" + attributes), "s32[3,3] constant({{11,22,33},{4,5,6},{77,88,99}})");
  ExpectSpec(f + Entry(head + "ROOT r = s32[3,3] scatter(o, i, u), to_apply=set" + attributes), "s32[3,3] constant({{10,20,30},{4,5,6},{70,80,90}})");
  // Two updates at one place combine.
  ExpectSpec(f + Entry("o = s32[4] constant({1,1,1,1})\ni = s32[3,1] constant({{2},{0},{2}})\nu = s32[3] constant({10,20,30})\n"
                       "ROOT r = s32[4] scatter(o, i, u), to_apply=add, update_window_dims={}, inserted_window_dims={0}, "
                       "scatter_dims_to_operand_dims={0}, index_vector_dim=1"),
             "s32[4] constant({21,1,41,1})");
  // Several arrays at once.
  const std::string pair = "both {\n a = s32[] parameter(0)\n b = f32[] parameter(1)\n c = s32[] parameter(2)\n d = f32[] parameter(3)\n"
                           " s = s32[] add(a, c)\n m = f32[] maximum(b, d)\n ROOT t = (s32[], f32[]) tuple(s, m)\n}\n";
  ExpectSpec(pair + Entry("o = s32[3] constant({1,2,3})\np = f32[3] constant({1,2,3})\ni = s32[2] constant({1,1})\nu = s32[2] constant({10,20})\n"
                          "w = f32[2] constant({0,7})\nROOT r = (s32[3], f32[3]) scatter(o, p, i, u, w), to_apply=both, update_window_dims={}, "
                          "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1"),
             "a = s32[3] constant({1,32,3})\nb = f32[3] constant({1,7,3})\nROOT t = (s32[3], f32[3]) tuple(a, b)");
}

TEST(Reduce, TheVectorsOfTheSpecification) {
  const std::string f = Reducer("add", "s32", "add");
  const std::string m = "m = s32[2,3] constant({{1,2,3},{4,5,6}})\nz = s32[] constant(0)\n";
  ExpectSpec(f + Entry(m + "ROOT r = s32[3] reduce(m, z), dimensions={0}, to_apply=add"), "s32[3] constant({5,7,9})");
  ExpectSpec(f + Entry(m + "ROOT r = s32[2] reduce(m, z), dimensions={1}, to_apply=add"), "s32[2] constant({6,15})");
  const std::string cube = m + "c = s32[4,2,3] broadcast(m), dimensions={1,2}\n";
  const auto expect = [&](const std::string& shape, const std::string& dimensions, const std::string& want) {
    ExpectSpec(f + Entry(cube + "ROOT r = " + shape + " reduce(c, z), dimensions=" + dimensions + ", to_apply=add"), shape + " constant(" + want + ")");
  };
  expect("s32[2,3]", "{0}", "{{4,8,12},{16,20,24}}");
  expect("s32[4,2]", "{2}", "{{6,15},{6,15},{6,15},{6,15}}");
  expect("s32[3]", "{0,1}", "{20,28,36}");
  expect("s32[]", "{0,1,2}", "84");
}

TEST(Reduce, ArgmaxTakesTheLaterOfEquals) {
  const std::string f =
      "argmax {\n m = f32[] parameter(0)\n a = s32[] parameter(1)\n v = f32[] parameter(2)\n i = s32[] parameter(3)\n"
      " p = pred[] compare(v, m), direction=GE\n x = f32[] select(p, v, m)\n y = s32[] select(p, i, a)\n ROOT t = (f32[], s32[]) tuple(x, y)\n}\n";
  ExpectSpec(f + Entry("v = f32[6] constant({1,9,3,9,0,-4})\nk = s32[6] iota(), iota_dimension=0\nn = f32[] constant(-inf)\nz = s32[] constant(0)\n"
                       "ROOT r = (f32[], s32[]) reduce(v, k, n, z), dimensions={0}, to_apply=argmax"),
             "a = f32[] constant(9)\nb = s32[] constant(3)\nROOT t = (f32[], s32[]) tuple(a, b)");
  ExpectSpec(f + Entry("v = f32[2,3] constant({{1,9,9},{5,2,5}})\nk = s32[2,3] iota(), iota_dimension=1\nn = f32[] constant(-inf)\nz = s32[] constant(0)\n"
                       "ROOT r = (f32[2], s32[2]) reduce(v, k, n, z), dimensions={1}, to_apply=argmax"),
             "a = f32[2] constant({9,5})\nb = s32[2] constant({2,2})\nROOT t = (f32[2], s32[2]) tuple(a, b)");
}

TEST(ReduceWindow, TheVectorsOfTheSpecification) {
  const std::string largest = Reducer("largest", "f32", "maximum"), least = Reducer("least", "f32", "minimum");
  ExpectSpec(largest + Entry("n = f32[24] iota(), iota_dimension=0\nm = f32[4,6] reshape(n)\nz = f32[] constant(-inf)\n"
                             "ROOT r = f32[2,2] reduce-window(m, z), window={size=2x3 stride=2x3}, to_apply=largest"),
             "f32[2,2] constant({{8,11},{20,23}})");
  const std::string v = "v = f32[5] constant({10000,1000,100,10,1})\nz = f32[] constant(3.40282347e+38)\n";
  ExpectSpec(least + Entry(v + "ROOT r = f32[2] reduce-window(v, z), window={size=3 stride=2}, to_apply=least"), "f32[2] constant({100,1})");
  ExpectSpec(least + Entry(v + "ROOT r = f32[3] reduce-window(v, z), window={size=3 stride=2 pad=1_1}, to_apply=least"), "f32[3] constant({1000,10,1})");
  // Dilated base and dilated window.
  const std::string sum = Reducer("sum", "s32", "add");
  ExpectSpec(sum + Entry("v = s32[4] constant({1,2,3,4})\nz = s32[] constant(0)\nROOT r = s32[5] reduce-window(v, z), "
                         "window={size=3 lhs_dilate=2}, to_apply=sum"),
             "s32[5] constant({3,2,5,3,7})");
  ExpectSpec(sum + Entry("v = s32[5] constant({1,2,3,4,5})\nz = s32[] constant(100)\nROOT r = s32[3] reduce-window(v, z), "
                         "window={size=2 rhs_dilate=2}, to_apply=sum"),
             "s32[3] constant({104,106,108})");
}

TEST(SelectAndScatter, OverlappingWindowsCombine) {
  const std::string f = "ge {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=GE\n}\n" +
                        Reducer("add", "f32", "add");
  const std::string m = "m = f32[4,5] constant({{7,2,5,3,8},{3,8,9,3,4},{1,5,7,5,6},{0,6,2,7,2}})\nz = f32[] constant(0)\n";
  // Windows side by side.
  ExpectSpec(f + Entry("m = f32[4,6] constant({{7,2,5,3,10,2},{3,8,9,3,4,2},{1,5,7,5,6,1},{0,6,2,7,2,8}})\nz = f32[] constant(0)\n"
                       "s = f32[2,2] constant({{2,6},{3,1}})\nROOT r = f32[4,6] select-and-scatter(m, s, z), "
                       "window={size=2x3 stride=2x3}, select=ge, scatter=add"),
             "f32[4,6] constant({{0,0,0,0,6,0},{0,0,2,0,0,0},{0,0,3,0,0,0},{0,0,0,0,0,1}})");
  // Windows that overlap pick the same 9: 2 + 6.
  ExpectSpec(f + Entry(m + "s = f32[2,2] constant({{2,6},{3,1}})\nROOT r = f32[4,5] select-and-scatter(m, s, z), "
                           "window={size=2x3 stride=2x2}, select=ge, scatter=add"),
             "f32[4,5] constant({{0,0,0,0,0},{0,0,8,0,0},{0,0,4,0,0},{0,0,0,0,0}})");
}

TEST(Sort, KeysAndTwoPassengers) {
  const std::string f =
      "less {\n a = s32[] parameter(0)\n b = s32[] parameter(1)\n c = s32[] parameter(2)\n d = s32[] parameter(3)\n e = f32[] parameter(4)\n"
      " g = f32[] parameter(5)\n ROOT r = pred[] compare(a, b), direction=LT\n}\n";
  ExpectSpec(f + Entry("x = s32[2] constant({3,1})\ny = s32[2] constant({42,50})\nz = f32[2] constant({-3,1.1})\n"
                       "ROOT r = (s32[2], s32[2], f32[2]) sort(x, y, z), dimensions={0}, to_apply=less"),
             "a = s32[2] constant({1,3})\nb = s32[2] constant({50,42})\nc = f32[2] constant({1.1,-3})\nROOT t = (s32[2], s32[2], f32[2]) tuple(a, b, c)");
  const std::string plain = "lt {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT r = pred[] compare(a, b), direction=LT\n}\n";
  const std::string m = "m = f32[2,3] constant({{3,1,2},{0,5,4}})\n";
  ExpectSpec(plain + Entry(m + "ROOT r = f32[2,3] sort(m), dimensions={1}, to_apply=lt"), "f32[2,3] constant({{1,2,3},{0,4,5}})");
  ExpectSpec(plain + Entry(m + "ROOT r = f32[2,3] sort(m), dimensions={0}, to_apply=lt"), "f32[2,3] constant({{0,1,2},{3,5,4}})");
}

TEST(TopK, LowerIndexFirstAmongEquals) {
  const std::string v = "v = f32[2,4] constant({{1,5,5,3},{-1,-1,-2,-1}})\n";
  ExpectSpec(v + "ROOT r = (f32[2,3], s32[2,3]) topk(v), k=3, largest=true",
             "a = f32[2,3] constant({{5,5,3},{-1,-1,-1}})\nb = s32[2,3] constant({{1,2,3},{0,1,3}})\nROOT t = (f32[2,3], s32[2,3]) tuple(a, b)");
  ExpectSpec(v + "ROOT r = (f32[2,2], s32[2,2]) topk(v), k=2, largest=false",
             "a = f32[2,2] constant({{1,3},{-2,-1}})\nb = s32[2,2] constant({{0,3},{2,0}})\nROOT t = (f32[2,2], s32[2,2]) tuple(a, b)");
  ExpectSpec(v + "ROOT r = (f32[2,0], s32[2,0]) topk(v), k=0, largest=true",
             "a = f32[2,0] constant({{},{}})\nb = s32[2,0] constant({{},{}})\nROOT t = (f32[2,0], s32[2,0]) tuple(a, b)");
}

TEST(Bitcast, TheBitsAsTheyLie) {
  const SpecOptions fixed{.layouts = false};
  ExpectSpec("a = s32[2,3]{1,0} constant({{1,2,3},{4,5,6}})\nROOT r = s32[3,2]{0,1} bitcast(a)", "s32[3,2] constant({{1,4},{2,5},{3,6}})", fixed);
  ExpectSpec("a = s32[2,3]{0,1} constant({{1,2,3},{4,5,6}})\nROOT r = s32[6] bitcast(a)", "s32[6] constant({1,4,2,5,3,6})", fixed);
  ExpectSpec("a = u32[2] constant({67305985,134678021})\nROOT r = u8[8] bitcast(a)", "u8[8] constant({1,2,3,4,5,6,7,8})", fixed);
  ExpectSpec("a = u8[8] constant({1,2,3,4,5,6,7,8})\nROOT r = u32[2] bitcast(a)", "u32[2] constant({67305985,134678021})", fixed);
  ExpectSpec("a = u8[2,4]{0,1} constant({{1,3,5,7},{2,4,6,8}})\nROOT r = u32[2] bitcast(a)", "u32[2] constant({67305985,134678021})", fixed);
  ExpectSpec("a = f32[2,2] constant({{1,2},{3,4}})\nROOT r = c64[2] bitcast(a)", "c64[2] constant({(1,2),(3,4)})", fixed);
  ExpectSpec("a = c64[2] constant({(1,2),(3,4)})\nROOT r = f32[4] bitcast(a)", "f32[4] constant({1,2,3,4})", fixed);
  ExpectSpec("a = f64[2] constant({1,2})\nROOT r = c128[1] bitcast(a)", "c128[1] constant({(1,2)})", fixed);
}

TEST(BitcastConvert, PartsOfAnElement) {
  ExpectSpec("a = f32[2] constant({1,-2})\nROOT r = u16[2,2] bitcast-convert(a)", "u16[2,2] constant({{0,16256},{0,49152}})");
  ExpectSpec("a = u16[2,2] constant({{0,16256},{0,49152}})\nROOT r = f32[2] bitcast-convert(a)", "f32[2] constant({1,-2})");
  ExpectSpec("a = f32[] constant(1)\nROOT r = f16[2] bitcast-convert(a)", "f16[2] constant({0,1.875})");
  ExpectSpec("a = u8[2] constant({171,205})\nROOT r = u4[2,2] bitcast-convert(a)", "u4[2,2] constant({{11,10},{13,12}})");
  ExpectSpec("a = c128[] constant((1,2))\nb = c64[2] bitcast-convert(a)\nROOT r = c128[] bitcast-convert(b)", "c128[] constant((1,2))");
  ReadModule read = ReadAndVerify("a = f32[10] iota(), iota_dimension=0\nb = f16[10,2] bitcast-convert(a)\nROOT r = f32[10] bitcast-convert(b)");
  ASSERT_EQ(read.problems, "");
  ExpectSpec("a = f32[10] iota(), iota_dimension=0\nb = f16[10,2] bitcast-convert(a)\nROOT r = f32[10] bitcast-convert(b)", "f32[10] iota(), iota_dimension=0");
}

}  // namespace
}  // namespace hloscope
