// The reference backend under the Machine: whole programs from text, and the small files of the corpus.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "backends/reference/backend.h"
#include "core/exec/inputs.h"
#include "core/exec/machine.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

struct Loaded {
  explicit Loaded(std::string text) {
    DiagnosticSink sink;
    source = std::make_shared<SourceText>("<test>", std::move(text));
    module = ReadHloText(source, sink);
    if (sink.error_count() == 0) Verify(*module, sink);
    for (const Diagnostic& d : sink.diagnostics()) {
      if (d.severity == Severity::kError) ADD_FAILURE() << Render(d, *source);
    }
    good = sink.error_count() == 0;
  }
  Value Run(std::vector<Value> parameters) {
    backend = MakeReferenceBackend();
    machine = std::make_unique<Machine>(*module, *backend, MachineOptions());
    const absl::Status started = machine->Start(std::move(parameters));
    EXPECT_TRUE(started.ok()) << started;
    const StopReason reason = machine->Run();
    EXPECT_EQ(reason, StopReason::kFinished) << machine->status();
    return reason == StopReason::kFinished ? machine->result() : Value();
  }
  std::shared_ptr<SourceText> source;
  std::unique_ptr<Module> module;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Machine> machine;
  bool good = false;
};

Value F32(std::vector<int64_t> dims, std::vector<float> x) {
  return Value::FromBytes(Shape::Array(ElementType::kF32, dims),
                          absl::MakeConstSpan(reinterpret_cast<const std::byte*>(x.data()), x.size() * 4));
}
Value S32(std::vector<int64_t> dims, std::vector<int32_t> x) {
  return Value::FromBytes(Shape::Array(ElementType::kS32, dims),
                          absl::MakeConstSpan(reinterpret_cast<const std::byte*>(x.data()), x.size() * 4));
}
std::vector<float> Floats(const Value& v) {
  return v.has_value() ? std::vector<float>(v.as<float>(), v.as<float>() + v.element_count()) : std::vector<float>();
}
std::vector<int32_t> Ints(const Value& v) {
  return v.has_value() ? std::vector<int32_t>(v.as<int32_t>(), v.as<int32_t>() + v.element_count()) : std::vector<int32_t>();
}

TEST(Reference, DotPlusBroadcastBias) {
  Loaded p(R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  y = f32[3,2] parameter(1)
  b = f32[2] parameter(2)
  d = f32[2,2] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  bb = f32[2,2] broadcast(b), dimensions={1}
  ROOT r = f32[2,2] add(d, bb)
})");
  ASSERT_TRUE(p.good);
  EXPECT_EQ(Floats(p.Run({F32({2, 3}, {1, 2, 3, 4, 5, 6}), F32({3, 2}, {1, 2, 3, 4, 5, 6}), F32({2}, {100, 200})})),
            (std::vector<float>{122, 228, 149, 264}));
}

TEST(Reference, VariadicReduceGivesATuple) {
  Loaded p(R"(HloModule m
f {
  a = f32[] parameter(0)
  ai = s32[] parameter(1)
  b = f32[] parameter(2)
  bi = s32[] parameter(3)
  ge = pred[] compare(b, a), direction=GE
  v = f32[] select(ge, b, a)
  i = s32[] select(ge, bi, ai)
  ROOT t = (f32[], s32[]) tuple(v, i)
}
ENTRY e {
  x = f32[2,3] parameter(0)
  i = s32[2,3] iota(), iota_dimension=1
  low = f32[] constant(-inf)
  zero = s32[] constant(0)
  ROOT r = (f32[2], s32[2]) reduce(x, i, low, zero), dimensions={1}, to_apply=f
})");
  ASSERT_TRUE(p.good);
  const Value r = p.Run({F32({2, 3}, {1, 7, 7, 9, 2, 3})});
  ASSERT_EQ(r.elements().size(), 2u);
  EXPECT_EQ(Floats(r.elements()[0]), (std::vector<float>{7, 9}));
  EXPECT_EQ(Ints(r.elements()[1]), (std::vector<int32_t>{2, 0}));
}

TEST(Reference, ScatterPushesIntoItsOperand) {
  Loaded p(R"(HloModule m
f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY e {
  x = f32[4] parameter(0)
  i = s32[3,1] parameter(1)
  u = f32[3] parameter(2)
  ROOT r = f32[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=f
})");
  ASSERT_TRUE(p.good);
  EXPECT_EQ(Floats(p.Run({F32({4}, {1, 2, 3, 4}), S32({3, 1}, {2, 9, 2}), F32({3}, {10, 20, 30})})), (std::vector<float>{1, 2, 43, 4}));
}

TEST(Reference, SortIsEvaluatedWhole) {
  Loaded p(R"(HloModule m
f {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT l = pred[] compare(a, b), direction=LT
}
ENTRY e {
  x = f32[4] parameter(0)
  i = s32[4] iota(), iota_dimension=0
  ROOT r = (f32[4], s32[4]) sort(x, i), dimensions={0}, is_stable=true, to_apply=f
})");
  ASSERT_TRUE(p.good);
  const Value r = p.Run({F32({4}, {3, 1, 2, 1})});
  ASSERT_EQ(r.elements().size(), 2u);
  EXPECT_EQ(Floats(r.elements()[0]), (std::vector<float>{1, 1, 2, 3}));
  EXPECT_EQ(Ints(r.elements()[1]), (std::vector<int32_t>{1, 3, 2, 0}));
}

TEST(Reference, LoopsRun) {
  Loaded p(R"(HloModule m
body {
  s = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f32[3] get-tuple-element(s), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  c = f32[3] constant({1, 2, 3})
  w = f32[3] add(v, c)
  ROOT t = (s32[], f32[3]) tuple(j, w)
}
cond {
  s = (s32[], f32[3]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(1000)
  ROOT l = pred[] compare(i, n), direction=LT
}
ENTRY e {
  zero = s32[] constant(0)
  v = f32[3] constant({0, 0, 0})
  t = (s32[], f32[3]) tuple(zero, v)
  w = (s32[], f32[3]) while(t), condition=cond, body=body
  ROOT r = f32[3] get-tuple-element(w), index=1
})");
  ASSERT_TRUE(p.good);
  EXPECT_EQ(Floats(p.Run({})), (std::vector<float>{1000, 2000, 3000}));
}

TEST(Reference, ArtifactsShowTheFormula) {
  Loaded p(R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  ROOT t = f32[3,2] transpose(x), dimensions={1,0}
})");
  ASSERT_TRUE(p.good);
  const auto backend = MakeReferenceBackend();
  const Computation& entry = *p.module->entry;
  const auto artifacts = backend->Artifacts(entry, SingleRegion(entry, entry.root->index));
  ASSERT_TRUE(artifacts.ok());
  ASSERT_FALSE(artifacts->empty());
  EXPECT_EQ((*artifacts)[0].text, "out[i, j] = x[j, i]");
}

TEST(Reference, SmallCorpusFilesRun) {
  const char* corpus = std::getenv("HLOSCOPE_CORPUS");
  const std::filesystem::path models = std::filesystem::path(corpus != nullptr ? corpus : "../shared/corpus") / "models";
  if (!std::filesystem::is_directory(models)) GTEST_SKIP() << "no corpus at " << models;
  for (const auto& entry : std::filesystem::directory_iterator(models)) {
    if (entry.path().extension() != ".hlo" || entry.file_size() > 60000) continue;
    std::ifstream in(entry.path());
    std::stringstream text;
    text << in.rdbuf();
    Loaded p(text.str());
    ASSERT_TRUE(p.good) << entry.path();
    // Only those that an interpreter gets through quickly.
    int64_t work = 0;
    for (const Instruction* i : p.module->entry->schedule) work += i->shape.ByteSize();
    if (work > 4 << 20) continue;
    std::vector<Value> inputs;
    for (size_t k = 0; k < p.module->entry->parameters.size(); ++k) {
      auto input = MakeInput(*p.module, static_cast<int>(k), Fill(), nullptr);
      ASSERT_TRUE(input.ok()) << input.status();
      inputs.push_back(*std::move(input));
    }
    FillElidedConstants(*p.module, Fill(), nullptr);
    EXPECT_TRUE(p.Run(inputs).has_value()) << entry.path();
  }
}

}  // namespace
}  // namespace hloscope
