// Reads lessons: blocks of NAME.lesson and the text of NAME.LANG.md.
#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "visualizer/lessons/exercise.h"
#include "visualizer/lessons/lesson.h"

namespace hloscope::lessons {
namespace {

constexpr absl::string_view kFence = "```";
constexpr absl::string_view kOpenHole = "\xc2\xab", kCloseHole = "\xc2\xbb";  // « »

// Lines of a text, with their places.
class Lines {
 public:
  explicit Lines(const SourceText& source) : text_(source.text()) {}
  bool done() const { return at_ >= text_.size(); }
  int32_t offset() const { return static_cast<int32_t>(at_); }
  absl::string_view Peek() const {
    const absl::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
    return absl::StripSuffix(line, "\r");
  }
  absl::string_view Take() {
    const absl::string_view line = Peek();
    const size_t end = text_.find('\n', at_);
    at_ = end == absl::string_view::npos ? text_.size() : end + 1;
    return line;
  }
  SourceRange RangeOf(absl::string_view part) const {
    const auto begin = static_cast<int32_t>(part.data() - text_.data());
    return {begin, begin + static_cast<int32_t>(part.size())};
  }

 private:
  absl::string_view text_;
  size_t at_ = 0;
};

// What stands behind ```: words, and key=value.
struct Fence {
  SourceRange range;
  absl::string_view kind, id, body;
  Attributes attributes;
  std::map<std::string, SourceRange> places;
};

// `line` begins with ```; takes the body and the closing fence.
Fence ReadFence(Lines& lines, DiagnosticSink& sink) {
  Fence fence;
  const absl::string_view line = lines.Take();
  fence.range = lines.RangeOf(line);
  absl::string_view rest = line.substr(kFence.size());
  const auto word = [&] {
    rest = absl::StripLeadingAsciiWhitespace(rest);
    const size_t end = std::min(rest.find(' '), rest.size());
    const absl::string_view taken = rest.substr(0, end);
    rest = rest.substr(end);
    return taken;
  };
  fence.kind = word();
  rest = absl::StripLeadingAsciiWhitespace(rest);
  if (rest.substr(0, rest.find(' ')).find('=') == absl::string_view::npos) fence.id = word();
  for (rest = absl::StripAsciiWhitespace(rest); !rest.empty(); rest = absl::StripLeadingAsciiWhitespace(rest)) {
    const size_t equals = rest.find('=');
    if (equals == absl::string_view::npos) {
      sink.Error(lines.RangeOf(rest), HLO_LABEL("lesson.attribute"), absl::StrCat("expected key=value, found '", rest, "'"), "quote values with spaces: key=\"a b\"");
      break;
    }
    const absl::string_view key = rest.substr(0, equals);
    absl::string_view value = rest.substr(equals + 1);
    size_t end = 0;
    if (absl::ConsumePrefix(&value, "\"")) {
      end = value.find('"');
      if (end == absl::string_view::npos) {
        sink.Error(lines.RangeOf(rest), HLO_LABEL("lesson.attribute"), absl::StrCat("the value of ", key, " has no closing quote"));
        break;
      }
      rest = value.substr(end + 1);
    } else {
      end = std::min(value.find(' '), value.size());
      rest = value.substr(end);
    }
    value = value.substr(0, end);
    fence.places[std::string(key)] = lines.RangeOf(key);
    if (!fence.attributes.emplace(key, value).second) sink.Error(lines.RangeOf(key), HLO_LABEL("lesson.attribute"), absl::StrCat(key, " is given twice"));
  }
  const int32_t body = lines.offset();
  while (true) {
    if (lines.done()) {
      sink.Error(fence.range, HLO_LABEL("lesson.fence"), "the block is not closed", "end it with a line ```");
      break;
    }
    const int32_t end = lines.offset();
    const absl::string_view next = lines.Peek();
    if (absl::StripAsciiWhitespace(next) == kFence) {
      fence.body = absl::string_view(line.data() + (body - fence.range.begin), static_cast<size_t>(end - body));
      lines.Take();
      break;
    }
    lines.Take();
  }
  return fence;
}

// Takes an attribute out of the fence.
std::string TakeAttribute(Fence& fence, const std::string& key) {
  const auto it = fence.attributes.find(key);
  if (it == fence.attributes.end()) return "";
  std::string value = it->second;
  fence.attributes.erase(it);
  return value;
}

void ComplainOfRest(const Fence& fence, DiagnosticSink& sink) {
  for (const auto& [key, value] : fence.attributes) {
    sink.Error(fence.places.at(key), HLO_LABEL("lesson.attribute"), absl::StrCat("a block of kind ", fence.kind, " has no attribute ", key));
  }
}

void ReadProgramBlock(Fence& fence, Lesson& lesson, DiagnosticSink& sink) {
  Program program;
  program.id = std::string(fence.id);
  program.range = fence.range;
  program.until = TakeAttribute(fence, "until");
  const std::string show = TakeAttribute(fence, "show");
  for (absl::string_view name : absl::StrSplit(show, ',', absl::SkipWhitespace())) program.show.emplace_back(absl::StripPrefix(absl::StripAsciiWhitespace(name), "%"));
  absl::string_view body = absl::StripTrailingAsciiWhitespace(fence.body);
  const size_t open = body.find(kOpenHole), close = body.find(kCloseHole);
  if (open != absl::string_view::npos && close != absl::string_view::npos && open < close) {
    program.hole_begin = static_cast<int>(open);
    program.hole_end = static_cast<int>(close - kOpenHole.size());
    program.text = absl::StrCat(body.substr(0, open), body.substr(open + kOpenHole.size(), close - open - kOpenHole.size()), body.substr(close + kCloseHole.size()), "\n");
  } else {
    program.text = absl::StrCat(body, "\n");
    if (open != close) sink.Error(fence.range, HLO_LABEL("lesson.hole"), "a hole is a part between \xc2\xab and \xc2\xbb", "close it");
  }
  if (absl::StrContains(program.text, kOpenHole)) sink.Error(fence.range, HLO_LABEL("lesson.hole"), "a program has one hole", "make two programs of it");
  ComplainOfRest(fence, sink);
  lesson.programs.push_back(std::move(program));
}

void ReadPictureBlock(Fence& fence, Lesson& lesson, DiagnosticSink& sink) {
  Picture picture;
  picture.id = std::string(fence.id);
  picture.range = fence.range;
  picture.kind = TakeAttribute(fence, "kind");
  picture.of = std::string(absl::StripPrefix(TakeAttribute(fence, "of"), "%"));
  picture.program = TakeAttribute(fence, "program");
  picture.cell = TakeAttribute(fence, "cell");
  picture.until = TakeAttribute(fence, "until");
  const std::string step = TakeAttribute(fence, "step");
  if (!step.empty() && !absl::SimpleAtoi(step, &picture.step)) sink.Error(fence.places.at("step"), HLO_LABEL("lesson.attribute"), "step is a number");
  picture.options = std::move(fence.attributes);
  for (const auto& [key, value] : {std::pair("kind", picture.kind), std::pair("of", picture.of), std::pair("program", picture.program)}) {
    if (value.empty()) sink.Error(fence.range, HLO_LABEL("lesson.missing"), absl::StrCat("a picture needs ", key, "="));
  }
  lesson.pictures.push_back(std::move(picture));
}

void ReadExerciseBlock(Fence& fence, Lesson& lesson, DiagnosticSink& sink) {
  Exercise exercise;
  exercise.id = std::string(fence.id);
  exercise.range = fence.range;
  exercise.kind = TakeAttribute(fence, "kind");
  exercise.program = TakeAttribute(fence, "program");
  const ExerciseKind* kind = FindExerciseKind(exercise.kind);
  if (kind == nullptr) {
    std::string known;
    for (const ExerciseKind& k : ExerciseKinds()) absl::StrAppend(&known, known.empty() ? "" : ", ", k.kind);
    sink.Error(fence.range, HLO_LABEL("lesson.kind"), absl::StrCat("there are no exercises of kind '", exercise.kind, "'"), absl::StrCat("kinds are ", known));
    return;
  }
  std::set<std::string> known;
  for (absl::string_view name : absl::StrSplit(kind->attributes, ',', absl::SkipEmpty())) {
    const bool needed = absl::ConsumeSuffix(&name, "!");
    known.emplace(name);
    if (needed && fence.attributes.find(std::string(name)) == fence.attributes.end()) {
      sink.Error(fence.range, HLO_LABEL("lesson.missing"), absl::StrCat("an exercise of kind ", kind->kind, " needs ", name, "="));
    }
  }
  for (const auto& [key, value] : fence.attributes) {
    if (known.count(key) == 0) sink.Error(fence.places.at(key), HLO_LABEL("lesson.attribute"), absl::StrCat("an exercise of kind ", kind->kind, " has no attribute ", key));
  }
  exercise.attributes = std::move(fence.attributes);
  if (exercise.program.empty() && exercise.Get("right").empty()) sink.Error(fence.range, HLO_LABEL("lesson.missing"), "an exercise needs program=");
  lesson.exercises.push_back(std::move(exercise));
}

template <typename T>
const T* FindById(const std::vector<T>& all, absl::string_view id) {
  for (const T& one : all) {
    if (one.id == id) return &one;
  }
  return nullptr;
}

void CheckReferences(const Lesson& lesson, DiagnosticSink& sink) {
  const auto program = [&](const std::string& id, SourceRange range) {
    if (!id.empty() && lesson.FindProgram(id) == nullptr) sink.Error(range, HLO_LABEL("lesson.unknown-block"), absl::StrCat("there is no program '", id, "' in this lesson"));
  };
  const auto until = [&](const std::string& id, SourceRange range) {
    if (!id.empty() && lesson.FindExercise(id) == nullptr) sink.Error(range, HLO_LABEL("lesson.unknown-block"), absl::StrCat("there is no exercise '", id, "' in this lesson"));
  };
  for (const Program& p : lesson.programs) until(p.until, p.range);
  for (const Picture& p : lesson.pictures) {
    program(p.program, p.range);
    until(p.until, p.range);
  }
  for (const Exercise& e : lesson.exercises) {
    program(e.program, e.range);
    if (e.kind == "program") program(e.Get("answer"), e.range);
  }
}

// ---- The text ----

class TextReader {
 public:
  TextReader(std::shared_ptr<const SourceText> source, const std::string& language, Lesson& lesson, DiagnosticSink& sink)
      : lesson_(lesson), sink_(sink), lines_(*source) {
    text_.source = std::move(source);
    text_.language = language;
  }

  LessonText Run() {
    while (!lines_.done()) {
      const absl::string_view line = lines_.Peek();
      if (absl::StripAsciiWhitespace(line).empty()) {
        lines_.Take();
      } else if (absl::StartsWith(line, kFence)) {
        Fenced();
      } else if (absl::StartsWith(line, "#")) {
        Heading();
      } else if (absl::StartsWith(line, "|")) {
        Table();
      } else if (IsItem(line, false) || IsItem(line, true)) {
        List(IsItem(line, true));
      } else {
        Add(Block::kParagraph, line).texts.push_back(Markup(Paragraph()));
      }
    }
    const SourceRange start = {0, 1};
    if (text_.title.empty()) sink_.Error(start, HLO_LABEL("lesson.title"), "a lesson begins with its title", "write a first line `# Title`");
    // The paragraph under the title says what one learns.
    if (text_.blocks.empty() || text_.blocks.front().kind != Block::kParagraph) {
      sink_.Error(start, HLO_LABEL("lesson.title"), "under its title a lesson says in a paragraph what one learns");
    } else {
      text_.summary = text_.blocks.front().texts.front();
      text_.blocks.erase(text_.blocks.begin());
    }
    Unused("program", lesson_.programs);
    Unused("picture", lesson_.pictures);
    Unused("exercise", lesson_.exercises);
    return std::move(text_);
  }

 private:
  Block& Add(Block::Kind kind, absl::string_view at) {
    Block block;
    block.kind = kind;
    block.range = lines_.RangeOf(at);
    text_.blocks.push_back(std::move(block));
    return text_.blocks.back();
  }
  Spans Markup(absl::string_view text) {
    std::string problem;
    Spans spans = ReadMarkup(text, &problem);
    if (!problem.empty()) sink_.Error(Within(text), HLO_LABEL("lesson.markup"), problem);
    return spans;
  }
  // A joined paragraph has no place of its own: that of what was read last.
  SourceRange Within(absl::string_view text) const {
    const absl::string_view all = text_.source->text();
    return text.data() >= all.data() && text.data() < all.data() + all.size() ? lines_.RangeOf(text) : lines_.RangeOf(last_);
  }

  // "- text" or "1. text".
  static bool IsItem(absl::string_view line, bool numbered) {
    if (!numbered) return absl::StartsWith(line, "- ");
    size_t digits = 0;
    while (digits < line.size() && absl::ascii_isdigit(line[digits])) ++digits;
    return digits > 0 && absl::StartsWith(line.substr(digits), ". ");
  }
  static bool Ends(absl::string_view line) {
    return absl::StripAsciiWhitespace(line).empty() || absl::StartsWith(line, kFence) || absl::StartsWith(line, "#") || absl::StartsWith(line, "|") || IsItem(line, false) || IsItem(line, true);
  }
  std::string Paragraph() {
    std::string text;
    do {
      last_ = lines_.Take();
      absl::StrAppend(&text, text.empty() ? "" : " ", absl::StripAsciiWhitespace(last_));
    } while (!lines_.done() && !Ends(lines_.Peek()));
    return text;
  }
  void Heading() {
    const absl::string_view line = lines_.Take();
    absl::string_view title = line;
    int level = 0;
    while (absl::ConsumePrefix(&title, "#")) ++level;
    title = absl::StripAsciiWhitespace(title);
    if (level == 1) {
      if (!text_.title.empty()) sink_.Error(lines_.RangeOf(line), HLO_LABEL("lesson.title"), "a lesson has one title", "begin parts with ##");
      text_.title = std::string(title);
    } else {
      Add(Block::kHeading, line).texts.push_back(Markup(title));
    }
  }
  void List(bool numbered) {
    Block& block = Add(numbered ? Block::kNumbers : Block::kBullets, lines_.Peek());
    while (!lines_.done() && IsItem(lines_.Peek(), numbered)) {
      std::string item = Paragraph();
      block.texts.push_back(Markup(absl::string_view(item).substr(item.find(' ') + 1)));
    }
  }
  void Table() {
    Block& block = Add(Block::kTable, lines_.Peek());
    while (!lines_.done() && absl::StartsWith(lines_.Peek(), "|")) {
      const absl::string_view line = lines_.Take();
      last_ = line;
      absl::string_view inner = absl::StripAsciiWhitespace(line);
      absl::ConsumePrefix(&inner, "|");
      absl::ConsumeSuffix(&inner, "|");
      std::vector<Spans> row;
      bool rule = true;
      for (absl::string_view cell : absl::StrSplit(inner, '|')) {
        cell = absl::StripAsciiWhitespace(cell);
        rule &= !cell.empty() && cell.find_first_not_of("-:") == absl::string_view::npos;
        row.push_back(Markup(cell));
      }
      if (rule) continue;
      if (!block.rows.empty() && row.size() != block.rows.front().size()) {
        sink_.Error(lines_.RangeOf(line), HLO_LABEL("lesson.table"), absl::StrCat("the row has ", row.size(), " cells, the head of the table ", block.rows.front().size()));
      }
      block.rows.push_back(std::move(row));
    }
  }

  void Fenced() {
    const Fence fence = ReadFence(lines_, sink_);
    last_ = fence.kind;
    if (fence.kind.empty() || fence.kind == "text") {
      Block& block = Add(Block::kVerbatim, fence.kind);
      block.range = fence.range;
      block.verbatim = std::string(absl::StripTrailingAsciiWhitespace(fence.body));
      return;
    }
    ComplainOfRest(fence, sink_);
    if (fence.kind == "program") {
      Placed(fence, Block::kProgram, lesson_.programs);
    } else if (fence.kind == "picture") {
      Placed(fence, Block::kPicture, lesson_.pictures);
    } else if (fence.kind == "exercise") {
      if (Block* block = Placed(fence, Block::kExercise, lesson_.exercises)) ExerciseBody(fence, *block);
    } else {
      sink_.Error(fence.range, HLO_LABEL("lesson.block"), absl::StrCat("there are no blocks of kind '", fence.kind, "'"), "blocks are program, picture, exercise and text");
    }
  }
  template <typename T>
  Block* Placed(const Fence& fence, Block::Kind kind, const std::vector<T>& all) {
    const T* found = FindById(all, fence.id);
    if (found == nullptr) {
      sink_.Error(fence.range, HLO_LABEL("lesson.unknown-block"), absl::StrCat("there is no ", fence.kind, " '", fence.id, "' in ", lesson_.name, ".lesson"));
      return nullptr;
    }
    if (!used_.insert(absl::StrCat(fence.kind, " ", fence.id)).second) sink_.Error(fence.range, HLO_LABEL("lesson.twice"), absl::StrCat("the ", fence.kind, " '", fence.id, "' has been placed already"));
    Block& block = Add(kind, fence.kind);
    block.range = fence.range;
    block.index = static_cast<int>(found - all.data());
    if (kind != Block::kExercise && !absl::StripAsciiWhitespace(fence.body).empty()) {
      std::string caption;
      for (absl::string_view line : absl::StrSplit(fence.body, '\n')) {
        line = absl::StripAsciiWhitespace(line);
        if (!line.empty()) absl::StrAppend(&caption, caption.empty() ? "" : " ", line);
      }
      block.texts.push_back(Markup(caption));
    }
    return &block;
  }

  void ExerciseBody(const Fence& fence, Block& block) {
    ExerciseText& text = block.exercise;
    const Exercise& exercise = lesson_.exercises[static_cast<size_t>(block.index)];
    // Each entry goes on over the lines that follow it.
    std::vector<std::pair<absl::string_view, std::string>> entries;  // the first line, all of it
    for (absl::string_view line : absl::StrSplit(fence.body, '\n')) {
      line = absl::StripAsciiWhitespace(line);
      const bool begins = absl::StartsWith(line, "hint:") || absl::StartsWith(line, "why:") || absl::StartsWith(line, "wrong ") || IsChoice(line);
      if (line.empty()) {
        if (!entries.empty()) entries.emplace_back(line, "");
      } else if (begins || entries.empty()) {
        entries.emplace_back(line, std::string(line));
      } else {
        absl::StrAppend(&entries.back().second, entries.back().second.empty() ? "" : " ", line);
        if (entries.back().first.empty()) entries.back().first = line;
      }
    }
    for (const auto& [first, whole] : entries) {
      absl::string_view rest = whole;
      if (rest.empty()) continue;
      last_ = first;
      if (absl::ConsumePrefix(&rest, "hint:")) {
        text.hints.push_back(Markup(absl::StripAsciiWhitespace(rest)));
      } else if (absl::ConsumePrefix(&rest, "why:")) {
        text.why = Markup(absl::StripAsciiWhitespace(rest));
      } else if (absl::ConsumePrefix(&rest, "wrong ")) {
        const size_t colon = rest.find(": ");
        if (colon == absl::string_view::npos) {
          sink_.Error(lines_.RangeOf(first), HLO_LABEL("lesson.wrong"), "a mistaken answer is followed by `: ` and why it is one");
          continue;
        }
        text.wrong.emplace_back(std::string(absl::StripAsciiWhitespace(rest.substr(0, colon))), Markup(absl::StripAsciiWhitespace(rest.substr(colon + 2))));
      } else if (IsChoice(rest)) {
        text.choices.emplace_back(std::string(rest.substr(0, 1)), Markup(absl::StripAsciiWhitespace(rest.substr(2))));
      } else {
        text.question.push_back(Markup(rest));
      }
    }
    const auto needs = [&](bool there, absl::string_view what) {
      if (!there) sink_.Error(fence.range, HLO_LABEL("lesson.exercise"), absl::StrCat("the exercise '", exercise.id, "' has no ", what));
    };
    needs(!text.question.empty(), "question");
    needs(!text.hints.empty(), "line `hint: ...`");
    needs(!text.why.empty(), "line `why: ...`");
    needs(!text.wrong.empty(), "line `wrong ANSWER: ...`");
    if (exercise.kind == "choice") needs(text.choices.size() >= 2, "lines `a) ...`, `b) ...`");
  }
  static bool IsChoice(absl::string_view line) { return line.size() > 2 && line[0] >= 'a' && line[0] <= 'd' && line[1] == ')' && line[2] == ' '; }

  template <typename T>
  void Unused(absl::string_view kind, const std::vector<T>& all) {
    for (const T& one : all) {
      if (used_.count(absl::StrCat(kind, " ", one.id)) == 0) {
        sink_.Error({0, 1}, HLO_LABEL("lesson.unplaced"), absl::StrCat("the ", kind, " '", one.id, "' of ", lesson_.name, ".lesson has no place in this text"));
      }
    }
  }

  Lesson& lesson_;
  DiagnosticSink& sink_;
  Lines lines_;
  LessonText text_;
  absl::string_view last_;
  std::set<std::string> used_;
};

}  // namespace

std::string Program::Filled(absl::string_view hole) const {
  if (!has_hole()) return text;
  return absl::StrCat(text.substr(0, static_cast<size_t>(hole_begin)), hole, text.substr(static_cast<size_t>(hole_end)));
}

const Program* Lesson::FindProgram(absl::string_view id) const { return FindById(programs, id); }
const Picture* Lesson::FindPicture(absl::string_view id) const { return FindById(pictures, id); }
const Exercise* Lesson::FindExercise(absl::string_view id) const { return FindById(exercises, id); }

const LessonText& Lesson::In(const std::string& language) const {
  if (const auto it = texts.find(language); it != texts.end()) return it->second;
  if (const auto it = texts.find("en"); it != texts.end()) return it->second;
  static const auto& nothing = *new LessonText;
  return texts.empty() ? nothing : texts.begin()->second;
}

void ReadLessonBlocks(std::shared_ptr<const SourceText> source, Lesson& lesson, DiagnosticSink& sink) {
  lesson.source = source;
  Lines lines(*source);
  std::set<std::string> ids;
  while (!lines.done()) {
    if (!absl::StartsWith(lines.Peek(), kFence)) {
      lines.Take();
      continue;
    }
    Fence fence = ReadFence(lines, sink);
    if (fence.id.empty()) sink.Error(fence.range, HLO_LABEL("lesson.missing"), "a block needs a name", "write it behind its kind: ```hlo first");
    if (!ids.insert(absl::StrCat(fence.kind, " ", fence.id)).second) sink.Error(fence.range, HLO_LABEL("lesson.twice"), absl::StrCat("there is another ", fence.kind, " '", fence.id, "'"));
    if (fence.kind == "hlo") {
      ReadProgramBlock(fence, lesson, sink);
    } else if (fence.kind == "picture") {
      ReadPictureBlock(fence, lesson, sink);
    } else if (fence.kind == "exercise") {
      ReadExerciseBlock(fence, lesson, sink);
    } else {
      sink.Error(fence.range, HLO_LABEL("lesson.block"), absl::StrCat("there are no blocks of kind '", fence.kind, "'"), "blocks are hlo, picture and exercise");
    }
  }
  CheckReferences(lesson, sink);
}

void ReadLessonText(std::shared_ptr<const SourceText> source, const std::string& language, Lesson& lesson, DiagnosticSink& sink) {
  lesson.texts[language] = TextReader(std::move(source), language, lesson, sink).Run();
}

}  // namespace hloscope::lessons
