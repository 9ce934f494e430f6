// What is cut out of a real model gives the same bits as the model did, written as text with an archive and read again.
#include "core/debug/extract.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "backends/jit_cpu/jit_cpu.h"
#include "core/debug/program_inputs.h"
#include "core/exec/inputs.h"
#include "core/literal/npy.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

std::string Corpus() {
  const char* set = std::getenv("HLOSCOPE_CORPUS");
  return std::string(set != nullptr ? set : "../shared/corpus") + "/models/";
}

std::unique_ptr<Module> ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>(path, text.str()), sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.severity == Severity::kError) ADD_FAILURE() << path << ": " << d.message;
  }
  return module;
}

class ExtractTest : public testing::TestWithParam<const char*> {
 protected:
  ExtractTest() : backend_(*MakeJitCpuBackend(BackendOptions())), folder_(fs::temp_directory_path() / ("extract" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~ExtractTest() override { fs::remove_all(folder_); }

  Value RunFiles(const std::string& path, const std::string& archive) {
    const std::unique_ptr<Module> module = ReadFile(path);
    SessionOptions options;
    options.inputs_npz = archive;
    const absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = ProgramInputs::Open(*module, options);
    EXPECT_TRUE(inputs.ok()) << inputs.status();
    if (!inputs.ok()) return Value();
    EXPECT_EQ((*inputs)->from_files(), (*inputs)->parameter_count());
    Machine machine(*module, *backend_, MachineOptions());
    const absl::Status started = machine.Start([&](int number) { return (*inputs)->Parameter(number, nullptr); });
    EXPECT_TRUE(started.ok()) << started;
    EXPECT_EQ(machine.Run(), StopReason::kFinished) << machine.status();
    return machine.finished() ? machine.result() : Value();
  }

  std::unique_ptr<Backend> backend_;
  fs::path folder_;
};

TEST_P(ExtractTest, GivesTheSameBits) {
  const std::string path = Corpus() + GetParam();
  if (!fs::exists(path)) GTEST_SKIP() << "no corpus at " << path;
  const std::unique_ptr<Module> module = ReadFile(path);  // outlives the machine
  FillElidedConstants(*module, Fill(), nullptr);
  MachineOptions options;
  options.retain_bytes = int64_t{1} << 30;
  Machine machine(*module, *backend_, options);
  ASSERT_TRUE(machine.Start([&](int number) { return MakeInput(*module, number, Fill(), nullptr); }).ok());
  ASSERT_EQ(machine.Run(), StopReason::kFinished);
  const Computation& entry = *module->entry;
  int tried = 0;
  const int stride = std::max<int>(1, static_cast<int>(entry.schedule.size()) / 12);
  for (int p = static_cast<int>(entry.schedule.size()) - 1; p >= 0; p -= stride) {
    const Instruction& target = *entry.schedule[p];
    if (Def(target).op_class == OpClass::kStructural) continue;
    const absl::StatusOr<Value> wanted = machine.ValueOf(0, p);
    ASSERT_TRUE(wanted.ok()) << wanted.status();
    for (const int64_t hops : {int64_t{0}, int64_t{2}, int64_t{-1}}) {
      if (hops < 0 && tried % 4 != 0) continue;
      const absl::StatusOr<Extract> extract = ExtractProgram(*module, target, hops, [&](const Instruction& i) -> absl::StatusOr<Value> {
        if (i.literal != nullptr) return i.literal->value;
        return machine.ValueOf(0, i.index);
      });
      ASSERT_TRUE(extract.ok()) << target.name << ": " << extract.status();
      if (hops == 0) {
        EXPECT_EQ(extract->kept, 1 + std::count_if(extract->module->entry->instructions.begin(), extract->module->entry->instructions.end(),
                                                   [&](const Instruction* i) {
                                                     const Instruction* original = entry.FindInstruction(i->name);
                                                     return i->literal != nullptr && original != nullptr && original->literal != nullptr;
                                                   })) << target.name;
      }
      std::string archive;
      const std::string file = (folder_ / "cut.hlo").string();
      ASSERT_TRUE(WriteProgram(*extract->module, extract->parameters, file, &archive).ok());
      const Value got = RunFiles(file, archive);
      ASSERT_TRUE(got.has_value()) << target.name;
      EXPECT_TRUE(Value::BitEqual(got, *wanted)) << target.name << " with " << hops << " hops";
    }
    ++tried;
  }
  EXPECT_GT(tried, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, ExtractTest,
                         testing::Values("layer_norm_1x4096x768_bf16.hlo", "mha_block_1x12x128x64_bf16.hlo", "argsort_axis_1024x512_bf16.hlo", "resnet50_keras_jax_f32.hlo",
                                         "dlrm_keras_jax_f32_test_step.hlo", "jax.issue.33666.linx.frag_0100.module_0019.hlo"));

}  // namespace
}  // namespace hloscope
