// One scalar operation in IR; see scalar_emitter.h.
#include "backends/jit_cpu/lower/scalar_emitter.h"

#include <array>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/lower/lane_functions.h"
#include "core/element/scalar_eval.h"
#include "llvm/IR/Intrinsics.h"

namespace hloscope {

using llvm::Intrinsic::ID;
namespace Intr = llvm::Intrinsic;

namespace {

llvm::FixedVectorType* VectorOf(llvm::Type* element) { return llvm::FixedVectorType::get(element, kLanes); }

}  // namespace

llvm::Type* ScalarEmitter::RegisterType(ElementType type) {
  if (IsPred(type)) return b_.getInt1Ty();
  if (IsInteger(type)) return b_.getIntNTy(std::max(8, BitWidth(type)));
  return RealTypeOf(type) == ElementType::kF64 ? b_.getDoubleTy() : b_.getFloatTy();
}

llvm::Type* ScalarEmitter::StorageType(ElementType type) {
  if (type == ElementType::kF16) return b_.getHalfTy();
  if (IsFloat(type) && BitWidth(type) < 32) return b_.getIntNTy(8 * StorageBytes(type));
  if (IsPred(type)) return b_.getInt8Ty();
  return RegisterType(type);
}

LaneValue ScalarEmitter::Constant(const Scalar& s) {
  llvm::Type* type = RegisterType(s.type);
  if (IsPred(s.type)) return {b_.getInt1(s.i != 0)};
  if (IsInteger(s.type)) return {llvm::ConstantInt::get(type, static_cast<uint64_t>(s.i), true)};
  LaneValue r{llvm::ConstantFP::get(type, s.re)};
  if (IsComplex(s.type)) r.im = llvm::ConstantFP::get(type, s.im);
  return r;
}

llvm::Value* ScalarEmitter::Splat(llvm::Value* v) { return v == nullptr || v->getType()->isVectorTy() ? v : b_.CreateVectorSplat(kLanes, v); }
LaneValue ScalarEmitter::Splat(const LaneValue& v) { return {Splat(v.re), Splat(v.im)}; }

void ScalarEmitter::Unify(llvm::MutableArrayRef<LaneValue> values) {
  bool vector = false;
  for (const LaneValue& v : values) vector |= IsVector(v);
  if (!vector) return;
  for (LaneValue& v : values) v = Splat(v);
}

llvm::Type* ScalarEmitter::Like(llvm::Type* element, llvm::Value* v) { return v->getType()->isVectorTy() ? VectorOf(element) : element; }
llvm::Constant* ScalarEmitter::Float(llvm::Value* like, double v) { return llvm::ConstantFP::get(like->getType(), v); }
llvm::Constant* ScalarEmitter::Int(llvm::Value* like, int64_t v) { return IntOf(like->getType(), v); }
llvm::Constant* ScalarEmitter::IntOf(llvm::Type* type, int64_t v) { return llvm::ConstantInt::get(type, static_cast<uint64_t>(v), true); }

llvm::Value* ScalarEmitter::Scratch(llvm::Type* type, int count) {
  llvm::BasicBlock& entry = b_.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> at(&entry, entry.begin());
  llvm::AllocaInst* a = at.CreateAlloca(type, at.getInt32(count));
  a->setAlignment(llvm::Align(64));
  return a;
}

// ---- Storage ----

LaneValue ScalarEmitter::Select(llvm::Value* pred, LaneValue t, LaneValue f) {
  LaneValue arms[2] = {t, f};
  if (pred->getType()->isVectorTy()) {
    arms[0] = Splat(t);
    arms[1] = Splat(f);
  } else {
    Unify(arms);
  }
  LaneValue r{b_.CreateSelect(pred, arms[0].re, arms[1].re)};
  if (t.im != nullptr) r.im = b_.CreateSelect(pred, arms[0].im, arms[1].im);
  return r;
}

// ---- Operations ----

llvm::Value* ScalarEmitter::Compare(ScalarOp op, ElementType type, LaneValue x, LaneValue y) {
  using P = llvm::CmpInst::Predicate;
  llvm::Value *a = x.re, *b = y.re;
  if (IsComplex(type)) {
    llvm::Value* equal = b_.CreateAnd(b_.CreateFCmpOEQ(a, b), b_.CreateFCmpOEQ(x.im, y.im));
    return op == ScalarOp::kNe || op == ScalarOp::kNeTotal ? b_.CreateNot(equal) : equal;
  }
  const bool total = op >= ScalarOp::kEqTotal;
  const int which = static_cast<int>(op) - static_cast<int>(total ? ScalarOp::kEqTotal : ScalarOp::kEq);
  static constexpr P kFloat[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
  static constexpr P kSignedInt[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  static constexpr P kUnsignedInt[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_ULT, P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  if (!IsFloat(type)) return b_.CreateICmp((IsSigned(type) ? kSignedInt : kUnsignedInt)[which], a, b);
  if (!total) return b_.CreateFCmp(kFloat[which], a, b);
  const bool wide = type == ElementType::kF64;
  // All NaNs of one sign are one value; then negative numbers count backwards.
  const auto key = [&](llvm::Value* v) {
    llvm::Type* integer = Like(b_.getIntNTy(wide ? 64 : 32), v);
    llvm::Value* bits = b_.CreateBitCast(v, integer);
    llvm::Value* sign = b_.CreateAShr(bits, IntOf(integer, wide ? 63 : 31));
    llvm::Value* magnitude = b_.CreateAnd(bits, IntOf(integer, wide ? INT64_MAX : INT32_MAX));
    llvm::Value* nan = IntOf(integer, wide ? 0x7ff8000000000000 : 0x7fc00000);
    return b_.CreateXor(b_.CreateSelect(b_.CreateFCmpUNO(v, v), nan, magnitude), sign);
  };
  return b_.CreateICmp(kSignedInt[which], key(a), key(b));
}

llvm::Value* ScalarEmitter::Divide(ElementType type, llvm::Value* a, llvm::Value* b, bool remainder) {
  const bool is_unsigned = IsUnsigned(type);
  const int bits = BitWidth(type);
  llvm::Value* zero = b_.CreateICmpEQ(b, Int(b, 0));
  llvm::Value* minus = is_unsigned ? nullptr : b_.CreateICmpEQ(b, Int(b, -1));
  llvm::Value* safe = b_.CreateSelect(is_unsigned ? zero : b_.CreateOr(zero, minus), Int(b, 1), b);
  llvm::Value* q;
  if (bits <= 32 && a->getType()->isVectorTy()) {
    // There is no vector division of integers; the quotient of two 32-bit integers in double, truncated, is exact.
    llvm::Type* d = Like(b_.getDoubleTy(), a);
    llvm::Value* x = is_unsigned ? b_.CreateUIToFP(a, d) : b_.CreateSIToFP(a, d);
    llvm::Value* y = is_unsigned ? b_.CreateUIToFP(safe, d) : b_.CreateSIToFP(safe, d);
    llvm::Value* r = b_.CreateFDiv(x, y);
    llvm::Type* wide = Like(b_.getInt32Ty(), a);
    q = b_.CreateTrunc(is_unsigned ? b_.CreateFPToUI(r, wide) : b_.CreateFPToSI(r, wide), a->getType());
  } else {
    q = is_unsigned ? b_.CreateUDiv(a, safe) : b_.CreateSDiv(a, safe);
  }
  if (remainder) {
    llvm::Value* r = b_.CreateSub(a, b_.CreateMul(q, safe));
    return b_.CreateSelect(zero, a, r);  // by -1: safe is 1, so r is 0
  }
  if (!is_unsigned) q = b_.CreateSelect(minus, Normalize(type, b_.CreateNeg(a)), q);
  return b_.CreateSelect(zero, is_unsigned ? Normalize(type, Int(a, -1)) : Int(a, -1), q);
}

llvm::Value* ScalarEmitter::IntegerOp(ScalarOp op, ElementType type, llvm::Value* a, llvm::Value* b) {
  const int bits = BitWidth(type);
  const bool is_signed = IsSigned(type);
  const auto norm = [&](llvm::Value* v) { return Normalize(type, v); };
  const auto shift_parts = [&](llvm::Value** too_far, llvm::Value** safe) {
    llvm::Value* amount = bits < 8 ? b_.CreateAnd(b, Int(b, (1 << bits) - 1)) : b;
    *too_far = b_.CreateICmpUGE(amount, Int(b, bits));
    *safe = b_.CreateSelect(*too_far, Int(b, 0), amount);
  };
  llvm::Value *too_far, *amount;
  switch (op) {
    case ScalarOp::kAdd: return norm(b_.CreateAdd(a, b));
    case ScalarOp::kSubtract: return norm(b_.CreateSub(a, b));
    case ScalarOp::kMultiply: return norm(b_.CreateMul(a, b));
    case ScalarOp::kDivide: return Divide(type, a, b, false);
    case ScalarOp::kRemainder: return Divide(type, a, b, true);
    case ScalarOp::kMaximum: return b_.CreateBinaryIntrinsic(is_signed ? Intr::smax : Intr::umax, a, b);
    case ScalarOp::kMinimum: return b_.CreateBinaryIntrinsic(is_signed ? Intr::smin : Intr::umin, a, b);
    case ScalarOp::kAnd: return b_.CreateAnd(a, b);
    case ScalarOp::kOr: return b_.CreateOr(a, b);
    case ScalarOp::kXor: return b_.CreateXor(a, b);
    case ScalarOp::kShiftLeft:
      shift_parts(&too_far, &amount);
      return b_.CreateSelect(too_far, Int(a, 0), norm(b_.CreateShl(a, amount)));
    case ScalarOp::kShiftRightLogical: {
      shift_parts(&too_far, &amount);
      llvm::Value* raw = bits < 8 ? b_.CreateAnd(a, Int(a, (1 << bits) - 1)) : a;
      return b_.CreateSelect(too_far, Int(a, 0), norm(b_.CreateLShr(raw, amount)));
    }
    case ScalarOp::kShiftRightArithmetic: {
      shift_parts(&too_far, &amount);
      llvm::Value* extended = a;
      if (bits < 8 && !is_signed) extended = b_.CreateAShr(b_.CreateShl(a, Int(a, 8 - bits)), Int(a, 8 - bits));
      return norm(b_.CreateAShr(extended, b_.CreateSelect(too_far, Int(a, bits - 1), amount)));
    }
    case ScalarOp::kMulhi: {
      if (bits > 32) return nullptr;
      llvm::Type* wide = Like(b_.getIntNTy(64), a);
      llvm::Value* x = is_signed ? b_.CreateSExt(a, wide) : b_.CreateZExt(a, wide);
      llvm::Value* y = is_signed ? b_.CreateSExt(b, wide) : b_.CreateZExt(b, wide);
      llvm::Value* p = b_.CreateMul(x, y);
      return norm(b_.CreateTrunc(b_.CreateAShr(p, Int(p, bits)), a->getType()));
    }
    case ScalarOp::kAbs: return is_signed ? norm(b_.CreateBinaryIntrinsic(Intr::abs, a, b_.getInt1(false))) : a;
    case ScalarOp::kNegate: return norm(b_.CreateNeg(a));
    case ScalarOp::kNot: return norm(b_.CreateNot(a));
    case ScalarOp::kSign: {
      llvm::Value* positive = norm(b_.CreateZExt(b_.CreateICmpNE(a, Int(a, 0)), a->getType()));
      return is_signed ? b_.CreateSelect(b_.CreateICmpSLT(a, Int(a, 0)), Int(a, -1), positive) : positive;
    }
    case ScalarOp::kPopulationCount: {
      llvm::Value* raw = bits < 8 ? b_.CreateAnd(a, Int(a, (1 << bits) - 1)) : a;
      return norm(Unary(Intr::ctpop, raw));
    }
    case ScalarOp::kCountLeadingZeros: {
      llvm::Value* raw = bits < 8 ? b_.CreateAnd(a, Int(a, (1 << bits) - 1)) : a;
      llvm::Value* n = b_.CreateBinaryIntrinsic(Intr::ctlz, raw, b_.getInt1(false));
      return norm(bits < 8 ? b_.CreateSub(n, Int(n, 8 - bits)) : n);
    }
    case ScalarOp::kImag: return Int(a, 0);
    case ScalarOp::kReal: case ScalarOp::kCeil: case ScalarOp::kFloor: case ScalarOp::kRoundNearestAfz: case ScalarOp::kRoundNearestEven: return a;
    default: return nullptr;
  }
}

llvm::Value* ScalarEmitter::PredOp(ScalarOp op, llvm::Value* a, llvm::Value* b) {
  switch (op) {
    case ScalarOp::kAdd: case ScalarOp::kOr: case ScalarOp::kMaximum: return b_.CreateOr(a, b);
    case ScalarOp::kMultiply: case ScalarOp::kAnd: case ScalarOp::kMinimum: return b_.CreateAnd(a, b);
    case ScalarOp::kSubtract: case ScalarOp::kXor: return b_.CreateXor(a, b);
    case ScalarOp::kNot: return b_.CreateNot(a);
    default: return nullptr;
  }
}

// f32 and f64. Mantissa first (a carry may raise the exponent), then overflow to infinity and underflow to zero.
llvm::Value* ScalarEmitter::ReducePrecision(llvm::Value* v, int exponent_bits, int mantissa_bits) {
  const bool wide = v->getType()->getScalarType()->isDoubleTy();
  const int source_mantissa = wide ? 52 : 23, source_exponent = wide ? 11 : 8;
  llvm::Type* integer = Like(b_.getIntNTy(wide ? 64 : 32), v);
  const int64_t sign = wide ? INT64_MIN : INT32_MIN;
  llvm::Value* bits = b_.CreateBitCast(v, integer);
  const auto c = [&](int64_t x) { return IntOf(integer, x); };
  if (mantissa_bits < source_mantissa) {
    const int drop = source_mantissa - mantissa_bits;
    llvm::Value* lsb = b_.CreateAnd(b_.CreateLShr(bits, c(drop)), c(1));
    bits = b_.CreateAdd(bits, b_.CreateAdd(lsb, c((int64_t{1} << (drop - 1)) - 1)));
    bits = b_.CreateAnd(bits, c(~((int64_t{1} << drop) - 1)));
  }
  if (exponent_bits < source_exponent) {
    const int64_t bias = (int64_t{1} << (source_exponent - 1)) - 1, reduced = (int64_t{1} << (exponent_bits - 1)) - 1;
    llvm::Value* exponent = b_.CreateLShr(b_.CreateAnd(bits, c(~sign)), c(source_mantissa));
    llvm::Value* s = b_.CreateAnd(bits, c(sign));
    const int64_t infinity = wide ? 0x7ff0000000000000 : 0x7f800000;
    bits = b_.CreateSelect(b_.CreateICmpSGT(exponent, c(bias + reduced)), b_.CreateOr(s, c(infinity)), bits);
    bits = b_.CreateSelect(b_.CreateICmpSLE(exponent, c(bias - reduced)), s, bits);
  }
  return b_.CreateSelect(b_.CreateFCmpUNO(v, v), v, b_.CreateBitCast(bits, v->getType()));
}

llvm::Value* ScalarEmitter::FloatOp(ScalarOp op, ElementType type, llvm::Value* a, llvm::Value* b, int64_t aux) {
  switch (op) {
    case ScalarOp::kAdd: return b_.CreateFAdd(a, b);
    case ScalarOp::kSubtract: return b_.CreateFSub(a, b);
    case ScalarOp::kMultiply: return b_.CreateFMul(a, b);
    case ScalarOp::kDivide: return b_.CreateFDiv(a, b);
    case ScalarOp::kMaximum: case ScalarOp::kMinimum: {
      // llvm.maximum is slower, and InstCombine narrows it to half, where x86 gets NaN against zero wrong.
      const bool max = op == ScalarOp::kMaximum;
      llvm::Type* bits = Like(b_.getIntNTy(type == ElementType::kF64 ? 64 : 32), a);
      llvm::Value *x = b_.CreateBitCast(a, bits), *y = b_.CreateBitCast(b, bits);
      llvm::Value* zeros = b_.CreateBitCast(max ? b_.CreateAnd(x, y) : b_.CreateOr(x, y), a->getType());
      llvm::Value* r = b_.CreateSelect(max ? b_.CreateFCmpOGT(a, b) : b_.CreateFCmpOLT(a, b), a, b);
      r = b_.CreateSelect(b_.CreateFCmpOEQ(a, b), zeros, r);
      return b_.CreateSelect(b_.CreateFCmpUNO(a, a), a, r);
    }
    case ScalarOp::kAbs: return Unary(Intr::fabs, a);
    case ScalarOp::kNegate: return b_.CreateFNeg(a);
    case ScalarOp::kSign: {
      llvm::Value* one = b_.CreateBinaryIntrinsic(Intr::copysign, Float(a, 1), a);
      return b_.CreateSelect(b_.CreateFCmpUEQ(a, Float(a, 0)), a, one);
    }
    case ScalarOp::kCeil: return Unary(Intr::ceil, a);
    case ScalarOp::kFloor: return Unary(Intr::floor, a);
    case ScalarOp::kRoundNearestEven: return Unary(Intr::roundeven, a);
    case ScalarOp::kRoundNearestAfz: return Unary(Intr::round, a);
    case ScalarOp::kSqrt: return Unary(Intr::sqrt, a);
    case ScalarOp::kReal: return a;
    case ScalarOp::kImag: return Float(a, 0);
    case ScalarOp::kReducePrecision:
      return IsSmallFloat(type) ? nullptr : ReducePrecision(a, static_cast<int>(aux >> 8), static_cast<int>(aux & 0xff));
    default: return FloatFunction(op, a, b);
  }
}

LaneValue ScalarEmitter::Op(ScalarOp op, ElementType type, ElementType input_type, int64_t aux, absl::Span<const LaneValue> given) {
  LaneValue in[2] = {given[0], given.size() > 1 ? given[1] : given[0]};
  Unify(llvm::MutableArrayRef<LaneValue>(in, given.size()));
  if (given.size() < 2) in[1] = in[0];
  llvm::Value *a = in[0].re, *b = in[1].re;
  if (IsComparison(op)) return {Compare(op, input_type, in[0], in[1])};
  switch (op) {
    case ScalarOp::kConvert: return Convert(input_type, type, in[0]);
    case ScalarOp::kComplex: return {a, b};
    case ScalarOp::kReal: if (IsComplex(input_type)) return {a}; break;
    case ScalarOp::kImag: if (IsComplex(input_type)) return {in[0].im}; break;
    case ScalarOp::kIsFinite: {
      if (!IsFloat(input_type)) break;
      return {b_.CreateFCmpOLT(Unary(Intr::fabs, a), Float(a, std::numeric_limits<double>::infinity()))};
    }
    case ScalarOp::kBitcast:
      if (IsComplex(type) || IsComplex(input_type)) break;
      a = ToStorage(input_type, a);
      if (type == input_type) return in[0];
      {
        // Through integers, as a type of few bits may come from an integer of more.
        const auto bits = [&](llvm::Type* t) { return Like(b_.getIntNTy(t->getScalarSizeInBits()), a); };
        llvm::Type* to = Like(StorageType(type), a);
        a = b_.CreateZExtOrTrunc(b_.CreateBitCast(a, bits(a->getType())), bits(to));
        a = FromStorage(type, b_.CreateBitCast(a, to));
      }
      return {a};
    default: break;
  }
  if (IsComplex(input_type)) {
    llvm::Value *ai = in[0].im, *bi = in[1].im;
    switch (op) {
      case ScalarOp::kAdd: return {b_.CreateFAdd(a, b), b_.CreateFAdd(ai, bi)};
      case ScalarOp::kSubtract: return {b_.CreateFSub(a, b), b_.CreateFSub(ai, bi)};
      case ScalarOp::kMultiply:
        return {b_.CreateFSub(b_.CreateFMul(a, b), b_.CreateFMul(ai, bi)), b_.CreateFAdd(b_.CreateFMul(a, bi), b_.CreateFMul(ai, b))};
      case ScalarOp::kNegate: return {b_.CreateFNeg(a), b_.CreateFNeg(ai)};
      default: return Fallback(op, type, input_type, aux, absl::MakeConstSpan(in, given.size()));
    }
  }
  llvm::Value* r = nullptr;
  if (IsPred(input_type)) r = PredOp(op, a, b);
  else if (IsInteger(input_type)) r = IntegerOp(op, type, a, b);
  else r = FloatOp(op, type, a, b, aux);
  if (r == nullptr) return Fallback(op, type, input_type, aux, absl::MakeConstSpan(in, given.size()));
  if (IsSmallFloat(type)) {
    // Exact on every value of the type.
    const bool exact = op == ScalarOp::kMaximum || op == ScalarOp::kMinimum || op == ScalarOp::kReal ||
                       ((op == ScalarOp::kAbs || op == ScalarOp::kNegate) && !IsTinyFloat(type));
    if (!exact) r = Round(type, r);
  }
  return {r};
}

LaneValue ScalarEmitter::Fallback(ScalarOp op, ElementType type, ElementType input_type, int64_t aux, absl::Span<const LaneValue> inputs) {
  const bool vector = IsVector(inputs[0]);
  const int n = vector ? kLanes : 1;
  // Functions of small floats are handed over as f32 and come back rounded to their type.
  ElementType to = type, from = input_type, round = ElementType::kPred;
  if (IsSmallFloat(type) && from == to && op != ScalarOp::kReducePrecision) {
    round = type;
    to = from = ElementType::kF32;
  }
  llvm::Value* pointers[2] = {nullptr, llvm::ConstantPointerNull::get(b_.getPtrTy())};
  for (size_t i = 0; i < inputs.size(); ++i) {
    llvm::Type* storage = StorageType(from);
    pointers[i] = Scratch(storage, (IsComplex(from) ? 2 : 1) * n);
    llvm::Value* re = ToStorage(from, inputs[i].re);
    if (!IsComplex(from)) {
      b_.CreateStore(re, pointers[i]);
    } else if (!vector) {
      b_.CreateStore(re, pointers[i]);
      b_.CreateStore(inputs[i].im, b_.CreateConstGEP1_64(storage, pointers[i], 1));
    } else {
      llvm::SmallVector<int, 2 * kLanes> order;
      for (int l = 0; l < kLanes; ++l) order.append({l, l + kLanes});
      b_.CreateStore(b_.CreateShuffleVector(re, inputs[i].im, order), pointers[i]);
    }
  }
  llvm::Type* storage = StorageType(to);
  llvm::Value* out = Scratch(storage, (IsComplex(to) ? 2 : 1) * n);
  llvm::Type* p = b_.getPtrTy();
  llvm::FunctionCallee f = m_.getOrInsertFunction("hloscope_lanes", b_.getVoidTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty(), p, p, p);
  llvm::cast<llvm::Function>(f.getCallee())->setDoesNotThrow();
  b_.CreateCall(f, {b_.getInt64(PackLaneFunction(op, to, from, round)), b_.getInt64(aux), b_.getInt64(n), out, pointers[0], pointers[1]});
  LaneValue r;
  if (!IsComplex(to)) {
    llvm::Type* t = vector ? static_cast<llvm::Type*>(VectorOf(storage)) : storage;
    r.re = FromStorage(to, b_.CreateLoad(t, out));
  } else if (!vector) {
    r.re = b_.CreateLoad(storage, out);
    r.im = b_.CreateLoad(storage, b_.CreateConstGEP1_64(storage, out, 1));
  } else {
    llvm::Value* both = b_.CreateLoad(llvm::FixedVectorType::get(storage, 2 * kLanes), out);
    llvm::SmallVector<int, kLanes> even, odd;
    for (int l = 0; l < kLanes; ++l) even.push_back(2 * l), odd.push_back(2 * l + 1);
    r.re = b_.CreateShuffleVector(both, even);
    r.im = b_.CreateShuffleVector(both, odd);
  }
  return r;
}

// ---- Indices and reductions ----

llvm::Value* ScalarEmitter::FloorDiv(llvm::Value* a, int64_t divisor, bool small) {
  if (divisor == 1) return a;
  if (small && divisor <= INT32_MAX) {
    llvm::Value* n = b_.CreateTrunc(a, Like(b_.getInt32Ty(), a));
    return b_.CreateZExt(b_.CreateUDiv(n, Int(n, divisor)), a->getType());
  }
  // floor(a / d) = (a - (d - 1 if a < 0)) / d towards zero; written so that it cannot overflow: for negative a, ~(~a / d).
  llvm::Value* sign = b_.CreateAShr(a, Int(a, 63));
  return b_.CreateXor(b_.CreateUDiv(b_.CreateXor(a, sign), Int(a, divisor)), sign);
}

llvm::Value* ScalarEmitter::Mod(llvm::Value* a, int64_t divisor, bool small) {
  if (divisor == 1) return Int(a, 0);
  return b_.CreateSub(a, b_.CreateMul(FloorDiv(a, divisor, small), Int(a, divisor)));
}

LaneValue ScalarEmitter::Join(ScalarOp op, ElementType type, LaneValue v) {
  for (int half = kLanes / 2; half >= 1; half /= 2) {
    llvm::SmallVector<int, kLanes> low, high;
    for (int l = 0; l < kLanes; ++l) low.push_back(l % half), high.push_back(l % half + half);
    const auto part = [&](llvm::ArrayRef<int> order) {
      LaneValue r{b_.CreateShuffleVector(v.re, order)};
      if (v.im != nullptr) r.im = b_.CreateShuffleVector(v.im, order);
      return r;
    };
    v = Op(op, type, type, 0, {part(low), part(high)});
  }
  LaneValue r{b_.CreateExtractElement(v.re, uint64_t{0})};
  if (v.im != nullptr) r.im = b_.CreateExtractElement(v.im, uint64_t{0});
  return r;
}

bool ScalarEmitter::Identity(ScalarOp op, ElementType type, LaneValue* identity) {
  llvm::Type* t = RegisterType(type);
  const bool real = IsFloat(type);
  const auto set = [&](llvm::Constant* c) {
    *identity = {c};
    return true;
  };
  const int bits = IsPred(type) ? 1 : BitWidth(type);
  const llvm::APInt max = IsUnsigned(type) || IsPred(type) ? llvm::APInt::getMaxValue(bits) : llvm::APInt::getSignedMaxValue(bits);
  const llvm::APInt min = IsUnsigned(type) || IsPred(type) ? llvm::APInt(bits, 0) : llvm::APInt::getSignedMinValue(bits);
  const int width = IsPred(type) ? 1 : std::max(8, bits);
  const auto widened = [&](const llvm::APInt& v) {
    return llvm::ConstantInt::get(m_.getContext(), IsSigned(type) ? v.sext(width) : v.zext(width));
  };
  switch (op) {
    case ScalarOp::kAdd:
      if (IsComplex(type)) {
        *identity = {llvm::ConstantFP::get(t, -0.0), llvm::ConstantFP::get(t, -0.0)};
        return true;
      }
      return set(real ? llvm::ConstantFP::get(t, -0.0) : llvm::Constant::getNullValue(t));
    case ScalarOp::kMultiply:
      if (IsComplex(type)) return false;
      return set(real ? llvm::ConstantFP::get(t, 1.0) : widened(llvm::APInt(bits, 1)));
    case ScalarOp::kMaximum: return set(real ? llvm::ConstantFP::getInfinity(t, true) : widened(min));
    case ScalarOp::kMinimum: return set(real ? llvm::ConstantFP::getInfinity(t, false) : widened(max));
    case ScalarOp::kAnd: return set(IsUnsigned(type) || IsPred(type) ? widened(max) : llvm::Constant::getAllOnesValue(t));
    case ScalarOp::kOr: case ScalarOp::kXor: return set(llvm::Constant::getNullValue(t));
    default: return false;
  }
}

}  // namespace hloscope
