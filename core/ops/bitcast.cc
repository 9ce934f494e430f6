// Bitcast: the bytes of the operand as they lie in memory, under another shape and layout. Compilers make it of reshapes and transposes
// that move nothing; so where layouts are written, it may permute the elements logically.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/element/layout_index.h"
#include "core/literal/relayout.h"
#include "core/ops/bits.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"
#include "core/shape/layout_map.h"
#include "core/shape/layout_util.h"

namespace hloscope {
namespace {

// Tiles, or padding of some kind.
bool IsSpread(const Shape& shape) {
  if (shape.IsStoredDense()) return false;
  const LayoutMap map(shape);
  return map.HasPadding() || !map.stages().empty();
}

// Elements of a type as wide as its values are, padding counted.
__int128 MemoryBits(const Shape& shape) {
  return static_cast<__int128>(shape.IsStoredDense() ? shape.ElementCount() : LayoutMap(shape).PhysicalSize()) * BitWidth(shape.element_type());
}

// By position in memory: what lies at the result's positions in the operand, where padding has a value too.
NodeId ReadMemory(Program& program, const Shape& result) {
  ExprGraph& graph = *program.graph;
  const Shape& operand = program.operands[0];
  const LayoutMap from_map(operand), to_map(result);
  const ElementType from = operand.element_type(), to = result.element_type();
  const auto load = [&](NodeId position) {
    NodeId in_bounds = kNoNode;
    const std::vector<NodeId> physical = Delinearize(graph, from_map.physical_dimensions(), position);
    const std::vector<NodeId> logical = LogicalIndices(graph, from_map, physical, &in_bounds);
    const NodeId element = LoadOperand(program, 0, logical);
    if (in_bounds == kNoNode) return element;
    return graph.Select(in_bounds, element, graph.Constant(PaddingScalar(from, operand.layout()->padding_value)));
  };
  const NodeId position = Linearize(graph, to_map.physical_dimensions(), PhysicalIndices(graph, to_map, OutputIndices(program)));
  if (BitWidth(from) == BitWidth(to) && IsComplex(from) == IsComplex(to)) return from == to ? load(position) : graph.Bitcast(to, load(position));
  return ReadBitsAs(graph, to, position, from, load);
}

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("bitcast.array"))) return std::nullopt;
  if (c.instruction().shape_omitted) return std::nullopt;
  const Shape& operand = c.operand(0);
  const Shape& result = c.written();
  if (!result.IsArray()) return c.Fail(HLO_LABEL("bitcast.result"), absl::StrCat("bitcast makes an array, not ", result.ToString(false)));
  if (!WidthsFit(operand.element_type(), result.element_type())) {
    return c.Fail(HLO_LABEL("bitcast.width"), absl::StrCat("neither of ", Name(operand.element_type()), " and ", Name(result.element_type()),
                                                           " is made of whole elements of the other"));
  }
  const __int128 from = static_cast<__int128>(operand.ElementCount()) * BitWidth(operand.element_type());
  const __int128 to = static_cast<__int128>(result.ElementCount()) * BitWidth(result.element_type());
  if (from != to && MemoryBits(operand) != MemoryBits(result)) {
    return c.Fail(HLO_LABEL("bitcast.size"), absl::StrCat(operand.ToString(false), " and ", result.ToString(false), " do not take equally many bits"));
  }
  return result;
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  ExprGraph& graph = *program.graph;
  const Shape& operand = program.operands[0];
  const Shape& result = instruction.shape;
  if ((IsSpread(operand) || IsSpread(result)) && MemoryBits(operand) == MemoryBits(result)) {
    program.outputs[0].value = ReadMemory(program, result);
    return program;
  }
  // Both sides in the order of memory, where they are reshapes of each other.
  const std::vector<int64_t> to_order = MajorToMinor(result), from_order = MajorToMinor(operand);
  std::vector<int64_t> to_dimensions, from_dimensions;
  std::vector<NodeId> indices;
  for (int64_t d : to_order) {
    to_dimensions.push_back(result.dim(static_cast<int>(d)));
    indices.push_back(graph.Index(static_cast<int32_t>(d)));
  }
  for (int64_t d : from_order) from_dimensions.push_back(operand.dim(static_cast<int>(d)));
  const ElementType from = operand.element_type(), to = result.element_type();
  const auto load = [&](const std::vector<NodeId>& physical) {
    std::vector<NodeId> logical(operand.rank());
    for (int k = 0; k < operand.rank(); ++k) logical[from_order[k]] = physical[k];
    return LoadOperand(program, 0, logical);
  };
  if (BitWidth(from) == BitWidth(to) && IsComplex(from) == IsComplex(to)) {
    const NodeId element = load(ReshapeIndices(graph, to_dimensions, from_dimensions, indices));
    program.outputs[0].value = from == to ? element : graph.Bitcast(to, element);
    return program;
  }
  program.outputs[0].value = ReadBitsAs(graph, to, Linearize(graph, to_dimensions, indices), from,
                                        [&](NodeId n) { return load(Delinearize(graph, from_dimensions, n)); });
  return program;
}

}  // namespace

void DefineBitcast(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kBitcast);
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 1;
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "the operand's memory under another shape";
  def.doc =
      "Nothing moves in memory. With both layouts in row-major order it is a reshape; with others, a reshape and transpose that the layouts cancel "
      "out. Where no layout is written, row-major order counts. Tiles and padding are part of the memory: a bitcast sees what lies there.";
  def.spec = "operations.md: Shape and data movement; shapes_and_layout.md: Layout";
}

}  // namespace hloscope
