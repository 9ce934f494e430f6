// The builder itself: sticky errors and their places, names, subcomputations, metadata. The operations: operations_test.cc.
#include "core/ops/builder/builder.h"

#include "tests/builder/building.h"

namespace hloscope {
namespace {

TEST(Builder, TheFirstErrorStaysWithThePlaceOfItsCall) {
  Builder b("test");
  const Op x = Parameter(&b, 0, S(F32, {2}), "x");
  const Op y = Parameter(&b, 1, S(F32, {3}), "y");
  const int line = __LINE__ + 1;
  const Op sum = Add(x, y);
  EXPECT_FALSE(sum.valid());
  const Op more = Dot(Add(sum, x), ConstantR0<float>(&b, 1));  // nothing happens, nothing is reported
  EXPECT_FALSE(more.valid());
  EXPECT_EQ(b.computation()->instructions.size(), 2u);
  EXPECT_EQ(b.error_label(), "broadcasting.sizes");
  EXPECT_EQ(static_cast<int>(b.error_place().line()), line);
  EXPECT_NE(std::string(b.error_place().file_name()).find("builder_test.cc"), std::string::npos);
  const auto module = b.Build();
  ASSERT_FALSE(module.ok());
  const std::string message(module.status().message());
  EXPECT_NE(message.find(absl::StrCat("builder_test.cc:", line, ": ")), std::string::npos) << message;
  EXPECT_NE(message.find("[broadcasting.sizes]"), std::string::npos) << message;
}

TEST(Builder, OperatorsKnowTheirPlace) {
  Builder b("test");
  const Op x = Parameter(&b, 0, S(F32, {2}), "x");
  const Op y = Parameter(&b, 1, S(S32, {2}), "y");
  const int line = __LINE__ + 1;
  const Op sum = x * 2.0 + y;
  EXPECT_FALSE(sum.valid());
  EXPECT_EQ(static_cast<int>(b.error_place().line()), line);
  EXPECT_EQ(b.error_label(), "pointwise.same-type");
  EXPECT_FALSE(b.GetShape(sum).ok());
  b.ClearError();
  EXPECT_TRUE(b.ok());
  EXPECT_EQ(b.GetShape(x)->ToString(false), "f32[2]");
  EXPECT_TRUE((x + x).valid());
}

TEST(Builder, ErrorsInsideASubcomputationStickToo) {
  Builder b("test");
  const Op x = Parameter(&b, 0, S(F32, {2}), "x");
  Computation* f = b.Sub("f", {Shape::Scalar(F32), Shape::Scalar(S32)}, [](Builder*, Ops p) { return p[0] + p[1]; });
  EXPECT_EQ(f, nullptr);
  EXPECT_FALSE(b.ok());
  EXPECT_FALSE(Map(&b, {x, x}, f, {0}).valid());
  EXPECT_EQ(b.error_label(), "pointwise.same-type");
}

TEST(Builder, WhatItRefuses) {
  ExpectBuildError(
      [](Builder* b) {
        b->Sub("f", {}, [](Builder*, Ops) { return Op(); });
        return Op();
      },
      "builder.no-root");
  ExpectBuildError([](Builder*) { return Op(); }, "builder.empty-computation");
  ExpectBuildError([](Builder* b) { return Parameter(b, 1, S(F32, {}), "x"); }, "builder.missing-parameter");
  ExpectBuildError([](Builder* b) { return Parameter(b, -1, S(F32, {}), "x"); }, "builder.parameter-number");
  ExpectBuildError(
      [](Builder* b) {
        Parameter(b, 0, S(F32, {}), "x");
        return Parameter(b, 0, S(F32, {}), "y");
      },
      "builder.parameter-taken");
  ExpectBuildError([](Builder* b) { return Add(ConstantR0<float>(b, 1), Op()); }, "builder.operand-missing");
  ExpectBuildError([](Builder* b) { return b->AddConstant(Value()); }, "builder.constant-value");
  ExpectBuildError([](Builder* b) { return b->Add(Opcode::kAdd, {ConstantR0<float>(b, 1)}); }, "builder.operand-count");
  ExpectBuildError([](Builder* b) { return b->Add(Opcode::kConcatenate, {ConstantR1<float>(b, {1})}); }, "builder.missing-attribute");
  ExpectBuildError([](Builder* b) { return b->Add(Opcode::kReshape, {ConstantR1<float>(b, {1})}); }, "builder.shape-needed");
  ExpectBuildError([](Builder* b) { return b->Add(Opcode::kNegate, {ConstantR1<float>(b, {1})}, {}, S(F32, {2})); },
                   "builder.shape-mismatch");
  ExpectBuildError([](Builder* b) { return Call(b, nullptr, {}); }, "builder.computation");
  ExpectBuildError(
      [](Builder* b) {
        Op outer = ConstantR0<float>(b, 1);
        b->Sub("f", {Shape::Scalar(F32)}, [&](Builder*, Ops p) { return p[0] + outer; });
        return outer;
      },
      "builder.foreign-operand");
  ExpectBuildError(
      [](Builder* b) {
        Op outer = ConstantR0<float>(b, 1);
        b->Sub("f", {Shape::Scalar(F32)}, [&](Builder*, Ops) { return outer; });
        return outer;
      },
      "builder.foreign-root");
  ExpectBuildError([](Builder* b) { return Broadcast(ConstantR0<float>(b, 1), {-1}); }, "builder.broadcast-size");
  ExpectBuildError([](Builder* b) { return Reshape(ConstantR0<float>(b, 1), {-1}); }, "builder.reshape-size");
  ExpectBuildError([](Builder* b) { return Slice(ConstantR1<float>(b, {1}), {0}, {1, 2}); }, "builder.slice-lists");
  ExpectBuildError([](Builder* b) { return SliceInDim(ConstantR1<float>(b, {1}), 0, 1, 1, 1); }, "builder.dimension");
  ExpectBuildError([](Builder* b) { return DynamicReshape(ConstantR1<float>(b, {1}), {}, {1}, {}); }, "builder.dynamic-flags");
  ExpectBuildError([](Builder* b) { return Dot(ConstantR0<float>(b, 1), ConstantR0<float>(b, 1)); }, "builder.dot-rank");
  ExpectBuildError([](Builder* b) { return AllGather(ConstantR1<float>(b, {1}), 1, 2); }, "builder.shard-count");
  ExpectBuildError([](Builder* b) { return ReduceScatter(ConstantR1<float>(b, {1}), nullptr, 0, 2); }, "builder.shard-count");
  ExpectBuildError([](Builder* b) { return CrossReplicaSum(AfterAll(b, {})); }, "builder.sum-of-arrays");
  ExpectBuildError([](Builder* b) { return ConstantArray<float>(b, {2, 2}, {1, 2, 3}); }, "builder.constant-size");
  ExpectBuildError([](Builder* b) { return ConstantR2<float>(b, {{1, 2}, {3}}); }, "builder.constant-rows");
  ExpectBuildError([](Builder* b) { return ConstantR0WithType(b, ElementType::kToken, 1); }, "builder.constant-type");
  ExpectBuildError(
      [](Builder* b) {
        CreateScalarLtComputation({}, b);
        return Op();
      },
      "builder.comparator-types");
  ExpectBuildError(
      [](Builder* b) {
        return ReduceWindowWithGeneralPadding({ConstantR1<float>(b, {1})}, {ConstantR0<float>(b, 1)}, CreateScalarAddComputation(F32, b),
                                              {1}, {1, 1}, {}, {}, {});
      },
      "builder.window-lists");
  ExpectBuildError(
      [](Builder* b) {
        ConvDimensionNumbers n = DefaultConvDimensionNumbers(1);
        n.kernel_spatial = {7};
        const Op x = Broadcast(ConstantR0<float>(b, 1), {1, 1, 3});
        return ConvGeneral(x, x, {1}, {}, n);
      },
      "builder.kernel-dimension");
}

TEST(Builder, OnlyTheEntryMakesTheModule) {
  Builder b("test");
  std::unique_ptr<Builder> sub = b.CreateSubBuilder("f");
  ConstantR0<float>(sub.get(), 1);
  EXPECT_FALSE(sub->Build().ok());
  EXPECT_EQ(b.error_label(), "builder.not-the-entry");
}

TEST(Builder, ItIsBuiltOnce) {
  Builder b("test");
  ConstantR0<float>(&b, 1);
  EXPECT_TRUE(b.Build().ok());
  EXPECT_FALSE(b.Build().ok());
}

TEST(Builder, NamesAreUniqueAndCalleesStandFirst) {
  const std::unique_ptr<Module> module = Build([](Builder* b) {
    Computation* f = b->Sub("f", {Shape::Scalar(F32)}, [](Builder*, Ops p) { return p[0] + p[0]; });
    Computation* g = b->Sub("f", {Shape::Scalar(F32)}, [&](Builder* sub, Ops p) { return Call(sub, f, {p[0]}); });
    const Op one = ConstantR0<float>(b, 1).Named("one");
    return Tuple(b, {Call(b, g, {one}), ConstantR0<float>(b, 2).Named("one")});
  });
  ASSERT_NE(module, nullptr);
  std::vector<std::string> names;
  for (const Computation* c : module->computations) names.push_back(std::string(c->name));
  EXPECT_EQ(names, (std::vector<std::string>{"f", "f.1", "main"}));
  EXPECT_NE(module->entry->FindInstruction("one"), nullptr);
  EXPECT_NE(module->entry->FindInstruction("one.1"), nullptr);
}

TEST(Builder, MetadataShardingAndAttributes) {
  const std::unique_ptr<Module> module = Build([](Builder* b) {
    Op x, y;
    {
      ScopedOpName outer(b, "layer");
      x = ConstantR0<float>(b, 1);
      ScopedOpName inner(b, "norm");
      ScopedSharding sharding(b, "{replicated}");
      y = x + x;
    }
    b->SetOpMetadata({"Mul", "last", "model.py", 7});
    b->SetFrontendAttributes({{"a", "1"}, {"b", "{x = 2}"}});
    const Op z = y * y;
    b->ClearOpMetadata();
    b->SetFrontendAttributes({});
    b->SetInstructionFrontendAttribute(y, "kind", "sum");
    b->SetInstructionSharding(x, "maximal device=0");
    b->AddControlDependency(x, z);
    b->AddHeader("replica_count", "2");
    return z;
  });
  ASSERT_NE(module, nullptr);
  const auto& i = module->entry->instructions;
  EXPECT_EQ(i[0]->metadata.op_name, "layer");
  EXPECT_EQ(i[0]->sharding, "{maximal device=0}");
  EXPECT_EQ(i[1]->metadata.op_name, "layer/norm");
  EXPECT_EQ(i[1]->sharding, "{replicated}");
  EXPECT_EQ(i[1]->frontend_attributes, "{kind=\"sum\"}");
  EXPECT_EQ(i[2]->metadata.raw, "op_type=\"Mul\" op_name=\"last\" source_file=\"model.py\" source_line=7");
  EXPECT_EQ(i[2]->frontend_attributes, "{a=\"1\",b={x = 2}}");
  EXPECT_EQ(i[2]->sharding, "");
  EXPECT_EQ(i[2]->control_predecessors.size(), 1u);
  EXPECT_EQ(*module->FindHeader("replica_count"), "2");
}

TEST(Builder, PlacesAsMetadata) {
  Builder b("test");
  b.RecordPlaces(true);
  const int line = __LINE__ + 1;
  const Op x = ConstantR0<float>(&b, 1);
  EXPECT_EQ(x.instruction()->metadata.source_line, line);
  EXPECT_NE(x.instruction()->metadata.source_file.find("builder_test.cc"), absl::string_view::npos);
}

TEST(Builder, ModulesBuiltByThemselvesAreCopiedIn) {
  ExpectBuilt(
      [](Builder* b) {
        std::unique_ptr<Module> square;
        {
          Builder alone("square_sum");
          const Op x = Parameter(&alone, 0, S(F32, {3}), "x");
          ScopedOpName scope(&alone, "inner");
          Reduce(x * x, Zero(&alone, F32), CreateScalarAddComputation(F32, &alone), {0});
          square = *alone.Build();
        }
        Computation* f = b->Import(*square);
        Computation* again = b->Import(*square);
        square = nullptr;  // nothing of it is needed any more
        EXPECT_EQ(f->name, "square_sum");
        EXPECT_EQ(again->name, "square_sum.1");
        const Op x = ConstantR1<float>(b, {1, 2, 3});
        return Call(b, f, {x}) + Call(b, again, {x});
      },
      "f32[] constant(28)");
  ExpectBuildError(
      [](Builder* b) {
        b->Import(Module());
        return Op();
      },
      "builder.import");
}

TEST(Builder, FinishGivesAModuleToReaders) {
  Builder b("test");
  b.SetRange({3, 9});
  const Op x = ConstantR1<float>(&b, {1, 2});
  EXPECT_EQ(x.instruction()->range.begin, 3);
  Concatenate({x, x}, 5);
  DiagnosticSink sink;
  const std::unique_ptr<Module> module = b.Finish(sink, x);
  ASSERT_NE(module, nullptr);
  ASSERT_EQ(sink.error_count(), 1);
  EXPECT_EQ(sink.diagnostics()[0].range.end, 9);
  EXPECT_EQ(module->entry->root, x.instruction());
}

TEST(Builder, Operators) {
  const auto x = [](Builder* b) { return ConstantR1<int32_t>(b, {7, -7}); };
  const auto y = [](Builder* b) { return ConstantR1<int32_t>(b, {2, 2}); };
  ExpectBuilt([&](Builder* b) { return x(b) + y(b); }, "s32[2] constant({9, -5})");
  ExpectBuilt([&](Builder* b) { return x(b) - y(b); }, "s32[2] constant({5, -9})");
  ExpectBuilt([&](Builder* b) { return x(b) * y(b); }, "s32[2] constant({14, -14})");
  ExpectBuilt([&](Builder* b) { return x(b) / y(b); }, "s32[2] constant({3, -3})");
  ExpectBuilt([&](Builder* b) { return x(b) % y(b); }, "s32[2] constant({1, -1})");
  ExpectBuilt([&](Builder* b) { return x(b) & y(b); }, "s32[2] constant({2, 0})");
  ExpectBuilt([&](Builder* b) { return x(b) | y(b); }, "s32[2] constant({7, -5})");
  ExpectBuilt([&](Builder* b) { return x(b) ^ y(b); }, "s32[2] constant({5, -5})");
  ExpectBuilt([&](Builder* b) { return x(b) << y(b); }, "s32[2] constant({28, -28})");
  ExpectBuilt([&](Builder* b) { return x(b) >> y(b); }, "s32[2] constant({1, -2})");
  ExpectBuilt([](Builder* b) { return ConstantR0<uint32_t>(b, 0x80000000u) >> ConstantR0<uint32_t>(b, 31); }, "u32[] constant(1)");
  ExpectBuilt([&](Builder* b) { return -x(b); }, "s32[2] constant({-7, 7})");
  ExpectBuilt([&](Builder* b) { return ~x(b); }, "s32[2] constant({-8, 6})");
  ExpectBuilt([&](Builder* b) { return 1 - x(b) * 3 + 2; }, "s32[2] constant({-18, 24})");
  ExpectBuilt(
      [](Builder* b) {
        return 1.0 / (ConstantR1<float>(b, {1, 3}) + 1.0f) / 2 - 1 + 0.0 + 2.0 * ConstantR0<float>(b, 0.5f);
      },
      "f32[2] constant({0.25, 0.125})");
}

TEST(Builder, Constants) {
  ExpectBuilt([](Builder* b) { return ConstantR0<bool>(b, true); }, "pred[] constant(true)");
  ExpectBuilt([](Builder* b) { return ConstantR1<bool>(b, {true, false}); }, "pred[2] constant({true, false})");
  ExpectBuilt([](Builder* b) { return ConstantR0<std::complex<float>>(b, {1, -2}); }, "c64[] constant((1, -2))");
  ExpectBuilt([](Builder* b) { return ConstantR1<int64_t>(b, 3, 7); }, "s64[3] constant({7, 7, 7})");
  ExpectBuilt([](Builder* b) { return ConstantArray<uint8_t>(b, {2, 1, 2}, {1, 2, 3, 4}); }, "u8[2,1,2] constant({{{1, 2}}, {{3, 4}}})");
  ExpectBuilt([](Builder* b) { return ConstantR0WithType(b, BF16, 1.00390625); }, "bf16[] constant(1)");
  ExpectBuilt([](Builder* b) { return FullLike(ConstantR1<double>(b, {1, 2}), 3); }, "f64[2] constant({3, 3})");
  ExpectBuilt([](Builder* b) { return ZerosLike(ConstantR1<bool>(b, {true})); }, "pred[1] constant({false})");
  ExpectBuilt([](Builder* b) { return Tuple(b, {Zero(b, S8), One(b, F16)}); }, "(s8[], f16[]) constant((0, 1))");
  ExpectBuilt(
      [](Builder* b) {
        return Tuple(b, {MinValue(b, S8), MaxValue(b, S8), MinValue(b, U64), MaxValue(b, U64), MinValue(b, F32), MaxValue(b, PRED)});
      },
      "(s8[], s8[], u64[], u64[], f32[], pred[]) constant((-128, 127, 0, 18446744073709551615, -inf, true))");
  ExpectBuilt(
      [](Builder* b) {
        return Tuple(b, {MaxValue(b, ElementType::kF8E4M3FN), MinValue(b, S64), MaxValue(b, S64)});
      },
      "(f8e4m3fn[], s64[], s64[]) constant((448, -9223372036854775808, 9223372036854775807))");
}

}  // namespace
}  // namespace hloscope
