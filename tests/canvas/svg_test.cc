// Drawings as SVG files: what stands in them, letter by letter.
#include "visualizer/canvas/svg.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Svg, IsSmallAndReadable) {
  Drawing d;
  d.title = "a < b";
  d.AddBox({0.5f, 0.5f, 40, 20}, {Ink::kTeal, 0.25f}, Ink::kBorder, 2);
  d.AddText({20, 14}, "f32", {10, Face::kMono, Ink::kText, Align::kCenter});
  d.AddLine({0, 30}, {40, 30}, {.paint = Ink::kBlue, .arrow = true});
  d.AddSpot({.box = {0, 0, 40, 20}, .hint = "dim 0 & dim 1"});
  EXPECT_EQ(WriteSvg(d), R"(<svg xmlns="http://www.w3.org/2000/svg" width="41" height="31" viewBox="0 0 41 31" role="img">
<title>a &lt; b</title>
<style>text{font-kerning:none;font-variant-ligatures:none;white-space:pre}.u,.s{font-family:Inter, 'DejaVu Sans', sans-serif}.m,.b{font-family:'JetBrains Mono', 'DejaVu Sans Mono', monospace}.s{font-weight:600}.b{font-weight:700}</style>
<rect width="41" height="31" fill="#ffffff"/>
<rect x="0.5" y="0.5" width="40" height="20" rx="2" fill="#00796b" fill-opacity="0.25" stroke="#d5d9e1"/>
<text class="m" x="20" y="14" font-size="10" text-anchor="middle" textLength="18" lengthAdjust="spacingAndGlyphs" fill="#1d2129">f32</text>
<path d="M0 30.5L34.8 30.5" fill="none" stroke="#1763c6"/>
<path d="M40 30.5L33.5 33.43L33.5 27.58Z" fill="#1763c6"/>
<rect x="0" y="0" width="40" height="20" fill="#000" fill-opacity="0"><title>dim 0 &amp; dim 1</title></rect>
</svg>
)");
}

TEST(Svg, HatchesClipsAndImages) {
  Drawing d;
  d.BeginClip({0, 0, 20, 20});
  d.AddHatchedBox({0, 0, 60, 20}, Ink::kSunken, Ink::kFaint);
  d.AddHatchedBox({0, 0, 10, 10}, {}, Ink::kFaint);
  d.EndClip();
  DrawnImage image{{0, 20, 20, 20}, 2, 1, {0xff0000ff, 0xffff0000}};
  d.AddImage(image);
  const std::string svg = WriteSvg(d, {.scheme = PaletteScheme::kDark, .scale = 2, .background = false});
  EXPECT_THAT(svg, HasSubstr("width=\"40\" height=\"80\" viewBox=\"0 0 20 40\""));
  EXPECT_THAT(svg, HasSubstr("<clipPath id=\"c0\"><rect x=\"0\" y=\"0\" width=\"20\" height=\"20\"/></clipPath>"));
  EXPECT_THAT(svg, HasSubstr("<pattern id=\"h0\""));
  EXPECT_THAT(svg, Not(HasSubstr("<pattern id=\"h1\"")));  // one for each colour
  EXPECT_THAT(svg, HasSubstr("href=\"data:image/png;base64,iVBORw0KGgo"));
  EXPECT_THAT(svg, Not(HasSubstr("<rect width=\"")));
}

TEST(Svg, TakesItsColoursFromThePageRoundIt) {
  Drawing d;
  d.AddBox({0, 0, 10, 10}, {Ink::kTeal, 0.5f}, Ink::kGroup3);
  d.AddHatchedBox({0, 0, 10, 10}, {}, Ink::kFaint);
  const std::string svg = WriteSvg(d, {.background = false, .variables = true});
  EXPECT_THAT(svg, HasSubstr("style=\"fill:var(--hls-teal);stroke:var(--hls-group3)\" fill-opacity=\"0.5\""));
  EXPECT_THAT(svg, Not(HasSubstr("id=\"h0\"")));  // names are the drawing's own
  EXPECT_THAT(SvgColors(PaletteScheme::kLight), HasSubstr("--hls-teal: #00796b;"));
}

TEST(Svg, EscapesWhatXmlDoesNotTake) {
  Drawing drawing;
  drawing.title = "<a&\x01>";
  EXPECT_NE(WriteSvg(drawing).find("<title>&lt;a&amp;\xEF\xBF\xBD&gt;</title>"), std::string::npos);
}

}  // namespace
}  // namespace hloscope
