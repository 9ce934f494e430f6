// What an edit reaches that has not been applied: the instructions whose text is the same, but not all that they are computed from. What ran of
// them is no longer what the text would give. Not for where a run goes on after an edit (core/debug/unchanged.h), which pairs what computes the same.
#ifndef HLOSCOPE_VISUALIZER_MODEL_EDIT_REACH_H_
#define HLOSCOPE_VISUALIZER_MODEL_EDIT_REACH_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/ir/module.h"

namespace hloscope {

// `edited` and all that is computed from it, through calls, branches and loops. Of what a call is given and a loop hands on all elements count. The module may be in error.
absl::flat_hash_set<const Instruction*> ReachedByEdit(const Module& module, const std::vector<const Instruction*>& edited);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_EDIT_REACH_H_
