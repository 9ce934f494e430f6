#include "visualizer/lessons/html.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/markup.h"
#include "visualizer/canvas/svg.h"
#include "visualizer/lessons/draw.h"
#include "visualizer/lessons/exercise.h"
#include "visualizer/lessons/plain.h"
#include "visualizer/model/syntax.h"

namespace hloscope::lessons {
namespace {

constexpr float kPictureWidth = 760;

// Colours are the window's, by the variables that SVGs use too.
constexpr char kStyle[] = R"(
* { box-sizing: border-box; }
body { margin: 0; background: var(--hls-panel); color: var(--hls-text); font: 17px/1.6 Inter, "Segoe UI", system-ui, sans-serif; }
.page { display: grid; grid-template-columns: 290px minmax(0, 1fr); max-width: 1180px; margin: 0 auto; }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 28px 16px; font-size: 14px; line-height: 1.45; border-right: 1px solid var(--hls-border); }
nav h2 { font-size: 12px; text-transform: uppercase; letter-spacing: .06em; color: var(--hls-dim); margin: 20px 0 4px; }
nav a { display: block; padding: 4px 8px; border-radius: 6px; color: var(--hls-text); text-decoration: none; }
nav a:hover { background: var(--hls-hover); }
nav a.here { background: var(--hls-active); font-weight: 600; }
nav .home { font-weight: 700; font-size: 17px; }
nav .languages { padding: 0 8px; color: var(--hls-dim); }
nav .languages a { display: inline; padding: 0; color: var(--hls-blue); }
main { padding: 28px 40px 80px; max-width: 870px; }
h1 { font-size: 34px; line-height: 1.2; margin: 8px 0 12px; letter-spacing: -.01em; }
h2 { font-size: 22px; margin: 40px 0 8px; }
.summary { color: var(--hls-dim); font-size: 19px; margin: 0 0 24px; }
a { color: var(--hls-blue); }
code, pre, .value { font-family: "JetBrains Mono", ui-monospace, Consolas, monospace; font-variant-ligatures: none; }
code { font-size: .88em; background: var(--hls-sunken); border: 1px solid var(--hls-border); border-radius: 4px; padding: 1px 4px; }
pre { font-size: 14px; line-height: 1.5; background: var(--hls-sunken); border: 1px solid var(--hls-border); border-radius: 8px; padding: 12px 16px; overflow-x: auto; margin: 0; }
figure { margin: 20px 0; }
figure pre { border-radius: 8px 8px 0 0; }
figure pre:not(:has(+ .value)) { border-radius: 8px; }
.value { white-space: pre; overflow-x: auto; font-size: 13.5px; line-height: 1.5; padding: 8px 16px; border: 1px solid var(--hls-border); border-top: 0; color: var(--hls-dim); }
.value:last-of-type { border-radius: 0 0 8px 8px; }
summary + .value { border-top: 1px solid var(--hls-border); border-radius: 8px 8px 0 0; margin-top: 6px; }
summary + .value:last-of-type { border-radius: 8px; }
figcaption { font-size: 14.5px; color: var(--hls-dim); margin-top: 8px; }
.picture { overflow-x: auto; border: 1px solid var(--hls-border); border-radius: 8px; padding: 12px; }
.picture svg { display: block; height: auto; }
.picture > svg { max-width: 100%; }
table { border-collapse: collapse; margin: 16px 0; font-size: 15px; }
th, td { text-align: left; padding: 6px 16px 6px 0; border-bottom: 1px solid var(--hls-border); vertical-align: top; }
th { color: var(--hls-dim); font-weight: 600; white-space: nowrap; }
.table { overflow-x: auto; }
.exercise { border: 1px solid var(--hls-border); border-left: 4px solid var(--hls-blue); border-radius: 8px; padding: 12px 20px; margin: 24px 0; }
.exercise > p:first-child { margin-top: 4px; }
.exercise .name { font-size: 12px; text-transform: uppercase; letter-spacing: .06em; color: var(--hls-blue); font-weight: 600; margin: 0; }
.exercise ol { list-style: lower-alpha; }
details { margin: 6px 0; }
summary { cursor: pointer; color: var(--hls-blue); }
details > div { padding: 4px 0 4px 16px; }
.answer { color: var(--hls-green); font-weight: 600; }
.foot { display: flex; justify-content: space-between; margin-top: 56px; padding-top: 16px; border-top: 1px solid var(--hls-border); }
.s-shape { color: var(--hls-teal); } .s-opcode { color: var(--hls-blue); } .s-attribute { color: var(--hls-violet); } .s-keyword { color: var(--hls-orange); }
.s-string { color: var(--hls-green); } .s-quiet { color: var(--hls-faint); } .hole { color: var(--hls-amber); font-weight: 700; }
@media (max-width: 800px) { .page { display: block; } nav { position: static; max-height: none; border: 0; } main { padding: 16px; } }
@media screen and (max-width: 640px) { .picture > svg { max-width: none; } }
@media print { nav { display: none; } .page { display: block; } main { max-width: none; padding: 0; } pre, .value { white-space: pre-wrap; overflow-wrap: anywhere; } figure, .exercise { break-inside: avoid; } figure > details > summary { display: none; } figure > details::details-content { content-visibility: visible; } }
)";

std::string SpansHtml(const Spans& spans) {
  std::string out;
  for (const Span& span : spans) {
    const std::string text = EscapeMarkup(span.text);
    switch (span.kind) {
      case Span::kPlain: absl::StrAppend(&out, text); break;
      case Span::kStrong: absl::StrAppend(&out, "<strong>", text, "</strong>"); break;
      case Span::kCode: absl::StrAppend(&out, "<code>", text, "</code>"); break;
      case Span::kLink: {
        absl::string_view target = span.target;
        const bool lesson = absl::ConsumePrefix(&target, "lesson:");
        absl::StrAppend(&out, "<a href=\"", EscapeMarkup(target), lesson ? ".html" : "", "\">", text, "</a>");
        break;
      }
    }
  }
  return out;
}

const char* ClassOf(SyntaxInk ink) {
  switch (ink) {
    case SyntaxInk::kShape: return "s-shape";
    case SyntaxInk::kOpcode: return "s-opcode";
    case SyntaxInk::kAttribute: return "s-attribute";
    case SyntaxInk::kKeyword: return "s-keyword";
    case SyntaxInk::kString: return "s-string";
    case SyntaxInk::kComment:
    case SyntaxInk::kQuiet: return "s-quiet";
    case SyntaxInk::kText:
    case SyntaxInk::kName:
    case SyntaxInk::kNumber: return nullptr;
  }
  return nullptr;
}

std::string CodeHtml(absl::string_view text) {
  std::string out;
  for (absl::string_view line : absl::StrSplit(absl::StripTrailingAsciiWhitespace(text), '\n')) {
    size_t at = 0;
    for (const InkRun& run : Colour(line, 4000)) {
      const auto begin = static_cast<size_t>(run.begin), end = static_cast<size_t>(run.end);
      absl::StrAppend(&out, EscapeMarkup(line.substr(at, begin - at)));
      const char* name = ClassOf(run.ink);
      const std::string part = EscapeMarkup(line.substr(begin, end - begin));
      absl::StrAppend(&out, name != nullptr ? absl::StrCat("<span class=\"", name, "\">", part, "</span>") : part);
      at = end;
    }
    absl::StrAppend(&out, EscapeMarkup(line.substr(std::min(at, line.size()))), "\n");
  }
  return absl::StrCat("<pre>", out, "</pre>\n");
}

std::string Caption(const Block& block) { return block.texts.empty() ? "" : absl::StrCat("<figcaption>", SpansHtml(block.texts.front()), "</figcaption>\n"); }

std::string Page(const std::string& language, const std::string& title, const std::string& body) {
  return absl::StrCat("<!DOCTYPE html>\n<html lang=\"", language, "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
                      EscapeMarkup(title), "</title>\n<style>\n:root { color-scheme: light dark; ", SvgColors(PaletteScheme::kLight), " }\n@media (prefers-color-scheme: dark) { :root { ",
                      SvgColors(PaletteScheme::kDark), " } }", kStyle, "</style>\n</head>\n<body>\n", body, "</body>\n</html>\n");
}

std::string Navigation(const Shelf& shelf, const Lesson* here, const std::string& language) {
  const Words& words = shelf.WordsOf(language);
  std::string out = absl::StrCat("<nav>\n<a class=\"home\" href=\"index.html\">", EscapeMarkup(words.Get("lessons")), "</a>\n<div class=\"languages\">");
  for (size_t k = 0; k < shelf.languages.size(); ++k) {
    const std::string& other = shelf.languages[k];
    const std::string name = EscapeMarkup(shelf.WordsOf(other).Get("language"));
    absl::StrAppend(&out, k > 0 ? " · " : "", other == language ? name : absl::StrCat("<a hreflang=\"", other, "\" href=\"../", other, "/", here != nullptr ? here->name : "index", ".html\">", name, "</a>"));
  }
  absl::StrAppend(&out, "</div>\n");
  std::string part;
  for (const auto& lesson : shelf.lessons) {
    if (lesson->part != part) {
      part = lesson->part;
      absl::StrAppend(&out, "<h2>", EscapeMarkup(words.Get(part)), "</h2>\n");
    }
    absl::StrAppend(&out, "<a", lesson.get() == here ? " class=\"here\"" : "", " href=\"", lesson->name, ".html\">", EscapeMarkup(lesson->In(language).title), "</a>\n");
  }
  return absl::StrCat(out, "</nav>\n");
}

// Of one lesson in one language.
class Writer {
 public:
  Writer(const Shelf& shelf, const Lesson& lesson, const std::string& language, const BackendMaker& backend)
      : lesson_(lesson), text_(lesson.In(language)), words_(shelf.WordsOf(language)), captions_(shelf.CaptionsOf(text_.language)), backend_(backend) {}

  std::string Body() {
    std::string out = absl::StrCat("<h1>", EscapeMarkup(text_.title), "</h1>\n<p class=\"summary\">", SpansHtml(text_.summary), "</p>\n");
    for (const Block& block : text_.blocks) absl::StrAppend(&out, BlockHtml(block));
    return out;
  }

 private:
  std::string BlockHtml(const Block& block) {
    switch (block.kind) {
      case Block::kHeading: return absl::StrCat("<h2>", SpansHtml(block.texts.front()), "</h2>\n");
      case Block::kParagraph: return absl::StrCat("<p>", SpansHtml(block.texts.front()), "</p>\n");
      case Block::kBullets:
      case Block::kNumbers: {
        const char* tag = block.kind == Block::kBullets ? "ul" : "ol";
        std::string out = absl::StrCat("<", tag, ">\n");
        for (const Spans& item : block.texts) absl::StrAppend(&out, "<li>", SpansHtml(item), "</li>\n");
        return absl::StrCat(out, "</", tag, ">\n");
      }
      case Block::kTable: return TableHtml(block);
      case Block::kVerbatim: return absl::StrCat("<figure><pre>", EscapeMarkup(block.verbatim), "</pre></figure>\n");
      case Block::kProgram: return ProgramHtml(block);
      case Block::kPicture: return PictureHtml(block);
      case Block::kExercise: return ExerciseHtml(block);
    }
    return "";
  }
  static std::string TableHtml(const Block& block) {
    std::string out = "<div class=\"table\"><table>\n";
    for (size_t r = 0; r < block.rows.size(); ++r) {
      absl::StrAppend(&out, "<tr>");
      for (const Spans& cell : block.rows[r]) absl::StrAppend(&out, r == 0 ? "<th>" : "<td>", SpansHtml(cell), r == 0 ? "</th>" : "</td>");
      absl::StrAppend(&out, "</tr>\n");
    }
    return absl::StrCat(out, "</table></div>\n");
  }
  // What an exercise asks stays behind a fold.
  std::string Folded(const Exercise* until, const std::string& inner) {
    if (until == nullptr) return inner;
    return absl::StrCat("<details><summary>", EscapeMarkup(words_.Get("show-after-answer")), "</summary>", inner, "</details>\n");
  }
  std::string ProgramHtml(const Block& block) {
    const lessons::Program& program = lesson_.programs[static_cast<size_t>(block.index)];
    const Exercise* until = HiddenUntil(lesson_, program);
    const auto run = RunProgram(program.id, program.text, backend_);
    std::string values;
    for (const std::string& value : ShownValues(program, *run)) absl::StrAppend(&values, "<div class=\"value\">", EscapeMarkup(value), "</div>\n");
    return absl::StrCat("<figure id=\"program-", program.id, "\">\n", CodeHtml(ShownText(program, until == nullptr || !program.has_hole())), Folded(until, values), Caption(block), "</figure>\n");
  }
  std::string PictureHtml(const Block& block) {
    const Picture& picture = lesson_.pictures[static_cast<size_t>(block.index)];
    const lessons::Program* program = lesson_.FindProgram(picture.program);
    if (program == nullptr) return "";
    const auto run = RunProgram(program->id, program->text, backend_);
    const absl::StatusOr<MadePicture> made = DrawPicture(picture, *run, captions_, kPictureWidth);
    std::string inner;
    if (made.ok()) {
      SvgOptions options;
      options.variables = true;
      options.background = false;
      inner = absl::StrCat("<div class=\"picture\">", WriteSvg(made->drawing, options), "</div>\n");
    } else {
      inner = absl::StrCat("<p>", EscapeMarkup(made.status().message()), "</p>\n");
    }
    return absl::StrCat("<figure id=\"picture-", picture.id, "\">\n", Folded(HiddenUntil(lesson_, picture), inner), Caption(block), "</figure>\n");
  }
  std::string ExerciseHtml(const Block& block) {
    const Exercise& exercise = lesson_.exercises[static_cast<size_t>(block.index)];
    const ExerciseText& text = block.exercise;
    const int number = ++exercises_;  // in the order of the page
    std::string out = absl::StrCat("<div class=\"exercise\" id=\"exercise-", exercise.id, "\">\n<p class=\"name\">", EscapeMarkup(words_.Get("exercise")), " ", number, "</p>\n");
    for (const Spans& p : text.question) absl::StrAppend(&out, "<p>", SpansHtml(p), "</p>\n");
    if (!text.choices.empty()) {
      absl::StrAppend(&out, "<ol>\n");
      for (const auto& [letter, choice] : text.choices) absl::StrAppend(&out, "<li>", SpansHtml(choice), "</li>\n");
      absl::StrAppend(&out, "</ol>\n");
    }
    // Each has a name of its own on the page, also where it is heard rather than seen below its exercise.
    for (size_t k = 0; k < text.hints.size(); ++k) {
      const std::string hint = absl::StrCat(words_.Get("hint"), text.hints.size() > 1 ? absl::StrCat(" ", k + 1) : "");
      absl::StrAppend(&out, "<details><summary aria-label=\"", EscapeMarkup(absl::StrCat(words_.Get("exercise"), " ", number, ": ", hint)), "\">", EscapeMarkup(hint), "</summary><div>",
                      SpansHtml(text.hints[k]), "</div></details>\n");
    }
    for (const auto& [wrong, why] : text.wrong) {
      if (exercise.kind == "program") continue;
      absl::StrAppend(&out, "<details><summary>", EscapeMarkup(words_.Get("if-you-said", {wrong})), "</summary><div>", SpansHtml(why), "</div></details>\n");
    }
    const absl::StatusOr<std::string> expected = ExpectedAnswer(lesson_, exercise, backend_);
    const std::string answer = expected.ok() ? *expected : std::string(expected.status().message());
    absl::StrAppend(&out, "<details><summary>", EscapeMarkup(words_.Get("answer")), "</summary><div>",
                    exercise.kind == "program" ? CodeHtml(answer) : absl::StrCat("<p class=\"answer\"><code>", EscapeMarkup(answer), "</code></p>"), "<p>", SpansHtml(text.why), "</p></div></details>\n");
    return absl::StrCat(out, "</div>\n");
  }

  const Lesson& lesson_;
  const LessonText& text_;
  const Words& words_;
  const Captions captions_;
  const BackendMaker& backend_;
  int exercises_ = 0;  // written so far
};

std::string IndexHtml(const Shelf& shelf, const std::string& language) {
  const Words& words = shelf.WordsOf(language);
  std::string out = absl::StrCat("<h1>", EscapeMarkup(words.Get("lessons-title")), "</h1>\n<p class=\"summary\">", SpansHtml(ReadMarkup(words.Get("lessons-about"))), "</p>\n");
  std::string part;
  for (const auto& lesson : shelf.lessons) {
    if (lesson->part != part) {
      part = lesson->part;
      absl::StrAppend(&out, "<h2>", EscapeMarkup(words.Get(part)), "</h2>\n");
    }
    const LessonText& text = lesson->In(language);
    absl::StrAppend(&out, "<p><a href=\"", lesson->name, ".html\"><strong>", EscapeMarkup(text.title), "</strong></a><br>", SpansHtml(text.summary), "</p>\n");
  }
  return out;
}

}  // namespace

std::string LessonHtml(const Shelf& shelf, const Lesson& lesson, const std::string& language, const BackendMaker& backend) {
  const Words& words = shelf.WordsOf(language);
  std::string foot = "<div class=\"foot\">";
  for (size_t k = 0; k < shelf.lessons.size(); ++k) {
    if (shelf.lessons[k].get() != &lesson) continue;
    const auto link = [&](const Lesson& to, const char* key) { return absl::StrCat("<a href=\"", to.name, ".html\">", EscapeMarkup(words.Get(key, {to.In(language).title})), "</a>"); };
    absl::StrAppend(&foot, k > 0 ? link(*shelf.lessons[k - 1], "previous-lesson") : "<span></span>", k + 1 < shelf.lessons.size() ? link(*shelf.lessons[k + 1], "next-lesson") : "<span></span>");
  }
  absl::StrAppend(&foot, "</div>\n");
  return Page(language, lesson.In(language).title,
              absl::StrCat("<div class=\"page\">\n", Navigation(shelf, &lesson, language), "<main>\n", Writer(shelf, lesson, language, backend).Body(), foot, "</main>\n</div>\n"));
}

absl::StatusOr<std::vector<std::string>> ExportLessons(const Shelf& shelf, const std::string& folder, const BackendMaker& backend) {
  namespace fs = std::filesystem;
  std::vector<std::string> written;
  const auto write = [&](const std::string& name, const std::string& text) -> absl::Status {
    const std::string path = absl::StrCat(folder, "/", name);
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    std::ofstream out(path, std::ios::binary);
    out << text;
    out.close();
    if (!out) return absl::UnavailableError(absl::StrCat("cannot write ", path));
    written.push_back(path);
    return absl::OkStatus();
  };
  std::string choice = "<main>\n";
  for (const std::string& language : shelf.languages) {
    const Words& words = shelf.WordsOf(language);
    absl::StrAppend(&choice, "<h1><a hreflang=\"", language, "\" href=\"", language, "/index.html\">", EscapeMarkup(words.Get("lessons-title")), "</a></h1>\n<p class=\"summary\">", EscapeMarkup(words.Get("language")), ". ",
                    SpansHtml(ReadMarkup(words.Get("lessons-about"))), "</p>\n");
    const absl::Status index = write(absl::StrCat(language, "/index.html"),
                                     Page(language, words.Get("lessons-title"), absl::StrCat("<div class=\"page\">\n", Navigation(shelf, nullptr, language), "<main>\n", IndexHtml(shelf, language), "</main>\n</div>\n")));
    if (!index.ok()) return index;
    for (const auto& lesson : shelf.lessons) {
      const absl::Status page = write(absl::StrCat(language, "/", lesson->name, ".html"), LessonHtml(shelf, *lesson, language, backend));
      if (!page.ok()) return page;
    }
  }
  const absl::Status first = write("index.html", Page("en", "hloscope", absl::StrCat(choice, "</main>\n")));
  if (!first.ok()) return first;
  return written;
}

}  // namespace hloscope::lessons
