// Attributes of every kind but elements (elements.cc): numbers, strings, symbols, arrays, dictionaries, dialects' own.
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/literal/scalar.h"
#include "core/text/mlir/reader.h"

namespace hloscope::mlir {
namespace {

using Kind = Attr::Kind;

bool IsTypeName(absl::string_view word) {
  if (word == "tensor" || word == "tuple" || word == "vector" || word == "memref" || word == "complex" || word == "index" ||
      word == "none" || word == "bf16" || word == "tf32") {
    return true;
  }
  const size_t sign = absl::StartsWith(word, "si") || absl::StartsWith(word, "ui") ? 2
                      : absl::StartsWith(word, "i") || absl::StartsWith(word, "f") ? 1
                                                                                   : 0;
  return sign > 0 && word.size() > sign && IsDigit(word[sign]);
}

Type ScalarOf(ElementType element) {
  Type type;
  type.kind = Type::Kind::kScalar;
  type.shape = Shape::Scalar(element);
  type.text = element == ElementType::kS64 ? "i64" : element == ElementType::kF64 ? "f64" : element == ElementType::kPred ? "i1" : "";
  return type;
}

}  // namespace

int64_t Reader::SizeOf(const Attr& attr) {
  int64_t size = 1 + static_cast<int64_t>(attr.text.size() + attr.raw.size()) / 64 +
                 static_cast<int64_t>(attr.integers.size() + attr.numbers.size() + attr.words.size()) / 8 + SizeOf(attr.type);
  for (const Attr& a : attr.array) size += SizeOf(a);
  for (const NamedAttr& a : attr.fields) size += SizeOf(a.value);
  return size;
}

bool Reader::ReadAttr(Attr* attr, Typed typed) {
  if (!Enter()) return false;
  const int32_t begin = token_.begin;
  const bool ok = ReadAttrInner(attr, typed);
  if (ok) attr->range = RangeFrom(begin);
  Leave();
  return ok;
}

bool Reader::ReadAttrInner(Attr* attr, Typed typed) {
  switch (token_.kind) {
    case TokenKind::kInteger:
    case TokenKind::kFloat: return ReadNumber(attr, typed);
    case TokenKind::kString:
      attr->kind = Kind::kString;
      attr->text = Unescape(TokenText());
      last_end_ = token_.end;
      Advance();
      return !(typed && Is(':')) || (Take(':') && ReadType(&attr->type));
    case TokenKind::kSymbol: return ReadSymbol(attr);
    case TokenKind::kHash: return ReadDialectAttr(attr);
    case TokenKind::kBang: attr->kind = Kind::kType; return ReadType(&attr->type);
    case TokenKind::kPunctuation:
      switch (token_.punctuation) {
        case '-': return ReadNumber(attr, typed);
        case '[': return ReadArray(attr);
        case '{': attr->kind = Kind::kDictionary; return ReadDictionary(&attr->fields);
        case '<': attr->kind = Kind::kDialect; return ReadDialectBody(attr);
        case '(': attr->kind = Kind::kType; return ReadType(&attr->type);
        case '?':  // a size that is not known, in lists of sizes
          attr->kind = Kind::kInteger;
          attr->integer = Shape::kUnbounded;
          attr->type = ScalarOf(ElementType::kS64);
          return Take('?');
        default: break;
      }
      break;
    case TokenKind::kIdentifier: {
      const absl::string_view word = TokenText();
      const int32_t begin = token_.begin;
      if (word == "true" || word == "false") {
        attr->kind = Kind::kBool;
        attr->integer = word == "true";
        attr->type = ScalarOf(ElementType::kPred);
        last_end_ = token_.end;
        Advance();
        return true;
      }
      if (word == "unit") return TakeWord("unit");
      if (word == "dense" || (word == "sparse" && scanner_.At(token_.end) == '<')) return ReadDense(attr);
      if (word == "dense_resource") return ReadDenseResource(attr);
      if (word == "array" && scanner_.At(token_.end) == '<') return ReadDenseArray(attr);
      if (word == "inf" || word == "nan") return ReadNumber(attr, typed);
      if (word == "loc") {
        Location location;
        if (!ReadLocation(&location)) return false;
        attr->kind = Kind::kOther;
        attr->raw = std::string(Text(begin, last_end_));
        return true;
      }
      if (IsTypeName(word)) {
        attr->kind = Kind::kType;
        return ReadType(&attr->type);
      }
      if (word == "affine_map" || word == "affine_set" || word == "opaque" || word == "sparse" || word == "strided" || word == "distinct") {
        return ReadRawAttr(attr, begin);
      }
      if (words_ > 0) {
        attr->kind = Kind::kOther;
        attr->raw = std::string(word);
        last_end_ = token_.end;
        Advance();
        return true;
      }
      return Error(TokenRange(), HLO_LABEL("mlir.attribute"), absl::StrCat("'", word, "' is not an attribute"),
                   "attributes look like 1 : i64, \"text\", [1, 2], {a = 1}, @name, dense<...>, array<i64: 1>, #dialect.name<...>");
    }
    default: break;
  }
  return Unexpected("an attribute", "here");
}

bool Reader::ReadNumber(Attr* attr, Typed typed) {
  const int32_t begin = token_.begin;
  Take('-');
  const TokenKind kind = token_.kind;
  const bool word = IsWord("inf") || IsWord("nan");
  if (kind != TokenKind::kInteger && kind != TokenKind::kFloat && !word) return Unexpected("a number", "after '-'");
  last_end_ = token_.end;
  const SourceRange range = {begin, token_.end};
  const std::string digits = Text(begin, token_.end)[0] == '-' ? absl::StrCat("-", TokenText()) : std::string(TokenText());
  Advance();
  const bool is_float = kind == TokenKind::kFloat || word;
  attr->type = ScalarOf(is_float ? ElementType::kF64 : ElementType::kS64);
  if (typed && Is(':')) {
    Advance();
    const SourceRange type_range = TokenRange();
    if (!ReadType(&attr->type)) return false;
    if (attr->type.kind == Type::Kind::kOther) {
      attr->kind = Kind::kOther;
      attr->raw = std::string(Text(begin, last_end_));
      return true;
    }
    if (attr->type.kind != Type::Kind::kScalar || IsComplex(attr->type.shape.element_type())) {
      return Error(type_range, HLO_LABEL("mlir.attribute"), absl::StrCat("a number has no type ", TypeText(attr->type)),
                   "write dense<...> for a tensor");
    }
  }
  const ElementType element = attr->type.shape.element_type();
  attr->kind = IsFloat(element) ? Kind::kFloat : Kind::kInteger;
  return ParseNumberIn(digits, range, element, &attr->integer, &attr->number);
}

bool Reader::ReadArray(Attr* attr) {
  attr->kind = Kind::kArray;
  Advance();
  if (Take(']')) return true;
  do {
    attr->array.emplace_back();
    if (!ReadAttr(&attr->array.back())) return false;
  } while (Take(','));
  return Expect(']', "at the end of an array");
}

bool Reader::ReadNamedAttr(NamedAttr* named) {
  if (token_.kind == TokenKind::kIdentifier) {
    named->name = std::string(TokenText());
  } else if (token_.kind == TokenKind::kString) {
    named->name = Unescape(TokenText());
  } else {
    return Unexpected("an attribute's name", "here");
  }
  named->value.range = TokenRange();
  last_end_ = token_.end;
  Advance();
  if (!Take('=')) return true;  // a bare name: unit
  return ReadAttr(&named->value);
}

bool Reader::ReadDictionaryUntil(char close, std::vector<NamedAttr>* fields) {
  if (Take(close)) return true;
  do {
    fields->emplace_back();
    const SourceRange range = fields->back().name_range = TokenRange();
    if (!ReadNamedAttr(&fields->back())) return false;
    // Dictionaries are short; long ones are looked through no further than this.
    const size_t count = fields->size();
    for (size_t i = count > 64 ? count - 64 : 0; i + 1 < count; ++i) {
      if ((*fields)[i].name == fields->back().name) {
        return Error(range, HLO_LABEL("mlir.duplicate-attribute"), absl::StrCat("the attribute '", (*fields)[i].name, "' is given twice"),
                     "keep one of them");
      }
    }
  } while (Take(','));
  return Expect(close, "at the end of the attributes");
}

bool Reader::ReadDictionary(std::vector<NamedAttr>* fields) { return Expect('{', "before attributes") && ReadDictionaryUntil('}', fields); }

// At '{': whether attributes follow and not operations.
bool Reader::LooksLikeDictionary() {
  const Token brace = token_;
  Advance();
  bool dictionary = Is('}');
  if (token_.kind == TokenKind::kIdentifier || token_.kind == TokenKind::kString) {
    const bool quoted = token_.kind == TokenKind::kString;
    Advance();
    dictionary = Is('=') || Is(',') || (Is('}') && !quoted);
  }
  Seek(brace.begin);
  return dictionary;
}

bool Reader::ReadSymbol(Attr* attr) {
  attr->kind = Kind::kSymbol;
  for (;;) {
    const absl::string_view text = TokenText().substr(1);
    attr->text += text[0] == '"' ? Unescape(text) : std::string(text);
    last_end_ = token_.end;
    Advance();
    if (token_.kind != TokenKind::kColonColon) return true;
    attr->text += "::";
    Advance();
    if (token_.kind != TokenKind::kSymbol) return Unexpected("a symbol", "after '::'");
  }
}

// array<i64: 1, 2>
bool Reader::ReadDenseArray(Attr* attr) {
  attr->kind = Kind::kDenseArray;
  Advance();
  if (!Expect('<', "after 'array'") || !ReadType(&attr->type)) return false;
  if (attr->type.kind != Type::Kind::kScalar || IsComplex(attr->type.shape.element_type())) {
    return Error(TokenRange(), HLO_LABEL("mlir.attribute"), absl::StrCat("an array<...> has no elements of type ", TypeText(attr->type)));
  }
  const ElementType element = attr->type.shape.element_type();
  if (Take('>')) return true;
  if (!Expect(':', "after an array's element type")) return false;
  do {
    Attr number;
    const int32_t begin = token_.begin;
    Take('-');
    const Token token = token_;
    if (token.kind != TokenKind::kInteger && token.kind != TokenKind::kFloat && token.kind != TokenKind::kIdentifier)
      return Unexpected("a number", "in an array<...>");
    last_end_ = token.end;
    Advance();
    const std::string digits = begin == token.begin ? std::string(Text(token)) : absl::StrCat("-", Text(token));
    int64_t integer = 0;
    double value = 0;
    if (!ParseNumberIn(digits, {begin, token.end}, element, &integer, &value)) return false;
    if (IsFloat(element)) {
      attr->numbers.push_back(value);
    } else {
      attr->integers.push_back(integer);
    }
  } while (Take(','));
  return Expect('>', "at the end of an array<...>");
}

bool Reader::ReadAliasAttr(Attr* attr, absl::string_view name, SourceRange range) {
  if (!attr_aliases_.contains(name)) {
    if (location_aliases_.contains(name)) {
      attr->kind = Kind::kOther;
      attr->raw = std::string(name);
      return true;
    }
    IndexAliases();
    auto place = alias_places_.find(name);
    if (place == alias_places_.end() || aliases_in_progress_.contains(name)) {
      return Error(range, HLO_LABEL("mlir.undefined-alias"), absl::StrCat("the alias ", name, " is not defined"),
                   absl::StrCat("write ", name, " = <attribute> on a line of its own"));
    }
    const int32_t back = token_.begin;
    const int32_t last = last_end_;
    Seek(place->second);
    const bool ok = ReadAliasDefinition();
    Seek(back);
    last_end_ = last;
    if (!ok) return false;
    if (location_aliases_.contains(name)) return ReadAliasAttr(attr, name, range);
  }
  auto found = attr_aliases_.find(name);
  if (found == attr_aliases_.end())
    return Error(range, HLO_LABEL("mlir.undefined-alias"), absl::StrCat("the alias ", name, " is not an attribute"));
  alias_budget_ -= alias_sizes_[name];
  if (alias_budget_ < 0)
    return Error(range, HLO_LABEL("mlir.alias-size"), "the aliases of this text expand to too much", "write fewer aliases inside aliases");
  *attr = found->second;
  return true;
}

// #alias, #dialect.name, #dialect.name<...>, #dialect<name words>.
bool Reader::ReadDialectAttr(Attr* attr) {
  const absl::string_view name = TokenText();
  const SourceRange range = TokenRange();
  const bool body = scanner_.At(token_.end) == '<';
  last_end_ = token_.end;
  Advance();
  const bool dotted = absl::StrContains(name, '.');
  if (!body && !dotted) return ReadAliasAttr(attr, name, range);
  attr->kind = Kind::kDialect;
  attr->text = std::string(name.substr(1));
  if (!body) return true;
  if (!ReadDialectBody(attr)) return false;
  if (!dotted && !attr->words.empty()) {
    // The first word is the attribute's name: #stablehlo<precision HIGH>. So is a name with a body of its own: #stablehlo<dot<...>>.
    absl::StrAppend(&attr->text, ".", attr->words[0]);
    attr->words.erase(attr->words.begin());
  }
  return true;
}

// At '<'. The characters up to the '>' that closes it; also read as fields or as words when they look like that.
bool Reader::ReadDialectBody(Attr* attr) {
  const int32_t open = token_.begin;
  const int32_t close = SkipBalanced(open + 1, '>');
  if (close < 0) return Error({open, open + 1}, HLO_LABEL("mlir.syntax"), "this '<' is never closed", "write the '>'");
  attr->raw = std::string(Text(open + 1, close));
  const int32_t outer_end = scanner_.end();
  scanner_.set_end(close);
  Seek(open + 1);
  bool all_words = true;
  std::vector<std::string> words;
  while (token_.kind != TokenKind::kEnd && all_words) {
    all_words = token_.kind == TokenKind::kIdentifier || token_.kind == TokenKind::kInteger;
    if (all_words) words.push_back(std::string(TokenText()));
    Advance();
  }
  if (all_words) {
    attr->words = std::move(words);
  } else if (depth_ < 40) {
    Seek(open + 1);
    if (IsWord("raw")) {  // an older spelling of convolution dimensions: raw, then fields
      attr->words = {"raw"};
      Advance();
    }
    if (token_.kind == TokenKind::kIdentifier) {
      ++quiet_;
      ++words_;
      std::vector<NamedAttr> fields;
      bool ok = true;
      do {
        if (token_.kind == TokenKind::kEnd && !fields.empty()) break;  // a comma at the end
        fields.emplace_back();
        ok = ReadNamedAttr(&fields.back());
      } while (ok && Take(','));
      if (ok && token_.kind == TokenKind::kEnd) attr->fields = std::move(fields);
      --words_;
      --quiet_;
    }
  }
  scanner_.set_end(outer_end);
  Seek(close + 1);
  last_end_ = close + 1;
  return true;
}

// A word and the brackets that follow it at once: affine_map<...>, strided<...>, distinct[0]<...>.
bool Reader::ReadRawAttr(Attr* attr, int32_t begin) {
  int32_t end = token_.end;
  for (;;) {
    const char c = scanner_.At(end);
    if (c != '<' && c != '[') break;
    const int32_t close = SkipBalanced(end + 1, c == '<' ? '>' : ']');
    if (close < 0)
      return Error({end, end + 1}, HLO_LABEL("mlir.syntax"), absl::StrCat("this '", absl::string_view(&c, 1), "' is never closed"));
    end = close + 1;
  }
  attr->kind = Kind::kOther;
  Seek(end);
  if (Is(':') && (IsSpace(text_[end]) || text_[end] == ':')) {  // sparse<...> : type
    const bool has_type = absl::StartsWith(Text(begin, end), "sparse") || absl::StartsWith(Text(begin, end), "opaque");
    if (has_type && !(Take(':') && ReadType(&attr->type))) return false;
  }
  attr->raw = std::string(Text(begin, last_end_));
  return true;
}

}  // namespace hloscope::mlir
