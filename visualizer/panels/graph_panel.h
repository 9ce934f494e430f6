// The graph panel: what of the program is expanded, where one looks, what is lit up; searching, neighbourhoods and ways; following the stop.
// Scenes are made beside the window (visualizer/graph/scene_thread.h) and drawn by graph_view. Only for the panel's own files (graph*.cc).
#ifndef HLOSCOPE_VISUALIZER_PANELS_GRAPH_PANEL_H_
#define HLOSCOPE_VISUALIZER_PANELS_GRAPH_PANEL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "visualizer/graph/marked_places.h"
#include "visualizer/graph/scene_thread.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/graph_colors.h"
#include "visualizer/panels/graph_view.h"
#include "visualizer/panels/panel.h"

namespace hloscope {

class GraphPanel : public Panel {
 public:
  void Draw(PanelContext& context) override;
  float padding() const override { return 0; }
  void Save(nlohmann::json& to) const override;
  void Load(const nlohmann::json& from) override;
  bool Command(PanelContext& context, absl::string_view args, std::string* error) override;

 private:
  static bool Fail(std::string* error, std::string why);

  // -- What is wanted, and what has been made --
  // A new program begins anew.
  void Follow(PanelContext& context);
  // The names of the boxes around and of the box itself.
  std::string ChainOf(int index) const;
  // True: more of what was expanded before the edit has been found, and is ordered.
  bool Restore(PanelContext& context);
  void Order(PanelContext& context, bool first = false);
  void OrderAnew(PanelContext& context);  // another scene, not what one looks at with something more or less in it
  void TakeScene(PanelContext& context);
  void FirstLook();
  // All of it where that can be read. Else as wide as it is, but so that it can be read, round the selection or the stop, or from the top.
  // `whole`: all of it, however small.
  void FitAll(bool glide, bool whole);
  // Where to look to see a box: of a large one its upper left part.
  static Point MiddleOf(const SceneBox& box);
  // The place to look at, not far beyond what there is.
  Point WithinScene(Point at, float zoom) const;
  // Brings a box into view; where it is already, nothing moves.
  void LookAt(int index, bool glide);
  // The canvas has another size: what was in view stays there, unless a person has moved the camera since.
  void LookAgain();
  // Moves so that as much as possible of a box that was expanded (or folded again) is seen, its title first.
  void ShowInside(const SceneBox& box);

  // -- Where things are --
  // The calls that lead to an instruction: of the stopped program where its computation is on the stack.
  CallPath PathOf(const Snapshot& now, const Instruction& instruction) const;
  int BoxOf(const Snapshot& now, const Instruction* instruction) const;
  // Expands what the instruction lies in and brings it into view. What was expanded so before and is left is folded again.
  void Reveal(PanelContext& context, const Instruction& instruction, bool fold_others);

  // -- Commands --
  void Focus(PanelContext& context, std::vector<const Instruction*> only, std::string text, SeenIn seen_in = {}, const Instruction* about = nullptr);
  void Around(PanelContext& context, const Instruction& of, int hops);
  bool Path(PanelContext& context, absl::string_view args, std::string* error);
  static const Instruction* FindInstruction(const Snapshot& now, absl::string_view name);
  // A box of the scene by what one calls it; those that are seen first. -1: none.
  int BoxNamed(const Snapshot& now, absl::string_view name) const;
  bool Fold(PanelContext& context, absl::string_view name, bool expand, std::string* error);
  int ShownBoxes() const;
  // The selection moves to an operand, a user, or to what stands at its left or right.
  bool Go(PanelContext& context, absl::string_view where, std::string* error);
  const Instruction* Beside(const PanelContext& context, const Instruction& of, bool right) const;
  // The box and what lies around it are expanded, everything else is folded.
  bool Drill(PanelContext& context, absl::string_view name, std::string* error);
  void Drill(PanelContext& context, int index);
  void SetExpanded(PanelContext& context, int index, bool expand);
  // By mouse: through the console's command where it names this very box.
  void Toggle(PanelContext& context, int index);

  // -- Searching --
  bool Matches(const Instruction& i) const;
  void Search(int most);
  void SetSearch(absl::string_view text);
  bool Find(PanelContext& context, absl::string_view text);
  void NextMatch(PanelContext& context, int step);

  // -- Toolbar --
  void DrawToolbar(PanelContext& context);
  void DrawCombos(PanelContext& context);
  // "3 of 120" at the right end of the search field.
  std::string MatchesText() const;  // "3 of 12"

  // -- The canvas --
  void Light(PanelContext& context);
  // What of the scene is in the slice, as pages and pictures of it have it. Null: it is not found yet.
  std::shared_ptr<const MarkedSlice> SliceMarks(PanelContext& context);
  void LightSlice(PanelContext& context, const MarkedSlice* marked);
  void FollowSelection(PanelContext& context);
  void DrawCanvas(PanelContext& context, ImVec2 min, ImVec2 max);
  void Mouse(PanelContext& context, bool over, bool active);
  void Choose(PanelContext& context, const Instruction& instruction);
  void Clicked(PanelContext& context, int index);
  // Whether the mouse has rested on it long enough for a text to come up.
  bool Rests(BoxKey key);
  // What flows along an arrow, which may have had no room for its label.
  void ArrowText(const SceneArrow& arrow);
  // The whole of what a card may have cut.
  void HoverText(const SceneBox& box, absl::string_view note);
  void Keys(PanelContext& context, bool over);
  // For tests.
  void NameBoxes() const;

  // -- What lies over the canvas --
  // In a corner where nothing of the graph lies; of a graph of many views over what matters least. False: there is none.
  bool MinimapRect(ImVec2 min, ImVec2 max, ImVec2* a, ImVec2* b);
  void DrawMap(const std::vector<CardTint>& tints, bool over);
  void DrawLegend(PanelContext& context, ImVec2 min, ImVec2 max);
  float LegendHeight(float width, int most) const;  // in as few lines as will do, `most` of them
  std::string FocusText() const;
  // What is shown alone, and the way back: a strip above the canvas.
  void DrawFocus(PanelContext& context, ImVec2 min, ImVec2 max);
  // Why something was not expanded, and the way to see it.
  void DrawRefused(PanelContext& context, ImVec2 min, ImVec2 max);
  void DrawBusy(PanelContext& context, ImVec2 min);
  void CancelLayout(PanelContext& context);
  static bool Item(absl::string_view label, const char* tag);
  void DrawMenu(PanelContext& context);
  void State(PanelContext& context);
  // What is looked at.
  GraphCamera camera_;
  enum class Seen : uint8_t { kPart, kAll, kAllHoweverSmall };
  Seen seen_ = Seen::kPart;  // of the scene, as one looked last
  GraphColours colours_;
  GraphColour colour_ = GraphColour::kClass;
  int hops_ = 2;
  bool follow_ = true;
  // What is wanted and made.
  uint64_t program_ = 0, numbers_ = 0, request_ = 0, taken_ = 0;
  const Module* drawn_ = nullptr;  // what of the program: another device may run another function
  std::shared_ptr<const Scene> scene_;
  absl::flat_hash_set<BoxKey> expanded_;
  std::vector<BoxKey> unasked_;  // of those, what was expanded to show something and not by hand
  std::vector<const Instruction*> only_, path_;
  SeenIn seen_in_;  // of only_
  const Instruction* about_ = nullptr;  // what only_ lies around
  std::string focus_text_, path_of_program_;
  absl::flat_hash_set<std::string> restore_;
  bool keep_camera_ = false;
  uint64_t anew_ = 0;  // the request whose scene is another one than before: looked at as a first one; 0: none
  BoxKey anchor_ = 0;
  const Instruction* center_within_ = nullptr;  // of what is shown alone, once that is there
  std::vector<BoxKey> center_on_;
  std::vector<std::string> waiting_;  // commands, until there is a scene
  std::string refused_;  // why something was not expanded; empty: nothing was refused
  BoxKey refused_key_ = 0;
  double begun_ = 0, opened_ms_ = 0, busy_since_ = -1;
  // What is lit up, and what that was found for.
  GraphLights lights_;
  std::shared_ptr<const Scene> lit_scene_;
  std::vector<const Instruction*> seen_callers_;  // of the frames, when the stop was looked at last
  uint64_t lit_generation_ = 0, lit_selection_ = 0, seen_selection_ = ~uint64_t{0};
  size_t lit_slice_ = 0;
  Live<MarkedSlice> marks_;
  std::shared_ptr<const MarkedSlice> lit_marks_;
  int visible_ = 0;
  // The mouse.
  int hovered_ = -1, pressed_ = -1;
  bool pressed_on_chevron_ = false, pressed_here_ = false, dragging_ = false;
  const Instruction* clicked_ = nullptr;
  const Instruction* path_from_ = nullptr;
  const Instruction *went_from_ = nullptr, *went_to_ = nullptr;  // by Go, up or down: the way back is the same
  BoxKey menu_key_ = 0, hover_key_ = 0, clicked_key_ = 0;
  double hover_since_ = 0, clicked_time_ = 0;
  ImVec2 map_min_, map_max_;
  bool map_shown_ = false;
  int map_corner_ = 0;  // 0: at the right of the top, then clockwise
  // Searching.
  std::string search_, lower_;
  std::vector<const Instruction*> matches_;
  int searched_ = 0, match_ = -1;
  bool refocus_ = false;
  SceneThread thread_;  // the last: its thread ends first
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_GRAPH_PANEL_H_
