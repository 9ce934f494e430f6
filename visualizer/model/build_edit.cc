#include "visualizer/model/build_edit.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/ops/op.h"
#include "core/text/hlo_text.h"
#include "visualizer/model/build_parts.h"

namespace hloscope::build {

std::vector<const Instruction*> UsersOf(const Instruction& instruction) {
  std::vector<const Instruction*> users, waiting;
  if (instruction.parent == nullptr) return users;
  for (const Instruction* user : instruction.parent->instructions) {
    if (std::find(user->operands.begin(), user->operands.end(), &instruction) != user->operands.end()) {
      users.push_back(user);
    } else if (std::find(user->control_predecessors.begin(), user->control_predecessors.end(), &instruction) != user->control_predecessors.end()) {
      waiting.push_back(user);
    }
  }
  users.insert(users.end(), waiting.begin(), waiting.end());
  return users;
}

absl::StatusOr<TextEdit> InsertInstruction(const Reading& reading, const Computation* computation, const Draft& given, Rooting rooting, const Instruction* after) {
  Draft draft = given;
  if (computation == nullptr) computation = EntryOf(reading);
  if (!OpcodeFromName(draft.opcode).has_value()) return absl::InvalidArgumentError(absl::StrCat("there is no operation '", draft.opcode, "'"));
  if (absl::StartsWith(draft.name, "%")) draft.name.erase(0, 1);
  if (draft.name.empty()) draft.name = FreeName(computation, draft.opcode);
  if (absl::Status named = CheckName(draft.name); !named.ok()) return named;
  const absl::string_view text = TextOfReading(reading);
  if (computation == nullptr) {  // not even an entry: a program of one line
    TextEdit edit;
    edit.begin = edit.end = static_cast<int64_t>(text.size());
    const absl::string_view before = text.empty() ? "HloModule untitled\n\nENTRY main {\n  ROOT " : "\nENTRY main {\n  ROOT ";
    edit.text = absl::StrCat(before, ToText(draft, false), "\n}\n");
    edit.cursor = edit.begin + static_cast<int64_t>(before.size());
    edit.name = draft.name;
    return edit;
  }
  if (computation->FindInstruction(draft.name) != nullptr) return absl::AlreadyExistsError(absl::StrCat(computation->name, " has an instruction ", draft.name, " already"));
  Promise promise = PromiseOf(*computation);
  if (draft.shape.empty()) {
    const Verdict verdict = Check(reading, *computation, draft);
    if (verdict.ok) draft.shape = verdict.shape.ToString();
  }
  const Instruction* root = computation->root;
  bool rooted = rooting == Rooting::kYes || root == nullptr;
  if (rooting == Rooting::kAuto && root != nullptr && draft.opcode != kParameter && draft.opcode != kConstant) {
    rooted = (root->operands.empty() && root->literal != nullptr) || root->parameter_number >= 0 || std::find(draft.operands.begin(), draft.operands.end(), root->name) != draft.operands.end();
  }
  Patches patches(text);
  if (rooted && root != nullptr && root->range.valid()) TakeRootAway(reading, *root, patches);
  // The last one is the root where none is marked.
  const bool mark = !rooted && root != nullptr && IsStatement(reading, *root) && !RootIsWritten(reading, *root);
  if (mark) patches.Insert(root->range.begin, "ROOT ");
  if (draft.opcode == kParameter) {
    promise.parameters.push_back({draft.name, draft.shape});
    if (after == nullptr && !computation->parameters.empty() && computation->parameters.back() != nullptr && IsStatement(reading, *computation->parameters.back())) after = computation->parameters.back();
  }
  if (rooted) promise.result = draft.shape;
  int64_t at = 0;
  const std::string line = absl::StrCat(rooted ? "ROOT " : "", ToText(draft, PercentStyle(reading, computation)));
  InsertLine(reading, *computation, after, line, patches, &at);
  MendHeaders(reading, *computation, promise, patches);
  TextEdit edit = Joined(patches, at, draft.name);
  if (const size_t found = edit.text.find(line); found != std::string::npos) edit.cursor = edit.begin + static_cast<int64_t>(found);
  return edit;
}

absl::StatusOr<TextEdit> ChangeInstruction(const Reading& reading, const Instruction& instruction, Draft draft) {
  if (!IsStatement(reading, instruction)) return absl::FailedPreconditionError(absl::StrCat(instruction.name, " does not stand in the text by itself"));
  if (!OpcodeFromName(draft.opcode).has_value()) return absl::InvalidArgumentError(absl::StrCat("there is no operation '", draft.opcode, "'"));
  const absl::string_view text = TextOfReading(reading);
  const Computation& computation = *instruction.parent;
  const Draft before = DraftOf(reading, instruction);
  const InstructionParts parts = TakeApart(text, instruction.range.begin);
  Patches patches(text);
  if (draft.name != before.name) {
    if (absl::Status named = CheckName(draft.name); !named.ok()) return named;
    if (computation.FindInstruction(draft.name) != nullptr) return absl::AlreadyExistsError(absl::StrCat(computation.name, " has an instruction ", draft.name, " already"));
    patches.Replace(parts.name.begin, parts.name.end, WrittenName(draft.name, text[parts.name.begin] == '%'));
    ReplaceUses(reading, instruction, draft.name, patches);
  }
  Promise promise = PromiseOf(computation);
  if (instruction.parameter_number >= 0) {
    for (auto& [name, shape] : promise.parameters) {
      if (name == before.name) name = draft.name;
    }
  }
  // The shape: as it follows, unless it was typed anew, or does not follow.
  const bool typed = draft.shape != before.shape && !draft.shape.empty();
  Draft open = draft;
  if (!typed) open.shape.clear();
  Verdict verdict = Check(reading, computation, open, &instruction);
  if (!verdict.ok && open.shape.empty()) {
    open.shape = before.shape;
    verdict = Check(reading, computation, open, &instruction);
  }
  std::string written = typed ? draft.shape : before.shape;
  if (verdict.ok && !typed) written = ShapeText(verdict.shape, &instruction.shape);
  if (written != before.shape && parts.shape.valid()) patches.Replace(parts.shape.begin, parts.shape.end, written);
  if (written != before.shape && !parts.shape.valid() && typed) patches.Insert(parts.opcode.begin, absl::StrCat(written, " "));
  if (draft.opcode != before.opcode) patches.Replace(parts.opcode.begin, parts.opcode.end, draft.opcode);
  const bool percent = text[parts.name.begin] == '%';
  if (draft.literal != before.literal) {
    patches.Replace(parts.arguments.begin, parts.arguments.end, draft.literal);
  } else if (draft.operands != before.operands) {
    std::vector<std::string> operands;
    for (size_t k = 0; k < draft.operands.size(); ++k) {
      const bool same = k < before.operands.size() && before.operands[k] == draft.operands[k];
      operands.push_back(same ? std::string(TextOf(text, parts.operands[k])) : WrittenName(draft.operands[k], percent));
    }
    patches.Replace(parts.arguments.begin, parts.arguments.end, absl::StrJoin(operands, ", "));
  }
  if (draft.attributes != before.attributes && parts.opcode.valid()) {
    std::string attributes;
    for (const auto& [name, value] : draft.attributes) absl::StrAppend(&attributes, ", ", name, "=", value);
    const int64_t begin = std::min<int64_t>(parts.arguments.end + 1, parts.end);
    patches.Replace(begin, parts.end, attributes);
  }
  if (verdict.ok && !Shape::Compatible(verdict.shape, instruction.shape)) {
    if (instruction.parameter_number >= 0) {
      for (auto& [name, shape] : promise.parameters) {
        if (name == draft.name) shape = written;
      }
    }
    if (&instruction == computation.root) promise.result = written;
    FollowShapes(reading, instruction, verdict.shape, patches, promise);
  }
  MendHeaders(reading, computation, promise, patches);
  return Joined(patches, parts.name.begin, draft.name);
}

absl::StatusOr<TextEdit> ChangeOperand(const Reading& reading, const Instruction& instruction, int operand, absl::string_view name) {
  Draft draft = DraftOf(reading, instruction);
  if (draft.opcode == kParameter || draft.opcode == kConstant) return absl::InvalidArgumentError(absl::StrCat(instruction.name, " has no operands"));
  if (operand < 0 || operand > static_cast<int>(draft.operands.size())) {
    return absl::OutOfRangeError(absl::StrCat(instruction.name, " has ", draft.operands.size(), " operands; there is no operand ", operand));
  }
  absl::ConsumePrefix(&name, "%");
  if (operand == static_cast<int>(draft.operands.size())) draft.operands.push_back("");
  draft.operands[operand] = std::string(name);
  const Instruction* found = instruction.parent->FindInstruction(name);
  if (found == nullptr) return absl::NotFoundError(absl::StrCat("there is no value ", name, " in ", instruction.parent->name));
  return ChangeInstruction(reading, instruction, std::move(draft));
}

absl::StatusOr<TextEdit> SetAttribute(const Reading& reading, const Instruction& instruction, absl::string_view attribute, absl::string_view value) {
  Draft draft = DraftOf(reading, instruction);
  attribute = absl::StripAsciiWhitespace(attribute);
  if (attribute.empty()) return absl::InvalidArgumentError("an attribute is needed, as dimensions={0}");
  if (value.empty() && draft.Find(attribute) == nullptr) return absl::NotFoundError(absl::StrCat(instruction.name, " has no attribute ", attribute));
  draft.Set(attribute, absl::StripAsciiWhitespace(value));
  return ChangeInstruction(reading, instruction, std::move(draft));
}

absl::StatusOr<TextEdit> DeleteInstruction(const Reading& reading, const Instruction& instruction, const Instruction* instead) {
  if (!IsStatement(reading, instruction)) return absl::FailedPreconditionError(absl::StrCat(instruction.name, " does not stand in the text by itself"));
  const Computation& computation = *instruction.parent;
  const std::vector<const Instruction*> users = UsersOf(instruction);
  if (instead == &instruction || (instead != nullptr && instead->parent != &computation)) return absl::InvalidArgumentError("what takes its place must be another value of the same computation");
  if (!users.empty() && instead == nullptr) {
    std::vector<absl::string_view> names;
    for (const Instruction* user : users) {
      if (names.size() < 5) names.push_back(user->name);
    }
    return absl::FailedPreconditionError(absl::StrCat(instruction.name, " is still used by ", absl::StrJoin(names, ", "), users.size() > names.size() ? absl::StrCat(" and ", users.size() - names.size(), " more") : "",
                                                      "; change those first, or say what they shall read instead"));
  }
  const absl::string_view text = TextOfReading(reading);
  Patches patches(text);
  Promise promise = PromiseOf(computation);
  if (instead != nullptr) ReplaceUses(reading, instruction, instead->name, patches);
  RemoveLine(reading, instruction, patches);
  if (computation.root == &instruction) {
    // What it computed from becomes the result.
    const Instruction* next = instead;
    if (next == nullptr && !instruction.operands.empty()) next = instruction.operands[0];
    if (next == nullptr) {
      for (const Instruction* other : computation.instructions) {
        if (other != &instruction && IsStatement(reading, *other)) next = other;
      }
    }
    if (next != nullptr && IsStatement(reading, *next)) {
      if (!RootIsWritten(reading, *next)) patches.Insert(next->range.begin, "ROOT ");
      promise.result = next->shape.ToString();
    }
  }
  if (instruction.parameter_number >= 0) {
    promise.parameters.erase(std::remove_if(promise.parameters.begin(), promise.parameters.end(), [&](const auto& p) { return p.first == instruction.name; }), promise.parameters.end());
    for (const Instruction* other : computation.parameters) {
      if (other == nullptr || other->parameter_number <= instruction.parameter_number || !IsStatement(reading, *other)) continue;
      const InstructionParts parts = TakeApart(text, other->range.begin);
      patches.Replace(parts.arguments.begin, parts.arguments.end, absl::StrCat(other->parameter_number - 1));
    }
  }
  MendHeaders(reading, computation, promise, patches);
  return Joined(patches, instruction.range.begin, instead != nullptr ? std::string(instead->name) : "");
}

absl::StatusOr<TextEdit> Rename(const Reading& reading, const Instruction& instruction, absl::string_view name) {
  absl::ConsumePrefix(&name, "%");
  Draft draft = DraftOf(reading, instruction);
  if (draft.name == name) return absl::InvalidArgumentError(absl::StrCat("it is called ", name, " already"));
  draft.name = std::string(name);
  return ChangeInstruction(reading, instruction, std::move(draft));
}

absl::StatusOr<TextEdit> RenameComputation(const Reading& reading, const Computation& computation, absl::string_view name) {
  absl::ConsumePrefix(&name, "%");
  if (absl::Status named = CheckName(name); !named.ok()) return named;
  if (reading.module->FindComputation(name) != nullptr) return absl::AlreadyExistsError(absl::StrCat("there is a computation ", name, " already"));
  const absl::string_view text = TextOfReading(reading);
  if (!InText(reading, computation.name_range) || BareName(TextOf(text, computation.name_range)) != computation.name) {
    return absl::FailedPreconditionError(absl::StrCat(computation.name, " has no name in the text"));
  }
  Patches patches(text);
  patches.Replace(computation.name_range.begin, computation.name_range.end, WrittenName(name, text[computation.name_range.begin] == '%'));
  for (const Computation* in : reading.module->computations) {
    for (const Instruction* i : in->instructions) {
      for (const Attribute& attribute : i->attributes) {
        const AttrKind kind = Info(attribute.id).kind;
        if ((kind != AttrKind::Computation && kind != AttrKind::Computations) || !InText(reading, attribute.range)) continue;
        const absl::string_view written = TextOf(text, attribute.range);
        const size_t equals = written.find('=');
        if (equals == absl::string_view::npos) continue;
        TextWalk walk(text, attribute.range.begin + static_cast<int64_t>(equals) + 1);
        walk.Take('{');
        while (walk.at() < attribute.range.end) {
          const SourceRange found = walk.Name();
          if (found.begin == found.end) break;
          if (BareName(TextOf(text, found)) == computation.name) patches.Replace(found.begin, found.end, WrittenName(name, text[found.begin] == '%'));
          if (!walk.Take(',')) break;
        }
      }
    }
  }
  return Joined(patches, computation.name_range.begin, std::string(name));
}

absl::StatusOr<TextEdit> MakeRoot(const Reading& reading, const Instruction& instruction) {
  const Computation& computation = *instruction.parent;
  if (!IsStatement(reading, instruction)) return absl::FailedPreconditionError(absl::StrCat(instruction.name, " does not stand in the text by itself"));
  if (computation.root == &instruction && RootIsWritten(reading, instruction)) return absl::FailedPreconditionError(absl::StrCat(instruction.name, " is the root already"));
  Patches patches(TextOfReading(reading));
  if (computation.root != nullptr && computation.root->range.valid()) TakeRootAway(reading, *computation.root, patches);
  patches.Insert(instruction.range.begin, "ROOT ");
  Promise promise = PromiseOf(computation);
  promise.result = instruction.shape.ToString();
  MendHeaders(reading, computation, promise, patches);
  return Joined(patches, instruction.range.begin, std::string(instruction.name));
}

absl::StatusOr<TextEdit> AddParameter(const Reading& reading, const Computation* computation, absl::string_view shape, absl::string_view name) {
  absl::ConsumePrefix(&name, "%");
  if (computation == nullptr) computation = EntryOf(reading);
  if (absl::StatusOr<Shape> parsed = ParseShape(shape); !parsed.ok()) return parsed.status();
  Draft draft;
  draft.opcode = kParameter;
  draft.shape = std::string(shape);
  draft.literal = absl::StrCat(computation != nullptr ? computation->parameters.size() : 0);
  draft.name = name.empty() ? FreeName(computation, absl::StrCat("p", draft.literal)) : std::string(name);
  return InsertInstruction(reading, computation, draft);
}

absl::StatusOr<TextEdit> AddConstant(const Reading& reading, const Computation* computation, absl::string_view shape, absl::string_view literal, absl::string_view name) {
  absl::ConsumePrefix(&name, "%");
  const absl::StatusOr<Shape> parsed = ParseShape(shape);
  if (!parsed.ok()) return parsed.status();
  Draft draft;
  draft.opcode = kConstant;
  draft.shape = std::string(shape);
  draft.literal = std::string(literal);
  draft.name = std::string(name);
  if (computation == nullptr) computation = EntryOf(reading);
  if (computation != nullptr) {
    const Verdict verdict = Check(reading, *computation, draft);
    if (!verdict.ok) return absl::InvalidArgumentError(verdict.findings.empty() ? "the literal cannot be read" : verdict.findings.front().message);
  }
  return InsertInstruction(reading, computation, draft);
}

absl::StatusOr<TextEdit> SetConstant(const Reading& reading, const Instruction& constant, absl::string_view literal, absl::string_view shape) {
  Draft draft = DraftOf(reading, constant);
  if (draft.opcode != kConstant) return absl::InvalidArgumentError(absl::StrCat(constant.name, " is not a constant"));
  draft.literal = std::string(literal);
  if (!shape.empty()) draft.shape = std::string(shape);
  const Verdict verdict = Check(reading, *constant.parent, draft, &constant);
  if (!verdict.ok) return absl::InvalidArgumentError(verdict.findings.empty() ? "the literal cannot be read" : verdict.findings.front().message);
  return ChangeInstruction(reading, constant, std::move(draft));
}

absl::StatusOr<TextEdit> AddComputation(const Reading& reading, absl::string_view operation, absl::string_view element_type, absl::string_view name) {
  absl::ConsumePrefix(&name, "%");
  if (reading.module == nullptr) return Unread();
  if (element_type.empty()) element_type = "f32";
  const bool compares = operation == "LT" || operation == "GT" || operation == "LE" || operation == "GE" || operation == "EQ" || operation == "NE";
  if (!operation.empty() && !compares && !OpcodeFromName(operation).has_value()) return absl::InvalidArgumentError(absl::StrCat("there is no operation '", operation, "'"));
  const std::string shape = absl::StrCat(element_type, "[]");
  if (absl::StatusOr<Shape> parsed = ParseShape(shape); !parsed.ok()) return parsed.status();
  std::string wanted(absl::StripPrefix(name, "%"));
  if (wanted.empty()) {
    wanted = absl::StrCat(operation.empty() ? "computation" : absl::AsciiStrToLower(operation), operation.empty() ? "" : absl::StrCat("_", element_type));
    const std::string base = wanted;
    for (int n = 1; reading.module->FindComputation(wanted) != nullptr; ++n) wanted = absl::StrCat(base, ".", n);
  }
  if (absl::Status named = CheckName(wanted); !named.ok()) return named;
  if (reading.module->FindComputation(wanted) != nullptr) return absl::AlreadyExistsError(absl::StrCat("there is a computation ", wanted, " already"));
  std::string text = absl::StrCat(wanted, " {\n");
  if (operation.empty()) {
    absl::StrAppend(&text, "  ROOT x = ", shape, " parameter(0)\n}\n\n");
  } else {
    absl::StrAppend(&text, "  a = ", shape, " parameter(0)\n  b = ", shape, " parameter(1)\n  ROOT r = ", compares ? "pred[] compare" : absl::StrCat(shape, " ", operation), "(a, b)",
                    compares ? absl::StrCat(", direction=", operation) : "", "\n}\n\n");
  }
  const Computation* entry = reading.module->entry;
  if (entry != nullptr && entry->name_range.end <= entry->name_range.begin) {
    return absl::FailedPreconditionError("this text is a list of instructions; put them into ENTRY main { ... } first, then it can have computations");
  }
  TextEdit edit;
  const absl::string_view all = TextOfReading(reading);
  edit.begin = edit.end = entry != nullptr && entry->range.valid() ? entry->range.begin : static_cast<int64_t>(all.size());
  edit.text = std::move(text);
  edit.cursor = edit.begin;
  edit.name = wanted;
  return edit;
}

}  // namespace hloscope::build
