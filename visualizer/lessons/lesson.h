// Lessons as data: what is taught in which order, programs, pictures and exercises (said once, for all languages), and the text around them in
// each language. Not for running or checking anything (run.h, exercise.h), nor for showing it.
//
// A folder of lessons holds
//   contents             a line for each lesson, in order: NAME, or `= KEY` for the heading of a part (a key of the words files)
//   words.LANG.txt       short texts of the lessons' surface, `key: text`; the languages are those that have such a file
//   NAME.lesson          programs, pictures and exercises of a lesson, as fenced blocks; text between them is for who edits the lesson
//   NAME.LANG.md         the text, in Markdown, which names each of those blocks once
//
// Blocks of NAME.lesson (attributes are key=value or key="value with spaces"):
//   ```hlo ID [show=%x,%y] [until=EXERCISE]
//       a program. `show`: values written under it (default: the result), `until`: only after the exercise was solved (or on demand).
//       A part between « and » is a hole: it is shown as ? until an exercise of kind fill or choice has been solved.
//   ```picture ID kind=KIND of=%x program=ID [cell=%x[0,1]] [step=N] [until=EXERCISE] [OPTION=VALUE...]
//       a picture of pictures.def; `cell`: the selected one, of the result or of an operand; other attributes are the picture's options.
//   ```exercise ID kind=KIND program=ID ...
//       what is asked; kinds and their attributes are in exercises.def. The answer is computed from the program.
// Text of NAME.LANG.md: "# Title", a paragraph that says what one learns, then paragraphs, "## Headings", lists, tables, `code`, **bold**,
// [links](lesson:NAME), fenced blocks of text as it is, and
//   ```program ID     the body is its caption
//   ```picture ID     the body is its caption
//   ```exercise ID    the body is the question, then lines: `hint: ...`, `wrong ANSWER: why it is not that`, `why: ...`, and of a choice `a) ...`
#ifndef HLOSCOPE_VISUALIZER_LESSONS_LESSON_H_
#define HLOSCOPE_VISUALIZER_LESSONS_LESSON_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/diagnostic.h"
#include "core/base/source.h"
#include "visualizer/lessons/markup.h"
#include "visualizer/pictures/captions.h"

namespace hloscope::lessons {

// Attributes of a block, as written.
using Attributes = std::map<std::string, std::string>;

struct Program {
  std::string id;
  std::string text;  // with what stands in the hole
  int hole_begin = -1, hole_end = -1;
  std::vector<std::string> show;  // names without %
  std::string until;              // exercise; "" none
  SourceRange range;
  bool has_hole() const { return hole_begin >= 0; }
  // The text with something else in the hole.
  std::string Filled(absl::string_view hole) const;
};

struct Picture {
  std::string id, kind, of, program, cell, until;
  int step = -1;
  std::map<std::string, std::string> options;
  SourceRange range;
};

struct Exercise {
  std::string id, kind, program;
  Attributes attributes;  // those of its kind
  SourceRange range;
  std::string Get(const std::string& key) const {
    const auto it = attributes.find(key);
    return it == attributes.end() ? "" : it->second;
  }
};

// What a language says of an exercise.
struct ExerciseText {
  std::vector<Spans> question;  // paragraphs
  std::vector<Spans> hints;
  std::vector<std::pair<std::string, Spans>> wrong;   // a mistaken answer, and why it is one
  std::vector<std::pair<std::string, Spans>> choices; // "a", text
  Spans why;                                          // said once it is solved
};

// A piece of a lesson from above to below.
struct Block {
  enum Kind : uint8_t { kHeading, kParagraph, kBullets, kNumbers, kTable, kVerbatim, kProgram, kPicture, kExercise } kind = kParagraph;
  std::vector<Spans> texts;               // a heading or paragraph: one; a list: its items; a caption: none or one
  std::vector<std::vector<Spans>> rows;   // of a table; the first is its head
  std::string verbatim;
  int index = -1;                         // into the lesson's programs, pictures or exercises
  ExerciseText exercise;
  SourceRange range;
};

struct LessonText {
  std::string language;  // "en"
  std::string title;
  Spans summary;
  std::vector<Block> blocks;
  std::shared_ptr<const SourceText> source;
};

struct Lesson {
  std::string name;  // "broadcast_in_dim"
  std::string part;  // key of the heading it stands under
  std::vector<Program> programs;
  std::vector<Picture> pictures;
  std::vector<Exercise> exercises;
  std::map<std::string, LessonText> texts;  // by language
  std::shared_ptr<const SourceText> source;
  const Program* FindProgram(absl::string_view id) const;
  const Picture* FindPicture(absl::string_view id) const;
  const Exercise* FindExercise(absl::string_view id) const;
  // In this language, or in the first there is (English before others).
  const LessonText& In(const std::string& language) const;
};

// The short texts of one language.
class Words {
 public:
  std::string language;  // "es"
  std::map<std::string, std::string> texts;
  // The text of a key, with $0, $1, ... filled in; the key itself where there is none.
  std::string Get(absl::string_view key, const std::vector<std::string>& arguments = {}) const;
};

// A folder of lessons. Problems are collected with their places; what has some is left out where it cannot be used.
struct Shelf {
  std::string folder;
  std::vector<std::unique_ptr<Lesson>> lessons;  // in the order of `contents`
  std::map<std::string, Words> words;            // by language
  std::map<std::string, Captions> captions;      // of pictures, by language
  std::vector<std::string> languages;            // English first
  std::vector<std::string> problems;             // rendered: "FILE:LINE:COLUMN: error: ..."
  const Lesson* Find(absl::string_view name) const;
  const Words& WordsOf(const std::string& language) const;
  Captions CaptionsOf(const std::string& language) const;  // English where the language has none
};
Shelf ReadShelf(const std::string& folder);

// One file each, for tests. Problems go to the sink, in the text given.
void ReadLessonBlocks(std::shared_ptr<const SourceText> source, Lesson& lesson, DiagnosticSink& sink);
void ReadLessonText(std::shared_ptr<const SourceText> source, const std::string& language, Lesson& lesson, DiagnosticSink& sink);

}  // namespace hloscope::lessons

#endif  // HLOSCOPE_VISUALIZER_LESSONS_LESSON_H_
