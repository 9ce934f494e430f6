// A computation laid flat: what it calls in place (calls, fusions) stands in it, so that an instruction has one place whether a compiler
// fused it or not. For comparing programs (match.h); nothing is executed here.
#ifndef HLOSCOPE_CORE_DEBUG_FLATTEN_H_
#define HLOSCOPE_CORE_DEBUG_FLATTEN_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
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

// An attribute whose value is one or several computations.
bool IsComputation(const Attribute& attribute);
absl::string_view NameOf(const Attribute& attribute);
std::string AttributeText(const Attribute& attribute);
// Takes an element out of a tuple.
bool TakesElement(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_FLATTEN_H_
