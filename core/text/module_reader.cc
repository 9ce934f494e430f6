// Modules: the header, computations and their braces, what may stand between them, and where to go on after a mistake.
#include "core/text/module_reader.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/base/nearest_name.h"
#include "core/ir/written_names.h"
#include "core/text/entry_layout.h"
#include "core/text/hlo_text.h"
#include "core/text/outfeed_shape.h"

namespace hloscope {
namespace {

constexpr absl::string_view kTables[] = {"FileNames", "FunctionNames", "FileLocations", "StackFrames"};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

const char* SkipBlanks(const char* p) {
  while (IsBlank(*p)) ++p;
  return p;
}

const char* SkipName(const char* p) {
  if (*p == '%') ++p;
  while (IsClass(*p, char_class::kName) || *p == ':') ++p;
  return p;
}

// "[ROOT] name = ...", and not "attribute={...}" at the beginning of a continued line.
bool LooksLikeStatement(const char* p) {
  bool sure = false;
  if (std::strncmp(p, "ROOT", 4) == 0 && IsBlank(p[4])) {
    sure = true;
    p = SkipBlanks(p + 4);
  }
  sure |= *p == '%';
  const char* end = SkipName(p);
  if (end == p) return false;
  p = SkipBlanks(end);
  if (*p != '=' || !(sure || p > end)) return false;
  p = SkipBlanks(p + 1);
  return *p != '{' && *p != '"';
}

bool LooksLikeHeader(const char* p) {
  const char* end = SkipName(p);
  if (end == p) return false;
  absl::string_view name(p, end - p);
  if ((name == "ENTRY" || name == "HloModule") && IsBlank(*end)) return true;
  p = SkipBlanks(end);
  return *p == '(' || *p == '{';
}

bool LooksLikeClosingBrace(const char* p) {
  if (*p != '}') return false;
  p = SkipBlanks(p + 1);
  return *p == '\n' || *p == 0 || *p == ',' || *p == '/';
}

// At a quote: the one that ends the string; the same where none does on its line.
const char* StringEnd(const char* open, const char* end) {
  const char* close = open + 1;
  while (*close != '"' && *close != '\n' && close < end) close += *close == '\\' && close[1] != '\n' ? 2 : 1;
  return close < end && *close == '"' ? close : open;
}

}  // namespace

ModuleReader::ModuleReader(std::shared_ptr<const SourceText> source, DiagnosticSink& sink, const TextLimits& limits)
    : source_(std::move(source)), sink_(sink), s_(source_->text(), sink, limits), shapes_(s_), module_(std::make_unique<Module>()) {
  module_->source = source_;
}

std::unique_ptr<Module> ModuleReader::Read() {
  const int64_t size = static_cast<int64_t>(source_->text().size());
  if (size > s_.limits().max_bytes) {
    s_.Error({0, 0}, HLO_LABEL("text.too-large"),
             absl::StrCat("expected a text of at most ", s_.limits().max_bytes, " bytes, found ", size));
  } else {
    if (absl::StartsWith(source_->text(), "\xEF\xBB\xBF")) s_.p += 3;  // a byte order mark
    ReadTopLevel();
    const auto& all = module_->computations;
    if (fragment_ != nullptr && fragment_->is_entry && std::any_of(all.begin(), all.end(), [&](const Computation* c) { return c != fragment_ && c->is_entry; })) {
      ReportOutside(source_->text().data() + fragment_->name_range.begin, "and the program has an ENTRY");
    }
    MoveImpliedParameters();
    if (fragment_ != nullptr) NameGenerated(*fragment_, fragment_generated_);
    ResolveComputations();
    for (const WrappedParameter& w : wrapped_) {
      if (w.operand < static_cast<int>(w.start->operands.size())) w.parameter->shape = w.start->operands[w.operand]->shape;
    }
    AddSums();
    PlaceGeneratedComputations();
    CheckControlBytes();
  }
  module_->Finalize(sink_);
  CheckEntryLayout(*module_, sink_);
  if (seen_outfeed_shape_) CheckOutfeedShapes(*module_, sink_);
  return std::move(module_);
}

void ModuleReader::SkipLine() {
  while (!s_.AtEnd() && *s_.p != '\n') ++s_.p;
}

// Instructions from `start` on can only be those of a computation whose header is missing. What else would be said of them follows from that.
void ModuleReader::ReportOutside(const char* start, absl::string_view why) {
  const char* end = start;
  while (end < s_.end() && *end != '\n' && *end != '=') ++end;
  while (end > start + 1 && end[-1] == ' ') --end;
  s_.Error(s_.Range(start, end), HLO_LABEL("text.outside-computation"),
           absl::StrCat("expected the header of a computation before this instruction: it stands outside of all, ", why),
           "write NAME { (or ENTRY NAME {) before it");
  fragment_->is_entry = false;
  fragment_->in_error = headless_ = true;
}

void ModuleReader::ReadTopLevel() {
  while (!s_.stopped()) {
    s_.SkipSpace();
    if (s_.AtEnd()) break;
    const char* start = s_.p;
    absl::string_view name = s_.Name();
    s_.SkipSpace();
    const bool plain = *start != '%' && *start != '"';
    bool good = true;
    if (plain && name == "HloModule" && *s_.p != '=') {
      if (seen_header_) {
        s_.Error(s_.Range(start, start + 9), HLO_LABEL("text.second-module"), "expected one module in a text, found a second HloModule",
                 "put each module into a file of its own");
        break;
      }
      ReadHeader();
    } else if (plain && name == "ENTRY" && *s_.p != '=') {
      ReadComputation(/*is_entry=*/true, start);
    } else if (plain && IsClass(*s_.p, char_class::kDigit) &&
               std::find(std::begin(kTables), std::end(kTables), name) != std::end(kTables)) {
      ReadTable(name);
    } else if ((!name.empty() && *s_.p == '=') || AtNamelessInstruction(start) ||
               (plain && name == "ROOT" && (LooksLikeStatement(start) || AtNamelessInstruction(s_.p)))) {
      s_.p = start;
      if (fragment_ == nullptr) {
        fragment_ = module_->AddComputation("fragment");
        fragment_->is_entry = true;
        fragment_->range = fragment_->name_range = s_.Range(start, start);
      }
      ReadBody(fragment_, /*bare=*/true);
      s_.SkipSpace();
      const bool closed = !s_.AtEnd() && *s_.p == '}';  // of a computation whose header is missing
      if (closed) {
        ReportOutside(start, absl::StrCat("and a } follows in line ", source_->Locate(s_.Offset(s_.p)).line));
        ++s_.p;
      }
      FinishComputation(fragment_);
      fragment_->range.end = s_.Offset(s_.p);
      if (s_.p == start) SkipLine();  // something must have been read, or there would be no end
    } else if (!name.empty() && AtComputationHeader(name)) {
      s_.p = start;
      ReadComputation(/*is_entry=*/false, start);
    } else if (plain && std::find(std::begin(kTables), std::end(kTables), name) != std::end(kTables)) {
      // A table without rows.
    } else {
      good = false;
      s_.p = start;
      if (!in_garbage_) {
        s_.Error(s_.Here(), HLO_LABEL("text.unexpected"),
                 absl::StrCat("expected HloModule, a computation or an instruction, found ", s_.Found()));
      }
      ++s_.p;
      SkipLine();
    }
    in_garbage_ = !good;
  }
  if (s_.AtEnd() && sink_.error_count() == 0 && module_->computations.empty()) {
    const char* at = seen_header_ ? s_.end() : s_.begin();
    s_.Error(s_.Range(at, at), HLO_LABEL("text.empty"),
             absl::StrCat("expected ", seen_header_ ? "" : "HloModule, ", "a computation or an instruction, found nothing"),
             seen_header_ ? "" : "the text holds no program: begin with HloModule NAME and ENTRY main { ... }");
  }
}

// HloModule name, key=value, key=value
void ModuleReader::ReadHeader() {
  seen_header_ = true;
  const char* start = s_.p;
  while (!s_.AtEnd() && *s_.p != ',' && !IsClass(*s_.p, char_class::kSpace)) ++s_.p;
  module_->name.assign(start, s_.p - start);
  if (module_->name.empty()) {
    s_.Error(s_.Here(), HLO_LABEL("text.expected-name"),
             absl::StrCat("expected the name of the module after HloModule, found ", s_.Found()));
  }
  while (s_.Take(',')) {
    s_.SkipSpace();
    absl::string_view key = s_.Name();
    absl::string_view value;
    if (key.empty()) {
      s_.Error(s_.Here(), HLO_LABEL("text.expected-name"), absl::StrCat("expected the name of an attribute, found ", s_.Found()));
      return SkipLine();
    }
    if (!s_.Expect('=', key) || !s_.Raw(&value)) return SkipLine();
    module_->header.emplace_back(std::string(key), std::string(value));
  }
}

// Behind a name that is not followed by '=': "{", or "(parameters) -> shape".
bool ModuleReader::AtComputationHeader(absl::string_view name) {
  if (*s_.p == '{') return true;
  if (*s_.p != '(') return false;
  const char* open = s_.p;
  bool balanced = s_.SkipBalanced(/*quiet=*/true);
  s_.Charge(s_.p - open);
  s_.SkipSpace();
  bool header = balanced && (*s_.p == '{' || (*s_.p == '-' && s_.p[1] == '>'));
  s_.p = open;
  return header;
}

// [ENTRY] name [(parameters) -> shape] { instructions } [, attributes]
void ModuleReader::ReadComputation(bool is_entry, const char* start) {
  const char* name_start = s_.p;
  absl::string_view name = s_.Name();
  SourceRange name_range = s_.Range(name_start, s_.p);
  if (name.empty()) {
    s_.Error(s_.Here(), HLO_LABEL("text.expected-name"), absl::StrCat("expected the name of a computation, found ", s_.Found()));
  }
  Computation* computation = module_->AddComputation(name);
  computation->is_entry = is_entry;
  computation->name_range = name_range;
  Signature signature;
  s_.SkipSpace();
  if (*s_.p == '(' && !ReadSignature(signature)) {
    signature.present = false;
    // The body is worth reading all the same: it begins at a brace that ends a line.
    while (!s_.AtEnd() && *s_.p != '\n' && !(*s_.p == '{' && (SkipBlanks(s_.p + 1)[0] == '\n' || SkipBlanks(s_.p + 1)[0] == '/'))) ++s_.p;
  }
  ReadTrailer(computation);
  // A brace that was forgotten at the end of the line: the body is read all the same.
  if (s_.Expect('{', "the header of a computation") || LooksLikeStatement(s_.p)) {
    ++open_bodies_;
    ReadBody(computation, /*bare=*/false);
    --open_bodies_;
    FinishComputation(computation);
    computation->range = s_.Range(start, s_.p);
    if (signature.present) CheckSignature(*computation, signature);
    ReadTrailer(computation);
  } else {
    computation->in_error = true;
    SkipLine();
  }
  computation->range = s_.Range(start, s_.p);
}

bool ModuleReader::ReadSignature(Signature& signature) {
  ++s_.p;  // (
  if (!s_.Take(')')) {
    do {
      s_.SkipSpace();
      absl::string_view name = s_.Name();
      if (name.empty()) {
        return s_.Error(s_.Here(), HLO_LABEL("text.expected-name"), absl::StrCat("expected the name of a parameter, found ", s_.Found()));
      }
      size_t colon = name.rfind(':');
      if (*s_.p == '[' && colon != absl::string_view::npos) s_.p = name.data() + colon;  // "a:f32[2]" without a space
      if (!s_.Expect(':', "the name of a parameter")) return false;
      s_.SkipSpace();
      Shape shape;
      const char* shape_start = s_.p;
      if (!shapes_.Read(&shape)) return false;
      signature.parameters.emplace_back(std::move(shape), s_.Range(shape_start, s_.p));
    } while (s_.Take(','));
    if (!s_.Expect(')', "the parameters of a computation")) return false;
  }
  s_.SkipSpace();
  if (*s_.p != '-' || s_.p[1] != '>') return true;
  s_.p += 2;
  s_.SkipSpace();
  const char* start = s_.p;
  if (!shapes_.Read(&signature.result)) return false;
  signature.result_range = s_.Range(start, s_.p);
  signature.present = true;
  return true;
}

// Attributes behind the header or the closing brace: `, execution_thread="main"`.
void ModuleReader::ReadTrailer(Computation* computation) {
  const char* end = s_.p;
  while (s_.Take(',')) {
    s_.SkipSpace();
    const char* start = s_.p;
    absl::string_view name = s_.Name();
    if (name.empty()) {
      s_.Error(s_.Here(), HLO_LABEL("text.expected-name"), absl::StrCat("expected the name of an attribute, found ", s_.Found()));
      return SkipLine();
    }
    absl::string_view value;
    if (!s_.Expect('=', name)) return SkipLine();
    s_.SkipSpace();
    if (!s_.Raw(&value)) return SkipLine();
    end = s_.p;
    if (name == "execution_thread" && value.size() >= 2 && value[0] == '"' && value.find('"', 1) == value.size() - 1) {
      computation->execution_thread = value.substr(1, value.size() - 2);
    } else {
      computation->attributes.push_back({AttrId::kUnknown, name, value, s_.Range(start, s_.p)});
    }
  }
  s_.p = end;
}

// The instructions up to the closing brace. `bare`: outside of braces, up to whatever is not an instruction.
void ModuleReader::ReadBody(Computation* computation, bool bare) {
  while (!s_.stopped()) {
    s_.SkipSpace();
    if (s_.AtEnd() || (*s_.p == '}' && bare)) break;
    if (*s_.p == '}') {
      ++s_.p;
      return;
    }
    if (!holders_.empty() && BeginsBeyondBody()) break;
    const char* start = s_.p;
    Outcome outcome = ReadInstruction(computation);
    if (outcome == Outcome::kHeader) {
      s_.p = start;
      break;
    }
    if (outcome == Outcome::kFailed) {
      computation->in_error = true;
      RecoverStatement(start);
    }
  }
  if (s_.stopped()) computation->in_error = true;
  if (bare || s_.stopped()) return;
  computation->in_error = true;
  s_.Error(computation->name_range, HLO_LABEL("text.unclosed-computation"),
           absl::StrCat("expected '}' to close computation ", computation->name, ", found ", s_.Found()));
}

// At an opening bracket: behind the one that closes it, which is of its kind and stands before the next statement. Else stays, and is
// false.
bool ModuleReader::SkipBracketed() {
  const char* open = s_.p;
  if (MayBeBody()) {
    const bool closed = s_.SkipBalanced(/*quiet=*/true);
    s_.Charge(s_.p - open);
    return closed;
  }
  std::string awaited;
  const char* q = open;
  for (bool broken = false; q < s_.end() && !broken; ++q) {
    const char c = *q;
    if (c == '(' || c == '[' || c == '{') {
      awaited.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    } else if (c == ')' || c == ']' || c == '}') {
      broken = c != awaited.back();
      awaited.pop_back();
      if (broken || !awaited.empty()) continue;
      s_.p = q + 1;
      s_.Charge(s_.p - open);
      return true;
    } else if (c == '"') {
      q = StringEnd(q, s_.end());
    } else if (c == '/' && q[1] == '/') {
      while (q + 1 < s_.end() && q[1] != '\n') ++q;
    } else if (c == '/' && q[1] == '*') {
      absl::string_view rest(q + 2, s_.end() - q - 2);
      const size_t close = rest.find("*/");
      q = close == absl::string_view::npos ? s_.end() - 1 : rest.data() + close + 1;
    } else if (c == '\n') {
      const char* line = SkipBlanks(q + 1);
      broken = LooksLikeStatement(line) || LooksLikeClosingBrace(line);
    }
  }
  s_.Charge(q - open);
  s_.p = open;
  return false;
}

// A value that was taken as it stands, from `start` to here, holds no beginning of a statement: its bracket is closed in its own.
bool ModuleReader::EndsWithStatement(const char* start) {
  while (start < s_.p && IsClass(*start, char_class::kSpace)) ++start;
  const char* end = s_.p;
  if (std::memchr(start, '\n', end - start) == nullptr) return true;
  s_.p = start;
  const bool body = MayBeBody();
  bool good = true;
  for (const char* q = start; q < end && good && !body; ++q) {
    if (*q == '"') {  // it may hold anything, over many lines
      for (++q; q < end && *q != '"'; ++q) q += *q == '\\';
    } else if (*q == '\n') {
      good = !LooksLikeStatement(SkipBlanks(q + 1));
    }
  }
  if (good) s_.p = end;
  return good || s_.Error(s_.Range(start, start + 1), HLO_LABEL("text.unclosed-bracket"),
                          absl::StrCat("expected '",
                                       std::string(1, *start == '('   ? ')'
                                                      : *start == '[' ? ']'
                                                                      : '}'),
                                       "' to close the '", std::string(1, *start), "' that opens here"));
}

void ModuleReader::RecoverStatement(const char* start) {
  int64_t braces = 0;
  bool skip_bodies = !s_.stopped();
  for (const char* q = start; q < s_.end(); ++q) {
    if (*q == '{') {
      s_.p = q;
      if (skip_bodies && q > start && MayBeBody()) {  // a computation inside an attribute: its lines are no statements of this one
        const bool closed = s_.SkipBalanced(/*quiet=*/true);
        s_.Charge(s_.p - q);
        if (closed) {
          q = s_.p - 1;
          continue;
        }
        skip_bodies = false;  // else each brace behind it would be walked from to the end
      }
      ++braces;
    } else if (*q == '}') {
      if (braces-- == 0 && q > start) {
        s_.p = q;
        return;
      }
    } else if (*q == '"') {
      q = StringEnd(q, s_.end());
    } else if (*q == '/' && q[1] == '/') {
      while (q + 1 < s_.end() && q[1] != '\n') ++q;
    } else if (*q == '\n') {
      const char* line = SkipBlanks(q + 1);
      if (LooksLikeStatement(line) || LooksLikeClosingBrace(line) || (line == q + 1 && LooksLikeHeader(line))) {
        s_.p = line;
        return;
      }
    }
  }
  s_.p = s_.end();
}

// All names of the computation are known: settles what was noted while reading it.
void ModuleReader::FinishComputation(Computation* computation) {
  NameGenerated(*computation, scope_.generated);
  std::vector<Instruction*> incomplete;
  for (const PendingOperand& use : scope_.pending) {
    auto it = scope_.names.find(use.name);
    if (it == scope_.names.end() && computation == fragment_ && use.typed && !headless_ && !scope_.broken_names.contains(use.name)) {
      use.user->operands[use.operand] = AddImpliedParameter(use.name, use.shape, use.range);
      continue;
    }
    if (it == scope_.names.end() && computation == fragment_ && headless_) {  // its parameters may be among what is missing
      use.user->in_error = true;
      if (use.operand >= 0) incomplete.push_back(use.user);
      continue;
    }
    if (it != scope_.names.end()) {
      if (use.operand < 0) {
        use.user->control_predecessors.push_back(it->second);
      } else {
        use.user->operands[use.operand] = it->second;
        const int errors = sink_.error_count();
        if (use.typed) CheckOperandShape(use.range, use.shape, *it->second);
        if (sink_.error_count() != errors) use.user->in_error = true;
      }
      continue;
    }
    use.user->in_error = true;
    if (use.operand >= 0) incomplete.push_back(use.user);
    if (scope_.broken_names.contains(use.name)) continue;
    NearestName nearest(use.name, &suggestion_budget_);
    for (const Instruction* i : computation->instructions) nearest.Offer(i->name);  // in text order: equals must not depend on a hash
    s_.Error(use.range, HLO_LABEL("text.unknown-operand"),
             absl::StrCat("expected an instruction ", computation == fragment_ ? "outside of computations" : absl::StrCat("of computation ", computation->name), ", found '", use.name, "'"),
             nearest.Hint());
  }
  for (Instruction* instruction : incomplete) {
    // Nobody downstream wants to meet a null operand, and the module cannot be run any more.
    size_t kept = 0;
    for (size_t i = 0; i < instruction->operands.size(); ++i) {
      if (instruction->operands[i] == nullptr) continue;
      instruction->operands[kept] = instruction->operands[i];
      instruction->operand_ranges[kept++] = instruction->operand_ranges[i];
    }
    instruction->operands.resize(kept);
    instruction->operand_ranges.resize(kept);
  }
  // What Finalize asks of a large computation is known here; a small table is kept for the next one.
  if (scope_.names.size() > kManyNames && computation->by_name.empty()) computation->by_name = std::exchange(scope_.names, {});
  scope_.names.clear();
  scope_.broken_names.clear();
  scope_.pending.clear();
  scope_.generated.clear();
}

Instruction* ModuleReader::AddImpliedParameter(absl::string_view name, const Shape& shape, SourceRange range) {
  Instruction* parameter = module_->AddInstruction(fragment_);
  fragment_->instructions.pop_back();  // MoveImpliedParameters puts it in
  parameter->opcode = Opcode::kParameter;
  parameter->name = name;
  parameter->shape = shape;
  parameter->range = parameter->name_range = range;
  implied_parameters_.push_back(parameter);
  if (name.empty()) {
    NameLater(parameter, "parameter");
  } else {
    scope_.names.try_emplace(name, parameter);
  }
  return parameter;
}

// To the front of the fragment, numbered behind the parameters that are written out.
void ModuleReader::MoveImpliedParameters() {
  if (implied_parameters_.empty()) return;
  int64_t number = 0;
  for (const Instruction* i : fragment_->instructions) {
    if (i->parameter_number < INT32_MAX) number = std::max(number, i->parameter_number + 1);  // wild numbers are Finalize's to report
  }
  for (Instruction* parameter : implied_parameters_) parameter->parameter_number = number++;
  fragment_->instructions.insert(fragment_->instructions.begin(), implied_parameters_.begin(), implied_parameters_.end());
}

void ModuleReader::CheckSignature(const Computation& computation, const Signature& signature) {
  const Instruction* root = computation.root;
  if (root == nullptr && !computation.instructions.empty()) root = computation.instructions.back();
  if (root != nullptr && !root->shape_omitted && !Shape::Compatible(root->shape, signature.result)) {
    s_.Error(signature.result_range, HLO_LABEL("text.result-shape"),
             absl::StrCat("expected the shape of the root ", ShownName(*root), ", ", root->shape.ToString(false), ", found ",
                          signature.result.ToString(false)),
             absl::StrCat("the header of a computation repeats the shape of its root; did you mean '", root->shape.ToString(false), "'?"));
  }
  for (const Instruction* parameter : computation.instructions) {
    int64_t number = parameter->parameter_number;
    if (number < 0 || parameter->shape_omitted) continue;
    if (number >= static_cast<int64_t>(signature.parameters.size())) {
      s_.Warning(computation.name_range, HLO_LABEL("text.parameter-count"),
                 absl::StrCat("the header lists ", signature.parameters.size(), " parameters, but there is parameter(", number, ")"));
      return;
    }
    const auto& [shape, range] = signature.parameters[number];
    if (!Shape::Compatible(parameter->shape, shape)) {
      s_.Warning(range, HLO_LABEL("text.parameter-shape"),
                 absl::StrCat("the header says ", shape.ToString(false), " for parameter ", number, ", its instruction ", ShownName(*parameter),
                              " says ", parameter->shape.ToString(false)));
    }
  }
}

void ModuleReader::ResolveComputations() {
  NameMap<Computation*> by_name;
  by_name.reserve(module_->computations.size());
  for (Computation* c : module_->computations) by_name.emplace(c->name, c);
  bool missing = false;
  std::vector<ComputationReference>& references = scope_.references;
  if (!settled_references_.empty()) {
    references.insert(references.end(), settled_references_.begin(), settled_references_.end());
    std::stable_sort(references.begin(), references.end(),
                     [](const ComputationReference& a, const ComputationReference& b) { return a.range.begin < b.range.begin; });
  }
  for (const ComputationReference& r : references) {
    AttrValue& value = r.instruction->attributes[r.attribute].value;
    auto it = by_name.find(r.name);
    if (it != by_name.end()) {
      if (auto* one = std::get_if<Computation*>(&value)) *one = it->second;
      if (auto* many = std::get_if<std::vector<Computation*>>(&value)) (*many)[r.element] = it->second;
      continue;
    }
    missing = true;
    r.instruction->in_error = true;
    NearestName nearest(r.name, &suggestion_budget_);
    for (const Computation* c : module_->computations) nearest.Offer(c->name);
    s_.Error(r.range, HLO_LABEL("text.unknown-computation"), absl::StrCat("expected a computation of the module, found '", r.name, "'"),
             nearest.Hint());
  }
  if (!missing) return;
  auto drop_nulls = [](const Computation* c) {  // no null computations either
    for (Instruction* i : c->instructions) {
      auto is_null = [](const Attribute& a) {
        auto* one = std::get_if<Computation*>(&a.value);
        return one != nullptr && *one == nullptr;
      };
      i->attributes.erase(std::remove_if(i->attributes.begin(), i->attributes.end(), is_null), i->attributes.end());
      for (Attribute& a : i->attributes) {
        if (auto* many = std::get_if<std::vector<Computation*>>(&a.value)) {
          many->erase(std::remove(many->begin(), many->end(), nullptr), many->end());
        }
      }
    }
  };
  for (const Computation* c : module_->computations) drop_nulls(c);
  for (const auto& [c, anchor] : generated_computations_) drop_nulls(c);
}

std::unique_ptr<Module> ReadHloText(std::shared_ptr<const SourceText> source, DiagnosticSink& sink) {
  return ModuleReader(std::move(source), sink, TextLimits()).Read();
}

}  // namespace hloscope
