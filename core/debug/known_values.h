// What is known of the arrays of a run: their whole statistics, gathered a part at a time, so that whoever shows a big array neither takes a
// sample for the whole nor waits for it. Shared by all that ask. Not for values of other moments, nor for tuples.
#ifndef HLOSCOPE_CORE_DEBUG_KNOWN_VALUES_H_
#define HLOSCOPE_CORE_DEBUG_KNOWN_VALUES_H_

#include <chrono>
#include <cstdint>

#include "core/debug/session_state.h"
#include "core/literal/statistics.h"

namespace hloscope {

struct KnownValue {
  Statistics statistics;     // of `statistics.count` elements
  int64_t negative_inf = 0;  // of statistics.inf
  bool whole = false;        // those are all
};

using KnowUntil = std::chrono::steady_clock::time_point;

// Looks on at the value of an instruction in the frame at `depth` (dense, as State's machine gives it) until the time is up, and always at
// some elements; small arrays are looked at whole. What is known is kept while the run lasts, for no copy of the value.
KnownValue LookOn(Session::State& s, int depth, const Instruction& instruction, const Value& array, KnowUntil until);
// Of an array that belongs to no frame, whole.
KnownValue KnowAll(const Value& array);
// Somebody has looked at the whole array.
void Remember(Session::State& s, int depth, const Instruction& instruction, const Value& array, const Statistics& statistics);
// The machine was made anew: nothing is known.
void ForgetKnownValues(Session::State& s);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_KNOWN_VALUES_H_
