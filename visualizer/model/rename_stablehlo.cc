#include "visualizer/model/rename_stablehlo.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace hloscope {
namespace {

bool InName(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == '-'; }

// Calls visit(begin, end) for each %name, @name and bare word of [from, to) outside strings and comments, until it is false.
template <typename Visit>
void ForEachWord(absl::string_view text, size_t from, size_t to, Visit visit) {
  for (size_t at = from; at < to;) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < to && text[at] != '"' && text[at] != '\n'; ++at) at += text[at] == '\\';
      ++at;
    } else if (c == '/' && at + 1 < to && text[at + 1] == '/') {
      at = std::min(text.find('\n', at), to);
    } else if (c == '%' || c == '@' || InName(c)) {
      size_t end = at + 1;
      while (end < to && InName(text[end]) && !(text[end] == '-' && end + 1 < to && text[end + 1] == '>')) ++end;
      if (!visit(at, end)) return;
      at = end;
    } else {
      ++at;
    }
  }
}

// The function around a place: from its head to the next one's. A value's name means one thing within it.
std::pair<size_t, size_t> FunctionAround(absl::string_view text, size_t place) {
  std::pair<size_t, size_t> around = {0, text.size()};
  ForEachWord(text, 0, text.size(), [&](size_t begin, size_t end) {
    const absl::string_view word = text.substr(begin, end - begin);
    if (word != "func.func" && word != "func") return true;
    if (begin > place) {
      around.second = begin;
      return false;
    }
    around.first = begin;
    return true;
  });
  return around;
}

}  // namespace

SourceRange StableHloNameAt(absl::string_view text, int64_t offset) {
  size_t line = offset <= 0 ? absl::string_view::npos : text.rfind('\n', static_cast<size_t>(offset) - 1);
  line = line == absl::string_view::npos ? 0 : line + 1;
  SourceRange found;
  ForEachWord(text, line, std::min(text.find('\n', static_cast<size_t>(offset)), text.size()), [&](size_t begin, size_t end) {
    const bool name = (text[begin] == '%' || text[begin] == '@') && end > begin + 1;
    if (name && begin <= static_cast<size_t>(offset) && static_cast<size_t>(offset) <= end) {
      found = {static_cast<int32_t>(begin), static_cast<int32_t>(end)};
    }
    return !found.valid() && begin <= static_cast<size_t>(offset);
  });
  return found;
}

std::vector<SourceRange> StableHloUses(absl::string_view text, SourceRange word) {
  const absl::string_view name = text.substr(word.begin, word.end - word.begin);
  std::pair<size_t, size_t> around = {0, text.size()};
  if (name[0] == '%') around = FunctionAround(text, word.begin);
  std::vector<SourceRange> uses;
  ForEachWord(text, around.first, around.second, [&](size_t begin, size_t end) {
    if (text.substr(begin, end - begin) == name) uses.push_back({static_cast<int32_t>(begin), static_cast<int32_t>(end)});
    return true;
  });
  return uses;
}

absl::Status CheckStableHloName(absl::string_view text, SourceRange word, absl::string_view name) {
  const std::string sign(1, text[word.begin]);
  if (!name.empty() && name[0] == sign[0]) name.remove_prefix(1);
  const bool number = !name.empty() && absl::ascii_isdigit(static_cast<unsigned char>(name[0]));
  const bool good = !name.empty() && (number ? sign == "%" && std::all_of(name.begin(), name.end(), [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); })
                                             : std::all_of(name.begin(), name.end(), InName));
  if (!good) return absl::InvalidArgumentError(absl::StrCat("'", name, "' is no name in StableHLO: letters, digits, _, $, . and -, or a number"));
  const std::string whole = absl::StrCat(sign, name);
  if (whole == text.substr(word.begin, word.end - word.begin)) return absl::InvalidArgumentError(absl::StrCat("it is called ", whole, " already"));
  std::pair<size_t, size_t> around = {0, text.size()};
  if (sign == "%") around = FunctionAround(text, word.begin);
  bool taken = false;
  ForEachWord(text, around.first, around.second, [&](size_t begin, size_t end) { return !(taken = text.substr(begin, end - begin) == whole); });
  if (taken) return absl::AlreadyExistsError(absl::StrCat("there is a ", whole, " already", sign == "%" ? " in this function" : ""));
  return absl::OkStatus();
}

}  // namespace hloscope
