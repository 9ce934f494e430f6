// Kernels that watch themselves see what their results do not show.
#include <cmath>
#include <limits>

#include "backends/jit_cpu/jit_cpu.h"
#include "core/debug/catches.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

struct Case {
  explicit Case(const std::string& body) {
    DiagnosticSink sink;
    module = ReadHloText(std::make_shared<SourceText>("t.hlo", "HloModule t\nENTRY main {\n" + body + "}\n"), sink);
    if (sink.error_count() == 0) Verify(*module, sink);
    EXPECT_EQ(sink.error_count(), 0);
    backend = *MakeJitCpuBackend(BackendOptions());
    watching = dynamic_cast<WatchingBackend*>(backend.get());
    EXPECT_NE(watching, nullptr);
  }
  // What came up in a run on these 20 numbers.
  bool Found(Watch watch, float at_7) {
    watching->SetWatch(watch);
    watching->TakeSeen();
    Value x = Value::Allocate(Shape::Array(ElementType::kF32, {20}));
    for (int i = 0; i < 20; ++i) x.mutable_as<float>()[i] = i == 7 ? at_7 : 1.5f;
    Machine machine(*module, *backend, MachineOptions());
    EXPECT_TRUE(machine.Start({x}).ok());
    EXPECT_EQ(machine.Run(), StopReason::kFinished);
    const WatchingBackend::Seen seen = watching->TakeSeen();
    EXPECT_EQ(seen.watched, watch != Watch::kNone);
    watching->SetWatch(Watch::kNone);
    return seen.found;
  }
  std::unique_ptr<Module> module;
  std::unique_ptr<Backend> backend;
  WatchingBackend* watching;
};

TEST(WatchTest, HiddenByAComparison) {
  Case run("  x = f32[20] parameter(0)\n  l = f32[20] log(x)\n  ROOT p = pred[20] compare(l, x), direction=GT\n");
  EXPECT_FALSE(run.Found(Watch::kNan, 2));
  EXPECT_TRUE(run.Found(Watch::kNan, -2));
  EXPECT_FALSE(run.Found(Watch::kNone, -2));
  EXPECT_FALSE(run.Found(Watch::kNan, 0)) << "an infinity is no nan";
  EXPECT_TRUE(run.Found(Watch::kNonFinite, 0));
}

TEST(WatchTest, HiddenByASelectOrAConversion) {
  Case run("  x = f32[20] parameter(0)\n  s = f32[20] sqrt(x)\n  p = pred[20] compare(x, s), direction=GT\n  c = f32[20] cosine(x)\n"
          "  t = f32[20] select(p, s, c)\n  ROOT i = s32[20] convert(t)\n");
  EXPECT_FALSE(run.Found(Watch::kNan, 2));
  EXPECT_TRUE(run.Found(Watch::kNan, -2)) << "the comparison is false, the select takes the other arm";
}

TEST(WatchTest, InfinityThatOneDividesBy) {
  Case run("  x = f32[20] parameter(0)\n  l = f32[20] log(x)\n  one = f32[] constant(1)\n  o = f32[20] broadcast(one), dimensions={}\n  ROOT d = f32[20] divide(o, l)\n");
  EXPECT_FALSE(run.Found(Watch::kNonFinite, 2));
  EXPECT_TRUE(run.Found(Watch::kNonFinite, 0)) << "1 / -inf is -0";
  EXPECT_FALSE(run.Found(Watch::kNan, 0));
}

// Twenty elements are a vector and four lanes: what idle lanes compute is nobody's nan.
TEST(WatchTest, IdleLanesAreNotSeen) {
  Case run("  x = f32[20] parameter(0)\n  y = f32[20] divide(x, x)\n  z = f32[20] add(y, y)\n  ROOT w = f32[20] multiply(z, x)\n");
  EXPECT_FALSE(run.Found(Watch::kNan, 3));
  EXPECT_FALSE(run.Found(Watch::kNonFinite, 3));
  EXPECT_TRUE(run.Found(Watch::kNan, 0));
}

}  // namespace
}  // namespace hloscope
