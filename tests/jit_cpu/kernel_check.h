// Kernels made of element programs, run and compared with the interpreter.
#ifndef HLOSCOPE_TESTS_JIT_CPU_KERNEL_CHECK_H_
#define HLOSCOPE_TESTS_JIT_CPU_KERNEL_CHECK_H_

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "backends/jit_cpu/lower/lower.h"
#include "core/element/program.h"
#include "core/literal/scalar.h"
#include "core/literal/value.h"

namespace hloscope {

// Two compilers by turns: one optimises everything, one as it sees fit (which is hardly, for kernels as small as here).
Compiler& TheCompiler();

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  int64_t Int(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(engine_); }
  double Uniform() { return std::uniform_real_distribution<double>(-1, 1)(engine_); }
  double Any() {
    switch (Int(0, 19)) {
      case 0: return 0.0;
      case 1: return -0.0;
      case 2: return INFINITY;
      case 3: return -INFINITY;
      case 4: return NAN;
      case 5: return std::ldexp(Uniform(), -140);
      case 6: return std::ldexp(Uniform(), static_cast<int>(Int(-30, 30)));
      case 7: return std::ldexp(Uniform(), static_cast<int>(Int(-160, 130)));
      case 8: return Int(-3, 3);
      case 9: return Int(-200, 200) + 0.5;
      case 10: case 11: return Uniform() * 100;
      default: return Uniform() * 4;
    }
  }
  hloscope::Scalar Element(ElementType type, bool special) {
    if (IsComplex(type)) return hloscope::Scalar::Complex(type, {special ? Any() : Uniform(), special ? Any() : Uniform()});
    if (IsFloat(type)) return hloscope::Scalar::Float(type, special ? Any() : Uniform() * 4);
    switch (special ? Int(0, 5) : 6) {
      case 0: return hloscope::Scalar::Int(type, 0);
      case 1: return hloscope::Scalar::Int(type, -1);
      case 2: return hloscope::Scalar::Int(type, int64_t{1} << (BitWidth(type) - 1));
      case 3: return hloscope::Scalar::Int(type, static_cast<int64_t>(engine_()));
      default: return hloscope::Scalar::Int(type, Int(-9, 9));
    }
  }
  Value Array(const Shape& shape, bool special) {
    Value v = Value::Allocate(shape);
    const int64_t n = shape.ElementCount();
    for (int64_t i = 0; i < n; ++i) StoreScalar(Element(shape.element_type(), special), v.mutable_data() + i * StorageBytes(shape.element_type()));
    return v;
  }

 private:
  std::mt19937_64 engine_;
};

// The outputs, computed `chunk` units at a time.
std::vector<Value> RunKernel(const CompiledKernel& kernel, const Program& program, const std::vector<Value>& operands, int64_t chunk);
// Compiles, runs in chunks of several sizes and compares with the interpreter. `limit`: elements looked at.
void Check(const Program& program, const std::vector<Value>& operands, const std::string& what, int64_t limit = 400);
// One operation on arrays of n elements.
Program Pointwise(ScalarOp op, ElementType type, ElementType result, int64_t n, int64_t aux = 0);

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_JIT_CPU_KERNEL_CHECK_H_
