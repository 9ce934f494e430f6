// One instruction by itself: what a draft says, whether it is right where it stands (in a little program made around it), and what another
// shape of it changes behind it.
#include <algorithm>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "visualizer/model/build_parts.h"

namespace hloscope::build {
namespace {

// The text of a little program around the draft: what it reads as parameters, what it calls as it is.
struct Candidate {
  std::string text;
  int64_t begin = 0;  // of the draft
  std::vector<Finding> findings;  // found before reading
  std::vector<Finding> called;    // what is wrong in what it calls, as the whole program was read
};

void CallsOf(const Computation& computation, std::set<const Computation*>& calls) {
  if (calls.size() > 400 || !calls.insert(&computation).second) return;
  for (const Instruction* i : computation.instructions) {
    for (const Computation* called : i->CalledComputations()) {
      if (called != nullptr) CallsOf(*called, calls);
    }
  }
}

class CandidateMaker {
 public:
  CandidateMaker(const Reading& reading, const Computation& computation, const Draft& draft, const Instruction* self, const ShapeOf& shape_of)
      : reading_(reading), computation_(computation), draft_(draft), self_(self), shape_of_(shape_of) {}

  Candidate Make() {
    Draft draft = draft_;
    if (draft.name.empty()) draft.name = FreeName(&computation_, draft.opcode);
    if (draft.opcode == kParameter) draft.literal = "0";
    std::string lines;
    // The second halves of pairs ask what their first half is; it stands there as it is.
    const bool pairs = absl::EndsWith(draft.opcode, "-done") || absl::EndsWith(draft.opcode, "-update");
    if (draft.opcode != kParameter && draft.opcode != kConstant) {
      for (size_t k = 0; k < draft.operands.size(); ++k) AddOperand(static_cast<int>(k), draft.operands[k], pairs);
    }
    for (const auto& [name, value] : draft.attributes) {
      const AttrKind kind = Info(AttrIdFromName(name)).kind;
      if (kind == AttrKind::Computation || kind == AttrKind::Computations) AddCalls(name, value);
    }
    Candidate made;
    made.findings = std::move(findings_);
    made.called = std::move(called_);
    // Metadata and the like say nothing of the shape.
    draft.attributes.erase(std::remove_if(draft.attributes.begin(), draft.attributes.end(), [](const auto& a) { return a.first == "metadata" || a.first == "control-predecessors"; }),
                           draft.attributes.end());
    made.text = "HloModule candidate\n\n";
    for (const Computation* called : calls_) {
      if (called == &computation_ || called->is_entry || !InText(reading_, called->range)) continue;
      const absl::string_view text = TextOf(TextOfReading(reading_), called->range);
      // One that is written inside an instruction comes with that.
      if (TextOf(TextOfReading(reading_), called->name_range).empty() || BareName(TextOf(TextOfReading(reading_), called->name_range)) != called->name) continue;
      absl::StrAppend(&made.text, text, "\n\n");
    }
    absl::StrAppend(&made.text, "ENTRY ", computation_.name.empty() ? "main" : WrittenName(computation_.name, false), " {\n", lines_);
    made.begin = static_cast<int64_t>(made.text.size()) + 7;
    absl::StrAppend(&made.text, "  ROOT ", hloscope::build::ToText(draft, true), "\n}\n");
    return made;
  }

 private:
  void AddOperand(int number, const std::string& operand, bool whole) {
    if (absl::StrContains(operand, "(")) {  // an instruction in place: what it names is needed
      TextWalk walk(operand, 0);
      while (!walk.AtEnd()) {
        const SourceRange name = walk.Name();
        if (name.begin == name.end) {
          walk.Go(walk.at() + 1);
        } else if (const Instruction* found = computation_.FindInstruction(BareName(TextOf(operand, name)))) {
          AddParameter(*found);
        }
      }
      return;
    }
    if (operand.empty()) {
      findings_.push_back({Severity::kError, absl::StrCat("operand ", number, " is not connected yet"), "choose a value", "", number, ""});
      return;
    }
    const Instruction* found = computation_.FindInstruction(operand);
    if (found == nullptr) {
      findings_.push_back({Severity::kError, absl::StrCat("there is no value ", operand, " in ", computation_.name), "", "", number, ""});
      return;
    }
    if (self_ != nullptr && (found == self_ || (found->index >= 0 && self_->index >= 0 && found->index > self_->index))) {
      findings_.push_back({Severity::kError, found == self_ ? "an instruction cannot read itself" : absl::StrCat(operand, " comes after ", self_->name, "; only what is before it can be read"), "", "",
                           number, ""});
    }
    if (!whole || !IsStatement(reading_, *found) || !added_.insert(found).second) return AddParameter(*found);
    const Draft of = DraftOf(reading_, *found);
    if (of.opcode == kParameter) {
      added_.erase(found);
      return AddParameter(*found);
    }
    for (const Instruction* deeper : found->operands) AddParameter(*deeper);
    for (const Computation* called : found->CalledComputations()) {
      if (called != nullptr) CallsOf(*called, calls_);
    }
    absl::StrAppend(&lines_, "  ", hloscope::build::ToText(of, true), "\n");
  }
  void AddParameter(const Instruction& value) {
    if (!added_.insert(&value).second) return;
    absl::StrAppend(&lines_, "  ", WrittenName(value.name, true), " = ", shape_of_(value).ToString(), " parameter(", parameters_++, ")\n");
  }
  void AddCalls(const std::string& attribute, absl::string_view value) {
    std::set<const Computation*> calls;
    TextWalk walk(value, 0);
    while (!walk.AtEnd()) {
      const SourceRange name = walk.Name();
      if (name.begin == name.end) {
        walk.Go(walk.at() + 1);
      } else if (const Computation* called = reading_.module->FindComputation(BareName(TextOf(value, name)))) {
        CallsOf(*called, calls);
      }
    }
    for (const Computation* called : calls) {
      if (calls_.insert(called).second) AddProblemsOf(*called, attribute);
    }
  }
  // What follows from a computation that is wrong itself is no shape.
  void AddProblemsOf(const Computation& called, const std::string& attribute) {
    if (&called == &computation_ || !InText(reading_, called.range)) return;
    for (const Diagnostic& d : reading_.problems) {
      if (d.severity != Severity::kError || d.range.begin < called.range.begin || d.range.begin >= called.range.end) continue;
      called_.push_back({d.severity, absl::StrCat("in ", called.name, ", which it calls: ", d.message), d.hint, d.label, -1, attribute});
      return;
    }
  }

  const Reading& reading_;
  const Computation& computation_;
  const Draft& draft_;
  const Instruction* self_;
  const ShapeOf& shape_of_;
  std::string lines_;
  int parameters_ = 0;
  absl::flat_hash_set<const Instruction*> added_;
  std::set<const Computation*> calls_;
  std::vector<Finding> findings_, called_;
};

}  // namespace

Verdict CheckWith(const Reading& reading, const Computation& computation, const Draft& draft, const Instruction* self, const ShapeOf& shape_of) {
  Verdict verdict;
  if (reading.module == nullptr) return verdict;
  if (!OpcodeFromName(draft.opcode).has_value()) {
    verdict.findings.push_back({Severity::kError, absl::StrCat("there is no operation '", draft.opcode, "'"), "", "", -1, ""});
    return verdict;
  }
  Candidate candidate = CandidateMaker(reading, computation, draft, self, shape_of).Make();
  if (!candidate.findings.empty()) {
    verdict.findings = std::move(candidate.findings);
    return verdict;
  }
  const auto source = std::make_shared<const SourceText>("candidate", candidate.text);
  DiagnosticSink sink;
  const std::unique_ptr<Module> module = ReadHloText(source, sink);
  Verify(*module, sink);
  const InstructionParts parts = TakeApart(candidate.text, candidate.begin - 5);
  const Instruction* root = module->entry != nullptr ? module->entry->root : nullptr;
  for (const Diagnostic& d : sink.diagnostics()) {
    if (d.range.begin < candidate.begin - 5) continue;
    if (d.label == "verify.shape-needed" || d.label == "text.constant-shape") verdict.shape_needed = true;
    Finding finding = {d.severity, d.message, d.hint, d.label, -1, ""};
    for (size_t k = 0; k < parts.operands.size(); ++k) {
      if (d.range.begin >= parts.operands[k].begin && d.range.begin < parts.operands[k].end) finding.operand = static_cast<int>(k);
    }
    for (const AttributeParts& attribute : parts.attributes) {
      if (d.range.begin >= attribute.name.begin && d.range.begin < attribute.value.end) finding.attribute = std::string(TextOf(candidate.text, attribute.name));
    }
    verdict.findings.push_back(std::move(finding));
  }
  verdict.findings.insert(verdict.findings.end(), candidate.called.begin(), candidate.called.end());
  const bool errors = std::any_of(verdict.findings.begin(), verdict.findings.end(), [](const Finding& f) { return f.severity == Severity::kError; });
  verdict.ok = !errors && root != nullptr;
  if (verdict.ok) verdict.shape = root->shape;
  return verdict;
}

// The layout that was written stays where it still fits.
std::string ShapeText(const Shape& inferred, const Shape* before) {
  if (before != nullptr && Shape::Compatible(inferred, *before)) return before->ToString();
  if (before != nullptr && inferred.IsArray() && before->IsArray() && before->layout() != nullptr && before->rank() == inferred.rank() && inferred.layout() == nullptr) {
    return inferred.WithLayout(*before->layout()).ToString();
  }
  return inferred.ToString();
}

// After `changed` has another shape: those that depend on it, as far as theirs can be inferred.
void FollowShapes(const Reading& reading, const Instruction& changed, const Shape& shape, Patches& patches, Promise& promise) {
  const Computation& computation = *changed.parent;
  absl::flat_hash_map<const Instruction*, Shape> fresh = {{&changed, shape}};
  const ShapeOf shape_of = [&fresh](const Instruction& i) {
    const auto it = fresh.find(&i);
    return it != fresh.end() ? it->second : i.shape;
  };
  const absl::string_view text = TextOfReading(reading);
  for (const Instruction* user : computation.schedule) {
    if (user == &changed || user->index <= changed.index || !IsStatement(reading, *user)) continue;
    if (std::none_of(user->operands.begin(), user->operands.end(), [&fresh](const Instruction* o) { return fresh.contains(o); })) continue;
    Draft draft = DraftOf(reading, *user);
    draft.shape.clear();
    const Verdict verdict = CheckWith(reading, computation, draft, user, shape_of);
    if (!verdict.ok || Shape::Compatible(verdict.shape, user->shape)) continue;
    const InstructionParts parts = TakeApart(text, user->range.begin);
    const std::string written = ShapeText(verdict.shape, &user->shape);
    fresh[user] = verdict.shape;
    if (parts.shape.valid()) patches.Replace(parts.shape.begin, parts.shape.end, written);
    if (user == computation.root) promise.result = written;
  }
  // Operands that are written with their shapes.
  for (const Instruction* user : computation.instructions) {
    if (!IsStatement(reading, *user)) continue;
    if (std::none_of(user->operands.begin(), user->operands.end(), [&fresh](const Instruction* o) { return fresh.contains(o); })) continue;
    const InstructionParts parts = TakeApart(text, user->range.begin);
    for (const SourceRange operand : parts.operands) {
      const auto changed_one = fresh.find(computation.FindInstruction(BareName(TextOf(text, operand))));
      if (changed_one == fresh.end()) continue;
      TextWalk walk(text, operand.begin);
      const SourceRange typed = walk.ShapeText();
      if (typed.valid()) patches.Replace(typed.begin, typed.end, changed_one->second.ToString());
    }
  }
}

const std::string* Draft::Find(absl::string_view attribute) const {
  for (const auto& [name, value] : attributes) {
    if (name == attribute) return &value;
  }
  return nullptr;
}

bool Draft::Fills() const {
  return opcode == "constant" && (literal == "zeros" || literal == "ones" || literal == "iota" || absl::StartsWith(literal, "random") || absl::EndsWith(literal, ".npy"));
}

void Draft::Set(absl::string_view attribute, absl::string_view value) {
  for (auto it = attributes.begin(); it != attributes.end(); ++it) {
    if (it->first != attribute) continue;
    if (value.empty()) {
      attributes.erase(it);
    } else {
      it->second = std::string(value);
    }
    return;
  }
  if (value.empty()) return;
  // Before metadata and its like, which are no attributes of the operation.
  const auto place = std::find_if(attributes.begin(), attributes.end(), [](const auto& a) { return AttrIdFromName(a.first) == AttrId::kUnknown; });
  attributes.insert(place, {std::string(attribute), std::string(value)});
}

Draft DraftOf(const Reading& reading, const Instruction& instruction) {
  const absl::string_view text = TextOfReading(reading);
  Draft draft;
  if (!InText(reading, instruction.range)) return draft;
  const InstructionParts parts = TakeApart(text, instruction.range.begin);
  draft.name = BareName(TextOf(text, parts.name));
  draft.opcode = std::string(TextOf(text, parts.opcode));
  draft.shape = std::string(TextOf(text, parts.shape));
  if (draft.opcode == kParameter || draft.opcode == kConstant) {
    draft.literal = std::string(TextOf(text, parts.arguments));
  } else {
    for (const SourceRange operand : parts.operands) draft.operands.push_back(BareName(TextOf(text, operand)));
  }
  for (const AttributeParts& a : parts.attributes) draft.attributes.push_back({std::string(TextOf(text, a.name)), std::string(TextOf(text, a.value))});
  return draft;
}

std::string ToText(const Draft& draft, bool percent) {
  std::vector<std::string> operands;
  for (const std::string& operand : draft.operands) operands.push_back(WrittenName(operand, percent));
  const bool literal = draft.opcode == kParameter || draft.opcode == kConstant;
  std::string text = absl::StrCat(WrittenName(draft.name, percent), " = ", draft.shape, draft.shape.empty() ? "" : " ", draft.opcode, "(", literal ? draft.literal : absl::StrJoin(operands, ", "), ")");
  for (const auto& [name, value] : draft.attributes) absl::StrAppend(&text, ", ", name, "=", value);
  return text;
}

Verdict Check(const Reading& reading, const Computation& computation, const Draft& draft, const Instruction* self) {
  return CheckWith(reading, computation, draft, self, [](const Instruction& i) { return i.shape; });
}

}  // namespace hloscope::build
