// An .npy file is a magic, a version, a Python dictionary as text and the bytes. Archives of them are npz.cc's.
// Nothing in a file is trusted: sizes are compared with what is really there before anything is allocated.
#include "core/literal/npy.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/literal/npy_format.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

constexpr char kMagic[] = "\x93NUMPY";

absl::Status Damaged(absl::string_view what) { return absl::InvalidArgumentError(absl::StrCat("not a sound .npy array: ", what)); }

struct Header {
  char order = '|';  // '<', '>', '|', '='
  char kind = 0;     // b i u f c V
  int size = 0;
  bool fortran = false;
  std::vector<int64_t> dims;
};

// The text after `'key':` in the dictionary, or nothing.
std::optional<absl::string_view> Entry(absl::string_view dictionary, absl::string_view key) {
  for (const char* quote : {"'", "\""}) {
    const size_t at = dictionary.find(absl::StrCat(quote, key, quote));
    if (at == absl::string_view::npos) continue;
    absl::string_view rest = absl::StripLeadingAsciiWhitespace(dictionary.substr(at + key.size() + 2));
    if (!absl::ConsumePrefix(&rest, ":")) return std::nullopt;
    return absl::StripLeadingAsciiWhitespace(rest);
  }
  return std::nullopt;
}

absl::StatusOr<Header> ParseDictionary(absl::string_view text) {
  Header header;
  const auto descr = Entry(text, "descr"), fortran = Entry(text, "fortran_order"), shape = Entry(text, "shape");
  if (!descr || !fortran || !shape) return Damaged("the header has no descr, fortran_order and shape");
  if (descr->empty() || ((*descr)[0] != '\'' && (*descr)[0] != '"')) return Damaged("structured types are not supported");
  const size_t end = descr->find((*descr)[0], 1);
  if (end == absl::string_view::npos || end < 3) return Damaged("the header's descr is cut short");
  absl::string_view type = descr->substr(1, end - 1);
  if (absl::StrContains("<>|=", type.substr(0, 1))) {
    header.order = type[0];
    type.remove_prefix(1);
  }
  header.kind = type.empty() ? 0 : type[0];
  if (type.empty() || !absl::SimpleAtoi(type.substr(1), &header.size) || header.size <= 0 || header.size > 16) {
    return Damaged(absl::StrCat("the type '", descr->substr(1, end - 1), "' is not supported"));
  }
  header.fortran = absl::StartsWith(*fortran, "True");
  const size_t close = shape->find(')');
  if (shape->empty() || (*shape)[0] != '(' || close == absl::string_view::npos) return Damaged("the header's shape is not a tuple");
  absl::string_view list = shape->substr(1, close - 1);
  while (!absl::StripAsciiWhitespace(list).empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    int64_t dim = 0;
    absl::string_view number = absl::StripAsciiWhitespace(list.substr(0, comma));
    absl::ConsumeSuffix(&number, "L");
    if (!absl::SimpleAtoi(number, &dim) || dim < 0) return Damaged("the header's shape has something that is not a size");
    header.dims.push_back(dim);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return header;
}

absl::StatusOr<Header> ReadHeader(ByteSource& source) {
  unsigned char start[8];
  if (!source.Read(start, 8) || std::memcmp(start, kMagic, 6) != 0) return Damaged("it does not begin with \\x93NUMPY");
  const int length_bytes = start[6] == 1 ? 2 : 4;
  if (start[6] < 1 || start[6] > 3) return Damaged(absl::StrCat("version ", start[6], " is not known"));
  unsigned char length_text[4] = {0, 0, 0, 0};
  if (!source.Read(length_text, length_bytes)) return Damaged("the header is cut short");
  const uint32_t length = length_text[0] | length_text[1] << 8 | length_text[2] << 16 | static_cast<uint32_t>(length_text[3]) << 24;
  if (length > source.remaining() || length > (1u << 20)) return Damaged("the header is cut short");
  std::string text(length, '\0');
  if (!source.Read(text.data(), length)) return Damaged("the header is cut short");
  return ParseDictionary(text);
}

std::optional<ElementType> TypeOf(const Header& h) {
  using E = ElementType;
  switch (h.kind) {
    case 'b':
    case '?': return E::kPred;
    case 'i': return h.size == 1 ? E::kS8 : h.size == 2 ? E::kS16 : h.size == 4 ? E::kS32 : E::kS64;
    case 'u': return h.size == 1 ? E::kU8 : h.size == 2 ? E::kU16 : h.size == 4 ? E::kU32 : E::kU64;
    case 'f':
      if (h.size == 2) return E::kF16;
      if (h.size == 4) return E::kF32;
      if (h.size == 8) return E::kF64;
      return std::nullopt;
    case 'c':
      if (h.size == 8) return E::kC64;
      if (h.size == 16) return E::kC128;
      return std::nullopt;
    case 'V':
      if (h.size == 2) return E::kBF16;
      if (h.size == 1) return E::kU8;
      return std::nullopt;
    default: return std::nullopt;
  }
}

// As NumPy calls it: its short names count bytes, where those of HLO count bits.
std::string TypeText(const Header& h) {
  const absl::string_view of = h.kind == 'i' ? "int" : h.kind == 'u' ? "uint" : h.kind == 'f' ? "float" : h.kind == 'c' ? "complex" : "";
  const bool boolean = (h.kind == 'b' || h.kind == '?') && h.size == 1;
  const std::string name = boolean ? "bool" : of.empty() ? absl::StrCat(std::string(1, h.kind), h.size) : absl::StrCat(of, 8 * h.size);
  return absl::StrCat(name, "[", absl::StrJoin(h.dims, ","), "]");
}

// Whether NumPy has a type of its own for `t`.
bool NumpyHas(ElementType t) {
  if (IsFloat(t)) return t == ElementType::kF16 || t == ElementType::kF32 || t == ElementType::kF64;
  return !IsInteger(t) || BitWidth(t) >= 8;
}

void SwapBytes(std::byte* data, int64_t bytes, int unit) {
  for (int64_t at = 0; at + unit <= bytes; at += unit) std::reverse(data + at, data + at + unit);
}

// Column-major bytes to row-major.
Value FromFortran(const Value& value, MemoryAccount* account) {
  const absl::Span<const int64_t> dims = value.shape().dimensions();
  const int64_t size = StorageBytes(value.shape().element_type());
  Value out = Value::Allocate(value.shape(), account);
  std::vector<int64_t> index(dims.size(), 0);
  for (int64_t linear = 0; linear < value.element_count(); ++linear) {
    int64_t from = 0;
    for (int d = static_cast<int>(dims.size()) - 1; d >= 0; --d) from = from * dims[d] + index[d];
    std::memcpy(out.mutable_data() + linear * size, value.data() + from * size, size);
    for (int d = static_cast<int>(dims.size()) - 1; d >= 0 && ++index[d] == dims[d]; --d) index[d] = 0;
  }
  return out;
}

// How elements of the file's type become elements of the wanted one.
enum class Adapt { kBits, kConvert, kRefuse };
Adapt AdaptTo(ElementType have, ElementType want, const Header& header) {
  if (have == want) return Adapt::kBits;
  const bool raw = header.kind == 'u' || header.kind == 'V';
  if (IsFloat(want) && !NumpyHas(want)) {
    if (raw && header.size == StorageBytes(want)) return Adapt::kBits;
    if (IsFloat(have)) return Adapt::kConvert;
  }
  if (IsInteger(want) && BitWidth(want) < 8 && header.size == 1 && (header.kind == (IsSigned(want) ? 'i' : 'u'))) return Adapt::kConvert;
  if (IsPred(want) && header.size == 1 && header.kind == 'u') return Adapt::kConvert;
  return Adapt::kRefuse;
}

}  // namespace

absl::StatusOr<Value> ReadNpyArray(ByteSource& source, const Shape* wanted, MemoryAccount* account) {
  absl::StatusOr<Header> header = ReadHeader(source);
  if (!header.ok()) return header.status();
  const std::optional<ElementType> type = TypeOf(*header);
  if (!type || StorageBytes(*type) != header->size) return Damaged(absl::StrCat("the type ", TypeText(*header), " is not supported"));
  uint64_t bytes = header->size;
  for (int64_t dim : header->dims) {
    if (dim != 0 && bytes > (uint64_t{1} << 62) / dim) return Damaged("its shape is too large");
    bytes *= dim;
  }
  if (bytes > source.remaining())
    return Damaged(absl::StrCat("its shape needs ", bytes, " bytes, but only ", source.remaining(), " follow"));
  Shape sized;  // where a wanted size is a bound, the file has the size
  if (wanted != nullptr && wanted->has_dynamic_dimension() && wanted->rank() == static_cast<int>(header->dims.size())) {
    bool fits = true;
    for (int d = 0; d < wanted->rank(); ++d)
      fits &= header->dims[d] == wanted->dim(d) || (wanted->is_dynamic(d) && header->dims[d] < wanted->dim(d));
    if (fits) {
      sized = Shape::Array(wanted->element_type(), header->dims);
      wanted = &sized;
    }
  }
  Adapt adapt = Adapt::kBits;
  if (wanted != nullptr) {
    if (wanted->dimensions() != absl::Span<const int64_t>(header->dims)) {
      return absl::InvalidArgumentError(absl::StrCat("the file holds ", TypeText(*header), ", wanted is ", wanted->ToString(false)));
    }
    adapt = AdaptTo(*type, wanted->element_type(), *header);
    if (adapt == Adapt::kRefuse) {
      return absl::InvalidArgumentError(absl::StrCat("the file holds ", TypeText(*header), ", wanted is ", wanted->ToString(false),
                                                     "; convert it in NumPy with .astype(...)"));
    }
  }
  const ElementType read_type = wanted != nullptr && adapt == Adapt::kBits ? wanted->element_type() : *type;
  Value value = Value::Allocate(Shape::Array(read_type, header->dims), account);
  if (bytes > 0 && !source.Read(value.mutable_data(), bytes)) return Damaged("its bytes are cut short or damaged");
  if (header->order == '>') SwapBytes(value.mutable_data(), bytes, header->kind == 'c' ? header->size / 2 : header->size);
  if (IsPred(read_type)) {  // anything but 0 is true
    for (uint64_t i = 0; i < bytes; ++i) value.mutable_data()[i] = std::byte(value.data()[i] != std::byte(0));
  }
  if (header->fortran && header->dims.size() > 1) value = FromFortran(value, account);
  if (wanted == nullptr) return value;
  if (adapt == Adapt::kBits) return value.WithShape(*wanted);
  Value converted = Value::Allocate(*wanted, account);
  const int from_bytes = StorageBytes(read_type), to_bytes = StorageBytes(wanted->element_type());
  for (int64_t i = 0; i < value.element_count(); ++i) {
    StoreScalar(ConvertScalar(LoadScalar(read_type, value.data() + i * from_bytes), wanted->element_type()),
                converted.mutable_data() + i * to_bytes);
  }
  return converted;
}

namespace {

std::string Descr(ElementType t) {
  const int bytes = StorageBytes(t);
  const char* order = bytes == 1 ? "|" : "<";
  if (IsPred(t)) return "|b1";
  if (t == ElementType::kBF16) return "<V2";
  if (IsComplex(t)) return absl::StrCat("<c", bytes);
  if (IsFloat(t)) return NumpyHas(t) ? absl::StrCat("<f", bytes) : "|u1";
  return absl::StrCat(order, IsSigned(t) ? "i" : "u", bytes);
}

}  // namespace

std::string NpyHeader(const Shape& shape) {
  std::string dims;
  for (int64_t d : shape.dimensions()) absl::StrAppend(&dims, d, ", ");
  if (shape.rank() != 1 && !dims.empty()) dims.resize(dims.size() - 2);
  if (shape.rank() == 1) dims.pop_back();  // "(5,)"
  std::string text = absl::StrCat("{'descr': '", Descr(shape.element_type()), "', 'fortran_order': False, 'shape': (", dims, "), }");
  // The data begins at a multiple of 64; the dictionary ends with a newline. Version 1 holds 65535 bytes, far beyond any rank.
  const size_t total = (10 + text.size() + 1 + 63) / 64 * 64;
  text.resize(total - 10 - 1, ' ');
  text += '\n';
  std::string header(kMagic, 6);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

absl::Status CannotOpen(const std::string& path) {
  return absl::NotFoundError(absl::StrCat("cannot open ", path, ": ", std::strerror(errno)));
}
absl::Status CannotWrite(const std::string& path) {
  return absl::DataLossError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

uint64_t FileSize(std::FILE* file) {
  if (fseeko(file, 0, SEEK_END) != 0) return 0;
  const off_t size = ftello(file);
  fseeko(file, 0, SEEK_SET);
  return size < 0 ? 0 : static_cast<uint64_t>(size);
}

absl::Status WithPath(const absl::Status& status, absl::string_view path) {
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

absl::StatusOr<Value> ReadNpy(const std::string& path, const Shape* wanted, MemoryAccount* account) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return CannotOpen(path);
  FileSource source(file, FileSize(file));
  absl::StatusOr<Value> value = ReadNpyArray(source, wanted, account);
  if (value.ok() && source.remaining() > 0) value = Damaged(absl::StrCat(source.remaining(), " bytes follow the array"));
  std::fclose(file);
  if (!value.ok()) return WithPath(value.status(), path);
  return value;
}

absl::Status WriteNpy(const std::string& path, const Value& value) {
  if (!value.shape().IsArray())
    return absl::InvalidArgumentError(absl::StrCat("only an array can be saved as .npy, not ", value.shape().ToString(false)));
  if (!value.IsDense()) return WriteNpy(path, ToDense(value));
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return CannotOpen(path);
  const std::string header = NpyHeader(value.shape());
  const size_t bytes = value.byte_size();
  bool ok = std::fwrite(header.data(), 1, header.size(), file) == header.size();
  ok = ok && (bytes == 0 || std::fwrite(value.data(), 1, bytes, file) == bytes);
  ok = std::fclose(file) == 0 && ok;
  return ok ? absl::OkStatus() : CannotWrite(path);
}

}  // namespace hloscope
