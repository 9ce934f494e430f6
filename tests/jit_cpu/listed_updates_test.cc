// Scatters into arrays that are larger than what is near: updates are listed by the part of the array that they touch. The order in which the
// updates of one element are applied, and so every bit, is that of a plain loop, whatever the number of threads.
#include <random>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "core/exec/machine.h"
#include "tests/jit_cpu/support.h"

namespace hloscope {
namespace {

constexpr int64_t kRows = 60000, kWidth = 72, kUpdates = 30000;

// `begin` is added to %x's or zero's elements; the reducer halves what there is, so that order counts.
std::unique_ptr<Module> Program(const std::string& begin) {
  return Parse(absl::StrCat(R"(HloModule listed
halve_and_add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  half = f32[] constant(0.5)
  h = f32[] multiply(a, half)
  ROOT r = f32[] add(h, b)
}
ENTRY main {
  x = f32[60000,72] parameter(0)
  i = s32[30000] parameter(1)
  u = f32[30000,72] parameter(2)
  zero = f32[] constant(0)
  zeros = f32[60000,72] broadcast(zero), dimensions={}
  n = f32[30000,72] negate(u)
  ROOT s = f32[60000,72] scatter()", begin, R"(, i, n), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0},
      index_vector_dim=1, to_apply=halve_and_add
})"));
}

// Where updates go: anywhere, some of them outside; nearly all of them to one row; nowhere.
Value Indices(const std::string& kind) {
  Value value = Value::Allocate(Shape::Array(ElementType::kS32, {kUpdates}));
  std::mt19937_64 random(7);
  for (int64_t k = 0; k < kUpdates; ++k) {
    const auto anywhere = static_cast<int32_t>(random() % (kRows + 40)) - 20;
    value.mutable_as<int32_t>()[k] = kind == "nowhere" ? -1 - static_cast<int32_t>(k) : kind == "one row" && k % 50 != 0 ? 12345 : anywhere;
  }
  return value;
}

class ListedUpdates : public ::testing::TestWithParam<std::tuple<std::string, std::string, bool>> {};

TEST_P(ListedUpdates, AreAppliedInOrder) {
  const auto& [begin, kind, donated] = GetParam();
  std::unique_ptr<Module> module = Program(begin);
  ASSERT_NE(module, nullptr);
  const auto x = [] { return RandomValue(Shape::Array(ElementType::kF32, {kRows, kWidth}), 1); };
  const Value given = x(), u = RandomValue(Shape::Array(ElementType::kF32, {kUpdates, kWidth}), 2), i = Indices(kind);
  std::vector<float> expected(kRows * kWidth);
  if (begin == "x") std::copy_n(given.as<float>(), expected.size(), expected.begin());
  for (int64_t k = 0; k < kUpdates; ++k) {
    const int64_t row = i.as<int32_t>()[k];
    if (row < 0 || row >= kRows) continue;
    for (int64_t c = 0; c < kWidth; ++c) expected[row * kWidth + c] = expected[row * kWidth + c] * 0.5F + -u.as<float>()[k * kWidth + c];
  }
  for (int threads : {1, 2, 3}) {
    std::unique_ptr<Backend> backend = MakeJitCpuBackend({.threads = threads, .cache_directory = ""}).value();
    Machine machine(*module, *backend, MachineOptions());
    std::vector<Value> inputs;
    inputs.push_back(x());
    inputs.push_back(i);
    inputs.push_back(u);
    ASSERT_TRUE(machine.Start(std::move(inputs), donated ? std::vector<int>{0} : std::vector<int>()).ok());
    ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
    const float* got = machine.result().as<float>();
    for (int64_t e = 0; e < kRows * kWidth; ++e) ASSERT_EQ(got[e], expected[e]) << "element " << e << ", " << threads << " threads";
  }
}

INSTANTIATE_TEST_SUITE_P(All, ListedUpdates,
                         ::testing::Combine(::testing::Values("x", "zeros"), ::testing::Values("anywhere", "one row", "nowhere"), ::testing::Bool()));

}  // namespace
}  // namespace hloscope
