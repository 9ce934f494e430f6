// Pictures say nothing but messages, and every language of captions says every message.
#include "visualizer/pictures/captions.h"

#include <filesystem>
#include <regex>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "core/ops/op.h"
#include "tests/pictures/making.h"
#include "visualizer/canvas/drawing.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

// The messages as they stand in the code: tr("..."), tr_("..."), captions()("..."), tr.Counted(n, "...", "...") and HLO_CAPTION("..."), core's
// HLO_MESSAGE("..."), and what operations say of themselves in one line.
std::set<std::string> MessagesOfCode() {
  static const auto& messages = *new std::set<std::string>([] {
    std::set<std::string> found;
    static const std::regex calls(R"re((?:\btr_?|captions\(\))\(\s*"((?:[^"\\]|\\.)*)"|Counted\([^";]*?,\s*"((?:[^"\\]|\\.)*)"\s*,\s*"((?:[^"\\]|\\.)*)"|HLO_CAPTION\("((?:[^"\\]|\\.)*)"\))re");
    static const std::regex messages_of_core(R"re(HLO_MESSAGE\("((?:[^"\\]|\\.)*)"\))re");
    const auto collect = [&found](const fs::path& file, const std::regex& calls) {
      if (file.extension() != ".cc") return;
      const std::string text = RunProgram::ReadFile(file.string());
      for (std::sregex_iterator it(text.begin(), text.end(), calls), end; it != end; ++it) {
        for (size_t group = 1; group < it->size(); ++group) {
          if ((*it)[group].matched) found.insert(absl::StrReplaceAll((*it)[group].str(), {{"\\\"", "\""}, {"\\\\", "\\"}}));
        }
      }
    };
    for (const auto& file : fs::directory_iterator("visualizer/pictures")) collect(file.path(), calls);
    for (const auto& file : fs::recursive_directory_iterator("core")) collect(file.path(), messages_of_core);
    for (int k = 0; k < kOpcodeCount; ++k) {
      const OpDef& def = Def(static_cast<Opcode>(k));
      for (const absl::string_view text : {def.summary, def.not_executed}) {
        if (!text.empty()) found.insert(std::string(text));
      }
    }
    return found;
  }());
  return messages;
}

TEST(Captions, EveryLanguageSaysEveryMessage) {
  const std::set<std::string> messages = MessagesOfCode();
  EXPECT_GT(messages.size(), 350u);
  int languages = 0;
  for (const auto& file : fs::directory_iterator("assets/lessons")) {
    const std::string name = file.path().filename().string();
    if (!absl::StartsWith(name, "captions.")) continue;
    SCOPED_TRACE(name);
    ++languages;
    std::vector<std::string> problems;
    const SourceText source(name, RunProgram::ReadFile(file.path().string()));
    const Captions captions = ReadCaptions(source, file.path().stem().extension().string().substr(1), &problems);
    EXPECT_EQ(absl::StrJoin(problems, "\n"), "");
    for (const std::string& message : messages) EXPECT_TRUE(captions.texts()->contains(message)) << "not said: " << message;
    for (const auto& [message, text] : *captions.texts()) EXPECT_TRUE(messages.contains(message)) << "no picture says: " << message;
  }
  EXPECT_GE(languages, 1);
}

TEST(Captions, ProblemsOfAFileAreSaidWithTheirPlaces) {
  std::vector<std::string> problems;
  const SourceText source("captions.xx.txt", "lost\n= a $0\nb\n= c\n= d\ne\n= d\nf\n= g $0\n$0 h\n");
  const Captions captions = ReadCaptions(source, "xx", &problems);
  const std::string all = absl::StrJoin(problems, "\n");
  EXPECT_TRUE(absl::StrContains(all, "captions.xx.txt:1:1: error: expected `= MESSAGE`")) << all;
  EXPECT_TRUE(absl::StrContains(all, "captions.xx.txt:3:1: error: the text has other placeholders")) << all;
  EXPECT_TRUE(absl::StrContains(all, "captions.xx.txt:4:1: error: the message has no text")) << all;
  EXPECT_TRUE(absl::StrContains(all, "captions.xx.txt:7:1: error: the message stands here twice")) << all;
  EXPECT_EQ(problems.size(), 4u) << all;
  EXPECT_EQ(captions("g $0", 7), "7 h");
  EXPECT_EQ(captions("a $0", 7), "a 7");  // in English where the language does not say it
  EXPECT_EQ(captions.Counted(1, "$0 bit", "$0 bits"), "1 bit");
  EXPECT_EQ(captions.And({"x", "y", "z"}), "x, y and z");
}

// A language that has no letters: whatever has some was not said through captions.
Captions Letterless() {
  Captions::Texts texts;
  for (const std::string& message : MessagesOfCode()) {
    std::string text = message;
    for (char& c : text) {
      if (absl::ascii_isalpha(static_cast<unsigned char>(c))) c = '~';
    }
    texts[message] = text;
  }
  return Captions("letterless", std::move(texts));
}

std::set<std::string> WordsOf(const std::string& text) {
  static const std::regex word("[A-Za-z_][A-Za-z_0-9]*"), hexadecimal("0x[0-9a-f]+");
  std::set<std::string> words;
  const std::string rest = std::regex_replace(text, hexadecimal, "");
  for (std::sregex_iterator it(rest.begin(), rest.end(), word), end; it != end; ++it) {
    if (it->length() >= 3) words.insert(it->str());
  }
  return words;
}

TEST(Captions, PicturesSayNothingElse) {
  const Captions captions = Letterless();
  int drawn = 0;
  std::set<std::string> told;  // once each
  // What numbers and programs say of themselves, in any language.
  const std::set<std::string> names = {"nan", "inf", "true", "false", "NaN", "mod", "out", "acc", "max", "min", "sum", "product", "all", "any", "fold", "then", "select", "clamp"};
  for (const auto& file : fs::directory_iterator("assets/samples/ops")) {
    const std::string text = RunProgram::ReadFile(file.path().string());
    RunProgram run(text);
    if (!run.problems().empty()) continue;
    std::set<std::string> known = WordsOf(text);
    known.insert(names.begin(), names.end());
    for (int k = 0; k < kOpcodeCount; ++k) known.merge(WordsOf(std::string(Name(static_cast<Opcode>(k)))));
    for (const Instruction* i : run.module().entry->schedule) {
      const PictureData data = run.DataOf(*i);
      for (const PictureRow* row : PicturesFor(*i)) {
        for (const bool live : {false, true}) {
          PictureSelection selection;
          selection.captions = captions;
          selection.live = live;
          if (live) selection.step = 1;
          else if (i->shape.IsArray() && i->shape.ElementCount() > 0) selection.pinned = Cell{kResultArray, std::vector<int64_t>(i->shape.rank(), 0)};
          const absl::StatusOr<MadePicture> picture = row->draw(data, selection);
          ASSERT_TRUE(picture.ok()) << picture.status();
          ++drawn;
          std::vector<std::string> said = {picture->step_text};
          for (const Spot& spot : picture->drawing.spots()) said.push_back(spot.hint);
          for (const Drawn& item : picture->drawing.items()) {
            const DrawnText* t = std::get_if<DrawnText>(&item);
            if (t != nullptr && t->style.face != Face::kMono && t->style.face != Face::kMonoStrong) said.push_back(t->text);
          }
          for (const std::string& s : said) {
            for (const std::string& word : WordsOf(s)) {
              // Attributes' names and their values stand in programs, or are of the format itself.
              static const std::regex type("(s|u|f|bf|c)[0-9]+(e[0-9]+m[0-9]+[a-z]*)?");
              if (absl::StrContains(word, "_") || std::regex_match(word, type)) continue;
              EXPECT_TRUE(known.contains(word) || !told.insert(word).second) << file.path().filename() << " %" << i->name << ", picture " << row->id << " says '" << word << "' in: " << s;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(drawn, 500);
}

}  // namespace
}  // namespace hloscope
