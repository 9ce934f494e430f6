// The StableHLO program that an edit made HLO of.
#ifndef HLOSCOPE_CORE_DEBUG_STABLEHLO_ORIGIN_H_
#define HLOSCOPE_CORE_DEBUG_STABLEHLO_ORIGIN_H_

#include <memory>

#include "core/base/source.h"
#include "core/debug/session_state.h"

namespace hloscope {

struct StableHloOrigin {
  std::shared_ptr<const SourceText> text;
  std::unique_ptr<const Module> program;  // read when it is first asked for
};

// Of the session's program, which may still be it; null: it was no StableHLO.
std::shared_ptr<StableHloOrigin> OriginOf(Session::State& s);
// The session's program was made from it.
void KeepOrigin(Session::State& s, std::shared_ptr<StableHloOrigin> origin);
// What the session's program was; null where it is StableHLO still, or was none.
const Module* StableHloBefore(Session::State& s);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_STABLEHLO_ORIGIN_H_
