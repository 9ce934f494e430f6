// A computation laid flat: what it calls in place (calls, fusions) stands in it, so that an instruction has one place whether a compiler
// fused it or not. For comparing programs (match.h); nothing is executed here.
#ifndef HLOSCOPE_CORE_DEBUG_FLATTEN_H_
#define HLOSCOPE_CORE_DEBUG_FLATTEN_H_

#include <cstdint>
#include <functional>
#include <string>
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
  int caller = -1;  // the node of the call; -1: of the first
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

// Without hashes, which are value_numbers.h's. `stays`: of a call, whether it is not laid flat but stays an instruction; null: none does.
FlatComputation LayFlat(const Computation& computation, const std::function<bool(const Instruction&)>& stays = nullptr);

// What is called, if it runs in place and hands its result on (a call, a fusion): what is laid flat. Null: no such call.
const Computation* CalledInPlace(const Instruction& instruction);
// Makes a tuple of its operands, one an element.
bool BuildsTuple(const Instruction& instruction);
// Of a constant's value; `loose`: with all float types alike.
uint64_t HashLiteral(const Instruction& instruction, bool loose);

// An attribute whose value is one or several computations.
bool IsComputation(const Attribute& attribute);
absl::string_view NameOf(const Attribute& attribute);
std::string AttributeText(const Attribute& attribute);
// Takes an element out of a tuple.
bool TakesElement(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_FLATTEN_H_
