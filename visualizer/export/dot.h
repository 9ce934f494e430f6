// A scene of the graph as text for Graphviz: what is expanded as clusters. Graphviz lays it out by itself, so that people may change it.
#ifndef HLOSCOPE_VISUALIZER_EXPORT_DOT_H_
#define HLOSCOPE_VISUALIZER_EXPORT_DOT_H_

#include <string>

#include "visualizer/canvas/palette.h"
#include "visualizer/graph/scene.h"
#include "visualizer/graph/tint.h"

namespace hloscope {

std::string WriteDot(const Scene& scene, const SceneTints& tints, PaletteScheme scheme, const std::string& heading);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_EXPORT_DOT_H_
