// Drawings: what they cover, how text is measured and cut, what lies under the mouse.
#include "visualizer/canvas/drawing.h"

#include "gtest/gtest.h"
#include "visualizer/canvas/typeface.h"

namespace hloscope {
namespace {

std::string OnlyText(const Drawing& d) {
  std::string text;
  for (const Drawn& item : d.items()) {
    if (const auto* it = std::get_if<DrawnText>(&item)) text += it->text;
  }
  return text;
}

TEST(Text, HasTheTypefacesOwnWidths) {
  // JetBrains Mono: every letter has 0.6 em, with or without the font.
  EXPECT_FLOAT_EQ(TextWidth("0.3125", Face::kMono, 10), 36);
  EXPECT_FLOAT_EQ(TextWidth("≤π", Face::kMono, 10), 12);
  EXPECT_FLOAT_EQ(TextWidth("", Face::kUi, 10), 0);
  EXPECT_GT(TextWidth("mmmm", Face::kUi, 10), 2 * TextWidth("iiii", Face::kUi, 10));
  EXPECT_FLOAT_EQ(TextWidth("gather", Face::kUi, 26), 2 * TextWidth("gather", Face::kUi, 13));
  EXPECT_GT(TextAscent(Face::kUi, 10), CapHeight(Face::kUi) * 10);
  EXPECT_GT(TextDescent(Face::kMono, 10), 1);
}

TEST(Text, ReadsUtf8AndSurvivesWhatIsNone) {
  absl::string_view text = "a≤\xf0\x9f\x98\x80\xff\xe2\x89";
  EXPECT_EQ(TakeCharacter(text), 'a');
  EXPECT_EQ(TakeCharacter(text), 0x2264u);
  EXPECT_EQ(TakeCharacter(text), 0x1f600u);
  EXPECT_EQ(TakeCharacter(text), 0xfffdu);
  EXPECT_EQ(TakeCharacter(text), 0xfffdu);
  EXPECT_EQ(TakeCharacter(text), 0xfffdu);
  EXPECT_TRUE(text.empty());
}

TEST(Text, LettersThatTheTypefacesLackComeFromOtherFonts) {
  EXPECT_EQ(CellsOf('a'), 1);
  EXPECT_EQ(CellsOf(0x3a9), 1);    // Omega
  EXPECT_EQ(CellsOf(0x2192), 1);   // an arrow
  EXPECT_EQ(CellsOf(0x6f22), 2);   // Chinese
  EXPECT_EQ(CellsOf(0xd55c), 2);   // Korean
  EXPECT_EQ(CellsOf(0x1f642), 2);  // an emoji
  EXPECT_EQ(CellsOf(0x301), 0);    // a combining accent
  EXPECT_EQ(CellsOf(0xfe0f), 0);
  if (GlyphOf(Face::kMono, 'a').font < 0) GTEST_SKIP() << "no fonts are installed";
  EXPECT_FALSE(IsForeign(Face::kMono, 'a'));
  for (const uint32_t c : {0x6f22u, 0x3042u, 0xd55cu, 0x1f642u, 0x1f9eeu, 0x0e01u, 0x21a6u, 0x2714u}) {
    EXPECT_NE(GlyphOf(Face::kMono, c).glyph, 0u) << std::hex << c << ": install the fonts of app/packages.txt";
    EXPECT_GT(RasterGlyph(Face::kUi, c, 20, 0).width, 4) << std::hex << c;
  }
  EXPECT_TRUE(IsForeign(Face::kUi, 0x6f22));
  EXPECT_EQ(RasterGlyph(Face::kUi, 0xfe0f, 20, 0).width, 0);
}

TEST(Text, IsCutWithAnEllipsisOrLeftOut) {
  const TextStyle mono{10, Face::kMono};
  Drawing d;
  d.AddTextIn({0, 0, 36, 20}, "123456", mono);
  EXPECT_EQ(OnlyText(d), "123456");
  Drawing cut;
  cut.AddTextIn({0, 0, 30, 20}, "123456", mono);
  EXPECT_EQ(OnlyText(cut), "1234…");
  Drawing none;
  none.AddTextIn({0, 0, 10, 20}, "123456", mono);
  EXPECT_EQ(OnlyText(none), "");
}

TEST(Text, BreaksAtSpaces) {
  Drawing d;
  const float height = d.AddParagraph({10, 20}, 60, "one two three four", {10, Face::kMono});
  EXPECT_FLOAT_EQ(height, 29);
  ASSERT_EQ(d.items().size(), 2u);
  EXPECT_EQ(std::get<DrawnText>(d.items()[0]).text, "one two");
  EXPECT_EQ(std::get<DrawnText>(d.items()[1]).text, "three four");
}

TEST(Drawing, CoversWhatIsSeen) {
  Drawing d;
  d.AddBox({10, 10, 30, 20}, Ink::kRaised);
  EXPECT_EQ(d.width(), 40);
  EXPECT_EQ(d.height(), 30);
  d.BeginClip({0, 0, 50, 50});
  d.BeginClip({20, 20, 100, 15});
  d.AddBox({0, 0, 500, 500}, Ink::kRaised);
  d.AddSpot({.box = {0, 0, 500, 500}, .hint = "inside"});
  d.EndClip();
  d.EndClip();
  d.EndClip();  // one too many does nothing
  EXPECT_EQ(d.width(), 50);
  EXPECT_EQ(d.height(), 35);
  EXPECT_EQ(d.SpotAt({10, 10}), nullptr);
  ASSERT_NE(d.SpotAt({30, 30}), nullptr);
  EXPECT_EQ(d.SpotAt({30, 30})->hint, "inside");
  d.SetSize(45, 80);
  EXPECT_EQ(d.width(), 50);
  EXPECT_EQ(d.height(), 80);
}

TEST(Drawing, AppendsMoved) {
  Drawing inner, d;
  inner.AddLine({0, 0}, {10, 0}, {Ink::kBlue, 2});
  inner.AddSpot({.box = {0, 0, 10, 4}, .is_cell = true, .cell = {3, {1, 2}}});
  d.Append(inner, 100, 50);
  EXPECT_EQ(std::get<DrawnLine>(d.items()[0]).points[1].x, 110);
  EXPECT_EQ(d.width(), 111);
  ASSERT_NE(d.SpotAt({105, 52}), nullptr);
  EXPECT_EQ(d.SpotAt({105, 52})->cell, (Cell{3, {1, 2}}));
}

TEST(Drawing, TheTopmostSpotIsFound) {
  Drawing d;
  d.AddSpot({.box = {0, 0, 100, 100}, .hint = "below"});
  d.AddSpot({.box = {10, 10, 10, 10}, .hint = "above"});
  EXPECT_EQ(d.SpotAt({15, 15})->hint, "above");
  EXPECT_EQ(d.SpotAt({50, 50})->hint, "below");
}

}  // namespace
}  // namespace hloscope
