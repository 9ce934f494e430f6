// What of a loop's value, and of other tuples, can go, and what runs unread, for making programs smaller (minimize.cc).
#ifndef HLOSCOPE_CORE_DEBUG_MINIMIZE_LOOPS_H_
#define HLOSCOPE_CORE_DEBUG_MINIMIZE_LOOPS_H_

#include <cstdint>
#include <functional>

#include "absl/container/flat_hash_set.h"
#include "core/ir/module.h"
#include "core/ir/rewrite.h"

namespace hloscope {

// get-tuple-element, and what else takes a part of a tuple.
bool TakesPart(const Instruction& i);
// A tuple of more than one part, made where it stands.
bool MakesTuple(const Instruction& i);
// What makes the part of a tuple that is taken right there; null: nothing in the same computation.
const Instruction* MakerOfPart(const Instruction& i);
// What the loop's body makes that part of, where `part` is the loop's value or taken out of it; else null.
const Instruction* PartInBody(const Instruction& loop, const Instruction& part);
// Whether its condition is false before the first iteration in every run: it, and what of the loop's start it reads, is computed from constants.
bool IsNeverEntered(const Instruction& loop);
// Of a loop that fails after its iteration `last`: where it does not fail after the first one, the one after which it does, and before which it
// does not; else the last.
int64_t FirstFailing(int64_t last, const std::function<bool(int64_t iteration)>& fails);
// Adds what runs though nothing reads it, if `i` is such, and what is there for it alone.
void AddUnread(const Instruction& i, absl::flat_hash_set<const Instruction*>* dropped);
// What devices do with one another stays where the rewrite does not drop it. Where it gives the value of a done operation otherwise, what that
// completes goes with it, and the other sends and receives of its channel.
void KeepExchanges(const Module& module, Rewrite* rewrite);
// Adds what is to be done that all parts of a loop's value go that nothing but themselves depends on, or (from 0) that one alone. False: there
// is none.
bool DeadParts(const Instruction& loop, int64_t only, Rewrite* rewrite);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MINIMIZE_LOOPS_H_
