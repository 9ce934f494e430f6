// The whole backend: a fused plan, single steps and any number of threads give the same bits; the second start compiles nothing.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/jit_cpu.h"
#include "backends/jit_cpu/kernel.h"
#include "core/exec/fuse.h"
#include "tests/jit_cpu/support.h"

namespace hloscope {
namespace {

constexpr char kReducers[] =
    "sum {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT z = f32[] add(x, y)\n}\n"
    "largest {\n x = f32[] parameter(0)\n y = f32[] parameter(1)\n ROOT z = f32[] maximum(x, y)\n}\n"
    "sum_bf16 {\n x = bf16[] parameter(0)\n y = bf16[] parameter(1)\n ROOT z = bf16[] add(x, y)\n}\n"
    "largest_bf16 {\n x = bf16[] parameter(0)\n y = bf16[] parameter(1)\n ROOT z = bf16[] maximum(x, y)\n}\n"
    "sum_f64 {\n x = f64[] parameter(0)\n y = f64[] parameter(1)\n ROOT z = f64[] add(x, y)\n}\n"
    "largest_f64 {\n x = f64[] parameter(0)\n y = f64[] parameter(1)\n ROOT z = f64[] maximum(x, y)\n}\n";

std::unique_ptr<Backend> MakeBackend(int threads = 1, std::string cache = "") {
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeJitCpuBackend({.threads = threads, .cache_directory = std::move(cache)});
  EXPECT_TRUE(backend.ok()) << backend.status();
  return backend.ok() ? *std::move(backend) : nullptr;
}

// Runs the entry region by region; no control flow. Values by position.
std::vector<Value> RunPlan(Backend& backend, const Plan& plan, const std::vector<Value>& parameters) {
  const Computation& computation = *plan.computation;
  std::vector<Value> values(computation.schedule.size());
  for (const Region& region : plan.regions) {
    const Instruction& root = *computation.schedule[region.root];
    Value& value = values[region.root];
    std::vector<Value> inputs;
    for (int input : region.inputs) {
      EXPECT_TRUE(values[input].has_value()) << computation.schedule[input]->name;
      inputs.push_back(values[input]);
    }
    if (root.parameter_number >= 0) {
      value = parameters[root.parameter_number];
    } else if (root.literal != nullptr) {
      value = root.literal->value;
    } else if (Def(root).op_class == OpClass::kStructural) {
      std::vector<Value> operands;
      for (const Instruction* operand : root.operands) operands.push_back(values[operand->index]);
      value = *Def(root).evaluate(EvalContext{root, operands});
    } else {
      absl::StatusOr<std::shared_ptr<const Kernel>> kernel = backend.GetKernel(computation, region);
      EXPECT_TRUE(kernel.ok()) << root.name << ": " << kernel.status();
      if (!kernel.ok()) return values;
      absl::StatusOr<Value> result = (*kernel)->Run({}, std::move(inputs));
      EXPECT_TRUE(result.ok()) << root.name << ": " << result.status();
      if (!result.ok()) return values;
      value = *std::move(result);
      EXPECT_EQ(value.shape(), root.shape) << root.name;
    }
  }
  return values;
}

std::vector<Value> Parameters(const Computation& computation) {
  std::vector<Value> values;
  for (const Instruction* p : computation.parameters) values.push_back(RandomValue(p->shape, 11 + p->parameter_number));
  return values;
}

std::string FirstDifference(const Value& a, const Value& b) {
  if (!a.shape().IsArray()) return "";
  const ElementType type = a.shape().element_type();
  const int64_t bytes = StorageBytes(type);
  for (int64_t i = 0; i < a.element_count(); ++i) {
    if (std::memcmp(a.data() + i * bytes, b.data() + i * bytes, bytes) == 0) continue;
    // Which of two NaNs an addition passes on is open to the code generator.
    if (LoadScalar(type, a.data() + i * bytes).IsNaN() && LoadScalar(type, b.data() + i * bytes).IsNaN()) continue;
    return absl::StrCat("element ", i, ": ", ToText(LoadScalar(type, a.data() + i * bytes)), " and ",
                        ToText(LoadScalar(type, b.data() + i * bytes)));
  }
  return "";
}

void CompareWithInterpreter(Backend& backend, const Computation& entry, const Region& region, const std::vector<Value>& values) {
  const Instruction& root = *entry.schedule[region.root];
  const OpClass op_class = Def(root).op_class;
  if ((op_class != OpClass::kPull && op_class != OpClass::kPush) || !root.shape.IsArray()) return;
  SCOPED_TRACE(absl::StrCat(root.name, ", ", region.members.size(), " members"));
  absl::StatusOr<Program> program = FuseRegion(entry, region);
  ASSERT_TRUE(program.ok()) << program.status();
  std::vector<Value> inputs;
  for (int input : region.inputs) inputs.push_back(values[input]);
  absl::StatusOr<std::shared_ptr<const Kernel>> kernel = backend.GetKernel(entry, region);
  ASSERT_TRUE(kernel.ok());
  ExpectMatches(*program, inputs, values[region.root],
                {.library_order = (*kernel)->library_order(), .library_wide_accumulation = (*kernel)->library_wide_accumulation()}, 200);
}

// Fused with one and with three threads, single steps, and the interpreter on every fused region.
void CheckEverything(const std::string& body) {
  SCOPED_TRACE(body);
  std::unique_ptr<Module> module = ParseEntry(body, kReducers);
  ASSERT_NE(module, nullptr);
  const Computation& entry = *module->entry;
  const std::vector<Value> parameters = Parameters(entry);
  std::unique_ptr<Backend> one = MakeBackend(1), three = MakeBackend(3);
  ASSERT_TRUE(one != nullptr && three != nullptr);
  absl::StatusOr<std::unique_ptr<Plan>> fused = one->MakePlan(entry);
  ASSERT_TRUE(fused.ok());
  const std::vector<Value> a = RunPlan(*one, **fused, parameters);
  const std::vector<Value> b = RunPlan(*three, **fused, parameters);
  const std::vector<Value> c = RunPlan(*three, *SingleStepPlan(entry), parameters);
  for (const Region& region : (*fused)->regions) {
    const Instruction& root = *entry.schedule[region.root];
    ASSERT_TRUE(a[region.root].has_value() && b[region.root].has_value() && c[region.root].has_value()) << root.name;
    EXPECT_TRUE(Value::BitEqual(a[region.root], b[region.root])) << root.name << " differs between one and three threads";
    EXPECT_EQ(FirstDifference(a[region.root], c[region.root]), "") << root.name << ": fused region and single steps";
    CompareWithInterpreter(*one, entry, region, a);
  }
  const std::unique_ptr<Plan> steps = SingleStepPlan(entry);
  for (const Region& region : steps->regions) CompareWithInterpreter(*one, entry, region, c);
}

TEST(JitBackend, SoftmaxFusedAndStepwise) {
  CheckEverything(
      "a = f32[37,129] parameter(0)\nlow = f32[] constant(-inf)\nzero = f32[] constant(0)\nm = f32[37] reduce(a, low), dimensions={1}, "
      "to_apply=largest\n"
      "mb = f32[37,129] broadcast(m), dimensions={0}\nd = f32[37,129] subtract(a, mb)\ne = f32[37,129] exponential(d)\n"
      "s = f32[37] reduce(e, zero), dimensions={1}, to_apply=sum\nsb = f32[37,129] broadcast(s), dimensions={0}\nROOT q = f32[37,129] "
      "divide(e, sb)");
}

// Folds down columns: several rows of a slot at a time, what is left of them, strips longer and shorter than the line, and what is fused into them.
TEST(JitBackend, ColumnsFusedAndStepwise) {
  for (const char* type : {"f32", "bf16", "f64"}) {
    const std::string t = type, sum = t == "f32" ? "sum" : "sum_" + t, largest = t == "f32" ? "largest" : "largest_" + t;
    for (const auto& [rows, columns] : std::vector<std::pair<int, int>>{{15, 40}, {64, 33}, {131, 70}, {200, 1100}, {77, 4200}}) {
      const std::string all = absl::StrCat(t, "[", rows, ",", columns, "]"), line = absl::StrCat(t, "[", columns, "]");
      CheckEverything(absl::StrCat("a = ", all, " parameter(0)\nw = ", t, "[", rows, "] parameter(1)\nlow = ", t, "[] constant(-inf)\nzero = ", t, "[] constant(0)\nwb = ", all,
                                   " broadcast(w), dimensions={0}\np = ", all, " multiply(a, wb)\ns = ", line, " reduce(p, zero), dimensions={0}, to_apply=", sum, "\nm = ", line,
                                   " reduce(a, low), dimensions={0}, to_apply=", largest, "\nROOT r = ", line, " subtract(s, m)"));
    }
    CheckEverything(absl::StrCat("a = ", t, "[3,70,2,50] parameter(0)\nzero = ", t, "[] constant(0)\nROOT s = ", t, "[2,50] reduce(a, zero), dimensions={0,1}, to_apply=", sum));
  }
}

// Rows that are many and long: their folds join the regions that use them, where lines are as long as vectors, longer, and of other ends.
TEST(JitBackend, RowsFusedAndStepwise) {
  for (const char* type : {"f32", "bf16", "f64"}) {
    for (const std::vector<std::string>& dims : std::vector<std::vector<std::string>>{{"300", "200"}, {"1024", "256"}, {"2,130", "161"}}) {
      const std::string rows = dims[0], t = type;
      const int rank = rows == "2,130" ? 3 : 2;
      const std::string all = absl::StrCat(t, "[", rows, ",", dims[1], "]"), row = absl::StrCat(t, "[", rows, "]"), one = t + "[]";
      const std::string last = absl::StrCat("{", rank - 1, "}"), first = rank == 3 ? "{0,1}" : "{0}";
      const std::string sum = t == "f32" ? "sum" : "sum_" + t, largest = t == "f32" ? "largest" : "largest_" + t;
      const std::string start = absl::StrCat("a = ", all, " parameter(0)\nlow = ", one, " constant(-inf)\nzero = ", one, " constant(0)\n");
      CheckEverything(absl::StrCat(start, "m = ", row, " reduce(a, low), dimensions=", last, ", to_apply=", largest, "\nmb = ", all, " broadcast(m), dimensions=", first,
                                   "\nd = ", all, " subtract(a, mb)\ne = ", all, " exponential(d)\ns = ", row, " reduce(e, zero), dimensions=", last, ", to_apply=", sum,
                                   "\nsb = ", all, " broadcast(s), dimensions=", first, "\nROOT q = ", all, " divide(e, sb)"));
      CheckEverything(absl::StrCat(start, "g = ", t, "[", dims[1], "] parameter(1)\nn = ", one, " constant(200)\nnn = ", row, " broadcast(n), dimensions={}\ns = ", row,
                                   " reduce(a, zero), dimensions=", last, ", to_apply=", sum, "\nmean = ", row, " divide(s, nn)\nmm = ", all, " broadcast(mean), dimensions=",
                                   first, "\nd = ", all, " subtract(a, mm)\nq = ", all, " multiply(d, d)\nv = ", row, " reduce(q, zero), dimensions=", last, ", to_apply=", sum,
                                   "\nrs = ", row, " rsqrt(v)\nrr = ", all, " broadcast(rs), dimensions=", first, "\ny = ", all, " multiply(d, rr)\ngg = ", all,
                                   " broadcast(g), dimensions=", last, "\nROOT r = ", all, " multiply(y, gg)"));
    }
  }
}

TEST(JitBackend, MovementsAreFusedOrCopied) {
  CheckEverything(
      "a = f32[12,40] parameter(0)\nb = f32[12,20] slice(a), slice={[0:12], [20:40]}\nc = f32[12,20] slice(a), slice={[0:12], [0:20]}\nn = "
      "f32[12,20] negate(b)\n"
      "k = f32[12,40] concatenate(n, c), dimensions={1}\nr = f32[480] reshape(k)\nv = f32[480] reverse(r), dimensions={0}\nw = f32[4,120] "
      "reshape(v)\n"
      "t = f32[120,4] transpose(w), dimensions={1,0}\nz = f32[] constant(3)\np = f32[123,9] pad(t, z), padding=1_2x0_5\nROOT o = "
      "f32[123,9] tanh(p)");
}

TEST(JitBackend, DotsConvolutionsAndTheirSurroundings) {
  CheckEverything(
      "a = f32[64,32] parameter(0)\nb = f32[32,48] parameter(1)\nd = f32[64,48] dot(a, b), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}\n"
      "z = f32[] constant(0)\nzb = f32[64,48] broadcast(z), dimensions={}\nr = f32[64,48] maximum(d, zb)\ni = f32[1,8,8,48] reshape(r)\nk "
      "= f32[3,3,48,16] parameter(2)\n"
      "c = f32[1,8,8,16] convolution(i, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f\nROOT s = f32[16] reduce(c, z), "
      "dimensions={0,1,2}, to_apply=sum");
}

TEST(JitBackend, ScatterGatherAndUpdates) {
  CheckEverything(
      "a = f32[10,6] parameter(0)\ni = s32[4,1] constant({{1},{3},{9},{1}})\nu = f32[4,6] parameter(1)\n"
      "s = f32[10,6] scatter(a, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
      "index_vector_dim=1, to_apply=sum\n"
      "g = f32[4,6] gather(s, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,6}\n"
      "n = f32[4,6] negate(g)\nz = s32[] constant(0)\nq = s32[] constant(5)\nROOT w = f32[10,6] dynamic-update-slice(s, n, q, z)");
}

TEST(JitBackend, RandomChainsOfPointwiseOperations) {
  const char* unary[] = {"negate", "exponential", "tanh", "sqrt", "abs", "floor", "logistic", "cosine"};
  const char* binary[] = {"add", "subtract", "multiply", "maximum", "minimum", "divide"};
  std::mt19937 random(5);
  for (const char* type : {"f32", "bf16", "f64", "f16"}) {
    for (int round = 0; round < 3; ++round) {
      std::string body = absl::StrCat("v0 = ", type, "[7,33] parameter(0)\nv1 = ", type, "[7,33] parameter(1)\nr = ", type,
                                      "[33] parameter(2)\nv2 = ", type, "[7,33] broadcast(r), dimensions={1}\n");
      const int length = 30;
      for (int i = 3; i < length; ++i) {
        const auto pick = [&] { return absl::StrCat("v", random() % i); };
        absl::StrAppend(&body, i == length - 1 ? "ROOT " : "", "v", i, " = ", type, "[7,33] ");
        if (random() % 2 == 0) {
          absl::StrAppend(&body, unary[random() % 8], "(v", i - 1, ")\n");
        } else {
          absl::StrAppend(&body, binary[random() % 6], "(v", i - 1, ", ", pick(), ")\n");
        }
      }
      CheckEverything(body);
    }
  }
}

TEST(JitBackend, ReshapeAndCopyMoveNoBytes) {
  std::unique_ptr<Module> module = ParseEntry("a = f32[6,8] parameter(0)\nr = f32[48] reshape(a)\nROOT c = f32[48] copy(r)");
  ASSERT_NE(module, nullptr);
  std::unique_ptr<Backend> backend = MakeBackend();
  const std::vector<Value> values = RunPlan(*backend, *SingleStepPlan(*module->entry), Parameters(*module->entry));
  EXPECT_EQ(values[2].data(), values[0].data());
  EXPECT_EQ(backend->stats().kernels_compiled, 0);
}

TEST(JitBackend, CancelledKernelsSaySo) {
  std::unique_ptr<Module> module = ParseEntry(
      "a = f32[64,64] parameter(0)\nb = f32[64,64] exponential(a)\nROOT d = f32[64,64] dot(b, b), lhs_contracting_dims={1}, "
      "rhs_contracting_dims={0}");
  ASSERT_NE(module, nullptr);
  std::unique_ptr<Backend> backend = MakeBackend();
  const std::vector<Value> parameters = Parameters(*module->entry);
  std::atomic<bool> cancel{true};
  for (int position : {1, 2}) {
    absl::StatusOr<std::shared_ptr<const Kernel>> kernel = backend->GetKernel(*module->entry, SingleRegion(*module->entry, position));
    ASSERT_TRUE(kernel.ok());
    absl::StatusOr<Value> result = (*kernel)->Run({.cancel = &cancel}, {parameters[0]});
    EXPECT_TRUE(absl::IsCancelled(result.status())) << result.status();
  }
}

TEST(JitBackend, UniqueInputsAreWrittenOver) {
  std::unique_ptr<Module> module = ParseEntry("a = f32[64,64] parameter(0)\nROOT b = f32[64,64] exponential(a)");
  ASSERT_NE(module, nullptr);
  std::unique_ptr<Backend> backend = MakeBackend();
  absl::StatusOr<std::shared_ptr<const Kernel>> kernel = backend->GetKernel(*module->entry, SingleRegion(*module->entry, 1));
  ASSERT_TRUE(kernel.ok());
  const Value held = Parameters(*module->entry)[0];
  absl::StatusOr<Value> other = (*kernel)->Run({}, {held});
  ASSERT_TRUE(other.ok());
  EXPECT_NE(other->data(), held.data());
  Value own = Parameters(*module->entry)[0];
  const std::byte* bytes = own.data();
  std::vector<Value> inputs;
  inputs.push_back(std::move(own));
  absl::StatusOr<Value> in_place = (*kernel)->Run({}, std::move(inputs));
  ASSERT_TRUE(in_place.ok());
  EXPECT_EQ(in_place->data(), bytes);
  EXPECT_TRUE(Value::BitEqual(*other, *in_place));
}

TEST(JitBackend, FaultInACompiledKernelIsAnErrorOnEveryThread) {
  CompiledKernel code;
  code.info.extent = 64;
  code.info.grain = 1;
  code.fn = [](const void* const*, void* const* outputs, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (i % 2 == 1) raise(SIGSEGV);
      static_cast<float*>(outputs[0])[i] = 1;
    }
  };
  const Shape shape = Shape::Array(ElementType::kF32, {64});
  for (int threads : {1, 3}) {
    ThreadPool pool(threads);
    std::shared_ptr<const Kernel> kernel = MakeNativeKernel(code, shape, {shape}, {shape}, pool);
    for (int round = 0; round < 3; ++round) {
      absl::StatusOr<Value> result = kernel->Run({}, {});
      EXPECT_EQ(result.status().code(), absl::StatusCode::kInternal) << result.status();
    }
    std::atomic<int> pieces{0};
    pool.ParallelFor(8, 1, [&](int64_t, int64_t) { pieces.fetch_add(1); });
    EXPECT_EQ(pieces.load(), 8) << "the pool goes on working";
  }
}

TEST(JitBackend, EqualRegionsShareOneKernel) {
  std::string body = "v0 = f32[50] parameter(0)\n";
  for (int i = 1; i <= 40; ++i) absl::StrAppend(&body, i == 40 ? "ROOT " : "", "v", i, " = f32[50] negate(v", i - 1, ")\n");
  std::unique_ptr<Module> module = ParseEntry(body);
  ASSERT_NE(module, nullptr);
  std::unique_ptr<Backend> backend = MakeBackend();
  RunPlan(*backend, *SingleStepPlan(*module->entry), Parameters(*module->entry));
  EXPECT_EQ(backend->stats().kernels_compiled, 1);
  EXPECT_GT(backend->stats().compile_ms, 0);
}

class JitCache : public ::testing::Test {
 protected:
  JitCache()
      : directory_(
            absl::StrCat(::testing::TempDir(), "/jit.", getpid(), ".", ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::filesystem::remove_all(directory_);
  }
  ~JitCache() override { std::filesystem::remove_all(directory_); }

  // Runs with a fresh backend and returns its statistics; the result goes to `result`.
  BackendStats Start(Value* result, bool prepare = false) {
    std::unique_ptr<Module> module = ParseEntry(
        "a = f32[30,40] parameter(0)\nb = f32[30,40] exponential(a)\nz = f32[] constant(0)\ns = f32[30] reduce(b, z), dimensions={1}, "
        "to_apply=sum\n"
        "sb = f32[30,40] broadcast(s), dimensions={0}\nROOT q = f32[30,40] divide(b, sb)",
        kReducers);
    std::unique_ptr<Backend> backend = MakeBackend(2, directory_);
    if (module == nullptr || backend == nullptr) return {};
    absl::StatusOr<std::unique_ptr<Plan>> plan = backend->MakePlan(*module->entry);
    if (prepare) {
      std::vector<const Region*> regions;
      for (const Region& region : (*plan)->regions) regions.push_back(&region);
      backend->Prepare(*module->entry, regions);
    }
    *result = RunPlan(*backend, **plan, Parameters(*module->entry)).back();
    return backend->stats();
  }
  std::string directory_;
};

TEST_F(JitCache, SecondStartCompilesNothing) {
  Value first, second, third;
  const BackendStats cold = Start(&first);
  EXPECT_GT(cold.kernels_compiled, 0);
  EXPECT_EQ(cold.kernels_from_cache, 0);
  const BackendStats warm = Start(&second);
  EXPECT_EQ(warm.kernels_compiled, 0);
  EXPECT_EQ(warm.kernels_from_cache, cold.kernels_compiled);
  EXPECT_TRUE(Value::BitEqual(first, second));
  const BackendStats prepared = Start(&third, true);
  EXPECT_EQ(prepared.kernels_compiled, 0);
  EXPECT_TRUE(Value::BitEqual(first, third));
}

TEST_F(JitCache, DamagedFilesAreCompiledAnew) {
  Value first, second;
  const BackendStats cold = Start(&first);
  for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
    file.write("damage", 6);
  }
  const BackendStats again = Start(&second);
  EXPECT_EQ(again.kernels_compiled, cold.kernels_compiled);
  EXPECT_TRUE(Value::BitEqual(first, second));
}

TEST_F(JitCache, TwoProcessesAtOnce) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  Value mine;
  const BackendStats stats = Start(&mine);
  if (child == 0) _exit(mine.has_value() && stats.kernels_compiled + stats.kernels_from_cache > 0 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  Value later;
  EXPECT_EQ(Start(&later).kernels_compiled, 0);
  EXPECT_TRUE(Value::BitEqual(mine, later));
}

TEST(JitBackend, ArtifactsShowPlanProgramAndCode) {
  std::unique_ptr<Module> module = ParseEntry("a = f32[64] parameter(0)\nb = f32[64] negate(a)\nROOT c = f32[64] exponential(b)");
  ASSERT_NE(module, nullptr);
  std::unique_ptr<Backend> backend = MakeBackend();
  absl::StatusOr<std::unique_ptr<Plan>> plan = backend->MakePlan(*module->entry);
  ASSERT_TRUE(plan.ok());
  absl::StatusOr<std::vector<Artifact>> artifacts = backend->Artifacts(*module->entry, (*plan)->regions.back());
  ASSERT_TRUE(artifacts.ok()) << artifacts.status();
  std::string names;
  for (const Artifact& artifact : *artifacts) {
    absl::StrAppend(&names, artifact.name, ";");
    EXPECT_FALSE(artifact.text.empty()) << artifact.name;
  }
  EXPECT_EQ(names, "region;kernel;element program;LLVM IR;assembly;");
  EXPECT_TRUE(absl::StrContains((*artifacts)[3].text, "define"));
}

}  // namespace
}  // namespace hloscope
