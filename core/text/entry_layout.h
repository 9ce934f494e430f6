// The header's entry_computation_layout against the entry computation: parameters and result must be what it promises a caller.
#ifndef HLOSCOPE_CORE_TEXT_ENTRY_LAYOUT_H_
#define HLOSCOPE_CORE_TEXT_ENTRY_LAYOUT_H_

#include "core/base/diagnostic.h"
#include "core/ir/module.h"

namespace hloscope {

// Types and dimensions only: layouts may differ. Says nothing about a header that cannot be read.
void CheckEntryLayout(Module& module, DiagnosticSink& sink);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_ENTRY_LAYOUT_H_
