// Bitcast-convert (the same bits in another element type, also of another width) and stochastic-convert (rounding by given random bits).
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/ops/bits.h"
#include "core/ops/pointwise.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

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
  const int from_bits = BitWidth(from), to_bits = BitWidth(to);
  if (!WidthsFit(from, to)) {
    return c.FailOperand(0, HLO_LABEL("bitcast-convert.width"), absl::StrCat("neither of ", Name(from), " and ", Name(to), " is made of whole elements of the other"));
  }
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
  } else if (IsComplex(from)) {  // c64 and c128: two of one make one of the other
    const absl::Span<const int64_t> from_dimensions = program.operands[0].dimensions();
    value = ReadBitsAs(graph, to, Linearize(graph, instruction.shape.dimensions(), indices), from,
                       [&](NodeId n) { return LoadOperand(program, 0, Delinearize(graph, from_dimensions, n)); });
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
  if (const int bits = BitWidth(c.written().element_type()); (bits & (bits - 1)) != 0) {
    return c.Fail(HLO_LABEL("stochastic-convert.width"), absl::StrCat("the result's width must be a power of two, ", Name(c.written().element_type()), " has ", bits, " bits"));
  }
  return c.operand(0).WithElementType(c.written().element_type());
}

// Rounds the magnitude up exactly when the random number, as a fraction of its range, lies below the fraction that would be cut off.
NodeId RoundUpByChance(ExprGraph& graph, NodeId fraction, NodeId random) {
  const ElementType random_type = graph.node(random).type;
  const NodeId range = graph.Constant(Scalar::Float(ElementType::kF64, std::ldexp(1.0, BitWidth(random_type))));
  const NodeId threshold = graph.Convert(random_type, graph.Binary(ScalarOp::kMultiply, fraction, range));
  return graph.Binary(ScalarOp::kLt, random, threshold);
}

// In f64: the next whole number may be beyond the largest of a narrow type (15.5 in f8e3m4 goes up to 16).
NodeId StochasticInteger(ExprGraph& graph, ElementType to, NodeId narrow, NodeId random) {
  const NodeId x = graph.Convert(ElementType::kF64, narrow);
  auto constant = [&](double v) { return graph.Constant(Scalar::Float(ElementType::kF64, v)); };
  const NodeId magnitude = graph.Unary(ScalarOp::kAbs, x);
  const NodeId whole = graph.Unary(ScalarOp::kFloor, magnitude);
  const NodeId fraction = graph.Binary(ScalarOp::kSubtract, magnitude, whole);
  const NodeId up = RoundUpByChance(graph, fraction, random);
  const NodeId rounded = graph.Select(up, graph.Binary(ScalarOp::kAdd, whole, constant(1)), whole);
  const NodeId signed_result = graph.Select(graph.Binary(ScalarOp::kLt, x, constant(0)), graph.Unary(ScalarOp::kNegate, rounded), rounded);
  // Infinity less infinity is NaN, whose threshold is 0: infinities keep their magnitude and saturate, NaN becomes 0.
  return graph.Convert(to, signed_result);
}

// Between the two neighbours in `to`. All in f64, where every difference below is exact. Magnitudes beyond the largest number of `to`,
// infinities and NaN convert as in `convert`.
NodeId StochasticFloat(ExprGraph& graph, ElementType to, NodeId x, NodeId random) {
  const ElementType bits = UnsignedOf(BitWidth(to)), wide = ElementType::kF64;
  const NodeId magnitude = graph.Convert(wide, graph.Unary(ScalarOp::kAbs, x));
  const NodeId nearest = graph.Convert(to, magnitude);
  const NodeId one = graph.Constant(Scalar::Int(bits, 1));
  const NodeId nearest_bits = graph.Bitcast(bits, nearest);
  const NodeId too_large = graph.Binary(ScalarOp::kGt, graph.Convert(wide, nearest), magnitude);
  const NodeId low_bits = graph.Select(too_large, graph.Binary(ScalarOp::kSubtract, nearest_bits, one), nearest_bits);
  const NodeId low = graph.Bitcast(to, low_bits), high = graph.Bitcast(to, graph.Binary(ScalarOp::kAdd, low_bits, one));
  const NodeId low_wide = graph.Convert(wide, low);
  const NodeId step = graph.Binary(ScalarOp::kSubtract, graph.Convert(wide, high), low_wide);
  const NodeId fraction = graph.Binary(ScalarOp::kDivide, graph.Binary(ScalarOp::kSubtract, magnitude, low_wide), step);
  const NodeId chosen = graph.Select(RoundUpByChance(graph, fraction, random), high, low);
  // Outside of (0, largest) there are no two neighbours.
  const NodeId finite = graph.And(graph.Unary(ScalarOp::kIsFinite, low), graph.Unary(ScalarOp::kIsFinite, high));
  const NodeId between = graph.And(finite, graph.Binary(ScalarOp::kGt, step, graph.Constant(Scalar::Float(wide, 0))));
  const NodeId inexact = graph.And(between, graph.Binary(ScalarOp::kNe, low_wide, magnitude));
  const NodeId is_negative = graph.Binary(ScalarOp::kLt, x, graph.Constant(Scalar::Float(graph.node(x).type, 0)));
  const NodeId signed_result = graph.Select(is_negative, graph.Unary(ScalarOp::kNegate, chosen), chosen);
  return graph.Select(inexact, signed_result, graph.Convert(to, x));
}

absl::StatusOr<Program> ProgramOfStochasticConvert(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  ExprGraph& graph = *program.graph;
  const std::vector<NodeId> indices = OutputIndices(program);
  const NodeId x = LoadOperand(program, 0, indices), random = LoadOperand(program, 1, indices);
  const ElementType to = instruction.shape.element_type();
  program.outputs[0].value = IsSigned(to) ? StochasticInteger(graph, to, x, random) : StochasticFloat(graph, to, x, random);
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
      "read as a fraction of their range, are below f. To a float type, f is where the magnitude lies between its two neighbours in that type; "
      "beyond the largest number, and for infinities and NaN, it is `convert`. To an integer type it saturates, and NaN becomes 0.";
  stochastic.spec = "operations.md: Elementwise";
}

}  // namespace hloscope
