// The console's commands about profiles: `profile`, `info hot`, and what `info memory` adds.
#ifndef HLOSCOPE_CORE_DEBUG_PROFILE_COMMANDS_H_
#define HLOSCOPE_CORE_DEBUG_PROFILE_COMMANDS_H_

#include "absl/status/status.h"
#include "core/debug/profile.h"
#include "core/debug/session_state.h"

namespace hloscope {

absl::Status InfoHot(Session::State& s, absl::string_view args);
// The last profile's of the selected device; null when none was taken.
const ProfileData* LastProfile(Session::State& s);
// The largest values held now, as lines; empty when nothing is held.
std::string HeldNowText(const Session::State& s, size_t most);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PROFILE_COMMANDS_H_
