// What an element goes on to influence: the forward slice, as sets of elements of later instructions. Not for printing
// (influence_text.h) and not for where an element comes from (why.h).
//
// Every element outside of the sets is what it would be whatever the element's number was, as long as places, orders and branches that
// the element does not decide stay as they were in this run.
#ifndef HLOSCOPE_CORE_DEBUG_INFLUENCE_H_
#define HLOSCOPE_CORE_DEBUG_INFLUENCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/element_reads.h"
#include "core/debug/element_set.h"
#include "core/debug/slice.h"

namespace hloscope {

// Iterations of one loop: spans in order, with gaps between.
struct InfluenceLoop {
  const Instruction* loop = nullptr;
  bool condition = false;  // of its condition
  int path = 0;            // frames of one loop have the same
  struct Span {
    int64_t first = 0, last = 0;
  };
  std::vector<Span> spans;

  void Add(int64_t iteration) { Add(Span{iteration, iteration}); }
  void Add(Span more);
  bool Contains(int64_t iteration) const;
};

struct InfluenceNode {
  int frame = 0;  // the first in which it was influenced
  const Instruction* instruction = nullptr;
  int leaf = 0;
  ElementSet set;  // over all iterations
  int64_t times = 0;
  std::vector<InfluenceLoop> loops;  // around it, the innermost first; each by itself
  bool moves = false;       // tuples and what only hands values on
  std::vector<int> from;    // nodes
  std::string note;
};

struct Influence {
  ElementPlace place;
  std::vector<InfluenceNode> nodes;  // in program order, frames where they are called
  bool reaches_result = false;
  std::vector<std::string> notes;
};

// `most_steps`: instructions that are gone through before long loops are no longer taken iteration by iteration; 0: as many as it takes.
inline constexpr int64_t kInfluenceSteps = 150000;
absl::StatusOr<Influence> BuildInfluence(ElementReader& reader, const Machine& machine, const ElementPlace& place, int64_t most_steps = 0);

std::string InfluenceText(const Module& module, const FrameHistory& history, const Influence& influence, bool all);
std::string InfluenceJson(const Module& module, const FrameHistory& history, const Influence& influence);
std::string InfluenceDot(const Module& module, const FrameHistory& history, const Influence& influence);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_INFLUENCE_H_
