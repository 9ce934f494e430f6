// The keys of panels and actions: each has one that can be read, and does one thing.
#include "visualizer/widgets/keys.h"

#include <map>
#include <string>

#include "gtest/gtest.h"
#include "visualizer/panels/panel.h"
#include "visualizer/shell/actions.h"

namespace hloscope {
namespace {

TEST(KeysTest, EachKeyDoesOneThing) {
  std::map<std::string, std::string> owners;
  const auto take = [&owners](const std::string& keys, const std::string& who) {
    EXPECT_FALSE(keys.empty()) << who << " has no key";
    EXPECT_TRUE(ui::ParseChord(keys).has_value()) << who << ": " << keys << " is no key";
    const auto [it, fresh] = owners.emplace(keys, who);
    EXPECT_TRUE(fresh) << keys << " belongs to " << it->second << " and to " << who;
  };
  for (const PanelRow& row : PanelRows()) take(row.keys, std::string("the panel ") + row.id);
  for (const Action& action : Actions()) take(action.keys, std::string("the action ") + action.id);
  for (const char* menu : MenuNames()) take(MenuKeys(menu), std::string("the menu ") + menu);
  EXPECT_GT(owners.size(), 20u);
}

// Keys of one panel may be those of another, but not a menu's, a panel's or an action's.
TEST(KeysTest, KeysOfAPanelAreItsOwn) {
  std::map<std::string, std::string> owners;
  for (const PanelRow& row : PanelRows()) owners[row.keys] = row.id;
  for (const Action& action : Actions()) owners[action.keys] = action.id;
  for (const PanelKey& key : PanelKeys()) {
    EXPECT_TRUE(ui::ParseChord(key.keys).has_value()) << key.keys;
    EXPECT_EQ(owners.count(key.keys), 0u) << key.keys << " in " << key.panel << " belongs to " << owners[key.keys];
    EXPECT_TRUE(owners.emplace(std::string(key.panel) + " " + key.keys, key.what).second) << key.panel << " has " << key.keys << " twice";
  }
}

}  // namespace
}  // namespace hloscope
