// The picture of a number's bits, for every type.
#include <tuple>

#include "gmock/gmock.h"
#include "tests/pictures/making.h"

namespace hloscope {
namespace {

using ::testing::HasSubstr;

std::string NumbersOf(const std::string& type, const std::string& literal, const PictureSelection& selection = {}) {
  RunProgram run("x = " + type + "[] constant(" + literal + ")\nROOT t = (" + type + "[]) tuple(x)");
  EXPECT_EQ(run.problems(), "") << type << " " << literal;
  if (!run.problems().empty()) return "";
  const absl::StatusOr<MadePicture> made = FindPictureRow("numbers")->draw(run.DataOf(*run.Find("x")), selection);
  EXPECT_TRUE(made.ok()) << made.status();
  if (made.ok()) EXPECT_EQ(CutText(made->drawing), "") << type << " " << literal;
  return made.ok() ? TextOf(*made) : "";
}

TEST(NumbersPicture, TakesAFloatApart) {
  const std::string text = NumbersOf("f32", "0.1");
  EXPECT_THAT(text, HasSubstr("0x3dcccccd"));
  EXPECT_THAT(text, HasSubstr("123 - 127 = -4"));
  EXPECT_THAT(text, HasSubstr("Exactly 0.100000001490116119384765625."));
  EXPECT_THAT(text, HasSubstr("2^-27"));
}

TEST(NumbersPicture, HasRoomForLongNumbers) {
  for (const char* literal : {"0.1", "-0.1", "1.7976931348623157e308", "-5e-324", "123456.789"}) EXPECT_THAT(NumbersOf("f64", literal), HasSubstr("The numbers next to it"));
}

TEST(NumbersPicture, KnowsTheEdgesOfEachFloatType) {
  for (const char* type : {"f4e2m1fn", "f6e2m3fn", "f6e3m2fn", "f8e3m4", "f8e4m3", "f8e4m3fn", "f8e4m3b11fnuz", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "f8e8m0fnu", "bf16", "f16", "f32", "f64"}) {
    EXPECT_THAT(NumbersOf(type, "1"), HasSubstr("normal")) << type;
    EXPECT_THAT(NumbersOf(type, "1"), HasSubstr("largest")) << type;
  }
  EXPECT_THAT(NumbersOf("f8e4m3fn", "448"), HasSubstr("largest 448"));
  EXPECT_THAT(NumbersOf("f8e5m2", "57344"), HasSubstr("largest 5.734e+04"));
  EXPECT_THAT(NumbersOf("f32", "1e-40"), HasSubstr("denormal"));
  EXPECT_THAT(NumbersOf("f32", "inf"), HasSubstr("infinity: the highest exponent"));
  EXPECT_THAT(NumbersOf("bf16", "nan"), HasSubstr("NaN: "));
  EXPECT_THAT(NumbersOf("f64", "-0"), HasSubstr("negative zero"));
}

TEST(NumbersPicture, WholeNumbersPredicatesAndComplexOnes) {
  EXPECT_THAT(NumbersOf("s8", "-5"), HasSubstr("-2^7"));
  EXPECT_THAT(NumbersOf("u64", "18446744073709551615"), HasSubstr("18446744073709551615"));
  EXPECT_THAT(NumbersOf("s1", "-1"), HasSubstr("-2^0"));
  EXPECT_THAT(NumbersOf("pred", "true"), HasSubstr("true"));
  EXPECT_THAT(NumbersOf("c64", "(1, -2)"), HasSubstr("im %x"));
}

// 2^53 + 1 lies between two numbers of f64.
TEST(NumbersPicture, LargeIntegersAreNotExactInDoubles) {
  for (const char* type : {"s64", "u64"}) {
    EXPECT_THAT(NumbersOf(type, "9007199254740993"), HasSubstr("f64 9007199254740992 1.1e-16")) << type;
    EXPECT_THAT(NumbersOf(type, "9007199254740992"), HasSubstr("f64 9007199254740992 exact")) << type;
  }
}

// Whether a line of the picture says the number that its type has, and no rounder one.
TEST(NumbersPicture, FractionsHaveAllTheirDigits) {
  EXPECT_THAT(NumbersOf("f64", "1.7976931348623157e308"), HasSubstr("/ 4503599627370496 = 1.9999999999999998"));
  EXPECT_THAT(NumbersOf("f32", "0.1"), HasSubstr("/ 8388608 = 1.60000002"));
}

TEST(NumbersPicture, ANanHasItsSign) {
  EXPECT_THAT(NumbersOf("f32", "-nan"), HasSubstr("= -nan 0xffc00000"));
  EXPECT_THAT(NumbersOf("f32", "nan"), HasSubstr("= nan 0x7fc00000"));
  EXPECT_THAT(NumbersOf("bf16", "-nan"), HasSubstr("-NaN: "));
  EXPECT_THAT(NumbersOf("f8e4m3fnuz", "nan"), HasSubstr("= nan 0x80"));  // its only one
}

TEST(NumbersPicture, ANumberOutsideOfATypeIsLost) {
  for (const auto& [type, literal, row] :
       {std::tuple("s4", "-8", "u8 248 lost"), std::tuple("u8", "255", "s8 -1 lost"), std::tuple("f32", "-16", "f4e2m1fn -6 lost"),
        std::tuple("f32", "1.5", "s8 1 0.33"), std::tuple("f32", "7", "f4e2m1fn 6 0.14")}) {
    std::string text = NumbersOf(type, literal);
    text.erase(std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }), text.end());
    EXPECT_THAT(text, HasSubstr(row)) << type << " " << literal;
  }
}

// A NaN that the sign alone makes has no exponent and no payload; a smallest normal number that is 1 is named once.
TEST(NumbersPicture, TypesThatAreOtherwise) {
  const std::string nan = NumbersOf("f8e4m3fnuz", "nan");
  EXPECT_THAT(nan, ::testing::Not(HasSubstr("payload")));
  EXPECT_THAT(nan, ::testing::Not(HasSubstr("special")));
  EXPECT_THAT(NumbersOf("f8e4m3fn", "nan"), HasSubstr("NaN"));
  EXPECT_THAT(NumbersOf("f32", "nan"), HasSubstr("payload"));
  EXPECT_THAT(NumbersOf("f4e2m1fn", "6"), HasSubstr("smallest normal 1 largest 6"));
}

TEST(NumbersPicture, BitsCanBeFlipped) {
  PictureSelection selection;
  selection.options["bits"] = "0x40000000";
  const std::string text = NumbersOf("f32", "1", selection);
  EXPECT_THAT(text, HasSubstr("= 2"));
  EXPECT_THAT(text, HasSubstr("bits changed"));
}

TEST(NumbersPicture, AConversionSaysHowFarItRounded) {
  RunProgram run("x = f32[2] constant({0.1, 0.5})\nROOT y = bf16[2] convert(x)");
  ASSERT_EQ(run.problems(), "");
  EXPECT_STREQ(PicturesFor(*run.Find("y")).front()->id, "numbers");
  PictureSelection selection;
  selection.pinned = Cell{kResultArray, {0}};
  EXPECT_THAT(TextOf(*FindPictureRow("numbers")->draw(run.DataOf(*run.Find("y")), selection)), HasSubstr("0.2 of a spacing away"));
  selection.pinned = Cell{kResultArray, {1}};
  EXPECT_THAT(TextOf(*FindPictureRow("numbers")->draw(run.DataOf(*run.Find("y")), selection)), HasSubstr("It was not rounded"));
}

TEST(NumbersPicture, BelowAPowerOfTwoTheSpacingIsThatBelow) {
  RunProgram run("x = f32[1] constant({0.1})\nROOT y = f8e8m0fnu[1] convert(x)");
  ASSERT_EQ(run.problems(), "");
  PictureSelection selection;
  selection.pinned = Cell{kResultArray, {0}};
  EXPECT_THAT(TextOf(*FindPictureRow("numbers")->draw(run.DataOf(*run.Find("y")), selection)), HasSubstr("0.4 of a spacing away"));
}

TEST(NumbersPicture, AConversionOfALargeIntegerSaysThatItRounded) {
  RunProgram run("x = s64[1] constant({9007199254740993})\nROOT y = f64[1] convert(x)");
  ASSERT_EQ(run.problems(), "");
  PictureSelection selection;
  selection.pinned = Cell{kResultArray, {0}};
  EXPECT_THAT(TextOf(*FindPictureRow("numbers")->draw(run.DataOf(*run.Find("y")), selection)), HasSubstr("It was rounded from 9007199254740993 (the amber mark), 0.5 of a spacing away"));
}

}  // namespace
}  // namespace hloscope
