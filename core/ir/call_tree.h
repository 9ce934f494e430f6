// The calls of a run as a tree: what a computation makes is told apart by the calls that lead to it. The iterations of a loop are one call
// of its body; runs of a reducer are one call. And figures of instructions that are told apart so. Not who may call whom
// (core/debug/calls.h).
#ifndef HLOSCOPE_CORE_IR_CALL_TREE_H_
#define HLOSCOPE_CORE_IR_CALL_TREE_H_

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/ir/module.h"

namespace hloscope {

class CallTree {
 public:
  static constexpr int kEntry = 0;

  struct Call {
    int parent = -1;  // the call in which the caller stands; -1: this is the entry
    const Instruction* caller = nullptr;
    int which = 0;  // of the computations that it calls
    const Computation* computation = nullptr;
  };

  // The call of computation number `which` there; known from now on.
  int Add(int parent, const Instruction& caller, int which);
  // -1: not known.
  int Inside(int parent, const Instruction& caller, int which) const;
  // All known calls of a computation in a run of the module, ascending. The entry's is kEntry.
  std::vector<int> CallsOf(const Module& module, const Computation& computation) const;

  const Call& call(int number) const { return calls_[number]; }
  int size() const { return static_cast<int>(calls_.size()); }

 private:
  std::vector<Call> calls_ = std::vector<Call>(1);  // parents before what is called there
  absl::flat_hash_map<std::tuple<int, const Instruction*, int>, int> number_;
  absl::flat_hash_map<const Computation*, std::vector<int>> of_;
};

// A figure for each instruction in each of the calls that something is known of.
struct CallFigures {
  CallTree tree;
  absl::flat_hash_map<std::pair<int, const Instruction*>, double> of;

  // The greatest in these calls; none: not known.
  std::optional<double> In(absl::Span<const int> calls, const Instruction& instruction) const;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_IR_CALL_TREE_H_
