// A module to messages. Where a message, read back, would say something else than the module (an attribute without a field, a flag that
// the text states and the fields imply), the text goes along in a field of our own.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/text/attribute_text.h"
#include "core/text/proto/convert.h"
#include "core/text/proto/hlo_proto.h"

namespace hloscope {
namespace {

class Writer {
 public:
  Writer(const Module& module, pb::HloModuleProto* proto) : m_(module), p_(proto) {}

  void Write() {
    p_->set_name(m_.name);
    FillHeader(m_, p_);
    Frames();
    Number();
    for (const Computation* c : m_.computations) WriteComputation(*c, p_->add_computations());
    if (m_.entry != nullptr) {
      Set(p_->mutable_entry_computation_name(), m_.entry->name);
      p_->set_entry_computation_id(computation_ids_[m_.entry]);
    }
    const std::string* scheduled = m_.FindHeader("is_scheduled");
    if (scheduled != nullptr && *scheduled == "true") Schedule();
    AttributeTexts header(m_.header.begin(), m_.header.end());
    if (!SameTexts(header, HeaderTexts(*p_)) || m_.name.empty()) p_->set_header_text(JoinTexts(header));
  }

 private:
  void Number() {
    int64_t next = 0;
    for (const Computation* c : m_.computations) {
      computation_ids_[c] = static_cast<int64_t>(computation_ids_.size()) + 1;
      for (const Instruction* i : c->instructions) instruction_ids_[i] = ++next;
      for (const Instruction* i : c->instructions) names_.insert(std::string(i->name));
    }
  }

  // Of the instructions of one name, which HLO text allows in different computations, the first keeps it.
  void WriteName(const Instruction& i, pb::HloInstructionProto* p) {
    if (named_.insert(std::string(i.name)).second) {
      Set(p->mutable_name(), i.name);
      return;
    }
    std::string other;
    do {
      other = absl::StrCat(i.name, ".", ++numbers_[std::string(i.name)]);
    } while (!names_.insert(other).second);
    Set(p->mutable_name(), other);
    Set(p->mutable_own_name(), i.name);
  }

  void Frames() {
    if (m_.frames.empty()) return;
    pb::StackFrameIndexProto* f = p_->mutable_stack_frame_index();
    for (const std::string& name : m_.frames.file_names) f->add_file_names(name);
    for (const std::string& name : m_.frames.function_names) f->add_function_names(name);
    for (const FileLocation& l : m_.frames.file_locations) {
      auto* to = f->add_file_locations();
      to->set_file_name_id(l.file_name_id);
      to->set_function_name_id(l.function_name_id);
      to->set_line(l.line);
      to->set_column(l.column);
      if (l.end_line != 0) to->set_end_line(l.end_line);
      if (l.end_column != 0) to->set_end_column(l.end_column);
    }
    for (const StackFrame& frame : m_.frames.stack_frames) {
      auto* to = f->add_stack_frames();
      to->set_file_location_id(frame.file_location_id);
      to->set_parent_frame_id(std::max(0, frame.parent_frame_id - 1));  // the text counts the parents from one more
    }
  }

  void Schedule() {
    for (const Computation* c : m_.computations) {
      if (c->is_fusion) continue;
      auto* entry = p_->mutable_schedule()->add_sequences();
      entry->set_key(computation_ids_[c]);
      for (const Instruction* i : c->instructions) entry->mutable_value()->add_instruction_ids(instruction_ids_[i]);
    }
  }

  void WriteComputation(const Computation& c, pb::HloComputationProto* p) {
    Set(p->mutable_name(), c.name);
    p->set_id(computation_ids_[&c]);
    if (c.root != nullptr) p->set_root_id(instruction_ids_[c.root]);
    if (c.is_fusion) p->set_is_fusion_computation(true);
    if (!c.execution_thread.empty()) Set(p->mutable_execution_thread(), c.execution_thread);
    for (const Instruction* parameter : c.parameters) {
      FillShape(parameter->shape, p->mutable_program_shape()->add_parameters());
      Set(p->mutable_program_shape()->add_parameter_names(), parameter->name);
    }
    if (c.root != nullptr) FillShape(c.root->shape, p->mutable_program_shape()->mutable_result());
    for (const Instruction* i : c.instructions) WriteInstruction(*i, p->add_instructions());
    if (c.attributes.empty() && c.execution_thread != "main") return;
    AttributeTexts texts;
    if (!c.execution_thread.empty()) texts.emplace_back("execution_thread", absl::StrCat("\"", c.execution_thread, "\""));
    for (const Attribute& a : c.attributes) {
      std::string text;
      TextOf(Info(a.id).kind).print(a.value, PrintOptions(), &text);
      texts.emplace_back(std::string(a.name.empty() ? Info(a.id).name : a.name), std::move(text));
    }
    p->set_attributes_text(JoinTexts(texts));
  }

  // In the order in which the messages have them: a loop's body before its condition.
  std::vector<Computation*> Called(const Instruction& i) const {
    if (i.opcode == Opcode::kWhile) return {i.Called(AttrId::kBody), i.Called(AttrId::kCondition)};
    if (i.opcode == Opcode::kSelectAndScatter) return {i.Called(AttrId::kSelect), i.Called(AttrId::kScatter)};
    if (i.opcode == Opcode::kConditional && i.Has(AttrId::kTrueComputation)) {
      return {i.Called(AttrId::kTrueComputation), i.Called(AttrId::kFalseComputation)};
    }
    return i.CalledComputations();
  }

  void WriteInstruction(const Instruction& i, pb::HloInstructionProto* p) {
    WriteName(i, p);
    Set(p->mutable_opcode(), Name(i.opcode));
    FillShape(i.shape, p->mutable_shape());
    p->set_id(instruction_ids_[&i]);
    for (const Instruction* operand : i.operands) p->add_operand_ids(instruction_ids_[operand]);
    for (const Instruction* before : i.control_predecessors) p->add_control_predecessor_ids(instruction_ids_[before]);
    if (i.opcode == Opcode::kParameter) p->set_parameter_number(i.parameter_number);
    if (i.literal != nullptr && !i.literal->elided && i.literal->value.has_value()) FillLiteral(i.literal->value, p->mutable_literal());
    InstructionContext context;
    context.shape = &i.shape;
    if (!i.operands.empty()) context.first_operand = &i.operands[0]->shape;
    for (Computation* c : Called(i)) {
      if (c == nullptr) continue;
      p->add_called_computation_ids(computation_ids_[c]);
      context.called.push_back(c->name);
    }
    FillAttributes(i, p);
    if (i.opcode == Opcode::kConvolution) p->mutable_window();  // XLA wants one also where there is no spatial dimension
    const AttributeTexts texts = TextsOf(i);
    if (!SameTexts(texts, TextsOf(*p, i.opcode, context))) p->set_attributes_text(JoinTexts(texts));
  }

  const Module& m_;
  pb::HloModuleProto* p_;
  absl::flat_hash_map<const Computation*, int64_t> computation_ids_;
  absl::flat_hash_map<const Instruction*, int64_t> instruction_ids_;
  absl::flat_hash_set<std::string> names_;  // of all instructions, and those made
  absl::flat_hash_set<std::string> named_;  // that stand already
  absl::flat_hash_map<std::string, int> numbers_;
};

}  // namespace

std::string WriteHloProto(const Module& module) {
  pb::HloProto proto;
  Writer(module, proto.mutable_hlo_module()).Write();
  return proto.SerializeAsString();
}

std::string WriteHloSnapshot(const Module& module, absl::Span<const Value> arguments, const Value& result) {
  pb::HloSnapshot proto;
  Writer(module, proto.mutable_hlo()->mutable_hlo_module()).Write();
  for (const Value& argument : arguments) FillLiteral(argument, proto.add_arguments());
  if (result.has_value()) FillLiteral(result, proto.mutable_result());
  proto.set_execution_platform("hloscope");
  return proto.SerializeAsString();
}

}  // namespace hloscope
