// What exchanges between devices of one process cost: an all-reduce of 64 MiB over 4 replicas beside a plain copy in the same run, 64 replicas of a
// small program from start to end, and steps a second of a session of 8 replicas. Prints; passes and fails nothing.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "backends/exchange/replicas.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "core/debug/session.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

using Clock = std::chrono::steady_clock;
double Seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

std::unique_ptr<Module> Read(const std::string& text) {
  auto source = std::make_shared<const SourceText>("bench", text);
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(source, sink);
  Verify(*module, sink);
  return module;
}

constexpr char kAllReduce[] = R"(HloModule sums
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
ENTRY main { x = f32[16777216] parameter(0)
  ROOT ar = f32[16777216] all-reduce(x), replica_groups={}, to_apply=add }
)";

constexpr char kLoop[] = R"(HloModule loop
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b) }
condition { t = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(100000)
  ROOT r = pred[] compare(i, n), direction=LT }
body { t = (s32[], f32[16]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[16] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  k = f32[] constant(0.125)
  b = f32[16] broadcast(k), dimensions={}
  y = f32[16] multiply(x, b)
  ar = f32[16] all-reduce(y), replica_groups={}, to_apply=add
  ROOT r = (s32[], f32[16]) tuple(j, ar) }
ENTRY main { x = f32[16] parameter(0)
  z = s32[] constant(0)
  t = (s32[], f32[16]) tuple(z, x)
  loop = (s32[], f32[16]) while(t), condition=condition, body=body
  ROOT r = f32[16] get-tuple-element(loop), index=1 }
)";

Value Ones(int64_t count) {
  Value value = Value::Allocate(Shape::Array(ElementType::kF32, {count}));
  std::fill_n(value.mutable_as<float>(), count, 1.0f);
  return value;
}

void Sums(Backend& backend) {
  constexpr int64_t kCount = 16 << 20, kBytes = kCount * 4;
  const std::unique_ptr<Module> module = Read(kAllReduce);
  ReplicasOptions options;
  options.replicas = 4;
  Replicas replicas(*module, backend, options);
  std::vector<Value> inputs;
  for (int d = 0; d < 4; ++d) inputs.push_back(Ones(kCount));
  std::vector<char> to(kBytes, 1);
  double sum = 1e9, copy = 1e9;
  for (int run = 0; run < 8; ++run) {
    for (int d = 0; d < 4; ++d) {
      if (!replicas.machine(d).Start({inputs[d]}).ok()) return;
    }
    Clock::time_point begin = Clock::now();
    if (!replicas.Run().finished) return;
    sum = std::min(sum, Seconds(begin));
    begin = Clock::now();
    std::memcpy(to.data(), inputs[run % 4].data(), kBytes);
    asm volatile("" : : "r"(to.data()) : "memory");  // it is looked at
    copy = std::min(copy, Seconds(begin));
  }
  // A copy reads and writes its bytes; the sum reads four arrays and writes one, which all replicas hold.
  const double copy_rate = 2.0 * kBytes / copy / 1e9, sum_rate = 5.0 * kBytes / sum / 1e9;
  std::printf("all-reduce of 64 MiB over 4 replicas: %.1f ms, %.1f GB/s; a copy of 64 MiB: %.1f ms, %.1f GB/s; ratio %.2f\n", sum * 1e3, sum_rate, copy * 1e3, copy_rate, sum_rate / copy_rate);
}

void Many(Backend& backend) {
  std::string text = kLoop;
  text.replace(text.find("100000"), 6, "10");
  const Clock::time_point begin = Clock::now();
  const std::unique_ptr<Module> module = Read(text);
  ReplicasOptions options;
  options.replicas = 64;
  Replicas replicas(*module, backend, options);
  for (int d = 0; d < 64; ++d) {
    if (!replicas.machine(d).Start({Ones(16)}).ok()) return;
  }
  const bool finished = replicas.Run().finished;
  std::printf("64 replicas of a small program, 10 all-reduces each: %.0f ms%s\n", Seconds(begin) * 1e3, finished ? "" : ", NOT FINISHED");
}

// Through the console, as a person steps: `devices` of them in turn.
void Steps(int devices) {
  SessionOptions options;
  options.devices.replicas = devices;
  options.devices.make_room = [devices](std::vector<const Computation*> entries, Backend& backend, MemoryAccount* account) -> std::unique_ptr<ExchangeRoom> {
    return std::make_unique<InProcessExchange>(devices, 1, std::move(entries), backend, account);
  };
  Session session(Read(kLoop), *MakeJitCpuBackend({}), std::move(options), [](absl::string_view) {});
  session.Execute("start");
  session.Execute("step 200");
  constexpr int kSteps = 20000;
  const Clock::time_point begin = Clock::now();
  int64_t steps = 0;
  const auto step = [&](int d, int n) {
    if (devices > 1) session.Execute("replica " + std::to_string(d));
    steps += n;
    return session.Execute("step " + std::to_string(n)).ok;
  };
  while (steps < kSteps) {
    for (int d = 0; d < devices; ++d) {
      if (!step(d, 1)) return;
    }
  }
  const double alone = Seconds(begin);
  const Clock::time_point next = Clock::now();
  if (!step(0, kSteps)) return;
  std::printf("%d %s: %.0f steps a second one by one%s, %.0f with step %d\n", devices, devices == 1 ? "device" : "replicas", kSteps / alone, devices == 1 ? "" : " in turn", kSteps / Seconds(next), kSteps);
}

}  // namespace
}  // namespace hloscope

int main() {
  using namespace hloscope;
  const std::unique_ptr<Backend> backend = *MakeJitCpuBackend({});
  Sums(*backend);
  Many(*backend);
  Steps(1);
  Steps(8);
}
