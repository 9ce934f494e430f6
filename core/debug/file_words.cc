#include "core/debug/file_words.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/debug/text_util.h"

namespace hloscope {
namespace {

constexpr char kFileName[] = "file's name";

}  // namespace

std::string InQuotes(absl::string_view text) {
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}, {"\t", "\\t"}}), "\"");
}

std::string FileWord(absl::string_view path) { return path.find_first_of(" \t\n\"") == absl::string_view::npos ? std::string(path) : InQuotes(path); }

absl::StatusOr<std::string> TakeQuoted(absl::string_view& text, absl::string_view what) {
  std::string inside;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text = absl::StripAsciiWhitespace(text.substr(i + 1));
      return inside;
    }
    if (text[i] == '\\' && i + 1 < text.size()) {
      const char c = text[++i];
      inside += c == 'n' ? '\n' : c == 't' ? '\t' : c;
    } else {
      inside += text[i];
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("the closing quote of the ", what, " is missing"));
}

absl::StatusOr<std::string> TakeFile(absl::string_view& text) {
  text = absl::StripAsciiWhitespace(text);
  if (absl::StartsWith(text, "\"")) return TakeQuoted(text, kFileName);
  return std::string(TakeWord(text));
}

absl::StatusOr<std::string> TakeLastFile(absl::string_view& text) {
  text = absl::StripAsciiWhitespace(text);
  const size_t space = text.find_last_of(" \t");
  size_t begin = space == absl::string_view::npos ? 0 : space + 1;
  if (absl::EndsWith(text, "\"")) {
    // The quote that opens it stands at the beginning of a word.
    size_t open = text.size() - 1;
    do {
      open = open == 0 ? absl::string_view::npos : text.rfind('"', open - 1);
    } while (open != absl::string_view::npos && open > 0 && !absl::ascii_isspace(static_cast<unsigned char>(text[open - 1])));
    if (open == absl::string_view::npos) return absl::InvalidArgumentError(absl::StrCat("the opening quote of the ", kFileName, " is missing"));
    begin = open;
  } else if (text.find(" \"") != absl::string_view::npos) {
    return absl::InvalidArgumentError(absl::StrCat("the closing quote of the ", kFileName, " is missing"));
  }
  absl::string_view file = text.substr(begin);
  text = absl::StripTrailingAsciiWhitespace(text.substr(0, begin));
  return TakeFile(file);
}

absl::Status WithPathHint(absl::Status status, absl::string_view before) {
  for (size_t at = before.find_first_of(" \t"); !status.ok() && at != absl::string_view::npos; at = before.find_first_of(" \t", at + 1)) {
    absl::string_view word = before.substr(at + 1);
    while (absl::ConsumePrefix(&word, ".") || absl::ConsumePrefix(&word, "~")) continue;
    if (!absl::ConsumePrefix(&word, "/") || word.empty() || !absl::ascii_isalnum(static_cast<unsigned char>(word[0]))) continue;
    return absl::Status(status.code(), absl::StrCat(status.message(), " (the name of a file with a space in it stands in quotes)"));
  }
  return status;
}

absl::StatusOr<std::string> WholeFile(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  if (!absl::StartsWith(text, "\"")) return std::string(text);
  absl::StatusOr<std::string> file = TakeQuoted(text, kFileName);
  if (file.ok() && !text.empty()) return absl::InvalidArgumentError(absl::StrCat("'", text, "' behind the ", kFileName, " is left over"));
  return file;
}

}  // namespace hloscope
