// Every number that why shows is the run's to the bit, however it came by it: on random programs, run natively, against the values that the
// machine holds or makes again.
#include <random>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/debug/why.h"
#include "core/literal/relayout.h"
#include "core/ops/leaf_flow.h"
#include "gtest/gtest.h"
#include "tests/random/generate.h"
#ifdef HLOSCOPE_JIT
#include "backends/jit_cpu/jit_cpu.h"
#endif

namespace hloscope {
namespace {

std::unique_ptr<Backend> NativeBackend() {
#ifdef HLOSCOPE_JIT
  absl::StatusOr<std::unique_ptr<Backend>> jit = MakeJitCpuBackend(BackendOptions());
  EXPECT_TRUE(jit.ok());
  return *std::move(jit);
#else
  return MakeReferenceBackend();
#endif
}

struct Tally {
  int64_t slices = 0, numbers = 0;
};

void CheckProgram(const Module& module, const std::vector<Value>& arguments, Backend& backend, uint64_t seed, Tally* tally) {
  MachineOptions options;
  options.max_iterations = 100;
  Machine machine(module, backend, options), again(module, backend, options);
  if (!machine.Start(arguments).ok() || machine.Run() != StopReason::kFinished) return;
  if (!again.Start(arguments).ok()) return;
  ElementReader reader(machine, int64_t{1} << 26);
  std::mt19937_64 random(seed);
  const Instruction* root = module.entry->root;
  for (int leaf = 0; leaf < LeafCountOf(root->shape); ++leaf) {
    const Shape& shape = LeafShape(root->shape, leaf);
    if (!shape.IsArray() || shape.ElementCount() == 0) continue;
    const ElementPlace place{0, root, leaf, static_cast<int64_t>(random() % shape.ElementCount())};
    const absl::StatusOr<Slice> slice = BuildWhy(reader, place, {.depth = -1, .terms = 8, .nodes = 200, .control = true, .births = false});
    if (!slice.ok()) continue;  // beyond the sizes of the run
    ++tally->slices;
    for (const SliceNode& node : slice->nodes) {
      if (node.place.frame != 0 || !node.known) continue;
      const absl::StatusOr<Value> value = again.ValueAhead(0, node.place.instruction->index);
      if (!value.ok()) continue;
      const Value array = ToDense(LeafOf(*value, node.place.leaf));
      if (array.shape().dimensions() != LeafShape(node.place.instruction->shape, node.place.leaf).dimensions()) continue;
      const ElementType type = array.shape().element_type();
      EXPECT_EQ(ToText(node.value), ToText(LoadScalar(type, array.data() + node.place.linear * StorageBytes(type))))
          << "%" << node.place.instruction->name << " at " << node.place.linear << ", asked of leaf " << leaf << " at " << place.linear;
      ++tally->numbers;
    }
  }
}

TEST(WhyValuesTest, NumbersAreTheRuns) {
  const std::unique_ptr<Backend> backend = NativeBackend();
  Tally tally;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    const Prog program = Generate(seed);
    std::string problems;
    const std::string text = Text(program);
    const std::unique_ptr<Module> module = ReadProgram(text, &problems);
    ASSERT_NE(module, nullptr) << problems;
    if (text.find(" rng") != std::string::npos) continue;  // other numbers in another run
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    CheckProgram(*module, ArgumentsOf(program, *module), *backend, seed, &tally);
  }
  // Chains of functions that the backend has its own code for, in one kernel, and choices made by them.
  for (const char* text : {R"(HloModule chain
ENTRY main {
  p0 = f32[64] parameter(0)
  a = f32[64] tanh(p0)
  b = f32[64] exponential(a)
  c = f32[64] log(b)
  d = f32[64] logistic(c)
  e = f32[64] sine(d)
  f = f32[64] power(e, d)
  g = bf16[64] convert(f)
  h = bf16[64] tanh(g)
  w = f32[64] convert(h)
  o = f32[64] cosine(w)
  p = pred[64] compare(o, e), direction=GT
  ROOT s = f32[64] select(p, o, f)
}
)"}) {
    std::string problems;
    const std::unique_ptr<Module> module = ReadProgram(text, &problems);
    ASSERT_NE(module, nullptr) << problems;
    for (uint64_t seed = 1; seed <= 20; ++seed) CheckProgram(*module, MakeArguments(*module, Inputs::kMixed, seed), *backend, seed, &tally);
  }
  EXPECT_GT(tally.slices, 250);
  EXPECT_GT(tally.numbers, 4000);
}

}  // namespace
}  // namespace hloscope
