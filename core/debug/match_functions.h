// Which computation of one module is which of another, by what they are: for telling a call that is pointed at another function from a
// function that has changed. Not for instructions (match.h).
#ifndef HLOSCOPE_CORE_DEBUG_MATCH_FUNCTIONS_H_
#define HLOSCOPE_CORE_DEBUG_MATCH_FUNCTIONS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/debug/flatten.h"
#include "core/debug/match.h"
#include "core/debug/value_numbers.h"
#include "core/ir/module.h"

namespace hloscope {

class FunctionMatch {
 public:
  // The numbers keep those of what is called, and outlive this.
  FunctionMatch(const Module& a, const Module& b, ValueNumbers& numbers_a, ValueNumbers& numbers_b);

  // The other module's computation with the same text: under its name, or under another one where that can be only one. Null: none.
  const Computation* InB(const Computation& a) const { return Find(to_b_, a); }
  const Computation* InA(const Computation& b) const { return Find(to_a_, b); }

  // Whether who called `p` and calls `q` now calls another function: not `p` as it was changed, but one of two that both modules have, or
  // one that has nothing to do with the other.
  bool IsAnother(const Computation& p, const Computation& q);
  // The same of any of the computations that two instructions call.
  bool CallsAnother(const Instruction& x, const Instruction& y);

  // Calls that are run in place and are other calls in the other program, anywhere below `p` and `q` laid side by side: adds those of a and
  // b, and with them what stands beside them elsewhere.
  void FindRedirected(const Computation& p, const Computation& q, absl::flat_hash_set<const Instruction*>& in_a,
                      absl::flat_hash_set<const Instruction*>& in_b);

 private:
  using Map = absl::flat_hash_map<const Computation*, const Computation*>;
  struct CallPair {
    const Instruction* a;
    const Instruction* b;
    bool another;
  };
  uint64_t Text(const Computation& computation, bool deep);
  static const Computation* Find(const Map& map, const Computation& key) {
    const auto found = map.find(&key);
    return found == map.end() ? nullptr : found->second;
  }
  void PairBySameText(const Module& a, const Module& b);
  bool Alike(const Computation& p, const Computation& q);
  const std::vector<CallPair>& Calls(const Computation& p, const Computation& q);
  void CollectCalls(const Computation& p, const Computation& q,
                    absl::flat_hash_set<std::pair<const Computation*, const Computation*>>& seen, std::vector<CallPair>& calls);

  ScopeMatch NoneLaidFlat(const Computation& p, const Computation& q);  // without pairs

  ValueNumbers &numbers_a_, &numbers_b_;
  Map to_b_, to_a_;
  absl::flat_hash_map<const Computation*, uint64_t> deep_;
  absl::flat_hash_set<uint64_t> of_a_, of_b_, left_of_a_, left_of_b_;  // the texts of those that have a partner, and of the others
  absl::flat_hash_map<std::pair<const Computation*, const Computation*>, bool> another_, alike_;
  absl::flat_hash_map<absl::string_view, const Computation*> named_a_, named_b_;
  absl::flat_hash_map<std::pair<const Computation*, const Computation*>, std::vector<CallPair>> calls_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_MATCH_FUNCTIONS_H_
