// An .npz archive is a zip of .npy files. Nothing in a file is trusted: sizes are compared with what is really there before anything is
// allocated.
#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/literal/byte_source.h"
#include "core/literal/npy.h"
#include "core/literal/npy_format.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

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
    return absl::NotFoundError(
        absl::StrCat(path_, " has no array ", name, "; it has ", names_.empty() ? "none" : absl::StrJoin(names_, ", ")));
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
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": compressed by method ", entry.method, "; only stored and deflated arrays are read"));
  }
  CheckedSource checked(*source);
  absl::StatusOr<Value> value = ReadNpyArray(checked, wanted, account);
  if (!value.ok()) return WithPath(value.status(), where);
  if (!checked.Matches(entry.crc))
    return absl::InvalidArgumentError(absl::StrCat(where, ": the array is damaged: its checksum is not the archive's"));
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
  if (!array.shape().IsArray())
    return absl::InvalidArgumentError(absl::StrCat(name, ": only arrays can be saved, not ", array.shape().ToString(false)));
  if (!array.IsDense()) return Add(name, ToDense(array));
  const std::string header = NpyHeader(array.shape());
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
  Put(local, 0, 2);           // flags
  Put(local, 0, 2);           // stored
  Put(local, 0x00210000, 4);  // 1980-01-01 00:00: the same bytes every time
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
