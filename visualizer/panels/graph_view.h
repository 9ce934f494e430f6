// The graph's canvas: the camera, and how boxes, arrows and the minimap are drawn with it. Knows a scene and what is lit up in it; nothing of
// commands or of the session.
#ifndef HLOSCOPE_VISUALIZER_PANELS_GRAPH_VIEW_H_
#define HLOSCOPE_VISUALIZER_PANELS_GRAPH_VIEW_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "imgui.h"
#include "visualizer/graph/scene.h"
#include "visualizer/panels/graph_colors.h"

namespace hloscope {

// Where one looks: the scene's point in the middle of the canvas, and pixels for each of its units.
class GraphCamera {
 public:
  static constexpr float kLeast = 0.03f, kMost = 2.5f;
  void Place(ImVec2 min, ImVec2 max) {
    min_ = min;
    max_ = max;
  }
  ImVec2 min() const { return min_; }
  ImVec2 max() const { return max_; }
  float zoom() const { return zoom_; }
  // A person has moved it since it was told last where to look: it stays there.
  bool by_hand() const { return by_hand_; }
  float unit() const;  // pixels of the screen for a unit of the scene
  ImVec2 ToScreen(float x, float y) const;
  Point ToScene(ImVec2 at) const;
  // The same camera when it has arrived: what is decided by where one looks must not depend on how far a glide has come.
  GraphCamera Arrived() const;
  // The scene has moved by so much, and one goes on looking at the same; also a glide.
  void Follow(Point moved);
  void Pan(ImVec2 pixels);
  void Zoom(float factor, ImVec2 at);
  // Of a scene of this size some stays in view, however it was moved.
  void KeepInView(float width, float height);
  void Look(Point at, float zoom, bool glide);
  void Fit(float left, float top, float width, float height, float most, bool glide);
  // One step of gliding.
  void Frame();

 private:
  ImVec2 min_, max_;
  Point at_;
  float zoom_ = 1;
  bool gliding_ = false, by_hand_ = false;
  double glide_since_ = 0;
  Point from_, goal_;
  float from_zoom_ = 1, goal_zoom_ = 1;
};

// What of a scene is lit up: indices of boxes.
struct GraphLights {
  int stop = -1, selected = -1, hovered = -1;
  int arrow = -1;  // the arrow that one points at
  absl::flat_hash_set<int> slice, found, path;
  absl::flat_hash_set<int> between;            // what only hands on between the parts of the slice: marked in a weaker way
  absl::flat_hash_set<std::pair<int, int>> slice_arrows;
  absl::flat_hash_map<int, bool> breakpoints;  // true: of one that is enabled
  absl::flat_hash_set<int64_t> path_arrows;    // from * 2^32 + to
};

// Draws; returns the number of boxes in view.
int DrawScene(ImDrawList* list, const GraphCamera& camera, const Scene& scene, const std::vector<CardTint>& tints, const GraphLights& lights);
// The box under a place: of those that are expanded only the title. -1: none. `on_chevron`: at the sign that expands.
int BoxAt(const GraphCamera& camera, const Scene& scene, ImVec2 at, bool* on_chevron);
// The arrow that runs under a place, of those that are drawn; -1: none.
int ArrowAt(const GraphCamera& camera, const Scene& scene, const GraphLights& lights, ImVec2 at);
// The screen's rectangle of a box; of one that is expanded its title.
void BoxRect(const GraphCamera& camera, const SceneBox& box, ImVec2* min, ImVec2* max);
void DrawMinimap(ImDrawList* list, const GraphCamera& camera, const Scene& scene, const std::vector<CardTint>& tints, const GraphLights& lights, ImVec2 min, ImVec2 max);
// The scene's point at a place of the minimap.
Point MinimapPoint(const Scene& scene, ImVec2 min, ImVec2 max, ImVec2 at);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_GRAPH_VIEW_H_
