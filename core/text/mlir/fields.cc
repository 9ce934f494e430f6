// The fields of pretty forms: what stands after a keyword or in a place of its own, as the attribute of the generic form.
#include <algorithm>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/text/mlir/reader.h"

namespace hloscope::mlir {
namespace {

Type I64() {
  Type type;
  type.kind = Type::Kind::kScalar;
  type.shape = Shape::Scalar(ElementType::kS64);
  type.text = "i64";
  return type;
}

Attr Integer(int64_t value, ElementType element) {
  Attr attr;
  attr.kind = Attr::Kind::kInteger;
  attr.integer = value;
  attr.type = I64();
  if (element == ElementType::kS32) {
    attr.type.shape = Shape::Scalar(element);
    attr.type.text = "i32";
  }
  return attr;
}

Attr Integers(std::vector<int64_t> values) {
  Attr attr;
  attr.kind = Attr::Kind::kDenseArray;
  attr.type = I64();
  attr.integers = std::move(values);
  return attr;
}

Attr IntegerList(const std::vector<int64_t>& values) {
  Attr attr;
  attr.kind = Attr::Kind::kArray;
  for (int64_t value : values) attr.array.push_back(Integer(value, ElementType::kS64));
  return attr;
}

}  // namespace

bool Reader::ReadField(Op* op, Draft* draft, int number) {
  const FieldForm& field = draft->form->fields[number];
  draft->filled[number] = true;
  const int32_t begin = token_.begin;
  Attr attr;
  bool ok = true;
  switch (field.kind) {
    case FieldKind::kInteger:
    case FieldKind::kInteger32: {
      const bool bracket = field.keyword == "[" && Take('[');
      int64_t value = 0;
      ok = ReadSignedInteger(&value) && (!bracket || Expect(']', "after an index"));
      attr = Integer(value, field.kind == FieldKind::kInteger ? ElementType::kS64 : ElementType::kS32);
      break;
    }
    case FieldKind::kAttribute: ok = ReadAttr(&attr, kUntyped); break;
    case FieldKind::kConstant:
      ok = ReadAttr(&attr);
      draft->constant = static_cast<int>(op->attributes.size());
      break;
    case FieldKind::kIntegers: ok = ReadIntegers(&attr); break;
    case FieldKind::kEnum: ok = ReadEnum(field, &attr); break;
    case FieldKind::kString:
      if (token_.kind != TokenKind::kString) return Unexpected("a string", absl::StrCat("in ", op->name));
      ok = ReadAttr(&attr, kUntyped);
      break;
    case FieldKind::kSymbol:
    case FieldKind::kSymbolAsString:
      ok = ReadAttr(&attr, kUntyped);
      if (field.kind == FieldKind::kSymbolAsString) attr.kind = Attr::Kind::kString;
      break;
    case FieldKind::kDialect:
      ok = ReadAttr(&attr, kUntyped);
      if (attr.text.empty()) attr.text = std::string(field.type_name);
      break;
    case FieldKind::kPrecisions: ok = ReadPrecisions(field, &attr); break;
    case FieldKind::kConvolution: ok = ReadConvolutionDimensions(field, &attr); break;
    case FieldKind::kExponentMantissa: return ReadExponentMantissa(op);
    case FieldKind::kContracting: return ReadDimensionPair(op, false);
    case FieldKind::kBatching: return ReadDimensionPair(op, true);
    case FieldKind::kSliceRanges: return ReadSliceRanges(op);
    case FieldKind::kWindow: return ReadWindow(op);
  }
  if (!ok) return false;
  attr.range = RangeFrom(begin);
  AddAttribute(op, field.attribute, std::move(attr));
  return true;
}

bool Reader::ReadSignedInteger(int64_t* value) {
  const int32_t begin = token_.begin;
  const bool negative = Take('-');
  if (token_.kind != TokenKind::kInteger) return Unexpected("an integer", "here");
  const Token token = token_;
  last_end_ = token_.end;
  Advance();
  double ignored = 0;
  return ParseNumberIn(negative ? absl::StrCat("-", Text(token)) : std::string(Text(token)), {begin, token.end}, ElementType::kS64, value,
                       &ignored);
}

// [0, 1], or any other spelling of a list of integers.
bool Reader::ReadIntegers(Attr* attr) {
  const int32_t begin = token_.begin;
  if (!Is('[')) {
    if (!ReadAttr(attr)) return false;
    if (AsIntegers(*attr).has_value()) return true;
    return Error(RangeFrom(begin), HLO_LABEL("mlir.attribute"), "expected a list of integers", "write [0, 1]");
  }
  Take('[');
  std::vector<int64_t> values;
  if (!Take(']')) {
    do {
      values.push_back(0);
      if (Take('?')) {
        values.back() = Shape::kUnbounded;
      } else if (!ReadSignedInteger(&values.back())) {
        return false;
      }
    } while (Take(','));
    if (!Expect(']', "at the end of a list of integers")) return false;
  }
  *attr = Integers(std::move(values));
  return true;
}

bool Reader::ReadEnum(const FieldForm& form, Attr* attr) {
  if (token_.kind == TokenKind::kHash || token_.kind == TokenKind::kString) {
    if (!ReadAttr(attr, kUntyped)) return false;
    if (attr->kind != Attr::Kind::kString) return true;
    attr->words = {attr->text};
  } else if (token_.kind == TokenKind::kIdentifier) {
    attr->words = {std::string(TokenText())};
    last_end_ = token_.end;
    Advance();
  } else {
    return Unexpected(absl::StrCat("a word for ", form.attribute), "here");
  }
  attr->kind = Attr::Kind::kDialect;
  attr->text = std::string(form.type_name);
  attr->raw = attr->words[0];
  return true;
}

bool Reader::ReadPrecisions(const FieldForm& form, Attr* attr) {
  attr->kind = Attr::Kind::kArray;
  if (!Expect('[', "before the precisions")) return false;
  if (Take(']')) return true;
  do {
    attr->array.emplace_back();
    const int32_t begin = token_.begin;
    if (!ReadEnum(form, &attr->array.back())) return false;
    attr->array.back().range = RangeFrom(begin);
  } while (Take(','));
  return Expect(']', "after the precisions");
}

// contracting_dims = [1] x [0]: two fields of #stablehlo.dot<...>, which has all four even when empty.
bool Reader::ReadDimensionPair(Op* op, bool batching) {
  const int32_t begin = token_.begin;
  Attr lhs, rhs;
  if (!ReadIntegers(&lhs) || !(TakeWord("x") || Unexpected("'x'", "between the dimensions of the two sides")) || !ReadIntegers(&rhs))
    return false;
  NamedAttr* numbers = nullptr;
  for (NamedAttr& named : op->attributes) {
    if (named.name == "dot_dimension_numbers") numbers = &named;
  }
  if (numbers == nullptr) {
    Attr attr;
    attr.kind = Attr::Kind::kDialect;
    attr.text = "stablehlo.dot";
    for (absl::string_view name :
         {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions", "rhs_contracting_dimensions"}) {
      attr.fields.push_back({std::string(name), IntegerList({})});
    }
    AddAttribute(op, "dot_dimension_numbers", std::move(attr));
    numbers = &op->attributes.back();
  }
  numbers->value.range = RangeFrom(begin);
  numbers->value.fields[batching ? 0 : 2].value = IntegerList(AsIntegers(lhs).value_or(std::vector<int64_t>()));
  numbers->value.fields[batching ? 1 : 3].value = IntegerList(AsIntegers(rhs).value_or(std::vector<int64_t>()));
  return true;
}

// [0:2, 1:4:2]
bool Reader::ReadSliceRanges(Op* op) {
  const int32_t begin = token_.begin;
  std::vector<int64_t> start, limit, stride;
  if (!Expect('[', "before the ranges of a slice")) return false;
  if (!Take(']')) {
    do {
      int64_t a = 0, b = 0, c = 1;
      if (!ReadSignedInteger(&a) || !Expect(':', "after the start of a slice") || !ReadSignedInteger(&b)) return false;
      if (Take(':') && !ReadSignedInteger(&c)) return false;
      start.push_back(a);
      limit.push_back(b);
      stride.push_back(c);
    } while (Take(','));
    if (!Expect(']', "after the ranges of a slice")) return false;
  }
  const SourceRange range = RangeFrom(begin);
  for (auto& [name, values] : {std::pair("start_indices", &start), std::pair("limit_indices", &limit), std::pair("strides", &stride)}) {
    Attr attr = Integers(std::move(*values));
    attr.range = range;
    AddAttribute(op, name, std::move(attr));
  }
  return true;
}

// e5m10
bool Reader::ReadExponentMantissa(Op* op) {
  const absl::string_view text = token_.kind == TokenKind::kIdentifier ? TokenText() : "";
  const size_t m = text.find('m');
  int64_t exponent = 0, mantissa = 0;
  if (text.empty() || text[0] != 'e' || m == absl::string_view::npos || !absl::SimpleAtoi(text.substr(1, m - 1), &exponent) ||
      !absl::SimpleAtoi(text.substr(m + 1), &mantissa) || exponent > INT32_MAX || mantissa > INT32_MAX) {
    return Error(TokenRange(), HLO_LABEL("mlir.attribute"), absl::StrCat("expected a format like e5m10, found ", Shown(token_)),
                 "write e, the bits of the exponent, m, the bits of the mantissa");
  }
  const SourceRange range = TokenRange();
  last_end_ = token_.end;
  Advance();
  AddAttribute(op, "exponent_bits", Integer(exponent, ElementType::kS32));
  op->attributes.back().value.range = range;
  AddAttribute(op, "mantissa_bits", Integer(mantissa, ElementType::kS32));
  op->attributes.back().value.range = range;
  return true;
}

// [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]; its meaning is the business of whoever reads the raw text.
bool Reader::ReadConvolutionDimensions(const FieldForm& form, Attr* attr) {
  const int32_t begin = token_.begin;
  for (int part = 0; part < 3; ++part) {
    if (part == 1 && !(TakeWord("x") || Unexpected("'x'", "between the dimensions of input and kernel"))) return false;
    if (part == 2 && !ExpectArrow("before the dimensions of the output")) return false;
    if (!Is('[')) return Unexpected("'['", "before dimension numbers");
    const int32_t close = SkipBalanced(token_.end, ']');
    if (close < 0) return Error(TokenRange(), HLO_LABEL("mlir.syntax"), "this '[' is never closed", "write the ']'");
    Seek(close);
    Take(']');
  }
  attr->kind = Attr::Kind::kDialect;
  attr->text = std::string(form.type_name);
  attr->raw = std::string(Text(begin, last_end_));
  return true;
}

// {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]}
bool Reader::ReadWindow(Op* op) {
  constexpr std::pair<absl::string_view, absl::string_view> kNames[] = {{"stride", "window_strides"},
                                                                        {"pad", "padding"},
                                                                        {"lhs_dilate", "lhs_dilation"},
                                                                        {"rhs_dilate", "rhs_dilation"},
                                                                        {"reverse", "window_reversal"}};
  if (!Is('{')) return Unexpected("'{'", "before a window");
  std::vector<NamedAttr> fields;
  if (!ReadDictionary(&fields)) return false;
  for (NamedAttr& field : fields) {
    const auto* known = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& name) { return name.first == field.name; });
    if (known == std::end(kNames)) {
      return Error(field.value.range, HLO_LABEL("mlir.keyword"), absl::StrCat("a window has no '", field.name, " ='"),
                   "it has: stride, pad, lhs_dilate, rhs_dilate, reverse");
    }
    Attr attr;
    bool ok = true;
    if (field.name == "pad" && field.value.kind == Attr::Kind::kArray) {
      std::vector<int64_t> numbers;
      for (const Attr& pair : field.value.array) {
        const std::optional<std::vector<int64_t>> two = AsIntegers(pair);
        ok = ok && two.has_value() && two->size() == 2;
        if (ok) numbers.insert(numbers.end(), two->begin(), two->end());
      }
      attr.kind = Attr::Kind::kElements;
      attr.type.kind = Type::Kind::kTensor;
      attr.type.shape = Shape::Array(ElementType::kS64, {static_cast<int64_t>(field.value.array.size()), 2});
      attr.type.text = absl::StrCat("tensor<", field.value.array.size(), "x2xi64>");
      if (ok)
        attr.value =
            Value::FromBytes(attr.type.shape, absl::MakeConstSpan(reinterpret_cast<const std::byte*>(numbers.data()), numbers.size() * 8));
    } else if (std::optional<std::vector<int64_t>> numbers = AsIntegers(field.value)) {
      attr = Integers(*std::move(numbers));
      if (field.name == "reverse") {
        attr.type.shape = Shape::Scalar(ElementType::kPred);
        attr.type.text = "i1";
      }
    } else {
      ok = false;
    }
    if (!ok)
      return Error(field.value.range, HLO_LABEL("mlir.attribute"),
                   absl::StrCat("'", field.name, "' of a window is a list of ", field.name == "pad" ? "pairs of integers" : "integers"));
    attr.range = field.value.range;
    AddAttribute(op, known->second, std::move(attr));
  }
  return true;
}

}  // namespace hloscope::mlir
