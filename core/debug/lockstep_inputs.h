// What the two programs of a lockstep are given: the same values, each in its own types. Not for running (lockstep.h).
#ifndef HLOSCOPE_CORE_DEBUG_LOCKSTEP_INPUTS_H_
#define HLOSCOPE_CORE_DEBUG_LOCKSTEP_INPUTS_H_

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/debug/match.h"
#include "core/debug/program_inputs.h"
#include "core/exec/inputs.h"

namespace hloscope {

class LockstepInputs {
 public:
  LockstepInputs(const Module& a, const Module& b, const ProgramMatch& match, const ProgramInputs& inputs_a, const ProgramInputs& inputs_b)
      : a_(a), b_(b), match_(match), inputs_{&inputs_a, &inputs_b} {}
  // Constants without data get the same made-up numbers where they are matched.
  void ShareElidedConstants(const Fill& fill);
  // Of the program `side` (0 is a). What is matched with a parameter of a is made once, and let go when both have it.
  absl::StatusOr<Value> Parameter(int side, int number, MemoryAccount* account);

 private:
  int InA(int number) const;

  const Module &a_, &b_;
  const ProgramMatch& match_;
  const ProgramInputs* inputs_[2];
  absl::flat_hash_map<int, std::pair<Value, int>> made_;  // by parameter of a: until the other side has it, too
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOCKSTEP_INPUTS_H_
