// The table of attribute kinds, and the simple kinds. Windows and dimension labels: convolution_text.cc.
#include "core/text/attribute_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/text/convolution_text.h"
#include "core/text/literal_text.h"

namespace hloscope {
namespace {

bool Bad(AttributeReading& r, absl::string_view label, absl::string_view expected) {
  return r.s.Error(r.s.Missing(), label, absl::StrCat("expected ", expected, " as the value of ", r.name, ", found ", r.s.FoundInstead()));
}

// Reads `{ item, item, ... }`; `item` reads one.
template <typename Item>
bool ReadList(AttributeReading& r, absl::string_view expected, Item item) {
  if (*r.s.p != '{') return Bad(r, HLO_LABEL("text.attribute-list"), expected);
  ++r.s.p;
  if (r.s.Take('}')) return true;
  do {
    r.s.SkipSpace();
    if (!item()) return false;
  } while (r.s.Take(','));
  return r.s.Expect('}', absl::StrCat("the values of ", r.name));
}

bool ReadInt(AttributeReading& r, AttrValue& value) { return r.s.Integer(&value.emplace<int64_t>(), r.name); }
void PrintInt(const AttrValue& value, const PrintOptions&, std::string* out) { absl::StrAppend(out, std::get<int64_t>(value)); }

bool ReadFloat(AttributeReading& r, AttrValue& value) {
  absl::string_view token = NumberToken(r.s.p);
  double& number = value.emplace<double>();
  if (!ParseDouble(token, &number)) return Bad(r, HLO_LABEL("text.attribute-number"), "a number");
  r.s.p += token.size();
  return true;
}
void PrintFloat(const AttrValue& value, const PrintOptions&, std::string* out) { AppendDouble(std::get<double>(value), out); }

bool ReadBool(AttributeReading& r, AttrValue& value) {
  const char* start = r.s.p;
  absl::string_view word = r.s.Word();
  bool is_true = word == "true" || word == "1";
  if (!is_true && word != "false" && word != "0") {
    r.s.p = start;
    return Bad(r, HLO_LABEL("text.attribute-bool"), "true or false");
  }
  value.emplace<int64_t>(is_true);
  return true;
}
void PrintBool(const AttrValue& value, const PrintOptions&, std::string* out) {
  out->append(std::get<int64_t>(value) != 0 ? "true" : "false");
}

bool ReadString(AttributeReading& r, AttrValue& value) {
  if (*r.s.p != '"' && *r.s.p != '\'') return Bad(r, HLO_LABEL("text.attribute-string"), "a string in quotes");
  return r.s.Quoted(&value.emplace<absl::string_view>());
}
void PrintString(const AttrValue& value, const PrintOptions&, std::string* out) {
  absl::string_view text = std::get<absl::string_view>(value);
  bool bare_quote = false;  // then it was written between single quotes
  for (size_t i = 0; i < text.size(); i += text[i] == '\\' ? 2 : 1) bare_quote |= text[i] == '"';
  absl::StrAppend(out, bare_quote ? "'" : "\"", text, bare_quote ? "'" : "\"");
}

bool ReadWord(AttributeReading& r, AttrValue& value) {
  const char* start = r.s.p;
  while (IsClass(*r.s.p, char_class::kName)) ++r.s.p;
  if (r.s.p == start) return Bad(r, HLO_LABEL("text.attribute-word"), "a word");
  value.emplace<absl::string_view>(start, r.s.p - start);
  return true;
}

bool ReadRaw(AttributeReading& r, AttrValue& value) {
  absl::string_view& raw = value.emplace<absl::string_view>();
  if (!r.s.Raw(&raw)) return false;
  if (r.name != "literal" && raw.substr(0, 5) != "mesh[") return true;
  // literal=s32[2]{0} {1, 2} and replica_groups=mesh['x'=2] {'x'}: the values that go on behind a space.
  const char* end = r.s.p;
  while (*r.s.p == ' ') ++r.s.p;
  absl::string_view rest;
  if (r.s.p > end && (*r.s.p == '{' || *r.s.p == '(' || *r.s.p == '-' || IsClass(*r.s.p, char_class::kDigit)) &&
      r.s.Raw(&rest, /*quiet=*/true))
    end = r.s.p;
  r.s.p = end;
  raw = absl::string_view(raw.data(), end - raw.data());
  return true;
}
void PrintText(const AttrValue& value, const PrintOptions&, std::string* out) {
  absl::string_view text = std::get<absl::string_view>(value);
  out->append(text.data(), text.size());
}

bool ReadInts(AttributeReading& r, AttrValue& value) {
  if (*r.s.p == '{' && r.s.p[1] == '{') return r.s.Raw(&value.emplace<absl::string_view>());  // slice_sizes={{1,8},{2,8}} of a permute
  int64_t on_stack[16];
  int64_t count = 0;
  std::vector<int64_t> longer;
  bool ok = ReadList(r, "a list of integers such as {0,1}", [&] {
    int64_t v;
    if (!r.s.Integer(&v, r.name)) return false;
    if (count < 16) {
      on_stack[count] = v;
    } else {
      if (count == 16) longer.assign(on_stack, on_stack + 16);
      longer.push_back(v);
    }
    ++count;
    return true;
  });
  if (!ok) return false;
  if (count <= 16) {
    value.emplace<std::vector<int64_t>>(on_stack, on_stack + count);
  } else {
    value.emplace<std::vector<int64_t>>(std::move(longer));
  }
  return true;
}
void PrintInts(const AttrValue& value, const PrintOptions& options, std::string* out) {
  if (std::holds_alternative<absl::string_view>(value)) return PrintText(value, options, out);
  absl::StrAppend(out, "{", absl::StrJoin(std::get<std::vector<int64_t>>(value), ","), "}");
}

bool ReadComputationName(AttributeReading& r, int element) {
  const char* start = r.s.p;
  absl::string_view name = r.s.Name();
  if (name.empty()) return Bad(r, HLO_LABEL("text.attribute-computation"), "the name of a computation");
  r.references.push_back({nullptr, -1, element, name, r.s.Range(start, r.s.p)});
  return true;
}

bool ReadComputation(AttributeReading& r, AttrValue& value) {
  value.emplace<Computation*>(nullptr);
  if (*r.s.p != '{') return ReadComputationName(r, -1);
  if (AtInlineBody(r.s)) return (value = r.read_inline(-1), std::get<Computation*>(value) != nullptr);
  ++r.s.p;  // {%one}
  r.s.SkipSpace();
  return ReadComputationName(r, -1) && r.s.Expect('}', "the name of a computation");
}
void PrintComputation(const AttrValue& value, const PrintOptions& options, std::string* out) {
  const Computation* computation = std::get<Computation*>(value);
  AppendName(computation == nullptr ? "?" : computation->name, options.percent, out);
}

bool ReadComputations(AttributeReading& r, AttrValue& value) {
  auto& list = value.emplace<std::vector<Computation*>>();
  if (*r.s.p != '{') {
    list.push_back(nullptr);
    return ReadComputationName(r, 0);
  }
  auto read_inline = [&] {
    list.push_back(r.read_inline(static_cast<int>(list.size())));
    return list.back() != nullptr;
  };
  if (AtInlineBody(r.s)) return read_inline();
  return ReadList(r, "a list of computations such as {%a, %b}", [&] {
    if (AtInlineBody(r.s)) return read_inline();
    list.push_back(nullptr);
    return ReadComputationName(r, static_cast<int>(list.size()) - 1);
  });
}
void PrintComputations(const AttrValue& value, const PrintOptions& options, std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const Computation* computation : std::get<std::vector<Computation*>>(value)) {
    if (!first) out->append(", ");
    first = false;
    AppendName(computation == nullptr ? "?" : computation->name, options.percent, out);
  }
  out->push_back('}');
}

// {[0:4:2], [1:3]}
bool ReadSlices(AttributeReading& r, AttrValue& value) {
  auto& slices = value.emplace<std::vector<SliceDimension>>();
  return ReadList(r, "a list of slices such as {[0:4:2], [1:3]}", [&] {
    if (*r.s.p != '[') return Bad(r, HLO_LABEL("text.attribute-slice"), "a slice such as [0:4:2]");
    ++r.s.p;
    SliceDimension& slice = slices.emplace_back();
    r.s.SkipSpace();
    if (!r.s.Integer(&slice.start, "the start of a slice") || !r.s.Expect(':', "the start of a slice")) return false;
    r.s.SkipSpace();
    if (!r.s.Integer(&slice.limit, "the limit of a slice")) return false;
    if (r.s.Take(':')) {
      r.s.SkipSpace();
      if (!r.s.Integer(&slice.stride, "the stride of a slice")) return false;
    }
    return r.s.Expect(']', "a slice");
  });
}
void PrintSlices(const AttrValue& value, const PrintOptions&, std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const SliceDimension& slice : std::get<std::vector<SliceDimension>>(value)) {
    absl::StrAppend(out, first ? "[" : ", [", slice.start, ":", slice.limit);
    if (slice.stride != 1) absl::StrAppend(out, ":", slice.stride);
    out->push_back(']');
    first = false;
  }
  out->push_back('}');
}

// {{0,1},{1,2}}
bool ReadPairs(AttributeReading& r, AttrValue& value) {
  auto& pairs = value.emplace<std::vector<std::pair<int64_t, int64_t>>>();
  return ReadList(r, "a list of pairs such as {{0,1},{1,2}}", [&] {
    if (*r.s.p != '{') return Bad(r, HLO_LABEL("text.attribute-pair"), "a pair such as {0,1}");
    ++r.s.p;
    auto& pair = pairs.emplace_back();
    r.s.SkipSpace();
    if (!r.s.Integer(&pair.first, "the first of a pair") || !r.s.Expect(',', "the first of a pair")) return false;
    r.s.SkipSpace();
    return r.s.Integer(&pair.second, "the second of a pair") && r.s.Expect('}', "a pair");
  });
}
void PrintPairs(const AttrValue& value, const PrintOptions&, std::string* out) {
  out->push_back('{');
  bool first = true;
  for (const auto& [a, b] : std::get<std::vector<std::pair<int64_t, int64_t>>>(value)) {
    absl::StrAppend(out, first ? "{" : ",{", a, ",", b, "}");
    first = false;
  }
  out->push_back('}');
}

constexpr AttrKindText kKinds[] = {
    {AttrKind::Int, ReadInt, PrintInt},
    {AttrKind::Float, ReadFloat, PrintFloat},
    {AttrKind::Bool, ReadBool, PrintBool},
    {AttrKind::String, ReadString, PrintString},
    {AttrKind::Word, ReadWord, PrintText},
    {AttrKind::Ints, ReadInts, PrintInts},
    {AttrKind::Computation, ReadComputation, PrintComputation},
    {AttrKind::Computations, ReadComputations, PrintComputations},
    {AttrKind::Window, ReadWindow, PrintWindow},
    {AttrKind::DimLabels, ReadDimLabels, PrintDimLabels},
    {AttrKind::Padding, ReadPadding, PrintPadding},
    {AttrKind::Slices, ReadSlices, PrintSlices},
    {AttrKind::Pairs, ReadPairs, PrintPairs},
    {AttrKind::Raw, ReadRaw, PrintText},
};

constexpr bool InOrder() {
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    if (kKinds[i].kind != static_cast<AttrKind>(i)) return false;
  }
  return std::size(kKinds) == static_cast<size_t>(AttrKind::Raw) + 1;
}
static_assert(InOrder(), "one row a kind, in the order of AttrKind");

// Goes over white space and comments of a raw text; gives the next character, or 0 at the end.
char NextCharacter(absl::string_view text, size_t& i) {
  while (i < text.size()) {
    if (IsClass(text[i], char_class::kSpace)) {
      ++i;
    } else if (text.substr(i, 2) == "/*") {
      size_t close = text.find("*/", i + 2);
      i = close == absl::string_view::npos ? text.size() : close + 2;
    } else {
      return text[i];
    }
  }
  return 0;
}

bool SameComputation(const Computation* a, const Computation* b) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || a->name == b->name);
}

}  // namespace

const AttrKindText& TextOf(AttrKind kind) { return kKinds[static_cast<int>(kind)]; }

bool SameRawText(absl::string_view a, absl::string_view b) {
  if (a == b) return true;
  size_t i = 0, j = 0;
  while (true) {
    char x = NextCharacter(a, i), y = NextCharacter(b, j);
    if (x != y) return false;
    if (x == 0) return i >= a.size() && j >= b.size();
    ++i, ++j;
    if (x != '"') continue;
    while (i < a.size() && j < b.size()) {  // strings count byte for byte
      if (a[i] != b[j]) return false;
      bool escape = a[i] == '\\', close = a[i] == '"';
      ++i, ++j;
      if (close) break;
      if (escape && i < a.size() && j < b.size()) {
        if (a[i] != b[j]) return false;
        ++i, ++j;
      }
    }
  }
}

bool SameAttributeValue(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  if (auto* x = std::get_if<absl::string_view>(&a)) return SameRawText(*x, std::get<absl::string_view>(b));
  if (auto* x = std::get_if<Computation*>(&a)) return SameComputation(*x, std::get<Computation*>(b));
  if (auto* x = std::get_if<std::vector<Computation*>>(&a)) {
    const auto& y = std::get<std::vector<Computation*>>(b);
    if (x->size() != y.size()) return false;
    for (size_t i = 0; i < y.size(); ++i) {
      if (!SameComputation((*x)[i], y[i])) return false;
    }
    return true;
  }
  if (auto* x = std::get_if<double>(&a)) {
    double y = std::get<double>(b);
    return *x == y || (*x != *x && y != y);
  }
  return a == b;
}

void AppendName(absl::string_view name, bool percent, std::string* out) {
  // Words that begin something where a name may stand.
  bool plain = !name.empty() && name != "ROOT" && name != "ENTRY" && name != "HloModule";
  if (plain && IsClass(name[0], char_class::kDigit)) percent = true;  // else it would look like the row of a table
  for (size_t i = 0; i < name.size() && plain; ++i) {
    char c = name[i];
    if (c == ':') {
      plain = i > 0 && i + 1 < name.size() && IsClass(name[i + 1], char_class::kName) && name[i + 1] != '-';
    } else {
      plain = IsClass(c, char_class::kName);
    }
  }
  if (percent || !plain) out->push_back('%');
  if (!plain) out->push_back('"');
  out->append(name.data(), name.size());
  if (!plain) out->push_back('"');
}

}  // namespace hloscope
