// A figure for each instruction, of what a session knows: its time, whether its value is finite, its error. For pictures that colour a program
// by them. Not for tables (profile.h, shadow.h).
#ifndef HLOSCOPE_CORE_DEBUG_INSTRUCTION_FIGURES_H_
#define HLOSCOPE_CORE_DEBUG_INSTRUCTION_FIGURES_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/debug/session_state.h"
#include "core/ir/call_tree.h"

namespace hloscope {

struct InstructionFigures {
  absl::flat_hash_map<const Instruction*, double> of;  // times
  CallFigures by_call;                                 // health and errors: a computation may make a NaN in one call and none in another
  absl::flat_hash_map<const Instruction*, int64_t> calls;  // of times: how often an instruction called something, as far as it is known
  double total = 0, most = 0;
  std::string worst_of;  // of errors, where not all was looked at: "a sample of each result's elements, in 20 of 300 executions"
  bool more = false;    // there is more to be looked through or to be made again: ask again
  std::string missing;  // why there are none
  std::string command;  // that makes them
};

// The call that the last frame is of; known to the tree from now on. No frames: the entry.
int CallOf(absl::Span<const Frame> frames, CallTree* tree);

// How well a value is, as a figure.
inline constexpr double kFine = 1, kInfinite = 2, kNotANumber = 3;

// Seconds, of the last profile; a fused region's are shared among its members.
InstructionFigures TimeFigures(Session::State& s);
// kFine, kInfinite or kNotANumber, of values that are held, the newest first, up to a limit of bytes (big ones a part at a time); and of small ones of the innermost
// frame that can be made again soon (what ran fused is not held).
InstructionFigures HealthFigures(Session::State& s);
// The worst own error in ULP, of the last shadow.
InstructionFigures ErrorFigures(Session::State& s);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_INSTRUCTION_FIGURES_H_
