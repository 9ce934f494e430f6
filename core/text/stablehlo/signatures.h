// What every function must keep, whether the program reaches it or not: it ends with its only return, the return gives what the function's
// type says, and calls and composites give and take what their callee's type says, up to sizes that are `?` (StableHLO specification: Functions, composite).
// Types alone, as written; nothing is converted.
#ifndef HLOSCOPE_CORE_TEXT_STABLEHLO_SIGNATURES_H_
#define HLOSCOPE_CORE_TEXT_STABLEHLO_SIGNATURES_H_

#include "core/text/stablehlo/convert.h"

namespace hloscope::stablehlo {

// Of all functions of the converter's module; reports to `sink`.
void CheckSignatures(const Converter& converter, DiagnosticSink& sink);

}  // namespace hloscope::stablehlo

#endif  // HLOSCOPE_CORE_TEXT_STABLEHLO_SIGNATURES_H_
