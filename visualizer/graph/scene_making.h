// How a scene is made, step by step (scene.cc puts them together): what it has, where that stands, where labels have room. Not for who only
// looks at scenes.
#ifndef HLOSCOPE_VISUALIZER_GRAPH_SCENE_MAKING_H_
#define HLOSCOPE_VISUALIZER_GRAPH_SCENE_MAKING_H_

#include <atomic>

#include "visualizer/graph/scene.h"

namespace hloscope {

// The frame of the computation number `which` that a box's instruction calls.
FrameKey Inside(BoxKey caller, int which);

// Whether an arrow begins or ends at what the picture is about.
inline bool IsNeeded(const SceneWish& wish, const Scene& scene, const SceneArrow& arrow) {
  return wish.about != nullptr && (scene.boxes[arrow.from].instruction == wish.about || scene.boxes[arrow.to].instruction == wish.about);
}

// Boxes with their sizes, and arrows with their labels; those of very many are minor.
void FillScene(const SceneWish& wish, Scene* scene);
// Puts boxes in their places and bends arrows: all in one layout where that does not take long, else a level at a time. False: it was stopped.
bool PlaceScene(const SceneWish& wish, const std::atomic<bool>* stop, KnownLayouts* known, Scene* scene);
// Leads arrows that would run behind boxes round them, as long as that does not take long: those that are always drawn first. (scene_ways.cc)
void LeadRound(Scene* scene);
// Finds room for the labels that the layout has not placed, as long as there are not too many. (scene_labels.cc)
void PlaceLabels(const SceneWish& wish, Scene* scene);
// Whether an arrow's label says what the box that it leaves does not. `few`: there is room for those that say it again.
bool WantsLabel(const Scene& scene, const SceneArrow& arrow, bool few);
// How wide a label is, with some room round it; how high.
float LabelWidth(const SceneWish& wish, const SceneArrow& arrow);
// How wide the title of a box that is expanded is, with the sign before it.
float TitleWidth(const SceneWish& wish, const SceneBox& box);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_SCENE_MAKING_H_
