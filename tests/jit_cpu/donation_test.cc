// Parameters that a program may write over: what its header says, and that updates happen in place then and only then.
#include <cstring>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "core/exec/donation.h"
#include "core/exec/machine.h"
#include "gmock/gmock.h"
#include "tests/jit_cpu/support.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kSum[] = "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n";

std::unique_ptr<Module> WithHeader(const std::string& header) {
  return Parse("HloModule test" + header + "\n" + kSum + R"(
ENTRY main {
  x = f32[100,8] parameter(0)
  i = s32[100] parameter(1)
  t = (f32[100,8], f32[4]) parameter(2)
  u = f32[100,8] get-tuple-element(t), index=0
  s = f32[100,8] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum
  v = f32[4] get-tuple-element(t), index=1
  z = s32[] constant(1)
  w = f32[2] slice(v), slice={[0:2]}
  d = f32[4] dynamic-update-slice(v, w, z)
  ROOT r = (f32[100,8], f32[4]) tuple(s, d)
})");
}

TEST(Donation, TheHeaderNamesParametersAndPartsOfThem) {
  EXPECT_THAT(DonatedByHeader(*WithHeader("")).parameters, IsEmpty());
  EXPECT_THAT(DonatedByHeader(*WithHeader(", input_output_alias={ {0}: (0, {}, may-alias) }")).parameters, ElementsAre(0));
  EXPECT_THAT(DonatedByHeader(*WithHeader(", buffer_donor={ (0, {}), (1, {}) }")).parameters, ElementsAre(0, 1));
  EXPECT_THAT(DonatedByHeader(*WithHeader(", input_output_alias={ {1}: (2, {1}, must-alias) }")).parameters, IsEmpty()) << "half of a tuple";
  EXPECT_THAT(DonatedByHeader(*WithHeader(", input_output_alias={ {1}: (2, {1}, must-alias) }, buffer_donor={ (2, {0}) }")).parameters, ElementsAre(2));
  EXPECT_THAT(DonatedByHeader(*WithHeader(", buffer_donor={ (2, {}) }")).parameters, ElementsAre(2));
  const Donation odd = DonatedByHeader(*WithHeader(", input_output_alias={ {0}: (7, {}, may-alias), {1}: (0, {3}), {}: (none) }"));
  EXPECT_THAT(odd.parameters, IsEmpty());
  EXPECT_THAT(odd.notices, ElementsAre(HasSubstr("parameter 7 {}"), HasSubstr("parameter 0 {3}"), HasSubstr("no parameter")));
}

struct Given {
  std::vector<Value> values;
  const Buffer* x;
  const Buffer* v;
};
Given Inputs() {
  Value x = RandomValue(Shape::Array(ElementType::kF32, {100, 8}), 1), u = RandomValue(Shape::Array(ElementType::kF32, {100, 8}), 2), v = RandomValue(Shape::Array(ElementType::kF32, {4}), 3);
  Value i = Value::Allocate(Shape::Array(ElementType::kS32, {100}));
  for (int k = 0; k < 100; ++k) i.mutable_as<int32_t>()[k] = k * 7 % 100;
  const Buffer *xb = x.buffer(), *vb = v.buffer();
  std::vector<Value> parts;
  parts.push_back(std::move(u));
  parts.push_back(std::move(v));
  std::vector<Value> values;
  values.push_back(std::move(x));
  values.push_back(std::move(i));
  values.push_back(Value::Tuple(Shape::Tuple({parts[0].shape(), parts[1].shape()}), std::move(parts)));
  return {std::move(values), xb, vb};
}

TEST(Donation, UpdatesHappenInPlaceWhereNobodyElseHoldsTheBuffer) {
  std::unique_ptr<Module> module = WithHeader("");
  for (int threads : {1, 2}) {
    std::unique_ptr<Backend> backend = MakeJitCpuBackend({.threads = threads, .cache_directory = ""}).value();
    Machine machine(*module, *backend, MachineOptions());
    ASSERT_TRUE(machine.Start(Inputs().values).ok());
    ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
    const Value plain = machine.result();

    Given given = Inputs();
    ASSERT_TRUE(machine.Start(std::move(given.values), {0, 2}).ok());
    ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
    EXPECT_TRUE(Value::BitEqual(machine.result(), plain));
    EXPECT_EQ(machine.result().elements()[0].buffer(), given.x);
    EXPECT_EQ(machine.result().elements()[1].buffer(), given.v);
    EXPECT_THAT(std::string(machine.ValueOf(0, At(*module, "x")).status().message()), HasSubstr("was donated"));

    // The caller's own handle keeps the numbers.
    given = Inputs();
    const Value x = given.values[0], before = CopyOf(x, nullptr);
    ASSERT_TRUE(machine.Start(std::move(given.values), {0}).ok());
    ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
    EXPECT_TRUE(Value::BitEqual(machine.result(), plain));
    EXPECT_TRUE(Value::BitEqual(x, before));

    // Without it they stay, for those who look at the past.
    given = Inputs();
    ASSERT_TRUE(machine.Start(std::move(given.values)).ok());
    ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
    EXPECT_TRUE(Value::BitEqual(machine.ValueOf(0, At(*module, "x")).value(), before));
    EXPECT_THAT(std::string(machine.Start(Inputs().values, {3}).message()), HasSubstr("no parameter 3"));
  }
}

// Rows are written where they were read, when whoever writes a row has read all of it: a softmax takes no memory of its own.
TEST(Donation, RowsAreWrittenOverTheirOperand) {
  const std::string before = std::string(kSum) + "most {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] maximum(a, b)\n}\n";
  const auto softmax = [&](int64_t rows, int64_t columns) {
    const std::string all = absl::StrCat("f32[", rows, ",", columns, "]"), row = absl::StrCat("f32[", rows, "]");
    return ParseEntry(absl::StrCat("x = ", all, " parameter(0)\nlow = f32[] constant(-inf)\nzero = f32[] constant(0)\nm = ", row, " reduce(x, low), dimensions={1}, to_apply=most\nmm = ", all,
                                   " broadcast(m), dimensions={0}\nd = ", all, " subtract(x, mm)\ne = ", all, " exponential(d)\ns = ", row,
                                   " reduce(e, zero), dimensions={1}, to_apply=sum\nss = ", all, " broadcast(s), dimensions={0}\nROOT y = ", all, " divide(e, ss)"),
                      before);
  };
  for (const auto& [rows, columns] : std::vector<std::pair<int64_t, int64_t>>{{300, 256}, {512, 131}, {1030, 129}}) {
    std::unique_ptr<Module> module = softmax(rows, columns);
    for (int threads : {1, 2}) {
      std::unique_ptr<Backend> backend = MakeJitCpuBackend({.threads = threads, .cache_directory = ""}).value();
      Machine machine(*module, *backend, MachineOptions());
      const Value x = RandomValue(Shape::Array(ElementType::kF32, {rows, columns}), 5);
      ASSERT_TRUE(machine.Start({x}).ok());
      ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
      const Value plain = machine.result();
      EXPECT_NE(plain.buffer(), x.buffer());
      Value own = CopyOf(x, nullptr);
      const Buffer* buffer = own.buffer();
      std::vector<Value> given;
      given.push_back(std::move(own));
      ASSERT_TRUE(machine.Start(std::move(given), {0}).ok());
      ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
      EXPECT_TRUE(Value::BitEqual(machine.result(), plain)) << rows << " x " << columns;
      EXPECT_EQ(machine.result().buffer(), buffer) << rows << " x " << columns;
    }
  }
  // A mean of columns is wanted by element: nothing may be written over what later elements read.
  std::unique_ptr<Module> module = ParseEntry("x = f32[300,300] parameter(0)\nzero = f32[] constant(0)\ns = f32[300] reduce(x, zero), dimensions={0}, to_apply=sum\n"
                                              "ss = f32[300,300] broadcast(s), dimensions={1}\nROOT y = f32[300,300] subtract(x, ss)", before);
  std::unique_ptr<Backend> backend = MakeJitCpuBackend({.threads = 1, .cache_directory = ""}).value();
  Machine machine(*module, *backend, MachineOptions());
  const Value x = RandomValue(Shape::Array(ElementType::kF32, {300, 300}), 6);
  ASSERT_TRUE(machine.Start({x}).ok());
  ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
  const Value plain = machine.result();
  std::vector<Value> given;
  given.push_back(CopyOf(x, nullptr));
  ASSERT_TRUE(machine.Start(std::move(given), {0}).ok());
  ASSERT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
  EXPECT_TRUE(Value::BitEqual(machine.result(), plain));
}

}  // namespace
}  // namespace hloscope
