// Native kernels against the interpreter: every scalar operation in every type, every kind of loop, load, fold and update.
#include <cmath>
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"
#include "core/element/interpret.h"
#include "core/element/scalar_eval.h"
#include "gtest/gtest.h"
#include "tests/jit_cpu/kernel_check.h"

namespace hloscope {
namespace {

using T = ElementType;

std::vector<T> ArrayTypes() {
  std::vector<T> r;
  for (int i = 0; i < kElementTypeCount; ++i) {
    if (IsArrayType(static_cast<T>(i))) r.push_back(static_cast<T>(i));
  }
  return r;
}

bool Applies(ScalarOp op, T type) {
  switch (op) {
    case ScalarOp::kConvert: case ScalarOp::kBitcast: case ScalarOp::kReducePrecision: case ScalarOp::kFloorDiv: case ScalarOp::kMod: return false;
    case ScalarOp::kComplex: return type == T::kF32 || type == T::kF64;
    case ScalarOp::kAnd: case ScalarOp::kOr: case ScalarOp::kXor: case ScalarOp::kNot: return IsPred(type) || IsInteger(type);
    case ScalarOp::kShiftLeft: case ScalarOp::kShiftRightArithmetic: case ScalarOp::kShiftRightLogical: case ScalarOp::kMulhi:
    case ScalarOp::kPopulationCount: case ScalarOp::kCountLeadingZeros: return IsInteger(type);
    case ScalarOp::kEq: case ScalarOp::kNe: return true;
    case ScalarOp::kLt: case ScalarOp::kLe: case ScalarOp::kGt: case ScalarOp::kGe: return !IsComplex(type);
    case ScalarOp::kEqTotal: case ScalarOp::kNeTotal: case ScalarOp::kLtTotal: case ScalarOp::kLeTotal: case ScalarOp::kGtTotal: case ScalarOp::kGeTotal:
      return IsFloat(type);
    case ScalarOp::kAdd: case ScalarOp::kMultiply: return true;
    case ScalarOp::kSubtract: case ScalarOp::kNegate: case ScalarOp::kDivide: return !IsPred(type);
    case ScalarOp::kMaximum: case ScalarOp::kMinimum: return !IsComplex(type);
    case ScalarOp::kRemainder: return !IsComplex(type) && !IsPred(type);
    case ScalarOp::kPower: case ScalarOp::kSign: case ScalarOp::kAbs: return !IsPred(type);
    case ScalarOp::kReal: case ScalarOp::kImag: return IsFloat(type) || IsComplex(type);
    case ScalarOp::kIsFinite: case ScalarOp::kCeil: case ScalarOp::kFloor: case ScalarOp::kRoundNearestAfz: case ScalarOp::kRoundNearestEven: return IsFloat(type);
    case ScalarOp::kErf: case ScalarOp::kAtan2: return IsFloat(type);
    default: return IsFloat(type) || IsComplex(type);
  }
}

TEST(Lower, EveryOperationInEveryType) {
  Random random(1);
  for (int o = 0; o <= static_cast<int>(ScalarOp::kReducePrecision); ++o) {
    const auto op = static_cast<ScalarOp>(o);
    for (T type : ArrayTypes()) {
      if (!Applies(op, type)) continue;
      const int64_t n = 200;
      const Shape shape = Shape::Array(type, {n});
      std::vector<Value> in;
      // Complex functions on specials are left to the C++ library on both sides, but it is not sure of the signs of NaN parts.
      for (int k = 0; k < Arity(op); ++k) in.push_back(random.Array(shape, !IsComplex(type)));
      const std::string what = absl::StrCat(std::string(Name(op).data(), Name(op).size()), " ", std::string(Name(type).data(), Name(type).size()));
      Check(Pointwise(op, type, ResultType(op, type), n), in, what);
    }
  }
}

TEST(Lower, EveryConversion) {
  Random random(2);
  for (T from : ArrayTypes()) {
    const Value in = random.Array(Shape::Array(from, {300}), true);
    for (T to : ArrayTypes()) {
      if (from == to || (IsComplex(from) && !IsComplex(to))) continue;
      Check(Pointwise(ScalarOp::kConvert, from, to, 300), {in}, absl::StrCat("convert ", std::string(Name(from).data(), Name(from).size()), " to ", std::string(Name(to).data(), Name(to).size())));
    }
  }
}

TEST(Lower, ConversionsOfLargeIntegersRoundOnce) {
  Random random(3);
  for (T from : {T::kS32, T::kU32, T::kS64, T::kU64}) {
    Value in = Value::Allocate(Shape::Array(from, {512}));
    for (int64_t i = 0; i < 512; ++i) {
      // Just beside the middle between two bf16 or f16 neighbours.
      const int64_t bit = random.Int(8, BitWidth(from) - 2);
      const int64_t v = (int64_t{1} << bit) + (bit >= 8 ? int64_t{1} << (bit - 8) : 0) + (bit >= 11 ? int64_t{1} << (bit - 11) : 0) + random.Int(-1, 1);
      StoreScalar(hloscope::Scalar::Int(from, random.Int(0, 1) ? v : -v), in.mutable_data() + i * StorageBytes(from));
    }
    for (T to : {T::kBF16, T::kF16, T::kF32, T::kF64, T::kF8E5M2}) Check(Pointwise(ScalarOp::kConvert, from, to, 512), {in}, "large integers");
  }
}

TEST(Lower, Bitcasts) {
  Random random(4);
  for (T from : ArrayTypes()) {
    for (T to : ArrayTypes()) {
      if (BitWidth(from) != BitWidth(to) || from == to || IsPred(from) || IsPred(to)) continue;
      // NaN payloads are not kept by arithmetic on small floats, so finite numbers.
      Check(Pointwise(ScalarOp::kBitcast, from, to, 100), {random.Array(Shape::Array(from, {100}), false)}, "bitcast");
    }
  }
}

TEST(Lower, ReducePrecision) {
  Random random(5);
  for (T type : {T::kBF16, T::kF16, T::kF32, T::kF64, T::kF8E4M3}) {
    for (auto [e, m] : {std::pair{5, 10}, {8, 7}, {2, 0}, {11, 52}, {8, 23}, {4, 3}}) {
      Check(Pointwise(ScalarOp::kReducePrecision, type, type, 300, e << 8 | m), {random.Array(Shape::Array(type, {300}), true)}, "reduce-precision");
    }
  }
}

TEST(Lower, TailsOfEveryLength) {
  Random random(6);
  for (int64_t n = 0; n <= 40; ++n) {
    for (T type : {T::kF32, T::kPred, T::kBF16, T::kF64, T::kC64}) {
      const ScalarOp op = IsPred(type) ? ScalarOp::kXor : ScalarOp::kAdd;
      Check(Pointwise(op, type, type, n), {random.Array(Shape::Array(type, {n}), false), random.Array(Shape::Array(type, {n}), false)}, absl::StrCat("tail ", n));
    }
  }
}

// All finite floats sampled: the functions that are inlined.
TEST(Lower, FunctionsOverTheWholeRange) {
  const int64_t n = 1 << 16;
  Value in = Value::Allocate(Shape::Array(T::kF32, {n}));
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t bits = static_cast<uint32_t>(i) << 16 | static_cast<uint32_t>((i * 40503) & 0xffff);
    std::memcpy(in.mutable_data() + 4 * i, &bits, 4);
  }
  Value dense = Value::Allocate(Shape::Array(T::kF32, {n}));
  for (int64_t i = 0; i < n; ++i) dense.mutable_as<float>()[i] = static_cast<float>((static_cast<double>(i) / n - 0.5) * 220);
  Value fine = Value::Allocate(Shape::Array(T::kF32, {n}));
  for (int64_t i = 0; i < n; ++i) fine.mutable_as<float>()[i] = static_cast<float>((static_cast<double>(i) / n - 0.5) * 6);
  for (ScalarOp op : {ScalarOp::kExp, ScalarOp::kExpm1, ScalarOp::kLog, ScalarOp::kLog1p, ScalarOp::kTanh, ScalarOp::kLogistic, ScalarOp::kErf, ScalarOp::kSin,
                      ScalarOp::kCos, ScalarOp::kRsqrt, ScalarOp::kSqrt}) {
    const Program p = Pointwise(op, T::kF32, T::kF32, n);
    auto kernel = TheCompiler().CompileAndLoad(p);
    ASSERT_TRUE(kernel.ok());
    double worst = 0;
    float where = 0;
    for (const Value& v : {in, dense, fine}) {
      const std::vector<Value> got = RunKernel(*kernel, p, {v}, 1000000);
      for (int64_t i = 0; i < n; ++i) {
        const float x = v.as<float>()[i];
        const hloscope::Scalar s = hloscope::Scalar::Float(T::kF32, x);
        const double want = EvalScalarOp(op, T::kF32, 0, {s}).re;
        const float g = got[0].as<float>()[i];
        ASSERT_EQ(std::isnan(want), std::isnan(g)) << Name(op).data() << " of " << x;
        if (std::isnan(want)) continue;
        if (std::isinf(want) || std::isinf(g)) {
          EXPECT_EQ(want, g) << Name(op).data() << " of " << x;
          continue;
        }
        if (want == 0) EXPECT_EQ(std::signbit(want), std::signbit(g)) << Name(op).data() << " of " << x;
        const double ulp = std::fabs(want - g) / UlpAt(T::kF32, want);
        if (ulp > worst) worst = ulp, where = x;
      }
    }
    EXPECT_LE(worst, 2) << Name(op).data() << " at " << where;
    RecordProperty(std::string(Name(op).data(), Name(op).size()), absl::StrCat(worst));
  }
}

// ---- Movement ----

TEST(Lower, Movement) {
  Random random(7);
  for (T type : {T::kF32, T::kS8, T::kBF16, T::kC64, T::kF64, T::kPred, T::kU64}) {
    for (auto dims : std::vector<std::vector<int64_t>>{{3, 5, 7}, {2, 17, 33}, {1, 1, 5}, {40, 3, 16}, {5, 1, 64}, {4, 64, 2}, {2, 0, 3}}) {
      const int64_t a = dims[0], b = dims[1], c = dims[2];
      const Value x = random.Array(Shape::Array(type, dims), true);
      const auto make = [&](std::vector<int64_t> out, auto index) {
        Program p = Program::Pull({x.shape()}, Shape::Array(type, out));
        std::vector<NodeId> vars;
        for (size_t d = 0; d < out.size(); ++d) vars.push_back(p.graph->Index(static_cast<int>(d)));
        p.outputs[0].value = p.graph->Load(0, type, index(*p.graph, vars));
        Check(p, {x}, absl::StrCat("movement to rank ", out.size()));
      };
      using V = std::vector<NodeId>;
      make({c, b, a}, [](ExprGraph& g, V v) { return V{v[2], v[1], v[0]}; });
      make({a, c, b}, [](ExprGraph& g, V v) { return V{v[0], v[2], v[1]}; });
      make({a * b, c}, [&](ExprGraph& g, V v) { return V{g.FloorDiv(v[0], std::max<int64_t>(b, 1)), g.Mod(v[0], std::max<int64_t>(b, 1)), v[1]}; });
      make({a, b, c}, [&](ExprGraph& g, V v) { return V{v[0], v[1], g.Sub(g.IndexConstant(c - 1), v[2])}; });
      make({a, b, (c + 1) / 2}, [&](ExprGraph& g, V v) { return V{v[0], v[1], g.Mul(v[2], g.IndexConstant(2))}; });
      make({4, a, b, c}, [](ExprGraph& g, V v) { return V{v[1], v[2], v[3]}; });
      make({a, b, c, 3}, [](ExprGraph& g, V v) { return V{v[0], v[1], v[2]}; });
      make({a, b * c}, [&](ExprGraph& g, V v) { return V{v[0], g.FloorDiv(v[1], std::max<int64_t>(c, 1)), g.Mod(v[1], std::max<int64_t>(c, 1))}; });
    }
  }
}

TEST(Lower, PadIsGuarded) {
  Random random(8);
  for (T type : {T::kF32, T::kU16, T::kF64, T::kC64, T::kF8E4M3FN}) {
    for (int64_t n : {1, 3, 16, 21, 50}) {
      const Value x = random.Array(Shape::Array(type, {4, n}), true);
      const Value fill = random.Array(Shape::Scalar(type), true);
      for (int64_t interior : {0, 1}) {
        const int64_t out_n = 2 + n + (n - 1) * interior + 3;
        Program p = Program::Pull({x.shape(), fill.shape()}, Shape::Array(type, {7, out_n}));
        ExprGraph& g = *p.graph;
        const NodeId i = g.Sub(g.Index(0), g.IndexConstant(1)), j = g.Sub(g.Index(1), g.IndexConstant(2));
        NodeId inside = g.And(g.InRange(i, 0, 4), g.InRange(j, 0, n + (n - 1) * interior));
        if (interior) inside = g.And(inside, g.Binary(ScalarOp::kEq, g.Mod(j, interior + 1), g.IndexConstant(0)));
        p.outputs[0].value = g.Select(inside, g.Load(0, type, {i, g.FloorDiv(j, interior + 1)}), g.Load(1, type, {}));
        Check(p, {x, fill}, absl::StrCat("pad ", n, " ", interior));
      }
    }
  }
}

TEST(Lower, ConcatenateInBothDimensions) {
  Random random(9);
  for (int dimension : {0, 1}) {
    const Value a = random.Array(Shape::Array(T::kF32, {5, 9}), true);
    const Value b = random.Array(Shape::Array(T::kF32, dimension == 0 ? std::vector<int64_t>{3, 9} : std::vector<int64_t>{5, 30}), true);
    Program p = Program::Pull({a.shape(), b.shape()}, Shape::Array(T::kF32, dimension == 0 ? std::vector<int64_t>{8, 9} : std::vector<int64_t>{5, 39}));
    ExprGraph& g = *p.graph;
    const int64_t split = dimension == 0 ? 5 : 9;
    std::vector<NodeId> first = {g.Index(0), g.Index(1)}, second = first;
    second[dimension] = g.Sub(second[dimension], g.IndexConstant(split));
    p.outputs[0].value = g.Select(g.Binary(ScalarOp::kLt, first[dimension], g.IndexConstant(split)), g.Load(0, T::kF32, first), g.Load(1, T::kF32, second));
    Check(p, {a, b}, "concatenate");
  }
}

TEST(Lower, GatherByIndexArray) {
  Random random(10);
  for (T type : {T::kF32, T::kS8, T::kF16, T::kC128, T::kS64}) {
    const Value table = random.Array(Shape::Array(type, {11, 19}), true);
    const Value indices = random.Array(Shape::Array(T::kS32, {23}), true);
    Program p = Program::Pull({table.shape(), indices.shape()}, Shape::Array(type, {23, 19}));
    ExprGraph& g = *p.graph;
    const NodeId row = g.Clamp(g.Convert(T::kS64, g.Load(1, T::kS32, {g.Index(0)})), 0, 10);
    p.outputs[0].value = g.Load(0, type, {row, g.Index(1)});
    Check(p, {table, indices}, "gather rows");
    Program q = Program::Pull({table.shape(), indices.shape()}, Shape::Array(type, {19, 23}));
    ExprGraph& h = *q.graph;
    const NodeId other = h.Clamp(h.Convert(T::kS64, h.Load(1, T::kS32, {h.Index(1)})), 0, 10);
    q.outputs[0].value = h.Load(0, type, {other, h.Index(0)});
    Check(q, {table, indices}, "gather columns");
  }
}

// ---- Folds ----

Program Reduce(T type, std::vector<int64_t> dims, std::vector<int> reduced, ScalarOp op, bool reassociate, bool square = false) {
  std::vector<int64_t> out;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (std::find(reduced.begin(), reduced.end(), static_cast<int>(d)) == reduced.end()) out.push_back(dims[d]);
  }
  Program p = Program::Pull({Shape::Array(type, dims), Shape::Scalar(type)}, Shape::Array(type, out));
  ExprGraph& g = *p.graph;
  std::vector<NodeId> index;
  std::vector<int32_t> vars;
  int next = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (std::find(reduced.begin(), reduced.end(), static_cast<int>(d)) == reduced.end()) {
      index.push_back(g.Index(next++));
    } else {
      vars.push_back(g.NewVar(dims[d]));
      index.push_back(g.Index(vars.back()));
    }
  }
  NodeId x = g.Load(0, type, index);
  if (square) x = g.Binary(ScalarOp::kMultiply, x, x);
  p.outputs[0].value = g.FoldOp(op, g.Load(1, type, {}), x, vars, reassociate);
  return p;
}

// Loops that take several vectors a turn against those that do not (their ends do not fit), bit for bit; in place, too. Sine has a branch in it.
TEST(Lower, VectorsSideBySideGiveTheSameBits) {
  const int64_t n = int64_t{1} << 18;
  Random random(12);
  const Value x = random.Array(Shape::Array(T::kF32, {n + 16}), true);
  for (const ScalarOp op : {ScalarOp::kExp, ScalarOp::kTanh, ScalarOp::kErf, ScalarOp::kLog, ScalarOp::kLogistic, ScalarOp::kExpm1, ScalarOp::kSin}) {
    SCOPED_TRACE(std::string(Name(op)));
    Value results[2];
    for (int k = 0; k < 2; ++k) {
      const Program program = Pointwise(op, T::kF32, T::kF32, n + 16 * k);
      absl::StatusOr<CompiledKernel> kernel = TheCompiler().CompileAndLoad(program);
      ASSERT_TRUE(kernel.ok()) << kernel.status();
      ASSERT_TRUE(kernel->info.may_alias[0]);
      const void* in[] = {x.data()};
      results[k] = Value::Allocate(program.outputs[0].shape);
      void* out[] = {results[k].mutable_data()};
      kernel->fn(in, out, 0, kernel->info.extent);
      Value own = Value::FromBytes(program.outputs[0].shape, absl::MakeConstSpan(x.data(), program.outputs[0].shape.ByteSize()));
      const void* own_in[] = {own.data()};
      void* own_out[] = {own.mutable_data()};
      kernel->fn(own_in, own_out, 0, kernel->info.extent);
      EXPECT_TRUE(Value::BitEqual(own, results[k])) << "in place, " << n + 16 * k;
    }
    EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), n * sizeof(float)), 0);
  }
}

TEST(Lower, ReductionsInEveryStrategy) {
  Random random(11);
  for (T type : {T::kF32, T::kBF16, T::kF64, T::kS32, T::kU8, T::kC64, T::kPred, T::kF8E4M3}) {
    for (ScalarOp op : {ScalarOp::kAdd, ScalarOp::kMultiply, ScalarOp::kMaximum, ScalarOp::kMinimum, ScalarOp::kAnd, ScalarOp::kOr, ScalarOp::kXor}) {
      const bool bits = op == ScalarOp::kAnd || op == ScalarOp::kOr || op == ScalarOp::kXor;
      const bool order = op == ScalarOp::kMaximum || op == ScalarOp::kMinimum;
      if (bits != (IsInteger(type) || IsPred(type)) && (bits || IsPred(type))) continue;
      if (order && IsComplex(type)) continue;
      for (auto [dims, reduced] : std::vector<std::pair<std::vector<int64_t>, std::vector<int>>>{{{5, 37}, {1}}, {{37, 21}, {0}}, {{3, 18, 5}, {0, 1}}, {{3, 18, 20}, {0, 2}}, {{100}, {0}}, {{6, 3}, {1}}, {{4, 0}, {1}}, {{2, 16, 32}, {1, 2}}, {{16, 48, 3}, {0}}}) {
        const Program p = Reduce(type, dims, reduced, op, true);
        Check(p, {random.Array(p.operands[0], false), random.Array(p.operands[1], false)}, absl::StrCat("reduce ", std::string(Name(op).data(), Name(op).size()), " ", std::string(Name(type).data(), Name(type).size()), " rank ", dims.size(), " dim ", reduced[0]));
        if (type == T::kF32) {
          const Program q = Reduce(type, dims, reduced, op, false, true);
          Check(q, {random.Array(q.operands[0], true), random.Array(q.operands[1], true)}, "sequential");
        }
      }
    }
  }
}

TEST(Lower, DotBothWays) {
  Random random(12);
  for (bool transposed : {false, true}) {
    for (int64_t k : {3, 16, 45}) {
      const Value a = random.Array(Shape::Array(T::kF32, {7, k}), false);
      const Value b = random.Array(Shape::Array(T::kF32, transposed ? std::vector<int64_t>{19, k} : std::vector<int64_t>{k, 19}), false);
      Program p = Program::Pull({a.shape(), b.shape()}, Shape::Array(T::kF32, {7, 19}));
      ExprGraph& g = *p.graph;
      const int32_t var = g.NewVar(k);
      const NodeId kk = g.Index(var);
      const NodeId l = g.Load(0, T::kF32, {g.Index(0), kk});
      const NodeId r = transposed ? g.Load(1, T::kF32, {g.Index(1), kk}) : g.Load(1, T::kF32, {kk, g.Index(1)});
      p.outputs[0].value = g.FoldOp(ScalarOp::kAdd, g.Constant(hloscope::Scalar::Float(T::kF32, 0)), g.Binary(ScalarOp::kMultiply, l, r), {var});
      Check(p, {a, b}, absl::StrCat("dot ", k, transposed ? " transposed" : ""));
    }
  }
}

TEST(Lower, ArgMaxHasTwoParts) {
  Random random(13);
  for (bool rows : {true, false}) {
    const int64_t n = 9, m = 30;
    const Value x = random.Array(Shape::Array(T::kF32, {n, m}), true);
    const int64_t out_n = rows ? n : m;
    Program p = Program::Pull({x.shape()}, Shape::Array(T::kF32, {out_n}));
    p.outputs.push_back({Shape::Array(T::kS32, {out_n}), kNoNode});
    ExprGraph& g = *p.graph;
    FoldInfo f;
    f.id = g.NewFoldId();
    f.extents = {rows ? m : n};
    f.vars = {g.NewVar(f.extents[0])};
    const NodeId k = g.Index(f.vars[0]), o = g.Index(0);
    const NodeId v = g.Load(0, T::kF32, rows ? std::vector<NodeId>{o, k} : std::vector<NodeId>{k, o});
    const NodeId best = g.Accumulator(f.id, 0, T::kF32), at = g.Accumulator(f.id, 1, T::kS32);
    const NodeId better = g.Binary(ScalarOp::kGt, v, best);
    f.inits = {g.Constant(hloscope::Scalar::Float(T::kF32, -INFINITY)), g.Constant(hloscope::Scalar::Int(T::kS32, -1))};
    f.bodies = {g.Select(better, v, best), g.Select(better, g.Convert(T::kS32, k), at)};
    const NodeId fold = g.Fold(f);
    p.outputs[0].value = g.FoldResult(fold, 0);
    p.outputs[1].value = g.FoldResult(fold, 1);
    Check(p, {x}, rows ? "argmax of rows" : "argmax of columns");
  }
}

Program Softmax(int64_t n, int64_t m) {
  Program p = Program::Pull({Shape::Array(T::kF32, {n, m})}, Shape::Array(T::kF32, {n, m}));
  ExprGraph& g = *p.graph;
  const int32_t k = g.NewVar(m), k2 = g.NewVar(m);
  const NodeId i = g.Index(0);
  const NodeId max = g.FoldOp(ScalarOp::kMaximum, g.Constant(hloscope::Scalar::Float(T::kF32, -INFINITY)), g.Load(0, T::kF32, {i, g.Index(k)}), {k});
  const auto e = [&](NodeId j) { return g.Unary(ScalarOp::kExp, g.Binary(ScalarOp::kSubtract, g.Load(0, T::kF32, {i, j}), max)); };
  const NodeId sum = g.FoldOp(ScalarOp::kAdd, g.Constant(hloscope::Scalar::Float(T::kF32, 0)), e(g.Index(k2)), {k2});
  p.outputs[0].value = g.Binary(ScalarOp::kDivide, e(g.Index(1)), sum);
  return p;
}

TEST(Lower, SoftmaxInOneKernel) {
  Random random(14);
  const Program p = Softmax(6, 45);
  Check(p, {random.Array(p.operands[0], false)}, "softmax");
}

// A kernel of many rows computes several vectors of a row side by side before it adds them in order; one of a single row is not worth that.
TEST(Lower, FoldsSideBySideGiveTheSameBits) {
  Random random(15);
  for (const int64_t m : {64, 256, 1024}) {
    const int64_t n = 2000;
    Value x = random.Array(Shape::Array(T::kF32, {n, m}), false);
    for (int64_t j = 0; j < m; ++j) x.mutable_as<float>()[3 * m + j] = j == 5 ? NAN : x.as<float>()[j];
    x.mutable_as<float>()[7 * m] = INFINITY;
    const Program all = Softmax(n, m), one = Softmax(1, m);
    Check(all, {x}, absl::StrCat("softmax of rows of ", m));
    absl::StatusOr<CompiledKernel> kernel = TheCompiler().CompileAndLoad(all), single = TheCompiler().CompileAndLoad(one);
    ASSERT_TRUE(kernel.ok() && single.ok());
    const Value got = RunKernel(*kernel, all, {x}, kernel->info.extent)[0];
    for (const int64_t row : {0, 1, 3, 7, 1999}) {
      const Value of = Value::FromBytes(one.operands[0], absl::MakeConstSpan(x.data() + row * m * 4, m * 4));
      const Value wanted = RunKernel(*single, one, {of}, 1)[0];
      for (int64_t j = 0; j < m; ++j) {
        const float a = got.as<float>()[row * m + j], b = wanted.as<float>()[j];
        EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << m << ", row " << row << ", element " << j << ": " << a << " and " << b;
      }
    }
  }
}

TEST(Lower, WindowsFoldUnderAGuard) {
  Random random(15);
  for (int64_t n : {5, 33}) {
    for (int64_t window : {3, 18}) {
      const Value x = random.Array(Shape::Array(T::kF32, {4, n}), true);
      Program p = Program::Pull({x.shape()}, Shape::Array(T::kF32, {4, n}));
      ExprGraph& g = *p.graph;
      const int32_t k = g.NewVar(window);
      const NodeId j = g.Sub(g.Add(g.Index(1), g.Index(k)), g.IndexConstant(window / 2));
      const NodeId zero = g.Constant(hloscope::Scalar::Float(T::kF32, 0));
      const NodeId v = g.Select(g.InRange(j, 0, n), g.Load(0, T::kF32, {g.Index(0), j}), zero);
      p.outputs[0].value = g.FoldOp(ScalarOp::kAdd, zero, v, {k});
      Check(p, {x}, absl::StrCat("window ", window));
    }
  }
}

// ---- Push ----

Program Scatter(T type, bool rows, ScalarOp op, int64_t width = 21) {
  // out = operand; out[indices[u], w] = op(out, updates[u, w]).
  Program p = Program::Pull({Shape::Array(type, {10, width}), Shape::Array(T::kS32, {15}), rows ? Shape::Array(type, {15, width}) : Shape::Array(type, {15})},
                            Shape::Array(type, {10, width}));
  ExprGraph& g = *p.graph;
  p.is_push = true;
  p.outputs[0].value = g.Load(0, type, {g.Index(0), g.Index(1)});
  p.push.accumulator_id = g.NewFoldId();
  p.push.vars = {g.NewVar(15)};
  if (rows) p.push.vars.push_back(g.NewVar(width));
  const NodeId u = g.Index(p.push.vars[0]);
  const NodeId at = g.Convert(T::kS64, g.Load(1, T::kS32, {u}));
  const NodeId column = rows ? g.Index(p.push.vars[1]) : g.IndexConstant(4);
  p.push.in_bounds = g.InRange(at, 0, 10);
  p.push.target = {at, column};
  const NodeId update = rows ? g.Load(2, type, {u, column}) : g.Load(2, type, {u});
  p.push.combined = {g.Binary(op, g.Accumulator(p.push.accumulator_id, 0, type), update)};
  return p;
}

TEST(Lower, ScatterAppliesUpdatesInOrder) {
  Random random(16);
  for (T type : {T::kF32, T::kBF16, T::kS32, T::kC64, T::kF64, T::kU8}) {
    for (bool rows : {true, false}) {
      const Program p = Scatter(type, rows, ScalarOp::kAdd);
      const Value operand = random.Array(p.operands[0], false);
      Check(p, {operand, random.Array(p.operands[1], false), random.Array(p.operands[2], false)}, "scatter");
      auto kernel = TheCompiler().CompileAndLoad(p);
      ASSERT_TRUE(kernel.ok());
      EXPECT_EQ(kernel->info.starts_as, std::vector<int32_t>{0});
      EXPECT_TRUE(kernel->info.may_alias[0]);
    }
  }
}

TEST(Lower, WideUpdatesAreSharedByColumns) {
  Random random(18);
  const Program p = Scatter(T::kF32, true, ScalarOp::kMultiply, 200);
  Check(p, {random.Array(p.operands[0], false), random.Array(p.operands[1], false), random.Array(p.operands[2], false)}, "wide scatter");
  auto code = TheCompiler().Compile(p);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->info.update_extent, 4);
}

TEST(Lower, WindowsThatOverlapAreNotShared) {
  // out[start[u] + w] += x[u, w]: the same element by different w.
  Random random(19);
  Program p = Program::Pull({Shape::Array(T::kF32, {300}), Shape::Array(T::kS32, {9}), Shape::Array(T::kF32, {9, 200})}, Shape::Array(T::kF32, {300}));
  ExprGraph& g = *p.graph;
  p.is_push = true;
  p.outputs[0].value = g.Load(0, T::kF32, {g.Index(0)});
  p.push.accumulator_id = g.NewFoldId();
  p.push.vars = {g.NewVar(9), g.NewVar(200)};
  const NodeId u = g.Index(p.push.vars[0]), w = g.Index(p.push.vars[1]);
  const NodeId at = g.Add(g.Convert(T::kS64, g.Load(1, T::kS32, {u})), w);
  p.push.in_bounds = g.InRange(at, 0, 300);
  p.push.target = {at};
  p.push.combined = {g.Binary(ScalarOp::kAdd, g.Accumulator(p.push.accumulator_id, 0, T::kF32), g.Load(2, T::kF32, {u, w}))};
  Check(p, {random.Array(p.operands[0], false), random.Array(p.operands[1], false), random.Array(p.operands[2], false)}, "overlapping windows");
  auto code = TheCompiler().Compile(p);
  ASSERT_TRUE(code.ok());
  EXPECT_EQ(code->info.update_extent, 1);
}

}  // namespace
}  // namespace hloscope
