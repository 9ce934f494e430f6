// Which values of a frame are what was set by hand, or come from it: directly, or through others of the frame. What had read a value before it
// was set does not. The one definition for the console and the window; the sets themselves: hand_sets.h.
#ifndef HLOSCOPE_CORE_DEBUG_SET_READERS_H_
#define HLOSCOPE_CORE_DEBUG_SET_READERS_H_

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/debug/session_state.h"

namespace hloscope {

struct SetMark {
  std::vector<std::string> own;   // what of the value itself was set: "%x[0]"
  std::vector<std::string> from;  // what it comes from, oldest first; of what was set inside of a call of the frame "%q[1] in iteration 2 of %w"
};
using SetMarks = absl::flat_hash_map<const Instruction*, SetMark>;

// Of the frame at `depth`, as it stands; without those that have nothing to do with what was set. Leaves of tuples are followed by themselves,
// also through loops, calls and branches; elements of arrays are not.
SetMarks MarksOfSets(Session::State& s, int depth);
// "%x[0] set by hand", "from %a and %b[0], set by hand"; empty: no mark.
std::string SetMarkText(const SetMark& mark);
// The same of one value.
std::string SetMarkOf(Session::State& s, int depth, const Instruction& value);
// Of all values that an expression reads, a line each that can be said as it is: "  %y: from %x[0], set by hand". Of a whole value alone without its name.
std::string SetMarksOfExpression(Session::State& s, absl::string_view expression);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SET_READERS_H_
