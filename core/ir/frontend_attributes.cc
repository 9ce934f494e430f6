#include "core/ir/frontend_attributes.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace hloscope {
namespace {

absl::string_view Unquoted(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
  return text;
}

}  // namespace

std::optional<absl::string_view> FrontendAttribute(absl::string_view raw, absl::string_view key) {
  if (!absl::StrContains(raw, key)) return std::nullopt;
  raw = absl::StripAsciiWhitespace(raw);
  if (!absl::ConsumePrefix(&raw, "{") || !absl::ConsumeSuffix(&raw, "}")) return std::nullopt;
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
    const size_t equals = item.find('=');
    if (equals != absl::string_view::npos && Unquoted(item.substr(0, equals)) == key) return Unquoted(item.substr(equals + 1));
  }
  return std::nullopt;
}

}  // namespace hloscope
