#include "visualizer/shell/settings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "visualizer/model/whole_file.h"

namespace hloscope {

using nlohmann::json;

void Settings::Remember(const std::string& path) {
  std::error_code error;
  const std::string whole = std::filesystem::absolute(path, error).string();
  const std::string name = error ? path : whole;
  recent.erase(std::remove(recent.begin(), recent.end(), name), recent.end());
  recent.insert(recent.begin(), name);
  if (recent.size() > 12) recent.resize(12);
}

std::string ConfigFolder() {
  if (const char* given = std::getenv("HLOSCOPE_CONFIG")) return given;
  if (const char* xdg = std::getenv("XDG_CONFIG_HOME"); xdg != nullptr && *xdg != 0) return absl::StrCat(xdg, "/hloscope");
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != 0) return absl::StrCat(home, "/.config/hloscope");
  return "";
}

Settings LoadSettings(const std::string& folder) {
  Settings settings;
  if (folder.empty()) return settings;
  std::ifstream file(folder + "/window.json");
  std::stringstream text;
  text << file.rdbuf();
  const json from = json::parse(text.str(), nullptr, /*allow_exceptions=*/false);
  if (!from.is_object()) return settings;
  const auto number = [&](const char* key, double low, double high, double otherwise) {
    return from.contains(key) && from[key].is_number() ? std::clamp(from[key].get<double>(), low, high) : otherwise;
  };
  const auto flag = [&](const char* key, bool otherwise) { return from.contains(key) && from[key].is_boolean() ? from[key].get<bool>() : otherwise; };
  settings.light = flag("light", false);
  settings.motion = flag("motion", true);
  settings.scale = static_cast<float>(number("scale", 0.5, 3, 1));
  settings.width = static_cast<int>(number("width", 640, 16384, 1600));
  settings.height = static_cast<int>(number("height", 400, 16384, 1000));
  if (from.contains("recent") && from["recent"].is_array()) {
    for (const json& path : from["recent"]) {
      if (path.is_string()) settings.recent.push_back(path.get<std::string>());
    }
  }
  if (from.contains("layout") && from["layout"].is_object()) settings.layout = from["layout"].dump();
  if (from.contains("panels") && from["panels"].is_object()) settings.panels = from["panels"].dump();
  return settings;
}

absl::Status SaveSettings(const Settings& settings, const std::string& folder) {
  if (folder.empty()) return absl::OkStatus();
  json to = {{"light", settings.light}, {"motion", settings.motion}, {"scale", settings.scale}, {"width", settings.width}, {"height", settings.height}, {"recent", settings.recent}};
  if (!settings.layout.empty()) to["layout"] = json::parse(settings.layout, nullptr, false);
  if (!settings.panels.empty()) to["panels"] = json::parse(settings.panels, nullptr, false);
  return WriteWholeFile(folder + "/window.json", to.dump(1, ' ', false, json::error_handler_t::replace));
}

}  // namespace hloscope
