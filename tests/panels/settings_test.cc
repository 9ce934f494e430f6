// What windows beside each other keep: each brings what was changed in it, and loses nothing of the others.
#include "visualizer/shell/settings.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using ::testing::ElementsAre;

class SettingsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/settings_" + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(SettingsTest, WhatIsKeptIsReadBack) {
  Settings now;
  now.light = true;
  now.motion = false;
  now.scale = 1.25;
  now.width = 1280;
  now.height = 720;
  now.recent = {"/b.hlo", "/a.hlo"};
  now.layout = R"({"split":0.25})";
  now.panels = R"({"graph":{"colour":"time"}})";
  const absl::StatusOr<Settings> kept = KeepSettings(LoadSettings(folder_), now, folder_);
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_EQ(*kept, now);
  EXPECT_EQ(LoadSettings(folder_), now);
}

TEST_F(SettingsTest, EachWindowBringsOnlyWhatChangedInIt) {
  Settings begin;
  begin.recent = {"/c.hlo", "/b.hlo", "/a.hlo"};
  begin.layout = R"({"split":0.25})";
  begin.panels = R"({"graph":{"colour":"opcode"},"value":{"digits":4}})";
  ASSERT_TRUE(KeepSettings(Settings(), begin, folder_).ok());
  Settings one = begin, two = begin;
  one.light = true;
  one.Remember("/new.hlo");
  one.panels = R"({"graph":{"colour":"time"},"value":{"digits":4}})";
  two.layout = R"({"split":0.5})";
  two.Remember("/a.hlo");
  two.recent.erase(two.recent.begin() + 2);  // forgets b
  two.panels = R"({"graph":{"colour":"opcode"},"value":{"digits":8},"why":{"depth":2}})";
  ASSERT_TRUE(KeepSettings(begin, one, folder_).ok());
  const absl::StatusOr<Settings> both = KeepSettings(begin, two, folder_);
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_TRUE(both->light);
  EXPECT_EQ(both->layout, two.layout);
  EXPECT_THAT(both->recent, ElementsAre("/a.hlo", "/new.hlo", "/c.hlo"));
  EXPECT_EQ(nlohmann::json::parse(both->panels), nlohmann::json::parse(R"({"graph":{"colour":"time"},"value":{"digits":8},"why":{"depth":2}})"));
  EXPECT_EQ(LoadSettings(folder_), *both);
  // Who has changed nothing writes nothing over it.
  const absl::StatusOr<Settings> again = KeepSettings(one, one, folder_);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, *both);
}

TEST_F(SettingsTest, WhatIsPushedOutIsNotForgotten) {
  Settings full, other;
  for (int k = 0; k < 12; ++k) full.Remember("/" + std::to_string(k));
  other.recent = {"/x", "/0"};
  Settings now = full;
  now.Remember("/new");  // pushes /0 out
  EXPECT_EQ(MergedSettings(full, now, other).recent, (std::vector<std::string>{"/new", "/x", "/0"}));
}

TEST_F(SettingsTest, DamagedFilesGiveTheStandardSettings) {
  ASSERT_TRUE(KeepSettings(Settings(), Settings(), folder_).ok());
  std::filesystem::resize_file(folder_ + "/window.json", 5);
  EXPECT_EQ(LoadSettings(folder_), Settings());
}

}  // namespace
}  // namespace hloscope
