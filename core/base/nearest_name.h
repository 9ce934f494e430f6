// "Did you mean": the known name that is closest to a mistyped one. Not for lookups.
#ifndef HLOSCOPE_CORE_BASE_NEAREST_NAME_H_
#define HLOSCOPE_CORE_BASE_NEAREST_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hloscope {

// Offer candidates one at a time. A name that differs in its capitals alone is the nearest. Of equally near ones the first counts, but the same letters in another order are likelier meant than others:
// "tahn" is "tanh" rather than "tan". The work over all candidates of all searches that share `budget` (in character comparisons) is bounded.
class NearestName {
 public:
  NearestName(absl::string_view wanted, int64_t* budget);
  void Offer(absl::string_view candidate);
  // "did you mean 'x'?", or empty when nothing is near.
  std::string Hint(absl::string_view prefix = "") const;
  absl::string_view best() const { return best_; }

 private:
  absl::string_view wanted_;
  absl::string_view best_;
  int best_distance_;
  bool best_has_its_letters_ = false;
  int64_t* budget_;
};

// Insertions, deletions, replacements and swaps of neighbours that lead from a to b; `limit` when that many or more.
int EditDistance(absl::string_view a, absl::string_view b, int limit);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_NEAREST_NAME_H_
