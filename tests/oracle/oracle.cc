// The oracle's evaluator: computations, control flow, and which file has the operation. See oracle.h.
#include "tests/oracle/oracle.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/oracle/run_sizes.h"
#include "tests/oracle/scalars.h"

namespace hloscope::oracle {
namespace {

Direction DirectionOf(absl::string_view word) {
  if (word == "EQ") return Direction::kEq;
  if (word == "NE") return Direction::kNe;
  if (word == "GE") return Direction::kGe;
  if (word == "GT") return Direction::kGt;
  return word == "LE" ? Direction::kLe : Direction::kLt;
}

// Elementwise operations. A scalar operand beside arrays stands for all its elements (clamp, select).
absl::StatusOr<Array> Elementwise(const Instruction& instruction, Operands operands) {
  const Opcode op = instruction.opcode;
  if (op == Opcode::kSelect && operands[0]->shape.rank() == 0) {
    const Number& p = operands[0]->elements[0];
    Array out = p.i != 0 ? *operands[1] : *operands[2];
    out.shape = instruction.shape;
    if (p.unknown()) SetUnknown(out);
    return out;
  }
  if (!IsUnary(op) && !IsBinary(op) && op != Opcode::kCompare && op != Opcode::kClamp && op != Opcode::kSelect && op != Opcode::kConvert &&
      op != Opcode::kReducePrecision && op != Opcode::kStochasticConvert) {
    return absl::NotFoundError("not elementwise");
  }
  Array out(instruction.shape);
  auto at = [&](int k, int64_t e) -> const Number& { return operands[k]->elements[operands[k]->shape.rank() == 0 ? 0 : e]; };
  for (int64_t e = 0; e < out.size(); ++e) {
    Number& r = out.elements[e];
    const ElementType type = operands.empty() ? out.type() : operands[0]->type();
    if (IsUnary(op)) {
      r = Unary(op, type, at(0, e));
    } else if (IsBinary(op)) {
      r = Binary(op, type, at(0, e), at(1, e));
    } else {
      switch (op) {
        case Opcode::kCompare:
          r = Compare(DirectionOf(instruction.Text(AttrId::kDirection)), instruction.Text(AttrId::kType) == "TOTALORDER", type, at(0, e), at(1, e));
          break;
        case Opcode::kClamp: r = Clamp(out.type(), at(0, e), at(1, e), at(2, e)); break;
        case Opcode::kSelect: r = at(0, e).unknown() ? Unknown() : at(0, e).i != 0 ? at(1, e) : at(2, e); break;
        case Opcode::kConvert: r = Convert(type, out.type(), at(0, e)); break;
        case Opcode::kReducePrecision:
          r = ReducePrecision(type, at(0, e), static_cast<int>(instruction.Int(AttrId::kExponentBits)),
                              static_cast<int>(instruction.Int(AttrId::kMantissaBits)));
          break;
        case Opcode::kStochasticConvert: r = StochasticConvert(type, out.type(), operands[1]->type(), at(0, e), at(1, e)); break;
        default: return absl::NotFoundError("not elementwise");
      }
    }
  }
  return out;
}

class Evaluator : public Caller {
 public:
  explicit Evaluator(const Options& options) : outside_(options), left_(options.max_steps) {}

  absl::StatusOr<Array> Call(const Computation& computation, std::vector<Array> arguments) override {
    std::vector<Array> values(computation.schedule.size());
    for (const Instruction* i : computation.schedule) {
      if (--left_ < 0) return absl::ResourceExhaustedError("the program runs too long for the oracle");
      if (i->opcode == Opcode::kParameter) {
        values[i->index] = arguments[i->parameter_number];
        continue;
      }
      std::vector<const Array*> operands;
      for (const Instruction* o : i->operands) operands.push_back(&values[o->index]);
      absl::StatusOr<Array> value = Execute(*i, operands);
      if (!value.ok()) return absl::Status(value.status().code(), absl::StrCat(i->name, ": ", value.status().message()));
      values[i->index] = *std::move(value);
    }
    return std::move(values[computation.root->index]);
  }

 private:
  absl::StatusOr<Array> Execute(const Instruction& i, Operands operands) {
    if (i.opcode == Opcode::kSetDimensionSize) return SetDimensionSize(i, operands);
    if (i.opcode == Opcode::kDynamicReshape) return DynamicReshape(i, operands);
    if (HasBounds(i) && !PassesShapes(i.opcode)) {
      const absl::StatusOr<OfThisRun> run = SizesOfThisRun(i, operands);
      if (!run.ok()) return run.status();
      std::vector<const Array*> cut;
      for (const Array& a : run->operands) cut.push_back(&a);
      return ExecuteStatic(*run->instruction, cut);
    }
    return ExecuteStatic(i, operands);
  }
  // What takes any value and hands it on, whatever its sizes.
  static bool PassesShapes(Opcode op) {
    switch (op) {
      case Opcode::kTuple: case Opcode::kGetTupleElement: case Opcode::kCall: case Opcode::kFusion: case Opcode::kWhile: case Opcode::kConditional:
      case Opcode::kAsyncStart: case Opcode::kAsyncDone: case Opcode::kGetDimensionSize: case Opcode::kOutfeed: return true;
      default: return false;
    }
  }

  absl::StatusOr<Array> ExecuteStatic(const Instruction& i, Operands operands) {
    absl::StatusOr<Array> r = Structural(i, operands);
    if (absl::IsNotFound(r.status())) r = Outside(i, operands);
    if (absl::IsNotFound(r.status())) r = Collective(i, operands);
    if (absl::IsNotFound(r.status())) r = Elementwise(i, operands);
    if (absl::IsNotFound(r.status())) r = MoveData(i, operands, *this);
    if (absl::IsNotFound(r.status())) r = FoldData(i, operands, *this);
    if (absl::IsNotFound(r.status())) r = MultiplyData(i, operands);
    if (absl::IsNotFound(r.status())) r = LinearAlgebra(i, operands);
    if (absl::IsNotFound(r.status())) r = RandomBits(i, operands);
    if (absl::IsNotFound(r.status())) return absl::UnimplementedError(absl::StrCat("the oracle has no ", std::string(Name(i.opcode))));
    return r;
  }

  static std::vector<Array> Copies(Operands operands) {
    std::vector<Array> copies;
    for (const Array* o : operands) copies.push_back(*o);
    return copies;
  }

  absl::StatusOr<Array> Structural(const Instruction& i, Operands operands) {
    switch (i.opcode) {
      case Opcode::kConstant:
        if (i.literal == nullptr || !i.literal->value.has_value()) return absl::UnimplementedError("an elided constant");
        return FromValue(i.literal->value);
      case Opcode::kTuple: return MakeTuple(i.shape, Copies(operands));
      case Opcode::kGetTupleElement: return operands[0]->parts[i.Int(AttrId::kIndex)];
      case Opcode::kCopy:
      case Opcode::kOptBarrier:
      case Opcode::kAddDependency:
      case Opcode::kDomain:
      case Opcode::kAsyncUpdate: {
        Array out = *operands[0];
        out.shape = i.shape;
        return out;
      }
      case Opcode::kAfterAll: return Array(i.shape);
      case Opcode::kCall:
      case Opcode::kFusion: return Call(*i.CalledComputations()[0], Copies(operands));
      case Opcode::kWhile: return While(i, *operands[0]);
      case Opcode::kConditional: return Conditional(i, operands);
      case Opcode::kAsyncStart: {
        auto result = Call(*i.CalledComputations()[0], Copies(operands));
        if (!result.ok()) return result;
        Array out(i.shape);
        out.parts[0] = MakeTuple(i.shape.tuple_shapes()[0], Copies(operands));
        out.parts[1] = *std::move(result);
        return out;
      }
      case Opcode::kAsyncDone: return operands[0]->parts[1];
      case Opcode::kCopyStart: {
        Array out(i.shape);
        out.parts[0] = out.parts[1] = *operands[0];
        return out;
      }
      case Opcode::kCopyDone: return operands[0]->parts[0];
      case Opcode::kGetDimensionSize: {
        const int64_t d = i.Has(AttrId::kDimensions) && !i.Ints(AttrId::kDimensions).empty() ? i.Ints(AttrId::kDimensions)[0] : i.Int(AttrId::kDimension);
        return ScalarArray(ElementType::kS32, Int(operands[0]->shape.dim(static_cast<int>(d))));
      }
      default: return absl::NotFoundError("not structural");
    }
  }

  // Infeed, outfeed, and the custom calls that have a meaning: annotations, the largest elements, and what the options know.
  absl::StatusOr<Array> Outside(const Instruction& i, Operands operands) {
    switch (i.opcode) {
      case Opcode::kInfeed: {
        if (!outside_.infeed) return absl::UnimplementedError("no infeed");
        return MakeTuple(i.shape, {FromValue(outside_.infeed(i.shape.tuple_shapes()[0])), Array(Shape::Token())});
      }
      case Opcode::kOutfeed:
        if (outside_.outfeed == nullptr) return absl::UnimplementedError("no outfeed");
        outside_.outfeed->push_back(*operands[0]);
        return Array(Shape::Token());
      case Opcode::kCustomCall: break;
      default: return absl::NotFoundError("of this program");
    }
    const absl::string_view target = i.Text(AttrId::kCustomCallTarget);
    if (outside_.custom_call) {
      absl::StatusOr<Array> r = outside_.custom_call(i, operands);
      if (!absl::IsNotFound(r.status())) return r;
    }
    if (target == "TopK") return TopK(i, *operands[0], operands[0]->shape.rank() == 0 ? 0 : i.shape.tuple_shapes()[0].dim(operands[0]->shape.rank() - 1), true);
    if (target.substr(0, 6) == "check.") return Array(i.shape);
    for (absl::string_view annotation : {"Sharding", "LayoutConstraint", "MoveToHost", "MoveToDevice", "annotate_device_placement", "SPMDFullToShardShape"}) {
      if (target != annotation) continue;
      if (operands.size() != 1) return MakeTuple(i.shape, Copies(operands));
      Array out = *operands[0];
      out.shape = i.shape;
      return out;
    }
    return absl::UnimplementedError(absl::StrCat("the custom call ", std::string(target)));
  }

  absl::StatusOr<Array> While(const Instruction& i, const Array& init) {
    Array state = init;
    while (true) {
      auto go = Call(*i.Called(AttrId::kCondition), {state});
      if (!go.ok()) return go;
      if (go->elements[0].unknown()) return absl::AbortedError("the loop's condition is undecided");
      if (go->elements[0].i == 0) return state;
      auto next = Call(*i.Called(AttrId::kBody), {std::move(state)});
      if (!next.ok()) return next;
      state = *std::move(next);
    }
  }

  absl::StatusOr<Array> Conditional(const Instruction& i, Operands operands) {
    const Number& selector = operands[0]->elements[0];
    if (selector.unknown()) return absl::AbortedError("the branch is undecided");
    std::vector<Computation*> branches;
    if (i.Has(AttrId::kTrueComputation)) {
      branches = {i.Called(AttrId::kTrueComputation), i.Called(AttrId::kFalseComputation)};
    } else {
      branches = i.CalledComputations();
    }
    size_t branch;
    if (IsPred(operands[0]->type())) {
      branch = selector.i != 0 ? 0 : 1;
    } else {
      branch = selector.i < 0 || selector.i >= static_cast<int64_t>(branches.size()) ? branches.size() - 1 : static_cast<size_t>(selector.i);
    }
    return Call(*branches[branch], {*operands[1 + branch]});
  }

  // One replica: a group of one.
  absl::StatusOr<Array> Collective(const Instruction& i, Operands operands) {
    switch (i.opcode) {
      case Opcode::kReplicaId:
      case Opcode::kPartitionId: return Array(i.shape);
      case Opcode::kAllGather:
      case Opcode::kAllReduce:
      case Opcode::kAllToAll:
      case Opcode::kReduceScatter:
      case Opcode::kCollectiveBroadcast:
      case Opcode::kAllReduceStart:
        if (!i.shape.IsTuple()) {
          Array out = *operands[0];
          if (!Shape::Compatible(out.shape, i.shape)) return absl::UnimplementedError("a group of more than one replica");
          out.shape = i.shape;
          return out;
        }
        for (size_t k = 0; k < operands.size(); ++k) {
          if (i.shape.tuple_shapes().size() != operands.size() || !Shape::Compatible(operands[k]->shape, i.shape.tuple_shapes()[k]))
            return absl::UnimplementedError("a group of more than one replica");
        }
        return MakeTuple(i.shape, Copies(operands));
      case Opcode::kAllReduceDone: return *operands[0];
      case Opcode::kAllGatherDone:
      case Opcode::kCollectivePermuteDone: return operands[0]->parts[1];
      case Opcode::kAllGatherStart: {
        Array out(i.shape);
        out.parts[0] = out.parts[1] = *operands[0];
        return out;
      }
      case Opcode::kCollectivePermute:
      case Opcode::kCollectivePermuteStart: {
        bool to_itself = false;
        if (const Attribute* pairs = i.Find(AttrId::kSourceTargetPairs)) {
          for (const auto& [source, target] : std::get<std::vector<std::pair<int64_t, int64_t>>>(pairs->value)) {
            to_itself |= source == 0 && target == 0;
          }
        }
        Array moved = to_itself ? *operands[0] : Array(operands[0]->shape);
        if (i.opcode == Opcode::kCollectivePermute) return moved;
        Array out(i.shape);
        out.parts[0] = *operands[0];
        out.parts[1] = std::move(moved);
        return out;
      }
      default: return absl::NotFoundError("not a collective");
    }
  }

  const Options& outside_;
  int64_t left_;
};

bool Agrees(ElementType type, const Number& want, const Number& got) {
  if (IsComplex(type)) {
    const ElementType r = RealTypeOf(type);
    return Agrees(r, Real(want.re, want.error), Real(got.re)) && Agrees(r, Real(want.im, want.error), Real(got.im));
  }
  if (!IsFloat(type)) return want.i == got.i;
  if (std::isnan(want.re) || std::isnan(got.re)) return std::isnan(want.re) && std::isnan(got.re);
  if (want.error == 0) return want.re == got.re && std::signbit(want.re) == std::signbit(got.re);
  return want.re == got.re || std::abs(want.re - got.re) <= want.error;
}

void CompareInto(const Array& expected, const Value& got, const std::string& where, Comparison& c) {
  // A tuple's elements have the sizes of the run, its written shape may have bounds.
  const bool alike = expected.shape.IsTuple() && got.shape().IsTuple() ? expected.parts.size() == got.elements().size()
                                                                     : Shape::Compatible(expected.shape.WithoutLayouts(), got.shape().WithoutLayouts());
  if (!alike) {
    if (c.ok()) c.difference = absl::StrCat(where, "shape ", got.shape().ToString(), " instead of ", expected.shape.ToString());
    return;
  }
  if (expected.shape.IsTuple()) {
    for (size_t k = 0; k < expected.parts.size(); ++k) CompareInto(expected.parts[k], got.elements()[k], absl::StrCat(where, "{", k, "}"), c);
    return;
  }
  if (!expected.shape.IsArray()) return;
  const Array other = FromValue(got);
  const ElementType type = expected.type();
  ForEach(expected.shape.dimensions(), [&](const Index& at) {
    const Number& want = expected.at(at);
    if (want.unknown()) {
      ++c.unknown;
      return;
    }
    ++c.compared;
    if (want.error == 0) ++c.exact;
    if (c.ok() && !Agrees(type, want, other.at(at)))
      c.difference = absl::StrCat(where, "[", absl::StrJoin(at, ","), "]: ", Show(type, other.at(at)), ", expected ", Show(type, want));
  });
}

}  // namespace

absl::StatusOr<Array> Evaluate(const Module& module, const std::vector<Value>& arguments, const Options& options) {
  std::vector<Array> arrays;
  for (const Value& v : arguments) arrays.push_back(FromValue(v));
  return Evaluator(options).Call(*module.entry, std::move(arrays));
}

absl::StatusOr<std::vector<Value>> OracleRun(const Module& module, const std::vector<Value>& arguments) {
  auto result = Evaluate(module, arguments);
  if (!result.ok()) return result.status();
  const Value value = ToValue(*result);
  if (!value.shape().IsTuple()) return std::vector<Value>{value};
  return std::vector<Value>(value.elements().begin(), value.elements().end());
}

Comparison CompareWith(const Array& expected, const Value& got) {
  Comparison c;
  CompareInto(expected, got, "", c);
  return c;
}

}  // namespace hloscope::oracle
