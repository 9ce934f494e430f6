#include "visualizer/pictures/captions.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/base/diagnostic.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

std::set<std::string> PlaceholdersOf(absl::string_view text) {
  std::set<std::string> found;
  for (size_t k = 0; k + 1 < text.size(); ++k) {
    if (text[k] == '$' && absl::ascii_isdigit(static_cast<unsigned char>(text[k + 1]))) found.insert(std::string(text.substr(k, 2)));
  }
  return found;
}

}  // namespace

absl::string_view Captions::Find(absl::string_view english) const {
  if (texts_ == nullptr) return english;
  const auto found = texts_->find(std::string(english));
  return found == texts_->end() ? english : absl::string_view(found->second);
}

std::string Captions::And(const std::vector<std::string>& words) const {
  if (words.empty()) return "";
  const std::string first = absl::StrJoin(words.begin(), words.end() - 1, ", ");
  return words.size() == 1 ? words[0] : (*this)(HLO_CAPTION("$0 and $1"), first, words.back());
}

Captions ReadCaptions(const SourceText& source, const std::string& language, std::vector<std::string>* problems) {
  Captions::Texts texts;
  DiagnosticSink sink;
  SourceRange of_message;
  std::string message;  // that waits for its text
  const auto problem = [&](SourceRange range, const std::string& text) { sink.Error(range, HLO_LABEL("lesson.captions"), text); };
  for (int line = 1; line <= source.line_count(); ++line) {
    const absl::string_view bare = absl::StripAsciiWhitespace(source.Line(line));
    if (bare.empty() || bare[0] == '#') continue;
    const auto at = static_cast<int32_t>(bare.data() - source.text().data());
    const SourceRange range{at, at + static_cast<int32_t>(bare.size())};
    if (bare[0] == '=') {
      if (!message.empty()) problem(of_message, "the message has no text: it stands on the next line");
      message = std::string(absl::StripAsciiWhitespace(bare.substr(1)));
      of_message = range;
      if (texts.contains(message)) problem(range, "the message stands here twice");
      continue;
    }
    if (message.empty()) {
      problem(range, "expected `= MESSAGE` in English, and its text on the next line");
      continue;
    }
    if (PlaceholdersOf(bare) != PlaceholdersOf(message)) problem(range, "the text has other placeholders ($0, $1, ...) than the message");
    else texts.emplace(message, bare);
    message.clear();
  }
  if (!message.empty()) problem(of_message, "the message has no text: it stands on the next line");
  for (const Diagnostic& d : sink.diagnostics()) problems->push_back(Render(d, source));
  return Captions(language, std::move(texts));
}

absl::StatusOr<Captions> LoadCaptions(const std::string& folder, const std::string& language, std::vector<std::string>* problems) {
  if (language == "en") return Captions();
  const std::string path = absl::StrCat(folder, "/captions.", language, ".txt");
  std::ifstream in(path, std::ios::binary);
  if (!in || language.find('/') != std::string::npos) {
    std::vector<std::string> languages = {"en"};
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const std::string file = it->path().filename().string();
      if (absl::StartsWith(file, "captions.") && absl::EndsWith(file, ".txt") && file.size() > 13) languages.push_back(file.substr(9, file.size() - 13));
    }
    std::sort(languages.begin() + 1, languages.end());
    return absl::NotFoundError(absl::StrCat("there are no captions in '", language, "'; there are ", absl::StrJoin(languages, ", ")));
  }
  std::stringstream text;
  text << in.rdbuf();
  return ReadCaptions(SourceText(path, text.str()), language, problems);
}

}  // namespace hloscope
