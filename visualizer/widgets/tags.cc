#include "visualizer/widgets/tags.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/strings/str_join.h"

namespace hloscope::ui {
namespace {

std::string FullName(absl::string_view name) {
  const std::vector<std::string>& scopes = TheTags().scopes;
  return scopes.empty() ? std::string(name) : absl::StrCat(absl::StrJoin(scopes, "/"), "/", name);
}

}  // namespace

Tags& TheTags() {
  static Tags tags;
  return tags;
}

void Tags::BeginFrame() {
  last_ = std::exchange(now_, {});
  facts_last_ = std::exchange(facts_now_, {});
}

const TagRect* Tags::Find(absl::string_view name) const {
  if (absl::ConsumeSuffix(&name, "*")) {
    const auto it = last_.lower_bound(std::string(name));
    return it != last_.end() && absl::StartsWith(it->first, name) ? &it->second : nullptr;
  }
  const auto it = last_.find(std::string(name));
  return it == last_.end() ? nullptr : &it->second;
}

const std::string* Tags::Fact(absl::string_view name) const {
  const auto it = facts_last_.find(std::string(name));
  return it == facts_last_.end() ? nullptr : &it->second;
}

std::vector<std::string> Tags::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, rect] : last_) names.push_back(name);
  for (const auto& [name, text] : facts_last_) names.push_back(absl::StrCat(name, " = ", text));
  return names;
}

void Tags::Add(std::string name, ImVec2 min, ImVec2 max) { now_[std::move(name)] = {min, max}; }
void Tags::Say(std::string name, std::string text) { facts_now_[std::move(name)] = std::move(text); }

void Tag(absl::string_view name, ImVec2 min, ImVec2 max) {
  if (!TheTags().on) return;
  const ImVec2 clip_min = ImGui::GetWindowDrawList()->GetClipRectMin(), clip_max = ImGui::GetWindowDrawList()->GetClipRectMax();
  min = {std::max(min.x, clip_min.x), std::max(min.y, clip_min.y)};
  max = {std::min(max.x, clip_max.x), std::min(max.y, clip_max.y)};
  if (max.x - min.x < 1 || max.y - min.y < 1) return;
  TheTags().Add(FullName(name), min, max);
}

void Tag(absl::string_view name) {
  if (TheTags().on) Tag(name, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

void TagFact(absl::string_view name, absl::string_view text) {
  if (TheTags().on) TheTags().Say(FullName(name), std::string(text));
}

}  // namespace hloscope::ui
