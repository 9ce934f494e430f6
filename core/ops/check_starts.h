// Operations in two halves, a start and a done (all-reduce-start, send, async-start, ...): whether the halves of a computation fit. Not for what
// either of them requires of its operands, which its shape rule says.
#ifndef HLOSCOPE_CORE_OPS_CHECK_STARTS_H_
#define HLOSCOPE_CORE_OPS_CHECK_STARTS_H_

#include "core/base/diagnostic.h"
#include "core/ir/module.h"

namespace hloscope {

// It is the start or the done of an operation in two halves.
bool IsHalf(Opcode opcode);
// Reports what is completed twice, and what nobody completes. A start that is the root, or that something else takes, may be completed elsewhere.
void CheckStarts(const Computation& computation, DiagnosticSink& sink);
// Reports sends and receives that nobody completes, and who reads their arrays before that, through whatever hands them on, also into computations
// and out of them. All instructions of the module must be sound.
void CheckTransfersOnTheWay(const Module& module, DiagnosticSink& sink);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_CHECK_STARTS_H_
