#include "visualizer/model/build_edit.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/ops/op.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "visualizer/model/build_text.h"

namespace hloscope::build {
namespace {

constexpr char kParameter[] = "parameter", kConstant[] = "constant";

absl::string_view TextOfReading(const Reading& reading) { return reading.source != nullptr ? reading.source->text() : absl::string_view(); }

absl::Status Unread() { return absl::FailedPreconditionError("the text has not been read yet"); }

bool InText(const Reading& reading, SourceRange range) { return range.valid() && range.end <= static_cast<int64_t>(TextOfReading(reading).size()); }

// Stands in the text as a statement of its own: not made by the reader, not written inside another instruction.
bool IsStatement(const Reading& reading, const Instruction& i) { return InText(reading, i.range) && i.name_range.end > i.name_range.begin && i.name_range.begin >= i.range.begin; }

bool PercentStyle(const Reading& reading, const Computation* computation) {
  const absl::string_view text = TextOfReading(reading);
  const auto percent = [&](const Instruction& i) { return TextOf(text, TakeApart(text, i.range.begin).name).substr(0, 1) == "%"; };
  if (computation != nullptr && !computation->instructions.empty() && IsStatement(reading, *computation->instructions.front())) return percent(*computation->instructions.front());
  if (reading.module != nullptr) {
    for (const Computation* other : reading.module->computations) {
      if (!other->instructions.empty() && IsStatement(reading, *other->instructions.front())) return percent(*other->instructions.front());
    }
  }
  return false;
}

std::string FreeName(const Computation* computation, absl::string_view wanted) {
  const auto taken = [&](absl::string_view name) { return computation != nullptr && computation->FindInstruction(name) != nullptr; };
  if (!taken(wanted)) return std::string(wanted);
  for (int n = 1;; ++n) {
    std::string name = absl::StrCat(wanted, ".", n);
    if (!taken(name)) return name;
  }
}

absl::Status CheckName(absl::string_view name) {
  if (name.empty()) return absl::InvalidArgumentError("a name is needed");
  for (const char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '.' && c != '-') {
      return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no name: letters, digits, '_', '.' and '-' make names"));
    }
  }
  if (absl::ascii_isdigit(name[0]) || name[0] == '-' || name[0] == '.') return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no name: it begins with a letter or '_'"));
  if (name == "ROOT" || name == "ENTRY") return absl::InvalidArgumentError(absl::StrCat("'", name, "' is a word of the language"));
  return absl::OkStatus();
}

TextEdit Joined(Patches& patches, int64_t focus, std::string name) {
  TextEdit edit;
  edit.cursor = focus;
  patches.Join(&edit.begin, &edit.end, &edit.text, &edit.cursor);
  edit.name = std::move(name);
  return edit;
}

bool RootIsWritten(const Reading& reading, const Instruction& i) { return absl::StartsWith(TextOfReading(reading).substr(i.range.begin), "ROOT"); }

void TakeRootAway(const Reading& reading, const Instruction& i, Patches& patches) {
  if (!RootIsWritten(reading, i)) return;
  TextWalk walk(TextOfReading(reading), i.range.begin + 4);
  walk.SkipBlanks();
  patches.Remove(i.range.begin, walk.at());
}

// What the header of a computation promises, after an edit: parameters by number, and the result.
struct Promise {
  std::vector<std::pair<std::string, std::string>> parameters;  // name, shape
  std::string result;
  bool operator==(const Promise&) const = default;
};

Promise PromiseOf(const Computation& computation) {
  Promise promise;
  for (const Instruction* parameter : computation.parameters) {
    if (parameter != nullptr) promise.parameters.push_back({std::string(parameter->name), parameter->shape.ToString()});
  }
  if (computation.root != nullptr) promise.result = computation.root->shape.ToString();
  return promise;
}

// Writes the headers anew that say what parameters and result are: the computation's own, and the program's where it is the entry.
void MendHeaders(const Reading& reading, const Computation& computation, const Promise& promise, Patches& patches) {
  if (promise == PromiseOf(computation)) return;
  const absl::string_view text = TextOfReading(reading);
  const bool percent = absl::StartsWith(TextOf(text, computation.name_range), "%");
  TextWalk walk(text, std::max(0, computation.name_range.end));
  walk.SkipBlanks();
  if (walk.Peek() == '(') {
    const int64_t begin = walk.at();
    walk.SkipBalanced();
    int64_t end = walk.at();
    bool result = false;
    walk.SkipBlanks();
    if (absl::StartsWith(text.substr(walk.at()), "->")) {
      walk.Go(walk.at() + 2);
      const SourceRange shape = walk.ShapeText();
      if (shape.valid()) end = shape.end;
      result = shape.valid();
    }
    std::vector<std::string> parameters;
    for (const auto& [name, shape] : promise.parameters) parameters.push_back(absl::StrCat(WrittenName(name, percent && text[begin + 1] == '%'), ": ", shape));
    patches.Replace(begin, end, absl::StrCat("(", absl::StrJoin(parameters, ", "), ")", result ? absl::StrCat(" -> ", promise.result) : ""));
  }
  constexpr absl::string_view kLayout = "entry_computation_layout=";
  if (!computation.is_entry && reading.module->entry != &computation) return;
  const size_t at = text.find(kLayout);
  if (at == absl::string_view::npos || static_cast<int64_t>(at) > computation.range.begin) return;
  TextWalk layout(text, static_cast<int64_t>(at + kLayout.size()));
  const int64_t begin = layout.at();
  if (layout.Peek() != '{') return;
  layout.SkipBalanced();
  std::vector<std::string> shapes;
  for (const auto& [name, shape] : promise.parameters) shapes.push_back(shape);
  patches.Replace(begin, layout.at(), absl::StrCat("{(", absl::StrJoin(shapes, ", "), ")->", promise.result, "}"));
}

// `line` behind an instruction, or as the first of a computation.
void InsertLine(const Reading& reading, const Computation& computation, const Instruction* after, const std::string& line, Patches& patches, int64_t* at) {
  const absl::string_view text = TextOfReading(reading);
  if (after == nullptr) {
    for (const Instruction* i : computation.instructions) {
      if (IsStatement(reading, *i) && (after == nullptr || i->range.end > after->range.end)) after = i;
    }
  }
  if (after == nullptr) {
    // Behind the brace that opens the computation.
    TextWalk walk(text, std::max(0, computation.name_range.end));
    walk.SkipBlanks();
    if (walk.Peek() == '(') walk.SkipBalanced();
    while (!walk.AtEnd() && walk.Peek() != '{') {
      if (walk.Peek() == '(') {
        walk.SkipBalanced();
      } else {
        walk.Go(walk.at() + 1);
      }
    }
    const int64_t open = std::min<int64_t>(walk.at() + 1, text.size());
    const int64_t close = std::max<int64_t>(open, computation.range.end - 1);
    const bool alone = text.substr(open, close - open).find('\n') != absl::string_view::npos;
    patches.Insert(open, absl::StrCat("\n  ", line, alone ? "" : "\n"));
    *at = open;
    return;
  }
  const int64_t end = TakeApart(text, after->range.begin).end;
  const bool one_line = computation.range.valid() && text.substr(computation.range.begin, computation.range.end - computation.range.begin).find('\n') == absl::string_view::npos;
  if (one_line && text.substr(0, computation.range.end).find('{', computation.range.begin) != absl::string_view::npos && computation.range.end > end) {
    patches.Insert(end, absl::StrCat("  ", line));
    *at = end;
    return;
  }
  size_t begin = text.rfind('\n', after->range.begin);
  begin = begin == absl::string_view::npos ? 0 : begin + 1;
  size_t indent = begin;
  while (indent < text.size() && (text[indent] == ' ' || text[indent] == '\t')) ++indent;
  // Behind a comment at the end of the line.
  size_t stop = end;
  while (stop < text.size() && (text[stop] == ' ' || text[stop] == '\t')) ++stop;
  if (absl::StartsWith(text.substr(stop), "//")) stop = std::min(text.find('\n', stop), text.size());
  if (stop < text.size() && text[stop] != '\n') stop = end;
  patches.Insert(stop, absl::StrCat("\n", static_cast<int64_t>(indent) <= after->range.begin ? text.substr(begin, indent - begin) : "  ", line));
  *at = static_cast<int64_t>(stop);
}

// Takes an instruction's text away, with its line where it stands alone there.
void RemoveLine(const Reading& reading, const Instruction& i, Patches& patches) {
  const absl::string_view text = TextOfReading(reading);
  int64_t begin = i.range.begin, end = TakeApart(text, i.range.begin).end;
  int64_t left = begin, right = end;
  while (left > 0 && (text[left - 1] == ' ' || text[left - 1] == '\t')) --left;
  while (right < static_cast<int64_t>(text.size()) && (text[right] == ' ' || text[right] == '\t')) ++right;
  if (absl::StartsWith(text.substr(right), "//")) right = static_cast<int64_t>(std::min(text.find('\n', right), text.size()));
  const bool first = left == 0 || text[left - 1] == '\n', last = right >= static_cast<int64_t>(text.size()) || text[right] == '\n';
  if (first && last) {
    begin = left;
    end = std::min<int64_t>(right + 1, text.size());
  } else {
    end = right;
    if (last) begin = left;
  }
  patches.Remove(begin, end);
}

// Every place where an instruction of `computation` names `of` as an operand or waits for it.
void ReplaceUses(const Reading& reading, const Instruction& of, absl::string_view name, Patches& patches) {
  const absl::string_view text = TextOfReading(reading);
  for (const Instruction* user : of.parent->instructions) {
    const bool reads = std::find(user->operands.begin(), user->operands.end(), &of) != user->operands.end();
    const bool waits = std::find(user->control_predecessors.begin(), user->control_predecessors.end(), &of) != user->control_predecessors.end();
    if (!reads && !waits) continue;
    for (size_t k = 0; reads && k < user->operands.size() && k < user->operand_ranges.size(); ++k) {
      if (user->operands[k] != &of) continue;
      const SourceRange range = user->operand_ranges[k];
      patches.Replace(range.begin, range.end, WrittenName(name, text[range.begin] == '%'));
    }
    if (!waits) continue;
    for (const AttributeParts& attribute : TakeApart(text, user->range.begin).attributes) {
      if (TextOf(text, attribute.name) != "control-predecessors") continue;
      TextWalk walk(text, attribute.value.begin + 1);
      while (walk.at() < attribute.value.end) {
        const SourceRange found = walk.Name();
        if (found.begin == found.end) break;
        if (BareName(TextOf(text, found)) == of.name) patches.Replace(found.begin, found.end, WrittenName(name, text[found.begin] == '%'));
        if (!walk.Take(',')) break;
      }
    }
  }
}

// -- Checking one instruction --

using ShapeOf = std::function<Shape(const Instruction&)>;

// The text of a little program around the draft: what it reads as parameters, what it calls as it is.
struct Candidate {
  std::string text;
  int64_t begin = 0;  // of the draft
  std::vector<Finding> findings;  // found before reading
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
      if (kind == AttrKind::Computation || kind == AttrKind::Computations) AddCalls(value);
    }
    Candidate made;
    made.findings = std::move(findings_);
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
  void AddCalls(absl::string_view value) {
    TextWalk walk(value, 0);
    while (!walk.AtEnd()) {
      const SourceRange name = walk.Name();
      if (name.begin == name.end) {
        walk.Go(walk.at() + 1);
      } else if (const Computation* called = reading_.module->FindComputation(BareName(TextOf(value, name)))) {
        CallsOf(*called, calls_);
      }
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
  std::vector<Finding> findings_;
};

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

const Computation* EntryOf(const Reading& reading) { return reading.module != nullptr ? reading.module->entry : nullptr; }

}  // namespace

const std::string* Draft::Find(absl::string_view attribute) const {
  for (const auto& [name, value] : attributes) {
    if (name == attribute) return &value;
  }
  return nullptr;
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
  std::string wanted(name);
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
