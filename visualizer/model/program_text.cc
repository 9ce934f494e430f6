#include "visualizer/model/program_text.h"

#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/text/hlo_text.h"

namespace hloscope {
namespace {

// What a line defines: "sum {" and "s = f32[] add(a, b)" by their names, in the computation around. Empty: nothing.
class Walker {
 public:
  // "computation/instruction", "computation", "HloModule", "}" of a computation; "" otherwise.
  std::string Key(absl::string_view line) {
    line = absl::StripAsciiWhitespace(line);
    if (absl::StartsWith(line, "HloModule")) return "HloModule";
    if (absl::StartsWith(line, "}") && !computation_.empty()) {
      const std::string key = absl::StrCat(std::exchange(computation_, ""), "/}");
      return key;
    }
    absl::string_view rest = line;
    absl::ConsumePrefix(&rest, "ENTRY ");
    absl::ConsumePrefix(&rest, "ROOT ");
    absl::ConsumePrefix(&rest, "%");
    const size_t end = rest.find_first_of(" =({");
    const absl::string_view name = rest.substr(0, end);
    if (name.empty() || end == absl::string_view::npos) return "";
    if (computation_.empty()) {
      if (line.back() != '{' && !absl::StrContains(line, "{ ")) return "";
      std::string key(name);
      if (line.back() != '}') computation_ = key;
      return key;
    }
    return absl::StrCat(computation_, "/", name);
  }

 private:
  std::string computation_;
};

// The place of a comment at the end of a line; npos: there is none.
size_t CommentAt(absl::string_view line) {
  bool quoted = false;
  for (size_t k = 0; k + 1 < line.size(); ++k) {
    if (line[k] == '\\' && quoted) {
      ++k;
    } else if (line[k] == '"') {
      quoted = !quoted;
    } else if (!quoted && line[k] == '/' && line[k + 1] == '/') {
      return k;
    }
  }
  return absl::string_view::npos;
}

}  // namespace

std::string FormattedText(const Module& module, absl::string_view text) {
  std::map<std::string, std::string> before, behind;
  Walker walker;
  std::string waiting;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(line);
    if (absl::StartsWith(stripped, "//")) {
      absl::StrAppend(&waiting, stripped, "\n");
      continue;
    }
    if (stripped.empty()) continue;
    const size_t comment = CommentAt(line);
    const std::string key = walker.Key(line.substr(0, comment));
    if (key.empty()) continue;
    if (!waiting.empty()) before[key] += std::exchange(waiting, "");
    if (comment != absl::string_view::npos) behind[key] = std::string(absl::StripAsciiWhitespace(line.substr(comment)));
  }
  PrintOptions options;
  // Names are written as the text writes them.
  options.percent = absl::StrContains(text, " %");
  const std::string printed = PrintHloText(module, options);
  std::string result;
  Walker printed_walker;
  for (absl::string_view line : absl::StrSplit(absl::StripSuffix(printed, "\n"), '\n')) {
    const std::string key = absl::StripAsciiWhitespace(line).empty() ? "" : printed_walker.Key(line);
    if (const auto it = before.find(key); !key.empty() && it != before.end()) {
      const size_t margin = key.find('/') == std::string::npos ? 0 : 2;
      for (absl::string_view comment : absl::StrSplit(absl::StripSuffix(it->second, "\n"), '\n')) absl::StrAppend(&result, std::string(margin, ' '), comment, "\n");
      before.erase(it);
    }
    absl::StrAppend(&result, line);
    if (const auto it = behind.find(key); !key.empty() && it != behind.end()) {
      absl::StrAppend(&result, "  ", it->second);
      behind.erase(it);
    }
    result += '\n';
  }
  if (!waiting.empty()) absl::StrAppend(&result, waiting);
  return result;
}

}  // namespace hloscope
