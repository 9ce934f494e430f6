// What the pairs of a lockstep read, and whether what differs in one comes from another. Not for running (lockstep.h).
#ifndef HLOSCOPE_CORE_DEBUG_LOCKSTEP_READS_H_
#define HLOSCOPE_CORE_DEBUG_LOCKSTEP_READS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/base/hash.h"
#include "core/debug/match.h"
#include "core/exec/machine.h"

namespace hloscope {

// Of a pair in a frame; `in_a`: its node.
inline uint64_t PairKey(uint64_t frame_key, int in_a) { return MixHash(frame_key, static_cast<uint64_t>(in_a) + 1); }

bool SameBytes(const Value& a, const Value& b);
// Passes no kernel of its own: seen where it is read.
bool SeenWhereRead(const Instruction& i);
// A value in the shape of the other program's parameter, by way of the narrower type.
Value ConvertThrough(const Value& value, const Shape& other, const Shape& wanted);
// The arrays of a tuple, in order.
void Leaves(const Value& value, std::vector<Value>& leaves);
// Of the frame in which the pair `in_a` of the frame `outer` runs a loop's iteration or a branch.
uint64_t InnerKey(uint64_t outer, int in_a, int64_t iteration, int branch, FrameKind kind);
// A tuple of other values than its partner's: of a value that only one program has, or of another one that both have. Nobody else compares
// those as what they are here. `entry`: the scope is the programs' entry.
bool HandsOnOthers(const ScopeMatch& m, int in_a, bool entry);
// A tuple's value in b with its elements where a has them; to `without_partner` goes how many arrays only one of the two has.
Value InOrderOfA(const ScopeMatch& m, int in_a, const Value& of_b, int64_t* without_partner);
// The value of an instruction of the frame, where it need not be made again; else none.
Value Held(const Frame& frame, const Instruction& i);
// Whether a pair that `node` reads, straight or through instructions of its program alone, has diverged in this frame. `entry`: as above. `diverged`: keys of
// pairs; `any`: anything has, which a tuple from elsewhere may bring. `only`: gets the instructions of its program alone.
bool Inherits(const ScopeMatch& m, int side, bool entry, uint64_t frame_key, int node, const absl::flat_hash_set<uint64_t>& diverged,
              bool any, std::vector<const Instruction*>& only);
// Whether the result of a branch that this conditional ran has diverged.
bool BranchDiverged(const ProgramMatch& match, const ScopeMatch& m, uint64_t frame_key, int in_a,
                    const absl::flat_hash_set<uint64_t>& diverged);
// Of a parameter of what a loop or branch runs, or an element of it: what is changed in the instruction that gives it (`giver_node`
// of `from`; null: it is not known).
std::vector<std::string> GivenOtherwise(const FlatComputation& flat, int node, const ScopeMatch* from, int giver_node);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOCKSTEP_READS_H_
