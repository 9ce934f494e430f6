// What an element goes on to influence: the forward slice, as sets of elements of later instructions. Not for printing
// (influence_text.h) and not for where an element comes from (why.h).
//
// Every element outside of the sets is what it would be whatever the element's number was, as long as places, orders and branches that
// the element does not decide stay as they were in this run.
#ifndef HLOSCOPE_CORE_DEBUG_INFLUENCE_H_
#define HLOSCOPE_CORE_DEBUG_INFLUENCE_H_

#include <functional>
#include <memory>
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
  std::vector<std::pair<int, int>> received;  // of what was exchanged: nodes of other devices, each with its device
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

// Sets of one value's leaves, none of whose elements is influenced.
std::vector<ElementSet> NoInfluence(const Shape& shape);
// All of them may be.
std::vector<ElementSet> AllInfluence(const Shape& shape);
bool AnyInfluence(const std::vector<ElementSet>& leaves);
void UniteInfluence(const std::vector<ElementSet>& more, std::vector<ElementSet>* leaves);

// The forward slice of one of several devices, from more than one instruction. `exchange` says what an exchange gives to the device, of the
// sets of its operands (null: not influenced).
class InfluenceWalk {
 public:
  using Exchange = std::function<absl::StatusOr<std::vector<ElementSet>>(int frame, const Instruction& instruction,
                                                                         absl::Span<const std::vector<ElementSet>* const> operands)>;
  InfluenceWalk(ElementReader& reader, const Machine& machine, Exchange exchange);
  ~InfluenceWalk();
  // On from what has been executed in that frame. `asked`: it is what was asked about, and what later iterations make of it is told apart.
  absl::Status From(int frame, const Instruction& instruction, std::vector<ElementSet> leaves, bool asked = false);
  // A node, by its frame's path: iterations of a loop share one. -1: that has not been influenced so far.
  int PathOf(int frame);
  int NodeAt(int path, const Instruction& instruction, int leaf) const;
  void Say(std::string note);  // once
  Influence Take();

 private:
  struct Builder;
  std::unique_ptr<Builder> builder_;
};

// The lines of the nodes from `first` on, and how many values they are.
std::string InfluenceLines(const Module& module, const FrameHistory& history, const Influence& influence, size_t first, bool all,
                           int64_t* values);
// Which run of its computation a node belongs to, with all iterations of each loop around: "body, iterations 1 to 3 of %w".
std::string InfluenceWhere(const FrameHistory& history, const InfluenceNode& node);
std::string InfluenceText(const Module& module, const FrameHistory& history, const Influence& influence, bool all);
std::string InfluenceJson(const Module& module, const FrameHistory& history, const Influence& influence);
std::string InfluenceDot(const FrameHistory& history, const Influence& influence);
// The nodes, whose names begin so, and what leads to them; `asked`: the first is what was asked about.
std::string InfluenceDotNodes(const FrameHistory& history, const Influence& influence, absl::string_view name, bool asked);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_INFLUENCE_H_
