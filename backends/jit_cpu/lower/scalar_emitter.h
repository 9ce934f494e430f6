// IR for one scalar operation on one element or on sixteen at once: types, storage codecs, rounding, the edges of the specification.
// Not for loads, loops or folds (kernel_emitter.h).
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_LOWER_SCALAR_EMITTER_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_LOWER_SCALAR_EMITTER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/types/span.h"
#include "backends/jit_cpu/lower/piecewise.h"
#include "core/element/expr.h"
#include "core/literal/scalar.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace hloscope {

inline constexpr int kLanes = 16;
// Kernels are compiled for the machine they run on.
bool HostHasAvx512();

// A value in registers: scalar (the same for all lanes) or a vector of kLanes. Complex values are two.
// Representation: pred i1; integers of up to 8 bits i8 (sign- or zero-extended), else their width; floats of up to 32 bits `float` holding
// exactly a value of the type; f64 double.
struct LaneValue {
  llvm::Value* re = nullptr;
  llvm::Value* im = nullptr;
};

inline bool IsSmallFloat(ElementType t) { return IsFloat(t) && BitWidth(t) < 32; }  // f32 in registers
inline bool IsTinyFloat(ElementType t) { return IsFloat(t) && BitWidth(t) <= 8; }

class ScalarEmitter {
 public:
  // `builder` stays with the caller, who sets where code goes. Scratch memory is allocated in the entry block of the builder's function.
  ScalarEmitter(llvm::Module& module, llvm::IRBuilder<>& builder) : m_(module), b_(builder) {}

  llvm::Type* RegisterType(ElementType type);  // of one part, one lane
  llvm::Type* StorageType(ElementType type);   // of one part in memory
  LaneValue Constant(const Scalar& s);
  static bool IsVector(const LaneValue& v) { return v.re->getType()->isVectorTy(); }
  LaneValue Splat(const LaneValue& v);  // itself when a vector
  llvm::Value* Splat(llvm::Value* v);
  // Makes all scalars or all vectors.
  void Unify(llvm::MutableArrayRef<LaneValue> values);

  LaneValue Op(ScalarOp op, ElementType type, ElementType input_type, int64_t aux, absl::Span<const LaneValue> inputs);
  LaneValue Convert(ElementType from, ElementType to, LaneValue v);
  LaneValue Select(llvm::Value* pred, LaneValue on_true, LaneValue on_false);
  // Parts as they lie in memory and back. Complex: each part by itself.
  llvm::Value* ToStorage(ElementType type, llvm::Value* part);
  llvm::Value* FromStorage(ElementType type, llvm::Value* part);

  // An s64 index divided by a positive constant; `small`: 0 <= a < 2^31.
  llvm::Value* FloorDiv(llvm::Value* a, int64_t divisor, bool small);
  llvm::Value* Mod(llvm::Value* a, int64_t divisor, bool small);
  llvm::Value* Scratch(llvm::Type* type, int count = 1);  // an alloca in the entry block
  // Lanes of `v` joined pairwise (l with l + 8, + 4, + 2, + 1).
  LaneValue Join(ScalarOp op, ElementType type, LaneValue v);
  // x with op(x, y) == y for all y, bit for bit but for NaN payloads; complex products have none (false).
  bool Identity(ScalarOp op, ElementType type, LaneValue* identity);
  llvm::Value* Fma(llvm::Value* a, llvm::Value* b, llvm::Value* c);
  // `fast`, or `slow()` in lanes where `unlikely` holds, with a branch around it.
  llvm::Value* Unless(llvm::Value* unlikely, llvm::Value* fast, const std::function<llvm::Value*()>& slow);

 private:
  llvm::Type* Like(llvm::Type* element, llvm::Value* v);  // element or a vector of it, as v is
  llvm::Constant* Float(llvm::Value* like, double v);
  llvm::Constant* Int(llvm::Value* like, int64_t v);
  llvm::Constant* IntOf(llvm::Type* type, int64_t v);
  llvm::Value* Round(ElementType type, llvm::Value* f32);  // f32 -> the nearest value of a small type, still as f32
  llvm::Value* DoubleToOddFloat(llvm::Value* d);
  llvm::Value* Normalize(ElementType type, llvm::Value* v);  // integers below 8 bits
  LaneValue Fallback(ScalarOp op, ElementType type, ElementType input_type, int64_t aux, absl::Span<const LaneValue> inputs);
  llvm::Value* FloatOp(ScalarOp op, ElementType type, llvm::Value* a, llvm::Value* b, int64_t aux);
  llvm::Value* IntegerOp(ScalarOp op, ElementType type, llvm::Value* a, llvm::Value* b);
  llvm::Value* PredOp(ScalarOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* Compare(ScalarOp op, ElementType type, LaneValue a, LaneValue b);
  llvm::Value* Divide(ElementType type, llvm::Value* a, llvm::Value* b, bool remainder);
  llvm::Value* FloatToInteger(ElementType to, llvm::Value* v);
  llvm::Value* IntegerToFloat(ElementType from, ElementType to, llvm::Value* v);
  llvm::Value* ReducePrecision(llvm::Value* v, int exponent_bits, int mantissa_bits);
  // math_emitter.cc: null when it has no inline code for the function.
  llvm::Value* FloatFunction(ScalarOp op, llvm::Value* a, llvm::Value* b);
  struct Reduced {
    llvm::Value *n, *r, *bits;  // the lowest bits of `bits` are n as a whole number
  };
  Reduced ByLogTwo(llvm::Value* x);
  llvm::Value* Exp(llvm::Value* x);
  llvm::Value* Scaled(llvm::Value* y, const Reduced& by);
  llvm::Value* Expm1(llvm::Value* x);
  llvm::Value* Log(llvm::Value* x);
  llvm::Value* Log1p(llvm::Value* x);
  llvm::Value* Look(const std::string& name, llvm::ArrayRef<float> values, llvm::Value* index);
  llvm::Value* Piecewise(const PiecewiseTable& table, llvm::Value* x);
  llvm::Value* Logistic(llvm::Value* x);
  llvm::Value* SinCos(llvm::Value* x, bool cosine);
  llvm::Value* EncodeTiny(ElementType type, llvm::Value* f32);
  llvm::Value* Polynomial(llvm::Value* x, std::initializer_list<double> highest_first);
  llvm::Value* Unary(llvm::Intrinsic::ID id, llvm::Value* v) { return b_.CreateUnaryIntrinsic(id, v); }

  llvm::Module& m_;
  llvm::IRBuilder<>& b_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_LOWER_SCALAR_EMITTER_H_
