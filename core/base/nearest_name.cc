// The search of nearest_name.h.
#include "core/base/nearest_name.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

constexpr size_t kLongest = 200;  // longer names are not searched: nobody types them by hand

}  // namespace

int EditDistance(absl::string_view a, absl::string_view b, int limit) {
  if (std::abs(static_cast<int64_t>(a.size()) - static_cast<int64_t>(b.size())) >= limit) return limit;
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    int least = row[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least >= limit) return limit;
    std::swap(before, above);
    std::swap(above, row);
  }
  return std::min(above[b.size()], limit);
}

NearestName::NearestName(absl::string_view wanted, int64_t* budget)
    : wanted_(wanted), best_distance_(std::max<int>(2, static_cast<int>(wanted.size()) / 3 + 1)), budget_(budget) {}

void NearestName::Offer(absl::string_view candidate) {
  if (*budget_ <= 0 || wanted_.empty() || wanted_.size() > kLongest || candidate.size() > kLongest) return;
  int64_t difference = std::abs(static_cast<int64_t>(wanted_.size()) - static_cast<int64_t>(candidate.size()));
  *budget_ -= 1;
  const int limit = best_distance_ + (difference == 0 && !best_.empty() && !best_has_its_letters_ ? 1 : 0);
  if (difference >= limit) return;
  *budget_ -= static_cast<int64_t>(wanted_.size() * candidate.size());
  const int distance = absl::EqualsIgnoreCase(wanted_, candidate) ? 0 : EditDistance(wanted_, candidate, limit);
  const int longer = static_cast<int>(std::max(wanted_.size(), candidate.size()));
  if (distance >= limit || distance >= longer) return;  // nothing of it is there
  const bool has_its_letters = difference == 0 && std::is_permutation(wanted_.begin(), wanted_.end(), candidate.begin());
  if (distance == best_distance_ && !has_its_letters) return;
  best_distance_ = distance;
  best_ = candidate;
  best_has_its_letters_ = has_its_letters;
}

std::string NearestName::Hint(absl::string_view prefix) const {
  return best_.empty() ? "" : absl::StrCat("did you mean '", prefix, best_, "'?");
}

}  // namespace hloscope
