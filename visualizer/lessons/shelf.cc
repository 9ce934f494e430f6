// A folder of lessons: its contents, its languages, and what does not fit together.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "visualizer/lessons/lesson.h"

namespace hloscope::lessons {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const SourceText> ReadSource(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return nullptr;
  std::stringstream text;
  text << in.rdbuf();
  return std::make_shared<SourceText>(path, text.str());
}

void Take(const DiagnosticSink& sink, const SourceText& source, Shelf& shelf) {
  for (const Diagnostic& d : sink.diagnostics()) shelf.problems.push_back(Render(d, source));
}

Words ReadWords(std::shared_ptr<const SourceText> source, const std::string& language, Shelf& shelf) {
  Words words;
  words.language = language;
  DiagnosticSink sink;
  for (int line = 1; line <= source->line_count(); ++line) {
    const absl::string_view text = source->Line(line), bare = absl::StripAsciiWhitespace(text);
    if (bare.empty() || bare[0] == '#') continue;
    const size_t colon = bare.find(':');
    const auto at = static_cast<int32_t>(text.data() - source->text().data());
    if (colon == absl::string_view::npos) {
      sink.Error({at, at + static_cast<int32_t>(text.size())}, HLO_LABEL("lesson.words"), "expected `key: text`");
      continue;
    }
    if (!words.texts.emplace(bare.substr(0, colon), absl::StripAsciiWhitespace(bare.substr(colon + 1))).second) {
      sink.Error({at, at + static_cast<int32_t>(colon)}, HLO_LABEL("lesson.words"), absl::StrCat("'", bare.substr(0, colon), "' is said twice"));
    }
  }
  Take(sink, *source, shelf);
  return words;
}

std::set<std::string> Arguments(const std::string& text) {
  std::set<std::string> found;
  for (size_t k = 0; k + 1 < text.size(); ++k) {
    if (text[k] == '$') found.insert(text.substr(k, 2));
  }
  return found;
}

// Blocks of two languages stand in the same order, and mistaken answers and choices are the same.
void Compare(const Lesson& lesson, const LessonText& first, const LessonText& other, Shelf& shelf) {
  const auto placed = [](const LessonText& text) {
    std::vector<const Block*> blocks;
    for (const Block& b : text.blocks) {
      if (b.index >= 0) blocks.push_back(&b);
    }
    return blocks;
  };
  const std::vector<const Block*> a = placed(first), b = placed(other);
  DiagnosticSink sink;
  for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    if (a[k]->kind != b[k]->kind || a[k]->index != b[k]->index) {
      sink.Error(b[k]->range, HLO_LABEL("lesson.language"), absl::StrCat("the blocks stand in another order than in ", fs::path(first.source->name()).filename().string()));
      break;
    }
    const auto keys = [](const auto& list) {
      std::vector<std::string> all;
      for (const auto& [key, text] : list) all.push_back(key);
      return all;
    };
    if (keys(a[k]->exercise.wrong) != keys(b[k]->exercise.wrong)) {
      sink.Error(b[k]->range, HLO_LABEL("lesson.language"), absl::StrCat("other mistaken answers than in ", fs::path(first.source->name()).filename().string()));
    }
    if (keys(a[k]->exercise.choices) != keys(b[k]->exercise.choices) || a[k]->exercise.hints.size() != b[k]->exercise.hints.size()) {
      sink.Error(b[k]->range, HLO_LABEL("lesson.language"), absl::StrCat("other choices or hints than in ", fs::path(first.source->name()).filename().string()));
    }
  }
  Take(sink, *other.source, shelf);
}

void ReadOne(const std::string& name, const std::string& part, Shelf& shelf) {
  auto lesson = std::make_unique<Lesson>();
  lesson->name = name;
  lesson->part = part;
  const std::string base = absl::StrCat(shelf.folder, "/", name);
  const std::shared_ptr<const SourceText> blocks = ReadSource(base + ".lesson");
  if (blocks == nullptr) {
    shelf.problems.push_back(absl::StrCat(shelf.folder, "/contents: error: there is no ", name, ".lesson"));
    return;
  }
  DiagnosticSink sink;
  ReadLessonBlocks(blocks, *lesson, sink);
  Take(sink, *blocks, shelf);
  for (const std::string& language : shelf.languages) {
    const std::shared_ptr<const SourceText> text = ReadSource(absl::StrCat(base, ".", language, ".md"));
    if (text == nullptr) continue;  // that language may come later: another one serves
    DiagnosticSink text_sink;
    ReadLessonText(text, language, *lesson, text_sink);
    Take(text_sink, *text, shelf);
  }
  if (lesson->texts.empty()) {
    shelf.problems.push_back(absl::StrCat(base, ".lesson: error: there is no text to it; write ", name, ".en.md"));
    return;
  }
  const LessonText& first = lesson->In("en");
  for (const auto& [language, text] : lesson->texts) {
    if (&text != &first) Compare(*lesson, first, text, shelf);
  }
  shelf.lessons.push_back(std::move(lesson));
}

void CheckLinks(Shelf& shelf) {
  for (const auto& lesson : shelf.lessons) {
    for (const auto& [language, text] : lesson->texts) {
      DiagnosticSink sink;
      const auto check = [&](const Spans& spans, SourceRange range) {
        for (const Span& span : spans) {
          absl::string_view target = span.target;
          if (span.kind != Span::kLink || absl::StartsWith(target, "https://")) continue;
          if (!absl::ConsumePrefix(&target, "lesson:") || shelf.Find(target) == nullptr) {
            sink.Error(range, HLO_LABEL("lesson.link"), absl::StrCat("the link '", span.target, "' leads nowhere"), "lesson:NAME leads to a lesson");
          }
        }
      };
      check(text.summary, {0, 1});
      for (const Block& block : text.blocks) {
        for (const Spans& spans : block.texts) check(spans, block.range);
        for (const auto& row : block.rows) {
          for (const Spans& spans : row) check(spans, block.range);
        }
        for (const Spans& spans : block.exercise.question) check(spans, block.range);
        for (const Spans& spans : block.exercise.hints) check(spans, block.range);
        check(block.exercise.why, block.range);
      }
      Take(sink, *text.source, shelf);
    }
  }
}

}  // namespace

std::string Words::Get(absl::string_view key, const std::vector<std::string>& arguments) const {
  const auto it = texts.find(std::string(key));
  if (it == texts.end()) return std::string(key);
  return FillPlaceholders(it->second, arguments);
}

const Lesson* Shelf::Find(absl::string_view name) const {
  for (const auto& lesson : lessons) {
    if (lesson->name == name) return lesson.get();
  }
  return nullptr;
}

const Words& Shelf::WordsOf(const std::string& language) const {
  if (const auto it = words.find(language); it != words.end()) return it->second;
  if (const auto it = words.find("en"); it != words.end()) return it->second;
  static const auto& nothing = *new Words;
  return words.empty() ? nothing : words.begin()->second;
}

Captions Shelf::CaptionsOf(const std::string& language) const {
  const auto it = captions.find(language);
  return it == captions.end() ? Captions() : it->second;
}

Shelf ReadShelf(const std::string& folder) {
  Shelf shelf;
  shelf.folder = folder;
  const std::shared_ptr<const SourceText> contents = ReadSource(folder + "/contents");
  if (contents == nullptr) {
    shelf.problems.push_back(absl::StrCat(folder, "/contents: error: cannot be read, so there are no lessons here"));
    return shelf;
  }
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string file = it->path().filename().string();
    if (absl::StartsWith(file, "words.") && absl::EndsWith(file, ".txt") && file.size() > 10) shelf.languages.push_back(file.substr(6, file.size() - 10));
  }
  std::sort(shelf.languages.begin(), shelf.languages.end(), [](const std::string& a, const std::string& b) { return std::pair(a != "en", a) < std::pair(b != "en", b); });
  for (const std::string& language : shelf.languages) {
    shelf.words[language] = ReadWords(ReadSource(absl::StrCat(folder, "/words.", language, ".txt")), language, shelf);
    // That language's captions may come later: English ones serve.
    if (absl::StatusOr<Captions> captions = LoadCaptions(folder, language, &shelf.problems); captions.ok()) shelf.captions[language] = *std::move(captions);
  }
  for (const std::string& language : shelf.languages) {
    const Words& own = shelf.words[language];
    for (const auto& [key, text] : shelf.WordsOf("en").texts) {
      const auto it = own.texts.find(key);
      if (it == own.texts.end() || Arguments(it->second) != Arguments(text)) {
        shelf.problems.push_back(absl::StrCat(folder, "/words.", language, ".txt: error: '", key, "' ", it == own.texts.end() ? "is not said" : "has other $ than in English"));
      }
    }
  }
  std::string part;
  for (int line = 1; line <= contents->line_count(); ++line) {
    absl::string_view name = absl::StripAsciiWhitespace(contents->Line(line));
    if (name.empty() || name[0] == '#') continue;
    if (absl::ConsumePrefix(&name, "=")) {
      part = std::string(absl::StripAsciiWhitespace(name));
    } else {
      ReadOne(std::string(name), part, shelf);
    }
  }
  CheckLinks(shelf);
  return shelf;
}

}  // namespace hloscope::lessons
