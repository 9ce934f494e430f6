// Elements attributes: dense<...> in all its spellings and dense_resource<...>, straight into a Value of their type.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/literal/scalar.h"
#include "core/text/mlir/reader.h"

namespace hloscope::mlir {
namespace {

constexpr int64_t kLargestConstant = int64_t{1} << 30;  // bytes

bool InWord(char c) { return IsNameCharacter(c) || c == '+' || c == '-'; }

// An element's bits as StoreScalar lays them out, without going through Scalar for the commonest types.
void Store(ElementType type, int64_t integer, double number, std::byte* to) {
  switch (type) {
    case ElementType::kF32: {
      const float f = static_cast<float>(number);
      std::memcpy(to, &f, 4);
      return;
    }
    case ElementType::kF64: std::memcpy(to, &number, 8); return;
    case ElementType::kS64:
    case ElementType::kU64: std::memcpy(to, &integer, 8); return;
    case ElementType::kS32:
    case ElementType::kU32: std::memcpy(to, &integer, 4); return;
    default: StoreScalar(IsFloat(type) ? Scalar::Float(type, number) : Scalar::Int(type, integer), to);
  }
}

int HexDigit(char c) { return IsDigit(c) ? c - '0' : (c | 32) - 'a' + 10; }

// The bytes of "0x0102...", without the first `skip`.
bool HexBytes(absl::string_view quoted, size_t skip, std::string* bytes) {
  if (!absl::StartsWith(quoted, "\"0x") || quoted.size() % 2 != 0 || quoted.size() < 4 + 2 * skip) return false;
  bytes->reserve(quoted.size() / 2);
  for (size_t i = 3; i + 2 < quoted.size(); i += 2) {
    if (!IsHexDigit(quoted[i]) || !IsHexDigit(quoted[i + 1])) return false;
    if (i >= 3 + 2 * skip) bytes->push_back(static_cast<char>(HexDigit(quoted[i]) * 16 + HexDigit(quoted[i + 1])));
  }
  return true;
}

}  // namespace

// A number, written in decimal or as hexadecimal bits, as an element of `type` (not complex): integers in *integer, floats in *number.
bool Reader::ParseNumberIn(absl::string_view text, SourceRange range, ElementType type, int64_t* integer, double* number) {
  const bool negative = !text.empty() && text[0] == '-';
  absl::string_view digits = negative || (!text.empty() && text[0] == '+') ? text.substr(1) : text;
  auto bad = [&](absl::string_view why, absl::string_view hint) {
    return Error(range, HLO_LABEL("mlir.constant-literal"), absl::StrCat("'", text, "' ", why), std::string(hint));
  };
  if (digits == "true" || digits == "false") {
    if (IsFloat(type) || BitWidth(type) > 8 || (BitWidth(type) != 1 && !IsPred(type)) || negative)
      return bad("is no number", "write 1 or 0 for elements that are not i1");
    *integer = digits == "true" ? (IsSigned(type) ? -1 : 1) : 0;
    return true;
  }
  const bool hex = digits.size() > 2 && digits[0] == '0' && digits[1] == 'x';
  if (IsFloat(type) && !hex) {
    if (digits == "inf" || digits == "nan") {
      *number = digits == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
      if (negative) *number = -*number;
    } else {
      if (digits.empty() || !IsDigit(digits[0]))
        return bad("is no number", "write a decimal number, or the bits of one in hexadecimal: 0x7FC00000");
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *number);
      if (end != digits.data() + digits.size())
        return bad("is no number", "write a decimal number, or the bits of one in hexadecimal: 0x7FC00000");
      if (error == std::errc::result_out_of_range) {
        // Too large or too small: the exponent's sign says which, and a number without one is large.
        const size_t e = digits.find_first_of("eE");
        const bool tiny = e != absl::string_view::npos ? e + 1 < digits.size() && digits[e + 1] == '-' : digits[0] == '0';
        *number = tiny ? 0 : std::numeric_limits<double>::infinity();
      }
      if (!absl::StrContains(digits, '.') && digits.find_first_of("eE") == absl::string_view::npos) {
        return bad("is an integer, but the elements are floats", "write a point after it");
      }
      if (negative) *number = -*number;
    }
    if (type != ElementType::kF64) *number = Scalar::Float(type, *number).re;
    return true;
  }
  uint64_t magnitude = 0;
  const absl::string_view body = hex ? digits.substr(2) : digits;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), magnitude, hex ? 16 : 10);
  if (error == std::errc::result_out_of_range) {
    return Error(range, HLO_LABEL("mlir.constant-range"), absl::StrCat(text, " does not fit in ", Name(type)));
  }
  if (error != std::errc() || end != body.data() + body.size()) {
    return bad(IsInteger(type) || IsPred(type) ? absl::StrCat("is no integer, but the elements are ", Name(type)) : "is no number", "");
  }
  const int bits = IsPred(type) ? 1 : BitWidth(type);
  auto outside = [&] {
    return Error(range, HLO_LABEL("mlir.constant-range"), absl::StrCat(text, " does not fit in ", Name(type)),
                 absl::StrCat(Name(type), " has ", bits, " bits"));
  };
  if (IsFloat(type)) {
    if (negative) return bad("has a sign before hexadecimal bits", "set the sign bit instead");
    if (bits < 64 && magnitude >> bits) return outside();
    *number = DecodeFloat(type, magnitude);
    return true;
  }
  const uint64_t half = uint64_t{1} << (bits - 1);
  if (negative ? (IsUnsigned(type) ? magnitude > 0 : magnitude > half) : bits < 64 && (magnitude >> bits) != 0) return outside();
  *integer = static_cast<int64_t>(negative ? ~magnitude + 1 : magnitude);
  if (!IsPred(type)) {
    *integer = Scalar::Int(type, *integer).i;  // 255 : i8 is -1
  } else {
    *integer = magnitude != 0;
  }
  return true;
}

bool Reader::CheckElementsType(const Type& type, SourceRange range) {
  if (type.kind != Type::Kind::kTensor && type.kind != Type::Kind::kQuantized) {
    return Error(range, HLO_LABEL("mlir.constant-shape"), absl::StrCat("a constant has no type ", TypeText(type)),
                 "its type is a tensor of known sizes: tensor<2x3xf32>");
  }
  if (type.shape.has_dynamic_dimension()) {
    return Error(range, HLO_LABEL("mlir.constant-shape"),
                 absl::StrCat("the sizes of a constant are known, but ", TypeText(type), " has a '?'"));
  }
  const int64_t count = type.shape.ElementCount();
  const int64_t bytes = StorageBytes(type.shape.element_type());
  if (count > kLargestConstant / bytes || count * bytes > constant_budget_) {
    return Error(range, HLO_LABEL("mlir.constant-size"), absl::StrCat("a constant of ", count, " elements is too large"),
                 "pass it as an argument, or broadcast a scalar");
  }
  if (quiet_ == 0) constant_budget_ -= count * bytes;
  return true;
}

// At `dense` or `sparse`. The type comes after the elements, so their end is looked for first.
bool Reader::ReadDense(Attr* attr) {
  const int32_t begin = token_.begin;
  const int32_t after = token_.end;
  const bool sparse = TokenText() == "sparse";
  const absl::string_view word = sparse ? "sparse" : "dense";
  Advance();
  if (!Is('<') || token_.begin != after) return Unexpected("'<'", absl::StrCat("after '", word, "'"));
  const int32_t open = token_.end;
  int32_t close = open;
  for (; close < scanner_.end() && text_[close] != '>'; ++close) {
    const char c = text_[close];
    if (c == '"') {
      for (++close; close < scanner_.end() && text_[close] != '"' && text_[close] != '\n'; ++close) {
        if (text_[close] == '\\') ++close;
      }
      if (scanner_.At(close) != '"') break;
    } else if (c == '/' && scanner_.At(close + 1) == '/') {
      while (close + 1 < scanner_.end() && text_[close + 1] != '\n') ++close;
    } else if (c == '%' || c == '{' || c == '}' || c == '=' || c == '@' || c == '^') {
      break;
    }
  }
  if (scanner_.At(close) != '>') return Error({begin, open}, HLO_LABEL("mlir.syntax"), absl::StrCat("this ", word, "<...> is never closed"), "write the '>'");
  Seek(close + 1);
  if (!Expect(':', absl::StrCat("and a type after ", word, "<...>"))) return false;
  const SourceRange type_range = TokenRange();
  if (!ReadType(&attr->type)) return false;
  if (attr->type.kind == Type::Kind::kOther) {  // vectors, tensors of strings
    attr->kind = Attr::Kind::kOther;
    attr->raw = std::string(Text(begin, last_end_));
    return true;
  }
  attr->kind = Attr::Kind::kElements;
  const int32_t last = last_end_;
  if (!CheckElementsType(attr->type, type_range)) return false;
  // A problem inside is reported, but what follows is still in step: the operation can be read to its end.
  const bool ok = sparse ? ReadSparseElements(open, close, attr->type, attr) : ReadElements(open, close, attr->type, attr);
  Seek(last);  // from the type's end, so that the next token still knows whether it begins a line
  last_end_ = last;
  return ok || quiet_ == 0;
}

// The characters text_[begin, end) between the brackets of dense<...>.
bool Reader::ReadElements(int32_t begin, int32_t end, const Type& type, Attr* attr) {
  const ElementType element = type.shape.element_type();
  const int64_t bytes = StorageBytes(element);
  const int64_t count = type.shape.ElementCount();
  int32_t i = AfterSpace(begin, end);
  if (i < end && text_[i] == '"') return ReadHexString(i, end, type, attr);
  if (i < end && text_[i] == '[') return ReadElementLists(begin, end, type, attr);
  if (i >= end) {  // dense<>
    if (count != 0) return ShapeProblem({begin - 1, end + 1}, absl::StrCat("there are no elements, but the type has ", count), type);
    attr->value = Value::Allocate(type.shape);
    return true;
  }
  std::byte one[16];  // one element for all
  if (!ReadElement(&i, end, element, one)) return false;
  i = AfterSpace(i, end);
  if (i < end) return ShapeProblem({i, end}, "something follows the one element of a splat", type);
  attr->splat = Value::FromBytes(Shape::Scalar(element), absl::MakeConstSpan(one, bytes));
  Value value = Value::Allocate(type.shape);
  if (count > 0) {
    std::byte* data = value.mutable_data();
    std::memcpy(data, one, bytes);
    for (int64_t filled = bytes; filled < count * bytes; filled *= 2)
      std::memcpy(data + filled, data, std::min(filled, count * bytes - filled));
  }
  attr->value = std::move(value);
  return true;
}

bool Reader::ShapeProblem(SourceRange range, std::string message, const Type& type) {
  return Error(range, HLO_LABEL("mlir.constant-shape"), std::move(message), absl::StrCat("the type is ", TypeText(type)));
}

int32_t Reader::AfterSpace(int32_t from, int32_t end) const {
  Scanner spaces(text_, from, end);
  spaces.SkipSpace();
  return spaces.position();
}

// One number, the whole of an element or a part of a complex one.
bool Reader::ReadElementNumber(int32_t* at, int32_t end, ElementType type, std::byte* to) {
  const int32_t first = *at;
  while (*at < end && InWord(text_[*at])) ++*at;
  const absl::string_view text = Text(first, *at);
  if (text.empty()) {
    return Error({first, std::min(end, first + 1)}, HLO_LABEL("mlir.constant-literal"),
                 first < end ? absl::StrCat("expected an element, found '", text_.substr(first, 1), "'") : "an element is missing here");
  }
  int64_t integer = 0;
  double real = 0;
  if (!ParseNumberIn(text, {first, *at}, type, &integer, &real)) return false;
  if (IsFloat(type) && absl::StartsWith(text, "0x")) {
    // The bits themselves: a signalling NaN does not survive a conversion.
    uint64_t bits = 0;
    std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
    std::memcpy(to, &bits, StorageBytes(type));
    return true;
  }
  Store(type, integer, real, to);
  return true;
}

// A number, or (real, imaginary).
bool Reader::ReadElement(int32_t* at, int32_t end, ElementType type, std::byte* to) {
  if (!IsComplex(type)) return ReadElementNumber(at, end, type, to);
  const ElementType part = RealTypeOf(type);
  auto take = [&](char c) {
    *at = AfterSpace(*at, end);
    if (*at < end && text_[*at] == c) {
      *at = AfterSpace(*at + 1, end);
      return true;
    }
    return Error({*at, std::min(end, *at + 1)}, HLO_LABEL("mlir.constant-literal"),
                 absl::StrCat("expected '", absl::string_view(&c, 1), "' in a complex element"),
                 "complex elements are written (real, imaginary)");
  };
  return take('(') && ReadElementNumber(at, end, part, to) && take(',') && ReadElementNumber(at, end, part, to + StorageBytes(part)) &&
         take(')');
}

// Nested lists, which must have the shape of the type.
bool Reader::ReadElementLists(int32_t begin, int32_t end, const Type& type, Attr* attr) {
  const ElementType element = type.shape.element_type();
  const int64_t bytes = StorageBytes(element);
  const int64_t count = type.shape.ElementCount();
  const int rank = type.shape.rank();
  Value value = Value::Allocate(type.shape);
  std::byte* data = value.mutable_data();
  std::vector<int64_t> counts;  // elements seen at each open level
  int64_t stored = 0;
  bool want_element = true, after_open = false;
  for (int32_t i = AfterSpace(begin, end); i < end; i = AfterSpace(i, end)) {
    const char c = text_[i];
    const SourceRange here = {i, i + 1};
    const int depth = static_cast<int>(counts.size());
    if (c == ']' && depth > 0 && (!want_element || after_open)) {
      if (counts.back() != type.shape.dim(depth - 1)) {
        return ShapeProblem(
            here, absl::StrCat("dimension ", depth - 1, " has ", type.shape.dim(depth - 1), " elements, but this list has ", counts.back()),
            type);
      }
      counts.pop_back();
      if (!counts.empty()) ++counts.back();
      want_element = after_open = false;
      ++i;
    } else if (c == ',' && !want_element && depth > 0) {
      want_element = true;
      after_open = false;
      ++i;
    } else if (c == '[' && want_element) {
      if (depth == rank)
        return ShapeProblem(here, absl::StrCat("the lists are nested deeper than the ", rank, " dimensions of the type"), type);
      counts.push_back(0);
      after_open = true;
      ++i;
    } else if (want_element && depth > 0) {
      if (depth != rank)
        return ShapeProblem(here, absl::StrCat("an element stands ", depth, " lists deep, but the type has ", rank, " dimensions"), type);
      if (stored >= count) return ShapeProblem(here, absl::StrCat("there are more elements than ", count), type);
      if (!ReadElement(&i, end, element, data + stored * bytes)) return false;
      ++stored;
      ++counts.back();
      want_element = after_open = false;
    } else {
      return Error(here, HLO_LABEL("mlir.constant-literal"),
                   absl::StrCat("'", absl::string_view(&c, 1), "' does not belong here among the elements"));
    }
  }
  if (!counts.empty()) return ShapeProblem({end, end + 1}, "a list of elements is not closed", type);
  if (stored != count)
    return ShapeProblem({begin - 1, end + 1}, absl::StrCat("there are ", stored, " elements, but the type has ", count), type);
  attr->value = std::move(value);
  return true;
}

// "0x..." at `begin`.
bool Reader::ReadHexString(int32_t begin, int32_t end, const Type& type, Attr* attr) {
  Scanner scanner(text_, begin, end);
  const Token token = scanner.Next();
  const SourceRange range = {token.begin, token.end};
  std::string bytes;
  if (token.kind != TokenKind::kString || AfterSpace(token.end, end) < end || !HexBytes(Text(token), 0, &bytes)) {
    return Error(range, HLO_LABEL("mlir.constant-literal"), "a string of elements is \"0x\" and pairs of hexadecimal digits");
  }
  return ReadHexElements(range, type, bytes, false, attr);
}

// Bytes as they are in memory, little-endian; one element alone means all. i1 comes packed, eight in a byte, or one a byte.
bool Reader::ReadHexElements(SourceRange range, const Type& type, const std::string& bytes, bool resource, Attr* attr) {
  const ElementType element = type.shape.element_type();
  const int64_t size = static_cast<int64_t>(bytes.size());
  const int64_t count = type.shape.ElementCount();
  const int64_t storage = StorageBytes(element);
  Value value = Value::Allocate(type.shape);
  std::byte* data = value.mutable_data();
  const bool packed = IsPred(element) && size == (count + 7) / 8 && !(resource && size == count);
  const bool splat = !packed && size == storage && count != 1 && !resource;
  if (IsPred(element) && !resource && size == 1 && (bytes[0] == '\0' || bytes[0] == '\xff') && count > 1) {
    std::memset(data, bytes[0] != 0, count);
    attr->splat = Value::Scalar<uint8_t>(element, bytes[0] != 0);
  } else if (packed) {
    for (int64_t i = 0; i < count; ++i) data[i] = static_cast<std::byte>((bytes[i / 8] >> (i % 8)) & 1);
  } else if (size == count * storage || splat) {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(data + i * storage, bytes.data() + (splat ? 0 : i * storage), storage);
      // One a byte: pred is 0 or 1, and narrow integers keep only their own bits.
      if (IsPred(element)) data[i] = static_cast<std::byte>(data[i] != std::byte{0});
      if (BitWidth(element) < 8) {
        const auto b = static_cast<uint8_t>(data[i]);
        if (IsFloat(element)) {
          data[i] = static_cast<std::byte>(b & ((1 << BitWidth(element)) - 1));
        } else {
          StoreScalar(Scalar::Int(element, b), data + i);
        }
      }
    }
    if (splat) attr->splat = Value::FromBytes(Shape::Scalar(element), absl::MakeConstSpan(data, storage));
  } else {
    return Error(range, HLO_LABEL("mlir.hex-size"),
                 absl::StrCat("there are ", size, " bytes, but ", TypeText(type), " takes ", count * storage));
  }
  attr->value = std::move(value);
  return true;
}

// dense_resource<name> : type, whose bytes stand in the {-# #-} part at the end of the text.
bool Reader::ReadDenseResource(Attr* attr) {
  const int32_t begin = token_.begin;
  Advance();
  if (!Expect('<', "after 'dense_resource'")) return false;
  std::string key;
  if (token_.kind == TokenKind::kString) {
    key = Unescape(TokenText());
  } else if (token_.kind == TokenKind::kIdentifier) {
    key = std::string(TokenText());
  } else {
    return Unexpected("a resource's name", "in dense_resource<...>");
  }
  const SourceRange name_range = TokenRange();
  Advance();
  if (!Expect('>', "after a resource's name") || !Expect(':', "and a type after dense_resource<...>")) return false;
  const SourceRange type_range = TokenRange();
  if (!ReadType(&attr->type)) return false;
  attr->kind = Attr::Kind::kElements;
  attr->text = key;
  if (attr->type.kind == Type::Kind::kOther) {
    attr->kind = Attr::Kind::kOther;
    attr->raw = std::string(Text(begin, last_end_));
    return true;
  }
  if (!CheckElementsType(attr->type, type_range)) return false;
  if (!resources_indexed_) {
    resources_indexed_ = true;
    const size_t place = Text(part_begin_, part_end_).rfind("{-#");
    if (place != absl::string_view::npos) {
      const int32_t back = token_.begin, last = last_end_;
      ++quiet_;
      Seek(part_begin_ + static_cast<int32_t>(place));
      ReadResources();
      --quiet_;
      Seek(back);
      last_end_ = last;
    }
  }
  auto found = resources_.find(key);
  if (found == resources_.end()) {
    Error(name_range, HLO_LABEL("mlir.resource"), absl::StrCat("the text has no resource '", key, "'"),
          "it belongs into {-# dialect_resources: { builtin: { ... } } #-}; it is left out when a text is printed with "
          "--elide-resource-strings");
    return true;
  }
  const SourceRange blob_range = found->second;
  std::string bytes;
  // The first four bytes are the alignment.
  if (!HexBytes(Text(blob_range.begin, blob_range.end), 4, &bytes)) {
    Error(blob_range, HLO_LABEL("mlir.resource"), "a resource is \"0x\", eight hexadecimal digits of its alignment, and its bytes");
    return true;
  }
  ReadHexElements(name_range, attr->type, bytes, true, attr);
  return true;
}

}  // namespace hloscope::mlir
