// Pages are plain text; see the header for what stands on them.
#include "core/debug/explain.h"

#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "core/debug/locations.h"
#include "core/debug/readers.h"
#include "core/debug/text_util.h"
#include "core/element/program.h"
#include "core/ir/written_names.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"
#include "core/text/entry_layout.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

absl::string_view ClassText(OpClass op_class) {
  switch (op_class) {
    case OpClass::kPull: return "each element of the result is an expression over elements of the operands";
    case OpClass::kPush: return "walks over updates and combines each into the result";
    case OpClass::kOpaque: return "a function over whole values";
    case OpClass::kControl: return "runs other computations";
    case OpClass::kStructural: return "hands values on; no element is touched";
  }
  return "";
}

std::string Arity(const OpDef& def) {
  if (def.max_operands < 0) return def.min_operands == 0 ? "any number of operands" : absl::StrCat("at least ", Count(def.min_operands, "operand"));
  if (def.min_operands == def.max_operands) return Count(def.min_operands, "operand");
  return absl::StrCat(def.min_operands, " to ", Count(def.max_operands, "operand"));
}

std::string Users(const Module& module, const Instruction& instruction) {
  constexpr size_t kMost = 8;
  const Readers readers = ReadersOf(module, instruction);
  std::vector<std::string> names;
  for (const Instruction* user : readers.users) {
    if (names.size() == kMost) break;
    // Regions beside each other may have a value of one name.
    names.push_back(absl::StrCat(ShownName(*user), user->parent == instruction.parent ? "" : absl::StrCat(" in ", user->parent->name)));
  }
  for (const Computation* computation : readers.result_of) names.push_back(absl::StrCat("the result of ", computation->name));
  if (names.empty()) return "nothing";
  return absl::StrCat(absl::StrJoin(names, ", "), readers.users.size() > kMost ? absl::StrCat(" and ", readers.users.size() - kMost, " more") : "");
}

// What an operation's general formula calls by a word, of what hands values on or calls: the word's meaning in the instruction.
std::map<std::string, std::string> WordsOf(const Instruction& i) {
  std::map<std::string, std::string> words;
  const OpDef& def = Def(i);
  const bool calls = i.Has(AttrId::kCustomCallTarget);
  if (def.op_class != OpClass::kStructural && def.control == ControlKind::kNone && !calls && ExchangeOf(i).role == ExchangeRole::kNone) return words;
  const auto name = [](const Instruction* operand) { return ShownName(*operand); };
  words["operands..."] = absl::StrJoin(i.operands, ", ", [&](std::string* out, const Instruction* operand) { out->append(name(operand)); });
  if (!i.operands.empty()) {
    for (const char* word : {"x", "tuple", "init"}) words[word] = name(i.operands[0]);
  }
  if (i.Has(AttrId::kIndex)) words["index"] = absl::StrCat(i.Int(AttrId::kIndex, 0));
  if (calls) words["target"] = std::string(i.Text(AttrId::kCustomCallTarget));
  if (const Computation* condition = i.Called(AttrId::kCondition)) words["condition"] = std::string(condition->name);
  if (const Computation* body = i.Called(AttrId::kBody)) words["body"] = std::string(body->name);
  if (const std::vector<Computation*> called = i.CalledComputations(); called.size() == 1 && called[0] != nullptr)
    words["f"] = std::string(called[0]->name);
  return words;
}

// The operation's general formula, for what hands values on or calls with its operands, index, computations and target in it.
std::string FilledFormula(const Instruction& instruction) {
  const std::map<std::string, std::string> words = WordsOf(instruction);
  const absl::string_view formula = Def(instruction).formula;
  std::string text;
  for (size_t at = 0; at < formula.size();) {
    size_t end = at;
    while (end < formula.size() && absl::ascii_isalpha(formula[end])) ++end;
    if (end == at) {
      text += formula[at++];
      continue;
    }
    if (absl::StartsWith(formula.substr(end), "...")) end += 3;
    const std::string word(formula.substr(at, end - at));
    const auto meant = words.find(word);
    text += meant != words.end() ? meant->second : word;
    at = end;
  }
  if (!instruction.operands.empty()) text = absl::StrReplaceAll(text, {{"the start operation", ShownName(*instruction.operands[0])}});
  return text;
}

}  // namespace

absl::StatusOr<std::string> FormulaOf(const Instruction& instruction) {
  const OpDef& def = Def(instruction);
  if (const ExchangeDef& exchange = ExchangeOf(instruction); exchange.formula != nullptr) return exchange.formula(instruction);
  if (def.op_class != OpClass::kPull && def.op_class != OpClass::kPush) {
    std::string filled = FilledFormula(instruction);
    return filled != def.formula ? filled : std::string();
  }
  const absl::StatusOr<Program> program = ElementProgram(instruction);
  if (!program.ok()) return program.status();
  std::vector<std::string> names;
  for (const Instruction* operand : instruction.operands) names.push_back(ShownName(*operand));
  return ToFormula(*program, names);
}

std::string InstructionFormula(const Instruction& instruction) {
  const absl::StatusOr<std::string> formula = FormulaOf(instruction);
  return formula.ok() ? *formula : absl::StrCat("no formula: ", formula.status().message());
}

std::string ExplainOperation(Opcode opcode) {
  const OpDef& def = Def(opcode);
  std::string text = absl::StrCat(Name(opcode), def.summary.empty() ? "" : absl::StrCat(": ", def.summary), "\n\n");
  absl::StrAppend(&text, "takes:      ", Arity(def), "\nkind:       ", ClassText(def.op_class), "\n");
  if (!def.opaque_reason.empty()) absl::StrAppend(&text, "            (", def.opaque_reason, ")\n");
  if (!def.attributes.empty()) {
    std::vector<std::string> attributes;
    for (const AttrSpec& spec : def.attributes) attributes.push_back(absl::StrCat(Info(spec.id).name, spec.required ? " (required)" : ""));
    absl::StrAppend(&text, "attributes: ", absl::StrJoin(attributes, ", "), "\n");
  }
  if (def.has_side_effect) absl::StrAppend(&text, "effects:    it has side effects; it is never removed or executed twice\n");
  if (!def.not_executed.empty()) absl::StrAppend(&text, "execution:  ", def.not_executed, "\n");
  if (!def.formula.empty()) absl::StrAppend(&text, "formula:    ", def.formula, "\n");
  if (!def.requirements.empty()) absl::StrAppend(&text, "requires:   ", def.requirements, "\n");
  if (!def.doc.empty()) absl::StrAppend(&text, "\n", def.doc, def.doc.back() == '\n' ? "" : "\n");
  if (!def.spec.empty()) absl::StrAppend(&text, "\nspecification: ", def.spec, "\n");
  return text;
}

std::string PythonFramesText(const Module& module, const Instruction& instruction, absl::string_view indent) {
  std::string text;
  if (instruction.metadata.stack_frame_id == 0 && instruction.metadata.source_file.empty()) return text;
  for (const PythonFrame& frame : module.PythonFrames(instruction)) {
    absl::StrAppend(&text, indent, frame.function.empty() ? "" : absl::StrCat(frame.function, " at "), frame.file, ":", frame.line, "\n");
  }
  return text;
}

std::string ExplainInstruction(const Module& module, const Instruction& instruction, absl::string_view in_run) {
  PrintOptions print;
  print.metadata = false;
  print.max_literal_elements = 16;
  std::string text = absl::StrCat(Describe(module, {instruction.parent, instruction.index}), "\n  ", Cut(PrintInstruction(instruction, print), 400), "\n");
  const OpDef& def = Def(instruction);
  absl::StrAppend(&text, "operation: ", Name(instruction.opcode), def.summary.empty() ? "" : absl::StrCat(", ", def.summary), "\n");
  const std::string formula = InstructionFormula(instruction);
  if (!formula.empty()) absl::StrAppend(&text, "formula:   ", formula, formula.back() == '\n' ? "" : "\n");
  if (!in_run.empty()) absl::StrAppend(&text, "this run:  ", in_run, in_run.back() == '\n' ? "" : "\n");
  absl::StrAppend(&text, "result:    ", instruction.shape.ToString(true), ", ", FormatByteCount(instruction.shape.ByteSize()), "\n");
  if (instruction.parent == module.entry && instruction.parameter_number >= 0) {
    const std::optional<Shape> promised = PromisedParameter(module, instruction.parameter_number);
    const std::string passed = promised ? promised->ToString(true) : "";
    if (promised && passed != promised->ToString(false) && passed != instruction.shape.ToString(true)) {
      absl::StrAppend(&text, "passed as: ", passed, ", as entry_computation_layout says; the elements are the same\n");
    }
  }
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    absl::StrAppend(&text, "operand ", i, ": ", ShownName(*instruction.operands[i]), " ", instruction.operands[i]->shape.ToString(true), "\n");
  }
  for (const Computation* called : instruction.CalledComputations()) {
    if (called != nullptr) absl::StrAppend(&text, "calls:     ", called->name, " (", Count(static_cast<int64_t>(called->instructions.size()), "instruction"), ")\n");
  }
  absl::StrAppend(&text, "used by:   ", Users(module, instruction), "\n");
  if (!instruction.metadata.op_name.empty()) absl::StrAppend(&text, "op_name:   ", instruction.metadata.op_name, "\n");
  const std::string frames = PythonFramesText(module, instruction, "  ");
  if (!frames.empty()) absl::StrAppend(&text, "from:\n", frames);
  if (!def.not_executed.empty()) absl::StrAppend(&text, "execution: ", def.not_executed, "\n");
  if (!def.spec.empty()) absl::StrAppend(&text, "specification: ", def.spec, "\n");
  return text;
}

}  // namespace hloscope
