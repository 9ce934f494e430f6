#include "visualizer/shell/layout.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "visualizer/panels/panel.h"

namespace hloscope {
namespace {

std::unique_ptr<LayoutNode> Leaf(const char* place) {
  auto node = std::make_unique<LayoutNode>();
  node->place = place;
  for (const PanelRow& row : PanelRows()) {
    if (row.open && node->place == row.place) node->tabs.push_back(row.id);
  }
  if (!node->tabs.empty()) node->active = node->tabs.front();
  return node;
}

std::unique_ptr<LayoutNode> Split(bool stacked, float ratio, std::unique_ptr<LayoutNode> first, std::unique_ptr<LayoutNode> second) {
  auto node = std::make_unique<LayoutNode>();
  node->stacked = stacked;
  node->ratio = ratio;
  node->first = std::move(first);
  node->second = std::move(second);
  return node;
}

std::unique_ptr<LayoutNode> Standard() {
  auto left = Split(true, 0.46f, Leaf("main"), Split(true, 0.5f, Split(false, 0.6f, Leaf("middle-left"), Leaf("middle")), Leaf("bottom")));
  auto right = Split(true, 0.48f, Split(false, 0.57f, Leaf("graph"), Leaf("inspector")), Leaf("value"));
  return Split(false, 0.51f, std::move(left), std::move(right));
}

void ForEachLeaf(LayoutNode& node, const std::function<void(LayoutNode&)>& each) {
  if (node.leaf()) return each(node);
  ForEachLeaf(*node.first, each);
  ForEachLeaf(*node.second, each);
}

LayoutNode* FindLeaf(LayoutNode& root, const std::function<bool(const LayoutNode&)>& wanted) {
  LayoutNode* found = nullptr;
  ForEachLeaf(root, [&](LayoutNode& leaf) {
    if (found == nullptr && wanted(leaf)) found = &leaf;
  });
  return found;
}

bool Has(const LayoutNode& leaf, absl::string_view panel) { return std::find(leaf.tabs.begin(), leaf.tabs.end(), panel) != leaf.tabs.end(); }

// Empty leaves go; null when nothing is left.
std::unique_ptr<LayoutNode> Tidied(std::unique_ptr<LayoutNode> node) {
  if (node->leaf()) {
    if (node->tabs.empty()) return nullptr;
    if (!Has(*node, node->active)) node->active = node->tabs.front();
    return node;
  }
  node->first = Tidied(std::move(node->first));
  node->second = Tidied(std::move(node->second));
  if (node->first == nullptr) return std::move(node->second);
  if (node->second == nullptr) return std::move(node->first);
  return node;
}

nlohmann::json ToJson(const LayoutNode& node) {
  if (node.leaf()) return {{"tabs", node.tabs}, {"active", node.active}, {"place", node.place}};
  return {{"stacked", node.stacked},      {"ratio", node.ratio},          {"beside_ratio", node.beside_ratio},
          {"active", node.merged_active}, {"first", ToJson(*node.first)}, {"second", ToJson(*node.second)}};
}

std::unique_ptr<LayoutNode> FromJson(const nlohmann::json& from, std::vector<std::string>* seen, int depth) {
  if (!from.is_object() || depth > 20) return nullptr;
  auto node = std::make_unique<LayoutNode>();
  const auto text = [&](const char* key) { return from.contains(key) && from[key].is_string() ? from[key].get<std::string>() : std::string(); };
  if (from.contains("tabs")) {
    if (!from["tabs"].is_array()) return nullptr;
    for (const nlohmann::json& tab : from["tabs"]) {
      if (!tab.is_string()) return nullptr;
      const std::string id = tab.get<std::string>();
      if (FindPanelRow(id) == nullptr || std::find(seen->begin(), seen->end(), id) != seen->end()) continue;
      seen->push_back(id);
      node->tabs.push_back(id);
    }
    node->active = text("active");
    node->place = text("place");
    return node;
  }
  node->merged_active = text("active");
  if (!from.contains("first") || !from.contains("second") || !from.contains("ratio") || !from["ratio"].is_number()) return nullptr;
  node->stacked = from.contains("stacked") && from["stacked"].is_boolean() && from["stacked"].get<bool>();
  node->ratio = std::clamp(from["ratio"].get<float>(), 0.05f, 0.95f);
  if (from.contains("beside_ratio") && from["beside_ratio"].is_number()) node->beside_ratio = std::clamp(from["beside_ratio"].get<float>(), 0.05f, 0.95f);
  node->first = FromJson(from["first"], seen, depth + 1);
  node->second = FromJson(from["second"], seen, depth + 1);
  if (node->first == nullptr || node->second == nullptr) return nullptr;
  return node;
}

}  // namespace

LayoutSize NeededSize(const LayoutNode& node, float gap) {
  if (node.leaf()) return {kLeastPlaceWidth, kLeastPlaceHeight};
  const LayoutSize a = NeededSize(*node.first, gap), b = NeededSize(*node.second, gap);
  if (node.stacked) return {std::max(a.width, b.width), a.height + gap + b.height};
  return {a.width + gap + b.width, std::max(a.height, b.height)};
}

std::vector<std::string> TabsOf(const LayoutNode& node) {
  if (node.leaf()) return node.tabs;
  std::vector<std::string> tabs = TabsOf(*node.first);
  for (const std::string& tab : TabsOf(*node.second)) tabs.push_back(tab);
  return tabs;
}

PanelLayout::PanelLayout() { Reset(); }

void PanelLayout::Raise(absl::string_view panel) {
  ++raises_;
  for (LayoutNode* node = root_.get(); !node->leaf();) {
    node->merged_active = std::string(panel);
    const std::vector<std::string> first = TabsOf(*node->first);
    node = std::find(first.begin(), first.end(), panel) != first.end() ? node->first.get() : node->second.get();
  }
}

void PanelLayout::Reset() {
  root_ = Standard();
  Tidy();
}

void PanelLayout::Tidy() {
  root_ = Tidied(std::move(root_));
  if (root_ == nullptr) root_ = std::make_unique<LayoutNode>();
}

LayoutNode* PanelLayout::LeafOf(absl::string_view panel) {
  return FindLeaf(*root_, [&](const LayoutNode& leaf) { return Has(leaf, panel); });
}

bool PanelLayout::IsOpen(absl::string_view panel) const { return const_cast<PanelLayout*>(this)->LeafOf(panel) != nullptr; }

LayoutNode* PanelLayout::SplitBetween(absl::string_view panel, absl::string_view other, bool* first) {
  const auto within = [](const LayoutNode& node, absl::string_view id) {
    const std::vector<std::string> tabs = TabsOf(node);
    return std::find(tabs.begin(), tabs.end(), id) != tabs.end();
  };
  if (!within(*root_, panel) || !within(*root_, other)) return nullptr;
  for (LayoutNode* node = root_.get(); !node->leaf();) {
    *first = within(*node->first, panel);
    if (*first != within(*node->first, other)) return node;
    node = *first ? node->first.get() : node->second.get();
  }
  return nullptr;
}

std::vector<std::string> PanelLayout::OpenPanels() const {
  std::vector<std::string> open;
  ForEachLeaf(*root_, [&](LayoutNode& leaf) { open.insert(open.end(), leaf.tabs.begin(), leaf.tabs.end()); });
  return open;
}

void PanelLayout::Open(absl::string_view panel) {
  if (LayoutNode* leaf = LeafOf(panel)) {
    leaf->active = std::string(panel);
    Raise(panel);
    return;
  }
  const PanelRow* row = FindPanelRow(panel);
  if (row == nullptr) return;
  LayoutNode* leaf = FindLeaf(*root_, [&](const LayoutNode& l) { return l.place == row->place; });
  // Beside a panel that belongs to the same place.
  for (const PanelRow& other : PanelRows()) {
    if (leaf != nullptr) break;
    if (other.place == absl::string_view(row->place)) leaf = LeafOf(other.id);
  }
  if (leaf == nullptr) {
    // The place is gone: a new leaf at the right of everything, or the first one where there is nothing.
    if (root_->leaf() && root_->tabs.empty()) {
      leaf = root_.get();
    } else {
      auto fresh = std::make_unique<LayoutNode>();
      leaf = fresh.get();
      root_ = Split(false, 0.65f, std::move(root_), std::move(fresh));
    }
    leaf->place = row->place;
  }
  leaf->tabs.push_back(std::string(panel));
  leaf->active = std::string(panel);
  Raise(panel);
}

void PanelLayout::Close(absl::string_view panel) {
  LayoutNode* leaf = LeafOf(panel);
  if (leaf == nullptr) return;
  const auto it = std::find(leaf->tabs.begin(), leaf->tabs.end(), panel);
  const size_t at = it - leaf->tabs.begin();
  leaf->tabs.erase(it);
  if (leaf->active == panel && !leaf->tabs.empty()) leaf->active = leaf->tabs[std::min(at, leaf->tabs.size() - 1)];
  Tidy();
}

void PanelLayout::Move(absl::string_view panel, LayoutNode& to, Side side) {
  LayoutNode* from = LeafOf(panel);
  const std::string id(panel);
  if (from == nullptr || (from == &to && (side == Side::kCenter || to.tabs.size() == 1))) {
    if (from != nullptr) from->active = id;
    return;
  }
  from->tabs.erase(std::find(from->tabs.begin(), from->tabs.end(), id));
  if (side == Side::kCenter) {
    to.tabs.push_back(id);
    to.active = id;
  } else {
    auto old = std::make_unique<LayoutNode>(std::move(to));
    auto fresh = std::make_unique<LayoutNode>();
    fresh->tabs = {id};
    fresh->active = id;
    to = LayoutNode();
    to.stacked = side == Side::kTop || side == Side::kBottom;
    const bool before = side == Side::kLeft || side == Side::kTop;
    to.first = std::move(before ? fresh : old);
    to.second = std::move(before ? old : fresh);
    to.merged_active = id;
  }
  Tidy();
}

void PanelLayout::MoveTab(absl::string_view panel, absl::string_view other, bool behind) {
  LayoutNode *from = LeafOf(panel), *to = LeafOf(other);
  if (from == nullptr || to == nullptr || panel == other) return;
  const std::string id(panel);
  from->tabs.erase(std::find(from->tabs.begin(), from->tabs.end(), id));
  to->tabs.insert(std::find(to->tabs.begin(), to->tabs.end(), other) + (behind ? 1 : 0), id);
  to->active = id;
  Tidy();
}

nlohmann::json PanelLayout::Save() const { return ToJson(*root_); }

bool PanelLayout::Load(const nlohmann::json& from) {
  std::vector<std::string> seen;
  std::unique_ptr<LayoutNode> root = FromJson(from, &seen, 0);
  if (root == nullptr || seen.empty()) return false;
  root_ = std::move(root);
  Tidy();
  return true;
}

}  // namespace hloscope
