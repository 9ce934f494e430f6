#include "core/debug/lockstep_verdict.h"

#include <iterator>

namespace hloscope {

void Verdict::Counts::Add(const Divergence& d) {
  ++all;
  own += d.own;
  besides += d.besides();
}

void Verdict::Doubt(Divergence d) {
  const auto found = more_.find({d.a, d.b});
  const bool first = found == more_.end();
  if (doubtful_.size() < options_.keep || (first && (d.own || d.besides()))) {
    more_[{d.a, d.b}];
    doubtful_.push_back(std::move(d));
    return;
  }
  more_[{d.a, d.b}].Add(d);  // a loop may have a million of them
}

bool Verdict::Convict(Divergence d) {
  TakeAllRewritten(rewrites_.TakeDecided());
  if (rewrites_.WaitsForResults()) {
    if (d.own || !certain_.empty()) certain_.push_back(std::move(d));
    else Doubt(std::move(d));
    return false;
  }
  std::vector<Divergence> all = rewrites_.TakeUndecided();
  all.push_back(std::move(d));
  CountAll(std::move(all));
  return true;
}

void Verdict::Decide(std::vector<Divergence> results, const absl::flat_hash_set<int>& differing, bool compared) {
  if (compared) rewrites_.Results(differing);
  TakeAllRewritten(rewrites_.TakeDecided());
  std::vector<Divergence> undecided = rewrites_.TakeUndecided();
  std::move(doubtful_.begin(), doubtful_.end(), std::back_inserter(undecided));
  if (compared && differing.empty()) {
    TakeAllRewritten(std::move(undecided));
    for (const auto& [pair, more] : more_) report_.rewritten_pairs += more.all;
  } else {
    CountAll(std::move(undecided));
    CountMore();
  }
  CountAll(std::move(certain_));
  for (Divergence& d : results) {
    d.own = report_.diverging == 0 && &d == &results[0];
    if (!d.own) d.changed.clear();
  }
  CountAll(std::move(results));
}

bool Verdict::CountPair(const Pair& pair, const Counts& counts) {
  report_.diverging += counts.all;
  report_.own += counts.own;
  report_.besides += counts.besides;
  const int64_t tells = counts.own + counts.besides;
  if (tells == 0) return false;
  LockstepReport::Telling& of_pair = report_.telling[pair];
  const bool first = of_pair.all == 0;
  of_pair.all += tells;
  of_pair.own += counts.own;
  return first;
}

void Verdict::Count(Divergence d) {
  Counts one;
  one.Add(d);
  const bool first = CountPair({d.a, d.b}, one);
  if (report_.divergences.size() < options_.keep || first) report_.divergences.push_back(std::move(d));
}

void Verdict::CountAll(std::vector<Divergence> divergences) {
  for (Divergence& d : divergences) {
    if (options_.keep_going || report_.diverging == 0) Count(std::move(d));
    else ++report_.diverging;
  }
}

void Verdict::CountMore() {
  for (const auto& [pair, more] : more_) CountPair(pair, options_.keep_going ? more : Counts{.all = more.all});
}

void Verdict::TakeRewritten(Divergence d) {
  ++report_.rewritten_pairs;
  if (d.own && report_.rewritten.size() < options_.keep) report_.rewritten.push_back(std::move(d));
}

void Verdict::TakeAllRewritten(std::vector<Divergence> divergences) {
  for (Divergence& d : divergences) TakeRewritten(std::move(d));
}

}  // namespace hloscope
