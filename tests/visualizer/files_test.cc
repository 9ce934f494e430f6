// The program's file: what others did with it is seen, writing leaves it what it is, and text that is in no file is kept.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "visualizer/model/disk_file.h"
#include "visualizer/model/kept_stops.h"
#include "visualizer/model/kept_text.h"
#include "visualizer/model/whole_file.h"

namespace hloscope {
namespace {

namespace fs = std::filesystem;

class FilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (fs::temp_directory_path() / "hloscope-files-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
  }
  void TearDown() override {
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Write(const std::string& name, const std::string& text) const { std::ofstream(Path(name), std::ios::binary) << text; }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  fs::path folder_;
};

TEST_F(FilesTest, TellsWhatOthersDidWithIt) {
  Write("a.hlo", "one");
  DiskFile file;
  EXPECT_EQ(file.Look(), DiskFile::State::kSame);
  file.Take(Path("a.hlo"), "one");
  EXPECT_TRUE(file.holds_text());
  EXPECT_EQ(file.Look(), DiskFile::State::kSame);
  Write("a.hlo", "another");
  EXPECT_EQ(file.Look(), DiskFile::State::kChanged);
  Write("a.hlo", "one");  // as it was
  EXPECT_EQ(file.Look(), DiskFile::State::kSame);
  fs::remove(Path("a.hlo"));
  EXPECT_EQ(file.Look(), DiskFile::State::kGone);
  Write("a.hlo", "two");
  EXPECT_EQ(file.Look(), DiskFile::State::kChanged);
  file.Accept();
  EXPECT_EQ(file.Look(), DiskFile::State::kSame);
}

TEST_F(FilesTest, RemembersWhatItHeldOverAStart) {
  Write("a.hlo", "one");
  DiskFile before;
  before.Take(Path("a.hlo"), "one");
  Write("a.hlo", "two");
  DiskFile after;
  after.Take(Path("a.hlo"), "two");
  EXPECT_EQ(after.Look(), DiskFile::State::kSame);
  after.SetBase(before.Base());
  EXPECT_EQ(after.Look(), DiskFile::State::kChanged);
}

TEST_F(FilesTest, ABinaryProgramIsWatchedAndHoldsNoText) {
  Write("a.pb", std::string("\x0a\x01\0x", 4));
  DiskFile file;
  file.Take(Path("a.pb"), "HloModule a");
  EXPECT_FALSE(file.holds_text());
  EXPECT_EQ(file.Look(), DiskFile::State::kSame);
  Write("a.pb", std::string("\x0a\x02\0xy", 5));
  EXPECT_EQ(file.Look(), DiskFile::State::kChanged);
}

TEST_F(FilesTest, SavingLeavesLinksAndRights) {
  Write("real.hlo", "one");
  fs::permissions(Path("real.hlo"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(Path("real.hlo"), Path("link.hlo"));
  ASSERT_TRUE(SaveFile(Path("link.hlo"), "two").ok());
  EXPECT_TRUE(fs::is_symlink(Path("link.hlo")));
  EXPECT_EQ(Read("real.hlo"), "two");
  EXPECT_EQ(fs::status(Path("real.hlo")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  // Nothing is left beside it.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 2);
}

TEST_F(FilesTest, SavingSaysWhatIsWrong) {
  const absl::Status nowhere = SaveFile(Path("none/a.hlo"), "x");
  EXPECT_NE(nowhere.message().find("is not there"), absl::string_view::npos);
  EXPECT_FALSE(fs::exists(Path("none")));
  fs::create_directory(Path("folder"));
  EXPECT_NE(SaveFile(Path("folder"), "x").message().find("it is a folder"), absl::string_view::npos);
  if (access("/dev/full", W_OK) != 0) return;
  EXPECT_FALSE(SaveFile("/proc/hloscope.hlo", "x").ok());
}

TEST_F(FilesTest, AFolderWithoutRightsIsWrittenInPlace) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  Write("a.hlo", "one");
  Write("read_only.hlo", "one");
  fs::permissions(Path("read_only.hlo"), fs::perms::owner_read);
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_TRUE(SaveFile(Path("a.hlo"), "two").ok());
  EXPECT_EQ(Read("a.hlo"), "two");
  EXPECT_FALSE(SaveFile(Path("read_only.hlo"), "two").ok());
  EXPECT_FALSE(SaveFile(Path("new.hlo"), "two").ok());
}

TEST_F(FilesTest, NewProgramsHaveNamesOfTheirOwn) {
  KeptText kept(Path("config")), other(Path("config"));
  const std::string first = kept.DraftName("untitled.hlo", "");
  EXPECT_EQ(fs::path(first).filename(), "untitled.hlo");
  EXPECT_TRUE(kept.IsDraft(first));
  EXPECT_FALSE(kept.IsDraft(Path("untitled.hlo")));
  EXPECT_EQ(fs::path(kept.DraftName("untitled.hlo", first)).filename(), "untitled-2.hlo");
  EXPECT_EQ(KeptText("").DraftName("untitled.hlo", ""), "untitled.hlo");
  EXPECT_TRUE(kept.Drafts().empty());
  EXPECT_FALSE(kept.Take(first).has_value());
  // It has the name, though nothing was typed yet.
  EXPECT_EQ(fs::path(other.DraftName("untitled.hlo", "")).filename(), "untitled-2.hlo");
  ASSERT_TRUE(kept.Keep(first, "", "typed").ok());
  EXPECT_EQ(kept.Drafts().size(), 1);
  EXPECT_TRUE(other.Drafts().empty());
}

TEST_F(FilesTest, EachWindowKeepsATextOfItsOwn) {
  const std::string config = Path("config"), program = Path("a.hlo"), another = Path("b.hlo");
  std::optional<KeptText> one(config), two(config);
  EXPECT_FALSE(one->Take(program).has_value());
  ASSERT_TRUE(one->Keep(program, "base", "of one").ok());
  // What a living window keeps is neither seen nor dropped by another, whose own text does not go over it.
  EXPECT_FALSE(two->Take(program).has_value());
  EXPECT_TRUE(two->ChangedElsewhere(program));
  EXPECT_FALSE(one->ChangedElsewhere(program));
  two->Drop(program);
  ASSERT_TRUE(two->Keep(program, "base", "of two").ok());
  EXPECT_EQ(one->Look(program)->text, "of one");
  EXPECT_EQ(two->Look(program)->text, "of two");
  // Both end: both texts come back, one after the other.
  one.reset();
  two.reset();
  KeptText next(config), second(config);
  ASSERT_TRUE(next.Look(program).has_value());
  const std::optional<KeptText::Unsaved> back = next.Take(program);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->text, "of one");
  EXPECT_EQ(back->base, "base");
  EXPECT_EQ(second.Take(program)->text, "of two");
  // A window that goes on to another program gives the place back; what is dropped stays away.
  next.Drop(program);
  EXPECT_FALSE(next.Take(another).has_value());
  EXPECT_FALSE(KeptText(config).Take(program).has_value());
  EXPECT_FALSE(second.Take(another).has_value());
  EXPECT_EQ(KeptText(config).Take(program)->text, "of two");
}

TEST_F(FilesTest, EachWindowBringsOnlyWhatChangedInIt) {
  const std::string config = Path("config"), program = Path("a.hlo");
  // Both begin with what the last one left.
  const KeptStops begin = {{"break e\n", "break x\nignore last 3\n", "display y\n"}, {{"early", "0:0:0:1"}}};
  ASSERT_TRUE(KeepStops(config, program, {}, begin).ok());
  EXPECT_EQ(ReadKeptStops(config, program), begin);
  // One sets a stop and deletes another; the other one, which has not seen that, counts on, and sets one too.
  KeptStops one = begin, two = begin;
  one.stops = {"break x\nignore last 3\n", "display y\n", "break new\ncommands last\n  print y\nend\n"};
  one.bookmarks["m1"] = "0:0:0:2";
  two.stops = {"break e\n", "break x\nignore last 2\n", "watch y in main\n", "display y\n"};
  two.bookmarks = {{"m1", "0:0:0:3"}};
  ASSERT_TRUE(KeepStops(config, program, begin, one).ok());
  ASSERT_TRUE(KeepStops(config, program, begin, two).ok());
  KeptStops both = {{"break x\nignore last 2\n", "display y\n", "break new\ncommands last\n  print y\nend\n", "watch y in main\n"},
                    {{"m1", "0:0:0:2"}, {"m1-2", "0:0:0:3"}}};
  EXPECT_EQ(ReadKeptStops(config, program), both);
  // Its bookmark goes, whatever it is called there; what the first one has stays.
  KeptStops without = two;
  without.bookmarks.clear();
  ASSERT_TRUE(KeepStops(config, program, two, without).ok());
  both.bookmarks.erase("m1-2");
  EXPECT_EQ(ReadKeptStops(config, program), both);
  // Nothing new is nothing to write, also where another one has deleted what it still has.
  ASSERT_TRUE(KeepStops(config, program, without, without).ok());
  EXPECT_EQ(ReadKeptStops(config, program), both);
  EXPECT_EQ(ReadKeptStops(config, Path("b.hlo")), KeptStops());
}

TEST(KeptStops, TellsStopsOfTheSameLineApart) {
  const KeptStops two = {{"break e\n", "break e\ndisable last\n"}, {}}, one = {{"break e\n"}, {}};
  EXPECT_EQ(Merged(one, two, one), two);
  EXPECT_EQ(Merged(two, one, two), one);
  EXPECT_EQ(Merged(one, {}, two).stops, std::vector<std::string>{"break e\ndisable last\n"});
}

}  // namespace
}  // namespace hloscope
