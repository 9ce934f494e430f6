#include "visualizer/model/kept_stops.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "visualizer/model/kept_text.h"
#include "visualizer/model/one_at_a_time.h"
#include "visualizer/model/whole_file.h"

namespace hloscope {
namespace {

using nlohmann::json;

// Which stop it is: its first line, which stays while counts go down and commands are attached; of several that have the same one, the
// how-manieth.
using StopKey = std::pair<std::string, int>;

std::vector<StopKey> KeysOf(const std::vector<std::string>& stops) {
  std::map<std::string, int> seen;
  std::vector<StopKey> keys;
  for (const std::string& stop : stops) {
    std::string first = stop.substr(0, stop.find('\n'));
    const int number = ++seen[first];
    keys.emplace_back(std::move(first), number);
  }
  return keys;
}

std::map<StopKey, std::string> ByKey(const std::vector<std::string>& stops) {
  const std::vector<StopKey> keys = KeysOf(stops);
  std::map<StopKey, std::string> all;
  for (size_t k = 0; k < stops.size(); ++k) all[keys[k]] = stops[k];
  return all;
}

void MergeStops(const KeptStops& before, const KeptStops& now, std::vector<std::string>& stored) {
  const std::map<StopKey, std::string> was = ByKey(before.stops), is = ByKey(now.stops);
  std::vector<StopKey> keys = KeysOf(stored);
  for (size_t k = 0; k < stored.size();) {
    const auto old = was.find(keys[k]), present = is.find(keys[k]);
    if (old != was.end() && present == is.end()) {
      stored.erase(stored.begin() + k);
      keys.erase(keys.begin() + k);
      continue;
    }
    if (present != is.end() && (old == was.end() || old->second != present->second)) stored[k] = present->second;
    ++k;
  }
  const std::vector<StopKey> own = KeysOf(now.stops);
  for (size_t k = 0; k < own.size(); ++k) {
    if (!was.contains(own[k]) && std::find(keys.begin(), keys.end(), own[k]) == keys.end()) stored.push_back(now.stops[k]);
  }
}

// `name`, or what it is called where another window has that name.
bool IsName(absl::string_view stored, absl::string_view name) {
  int number = 0;
  return stored == name || (absl::ConsumePrefix(&stored, name) && absl::ConsumePrefix(&stored, "-") && absl::SimpleAtoi(stored, &number));
}

std::string FreeName(const std::string& name, const std::map<std::string, std::string>& taken) {
  std::string free = name;
  for (int k = 2; taken.contains(free); ++k) free = absl::StrCat(name, "-", k);
  return free;
}

void MergeBookmarks(const KeptStops& before, const KeptStops& now, std::map<std::string, std::string>& stored) {
  const auto same = [](const std::map<std::string, std::string>& marks, const std::string& name, const std::string& mark) {
    const auto at = marks.find(name);
    return at != marks.end() && at->second == mark;
  };
  for (const auto& [name, mark] : before.bookmarks) {
    if (same(now.bookmarks, name, mark)) continue;
    const auto at = std::find_if(stored.begin(), stored.end(), [&](const auto& s) { return s.second == mark && IsName(s.first, name); });
    if (at != stored.end()) stored.erase(at);
  }
  for (const auto& [name, mark] : now.bookmarks) {
    if (!same(before.bookmarks, name, mark) && !same(stored, name, mark)) stored[FreeName(name, stored)] = mark;
  }
}

}  // namespace

KeptStops Merged(const KeptStops& before, const KeptStops& now, KeptStops stored) {
  MergeStops(before, now, stored.stops);
  MergeBookmarks(before, now, stored.bookmarks);
  return stored;
}

KeptStops ReadKeptStops(const std::string& folder, const std::string& path) {
  std::ifstream file(KeptFileOf(folder, path, ".json"));
  std::stringstream text;
  text << file.rdbuf();
  const json from = json::parse(text.str(), nullptr, false);
  KeptStops kept;
  if (!from.is_object()) return kept;
  if (from.contains("stops") && from["stops"].is_array()) {
    for (const json& stop : from["stops"]) {
      if (stop.is_string()) kept.stops.push_back(stop.get<std::string>());
    }
  }
  if (from.contains("bookmarks") && from["bookmarks"].is_object()) {
    for (const auto& [name, mark] : from["bookmarks"].items()) {
      if (mark.is_string()) kept.bookmarks[name] = mark.get<std::string>();
    }
  }
  return kept;
}

absl::Status KeepStops(const std::string& folder, const std::string& path, const KeptStops& before, const KeptStops& now) {
  const OneAtATime alone(folder + "/sessions");
  const KeptStops stored = ReadKeptStops(folder, path), merged = Merged(before, now, stored);
  if (merged == stored) return absl::OkStatus();
  const json to = {{"path", WholePath(path)}, {"stops", merged.stops}, {"bookmarks", merged.bookmarks}};
  return WriteWholeFile(KeptFileOf(folder, path, ".json"), to.dump(1, ' ', false, json::error_handler_t::replace));
}

}  // namespace hloscope
