// Dynamic sizes: get-dimension-size, set-dimension-size, dynamic-reshape. A value carries its actual sizes in its shape; whoever runs the
// program gives each instruction the sizes of the run (core/exec/dynamic.h).
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/literal/scalar.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

// The one dimension that get- and set-dimension-size are about; nullopt after a complaint.
std::optional<int> TheDimension(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("dimension-size.array"))) return std::nullopt;
  if (!CheckCount(c, AttrId::kDimensions, 1, HLO_LABEL("dimension-size.one-dimension"))) return std::nullopt;
  if (!CheckInRange(c, AttrId::kDimensions, c.operand(0).rank(), HLO_LABEL("dimension-size.dimension-range"))) return std::nullopt;
  return static_cast<int>(c.instruction().Ints(AttrId::kDimensions)[0]);
}

std::optional<Shape> InferGet(ShapeContext& c) {
  const std::optional<int> dimension = TheDimension(c);
  if (!dimension.has_value()) return std::nullopt;
  if (c.operand(0).dim(*dimension) > INT32_MAX) {
    return c.Fail(HLO_LABEL("get-dimension-size.too-large"), absl::StrCat("the size ", c.operand(0).dim(*dimension), " does not fit into s32"));
  }
  return Shape::Scalar(ElementType::kS32);
}

absl::StatusOr<Program> ProgramOfGet(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  const int dimension = static_cast<int>(instruction.Ints(AttrId::kDimensions)[0]);
  if (program.operands[0].is_dynamic(dimension)) {
    return absl::UnimplementedError("the size of a dynamic dimension is known only when the program runs");
  }
  program.outputs[0].value = program.graph->Constant(Scalar::Int(ElementType::kS32, program.operands[0].dim(dimension)));
  return program;
}

std::optional<Shape> InferSet(ShapeContext& c) {
  const std::optional<int> dimension = TheDimension(c);
  if (!dimension.has_value()) return std::nullopt;
  if (!c.operand(1).IsScalar() || c.operand(1).element_type() != ElementType::kS32) {
    return c.FailOperand(1, HLO_LABEL("set-dimension-size.size"), absl::StrCat("the size must be s32[], not ", c.operand(1).ToString(false)));
  }
  const Shape& operand = c.operand(0);
  std::vector<bool> dynamic(operand.rank());
  for (int d = 0; d < operand.rank(); ++d) dynamic[d] = d == *dimension || operand.is_dynamic(d);
  return Shape::Array(operand.element_type(), operand.dimensions(), std::nullopt, std::move(dynamic));
}

std::optional<Shape> InferReshape(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("dynamic-reshape.array"))) return std::nullopt;
  if (c.instruction().shape_omitted) return std::nullopt;
  const Shape& result = c.written();
  if (!result.IsArray() || result.element_type() != c.operand(0).element_type()) {
    return c.Fail(HLO_LABEL("dynamic-reshape.result"), absl::StrCat("the result must be an array of ", Name(c.operand(0).element_type()), ", not ", result.ToString(false)));
  }
  if (c.operand_count() != result.rank() + 1) {
    return c.Fail(HLO_LABEL("dynamic-reshape.size-count"), absl::StrCat("each of the ", result.rank(), " dimensions needs a size, but there are ", c.operand_count() - 1));
  }
  for (int i = 1; i < c.operand_count(); ++i) {
    if (c.operand(i).IsScalar() && c.operand(i).element_type() == ElementType::kS32) continue;
    return c.FailOperand(i, HLO_LABEL("dynamic-reshape.size"), absl::StrCat("a size must be s32[], not ", c.operand(i).ToString(false)));
  }
  return result;
}

// A size that the program computed, as long as it lies between 0 and the bound.
absl::StatusOr<int64_t> SizeOf(const Value& value, int64_t bound, absl::string_view what) {
  const int64_t size = LoadScalar(ElementType::kS32, value.data()).i;
  if (size < 0) return absl::InvalidArgumentError(absl::StrCat(what, " is set to ", size, "; a size cannot be negative [dynamic-size.negative]"));
  if (size > bound) return absl::InvalidArgumentError(absl::StrCat(what, " is set to ", size, ", beyond its bound ", bound, " [dynamic-size.bound]"));
  return size;
}

absl::StatusOr<Value> EvaluateSet(const EvalContext& c) {
  const Value& operand = c.operands[0];
  const Shape& shape = operand.shape();
  const int dimension = static_cast<int>(c.instruction.Ints(AttrId::kDimensions)[0]);
  const std::string what = absl::StrCat("dimension ", dimension, " of ", c.instruction.operands[0]->shape.ToString(false));
  const absl::StatusOr<int64_t> size = SizeOf(c.operands[1], c.instruction.operands[0]->shape.dim(dimension), what);
  if (!size.ok()) return size.status();
  const int64_t have = shape.dim(dimension);
  if (*size > have) {
    return absl::InvalidArgumentError(absl::StrCat(what, " is set to ", *size, ", but only ", have, have == 1 ? " element is" : " elements are", " there in this run [dynamic-size.growth]"));
  }
  if (*size == have) return operand;
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[dimension] = *size;
  Value result = Value::Allocate(Shape::Array(shape.element_type(), sizes), c.account);
  if (!result.has_value()) return result;
  int64_t outer = 1, inner = StorageBytes(shape.element_type());
  for (int d = 0; d < shape.rank(); ++d) (d < dimension ? outer : inner) *= d == dimension ? 1 : shape.dim(d);
  for (int64_t row = 0; row < outer; ++row) {
    std::memcpy(result.mutable_data() + row * *size * inner, operand.data() + row * have * inner, *size * inner);
  }
  return result;
}

absl::StatusOr<Value> EvaluateReshape(const EvalContext& c) {
  const Shape& bounds = c.instruction.shape;
  const Value& operand = c.operands[0];
  std::vector<int64_t> sizes;
  for (int d = 0; d < bounds.rank(); ++d) {
    const absl::StatusOr<int64_t> size = SizeOf(c.operands[d + 1], bounds.dim(d), absl::StrCat("dimension ", d, " of ", bounds.ToString(false)));
    if (!size.ok()) return size.status();
    if (!bounds.is_dynamic(d) && *size != bounds.dim(d)) {
      return absl::InvalidArgumentError(absl::StrCat("dimension ", d, " of ", bounds.ToString(false), " is set to ", *size, " though it is not dynamic [dynamic-reshape.static-size]"));
    }
    sizes.push_back(*size);
  }
  const Shape shape = Shape::Array(bounds.element_type(), sizes);
  if (shape.ElementCount() != operand.element_count()) {
    return absl::InvalidArgumentError(absl::StrCat("the ", operand.element_count(), " elements of ", operand.shape().ToString(false), " do not fill ",
                                                   shape.ToString(false), " [dynamic-reshape.element-count]"));
  }
  return operand.WithShape(shape);
}

std::vector<Reach> ReachOfGet(const ReachQuestion&) { return {}; }

SizeSource SizeOfSet(const Instruction& i, int dimension) {
  return i.Ints(AttrId::kDimensions)[0] == dimension ? SizeSource{1, true} : SizeSource{0, false};
}

SizeSource SizeOfReshape(const Instruction&, int dimension) { return {dimension + 1, true}; }

std::vector<Reach> ReachOfSet(const ReachQuestion& q) { return {q.operand == 0 ? q.Same() : q.Whole(Reach::Kind::kDecides)}; }

std::vector<Reach> ReachOfReshape(const ReachQuestion& q) {
  Reach reach = q.Whole(q.operand == 0 ? Reach::Kind::kCopy : Reach::Kind::kDecides);
  reach.linear = q.operand == 0;
  return {reach};
}

}  // namespace

void DefineDynamicSize(OpRegistry& registry) {
  OpDef& get = registry.Define(Opcode::kGetDimensionSize);
  get.min_operands = get.max_operands = 1;
  get.attributes = {{AttrId::kDimensions, true}};
  get.infer = InferGet;
  get.program = ProgramOfGet;
  get.reach = ReachOfGet;
  get.gives_size = true;
  get.summary = "the size of one dimension";
  get.doc = "An `s32` scalar. For a dimension written `<=N` it is the size at run time.";
  get.spec = "operations.md: Shape and data movement";

  OpDef& set = registry.Define(Opcode::kSetDimensionSize);
  set.movement = Movement::kMove;
  set.min_operands = set.max_operands = 2;
  set.attributes = {{AttrId::kDimensions, true}};
  set.infer = InferSet;
  set.op_class = OpClass::kOpaque;
  set.sizes_from_values = true;
  set.evaluate = EvaluateSet;
  set.reach = ReachOfSet;
  set.size_source = SizeOfSet;
  set.opaque_reason = "the size of the result is a value";
  set.summary = "the operand with one dimension cut to a size computed by the program";
  set.doc =
      "The dimension becomes `<=N`; operations that read the result see only the first so many elements, which are all that the value holds "
      "from here on. The size must lie between 0 and the bound, and must not exceed what is there: elements that were cut off do not come "
      "back. An array beside it in an elementwise operation or a dot that is not dynamic gives its first elements.";
  set.spec = "operations.md: Shape and data movement";

  OpDef& reshape = registry.Define(Opcode::kDynamicReshape);
  reshape.movement = Movement::kMove;
  reshape.min_operands = 1;
  reshape.max_operands = -1;
  reshape.infer = InferReshape;
  reshape.op_class = OpClass::kOpaque;
  reshape.sizes_from_values = true;
  reshape.evaluate = EvaluateReshape;
  reshape.reach = ReachOfReshape;
  reshape.size_source = SizeOfReshape;
  reshape.opaque_reason = "the sizes of the result are values";
  reshape.summary = "a reshape to sizes computed by the program";
  reshape.doc = "One `s32` scalar for each dimension of the result; the written sizes are their bounds. Together they are as many elements as there are.";
  reshape.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
