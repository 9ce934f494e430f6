// The interpreter: orders of folds, laziness, loops inside loops, updates, bounds.
#include "core/element/interpret.h"

#include <cmath>
#include <random>

#include "core/element/scalar_eval.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

Value F32(std::vector<int64_t> dims, std::vector<float> x) {
  return Value::FromBytes(Shape::Array(ElementType::kF32, dims),
                          absl::MakeConstSpan(reinterpret_cast<const std::byte*>(x.data()), x.size() * 4));
}
Value S32(std::vector<int64_t> dims, std::vector<int32_t> x) {
  return Value::FromBytes(Shape::Array(ElementType::kS32, dims),
                          absl::MakeConstSpan(reinterpret_cast<const std::byte*>(x.data()), x.size() * 4));
}
std::vector<float> Floats(const Value& v) { return std::vector<float>(v.as<float>(), v.as<float>() + v.element_count()); }
Scalar Float(double v) { return Scalar::Float(ElementType::kF32, v); }

std::vector<float> Random(int n, uint32_t seed, float scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> d(0, scale);
  std::vector<float> r(n);
  for (float& x : r) x = d(random);
  return r;
}

// sum over k of lhs[i, k] * rhs[k, j]
Program Dot(int64_t m, int64_t k, int64_t n, bool reassociate) {
  const Shape lhs = Shape::Array(ElementType::kF32, {m, k}), rhs = Shape::Array(ElementType::kF32, {k, n});
  Program p = Program::Pull({lhs, rhs}, Shape::Array(ElementType::kF32, {m, n}));
  ExprGraph& g = *p.graph;
  const int32_t v = g.NewVar(k);
  const NodeId a = g.Load(0, ElementType::kF32, {g.Index(0), g.Index(v)}), b = g.Load(1, ElementType::kF32, {g.Index(v), g.Index(1)});
  p.outputs[0].value = g.FoldOp(ScalarOp::kAdd, g.Constant(Float(0)), g.Binary(ScalarOp::kMultiply, a, b), {v}, reassociate);
  return p;
}

// Traced loads go a point at a time, untraced ones a row of points at once: both ways give the same bits, also where a select keeps a
// load from leaving its operand.
TEST(Interpreter, RowsOfPointsAreAsPointByPoint) {
  const int m = 2, k = 700, n = 3;
  const Value lhs = F32({m, k}, Random(m * k, 5)), rhs = F32({k, n}, Random(k * n, 6));
  const Value* operands[] = {&lhs, &rhs};
  for (const bool reassociate : {false, true}) {
    Program p = Program::Pull({lhs.shape(), rhs.shape()}, Shape::Array(ElementType::kF32, {m, n}));
    ExprGraph& g = *p.graph;
    const int32_t v = g.NewVar(k + 9);
    const NodeId at = g.Sub(g.Index(v), g.IndexConstant(4));
    const NodeId inside = g.Binary(ScalarOp::kAnd, g.Binary(ScalarOp::kGe, at, g.IndexConstant(0)), g.Binary(ScalarOp::kLt, at, g.IndexConstant(k)));
    const NodeId a = g.Select(inside, g.Load(0, ElementType::kF32, {g.Index(0), at}), g.Constant(Float(0.5)));
    const NodeId b = g.Select(inside, g.Load(1, ElementType::kF32, {at, g.Index(1)}), g.Constant(Float(3)));
    p.outputs[0].value = g.FoldOp(ScalarOp::kAdd, g.Constant(Float(1)), g.Binary(ScalarOp::kMultiply, a, b), {v}, reassociate);
    Interpreter rows(p, {.bounds = false}), points(p, {.bounds = false});
    int64_t loads = 0;
    points.set_on_load([&](int, int64_t, const Scalar&) { ++loads; });
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const auto x = rows.At(operands, {i, j}), y = points.At(operands, {i, j});
        ASSERT_TRUE(x.ok() && y.ok()) << x.status() << y.status();
        EXPECT_EQ((*x)[0].value.re, (*y)[0].value.re);
      }
    }
    EXPECT_EQ(loads, 2 * k * m * n);
  }
}

TEST(Interpreter, SequentialFold) {
  const int m = 3, k = 40, n = 5;
  const auto x = Random(m * k, 1), y = Random(k * n, 2);
  const Value lhs = F32({m, k}, x), rhs = F32({k, n}, y);
  const Value* operands[] = {&lhs, &rhs};
  Interpreter interpreter(Dot(m, k, n, false), {.bounds = false});
  const auto all = interpreter.All(operands);
  ASSERT_TRUE(all.ok()) << all.status();
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      float acc = 0;
      for (int l = 0; l < k; ++l) {
        const float product = x[i * k + l] * y[l * n + j];
        acc = acc + product;
      }
      EXPECT_EQ((*all)[0].as<float>()[i * n + j], acc);
      const auto at = interpreter.At(operands, {i, j});
      ASSERT_TRUE(at.ok());
      EXPECT_EQ((*at)[0].value.re, acc);
    }
  }
}

TEST(Interpreter, InterleavedFold) {
  for (int k : {16, 17, 31, 40, 100}) {
    const int rows = 3;
    const auto x = Random(rows * k, k);
    const Value operand = F32({rows, k}, x);
    const Value* operands[] = {&operand};
    Program p = Program::Pull({operand.shape()}, Shape::Scalar(ElementType::kF32));
    ExprGraph& g = *p.graph;
    const int32_t r = g.NewVar(rows), c = g.NewVar(k);
    p.outputs[0].value = g.FoldOp(ScalarOp::kAdd, g.Constant(Float(0.5)), g.Load(0, ElementType::kF32, {g.Index(r), g.Index(c)}), {r, c});
    float lane[16] = {};
    bool filled[16] = {};
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < k; ++j) {
        lane[j % 16] = filled[j % 16] ? lane[j % 16] + x[i * k + j] : x[i * k + j];
        filled[j % 16] = true;
      }
    }
    for (int w = 8; w >= 1; w /= 2) {
      for (int l = 0; l < w; ++l) lane[l] = lane[l] + lane[l + w];
    }
    Interpreter interpreter(p);
    const auto at = interpreter.At(operands, {});
    ASSERT_TRUE(at.ok()) << at.status();
    EXPECT_EQ((*at)[0].value.re, 0.5f + lane[0]) << k;
    EXPECT_EQ((*at)[0].bound, 0);
  }
}

TEST(Interpreter, ShortOrIntegerFoldsAndEmptyDomains) {
  Program p = Program::Pull({}, Shape::Array(ElementType::kS32, {3}));
  ExprGraph& g = *p.graph;
  const int32_t none = g.NewVar(0), v = g.NewVar(20);
  const auto constant = [&](int64_t x) { return g.Constant(Scalar::Int(ElementType::kS32, x)); };
  const NodeId empty = g.FoldOp(ScalarOp::kAdd, constant(7), g.Convert(ElementType::kS32, g.Index(none)), {none});
  const NodeId zeros = g.FoldOp(ScalarOp::kAdd, constant(5), constant(0), {v});  // acc + 0 simplifies to acc
  const NodeId sum = g.FoldOp(ScalarOp::kAdd, constant(0), g.Convert(ElementType::kS32, g.Add(g.Index(v), g.Index(0))), {v});
  p.outputs[0].value = g.Binary(ScalarOp::kAdd, g.Binary(ScalarOp::kAdd, empty, zeros), sum);
  const auto all = Interpreter(p, {.bounds = false}).All({});
  ASSERT_TRUE(all.ok()) << all.status();
  for (int i = 0; i < 3; ++i) EXPECT_EQ((*all)[0].as<int32_t>()[i], 12 + 190 + 20 * i);
}

// Softmax-like: folds that share an element expression, and one inside the other's body.
TEST(Interpreter, FoldsInsideFolds) {
  const int rows = 4, k = 18;
  const auto x = Random(rows * k, 3);
  const Value operand = F32({rows, k}, x);
  const Value* operands[] = {&operand};
  Program p = Program::Pull({operand.shape()}, operand.shape());
  ExprGraph& g = *p.graph;
  const int32_t v = g.NewVar(k);
  const NodeId element = g.Load(0, ElementType::kF32, {g.Index(0), g.Index(v)});
  // Both folds bind the same variable; the inner one is evaluated while the outer one turns.
  const NodeId mean =
      g.Binary(ScalarOp::kDivide, g.FoldOp(ScalarOp::kAdd, g.Constant(Float(0)), element, {v}, false), g.Constant(Float(k)));
  const NodeId deviation = g.Binary(ScalarOp::kSubtract, element, mean);
  const NodeId variance = g.FoldOp(ScalarOp::kAdd, g.Constant(Float(0)), g.Binary(ScalarOp::kMultiply, deviation, deviation), {v}, false);
  p.outputs[0].value = g.Binary(ScalarOp::kAdd, g.Load(0, ElementType::kF32, {g.Index(0), g.Index(1)}), variance);
  const auto all = Interpreter(p, {.bounds = false}).All(operands);
  ASSERT_TRUE(all.ok()) << all.status();
  for (int i = 0; i < rows; ++i) {
    float sum = 0, squares = 0;
    for (int j = 0; j < k; ++j) sum += x[i * k + j];
    const float m = sum / k;
    for (int j = 0; j < k; ++j) {
      const float d = x[i * k + j] - m;
      const float dd = d * d;
      squares += dd;
    }
    for (int j = 0; j < k; ++j) EXPECT_EQ((*all)[0].as<float>()[i * k + j], x[i * k + j] + squares);
  }
}

TEST(Interpreter, VariadicFold) {
  const Value operand = F32({7}, {1, 9, -3, 9, 2, 8, 0});
  const Value* operands[] = {&operand};
  Program p = Program::Pull({operand.shape()}, Shape::Scalar(ElementType::kF32));
  ExprGraph& g = *p.graph;
  FoldInfo f;
  f.id = g.NewFoldId();
  f.vars = {g.NewVar(7)};
  f.extents = {7};
  const NodeId best = g.Accumulator(f.id, 0, ElementType::kF32), where = g.Accumulator(f.id, 1, ElementType::kS32);
  const NodeId x = g.Load(0, ElementType::kF32, {g.Index(f.vars[0])});
  const NodeId better = g.Binary(ScalarOp::kGe, x, best);
  f.inits = {g.Constant(Float(-INFINITY)), g.Constant(Scalar::Int(ElementType::kS32, -1))};
  f.bodies = {g.Select(better, x, best), g.Select(better, g.Convert(ElementType::kS32, g.Index(f.vars[0])), where)};
  const NodeId fold = g.Fold(f);
  p.outputs[0].value = g.FoldResult(fold, 0);
  p.outputs.push_back({Shape::Scalar(ElementType::kS32), g.FoldResult(fold, 1)});
  const auto at = Interpreter(p).At(operands, {});
  ASSERT_TRUE(at.ok()) << at.status();
  EXPECT_EQ((*at)[0].value.re, 9);
  EXPECT_EQ((*at)[1].value.i, 3);
}

TEST(Interpreter, SelectIsLazyAndLoadsAreReported) {
  const Value operand = F32({4}, {1, 2, 3, 4});
  const Value* operands[] = {&operand};
  // pad: one on each side
  Program p = Program::Pull({operand.shape()}, Shape::Array(ElementType::kF32, {6}));
  ExprGraph& g = *p.graph;
  const NodeId i = g.Add(g.Index(0), g.IndexConstant(-1));
  p.outputs[0].value = g.Select(g.InRange(i, 0, 4), g.Load(0, ElementType::kF32, {i}), g.Constant(Float(-7)));
  Interpreter interpreter(p);
  std::vector<int64_t> loads;
  interpreter.set_on_load([&](int, int64_t linear, const Scalar&) { loads.push_back(linear); });
  ASSERT_TRUE(interpreter.At(operands, {0}).ok());
  EXPECT_TRUE(loads.empty());
  ASSERT_TRUE(interpreter.At(operands, {3}).ok());
  EXPECT_EQ(loads, std::vector<int64_t>{2});
  ASSERT_TRUE(interpreter.At(operands, {3}).ok());  // again: nothing is remembered from one call to the next
  EXPECT_EQ(loads, (std::vector<int64_t>{2, 2}));
  const auto all = interpreter.All(operands);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(Floats((*all)[0]), (std::vector<float>{-7, 1, 2, 3, 4, -7}));
  EXPECT_EQ(interpreter.At(operands, {6}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(interpreter.At({}, {0}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Interpreter, LoadOutOfBoundsIsAnError) {
  const Value operand = F32({4}, {1, 2, 3, 4});
  const Value* operands[] = {&operand};
  Program p = Program::Pull({operand.shape()}, Shape::Array(ElementType::kF32, {6}));
  ExprGraph& g = *p.graph;
  p.outputs[0].value = g.Load(0, ElementType::kF32, {g.Index(0)});
  EXPECT_EQ(Interpreter(p).All(operands).status().code(), absl::StatusCode::kInternal);
}

// out[index[u]] += update[u], out of bounds skipped.
Program ScatterAdd(int64_t n, int64_t updates) {
  Program p = Program::Pull(
      {Shape::Array(ElementType::kF32, {n}), Shape::Array(ElementType::kS32, {updates}), Shape::Array(ElementType::kF32, {updates})},
      Shape::Array(ElementType::kF32, {n}));
  ExprGraph& g = *p.graph;
  p.outputs[0].value = g.Load(0, ElementType::kF32, {g.Index(0)});
  p.is_push = true;
  p.push.vars = {g.NewVar(updates)};
  p.push.accumulator_id = g.NewFoldId();
  const NodeId target = g.Convert(ElementType::kS64, g.Load(1, ElementType::kS32, {g.Index(p.push.vars[0])}));
  p.push.in_bounds = g.InRange(target, 0, n);
  p.push.target = {target};
  p.push.combined = {g.Binary(ScalarOp::kAdd, g.Accumulator(p.push.accumulator_id, 0, ElementType::kF32),
                              g.Load(2, ElementType::kF32, {g.Index(p.push.vars[0])}))};
  return p;
}

TEST(Interpreter, PushProgram) {
  const Value operand = F32({4}, {1, 2, 3, 4}), indices = S32({6}, {0, 3, 3, -1, 4, 0}), updates = F32({6}, {10, 20, 30, 40, 50, 60});
  const Value* operands[] = {&operand, &indices, &updates};
  Interpreter interpreter(ScatterAdd(4, 6));
  const auto all = interpreter.All(operands);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(Floats((*all)[0]), (std::vector<float>{71, 2, 3, 54}));
  const auto many = interpreter.AtMany(operands, {{0}, {1}, {3}, {0}});
  ASSERT_TRUE(many.ok()) << many.status();
  EXPECT_EQ((*many)[0][0].value.re, 71);
  EXPECT_EQ((*many)[1][0].value.re, 2);
  EXPECT_EQ((*many)[2][0].value.re, 54);
  EXPECT_EQ((*many)[3][0].value.re, 71);
  // Loads of an element: its own, and those of the updates that hit it.
  std::vector<std::pair<int, int64_t>> loads;
  interpreter.set_on_load([&](int operand, int64_t linear, const Scalar&) { loads.push_back({operand, linear}); });
  ASSERT_TRUE(interpreter.At(operands, {3}).ok());
  EXPECT_EQ(loads, (std::vector<std::pair<int, int64_t>>{{0, 3}, {1, 1}, {2, 1}, {1, 2}, {2, 2}}));
}

TEST(Interpreter, CancelEndsTheRun) {
  const Value lhs = F32({8, 64}, Random(512, 1)), rhs = F32({64, 8}, Random(512, 2));
  const Value* operands[] = {&lhs, &rhs};
  Interpreter interpreter(Dot(8, 64, 8, false), {.bounds = false});
  std::atomic<bool> cancel{true};
  interpreter.set_cancel(&cancel);
  EXPECT_EQ(interpreter.All(operands).status().code(), absl::StatusCode::kCancelled);
  cancel = false;
  EXPECT_TRUE(interpreter.All(operands).ok());
}

TEST(Interpreter, RangesAreTheElementsInOrder) {
  const Value lhs = F32({5, 40}, Random(200, 1)), rhs = F32({40, 7}, Random(280, 2));
  const Value* operands[] = {&lhs, &rhs};
  const Program p = Dot(5, 40, 7, true);
  for (const bool bounds : {false, true}) {
    const InterpretOptions options = {.library_order = bounds, .bounds = bounds};
    Interpreter ranges(p, options), single(p, options);
    std::vector<int64_t> seen;
    const auto take = [&](int64_t linear, absl::Span<const BoundedScalar> element) {
      seen.push_back(linear);
      const auto x = single.At(operands, {linear / 7, linear % 7});
      ASSERT_TRUE(x.ok());
      EXPECT_EQ(element[0].value.re, (*x)[0].value.re) << linear;
      EXPECT_EQ(element[0].bound, (*x)[0].bound) << linear;
    };
    EXPECT_TRUE(ranges.ForRange(operands, 5, 23, take).ok());
    EXPECT_TRUE(ranges.ForRange(operands, 2, 3, take).ok());
    EXPECT_TRUE(ranges.ForRange(operands, 9, 9, take).ok());
    ASSERT_EQ(seen.size(), 19u);
    for (int64_t k = 0; k < 18; ++k) EXPECT_EQ(seen[k], 5 + k);
    EXPECT_EQ(seen[18], 2);
    std::atomic<bool> cancel{true};
    ranges.set_cancel(&cancel);
    EXPECT_EQ(ranges.ForRange(operands, 0, 35, [](int64_t, absl::Span<const BoundedScalar>) {}).code(), absl::StatusCode::kCancelled);
  }
}

TEST(Bounds, ExactProgramsHaveNone) {
  const Value lhs = F32({3, 40}, Random(120, 1)), rhs = F32({40, 5}, Random(200, 2));
  const Value* operands[] = {&lhs, &rhs};
  const auto at = Interpreter(Dot(3, 40, 5, false)).At(operands, {1, 1});
  ASSERT_TRUE(at.ok());
  EXPECT_EQ((*at)[0].bound, 0);
}

TEST(Bounds, LibrarySumsOfAnyOrderLieWithin) {
  const int k = 500;
  const auto x = Random(k, 5, 10), y = Random(k, 6);
  const Value lhs = F32({1, k}, x), rhs = F32({k, 1}, y);
  const Value* operands[] = {&lhs, &rhs};
  Interpreter interpreter(Dot(1, k, 1, true), {.library_order = true});
  const auto at = interpreter.At(operands, {0, 0});
  ASSERT_TRUE(at.ok());
  const BoundedScalar r = (*at)[0];
  EXPECT_GT(r.bound, 0);
  EXPECT_LT(r.bound, 1);
  std::mt19937 random(3);
  std::vector<int> order(k);
  for (int i = 0; i < k; ++i) order[i] = i;
  for (int trial = 0; trial < 50; ++trial) {
    std::shuffle(order.begin(), order.end(), random);
    float plain = 0, fused = 0;
    for (int i : order) {
      plain += x[i] * y[i];
      fused = std::fma(x[i], y[i], fused);
    }
    EXPECT_LE(std::fabs(plain - r.value.re), r.bound);
    EXPECT_LE(std::fabs(fused - r.value.re), r.bound);
  }
}

// A chain of every kind of operation, evaluated with functions that err by up to their ULP: always within the bound.
TEST(Bounds, PerturbedFunctionsLieWithin) {
  static constexpr ScalarOp kFunctions[] = {ScalarOp::kExp,   ScalarOp::kTanh,   ScalarOp::kSin, ScalarOp::kCos,   ScalarOp::kLogistic,
                                            ScalarOp::kErf,   ScalarOp::kSqrt,   ScalarOp::kAbs, ScalarOp::kFloor, ScalarOp::kCbrt,
                                            ScalarOp::kAsinh, ScalarOp::kNegate, ScalarOp::kLog};
  static constexpr ScalarOp kBinaries[] = {ScalarOp::kAdd,    ScalarOp::kSubtract, ScalarOp::kMultiply,
                                           ScalarOp::kDivide, ScalarOp::kMaximum,  ScalarOp::kMinimum};
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int decided = 0, total = 0;
  for (int round = 0; round < 2000; ++round) {
    Program p = Program::Pull({Shape::Array(ElementType::kF32, {4})}, Shape::Scalar(ElementType::kF32));
    ExprGraph& g = *p.graph;
    const auto x = Random(4, round, 2);
    std::vector<NodeId> nodes;
    std::vector<double> perturbed;
    for (int i = 0; i < 4; ++i) {
      nodes.push_back(g.Load(0, ElementType::kF32, {g.IndexConstant(i)}));
      perturbed.push_back(x[i]);
    }
    for (int step = 0; step < 6; ++step) {
      const size_t a = random() % nodes.size(), b = random() % nodes.size();
      const bool unary = random() % 2;
      const ScalarOp op = unary ? kFunctions[random() % 13] : kBinaries[random() % 6];
      nodes.push_back(unary ? g.Unary(op, nodes[a]) : g.Binary(op, nodes[a], nodes[b]));
      const Scalar in[] = {Float(perturbed[a]), Float(perturbed[b])};
      double v = EvalScalarOp(op, ElementType::kF32, 0, absl::MakeConstSpan(in, unary ? 1 : 2)).re;
      const double ulps = FunctionUlp(op, ElementType::kF32);
      if (std::isfinite(v) && ulps > 0) v += std::round(uniform(random) * ulps) * UlpAt(ElementType::kF32, v);
      perturbed.push_back(static_cast<float>(v));
    }
    p.outputs[0].value = nodes.back();
    const Value operand = F32({4}, x);
    const Value* operands[] = {&operand};
    const auto at = Interpreter(p).At(operands, {});
    ASSERT_TRUE(at.ok());
    const BoundedScalar r = (*at)[0];
    ++total;
    if (std::isinf(r.bound)) continue;
    ++decided;
    if (std::isnan(r.value.re)) {
      EXPECT_TRUE(std::isnan(perturbed.back()));
    } else if (std::isinf(r.value.re)) {
      EXPECT_EQ(r.value.re, perturbed.back());
    } else {
      EXPECT_LE(std::fabs(r.value.re - perturbed.back()), r.bound) << round << "\n" << ToFormula(p, {});
    }
  }
  EXPECT_GT(decided, total * 8 / 10);
}

TEST(Bounds, UndecidedComparisonsSayNothing) {
  const Value operand = F32({2}, {1, static_cast<float>(std::exp(1.0f))});
  const Value* operands[] = {&operand};
  Program p = Program::Pull({operand.shape()}, Shape::Scalar(ElementType::kPred));
  ExprGraph& g = *p.graph;
  const NodeId e = g.Unary(ScalarOp::kExp, g.Load(0, ElementType::kF32, {g.IndexConstant(0)}));
  const NodeId same = g.Load(0, ElementType::kF32, {g.IndexConstant(1)});
  p.outputs[0].value = g.Binary(ScalarOp::kLt, e, same);
  p.outputs.push_back({Shape::Scalar(ElementType::kPred), g.Binary(ScalarOp::kLt, e, g.Constant(Float(3)))});
  // The arms of an undecided select differ by 10; both are possible.
  p.outputs.push_back({Shape::Scalar(ElementType::kF32), g.Select(p.outputs[0].value, g.Constant(Float(5)), g.Constant(Float(15)))});
  p.outputs.push_back({Shape::Scalar(ElementType::kS32), g.Convert(ElementType::kS32, e)});
  const auto at = Interpreter(p).At(operands, {});
  ASSERT_TRUE(at.ok());
  EXPECT_TRUE(std::isinf((*at)[0].bound));
  EXPECT_EQ((*at)[1].bound, 0);
  EXPECT_TRUE((*at)[1].value.i);
  EXPECT_EQ((*at)[2].bound, 10);
  EXPECT_EQ((*at)[3].bound, 0);
  EXPECT_EQ((*at)[3].value.i, 2);
}

TEST(Substitution, EqualsComposition) {
  // consumer: out[i, j] = sum_k in[j, k] * in[i, k]; producer: in[a, b] = x[b, a] + y
  Program consumer = Program::Pull({Shape::Array(ElementType::kF32, {3, 20})}, Shape::Array(ElementType::kF32, {3, 3}));
  {
    ExprGraph& g = *consumer.graph;
    const int32_t k = g.NewVar(20);
    const NodeId a = g.Load(0, ElementType::kF32, {g.Index(1), g.Index(k)}), b = g.Load(0, ElementType::kF32, {g.Index(0), g.Index(k)});
    consumer.outputs[0].value = g.FoldOp(ScalarOp::kAdd, g.Constant(Float(0)), g.Binary(ScalarOp::kMultiply, a, b), {k});
  }
  Program producer =
      Program::Pull({Shape::Array(ElementType::kF32, {20, 3}), Shape::Scalar(ElementType::kF32)}, Shape::Array(ElementType::kF32, {3, 20}));
  {
    ExprGraph& g = *producer.graph;
    producer.outputs[0].value =
        g.Binary(ScalarOp::kAdd, g.Load(0, ElementType::kF32, {g.Index(1), g.Index(0)}), g.Load(1, ElementType::kF32, {}));
  }
  Program fused = Program::Pull(producer.operands, consumer.outputs[0].shape);
  ExprGraph::Substitution s;
  s.index_map = {fused.graph->Index(0), fused.graph->Index(1)};
  s.load = [&](int32_t, ElementType, absl::Span<const NodeId> indices) {
    ExprGraph::Substitution inner;
    inner.index_map.assign(indices.begin(), indices.end());
    return fused.graph->Substitute(*producer.graph, producer.outputs[0].value, inner);
  };
  fused.outputs[0].value = fused.graph->Substitute(*consumer.graph, consumer.outputs[0].value, s);

  const Value x = F32({20, 3}, Random(60, 9)), y = F32({}, {0.25});
  const Value* outer[] = {&x, &y};
  const auto middle = Interpreter(producer, {.bounds = false}).All(outer);
  ASSERT_TRUE(middle.ok());
  const Value* inner[] = {&(*middle)[0]};
  const auto expected = Interpreter(consumer, {.bounds = false}).All(inner);
  const auto got = Interpreter(fused, {.bounds = false}).All(outer);
  ASSERT_TRUE(expected.ok() && got.ok());
  EXPECT_TRUE(Value::BitEqual((*expected)[0], (*got)[0]));
}

TEST(Texts, CanonicalTextIgnoresNumbering) {
  const auto make = [](bool detour) {
    Program p = Program::Pull({Shape::Array(ElementType::kF32, {4, 20})}, Shape::Array(ElementType::kF32, {4}));
    ExprGraph& g = *p.graph;
    if (detour) {
      g.NewFoldId();
      g.Unary(ScalarOp::kExp, g.Constant(Float(3)));
      g.NewVar(9);
    }
    const int32_t k = g.NewVar(20);
    p.outputs[0].value = g.FoldOp(ScalarOp::kAdd, g.Constant(Float(0)), g.Load(0, ElementType::kF32, {g.Index(0), g.Index(k)}), {k});
    return p;
  };
  EXPECT_EQ(CanonicalText(make(false)), CanonicalText(make(true)));
  EXPECT_NE(CanonicalText(make(false)), CanonicalText(Dot(4, 20, 1, true)));
}

TEST(Texts, Formulas) {
  EXPECT_EQ(ToFormula(Dot(4, 8, 4, false), {"lhs", "rhs"}), "out[i, j] = sum(k < 8: lhs[i, k] * rhs[k, j])");
  EXPECT_EQ(ToFormula(ScatterAdd(4, 6), {"x", "at", "updates"}),
            "out[i] = x[i]\nfor u0 < 6 if 0 <= s64(at[u0]) and s64(at[u0]) < 4:\n  out[s64(at[u0])] = current + updates[u0]");
}

}  // namespace
}  // namespace hloscope
