// A short, repeatable run of the fuzzer. Long ones: fuzz_hlo_text --minutes N.
#include "gtest/gtest.h"
#include "tests/text/fuzzing.h"

namespace hloscope {
namespace {

TEST(Fuzz, SeedsAreSound) {
  std::vector<std::string> seeds = LoadHloSeeds();
  ASSERT_GE(seeds.size(), 5u);
  for (const std::string& seed : seeds) EXPECT_EQ(CheckHloText(seed), "") << seed;
}

TEST(Fuzz, DamagedTextsAreReadWithoutHarm) {
  HloTextFuzzer fuzzer(LoadHloSeeds(), 20240229);
  for (int i = 0; i < 10000; ++i) {
    std::string problem = fuzzer.Step();
    ASSERT_EQ(problem, "") << "step " << i << " of:\n" << fuzzer.last();
  }
}

}  // namespace
}  // namespace hloscope
