// How far a run has come and how long it will be, for those who wait for it: from the program, what is known of its loops, and what the run
// says of itself while it goes (core/debug/run_progress.h). No times: nobody knows how long an instruction takes.
#ifndef HLOSCOPE_VISUALIZER_MODEL_RUN_PROGRESS_TEXT_H_
#define HLOSCOPE_VISUALIZER_MODEL_RUN_PROGRESS_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "visualizer/model/engine.h"
#include "visualizer/model/snapshot.h"

namespace hloscope {

// The instructions that a whole run executes, as Machine::executed() counts them.
struct RunTotal {
  int64_t instructions = 0;
  bool exact = false;  // else at least so many: a loop's count or a branch is not known before
};
RunTotal TotalOf(const Module& module, const std::vector<TripRow>& trips);

// What a frame inside `caller` runs; null: the mark is not of this program.
const Computation* ComputationInside(const Instruction& caller, const Mark::Level& level);

struct RunningText {
  double share = -1;      // of the run, 0 to 1; -1: not known
  std::string share_text;  // "25 %"; "12 345 instructions" where the whole is not known; may be empty
  std::string loop_text;   // "iteration 17 of 2 000"; of the outermost loop; may be empty
  std::string whole;       // for who has room: "12 345 of 48 001 instructions, iteration 17 of 2 000 of %while.3"
};
RunningText TextOfRun(const Snapshot& now, const Engine::Activity& activity, const RunTotal& total);

// "12 345 678": a count that can be read.
std::string GroupedCount(int64_t n);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_RUN_PROGRESS_TEXT_H_
