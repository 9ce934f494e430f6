// The sampled check: its rule, and that it finds a kernel which is wrong.
#include "core/debug/check.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "backends/reference/backend.h"
#include "core/debug/member_walk.h"
#include "core/exec/fuse.h"
#include "core/literal/scalar.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;

Scalar F32(double x) { return Scalar::Float(ElementType::kF32, x); }

TEST(CompareScalars, Rule) {
  EXPECT_EQ(CompareScalars(F32(1), {F32(1), 0}), Agreement::kAgrees);
  EXPECT_EQ(CompareScalars(F32(1), {F32(1.0000001), 0}), Agreement::kMismatch) << "no bound asks for the bits";
  EXPECT_EQ(CompareScalars(F32(1), {F32(1.0000001), 1e-6}), Agreement::kAgrees);
  EXPECT_EQ(CompareScalars(F32(1), {F32(1.1), 1e-6}), Agreement::kMismatch);
  EXPECT_EQ(CompareScalars(F32(0), {F32(-0.0), 0}), Agreement::kMismatch);
  EXPECT_EQ(CompareScalars(F32(1), {F32(2), HUGE_VAL}), Agreement::kUndecided);
  EXPECT_EQ(CompareScalars(F32(NAN), {F32(-NAN), 0}), Agreement::kNotFinite);
  EXPECT_EQ(CompareScalars(F32(INFINITY), {F32(INFINITY), 0}), Agreement::kNotFinite);
  EXPECT_EQ(CompareScalars(F32(INFINITY), {F32(-INFINITY), 0}), Agreement::kMismatch);
  EXPECT_EQ(CompareScalars(F32(NAN), {F32(1), 1e30}), Agreement::kMismatch);
  EXPECT_EQ(CompareScalars(F32(INFINITY), {F32(3.4e38), 1e37}), Agreement::kUndecided) << "an overflow within the bound";
  EXPECT_EQ(CompareScalars(F32(INFINITY), {F32(1), 1e37}), Agreement::kMismatch);
  EXPECT_EQ(CompareScalars(Scalar::Int(ElementType::kS32, 3), {Scalar::Int(ElementType::kS32, 4), 0}), Agreement::kMismatch);
  EXPECT_EQ(CompareScalars(Scalar::Int(ElementType::kU64, -1), {Scalar::Int(ElementType::kU64, 0), 1}), Agreement::kMismatch) << "unsigned distance";
}

TEST(SampleIndices, FirstAndLastAlways) {
  EXPECT_THAT(SampleIndices(3, 5, 1), ElementsAre(0, 1, 2));
  EXPECT_THAT(SampleIndices(0, 5, 1), ElementsAre());
  EXPECT_THAT(SampleIndices(100, 1, 1), ElementsAre(0));
  EXPECT_EQ(SampleIndices(100, -1, 1).size(), 100u);
  const std::vector<int64_t> some = SampleIndices(1000000, 64, 7);
  EXPECT_EQ(some.front(), 0);
  EXPECT_EQ(some.back(), 999999);
  EXPECT_GT(some.size(), 60u);
  EXPECT_EQ(some, SampleIndices(1000000, 64, 7)) << "the same every time";
  EXPECT_NE(some, SampleIndices(1000000, 64, 8));
}

constexpr char kProgram[] = R"(HloModule m
ENTRY main {
  x = f32[8,16] parameter(0)
  s = f32[8,16] exponential(x)
  c = f32[] constant(2)
  b = f32[8,16] broadcast(c), dimensions={}
  m = f32[8,16] multiply(s, b)
  ROOT n = f32[8,16] negate(m)
}
)";

struct Read {
  std::unique_ptr<Module> module;
  DiagnosticSink sink;
};

std::unique_ptr<Module> ReadModule(const char* text) {
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("test.hlo", text), sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  EXPECT_EQ(sink.error_count(), 0);
  return module;
}

std::unique_ptr<Backend> Reference() {
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeReferenceBackend(BackendOptions());
  EXPECT_TRUE(backend.ok());
  return *std::move(backend);
}

Value Input() {
  Value x = Value::Allocate(Shape::Array(ElementType::kF32, {8, 16}));
  for (int i = 0; i < 128; ++i) x.mutable_as<float>()[i] = static_cast<float>(i % 7) / 3 - 1;
  return x;
}

// All instructions of the entry but its parameters as one region.
Region WholeRegion(const Computation& computation) {
  Region region;
  region.inputs = {0};
  for (int p = 1; p < static_cast<int>(computation.schedule.size()); ++p) region.members.push_back(p);
  region.root = region.members.back();
  return region;
}

class FixedKernel : public Kernel {
 public:
  absl::StatusOr<Value> Run(const RunContext&, std::vector<Value>) const override { return absl::UnimplementedError("not run here"); }
  std::string description() const override { return "fixed"; }
};

class CheckTest : public testing::Test {
 protected:
  CheckTest() : module_(ReadModule(kProgram)), backend_(Reference()), region_(WholeRegion(*module_->entry)) {
    frame_.computation = module_->entry;
    const Value input = Input();
    EXPECT_TRUE(WalkMembers(*backend_, *module_->entry, region_, {&input, 1}, [&](int position, const Region&, const Kernel*, absl::Span<const Value>, const Value& value) {
                  if (position == region_.root) result_ = value;
                  return true;
                }).ok());
  }
  CheckReport Check(const Value& result, int64_t samples) {
    CheckOptions options;
    options.samples = samples;
    RegionChecker checker(*backend_, options);
    const Value input = Input();
    EXPECT_TRUE(checker.Observe(frame_, region_, &kernel_, {&input, 1}, result).ok());
    return checker.report();
  }
  std::unique_ptr<Module> module_;
  std::unique_ptr<Backend> backend_;
  Region region_;
  Frame frame_;
  FixedKernel kernel_;
  Value result_;
};

TEST_F(CheckTest, RightResultAgrees) {
  const CheckReport report = Check(result_, -1);
  EXPECT_EQ(report.mismatch_count, 0);
  EXPECT_EQ(report.split_differences, 0);
  EXPECT_EQ(report.regions, 1);
  EXPECT_EQ(report.instructions, 4) << "exponential, broadcast, multiply, negate";
  EXPECT_EQ(report.checked_elements, 5 * 128);
}

TEST_F(CheckTest, WrongElementIsFoundAndNamed) {
  Value wrong = Value::Allocate(result_.shape());
  std::memcpy(wrong.mutable_data(), result_.data(), result_.byte_size());
  wrong.mutable_as<float>()[127] *= 1.5f;
  for (const int64_t samples : {int64_t{2}, int64_t{-1}}) {
    const CheckReport report = Check(wrong, samples);
    ASSERT_EQ(report.mismatch_count, 1);
    const Mismatch& mismatch = report.mismatches[0];
    EXPECT_EQ(mismatch.instruction, "n");
    EXPECT_TRUE(mismatch.fused);
    EXPECT_THAT(mismatch.index, ElementsAre(7, 15));
    EXPECT_EQ(mismatch.got.re, wrong.as<float>()[127]);
    EXPECT_EQ(mismatch.expected.re, result_.as<float>()[127]);
    EXPECT_GT(mismatch.ulp, 1e6);
    EXPECT_GT(mismatch.bound, 0) << "an exponential may be off by a little";
    EXPECT_EQ(report.split_differences, 1);
    EXPECT_EQ(report.first_split_difference, "n");
  }
}

TEST_F(CheckTest, RegionsInLoopsAreCheckedAFewTimes) {
  CheckOptions options;
  options.samples = 1;
  options.times = 2;
  RegionChecker checker(*backend_, options);
  const Value input = Input();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(checker.Observe(frame_, region_, &kernel_, {&input, 1}, result_).ok());
  EXPECT_EQ(checker.report().regions, 2);
}

// As much as was said there would be.
TEST_F(CheckTest, ProgressIsOfWhatThereIsToDo) {
  for (const int64_t samples : {int64_t{5}, int64_t{-1}}) {
    CheckOptions options;
    options.samples = samples;
    std::vector<double> said;
    options.progress = [&said](double steps) { said.push_back(steps); };
    RegionChecker checker(*backend_, options);
    const Value input = Input();
    EXPECT_TRUE(checker.Observe(frame_, region_, &kernel_, {&input, 1}, result_).ok());
    ASSERT_EQ(said.size(), 5u) << "the region and its four members";
    EXPECT_TRUE(std::is_sorted(said.begin(), said.end()));
    EXPECT_EQ(said.back(), StepsToCheck(*module_->entry, region_, samples));
  }
}

TEST_F(CheckTest, CancelledAtOnce) {
  std::atomic<bool> cancel = false;
  CheckOptions options;
  options.samples = -1;
  options.cancel = &cancel;
  options.progress = [&cancel](double) { cancel = true; };  // behind the first of five
  RegionChecker checker(*backend_, options);
  const Value input = Input();
  EXPECT_TRUE(absl::IsCancelled(checker.Observe(frame_, region_, &kernel_, {&input, 1}, result_)));
  EXPECT_EQ(checker.report().checked_elements, 128);
  EXPECT_EQ(checker.report().unchecked_failed, 0) << "nothing failed, it was given up";
}

TEST_F(CheckTest, ThreadsChangeNothing) {
  Value wrong = Value::Allocate(result_.shape());
  std::memcpy(wrong.mutable_data(), result_.data(), result_.byte_size());
  for (const int k : {3, 70, 127}) wrong.mutable_as<float>()[k] *= 1.5f;
  const Value input = Input();
  std::vector<CheckReport> reports;
  for (const int threads : {1, 5}) {
    CheckOptions options;
    options.samples = -1;
    options.threads = threads;
    RegionChecker checker(*backend_, options);
    EXPECT_TRUE(checker.Observe(frame_, region_, &kernel_, {&input, 1}, wrong).ok());
    reports.push_back(checker.report());
  }
  EXPECT_EQ(reports[0].checked_elements, reports[1].checked_elements);
  ASSERT_EQ(reports[0].mismatches.size(), 3u);
  ASSERT_EQ(reports[1].mismatches.size(), 3u);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(reports[0].mismatches[k].index, reports[1].mismatches[k].index);
}

TEST_F(CheckTest, OriginOfANaN) {
  Value input = Input();
  input.mutable_as<float>()[5] = 1000;  // exp overflows
  const absl::StatusOr<int> inf = FindOrigin(*backend_, *module_->entry, region_, {&input, 1}, false, true);
  ASSERT_TRUE(inf.ok());
  EXPECT_EQ(module_->entry->schedule[*inf]->name, "s");
  const absl::StatusOr<int> nan = FindOrigin(*backend_, *module_->entry, region_, {&input, 1}, true, false);
  ASSERT_TRUE(nan.ok());
  EXPECT_EQ(*nan, -1);
}

TEST_F(CheckTest, FusedProgramIsTheMembersTogether) {
  const absl::StatusOr<Program> program = FuseRegion(*module_->entry, region_);
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(program->operands.size(), 1u);
  const Value input = Input();
  const Value* operands[] = {&input};
  const absl::StatusOr<std::vector<Value>> all = Interpreter(*program).All(operands);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_TRUE(Value::BitEqual((*all)[0], result_));
}

TEST(Fuse, WhatCannotBeInterior) {
  const std::unique_ptr<Module> module = ReadModule(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  c = f32[4] constant({1, 2, 3, 4})
  ROOT y = f32[4] add(x, c)
}
)");
  Region region = WholeRegion(*module->entry);
  const absl::StatusOr<Program> program = FuseRegion(*module->entry, region);
  EXPECT_EQ(program.status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(program.status().message()), testing::HasSubstr("the constant c has different elements"));
  region.members = {2};
  EXPECT_EQ(FuseRegion(*module->entry, region).status().code(), absl::StatusCode::kInternal) << "c is neither member nor input";
  region.inputs = {0, 1};
  EXPECT_TRUE(FuseRegion(*module->entry, region).ok());
}

TEST(Fuse, ScatterStaysARoot) {
  const std::unique_ptr<Module> module = ReadModule(R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY main {
  x = f32[8] parameter(0)
  i = s32[3,1] parameter(1)
  u = f32[3] parameter(2)
  v = f32[3] negate(u)
  ROOT y = f32[8] scatter(x, i, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
}
)");
  Region region;
  region.root = 4;
  region.members = {3, 4};
  region.inputs = {0, 1, 2};
  const absl::StatusOr<Program> program = FuseRegion(*module->entry, region);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_TRUE(program->is_push);
  const float x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, u[3] = {10, 20, 30};
  const int32_t i[3] = {1, 1, 7};
  const auto value = [](const Shape& shape, const void* data) {
    return Value::FromBytes(shape, absl::MakeConstSpan(static_cast<const std::byte*>(data), shape.ByteSize()));
  };
  const Value vx = value(Shape::Array(ElementType::kF32, {8}), x), vi = value(Shape::Array(ElementType::kS32, {3, 1}), i), vu = value(Shape::Array(ElementType::kF32, {3}), u);
  const Value* operands[] = {&vx, &vi, &vu};
  const absl::StatusOr<std::vector<Value>> all = Interpreter(*program).All(operands);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(std::vector<float>((*all)[0].as<float>(), (*all)[0].as<float>() + 8), ElementsAre(0, -29, 2, 3, 4, 5, 6, -23));
}

}  // namespace
}  // namespace hloscope
