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
  EXPECT_GT(owners.size(), 20u);
}

}  // namespace
}  // namespace hloscope
