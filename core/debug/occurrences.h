// When a computation runs, over the whole run: through which calls, and in which iterations of the loops around it. For looking at values of
// other moments (moments.cc). What is meant is said as "iteration 3,17 call 2 in NAME"; what is left open means all.
#ifndef HLOSCOPE_CORE_DEBUG_OCCURRENCES_H_
#define HLOSCOPE_CORE_DEBUG_OCCURRENCES_H_

#include <functional>
#include <string>
#include <vector>

#include "core/debug/travel.h"
#include "core/debug/ways.h"

namespace hloscope {

struct Asked {
  std::vector<IterationRange> iterations;  // of `loop`, or the innermost loop, and before it of loops around it
  int call = 0;                            // from 1; 0: not said
  int64_t run = 0;                         // from 1, in order of time, of all that the rest may mean; 0: not said
  const Computation* loop = nullptr;       // a loop's body or condition; null: not said
  const Instruction* caller = nullptr;     // the loop itself, either part of it; null: any loop with this body or condition

  bool part_only = false;  // of `caller` only the part `loop`: "in condition of w"

  // What else is said to be around it: "in w in w1".
  struct Around {
    const Computation* loop = nullptr;
    const Instruction* caller = nullptr;
    bool part_only = false;
  };
  std::vector<Around> around;
  bool outside = false;  // "outside of loops"

  static bool Means(const Around& named, const Instruction& runs, const Computation& part) {
    return named.caller == nullptr ? &part == named.loop : &runs == named.caller && (!named.part_only || &part == named.loop);
  }
  // All that is named.
  std::vector<Around> Named() const;
};

struct Occurrence {
  std::vector<int64_t> iterations;  // of the loops around, outer before inner
  size_t shown_from = 0;            // those before are as in the present
  const Way* way = nullptr;
};

class Occurrences {
 public:
  // Of `home`. `stay`: where the program stands inside of it, by the same calls.
  static absl::StatusOr<Occurrences> Of(Session::State& s, const Computation& home, const Asked& asked, bool stay);

  // Not more than one can be meant.
  bool single() const;
  // It is said which in order of time: one at most comes about.
  bool counted() const { return run_ > 0; }
  // A number says which iteration: nothing is told apart by calls or loops, and the program has no other loop.
  bool plain() const;
  // Of a single one.
  Mark OnlyMark() const;
  // "iteration 3,17 call 2 in f", as it is typed, so that it means this one alone.
  std::string Label(const Occurrence& one) const;
  // Of rows of iterations: the number alone where that says which, else as it is typed.
  std::string RowLabel(const Occurrence& one) const;
  size_t RowLabelWidth() const;
  // "call 1 by %f.1, 2 by %f.2", by loop where it is not the same in all; empty: nothing to tell apart.
  std::string Legend() const;
  // What is open, and what chooses that one.
  std::string HowToChoose(const Occurrence& one) const;
  // "256 of 1000 call paths are looked at": there are more than anybody would want; empty: all are.
  std::string LeftOut() const;
  // Of which nothing came about.
  std::string NoneText(absl::string_view moment) const;

  // Goes there one after another, in order of time; the machine is left wherever that ends. `each`: false ends it. `from`: only those that
  // begin later.
  absl::Status Visit(Session::State& s, const std::function<absl::StatusOr<bool>(const Occurrence&)>& each, const Mark* from = nullptr);

 private:
  absl::StatusOr<bool> Walk(Session::State& s, const std::vector<const Way*>& ways, size_t depth, Mark mark, std::vector<int64_t> iterations,
                            const std::function<absl::StatusOr<bool>(const Occurrence&)>& each);

  absl::StatusOr<bool> WalkLoop(Session::State& s, const std::vector<const Way*>& ways, size_t depth, const Mark& mark, const std::vector<int64_t>& iterations,
                                const std::function<absl::StatusOr<bool>(const Occurrence&)>& each);

  absl::Status KeepNamed(const Asked& asked);
  std::string LegendOf(size_t group) const;
  // The groups of the ways that may be meant.
  std::vector<size_t> Groups() const;
  std::string NameOf(const Instruction& loop) const { return LoopName(*module_, loop); }
  // "w", "condition of w", "w in w1"; of a group that is in no loop "no loop". `sigil`: before the loops' names.
  std::string GroupName(size_t group, absl::string_view sigil) const;

  const Mark* from_ = nullptr;  // of Visit
  const Module* module_ = nullptr;
  const Computation* home_ = nullptr;
  std::string call_, chosen_;  // " call 2", " in loop": what was said already and is needed
  bool several_loops_ = false;  // the program has: an iteration alone does not say of which
  int64_t run_ = 0, runs_ = 0;  // the one that is meant, and how many came about
  bool by_name_ = false;       // `home_` itself was named, or is the loop that is meant: not the home of an expression
  std::vector<Way> ways_;
  std::vector<Way> every_way_;  // also those that what was said leaves out: names tell them apart
  double all_ways_ = 0;  // there are, with those that are not in ways_
  bool calls_ = false, groups_ = false;
  std::vector<const Instruction*> group_loops_;  // by group, the innermost loop; null: none
  int64_t most_ = -1;                            // the highest iteration of an innermost loop that came about
};

// The moment after the last thing that was set in the frame of `mark` or in what it runs, if any was.
Mark AfterEdits(const Timeline& timeline, Mark mark);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_OCCURRENCES_H_
