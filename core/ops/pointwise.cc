// The pointwise operations: those of pointwise.def, and below the few that are more than one scalar operation on equal types: complex,
// compare, clamp, select, convert, copy, reduce-precision. (Bitcast-convert and stochastic-convert: pointwise_convert.cc.)
#include "core/ops/pointwise.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "core/element/scalar_eval.h"
#include "core/ops/programs.h"
#include "core/ops/result_types.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

// Sets of kinds of element types.
enum TypeSet : uint8_t {
  kPred = 1,
  kInt = 2,
  kFloat = 4,
  kComplex = 8,
  kBits = kPred | kInt,
  kIntOrFloat = kInt | kFloat,
  kOrdered = kPred | kInt | kFloat,
  kFloatOrComplex = kFloat | kComplex,
  kNumber = kInt | kFloat | kComplex,
  kAnyType = kPred | kNumber,
};
enum ResultType : uint8_t { kSame, kReal, kPredicate };

struct Row {
  Opcode opcode;
  ScalarOp op;
  int arity;
  TypeSet types;
  ResultType result;
  absl::string_view summary, doc;
};

constexpr Row kRows[] = {
#define X(opcode, op, arity, types, result, summary, doc) {Opcode::opcode, ScalarOp::op, arity, types, result, summary, doc},
#include "core/ops/pointwise.def"
#undef X
};

// By opcode; null where the table has no row.
const Row* FindRow(Opcode opcode) {
  static const std::array<const Row*, kOpcodeCount> by_opcode = [] {
    std::array<const Row*, kOpcodeCount> rows = {};
    for (const Row& row : kRows) rows[static_cast<int>(row.opcode)] = &row;
    return rows;
  }();
  return by_opcode[static_cast<int>(opcode)];
}

TypeSet SetOf(ElementType type) {
  return IsPred(type) ? kPred : IsInteger(type) ? kInt : IsFloat(type) ? kFloat : kComplex;
}

std::string Text(TypeSet set) {
  std::string text;
  auto add = [&](TypeSet one, absl::string_view name) {
    if (set & one) absl::StrAppend(&text, text.empty() ? "" : " or ", name);
  };
  add(kPred, "pred");
  add(kInt, "integers");
  add(kFloat, "floats");
  add(kComplex, "complex numbers");
  return text;
}

std::optional<Shape> InferRow(ShapeContext& c) {
  const Row& row = *FindRow(c.instruction().opcode);
  if (!CheckArrayOperands(c, HLO_LABEL("pointwise.array"))) return std::nullopt;
  const Shape& operand = c.operand(0);
  if (row.arity == 2) {
    if (!CheckSameType(c, 1, 0, HLO_LABEL("pointwise.same-type"))) return std::nullopt;
    if (!CheckSameDimensions(c, 1, 0, HLO_LABEL("pointwise.same-dimensions"))) return std::nullopt;
  }
  const ElementType type = operand.element_type();
  if ((row.types & SetOf(type)) == 0) {
    return c.FailOperand(0, HLO_LABEL("pointwise.element-type"), absl::StrCat(Name(row.opcode), " takes ", Text(row.types), ", not ", Name(type)));
  }
  const Shape result = operand.has_dynamic_dimension() || (row.arity == 2 && c.operand(1).has_dynamic_dimension()) ? MergeDynamic(operand, c) : operand;
  if (row.result == kPredicate) return result.WithElementType(ElementType::kPred);
  if (row.result == kReal && IsComplex(type)) return result.WithElementType(RealTypeOf(type));
  return result;
}

// pred has no arithmetic of its own: sums and maxima are "or", products and minima "and".
ScalarOp OnPred(ScalarOp op) {
  if (op == ScalarOp::kAdd || op == ScalarOp::kMaximum) return ScalarOp::kOr;
  if (op == ScalarOp::kMultiply || op == ScalarOp::kMinimum) return ScalarOp::kAnd;
  return op;
}

// The program whose output is f(graph, elements at the output's index).
template <typename F>
absl::StatusOr<Program> Elementwise(const Instruction& instruction, F f) {
  Program program = PullProgram(instruction);
  const std::vector<NodeId> indices = OutputIndices(program);
  absl::InlinedVector<NodeId, 3> elements;
  for (size_t k = 0; k < program.operands.size(); ++k) {
    // A scalar beside arrays (select's predicate, clamp's bounds) is read at every index.
    const bool scalar = program.operands[k].rank() == 0;
    elements.push_back(LoadOperand(program, static_cast<int>(k), scalar ? absl::Span<const NodeId>() : absl::MakeConstSpan(indices)));
  }
  program.outputs[0].value = f(*program.graph, absl::MakeConstSpan(elements));
  return program;
}

absl::StatusOr<Program> ProgramOfRow(const Instruction& instruction) {
  const ScalarOp written = FindRow(instruction.opcode)->op;
  const ScalarOp op = IsPred(instruction.operands[0]->shape.element_type()) ? OnPred(written) : written;
  return Elementwise(instruction, [op](ExprGraph& graph, absl::Span<const NodeId> x) { return graph.Op(op, x); });
}

bool Always(const Instruction&) { return true; }

// -- complex --

std::optional<Shape> InferComplex(ShapeContext& c) {
  if (!CheckArrayOperands(c, HLO_LABEL("pointwise.array")) || !CheckSameType(c, 1, 0, HLO_LABEL("pointwise.same-type")) ||
      !CheckSameDimensions(c, 1, 0, HLO_LABEL("pointwise.same-dimensions"))) {
    return std::nullopt;
  }
  const ElementType type = c.operand(0).element_type();
  if (type != ElementType::kF32 && type != ElementType::kF64) {
    return c.FailOperand(0, HLO_LABEL("complex.element-type"), absl::StrCat("complex numbers are made of f32 or f64, not ", Name(type)));
  }
  return MergeDynamic(c.operand(0), c).WithElementType(type == ElementType::kF32 ? ElementType::kC64 : ElementType::kC128);
}

absl::StatusOr<Program> ProgramOfComplex(const Instruction& instruction) {
  return Elementwise(instruction, [](ExprGraph& graph, absl::Span<const NodeId> x) { return graph.Op(ScalarOp::kComplex, x); });
}

// -- compare --

struct Direction {
  absl::string_view name;
  ScalarOp op, total;
};
constexpr Direction kDirections[] = {
    {"EQ", ScalarOp::kEq, ScalarOp::kEqTotal}, {"NE", ScalarOp::kNe, ScalarOp::kNeTotal}, {"LT", ScalarOp::kLt, ScalarOp::kLtTotal},
    {"LE", ScalarOp::kLe, ScalarOp::kLeTotal}, {"GT", ScalarOp::kGt, ScalarOp::kGtTotal}, {"GE", ScalarOp::kGe, ScalarOp::kGeTotal},
};
const Direction* FindDirection(absl::string_view name) {
  for (const Direction& direction : kDirections) {
    if (direction.name == name) return &direction;
  }
  return nullptr;
}

bool IsEquality(const Instruction& compare) {
  const Direction* direction = FindDirection(compare.Text(AttrId::kDirection));
  return direction != nullptr && (direction->op == ScalarOp::kEq || direction->op == ScalarOp::kNe);
}

std::optional<Shape> InferCompare(ShapeContext& c) {
  if (!CheckArrayOperands(c, HLO_LABEL("pointwise.array")) || !CheckSameType(c, 1, 0, HLO_LABEL("pointwise.same-type")) ||
      !CheckSameDimensions(c, 1, 0, HLO_LABEL("pointwise.same-dimensions"))) {
    return std::nullopt;
  }
  const absl::string_view name = c.instruction().Text(AttrId::kDirection);
  const Direction* direction = FindDirection(name);
  if (direction == nullptr) {
    return c.FailAttribute(AttrId::kDirection, HLO_LABEL("compare.direction"), absl::StrCat("the direction must be one of EQ NE LT LE GT GE, not ", name));
  }
  const ElementType type = c.operand(0).element_type();
  if (IsComplex(type) && direction->op != ScalarOp::kEq && direction->op != ScalarOp::kNe) {
    return c.FailAttribute(AttrId::kDirection, HLO_LABEL("compare.complex-order"), "complex numbers have no order: only EQ and NE compare them");
  }
  const absl::string_view how = c.instruction().Text(AttrId::kType);
  if (!how.empty()) {
    const bool fits = how == "TOTALORDER" ? IsFloat(type)
                      : how == "FLOAT"    ? IsFloat(type) || IsComplex(type)
                      : how == "SIGNED"   ? IsSigned(type)
                      : how == "UNSIGNED" ? IsUnsigned(type) || IsPred(type)
                                          : false;
    if (!fits) return c.FailAttribute(AttrId::kType, HLO_LABEL("compare.type"), absl::StrCat("the comparison type ", how, " is not one for ", Name(type)));
  }
  if (!c.operand(0).has_dynamic_dimension() && !c.operand(1).has_dynamic_dimension() && c.written().IsArray() &&
      c.written().element_type() == ElementType::kPred && c.written().dimensions() == c.operand(0).dimensions()) {
    return c.written();  // the handle that is there already
  }
  return MergeDynamic(c.operand(0), c).WithElementType(ElementType::kPred);
}

absl::StatusOr<Program> ProgramOfCompare(const Instruction& instruction) {
  const Direction& direction = *FindDirection(instruction.Text(AttrId::kDirection));
  const bool total = instruction.Text(AttrId::kType) == "TOTALORDER";
  const ScalarOp op = total ? direction.total : direction.op;
  return Elementwise(instruction, [op](ExprGraph& graph, absl::Span<const NodeId> x) { return graph.Op(op, x); });
}

// -- clamp, select --

std::optional<Shape> InferClamp(ShapeContext& c) {
  if (!CheckArrayOperands(c, HLO_LABEL("pointwise.array"))) return std::nullopt;
  for (int k : {0, 2}) {
    if (!CheckSameType(c, k, 1, HLO_LABEL("pointwise.same-type"))) return std::nullopt;
    if (c.operand(k).rank() == 0 || c.operand(k).dimensions() == c.operand(1).dimensions()) continue;
    return c.FailOperand(k, HLO_LABEL("clamp.bounds"),
                         absl::StrCat("a bound is a scalar or has the dimensions ", DimensionsText(c.operand(1).dimensions()), " of what is clamped, not ",
                                      DimensionsText(c.operand(k).dimensions())));
  }
  const ElementType type = c.operand(1).element_type();
  if (IsComplex(type)) return c.FailOperand(1, HLO_LABEL("clamp.element-type"), absl::StrCat("clamp needs ordered numbers, not ", Name(type)));
  return MergeDynamic(c.operand(1), c);
}

absl::StatusOr<Program> ProgramOfClamp(const Instruction& instruction) {
  const bool pred = IsPred(instruction.shape.element_type());
  return Elementwise(instruction, [pred](ExprGraph& graph, absl::Span<const NodeId> x) {
    const NodeId low = graph.Binary(pred ? ScalarOp::kOr : ScalarOp::kMaximum, x[0], x[1]);
    return graph.Binary(pred ? ScalarOp::kAnd : ScalarOp::kMinimum, low, x[2]);
  });
}

std::optional<Shape> InferSelect(ShapeContext& c) {
  const Shape& pred = c.operand(0);
  if (!pred.IsArray() || pred.element_type() != ElementType::kPred) {
    return c.FailOperand(0, HLO_LABEL("select.predicate"), absl::StrCat("what select decides on must be pred, not ", pred.ToString(false)));
  }
  if (!SameUpToDynamic(c.operand(1), c.operand(2))) {
    return c.FailOperand(2, HLO_LABEL("select.same-arms"),
                         absl::StrCat("both arms must have one shape, not ", c.operand(1).ToString(false), " and ", c.operand(2).ToString(false)));
  }
  if (pred.rank() != 0 && (!c.operand(1).IsArray() || pred.dimensions() != c.operand(1).dimensions())) {
    return c.FailOperand(0, HLO_LABEL("select.predicate-dimensions"),
                         absl::StrCat("the predicate is a scalar or has the dimensions of the arms ", c.operand(1).ToString(false), ", not ",
                                      DimensionsText(pred.dimensions())));
  }
  return c.operand(1).IsArray() ? MergeDynamic(c.operand(1), c) : c.operand(1);
}

absl::StatusOr<Program> ProgramOfSelect(const Instruction& instruction) {
  if (!instruction.shape.IsArray()) return absl::UnimplementedError("a select between tuples has no element program");
  return Elementwise(instruction, [](ExprGraph& graph, absl::Span<const NodeId> x) { return graph.Select(x[0], x[1], x[2]); });
}

absl::StatusOr<Value> EvaluateSelect(const EvalContext& c) {
  if (c.operands[0].shape().rank() != 0) return absl::UnimplementedError("select is evaluated as a whole only with a scalar predicate");
  return c.operands[LoadScalar(ElementType::kPred, c.operands[0].data()).i != 0 ? 1 : 2];
}

// -- convert, copy, reduce-precision --

std::optional<Shape> InferConvert(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("pointwise.array"))) return std::nullopt;
  if (c.instruction().shape_omitted) return std::nullopt;
  if (!c.written().IsArray()) {
    return c.Fail(HLO_LABEL("convert.result"), absl::StrCat("convert makes an array, not ", c.written().ToString(false)));
  }
  if (IsComplex(c.operand(0).element_type()) && !IsComplex(c.written().element_type())) {
    return c.FailOperand(0, HLO_LABEL("convert.complex-to-real"),
                         absl::StrCat("a complex number does not convert to ", Name(c.written().element_type())), "take its real or imag");
  }
  if (c.written().dimensions() == c.operand(0).dimensions()) return c.written();
  return c.operand(0).WithElementType(c.written().element_type());
}

absl::StatusOr<Program> ProgramOfConvert(const Instruction& instruction) {
  const ElementType to = instruction.shape.element_type();
  return Elementwise(instruction, [to](ExprGraph& graph, absl::Span<const NodeId> x) { return graph.Convert(to, x[0]); });
}

std::optional<Shape> InferCopy(ShapeContext& c) { return c.operand(0); }

absl::StatusOr<Program> ProgramOfCopy(const Instruction& instruction) {
  if (!instruction.shape.IsArray()) return absl::UnimplementedError("a copy of a tuple has no element program");
  return Elementwise(instruction, [](ExprGraph&, absl::Span<const NodeId> x) { return x[0]; });
}

absl::StatusOr<Value> EvaluateCopy(const EvalContext& c) { return c.operands[0]; }

std::optional<Shape> InferReducePrecision(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("pointwise.array"))) return std::nullopt;
  const ElementType type = c.operand(0).element_type();
  if (!IsFloat(type)) return c.FailOperand(0, HLO_LABEL("reduce-precision.element-type"), absl::StrCat("only floats have a precision, not ", Name(type)));
  const int64_t exponent = c.instruction().Int(AttrId::kExponentBits), mantissa = c.instruction().Int(AttrId::kMantissaBits);
  if (exponent < 1 || exponent > 255) {
    return c.FailAttribute(AttrId::kExponentBits, HLO_LABEL("reduce-precision.exponent-bits"), absl::StrCat("exponent_bits must be at least 1, not ", exponent));
  }
  if (mantissa < 0 || mantissa > 255) {
    return c.FailAttribute(AttrId::kMantissaBits, HLO_LABEL("reduce-precision.mantissa-bits"), absl::StrCat("mantissa_bits must be at least 0, not ", mantissa));
  }
  return c.operand(0);
}

absl::StatusOr<Program> ProgramOfReducePrecision(const Instruction& instruction) {
  const int exponent = static_cast<int>(instruction.Int(AttrId::kExponentBits));
  const int mantissa = static_cast<int>(instruction.Int(AttrId::kMantissaBits));
  return Elementwise(instruction, [=](ExprGraph& graph, absl::Span<const NodeId> x) { return graph.ReducePrecision(x[0], exponent, mantissa); });
}

OpDef& DefineOne(OpRegistry& registry, Opcode opcode, int arity, std::optional<Shape> (*infer)(ShapeContext&),
                 absl::StatusOr<Program> (*program)(const Instruction&), absl::string_view summary, absl::string_view doc) {
  OpDef& def = registry.Define(opcode);
  def.op_class = OpClass::kPull;
  def.movement = Movement::kCompute;
  def.min_operands = def.max_operands = arity;
  def.infer = infer;
  def.program = program;
  def.summary = summary;
  def.doc = doc;
  def.spec = "operations.md: Elementwise";
  return def;
}

}  // namespace

bool MayGive(Opcode opcode, ElementType result) {
  if (opcode == Opcode::kCompare) return SetOf(result) == kPred;
  if (opcode == Opcode::kComplex) return IsComplex(result);
  const Row* row = FindRow(opcode);
  if (row == nullptr) return true;
  switch (row->result) {
    case kSame: return (row->types & SetOf(result)) != 0;
    case kReal: return SetOf(result) == kFloat || (row->types & SetOf(result) & kInt) != 0;
    case kPredicate: return SetOf(result) == kPred;
  }
  return true;
}

void DefinePointwise(OpRegistry& registry) {
  for (const Row& row : kRows) {
    OpDef& def = DefineOne(registry, row.opcode, row.arity, InferRow, ProgramOfRow, row.summary, row.doc);
    if (row.arity == 2 && (IsReassociable(row.op) || row.op == ScalarOp::kMulhi)) def.commutes = Always;
  }

  DefineOne(registry, Opcode::kComplex, 2, InferComplex, ProgramOfComplex, "a complex number of a real and an imaginary part",
            "Two `f32` make a `c64`, two `f64` a `c128`.");

  OpDef& compare = DefineOne(registry, Opcode::kCompare, 2, InferCompare, ProgramOfCompare, "whether the comparison holds",
                             "`direction` is EQ, NE, LT, LE, GT or GE. Floats compare as IEEE 754 says (NaN differs from everything, -0 equals 0) "
                             "unless `type=TOTALORDER`: then -NaN < -inf < negative < -0 < +0 < positive < +inf < NaN.");
  compare.commutes = IsEquality;
  compare.attributes = {{AttrId::kDirection, true}, {AttrId::kType}};

  DefineOne(registry, Opcode::kClamp, 3, InferClamp, ProgramOfClamp, "the middle operand, kept between the first and the last",
            "`min(max(low, x), high)`; each bound is a scalar or an array of the same dimensions. When low exceeds high, high wins.");

  OpDef& select = DefineOne(registry, Opcode::kSelect, 3, InferSelect, ProgramOfSelect, "one of two elements, as a predicate says",
                            "The predicate is a scalar or has the dimensions of the arms; the arm not chosen is not read. With a scalar predicate "
                            "the arms may be tuples.");
  select.movement = Movement::kCompute;
  select.evaluate = EvaluateSelect;

  DefineOne(registry, Opcode::kConvert, 1, InferConvert, ProgramOfConvert, "the same numbers in another element type",
            "Rounds once, to nearest even. A float becomes an integer by cutting off the fraction; it saturates, and NaN becomes 0. Integers wrap. "
            "To `pred` it asks whether the number differs from 0.");

  OpDef& copy = DefineOne(registry, Opcode::kCopy, 1, InferCopy, ProgramOfCopy, "the operand again", "Often there to change the layout.");
  copy.movement = Movement::kMove;
  copy.evaluate = EvaluateCopy;

  OpDef& precision = DefineOne(registry, Opcode::kReducePrecision, 1, InferReducePrecision, ProgramOfReducePrecision,
                               "rounded to fewer exponent and mantissa bits, in the same type",
                               "Rounds to nearest even at `mantissa_bits`; what `exponent_bits` cannot hold becomes infinity or zero; NaN stays. "
                               "More bits than the type has change nothing.");
  precision.attributes = {{AttrId::kExponentBits, true}, {AttrId::kMantissaBits, true}};

  DefinePointwiseConversions(registry);
}

}  // namespace hloscope
