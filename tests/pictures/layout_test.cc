// The picture of layouts: memory as the specification's table has it, what is tried out, and where elements go.
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "gmock/gmock.h"
#include "tests/pictures/making.h"

namespace hloscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// The memory's cells in order, as far as they are drawn: values, and the padding's.
std::string MemoryOf(const MadePicture& picture) {
  // Places stand under their cells: (x, y) of the number, and the text over it.
  std::vector<DrawnText> texts;
  for (const Drawn& item : picture.drawing.items()) {
    if (const auto* text = std::get_if<DrawnText>(&item)) texts.push_back(*text);
  }
  std::map<int, std::string> cells;
  for (const DrawnText& number : texts) {
    int place = 0;
    if (number.style.size != 9.5f || !absl::SimpleAtoi(number.text, &place)) continue;
    for (const DrawnText& value : texts) {
      if (std::abs(value.at.x - number.at.x) < 0.5f && number.at.y - value.at.y > 10 && number.at.y - value.at.y < 25) cells[place] = value.text;
    }
  }
  std::string out;
  for (const auto& [place, text] : cells) absl::StrAppend(&out, out.empty() ? "" : " ", text);
  return out;
}

MadePicture DrawX(const std::string& layout, const PictureSelection& selection = {}) {
  RunProgram run("x = s32[2,3]" + layout + " constant({{11, 12, 13}, {14, 15, 16}})\nROOT y = s32[2,3] negate(x)");
  EXPECT_EQ(run.problems(), "");
  absl::StatusOr<MadePicture> made = FindPictureRow("layout")->draw(run.DataOf(*run.Find("x")), selection);
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

// Letters count, not bytes: what is told of a cell stands in columns in every language.
TEST(LayoutPicture, ColumnsOfWordsWithAccents) {
  PictureSelection selection;
  selection.pinned = Cell{kResultArray, {1, 2}};
  selection.captions = Captions("es", {{"logical", "lógico"}, {"linear", "lineal"}, {"physical", "físico"}});
  selection.width = 300;
  const MadePicture picture = DrawX("{1,0}", selection);
  // Behind the names all begins in one column, lines that are broken too.
  std::set<float> columns;
  std::string told;
  bool begun = false;
  for (const Drawn& item : picture.drawing.items()) {
    const auto* text = std::get_if<DrawnText>(&item);
    if (text == nullptr || text->style.face != Face::kMono || text->style.size != 12) continue;
    begun = begun || text->text == "lógico";
    if (!begun) continue;
    absl::StrAppend(&told, text->text, "|");
    if (text->text != "lógico" && text->text != "lineal" && text->text != "físico") columns.insert(text->at.x);
  }
  EXPECT_EQ(told, "lógico|%x[1,2] = 16|lineal|y × 3 + x × 1 = 1 × 3 + 2 × 1 =|5|físico|5   bytes 20 to 23|");
  EXPECT_EQ(columns.size(), 1u);
}

// Why a layout that somebody tries is not possible, in the language of the picture.
TEST(LayoutPicture, SaysWhyALayoutIsNotPossible) {
  PictureSelection selection;
  selection.options["pad"] = "2,1";
  const auto said = [&](const std::string& text) {
    const MadePicture picture = DrawX("{1,0}", selection);
    return std::any_of(picture.drawing.items().begin(), picture.drawing.items().end(), [&](const Drawn& item) {
      const auto* t = std::get_if<DrawnText>(&item);
      return t != nullptr && absl::StrContains(t->text, text);
    });
  };
  EXPECT_TRUE(said("Not possible: expected dimension 1 of size 3 to be padded to at least that, found 1."));
  selection.captions = Captions("es", {{"Not possible: $0.", "No es posible: $0."}, {"expected dimension $0 of size $1 to be padded to at least that, found $2", "la dimensión $0 ($1) con relleno es $2"}});
  EXPECT_TRUE(said("No es posible: la dimensión 1 (3) con relleno es 1."));
}

TEST(LayoutPicture, MemoryIsAsTheSpecificationSays) {
  EXPECT_EQ(MemoryOf(DrawX("{0,1}")), "11 14 12 15 13 16");
  EXPECT_EQ(MemoryOf(DrawX("{1,0}")), "11 12 13 14 15 16");
  EXPECT_EQ(MemoryOf(DrawX("{0,1:PAD(3,5)=zero}")), "11 14 0 12 15 0 13 16 0 0 0 0 0 0 0");
  EXPECT_EQ(MemoryOf(DrawX("{1,0:PAD(3,5)=zero}")), "11 12 13 0 0 14 15 16 0 0 0 0 0 0 0");
}

TEST(LayoutPicture, TellsWhereTheSelectedElementLies) {
  PictureSelection selection;
  selection.pinned = Cell{kResultArray, {1, 2}};
  const std::string text = TextOf(DrawX("{0,1:PAD(3,5)=zero}", selection));
  EXPECT_THAT(text, HasSubstr("x × 3 + y × 1 = 2 × 3 + 1 × 1 = 7"));
  EXPECT_THAT(text, HasSubstr("bytes 28 to 31"));
  EXPECT_THAT(text, HasSubstr("60 bytes in memory, 36 bytes of them padding (60 %)"));
}

TEST(LayoutPicture, AnotherOrderPaddingAndTilesCanBeTriedOut) {
  PictureSelection selection;
  selection.live = true;
  selection.options["move"] = "0>0";
  EXPECT_EQ(MemoryOf(DrawX("{1,0}", selection)), "11 14 12 15 13 16");
  selection.options = {{"pad", "2,4"}, {"pad_value", "one"}};
  EXPECT_EQ(MemoryOf(DrawX("{1,0}", selection)), "11 12 13 1 14 15 16 1");
  selection.options = {{"tile", "2,2"}};
  const std::string tiled = TextOf(DrawX("{1,0}", selection));
  EXPECT_THAT(tiled, HasSubstr("tile after tile"));
  EXPECT_THAT(tiled, HasSubstr("undo"));
  // What is not a layout is said, and the program's own is drawn.
  selection.options = {{"pad", "1,3"}};
  const MadePicture wrong = DrawX("{0,1}", selection);
  EXPECT_THAT(TextOf(wrong), HasSubstr("Not possible"));
  EXPECT_EQ(MemoryOf(wrong), "11 14 12 15 13 16");
  selection.options = {{"minor_to_major", "nonsense"}, {"move", "7>9"}, {"tile", ","}, {"of", "99"}};
  EXPECT_THAT(TextOf(DrawX("{0,1}", selection)), HasSubstr("Not possible"));
}

TEST(LayoutPicture, WalksThroughMemory) {
  PictureSelection selection;
  selection.step = 1;
  const MadePicture made = DrawX("{0,1:PAD(3,5)=zero}", selection);
  EXPECT_EQ(made.steps, 15);
  EXPECT_EQ(made.step_text, "Place 1 in memory holds %x[1,0] = 14.");
  selection.step = 2;
  EXPECT_EQ(DrawX("{0,1:PAD(3,5)=zero}", selection).step_text, "Place 2 in memory is padding.");
}

TEST(LayoutPicture, ACopyIntoAnotherLayoutIsItsBestPicture) {
  RunProgram run("x = s32[2,3]{1,0} constant({{1, 2, 3}, {4, 5, 6}})\ny = s32[2,3]{0,1} copy(x)\nz = s32[2,3]{1,0} copy(x)\nROOT t = (s32[2,3]{0,1}, s32[2,3]{1,0}) tuple(y, z)");
  ASSERT_EQ(run.problems(), "");
  EXPECT_STREQ(PicturesFor(*run.Find("y")).front()->id, "layout");
  EXPECT_STRNE(PicturesFor(*run.Find("z")).front()->id, "layout");
  PictureSelection selection;
  selection.hovered = Cell{0, {0, 1}};
  const absl::StatusOr<MadePicture> made = FindPictureRow("layout")->draw(run.DataOf(*run.Find("y")), selection);
  ASSERT_TRUE(made.ok());
  EXPECT_THAT(TextOf(*made), HasSubstr("Memory of %x"));
  EXPECT_THAT(TextOf(*made), HasSubstr("Memory of %y"));
}

TEST(LayoutPicture, DrawsScalarsEmptyArraysAndWithoutValues) {
  RunProgram run("a = f32[] constant(1)\nb = f32[0,3] constant({})\nc = s4[3]{0:E(4)} constant({1, -2, 3})\nROOT t = (f32[], f32[0,3], s4[3]{0:E(4)}) tuple(a, b, c)");
  ASSERT_EQ(run.problems(), "");
  for (const char* name : {"a", "b", "c"}) {
    PictureData data;
    data.instruction = run.Find(name);
    EXPECT_TRUE(FindPictureRow("layout")->draw(data, {}).ok()) << name;
    EXPECT_TRUE(FindPictureRow("layout")->draw(run.DataOf(*run.Find(name)), {}).ok()) << name;
  }
  EXPECT_THAT(TextOf(*FindPictureRow("layout")->draw(run.DataOf(*run.Find("c")), {})), HasSubstr("3 elements of 4 bits: 2 bytes"));
}

// From a row of memory to another one: on the lines between cells.
TEST(LayoutPicture, MovesCrossNoNumber) {
  RunProgram run("n = s32[40] iota(), iota_dimension=0\na = s32[8,5]{1,0} reshape(n)\nROOT b = s32[8,5]{0,1:T(2,4)} copy(a)");
  ASSERT_EQ(run.problems(), "");
  const PictureData data = run.DataOf(*run.module().entry->root);
  int arrows = 0;
  for (int64_t e = 0; e < 40; ++e) {
    PictureSelection selection;
    selection.pinned = Cell{kResultArray, {e / 5, e % 5}};
    const absl::StatusOr<MadePicture> made = FindPictureRow("layout")->draw(data, selection);
    ASSERT_TRUE(made.ok());
    ASSERT_EQ(CrossedNumber(made->drawing, &arrows), "") << "element " << e;
  }
  EXPECT_GE(arrows, 40);
}

}  // namespace
}  // namespace hloscope
