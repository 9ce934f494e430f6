// Text in HTML, SVG and XML: escaped, and nothing that XML does not hold.
#include "core/base/markup.h"

#include "gtest/gtest.h"

namespace hloscope {
namespace {

TEST(Markup, EscapesTheCharactersOfTags) { EXPECT_EQ(EscapeMarkup("<a&\"b\">\n\t'"), "&lt;a&amp;&quot;b&quot;&gt;\n\t'"); }

TEST(Markup, ControlCharactersAreReplaced) { EXPECT_EQ(EscapeMarkup(absl::string_view("a\x01\x00\x7f\x1bz", 6)), "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDz"); }

TEST(Markup, OtherLettersStay) {
  EXPECT_EQ(EscapeMarkup("ñ → 𝛼"), "ñ → 𝛼");
}

TEST(Markup, BytesThatAreNoTextAreReplaced) {
  EXPECT_EQ(EscapeMarkup("\xff<\xc3"), "\xEF\xBF\xBD&lt;\xEF\xBF\xBD");
  EXPECT_EQ(EscapeMarkup("\xc0\xaf"), "\xEF\xBF\xBD\xEF\xBF\xBD");          // overlong
  EXPECT_EQ(EscapeMarkup("\xed\xa0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
}

TEST(Markup, LineEndsOfAttributesAreKept) { EXPECT_EQ(EscapeAttribute("a\nb\t\"c\""), "a&#10;b&#9;&quot;c&quot;"); }

}  // namespace
}  // namespace hloscope
