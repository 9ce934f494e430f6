#include "core/base/processor_time.h"

#include <ctime>

namespace hloscope {

double ProcessorSeconds() {
  timespec t;
  return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ? static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9 : 0;
}

}  // namespace hloscope
