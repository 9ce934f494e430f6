// What the window keeps between starts: colours, size, layout, recent files. A small JSON file, written whole and renamed into place. Several
// windows may be open.
#ifndef HLOSCOPE_VISUALIZER_SHELL_SETTINGS_H_
#define HLOSCOPE_VISUALIZER_SHELL_SETTINGS_H_

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace hloscope {

struct Settings {
  bool light = false;
  bool motion = true;
  float scale = 1;                   // on top of the screen's
  int width = 1600, height = 1000;   // of the window, at scale 1
  std::vector<std::string> recent;   // the newest first
  std::string layout;                // JSON of PanelLayout; empty: the standard one
  std::string panels;                // JSON: what panels keep, by panel
  void Remember(const std::string& path);  // a file was opened
  friend bool operator==(const Settings&, const Settings&) = default;
};

// Missing or damaged files give the standard settings.
Settings LoadSettings(const std::string& folder);
// `stored`, with what changed between `before` and `now` done to it: of windows beside each other each brings what was changed in it.
Settings MergedSettings(const Settings& before, const Settings& now, Settings stored);
// What changed between `before` and `now` is written, while no other window writes; gives what is stored then.
absl::StatusOr<Settings> KeepSettings(const Settings& before, const Settings& now, const std::string& folder);
// Where settings live: $HLOSCOPE_CONFIG, or hloscope in $XDG_CONFIG_HOME or ~/.config.
std::string ConfigFolder();

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_SHELL_SETTINGS_H_
