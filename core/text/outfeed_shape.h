// outfeed_shape against the value that is handed out: it says that value's shape, in the layout in which the world outside takes it.
#ifndef HLOSCOPE_CORE_TEXT_OUTFEED_SHAPE_H_
#define HLOSCOPE_CORE_TEXT_OUTFEED_SHAPE_H_

#include "core/base/diagnostic.h"
#include "core/ir/module.h"

namespace hloscope {

// Types and dimensions only: layouts may differ.
void CheckOutfeedShapes(const Module& module, DiagnosticSink& sink);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_OUTFEED_SHAPE_H_
