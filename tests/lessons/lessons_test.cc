// The lessons of assets/lessons: everything in them verifies, runs, draws and is asked rightly, in every language; and what the pages of an export link to is there.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/reference/backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "visualizer/lessons/draw.h"
#include "visualizer/lessons/exercise.h"
#include "visualizer/lessons/html.h"
#include "visualizer/lessons/lesson.h"
#include "visualizer/lessons/plain.h"

namespace hloscope::lessons {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const BackendMaker kBackend = [] { return MakeReferenceBackend(); };

const Shelf& Assets() {
  static const auto& shelf = *new Shelf(ReadShelf("assets/lessons"));
  return shelf;
}

TEST(Lessons, AreReadWithoutProblems) {
  for (const std::string& problem : Assets().problems) ADD_FAILURE() << problem;
  EXPECT_GE(Assets().lessons.size(), 14u);
  EXPECT_THAT(Assets().languages, testing::ElementsAre("en", "es"));
  for (const auto& lesson : Assets().lessons) {
    EXPECT_FALSE(lesson->part.empty()) << lesson->name;
    EXPECT_GE(lesson->programs.size(), 2u) << lesson->name;
    EXPECT_GE(lesson->exercises.size(), 3u) << lesson->name;
    for (const std::string& language : Assets().languages) {
      ASSERT_EQ(lesson->texts.count(language), 1u) << lesson->name << " is not there in " << language;
      const std::string text(lesson->texts.at(language).source->text());
      const size_t words = std::vector<std::string>(absl::StrSplit(text, absl::ByAnyChar(" \n"), absl::SkipEmpty())).size();
      EXPECT_GE(words, 400u) << lesson->name << " " << language;
      EXPECT_LE(words, 1500u) << lesson->name << " " << language;
    }
  }
}

// `contents` names every lesson that lies in the folder.
TEST(Lessons, NoneIsForgotten) {
  for (const auto& entry : std::filesystem::directory_iterator("assets/lessons")) {
    if (entry.path().extension() != ".lesson") continue;
    EXPECT_NE(Assets().Find(entry.path().stem().string()), nullptr) << entry.path();
  }
}

TEST(Lessons, ProgramsRunAndShowValues) {
  for (const auto& lesson : Assets().lessons) {
    for (const Program& program : lesson->programs) {
      const auto run = RunProgram(absl::StrCat(lesson->name, "/", program.id), program.text, kBackend);
      EXPECT_TRUE(run->ok()) << lesson->name << "/" << program.id << ": " << run->FirstProblem();
      if (!run->ok()) continue;
      for (const std::string& name : program.show) EXPECT_NE(run->Find(name), nullptr) << lesson->name << "/" << program.id << " shows " << name;
      for (const std::string& value : ShownValues(program, *run)) EXPECT_THAT(value, Not(testing::EndsWith("?")));
    }
  }
}

TEST(Lessons, PicturesDraw) {
  int drawn = 0;
  for (const auto& lesson : Assets().lessons) {
    for (const Picture& picture : lesson->pictures) {
      const Program* program = lesson->FindProgram(picture.program);
      ASSERT_NE(program, nullptr);
      const auto run = RunProgram(program->id, program->text, kBackend);
      for (const std::string& language : Assets().languages) {
        SCOPED_TRACE(absl::StrCat(lesson->name, "/", picture.id, " in ", language));
        const absl::StatusOr<MadePicture> made = DrawPicture(picture, *run, Assets().CaptionsOf(language), 760);
        EXPECT_TRUE(made.ok()) << made.status();
        if (!made.ok()) continue;
        ++drawn;
        EXPECT_GT(made->drawing.items().size(), 3u);
        EXPECT_LE(made->drawing.width(), 1100) << "wider than a page";
      }
    }
  }
  EXPECT_GE(drawn, 20);
}

TEST(Lessons, PicturesSpeakTheLanguageOfTheLesson) {
  for (const std::string& language : Assets().languages) EXPECT_EQ(Assets().CaptionsOf(language).language(), language) << "no captions." << language << ".txt";
  const Lesson* lesson = Assets().Find("gather");
  ASSERT_NE(lesson, nullptr);
  const std::string english = LessonHtml(Assets(), *lesson, "en", kBackend), spanish = LessonHtml(Assets(), *lesson, "es", kBackend);
  EXPECT_THAT(english, HasSubstr("Index vector 1 (of 0 to 2)"));
  EXPECT_THAT(spanish, HasSubstr("Vector de índices 1 (de 0 a 2)"));
  EXPECT_THAT(spanish, Not(HasSubstr("Index vector")));
}

TEST(Lessons, RightAnswersAreAcceptedAndMistakesExplained) {
  int checked = 0;
  for (const auto& lesson : Assets().lessons) {
    for (const Exercise& exercise : lesson->exercises) {
      const std::string where = absl::StrCat(lesson->name, "/", exercise.id);
      const absl::StatusOr<std::string> expected = ExpectedAnswer(*lesson, exercise, kBackend);
      ASSERT_TRUE(expected.ok()) << where << ": " << expected.status();
      for (const std::string& language : Assets().languages) {
        const ExerciseText* text = FindExerciseText(lesson->texts.at(language), *lesson, exercise);
        ASSERT_NE(text, nullptr) << where;
        const Words& words = Assets().WordsOf(language);
        const Verdict right = CheckAnswer(*lesson, exercise, *text, words, *expected, kBackend);
        EXPECT_TRUE(right.right) << where << ": " << *expected << ": " << PlainText(right.text);
        EXPECT_EQ(PlainText(right.text), PlainText(text->why));
        for (const auto& [wrong, why] : text->wrong) {
          const Verdict verdict = CheckAnswer(*lesson, exercise, *text, words, wrong, kBackend);
          EXPECT_FALSE(verdict.right) << where << " accepts " << wrong;
          EXPECT_EQ(PlainText(verdict.text), PlainText(why)) << where << ", " << wrong;
          ++checked;
        }
        const Verdict empty = CheckAnswer(*lesson, exercise, *text, words, " ", kBackend);
        EXPECT_FALSE(empty.right);
        EXPECT_FALSE(empty.text.empty());
        const Verdict nonsense = CheckAnswer(*lesson, exercise, *text, words, "@", kBackend);
        EXPECT_FALSE(nonsense.right) << where;
        EXPECT_GT(PlainText(nonsense.text).size(), 10u) << where;
      }
    }
  }
  EXPECT_GT(checked, 100);
}

// What is asked for does not stand beside the question.
TEST(Lessons, AnswersAreHiddenUntilTheyAreGiven) {
  for (const auto& lesson : Assets().lessons) {
    for (const Exercise& exercise : lesson->exercises) {
      const Program* program = lesson->FindProgram(exercise.program);
      if (exercise.kind != "shape" || program == nullptr) continue;
      EXPECT_NE(HiddenUntil(*lesson, *program), nullptr) << lesson->name << "/" << exercise.id << ": its program shows the result";
      const auto run = RunProgram("p", program->text, kBackend);
      const auto of = ParseElementName(exercise.Get("of"));
      ASSERT_TRUE(of.ok());
      EXPECT_TRUE(run->Find(of->name)->shape_omitted) << lesson->name << "/" << exercise.id << ": its program says the shape";
    }
    for (const Program& program : lesson->programs) {
      if (!program.has_hole()) continue;
      EXPECT_NE(HiddenUntil(*lesson, program), nullptr) << lesson->name << "/" << program.id << " has a hole that nobody asks for";
    }
  }
}

std::string ReadWhole(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Lessons, ExportedPagesLinkToWhatIsThere) {
  namespace fs = std::filesystem;
  const std::string folder = absl::StrCat(testing::TempDir(), "/lessons_html");
  const absl::StatusOr<std::vector<std::string>> files = ExportLessons(Assets(), folder, kBackend);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_EQ(files->size(), 1 + 2 * (1 + Assets().lessons.size()));
  const std::regex link("href=\"([^\"]+)\"");
  int links = 0;
  for (const std::string& file : *files) {
    const std::string page = ReadWhole(file);
    for (std::sregex_iterator it(page.begin(), page.end(), link), end; it != end; ++it) {
      const std::string target = (*it)[1];
      if (absl::StartsWith(target, "https://")) continue;
      EXPECT_TRUE(fs::exists(fs::path(file).parent_path() / target)) << file << " links to " << target;
      ++links;
    }
    EXPECT_EQ(page.find("there is no picture"), std::string::npos) << file;
    EXPECT_EQ(page.find("src=\"http"), std::string::npos) << file << " needs a network";
    // What is folded has a name of its own.
    static const std::regex named("aria-label=\"([^\"]+)\"");
    std::set<std::string> names;
    for (std::sregex_iterator it(page.begin(), page.end(), named), end; it != end; ++it) EXPECT_TRUE(names.insert((*it)[1]).second) << file << ": " << (*it)[1];
    if (absl::EndsWith(file, "/en/degenerate.html")) EXPECT_TRUE(names.count("Exercise 1: Hint") + names.count("Exercise 1: Hint 1") == 1);
    // A page is a few hundred kilobytes at most.
    EXPECT_LT(page.size(), 1u << 20) << file;
  }
  EXPECT_GT(links, 100);
  const std::string page = ReadWhole(folder + "/es/degenerate.html");
  for (const char* part : {"<html lang=\"es\">", "<svg", "id=\"exercise-outer_dims\"", "<details>"}) EXPECT_TRUE(absl::StrContains(page, part)) << part;
  fs::remove_all(folder);
}

TEST(Lessons, PlainTextHasProgramsValuesAndCommands) {
  const std::string text = LessonPlainText(Assets(), *Assets().Find("shapes"), "en", kBackend);
  EXPECT_THAT(text, HasSubstr("Shapes and letters\n=================="));
  EXPECT_THAT(text, HasSubstr("> %v = s32[3] [10, 20, 30]"));
  EXPECT_THAT(text, HasSubstr("hloscope lessons check shapes rank ANSWER"));
  EXPECT_THAT(ContentsText(Assets(), "es"), HasSubstr("Formas y letras"));
}

// ---- The reader ----

std::string ProblemsOf(const std::string& blocks, const std::string& text) {
  Lesson lesson;
  lesson.name = "test";
  const auto source = std::make_shared<SourceText>("test.lesson", blocks), markdown = std::make_shared<SourceText>("test.en.md", text);
  DiagnosticSink sink, text_sink;
  ReadLessonBlocks(source, lesson, sink);
  ReadLessonText(markdown, "en", lesson, text_sink);
  std::string all;
  for (const Diagnostic& d : sink.diagnostics()) all += Render(d, *source);
  for (const Diagnostic& d : text_sink.diagnostics()) all += Render(d, *markdown);
  return all;
}

constexpr char kProgram[] = "```hlo p\nHloModule p\nENTRY main {\n  ROOT a = s32[2] constant({1, 2})\n}\n```\n";
constexpr char kHead[] = "# T\n\nWhat one learns.\n\n";

TEST(LessonReader, TakesAWholeLesson) {
  EXPECT_THAT(ProblemsOf(absl::StrCat(kProgram, "```exercise e kind=value of=%a[1] program=p\n```\n"),
                         absl::StrCat(kHead, "```program p\nA caption.\n```\n- one `code`\n- two\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n```exercise e\nHow much?\nhint: Look.\nwrong 1: No.\nwhy: Yes.\n```\n")),
              IsEmpty());
}

TEST(LessonReader, SaysWhatIsWrongAndWhere) {
  const std::string head = kHead, program = kProgram, placed = "```program p\n```\n";
  const struct {
    std::string blocks, text, label, part;
  } cases[] = {
      {"```hlo p show\nx\n```\n", head + placed, "lesson.attribute", "test.lesson:1:10: error: expected key=value, found 'show'"},
      {"```hlo p show=a show=b\nx\n```\n", head + placed, "lesson.attribute", "show is given twice"},
      {"```hlo p colour=red\nx\n```\n", head + placed, "lesson.attribute", "has no attribute colour"},
      {"```hlo p\nx\n", head + placed, "lesson.fence", "test.lesson:1:1: error: the block is not closed"},
      {"```hlo p\na \xc2\xab b\n```\n", head + placed, "lesson.hole", "a hole is a part between"},
      {"```hlo p\n\xc2\xab" "b\xc2\xbb \xc2\xab" "b\xc2\xbb\n```\n", head + placed, "lesson.hole", "a program has one hole"},
      {"```hlo\nx\n```\n", head, "lesson.missing", "a block needs a name"},
      {program + "```picture q kind=layout program=p\n```\n", head + placed + "```picture q\n```\n", "lesson.missing", "a picture needs of="},
      {program + "```exercise e kind=riddle program=p\n```\n", head + placed, "lesson.kind", "there are no exercises of kind 'riddle'"},
      {program + "```exercise e kind=shape program=p\n```\n", head + placed, "lesson.missing", "needs of="},
      {program + "```exercise e kind=shape of=%a program=nowhere\n```\n", head + placed, "lesson.unknown-block", "there is no program 'nowhere'"},
      {program + program, head + placed, "lesson.twice", "there is another hlo 'p'"},
      {program + "```song s\n```\n", head + placed, "lesson.block", "there are no blocks of kind 'song'"},
      {program, placed, "lesson.title", "a lesson begins with its title"},
      {program, "# T\n\n## H\n" + placed, "lesson.title", "says in a paragraph what one learns"},
      {program, head + "# Another\n" + placed, "lesson.title", "test.en.md:5:1: error: a lesson has one title"},
      {program, head + placed + placed, "lesson.twice", "has been placed already"},
      {program, head + placed + "```program q\n```\n", "lesson.unknown-block", "there is no program 'q' in test.lesson"},
      {program, head, "lesson.unplaced", "the program 'p' of test.lesson has no place in this text"},
      {program, head + placed + "```verse v\n```\n", "lesson.block", "blocks are program, picture, exercise and text"},
      {program, head + placed + "a `b\n", "lesson.markup", "test.en.md:7:1: error: a ` is not closed"},
      {program, head + placed + "| a | b |\n| 1 |\n", "lesson.table", "the row has 1 cells"},
      {program + "```exercise e kind=value of=%a program=p\n```\n", head + placed + "```exercise e\nQ\nhint: h\nwrong 1\nwhy: w\n```\n", "lesson.wrong", "test.en.md:10:1"},
      {program + "```exercise e kind=value of=%a program=p\n```\n", head + placed + "```exercise e\nQ\n```\n", "lesson.exercise", "has no line `hint: ...`"},
  };
  for (const auto& c : cases) {
    const std::string problems = ProblemsOf(c.blocks, c.text);
    EXPECT_THAT(problems, HasSubstr(c.part)) << c.blocks << c.text;
    EXPECT_THAT(problems, HasSubstr(absl::StrCat("[", c.label, "]"))) << c.part;
  }
}

// A folder with what each case changes.
Shelf ShelfWith(const std::map<std::string, std::string>& changed) {
  namespace fs = std::filesystem;
  const std::string folder = absl::StrCat(testing::TempDir(), "/shelf");
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string exercise = "```exercise e\nQ\nhint: h\nwrong 1: w\nwhy: y\n```\n";
  std::map<std::string, std::string> files = {{"contents", "= part\none\n"},
                                              {"words.en.txt", "part: P\nx: a $0\n"},
                                              {"words.fr.txt", "part: P\nx: b $0\n"},
                                              {"one.lesson", absl::StrCat(kProgram, "```exercise e kind=value of=%a[1] program=p\n```\n")},
                                              {"one.en.md", absl::StrCat(kHead, "```program p\n```\n", exercise)},
                                              {"one.fr.md", absl::StrCat(kHead, "```program p\n```\n", exercise)}};
  for (const auto& [name, text] : changed) files[name] = text;
  for (const auto& [name, text] : files) std::ofstream(absl::StrCat(folder, "/", name)) << text;
  return ReadShelf(folder);
}

std::string All(const Shelf& shelf) {
  std::string all;
  for (const std::string& p : shelf.problems) all += p + "\n";
  return all;
}

// Another language is two more files.
TEST(LessonShelf, TakesLanguagesThatAreThere) {
  const Shelf shelf = ShelfWith({});
  EXPECT_THAT(All(shelf), IsEmpty());
  EXPECT_THAT(shelf.languages, testing::ElementsAre("en", "fr"));
  EXPECT_EQ(shelf.lessons.front()->In("fr").language, "fr");
  EXPECT_EQ(shelf.lessons.front()->In("de").language, "en");
}

TEST(LessonShelf, LanguagesMustSayTheSame) {
  const std::string head = kHead;
  EXPECT_THAT(All(ShelfWith({{"one.fr.md", head + "```exercise e\nQ\nhint: h\nwrong 1: w\nwhy: y\n```\n```program p\n```\n"}})), HasSubstr("[lesson.language]"));
  EXPECT_THAT(All(ShelfWith({{"one.fr.md", head + "```program p\n```\n```exercise e\nQ\nhint: h\nwrong 3: w\nwhy: y\n```\n"}})), HasSubstr("other mistaken answers than in one.en.md"));
  EXPECT_THAT(All(ShelfWith({{"one.fr.md", head + "```program p\n```\n```exercise e\nQ\nhint: h\nhint: i\nwrong 1: w\nwhy: y\n```\n"}})), HasSubstr("other choices or hints"));
  EXPECT_THAT(All(ShelfWith({{"words.fr.txt", "part: P\n"}})), HasSubstr("words.fr.txt: error: 'x' is not said"));
  EXPECT_THAT(All(ShelfWith({{"words.fr.txt", "part: P\nx: b\n"}})), HasSubstr("has other $ than in English"));
  EXPECT_THAT(All(ShelfWith({{"words.fr.txt", "part P\nx: b $0\nx: c $0\n"}})), HasSubstr("[lesson.words]"));
  EXPECT_THAT(All(ShelfWith({{"one.en.md", head + "See [two](lesson:two).\n\n```program p\n```\n```exercise e\nQ\nhint: h\nwrong 1: w\nwhy: y\n```\n"}})), HasSubstr("[lesson.link]"));
  EXPECT_THAT(All(ShelfWith({{"contents", "one\ntwo\n"}})), HasSubstr("there is no two.lesson"));
}

}  // namespace
}  // namespace hloscope::lessons
