// The program of the README's section on the builder: it compiles, builds and gives what the README says, and the README shows it as it
// stands here.
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "tests/builder/building.h"

// [README]
#include "core/ops/builder/constants.h"
#include "core/text/hlo_text.h"

using namespace hloscope;
using namespace hloscope::hlo;

absl::StatusOr<std::unique_ptr<Module>> NormalisedRows() {
  Builder b("normalised_rows");
  Op x = Parameter(&b, 0, Shape::Array(F32, {4, 8}), "x");
  Computation* add = CreateScalarAddComputation(F32, &b);
  ScopedOpName scope(&b, "norm");                        // metadata={op_name="norm"}, which `break scope:norm` finds
  Op mean = Reduce(x, Zero(&b, F32), add, {1}) / 8;
  Op centred = Sub(x, mean, /*broadcast_dimensions=*/{0}).Named("centred");
  Op variance = Reduce(centred * centred, Zero(&b, F32), add, {1}) / 8;
  Mul(centred, Rsqrt(variance + 1e-5), {0});             // the last instruction is the result
  return b.Build();                                      // verified; or the first error, with the line above that caused it
}
// [end]

namespace {

std::string Between(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Readme, ShowsTheProgramOfThisTest) {
  std::string indented;
  for (absl::string_view line : absl::StrSplit(Between(ReadFile("tests/builder/readme_test.cc"), "// [README]\n", "// [end]\n"), '\n')) {
    absl::StrAppend(&indented, line.empty() ? "" : "    ", line, "\n");
  }
  EXPECT_THAT(ReadFile("README.md"), testing::HasSubstr(indented.substr(0, indented.size() - 1)));
}

TEST(Readme, TheProgramIsRight) {
  const auto module = NormalisedRows();
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ((*module)->entry->root->shape.ToString(false), "f32[4,8]");
  EXPECT_EQ((*module)->entry->root->metadata.op_name, "norm");
  EXPECT_NE((*module)->entry->FindInstruction("centred"), nullptr);
  EXPECT_THAT(PrintHloText(**module), testing::HasSubstr("centred = f32[4,8] subtract(x, broadcast"));
}

}  // namespace
