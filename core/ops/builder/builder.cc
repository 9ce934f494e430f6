#include "core/ops/builder/builder.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/ops/op.h"
#include "core/ops/shape_rules.h"
#include "core/ops/verifier.h"

namespace hloscope::hlo {

struct Builder::State {
  std::unique_ptr<Module> owned = std::make_unique<Module>();
  Module* module = owned.get();
  std::vector<Computation*> order;  // in the order they were completed, so that callees stand before callers
  absl::Status status;
  std::string label;
  Place place;
  DiagnosticSink sink;
  absl::flat_hash_map<std::string, int> names;  // the next number for a name
  absl::flat_hash_set<std::string> taken;
  OpMetadata metadata;
  std::string sharding, frontend;
  bool record_places = false;
  SourceRange range;
};

// -- Op --

const Shape& Op::shape() const {
  static const Shape& none = *new Shape();
  return instruction_ == nullptr ? none : instruction_->shape;
}

absl::string_view Op::name() const { return instruction_ == nullptr ? absl::string_view() : instruction_->name; }

Op Op::Named(absl::string_view name) const {
  if (!valid()) return *this;
  builder_->state_->taken.erase(std::string(instruction_->name));
  instruction_->name = builder_->UniqueName(name);
  return *this;
}

// -- Builder --

Builder::Builder(absl::string_view module_name) : state_(std::make_shared<State>()) {
  state_->module->name = std::string(module_name);
  computation_ = state_->module->AddComputation(state_->module->Intern("main"));
  state_->taken.insert("main");
  computation_->is_entry = true;
}
Builder::Builder(std::shared_ptr<State> state, Computation* computation) : state_(std::move(state)), computation_(computation) {}
Builder::~Builder() = default;

std::unique_ptr<Builder> Builder::CreateSubBuilder(absl::string_view name) {
  Computation* computation = state_->module->AddComputation(UniqueName(name));
  return std::unique_ptr<Builder>(new Builder(state_, computation));
}

Computation* Builder::Sub(absl::string_view name, absl::Span<const Shape> parameters,
                          const std::function<Op(Builder* b, absl::Span<const Op> parameters)>& body, Place place) {
  if (!ok()) return nullptr;
  std::unique_ptr<Builder> sub = CreateSubBuilder(name);
  std::vector<Op> ops;
  for (size_t i = 0; i < parameters.size(); ++i) {
    ops.push_back(sub->AddParameter(static_cast<int64_t>(i), parameters[i], parameters.size() == 1 ? "x" : absl::StrCat("x", i), place));
  }
  const Op root = body(sub.get(), ops);
  if (ok() && !root.valid())
    Error(HLO_LABEL("builder.no-root"), absl::StrCat("the body of computation ", name, " returned no instruction"), place);
  return sub->BuildComputation(root, place);
}

bool Builder::SetRoot(Op root, Place place) {
  if (!ok()) return false;
  if (root.valid() && root.instruction()->parent != computation_) {
    Error(HLO_LABEL("builder.foreign-root"),
          absl::StrCat("the root %", root.name(), " does not belong to computation ", computation_->name), place);
    return false;
  }
  if (computation_->instructions.empty()) {
    Error(HLO_LABEL("builder.empty-computation"), absl::StrCat("computation ", computation_->name, " has no instructions"), place);
    return false;
  }
  computation_->root = root.valid() ? root.instruction() : computation_->instructions.back();
  std::vector<Instruction*> parameters;
  for (Instruction* instruction : computation_->instructions) {
    if (instruction->parameter_number < 0) continue;
    parameters.resize(std::max<size_t>(parameters.size(), instruction->parameter_number + 1));
    parameters[instruction->parameter_number] = instruction;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i] != nullptr) continue;
    Error(HLO_LABEL("builder.missing-parameter"),
          absl::StrCat("computation ", computation_->name, " has no parameter ", i, " but has parameter ", parameters.size() - 1), place);
    return false;
  }
  computation_->parameters = std::move(parameters);
  return true;
}

void Builder::Completed(Computation* computation) { state_->order.push_back(computation); }

Computation* Builder::BuildComputation(Op root, Place place) {
  if (!SetRoot(root, place)) return nullptr;
  Completed(computation_);
  return computation_;
}

absl::StatusOr<std::unique_ptr<Module>> Builder::Build(Op root, Place place) {
  if (state_->owned == nullptr) return absl::FailedPreconditionError("the module was built before");
  if (!computation_->is_entry) Error(HLO_LABEL("builder.not-the-entry"), "only the builder of the entry makes the module", place);
  SetRoot(root, place);
  if (!ok()) return status();
  DiagnosticSink sink;
  std::unique_ptr<Module> module = Finish(sink, root);
  if (sink.error_count() == 0) Verify(*module, sink);
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.severity != Severity::kError) continue;
    Error(d.label, d.message, place);
    return status();
  }
  return module;
}

std::unique_ptr<Module> Builder::Finish(DiagnosticSink& sink, Op root) {
  std::unique_ptr<Module> module = std::move(state_->owned);
  if (module == nullptr) return nullptr;
  for (const Diagnostic& d : state_->sink.diagnostics()) {
    if (d.severity == Severity::kError) sink.Error(d.range, d.label, d.message, d.hint);
  }
  if (root.valid()) computation_->root = root.instruction();
  // Computations that were begun and not ended stand after the others; the entry is last.
  std::vector<Computation*> order = state_->order;
  for (Computation* c : module->computations) {
    if (!c->is_entry && std::find(order.begin(), order.end(), c) == order.end() && !c->instructions.empty()) order.push_back(c);
  }
  for (Computation* c : module->computations) {
    if (c->is_entry && std::find(order.begin(), order.end(), c) == order.end()) order.push_back(c);
  }
  module->computations = std::move(order);
  module->Finalize(sink);
  return module;
}

const absl::Status& Builder::status() const { return state_->status; }
Place Builder::error_place() const { return state_->place; }
const std::string& Builder::error_label() const { return state_->label; }
const DiagnosticSink& Builder::diagnostics() const { return state_->sink; }
Module* Builder::module() const { return state_->module; }

void Builder::ClearError() {
  state_->status = absl::OkStatus();
  state_->label.clear();
}

Op Builder::Error(absl::string_view label, std::string message, Place place) {
  if (!ok()) return Op(this, nullptr);
  state_->label = std::string(label);
  state_->place = place;
  state_->status = absl::InvalidArgumentError(absl::StrCat(place.file_name(), ":", place.line(), ": ", message, " [", label, "]"));
  return Op(this, nullptr);
}

absl::StatusOr<Shape> Builder::GetShape(Op op) const {
  if (op.valid()) return op.shape();
  if (!ok()) return status();
  return absl::InvalidArgumentError("the Op stands for no instruction");
}

void Builder::SetOpMetadata(OpMetadata metadata) { state_->metadata = std::move(metadata); }
void Builder::ClearOpMetadata() { state_->metadata = {}; }
const OpMetadata& Builder::op_metadata() const { return state_->metadata; }
void Builder::RecordPlaces(bool on) { state_->record_places = on; }
void Builder::SetRange(SourceRange range) { state_->range = range; }
void Builder::AddHeader(absl::string_view key, absl::string_view value) { state_->module->header.emplace_back(key, value); }

namespace {

std::string Braced(absl::string_view text) {
  if (text.empty() || text.front() == '{') return std::string(text);
  return absl::StrCat("{", text, "}");
}

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", absl::CEscape(text), "\""); }

// A value of a frontend attribute as it stands in the text: bare where it is balanced in braces, else quoted.
std::string FrontendValue(absl::string_view value) { return !value.empty() && value.front() == '{' ? std::string(value) : Quoted(value); }

}  // namespace

void Builder::SetSharding(absl::string_view sharding) { state_->sharding = Braced(sharding); }

const std::string& Builder::sharding() const { return state_->sharding; }

void Builder::SetFrontendAttributes(std::vector<std::pair<std::string, std::string>> attributes) {
  std::string text;
  for (const auto& [key, value] : attributes) absl::StrAppend(&text, text.empty() ? "" : ",", key, "=", FrontendValue(value));
  state_->frontend = text.empty() ? "" : absl::StrCat("{", text, "}");
}

void Builder::SetInstructionSharding(Op op, absl::string_view sharding) {
  if (op.valid()) op.instruction()->sharding = state_->module->Intern(Braced(sharding));
}

void Builder::SetInstructionFrontendAttribute(Op op, absl::string_view key, absl::string_view value) {
  if (!op.valid()) return;
  absl::string_view now = op.instruction()->frontend_attributes;
  if (now.size() >= 2) now = now.substr(1, now.size() - 2);
  op.instruction()->frontend_attributes =
      state_->module->Intern(absl::StrCat("{", now, now.empty() ? "" : ",", key, "=", FrontendValue(value), "}"));
}

void Builder::AddControlDependency(Op before, Op after) {
  if (before.valid() && after.valid()) after.instruction()->control_predecessors.push_back(before.instruction());
}

absl::string_view Builder::UniqueName(absl::string_view wanted) {
  std::string name(wanted.empty() ? "x" : wanted);
  while (!state_->taken.insert(name).second) name = absl::StrCat(wanted, ".", ++state_->names[std::string(wanted)]);
  return state_->module->Intern(name);
}

void Builder::Mark(Instruction& instruction, Place place) {
  Module& module = *state_->module;
  instruction.range = state_->range;
  if (!state_->sharding.empty()) instruction.sharding = module.Intern(state_->sharding);
  if (!state_->frontend.empty()) instruction.frontend_attributes = module.Intern(state_->frontend);
  OpMetadata m = state_->metadata;
  if (state_->record_places) m.source_file = place.file_name(), m.source_line = static_cast<int>(place.line());
  std::vector<std::string> parts;
  if (!m.op_type.empty()) parts.push_back(absl::StrCat("op_type=", Quoted(m.op_type)));
  if (!m.op_name.empty()) parts.push_back(absl::StrCat("op_name=", Quoted(m.op_name)));
  if (!m.source_file.empty()) parts.push_back(absl::StrCat("source_file=", Quoted(m.source_file)));
  if (m.source_line > 0) parts.push_back(absl::StrCat("source_line=", m.source_line));
  if (parts.empty()) return;
  std::string raw = parts[0];
  for (size_t i = 1; i < parts.size(); ++i) absl::StrAppend(&raw, " ", parts[i]);
  instruction.metadata = {module.Intern(m.op_name), module.Intern(m.op_type), module.Intern(m.source_file), m.source_line, 0,
                          module.Intern(raw)};
}

bool Builder::CheckOperands(Opcode opcode, absl::Span<const Op> operands, Place place) {
  if (!ok()) return false;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i].valid()) {
      Error(HLO_LABEL("builder.operand-missing"), absl::StrCat(Name(opcode), ": operand ", i, " stands for no instruction"), place);
      return false;
    }
    if (operands[i].instruction()->parent == computation_) continue;
    Error(HLO_LABEL("builder.foreign-operand"),
          absl::StrCat(Name(opcode), ": operand ", i, ", %", operands[i].name(), ", belongs to computation ",
                       operands[i].instruction()->parent->name, ", not to ", computation_->name),
          place);
    return false;
  }
  return true;
}

// The operation's own requirements, as the verifier asks them; the shape where `infer`.
bool Builder::CheckInstruction(Instruction& instruction, bool infer, Place place) {
  const OpDef& def = Def(instruction);
  const int count = static_cast<int>(instruction.operands.size());
  const absl::string_view op = Name(instruction.opcode);
  if (count < def.min_operands || (def.max_operands >= 0 && count > def.max_operands)) {
    Error(HLO_LABEL("builder.operand-count"), absl::StrCat(op, " does not take ", count, " operands"), place);
    return false;
  }
  for (const AttrSpec& spec : def.attributes) {
    if (!spec.required || instruction.Has(spec.id)) continue;
    Error(HLO_LABEL("builder.missing-attribute"), absl::StrCat(op, " needs the attribute ", Info(spec.id).name), place);
    return false;
  }
  for (const Attribute& attribute : instruction.attributes) {
    std::vector<Computation*> called;
    if (auto* one = std::get_if<Computation*>(&attribute.value)) called = {*one};
    if (auto* many = std::get_if<std::vector<Computation*>>(&attribute.value)) called = *many;
    for (const Computation* c : called) {
      if (c != nullptr && c->module == state_->module && c->root != nullptr) continue;
      Error(HLO_LABEL("builder.computation"),
            absl::StrCat(op, ": ", Info(attribute.id).name, " needs a computation of this module that is built already"), place);
      return false;
    }
  }
  const size_t before = state_->sink.diagnostics().size();
  const int errors = state_->sink.error_count();
  ShapeContext context(instruction, state_->sink);
  const std::optional<Shape> inferred = def.infer(context);
  if (state_->sink.error_count() != errors) {
    for (size_t i = before; i < state_->sink.diagnostics().size(); ++i) {
      const Diagnostic& d = state_->sink.diagnostics()[i];
      if (d.severity == Severity::kError) Error(d.label, absl::StrCat(op, ": ", d.message), place);
    }
    return false;
  }
  if (infer && !inferred.has_value()) {
    Error(HLO_LABEL("builder.shape-needed"), absl::StrCat("the shape of ", op, " does not follow from its operands and must be given"),
          place);
    return false;
  }
  if (!infer && inferred.has_value() && !SameUpToDynamic(*inferred, instruction.shape)) {
    Error(HLO_LABEL("builder.shape-mismatch"),
          absl::StrCat(op, " gives ", inferred->ToString(false), ", not ", instruction.shape.ToString(false)), place);
    return false;
  }
  if (infer) instruction.shape = inferred->WithoutLayouts();
  instruction.shape_omitted = false;
  return true;
}

Instruction* Builder::NewInstruction(Opcode opcode, absl::Span<const Op> operands, std::vector<Attribute> attributes, Place place) {
  if (!CheckOperands(opcode, operands, place)) return nullptr;
  Module& module = *state_->module;
  Instruction* instruction = module.AddInstruction(computation_);
  instruction->opcode = opcode;
  for (const Op& operand : operands) instruction->operands.push_back(operand.instruction());
  for (Attribute& attribute : attributes) {
    if (auto* text = std::get_if<absl::string_view>(&attribute.value)) *text = module.Intern(*text);
    attribute.name = attribute.id == AttrId::kUnknown ? module.Intern(attribute.name) : Info(attribute.id).name;
    attribute.range = state_->range;
  }
  instruction->attributes = std::move(attributes);
  Mark(*instruction, place);
  return instruction;
}

Op Builder::Checked(Instruction* instruction, bool infer, Place place) {
  if (CheckInstruction(*instruction, infer, place)) {
    instruction->name = UniqueName(Name(instruction->opcode));
    return Op(this, instruction);
  }
  if (computation_->instructions.back() == instruction) computation_->instructions.pop_back();
  return Op(this, nullptr);
}

Op Builder::Add(Opcode opcode, absl::Span<const Op> operands, std::vector<Attribute> attributes, std::optional<Shape> shape, Place place) {
  Instruction* instruction = NewInstruction(opcode, operands, std::move(attributes), place);
  if (instruction == nullptr) return Op(this, nullptr);
  instruction->shape_omitted = !shape.has_value();
  if (shape.has_value()) instruction->shape = *std::move(shape);
  return Checked(instruction, instruction->shape_omitted, place);
}

Op Builder::AddTyped(Opcode opcode, absl::Span<const Op> operands, std::vector<Attribute> attributes, ElementType type, Place place) {
  Instruction* instruction = NewInstruction(opcode, operands, std::move(attributes), place);
  if (instruction == nullptr) return Op(this, nullptr);
  instruction->shape = Shape::Scalar(type);
  return Checked(instruction, /*infer=*/true, place);
}

Op Builder::AddParameter(int64_t number, const Shape& shape, absl::string_view name, Place place) {
  if (!ok()) return Op(this, nullptr);
  if (number < 0 || number > 1'000'000)
    return Error(HLO_LABEL("builder.parameter-number"), absl::StrCat("there can be no parameter ", number), place);
  for (const Instruction* other : computation_->instructions) {
    if (other->parameter_number != number) continue;
    return Error(HLO_LABEL("builder.parameter-taken"), absl::StrCat("parameter ", number, " is already %", other->name), place);
  }
  Instruction* instruction = state_->module->AddInstruction(computation_);
  instruction->opcode = Opcode::kParameter;
  instruction->parameter_number = number;
  instruction->shape = shape;
  Mark(*instruction, place);
  instruction->name = UniqueName(name.empty() ? absl::string_view("parameter") : name);
  return Op(this, instruction);
}

Op Builder::AddConstant(Value value, Place place) {
  if (!ok()) return Op(this, nullptr);
  if (!value.has_value()) return Error(HLO_LABEL("builder.constant-value"), "a constant needs a value", place);
  Instruction* instruction = state_->module->AddInstruction(computation_);
  instruction->opcode = Opcode::kConstant;
  instruction->shape = value.shape();
  instruction->literal = std::make_unique<ConstantLiteral>();
  instruction->literal->value = std::move(value);
  Mark(*instruction, place);
  instruction->name = UniqueName(Name(Opcode::kConstant));
  return Op(this, instruction);
}

// -- Scopes --

ScopedOpName::ScopedOpName(Builder* builder, absl::string_view name) : builder_(builder), before_(builder->op_metadata().op_name) {
  OpMetadata metadata = builder->op_metadata();
  metadata.op_name = before_.empty() ? std::string(name) : absl::StrCat(before_, "/", name);
  builder->SetOpMetadata(std::move(metadata));
}

ScopedOpName::~ScopedOpName() {
  OpMetadata metadata = builder_->op_metadata();
  metadata.op_name = before_;
  builder_->SetOpMetadata(std::move(metadata));
}

ScopedSharding::ScopedSharding(Builder* builder, absl::string_view sharding) : builder_(builder), before_(builder->sharding()) {
  builder->SetSharding(sharding);
}

ScopedSharding::~ScopedSharding() { builder_->SetSharding(before_); }

}  // namespace hloscope::hlo
