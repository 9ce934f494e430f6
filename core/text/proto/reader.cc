// Messages to a module, by way of text; see the header.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "core/ir/written_names.h"
#include "core/text/attribute_text.h"
#include "core/text/hlo_text.h"
#include "core/text/proto/convert.h"
#include "core/text/proto/hlo_proto.h"
#include "core/text/proto/wire.h"

namespace hloscope {
namespace {

// Literals up to this many elements are written out in the text.
constexpr int64_t kShownElements = 32;
constexpr absl::string_view kHint = "the file may be cut off, or be another kind of file; write it anew with XLA_FLAGS=--xla_dump_hlo_as_proto";

enum class Kind { kProto, kModule, kSnapshot, kUnoptimized };
struct KindRow {
  Kind kind;
  absl::string_view format;
  const google::protobuf::Descriptor* (*type)();
};
// In the order of preference where two fit alike.
constexpr KindRow kKinds[] = {{Kind::kProto, "hlo proto", pb::HloProto::descriptor},
                              {Kind::kModule, "hlo module proto", pb::HloModuleProto::descriptor},
                              {Kind::kSnapshot, "hlo snapshot", pb::HloSnapshot::descriptor},
                              {Kind::kUnoptimized, "hlo unoptimized snapshot", pb::HloUnoptimizedSnapshot::descriptor}};

// A name that the text can have between quotes.
std::string CleanName(absl::string_view name, absl::string_view otherwise, int64_t id) {
  std::string clean = name.empty() ? absl::StrCat(otherwise, ".", id) : std::string(name);
  for (char& c : clean) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '_';
  }
  return clean;
}

std::string UniqueName(std::string name, absl::flat_hash_set<std::string>& taken) {
  const std::string base = name;
  for (int n = 2; !taken.insert(name).second; ++n) name = absl::StrCat(base, ".copy", n);
  return name;
}

// Makes the text of a module.
class TextMaker {
 public:
  struct Filling {
    std::string computation, instruction;
    const pb::LiteralProto* literal;
  };

  TextMaker(const pb::HloModuleProto& proto, DiagnosticSink& sink) : p_(proto), sink_(sink) {}

  bool Make(std::string* text, std::vector<Filling>* fillings) {
    fillings_ = fillings;
    Head(text);
    NameComputations();
    for (int c = 0; c < p_.computations_size(); ++c) Computation(c, text);
    if (p_.computations_size() > 0 && entry_ < 0) {
      Error(HLO_LABEL("proto.entry"), absl::StrCat("no computation has the id of the entry, ", p_.entry_computation_id()));
    }
    return !failed_;
  }

 private:
  void Error(absl::string_view label, std::string message) {
    failed_ = true;
    if (++errors_ <= 100) sink_.Error(SourceRange(), label, std::move(message));
  }

  void Head(std::string* text) {
    Module head;  // only to be printed
    head.name = CleanName(p_.name(), "module", p_.id());
    if (p_.has_header_text()) {
      if (p_.name().empty()) head.name.clear();
    } else {
      for (auto& [key, value] : HeaderTexts(p_)) head.header.emplace_back(key, value);
    }
    const pb::StackFrameIndexProto& frames = p_.stack_frame_index();
    head.frames.file_names.assign(frames.file_names().begin(), frames.file_names().end());
    head.frames.function_names.assign(frames.function_names().begin(), frames.function_names().end());
    for (const auto& l : frames.file_locations()) {
      head.frames.file_locations.push_back({l.file_name_id(), l.function_name_id(), l.line(), l.end_line(), l.column(), l.end_column()});
    }
    for (const auto& f : frames.stack_frames()) {  // the text counts the parents from one more
      head.frames.stack_frames.push_back({f.file_location_id(), f.parent_frame_id() == INT32_MAX ? 0 : f.parent_frame_id() + 1});
    }
    for (char& c : head.name) {
      if (!IsNameByte(c)) c = '_';
    }
    *text = PrintHloText(head);
    if (p_.has_header_text() && !p_.header_text().empty()) {
      const size_t end = text->find('\n');
      text->insert(end == std::string::npos ? text->size() : end, absl::StrCat(", ", p_.header_text()));
    }
  }
  static bool IsNameByte(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-' || static_cast<unsigned char>(c) >= 0x80; }

  void NameComputations() {
    absl::flat_hash_set<std::string> taken;
    for (int c = 0; c < p_.computations_size(); ++c) {
      const pb::HloComputationProto& computation = p_.computations(c);
      names_.push_back(UniqueName(CleanName(computation.name(), "computation", computation.id()), taken));
      by_id_.try_emplace(computation.id(), c);
      if (entry_ < 0 && computation.id() == p_.entry_computation_id()) entry_ = c;
    }
    for (int c = 0; c < p_.computations_size() && !p_.has_entry_computation_id(); ++c) {
      if (p_.computations(c).name() == p_.entry_computation_name()) entry_ = c;
    }
  }

  // The instructions in the order of the schedule, where there is one that has them all.
  std::vector<int> Order(const pb::HloComputationProto& computation) const {
    const int n = computation.instructions_size();
    std::vector<int> order(n);
    for (int i = 0; i < n; ++i) order[i] = i;
    for (const auto& entry : p_.schedule().sequences()) {
      if (entry.key() != computation.id() || entry.value().instruction_ids_size() != n) continue;
      absl::flat_hash_map<int64_t, int> position;
      for (int i = 0; i < n; ++i) position[entry.value().instruction_ids(i)] = i;
      std::vector<int> scheduled(n, -1);
      for (int i = 0; i < n; ++i) {
        auto it = position.find(computation.instructions(i).id());
        if (it == position.end() || scheduled[it->second] >= 0) return order;
        scheduled[it->second] = i;
      }
      return scheduled;
    }
    return order;
  }

  void Computation(int c, std::string* text) {
    const pb::HloComputationProto& computation = p_.computations(c);
    instructions_.clear();
    by_low_id_.clear();
    instruction_names_.clear();
    shapes_.clear();
    absl::flat_hash_set<std::string> taken;
    for (int i = 0; i < computation.instructions_size(); ++i) {
      const pb::HloInstructionProto& instruction = computation.instructions(i);
      instructions_.try_emplace(instruction.id(), i);
      by_low_id_.try_emplace(instruction.id() & 0xffffffff, i);
      instruction_names_.push_back(UniqueName(CleanName(instruction.has_own_name() ? instruction.own_name() : instruction.name(), "instruction", instruction.id()), taken));
      absl::StatusOr<Shape> shape = ShapeOf(instruction.shape());
      if (!shape.ok()) {
        Error(HLO_LABEL("proto.shape"), absl::StrCat("the shape of %", instruction_names_.back(), " in ", names_[c], " is damaged: ", shape.status().message()));
      }
      shapes_.push_back(shape.ok() ? *std::move(shape) : Shape());
    }
    if (c == entry_) text->append("ENTRY ");
    AppendName(names_[c], /*percent=*/false, text);
    text->append(" {\n");
    const int root = Find(computation.root_id());
    if (root < 0 && computation.instructions_size() > 0) {
      Error(HLO_LABEL("proto.root"), absl::StrCat("the root of ", names_[c], ", ", computation.root_id(), ", is none of its instructions"));
    }
    for (int i : Order(computation)) {
      text->append(i == root ? "  ROOT " : "  ");
      Instruction(c, i, text);
      text->push_back('\n');
    }
    text->push_back('}');
    if (computation.has_attributes_text()) {
      absl::StrAppend(text, ", ", computation.attributes_text());
    } else if (!computation.execution_thread().empty() && computation.execution_thread() != "main") {
      absl::StrAppend(text, ", execution_thread=\"", CleanName(computation.execution_thread(), "", 0), "\"");
    }
    text->append("\n\n");
  }

  int Find(int64_t id) const {
    auto it = instructions_.find(id);
    if (it != instructions_.end()) return it->second;
    it = by_low_id_.find(id & 0xffffffff);  // newer dumps put the computation into the upper half of some ids
    return it != by_low_id_.end() ? it->second : -1;
  }

  // Names of the instructions with these ids; reports ids that there are not.
  template <typename Ids>
  std::vector<int> FindAll(const Ids& ids, int c, int i) {
    std::vector<int> found;
    for (int64_t id : ids) {
      found.push_back(Find(id));
      if (found.back() >= 0) continue;
      Error(HLO_LABEL("proto.operand-id"),
            absl::StrCat("%", instruction_names_[i], " in ", names_[c], " uses instruction ", id, ", which is not in its computation"));
      found.pop_back();
    }
    return found;
  }

  void AppendNames(const std::vector<int>& found, std::string* text) const {
    for (size_t k = 0; k < found.size(); ++k) {
      if (k > 0) text->append(", ");
      AppendName(instruction_names_[found[k]], /*percent=*/false, text);
    }
  }

  void Instruction(int c, int i, std::string* text) {
    const pb::HloInstructionProto& p = p_.computations(c).instructions(i);
    AppendName(instruction_names_[i], /*percent=*/false, text);
    std::string name = p.opcode();
    const bool clean = !name.empty() && std::all_of(name.begin(), name.end(), [](char ch) { return absl::ascii_isalnum(ch) || ch == '-' || ch == '_'; });
    if (!clean) {
      Error(HLO_LABEL("proto.opcode"), absl::StrCat("%", instruction_names_[i], " in ", names_[c], " has no name of an operation"));
      name = "unknown";
    }
    absl::StrAppend(text, " = ", shapes_[i].ToString(), " ", name, "(");
    const std::optional<Opcode> opcode = OpcodeFromName(name);
    const std::vector<int> operands = FindAll(p.operand_ids(), c, i);
    if (opcode == Opcode::kParameter) {
      absl::StrAppend(text, p.parameter_number());
    } else if (opcode == Opcode::kConstant) {
      Literal(c, i, text);
    } else {
      AppendNames(operands, text);
    }
    text->push_back(')');
    Attributes(c, i, opcode, operands, text);
    const std::vector<int> control = FindAll(p.control_predecessor_ids(), c, i);
    if (!control.empty()) {
      text->append(", control-predecessors={");
      AppendNames(control, text);
      text->push_back('}');
    }
  }

  void Literal(int c, int i, std::string* text) {
    const pb::HloInstructionProto& p = p_.computations(c).instructions(i);
    const bool here = p.has_literal() && HasElements(p.literal());
    if (here && shapes_[i].IsArray() && shapes_[i].ElementCount() <= kShownElements) {
      const absl::StatusOr<Value> value = LiteralOf(p.literal(), shapes_[i]);
      if (value.ok()) {
        text->append(PrintLiteral(*value));
        return;
      }
    }
    if (here) fillings_->push_back({names_[c], instruction_names_[i], &p.literal()});
    text->append("{...}");
  }

  void Attributes(int c, int i, std::optional<Opcode> opcode, const std::vector<int>& operands, std::string* text) {
    const pb::HloInstructionProto& p = p_.computations(c).instructions(i);
    if (p.has_attributes_text()) {
      if (!p.attributes_text().empty()) absl::StrAppend(text, ", ", p.attributes_text());
      return;
    }
    InstructionContext context;
    context.shape = &shapes_[i];
    if (!operands.empty()) context.first_operand = &shapes_[operands[0]];
    context.payloads = &p_.payloads();
    for (int64_t id : p.called_computation_ids()) {
      auto it = by_id_.find(id);
      if (it == by_id_.end()) {
        Error(HLO_LABEL("proto.computation-id"),
              absl::StrCat("%", instruction_names_[i], " in ", names_[c], " calls computation ", id, ", which the module does not have"));
        continue;
      }
      context.called.push_back(names_[it->second]);
    }
    if (!opcode) return;
    const AttributeTexts texts = TextsOf(p, *opcode, context);
    if (!texts.empty()) absl::StrAppend(text, ", ", JoinTexts(texts));
  }

  const pb::HloModuleProto& p_;
  DiagnosticSink& sink_;
  std::vector<Filling>* fillings_ = nullptr;
  bool failed_ = false;
  int errors_ = 0;
  int entry_ = -1;
  std::vector<std::string> names_;                   // of the computations
  absl::flat_hash_map<int64_t, int> by_id_;          // computations
  absl::flat_hash_map<int64_t, int> instructions_;   // of the computation at hand, by id
  absl::flat_hash_map<int64_t, int> by_low_id_;
  std::vector<std::string> instruction_names_;
  std::vector<Shape> shapes_;
};

void FillConstants(Module& module, const std::vector<TextMaker::Filling>& fillings, DiagnosticSink& sink) {
  for (const TextMaker::Filling& filling : fillings) {
    const Computation* computation = module.FindComputation(filling.computation);
    Instruction* constant = computation == nullptr ? nullptr : computation->FindInstruction(filling.instruction);
    if (constant == nullptr || constant->literal == nullptr) continue;
    absl::StatusOr<Value> value = LiteralOf(*filling.literal, constant->shape);
    if (!value.ok()) {
      sink.Error(constant->range, HLO_LABEL("proto.literal"), absl::StrCat("the literal of ", ShownName(*constant), " is damaged: ", value.status().message()));
      continue;
    }
    constant->literal->value = *std::move(value);
    constant->literal->elided = false;
  }
}

// The arguments and the result of a snapshot, as values of the program's own shapes.
template <typename Literals>
void FillSnapshot(const Literals& arguments, const pb::LiteralProto* result, ProtoProgram& program, DiagnosticSink& sink) {
  const Computation* entry = program.module->entry;
  if (entry == nullptr || sink.error_count() > 0) return;
  if (arguments.size() > static_cast<int>(entry->parameters.size())) {
    sink.Error(entry->name_range, HLO_LABEL("proto.snapshot-arguments"),
               absl::StrCat("the snapshot has ", arguments.size(), " arguments for a program of ", entry->parameters.size(), " parameters"));
    return;
  }
  for (int i = 0; i < arguments.size(); ++i) {
    absl::StatusOr<Value> value = LiteralOf(arguments.Get(i), entry->parameters[i]->shape);
    if (!value.ok()) {
      sink.Error(entry->parameters[i]->range, HLO_LABEL("proto.snapshot-arguments"),
                 absl::StrCat("argument ", i, " of the snapshot does not fit: ", value.status().message()));
      return;
    }
    program.arguments.push_back(*std::move(value));
  }
  if (result == nullptr || entry->root == nullptr) return;
  absl::StatusOr<Value> value = LiteralOf(*result, entry->root->shape);
  if (value.ok()) {
    program.result = *std::move(value);
  } else {
    sink.Error(entry->root->range, HLO_LABEL("proto.snapshot-result"), absl::StrCat("the result of the snapshot does not fit: ", value.status().message()));
  }
}

void ReadModule(const pb::HloModuleProto& proto, const std::string& name, ProtoProgram& program, DiagnosticSink& sink) {
  std::string text;
  std::vector<TextMaker::Filling> fillings;
  if (!TextMaker(proto, sink).Make(&text, &fillings)) return;
  if (text.size() > INT32_MAX - 64) {
    sink.Error(SourceRange(), HLO_LABEL("proto.damaged"), "the program's text would be longer than 2 GiB");
    return;
  }
  program.source = std::make_shared<SourceText>(name, std::move(text));
  program.module = ReadHloText(program.source, sink);
  FillConstants(*program.module, fillings, sink);
}

// The kind whose structure fits and says most of the bytes: few in fields that it does not have, and more messages than taken for texts
// (a text may look like a message and a message like a text). Where none fits, the one that breaks last.
const KindRow& Recognise(absl::string_view bytes, WireReport* report) {
  const KindRow* best = nullptr;
  for (const KindRow& row : kKinds) {
    WireReport here = WalkWire(bytes, *row.type());
    bool better = best == nullptr || here.ok > report->ok;
    if (!better && here.ok == report->ok) {
      better = !here.ok                                        ? here.offset > report->offset
               : here.unknown_bytes != report->unknown_bytes ? here.unknown_bytes < report->unknown_bytes
                                                              : here.messages > report->messages;
    }
    if (!better) continue;
    best = &row;
    *report = std::move(here);
  }
  return *best;
}

template <typename Message>
bool Parse(absl::string_view bytes, Message* message) {
  return bytes.size() <= INT32_MAX && message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

bool ParseAndRead(Kind kind, absl::string_view bytes, const std::string& name, ProtoProgram& program, DiagnosticSink& sink) {
  switch (kind) {
    case Kind::kProto: {
      pb::HloProto message;
      if (!Parse(bytes, &message)) return false;
      ReadModule(message.hlo_module(), name, program, sink);
      return true;
    }
    case Kind::kModule: {
      pb::HloModuleProto message;
      if (!Parse(bytes, &message)) return false;
      ReadModule(message, name, program, sink);
      return true;
    }
    case Kind::kSnapshot: {
      pb::HloSnapshot message;
      if (!Parse(bytes, &message)) return false;
      ReadModule(message.hlo().hlo_module(), name, program, sink);
      if (program.module != nullptr) FillSnapshot(message.arguments(), message.has_result() ? &message.result() : nullptr, program, sink);
      return true;
    }
    case Kind::kUnoptimized: {
      pb::HloUnoptimizedSnapshot message;
      if (!Parse(bytes, &message)) return false;
      ReadModule(message.hlo_module(), name, program, sink);
      if (program.module != nullptr && message.partitions_size() > 0) FillSnapshot(message.partitions(0).arguments(), nullptr, program, sink);
      return true;
    }
  }
  return false;
}

}  // namespace

bool IsHloProto(absl::string_view bytes) {
  if (bytes.empty()) return false;
  // Tags and lengths are control characters, which text does not have.
  const absl::string_view head = bytes.substr(0, 4096);
  const bool binary = std::any_of(head.begin(), head.end(), [](char c) {
    const unsigned char u = static_cast<unsigned char>(c);
    return u < 0x20 && u != '\n' && u != '\r' && u != '\t' && u != '\f' && u != '\v';
  });
  if (!binary) return false;
  const unsigned char first = static_cast<unsigned char>(bytes[0]);
  WireReport report;
  Recognise(bytes, &report);
  // A message that is sound to its end, or one that begins as these do: with field 1 or 2, of a length.
  return report.ok ? report.unknown_bytes < static_cast<int64_t>(bytes.size()) : first == 0x0a || first == 0x12;
}

ProtoProgram ReadHloProto(absl::string_view bytes, const std::string& name, DiagnosticSink& sink) {
  ProtoProgram program;
  program.source = std::make_shared<SourceText>(name, "");
  WireReport report;
  const KindRow& row = Recognise(bytes, &report);
  program.format = std::string(row.format);
  if (!report.ok) {
    sink.Error(SourceRange(), HLO_LABEL("proto.damaged"),
               absl::StrCat("byte ", report.offset, report.path.empty() ? "" : absl::StrCat(", in ", report.path), ": ", report.problem),
               std::string(kHint));
    return program;
  }
  if (!ParseAndRead(row.kind, bytes, name, program, sink)) {
    sink.Error(SourceRange(), HLO_LABEL("proto.damaged"), absl::StrCat("the ", bytes.size(), " bytes are no ", row.format), std::string(kHint));
  }
  return program;
}

}  // namespace hloscope
