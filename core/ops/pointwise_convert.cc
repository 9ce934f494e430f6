// Bitcast-convert (the same bits in another element type, also of another width) and stochastic-convert (rounding by given random bits).
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/ops/pointwise.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

// The unsigned type of a width of bits.
ElementType UnsignedOf(int bits) {
  switch (bits) {
    case 1: return ElementType::kU1;
    case 2: return ElementType::kU2;
    case 4: return ElementType::kU4;
    case 8: return ElementType::kU8;
    case 16: return ElementType::kU16;
    case 32: return ElementType::kU32;
    default: return ElementType::kU64;
  }
}

std::optional<Shape> InferBitcastConvert(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("pointwise.array"))) return std::nullopt;
  if (c.instruction().shape_omitted) return std::nullopt;
  if (!c.written().IsArray()) {
    return c.Fail(HLO_LABEL("bitcast-convert.result"), absl::StrCat("bitcast-convert makes an array, not ", c.written().ToString(false)));
  }
  const ElementType from = c.operand(0).element_type(), to = c.written().element_type();
  if (IsComplex(from) != IsComplex(to)) {
    return c.FailOperand(0, HLO_LABEL("bitcast-convert.complex"), absl::StrCat("bits do not pass between ", Name(from), " and ", Name(to)));
  }
  if (IsComplex(from) && from != to) {
    return c.FailOperand(0, HLO_LABEL("bitcast-convert.complex-width"), absl::StrCat("bits do not pass between ", Name(from), " and ", Name(to)));
  }
  const int from_bits = BitWidth(from), to_bits = BitWidth(to);
  if (from_bits == to_bits) return c.operand(0).WithElementType(to);
  const absl::Span<const int64_t> dimensions = c.operand(0).dimensions();
  std::vector<int64_t> result(dimensions.begin(), dimensions.end());
  if (from_bits > to_bits) {
    result.push_back(from_bits / to_bits);
    return Shape::Array(to, result);
  }
  const int64_t ratio = to_bits / from_bits;
  if (dimensions.empty() || dimensions.back() != ratio) {
    return c.FailOperand(0, HLO_LABEL("bitcast-convert.last-dimension"),
                         absl::StrCat(ratio, " elements of ", Name(from), " make one ", Name(to), ", so the last dimension must be ", ratio, ", not ",
                                      dimensions.empty() ? std::string("absent") : absl::StrCat(dimensions.back())));
  }
  result.pop_back();
  return Shape::Array(to, result);
}

absl::StatusOr<Program> ProgramOfBitcastConvert(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  ExprGraph& graph = *program.graph;
  std::vector<NodeId> indices = OutputIndices(program);
  const ElementType from = program.operands[0].element_type(), to = instruction.shape.element_type();
  const int from_bits = BitWidth(from), to_bits = BitWidth(to);
  NodeId& value = program.outputs[0].value;
  if (from == to) {
    value = LoadOperand(program, 0, indices);
  } else if (from_bits == to_bits) {
    value = graph.Bitcast(to, LoadOperand(program, 0, indices));
  } else if (from_bits > to_bits) {  // one element's bits are dealt out, the lowest first
    const NodeId part = indices.back();
    indices.pop_back();
    const ElementType wide = UnsignedOf(from_bits), narrow = UnsignedOf(to_bits);
    const NodeId bits = graph.Bitcast(wide, LoadOperand(program, 0, indices));
    const NodeId shift = graph.Convert(wide, graph.Mul(part, graph.IndexConstant(to_bits)));
    value = graph.Bitcast(to, graph.Convert(narrow, graph.Binary(ScalarOp::kShiftRightLogical, bits, shift)));
  } else {  // the bits of several elements are put together
    const ElementType wide = UnsignedOf(to_bits), narrow = UnsignedOf(from_bits);
    indices.push_back(kNoNode);
    NodeId all = kNoNode;
    for (int k = 0; k < to_bits / from_bits; ++k) {
      indices.back() = graph.IndexConstant(k);
      NodeId part = graph.Convert(wide, graph.Bitcast(narrow, LoadOperand(program, 0, indices)));
      part = graph.Binary(ScalarOp::kShiftLeft, part, graph.Constant(Scalar::Int(wide, int64_t{k} * from_bits)));
      all = all == kNoNode ? part : graph.Binary(ScalarOp::kOr, all, part);
    }
    value = graph.Bitcast(to, all);
  }
  return program;
}

std::optional<Shape> InferStochasticConvert(ShapeContext& c) {
  if (!CheckArrayOperands(c, HLO_LABEL("pointwise.array")) || !CheckSameDimensions(c, 1, 0, HLO_LABEL("pointwise.same-dimensions"))) return std::nullopt;
  if (c.instruction().shape_omitted) return std::nullopt;
  const ElementType from = c.operand(0).element_type(), random = c.operand(1).element_type();
  if (!IsFloat(from)) {
    return c.FailOperand(0, HLO_LABEL("stochastic-convert.operand"), absl::StrCat("only floats are rounded, not ", Name(from)));
  }
  if (!IsUnsigned(random) || BitWidth(random) != BitWidth(from)) {
    return c.FailOperand(1, HLO_LABEL("stochastic-convert.random"),
                         absl::StrCat("the random bits must be unsigned integers of the operand's ", BitWidth(from), " bits, not ", Name(random)));
  }
  if (!c.written().IsArray() || !(IsSigned(c.written().element_type()) || IsFloat(c.written().element_type()))) {
    return c.Fail(HLO_LABEL("stochastic-convert.result"), absl::StrCat("the result must be of signed integers or floats, not ", c.written().ToString(false)));
  }
  return c.operand(0).WithElementType(c.written().element_type());
}

// Rounds the magnitude up exactly when the random number, as a fraction of its range, lies below the fraction that would be cut off.
absl::StatusOr<Program> ProgramOfStochasticConvert(const Instruction& instruction) {
  if (!IsSigned(instruction.shape.element_type())) {
    return absl::UnimplementedError("stochastic-convert to a float type is not executed yet");
  }
  Program program = PullProgram(instruction);
  ExprGraph& graph = *program.graph;
  const std::vector<NodeId> indices = OutputIndices(program);
  const NodeId x = LoadOperand(program, 0, indices), random = LoadOperand(program, 1, indices);
  const ElementType from = program.operands[0].element_type(), random_type = program.operands[1].element_type();
  auto constant = [&](double v) { return graph.Constant(Scalar::Float(from, v)); };

  const NodeId magnitude = graph.Unary(ScalarOp::kAbs, x);
  const NodeId whole = graph.Unary(ScalarOp::kFloor, magnitude);
  const NodeId fraction = graph.Convert(ElementType::kF64, graph.Binary(ScalarOp::kSubtract, magnitude, whole));
  const NodeId range = graph.Constant(Scalar::Float(ElementType::kF64, std::ldexp(1.0, BitWidth(random_type))));
  const NodeId threshold = graph.Convert(random_type, graph.Binary(ScalarOp::kMultiply, fraction, range));
  const NodeId up = graph.Binary(ScalarOp::kLt, random, threshold);
  const NodeId rounded = graph.Select(up, graph.Binary(ScalarOp::kAdd, whole, constant(1)), whole);
  const NodeId signed_result = graph.Select(graph.Binary(ScalarOp::kLt, x, constant(0)), graph.Unary(ScalarOp::kNegate, rounded), rounded);
  // Infinity less infinity is NaN, whose threshold is 0: infinities keep their magnitude and saturate, NaN becomes 0.
  program.outputs[0].value = graph.Convert(instruction.shape.element_type(), signed_result);
  return program;
}

}  // namespace

void DefinePointwiseConversions(OpRegistry& registry) {
  OpDef& bitcast = registry.Define(Opcode::kBitcastConvert);
  bitcast.min_operands = bitcast.max_operands = 1;
  bitcast.infer = InferBitcastConvert;
  bitcast.program = ProgramOfBitcastConvert;
  bitcast.summary = "the same bits read as another element type";
  bitcast.doc =
      "A narrower type adds a last dimension over the parts of an element, the lowest bits first; a wider type uses up a last dimension of "
      "just that size.";
  bitcast.spec = "operations.md: Elementwise";

  OpDef& stochastic = registry.Define(Opcode::kStochasticConvert);
  stochastic.min_operands = stochastic.max_operands = 2;
  stochastic.infer = InferStochasticConvert;
  stochastic.program = ProgramOfStochasticConvert;
  stochastic.summary = "floats rounded up or down by chance, as given random bits say";
  stochastic.doc =
      "The second operand holds uniform random bits, as wide as the first one's type. A magnitude with fraction f rounds up when the bits, "
      "read as a fraction of their range, are below f.";
  stochastic.spec = "operations.md: Elementwise";
}

}  // namespace hloscope
