// Where a program goes wrong with a NaN or an infinity, the operation that makes it is what is looked for: a constant or an input of one is no smaller
// program. For making programs smaller (minimize.h).
#ifndef HLOSCOPE_CORE_DEBUG_MINIMIZE_BIRTHS_H_
#define HLOSCOPE_CORE_DEBUG_MINIMIZE_BIRTHS_H_

#include <string>

#include "core/debug/minimize.h"

namespace hloscope {

// `fails`, of programs that are given none of those NaN and infinities (of either sign, each by itself) that the first program makes: they are in its
// result, or in a value of its entry that `text` names, and neither in its parameters nor in its constants. `shown`: one of these has to be there
// still; not so where another program runs them, with values of its own.
FailurePredicate KeepingBirths(FailurePredicate fails, Backend& backend, const RunSettings& run, const std::string& text, bool shown);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MINIMIZE_BIRTHS_H_
