// Functions called from kernels; see lane_functions.h.
#include "backends/jit_cpu/lower/lane_functions.h"

#include <cmath>

#include "core/element/functions.h"
#include "core/element/scalar_eval.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

// Functions of f32 and f64: computed in f64, so that a result of f32 is all but correctly rounded.
template <typename T>
bool Function(ScalarOp op, int64_t n, void* out, const void* a, const void* b, ElementType round) {
  const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b);
  T* r = static_cast<T*>(out);
  const auto each = [&](auto f) {
    if (round == ElementType::kPred) {
      for (int64_t i = 0; i < n; ++i) r[i] = static_cast<T>(f(i));
    } else {
      for (int64_t i = 0; i < n; ++i) r[i] = static_cast<T>(Scalar::Float(round, f(i)).re);
    }
    return true;
  };
  if (op == ScalarOp::kRemainder) return each([&](int64_t i) { return std::fmod(x[i], y[i]); });
  if (Arity(op) == 2) {
    const BinaryFunction f = RealBinaryFunction(op);
    return f != nullptr && each([&](int64_t i) { return f(x[i], y[i]); });
  }
  const UnaryFunction f = RealUnaryFunction(op);
  return f != nullptr && each([&](int64_t i) { return f(x[i]); });
}

}  // namespace

extern "C" void hloscope_lanes(int64_t what, int64_t aux, int64_t n, void* out, const void* a, const void* b) {
  const auto op = static_cast<ScalarOp>(what & 0xff);
  const auto type = static_cast<ElementType>(what >> 8 & 0xff);
  const auto input_type = static_cast<ElementType>(what >> 16 & 0xff);
  const auto round = static_cast<ElementType>(what >> 24 & 0xff);
  if (type == ElementType::kF32 && input_type == type && Function<float>(op, n, out, a, b, round)) return;
  if (type == ElementType::kF64 && input_type == type && Function<double>(op, n, out, a, b, round)) return;
  const int size = StorageBytes(type), input_size = StorageBytes(input_type);
  for (int64_t i = 0; i < n; ++i) {
    Scalar in[2];
    in[0] = LoadScalar(input_type, static_cast<const std::byte*>(a) + i * input_size);
    if (b != nullptr) in[1] = LoadScalar(input_type, static_cast<const std::byte*>(b) + i * input_size);
    StoreScalar(EvalScalarOp(op, type, aux, absl::MakeConstSpan(in, b != nullptr ? 2 : 1)), static_cast<std::byte*>(out) + i * size);
  }
}

std::vector<std::pair<const char*, void*>> LaneFunctionSymbols() {
  return {{"hloscope_lanes", reinterpret_cast<void*>(&hloscope_lanes)}};
}

}  // namespace hloscope
