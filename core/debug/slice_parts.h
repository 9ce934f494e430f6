// A slice as the parts that a graph of it has: what was computed, once for each run of its computation (an iteration of a loop, a call), with its
// value then. Data only: found by slice_instructions.h. Not for its elements one by one (slice.h).
#ifndef HLOSCOPE_CORE_DEBUG_SLICE_PARTS_H_
#define HLOSCOPE_CORE_DEBUG_SLICE_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/ir/module.h"

namespace hloscope {

// How numbers are, the worse the later, as figures of health have it (InstructionFigures).
enum class Health : uint8_t { kUnknown, kFinite, kInfinite, kNaN };

// An instruction that calls, and which of its computations.
struct SliceCall {
  const Instruction* caller = nullptr;
  int which = 0;
  auto operator<=>(const SliceCall&) const = default;
};

struct SlicePart {
  const Instruction* instruction = nullptr;
  std::string where;  // "body, iteration 2 of %end"; empty: the entry; where there are several devices, of which: "replica 1: body, ..."
  std::string value;  // of the elements in the slice: "[1] = nan", "4 elements, 0.5 to 2"
  Health health = Health::kUnknown;  // of those elements
  bool cut = false;                  // what it was made from is not in the slice, for that is cut at a depth
  bool asked = false;                // one element in it is what was asked of, at some moment
  std::vector<SliceCall> calls;      // that lead to it, the outermost first
  int64_t terms = 0, terms_left = 0;  // of a sum, the one with the most terms that are not followed
};
// A later part was made from an earlier one.
struct SliceStep {
  int from = -1, to = -1;
  std::string label;  // what only hands the elements on between them: "through %after, %w"
};
struct SliceParts {
  bool runs = false;  // parts are told apart by run, and have values; else a part is an instruction, and where values flow the program says
  std::vector<SlicePart> parts;  // the nearest to what was asked of first
  std::vector<SliceStep> steps;
  int64_t moments = 1;        // that it was asked of: a place in two loops is at several moments at `iteration 0`
  bool more_moments = false;  // there were more, which it is not of
  std::string choose;         // how one of several moments is named
  int depth = 0;      // how many steps it goes back; 0: all, or to the birth of a NaN or an infinity
  std::string birth;  // "NaN", "infinity": it goes straight to where that was born, and to nothing else; empty: it does not
  bool full = false;  // there were more elements than it may have
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SLICE_PARTS_H_
