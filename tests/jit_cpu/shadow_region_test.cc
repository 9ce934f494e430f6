// Shadowed by need inside of fused regions: the same numbers as where every member is run by itself.
#include "core/debug/shadow_region.h"

#include <map>

#include "backends/jit_cpu/jit_cpu.h"
#include "core/debug/compare_values.h"
#include "core/debug/member_walk.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

struct Seen {
  Scalar got, exact;
};
using Elements = std::map<std::pair<std::string, int64_t>, Seen>;

class ShadowRegionTest : public testing::Test {
 protected:
  void Open(const std::string& text) {
    DiagnosticSink sink;
    module_ = ReadHloText(std::make_shared<SourceText>("t.hlo", text), sink);
    if (sink.error_count() == 0) Verify(*module_, sink);
    ASSERT_EQ(sink.error_count(), 0);
    backend_ = *MakeJitCpuBackend(BackendOptions());
    functions_ = std::make_unique<NativeFunctions>(*backend_);
    plan_ = *backend_->MakePlan(*module_->entry);
  }
  // The only region with several members, on parameter 0.
  const Region& Fused() {
    const Region* fused = nullptr;
    for (const Region& region : plan_->regions) {
      if (region.members.size() == 1) continue;
      EXPECT_EQ(fused, nullptr);
      fused = &region;
    }
    EXPECT_EQ(fused->inputs, std::vector<int>{0});
    return *fused;
  }
  Value Input(const Shape& shape) {
    Value x = Value::Allocate(shape);
    for (int64_t i = 0; i < x.element_count(); ++i)
      StoreScalar(Scalar::Float(shape.element_type(), static_cast<double>(i * 7919 % 1013) / 200 - 2.5),
                  x.mutable_data() + i * StorageBytes(shape.element_type()));
    return x;
  }
  static void Take(RegionShadow& shadow, absl::Span<const Value> inputs, const Value& result, int64_t samples, int threads,
                   Elements& elements) {
    EXPECT_TRUE(shadow.failures().empty());
    const absl::Status looked = shadow.At({samples, 1e12, 7, threads, inputs, &result}, [&](const ShadowElement& e) {
      elements[{std::string(e.instruction->name), e.linear}] = {e.got, e.exact};
    });
    EXPECT_TRUE(looked.ok()) << looked;
  }
  Elements ByNeed(const Region& region, const Value& input, int64_t samples, int threads = 1) {
    const Value result = *(*backend_->GetKernel(*module_->entry, region))->Run(RunContext(), {input});
    RegionShadow shadow(*functions_, *module_->entry, region);
    Elements elements;
    Take(shadow, {&input, 1}, result, samples, threads, elements);
    return elements;
  }
  // Every member run alone, on whole values.
  Elements ByMembers(const Region& region, const Value& input) {
    Elements elements;
    const absl::Status walked =
        WalkMembers(*backend_, *module_->entry, region, {&input, 1},
                    [&](int, const Region& single, const Kernel* ran, absl::Span<const Value> operands, const Value& value) {
                      if (ran == nullptr) return true;
                      RegionShadow shadow(*functions_, *module_->entry, single);
                      Take(shadow, operands, value, -1, 1, elements);
                      return true;
                    });
    EXPECT_TRUE(walked.ok()) << walked;
    return elements;
  }

  std::unique_ptr<Module> module_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<NativeFunctions> functions_;
  std::unique_ptr<Plan> plan_;
};

constexpr char kNorm[] = R"(HloModule norm
sum { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b) }
ENTRY main {
  x = bf16[300,200] parameter(0)
  wide = f32[300,200] convert(x)
  zero = f32[] constant(0)
  total = f32[300] reduce(wide, zero), dimensions={1}, to_apply=sum
  count = f32[] constant(200)
  counts = f32[300] broadcast(count), dimensions={}
  mean = f32[300] divide(total, counts)
  means = f32[300,200] broadcast(mean), dimensions={0}
  off = f32[300,200] subtract(wide, means)
  square = f32[300,200] multiply(off, off)
  spread = f32[300] reduce(square, zero), dimensions={1}, to_apply=sum
  root = f32[300] sqrt(spread)
  roots = f32[300,200] broadcast(root), dimensions={0}
  y = f32[300,200] divide(off, roots)
  ROOT out = bf16[300,200] convert(y)
}
)";

// No function that the backend has its own of: every number is the same.
TEST_F(ShadowRegionTest, RowsOfANormalization) {
  Open(kNorm);
  const Value input = Input(module_->entry->parameters[0]->shape);
  const Elements all = ByMembers(Fused(), input);
  const Elements some = ByNeed(Fused(), input, 16);
  EXPECT_GT(some.size(), 9 * 14u);
  for (const auto& [place, seen] : some) {
    const auto found = all.find(place);
    ASSERT_NE(found, all.end()) << place.first;
    EXPECT_TRUE(SameBits(seen.got, found->second.got)) << place.first << " " << place.second;
    EXPECT_TRUE(SameBits(seen.exact, found->second.exact)) << place.first << " " << place.second;
  }
}

TEST_F(ShadowRegionTest, ThreadsChangeNothing) {
  Open(kNorm);
  const Value input = Input(module_->entry->parameters[0]->shape);
  const Elements one = ByNeed(Fused(), input, 200), many = ByNeed(Fused(), input, 200, 5);
  ASSERT_EQ(one.size(), many.size());
  for (const auto& [place, seen] : one) {
    EXPECT_TRUE(SameBits(seen.got, many.at(place).got));
    EXPECT_TRUE(SameBits(seen.exact, many.at(place).exact));
  }
}

// The exponential is the backend's, not the interpreter's, and what it is taken of is exact.
TEST_F(ShadowRegionTest, FunctionsAreTheBackends) {
  Open(R"(HloModule f
ENTRY main {
  x = f32[5000] parameter(0)
  c = f32[] constant(0.3)
  cs = f32[5000] broadcast(c), dimensions={}
  scaled = f32[5000] multiply(x, cs)
  e = f32[5000] exponential(scaled)
  t = f32[5000] tanh(e)
  ROOT n = f32[5000] negate(t)
}
)");
  const Value input = Input(module_->entry->parameters[0]->shape);
  const Elements all = ByMembers(Fused(), input);
  const Elements some = ByNeed(Fused(), input, 2000);
  int rounded_otherwise = 0;
  for (const auto& [place, seen] : some) {
    if (place.first != "e" && place.first != "scaled") continue;
    EXPECT_TRUE(SameBits(seen.got, all.at(place).got)) << place.first << " " << place.second;
    EXPECT_TRUE(SameBits(seen.exact, all.at(place).exact)) << place.first << " " << place.second;
    rounded_otherwise += place.first == "e" && !SameBits(seen.got, Scalar::Float(ElementType::kF32, seen.exact.re));
  }
  EXPECT_GT(rounded_otherwise, 0) << "else this says nothing: the backend's own exponential is not always rounded correctly";
}

TEST_F(ShadowRegionTest, FewerElementsWhereOneCostsMuch) {
  Open(kNorm);
  RegionShadow shadow(*functions_, *module_->entry, Fused());
  const Instruction* first = nullptr;
  int64_t taken = 0;
  EXPECT_EQ(shadow.Fewer(16, 1e12, &first, &taken), 0);
  EXPECT_EQ(shadow.Fewer(16, 1, &first, &taken), static_cast<int64_t>(shadow.instructions().size()));
  EXPECT_EQ(taken, 4);
  ASSERT_NE(first, nullptr);
  EXPECT_LT(shadow.StepsOfLook(16, 1), shadow.StepsOfLook(16, 1e12));
  // A look at 16 elements of each is next to nothing beside the whole.
  EXPECT_LT(shadow.StepsOfLook(16, 1e12), shadow.steps_of_run());
}

}  // namespace
}  // namespace hloscope
