#include "visualizer/model/instruction_facts.h"

#include <algorithm>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/seconds_text.h"
#include "core/debug/explain.h"
#include "core/debug/kernel_texts.h"
#include "core/debug/profile_commands.h"
#include "core/debug/readers.h"
#include "core/debug/session_state.h"
#include "core/debug/shadow_commands.h"
#include "core/debug/source_view.h"
#include "core/debug/text_util.h"
#include "core/element/program.h"
#include "core/element/visit.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "core/text/attribute_text.h"
#include "core/text/hlo_text.h"
#include "visualizer/model/value_view.h"

namespace hloscope {
namespace {

constexpr int64_t kMostUsers = 24;

bool HasRun(const Session::State& s, const Instruction& instruction) {
  if (s.machine == nullptr) return false;
  for (const Frame& frame : s.machine->frames()) {
    if (frame.computation == instruction.parent && frame.position > instruction.index) return true;
  }
  return false;
}

void FillFormula(const Instruction& instruction, InstructionFacts* facts) {
  absl::StatusOr<std::string> formula = ShownFormula(instruction);
  if (formula.ok()) facts->formula = CutFormula(*formula, instruction);
  else facts->no_formula = std::string(formula.status().message());
}

void FillUses(const Module& module, const Instruction& instruction, InstructionFacts* facts) {
  facts->operands.assign(instruction.operands.begin(), instruction.operands.end());
  Readers readers = ReadersOf(module, instruction);
  facts->more_users = std::max<int64_t>(0, static_cast<int64_t>(readers.users.size()) - kMostUsers);
  facts->users = std::move(readers.users);
  if (facts->more_users > 0) facts->users.resize(kMostUsers);
  facts->result_of = std::move(readers.result_of);
  for (const Computation* called : instruction.CalledComputations()) {
    if (called != nullptr) facts->calls.push_back(called);
  }
}

void FillMeasured(Session::State& s, const Instruction& instruction, InstructionFacts* facts) {
  if (const ProfileData* profile = LastProfile(s); profile != nullptr && profile->program == s.module.get()) {
    for (const RegionWork& region : profile->regions) {
      const auto member = std::find(region.members.begin(), region.members.end(), &instruction);
      if (member == region.members.end()) continue;
      const double share = region.shares.size() == region.members.size() ? region.shares[member - region.members.begin()] : 1;
      const double seconds = region.work.seconds * share;
      facts->time = SecondsText(seconds);
      std::vector<std::string> more;
      if (profile->total.seconds > 0) more.push_back(absl::StrFormat("%.1f %%", 100 * seconds / profile->total.seconds));
      if (region.work.times > 1) more.push_back(absl::StrCat(region.work.times, " times"));
      if (region.work.seconds > 0 && region.work.bytes > 0) {
        more.push_back(absl::StrFormat("%.3g GB/s", region.work.bytes / region.work.seconds / 1e9) + (profile->memory_rate > 0 ? absl::StrFormat(" of %.3g", profile->memory_rate / 1e9) : ""));
      }
      if (region.members.size() > 1) more.push_back("its share of a fused kernel");
      facts->time_share = absl::StrJoin(more, " \u00b7 ");
      break;
    }
  }
  if (const ShadowReport* shadow = LastShadowReport(s); shadow != nullptr) {
    for (const ShadowRow& row : shadow->rows) {
      if (row.instruction != &instruction) continue;
      facts->error = absl::StrFormat("%.3g ULP", row.own.worst_ulp);
      facts->error_against = absl::StrCat("worst of ", Count(row.own.elements, "element"), " against f64", shadow->accumulated && row.accumulated.elements > 0 ? absl::StrFormat("; %.3g accumulated", row.accumulated.worst_ulp) : "");
      break;
    }
  }
}

void FillKernel(Session::State& s, const Instruction& instruction, InstructionFacts* facts) {
  const OpClass op_class = Def(instruction).op_class;
  const Region* region = RegionOf(s, instruction);
  if (region == nullptr) {
    facts->kernel = "none: nothing that runs needs it";
    return;
  }
  const Instruction* root = instruction.parent->schedule[region->root];
  for (int member : region->members) {
    const Instruction* other = instruction.parent->schedule[member];
    if (other != &instruction) facts->fused.push_back(other);
  }
  // A kernel that has run is at hand; of others nothing is compiled only to be looked at.
  std::string description;
  if (op_class != OpClass::kControl && op_class != OpClass::kStructural && HasRun(s, *root)) {
    const absl::StatusOr<std::shared_ptr<const Kernel>> kernel = s.backend->GetKernel(*instruction.parent, *region);
    if (kernel.ok()) description = absl::StrCat(", ", (*kernel)->description());
  }
  if (op_class == OpClass::kControl) facts->kernel = "runs other computations";
  else if (op_class == OpClass::kStructural && region->members.size() <= 1) facts->kernel = "hands values on; no kernel";
  else if (facts->fused.empty()) facts->kernel = absl::StrCat("alone", description.empty() ? absl::StrCat(", ", s.backend->name()) : description);
  else facts->kernel = root == &instruction ? absl::StrCat("fused with ", Count(static_cast<int64_t>(facts->fused.size()), "other")) : absl::StrCat("fused into ", ShownName(*root));
  if (!facts->fused.empty()) absl::StrAppend(&facts->kernel, description);
}

// `view` null: without the lines of source files.
void FillMetadata(const Module& module, SourceView* view, const Instruction& instruction, InstructionFacts* facts) {
  facts->scope = std::string(instruction.metadata.op_name);
  if (instruction.metadata.stack_frame_id != 0 || !instruction.metadata.source_file.empty()) {
    for (const PythonFrame& frame : module.PythonFrames(instruction)) {
      if (frame.file.empty()) continue;
      facts->source.push_back({std::string(frame.file), std::string(frame.function), view != nullptr ? view->TextOf(module, {frame.file, frame.line}) : "", frame.line});
      if (facts->source.size() >= 12) break;
    }
  }
  const auto keep = [&](absl::string_view key, absl::string_view value) {
    if (!value.empty()) facts->metadata.emplace_back(std::string(key), std::string(value));
  };
  keep("op_type", instruction.metadata.op_type);
  keep("sharding", instruction.sharding);
  keep("backend_config", instruction.backend_config);
  keep("frontend", instruction.frontend_attributes);
  keep("statistics", instruction.statistics);
  for (const Instruction* before : instruction.control_predecessors) keep("runs after", ShownName(*before));
}

std::string LayoutOfShape(const Shape& shape) {
  if (shape.IsTuple()) return "";
  if (!shape.IsArray()) return "";
  if (shape.rank() == 0) return "a single number";
  const Layout* layout = shape.layout();
  if (layout == nullptr) return "row-major";
  return absl::StrCat(layout->ToString(), layout->IsPlainRowMajor() ? "  row-major" : "");
}

}  // namespace

absl::StatusOr<std::string> ShownFormula(const Instruction& instruction) {
  absl::StatusOr<std::string> text = FormulaOf(instruction);
  if (!text.ok()) return text;
  if (const OpDef& def = Def(instruction); text->empty()) return absl::UnimplementedError(def.formula.empty() ? def.opaque_reason : def.formula);
  while (!text->empty() && text->back() == '\n') text->pop_back();
  if (text->size() > 6000) text = absl::StrCat(text->substr(0, 6000), " ...");
  return text;
}

std::vector<CodePiece> CutFormula(absl::string_view formula, const Instruction& of) {
  std::vector<CodePiece> pieces;
  const auto add = [&](CodePiece::Kind kind, absl::string_view text, const Instruction* instruction = nullptr) {
    if (kind == CodePiece::kPlain && !pieces.empty() && pieces.back().kind == CodePiece::kPlain) {
      absl::StrAppend(&pieces.back().text, text);
    } else {
      pieces.push_back({kind, std::string(text), instruction});
    }
  };
  const auto is_word = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  for (size_t k = 0; k < formula.size();) {
    const char c = formula[k];
    if (c == '%') {
      // The longest operand name that stands here: its own, or the one that the program's text has for it.
      const Instruction* found = nullptr;
      absl::string_view longest;
      for (const Instruction* operand : of.operands) {
        for (const absl::string_view name : {absl::string_view(operand->name), WrittenName(*operand)}) {
          if (name.size() <= longest.size() || formula.substr(k + 1, name.size()) != name) continue;
          found = operand;
          longest = name;
        }
      }
      if (found != nullptr) {
        const bool own = longest == found->name;
        add(CodePiece::kName, own ? std::string(longest) : absl::StrCat("%", longest), found);
        k += 1 + longest.size();
        continue;
      }
    }
    size_t end = k;
    while (end < formula.size() && is_word(formula[end])) ++end;
    if (end == k) {
      add(CodePiece::kPlain, formula.substr(k, 1));
      ++k;
      continue;
    }
    const absl::string_view word = formula.substr(k, end - k);
    const bool call = end < formula.size() && formula[end] == '(';
    // What is made, by the name that no operand has.
    const bool array = word == "out" || ((word == "result" || word == "made") && (absl::StartsWith(formula.substr(end), "[") || absl::StartsWith(formula.substr(end), " = ")));
    add(absl::ascii_isdigit(static_cast<unsigned char>(word[0])) ? CodePiece::kNumber : call ? CodePiece::kFunction : array ? CodePiece::kPlain : CodePiece::kIndex, word);
    k = end;
  }
  return pieces;
}

std::string KindOf(const Instruction& instruction) {
  const OpDef& def = Def(instruction);
  switch (def.op_class) {
    case OpClass::kControl: return "control flow";
    case OpClass::kStructural: return "structural";
    case OpClass::kOpaque: return "whole arrays";
    case OpClass::kPush: return "scatter";
    case OpClass::kPull: break;
  }
  if (def.movement == Movement::kMove) return "movement";
  if (def.movement == Movement::kCreate) return "creation";
  const absl::StatusOr<Program> program = ElementProgram(instruction);
  if (!program.ok()) return "";
  // A fold anywhere in it makes it a sum over elements.
  const bool pointwise = VisitNodes(*program->graph, RootsOf(*program), [](NodeId, const Node& node) { return node.kind == NodeKind::kFold ? Visit::kEnd : Visit::kInto; });
  return pointwise ? "pointwise" : "reduction";
}

namespace {

// What the module says. `whole`: with literals, which only the session's thread may look at.
InstructionFacts FactsAlone(const Module& module, const Instruction& instruction, bool whole) {
  InstructionFacts facts;
  const OpDef& def = Def(instruction);
  facts.of = &instruction;
  facts.opcode = std::string(Name(instruction.opcode));
  const bool look = whole || instruction.literal == nullptr;
  if (look) facts.kind = KindOf(instruction);
  facts.summary = std::string(def.summary);
  facts.not_executed = std::string(def.not_executed);
  if (look) FillFormula(instruction, &facts);
  PrintOptions print;
  print.metadata = false;
  print.max_literal_elements = 16;
  if (look) facts.text = Cut(PrintInstruction(instruction, print), 1000);
  facts.shape = instruction.shape.IsTuple() ? Cut(instruction.shape.ToString(false), 4000) : instruction.shape.ToString(false);
  facts.layout = LayoutOfShape(instruction.shape);
  facts.bytes = FormatByteCount(instruction.shape.ByteSize());
  FillUses(module, instruction, &facts);
  for (const Attribute& attribute : instruction.attributes) {
    std::string value;
    TextOf(Info(attribute.id).kind).print(attribute.value, PrintOptions(), &value);
    facts.attributes.emplace_back(std::string(attribute.name.empty() ? Info(attribute.id).name : attribute.name), Cut(value, 2000));
  }
  if (instruction.parameter_number >= 0) facts.attributes.emplace_back("number", absl::StrCat(instruction.parameter_number));
  for (absl::string_view sentence : absl::StrSplit(def.requirements, ". ", absl::SkipWhitespace())) {
    facts.requirements.emplace_back(absl::StripSuffix(absl::StripAsciiWhitespace(sentence), "."));
  }
  return facts;
}

}  // namespace

InstructionFacts FactsOfModule(const Module& module, const Instruction& instruction) {
  InstructionFacts facts = FactsAlone(module, instruction, /*whole=*/false);
  FillMetadata(module, nullptr, instruction, &facts);
  return facts;
}

InstructionFacts FactsOfInstruction(Session::State& s, const Instruction& instruction) {
  InstructionFacts facts = FactsAlone(*s.module, instruction, /*whole=*/true);
  FillMeasured(s, instruction, &facts);
  FillKernel(s, instruction, &facts);
  facts.by_hand = ValueSetMark(s, {&instruction});
  FillMetadata(*s.module, &s.Extension<SourceView>(), instruction, &facts);
  return facts;
}

}  // namespace hloscope
