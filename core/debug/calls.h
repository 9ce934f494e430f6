// Who calls whom in a program, and which names can be seen from where: found once from the module. Not about a running program.
#ifndef HLOSCOPE_CORE_DEBUG_CALLS_H_
#define HLOSCOPE_CORE_DEBUG_CALLS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/ir/module.h"

namespace hloscope {

// The payload of an error that says that the loop whose iteration is asked for is not running.
inline constexpr absl::string_view kLoopNotRunning = "hloscope/loop-not-running";

struct CallGraph {
  std::vector<std::vector<const Instruction*>> callers;  // by computation id
  std::vector<bool> in_loop;                             // a loop's condition or body, or called from one
  std::vector<bool> repeats;                             // may run more than once: in a loop, by elements, or called from several places
  // By computation id: the instructions that call it element by element, or what it is called, branched to or looped over in.
  std::vector<std::vector<const Instruction*>> element_callers;
};
CallGraph MakeCallGraph(const Module& module);
// Whether step goes into what the instruction calls element by element. What collectives combine with is not gone into: that is done for all
// devices at once.
bool CallsElements(const Instruction& instruction);
// Collectives that combine what devices bring with `home`, or with what runs it.
std::vector<const Instruction*> CombinedBy(const CallGraph& calls, const Computation& home);

// `home` and every computation that may be around it while it runs, the nearest first.
std::vector<const Computation*> Surroundings(const CallGraph& calls, const Computation& home);
// The instruction that a name means in a frame of `home`: there, or in what may be around it. Null: none.
const Instruction* ResolveFrom(const CallGraph& calls, const Computation& home, absl::string_view name);
// Whether the result of its computation, or an effect, is made from the instruction.
bool IsUsed(const Instruction& instruction);
// Calls and loops on the ways to `home` whose results nothing uses: a run does not execute them.
std::vector<const Instruction*> PassedBy(const CallGraph& calls, const Computation& home);
// Whether the loop is meant by that name: its own ("w", "body:w"), or that of its condition or body.
bool IsCalled(const Instruction& loop, absl::string_view name);
// Its name without %, with its computation ("body:w") where another one of `among` has that name too; null ones do not count.
std::string NameAmong(const Instruction& instruction, absl::Span<const Instruction* const> among);
// The name of a loop as it is typed wherever the program stands: with its computation where another loop or a computation has that name.
std::string LoopName(const Module& module, const Instruction& loop);
// The loops that are meant by it, in program order; NotFound with the nearest name.
absl::StatusOr<std::vector<const Instruction*>> FindLoops(const Module& module, absl::string_view name);
// That the name does not say which of the loops, which run in each other, is meant.
absl::Status SeveralLoops(absl::string_view name, absl::Span<const Instruction* const> loops);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_CALLS_H_
