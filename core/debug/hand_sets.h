// What was set by hand in a run, remembered so that a run of an edited program can have it again. Not for the command set itself (values.cc) nor
// for what the entry's frame hands over with its values (edit.cc).
#ifndef HLOSCOPE_CORE_DEBUG_HAND_SETS_H_
#define HLOSCOPE_CORE_DEBUG_HAND_SETS_H_

#include <map>
#include <string>
#include <vector>

#include "core/debug/session_state.h"

namespace hloscope {

struct HandSet {
  Mark mark;                    // the present when it was set
  int depth = 0;                // of the frame that has the value
  std::string instruction;      // there
  std::vector<int64_t> path;    // into a tuple
  std::vector<int64_t> places;  // row-major; empty: the whole array
  Value leaf;                   // the array with the new elements
  std::string name;             // "%x[0]"
  bool handed = false;          // it is in a value that the run was given by the one before an edit
};

// State::Extension<HandSets>().
struct HandSets {
  std::map<const Machine*, std::vector<HandSet>> of;
};

// The leaf of a value that `path` leads to; an empty value: there is none.
Value LeafAt(const Value& whole, absl::Span<const int64_t> path);
// Its number among the leaves of such a value (core/ops/leaf_flow.h).
int LeafNumber(const Shape& whole, absl::Span<const int64_t> path);
// The value with another one where `path` leads.
Value WithLeaf(const Value& whole, absl::Span<const int64_t> path, Value leaf);
// Whether the present history still has `sets[which]`, but for elements that later ones of the list have set anew at the same moment: the
// program is moved there.
bool StillSet(Session::State& s, absl::Span<const HandSet> sets, size_t which);
// Sets it where the program stands, which must be at the set's moment: only the elements that were set.
absl::Status SetAgain(Session::State& s, const HandSet& set);

// What was set in this run at later moments than the present, and still is there when it comes to them; in order of time.
std::vector<HandSet> LaterSets(Session::State& s);
// `made` has been set at the present moment, and the history after it begins anew: sets what was set later once more where the program comes
// there again, and says so, and what is gone. Later ones of the same elements give way to it.
void SetLaterAgain(Session::State& s, const HandSet& made, const std::vector<HandSet>& later);

// "iteration 1 of %w, %f": where inside of an instruction of the entry a moment is; empty: in the entry.
std::string InsideText(const Module& module, const Mark& mark);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_HAND_SETS_H_
