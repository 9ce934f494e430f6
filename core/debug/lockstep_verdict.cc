#include "core/debug/lockstep_verdict.h"

#include <algorithm>
#include <iterator>

namespace hloscope {

void Verdict::Counts::Add(const Divergence& d) {
  ++all;
  own += d.own;
  besides += d.besides();
}

void Verdict::Doubt(Divergence d, const std::vector<uint64_t>& loops) {
  const auto found = more_.find({d.a, d.b});
  const bool first = found == more_.end();
  if (doubtful_.size() < options_.keep || (first && (d.own || d.besides()))) {
    more_[{d.a, d.b}];
    doubtful_.push_back({std::move(d), loops});
    return;
  }
  more_[{d.a, d.b}].Add(d);  // a loop may have a million of them
}

bool Verdict::Convict(Divergence d, const std::vector<uint64_t>& loops) {
  TakeAllRewritten(rewrites_.TakeDecided());
  if (rewrites_.WaitsForResults()) {
    if (d.own || !certain_.empty()) certain_.push_back(std::move(d));
    else Doubt(std::move(d), loops);
    return false;
  }
  std::vector<Divergence> all = rewrites_.TakeUndecided();
  all.push_back(std::move(d));
  CountAll(std::move(all));
  return true;
}

bool Verdict::ConvictLoop(uint64_t loop) {
  const auto elsewhere = [loop](const Doubtful& each) { return std::find(each.loops.begin(), each.loops.end(), loop) == each.loops.end(); };
  const auto inside = std::stable_partition(doubtful_.begin(), doubtful_.end(), elsewhere);
  if (std::none_of(inside, doubtful_.end(), [](const Doubtful& each) { return each.d.own; })) return false;
  std::vector<Divergence> all;
  for (auto each = inside; each != doubtful_.end(); ++each) all.push_back(std::move(each->d));
  doubtful_.erase(inside, doubtful_.end());
  TakeAllRewritten(rewrites_.TakeDecided());
  if (doubts() || rewrites_.WaitsForResults()) {  // what came before it is still in doubt
    std::move(all.begin(), all.end(), std::back_inserter(certain_));
    return false;
  }
  CountAll(rewrites_.TakeUndecided());
  CountAll(std::move(all));
  CountMore();
  more_.clear();
  return true;
}

void Verdict::Decide(std::vector<Divergence> results, const absl::flat_hash_set<int>& differing, bool compared) {
  if (compared) rewrites_.Results(differing);
  TakeAllRewritten(rewrites_.TakeDecided());
  std::vector<Divergence> undecided = rewrites_.TakeUndecided();
  for (Doubtful& each : doubtful_) undecided.push_back(std::move(each.d));
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
