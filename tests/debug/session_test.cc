// The session as the console uses it, where text in tests/cli/cases cannot reach: completion, repetition, interruption, speed of the start.
#include "core/debug/session.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "backends/reference/backend.h"
#include "core/debug/command_table.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/debug/opened.h"

namespace hloscope {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kLoop[] = R"(HloModule m
body {
  p = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  v = f32[2] get-tuple-element(p), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  ROOT carry = (s32[], f32[2]) tuple(next, v)
}
condition {
  p = (s32[], f32[2]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  limit = s32[] constant(2000000000)
  ROOT less = pred[] compare(i, limit), direction=LT
}
ENTRY main {
  start = f32[2] parameter(0)
  zero = s32[] constant(0)
  doubled = f32[2] add(start, start)
  init = (s32[], f32[2]) tuple(zero, doubled)
  ROOT loop = (s32[], f32[2]) while(init), condition=condition, body=body
}
)";

TEST(Lines, SayWhetherTheyRunTheProgram) {
  for (const char* line : {"run", "r", "c", "continue 3", "s", "n line", "fin", "until %x", "  start ", "profile", "profile run 3", "record out.npz", "compare reference", "compare out.npz", "shadow all"}) {
    EXPECT_TRUE(RunsProgram(line)) << line;
  }
  for (const char* line : {"", "# run", "print run", "break run", "info program", "goto start", "reverse-step", "edit x.hlo", "profile json out.json", "compare forks a b", "r2", "nothing"}) {
    EXPECT_FALSE(RunsProgram(line)) << line;
  }
  ASSERT_NE(CommandOfLine("p/shape %x"), nullptr);
  EXPECT_STREQ(CommandOfLine("p/shape %x")->name, "print");
  EXPECT_EQ(CommandOfLine("re"), nullptr);  // could be several
  EXPECT_TRUE(RepeatsOnEmptyLine(*CommandOfLine("s")));
  EXPECT_FALSE(RepeatsOnEmptyLine(*CommandOfLine("run")));
}

class SessionTest : public testing::Test {
 protected:
  void Open(const std::string& text) {
    session_ = OpenSession(text, true, SessionOptions(), [this](absl::string_view out) { absl::StrAppend(&text_, out); });
    ASSERT_NE(session_, nullptr);
  }
  std::string Do(const std::string& line) {
    text_.clear();
    last_ = session_->Execute(line);
    return text_;
  }
  std::unique_ptr<Session> session_;
  std::string text_;
  CommandResult last_;
};

TEST_F(SessionTest, Completion) {
  Open(kLoop);
  EXPECT_THAT(session_->Complete("br"), ElementsAre("break"));
  EXPECT_THAT(session_->Complete("inf"), ElementsAre("info", "influence"));
  EXPECT_THAT(session_->Complete("info lo"), Contains("locals"));
  EXPECT_THAT(session_->Complete("break con"), ElementsAre("condition"));
  EXPECT_THAT(session_->Complete("b %doub"), ElementsAre("%doubled"));
  EXPECT_THAT(session_->Complete("break body:n"), ElementsAre("body:next"));
  EXPECT_THAT(session_->Complete("break op:wh"), ElementsAre("op:while"));
  EXPECT_THAT(session_->Complete("print max(%st"), ElementsAre("%start"));
  EXPECT_THAT(session_->Complete("help und"), ElementsAre("undisplay"));
  EXPECT_THAT(session_->Complete("set ret"), Contains("retain"));
  // Words of a command are those of its row.
  EXPECT_THAT(session_->Complete("profile "), ElementsAre("run", "json", "trace"));
  EXPECT_THAT(session_->Complete("profile run j"), IsEmpty());
  EXPECT_THAT(session_->Complete("compare reference wh"), ElementsAre("whole"));
  EXPECT_THAT(session_->Complete("compare reference whole a"), ElementsAre("all"));
  EXPECT_THAT(session_->Complete("enable count 3 "), IsEmpty()) << "numbers have no list";
  EXPECT_THAT(session_->Complete("break %start i"), ElementsAre("if"));
  EXPECT_THAT(session_->Complete("break %start if ma"), ElementsAre("max("));
  EXPECT_THAT(session_->Complete("print /st"), ElementsAre("/stats"));
  EXPECT_THAT(session_->Complete("info hot 5 by sc"), ElementsAre("scope"));
  EXPECT_THAT(session_->Complete("replica 0 und"), ElementsAre("undisplay"));
  EXPECT_THAT(session_->Complete("replica all print %st"), ElementsAre("%start"));
  EXPECT_THAT(session_->Complete("nonsense x"), IsEmpty());
  EXPECT_THAT(session_->Complete(""), Contains("quit"));
  Do("start");
  EXPECT_THAT(session_->Complete("print li"), IsEmpty()) << "only values of the frame";
}

TEST_F(SessionTest, EmptyLineRepeatsWhatIsRepeated) {
  Open(kLoop);
  EXPECT_EQ(Do(""), "");
  Do("start");
  EXPECT_EQ(Do(""), "") << "start is not repeated";
  Do("next");
  EXPECT_THAT(Do("info frame"), HasSubstr("%doubled"));
  Do("next");
  EXPECT_THAT(Do(""), HasSubstr("while"));
}

TEST_F(SessionTest, CommentsAndQuit) {
  Open(kLoop);
  EXPECT_EQ(Do("# anything"), "");
  EXPECT_TRUE(last_.ok);
  EXPECT_EQ(Do("  echo   a  b "), "a  b\n");
  EXPECT_FALSE(last_.quit);
  Do("q");
  EXPECT_TRUE(last_.quit);
}

TEST_F(SessionTest, InterruptKeepsTheSession) {
  Open(kLoop);
  std::thread other([this] {
    for (int i = 0; i < 200; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      session_->Interrupt();
    }
  });
  const std::string out = Do("run");
  EXPECT_THAT(out, HasSubstr("Interrupted at"));
  other.join();
  EXPECT_TRUE(session_->running());
  EXPECT_THAT(Do("up"), HasSubstr("loop"));
  EXPECT_THAT(Do("print doubled"), HasSubstr("f32[2]"));
  EXPECT_TRUE(last_.ok);
}

TEST_F(SessionTest, ExpectsAreCounted) {
  Open(kLoop);
  Do("expect 1 < 2");
  EXPECT_TRUE(last_.ok);
  Do("expect 2 < 1");
  EXPECT_TRUE(last_.ok) << "a failed expect does not end a script";
  EXPECT_EQ(session_->passed_expects(), 1);
  EXPECT_EQ(session_->failed_expects(), 1);
  EXPECT_EQ(session_->expects()[1].detail, "found 2, wanted < 1");
}

TEST_F(SessionTest, EveryCommandHasHelpAndAUniqueName) {
  Open(kLoop);
  absl::flat_hash_set<std::string> names;
  for (const CommandRow& command : Commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    if (*command.abbreviation != 0) {
      EXPECT_TRUE(names.insert(command.abbreviation).second) << command.abbreviation;
    }
    EXPECT_THAT(Do(absl::StrCat("help ", command.name)), HasSubstr(command.help));
    EXPECT_TRUE(last_.ok);
  }
}

// No text a person can type may crash the session: prefixes and mutations of real commands.
TEST_F(SessionTest, OddLinesAreErrorsNotCrashes) {
  Open(absl::StrReplaceAll(kLoop, {{"2000000000", "3"}}));  // so that nothing runs for long
  Do("start");
  const std::vector<std::string> lines = {"break body:next if i == 3", "print /stats %start[0:1]", "set %start[0] = 2.5e3", "expect shape(%start) == f32[2]", "list 1,5", "info op %zero",
                                          "tbreak scope:a/b", "break /d.*/", "until doubled", "display max(%start)", "frame 0", "ignore 1 2", "condition 1 1 < 2", "save",
                                          "break model.py:142", "print $result[0]", "p %", "p %%", "b %", "b :", "b a:", "b :1", "b //", "b op:", "b scope:", "info", "i", "set =", "set % = 1",
                                          "set %start = ", "undisplay x", "delete 1,2", "list ,", "list -1", "list 99999999999", "frame -1", "frame 99999999999999999999", "continue -1", "step x",
                                          "expect", "expect error", "print shape()", "print shape(%start[0])", "print max()", "print ~= 1", "print 1 ~=", "print %start[", "print %start[]", "help 7"};
  for (const std::string& line : lines) {
    if (!session_->running()) Do("start");
    for (size_t length = 1; length <= line.size(); ++length) {
      if (!absl::StartsWith("save", line.substr(0, 4))) Do(line.substr(0, length));  // writes no files
    }
  }
  Do("start");
  EXPECT_TRUE(session_->running());
}

TEST(TextUtil, ByteCounts) {
  EXPECT_EQ(*ParseByteCount("2GiB"), int64_t{2} << 30);
  EXPECT_EQ(*ParseByteCount("512 MiB"), int64_t{512} << 20);
  EXPECT_EQ(*ParseByteCount("1k"), 1024);
  EXPECT_EQ(*ParseByteCount("1kB"), 1000);
  EXPECT_EQ(*ParseByteCount("1.5K"), 1536);
  EXPECT_EQ(*ParseByteCount("77"), 77);
  for (const char* bad : {"", "GiB", "x", "-1", "1XB", "1GiBs", "99999999999999999999T"}) EXPECT_FALSE(ParseByteCount(bad).ok()) << bad;
  EXPECT_EQ(FormatByteCount(1536), "1.5 KiB");
  EXPECT_EQ(FormatByteCount(640), "640 B");
  EXPECT_EQ(FormatByteCount(int64_t{3} << 40), "3 TiB");
}

TEST(TextUtil, CutKeepsWholeCharacters) {
  EXPECT_EQ(Cut("abcdef", 6), "abcdef");
  EXPECT_EQ(Cut("abcdefg", 6), "abc...");
  EXPECT_EQ(Cut("ab\xc3\xa9""defg", 6), "ab...");
  EXPECT_EQ(Cut("a\nb", 6), "a b");
}

std::string CorpusFile(const std::string& name) {
  const char* corpus = std::getenv("HLOSCOPE_CORPUS");
  return std::string(corpus != nullptr ? corpus : "../shared/corpus") + "/models/" + name;
}

// The largest file has 94 GB of parameters: its first stop must not make them.
TEST_F(SessionTest, FirstStopOfAHugeProgramMakesNoParameters) {
  std::ifstream file(CorpusFile("hlo_mixtral_8x7b_bf16_2x8.hlo"));
  if (!file) GTEST_SKIP() << "the corpus is not there";
  Open(std::string(std::istreambuf_iterator<char>(file), {}));
  EXPECT_THAT(Do("start"), HasSubstr("%constant.1177"));
  EXPECT_LT(session_->state().machine->account().peak(), 1 << 20);
  EXPECT_THAT(Do("break op:dot"), HasSubstr("other places"));
}

}  // namespace
}  // namespace hloscope
