// The ways from the entry to a computation: through which calls, loops and branches it can come to run, from the module alone. And what a
// moment is called, as commands take it. Not about how often a way is taken (occurrences.h).
#ifndef HLOSCOPE_CORE_DEBUG_WAYS_H_
#define HLOSCOPE_CORE_DEBUG_WAYS_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/debug/calls.h"
#include "core/exec/machine.h"

namespace hloscope {

struct IterationRange {
  int64_t first = 0, last = -1;  // last -1: to the end
  bool one() const { return first == last; }
};

// A way from the entry to the computation: the instructions that run what lies between, the outermost first.
struct Way {
  struct Step {
    const Instruction* caller;
    const Computation* callee;
    int branch;
    Mark::Level level;  // of the frame it makes, at its beginning
  };
  std::vector<Step> steps;
  std::vector<IterationRange> ranges;  // by step; of loops
  size_t open_from = 0;                // steps before it are those of the present stack
  size_t group = 0;                    // ways through the same loops, iterations mean the same in them
  int call = 1;                        // in its group, in program order
};

bool IsLoopStep(const Way::Step& step);

inline constexpr size_t kMostWays = 256;
// The first kMostWays, in program order.
std::vector<Way> WaysTo(const Module& module, const CallGraph& calls, const Computation& home);
// It runs element by element only: no way leads there, but something calls it so, or what runs it.
bool RunsByElements(const Module& module, const CallGraph& calls, const Computation& home);
// "%ar in body combines with it what devices bring, for all of them at once and without steps": of a computation that runs in no other way, so
// that nothing stops there and no value is held. "": another one.
std::string OnlyCombinedText(const Module& module, const CallGraph& calls, const Computation& home);
// How many there are.
double CountWays(const Module& module, const CallGraph& calls, const Computation& home);
// Puts them in groups and counts the calls of each, or over all where each group has one. Returns the size of the largest group; `loops`
// gets the innermost loop of each, null where there is none.
int NumberWays(std::vector<Way>& ways, std::vector<const Instruction*>& loops);

// The loops of the way as "in NAME" takes them, with `sigil` before their names: the innermost, "w"; "w in w1" where other ways go through
// it by other loops (`ways` has all, numbered); "condition of w" and "body of w" where ways go through both, or a condition itself is meant
// (`part`). Empty: it goes through no loop.
std::string LoopsName(const Module& module, absl::Span<const Way> ways, const Way& way, absl::string_view sigil, bool part = false);
size_t CountLoops(const Way& way);

// A frame of a stack that may be gone: which run of which computation.
struct PastFrame {
  const Instruction* caller = nullptr;
  const Computation* computation = nullptr;
  FrameKind kind = FrameKind::kEntry;
  int64_t iteration = 0;
  int branch = -1;
};
// The frames on top of the entry's.
std::vector<PastFrame> PastFramesOf(absl::Span<const Frame> frames);
// "iteration 3,17 call 2 in w", as goto and print ... @ take it; empty where the computation runs once.
std::string MomentName(const Module& module, const CallGraph& calls, absl::Span<const PastFrame> frames);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_WAYS_H_
