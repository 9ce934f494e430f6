// Types as registers and memory hold them, rounding and conversions; see scalar_emitter.h.
#include "backends/jit_cpu/lower/scalar_emitter.h"

#include <array>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/lower/lane_functions.h"
#include "core/element/scalar_eval.h"
#include "llvm/IR/Intrinsics.h"

namespace hloscope {

namespace Intr = llvm::Intrinsic;

llvm::Value* ScalarEmitter::ToStorage(ElementType type, llvm::Value* v) {
  if (IsPred(type)) return b_.CreateZExt(v, Like(b_.getInt8Ty(), v));
  if (type == ElementType::kF16) return b_.CreateFPTrunc(v, Like(b_.getHalfTy(), v));
  if (type == ElementType::kBF16) {
    llvm::Value* bits = b_.CreateBitCast(v, Like(b_.getInt32Ty(), v));
    return b_.CreateTrunc(b_.CreateLShr(bits, Int(bits, 16)), Like(b_.getInt16Ty(), v));
  }
  if (IsTinyFloat(type) && type != ElementType::kF8E8M0FNU) return EncodeTiny(type, v);
  if (IsTinyFloat(type)) {
    const bool vector = v->getType()->isVectorTy();
    llvm::Value* in = Scratch(b_.getFloatTy(), kLanes);
    llvm::Value* out = Scratch(b_.getInt8Ty(), kLanes);
    b_.CreateStore(v, in);
    llvm::Type* p = b_.getPtrTy();
    llvm::FunctionCallee f = m_.getOrInsertFunction("hloscope_lanes", b_.getVoidTy(), b_.getInt64Ty(), b_.getInt64Ty(), b_.getInt64Ty(), p, p, p);
    llvm::cast<llvm::Function>(f.getCallee())->setDoesNotThrow();
    b_.CreateCall(f, {b_.getInt64(PackLaneFunction(ScalarOp::kConvert, type, ElementType::kF32)), b_.getInt64(0), b_.getInt64(vector ? kLanes : 1), out, in,
                      llvm::ConstantPointerNull::get(b_.getPtrTy())});
    return b_.CreateLoad(Like(b_.getInt8Ty(), v), out);
  }
  return v;
}

llvm::Value* ScalarEmitter::FromStorage(ElementType type, llvm::Value* v) {
  if (IsPred(type)) return b_.CreateICmpNE(v, Int(v, 0));
  if (type == ElementType::kF16) return b_.CreateFPExt(v, Like(b_.getFloatTy(), v));
  if (type == ElementType::kBF16) {
    llvm::Value* wide = b_.CreateZExt(v, Like(b_.getInt32Ty(), v));
    return b_.CreateBitCast(b_.CreateShl(wide, Int(wide, 16)), Like(b_.getFloatTy(), v));
  }
  if (IsTinyFloat(type)) {
    std::array<float, 256> values;
    for (int i = 0; i < 256; ++i) values[i] = static_cast<float>(DecodeFloat(type, i));
    return Look(absl::StrCat("decode.", Name(type)), values, v);
  }
  return IsInteger(type) ? Normalize(type, v) : v;
}

// Any float to a code of at most 8 bits, to nearest even. f8e8m0fnu, which has no zero, is not for this.
llvm::Value* ScalarEmitter::EncodeTiny(ElementType type, llvm::Value* v) {
  enum Overflow { kInfinity, kAllOnes, kNegativeZero, kSaturate };  // what stands for too large a value; NaN follows
  struct Layout {
    int exponent, mantissa, bias;
    Overflow overflow;
  } f{};
  switch (type) {
    case ElementType::kF4E2M1FN: f = {2, 1, 1, kSaturate}; break;
    case ElementType::kF6E2M3FN: f = {2, 3, 1, kSaturate}; break;
    case ElementType::kF6E3M2FN: f = {3, 2, 3, kSaturate}; break;
    case ElementType::kF8E3M4: f = {3, 4, 3, kInfinity}; break;
    case ElementType::kF8E4M3: f = {4, 3, 7, kInfinity}; break;
    case ElementType::kF8E4M3FN: f = {4, 3, 7, kAllOnes}; break;
    case ElementType::kF8E4M3B11FNUZ: f = {4, 3, 11, kNegativeZero}; break;
    case ElementType::kF8E4M3FNUZ: f = {4, 3, 8, kNegativeZero}; break;
    case ElementType::kF8E5M2: f = {5, 2, 15, kInfinity}; break;
    default: f = {5, 2, 16, kNegativeZero}; break;
  }
  llvm::Type* integer = Like(b_.getInt32Ty(), v);
  const auto c = [&](int64_t x) { return IntOf(integer, x); };
  llvm::Value* bits = b_.CreateBitCast(v, integer);
  llvm::Value* a = b_.CreateAnd(bits, c(0x7fffffff));
  llvm::Value* magnitude = Unary(Intr::fabs, v);
  const int drop = 23 - f.mantissa, width = f.exponent + f.mantissa;
  llvm::Value* lsb = b_.CreateAnd(b_.CreateLShr(a, c(drop)), c(1));
  llvm::Value* rounded = b_.CreateLShr(b_.CreateAdd(a, b_.CreateAdd(lsb, c((1 << (drop - 1)) - 1))), c(drop));
  llvm::Value* normal = b_.CreateSub(rounded, c(static_cast<int64_t>(127 - f.bias) << f.mantissa));
  // Below the least normal number: adding 2^23 units rounds to units.
  const double magic = std::ldexp(1.0, 1 - f.bias - f.mantissa + 23);
  llvm::Value* sum = b_.CreateBitCast(b_.CreateFAdd(magnitude, Float(v, magic)), integer);
  llvm::Value* denormal = b_.CreateSub(sum, b_.CreateBitCast(Float(v, magic), integer));
  llvm::Value* code = b_.CreateSelect(b_.CreateFCmpOLT(magnitude, Float(v, std::ldexp(1.0, 1 - f.bias))), denormal, normal);
  const int64_t ones = (int64_t{1} << width) - 1, infinity = ((int64_t{1} << f.exponent) - 1) << f.mantissa, sign_bit = int64_t{1} << width;
  llvm::Value* nan = b_.CreateFCmpUNO(v, v);
  llvm::Value* sign = b_.CreateShl(b_.CreateLShr(bits, c(31)), c(width));
  switch (f.overflow) {
    case kInfinity: {
      code = b_.CreateSelect(b_.CreateICmpUGT(code, c(infinity)), c(infinity), code);
      llvm::Value* payload = b_.CreateLShr(b_.CreateOr(b_.CreateAnd(a, c(0x7fffff)), c(0x400000)), c(drop));
      code = b_.CreateOr(sign, b_.CreateSelect(nan, b_.CreateOr(payload, c(infinity)), code));
      break;
    }
    case kAllOnes: code = b_.CreateOr(sign, b_.CreateSelect(b_.CreateOr(nan, b_.CreateICmpUGE(code, c(ones))), c(ones), code)); break;
    case kNegativeZero: {
      llvm::Value* none = b_.CreateOr(nan, b_.CreateICmpUGT(code, c(ones)));
      llvm::Value* zero = b_.CreateICmpEQ(code, c(0));
      code = b_.CreateSelect(none, c(sign_bit), b_.CreateSelect(zero, c(0), b_.CreateOr(sign, code)));
      break;
    }
    case kSaturate:
      code = b_.CreateSelect(b_.CreateICmpUGT(code, c(ones)), c(ones), code);
      code = b_.CreateSelect(nan, c(sign_bit), b_.CreateOr(sign, code));
      break;
  }
  return b_.CreateTrunc(code, Like(b_.getInt8Ty(), v));
}

llvm::Value* ScalarEmitter::Normalize(ElementType type, llvm::Value* v) {
  const int bits = BitWidth(type);
  if (bits >= 8) return v;
  if (IsUnsigned(type)) return b_.CreateAnd(v, Int(v, (1 << bits) - 1));
  return b_.CreateAShr(b_.CreateShl(v, Int(v, 8 - bits)), Int(v, 8 - bits));
}

llvm::Value* ScalarEmitter::Round(ElementType type, llvm::Value* v) {
  if (!IsSmallFloat(type)) return v;
  if (type == ElementType::kF16) return b_.CreateFPExt(b_.CreateFPTrunc(v, Like(b_.getHalfTy(), v)), v->getType());
  if (type != ElementType::kBF16) return FromStorage(type, ToStorage(type, v));
  // To nearest even on the bits: keeps denormals, which the hardware's conversion does not.
  llvm::Value* bits = b_.CreateBitCast(v, Like(b_.getInt32Ty(), v));
  llvm::Value* lsb = b_.CreateAnd(b_.CreateLShr(bits, Int(bits, 16)), Int(bits, 1));
  llvm::Value* up = b_.CreateAdd(bits, b_.CreateAdd(lsb, Int(bits, 0x7fff)));
  llvm::Value* quiet = b_.CreateOr(bits, Int(bits, 0x400000));
  llvm::Value* r = b_.CreateSelect(b_.CreateFCmpUNO(v, v), quiet, up);
  return b_.CreateBitCast(b_.CreateAnd(r, Int(bits, static_cast<int32_t>(0xffff0000))), v->getType());
}

// ---- Conversions ----

// To f32 with "round to odd": rounding the result again, to at most 22 bits, is the same as rounding the double once.
llvm::Value* ScalarEmitter::DoubleToOddFloat(llvm::Value* d) {
  llvm::Value* f = b_.CreateFPTrunc(d, Like(b_.getFloatTy(), d));
  llvm::Value* back = b_.CreateFPExt(f, d->getType());
  llvm::Value* bits = b_.CreateBitCast(f, Like(b_.getInt32Ty(), d));
  llvm::Value* inexact = b_.CreateFCmpONE(back, d);
  llvm::Value* even = b_.CreateICmpEQ(b_.CreateAnd(bits, Int(bits, 1)), Int(bits, 0));
  llvm::Value* too_big = b_.CreateFCmpOGT(Unary(Intr::fabs, back), Unary(Intr::fabs, d));
  llvm::Value* other = b_.CreateAdd(bits, b_.CreateSelect(too_big, Int(bits, -1), Int(bits, 1)));
  llvm::Value* r = b_.CreateSelect(b_.CreateAnd(inexact, even), other, bits);
  return b_.CreateBitCast(r, f->getType());
}

llvm::Value* ScalarEmitter::IntegerToFloat(ElementType from, ElementType to, llvm::Value* v) {
  const bool is_unsigned = !IsSigned(from);
  const auto convert = [&](llvm::Value* x, llvm::Type* type) { return is_unsigned ? b_.CreateUIToFP(x, Like(type, x)) : b_.CreateSIToFP(x, Like(type, x)); };
  if (to == ElementType::kF64) return convert(v, b_.getDoubleTy());
  if (to == ElementType::kF32) return convert(v, b_.getFloatTy());
  const int bits = IsPred(from) ? 1 : BitWidth(from);
  if (bits <= 16) return Round(to, convert(v, b_.getFloatTy()));
  if (bits <= 32) return Round(to, DoubleToOddFloat(convert(v, b_.getDoubleTy())));
  // Beyond 2^40, what is below 2^16 only matters by being there or not.
  llvm::Value* low = b_.CreateAnd(v, Int(v, 0xffff));
  llvm::Value* sticky = b_.CreateZExt(b_.CreateICmpNE(low, Int(v, 0)), v->getType());
  llvm::Value* coarse = b_.CreateOr(b_.CreateSub(v, low), b_.CreateShl(sticky, Int(v, 15)));
  llvm::Value* small = is_unsigned ? b_.CreateICmpULT(v, Int(v, int64_t{1} << 40))
                                   : b_.CreateICmpULT(b_.CreateAdd(v, Int(v, int64_t{1} << 40)), Int(v, int64_t{1} << 41));
  return Round(to, DoubleToOddFloat(convert(b_.CreateSelect(small, v, coarse), b_.getDoubleTy())));
}

llvm::Value* ScalarEmitter::FloatToInteger(ElementType to, llvm::Value* v) {
  const int bits = BitWidth(to);
  const bool is_unsigned = IsUnsigned(to);
  const double high = std::ldexp(1.0, is_unsigned ? bits : bits - 1);
  const double low = is_unsigned ? 0 : -high;
  llvm::Type* wide = Like(b_.getIntNTy(std::max(32, bits)), v);
  llvm::Value* fits = b_.CreateAnd(b_.CreateFCmpOGE(v, Float(v, low)), b_.CreateFCmpOLT(v, Float(v, high)));
  llvm::Value* safe = b_.CreateSelect(fits, v, Float(v, 0));
  llvm::Value* r = is_unsigned ? b_.CreateFPToUI(safe, wide) : b_.CreateFPToSI(safe, wide);
  const llvm::APInt max = is_unsigned ? llvm::APInt::getMaxValue(bits).zext(std::max(64, bits)) : llvm::APInt::getSignedMaxValue(bits).zext(std::max(64, bits));
  const llvm::APInt min = is_unsigned ? llvm::APInt(64, 0) : llvm::APInt::getSignedMinValue(bits).sext(std::max(64, bits));
  llvm::Value* above = b_.CreateFCmpOGE(v, Float(v, high));
  // Between -2^(n-1) - 1 and -2^(n-1), truncation and saturation agree.
  llvm::Value* below = b_.CreateFCmpOLT(v, Float(v, low));
  r = b_.CreateSelect(above, IntOf(wide, max.getSExtValue()), r);
  r = b_.CreateSelect(below, IntOf(wide, min.getSExtValue()), r);
  return b_.CreateTrunc(r, Like(RegisterType(to), v));
}

LaneValue ScalarEmitter::Convert(ElementType from, ElementType to, LaneValue v) {
  if (from == to) return v;
  const bool from_float = IsFloat(from) || IsComplex(from);
  if (IsPred(to)) {
    if (!from_float) return {b_.CreateICmpNE(v.re, Int(v.re, 0))};
    llvm::Value* r = b_.CreateFCmpUNE(v.re, Float(v.re, 0));
    return {v.im == nullptr ? r : b_.CreateOr(r, b_.CreateFCmpUNE(v.im, Float(v.im, 0)))};
  }
  if (IsInteger(to)) {
    if (from_float) return {FloatToInteger(to, v.re)};
    llvm::Type* type = Like(RegisterType(to), v.re);
    return {Normalize(to, IsSigned(from) ? b_.CreateSExtOrTrunc(v.re, type) : b_.CreateZExtOrTrunc(v.re, type))};
  }
  const ElementType real = RealTypeOf(to);
  const auto part = [&](llvm::Value* x) -> llvm::Value* {
    if (!from_float) return IntegerToFloat(from, real, x);
    const bool from_double = RealTypeOf(from) == ElementType::kF64;
    if (real == ElementType::kF64) return from_double ? x : b_.CreateFPExt(x, Like(b_.getDoubleTy(), x));
    if (!from_double) return Round(real, x);
    if (real == ElementType::kF32) return b_.CreateFPTrunc(x, Like(b_.getFloatTy(), x));
    return Round(real, DoubleToOddFloat(x));
  };
  LaneValue r{part(v.re)};
  if (IsComplex(to)) r.im = v.im != nullptr ? part(v.im) : Float(r.re, 0);
  return r;
}

}  // namespace hloscope
