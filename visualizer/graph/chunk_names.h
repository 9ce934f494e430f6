// Names for parts of a level that is too large to be shown at once: by what the names in it have in common, else from where to where they go.
// Not for the parts themselves (hierarchy.h).
#ifndef HLOSCOPE_VISUALIZER_GRAPH_CHUNK_NAMES_H_
#define HLOSCOPE_VISUALIZER_GRAPH_CHUNK_NAMES_H_

#include <cstddef>
#include <string>
#include <vector>

namespace hloscope {

// A name by itself, or several that begin with the same words.
struct NameGroup {
  size_t name = 0;                // its place among those that were given; of a group the first one's
  std::string title;              // of a group: "conv2_block1"
  std::vector<NameGroup> groups;  // empty: a name by itself
};
// "conv2_block1_0_bn" has the words conv2, block1, 0 and bn. Groups stand where their first name stood; empty names are by themselves.
std::vector<NameGroup> GroupByWords(const std::vector<std::string>& names);

struct ChunkName {
  std::string title;  // short enough for a box
  std::string path;   // whole, without blanks
};
ChunkName NameRange(const std::string& first, const std::string& last);  // "dot.5 … add.80"
ChunkName NameParameters(int first, int last);                           // "parameters 0 – 34"

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_CHUNK_NAMES_H_
