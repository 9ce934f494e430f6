// An element program made into one that says where its operations may go wrong: a pred for each element. It runs like any program, natively
// where there is a compiler, so that millions of elements are looked at as fast as they are computed.
// Not for saying what went wrong: that is asked of the few elements that are found (scalar_hazards.h, trace.h).
#ifndef HLOSCOPE_CORE_ELEMENT_HAZARD_PROGRAM_H_
#define HLOSCOPE_CORE_ELEMENT_HAZARD_PROGRAM_H_

#include <optional>

#include "core/element/program.h"
#include "core/element/scalar_hazards.h"

namespace hloscope {

struct HazardQuery {
  // None: a NaN is made from numbers that are none.
  std::optional<ScalarHazard> hazard;
  bool infinity = false;   // without a hazard: an infinity is made from finite numbers, instead of a NaN
  int bits = 0;            // of kCancellation, as in Has
  bool in_folds = true;    // also what the bodies of folds do
  // Of a value that elements decide which of two it is, both count, as in a called computation, which makes both.
  bool both_arms = false;
  // Folds are not computed again: the program's first output is at hand as one more operand, the last one. Only operations outside of folds
  // are looked at, and only where that is enough.
  bool result_is_given = false;
};

// Pull programs. Outputs as the program's, of preds: true where some operation of the element may have it; false is certain. Nothing: no
// operation can have it (`*never`), or it cannot be said this way.
std::optional<Program> HazardProgram(const Program& program, const HazardQuery& query, bool* never);

// Whether the operation can make a NaN from numbers that are none.
bool MakesNan(ScalarOp op, ElementType to);
// Whether it can make an infinity from finite numbers.
bool MakesInfinity(ScalarOp op, ElementType to);
// Whether the operation may have what the query asks for, by its types.
bool MayHave(const HazardQuery& query, ScalarOp op, ElementType to, ElementType from);
// Whether the program folds.
bool HasFold(const Program& program);
// Whether an operation in the body of a fold may have it.
bool MayHaveInFolds(const HazardQuery& query, const Program& program);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_HAZARD_PROGRAM_H_
