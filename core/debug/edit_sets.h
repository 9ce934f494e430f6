// What was set by hand in a run, and its bookmarks, in a run of an edited program: at which moment of that it is set again, and what they
// name there. Not for setting it (hand_sets.h), nor for the rest of what an edit takes along (edit.cc).
#ifndef HLOSCOPE_CORE_DEBUG_EDIT_SETS_H_
#define HLOSCOPE_CORE_DEBUG_EDIT_SETS_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/debug/renames.h"
#include "core/debug/session_state.h"
#include "core/debug/timeline.h"

namespace hloscope {

// The same moment in another program: by the names of what stands at each level. Nothing: something there has no such name any more.
std::optional<Mark> MomentIn(const Module& from, const Module& to, const Renames& renames, Mark mark, std::vector<const Computation*>* computations = nullptr);

// The selected run has the bookmarks of the run of `before` whose moments its program has too. The names of those that are gone.
std::vector<std::string> KeepBookmarks(Session::State& s, const Module& before, const Renames& renames, const std::map<std::string, Mark>& bookmarks);
void SayLostBookmarks(Session::State& s, const std::vector<std::string>& lost);

// Attributes in an order of their own, of computations the attribute's name alone.
std::string AttributesText(const Instruction& i);
// Does the line of `b`, of an edited program, say what that of `a` says, but for names and for what is called? Shapes are not looked at.
bool SameLine(const Instruction& a, const Instruction& b, const Renames& renames);

struct PlacedSet {
  HandSet was;                 // in the program before
  std::optional<HandSet> now;  // in the edited one; none: it has no such value, or the edit itself says what the value is
  bool redefined = false;      // that
};
// A set stays at its moment: behind what had read the value, and before what had not. Where the edited program reads the value earlier, in an
// instruction that had not read it, it is set before that.
PlacedSet PlaceSet(const Module& from, const Module& to, const Renames& renames, const HandSet& set);

// Which values of the old entry are those of the new one also with what was set: of `old_position` (by position in the new entry, -1: none)
// those become -1 that were made with what is not set there again, or otherwise. `executes`: of the others, what must not be handed over, as
// something is to be set in it.
void KeepWithSets(const Module& from, const Module& to, const std::vector<PlacedSet>& sets, std::vector<int>* old_position, std::vector<bool>* executes);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_EDIT_SETS_H_
