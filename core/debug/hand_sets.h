// What was set by hand in a run: setting it again, who has read it before, and in which frame it was. The history keeps it (Timeline::Moment).
// Not for the command set itself (values.cc) nor for finding its moments in an edited program (edit_sets.h).
#ifndef HLOSCOPE_CORE_DEBUG_HAND_SETS_H_
#define HLOSCOPE_CORE_DEBUG_HAND_SETS_H_

#include <string>
#include <vector>

#include "core/debug/session_state.h"
#include "core/debug/timeline.h"

namespace hloscope {

// The leaf of a value that `path` leads to; an empty value: there is none.
Value LeafAt(const Value& whole, absl::Span<const int64_t> path);
// Its number among the leaves of such a value (core/ops/leaf_flow.h).
int LeafNumber(const Shape& whole, absl::Span<const int64_t> path);
// The value with another one where `path` leads.
Value WithLeaf(const Value& whole, absl::Span<const int64_t> path, Value leaf);

// All of this history, in order of time; also what is to be set again where the program comes there (Timeline::Await).
std::vector<HandSet> AllSets(Session::State& s);
// Sets it where the program stands, which must be at the set's moment: only the elements that were set. `known`: see Machine::SetValue.
absl::Status SetAgain(Session::State& s, const HandSet& set, bool known = false);

// Whether `reader` reads the part of it that `path` leads to.
bool Reads(const Instruction& reader, const Instruction& value, absl::Span<const int64_t> path);
// Instructions of the set's frame at this position or later read what it set.
int ReadFrom(const HandSet& set);
// Which instructions of the frame have read what was set at the present moment before it was: what the program makes from it, it has made.
// A line to be said; empty: none has.
std::string ReadBeforeText(Session::State& s, const HandSet& made);

// What was set later than at the present moment.
std::vector<HandSet> LaterSets(Session::State& s);
// `made` has been set at the present moment, and the history after it begins anew: sets what was set later once more where the program comes
// there again, and says so, and what is gone. Later ones of the same elements give way to it.
void SetLaterAgain(Session::State& s, const HandSet& made, const std::vector<HandSet>& later);

// It was set up to `now` in its frame at `depth`, or inside of what that ran.
bool IsOfFrame(const HandSet& set, const Mark& now, int depth);
// Up to the present moment: what was set in the frame at `depth` itself (`inside` null), or inside of what that instruction of it ran.
std::vector<HandSet> SetsOfFrame(Session::State& s, int depth, const Instruction* inside = nullptr);

// The computation that an instruction runs as that level of a moment; null: none.
const Computation* RunBy(const Instruction& caller, const Mark::Level& level);
// Of the innermost frame of a moment; null: the program has no such moment.
const Computation* ComputationAt(const Module& module, const Mark& mark);
// "iteration 1 of %w, %f": where inside of an instruction of the entry a moment is; empty: in the entry.
std::string InsideText(const Module& module, const Mark& mark);
// The loop in which a moment is: "the loop %inner, in iteration 2 of %outer,"; empty: it is in none.
std::string LoopText(const Module& module, const Mark& mark);
// "%x[0] in iteration 1 of %w".
std::string SetText(const Module& module, const HandSet& set);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_HAND_SETS_H_
