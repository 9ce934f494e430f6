// The StableHLO text that a program was before an edit made HLO of it.
#ifndef HLOSCOPE_CORE_DEBUG_TEXT_BEFORE_H_
#define HLOSCOPE_CORE_DEBUG_TEXT_BEFORE_H_

#include <memory>

#include "core/base/source.h"
#include "core/debug/session_state.h"

namespace hloscope {

// Of the session's program: its own text, or the one that it was before it was edited; null where it was none.
std::shared_ptr<const SourceText> StableHloText(Session::State& s);
// The latter only: null while the program's text is StableHLO.
std::shared_ptr<const SourceText> StableHloBefore(Session::State& s);
// The session's program was `text` before.
void KeepTextBefore(Session::State& s, std::shared_ptr<const SourceText> text);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_TEXT_BEFORE_H_
