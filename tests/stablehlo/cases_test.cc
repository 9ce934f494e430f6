// Programs with assertions, tests/stablehlo/cases: each operation in at least one, on all backends, also by way of HLO text.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/text/stablehlo/convert.h"
#include "tests/stablehlo/running.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> Cases() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator("tests/stablehlo/cases")) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(StableHloCases, AllPass) {
  const auto backends = AllBackends();
  int passed = 0;
  for (const fs::path& path : Cases()) {
    for (const auto& backend : backends) {
      const Tally tally = RunTests(path.filename().string(), ReadText(path), *backend);
      EXPECT_EQ(tally.failures, "");
      passed += tally.passed;
    }
  }
  EXPECT_GT(passed, 30 * static_cast<int>(backends.size()));
}

TEST(StableHloCases, AllPassAfterHloText) {
  const auto backends = AllBackends();
  for (const fs::path& path : Cases()) EXPECT_EQ(RunTests(path.filename().string(), ReadText(path), *backends[0], /*again=*/true).failures, "");
}

TEST(StableHloCases, EveryOperationHasACase) {
  std::string all;
  for (const fs::path& path : Cases()) all += ReadText(path);
  for (const auto& entry : fs::directory_iterator("tests/stablehlo")) {
    if (entry.path().extension() == ".cc") all += ReadText(entry.path());
  }
  using namespace stablehlo;
  const std::set<absl::string_view> by_another_name = {"call", "stablehlo.quantized", "chlo.topk"};
  for (absl::Span<const Row> rows :
       {ElementwiseRows(), ShapeRows(), DynamicRows(), RegionRows(), LinearRows(), EinsumRows(), DistributionRows(), CallRows(), CheckRows(), ChloRows()}) {
    for (const Row& row : rows) {
      if (by_another_name.count(row.name) > 0) continue;
      EXPECT_NE(all.find(std::string(row.name)), std::string::npos) << row.name << " stands in no case";
    }
  }
}

// An assertion that does not hold is found on every path.
TEST(StableHloCases, FailuresAreFound) {
  const std::string text = R"(
func.func @wrong() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  check.expect_eq_const %x, dense<[1, 3]> : tensor<2xi32>
  check.expect_eq_const %x, dense<[2, 2]> : tensor<2xi32>
  func.return
}
func.func @too_close() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  check.expect_close %x, %x, max_ulp_difference = 3, min_ulp_difference = 1 : tensor<f32>, tensor<f32>
  func.return
}
func.func @apart() {
  %x = stablehlo.constant dense<1.0> : tensor<f32>
  %y = stablehlo.constant dense<1.001> : tensor<f32>
  check.expect_almost_eq %x, %y : tensor<f32>
  check.expect_almost_eq %x, %y, tolerance = 0.01 : tensor<f32>
  func.return
})";
  for (const auto& backend : AllBackends()) {
    const Tally tally = RunTests("wrong.mlir", text, *backend);
    EXPECT_EQ(tally.failed, 3);
    EXPECT_NE(tally.failures.find("check.expect_eq failed at [1]: got 2, expected 3; 1 of 2 elements differ"), std::string::npos) << tally.failures;
    EXPECT_NE(tally.failures.find("check.expect_eq failed at [0]: got 1, expected 2"), std::string::npos) << tally.failures;
    EXPECT_NE(tally.failures.find("0 ULP apart, at least 1 expected"), std::string::npos) << tally.failures;
    EXPECT_NE(tally.failures.find("check.expect_almost_eq failed: got 1, expected 1.001"), std::string::npos) << tally.failures;
  }
}

}  // namespace
}  // namespace hloscope
