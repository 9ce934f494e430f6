// An .npy file is a magic, a version, a Python dictionary as text and the bytes. An .npz archive is a zip of such files.
// Nothing in a file is trusted: sizes are compared with what is really there before anything is allocated.
#include "core/literal/npy.h"

#include <zlib.h>

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
#include "core/literal/scalar.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

constexpr char kMagic[] = "\x93NUMPY";

absl::Status Damaged(absl::string_view what) { return absl::InvalidArgumentError(absl::StrCat("not a sound .npy array: ", what)); }

uint32_t Crc(uint32_t crc, const void* data, uint64_t n) {
  const Bytef* at = static_cast<const Bytef*>(data);
  while (n > 0) {
    const uInt chunk = static_cast<uInt>(std::min<uint64_t>(n, 1u << 30));
    crc = static_cast<uint32_t>(crc32(crc, at, chunk));
    at += chunk;
    n -= chunk;
  }
  return crc;
}

// Bytes in order, from a file or from a deflated stream.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual bool Read(void* to, uint64_t n) = 0;
  virtual uint64_t remaining() const = 0;  // an upper bound
};

class FileSource : public ByteSource {
 public:
  FileSource(std::FILE* file, uint64_t size) : file_(file), left_(size) {}
  bool Read(void* to, uint64_t n) override {
    if (n > left_ || std::fread(to, 1, n, file_) != n) return false;
    left_ -= n;
    return true;
  }
  uint64_t remaining() const override { return left_; }

 private:
  std::FILE* file_;
  uint64_t left_;
};

class InflateSource : public ByteSource {
 public:
  InflateSource(std::FILE* file, uint64_t compressed, uint64_t size) : file_(file), in_left_(compressed), left_(size) {
    ok_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
  }
  ~InflateSource() override { inflateEnd(&stream_); }
  bool Read(void* to, uint64_t n) override {
    if (!ok_ || n > left_) return false;
    left_ -= n;
    Bytef* out = static_cast<Bytef*>(to);
    while (n > 0) {
      if (stream_.avail_in == 0) {
        const uint64_t chunk = std::min<uint64_t>(in_left_, sizeof(buffer_));
        if (std::fread(buffer_, 1, chunk, file_) != chunk) return false;
        in_left_ -= chunk;
        stream_.next_in = buffer_;
        stream_.avail_in = static_cast<uInt>(chunk);
      }
      const uInt want = static_cast<uInt>(std::min<uint64_t>(n, 1u << 30));
      stream_.next_out = out;
      stream_.avail_out = want;
      const int rc = inflate(&stream_, Z_NO_FLUSH);
      const uint64_t made = want - stream_.avail_out;
      out += made;
      n -= made;
      if (rc == Z_STREAM_END) return n == 0;
      if (rc != Z_OK || (made == 0 && stream_.avail_in == 0 && in_left_ == 0)) return false;
    }
    return true;
  }
  uint64_t remaining() const override { return left_; }

 private:
  std::FILE* file_;
  uint64_t in_left_, left_;
  bool ok_ = false;
  z_stream stream_{};
  Bytef buffer_[64 << 10];
};

// Takes the checksum of what another source gives.
class CheckedSource : public ByteSource {
 public:
  explicit CheckedSource(ByteSource& from) : from_(from) {}
  bool Read(void* to, uint64_t n) override {
    if (!from_.Read(to, n)) return false;
    crc_ = Crc(crc_, to, n);
    return true;
  }
  uint64_t remaining() const override { return from_.remaining(); }
  // Reads what is left; false when it cannot be read or the checksum is another.
  bool Matches(uint32_t crc) {
    char buffer[4096];
    while (remaining() > 0) {
      if (!Read(buffer, std::min<uint64_t>(remaining(), sizeof(buffer)))) return false;
    }
    return crc_ == crc;
  }

 private:
  ByteSource& from_;
  uint32_t crc_ = 0;
};

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
    case 'b': case '?': return E::kPred;
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

std::string TypeText(const Header& h) { return absl::StrCat(std::string(1, h.kind), h.size, "[", absl::StrJoin(h.dims, ","), "]"); }

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

absl::StatusOr<Value> ReadArray(ByteSource& source, const Shape* wanted, MemoryAccount* account) {
  absl::StatusOr<Header> header = ReadHeader(source);
  if (!header.ok()) return header.status();
  const std::optional<ElementType> type = TypeOf(*header);
  if (!type || StorageBytes(*type) != header->size) return Damaged(absl::StrCat("the type ", TypeText(*header), " is not supported"));
  uint64_t bytes = header->size;
  for (int64_t dim : header->dims) {
    if (dim != 0 && bytes > (uint64_t{1} << 62) / dim) return Damaged("its shape is too large");
    bytes *= dim;
  }
  if (bytes > source.remaining()) return Damaged(absl::StrCat("its shape needs ", bytes, " bytes, but only ", source.remaining(), " follow"));
  Shape sized;  // where a wanted size is a bound, the file has the size
  if (wanted != nullptr && wanted->has_dynamic_dimension() && wanted->rank() == static_cast<int>(header->dims.size())) {
    bool fits = true;
    for (int d = 0; d < wanted->rank(); ++d) fits &= header->dims[d] == wanted->dim(d) || (wanted->is_dynamic(d) && header->dims[d] < wanted->dim(d));
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
    StoreScalar(ConvertScalar(LoadScalar(read_type, value.data() + i * from_bytes), wanted->element_type()), converted.mutable_data() + i * to_bytes);
  }
  return converted;
}

std::string Descr(ElementType t) {
  const int bytes = StorageBytes(t);
  const char* order = bytes == 1 ? "|" : "<";
  if (IsPred(t)) return "|b1";
  if (t == ElementType::kBF16) return "<V2";
  if (IsComplex(t)) return absl::StrCat("<c", bytes);
  if (IsFloat(t)) return NumpyHas(t) ? absl::StrCat("<f", bytes) : "|u1";
  return absl::StrCat(order, IsSigned(t) ? "i" : "u", bytes);
}

std::string MakeHeader(const Shape& shape) {
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

absl::Status CannotOpen(const std::string& path) { return absl::NotFoundError(absl::StrCat("cannot open ", path, ": ", std::strerror(errno))); }
absl::Status CannotWrite(const std::string& path) { return absl::DataLossError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno))); }

uint64_t FileSize(std::FILE* file) {
  if (fseeko(file, 0, SEEK_END) != 0) return 0;
  const off_t size = ftello(file);
  fseeko(file, 0, SEEK_SET);
  return size < 0 ? 0 : static_cast<uint64_t>(size);
}

absl::Status WithPath(const absl::Status& status, absl::string_view path) {
  return status.ok() ? status : absl::Status(status.code(), absl::StrCat(path, ": ", status.message()));
}

// Little-endian numbers of a zip.
uint64_t Get(absl::string_view bytes, size_t at, int n) {
  uint64_t v = 0;
  for (int i = 0; i < n; ++i) v |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return v;
}
void Put(std::string& to, uint64_t v, int n) {
  for (int i = 0; i < n; ++i) to += static_cast<char>(v >> (8 * i) & 0xff);
}

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50, kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr uint64_t k32 = 0xffffffffu;

}  // namespace

absl::StatusOr<Value> ReadNpy(const std::string& path, const Shape* wanted, MemoryAccount* account) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return CannotOpen(path);
  FileSource source(file, FileSize(file));
  absl::StatusOr<Value> value = ReadArray(source, wanted, account);
  if (value.ok() && source.remaining() > 0) value = Damaged(absl::StrCat(source.remaining(), " bytes follow the array"));
  std::fclose(file);
  if (!value.ok()) return WithPath(value.status(), path);
  return value;
}

absl::Status WriteNpy(const std::string& path, const Value& value) {
  if (!value.shape().IsArray()) return absl::InvalidArgumentError(absl::StrCat("only an array can be saved as .npy, not ", value.shape().ToString(false)));
  if (!value.IsDense()) return WriteNpy(path, ToDense(value));
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return CannotOpen(path);
  const std::string header = MakeHeader(value.shape());
  const size_t bytes = value.byte_size();
  bool ok = std::fwrite(header.data(), 1, header.size(), file) == header.size();
  ok = ok && (bytes == 0 || std::fwrite(value.data(), 1, bytes, file) == bytes);
  ok = std::fclose(file) == 0 && ok;
  return ok ? absl::OkStatus() : CannotWrite(path);
}

NpzReader::~NpzReader() {
  if (file_ != nullptr) std::fclose(file_);
}

absl::StatusOr<std::unique_ptr<NpzReader>> NpzReader::Open(const std::string& path) {
  std::unique_ptr<NpzReader> reader(new NpzReader);
  reader->path_ = path;
  reader->file_ = std::fopen(path.c_str(), "rb");
  if (reader->file_ == nullptr) return CannotOpen(path);
  reader->file_size_ = FileSize(reader->file_);
  const absl::Status status = reader->ReadDirectory();
  if (!status.ok()) return WithPath(status, path);
  return reader;
}

absl::Status NpzReader::ReadDirectory() {
  const absl::Status bad = absl::InvalidArgumentError("not a sound .npz archive");
  // The end record is in the last 64 KiB; before it may stand the zip64 locator.
  const uint64_t tail_size = std::min<uint64_t>(file_size_, (64 << 10) + 22 + 20);
  std::string tail(tail_size, '\0');
  fseeko(file_, static_cast<off_t>(file_size_ - tail_size), SEEK_SET);
  if (std::fread(tail.data(), 1, tail_size, file_) != tail_size || tail_size < 22) return bad;
  size_t end = tail_size - 22 + 1;
  do {
    if (end == 0) return bad;
    --end;
  } while (Get(tail, end, 4) != kEnd);
  uint64_t count = Get(tail, end + 10, 2), size = Get(tail, end + 12, 4), offset = Get(tail, end + 16, 4);
  if (end >= 20 && Get(tail, end - 20, 4) == kLocator64) {
    const uint64_t at = Get(tail, end - 20 + 8, 8);
    std::string record(56, '\0');
    if (at > file_size_ || file_size_ - at < 56) return bad;
    fseeko(file_, static_cast<off_t>(at), SEEK_SET);
    if (std::fread(record.data(), 1, 56, file_) != 56 || Get(record, 0, 4) != kEnd64) return bad;
    count = Get(record, 32, 8);
    size = Get(record, 40, 8);
    offset = Get(record, 48, 8);
  }
  if (offset > file_size_ || size > file_size_ - offset) return bad;
  std::string directory(size, '\0');
  fseeko(file_, static_cast<off_t>(offset), SEEK_SET);
  if (std::fread(directory.data(), 1, size, file_) != size) return bad;
  size_t at = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (directory.size() - at < 46 || Get(directory, at, 4) != kCentral) return bad;
    Entry entry;
    entry.method = static_cast<int>(Get(directory, at + 10, 2));
    entry.crc = static_cast<uint32_t>(Get(directory, at + 16, 4));
    entry.compressed = Get(directory, at + 20, 4);
    entry.size = Get(directory, at + 24, 4);
    const size_t name_size = Get(directory, at + 28, 2), extra_size = Get(directory, at + 30, 2), comment_size = Get(directory, at + 32, 2);
    entry.offset = Get(directory, at + 42, 4);
    if (directory.size() - at - 46 < name_size + extra_size + comment_size) return bad;
    std::string name = directory.substr(at + 46, name_size);
    // The zip64 extra field holds, in this order, the numbers that did not fit.
    for (size_t x = at + 46 + name_size; x + 4 <= at + 46 + name_size + extra_size;) {
      const size_t id = Get(directory, x, 2), length = Get(directory, x + 2, 2);
      size_t field = x + 4;
      const size_t field_end = std::min(field + length, at + 46 + name_size + extra_size);
      if (id == 1) {
        for (uint64_t* number : {&entry.size, &entry.compressed, &entry.offset}) {
          if (*number != k32 || field + 8 > field_end) continue;
          *number = Get(directory, field, 8);
          field += 8;
        }
      }
      x += 4 + length;
    }
    at += 46 + name_size + extra_size + comment_size;
    if (absl::EndsWith(name, ".npy")) name.resize(name.size() - 4);
    places_.try_emplace(name, names_.size());
    names_.push_back(std::move(name));
    entries_.push_back(entry);
  }
  return absl::OkStatus();
}

bool NpzReader::Has(absl::string_view name) const { return places_.contains(name); }

absl::StatusOr<Value> NpzReader::Read(absl::string_view name, const Shape* wanted, MemoryAccount* account) const {
  const auto found = places_.find(name);
  if (found == places_.end()) {
    return absl::NotFoundError(absl::StrCat(path_, " has no array ", name, "; it has ", names_.empty() ? "none" : absl::StrJoin(names_, ", ")));
  }
  const Entry& entry = entries_[found->second];
  const std::string where = absl::StrCat(path_, ": ", name);
  const absl::Status bad = absl::InvalidArgumentError(absl::StrCat(where, ": the archive is damaged"));
  char local[30];
  if (entry.offset > file_size_ || file_size_ - entry.offset < 30) return bad;
  fseeko(file_, static_cast<off_t>(entry.offset), SEEK_SET);
  if (std::fread(local, 1, 30, file_) != 30 || Get(absl::string_view(local, 30), 0, 4) != kLocal) return bad;
  const uint64_t data = entry.offset + 30 + Get(absl::string_view(local, 30), 26, 2) + Get(absl::string_view(local, 30), 28, 2);
  if (data > file_size_ || entry.compressed > file_size_ - data) return bad;
  fseeko(file_, static_cast<off_t>(data), SEEK_SET);
  std::unique_ptr<ByteSource> source;
  if (entry.method == 0 && entry.size == entry.compressed) {
    source = std::make_unique<FileSource>(file_, entry.size);
  } else if (entry.method == 8) {
    if (entry.size / 1100 > entry.compressed + 64) return bad;  // deflate cannot do better than 1032 to 1
    source = std::make_unique<InflateSource>(file_, entry.compressed, entry.size);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(where, ": compressed by method ", entry.method, "; only stored and deflated arrays are read"));
  }
  CheckedSource checked(*source);
  absl::StatusOr<Value> value = ReadArray(checked, wanted, account);
  if (!value.ok()) return WithPath(value.status(), where);
  if (!checked.Matches(entry.crc)) return absl::InvalidArgumentError(absl::StrCat(where, ": the array is damaged: its checksum is not the archive's"));
  return value;
}

absl::StatusOr<std::unique_ptr<NpzWriter>> NpzWriter::Create(const std::string& path) {
  std::unique_ptr<NpzWriter> writer(new NpzWriter);
  writer->path_ = path;
  writer->file_ = std::fopen(path.c_str(), "wb");
  if (writer->file_ == nullptr) return CannotOpen(path);
  return writer;
}

NpzWriter::~NpzWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

absl::Status NpzWriter::Add(absl::string_view name, const Value& array) {
  if (!array.shape().IsArray()) return absl::InvalidArgumentError(absl::StrCat(name, ": only arrays can be saved, not ", array.shape().ToString(false)));
  if (!array.IsDense()) return Add(name, ToDense(array));
  const std::string header = MakeHeader(array.shape());
  const uint64_t bytes = array.byte_size();
  Entry entry;
  entry.name = absl::StrCat(name, ".npy");
  entry.offset = static_cast<uint64_t>(ftello(file_));
  entry.size = header.size() + bytes;
  entry.crc = Crc(Crc(0, header.data(), header.size()), array.data(), bytes);
  const bool large = entry.size >= k32;
  std::string local;
  Put(local, kLocal, 4);
  Put(local, large ? 45 : 20, 2);
  Put(local, 0, 2);            // flags
  Put(local, 0, 2);            // stored
  Put(local, 0x00210000, 4);   // 1980-01-01 00:00: the same bytes every time
  Put(local, entry.crc, 4);
  Put(local, large ? k32 : entry.size, 4);
  Put(local, large ? k32 : entry.size, 4);
  Put(local, entry.name.size(), 2);
  Put(local, large ? 20 : 0, 2);
  local += entry.name;
  if (large) {
    Put(local, 1, 2);
    Put(local, 16, 2);
    Put(local, entry.size, 8);
    Put(local, entry.size, 8);
  }
  bool ok = std::fwrite(local.data(), 1, local.size(), file_) == local.size();
  ok = ok && std::fwrite(header.data(), 1, header.size(), file_) == header.size();
  ok = ok && (bytes == 0 || std::fwrite(array.data(), 1, bytes, file_) == bytes);
  if (!ok) return CannotWrite(path_);
  entries_.push_back(std::move(entry));
  return absl::OkStatus();
}

absl::Status NpzWriter::Close() {
  const uint64_t start = static_cast<uint64_t>(ftello(file_));
  std::string directory;
  for (const Entry& entry : entries_) {
    const bool large = entry.size >= k32, far = entry.offset >= k32;
    Put(directory, kCentral, 4);
    Put(directory, 45, 2);
    Put(directory, large || far ? 45 : 20, 2);
    Put(directory, 0, 2);
    Put(directory, 0, 2);
    Put(directory, 0x00210000, 4);
    Put(directory, entry.crc, 4);
    Put(directory, large ? k32 : entry.size, 4);
    Put(directory, large ? k32 : entry.size, 4);
    Put(directory, entry.name.size(), 2);
    Put(directory, large || far ? 4 + (large ? 16 : 0) + (far ? 8 : 0) : 0, 2);
    Put(directory, 0, 2);  // comment
    Put(directory, 0, 2);  // disk
    Put(directory, 0, 2);  // internal attributes
    Put(directory, 0, 4);  // external attributes
    Put(directory, far ? k32 : entry.offset, 4);
    directory += entry.name;
    if (large || far) {
      Put(directory, 1, 2);
      Put(directory, (large ? 16 : 0) + (far ? 8 : 0), 2);
      if (large) Put(directory, entry.size, 8);
      if (large) Put(directory, entry.size, 8);
      if (far) Put(directory, entry.offset, 8);
    }
  }
  const uint64_t size = directory.size();
  const bool zip64 = entries_.size() >= 0xffff || start >= k32 || size >= k32;
  if (zip64) {
    Put(directory, kEnd64, 4);
    Put(directory, 44, 8);
    Put(directory, 45, 2);
    Put(directory, 45, 2);
    Put(directory, 0, 4);
    Put(directory, 0, 4);
    Put(directory, entries_.size(), 8);
    Put(directory, entries_.size(), 8);
    Put(directory, size, 8);
    Put(directory, start, 8);
    Put(directory, kLocator64, 4);
    Put(directory, 0, 4);
    Put(directory, start + size, 8);
    Put(directory, 1, 4);
  }
  Put(directory, kEnd, 4);
  Put(directory, 0, 4);
  Put(directory, std::min<uint64_t>(entries_.size(), 0xffff), 2);
  Put(directory, std::min<uint64_t>(entries_.size(), 0xffff), 2);
  Put(directory, std::min(size, k32), 4);
  Put(directory, zip64 ? k32 : start, 4);
  Put(directory, 0, 2);
  bool ok = std::fwrite(directory.data(), 1, directory.size(), file_) == directory.size();
  ok = std::fclose(file_) == 0 && ok;
  file_ = nullptr;
  return ok ? absl::OkStatus() : CannotWrite(path_);
}

}  // namespace hloscope
