// Smaller programs: each candidate is a valid program that computes what the whole one did, and a backend that is wrong in one operation is
// pinned down to it.
#include "core/debug/minimize.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "backends/reference/backend.h"
#include "core/debug/device_inputs.h"
#include "core/exec/inputs.h"
#include "core/ir/rewrite.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using ::testing::HasSubstr;

constexpr char kCarryLoop[] = R"(HloModule m
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
inner { p = f32[6,8] parameter(0)  q = f32[6,8] sine(p)  ROOT r = f32[6,8] add(q, p) }
ENTRY main {
  x = f32[6,8] parameter(0)
  y = f32[6,8] parameter(1)
  unused = f32[6,8] parameter(2)
  a = f32[6,8] cosine(x)
  b = f32[6,8] multiply(a, y)
  c = f32[6,8] call(b), to_apply=inner
  d = f32[6,8] tanh(c)
  zero = f32[] constant(0)
  e = f32[6] reduce(d, zero), dimensions={1}, to_apply=sum
  f = f32[6] exponential(e)
  t = (f32[6,8], f32[6]) tuple(d, f)
  g = f32[6] get-tuple-element(t), index=1
  ROOT out = (f32[6], f32[6,8]) tuple(g, a)
}
)";

std::unique_ptr<Module> ReadModule(const std::string& text) {
  DiagnosticSink sink;
  std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("m.hlo", text), sink);
  if (sink.error_count() == 0) Verify(*module, sink);
  EXPECT_EQ(sink.error_count(), 0);
  return module;
}

std::vector<Value> Inputs(const Module& module) {
  std::vector<Value> values;
  for (size_t k = 0; k < module.entry->parameters.size(); ++k) values.push_back(*MakeInput(module, static_cast<int>(k), Fill(), nullptr));
  return values;
}

// The reference backend, but what one operation computes is off by a lot in its first element.
class WrongBackend : public Backend {
 public:
  explicit WrongBackend(Opcode wrong) : right_(MakeReferenceBackend(BackendOptions())), wrong_(wrong) {}
  absl::string_view name() const override { return "wrong"; }
  absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const Computation& computation) override { return right_->MakePlan(computation); }
  absl::StatusOr<std::shared_ptr<const Kernel>> GetKernel(const Computation& computation, const Region& region) override {
    absl::StatusOr<std::shared_ptr<const Kernel>> kernel = right_->GetKernel(computation, region);
    if (!kernel.ok() || computation.schedule[region.root]->opcode != wrong_) return kernel;
    return std::shared_ptr<const Kernel>(std::make_shared<WrongKernel>(*kernel));
  }

 private:
  class WrongKernel : public Kernel {
   public:
    explicit WrongKernel(std::shared_ptr<const Kernel> right) : right_(std::move(right)) {}
    absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override {
      absl::StatusOr<Value> value = right_->Run(context, std::move(inputs));
      if (value.ok()) value->mutable_as<float>()[0] += 0.5f;
      return value;
    }
    std::string description() const override { return "wrong"; }

   private:
    std::shared_ptr<const Kernel> right_;
  };
  std::unique_ptr<Backend> right_;
  Opcode wrong_;
};

TEST(MinimizeTest, WhatIsLeftComputesWhatItDid) {
  const std::unique_ptr<Module> module = ReadModule(kCarryLoop);
  const std::unique_ptr<Backend> backend = MakeReferenceBackend(BackendOptions());
  const std::vector<Value> inputs = Inputs(*module);
  const auto value_of_d = [&](const Module& m, const std::vector<Value>& parameters) -> std::string {
    const Instruction* d = m.entry->FindInstruction("d");
    if (d == nullptr || d->parameter_number >= 0 || d->literal != nullptr) return "";
    Machine machine(m, *backend, MachineOptions());
    if (!machine.Start(parameters).ok() || machine.Run() != StopReason::kFinished) return "";
    const absl::StatusOr<Value> value = machine.ValueOf(0, d->index);
    if (!value.ok()) return "";
    return std::string(reinterpret_cast<const char*>(value->data()), value->byte_size());
  };
  const std::string wanted = value_of_d(*module, inputs);
  ASSERT_FALSE(wanted.empty());
  int asked = 0;
  const FailurePredicate same = [&](const Module& m, const DeviceValues& parameters) -> absl::StatusOr<bool> {
    ++asked;
    EXPECT_EQ(m.entry->parameters.size(), parameters[0].size());
    // It reads back as it was printed, and is valid.
    ReadModule(PrintHloText(m));
    return value_of_d(m, parameters[0]) == wanted;
  };
  const absl::StatusOr<Minimized> small = MinimizeProgram(*module, {inputs}, *backend, RunSettings(), same, MinimizeOptions());
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_EQ(small->module->instruction_count(), 2) << PrintHloText(*small->module);
  EXPECT_EQ(value_of_d(*small->module, small->parameters[0]), wanted);
  EXPECT_EQ(small->steps + 1, asked);
}

TEST(MinimizeTest, ABackendThatIsWrongInOneOperation) {
  const std::unique_ptr<Module> module = ReadModule(kCarryLoop);
  SessionOptions session;
  const absl::StatusOr<std::unique_ptr<DeviceInputs>> inputs = DeviceInputs::Open({module.get()}, session);
  ASSERT_TRUE(inputs.ok());
  const std::string path = (std::filesystem::temp_directory_path() / ("minimize" + std::to_string(getpid()) + ".hlo")).string();
  for (const char* operation : {"cosine", "tanh", "sine", "exponential"}) {
    WrongBackend backend(*OpcodeFromName(operation));
    MinimizeRequest request;
    request.kind = MinimizeRequest::kMismatch;
    request.out = path;
    const absl::StatusOr<std::string> told = MinimizeToFile(*module, **inputs, backend, session, request, MinimizeOptions());
    ASSERT_TRUE(told.ok()) << operation << ": " << told.status();
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    const std::unique_ptr<Module> small = ReadModule(text.str());
    EXPECT_EQ(Name(small->entry->root->opcode), operation) << text.str();
    EXPECT_EQ(small->instruction_count(), 2) << text.str();
    EXPECT_THAT(*told, HasSubstr("--check 256"));
  }
  std::filesystem::remove(path);
}

TEST(MinimizeTest, TheBudgetEndsIt) {
  const std::unique_ptr<Module> module = ReadModule(kCarryLoop);
  const std::unique_ptr<Backend> backend = MakeReferenceBackend(BackendOptions());
  MinimizeOptions options;
  options.steps = 3;
  int asked = 0;
  const FailurePredicate fails = [&](const Module&, const DeviceValues&) -> absl::StatusOr<bool> {
    ++asked;
    return true;
  };
  const absl::StatusOr<Minimized> small = MinimizeProgram(*module, {Inputs(*module)}, *backend, RunSettings(), fails, options);
  ASSERT_TRUE(small.ok());
  EXPECT_TRUE(small->out_of_budget);
  EXPECT_EQ(asked, 4);
}

TEST(RewriteTest, PartsThatNothingNeedsAreGoneAndParametersAreNumberedAnew) {
  const std::unique_ptr<Module> module = ReadModule(kCarryLoop);
  Rewrite rewrite;
  rewrite.root = module->entry->FindInstruction("b");
  rewrite.inputs.insert(module->entry->FindInstruction("a"));
  const absl::StatusOr<Rewritten> cut = RewriteModule(*module, rewrite);
  ASSERT_TRUE(cut.ok()) << cut.status();
  ASSERT_EQ(cut->inputs.size(), 2u);
  EXPECT_EQ(cut->inputs[0].original->name, "y");
  EXPECT_EQ(cut->inputs[1].original->name, "a");
  EXPECT_EQ(cut->module->computations.size(), 1u);
  EXPECT_EQ(cut->module->instruction_count(), 3);
}

TEST(RewriteTest, AnUnchangedCopyIsTheSameProgram) {
  const std::unique_ptr<Module> module = ReadModule(R"(HloModule m
inner { p = f32[6] parameter(0)  q = f32[6] parameter(1)  ROOT r = f32[6] sine(p) }
ENTRY main {
  x = f32[6]{0} parameter(0)
  k = f32[6] constant({1, 2, nan, -0, inf, 6})
  s = f32[2] slice(k), slice={[0:6:3]}, metadata={op_name="a/b" source_file="m.py" source_line=7}
  c = f32[6] call(x, k), to_apply=inner, control-predecessors={s}
  ROOT t = (f32[6], f32[2]) tuple(c, s)
}
)");
  const absl::StatusOr<Rewritten> copy = RewriteModule(*module, Rewrite());
  ASSERT_TRUE(copy.ok()) << copy.status();
  std::string why;
  EXPECT_TRUE(ModulesEqual(*module, *copy->module, &why)) << why << "\n" << PrintHloText(*copy->module);
}

}  // namespace
}  // namespace hloscope
