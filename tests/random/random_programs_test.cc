// A small number of random programs from a fixed seed. `random_programs --count 20000` runs many.
#include <algorithm>
#include "gtest/gtest.h"
#include "tests/random/campaign.h"
#include "tests/random/generate.h"
#include "tests/random/shrink.h"

namespace hloscope {
namespace {

TEST(RandomPrograms, AgreeOnOracleReferenceAndJit) {
  CampaignOptions options;
  options.seed = 1;
  options.count = 300;
  options.keep = 3;
  const CampaignReport report = RunCampaign(options);
  EXPECT_EQ(report.mismatches + report.failed + report.refused, 0) << report.text;
  EXPECT_GT(report.agreed, 250);
  EXPECT_GT(report.compared, 100000);
  EXPECT_GT(report.operations.size(), 80u) << "few operations take part";
  for (const char* op : {"set-dimension-size", "infeed", "outfeed", "custom-call", "stochastic-convert", "rng-bit-generator", "while", "sort"}) {
    EXPECT_GT(report.operations.count(op), 0u) << op;
  }
}

TEST(RandomPrograms, ASeedMakesOneProgram) {
  EXPECT_EQ(Text(Generate(7)), Text(Generate(7)));
  EXPECT_NE(Text(Generate(7)), Text(Generate(8)));
}

// The shrinker finds the one instruction that a made-up failure needs.
TEST(RandomPrograms, TheShrinkerLeavesWhatIsNeeded) {
  int shrunk = 0;
  for (uint64_t seed = 1; seed < 60 && shrunk < 5; ++seed) {
    const Prog program = Generate(seed);
    const auto has_add = [](const Prog& p) {
      std::string problems;
      return Text(p).find(" add(") != std::string::npos && ReadProgram(Text(p), &problems) != nullptr;
    };
    if (!has_add(program) || NodeCount(program) < 10) continue;
    const Prog small = Shrink(program, has_add);
    EXPECT_TRUE(has_add(small));
    EXPECT_LE(NodeCount(small), std::max(14, static_cast<int>(NodeCount(program)) / 2)) << Text(small);
    EXPECT_LT(NodeCount(small), NodeCount(program));
    ++shrunk;
  }
  EXPECT_GE(shrunk, 3);
}

}  // namespace
}  // namespace hloscope
