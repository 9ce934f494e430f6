// The table of pictures.
#include <set>

#include "gtest/gtest.h"
#include "visualizer/pictures/picture.h"

namespace hloscope {
namespace {

TEST(PictureTable, EachRowHasItsOwnNameAndSaysWhatItShows) {
  std::set<std::string> ids;
  for (const PictureRow& row : PictureRows()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id << " is listed twice";
    EXPECT_STRNE(row.title, "") << row.id;
    EXPECT_STRNE(row.help, "") << row.id;
    EXPECT_EQ(FindPictureRow(row.id), &row);
  }
  EXPECT_EQ(FindPictureRow("no such picture"), nullptr);
}

}  // namespace
}  // namespace hloscope
