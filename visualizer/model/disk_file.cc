#include "visualizer/model/disk_file.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>
#include <tuple>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/base/threads.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

uint64_t HashOf(absl::string_view text) {
  uint64_t hash = 1469598103934665603u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

std::optional<std::string> ReadAll(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file.is_open()) return std::nullopt;
  return text.str();
}

// Whether it is there, its time and its size.
std::tuple<bool, fs::file_time_type, uint64_t> SignOf(const std::string& path) {
  std::error_code error;
  const fs::file_time_type time = fs::last_write_time(path, error);
  if (error) return {false, fs::file_time_type(), 0};
  const uint64_t size = fs::file_size(path, error);
  return {true, time, error ? 0 : size};
}

}  // namespace

void DiskFile::Take(const std::string& path, absl::string_view text) {
  Forget();
  path_ = path;
  bytes_ = HoldsBytes(path);
  const std::optional<std::string> held = bytes_ ? ReadAll(path) : std::nullopt;
  if (held.has_value()) text = *held;
  hash_ = HashOf(text);
  size_ = text.size();
}

void DiskFile::TakeGone(const std::string& path) {
  Forget();
  path_ = path;
  state_ = State::kGone;
}

DiskFile::State DiskFile::Look() {
  if (path_.empty()) return State::kSame;
  const auto [there, time, size] = SignOf(path_);
  if (!there) {
    looked_ = false;
    return state_ = State::kGone;
  }
  if (looked_ && time == time_ && size == seen_size_) return state_;
  looked_ = true;
  time_ = time;
  seen_size_ = size;
  bool changed = size != size_;
  if (!changed) {
    const std::optional<std::string> held = ReadAll(path_);
    changed = held.has_value() && HashOf(*held) != hash_;
  }
  return state_ = changed ? State::kChanged : State::kSame;
}

void DiskFile::Accept() {
  const std::optional<std::string> held = ReadAll(path_);
  if (!held.has_value()) return;
  hash_ = HashOf(*held);
  size_ = held->size();
  looked_ = false;
  state_ = State::kSame;
}

std::string DiskFile::Base() const { return path_.empty() ? "" : absl::StrCat(hash_, " ", size_); }

void DiskFile::SetBase(absl::string_view base) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(base, ' ');
  uint64_t hash = 0, size = 0;
  if (path_.empty() || !absl::SimpleAtoi(parts.first, &hash) || !absl::SimpleAtoi(parts.second, &size)) return;
  hash_ = hash;
  size_ = size;
  looked_ = false;
}

FileWatch::~FileWatch() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    quitting_ = true;
  }
  wanted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void FileWatch::Watch(const std::string& path) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (path_ == path) return;
    path_ = path;
  }
  happened_ = true;  // it is looked at once
  if (!thread_.joinable()) TryStartThread(thread_, [this] { Loop(); });
  wanted_.notify_all();
}

void FileWatch::Loop() {
  std::string path;
  auto seen = SignOf(path);
  std::unique_lock<std::mutex> lock(mutex_);
  while (!quitting_) {
    if (path_ != path) {
      path = path_;
      seen = SignOf(path);
    }
    if (path.empty()) {
      wanted_.wait(lock);
      continue;
    }
    wanted_.wait_for(lock, std::chrono::milliseconds(700));
    if (quitting_ || path_ != path) continue;
    lock.unlock();
    const auto now = SignOf(path);
    const bool other = now != seen;
    seen = now;
    if (other) {
      happened_ = true;
      wake_();
    }
    lock.lock();
  }
}

bool HoldsOther(const std::string& path, absl::string_view text) {
  std::error_code error;
  if (!fs::exists(path, error)) return false;
  const std::optional<std::string> held = ReadAll(path);
  return !held.has_value() || *held != text;
}

bool HoldsBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char head[4096];
  file.read(head, sizeof(head));
  return std::any_of(head, head + file.gcount(), [](char c) { return static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\v'; });
}

}  // namespace hloscope
