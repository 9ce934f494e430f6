#include "core/ir/frontend_attributes.h"

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

namespace hloscope {
namespace {

absl::string_view Unquoted(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

// Calls `each` with "key=value" of one after the other, until it says false.
template <typename Each>
void ForEachItem(absl::string_view raw, Each each) {
  raw = absl::StripAsciiWhitespace(raw);
  if (!absl::ConsumePrefix(&raw, "{") || !absl::ConsumeSuffix(&raw, "}")) return;
  bool quoted = false;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= raw.size(); ++i) {
    const char c = i < raw.size() ? raw[i] : ',';
    if (c == '\\' && quoted) {
      ++i;
      continue;
    }
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '{' || c == '[')) ++depth;
    if (!quoted && (c == '}' || c == ']')) --depth;
    if (i < raw.size() && (c != ',' || quoted || depth > 0)) continue;
    const absl::string_view item = raw.substr(begin, i - begin);
    begin = i + 1;
    if (!each(item)) return;
  }
}

bool IsOf(absl::string_view item, absl::string_view key) {
  const size_t equals = item.find('=');
  return equals != absl::string_view::npos && Unquoted(item.substr(0, equals)) == key;
}

}  // namespace

std::optional<absl::string_view> FrontendAttribute(absl::string_view raw, absl::string_view key) {
  std::optional<absl::string_view> found;
  if (!absl::StrContains(raw, key)) return found;
  ForEachItem(raw, [&](absl::string_view item) {
    if (IsOf(item, key)) found = Unquoted(item.substr(item.find('=') + 1));
    return !found.has_value();
  });
  return found;
}

std::string WithoutFrontendAttribute(absl::string_view raw, absl::string_view key) {
  if (!FrontendAttribute(raw, key).has_value()) return std::string(raw);
  std::vector<absl::string_view> left;
  ForEachItem(raw, [&](absl::string_view item) {
    if (!IsOf(item, key)) left.push_back(item);
    return true;
  });
  return left.empty() ? "" : absl::StrCat("{", absl::StrJoin(left, ","), "}");
}

}  // namespace hloscope
