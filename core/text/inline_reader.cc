// What is written in place, without a name: computations as the values of attributes (`calls={ p = f32[] parameter(0) ... }`),
// instructions as operands (`add(negate(x), y)`), instructions that only say what they compute (`f32[2] add(x, y)`). They are read like
// the named ones, and get names that nothing in the text bears, so that printing and everything after reading knows only named ones.
#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ir/old_opcodes.h"
#include "core/ir/written_names.h"
#include "core/text/module_reader.h"

namespace hloscope {
namespace {

// `name`, `name.1`, `name.2`: the first that is not in `taken`, which it joins. `counters` keeps many equal names from being slow.
template <typename Intern>
absl::string_view UniqueName(absl::string_view name, absl::flat_hash_set<absl::string_view>& taken,
                             absl::flat_hash_map<absl::string_view, int64_t>& counters, Intern intern) {
  if (taken.insert(name).second) return name;
  int64_t& next = counters[name];
  std::string unique;
  do {
    unique = absl::StrCat(name, ".", ++next);
  } while (taken.contains(unique));
  return *taken.insert(intern(unique)).first;
}

// "ENTRY main {", "body (p: f32[]) -> f32[] {": at the beginning of a line.
bool BeginsComputation(absl::string_view text) {
  if (text.empty() || !(IsClass(text[0], char_class::kAlpha) || text[0] == '%')) return false;
  const absl::string_view line = absl::StripTrailingAsciiWhitespace(text.substr(0, text.find('\n')));
  return absl::StartsWith(line, "ENTRY ") || (absl::EndsWith(line, "{") && !absl::StrContains(line, " = "));
}

// Adds two scalars; it stands where `user` does, and PlaceGeneratedComputations puts it in.
Computation* ScalarSum(Module& module, ElementType type, const Instruction& user) {
  Computation* sum = module.AddComputation(module.Intern(absl::StrCat("sum_", Name(type))));
  module.computations.pop_back();
  sum->range = sum->name_range = user.range;
  const auto add = [&](Opcode opcode, absl::string_view name) {
    Instruction* i = module.AddInstruction(sum);
    i->opcode = opcode;
    i->name = name;
    i->shape = Shape::Scalar(type);
    i->range = i->name_range = user.range;
    return i;
  };
  Instruction* a = add(Opcode::kParameter, "a");
  Instruction* b = add(Opcode::kParameter, "b");
  a->parameter_number = 0;
  b->parameter_number = 1;
  sum->root = add(Opcode::kAdd, "add");
  sum->root->operands = {a, b};
  sum->root->operand_ranges = {user.range, user.range};
  return sum;
}

}  // namespace

// At '{'. `{a}` and `{a, b}` are names of computations; `{a = ...`, `{ROOT ...`, `{f32[] add(...` and `{(f32[], s32[]) ...` are bodies.
bool AtInlineBody(Scanner& s) {
  if (*s.p != '{') return false;
  const char* open = s.p++;
  s.SkipSpace();
  const char* start = s.p;
  absl::string_view name = s.Name();
  bool body = *start == '(';
  if (!name.empty()) {
    s.SkipSpace();
    const char* word = s.p;
    s.Word();
    // `a f32[2] ...` too: the '=' is missing, and that is what should be said.
    body = *word == '=' || *word == '(' || *s.p == '[' || (name == "ROOT" && *start == 'R' && *word != '}' && *word != ',');
  }
  s.p = open;
  return body;
}

// `f32[2] add(x, y)`, `(f32[], s32[]) tuple(x, y)`, `add(x, y)`: a shape or an opcode stands where a name would begin.
bool ModuleReader::AtNamelessInstruction(const char* start) {
  const char* here = std::exchange(s_.p, start);
  bool nameless = false;
  if (*start == '(') {
    nameless = s_.SkipBalanced(/*quiet=*/true);
    s_.Charge(s_.p - start);
    s_.SkipSpace();
    nameless = nameless && IsClass(*s_.p, char_class::kAlpha);
  } else if (IsClass(*start, char_class::kAlpha)) {
    absl::string_view name = s_.Name();
    if (*s_.p == '[') {
      nameless = ElementTypeFromName(name).has_value();
    } else {
      s_.SkipSpace();
      nameless = *s_.p == '(' && OpcodeFromName(name).has_value() && !AtComputationHeader(name);
    }
  }
  s_.p = here;
  return nameless;
}

// At the '{' of a body that stands as the value of an attribute.
Computation* ModuleReader::ReadInlineComputation(const Instruction& user, absl::string_view attribute, int element) {
  const char* open = s_.p;
  if (nesting_ >= s_.limits().max_depth) {
    s_.Error(s_.Range(open, open + 1), HLO_LABEL("text.nesting-depth"),
             absl::StrCat("expected computations nested at most ", s_.limits().max_depth, " deep"));
    return nullptr;
  }
  std::string name = absl::StrCat(user.name, ".", attribute);
  if (element >= 0) absl::StrAppend(&name, ".", element);
  Computation* computation = module_->AddComputation(module_->Intern(name));
  module_->computations.pop_back();  // PlaceGeneratedComputations puts it in
  computation->name_range = s_.Range(attribute);
  const bool outermost = anchor_ == nullptr;
  if (outermost) anchor_ = user.parent;
  // Nothing of the surrounding computation is seen inside, and the attribute and instruction that are being read go on afterwards.
  Scope outer = std::exchange(scope_, Scope());
  ++nesting_;
  ++s_.p;
  holders_.push_back(user.name_range.begin);
  ++open_bodies_;
  ReadBody(computation, /*bare=*/false);
  --open_bodies_;
  holders_.pop_back();
  FinishComputation(computation);
  --nesting_;
  settled_references_.insert(settled_references_.end(), scope_.references.begin(), scope_.references.end());
  scope_ = std::move(outer);
  computation->range = s_.Range(open, s_.p);
  generated_computations_.push_back({computation, anchor_});
  if (outermost) anchor_ = nullptr;
  ReadInlineTrailer(computation);
  return computation;
}

// At a statement inside a computation that an attribute holds: it begins a line, no further to the right than the statement with that attribute,
// and from here to the next computation a brace is missing. So it is the next one behind that, and the brace of the attribute is what is missing.
bool ModuleReader::BeginsBeyondBody() {
  const absl::string_view text = source_->text();
  const auto column = [text](size_t at) { return at - (at == 0 ? 0 : text.rfind('\n', at - 1) + 1); };
  const auto at = static_cast<size_t>(s_.p - text.data());
  const size_t line = at - column(at), first = text.find_first_not_of(" \t", line);
  if (first != at || s_.p < closed_until_) return false;
  const size_t held = static_cast<size_t>(holders_.back()), held_line = held - column(held);
  if (column(at) > text.find_first_not_of(" \t", held_line) - held_line) return false;
  int open = open_bodies_;
  for (size_t k = at; k < text.size(); ++k) {
    if (text[k] == '"') {
      for (++k; k < text.size() && text[k] != '"' && text[k] != '\n'; ++k) k += text[k] == '\\';
    } else if (text.substr(k, 2) == "//") {
      k = std::min(text.find('\n', k), text.size()) - 1;
    } else if (text.substr(k, 2) == "/*") {
      k = std::min(text.find("*/", k + 2), text.size() - 1);
    } else if (text[k] == '\n' && BeginsComputation(text.substr(k + 1))) {
      return true;
    } else if (text[k] == '{') {
      ++open;
    } else if (text[k] == '}' && --open == 0) {
      closed_until_ = text.data() + k;
      return false;
    }
  }
  return true;
}

// `, execution_thread="name"` behind the body belongs to it; other attributes are the instruction's.
void ModuleReader::ReadInlineTrailer(Computation* computation) {
  const char* end = s_.p;
  absl::string_view thread;
  if (s_.Take(',')) {
    s_.SkipSpace();
    if (s_.Name() == "execution_thread" && s_.Take('=') && *s_.p == '"' && s_.Quoted(&thread)) {
      computation->execution_thread = thread;
      return;
    }
  }
  s_.p = end;
}

// An instruction without a name of its own, written where it is used. It has no attributes.
Instruction* ModuleReader::ReadNested(Computation* computation, Shape* shape, absl::string_view opcode) {
  const char* start = s_.p;
  if (nesting_ >= s_.limits().max_depth) {
    s_.Error(s_.Range(opcode), HLO_LABEL("text.nesting-depth"),
             absl::StrCat("expected instructions nested at most ", s_.limits().max_depth, " deep"));
    return nullptr;
  }
  Instruction* nested = module_->AddInstruction(computation);
  nested->opcode = Opcode::kCustomCall;
  NameLater(nested, opcode == kCrossReplicaSum ? Name(Opcode::kAllReduce) : opcode);
  nested->name_range = s_.Range(opcode);
  nested->shape_omitted = shape == nullptr;
  if (shape != nullptr) nested->shape = std::move(*shape);
  ++nesting_;
  absl::string_view sugar;
  const int errors = sink_.error_count();
  bool ok = ReadOpcode(nested, &sugar) && ReadParentheses(nested);
  --nesting_;
  nested->in_error = sink_.error_count() != errors;
  nested->range = s_.Range(start, s_.p);
  if (ok && !sugar.empty()) WrapAsync(nested, sugar);
  return ok ? nested : nullptr;
}

// A name for the time being; NameGenerated makes it one of its own.
void ModuleReader::NameLater(Instruction* instruction, absl::string_view opcode) {
  instruction->name = module_->Intern(absl::StrCat(opcode, ".anon"));
  (instruction->parent == fragment_ ? fragment_generated_ : scope_.generated).push_back(instruction);
}

void ModuleReader::NameGenerated(const Computation& computation, const std::vector<Instruction*>& generated) {
  if (generated.empty()) return;
  absl::flat_hash_set<const Instruction*> nameless(generated.begin(), generated.end());
  absl::flat_hash_set<absl::string_view> taken;
  for (const Instruction* i : computation.instructions) {
    if (!nameless.contains(i)) taken.insert(i->name);
  }
  absl::flat_hash_map<absl::string_view, int64_t> counters;
  for (Instruction* i : generated) {
    i->name = UniqueName(i->name, taken, counters, [&](const std::string& name) { return module_->Intern(name); });
  }
}

void ModuleReader::SumLater(Instruction* instruction, const Computation* in) { sums_.push_back({instruction, anchor_ != nullptr ? anchor_ : in}); }

// Makes the computation that `cross-replica-sum(x)` leaves out, one for each element type: by now the shapes of operands further down are known.
void ModuleReader::AddSums() {
  absl::flat_hash_map<ElementType, Computation*> made;
  std::vector<std::pair<Computation*, const Computation*>> placed;
  for (const auto& [sum, anchor] : sums_) {
    if (sum->Has(AttrId::kToApply) || sum->in_error) continue;
    const bool by_result = !sum->shape_omitted;
    if (!by_result && (sum->operands.empty() || sum->operands[0] == nullptr)) continue;  // which is said elsewhere
    if (!by_result && sum->operands[0]->shape_omitted) {
      const bool told = sum->operands[0]->in_error;
      sum->in_error = sum->parent->in_error = true;
      if (told) continue;
      s_.Error(sum->name_range, HLO_LABEL("text.sum-shape"), absl::StrCat("expected the shape of a ", kCrossReplicaSum, " before its opcode, or that of its operand"),
               absl::StrCat("write for instance: s = f32[2] ", kCrossReplicaSum, "(x)"));
      continue;
    }
    const Shape* shape = by_result ? &sum->shape : &sum->operands[0]->shape;
    while (shape->IsTuple() && !shape->tuple_shapes().empty()) shape = &shape->tuple_shapes()[0];
    const ElementType type = shape->IsArray() ? shape->element_type() : ElementType::kF32;  // that only arrays are summed is the operation's to say
    const auto other = std::find_if(sum->operands.begin(), sum->operands.end(), [type](const Instruction* operand) {
      return operand != nullptr && operand->shape.IsArray() && operand->shape.element_type() != type;
    });
    if (shape->IsArray() && sum->operands.size() > 1 && other != sum->operands.end()) {
      sum->in_error = sum->parent->in_error = true;
      const Shape& odd = (*other)->shape;
      s_.Error(sum->range, HLO_LABEL("text.sum-types"),
               absl::StrCat(kCrossReplicaSum, " without to_apply adds arrays of one element type; ", ShownName(**other), " is ", Name(odd.element_type()), ", and the first is ", Name(type)),
               absl::StrCat("write one for each element type, and a tuple of what they give, as: a = ", shape->ToString(false), " ", kCrossReplicaSum, "(x)  b = ", odd.ToString(false), " ",
                            kCrossReplicaSum, "(y)  t = tuple(a, b)"));
      continue;
    }
    Computation*& adds = made[type];
    if (adds == nullptr) {
      adds = ScalarSum(*module_, type, *sum);
      placed.push_back({adds, anchor});
    }
    Attribute to_apply;
    to_apply.id = AttrId::kToApply;
    to_apply.name = Info(AttrId::kToApply).name;
    to_apply.value = adds;
    to_apply.range = sum->range;
    sum->attributes.push_back(std::move(to_apply));
  }
  generated_computations_.insert(generated_computations_.begin(), placed.begin(), placed.end());  // before those in whose text they stand
}

// Before the computation in whose text they stand, the innermost first, as if they had been written out: the last computation of a text
// without ENTRY stays the last.
void ModuleReader::PlaceGeneratedComputations() {
  if (generated_computations_.empty()) return;
  absl::flat_hash_set<absl::string_view> taken;
  for (const Computation* c : module_->computations) taken.insert(c->name);
  absl::flat_hash_map<absl::string_view, int64_t> counters;
  absl::flat_hash_map<const Computation*, std::vector<Computation*>> before;
  for (const auto& [computation, anchor] : generated_computations_) {
    computation->name = UniqueName(computation->name, taken, counters, [&](const std::string& name) { return module_->Intern(name); });
    before[anchor].push_back(computation);
  }
  std::vector<Computation*> all;
  all.reserve(module_->computations.size() + generated_computations_.size());
  for (Computation* c : module_->computations) {
    auto it = before.find(c);
    if (it != before.end()) all.insert(all.end(), it->second.begin(), it->second.end());
    all.push_back(c);
  }
  module_->computations = std::move(all);
}

// Control bytes have no meaning anywhere but in strings, and editors and terminals hide them. Where a reader met one it has said so.
void ModuleReader::CheckControlBytes() {
  absl::string_view text = source_->text();
  auto is_control = [](char c) { return (static_cast<uint8_t>(c) < 0x20 && !IsClass(c, char_class::kSpace)) || c == 0x7f; };
  uint8_t any = 0;  // in vectors of bytes: nothing wider than a byte may come in between
  for (const char c : text) {
    const uint8_t byte = static_cast<uint8_t>(c), from_14 = static_cast<uint8_t>(byte - 14);
    any |= static_cast<uint8_t>(byte < 9) | static_cast<uint8_t>(from_14 < 18) | static_cast<uint8_t>(byte == 0x7f);
  }
  if (any == 0) return;
  absl::flat_hash_set<int32_t> reported;
  for (const Diagnostic& d : sink_.diagnostics()) reported.insert(d.range.begin);
  bool unclosed = false;
  size_t comment_end = 0;  // a quote in a comment begins no string
  constexpr int kTold = 3;
  int found = 0;
  SourceRange fourth;
  for (size_t i = 0; i < text.size() && !s_.stopped(); ++i) {
    if (is_control(text[i])) {
      const size_t begin = i;
      bool known = false;
      for (; i < text.size() && is_control(text[i]); ++i) known |= reported.contains(static_cast<int32_t>(i));
      --i;
      if (known) continue;
      const SourceRange range{static_cast<int32_t>(begin), static_cast<int32_t>(i + 1)};
      if (++found > kTold) {
        if (found == kTold + 1) fourth = range;
        continue;
      }
      s_.Error(range, HLO_LABEL("text.control-byte"),
               absl::StrCat("expected text, found a control byte of value ", static_cast<int>(static_cast<uint8_t>(text[begin]))),
               "is the file damaged, or not a text file?");
    } else if (i < comment_end) {
      continue;
    } else if (text[i] == '"' && !unclosed) {
      size_t q = i + 1;
      while (q < text.size() && text[q] != '"') q += text[q] == '\\' ? 2 : 1;
      unclosed = q >= text.size();
      if (!unclosed) i = q;
    } else if (text.substr(i, 2) == "//" || text.substr(i, 2) == "/*") {
      comment_end = text[i + 1] == '/' ? text.find('\n', i) : text.find("*/", i + 2);
    }
  }
  if (found > kTold) {
    s_.Error(fourth, HLO_LABEL("text.control-byte"), absl::StrCat("here and further on: ", found - kTold, found == kTold + 1 ? " more place" : " more places", " with control bytes"),
             "is the file damaged, or not a text file?");
  }
}

}  // namespace hloscope
