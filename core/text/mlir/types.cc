// Types: tensors with their encodings, scalars, functions, tuples, and whatever other dialects have, as raw text.
#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/text/mlir/reader.h"

namespace hloscope::mlir {
namespace {

struct FloatName {
  absl::string_view name;
  ElementType type;
};

constexpr FloatName kFloats[] = {
    {"f32", ElementType::kF32},
    {"f64", ElementType::kF64},
    {"bf16", ElementType::kBF16},
    {"f16", ElementType::kF16},
    {"f8E4M3FN", ElementType::kF8E4M3FN},
    {"f8E5M2", ElementType::kF8E5M2},
    {"f8E4M3", ElementType::kF8E4M3},
    {"f8E3M4", ElementType::kF8E3M4},
    {"f8E4M3B11FNUZ", ElementType::kF8E4M3B11FNUZ},
    {"f8E4M3FNUZ", ElementType::kF8E4M3FNUZ},
    {"f8E5M2FNUZ", ElementType::kF8E5M2FNUZ},
    {"f8E8M0FNU", ElementType::kF8E8M0FNU},
    {"f4E2M1FN", ElementType::kF4E2M1FN},
    {"f6E2M3FN", ElementType::kF6E2M3FN},
    {"f6E3M2FN", ElementType::kF6E3M2FN},
};

// Types that MLIR has and this program has no values of.
constexpr absl::string_view kWithoutValues[] = {"tf32", "f80", "f128"};

std::optional<ElementType> IntegerType(char sign, int64_t width) {
  const bool is_unsigned = sign == 'u';
  switch (width) {
    case 1: return is_unsigned ? ElementType::kU1 : sign == 's' ? ElementType::kS1 : ElementType::kPred;
    case 2: return is_unsigned ? ElementType::kU2 : ElementType::kS2;
    case 4: return is_unsigned ? ElementType::kU4 : ElementType::kS4;
    case 8: return is_unsigned ? ElementType::kU8 : ElementType::kS8;
    case 16: return is_unsigned ? ElementType::kU16 : ElementType::kS16;
    case 32: return is_unsigned ? ElementType::kU32 : ElementType::kS32;
    case 64: return is_unsigned ? ElementType::kU64 : ElementType::kS64;
    default: return std::nullopt;
  }
}

Type Scalar(ElementType element) {
  Type type;
  type.kind = Type::Kind::kScalar;
  type.shape = Shape::Scalar(element);
  return type;
}

}  // namespace

bool SameType(const Type& a, const Type& b) {
  if (a.kind != b.kind) return false;
  auto same_list = [](const std::vector<Type>& x, const std::vector<Type>& y) {
    if (x.size() != y.size()) return false;
    for (size_t i = 0; i < x.size(); ++i) {
      if (!SameType(x[i], y[i])) return false;
    }
    return true;
  };
  switch (a.kind) {
    case Type::Kind::kNone:
    case Type::Kind::kToken: return true;
    case Type::Kind::kTensor:
    case Type::Kind::kUnranked:
    case Type::Kind::kScalar: return a.is_index == b.is_index && Shape::Compatible(a.shape, b.shape);
    case Type::Kind::kQuantized: return Shape::Compatible(a.shape, b.shape);  // spelled in too many ways to compare the rest
    case Type::Kind::kTuple: return same_list(a.elements, b.elements);
    case Type::Kind::kFunction: return same_list(a.elements, b.elements) && same_list(a.results, b.results);
    case Type::Kind::kOther: return a.text == b.text;
  }
  return false;
}

int64_t Reader::SizeOf(const Type& type) {
  int64_t size = 1;
  for (const Type& t : type.elements) size += SizeOf(t);
  for (const Type& t : type.results) size += SizeOf(t);
  return size;
}

std::string TypeText(const Type& type) { return type.text.empty() ? "an unknown type" : type.text; }

namespace {

std::string ElementText(ElementType type) {
  if (IsPred(type)) return "i1";
  if (IsInteger(type)) return absl::StrCat(IsUnsigned(type) ? "ui" : "i", BitWidth(type));
  if (IsComplex(type)) return absl::StrCat("complex<", ElementText(RealTypeOf(type)), ">");
  for (const FloatName& f : kFloats) {
    if (f.type == type) return std::string(f.name);
  }
  return "";
}

}  // namespace

std::string TypeText(const Shape& shape) {
  if (!shape.IsArray() || shape.has_dynamic_dimension()) return "";
  const std::string element = ElementText(shape.element_type());
  if (element.empty()) return "";
  std::string text = "tensor<";
  for (int64_t size : shape.dimensions()) {
    if (size < 0) return "";
    absl::StrAppend(&text, size, "x");
  }
  return absl::StrCat(text, element, ">");
}

// Sets *known when `name` is a scalar type's name; false when it is one without values here.
bool Reader::ScalarType(absl::string_view name, SourceRange range, Type* type, bool* known) {
  *known = true;
  if (name == "index") {
    *type = Scalar(ElementType::kS64);
    type->is_index = true;
    return true;
  }
  for (const FloatName& f : kFloats) {
    if (f.name == name) {
      *type = Scalar(f.type);
      return true;
    }
  }
  const absl::string_view digits = name.substr(absl::StartsWith(name, "si") || absl::StartsWith(name, "ui") ? 2
                                               : absl::StartsWith(name, "i")                                ? 1
                                                                                                            : 0);
  int64_t width = 0;
  if (digits.size() < name.size() && digits.size() < 9 && !digits.empty() && IsDigit(digits[0]) && absl::SimpleAtoi(digits, &width)) {
    if (std::optional<ElementType> element = IntegerType(digits.size() + 2 == name.size() ? name[0] : 'i', width)) {
      *type = Scalar(*element);
      return true;
    }
    return Error(range, HLO_LABEL("mlir.element-type"), absl::StrCat("there are no values of type ", name),
                 "integers have 1, 2, 4, 8, 16, 32 or 64 bits");
  }
  for (absl::string_view unknown : kWithoutValues) {
    if (unknown == name) {
      if (words_ > 0) break;  // `lhs_precision_type = tf32` names it only
      return Error(range, HLO_LABEL("mlir.element-type"), absl::StrCat("there are no values of type ", name));
    }
  }
  *known = false;
  return true;
}

bool Reader::ReadType(Type* type) {
  if (!Enter()) return false;
  const int32_t begin = token_.begin;
  const bool ok = ReadTypeInner(type);
  if (ok) type->range = {begin, last_end_};
  if (ok && type->text.empty()) type->text = std::string(Text(begin, last_end_));
  Leave();
  return ok;
}

bool Reader::ReadTypeInner(Type* type) {
  if (Is('(')) return ReadFunctionType(type);
  if (token_.kind == TokenKind::kBang) return ReadDialectType(type);
  if (token_.kind != TokenKind::kIdentifier) return Unexpected("a type", "here");
  const absl::string_view name = TokenText();
  if (name == "tensor") return ReadTensor(type);
  bool known = false;
  if (!ScalarType(name, TokenRange(), type, &known)) return false;
  if (known) {
    last_end_ = token_.end;
    Advance();
    return true;
  }
  if (name == "complex") {
    const SourceRange range = TokenRange();
    Advance();
    Type part;
    if (!Expect('<', "after 'complex'") || !ReadType(&part) || !Expect('>', "after the part's type")) return false;
    const bool wide = part.kind == Type::Kind::kScalar && part.shape.element_type() == ElementType::kF64;
    if (!wide && !(part.kind == Type::Kind::kScalar && part.shape.element_type() == ElementType::kF32)) {
      return Error(range, HLO_LABEL("mlir.element-type"), absl::StrCat("there are no complex numbers of ", TypeText(part)),
                   "write complex<f32> or complex<f64>");
    }
    *type = Scalar(wide ? ElementType::kC128 : ElementType::kC64);
    return true;
  }
  if (name == "tuple") {
    Advance();
    type->kind = Type::Kind::kTuple;
    return Expect('<', "after 'tuple'") && ReadTypeList('>', &type->elements);
  }
  if (name == "none" || name == "vector" || name == "memref") return ReadRawType(type);
  if (words_ > 0) {
    type->kind = Type::Kind::kOther;
    type->text = std::string(name);
    last_end_ = token_.end;
    Advance();
    return true;
  }
  return Error(TokenRange(), HLO_LABEL("mlir.type"), absl::StrCat("'", name, "' is not a type"),
               "types look like tensor<2x3xf32>, f32, i64, tuple<...> or !dialect.name");
}

// A type kept as text: its name and the angle brackets that follow.
bool Reader::ReadRawType(Type* type) {
  type->kind = Type::Kind::kOther;
  const int32_t begin = token_.begin;
  int32_t end = token_.end;
  if (scanner_.At(end) == '<') {
    const int32_t close = SkipBalanced(end + 1, '>');
    if (close < 0) return Error({end, end + 1}, HLO_LABEL("mlir.syntax"), "this '<' is never closed", "write the '>'");
    end = close + 1;
  }
  type->text = std::string(Text(begin, end));
  Seek(end);
  return true;
}

bool Reader::ReadTypeList(char close, std::vector<Type>* types) {
  if (Take(close)) return true;
  do {
    types->emplace_back();
    if (!ReadType(&types->back())) return false;
  } while (Take(','));
  return Expect(close, "at the end of a list of types");
}

bool Reader::ReadFunctionType(Type* type) {
  if (!Expect('(', "before a function's operand types") || !ReadTypeList(')', &type->elements) || !ExpectArrow("in a function type"))
    return false;
  type->kind = Type::Kind::kFunction;
  if (Take('(')) return ReadTypeList(')', &type->results);
  type->results.emplace_back();
  return ReadType(&type->results.back());
}

bool Reader::ReadDialectType(Type* type) {
  const absl::string_view name = TokenText();
  const SourceRange range = TokenRange();
  if (absl::StrContains(name, '.') || scanner_.At(token_.end) == '<') {
    if (absl::StartsWith(name, "!quant.uniform") || absl::StartsWith(name, "!quant.any") || absl::StartsWith(name, "!quant.calibrated")) {
      if (!ReadRawType(type)) return false;
      // The storage type stands first: !quant.uniform<i8<-128:127>:f32, ...>.
      const size_t open = type->text.find('<');
      size_t end = open == std::string::npos ? open : type->text.find_first_of("<:,>", open + 1);
      bool known = false;
      const std::string whole = type->text;
      Type storage;
      if (end != std::string::npos && !ScalarType(absl::string_view(whole).substr(open + 1, end - open - 1), range, &storage, &known))
        return false;
      type->kind = Type::Kind::kQuantized;
      type->shape = known ? storage.shape : Shape::Scalar(ElementType::kS8);
      return true;
    }
    if (!ReadRawType(type)) return false;
    if (absl::EndsWith(type->text, ".token") && (name == "!stablehlo.token" || name == "!mhlo.token" || name == "!xla.token"))
      type->kind = Type::Kind::kToken;
    return true;
  }
  // An alias.
  if (!type_aliases_.contains(name)) {
    IndexAliases();
    auto place = alias_places_.find(name);
    if (place == alias_places_.end() || aliases_in_progress_.contains(name)) {
      return Error(range, HLO_LABEL("mlir.undefined-alias"), absl::StrCat("the type alias ", name, " is not defined"),
                   absl::StrCat("write ", name, " = <type> on a line of its own before it is used"));
    }
    const int32_t back = token_.begin;
    Seek(place->second);
    const bool ok = ReadAliasDefinition();
    Seek(back);
    if (!ok) return false;
  }
  auto found = type_aliases_.find(name);
  if (found == type_aliases_.end())
    return Error(range, HLO_LABEL("mlir.undefined-alias"), absl::StrCat("the type alias ", name, " has no type"));
  alias_budget_ -= alias_sizes_[name];
  if (alias_budget_ < 0)
    return Error(range, HLO_LABEL("mlir.alias-size"), "the aliases of this text expand to too much", "write fewer aliases inside aliases");
  *type = found->second;
  last_end_ = token_.end;
  Advance();
  return true;
}

// tensor<2x?xf32, #encoding>. The sizes run into the element type without a space, so they are read from the characters.
bool Reader::ReadTensor(Type* type) {
  const int32_t begin = token_.begin;
  Advance();
  if (!Is('<')) return Unexpected("'<'", "after 'tensor'");
  int32_t i = token_.end;
  auto skip = [&] {
    scanner_.Seek(i);
    scanner_.SkipSpace();
    i = scanner_.position();
  };
  std::vector<int64_t> dimensions;
  std::vector<bool> dynamic;
  bool unranked = false;
  for (;;) {
    skip();
    const char c = scanner_.At(i);
    const int32_t at = i;
    if (c == '*' && dimensions.empty() && !unranked) {
      unranked = true;
      ++i;
    } else if (c == '?') {
      dimensions.push_back(Shape::kUnbounded);
      dynamic.push_back(true);
      ++i;
    } else if (IsDigit(c)) {
      int64_t size = 0;
      bool fits = true;
      for (; IsDigit(scanner_.At(i)); ++i) {
        if (size > (INT64_MAX - 9) / 10) fits = false;
        if (fits) size = size * 10 + (scanner_.At(i) - '0');
      }
      if (!fits) return Error({at, i}, HLO_LABEL("mlir.dimension"), "this size does not fit in 64 bits");
      dimensions.push_back(size);
      dynamic.push_back(false);
    } else {
      break;
    }
    skip();
    if (scanner_.At(i) != 'x') {
      Seek(i);
      return Unexpected("'x'", "after a dimension's size");
    }
    ++i;
  }
  Seek(i);
  Type element;
  const SourceRange element_range = TokenRange();
  if (!ReadType(&element)) return false;
  if (element.kind != Type::Kind::kScalar && element.kind != Type::Kind::kQuantized && element.kind != Type::Kind::kOther) {
    return Error(element_range, HLO_LABEL("mlir.element-type"), absl::StrCat("a tensor has no elements of type ", TypeText(element)));
  }
  if (Take(',')) {
    Attr encoding;
    const SourceRange range = TokenRange();
    if (!ReadAttr(&encoding) || !ReadBounds(encoding, range, &dimensions, &dynamic)) return false;
  }
  if (!Expect('>', "at the end of a tensor type")) return false;
  type->text = std::string(Text(begin, last_end_));
  if (element.kind == Type::Kind::kOther) {
    type->kind = Type::Kind::kOther;
    return true;
  }
  type->is_index = element.is_index;
  type->kind = element.kind == Type::Kind::kQuantized ? element.kind : unranked ? Type::Kind::kUnranked : Type::Kind::kTensor;
  const bool any_dynamic = std::find(dynamic.begin(), dynamic.end(), true) != dynamic.end();
  type->shape = Shape::Array(element.shape.element_type(), dimensions, std::nullopt, any_dynamic ? dynamic : std::vector<bool>());
  return true;
}

// #stablehlo.bounds<3, ?> and #stablehlo.type_extensions<bounds = [3, ?]>: sizes of dimensions that were `?`. Other encodings say nothing
// here.
bool Reader::ReadBounds(const Attr& encoding, SourceRange range, std::vector<int64_t>* dimensions, std::vector<bool>* dynamic) {
  if (encoding.kind != Attr::Kind::kDialect) return true;
  absl::string_view list;
  if (absl::EndsWith(encoding.text, ".bounds")) {
    list = encoding.raw;
  } else if (absl::EndsWith(encoding.text, ".type_extensions")) {
    const size_t open = encoding.raw.find('['), close = encoding.raw.find(']');
    if (open == std::string::npos || close == std::string::npos || close < open) return true;
    list = absl::string_view(encoding.raw).substr(open + 1, close - open - 1);
  } else {
    return true;
  }
  size_t next = 0;
  for (size_t i = 0; i < list.size();) {
    const char c = list[i];
    if (c == '?') {
      ++next;
      ++i;
    } else if (IsDigit(c)) {
      size_t end = i;
      while (end < list.size() && IsDigit(list[end])) ++end;
      int64_t bound = 0;
      const bool fits = absl::SimpleAtoi(list.substr(i, end - i), &bound);
      if (!fits) return Error(range, HLO_LABEL("mlir.bounds"), "a bound does not fit in 64 bits");
      if (next < dimensions->size() && (*dynamic)[next]) (*dimensions)[next] = bound;
      ++next;
      i = end;
    } else {
      ++i;
    }
  }
  if (next != dimensions->size()) {
    return Error(range, HLO_LABEL("mlir.bounds"),
                 absl::StrCat("the tensor has ", dimensions->size(), " dimensions, but there are ", next, " bounds"),
                 "write one a dimension, '?' where there is none");
  }
  return true;
}

}  // namespace hloscope::mlir
