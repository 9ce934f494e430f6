// What is laid out and drawn: the part of a program's hierarchy that is expanded, with places for boxes and curves for arrows. Made by a
// SceneMaker off the window's thread; never changes afterwards. Sizes are in pixels at scale 1. Colours and highlights are the drawer's.
#ifndef HLOSCOPE_VISUALIZER_GRAPH_SCENE_H_
#define HLOSCOPE_VISUALIZER_GRAPH_SCENE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "visualizer/graph/hierarchy.h"
#include "visualizer/graph/level.h"
#include "visualizer/graph/nested.h"
#include "visualizer/graph/ways_round.h"

namespace hloscope {

// Where in the tree of calls something stands: a computation may be shown under each of its callers. 0: the entry.
using FrameKey = uint64_t;
// A box: a node of the hierarchy in a frame.
using BoxKey = uint64_t;

// From the entry (or the outermost computation) inwards: the instructions that call, and which of their computations.
using CallPath = std::vector<CalledBy>;
// The call in which a computation that is called from several places is shown; not in it: the first that there is.
using SeenIn = absl::flat_hash_map<const Computation*, const Instruction*>;
// By first callers.
CallPath PathTo(const Hierarchy& hierarchy, const Computation& computation);
FrameKey FrameOf(const Hierarchy& hierarchy, const CallPath& path);
BoxKey KeyOf(FrameKey frame, int node);
// Keys of all boxes around the instruction, outermost first, and its own last.
std::vector<BoxKey> KeysTo(const Hierarchy& hierarchy, const CallPath& path, const Instruction& instruction);

// Of a box that is expanded: the band at its top where its title stands, and what is left free round what is inside.
constexpr float kSceneTitle = 30, kScenePad = 14;
constexpr int kMostSceneDepth = 200;  // boxes in boxes

struct SceneBox {
  BoxKey key = 0;
  int node = -1;    // of the hierarchy
  int parent = -1;  // index of the box around it; -1: none
  int depth = 0;
  bool expandable = false, expanded = false;
  float x = 0, y = 0, width = 0, height = 0;
  const Instruction* instruction = nullptr;  // null: a scope, a chunk, a computation
  std::string title, detail, below;          // "add", ".5" and "f32[4]"
  std::string name;                          // for commands and tests
  int more_out = 0, more_in = 0;             // arrows that are minor
  std::optional<int> health;                 // of a part of a slice: 1 finite, 2 infinite, 3 NaN; 0: not known
  bool asked = false;                        // the part that the slice was asked of
};

struct SceneArrow {
  int from = 0, to = 0;  // boxes
  int64_t bytes = 0;
  int count = 0;         // values that flow here
  const Instruction* value = nullptr;  // the first of them
  bool order_only = false;             // a control predecessor, no value
  bool again = false;                  // from the end of a loop's body into the next iteration
  bool minor = false;                  // one of very many; to be drawn when somebody points at one of its ends
  std::vector<Point> curve;            // cubic spline, 3n+1 points
  std::string label;
  bool labelled = false;               // there is room for the label,
  Point label_at;                      // with its middle here: over no box, title or other label
  float left = 0, top = 0, right = 0, bottom = 0;  // around the curve
};

struct Scene {
  std::shared_ptr<const Hierarchy> hierarchy;
  uint64_t request = 0;
  absl::flat_hash_set<BoxKey> expanded;  // as it was wished
  bool at_once = false;  // laid out as one, not a level at a time
  bool focused = false;  // only chosen instructions, without the hierarchy
  bool sliced = false;   // parts of a slice
  bool one_call = false; // of the chosen instructions: a computation that several chosen ones call is shown in one of the calls: there is no room
  int not_drawn = 0;     // of the chosen instructions: in too many boxes (kMostSceneDepth)
  std::vector<SceneBox> boxes;  // parents before children
  std::vector<SceneArrow> arrows;
  float width = 0, height = 0;
  double milliseconds = 0;  // that making it took
  absl::flat_hash_map<BoxKey, int> by_key;
  // The innermost box that shows the instruction, or what it lies in; -1: none.
  int Find(const CallPath& path, const Instruction& instruction) const;
  int Find(const Instruction& instruction) const { return Find(PathTo(*hierarchy, *instruction.parent), instruction); }

 private:
  int FindInCalls(const CallPath& path, const Instruction& instruction) const;
};

// What an instruction made in one run of its computation, and what was made from it: a slice is drawn of these.
struct ScenePart {
  const Instruction* instruction = nullptr;
  std::string where;          // the frame that it is drawn in: "body, iteration 2 of %end"; empty: none
  std::string value;          // in place of the shape
  int health = 0;             // as SceneBox::health
  bool asked = false;
};
struct SceneStep {
  int from = 0, to = 0;  // parts
  std::string label;
};

// A step of a way, in the direction of the values (HopsOf in walk.h).
struct SceneHop {
  const Instruction* from = nullptr;
  const Instruction* to = nullptr;
};

// What of a program is wanted.
struct SceneWish {
  uint64_t request = 0;
  std::shared_ptr<const Hierarchy> hierarchy;
  absl::flat_hash_set<BoxKey> expanded;
  std::vector<const Instruction*> only;  // not empty: these, each in the calls among them that it is done in
  SeenIn seen_in;                        // of `only`: in this call alone
  int only_boxes = 240;                  // of `only`: where showing a computation in several calls takes more boxes, it is shown in one
  absl::flat_hash_set<BoxKey> places;    // of `only`: not empty: where each of them is meant, in every call that it is meant in
  std::vector<ScenePart> parts;          // not empty: what ran, as it ran,
  std::vector<SceneStep> steps;          // and what was made from what
  const Instruction* about = nullptr;    // its own arrows are the last to become minor
  std::vector<SceneHop> hops;            // drawn also where no operand is behind them: out of a condition, a branch or a reducer, and round a loop
  const Computation* root = nullptr;     // the outermost one; null: the entry
  bool spell_counts = false;             // "12 instructions", not "12"
  size_t most_arrows = 2500;             // of more, the thinner ones are `minor`
  int note_letters = 0;                  // room in every box for a note of so many (GraphTint::note)
  // Widths of letters, in pixels at scale 1, for the sizes of boxes.
  float title_letter = 7.6f, small_letter = 6.0f;
  float (*title_width)(absl::string_view) = nullptr;  // of a title as it is drawn, which may be wider than its letters are on average
};

// What to expand at first: the largest scopes while there is room for `most` boxes.
absl::flat_hash_set<BoxKey> FirstExpansion(const Hierarchy& hierarchy, int most = 60, const Computation* outermost = nullptr);
// And of those that are shown then all, level by level, while there is room for all of a level: parts of a picture are alike, or say why not.
void ExpandLevels(const Hierarchy& hierarchy, const Computation& outermost, int most, absl::flat_hash_set<BoxKey>* expanded);
// Scopes and called computations down to `depth` levels below the outermost computation, those nearer to it first, while there is room for
// `most` boxes.
struct DeepExpansion {
  absl::flat_hash_set<BoxKey> expanded;
  int boxes = 0;
  int left_closed = 0;  // that there was no room for
  int too_deep = 0;     // that lie in too many boxes (kMostSceneDepth)
};
DeepExpansion ExpansionToDepth(const Hierarchy& hierarchy, const Computation& outermost, int depth, int most);
// What expanding this box expands: itself, and the small computations right inside.
std::vector<BoxKey> Expansion(const Hierarchy& hierarchy, const SceneBox& box);

struct KnownLayouts {
  std::map<uint64_t, LevelLayout> levels;
  std::map<uint64_t, NestedLayout> nested;
};

// Makes scenes, and remembers the layouts of levels. For one thread.
class SceneMaker {
 public:
  // Null where `stop` became true on the way.
  std::shared_ptr<const Scene> Make(const SceneWish& wish, const std::atomic<bool>* stop = nullptr);

 private:
  KnownLayouts known_;
};

// What stands in a node's box, and how large it is (scene_box.cc). Its key and its place are not filled in.
SceneBox MakeSceneBox(const Hierarchy& hierarchy, int node, const SceneWish& wish);
void MeasureBox(const SceneWish& wish, SceneBox* box);
// In a crowded level of `boxes`, arrows where longer ways lead too are not laid out: takes them out and tells where each one is now, or -1.
std::vector<int> ThinOut(size_t boxes, std::vector<LevelGraph::Arrow>* arrows);

inline constexpr float kLabelHeight = 15;
// The middle of a label for the arrow where it stands beside or on it within an area, and over no box, title, other arrow or what else is taken.
// (scene_labels.cc)
std::optional<Point> RoomForLabel(const Scene& scene, const SceneArrow& arrow, float width, const std::vector<Area>& taken, const Area& within);

// "12.4 MiB".
std::string BytesText(int64_t bytes);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_SCENE_H_
