// Test programs that other projects wrote ($HLOSCOPE_CORPUS): all pass, on all backends. Skipped where they are missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "tests/stablehlo/running.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

fs::path Corpus() {
  const char* set = std::getenv("HLOSCOPE_CORPUS");
  return set != nullptr ? fs::path(set) : fs::path("../shared/corpus");
}

void RunFolder(const std::string& folder, size_t at_least) {
  const fs::path root = Corpus() / folder;
  if (!fs::exists(root)) GTEST_SKIP() << root << " is missing";
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  EXPECT_GE(files.size(), at_least);
  for (const auto& backend : AllBackends()) {
    Tally total;
    for (const fs::path& path : files) {
      const Tally tally = RunTests(path.filename().string(), ReadText(path), *backend);
      total.passed += tally.passed;
      total.failed += tally.failed;
      EXPECT_EQ(tally.failures, "");
      EXPECT_GT(tally.passed + tally.failed, 0) << path;
    }
    std::cout << "  " << folder << " on " << backend->name() << ": " << total.passed << " passed, " << total.failed << " failed\n";
    EXPECT_EQ(total.failed, 0);
  }
}

TEST(StableHloCorpus, Testdata) { RunFolder("stablehlo_testdata", 800); }
TEST(StableHloCorpus, Interpret) { RunFolder("stablehlo_interpret", 30); }

}  // namespace
}  // namespace hloscope
