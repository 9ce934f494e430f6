#include "core/debug/log_moments.h"

#include <algorithm>

namespace hloscope {

bool LoggedMoments::Covers(const Key& from, const Key& to) const {
  if (!(from < to)) return true;
  return std::any_of(stretches_.begin(), stretches_.end(), [&](const Stretch& each) { return !(from < each.from) && !(each.to < to); });
}

void LoggedMoments::Add(const Key& from, const Key& to) {
  if (!(from < to)) return;
  Stretch all{from, to};
  const auto touches = [&](const Stretch& each) { return !(each.to < all.from) && !(all.to < each.from); };
  for (const Stretch& each : stretches_) {
    if (!touches(each)) continue;
    if (each.from < all.from) all.from = each.from;
    if (all.to < each.to) all.to = each.to;
  }
  stretches_.erase(std::remove_if(stretches_.begin(), stretches_.end(), touches), stretches_.end());
  stretches_.insert(std::find_if(stretches_.begin(), stretches_.end(), [&](const Stretch& each) { return all.from < each.from; }),
                    std::move(all));
}

void LoggedMoments::DropAfter(const Mark& mark) {
  const Key end{mark, true};
  for (Stretch& each : stretches_) {
    if (end < each.to) each.to = end;
  }
  stretches_.erase(std::remove_if(stretches_.begin(), stretches_.end(), [](const Stretch& each) { return !(each.from < each.to); }),
                   stretches_.end());
}

}  // namespace hloscope
