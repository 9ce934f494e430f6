// compare replicas %x [@ MOMENT], for the command compare.
#ifndef HLOSCOPE_CORE_DEBUG_COMPARE_REPLICAS_H_
#define HLOSCOPE_CORE_DEBUG_COMPARE_REPLICAS_H_

#include "core/debug/session_state.h"

namespace hloscope {

absl::Status CompareReplicas(Session::State& s, absl::string_view args);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_COMPARE_REPLICAS_H_
