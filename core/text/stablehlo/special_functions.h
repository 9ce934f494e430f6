// Special functions that HLO has no operation for, as formulas over f64 arrays (narrower types go through f64).
// Not for functions that HLO has (core/ops/pointwise.def).
#ifndef HLOSCOPE_CORE_TEXT_STABLEHLO_SPECIAL_FUNCTIONS_H_
#define HLOSCOPE_CORE_TEXT_STABLEHLO_SPECIAL_FUNCTIONS_H_

#include "core/text/stablehlo/expression.h"

namespace hloscope::stablehlo {

Ex Erfc(const Ex& x);
Ex ErfInv(const Ex& x);
Ex Lgamma(const Ex& x);       // log |gamma(x)|; infinity at 0, -1, -2, ...
Ex Digamma(const Ex& x);      // NaN at 0, -1, -2, ...
Ex Zeta(const Ex& x, const Ex& q);  // Hurwitz: the sum of (q + k)^-x
Ex Polygamma(const Ex& n, const Ex& x);
Ex BesselI1e(const Ex& x);    // exp(-|x|) I1(x)
// In the operands' own type.
Ex NextAfter(const Ex& x, const Ex& y);

}  // namespace hloscope::stablehlo

#endif  // HLOSCOPE_CORE_TEXT_STABLEHLO_SPECIAL_FUNCTIONS_H_
