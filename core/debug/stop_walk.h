// Walks through the past that find out what stopped there, and what stops remember at a moment. For the files of commands; the walks begin at
// moments of the Timeline, and the program comes back to where it was.
#ifndef HLOSCOPE_CORE_DEBUG_STOP_WALK_H_
#define HLOSCOPE_CORE_DEBUG_STOP_WALK_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "core/debug/stops.h"
#include "core/debug/travel.h"

namespace hloscope {

// What the memory of the present is wanted for.
enum class Need : uint8_t {
  kGoOn,     // before the program runs on: of stops whose counts decide, and of the others where it costs little
  kWatches,  // after the program was moved: of watches
  kAll,      // to be shown
};
// Makes the memory of the present know what it does not since the program was moved.
absl::Status KnowCounts(Session::State& s, Need need);
// All of them, to be shown: false where that is given up after a short time, because the run up to here is long.
absl::StatusOr<bool> KnowCountsSoon(Session::State& s);
// The same of another moment; `computation`: of its innermost frame. The program is left there, and what stops there is not judged yet.
absl::Status MemoryAt(Session::State& s, const Mark& mark, const Computation& computation, StopMemory* memory);
// What a watch that remembers nothing would have seen last had it been awake all the time; `through`: with what it sees here.
void SeeLast(Session::State& s, const Breakpoint& watch, bool through);
// After the program was moved: watches begin with what they would have seen last had the program come here by itself.
void Arrived(Session::State& s);

// Goes there. False: that moment is not on the way, as where the loop has ended before, or another branch is taken.
absl::StatusOr<bool> SeekOnTheWay(Session::State& s, const Mark& to);

// What a walk has found. The last stop is wanted; the first value that a watch without a memory sees is a stop only if it had another before.
struct Found {
  struct Doubt {
    const Breakpoint* watch;
    Mark mark;
    StopMemory::Seen first;
    std::string note;
  };
  struct Told {
    const Breakpoint* stop;
    std::string note;  // may be empty
  };
  std::optional<Mark> last;
  std::vector<Told> told;  // there, as on the way forward: what was caught, then by number
  StopMemory memory;
  std::vector<Doubt> doubts;

  void Set(const Mark& mark, std::vector<Told> stops, StopMemory seen) {
    last = mark;
    told = std::move(stops);
    memory = std::move(seen);
  }
};

// The instructions in whose element computations the machine stands, the outermost first.
std::vector<const Instruction*> ElementCallersAround(const Machine& machine);

// While it lives everything that may have stopped before `end` is armed, and so is `end` itself. `computation`: of the innermost frame there;
// `element_callers`: around it.
class PastArmed {
 public:
  PastArmed(Session::State& s, const Mark& end, const Computation& computation, absl::Span<const Instruction* const> element_callers);
  ~PastArmed();

 private:
  Session::State& s_;
};

// Runs forward from where the machine stands to `end`, noting the last moment before it at which something stops. `memory`: what stops
// remember here; then what they do there. `judged_here`: what stops where the walk begins is in the memory.
absl::Status FindLastStop(Session::State& s, const Mark& end, bool judged_here, Found* found, StopMemory* memory);
// Doubts of later stretches, in the light of what watches saw at the end of the one before them. `beginning`: there is none before.
void SettleDoubts(Found* found, std::vector<Found::Doubt>* doubts, const StopMemory& memory, bool beginning, std::optional<Mark> later);

// What the machine said of a seek.
// What its message begins with where the way there leads through an exchange that is not made yet.
inline constexpr absl::string_view kBeforeThat = "before that ";
absl::Status SeekStatus(const Session::State& s, StopReason reason);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_STOP_WALK_H_
