// Which instructions of two programs are the same: by structure, name, op_name and neighbours. Calls and fusions are looked through, so
// that an instruction finds itself again inside the fusion that a compiler made. Not for values (lockstep.h).
#ifndef HLOSCOPE_CORE_DEBUG_MATCH_H_
#define HLOSCOPE_CORE_DEBUG_MATCH_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/debug/flatten.h"
#include "core/ir/module.h"

namespace hloscope {

// Two computations side by side.
struct ScopeMatch {
  FlatComputation a, b;
  std::vector<int> to_b, to_a;  // by node: its partner, or -1
  // What the instructions of a pair call that is not laid flat (loop bodies, branches, reducers): index into ProgramMatch::scopes, by
  // the node in a and the number of the computation among the instruction's.
  std::map<std::pair<int, int>, int> called;
  absl::flat_hash_map<int, std::vector<std::string>> changed;  // by node of a: what is another at this place
  // Of these, nodes that are the same operation and only read something else, in a computation whose names are others in b: where one
  // value is taken for another one, that may be the matching's fault.
  absl::flat_hash_set<int> rewired;
  absl::flat_hash_set<int> retyped;  // of these, the same operation on the same operands, in another precision
  absl::flat_hash_set<int> redirected;  // nodes of a that call another function than their partners: what they call is not in `called`
  // Tuples of a whose elements all agree to stand in another order in b, or of which b has more or fewer: by element of a, that of b, or
  // -1.
  absl::flat_hash_map<int, std::vector<int>> reordered;
  // What loops, and operations on arrays side by side, hand to what they call, and what conditionals give: by element or array of a, that of b; -1: none, or it cannot
  // be told which.
  absl::flat_hash_map<int, std::vector<int>> handed;
  bool names_kept = true;  // most pairs have one name
  std::vector<int> given;  // the same of the tuple that this computation is given; empty: as its elements stand
  // The same, where b has more or fewer, of the nodes that elements are taken out of: parameters, loops, conditionals.
  absl::flat_hash_map<int, std::vector<int>> taken;
};

// Finds the pairs of `m.a` and `m.b`: fills to_b and to_a. `calls_another`: of two instructions with computations, whether these are two
// functions: such a pair is the last choice. `parameters`: by parameter of a, that of b; null: as their numbers say. `loop`: a loop's
// body, whose result has the order of ScopeMatch::given. `order_of`: of a pair of loops (the node in a), by element of a's, that of b's or -1;
// empty: it is not known.
void PairUp(ScopeMatch& m, const std::function<bool(const Instruction& a, const Instruction& b)>& calls_another = nullptr,
            const std::vector<int>* parameters = nullptr, bool loop = false,
            const std::function<std::vector<int>(const ScopeMatch& m, int node)>& order_of = nullptr);
// Whether the shapes allow for a pair: the same arrays, or tuples of which one has more elements.
bool LikeShapes(const Instruction& a, const Instruction& b);
// Which operand of b stands for operand k of a, of a pair whose arrays stand side by side in another order; else k.
size_t OperandInB(const ScopeMatch& m, int node, size_t k);
// Of two instructions that commute: whether the operands of node y of b stand the other way round than those of node x of a.
bool AreSwapped(const ScopeMatch& m, int x, int y);

struct ProgramMatch;
// Fills ScopeMatch::reordered of all.
void FindReordered(ProgramMatch& match);

struct StructuralChange {
  enum Kind : uint8_t { kRemoved, kAdded, kChanged, kRenamed, kMoved } kind = kChanged;
  const Instruction* a = nullptr;  // null: added
  const Instruction* b = nullptr;  // null: removed
  std::vector<std::string> what;   // of a change: "constant 2 -> 3", "dimensions={0} -> {1}", "operand 1: %x -> %y", "to_apply f -> g"
  const Computation* as_it_was = nullptr;  // of a change: b's computation is a changed copy of a's, which b has unchanged as well: this one
};

struct ProgramMatch {
  std::vector<std::unique_ptr<ScopeMatch>> scopes;  // the first is the entry's
  std::vector<StructuralChange> changes;            // in program order
  int64_t matched = 0, identical = 0;               // instructions of a; identical: also in everything they depend on
  int64_t layouts = 0;                              // matched ones that differ in layout only
  int64_t Count(StructuralChange::Kind kind) const;
  // Anything but names, order, layouts.
  bool SameStructure() const { return Count(StructuralChange::kRemoved) + Count(StructuralChange::kAdded) + Count(StructuralChange::kChanged) == 0; }
};

// Both modules must have been verified.
ProgramMatch MatchPrograms(const Module& a, const Module& b);

// What differs in a pair (by scope and node of a) itself at its place; where nothing does, in what the two call (a reducer, say), which
// runs without instructions of its own.
std::vector<std::string> ChangedAt(const ProgramMatch& match, int scope, int node);

// "%add.3 = f32[4] add(%x, %y)": without attributes that nobody reads here.
std::string Brief(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MATCH_H_
