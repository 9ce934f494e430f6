// Bytes in order, from a file or from a deflated stream in it: what arrays are read from. Not for the arrays themselves (npy_format.h).
#ifndef HLOSCOPE_CORE_LITERAL_BYTE_SOURCE_H_
#define HLOSCOPE_CORE_LITERAL_BYTE_SOURCE_H_

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace hloscope {

inline uint32_t Crc(uint32_t crc, const void* data, uint64_t n) {
  const Bytef* at = static_cast<const Bytef*>(data);
  while (n > 0) {
    const uInt chunk = static_cast<uInt>(std::min<uint64_t>(n, 1u << 30));
    crc = static_cast<uint32_t>(crc32(crc, at, chunk));
    at += chunk;
    n -= chunk;
  }
  return crc;
}

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

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_BYTE_SOURCE_H_
