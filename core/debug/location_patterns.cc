// Locations by what an instruction is: its operation, its shape, what it calls, its name or text by a regular expression.
#include <algorithm>
#include <optional>
#include <regex>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/location_kinds.h"
#include "core/text/hlo_text.h"

namespace hloscope {

bool IsGlob(absl::string_view pattern) { return pattern.find_first_of("*?") != absl::string_view::npos; }

bool GlobMatches(absl::string_view text, absl::string_view pattern) {
  size_t t = 0, p = 0, star = absl::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++t;
      ++p;
    } else if (star != absl::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// -- op: --

absl::StatusOr<Locations> ByOperation(const Module& module, absl::string_view names) {
  absl::flat_hash_set<Opcode> wanted;
  absl::flat_hash_set<const Instruction*> written;
  std::vector<absl::string_view> words = absl::StrSplit(names, absl::ByAnyChar(",|"));
  for (absl::string_view name : words) {
    name = absl::StripPrefix(absl::StripAsciiWhitespace(name), "op:");
    if (const std::optional<Opcode> opcode = OpcodeFromName(name)) {
      wanted.insert(*opcode);
      continue;
    }
    const Locations theirs = ByWrittenOperation(module, name);
    for (const Location& each : theirs) written.insert(&each.instruction());
    if (!theirs.empty() && !IsGlob(name)) continue;
    if (const std::optional<Opcode> opcode = OpcodeFromAnyName(name)) {
      wanted.insert(*opcode);
      continue;
    }
    bool any = !theirs.empty() || IsStableHloOperation(name);
    int64_t budget = 1 << 20;
    NearestName nearest(name, &budget);
    for (int i = 0; i < kOpcodeCount; ++i) {
      const Opcode opcode = static_cast<Opcode>(i);
      if (IsGlob(name) && GlobMatches(Name(opcode), name)) any = wanted.insert(opcode).second || any;
      nearest.Offer(Name(opcode));
    }
    if (!any) return NoLocation(absl::StrCat("there is no operation '", name, "'"), nearest.Hint());
  }
  Locations found = Select(module, [&](const Instruction& i) { return wanted.contains(i.opcode) || written.contains(&i); });
  if (!found.empty()) return found;
  absl::flat_hash_set<std::string> used;
  Select(module, [&](const Instruction& i) { return used.insert(std::string(Name(i.opcode))).second; });
  std::vector<std::string> list(used.begin(), used.end());
  std::sort(list.begin(), list.end());
  if (list.size() > 12) list.resize(12), list.push_back("...");
  return NoLocation(absl::StrCat("no instruction of this program is a ", absl::StrJoin(words, " or ")), list.empty() ? "" : absl::StrCat("it has ", absl::StrJoin(list, ", ")));
}

// -- shape: --

namespace {

struct DimensionPattern {
  enum Kind : uint8_t { kExactly, kAny, kRest, kLess, kLessEqual, kGreater, kGreaterEqual } kind = kExactly;
  int64_t size = 0;
  bool Matches(int64_t d) const {
    switch (kind) {
      case kExactly: return d == size;
      case kAny: return true;
      case kLess: return d < size;
      case kLessEqual: return d <= size;
      case kGreater: return d > size;
      case kGreaterEqual: return d >= size;
      case kRest: break;
    }
    return false;
  }
};

struct ShapePattern {
  std::string type;  // a glob
  bool any_dimensions = false;
  std::vector<DimensionPattern> dimensions;
  bool tuple = false;
  std::vector<ShapePattern> elements;
  bool any_elements = false;  // (..., ) at its end
};

bool DimensionsMatch(absl::Span<const int64_t> dims, absl::Span<const DimensionPattern> pattern) {
  if (pattern.empty()) return dims.empty();
  if (pattern[0].kind == DimensionPattern::kRest) {
    for (size_t skip = 0; skip <= dims.size(); ++skip) {
      if (DimensionsMatch(dims.subspan(skip), pattern.subspan(1))) return true;
    }
    return false;
  }
  return !dims.empty() && pattern[0].Matches(dims[0]) && DimensionsMatch(dims.subspan(1), pattern.subspan(1));
}

bool ShapeMatches(const Shape& shape, const ShapePattern& pattern) {
  if (pattern.tuple) {
    if (!shape.IsTuple()) return false;
    const size_t count = shape.tuple_shapes().size();
    if (pattern.any_elements ? count < pattern.elements.size() : count != pattern.elements.size()) return false;
    for (size_t k = 0; k < pattern.elements.size(); ++k) {
      if (!ShapeMatches(shape.tuple_shapes()[k], pattern.elements[k])) return false;
    }
    return true;
  }
  if (!shape.IsArray()) return pattern.any_dimensions && !shape.IsTuple() && GlobMatches(shape.ToString(false), absl::StrCat(pattern.type, "*")) && pattern.type != "*";
  if (!GlobMatches(Name(shape.element_type()), pattern.type)) return false;
  return pattern.any_dimensions || DimensionsMatch(shape.dimensions(), pattern.dimensions);
}

absl::Status BadShape(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(what, "; a shape is like bf16[*,4096], f32[...,3], *[2,>=8], f32 or (s32[], f32[*])"));
}

absl::StatusOr<DimensionPattern> ParseDimension(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  DimensionPattern d;
  if (text == "*" || text == "?") d.kind = DimensionPattern::kAny;
  if (text == "...") d.kind = DimensionPattern::kRest;
  if (d.kind != DimensionPattern::kExactly) return d;
  if (absl::ConsumePrefix(&text, "<=")) {
    d.kind = DimensionPattern::kLessEqual;
  } else if (absl::ConsumePrefix(&text, ">=")) {
    d.kind = DimensionPattern::kGreaterEqual;
  } else if (absl::ConsumePrefix(&text, "<")) {
    d.kind = DimensionPattern::kLess;
  } else if (absl::ConsumePrefix(&text, ">")) {
    d.kind = DimensionPattern::kGreater;
  }
  if (!absl::SimpleAtoi(text, &d.size) || d.size < 0) return BadShape(absl::StrCat("'", text, "' is no size of a dimension"));
  return d;
}

absl::StatusOr<ShapePattern> ParsePattern(absl::string_view text, int depth) {
  text = absl::StripAsciiWhitespace(text);
  ShapePattern pattern;
  if (depth > 50) return BadShape("a tuple within too many tuples");
  if (absl::ConsumePrefix(&text, "(")) {
    if (!absl::ConsumeSuffix(&text, ")")) return BadShape("the closing ) is missing");
    pattern.tuple = true;
    int nesting = 0;
    size_t begin = 0;
    for (size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ',';
      if (c == '(' || c == '[') ++nesting;
      if (c == ')' || c == ']') --nesting;
      if (i < text.size() && (c != ',' || nesting > 0)) continue;
      const absl::string_view element = absl::StripAsciiWhitespace(text.substr(begin, i - begin));
      begin = i + 1;
      if (element.empty() && text.empty()) break;
      if (element == "..." && i == text.size()) {
        pattern.any_elements = true;
        break;
      }
      absl::StatusOr<ShapePattern> parsed = ParsePattern(element, depth + 1);
      if (!parsed.ok()) return parsed.status();
      pattern.elements.push_back(*std::move(parsed));
    }
    return pattern;
  }
  const size_t open = text.find('[');
  pattern.type = std::string(absl::StripAsciiWhitespace(text.substr(0, open)));
  if (pattern.type.empty()) return BadShape("the element type is missing (* is any)");
  if (!IsGlob(pattern.type) && !ElementTypeFromName(pattern.type) && pattern.type != "token" && pattern.type != "opaque") {
    int64_t budget = 1 << 20;
    NearestName nearest(pattern.type, &budget);
    for (int i = 0; i < kElementTypeCount; ++i) nearest.Offer(Name(static_cast<ElementType>(i)));
    return BadShape(absl::StrCat("there is no element type '", pattern.type, "'", nearest.Hint().empty() ? "" : ", ", nearest.Hint()));
  }
  if (open == absl::string_view::npos) {
    pattern.any_dimensions = true;
    return pattern;
  }
  const size_t close = text.find(']', open);
  if (close == absl::string_view::npos) return BadShape("the closing ] is missing");
  const absl::string_view after = absl::StripAsciiWhitespace(text.substr(close + 1));
  if (!after.empty() && after[0] != '{') return BadShape(absl::StrCat("'", after, "' is left over"));
  const absl::string_view inside = absl::StripAsciiWhitespace(text.substr(open + 1, close - open - 1));
  if (inside.empty()) return pattern;
  for (absl::string_view part : absl::StrSplit(inside, ',')) {
    const absl::StatusOr<DimensionPattern> d = ParseDimension(part);
    if (!d.ok()) return d.status();
    pattern.dimensions.push_back(*d);
  }
  return pattern;
}

}  // namespace

absl::StatusOr<Locations> ByShape(const Module& module, absl::string_view text) {
  const absl::StatusOr<ShapePattern> pattern = ParsePattern(text, 0);
  if (!pattern.ok()) return pattern.status();
  Locations found = Select(module, [&](const Instruction& i) { return ShapeMatches(i.shape, *pattern); });
  if (!found.empty()) return found;
  // What there is of that type, or of those dimensions.
  std::vector<std::string> near;
  ShapePattern loose = *pattern;
  loose.any_dimensions = true;
  Select(module, [&](const Instruction& i) {
    std::string name = i.shape.ToString(false);
    if (near.size() < 6 && !pattern->tuple && ShapeMatches(i.shape, loose) && std::find(near.begin(), near.end(), name) == near.end()) near.push_back(std::move(name));
    return false;
  });
  return NoLocation(absl::StrCat("no instruction's shape is ", text), near.empty() ? "info program shows the program's" : absl::StrCat("there is ", absl::StrJoin(near, ", ")));
}

// -- call: --

absl::StatusOr<Locations> ByCalled(const Module& module, absl::string_view name) {
  name = absl::StripPrefix(absl::StripPrefix(absl::StripAsciiWhitespace(name), "%"), "@");
  absl::flat_hash_set<const Computation*> wanted;
  int64_t budget = 1 << 20;
  NearestName nearest(name, &budget);
  for (const Computation* computation : module.computations) {
    if (GlobMatches(computation->name, name) || GlobMatches(WrittenFunction(module, *computation), name)) wanted.insert(computation);
    nearest.Offer(computation->name);
  }
  if (wanted.empty()) return NoLocation(absl::StrCat("there is no computation '", name, "'"), nearest.Hint());
  Locations found = Select(module, [&](const Instruction& i) {
    if (i.attributes.empty()) return false;
    const std::vector<Computation*> called = i.CalledComputations();
    return std::any_of(called.begin(), called.end(), [&](const Computation* c) { return wanted.contains(c); });
  });
  if (found.empty()) return NoLocation(absl::StrCat("no instruction calls ", name), module.entry != nullptr && module.entry->name == name ? "it is the entry" : "");
  return found;
}

// -- /regex/ and re:/regex/ --

namespace {

// std::regex recurses for each character, so long texts are matched by its other engine, or only in their beginning.
class Pattern {
 public:
  absl::Status Set(absl::string_view text) {
    const std::string pattern(text);
    try {
      short_.assign(pattern, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& e) {
      return absl::InvalidArgumentError(absl::StrCat("/", text, "/ is no regular expression: ", e.what()));
    }
#ifdef __GLIBCXX__
    try {
      long_.assign(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
      have_long_ = true;
    } catch (const std::regex_error&) {  // it refers back
    }
#endif
    return absl::OkStatus();
  }
  bool Matches(absl::string_view text) const {
    constexpr size_t kShort = 4096, kLong = 1 << 16;
    if (text.size() <= kShort) return std::regex_search(text.begin(), text.end(), short_);
    text = text.substr(0, have_long_ ? kLong : kShort);
    return std::regex_search(text.begin(), text.end(), have_long_ ? long_ : short_);
  }

 private:
  std::regex short_, long_;
  bool have_long_ = false;
};

}  // namespace

absl::StatusOr<Locations> ByRegex(const Module& module, absl::string_view text) {
  Pattern pattern;
  if (const absl::Status status = pattern.Set(text); !status.ok()) return status;
  Locations found = Select(module, [&](const Instruction& i) { return pattern.Matches(i.name); });
  if (found.empty()) return NoLocation(absl::StrCat("no instruction's name matches /", text, "/"));
  return found;
}

absl::StatusOr<Locations> ByWholeText(const Module& module, absl::string_view text) {
  if (text.size() >= 2 && text.front() == '/' && text.back() == '/') text = text.substr(1, text.size() - 2);
  Pattern pattern;
  if (const absl::Status status = pattern.Set(text); !status.ok()) return status;
  PrintOptions print;
  print.max_literal_elements = 64;
  Locations found = Select(module, [&](const Instruction& i) { return pattern.Matches(PrintInstruction(i, print)); });
  if (found.empty()) return NoLocation(absl::StrCat("no instruction's text matches re:/", text, "/"), "it is matched as list shows it, with metadata");
  return found;
}

}  // namespace hloscope
