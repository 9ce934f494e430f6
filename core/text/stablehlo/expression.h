// Formulas over instructions, written with operators: `Exp(-x * x) / 2.0`. For decompositions. A number beside an expression is a constant of
// its type, in its dimensions.
#ifndef HLOSCOPE_CORE_TEXT_STABLEHLO_EXPRESSION_H_
#define HLOSCOPE_CORE_TEXT_STABLEHLO_EXPRESSION_H_

#include "core/text/stablehlo/emit.h"

namespace hloscope::stablehlo {

struct Ex {
  Emitter* e = nullptr;
  Instruction* i = nullptr;

  Ex Like(double v) const { return {e, e->Splat(e->Scalar(i->shape.element_type(), v), i->shape)}; }
  Ex Un(Opcode opcode) const { return {e, e->Add(opcode, {i})}; }
  Ex Bin(Opcode opcode, const Ex& o) const { return {e, e->Add(opcode, {i, o.i})}; }
  Ex As(ElementType type) const { return {e, e->Convert(i, type)}; }
};

#define HLO_EX_OPERATOR(symbol, opcode)                                                        \
  inline Ex operator symbol(const Ex& a, const Ex& b) { return a.Bin(Opcode::opcode, b); }     \
  inline Ex operator symbol(const Ex& a, double b) { return a.Bin(Opcode::opcode, a.Like(b)); } \
  inline Ex operator symbol(double a, const Ex& b) { return b.Like(a).Bin(Opcode::opcode, b); }
HLO_EX_OPERATOR(+, kAdd)
HLO_EX_OPERATOR(-, kSubtract)
HLO_EX_OPERATOR(*, kMultiply)
HLO_EX_OPERATOR(/, kDivide)
#undef HLO_EX_OPERATOR
inline Ex operator-(const Ex& a) { return a.Un(Opcode::kNegate); }

inline Ex Compare(const char* direction, const Ex& a, const Ex& b) { return {a.e, a.e->Compare(direction, a.i, b.i)}; }
inline Ex operator<(const Ex& a, double b) { return Compare("LT", a, a.Like(b)); }
inline Ex operator<=(const Ex& a, double b) { return Compare("LE", a, a.Like(b)); }
inline Ex operator>(const Ex& a, double b) { return Compare("GT", a, a.Like(b)); }
inline Ex operator==(const Ex& a, double b) { return Compare("EQ", a, a.Like(b)); }
inline Ex operator==(const Ex& a, const Ex& b) { return Compare("EQ", a, b); }
inline Ex operator!=(const Ex& a, const Ex& b) { return Compare("NE", a, b); }
inline Ex operator&&(const Ex& a, const Ex& b) { return a.Bin(Opcode::kAnd, b); }
inline Ex operator||(const Ex& a, const Ex& b) { return a.Bin(Opcode::kOr, b); }
inline Ex operator!(const Ex& a) { return a.Un(Opcode::kNot); }

inline Ex Select(const Ex& p, const Ex& a, const Ex& b) { return {a.e, a.e->Add(Opcode::kSelect, {p.i, a.i, b.i})}; }
inline Ex Select(const Ex& p, const Ex& a, double b) { return Select(p, a, a.Like(b)); }
inline Ex Select(const Ex& p, double a, const Ex& b) { return Select(p, b.Like(a), b); }

inline Ex Abs(const Ex& x) { return x.Un(Opcode::kAbs); }
inline Ex Exp(const Ex& x) { return x.Un(Opcode::kExponential); }
inline Ex Log(const Ex& x) { return x.Un(Opcode::kLog); }
inline Ex Log1p(const Ex& x) { return x.Un(Opcode::kLogPlusOne); }
inline Ex Sqrt(const Ex& x) { return x.Un(Opcode::kSqrt); }
inline Ex Rsqrt(const Ex& x) { return x.Un(Opcode::kRsqrt); }
inline Ex Sin(const Ex& x) { return x.Un(Opcode::kSine); }
inline Ex Cos(const Ex& x) { return x.Un(Opcode::kCosine); }
inline Ex Floor(const Ex& x) { return x.Un(Opcode::kFloor); }
inline Ex Sign(const Ex& x) { return x.Un(Opcode::kSign); }
inline Ex Erf(const Ex& x) { return x.Un(Opcode::kErf); }
inline Ex Pow(const Ex& x, const Ex& y) { return x.Bin(Opcode::kPower, y); }
inline Ex Real(const Ex& z) { return z.Un(Opcode::kReal); }
inline Ex Imag(const Ex& z) { return z.Un(Opcode::kImag); }
inline Ex Complex(const Ex& x, const Ex& y) { return x.Bin(Opcode::kComplex, y); }
inline Ex IsFinite(const Ex& x) { return x.Un(Opcode::kIsFinite); }

}  // namespace hloscope::stablehlo

#endif  // HLOSCOPE_CORE_TEXT_STABLEHLO_EXPRESSION_H_
