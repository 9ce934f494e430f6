// Where panels are: splits and tabs, as data. Drawing is the shell's.
#ifndef HLOSCOPE_VISUALIZER_SHELL_LAYOUT_H_
#define HLOSCOPE_VISUALIZER_SHELL_LAYOUT_H_

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hloscope {

// A split into two, or a leaf with tabs.
struct LayoutNode {
  bool stacked = false;  // of a split: the second is below the first; else to its right
  float ratio = 0.5f;    // the first one's share
  std::unique_ptr<LayoutNode> first, second;
  std::vector<std::string> tabs;  // of a leaf: panels
  std::string active;
  std::string place;     // of the standard layout; "" after it was moved
  bool leaf() const { return first == nullptr; }
};

enum class Side : uint8_t { kCenter, kLeft, kRight, kTop, kBottom };

class PanelLayout {
 public:
  PanelLayout();
  void Reset();  // the standard layout
  LayoutNode& root() { return *root_; }
  bool IsOpen(absl::string_view panel) const;
  // Opens the panel (where the standard layout has it, beside its neighbours there), or brings it to the front.
  void Open(absl::string_view panel);
  void Close(absl::string_view panel);
  // Moves a panel into the leaf, as a tab (kCenter) or as a new leaf on that side of it.
  void Move(absl::string_view panel, LayoutNode& to, Side side);
  LayoutNode* LeafOf(absl::string_view panel);
  std::vector<std::string> OpenPanels() const;
  nlohmann::json Save() const;
  // False, and unchanged, where it is not a layout. Panels that do not exist (any more) are left out.
  bool Load(const nlohmann::json& from);

 private:
  void Tidy();
  std::unique_ptr<LayoutNode> root_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_SHELL_LAYOUT_H_
