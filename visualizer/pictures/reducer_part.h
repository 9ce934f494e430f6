// What a reducer (to_apply of reduce, scatter, all-reduce) does, where that can be said in a word. Not for running it (fold_story.h).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_REDUCER_PART_H_
#define HLOSCOPE_VISUALIZER_PICTURES_REDUCER_PART_H_

#include <cstdint>
#include <vector>

#include "core/element/expr.h"
#include "core/ir/module.h"

namespace hloscope {

// One part of what a reducer gives, of its two parameters for that part.
struct ReducerPart {
  enum Kind : uint8_t {
    kOperation,  // op(left, right), or op(right, left) where that is the same
    kLeft,       // what has been accumulated, or is there, stays
    kRight,      // what comes replaces it
    kOther,      // anything else: only the computation's name is true
  };
  Kind kind = kOther;
  ScalarOp op{};  // of an operation
  Opcode opcode{};
};
// One a part, parameters of the left side first. Empty: it is no reducer of scalars.
std::vector<ReducerPart> PartsOfReducer(const Computation& reducer);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_REDUCER_PART_H_
