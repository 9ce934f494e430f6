// What a program computes does not depend on the layouts of its values: each family of operations under random orders, padding that would
// show when it is read, tiles and packed elements, on both backends, bit for bit.
#include <algorithm>
#include <numeric>

#include "backends/jit_cpu/jit_cpu.h"
#include "backends/reference/backend.h"
#include "core/exec/inputs.h"
#include "core/exec/machine.h"
#include "core/literal/relayout.h"
#include "core/shape/layout_map.h"
#include "core/shape/layout_util.h"
#include "tests/jit_cpu/support.h"

namespace hloscope {
namespace {

constexpr char kLayoutReducers[] = R"(
sum { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] add(x, y) }
most { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = f32[] maximum(x, y) }
bigger { x = f32[] parameter(0) y = f32[] parameter(1) ROOT z = pred[] compare(x, y), direction=GE }
first_most {
  a = f32[] parameter(0)
  i = s32[] parameter(1)
  b = f32[] parameter(2)
  j = s32[] parameter(3)
  c = pred[] compare(a, b), direction=GE
  v = f32[] select(c, a, b)
  k = s32[] select(c, i, j)
  ROOT t = (f32[], s32[]) tuple(v, k)
}
)";

struct Case {
  const char* name;
  const char* before;
  const char* body;
};

const Case kCases[] = {
    {"pointwise", "", R"(
  a = f32[5,7,3] parameter(0)
  b = f32[5,7,3] parameter(1)
  c = f32[5,7,3] multiply(a, b)
  d = f32[5,7,3] exponential(c)
  e = f32[5,7,3] subtract(d, a)
  p = pred[5,7,3] compare(e, b), direction=LT
  ROOT r = f32[5,7,3] select(p, e, a))"},
    {"wide", "", R"(
  a = f32[40,70] parameter(0)
  b = f32[70] parameter(1)
  bb = f32[40,70] broadcast(b), dimensions={1}
  c = f32[40,70] add(a, bb)
  t = f32[70,40] transpose(c), dimensions={1,0}
  n = f32[70,40] negate(t)
  ROOT r = (f32[70,40], f32[40,70]) tuple(n, c))"},
    {"movement", "", R"(
  a = f32[4,6,5] parameter(0)
  z = f32[] constant(-3.5)
  t = f32[5,4,6] transpose(a), dimensions={2,0,1}
  r = f32[10,12] reshape(t)
  s = f32[4,5] slice(r), slice={[1:9:2], [2:12:2]}
  p = f32[9,8] pad(s, z), padding=1_1_1x2_1
  v = f32[9,8] reverse(p), dimensions={0}
  c = f32[9,20] concatenate(v, s2), dimensions={1}
  s2 = f32[9,12] slice(r), slice={[1:10], [0:12]}
  i = f32[9,20] iota(), iota_dimension=1
  ROOT o = f32[9,20] add(c, i))"},
    {"reduce", kLayoutReducers, R"(
  a = f32[6,5,33] parameter(0)
  z = f32[] constant(0)
  r0 = f32[5,33] reduce(a, z), dimensions={0}, to_apply=sum
  r2 = f32[6,5] reduce(a, z), dimensions={2}, to_apply=sum
  r02 = f32[5] reduce(a, z), dimensions={0,2}, to_apply=most
  w = f32[6,2,16] reduce-window(a, z), window={size=1x3x2 stride=1x2x2}, to_apply=sum
  ROOT o = (f32[5,33], f32[6,5], f32[5], f32[6,2,16]) tuple(r0, r2, r02, w))"},
    {"variadic", kLayoutReducers, R"(
  a = f32[6,9,4] parameter(0)
  i = s32[6,9,4] iota(), iota_dimension=1
  z = f32[] constant(-1e30)
  k = s32[] constant(0)
  ROOT r = (f32[6,4], s32[6,4]) reduce(a, i, z, k), dimensions={1}, to_apply=first_most)"},
    {"dot", "", R"(
  a = f32[3,9,17] parameter(0)
  b = f32[3,17,6] parameter(1)
  c = f32[3,9,6] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}
  d = f32[9,6] slice(c2), slice={[0:9], [0:6]}
  c2 = f32[9,6] reshape(c3)
  c3 = f32[1,9,6] slice(c), slice={[1:2], [0:9], [0:6]}
  e = f32[9,9] dot(d, c2), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT r = (f32[3,9,6], f32[9,9]) tuple(c, e))"},
    // Large enough for the library, which takes strides.
    {"matmul", "", R"(
  a = f32[3,40,50] parameter(0)
  b = f32[50,3,30] parameter(1)
  c = f32[3,40,30] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={1}, lhs_contracting_dims={2}, rhs_contracting_dims={0}
  h = bf16[3,40,30] convert(c)
  w = bf16[30,70] parameter(2)
  ROOT d = bf16[3,40,70] dot(h, w), lhs_contracting_dims={2}, rhs_contracting_dims={0})"},
    {"convolution", "", R"(
  a = f32[2,8,9,3] parameter(0)
  k = f32[3,2,3,4] parameter(1)
  ROOT c = f32[2,8,8,4] convolution(a, k), window={size=3x2 pad=1_1x0_0}, dim_labels=b01f_01io->b01f)"},
    {"gather", "", R"(
  a = f32[8,5] parameter(0)
  i = s32[6,1] parameter(1)
  g = f32[6,3] gather(a, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
  x = s32[] constant(2)
  y = s32[] constant(1)
  d = f32[3,4] dynamic-slice(a, x, y), dynamic_slice_sizes={3,4}
  u = f32[8,5] dynamic-update-slice(a, d, y, y)
  ROOT r = (f32[6,3], f32[3,4], f32[8,5]) tuple(g, d, u))"},
    {"scatter", kLayoutReducers, R"(
  a = f32[8,5] parameter(0)
  i = s32[6,1] parameter(1)
  u = f32[6,5] parameter(2)
  s = f32[8,5] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
  z = f32[] constant(0)
  w = f32[4,5] slice(s), slice={[0:8:2], [0:5]}
  ROOT q = f32[8,5] select-and-scatter(s, w, z), window={size=2x1 stride=2x1}, select=bigger, scatter=sum)"},
    {"opaque", kLayoutReducers, R"(
  a = f32[6,7] parameter(0)
  i = s32[6,7] iota(), iota_dimension=1
  s = (f32[6,7], s32[6,7]) sort(a, i), dimensions={1}, to_apply=by
  k = f32[6,7] get-tuple-element(s), index=0
  q = f32[6,6] dot(k, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  c = f32[6,6] cholesky(q), lower=true
  t = f32[6,7] triangular-solve(q, a), left_side=true, lower=true, transpose_a=NO_TRANSPOSE
  f = c64[6,4] fft(a), fft_type=RFFT, fft_length={7}
  ROOT r = ((f32[6,7], s32[6,7]), f32[6,6], f32[6,7], c64[6,4]) tuple(s, c, t, f))"},
    {"control", R"(
body { p = (s32[], f32[4,6]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  x = f32[4,6] get-tuple-element(p), index=1
  one = s32[] constant(1)
  n = s32[] add(i, one)
  y = f32[4,6] cosine(x)
  z = f32[4,6] add(y, x)
  ROOT t = (s32[], f32[4,6]) tuple(n, z) }
cond { p = (s32[], f32[4,6]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT }
twice { x = f32[4,6] parameter(0) ROOT y = f32[4,6] add(x, x) }
squared { x = f32[4,6] parameter(0) ROOT y = f32[4,6] multiply(x, x) }
fused { x = f32[4,6] parameter(0) t = f32[6,4] transpose(x), dimensions={1,0} ROOT y = f32[6,4] negate(t) }
)",
     R"(
  x = f32[4,6] parameter(0)
  k = f32[4,6] constant({{1,2,3,4,5,6},{7,8,9,10,11,12},{1,0,1,0,1,0},{2,2,2,2,2,3}})
  i = s32[] constant(0)
  s = (s32[], f32[4,6]) tuple(i, x)
  w = (s32[], f32[4,6]) while(s), condition=cond, body=body
  v = f32[4,6] get-tuple-element(w), index=1
  n = s32[] get-tuple-element(w), index=0
  one = s32[] constant(1)
  b = s32[] subtract(n, one)
  c = f32[4,6] conditional(one, v, k), branch_computations={twice, squared}
  d = f32[4,6] call(c), to_apply=twice
  e = f32[4,6] add(d, k)
  ROOT f = f32[6,4] fusion(e), kind=kLoop, calls=fused)"},
    {"types", "", R"(
  a = s8[9,5] parameter(0)
  b = s4[9,5] convert(a)
  c = s4[9,5] add(b, b)
  d = u2[9,5] convert(a)
  e = u2[5,9] transpose(d), dimensions={1,0}
  f = bf16[9,5] convert(c)
  p = pred[9,5] convert(a)
  q = pred[9,5] not(p)
  g = c128[9,5] convert(f)
  h = f64[9,5] real(g)
  m = f8e4m3fn[9,5] convert(h)
  ROOT r = (s4[9,5], u2[5,9], bf16[9,5], pred[9,5], c128[9,5], f8e4m3fn[9,5]) tuple(c, e, f, q, g, m))"},
    {"zero", kLayoutReducers, R"(
  a = f32[0,5] parameter(0)
  b = f32[3,0] parameter(1)
  z = f32[] constant(2)
  n = f32[0,5] negate(a)
  r = f32[5] reduce(n, z), dimensions={0}, to_apply=sum
  d = f32[3,5] dot(b, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  c = f32[3,5] concatenate(d, d2), dimensions={0}
  d2 = f32[0,5] copy(a)
  ROOT t = (f32[5], f32[3,5], f32[0,5]) tuple(r, c, n))"},
    {"norm", "", R"(
  a = f32[4,5,6] parameter(0)
  s = f32[6] parameter(1)
  o = f32[6] parameter(2)
  t = (f32[4,5,6], f32[6], f32[6]) batch-norm-training(a, s, o), epsilon=0.001, feature_index=2
  g = f32[4,5,6] get-tuple-element(t), index=0
  ROOT c = f32[4,5,6] clamp(a, g, g))"},
};

Layout RandomLayout(const Shape& shape, std::mt19937& random) {
  const auto pick = [&](int n) { return static_cast<int64_t>(random() % n); };
  const int rank = shape.rank();
  Layout layout;
  layout.minor_to_major.resize(rank);
  std::iota(layout.minor_to_major.begin(), layout.minor_to_major.end(), 0);
  std::shuffle(layout.minor_to_major.begin(), layout.minor_to_major.end(), random);
  if (pick(2) == 0) {
    for (int64_t d : shape.dimensions()) layout.padded_dimensions.push_back(d + pick(3));
  }
  if (pick(3) == 0) {
    for (int64_t t = 1 + pick(2); t-- > 0;) {
      Tile& tile = layout.tiles.emplace_back();
      tile.dimensions.resize(1 + pick(std::max(1, std::min(rank, 3))));
      for (int64_t& d : tile.dimensions) d = pick(6) == 0 ? Tile::kCombine : 1 + pick(4);
      if (tile.dimensions.back() == Tile::kCombine) tile.dimensions.back() = 2;
    }
  }
  layout.padding_value = static_cast<PaddingValue>(pick(5));
  const int bits = IsPred(shape.element_type()) ? 1 : BitWidth(shape.element_type());
  if (bits < 8 ? pick(2) == 0 : pick(8) == 0) layout.element_size_in_bits = bits;
  if (pick(20) == 0) layout.element_size_in_bits = std::max(64, 2 * bits);
  return layout;
}

Shape Randomized(const Shape& shape, std::mt19937& random) {
  if (shape.IsTuple()) {
    std::vector<Shape> elements;
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(Randomized(element, random));
    return Shape::Tuple(std::move(elements));
  }
  if (!shape.IsArray() || random() % 4 == 0) return shape;
  return shape.WithLayout(RandomLayout(shape, random));
}

std::unique_ptr<Module> ParseCase(const Case& c) {
  std::string before = c.before;
  if (std::string(c.name) == "opaque") {
    before += "by { a = f32[] parameter(0) b = f32[] parameter(1) i = s32[] parameter(2) j = s32[] parameter(3)\n"
              " ROOT l = pred[] compare(a, b), direction=LT }\n";
  }
  return Parse("HloModule test\n\n" + before + "\nENTRY main {" + c.body + "\n}\n");
}

std::vector<std::unique_ptr<Backend>> BothBackends() {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(MakeReferenceBackend({}));
  absl::StatusOr<std::unique_ptr<Backend>> jit = MakeJitCpuBackend({.threads = 2, .cache_directory = ""});
  EXPECT_TRUE(jit.ok());
  if (jit.ok()) backends.push_back(*std::move(jit));
  return backends;
}

// Values are booked on their machine, which ends first.
Value Copied(const Value& value) {
  if (!value.shape().IsTuple()) {
    return value.shape().IsArray() ? Value::FromBytes(value.shape(), absl::MakeConstSpan(value.data(), value.byte_size())) : value;
  }
  std::vector<Value> elements;
  for (const Value& element : value.elements()) elements.push_back(Copied(element));
  return Value::Tuple(value.shape(), std::move(elements));
}

Value RunModule(const Module& module, Backend& backend, bool step = false) {
  Machine machine(module, backend, MachineOptions());
  std::vector<Value> inputs;
  for (const Instruction* p : module.entry->parameters) {
    absl::StatusOr<Value> input = MakeInput(module, static_cast<int>(p->parameter_number), {.seed = 5}, nullptr);
    EXPECT_TRUE(input.ok());
    inputs.push_back(*input);
  }
  EXPECT_TRUE(machine.Start(std::move(inputs)).ok());
  StopReason reason = StopReason::kStep;
  while (reason == StopReason::kStep) reason = step ? machine.Step(false) : machine.Run();
  EXPECT_EQ(reason, StopReason::kFinished) << machine.status();
  EXPECT_TRUE(machine.result().IsDense());
  if (reason == StopReason::kFinished && machine.stored_result().shape().IsArray() && module.entry->root->shape.IsArray()) {
    EXPECT_TRUE(IsInLayoutOf(machine.stored_result(), module.entry->root->shape));
  }
  return Copied(machine.result());
}

class Layouts : public testing::TestWithParam<Case> {};

TEST_P(Layouts, DoNotChangeResults) {
  std::unique_ptr<Module> plain = ParseCase(GetParam());
  ASSERT_NE(plain, nullptr);
  for (std::unique_ptr<Backend>& backend : BothBackends()) {
    const Value expected = RunModule(*plain, *backend);
    for (int seed = 1; seed <= 12; ++seed) {
      std::mt19937 random(seed * 7919);
      std::unique_ptr<Module> module = ParseCase(GetParam());
      for (Computation* computation : module->computations) {
        for (Instruction* instruction : computation->schedule) instruction->shape = Randomized(instruction->shape, random);
      }
      DiagnosticSink sink;
      Verify(*module, sink);
      ASSERT_EQ(sink.error_count(), 0) << sink.diagnostics()[0].message;
      SCOPED_TRACE(std::string(backend->name()) + "\n" + PrintHloText(*module));
      const Value got = RunModule(*module, *backend, seed % 3 == 0);
      ASSERT_TRUE(Value::BitEqual(got, expected));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Families, Layouts, testing::ValuesIn(kCases), [](const auto& info) { return std::string(info.param.name); });

// Every order of one program's three values up to rank three.
TEST(EveryLayout, UpToRankThree) {
  for (std::unique_ptr<Backend>& backend : BothBackends()) {
    std::unique_ptr<Module> module = ParseEntry(
        "a = f32[2,3,4] parameter(0)\n b = f32[4,2,3] transpose(a), dimensions={2,0,1}\n c = f32[4,3] parameter(1)\n"
        "d = f32[4,2,3] broadcast(c), dimensions={0,2}\n ROOT e = f32[4,2,3] subtract(b, d)");
    const Value expected = RunModule(*module, *backend);
    std::vector<int64_t> first = {0, 1, 2};
    do {
      std::vector<int64_t> second = {0, 1, 2};
      do {
        for (bool swap : {false, true}) {
          module->entry->FindInstruction("a");
          for (Instruction* i : module->entry->schedule) {
            if (i->name == "a") i->shape = i->shape.WithLayout(Layout{.minor_to_major = first});
            if (i->name == "e") i->shape = i->shape.WithLayout(Layout{.minor_to_major = second, .padded_dimensions = {4, 4, 4}, .padding_value = PaddingValue::kHighest});
            if (i->name == "c") i->shape = i->shape.WithLayout(Layout{.minor_to_major = swap ? std::vector<int64_t>{0, 1} : std::vector<int64_t>{1, 0}});
          }
          ASSERT_TRUE(Value::BitEqual(RunModule(*module, *backend), expected)) << PrintHloText(*module);
        }
      } while (std::next_permutation(second.begin(), second.end()));
    } while (std::next_permutation(first.begin(), first.end()));
  }
}

TEST(EntryLayout, OfTheResult) {
  const std::string text =
      "HloModule t, entry_computation_layout={(f32[2,3]{1,0})->f32[2,3]{0,1:PAD(3,5)=one}}\n\nENTRY e {\n a = f32[2,3]{0,1} parameter(0)\n"
      " ROOT b = f32[2,3]{1,0} negate(a)\n}\n";
  for (std::unique_ptr<Backend>& backend : BothBackends()) {
    std::unique_ptr<Module> module = Parse(text);
    ASSERT_NE(module, nullptr);
    Machine machine(*module, *backend, MachineOptions());
    std::vector<float> a = {1, 2, 3, 4, 5, 6};
    Value input = Value::FromBytes(Shape::Array(ElementType::kF32, {2, 3}), absl::MakeConstSpan(reinterpret_cast<const std::byte*>(a.data()), 24));
    ASSERT_TRUE(machine.Start({input}).ok());
    ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
    const Value& stored = machine.stored_result();
    ASSERT_EQ(stored.byte_size(), 60);
    const std::vector<float> expected = {-1, -4, 1, -2, -5, 1, -3, -6, 1, 1, 1, 1, 1, 1, 1};
    EXPECT_EQ(std::memcmp(stored.physical_data(), expected.data(), 60), 0);
    EXPECT_EQ(machine.result().as<float>()[1], -2);
    const absl::StatusOr<Value> parameter = machine.StoredValueOf(0, 0);
    ASSERT_TRUE(parameter.ok());
    EXPECT_EQ(reinterpret_cast<const float*>(parameter->physical_data())[1], 4);  // column after column
    EXPECT_EQ(machine.ValueOf(0, 0)->as<float>()[1], 2);
  }
}

// What an operation makes by itself is filled at its own size, however much padding its layout adds.
TEST(OpaqueResults, WithMuchPadding) {
  for (std::unique_ptr<Backend>& backend : BothBackends()) {
    std::unique_ptr<Module> module =
        Parse("HloModule t\n\nENTRY e {\n a = f32[2]{0} constant({1, 2})\n"
              " ROOT b = f32[2]{0:PAD(16777216)=one} collective-permute(a), source_target_pairs={}\n}\n");
    ASSERT_NE(module, nullptr);
    Machine machine(*module, *backend, MachineOptions());
    ASSERT_TRUE(machine.Start(std::vector<Value>()).ok());
    ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
    EXPECT_EQ(machine.result().as<float>()[1], 0);
    EXPECT_EQ(reinterpret_cast<const float*>(machine.stored_result().physical_data())[2], 1);
  }
}

// Layouts that cancel a transpose: the bytes are shared.
TEST(LaidKernels, TransposeOfLayoutsMovesNothing) {
  std::unique_ptr<Module> module = ParseEntry("a = f32[20,30]{1,0} parameter(0)\n ROOT b = f32[30,20]{0,1} transpose(a), dimensions={1,0}");
  absl::StatusOr<std::unique_ptr<Backend>> jit = MakeJitCpuBackend({.threads = 1, .cache_directory = ""});
  ASSERT_TRUE(jit.ok());
  Machine machine(*module, **jit, MachineOptions());
  const Value a = RandomValue(Shape::Array(ElementType::kF32, {20, 30}), 3);
  ASSERT_TRUE(machine.Start({a}).ok());
  ASSERT_EQ(machine.Run(), StopReason::kFinished);
  EXPECT_EQ(machine.stored_result().buffer(), a.buffer());
  EXPECT_EQ(machine.result().as<float>()[1], a.as<float>()[30]);
}

}  // namespace
}  // namespace hloscope
