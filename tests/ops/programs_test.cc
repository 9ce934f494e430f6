// Element programs of real modules: each is made and consistent; and the texts of a few, so that an accidental loss of simplicity shows.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/ops/testing.h"

namespace hloscope {
namespace {

TEST(Programs, EveryPullAndPushOfTheCorpusHasOne) {
  namespace fs = std::filesystem;
  const char* set = std::getenv("HLOSCOPE_CORPUS");
  const fs::path models = fs::path(set != nullptr ? set : "../shared/corpus") / "models";
  if (!fs::exists(models)) GTEST_SKIP() << "no corpus at " << models;
  int made = 0;
  std::map<std::string, int> failures;
  for (const auto& entry : fs::directory_iterator(models)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    DiagnosticSink sink;
    const auto source = std::make_shared<const SourceText>(entry.path().filename().string(), text.str());
    const std::unique_ptr<Module> module = ReadHloText(source, sink);
    Verify(*module, sink);
    if (sink.error_count() != 0) continue;  // verifier_test complains
    for (const Computation* computation : module->computations) {
      for (const Instruction* instruction : computation->schedule) {
        const OpDef& def = Def(*instruction);
        if (def.op_class != OpClass::kPull && def.op_class != OpClass::kPush) continue;
        const absl::StatusOr<Program> program = ElementProgram(*instruction);
        if (program.ok()) {
          ++made;
        } else {
          ++failures[std::string(program.status().message())];
        }
      }
    }
  }
  for (const auto& [message, count] : failures) ADD_FAILURE() << count << " times: " << message;
  EXPECT_GT(made, 50000);
}

std::string Formula(const std::string& text) {
  const CheckedModule checked = CheckText(text);
  EXPECT_EQ(checked.sink.error_count(), 0) << checked.Problems();
  const absl::StatusOr<Program> program = ElementProgram(*checked.module->entry->root);
  if (!program.ok()) return std::string(program.status().message());
  std::vector<std::string> names;
  for (const Instruction* operand : checked.module->entry->root->operands) names.push_back(std::string(operand->name));
  return ToFormula(*program, names);
}

TEST(Programs, StaySimple) {
  EXPECT_EQ(Formula("x = f32[4,6] parameter(0)\nROOT r = f32[4,2,3] reshape(x)"), "out[i, j, k] = x[i, j * 3 + k]");
  EXPECT_EQ(Formula("x = f32[4,1,6] parameter(0)\nROOT r = f32[4,6] reshape(x)"), "out[i, j] = x[i, 0, j]");
  EXPECT_EQ(Formula("x = f32[4,6] parameter(0)\nROOT r = f32[24] reshape(x)"), "out[i] = x[i floordiv 6, i mod 6]");
  EXPECT_EQ(Formula("x = f32[5] parameter(0)\nat = s32[] parameter(1)\nROOT r = f32[2] dynamic-slice(x, at), dynamic_slice_sizes={2}"),
            "out[i] = x[min(max(s64(at[]), 0), 3) + i]");
  EXPECT_EQ(Formula("x = f32[5] parameter(0)\nz = f32[] parameter(1)\nROOT r = f32[10] pad(x, z), padding=1_0_1"),
            "out[i] = select(0 <= i - 1 and (i + 1) mod 2 == 0, x[(i + 1) floordiv 2 - 1], z[])");
  EXPECT_EQ(Formula("x = f32[2] parameter(0)\ny = f32[3] parameter(1)\nROOT r = f32[5] concatenate(x, y), dimensions={0}"),
            "out[i] = select(i < 2, x[i], y[i - 2])");
  EXPECT_EQ(Formula("x = f32[9,4] parameter(0)\nat = s32[5] parameter(1)\nROOT r = f32[5,4] gather(x, at), offset_dims={1}, collapsed_slice_dims={0}, "
                    "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}"),
            "out[i, j] = x[min(max(s64(at[i]), 0), 8), j]");
}

}  // namespace
}  // namespace hloscope
