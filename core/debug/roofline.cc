#include "core/debug/roofline.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "core/base/threads.h"
#include "core/exec/machine.h"
#include "core/literal/scalar.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

using Clock = std::chrono::steady_clock;

double Seconds(Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); }

double CopyRate(int64_t size, int threads, int rounds) {
  const Shape shape = Shape::Array(ElementType::kU8, {size});
  Value from = Value::Allocate(shape), to = Value::Allocate(shape);
  if (!from.has_value() || !to.has_value()) return 0;
  std::memset(from.mutable_data(), 1, size);
  std::memset(to.mutable_data(), 1, size);
  const int64_t half = threads > 1 ? size / 2 : size;
  double best = HUGE_VAL;
  for (int round = 0; round < rounds; ++round) {
    const Clock::time_point begin = Clock::now();
    const auto second = [&] { std::memcpy(to.mutable_data() + half, from.data() + half, size - half); };
    std::thread other;
    if (threads > 1 && !TryStartThread(other, second)) second();
    std::memcpy(to.mutable_data(), from.data(), half);
    if (other.joinable()) other.join();
    best = std::min(best, Seconds(begin));
  }
  return 2.0 * static_cast<double>(size) / std::max(best, 1e-9);
}

// Seconds of the best of a few products of two square matrices; negative when it cannot be done.
double TimeProduct(Backend& backend, ElementType type, int64_t n) {
  const std::string shape = absl::StrCat(Name(type), "[", n, ",", n, "]");
  const std::string text = absl::StrCat("HloModule peak\nENTRY main {\n  a = ", shape, " parameter(0)\n  b = ", shape, " parameter(1)\n  ROOT c = ", shape,
                                        " dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
  DiagnosticSink sink;
  const std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("peak", text), sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  if (sink.error_count() > 0) return -1;
  Value a = Value::Allocate(Shape::Array(type, {n, n}));
  if (!a.has_value()) return -1;
  for (int64_t k = 0; k < n * n; ++k) StoreScalar(Scalar::Float(type, 0.5 + 0.25 * static_cast<double>(k % 3)), a.mutable_data() + k * StorageBytes(type));
  Machine machine(*module, backend, MachineOptions());
  double best = -1;
  for (int round = 0; round < 4; ++round) {
    if (!machine.Start({a, a}).ok()) return -1;
    const Clock::time_point begin = Clock::now();
    if (machine.Run() != StopReason::kFinished) return -1;
    const double seconds = Seconds(begin);
    if (best < 0 || seconds < best) best = seconds;
  }
  return best;
}

}  // namespace

const MachinePeaks& PeakBytes() {
  static const MachinePeaks peaks = {CopyRate(int64_t{64} << 20, 2, 5), CopyRate(int64_t{128} << 10, 1, 200)};
  return peaks;
}

double PeakFlops(Backend& backend, ElementType type) {
  if (type != ElementType::kF64 && type != ElementType::kBF16 && type != ElementType::kF16) type = ElementType::kF32;
  static std::mutex& mutex = *new std::mutex;
  static std::map<std::pair<std::string, ElementType>, double>& known = *new std::map<std::pair<std::string, ElementType>, double>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [entry, fresh] = known.try_emplace({std::string(backend.name()), type}, 0);
  if (!fresh) return entry->second;
  constexpr double kLongEnough = 2e-3;
  for (int64_t n = 32; n <= 1024; n *= 2) {
    const double seconds = TimeProduct(backend, type, n);
    if (seconds < 0) break;
    entry->second = std::max(entry->second, 2.0 * static_cast<double>(n) * n * n / std::max(seconds, 1e-9));
    if (seconds > kLongEnough) break;
  }
  return entry->second;
}

}  // namespace hloscope
