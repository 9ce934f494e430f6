// The statistics of an array a part at a time, for whoever has to do other things in between. Not for asking at once (statistics.h).
#ifndef HLOSCOPE_CORE_LITERAL_STATISTICS_SCAN_H_
#define HLOSCOPE_CORE_LITERAL_STATISTICS_SCAN_H_

#include <cstdint>

#include "core/literal/statistics.h"

namespace hloscope {

class StatisticsScan {
 public:
  static constexpr int kLanes = 8;
  // Sums that are independent of each other, so that the compiler vectorizes.
  struct Lanes {
    double min[kLanes], max[kLanes], sum[kLanes] = {};
    double zero_signs[kLanes] = {};  // each zero counts 1, each -0 counts -1
    int64_t finite[kLanes] = {}, nan[kLanes] = {}, zeros[kLanes] = {}, denormals[kLanes] = {}, below[kLanes] = {};
  };

  StatisticsScan();
  // Looks at so many more elements, or a few more than that, of the array: dense, and the same at each call.
  void Advance(const Value& array, int64_t elements);
  int64_t looked() const { return looked_; }
  // Of what was looked at: it is `count`. The mean is not finite where the sum is not.
  Statistics statistics() const;
  int64_t negative_inf() const;  // of statistics().inf

 private:
  Lanes lanes_;
  double sum_ = 0, smallest_normal_ = 0;
  bool whole_ = false;     // integers of 64 bits, which doubles do not tell apart
  __int128 whole_sum_ = 0;
  int64_t looked_ = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_STATISTICS_SCAN_H_
