#include "core/base/processor_time.h"

#include <chrono>
#include <thread>

#include "gtest/gtest.h"

namespace hloscope {
namespace {

TEST(ProcessorTime, CountsWhatIsComputedHereAlone) {
  const double begin = ProcessorSeconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  std::thread other([] {
    const double own = ProcessorSeconds();
    while (ProcessorSeconds() - own < 0.2) {
    }
  });
  other.join();
  const double waited = ProcessorSeconds() - begin;
  EXPECT_LT(waited, 0.1) << "waiting is no computing";
  while (ProcessorSeconds() - begin < waited + 0.01) {
  }
}

}  // namespace
}  // namespace hloscope
