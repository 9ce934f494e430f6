#include "core/base/source.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace hloscope {

SourceText::SourceText(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}

const std::vector<int32_t>& SourceText::LineStarts() const {
  std::call_once(once_, [this] {
    line_starts_.push_back(0);
    const char* begin = text_.data();
    const char* end = begin + text_.size();
    for (const char* p = begin; p < end;) {
      const char* newline = static_cast<const char*>(memchr(p, '\n', end - p));
      if (newline == nullptr) break;
      p = newline + 1;
      line_starts_.push_back(static_cast<int32_t>(p - begin));
    }
  });
  return line_starts_;
}

LineColumn SourceText::Locate(int32_t offset) const {
  if (offset < 0) return {};
  offset = std::min<int32_t>(offset, static_cast<int32_t>(text_.size()));
  const std::vector<int32_t>& starts = LineStarts();
  auto it = std::upper_bound(starts.begin(), starts.end(), offset) - 1;
  return {static_cast<int>(it - starts.begin()) + 1, offset - *it + 1};
}

absl::string_view SourceText::Line(int line) const {
  const std::vector<int32_t>& starts = LineStarts();
  if (line < 1 || line > static_cast<int>(starts.size())) return {};
  size_t begin = starts[line - 1];
  size_t end = line < static_cast<int>(starts.size()) ? starts[line] - 1 : text_.size();
  absl::string_view text = absl::string_view(text_).substr(begin, end - begin);
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  return text;
}

int SourceText::line_count() const { return static_cast<int>(LineStarts().size()); }

}  // namespace hloscope
