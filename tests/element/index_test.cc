// Index expressions: whatever the simplifier does, the value stays; and reshape chains end in plain loads.
#include <random>
#include <vector>

#include "core/element/expr.h"
#include "core/element/program.h"
#include "core/element/scalar_eval.h"
#include "core/shape/shape.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

int64_t FloorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a % b < 0) != (b < 0)); }

// Plain recursive evaluation of s64 and pred nodes, without any of the interpreter's machinery.
int64_t Evaluate(const ExprGraph& g, NodeId id, const std::vector<int64_t>& vars) {
  const Node& n = g.node(id);
  switch (n.kind) {
    case NodeKind::kIndex: return vars[n.var];
    case NodeKind::kConstant: return n.constant.i;
    case NodeKind::kSelect: return Evaluate(g, n.inputs[Evaluate(g, n.inputs[0], vars) ? 1 : 2], vars);
    case NodeKind::kScalarOp: {
      std::vector<Scalar> in;
      for (NodeId input : n.inputs) in.push_back(Scalar::Int(g.node(input).type, Evaluate(g, input, vars)));
      return EvalScalarOp(n.op, n.type, n.aux, in).i;
    }
    default: ADD_FAILURE() << "unexpected node"; return 0;
  }
}

class RandomIndex {
 public:
  explicit RandomIndex(uint32_t seed) : random_(seed) {
    for (int v = 0; v < 4; ++v) {
      extents.push_back(Pick(1, 13));
      graph.NewVar(extents.back());
    }
  }
  int64_t Pick(int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random_); }

  // A random expression: the simplified node, and its value at `point` computed on the side.
  std::pair<NodeId, std::vector<int64_t>> Make(int depth, const std::vector<std::vector<int64_t>>& points) {
    std::vector<int64_t> values;
    if (depth == 0) {
      const int64_t v = Pick(0, 4);
      const int64_t c = Pick(-20, 20);
      for (const auto& p : points) values.push_back(v == 4 ? c : p[v]);
      return {v == 4 ? graph.IndexConstant(c) : graph.Index(static_cast<int32_t>(v)), values};
    }
    auto [a, x] = Make(depth - 1, points);
    static constexpr int64_t kDivisors[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 24, 30};
    const int64_t d = kDivisors[Pick(0, 10)];
    const auto map = [&](auto f) {
      for (int64_t v : x) values.push_back(f(v));
    };
    switch (Pick(0, 7)) {
      case 0:
      case 1: {
        auto [b, y] = Make(depth - 1, points);
        for (size_t i = 0; i < x.size(); ++i) values.push_back(x[i] + y[i]);
        return {graph.Add(a, b), values};
      }
      case 2: {
        auto [b, y] = Make(depth - 1, points);
        for (size_t i = 0; i < x.size(); ++i) values.push_back(x[i] - y[i]);
        return {graph.Sub(a, b), values};
      }
      case 3: map([&](int64_t v) { return v * d; }); return {graph.Mul(a, graph.IndexConstant(d)), values};
      case 4: map([&](int64_t v) { return FloorDivide(v, d); }); return {graph.FloorDiv(a, d), values};
      case 5: map([&](int64_t v) { return v - FloorDivide(v, d) * d; }); return {graph.Mod(a, d), values};
      case 6: map([&](int64_t v) { return std::min(std::max(v, -d), 3 * d); }); return {graph.Clamp(a, -d, 3 * d), values};
      default: {
        auto [b, y] = Make(depth - 1, points);
        for (size_t i = 0; i < x.size(); ++i) values.push_back(x[i] >= -d && x[i] < d ? y[i] : x[i]);
        return {graph.Select(graph.InRange(a, -d, d), b, a), values};
      }
    }
  }

  ExprGraph graph;
  std::vector<int64_t> extents;

 private:
  std::mt19937 random_;
};

TEST(IndexSimplification, KeepsTheValueOfRandomExpressions) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    RandomIndex r(seed);
    std::vector<std::vector<int64_t>> points;
    for (int i = 0; i < 8; ++i) {
      points.emplace_back();
      for (int64_t e : r.extents) points.back().push_back(i == 0 ? 0 : i == 1 ? e - 1 : r.Pick(0, e - 1));
    }
    const auto [node, expected] = r.Make(4, points);
    for (size_t i = 0; i < points.size(); ++i) {
      const int64_t value = Evaluate(r.graph, node, points[i]);
      ASSERT_EQ(value, expected[i]) << "seed " << seed;
      const auto [low, high] = r.graph.Range(node);
      ASSERT_LE(low, value) << "seed " << seed;
      ASSERT_GE(high, value) << "seed " << seed;
    }
  }
}

// Row-major linear index of `index`, then its coordinates in `dims`: what reshape does.
std::vector<NodeId> Reshape(ExprGraph& g, const std::vector<NodeId>& index, const std::vector<int64_t>& from,
                            const std::vector<int64_t>& to) {
  NodeId linear = g.IndexConstant(0);
  const auto strides = RowMajorStrides(from);
  for (size_t d = 0; d < from.size(); ++d) linear = g.Add(linear, g.Mul(index[d], g.IndexConstant(strides[d])));
  std::vector<NodeId> result;
  const auto to_strides = RowMajorStrides(to);
  for (size_t d = 0; d < to.size(); ++d) {
    NodeId x = g.FloorDiv(linear, to_strides[d]);
    result.push_back(d == 0 ? x : g.Mod(x, to[d]));
  }
  return result;
}

std::vector<int64_t> RandomFactorisation(std::mt19937& random, int64_t n) {
  std::vector<int64_t> dims;
  for (int64_t p = 2; n > 1; ++p) {
    while (n % p == 0) {
      n /= p;
      if (!dims.empty() && random() % 3 == 0) {
        dims[random() % dims.size()] *= p;
      } else {
        dims.insert(dims.begin() + random() % (dims.size() + 1), p);
      }
    }
  }
  if (random() % 3 == 0) dims.insert(dims.begin() + random() % (dims.size() + 1), 1);
  return dims;
}

TEST(IndexSimplification, ReshapeChainsCollapse) {
  std::mt19937 random(7);
  int collapsed = 0, rounds = 0;
  for (int round = 0; round < 500; ++round) {
    ExprGraph g;
    const int64_t sizes[] = {24, 36, 60, 128, 210, 720};
    const int64_t n = sizes[random() % 6];
    const std::vector<int64_t> first = RandomFactorisation(random, n);
    std::vector<NodeId> index, variables;
    for (int64_t e : first) index.push_back(g.Index(g.NewVar(e)));
    variables = index;
    std::vector<int64_t> dims = first;
    for (int step = 0; step < 3; ++step) {
      const auto next = RandomFactorisation(random, n);
      index = Reshape(g, index, dims, next);
      dims = next;
    }
    index = Reshape(g, index, dims, first);
    ++rounds;
    collapsed += index == variables;
    // Whatever it looks like, it must be the identity.
    std::vector<int64_t> point;
    for (int64_t e : first) point.push_back(static_cast<int64_t>(random() % e));
    for (size_t d = 0; d < first.size(); ++d) ASSERT_EQ(Evaluate(g, index[d], point), point[d]);
  }
  EXPECT_EQ(collapsed, rounds);
}

TEST(IndexSimplification, LinearOfDelinearised) {
  ExprGraph g;
  const NodeId x = g.Index(g.NewVar(1000));
  const NodeId high = g.FloorDiv(x, 35), mid = g.Mod(g.FloorDiv(x, 7), 5), low = g.Mod(x, 7);
  EXPECT_EQ(g.Add(g.Add(g.Mul(high, g.IndexConstant(35)), g.Mul(mid, g.IndexConstant(7))), low), x);
  EXPECT_EQ(g.Add(g.Mul(mid, g.IndexConstant(7)), low), g.Mod(x, 35));
  EXPECT_EQ(g.FloorDiv(g.FloorDiv(x, 4), 5), g.FloorDiv(x, 20));
  EXPECT_EQ(g.Mod(x, 1000), x);
  EXPECT_EQ(g.FloorDiv(x, 1000), g.IndexConstant(0));
  EXPECT_EQ(g.Mod(g.Mod(x, 12), 4), g.Mod(x, 4));
}

TEST(IndexSimplification, RangesDecideComparisonsAndClamps) {
  ExprGraph g;
  const NodeId i = g.Index(g.NewVar(10));
  const NodeId yes = g.Constant(Scalar::Int(ElementType::kPred, 1));
  EXPECT_EQ(g.InRange(i, 0, 10), yes);
  EXPECT_EQ(g.InRange(g.Add(i, g.IndexConstant(-1)), 0, 10), g.Binary(ScalarOp::kLe, g.IndexConstant(0), g.Add(i, g.IndexConstant(-1))));
  EXPECT_EQ(g.Clamp(i, 0, 9), i);
  EXPECT_EQ(g.Clamp(i, -4, 3), g.Binary(ScalarOp::kMinimum, i, g.IndexConstant(3)));
  EXPECT_EQ(g.Select(g.InRange(i, 0, 10), i, g.IndexConstant(5)), i);
  EXPECT_EQ(g.Index(g.NewVar(1)), g.IndexConstant(0));
}

TEST(IndexSimplification, ConversionThereAndBackIsTheIndex) {
  ExprGraph g;
  const NodeId i = g.Index(g.NewVar(100));
  EXPECT_EQ(g.Convert(ElementType::kS64, g.Convert(ElementType::kS32, i)), i);
  EXPECT_EQ(g.Convert(ElementType::kS64, g.Convert(ElementType::kU8, i)), i);
  const NodeId wide = g.Mul(i, g.IndexConstant(3));  // up to 297: s8 and u8 cut it off
  EXPECT_NE(g.Convert(ElementType::kS64, g.Convert(ElementType::kU8, wide)), wide);
}

}  // namespace
}  // namespace hloscope
