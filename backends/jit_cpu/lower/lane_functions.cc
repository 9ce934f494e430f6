// Functions called from kernels; see lane_functions.h.
#include "backends/jit_cpu/lower/lane_functions.h"

#include <cmath>

#include "core/element/scalar_eval.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

template <typename T, typename F>
void Each(int64_t n, void* out, const void* a, F f) {
  for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = f(static_cast<const T*>(a)[i]);
}
template <typename T, typename F>
void Each(int64_t n, void* out, const void* a, const void* b, F f) {
  for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = f(static_cast<const T*>(a)[i], static_cast<const T*>(b)[i]);
}

// The C library's functions: within 2 ULP in f64; f32 goes through double, so that it is all but correctly rounded.
template <typename T>
bool Function(ScalarOp op, int64_t n, void* out, const void* a, const void* b) {
  using D = double;
  switch (op) {
    case ScalarOp::kRemainder: Each<T>(n, out, a, b, [](T x, T y) { return std::fmod(x, y); }); return true;
    case ScalarOp::kPower: Each<T>(n, out, a, b, [](T x, T y) { return static_cast<T>(std::pow(D(x), D(y))); }); return true;
    case ScalarOp::kAtan2: Each<T>(n, out, a, b, [](T x, T y) { return static_cast<T>(std::atan2(D(x), D(y))); }); return true;
    case ScalarOp::kExp: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::exp(D(x))); }); return true;
    case ScalarOp::kExpm1: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::expm1(D(x))); }); return true;
    case ScalarOp::kLog: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::log(D(x))); }); return true;
    case ScalarOp::kLog1p: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::log1p(D(x))); }); return true;
    case ScalarOp::kCbrt: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::cbrt(D(x))); }); return true;
    case ScalarOp::kSin: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::sin(D(x))); }); return true;
    case ScalarOp::kCos: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::cos(D(x))); }); return true;
    case ScalarOp::kTan: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::tan(D(x))); }); return true;
    case ScalarOp::kTanh: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::tanh(D(x))); }); return true;
    case ScalarOp::kErf: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::erf(D(x))); }); return true;
    case ScalarOp::kAcos: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::acos(D(x))); }); return true;
    case ScalarOp::kAcosh: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::acosh(D(x))); }); return true;
    case ScalarOp::kAsin: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::asin(D(x))); }); return true;
    case ScalarOp::kAsinh: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::asinh(D(x))); }); return true;
    case ScalarOp::kAtanh: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::atanh(D(x))); }); return true;
    case ScalarOp::kCosh: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::cosh(D(x))); }); return true;
    case ScalarOp::kSinh: Each<T>(n, out, a, [](T x) { return static_cast<T>(std::sinh(D(x))); }); return true;
    default: return false;
  }
}

}  // namespace

extern "C" void hloscope_lanes(int64_t what, int64_t aux, int64_t n, void* out, const void* a, const void* b) {
  const auto op = static_cast<ScalarOp>(what & 0xff);
  const auto type = static_cast<ElementType>(what >> 8 & 0xff);
  const auto input_type = static_cast<ElementType>(what >> 16 & 0xff);
  if (type == ElementType::kF32 && input_type == type && Function<float>(op, n, out, a, b)) return;
  if (type == ElementType::kF64 && input_type == type && Function<double>(op, n, out, a, b)) return;
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
