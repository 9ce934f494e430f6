// Reads literals: `1`, `{1, 2}`, `{ { 1.5, nan }, { -inf, 0x1p-3 } }`, `(1, -2)` for complex elements, `{...}` for elided ones, and
// tuples `(1, {2, 3})`. Elements are written where they belong as they are read. Memory is asked for only when the text that is left is
// long enough to hold that many elements.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/literal/scalar.h"
#include "core/text/literal_text.h"
#include "core/text/shape_reader.h"

namespace hloscope {

absl::string_view NumberToken(const char* p) {
  const char* start = p;
  if (*p == '+' || *p == '-') ++p;
  bool hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
  while (true) {
    if (IsClass(*p, char_class::kAlpha | char_class::kDigit) || *p == '.') {
      ++p;
    } else if ((*p == '+' || *p == '-') && p > start) {
      char before = p[-1];
      if (hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E') {
        ++p;
      } else {
        break;
      }
    } else {
      break;
    }
  }
  return absl::string_view(start, p - start);
}

bool ParseDouble(absl::string_view token, double* value) {
  const char* p = token.data();
  const char* end = p + token.size();
  bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  if (p == end || *p == '-' || *p == '+') return false;
  bool hex = end - p > 2 && p[0] == '0' && (p[1] == 'x' || p[1] == 'X');
  if (hex) p += 2;
  double v = 0;
  auto [stop, error] = std::from_chars(p, end, v, hex ? std::chars_format::hex : std::chars_format::general);
  if (stop != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) {
    // Too large or too small for a double: the sign of the exponent decides. "1e400" is above, "1e-400" below.
    absl::string_view rest(p, end - p);
    size_t exponent = rest.find_last_of(hex ? "pP" : "eE");
    bool tiny = exponent != absl::string_view::npos && exponent + 1 < rest.size() && rest[exponent + 1] == '-';
    if (exponent == absl::string_view::npos) tiny = rest.find_first_not_of("0.") > rest.find('.');
    v = tiny ? 0 : std::numeric_limits<double>::infinity();
  }
  *value = negative ? -v : v;
  return true;
}

namespace {

// Which bits of a float type are its sign and its mantissa, and how it writes a NaN.
struct FloatLayout {
  int mantissa_bits;
  bool ieee;          // the exponent of all ones holds inf and the NaNs
  uint64_t only_nan;  // else: the one NaN (without its sign); 0: there is none
  bool nan_has_sign;
};

FloatLayout LayoutOf(ElementType type) {
  switch (type) {
    case ElementType::kF64: return {52, true, 0, true};
    case ElementType::kF32: return {23, true, 0, true};
    case ElementType::kF16: return {10, true, 0, true};
    case ElementType::kBF16: return {7, true, 0, true};
    case ElementType::kF8E5M2: return {2, true, 0, true};
    case ElementType::kF8E4M3: return {3, true, 0, true};
    case ElementType::kF8E3M4: return {4, true, 0, true};
    case ElementType::kF8E4M3FN: return {3, false, 0x7f, true};
    case ElementType::kF8E5M2FNUZ:
    case ElementType::kF8E4M3FNUZ:
    case ElementType::kF8E4M3B11FNUZ: return {2, false, 0x80, false};
    case ElementType::kF8E8M0FNU: return {0, false, 0xff, false};
    default: return {1, false, 0, false};
  }
}

template <typename T>
void Put(T value, std::byte* out) {
  std::memcpy(out, &value, sizeof(T));
}

void PutBits(uint64_t bits, int bytes, std::byte* out) { std::memcpy(out, &bits, bytes); }  // little endian

class LiteralReader {
 public:
  LiteralReader(Scanner& s, ElementType type) : s_(s), type_(type), bytes_(StorageBytes(type)) {}

  // Writes one element, or only checks it where `out` is null.
  bool Element(std::byte* out) {
    switch (Info(type_).kind) {
      case TypeKind::Pred: return Pred(out);
      case TypeKind::Signed:
      case TypeKind::Unsigned: return Int(out);
      case TypeKind::Float: return Float(type_, out);
      case TypeKind::Complex: return Complex(out);
      default: return false;
    }
  }

 private:
  bool Bad(absl::string_view token, absl::string_view expected) {
    SourceRange range = token.empty() ? s_.Here() : s_.Range(token);
    return s_.Error(range, HLO_LABEL("text.literal-element"),
                    absl::StrCat("expected ", expected, " of type ", Name(type_), ", found ",
                                 token.empty() ? s_.Found() : absl::StrCat("'", token.substr(0, 40), "'")));
  }

  bool OutOfRange(absl::string_view token) {
    return s_.Error(s_.Range(token), HLO_LABEL("text.literal-range"),
                    absl::StrCat("expected a value that fits ", Name(type_), ", found ", token.substr(0, 60)));
  }

  bool Pred(std::byte* out) {
    absl::string_view token = NumberToken(s_.p);
    int value = token == "true" || token == "1" ? 1 : token == "false" || token == "0" ? 0 : -1;
    if (value < 0) return Bad(token, "true, false, 1 or 0");
    s_.p += token.size();
    if (out != nullptr) *out = static_cast<std::byte>(value);
    return true;
  }

  bool Int(std::byte* out) {
    const char* p = s_.p;
    bool negative = *p == '-';
    if (negative || *p == '+') ++p;
    uint64_t magnitude = 0;
    bool overflow = false;
    const char* digits = p;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
      p += 2;
      digits = p;
      for (;; ++p) {
        int d = *p >= '0' && *p <= '9' ? *p - '0' : (*p | 32) >= 'a' && (*p | 32) <= 'f' ? (*p | 32) - 'a' + 10 : -1;
        if (d < 0) break;
        overflow |= magnitude >> 60 != 0;
        magnitude = magnitude << 4 | d;
      }
    } else {
      for (; IsClass(*p, char_class::kDigit); ++p) {
        uint64_t d = *p - '0';
        overflow |= magnitude > (UINT64_MAX - d) / 10;
        magnitude = magnitude * 10 + d;
      }
    }
    if (p == digits || IsClass(*p, char_class::kAlpha) || *p == '.') {
      absl::string_view token = NumberToken(s_.p);
      if (token == "true" || token == "false") {
        magnitude = token == "true";
        p = s_.p + token.size();
      } else {
        return Bad(token, "an integer");
      }
    }
    const int bits = BitWidth(type_);  // u64 takes negative values too and wraps them, as in XLA
    uint64_t limit = IsSigned(type_) ? (uint64_t{1} << (bits - 1)) - (negative ? 0 : 1)
                     : negative      ? (bits == 64 ? uint64_t{1} << 63 : 0)
                     : bits == 64    ? UINT64_MAX
                                     : (uint64_t{1} << bits) - 1;
    absl::string_view token(s_.p, p - s_.p);
    if (overflow || magnitude > limit) return OutOfRange(token);
    s_.p = p;
    if (out != nullptr) PutBits(negative ? 0 - magnitude : magnitude, bytes_, out);
    return true;
  }

  bool Float(ElementType type, std::byte* out) {
    absl::string_view token = NumberToken(s_.p);
    absl::string_view unsigned_token = token;
    bool negative = absl::ConsumePrefix(&unsigned_token, "-");
    if (!negative) absl::ConsumePrefix(&unsigned_token, "+");
    if (unsigned_token == "nan" || unsigned_token == "NaN") return Nan(type, token, negative, out);
    if (type == ElementType::kF32 && !absl::StartsWith(unsigned_token, "0x")) {
      float value;
      const char* first = token.data() + (!token.empty() && token[0] == '+');
      auto [stop, error] = std::from_chars(first, token.data() + token.size(), value);
      if (stop == token.data() + token.size() && error == std::errc()) {
        s_.p += token.size();
        if (out != nullptr) Put(value, out);
        return true;
      }
    }
    double value;
    if (!ParseDouble(token, &value)) return Bad(token, "a number");
    bool written_inf = unsigned_token == "inf" || unsigned_token == "infinity";
    uint64_t bits = EncodeFloat(type, value);
    double stored = DecodeFloat(type, bits);
    if (!written_inf && (!std::isfinite(value) || !std::isfinite(stored))) return OutOfRange(token);
    if (written_inf && !(std::isinf(stored) && std::signbit(stored) == negative)) return OutOfRange(token);
    if (value < 0 && type == ElementType::kF8E8M0FNU) return OutOfRange(token);
    s_.p += token.size();
    if (out != nullptr) PutBits(bits, StorageBytes(type), out);
    return true;
  }

  // nan, -nan, nan(0x7f): the payload is the mantissa's bits, the quiet bit among them.
  bool Nan(ElementType type, absl::string_view token, bool negative, std::byte* out) {
    const FloatLayout f = LayoutOf(type);
    const char* start = s_.p;
    s_.p += token.size();
    uint64_t payload = f.mantissa_bits > 0 ? uint64_t{1} << (f.mantissa_bits - 1) : 0;
    if (*s_.p == '(') {
      const char* p = s_.p + 1;
      const char* end = p;
      while (IsClass(*end, char_class::kAlpha | char_class::kDigit)) ++end;
      bool hex = end - p > 2 && p[0] == '0' && p[1] == 'x';
      payload = 0;
      auto [stop, error] = std::from_chars(p + (hex ? 2 : 0), end, payload, hex ? 16 : 10);
      if (stop != end || error != std::errc() || *end != ')' || end == p) {
        return s_.Error(s_.Range(start, end), HLO_LABEL("text.nan-payload"), "expected a NaN with a payload such as nan(0x400000)");
      }
      s_.p = end + 1;
      uint64_t most = f.ieee ? (uint64_t{1} << f.mantissa_bits) - 1 : 0;
      if (payload == 0 || payload > most) {
        return s_.Error(s_.Range(start, s_.p), HLO_LABEL("text.nan-payload"),
                        most == 0 ? absl::StrCat("expected nan without a payload: ", Name(type), " has no NaNs to tell apart")
                                  : absl::StrCat("expected a NaN payload between 1 and 0x", absl::Hex(most), " for ", Name(type)));
      }
    }
    if (!f.ieee && f.only_nan == 0) return OutOfRange(absl::string_view(start, s_.p - start));
    const uint64_t sign = uint64_t{1} << (BitWidth(type) - 1);
    uint64_t bits = f.ieee ? (sign - (uint64_t{1} << f.mantissa_bits)) | payload : f.only_nan;
    if (negative && (f.ieee || f.nan_has_sign)) bits |= sign;
    if (out != nullptr) PutBits(bits, StorageBytes(type), out);
    return true;
  }

  bool Complex(std::byte* out) {
    const ElementType part = RealTypeOf(type_);
    const int half = StorageBytes(part);
    std::byte zeros[16] = {};
    if (*s_.p != '(') {  // a real number alone
      const char* begin = s_.p;
      const char* end = begin;
      while (absl::ascii_isalnum(static_cast<unsigned char>(*end)) || *end == '+' || *end == '-' || *end == '.') ++end;
      // 1+2i, -0.5j
      const bool imaginary = end - begin > 1 && (end[-1] == 'i' || end[-1] == 'j') && absl::ascii_isdigit(static_cast<unsigned char>(end[-2]));
      if (imaginary) {
        return s_.Error(s_.Range(begin, end), HLO_LABEL("text.literal-element"),
                        absl::StrCat("expected a complex number of type ", Name(type_), " in the form (1, 2), the real and the imaginary part; found '",
                                     absl::string_view(begin, std::min<size_t>(end - begin, 40)), "'"));
      }
      if (!Float(part, out)) return false;
      if (out != nullptr) std::memcpy(out + half, zeros, half);
      return true;
    }
    ++s_.p;
    s_.SkipSpace();
    if (!Float(part, out) || !s_.Expect(',', "the real part")) return false;
    s_.SkipSpace();
    return Float(part, out == nullptr ? nullptr : out + half) && s_.Expect(')', "the imaginary part");
  }

  Scanner& s_;
  const ElementType type_;
  const int bytes_;
};

// The nested braces of one array.
class ArrayReader {
 public:
  ArrayReader(Scanner& s, const Shape& shape, std::byte* out)
      : s_(s),
        shape_(shape),
        rank_(shape.rank()),
        out_(out),
        bytes_(StorageBytes(shape.element_type())),
        element_(s, shape.element_type()) {}

  bool Read(bool* elided) {
    const char* open = s_.p;
    if (*s_.p != '{') {
      return s_.Error(s_.Here(), HLO_LABEL("text.literal-shape"),
                      absl::StrCat("expected '{' to begin a literal of ", shape_.ToString(false), ", found ", s_.Found()));
    }
    counts_.reserve(std::min(rank_, 16));
    do {
      if (!Step(elided)) return false;
    } while (!counts_.empty());
    if (*elided || total_ == shape_.ElementCount()) return true;
    return s_.Error(s_.Range(open, s_.p), HLO_LABEL("text.literal-shape"),
                    absl::StrCat("expected ", shape_.ElementCount(), " elements for ", shape_.ToString(false), ", found ", total_));
  }

 private:
  // One opening brace, closing brace, or run of elements with the commas between them.
  bool Step(bool* elided) {
    s_.SkipSpace();
    if (*s_.p == '{') {
      if (static_cast<int>(counts_.size()) >= rank_ || flat_) {
        return s_.Error(s_.Range(s_.p, s_.p + 1), HLO_LABEL("text.literal-shape"),
                        absl::StrCat("expected braces nested ", rank_, " deep for ", shape_.ToString(false), ", found one more"));
      }
      ++s_.p;
      counts_.push_back(0);
      opens_.push_back(s_.p - 1);
      s_.SkipSpace();
      if (*s_.p != '}') return true;  // else an empty list: it closes now
    } else if (*s_.p == '.' && s_.p[1] == '.' && s_.p[2] == '.') {
      s_.p += 3;
      *elided = true;
      s_.SkipSpace();
    } else if (*s_.p != '}') {
      if (!Elements()) return false;
    }
    return Close(elided);
  }

  bool Elements() {
    if (static_cast<int>(counts_.size()) != rank_) {
      if (counts_.size() != 1 || counts_[0] != 0) {
        return s_.Error(s_.Here(), HLO_LABEL("text.literal-shape"),
                        absl::StrCat("expected '{' at depth ", counts_.size() + 1, " of a literal of ", shape_.ToString(false), ", found ",
                                     s_.Found()));
      }
      flat_ = true;  // all elements in one list
    }
    const int64_t limit = shape_.ElementCount();
    const bool is_pred = shape_.element_type() == ElementType::kPred;
    do {
      s_.SkipSpace();
      if (*s_.p == '.' && s_.p[1] == '.') return true;  // {1, 2, ...}: Close sees it
      if (is_pred && (*s_.p == '0' || *s_.p == '1') && (s_.p[1] == '0' || s_.p[1] == '1')) {
        for (; *s_.p == '0' || *s_.p == '1'; ++s_.p) {  // {0110}: old dumps write pred lists without commas
          if (out_ != nullptr && total_ < limit) out_[total_] = static_cast<std::byte>(*s_.p - '0');
          ++total_;
          ++counts_.back();
        }
        continue;
      }
      if (!element_.Element(out_ != nullptr && total_ < limit ? out_ + total_ * bytes_ : nullptr)) return false;
      ++total_;
      ++counts_.back();
    } while (s_.Take(','));
    return true;
  }

  bool Close(bool* elided) {
    while (true) {
      s_.SkipSpace();
      if (*s_.p == '.' && s_.p[1] == '.' && s_.p[2] == '.') {
        *elided = true;
        s_.p += 3;
      }
      if (!s_.Expect('}', "the elements of a literal")) return false;
      const int depth = static_cast<int>(counts_.size()) - 1;
      const bool none = counts_.back() == 0 && shape_.ElementCount() == 0;
      if (!*elided && !none && !flat_ && counts_.back() != shape_.dim(depth)) {
        return s_.Error(s_.Range(opens_.back(), s_.p), HLO_LABEL("text.literal-shape"),
                        absl::StrCat("expected ", shape_.dim(depth), " entries in dimension ", depth, " of a literal of ",
                                     shape_.ToString(false), ", found ", counts_.back()));
      }
      counts_.pop_back();
      opens_.pop_back();
      if (counts_.empty()) return true;
      ++counts_.back();
      if (s_.Take(',')) return true;
    }
  }

  Scanner& s_;
  const Shape& shape_;
  const int rank_;
  std::byte* out_;
  const int bytes_;
  LiteralReader element_;
  std::vector<int64_t> counts_;  // entries so far, for each brace that is open
  std::vector<const char*> opens_;
  int64_t total_ = 0;
  bool flat_ = false;
};

// Can the text that is left hold the elements of `shape`? Each takes a character, and a comma except in {0110}.
bool TextCanHold(Scanner& s, const Shape& shape) {
  const int64_t count = shape.ElementCount();
  if (count <= 4096) return true;
  if (count > s.end() - s.p) return false;
  if (*s.p != '{') return false;
  const char* start = s.p;
  s.SkipBalanced(/*quiet=*/true);
  bool enough = count <= s.p - start;
  s.p = start;
  return enough;
}

bool ReadInto(Scanner& s, const Shape& shape, ConstantLiteral* literal) {
  s.SkipSpace();
  if (*s.p == '{') {
    const char* open = s.p++;
    s.SkipSpace();
    if (s.p[0] == '.' && s.p[1] == '.' && s.p[2] == '.') {
      s.p += 3;
      if (s.Take('}')) {
        literal->elided = true;
        return true;
      }
    }
    s.p = open;
  }
  if (shape.IsTuple()) {
    if (!s.Expect('(', "'constant(' of a tuple shape")) return false;
    std::vector<Value> elements;
    for (const Shape& element : shape.tuple_shapes()) {
      if (!elements.empty() && !s.Expect(',', "an element of a tuple literal")) return false;
      ConstantLiteral part;
      if (!ReadInto(s, element, &part)) return false;
      literal->elided |= part.elided;
      elements.push_back(std::move(part.value));
    }
    if (!s.Expect(')', "the last element of a tuple literal")) return false;
    if (!literal->elided) literal->value = Value::Tuple(shape, std::move(elements));
    return true;
  }
  if (!shape.IsArray()) {
    return s.Error(s.Here(), HLO_LABEL("text.literal-type"),
                   absl::StrCat("expected an array or tuple shape for a constant, found ", shape.ToString()));
  }
  if (IsClass(*s.p, char_class::kAlpha)) {  // old dumps repeat the shape: constant(f32[2] {1, 2})
    const char* start = s.p;
    absl::string_view word = s.Word();
    if (*s.p == '[' && ElementTypeFromName(word)) {
      ShapeReader reader(s);
      s.p = start;
      Shape repeated;
      if (!reader.Read(&repeated)) return false;
      s.SkipSpace();
    } else {
      s.p = start;
    }
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.is_dynamic(i)) {
      return s.Error(s.Here(), HLO_LABEL("text.literal-type"),
                     absl::StrCat("expected a constant of known size, found ", shape.ToString(false)));
    }
  }
  Value value;
  if (TextCanHold(s, shape)) value = Value::Allocate(shape);
  if (shape.rank() == 0) {
    LiteralReader reader(s, shape.element_type());
    if (!reader.Element(value.mutable_data())) return false;
  } else {
    ArrayReader reader(s, shape, value.mutable_data());
    if (!reader.Read(&literal->elided)) return false;
  }
  if (!literal->elided) literal->value = std::move(value);
  return true;
}

}  // namespace

bool ReadLiteral(Scanner& s, const Shape& shape, ConstantLiteral* literal) {
  if (ReadInto(s, shape, literal)) {
    if (literal->elided) literal->value = Value();
    return true;
  }
  *literal = ConstantLiteral();
  return false;
}

}  // namespace hloscope
