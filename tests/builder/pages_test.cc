// The operation pages: every operation has one with all its parts, every labelled diagnostic of the rules stands on a page, and the
// samples in assets/samples/ops are those of the pages.
#include "app/reference/pages.h"

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "app/reference/examples.h"
#include "gmock/gmock.h"
#include "tests/builder/building.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

Opcode Of(const char* name) { return *OpcodeFromName(name); }

TEST(Pages, EveryLabelOfTheRulesStandsOnAPage) {
  std::set<std::string> shown;
  for (int i = 0; i < kOpcodeCount; ++i) {
    for (const Requirement& r : RequirementsOf(static_cast<Opcode>(i))) {
      shown.insert(r.label);
      EXPECT_FALSE(r.message.empty()) << r.label;
    }
  }
  std::regex label("HLO_LABEL\\(\\s*\"([^\"]+)\"");
  int seen = 0;
  for (const auto& entry : fs::directory_iterator("core/ops")) {
    const std::string text = ReadFile(entry.path());
    for (std::sregex_iterator it(text.begin(), text.end(), label), end; it != end; ++it) {
      const std::string name = (*it)[1];
      if (name.rfind("verify.", 0) == 0) continue;  // of all operations alike
      ++seen;
      EXPECT_TRUE(shown.count(name)) << name << " of " << entry.path() << " is on no operation's page";
    }
  }
  EXPECT_GT(seen, 200);
}

TEST(Pages, RequirementsSayWhatIsReported) {
  std::string text;
  for (const Requirement& r : RequirementsOf(Of("gather"))) absl::StrAppend(&text, r.label, ": ", r.message, "\n");
  EXPECT_THAT(text, testing::HasSubstr("gather.offset-dims-order: offset_dims=… must increase\n"));
  EXPECT_THAT(text, testing::HasSubstr("gather.index-type: the start indices must be integers, not …\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("scatter.")));
  text.clear();
  for (const Requirement& r : RequirementsOf(Of("negate"))) absl::StrAppend(&text, r.label, "\n");
  EXPECT_THAT(text, testing::HasSubstr("pointwise.element-type"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("same-type")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("compare.")));
  text.clear();
  for (const Requirement& r : RequirementsOf(Of("clamp"))) absl::StrAppend(&text, r.label, "\n");
  EXPECT_EQ(text, "pointwise.array\npointwise.same-type\nclamp.bounds\nclamp.element-type\n");
}

TEST(Pages, TypesComeFromTheRule) {
  EXPECT_EQ(TypesOf(Of("and")), "pred, signed integers, unsigned integers");
  EXPECT_EQ(TypesOf(Of("complex")), "f32, f64");
  EXPECT_EQ(TypesOf(Of("gather")), "pred, signed integers, unsigned integers, floats, complex numbers");
}

TEST(Pages, EveryOperationHasAWholePage) {
  const std::string manual = OperationsManual();
  for (int i = 0; i < kOpcodeCount; ++i) {
    const absl::string_view name = Name(static_cast<Opcode>(i));
    EXPECT_THAT(manual, testing::HasSubstr(absl::StrCat("\n## ", name, "\n")));
    const std::string page = OperationPage(static_cast<Opcode>(i));
    for (const char* part : {"\nin C++:\n  Op ", "\nexample (assets/samples/ops/", "\nit gives:\n"})
      EXPECT_THAT(page, testing::HasSubstr(part)) << name;
  }
  EXPECT_THAT(OperationPage(Of("gather")), testing::HasSubstr("its formula:\n  out[i, j] = x["));
  EXPECT_THAT(OperationPage(Of("add")), testing::HasSubstr("it gives:\n  s32[2,3] [[8, 10, 12],\n"));
}

TEST(Pages, SamplesAreUpToDate) {
  const std::pair<const char*, std::vector<Example>> parts[] = {{"assets/samples/ops", Examples()},
                                                                {"assets/samples/spec", SpecificationExamples()}};
  for (const auto& [folder, examples] : parts) {
    std::set<std::string> wanted;
    for (const Example& example : examples) {
      const std::string path = absl::StrCat(folder, "/", example.operation, ".hlo");
      EXPECT_TRUE(wanted.insert(path).second) << path << " is there twice";
      EXPECT_EQ(ReadFile(path), SampleText(example)) << "write them anew: build/hloscope manual --samples assets/samples";
    }
    for (const auto& entry : fs::directory_iterator(folder)) {
      EXPECT_TRUE(wanted.count(entry.path().generic_string())) << entry.path() << " belongs to no example";
    }
  }
}

}  // namespace
}  // namespace hloscope
