#include "app/reference/pages.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "app/reference/examples.h"
#include "backends/reference/backend.h"
#include "core/debug/explain.h"
#include "core/exec/inputs.h"
#include "core/exec/machine.h"
#include "core/ops/builder/methods.h"
#include "core/ops/check_starts.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

struct RequirementRow {
  absl::string_view label, definition, function, message;
};
constexpr RequirementRow kRequirements[] = {
#define X(label, definition, function, message) {label, definition, function, message},
#include "requirements.inc"
#undef X
};

absl::string_view DefinitionOf(Opcode opcode) {
  static constexpr absl::string_view kDefinitions[] = {
#define X(enumerator, text, definition) #definition,
#include "core/ir/operations.def"
#undef X
  };
  return kDefinitions[static_cast<int>(opcode)];
}

// "BitcastConvert" of bitcast-convert.
std::string CamelCase(absl::string_view name) {
  std::string text;
  for (absl::string_view word : absl::StrSplit(name, '-')) {
    text.push_back(absl::ascii_toupper(word[0]));
    absl::StrAppend(&text, word.substr(1));
  }
  return text;
}

// Is the function, where it is one operation's rule, that of this one? Rules that several share are the same function.
bool IsRuleOf(absl::string_view function, Opcode opcode) {
  if (!absl::ConsumePrefix(&function, "Infer") || function.empty()) return true;
  if (function == CamelCase(Name(opcode))) return true;
  for (int i = 0; i < kOpcodeCount; ++i) {
    if (function == CamelCase(Name(static_cast<Opcode>(i)))) return false;  // of another one
  }
  return function != "Row" || Def(opcode).infer == Def(*OpcodeFromName("add")).infer;
}

// Does a label with this prefix, found in the operation's own source, speak of it?
bool SpeaksOf(absl::string_view prefix, absl::string_view label, absl::string_view function, Opcode opcode) {
  const absl::string_view name = Name(opcode);
  if (prefix == name || absl::StrCat(prefix, "-start") == name) return true;
  if (OpcodeFromName(prefix).has_value()) return false;  // another operation of the family
  if (absl::EndsWith(prefix, "-done")) return absl::EndsWith(name, "-done");
  if (absl::EndsWith(name, "-done") && prefix != "pointwise") return false;
  if (!IsRuleOf(function, opcode)) return false;
  // What two operands must have in common says nothing of one.
  return !absl::StrContains(label, ".same-") || Def(opcode).max_operands != 1;
}

// What the verifier holds every operation of a kind to.
bool IsOfEveryLike(absl::string_view label, Opcode opcode) {
  if (label == "verify.exchange-of-elements") {
    const ExchangeRole role = ExchangeOf(opcode).role;
    return role != ExchangeRole::kNone && role != ExchangeRole::kReplicaId && role != ExchangeRole::kPartitionId;
  }
  return IsHalf(opcode) && (label == "verify.never-completed" || label == "verify.completed-twice" || label == "verify.read-before-done");
}

const Instruction* InstructionOf(const Module& module, Opcode opcode) {
  for (const Computation* c : module.computations) {
    for (const Instruction* i : c->instructions) {
      if (i->opcode == opcode && c->is_entry) return i;
    }
  }
  return nullptr;
}

// The rule's answer when operand 0 and the written result have this type instead; `all`: every array of operand 0's type.
bool Accepts(const Instruction& example, ElementType type, bool all) {
  Module module;
  Computation* computation = module.AddComputation("probe");
  const ElementType from = example.operands[0]->shape.element_type();
  const auto retyped = [&](const Shape& s) { return s.IsArray() && s.element_type() == from ? s.WithElementType(type) : s; };
  Instruction* copy = module.AddInstruction(computation);
  copy->opcode = example.opcode;
  copy->attributes = example.attributes;
  copy->shape = retyped(example.shape);
  for (const Instruction* operand : example.operands) {
    Instruction* o = module.AddInstruction(computation);
    o->opcode = operand->opcode;
    o->shape = all || copy->operands.empty() ? retyped(operand->shape) : operand->shape;
    copy->operands.push_back(o);
  }
  DiagnosticSink sink;
  ShapeContext context(*copy, sink);
  return Def(example).infer(context).has_value() && sink.error_count() == 0;
}

std::string Indented(absl::string_view text, absl::string_view by) {
  std::string result;
  for (absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n'))
    absl::StrAppend(&result, line.empty() ? "" : by, line, "\n");
  return result;
}

std::string FormulaOfExample(const Module& module, Opcode opcode) {
  const Instruction* i = InstructionOf(module, opcode);
  if (i == nullptr || Def(opcode).program == nullptr) return "";
  const absl::StatusOr<Program> program = ElementProgram(*i);
  if (!program.ok()) return "";
  std::vector<std::string> names;
  for (const Instruction* operand : i->operands) names.emplace_back(operand->name);
  return absl::StrCat(absl::StripSuffix(ToFormula(*program, names), "\n"), "\n");
}

absl::StatusOr<Value> RunExample(const Module& module) {
  std::unique_ptr<Backend> backend = MakeReferenceBackend();
  Machine machine(module, *backend, MachineOptions());
  std::vector<Value> inputs;
  for (const Instruction* parameter : module.entry->parameters) {
    Value v = Value::Allocate(parameter->shape);
    std::fill_n(v.mutable_data(), v.byte_size(), std::byte{0});
    inputs.push_back(std::move(v));
  }
  if (absl::Status s = machine.Start(std::move(inputs)); !s.ok()) return s;
  if (machine.Run() != StopReason::kFinished) return machine.status();
  return machine.result();
}

}  // namespace

std::vector<Requirement> RequirementsOf(Opcode opcode) {
  std::vector<Requirement> requirements;
  const absl::string_view name = Name(opcode);
  for (const RequirementRow& row : kRequirements) {
    const absl::string_view prefix = row.label.substr(0, row.label.find('.'));
    const bool family = absl::StartsWith(row.definition, DefinitionOf(opcode));
    if (prefix != name && !(family && SpeaksOf(prefix, row.label, row.function, opcode)) && !IsOfEveryLike(row.label, opcode)) continue;
    const auto same = [&](const Requirement& r) { return r.label == row.label; };
    if (std::any_of(requirements.begin(), requirements.end(), same)) continue;
    requirements.push_back({std::string(row.label), std::string(row.message)});
  }
  return requirements;
}

std::string TypesOf(Opcode opcode) {
  const Example* example = FindExample(Name(opcode));
  if (example == nullptr) return "";
  const auto module = BuildExample(*example);
  if (!module.ok()) return "";
  const Instruction* i = InstructionOf(**module, opcode);
  if (i == nullptr || i->operands.empty() || !i->operands[0]->shape.IsArray() || !i->CalledComputations().empty()) return "";
  struct Group {
    TypeKind kind;
    const char* name;
    std::vector<std::string> accepted;
    bool all = true;
  };
  Group groups[] = {{TypeKind::Pred, "pred", {}},
                    {TypeKind::Signed, "signed integers", {}},
                    {TypeKind::Unsigned, "unsigned integers", {}},
                    {TypeKind::Float, "floats", {}},
                    {TypeKind::Complex, "complex numbers", {}}};
  for (int t = 0; t < kElementTypeCount; ++t) {
    const ElementType type = static_cast<ElementType>(t);
    for (Group& group : groups) {
      if (group.kind != Info(type).kind) continue;
      if (Accepts(*i, type, true) || Accepts(*i, type, false)) {
        group.accepted.emplace_back(Name(type));
      } else {
        group.all = false;
      }
    }
  }
  std::vector<std::string> parts;
  for (const Group& group : groups) {
    if (group.all) {
      parts.emplace_back(group.name);
    } else if (!group.accepted.empty()) {
      parts.push_back(absl::StrJoin(group.accepted, ", "));
    }
  }
  return absl::StrJoin(parts, ", ");
}

std::string ExampleResult(Opcode opcode) {
  const Example* example = FindExample(Name(opcode));
  if (example == nullptr) return "";
  const auto module = BuildExample(*example);
  if (!module.ok()) return std::string(module.status().message());
  const absl::StatusOr<Value> value = RunExample(**module);
  if (value.ok()) return ResultText(*value);
  return example->needs[0] != 0 ? example->needs : std::string(value.status().message());
}

std::string OperationPage(Opcode opcode) {
  std::string text = ExplainOperation(opcode);
  if (const std::string types = TypesOf(opcode); !types.empty()) absl::StrAppend(&text, "types of operand 0: ", types, "\n");
  absl::StrAppend(&text, "\nin C++:\n");
  for (absl::string_view method : hlo::MethodsOf(opcode)) absl::StrAppend(&text, "  ", method, "\n");
  const std::vector<Requirement> requirements = RequirementsOf(opcode);
  if (!requirements.empty()) {
    absl::StrAppend(&text, "\nrequirements (what is reported when one is violated):\n");
    for (const Requirement& r : requirements) absl::StrAppend(&text, "  ", r.message, "  [", r.label, "]\n");
  }
  const Example* example = FindExample(Name(opcode));
  if (example == nullptr) return text;
  const auto module = BuildExample(*example);
  if (!module.ok()) return text;
  absl::StrAppend(&text, "\nexample (assets/samples/ops/", Name(opcode), ".hlo): ", example->note, "\n",
                  Indented(absl::StripTrailingAsciiWhitespace(PrintHloText(**module)), "  "));
  if (const std::string formula = FormulaOfExample(**module, opcode); !formula.empty()) {
    absl::StrAppend(&text, "its formula:\n", Indented(formula, "  "));
  }
  absl::StrAppend(&text, "it gives:\n", Indented(ExampleResult(opcode), "  "));
  return text;
}

namespace {

// Text inside a table's cell.
std::string Cell(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}, {"<", "&lt;"}}); }
std::string Block(absl::string_view text) { return absl::StrCat("\n```\n", absl::StripTrailingAsciiWhitespace(text), "\n```\n"); }

std::string Section(Opcode opcode) {
  const OpDef& def = Def(opcode);
  std::string text = absl::StrCat("\n## ", Name(opcode), "\n\n", def.summary, ".\n\n", def.doc, "\n");
  absl::StrAppend(&text, "\n<!-- picture: ", Name(opcode), " -->\n\n| | |\n| --- | --- |\n");
  const auto row = [&](absl::string_view key, absl::string_view value) {
    if (!value.empty()) absl::StrAppend(&text, "| ", key, " | ", Cell(value), " |\n");
  };
  std::vector<std::string> attributes;
  for (const AttrSpec& spec : def.attributes)
    attributes.push_back(absl::StrCat("`", Info(spec.id).name, "`", spec.required ? " (required)" : ""));
  row("operands", def.max_operands < 0                   ? absl::StrCat(def.min_operands, " or more")
                  : def.min_operands == def.max_operands ? absl::StrCat(def.min_operands)
                                                         : absl::StrCat(def.min_operands, " to ", def.max_operands));
  row("types of operand 0", TypesOf(opcode));
  row("attributes", absl::StrJoin(attributes, ", "));
  row("no formula because", def.opaque_reason);
  row("not executed", def.not_executed);
  row("side effects", def.has_side_effect ? "yes: never removed or executed twice" : "");
  row("specification", def.spec);
  absl::StrAppend(&text, "\nIn C++:\n", Block(absl::StrJoin(hlo::MethodsOf(opcode), "\n")));
  const std::vector<Requirement> requirements = RequirementsOf(opcode);
  if (!requirements.empty()) {
    absl::StrAppend(&text, "\n| requirement | what is reported |\n| --- | --- |\n");
    for (const Requirement& r : requirements) absl::StrAppend(&text, "| `", r.label, "` | ", Cell(r.message), " |\n");
  }
  const Example* example = FindExample(Name(opcode));
  if (example == nullptr) return text;
  const auto module = BuildExample(*example);
  if (!module.ok()) return text;
  absl::StrAppend(&text, "\nExample: ", example->note, "\n", Block(PrintHloText(**module)));
  if (const std::string formula = FormulaOfExample(**module, opcode); !formula.empty())
    absl::StrAppend(&text, "\nIts formula:\n", Block(formula));
  absl::StrAppend(&text, "\nIt gives:\n", Block(ExampleResult(opcode)));
  return text;
}

}  // namespace

std::string OperationsManual() {
  std::vector<std::string> links;
  for (int i = 0; i < kOpcodeCount; ++i) {
    const absl::string_view name = Name(static_cast<Opcode>(i));
    links.push_back(absl::StrCat("[", name, "](#", name, ")"));
  }
  std::string text = absl::StrCat(
      "# The operations\n\nMade by `hloscope manual --operations` from the operations' definitions, the sources of their rules, and an "
      "example of each that is run for this page.\n\n",
      absl::StrJoin(links, " · "), "\n");
  for (int i = 0; i < kOpcodeCount; ++i) absl::StrAppend(&text, Section(static_cast<Opcode>(i)));
  return text;
}

}  // namespace hloscope
