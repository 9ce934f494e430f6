// One instruction: `[ROOT] name = shape opcode(operands), attribute=value, ...`.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/ir/old_opcodes.h"
#include "core/ir/written_names.h"
#include "core/text/literal_text.h"
#include "core/text/module_reader.h"

namespace hloscope {
namespace {

// Attributes with a field of their own in Instruction, as opposed to attributes.def.
enum SpecialAttribute { kNotSpecial, kMetadata, kSharding, kBackendConfig, kFrontendAttributes, kStatistics, kControlPredecessors };

SpecialAttribute SpecialFromName(absl::string_view name) {
  switch (name.size()) {
    case 8: return name == "metadata" ? kMetadata : name == "sharding" ? kSharding : kNotSpecial;
    case 10: return name == "statistics" ? kStatistics : kNotSpecial;
    case 14: return name == "backend_config" ? kBackendConfig : kNotSpecial;
    case 19: return name == "frontend_attributes" ? kFrontendAttributes : kNotSpecial;
    case 20: return name == "control-predecessors" ? kControlPredecessors : kNotSpecial;
    default: return kNotSpecial;
  }
}

bool IsKnownAttribute(absl::string_view name) { return SpecialFromName(name) != kNotSpecial || AttrIdFromName(name) != AttrId::kUnknown; }

constexpr int kFirstSpecialBit = 256;  // in scope_.seen_attributes, behind the bits of AttrId

}  // namespace

// The computation has many names and will have more: as many for each byte as so far, up to its closing brace. Made large at once, the table
// needs not be filled again and again.
void ModuleReader::ReserveNames(const Computation& computation) {
  const int64_t read = s_.Offset(s_.p) - computation.instructions.front()->range.begin;
  const absl::string_view rest(s_.p, s_.end() - s_.p);
  const int64_t left = static_cast<int64_t>(std::min(rest.find("\n}"), rest.size()));
  const int64_t count = static_cast<int64_t>(scope_.names.size());
  constexpr int64_t kMost = 1 << 20;
  if (read > 0) scope_.names.reserve(count + std::min(count * left / read, kMost));
}

ModuleReader::Outcome ModuleReader::ReadInstruction(Computation* computation) {
  const char* start = s_.p;
  const char* name_start = start;
  absl::string_view name = s_.Name();
  bool is_root = false;
  s_.SkipSpace();
  if (name == "ROOT" && *start == 'R' && *s_.p != '=') {
    is_root = true;
    name_start = s_.p;
    name = s_.Name();
    s_.SkipSpace();
  }
  const bool nameless = (name.empty() || *s_.p != '=') && AtNamelessInstruction(name_start);
  if (nameless) {
    s_.p = name_start;
  } else if (name.empty()) {
    s_.p = name_start;
    s_.Error(s_.Here(), HLO_LABEL("text.expected-name"), absl::StrCat("expected the name of an instruction, found ", s_.Found()));
    return Outcome::kFailed;
  } else if (*s_.p != '=') {
    if (!is_root && (name == "ENTRY" || name == "HloModule" || AtComputationHeader(name))) return Outcome::kHeader;
    scope_.broken_names.insert(name);
    if (s_.FoundInstead() == "the end of the line" && !BeginsLine(start)) {  // a word behind an instruction
      s_.Error(s_.Range(name), HLO_LABEL("text.expected-punctuation"),
               absl::StrCat("expected ',' or the end of the instruction, found '", name, "'"));
      return Outcome::kFailed;
    }
    s_.Error(s_.Missing(), HLO_LABEL("text.expected-punctuation"),
             absl::StrCat("expected '=' after the name of an instruction, found ", s_.FoundInstead()),
             "an instruction looks like: name = f32[2] opcode(operands), attribute=value");
    return Outcome::kFailed;
  } else {
    ++s_.p;
  }
  Instruction* instruction = module_->AddInstruction(computation);
  instruction->opcode = Opcode::kCustomCall;  // until known
  instruction->range = s_.Range(start, s_.p);
  if (nameless) {
    instruction->name_range = s_.Here();
  } else {
    instruction->name = name;
    instruction->name_range = s_.Range(name);
    scope_.names.try_emplace(name, instruction);
    if (scope_.names.size() == kManyNames) ReserveNames(*computation);
  }
  if (is_root) {
    if (computation->root != nullptr) {
      s_.Error(s_.Range(start, start + 4), HLO_LABEL("text.second-root"),
               absl::StrCat("expected one ROOT in a computation; ", computation->root->name, " is ROOT already"));
    } else {
      computation->root = instruction;
    }
  }
  absl::string_view sugar;
  const int errors = sink_.error_count();
  bool ok = ReadShapeAndOpcode(instruction, &sugar);
  if (nameless) NameLater(instruction, Name(instruction->opcode));
  ok = ok && ReadParentheses(instruction) && ReadAttributes(instruction);
  instruction->range = s_.Range(start, s_.p);
  instruction->in_error = sink_.error_count() != errors;
  if (ok && !sugar.empty()) WrapAsync(instruction, sugar);
  return ok ? Outcome::kRead : Outcome::kFailed;
}

bool ModuleReader::ReadShapeAndOpcode(Instruction* instruction, absl::string_view* sugar) {
  s_.SkipSpace();
  if (!shapes_.AtShape()) {
    instruction->shape_omitted = true;
    if (!StatementBegins()) return ReadOpcode(instruction, sugar);
    return s_.Error(s_.Missing(), HLO_LABEL("text.expected-opcode"),
                    absl::StrCat("expected a shape or an opcode, found ", s_.FoundInstead()));
  }
  if (!shapes_.Read(&instruction->shape)) {
    instruction->shape_omitted = true;  // reported; the rest may still be read
    s_.SkipSpace();
    const char* p = s_.p;
    while (IsClass(*p, char_class::kName)) ++p;
    if (p == s_.p || *p != '(') return false;
  }
  s_.SkipSpace();
  return ReadOpcode(instruction, sugar);
}

bool ModuleReader::ReadOpcode(Instruction* instruction, absl::string_view* sugar) {
  const char* start = s_.p;
  while (IsClass(*s_.p, char_class::kName)) ++s_.p;
  absl::string_view word(start, s_.p - start);
  if (word.empty()) {
    return s_.Error(s_.Here(), HLO_LABEL("text.expected-opcode"),
                    absl::StrCat("expected ", instruction->shape_omitted ? "a shape or an opcode" : "an opcode", ", found ", s_.Found()));
  }
  s_.SkipSpace();
  if (*s_.p != '(' && ElementTypeFromName(word)) {
    return s_.Error(s_.Range(word), HLO_LABEL("text.expected-shape"), absl::StrCat("expected a shape, found only the element type ", word),
                    absl::StrCat("write ", word, "[] for a scalar"));
  }
  if (std::optional<Opcode> opcode = OpcodeFromName(word)) {
    instruction->opcode = *opcode;
    if (word == kCrossReplicaSum) SumLater(instruction, instruction->parent);
    return true;
  }
  // `custom-call-start(...)` is short for an async-start that calls a computation of just the custom-call.
  struct Suffix {
    absl::string_view text;
    Opcode opcode;
  };
  static constexpr Suffix kSuffixes[] = {{"-start", Opcode::kAsyncStart}, {"-update", Opcode::kAsyncUpdate}, {"-done", Opcode::kAsyncDone}};
  for (const Suffix& suffix : kSuffixes) {
    absl::string_view inner = word;
    if (!absl::ConsumeSuffix(&inner, suffix.text)) continue;
    std::optional<Opcode> wrapped = OpcodeFromName(inner);
    if (!wrapped || *wrapped == Opcode::kConstant || *wrapped == Opcode::kParameter) continue;
    instruction->opcode = suffix.opcode;
    if (suffix.opcode == Opcode::kAsyncStart) *sugar = inner;
    return true;
  }
  NearestName nearest(word, &suggestion_budget_);
  for (int i = 0; i < kOpcodeCount; ++i) nearest.Offer(Name(static_cast<Opcode>(i)));
  instruction->parent->in_error = true;  // it may have been meant for a parameter
  s_.Error(s_.Range(word), HLO_LABEL("text.unknown-opcode"), absl::StrCat("expected an opcode, found '", word, "'"), nearest.Hint());
  // Its operands and attributes are read all the same, unless it plainly has no operands (a number, a literal).
  if (*s_.p != '(') return false;
  const char* p = s_.p + 1;
  while (*p == ' ') ++p;
  literal_of_unknown_ = *p == '-' || *p == '{' || *p == '"' || (*p >= '0' && *p <= '9');
  return true;
}

// What stands in the parentheses behind the opcode.
bool ModuleReader::ReadParentheses(Instruction* instruction) {
  if (std::exchange(literal_of_unknown_, false)) return s_.SkipBalanced(/*quiet=*/true);
  if (!s_.Take('(')) return s_.Expect('(', absl::StrCat("the opcode ", Name(instruction->opcode)));  // words only where they are needed
  const char* open = s_.p - 1;
  bool ok = false;
  if (instruction->opcode == Opcode::kParameter) {
    s_.SkipSpace();
    const char* start = s_.p;
    ok = s_.Integer(&instruction->parameter_number, "the number of a parameter");
    if (ok && instruction->parameter_number < 0) {
      ok = s_.Error(s_.Range(start, s_.p), HLO_LABEL("text.parameter-number"),
                    absl::StrCat("expected a parameter number of at least 0, found ", instruction->parameter_number));
      instruction->parameter_number = 0;
    }
    ok = ok && s_.Expect(')', "the number of a parameter");
  } else if (instruction->opcode == Opcode::kConstant) {
    instruction->literal = std::make_unique<ConstantLiteral>();
    s_.SkipSpace();
    if (instruction->shape_omitted) {
      s_.Error(instruction->name_range, HLO_LABEL("text.constant-shape"), "expected the shape of a constant before its opcode",
               "write for instance: c = f32[2] constant({1, 2})");
    } else {
      ok = ReadLiteral(s_, instruction->shape, instruction->literal.get()) && s_.Expect(')', "the literal of a constant");
    }
  } else {
    ok = ReadOperands(instruction);
  }
  if (ok) return true;
  if (s_.stopped()) return false;
  s_.p = open;
  return SkipBracketed();
}

bool ModuleReader::ReadOperands(Instruction* instruction) {
  if (s_.Take(')')) return true;
  Computation* computation = instruction->parent;
  bool aside = false;  // taken out of its computation until its nested operands are in
  bool ok = false, closed = false;
  do {
    const char* before = s_.p;
    s_.SkipSpace();
    const char* shape_start = s_.p;
    Shape shape;
    bool typed = false;
    ok = false;
    if (shapes_.AtShape()) {
      if (!shapes_.Read(&shape)) break;
      typed = true;
      s_.SkipSpace();
    }
    const char* start = s_.p;
    if (typed && computation == fragment_ && (*start == ',' || *start == ')')) {  // negate(f32[2]): a parameter that is not even named
      instruction->operands.push_back(AddImpliedParameter({}, shape, s_.Range(shape_start, start)));
      instruction->operand_ranges.push_back(s_.Range(shape_start, start));
      ok = true;
      continue;
    }
    absl::string_view name = s_.Name();
    if (name.empty()) {
      s_.Error(s_.Missing(), HLO_LABEL("text.expected-operand"),
               absl::StrCat("expected the name of an operand, found ", s_.FoundInstead()));
      break;
    }
    s_.SkipSpace();
    if (*s_.p == '=') {  // the parenthesis is not closed: behind it stands an attribute, or the next instruction
      closed = before[-1] == ',' && s_.p == start + name.size() && IsKnownAttribute(name);
      s_.p = start;
      const bool next = !closed && StatementBegins();
      s_.Error(s_.Missing(), HLO_LABEL("text.expected-punctuation"),
               absl::StrCat("expected ", next ? "the name of an operand" : "')' after the operands", ", found ", s_.FoundInstead()));
      if (closed) s_.p = before - 1;  // the comma before the attribute
      if (!closed) scope_.broken_names.insert(name);
      break;
    }
    if (*s_.p == '(' && name.data() == start) {  // add(f32[2] parameter(0), negate(x))
      if (!aside) computation->instructions.pop_back();
      aside = true;
      s_.p = start;
      Instruction* nested = ReadNested(computation, typed ? &shape : nullptr, name);
      if (nested == nullptr) break;
      instruction->operands.push_back(nested);
      instruction->operand_ranges.push_back(nested->range);
    } else {
      AddOperand(instruction, name, s_.Range(start, name.data() + name.size() + (*start == '"' || (*start == '%' && start[1] == '"'))),
                 typed ? &shape : nullptr);
    }
    ok = true;
  } while (s_.Take(','));
  if (aside) computation->instructions.push_back(instruction);
  return closed || (ok && s_.Expect(')', "the operands"));
}

void ModuleReader::AddOperand(Instruction* instruction, absl::string_view name, SourceRange range, const Shape* shape) {
  auto it = scope_.names.find(name);
  Instruction* operand = it == scope_.names.end() ? nullptr : it->second;
  if (operand == nullptr || operand == instruction) {
    scope_.pending.push_back(
        {instruction, static_cast<int>(instruction->operands.size()), name, range, shape != nullptr ? *shape : Shape(), shape != nullptr});
  } else if (shape != nullptr) {
    CheckOperandShape(range, *shape, *operand);
  }
  instruction->operands.push_back(operand);
  instruction->operand_ranges.push_back(range);
}

void ModuleReader::CheckOperandShape(SourceRange range, const Shape& written, const Instruction& operand) {
  if (operand.shape_omitted || Shape::Compatible(written, operand.shape)) return;
  s_.Error(range, HLO_LABEL("text.operand-shape"),
           absl::StrCat("expected the shape of ", ShownName(operand), ", ", operand.shape.ToString(false), ", before its name, found ",
                        written.ToString(false)));
}

// A closing bracket too many: no instruction ends in `)` or `]`, and an attribute behind `}` shows that it does not close the computation.
bool ModuleReader::SkipStrayBracket() {
  const char* p = s_.p;
  while (*p == ' ' || *p == '\t') ++p;
  if (*p != ')' && *p != ']' && *p != '}') return false;
  const char* end = std::exchange(s_.p, p);
  bool stray = nesting_ == 0 || *p != '}';
  if (stray && *p == '}') {
    ++s_.p;
    stray = s_.Take(',');
    s_.SkipSpace();
    stray = stray && IsKnownAttribute(s_.Name()) && *s_.p == '=';
    s_.p = p;
  }
  if (stray) {
    s_.Error(s_.Here(), HLO_LABEL("text.expected-punctuation"),
             absl::StrCat("expected ',' or the end of the instruction, found ", s_.Found()), "this bracket closes nothing: remove it");
  }
  s_.p = stray ? p + 1 : end;
  return stray;
}

// At '{', where a value has failed: a computation that is written in place. Of an attribute of another kind it is none, however it looks.
bool ModuleReader::MayBeBody() {
  const char* p = s_.p;
  while (p > s_.begin() && p[-1] == ' ') --p;
  if (p > s_.begin() && p[-1] == '=') {
    const char* end = p - 1;
    for (p = end; p > s_.begin() && IsClass(p[-1], char_class::kName); --p) continue;
    const absl::string_view name(p, end - p);
    if (SpecialFromName(name) != kNotSpecial) return false;
    const AttrId id = AttrIdFromName(name);
    const AttrKind kind = id == AttrId::kUnknown ? AttrKind::Raw : Info(id).kind;
    if (kind != AttrKind::Computation && kind != AttrKind::Computations && id != AttrId::kUnknown) return false;
  }
  return AtInlineBody(s_);
}

// A known attribute that stands behind the instruction on the same line, its comma forgotten.
bool ModuleReader::AttributeFollows() {
  const char* p = s_.p;
  while (*p == ' ' || *p == '\t') ++p;
  if (p == s_.p || !IsClass(*p, char_class::kAlpha)) return false;
  const char* start = p;
  while (IsClass(*p, char_class::kName)) ++p;
  absl::string_view name(start, p - start);
  if (*p != '=' || !IsKnownAttribute(name)) return false;
  s_.p = start;
  s_.Error(s_.Range(name), HLO_LABEL("text.expected-punctuation"), absl::StrCat("expected ',' before the attribute ", name));
  return true;
}

bool ModuleReader::ReadAttributes(Instruction* instruction) {
  scope_.attributes.clear();
  scope_.seen_attributes.reset();
  bool ok = true;
  const char* end = s_.p;
  while (ok && !s_.stopped()) {
    if (!AttributeFollows() && !s_.Take(',')) {
      s_.p = end;  // on its line
      if (!SkipStrayBracket()) break;
      end = s_.p;
      continue;
    }
    s_.SkipSpace();
    if (StatementBegins(/*apart=*/true)) {
      s_.Error(s_.Missing(), HLO_LABEL("text.expected-name"), absl::StrCat("expected the name of an attribute, found ", s_.FoundInstead()));
      end = s_.p;
      break;
    }
    ok = ReadAttribute(instruction);
    end = s_.p;
  }
  if (ok) s_.p = end;
  if (!scope_.attributes.empty()) {
    instruction->attributes.reserve(scope_.attributes.size());
    for (Attribute& a : scope_.attributes) instruction->attributes.push_back(std::move(a));
  }
  return ok;
}

// name=value. On a bad value goes on behind it; false when that is not possible.
bool ModuleReader::ReadAttribute(Instruction* instruction) {
  const char* name_start = s_.p;
  absl::string_view name = s_.Name();
  if (name.empty()) {
    return s_.Error(s_.Missing(), HLO_LABEL("text.expected-name"), absl::StrCat("expected the name of an attribute, found ", s_.FoundInstead()));
  }
  if (!s_.Take('=')) return s_.Expect('=', absl::StrCat("the attribute ", name.substr(0, 60)));
  const char* value_end = s_.p;  // where there is none
  s_.SkipSpace();
  const char* value_start = s_.p;
  const size_t references = scope_.references.size();
  if (ReadAttributeValue(instruction, name, name_start)) return true;
  scope_.references.resize(references);
  if (s_.stopped()) return false;
  s_.p = value_start;
  if (StatementBegins()) {
    s_.p = value_end;
    return true;
  }
  absl::string_view skipped;
  if (*s_.p != '{' && *s_.p != '(' && *s_.p != '[') {
    bool ok = s_.Raw(&skipped, /*quiet=*/true);
    s_.Charge(s_.p - value_start);
    return ok;
  }
  if (!SkipBracketed()) return false;
  if (!IsClass(*s_.p, char_class::kSpace)) s_.Raw(&skipped, /*quiet=*/true);
  return true;
}

bool ModuleReader::BeginsLine(const char* line) const {
  while (line > s_.begin() && (line[-1] == ' ' || line[-1] == '\t')) --line;
  return line > s_.begin() && line[-1] == '\n';
}

// `[ROOT] name =` at the beginning of a line: no value of an attribute; nor an attribute, where the equals sign stands apart.
bool ModuleReader::StatementBegins(bool apart) {
  if (!BeginsLine(s_.p)) return false;
  const char* start = s_.p;
  absl::string_view name = s_.Name();
  s_.SkipSpace();
  if (name == "ROOT") {
    name = s_.Name();
    s_.SkipSpace();
  }
  const bool begins = !name.empty() && *s_.p == '=' && (!apart || s_.p[-1] == ' ');
  s_.p = start;
  return begins;
}

bool ModuleReader::ReadAttributeValue(Instruction* instruction, absl::string_view name, const char* name_start) {
  const SpecialAttribute special = SpecialFromName(name);
  const AttrId id = special != kNotSpecial ? AttrId::kUnknown : AttrIdFromName(name);
  if (special != kNotSpecial || id != AttrId::kUnknown) {
    const int bit = special != kNotSpecial ? kFirstSpecialBit + special : static_cast<int>(id);
    if (scope_.seen_attributes[bit]) {
      return s_.Error(s_.Range(name), HLO_LABEL("text.duplicate-attribute"),
                      absl::StrCat("expected the attribute ", name, " once in an instruction"));
    }
    scope_.seen_attributes.set(bit);
  }
  switch (special) {
    case kMetadata: return ReadMetadata(instruction->metadata);
    case kSharding: return ReadRaw(&instruction->sharding);
    case kBackendConfig: return ReadRaw(&instruction->backend_config);
    case kFrontendAttributes: return ReadRaw(&instruction->frontend_attributes);
    case kStatistics: return ReadRaw(&instruction->statistics);
    case kControlPredecessors: return ReadControlPredecessors(instruction);
    case kNotSpecial: break;
  }
  Attribute& attribute = scope_.attributes.emplace_back();
  attribute.id = id;
  attribute.name = name;
  seen_outfeed_shape_ |= id == AttrId::kOutfeedShape;
  const size_t first = scope_.references.size();
  auto read_inline = [&](int element) { return ReadInlineComputation(*instruction, name, element); };
  AttributeReading reading{s_, name, scope_.references, read_inline};
  const char* value_start = s_.p;
  if (!TextOf(Info(id).kind).read(reading, attribute.value) ||
      (std::holds_alternative<absl::string_view>(attribute.value) && !EndsWithStatement(value_start))) {
    scope_.attributes.pop_back();
    return false;
  }
  attribute.range = s_.Range(name_start, s_.p);
  for (size_t i = first; i < scope_.references.size(); ++i) {
    scope_.references[i].instruction = instruction;
    scope_.references[i].attribute = static_cast<int>(scope_.attributes.size()) - 1;
  }
  return true;
}

// What is not looked into, as it stands.
bool ModuleReader::ReadRaw(absl::string_view* value) {
  const char* start = s_.p;
  return s_.Raw(value) && EndsWithStatement(start);
}

bool ModuleReader::ReadControlPredecessors(Instruction* instruction) {
  if (!s_.Expect('{', "control-predecessors=")) return false;
  if (s_.Take('}')) return true;
  do {
    s_.SkipSpace();
    const char* start = s_.p;
    absl::string_view name = s_.Name();
    if (name.empty()) {
      return s_.Error(s_.Here(), HLO_LABEL("text.expected-operand"),
                      absl::StrCat("expected the name of an instruction, found ", s_.Found()));
    }
    // All of them are settled at the end of the computation, in their order.
    scope_.pending.push_back({instruction, -1, name, s_.Range(start, s_.p), Shape(), false});
  } while (s_.Take(','));
  return s_.Expect('}', "the control predecessors");
}

// {op_type=".." op_name=".." source_file=".." source_line=1 ...}: the fields that are used are picked out, the rest is only walked over.
bool ModuleReader::ReadMetadata(Metadata& metadata) {
  const char* open = s_.p;
  if (*open != '{') {
    return s_.Error(s_.Missing(), HLO_LABEL("text.metadata"), absl::StrCat("expected metadata such as {op_name=\"..\"}, found ", s_.FoundInstead()));
  }
  ++s_.p;
  while (true) {
    s_.SkipSpace();
    if (*s_.p == '}') break;
    if (*s_.p == ',') {
      ++s_.p;
      continue;
    }
    const char* start = s_.p;
    absl::string_view key = s_.Word();
    if (key.empty() || *s_.p != '=') {
      s_.p = start;
      return s_.Error(s_.Missing(), HLO_LABEL("text.metadata"),
                      absl::StrCat("expected a field such as op_name=\"..\" in metadata, found ", s_.FoundInstead()));
    }
    ++s_.p;
    absl::string_view text;
    if (*s_.p == '"' || *s_.p == '\'') {
      if (!s_.Quoted(&text)) return false;
      if (key == "op_name") metadata.op_name = text;
      if (key == "op_type") metadata.op_type = text;
      if (key == "source_file") metadata.source_file = text;
    } else if (key == "source_line" || key == "stack_frame_id") {
      int64_t number;
      if (!s_.Integer(&number, key)) return false;
      int32_t clamped = static_cast<int32_t>(std::clamp<int64_t>(number, INT32_MIN, INT32_MAX));
      (key == "source_line" ? metadata.source_line : metadata.stack_frame_id) = clamped;
    } else if (!s_.Raw(&text)) {
      return false;
    }
  }
  metadata.raw = absl::string_view(open + 1, s_.p - open - 1);
  ++s_.p;
  return true;
}

// Makes the computation that `opcode-start` leaves out: parameters for the operands, and one `opcode` instruction with the attributes.
void ModuleReader::WrapAsync(Instruction* start, absl::string_view opcode) {
  absl::string_view name = module_->Intern(absl::StrCat("async_wrapped.", start->name));
  Computation* wrapped = module_->AddComputation(name);
  module_->computations.pop_back();
  generated_computations_.push_back({wrapped, anchor_ != nullptr ? anchor_ : start->parent});
  wrapped->range = wrapped->name_range = start->range;
  absl::Span<const Shape> parts = start->shape.tuple_shapes();
  const bool lists_operands = parts.size() >= 2 && parts[0].IsTuple() && parts[0].tuple_shapes().size() == start->operands.size();
  std::vector<Instruction*> parameters;
  for (size_t i = 0; i < start->operands.size(); ++i) {
    Instruction* parameter = module_->AddInstruction(wrapped);
    parameter->opcode = Opcode::kParameter;
    parameter->name = module_->Intern(absl::StrCat("param_", i));
    parameter->parameter_number = static_cast<int64_t>(i);
    parameter->range = parameter->name_range = start->range;
    if (lists_operands) {
      parameter->shape = parts[0].tuple_shapes()[i];
    } else {
      wrapped_.push_back({parameter, start, static_cast<int>(i)});
    }
    parameters.push_back(parameter);
  }
  Instruction* root = module_->AddInstruction(wrapped);
  root->opcode = *OpcodeFromName(opcode);
  if (opcode == kCrossReplicaSum) SumLater(root, start->parent);
  root->name = module_->Intern(absl::StrCat(start->name, ".wrapped"));
  root->range = root->name_range = start->range;
  if (parts.size() >= 2) {
    root->shape = parts[1];
  } else {
    root->shape_omitted = true;
  }
  for (Instruction* parameter : parameters) {
    root->operands.push_back(parameter);
    root->operand_ranges.push_back(start->range);
  }
  wrapped->root = root;
  // The attributes belong to the operation, save for those of the start itself.
  std::vector<Attribute> own;
  for (size_t i = 0; i < start->attributes.size(); ++i) {
    Attribute& attribute = start->attributes[i];
    const bool stays = attribute.id == AttrId::kAsyncExecutionThread;
    if (stays) wrapped->execution_thread = start->Text(AttrId::kAsyncExecutionThread);
    for (auto it = scope_.references.rbegin(); it != scope_.references.rend() && (it->instruction == start || it->instruction == root); ++it) {
      ComputationReference& reference = *it;
      if (reference.instruction != start || reference.attribute != static_cast<int>(i)) continue;
      reference.instruction = stays ? start : root;
      reference.attribute = static_cast<int>(stays ? own.size() : root->attributes.size());
    }
    (stays ? own : root->attributes).push_back(std::move(attribute));
  }
  Attribute calls;
  calls.id = AttrId::kCalls;
  calls.name = "calls";
  calls.value = wrapped;
  calls.range = start->range;
  own.push_back(std::move(calls));
  start->attributes = std::move(own);
}

}  // namespace hloscope
