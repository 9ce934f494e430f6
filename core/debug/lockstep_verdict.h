// What the divergences of a lockstep come to: which count at once, which wait for what is made of them or for the results, and what the results say
// of these. Not for finding them (lockstep.h).
#ifndef HLOSCOPE_CORE_DEBUG_LOCKSTEP_VERDICT_H_
#define HLOSCOPE_CORE_DEBUG_LOCKSTEP_VERDICT_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/debug/lockstep.h"
#include "core/debug/lockstep_rewrites.h"

namespace hloscope {

class Verdict {
 public:
  // Writes into `report`; of the options: keep_going and keep.
  Verdict(LockstepReport& report, const LockstepOptions& options) : report_(report), options_(options) {}

  Rewrites& rewrites() { return rewrites_; }
  // Something has diverged, whether that counts or is in doubt.
  bool any() const { return report_.diverging > 0 || !doubtful_.empty() || !certain_.empty(); }
  bool doubts() const { return !doubtful_.empty(); }
  // Something waits for what comes after it, the results at last.
  bool waits() const { return doubts() || rewrites_.waits(); }
  // The results decide. `loops`: the runs of loops that it lies in.
  void Doubt(Divergence d, const std::vector<uint64_t>& loops);
  // Nothing holds it, and what is still held differs before it. False: some of that waits for the results, and so does this one; what counts
  // anyway counts then.
  bool Convict(Divergence d, const std::vector<uint64_t>& loops);
  // What is in doubt in this run of a loop counts after all. False: as above, or nothing there is of its own.
  bool ConvictLoop(uint64_t loop);
  // At the end. `results`: where they differ, in order of their leaves; `differing`: these leaves. `compared`: it is known.
  void Decide(std::vector<Divergence> results, const absl::flat_hash_set<int>& differing, bool compared);

 private:
  using Pair = std::pair<const Instruction*, const Instruction*>;
  struct Doubtful {
    Divergence d;
    std::vector<uint64_t> loops;
  };
  // Divergences of one pair.
  struct Counts {
    int64_t all = 0, own = 0, besides = 0;  // besides: that inherit, and are other operations besides
    void Add(const Divergence& d);
  };

  void Count(Divergence d);
  // Into the report: its sums, and its `telling`, which counts by pairs. True: the first of its pair that tells something.
  bool CountPair(const Pair& pair, const Counts& counts);
  // Without keep_going the first is all that is wanted.
  void CountAll(std::vector<Divergence> divergences);
  void CountMore();
  void TakeRewritten(Divergence d);
  void TakeAllRewritten(std::vector<Divergence> divergences);

  LockstepReport& report_;
  const LockstepOptions& options_;
  Rewrites rewrites_;
  std::vector<Doubtful> doubtful_;  // with what inherits them
  absl::flat_hash_map<Pair, Counts> more_;  // of those in doubt, what is beyond the kept ones: in the report when that is decided
  std::vector<Divergence> certain_;   // behind some that wait for the results
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOCKSTEP_VERDICT_H_
