// See verifier.h. One pass over each computation in program order, callees before callers, so that omitted shapes are known where they
// are needed. What an operation requires stands in its shape rule; here stands what is asked of all of them alike.
#include "core/ops/verifier.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/nearest_name.h"
#include "core/ir/written_names.h"
#include "core/ops/check_starts.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"
#include "core/ops/shape_rules.h"
#include "core/shape/layout_map.h"

namespace hloscope {
namespace {

// Beyond this many elements, byte offsets and strides leave 64 bits.
constexpr int64_t kMaxElements = INT64_MAX / 32;

bool HasTooManyElements(const Shape& shape) {
  if (!shape.IsTuple()) return shape.ElementCount() > kMaxElements || shape.ByteSize() == INT64_MAX;
  for (const Shape& element : shape.tuple_shapes()) {
    if (HasTooManyElements(element)) return true;
  }
  return false;
}

bool HasUnbounded(const Shape& shape) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) {
      if (HasUnbounded(element)) return true;
    }
    return false;
  }
  if (!shape.has_dynamic_dimension()) return false;
  for (int64_t size : shape.dimensions()) {
    if (size == Shape::kUnbounded) return true;
  }
  return false;
}

bool ExchangesWithOthers(const Instruction& i) {
  const ExchangeRole role = ExchangeOf(i).role;
  return role != ExchangeRole::kNone && role != ExchangeRole::kReplicaId && role != ExchangeRole::kPartitionId;
}

class Verifier {
 public:
  Verifier(Module& module, DiagnosticSink& sink) : module_(module), sink_(sink) {}

  void Run() {
    done_.assign(module_.computations.size(), false);
    sound_.assign(module_.computations.size(), false);
    exchanges_.assign(module_.computations.size(), nullptr);
    for (Computation* computation : module_.computations) VerifyWithCallees(computation);
    if (whole_) CheckTransfersOnTheWay(module_, sink_);
  }

 private:
  // Callees first; an explicit stack, as text can nest calls as deeply as it likes.
  void VerifyWithCallees(Computation* root) {
    struct Visit {
      Computation* computation;
      size_t instruction = 0, attribute = 0, callee = 0;
    };
    if (done_[root->id]) return;
    std::vector<Visit> stack = {{root}};
    done_[root->id] = true;  // on its way; calls in circles were refused before
    while (!stack.empty()) {
      Computation* next = nullptr;
      Visit& v = stack.back();
      while (next == nullptr && v.instruction < v.computation->schedule.size()) {
        const Instruction& instruction = *v.computation->schedule[v.instruction];
        if (v.attribute == instruction.attributes.size()) {
          ++v.instruction, v.attribute = v.callee = 0;
          continue;
        }
        const AttrValue& value = instruction.attributes[v.attribute].value;
        Computation* callee = nullptr;
        if (Computation* const* one = std::get_if<Computation*>(&value); one != nullptr && v.callee == 0) {
          callee = *one;
        } else if (auto* many = std::get_if<std::vector<Computation*>>(&value); many != nullptr && v.callee < many->size()) {
          callee = (*many)[v.callee];
        } else {
          ++v.attribute, v.callee = 0;
          continue;
        }
        ++v.callee;
        if (callee != nullptr && !done_[callee->id]) next = callee;
      }
      if (next != nullptr) {
        done_[next->id] = true;
        stack.push_back({next});
      } else {
        VerifyComputation(*v.computation);
        stack.pop_back();
      }
    }
  }

  void VerifyComputation(Computation& computation) {
    const int errors = sink_.error_count();
    failed_.assign(computation.schedule.size(), true);
    size_t numbered = 0;
    for (Instruction* instruction : computation.schedule) {
      failed_[instruction->index] = !VerifyInstruction(*instruction);
      numbered += instruction->parameter_number >= 0;
      NoteExchange(*instruction);
    }
    if (!computation.in_error) CheckStarts(computation, sink_);
    const bool all_sound = std::none_of(computation.schedule.begin(), computation.schedule.end(), [this](const Instruction* i) { return i->in_error || failed_[i->index]; });
    whole_ &= !computation.in_error && all_sound && sink_.error_count() == errors;
    const auto fine = [this](const Instruction* i) { return i != nullptr && !failed_[i->index]; };
    sound_[computation.id] = !computation.in_error && numbered == computation.parameters.size() && fine(computation.root) &&
                             std::all_of(computation.parameters.begin(), computation.parameters.end(), fine);
  }

  // Callees come first.
  void NoteExchange(const Instruction& instruction) {
    const Instruction*& first = exchanges_[instruction.parent->id];
    if (first == nullptr && ExchangesWithOthers(instruction)) first = &instruction;
    if (instruction.attributes.empty()) return;
    for (const Computation* called : instruction.CalledComputations()) {
      if (first == nullptr) first = exchanges_[called->id];
    }
  }

  // Where a computation is called for elements, in whatever order and as often as suits, devices cannot wait for each other.
  bool CheckElementCalls(const Instruction& instruction, const OpDef& def) {
    if (def.control != ControlKind::kNone || def.op_class == OpClass::kStructural || instruction.attributes.empty() || instruction.Has(AttrId::kCustomCallTarget)) return true;
    for (const Computation* called : instruction.CalledComputations()) {
      const Instruction* inside = exchanges_[called->id];
      if (inside == nullptr) continue;
      sink_.Error(instruction.range, HLO_LABEL("verify.exchange-of-elements"),
                  absl::StrCat(ShownName(instruction), " (", Name(instruction.opcode), ") calls ", called->name, " element by element, in which ", ShownName(*inside),
                               inside->parent != called ? absl::StrCat(" in ", inside->parent->name) : "", " (", Name(inside->opcode),
                               ") exchanges with other devices: they cannot wait for each other there"),
                  absl::StrCat("exchange the operands or the result of ", ShownName(instruction), " instead"));
      return false;
    }
    return true;
  }

  // False when the instruction's shape is in doubt, so that what reads it is not blamed.
  bool VerifyInstruction(Instruction& instruction) {
    if (instruction.in_error) return !instruction.shape_omitted;
    const OpDef& def = Def(instruction);
    if (def.infer == nullptr) {
      sink_.Error(instruction.range, HLO_LABEL("verify.not-supported-yet"), absl::StrCat("the operation ", Name(instruction.opcode), " is not supported yet"));
      return false;
    }
    const bool count_fine = CheckOperandCount(instruction, def);
    const bool attributes_fine = CheckAttributes(instruction, def);
    if (HasUnbounded(instruction.shape)) {
      sink_.Error(instruction.range, HLO_LABEL("verify.unbounded-dimension"),
                  absl::StrCat("the shape ", instruction.shape.ToString(false), " has a dimension of unknown size, which is not supported yet"),
                  "give the dimension a bound: <=N");
      return false;
    }
    if (HasTooManyElements(instruction.shape)) {
      sink_.Error(WrittenShapeRange(instruction), HLO_LABEL("verify.array-too-large"),
                  absl::StrCat("an array of the shape ", instruction.shape.ToString(false), " has more elements than any memory"));
      return false;
    }
    bool known = count_fine && attributes_fine && CheckElementCalls(instruction, def);
    for (const Instruction* operand : instruction.operands) known = known && !failed_[operand->index];
    if (known && !instruction.attributes.empty()) {
      for (const Computation* called : instruction.CalledComputations()) known = known && sound_[called->id];
    }
    if (!known) return !instruction.shape_omitted;  // what it reads was reported; its own written shape holds
    return CheckShape(instruction, def);
  }

  bool CheckOperandCount(const Instruction& instruction, const OpDef& def) {
    const int count = static_cast<int>(instruction.operands.size());
    if (count >= def.min_operands && (def.max_operands < 0 || count <= def.max_operands)) return true;
    const std::string wanted = def.max_operands < 0                  ? absl::StrCat("at least ", def.min_operands)
                               : def.min_operands == def.max_operands ? absl::StrCat(def.min_operands)
                                                                      : absl::StrCat(def.min_operands, " to ", def.max_operands);
    sink_.Error(instruction.range, HLO_LABEL("verify.operand-count"),
                absl::StrCat(Name(instruction.opcode), " takes ", wanted, wanted == "1" ? " operand" : " operands", " but has ", count));
    return false;
  }

  bool CheckAttributes(const Instruction& instruction, const OpDef& def) {
    bool fine = true;
    for (const AttrSpec& spec : def.attributes) {
      if (!spec.required || instruction.Has(spec.id)) continue;
      sink_.Error(instruction.range, HLO_LABEL("verify.missing-attribute"),
                  absl::StrCat(Name(instruction.opcode), " needs the attribute ", Info(spec.id).name));
      fine = false;
    }
    for (size_t i = 0; i < instruction.attributes.size(); ++i) {
      const Attribute& attribute = instruction.attributes[i];
      if (attribute.id == AttrId::kUnknown) {
        sink_.Warning(NameRange(attribute), HLO_LABEL("verify.unknown-attribute"), absl::StrCat("the attribute ", attribute.name, " is not known and is ignored"), HintForAttribute(instruction, def, attribute.name));
        continue;
      }
      for (size_t j = 0; j < i; ++j) {
        if (instruction.attributes[j].id != attribute.id) continue;
        sink_.Error(attribute.range, HLO_LABEL("verify.repeated-attribute"), absl::StrCat("the attribute ", attribute.name, " is given twice"));
        fine = false;
        break;
      }
      if (!Takes(def, attribute.id)) {
        sink_.Warning(attribute.range, HLO_LABEL("verify.unexpected-attribute"),
                      absl::StrCat(Name(instruction.opcode), " takes no attribute ", attribute.name, "; it is ignored"));
      }
    }
    return fine;
  }

  // These say nothing about the result and may stand at any instruction.
  static constexpr AttrId kAnywhere[] = {AttrId::kOriginalValue,    AttrId::kResultAccuracy,       AttrId::kParameterReplication,
                                         AttrId::kOperandPrecision, AttrId::kAsyncExecutionThread, AttrId::kSchedule};

  // The attribute that the operation takes, and has not, whose name is nearest.
  static std::string HintForAttribute(const Instruction& instruction, const OpDef& def, absl::string_view name) {
    int64_t budget = 1 << 16;
    NearestName nearest(name, &budget);
    for (const AttrSpec& spec : def.attributes) {
      if (!instruction.Has(spec.id)) nearest.Offer(Info(spec.id).name);
    }
    for (const AttrId id : kAnywhere) {
      if (!instruction.Has(id)) nearest.Offer(Info(id).name);
    }
    return nearest.Hint();
  }

  // Of the attribute in the text; of all of it where that begins otherwise.
  SourceRange NameRange(const Attribute& attribute) const {
    if (module_.source == nullptr || !attribute.range.valid() || !absl::StartsWith(module_.source->text().substr(attribute.range.begin), attribute.name)) return attribute.range;
    return {attribute.range.begin, attribute.range.begin + static_cast<int32_t>(attribute.name.size())};
  }

  static bool Takes(const OpDef& def, AttrId id) {
    for (const AttrSpec& spec : def.attributes) {
      if (spec.id == id) return true;
    }
    return std::find(std::begin(kAnywhere), std::end(kAnywhere), id) != std::end(kAnywhere);
  }

  bool CheckShape(Instruction& instruction, const OpDef& def) {
    const int errors_before = sink_.error_count();
    ShapeContext context(instruction, sink_);
    const std::optional<Shape> inferred = def.infer(context);
    if (sink_.error_count() != errors_before) return !instruction.shape_omitted;
    if (!inferred.has_value()) {
      if (!instruction.shape_omitted) return true;
      sink_.Error(instruction.range, HLO_LABEL("verify.shape-needed"),
                  absl::StrCat("the shape of ", Name(instruction.opcode), " ", ShownName(instruction), " does not follow from its operands and must be written"));
      return false;
    }
    if (instruction.shape_omitted) {
      instruction.shape = inferred->WithoutLayouts();
      if (!HasTooManyElements(instruction.shape)) return true;
      sink_.Error(instruction.range, HLO_LABEL("verify.array-too-large"),
                  absl::StrCat("an array of the shape ", instruction.shape.ToString(false), " has more elements than any memory"));
      return false;
    }
    if (Shape::Compatible(*inferred, instruction.shape) || SameUpToDynamic(*inferred, instruction.shape)) return CheckLayout(instruction);
    // The written shape stands between "name =" and the opcode; the range of the whole instruction begins with it or with the name.
    sink_.Error(WrittenShapeRange(instruction), HLO_LABEL("verify.shape-mismatch"),
                absl::StrCat(ShownName(instruction), " is written as ", instruction.shape.ToString(false), " but ", Name(instruction.opcode), " of ",
                             OperandShapesText(instruction), " gives ", inferred->ToString(false)),
                HintForShape(instruction, *inferred));
    return false;
  }

  // In the place of the written shape, where HLO text has one; with its layout where that orders as many dimensions.
  std::string HintForShape(const Instruction& instruction, const Shape& meant) const {
    const SourceRange range = WrittenShapeRange(instruction);
    if (module_.source == nullptr || (range.begin == instruction.range.begin && range.end == instruction.range.end)) return "";
    const absl::string_view written = module_.source->text().substr(range.begin, range.end - range.begin);
    if ((!absl::StartsWith(written, "(") && !absl::StrContains(written, '[')) || absl::StrContains(written, '%')) return "";  // of StableHLO: operands
    std::string text = meant.ToString(false);
    const size_t layout = written.find('{');
    if (meant.IsArray() && instruction.shape.IsArray() && layout != absl::string_view::npos && meant.rank() == instruction.shape.rank()) absl::StrAppend(&text, written.substr(layout));
    return absl::StrCat("did you mean '", text, "'?");
  }

  // A layout orders the dimensions that there are, pads them to larger ones, and so on. Text is checked where it is read; other sources
  // of modules come here.
  bool CheckLayout(const Instruction& instruction) {
    const Layout* layout = instruction.shape.layout();
    if (layout != nullptr && *layout == Layout()) return true;
    const std::optional<LayoutProblem> problem = FindLayoutProblem(instruction.shape);
    if (!problem.has_value()) return true;
    sink_.Error(WrittenShapeRange(instruction), HLO_LABEL("verify.layout"),
                absl::StrCat("the layout of ", instruction.shape.ToString(), " does not fit: ", problem->message.ToString()));
    return false;
  }

  SourceRange WrittenShapeRange(const Instruction& instruction) const {
    if (module_.source == nullptr || !instruction.name_range.valid()) return instruction.range;
    const absl::string_view text = module_.source->text();
    size_t begin = instruction.name_range.end;
    while (begin < text.size() && (text[begin] == ' ' || text[begin] == '=' || text[begin] == '\t')) ++begin;
    // The shape ends at the space before the opcode that is outside of all brackets.
    size_t end = begin;
    int depth = 0;
    for (; end < text.size(); ++end) {
      const char ch = text[end];
      if (ch == '(' || ch == '[' || ch == '{') ++depth;
      if (ch == ')' || ch == ']' || ch == '}') --depth;
      if (depth == 0 && (ch == ' ' || ch == '\n')) break;
    }
    if (end == begin) return instruction.range;
    return {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
  }

  static std::string OperandShapesText(const Instruction& instruction) {
    std::vector<std::string> shapes;
    for (const Instruction* operand : instruction.operands) {
      if (shapes.size() == 6) {
        shapes.push_back("...");
        break;
      }
      shapes.push_back(operand->shape.ToString(false));
    }
    return absl::StrCat("(", absl::StrJoin(shapes, ", "), ")");
  }

  Module& module_;
  DiagnosticSink& sink_;
  std::vector<bool> done_;    // by computation id
  std::vector<bool> sound_;   // by computation id: verified, with parameters and a root that callers can be held to
  std::vector<const Instruction*> exchanges_;  // by computation id: the first that exchanges with other devices in it, or in what it calls
  bool whole_ = true;         // nothing is wrong with any computation
  std::vector<bool> failed_;  // by schedule position of the computation at hand
};

}  // namespace

void Verify(Module& module, DiagnosticSink& sink) { Verifier(module, sink).Run(); }

}  // namespace hloscope
