// Where panels are: splits and tabs, as data. Drawing is the shell's.
#ifndef HLOSCOPE_VISUALIZER_SHELL_LAYOUT_H_
#define HLOSCOPE_VISUALIZER_SHELL_LAYOUT_H_

#include <cstdint>
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
  // Of a split of places below each other that has room for them only side by side.
  float beside_ratio = 0.45f;
  bool beside = false;  // it was drawn so last. Not kept
  float& share() { return beside ? beside_ratio : ratio; }
  // Of a split: the panel of its places that was brought to the front last. Where there is no room for two places, they are drawn as one with
  // it in front.
  std::string merged_active;
};

// The size that a place needs to be of use, in pixels at scale 1, its tabs among them.
inline constexpr float kLeastPlaceWidth = 210, kLeastPlaceHeight = 186;
// The width from which a place is of use beside one that should stand below it.
inline constexpr float kBesidePlaceWidth = 270;
// The height that the program's place should have before the places below it each have their own: 14 lines, its tabs and its footer.
inline constexpr float kProgramHeight = 384;
// What all places of a node need side by side.
struct LayoutSize {
  float width = 0, height = 0;
};
LayoutSize NeededSize(const LayoutNode& node, float gap);
// Of all leaves of a node, in their order.
std::vector<std::string> TabsOf(const LayoutNode& node);

enum class Side : uint8_t { kCenter, kLeft, kRight, kTop, kBottom, kBefore, kBehind };
inline constexpr absl::string_view kSideWords[] = {"into", "left", "right", "above", "below", "before", "behind"};  // of a command

class PanelLayout {
 public:
  PanelLayout();
  void Reset();  // the standard layout
  LayoutNode& root() { return *root_; }
  bool IsOpen(absl::string_view panel) const;
  // Opens the panel (where the standard layout has it, beside its neighbours there), or brings it to the front.
  void Open(absl::string_view panel);
  void Close(absl::string_view panel);
  // Moves a panel into the leaf, as its last tab (kCenter) or as a new leaf on that side of it.
  void Move(absl::string_view panel, LayoutNode& to, Side side);
  // Moves a panel's tab before or behind that of another one that is open, in its place.
  void MoveTab(absl::string_view panel, absl::string_view other, bool behind);
  LayoutNode* LeafOf(absl::string_view panel);
  // The split whose border lies between the places of two panels; `first`: the one that is named first is on its first side. Null: they share a
  // place, or one of them is not open.
  LayoutNode* SplitBetween(absl::string_view panel, absl::string_view other, bool* first);
  // How often a panel was brought to the front.
  uint64_t raises() const { return raises_; }
  std::vector<std::string> OpenPanels() const;
  nlohmann::json Save() const;
  // False, and unchanged, where it is not a layout. Panels that do not exist (any more) are left out.
  bool Load(const nlohmann::json& from);

 private:
  void Tidy();
  void Raise(absl::string_view panel);
  std::unique_ptr<LayoutNode> root_;
  uint64_t raises_ = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_SHELL_LAYOUT_H_
