// f32 functions inline, on one value or sixteen: argument reduction and polynomials, no fast-math. Within 2 ULP of the exact
// value over the whole range, denormals, infinities and signed zeros included. Not for f64 and rare functions (lane_functions.h).
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/lower/scalar_emitter.h"
#include "core/base/vector_set.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace hloscope {

namespace Intr = llvm::Intrinsic;
constexpr double kInf = std::numeric_limits<double>::infinity();

namespace {

// e^r = 1 + r + r^2 p(r) within 2^-28 on |r| <= ln 2 / 2: p, highest first.
constexpr double kExpSlopes[] = {0.001381417408014619, 0.008368921792039843, 0.04166840797448524, 0.16666518938625224, 0.49999993333485554};

}  // namespace

bool HostHasAvx512() {
  return VectorSet() == 512;
}

llvm::Value* ScalarEmitter::Fma(llvm::Value* a, llvm::Value* b, llvm::Value* c) { return b_.CreateIntrinsic(Intr::fma, {a->getType()}, {a, b, c}); }

llvm::Value* ScalarEmitter::Polynomial(llvm::Value* x, std::initializer_list<double> highest_first) {
  llvm::Value* r = nullptr;
  for (double c : highest_first) r = r == nullptr ? static_cast<llvm::Value*>(Float(x, c)) : Fma(r, x, Float(x, c));
  return r;
}

// x = n ln 2 + r, |r| <= ln 2 / 2 and n whole, for |x| < 2^20; ln 2 in two parts.
ScalarEmitter::Reduced ScalarEmitter::ByLogTwo(llvm::Value* x) {
  // Where floats are whole numbers, the sum rounds to one, and its lowest bits are n.
  constexpr double kWhole = 0x1.8p23;
  llvm::Value* sum = Fma(x, Float(x, 1.44269504088896340736), Float(x, kWhole));
  llvm::Value* n = b_.CreateFSub(sum, Float(x, kWhole));
  llvm::Value* r = Fma(n, Float(x, -0.693145751953125), x);
  return {n, Fma(n, Float(x, -1.42860682030941723212e-6), r), b_.CreateBitCast(sum, Like(b_.getInt32Ty(), x))};
}

// y 2^n, rounded once, |n| <= 250; of NaN it is y times anything.
llvm::Value* ScalarEmitter::Scaled(llvm::Value* y, const Reduced& by) {
  if (y->getType()->isVectorTy() && HostHasAvx512()) {
    return b_.CreateIntrinsic(Intr::x86_avx512_mask_scalef_ps_512, {}, {y, by.n, y, b_.getInt16(-1), b_.getInt32(4)});
  }
  // In two steps, so that the first is exact and the second rounds (results may be denormal). What lies above n's bits is shifted out.
  llvm::Value* half = b_.CreateAnd(b_.CreateShl(by.bits, Int(by.bits, 22)), Int(by.bits, int64_t{-1} << 23));
  llvm::Value* rest = b_.CreateSub(b_.CreateShl(by.bits, Int(by.bits, 23)), half);
  const auto power = [&](llvm::Value* exponent) { return b_.CreateBitCast(b_.CreateAdd(exponent, Int(exponent, int64_t{127} << 23)), y->getType()); };
  return b_.CreateFMul(b_.CreateFMul(y, power(half)), power(rest));
}

llvm::Value* ScalarEmitter::Exp(llvm::Value* x) {
  llvm::Value* high = b_.CreateSelect(b_.CreateFCmpOGT(x, Float(x, 90)), Float(x, 90), x);
  const Reduced by = ByLogTwo(b_.CreateSelect(b_.CreateFCmpOLT(high, Float(x, -105)), Float(x, -105), high));
  return Scaled(Polynomial(by.r, {kExpSlopes[0], kExpSlopes[1], kExpSlopes[2], kExpSlopes[3], kExpSlopes[4], 1, 1}), by);
}

// 2^n (expm1(r) + 1) - 1 with expm1(r) kept apart from 1.
llvm::Value* ScalarEmitter::Expm1(llvm::Value* x) {
  llvm::Value* high = b_.CreateSelect(b_.CreateFCmpOGT(x, Float(x, 89)), Float(x, 89), x);
  const auto [n, r, bits] = ByLogTwo(b_.CreateSelect(b_.CreateFCmpOLT(high, Float(x, -20)), Float(x, -20), high));
  llvm::Value* p = Polynomial(r, {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5});
  llvm::Value* m = Fma(b_.CreateFMul(r, r), p, r);  // expm1(r)
  // 2^128 is no float: scale by half of the power, twice.
  llvm::Value* half = b_.CreateBitCast(b_.CreateAdd(b_.CreateShl(bits, Int(bits, 23)), Int(bits, int64_t{126} << 23)), x->getType());
  llvm::Value* two = Float(x, 2);
  llvm::Value* s = b_.CreateFMul(Fma(m, half, b_.CreateFSub(half, Float(x, 0.5))), two);
  llvm::Value* result = b_.CreateSelect(b_.CreateFCmpOEQ(n, Float(x, 0)), m, s);
  // Zero keeps its sign.
  return b_.CreateSelect(b_.CreateFCmpUEQ(x, Float(x, 0)), x, result);
}

// x = 2^e m with m in [sqrt(1/2), sqrt 2); log m = f - f^2/2 + f^3 q(f).
llvm::Value* ScalarEmitter::Log(llvm::Value* x) {
  llvm::Type* integer = Like(b_.getInt32Ty(), x);
  llvm::Value* tiny = b_.CreateFCmpOLT(x, Float(x, 0x1p-126));
  llvm::Value* scaled = b_.CreateSelect(tiny, b_.CreateFMul(x, Float(x, 0x1p25)), x);
  llvm::Value* bits = b_.CreateBitCast(scaled, integer);
  llvm::Value* shifted = b_.CreateSub(bits, IntOf(integer, 0x3f3504f3));
  llvm::Value* e = b_.CreateAShr(shifted, IntOf(integer, 23));
  llvm::Value* m = b_.CreateBitCast(b_.CreateAdd(b_.CreateAnd(shifted, IntOf(integer, 0x7fffff)), IntOf(integer, 0x3f3504f3)), x->getType());
  llvm::Value* n = b_.CreateSIToFP(b_.CreateSub(e, b_.CreateSelect(tiny, IntOf(integer, 25), IntOf(integer, 0))), x->getType());
  llvm::Value* f = b_.CreateFSub(m, Float(x, 1));
  // log(1+f) = 2 atanh(s), s = f / (2 + f): odd series in s; f - f^2/2 + s (f^2/2 + R).
  llvm::Value* s = b_.CreateFDiv(f, b_.CreateFAdd(f, Float(x, 2)));
  llvm::Value* z = b_.CreateFMul(s, s);
  llvm::Value* r = b_.CreateFMul(z, Polynomial(z, {2.0 / 11, 2.0 / 9, 2.0 / 7, 0.4, 2.0 / 3}));
  llvm::Value* h = b_.CreateFMul(b_.CreateFMul(f, f), Float(x, 0.5));
  llvm::Value* low = Fma(s, b_.CreateFAdd(h, r), b_.CreateFMul(n, Float(x, 1.42860682030941723212e-6)));
  llvm::Value* result = Fma(n, Float(x, 0.693145751953125), b_.CreateFSub(f, b_.CreateFSub(h, low)));
  result = b_.CreateSelect(b_.CreateFCmpOEQ(x, Float(x, kInf)), x, result);
  result = b_.CreateSelect(b_.CreateFCmpOEQ(x, Float(x, 0)), Float(x, -kInf), result);
  return b_.CreateSelect(b_.CreateFCmpULT(x, Float(x, 0)), Float(x, std::numeric_limits<double>::quiet_NaN()), result);
}

// log(u) + (what 1 + x lost in rounding) / u.
llvm::Value* ScalarEmitter::Log1p(llvm::Value* x) {
  llvm::Value* u = b_.CreateFAdd(x, Float(x, 1));
  llvm::Value* big = b_.CreateFCmpOGT(x, Float(x, 1));
  llvm::Value* lost_small = b_.CreateFSub(x, b_.CreateFSub(u, Float(x, 1)));
  llvm::Value* lost_big = b_.CreateFSub(Float(x, 1), b_.CreateFSub(u, x));
  llvm::Value* lost = b_.CreateSelect(big, lost_big, lost_small);
  llvm::Value* result = b_.CreateFAdd(Log(u), b_.CreateFDiv(lost, u));
  // Close to zero: log itself is exact enough only relative to u, so use the series of 2 atanh(x / (2 + x)).
  llvm::Value* s = b_.CreateFDiv(x, b_.CreateFAdd(x, Float(x, 2)));
  llvm::Value* z = b_.CreateFMul(s, s);
  llvm::Value* r = b_.CreateFMul(z, Polynomial(z, {2.0 / 11, 2.0 / 9, 2.0 / 7, 0.4, 2.0 / 3}));
  llvm::Value* h = b_.CreateFMul(b_.CreateFMul(x, x), Float(x, 0.5));
  llvm::Value* near = b_.CreateFSub(x, b_.CreateFSub(h, b_.CreateFMul(s, b_.CreateFAdd(h, r))));
  llvm::Value* is_near = b_.CreateFCmpOLT(Unary(Intr::fabs, x), Float(x, 0.25));
  result = b_.CreateSelect(is_near, near, result);
  result = b_.CreateSelect(b_.CreateFCmpOEQ(x, Float(x, kInf)), x, result);
  result = b_.CreateSelect(b_.CreateFCmpOEQ(x, Float(x, -1)), Float(x, -kInf), result);
  return b_.CreateSelect(b_.CreateFCmpUEQ(x, Float(x, 0)), x, result);
}

namespace {

llvm::GlobalVariable* Table(llvm::Module& m, const std::string& name, llvm::ArrayRef<float> values) {
  llvm::GlobalVariable* table = m.getGlobalVariable(name, true);
  if (table != nullptr) return table;
  llvm::Constant* data = llvm::ConstantDataArray::get(m.getContext(), values);
  table = new llvm::GlobalVariable(m, data->getType(), true, llvm::GlobalValue::PrivateLinkage, data, name);
  table->setAlignment(llvm::Align(64));
  return table;
}

}  // namespace

// values[index], of a power of two of them; bits of the index above that do not count. `name` says which values they are.
llvm::Value* ScalarEmitter::Look(const std::string& name, llvm::ArrayRef<float> values, llvm::Value* index) {
  llvm::GlobalVariable* table = Table(m_, name, values);
  const bool vector = index->getType()->isVectorTy();
  llvm::Type* type = Like(b_.getFloatTy(), index);
  if (vector && values.size() == 2 * kLanes && HostHasAvx512()) {
    llvm::Value* low = b_.CreateAlignedLoad(type, table, llvm::Align(64));
    llvm::Value* high = b_.CreateAlignedLoad(type, b_.CreateConstGEP1_64(b_.getFloatTy(), table, kLanes), llvm::Align(64));
    return b_.CreateIntrinsic(Intr::x86_avx512_vpermi2var_ps_512, {}, {low, index, high});
  }
  constexpr int kFour = 4, kEight = kLanes / 2;
  if (vector && values.size() == kFour && VectorSet() == 256) {
    // Chosen within each half of a register, which holds them twice: half the work of a choice from all of it.
    llvm::Value* four = b_.CreateAlignedLoad(llvm::FixedVectorType::get(b_.getFloatTy(), kFour), table, llvm::Align(16));
    llvm::Value* twice = b_.CreateShuffleVector(four, llvm::ArrayRef<int>({0, 1, 2, 3, 0, 1, 2, 3}));
    const auto half = [&](int first) {
      std::array<int, kEight> lanes;
      for (int i = 0; i < kEight; ++i) lanes[i] = first + i;
      return b_.CreateIntrinsic(Intr::x86_avx_vpermilvar_ps_256, {}, {twice, b_.CreateShuffleVector(index, lanes)});
    };
    return b_.CreateShuffleVector(half(0), half(kEight), llvm::ArrayRef<int>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}));
  }
  llvm::Value* wide = b_.CreateZExtOrTrunc(index, Like(b_.getInt64Ty(), index));
  llvm::Value* address = b_.CreateGEP(b_.getFloatTy(), table, b_.CreateAnd(wide, Int(wide, static_cast<int64_t>(values.size()) - 1)));
  if (!vector) return b_.CreateLoad(type, address);
  return b_.CreateMaskedGather(type, address, llvm::Align(4));
}

llvm::Value* ScalarEmitter::Piecewise(const PiecewiseTable& table, llvm::Value* x) {
  const PiecewiseIntervals& intervals = table.intervals;
  llvm::Type* integer = Like(b_.getInt32Ty(), x);
  llvm::Value* sign = b_.CreateAnd(b_.CreateBitCast(x, integer), IntOf(integer, std::numeric_limits<int32_t>::min()));
  llvm::Value* magnitude = b_.CreateBitCast(b_.CreateXor(b_.CreateBitCast(x, integer), sign), x->getType());
  // NaN is not larger, so it goes on: whatever its interval, the distance from the centre is NaN.
  llvm::Value* a = b_.CreateSelect(b_.CreateFCmpOGT(magnitude, Float(x, table.limit)), Float(x, table.limit), magnitude);
  llvm::Value* key = intervals.offset == 0 ? a : b_.CreateFAdd(a, Float(x, intervals.offset));
  llvm::Value* bits = b_.CreateBitCast(key, integer);
  // Otherwise the first interval is one of those of the sum already.
  if (intervals.offset == 0) bits = b_.CreateBinaryIntrinsic(Intr::smax, bits, Int(bits, table.BelowFirst()));
  llvm::Value* index = b_.CreateLShr(bits, Int(bits, intervals.shift));
  const auto column = [&](int k) { return Look(absl::StrCat(table.name, ".", k), table.columns[k], index); };
  llvm::Value* d = b_.CreateFSub(a, column(intervals.degree + 1));
  llvm::Value* p = column(intervals.degree);
  int k = intervals.degree - 1;
  if (intervals.degree >= 10) {
    // Even and odd powers apart, down to the last ones, whose rounding counts: a chain of dependent operations half as long.
    llvm::Value *z = b_.CreateFMul(d, d), *q = column(k--);
    for (; k > 2; --k) {
      p = Fma(p, z, column(k));
      std::swap(p, q);
    }
    p = Fma(p, d, q);
  }
  for (; k > 0; --k) p = Fma(p, d, column(k));
  llvm::Value* first = column(0);
  if (table.adds_argument) first = b_.CreateSelect(b_.CreateFCmpOLT(key, Float(x, intervals.offset + intervals.first)), a, first);
  return b_.CreateBitCast(b_.CreateXor(b_.CreateBitCast(Fma(p, d, first), integer), sign), x->getType());
}

// 1 / (1 + e^-x) with e^-x = 2^n (1 + t), multiplied by 2^-n above and below: s / (s + 1 + t), s = 2^-n. The parts below are added so that
// nothing but the last addition rounds by more than a small part of a unit: s joins 1 while that is exact, and t when it is smaller.
llvm::Value* ScalarEmitter::Logistic(llvm::Value* x) {
  llvm::Value* low = b_.CreateSelect(b_.CreateFCmpOLT(x, Float(x, -105)), Float(x, -105), x);
  // Of x itself: the power is the one wanted, and the rest has the other sign.
  const Reduced by = ByLogTwo(b_.CreateSelect(b_.CreateFCmpOGT(low, Float(x, 40)), Float(x, 40), low));
  llvm::Value* r = b_.CreateFNeg(by.r);
  llvm::Value* p = Polynomial(r, {kExpSlopes[0], kExpSlopes[1], kExpSlopes[2], kExpSlopes[3], kExpSlopes[4]});
  llvm::Value* t = Fma(b_.CreateFMul(r, r), p, r);
  llvm::Value* s = Scaled(Float(x, 1), by);
  llvm::Value* large = b_.CreateSelect(b_.CreateFCmpOGT(by.n, Float(x, -24)), s, Float(x, 0));
  llvm::Value* below = b_.CreateFAdd(b_.CreateFAdd(large, Float(x, 1)), b_.CreateFAdd(t, b_.CreateFSub(s, large)));
  return b_.CreateFDiv(s, below);
}

// `fast`, but `slow()` in the lanes where `unlikely` holds: in a block of its own, which runs when there are any. Each lane is chosen by its
// own condition, so that its bits do not depend on its neighbours (beyond an array's end they may be anything).
llvm::Value* ScalarEmitter::Unless(llvm::Value* unlikely, llvm::Value* fast, const std::function<llvm::Value*()>& slow) {
  llvm::Value* any = unlikely->getType()->isVectorTy() ? b_.CreateOrReduce(unlikely) : unlikely;
  llvm::Instruction* at = &*b_.GetInsertPoint();
  llvm::BasicBlock* before = at->getParent();
  llvm::BasicBlock* rest = before->splitBasicBlock(at->getIterator());
  before->getTerminator()->eraseFromParent();
  llvm::BasicBlock* block = llvm::BasicBlock::Create(m_.getContext(), "slow", before->getParent(), rest);
  b_.SetInsertPoint(before);
  b_.CreateCondBr(any, block, rest);
  b_.SetInsertPoint(block);
  llvm::Value* v = slow();
  if (any != unlikely) v = b_.CreateSelect(unlikely, v, fast);
  llvm::BasicBlock* end = b_.GetInsertBlock();
  b_.CreateBr(rest);
  b_.SetInsertPoint(rest, rest->begin());
  llvm::PHINode* phi = b_.CreatePHI(fast->getType(), 2);
  phi->addIncoming(fast, before);
  phi->addIncoming(v, end);
  b_.SetInsertPoint(at);
  return phi;
}

// x = j pi/2 + r in three steps, good up to 71000; what is larger goes to the C library.
llvm::Value* ScalarEmitter::SinCos(llvm::Value* x, bool cosine) {
  llvm::Value* a = Unary(Intr::fabs, x);
  llvm::Value* large = b_.CreateFCmpOGT(a, Float(x, 71000));
  llvm::Value* in_range = b_.CreateFCmpOLE(a, Float(x, 71000));
  llvm::Value* safe = b_.CreateSelect(in_range, x, Float(x, 0));
  llvm::Value* j = Unary(Intr::roundeven, b_.CreateFMul(safe, Float(x, 0.63661977236758134308)));
  llvm::Value* r = Fma(j, Float(x, -1.57079637050628662109375), safe);
  r = Fma(j, Float(x, 4.371138828673792886547744274139404296875e-8), r);
  r = Fma(j, Float(x, 1.71512449834e-15), r);
  llvm::Value* z = b_.CreateFMul(r, r);
  llvm::Value* ps = Polynomial(z, {2.72438115e-06, -0.00019840039, 0.00833333191, -0.166666672});
  llvm::Value* sine = Fma(b_.CreateFMul(z, r), ps, r);
  llvm::Value* pc = Polynomial(z, {2.45428964e-05, -0.00138882792, 0.0416666642});
  llvm::Value* cosv = Fma(b_.CreateFMul(z, z), pc, Fma(z, Float(x, -0.5), Float(x, 1)));
  llvm::Value* n = b_.CreateFPToSI(j, Like(b_.getInt32Ty(), x));
  if (cosine) n = b_.CreateAdd(n, Int(n, 1));
  llvm::Value* odd = b_.CreateICmpNE(b_.CreateAnd(n, Int(n, 1)), Int(n, 0));
  llvm::Value* v = b_.CreateSelect(odd, cosv, sine);
  llvm::Value* flip = b_.CreateShl(b_.CreateAnd(n, Int(n, 2)), Int(n, 30));
  v = b_.CreateBitCast(b_.CreateXor(b_.CreateBitCast(v, n->getType()), flip), x->getType());
  if (!cosine) v = b_.CreateSelect(b_.CreateFCmpUEQ(x, Float(x, 0)), x, v);
  v = b_.CreateSelect(b_.CreateFCmpUNO(x, x), x, v);
  return Unless(large, v, [&] {
    const LaneValue in{x};
    return Fallback(cosine ? ScalarOp::kCos : ScalarOp::kSin, ElementType::kF32, ElementType::kF32, 0, absl::MakeConstSpan(&in, 1)).re;
  });
}

llvm::Value* ScalarEmitter::FloatFunction(ScalarOp op, llvm::Value* a, llvm::Value* b) {
  if (op == ScalarOp::kRsqrt) return b_.CreateFDiv(Float(a, 1), Unary(Intr::sqrt, a));
  if (!a->getType()->getScalarType()->isFloatTy()) return nullptr;
  switch (op) {
    case ScalarOp::kExp: return Exp(a);
    case ScalarOp::kExpm1: return Expm1(a);
    case ScalarOp::kLog: return Log(a);
    case ScalarOp::kLog1p: return Log1p(a);
    case ScalarOp::kTanh: return Piecewise(TanhTable(HostHasAvx512()), a);
    case ScalarOp::kLogistic: return Logistic(a);
    case ScalarOp::kErf: return Piecewise(ErfTable(HostHasAvx512()), a);
    case ScalarOp::kSin: return SinCos(a, false);
    case ScalarOp::kCos: return SinCos(a, true);
    default: return nullptr;
  }
}

}  // namespace hloscope
