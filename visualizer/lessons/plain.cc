#include "visualizer/lessons/plain.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "visualizer/lessons/exercise.h"

namespace hloscope::lessons {
namespace {

// Letters, not bytes.
size_t Letters(absl::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string Indented(absl::string_view text, absl::string_view indent) {
  std::string out;
  for (absl::string_view line : absl::StrSplit(text, '\n')) absl::StrAppend(&out, indent, line, "\n");
  return out;
}

void AppendTable(const Block& block, std::string* out) {
  std::vector<size_t> widths;
  for (const auto& row : block.rows) {
    for (size_t k = 0; k < row.size(); ++k) {
      if (k >= widths.size()) widths.push_back(0);
      widths[k] = std::max(widths[k], Letters(PlainText(row[k])));
    }
  }
  for (size_t r = 0; r < block.rows.size(); ++r) {
    std::string line = "  ";
    for (size_t k = 0; k < block.rows[r].size(); ++k) {
      const std::string cell = PlainText(block.rows[r][k]);
      absl::StrAppend(&line, cell, k + 1 < block.rows[r].size() ? std::string(widths[k] - Letters(cell) + 3, ' ') : "");
    }
    absl::StrAppend(out, line, "\n");
    if (r == 0) {
      size_t total = 0;
      for (size_t w : widths) total += w + 3;
      absl::StrAppend(out, "  ", std::string(total - 3, '-'), "\n");
    }
  }
}

}  // namespace

std::string Wrapped(absl::string_view text, size_t width, absl::string_view indent) {
  std::string out, line;
  for (absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (!line.empty() && Letters(line) + 1 + Letters(word) > width) {
      absl::StrAppend(&out, line, "\n");
      line = absl::StrCat(indent, word);
    } else {
      absl::StrAppend(&line, line.empty() || line == indent ? "" : " ", word);
    }
  }
  return absl::StrCat(out, line, "\n");
}

std::vector<std::string> ShownValues(const Program& program, const ProgramRun& run) {
  std::vector<std::string> texts;
  if (program.show.empty() && run.root() != nullptr) texts.push_back(ValueText(*run.root(), run.ValueOf(*run.root())));
  for (const std::string& name : program.show) {
    const Instruction* i = run.Find(name);
    // In a program that somebody edited it may be gone.
    if (i != nullptr) texts.push_back(ValueText(*i, run.ValueOf(*i)));
  }
  return texts;
}

std::string ShownText(const Program& program, bool solved) { return solved ? program.text : program.Filled("?"); }

const Exercise* HiddenUntil(const Lesson& lesson, const Program& program) {
  if (!program.until.empty()) return lesson.FindExercise(program.until);
  if (!program.has_hole()) return nullptr;
  for (const Exercise& e : lesson.exercises) {
    if (e.program == program.id && (e.kind == "fill" || e.kind == "choice")) return &e;
  }
  return nullptr;
}

const Exercise* HiddenUntil(const Lesson& lesson, const Picture& picture) {
  if (!picture.until.empty()) return lesson.FindExercise(picture.until);
  const Program* program = lesson.FindProgram(picture.program);
  return program == nullptr ? nullptr : HiddenUntil(lesson, *program);
}

std::string ContentsText(const Shelf& shelf, const std::string& language) {
  const Words& words = shelf.WordsOf(language);
  std::string text, part;
  int number = 0;
  for (const auto& lesson : shelf.lessons) {
    if (lesson->part != part) {
      part = lesson->part;
      absl::StrAppend(&text, number > 0 ? "\n" : "", words.Get(part), "\n");
    }
    const LessonText& own = lesson->In(language);
    ++number;
    absl::StrAppend(&text, "  ", number < 10 ? " " : "", number, "  ", own.title, "  (", lesson->name, ", ", words.Get("exercises-count", {absl::StrCat(lesson->exercises.size())}), ")\n");
    absl::StrAppend(&text, "      ", Wrapped(PlainText(own.summary), 94, "      "));
  }
  return text;
}

std::string LessonPlainText(const Shelf& shelf, const Lesson& lesson, const std::string& language, const BackendMaker& backend, size_t width) {
  const Words& words = shelf.WordsOf(language);
  const LessonText& text = lesson.In(language);
  std::string out = absl::StrCat(text.title, "\n", std::string(Letters(text.title), '='), "\n\n", Wrapped(PlainText(text.summary), width));
  for (const Block& block : text.blocks) {
    absl::StrAppend(&out, "\n");
    switch (block.kind) {
      case Block::kHeading: {
        const std::string title = PlainText(block.texts.front());
        absl::StrAppend(&out, title, "\n", std::string(Letters(title), '-'), "\n");
        break;
      }
      case Block::kParagraph: absl::StrAppend(&out, Wrapped(PlainText(block.texts.front()), width)); break;
      case Block::kBullets:
        for (const Spans& item : block.texts) absl::StrAppend(&out, "- ", Wrapped(PlainText(item), width - 2, "  "));
        break;
      case Block::kNumbers:
        for (size_t k = 0; k < block.texts.size(); ++k) absl::StrAppend(&out, k + 1, ". ", Wrapped(PlainText(block.texts[k]), width - 3, "   "));
        break;
      case Block::kTable: AppendTable(block, &out); break;
      case Block::kVerbatim: absl::StrAppend(&out, Indented(block.verbatim, "    ")); break;
      case Block::kProgram: {
        const Program& program = lesson.programs[static_cast<size_t>(block.index)];
        const Exercise* until = HiddenUntil(lesson, program);
        absl::StrAppend(&out, Indented(absl::StripTrailingAsciiWhitespace(ShownText(program, until == nullptr)), "    "));
        if (until != nullptr) {
          absl::StrAppend(&out, "  ", words.Get("hidden-until", {until->id}), "\n");
        } else {
          const auto run = RunProgram(program.id, program.text, backend);
          for (const std::string& value : ShownValues(program, *run)) absl::StrAppend(&out, Indented(value, "  > "));
        }
        if (!block.texts.empty()) absl::StrAppend(&out, Wrapped(PlainText(block.texts.front()), width));
        break;
      }
      case Block::kPicture: {
        const Picture& picture = lesson.pictures[static_cast<size_t>(block.index)];
        absl::StrAppend(&out, "  ", words.Get("picture-elsewhere", {picture.kind, absl::StrCat("%", picture.of)}), "\n");
        if (!block.texts.empty()) absl::StrAppend(&out, "  ", Wrapped(PlainText(block.texts.front()), width - 2, "  "));
        break;
      }
      case Block::kExercise: {
        const Exercise& exercise = lesson.exercises[static_cast<size_t>(block.index)];
        absl::StrAppend(&out, words.Get("exercise"), " ", exercise.id, "\n");
        for (const Spans& p : block.exercise.question) absl::StrAppend(&out, "  ", Wrapped(PlainText(p), width - 2, "  "));
        for (const auto& [letter, choice] : block.exercise.choices) absl::StrAppend(&out, "    ", letter, ") ", Wrapped(PlainText(choice), width - 7, "       "));
        absl::StrAppend(&out, "    hloscope lessons check ", lesson.name, " ", exercise.id, " ", exercise.kind == "program" ? "FILE.hlo" : "ANSWER", "\n");
        break;
      }
    }
  }
  return out;
}

}  // namespace hloscope::lessons
