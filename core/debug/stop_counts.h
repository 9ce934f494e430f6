// How often stops were reached, as of a moment, and what follows from it: what is passed (ignore) and what sleeps (enable once). It is part of
// the past: a function of the moment, so that the same stops are made whatever way leads there. Nothing here moves the program: stop_walk.h.
#ifndef HLOSCOPE_CORE_DEBUG_STOP_COUNTS_H_
#define HLOSCOPE_CORE_DEBUG_STOP_COUNTS_H_

#include <map>
#include <vector>

#include "core/debug/breakpoint.h"
#include "core/debug/expression.h"

namespace hloscope {

struct StopCounts {
  int64_t reached = 0;     // how often the program has come there (a watch: how often it was evaluated; a catch: caught)
  int64_t hits = 0;        // of these, with a condition that was true (a watch: with a change)
  int64_t unknown = 0;     // of these, with a condition (a watch: an expression) that could not be evaluated
  int64_t ignored = 0;     // of the hits, under the ignore rule in force
  int64_t stops = 0;       // stops under the limit in force
  size_t ignore_rule = 0;  // how many rules have come into force
  size_t limit_rule = 0;
};

// What stops remember at a moment, by their numbers. A walk through the past has its own, so that the present's is not disturbed.
struct StopMemory {
  struct Seen {
    bool known = false;
    bool held = false;       // the condition, of a watch that waits for it
    ExpressionResult value;
  };
  std::map<int, Seen> watches;      // what watches saw last
  std::map<int, StopCounts> counts; // a number that is not here: not known; then `watches` may not know what was before either
  Mark judged;                      // the last moment at which it was judged what stops
};

// Puts the rules in force that hold for what happens at `now`. True: a limit has come into force for a stop that slept.
bool TakeUpRules(const Breakpoint& b, StopCounts& counts, const Mark& now);
// Under the rules in force.
bool Sleeps(const Breakpoint& b, const StopCounts& counts);
bool Passes(const Breakpoint& b, const StopCounts& counts);
// What is left for what comes after `now`: hits that are passed; stops until it sleeps, -1: it does not.
int64_t PassedYet(const Breakpoint& b, StopCounts counts, const Mark& now);
int64_t StopsYet(const Breakpoint& b, StopCounts counts, const Mark& now);
// From `now` on, `count` hits are passed, or stops are made.
void AddRule(std::vector<Breakpoint::Rule>& rules, const Mark& now, int64_t count);
// Whether counts decide if it stops.
bool Decisive(const Breakpoint& b);

// Memories of moments that the program came through while it was judged what stops.
class StopLedger {
 public:
  struct Key {
    Mark mark;
    bool after = false;  // what stops at the mark is in the memory already
    friend bool operator<(const Key& a, const Key& b) { return a.mark < b.mark || (!(b.mark < a.mark) && !a.after && b.after); }
  };
  // Of the numbers whose counts are known, and for watches only what they saw if it is small.
  void Add(const Mark& mark, const StopMemory& memory);
  void AddOne(const Mark& now, int number, const StopMemory& memory);
  // The last entry not after `key` that knows the number; null: none.
  const std::pair<const Key, StopMemory>* Before(const Key& key, int number) const;
  void Forget(int number);
  void ForgetAfter(int number, const Mark& mark);
  // Something was set there: what comes after is not so any more.
  void DropAfter(const Mark& mark);
  void Clear() { entries_.clear(); }

 private:
  std::map<Key, StopMemory> entries_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_STOP_COUNTS_H_
