// What the definitions of stops ask about their expressions. For the files about stops only.
#ifndef HLOSCOPE_CORE_DEBUG_STOP_CHECK_H_
#define HLOSCOPE_CORE_DEBUG_STOP_CHECK_H_

#include <optional>
#include <vector>

#include "core/debug/stops.h"

namespace hloscope {

// What an expression that is evaluated in a frame of `home` reads; an error that says what cannot be meant there.
absl::StatusOr<std::vector<const Instruction*>> CheckAt(Session::State& s, absl::string_view text, const Computation& home, bool watch);
// The same of a condition, which is one truth value. `watched`: the expression of its watch, whose value $_ and $old are.
absl::StatusOr<std::vector<const Instruction*>> CheckConditionAt(Session::State& s, absl::string_view text, const Computation& home, bool watch,
                                                                 std::optional<absl::string_view> watched);
// The expressions between the braces of a logpoint's text (logpoints.cc).
std::vector<absl::string_view> LogExpressions(absl::string_view text);
// Commands of a stop are what is executed next (stop_commands.cc). Where commands of stops have led to the same before, with nothing changed,
// they would never end, and do here.
void NoteTakenUp(Session::State& s);
// The places where the program's own text asks for a stop, those of each number together (program_stops.cc).
std::vector<std::vector<Location>> StopsOfProgram(const Module& module);
// Says where a run does not come by: in calls whose results nothing uses. Step goes into them.
void SayPassedBy(Session::State& s, const Breakpoint& b);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_STOP_CHECK_H_
