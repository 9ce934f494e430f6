// The table of actions: each row is something that can be done, and is found.
#include "visualizer/shell/actions.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/command_table.h"
#include "gtest/gtest.h"
#include "visualizer/panels/panel_commands.h"
#include "visualizer/shell/window_commands.h"

namespace hloscope {
namespace {

bool WindowKnows(absl::string_view word) {
  const auto& rows = WindowCommandRows();
  return FindPanelRow(word) != nullptr || std::any_of(rows.begin(), rows.end(), [&](const WindowCommandRow& row) { return word == row.name; });
}

TEST(ActionsTest, EachIsACommandThatIsThere) {
  std::set<std::string> ids, labels;
  for (const Action& action : Actions()) {
    EXPECT_TRUE(ids.insert(action.id).second) << action.id << " stands twice";
    EXPECT_TRUE(labels.insert(action.label).second) << action.label << " stands twice";
    const std::string all(absl::string_view(action.command).substr(0, absl::string_view(action.command).find(" ... ")));
    for (absl::string_view command : absl::StrSplit(all, '|')) {
      EXPECT_NE(CommandOfLine(command), nullptr) << action.id << ": " << command;
      if (absl::ConsumePrefix(&command, "window ")) EXPECT_TRUE(WindowKnows(command.substr(0, command.find(' ')))) << action.id << ": " << command;
    }
    // What asks says so.
    EXPECT_EQ(absl::StrContains(action.command, " ... "), absl::EndsWith(action.label, "...") && all != "window open" && all != "window save-as") << action.id;
  }
}

TEST(ActionsTest, KeysOfPanelsDoWhatIsThere) {
  for (const PanelKey& key : PanelKeys()) {
    EXPECT_TRUE(absl::string_view(key.panel) == "lists" || FindPanelRow(key.panel) != nullptr) << key.panel;
    absl::string_view command = key.command;
    if (absl::ConsumePrefix(&command, "action ")) {
      EXPECT_TRUE(std::any_of(Actions().begin(), Actions().end(), [&](const Action& action) { return command == action.id; })) << key.command;
    } else if (!command.empty()) {
      EXPECT_TRUE(absl::ConsumePrefix(&command, "window ") && WindowKnows(command.substr(0, command.find(' ')))) << key.command;
    }
  }
}

TEST(ActionsTest, WithoutAProgramThereIsWhatNeedsNone) {
  const Snapshot nothing;
  EXPECT_EQ(CommandOf(FindAction("guide"), nothing), "window guide");
  EXPECT_EQ(CommandOf(FindAction("help"), nothing), "help");
  EXPECT_EQ(CommandOf(FindAction("open"), nothing), "window open");
  EXPECT_EQ(CommandOf(FindAction("format"), nothing), "");
  EXPECT_EQ(CommandOf(FindAction("continue"), nothing), "");
}

TEST(ActionsTest, WhatIsAskedIsNotPartOfTheCommand) {
  Snapshot now;
  now.phase = Phase::kBroken;
  std::string asks;
  EXPECT_EQ(CommandOf(FindAction("goto-line"), now, &asks), "window program goto");
  EXPECT_EQ(asks, "LINE");
  EXPECT_EQ(CommandOf(FindAction("format"), now, &asks), "window program format");
  EXPECT_EQ(asks, "");
}

TEST(ActionsTest, APanelThatIsToldSomethingComesToTheFront) {
  for (const PanelCommandRow& row : PanelCommandRows()) {
    const PanelRow* panel = PanelOfAnswer(absl::StrCat("window ", row.panel, " ", row.name));
    if (absl::string_view(row.panel) == "timeline") {
      EXPECT_EQ(panel, nullptr);
    } else {
      ASSERT_NE(panel, nullptr) << row.panel;
      EXPECT_STREQ(panel->id, row.panel);
    }
  }
}

TEST(ActionsTest, AProfileComesToTheFront) {
  for (const char* line : {"profile run", "profile run 3", "window profile flame"}) {
    const PanelRow* panel = PanelOfAnswer(line);
    ASSERT_NE(panel, nullptr) << line;
    EXPECT_STREQ(panel->id, "profile") << line;
  }
  for (const char* line : {"profile", "profile json run", "run", "window profiles", "window select %x", ""}) EXPECT_EQ(PanelOfAnswer(line), nullptr) << line;
}

TEST(ActionsTest, AMenuOfAPanelDoesNotRepeatItsName) {
  EXPECT_EQ(LabelWithin(FindAction("value-table"), "Look/Value"), "Table");
  EXPECT_EQ(LabelWithin(FindAction("cut"), "Edit/Text"), "Cut");
}

}  // namespace
}  // namespace hloscope
