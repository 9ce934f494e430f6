// All StableHLO texts of the corpus are read without a problem.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/mlir/reading.h"

namespace hloscope::mlir {
namespace {

std::filesystem::path CorpusFolder() {
  const char* set = std::getenv("HLOSCOPE_CORPUS");
  return set != nullptr ? set : "../shared/corpus";
}

int Count(const Region& region, std::set<std::string>* names) {
  int count = 0;
  for (const auto& op : region.ops) {
    names->insert(op->name);
    ++count;
    EXPECT_FALSE(op->in_error);
    for (const auto& inner : op->regions) count += Count(*inner, names);
  }
  return count;
}

void ReadAll(const std::string& folder, int at_least) {
  const std::filesystem::path path = CorpusFolder() / folder;
  if (!std::filesystem::is_directory(path)) GTEST_SKIP() << path << " is missing";
  int files = 0, operations = 0;
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() != ".mlir") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    Reading reading(text.str());
    EXPECT_TRUE(LooksLikeMlir(text.str())) << entry.path();
    EXPECT_EQ(reading.Problems(), "") << entry.path();
    ASSERT_FALSE(reading.file.modules.empty());
    for (const auto& module : reading.file.modules) {
      EXPECT_EQ(module->name, "builtin.module");
      for (const auto& op : module->regions[0]->ops)
        EXPECT_TRUE(op->name == "func.func" || op->name == "builtin.module") << entry.path() << op->name;
      operations += Count(*module->regions[0], &names);
    }
    ++files;
  }
  EXPECT_GE(files, at_least);
  EXPECT_GE(operations, 5 * files);
  EXPECT_GE(names.size(), 40u);
}

TEST(MlirCorpus, TestData) { ReadAll("stablehlo_testdata", 800); }
TEST(MlirCorpus, Interpret) { ReadAll("stablehlo_interpret", 30); }

}  // namespace
}  // namespace hloscope::mlir
