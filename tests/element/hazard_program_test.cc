// Programs that say where operations go wrong, against the test of each single operation: they may say it too often, never too seldom.
#include "core/element/hazard_program.h"

#include <cmath>
#include <limits>
#include <random>

#include "core/element/element_trace.h"
#include "core/element/interpret.h"
#include "core/element/magnitudes.h"
#include "core/element/scalar_eval.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using T = ElementType;

constexpr ScalarHazard kHazards[] = {ScalarHazard::kConversionOverflow, ScalarHazard::kDenormal,     ScalarHazard::kCancellation,
                                     ScalarHazard::kIntegerOverflow,    ScalarHazard::kUnsignedWrap, ScalarHazard::kIntegerDivision};
constexpr T kTypes[] = {T::kF32, T::kF64, T::kBF16, T::kF16, T::kF8E4M3FN, T::kF8E5M2, T::kS8, T::kS32, T::kS64, T::kU8, T::kU32, T::kU64, T::kS16};

std::vector<Scalar> Interesting(T type, std::mt19937_64& random) {
  std::vector<Scalar> numbers;
  if (IsInteger(type)) {
    const int bits = BitWidth(type);
    for (int64_t v : {0, 1, 2, 3, 5, -1, -2, 100}) numbers.push_back(Scalar::Int(type, v));
    for (int64_t d : {-2, -1, 0, 1, 2}) {
      numbers.push_back(Scalar::Int(type, static_cast<int64_t>((uint64_t{1} << (bits - 1)) + static_cast<uint64_t>(d))));
      numbers.push_back(Scalar::Int(type, static_cast<int64_t>((uint64_t{1} << (bits / 2)) + static_cast<uint64_t>(d))));
    }
    for (int k = 0; k < 12; ++k) numbers.push_back(Scalar::Int(type, static_cast<int64_t>(random())));
    return numbers;
  }
  const double least = UlpAt(type, 0), normal = least / (2 * UnitRoundoff(type));
  for (double v : {0.0, 1.0, 1.5, 3.0, least, normal, normal * 1.5, normal * 64, least * 3, 200.0, 448.0, 65504.0, 65520.0, 2147483648.0, 3e38, 1e308, 127.9, 128.0,
                   255.0, 256.0, 1 + 2 * UnitRoundoff(type), 1 - UnitRoundoff(type), std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    numbers.push_back(Scalar::Float(type, v));
    numbers.push_back(Scalar::Float(type, -v));
  }
  std::uniform_real_distribution<double> exponent(-12, 12);
  for (int k = 0; k < 12; ++k) numbers.push_back(Scalar::Float(type, std::exp2(exponent(random)) * (k % 2 == 0 ? 1 : -1)));
  return numbers;
}

Value ToValue(T type, const std::vector<Scalar>& numbers) {
  Value value = Value::Allocate(Shape::Array(type, {static_cast<int64_t>(numbers.size())}));
  for (size_t k = 0; k < numbers.size(); ++k) StoreScalar(numbers[k], value.mutable_data() + k * StorageBytes(type));
  return value;
}

// True where the program says so.
std::vector<bool> Says(const Program& program, absl::Span<const Value> operands) {
  std::vector<const Value*> pointers;
  for (const Value& v : operands) pointers.push_back(&v);
  InterpretOptions options;
  options.bounds = false;
  absl::StatusOr<std::vector<Value>> made = Interpreter(program, options).All(pointers);
  EXPECT_TRUE(made.ok()) << made.status().message();
  std::vector<bool> result;
  for (int64_t k = 0; made.ok() && k < (*made)[0].element_count(); ++k) result.push_back((*made)[0].as<uint8_t>()[k] != 0);
  return result;
}

TEST(HazardProgram, MissesNothingThatSingleOperationsHave) {
  std::mt19937_64 random(5);
  int64_t looked_at = 0, hits = 0, said = 0;
  for (int o = 0; o <= static_cast<int>(ScalarOp::kReducePrecision); ++o) {
    const ScalarOp op = static_cast<ScalarOp>(o);
    if (op == ScalarOp::kFloorDiv || op == ScalarOp::kMod || op == ScalarOp::kBitcast || op == ScalarOp::kComplex) continue;
    for (const T from : kTypes) {
      for (const T to : kTypes) {
        if (op != ScalarOp::kConvert && from != to) continue;
        for (const ScalarHazard hazard : kHazards) {
          if (!MayHave(hazard, op, to, from)) continue;
          if (op == ScalarOp::kReducePrecision && BitWidth(from) < 16) continue;
          const std::vector<Scalar> numbers = Interesting(from, random);
          std::vector<Scalar> left, right;
          for (const Scalar& a : numbers) {
            for (const Scalar& b : numbers) {
              left.push_back(a);
              right.push_back(b);
              if (Arity(op) == 1) break;
            }
          }
          const std::vector<Value> operands = {ToValue(from, left), ToValue(from, right)};
          const int64_t n = static_cast<int64_t>(left.size());
          Program p = Program::Pull({operands[0].shape(), operands[1].shape()}, Shape::Array(to, {n}));
          ExprGraph& g = *p.graph;
          const NodeId a = g.Load(0, from, {g.Index(0)}), b = g.Load(1, from, {g.Index(0)});
          const int64_t aux = op == ScalarOp::kReducePrecision ? 5 << 8 | 10 : 0;
          p.outputs[0].value = op == ScalarOp::kConvert           ? g.Convert(to, a)
                               : op == ScalarOp::kReducePrecision ? g.ReducePrecision(a, 5, 10)
                               : Arity(op) == 1                   ? g.Unary(op, a)
                                                                  : g.Binary(op, a, b);
          if (g.node(p.outputs[0].value).type != to || g.node(p.outputs[0].value).kind != NodeKind::kScalarOp) continue;
          HazardQuery query;
          query.hazard = hazard;
          bool never = false;
          std::optional<Program> made = HazardProgram(p, query, &never);
          std::vector<bool> says(n, false);
          if (made.has_value()) says = Says(*made, operands);
          ASSERT_TRUE(made.has_value() || never);
          for (int64_t k = 0; k < n; ++k) {
            std::vector<Scalar> in = {left[k]};
            if (Arity(op) == 2) in.push_back(right[k]);
            const bool has = Has(hazard, op, to, aux, in, EvalScalarOp(op, to, aux, in), 0, nullptr);
            ++looked_at;
            hits += has;
            said += says[k];
            ASSERT_TRUE(!has || says[k]) << Name(op) << " " << Name(from) << " to " << Name(to) << " hazard " << static_cast<int>(hazard) << ": " << ToText(left[k]) << ", " << ToText(right[k]);
          }
        }
      }
    }
  }
  EXPECT_GT(looked_at, 100000);
  EXPECT_GT(hits, 10000);
  EXPECT_LT(said, hits * 3 / 2) << "of " << looked_at;
}

// A NaN that a fold's body makes and its select drops again.
TEST(HazardProgram, LooksIntoFolds) {
  Program p = Program::Pull({Shape::Array(T::kF32, {2, 3})}, Shape::Array(T::kF32, {2}));
  ExprGraph& g = *p.graph;
  const int32_t k = g.NewVar(3);
  const NodeId root = g.Unary(ScalarOp::kSqrt, g.Load(0, T::kF32, {g.Index(0), g.Index(k)}));
  FoldInfo fold;
  fold.id = g.NewFoldId();
  fold.extents = {3};
  fold.vars = {k};
  fold.inits = {g.Constant(Scalar::Float(T::kF32, 0))};
  const NodeId acc = g.Accumulator(fold.id, 0, T::kF32);
  fold.bodies = {g.Select(g.Binary(ScalarOp::kGt, root, acc), root, acc)};
  p.outputs[0].value = g.FoldResult(g.Fold(fold), 0);
  const float data[] = {1, 4, 9, 4, -1, 16};
  const Value operand = Value::FromBytes(p.operands[0], absl::MakeConstSpan(reinterpret_cast<const std::byte*>(data), sizeof(data)));
  bool never = false;
  std::optional<Program> made = HazardProgram(p, HazardQuery(), &never);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(Says(*made, absl::MakeConstSpan(&operand, 1)), (std::vector<bool>{false, true}));
}

// Where it is proven that nothing gets small, nothing does.
TEST(Magnitudes, ProofsHold) {
  std::mt19937_64 random(3);
  int proven = 0, small = 0;
  for (int round = 0; round < 400; ++round) {
    const T type = round % 3 == 0 ? T::kF16 : T::kF32;
    Program p = Program::Pull({Shape::Array(type, {2, 5}), Shape::Array(type, {5, 2})}, Shape::Array(type, {2, 2}));
    ExprGraph& g = *p.graph;
    const int32_t k = g.NewVar(5);
    const NodeId product = g.Binary(ScalarOp::kMultiply, g.Load(0, type, {g.Index(0), g.Index(k)}), g.Load(1, type, {g.Index(k), g.Index(1)}));
    p.outputs[0].value = g.FoldOp(ScalarOp::kAdd, g.Constant(Scalar::Float(type, 0)), product, {k});
    std::vector<Value> operands;
    const int spread = type == T::kF16 ? 8 : 80;
    for (const Shape& shape : p.operands) {
      Value value = Value::Allocate(shape);
      const int low = -static_cast<int>(random() % spread);
      for (int64_t e = 0; e < value.element_count(); ++e) {
        const double v = random() % 5 == 0 ? 0 : std::ldexp(1 + static_cast<double>(random() % 1000) / 1000, low + static_cast<int>(random() % 3)) * (random() % 2 == 0 ? 1 : -1);
        StoreScalar(Scalar::Float(type, v), value.mutable_data() + e * StorageBytes(type));
      }
      operands.push_back(value);
    }
    ElementTrace trace(p, operands);
    bool hit = false;
    trace.set_on_op([&](const Node& node, absl::Span<const Scalar> in, const Scalar& out, bool) { hit |= Has(ScalarHazard::kDenormal, node.op, node.type, node.aux, in, out, 0, nullptr); });
    for (int64_t e = 0; e < 4; ++e) trace.At(0, {e / 2, e % 2});
    const bool proof = NormalProof().Holds(p, operands);
    EXPECT_FALSE(proof && hit) << round;
    proven += proof;
    small += hit;
  }
  EXPECT_GT(proven, 50);
  EXPECT_GT(small, 20);
}

// A random expression over loads, sums among them; every operation that proofs know, and some that they do not.
NodeId RandomFloat(ExprGraph& g, ElementType type, int32_t row, int depth, std::mt19937_64& random) {
  const auto below = [&] { return RandomFloat(g, type, row, depth - 1, random); };
  if (depth == 0) {
    if (random() % 6 == 0) return g.Constant(Scalar::Float(type, std::ldexp(random() % 2 == 0 ? 1.5 : -1.25, static_cast<int>(random() % 8) - 4)));
    return g.Load(static_cast<int32_t>(random() % 2), type, {g.Index(row)});
  }
  constexpr ScalarOp kUnary[] = {ScalarOp::kSqrt, ScalarOp::kRsqrt, ScalarOp::kExp, ScalarOp::kLogistic, ScalarOp::kTanh, ScalarOp::kNegate, ScalarOp::kAbs, ScalarOp::kSin};
  constexpr ScalarOp kBinary[] = {ScalarOp::kAdd, ScalarOp::kSubtract, ScalarOp::kMultiply, ScalarOp::kDivide, ScalarOp::kMaximum, ScalarOp::kMinimum};
  switch (random() % 8) {
    case 0:
    case 1: return g.Unary(kUnary[random() % std::size(kUnary)], below());
    case 2: {
      const ElementType other = type == T::kF32 ? T::kBF16 : T::kF32;
      return g.Convert(type, g.Convert(other, below()));
    }
    case 3: {
      const NodeId square = below();
      return g.Binary(ScalarOp::kMultiply, square, square);
    }
    case 4: {
      const int32_t k = g.NewVar(9);
      return g.FoldOp(random() % 4 == 0 ? ScalarOp::kMaximum : ScalarOp::kAdd, g.Constant(Scalar::Float(type, 0)), RandomFloat(g, type, k, depth - 1, random), {k});
    }
    default: return g.Binary(kBinary[random() % std::size(kBinary)], below(), below());
  }
}

TEST(Magnitudes, ProofsOfExpressionsHold) {
  std::mt19937_64 random(11);
  int proven = 0, small = 0;
  for (int round = 0; round < 6000; ++round) {
    const T type = round % 3 == 0 ? T::kBF16 : round % 3 == 1 ? T::kF16 : T::kF32;
    Program p = Program::Pull({Shape::Array(type, {9}), Shape::Array(type, {9})}, Shape::Array(type, {9}));
    p.outputs[0].value = RandomFloat(*p.graph, type, 0, 1 + static_cast<int>(random() % 4), random);
    std::vector<Value> operands;
    for (const Shape& shape : p.operands) {
      Value value = Value::Allocate(shape);
      const int low = -static_cast<int>(random() % (type == T::kF16 ? 14 : 120)), reach = 1 + static_cast<int>(random() % 12);
      const bool positive = random() % 3 == 0;
      for (int64_t e = 0; e < value.element_count(); ++e) {
        double v = std::ldexp(1 + static_cast<double>(random() % 1000) / 1000, low + static_cast<int>(random() % static_cast<uint64_t>(reach)));
        if (random() % 9 == 0) v = 0;
        if (random() % 40 == 0) v = std::numeric_limits<double>::infinity();
        StoreScalar(Scalar::Float(type, positive || random() % 2 == 0 ? v : -v), value.mutable_data() + e * StorageBytes(type));
      }
      operands.push_back(value);
    }
    ElementTrace trace(p, operands);
    bool hit = false;
    trace.set_on_op([&](const Node& node, absl::Span<const Scalar> in, const Scalar& out, bool) { hit |= Has(ScalarHazard::kDenormal, node.op, node.type, node.aux, in, out, 0, nullptr); });
    for (int64_t e = 0; e < 9; ++e) trace.At(0, {e});
    const bool proof = NormalProof().Holds(p, operands);
    EXPECT_FALSE(proof && hit) << round;
    proven += proof;
    small += hit;
  }
  EXPECT_GT(proven, 1500);
  EXPECT_GT(small, 300);
}

}  // namespace
}  // namespace hloscope
