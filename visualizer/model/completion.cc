#include "visualizer/model/completion.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/ir/attributes.h"
#include "core/ir/opcode.h"
#include "core/ops/op.h"
#include "core/ops/result_types.h"
#include "core/shape/element_type.h"
#include "visualizer/model/program_index.h"

namespace hloscope {
namespace {

constexpr size_t kMost = 200;

// Where the caret stands within an instruction.
struct Place {
  enum Kind { kNowhere, kShape, kShapeOrOpcode, kOpcode, kOperand, kAttributeName, kAttributeValue } kind = kNowhere;
  std::string opcode, attribute;
};

bool StartsNoCase(absl::string_view text, absl::string_view prefix) { return absl::StartsWithIgnoreCase(text, prefix); }

// The end of a shape that begins at `at`; `at` itself where none does.
size_t SkipShape(absl::string_view s, size_t at) {
  if (at < s.size() && s[at] == '(') {
    int depth = 0;
    for (size_t k = at; k < s.size(); ++k) {
      if (s[k] == '(') ++depth;
      if (s[k] == ')' && --depth == 0) return k + 1;
    }
    return s.size();
  }
  size_t end = at;
  while (end < s.size() && absl::ascii_isalnum(s[end])) ++end;
  if (end == at || end >= s.size() || s[end] != '[') return at;
  end = s.find(']', end);
  if (end == absl::string_view::npos) return s.size();
  ++end;
  if (end < s.size() && s[end] == '{') {
    int depth = 0;
    for (; end < s.size(); ++end) {
      if (s[end] == '{') ++depth;
      if (s[end] == '}' && --depth == 0) return end + 1;
    }
  }
  return end;
}

Place Find(absl::string_view before, absl::string_view word) {
  Place place;
  // The last instruction of the line: behind its `=`, where several stand in one line behind two spaces or a brace.
  const absl::string_view head = before.substr(0, before.size() - word.size());
  size_t equals = head.find(" = ");
  if (equals == absl::string_view::npos) return place;
  for (size_t next = equals; (next = head.find(" = ", next + 1)) != absl::string_view::npos;) equals = next;
  size_t at = equals + 3;
  while (at < head.size() && head[at] == ' ') ++at;
  if (at >= head.size()) {
    place.kind = Place::kShapeOrOpcode;
    return place;
  }
  const size_t shape_end = SkipShape(head, at);
  if (shape_end >= head.size() && shape_end > at) {
    place.kind = head.back() == ' ' ? Place::kOpcode : Place::kShape;
    if (head.back() == ')' || head.back() == ']') place.kind = Place::kNowhere;
    return place;
  }
  at = shape_end;
  while (at < head.size() && head[at] == ' ') ++at;
  if (at >= head.size()) {
    place.kind = Place::kOpcode;
    return place;
  }
  size_t end = at;
  while (end < head.size() && IsNameLetter(head[end])) ++end;
  place.opcode = std::string(head.substr(at, end - at));
  if (end >= head.size() || head[end] != '(') return place;
  int depth = 0;
  size_t close = end;
  for (; close < head.size(); ++close) {
    if (head[close] == '(') ++depth;
    if (head[close] == ')' && --depth == 0) break;
  }
  if (close >= head.size()) {
    place.kind = Place::kOperand;
    return place;
  }
  // Behind the operands: `, name=value`.
  int braces = 0;
  bool quoted = false;
  size_t part = close + 1;
  for (size_t k = close + 1; k < head.size(); ++k) {
    if (head[k] == '"') quoted = !quoted;
    if (quoted) continue;
    if (head[k] == '{' || head[k] == '(') ++braces;
    if (head[k] == '}' || head[k] == ')') --braces;
    if (head[k] == ',' && braces == 0) part = k + 1;
  }
  if (quoted || part == close + 1) return place;
  const absl::string_view rest = absl::StripLeadingAsciiWhitespace(head.substr(part));
  const size_t value = rest.find('=');
  if (value == absl::string_view::npos) {
    place.kind = rest.empty() ? Place::kAttributeName : Place::kNowhere;
    return place;
  }
  place.attribute = std::string(rest.substr(0, value));
  place.kind = Place::kAttributeValue;
  return place;
}

// "f32[4]" of "  %x = f32[4]{0} add(": empty where the line does not say it.
absl::string_view ResultShape(absl::string_view before) {
  const size_t equals = before.find(" = ");
  if (equals == absl::string_view::npos) return "";
  before = before.substr(equals + 3);
  return before.substr(0, before.find_first_of(" {"));
}

class Collector {
 public:
  // `shape`: of the instruction that is typed, as far as the line says it.
  Collector(absl::string_view word, absl::string_view shape, const Module* module, const Computation* home, const Instruction* above)
      : word_(word), shape_(shape), module_(module), home_(home), above_(above) {}

  std::vector<CompletionItem> Collect(const Place& place) {
    switch (place.kind) {
      case Place::kNowhere: break;
      case Place::kShape: Shapes(); break;
      case Place::kShapeOrOpcode:
        Shapes();
        Opcodes();
        break;
      case Place::kOpcode: Opcodes(); break;
      case Place::kOperand: Names(); break;
      case Place::kAttributeName: Attributes(place.opcode); break;
      case Place::kAttributeValue: Values(place.attribute); break;
    }
    return std::move(items_);
  }

 private:
  void Offer(CompletionItem::Kind kind, absl::string_view text, absl::string_view detail) {
    if (items_.size() >= kMost || !StartsNoCase(text, word_) || text == word_) return;
    items_.push_back({kind, std::string(text), std::string(detail)});
  }

  void Opcodes() {
    for (int k = 0; k < kOpcodeCount; ++k) {
      const auto opcode = static_cast<Opcode>(k);
      Offer(CompletionItem::kOpcode, Name(opcode), Def(opcode).summary);
    }
    // What can have the result that the line says, and of that what the program has most of, goes first.
    const std::optional<ElementType> result = ElementTypeFromName(shape_.substr(0, shape_.find('[')));
    const auto fits = [&](const CompletionItem& item) {
      const std::optional<Opcode> opcode = OpcodeFromName(item.text);
      return !result.has_value() || !opcode.has_value() || MayGive(*opcode, *result);
    };
    std::map<absl::string_view, int> counts;
    if (module_ != nullptr && module_->instruction_count() < 5000) {
      for (const Computation* computation : module_->computations) {
        for (const Instruction* i : computation->instructions) ++counts[Name(i->opcode)];
      }
    }
    const auto count_of = [&](const CompletionItem& item) {
      const auto at = counts.find(item.text);
      return at != counts.end() ? at->second : 0;
    };
    const auto begin = std::find_if(items_.begin(), items_.end(), [](const CompletionItem& i) { return i.kind == CompletionItem::kOpcode; });
    std::stable_sort(begin, items_.end(), [&](const CompletionItem& a, const CompletionItem& b) {
      if (fits(a) != fits(b)) return fits(a);
      const int x = count_of(a), y = count_of(b);
      return x != y ? x > y : a.text < b.text;
    });
  }

  // The shapes that are near, and those that the program has most of.
  void Shapes() {
    std::map<std::string, int> counts;
    const auto count = [&](const Computation* computation, int weight) {
      for (const Instruction* i : computation->instructions) {
        if (i->shape.IsArray()) counts[i->shape.ToString(false)] += weight;
      }
    };
    if (home_ != nullptr) count(home_, 10);
    if (module_ != nullptr && module_->instruction_count() < 5000) {
      for (const Computation* computation : module_->computations) count(computation, 1);
    }
    std::vector<std::pair<int, std::string>> ranked;
    for (const auto& [shape, n] : counts) ranked.emplace_back(-n, shape);
    std::sort(ranked.begin(), ranked.end());
    for (const auto& [n, shape] : ranked) {
      if (items_.size() < 24) Offer(CompletionItem::kShape, shape, absl::StrCat(-n >= 10 ? "in this computation" : "in the program"));
    }
    if (word_.empty()) return;
    for (const char* type : {"f32", "f64", "bf16", "f16", "pred", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "c64", "c128", "f8e4m3fn", "f8e5m2", "s4", "u4"}) {
      Offer(CompletionItem::kShape, absl::StrCat(type, "[]"), "");
    }
  }

  void Names() {
    absl::flat_hash_set<absl::string_view> seen;
    if (home_ == nullptr) return;
    // The newest first: what one has just computed is most often what one goes on with; and before all what has the shape of the result. What
    // comes later in the text cannot be meant.
    const auto end = above_ == nullptr ? home_->instructions.rbegin() : std::find(home_->instructions.rbegin(), home_->instructions.rend(), above_);
    for (const bool fits : {true, false}) {
      for (auto it = end; it != home_->instructions.rend(); ++it) {
        const std::string shape = (*it)->shape.ToString(false);
        if ((shape == shape_) == fits && seen.insert((*it)->name).second) Offer(CompletionItem::kInstruction, (*it)->name, shape);
      }
    }
  }

  void Computations() {
    if (module_ == nullptr) return;
    for (const Computation* computation : module_->computations) {
      if (!computation->is_entry && computation != home_) Offer(CompletionItem::kComputation, computation->name, absl::StrCat(computation->parameters.size(), " parameters"));
    }
  }

  void Attributes(const std::string& opcode) {
    if (const auto known = OpcodeFromName(opcode)) {
      for (const AttrSpec& spec : Def(*known).attributes) Offer(CompletionItem::kAttribute, absl::StrCat(Info(spec.id).name, "="), spec.required ? "required" : "");
    }
    std::stable_sort(items_.begin(), items_.end(), [](const CompletionItem& a, const CompletionItem& b) { return a.detail > b.detail; });
    for (const char* name : {"metadata=", "sharding=", "backend_config=", "frontend_attributes=", "control-predecessors="}) Offer(CompletionItem::kAttribute, name, "");
  }

  void Values(const std::string& attribute) {
    const AttrInfo& info = Info(AttrIdFromName(attribute));
    switch (info.kind) {
      case AttrKind::Computation:
      case AttrKind::Computations: Computations(); break;
      case AttrKind::Bool:
        Offer(CompletionItem::kWord, "true", "");
        Offer(CompletionItem::kWord, "false", "");
        break;
      case AttrKind::Word: {
        // Words that the program uses for it.
        absl::flat_hash_set<std::string> words;
        if (attribute == "direction") words = {"EQ", "NE", "LT", "LE", "GT", "GE"};
        if (module_ != nullptr && module_->instruction_count() < 5000) {
          for (const Computation* computation : module_->computations) {
            for (const Instruction* i : computation->instructions) {
              for (const Attribute& a : i->attributes) {
                if (a.name == attribute && std::holds_alternative<absl::string_view>(a.value)) words.insert(std::string(std::get<absl::string_view>(a.value)));
              }
            }
          }
        }
        std::vector<std::string> sorted(words.begin(), words.end());
        std::sort(sorted.begin(), sorted.end());
        for (const std::string& word : sorted) Offer(CompletionItem::kWord, word, "");
        break;
      }
      default: break;
    }
  }

  const absl::string_view word_, shape_;
  const Module* module_;
  const Computation* home_;
  const Instruction* above_;
  std::vector<CompletionItem> items_;
};

}  // namespace

Completions Complete(absl::string_view before, const Module* module, const Computation* home, const Instruction* above, bool asked) {
  Completions result;
  size_t begin = before.size();
  while (begin > 0 && (IsNameLetter(before[begin - 1]) || before[begin - 1] == '[' || before[begin - 1] == ']')) --begin;
  // Brackets belong to a word only in shapes; `constant(-1`, `{[0` do not matter.
  absl::string_view word = before.substr(begin);
  if (const size_t open = word.find_first_of("[]"); open != absl::string_view::npos && !ElementTypeFromName(word.substr(0, open)).has_value()) {
    word = word.substr(word.find_last_of("[]") + 1);
  }
  // `f32[4,` is one word, as far as it is not closed.
  if (const size_t open = before.rfind('['); open != absl::string_view::npos && before.find_first_of("]){", open) == absl::string_view::npos) {
    size_t type = open;
    while (type > 0 && absl::ascii_isalnum(before[type - 1])) --type;
    if (ElementTypeFromName(before.substr(type, open - type)).has_value()) word = before.substr(type);
  }
  if (word.empty() && !asked) return result;
  if (!word.empty() && absl::ascii_isdigit(word[0])) return result;
  if (before.find("//") != absl::string_view::npos) return result;
  const Place place = Find(before, word);
  result.replace = static_cast<int>(word.size());
  result.items = Collector(word, ResultShape(before), module, home, above).Collect(place);
  return result;
}

}  // namespace hloscope
