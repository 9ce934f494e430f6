#include "core/exec/dynamic.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/ops/dynamic_shapes.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

bool IsDynamic(const Shape& shape) {
  if (!shape.IsTuple()) return shape.has_dynamic_dimension();
  for (const Shape& element : shape.tuple_shapes()) {
    if (IsDynamic(element)) return true;
  }
  return false;
}

// A computation that stands alone: nothing of it is looked up by the ids of the program's own.
void Settle(Computation& computation) {
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    Instruction* instruction = computation.instructions[i];
    instruction->index = static_cast<int32_t>(i);
    computation.schedule.push_back(instruction);
    if (instruction->parameter_number >= 0) computation.parameters.push_back(instruction);
    computation.by_name[instruction->name] = instruction;
  }
}

}  // namespace

bool HasDynamicSizes(const Module& module) {
  for (const Computation* computation : module.computations) {
    for (const Instruction* instruction : computation->instructions) {
      if (IsDynamic(instruction->shape) || Def(*instruction).sizes_from_values) return true;
    }
  }
  return false;
}

bool FitsDeclared(const Shape& actual, const Shape& declared) {
  if (Shape::Compatible(actual, declared)) return true;
  if (actual.element_type() != declared.element_type()) return false;
  if (declared.IsTuple()) {
    const absl::Span<const Shape> a = actual.tuple_shapes(), b = declared.tuple_shapes();
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (!FitsDeclared(a[i], b[i])) return false;
    }
    return true;
  }
  if (actual.rank() != declared.rank()) return false;
  for (int d = 0; d < actual.rank(); ++d) {
    if (actual.dim(d) != declared.dim(d) && !(declared.is_dynamic(d) && actual.dim(d) < declared.dim(d))) return false;
  }
  return true;
}

absl::StatusOr<std::unique_ptr<ConcreteInstruction>> MakeConcrete(const Instruction& original, absl::Span<const Shape> shapes, const Shape* result) {
  absl::StatusOr<ConcreteShapes> sizes = ConcreteShapesOf(original, shapes);
  if (!sizes.ok()) return sizes.status();
  const bool reads_memory = sizes->reads_memory;
  auto concrete = std::make_unique<ConcreteInstruction>();
  concrete->operand_shapes = sizes->operands;
  concrete->module = std::make_unique<Module>();
  Module& module = *concrete->module;
  const Module* program = original.parent != nullptr ? original.parent->module : nullptr;
  if (program != nullptr) {
    module.name = program->name;
    module.source = program->source;
    module.header = program->header;
  }
  Computation* computation = module.AddComputation(original.parent != nullptr ? original.parent->name : "dynamic");
  // A parameter for each operand: one value may be cut to two sizes.
  std::vector<Instruction*> operands;
  for (size_t k = 0; k < original.operands.size(); ++k) {
    operands.push_back(AddParameter(module, computation, original.operands[k]->name, sizes->operands[k], static_cast<int64_t>(k)));
  }
  Instruction* instruction = module.AddInstruction(computation);
  instruction->opcode = original.opcode;
  instruction->name = original.name;
  instruction->shape = sizes->result;
  instruction->operands.assign(operands.begin(), operands.end());
  instruction->attributes = std::move(sizes->attributes);
  instruction->metadata = original.metadata;
  instruction->backend_config = original.backend_config;
  instruction->range = original.range;
  computation->root = instruction;
  module.entry = computation;
  Settle(*computation);

  DiagnosticSink sink;
  ShapeContext context(*instruction, sink);
  const std::optional<Shape> inferred = Def(*instruction).infer(context);
  if (sink.error_count() > 0) {
    const Diagnostic& first = sink.diagnostics().front();
    return absl::InvalidArgumentError(absl::StrCat("with the sizes of this run, ", first.message, " [", first.label, "]"));
  }
  if (inferred.has_value()) instruction->shape = *inferred;
  if (!reads_memory) instruction->shape = instruction->shape.WithoutLayouts();
  if (result != nullptr && Def(original).sizes_from_values) {
    instruction->shape = result->WithoutLayouts();
  } else if (IsDynamic(instruction->shape)) {  // the rule gave back what was written
    const auto same = std::find_if(shapes.begin(), shapes.end(), [&](const Shape& s) { return s.IsArray() && s.dimensions() == instruction->shape.dimensions(); });
    if (!instruction->shape.IsArray() || same == shapes.end()) {
      return absl::InvalidArgumentError(absl::StrCat("nothing says how large ", original.shape.ToString(false), " is in this run"));
    }
    instruction->shape = Shape::Array(instruction->shape.element_type(), instruction->shape.dimensions());
  }
  if (!FitsDeclared(instruction->shape, original.shape)) {
    return absl::InvalidArgumentError(absl::StrCat("with the sizes of this run the result is ", instruction->shape.ToString(false), ", which does not fit ",
                                                   original.shape.ToString(false)));
  }
  concrete->computation = computation;
  concrete->instruction = instruction;
  concrete->region = SingleRegion(*computation, instruction->index);
  return concrete;
}

namespace {

// The size of the result's dimension where the operands have these; nullopt: they cannot have them.
std::optional<int64_t> SizeWith(const Instruction& instruction, absl::Span<const Shape> shapes, int leaf, int dimension) {
  const absl::StatusOr<std::unique_ptr<ConcreteInstruction>> concrete = MakeConcrete(instruction, shapes);
  if (!concrete.ok()) return std::nullopt;
  const Shape& result = LeafShape((*concrete)->instruction->shape, leaf);
  return result.IsArray() && dimension < result.rank() ? std::make_optional(result.dim(dimension)) : std::nullopt;
}

Shape WithSize(const Shape& shape, int dimension, int64_t size) {
  std::vector<int64_t> sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[dimension] = size;
  return Shape::Array(shape.element_type(), sizes);
}

}  // namespace

std::vector<SizeOrigin> SizeOriginsOf(const Instruction& instruction, int leaf, int dimension) {
  const OpDef& def = Def(instruction);
  if (def.control != ControlKind::kNone) return {};
  if (def.size_source != nullptr) {
    const SizeSource source = def.size_source(instruction, dimension);
    return source.operand < 0 ? std::vector<SizeOrigin>() : std::vector<SizeOrigin>{{source.operand, dimension, source.is_value}};
  }
  std::vector<Shape> full;
  for (const Instruction* operand : instruction.operands) {
    const Shape& shape = operand->shape;
    full.push_back(shape.IsArray() ? Shape::Array(shape.element_type(), shape.dimensions()) : shape);
  }
  const std::optional<int64_t> whole = SizeWith(instruction, full, leaf, dimension);
  std::vector<SizeOrigin> origins;
  for (int k = 0; k < static_cast<int>(full.size()); ++k) {
    const Shape& shape = instruction.operands[k]->shape;
    for (int d = 0; shape.IsArray() && d < shape.rank(); ++d) {
      if (!shape.is_dynamic(d)) continue;
      // Alone, or with the same dimension of all that must be as large; where no size will do, it is not known and may be.
      std::optional<int64_t> other;
      for (int64_t size = shape.dim(d) - 1; !other.has_value() && size >= 0 && whole.has_value(); size = size > 8 ? size / 2 : size - 1) {
        std::vector<Shape> alone = full, all = full;
        alone[k] = WithSize(full[k], d, size);
        for (size_t o = 0; o < all.size(); ++o) {
          const Shape& written = instruction.operands[o]->shape;
          if (written.IsArray() && d < written.rank() && written.is_dynamic(d) && written.dim(d) == shape.dim(d)) all[o] = WithSize(full[o], d, size);
        }
        other = SizeWith(instruction, alone, leaf, dimension);
        if (!other.has_value()) other = SizeWith(instruction, all, leaf, dimension);
      }
      if (!other.has_value() || other != whole) origins.push_back({k, d, false});
    }
  }
  return origins;
}

Value CutTo(const Value& value, const Shape& to, MemoryAccount* account) {
  const Shape& from = value.shape();
  if (!from.IsArray() || from.dimensions() == to.dimensions()) return value;
  Value result = Value::Allocate(Shape::Array(from.element_type(), to.dimensions()), account);
  if (!result.has_value() || result.element_count() == 0) return result;
  const int64_t size = StorageBytes(from.element_type());
  const std::vector<int64_t> strides = RowMajorStrides(from.dimensions());
  const int rank = to.rank();
  const int64_t row = rank == 0 ? 1 : to.dim(rank - 1);
  std::vector<int64_t> index(rank, 0);
  std::byte* out = result.mutable_data();
  for (int64_t done = 0; done < result.element_count(); done += row) {
    int64_t linear = 0;
    for (int d = 0; d < rank; ++d) linear += index[d] * strides[d];
    std::memcpy(out + done * size, value.data() + linear * size, row * size);
    for (int d = rank - 2; d >= 0 && ++index[d] == to.dim(d); --d) index[d] = 0;
  }
  return result;
}

Value WithActualShape(const Value& value) {
  if (!value.shape().IsTuple()) return value;
  std::vector<Value> elements;
  std::vector<Shape> shapes;
  for (const Value& element : value.elements()) {
    elements.push_back(WithActualShape(element));
    shapes.push_back(elements.back().shape());
  }
  return Value::Tuple(Shape::Tuple(std::move(shapes)), std::move(elements));
}

}  // namespace hloscope
