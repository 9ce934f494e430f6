// Where the parts of a result come from, for instructions that hand leaves on untouched. Not for operations with a program
// (element/trace.h) and not for what opaque operations depend on (reach.h).
#ifndef HLOSCOPE_CORE_OPS_LEAF_FLOW_H_
#define HLOSCOPE_CORE_OPS_LEAF_FLOW_H_

#include <string>
#include <vector>

#include "core/ir/module.h"
#include "core/literal/value.h"
#include "core/shape/shape.h"

namespace hloscope {

// Leaves of a shape: arrays, tokens and opaque values, in the order of a walk through nested tuples. An array has one: itself.
int LeafCountOf(const Shape& shape);
const Shape& LeafShape(const Shape& shape, int leaf);
const Value& LeafOf(const Value& value, int leaf);
// "[1][0]" of a tuple's leaf, "" of an array.
std::string LeafPathText(const Shape& shape, int leaf);
// The leaf that begins element `element` of a tuple.
int FirstLeafOf(const Shape& tuple, int element);

struct LeafSource {
  int operand = -1;  // kCalled: the called computation's result
  int leaf = 0;
  static constexpr int kNone = -1, kCalled = -2;
};
// One a leaf of the result, for instructions that hand leaves on (tuples and what takes them apart, barriers, the waiting ends of
// asynchronous pairs, starts of asynchronous calls); kNone where the leaf is made here. Empty for all other instructions.
std::vector<LeafSource> SourcesOfLeaves(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_LEAF_FLOW_H_
