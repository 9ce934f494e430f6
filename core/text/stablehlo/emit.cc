#include "core/text/stablehlo/emit.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/literal/scalar.h"
#include "core/ops/op.h"

namespace hloscope::stablehlo {

namespace {

Attribute Make(AttrId id, AttrValue value) {
  Attribute attribute;
  attribute.id = id;
  attribute.name = Info(id).name;
  attribute.value = std::move(value);
  return attribute;
}

// Words that HLO text reads as something else than a name.
bool Reserved(absl::string_view name) {
  for (const char* word : {"ROOT", "ENTRY", "HloModule", "inf", "nan", "true", "false"}) {
    if (name == word) return true;
  }
  return ElementTypeFromName(name).has_value();
}

}  // namespace

Attribute IntAttribute(AttrId id, int64_t value) { return Make(id, value); }
Attribute IntsAttribute(AttrId id, std::vector<int64_t> values) { return Make(id, std::move(values)); }
Attribute FloatAttribute(AttrId id, double value) { return Make(id, value); }
Attribute PaddingAttribute(std::vector<PaddingDimension> dimensions) { return Make(AttrId::kPadding, std::move(dimensions)); }
Attribute TextAttribute(Module& module, AttrId id, absl::string_view text) { return Make(id, module.Intern(text)); }
Attribute ComputationAttribute(AttrId id, Computation* computation) { return Make(id, computation); }

std::string CleanName(absl::string_view name) {
  if (!name.empty() && (name[0] == '%' || name[0] == '@')) name.remove_prefix(1);
  std::string clean;
  for (char c : name) {
    if (c == '#') c = '.';
    clean.push_back(absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-' ? c : '_');
  }
  if (clean.empty()) return "v";
  if (absl::ascii_isdigit(clean[0])) clean.insert(0, "v");
  if (clean[0] == '-' || clean[0] == '.') clean.insert(0, "_");
  if (Reserved(clean)) clean.push_back('_');
  return clean;
}

std::optional<Shape> InferShape(const Instruction& instruction, DiagnosticSink& sink) {
  const OpDef& def = Def(instruction);
  const int count = static_cast<int>(instruction.operands.size());
  if (count < def.min_operands || (def.max_operands >= 0 && count > def.max_operands)) {
    sink.Error(instruction.range, HLO_LABEL("stablehlo.operands"), absl::StrCat(Name(instruction.opcode), " cannot take ", count, " operands"));
    return std::nullopt;
  }
  ShapeContext context(instruction, sink);
  return def.infer(context);
}

std::string Emitter::UniqueName(absl::string_view wanted) {
  std::string name(wanted);
  auto [entry, fresh] = names_.try_emplace(name, 1);
  while (!fresh) {
    name = absl::StrCat(wanted, ".", entry->second++);
    if (names_.try_emplace(name, 1).second) break;
    entry = names_.find(std::string(wanted));
  }
  return name;
}

Instruction* Emitter::Add(Opcode opcode, Operands operands, Attributes attributes, const Shape* shape, absl::string_view name) {
  for (const Instruction* operand : operands) {
    if (operand == nullptr) {
      computation_->in_error = true;
      return nullptr;
    }
  }
  Instruction* instruction = module_.AddInstruction(computation_);
  instruction->opcode = opcode;
  instruction->operands.assign(operands.begin(), operands.end());
  instruction->attributes = std::move(attributes);
  for (Attribute& attribute : instruction->attributes) attribute.range = origin_.range;
  instruction->range = origin_.range;
  instruction->name_range = origin_.name_range;
  instruction->operand_ranges.assign(operands.size(), origin_.range);
  instruction->metadata = origin_.metadata;
  if (name.empty()) {
    const std::string own(Name(opcode));
    instruction->name = module_.Intern(UniqueName(reserved_.contains(own) ? absl::StrCat(own, ".0") : own));
  } else {
    instruction->name = module_.Intern(UniqueName(name));
  }
  if (shape != nullptr) {
    instruction->shape = *shape;
  } else {
    const std::optional<Shape> inferred = InferShape(*instruction, sink_);
    if (!inferred) {
      computation_->instructions.pop_back();
      computation_->in_error = true;
      return nullptr;
    }
    instruction->shape = *inferred;
  }
  return instruction;
}

Instruction* Emitter::Parameter(const Shape& shape, absl::string_view name) {
  Instruction* parameter = Add(Opcode::kParameter, {}, {}, &shape, name);
  parameter->parameter_number = static_cast<int64_t>(computation_->parameters.size());
  computation_->parameters.push_back(parameter);
  return parameter;
}

Instruction* Emitter::Constant(Value value, absl::string_view name) {
  const Shape shape = value.shape();
  Instruction* constant = Add(Opcode::kConstant, {}, {}, &shape, name);
  constant->literal = std::make_unique<ConstantLiteral>();
  constant->literal->value = std::move(value);
  return constant;
}

Instruction* Emitter::Scalar(ElementType type, double v) {
  Value value = Value::Allocate(Shape::Scalar(type));
  const hloscope::Scalar scalar = IsComplex(type) ? hloscope::Scalar::Complex(type, {v, 0})
                                  : IsFloat(type) ? hloscope::Scalar::Float(type, v)
                                                  : hloscope::Scalar::Int(type, static_cast<int64_t>(v));
  StoreScalar(scalar, value.mutable_data());
  return Constant(std::move(value));
}

Instruction* Emitter::ScalarInt(ElementType type, int64_t v) {
  if (!IsInteger(type) && !IsPred(type)) return Scalar(type, static_cast<double>(v));
  Value value = Value::Allocate(Shape::Scalar(type));
  StoreScalar(hloscope::Scalar::Int(type, v), value.mutable_data());
  return Constant(std::move(value));
}

Instruction* Emitter::Element(Instruction* tuple, int64_t index, absl::string_view name) {
  return Add(Opcode::kGetTupleElement, {tuple}, {IntAttribute(AttrId::kIndex, index)}, nullptr, name);
}

Instruction* Emitter::Tuple(Operands elements, absl::string_view name) { return Add(Opcode::kTuple, std::move(elements), {}, nullptr, name); }

Instruction* Emitter::Convert(Instruction* x, ElementType type) {
  if (x == nullptr || x->shape.element_type() == type) return x;
  const Shape shape = x->shape.WithoutLayouts().WithElementType(type);
  return Add(Opcode::kConvert, {x}, {}, &shape);
}

Instruction* Emitter::Reshape(Instruction* x, std::vector<int64_t> dimensions) {
  if (x == nullptr) return nullptr;
  if (x->shape.dimensions() == absl::Span<const int64_t>(dimensions) && !x->shape.has_dynamic_dimension()) return x;
  const Shape shape = Shape::Array(x->shape.element_type(), dimensions);
  return Add(Opcode::kReshape, {x}, {}, &shape);
}

Instruction* Emitter::Broadcast(Instruction* x, const Shape& to, std::vector<int64_t> dims) {
  if (x == nullptr) return nullptr;
  const Shape shape = to.WithoutLayouts().WithElementType(x->shape.element_type());
  // HLO's broadcast as XLA reads it repeats whole dimensions only: sizes of 1 that are stretched go first.
  std::vector<int64_t> kept_sizes, kept_dims;
  bool stretched = false;
  for (int i = 0; i < x->shape.rank() && i < static_cast<int>(dims.size()); ++i) {
    if (dims[i] >= 0 && dims[i] < shape.rank() && x->shape.dim(i) == 1 && shape.dim(static_cast<int>(dims[i])) != 1) {
      stretched = true;
      continue;
    }
    kept_sizes.push_back(x->shape.dim(i));
    kept_dims.push_back(dims[i]);
  }
  if (stretched && !x->shape.has_dynamic_dimension()) {
    x = Reshape(x, kept_sizes);
    dims = kept_dims;
  }
  return Add(Opcode::kBroadcast, {x}, {IntsAttribute(AttrId::kDimensions, std::move(dims))}, &shape);
}

Instruction* Emitter::Splat(Instruction* scalar, const Shape& like) {
  if (scalar == nullptr || like.rank() == 0) return scalar;
  return Broadcast(scalar, like, {});
}

Instruction* Emitter::Compare(absl::string_view direction, Instruction* a, Instruction* b, absl::string_view type) {
  Attributes attributes = {TextAttribute(module_, AttrId::kDirection, direction)};
  if (!type.empty()) attributes.push_back(TextAttribute(module_, AttrId::kType, type));
  return Add(Opcode::kCompare, {a, b}, std::move(attributes));
}

void Emitter::SetRoot(Instruction* root) {
  computation_->root = root;
  if (root == nullptr) computation_->in_error = true;
}

}  // namespace hloscope::stablehlo
