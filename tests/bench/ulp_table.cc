// Measures how far every function of every type lies from the exact result and prints the table of core/element/ACCURACY.md.
//   ulp_table [--exhaustive | --stride N] [--samples N] [--only OP]     progress and worst arguments go to stderr
//   ulp_table --speed [--only OP]                                       nanoseconds an element of native f32, in the first-level cache
// f16 and bf16: every argument of unary functions. f32: every N-th bit pattern (--exhaustive: all) of native code against f64, from which
// the interpreter's result is one rounding away; f64 and complex numbers: samples against MPFR. Not a test (tests/numerics).
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/element/functions.h"
#include "tests/numerics/exact_math.h"
#include "tests/numerics/native.h"
#include "tests/numerics/samples.h"

namespace hloscope {
namespace {

using T = ElementType;

struct Options {
  uint64_t stride = 4096;
  int samples = 4000;
  std::string only;
};

const ScalarOp kReal[] = {ScalarOp::kExp,  ScalarOp::kExpm1, ScalarOp::kLog,  ScalarOp::kLog1p, ScalarOp::kLogistic, ScalarOp::kSqrt,  ScalarOp::kRsqrt,
                          ScalarOp::kCbrt, ScalarOp::kSin,   ScalarOp::kCos,  ScalarOp::kTan,   ScalarOp::kTanh,     ScalarOp::kErf,   ScalarOp::kAsin,
                          ScalarOp::kAcos, ScalarOp::kSinh,  ScalarOp::kCosh, ScalarOp::kAsinh, ScalarOp::kAcosh,    ScalarOp::kAtanh, ScalarOp::kPower,
                          ScalarOp::kAtan2, ScalarOp::kRemainder};
const ScalarOp kComplex[] = {ScalarOp::kAbs,  ScalarOp::kSign, ScalarOp::kDivide, ScalarOp::kExp,  ScalarOp::kExpm1, ScalarOp::kLog,   ScalarOp::kLog1p,
                             ScalarOp::kLogistic, ScalarOp::kSqrt, ScalarOp::kRsqrt, ScalarOp::kCbrt, ScalarOp::kSin, ScalarOp::kCos, ScalarOp::kTan,
                             ScalarOp::kTanh, ScalarOp::kAsin, ScalarOp::kAcos, ScalarOp::kSinh, ScalarOp::kCosh, ScalarOp::kAsinh, ScalarOp::kAcosh,
                             ScalarOp::kAtanh, ScalarOp::kPower, ScalarOp::kAtan2};

std::string Text(ScalarOp op) { return std::string(Name(op).data(), Name(op).size()); }
std::string Text(double ulp) { return std::isinf(ulp) ? "**wrong**" : absl::StrFormat("%.2f", ulp); }

struct Worst {
  double ulp = 0;
  std::string where;
  void Note(double e, double a, double b, double got) {
    if (e > ulp) {
      ulp = e;
      where = absl::StrFormat("%a %a -> %a", a, b, got);
    }
  }
  void Report(ScalarOp op, const char* type) const { std::fprintf(stderr, "%-10s %-8s %8.4f  %s\n", Text(op).c_str(), type, ulp, where.c_str()); }
};

// The C library's f64 function stands for the exact one: it has 29 bits more than what is measured.
double NearlyExact(ScalarOp op, double x) {
  switch (op) {
    case ScalarOp::kSqrt: return std::sqrt(x);
    case ScalarOp::kRsqrt: return 1 / std::sqrt(x);
    case ScalarOp::kLogistic: return 1 / (1 + std::exp(-x));
    case ScalarOp::kCbrt: return std::cbrt(x);
    case ScalarOp::kTanh: return std::tanh(x);
    case ScalarOp::kErf: return std::erf(x);
    case ScalarOp::kSinh: return std::sinh(x);
    case ScalarOp::kCosh: return std::cosh(x);
    case ScalarOp::kAsinh: return std::asinh(x);
    case ScalarOp::kAcosh: return std::acosh(x);
    case ScalarOp::kAtanh: return std::atanh(x);
    default: return RealUnaryFunction(op)(x);
  }
}

// Every stride-th pattern, shifted through all residues by the block's number, natively.
Worst NativeF32(ScalarOp op, const Options& options) {
  const int64_t n = 1 << 16;
  const ArrayOp ops[] = {Plain(op, T::kF32)};
  const Native native(ops, T::kF32, n, 1);
  Value in = Value::Allocate(Shape::Array(T::kF32, {n}));
  Worst worst;
  uint64_t bits = 0;
  for (bool more = true; more;) {
    for (int64_t i = 0; i < n; ++i, bits += options.stride) {
      if (bits > 0xffffffffu) more = false;
      // Within its stride each pattern is taken at another place.
      const uint64_t shift = (bits / options.stride * 0x9e3779b97f4a7c15u >> 32) % options.stride;
      in.mutable_as<float>()[i] = std::bit_cast<float>(static_cast<uint32_t>(std::min<uint64_t>(bits + shift, 0xffffffffu)));
    }
    const Value out = native.Run({in})[0];
    for (int64_t i = 0; i < n; ++i) {
      const double x = in.as<float>()[i], got = out.as<float>()[i], want = NearlyExact(op, x);
      if (got == want && want != 0) continue;
      const float rounded = static_cast<float>(want);
      if (got == rounded && worst.ulp >= 0.5 && want != 0) continue;  // half a unit at most
      if (std::isnan(want) || std::isnan(got)) {
        if (std::isnan(want) != std::isnan(got)) worst.Note(INFINITY, x, 0, got);
      } else if (std::isinf(rounded) || rounded == 0) {
        const double e = std::isinf(rounded) ? (got == rounded ? 0 : std::isinf(want) ? INFINITY : (std::fabs(want) - std::fabs(got)) * 0x1p-104)
                                             : (std::signbit(got) == std::signbit(want) || want != 0 ? std::fabs(got - want) * 0x1p149 : INFINITY);
        worst.Note(e, x, 0, got);
      } else if (std::isinf(got)) {
        worst.Note((std::ldexp(1, 128) - std::fabs(want)) * 0x1p-104 + 0.5, x, 0, got);
      } else {
        int e = std::ilogb(want) - 23;
        worst.Note(std::ldexp(std::fabs(got - want), e < -149 ? 149 : -e), x, 0, got);
      }
    }
  }
  worst.Report(op, "f32 jit");
  return worst;
}

Worst Sampled(ScalarOp op, T type, const Options& options, bool native) {
  const bool binary = Arity(op) == 2;
  ArgumentSamples samples(type, 1 + static_cast<int>(op));
  const int64_t n = options.samples;
  Value a = Value::Allocate(Shape::Array(type, {n})), b = Value::Allocate(Shape::Array(type, {n}));
  for (int64_t i = 0; i < n; ++i) {
    const auto& edges = samples.edges();
    Set(a, i, Scalar::Float(type, !binary && i < static_cast<int64_t>(edges.size()) ? edges[i] : samples.Any()));
    Set(b, i, Scalar::Float(type, samples.Any()));
  }
  const ArrayOp ops[] = {Plain(op, type)};
  const Native code(ops, type, n, binary ? 2 : 1);
  std::vector<Value> in = {a};
  if (binary) in.push_back(b);
  const Value out = native ? code.Run(in)[0] : code.Interpret(in)[0];
  Worst worst;
  for (int64_t i = 0; i < n; ++i) {
    const double x = At(a, i).re, y = At(b, i).re, got = At(out, i).re;
    // The exact remainder of such numbers has more digits than are worth having; fmod is exact by definition.
    if (op == ScalarOp::kRemainder && std::abs(std::ilogb(x) - std::ilogb(y)) > 400) continue;
    worst.Note(RealErrorUlp(op, type, x, y, got), x, y, got);
  }
  worst.Report(op, Name(type).data());
  return worst;
}

struct Misrounded {
  int64_t wrong = 0, of = 0;
  double worst = 0;
  std::string Cell() const { return wrong == 0 ? "0" : absl::StrFormat("%d (%.2f)", wrong, worst); }
};

// All arguments of a 16-bit type (binary: samples).
Misrounded Narrow(ScalarOp op, T type, bool native, const Options& options) {
  const bool binary = Arity(op) == 2;
  const int64_t n = binary ? 20000 : 65536;
  ArgumentSamples samples(type, 77);
  Value a = Value::Allocate(Shape::Array(type, {n})), b = Value::Allocate(Shape::Array(type, {n}));
  for (int64_t i = 0; i < n; ++i) {
    a.mutable_as<uint16_t>()[i] = static_cast<uint16_t>(i);
    if (!binary) continue;
    Set(a, i, Scalar::Float(type, samples.Any()));
    Set(b, i, Scalar::Float(type, samples.Any()));
  }
  const ArrayOp ops[] = {Plain(op, type)};
  const Native code(ops, type, n, binary ? 2 : 1);
  std::vector<Value> in = {a};
  if (binary) in.push_back(b);
  const Value out = native ? code.Run(in)[0] : code.Interpret(in)[0];
  Misrounded r;
  for (int64_t i = 0; i < n; ++i) {
    const double x = At(a, i).re, y = At(b, i).re, got = At(out, i).re;
    if (std::isnan(x) || std::isinf(x)) continue;
    ++r.of;
    const double want = ExactRounded(op, type, x, y);
    if (got == want || (std::isnan(got) && std::isnan(want))) continue;
    ++r.wrong;
    const double e = RealErrorUlp(op, type, x, y, got);
    if (e > r.worst) r.worst = e;
    if (std::isinf(e)) std::fprintf(stderr, "%s %s: %a %a -> %a, not %a\n", Text(op).c_str(), Name(type).data(), x, y, got, want);
  }
  return r;
}

Worst ComplexSampled(ScalarOp op, T type, const Options& options) {
  ArgumentSamples samples(type, 1000 + static_cast<int>(op));
  Worst worst;
  const double cap = type == T::kC64 ? 1e4 : 1e5;
  for (int i = 0; i < options.samples; ++i) {
    std::complex<double> a = samples.AnyComplex(), b = samples.AnyComplex();
    // Exponentials of larger parts are out of every range.
    const bool exponential = op == ScalarOp::kExp || op == ScalarOp::kExpm1 || op == ScalarOp::kLogistic || op == ScalarOp::kSinh || op == ScalarOp::kCosh ||
                             op == ScalarOp::kTanh;
    const bool turned = op == ScalarOp::kSin || op == ScalarOp::kCos || op == ScalarOp::kTan;
    if ((exponential && std::fabs(a.real()) > cap) || (turned && std::fabs(a.imag()) > cap)) continue;
    if ((op == ScalarOp::kDivide || op == ScalarOp::kAtan2) && b == 0.0) continue;
    if (a == 0.0 && (op == ScalarOp::kSign || op == ScalarOp::kPower || op == ScalarOp::kRsqrt || op == ScalarOp::kCbrt || op == ScalarOp::kLog)) continue;
    if (op == ScalarOp::kPower) {
      const auto w = b * std::log(a);
      if (!(std::abs(w) < 1e8) || std::fabs(w.real()) > 1e4) b = {samples.Unit() * 5, samples.Unit() * 5};
    }
    // Off the cuts: on them the formula's own signs of zero decide.
    if (op == ScalarOp::kAtan2 && (a.real() == 0 || a.imag() == 0 || b.real() == 0 || b.imag() == 0)) continue;
    const Scalar in[] = {Scalar::Complex(type, a), Scalar::Complex(type, b)};
    const Scalar got = EvalScalarOp(op, ResultType(op, type), 0, absl::MakeConstSpan(in, Arity(op)));
    const double e = ComplexErrorUlp(op, type, in[0].c(), in[1].c(), got.c());
    if (e > worst.ulp) {
      worst.ulp = e;
      worst.where = absl::StrFormat("(%a, %a) (%a, %a) -> (%a, %a)", in[0].re, in[0].im, in[1].re, in[1].im, got.re, got.im);
    }
  }
  worst.Report(op, Name(type).data());
  return worst;
}

// The best of many runs over arguments of moderate size.
void Speed(ScalarOp op) {
  const int64_t n = 2048;
  const ArrayOp ops[] = {Plain(op, T::kF32)};
  const Native native(ops, T::kF32, n, 1);
  Value in = Value::Allocate(Shape::Array(T::kF32, {n}));
  for (int64_t i = 0; i < n; ++i) in.mutable_as<float>()[i] = static_cast<float>(i % 1000) / 100 + 0.01f;
  double best = INFINITY;
  for (int run = 0; run < 200; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < 20; ++k) native.Run({in});
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / 20 / n);
  }
  std::printf("%-10s %.3f ns\n", Text(op).c_str(), best);
}

int Main(int argc, char** argv) {
  Options options;
  bool speed = false;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--exhaustive") options.stride = 1;
    else if (arg == "--stride" && i + 1 < argc) options.stride = std::strtoull(argv[++i], nullptr, 10);
    else if (arg == "--samples" && i + 1 < argc) options.samples = std::atoi(argv[++i]);
    else if (arg == "--only" && i + 1 < argc) options.only = argv[++i];
    else if (arg == "--speed") speed = true;
    else return std::fprintf(stderr, "usage: ulp_table [--exhaustive | --stride N] [--samples N] [--only OP] | --speed [--only OP]\n"), 2;
  }
  const auto wanted = [&](ScalarOp op) { return options.only.empty() || options.only == Text(op); };
  if (speed) {
    for (ScalarOp op : kReal) {
      if (wanted(op) && Arity(op) == 1) Speed(op);
    }
    return 0;
  }
  const auto patterns = [&] { return options.stride == 1 ? std::string("every f32 bit pattern") : absl::StrCat("one f32 bit pattern in ", options.stride); };
  std::printf("Covered: %s of unary functions natively; %d samples of everything else, rich in edges; every f16 and bf16 argument of unary functions, "
              "20000 pairs of binary ones.\n\n", patterns().c_str(), options.samples);
  std::printf("| function | f64 | f32 interpreter | f32 native | f16 native | f16 interpreter | bf16 native | bf16 interpreter |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (ScalarOp op : kReal) {
    if (!wanted(op)) continue;
    const Worst f64 = Sampled(op, T::kF64, options, true), f32 = Sampled(op, T::kF32, options, false);
    const Worst native = Arity(op) == 2 ? Sampled(op, T::kF32, options, true) : NativeF32(op, options);
    std::printf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", Text(op).c_str(), Text(f64.ulp).c_str(), Text(f32.ulp).c_str(), Text(native.ulp).c_str(),
                Narrow(op, T::kF16, true, options).Cell().c_str(), Narrow(op, T::kF16, false, options).Cell().c_str(),
                Narrow(op, T::kBF16, true, options).Cell().c_str(), Narrow(op, T::kBF16, false, options).Cell().c_str());
    std::fflush(stdout);
  }
  std::printf("\n| complex function | c64 | c128 |\n| --- | --- | --- |\n");
  for (ScalarOp op : kComplex) {
    if (!wanted(op)) continue;
    const Worst c64 = ComplexSampled(op, T::kC64, options), c128 = ComplexSampled(op, T::kC128, options);
    std::printf("| %s | %s | %s |\n", Text(op).c_str(), Text(c64.ulp).c_str(), Text(c128.ulp).c_str());
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace hloscope

int main(int argc, char** argv) { return hloscope::Main(argc, argv); }
