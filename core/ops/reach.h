// Which elements of its operands an element of a result may depend on, of operations without element program. Each operation says so in its
// own file (OpDef::reach); why, influence and the pictures ask here, in both directions. Not for operations with a program (element/trace.h)
// and not for leaves that are handed on untouched (leaf_flow.h).
#ifndef HLOSCOPE_CORE_OPS_REACH_H_
#define HLOSCOPE_CORE_OPS_REACH_H_

#include <vector>

#include "absl/types/span.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "core/shape/index_relation.h"

namespace hloscope {

// One leaf of one operand (From) and one leaf of the result (To).
struct Reach {
  enum class Kind : uint8_t {
    kValue,    // the numbers go into the result
    kCopy,     // the result is one of these; the others do not matter
    kOrdered,  // the result is one of these, and all of them decide which
    kDecides,  // they only decide an order, sizes, or whether there is a result
  };
  Kind kind = Kind::kValue;
  IndexRelation relation;
  bool linear = false;  // instead of the relation: the element at the same row-major place
  bool exact = true;    // false: at most these
};

struct ReachQuestion {
  const Instruction& instruction;
  int leaf = 0;
  int operand = 0, operand_leaf = 0;
  const Shape& from;  // of the operand's leaf, an array
  const Shape& to;    // of the result's leaf, an array

  // Everything depends on everything; the dimensions of both in order share their indices but the last `whole` of the operand.
  Reach Whole(Reach::Kind kind = Reach::Kind::kValue) const;
  Reach AllButLast(int whole, Reach::Kind kind = Reach::Kind::kValue) const;
  Reach Same(Reach::Kind kind = Reach::Kind::kCopy) const { return AllButLast(0, kind); }
  // The arrays' dimensions share their indices but `dimension`.
  Reach Line(int dimension, Reach::Kind kind) const;
};

// Empty: `operand_leaf` of `operand` is not read for `leaf`. What an operation does not say reads everything, and is not exact. Where several
// are given, an element counts as the first of them that has it.
std::vector<Reach> ReachOf(const Instruction& instruction, int leaf, int operand, int operand_leaf);

// Of kCopy and kOrdered: for each place of `to` in the result's `leaf` the place among `from` of operand `operand` that it is a copy of, by
// the numbers: where all arrays agree, equal ones in their order; -1: none of them. Values are dense.
std::vector<int64_t> CopiedFrom(const Instruction& instruction, absl::Span<const Value> operands, const Value& result, int operand, int leaf, absl::Span<const int64_t> from,
                                absl::Span<const int64_t> to);

// Row-major places of the boxes' elements in an array, at most `most`.
std::vector<int64_t> PlacesIn(const Shape& array, absl::Span<const IndexBox> boxes, int64_t most = INT64_MAX);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_REACH_H_
