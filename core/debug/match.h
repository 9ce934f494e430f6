// Which instructions of two programs are the same: by structure, name, op_name and neighbours. Calls and fusions are looked through, so
// that an instruction finds itself again inside the fusion that a compiler made. Not for values (lockstep.h).
#ifndef HLOSCOPE_CORE_DEBUG_MATCH_H_
#define HLOSCOPE_CORE_DEBUG_MATCH_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/ir/module.h"

namespace hloscope {

// A computation with the computations that it calls once in place (calls, fusions) laid flat into it. A node is an instruction at the
// place where it is called from. Handles (parameters of what is called, calls, elements of tuples that are made here) stand for the node
// that makes their value.
struct FlatNode {
  const Instruction* instruction = nullptr;
  int scope = 0;
  absl::InlinedVector<int, 3> operands;  // the nodes that make their values
  int alias = -1;                        // a handle: the node that makes its value
  uint64_t hash = 0;                     // of what it computes from parameters: operations, shapes, attributes, constants; no names
  uint64_t loose = 0;                    // the same with all float types alike
};

struct FlatScope {
  const Computation* computation = nullptr;
  int base = 0;  // its nodes are base + Instruction::index
  absl::flat_hash_map<int, int> calls;  // Instruction::index of a call -> the scope that it enters
};

struct FlatComputation {
  const Computation* computation = nullptr;
  std::vector<FlatNode> nodes;
  std::vector<FlatScope> scopes;    // the first is the computation itself
  std::vector<int> order;           // nodes as they execute
  std::vector<int> core;            // by node: where its number comes from when conversions between floats are looked through
  std::vector<std::vector<int>> users;  // by core node: who reads it
  int root = -1;                    // a node that is no handle
  // The node behind handles.
  int Resolve(int node) const { return nodes[node].alias < 0 ? node : nodes[node].alias; }
};

// Hashes of what is called are kept from one computation to the next.
class Flattener {
 public:
  FlatComputation Flatten(const Computation& computation);

 private:
  std::pair<uint64_t, uint64_t> HashOf(const Computation& computation);
  int AddScope(FlatComputation& flat, const Computation& computation, absl::Span<const int> arguments, int depth);
  void Fill(FlatComputation& flat, int node);
  absl::flat_hash_map<const Computation*, std::pair<uint64_t, uint64_t>> hashes_;
};

// Two computations side by side.
struct ScopeMatch {
  FlatComputation a, b;
  std::vector<int> to_b, to_a;  // by node: its partner, or -1
  // What the instructions of a pair call that is not laid flat (loop bodies, branches, reducers): index into ProgramMatch::scopes, by
  // the node in a and the number of the computation among the instruction's.
  std::map<std::pair<int, int>, int> called;
};

struct StructuralChange {
  enum Kind : uint8_t { kRemoved, kAdded, kChanged, kRenamed, kMoved } kind = kChanged;
  const Instruction* a = nullptr;  // null: added
  const Instruction* b = nullptr;  // null: removed
  std::vector<std::string> what;   // of a change: "constant 2 -> 3", "dimensions={0} -> {1}", "operand 1: %x -> %y"
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

// "%add.3 = f32[4] add(%x, %y)": without attributes that nobody reads here.
std::string Brief(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MATCH_H_
