// A file: magic, sizes of key and bytes, a hash of all that follows, the key, the bytes.
#include "backends/jit_cpu/disk_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hloscope {
namespace {

constexpr uint64_t kMagic = 0x31304b4c484cull << 8 | 0x48;

struct Header {
  uint64_t magic, key_size, size, hash;
};

uint64_t Hash(absl::string_view text, uint64_t seed) {
  uint64_t h = seed ^ (text.size() * 0x9e3779b97f4a7c15u);
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t w;
    std::memcpy(&w, text.data() + i, 8);
    h = (h ^ w) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  uint64_t w = 0;
  if (i < text.size()) std::memcpy(&w, text.data() + i, text.size() - i);
  h = (h ^ w) * 0xc4ceb9fe1a85ec53u;
  return h ^ (h >> 29);
}

bool ReadAll(int fd, void* data, size_t size) {
  char* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t n = read(fd, at, size);
    if (n <= 0) return false;
    at += n;
    size -= n;
  }
  return true;
}

bool WriteAll(int fd, absl::string_view data) {
  while (!data.empty()) {
    const ssize_t n = write(fd, data.data(), data.size());
    if (n <= 0) return false;
    data.remove_prefix(n);
  }
  return true;
}

}  // namespace

DiskCache::DiskCache(std::string directory) : directory_(std::move(directory)) {}

std::string DiskCache::PathFor(absl::string_view key) const {
  return absl::StrCat(directory_, "/", absl::StrFormat("%016x%016x", Hash(key, 0x5851f42d4c957f2du), Hash(key, 0x14057b7ef767814fu)),
                      ".kernel");
}

std::optional<std::string> DiskCache::Load(absl::string_view key) const {
  if (directory_.empty()) return std::nullopt;
  const int fd = open(PathFor(key).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::optional<std::string> result;
  Header header;
  struct stat info;
  if (fstat(fd, &info) == 0 && ReadAll(fd, &header, sizeof(header)) && header.magic == kMagic && header.key_size == key.size() &&
      static_cast<uint64_t>(info.st_size) == sizeof(header) + header.key_size + header.size) {
    std::string body(header.key_size + header.size, '\0');
    if (ReadAll(fd, body.data(), body.size()) && Hash(body, 1) == header.hash && absl::string_view(body).substr(0, key.size()) == key) {
      result = body.substr(key.size());
    }
  }
  close(fd);
  return result;
}

void DiskCache::Store(absl::string_view key, absl::string_view bytes) const {
  if (directory_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(directory_, error);
  static std::atomic<int> counter{0};
  const std::string path = PathFor(key), temporary = absl::StrCat(path, ".", getpid(), ".", counter.fetch_add(1));
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (fd < 0) return;
  const std::string body = absl::StrCat(key, bytes);
  const Header header{kMagic, key.size(), bytes.size(), Hash(body, 1)};
  const bool ok = WriteAll(fd, absl::string_view(reinterpret_cast<const char*>(&header), sizeof(header))) && WriteAll(fd, body);
  if (close(fd) != 0 || !ok || rename(temporary.c_str(), path.c_str()) != 0) unlink(temporary.c_str());
}

}  // namespace hloscope
