// Every operation through its builder method: its example is built, verified, printed and read back, and gives the value that stands
// beside it. The functions that an example does not use have cases of their own below.
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "app/reference/examples.h"
#include "core/ops/builder/methods.h"
#include "core/ops/op.h"
#include "tests/builder/building.h"

namespace hloscope {
namespace {

Value MadeUp(const Shape& shape) {
  Value v = Value::Allocate(shape);
  std::fill_n(v.mutable_data(), shape.ByteSize(), std::byte{1});
  return v;
}

absl::StatusOr<Value> RunWithInputs(const Module& module) {
  std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Machine machine(module, *backend, MachineOptions());
  std::vector<Value> inputs;
  for (const Instruction* p : module.entry->parameters) inputs.push_back(MadeUp(p->shape));
  if (absl::Status s = machine.Start(inputs); !s.ok()) return s;
  if (machine.Run() != StopReason::kFinished) return machine.status();
  return machine.result();
}

TEST(Operations, EveryOperationHasAnExampleThatUsesIt) {
  for (int i = 0; i < kOpcodeCount; ++i) {
    const absl::string_view name = Name(static_cast<Opcode>(i));
    const Example* example = FindExample(name);
    ASSERT_NE(example, nullptr) << name;
    auto module = BuildExample(*example);
    ASSERT_TRUE(module.ok()) << name << ": " << module.status();
    bool used = false;
    for (const Computation* c : (*module)->computations) {
      for (const Instruction* instruction : c->instructions) used = used || instruction->opcode == static_cast<Opcode>(i);
    }
    EXPECT_TRUE(used) << "the example of " << name << " does not use it";
  }
  EXPECT_EQ(static_cast<int>(Examples().size()), kOpcodeCount);
}

// The header's text without line breaks.
std::string Header() {
  std::ifstream in("core/ops/builder/operations.h");
  std::stringstream text;
  text << in.rdbuf();
  return std::regex_replace(text.str(), std::regex("\\s+"), " ");
}

TEST(Operations, EveryOperationIsReachedByAMethodAndEveryMethodIsListed) {
  const std::string header = Header();
  ASSERT_FALSE(header.empty());
  std::set<std::string> listed;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const std::vector<absl::string_view> methods = MethodsOf(static_cast<Opcode>(i));
    EXPECT_FALSE(methods.empty()) << Name(static_cast<Opcode>(i)) << " has no builder method";
    for (absl::string_view method : methods) {
      listed.insert(std::string(method));
      const std::string declared = absl::StrCat(method.substr(0, method.size() - 1), ", Place place = Place::current());");
      EXPECT_NE(header.find(declared), std::string::npos) << "operations.h does not declare " << declared;
    }
  }
  std::regex declaration("Op \\w+\\([^;]*?, Place place = Place::current\\(\\)\\);");
  size_t declared = 0;
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end; ++it) ++declared;
  EXPECT_EQ(declared, listed.size()) << "methods.def and operations.h differ";
}

// The examples of the operations and of the specification.
const std::vector<std::pair<std::string, Example>>& AllExamples() {
  static const auto& all = *new std::vector<std::pair<std::string, Example>>([] {
    std::vector<std::pair<std::string, Example>> examples;
    for (const Example& e : Examples()) examples.push_back({absl::StrCat("operation_", e.operation), e});
    for (const Example& e : SpecificationExamples()) examples.push_back({absl::StrCat("specification_", e.operation), e});
    return examples;
  }());
  return all;
}

class BuiltExample : public testing::TestWithParam<int> {};

TEST_P(BuiltExample, BuildsReadsBackAndGivesItsValue) {
  const Example& example = AllExamples()[GetParam()].second;
  const std::unique_ptr<Module> module = Build(example.build);
  ASSERT_NE(module, nullptr);
  absl::StatusOr<Value> value = RunWithInputs(*module);
  if (example.result[0] == 0) {
    EXPECT_FALSE(value.ok()) << "it runs: its result should stand with the example";
    EXPECT_NE(std::string(example.needs), "");
    return;
  }
  ASSERT_TRUE(value.ok()) << value.status() << "\n" << PrintHloText(*module);
  EXPECT_EQ(ResultText(*value), example.result) << PrintHloText(*module);
}

INSTANTIATE_TEST_SUITE_P(All, BuiltExample, testing::Range(0, static_cast<int>(AllExamples().size())), [](const auto& info) {
  std::string name = AllExamples()[info.param].first;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// -- Functions beside those that the examples use --

Op Count(Builder* b, std::vector<int64_t> dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return Reshape(Iota(b, S32, n), dims);
}

TEST(Functions, Comparisons) {
  const auto x = [](Builder* b) { return ConstantR1<float>(b, {1, 2, 3}); };
  const auto y = [](Builder* b) { return ConstantR1<float>(b, {2, 2, 2}); };
  ExpectBuilt([&](Builder* b) { return Eq(x(b), y(b)); }, "pred[3] constant({0, 1, 0})");
  ExpectBuilt([&](Builder* b) { return Ne(x(b), y(b)); }, "pred[3] constant({1, 0, 1})");
  ExpectBuilt([&](Builder* b) { return Ge(x(b), y(b)); }, "pred[3] constant({0, 1, 1})");
  ExpectBuilt([&](Builder* b) { return Gt(x(b), y(b)); }, "pred[3] constant({0, 0, 1})");
  ExpectBuilt([&](Builder* b) { return Le(x(b), y(b)); }, "pred[3] constant({1, 1, 0})");
  ExpectBuilt([&](Builder* b) { return Lt(x(b), y(b)); }, "pred[3] constant({1, 0, 0})");
  // Total order: -NaN < -Inf < -0 < +0 < +Inf < +NaN.
  const auto zeros = [](Builder* b) { return ConstantR1<float>(b, {-0.0f, 0.0f}); };
  const auto other = [](Builder* b) { return ConstantR1<float>(b, {0.0f, 0.0f}); };
  ExpectBuilt([&](Builder* b) { return EqTotalOrder(zeros(b), other(b)); }, "pred[2] constant({0, 1})");
  ExpectBuilt([&](Builder* b) { return NeTotalOrder(zeros(b), other(b)); }, "pred[2] constant({1, 0})");
  ExpectBuilt([&](Builder* b) { return LtTotalOrder(zeros(b), other(b)); }, "pred[2] constant({1, 0})");
  ExpectBuilt([&](Builder* b) { return LeTotalOrder(zeros(b), other(b)); }, "pred[2] constant({1, 1})");
  ExpectBuilt([&](Builder* b) { return GtTotalOrder(zeros(b), other(b)); }, "pred[2] constant({0, 0})");
  ExpectBuilt([&](Builder* b) { return GeTotalOrder(zeros(b), other(b)); }, "pred[2] constant({0, 1})");
  ExpectBuilt([&](Builder* b) { return EqTotalOrder(Count(b, {2}), Count(b, {2})); },
              "pred[2] constant({1, 1})");  // integers have one order
}

TEST(Functions, Collapse) {
  const auto x = [](Builder* b) { return Count(b, {4, 2, 3}); };
  ExpectShape([&](Builder* b) { return Collapse(x(b), {0, 1, 2}); }, "s32[24]");
  ExpectShape([&](Builder* b) { return Collapse(x(b), {0, 1}); }, "s32[8,3]");
  ExpectShape([&](Builder* b) { return Collapse(x(b), {1, 2}); }, "s32[4,6]");
  ExpectShape([&](Builder* b) { return Collapse(x(b), {1}); }, "s32[4,2,3]");
  ExpectBuilt([&](Builder* b) { return Collapse(Count(b, {2, 1, 2}), {1, 2}); }, "s32[2,2] constant({{0, 1}, {2, 3}})");
  ExpectBuildError([&](Builder* b) { return Collapse(x(b), {1, 0}); }, "collapse.consecutive");
  ExpectBuildError([&](Builder* b) { return Collapse(x(b), {0, 2}); }, "collapse.consecutive");
  ExpectBuildError([&](Builder* b) { return Collapse(x(b), {2, 3}); }, "collapse.range");
}

TEST(Functions, Movement) {
  ExpectBuilt([](Builder* b) { return Broadcast(ConstantR0<float>(b, 2), {2, 3}); }, "f32[2,3] constant({{2, 2, 2}, {2, 2, 2}})");
  ExpectBuilt([](Builder* b) { return Broadcast(Count(b, {2}), {3}); }, "s32[3,2] constant({{0, 1}, {0, 1}, {0, 1}})");
  ExpectBuilt([](Builder* b) { return BroadcastInDim(Count(b, {2, 1}), {2, 3}, {0, 1}); }, "s32[2,3] constant({{0, 0, 0}, {1, 1, 1}})");
  ExpectBuildError([](Builder* b) { return BroadcastInDim(Count(b, {2}), {3, 3}, {1}); }, "broadcast.sizes");
  ExpectBuildError([](Builder* b) { return BroadcastInDim(Count(b, {2}), {2, 3}, {}); }, "broadcast.dimension-count");
  ExpectBuildError([](Builder* b) { return BroadcastInDim(Count(b, {2}), {2, 3}, {2}); }, "broadcast.dimension-range");
  ExpectBuilt([](Builder* b) { return Reshape(ConstantR2<int32_t>(b, {{5}}), {}); }, "s32[] constant(5)");
  ExpectBuildError([](Builder* b) { return Reshape(Count(b, {6}), {4}); }, "reshape.element-count");
  ExpectBuilt([](Builder* b) { return SliceInDim(Count(b, {2, 5}), 1, 5, 3, 1); }, "s32[2,2] constant({{1, 4}, {6, 9}})");
  ExpectBuilt(
      [](Builder* b) {
        return DynamicSlice(Count(b, {4, 3}), {ConstantR1<int32_t>(b, {2, 1})}, {2, 2});
      },
      "s32[2,2] constant({{7, 8}, {10, 11}})");
  ExpectBuilt(
      [](Builder* b) {
        return DynamicUpdateSlice(Count(b, {5}), ConstantR1<int32_t>(b, {5, 6}), {ConstantR0<int32_t>(b, 2)});
      },
      "s32[5] constant({0, 1, 5, 6, 4})");
  ExpectBuilt([](Builder* b) { return Concatenate({Count(b, {2}), Count(b, {1})}, 0); }, "s32[3] constant({0, 1, 0})");
  ExpectBuilt([](Builder* b) { return PadInDim(Count(b, {2}), ConstantR0<int32_t>(b, 9), 0, 1, 2); }, "s32[5] constant({9, 0, 1, 9, 9})");
  ExpectBuildError([](Builder* b) { return PadInDim(Count(b, {2}), ConstantR0<int32_t>(b, 9), 1, 1, 2); }, "builder.dimension");
  ExpectShape([](Builder* b) { return BitcastConvertType(Parameter(b, 0, S(F16, {10, 2}), "x"), F32); }, "f32[10]");
  ExpectShape([](Builder* b) { return BitcastConvertType(Parameter(b, 0, S(F32, {}), "x"), F16); }, "f16[2]");
  ExpectBuildError(
      [](Builder* b) {
        return BitcastConvertType(Parameter(b, 0, S(F16, {10, 3}), "x"), F32);
      },
      "bitcast-convert.last-dimension");
}

// The shapes of the specification's gather vectors.
TEST(Functions, GatherShapes) {
  const auto gathered = [](std::vector<int64_t> indices, GatherDimensionNumbers n, std::vector<int64_t> sizes) {
    return [=](Builder* b) {
      const Op x = Parameter(b, 0, S(F32, {16, 11}), "x"), at = Parameter(b, 1, S(S64, indices), "at");
      return Gather(x, at, n, sizes);
    };
  };
  ExpectShape(gathered({5, 2}, {{1, 2}, {}, {0, 1}, 1}, {8, 6}), "f32[5,8,6]");
  ExpectShape(gathered({4, 5, 2}, {{2, 3}, {}, {0, 1}, 2}, {8, 6}), "f32[4,5,8,6]");
  ExpectShape(gathered({4, 5, 1}, {{2}, {0}, {0}, 2}, {1, 11}), "f32[4,5,11]");
  ExpectShape(gathered({16, 5}, {{}, {1}, {1}, 2, {0}, {0}}, {1, 1}), "f32[16,5]");
}

TEST(Functions, Reductions) {
  const auto m = [](Builder* b) { return ConstantR2<int32_t>(b, {{1, 2, 3}, {4, 5, 6}}); };
  const auto sum = [&](Builder* b, Op x, std::vector<int64_t> dims) {
    return Reduce(x, Zero(b, S32), CreateScalarAddComputation(S32, b), dims);
  };
  ExpectBuilt([&](Builder* b) { return sum(b, m(b), {0}); }, "s32[3] constant({5, 7, 9})");
  ExpectBuilt([&](Builder* b) { return sum(b, m(b), {1}); }, "s32[2] constant({6, 15})");
  ExpectBuilt([&](Builder* b) { return sum(b, Broadcast(m(b), {4}), {0}); }, "s32[2,3] constant({{4, 8, 12}, {16, 20, 24}})");
  ExpectBuilt([&](Builder* b) { return sum(b, Broadcast(m(b), {4}), {0, 1}); }, "s32[3] constant({20, 28, 36})");
  ExpectBuilt([&](Builder* b) { return ReduceAll(Broadcast(m(b), {4}), Zero(b, S32), CreateScalarAddComputation(S32, b)); },
              "s32[] constant(84)");
  ExpectBuilt([&](Builder* b) { return ReduceAll(m(b), One(b, S32), CreateScalarMultiplyComputation(S32, b)); }, "s32[] constant(720)");
  ExpectBuilt([&](Builder* b) { return ReduceAll(m(b), MinValue(b, S32), CreateScalarMaxComputation(S32, b)); }, "s32[] constant(6)");
  ExpectBuilt(
      [](Builder* b) {
        return ReduceAll(ConstantR1<bool>(b, {true, false}), One(b, PRED), CreateScalarAndComputation(PRED, b));
      },
      "pred[] constant(false)");
  ExpectBuilt(
      [](Builder* b) {
        return ReduceAll(ConstantR1<bool>(b, {true, false}), Zero(b, PRED), CreateScalarOrComputation(PRED, b));
      },
      "pred[] constant(true)");
  const auto windows = [](Padding padding) {
    return [=](Builder* b) {
      return ReduceWindow(ConstantR1<int32_t>(b, {10000, 1000, 100, 10, 1}), MaxValue(b, S32), CreateScalarMinComputation(S32, b), {3}, {2},
                          padding);
    };
  };
  ExpectBuilt(windows(Padding::kValid), "s32[2] constant({100, 1})");
  ExpectBuilt(windows(Padding::kSame), "s32[3] constant({1000, 10, 1})");
  ExpectShape(
      [](Builder* b) {
        const Op x = Parameter(b, 0, S(F32, {4, 6}), "x");
        return ReduceWindow(x, Zero(b, F32), CreateScalarAddComputation(F32, b), {2, 3}, {2, 3}, Padding::kValid);
      },
      "f32[2,2]");
  ExpectBuilt(
      [](Builder* b) {
        return ReduceWindowWithGeneralPadding({ConstantR1<int32_t>(b, {1, 2, 3})}, {Zero(b, S32)}, CreateScalarAddComputation(S32, b), {2},
                                              {1}, {2}, {2}, {{1, 1}});
      },
      "s32[5] constant({0, 3, 0, 5, 0})");
  ExpectBuilt(
      [](Builder* b) {
        const Op x = ConstantR1<float>(b, {7, 2, 5, 3}), source = ConstantR1<float>(b, {2, 6});
        return SelectAndScatterWithGeneralPadding(x, CreateScalarGeComputation(F32, b), {2}, {2}, {{0, 0}}, source, Zero(b, F32),
                                                  CreateScalarAddComputation(F32, b));
      },
      "f32[4] constant({2, 0, 6, 0})");
  ExpectBuilt(
      [](Builder* b) {
        return Sort({ConstantR1<int32_t>(b, {2, 3, 1})}, CreateScalarGtComputation({S32}, b));
      },
      "s32[3] constant({3, 2, 1})");
}

TEST(Functions, DotsAndConvolutions) {
  const auto v = [](Builder* b) { return ConstantR1<float>(b, {1, 2}); };
  const auto m = [](Builder* b) { return ConstantR2<float>(b, {{1, 2}, {3, 4}}); };
  ExpectBuilt([&](Builder* b) { return Dot(v(b), v(b)); }, "f32[] constant(5)");
  ExpectBuilt([&](Builder* b) { return Dot(m(b), v(b)); }, "f32[2] constant({5, 11})");
  ExpectBuilt([&](Builder* b) { return Dot(m(b), m(b)); }, "f32[2,2] constant({{7, 10}, {15, 22}})");
  ExpectBuilt(
      [](Builder* b) {
        return Dot(ConstantR1<int8_t>(b, {100, 100}), ConstantR1<int8_t>(b, {100, 2}), S32);
      },
      "s32[] constant(10200)");
  ExpectBuildError([&](Builder* b) { return Dot(Broadcast(v(b), {2, 2}), v(b)); }, "builder.dot-rank");
  ExpectBuilt(
      [](Builder* b) {
        const Op x = ConstantArray<float>(b, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
        const Op y = Broadcast(ConstantR2<float>(b, {{1, 0}, {0, 1}}), {2});
        return DotGeneral(x, y, {.lhs_contracting = {2}, .rhs_contracting = {1}, .lhs_batch = {0}, .rhs_batch = {0}});
      },
      "f32[2,2,2] constant({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})");
  ExpectShape(
      [](Builder* b) {
        const Op x = Parameter(b, 0, S(F32, {4, 3, 10, 12}), "x"), k = Parameter(b, 1, S(F32, {8, 3, 3, 5}), "k");
        return Conv(x, k, {2, 3}, Padding::kSame);
      },
      "f32[4,8,5,4]");
  ExpectShape(
      [](Builder* b) {
        const Op x = Parameter(b, 0, S(F32, {4, 6, 10}), "x"), k = Parameter(b, 1, S(F32, {6, 1, 3}), "k");
        return ConvWithGeneralPadding(x, k, {1}, {{1, 1}}, {2}, {2}, 6);
      },
      "f32[4,6,17]");
  ExpectShape(
      [](Builder* b) {
        const Op x = Parameter(b, 0, S(BF16, {4, 3, 10}), "x"), k = Parameter(b, 1, S(BF16, {2, 3, 3}), "k");
        return ConvGeneralDilated(x, k, {1}, {}, {}, {}, DefaultConvDimensionNumbers(1), 1, 2, F32, {true});
      },
      "f32[2,2,8]");
}

TEST(Functions, RandomNumbersAndTransforms) {
  ExpectShape([](Builder* b) { return RngNormal(Zero(b, F32), One(b, F32), S(F32, {3})); }, "f32[3]");
  ExpectShape([](Builder* b) { return RngBitGenerator(RandomAlgorithm::kPhilox, Parameter(b, 0, S(U64, {3}), "s"), S(U64, {2})); },
              "(u64[3], u64[2])");
  ExpectShape([](Builder* b) { return RngBitGenerator(RandomAlgorithm::kDefault, Parameter(b, 0, S(U64, {2}), "s"), S(U32, {2})); },
              "(u64[2], u32[2])");
  ExpectShape([](Builder* b) { return Fft(Parameter(b, 0, S(F32, {3, 8}), "x"), FftType::kRfft, {8}); }, "c64[3,5]");
  ExpectShape([](Builder* b) { return Fft(Parameter(b, 0, S(C64, {3, 5}), "x"), FftType::kIrfft, {8}); }, "f32[3,8]");
  ExpectShape([](Builder* b) { return Fft(Parameter(b, 0, S(C64, {8}), "x"), FftType::kIfft, {8}); }, "c64[8]");
}

TEST(Functions, Calls) {
  ExpectBuilt(
      [](Builder* b) {
        Computation* plus = b->Sub("plus", {Shape::Scalar(S32)}, [](Builder*, Ops p) { return p[0] + 1; });
        Computation* minus = b->Sub("minus", {Shape::Scalar(S32)}, [](Builder*, Ops p) { return p[0] - 1; });
        const Op x = ConstantR0<int32_t>(b, 5);
        return Conditional(ConstantR0<bool>(b, false), x, plus, x, minus);
      },
      "s32[] constant(4)");
  const std::unique_ptr<Module> module = Build([](Builder* b) {
    Computation* f = b->Sub("f", {Shape::Scalar(S32)}, [](Builder*, Ops p) { return p[0] + 1; });
    return CompositeCall(b, {ConstantR0<int32_t>(b, 5)}, "foo.bar", "n = 1 : i32, tensor = dense<1> : tensor<i32>", f, 1);
  });
  ASSERT_NE(module, nullptr);
  const Instruction& call = *module->entry->root;
  EXPECT_TRUE(call.Bool(AttrId::kIsComposite));
  EXPECT_EQ(call.frontend_attributes,
            "{composite.name=\"foo.bar\",composite.attributes={n = 1 : i32, tensor = dense<1> : tensor<i32>},composite.version=\"1\"}");
  const std::unique_ptr<Module> custom = Build([](Builder* b) {
    const Op x = ConstantR1<float>(b, {1, 2}), y = ConstantR2<float>(b, {{10, 20, 30}, {40, 50, 60}});
    return CustomCall(b, "myfunc", {x, y}, S(F32, {3, 3}), "an opaque text", true);
  });
  ASSERT_NE(custom, nullptr);
  EXPECT_EQ(custom->entry->root->backend_config, "\"an opaque text\"");
  EXPECT_TRUE(custom->entry->root->Bool(AttrId::kCustomCallHasSideEffect));
}

TEST(Functions, Replicas) {
  const std::vector<std::vector<int64_t>> pair = {{0, 1}};
  ExpectShape([&](Builder* b) { return AllGather(Parameter(b, 0, S(F32, {2}), "x"), 0, 2, pair, 1); }, "f32[4]");
  ExpectShape(
      [&](Builder* b) {
        return AllGather(Parameter(b, 0, Shape::Tuple({S(F32, {2}), S(S32, {4})}), "x"), 0, 2, pair);
      },
      "(f32[4], s32[8])");
  ExpectShape([&](Builder* b) { return AllGatherStart(Parameter(b, 0, S(F32, {2}), "x"), 0, 2, pair); }, "(f32[2], f32[4])");
  ExpectShape(
      [&](Builder* b) {
        return CrossReplicaSum(Parameter(b, 0, Shape::Tuple({S(F32, {2}), S(F32, {3})}), "x"));
      },
      "(f32[2], f32[3])");
  ExpectShape(
      [&](Builder* b) {
        const Op x = Parameter(b, 0, S(F32, {6}), "x");
        return ReduceScatter(x, CreateScalarAddComputation(F32, b), 0, 2, pair, 3);
      },
      "f32[3]");
  const std::vector<std::vector<int64_t>> four = {{0, 1, 2, 3}};
  ExpectShape([&](Builder* b) { return AllToAll(Parameter(b, 0, S(F32, {4, 16}), "x"), 1, 0, 4, four); }, "f32[16,4]");
  ExpectShape([&](Builder* b) { return AllToAll(Parameter(b, 0, S(F32, {16, 4}), "x"), 0, 1, 4, four); }, "f32[4,16]");
  ExpectShape([&](Builder* b) { return AllToAll(Parameter(b, 0, S(F32, {16, 4}), "x"), 0, 0, 4, four); }, "f32[16,4]");
  ExpectShape(
      [&](Builder* b) {
        const Op x = Parameter(b, 0, S(F32, {4}), "x");
        return AllToAllTuple({x, x}, pair);
      },
      "(f32[4], f32[4])");
  ExpectBuildError([&](Builder* b) { return AllToAll(Parameter(b, 0, S(F32, {16, 5}), "x"), 1, 0, 4, four); }, "builder.shard-count");
  ExpectShape([&](Builder* b) { return CollectivePermute(Parameter(b, 0, S(F32, {4}), "x"), {{0, 1}, {1, 0}}, 5); }, "f32[4]");
  ExpectBuildError(
      [&](Builder* b) {
        return CollectivePermute(Parameter(b, 0, S(F32, {4}), "x"), {{0, 1}, {0, 2}});
      },
      "collective-permute.pairs");
  ExpectShape([&](Builder* b) { return Recv(b, S(F32, {4}), 7); }, "(f32[4], u32[], token[])");
}

}  // namespace
}  // namespace hloscope
