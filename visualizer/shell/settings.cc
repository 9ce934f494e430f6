#include "visualizer/shell/settings.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "visualizer/model/one_at_a_time.h"
#include "visualizer/model/whole_file.h"

namespace hloscope {

using nlohmann::json;

constexpr size_t kMostRecent = 12;

void Settings::Remember(const std::string& path) {
  std::error_code error;
  const std::string whole = std::filesystem::absolute(path, error).string();
  const std::string name = error ? path : whole;
  recent.erase(std::remove(recent.begin(), recent.end(), name), recent.end());
  recent.insert(recent.begin(), name);
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
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

namespace {

absl::Status Write(const Settings& settings, const std::string& folder) {
  json to = {{"light", settings.light}, {"motion", settings.motion}, {"scale", settings.scale}, {"width", settings.width}, {"height", settings.height}, {"recent", settings.recent}};
  if (!settings.layout.empty()) to["layout"] = json::parse(settings.layout, nullptr, false);
  if (!settings.panels.empty()) to["panels"] = json::parse(settings.panels, nullptr, false);
  return WriteWholeFile(folder + "/window.json", to.dump(1, ' ', false, json::error_handler_t::replace));
}

using Paths = std::vector<std::string>;

Paths Without(Paths paths, const Paths& gone) {
  std::erase_if(paths, [&](const std::string& path) { return std::find(gone.begin(), gone.end(), path) != gone.end(); });
  return paths;
}

// What was opened since, the newest first, stands before the rest in the order that it had.
Paths MergedRecent(const Paths& before, const Paths& now, Paths stored) {
  const bool full = now.size() >= kMostRecent;  // then what is missing has been pushed out
  const Paths forgotten = full ? Paths() : Without(before, now);
  Paths opened;
  for (const std::string& path : now) {
    const Paths rest(now.begin() + static_cast<ptrdiff_t>(opened.size()), now.end());
    const Paths was = Without(Without(before, opened), forgotten);
    if (rest.size() <= was.size() && std::equal(rest.begin(), rest.end(), was.begin())) break;
    opened.push_back(path);
  }
  stored = Without(Without(std::move(stored), forgotten), opened);
  stored.insert(stored.begin(), opened.begin(), opened.end());
  if (stored.size() > kMostRecent) stored.resize(kMostRecent);
  return stored;
}

std::string MergedPanels(const std::string& before, const std::string& now, const std::string& stored) {
  const json was = json::parse(before, nullptr, false), is = json::parse(now, nullptr, false);
  json merged = json::parse(stored, nullptr, false);
  if (!is.is_object()) return stored;
  if (!merged.is_object()) return now;
  for (const auto& [panel, own] : is.items()) {
    if (!was.is_object() || !was.contains(panel) || was[panel] != own) merged[panel] = own;
  }
  return merged.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

Settings MergedSettings(const Settings& before, const Settings& now, Settings stored) {
  const auto take = [&](auto Settings::*field) {
    if (now.*field != before.*field) stored.*field = now.*field;
  };
  take(&Settings::light);
  take(&Settings::motion);
  take(&Settings::scale);
  take(&Settings::width);
  take(&Settings::height);
  take(&Settings::layout);
  stored.recent = MergedRecent(before.recent, now.recent, std::move(stored.recent));
  stored.panels = MergedPanels(before.panels, now.panels, stored.panels);
  return stored;
}

absl::StatusOr<Settings> KeepSettings(const Settings& before, const Settings& now, const std::string& folder) {
  if (folder.empty()) return now;
  const OneAtATime alone(folder);
  const Settings stored = LoadSettings(folder);
  Settings merged = MergedSettings(before, now, stored);
  std::error_code error;
  if (merged == stored && std::filesystem::exists(folder + "/window.json", error)) return merged;
  if (absl::Status written = Write(merged, folder); !written.ok()) return written;
  return merged;
}

}  // namespace hloscope
