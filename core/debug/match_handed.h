// How what pairs of instructions hand to the computations they call stands in the two programs: which element of a loop's or a branch's
// tuple is which, and which array of a reduction, a sort. Found by what is made of them, not by their places (value_numbers.h).
#ifndef HLOSCOPE_CORE_DEBUG_MATCH_HANDED_H_
#define HLOSCOPE_CORE_DEBUG_MATCH_HANDED_H_

#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/debug/match.h"
#include "core/debug/value_numbers.h"

namespace hloscope {

// What one pair of called computations is given: the numbers of what is the same in both are the same.
struct HandedPair {
  GivenNumbers a, b;
  std::vector<int> parameters;  // by parameter of a: that of b; -1: none. Empty: as their numbers say
  std::vector<int> order;       // of the one tuple that both get, by element of a; empty: none
  bool loop = false;            // its result stands in that order, too
};

class HandedMatch {
 public:
  // The computations of the matches that are asked about must outlive it.
  HandedMatch(ValueNumbers& of_a, ValueNumbers& of_b) : of_a_(of_a), of_b_(of_b) {}

  // By element of a's loop, or of a conditional's result, or array of what is side by side, that of b; -1: it has none, or it cannot be told which. `node` has a
  // partner. Empty: nothing is handed there, or it is not known what.
  std::vector<int> OrderAt(const ScopeMatch& m, int node);
  // Of the computation number `called` that the pair at `node` calls; `order`: OrderAt.
  HandedPair At(const ScopeMatch& m, int node, int called, const std::vector<int>& order);

 private:
  struct Places;
  const HandedNumbers& HandedIn(ValueNumbers& numbers, const FlatComputation& flat, int node);
  std::vector<int> Match(const Places& places, const HandedNumbers& x, const HandedNumbers& y) const;
  ValueNumber OwnNumber(uint64_t side, size_t k) const;  // of what one program alone has
  HandedPair Tuple(const std::vector<int>& order, const std::vector<ValueNumber>& x, const std::vector<ValueNumber>& y,
                   const std::vector<bool>& same);

  ValueNumbers &of_a_, &of_b_;
  absl::flat_hash_map<std::pair<const FlatComputation*, int>, std::unique_ptr<HandedNumbers>> handed_;  // what has been asked for
  uint64_t serial_ = 0;  // of what is given, so that no two have one number
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MATCH_HANDED_H_
