// The nodes of a forward slice as it is told: one for each leaf of an instruction on its path of calls (all iterations of a loop are one), with
// what it was made from. Not for which elements are influenced (influence.cc).
#ifndef HLOSCOPE_CORE_DEBUG_INFLUENCE_NODES_H_
#define HLOSCOPE_CORE_DEBUG_INFLUENCE_NODES_H_

#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "core/debug/influence.h"

namespace hloscope {

class InfluenceNodes {
 public:
  using Leaves = std::vector<ElementSet>;  // sets of one value's leaves; empty ones are not influenced
  InfluenceNodes(ElementReader& reader, std::vector<InfluenceNode>& nodes) : reader_(reader), nodes_(nodes) {}

  // A walk from another instruction: what the nodes come from is told anew.
  void Begin() { sourced_.clear(); }
  // What is noted of the instruction from now on is another node.
  void Forget(int frame, const Instruction& instruction, const Leaves& leaves);
  // Frames of one loop are told as one.
  int Path(int frame);
  // -1: there is none.
  int NodeAt(int path, const Instruction& instruction, int leaf) const;
  // Its nodes have been told already where they come from, as far as these leaves go (null: not influenced).
  bool SourcesAreKnown(int frame, const Instruction& i, absl::Span<const Leaves* const> operands, const Leaves& result);
  // By leaf of a parameter: the nodes of what its frame was called with, and of what the loop's iteration before handed on.
  std::vector<std::vector<int>> GivenTo(int frame, const Instruction& parameter);
  // By leaf of the result: the nodes of what it is made from.
  std::vector<std::vector<int>> SourcesOf(int frame, const Instruction& i);
  // `from`: by leaf, or none. `exact`: the sets are no larger than what is influenced, but for what they say themselves.
  void Note(int frame, const Instruction& i, const Leaves& leaves, const std::vector<std::vector<int>>& from, bool exact);
  // What was influenced in iteration `k` is so in all up to `last` too.
  void RaiseLast(int frame, const Instruction& loop, int64_t k, int64_t last);

 private:
  int FindPath(int frame);
  // The frames that have returned the values of a call, a branch or a loop; of a loop any one, and of branches also those that were not
  // taken.
  std::vector<int> Returning(int frame, const Instruction& i);

  ElementReader& reader_;
  std::vector<InfluenceNode>& nodes_;
  absl::flat_hash_map<std::tuple<int, const Instruction*, int, int>, int> paths_;
  std::vector<int> path_of_;  // by frame; -1: not known yet
  absl::flat_hash_map<std::tuple<int, const Instruction*, int>, int> numbers_;
  absl::flat_hash_set<std::tuple<int, const Instruction*, uint64_t>> sourced_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_INFLUENCE_NODES_H_
