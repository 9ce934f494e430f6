// What operations without element program, and those that walk over updates, say that their elements depend on, against brute force: every
// element of every parameter is set to several other numbers in turn. What changes was said; what was said exactly changes.
#include <cstring>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"
#include "backends/reference/backend.h"
#include "core/debug/influence.h"
#include "core/ops/verifier.h"
#include "core/shape/index_relation.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

constexpr char kComputations[] = R"(HloModule t
sum {
  sa = f32[] parameter(0)
  sb = f32[] parameter(1)
  ROOT ss = f32[] add(sa, sb)
}
second {
  qa = f32[] parameter(0)
  ROOT qb = f32[] parameter(1)
}
at_least {
  ga = f32[] parameter(0)
  gb = f32[] parameter(1)
  ROOT gg = pred[] compare(ga, gb), direction=GE
}
less {
  la = f32[] parameter(0)
  lb = f32[] parameter(1)
  ROOT ll = pred[] compare(la, lb), direction=LT
}
less_by_second {
  a0 = f32[] parameter(0)
  b0 = f32[] parameter(1)
  a1 = f32[] parameter(2)
  b1 = f32[] parameter(3)
  a2 = f32[] parameter(4)
  b2 = f32[] parameter(5)
  unused = f32[] add(a0, b2)
  ROOT ll = pred[] compare(a1, b1), direction=LT
}
apart {
  a0 = f32[] parameter(0)
  a1 = f32[] parameter(1)
  u0 = f32[] parameter(2)
  u1 = f32[] parameter(3)
  s0 = f32[] add(a0, u0)
  s1 = f32[] multiply(a1, u1)
  ROOT r = (f32[], f32[]) tuple(s0, s1)
}
)";

struct Tally {
  int64_t exact = 0, bounds = 0, changes = 0;
};

class Case {
 public:
  explicit Case(const std::string& body, uint64_t seed) : text_(absl::StrCat(kComputations, "ENTRY main {\n", body, "}\n")) {
    DiagnosticSink sink;
    module_ = ReadHloText(std::make_shared<SourceText>("test.hlo", text_), sink);
    if (sink.error_count() == 0) Verify(*module_, sink);
    EXPECT_EQ(sink.error_count(), 0) << text_;
    if (sink.error_count() != 0) return;
    backend_ = MakeReferenceBackend();
    MachineOptions options;
    options.retain_bytes = int64_t{1} << 30;
    machine_ = std::make_unique<Machine>(*module_, *backend_, options);
    std::mt19937_64 random(seed);
    for (const Instruction* parameter : module_->entry->parameters) {
      Value value = Value::Allocate(parameter->shape);
      const ElementType type = parameter->shape.element_type();
      for (int64_t k = 0; k < value.element_count(); ++k) {
        const double x = static_cast<double>(random() % 4000) / 1000.0 + 0.25;
        StoreScalar(IsFloat(type) ? Scalar::Float(type, x) : Scalar::Int(type, static_cast<int64_t>(x * 7)), value.mutable_data() + k * StorageBytes(type));
      }
      parameters_.push_back(std::move(value));
    }
  }

  void Check(Tally* tally) {
    SCOPED_TRACE(text_);
    if (machine_ == nullptr) return;
    const Value before = Result(parameters_);
    const Instruction* root = module_->entry->root;
    for (size_t p = 0; p < parameters_.size(); ++p) {
      for (int64_t e = 0; e < parameters_[p].element_count(); ++e) {
        Result(parameters_);
        ElementReader reader(*machine_, int64_t{1} << 28);
        const absl::StatusOr<Influence> influence = BuildInfluence(reader, *machine_, {0, module_->entry->parameters[p], 0, e});
        ASSERT_TRUE(influence.ok()) << influence.status().message();
        for (int leaf = 0; leaf < LeafCountOf(root->shape); ++leaf) {
          ElementSet said(LeafShape(root->shape, leaf));
          for (const InfluenceNode& node : influence->nodes) {
            if (node.instruction == root && node.leaf == leaf) said = node.set;
          }
          const std::set<int64_t> changed = Changed(p, e, leaf, before);
          tally->changes += static_cast<int64_t>(changed.size());
          ++(said.exact ? tally->exact : tally->bounds);
          for (int64_t o = 0; o < said.total(); ++o) {
            const bool changes = changed.contains(o);
            EXPECT_TRUE(!changes || said.Contains(o)) << "parameter " << p << " element " << e << " changes element " << o << " of leaf " << leaf << ", which is not said";
            EXPECT_TRUE(changes || !said.exact || !said.Contains(o)) << "parameter " << p << " element " << e << " is said to reach element " << o << " of leaf " << leaf << ", and does not";
          }
        }
      }
    }
  }

 private:
  Value Result(const std::vector<Value>& parameters) {
    EXPECT_TRUE(machine_->Start(parameters).ok());
    EXPECT_EQ(machine_->Run(), StopReason::kFinished) << machine_->status().message();
    return machine_->result();
  }

  std::set<int64_t> Changed(size_t p, int64_t e, int leaf, const Value& before) {
    const ElementType type = parameters_[p].shape().element_type();
    std::set<int64_t> changed;
    for (const double to : {0.11, 2.03, 77.7, -1000.0, 1e6, 5.0, 0.0, 1.0, 2.0, 3.0, -1.0}) {
      if (!IsFloat(type) && to != static_cast<int64_t>(to)) continue;
      std::vector<Value> with = parameters_;
      with[p] = Value::FromBytes(with[p].shape(), absl::MakeConstSpan(with[p].data(), with[p].byte_size()));
      StoreScalar(IsFloat(type) ? Scalar::Float(type, to) : Scalar::Int(type, static_cast<int64_t>(to)), with[p].mutable_data() + e * StorageBytes(type));
      const Value now = Result(with);
      const Value &was_leaf = LeafOf(before, leaf), &now_leaf = LeafOf(now, leaf);
      const int bytes = StorageBytes(was_leaf.shape().element_type());
      for (int64_t o = 0; o < was_leaf.element_count(); ++o) {
        if (std::memcmp(was_leaf.data() + o * bytes, now_leaf.data() + o * bytes, bytes) != 0) changed.insert(o);
      }
    }
    return changed;
  }

  std::string text_;
  std::unique_ptr<Module> module_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Machine> machine_;
  std::vector<Value> parameters_;
};

Tally CheckAll(const std::vector<std::string>& bodies) {
  Tally tally;
  for (const std::string& body : bodies) {
    for (uint64_t seed = 1; seed <= 2; ++seed) Case(body, seed).Check(&tally);
  }
  EXPECT_GT(tally.changes, 0);
  return tally;
}

TEST(ReachTest, SortsDependOnWhatTheirComparatorReads) {
  const Tally tally = CheckAll({
      "  x = f32[2,4] parameter(0)\n  ROOT s = f32[2,4] sort(x), dimensions={1}, to_apply=less\n",
      "  x = f32[3,2] parameter(0)\n  y = f32[3,2] parameter(1)\n  z = f32[3,2] parameter(2)\n"
      "  ROOT s = (f32[3,2], f32[3,2], f32[3,2]) sort(x, y, z), dimensions={0}, to_apply=less_by_second\n",
      "  x = f32[2,4] parameter(0)\n  ROOT t = (f32[2,4], s32[2,4]) topk(x), k=4, largest=true\n",
  });
  EXPECT_EQ(tally.bounds, 0);
}

TEST(ReachTest, OnlyTheNamedTriangleOfMatricesIsRead) {
  std::vector<std::string> bodies;
  const std::string matrix = "  x = f32[2,3,3] parameter(0)\n  one = f32[3,3] constant({{30,0,0},{0,30,0},{0,0,30}})\n  d = f32[2,3,3] broadcast(one), dimensions={1,2}\n  a = f32[2,3,3] add(x, d)\n";
  for (const char* lower : {"true", "false"}) {
    bodies.push_back(absl::StrCat(matrix, "  ROOT l = f32[2,3,3] cholesky(a), lower=", lower, "\n"));
    for (const char* left : {"true", "false"}) {
      for (const char* unit : {"true", "false"}) {
        for (const char* transpose : {"NO_TRANSPOSE", "TRANSPOSE"}) {
          const std::string b = std::string(left) == "true" ? "f32[2,3,2]" : "f32[2,2,3]";
          bodies.push_back(absl::StrCat("  a = f32[2,3,3] parameter(0)\n  b = ", b, " parameter(1)\n  ROOT s = ", b, " triangular-solve(a, b), left_side=", left, ", lower=", lower,
                                        ", unit_diagonal=", unit, ", transpose_a=", transpose, "\n"));
        }
      }
    }
  }
  EXPECT_EQ(CheckAll(bodies).bounds, 0);
}

TEST(ReachTest, TransformsNormalisationsAndGenerators) {
  const Tally tally = CheckAll({
      "  x = f32[2,5] parameter(0)\n  c = c64[2,5] convert(x)\n  ROOT f = c64[2,5] fft(c), fft_type=FFT, fft_length={5}\n",
      "  x = f32[2,5] parameter(0)\n  ROOT f = c64[2,3] fft(x), fft_type=RFFT, fft_length={5}\n",
      "  x = f32[2,3] parameter(0)\n  c = c64[2,3] convert(x)\n  ROOT f = f32[2,5] fft(c), fft_type=IRFFT, fft_length={5}\n",
      "  x = f32[3,2] parameter(0)\n  s = f32[2] parameter(1)\n  o = f32[2] parameter(2)\n"
      "  ROOT n = (f32[3,2], f32[2], f32[2]) batch-norm-training(x, s, o), epsilon=0.01, feature_index=1\n",
      "  x = f32[3,2] parameter(0)\n  s = f32[2] parameter(1)\n  m = f32[2] parameter(2)\n  v = f32[2] parameter(3)\n  g = f32[3,2] parameter(4)\n"
      "  ROOT n = (f32[3,2], f32[2], f32[2]) batch-norm-grad(x, s, m, v, g), epsilon=0.01, feature_index=1\n",
      "  s = u64[2] parameter(0)\n  ROOT r = (u64[2], u32[5]) rng-bit-generator(s), algorithm=rng_three_fry\n",
      "  s = u64[2] parameter(0)\n  ROOT r = (u64[2], u32[5]) rng-bit-generator(s), algorithm=rng_philox\n",
      "  x = f32[2,3] parameter(0)\n  ROOT a = f32[2,3] all-reduce(x), replica_groups={{0}}, to_apply=sum\n",
      "  x = f32[2,3] parameter(0)\n  y = f32[2] parameter(1)\n  ROOT a = (f32[2,3], f32[2]) all-reduce(x, y), replica_groups={{0}}, to_apply=sum\n",
      "  x = f32[3] parameter(0)\n  ROOT a = f32[3] collective-permute(x), source_target_pairs={{0,0}}\n",
      "  x = f32[2,3] parameter(0)\n  ROOT a = f32[2,3] custom-call(x), custom_call_target=\"Sharding\"\n",
  });
  EXPECT_EQ(tally.bounds, 0);
}

TEST(ReachTest, UpdatesThatLandAndThoseThatMightLand) {
  const Tally tally = CheckAll({
      "  x = f32[4,2] parameter(0)\n  i = s32[2,1] constant({{2},{0}})\n  u = f32[2,2] parameter(1)\n"
      "  ROOT s = f32[4,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second\n",
      "  x = f32[4,2] parameter(0)\n  i = s32[2,1] parameter(1)\n  u = f32[2,2] parameter(2)\n"
      "  ROOT s = f32[4,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum\n",
      "  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n  i = s32[2,1] constant({{1},{1}})\n  u = f32[2] parameter(2)\n  v = f32[2] parameter(3)\n"
      "  ROOT s = (f32[4], f32[4]) scatter(x, y, i, u, v), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=apart\n",
      "  x = f32[6] parameter(0)\n  s = f32[3] parameter(1)\n  i = f32[] parameter(2)\n"
      "  ROOT w = f32[6] select-and-scatter(x, s, i), window={size=2 stride=2}, select=at_least, scatter=sum\n",
  });
  EXPECT_GT(tally.exact, 0);
  EXPECT_GT(tally.bounds, 0);
}

// An element of the operand decides within the windows that it is in, and nowhere else.
TEST(ReachTest, AWindowsElementDecidesInItsWindows) {
  const std::string body =
      "  x = f32[6] parameter(0)\n  s = f32[3] parameter(1)\n  z = f32[] constant(0)\n"
      "  ROOT w = f32[6] select-and-scatter(x, s, z), window={size=2 stride=2}, select=at_least, scatter=sum\n";
  DiagnosticSink sink;
  const std::unique_ptr<Module> module = ReadHloText(std::make_shared<SourceText>("t", absl::StrCat(kComputations, "ENTRY main {\n", body, "}\n")), sink);
  ASSERT_EQ(sink.error_count(), 0);
  const std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Machine machine(*module, *backend, MachineOptions());
  const float x[] = {1, 2, 4, 3, 5, 6}, s[] = {10, 20, 30};
  ASSERT_TRUE(machine.Start({Value::FromBytes(Shape::Array(ElementType::kF32, {6}), absl::MakeConstSpan(reinterpret_cast<const std::byte*>(x), sizeof(x))),
                             Value::FromBytes(Shape::Array(ElementType::kF32, {3}), absl::MakeConstSpan(reinterpret_cast<const std::byte*>(s), sizeof(s)))}).ok());
  ASSERT_EQ(machine.Run(), StopReason::kFinished);
  ElementReader reader(machine, 1 << 20);
  const absl::StatusOr<Influence> influence = BuildInfluence(reader, machine, {0, module->entry->parameters[0], 0, 3});
  ASSERT_TRUE(influence.ok());
  const ElementSet& set = influence->nodes.back().set;
  EXPECT_EQ(Describe(set, Shape::Array(ElementType::kF32, {6})), "at most 2 of 6, [2] to [3]");
  EXPECT_FALSE(set.exact);
}

TEST(IndexRelationTest, BothDirectionsTellTheSamePairs) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    const std::vector<int64_t> from = {3, 4}, to = {4, 3};
    IndexRelation relation(from, to);
    const auto any = [&] {
      const int dim = static_cast<int>(random() % 2);
      return random() % 2 ? IndexRelation::From(dim) : IndexRelation::To(dim);
    };
    for (int k = 0; k < 3; ++k) {
      const IndexRelation::Index a = any(), b = any();
      if (a.of_to != b.of_to || a.dim != b.dim) relation.AtLeast(a, b, static_cast<int64_t>(random() % 3) - 1);
    }
    std::set<std::vector<int64_t>> forward, back;
    const auto pairs = [](const std::vector<IndexBox>& boxes, const std::vector<int64_t>& fixed, bool fixed_first, std::set<std::vector<int64_t>>* found) {
      for (const IndexBox& box : boxes) {
        for (int64_t a = box.low[0]; a <= box.high[0]; ++a) {
          for (int64_t b = box.low[1]; b <= box.high[1]; ++b) {
            const std::vector<int64_t> pair = fixed_first ? std::vector<int64_t>{fixed[0], fixed[1], a, b} : std::vector<int64_t>{a, b, fixed[0], fixed[1]};
            EXPECT_TRUE(found->insert(pair).second) << "boxes overlap";
          }
        }
      }
    };
    for (int64_t a = 0; a < 3; ++a) {
      for (int64_t b = 0; b < 4; ++b) pairs(relation.ToOf(PointBox({a, b})), {a, b}, true, &forward);
    }
    for (int64_t a = 0; a < 4; ++a) {
      for (int64_t b = 0; b < 3; ++b) pairs(relation.FromOf(PointBox({a, b})), {a, b}, false, &back);
    }
    EXPECT_EQ(forward, back);
  }
}

}  // namespace
}  // namespace hloscope
