#include "core/debug/log_file.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace hloscope {
namespace {

constexpr size_t kMostLines = 1 << 18;  // that may still be moved

}  // namespace

LogFile::LogFile(std::string path) : path_(std::move(path)), file_(path_, std::ios::trunc) {}

void LogFile::Add(const Mark& mark, absl::string_view line) {
  if (lines_.size() >= kMostLines) {
    Flush();
    Seal();
  }
  const auto later = [&](const std::pair<Mark, std::string>& each) { return mark < each.first; };
  if (lines_.empty() || !later(lines_.back())) {
    lines_.emplace_back(mark, line);
    if (!moved_) file_ << line;
    return;
  }
  moved_ = true;
  const auto at = std::partition_point(lines_.begin(), lines_.end(), [&](const auto& each) { return !later(each); });
  lines_.insert(at, {mark, std::string(line)});
}

void LogFile::Seal() {
  if (moved_) Flush();
  for (const auto& [mark, line] : lines_) sealed_ += static_cast<int64_t>(line.size());
  lines_.clear();
}

bool LogFile::Flush() {
  if (moved_) {
    file_.close();
    std::error_code error;
    std::filesystem::resize_file(path_, static_cast<uintmax_t>(sealed_), error);
    file_.open(path_, std::ios::app);
    for (const auto& [mark, line] : lines_) file_ << line;
    moved_ = false;
  }
  file_.flush();
  const bool good = file_.good();
  file_.clear();
  return good;
}

}  // namespace hloscope
