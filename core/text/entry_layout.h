// The header's entry_computation_layout against the entry computation: parameters and result must be what it promises a caller.
#ifndef HLOSCOPE_CORE_TEXT_ENTRY_LAYOUT_H_
#define HLOSCOPE_CORE_TEXT_ENTRY_LAYOUT_H_

#include <optional>

#include "core/base/diagnostic.h"
#include "core/ir/module.h"

namespace hloscope {

// Types and dimensions only: layouts may differ. Says nothing about a header that cannot be read.
void CheckEntryLayout(Module& module, DiagnosticSink& sink);

// What the header says of a parameter of the entry, with its layout; nothing without a header. Where that layout is not the parameter's own, a
// caller's buffer has the header's and the value inside the parameter's: the elements are the same, bitcasts see the parameter's.
std::optional<Shape> PromisedParameter(const Module& module, int64_t number);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_ENTRY_LAYOUT_H_
