#include "core/base/seconds_text.h"

#include "gtest/gtest.h"

namespace hloscope {
namespace {

TEST(SecondsText, ThreeDigitsInTheUnitThatFits) {
  EXPECT_EQ(SecondsText(0), "0 \u00b5s");
  EXPECT_EQ(SecondsText(2.25e-6), "2.25 \u00b5s");
  EXPECT_EQ(SecondsText(0.9999e-3), "1 ms");
  EXPECT_EQ(SecondsText(0.01234), "12.3 ms");
  EXPECT_EQ(SecondsText(0.9999), "1 s");
  EXPECT_EQ(SecondsText(83.4), "83.4 s");
}

}  // namespace
}  // namespace hloscope
